//! Rectangular regions of buffers: pitches, extents, overlap.

use opencl_sys::CL_INVALID_VALUE;

use crate::ffi::{Error, Result, ensure};

/// How a region lies in linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    start: usize,
    row_pitch: usize,
    slice_pitch: usize,
    /// One past the last byte of the region.
    end: usize,
}

impl Shape {
    /// Lays out a region of `region` bytes, rows and slices at an origin. A pitch of zero
    /// stands for the tightest.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a region with a zero side, a pitch that is too small or no
    /// multiple of the row pitch, or a region that ends beyond all addresses.
    pub fn new(
        origin: [usize; 3],
        region: [usize; 3],
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Self> {
        ensure!(!region.contains(&0), CL_INVALID_VALUE);
        let beyond = Error(CL_INVALID_VALUE);
        let row_pitch = if row_pitch == 0 { region[0] } else { row_pitch };
        ensure!(row_pitch >= region[0], CL_INVALID_VALUE);
        let rows = region[1].checked_mul(row_pitch).ok_or(beyond)?;
        let slice_pitch = if slice_pitch == 0 { rows } else { slice_pitch };
        ensure!(slice_pitch >= rows, CL_INVALID_VALUE);
        ensure!(slice_pitch.is_multiple_of(row_pitch), CL_INVALID_VALUE);
        let at = |x: usize, y: usize, z: usize| {
            let rows = y.checked_mul(row_pitch)?;
            let slices = z.checked_mul(slice_pitch)?;
            x.checked_add(rows)?.checked_add(slices)
        };
        let start = at(origin[0], origin[1], origin[2]).ok_or(beyond)?;
        let span = at(region[0], region[1] - 1, region[2] - 1).ok_or(beyond)?;
        Ok(Self {
            start,
            row_pitch,
            slice_pitch,
            end: start.checked_add(span).ok_or(beyond)?,
        })
    }

    /// A region of `region` bytes, rows and slices from `start` with the given strides from
    /// row to row and slice to slice, which have been checked.
    pub fn strided(start: usize, region: [usize; 3], strides: [usize; 2]) -> Self {
        let [row_pitch, slice_pitch] = strides;
        let [width, height, depth] = region;
        Self {
            start,
            row_pitch,
            slice_pitch,
            end: start + width + (height - 1) * row_pitch + (depth - 1) * slice_pitch,
        }
    }

    /// The offset of a row of the region.
    pub fn row(&self, row: usize, slice: usize) -> usize {
        self.start + row * self.row_pitch + slice * self.slice_pitch
    }

    /// One past the last byte of the region.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Whether both pitches are equal.
    pub fn has_pitches_of(&self, other: &Self) -> bool {
        (self.row_pitch, self.slice_pitch) == (other.row_pitch, other.slice_pitch)
    }

    /// The same region in memory that begins with it.
    pub fn from_zero(&self) -> Self {
        Self {
            start: 0,
            end: self.end - self.start,
            ..*self
        }
    }

    /// The same region in memory that starts `distance` bytes earlier, or at that address.
    pub fn moved(&self, distance: usize) -> Self {
        Self {
            start: self.start + distance,
            end: self.end + distance,
            ..*self
        }
    }
}

/// The bytes of a region: rows at addresses, or at offsets in one memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// How the rows lie.
    pub shape: Shape,
    /// Bytes of a row, rows and slices.
    pub region: [usize; 3],
}

impl Rows {
    /// A single row.
    pub fn linear(address: usize, size: usize) -> Self {
        let region = [size, 1, 1];
        let shape = Shape::strided(address, region, [0, 0]);
        Self { shape, region }
    }

    /// Where the rows begin, lowest first.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let [_, height, depth] = self.region;
        (0..depth).flat_map(move |slice| (0..height).map(move |row| self.shape.row(row, slice)))
    }

    /// Whether two regions share a byte. Rows of one never overlap each other and come in
    /// rising order, so both are walked side by side.
    pub fn overlap(&self, other: &Self) -> bool {
        let (own, theirs) = (&self.shape, &other.shape);
        if own.end <= theirs.start || theirs.end <= own.start {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_pitches_are_the_tightest() {
        let shape = Shape::new([1, 2, 3], [4, 5, 6], 0, 0).unwrap();
        assert_eq!(shape.row(0, 0), 1 + 2 * 4 + 3 * 20);
        assert_eq!(shape.row(1, 1) - shape.row(0, 0), 4 + 20);
        assert_eq!(shape.end(), shape.row(4, 5) + 4);
    }

    #[test]
    fn bad_regions_are_refused() {
        assert!(Shape::new([0; 3], [4, 0, 1], 0, 0).is_err());
        assert!(Shape::new([0; 3], [4, 1, 1], 3, 0).is_err());
        assert!(Shape::new([0; 3], [4, 2, 1], 8, 15).is_err());
        assert!(Shape::new([0; 3], [4, 2, 1], 8, 17).is_err());
        assert!(Shape::new([usize::MAX, 1, 1], [4, 2, 2], 0, 0).is_err());
    }

    #[test]
    fn interleaved_columns_do_not_overlap() {
        let left = Shape::new([0, 0, 0], [4, 8, 1], 8, 0).unwrap();
        let right = Shape::new([4, 0, 0], [4, 8, 1], 8, 0).unwrap();
        let shifted = Shape::new([3, 0, 0], [4, 8, 1], 8, 0).unwrap();
        let [left, right, shifted] = [left, right, shifted].map(|shape| {
            let region = [4, 8, 1];
            Rows { shape, region }
        });
        assert!(!left.overlap(&right));
        assert!(left.overlap(&shifted));
        assert!(left.overlap(&left));
    }

    #[test]
    fn tiles_beside_each_other_do_not_overlap() {
        let tile = |x: usize, y: usize, width: usize| Rows {
            shape: Shape::strided(1000 + y * 16 + x, [width, 4, 1], [16, 64]),
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
