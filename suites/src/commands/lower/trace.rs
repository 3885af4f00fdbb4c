//! What a run of the host program observed, as a trace.

use super::*;
use crate::commands::order::Moment;
use crate::commands::program::Step as CommandStep;
use crate::commands::program::What;
use crate::commands::trace::{Fired, Seen, Times, Trace};
use crate::host::{NOT_MADE, Record};
use std::collections::BTreeSet;

impl Lowered {
    /// The trace of a run of this number.
    pub fn trace(&self, plan: &Plan, record: &Record, run: u32) -> Trace {
        let names = &self.names;
        let program = &plan.program;
        let mut trace = Trace {
            run,
            finished: record.finished,
            ..Trace::default()
        };
        for (place, step) in program.steps() {
            let Some((first, last)) = names.steps.get(&place) else {
                continue;
            };
            let moments = [Moment::Call(place), Moment::Return(place)];
            let stamps = (&record.stamps, &mut trace.stamps);
            for (told, known) in [stamps, (&record.clock, &mut trace.clock)] {
                if let Some((began, ended)) = told.get(first).zip(told.get(last)) {
                    known.extend(moments.into_iter().zip([began.0, ended.1]));
                }
            }
            let made = matches!(step, CommandStep::Enqueue(_));
            // A callback that comes late may register another, of which nobody waited for the call.
            let is_late = |settled: &BTreeSet<Mark>| !settled.contains(last);
            let is_register = matches!(step, CommandStep::Register(_));
            let is_late = is_register && record.settled.as_ref().is_some_and(is_late);
            let code = record.codes.get(last).copied();
            let code = code.filter(|code| *code != 0 || !is_late);
            // What has nothing to be called with is no call of the program; an enqueue is one.
            trace
                .codes
                .extend(code.filter(|c| made || *c != NOT_MADE).map(|c| (place, c)));
            if first != last {
                let times = record.codes.get(first).filter(|c| **c != NOT_MADE);
                trace.profiled.extend(times.map(|code| (place, *code)));
            }
            let status = names.statuses.get(&place);
            let status = status.and_then(|answer| status_of(record, *answer));
            trace.statuses.extend(status.map(|status| (place, status)));
        }
        let resolutions = names.resolutions.iter();
        let resolutions = resolutions.filter_map(|answer| bytes(record, *answer));
        let coarsest = resolutions.map(u64::from_ne_bytes).max();
        trace.resolution = coarsest.unwrap_or_default();
        let ends = names.last.iter().zip(&names.times);
        for ((id, _), (last, times)) in program.commands().zip(ends) {
            let last = status_of(record, *last);
            trace.last.extend(last.map(|status| (id, status)));
            let time = |n: usize| bytes(record, times[n]).map(u64::from_ne_bytes);
            if last == Some(0)
                && let [Some(queued), Some(submit), Some(start), Some(end)] = [0, 1, 2, 3].map(time)
            {
                let times = Times {
                    queued,
                    submit,
                    start,
                    end,
                    complete: time(4),
                };
                trace.times.insert(id, times);
            }
        }
        let natives = program
            .commands()
            .filter_map(|(id, command)| matches!(command.what, What::Native(_)).then_some(id));
        for (n, id) in natives.enumerate() {
            let own = program.callbacks.len() + n;
            let runs = record.fired.iter().filter(|f| f.callback.index() == own);
            trace.ran.insert(id, runs.count() as u32);
        }
        for fired in &record.fired {
            // Those that come after the callbacks of events are native kernels.
            if fired.callback.index() < program.callbacks.len() {
                let callback = commands::CallbackId(fired.callback.0);
                trace.stamps.insert(Moment::Run(callback), fired.stamp);
                trace.fired.push(Fired {
                    callback,
                    status: fired.status,
                    right_event: fired.right,
                });
            }
        }
        let enqueued = |id: CommandId| trace.codes.get(&plan.order.enqueued(id)) == Some(&0);
        let words = usize::from(program.cell_words);
        for (read, answer) in &names.reads {
            let there = match read {
                Read::Command(id) => enqueued(*id),
                Read::Kernel { .. } | Read::Access(_) => true,
            };
            let Some(bytes) = record.answers.get(answer).filter(|_| there) else {
                continue;
            };
            let cell = |cell: &[u8]| {
                let words = cell.chunks_exact(4);
                let words: Vec<u32> = words
                    .map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]]))
                    .collect();
                Seen::of(&words)
            };
            let seen = bytes.chunks_exact(4 * words).filter_map(cell).collect();
            trace.reads.insert(*read, seen);
        }
        for (id, map, there) in &names.in_place {
            let address = |slot| record.addresses.get(&slot).copied();
            if let (Some(map), Some(under)) = (address(*map), address(there.object))
                && map != under + there.byte as u64
            {
                trace.elsewhere.push(*id);
            }
        }
        trace
    }
}

fn bytes<const N: usize>(record: &Record, answer: AnswerId) -> Option<[u8; N]> {
    record.answers.get(&answer)?.as_slice().try_into().ok()
}

fn status_of(record: &Record, answer: AnswerId) -> Option<i32> {
    bytes(record, answer).map(i32::from_ne_bytes)
}
