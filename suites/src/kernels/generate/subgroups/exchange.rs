//! Functions of extensions by which the work-items of a sub-group exchange values, vote and add up.

use super::{PLACES, range, starts};
use crate::choices::Choices;
use crate::kernels::case::{KernelCase, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
use crate::kernels::generate::functions::spread_out;
use crate::kernels::generate::joined;
use crate::rule;
use classay_vocabulary::{Extension, Need};

/// The extensions of functions of sub-groups.
const EXCHANGES: [Extension; 8] = [
    Extension::SubGroupShuffle,
    Extension::SubGroupShuffleRelative,
    Extension::SubGroupRotate,
    Extension::SubGroupBallot,
    Extension::SubGroupVote,
    Extension::SubGroupArithmetic,
    Extension::SubGroupClustered,
    Extension::SubGroupExtendedTypes,
];

/// Functions of a kernel: a compiler takes longer for several kernels than for one of as many lines. Of operations there are
/// many more than of all others.
fn together(extension: Extension) -> usize {
    match extension {
        Extension::SubGroupArithmetic | Extension::SubGroupClustered => 5,
        _ => 3,
    }
}

/// Types of values, and how often each is drawn.
const TYPES: [(&str, u32); 11] = [
    ("int", 12),
    ("uint", 12),
    ("long", 12),
    ("ulong", 12),
    ("float", 12),
    ("short", 10),
    ("uchar", 10),
    ("char", 8),
    ("ushort", 8),
    ("double", 6),
    ("half", 4),
];

/// Functions of an extension, on values of a type each, in sub-groups of every size.
pub fn exchange(choices: &mut Choices) -> KernelCase {
    let extension = choices.one_of(&EXCHANGES);
    joined::several(choices, |choices| exchange_by(choices, extension))
}

fn exchange_by(choices: &mut Choices, extension: Extension) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups exchange values, vote and add up");
    case.need(&[Need::SubGroups, Need::Extension(extension)]);
    let ty = choices.weighted(&TYPES).unwrap_or("int");
    let pragma = case.need_type(ty);
    let all = functions(extension, ty);
    // Those that follow each other, so that a few cases have all.
    let first = choices.below(all.len());
    let together = together(extension).min(all.len());
    let asked = all.iter().cycle().skip(first).take(together);
    // Numbers that the compiler does not know, for some of the functions.
    let given = [choices.below(21), choices.between(0, 9)];
    let mut body = String::new();
    let mut names = Vec::new();
    for (n, function) in asked.enumerate() {
        let text = function.text(choices, ty, given);
        body += &format!(
            "    {{\n        T result = (T)0, r = (T)0;\n        {text}\n        wrong |= (uint)(result != r) << {n};\n    }}\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
        );
        names.push(function.name());
    }
    let (range, groups) = range(choices, &mut case);
    let largest = groups.iter().copied().max().unwrap_or(1);
    let seed = choices.below(1 << 16);
    case.case.source = cl!(
        "sub_group_exchange.cl",
        pragma = format!(
            "#pragma OPENCL EXTENSION {} : enable\n{pragma}",
            extension.name()
        ),
        ty,
        largest,
        places = PLACES,
        seed,
        made = made(ty),
        body
    );
    let items = range.items() as usize;
    let starts = starts(&mut case, &groups);
    let out = case.buffer(16 * items);
    let [a, by] = given.map(|number| number as u32);
    case.launch("exchange", args![out, starts, a, by], range);
    let says = format!(
        "{} of {ty}, less than -1 by a bit for each that is wrong",
        names.join(", ")
    );
    let want = Want::Halves { unit: Unit::Long };
    case.look(out, &[rule::SG_FUNCTIONS], &says, want);
    case.case
}

/// What `small`, from -10 to 10, becomes: many of the type's bits, and no more than sums of a work-group's have room for
/// where the type has a sign.
fn made(ty: &str) -> String {
    match ty {
        "char" => "(char)small".into(),
        "short" => "(short)(small * 20)".into(),
        "uchar" => "(uchar)(small * 23 + 128)".into(),
        "ushort" => "(ushort)(small * 3001 + 0x8000)".into(),
        _ => spread_out(ty).0,
    }
}

/// What is made of the values of several work-items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Add,
    Min,
    Max,
    Mul,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

/// Whose values are made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Reduce,
    Inclusive,
    Exclusive,
    /// The clusters of a sub-group.
    Cluster,
}

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    /// One with a text of its own: its name, and a piece of a kernel that sets `result` to what it gives and `r` to what it
    /// must give, with numbers in the places of `@a@`, less than 21, `@by@`, less than 10, `@size@`, a cluster's, and
    /// `@lanes@`, a vector's.
    Plain(&'static str, &'static str),
    Folds(Op, Over),
}

/// All functions of an extension on values of a type. Of one that is not about sub-groups there are none.
fn functions(extension: Extension, ty: &str) -> Vec<Function> {
    let plain = |list: &[(&'static str, &'static str)]| -> Vec<Function> {
        let all = list.iter().map(|(name, text)| Function::Plain(name, text));
        all.collect()
    };
    let over = |list: &[Over]| -> Vec<Function> {
        let ops = ops(ty);
        let all = list
            .iter()
            .flat_map(|over| ops.iter().map(|op| Function::Folds(*op, *over)));
        all.collect()
    };
    match extension {
        Extension::SubGroupShuffle => plain(&SHUFFLE),
        Extension::SubGroupShuffleRelative => plain(&RELATIVE),
        Extension::SubGroupRotate => plain(&ROTATE),
        Extension::SubGroupBallot => plain(&BALLOT),
        Extension::SubGroupVote => plain(&VOTE),
        Extension::SubGroupArithmetic => over(&[Over::Reduce, Over::Inclusive, Over::Exclusive]),
        Extension::SubGroupClustered => over(&[Over::Cluster]),
        Extension::SubGroupExtendedTypes => plain(&BROADCAST),
        Extension::ExtendedBitOps
        | Extension::IntegerDotProduct
        | Extension::ImageWrites3d
        | Extension::DepthImages
        | Extension::ImageFromBuffer => Vec::new(),
    }
}

/// What can be made of values of a type, in whatever order.
fn ops(ty: &str) -> Vec<Op> {
    use Op::*;
    let mut ops = vec![Min, LogicalAnd, Max, LogicalOr, LogicalXor];
    // Sums of a type with a sign have to stay in it.
    if ty != "char" {
        ops.insert(0, Add);
    }
    if !matches!(ty, "float" | "double" | "half") {
        ops.extend([And, Or, Xor]);
    }
    if ty.starts_with('u') {
        ops.push(Mul);
    }
    ops
}

const BROADCAST: [(&str, &str); 2] = [
    (
        "broadcast",
        "result = sub_group_broadcast(v, @a@u % count); r = sub[@a@u % count];",
    ),
    (
        "broadcast of vectors",
        "T parts[16]; for (uint i = 0; i < @lanes@u; i++) parts[i] = i % 2u ? (T)i : v; @ty@@lanes@ all = sub_group_broadcast(vload@lanes@(0, parts), @a@u % count); vstore@lanes@(all, 0, parts); for (uint i = 0; i < @lanes@u; i++) if (parts[i] != (i % 2u ? (T)i : sub[@a@u % count])) r = (T)1;",
    ),
];

// Whom a work-item reads is there as well where only some are.
const SHUFFLE: [(&str, &str); 5] = [
    (
        "shuffle",
        "uint from = (inside * @by@u + @a@u) % count; result = sub_group_shuffle(v, from); r = sub[from];",
    ),
    (
        "shuffle_xor",
        "uint other = inside ^ @by@u; result = sub_group_shuffle_xor(v, @by@u); r = other < count ? sub[other] : result;",
    ),
    (
        "shuffle_xor by masks of each",
        "uint mask = key % 8u, other = inside ^ mask; result = sub_group_shuffle_xor(v, mask); r = other < count ? sub[other] : result;",
    ),
    (
        "shuffle of some",
        "uint from = inside; for (uint i = 0; i < count; i++) from = holds(keys[i]) && (i + inside) % (@by@u + 1u) == 0 ? i : from; if (holds(key)) { result = sub_group_shuffle(v, from); r = sub[from]; }",
    ),
    (
        "shuffle_xor of some",
        "uint other = inside ^ @by@u; bool is_there = other < count && holds(keys[min(other, count - 1u)]); if (holds(key)) { result = sub_group_shuffle_xor(v, @by@u); r = is_there ? sub[other] : result; }",
    ),
];

const RELATIVE: [(&str, &str); 5] = [
    (
        "shuffle_up",
        "result = sub_group_shuffle_up(v, @by@u); r = inside >= @by@u ? sub[inside - @by@u] : result;",
    ),
    (
        "shuffle_down",
        "result = sub_group_shuffle_down(v, @by@u); r = inside + @by@u < count ? sub[inside + @by@u] : result;",
    ),
    (
        "shuffle_up by numbers of each",
        "uint by_own = key % 8u; result = sub_group_shuffle_up(v, by_own); r = inside >= by_own ? sub[inside - by_own] : result;",
    ),
    (
        "shuffle_up of some",
        "bool is_there = inside >= @by@u && holds(keys[inside - min(inside, @by@u)]); if (holds(key)) { result = sub_group_shuffle_up(v, @by@u); r = is_there ? sub[inside - @by@u] : result; }",
    ),
    (
        "shuffle_down of some",
        "bool is_there = inside + @by@u < count && holds(keys[min(inside + @by@u, count - 1u)]); if (holds(key)) { result = sub_group_shuffle_down(v, @by@u); r = is_there ? sub[inside + @by@u] : result; }",
    ),
];

const ROTATE: [(&str, &str); 3] = [
    (
        "rotate",
        "uint from = (inside + @a@u) % get_max_sub_group_size(); result = sub_group_rotate(v, @a@); r = from < count ? sub[from] : result;",
    ),
    (
        "clustered_rotate",
        "if (@size@u <= get_max_sub_group_size()) { uint from = inside / @size@u * @size@u + (inside + @a@u) % @size@u; result = sub_group_clustered_rotate(v, @a@, @size@u); r = from < count ? sub[from] : result; }",
    ),
    (
        "rotate of some",
        "uint from = (inside + @a@u) % get_max_sub_group_size(); bool is_there = from < count && holds(keys[min(from, count - 1u)]); if (holds(key)) { result = sub_group_rotate(v, @a@); r = is_there ? sub[from] : result; }",
    ),
];

const BALLOT: [(&str, &str); 18] = [
    // Bits of ids that are none of a sub-group count for nothing.
    (
        "ballot functions of any bits",
        "uint4 bits = (uint4)((key * 2654435761u | 1u) << inside % min(count, 31u), ~key, key + 77u, 0xffffffffu); uint most = get_max_sub_group_size(), n = 0, up = 0, before = 0, low = most, high = 0; for (uint i = 0; i < min(most, 128u); i++) { uint word = i < 32u ? bits.s0 : i < 64u ? bits.s1 : i < 96u ? bits.s2 : bits.s3; uint bit = word >> i % 32u & 1u; n += bit; up += i <= inside ? bit : 0u; before += i < inside ? bit : 0u; high = bit ? i : high; low = bit && low == most ? i : low; } r = (T)(sub_group_ballot_bit_count(bits) != n || sub_group_ballot_inclusive_scan(bits) != up || sub_group_ballot_exclusive_scan(bits) != before || sub_group_ballot_find_lsb(bits) != low || sub_group_ballot_find_msb(bits) != high);",
    ),
    (
        "ballot_bit_count",
        "uint4 mask = sub_group_ballot(holds(key) << inside % 31u); uint n = 0; for (uint i = 0; i < count; i++) n += holds(keys[i]); r = (T)(sub_group_ballot_bit_count(mask) != n);",
    ),
    (
        "ballot_inclusive_scan",
        "uint4 mask = sub_group_ballot(holds(key)); uint n = 0; for (uint i = 0; i <= inside; i++) n += holds(keys[i]); r = (T)(sub_group_ballot_inclusive_scan(mask) != n);",
    ),
    (
        "ballot_exclusive_scan",
        "uint4 mask = sub_group_ballot(holds(key)); uint n = 0; for (uint i = 0; i < inside; i++) n += holds(keys[i]); r = (T)(sub_group_ballot_exclusive_scan(mask) != n);",
    ),
    (
        "inverse_ballot",
        "uint4 mask = sub_group_ballot(holds(key)); r = (T)((sub_group_inverse_ballot(mask) != 0) != holds(key));",
    ),
    (
        "ballot_bit_extract",
        "uint4 mask = sub_group_ballot(holds(key)); uint other = (inside + 1u) % count; r = (T)((sub_group_ballot_bit_extract(mask, other) != 0) != holds(keys[other]));",
    ),
    (
        "ballot_find_lsb",
        "uint4 mask = sub_group_ballot(holds(key)); uint found = sub_group_ballot_find_lsb(mask), n = found; for (uint i = count; i-- > 0;) if (holds(keys[i])) n = i; r = (T)(found != n);",
    ),
    (
        "ballot_find_msb",
        "uint4 mask = sub_group_ballot(holds(key)); uint found = sub_group_ballot_find_msb(mask), n = found; for (uint i = 0; i < count; i++) if (holds(keys[i])) n = i; r = (T)(found != n);",
    ),
    (
        "broadcast_first",
        "result = sub_group_broadcast_first(v); r = sub[0];",
    ),
    (
        "non_uniform_broadcast",
        "result = sub_group_non_uniform_broadcast(v, @a@u % count); r = sub[@a@u % count];",
    ),
    (
        "ballot of some",
        "if (holds(key)) { uint4 mask = sub_group_ballot(key > @by@u); uint n = 0; for (uint i = 0; i < count; i++) n += holds(keys[i]) && keys[i] > @by@u; r = (T)(sub_group_ballot_bit_count(mask) != n); }",
    ),
    (
        "broadcast_first of some",
        "if (holds(key)) { result = sub_group_broadcast_first(v); for (uint i = count; i-- > 0;) if (holds(keys[i])) r = sub[i]; }",
    ),
    (
        "non_uniform_broadcast of vectors",
        "T parts[16]; for (uint i = 0; i < @lanes@u; i++) parts[i] = i % 2u ? (T)i : v; @ty@@lanes@ all = sub_group_non_uniform_broadcast(vload@lanes@(0, parts), @a@u % count); vstore@lanes@(all, 0, parts); for (uint i = 0; i < @lanes@u; i++) if (parts[i] != (i % 2u ? (T)i : sub[@a@u % count])) r = (T)1;",
    ),
    (
        "get_sub_group_eq_mask",
        "r = (T)differs(get_sub_group_eq_mask(), inside, inside + 1u);",
    ),
    (
        "get_sub_group_ge_mask",
        "r = (T)differs(get_sub_group_ge_mask(), inside, get_max_sub_group_size());",
    ),
    (
        "get_sub_group_gt_mask",
        "r = (T)differs(get_sub_group_gt_mask(), inside + 1u, get_max_sub_group_size());",
    ),
    (
        "get_sub_group_le_mask",
        "r = (T)differs(get_sub_group_le_mask(), 0u, inside + 1u);",
    ),
    (
        "get_sub_group_lt_mask",
        "r = (T)differs(get_sub_group_lt_mask(), 0u, inside);",
    ),
];

// Those for whom the condition holds are there alone.
const VOTE: [(&str, &str); 4] = [
    (
        "elect",
        "if (holds(key)) { result = (T)(sub_group_elect() != 0); r = (T)1; for (uint i = 0; i < inside; i++) if (holds(keys[i])) r = (T)0; }",
    ),
    (
        "non_uniform_all",
        "if (holds(key)) { result = (T)(sub_group_non_uniform_all((key != @a@u) << inside % 31) != 0); r = (T)1; for (uint i = 0; i < count; i++) if (holds(keys[i]) && keys[i] == @a@u) r = (T)0; }",
    ),
    (
        "non_uniform_any",
        "if (holds(key)) { result = (T)(sub_group_non_uniform_any((key == @a@u) << inside % 31) != 0); for (uint i = 0; i < count; i++) if (holds(keys[i]) && keys[i] == @a@u) r = (T)1; }",
    ),
    (
        "non_uniform_all_equal",
        "if (holds(key)) { T x = key == @a@u ? v : (T)7; result = (T)(sub_group_non_uniform_all_equal(x) != 0); r = (T)1; for (uint i = 0; i < count; i++) if (holds(keys[i]) && (keys[i] == @a@u ? sub[i] : (T)7) != x) r = (T)0; }",
    ),
];

impl Function {
    /// Its name, after `sub_group_` mostly.
    fn name(self) -> String {
        match self {
            Function::Plain(name, _) => name.into(),
            Function::Folds(op, over) => format!("{}{}", over.name(), op.name()),
        }
    }

    /// The piece of a kernel that asks it, at times by its arguments `a` and `by`, which are these.
    fn text(self, choices: &mut Choices, ty: &str, given: [usize; 2]) -> String {
        let [mut a, mut by] = given;
        let known = choices.percent(50);
        if known {
            (a, by) = (choices.below(21), choices.between(0, 9));
        }
        let size = choices.one_of(&[1, 2, 4, 8]);
        let lanes = choices.one_of(&[2, 3, 4, 8, 16]);
        let numbers = |text: &str| match known {
            true => text
                .replace("@a@", &a.to_string())
                .replace("@by@", &by.to_string()),
            false => text
                .replace("@a@u", "a")
                .replace("@a@", "(int)a")
                .replace("@by@u", "by"),
        };
        match self {
            Function::Plain(_, text) => numbers(text)
                .replace("@size@", &size.to_string())
                .replace("@lanes@", &lanes.to_string())
                .replace("@ty@", ty),
            Function::Folds(op, over) => folds(op, over, a, size),
        }
    }
}

/// The piece of a kernel that makes one of the values of some.
fn folds(op: Op, over: Over, a: usize, size: usize) -> String {
    let name = format!("sub_group_{}{}", over.name(), op.name());
    let (ty, given, of, next) = op.texts(a);
    let (taken, cluster) = match over {
        Over::Cluster => (
            format!("{size}u <= get_max_sub_group_size()"),
            format!(", {size}u"),
        ),
        _ => ("holds(key)".into(), String::new()),
    };
    let among = match over {
        Over::Reduce => "holds(keys[i])".into(),
        Over::Inclusive => "holds(keys[i]) && i <= inside".into(),
        Over::Exclusive => "holds(keys[i]) && i < inside".into(),
        Over::Cluster => format!("i / {size}u == inside / {size}u"),
    };
    // Where none is before a work-item, an exclusive scan gives an identity.
    let none = op.identity().unwrap_or("got");
    let told = match ty {
        "T" => "result = got; r = all;",
        _ => "result = (T)(got != 0); r = (T)(all != 0);",
    };
    format!(
        "if ({taken}) {{ {ty} got = {name}({given}{cluster}), all = {none}; bool found = false; for (uint i = 0; i < count; i++) if ({among}) {{ {ty} x = {of}; all = found ? {next} : x; found = true; }} {told} }}"
    )
}

impl Over {
    fn name(self) -> &'static str {
        match self {
            Over::Reduce => "non_uniform_reduce_",
            Over::Inclusive => "non_uniform_scan_inclusive_",
            Over::Exclusive => "non_uniform_scan_exclusive_",
            Over::Cluster => "clustered_reduce_",
        }
    }
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Min => "min",
            Op::Max => "max",
            Op::Mul => "mul",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::LogicalAnd => "logical_and",
            Op::LogicalOr => "logical_or",
            Op::LogicalXor => "logical_xor",
        }
    }

    /// The type of what it is made of, a work-item's own value, that of work-item `i`, and what becomes of `all` and `x`.
    fn texts(self, a: usize) -> (&'static str, String, String, &'static str) {
        let values = |next| ("T", "v".to_owned(), "sub[i]".to_owned(), next);
        // What holds is any number but 0, and no bit need be common to all.
        let truths = |key: &dyn Fn(&str) -> String, next| {
            let given = format!("({}) << inside % 31u", key("key"));
            ("int", given, key("keys[i]"), next)
        };
        match self {
            Op::Add => values("(T)(all + x)"),
            Op::Min => values("min(all, x)"),
            Op::Max => values("max(all, x)"),
            Op::And => values("(T)(all & x)"),
            Op::Or => values("(T)(all | x)"),
            Op::Xor => values("(T)(all ^ x)"),
            // Odd numbers, of which no product is zero.
            Op::Mul => (
                "T",
                "(T)(v | (T)1)".into(),
                "(T)(sub[i] | (T)1)".into(),
                "(T)((ulong)all * x)",
            ),
            Op::LogicalAnd => truths(&|key| format!("{key} != {a}u"), "all && x"),
            Op::LogicalOr => truths(&|key| format!("{key} == {a}u"), "all || x"),
            Op::LogicalXor => truths(&|key| format!("{key} % 2u != 0"), "all != x"),
        }
    }

    /// What leaves each value as it is, where that is not the greatest or the least one of a type.
    fn identity(self) -> Option<&'static str> {
        match self {
            Op::Add | Op::Or | Op::Xor => Some("(T)0"),
            Op::Mul => Some("(T)1"),
            Op::And => Some("(T)~(T)0"),
            Op::LogicalAnd => Some("1"),
            Op::LogicalOr | Op::LogicalXor => Some("0"),
            Op::Min | Op::Max => None,
        }
    }
}
