//! The rules that a run of a program puts to the test.

use super::Plan;
use super::callbacks::passing;
use super::means;
use crate::commands::conflict::Cell;
use crate::commands::memory::{self, Read, Value, Write};
use crate::commands::order::{self, Moment};
use crate::commands::program::{Kind, Step, What, Writer};
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
            rules.extend(means::of(&self.program, read.who()));
            for write in self.seen_by(cells) {
                rules.extend(means::of(&self.program, write.writer));
            }
        }
        for (place, step) in self.program.steps() {
            if let Step::Wait(_) | Step::Finish(_) = step {
                let edges = self.order.edges();
                let incoming = edges.filter(|edge| edge.to == Moment::Return(place));
                rules.extend(incoming.filter_map(|edge| order::rule_of(&edge)));
            } else if let Step::Status(_) = step {
                rules.insert(rule::STATE_QUERY);
            } else if let Step::Register(callback) = step {
                rules.insert(rule::STATE_CALLBACKS);
                rules.insert(passing(&self.program.callbacks[callback.index()]));
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
        rules.extend([rule::API_VALID, rule::API_ANSWERS]);
        rules.extend(self.covers_of_queues());
        rules.extend(self.choices());
        rules
    }

    /// The writes of what cells must hold when they are read.
    fn seen_by(&self, cells: &[(Cell, Value)]) -> impl Iterator<Item = &Write> {
        cells.iter().flat_map(|(cell, value)| {
            let writes = self.memory.writes(*cell).iter();
            writes.filter(|write| write.value == *value)
        })
    }

    /// What the commands' places say, whatever their data.
    pub(super) fn covers_of_queues(&self) -> BTreeSet<RuleId> {
        let (program, order) = (&self.program, &self.order);
        let mut rules = BTreeSet::new();
        let enqueuing = program.commands().map(|(id, _)| order.enqueued(id).who);
        let enqueuing: BTreeSet<_> = enqueuing.collect();
        if enqueuing.len() > 1 {
            rules.insert(rule::QUEUE_THREADS);
        }
        let sets = program
            .steps()
            .filter(|(_, s)| matches!(s, Step::Set { .. }));
        for (set, _) in sets {
            let set = Moment::Call(set);
            for (id, held) in program.commands() {
                let enqueued = Moment::Return(order.enqueued(id));
                if !order.before(set, Moment::Start(id)) {
                    continue;
                }
                if !held.blocking && order.before(enqueued, set) {
                    rules.insert(rule::QUEUE_NON_BLOCKING);
                }
                let passes = program.commands().any(|(other_id, other)| {
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
            let by_kernel = |write: &Write| match write.writer {
                Writer::Command(c) => matches!(program.what(c), What::Kernel(_)),
                Writer::Access(_) | Writer::Creation(_) => false,
            };
            if self.seen_by(cells).any(by_kernel) {
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
        for (id, object) in program.objects() {
            let users = program.commands();
            let users = users.filter(|(_, c)| program.objects_of(&c.what).any(|o| o == id));
            let devices: BTreeSet<u8> = users.map(|(c, _)| program.device_of(c)).collect();
            if object.kind == Kind::SvmCoarse && devices.len() > 1 {
                rules.insert(rule::SV_COARSE_DEVICES);
            }
        }
        rules
    }
}
