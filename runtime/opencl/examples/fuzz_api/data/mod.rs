//! Commands whose order is fixed, and what memory must hold after each.
//!
//! The other calls of a round leave the order of commands to chance, so that of their data nothing can
//! be told. A sequence here has objects and queues of its own and an order that the rules fix: one
//! in-order queue, a chain of events over several queues, or barriers in an out-of-order queue. Often
//! all of it is enqueued before a user event lets it begin. The model carries every command out on a
//! shadow of the memory when it is enqueued; what is read must be what the shadow held then.
//!
//! That this finds wrong data is shown by planting faults in the calls ([`Plant`]): `fuzz_api planted`.
//!
//! | file | commands |
//! | --- | --- |
//! | `linear` | on buffers, sub-buffers and shared virtual memory |
//! | `images` | on images |
//! | `boxes` | regions of rows and slices |

mod boxes;
mod images;
mod linear;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::sync::*;

use super::model::*;
use images::Image;
use linear::{Memory, Part};

/// Commands of one sequence.
const COMMANDS: usize = 40;

/// What fixes the order of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    InOrderQueue,
    /// Each command waits for the event of the one before it, in whatever queue.
    Chain,
    /// A barrier before each command of an out-of-order queue.
    Barriers,
}

/// What every enqueue function takes besides its own arguments.
struct Tail {
    queue: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
}

/// What a command was to read, and what it did.
struct Read {
    what: String,
    expected: Vec<u8>,
    observed: Vec<u8>,
}

struct Sequence<'w> {
    world: &'w mut World,
    order: Order,
    queues: Vec<cl_command_queue>,
    /// The event that all of it waits for, if that has not been set.
    gate: Option<cl_event>,
    /// The event of the last command, in a chain.
    last: Option<cl_event>,
    events: Vec<cl_event>,
    memories: Vec<Memory>,
    parts: Vec<Part>,
    images: Vec<Image>,
    reads: Vec<Read>,
    /// What commands read from the host, until they have ended.
    sources: Vec<Vec<u8>>,
    kernel: cl_kernel,
}

/// Where two runs of bytes first differ; none if they do not.
fn difference(expected: &[u8], observed: &[u8]) -> Option<String> {
    if expected.len() != observed.len() {
        return Some(format!("{} bytes, not {}", observed.len(), expected.len()));
    }
    let at = (0..expected.len()).find(|&at| expected[at] != observed[at])?;
    let count = (0..expected.len())
        .filter(|&at| expected[at] != observed[at])
        .count();
    Some(format!(
        "{count} of {} bytes are wrong; byte {at} is {:#04x}, not {:#04x}",
        expected.len(),
        observed[at],
        expected[at]
    ))
}

impl World {
    /// Plays a sequence in the thread's own context and checks what it read and left behind.
    pub fn data(&mut self) {
        let mut sequence = Sequence::new(self);
        for _ in 0..COMMANDS {
            sequence.command();
        }
        sequence.end();
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.random.below(256) as u8).collect()
    }
}

impl<'w> Sequence<'w> {
    fn new(world: &'w mut World) -> Self {
        let order = match world.plant {
            Some(Plant::Unordered) => world.random.of(&[Order::Chain, Order::Barriers]),
            Some(Plant::Lost | Plant::Short) | None => {
                world
                    .random
                    .of(&[Order::InOrderQueue, Order::Chain, Order::Barriers])
            }
        };
        let count = if order == Order::Chain { 3 } else { 1 };
        let context = world.contexts[OWN].handle;
        let mut queues = Vec::new();
        for number in 0..count {
            let out_of_order = match order {
                Order::InOrderQueue => false,
                Order::Barriers => true,
                Order::Chain => number != 0,
            };
            let properties = if out_of_order {
                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            } else {
                0
            };
            let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
            let mut code = 1;
            queues.push(unsafe {
                clCreateCommandQueueWithProperties(context, world.device, list.as_ptr(), &mut code)
            });
            world.expect("clCreateCommandQueueWithProperties", code, &[CL_SUCCESS]);
        }
        let mut code = 1;
        let program = world.contexts[OWN].program;
        let kernel = unsafe { clCreateKernel(program, c"turn".as_ptr(), &mut code) };
        world.expect("clCreateKernel", code, &[CL_SUCCESS]);
        let mut sequence = Self {
            world,
            order,
            queues,
            gate: None,
            last: None,
            events: Vec::new(),
            memories: Vec::new(),
            parts: Vec::new(),
            images: Vec::new(),
            reads: Vec::new(),
            sources: Vec::new(),
            kernel,
        };
        sequence.make_linear();
        if sequence.world.images {
            sequence.make_images();
        }
        let unordered = sequence.world.plant == Some(Plant::Unordered);
        if unordered || sequence.world.random.once_in(2) {
            sequence.close_gate();
        }
        sequence
    }

    /// Makes all that follows wait for a user event.
    fn close_gate(&mut self) {
        let mut code = 1;
        let gate = unsafe { clCreateUserEvent(self.world.contexts[OWN].handle, &mut code) };
        self.world.expect("clCreateUserEvent", code, &[CL_SUCCESS]);
        let mut event = null_mut();
        let list: Vec<cl_event> = self.last.into_iter().chain([gate]).collect();
        let count = list.len() as cl_uint;
        // In an out-of-order queue a barrier with a list holds what follows.
        let code = unsafe {
            match self.order {
                Order::InOrderQueue | Order::Chain => {
                    clEnqueueMarkerWithWaitList(self.queues[0], count, list.as_ptr(), &mut event)
                }
                Order::Barriers => {
                    clEnqueueBarrierWithWaitList(self.queues[0], count, list.as_ptr(), &mut event)
                }
            }
        };
        self.world.expect("the gate", code, &[CL_SUCCESS]);
        self.events.extend([gate, event]);
        self.gate = Some(gate);
        self.last = Some(event);
    }

    /// Lets it begin.
    fn open_gate(&mut self) {
        if let Some(gate) = self.gate.take() {
            let code = unsafe { clSetUserEventStatus(gate, CL_COMPLETE) };
            self.world
                .expect("clSetUserEventStatus", code, &[CL_SUCCESS]);
        }
    }

    fn command(&mut self) {
        if self.world.random.once_in(20) {
            self.open_gate();
        }
        if !self.images.is_empty() && self.world.random.once_in(3) {
            self.image_command();
        } else {
            self.linear_command();
        }
    }

    /// Enqueues a command behind the one before it.
    fn enqueue(&mut self, name: &str, call: impl FnOnce(&Tail) -> cl_int) {
        if self.world.plant == Some(Plant::Lost) && self.world.random.once_in(8) {
            return;
        }
        let unordered = self.world.plant == Some(Plant::Unordered);
        let queue = self.world.random.below(self.queues.len());
        let queue = self.queues[queue];
        let mut list = null();
        let mut count = 0;
        match self.order {
            Order::InOrderQueue => {}
            Order::Chain => {
                if let Some(last) = self.last.as_ref().filter(|_| !unordered) {
                    (count, list) = (1, std::ptr::from_ref(last));
                }
            }
            Order::Barriers => {
                if !unordered {
                    let code =
                        unsafe { clEnqueueBarrierWithWaitList(queue, 0, null(), null_mut()) };
                    self.world
                        .expect("clEnqueueBarrierWithWaitList", code, &[CL_SUCCESS]);
                }
            }
        }
        let wants_event = self.order == Order::Chain || self.world.random.once_in(3);
        let mut event = null_mut();
        let code = call(&Tail {
            queue,
            count,
            list,
            event: if wants_event { &mut event } else { null_mut() },
        });
        self.world.expect(name, code, &[CL_SUCCESS]);
        if wants_event {
            self.events.push(event);
            self.last = Some(event);
        }
    }

    /// Memory for a command to read from, as long as the sequence.
    fn source(&mut self, bytes: Vec<u8>) -> *const c_void {
        let start = bytes.as_ptr().cast();
        self.sources.push(bytes);
        start
    }

    /// Memory for a command to read into; these bytes are expected there.
    fn sink(&mut self, what: &str, expected: Vec<u8>) -> *mut c_void {
        let mut observed = vec![0xee; expected.len()];
        let start = observed.as_mut_ptr().cast();
        self.reads.push(Read {
            what: what.to_owned(),
            expected,
            observed,
        });
        start
    }

    /// Reports bytes that are not what they should be.
    fn compare(&self, what: &str, expected: &[u8], observed: &[u8]) {
        if let Some(difference) = difference(expected, observed) {
            self.world.found(&format!(
                "wrong data: {what} ({:?}): {difference}",
                self.order
            ));
        }
    }

    /// Finishes, compares everything and lets go of it.
    fn end(mut self) {
        // What is left behind is read like the rest.
        for part in 0..self.parts.len() {
            self.read_whole_part(part);
        }
        for image in 0..self.images.len() {
            self.read_whole_image(image);
        }
        self.open_gate();
        for place in 0..self.queues.len() {
            let code = unsafe { clFinish(self.queues[place]) };
            self.world.expect("clFinish", code, &[CL_SUCCESS]);
        }
        for read in &self.reads {
            self.compare(&read.what, &read.expected, &read.observed);
        }
        for event in std::mem::take(&mut self.events) {
            let code = unsafe { clReleaseEvent(event) };
            self.world.expect("clReleaseEvent", code, &[CL_SUCCESS]);
        }
        for queue in std::mem::take(&mut self.queues) {
            let code = unsafe { clReleaseCommandQueue(queue) };
            self.world
                .expect("clReleaseCommandQueue", code, &[CL_SUCCESS]);
        }
        let code = unsafe { clReleaseKernel(self.kernel) };
        self.world.expect("clReleaseKernel", code, &[CL_SUCCESS]);
        self.release_images();
        self.release_linear();
    }
}
