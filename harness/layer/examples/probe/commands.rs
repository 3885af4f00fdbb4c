//! Wait lists, calls that block, and the order of queues.

use crate::LACKS;
use crate::cl::{Cl, NULL, Outcome, at, cl, done, must};
use libc::c_void;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;

const SIZE: usize = 256;

/// A native kernel that has nothing to do.
unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Enqueues a command of this class on a queue, with this list; its event. `blocking` asks for a
/// call that returns when it is complete.
fn enqueue(
    cl: &Cl,
    queue: cl_command_queue,
    class: &str,
    blocking: bool,
    list: &[cl_event],
) -> Outcome<cl_event> {
    let mut event = NULL;
    let mut status = CL_SUCCESS;
    let buffer = cl.buffer(&[7; SIZE])?;
    let other = cl.buffer(&[8; SIZE])?;
    // Lives until the process ends: a command may use it after the call.
    let host: *mut c_void = Box::leak(Box::new([0u8; SIZE])).as_mut_ptr().cast();
    let blocking = if blocking { CL_TRUE } else { CL_FALSE };
    let (count, waits, place) = (list.len() as cl_uint, at(list), &raw mut event);
    let (zero, part) = ([0usize; 3], [16usize, 2, 1]);
    let svm = || {
        let memory = cl!(cl, clSVMAlloc: clSVMAlloc_t, cl.context, CL_MEM_READ_WRITE, SIZE, 0);
        if memory.is_null() {
            Err(LACKS.to_owned())
        } else {
            Ok(memory)
        }
    };
    let image = || {
        let mut status = CL_SUCCESS;
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNSIGNED_INT8,
        };
        let image = cl!(cl, clCreateImage2D: clCreateImage2D_t,
            cl.context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL, &mut status);
        if image.is_null() {
            Err(LACKS.to_owned())
        } else {
            Ok(image)
        }
    };
    let square = [4usize, 4, 1];
    status = match class {
        "kernel" => {
            let kernel = cl.kernel(c"set", buffer, 1)?;
            return cl.launch(queue, kernel, list);
        }
        "read" => cl!(cl, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
            queue, buffer, blocking, 0, SIZE, host, count, waits, place),
        "read-image" => cl!(cl, clEnqueueReadImage: clEnqueueReadImage_t,
            queue, image()?, blocking, zero.as_ptr(), square.as_ptr(), 0, 0, host, count, waits, place),
        "write" => cl!(cl, clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
            queue, buffer, blocking, 0, SIZE, host, count, waits, place),
        "copy" => cl!(cl, clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
            queue, buffer, other, 0, 0, SIZE, count, waits, place),
        "fill" => return cl.fill(queue, buffer, 1, SIZE, list),
        "rect" => cl!(cl, clEnqueueReadBufferRect: clEnqueueReadBufferRect_t,
            queue, buffer, blocking, zero.as_ptr(), zero.as_ptr(), part.as_ptr(), 0, 0, 0, 0, host,
            count, waits, place),
        "map" => {
            cl!(cl, clEnqueueMapBuffer: clEnqueueMapBuffer_t,
                queue, buffer, blocking, CL_MAP_READ, 0, SIZE, count, waits, place, &mut status);
            status
        }
        "unmap" => {
            let mapped = cl!(cl, clEnqueueMapBuffer: clEnqueueMapBuffer_t,
                cl.queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, ptr::null(), ptr::null_mut(),
                &mut status);
            cl!(cl, clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
                queue, buffer, mapped, count, waits, place)
        }
        "migrate" => cl!(cl, clEnqueueMigrateMemObjects: clEnqueueMigrateMemObjects_t,
            queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_HOST, count, waits, place),
        "svm-copy" => cl!(cl, clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_t,
            queue, blocking, svm()?, host, SIZE, count, waits, place),
        "svm-fill" => cl!(cl, clEnqueueSVMMemFill: clEnqueueSVMMemFill_t,
            queue, svm()?, host, 4, SIZE, count, waits, place),
        "svm-map" => cl!(cl, clEnqueueSVMMap: clEnqueueSVMMap_t,
            queue, blocking, CL_MAP_READ, svm()?, SIZE, count, waits, place),
        "svm-unmap" => {
            let memory = svm()?;
            let mapped = cl!(cl, clEnqueueSVMMap: clEnqueueSVMMap_t,
                cl.queue, CL_TRUE, CL_MAP_READ, memory, SIZE, 0, ptr::null(), ptr::null_mut());
            done("clEnqueueSVMMap", mapped)?;
            cl!(cl, clEnqueueSVMUnmap: clEnqueueSVMUnmap_t, queue, memory, count, waits, place)
        }
        "svm-free" => {
            let mut memory = svm()?;
            cl!(cl, clEnqueueSVMFree: clEnqueueSVMFree_t,
                queue, 1, &mut memory, None, NULL, count, waits, place)
        }
        "svm-migrate" => {
            let mut memory: *const c_void = svm()?;
            cl!(cl, clEnqueueSVMMigrateMem: clEnqueueSVMMigrateMem_t,
                queue, 1, &mut memory, ptr::null(), CL_MIGRATE_MEM_OBJECT_HOST, count, waits, place)
        }
        "native" => {
            let status = cl!(cl, clEnqueueNativeKernel: clEnqueueNativeKernel_t,
                queue, Some(nothing), NULL, 0, 0, ptr::null(), ptr::null_mut(), count, waits, place);
            if status == CL_INVALID_OPERATION {
                return Err(LACKS.to_owned());
            }
            status
        }
        "built-in" => return cl.launch(queue, crate::sources::built_in_kernel(cl)?, list),
        "marker" => cl!(cl, clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_t,
            queue, count, waits, place),
        "barrier" => cl!(cl, clEnqueueBarrierWithWaitList: clEnqueueBarrierWithWaitList_t,
            queue, count, waits, place),
        other => return Err(format!("no command '{other}'")),
    };
    done(class, status)?;
    Ok(event)
}

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    if let Some(class) = name.strip_prefix("wait-list:") {
        return Some(wait_list(cl, class));
    }
    if let Some(class) = name.strip_prefix("blocking:") {
        return Some(blocking(cl, class));
    }
    Some(match name {
        "list" => lists(cl),
        "finish" => finish(cl),
        "wait" => waits(cl),
        "non-blocking" => non_blocking(cl),
        "in-order" => in_order(cl),
        "overtake" => overtake(cl),
        "barrier" => barrier(cl, &[]),
        "barrier-all" => barrier_all(cl),
        "other-device" => other_device(cl),
        "barrier-list" => barrier_list(cl),
        "legacy-barrier" => legacy(cl),
        "marker" => marker(cl),
        "release" => release(cl),
        "flush" => flush(cl),
        "foreign" => foreign(cl),
        "threads" => threads(cl),
        "independent" => independent(cl),
        _ => return None,
    })
}

fn wait_list(cl: &Cl, class: &str) -> Outcome {
    let gate = cl.user_event()?;
    let event = enqueue(cl, cl.free, class, false, &[gate])?;
    cl.gated(cl.free, event, gate)
}

/// Lists of several, of twice the same, of another queue's, of a marker's.
fn lists(cl: &Cl) -> Outcome {
    let ready = cl.user_event()?;
    cl.set(ready, CL_COMPLETE)?;
    let other = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
    for form in 0..4 {
        let gate = cl.user_event()?;
        let list = match form {
            0 => vec![ready, gate],
            1 => vec![gate, gate],
            2 => vec![enqueue(cl, other, "fill", false, &[gate])?],
            _ => vec![enqueue(cl, cl.free, "marker", false, &[gate])?],
        };
        cl.flush(other)?;
        let event = enqueue(cl, cl.free, "fill", false, &list)?;
        cl.gated(cl.free, event, gate)?;
    }
    Ok(())
}

fn blocking(cl: &Cl, class: &str) -> Outcome {
    let gate = cl.user_event()?;
    cl.blocks(gate, || {
        enqueue(cl, cl.free, class, true, &[gate]).map(|_| ())
    })
}

fn finish(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "fill", false, &[gate])?;
    enqueue(cl, cl.free, "fill", false, &[])?;
    cl.blocks(gate, || cl.finish(cl.free))
}

fn waits(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let held = enqueue(cl, cl.free, "fill", false, &[gate])?;
    let quick = enqueue(cl, cl.free, "fill", false, &[])?;
    cl.blocks(gate, || done("clWaitForEvents", cl.wait(&[quick, held])))
}

fn non_blocking(cl: &Cl) -> Outcome {
    for class in ["read", "write", "map"] {
        let gate = cl.user_event()?;
        let event = enqueue(cl, cl.free, class, false, &[gate])?;
        cl.set(gate, CL_COMPLETE)?;
        done("clWaitForEvents", cl.wait(&[event]))?;
    }
    Ok(())
}

fn in_order(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let (first, second) = (cl.kernel(c"set", buffer, 1)?, cl.kernel(c"set", buffer, 2)?);
    let queue = cl.another_queue(0)?;
    cl.launch(queue, first, &[])?;
    cl.launch(queue, second, &[])?;
    cl.finish(queue)?;
    must(
        cl.word(buffer)? == 2,
        "kernels of an in-order queue run in order",
    )?;
    let gate = cl.user_event()?;
    cl.launch(queue, first, &[gate])?;
    let event = cl.launch(queue, second, &[])?;
    cl.gated(queue, event, gate)
}

fn overtake(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"set", buffer, 1)?;
    let queue = cl.another_queue(0)?;
    let gate = cl.user_event()?;
    cl.launch(queue, kernel, &[gate])?;
    let event = cl.fill(queue, buffer, 2, SIZE, &[])?;
    cl.gated(queue, event, gate)
}

fn barrier(cl: &Cl, list: &[cl_event]) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "fill", false, &[gate])?;
    enqueue(cl, cl.free, "barrier", false, list)?;
    let event = enqueue(cl, cl.free, "fill", false, &[])?;
    cl.gated(cl.free, event, gate)
}

fn barrier_all(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "fill", false, &[gate])?;
    let event = enqueue(cl, cl.free, "barrier", false, &[])?;
    cl.gated(cl.free, event, gate)
}

/// A command of one device waits for one of another.
fn other_device(cl: &Cl) -> Outcome {
    let (context, devices) = cl.two_devices()?;
    let mut status = CL_SUCCESS;
    let [first, second] = devices.map(|device| {
        cl!(cl, clCreateCommandQueue: clCreateCommandQueue_t, context, device, 0, &mut status)
    });
    done("clCreateCommandQueue", status)?;
    let gate = cl!(cl, clCreateUserEvent: clCreateUserEvent_t, context, &mut status);
    done("clCreateUserEvent", status)?;
    let held = enqueue(cl, first, "marker", false, &[gate])?;
    let event = enqueue(cl, second, "marker", false, &[held])?;
    cl.flush(first)?;
    cl.gated(second, event, gate)
}

fn barrier_list(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "barrier", false, &[gate])?;
    let event = enqueue(cl, cl.free, "fill", false, &[])?;
    cl.gated(cl.free, event, gate)
}

fn legacy(cl: &Cl) -> Outcome {
    for listed in [false, true] {
        let gate = cl.user_event()?;
        let held = enqueue(cl, cl.free, "fill", false, &[gate])?;
        if listed {
            done(
                "clEnqueueWaitForEvents",
                cl!(cl, clEnqueueWaitForEvents: clEnqueueWaitForEvents_t, cl.free, 1, &held),
            )?;
        } else {
            done(
                "clEnqueueBarrier",
                cl!(cl, clEnqueueBarrier: clEnqueueBarrier_t, cl.free),
            )?;
        }
        let event = enqueue(cl, cl.free, "fill", false, &[])?;
        cl.gated(cl.free, event, gate)?;
    }
    Ok(())
}

fn marker(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "fill", false, &[gate])?;
    enqueue(cl, cl.free, "fill", false, &[])?;
    let event = enqueue(cl, cl.free, "marker", false, &[])?;
    cl.gated(cl.free, event, gate)
}

/// A queue that is released, and an event that is, before anything was flushed.
fn release(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let event = cl.fill(cl.queue, buffer, 5, SIZE, &[])?;
    done(
        "clReleaseEvent",
        cl!(cl, clReleaseEvent: clReleaseEvent_t, event),
    )?;
    cl.finish(cl.queue)?;
    must(
        cl.word(buffer)? == 5,
        "releasing an event leaves its command alone",
    )?;
    let queue = cl.another_queue(0)?;
    let event = cl.fill(queue, buffer, 6, SIZE, &[])?;
    done(
        "clReleaseCommandQueue",
        cl!(cl, clReleaseCommandQueue: clReleaseCommandQueue_t, queue),
    )?;
    cl.soon(
        || Ok(cl.status(event)? <= CL_COMPLETE),
        "a released queue is flushed",
    )?;
    must(
        cl.word(buffer)? == 6,
        "releasing a queue leaves its commands alone",
    )
}

fn flush(cl: &Cl) -> Outcome {
    let event = enqueue(cl, cl.queue, "fill", false, &[])?;
    cl.flush(cl.queue)?;
    cl.soon(
        || Ok(cl.status(event)? == CL_COMPLETE),
        "what is flushed completes",
    )?;
    let event = enqueue(cl, cl.queue, "fill", false, &[])?;
    done("clWaitForEvents", cl.wait(&[event]))
}

fn foreign(cl: &Cl) -> Outcome {
    let context = cl.another_context()?;
    let mut status = CL_SUCCESS;
    let event = cl!(cl, clCreateUserEvent: clCreateUserEvent_t, context, &mut status);
    let buffer = cl.buffer(&[0; SIZE])?;
    let filled = cl.fill(cl.queue, buffer, 1, SIZE, &[event]);
    must(
        filled == Err(format!("clEnqueueFillBuffer: {CL_INVALID_CONTEXT}")),
        "an event of another context is refused",
    )
}

/// A second thread enqueues to a queue.
fn threads(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"add", buffer, 1)?;
    let (queue, kernel) = (cl.queue as usize, kernel as usize);
    let launch = || {
        cl.launch(queue as cl_command_queue, kernel as cl_kernel, &[])
            .map(|_| ())
    };
    launch()?;
    std::thread::scope(|scope| {
        scope
            .spawn(launch)
            .join()
            .unwrap_or_else(|_| Err("a thread panicked".to_owned()))
    })?;
    must(
        cl.word(buffer)? == 2,
        "commands of every thread are enqueued",
    )
}

/// One queue waits, the other does not.
fn independent(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    enqueue(cl, cl.free, "fill", false, &[gate])?;
    let buffer = cl.buffer(&[0; SIZE])?;
    let other = cl.another_queue(0)?;
    let event = cl.fill(other, buffer, 1, SIZE, &[])?;
    cl.flush(cl.free)?;
    cl.flush(other)?;
    cl.soon(
        || Ok(cl.status(event)? == CL_COMPLETE),
        "queues make progress independently",
    )?;
    cl.set(gate, CL_COMPLETE)
}
