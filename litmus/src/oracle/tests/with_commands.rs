//! Commands for random programs: their work-items in kernels, their host threads enqueueing them.

use super::random::Dice;
use crate::program::{
    Command, CommandId, CommandKind, HostCall, Instr, LocId, MapAccess, Memory, Placement, Program,
    Queue, QueueId, QueueOrder, Region, Thread, ThreadId, WorkItem,
};

/// Gives a program commands: each work-item gets a kernel of its device, each kernel a host thread
/// that enqueues it. A host thread waits only for its own commands and those of host threads
/// before it, so nothing waits in a circle.
pub fn add_commands(program: &mut Program, dice: &mut Dice) {
    for location in &mut program.locations {
        location.region = Region::Global;
        if location.memory == Memory::Unstated && dice.one_in(2) {
            location.memory = dice.pick(&Memory::STATED);
        }
    }
    if program
        .threads
        .iter()
        .all(|t| t.placement != Placement::Host)
    {
        program.threads.push(Thread {
            placement: Placement::Host,
            kernel: None,
            registers: Vec::new(),
            body: Vec::new(),
        });
    }
    let hosts: Vec<usize> = (0..program.threads.len())
        .filter(|t| program.threads[*t].placement == Placement::Host)
        .collect();
    let mut kernels: Vec<Kernel> = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        if let Placement::Device(WorkItem { device, .. }) = thread.placement {
            let half = dice.below(2);
            match kernels
                .iter_mut()
                .find(|k| k.device == device && k.half == half)
            {
                Some(kernel) => kernel.threads.push(t),
                None => kernels.push(Kernel {
                    device,
                    half,
                    host: dice.pick(&hosts),
                    threads: vec![t],
                }),
            }
        }
    }
    let mut tailor = Tailor {
        dice,
        queues: Vec::new(),
        commands: Vec::new(),
        owners: Vec::new(),
        mapped: Vec::new(),
        locations: program.locations.len() as u32,
    };
    for host in hosts {
        let mut calls = Vec::new();
        for kernel in kernels.iter().filter(|k| k.host == host) {
            tailor.around(host, kernel.device, &mut calls);
            let queue = tailor.queue(host, kernel.device);
            let id = tailor.enqueue(CommandKind::Kernel, queue, &mut calls);
            for t in &kernel.threads {
                program.threads[*t].kernel = Some(id);
            }
            tailor.around(host, kernel.device, &mut calls);
        }
        tailor.insert(&mut program.threads[host].body, calls);
    }
    program.queues = tailor.queues;
    program.commands = tailor.commands;
}

struct Kernel {
    device: u32,
    half: u64,
    host: usize,
    threads: Vec<usize>,
}

struct Tailor<'d> {
    dice: &'d mut Dice,
    queues: Vec<Queue>,
    commands: Vec<Command>,
    /// Host thread and device of each queue.
    owners: Vec<(usize, u32)>,
    /// Locations that have been mapped once, and whether they have been unmapped.
    mapped: Vec<(LocId, ThreadId, bool)>,
    locations: u32,
}

impl Tailor<'_> {
    fn queue(&mut self, host: usize, device: u32) -> QueueId {
        if let Some(at) = self.owners.iter().position(|o| *o == (host, device)) {
            return QueueId(at as u32);
        }
        self.owners.push((host, device));
        self.queues.push(Queue {
            name: format!("q{}", self.queues.len()),
            order: self.dice.pick(&[
                QueueOrder::InOrder,
                QueueOrder::OutOfOrder,
                QueueOrder::OutOfOrder,
            ]),
        });
        QueueId(self.queues.len() as u32 - 1)
    }

    fn earlier(&mut self) -> Vec<CommandId> {
        let count = self.commands.len() as u32;
        (0..count)
            .map(CommandId)
            .filter(|_| self.dice.one_in(3))
            .collect()
    }

    fn enqueue(
        &mut self,
        kind: CommandKind,
        queue: QueueId,
        calls: &mut Vec<HostCall>,
    ) -> CommandId {
        let waits = self.earlier();
        let id = CommandId(self.commands.len() as u32);
        self.commands.push(Command {
            name: format!("C{}", id.0),
            kind,
            queue,
            waits,
        });
        calls.push(HostCall::Enqueue(id));
        id
    }

    /// Perhaps a call before or after a kernel is enqueued.
    fn around(&mut self, host: usize, device: u32, calls: &mut Vec<HostCall>) {
        let queue = self.queue(host, device);
        let thread = ThreadId(host as u32);
        match self.dice.below(9) {
            0 => {
                self.enqueue(CommandKind::Marker, queue, calls);
            }
            1 => {
                self.enqueue(CommandKind::Barrier, queue, calls);
            }
            2 => calls.push(HostCall::Finish(queue)),
            8 => calls.push(HostCall::Flush(queue)),
            3 => {
                let events = self.earlier();
                if !events.is_empty() {
                    calls.push(HostCall::Wait(events));
                }
            }
            4 | 5 if self.locations > 0 => {
                let location = LocId(self.dice.below(u64::from(self.locations)) as u32);
                match self.mapped.iter_mut().find(|(l, ..)| *l == location) {
                    None => {
                        self.mapped.push((location, thread, false));
                        let kind = CommandKind::Map {
                            location,
                            access: self.dice.pick(&[MapAccess::Read, MapAccess::Write]),
                            blocking: self.dice.one_in(2),
                        };
                        self.enqueue(kind, queue, calls);
                    }
                    Some((_, by, unmapped)) if *by == thread && !*unmapped => {
                        *unmapped = true;
                        self.enqueue(CommandKind::Unmap { location }, queue, calls);
                    }
                    Some(_) => {}
                }
            }
            _ => {}
        }
    }

    /// Calls among the instructions of a body, both in their order.
    fn insert(&mut self, body: &mut Vec<Instr>, calls: Vec<HostCall>) {
        let mut at = 0;
        for call in calls {
            at += self.dice.below((body.len() - at) as u64 + 1) as usize;
            body.insert(at, Instr::Host(call));
            at += 1;
        }
    }
}
