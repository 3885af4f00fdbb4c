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
        _ => false,
    };
    if dropped {
        return Some("((void)0)".to_owned());
    }
    match name {
        "barrier" | "work_group_barrier" if count > 0 && makes(BarrierToFence) => {
            Some(format!("mem_fence({})", a(0)))
        }
        _ if makes(SplitRmw) && split(name, count).is_some() => {
            split(name, count).map(|form| form(&a, count))
        }
        _ if makes(BlindExchange) => blind(name, count, &a),
        "get_global_id" if count == 1 && makes(IdWithoutOffset) => Some(format!(
            "(get_global_id({0}) - get_global_offset({0}))",
            a(0)
        )),
        "get_global_id" if count == 1 && makes(IdRepeats) => {
            Some(format!("(get_global_id({}) & ~(size_t)1)", a(0)))
        }
        "get_local_id" if count == 1 && makes(LocalIdReversed) => Some(format!(
            "(get_local_size({0}) - 1 - get_local_id({0}))",
            a(0)
        )),
        "get_num_groups" if count == 1 && makes(GroupCountShort) => Some(format!(
            "(get_num_groups({0}) - (get_num_groups({0}) > 1))",
            a(0)
        )),
        "get_global_size" if count == 1 && makes(GlobalSizeRounded) => {
            Some(format!("(get_num_groups({0}) * get_local_size({0}))", a(0)))
        }
        "get_sub_group_id" if count == 0 && makes(SubGroupIdReversed) => {
            Some("(get_num_sub_groups() - 1 - get_sub_group_id())".to_owned())
        }
        "get_num_sub_groups" if count == 0 && makes(SubGroupCountShort) => {
            Some("(get_num_sub_groups() - 1)".to_owned())
        }
        "work_group_broadcast" | "sub_group_broadcast" if count > 1 && makes(BroadcastFirst) => {
            let zeros = ", 0".repeat(count - 1);
            Some(format!("{name}({}{zeros})", a(0)))
        }
        "to_global" | "to_local" if count == 1 && makes(ToAddressNull) => {
            // The conditional keeps the type.
            Some(format!("(1 ? 0 : {name}({}))", a(0)))
        }
        "async_work_group_copy" | "async_work_group_strided_copy"
            if count > 3 && makes(AsyncCopyShort) =>
        {
            let rest: Vec<String> = (3..count).map(&a).collect();
            Some(format!(
                "{name}({}, {}, ({2}) - (({2}) > 1), {3})",
                a(0),
                a(1),
                a(2),
                rest.join(", ")
            ))
        }
        "vstore3" if count == 3 && makes(VectorStoreWide) => Some(format!(
            "vstore4(({}).s0120, 0, ({}) + 3 * ({}))",
            a(0),
            a(2),
            a(1)
        )),
        "get_fence" if count == 1 && makes(GetFenceSwapped) => Some(format!(
            "(get_fence({}) ^ (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))",
            a(0)
        )),
        "write_pipe" if count > 1 && makes(PipeWriteLost) => Some("(0)".to_owned()),
        "read_pipe" if count > 1 && makes(PipeReadStale) => Some("(0)".to_owned()),
        "write_pipe" if count == 4 && makes(PipeIndex) => {
            Some(format!("{name}({}, {}, 0, {})", a(0), a(1), a(3)))
        }
        "write_pipe" if count == 2 && makes(PipeFull) => {
            Some(format!("({name}({}, {}), 0)", a(0), a(1)))
        }
        "read_pipe" if count == 2 && makes(PipeEmpty) => {
            Some(format!("({name}({}, {}), 0)", a(0), a(1)))
        }
        "write_imagef" | "write_imagei" | "write_imageui" if count > 2 && makes(ImageWriteLost) => {
            Some("((void)0)".to_owned())
        }
        "read_imagef" | "read_imagei" | "read_imageui" if count > 1 && makes(ImageChannels) => {
            let all: Vec<String> = (0..count).map(a).collect();
            Some(format!("({name}({}).s2103)", all.join(", ")))
        }
        "get_max_sub_group_size" if count == 0 && makes(SubGroupSize) => {
            Some("(get_max_sub_group_size() + 1u)".to_owned())
        }
        "capture_event_profiling_info" if makes(CaptureLost) => Some("((void)0)".to_owned()),
        "set_user_event_status" if count == 2 && makes(DeviceFailureHidden) => {
            Some(format!("{name}({}, CL_COMPLETE)", a(0)))
        }
        "enqueue_marker" if count == 4 && makes(EnqueueMarker) => Some(format!(
            "(*({0}) = create_user_event(), set_user_event_status(*({0}), CL_COMPLETE), 0)",
            a(3)
        )),
        "enqueue_kernel" if count > 3 && makes(EnqueueLost) => Some(without_block(name, count, &a)),
        "enqueue_kernel"
            if count > 4
                && makes(EnqueueLocal)
                && block(count, &a).is_some_and(|at| at + 1 < count) =>
        {
            Some(without_block(name, count, &a))
        }
        "enqueue_kernel" if count > 6 && makes(EnqueueWaits) => {
            let list = a(4);
            let event = a(5);
            let listed = !a(3).trim_start().starts_with('^')
                && (event.trim_start().starts_with('&') || matches!(event.trim(), "NULL" | "0"))
                && !list.trim_start().starts_with('^');
            listed.then(|| {
                let rest: Vec<String> = (5..count).map(a).collect();
                format!(
                    "{name}({}, {}, {}, 0, 0, {})",
                    a(0),
                    a(1),
                    a(2),
                    rest.join(", ")
                )
            })
        }
        _ => None,
    }
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

type Form = fn(&dyn Fn(usize) -> String, usize) -> String;

/// How an operation is split into a load and a store, where the value before it can be had back
/// from the value after it.
fn split(name: &str, count: usize) -> Option<Form> {
    /// A pointer to an integer of the older functions.
    macro_rules! older {
        ($apply:literal, $undo:literal) => {
            Some(|a, _| {
                format!(
                    concat!("((*({}) ", $apply, " ({1})) ", $undo, " ({1}))"),
                    a(0),
                    a(1)
                )
            })
        };
    }
    macro_rules! newer {
        ($apply:literal, $undo:literal) => {
            Some(|a, count| {
                let scope = if count == 4 {
                    format!(", {}", a(3))
                } else {
                    String::new()
                };
                format!(
                    concat!(
                        "(atomic_store_explicit({0}, atomic_load_explicit({0}, \
                         memory_order_relaxed{2}) ",
                        $apply,
                        " ({1}), memory_order_relaxed{2}), atomic_load_explicit({0}, \
                         memory_order_relaxed{2}) ",
                        $undo,
                        " ({1}))"
                    ),
                    a(0),
                    a(1),
                    scope
                )
            })
        };
    }
    match (name, count) {
        ("atomic_add" | "atom_add", 2) => older!("+=", "-"),
        ("atomic_sub" | "atom_sub", 2) => older!("-=", "+"),
        ("atomic_xor" | "atom_xor", 2) => older!("^=", "^"),
        ("atomic_inc" | "atom_inc", 1) => Some(|a, _| format!("((*({}))++)", a(0))),
        ("atomic_dec" | "atom_dec", 1) => Some(|a, _| format!("((*({}))--)", a(0))),
        ("atomic_fetch_add", 2) | ("atomic_fetch_add_explicit", 3 | 4) => newer!("+", "-"),
        ("atomic_fetch_sub", 2) | ("atomic_fetch_sub_explicit", 3 | 4) => newer!("-", "+"),
        ("atomic_fetch_xor", 2) | ("atomic_fetch_xor_explicit", 3 | 4) => newer!("^", "^"),
        _ => None,
    }
}

/// A compare-exchange that does not compare.
fn blind(name: &str, count: usize, a: &dyn Fn(usize) -> String) -> Option<String> {
    match (name, count) {
        ("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak", 3) => {
            Some(format!("(atomic_exchange({}, {}), true)", a(0), a(2)))
        }
        (
            "atomic_compare_exchange_strong_explicit" | "atomic_compare_exchange_weak_explicit",
            5 | 6,
        ) => {
            let scope = if count == 6 {
                format!(", {}", a(5))
            } else {
                String::new()
            };
            Some(format!(
                "(atomic_exchange_explicit({}, {}, {}{scope}), true)",
                a(0),
                a(2),
                a(3)
            ))
        }
        // The older ones return what they found: what they compare with.
        ("atomic_cmpxchg" | "atom_cmpxchg", 3) => {
            let exchange = if name == "atom_cmpxchg" {
                "atom_xchg"
            } else {
                "atomic_xchg"
            };
            Some(format!("({exchange}({}, {}), ({}))", a(0), a(2), a(1)))
        }
        _ => None,
    }
}
