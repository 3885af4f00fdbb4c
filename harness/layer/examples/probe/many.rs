//! Hundreds of events and commands, large transfers, threads that come in the same instant, and memory that several
//! use.

use crate::cl::{Cl, NULL, Outcome, at, cl, done, must};
use libc::c_void;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;
use std::sync::Barrier;

const SIZE: usize = 256;
const MIB: usize = 1 << 20;

/// Turns of a loop that take some tenths of a second.
const LONG: u32 = 2_000_000;

/// How often what takes an instant is tried.
const TRIES: usize = 20;

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    Some(match name {
        "long-list" => long_list(cl),
        "long-wait" => long_wait(cl),
        "running" => running(cl),
        "pending" => pending(cl),
        "released-waiter" => released_waiter(cl),
        "lists-at-once" => lists_at_once(cl),
        "set-at-once" => set_at_once(cl),
        "chain" => chain(cl),
        "large" => large(cl),
        "large-early" => large_early(cl),
        "end" => to_the_end(cl),
        "pitches" => pitches(cl),
        "parts" => parts(cl),
        "host-ptr-map" => host_ptr_map(cl),
        _ => return None,
    })
}

/// Marks of so many user events, all set but the last.
fn events(cl: &Cl, count: usize) -> Outcome<Vec<cl_event>> {
    let all: Vec<cl_event> = (0..count)
        .map(|_| cl.user_event())
        .collect::<Outcome<_>>()?;
    all[..count - 1]
        .iter()
        .try_for_each(|event| cl.set(*event, CL_COMPLETE))?;
    Ok(all)
}

fn fill(cl: &Cl, queue: cl_command_queue, list: &[cl_event]) -> Outcome<cl_event> {
    let buffer = cl.buffer(&[0; SIZE])?;
    cl.fill(queue, buffer, 1, SIZE, list)
}

fn long_list(cl: &Cl) -> Outcome {
    let list = events(cl, 300)?;
    let event = fill(cl, cl.free, &list)?;
    cl.gated(cl.free, event, list[299])
}

fn long_wait(cl: &Cl) -> Outcome {
    let list = events(cl, 300)?;
    cl.blocks(list[299], || done("clWaitForEvents", cl.wait(&list)))
}

/// A kernel that takes its time, and runs already.
fn busy(cl: &Cl, queue: cl_command_queue) -> Outcome<cl_event> {
    let buffer = cl.buffer(&[0; SIZE])?;
    let event = cl.launch(queue, cl.kernel(c"busy", buffer, LONG)?, &[])?;
    cl.flush(queue)?;
    cl.soon(
        || Ok(cl.status(event)? <= CL_RUNNING),
        "what is flushed runs",
    )?;
    Ok(event)
}

fn running(cl: &Cl) -> Outcome {
    let first = busy(cl, cl.free)?;
    let mut marker = NULL;
    let status = cl!(cl, clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_t,
        cl.free, 0, ptr::null(), &mut marker);
    done("clEnqueueMarkerWithWaitList", status)?;
    done("clWaitForEvents", cl.wait(&[marker]))?;
    must(
        cl.status(first)? == CL_COMPLETE,
        "a marker waits for what runs",
    )
}

fn pending(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let buffer = cl.buffer(&[0; SIZE])?;
    let mut events = vec![cl.fill(cl.queue, buffer, 1, SIZE, &[gate])?];
    for _ in 0..300 {
        events.push(cl.fill(cl.queue, buffer, 2, SIZE, &[])?);
    }
    must(
        cl.status(events[300])? > CL_COMPLETE,
        "the last of many is not complete before the first",
    )?;
    cl.set(gate, CL_COMPLETE)?;
    cl.finish(cl.queue)
}

/// A command waits for one of another queue, which is released meanwhile.
fn released_waiter(cl: &Cl) -> Outcome {
    let other = cl.another_queue(0)?;
    let first = busy(cl, other)?;
    let second = fill(cl, cl.free, &[first])?;
    cl.flush(cl.free)?;
    let status = cl!(cl, clReleaseCommandQueue: clReleaseCommandQueue_t, other);
    done("clReleaseCommandQueue", status)?;
    done("clWaitForEvents", cl.wait(&[second]))?;
    must(
        cl.status(first)? == CL_COMPLETE,
        "a command waits for one of a queue that is released",
    )
}

/// Two threads do something in the same instant, each with one of two values.
fn both<T: Send>(with: [usize; 2], act: impl Fn(usize) -> Outcome<T> + Sync) -> Outcome<[T; 2]> {
    let barrier = Barrier::new(2);
    let act = |value| {
        barrier.wait();
        act(value)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| act(with[1]));
        let one = act(with[0])?;
        let two = other
            .join()
            .unwrap_or_else(|_| Err("a thread panicked".to_owned()))?;
        Ok([one, two])
    })
}

fn lists_at_once(cl: &Cl) -> Outcome {
    for _ in 0..TRIES {
        let gate = cl.user_event()?;
        let buffer = cl.buffer(&[0; SIZE])? as usize;
        let fill = |gate: usize| {
            let list = [gate as cl_event];
            let event = cl.fill(cl.free, buffer as cl_mem, 1, SIZE, &list)?;
            Ok(event as usize)
        };
        let events = both([gate as usize; 2], fill)?;
        cl.flush(cl.free)?;
        std::thread::sleep(cl.patience.min(std::time::Duration::from_millis(5)));
        for event in events {
            must(
                cl.status(event as cl_event)? > CL_COMPLETE,
                "each of two commands waits for its list",
            )?;
        }
        cl.set(gate, CL_COMPLETE)?;
        cl.finish(cl.free)?;
    }
    Ok(())
}

fn set_at_once(cl: &Cl) -> Outcome {
    for _ in 0..TRIES {
        let events = [cl.user_event()? as usize, cl.user_event()? as usize];
        let good = events[0];
        let set = |event: usize| {
            let status = if event == good { CL_COMPLETE } else { -7 };
            cl.set(event as cl_event, status)
        };
        both(events, set)?;
        let [one, two] = events.map(|event| cl.status(event as cl_event));
        must(
            (one?, two?) == (CL_COMPLETE, -7),
            "each of two user events gets its status",
        )?;
    }
    Ok(())
}

/// A read to memory of the host, and a write from there behind it.
fn chain(cl: &Cl) -> Outcome {
    let (from, to) = (cl.buffer(&[4; SIZE])?, cl.buffer(&[0; SIZE])?);
    let host: *mut c_void = Box::leak(Box::new([0u8; SIZE])).as_mut_ptr().cast();
    let gate = cl.user_event()?;
    let status = cl!(cl, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
        cl.queue, from, CL_FALSE, 0, SIZE, host, 1, at(&[gate]), ptr::null_mut());
    done("clEnqueueReadBuffer", status)?;
    let status = cl!(cl, clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
        cl.queue, to, CL_FALSE, 0, SIZE, host, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueWriteBuffer", status)?;
    cl.set(gate, CL_COMPLETE)?;
    cl.finish(cl.queue)?;
    must(
        cl.content(to, SIZE)? == [4; SIZE],
        "a write takes what the read before it brought",
    )
}

fn large(cl: &Cl) -> Outcome {
    let bytes: Vec<u8> = (0..3 * MIB + 5).map(|n| (n / 7) as u8).collect();
    let buffer = cl.buffer(&bytes)?;
    must(
        cl.content(buffer, bytes.len())? == bytes,
        "a large transfer brings its bytes",
    )
}

/// A blocking read of much, the last bytes of which are looked at first.
fn large_early(cl: &Cl) -> Outcome {
    let size = 64 * MIB;
    let buffer = cl.buffer(&vec![6; size])?;
    for _ in 0..TRIES {
        let host = Box::leak(vec![0u8; size].into_boxed_slice());
        let status = cl!(cl, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
            cl.queue, buffer, CL_TRUE, 0, size, host.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut());
        done("clEnqueueReadBuffer", status)?;
        // SAFETY: a byte of this slice, which the device may still write under a fault.
        let last = unsafe { ptr::read_volatile(host.as_ptr().add(size - 1)) };
        must(last == 6, "a large read has all its bytes when it returns")?;
    }
    Ok(())
}

fn to_the_end(cl: &Cl) -> Outcome {
    let (one, two) = (cl.buffer(&[1; SIZE])?, cl.buffer(&[2; SIZE])?);
    must(
        cl.content(one, SIZE)? == [1; SIZE],
        "a read reaches the end of its buffer",
    )?;
    let status = cl!(cl, clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
        cl.queue, one, two, 0, 8, SIZE - 8, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueCopyBuffer", status)?;
    must(
        cl.content(two, SIZE)?[8..] == [1; SIZE - 8],
        "a copy reaches the end of its target",
    )
}

/// Rows that lie farther apart on the host than in the buffer.
fn pitches(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&(0..=255).collect::<Vec<u8>>())?;
    let (mut host, zero, region) = ([0u8; SIZE], [0usize; 3], [3usize, 4, 1]);
    let status = cl!(cl, clEnqueueReadBufferRect: clEnqueueReadBufferRect_t,
        cl.queue, buffer, CL_TRUE, zero.as_ptr(), zero.as_ptr(), region.as_ptr(), 4, 0, 9, 0,
        host.as_mut_ptr().cast(), 0, ptr::null(), ptr::null_mut());
    done("clEnqueueReadBufferRect", status)?;
    let mut expected = [0u8; SIZE];
    for (row, byte) in (0..12).map(|n| (n / 3, n % 3)) {
        expected[row * 9 + byte] = (row * 4 + byte) as u8;
    }
    must(host == expected, "rows on the host have their own pitch")
}

/// Two parts of a buffer that overlap.
fn parts(cl: &Cl) -> Outcome {
    let bytes: Vec<u8> = (0..8192_usize).map(|n| (n / 1024) as u8).collect();
    let buffer = cl.buffer(&bytes)?;
    for origin in [1024, 2048] {
        let region = cl_buffer_region { origin, size: 4096 };
        let mut status = CL_SUCCESS;
        let part = cl!(cl, clCreateSubBuffer: clCreateSubBuffer_t,
            buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut status);
        done("clCreateSubBuffer", status)?;
        must(
            cl.content(part, 4096)? == bytes[origin..origin + 4096],
            "each part begins at its origin",
        )?;
    }
    Ok(())
}

/// A map of memory of the host after a command has written it.
fn host_ptr_map(cl: &Cl) -> Outcome {
    let host: *mut c_void = Box::leak(Box::new([3u8; SIZE])).as_mut_ptr().cast();
    let mut status = CL_SUCCESS;
    let buffer = cl!(cl, clCreateBuffer: clCreateBuffer_t,
        cl.context, CL_MEM_USE_HOST_PTR, SIZE, host, &mut status);
    done("clCreateBuffer", status)?;
    cl.fill(cl.queue, buffer, 0x0707_0707, SIZE, &[])?;
    let mapped = cl!(cl, clEnqueueMapBuffer: clEnqueueMapBuffer_t,
        cl.queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, ptr::null(), ptr::null_mut(), &mut status);
    done("clEnqueueMapBuffer", status)?;
    // SAFETY: so many bytes are mapped.
    let seen = unsafe { ptr::read_volatile(mapped.cast::<[u8; SIZE]>()) };
    let status = cl!(cl, clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
        cl.queue, buffer, mapped, 0, ptr::null(), ptr::null_mut());
    done("clEnqueueUnmapMemObject", status)?;
    must(
        seen == [7; SIZE] && cl.content(buffer, SIZE)? == [7; SIZE],
        "a map brings the host's memory up to date",
    )
}
