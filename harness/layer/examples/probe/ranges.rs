//! Index spaces and arguments of kernels.

use crate::cl::{Cl, NULL, Outcome, cl, done, must};
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;

const SIZE: usize = 2048;

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    Some(match name {
        "arguments" => arguments(cl),
        "range" => range(cl),
        "range-chosen" => range_chosen(cl),
        "clone" => clone(cl),
        "empty" => empty(cl),
        "remainder" => remainder(cl),
        "wide" => wide(cl),
        "uniform" => uniform(cl),
        _ => return None,
    })
}

fn arguments(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"set", buffer, 0x0102_0304)?;
    cl.launch(cl.queue, kernel, &[])?;
    cl.value(kernel, 0x0506_0708)?;
    must(
        cl.word(buffer)? == 0x0102_0304,
        "arguments are captured by the enqueue",
    )?;
    let event = cl.launch(cl.queue, kernel, &[])?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    must(
        cl.word(buffer)? == 0x0506_0708,
        "a kernel takes the arguments that are set last",
    )
}

/// What the kernel `shape` writes for a range: how often each id came, and the size of its group.
fn seen(
    cl: &Cl,
    offset: [usize; 2],
    global: [usize; 2],
    local: Option<[usize; 2]>,
) -> Outcome<Vec<u32>> {
    let local = local.as_ref().map_or(ptr::null(), |local| local.as_ptr());
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"shape", buffer, 3)?;
    let status = cl!(cl, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        cl.queue, kernel, 2, offset.as_ptr(), global.as_ptr(), local, 0, ptr::null(),
        ptr::null_mut());
    done("clEnqueueNDRangeKernel", status)?;
    let bytes = cl.content(buffer, SIZE)?;
    Ok(bytes
        .chunks_exact(4)
        .map(|word| word.try_into().map_or(0, u32::from_ne_bytes))
        .collect())
}

fn check(seen: &[u32], global: [usize; 2], size: impl Fn(usize) -> u32) -> Outcome {
    for place in 0..256 {
        let (x, y) = (place % 16, place / 16);
        let inside = x < global[0] && y < global[1];
        must(seen[place] == u32::from(inside), "each work-item runs once")?;
        must(
            seen[256 + place] == if inside { size(x) } else { 0 },
            "groups have their size",
        )?;
    }
    Ok(())
}

fn range(cl: &Cl) -> Outcome {
    check(&seen(cl, [3, 3], [8, 6], Some([4, 2]))?, [8, 6], |_| 4)
}

fn range_chosen(cl: &Cl) -> Outcome {
    // How large the groups are is the implementation's choice.
    let seen = seen(cl, [3, 3], [8, 6], None)?;
    let once = |place: usize| {
        let inside = place % 16 < 8 && place / 16 < 6;
        seen[place] == u32::from(inside)
    };
    must((0..256).all(once), "each work-item runs once")
}

fn clone(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"set", buffer, 9)?;
    let mut status = CL_SUCCESS;
    let cloned = cl!(cl, clCloneKernel: clCloneKernel_t, kernel, &mut status);
    if status == CL_INVALID_OPERATION {
        return Err(crate::LACKS.to_owned());
    }
    done("clCloneKernel", status)?;
    cl.launch(cl.queue, cloned, &[])?;
    must(cl.word(buffer)? == 9, "a clone has its kernel's arguments")
}

fn empty(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"set", buffer, 9)?;
    let status = cl!(cl, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        cl.queue, kernel, 1, ptr::null(), &0, ptr::null(), 0, ptr::null(), ptr::null_mut());
    if status == CL_INVALID_GLOBAL_WORK_SIZE {
        return Err(crate::LACKS.to_owned());
    }
    done("clEnqueueNDRangeKernel", status)?;
    must(cl.word(buffer)? == 0, "an empty range runs nothing")
}

fn remainder(cl: &Cl) -> Outcome {
    let seen = seen(cl, [3, 3], [10, 6], Some([4, 2]));
    if seen
        == Err(format!(
            "clEnqueueNDRangeKernel: {CL_INVALID_WORK_GROUP_SIZE}"
        ))
    {
        return Err(crate::LACKS.to_owned());
    }
    check(&seen?, [10, 6], |x| if x < 8 { 4 } else { 2 })
}

fn wide(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"high", buffer, 5)?;
    let offset = 1usize << 33;
    let status = cl!(cl, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        cl.queue, kernel, 1, &offset, &1, ptr::null(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueNDRangeKernel", status)?;
    must(cl.word(buffer)? == 7, "offsets have all their bits")
}

fn uniform(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let mut status = CL_SUCCESS;
    let mut source = c"kernel void f(global uint *x, uint v) { x[0] = v; }".as_ptr();
    let program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
        cl.context, 1, &mut source, ptr::null(), &mut status);
    done("clCreateProgramWithSource", status)?;
    let options = c"-cl-std=CL2.0 -cl-uniform-work-group-size";
    if cl.build(program, options).is_err() {
        cl.build(program, c"")?;
    }
    let kernel = cl!(cl, clCreateKernel: clCreateKernel_t, program, c"f".as_ptr(), &mut status);
    done("clCreateKernel", status)?;
    for (index, size, value) in [
        (0, 8, (&raw const buffer).cast()),
        (1, 4, NULL.cast_const()),
    ] {
        let five = 5u32;
        let value = if index == 1 {
            (&raw const five).cast()
        } else {
            value
        };
        done(
            "clSetKernelArg",
            cl!(cl, clSetKernelArg: clSetKernelArg_t, kernel, index, size, value),
        )?;
    }
    let status = cl!(cl, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        cl.queue, kernel, 1, ptr::null(), &10, &4, 0, ptr::null(), ptr::null_mut());
    must(
        status == CL_INVALID_WORK_GROUP_SIZE,
        "an impossible local size is refused",
    )
}
