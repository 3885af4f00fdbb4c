//! The file in which a layer tells how much of what a program does each of its faults would change.
//!
//! The file that [`VARIABLE`] names has a count of 64 bits in the byte order of the host for each fault, in the order
//! of the layer's table ([`crate::all`] of the OpenCL layer, [`crate::vulkan::ROWS`] of the Vulkan layer), as shared
//! memory: nothing is changed on that account. A fault whose count stays zero throughout a program cannot be detected
//! by it, whatever the implementation does. Who reads the file may set it to zeros while the program waits.

/// The variable of the environment that names the file.
pub const VARIABLE: &str = "CLASSAY_LAYER_EFFECTS";

/// The bytes of a file for so many faults.
pub const fn bytes(faults: usize) -> usize {
    faults * size_of::<u64>()
}

/// The counts in the bytes of a file; fewer than faults where the layer has not made it yet.
pub fn counts(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|count| u64::from_ne_bytes(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_words_and_a_part_of_one_is_none() {
        let mut file: Vec<u8> = [3u64, 0, u64::MAX].map(u64::to_ne_bytes).concat();
        assert_eq!(file.len(), bytes(3));
        file.push(1);
        assert_eq!(counts(&file).collect::<Vec<_>>(), [3, 0, u64::MAX]);
        assert_eq!(counts(&[]).count(), 0);
    }
}
