//! What a kernel that the host enqueued and all that descend from it have in common.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use touchstone_exec::{KernelId, Launch};

use super::Activity;
use crate::context::Context;
use crate::kernel::launch::Held;
use crate::object;
use crate::platform::{Device, limits};
use crate::program::Built;
use crate::queue::Queue;
use crate::queue::event::Event;

/// An event that kernels know by a number.
struct Known {
    event: Arc<Event>,
    /// References that kernels have.
    references: u32,
}

/// A family.
pub struct Family {
    /// Where it belongs.
    pub context: Arc<Context>,
    /// Where it runs.
    pub device: Arc<Device>,
    /// The executable that all its kernels are of.
    pub built: Arc<Built>,
    /// The launch that children are made of: all of it but kernel, arguments and index space is the same.
    pub launch: Launch,
    /// The memory that it may touch.
    pub held: Arc<Held>,
    /// The default queue of the device when the host enqueued.
    pub default: Option<Arc<Queue>>,
    /// Whether anything of it can go on.
    pub activity: Arc<Activity>,
    events: Mutex<HashMap<u64, Known>>,
    /// What blocks captured when they were enqueued first, for a fault.
    first_captures: Mutex<Vec<(KernelId, Vec<u8>)>>,
}

/// Numbers of events are used once, so that one of another family, or of an event that is gone, is none.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Family {
    /// Of a command that begins to run.
    pub fn new(
        root: &Arc<Event>,
        device: Arc<Device>,
        built: Arc<Built>,
        launch: Launch,
        held: Arc<Held>,
        default: Option<Arc<Queue>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(&root.context),
            device,
            built,
            launch,
            held,
            default,
            activity: Activity::of(root),
            events: Mutex::default(),
            first_captures: Mutex::default(),
        })
    }

    /// The device queue of a number: one of this context and device that is still there.
    pub fn queue(&self, number: u64) -> Option<Arc<Queue>> {
        let handle = usize::try_from(number).ok()? as *mut std::ffi::c_void;
        let queue = object::find::<Queue>(handle).ok()?;
        let fits = queue.is_on_device()
            && Arc::ptr_eq(&queue.context, &self.context)
            && Arc::ptr_eq(&queue.device, &self.device);
        fits.then_some(queue)
    }

    /// The number of the default queue; zero if there is none.
    pub fn default_queue(&self) -> u64 {
        let default = self.default.as_ref();
        default.map_or(0, |queue| object::handle(queue) as u64)
    }

    /// Gives an event a number and a reference; None if there are too many.
    pub fn know(&self, event: &Arc<Event>) -> Option<u64> {
        let mut events = self.events.lock();
        if events.len() >= limits::DEVICE_EVENTS as usize {
            return None;
        }
        // The number orders nothing.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let known = Known {
            event: Arc::clone(event),
            references: 1,
        };
        events.insert(number, known);
        Some(number)
    }

    /// Whether there is room for one event more.
    pub fn has_room(&self) -> bool {
        self.events.lock().len() < limits::DEVICE_EVENTS as usize
    }

    /// The event of a number.
    pub fn event(&self, number: u64) -> Option<Arc<Event>> {
        let events = self.events.lock();
        events.get(&number).map(|known| Arc::clone(&known.event))
    }

    /// All events of some numbers; None if one is none.
    pub fn all_events(&self, numbers: &[u64]) -> Option<Vec<Arc<Event>>> {
        let events = self.events.lock();
        let find = |number| events.get(number).map(|known| Arc::clone(&known.event));
        numbers.iter().map(find).collect()
    }

    /// What a block captured when it was enqueued first, for a fault.
    pub fn first_captures(&self, block: KernelId, now: &[u8]) -> Vec<u8> {
        let mut first = self.first_captures.lock();
        let known = first.iter().find(|(known, _)| *known == block);
        if let Some((_, captures)) = known {
            return captures.clone();
        }
        first.push((block, now.to_vec()));
        now.to_vec()
    }

    /// Adds a reference to an event, if it is one.
    pub fn retain(&self, number: u64) {
        if let Some(known) = self.events.lock().get_mut(&number) {
            known.references = known.references.saturating_add(1);
        }
    }

    /// Takes a reference from an event, if it is one.
    pub fn release(&self, number: u64) {
        let mut events = self.events.lock();
        let Some(known) = events.get_mut(&number) else {
            return;
        };
        known.references -= 1;
        let gone = (known.references == 0)
            .then(|| events.remove(&number))
            .flatten();
        drop(events);
        // Out of the lock: the last reference to an event may be the last to its queue.
        drop(gone);
    }
}
