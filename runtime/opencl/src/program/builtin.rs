//! Built-in kernels (`clCreateProgramWithBuiltInKernels`).
//!
//! They are written in OpenCL C and compiled like any other kernel, once for each program.
//! All are for index spaces of one dimension.
//!
//! | kernel | arguments | what it does |
//! | --- | --- | --- |
//! | `touchstone_nop` | | nothing: what a launch costs |
//! | `touchstone_count` | `global uint *counter` | each work-item adds one, atomically |
//! | `touchstone_iota` | `global uint *out, uint first` | `out[i] = first + i` for each global id |
//! | `touchstone_copy` | `global const uchar *from, global uchar *to` | each work-item copies one byte |

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use opencl_sys::{CL_BUILD_SUCCESS, CL_OUT_OF_RESOURCES};
use touchstone_exec::Executable;

use super::{Built, Origin, Product, Program};
use crate::context::Context;
use crate::ffi::{Error, Result, ensure};
use crate::frontend::{self, Code, Source};
use crate::platform::Device;
use crate::platform::profile::{self, Feature};

/// Their names, as `CL_DEVICE_BUILT_IN_KERNELS` lists them.
pub const NAMES: [&str; 4] = [
    "touchstone_nop",
    "touchstone_count",
    "touchstone_iota",
    "touchstone_copy",
];

const SOURCE: &str = "
kernel void touchstone_nop() {}

kernel void touchstone_count(volatile global uint *counter) {
    atomic_inc(counter);
}

kernel void touchstone_iota(global uint *out, uint first) {
    out[get_global_id(0)] = first + (uint)get_global_id(0);
}

kernel void touchstone_copy(global const uchar *from, global uchar *to) {
    to[get_global_id(0)] = from[get_global_id(0)];
}
";

/// Those that the devices offer.
pub fn offered() -> &'static [&'static str] {
    if profile::has(Feature::BuiltInKernels) {
        &NAMES
    } else {
        &[]
    }
}

/// The names in a list separated by semicolons.
///
/// # Errors
/// `CL_INVALID_VALUE` for a name that is no built-in kernel.
pub fn names(list: &str) -> Result<Vec<String>> {
    let names: Vec<String> = list.split(';').map(|name| name.trim().to_owned()).collect();
    let known = |name: &String| offered().contains(&name.as_str());
    ensure!(names.iter().all(known), CL_INVALID_VALUE);
    Ok(names)
}

/// Makes a program of some of them.
///
/// # Errors
/// `CL_OUT_OF_RESOURCES` when there is no memory for it.
pub fn program(
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    only: &[String],
) -> Result<Arc<Program>> {
    let failed = |_| Error(CL_OUT_OF_RESOURCES);
    let source = Source {
        options: "-cl-kernel-arg-info".to_owned(),
        code: Code::Text(SOURCE.to_owned()),
        headers: Vec::new(),
    };
    let (_, unit) = frontend::compile(source).map_err(failed)?;
    let units = vec![Arc::new(unit)];
    let module = frontend::link(&units).map_err(failed)?;
    let executable = Executable::prepare(module).map_err(|_| Error(CL_OUT_OF_RESOURCES))?;
    let executable = Arc::new(executable);
    let targets: Vec<usize> = (0..devices.len()).collect();
    let program = Program::new(context, devices, Origin::BuiltIn);
    program.begin_build(&targets, "")?;
    for at in targets {
        let built = Built {
            units: units.clone(),
            executable: Arc::clone(&executable),
            uniform_groups: false,
            argument_info: true,
            launches: AtomicU64::new(0),
            only: Some(only.to_vec()),
        };
        let product = Product::Executable(Arc::new(built));
        program.end_build(at, CL_BUILD_SUCCESS, String::new(), product);
    }
    Ok(program)
}
