//! What outlives a run: a context, a queue, and built programs.

use super::super::NotRun;
use super::super::setup::SetupError;
use super::Named;
use crate::device::OpenDevice;
use cl3::program as cl;
use cl3::types::{cl_command_queue, cl_context, cl_device_id, cl_program};
use classay_reports::record::{Evidence, EvidenceKind};
use classay_suites::kernels::case::{Build, KernelCase};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::ptr;

/// Programs that are kept; where there are more, all are given up and built again when needed.
const KEPT: usize = 32;

/// What a program is made of: source, module, built-in kernels, and how it is built.
type Key = (String, Vec<u32>, String, Build);

/// A context on the device under test, and on its neighbours where a case needs them.
pub struct Bench {
    pub context: cl_context,
    pub queue: cl_command_queue,
    /// Queues beside the first: place in a case and device.
    further: HashMap<(usize, u8), cl_command_queue>,
    devices: Vec<cl_device_id>,
    version: (u32, u32),
    std: String,
    /// The names of the device's built-in kernels, separated by semicolons.
    built_in: String,
    programs: HashMap<Key, cl_program>,
    /// Seconds spent in the implementation's compiler since this was last taken.
    pub build_seconds: f64,
}

/// Benches by how many devices they have, made when they are first asked for: what needs one device
/// only shall not depend on the others.
#[derive(Default)]
pub struct Benches(HashMap<u8, Bench>);

impl Benches {
    /// A bench on the first so many devices.
    pub fn on(&mut self, device: &OpenDevice, devices: u8) -> Result<&mut Bench, SetupError> {
        Ok(match self.0.entry(devices.max(1)) {
            Entry::Occupied(bench) => bench.into_mut(),
            Entry::Vacant(place) => place.insert(Bench::new(device, devices.max(1))?),
        })
    }
}

impl Bench {
    /// A bench on the first so many devices of those at hand.
    fn new(device: &OpenDevice, devices: u8) -> Result<Bench, SetupError> {
        // The device under test comes first.
        let devices: Vec<cl_device_id> = device
            .platform_devices
            .iter()
            .take(usize::from(devices))
            .map(|d| d.id())
            .collect();
        let context = cl3::context::create_context(&devices, ptr::null(), None, ptr::null_mut())
            .of("clCreateContext")?;
        let version = device.capabilities.version;
        let queue = new_queue(context, devices[0], version)?;
        Ok(Bench {
            context,
            queue,
            further: HashMap::new(),
            devices,
            version,
            std: device.capabilities.c_std.clone(),
            built_in: device.capabilities.built_in_kernels.clone(),
            programs: HashMap::new(),
            build_seconds: 0.0,
        })
    }

    /// The device under test.
    pub fn device(&self) -> cl_device_id {
        self.devices[0]
    }

    /// The first queue, and one for each of these devices.
    pub fn queues(&mut self, devices: &[u8]) -> Result<Vec<cl_command_queue>, SetupError> {
        let mut queues = vec![self.queue];
        for key in devices.iter().copied().enumerate() {
            let queue = match self.further.entry(key) {
                Entry::Occupied(queue) => *queue.get(),
                Entry::Vacant(place) => {
                    let device = self.devices[usize::from(key.1)];
                    *place.insert(new_queue(self.context, device, self.version)?)
                }
            };
            queues.push(queue);
        }
        Ok(queues)
    }

    /// The program of a case, built; null where it has none.
    pub fn program(&mut self, case: &KernelCase) -> Result<cl_program, NotRun> {
        if case.source.is_empty() && case.module.is_empty() && case.built_in.is_empty() {
            return Ok(ptr::null_mut());
        }
        let key = (
            case.source.clone(),
            case.module.clone(),
            case.built_in.clone(),
            case.build.clone(),
        );
        if let Some(program) = self.programs.get(&key) {
            return Ok(*program);
        }
        if self.programs.len() >= KEPT {
            self.forget();
        }
        let begun = std::time::Instant::now();
        let others = self.others(case)?;
        let mut program = self.create(case)?;
        let built = if case.built_in.is_empty() {
            self.build(program, case, &case.build.options)
        } else {
            Ok(())
        };
        self.build_seconds += begun.elapsed().as_secs_f64();
        for other in others {
            self.release(other);
        }
        if let Err(why) = built {
            self.release(program);
            return Err(why);
        }
        if case.build.through_binary {
            let again = self.through_binary(program, case);
            self.release(program);
            program = again?;
        }
        self.programs.insert(key, program);
        Ok(program)
    }

    /// The programs that are built before, in the order of the case.
    fn others(&self, case: &KernelCase) -> Result<Vec<cl_program>, NotRun> {
        let mut made = Vec::new();
        for other in &case.build.before {
            let program = cl::create_program_with_source(self.context, &[&other.source])
                .of("clCreateProgramWithSource")?;
            made.push(program);
            if let Err(why) = self.build(program, case, &other.options) {
                for program in made {
                    self.release(program);
                }
                return Err(why);
            }
        }
        Ok(made)
    }

    /// A program of a case's source, built again.
    pub fn again(&self, case: &KernelCase) -> Result<Rebuilt, SetupError> {
        let program = cl::create_program_with_source(self.context, &[&case.source])
            .of("clCreateProgramWithSource")?;
        let rebuilt = Rebuilt(program);
        self.compile(program, case, &case.build.options)
            .of("clBuildProgram")?;
        Ok(rebuilt)
    }

    /// The names of the built-in kernels that a case asks for.
    pub fn built_in(&self, case: &KernelCase) -> Vec<String> {
        let names = match case.built_in.as_str() {
            "*" => &self.built_in,
            names => names,
        };
        names
            .split(';')
            .map(|name| name.trim().to_string())
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// A program of a case, not built.
    fn create(&self, case: &KernelCase) -> Result<cl_program, NotRun> {
        if !case.built_in.is_empty() {
            // Names of a case or of a device: one with a zero byte in it is none.
            let names = CString::new(self.built_in(case).join(";")).unwrap_or_default();
            // SAFETY: the devices are those of the context; the names live through the call.
            let program = unsafe {
                cl::create_program_with_builtin_kernels(self.context, &self.devices, &names)
            };
            return Ok(program.of("clCreateProgramWithBuiltInKernels")?);
        }
        if !case.module.is_empty() {
            let bytes: Vec<u8> = case.module.iter().flat_map(|w| w.to_ne_bytes()).collect();
            let program = cl::create_program_with_il(self.context, &bytes);
            return Ok(program.of("clCreateProgramWithIL")?);
        }
        Ok(
            cl::create_program_with_source(self.context, &[&case.source])
                .of("clCreateProgramWithSource")?,
        )
    }

    fn compile(&self, program: cl_program, case: &KernelCase, options: &str) -> Result<(), i32> {
        let std = case.build.std.as_deref().unwrap_or(&self.std);
        // A module says itself what it is written in.
        let options = if case.module.is_empty() {
            format!("-cl-std={std} {options}")
        } else {
            options.to_string()
        };
        // Options of a case are names of options: one with a zero byte in it is none.
        let options = CString::new(options).unwrap_or_default();
        cl::build_program(program, &self.devices, &options, None, ptr::null_mut())
    }

    fn build(&self, program: cl_program, case: &KernelCase, options: &str) -> Result<(), NotRun> {
        self.compile(program, case, options)
            .of("clBuildProgram")
            .map_err(|error| {
                let log =
                    cl::get_program_build_info(program, self.devices[0], cl::CL_PROGRAM_BUILD_LOG)
                        .map(String::from)
                        .unwrap_or_default();
                let evidence = |kind, text: String| Evidence { kind, text };
                NotRun::Failed {
                    reason: error.to_string(),
                    evidence: vec![
                        evidence(EvidenceKind::BuildLog, log),
                        evidence(EvidenceKind::Source, case.source.clone()),
                    ],
                }
            })
    }

    /// A program of a built program's binary.
    fn through_binary(&self, program: cl_program, case: &KernelCase) -> Result<cl_program, NotRun> {
        let binaries: Vec<Vec<u8>> = cl::get_program_info(program, cl::CL_PROGRAM_BINARIES)
            .of("clGetProgramInfo")?
            .into();
        let slices: Vec<&[u8]> = binaries.iter().map(Vec::as_slice).collect();
        // SAFETY: the devices are those of the context; the binaries live through the call.
        let again = unsafe { cl::create_program_with_binary(self.context, &self.devices, &slices) }
            .of("clCreateProgramWithBinary")?;
        self.build(again, case, &case.build.options)
            .inspect_err(|_| self.release(again))?;
        Ok(again)
    }

    fn forget(&mut self) {
        for (_, program) in std::mem::take(&mut self.programs) {
            self.release(program);
        }
    }

    fn release(&self, program: cl_program) {
        // SAFETY: the program is this bench's own, and is not used after this.
        let _ = unsafe { cl::release_program(program) };
    }
}

fn new_queue(
    context: cl_context,
    device: cl_device_id,
    version: (u32, u32),
) -> Result<cl_command_queue, SetupError> {
    if version < (2, 0) {
        // SAFETY: the device is one of the context, and both are alive.
        return unsafe { cl3::command_queue::create_command_queue(context, device, 0) }
            .of("clCreateCommandQueue");
    }
    // SAFETY: as above; no list of properties is given.
    unsafe {
        cl3::command_queue::create_command_queue_with_properties(context, device, ptr::null())
    }
    .of("clCreateCommandQueueWithProperties")
}

/// A program of one launch.
pub struct Rebuilt(cl_program);

impl Rebuilt {
    /// Its handle.
    pub fn handle(&self) -> cl_program {
        self.0
    }
}

impl Drop for Rebuilt {
    fn drop(&mut self) {
        // SAFETY: the program is this one's own, and is not used after this.
        let _ = unsafe { cl::release_program(self.0) };
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.forget();
        // SAFETY: the handles are this bench's own, and nothing of it is used after this.
        unsafe {
            for queue in self.further.values().chain([&self.queue]) {
                let _ = cl3::command_queue::release_command_queue(*queue);
            }
            let _ = cl3::context::release_context(self.context);
        }
    }
}
