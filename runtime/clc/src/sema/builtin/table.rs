//! The names of built-in functions.

use crate::device::{Language, Version};
use crate::types::Scalar;
use touchstone_ir::intrinsic::Signature;
use touchstone_ir::{AddressSpace, Cmp, Intrinsic, Query, RmwOp, Rounding};

/// What a built-in function is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Query(Query, Scalar),
    Numeric(Numeric),
    Memory(Memory),
    /// An OpenCL 1.x atomic function.
    Legacy(Legacy),
    /// A C11 atomic function.
    Atomic(Atomic),
    Sync(Sync),
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
    /// Floats of one type.
    Float(Intrinsic),
    /// `float` only: `native_…`, `half_…`.
    Single(Intrinsic),
    /// A float and an `int`.
    FloatInt(Intrinsic),
    FloatToInt(Intrinsic),
    Nan,
    Test(Intrinsic),
    Compare(Cmp),
    /// The second result goes through a pointer to the same type.
    SplitFloat(Intrinsic, Intrinsic),
    /// The second result goes through a pointer to `int`.
    SplitInt(Intrinsic, Intrinsic),
    /// Integers of one type: by signedness.
    Int(Intrinsic, Intrinsic),
    /// The result is unsigned: `abs`, `abs_diff`.
    IntUnsigned(Intrinsic, Intrinsic),
    /// 32-bit integers only.
    Int32(Intrinsic, Intrinsic),
    /// Integers by signedness, or floats.
    Any(Intrinsic, Intrinsic, Intrinsic),
    Abs,
    MadHi,
    Mad24,
    Upsample,
    AnyAll(Intrinsic),
    Select,
    BitSelect,
    Dot,
    Cross,
    Length,
    Distance,
    Normalize,
    Divide,
    Recip,
    Shuffle,
    Shuffle2,
}

/// A function that loads or stores vectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memory {
    Load(u32),
    Store(u32),
    LoadHalf {
        lanes: u32,
        aligned: bool,
    },
    StoreHalf {
        lanes: u32,
        aligned: bool,
        rounding: Rounding,
    },
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
    Rmw(RmwOp),
    /// Signed and unsigned.
    MinMax(RmwOp, RmwOp),
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
    /// `barrier`, `work_group_barrier`
    WorkGroupBarrier,
    SubGroupBarrier,
    Fence,
    MemFence,
    ReadMemFence,
    WriteMemFence,
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
        _ if !language.sub_groups => return None,
        "get_sub_group_size" => (Q::SubGroupSize, Scalar::UInt),
        "get_max_sub_group_size" => (Q::MaxSubGroupSize, Scalar::UInt),
        "get_num_sub_groups" => (Q::NumSubGroups, Scalar::UInt),
        "get_enqueued_num_sub_groups" => (Q::EnqueuedNumSubGroups, Scalar::UInt),
        "get_sub_group_id" => (Q::SubGroupId, Scalar::UInt),
        "get_sub_group_local_id" => (Q::SubGroupLocalId, Scalar::UInt),
        _ => return None,
    };
    Some(Kind::Query(query, scalar))
}

/// The built-in function of a name.
pub(super) fn find(name: &str, language: &Language) -> Option<Kind> {
    if name == "get_fence" {
        return language.generic.then_some(Kind::GetFence);
    }
    if name.starts_with("get_") {
        return query(name, language);
    }
    numeric(name)
        .map(Kind::Numeric)
        .or_else(|| memory(name).map(Kind::Memory))
        .or_else(|| legacy(name).map(Kind::Legacy))
        .or_else(|| {
            language
                .atomics
                .then(|| atomic(name).map(Kind::Atomic))
                .flatten()
        })
        .or_else(|| sync(name, language).map(Kind::Sync))
        .or_else(|| {
            Some(match name {
                "__builtin_inff" => {
                    Kind::Constant(u64::from(f32::INFINITY.to_bits()), Scalar::Float)
                }
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
        })
}

fn numeric(name: &str) -> Option<Numeric> {
    if let Some(intrinsic) = float(name) {
        return Some(Numeric::Float(intrinsic));
    }
    if let Some(base) = name
        .strip_prefix("native_")
        .or_else(|| name.strip_prefix("half_"))
    {
        return match base {
            "divide" => Some(Numeric::Divide),
            "recip" => Some(Numeric::Recip),
            _ if SINGLE.contains(&base) => float(base).map(Numeric::Single),
            _ => None,
        };
    }
    use Intrinsic as I;
    Some(match name {
        "ldexp" => Numeric::FloatInt(I::Ldexp),
        "pown" => Numeric::FloatInt(I::Pown),
        "rootn" => Numeric::FloatInt(I::Rootn),
        "ilogb" => Numeric::FloatToInt(I::Ilogb),
        "nan" => Numeric::Nan,
        "fract" => Numeric::SplitFloat(I::Fract, I::Floor),
        "modf" => Numeric::SplitFloat(I::ModfFraction, I::Trunc),
        "sincos" => Numeric::SplitFloat(I::Sin, I::Cos),
        "frexp" => Numeric::SplitInt(I::FrexpMantissa, I::FrexpExponent),
        "lgamma_r" => Numeric::SplitInt(I::Lgamma, I::LgammaSign),
        "remquo" => Numeric::SplitInt(I::Remainder, I::RemquoQuotient),
        "isfinite" => Numeric::Test(I::Isfinite),
        "isinf" => Numeric::Test(I::Isinf),
        "isnan" => Numeric::Test(I::Isnan),
        "isnormal" => Numeric::Test(I::Isnormal),
        "signbit" => Numeric::Test(I::Signbit),
        "isequal" => Numeric::Compare(Cmp::FEq),
        "isnotequal" => Numeric::Compare(Cmp::FNe),
        "isgreater" => Numeric::Compare(Cmp::FGt),
        "isgreaterequal" => Numeric::Compare(Cmp::FGe),
        "isless" => Numeric::Compare(Cmp::FLt),
        "islessequal" => Numeric::Compare(Cmp::FLe),
        "islessgreater" => Numeric::Compare(Cmp::FLtGt),
        "isordered" => Numeric::Compare(Cmp::FOrdered),
        "isunordered" => Numeric::Compare(Cmp::FUnordered),
        "abs" => Numeric::Abs,
        "abs_diff" => Numeric::IntUnsigned(I::SAbsDiff, I::UAbsDiff),
        "add_sat" => Numeric::Int(I::SAddSat, I::UAddSat),
        "sub_sat" => Numeric::Int(I::SSubSat, I::USubSat),
        "hadd" => Numeric::Int(I::SHadd, I::UHadd),
        "rhadd" => Numeric::Int(I::SRhadd, I::URhadd),
        "mul_hi" => Numeric::Int(I::SMulHi, I::UMulHi),
        "mad_sat" => Numeric::Int(I::SMadSat, I::UMadSat),
        "mad_hi" => Numeric::MadHi,
        "rotate" => Numeric::Int(I::Rotate, I::Rotate),
        "clz" => Numeric::Int(I::Clz, I::Clz),
        "ctz" => Numeric::Int(I::Ctz, I::Ctz),
        "popcount" => Numeric::Int(I::Popcount, I::Popcount),
        "mul24" => Numeric::Int32(I::SMul24, I::UMul24),
        "mad24" => Numeric::Mad24,
        "upsample" => Numeric::Upsample,
        "min" => Numeric::Any(I::SMin, I::UMin, I::Fmin),
        "max" => Numeric::Any(I::SMax, I::UMax, I::Fmax),
        "clamp" => Numeric::Any(I::SClamp, I::UClamp, I::FClamp),
        "any" => Numeric::AnyAll(I::Any),
        "all" => Numeric::AnyAll(I::All),
        "select" => Numeric::Select,
        "bitselect" => Numeric::BitSelect,
        "dot" => Numeric::Dot,
        "cross" => Numeric::Cross,
        "length" | "fast_length" => Numeric::Length,
        "distance" | "fast_distance" => Numeric::Distance,
        "normalize" | "fast_normalize" => Numeric::Normalize,
        "shuffle" => Numeric::Shuffle,
        "shuffle2" => Numeric::Shuffle2,
        _ => return None,
    })
}

fn lanes(text: &str) -> Option<u32> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        "8" => Some(8),
        "16" => Some(16),
        _ => None,
    }
}

fn memory(name: &str) -> Option<Memory> {
    if name == "prefetch" {
        return Some(Memory::Prefetch);
    }
    let half_lanes = |text: &str| {
        if text.is_empty() {
            Some(1)
        } else {
            lanes(text)
        }
    };
    for (prefix, aligned) in [("vload_half", false), ("vloada_half", true)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            return half_lanes(rest).map(|lanes| Memory::LoadHalf { lanes, aligned });
        }
    }
    for (prefix, aligned) in [("vstore_half", false), ("vstorea_half", true)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            let (rest, rounding) = match rest.split_once('_') {
                None => (rest, Rounding::Default),
                Some((rest, word)) => (rest, super::convert::rounding(word)?),
            };
            return half_lanes(rest).map(|lanes| Memory::StoreHalf {
                lanes,
                aligned,
                rounding,
            });
        }
    }
    if let Some(n) = name.strip_prefix("vload") {
        return lanes(n).map(Memory::Load);
    }
    name.strip_prefix("vstore")
        .and_then(lanes)
        .map(Memory::Store)
}

fn legacy(name: &str) -> Option<Legacy> {
    let (base, atom) = match name.strip_prefix("atomic_") {
        Some(base) => (base, false),
        None => (name.strip_prefix("atom_")?, true),
    };
    let op = match base {
        "add" => LegacyOp::Rmw(RmwOp::Add),
        "sub" => LegacyOp::Rmw(RmwOp::Sub),
        "xchg" => LegacyOp::Rmw(RmwOp::Exchange),
        "and" => LegacyOp::Rmw(RmwOp::And),
        "or" => LegacyOp::Rmw(RmwOp::Or),
        "xor" => LegacyOp::Rmw(RmwOp::Xor),
        "min" => LegacyOp::MinMax(RmwOp::SMin, RmwOp::UMin),
        "max" => LegacyOp::MinMax(RmwOp::SMax, RmwOp::UMax),
        "inc" => LegacyOp::Step(RmwOp::Add),
        "dec" => LegacyOp::Step(RmwOp::Sub),
        "cmpxchg" => LegacyOp::Cmpxchg,
        _ => return None,
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
        "fetch_add" => AtomicOp::Fetch(RmwOp::Add, RmwOp::Add),
        "fetch_sub" => AtomicOp::Fetch(RmwOp::Sub, RmwOp::Sub),
        "fetch_and" => AtomicOp::Fetch(RmwOp::And, RmwOp::And),
        "fetch_or" => AtomicOp::Fetch(RmwOp::Or, RmwOp::Or),
        "fetch_xor" => AtomicOp::Fetch(RmwOp::Xor, RmwOp::Xor),
        "fetch_min" => AtomicOp::Fetch(RmwOp::SMin, RmwOp::UMin),
        "fetch_max" => AtomicOp::Fetch(RmwOp::SMax, RmwOp::UMax),
        "flag_test_and_set" => AtomicOp::TestAndSet,
        "flag_clear" => AtomicOp::Clear,
        _ => return None,
    };
    Some(Atomic { op, explicit })
}

fn sync(name: &str, language: &Language) -> Option<Sync> {
    Some(match name {
        "barrier" => Sync::WorkGroupBarrier,
        "work_group_barrier" if language.version >= Version::V2_0 => Sync::WorkGroupBarrier,
        "sub_group_barrier" if language.sub_groups => Sync::SubGroupBarrier,
        "atomic_work_item_fence" if language.atomics => Sync::Fence,
        "mem_fence" => Sync::MemFence,
        "read_mem_fence" => Sync::ReadMemFence,
        "write_mem_fence" => Sync::WriteMemFence,
        _ => return None,
    })
}

/// The feature that a function Touchstone does not have belongs to.
pub(super) fn missing_function(name: &str) -> Option<&'static str> {
    const EXACT: [(&str, &str); 14] = [
        ("get_default_queue", "device-side enqueue"),
        ("create_user_event", "device-side enqueue"),
        ("retain_event", "device-side enqueue"),
        ("release_event", "device-side enqueue"),
        ("is_valid_event", "device-side enqueue"),
        ("set_user_event_status", "device-side enqueue"),
        ("capture_event_profiling_info", "device-side enqueue"),
        ("is_valid_reserve_id", "pipes"),
        ("get_kernel_work_group_size", "device-side enqueue"),
        (
            "get_kernel_preferred_work_group_size_multiple",
            "device-side enqueue",
        ),
        ("get_sub_group_size", "sub-groups"),
        ("get_num_sub_groups", "sub-groups"),
        ("get_sub_group_id", "sub-groups"),
        ("get_sub_group_local_id", "sub-groups"),
    ];
    const PREFIXES: [(&str, &str); 19] = [
        ("read_image", "images"),
        ("write_image", "images"),
        ("get_image_", "images"),
        ("async_work_group_copy_", "extended asynchronous copies"),
        ("enqueue_", "device-side enqueue"),
        ("ndrange_", "device-side enqueue"),
        ("read_pipe", "pipes"),
        ("write_pipe", "pipes"),
        ("reserve_", "pipes"),
        ("commit_", "pipes"),
        ("work_group_", "work-group functions"),
        ("sub_group_", "sub-groups"),
        ("get_pipe_", "pipes"),
        ("get_max_sub_group_", "sub-groups"),
        ("get_enqueued_num_sub_", "sub-groups"),
        ("get_sub_group_", "sub-groups"),
        ("get_kernel_", "device-side enqueue"),
        ("intel_sub_group_", "sub-groups"),
        ("dot_acc_sat", "integer dot products"),
    ];
    let dot = matches!(name, "dot_4x8packed_ss_int" | "dot_4x8packed_uu_uint");
    if dot {
        return Some("integer dot products");
    }
    // Barriers that this version of the language does not have are no missing feature.
    if name == "work_group_barrier" {
        return None;
    }
    EXACT
        .iter()
        .find(|(n, _)| *n == name)
        .or_else(|| PREFIXES.iter().find(|(p, _)| name.starts_with(p)))
        .map(|&(_, feature)| feature)
}

/// The feature that a constant Touchstone does not have belongs to.
pub(in crate::sema) fn missing_constant(name: &str) -> Option<&'static str> {
    const PREFIXES: [(&str, &str); 6] = [
        ("CLK_NORMALIZED_COORDS", "samplers"),
        ("CLK_ADDRESS_", "samplers"),
        ("CLK_FILTER_", "samplers"),
        ("CLK_NULL_", "device-side enqueue"),
        ("CLK_ENQUEUE_", "device-side enqueue"),
        ("CLK_", "images"),
    ];
    PREFIXES
        .iter()
        .find(|(p, _)| name.starts_with(p))
        .map(|&(_, feature)| feature)
}
