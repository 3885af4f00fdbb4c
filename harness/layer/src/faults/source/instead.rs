//! What takes the place of a whole call.
//!
//! The text is made of the call's arguments, which are mutated in their turn. An argument that
//! stands in it twice is evaluated twice: one with side effects has them twice.

use classay_faults::SourceMutation::{self, *};

/// The text that takes the place of a call of `name`, if one of the mutations asks for it.
/// `argument` gives the text of an argument, on one line.
pub(super) fn instead(
    name: &str,
    count: usize,
    makes: impl Fn(SourceMutation) -> bool,
    argument: impl Fn(usize) -> String,
) -> Option<String> {
    let a = |index| argument(index);
    let dropped = match name {
        "atomic_work_item_fence" => {
            // At the scope of one work-item, which only fences of images may name, nothing is left.
            let narrowed = makes(ScopeWorkGroupToWorkItem)
                && count == 3
                && a(2).trim() == "memory_scope_work_group";
            narrowed || makes(DropFences) || makes(DropWorkItemFences)
        }
        "mem_fence" => makes(DropFences) || makes(DropMemFences),
        "read_mem_fence" => makes(DropFences) || makes(DropReadFences),
        "write_mem_fence" => makes(DropFences) || makes(DropWriteFences),
        "barrier" | "work_group_barrier" => makes(DropBarriers) || makes(DropGroupBarriers),
        "sub_group_barrier" => makes(DropBarriers) || makes(DropSubGroupBarriers),
        "enqueue_kernel" => return enqueued(count, makes, a),
        _ if name.starts_with("convert_") && makes(SaturationDropped) => {
            return name
                .strip_suffix("_sat")
                .map(|plain| fill("$name($0)", plain, count, a));
        }
        _ if name.starts_with("convert_") && makes(RoundingModeDropped) => {
            let modes = ["_rte", "_rtz", "_rtp", "_rtn"];
            let plain = modes.iter().find_map(|mode| name.strip_suffix(mode))?;
            return Some(fill("$name($0)", plain, count, a));
        }
        "printf" if makes(PrintfPrecisionLost) || makes(PrintfFlagsLost) => {
            let format = specified(&a(0), makes(PrintfFlagsLost), makes(PrintfPrecisionLost));
            let others = (1..count).map(|n| format!(", {}", a(n)));
            return Some(format!("printf({format}{})", others.collect::<String>()));
        }
        _ => false,
    };
    if dropped {
        return Some(NOTHING.to_owned());
    }
    form(name, count, makes).map(|form| fill(form, name, count, a))
}

/// A format without the flags, or the precisions, of its conversion specifications.
fn specified(format: &str, no_flags: bool, no_precision: bool) -> String {
    let mut parts = format.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        text.push('%');
        if part.is_empty() {
            // "%%", and what comes after it.
            text.push('%');
            text += parts.next().unwrap_or_default();
            continue;
        }
        let rest = part.trim_start_matches(|c| "-+ #0".contains(c));
        if !no_flags {
            text += &part[..part.len() - rest.len()];
        }
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        text += &rest[..rest.len() - after.len()];
        match after.strip_prefix('.').filter(|_| no_precision) {
            Some(after) => text += after.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => text += after,
        }
    }
    text
}

/// A call that does nothing.
const NOTHING: &str = "((void)0)";

/// An atomic read-modify-write as a load and a store, with the value before.
macro_rules! split {
    ($apply:literal, $undo:literal) => {
        concat!(
            "(atomic_store_explicit($0, atomic_load_explicit($0, memory_order_relaxed$3?) ",
            $apply,
            " ($1), memory_order_relaxed$3?), atomic_load_explicit($0, memory_order_relaxed$3?) ",
            $undo,
            " ($1))"
        )
    };
}

/// What takes the place of a call of so many arguments: `$name` stands for the function's name, `$0` for
/// the first argument, `$3?` for the fourth with a comma before it, where there is one, and `$3+` for it
/// and all behind it.
fn form(name: &str, count: usize, makes: impl Fn(SourceMutation) -> bool) -> Option<&'static str> {
    Some(match (name, count) {
        ("barrier" | "work_group_barrier", 1..) if makes(BarrierToFence) => "mem_fence($0)",

        ("atomic_add" | "atom_add", 2) if makes(SplitRmw) => "((*($0) += ($1)) - ($1))",
        ("atomic_sub" | "atom_sub", 2) if makes(SplitRmw) => "((*($0) -= ($1)) + ($1))",
        ("atomic_xor" | "atom_xor", 2) if makes(SplitRmw) => "((*($0) ^= ($1)) ^ ($1))",
        ("atomic_inc" | "atom_inc", 1) if makes(SplitRmw) => "((*($0))++)",
        ("atomic_dec" | "atom_dec", 1) if makes(SplitRmw) => "((*($0))--)",
        ("atomic_fetch_add", 2) | ("atomic_fetch_add_explicit", 3 | 4) if makes(SplitRmw) => {
            split!("+", "-")
        }
        ("atomic_fetch_sub", 2) | ("atomic_fetch_sub_explicit", 3 | 4) if makes(SplitRmw) => {
            split!("-", "+")
        }
        ("atomic_fetch_xor", 2) | ("atomic_fetch_xor_explicit", 3 | 4) if makes(SplitRmw) => {
            split!("^", "^")
        }

        // Exchanges that do not compare, and say that they did.
        ("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak", 3)
            if makes(BlindExchange) =>
        {
            "(atomic_exchange($0, $2), true)"
        }
        (
            "atomic_compare_exchange_strong_explicit" | "atomic_compare_exchange_weak_explicit",
            5 | 6,
        ) if makes(BlindExchange) => "(atomic_exchange_explicit($0, $2, $3$5?), true)",
        ("atomic_cmpxchg", 3) if makes(BlindExchange) => "(atomic_xchg($0, $2), ($1))",
        ("atom_cmpxchg", 3) if makes(BlindExchange) => "(atom_xchg($0, $2), ($1))",

        ("get_global_id", 1) if makes(IdWithoutOffset) => {
            "(get_global_id($0) - get_global_offset($0))"
        }
        ("get_global_id", 1) if makes(IdRepeats) => "(get_global_id($0) & ~(size_t)1)",
        ("get_local_id", 1) if makes(LocalIdReversed) => {
            "(get_local_size($0) - 1 - get_local_id($0))"
        }
        ("get_num_groups", 1) if makes(GroupCountShort) => {
            "(get_num_groups($0) - (get_num_groups($0) > 1))"
        }
        ("get_global_size", 1) if makes(GlobalSizeRounded) => {
            "(get_num_groups($0) * get_local_size($0))"
        }
        ("get_sub_group_id", 0) if makes(SubGroupIdReversed) => {
            "(get_num_sub_groups() - 1 - get_sub_group_id())"
        }
        ("get_sub_group_local_id", 0) if makes(SubGroupMapByGroup) => {
            "(get_group_id(0) & 1 ? get_sub_group_size() - 1 - get_sub_group_local_id() : get_sub_group_local_id())"
        }
        ("sub_group_shuffle", 2) if makes(ShuffleKeepsOwn) => "($0)",
        ("sub_group_non_uniform_all", 1) if makes(VoteOfAny) => "sub_group_non_uniform_any($0)",
        ("sub_group_reduce_add", 1) if makes(SubGroupOneSum) => {
            "(get_num_sub_groups() == 1 ? ($0) : sub_group_reduce_add($0))"
        }
        ("get_num_sub_groups", 0) if makes(SubGroupCountShort) => "(get_num_sub_groups() - 1)",
        ("get_max_sub_group_size", 0) if makes(SubGroupSize) => "(get_max_sub_group_size() + 1u)",

        ("get_group_id", 1) if makes(GroupIdWithOffset) => {
            "(get_group_id($0) + get_global_offset($0))"
        }
        ("get_local_size", 1) if makes(LastLocalSize) => "get_local_size(($0) == 2 ? 1 : ($0))",

        ("vstore_half", 3) if makes(HalfStoredToZero) => "vstore_half_rtz($0, $1, $2)",
        ("printf", 1..) if makes(PrintfOddLost) => "(get_global_id(0) & 1 ? 0 : printf($0+))",
        ("vloada_half3", 2) if makes(HalfVectorsPacked) => "vload_half3($0, $1)",
        ("hadd", 2) if makes(HaddRoundsUp) => "rhadd($0, $1)",
        ("abs_diff", 2) if makes(AbsDiffSaturates) => "sub_sat($0, $1)",
        ("isequal", 2) if makes(NanComparesEqual) => "(isequal($0, $1) | isunordered($0, $1))",
        ("bitselect", 3) if makes(BitselectSwapped) => "bitselect($1, $0, $2)",
        ("ctz", 1) if makes(CtzFromTop) => "clz($0)",
        ("bit_reverse", 1) if makes(BitsNotReversed) => "($0)",
        ("bitfield_insert", 4) if makes(FieldOfOneLess) => {
            "bitfield_insert($0, $1, $2, ($3) - (($3) > 0))"
        }
        ("dot_4x8packed_ss_int", 2) if makes(PackedSignLost) => "dot_4x8packed_su_int($0, $1)",
        ("dot_4x8packed_us_int", 2) if makes(PackedSignLost) => {
            "(int)dot_4x8packed_uu_uint($0, $1)"
        }
        ("dot_acc_sat_4x8packed_ss_int", 3) if makes(PackedSignLost) => {
            "dot_acc_sat_4x8packed_su_int($0, $1, $2)"
        }
        ("dot_acc_sat_4x8packed_us_int", 3) if makes(PackedSignLost) => {
            "add_sat((int)dot_4x8packed_uu_uint($0, $1), $2)"
        }

        ("remainder", 2) if makes(RemainderToZero) => "fmod($0, $1)",
        ("rint", 1) if makes(RintRoundsAway) => "round($0)",
        ("cbrt", 1) if makes(CbrtInexact) => "(cbrt($0) + cbrt($0) / 1000000)",
        ("pow", 2) if makes(PowOfNegativeLost) => "powr($0, $1)",
        ("atan2", 2) if makes(AngleByQuotient) => "atan(($0) / ($1))",
        ("length", 1) if makes(LengthOverflows) => "sqrt(dot($0, $0))",

        ("work_group_broadcast" | "sub_group_broadcast", 2) if makes(BroadcastFirst) => {
            "$name($0, 0)"
        }
        ("work_group_broadcast", 3) if makes(BroadcastFirst) => "$name($0, 0, 0)",
        ("work_group_broadcast", 4) if makes(BroadcastFirst) => "$name($0, 0, 0, 0)",
        ("to_global" | "to_local", 1) if makes(ToAddressNull) => "(1 ? 0 : $name($0))",
        ("get_fence", 1) if makes(GetFenceSwapped) => {
            "(get_fence($0) ^ (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))"
        }
        ("async_work_group_copy" | "async_work_group_strided_copy", 4..)
            if makes(AsyncCopyShort) =>
        {
            "$name($0, $1, ($2) - (($2) > 1), $3+)"
        }
        ("vstore3", 3) if makes(VectorStoreWide) => "vstore4(($0).s0120, 0, ($2) + 3 * ($1))",

        ("write_pipe", 2..) if makes(PipeWriteLost) => "(0)",
        ("read_pipe", 2..) if makes(PipeReadStale) => "(0)",
        ("write_pipe", 4) if makes(PipeIndex) => "$name($0, $1, 0, $3)",
        ("write_pipe", 2) if makes(PipeFull) => "($name($0, $1), 0)",
        ("read_pipe", 2) if makes(PipeEmpty) => "($name($0, $1), 0)",
        ("write_imagef" | "write_imagei" | "write_imageui", 3..) if makes(ImageWriteLost) => {
            NOTHING
        }
        ("write_imagef", 3) if makes(ImageWriteCut) => {
            "$name($0, $1, get_image_channel_data_type($0) == CLK_UNORM_INT8 ? floor(($2) * 255.0f + 0.125f) / 255.0f : ($2))"
        }
        ("step", 2) if makes(StepAtEdge) => "(1 - step($1, $0))",
        ("read_imagef" | "read_imagei" | "read_imageui", 2..) if makes(ImageChannels) => {
            "($name($0+).s2103)"
        }

        ("capture_event_profiling_info", _) if makes(CaptureLost) => NOTHING,
        ("set_user_event_status", 2) if makes(DeviceFailureHidden) => "$name($0, CL_COMPLETE)",
        ("enqueue_marker", 4) if makes(EnqueueMarker) => {
            "(*($3) = create_user_event(), set_user_event_status(*($3), CL_COMPLETE), 0)"
        }
        _ => return None,
    })
}

/// A form with the name and the arguments of a call in it.
fn fill(form: &str, name: &str, count: usize, argument: impl Fn(usize) -> String) -> String {
    let mut parts = form.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(rest) = part.strip_prefix("name") {
            text += name;
            text += rest;
            continue;
        }
        let digits = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let index = part[..part.len() - digits.len()].parse().unwrap_or(count);
        if let Some(rest) = digits.strip_prefix('?') {
            if index < count {
                text += ", ";
                text += &argument(index);
            }
            text += rest;
        } else if let Some(rest) = digits.strip_prefix('+') {
            let all: Vec<String> = (index..count).map(&argument).collect();
            text += &all.join(", ");
            text += rest;
        } else {
            text += &argument(index);
            text += digits;
        }
    }
    text
}

/// What takes the place of an enqueue of a block.
fn enqueued(
    count: usize,
    makes: impl Fn(SourceMutation) -> bool,
    a: impl Fn(usize) -> String,
) -> Option<String> {
    const NAME: &str = "enqueue_kernel";
    let ends_behind_block = || block(count, &a).is_some_and(|at| at + 1 < count);
    if count > 3 && makes(EnqueueLost) || count > 4 && makes(EnqueueLocal) && ends_behind_block() {
        return Some(without_block(NAME, count, &a));
    }
    if count > 6 && makes(EnqueueWaits) {
        let event = a(5);
        let listed = !a(3).trim_start().starts_with('^')
            && (event.trim_start().starts_with('&') || matches!(event.trim(), "NULL" | "0"))
            && !a(4).trim_start().starts_with('^');
        return listed.then(|| fill("$name($0, $1, $2, 0, 0, $5+)", NAME, count, a));
    }
    None
}

/// The argument of an enqueue that is a block, written where it is passed.
fn block(count: usize, argument: &impl Fn(usize) -> String) -> Option<usize> {
    (0..count).find(|index| argument(*index).trim_start().starts_with('^'))
}

/// An enqueue of nothing: with the events that it has, but an empty block. Where the block is a
/// variable, nothing is enqueued.
fn without_block(name: &str, count: usize, argument: &impl Fn(usize) -> String) -> String {
    match block(count, argument) {
        None => "(0)".to_owned(),
        Some(at) => {
            let before: Vec<String> = (0..at).map(argument).collect();
            format!("{name}({}, ^{{}})", before.join(", "))
        }
    }
}
