//! Small commands: latency, throughput, chains.

use std::ptr::null_mut;
use std::time::Instant;

use opencl_sys::*;

use crate::Measurement;
use crate::client::{Client, call, must};

/// Commands of one sample, where each is waited for.
const ONE_BY_ONE: usize = 1_000;
/// Commands of one sample, where all are waited for together.
const MANY: usize = 100_000;
/// Links of a chain.
const LINKS: usize = 1_000;

pub fn all() -> Vec<Measurement> {
    let micros = |name, run| Measurement {
        name,
        unit: "us",
        run,
    };
    vec![
        micros("empty kernel, in-order, clFinish", |client| {
            each(ONE_BY_ONE, || {
                client.enqueue(client.in_order, &[], null_mut());
                client.finish(client.in_order);
            })
        }),
        micros("empty kernel, in-order, clWaitForEvents", |client| {
            with_event(client, client.in_order)
        }),
        micros("empty kernel, out-of-order, clWaitForEvents", |client| {
            with_event(client, client.out_of_order)
        }),
        micros("10^5 enqueues, in-order, each", |client| {
            many(client, client.in_order)
        }),
        micros("10^5 enqueues, out-of-order, each", |client| {
            many(client, client.out_of_order)
        }),
        micros("10^5 enqueues with events, in-order, each", |client| {
            many_events(client, client.in_order)
        }),
        micros("chain over two queues, enqueued, each", |client| {
            chain(client, None)
        }),
        micros("chain over two queues, released, each", |client| {
            let mut code = 0;
            let gate = call!(client, clCreateUserEvent(client.context, &mut code));
            assert_eq!(code, 0, "clCreateUserEvent");
            let time = chain(client, Some(gate));
            client.release(gate);
            time
        }),
    ]
}

/// Microseconds for each of `count` calls.
fn each(count: usize, mut body: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        body();
    }
    micros_each(start, count)
}

fn micros_each(start: Instant, count: usize) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / count as f64
}

fn with_event(client: &Client, queue: cl_command_queue) -> f64 {
    each(ONE_BY_ONE, || {
        let mut event = null_mut();
        client.enqueue(queue, &[], &mut event);
        client.wait(event);
        client.release(event);
    })
}

fn many(client: &Client, queue: cl_command_queue) -> f64 {
    let start = Instant::now();
    for _ in 0..MANY {
        client.enqueue(queue, &[], null_mut());
    }
    client.finish(queue);
    micros_each(start, MANY)
}

fn many_events(client: &Client, queue: cl_command_queue) -> f64 {
    let start = Instant::now();
    for _ in 0..MANY {
        let mut event = null_mut();
        client.enqueue(queue, &[], &mut event);
        client.release(event);
    }
    client.finish(queue);
    micros_each(start, MANY)
}

/// Kernels on two queues in turn, each waiting for the one before. With a gate, all are
/// enqueued before it opens, and the time is from there.
fn chain(client: &Client, gate: Option<cl_event>) -> f64 {
    let queues = [client.in_order, client.other];
    let mut events: Vec<cl_event> = Vec::with_capacity(LINKS);
    let mut start = Instant::now();
    for link in 0..LINKS {
        let before = events.last().copied().or(gate);
        let mut event = null_mut();
        client.enqueue(queues[link % 2], before.as_slice(), &mut event);
        events.push(event);
    }
    for queue in queues {
        must!(client, clFlush(queue));
    }
    if let Some(gate) = gate {
        // What is to be done ahead is done.
        std::thread::sleep(std::time::Duration::from_millis(1));
        start = Instant::now();
        must!(client, clSetUserEventStatus(gate, CL_COMPLETE));
    }
    client.wait(events[LINKS - 1]);
    let time = micros_each(start, LINKS);
    for event in events {
        client.release(event);
    }
    time
}
