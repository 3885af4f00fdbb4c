//! What outlives runs and cases: contexts, queues, built programs, kernels.

use super::api::{Api, Device, SetupError, address};
use super::deadlines::Deadlines;
use super::programs::{BuildFailed, Maker};
use super::translate::language;
use crate::device::{OpenDevice, Reached};
use crate::execute::ended::NotRun;
use classay_suites::host::Build;
use classay_suites::host::constant::cl;
use classay_suites::host::{Fixture, Function, HostProgram, ProgramOf, Slot, SlotKind};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Programs that are kept; where there are more, all are given up and built again when needed.
const KEPT: usize = 32;

/// The fixtures of a device. Each is known by what it is and by the handle of what it lies in.
pub struct Fixtures {
    pub(in crate::execute) api: Arc<Api>,
    pub(super) device: Arc<Device>,
    pub(super) deadlines: Arc<Deadlines>,
    /// By how many devices, and which of those with so many.
    contexts: BTreeMap<(u8, u8), usize>,
    /// By context, device, profiling, and which of those that are alike.
    queues: HashMap<(usize, u8, bool, u8), usize>,
    /// By context, and what of, and how.
    programs: HashMap<(usize, ProgramOf, Build), usize>,
    /// By program, name, and which of that name.
    kernels: HashMap<(usize, String, u16), usize>,
    build_time: Duration,
}

impl Fixtures {
    /// No fixtures yet, on a device that this worker has opened.
    pub fn new(device: &OpenDevice) -> Result<Fixtures, NotRun> {
        let Reached::OpenCl {
            library,
            platform_devices,
        } = &device.reached
        else {
            return Err(NotRun::skip("the device is no OpenCL device".into()));
        };
        let api = library.iter().find_map(|name| Api::of(name));
        let mut api = api.ok_or_else(|| {
            NotRun::failed("the implementation's library cannot be loaded again".into())
        })?;
        let capabilities = &device.capabilities;
        if let Some(version) = capabilities.command_buffers()
            && let Some(first) = platform_devices.first()
            && let Ok(platform) = first.platform()
        {
            // SAFETY: the platform of the device, which the worker has opened.
            unsafe { api.extend(platform.expose_provenance(), version) };
        }
        let handles = platform_devices.iter();
        Ok(Fixtures::on(
            api,
            Device {
                handles: handles.map(|d| d.id().expose_provenance()).collect(),
                version: capabilities.version,
                std: capabilities.c_std.clone(),
                built_in: capabilities.built_in_kernels.clone(),
                il: capabilities.il.clone(),
                language: language(capabilities),
            },
        ))
    }

    /// No fixtures yet.
    pub fn on(api: Api, device: Device) -> Fixtures {
        Fixtures {
            api: Arc::new(api),
            device: Arc::new(device),
            deadlines: Arc::default(),
            contexts: BTreeMap::new(),
            queues: HashMap::new(),
            programs: HashMap::new(),
            kernels: HashMap::new(),
            build_time: Duration::ZERO,
        }
    }

    /// How long the end of a run waits for commands and callbacks that should be done, in seconds: while the driver
    /// does nothing, and while it works.
    pub fn set_deadlines(&self, idle: f64, working: f64) {
        let [idle, working] = [idle, working].map(Duration::from_secs_f64);
        self.deadlines.set(idle, working);
    }

    /// Seconds spent in the implementation's compiler since this was last asked.
    pub fn take_build_seconds(&mut self) -> f64 {
        std::mem::take(&mut self.build_time).as_secs_f64()
    }

    /// The fixtures of a program with their slots, made where there are none yet.
    pub(super) fn of(&mut self, program: &HostProgram) -> Result<Vec<(Slot, usize)>, NotRun> {
        if self.programs.len() > KEPT {
            self.forget_programs();
        }
        let mut made: Vec<(Slot, usize)> = Vec::new();
        for (slot, fixture) in &program.fixtures {
            // A program that names the wrong slot is not valid.
            let within = |slot: &Slot, kind: SlotKind| {
                let found = made.iter().find(|(of, _)| of == slot);
                let right = program.slots.get(slot.index()).map(|info| info.kind) == Some(kind);
                found.filter(|_| right).map(|(_, handle)| *handle).ok_or_else(|| {
                    NotRun::failed(format!(
                        "internal error: a fixture of a program lies in no {kind:?} (this is a bug)"
                    ))
                })
            };
            let handle = match fixture {
                Fixture::Platform => self.platform()?,
                Fixture::Device(n) => self.handle(*n)?,
                Fixture::Context { devices, number } => self.context((*devices).max(1), *number)?,
                Fixture::Queue {
                    context,
                    device,
                    profiling,
                    number,
                } => self.queue(
                    within(context, SlotKind::Context)?,
                    *device,
                    *profiling,
                    *number,
                )?,
                Fixture::Program { context, of, build } => self.program(
                    within(context, SlotKind::Context)?,
                    of.clone(),
                    build.clone(),
                )?,
                Fixture::Kernel {
                    program,
                    name,
                    number,
                } => self.kernel(within(program, SlotKind::Program)?, name, *number)?,
            };
            made.push((*slot, handle));
        }
        Ok(made)
    }

    pub(in crate::execute) fn handle(&self, n: u8) -> Result<usize, SetupError> {
        let handle = self.device.handles.get(usize::from(n));
        let none = cl::CL_DEVICE_NOT_FOUND.value() as i32;
        handle
            .copied()
            .ok_or(SetupError::of(Function::GetDeviceIDs, none))
    }

    fn platform(&self) -> Result<usize, SetupError> {
        let of = [
            self.handle(0)? as u64,
            cl::CL_DEVICE_PLATFORM.value() as u64,
        ];
        // SAFETY: the device is alive, and the answer is an object.
        unsafe { self.api.number(Function::GetDeviceInfo, &of) }.map(|platform| platform as usize)
    }

    /// A context of the first so many devices.
    pub(in crate::execute) fn context(
        &mut self,
        devices: u8,
        number: u8,
    ) -> Result<usize, SetupError> {
        if let Some(context) = self.contexts.get(&(devices, number)) {
            return Ok(*context);
        }
        let handles: Vec<usize> = (0..devices)
            .map(|n| self.handle(n))
            .collect::<Result<_, _>>()?;
        let words = [0, u64::from(devices), address(&handles), 0, 0];
        // SAFETY: the list has so many devices and lives through the call.
        let context = unsafe { self.api.must(Function::CreateContext, &words) }?;
        self.contexts.insert((devices, number), context);
        Ok(context)
    }

    /// An in-order queue of a context.
    pub(in crate::execute) fn queue(
        &mut self,
        context: usize,
        device: u8,
        profiling: bool,
        number: u8,
    ) -> Result<usize, SetupError> {
        let key = (context, device, profiling, number);
        if let Some(queue) = self.queues.get(&key) {
            return Ok(*queue);
        }
        let profiling = u64::from(profiling) * cl::CL_QUEUE_PROFILING_ENABLE.value() as u64;
        let list = [cl::CL_QUEUE_PROPERTIES.value() as u64, profiling, 0];
        let (function, properties) = if self.device.version < (2, 0) {
            (Function::CreateCommandQueue, profiling)
        } else {
            (Function::CreateCommandQueueWithProperties, address(&list))
        };
        let words = [context as u64, self.handle(device)? as u64, properties];
        // SAFETY: context and device are alive, and the device is one of the context; the list ends with
        // a zero and lives through the call.
        let queue = unsafe { self.api.must(function, &words) }?;
        self.queues.insert(key, queue);
        Ok(queue)
    }

    /// A program, built for all devices of its context.
    pub(in crate::execute) fn program(
        &mut self,
        context: usize,
        of: ProgramOf,
        build: Build,
    ) -> Result<usize, BuildFailed> {
        let key = (context, of, build);
        if let Some(program) = self.programs.get(&key) {
            return Ok(*program);
        }
        let begun = Instant::now();
        let own = self.contexts.iter().find(|(_, own)| **own == context);
        let devices = own.map_or(1, |((devices, _), _)| usize::from(*devices));
        let maker = Maker {
            api: &self.api,
            device: &self.device,
            context,
            devices: &self.device.handles[..devices],
        };
        let made = maker.make(&key.1, &key.2);
        self.build_time += begun.elapsed();
        let program = made?;
        self.programs.insert(key, program);
        Ok(program)
    }

    /// A kernel of a program.
    pub(in crate::execute) fn kernel(
        &mut self,
        program: usize,
        name: &str,
        number: u16,
    ) -> Result<usize, SetupError> {
        let key = (program, name.to_string(), number);
        if let Some(kernel) = self.kernels.get(&key) {
            return Ok(*kernel);
        }
        // Names of a program: one with a zero byte in it is none.
        let text = CString::new(name).unwrap_or_default();
        let words = [program as u64, address(text.as_bytes_with_nul())];
        // SAFETY: the program is alive, and the name lives through the call.
        let kernel = unsafe { self.api.must(Function::CreateKernel, &words) }?;
        self.kernels.insert(key, kernel);
        Ok(kernel)
    }

    /// Gives everything up, as after a run that may have lost its contexts; what is needed is made anew.
    pub(in crate::execute) fn give_up(&mut self) {
        self.forget_programs();
        for (_, queue) in self.queues.drain() {
            self.api.release(Function::ReleaseCommandQueue, queue);
        }
        for context in std::mem::take(&mut self.contexts).into_values() {
            self.api.release(Function::ReleaseContext, context);
        }
    }

    fn forget_programs(&mut self) {
        for (_, kernel) in self.kernels.drain() {
            self.api.release(Function::ReleaseKernel, kernel);
        }
        for (_, program) in self.programs.drain() {
            self.api.release(Function::ReleaseProgram, program);
        }
    }
}

impl Drop for Fixtures {
    fn drop(&mut self) {
        self.give_up();
    }
}
