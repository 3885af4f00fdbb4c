//! What outlives runs and cases: contexts, queues, built programs, kernels.

use super::api::Api;
use super::deadlines::Deadlines;
use super::programs::Maker;
use crate::device::OpenDevice;
use crate::execute::NotRun;
use classay_suites::host::Build;
use classay_suites::host::constant::cl;
use classay_suites::host::{Fixture, Function, HostProgram, NOT_MADE, ProgramOf, Slot};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Programs that are kept; where there are more, all are given up and built again when needed.
const KEPT: usize = 32;

/// A call of the harness's own that failed, outside the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} gives error {code}")]
pub struct SetupError {
    /// The function.
    pub call: Function,
    /// The code.
    pub code: i32,
}

impl From<SetupError> for NotRun {
    fn from(error: SetupError) -> NotRun {
        NotRun::failed(error.to_string())
    }
}

/// What is to be known of a device.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// The device under test and its neighbours.
    pub handles: Vec<usize>,
    /// The version of OpenCL, as (major, minor).
    pub version: (u32, u32),
    /// The highest `-cl-std` value.
    pub std: String,
    /// The names of the built-in kernels, separated by semicolons.
    pub built_in: String,
}

/// The fixtures of a device.
pub struct Fixtures {
    pub api: Arc<Api>,
    pub device: Device,
    pub deadlines: Arc<Deadlines>,
    contexts: BTreeMap<(u8, u8), Context>,
    build_time: Duration,
}

struct Context {
    handle: usize,
    queues: HashMap<(u8, bool, u8), usize>,
    programs: HashMap<(ProgramOf, Build), Program>,
}

struct Program {
    handle: usize,
    kernels: HashMap<(String, u16), usize>,
}

/// What a slot of a fixture is, so that others find what they are made in.
#[derive(Clone)]
enum Made {
    Plain,
    Context((u8, u8)),
    Program((u8, u8), (ProgramOf, Build)),
}

impl Fixtures {
    /// No fixtures yet, on a device that this worker has opened.
    pub fn new(device: &OpenDevice) -> Result<Fixtures, NotRun> {
        let api = Api::opened().ok_or_else(|| {
            NotRun::failed("the implementation's library cannot be loaded again".into())
        })?;
        let capabilities = &device.capabilities;
        let handles = device.platform_devices.iter();
        Ok(Fixtures::on(
            api,
            Device {
                handles: handles.map(|d| d.id().expose_provenance()).collect(),
                version: capabilities.version,
                std: capabilities.c_std.clone(),
                built_in: capabilities.built_in_kernels.clone(),
            },
        ))
    }

    /// No fixtures yet.
    pub fn on(api: Api, device: Device) -> Fixtures {
        Fixtures {
            api: Arc::new(api),
            device,
            deadlines: Arc::default(),
            contexts: BTreeMap::new(),
            build_time: Duration::ZERO,
        }
    }

    /// How long the end of a run waits for commands and callbacks that should be done, in seconds.
    pub fn set_deadline(&self, seconds: f64) {
        self.deadlines.set_full(Duration::from_secs_f64(seconds));
    }

    /// Seconds spent in the implementation's compiler since this was last asked.
    pub fn take_build_seconds(&mut self) -> f64 {
        std::mem::take(&mut self.build_time).as_secs_f64()
    }

    /// The fixtures of a program with their slots, made where there are none yet.
    pub(super) fn of(&mut self, program: &HostProgram) -> Result<Vec<(Slot, usize)>, NotRun> {
        if self
            .contexts
            .values()
            .map(|c| c.programs.len())
            .sum::<usize>()
            > KEPT
        {
            self.forget_programs();
        }
        let mut made: HashMap<Slot, (usize, Made)> = HashMap::new();
        let mut all = Vec::new();
        for (slot, fixture) in &program.fixtures {
            let (handle, what) = self.fixture(fixture, &made)?;
            made.insert(*slot, (handle, what));
            all.push((*slot, handle));
        }
        Ok(all)
    }

    fn fixture(
        &mut self,
        fixture: &Fixture,
        made: &HashMap<Slot, (usize, Made)>,
    ) -> Result<(usize, Made), NotRun> {
        // A program that names the wrong slot is not valid.
        let invalid = |what: &str| {
            NotRun::failed(format!(
                "internal error: a fixture of a program lies in no {what} (this is a bug)"
            ))
        };
        let context = |slot: &Slot| match made.get(slot) {
            Some((_, Made::Context(key))) => Ok(*key),
            _ => Err(invalid("context")),
        };
        Ok(match fixture {
            Fixture::Platform => (self.platform()?, Made::Plain),
            Fixture::Device(n) => (self.handle(*n)?, Made::Plain),
            Fixture::Context { devices, number } => {
                let key = ((*devices).max(1), *number);
                (self.context(key)?.handle, Made::Context(key))
            }
            Fixture::Queue {
                context: of,
                device,
                profiling,
                number,
            } => {
                let key = (*device, *profiling, *number);
                (self.queue(context(of)?, key)?, Made::Plain)
            }
            Fixture::Program {
                context: of,
                of: what,
                build,
            } => {
                let key = (what.clone(), build.clone());
                let within = context(of)?;
                let handle = self.program(within, &key)?;
                (handle, Made::Program(within, key))
            }
            Fixture::Kernel {
                program,
                name,
                number,
            } => match made.get(program) {
                Some((_, Made::Program(context, key))) => {
                    (self.kernel(*context, key, name, *number)?, Made::Plain)
                }
                _ => return Err(invalid("program")),
            },
        })
    }

    fn handle(&self, n: u8) -> Result<usize, SetupError> {
        let handle = self.device.handles.get(usize::from(n));
        handle.copied().ok_or(SetupError {
            call: Function::GetDeviceIDs,
            code: cl::CL_DEVICE_NOT_FOUND.value() as i32,
        })
    }

    fn platform(&self) -> Result<usize, SetupError> {
        let mut platform = 0_usize;
        let to = (&raw mut platform).expose_provenance() as u64;
        let what = cl::CL_DEVICE_PLATFORM.value() as u64;
        let words = [self.handle(0)? as u64, what, 8, to, 0];
        // SAFETY: the device is alive, and the answer has eight bytes.
        unsafe { call(&self.api, Function::GetDeviceInfo, &words) }?;
        Ok(platform)
    }

    fn context(&mut self, key: (u8, u8)) -> Result<&mut Context, SetupError> {
        if !self.contexts.contains_key(&key) {
            let devices: Vec<usize> = (0..key.0)
                .map(|n| self.handle(n))
                .collect::<Result<_, _>>()?;
            let list = devices.as_ptr().expose_provenance() as u64;
            let words = [0, u64::from(key.0), list, 0, 0];
            // SAFETY: the list has so many devices and lives through the call.
            let handle = unsafe { call(&self.api, Function::CreateContext, &words) }?;
            self.contexts.insert(
                key,
                Context {
                    handle,
                    queues: HashMap::new(),
                    programs: HashMap::new(),
                },
            );
        }
        self.contexts.get_mut(&key).ok_or(SetupError {
            call: Function::CreateContext,
            code: NOT_MADE,
        })
    }

    fn queue(&mut self, context: (u8, u8), key: (u8, bool, u8)) -> Result<usize, SetupError> {
        let (device, api) = (self.handle(key.0)?, self.api.clone());
        let before_2_0 = self.device.version < (2, 0);
        let context = self.context(context)?;
        if let Some(queue) = context.queues.get(&key) {
            return Ok(*queue);
        }
        let profiling = u64::from(key.1) * cl::CL_QUEUE_PROFILING_ENABLE.value() as u64;
        let list = [cl::CL_QUEUE_PROPERTIES.value() as u64, profiling, 0];
        let (function, properties) = if before_2_0 {
            (Function::CreateCommandQueue, profiling)
        } else {
            let list = list.as_ptr().expose_provenance() as u64;
            (Function::CreateCommandQueueWithProperties, list)
        };
        let words = [context.handle as u64, device as u64, properties];
        // SAFETY: context and device are alive, and the device is one of the context; the list ends with
        // a zero and lives through the call.
        let queue = unsafe { call(&api, function, &words) }?;
        context.queues.insert(key, queue);
        Ok(queue)
    }

    fn program(&mut self, within: (u8, u8), key: &(ProgramOf, Build)) -> Result<usize, NotRun> {
        let handles: Vec<usize> = (0..within.0)
            .map(|n| self.handle(n))
            .collect::<Result<_, _>>()?;
        let (api, device) = (self.api.clone(), self.device.clone());
        let context = self.context(within)?;
        if let Some(program) = context.programs.get(key) {
            return Ok(program.handle);
        }
        let begun = Instant::now();
        let maker = Maker {
            api: &api,
            device: &device,
            context: context.handle,
            devices: &handles,
        };
        let made = maker.make(&key.0, &key.1);
        if let Ok(handle) = &made {
            let program = Program {
                handle: *handle,
                kernels: HashMap::new(),
            };
            context.programs.insert(key.clone(), program);
        }
        self.build_time += begun.elapsed();
        made.map_err(NotRun::from)
    }

    fn kernel(
        &mut self,
        context: (u8, u8),
        key: &(ProgramOf, Build),
        name: &str,
        number: u16,
    ) -> Result<usize, SetupError> {
        let api = self.api.clone();
        let program = self.context(context)?.programs.get_mut(key);
        let program = program.ok_or(SetupError {
            call: Function::CreateKernel,
            code: NOT_MADE,
        })?;
        let which = (name.to_string(), number);
        if let Some(kernel) = program.kernels.get(&which) {
            return Ok(*kernel);
        }
        // Names of a program: one with a zero byte in it is none.
        let text = CString::new(name).unwrap_or_default();
        let words = [
            program.handle as u64,
            text.as_ptr().expose_provenance() as u64,
        ];
        // SAFETY: the program is alive, and the name lives through the call.
        let kernel = unsafe { call(&api, Function::CreateKernel, &words) }?;
        program.kernels.insert(which, kernel);
        Ok(kernel)
    }

    fn forget_programs(&mut self) {
        for context in self.contexts.values_mut() {
            for program in std::mem::take(&mut context.programs).into_values() {
                for kernel in program.kernels.into_values() {
                    release(&self.api, Function::ReleaseKernel, kernel);
                }
                release(&self.api, Function::ReleaseProgram, program.handle);
            }
        }
    }
}

impl Drop for Fixtures {
    fn drop(&mut self) {
        self.forget_programs();
        for context in std::mem::take(&mut self.contexts).into_values() {
            for queue in context.queues.into_values() {
                release(&self.api, Function::ReleaseCommandQueue, queue);
            }
            release(&self.api, Function::ReleaseContext, context.handle);
        }
    }
}

/// Calls a function that must succeed; what it makes.
///
/// # Safety
/// As [`Api::call`].
pub unsafe fn call(api: &Api, function: Function, words: &[u64]) -> Result<usize, SetupError> {
    let error = |code| SetupError {
        call: function,
        code,
    };
    // SAFETY: by the caller.
    let gave = unsafe { api.call(function, words) }.ok_or(error(NOT_MADE))?;
    match gave.code {
        0 => Ok(gave.made),
        code => Err(error(code)),
    }
}

/// Gives up an object that is the harness's own and not used after this.
pub fn release(api: &Api, function: Function, object: usize) {
    // SAFETY: by the caller; what it answers is its own affair.
    let _ = unsafe { api.call(function, &[object as u64]) };
}
