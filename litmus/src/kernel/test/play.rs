//! What a work-item does in the iterations of a block: the bodies of the threads that it may play, over the
//! locations of its instance, and the results.

use super::super::body::{AtomicsDialect, BodyWriter, barrier, register_name};
use super::super::early::early_reads;
use super::super::env;
use super::super::shape::GroupShape;
use super::Writer;
use super::printable;
use crate::program::{LocId, RegId, Region, ThreadId};
use std::fmt::Write;

impl Writer<'_> {
    /// A block of a test with barriers: every work-item goes through every iteration, since it has to
    /// reach its barriers.
    pub(super) fn in_step(&self, out: &mut String) {
        out.push_str("    for (uint i = first; i < last; ++i) {\n        const bool active = i < mine;\n        __global uint *result = res + k;\n");
        self.slots(out);
        if self.of.layout.bound_column.is_some() {
            out.push_str("        uint gave_up = 0;\n");
        }
        self.locations(out, 2, "(i - first)");
        self.play(out);
        self.advance(out, 2, "");
        out.push_str("    }\n");
    }

    /// A block of a test without: each work-item goes through its own iterations in a loop for its own
    /// thread alone. In straight order that is one run, in which places follow each other by addition;
    /// else each iteration is a run of its own. A run may be played from its end: work-items that go through
    /// it from opposite ends meet somewhere within it, however late one of them began.
    ///
    /// Where a work-item plays several threads, it plays a run for each of them before the next. Of the blocks in
    /// straight order, half have runs of a single iteration then: what one thread writes, the next finds sooner or
    /// later.
    ///
    /// A thread whose ordinary reads may [also be made at its beginning](super::super::early) has a second loop, in
    /// which they are, for half of the blocks. A few steps of arithmetic follow them, as many as are drawn for the
    /// block, so that more may happen between such a read and the accesses that it overtakes.
    pub(super) fn by_roles(&self, out: &mut String) {
        let groups = &self.device.groups;
        let shares = self.of.shape.may_share(self.of.layout);
        out.push_str("    const uint until = min(last, mine);\n");
        if shares {
            let _ = writeln!(
                out,
                "    const bool whole = env[{}] && (wide >= {}u || (classay_mix(seed - classay_mix(block)) & 1u));",
                env::STRAIGHT,
                groups.len()
            );
        } else {
            let _ = writeln!(out, "    const bool whole = env[{}];", env::STRAIGHT);
            self.direction(out, "(uint)get_global_id(0)");
        }
        let threads = groups.iter().flat_map(GroupShape::threads);
        if threads.into_iter().any(|t| !self.early(t).is_empty()) {
            out.push_str("    const uint early = classay_mix(seed ^ classay_mix((uint)get_global_id(0) - classay_mix(block)));\n");
        }
        out.push_str("    for (uint i = first; i < until;) {\n        const uint run = whole ? until - i : 1u, end = i + run;\n");
        if shares {
            let _ = writeln!(
                out,
                "        const uint begin = i;\n        for (uint turn = place; turn < {}u; turn += wide) {{\n        const uint group = env[{}u + turn];\n        i = begin;",
                groups.len(),
                env::PLACES
            );
            self.direction(out, "(uint)get_global_id(0) + turn - place");
        }
        out.push_str("        __global uint *result = res + k;\n");
        self.slots(out);
        out.push_str("        if (back) {\n            result += (run - 1u) * step;\n");
        for reference in &self.of.layout.references {
            let (slot, at) = (reference.slot, reference.suffix());
            let _ = writeln!(out, "            at{at} += (run - 1u) * pitch{slot};");
        }
        out.push_str("        }\n");
        for (g, group) in groups.iter().enumerate() {
            for (item, t) in group.threads().enumerate() {
                let mut conditions: Vec<String> = Vec::new();
                if groups.len() > 1 {
                    conditions.push(format!("group == {g}u"));
                }
                if group.thread_count() > 1 {
                    conditions.push(format!("item == {item}u"));
                }
                let early = self.early(t);
                if early.is_empty() {
                    self.run(out, t, &conditions, &[]);
                } else {
                    let with = |which: &str| [conditions.as_slice(), &[which.into()]].concat();
                    self.run(out, t, &with("early & 1u"), &early);
                    self.run(out, t, &with("!(early & 1u)"), &[]);
                }
            }
        }
        if shares {
            out.push_str("        }\n");
        }
        // Where no thread is this work-item's.
        out.push_str("        i = end;\n");
        self.advance(out, 2, "run * ");
        out.push_str("    }\n");
    }

    /// The iterations of a run that a work-item plays as one thread, where the conditions hold. It reads the `early`
    /// locations at the beginning of each, into what is used only where [`super`] says that nothing comes of it.
    fn run(&self, out: &mut String, t: ThreadId, conditions: &[String], early: &[LocId]) {
        let condition = if conditions.is_empty() {
            "true".into()
        } else {
            conditions.join(" && ")
        };
        let _ = writeln!(
            out,
            "        if ({condition}) for (; i < end; ++i) {{ // {t}"
        );
        if self.of.layout.bound_column.is_some() {
            out.push_str("            uint gave_up = 0;\n");
        }
        self.locations(out, 3, "(back ? until - 1u - i : i - first)");
        let writer = || BodyWriter::new(self.of.program, t, self.of.dialect, 3);
        if !early.is_empty() {
            out.push_str(&writer().reads(early, "idle"));
            out.push_str("            for (uint pause = early >> 28; pause; --pause) idle = idle * 0x9e3779b1u + 1u;\n");
        }
        out.push_str(&writer().declarations());
        let groups = self.device.groups.iter();
        let segments = groups.flat_map(|group| group.segments.iter().flatten());
        if let Some((_, body)) = segments.into_iter().find(|(of, _)| *of == t) {
            out.push_str(&writer().segment(body, 0));
        }
        self.store_registers(out, t);
        self.give_up(out, 3, "gave_up");
        out.push_str("            result += stride;\n");
        for reference in &self.of.layout.references {
            let (slot, at) = (reference.slot, reference.suffix());
            let _ = writeln!(out, "            at{at} += stride{slot};");
        }
        out.push_str("        }\n");
    }

    /// The locations that a thread may read at its beginning. Vulkan's private accesses are calls, which no compiler
    /// knows to be reads before they are SPIR-V.
    fn early(&self, t: ThreadId) -> Vec<LocId> {
        if self.of.dialect == AtomicsDialect::Vulkan {
            return Vec::new();
        }
        early_reads(&self.of.program.threads[t.index()].body)
    }

    /// Whether a run is played from its end, drawn by a number, and how far its places are apart.
    fn direction(&self, out: &mut String, drawn_by: &str) {
        let _ = writeln!(
            out,
            "    const uint reversed = env[{}];\n    const bool back = whole && reversed && classay_mix(seed + classay_mix({drawn_by} - classay_mix(block))) % 100u < reversed;\n    const long stride = back ? -(long)step : (long)step;",
            env::REVERSED
        );
        for slot in 0..self.of.layout.global_slots {
            let _ = writeln!(
                out,
                "    const long stride{slot} = back ? -pitch{slot} : pitch{slot};"
            );
        }
    }

    /// Where the slots of the instance lie.
    fn slots(&self, out: &mut String) {
        for reference in &self.of.layout.references {
            let (slot, at) = (reference.slot, reference.suffix());
            let _ = writeln!(
                out,
                "        __global uint *at{at} = base{at} + (size_t)x{slot} * instance_pitch;"
            );
        }
    }

    /// Where the locations of the instance lie, the one with this number in its block.
    fn locations(&self, out: &mut String, indent: usize, number: &str) {
        let indent = "    ".repeat(indent);
        for (l, location) in self.of.program.locations.iter().enumerate() {
            let at = self.of.layout.places[l].at;
            if location.region != Region::Local {
                let _ = writeln!(
                    out,
                    "{indent}__global uint *loc{l} = at{}; // {}",
                    self.of.layout.reference(l).suffix(),
                    printable(&location.name)
                );
            } else if self.local {
                let _ = writeln!(
                    out,
                    "{indent}__local uint *loc{l} = lmem + (({number} * lanes + lane) * {}u + {at}u); // {}",
                    self.of.layout.local_words,
                    printable(&location.name)
                );
            }
        }
    }

    /// To the next instance, or as many further.
    fn advance(&self, out: &mut String, indent: usize, times: &str) {
        let indent = "    ".repeat(indent);
        let _ = writeln!(
            out,
            "{indent}position += {times}teams * lanes;\n{indent}k += {times}step;\n{indent}if (k >= count) k -= count;"
        );
        for slot in 0..self.of.layout.global_slots {
            let _ = writeln!(
                out,
                "{indent}x{slot} += {times}step{slot};\n{indent}if (x{slot} >= count) x{slot} -= count;"
            );
        }
    }

    /// What the threads do in an iteration. Barriers stand outside every branch where the
    /// work-groups agree on them: a group that has fewer meets once more after its last
    /// instruction, where it orders nothing that the test can see.
    fn play(&self, out: &mut String) {
        let groups = &self.device.groups;
        let barriers = groups.iter().map(|g| g.barriers.len()).max().unwrap_or(0);
        // Registers live across the segments.
        for t in groups.iter().flat_map(GroupShape::threads) {
            out.push_str(&BodyWriter::new(self.of.program, t, self.of.dialect, 2).declarations());
        }
        for s in 0..=barriers {
            for (g, group) in groups.iter().enumerate() {
                self.segment(out, g, group, s);
            }
            if s < barriers {
                self.barrier(out, s);
            }
        }
        self.give_up(out, 2, "active && gave_up");
    }

    /// Says that a thread left a loop at its bound; any thread may, so the column counts.
    fn give_up(&self, out: &mut String, indent: usize, condition: &str) {
        let Some(column) = self.of.layout.bound_column else {
            return;
        };
        let at = format!("result + {column}u * res_pitch");
        let inc = match self.of.dialect {
            AtomicsDialect::C11 | AtomicsDialect::Vulkan => format!(
                "atomic_fetch_add_explicit((volatile __global atomic_uint *)({at}), 1u, memory_order_relaxed, CLASSAY_SCOPE)"
            ),
            AtomicsDialect::V1 => format!("atomic_inc((volatile __global uint *)({at}))"),
        };
        let _ = writeln!(out, "{}if ({condition}) {inc};", "    ".repeat(indent));
    }

    /// What a work-group's threads do between two barriers.
    fn segment(&self, out: &mut String, g: usize, group: &GroupShape, s: usize) {
        let Some(segment) = group.segments.get(s) else {
            return;
        };
        let order: Vec<ThreadId> = group.threads().collect();
        for (t, body) in segment {
            let last = s + 1 == group.segments.len();
            if body.is_empty() && !last {
                continue;
            }
            let item = order.iter().position(|o| o == t).unwrap_or_default();
            let which = if self.device.groups.len() > 1 {
                format!("group == {g}u && ")
            } else {
                String::new()
            };
            let _ = writeln!(
                out,
                "        if ({which}active && item == {item}u) {{ // {t}"
            );
            out.push_str(
                &BodyWriter::new(self.of.program, *t, self.of.dialect, 3).segment(body, s),
            );
            if last {
                self.store_registers(out, *t);
            }
            out.push_str("        }\n");
        }
    }

    /// The barrier after the segments numbered `s`.
    fn barrier(&self, out: &mut String, s: usize) {
        let texts: Vec<Option<String>> = self
            .device
            .groups
            .iter()
            .map(|g| g.barriers.get(s).map(|b| barrier(b, self.of.dialect)))
            .collect();
        let mut present = texts.iter().flatten();
        let Some(first) = present.next() else {
            return;
        };
        if present.all(|t| t == first) {
            let _ = writeln!(out, "        {first}");
            return;
        }
        for (g, text) in texts.iter().enumerate() {
            if let Some(text) = text {
                let _ = writeln!(out, "        if (group == {g}u) {text}");
            }
        }
    }

    fn store_registers(&self, out: &mut String, thread: ThreadId) {
        for (r, register) in self.of.program.threads[thread.index()]
            .registers
            .iter()
            .enumerate()
        {
            let id = RegId(r as u32);
            let Some(column) = self.of.layout.register_column(thread, id) else {
                continue;
            };
            let name = register_name(self.of.program, thread, id);
            if register.ty.bits() == 64 {
                let _ = writeln!(
                    out,
                    "            result[{column}u * res_pitch] = (uint)(ulong){name};\n            result[{}u * res_pitch] = (uint)((ulong){name} >> 32);",
                    column + 1
                );
            } else {
                let _ = writeln!(
                    out,
                    "            result[{column}u * res_pitch] = (uint){name};"
                );
            }
        }
    }
}
