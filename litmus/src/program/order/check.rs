//! That calls, commands, queues, kernels and devices of a program fit together.

use super::mistake::{CommandError, MAX_CALLS, Mistake, Where, mistake};
use crate::program::{
    CommandId, CommandKind, HostCall, Instr, LocId, Placement, Program, QueueId, Region, ThreadId,
    each_address, each_instr,
};

/// Checks that host threads leave local memory alone, and do not flush it either: it "can be shared by work-items in
/// the same work-group", and the host cannot reach it.
pub(super) fn local_memory(program: &Program) -> Result<(), CommandError> {
    for (t, thread) in program.threads.iter().enumerate() {
        if thread.placement != Placement::Host {
            continue;
        }
        let mut used = Vec::new();
        each_address(&thread.body, &mut |address| used.push(address.location));
        each_instr(&thread.body, &mut |instr| {
            if let Instr::Domain(operation) = instr {
                used.extend(operation.location());
            }
        });
        let region = |location: LocId| program.locations[location.index()].region;
        let is_local = |location: &LocId| {
            let memory = program.memory_behind(*location);
            [*location, memory].map(region).contains(&Region::Local)
        };
        if let Some(location) = used.into_iter().find(is_local) {
            let name = program.locations[location.index()].name.clone();
            return mistake(
                Where::Thread(ThreadId(t as u32)),
                Mistake::LocalOnHost(name),
            );
        }
    }
    Ok(())
}

/// The calls of each thread.
pub(super) fn calls(program: &Program) -> Result<Vec<Vec<HostCall>>, CommandError> {
    let mut total = 0;
    let mut all = Vec::with_capacity(program.threads.len());
    for (t, thread) in program.threads.iter().enumerate() {
        let id = ThreadId(t as u32);
        let mut seen = Seen::default();
        seen.block(&thread.body, 0);
        if let Some(call) = seen.conditional {
            return mistake(Where::Call(id, call), Mistake::Conditional);
        }
        if thread.placement != Placement::Host && !seen.calls.is_empty() {
            return mistake(Where::Call(id, 0), Mistake::NotHost);
        }
        total += seen.calls.len();
        if total > MAX_CALLS {
            return mistake(Where::Call(id, 0), Mistake::TooMany);
        }
        all.push(seen.calls);
    }
    Ok(all)
}

/// Calls found in a body.
#[derive(Default)]
struct Seen {
    calls: Vec<HostCall>,
    number: u32,
    returned: bool,
    /// The first call that not every run makes.
    conditional: Option<u32>,
}

impl Seen {
    fn block(&mut self, body: &[Instr], depth: u32) {
        for instr in body {
            if let Instr::Host(call) = instr {
                if depth > 0 || self.returned {
                    self.conditional.get_or_insert(self.number);
                }
                self.number += 1;
                self.calls.push(call.clone());
            }
            self.returned |= matches!(instr, Instr::Return);
            for block in instr.blocks() {
                self.block(block, depth + 1);
            }
        }
    }
}

/// Which call enqueues each command.
pub(super) fn enqueued(
    program: &Program,
    calls: &[Vec<HostCall>],
) -> Result<Vec<(ThreadId, u32)>, CommandError> {
    let mut by: Vec<Option<(ThreadId, u32)>> = vec![None; program.commands.len()];
    let mut owners: Vec<Option<ThreadId>> = vec![None; program.queues.len()];
    for (t, thread) in calls.iter().enumerate() {
        let thread_id = ThreadId(t as u32);
        for (k, call) in thread.iter().enumerate() {
            let at = Where::Call(thread_id, k as u32);
            let (events, queue): (&[CommandId], Option<QueueId>) = match call {
                HostCall::Enqueue(id) => {
                    let Some(command) = program.commands.get(id.index()) else {
                        return mistake(at, Mistake::Unknown);
                    };
                    if by[id.index()].replace((thread_id, k as u32)).is_some() {
                        return mistake(at, Mistake::Twice(command.name.clone()));
                    }
                    let before = &program.commands[..id.index()];
                    if before.iter().any(|c| c.name == command.name) {
                        return mistake(at, Mistake::SameName(command.name.clone()));
                    }
                    (&command.waits, Some(command.queue))
                }
                HostCall::Wait(events) if events.is_empty() => {
                    return mistake(at, Mistake::WaitsForNothing);
                }
                HostCall::Wait(events) => (events, None),
                HostCall::Finish(queue) | HostCall::Flush(queue) => (&[], Some(*queue)),
            };
            if events.iter().any(|e| e.index() >= program.commands.len()) {
                return mistake(at, Mistake::Unknown);
            }
            if let Some(queue) = queue {
                let Some(owner) = owners.get_mut(queue.index()) else {
                    return mistake(at, Mistake::Unknown);
                };
                if *owner.get_or_insert(thread_id) != thread_id {
                    let name = program.queues[queue.index()].name.clone();
                    return mistake(at, Mistake::SharedQueue(name));
                }
            }
        }
    }
    let mut out = Vec::with_capacity(by.len());
    for (command, by) in program.commands.iter().zip(by) {
        match by {
            Some(by) => out.push(by),
            None => return mistake(Where::Program, Mistake::Never(command.name.clone())),
        }
    }
    Ok(out)
}

/// Checks that threads, kernels, queues, devices and local memory fit together.
pub(super) fn kernels(program: &Program, enqueued: &[(ThreadId, u32)]) -> Result<(), CommandError> {
    let mut members = vec![false; program.commands.len()];
    let mut devices: Vec<Option<u32>> = vec![None; program.queues.len()];
    let mut owners: Vec<Option<Option<CommandId>>> = vec![None; program.locations.len()];
    for (t, thread) in program.threads.iter().enumerate() {
        let at = Where::Thread(ThreadId(t as u32));
        match (thread.placement, thread.kernel) {
            (Placement::Host, None) => {}
            (Placement::Host, Some(_)) => return mistake(at, Mistake::HostInKernel),
            (Placement::Device(_), None) => return mistake(at, Mistake::NoKernel),
            (Placement::Device(item), Some(kernel)) => {
                let Some(command) = program.commands.get(kernel.index()) else {
                    return mistake(at, Mistake::Unknown);
                };
                if command.kind != CommandKind::Kernel {
                    return mistake(at, Mistake::NotKernel(command.name.clone()));
                }
                members[kernel.index()] = true;
                if *devices[command.queue.index()].get_or_insert(item.device) != item.device {
                    let name = program.queues[command.queue.index()].name.clone();
                    return mistake(at, Mistake::TwoDevices(name));
                }
            }
        }
        let mut shared = None;
        each_address(&thread.body, &mut |address| {
            let location = address.location.index();
            let declared = &program.locations[location];
            if declared.region == Region::Local
                && *owners[location].get_or_insert(thread.kernel) != thread.kernel
            {
                shared = Some(declared.name.clone());
            }
        });
        if let Some(name) = shared {
            return mistake(at, Mistake::LocalShared(name));
        }
    }
    for ((command, has_threads), (thread, call)) in
        program.commands.iter().zip(members).zip(enqueued)
    {
        if command.kind == CommandKind::Kernel && !has_threads {
            return mistake(
                Where::Call(*thread, *call),
                Mistake::Empty(command.name.clone()),
            );
        }
    }
    Ok(())
}
