//! Calls of the functions of device-side enqueue: their operands are taken out of memory, and the launch's
//! [`DeviceQueues`] answer.

use super::code::{Site, Slot};
use super::port::Port;
use crate::device::{BlockQuery, Child, ChildRange, ChildStart, DeviceQueues, EnqueueError};
use crate::launch::KernelId;
use touchstone_faults::{Fault, on};
use touchstone_ir::DeviceFunction;

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct DeviceCall {
    pub(crate) function: DeviceFunction,
    /// The block that it is about, and how many bytes it captures.
    pub(crate) block: Option<(KernelId, usize)>,
    /// The operands; of pointers, the site of going through them.
    pub(crate) args: Vec<(Slot, Site)>,
}

/// The operands of a call while it is made.
struct Operands<'c, S> {
    args: &'c [(Slot, Site)],
    slot: S,
}

impl<S: Fn(Slot) -> u64> Operands<'_, S> {
    fn word(&self, n: usize) -> u64 {
        self.args.get(n).map_or(0, |&(slot, _)| (self.slot)(slot))
    }

    fn number(&self, n: usize) -> i32 {
        self.word(n) as u32 as i32
    }

    /// The address, and the site, of a pointer.
    fn pointer(&self, n: usize) -> (u64, Site) {
        self.args
            .get(n)
            .map_or((0, 0), |&(slot, site)| ((self.slot)(slot), site))
    }

    fn words<P: Port, const N: usize>(&self, n: usize, port: &mut P) -> Option<[u64; N]> {
        let (address, site) = self.pointer(n);
        let mut words = [0; N];
        for (i, word) in words.iter_mut().enumerate() {
            *word = port.load(site, address.wrapping_add(8 * i as u64))?;
        }
        Some(words)
    }

    fn range<P: Port>(&self, n: usize, port: &mut P) -> Option<ChildRange> {
        let [dimensions, rest @ ..] = self.words::<P, 10>(n, port)?;
        let three = |first: usize| [rest[first], rest[first + 1], rest[first + 2]];
        Some(ChildRange {
            dimensions,
            offset: three(0),
            global: three(3),
            local: three(6),
        })
    }

    /// The events of a wait list, whose number comes first: there is a list exactly if they are some.
    fn events<P: Port>(&self, n: usize, port: &mut P) -> Option<Result<Vec<u64>, EnqueueError>> {
        let count = self.number(n) as u32;
        let (address, site) = self.pointer(n + 1);
        if (count == 0) != (address == 0) {
            return Some(Err(EnqueueError::InvalidWaitList));
        }
        let mut events = Vec::new();
        for i in 0..u64::from(count) {
            events.push(port.load(site, address.wrapping_add(8 * i))?);
        }
        Some(Ok(events))
    }

    fn captures<P: Port>(&self, n: usize, size: usize, port: &mut P) -> Option<Vec<u8>> {
        let (address, site) = self.pointer(n);
        let mut bytes = vec![0; size];
        if address != 0 {
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = port.load(site, address.wrapping_add(i as u64))?;
            }
        }
        Some(bytes)
    }

    /// Writes an event where it goes, if it goes anywhere.
    fn give<P: Port>(&self, n: usize, event: u64, port: &mut P) -> Option<()> {
        let (address, site) = self.pointer(n);
        if address == 0 {
            return Some(());
        }
        port.store(site, address, event)
    }
}

/// Makes a call; None if it traps.
#[cold]
#[inline(never)]
pub(crate) fn call<P: Port>(
    call: &DeviceCall,
    slot: impl Fn(Slot) -> u64,
    port: &mut P,
) -> Option<u64> {
    let operands = Operands {
        args: &call.args,
        slot,
    };
    let status = |code: i32| u64::from(code as u32);
    match call.function {
        DeviceFunction::EnqueueKernel => enqueue(call, &operands, port).map(status),
        DeviceFunction::EnqueueMarker => mark(&operands, port).map(status),
        DeviceFunction::MaxSubGroupSize | DeviceFunction::SubGroupCount => {
            let range = operands.range(0, port)?;
            let query = match call.function {
                DeviceFunction::SubGroupCount => BlockQuery::SubGroupCount(range),
                _ => BlockQuery::MaxSubGroupSize(range),
            };
            Some(ask(call, query, port))
        }
        DeviceFunction::WorkGroupSize => Some(ask(call, BlockQuery::WorkGroupSize, port)),
        DeviceFunction::PreferredMultiple => Some(ask(call, BlockQuery::PreferredMultiple, port)),
        DeviceFunction::CaptureProfiling => capture(&operands, port),
        DeviceFunction::DefaultQueue => Some(port.queues().map_or(0, DeviceQueues::default_queue)),
        DeviceFunction::CreateUserEvent => {
            Some(port.queues().map_or(0, DeviceQueues::create_user_event))
        }
        DeviceFunction::RetainEvent
        | DeviceFunction::ReleaseEvent
        | DeviceFunction::IsValidEvent
        | DeviceFunction::SetUserEventStatus => Some(of_event(call.function, &operands, port)),
    }
}

/// What a call does with an event.
fn of_event<P: Port, S: Fn(Slot) -> u64>(
    function: DeviceFunction,
    operands: &Operands<'_, S>,
    port: &P,
) -> u64 {
    let (Some(queues), event) = (port.queues(), operands.word(0)) else {
        return 0;
    };
    match function {
        DeviceFunction::RetainEvent => queues.retain(event),
        DeviceFunction::ReleaseEvent => queues.release(event),
        DeviceFunction::IsValidEvent => return u64::from(queues.is_valid(event)),
        _ => queues.set_status(event, operands.number(1)),
    }
    0
}

fn ask<P: Port>(call: &DeviceCall, query: BlockQuery, port: &P) -> u64 {
    match (port.queues(), call.block) {
        (Some(queues), Some((block, _))) => queues.query(block, query).into(),
        _ => 0,
    }
}

fn capture<P: Port, S: Fn(Slot) -> u64>(operands: &Operands<'_, S>, port: &mut P) -> Option<u64> {
    /// `CLK_PROFILING_COMMAND_EXEC_TIME`
    const EXEC_TIME: i32 = 1;
    let (place, site) = operands.pointer(2);
    port.permits(site, place, 16)?;
    if operands.number(1) == EXEC_TIME
        && let Some(queues) = port.queues()
    {
        queues.capture(operands.word(0), place);
    }
    Some(0)
}

fn enqueue<P: Port, S: Fn(Slot) -> u64>(
    call: &DeviceCall,
    operands: &Operands<'_, S>,
    port: &mut P,
) -> Option<i32> {
    let Some((block, captured)) = call.block else {
        return Some(EnqueueError::OutOfResources.code());
    };
    let child = Child {
        block,
        range: operands.range(2, port)?,
        start: ChildStart::of(operands.number(1)),
        captures: operands.captures(6, captured, port)?,
        locals: locals(operands),
        group: port.group(),
    };
    let waits = operands.events(3, port)?;
    let wants = operands.pointer(5).0 != 0;
    let enqueued = match port.queues() {
        None => Err(EnqueueError::InvalidQueue),
        Some(queues) => {
            waits.and_then(|waits| queues.enqueue(operands.word(0), child, &waits, wants))
        }
    };
    Some(match enqueued {
        Ok(event) => {
            operands.give(5, event.unwrap_or(0), port)?;
            0
        }
        Err(error) => error.code(),
    })
}

/// Bytes of local memory for each argument of the block that is some.
fn locals<S: Fn(Slot) -> u64>(operands: &Operands<'_, S>) -> Vec<u32> {
    let first = DeviceFunction::EnqueueKernel.operands().len();
    let sizes = (first..operands.args.len()).map(|n| operands.number(n) as u32);
    let mut sizes: Vec<u32> = sizes.collect();
    if on(Fault::ChildLocalsSwapped) {
        sizes.reverse();
    }
    sizes
}

/// A marker without a place for its event does nothing.
fn mark<P: Port, S: Fn(Slot) -> u64>(operands: &Operands<'_, S>, port: &mut P) -> Option<i32> {
    if operands.pointer(3).0 == 0 {
        return Some(0);
    }
    let waits = match operands.events(1, port)? {
        Ok(waits) if waits.is_empty() => Err(EnqueueError::InvalidWaitList),
        other => other,
    };
    let marked = match port.queues() {
        None => Err(EnqueueError::InvalidQueue),
        Some(queues) => waits.and_then(|waits| queues.mark(operands.word(0), &waits)),
    };
    Some(match marked {
        Ok(event) => {
            operands.give(3, event, port)?;
            0
        }
        Err(error) => error.code(),
    })
}
