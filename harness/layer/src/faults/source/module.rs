//! Changes the words of SPIR-V modules (SPIR-V specification, "Physical Layout of a SPIR-V Module").

use crate::faults::call::Call;
use classay_faults::SourceMutation;
use libc::{c_void, size_t};
use opencl_sys::cl_program;
use std::slice;

/// Words before the first instruction.
const HEADER: usize = 5;
/// The first word of a module in the byte order of the host.
const MAGIC: u32 = 0x0723_0203;
const OP_I_ADD: u32 = 128;
const OP_I_SUB: u32 = 130;

/// A module in which integer additions subtract; none where it is no module of the host's byte order.
fn subtracting(module: &[u8]) -> Option<Vec<u32>> {
    let words = module.chunks_exact(4);
    if !words.remainder().is_empty() {
        return None;
    }
    let mut words: Vec<u32> = words
        .filter_map(|word| word.first_chunk())
        .map(|word| u32::from_ne_bytes(*word))
        .collect();
    if words.first() != Some(&MAGIC) {
        return None;
    }
    let mut at = HEADER;
    while let Some(word) = words.get_mut(at) {
        let (length, opcode) = (*word >> 16, *word & 0xffff);
        if length == 0 {
            return None;
        }
        if opcode == OP_I_ADD {
            *word = length << 16 | OP_I_SUB;
        }
        at += length as usize;
    }
    Some(words)
}

/// Around `clCreateProgramWithIL`.
pub(crate) unsafe fn create_program_with_il(
    _call: &Call,
    create: impl Fn(*const c_void, size_t) -> cl_program,
    il: *const c_void,
    length: size_t,
) -> cl_program {
    let asked = crate::faults::active::mutations().contains(&SourceMutation::IlAddition);
    let module = (!il.is_null()).then(|| {
        // SAFETY: the caller's module has so many bytes.
        unsafe { slice::from_raw_parts(il.cast::<u8>(), length) }
    });
    let other = module.and_then(subtracting);
    crate::effects::of_module(|| {
        let bytes = |words: &Vec<u32>| words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let other: Option<Vec<u8>> = other.as_ref().map(bytes);
        other.is_some_and(|other| Some(other.as_slice()) != module)
    });
    match other.filter(|_| asked) {
        None => create(il, length),
        Some(words) => create(words.as_ptr().cast(), size_of_val(words.as_slice())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn additions_alone_are_changed() {
        let header = [MAGIC, 0x0001_0000, 0, 9, 0];
        // A constant whose value looks like an addition, then one, then an exclusive or.
        let body = [
            4 << 16 | 43,
            1,
            2,
            5 << 16 | 128,
            5 << 16 | 128,
            1,
            3,
            2,
            2,
            5 << 16 | 198,
            1,
            4,
            3,
            2,
        ];
        let mut wanted = [&header[..], &body[..]].concat();
        let module = bytes(&wanted);
        wanted[9] = 5 << 16 | 130;
        assert_eq!(subtracting(&module), Some(wanted));
    }

    #[test]
    fn what_is_no_module_stays() {
        assert_eq!(subtracting(b""), None);
        assert_eq!(subtracting(b"BC\xc0\xde1"), None);
        assert_eq!(subtracting(&bytes(&[MAGIC, 0, 0, 0, 0, 128])), None);
    }
}
