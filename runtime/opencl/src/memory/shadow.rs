//! Coarse-grain shared memory of which the host and the devices have a copy each, under a latitude.
//!
//! An address can only lead to one memory, so the copies take turns there: while commands use the
//! allocation, the devices' is there, and otherwise the host's. What a device wrote reaches the host with a map, and
//! what the host wrote reaches the devices with the unmap: "Consistency is enforced at synchronization points and
//! with map/unmap commands to drive updates between the host and the device".

use touchstone_faults::{Fault, on};

/// The copies of one allocation.
#[derive(Debug)]
pub struct Shadow {
    /// The copy that is not at the address.
    other: Vec<u8>,
    /// Commands that use the allocation now.
    users: usize,
    /// Mapped ranges: where each begins, how long it is, and whether it is for writing.
    mapped: Vec<(usize, usize, bool)>,
}

impl Shadow {
    /// Of an allocation with these contents.
    pub fn new(bytes: &[u8]) -> Self {
        Self {
            other: bytes.to_vec(),
            users: 0,
            mapped: Vec::new(),
        }
    }

    /// A command of a device begins to use the allocation; `bytes` are at the address.
    pub fn enter(&mut self, bytes: &mut [u8]) {
        if self.users == 0 {
            self.other.swap_with_slice(bytes);
        }
        self.users += 1;
    }

    /// It has ended.
    pub fn leave(&mut self, bytes: &mut [u8]) {
        self.users -= 1;
        if self.users == 0 {
            self.other.swap_with_slice(bytes);
        }
    }

    /// The host maps a range.
    pub fn map(&mut self, bytes: &mut [u8], (start, size): (usize, usize), writes: bool) {
        self.mapped.push((start, size, writes));
        if !on(Fault::CoarseMapStale) {
            let (host, devices) = self.sides(bytes);
            host[start..start + size].copy_from_slice(&devices[start..start + size]);
        }
    }

    /// The host unmaps the range that begins there.
    pub fn unmap(&mut self, bytes: &mut [u8], start: usize) {
        let at = self.mapped.iter().rposition(|range| range.0 == start);
        let Some((start, size, writes)) = at.map(|at| self.mapped.swap_remove(at)) else {
            return;
        };
        if writes {
            let (host, devices) = self.sides(bytes);
            devices[start..start + size].copy_from_slice(&host[start..start + size]);
        }
    }

    /// The devices' copy takes the place of the host's, for good.
    pub fn end(&mut self, bytes: &mut [u8]) {
        let (host, devices) = self.sides(bytes);
        host.copy_from_slice(devices);
    }

    /// The host's copy and the devices'.
    fn sides<'a>(&'a mut self, bytes: &'a mut [u8]) -> (&'a mut [u8], &'a mut [u8]) {
        match self.users {
            0 => (bytes, &mut self.other),
            _ => (&mut self.other, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_sees_the_other_with_maps_and_unmaps_only() {
        let mut bytes = [1, 2, 3];
        let mut shadow = Shadow::new(&bytes);
        shadow.enter(&mut bytes);
        bytes[1] = 20;
        shadow.leave(&mut bytes);
        assert_eq!(bytes, [1, 2, 3]);
        shadow.map(&mut bytes, (1, 2), true);
        assert_eq!(bytes, [1, 20, 3]);
        bytes = [10, 21, 30];
        shadow.unmap(&mut bytes, 1);
        shadow.enter(&mut bytes);
        assert_eq!(bytes, [1, 21, 30]);
        shadow.leave(&mut bytes);
    }
}
