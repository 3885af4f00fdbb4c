//! Copies of 64 MiB, beside what the machine's own memcpy does in the same round.

use std::cell::RefCell;
use std::ptr::{null, null_mut};
use std::time::Instant;

use opencl_sys::*;

use crate::Measurement;
use crate::client::{Client, call, must};

const SIZE: usize = 64 << 20;

struct Memory {
    client: usize,
    host: Vec<u8>,
    other: Vec<u8>,
    from: cl_mem,
    to: cl_mem,
}

thread_local! {
    static MEMORY: RefCell<Vec<Memory>> = const { RefCell::new(Vec::new()) };
}

pub fn all() -> Vec<Measurement> {
    let rate = |name, run| Measurement {
        name,
        unit: "GB/s",
        run,
    };
    vec![
        rate("64 MiB memcpy of the host", |client| {
            with(client, |memory| {
                per_second(|| memory.other.copy_from_slice(&memory.host))
            })
        }),
        rate("64 MiB read, blocking", |client| {
            with(client, |memory| read(client, memory))
        }),
        rate("64 MiB write, blocking", |client| {
            with(client, |memory| write(client, memory))
        }),
        rate("64 MiB write to a new buffer, blocking", |client| {
            with(client, |memory| {
                let used = std::mem::replace(&mut memory.from, buffer(client));
                let rate = write(client, memory);
                let new = std::mem::replace(&mut memory.from, used);
                must!(client, clReleaseMemObject(new));
                rate
            })
        }),
        rate("64 MiB copy", |client| {
            with(client, |memory| {
                per_second(|| {
                    let (from, to) = (memory.from, memory.to);
                    let queue = client.in_order;
                    must!(
                        client,
                        clEnqueueCopyBuffer(queue, from, to, 0, 0, SIZE, 0, null(), null_mut())
                    );
                    client.finish(queue);
                })
            })
        }),
        Measurement {
            name: "64 MiB map for reading and unmap",
            unit: "us",
            run: |client| with(client, |memory| map(client, memory, CL_MAP_READ)),
        },
        Measurement {
            name: "64 MiB map for writing and unmap",
            unit: "us",
            run: |client| with(client, |memory| map(client, memory, CL_MAP_WRITE)),
        },
    ]
}

/// The memory of a client, made and touched when first used.
fn with(client: &Client, run: impl FnOnce(&mut Memory) -> f64) -> f64 {
    let key = std::ptr::from_ref(client) as usize;
    MEMORY.with_borrow_mut(|all| {
        if !all.iter().any(|memory| memory.client == key) {
            let mut memory = Memory {
                client: key,
                host: vec![1; SIZE],
                other: vec![2; SIZE],
                from: buffer(client),
                to: buffer(client),
            };
            write(client, &mut memory);
            std::mem::swap(&mut memory.from, &mut memory.to);
            write(client, &mut memory);
            all.push(memory);
        }
        let memory = all.iter_mut().find(|memory| memory.client == key);
        run(memory.expect("just made"))
    })
}

fn buffer(client: &Client) -> cl_mem {
    let mut code = 0;
    let flags = CL_MEM_READ_WRITE;
    let buffer = call!(
        client,
        clCreateBuffer(client.context, flags, SIZE, null_mut(), &mut code)
    );
    assert_eq!(code, 0, "clCreateBuffer");
    buffer
}

fn per_second(mut body: impl FnMut()) -> f64 {
    let start = Instant::now();
    body();
    SIZE as f64 / start.elapsed().as_secs_f64() / 1e9
}

fn read(client: &Client, memory: &mut Memory) -> f64 {
    let start = memory.other.as_mut_ptr().cast();
    let (queue, from) = (client.in_order, memory.from);
    per_second(|| {
        must!(
            client,
            clEnqueueReadBuffer(queue, from, CL_TRUE, 0, SIZE, start, 0, null(), null_mut())
        );
    })
}

fn write(client: &Client, memory: &mut Memory) -> f64 {
    let start = memory.host.as_ptr().cast();
    let (queue, to) = (client.in_order, memory.from);
    per_second(|| {
        must!(
            client,
            clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, SIZE, start, 0, null(), null_mut())
        );
    })
}

fn map(client: &Client, memory: &Memory, flags: cl_map_flags) -> f64 {
    let (queue, buffer) = (client.in_order, memory.from);
    let start = Instant::now();
    let mut code = 0;
    let address = call!(
        client,
        clEnqueueMapBuffer(
            queue,
            buffer,
            CL_TRUE,
            flags,
            0,
            SIZE,
            0,
            null(),
            null_mut(),
            &mut code
        )
    );
    assert_eq!(code, 0, "clEnqueueMapBuffer");
    must!(
        client,
        clEnqueueUnmapMemObject(queue, buffer, address, 0, null(), null_mut())
    );
    client.finish(queue);
    start.elapsed().as_secs_f64() * 1e6
}
