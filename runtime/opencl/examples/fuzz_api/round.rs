//! A round: threads that call, then everything comes to rest and goes away.

use std::process::ExitCode;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::svm::*;
use touchstone::context::Context;
use touchstone::kernel::Kernel;
use touchstone::memory::{Buffer, Image};
use touchstone::object::Object;
use touchstone::program::Program;
use touchstone::queue::Queue;
use touchstone::queue::event::Event;
use touchstone::sampler::Sampler;

use super::model::*;

/// How long callbacks and deletions may take after the last call.
const REST: Duration = Duration::from_secs(30);

/// What the threads share. Handles are addresses that any thread may use.
struct Shared {
    device: usize,
    context: usize,
    program: usize,
    queues: [usize; 2],
    /// The flag of what depends on other threads: it is never set.
    never: Flag,
}

fn must(what: &str, code: cl_int) {
    if code != CL_SUCCESS {
        eprintln!("finding: {what} returned {code}");
        std::process::exit(1);
    }
}

/// A context and a built program in it.
fn context(device: cl_device_id) -> (cl_context, cl_program) {
    let mut code = 1;
    let mut text = SOURCE.as_ptr().cast();
    unsafe {
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
        must("clCreateContext", code);
        let program = clCreateProgramWithSource(context, 1, &mut text, &SOURCE.len(), &mut code);
        must("clCreateProgramWithSource", code);
        must(
            "clBuildProgram",
            clBuildProgram(program, 0, null(), null(), None, null_mut()),
        );
        (context, program)
    }
}

/// What differs from round to round.
#[derive(Clone, Copy)]
struct Settings {
    seed: u64,
    steps: u64,
    images: bool,
    plant: Option<Plant>,
}

/// Makes one round; the exit code says whether there was a finding.
pub fn run(seed: u64, steps: u64, plant: Option<Plant>) -> ExitCode {
    let settings = Settings {
        seed,
        steps,
        images: !seed.is_multiple_of(3),
        plant,
    };
    // SAFETY: this is the only thread so far.
    unsafe {
        if !settings.images {
            std::env::set_var("TOUCHSTONE_PROFILE", "3.0,-images");
        }
        if std::env::var_os("TOUCHSTONE_THREADS").is_none() {
            std::env::set_var("TOUCHSTONE_THREADS", (1 + seed % 4).to_string());
        }
    }
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        hook(info);
        eprintln!("finding: a panic");
        std::process::exit(1);
    }));
    let mut random = Random::new(seed, 0);
    let mut device = null_mut();
    let mut platform = null_mut();
    unsafe {
        must(
            "clGetPlatformIDs",
            clGetPlatformIDs(1, &mut platform, null_mut()),
        );
        let all = CL_DEVICE_TYPE_ALL;
        must(
            "clGetDeviceIDs",
            clGetDeviceIDs(platform, all, 1, &mut device, null_mut()),
        );
    }
    let (shared_context, program) = context(device);
    let queue = |properties| unsafe {
        let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
        let mut code = 1;
        let queue =
            clCreateCommandQueueWithProperties(shared_context, device, list.as_ptr(), &mut code);
        must("clCreateCommandQueueWithProperties", code);
        queue as usize
    };
    let shared = Shared {
        device: device as usize,
        context: shared_context as usize,
        program: program as usize,
        queues: [queue(0), queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)],
        never: Arc::new(AtomicBool::new(false)),
    };
    let threads = 1 + random.below(4) as u64;
    let expected: u64 = std::thread::scope(|scope| {
        let running: Vec<_> = (1..=threads)
            .map(|number| {
                let shared = &shared;
                scope.spawn(move || thread(shared, settings, number))
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or(0))
            .sum()
    });
    unsafe {
        for queue in shared.queues {
            must("clFinish", clFinish(queue as cl_command_queue));
            must(
                "clReleaseCommandQueue",
                clReleaseCommandQueue(queue as cl_command_queue),
            );
        }
        must("clReleaseProgram", clReleaseProgram(program));
        must("clReleaseContext", clReleaseContext(shared_context));
    }
    rest(expected)
}

/// One thread: calls, then sets its events, drains its queues and releases what it has.
fn thread(shared: &Shared, settings: Settings, number: u64) -> u64 {
    let device = shared.device as cl_device_id;
    let (own, own_program) = context(device);
    let queue = |handle: usize| QueueModel {
        handle: handle as cl_command_queue,
        references: 1,
        context: SHARED,
        waits: vec![Arc::clone(&shared.never)],
    };
    let mut world = World {
        random: Random::new(settings.seed, number),
        device,
        contexts: [
            ContextModel {
                handle: shared.context as cl_context,
                program: shared.program as cl_program,
            },
            ContextModel {
                handle: own,
                program: own_program,
            },
        ],
        queues: shared.queues.map(queue).into(),
        buffers: Vec::new(),
        events: Vec::new(),
        kernels: Vec::new(),
        svm: Vec::new(),
        loose: false,
        gone: Vec::new(),
        callbacks: 0,
        failures: false,
        host: vec![0; HOST_BYTES],
        lent: Vec::new(),
        images: settings.images,
        plant: settings.plant,
        trail: Vec::new(),
    };
    for _ in 0..settings.steps {
        if world.random.once_in(40) {
            world.data();
        } else if world.random.once_in(12) {
            world.rare();
        } else if world.random.once_in(3) {
            world.call();
        } else {
            world.enqueue();
        }
    }
    finish(&mut world, own, own_program);
    // Commands in the shared queues may still use this memory.
    std::mem::forget(std::mem::take(&mut world.host));
    std::mem::forget(std::mem::take(&mut world.lent));
    world.callbacks
}

fn finish(world: &mut World, own: cl_context, own_program: cl_program) {
    for place in 0..world.events.len() {
        let event = &world.events[place];
        if event.kind == EventKind::User && !set(&event.waits) {
            world.set_event(place);
        }
    }
    // Some objects go before the queues are finished, some after.
    for _ in 0..world.random.below(40) {
        if let Some(place) = world.pick(|w| &w.buffers) {
            world.release_buffer(place);
        }
        if let Some(place) = world.pick(|w| &w.events) {
            world.release_event(place);
        }
    }
    for place in 2..world.queues.len() {
        // What waits in it for events of other threads ends when those have set theirs.
        let code = unsafe { clFinish(world.queues[place].handle) };
        world.expect("clFinish", code, &[CL_SUCCESS]);
    }
    // Commands of queues that were released before they ended end as well.
    let events = world.events.iter();
    let list: Vec<cl_event> = events
        .filter(|e| e.context == OWN)
        .map(|e| e.handle)
        .collect();
    if !list.is_empty() {
        let code = unsafe { clWaitForEvents(list.len() as cl_uint, list.as_ptr()) };
        let failed = [CL_SUCCESS, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST];
        let expected = if world.failures {
            &failed[..]
        } else {
            &failed[..1]
        };
        world.expect("clWaitForEvents", code, expected);
    }
    for place in 0..world.events.len() {
        let own = world.events[place].context == OWN;
        let mut status: cl_int = 1;
        let room = (&raw mut status).cast();
        let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
        let code = unsafe { clGetEventInfo(world.events[place].handle, name, 4, room, null_mut()) };
        world.expect("clGetEventInfo", code, &[CL_SUCCESS]);
        if own && (status > CL_COMPLETE || (status < 0 && !world.failures)) {
            world.found(&format!(
                "an event that was waited for has the status {status}"
            ));
        }
    }
    while !world.events.is_empty() {
        world.release_event(0);
    }
    while !world.buffers.is_empty() {
        world.release_buffer(0);
    }
    while !world.kernels.is_empty() {
        world.release_kernel(0);
    }
    for place in 0..world.svm.len() {
        let SvmModel { start, context, .. } = world.svm[place];
        // Commands in the shared queues may still use the shared context's.
        if context == OWN && !world.loose {
            unsafe { clSVMFree(world.contexts[context].handle, start) };
        }
    }
    while world.queues.len() > 2 {
        world.release_queue(2);
    }
    let code = unsafe { clReleaseProgram(own_program) };
    world.expect("clReleaseProgram", code, &[CL_SUCCESS]);
    let code = unsafe { clReleaseContext(own) };
    world.expect("clReleaseContext", code, &[CL_SUCCESS]);
}

fn live<T: Object>() -> usize {
    T::registry().live()
}

/// Waits until all callbacks have come and nothing is left.
fn rest(expected: u64) -> ExitCode {
    let start = Instant::now();
    loop {
        let left = [
            ("contexts", live::<Context>()),
            ("queues", live::<Queue>()),
            ("buffers", live::<Buffer>()),
            ("events", live::<Event>()),
            ("programs", live::<Program>()),
            ("kernels", live::<Kernel>()),
            ("images", live::<Image>()),
            ("samplers", live::<Sampler>()),
        ];
        let came = CALLBACKS.load(Ordering::SeqCst);
        if left.iter().all(|(_, count)| *count == 0) && came == expected {
            return ExitCode::SUCCESS;
        }
        if start.elapsed() > REST || came > expected {
            eprintln!("finding: {came} of {expected} callbacks came; left are {left:?}");
            return ExitCode::from(1);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
