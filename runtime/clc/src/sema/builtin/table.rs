//! The names of built-in functions.

use super::added::added;
use super::bits::BitFunction;
use super::collective::{Together, collective, has_collective};
use super::convert::{Conversion, conversion};
use super::dot::DotFunction;
use super::enqueue::{EnqueueFunction, enqueue};
use super::image::{ImageFunction, image};
use super::pipe::{PipeFunction, pipe};
use super::present::PresentFunction;
use super::shuffle::ShuffleFunction;
use crate::device::{Language, Version};
use crate::hir::{Builtin, Vectors};
use crate::types::Scalar;
use touchstone_ir::intrinsic::Signature;
use touchstone_ir::{
    AddressSpace, BarrierKind, Cmp, Intrinsic, MemScope, Order, Query, RmwOp, Rounding,
};

/// What a built-in function is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Query(Query, Scalar),
    Numeric(Numeric),
    Convert(Conversion),
    Memory(Memory),
    /// An OpenCL 1.x atomic function.
    Legacy(Legacy),
    /// A C11 atomic function.
    Atomic(Atomic),
    Sync(Sync),
    Image(ImageFunction),
    Pipe(PipeFunction),
    Enqueue(EnqueueFunction),
    /// A collective function of a work-group or a sub-group.
    Collective(BarrierKind, Together),
    /// A shuffle or a rotation of a sub-group.
    SubGroupShuffle(ShuffleFunction),
    /// A function of those of a sub-group that are present.
    Present(PresentFunction),
    /// An extended bit operation.
    Bits(BitFunction),
    /// A dot product of integers.
    IntegerDot(DotFunction),
    Constant(u64, Scalar),
    /// `to_global` and its like.
    ToSpace(AddressSpace),
    /// `get_fence`
    GetFence,
    /// `async_work_group_copy`, `async_work_group_strided_copy`
    AsyncCopy {
        strided: bool,
    },
    WaitGroupEvents,
    Printf,
    Trap,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numeric {
    /// One whose arguments and result have one type, or almost: what it takes, what it gives, and
    /// what it does to signed integers, to unsigned ones and to floats.
    Plain(Takes, Gives, [Builtin; 3]),
    Abs,
    AnyAll(Intrinsic),
    Upsample,
    Select,
    Shuffle,
    Shuffle2,
}

/// The arguments of a function of numbers: how many, and what they are brought to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// Floats of one type.
    Floats(usize),
    /// `float` only: `native_…`, `half_…`.
    Singles(usize),
    /// Floats of one to four elements.
    Geometric(usize),
    /// Two vectors of three or four floats.
    Cross,
    /// A float and an `int`.
    FloatInt,
    /// Floats, and a pointer for the second result: to ints, or to floats like them.
    FloatsOut { floats: usize, int: bool },
    /// Integers of one type.
    Ints(usize),
    /// 32-bit integers only.
    Ints32(usize),
    /// Integers or floats.
    Numbers(usize),
    /// Any arithmetic type.
    Any(usize),
}

/// The result of a function of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// The type of the arguments.
    Same,
    /// An element of it.
    Element,
    /// `int`, in the shape of the arguments.
    Int,
    /// The unsigned integers of the arguments' size.
    Unsigned,
    /// The floats of the arguments' size.
    Float,
    /// A truth about each element.
    Truth,
}

/// A function that loads or stores vectors, or scalars.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memory {
    Load(Vectors),
    /// The rounding is that of halves.
    Store(Vectors, Rounding),
    Prefetch,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Legacy {
    pub(super) op: LegacyOp,
    /// `atom_…`, which also takes 64-bit integers.
    pub(super) atom: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegacyOp {
    /// Signed and unsigned.
    Rmw(RmwOp, RmwOp),
    Step(RmwOp),
    Cmpxchg,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    pub(super) op: AtomicOp,
    pub(super) explicit: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum AtomicOp {
    Init,
    Load,
    Store,
    Exchange,
    CompareExchange {
        weak: bool,
    },
    /// Signed and unsigned.
    Fetch(RmwOp, RmwOp),
    TestAndSet,
    Clear,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Sync {
    /// Who waits, and the scope where none is given.
    Barrier(BarrierKind, MemScope),
    /// `atomic_work_item_fence`
    Fence,
    /// `mem_fence` and its like.
    MemFence(Order),
}

/// The function of floats of one type with a name: the intrinsics of that form but those that are
/// parts of other functions.
fn float(name: &str) -> Option<Intrinsic> {
    use Intrinsic as I;
    let is_part = |i| matches!(i, I::Fract | I::FrexpMantissa | I::ModfFraction | I::FClamp);
    let mut all = I::ALL.iter().copied();
    all.find(|&i| matches!(i.signature(), Signature::Float(_)) && i.name() == name && !is_part(i))
}

/// What `native_…` and `half_…` exist of.
const SINGLE: &[&str] = &[
    "cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "rsqrt", "sin", "sqrt", "tan",
];

/// The work-item function of a name, where the version of the language has it.
fn query(name: &str, language: &Language) -> Option<Kind> {
    use Query as Q;
    let since_2_0 = language.version >= Version::V2_0;
    let (query, scalar) = match name {
        "get_work_dim" => (Q::WorkDim, Scalar::UInt),
        "get_global_size" => (Q::GlobalSize, Scalar::SIZE),
        "get_global_id" => (Q::GlobalId, Scalar::SIZE),
        "get_local_size" => (Q::LocalSize, Scalar::SIZE),
        "get_local_id" => (Q::LocalId, Scalar::SIZE),
        "get_num_groups" => (Q::NumGroups, Scalar::SIZE),
        "get_group_id" => (Q::GroupId, Scalar::SIZE),
        "get_global_offset" => (Q::GlobalOffset, Scalar::SIZE),
        "get_enqueued_local_size" if since_2_0 => (Q::EnqueuedLocalSize, Scalar::SIZE),
        "get_global_linear_id" if since_2_0 => (Q::GlobalLinearId, Scalar::SIZE),
        "get_local_linear_id" if since_2_0 => (Q::LocalLinearId, Scalar::SIZE),
        _ => {
            let query = sub_group_query(name).filter(|_| language.sub_groups)?;
            (query, Scalar::UInt)
        }
    };
    Some(Kind::Query(query, scalar))
}

/// The question about sub-groups of a name.
pub(super) fn sub_group_query(name: &str) -> Option<Query> {
    Some(match name {
        "get_sub_group_size" => Query::SubGroupSize,
        "get_max_sub_group_size" => Query::MaxSubGroupSize,
        "get_num_sub_groups" => Query::NumSubGroups,
        "get_enqueued_num_sub_groups" => Query::EnqueuedNumSubGroups,
        "get_sub_group_id" => Query::SubGroupId,
        "get_sub_group_local_id" => Query::SubGroupLocalId,
        _ => return None,
    })
}

/// The built-in function of a name.
pub(super) fn find(name: &str, language: &Language) -> Option<Kind> {
    if name == "get_fence" {
        return language.generic.then_some(Kind::GetFence);
    }
    if let Some(function) = image(name, language) {
        return Some(Kind::Image(function));
    }
    if let Some(function) = pipe(name, language) {
        return Some(Kind::Pipe(function));
    }
    if let Some(function) = enqueue(name, language) {
        return Some(Kind::Enqueue(function));
    }
    if let Some(kind) = added(name, language) {
        return Some(kind);
    }
    if name.starts_with("get_") {
        return query(name, language);
    }
    let atomic = |name| atomic(name).filter(|_| language.atomics);
    numeric(name)
        .map(Kind::Numeric)
        .or_else(|| conversion(name).map(Kind::Convert))
        .or_else(|| memory(name).map(Kind::Memory))
        .or_else(|| legacy(name).map(Kind::Legacy))
        .or_else(|| atomic(name).map(Kind::Atomic))
        .or_else(|| sync(name, language).map(Kind::Sync))
        .or_else(|| {
            let (kind, together) = collective(name)?;
            has_collective(kind, language).then_some(Kind::Collective(kind, together))
        })
        .or_else(|| other(name, language))
}

fn other(name: &str, language: &Language) -> Option<Kind> {
    Some(match name {
        "__builtin_inff" => Kind::Constant(f32::INFINITY.to_bits().into(), Scalar::Float),
        "__builtin_nanf" => Kind::Constant(0x7fc0_0000, Scalar::Float),
        "__builtin_inf" => Kind::Constant(f64::INFINITY.to_bits(), Scalar::Double),
        "__builtin_trap" => Kind::Trap,
        "to_global" if language.generic => Kind::ToSpace(AddressSpace::Global),
        "to_local" if language.generic => Kind::ToSpace(AddressSpace::Local),
        "to_private" if language.generic => Kind::ToSpace(AddressSpace::Private),
        "async_work_group_copy" => Kind::AsyncCopy { strided: false },
        "async_work_group_strided_copy" if language.version >= Version::V1_1 => {
            Kind::AsyncCopy { strided: true }
        }
        "wait_group_events" => Kind::WaitGroupEvents,
        "printf" if language.version >= Version::V1_2 => Kind::Printf,
        _ => return None,
    })
}

fn numeric(name: &str) -> Option<Numeric> {
    use Intrinsic as I;
    if let Some(base) = name
        .strip_prefix("native_")
        .or_else(|| name.strip_prefix("half_"))
    {
        return single(base);
    }
    Some(match name {
        "ldexp" => float_int(I::Ldexp),
        "pown" => float_int(I::Pown),
        "rootn" => float_int(I::Rootn),
        "ilogb" => floats(Takes::Floats(1), Gives::Int, Builtin::Intrinsic(I::Ilogb)),
        "nan" => ints(Takes::Ints(1), Gives::Float, I::Nan, I::Nan),
        "fract" => split(I::Fract, I::Floor, false),
        "modf" => split(I::ModfFraction, I::Trunc, false),
        "sincos" => split(I::Sin, I::Cos, false),
        "frexp" => split(I::FrexpMantissa, I::FrexpExponent, true),
        "lgamma_r" => split(I::Lgamma, I::LgammaSign, true),
        "remquo" => split(I::Remainder, I::RemquoQuotient, true),
        "isfinite" => test(I::Isfinite),
        "isinf" => test(I::Isinf),
        "isnan" => test(I::Isnan),
        "isnormal" => test(I::Isnormal),
        "signbit" => test(I::Signbit),
        "isequal" => compare(Cmp::FEq),
        "isnotequal" => compare(Cmp::FNe),
        "isgreater" => compare(Cmp::FGt),
        "isgreaterequal" => compare(Cmp::FGe),
        "isless" => compare(Cmp::FLt),
        "islessequal" => compare(Cmp::FLe),
        "islessgreater" => compare(Cmp::FLtGt),
        "isordered" => compare(Cmp::FOrdered),
        "isunordered" => compare(Cmp::FUnordered),
        "abs" => Numeric::Abs,
        "abs_diff" => ints(Takes::Ints(2), Gives::Unsigned, I::SAbsDiff, I::UAbsDiff),
        "add_sat" => ints(Takes::Ints(2), Gives::Same, I::SAddSat, I::UAddSat),
        "sub_sat" => ints(Takes::Ints(2), Gives::Same, I::SSubSat, I::USubSat),
        "hadd" => ints(Takes::Ints(2), Gives::Same, I::SHadd, I::UHadd),
        "rhadd" => ints(Takes::Ints(2), Gives::Same, I::SRhadd, I::URhadd),
        "mul_hi" => ints(Takes::Ints(2), Gives::Same, I::SMulHi, I::UMulHi),
        "mad_sat" => ints(Takes::Ints(3), Gives::Same, I::SMadSat, I::UMadSat),
        "mad_hi" => multiply_add(Takes::Ints(3), I::SMulHi, I::UMulHi),
        "rotate" => ints(Takes::Ints(2), Gives::Same, I::Rotate, I::Rotate),
        "clz" => ints(Takes::Ints(1), Gives::Same, I::Clz, I::Clz),
        "ctz" => ints(Takes::Ints(1), Gives::Same, I::Ctz, I::Ctz),
        "popcount" => ints(Takes::Ints(1), Gives::Same, I::Popcount, I::Popcount),
        "mul24" => ints(Takes::Ints32(2), Gives::Same, I::SMul24, I::UMul24),
        "mad24" => multiply_add(Takes::Ints32(3), I::SMul24, I::UMul24),
        "upsample" => Numeric::Upsample,
        "min" => numbers(2, [I::SMin, I::UMin, I::Fmin]),
        "max" => numbers(2, [I::SMax, I::UMax, I::Fmax]),
        "clamp" => numbers(3, [I::SClamp, I::UClamp, I::FClamp]),
        "any" => Numeric::AnyAll(I::Any),
        "all" => Numeric::AnyAll(I::All),
        "select" => Numeric::Select,
        "bitselect" => Numeric::Plain(Takes::Any(3), Gives::Same, [Builtin::BitSelect; 3]),
        "dot" => floats(Takes::Geometric(2), Gives::Element, Builtin::Dot),
        "cross" => floats(Takes::Cross, Gives::Same, Builtin::Cross),
        "length" | "fast_length" => floats(Takes::Geometric(1), Gives::Element, Builtin::Length),
        "distance" | "fast_distance" => {
            floats(Takes::Geometric(2), Gives::Element, Builtin::Distance)
        }
        "normalize" | "fast_normalize" => {
            floats(Takes::Geometric(1), Gives::Same, Builtin::Normalize)
        }
        "shuffle" => Numeric::Shuffle,
        "shuffle2" => Numeric::Shuffle2,
        _ => {
            let intrinsic = float(name)?;
            let takes = Takes::Floats(intrinsic.arity());
            floats(takes, Gives::Same, Builtin::Intrinsic(intrinsic))
        }
    })
}

/// What `native_…` and `half_…` are of.
fn single(base: &str) -> Option<Numeric> {
    Some(match base {
        "divide" => floats(Takes::Floats(2), Gives::Same, Builtin::Divide),
        "recip" => floats(Takes::Floats(1), Gives::Same, Builtin::Recip),
        _ => {
            let intrinsic = SINGLE.contains(&base).then(|| float(base)).flatten()?;
            let takes = Takes::Singles(intrinsic.arity());
            floats(takes, Gives::Same, Builtin::Intrinsic(intrinsic))
        }
    })
}

fn floats(takes: Takes, gives: Gives, builtin: Builtin) -> Numeric {
    Numeric::Plain(takes, gives, [builtin; 3])
}

fn float_int(intrinsic: Intrinsic) -> Numeric {
    floats(Takes::FloatInt, Gives::Same, Builtin::Intrinsic(intrinsic))
}

fn test(intrinsic: Intrinsic) -> Numeric {
    floats(Takes::Floats(1), Gives::Truth, Builtin::Test(intrinsic))
}

fn compare(cmp: Cmp) -> Numeric {
    floats(Takes::Floats(2), Gives::Truth, Builtin::FloatCompare(cmp))
}

/// The second result goes through a pointer: to `int`, or to the type of the first.
fn split(first: Intrinsic, second: Intrinsic, int: bool) -> Numeric {
    let floats_out = Takes::FloatsOut {
        floats: first.arity(),
        int,
    };
    floats(floats_out, Gives::Same, Builtin::Split(first, second))
}

fn ints(takes: Takes, gives: Gives, signed: Intrinsic, unsigned: Intrinsic) -> Numeric {
    Numeric::Plain(
        takes,
        gives,
        [signed, unsigned, signed].map(Builtin::Intrinsic),
    )
}

fn multiply_add(takes: Takes, signed: Intrinsic, unsigned: Intrinsic) -> Numeric {
    let forms = [signed, unsigned, signed].map(Builtin::MultiplyAdd);
    Numeric::Plain(takes, Gives::Same, forms)
}

fn numbers(n: usize, forms: [Intrinsic; 3]) -> Numeric {
    Numeric::Plain(
        Takes::Numbers(n),
        Gives::Same,
        forms.map(Builtin::Intrinsic),
    )
}

fn memory(name: &str) -> Option<Memory> {
    if name == "prefetch" {
        return Some(Memory::Prefetch);
    }
    let (load, rest) = match name.strip_prefix("vload") {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix("vstore")?),
    };
    let (count, halves, aligned) = match (rest.strip_prefix("_half"), rest.strip_prefix("a_half")) {
        (Some(count), _) => (count, true, false),
        (None, Some(count)) => (count, true, true),
        (None, None) => (rest, false, false),
    };
    let (count, rounding) = match count.split_once('_') {
        Some((count, word)) if halves && !load => (count, super::convert::rounding(word)?),
        Some(_) | None => (count, Rounding::Default),
    };
    let lanes = match count {
        "" if halves => 1,
        _ => [2, 3, 4, 8, 16]
            .into_iter()
            .find(|n: &u32| n.to_string() == count)?,
    };
    // The aligned form of three elements has room for a fourth.
    let stride = if aligned && lanes == 3 { 4 } else { lanes };
    let vectors = Vectors {
        lanes,
        stride,
        halves,
    };
    Some(if load {
        Memory::Load(vectors)
    } else {
        Memory::Store(vectors, rounding)
    })
}

/// The operation on signed and on unsigned integers that a part of a name stands for.
fn operation(word: &str) -> Option<(RmwOp, RmwOp)> {
    Some(match word {
        "add" => (RmwOp::Add, RmwOp::Add),
        "sub" => (RmwOp::Sub, RmwOp::Sub),
        "and" => (RmwOp::And, RmwOp::And),
        "or" => (RmwOp::Or, RmwOp::Or),
        "xor" => (RmwOp::Xor, RmwOp::Xor),
        "min" => (RmwOp::SMin, RmwOp::UMin),
        "max" => (RmwOp::SMax, RmwOp::UMax),
        _ => return None,
    })
}

fn legacy(name: &str) -> Option<Legacy> {
    let (base, atom) = match name.strip_prefix("atomic_") {
        Some(base) => (base, false),
        None => (name.strip_prefix("atom_")?, true),
    };
    let op = match base {
        "xchg" => LegacyOp::Rmw(RmwOp::Exchange, RmwOp::Exchange),
        "inc" => LegacyOp::Step(RmwOp::Add),
        "dec" => LegacyOp::Step(RmwOp::Sub),
        "cmpxchg" => LegacyOp::Cmpxchg,
        _ => operation(base).map(|(signed, unsigned)| LegacyOp::Rmw(signed, unsigned))?,
    };
    Some(Legacy { op, atom })
}

fn atomic(name: &str) -> Option<Atomic> {
    let base = name.strip_prefix("atomic_")?;
    let (base, explicit) = match base.strip_suffix("_explicit") {
        Some(base) => (base, true),
        None => (base, false),
    };
    let op = match base {
        "init" if !explicit => AtomicOp::Init,
        "load" => AtomicOp::Load,
        "store" => AtomicOp::Store,
        "exchange" => AtomicOp::Exchange,
        "compare_exchange_strong" => AtomicOp::CompareExchange { weak: false },
        "compare_exchange_weak" => AtomicOp::CompareExchange { weak: true },
        "flag_test_and_set" => AtomicOp::TestAndSet,
        "flag_clear" => AtomicOp::Clear,
        _ => {
            let (signed, unsigned) = operation(base.strip_prefix("fetch_")?)?;
            AtomicOp::Fetch(signed, unsigned)
        }
    };
    Some(Atomic { op, explicit })
}

fn sync(name: &str, language: &Language) -> Option<Sync> {
    let work_group = Sync::Barrier(BarrierKind::WorkGroup, MemScope::WorkGroup);
    Some(match name {
        "barrier" => work_group,
        "work_group_barrier" if language.version >= Version::V2_0 => work_group,
        "sub_group_barrier" if language.sub_groups => {
            Sync::Barrier(BarrierKind::SubGroup, MemScope::SubGroup)
        }
        "atomic_work_item_fence" if language.atomics => Sync::Fence,
        "mem_fence" => Sync::MemFence(Order::AcqRel),
        "read_mem_fence" => Sync::MemFence(Order::Acquire),
        "write_mem_fence" => Sync::MemFence(Order::Release),
        _ => return None,
    })
}
