//! What is declared from the start: types and enumerators of OpenCL C.

use super::Sema;
use super::builtin::RANGE;
use super::missing::{self, What};
use super::scope::{Entry, TypeEntry};
use crate::device::{Language, Version};
use crate::intern::{Interner, Symbol};
use crate::types::{Lanes, Scalar, Type};
use touchstone_ir as ir;
use touchstone_ir::{MemScope, Order};

/// `memory_order`; the numbers are this implementation's own.
pub(super) const MEMORY_ORDERS: [(&str, u64, Order); 5] = [
    ("memory_order_relaxed", 0, Order::Relaxed),
    ("memory_order_acquire", 2, Order::Acquire),
    ("memory_order_release", 3, Order::Release),
    ("memory_order_acq_rel", 4, Order::AcqRel),
    ("memory_order_seq_cst", 5, Order::SeqCst),
];

/// `memory_scope`; the numbers are this implementation's own.
pub(super) const MEMORY_SCOPES: [(&str, u64, MemScope); 6] = [
    ("memory_scope_work_item", 0, MemScope::WorkItem),
    ("memory_scope_work_group", 1, MemScope::WorkGroup),
    ("memory_scope_device", 2, MemScope::Device),
    ("memory_scope_all_svm_devices", 3, MemScope::AllDevices),
    ("memory_scope_all_devices", 3, MemScope::AllDevices),
    ("memory_scope_sub_group", 4, MemScope::SubGroup),
];

const ATOMIC_TYPES: [(&str, Scalar); 10] = [
    ("atomic_int", Scalar::Int),
    ("atomic_uint", Scalar::UInt),
    ("atomic_long", Scalar::Long),
    ("atomic_ulong", Scalar::ULong),
    ("atomic_float", Scalar::Float),
    ("atomic_double", Scalar::Double),
    ("atomic_intptr_t", Scalar::PTRDIFF),
    ("atomic_uintptr_t", Scalar::SIZE),
    ("atomic_size_t", Scalar::SIZE),
    ("atomic_ptrdiff_t", Scalar::PTRDIFF),
];

const SIZED: [(&str, Scalar); 4] = [
    ("size_t", Scalar::SIZE),
    ("ptrdiff_t", Scalar::PTRDIFF),
    ("intptr_t", Scalar::PTRDIFF),
    ("uintptr_t", Scalar::SIZE),
];

const UNSIGNED: [Scalar; 4] = [Scalar::UChar, Scalar::UShort, Scalar::UInt, Scalar::ULong];

/// A type that is declared from the start.
enum Known {
    Type(Type, Option<&'static str>),
    /// `ndrange_t`
    Range,
    Missing(&'static str),
}

/// Every type name of the language, with its meaning.
fn known_types(language: &Language) -> Vec<(String, Known)> {
    let mut out = Vec::new();
    let mut add = |name: &str, known| out.push((name.to_owned(), known));
    let plain = |ty| Known::Type(ty, None);
    for scalar in UNSIGNED {
        add(scalar.name(), plain(Type::Scalar(scalar)));
    }
    for &scalar in Scalar::ALL.iter().filter(|&&scalar| scalar != Scalar::Bool) {
        for lanes in [Lanes::L2, Lanes::L3, Lanes::L4, Lanes::L8, Lanes::L16] {
            let name = format!("{}{}", scalar.name(), lanes.count());
            add(&name, plain(Type::Vector(scalar, lanes)));
        }
    }
    for (name, scalar) in SIZED {
        add(name, Known::Type(Type::Scalar(scalar), Some(name)));
    }
    if language.atomics {
        for (name, scalar) in ATOMIC_TYPES {
            add(name, plain(Type::Atomic(scalar)));
        }
        add("atomic_half", Known::Missing("atomic_half"));
        add("atomic_flag", plain(Type::AtomicFlag));
        add("memory_order", plain(Type::Scalar(Scalar::Int)));
        add("memory_scope", plain(Type::Scalar(Scalar::Int)));
    }
    add("cl_mem_fence_flags", plain(Type::Scalar(Scalar::UInt)));
    add("event_t", Known::Type(Type::Event, Some("event_t")));
    for kind in ir::ImageKind::ALL {
        // Those of one dimension and arrays came with 1.2.
        let old = matches!(kind, ir::ImageKind::D2 | ir::ImageKind::D3);
        let there = match kind.has_depth() {
            true => language.depth_images,
            false => language.images && (old || language.version >= Version::V1_2),
        };
        if there {
            add(kind.name(), plain(Type::Image(kind, ir::ImageAccess::Read)));
        } else if kind.has_depth() {
            add(kind.name(), Known::Missing("depth images"));
        }
    }
    if language.pipes {
        let id = "reserve_id_t";
        add(id, Known::Type(Type::Reservation, Some(id)));
    }
    if language.device_enqueue {
        add("queue_t", plain(Type::Queue));
        let event = "clk_event_t";
        add(event, Known::Type(Type::DeviceEvent, Some(event)));
        add(RANGE, Known::Range);
        add("kernel_enqueue_flags_t", plain(Type::Scalar(Scalar::Int)));
        add("clk_profiling_info", plain(Type::Scalar(Scalar::Int)));
    }
    if language.images {
        add("sampler_t", plain(Type::Sampler));
    }
    for (name, feature) in missing::names(What::Type) {
        add(name, Known::Missing(feature));
    }
    out
}

/// The names that are types from the start, for the parser.
pub(crate) fn type_names(language: &Language, names: &mut Interner) -> Vec<Symbol> {
    known_types(language)
        .into_iter()
        .map(|(name, _)| names.intern(&name))
        .collect()
}

impl Sema<'_> {
    /// Fills the outermost scope.
    pub(super) fn declare_known_names(&mut self) {
        for (name, known) in known_types(self.language) {
            let symbol = self.names.intern(&name);
            let entry = match known {
                Known::Type(ty, not_for_kernels) => TypeEntry::Known {
                    qual: self.types.plain(ty),
                    space: None,
                    not_for_kernels,
                },
                Known::Range => TypeEntry::Known {
                    qual: self.range_type(),
                    space: None,
                    not_for_kernels: Some(RANGE),
                },
                Known::Missing(feature) => TypeEntry::Missing(feature),
            };
            self.scopes.declare(symbol, Entry::Typedef(entry));
        }
        if !self.language.atomics {
            return;
        }
        let language = self.language;
        let has = |name: &str| match name {
            "memory_order_seq_cst" => language.order_seq_cst,
            "memory_scope_sub_group" => language.sub_groups,
            "memory_scope_all_svm_devices" => language.scope_all_devices,
            "memory_scope_all_devices" => {
                language.scope_all_devices && language.version >= Version::V3_0
            }
            _ => true,
        };
        let orders = MEMORY_ORDERS.map(|(name, value, _)| (name, value));
        let scopes = MEMORY_SCOPES.map(|(name, value, _)| (name, value));
        for (name, value) in orders.into_iter().chain(scopes) {
            if has(name) {
                let symbol = self.names.intern(name);
                let entry = Entry::Enumerator(value, Scalar::Int);
                self.scopes.declare(symbol, entry);
            }
        }
    }
}
