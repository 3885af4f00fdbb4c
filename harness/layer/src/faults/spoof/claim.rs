//! What can be claimed, and how a claim is written.

use classay_faults::{Carrier, SpoofedCapability};
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

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claim {
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
pub(crate) enum NoClaim {
    #[error("unknown claim '{0}'")]
    Unknown(String),
    #[error("claim '{0}' has no version: expected version:MAJOR.MINOR, like version:1.2")]
    Version(String),
    #[error("claim '{0}' has no value: expected {0}:VALUE")]
    NoValue(String),
    #[error("'{1}' is no value for {0}: expected a number, decimal or 0x…, that fits its type")]
    Number(String, String),
}

const SVM: cl_device_info = CL_DEVICE_SVM_CAPABILITIES;
const MEMORY: cl_device_info = CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES;
const FENCE: cl_device_info = CL_DEVICE_ATOMIC_FENCE_CAPABILITIES;

/// A capability that a bit-field reports.
const fn bits(present: bool, info: cl_device_info, mask: u64) -> Claim {
    Claim::Bits {
        info,
        mask,
        present,
    }
}

/// A capability that a `cl_bool` reports.
const fn flag(present: bool, info: cl_device_info) -> Claim {
    Claim::Answer {
        info,
        kind: Type::U32,
        value: Value::Number(present as u64),
    }
}

/// A capability that is claimed or denied.
fn spoofed(capability: SpoofedCapability, present: bool) -> Claim {
    use SpoofedCapability::*;
    match capability {
        Svm => bits(present, SVM, 0xF),
        SvmCoarseGrainBuffer => bits(present, SVM, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
        SvmFineGrainBuffer => bits(present, SVM, CL_DEVICE_SVM_FINE_GRAIN_BUFFER),
        SvmFineGrainSystem => bits(present, SVM, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM),
        SvmAtomics => bits(present, SVM, CL_DEVICE_SVM_ATOMICS),
        AtomicOrderRelaxed => bits(present, MEMORY, CL_DEVICE_ATOMIC_ORDER_RELAXED),
        AtomicOrderAcqRel => bits(present, MEMORY, CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        AtomicOrderSeqCst => bits(present, MEMORY, CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        AtomicScopeWorkItem => bits(present, MEMORY, CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        AtomicScopeWorkGroup => bits(present, MEMORY, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
        AtomicScopeDevice => bits(present, MEMORY, CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        AtomicScopeAllDevices => bits(present, MEMORY, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
        FenceOrderRelaxed => bits(present, FENCE, CL_DEVICE_ATOMIC_ORDER_RELAXED),
        FenceOrderAcqRel => bits(present, FENCE, CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        FenceOrderSeqCst => bits(present, FENCE, CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        FenceScopeWorkItem => bits(present, FENCE, CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        FenceScopeWorkGroup => bits(present, FENCE, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
        FenceScopeDevice => bits(present, FENCE, CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        FenceScopeAllDevices => bits(present, FENCE, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
        OutOfOrderQueue => bits(
            present,
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        ),
        DeviceEnqueue => bits(
            present,
            CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
            CL_DEVICE_QUEUE_SUPPORTED,
        ),
        GenericAddressSpace => flag(present, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT),
        NonUniformWorkGroups => flag(present, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT),
        WorkGroupCollectiveFunctions => {
            flag(present, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)
        }
        SubGroupForwardProgress => flag(present, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
        Pipes => flag(present, CL_DEVICE_PIPE_SUPPORT),
        Images => flag(present, CL_DEVICE_IMAGE_SUPPORT),
        Compiler => flag(present, CL_DEVICE_COMPILER_AVAILABLE),
        Available => flag(present, CL_DEVICE_AVAILABLE),
    }
}

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

impl Claim {
    /// Reads a claim.
    ///
    /// # Errors
    /// What in it is unknown or missing.
    pub(crate) fn parse(claim: &str) -> Result<Claim, NoClaim> {
        let (name, value) = match claim.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (claim, None),
        };
        if name == "version" {
            let version = value.and_then(version).filter(|version| *version >= (1, 0));
            return version
                .map(Claim::Version)
                .ok_or_else(|| NoClaim::Version(claim.to_owned()));
        }
        if let Some((_, info, kind)) = INFOS.iter().find(|(known, ..)| *known == name) {
            let value = value.ok_or_else(|| NoClaim::NoValue(name.to_owned()))?;
            let value = answer(*kind, value)
                .ok_or_else(|| NoClaim::Number(name.to_owned(), value.to_owned()))?;
            return Ok(Claim::Answer {
                info: *info,
                kind: *kind,
                value,
            });
        }
        let unknown = || NoClaim::Unknown(claim.to_owned());
        if value.is_some() {
            return Err(unknown());
        }
        let kebab = name.replace('_', "-");
        if kebab == "no-c11-atomics" {
            return Ok(Claim::NoC11Atomics);
        }
        let (present, known) = match kebab.strip_prefix("no-") {
            Some(known) => (false, known),
            None => (true, kebab.as_str()),
        };
        let row = classay_faults::find(&format!("spoof={known}")).ok_or_else(unknown)?;
        match row.carrier {
            Carrier::Capability(capability) => Ok(spoofed(capability, present)),
            Carrier::Call(_) | Carrier::Source(_) | Carrier::Touchstone(_) => Err(unknown()),
        }
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
    for row in classay_faults::capabilities::ROWS {
        let _ = writeln!(text, "      {}", row.id.trim_start_matches("spoof="));
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
            Claim::parse("atomic_scope_all_devices"),
            Ok(Claim::Bits {
                info: MEMORY,
                mask: CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
                present: true
            })
        );
        assert_eq!(
            Claim::parse("no-svm"),
            Ok(Claim::Bits {
                info: SVM,
                mask: 0xF,
                present: false
            })
        );
        assert_eq!(Claim::parse("version:1.2"), Ok(Claim::Version((1, 2))));
        assert_eq!(
            Claim::parse("CL_DEVICE_SVM_CAPABILITIES:0x3"),
            Ok(Claim::Answer {
                info: SVM,
                kind: Type::U64,
                value: Value::Number(3)
            })
        );
        assert_eq!(
            Claim::parse("CL_DEVICE_NAME:a: b"),
            Ok(Claim::Answer {
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
            assert!(Claim::parse(claim).is_err(), "{claim}");
        }
    }
}
