//! Tokens: what programs of commands put into memory, so that who reads it knows who wrote it.

use super::ids::ids;
use std::fmt;

ids! {
    /// An object in memory.
    ObjectId;
    /// A command.
    CommandId;
    /// An access of the host.
    AccessId;
}

/// The words that a write puts into a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u32);

/// Who writes a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Writer {
    /// The object's creation.
    Creation(ObjectId),
    /// A command.
    Command(CommandId),
    /// A host thread's access.
    Access(AccessId),
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Writer::Creation(object) => write!(f, "the creation of object {}", object.0),
            Writer::Command(command) => write!(f, "command {}", command.0),
            Writer::Access(access) => write!(f, "host access {}", access.0),
        }
    }
}

/// The cell of a token that a fill puts into every cell.
pub const ANY_CELL: u8 = 127;

impl Token {
    /// The token of a writer for a cell of the object that holds the data. `run` tells one run of a
    /// program from the next, so that what an earlier run left in memory is not mistaken.
    ///
    /// The low 7 bits are the cell. The others are 11 bits of the run, 2 of the kind of writer and 12
    /// of its number, mixed so that the tokens of two writers differ in all their bytes but the first:
    /// a transfer that is a byte short shows.
    pub fn of(run: u32, writer: Writer, cell: u8) -> Token {
        let (kind, number) = match writer {
            Writer::Creation(id) => (1, id.0),
            Writer::Command(id) => (2, id.0),
            Writer::Access(id) => (3, id.0),
        };
        let name = (run & 0x7ff) << 14 | kind << 12 | u32::from(number) & 0xfff;
        Token(mix(name) << 7 | u32::from(cell) & 0x7f)
    }

    /// The run, the writer and the cell that a word names; `None` where it is no token.
    pub fn read(self) -> Option<(u32, Writer, u8)> {
        let name = unmix(self.0 >> 7);
        let number = (name & 0xfff) as u16;
        let writer = match name >> 12 & 3 {
            1 => Writer::Creation(ObjectId(number)),
            2 => Writer::Command(CommandId(number)),
            3 => Writer::Access(AccessId(number)),
            _ => return None,
        };
        Some((name >> 14, writer, (self.0 & 0x7f) as u8))
    }
}

/// A number of 25 bits for each number of 25 bits: shifts of at least half the bits undo themselves,
/// and odd factors have inverses modulo 2^25.
fn mix(x: u32) -> u32 {
    let x = x ^ x >> 13;
    let x = x.wrapping_mul(FACTOR) & BITS_25;
    x ^ x >> 13
}

/// What [`mix`] made of which number.
fn unmix(x: u32) -> u32 {
    let x = x ^ x >> 13;
    let x = x.wrapping_mul(INVERSE) & BITS_25;
    x ^ x >> 13
}

const BITS_25: u32 = (1 << 25) - 1;
/// 2^25 divided by the golden ratio, made odd.
const FACTOR: u32 = 0x013c_6ef3;
/// The inverse of [`FACTOR`] modulo 2^25, by Newton's iteration, which doubles the right bits.
const INVERSE: u32 = {
    let mut inverse: u32 = FACTOR;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(FACTOR.wrapping_mul(inverse)));
        round += 1;
    }
    inverse & BITS_25
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_can_be_read_and_differ_in_every_high_byte() {
        let writers = [
            Writer::Creation(ObjectId(0)),
            Writer::Creation(ObjectId(7)),
            Writer::Command(CommandId(0)),
            Writer::Command(CommandId(999)),
            Writer::Access(AccessId(3)),
        ];
        for run in [0, 1, 2047] {
            for writer in writers {
                for cell in [0, 63, ANY_CELL] {
                    let token = Token::of(run, writer, cell);
                    assert_eq!(token.read(), Some((run, writer, cell)));
                    assert_ne!(token.0, 0);
                }
            }
        }
        // Neighbours share a high byte no more often than chance has it.
        let same = (0..200u16)
            .filter(|n| {
                let top = |n| Token::of(1, Writer::Command(CommandId(n)), 0).0 >> 24;
                top(*n) == top(n + 1)
            })
            .count();
        assert!(same < 8, "{same}");
    }
}
