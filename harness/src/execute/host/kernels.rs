//! What an implementation says of a program's kernels.

use super::fixtures::{SetupError, call, release};
use super::programs::{address, names};
use super::run::Run;
use classay_suites::host::constant::cl;
use classay_suites::host::{Function, Kernels, NOT_MADE};
use std::ffi::CString;

/// Counts and names the kernels of a program, and makes one of each name that was asked for.
pub fn ask(run: &Run, program: usize, asked: &str) -> Result<Kernels, SetupError> {
    let asked = match asked {
        "*" => names(&run.device.built_in),
        listed => names(listed),
    };
    let info = Function::GetProgramInfo;
    let listed = text(
        run,
        info,
        program,
        cl::CL_PROGRAM_KERNEL_NAMES.value() as u64,
    )?;
    let mut count = [0_usize];
    let number = cl::CL_PROGRAM_NUM_KERNELS.value() as u64;
    let words = [program as u64, number, 8, place(&mut count), 0];
    // SAFETY: the program is alive, and the answer has eight bytes.
    unsafe { call(&run.api, info, &words) }?;
    let made = asked.iter().map(|name| own_name(run, program, name));
    Ok(Kernels {
        made: made.map(|own| own.map_err(|error| error.code)).collect(),
        names: names(&listed),
        count: count[0] as u64,
        asked,
    })
}

/// The name that a kernel says it has.
fn own_name(run: &Run, program: usize, name: &str) -> Result<String, SetupError> {
    // Names of a case: one with a zero byte in it is none.
    let name = CString::new(name).unwrap_or_default();
    let words = [program as u64, address(name.as_bytes_with_nul())];
    // SAFETY: the program is alive, and the name lives through the call.
    let kernel = unsafe { call(&run.api, Function::CreateKernel, &words) }?;
    let what = cl::CL_KERNEL_FUNCTION_NAME.value() as u64;
    let own = text(run, Function::GetKernelInfo, kernel, what);
    release(&run.api, Function::ReleaseKernel, kernel);
    own
}

/// A text that an object answers.
fn text(run: &Run, function: Function, of: usize, what: u64) -> Result<String, SetupError> {
    let mut length = [0_usize];
    let words = [of as u64, what, 0, 0, place(&mut length)];
    // SAFETY: the object is alive, and the length has eight bytes.
    unsafe { call(&run.api, function, &words) }?;
    let mut bytes = vec![0_u8; length[0]];
    let words = [of as u64, what, length[0] as u64, place(&mut bytes), 0];
    // SAFETY: as above; there is room for so many bytes.
    unsafe { call(&run.api, function, &words) }?;
    let text = String::from_utf8(bytes).map_err(|_| SetupError {
        call: function,
        code: NOT_MADE,
    })?;
    Ok(text.trim_end_matches('\0').to_string())
}

fn place<T>(list: &mut [T]) -> u64 {
    list.as_mut_ptr().expose_provenance() as u64
}
