//! What an implementation says of a program's kernels.

use super::api::{SetupError, address};
use super::programs::names;
use super::run::Run;
use classay_suites::host::constant::{Constant, cl};
use classay_suites::host::{Function, Kernels, NOT_MADE};
use std::ffi::CString;

/// Counts and names the kernels of a program, and makes one of each name that was asked for.
pub fn ask(run: &Run, program: usize, asked: &str) -> Result<Kernels, SetupError> {
    let asked = match asked {
        "*" => names(&run.setting.device.built_in),
        listed => names(listed),
    };
    let info = Function::GetProgramInfo;
    let listed = text(run, info, program, cl::CL_PROGRAM_KERNEL_NAMES)?;
    let number = cl::CL_PROGRAM_NUM_KERNELS.value() as u64;
    // SAFETY: the program is alive, and the answer is a `size_t`.
    let count = unsafe { run.setting.api.number(info, &[program as u64, number]) }?;
    let made = asked.iter().map(|name| own_name(run, program, name));
    Ok(Kernels {
        made: made.map(|own| own.map_err(|error| error.code())).collect(),
        names: names(&listed),
        count,
        asked,
    })
}

/// The name that a kernel says it has.
fn own_name(run: &Run, program: usize, name: &str) -> Result<String, SetupError> {
    // Names of a case: one with a zero byte in it is none.
    let name = CString::new(name).unwrap_or_default();
    let words = [program as u64, address(name.as_bytes_with_nul())];
    // SAFETY: the program is alive, and the name lives through the call.
    let kernel = unsafe { run.setting.api.must(Function::CreateKernel, &words) }?;
    let own = text(
        run,
        Function::GetKernelInfo,
        kernel,
        cl::CL_KERNEL_FUNCTION_NAME,
    );
    run.setting.api.release(Function::ReleaseKernel, kernel);
    own
}

/// The most work-items that a kernel permits in a work-group on the device of a queue.
pub fn largest_group(run: &Run, queue: u64, kernel: u64) -> Result<u64, SetupError> {
    let of_queue = [queue, cl::CL_QUEUE_DEVICE.value() as u64];
    // SAFETY: a launch with these two was refused for its work-groups alone: they are alive; the answers have
    // eight bytes.
    unsafe {
        let api = &run.setting.api;
        let device = api.number(Function::GetCommandQueueInfo, &of_queue)?;
        let size = cl::CL_KERNEL_WORK_GROUP_SIZE.value() as u64;
        api.number(Function::GetKernelWorkGroupInfo, &[kernel, device, size])
    }
}

/// A text that an object answers.
fn text(run: &Run, function: Function, of: usize, what: Constant) -> Result<String, SetupError> {
    // SAFETY: the object is alive, and answers a text.
    let bytes = unsafe {
        run.setting
            .api
            .bytes(function, &[of as u64, what.value() as u64])
    }?;
    let text = String::from_utf8(bytes).map_err(|_| SetupError::of(function, NOT_MADE))?;
    Ok(text.trim_end_matches('\0').to_string())
}
