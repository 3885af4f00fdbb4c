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

use super::env;
use super::layout::Layout;
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

/// Writes the kernel.
pub fn write(out: &mut String, program: &Program, layout: &Layout, number: usize) {
    let words = layout.tuple_words.max(1);
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
                    let bits = program.locations[l.index()].ty.bits();
                    let slot = layout.places[l.index()].at;
                    let base = format!(
                        "base{slot}[(size_t)x{slot} * instance_pitch + {}]",
                        if bits == 64 {
                            element * 2 + half
                        } else {
                            element * bits / 32
                        }
                    );
                    let text = if bits < 32 {
                        let per = 32 / bits;
                        let mask = (1u64 << bits) - 1;
                        format!("({base} >> {}) & {mask}u", element % per * bits)
                    } else {
                        base
                    };
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
    let reset = reset(program, layout);
    let places =
        |what: &dyn Fn(u32) -> String| -> String { (0..layout.global_slots).map(what).collect() };
    let word = |slot: u32, word: usize| {
        format!(
            "env[table_of_slots + {}u]",
            slot as usize * env::SLOT_WORDS + word
        )
    };
    let bases = places(&|s| {
        format!(
            "    __global uint *base{s} = mem + {};\n    const uint multiplier{s} = {}, offset{s} = {};\n",
            word(s, env::SLOT_BASE),
            word(s, env::SLOT_MULTIPLIER),
            word(s, env::SLOT_OFFSET)
        )
    });
    let start = |k: &str| {
        places(&|s| {
            format!(
                "        uint x{s} = (uint)(((ulong){k} * multiplier{s} + offset{s}) % count);\n"
            )
        })
    };
    let next = places(&|s| {
        format!(
            "            x{s} += multiplier{s};\n            if (x{s} >= count) x{s} -= count;\n"
        )
    });
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
{bases}    for (uint t = me; t < env[{teams}]; t += all) meet[t * 16u] = 0;
    __global uint *row = rows + (size_t)me * (slots + 1u);
    __global uint *list = overflow + (size_t)me * each * {words}u;
    if (!clear) for (uint s = 0; s <= slots; ++s) row[s] = 0;
    uint listed = 0;
    for (ulong from = (ulong)me * chunk; from < count; from += (ulong)all * chunk) {{
        const uint to = (uint)min(from + chunk, (ulong)count);
{start}        for (uint k = (uint)from; k < to; ++k) {{
            uint tuple[{words}];
            if (!clear) {{
{gather}            }}
{reset}{next}            if (clear) continue;
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
    }}
    if (!clear) row[slots] = listed;
}}
",
        name = kernel_name(number),
        start = start("from"),
        count = env::COUNT,
        instance = env::INSTANCE_PITCH,
        res = env::RES_PITCH,
        teams = env::TEAMS,
        entry = words + 1,
    );
}

/// The statements that set one instance back to how it starts.
fn reset(program: &Program, layout: &Layout) -> String {
    let mut out = String::new();
    for (l, location) in program.locations.iter().enumerate() {
        if location.region == Region::Global {
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
        let start = if layout.bound_column == Some(column) {
            0
        } else {
            layout.unwritten
        };
        let _ = writeln!(
            out,
            "            res[{column}u * res_pitch + k] = {start}u;"
        );
    }
    out
}
