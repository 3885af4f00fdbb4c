//! The test kernel: every work-item plays one role in many instances.
//!
//! The launch of a device is a number of *teams*. A team is one work-group for each work-group of
//! the test; a work-group holds *lanes* copies of its threads, so a team plays `lanes` instances at
//! once, and `iterations` of these after each other. With many teams of many lanes and one
//! iteration this is the parallel form for devices that run thousands of work-items at once; with
//! as many teams as run together and very many iterations it is the persistent form for CPUs,
//! where work-groups otherwise run one after another.
//!
//! Position `l` in the order of play belongs to instance `(l · multiplier + offset) mod count`,
//! with a multiplier coprime to the count, so neighbours in time are not neighbours in memory.
//! Which work-group of a team plays which of the test's is permuted too, and turned by one from
//! team to team: where fewer work-groups run together than a team has, others then meet. Each
//! work-group of a team is shifted by its own number of teams, and each thread of a
//! work-group by its own number of lanes (sub-groups apart), so that partners vary.
//!
//! Where fewer work-groups run together than a team has, a team may also be as many as do, each of which plays
//! several of the test's one after the other, block by block.
//!
//! Each location may have a permutation of its own on top, so that the locations of an instance are
//! neighbours of those of different others.
//!
//! Iterations are played in blocks. Before a block the work-items of a team may stress memory, read
//! the block's locations, and meet at a counter with a bounded spin: OpenCL promises no progress
//! among work-groups, so meeting is a matter of luck, never of correctness. Work-groups beyond those
//! of the teams stress memory, or wait for each other at a gate, two and two, so that those that follow them in
//! the launch begin together. Which work-group is which may be shuffled.

mod local;
mod play;

use super::body::AtomicsDialect;
use super::env;
use super::layout::Layout;
use super::shape::{DeviceShape, GroupShape, Shape};
use crate::program::{LocId, Program, Region, ScalarType};
use std::fmt::Write;

/// Most steps that the last at a meeting waits for the answers of the others.
const LONGEST: u32 = 4096;

/// Name of the test kernel of the device at `index` in the shape of the test numbered `number`.
pub fn kernel_name(number: usize, index: usize) -> String {
    format!("classay_test_{number}_{index}")
}

/// A test whose kernels are written.
#[derive(Clone, Copy)]
pub struct Of<'p> {
    /// The test.
    pub program: &'p Program,
    /// Its threads by place.
    pub shape: &'p Shape,
    /// Its instances in memory.
    pub layout: &'p Layout,
    /// The atomic functions to use.
    pub dialect: AtomicsDialect,
    /// The number in its names.
    pub number: usize,
}

/// Writes the test kernel of one device.
pub fn write(out: &mut String, of: Of<'_>, index: usize) {
    let writer = Writer {
        device: &of.shape.devices[index],
        device_index: index,
        local: of.takes_local(index),
        of,
    };
    writer.kernel(out);
}

impl Of<'_> {
    /// Whether the test kernel of the device takes a local memory argument.
    pub fn takes_local(&self, index: usize) -> bool {
        let owners = super::layout::owners(self.program, self.shape);
        let owns = owners.iter().flatten().any(|(device, _)| *device == index);
        self.layout.local_words > 0 && owns
    }
}

struct Writer<'p> {
    of: Of<'p>,
    device: &'p DeviceShape,
    device_index: usize,
    local: bool,
}

impl Writer<'_> {
    /// Whether local memory is looked at as 64-bit objects; in Vulkan it is an array of words in any case.
    fn has_long_locals(&self) -> bool {
        let locals = self.of.program.locations.iter();
        let mut locals = locals.filter(|location| location.region == Region::Local);
        self.of.dialect != AtomicsDialect::Vulkan && locals.any(|local| local.ty.bits() == 64)
    }

    fn kernel(&self, out: &mut String) {
        let groups = self.device.groups.len();
        let _ = writeln!(
            out,
            "__kernel void {}(__global uint *mem, __global uint *res, __global uint *meet,\n                      __global const uint *env, __global uint *scratch{}{})\n{{",
            kernel_name(self.of.number, self.device_index),
            (self.of.layout.arguments().iter())
                .map(|argument| format!(", __global uint *{}", argument.name()))
                .collect::<String>(),
            match (self.local, self.has_long_locals()) {
                (false, _) => "",
                (true, false) => ", __local uint *lmem",
                (true, true) => ", __local ulong *longs",
            }
        );
        if self.local && self.has_long_locals() {
            // An argument is aligned as its type is, no more ("Alignment of Types").
            out.push_str("    __local uint *lmem = (__local uint *)longs;\n");
        }
        self.constants(out);
        self.stress(out);
        let _ = writeln!(
            out,
            "    const uint wide = env[{wide}], nth = ordered / wide, place = (ordered + nth) % wide;\n    const uint group = env[{places}u + place];\n    const uint team = (nth + env[{shifts}u + group]) % teams;",
            wide = env::WIDE,
            places = env::PLACES,
            shifts = env::shifts(groups),
        );
        self.role(out);
        out.push_str(
            "    uint position = team * lanes + lane;\n    uint k = count == 0 ? 0 : (uint)(((ulong)position * env[4] + env[5]) % count);\n    uint meeting = 0, answered = 0, reach = lag, until_meeting = 1, block = 0, idle = seed, patience = sync_bound, spare = most_spare;\n    const uint mine = plays && position < count ? (count - 1u - position) / (teams * lanes) + 1u : 0u;\n",
        );
        for slot in 0..self.of.layout.global_slots {
            let _ = writeln!(
                out,
                "    uint x{slot} = count == 0 ? 0 : (uint)(((ulong)k * env[{m}] + env[{o}]) % count);\n    const uint step{slot} = env[{s}];\n    const long pitch{slot} = (long)step{slot} * instance_pitch;",
                m = self.slot(slot, env::SLOT_MULTIPLIER),
                o = self.slot(slot, env::SLOT_OFFSET),
                s = self.slot(slot, env::SLOT_STEP),
            );
            let references = self.of.layout.references.iter();
            for reference in references.filter(|reference| reference.slot == slot) {
                let _ = writeln!(
                    out,
                    "    __global uint *base{} = {} + env[{}];",
                    reference.suffix(),
                    reference.argument.name(),
                    self.slot(slot, env::SLOT_BASE)
                );
            }
        }
        out.push_str(
            "    for (uint first = 0; first < iterations; first += batch, ++block) {\n    const uint last = min(first + batch, iterations);\n",
        );
        if self.local {
            self.clear_local(out);
            out.push_str("    const uint k_first = k, position_first = position;\n");
        }
        self.before_block(out);
        self.touch(out);
        self.meet(out);
        if self.device.groups.iter().any(|g| !g.barriers.is_empty()) {
            self.in_step(out);
        } else {
            self.by_roles(out);
        }
        if self.local {
            self.finish_local(out);
        }
        // The steps are taken only where something may come of them, and no launch is so large.
        out.push_str("    }\n    if (count == 0xffffffffu) meet[team * 16u + 1u] = idle;\n}\n");
    }

    /// A word of the environment about a slot.
    fn slot(&self, slot: u32, word: usize) -> usize {
        env::slots(self.device.groups.len()) + slot as usize * env::SLOT_WORDS + word
    }

    /// What the loop over blocks chooses by is not among them: it is read in the loop, where compilers cannot
    /// know that it stays the same. They would move each choice out of the loop and make two copies of it, and
    /// with five choices some take a minute for one test.
    fn constants(&self, out: &mut String) {
        for (name, at) in [
            ("count", env::COUNT),
            ("teams", env::TEAMS),
            ("lanes", env::LANES),
            ("iterations", env::ITERATIONS),
            ("step", env::STEP),
            ("instance_pitch", env::INSTANCE_PITCH),
            ("res_pitch", env::RES_PITCH),
            ("batch", env::BATCH),
            ("sync_bound", env::SYNC_BOUND),
            ("most_spare", env::SPARE),
            ("lag", env::LAG),
            ("measured", env::MEASURED),
            ("loop_bound", env::LOOP_BOUND),
            ("arrivals", env::ARRIVALS),
            ("touch_stride", env::TOUCH_STRIDE),
            ("seed", env::SEED),
        ] {
            let _ = writeln!(out, "    const uint {name} = env[{at}];");
        }
    }

    /// A work-group beyond those that play stresses memory and is done. The whole work-group takes
    /// this branch, so it misses no barrier.
    fn stress(&self, out: &mut String) {
        let gate = self.gate();
        let _ = write!(
            out,
            "    const uint ordered = env[env[{order}] + (uint)get_group_id(0)];
    if (ordered >= env[{testing}]) {{
{gate}        const uint nth_stress = ordered - env[{testing}];
        const uint which = env[{chunk}] ? nth_stress / env[{chunk}] : nth_stress;
        {name}(scratch, env[env[{table}] + which % env[{targets}]], env[{pattern}], env[{passes}]);
        return;
    }}
",
            order = env::ORDER,
            testing = env::TESTING,
            chunk = env::STRESS_CHUNK,
            table = env::TARGET_TABLE,
            targets = env::TARGETS,
            pattern = env::STRESS_PATTERN,
            passes = env::STRESS_ITERATIONS,
            name = super::frame::stress_name(self.of.number),
        );
    }

    /// What a work-group at a gate does: it counts itself, and waits a bounded while for the other. A test of two
    /// work-groups or fewer has no use for it.
    fn gate(&self) -> String {
        if self.device.groups.len() <= 2 {
            return String::new();
        }
        let at = format!(
            "(meet + (ordered - {}u) * 16u + {}u)",
            env::GATE,
            env::ANSWERS
        );
        format!(
            "        if (ordered >= {gate}u) {{
            if (get_local_id(0) == 0) {{
                (void){arrive};
                for (uint left = env[{bound}]; left && {look} < 2u; --left);
            }}
            return;
        }}
",
            gate = env::GATE,
            arrive = self.count_in(&at),
            look = self.look_at(&at),
            bound = env::SYNC_BOUND,
        )
    }

    /// Adds one to a counter of meetings.
    fn count_in(&self, at: &str) -> String {
        match self.of.dialect {
            AtomicsDialect::C11 | AtomicsDialect::Vulkan => format!(
                "atomic_fetch_add_explicit((volatile __global atomic_uint *){at}, 1u, memory_order_relaxed, CLASSAY_SCOPE)"
            ),
            AtomicsDialect::V1 => format!("atomic_inc((volatile __global uint *){at})"),
        }
    }

    /// Reads a counter of meetings.
    fn look_at(&self, at: &str) -> String {
        match self.of.dialect {
            AtomicsDialect::C11 | AtomicsDialect::Vulkan => format!(
                "atomic_load_explicit((volatile __global atomic_uint *){at}, memory_order_relaxed, CLASSAY_SCOPE)"
            ),
            AtomicsDialect::V1 => format!("atomic_add((volatile __global uint *){at}, 0u)"),
        }
    }

    /// Stress by the work-items that play, before a block.
    fn before_block(&self, out: &mut String) {
        let _ = write!(
            out,
            "    const uint pre_percent = env[{percent}];
    if (pre_percent && plays) {{
        const uint drawn = classay_mix(seed ^ classay_mix((uint)get_global_id(0) ^ classay_mix(block)));
        if (drawn % 100u < pre_percent)
            {name}(scratch, env[env[{table}] + (drawn / 100u) % env[{targets}]], env[{pattern}], env[{passes}]);
    }}
",
            percent = env::PRE_PERCENT,
            table = env::TARGET_TABLE,
            targets = env::TARGETS,
            pattern = env::PRE_PATTERN,
            passes = env::PRE_ITERATIONS,
            name = super::frame::stress_name(self.of.number),
        );
    }

    /// Reads the block's locations, so that their lines are near. Only those that are atomic all
    /// through the test, by relaxed atomic loads: a read that no instruction of the test orders adds no
    /// outcome, and is no race.
    fn touch(&self, out: &mut String) {
        let mut loads = String::new();
        let mut slots = Vec::new();
        for (l, location) in self.of.program.locations.iter().enumerate() {
            let id = LocId(l as u32);
            let readable = location.ty != ScalarType::Flag && location.ty.atomic_name().is_some();
            let (Region::Global, AtomicsDialect::C11 | AtomicsDialect::Vulkan, true) =
                (location.region, self.of.dialect, readable)
            else {
                continue;
            };
            if !super::layout::may_be_read(self.of.program, id) {
                continue;
            }
            let slot = self.of.layout.places[l].at;
            let ty = location.ty.atomic_name().unwrap_or("atomic_uint");
            let _ = writeln!(
                loads,
                "            (void)atomic_load_explicit((volatile __global {ty} *)(base{slot} + (size_t)y{slot} * instance_pitch), memory_order_relaxed, CLASSAY_SCOPE); // {}",
                printable(&location.name)
            );
            slots.push(slot);
        }
        if slots.is_empty() {
            return;
        }
        let _ = writeln!(out, "    const uint touch = env[{}];", env::TOUCH);
        out.push_str(
            "    if (touch && (touch >= 100u || classay_mix(seed + classay_mix((uint)get_global_id(0) ^ classay_mix(block))) % 100u < touch)) {\n",
        );
        for slot in &slots {
            let _ = writeln!(out, "        uint y{slot} = x{slot};");
        }
        let _ = write!(
            out,
            "        for (uint i = first; i < min(last, mine); i += touch_stride) {{\n{loads}"
        );
        for slot in &slots {
            let _ = writeln!(
                out,
                "            y{slot} += touch_stride * step{slot};\n            if (y{slot} >= count) y{slot} -= count;"
            );
        }
        out.push_str("        }\n    }\n");
    }

    /// Which thread of the test this work-item plays, and in which lane.
    fn role(&self, out: &mut String) {
        if self.of.shape.uses_sub_groups() {
            out.push_str(
                "    uint item = 0, lane = 0;\n    bool plays = false;\n    {\n        const uint width = get_max_sub_group_size();\n        const uint full = (uint)get_local_size(0) / width;\n        const uint sub = get_sub_group_id(), in_sub = get_sub_group_local_id();\n",
            );
            for (g, group) in self.device.groups.iter().enumerate() {
                let s = group.sub_groups.len();
                let widest = group.widest_sub_group();
                let _ = writeln!(out, "        if (group == {g}u) {{");
                let _ = writeln!(
                    out,
                    "            const uint sets = full / {s}u, each = width / {widest}u;\n            const uint which = sub % {s}u, set = sub / {s}u;"
                );
                let mut base = 0;
                for (i, members) in group.sub_groups.iter().enumerate() {
                    let n = members.len();
                    let _ = writeln!(
                        out,
                        "            if (which == {i}u) {{ item = {base}u + in_sub % {n}u; lane = set * each + in_sub / {n}u; plays = set < sets && in_sub / {n}u < each && lane < lanes; }}"
                    );
                    base += n;
                }
                out.push_str("        }\n");
            }
            out.push_str("    }\n");
            return;
        }
        out.push_str("    const uint local_id = (uint)get_local_id(0);\n");
        let groups = self.device.groups.iter();
        let counts: Vec<usize> = groups.map(GroupShape::thread_count).collect();
        let (last, others) = counts.split_last().unwrap_or((&0, &[]));
        let mut members = String::new();
        if others.iter().any(|count| count != last) {
            for (g, count) in others.iter().enumerate() {
                let _ = write!(members, "group == {g}u ? {count}u : ");
            }
        }
        let _ = writeln!(out, "    const uint members = {members}{last}u;");
        let _ = writeln!(
            out,
            "    const bool apart = env[{}] != 0u;\n    const uint item = apart ? local_id / lanes : local_id % members;\n    const uint lane_id = apart ? local_id % lanes : local_id / members;\n    const bool plays = local_id < lanes * members;\n    const uint lane = plays ? (lane_id + item * env[{}]) % lanes : 0u;",
            env::APART,
            env::LANE_SHIFT
        );
    }

    /// The bounded meeting of a team. What a work-item waits beyond the bound it takes from what
    /// it has to spare in the launch. Who waits in vain has half the patience next time, so a partner that
    /// does not run costs little; one met in time restores it.
    ///
    /// The last to arrive knows at once that all are there, the others when the counter's line has come to
    /// them. In the first meetings of a launch the last takes the time until the others have answered, and in
    /// those after them it waits up to so long: machines move threads from core to core, and virtual ones move
    /// their cores, so how long a line travels is a matter of the moment.
    fn meet(&self, out: &mut String) {
        let counter = |at: &str| format!("(meet + team * 16u{at})");
        let add = |at: &str| self.count_in(&counter(at));
        let look = |at: &str| self.look_at(&counter(at));
        let answers = format!(" + {}u", env::ANSWERS);
        let _ = write!(
            out,
            "    const uint sync_every = env[{every}], sync_percent = env[{percent}];
    if (sync_every && --until_meeting == 0) {{
        until_meeting = sync_every;
        if (sync_percent >= 100u || classay_mix(seed ^ classay_mix(team ^ classay_mix(block))) % 100u < sync_percent) {{
            meeting += arrivals;
            answered += arrivals - 1u;
            const bool measures = meeting <= measured;
            if (plays) {{
                if ({arrive} + 1u >= meeting) {{
                    const uint steps = measures ? {longest}u : classay_mix(seed - classay_mix(team ^ classay_mix(block))) % (reach + 1u);
                    uint step = 0;
                    for (; step < steps; ++step) {{
                        idle = idle * 0x9e3779b1u + 1u;
                        if (measures && {look_answers} >= answered) break;
                    }}
                    if (measures && step) reach = min(reach, step);
                }} else {{
                    uint left = patience + spare;
                    while (left && {look} < meeting) --left;
                    patience = left ? sync_bound : patience / 2;
                    spare = min(spare, left);
                    if (measures) {answer};
                }}
            }}
        }}
    }}
",
            every = env::SYNC_EVERY,
            percent = env::SYNC_PERCENT,
            arrive = add(""),
            look = look(""),
            answer = add(&answers),
            look_answers = look(&answers),
            longest = LONGEST,
        );
    }
}

/// Initial values as little-endian words.
pub fn initial_words(ty: ScalarType, init: &[i64]) -> Vec<u32> {
    let bytes: Vec<u8> = init
        .iter()
        .flat_map(|v| v.to_le_bytes()[..(ty.bits() / 8) as usize].to_vec())
        .collect();
    bytes
        .chunks(4)
        .map(|c| {
            let mut word = [0; 4];
            word[..c.len()].copy_from_slice(c);
            u32::from_le_bytes(word)
        })
        .collect()
}

/// A name that can stand in a `//` comment.
pub fn printable(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_graphic() && c != '\\' {
                c
            } else {
                '_'
            }
        })
        .collect()
}
