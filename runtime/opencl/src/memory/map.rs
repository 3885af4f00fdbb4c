//! The account of a buffer's mappings.
//!
//! A mapping only counts: the host and the device share the bytes. The account is there
//! for unmaps of what was never mapped and for
//! overlapping mappings for writing. It changes when the commands are enqueued:
//! that is when the application gets and gives back the address.
//!
//! Sub-buffers and images in buffers keep their account in their parent, where overlaps
//! among them show.

use opencl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, cl_uint};

use super::rect::Shape;
use crate::ffi::{Error, Result};

/// The bytes of one mapping: rows of a region.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Where the shape's offsets count from.
    pub base: usize,
    /// How the rows lie.
    pub shape: Shape,
    /// Bytes of a row, rows and slices.
    pub region: [usize; 3],
}

impl Rows {
    /// A single row.
    pub fn linear(address: usize, size: usize) -> Self {
        Self {
            base: address,
            shape: Shape::strided(0, [size, 1, 1], [0, 0]),
            region: [size, 1, 1],
        }
    }

    /// First addresses of the rows, lowest first.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let [_, height, depth] = self.region;
        (0..depth).flat_map(move |slice| {
            (0..height).map(move |row| self.base + self.shape.row(row, slice))
        })
    }

    fn first(&self) -> usize {
        self.base + self.shape.row(0, 0)
    }

    fn end(&self) -> usize {
        self.base + self.shape.end()
    }

    /// Whether two mappings share a byte. Rows of one never overlap each other and come in
    /// rising order, so both are walked side by side.
    fn overlap(&self, other: &Self) -> bool {
        if self.end() <= other.first() || other.end() <= self.first() {
            return false;
        }
        let (mut ours, mut theirs) = (self.starts().peekable(), other.starts().peekable());
        while let (Some(&own), Some(&their)) = (ours.peek(), theirs.peek()) {
            if own + self.region[0] <= their {
                ours.next();
            } else if their + other.region[0] <= own {
                theirs.next();
            } else {
                return true;
            }
        }
        false
    }
}

/// One mapping.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// Which object it was made from: the buffer, one of its sub-buffers or an image in it,
    /// by address.
    pub owner: usize,
    /// The address the application got.
    pub address: usize,
    /// Its bytes.
    pub rows: Rows,
    /// Whether the host may write.
    pub writes: bool,
}

/// The present mappings of one buffer and what lies in it.
#[derive(Debug, Default)]
pub struct Mappings(Vec<Mapping>);

impl Mappings {
    /// Notes a new mapping.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` when it and another one overlap and both are for writing.
    pub fn add(&mut self, mapping: Mapping) -> Result<()> {
        let conflicts =
            |known: &Mapping| known.writes && mapping.writes && known.rows.overlap(&mapping.rows);
        if self.0.iter().any(conflicts) {
            return Err(Error(CL_INVALID_OPERATION));
        }
        self.0.push(mapping);
        Ok(())
    }

    /// Whether an owner has one at this address.
    pub fn has(&self, owner: usize, address: usize) -> bool {
        self.0
            .iter()
            .any(|known| known.owner == owner && known.address == address)
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none of this owner at this address.
    pub fn remove(&mut self, owner: usize, address: usize) -> Result<()> {
        let at = self
            .0
            .iter()
            .position(|known| known.owner == owner && known.address == address);
        self.0.swap_remove(at.ok_or(Error(CL_INVALID_VALUE))?);
        Ok(())
    }

    /// How many an owner has.
    pub fn count(&self, owner: usize) -> cl_uint {
        self.0.iter().filter(|known| known.owner == owner).count() as cl_uint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_beside_each_other_do_not_overlap() {
        let tile = |x: usize, y: usize, width: usize| Rows {
            base: 1000,
            shape: Shape::strided(y * 16 + x, [width, 4, 1], [16, 64]),
            region: [width, 4, 1],
        };
        assert!(!tile(0, 0, 8).overlap(&tile(8, 0, 8)));
        assert!(tile(0, 0, 8).overlap(&tile(7, 3, 8)));
        assert!(!tile(0, 0, 8).overlap(&tile(7, 4, 8)));
        assert!(tile(4, 1, 2).overlap(&Rows::linear(1000, 21)));
        assert!(!tile(4, 1, 2).overlap(&Rows::linear(1000, 20)));
        assert!(!tile(4, 0, 2).overlap(&Rows::linear(1006, 14)));
    }
}
