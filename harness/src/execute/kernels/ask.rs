//! Queues of a case's own, and what the host asks about events and kernels.

use super::super::setup::SetupError;
use super::memory::release;
use super::{Bench, Named};
use cl3::command_queue as cq;
use cl3::kernel as cl;
use cl3::types::{cl_command_queue, cl_event, cl_kernel, cl_program};
use classay_suites::kernels::case;
use classay_suites::kernels::trace::{Kernels, SubGroups};
use std::ffi::{CString, c_void};
use std::ptr;

/// A queue on the device.
pub struct DeviceQueue(cl_command_queue);

impl DeviceQueue {
    /// A queue as a case asks for it.
    pub fn make(bench: &Bench, queue: &case::DeviceQueue) -> Result<DeviceQueue, SetupError> {
        let mut properties = cq::CL_QUEUE_ON_DEVICE | cq::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        if queue.default {
            properties |= cq::CL_QUEUE_ON_DEVICE_DEFAULT;
        }
        if queue.profiling {
            properties |= cq::CL_QUEUE_PROFILING_ENABLE;
        }
        let mut list = vec![u64::from(cq::CL_QUEUE_PROPERTIES), properties];
        if let Some(bytes) = queue.bytes {
            list.extend([u64::from(cq::CL_QUEUE_SIZE), u64::from(bytes)]);
        }
        list.push(0);
        make(bench, list.as_ptr()).map(DeviceQueue)
    }

    /// Its handle.
    pub fn handle(&self) -> cl_command_queue {
        self.0
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        give_up(self.0);
    }
}

/// An in-order queue of the host.
pub struct HostQueue(cl_command_queue);

impl HostQueue {
    /// A queue.
    pub fn make(bench: &Bench) -> Result<HostQueue, SetupError> {
        make(bench, ptr::null()).map(HostQueue)
    }

    /// Its handle.
    pub fn handle(&self) -> cl_command_queue {
        self.0
    }
}

impl Drop for HostQueue {
    fn drop(&mut self) {
        let _ = cq::finish(self.0);
        give_up(self.0);
    }
}

fn make(bench: &Bench, properties: *const u64) -> Result<cl_command_queue, SetupError> {
    // SAFETY: the device is one of the context, both are alive, and the list ends with a zero.
    unsafe {
        cq::create_command_queue_with_properties(bench.context, bench.device(), properties.cast())
    }
    .of("clCreateCommandQueueWithProperties")
}

fn give_up(queue: cl_command_queue) {
    // SAFETY: the caller owns the queue and does not use it again.
    let _ = unsafe { cq::release_command_queue(queue) };
}

/// Waits for an event, which may fail, and gives its status.
pub fn ended(event: cl_event) -> Option<i32> {
    let _ = cl3::event::wait_for_events(&[event]);
    cl3::event::get_event_info(event, cl3::event::CL_EVENT_COMMAND_EXECUTION_STATUS)
        .ok()
        .map(i32::from)
}

/// A kernel that is given up with it.
struct Kernel(cl_kernel);

impl Kernel {
    fn make(program: cl_program, name: &str) -> Result<Kernel, i32> {
        // Names of a case: one with a zero byte in it is none.
        let name = CString::new(name).unwrap_or_default();
        cl::create_kernel(program, &name).map(Kernel)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the kernel is ours, and not used after this.
        let _ = unsafe { cl::release_kernel(self.0) };
    }
}

/// How work-groups of a shape are divided into sub-groups.
pub fn sub_groups(
    bench: &Bench,
    program: cl_program,
    name: &str,
    local: &[u64],
) -> Result<SubGroups, SetupError> {
    let kernel = Kernel::make(program, name).of("clCreateKernel")?;
    let info = |what, input: &[usize]| {
        cl::get_kernel_sub_group_info(
            kernel.0,
            bench.device(),
            what,
            size_of_val(input),
            input.as_ptr().cast::<c_void>(),
        )
        .of("clGetKernelSubGroupInfo")
    };
    let ask = |what, input: &[usize]| -> Result<u64, SetupError> {
        info(what, input).map(|answer| usize::from(answer) as u64)
    };
    let sizes: Vec<usize> = local.iter().map(|n| *n as usize).collect();
    let size = ask(cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &sizes)?;
    let count = ask(cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &sizes)?;
    let sizes = info(
        cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
        &[count as usize],
    )?;
    // Nothing is told by an implementation that does not say how long its answer is.
    let sizes = sizes.to_vec_size();
    let local = sizes.iter().product::<usize>() * usize::from(!sizes.is_empty());
    let local = local as u64;
    let again = match local {
        0 => 0,
        local => ask(cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &[local as usize])?,
    };
    Ok(SubGroups {
        size,
        count,
        local,
        again,
    })
}

/// A program's kernels.
pub fn kernels(program: cl_program, asked: Vec<String>) -> Result<Kernels, SetupError> {
    use cl3::program as p;
    let names = String::from(
        p::get_program_info(program, p::CL_PROGRAM_KERNEL_NAMES).of("clGetProgramInfo")?,
    );
    let count = usize::from(
        p::get_program_info(program, p::CL_PROGRAM_NUM_KERNELS).of("clGetProgramInfo")?,
    );
    let made = asked
        .iter()
        .map(|name| {
            let kernel = Kernel::make(program, name)?;
            let own = cl::get_kernel_info(kernel.0, cl::CL_KERNEL_FUNCTION_NAME)?;
            Ok(text(String::from(own)))
        })
        .collect();
    Ok(Kernels {
        asked,
        names: text(names)
            .split(';')
            .filter(|name| !name.is_empty())
            .map(str::to_string)
            .collect(),
        count: count as u64,
        made,
    })
}

/// A text of the API without its final zero.
fn text(text: String) -> String {
    text.trim_end_matches('\0').to_string()
}

/// The code of a call that gives an event, which is released.
pub fn code(result: Result<cl_event, i32>) -> i32 {
    match result {
        Ok(event) => {
            release(event);
            0
        }
        Err(code) => code,
    }
}
