//! What is in memory, in short form, and the size of the elements in which violations name it.

use classay_vocabulary::words;
use serde::{Deserialize, Serialize};

/// Bytes, in short form. Numbers are little-endian.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// All zero.
    #[default]
    Zero,
    /// 32-bit words.
    Words(Vec<u32>),
    /// 64-bit words.
    Longs(Vec<u64>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// The same 32-bit word again and again.
    Every(u32),
    /// Bytes that look random, different for each number and never seen twice in a row.
    Noise(u32),
    /// 32-bit words that count from this one.
    Count(u32),
}

impl Contents {
    /// Numbers of a unit: long ones, or the lower halves of these as words.
    pub fn numbers(unit: Unit, values: Vec<u64>) -> Contents {
        match unit {
            Unit::Long => Contents::Longs(values),
            Unit::Byte | Unit::Word => Contents::Words(values.iter().map(|n| *n as u32).collect()),
        }
    }

    /// Whether it is all zero.
    pub fn is_zero(&self) -> bool {
        *self == Contents::Zero
    }

    /// The bytes, so many; zeros follow what is listed.
    pub fn bytes(&self, length: usize) -> Vec<u8> {
        let words = length.div_ceil(4) as u32;
        let mut bytes: Vec<u8> = match self {
            Contents::Zero => Vec::new(),
            Contents::Words(list) => list.iter().flat_map(|w| w.to_le_bytes()).collect(),
            Contents::Longs(list) => list.iter().flat_map(|w| w.to_le_bytes()).collect(),
            Contents::Bytes(list) => list.clone(),
            Contents::Every(word) => (0..words).flat_map(|_| word.to_le_bytes()).collect(),
            Contents::Noise(seed) => noise(*seed, length),
            Contents::Count(first) => (0..words)
                .flat_map(|n| first.wrapping_add(n).to_le_bytes())
                .collect(),
        };
        bytes.resize(length, 0);
        bytes
    }
}

/// A linear congruential sequence's upper bytes, where a byte that equals the one before is changed.
fn noise(seed: u32, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9).wrapping_add(0x7f4a_7c15);
    let mut last = 0;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut byte = (state >> 24) as u8;
            if byte == last {
                byte = byte.wrapping_add(1);
            }
            last = byte;
            byte
        })
        .collect()
}

words! {
    /// How large the elements are of which a sentence speaks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Unit {
        /// One byte.
        Byte = "byte",
        /// Four.
        Word = "word",
        /// Eight.
        Long = "long",
    }
}

impl Unit {
    /// Bytes.
    pub fn bytes(self) -> usize {
        match self {
            Unit::Byte => 1,
            Unit::Word => 4,
            Unit::Long => 8,
        }
    }
}

#[cfg(test)]
mod tests;
