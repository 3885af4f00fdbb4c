//! Ends a run: finishes what is left, collects what is known only then, and takes everything down.

use super::{Memory, Under, World, release, status, times};
use crate::execute::commands::host::see;
use crate::execute::commands::{SetupError, worlds};
use crate::execute::memory::HostMemory;
use cl3::command_queue as queue;
use cl3::memory as mem;
use classay_suites::commands::memory::Read;
use classay_suites::commands::program::{CallbackId, CommandId, ObjectId, QueueId, Step, What};
use classay_suites::commands::trace::{Seen, Trace};
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

impl World {
    /// Ends the run: finishes what is left, waits for callbacks, collects what is known only now, and
    /// takes everything down.
    pub fn end(self: &Arc<World>) -> Result<Trace, SetupError> {
        let program = &self.plan.program;
        let released: Vec<usize> = program
            .steps()
            .filter_map(|(_, step)| match step {
                Step::ReleaseQueue(q) => Some(q.index()),
                _ => None,
            })
            .collect();
        for (n, q) in self.queues.iter().enumerate() {
            if !released.contains(&n) {
                // What it gives after a failure is the implementation's own affair.
                let _ = queue::finish(q.0);
            }
        }
        // Commands of released queues, and those that a broken finish left behind: their memory must
        // not go before they are done.
        let pending = || {
            self.events
                .iter()
                .map(|e| e.load(Ordering::Acquire))
                .any(|e| !e.is_null() && status(e).is_ok_and(|s| s > 0))
        };
        let begun = Instant::now();
        let deadline = begun + self.patience.with_commands(&self.plan);
        while pending() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(50));
        }
        let left_behind = pending();
        if left_behind {
            self.patience.missed_commands(&self.plan);
        }
        self.await_callbacks(begun);
        let mut trace = {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *shared)
        };
        trace.run = self.run;
        trace.finished = Some(self.begun.elapsed().as_nanos() as u64);
        for (n, event) in self.events.iter().enumerate() {
            let event = event.load(Ordering::Acquire);
            if event.is_null() {
                continue;
            }
            if let Ok(last) = status(event) {
                trace.last.insert(CommandId::at(n), last);
                if last == 0
                    && let Some(times) = times(event)
                {
                    trace.times.insert(CommandId::at(n), times);
                }
            }
        }
        if left_behind {
            // Commands that never end keep their memory for as long as this process lives: taken
            // from under them it would be someone else's when they come to write.
            worlds::leave(self.number);
            std::mem::forget(self.clone());
            return Ok(trace);
        }
        self.read_logs(&mut trace)?;
        worlds::leave(self.number);
        self.take_down();
        Ok(trace)
    }

    /// Waits for the callbacks that must be called, each as long as there is patience with it.
    fn await_callbacks(&self, begun: Instant) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = loop {
            // Anew each time: a callback may register another.
            let expected: Vec<(CallbackId, Instant)> = (0..self.plan.program.callbacks.len())
                .map(CallbackId::at)
                .filter(|id| {
                    // One that could not be registered, because its command was refused, never comes.
                    let place = self.plan.order.registered(*id);
                    shared.codes.get(&place) == Some(&0)
                        && self.plan.must_call(*id)
                        && !shared.fired.iter().any(|f| f.callback == *id)
                })
                .map(|id| (id, begun + self.patience.with_callback(&self.plan, id)))
                .collect();
            let now = Instant::now();
            let Some(last) = expected.iter().map(|(_, deadline)| *deadline).max() else {
                return;
            };
            if now >= last {
                break expected;
            }
            shared = self
                .called
                .wait_timeout(shared, last - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        };
        for (id, _) in expected {
            self.patience.missed_callback(&self.plan, id);
        }
    }

    /// What kernels saw.
    fn read_logs(&self, trace: &mut Trace) -> Result<(), SetupError> {
        let program = &self.plan.program;
        let words = usize::from(program.cell_words);
        let mut logs: Vec<Option<HostMemory>> = Vec::new();
        for (context, log) in self.logs.iter().enumerate() {
            let cells: usize = self
                .logged
                .keys()
                .filter(|read| self.context_of(**read) == Some(context))
                .map(|read| self.cells_of(*read))
                .sum();
            let Some(log) = log.filter(|_| cells > 0) else {
                logs.push(None);
                continue;
            };
            let memory = HostMemory::words(cells * words);
            let size = cells * words * 4;
            // SAFETY: a blocking read into memory of this size.
            let read = unsafe {
                queue::enqueue_read_buffer(
                    self.services[context].0,
                    log.0,
                    1,
                    0,
                    size,
                    memory.pointer(),
                    0,
                    ptr::null(),
                )
            };
            match read {
                Ok(event) => {
                    release(event);
                    logs.push(Some(memory));
                }
                // After a failure the context may be gone, and what its kernels saw with it.
                Err(_) if self.plan.order.has_failures() => logs.push(None),
                Err(code) => {
                    return Err(SetupError {
                        call: "clEnqueueReadBuffer",
                        code,
                    });
                }
            }
        }
        for (read, first) in &self.logged {
            let memory = match self.context_of(*read) {
                Some(context) => match &logs[context] {
                    Some(memory) => memory,
                    None => continue,
                },
                None => &self.native_log,
            };
            let seen: Vec<Seen> = (0..self.cells_of(*read))
                // SAFETY: the log has these cells, and nothing writes it any more.
                .map(|n| unsafe { see(memory.pointer().cast(), first + n, words) })
                .collect();
            trace.reads.insert(*read, seen);
        }
        Ok(())
    }

    /// The context in whose log a kernel's read is; `None` for a native kernel's.
    fn context_of(&self, read: Read) -> Option<usize> {
        let Read::Kernel { command, .. } = read else {
            return None;
        };
        let command = &self.plan.program.commands[command.index()];
        match command.what {
            What::Kernel(_) => {
                let queue = self.plan.program.queues[command.queue.index()];
                Some(queue.context.index())
            }
            _ => None,
        }
    }

    fn cells_of(&self, read: Read) -> usize {
        self.plan.memory.reads().get(&read).map_or_else(
            || match read {
                // A command that does not run reads nothing, and its place in the log stays empty.
                Read::Kernel { command, range } => {
                    match &self.plan.program.commands[command.index()].what {
                        What::Kernel(k) | What::Native(k) => k
                            .reads
                            .get(usize::from(range))
                            .map_or(0, |r| usize::from(r.count)),
                        _ => 0,
                    }
                }
                Read::Command(_) | Read::Access(_) => 0,
            },
            Vec::len,
        )
    }

    fn take_down(&self) {
        let released = |wanted: &dyn Fn(&Step) -> bool| {
            self.plan.program.steps().any(|(_, step)| wanted(step))
        };
        for event in self.events.iter().chain(&self.users) {
            let event = event.swap(ptr::null_mut(), Ordering::AcqRel);
            if !event.is_null() {
                release(event);
            }
        }
        // Sub-buffers come after their parents, and go before them.
        for (n, object) in self.objects.iter().enumerate().rev() {
            let freed = self.plan.program.commands.iter().enumerate().any(|(c, command)| {
                let event = self.events_made[c].load(Ordering::Acquire);
                matches!(&command.what, What::Free(all) if event && all.contains(&ObjectId::at(n)))
            });
            let gone = freed || released(&|s| *s == Step::ReleaseObject(ObjectId::at(n)));
            let context = self.contexts[self.plan.program.objects[n].context.index()].0;
            match object {
                Memory::Buffer(buffer, under) => {
                    if !gone {
                        // SAFETY: the world's own handle, and all commands on it are done.
                        let _ = unsafe { mem::release_mem_object(buffer.0) };
                    }
                    if let Some(Under::Svm(svm)) = under {
                        // SAFETY: as above.
                        let _ = unsafe { mem::svm_free(context, svm.0) };
                    }
                }
                Memory::Svm(svm) if !gone => {
                    // SAFETY: as above.
                    let _ = unsafe { mem::svm_free(context, svm.0) };
                }
                Memory::Svm(_) | Memory::System(_) | Memory::Variable => {}
            }
        }
        for log in self.logs.iter().flatten() {
            // SAFETY: as above.
            let _ = unsafe { mem::release_mem_object(log.0) };
        }
        for (n, q) in self.queues.iter().enumerate() {
            let id = QueueId::at(n);
            if !released(&|s| *s == Step::ReleaseQueue(id)) {
                // SAFETY: as above.
                let _ = unsafe { queue::release_command_queue(q.0) };
            }
        }
    }
}
