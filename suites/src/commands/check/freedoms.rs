//! What a trace shows where the rules leave a choice. Nothing of it breaks a rule.

use super::Plan;
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{CommandId, Step, What};
use crate::commands::trace::{Times, Trace, status};
use crate::rule::{self, RuleId};
use classay_vocabulary::{Freedom, FreedomCount};
use std::collections::BTreeSet;

impl Plan {
    /// The freedoms that a run could show, and whether it did.
    pub fn freedoms(&self, trace: &Trace) -> Vec<FreedomCount> {
        let times = |id| trace.times.get(&id);
        let pairs: Vec<(&Times, &Times)> = self
            .unordered()
            .filter_map(|(first, second)| times(first).zip(times(second)))
            .collect();
        let mut shown = Vec::new();
        if !pairs.is_empty() {
            let reordered = |(a, b): &(&Times, &Times)| b.end <= a.start && b.end < a.end;
            let overlapped = |(a, b): &(&Times, &Times)| a.start < b.end && b.start < a.end;
            shown.push(Freedom::Reordered.once(pairs.iter().any(reordered)));
            shown.push(Freedom::Overlapped.once(pairs.iter().any(overlapped)));
        }
        let mut empty = self.empty_commands().filter_map(times).peekable();
        if empty.peek().is_some() {
            shown.push(Freedom::EmptyAtOnce.once(empty.any(|t| t.start == t.end)));
        }
        let ends: Vec<bool> = self
            .beside_failures()
            .filter_map(|id| match trace.codes.get(&self.order.enqueued(id)) {
                Some(0) => trace.last.get(&id).map(|last| *last != status::COMPLETE),
                Some(_) => Some(true),
                None => None,
            })
            .collect();
        if !ends.is_empty() {
            shown.push(Freedom::LostAfterFailure.once(ends.contains(&true)));
        }
        shown
    }

    /// The rules that leave a choice whose outcome a run can show.
    pub(super) fn choices(&self) -> BTreeSet<RuleId> {
        let mut rules = BTreeSet::new();
        if self.unordered().next().is_some() {
            rules.insert(rule::QUEUE_OUT_OF_ORDER);
        }
        if self.empty_commands().next().is_some() {
            rules.insert(rule::EMPTY_COMMAND);
        }
        if self.beside_failures().next().is_some() {
            rules.insert(rule::FAIL_CONTEXT_QUEUES);
        }
        rules
    }

    /// Pairs of commands of an out-of-order queue that nothing orders, though one is enqueued first.
    fn unordered(&self) -> impl Iterator<Item = (CommandId, CommandId)> {
        let (program, order) = (&self.program, &self.order);
        let free = move |id: &CommandId| {
            program.queues[program.commands[id.index()].queue.index()].out_of_order
        };
        let ids = || program.commands().map(|(id, _)| id);
        let pairs = ids()
            .filter(free)
            .flat_map(move |a| ids().map(move |b| (a, b)));
        pairs.filter(move |(first, second)| {
            let queue = |id: &CommandId| program.commands[id.index()].queue;
            let after = |a: CommandId, b: CommandId| order.before(Moment::End(a), Moment::Start(b));
            let [earlier, later] = [*first, *second].map(|id| order.enqueued(id));
            first != second
                && queue(first) == queue(second)
                && order.before(Moment::Return(earlier), Moment::Call(later))
                && !after(*first, *second)
                && !after(*second, *first)
        })
    }

    /// Commands without side effects.
    fn empty_commands(&self) -> impl Iterator<Item = CommandId> {
        let empty = self
            .program
            .commands()
            .filter(|(_, command)| matches!(command.what, What::Marker | What::Barrier));
        empty.map(|(id, _)| id)
    }

    /// Commands that have to be completed although something failed, and that may end after it did.
    fn beside_failures(&self) -> impl Iterator<Item = CommandId> {
        let order = &self.order;
        let failures: Vec<Moment> = self
            .program
            .steps()
            .filter(|(_, step)| matches!(step, Step::Set { status: ..0, .. }))
            .map(|(place, _)| Moment::Call(place))
            .collect();
        let ids = self.program.commands().map(|(id, _)| id);
        ids.filter(move |id| {
            let late = |failure: &Moment| !order.surely(Moment::End(*id), *failure);
            order.fate(*id) == Fate::Completes && failures.iter().any(late)
        })
    }
}
