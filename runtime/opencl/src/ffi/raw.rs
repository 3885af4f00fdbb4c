//! Reading what callers pass as bare pointers.

use std::ffi::{CStr, c_char, c_void};

/// An array of `count` elements; empty when the count is zero, whatever the pointer is.
///
/// # Safety
/// If `count` is not zero, `pointer` is valid for reads of that many elements for `'a`.
pub unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if count == 0 || pointer.is_null() {
        &[]
    } else {
        // SAFETY: not null, and the caller vouches for the length.
        unsafe { std::slice::from_raw_parts(pointer, count) }
    }
}

/// Writes a value where the caller asked for it, if it did.
///
/// # Safety
/// `pointer` is null or valid for a write.
pub unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: not null, and the caller vouches for it.
        unsafe { pointer.write(value) };
    }
}

/// Writes values to a list where the caller asked for them, as many as fit.
///
/// # Safety
/// `list` is null or valid for `room` writes.
pub unsafe fn put_all<T>(list: *mut T, room: usize, values: impl IntoIterator<Item = T>) {
    if !list.is_null() {
        for (at, value) in values.into_iter().take(room).enumerate() {
            // SAFETY: not null, and the caller vouches for the room.
            unsafe { list.add(at).write(value) };
        }
    }
}

/// A zero-terminated string; `None` for null. Bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `pointer` is null or points at a zero-terminated string.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller vouches for the terminator.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().into_owned())
}

/// A list of (key, value) pairs ended by a zero key, as it was passed: the zero included,
/// empty for null.
///
/// # Safety
/// `pointer` is null or points at such a list.
pub unsafe fn property_list<T: Copy + Default + PartialEq>(pointer: *const T) -> Vec<T> {
    let mut list = Vec::new();
    if pointer.is_null() {
        return list;
    }
    let mut next = pointer;
    loop {
        // SAFETY: the list has not ended before this key, so the key is there to read.
        let key = unsafe { next.read() };
        list.push(key);
        if key == T::default() {
            return list;
        }
        // SAFETY: a key that is not zero is followed by its value and another key.
        unsafe {
            list.push(next.add(1).read());
            next = next.add(2);
        }
    }
}

/// The pairs of a list made by [`property_list`].
pub fn pairs<T: Copy>(list: &[T]) -> impl Iterator<Item = (T, T)> {
    list.chunks_exact(2).map(|pair| (pair[0], pair[1]))
}

/// Three sizes (an origin or a region); `None` for null.
///
/// # Safety
/// `pointer` is null or valid for reads of three elements.
pub unsafe fn triple(pointer: *const usize) -> Option<[usize; 3]> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller vouches for three elements.
    Some(unsafe { pointer.cast::<[usize; 3]>().read_unaligned() })
}

/// A host address that a command will use later, on another thread.
#[derive(Clone, Copy, Debug)]
pub struct HostAddress(*mut u8);

// SAFETY: this is only an address. The application promises, by the rules of the call
// that passed it, that the memory stays valid and is used by nobody else until the
// command completes; the code that dereferences it repeats that promise.
unsafe impl Send for HostAddress {}
// SAFETY: as above; sharing an address gives no access by itself.
unsafe impl Sync for HostAddress {}

impl HostAddress {
    /// Keeps an address the application passed.
    pub fn new(pointer: *const c_void) -> Self {
        Self(pointer.cast_mut().cast())
    }

    /// The address back.
    pub fn get(self) -> *mut u8 {
        self.0
    }
}
