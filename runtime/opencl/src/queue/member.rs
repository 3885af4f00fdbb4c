//! What the command of a kernel has that has to do with device queues.

use std::sync::Arc;

use parking_lot::Mutex;

use super::Room;
use crate::children::{Activity, Parent};

/// A member of a family of kernels that enqueue each other.
pub struct Member {
    /// What its family does.
    pub activity: Arc<Activity>,
    /// Itself as its children see it, while it runs.
    pub parent: Mutex<Option<Arc<Parent>>>,
    /// Of one that a kernel enqueued, what it takes of its queue until it is complete.
    pub room: Mutex<Option<Room>>,
    /// Where its times go.
    pub captures: Captures,
}

impl Member {
    /// Of a family, with what it takes of a queue.
    pub fn of(activity: &Arc<Activity>, room: Option<Room>) -> Self {
        Self {
            activity: Arc::clone(activity),
            parent: Mutex::new(None),
            room: Mutex::new(room),
            captures: Captures::default(),
        }
    }
}

/// How long a command took, in nanoseconds, for kernels that ask.
#[derive(Default)]
pub struct Captures(Mutex<Wanted>);

#[derive(Default)]
struct Wanted {
    /// Known once the command concludes.
    times: Option<[u64; 2]>,
    places: Vec<u64>,
}

impl Captures {
    /// Has the times written to an address, which the kernel may write: now, if they are known.
    pub fn add(&self, place: u64) {
        let mut wanted = self.0.lock();
        match wanted.times {
            Some(times) => put(place, times),
            None => wanted.places.push(place),
        }
    }

    /// Writes the times wherever they are wanted.
    pub fn write(&self, times: [u64; 2]) {
        let mut wanted = self.0.lock();
        wanted.times = Some(times);
        for place in std::mem::take(&mut wanted.places) {
            put(place, times);
        }
    }
}

/// Writes two times to an address. Where nothing is mapped there, nothing is written: the kernel that gave an address
/// of the system would have met nothing either.
fn put(place: u64, times: [u64; 2]) {
    let to = place as usize as *mut u8;
    // SAFETY: the executor has found that the kernel that gave the place may write sixteen bytes there; its family holds
    // the memory until its root is complete, which this command or its parent is not.
    let _ = unsafe { touchstone_exec::copy_caught(times.as_ptr().cast(), to, size_of_val(&times)) };
}
