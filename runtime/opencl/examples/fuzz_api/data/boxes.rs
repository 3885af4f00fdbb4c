//! Regions of rows and slices in linear bytes.

/// A region; the first extent is in bytes, the others are in rows and slices.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub origin: [usize; 3],
    pub extent: [usize; 3],
    /// Bytes from one row to the next, and from one slice to the next.
    pub pitches: [usize; 2],
}

impl Region {
    /// Where its rows start, in the order of rows and slices.
    fn rows(&self) -> impl Iterator<Item = usize> {
        let Self {
            origin: [x, y, z],
            extent: [_, height, depth],
            pitches: [row, slice],
        } = *self;
        (z..z + depth).flat_map(move |z| (y..y + height).map(move |y| z * slice + y * row + x))
    }

    /// Its bytes, without gaps.
    pub fn take(&self, memory: &[u8]) -> Vec<u8> {
        let rows = self.rows();
        rows.flat_map(|start| &memory[start..start + self.extent[0]])
            .copied()
            .collect()
    }

    /// Puts bytes without gaps there.
    pub fn put(&self, memory: &mut [u8], bytes: &[u8]) {
        for (start, row) in self.rows().zip(bytes.chunks(self.extent[0])) {
            memory[start..start + row.len()].copy_from_slice(row);
        }
    }

    pub fn size(&self) -> usize {
        self.extent.iter().product()
    }
}
