//! From a kernel and an index space to a command.
//!
//! Everything the command needs is captured at enqueue: argument values, the buffers and
//! SVM allocations (kept alive until it has ended) and the map of memory the kernel may
//! touch. What is changed on the kernel afterwards changes nothing (`ex.ki.args-captured`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use opencl_sys::*;
use touchstone_exec::{Arg, Launch, LaunchError, MemoryMap, Permission};

use super::Kernel;
use super::args::{Value, may_write};
use super::range::{Demands, Range};
use crate::edge::{Error, Result};
use crate::memory::Buffer;
use crate::memory::svm::Allocation;
use crate::program::Target;
use crate::queue::command::{Action, Failure};

/// `TOUCHSTONE_SEED`: where the seeds of the launches begin. The n-th launch of a built
/// program is interleaved by seed + n, so that launches differ, and a program's launches can be
/// repeated whatever else the process did.
fn next_seed(launches: &AtomicU64) -> u64 {
    static FIRST: LazyLock<u64> = LazyLock::new(|| {
        std::env::var("TOUCHSTONE_SEED")
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0)
    });
    FIRST.wrapping_add(launches.fetch_add(1, Ordering::Relaxed))
}

/// Memory that must stay while the kernel runs.
#[derive(Default)]
struct Held {
    buffers: Vec<Arc<Buffer>>,
    allocations: Vec<Arc<Allocation>>,
}

impl Kernel {
    /// What it demands of work-groups.
    pub fn demands(target: &Target) -> Demands {
        let required = target.meta.info.reqd_work_group_size;
        Demands {
            required: required.map(|sides| sides.map(|side| side as usize)),
            uniform: target.built.uniform_groups,
            max_group: Self::max_group_size(target),
        }
    }

    /// Checks that every argument has a value.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS`.
    pub fn check_arguments(&self) -> Result<()> {
        if self.values.lock().iter().all(Option::is_some) {
            Ok(())
        } else {
            Err(Error(CL_INVALID_KERNEL_ARGS))
        }
    }

    /// The action that runs this kernel on a device with the argument values of this moment.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS`, also when a buffer argument has been deleted;
    /// `CL_OUT_OF_RESOURCES` when local memory does not fit.
    pub fn launch(&self, target: &Target, range: &Range) -> Result<Action> {
        self.check_local_memory(target)?;
        let mut memory = MemoryMap::new();
        let mut held = Held::default();
        let args = self.capture(&mut memory, &mut held)?;
        for &address in &self.exec_info.lock().svm_pointers {
            self.hold_svm(address, true, &mut memory, &mut held);
        }
        let wide = |sides: [usize; 3]| sides.map(|side| side as u64);
        let items: usize = range.local.iter().product();
        let launch = Launch {
            kernel: target.meta.id,
            args,
            work_dim: range.dimensions,
            global_offset: wide(range.offset),
            global_size: wide(range.global),
            local_size: wide(range.local),
            sub_group_size: u32::try_from(items).unwrap_or(u32::MAX),
            memory: Arc::new(memory),
            seed: next_seed(&target.built.launches),
            step_limit: None,
            cancel: None,
        };
        let executable = Arc::clone(&target.built.executable);
        let device = Arc::clone(&target.device);
        let empty = range.is_empty();
        Ok(Box::new(move || {
            let _held = held;
            if empty {
                return Ok(());
            }
            device
                .pool()
                .run(&executable, launch)
                .map(drop)
                .map_err(|error| failure(&error))
        }))
    }

    fn capture(&self, memory: &mut MemoryMap, held: &mut Held) -> Result<Vec<Arg>> {
        let missing = Error(CL_INVALID_KERNEL_ARGS);
        let values = self.values.lock();
        let declared = self.meta().info.args.iter();
        values
            .iter()
            .zip(declared)
            .map(|(value, arg)| {
                Ok(match value.as_ref().ok_or(missing)? {
                    Value::Bytes(bytes) => Arg::Value(bytes.clone()),
                    Value::Local(size) => Arg::Local(*size as u64),
                    Value::Null => Arg::Pointer(0),
                    Value::Svm(address) => {
                        self.hold_svm(*address, may_write(arg.address), memory, held);
                        Arg::Pointer(*address as u64)
                    }
                    Value::Buffer(buffer) => {
                        let buffer = buffer.upgrade().ok_or(missing)?;
                        let start = buffer.start() as u64;
                        let writes = may_write(arg.address) && buffer.is_writable();
                        // SAFETY: the command holds the buffer while it runs; who else may
                        // use its memory meanwhile is governed by the OpenCL memory model.
                        unsafe { memory.add(start, buffer.size() as u64, permission(writes)) };
                        held.buffers.push(buffer);
                        Arg::Pointer(start)
                    }
                })
            })
            .collect()
    }

    /// Lets the kernel touch the allocation that an address lies in. An address that lies
    /// in none is passed all the same; the executor stops the kernel if it is used.
    fn hold_svm(&self, address: usize, writes: bool, memory: &mut MemoryMap, held: &mut Held) {
        let Some(allocation) = self.context().svm.find(address) else {
            return;
        };
        let start = allocation.start() as u64;
        // SAFETY: the command holds the allocation while it runs; who else may use its
        // memory meanwhile is governed by the OpenCL memory model.
        unsafe { memory.add(start, allocation.size() as u64, permission(writes)) };
        held.allocations.push(allocation);
    }
}

fn permission(writes: bool) -> Permission {
    if writes {
        Permission::ReadWrite
    } else {
        Permission::Read
    }
}

/// The event status and the message of a launch that did not run to its end.
fn failure(error: &LaunchError) -> Failure {
    let status = match error {
        LaunchError::OutOfResources { .. } => CL_OUT_OF_RESOURCES,
        LaunchError::Trap(_)
        | LaunchError::Invalid { .. }
        | LaunchError::Cancelled { .. }
        | LaunchError::StepLimit { .. } => CL_INVALID_OPERATION,
    };
    Failure {
        status,
        message: error.to_string(),
    }
}
