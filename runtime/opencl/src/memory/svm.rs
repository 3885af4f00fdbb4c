//! Shared virtual memory of one context.

use std::collections::BTreeMap;
use std::sync::Arc;

use opencl_sys::*;
use parking_lot::{Mutex, RwLock};
use touchstone_faults::{Latitude, any, takes};

use super::block::Block;
use super::broken::Past;
use super::shadow::Shadow;
use crate::platform::capabilities;
use crate::platform::limits::LARGEST_TYPE;

/// The largest alignment that can be asked for, in bytes: a large page.
const MAX_ALIGNMENT: usize = 2 << 20;

/// One allocation.
#[derive(Debug)]
pub struct Allocation {
    block: Block,
    size: usize,
    flags: cl_svm_mem_flags,
    past: Mutex<Past>,
    /// The other copy, under a latitude.
    shadow: Mutex<Option<Shadow>>,
}

impl Allocation {
    /// Its first address.
    pub fn start(&self) -> usize {
        self.block.start() as usize
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the host may use it without mapping it.
    pub fn is_fine_grain(&self) -> bool {
        self.flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0
    }

    /// Under a latitude: something happens to its copies.
    pub fn shadowed(&self, happens: impl FnOnce(&mut Shadow, &mut [u8])) {
        if let Some(shadow) = self.shadow.lock().as_mut() {
            // SAFETY: as for a fault.
            let bytes = unsafe { std::slice::from_raw_parts_mut(self.block.start(), self.size) };
            happens(shadow, bytes);
        }
    }

    /// A buffer is made of it, so that it is the buffer's memory, too: it has no copies any more.
    pub fn unite(&self) {
        self.shadowed(Shadow::end);
        *self.shadow.lock() = None;
    }

    /// Under a fault: something happens to its contents that the past has a part in.
    #[cold]
    pub fn broken<R>(&self, happens: impl FnOnce(&mut Past, &mut [u8]) -> R) -> R {
        // SAFETY: the block has as many bytes. Somebody else may use them meanwhile as an application
        // may; a fault is not better than that.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.block.start(), self.size) };
        happens(&mut self.past.lock(), bytes)
    }
}

/// An allocation that a command of a device uses.
pub struct Used<'a>(&'a Allocation);

impl<'a> Used<'a> {
    /// It begins to.
    pub fn new(allocation: &'a Arc<Allocation>) -> Self {
        allocation.shadowed(Shadow::enter);
        Self(allocation)
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        self.0.shadowed(Shadow::leave);
    }
}

/// The allocations of one context, by their first address.
#[derive(Debug, Default)]
pub struct SvmHeap {
    allocations: RwLock<BTreeMap<usize, Arc<Allocation>>>,
}

impl SvmHeap {
    /// Allocates; `None` for whatever reason, as `clSVMAlloc` cannot say more.
    pub fn allocate(
        &self,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: u32,
        limit: u64,
    ) -> Option<*mut u8> {
        let access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
        let known = access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        let atomics_alone =
            flags & CL_MEM_SVM_ATOMICS != 0 && flags & CL_MEM_SVM_FINE_GRAIN_BUFFER == 0;
        if flags & !known != 0 || (flags & access).count_ones() > 1 || atomics_alone {
            return None;
        }
        // What the device does not have cannot be had.
        let fine = flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS) != 0;
        let needed = if fine {
            CL_DEVICE_SVM_FINE_GRAIN_BUFFER
        } else {
            CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
        };
        if capabilities::svm() & needed == 0 {
            return None;
        }
        if size == 0 || size as u64 > limit {
            return None;
        }
        let align = match alignment as usize {
            0 => LARGEST_TYPE,
            align if align.is_power_of_two() && align <= MAX_ALIGNMENT => align,
            _ => return None,
        };
        let block = Block::new(size, align).ok()?;
        let start = block.start();
        let shadow = (takes(Latitude::SeparateMemories) && !fine).then(|| {
            // SAFETY: the block is new, and has as many bytes.
            Shadow::new(unsafe { std::slice::from_raw_parts(start, size) })
        });
        let allocation = Arc::new(Allocation {
            block,
            size,
            flags,
            past: Mutex::default(),
            shadow: Mutex::new(shadow),
        });
        self.allocations.write().insert(start as usize, allocation);
        Some(start)
    }

    /// Frees the allocation that starts at an address; says whether there was one.
    ///
    /// Kernels that were enqueued with a pointer into it keep it until they end.
    pub fn free(&self, start: usize) -> bool {
        self.allocations.write().remove(&start).is_some()
    }

    /// A command has written what starts at an address.
    pub fn written(&self, start: usize) {
        if any()
            && let Some(allocation) = self.find(start)
        {
            allocation.broken(|past, bytes| past.written(bytes));
        }
    }

    /// The allocation that an address lies in.
    pub fn find(&self, address: usize) -> Option<Arc<Allocation>> {
        let allocations = self.allocations.read();
        let (_, candidate) = allocations.range(..=address).next_back()?;
        (address - candidate.start() < candidate.size()).then(|| Arc::clone(candidate))
    }

    /// A command of a device uses the allocations that these addresses lie in.
    pub fn used<R>(&self, addresses: &[usize], uses: impl FnOnce() -> R) -> R {
        if !any() {
            return uses();
        }
        let found = addresses.iter().filter_map(|address| self.find(*address));
        let found: Vec<_> = found.collect();
        let users: Vec<_> = found.iter().map(Used::new).collect();
        let result = uses();
        drop(users);
        result
    }

    /// Every allocation.
    pub fn all(&self) -> Vec<Arc<Allocation>> {
        self.allocations.read().values().cloned().collect()
    }
}
