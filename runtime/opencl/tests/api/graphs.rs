//! Generated graphs of commands over several queues: nothing runs before its
//! prerequisites have ended, everything ends, and exactly what waits for a failure fails.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::sync::*;

use crate::rig::{Rig, list, queue, release_events, status, wait};

/// A generator of numbers that are the same every time (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }
}

/// One node: a user event or a command.
struct Node {
    event: cl_event,
    /// Nodes that must have ended before it runs.
    before: Vec<usize>,
    /// Of these, the ones whose failure is its own: its wait list.
    listed: Vec<usize>,
    ended: AtomicBool,
}

/// The nodes, in the order of their making.
type Graph = Vec<OnceLock<Node>>;

fn node(nodes: &Graph, at: usize) -> &Node {
    nodes[at].get().expect("a node that was not made")
}

/// What a native kernel gets: which node it is.
#[repr(C)]
struct Place {
    nodes: *const Graph,
    at: usize,
    too_early: *const AtomicUsize,
}

unsafe extern "C" fn run_node(place: *mut c_void) {
    let place = unsafe { &*place.cast::<Place>() };
    let nodes = unsafe { &*place.nodes };
    let own = node(nodes, place.at);
    let early = own.before.iter().any(|&before| {
        let before = node(nodes, before);
        // One that failed has ended without running.
        !before.ended.load(Ordering::Relaxed) && status(before.event) > CL_COMPLETE
    });
    if early {
        unsafe { &*place.too_early }.fetch_add(1, Ordering::Relaxed);
    }
    own.ended.store(true, Ordering::Relaxed);
}

const USER_EVENTS: usize = 6;
const COMMANDS: usize = 60;

fn check_graph(seed: u64) {
    let mut numbers = Numbers(seed);
    let rig = Rig::with(0);
    let queues = [
        (rig.queue, false),
        (queue(rig.context, 0), false),
        (
            queue(rig.context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
            true,
        ),
    ];
    let nodes: Graph = (0..USER_EVENTS + COMMANDS)
        .map(|_| OnceLock::new())
        .collect();
    let too_early = AtomicUsize::new(0);
    let make = |at: usize, event, before, listed| {
        let ended = AtomicBool::new(false);
        let made = Node {
            event,
            before,
            listed,
            ended,
        };
        assert!(nodes[at].set(made).is_ok());
    };
    for at in 0..USER_EVENTS {
        make(at, rig.user_event(), Vec::new(), Vec::new());
    }
    // Every command waits for this user event, which is set last: nothing runs before the
    // whole graph is there.
    let gate = 0;
    let mut last_of = [None; 3];
    for at in USER_EVENTS..USER_EVENTS + COMMANDS {
        let which = numbers.next(3);
        let (target, out_of_order) = queues[which];
        let mut listed: Vec<usize> = (0..numbers.next(4)).map(|_| numbers.next(at)).collect();
        listed.push(gate);
        listed.sort_unstable();
        listed.dedup();
        let events: Vec<_> = listed.iter().map(|&at| node(&nodes, at).event).collect();
        let mut event = null_mut();
        let code = if is_barrier(at) {
            // With a list, a barrier waits for the list only, but holds all that follows.
            unsafe {
                clEnqueueBarrierWithWaitList(target, events.len() as u32, list(&events), &mut event)
            }
        } else {
            let mut place = Place {
                nodes: &raw const nodes,
                at,
                too_early: &raw const too_early,
            };
            unsafe {
                clEnqueueNativeKernel(
                    target,
                    Some(run_node),
                    (&raw mut place).cast(),
                    size_of::<Place>(),
                    0,
                    null(),
                    null_mut(),
                    events.len() as u32,
                    list(&events),
                    &mut event,
                )
            }
        };
        assert_eq!(code, CL_SUCCESS);
        let mut before = Vec::new();
        for &earlier in listed.iter().chain(&last_of[which]) {
            if earlier >= USER_EVENTS {
                if is_barrier(earlier) {
                    // A barrier cannot say that it has ended; what it waits for can.
                    before.extend(&node(&nodes, earlier).before);
                } else {
                    before.push(earlier);
                }
            }
        }
        if !out_of_order || is_barrier(at) {
            last_of[which] = Some(at);
        }
        make(at, event, before, listed);
    }

    // Set the user events in some order, from several threads; one in four fails.
    let failing: Vec<bool> = (0..USER_EVENTS)
        .map(|at| at != gate && numbers.next(4) == 0)
        .collect();
    std::thread::scope(|scope| {
        for at in (1..USER_EVENTS).chain([gate]) {
            let event = node(&nodes, at).event as usize;
            let code = if failing[at] { -77 } else { CL_COMPLETE };
            scope.spawn(move || unsafe {
                assert_eq!(clSetUserEventStatus(event as cl_event, code), CL_SUCCESS);
            });
        }
    });
    for (queue, _) in queues {
        assert_eq!(unsafe { clFinish(queue) }, CL_SUCCESS);
    }

    let all = check_ends(&nodes, failing, seed);
    assert_eq!(too_early.load(Ordering::Relaxed), 0, "seed {seed}");
    release_events(&all);
    for (queue, _) in &queues[1..] {
        assert_eq!(unsafe { clReleaseCommandQueue(*queue) }, CL_SUCCESS);
    }
}

/// Every command has failed or not as its list says; gives all events.
fn check_ends(nodes: &Graph, failing: Vec<bool>, seed: u64) -> Vec<cl_event> {
    let mut fails = failing;
    for at in USER_EVENTS..nodes.len() {
        let node = node(nodes, at);
        let fail = node.listed.iter().any(|&listed| fails[listed]);
        let expected = if fail {
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        } else {
            CL_COMPLETE
        };
        assert_eq!(status(node.event), expected, "seed {seed}, node {at}");
        fails.push(fail);
    }
    let any_failed = fails.contains(&true);
    let all: Vec<_> = (0..nodes.len()).map(|at| node(nodes, at).event).collect();
    assert_eq!(wait(&all) != CL_SUCCESS, any_failed, "seed {seed}");
    all
}

fn is_barrier(node: usize) -> bool {
    (node - USER_EVENTS) % 9 == 8
}

#[test]
fn generated_graphs_keep_every_order_and_always_end() {
    for seed in 0..150 {
        check_graph(seed);
    }
}
