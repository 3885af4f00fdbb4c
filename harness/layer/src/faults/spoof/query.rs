//! The queries of devices and platforms that a claim changes.

use super::claim::{Claim, Type, Value, Version, version};
use crate::faults::call::Call;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::ptr;

/// What `clGetDeviceInfo` reports: bytes, or an error.
type Answer = Result<Vec<u8>, cl_int>;

/// Around `clGetDeviceInfo`.
pub(crate) unsafe fn device_info(
    _call: &Call,
    next: impl Fn(size_t, *mut c_void, *mut size_t) -> cl_int,
    info: cl_device_info,
    capacity: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    let claims = crate::faults::active::claims();
    if !claims.iter().any(|claim| touches(claim, info)) {
        return next(capacity, value, size);
    }
    let truth = ask(next);
    let answer = claims
        .iter()
        .filter(|claim| touches(claim, info))
        .fold(truth, |answer, claim| about_device(claim, info, answer));
    // SAFETY: the caller's memory.
    unsafe { reply(answer, capacity, value, size) }
}

/// Around `clGetPlatformInfo`.
pub(crate) unsafe fn platform_info(
    _call: &Call,
    next: impl Fn(size_t, *mut c_void, *mut size_t) -> cl_int,
    info: cl_platform_info,
    capacity: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    let claimed = crate::faults::active::claims()
        .iter()
        .rev()
        .find_map(|claim| match claim {
            Claim::Version(version) => Some(*version),
            Claim::Bits { .. } | Claim::Answer { .. } | Claim::NoC11Atomics => None,
        });
    let Some(claimed) = claimed else {
        return next(capacity, value, size);
    };
    let truth = ask(next);
    let answer = match info {
        CL_PLATFORM_VERSION => truth.map(|text| versioned("OpenCL ", claimed, &text)),
        CL_PLATFORM_HOST_TIMER_RESOLUTION if claimed < (2, 1) => Err(CL_INVALID_VALUE),
        CL_PLATFORM_NUMERIC_VERSION | CL_PLATFORM_EXTENSIONS_WITH_VERSION if claimed < (3, 0) => {
            Err(CL_INVALID_VALUE)
        }
        CL_PLATFORM_NUMERIC_VERSION => Ok(packed(claimed).to_ne_bytes().to_vec()),
        _ => truth,
    };
    // SAFETY: the caller's memory.
    unsafe { reply(answer, capacity, value, size) }
}

/// The implementation's answer.
fn ask(next: impl Fn(size_t, *mut c_void, *mut size_t) -> cl_int) -> Answer {
    let mut size = 0;
    let status = next(0, ptr::null_mut(), &mut size);
    if status != CL_SUCCESS {
        return Err(status);
    }
    let mut bytes = vec![0u8; size];
    if size > 0 {
        // There is as much room as the implementation asked for.
        let status = next(size, bytes.as_mut_ptr().cast(), ptr::null_mut());
        if status != CL_SUCCESS {
            return Err(status);
        }
    }
    Ok(bytes)
}

/// Answers a query as OpenCL asks.
///
/// # Safety
/// `value` is NULL or has `capacity` bytes; `size` is NULL or may be written.
unsafe fn reply(answer: Answer, capacity: size_t, value: *mut c_void, size: *mut size_t) -> cl_int {
    let bytes = match answer {
        Ok(bytes) => bytes,
        Err(status) => return status,
    };
    if !value.is_null() {
        if capacity < bytes.len() {
            return CL_INVALID_VALUE;
        }
        // SAFETY: there is room for the bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len()) };
    }
    if !size.is_null() {
        // SAFETY: not NULL.
        unsafe { *size = bytes.len() };
    }
    CL_SUCCESS
}

/// The version of OpenCL that a query of devices came with.
fn introduced(info: cl_device_info) -> Version {
    match info {
        // From CL_DEVICE_IMAGE_PITCH_ALIGNMENT to CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT.
        0x104A..=0x105A => (2, 0),
        // From CL_DEVICE_IL_VERSION to CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS.
        0x105B..=0x105D => (2, 1),
        // From CL_DEVICE_NUMERIC_VERSION to CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED.
        0x105E..=0x1072 => (3, 0),
        _ => (1, 0),
    }
}

/// The OpenCL C version that goes with a version of OpenCL.
fn c_version(claimed: Version) -> Version {
    match claimed {
        (2, _) => (2, 0),
        other => other,
    }
}

fn touches(claim: &Claim, info: cl_device_info) -> bool {
    match claim {
        Claim::Bits { info: about, .. } | Claim::Answer { info: about, .. } => *about == info,
        Claim::Version(claimed) => {
            introduced(info) > *claimed
                || matches!(
                    info,
                    CL_DEVICE_VERSION
                        | CL_DEVICE_NUMERIC_VERSION
                        | CL_DEVICE_OPENCL_C_VERSION
                        | CL_DEVICE_OPENCL_C_ALL_VERSIONS
                )
        }
        Claim::NoC11Atomics => matches!(
            info,
            CL_DEVICE_OPENCL_C_VERSION
                | CL_DEVICE_OPENCL_C_ALL_VERSIONS
                | CL_DEVICE_OPENCL_C_FEATURES
                | CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES
                | CL_DEVICE_ATOMIC_FENCE_CAPABILITIES
        ),
    }
}

/// What is said instead of the truth.
fn about_device(claim: &Claim, info: cl_device_info, truth: Answer) -> Answer {
    match claim {
        Claim::Bits { mask, present, .. } => {
            // A query that the implementation does not know has no bits.
            let bits = truth
                .ok()
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u64::from_ne_bytes);
            let bits = if *present { bits | mask } else { bits & !mask };
            Ok(bits.to_ne_bytes().to_vec())
        }
        Claim::Answer { kind, value, .. } => Ok(encoded(*kind, value)),
        Claim::Version(claimed) if introduced(info) > *claimed => Err(CL_INVALID_VALUE),
        Claim::Version(claimed) => match info {
            CL_DEVICE_NUMERIC_VERSION => Ok(packed(*claimed).to_ne_bytes().to_vec()),
            CL_DEVICE_OPENCL_C_VERSION => {
                truth.map(|text| versioned("OpenCL C ", c_version(*claimed), &text))
            }
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
                truth.map(|list| named(&list, |_, v| v <= c_version(*claimed)))
            }
            _ => truth.map(|text| versioned("OpenCL ", *claimed, &text)),
        },
        Claim::NoC11Atomics => match info {
            CL_DEVICE_OPENCL_C_VERSION => truth.map(|text| versioned("OpenCL C ", (1, 2), &text)),
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => truth.map(|list| named(&list, |_, v| v <= (1, 2))),
            CL_DEVICE_OPENCL_C_FEATURES => {
                truth.map(|list| named(&list, |name, _| !name.starts_with(b"__opencl_c_atomic_")))
            }
            _ => truth.map(|bytes| vec![0; bytes.len()]),
        },
    }
}

fn encoded(kind: Type, value: &Value) -> Vec<u8> {
    match value {
        Value::Text(text) => [text.as_bytes(), b"\0"].concat(),
        Value::Number(number) => match kind {
            // The grammar took only numbers that fit.
            Type::U32 => (*number as u32).to_ne_bytes().to_vec(),
            Type::Size => (*number as usize).to_ne_bytes().to_vec(),
            Type::U64 | Type::Text => number.to_ne_bytes().to_vec(),
        },
    }
}

/// `CL_MAKE_VERSION`.
fn packed((major, minor): Version) -> u32 {
    major << 22 | (minor & 0x3FF) << 12
}

/// A version string with another version: the prefix, the version, and what the text had behind.
fn versioned(prefix: &str, (major, minor): Version, text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end_matches('\0');
    let behind = text
        .strip_prefix(prefix)
        .and_then(|rest| rest.split_once(' '))
        .filter(|(old, _)| version(old).is_some())
        .map_or("", |(_, behind)| behind);
    format!("{prefix}{major}.{minor} {behind}\0").into_bytes()
}

/// The entries of a list of `cl_name_version` that are kept.
fn named(list: &[u8], keep: impl Fn(&[u8], Version) -> bool) -> Vec<u8> {
    let size = size_of::<cl_version>() + CL_NAME_VERSION_MAX_NAME_SIZE;
    list.chunks_exact(size)
        .filter(|entry| {
            let (version, name) = entry.split_at(size_of::<cl_version>());
            let packed = version.try_into().map_or(0, u32::from_ne_bytes);
            keep(name, (packed >> 22, packed >> 12 & 0x3FF))
        })
        .flatten()
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(claim: &str, info: cl_device_info, truth: Answer) -> Answer {
        let claim = Claim::parse(claim).expect("a claim");
        if touches(&claim, info) {
            about_device(&claim, info, truth)
        } else {
            truth
        }
    }

    fn list(entries: &[(&str, Version)]) -> Vec<u8> {
        entries
            .iter()
            .flat_map(|(name, version)| {
                let mut entry = packed(*version).to_ne_bytes().to_vec();
                entry.extend_from_slice(name.as_bytes());
                entry.resize(68, 0);
                entry
            })
            .collect()
    }

    #[test]
    fn bits_are_claimed_and_denied() {
        let truth = Ok(0b0011u64.to_ne_bytes().to_vec());
        let svm = CL_DEVICE_SVM_CAPABILITIES;
        assert_eq!(
            say("no-svm", svm, truth.clone()),
            Ok(0u64.to_ne_bytes().to_vec())
        );
        assert_eq!(
            say("svm-atomics", svm, truth),
            Ok(0b1011u64.to_ne_bytes().to_vec())
        );
        let unknown = Err(CL_INVALID_VALUE);
        assert_eq!(
            say("svm-atomics", svm, unknown),
            Ok(8u64.to_ne_bytes().to_vec())
        );
    }

    #[test]
    fn an_old_version_knows_no_new_queries() {
        let truth = || Ok(vec![1; 8]);
        let denied = Err(CL_INVALID_VALUE);
        assert_eq!(
            say("version:1.2", CL_DEVICE_SVM_CAPABILITIES, truth()),
            denied
        );
        assert_eq!(
            say("version:1.2", CL_DEVICE_OPENCL_C_FEATURES, truth()),
            denied
        );
        assert_eq!(
            say("version:2.0", CL_DEVICE_SVM_CAPABILITIES, truth()),
            truth()
        );
        assert_eq!(
            say("version:2.0", CL_DEVICE_NUMERIC_VERSION, truth()),
            denied
        );
        assert_eq!(
            say(
                "version:1.2",
                CL_DEVICE_VERSION,
                Ok(b"OpenCL 3.0 Fake build 7\0".to_vec())
            ),
            Ok(b"OpenCL 1.2 Fake build 7\0".to_vec())
        );
    }

    #[test]
    fn without_c11_atomics_the_language_stops_at_1_2() {
        let versions = list(&[
            ("OpenCL C", (1, 1)),
            ("OpenCL C", (1, 2)),
            ("OpenCL C", (3, 0)),
        ]);
        assert_eq!(
            say(
                "no-c11-atomics",
                CL_DEVICE_OPENCL_C_ALL_VERSIONS,
                Ok(versions)
            ),
            Ok(list(&[("OpenCL C", (1, 1)), ("OpenCL C", (1, 2))]))
        );
        let features = list(&[
            ("__opencl_c_atomic_order_seq_cst", (3, 0)),
            ("__opencl_c_int64", (3, 0)),
        ]);
        assert_eq!(
            say("no-c11-atomics", CL_DEVICE_OPENCL_C_FEATURES, Ok(features)),
            Ok(list(&[("__opencl_c_int64", (3, 0))]))
        );
        let version = Ok(b"OpenCL 3.0 x\0".to_vec());
        assert_eq!(
            say("no-c11-atomics", CL_DEVICE_VERSION, version.clone()),
            version
        );
    }

    #[test]
    fn too_little_room_is_an_error_and_no_write() {
        let mut memory = [9u8; 2];
        let mut size = 7;
        // SAFETY: two bytes, as said.
        let status = unsafe { reply(Ok(vec![1; 3]), 2, memory.as_mut_ptr().cast(), &mut size) };
        assert_eq!((status, memory, size), (CL_INVALID_VALUE, [9; 2], 7));
        // SAFETY: no room is needed to ask for the size.
        let status = unsafe { reply(Ok(vec![1; 3]), 0, ptr::null_mut(), &mut size) };
        assert_eq!((status, size), (CL_SUCCESS, 3));
    }
}
