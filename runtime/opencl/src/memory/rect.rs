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

    /// The same region in memory that starts `distance` bytes earlier.
    pub fn moved(&self, distance: usize) -> Self {
        Self {
            start: self.start + distance,
            end: self.end + distance,
            ..*self
        }
    }

    /// Whether two regions of the same size in the same memory share a byte.
    ///
    /// Exact: a row of one is compared with the rows of the other that it could meet.
    pub fn overlaps(&self, other: &Self, region: [usize; 3]) -> bool {
        if self.end <= other.start || other.end <= self.start {
            return false;
        }
        let [width, height, depth] = region;
        let mut rows: Vec<(usize, bool)> = Vec::with_capacity(2 * height * depth);
        for slice in 0..depth {
            for row in 0..height {
                rows.push((self.row(row, slice), false));
                rows.push((other.row(row, slice), true));
            }
        }
        rows.sort_unstable();
        // Rows of one region never overlap each other, so only neighbours can collide.
        rows.windows(2)
            .any(|pair| pair[0].1 != pair[1].1 && pair[1].0 < pair[0].0 + width)
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
        assert!(!left.overlaps(&right, [4, 8, 1]));
        assert!(left.overlaps(&shifted, [4, 8, 1]));
        assert!(left.overlaps(&left, [4, 8, 1]));
    }
}
