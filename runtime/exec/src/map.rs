//! The memory that a launch may touch.
//!
//! A map is a set of *objects*: buffers, SVM allocations, program-scope variables. An access
//! must lie within one object; that another object begins where the first one ends does
//! not matter. Objects that overlap, such as a buffer and a part of it, count as one whose
//! bytes have the wider permission.
//!
//! With fine-grain system SVM a kernel may also touch whatever else the host has mapped. The
//! map then asks its [`Owner`] what belongs to the runtime: that memory is reached
//! only as far as it is among the objects.

use std::fmt;
use std::sync::Arc;

/// What a kernel may do with a range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Read.
    Read,
    /// Read and write.
    ReadWrite,
}

impl Permission {
    /// Whether it is enough for an access.
    pub(crate) fn allows(self, write: bool) -> bool {
        match self {
            Permission::Read => !write,
            Permission::ReadWrite => true,
        }
    }
}

/// A range of addresses, inclusive at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) permission: Permission,
    /// Ranges of one object have the same number.
    object: u32,
}

/// Knows which memory of the process is the runtime's own.
pub trait Owner: Send + Sync {
    /// The widest range `first ..= last` around an address that holds nothing of the runtime's
    /// own; None if the address itself is the runtime's.
    fn foreign(&self, address: u64) -> Option<(u64, u64)>;
}

/// The host memory that a launch may touch: its buffers and SVM allocations.
#[derive(Clone, Default)]
pub struct MemoryMap {
    /// Disjoint and sorted.
    ranges: Vec<Range>,
    /// Objects so far.
    objects: u32,
    /// Present with fine-grain system SVM.
    system: Option<Arc<dyn Owner>>,
    /// Accesses are made without being checked.
    unchecked: bool,
}

impl fmt::Debug for MemoryMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryMap")
            .field("ranges", &self.ranges)
            .field("system", &self.system.is_some())
            .finish()
    }
}

/// Addresses below this are taken for null pointers.
pub(crate) const FIRST_PAGE: u64 = 4096;

impl MemoryMap {
    /// No memory.
    pub fn new() -> MemoryMap {
        MemoryMap::default()
    }

    /// Adds an object of `len` bytes from `base`. Where objects overlap, the wider
    /// permission holds.
    ///
    /// # Safety
    /// As long as a launch with this map runs, the range must be memory that is
    /// valid to read, and to write if permitted; no Rust reference to it may
    /// be live meanwhile, except to atomics and cells; and other threads may
    /// access it then only through atomics or in ways that the kernels
    /// do not race with.
    pub unsafe fn add(&mut self, base: u64, len: u64, permission: Permission) {
        if len == 0 {
            return;
        }
        let Some(last) = base.checked_add(len - 1) else {
            return;
        };
        self.insert(base, last, permission);
    }

    /// Allows every address but those of the first page and of memory that `owner` claims:
    /// fine-grain system SVM. An address where nothing is mapped, or nothing that may be
    /// written, is allowed too: the access traps.
    ///
    /// # Safety
    /// As [`add`](MemoryMap::add), for every address that the kernel uses and that is mapped.
    pub unsafe fn add_system(&mut self, owner: Arc<dyn Owner>) {
        self.system = Some(owner);
    }

    /// Turns the bounds checker off: every access is made, wherever it goes. What the system refuses is
    /// caught where that is possible.
    ///
    /// # Safety
    /// Every access of the kernels must be to memory that is theirs.
    pub unsafe fn without_bounds_checks(&mut self) {
        self.unchecked = true;
    }

    /// Whether accesses are checked.
    pub(crate) fn checks_bounds(&self) -> bool {
        !self.unchecked
    }

    /// Whether a launch may touch memory that is not the runtime's.
    pub(crate) fn has_system(&self) -> bool {
        self.system.is_some() || self.unchecked
    }

    /// Adds an object and keeps ranges disjoint and sorted.
    fn insert(&mut self, first: u64, last: u64, permission: Permission) {
        let object = self.objects;
        self.objects += 1;
        let new = Range {
            first,
            last,
            permission,
            object,
        };
        let at = self.ranges.partition_point(|r| r.last < first);
        if self.ranges.get(at).is_none_or(|next| next.first > last) {
            self.ranges.insert(at, new);
        } else {
            self.merge(new);
        }
    }

    /// Adds a range that overlaps others: they become one object.
    fn merge(&mut self, new: Range) {
        let overlapped: Vec<u32> = self
            .ranges
            .iter()
            .filter(|r| r.first <= new.last && new.first <= r.last)
            .map(|r| r.object)
            .collect();
        let (mut pieces, mut out): (Vec<Range>, Vec<Range>) = std::mem::take(&mut self.ranges)
            .into_iter()
            .partition(|r| overlapped.contains(&r.object));
        pieces.push(new);
        // Cut everything at every border, then let the wider permission win.
        let mut borders: Vec<u64> = Vec::with_capacity(pieces.len() * 2);
        for p in &pieces {
            borders.push(p.first);
            if let Some(next) = p.last.checked_add(1) {
                borders.push(next);
            }
        }
        borders.sort_unstable();
        borders.dedup();
        let begin = out.len();
        for (i, &first) in borders.iter().enumerate() {
            let last = borders.get(i + 1).map_or(u64::MAX, |&next| next - 1);
            let here = pieces.iter().filter(|p| p.first <= first && last <= p.last);
            let Some(permission) = here
                .map(|p| p.permission)
                .reduce(|a, b| if a.allows(true) { a } else { b })
            else {
                continue;
            };
            match out[begin..].last_mut() {
                Some(prev)
                    if prev.permission == permission && prev.last.checked_add(1) == Some(first) =>
                {
                    prev.last = last;
                }
                _ => out.push(Range {
                    first,
                    last,
                    permission,
                    object: new.object,
                }),
            }
        }
        out.sort_unstable_by_key(|r| r.first);
        self.ranges = out;
    }

    /// Index of the last range that begins at an address or before.
    fn before(&self, address: u64) -> Option<usize> {
        self.ranges
            .partition_point(|r| r.first <= address)
            .checked_sub(1)
    }

    /// The widest range within one object that holds all `size` (at least 1) bytes from
    /// `address` and may be written if `write`.
    pub(crate) fn find(&self, address: u64, size: u64, write: bool) -> Option<(u64, u64)> {
        let last = address.checked_add(size - 1)?;
        let holder = self
            .before(address)
            .filter(|&i| address <= self.ranges[i].last);
        let Some(mut i) = holder else {
            return self.find_system(address, last);
        };
        let mut found = self.ranges[i];
        if !found.permission.allows(write) {
            return None;
        }
        // A read may go on from a range into another one of the same object.
        while last > found.last {
            i += 1;
            let next = self.ranges.get(i)?;
            let goes_on = next.object == found.object && found.last + 1 == next.first;
            if !goes_on || !next.permission.allows(write) {
                return None;
            }
            found.last = next.last;
        }
        Some((found.first, found.last))
    }

    /// The range around an access to memory that is not the runtime's.
    #[cold]
    fn find_system(&self, address: u64, last: u64) -> Option<(u64, u64)> {
        if address < FIRST_PAGE {
            return None;
        }
        let (mut from, mut to) = self.system.as_ref()?.foreign(address)?;
        // Objects that the owner does not know, such as program-scope variables.
        let after = self.ranges.partition_point(|r| r.first <= address);
        if let Some(next) = self.ranges.get(after) {
            to = to.min(next.first - 1);
        }
        if let Some(previous) = after.checked_sub(1) {
            from = from.max(self.ranges[previous].last + 1);
        }
        (last <= to).then_some((from.max(FIRST_PAGE), to))
    }

    /// The object, or the part of it with one permission, that is nearest to an address:
    /// its first address, its length, and its permission.
    pub(crate) fn nearest(&self, address: u64) -> Option<(u64, u64, Permission)> {
        let before = self.before(address);
        let next = self.ranges.get(before.map_or(0, |i| i + 1));
        let range = match (before.map(|i| &self.ranges[i]), next) {
            (Some(a), Some(b)) => {
                let past = address.saturating_sub(a.last);
                if past <= b.first - address { a } else { b }
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return None,
        };
        // Lengths are of ranges from `add`, which has got a length.
        Some((range.first, range.last - range.first + 1, range.permission))
    }

    /// Adds the objects of another map.
    pub(crate) fn extend(&mut self, other: &MemoryMap) {
        for range in &other.ranges {
            self.insert(range.first, range.last, range.permission);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(ranges: &[(u64, u64, Permission)]) -> MemoryMap {
        let mut map = MemoryMap::new();
        for &(base, len, permission) in ranges {
            // SAFETY: no launch uses this map.
            unsafe { map.add(base, len, permission) };
        }
        map
    }

    #[test]
    fn accesses_must_lie_within_one_range() {
        let m = map(&[
            (0x1000, 16, Permission::ReadWrite),
            (0x2000, 16, Permission::Read),
        ]);
        assert!(m.find(0x1000, 16, true).is_some());
        assert!(m.find(0x100c, 4, true).is_some());
        assert!(m.find(0x100d, 4, true).is_none());
        assert!(m.find(0xfff, 1, false).is_none());
        assert!(m.find(0x2000, 8, false).is_some());
        assert!(m.find(0x2000, 8, true).is_none());
        assert!(m.find(u64::MAX, 8, false).is_none());
    }

    #[test]
    fn overlapping_objects_take_the_wider_permission() {
        let m = map(&[
            (0x1000, 0x100, Permission::Read),
            (0x1040, 0x40, Permission::ReadWrite),
        ]);
        assert!(m.find(0x1040, 0x40, true).is_some());
        assert!(m.find(0x103c, 8, true).is_none());
        assert!(m.find(0x1000, 0x40, false).is_some());
        assert!(m.find(0x1080, 0x80, false).is_some());
        // Reads go on across borders, writes do not.
        assert!(m.find(0x1000, 0x100, false).is_some());
        assert!(m.find(0x1000, 0x101, false).is_none());
        assert!(m.find(0x1040, 0x41, true).is_none());
    }

    /// Neighbours stay two objects; what overlaps them both makes them one.
    #[test]
    fn neighbours_do_not_join() {
        let neighbours = [
            (0x1000, 0x10, Permission::ReadWrite),
            (0x1010, 0x10, Permission::ReadWrite),
        ];
        let mut m = map(&neighbours);
        assert!(m.find(0x100c, 4, true).is_some());
        assert!(m.find(0x1010, 4, true).is_some());
        assert!(m.find(0x100c, 8, true).is_none());
        assert_eq!(m.find(0x1008, 4, false), Some((0x1000, 0x100f)));
        // SAFETY: no launch uses this map.
        unsafe { m.add(0x1008, 0x10, Permission::Read) };
        assert!(m.find(0x100c, 8, true).is_some());
    }

    #[test]
    fn any_order_of_objects_gives_the_same_map() {
        let base: Vec<(u64, u64, Permission)> = vec![
            (0x1000, 0x10, Permission::ReadWrite),
            (0x3000, 0x10, Permission::Read),
            (0x2000, 0x10, Permission::ReadWrite),
            (0x1010, 0x10, Permission::ReadWrite),
            (0x1ff0, 0x20, Permission::Read),
        ];
        let plain = |m: &MemoryMap| -> Vec<_> {
            let ranges = m.ranges.iter();
            ranges.map(|r| (r.first, r.last, r.permission)).collect()
        };
        let expected = plain(&map(&base));
        assert_eq!(expected.len(), 5);
        for shift in 1..base.len() {
            let mut other = base.clone();
            other.rotate_left(shift);
            assert_eq!(plain(&map(&other)), expected);
            other.reverse();
            assert_eq!(plain(&map(&other)), expected);
        }
    }

    struct Claims(u64, u64);

    impl Owner for Claims {
        fn foreign(&self, address: u64) -> Option<(u64, u64)> {
            if address < self.0 {
                Some((0, self.0 - 1))
            } else if address > self.1 {
                Some((self.1 + 1, u64::MAX))
            } else {
                None
            }
        }
    }

    #[test]
    fn the_system_is_everything_but_the_first_page_and_what_the_runtime_owns() {
        let mut m = map(&[(0x8000, 0x10, Permission::Read)]);
        // SAFETY: no launch uses this map.
        unsafe { m.add_system(Arc::new(Claims(0x8000, 0x8fff))) };
        assert_eq!(m.find(FIRST_PAGE, 8, true), Some((FIRST_PAGE, 0x7fff)));
        assert_eq!(m.find(u64::MAX - 7, 8, true), Some((0x9000, u64::MAX)));
        assert!(m.find(8, 8, true).is_none());
        assert!(m.find(0x7ffc, 8, false).is_none());
        assert!(m.find(0x8008, 8, false).is_some());
        assert!(m.find(0x8008, 8, true).is_none());
        assert!(m.find(0x8010, 8, false).is_none());
    }
}
