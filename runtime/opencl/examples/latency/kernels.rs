//! Kernels that compute something, and how long one takes to compile.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::time::Instant;

use opencl_sys::*;

use crate::Measurement;
use crate::client::{Client, call, must};

const SOURCE: &str = include_str!("kernels.cl");

/// A kernel with two inputs and an output, and where it runs.
struct Work {
    name: &'static CStr,
    global: [usize; 2],
    local: [usize; 2],
    /// Bytes of each buffer.
    bytes: usize,
    /// What the first words of the output are, where the inputs are all 1.0.
    result: Option<u32>,
}

const ADD: Work = Work {
    name: c"add",
    global: [1 << 24, 1],
    local: [256, 1],
    bytes: 64 << 20,
    result: Some(2.0f32.to_bits()),
};
const MULTIPLY: Work = Work {
    name: c"multiply",
    global: [512, 512],
    local: [16, 16],
    bytes: 1 << 20,
    result: Some(512.0f32.to_bits()),
};
const HALVE: Work = Work {
    name: c"halve",
    global: [1 << 22, 1],
    local: [256, 1],
    bytes: 16 << 20,
    result: Some(256.0f32.to_bits()),
};
const REDUCE: Work = Work {
    name: c"reduce",
    ..HALVE
};
const HISTOGRAM: Work = Work {
    name: c"histogram",
    global: [1 << 18, 1],
    local: [256, 1],
    bytes: 4 << 20,
    result: None,
};
const BODIES: Work = Work {
    name: c"bodies",
    global: [4096, 1],
    local: [64, 1],
    bytes: 1 << 16,
    result: Some(1.0f32.to_bits()),
};
const MANDELBROT: Work = Work {
    name: c"mandelbrot",
    global: [512, 512],
    local: [16, 16],
    bytes: 1 << 20,
    result: None,
};
const STENCIL: Work = Work {
    name: c"stencil",
    global: [1024, 1024],
    local: [16, 16],
    bytes: 0,
    result: None,
};

pub fn all() -> Vec<Measurement> {
    let time = |name, run| Measurement {
        name,
        unit: "ms",
        run,
    };
    vec![
        time("add of 64 MiB", |client| run(client, &ADD)),
        time("matrix product of 512, tiles with barriers", |client| {
            run(client, &MULTIPLY)
        }),
        time("sums of 4 Mi floats, barriers", |client| {
            run(client, &HALVE)
        }),
        time("sums of 4 Mi floats, work-group function", |client| {
            run(client, &REDUCE)
        }),
        time("histogram of 4 MiB, atomics", |client| {
            run(client, &HISTOGRAM)
        }),
        time("step of 4096 bodies", |client| run(client, &BODIES)),
        time("Mandelbrot set, 512 by 512", |client| {
            run(client, &MANDELBROT)
        }),
        time("stencil of 1024 by 1024, images", |client| {
            run(client, &STENCIL)
        }),
        time("build of 200 lines and first launch", compile),
    ]
}

/// What is ready to run.
struct Ready {
    client: usize,
    name: &'static CStr,
    /// None where the implementation has not what the kernel needs.
    kernel: Option<cl_kernel>,
}

thread_local! {
    static READY: RefCell<Vec<Ready>> = const { RefCell::new(Vec::new()) };
}

/// Milliseconds that a launch takes; NaN where there is none.
fn run(client: &Client, work: &Work) -> f64 {
    let key = from_ref(client) as usize;
    READY.with_borrow_mut(|all| {
        let is_it = |ready: &&Ready| ready.client == key && ready.name == work.name;
        let kernel = match all.iter().find(is_it) {
            Some(ready) => ready.kernel,
            None => {
                let kernel = prepare(client, work);
                let name = work.name;
                all.push(Ready {
                    client: key,
                    name,
                    kernel,
                });
                kernel
            }
        };
        kernel.map_or(f64::NAN, |kernel| launch(client, kernel, work))
    })
}

fn launch(client: &Client, kernel: cl_kernel, work: &Work) -> f64 {
    let start = Instant::now();
    let (global, local) = (work.global.as_ptr(), work.local.as_ptr());
    let queue = client.in_order;
    must!(
        client,
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            2,
            null(),
            global,
            local,
            0,
            null(),
            null_mut()
        )
    );
    client.finish(queue);
    start.elapsed().as_secs_f64() * 1e3
}

/// A kernel with its arguments, which has run once and given what it should; None if it cannot be built.
fn prepare(client: &Client, work: &Work) -> Option<cl_kernel> {
    let program = client
        .program(&CString::new(SOURCE).ok()?, c"-cl-std=CL3.0")
        .ok()?;
    let mut code = 0;
    let kernel = call!(
        client,
        clCreateKernel(program, work.name.as_ptr(), &mut code)
    );
    if code != 0 {
        return None;
    }
    let arguments = match work.bytes {
        0 => vec![image(client), image(client)],
        bytes => (0..3).map(|_| ones(client, bytes)).collect(),
    };
    for (n, argument) in arguments.iter().enumerate() {
        let value = from_ref(argument).cast();
        must!(
            client,
            clSetKernelArg(kernel, n as cl_uint, size_of::<cl_mem>(), value)
        );
    }
    launch(client, kernel, work);
    if let (Some(expected), Some(&out)) = (work.result, arguments.get(2)) {
        let mut seen = [0u32; 4];
        let to = seen.as_mut_ptr().cast();
        let queue = client.in_order;
        must!(
            client,
            clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 16, to, 0, null(), null_mut())
        );
        assert_eq!(seen, [expected; 4], "{}: {:?}", client.name, work.name);
    }
    Some(kernel)
}

/// A buffer full of 1.0.
fn ones(client: &Client, bytes: usize) -> cl_mem {
    let mut values = vec![1.0f32; bytes / 4];
    let (start, mut code) = (values.as_mut_ptr().cast(), 0);
    let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    let buffer = call!(
        client,
        clCreateBuffer(client.context, flags, bytes, start, &mut code)
    );
    assert_eq!(code, 0, "clCreateBuffer");
    buffer
}

fn image(client: &Client) -> cl_mem {
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNORM_INT8,
    };
    let side = STENCIL.global[0];
    // SAFETY: zeros are a description: of an image without what they stand for.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    (description.image_width, description.image_height) = (side, side);
    let mut pixels = vec![128u8; side * side * 4];
    let (start, mut code) = (pixels.as_mut_ptr().cast::<c_void>(), 0);
    let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    let image = call!(
        client,
        clCreateImage(
            client.context,
            flags,
            &format,
            &description,
            start,
            &mut code
        )
    );
    assert_eq!(code, 0, "clCreateImage");
    image
}

/// Milliseconds from a source that nobody has seen to the end of a first launch: some implementations
/// compile when a kernel is first enqueued.
fn compile(client: &Client) -> f64 {
    thread_local! {
        static DRAWN: Cell<u64> = const { Cell::new(0) };
    }
    let time = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let drawn = DRAWN.replace(DRAWN.get() + 1) ^ time.as_nanos() as u64;
    let mut text =
        String::from("kernel void long_one(global const float *x, global float *out)\n{\n");
    text += "int i = get_global_id(0);\nfloat a = x[i], b = x[i + 1];\n";
    for line in 0..32u64 {
        let n = (drawn.wrapping_mul(line + 1) >> 7) % 1000;
        text += &format!(
            "if (a > {n}.0f) {{\n    b = b * {line}.5f + a;\n}} else {{\n    a = fma(a, 0.5f, b);\n}}\nout[i + {line}] = a - b;\n"
        );
    }
    text += "}\n";
    let Ok(text) = CString::new(text) else {
        return f64::NAN;
    };
    let buffer = ones(client, 4096);
    let start = Instant::now();
    let Ok(program) = client.program(&text, c"") else {
        return f64::NAN;
    };
    let mut code = 0;
    let kernel = call!(
        client,
        clCreateKernel(program, c"long_one".as_ptr(), &mut code)
    );
    assert_eq!(code, 0, "clCreateKernel");
    for n in 0..2 {
        let value = from_ref(&buffer).cast();
        must!(
            client,
            clSetKernelArg(kernel, n, size_of::<cl_mem>(), value)
        );
    }
    let work = Work {
        name: c"long_one",
        global: [64, 1],
        local: [64, 1],
        bytes: 4096,
        result: None,
    };
    launch(client, kernel, &work);
    let taken = start.elapsed().as_secs_f64() * 1e3;
    must!(client, clReleaseKernel(kernel));
    must!(client, clReleaseProgram(program));
    must!(client, clReleaseMemObject(buffer));
    taken
}
