//! The rules that a run of a program puts to the test.

use super::Plan;
use super::means::{by_host, carried_by};
use crate::commands::memory::{self, Cell, Read, Value};
use crate::commands::order::{self, Moment};
use crate::commands::program::{CommandId, Kind, Step, What, Writer};
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;

impl Plan {
    /// The rules that a run of the program puts to the test: those whose breach could change what is
    /// observed.
    pub fn covers(&self) -> BTreeSet<RuleId> {
        let mut rules = BTreeSet::new();
        let mut between = |from, to| rules.extend(self.order.rules_between(from, to));
        for (read, cells) in self.memory.reads() {
            let Some((from, to)) = memory::moments(&self.program, *read) else {
                continue;
            };
            for (cell, _) in cells {
                for write in self.memory.writes(*cell) {
                    between(write.to, from);
                    between(to, write.from);
                }
            }
        }
        for (read, cells) in self.memory.reads() {
            match read {
                Read::Kernel { command, .. } | Read::Command(command) => {
                    rules.extend(carried_by(&self.program, *command));
                }
                Read::Access(access) => rules.extend(by_host(&self.program, *access)),
            }
            for (cell, value) in cells {
                let writes = self.memory.writes(*cell);
                for write in writes.iter().filter(|w| w.value == *value) {
                    match write.writer {
                        Writer::Command(id) => rules.extend(carried_by(&self.program, id)),
                        Writer::Access(id) => rules.extend(by_host(&self.program, id)),
                        Writer::Creation(_) => {}
                    }
                }
            }
        }
        for (place, step) in self.program.steps() {
            if let Step::Wait(_) | Step::Finish(_) = step {
                let edges = self.order.edges();
                let incoming = edges.filter(|edge| edge.to == Moment::Return(place));
                rules.extend(incoming.filter_map(|edge| order::rule_of(&edge)));
            } else if let Step::Status(_) = step {
                rules.insert(rule::STATE_QUERY);
            } else if let Step::Register(_) = step {
                rules.insert(rule::STATE_CALLBACKS);
            } else if let Step::Set { status: ..0, .. } = step {
                let failure = [
                    rule::FAIL_USER_EVENT,
                    rule::FAIL_PROPAGATE,
                    rule::FAIL_NEGATIVE,
                ];
                rules.extend(failure);
            } else if let Step::Flush(_) = step {
                rules.insert(rule::STATE_FLUSH);
            } else if let Step::ReleaseQueue(_) | Step::ReleaseEvent(_) = step {
                rules.insert(rule::QUEUE_RELEASE);
            }
        }
        rules.insert(rule::STATE_PROFILING);
        rules.insert(rule::API_VALID);
        rules.extend(self.covers_of_queues());
        rules
    }

    /// What the commands' places say, whatever their data.
    pub(super) fn covers_of_queues(&self) -> BTreeSet<RuleId> {
        let (program, order) = (&self.program, &self.order);
        let mut rules = BTreeSet::new();
        let enqueuing: BTreeSet<_> = (0..program.commands.len())
            .map(|n| order.enqueued(CommandId::at(n)).who)
            .collect();
        if enqueuing.len() > 1 {
            rules.insert(rule::QUEUE_THREADS);
        }
        let sets = program
            .steps()
            .filter(|(_, s)| matches!(s, Step::Set { .. }));
        for (set, _) in sets {
            let set = Moment::Call(set);
            for (n, held) in program.commands.iter().enumerate() {
                let id = CommandId::at(n);
                let enqueued = Moment::Return(order.enqueued(id));
                if !order.before(set, Moment::Start(id)) {
                    continue;
                }
                if !held.blocking && order.before(enqueued, set) {
                    rules.insert(rule::QUEUE_NON_BLOCKING);
                }
                let passes = program.commands.iter().enumerate().any(|(m, other)| {
                    let other_id = CommandId::at(m);
                    other.queue != held.queue
                        && order.before(enqueued, Moment::Call(order.enqueued(other_id)))
                        && order.before(Moment::End(other_id), set)
                });
                if passes {
                    rules.insert(rule::QUEUE_INDEPENDENT);
                }
            }
        }
        let asked: Vec<_> = program.asked().collect();
        let twice = asked.iter().any(|(place, event)| {
            asked.iter().any(|(later, of)| {
                event == of && order.before(Moment::Return(*place), Moment::Call(*later))
            })
        });
        if twice {
            rules.insert(rule::STATE_ORDER);
        }
        let reads: Vec<(Read, &Vec<(Cell, Value)>)> =
            self.memory.reads().iter().map(|(r, c)| (*r, c)).collect();
        for (n, (read, cells)) in reads.iter().enumerate() {
            let written_by_kernel = cells.iter().any(|(cell, value)| {
                let writes = self.memory.writes(*cell).iter();
                writes
                    .filter(|w| w.value == *value)
                    .any(|w| match w.writer {
                        Writer::Command(c) => {
                            matches!(program.commands[c.index()].what, What::Kernel(_))
                        }
                        Writer::Access(_) | Writer::Creation(_) => false,
                    })
            });
            if written_by_kernel {
                rules.insert(rule::ENDED_VISIBLE);
            }
            let Some((from, to)) = memory::moments(program, *read) else {
                continue;
            };
            let together = reads[n + 1..].iter().any(|(other, theirs)| {
                memory::moments(program, *other).is_some_and(|(start, end)| {
                    !order.before(to, start)
                        && !order.before(end, from)
                        && cells
                            .iter()
                            .any(|(c, _)| theirs.iter().any(|(t, _)| t == c))
                })
            });
            if together {
                rules.insert(rule::SP_CONCURRENT_READS);
            }
        }
        for (n, object) in program.objects.iter().enumerate() {
            let devices: BTreeSet<u8> = program
                .commands
                .iter()
                .filter(|c| program.objects_of(&c.what).any(|o| o.index() == n))
                .map(|c| program.queues[c.queue.index()].device)
                .collect();
            if object.kind == Kind::SvmCoarse && devices.len() > 1 {
                rules.insert(rule::SV_COARSE_DEVICES);
            }
        }
        rules
    }
}
