//! What a case uses, it says that it needs: seen from its source, its objects and its launches.

use super::super::generate::FAMILIES;
use super::{cases, uints};
use crate::family::Family;
use crate::kernels::case::{Arg, KernelCase, Kind, Step};
use classay_vocabulary::Need;

/// All kinds, with some seeds of each.
fn all() -> impl Iterator<Item = (String, KernelCase)> {
    FAMILIES
        .iter()
        .flat_map(|(family, kind, _)| cases(&format!("{family}/{kind}"), 40).collect::<Vec<_>>())
}

/// What sources that have these words need.
const WORDS: &[(&str, &[Need])] = &[
    ("pipe ", &[Need::Pipes]),
    ("enqueue_kernel(", &[Need::DeviceEnqueue]),
    ("create_user_event(", &[Need::DeviceEnqueue]),
    ("get_sub_group_id(", &[Need::SubGroups]),
    ("sub_group_barrier(", &[Need::SubGroups]),
    ("sub_group_reserve_", &[Need::SubGroups, Need::Pipes]),
    ("work_group_reduce_", &[Need::WorkGroupFunctions]),
    ("work_group_scan_", &[Need::WorkGroupFunctions]),
    ("work_group_broadcast(", &[Need::WorkGroupFunctions]),
    ("work_group_all(", &[Need::WorkGroupFunctions]),
    ("work_group_any(", &[Need::WorkGroupFunctions]),
    ("work_group_barrier(", &[Need::C20]),
    ("cl_khr_fp64 :", &[Need::Fp64]),
    ("cl_khr_fp16 :", &[Need::Fp16]),
    ("double ", &[Need::Fp64]),
    ("half ", &[Need::Fp16]),
    ("to_global(", &[Need::GenericAddressSpace]),
    ("to_local(", &[Need::GenericAddressSpace]),
    ("get_fence(", &[Need::GenericAddressSpace]),
    ("atomic_init(", &[Need::C11Atomics]),
    ("atomic_store", &[Need::C11Atomics]),
    ("atomic_flag_", &[Need::C11Atomics]),
    ("atomic_fetch_", &[Need::C11Atomics]),
    ("atomic_compare_exchange_", &[Need::C11Atomics]),
    ("memory_order_seq_cst", &[Need::OrderSeqCst]),
    // Fences of a work-item have this order on every device.
    (
        "memory_order_acq_rel, memory_scope_device",
        &[Need::OrderAcqRel],
    ),
    (
        "memory_order_acq_rel, memory_scope_all_",
        &[Need::OrderAcqRel],
    ),
    (
        "memory_order_release, memory_scope_all",
        &[Need::OrderAcqRel],
    ),
    (
        "memory_order_acquire, memory_scope_all",
        &[Need::OrderAcqRel],
    ),
    ("memory_scope_device", &[Need::ScopeDevice]),
    ("memory_scope_all_svm_devices", &[Need::ScopeAllDevices]),
    ("read_only image", &[Need::Images]),
    ("write_only image", &[Need::Images]),
    ("read_write image", &[Need::ReadWriteImages]),
    ("\nglobal atomic_", &[Need::ProgramScopeVariables]),
    ("\nglobal uint counter", &[Need::ProgramScopeVariables]),
];

#[test]
fn groups_of_several_work_items_are_needed() {
    let mut seen = 0;
    for (name, case) in all() {
        let needs = Family::needs(&case);
        for (_, launch) in case.launches() {
            let local = launch.range.local.iter().flatten();
            let items = local.product::<u64>() as u32;
            let room = needs
                .iter()
                .any(|need| matches!(need, Need::WorkGroupSize(n) if *n >= items));
            assert!(room || items <= 1, "{name}: a group of {items}");
            seen += u32::from(items > 1);
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn what_a_source_uses_is_needed() {
    let mut seen = vec![0; WORDS.len()];
    for (name, case) in all() {
        for (n, (word, needs)) in WORDS.iter().enumerate() {
            if case.source.contains(word) {
                seen[n] += 1;
                for need in *needs {
                    assert!(case.needs.contains(need), "{name}: {word} needs {need:?}");
                }
            }
        }
    }
    for ((word, _), seen) in WORDS.iter().zip(seen) {
        assert!(seen > 0, "no source has {word}");
    }
}

#[test]
fn what_is_not_used_is_not_needed() {
    // A need that is stated for nothing skips a case without a reason.
    let only: &[(Need, &str)] = &[
        (Need::Pipes, "pipe "),
        // Blocks are there for it.
        (Need::DeviceEnqueue, "^"),
        (Need::SubGroups, "sub_group"),
        (Need::WorkGroupFunctions, "work_group_"),
        (Need::Fp64, "double"),
        (Need::Fp16, "half"),
        (Need::GenericAddressSpace, "to_"),
        (Need::ReadWriteImages, "read_write "),
        (Need::ScopeAllDevices, "memory_scope_all_svm_devices"),
    ];
    for (name, case) in all() {
        for (need, word) in only {
            if case.needs.contains(need) {
                // These have pointers that name no memory.
                let generic = [
                    "memory/generic",
                    "memory/vectors",
                    "kernels/pointers",
                    "il/pointers",
                    "atomics/values",
                    "il/atomics",
                    "il/math",
                    "kernels/math",
                ];
                let asks = *need == Need::GenericAddressSpace
                    && generic.iter().any(|kind| name.starts_with(kind));
                // What a module uses is not in a text.
                let is_module = !case.module.is_empty();
                assert!(
                    asks || is_module || case.source.contains(word),
                    "{name}: {need:?} without {word}"
                );
            }
        }
    }
}

#[test]
fn memory_of_every_kind_is_needed() {
    for (name, case) in all() {
        for object in &case.objects {
            let needs: &[Need] = match object.kind {
                Kind::SvmCoarse => &[Need::SvmCoarse],
                Kind::SvmFine => &[Need::SvmFine],
                Kind::SvmAtomics => &[Need::SvmFine, Need::SvmAtomics],
                Kind::Pipe { .. } => &[Need::Pipes],
                Kind::Image(_) => &[Need::FullProfile],
                Kind::SubBuffer { .. } => &[Need::SubBufferAlign(512)],
                Kind::Buffer | Kind::Host => &[],
            };
            for need in needs {
                assert!(case.needs.contains(need), "{name}: {:?}", object.kind);
            }
            let images = [Need::Images, Need::ImageObjects];
            let image = matches!(object.kind, Kind::Image(_));
            assert!(
                !image || images.iter().any(|n| case.needs.contains(n)),
                "{name}"
            );
        }
    }
}

/// Whether a kernel reaches memory of the host.
fn reaches_host(case: &KernelCase) -> bool {
    let host = |id: &crate::host::Slot| case.objects[id.index()].kind == Kind::Host;
    case.launches().any(|(_, launch)| {
        let args = launch.args.iter().any(|arg| match arg {
            Arg::Object(id) => host(id),
            Arg::Pointer(at) => host(&at.object),
            _ => false,
        });
        args || launch.reaches.iter().any(host)
    })
}

#[test]
fn memory_of_the_host_in_kernels_is_needed() {
    let mut seen = 0;
    for (name, case) in all() {
        if reaches_host(&case) {
            assert!(case.needs.contains(&Need::SvmSystem), "{name}");
            seen += 1;
        } else {
            assert!(!case.needs.contains(&Need::SvmSystem), "{name}");
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn copies_of_kernels_and_questions_about_sub_groups_need_a_later_version() {
    let mut seen = [0; 3];
    for (name, case) in all() {
        let copied = case.launches().any(|(_, l)| l.cloned || l.disturbed);
        let asked = |step: &Step| matches!(step, Step::AskSubGroups { .. });
        let asks = case.steps.iter().any(asked);
        let empty = case.launches().any(|(_, l)| l.range.global.contains(&0));
        for (n, is) in [copied, asks, empty].into_iter().enumerate() {
            seen[n] += u32::from(is);
            assert!(!is || case.needs.contains(&Need::Api21), "{name}");
        }
    }
    assert!(seen.iter().all(|n| *n > 2), "{seen:?}");
}

#[test]
fn groups_that_do_not_divide_are_needed() {
    let mut seen = 0;
    for (name, case) in all() {
        for (_, launch) in case.launches().filter(|(_, l)| l.code == 0) {
            let Some(local) = &launch.range.local else {
                continue;
            };
            let sizes = launch.range.global.iter().zip(local);
            let whole = sizes.clone().all(|(g, l)| g % l == 0);
            if !whole {
                seen += 1;
                assert!(case.needs.contains(&Need::NonUniformGroups), "{name}");
            }
            // Every device has groups of 64; what is larger is asked for where it may lack.
            let group: u64 = local.iter().product();
            let sub_groups = case.needs.contains(&Need::SubGroups);
            let large = ["ndrange/ids", "kernels/phases"];
            if group > 64 && large.iter().any(|kind| name.starts_with(kind)) {
                let need = Need::WorkGroupSize(group as u32);
                assert!(case.needs.contains(&need), "{name}: {group}");
            } else {
                assert!(group <= 256 || sub_groups, "{name}: {group}");
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn ids_beyond_32_bits_are_needed() {
    for (name, case) in all() {
        for (_, launch) in case.launches() {
            let Some(offset) = &launch.range.offset else {
                continue;
            };
            assert_eq!(offset.len(), launch.range.global.len(), "{name}");
            let far = offset.iter().zip(&launch.range.global);
            let far = far
                .into_iter()
                .any(|(o, g)| o.saturating_add(*g) > u64::from(u32::MAX));
            assert!(
                !far || case.needs.contains(&Need::Bits64),
                "{name}: {offset:?}"
            );
        }
    }
}

#[test]
fn atomics_on_64_bits_are_needed() {
    let mut seen = 0;
    for (name, case) in all() {
        let types = ["atomic_long", "atomic_ulong", "atomic_double"];
        let wide = types.iter().any(|ty| case.source.contains(ty));
        assert!(!wide || case.needs.contains(&Need::Int64Atomics), "{name}");
        let pragma = case.source.contains("cl_khr_int64_base_atomics");
        assert!(!wide || pragma, "{name}: the extension is enabled");
        seen += u32::from(wide);
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn queues_on_the_device_are_made_where_kernels_enqueue() {
    for (name, case) in all() {
        let enqueues = case.source.contains("enqueue_kernel(");
        assert_eq!(case.device_queues.len(), usize::from(enqueues), "{name}");
        let given = |arg: &Arg| matches!(arg, Arg::Queue(_));
        let given = case.launches().any(|(_, l)| l.args.iter().any(given));
        let default = case.source.contains("get_default_queue()");
        assert!(!(given && default), "{name}: one of the two");
        assert_eq!(enqueues, given || default, "{name}");
        let is_default = case.device_queues.iter().any(|queue| queue.default);
        assert_eq!(default, is_default, "{name}");
        let profiles = case.source.contains("capture_event_profiling_info(");
        let takes = case.device_queues.iter().any(|queue| queue.profiling);
        assert!(!profiles || takes, "{name}: times are taken");
    }
}

#[test]
fn a_second_device_or_queue_has_a_launch() {
    for (name, case) in all() {
        for queue in 1..=case.queues.len() {
            let on = case.launches().any(|(_, l)| usize::from(l.queue) == queue);
            assert!(on, "{name}: queue {queue}");
        }
        let numbers = case.launches().flat_map(|(_, launch)| uints(launch));
        assert!(numbers.count() < 200, "{name}: arguments");
    }
}
