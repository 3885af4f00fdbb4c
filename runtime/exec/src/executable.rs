//! A program ready to run.

use crate::error::PrepareError;
use crate::interp::code::{Kernel, MAX_ALIGN};
use crate::interp::lower::{self, GlobalsLayout};
use crate::launch::KernelId;
use crate::map::MemoryMap;
use crate::tier::Tier;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, HashMap};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use touchstone_faults::{Fault, on};
use touchstone_ir::{AddressSpace, FuncId, Function, KernelInfo, Module};

/// What the host may know about a kernel.
#[derive(Clone, Debug)]
pub struct KernelMeta {
    /// Its id.
    pub id: KernelId,
    /// Its name.
    pub name: String,
    /// Arguments and attributes.
    pub info: KernelInfo,
    /// Bytes of its static local variables, for `CL_KERNEL_LOCAL_MEM_SIZE`
    /// (which adds the sizes of local arguments).
    pub local_bytes: u64,
    /// Bytes of private memory and registers of one work-item, for
    /// `CL_KERNEL_PRIVATE_MEM_SIZE`.
    pub private_bytes: u64,
    /// Whether it calls `printf`.
    pub prints: bool,
    /// Whether it asks device queues for anything.
    pub uses_queues: bool,
}

/// A program ready to run. It holds the program-scope variables, which keep
/// their values from launch to launch.
#[derive(Debug)]
pub struct Executable {
    /// Those that the host enqueues, then blocks.
    metas: Vec<KernelMeta>,
    /// Kernels that the host enqueues.
    hosted: usize,
    kernels: Vec<Kernel>,
    /// One for each of the kernels.
    tiers: Vec<Tier>,
    /// The variables, if there are any.
    storage: Option<Storage>,
    /// Their ranges.
    variables: MemoryMap,
    global_bytes: u64,
    /// For faults.
    broken: Mutex<Broken>,
}

/// What faults remember of the variables.
#[derive(Debug, Default)]
struct Broken {
    /// Their first values.
    initial: Vec<u8>,
    launches: u64,
    /// What each kernel left in variables of its own.
    kept: HashMap<usize, Vec<u8>>,
    /// The kernel whose variables are in the storage.
    present: usize,
}

impl Executable {
    /// Validates a module and makes it ready to run.
    ///
    /// # Errors
    /// When the module breaks a rule of the IR or does not fit.
    pub fn prepare(module: Module) -> Result<Executable, PrepareError> {
        touchstone_ir::validate(&module)?;
        let (storage, variables, addresses) = variables(&module)?;
        let mut kernels = Vec::new();
        let mut metas = Vec::new();
        let order = kernel_order(&module);
        let numbers = (0..).map(KernelId);
        let numbers: BTreeMap<FuncId, KernelId> = order.iter().copied().zip(numbers).collect();
        for &function in &order {
            let kernel = lower::kernel(&module, function, &addresses, &numbers)?;
            metas.push(KernelMeta {
                id: KernelId(kernels.len() as u32),
                name: kernel.name.clone(),
                info: kernel.info.clone(),
                local_bytes: kernel.local_bytes,
                private_bytes: kernel.private_bytes
                    + 8 * (kernel.frame + kernel.fills.len()) as u64,
                prints: !kernel.printings.is_empty(),
                uses_queues: !kernel.device_calls.is_empty(),
            });
            kernels.push(kernel);
        }
        let global_bytes = module
            .globals
            .iter()
            .filter(|g| g.space == AddressSpace::Global)
            .map(|g| g.size)
            .sum();
        let hosted = metas.iter().filter(|meta| !meta.info.is_block).count();
        Ok(Executable {
            metas,
            hosted,
            tiers: kernels.iter().map(|_| Tier::default()).collect(),
            kernels,
            storage,
            variables,
            global_bytes,
            broken: Mutex::default(),
        })
    }

    /// Changes the variables before a launch of a kernel, by a fault.
    pub(crate) fn before_launch(&self, kernel: usize) {
        let Some(storage) = &self.storage else {
            return;
        };
        let (start, size) = (storage.memory.as_ptr(), storage.layout.size());
        // SAFETY: the storage, which is as long; kernels that run meanwhile find it changed, as
        // the fault wants it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, size) };
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        if broken.launches == 0 {
            broken.initial = bytes.to_vec();
            broken.present = kernel;
        }
        broken.launches += 1;
        let twice = on(Fault::ProgramScopeTwice) && broken.launches == 2;
        if on(Fault::ProgramScopeLost) || twice {
            bytes.copy_from_slice(&broken.initial);
        }
        if on(Fault::ProgramScopePerKernel) && broken.present != kernel {
            let left = broken.present;
            broken.kept.insert(left, bytes.to_vec());
            let first = broken.initial.clone();
            bytes.copy_from_slice(broken.kept.entry(kernel).or_insert(first));
            broken.present = kernel;
        }
    }

    /// The kernels that the host enqueues.
    pub fn kernels(&self) -> &[KernelMeta] {
        &self.metas[..self.hosted]
    }

    /// The kernel with a name that the host enqueues.
    pub fn kernel(&self, name: &str) -> Option<&KernelMeta> {
        self.kernels().iter().find(|k| k.name == name)
    }

    /// A kernel or a block.
    pub fn kernel_or_block(&self, id: KernelId) -> Option<&KernelMeta> {
        self.metas.get(id.0 as usize)
    }

    /// Bytes of program-scope variables in global memory, for
    /// `CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`.
    pub fn global_bytes(&self) -> u64 {
        self.global_bytes
    }

    /// The kernels' code, by the number of their ids.
    pub(crate) fn kernels_compiled(&self) -> &[Kernel] {
        &self.kernels
    }

    /// What there is of the kernels besides, by the number of their ids.
    pub(crate) fn tiers(&self) -> &[Tier] {
        &self.tiers
    }

    /// The memory of a launch and the program's variables.
    pub(crate) fn with_variables(&self, memory: &Arc<MemoryMap>) -> Arc<MemoryMap> {
        if self.storage.is_none() {
            return Arc::clone(memory);
        }
        let mut all = MemoryMap::clone(memory);
        all.extend(&self.variables);
        Arc::new(all)
    }
}

/// The kernels of a module in the order of their numbers: blocks come last.
fn kernel_order(module: &Module) -> Vec<FuncId> {
    let is_block = |function: &Function| function.kernel.as_ref().is_some_and(|k| k.is_block);
    let (blocks, kernels): (Vec<_>, Vec<_>) = module
        .kernels()
        .partition(|(_, function)| is_block(function));
    kernels
        .into_iter()
        .chain(blocks)
        .map(|(id, _)| id)
        .collect()
}

/// Memory of the program's variables.
#[derive(Debug)]
struct Storage {
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to this object alone; kernels access it as
// `interp::port` describes, through atomics only.
unsafe impl Send for Storage {}
// SAFETY: as above; through a shared reference nothing accesses it.
unsafe impl Sync for Storage {}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and launches that use it hold the
        // executable.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// Allocates the program's variables with their initial values; their ranges
/// and addresses.
fn variables(module: &Module) -> Result<(Option<Storage>, MemoryMap, Vec<u64>), PrepareError> {
    if module.globals.is_empty() {
        return Ok((None, MemoryMap::new(), Vec::new()));
    }
    let too_large = || PrepareError::OutOfMemory { bytes: u64::MAX };
    let plan = GlobalsLayout::new(module).ok_or_else(too_large)?;
    let layout = Layout::from_size_align(plan.bytes.max(1) as usize, MAX_ALIGN as usize)
        .map_err(|_| too_large())?;
    // SAFETY: the layout has at least one byte.
    let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
        return Err(PrepareError::OutOfMemory { bytes: plan.bytes });
    };
    let storage = Storage { memory, layout };
    let base = memory.as_ptr() as u64;
    let addresses: Vec<u64> = plan.offsets.iter().map(|o| base + o).collect();
    for (g, offset) in module.globals.iter().zip(&plan.offsets) {
        let mut bytes = g.init.clone();
        for r in &g.relocs {
            let address = addresses[r.target.0 as usize].wrapping_add_signed(r.addend);
            let at = r.offset as usize;
            if bytes.len() < at + 8 {
                bytes.resize(at + 8, 0);
            }
            bytes[at..at + 8].copy_from_slice(&address.to_ne_bytes());
        }
        // SAFETY: the validator has checked that initial values and pointers
        // lie within the variable, which lies within the storage.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                memory.as_ptr().add(*offset as usize),
                bytes.len(),
            );
        }
    }
    // SAFETY: the storage lives as long as the executable, which every launch holds.
    let map = unsafe { plan.map(module, base) };
    Ok((Some(storage), map, addresses))
}
