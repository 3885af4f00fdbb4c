//! What can be claimed, and how a claim is written.

use opencl_sys::*;
use std::fmt::Write;

/// The type of a query's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// `cl_uint`, `cl_bool` and enumerations.
    U32,
    /// `cl_ulong` and bit-fields.
    U64,
    /// `size_t`.
    Size,
    /// A string.
    Text,
}

/// The value of a query's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number of the query's type.
    Number(u64),
    /// A string, without its NUL.
    Text(String),
}

/// A version, as (major, minor).
pub(crate) type Version = (u32, u32);

/// One lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lie {
    /// Bits of a bit-field are there, or are not.
    Bits {
        /// The query.
        info: cl_device_info,
        /// The bits.
        mask: u64,
        /// Whether they are claimed or denied.
        present: bool,
    },
    /// A query of a device has this answer.
    Answer {
        /// The query.
        info: cl_device_info,
        /// The type of its answer.
        kind: Type,
        /// The answer.
        value: Value,
    },
    /// Platform and device have this OpenCL version, and OpenCL C the one that goes with it.
    Version(Version),
    /// OpenCL C stops before C11 atomics, though the device's version stays.
    NoC11Atomics,
}

/// A word that is no claim.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoLie {
    #[error("unknown lie '{0}'")]
    Unknown(String),
    #[error("lie '{0}' has no version: expected version:MAJOR.MINOR, like version:1.2")]
    Version(String),
    #[error("lie '{0}' has no value: expected {0}:VALUE")]
    NoValue(String),
    #[error("'{1}' is no value for {0}: expected a number, decimal or 0x…, that fits its type")]
    Number(String, String),
}

/// A capability with a short name.
struct Capability {
    name: &'static str,
    info: cl_device_info,
    is: Is,
}

/// How a query says that a capability is there.
enum Is {
    /// By bits of a bit-field.
    Bits(u64),
    /// By a `cl_bool`.
    True,
}

const fn bits(name: &'static str, info: cl_device_info, mask: u64) -> Capability {
    Capability {
        name,
        info,
        is: Is::Bits(mask),
    }
}

const fn flag(name: &'static str, info: cl_device_info) -> Capability {
    Capability {
        name,
        info,
        is: Is::True,
    }
}

const SVM: cl_device_info = CL_DEVICE_SVM_CAPABILITIES;
const MEMORY: cl_device_info = CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES;
const FENCE: cl_device_info = CL_DEVICE_ATOMIC_FENCE_CAPABILITIES;

const CAPABILITIES: &[Capability] = &[
    bits("svm", SVM, 0xF),
    bits(
        "svm-coarse-grain-buffer",
        SVM,
        CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
    ),
    bits(
        "svm-fine-grain-buffer",
        SVM,
        CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
    ),
    bits(
        "svm-fine-grain-system",
        SVM,
        CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
    ),
    bits("svm-atomics", SVM, CL_DEVICE_SVM_ATOMICS),
    bits(
        "atomic-order-relaxed",
        MEMORY,
        CL_DEVICE_ATOMIC_ORDER_RELAXED,
    ),
    bits(
        "atomic-order-acq-rel",
        MEMORY,
        CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
    ),
    bits(
        "atomic-order-seq-cst",
        MEMORY,
        CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
    ),
    bits(
        "atomic-scope-work-item",
        MEMORY,
        CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
    ),
    bits(
        "atomic-scope-work-group",
        MEMORY,
        CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
    ),
    bits("atomic-scope-device", MEMORY, CL_DEVICE_ATOMIC_SCOPE_DEVICE),
    bits(
        "atomic-scope-all-devices",
        MEMORY,
        CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
    ),
    bits("fence-order-relaxed", FENCE, CL_DEVICE_ATOMIC_ORDER_RELAXED),
    bits("fence-order-acq-rel", FENCE, CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
    bits("fence-order-seq-cst", FENCE, CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
    bits(
        "fence-scope-work-item",
        FENCE,
        CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
    ),
    bits(
        "fence-scope-work-group",
        FENCE,
        CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
    ),
    bits("fence-scope-device", FENCE, CL_DEVICE_ATOMIC_SCOPE_DEVICE),
    bits(
        "fence-scope-all-devices",
        FENCE,
        CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
    ),
    bits(
        "out-of-order-queue",
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    ),
    bits(
        "device-enqueue",
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
        CL_DEVICE_QUEUE_SUPPORTED,
    ),
    flag(
        "generic-address-space",
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
    ),
    flag(
        "non-uniform-work-groups",
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
    ),
    flag(
        "work-group-collective-functions",
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
    ),
    flag(
        "sub-group-forward-progress",
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
    ),
    flag("pipes", CL_DEVICE_PIPE_SUPPORT),
    flag("images", CL_DEVICE_IMAGE_SUPPORT),
    flag("compiler", CL_DEVICE_COMPILER_AVAILABLE),
    flag("available", CL_DEVICE_AVAILABLE),
];

macro_rules! infos {
    ($($name:ident $kind:ident),* $(,)?) => {
        /// The queries whose whole answer can be replaced.
        const INFOS: &[(&str, cl_device_info, Type)] =
            &[$((stringify!($name), $name, Type::$kind)),*];
    };
}

infos![
    CL_DEVICE_NAME Text,
    CL_DEVICE_VENDOR Text,
    CL_DRIVER_VERSION Text,
    CL_DEVICE_PROFILE Text,
    CL_DEVICE_VERSION Text,
    CL_DEVICE_OPENCL_C_VERSION Text,
    CL_DEVICE_EXTENSIONS Text,
    CL_DEVICE_IL_VERSION Text,
    CL_DEVICE_TYPE U64,
    CL_DEVICE_VENDOR_ID U32,
    CL_DEVICE_ADDRESS_BITS U32,
    CL_DEVICE_NUMERIC_VERSION U32,
    CL_DEVICE_MAX_COMPUTE_UNITS U32,
    CL_DEVICE_MAX_NUM_SUB_GROUPS U32,
    CL_DEVICE_MAX_WORK_GROUP_SIZE Size,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE U64,
    CL_DEVICE_GLOBAL_MEM_SIZE U64,
    CL_DEVICE_LOCAL_MEM_SIZE U64,
    CL_DEVICE_LOCAL_MEM_TYPE U32,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE Size,
    CL_DEVICE_PROFILING_TIMER_RESOLUTION Size,
    CL_DEVICE_SVM_CAPABILITIES U64,
    CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES U64,
    CL_DEVICE_ATOMIC_FENCE_CAPABILITIES U64,
    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES U64,
    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES U64,
    CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES U64,
    CL_DEVICE_EXECUTION_CAPABILITIES U64,
];

impl Lie {
    /// Reads a claim.
    ///
    /// # Errors
    /// What in it is unknown or missing.
    pub(crate) fn parse(claim: &str) -> Result<Lie, NoLie> {
        let (name, value) = match claim.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (claim, None),
        };
        if name == "version" {
            let version = value.and_then(version).filter(|version| *version >= (1, 0));
            return version
                .map(Lie::Version)
                .ok_or_else(|| NoLie::Version(claim.to_owned()));
        }
        if let Some((_, info, kind)) = INFOS.iter().find(|(known, ..)| *known == name) {
            let value = value.ok_or_else(|| NoLie::NoValue(name.to_owned()))?;
            let value = answer(*kind, value)
                .ok_or_else(|| NoLie::Number(name.to_owned(), value.to_owned()))?;
            return Ok(Lie::Answer {
                info: *info,
                kind: *kind,
                value,
            });
        }
        let unknown = || NoLie::Unknown(claim.to_owned());
        if value.is_some() {
            return Err(unknown());
        }
        let kebab = name.replace('_', "-");
        if kebab == "no-c11-atomics" {
            return Ok(Lie::NoC11Atomics);
        }
        let (present, known) = match kebab.strip_prefix("no-") {
            Some(known) => (false, known),
            None => (true, kebab.as_str()),
        };
        let capability = CAPABILITIES
            .iter()
            .find(|capability| capability.name == known)
            .ok_or_else(unknown)?;
        let info = capability.info;
        Ok(match capability.is {
            Is::Bits(mask) => Lie::Bits {
                info,
                mask,
                present,
            },
            Is::True => Lie::Answer {
                info,
                kind: Type::U32,
                value: Value::Number(present.into()),
            },
        })
    }
}

/// `MAJOR.MINOR`.
pub(super) fn version(word: &str) -> Option<Version> {
    let (major, minor) = word.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn answer(kind: Type, word: &str) -> Option<Value> {
    let number = || match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    match kind {
        Type::Text => Some(Value::Text(word.to_owned())),
        Type::U32 => number()
            .filter(|n| u32::try_from(*n).is_ok())
            .map(Value::Number),
        Type::U64 => number().map(Value::Number),
        Type::Size => number()
            .filter(|n| usize::try_from(*n).is_ok())
            .map(Value::Number),
    }
}

/// The claims, for people.
pub(crate) fn listing(text: &mut String) {
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "  version:X.Y, platform and device; OpenCL C as far as that goes"
    );
    let _ = writeln!(
        text,
        "  no-c11-atomics, OpenCL C stops at 1.2, no atomic capabilities"
    );
    let _ = writeln!(text, "  CAPABILITY claims it, no-CAPABILITY denies it:");
    for capability in CAPABILITIES {
        let _ = writeln!(text, "      {}", capability.name);
    }
    let _ = writeln!(text, "  QUERY:VALUE, a number or a text without commas:");
    for (name, ..) in INFOS {
        let _ = writeln!(text, "      {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read() {
        assert_eq!(
            Lie::parse("atomic_scope_all_devices"),
            Ok(Lie::Bits {
                info: MEMORY,
                mask: CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
                present: true
            })
        );
        assert_eq!(
            Lie::parse("no-svm"),
            Ok(Lie::Bits {
                info: SVM,
                mask: 0xF,
                present: false
            })
        );
        assert_eq!(Lie::parse("version:1.2"), Ok(Lie::Version((1, 2))));
        assert_eq!(
            Lie::parse("CL_DEVICE_SVM_CAPABILITIES:0x3"),
            Ok(Lie::Answer {
                info: SVM,
                kind: Type::U64,
                value: Value::Number(3)
            })
        );
        assert_eq!(
            Lie::parse("CL_DEVICE_NAME:a: b"),
            Ok(Lie::Answer {
                info: CL_DEVICE_NAME,
                kind: Type::Text,
                value: Value::Text("a: b".into())
            })
        );
    }

    #[test]
    fn other_words_are_refused() {
        for claim in [
            "",
            "no-",
            "version",
            "version:3",
            "version:x.y",
            "svm:1",
            "CL_DEVICE_NAME",
            "CL_DEVICE_MAX_COMPUTE_UNITS:4294967296",
            "CL_DEVICE_MAX_COMPUTE_UNITS:-1",
            "CL_DEVICE_NO_SUCH:1",
        ] {
            assert!(Lie::parse(claim).is_err(), "{claim}");
        }
    }
}
