//! The kernel that counts how the instances of a launch ended, and clears them.
//!
//! `classay_collect` reads each instance's tuple, sets its memory back to the initial values and
//! looks the tuple up in a table of the outcomes known so far (open addressing, linear probing).
//! A known one adds to the work-item's own row of counts; an unknown one goes to the work-item's
//! own overflow list, which the host reads, counts and learns from. Rows and lists belong to one
//! work-item, so nothing is shared and nothing can be lost: a row's counts and its overflow always
//! add up to the instances that its work-item took. Before the first launch the same kernel clears
//! all instances and counts none (`clear`): compilers that specialise a kernel when it is first
//! enqueued then have one fewer to do.
//!
//! Where all that a tuple records lies in rows of neighbouring words (results always do, final
//! memory does when it is not spread out), stretches of [`STRETCH`] instances are first counted by
//! vectors of sixteen: each of the outcomes that the table's tail lists (those that occurred most)
//! is compared with all of the stretch. Where their counts add up to the stretch, every instance
//! was counted exactly once, since the listed tuples differ; where not, the counts are dropped and
//! the instances are looked up one by one. The stretch is cleared after it is counted.

use super::env;
use super::layout::{Layout, element_text};
use super::test::initial_words;
use crate::program::{Observable, Program, Region};
use std::fmt::Write;

/// Name of the collecting kernel of the test numbered `number`.
pub fn kernel_name(number: usize) -> String {
    format!("classay_collect_{number}")
}

/// The hash that places a tuple in the table; the same on host and device.
pub fn hash(tuple: &[u32]) -> u32 {
    let mut h = 0x811c_9dc5_u32;
    for &w in tuple {
        h = (h ^ w).wrapping_mul(0x9e37_79b1);
        h ^= h >> 15;
    }
    h
}

/// The statements that read the tuple of one instance.
fn gather(program: &Program, layout: &Layout) -> String {
    let mut gather = String::new();
    if layout.tuple_words == 0 {
        gather.push_str("            tuple[0] = 0;\n");
    }
    for field in &layout.fields {
        for half in 0..field.words {
            let at = field.word + half;
            match (field.column, field.observable) {
                (Some(column), _) => {
                    let _ = writeln!(
                        gather,
                        "            tuple[{at}] = res[{}u * res_pitch + k];",
                        column + half
                    );
                }
                (None, Observable::Memory(l, element)) => {
                    let slot = layout.places[l.index()].at;
                    let word = |offset: u32| {
                        format!("base{slot}[(size_t)x{slot} * instance_pitch + {offset}]")
                    };
                    let ty = program.locations[l.index()].ty;
                    let text = element_text(ty, element, half, word);
                    let _ = writeln!(gather, "            tuple[{at}] = {text};");
                }
                // Registers always have a column.
                (None, Observable::Register(..)) => {}
            }
        }
    }
    if let Some(column) = layout.bound_column {
        let _ = writeln!(
            gather,
            "            tuple[{}] = res[{column}u * res_pitch + k] != 0u;",
            layout.tuple_words - 1
        );
    }
    gather
}

/// The statements that say where the places of a slot are.
fn base(slot: u32) -> String {
    let word = |word: usize| {
        format!(
            "env[table_of_slots + {}u]",
            slot as usize * env::SLOT_WORDS + word
        )
    };
    format!(
        "    __global uint *base{slot} = mem + {};\n    const uint multiplier{slot} = {}, offset{slot} = {};\n",
        word(env::SLOT_BASE),
        word(env::SLOT_MULTIPLIER),
        word(env::SLOT_OFFSET)
    )
}

/// Writes the kernel.
pub fn write(out: &mut String, program: &Program, layout: &Layout, number: usize) {
    let words = layout.tuple_words.max(1);
    let gather = gather(program, layout);
    let reset = reset(program, layout);
    let places =
        |what: &dyn Fn(u32) -> String| -> String { (0..layout.global_slots).map(what).collect() };
    let bases = places(&base);
    let start = |indent: &str, k: &str| {
        places(&|s| {
            format!(
                "{indent}uint x{s} = (uint)(((ulong){k} * multiplier{s} + offset{s}) % count);\n"
            )
        })
    };
    let next = places(&|s| {
        format!(
            "            x{s} += multiplier{s};\n            if (x{s} >= count) x{s} -= count;\n"
        )
    });
    let direct = Direct::of(program, layout);
    let _ = write!(
        out,
        "
__kernel void {name}(__global uint *mem, __global uint *res, __global uint *meet,
                              __global const uint *env, __global const uint *table, uint slots,
                              __global uint *rows, __global uint *overflow, uint each, uint chunk,
                              uint clear, uint table_of_slots)
{{
    const uint count = env[{count}], instance_pitch = env[{instance}], res_pitch = env[{res}];
    const uint me = (uint)get_global_id(0), all = (uint)get_global_size(0);
{bases}    for (uint t = me; t < env[{teams}]; t += all) meet[t * 16u] = meet[t * 16u + {answers}u] = 0;
    __global uint *row = rows + (size_t)me * (slots + 1u);
    __global uint *list = overflow + (size_t)me * each * {words}u;
    if (!clear) for (uint s = 0; s <= slots; ++s) row[s] = 0;
    uint listed = 0;
    __global const uint *often = table + (size_t)slots * {entry}u;
    const bool direct = !clear && chunk >= 16u && often[0] != 0u{straight};
    for (ulong from = (ulong)me * chunk; from < count; from += (ulong)all * chunk) {{
        const uint to = (uint)min(from + chunk, (ulong)count);
        for (uint begin = (uint)from; begin < to; begin += {STRETCH}u) {{
        const uint end = min(begin + {STRETCH}u, to);
        uint counted = begin;
        if (direct) {{
            const uint whole = (end - begin) & ~15u;
            uint matched = 0, found[{OFTEN}];
            for (uint n = 0; n < often[0]; ++n) {{
                __global const uint *entry = table + (size_t)often[n + 1u] * {entry}u + 1;
                uint16 same = (uint16)(0u);
                for (uint k = begin; k < begin + whole; k += 16u)
                    same -= as_uint16({compare});
                const uint8 eight = same.lo + same.hi;
                const uint4 four = eight.lo + eight.hi;
                found[n] = four.x + four.y + four.z + four.w;
                matched += found[n];
            }}
            if (matched == whole) {{
                for (uint n = 0; n < often[0]; ++n) row[often[n + 1u]] += found[n];
                counted = begin + whole;
            }}
        }}
{start}        for (uint k = counted; k < end; ++k) {{
            uint tuple[{words}];
            if (!clear) {{
{gather}            }}
            if (!direct) {{
{reset}            }}
{next}            if (clear) continue;
            uint h = 0x811c9dc5u;
            for (uint w = 0; w < {words}u; ++w) {{
                h = (h ^ tuple[w]) * 0x9e3779b1u;
                h ^= h >> 15;
            }}
            bool found = false;
            for (uint probe = 0; probe < slots; ++probe) {{
                const uint s = (h + probe) & (slots - 1u);
                __global const uint *entry = table + (size_t)s * {entry}u;
                if (entry[0] == 0u) break;
                bool same = true;
                for (uint w = 0; w < {words}u; ++w) same = same && entry[w + 1u] == tuple[w];
                if (same) {{
                    row[s] += 1u;
                    found = true;
                    break;
                }}
            }}
            if (!found) {{
                for (uint w = 0; w < {words}u; ++w) list[(size_t)listed * {words}u + w] = tuple[w];
                listed += 1u;
            }}
        }}
        if (direct) {{
{fill}        }}
        }}
    }}
    if (!clear) row[slots] = listed;
}}
",
        name = kernel_name(number),
        start = start("        ", "counted"),
        count = env::COUNT,
        instance = env::INSTANCE_PITCH,
        res = env::RES_PITCH,
        teams = env::TEAMS,
        answers = env::ANSWERS,
        entry = words + 1,
        straight = direct.condition,
        compare = direct.compare,
        fill = direct.fill,
    );
}

/// Instances that are counted by vectors at a time.
pub const STRETCH: u32 = 256;

/// Most outcomes that a stretch is compared with. The table's tail is how many it lists, then the
/// slot of each.
pub const OFTEN: usize = 16;

/// The parts of the kernel that take sixteen instances at a time.
struct Direct {
    /// More that must hold, beginning with `&&`.
    condition: String,
    /// Which of sixteen instances have the tuple `entry`, as an `int16`.
    compare: String,
    /// The statements that clear a stretch, place by place: in the order of memory, not of instances,
    /// which is the same for all that read no memory.
    fill: String,
}

impl Direct {
    fn of(program: &Program, layout: &Layout) -> Direct {
        let mut straight: Vec<u32> = Vec::new();
        let mut terms = Vec::new();
        let mut scattered = layout.tuple_words == 0;
        for field in &layout.fields {
            for half in 0..field.words {
                let at = field.word + half;
                let from = match (field.column, field.observable) {
                    (Some(column), _) => format!("res + {}u * res_pitch + k", column + half),
                    (None, Observable::Memory(l, 0))
                        if program.locations[l.index()].ty.bits() == 32
                            && program.locations[l.index()].len() == 1 =>
                    {
                        let slot = layout.places[l.index()].at;
                        straight.push(slot);
                        format!("base{slot} + k")
                    }
                    (None, Observable::Memory(..) | Observable::Register(..)) => {
                        scattered = true;
                        continue;
                    }
                };
                terms.push(format!("(vload16(0, {from}) == (uint16)(entry[{at}]))"));
            }
        }
        if let Some(column) = layout.bound_column {
            let at = layout.tuple_words - 1;
            terms.push(format!(
                "((vload16(0, res + {column}u * res_pitch + k) != (uint16)(0u)) == (int16)(entry[{at}] ? -1 : 0))"
            ));
        }
        if scattered || terms.is_empty() {
            return Direct {
                condition: " && false".into(),
                compare: "(int16)(0)".into(),
                fill: String::new(),
            };
        }
        let mut condition = String::new();
        if !straight.is_empty() {
            condition.push_str(" && instance_pitch == 1u");
        }
        for slot in straight {
            let _ = write!(
                condition,
                " && multiplier{slot} == 1u && offset{slot} == 0u"
            );
        }
        Direct {
            condition,
            compare: terms.join(" & "),
            fill: fill(program, layout),
        }
    }
}

/// The statements that clear the places from `begin` to `end` of every slot and column.
fn fill(program: &Program, layout: &Layout) -> String {
    let mut out = String::new();
    let row = |out: &mut String, from: &str, value: u32| {
        let _ = write!(
            out,
            "            {{
                uint k = begin;
                for (; k + 16u <= end; k += 16u) vstore16((uint16)({value}u), 0, {from} + k);
                for (; k < end; ++k) {from}[k] = {value}u;
            }}
"
        );
    };
    for (l, location) in program.locations.iter().enumerate() {
        if location.region == Region::Local || location.alias.is_some() {
            continue;
        }
        let slot = layout.places[l].at;
        let words = initial_words(location.ty, &location.init);
        if let [word] = words.as_slice() {
            out.push_str("            if (instance_pitch == 1u)\n");
            row(&mut out, &format!("base{slot}"), *word);
            out.push_str("            else\n");
        }
        out.push_str("            for (uint k = begin; k < end; ++k) {\n");
        for (offset, word) in words.iter().enumerate() {
            let _ = writeln!(
                out,
                "                base{slot}[(size_t)k * instance_pitch + {offset}] = {word}u;"
            );
        }
        out.push_str("            }\n");
    }
    for column in 0..layout.columns {
        let value = cleared(layout, column);
        row(&mut out, &format!("(res + {column}u * res_pitch)"), value);
    }
    out
}

/// What a column of the results holds before it is written.
fn cleared(layout: &Layout, column: u32) -> u32 {
    if layout.bound_column == Some(column) {
        0
    } else {
        layout.unwritten
    }
}

/// The statements that set one instance back to how it starts.
fn reset(program: &Program, layout: &Layout) -> String {
    let mut out = String::new();
    for (l, location) in program.locations.iter().enumerate() {
        if location.region != Region::Local && location.alias.is_none() {
            let slot = layout.places[l].at;
            for (offset, word) in initial_words(location.ty, &location.init)
                .iter()
                .enumerate()
            {
                let _ = writeln!(
                    out,
                    "            base{slot}[(size_t)x{slot} * instance_pitch + {offset}] = {word}u;"
                );
            }
        }
    }
    for column in 0..layout.columns {
        let start = cleared(layout, column);
        let _ = writeln!(
            out,
            "            res[{column}u * res_pitch + k] = {start}u;"
        );
    }
    out
}
