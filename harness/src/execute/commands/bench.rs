//! What outlives a run: contexts, built kernels, and a queue for the harness's own transfers.

use super::patience::Patience;
use super::{Named, SetupError};
use crate::device::OpenDevice;
use cl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE};
use cl3::types::{cl_command_queue, cl_context, cl_device_id, cl_kernel, cl_program};
use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// The kernels' source.
pub const SOURCE: &str = include_str!("workload.cl");

/// Contexts with all that is built in them.
pub struct Bench {
    devices: Vec<cl_device_id>,
    version: (u32, u32),
    options: CString,
    contexts: Vec<Context>,
    patience: Arc<Patience>,
}

/// A context with its kernels.
pub struct Context {
    pub context: cl_context,
    program: cl_program,
    /// An in-order queue on the first device, for the harness itself.
    pub service: cl_command_queue,
    kernels: Vec<cl_kernel>,
    variable_kernels: Vec<cl_kernel>,
}

impl Bench {
    /// A bench on a device and its neighbours, with nothing in it yet.
    pub fn new(device: &OpenDevice) -> Bench {
        let options = format!("-cl-std={}", device.capabilities.c_std);
        Bench {
            devices: device.platform_devices.iter().map(|d| d.id()).collect(),
            version: device.capabilities.version,
            // The options are a version's name: no zero byte is in them.
            options: CString::new(options).unwrap_or_default(),
            contexts: Vec::new(),
            patience: Arc::default(),
        }
    }

    /// How long the end of a run waits for commands and callbacks that should be done, in seconds.
    pub fn set_patience(&self, seconds: f64) {
        self.patience.set_full(Duration::from_secs_f64(seconds));
    }

    /// Patience with the device.
    pub fn patience(&self) -> Arc<Patience> {
        self.patience.clone()
    }

    /// A device, by number.
    pub fn device(&self, n: u8) -> cl_device_id {
        self.devices[usize::from(n)]
    }

    /// A context, made when it is first asked for. Every context has all devices of the platform.
    pub fn context(&mut self, n: u16) -> Result<&mut Context, SetupError> {
        while self.contexts.len() <= usize::from(n) {
            let context = Context::make(self)?;
            self.contexts.push(context);
        }
        Ok(&mut self.contexts[usize::from(n)])
    }

    /// A queue with profiling.
    pub fn queue(
        &self,
        context: cl_context,
        device: cl_device_id,
        out_of_order: bool,
    ) -> Result<cl_command_queue, SetupError> {
        let mut properties = CL_QUEUE_PROFILING_ENABLE;
        if out_of_order {
            properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if self.version < (2, 0) {
            // SAFETY: context and device are alive, and the device is one of the context.
            return unsafe {
                cl3::command_queue::create_command_queue(context, device, properties)
            }
            .of("clCreateCommandQueue");
        }
        let list = [
            u64::from(cl3::command_queue::CL_QUEUE_PROPERTIES),
            properties,
            0,
        ];
        // SAFETY: as above; the list ends with 0 and lives through the call.
        unsafe {
            cl3::command_queue::create_command_queue_with_properties(context, device, list.as_ptr())
        }
        .of("clCreateCommandQueueWithProperties")
    }
}

impl Context {
    fn make(bench: &Bench) -> Result<Context, SetupError> {
        let context =
            cl3::context::create_context(&bench.devices, ptr::null(), None, ptr::null_mut())
                .of("clCreateContext")?;
        let program = cl3::program::create_program_with_source(context, &[SOURCE])
            .of("clCreateProgramWithSource")?;
        cl3::program::build_program(
            program,
            &bench.devices,
            &bench.options,
            None,
            ptr::null_mut(),
        )
        .of("clBuildProgram")?;
        let service = bench.queue(context, bench.device(0), false)?;
        Ok(Context {
            context,
            program,
            service,
            kernels: Vec::new(),
            variable_kernels: Vec::new(),
        })
    }

    /// The n-th kernel of its kind: each command of a program has one of its own.
    pub fn kernel(&mut self, n: usize, variable: bool) -> Result<cl_kernel, SetupError> {
        let (pool, name): (&mut Vec<cl_kernel>, &CStr) = if variable {
            (&mut self.variable_kernels, c"work_variable")
        } else {
            (&mut self.kernels, c"work")
        };
        while pool.len() <= n {
            pool.push(cl3::kernel::create_kernel(self.program, name).of("clCreateKernel")?);
        }
        Ok(pool[n])
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for context in &self.contexts {
            // SAFETY: the handles are this bench's own, and nothing of it is used after this.
            unsafe {
                for kernel in context.kernels.iter().chain(&context.variable_kernels) {
                    let _ = cl3::kernel::release_kernel(*kernel);
                }
                let _ = cl3::program::release_program(context.program);
                let _ = cl3::command_queue::release_command_queue(context.service);
                let _ = cl3::context::release_context(context.context);
            }
        }
    }
}
