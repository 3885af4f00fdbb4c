//! What a crowd of atomic operations leaves behind is known although their order is not: sums, extremes,
//! parities; the values that they return are then a permutation, or lead from one to the next.

use super::form::Operation::{self, *};
use super::form::{ABOVE, Form, Forms, Function, Region, Type, form};
use super::source::source;
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

const RMW: &[RuleId] = &[rule::MM_ATOMICITY, rule::MM_RMW_LAST];

/// How far apart the values of items are. Values that differ in their upper halves alone are different,
/// and with a stride of one less than that the lower half falls as the whole rises.
fn strides(operation: Operation, ty: Type) -> &'static [u64] {
    match operation {
        Inc | Dec | Or | And | Xor | Flag => &[1],
        Add | Sub | Min | Max | Exchange | Compare => {
            if ty.long() {
                &[1, 1 << 16, 1 << 32, (1 << 32) - 1]
            } else {
                &[1, 1 << 16, (1 << 16) - 1]
            }
        }
    }
}

/// What the crowds of a case have in common: a device that lacks it skips the case.
#[derive(Debug, Clone, Copy)]
struct Common {
    /// Some types have 64 bits.
    wide: bool,
    /// Some numbers are no integers.
    real: bool,
    /// Objects are in shared virtual memory.
    svm: bool,
    forms: Forms,
}

/// Crowds of read-modify-writes, each on an object of its own. There are many kinds, so a case has
/// several.
pub fn crowd(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("many work-items:");
    let real = choices.percent(25);
    let common = Common {
        wide: choices.percent(50),
        real,
        svm: choices.percent(30),
        // Functions of floats are among those with `memory_order`.
        forms: Forms::drawn(choices, if real { 0 } else { 30 }),
    };
    for n in 0..choices.between(3, 9) {
        one_crowd(choices, &mut case, common, n);
    }
    case.case
}

/// One of them, by its number in the case.
fn one_crowd(choices: &mut Choices, case: &mut CaseBuilder, common: Common, number: usize) {
    let operation = choices.one_of(&Operation::ALL);
    let types: &[Type] = match (common.real, common.wide) {
        (false, false) => &[Type::Int, Type::Uint],
        (false, true) => &[Type::Int, Type::Uint, Type::Long, Type::Long, Type::Ulong],
        (true, false) => &[Type::Int, Type::Float, Type::Float],
        (true, true) => &[Type::Long, Type::Float, Type::Double, Type::Double],
    };
    let ty = choices.pick(types).unwrap_or(Type::Uint);
    let ty = match operation {
        Flag => Type::Int,
        Or | And | Xor if ty.real() => Type::Int,
        _ => ty,
    };
    let regions: &[Region] = if common.svm {
        &[
            Region::Svm(Kind::SvmCoarse),
            Region::Svm(Kind::SvmFine),
            Region::Svm(Kind::SvmAtomics),
        ]
    } else {
        &[Region::Global, Region::Local]
    };
    let region = choices.pick(regions).unwrap_or(Region::Global);
    let separator = if number == 0 { "" } else { "," };
    case.case.about += &format!("{separator} {operation:?} of {} ({region:?})", ty.name());
    let mut form = form(choices, case, region, common.forms);
    // Flags exist in the newer form only.
    if operation == Flag && form.legacy {
        form = Form {
            legacy: false,
            explicit: 0,
            ..form
        };
    }
    needs(case, (operation, ty), region);
    let local = choices.one_of(&[1u32, 4, 16, 64]);
    let groups = choices.between(1, 8) as u32;
    // The longer a crowd lasts, the more of it is there at once.
    let passes = choices.one_of(&[1u32, 3, 8, 8, 40]);
    // On local memory each group has an object of its own.
    let inside = region == Region::Local;
    let items = u64::from(local * groups);
    let crowd = u64::from(local * passes) * if inside { 1 } else { u64::from(groups) };
    let objects = match (inside, operation) {
        (true, _) => groups as usize,
        (false, Flag) => 2,
        (false, _) => 1,
    };
    // No sum of them leaves the type, and those of numbers that are no integers are exact in any order.
    let most = (1u64 << ty.bits()) / (3 * crowd + ABOVE);
    let fitting = strides(operation, ty)
        .iter()
        .copied()
        .filter(|s| *s <= most);
    let stride = choices.pick(&fitting.collect::<Vec<_>>()).unwrap_or(1);
    let initial = initial(operation, ty, crowd, stride);
    let text = source(choices, (operation, stride), &form, ty, inside, initial);
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
    let first = |n: usize, value: u64| Contents::numbers(ty.unit(), vec![ty.held(value); n]);
    let left = case.object(kind, size * objects, first(objects, initial));
    let results = items as usize * passes as usize;
    let out = case.buffer(size * results);
    let firsts = case.buffer(4 * ty.bits() as usize);
    let range = Range::line(items, u64::from(local));
    case.launch(named("crowd"), args![left, out, firsts, passes], range);
    if let Some(last) = last(operation, ty, crowd, stride) {
        let want = Want::same(ty.unit(), first(objects, last)).racy();
        case.look(left, &rules(&form, region), "what is left", want);
    }
    let rules = &rules(&form, region);
    if matches!(operation, Or | And) {
        // A change that is lost is made again by another, who then finds it not made.
        let bits = crowd.min(ty.bits()) as usize;
        let each = if inside { groups } else { 1 };
        let want = Want::words(vec![each; bits]).racy();
        case.look(firsts, rules, "who changed each bit first", want);
    } else if operation == Exchange {
        // What exchanges returned, and what stayed, is each value once.
        let count = results + objects;
        let all = case.buffer(size * count);
        let args = args![left, out, all, results as u32, objects as u32];
        case.launch(named("gather"), args, Range::line(1, 1));
        let want = Want::permutation(ty.unit(), count as u64, 0, stride);
        case.look(all, rules, "the exchanged values", want);
    } else if let (Some((first, step)), false) = (returned(operation, stride), inside) {
        let want = Want::permutation(ty.unit(), crowd, first, step);
        case.look(out, rules, "the values before", want);
    }
    if operation == Flag {
        let want = Want::zeros();
        case.look(out, &[rule::MM_ATOMICITY], "holders beside another", want);
    }
}

/// What a device must offer for it.
fn needs(case: &mut CaseBuilder, (operation, ty): (Operation, Type), region: Region) {
    if operation == Flag {
        case.need(&[Need::C11Atomics, Need::ScopeDevice]);
        case.need(&[Need::OrderSeqCst, Need::OrderAcqRel]);
    }
    case.need(ty.needs());
    let function = match operation {
        Add | Sub | Inc | Dec => Function::Sum,
        Min | Max => Function::Extreme,
        Or | And | Xor | Exchange | Compare | Flag => Function::Any,
    };
    case.need(ty.needs_for(function, region).as_slice());
    if let Region::Svm(kind) = region {
        case.need_memory(kind);
    }
}

/// The object's first value. No sum leaves the type from there.
fn initial(operation: Operation, ty: Type, crowd: u64, stride: u64) -> u64 {
    match operation {
        Sub => 3 * crowd * stride + 4,
        Dec => crowd + 4,
        And => (1u64 << ty.bits()) - 1,
        Min => (ABOVE + 1000) * stride,
        Max if ty.signed() => ((ABOVE + 1000) * stride).wrapping_neg(),
        Add | Inc | Or | Xor | Max | Exchange | Compare | Flag => 0,
    }
}

/// What is left in the object when all have changed it, where that is known.
fn last(operation: Operation, ty: Type, crowd: u64, stride: u64) -> Option<u64> {
    let ones = (1u64 << ty.bits()) - 1;
    let mask = (1u64 << crowd.min(ty.bits())) - 1;
    let parity = (0..crowd).fold(0, |parity, i| parity ^ 1 << (i % ty.bits()));
    match operation {
        Add => Some(3 * crowd * stride),
        Sub | Dec => Some(4),
        Inc => Some(crowd),
        Compare => Some(crowd * stride),
        Or => Some(mask),
        And => Some(ones & !mask),
        Xor => Some(parity),
        Min if ty.signed() => Some(2u64.wrapping_sub(crowd - 1).wrapping_mul(stride)),
        Min => Some((ABOVE - (crowd - 1)) * stride),
        Max if ty.signed() => Some((crowd - 1).wrapping_sub(ABOVE).wrapping_mul(stride)),
        Max => Some((crowd - 1 + 5) * stride),
        // The last is anyone's; together with what came before it is a permutation.
        Exchange => None,
        // What the holders counted is looked at below.
        Flag => None,
    }
}

/// The first and the step of the values before, which are a permutation.
fn returned(operation: Operation, stride: u64) -> Option<(u64, u64)> {
    match operation {
        Add => Some((0, 3 * stride)),
        Inc => Some((0, 1)),
        Compare => Some((0, stride)),
        Sub => Some((4 + 3 * stride, 3 * stride)),
        Dec => Some((5, 1)),
        Exchange => Some((0, stride)),
        Or | And | Xor | Min | Max | Flag => None,
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
