//! One kernel-instance as its children see it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_exec::{
    Arg, BlockQuery, Child, ChildRange, ChildStart, DeviceQueues, EnqueueError, KernelId,
    KernelMeta,
};
use touchstone_faults::{Fault, on};

use super::Family;
use crate::kernel::launch::{Ready, wide};
use crate::kernel::range::{self, Demands, Range};
use crate::kernel::{Kernel, print, settings};
use crate::platform::limits::{local_memory, sub_group_size};
use crate::queue::command::Kind;
use crate::queue::event::Event;
use crate::queue::{Queue, Room};

/// Bytes of a device queue that a command takes besides what it captured.
const RECORD: usize = 128;

/// The events that children wait for besides those of their lists; each is there once a child waits for it.
#[derive(Default)]
struct Gates {
    kernel: Option<Arc<Event>>,
    groups: HashMap<u64, Arc<Event>>,
}

/// What a kernel-instance has while it runs.
struct Running {
    event: Arc<Event>,
    family: Arc<Family>,
    gates: Mutex<Gates>,
}

/// A kernel-instance that may have children.
pub struct Parent(Mutex<Option<Arc<Running>>>);

impl fmt::Debug for Parent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parent")
    }
}

impl Parent {
    /// Of a command that begins to run.
    pub fn new(event: &Arc<Event>, family: Arc<Family>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(Arc::new(Running {
            event: Arc::clone(event),
            family,
            gates: Mutex::default(),
        })))))
    }

    /// The command has been performed: gates open, or fail with it. Nothing is left of it here.
    pub fn ended(&self, failed: bool) {
        let running = self.0.lock().take();
        let Some(running) = running else {
            return;
        };
        let gates = std::mem::take(&mut *running.gates.lock());
        let status = if failed {
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        } else {
            CL_COMPLETE
        };
        for gate in gates.kernel.iter().chain(gates.groups.values()) {
            // Nobody else sets it.
            let _ = gate.set(status);
        }
    }

    /// None when the kernel-instance has ended, so that nobody asks any more.
    fn running(&self) -> Option<Arc<Running>> {
        self.0.lock().clone()
    }
}

impl Running {
    /// The gate of a child, if it has one.
    fn gate(&self, start: ChildStart, group: u64) -> Option<Arc<Event>> {
        let start = match start {
            ChildStart::WaitKernel if on(Fault::ChildBeforeParent) => ChildStart::NoWait,
            ChildStart::WaitKernel if on(Fault::ChildWaitsForGroup) => ChildStart::WaitWorkGroup,
            ChildStart::WaitWorkGroup if on(Fault::ChildBeforeGroup) => ChildStart::NoWait,
            start => start,
        };
        let mut gates = self.gates.lock();
        let gate = match start {
            ChildStart::NoWait => return None,
            ChildStart::WaitKernel => gates.kernel.get_or_insert_with(|| self.new_gate()),
            ChildStart::WaitWorkGroup => {
                gates.groups.entry(group).or_insert_with(|| self.new_gate())
            }
        };
        Some(Arc::clone(gate))
    }

    fn new_gate(&self) -> Arc<Event> {
        Event::of_user(Arc::clone(&self.family.context))
    }

    fn meta(&self, block: KernelId) -> Option<&KernelMeta> {
        self.family.built.executable.kernel_or_block(block)
    }

    fn demands(&self, meta: &KernelMeta) -> Demands {
        Demands {
            required: None,
            uniform: self.family.built.uniform_groups,
            max_group: Kernel::max_group_of(meta),
        }
    }

    fn enqueue(
        &self,
        queue: u64,
        mut child: Child,
        waits: &[u64],
        wants_event: bool,
    ) -> Result<Option<u64>, EnqueueError> {
        let family = &self.family;
        let queue = family.queue(queue).ok_or(EnqueueError::InvalidQueue)?;
        let meta = self.meta(child.block).ok_or(EnqueueError::OutOfResources)?;
        let range = space(&child.range, &self.demands(meta)).ok_or(EnqueueError::InvalidRange)?;
        let mut list = family
            .all_events(waits)
            .ok_or(EnqueueError::InvalidWaitList)?;
        if child.locals.contains(&0) {
            return Err(EnqueueError::InvalidArgSize);
        }
        let local: u64 = child.locals.iter().map(|&bytes| u64::from(bytes)).sum();
        if meta.local_bytes.saturating_add(local) > local_memory() {
            return Err(EnqueueError::OutOfResources);
        }
        if wants_event && !family.has_room() {
            return Err(EnqueueError::EventAllocation);
        }
        let room = Room::of(&queue, RECORD + child.captures.len());
        let room = room.ok_or(EnqueueError::QueueFull)?;
        if on(Fault::ChildWaitListIgnored) {
            list.clear();
        }
        list.extend(self.gate(child.start, child.group));
        if on(Fault::CapturesLost) {
            child.captures.fill(0);
        }
        if on(Fault::CapturesKept) {
            child.captures = family.first_captures(child.block, &child.captures);
        }
        let ready = self.ready(&child, meta, &range);
        let event = self.child(&queue, Kind::NdRangeKernel, room, ready);
        let number = match wants_event {
            true => family.know(&event),
            false => None,
        };
        queue.engine().enqueue(&event, list);
        Ok(number)
    }

    /// The launch of a child.
    fn ready(&self, child: &Child, meta: &KernelMeta, range: &Range) -> Ready {
        let family = &self.family;
        let mut launch = family.launch.clone();
        launch.kernel = child.block;
        launch.args = std::iter::once(Arg::Value(child.captures.clone()))
            .chain(child.locals.iter().map(|&bytes| Arg::Local(bytes.into())))
            .collect();
        launch.work_dim = range.dimensions;
        launch.global_offset = match range.dimensions > 1 && on(Fault::ChildOffsetLost) {
            true => [0; 3],
            false => wide(range.offset),
        };
        launch.global_size = wide(range.global);
        launch.local_size = wide(range.local);
        launch.seed = settings::next_seed(&family.built.launches);
        launch.output = meta.prints.then(print::stdout);
        Ready {
            executable: Arc::clone(&family.built.executable),
            launch,
            device: Arc::clone(&family.device),
            held: Arc::clone(&family.held),
            prints: meta.prints,
            uses_queues: meta.uses_queues,
            empty: range.is_empty() || on(Fault::ChildLost),
        }
    }

    /// A command of a device queue, whose parent is this one.
    fn child(&self, queue: &Arc<Queue>, kind: Kind, room: Room, ready: Ready) -> Arc<Event> {
        let family = Arc::clone(&self.family);
        let action = Box::new(move |event: &Arc<Event>| ready.run_in(event, &family));
        let event = Event::of_command(queue, kind, action);
        event.joins(&self.family.activity, room);
        touchstone_queue::adopt(&self.event, &event);
        event
    }

    fn mark(&self, queue: u64, waits: &[u64]) -> Result<u64, EnqueueError> {
        let family = &self.family;
        let queue = family.queue(queue).ok_or(EnqueueError::InvalidQueue)?;
        let mut list = family
            .all_events(waits)
            .ok_or(EnqueueError::InvalidWaitList)?;
        if !family.has_room() {
            return Err(EnqueueError::EventAllocation);
        }
        let room = Room::of(&queue, RECORD).ok_or(EnqueueError::QueueFull)?;
        if on(Fault::DeviceMarkerEarly) {
            list.clear();
        }
        let event = Event::of_command(&queue, Kind::MarkerWithList, Box::new(|_| Ok(())));
        event.joins(&family.activity, room);
        touchstone_queue::adopt(&self.event, &event);
        let number = family.know(&event);
        queue.engine().enqueue(&event, list);
        number.ok_or(EnqueueError::EventAllocation)
    }

    fn query(&self, block: KernelId, query: BlockQuery) -> u32 {
        let Some(meta) = self.meta(block) else {
            return 0;
        };
        let most = Kernel::max_group_of(meta);
        let items = |range: &ChildRange| {
            let space = space(range, &self.demands(meta));
            space.map_or(0, |space| space.local.iter().product::<usize>())
        };
        let answer = match query {
            BlockQuery::WorkGroupSize => most,
            BlockQuery::PreferredMultiple => range::preferred_multiple(most),
            BlockQuery::MaxSubGroupSize(range) => sub_group_size().min(items(&range)),
            BlockQuery::SubGroupCount(range) => items(&range).div_ceil(sub_group_size()),
        };
        u32::try_from(answer).unwrap_or(u32::MAX)
    }
}

/// The index space of a range, if it is one.
fn space(range: &ChildRange, demands: &Demands) -> Option<Range> {
    let dimensions = u32::try_from(range.dimensions).ok()?;
    let sides = usize::try_from(range.dimensions)
        .ok()
        .filter(|sides| (1..=3).contains(sides))?;
    let sizes = |all: &[u64; 3]| all.map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let (offset, global, local) = (
        sizes(&range.offset),
        sizes(&range.global),
        sizes(&range.local),
    );
    let local = (local != [0; 3]).then_some(&local[..sides]);
    Range::new(
        dimensions,
        Some(&offset[..sides]),
        Some(&global[..sides]),
        local,
        demands,
    )
    .ok()
}

impl DeviceQueues for Parent {
    fn default_queue(&self) -> u64 {
        self.running()
            .map_or(0, |running| running.family.default_queue())
    }

    fn enqueue(
        &self,
        queue: u64,
        child: Child,
        waits: &[u64],
        wants_event: bool,
    ) -> Result<Option<u64>, EnqueueError> {
        let running = self.running().ok_or(EnqueueError::InvalidQueue)?;
        running.enqueue(queue, child, waits, wants_event)
    }

    fn mark(&self, queue: u64, waits: &[u64]) -> Result<u64, EnqueueError> {
        let running = self.running().ok_or(EnqueueError::InvalidQueue)?;
        running.mark(queue, waits)
    }

    fn create_user_event(&self) -> u64 {
        let Some(running) = self.running() else {
            return 0;
        };
        let event = running.new_gate();
        let number = running.family.know(&event);
        running.family.activity.made(&event);
        number.unwrap_or(0)
    }

    fn retain(&self, event: u64) {
        if let Some(running) = self.running() {
            running.family.retain(event);
        }
    }

    fn release(&self, event: u64) {
        if let Some(running) = self.running() {
            running.family.release(event);
        }
    }

    fn is_valid(&self, event: u64) -> bool {
        let running = self.running();
        running.is_some_and(|running| running.family.event(event).is_some())
    }

    /// What is no user event, or has been set, stays as it is: the behaviour is undefined.
    fn set_status(&self, event: u64, status: i32) {
        let event = self
            .running()
            .and_then(|running| running.family.event(event));
        if let Some(event) = event.filter(|event| event.is_user()) {
            let status = if on(Fault::DeviceUserFailureHidden) {
                CL_COMPLETE
            } else {
                status.min(CL_COMPLETE)
            };
            let _ = event.set(status);
        }
    }

    fn capture(&self, event: u64, place: u64) {
        let event = self
            .running()
            .and_then(|running| running.family.event(event));
        if let Some(event) = event.filter(|_| !on(Fault::CaptureLost)) {
            event.capture(place);
        }
    }

    fn query(&self, block: KernelId, query: BlockQuery) -> u32 {
        self.running()
            .map_or(0, |running| running.query(block, query))
    }

    fn group_ended(&self, group: u64) {
        let Some(running) = self.running() else {
            return;
        };
        let gate = running.gates.lock().groups.remove(&group);
        if let Some(gate) = gate {
            // Nobody else sets it.
            let _ = gate.set(CL_COMPLETE);
        }
    }
}
