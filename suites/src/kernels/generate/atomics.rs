//! Atomic functions: indivisible, on every type and region, at every order and scope.
//!
//! What a crowd of atomic operations leaves behind is known although their order is not: sums, extremes,
//! parities; the values that they return are then a permutation, or lead from one to the next.

use super::super::case::{
    Arg, Contents, KernelCase, Kind, Launch, ObjectId, Range, Step, Unit, Want,
};
use super::{Making, object, same};
use crate::commands::generate::Draw;
use crate::need::Need;
use crate::rule::{self, RuleId};

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Int,
    Uint,
    Long,
    Ulong,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Uint => "uint",
            Type::Long => "long",
            Type::Ulong => "ulong",
        }
    }

    fn signed(self) -> bool {
        matches!(self, Type::Int | Type::Long)
    }

    fn long(self) -> bool {
        matches!(self, Type::Long | Type::Ulong)
    }

    fn unit(self) -> Unit {
        if self.long() { Unit::Long } else { Unit::Word }
    }
}

/// Where the atomic object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    Global,
    Local,
    Svm(Kind),
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Add,
    Sub,
    Inc,
    Dec,
    Or,
    And,
    Xor,
    Min,
    Max,
    Exchange,
    Compare,
    Flag,
}

const DEEDS: [Deed; 12] = [
    Deed::Add,
    Deed::Sub,
    Deed::Inc,
    Deed::Dec,
    Deed::Or,
    Deed::And,
    Deed::Xor,
    Deed::Min,
    Deed::Max,
    Deed::Exchange,
    Deed::Compare,
    Deed::Flag,
];

const RMW: &[RuleId] = &[rule::MM_ATOMICITY, rule::MM_RMW_LAST];

/// How an operation is called.
#[derive(Debug, Clone, Copy)]
struct Form {
    legacy: bool,
    /// Nothing, an order, or an order and a scope.
    explicit: u8,
    order: &'static str,
    /// The order of a compare-exchange that fails.
    failure: &'static str,
    scope: &'static str,
}

fn form(draw: &mut Draw, case: &mut Making, region: Region, legacy: bool) -> Form {
    // The unnamed forms order sequentially and reach the device.
    let explicit = draw.below(3) as u8;
    let order = draw
        .pick(&[
            "relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst",
        ])
        .unwrap_or("relaxed");
    let failure = match order {
        "acquire" | "acq_rel" => "acquire",
        "seq_cst" => "seq_cst",
        _ => "relaxed",
    };
    let scope = match region {
        Region::Local => draw.pick(&["work_group", "device"]),
        Region::Global => draw.pick(&["device", "device", "all_svm_devices"]),
        Region::Svm(_) => draw.pick(&["device", "all_svm_devices"]),
    };
    let scope = scope.unwrap_or("device");
    if !legacy {
        case.need(&[Need::C11Atomics]);
        if explicit == 0 || order == "seq_cst" {
            case.need(&[Need::OrderSeqCst]);
        }
        if explicit > 0 && matches!(order, "acquire" | "release" | "acq_rel") {
            case.need(&[Need::OrderAcqRel]);
        }
        if explicit < 2 || scope == "device" {
            case.need(&[Need::ScopeDevice]);
        }
        if explicit == 2 && scope == "all_svm_devices" {
            case.need(&[Need::ScopeAllDevices]);
        }
    }
    Form {
        legacy,
        explicit,
        order,
        failure,
        scope,
    }
}

impl Form {
    fn call(&self, name: &str, args: &str) -> String {
        match self.explicit {
            0 => format!("atomic_{name}({args})"),
            1 => format!(
                "atomic_{name}_explicit({args}, memory_order_{})",
                self.order
            ),
            _ => format!(
                "atomic_{name}_explicit({args}, memory_order_{}, memory_scope_{})",
                self.order, self.scope
            ),
        }
    }

    fn compare(&self, weak: bool, args: &str) -> String {
        let name = if weak { "weak" } else { "strong" };
        let call = format!("atomic_compare_exchange_{name}");
        let orders = format!("memory_order_{}, memory_order_{}", self.order, self.failure);
        match self.explicit {
            0 => format!("{call}({args})"),
            1 => format!("{call}_explicit({args}, {orders})"),
            _ => format!(
                "{call}_explicit({args}, {orders}, memory_scope_{})",
                self.scope
            ),
        }
    }
}

/// A number above those of all items, for values that count down.
const ABOVE: u64 = 24_000;

/// How far apart the values of items are. Values that differ in their upper halves alone are different,
/// and with a stride of one less than that the lower half falls as the whole rises.
fn strides(deed: Deed, ty: Type) -> &'static [u64] {
    match deed {
        Deed::Inc | Deed::Dec | Deed::Or | Deed::And | Deed::Xor | Deed::Flag => &[1],
        Deed::Add | Deed::Sub | Deed::Min | Deed::Max | Deed::Exchange | Deed::Compare => {
            if ty.long() {
                &[1, 1 << 16, 1 << 32, (1 << 32) - 1]
            } else {
                &[1, 1 << 16, (1 << 16) - 1]
            }
        }
    }
}

impl Type {
    /// Bits that operations on bits use: all but the sign.
    fn bits(self) -> u64 {
        if self.long() { 63 } else { 31 }
    }
}

/// An operation of item `i`, whose result is the value before.
fn operation(deed: Deed, stride: u64, form: &Form, ty: Type) -> String {
    let t = ty.name();
    let bit = format!("({t})1 << (i % {})", ty.bits());
    let times = |value: &str| format!("({value}) * ({t}){stride}");
    // Extensions name the 64-bit forms `atom_`.
    let prefix = if ty.long() { "atom" } else { "atomic" };
    let old = |name: &str, value: &str| format!("{prefix}_{name}(p, ({t})({value}))");
    let new = |name: &str, value: &str| form.call(name, &format!("p, ({t})({value})"));
    let pick = |legacy: &str, c11: &str, value: &str| {
        if form.legacy {
            old(legacy, value)
        } else {
            new(c11, value)
        }
    };
    match deed {
        Deed::Add => pick("add", "fetch_add", &times("3")),
        Deed::Sub => pick("sub", "fetch_sub", &times("3")),
        Deed::Inc if form.legacy => format!("{prefix}_inc(p)"),
        Deed::Inc => new("fetch_add", "1"),
        Deed::Dec if form.legacy => format!("{prefix}_dec(p)"),
        Deed::Dec => new("fetch_sub", "1"),
        Deed::Or => pick("or", "fetch_or", &bit),
        Deed::And => pick("and", "fetch_and", &format!("~({bit})")),
        Deed::Xor => pick("xor", "fetch_xor", &bit),
        // Below zero where the type goes there.
        Deed::Min if ty.signed() => pick("min", "fetch_min", &times("2 - i")),
        Deed::Min => pick("min", "fetch_min", &times(&format!("{ABOVE} - i"))),
        Deed::Max if ty.signed() => pick("max", "fetch_max", &times(&format!("i - {ABOVE}"))),
        Deed::Max => pick("max", "fetch_max", &times("i + 5")),
        Deed::Exchange => pick("xchg", "exchange", &times("i + 1")),
        Deed::Compare | Deed::Flag => String::new(),
    }
}

/// What the crowds of a case have in common: a device that lacks it skips the case.
#[derive(Debug, Clone, Copy)]
struct Common {
    /// Some types have 64 bits.
    wide: bool,
    /// Objects are in shared virtual memory.
    svm: bool,
    /// Functions of OpenCL 1.x.
    legacy: bool,
}

/// Crowds of read-modify-writes, each on an object of its own. There are many kinds, so a case has
/// several.
pub fn crowd(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("many work-items:");
    let common = Common {
        wide: draw.percent(50),
        svm: draw.percent(30),
        legacy: draw.percent(30),
    };
    for n in 0..draw.between(3, 9) {
        one_crowd(draw, &mut case, common, n);
    }
    case.case
}

/// One of them, by its number in the case.
fn one_crowd(draw: &mut Draw, case: &mut Making, common: Common, number: usize) {
    let deed = draw.pick(&DEEDS).unwrap_or(Deed::Add);
    let types: &[Type] = if common.wide {
        &[Type::Int, Type::Uint, Type::Long, Type::Long, Type::Ulong]
    } else {
        &[Type::Int, Type::Uint]
    };
    let ty = draw.pick(types).unwrap_or(Type::Uint);
    let ty = if deed == Deed::Flag { Type::Int } else { ty };
    let regions: &[Region] = if common.svm {
        &[
            Region::Svm(Kind::SvmCoarse),
            Region::Svm(Kind::SvmFine),
            Region::Svm(Kind::SvmAtomics),
        ]
    } else {
        &[Region::Global, Region::Local]
    };
    let region = draw.pick(regions).unwrap_or(Region::Global);
    let separator = if number == 0 { "" } else { "," };
    case.case.about += &format!("{separator} {deed:?} of {} ({region:?})", ty.name());
    let mut form = form(draw, case, region, common.legacy);
    // Flags exist in the newer form only.
    if deed == Deed::Flag && form.legacy {
        form = Form {
            legacy: false,
            explicit: 0,
            ..form
        };
    }
    if deed == Deed::Flag {
        let orders = [Need::OrderSeqCst, Need::OrderAcqRel];
        case.need(&[Need::C11Atomics, Need::ScopeDevice]);
        case.need(&orders);
    }
    if ty.long() {
        case.need(&[Need::Int64Atomics]);
    }
    match region {
        Region::Global | Region::Local | Region::Svm(Kind::Host | Kind::Buffer) => {}
        Region::Svm(Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. }) => {}
        Region::Svm(Kind::SvmCoarse) => case.need(&[Need::SvmCoarse]),
        Region::Svm(Kind::SvmFine) => case.need(&[Need::SvmFine]),
        Region::Svm(Kind::SvmAtomics) => case.need(&[Need::SvmFine, Need::SvmAtomics]),
    }
    let local = draw.pick(&[1u32, 4, 16, 64]).unwrap_or(16);
    let groups = draw.between(1, 8) as u32;
    // The longer a crowd lasts, the more of it is there at once.
    let passes = draw.pick(&[1u32, 3, 8, 8, 40]).unwrap_or(3);
    // On local memory each group has an object of its own.
    let inside = region == Region::Local;
    let items = u64::from(local * groups);
    let crowd = u64::from(local * passes) * if inside { 1 } else { u64::from(groups) };
    let objects = match (inside, deed) {
        (true, _) => groups as usize,
        (false, Deed::Flag) => 2,
        (false, _) => 1,
    };
    // No sum of them leaves the type.
    let most = (1u64 << ty.bits()) / (3 * crowd + ABOVE);
    let fitting = strides(deed, ty).iter().copied().filter(|s| *s <= most);
    let stride = draw.pick(&fitting.collect::<Vec<_>>()).unwrap_or(1);
    let ones = (1u64 << ty.bits()) - 1;
    let initial: u64 = match deed {
        Deed::Sub => 3 * crowd * stride + 4,
        Deed::Dec => crowd + 4,
        Deed::And => ones,
        Deed::Min => (ABOVE + 1000) * stride,
        Deed::Max if ty.signed() => ((ABOVE + 1000) * stride).wrapping_neg(),
        Deed::Add
        | Deed::Inc
        | Deed::Or
        | Deed::Xor
        | Deed::Max
        | Deed::Exchange
        | Deed::Compare
        | Deed::Flag => 0,
    };
    let text = source(draw, (deed, stride), &form, ty, inside, initial);
    // Each has kernels of its own.
    let named = |name: &str| format!("{name}{number}");
    case.case.source += &text
        .replace(
            "kernel void crowd(",
            &format!("kernel void {}(", named("crowd")),
        )
        .replace(
            "kernel void gather(",
            &format!("kernel void {}(", named("gather")),
        );
    let size = ty.unit().bytes();
    let kind = match region {
        Region::Svm(kind) => kind,
        Region::Global | Region::Local => Kind::Buffer,
    };
    let first = |n: usize, value: u64| match ty.unit() {
        Unit::Long => Contents::Longs(vec![value; n]),
        Unit::Byte | Unit::Word => Contents::Words(vec![value as u32; n]),
    };
    let left = case.object(kind, size * objects, first(objects, initial));
    let results = items as usize * passes as usize;
    let out = case.buffer(size * results);
    let firsts = case.buffer(4 * ty.bits() as usize);
    case.step(Step::Launch(Launch {
        kernel: named("crowd"),
        args: vec![object(left), object(out), object(firsts), Arg::Uint(passes)],
        range: Range::line(items, u64::from(local)),
        times: 1,
        ..Launch::default()
    }));
    let mask = (1u64 << crowd.min(ty.bits())) - 1;
    let mut parity = 0u64;
    for i in 0..crowd {
        parity ^= 1 << (i % ty.bits());
    }
    let last = match deed {
        Deed::Add => Some(3 * crowd * stride),
        Deed::Sub | Deed::Dec => Some(4),
        Deed::Inc => Some(crowd),
        Deed::Compare => Some(crowd * stride),
        Deed::Or => Some(mask),
        Deed::And => Some(ones & !mask),
        Deed::Xor => Some(parity),
        Deed::Min if ty.signed() => Some(2u64.wrapping_sub(crowd - 1).wrapping_mul(stride)),
        Deed::Min => Some((ABOVE - (crowd - 1)) * stride),
        Deed::Max if ty.signed() => Some((crowd - 1).wrapping_sub(ABOVE).wrapping_mul(stride)),
        Deed::Max => Some((crowd - 1 + 5) * stride),
        // The last is anyone's; together with what came before it is a permutation.
        Deed::Exchange => None,
        // What the holders counted is looked at below.
        Deed::Flag => None,
    };
    if let Some(last) = last {
        let want = Want::Same {
            unit: ty.unit(),
            contents: first(objects, last),
            racy: true,
        };
        case.look(left, &rules(&form, region), "what is left", want);
    }
    let rules = &rules(&form, region);
    let returned = match deed {
        Deed::Add => Some((0, 3 * stride)),
        Deed::Inc => Some((0, 1)),
        Deed::Compare => Some((0, stride)),
        Deed::Sub => Some((4 + 3 * stride, 3 * stride)),
        Deed::Dec => Some((5, 1)),
        Deed::Exchange => Some((0, stride)),
        Deed::Or | Deed::And | Deed::Xor | Deed::Min | Deed::Max | Deed::Flag => None,
    };
    if matches!(deed, Deed::Or | Deed::And) {
        // A change that is lost is made again by another, who then finds it not made.
        let bits = crowd.min(ty.bits()) as usize;
        let each = if inside { groups } else { 1 };
        let want = Want::Same {
            unit: Unit::Word,
            contents: Contents::Words(vec![each; bits]),
            racy: true,
        };
        case.look(firsts, rules, "who changed each bit first", want);
    } else if deed == Deed::Exchange {
        let gather = named("gather");
        exchanges(
            case,
            &gather,
            [left, out],
            (ty, stride),
            [results, objects],
            rules,
        );
    } else if let (Some((first, step)), false) = (returned, inside) {
        let want = Want::Permutation {
            unit: ty.unit(),
            count: crowd,
            first,
            step,
        };
        case.look(out, rules, "the values before", want);
    }
    if deed == Deed::Flag {
        let want = same(Unit::Word, Contents::Zero);
        case.look(out, &[rule::MM_ATOMICITY], "holders beside another", want);
    }
}

/// The rules of a crowd: where a scope is wider than its memory reaches, also that it is narrowed.
fn rules(form: &Form, region: Region) -> Vec<RuleId> {
    let wide = !form.legacy && form.explicit == 2 && form.scope == "all_svm_devices";
    let mut rules = RMW.to_vec();
    match region {
        Region::Global | Region::Svm(Kind::SvmCoarse | Kind::SvmFine) if wide => {
            rules.push(rule::SV_SCOPE_DOWN);
        }
        Region::Global | Region::Local | Region::Svm(_) => {}
    }
    rules
}

/// What exchanges returned, and what stayed, is each value once.
fn exchanges(
    case: &mut Making,
    gather: &str,
    objects: [ObjectId; 2],
    (ty, stride): (Type, u64),
    counts: [usize; 2],
    rules: &[RuleId],
) {
    let [left, out] = objects;
    let count = counts[0] + counts[1];
    let all = case.buffer(ty.unit().bytes() * count);
    let mut args = vec![object(left), object(out), object(all)];
    args.extend(counts.map(|n| Arg::Uint(n as u32)));
    case.step(Step::Launch(Launch {
        kernel: gather.into(),
        args,
        range: Range::line(1, 1),
        times: 1,
        ..Launch::default()
    }));
    let want = Want::Permutation {
        unit: ty.unit(),
        count: count as u64,
        first: 0,
        step: stride,
    };
    case.look(all, rules, "the exchanged values", want);
}

/// The kernel of a crowd.
fn source(
    draw: &mut Draw,
    (deed, stride): (Deed, u64),
    form: &Form,
    ty: Type,
    inside: bool,
    initial: u64,
) -> String {
    let t = ty.name();
    let initial = if ty.signed() {
        format!("({})", initial as i64)
    } else {
        format!("{initial}u")
    };
    let atomic = match (form.legacy, deed) {
        (_, Deed::Flag) => "atomic_flag".to_string(),
        (true, _) => format!("volatile {t}"),
        (false, _) => format!("volatile atomic_{t}"),
    };
    // Whoever guesses is mostly told the value by a comparison that fails.
    let guessed = draw.percent(50);
    let deeds = match deed {
        Deed::Compare if form.legacy => {
            let name = if ty.long() { "atom" } else { "atomic" };
            let first = if guessed {
                "0".to_string()
            } else {
                format!("{name}_add(p, ({t})0)")
            };
            format!(
                "\
            {t} old = {first}, seen;
            while ((seen = {name}_cmpxchg(p, old, old + ({t}){stride})) != old) old = seen;
            before = old;
"
            )
        }
        Deed::Compare => {
            let weak = draw.percent(50);
            let call = form.compare(weak, &format!("p, &old, old + ({t}){stride}"));
            let load = "atomic_load_explicit(p, memory_order_relaxed)";
            let load = if form.explicit == 0 {
                "atomic_load(p)"
            } else {
                load
            };
            let load = if form.explicit == 2 {
                format!(
                    "atomic_load_explicit(p, memory_order_relaxed, memory_scope_{})",
                    form.scope
                )
            } else {
                load.to_string()
            };
            let first = if guessed { "0".to_string() } else { load };
            format!(
                "\
            {t} old = {first};
            while (!{call}) {{ }}
            before = old;
"
            )
        }
        Deed::Flag => {
            let take = match form.explicit {
                0 => "atomic_flag_test_and_set(p)".to_string(),
                1 => "atomic_flag_test_and_set_explicit(p, memory_order_acquire)".into(),
                _ => format!(
                    "atomic_flag_test_and_set_explicit(p, memory_order_acquire, memory_scope_{})",
                    form.scope
                ),
            };
            let give = match form.explicit {
                0 => "atomic_flag_clear(p)".to_string(),
                1 => "atomic_flag_clear_explicit(p, memory_order_release)".into(),
                _ => format!(
                    "atomic_flag_clear_explicit(p, memory_order_release, memory_scope_{})",
                    form.scope
                ),
            };
            let owner = if inside { "&held" } else { "owners" };
            format!(
                "\
            before = 0;
            for (uint tries = 0; tries < 1000; tries++) {{
                if ({take}) continue;
                if (atomic_inc({owner}) != 0) before = 1;
                atomic_dec({owner});
                {give};
                break;
            }}
"
            )
        }
        Deed::Add
        | Deed::Sub
        | Deed::Inc
        | Deed::Dec
        | Deed::Or
        | Deed::And
        | Deed::Xor
        | Deed::Min
        | Deed::Max
        | Deed::Exchange => format!(
            "            before = {};\n",
            operation(deed, stride, form, ty)
        ),
    };
    let item = if inside {
        "get_local_id(0)"
    } else {
        "get_global_id(0)"
    };
    // The values that groups exchange in their own cells follow each other.
    let base = if inside && deed == Deed::Exchange {
        "get_group_id(0) * (get_local_size(0) * passes + 1)"
    } else {
        "0"
    };
    let all = if inside {
        "get_local_size(0)"
    } else {
        "get_global_size(0)"
    };
    let mut text = String::new();
    if ty.long() {
        text += "\
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
";
    }
    if deed == Deed::Flag {
        return text + &flag(&deeds, inside);
    }
    let (declare, begin, end) = if inside {
        let (init, load) = if form.legacy {
            (
                format!("cell = ({t}){initial} + ({t})base * ({t}){stride};"),
                "cell".to_string(),
            )
        } else {
            (
                format!("atomic_init(&cell, ({t}){initial} + ({t})base * ({t}){stride});"),
                format!(
                    "atomic_fetch_add_explicit(&cell, ({t})0, memory_order_relaxed, \
                     memory_scope_work_group)"
                ),
            )
        };
        (
            format!("    local {atomic} cell;\n    local {atomic} *p = &cell;\n"),
            format!("    if (get_local_id(0) == 0) {init}\n    barrier(CLK_LOCAL_MEM_FENCE);\n"),
            format!(
                "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (get_local_id(0) == 0) left[get_group_id(0)] = {load};\n"
            ),
        )
    } else {
        (
            format!("    global {atomic} *p = (global {atomic} *)left;\n"),
            String::new(),
            String::new(),
        )
    };
    let bits = ty.bits();
    let first = match deed {
        Deed::Or => {
            format!("        if (!(before >> (i % {bits}) & 1)) atomic_inc(&firsts[i % {bits}]);\n")
        }
        Deed::And => {
            format!("        if (before >> (i % {bits}) & 1) atomic_inc(&firsts[i % {bits}]);\n")
        }
        Deed::Add
        | Deed::Sub
        | Deed::Inc
        | Deed::Dec
        | Deed::Xor
        | Deed::Min
        | Deed::Max
        | Deed::Exchange
        | Deed::Compare
        | Deed::Flag => String::new(),
    };
    text += &format!(
        "\
kernel void crowd(global {t} *left, global {t} *out, volatile global uint *firsts, uint passes) {{
    const uint base = {base};
{declare}{begin}    for (uint pass = 0; pass < passes; pass++) {{
        {t} i = ({t})({item} + pass * {all} + base), before;
        {{
{deeds}        }}
        out[get_global_id(0) + pass * get_global_size(0)] = before;
{first}    }}
{end}}}
"
    );
    if deed == Deed::Exchange {
        text += &format!(
            "\
kernel void gather(global {t} *left, global {t} *out, global {t} *all, uint returned, uint cells) {{
    for (uint i = 0; i < returned; i++) all[i] = out[i];
    for (uint i = 0; i < cells; i++) all[returned + i] = left[i];
}}
"
        );
    }
    text
}

/// The kernel of a crowd around a flag; behind the flag lies the count of its holders.
fn flag(deeds: &str, inside: bool) -> String {
    let begin = if inside {
        "\
    local atomic_flag cell;
    local atomic_flag *p = &cell;
    local int held;
    if (get_local_id(0) == 0) { atomic_flag_clear(&cell); held = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
"
    } else {
        "\
    volatile global atomic_flag *p = (volatile global atomic_flag *)left;
    volatile global int *owners = left + 1;
"
    };
    format!(
        "\
kernel void crowd(global int *left, global int *out, volatile global uint *firsts, uint passes) {{
{begin}    for (uint pass = 0; pass < passes; pass++) {{
        int before;
        {{
{deeds}        }}
        out[get_global_id(0) + pass * get_global_size(0)] = before;
    }}
}}
"
    )
}

/// Stores of values whose parts agree, and loads that must find such values.
pub fn store(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("atomic stores and loads are of whole values");
    let ty = draw
        .pick(&[Type::Uint, Type::Ulong, Type::Ulong])
        .unwrap_or(Type::Uint);
    let explicit = draw.percent(60);
    case.need(&[Need::C11Atomics, Need::ScopeDevice]);
    if !explicit {
        case.need(&[Need::OrderSeqCst]);
    }
    if ty.long() {
        case.need(&[Need::Int64Atomics]);
    }
    let (t, half) = if ty.long() {
        ("ulong", 32)
    } else {
        ("uint", 16)
    };
    let (store, load) = if explicit {
        (
            "atomic_store_explicit(p, v, memory_order_relaxed, memory_scope_device)",
            "atomic_load_explicit(p, memory_order_relaxed, memory_scope_device)",
        )
    } else {
        ("atomic_store(p, v)", "atomic_load(p)")
    };
    case.case.source = format!(
        "\
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
kernel void halves(volatile global atomic_{t} *p, global uint *torn, uint passes) {{
    uint item = get_global_id(0), bad = 0;
    for (uint pass = 0; pass < passes; pass++) {{
        {t} one = ({t})(item * 131u + pass & 0x7fffu) + 1;
        {t} v = one << {half} | one;
        {store};
        {t} seen = {load};
        bad += (seen >> {half}) != (seen & ((({t})1 << {half}) - 1));
    }}
    torn[item] = bad;
}}
"
    );
    let local = draw.pick(&[1u64, 2, 16]).unwrap_or(2);
    let items = local * draw.between(2, 8) as u64;
    let cell = case.buffer(ty.unit().bytes());
    let torn = case.buffer(4 * items as usize);
    case.step(Step::Launch(Launch {
        kernel: "halves".into(),
        args: vec![
            object(cell),
            object(torn),
            Arg::Uint(draw.pick(&[20, 300]).unwrap_or(20)),
        ],
        range: Range::line(items, local),
        times: 1,
        ..Launch::default()
    }));
    let want = Want::Same {
        unit: Unit::Word,
        contents: Contents::Zero,
        racy: true,
    };
    case.look(torn, &[rule::MM_ATOMICITY], "values in two parts", want);
    case.case
}

/// Objects that atomic_init gives their first values, over memory that has others.
pub fn init(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("atomic_init gives an atomic object its value");
    case.need(&[Need::C11Atomics]);
    let local = draw.percent(50);
    case.case.source = if local {
        "\
kernel void begin(global uint *to, uint value) {
    local atomic_uint here[16];
    uint item = get_local_id(0);
    if (item == 0)
        for (uint n = 0; n < 16; n++) ((local uint *)here)[n] = 7u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_init(&here[item], value + (uint)get_global_id(0));
    to[get_global_id(0)] =
        atomic_load_explicit(&here[item], memory_order_relaxed, memory_scope_work_group);
}
"
    } else {
        "\
kernel void begin(global uint *to, uint value) {
    size_t item = get_global_id(0);
    atomic_init((global atomic_uint *)&to[item], value + (uint)item);
}
"
    }
    .into();
    let group = draw.pick(&[1u64, 4, 16]).unwrap_or(4);
    let items = group * draw.between(1, 6) as u64;
    let value = draw.between(1, 1 << 30) as u32;
    let bytes = 4 * items as usize;
    let to = case.object(Kind::Buffer, bytes, Contents::Every(3));
    case.step(Step::Launch(Launch {
        kernel: "begin".into(),
        args: vec![object(to), Arg::Uint(value)],
        range: Range::line(items, group),
        times: 1,
        ..Launch::default()
    }));
    let want = same(Unit::Word, Contents::Count(value));
    case.look(to, &[rule::MM_INIT], "values of atomic_init", want);
    case.case
}
