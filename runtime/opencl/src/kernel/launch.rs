//! From a kernel and an index space to a command.
//!
//! Everything the command needs is captured at enqueue: argument values, the buffers and
//! SVM allocations (kept alive until it has ended) and the map of memory the kernel may
//! touch. What is changed on the kernel afterwards changes nothing (`ex.ki.args-captured`).

use std::sync::Arc;

use opencl_sys::*;
use touchstone_exec::{
    Arg, Engine, Executable, Groups, Interleaving, Launch, LaunchError, MemoryMap, Permission,
    TrapKind,
};
use touchstone_faults::{Fault, any, on};

use super::Kernel;
use super::args::{Value, may_write};
use super::broken::Around;
use super::image::{self, Description};
use super::print::{self, Stdout};
use super::range::{Demands, Range};
use super::settings;
use crate::children::{Family, Parent};
use crate::context::Context;
use crate::ffi::{Error, Result};
use crate::memory::svm::Allocation;
use crate::memory::{Buffer, Image, Pipe, owned};
use crate::object::handle;
use crate::platform::limits::sub_group_size;
use crate::platform::{Device, capabilities};
use crate::program::{Built, Target};
use crate::queue::Queue;
use crate::queue::command::{Action, Failure};
use crate::queue::event::Event;
use touchstone_ir::ArgPass;

/// Memory, and other objects, that must stay while the kernel runs.
#[derive(Clone, Default)]
pub struct Held {
    /// Each with whether the kernel may write it.
    pub(super) buffers: Vec<(Arc<Buffer>, bool)>,
    pub(super) allocations: Vec<Arc<Allocation>>,
    /// With their descriptions for the kernel.
    pub(super) images: Vec<(Arc<Image>, Description)>,
    pub(super) pipes: Vec<Arc<Pipe>>,
    /// Device queues that are arguments.
    pub(super) queues: Vec<Arc<Queue>>,
    /// Those of constant memory, for a fault.
    pub(super) constants: Vec<Arc<Buffer>>,
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

    /// What it takes to run this kernel on a device, with what there is of it for that device and
    /// the argument values of this moment.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS`, also when a buffer argument has been deleted;
    /// `CL_OUT_OF_RESOURCES` when local memory does not fit.
    pub fn prepare(
        &self,
        device: &Arc<Device>,
        target: &Target,
        range: &Range,
    ) -> Result<Prepared> {
        self.check_local_memory(target)?;
        let mut memory = MemoryMap::new();
        let mut held = Held::default();
        let args = self.capture(device, &mut memory, &mut held)?;
        let exec_info = self.exec_info.lock().clone();
        let named = exec_info.svm_pointers.into_iter();
        for address in named.filter(|_| !on(Fault::SvmExecInfoIgnored)) {
            self.hold_svm(address, true, &mut memory, &mut held);
        }
        let system = args.iter().any(is_system);
        if capabilities::has_system_svm()
            && !on(Fault::SvmSystemRefused)
            && (system || !exec_info.no_system)
        {
            // SAFETY: with fine-grain system SVM the application vouches for what kernels
            // do to its memory; the executor catches what is no memory.
            unsafe { memory.add_system(Arc::new(owned::Runtime)) };
        }
        if !settings::checks_bounds() {
            // SAFETY: the application has said that its kernels need no bounds checks.
            unsafe { memory.without_bounds_checks() };
        }
        let limits = settings::time_limits();
        // Who waits for the host through memory that both may change at once may wait for long.
        let shared = system || held.allocations.iter().any(|a| a.is_fine_grain());
        let prints = target.meta.prints;
        let launch = Launch {
            kernel: target.meta.id,
            args,
            work_dim: range.dimensions,
            global_offset: wide(range.offset),
            global_size: wide(range.global),
            local_size: wide(range.local),
            sub_group_size: sub_group_size() as u32,
            memory: Arc::new(memory),
            zero_division: settings::zero_division(),
            // Each launch gets its own.
            seed: 0,
            step_limit: None,
            group_time: limits.group,
            wait_time: limits.wait.filter(|_| !shared),
            output: prints.then(print::stdout),
            queues: None,
            cancel: None,
            engine: Engine::of_environment(),
            interleaving: Interleaving::of_environment(),
        };
        let executable = Arc::clone(&target.built.executable);
        let ready = Ready {
            executable,
            launch,
            device: Arc::clone(device),
            held: Arc::new(held),
            prints,
            uses_queues: target.meta.uses_queues,
            empty: range.is_empty(),
        };
        Ok(Prepared {
            ready,
            context: Arc::clone(self.context()),
            built: Arc::clone(&target.built),
        })
    }

    fn capture(
        &self,
        device: &Device,
        memory: &mut MemoryMap,
        held: &mut Held,
    ) -> Result<Vec<Arg>> {
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
                        let writes = may_write(arg.pass);
                        self.hold_svm(*address, writes, memory, held)
                    }
                    Value::System(address) => {
                        system_argument(*address, may_write(arg.pass), memory)
                    }
                    Value::Image(image) => {
                        let image = image::upgraded(image)?;
                        let written =
                            matches!(arg.pass, ArgPass::Image(_, access) if access.writes());
                        let store = Arc::clone(image.store());
                        let start = store.address(device)? as u64;
                        let bytes = image.geometry().bytes();
                        // SAFETY: the command holds the image while it runs; who else may use its memory
                        // meanwhile is governed by the OpenCL memory model.
                        unsafe { object(memory, start, start, bytes, written) };
                        let described = image::description(&image, device)?;
                        let (at, size) = (described.as_ptr() as u64, size_of_val(&*described));
                        // SAFETY: the command holds the description, which nobody changes.
                        let arg = unsafe { object(memory, at, at, size, false) };
                        held.buffers.push((store, written));
                        held.images.push((image, described));
                        arg
                    }
                    Value::Pipe(pipe) => {
                        let pipe = pipe.upgrade().ok_or(missing)?;
                        let store = Arc::clone(pipe.store());
                        let start = store.address(device)? as u64;
                        // SAFETY: the command holds the pipe while it runs; kernels that use it at the
                        // same time do so by atomic operations and by the slots that they reserve so.
                        let arg = unsafe { object(memory, start, start, store.size(), true) };
                        held.buffers.push((store, true));
                        held.pipes.push(pipe);
                        arg
                    }
                    Value::Queue(queue) => {
                        let queue = queue.upgrade().ok_or(missing)?;
                        let number = handle(&queue) as u64;
                        held.queues.push(queue);
                        Arg::Value(number.to_ne_bytes().to_vec())
                    }
                    Value::Buffer(buffer) => {
                        let buffer = buffer.upgrade().ok_or(missing)?;
                        let start = buffer.address(device)? as u64;
                        let declared_as = arg.pass;
                        let writable = buffer.is_writable() || settings::allows_read_only_writes();
                        let writes = may_write(declared_as) && writable;
                        // SAFETY: the command holds the buffer while it runs; who else may
                        // use its memory meanwhile is governed by the OpenCL memory model.
                        let arg = unsafe { object(memory, start, start, buffer.size(), writes) };
                        if on(Fault::ConstantWritten) && !may_write(declared_as) {
                            held.constants.push(Arc::clone(&buffer));
                        }
                        held.buffers.push((buffer, writes));
                        arg
                    }
                })
            })
            .collect()
    }

    /// Lets the kernel touch the allocation that an address lies in. An address that lies
    /// in none is passed all the same; the executor stops the kernel if it is used.
    fn hold_svm(
        &self,
        address: usize,
        writes: bool,
        memory: &mut MemoryMap,
        held: &mut Held,
    ) -> Arg {
        let Some(allocation) = self.context().svm.find(address) else {
            return Arg::Pointer(address as u64);
        };
        let start = allocation.start() as u64;
        // SAFETY: the command holds the allocation while it runs; who else may use its
        // memory meanwhile is governed by the OpenCL memory model.
        let arg = unsafe { object(memory, address as u64, start, allocation.size(), writes) };
        held.allocations.push(allocation);
        arg
    }
}

/// A kernel with its arguments and its index space, of which launches are made: one where it is enqueued, and one
/// each time where it is recorded.
#[derive(Clone)]
pub struct Prepared {
    ready: Ready,
    context: Arc<Context>,
    built: Arc<Built>,
}

impl Prepared {
    /// The action of a launch.
    pub fn action(self) -> Action {
        let Self {
            mut ready,
            context,
            built,
        } = self;
        ready.launch.seed = settings::next_seed(&built.launches);
        let around = any()
            .then(|| Around::new(&ready.held, &ready.device, &ready.executable, &ready.launch));
        if !ready.uses_queues {
            return Box::new(move |_| ready.run(around));
        }
        let default = context.default_queue(&ready.device);
        Box::new(move |event| {
            let launch = ready.launch.clone();
            let (device, held) = (Arc::clone(&ready.device), Arc::clone(&ready.held));
            let family = Family::new(event, device, built, launch, held, default);
            ready.with_children(event, &family).run(around)
        })
    }
}

/// A kernel that can be run, with all that it needs.
#[derive(Clone)]
pub struct Ready {
    /// Where the kernel is.
    pub executable: Arc<Executable>,
    /// What is launched.
    pub launch: Launch,
    /// Where it runs.
    pub device: Arc<Device>,
    /// What must stay meanwhile.
    pub held: Arc<Held>,
    /// It calls `printf`.
    pub prints: bool,
    /// It asks device queues for something.
    pub uses_queues: bool,
    /// Its index space has no work-item.
    pub empty: bool,
}

impl Ready {
    /// Runs a kernel that a kernel of a family enqueued, as the command of an event.
    ///
    /// # Errors
    /// Why it did not run to its end.
    pub fn run_in(
        self,
        event: &Arc<Event>,
        family: &Arc<Family>,
    ) -> std::result::Result<(), Failure> {
        match self.uses_queues {
            true => self.with_children(event, family).run(None),
            false => self.run(None),
        }
    }

    /// Lets it have children.
    fn with_children(mut self, event: &Arc<Event>, family: &Arc<Family>) -> Self {
        let parent = Parent::new(event, Arc::clone(family));
        event.becomes(Arc::clone(&parent), &family.activity);
        self.launch.queues = Some(parent);
        self
    }

    fn run(self, around: Option<Around>) -> std::result::Result<(), Failure> {
        if self.empty {
            return Ok(());
        }
        let pool = self.device.pool();
        let (executable, launch) = (&self.executable, self.launch);
        let ran = match around {
            Some(around) => {
                around.run(|groups| pool.run_broken::<Around>(executable, launch, groups))
            }
            None if any() => pool.run_broken::<Around>(executable, launch, Groups::All),
            None => pool.run(executable, launch),
        };
        if self.prints {
            Stdout.flush();
        }
        ran.map(drop).map_err(|error| failure(&error))
    }
}

/// Sizes as the executor has them.
pub fn wide(sides: [usize; 3]) -> [u64; 3] {
    sides.map(|side| side as u64)
}

/// An argument that points into an object, which the kernel may touch then.
///
/// # Safety
/// As for [`MemoryMap::add`].
unsafe fn object(
    memory: &mut MemoryMap,
    address: u64,
    base: u64,
    size: usize,
    writes: bool,
) -> Arg {
    let (len, permission) = (size as u64, permission(writes));
    // SAFETY: the caller's promise.
    unsafe { memory.add(base, len, permission) };
    Arg::Object {
        address,
        base,
        len,
        permission,
    }
}

/// An argument that points to memory of the system, of which nobody knows how far it goes. A
/// buffer's memory counts as such when the application has its address by mapping it.
fn system_argument(address: usize, writes: bool, memory: &mut MemoryMap) -> Arg {
    match owned::block_at(address) {
        // SAFETY: the application keeps what it passes by its address while the kernel runs.
        Some((start, size)) => unsafe {
            object(memory, address as u64, start as u64, size, writes)
        },
        None => Arg::Pointer(address as u64),
    }
}

/// Whether an argument points to memory of the system.
fn is_system(arg: &Arg) -> bool {
    match arg {
        Arg::Pointer(address) => *address != 0,
        Arg::Value(_) | Arg::Object { .. } | Arg::Local(_) => false,
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
        of: error.kernel().to_owned(),
        advice: advice(error),
    }
}

/// What the user of a kernel that failed can set.
fn advice(error: &LaunchError) -> &'static str {
    let LaunchError::Trap(trap) = error else {
        return "";
    };
    match &trap.kind {
        kind if kind.is_write_where_only_reads_are() => {
            "Kernels may not write to buffers made with CL_MEM_READ_ONLY: \
             TOUCHSTONE_READ_ONLY_WRITES=allow lets them."
        }
        TrapKind::BadRead { .. } | TrapKind::BadWrite { .. } => {
            "With TOUCHSTONE_BOUNDS_CHECKS=off accesses of kernels are not checked."
        }
        TrapKind::OutsideImage => {
            "Places outside of an image can be read with a sampler, and not be written."
        }
        TrapKind::WaitedTooLong { .. } | TrapKind::RanTooLong { .. } => {
            "TOUCHSTONE_TIME_LIMIT sets how long a work-group may take."
        }
        TrapKind::DivisionByZero => "Without TOUCHSTONE_ZERO_DIVISION=error it gives some value.",
        TrapKind::Unmapped { .. }
        | TrapKind::NullPointer { .. }
        | TrapKind::MisalignedAtomic { .. }
        | TrapKind::EndlessLoop
        | TrapKind::Unreachable
        | TrapKind::MissingReturn
        | TrapKind::Explicit
        | TrapKind::DivergentBarrier { .. }
        | TrapKind::DivergentBroadcast { .. }
        | TrapKind::DivergentRotation { .. }
        | TrapKind::BroadcastFromNobody { .. }
        | TrapKind::BarrierNotReached { .. } => "",
    }
}
