//! Bytes of memory that the host shares with a device: volatile accesses, so that what an implementation
//! does there against the rules shows.

use std::ptr;

/// Whether the bytes can be taken as 32-bit words.
fn as_words(address: usize, bytes: usize) -> bool {
    address.is_multiple_of(4) && bytes.is_multiple_of(4)
}

/// Reads so many bytes.
///
/// # Safety
/// There are so many, and they may be read.
pub unsafe fn read(address: usize, bytes: usize, to: &mut Vec<u8>) {
    if as_words(address, bytes) {
        let from: *const u32 = ptr::with_exposed_provenance(address);
        for n in 0..bytes / 4 {
            // SAFETY: by the caller.
            to.extend(unsafe { from.add(n).read_volatile() }.to_ne_bytes());
        }
    } else {
        let from: *const u8 = ptr::with_exposed_provenance(address);
        // SAFETY: by the caller.
        to.extend((0..bytes).map(|n| unsafe { from.add(n).read_volatile() }));
    }
}

/// Writes bytes.
///
/// # Safety
/// There is room for them, which may be written.
pub unsafe fn write(address: usize, bytes: &[u8]) {
    if as_words(address, bytes.len()) {
        let to: *mut u32 = ptr::with_exposed_provenance_mut(address);
        for (n, word) in bytes.chunks_exact(4).enumerate() {
            let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
            // SAFETY: by the caller.
            unsafe { to.add(n).write_volatile(word) };
        }
    } else {
        let to: *mut u8 = ptr::with_exposed_provenance_mut(address);
        for (n, byte) in bytes.iter().enumerate() {
            // SAFETY: by the caller.
            unsafe { to.add(n).write_volatile(*byte) };
        }
    }
}
