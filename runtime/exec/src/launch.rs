//! What a launch is made of.

use crate::executable::KernelId;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One enqueue of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: KernelId,
    /// One for each of its arguments.
    pub args: Vec<Arg>,
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// First global id in each dimension; 0 beyond `work_dim`.
    pub global_offset: [u64; 3],
    /// Work-items in each dimension; 1 beyond `work_dim`. Zero in a dimension
    /// makes a launch without work-items.
    pub global_size: [u64; 3],
    /// Work-items of a group in each dimension, at least 1; 1 beyond
    /// `work_dim`. Where it does not divide the global size, the last group is
    /// smaller.
    pub local_size: [u64; 3],
    /// Work-items of a sub-group, at least 1.
    pub sub_group_size: u32,
    /// The memory that the kernel may touch, besides its own variables.
    pub memory: Arc<MemoryMap>,
    /// Chooses how the work-items of a group are interleaved.
    pub seed: u64,
    /// The launch fails after about so many steps in all; a step is an access
    /// to memory or a jump backward.
    pub step_limit: Option<u64>,
    /// The launch ends soon after this becomes true.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Launch {
    /// A one-dimensional launch of `global` work-items in groups of `local`,
    /// with sub-groups as large as the groups, seed 0 and no limit.
    pub fn linear(
        kernel: KernelId,
        args: Vec<Arg>,
        global: u64,
        local: u64,
        memory: Arc<MemoryMap>,
    ) -> Launch {
        Launch {
            kernel,
            args,
            work_dim: 1,
            global_offset: [0; 3],
            global_size: [global, 1, 1],
            local_size: [local, 1, 1],
            sub_group_size: local.clamp(1, u64::from(u32::MAX)) as u32,
            memory,
            seed: 0,
            step_limit: None,
            cancel: None,
        }
    }
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The bytes of a value or of an aggregate, as the host lays them out.
    Value(Vec<u8>),
    /// An address of global or constant memory; 0 is the null pointer.
    Pointer(u64),
    /// So many bytes of local memory, new for each group.
    Local(u64),
}

/// What a kernel may do with a range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Read.
    Read,
    /// Read and write.
    ReadWrite,
}

/// A range of addresses, inclusive at both ends so that all of memory is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) permission: Permission,
}

/// The host memory that a launch may touch: its buffers and SVM allocations.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    /// Disjoint and sorted.
    ranges: Vec<Range>,
}

/// Addresses below this are taken for null pointers.
pub(crate) const FIRST_PAGE: u64 = 4096;

impl MemoryMap {
    /// No memory.
    pub fn new() -> MemoryMap {
        MemoryMap::default()
    }

    /// Adds `len` bytes from `base`. Where ranges overlap, the wider permission holds.
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
        self.insert(Range {
            first: base,
            last,
            permission,
        });
    }

    /// Allows every address but those of the first page: fine-grain system SVM.
    ///
    /// # Safety
    /// As [`add`](MemoryMap::add), for every address that the kernel uses.
    pub unsafe fn add_everything(&mut self) {
        self.insert(Range {
            first: FIRST_PAGE,
            last: u64::MAX,
            permission: Permission::ReadWrite,
        });
    }

    /// Adds a range and keeps ranges disjoint and sorted.
    fn insert(&mut self, new: Range) {
        let at = self.ranges.partition_point(|r| r.last < new.first);
        if self.ranges.get(at).is_none_or(|next| next.first > new.last) {
            // Nothing overlaps; most ranges do not touch others either.
            let joins = |a: &Range, b: &Range| {
                a.permission == b.permission && a.last.checked_add(1) == Some(b.first)
            };
            let before = at
                .checked_sub(1)
                .is_some_and(|i| joins(&self.ranges[i], &new));
            let after = self.ranges.get(at).is_some_and(|next| joins(&new, next));
            if !before && !after {
                self.ranges.insert(at, new);
                return;
            }
        }
        self.rebuild(new);
    }

    /// Adds a range that touches or overlaps others.
    fn rebuild(&mut self, new: Range) {
        let mut pieces = vec![new];
        pieces.append(&mut self.ranges);
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
        let mut out: Vec<Range> = Vec::new();
        for (i, &first) in borders.iter().enumerate() {
            let last = borders.get(i + 1).map_or(u64::MAX, |&next| next - 1);
            let mut permission = None;
            for p in &pieces {
                if p.first <= first && last <= p.last {
                    permission = match (permission, p.permission) {
                        (Some(Permission::ReadWrite), _) | (_, Permission::ReadWrite) => {
                            Some(Permission::ReadWrite)
                        }
                        (None | Some(Permission::Read), Permission::Read) => Some(Permission::Read),
                    };
                }
            }
            let Some(permission) = permission else {
                continue;
            };
            match out.last_mut() {
                // An access across the border of neighbours is within memory
                // that the launch names.
                Some(prev)
                    if prev.permission == permission && prev.last.checked_add(1) == Some(first) =>
                {
                    prev.last = last;
                }
                _ => out.push(Range {
                    first,
                    last,
                    permission,
                }),
            }
        }
        self.ranges = out;
    }

    /// The range that holds all `size` (at least 1) bytes from `address` and may be
    /// written if `write`.
    pub(crate) fn find(&self, address: u64, size: u64, write: bool) -> Option<Range> {
        let last = address.checked_add(size - 1)?;
        let allowed = |range: &Range| match range.permission {
            Permission::ReadWrite => true,
            Permission::Read => !write,
        };
        let mut i = self
            .ranges
            .partition_point(|r| r.first <= address)
            .checked_sub(1)?;
        let mut found = self.ranges[i];
        if !allowed(&found) || address > found.last {
            return None;
        }
        // A read may go on from a range into a neighbour of other permission.
        while last > found.last {
            i += 1;
            let next = self.ranges.get(i)?;
            if !allowed(next) || found.last + 1 != next.first {
                return None;
            }
            found.last = next.last;
        }
        Some(found)
    }

    /// Adds the ranges of another map.
    pub(crate) fn extend(&mut self, other: &MemoryMap) {
        for &range in &other.ranges {
            self.insert(range);
        }
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Work-groups run.
    pub groups: u64,
    /// Work-items run.
    pub items: u64,
    /// Steps: accesses to memory and jumps backward.
    pub steps: u64,
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
    fn overlapping_ranges_take_the_wider_permission() {
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

    #[test]
    fn neighbours_join() {
        let m = map(&[
            (0x1000, 0x10, Permission::ReadWrite),
            (0x1010, 0x10, Permission::ReadWrite),
        ]);
        assert!(m.find(0x100c, 8, true).is_some());
    }

    #[test]
    fn any_order_of_ranges_gives_the_same_map() {
        let base: Vec<(u64, u64, Permission)> = vec![
            (0x1000, 0x10, Permission::ReadWrite),
            (0x3000, 0x10, Permission::Read),
            (0x2000, 0x10, Permission::ReadWrite),
            (0x1010, 0x10, Permission::ReadWrite),
            (0x1ff0, 0x20, Permission::Read),
        ];
        let expected = map(&base).ranges;
        assert_eq!(expected.len(), 4);
        for shift in 1..base.len() {
            let mut other = base.clone();
            other.rotate_left(shift);
            assert_eq!(map(&other).ranges, expected);
            other.reverse();
            assert_eq!(map(&other).ranges, expected);
        }
    }

    #[test]
    fn everything_excludes_the_first_page() {
        let mut m = map(&[]);
        // SAFETY: no launch uses this map.
        unsafe { m.add_everything() };
        assert!(m.find(FIRST_PAGE, 8, true).is_some());
        assert!(m.find(u64::MAX - 7, 8, true).is_some());
        assert!(m.find(8, 8, true).is_none());
    }
}
