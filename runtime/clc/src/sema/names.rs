//! What is declared from the start: types and enumerators of OpenCL C.

use super::Sema;
use super::scope::{Entry, TypeEntry};
use crate::device::{Language, Version};
use crate::intern::{Interner, Symbol};
use crate::types::{Lanes, Scalar, Type};

/// Values of `memory_order` and `memory_scope`; the numbers are this implementation's own.
pub(super) const MEMORY_ORDERS: [(&str, u64); 5] = [
    ("memory_order_relaxed", 0),
    ("memory_order_acquire", 2),
    ("memory_order_release", 3),
    ("memory_order_acq_rel", 4),
    ("memory_order_seq_cst", 5),
];

pub(super) const MEMORY_SCOPES: [(&str, u64); 6] = [
    ("memory_scope_work_item", 0),
    ("memory_scope_work_group", 1),
    ("memory_scope_device", 2),
    ("memory_scope_all_svm_devices", 3),
    ("memory_scope_all_devices", 3),
    ("memory_scope_sub_group", 4),
];

const ATOMIC_TYPES: [(&str, Scalar); 11] = [
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
    ("atomic_half", Scalar::Half),
];

/// Types of features that Touchstone does not have.
const MISSING_TYPES: [(&str, &str); 20] = [
    ("image1d_t", "images"),
    ("image1d_array_t", "images"),
    ("image1d_buffer_t", "images"),
    ("image2d_t", "images"),
    ("image2d_array_t", "images"),
    ("image2d_depth_t", "images"),
    ("image2d_array_depth_t", "images"),
    ("image2d_msaa_t", "images"),
    ("image2d_array_msaa_t", "images"),
    ("image2d_msaa_depth_t", "images"),
    ("image2d_array_msaa_depth_t", "images"),
    ("image3d_t", "images"),
    ("sampler_t", "samplers"),
    ("queue_t", "device-side enqueue"),
    ("ndrange_t", "device-side enqueue"),
    ("clk_event_t", "device-side enqueue"),
    ("clk_profiling_info", "device-side enqueue"),
    ("kernel_enqueue_flags_t", "device-side enqueue"),
    ("reserve_id_t", "pipes"),
    ("pipe_t", "pipes"),
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
    Missing(&'static str),
}

/// Every type name of the language, with its meaning.
fn known_types(language: &Language) -> Vec<(String, Known)> {
    let mut out = Vec::new();
    for scalar in UNSIGNED {
        out.push((
            scalar.name().to_owned(),
            Known::Type(Type::Scalar(scalar), None),
        ));
    }
    for &scalar in Scalar::ALL {
        if scalar == Scalar::Bool {
            continue;
        }
        for lanes in [Lanes::L2, Lanes::L3, Lanes::L4, Lanes::L8, Lanes::L16] {
            out.push((
                format!("{}{}", scalar.name(), lanes.count()),
                Known::Type(Type::Vector(scalar, lanes), None),
            ));
        }
    }
    for (name, scalar) in SIZED {
        out.push((
            name.to_owned(),
            Known::Type(Type::Scalar(scalar), Some(name)),
        ));
    }
    if language.atomics {
        for (name, scalar) in ATOMIC_TYPES {
            let known = match scalar {
                Scalar::Half => Known::Missing("atomic_half"),
                _ => Known::Type(Type::Atomic(scalar), None),
            };
            out.push((name.to_owned(), known));
        }
        out.push((
            "atomic_flag".to_owned(),
            Known::Type(Type::AtomicFlag, None),
        ));
        for name in ["memory_order", "memory_scope"] {
            out.push((
                name.to_owned(),
                Known::Type(Type::Scalar(Scalar::Int), None),
            ));
        }
    }
    out.push((
        "cl_mem_fence_flags".to_owned(),
        Known::Type(Type::Scalar(Scalar::UInt), None),
    ));
    out.push((
        "event_t".to_owned(),
        Known::Type(Type::Event, Some("event_t")),
    ));
    for (name, feature) in MISSING_TYPES {
        out.push((name.to_owned(), Known::Missing(feature)));
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
            "memory_scope_all_svm_devices" => language.scope_all_devices,
            "memory_scope_all_devices" => {
                language.scope_all_devices && language.version >= Version::V3_0
            }
            _ => true,
        };
        for (name, value) in MEMORY_ORDERS.into_iter().chain(MEMORY_SCOPES) {
            if has(name) {
                let symbol = self.names.intern(name);
                self.scopes
                    .declare(symbol, Entry::Enumerator(value, Scalar::Int));
            }
        }
    }
}
