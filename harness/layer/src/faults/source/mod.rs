//! Kernel sources mutated before the compiler sees them.
//!
//! | file | what it does |
//! | --- | --- |
//! | `tokens` | splits OpenCL C into tokens; strings, comments and characters stay whole |
//! | `calls` | calls in a source and their arguments |
//! | `rewrite` | changes words, orders and scopes, and removes calls |
//! | `instead` | what takes the place of a whole call |
//! | `loops` | loops that end early |
//! | `module` | changes the words of SPIR-V |
//!
//! The changes are made on tokens of the source as it is given, before the preprocessor: a word in
//! a comment or a string is never touched, the body of a macro is. What hides behind a macro's
//! parameters or behind another name (`#define F mem_fence`, `-D ORDER=…`) is not seen. Lines keep
//! their numbers. Programs from IL and binaries are not changed.

mod calls;
mod instead;
mod loops;
mod module;
pub(crate) mod rewrite;
pub(crate) mod tokens;

pub(crate) use module::create_program_with_il;

use super::active;
use super::call::Call;
use crate::shared::lock;
use classay_faults::{Carrier, SourceMutation};
use libc::{c_char, size_t};
use opencl_sys::{cl_program, cl_uint};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::slice;
use std::sync::Mutex;

/// The source as one text, or none where the arguments are wrong and the implementation is to say so.
///
/// # Safety
/// As `clCreateProgramWithSource` asks of `count`, `strings` and `lengths`.
unsafe fn joined(
    count: cl_uint,
    strings: *const *const c_char,
    lengths: *const size_t,
) -> Option<Vec<u8>> {
    if count == 0 || strings.is_null() {
        return None;
    }
    let mut source = Vec::new();
    for index in 0..count as usize {
        // SAFETY: `strings`, and `lengths` where there is one, have `count` elements.
        let (string, length) = unsafe {
            (
                *strings.add(index),
                if lengths.is_null() {
                    0
                } else {
                    *lengths.add(index)
                },
            )
        };
        if string.is_null() {
            return None;
        }
        // SAFETY: a length of zero says that the string ends with a NUL, another how long it is.
        source.extend_from_slice(unsafe {
            if length == 0 {
                CStr::from_ptr(string).to_bytes()
            } else {
                slice::from_raw_parts(string.cast(), length)
            }
        });
    }
    Some(source)
}

/// Whether a mutation changes what is compiled of a source. Those that depend on the sources before
/// it may.
pub(crate) fn changes(mutation: SourceMutation, source: &[u8]) -> bool {
    match mutation {
        SourceMutation::StaleSource | SourceMutation::RebuiltDiffers => true,
        other => rewrite::mutate(source, &[other]) != source,
    }
}

/// A source as the fault of this name mutates it, for programs that open the shared library: writes at
/// most `capacity` bytes of it to `text`, without a NUL, and returns how many it has; 0 where no fault of
/// sources has the name.
///
/// # Safety
/// `id` and `source` are C strings, and there are `capacity` bytes at `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn classay_layer_mutated(
    id: *const c_char,
    source: *const c_char,
    text: *mut c_char,
    capacity: size_t,
) -> size_t {
    // SAFETY: C strings.
    let (id, source) = unsafe { (CStr::from_ptr(id), CStr::from_ptr(source)) };
    let found = id.to_str().ok().and_then(classay_faults::find);
    let Some(Carrier::Source(mutation)) = found.map(|entry| entry.carrier) else {
        return 0;
    };
    let mutated = rewrite::mutate(source.to_bytes(), &[mutation]);
    // SAFETY: so many bytes are in one and there is room for them in the other, which are apart.
    unsafe {
        std::ptr::copy_nonoverlapping(mutated.as_ptr(), text.cast(), mutated.len().min(capacity));
    }
    mutated.len()
}

/// The first source of this length that there was: what a cache finds that looks at no more.
fn first_of_its_length(source: Vec<u8>) -> Vec<u8> {
    static SEEN: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut seen = lock(&SEEN);
    seen.entry(source.len()).or_insert(source).clone()
}

/// Whether a program of this source was created before.
fn seen_before(source: &[u8]) -> bool {
    static SEEN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    // A set of numbers is whole whenever its lock is free.
    let mut seen = lock(&SEEN);
    !seen.insert(hasher.finish())
}

/// Around `clCreateProgramWithSource`.
pub(crate) unsafe fn create_program_with_source(
    _call: &Call,
    create: impl Fn(cl_uint, *mut *const c_char, *const size_t) -> cl_program,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const size_t,
) -> cl_program {
    let mutations = active::mutations();
    // SAFETY: the caller's arguments.
    let source = unsafe { joined(count, strings, lengths) };
    if let Some(source) = source.as_ref().filter(|_| !active::break_calls()) {
        crate::effects::of_source(source, changes);
    }
    let Some(mut source) = source.filter(|_| !mutations.is_empty()) else {
        return create(count, strings, lengths);
    };
    if mutations.contains(&SourceMutation::StaleSource) {
        source = first_of_its_length(source);
    }
    let mut mutated = rewrite::mutate(&source, mutations);
    if mutations.contains(&SourceMutation::RebuiltDiffers) && seen_before(&source) {
        mutated = rewrite::mutate(&mutated, &[SourceMutation::IdRepeats]);
    }
    if mutated.is_empty() {
        // A length of zero would ask for a NUL: an empty source is a space.
        mutated.push(b' ');
    }
    let mut string = mutated.as_ptr().cast::<c_char>();
    create(1, &mut string, &mutated.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_new_once() {
        let source = b"kernel void only_here() {}";
        assert!(!seen_before(source));
        assert!(seen_before(source));
        assert!(!seen_before(b"kernel void nor_there() {}"));
    }

    #[test]
    fn a_mutated_source_is_written_as_far_as_there_is_room() {
        let mut text = [b'.'; 64];
        let mut ask = |id: &CStr, capacity: usize| {
            let source = c"mem_fence(1);";
            // SAFETY: C strings, and room for no more than there is.
            let length = unsafe {
                classay_layer_mutated(
                    id.as_ptr(),
                    source.as_ptr(),
                    text.as_mut_ptr().cast(),
                    capacity,
                )
            };
            (length, String::from_utf8_lossy(&text[..12]).into_owned())
        };
        assert_eq!(ask(c"drop-mem-fences", 4).1, "((vo........");
        let whole = (10, "((void)0);..".to_owned());
        assert_eq!(ask(c"drop-mem-fences", 64), whole);
        assert_eq!(ask(c"waits-ignored-kernel", 64).0, 0);
        assert_eq!(ask(c"no such fault", 64).0, 0);
    }

    #[test]
    fn strings_are_joined_by_their_lengths() {
        let strings = [c"int a".as_ptr(), c"bXXX".as_ptr(), c";".as_ptr()];
        let lengths: [size_t; 3] = [0, 1, 0];
        // SAFETY: arrays of three.
        let all = unsafe { joined(3, strings.as_ptr(), lengths.as_ptr()) };
        assert_eq!(all.as_deref(), Some(&b"int ab;"[..]));
        // SAFETY: NULL lengths mean C strings.
        let all = unsafe { joined(2, strings.as_ptr(), std::ptr::null()) };
        assert_eq!(all.as_deref(), Some(&b"int abXXX"[..]));
        let holes = [c"a".as_ptr(), std::ptr::null()];
        // SAFETY: an array of two.
        assert_eq!(unsafe { joined(2, holes.as_ptr(), std::ptr::null()) }, None);
        // SAFETY: nothing is read.
        let nothing = unsafe { joined(0, std::ptr::null(), std::ptr::null()) };
        assert_eq!(nothing, None);
    }
}
