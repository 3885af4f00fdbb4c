//! What reads saw.

use super::Found;
use super::means::{self, invalidates};
use crate::commands::conflict::Cell;
use crate::commands::memory::{self, Read, Value};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{ANY_CELL, Command, Step, Token, Writer};
use crate::commands::trace::Seen;
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;

impl Found<'_> {
    pub(super) fn data(&mut self) {
        let (plan, trace) = (self.plan, self.trace);
        for (read, cells) in plan.memory.reads() {
            let seen = trace.reads.get(read).into_iter().flatten();
            for ((cell, value), seen) in cells.iter().zip(seen) {
                self.cell(*read, *cell, *value, *seen);
            }
        }
    }

    fn cell(&mut self, read: Read, cell: Cell, value: Value, seen: Seen) {
        let run = self.trace.run;
        let plan = self.plan;
        let words = seen.words();
        if self.after_failure() {
            // Whatever else the context does: who fails has not run.
            for word in words {
                if let Some((writer @ Writer::Command(command), _)) = token(run, word)
                    && plan.order.fate(command) == Fate::Fails
                {
                    let what = format!("{writer} ran, although an event in its wait list failed");
                    self.breaks(rule::FAIL_PROPAGATE, what);
                }
            }
            return;
        }
        let Value::Of(writer, from) = value else {
            return;
        };
        let wanted = Token::of(run, writer, from);
        if seen == Seen::Whole(wanted.0) {
            return;
        }
        let Some((start, end)) = memory::moments(&plan.program, read) else {
            return;
        };
        // The last write that the read must see, and the writes that it must not see yet.
        let writes = plan.memory.writes(cell);
        let last = writes
            .iter()
            .rev()
            .find(|write| plan.order.before(write.to, start));
        let shown = |word: u32| match token(run, word) {
            Some((writer, of)) if of == ANY_CELL || of == cell.1 => writer.to_string(),
            Some((writer, of)) => format!("cell {of} of {writer}"),
            None => "no token of this run".into(),
        };
        let (Seen::Whole(word) | Seen::Mixed(_, word)) = seen;
        let found = token(run, word).and_then(|(writer, of)| {
            let write = writes.iter().find(|w| w.value == Value::Of(writer, of))?;
            Some(*write)
        });
        let future = found.filter(|write| plan.order.before(end, write.from));
        let untouched = words.contains(&0);
        let mut rules = match (future, last) {
            // The host looked at what the command had not brought yet.
            _ if untouched => self.brought(read),
            (Some(write), _) => plan.order.rules_between(end, write.from),
            (None, Some(write)) => {
                let mut rules = plan.order.rules_between(write.to, start);
                // What an earlier write left came after the last one, perhaps.
                if let Some(earlier) = found.filter(|it| plan.order.before(it.to, write.from)) {
                    rules.extend(plan.order.rules_between(earlier.to, write.from));
                }
                rules
            }
            (None, None) => Vec::new(),
        };
        let saw: Vec<String> = words.iter().map(|word| shown(*word)).collect();
        let what = format!(
            "{} saw in cell {} of object {} {}, not {}",
            read.who(),
            cell.1,
            cell.0,
            saw.join(" and "),
            shown(wanted.0),
        );
        // Where the cell itself is another's, or its words are not one writer's, no order explains it.
        let elsewhere = match token(run, word) {
            Some((_, of)) => of != ANY_CELL && of != from,
            None => !untouched,
        };
        let invalidated = |(_, c): (_, &Command)| {
            let mapped = c.what.mapped().filter(|_| invalidates(&c.what));
            mapped.is_some_and(|range| plan.program.root(range.object).0 == cell.0)
        };
        if elsewhere && plan.program.commands().any(invalidated) {
            rules.push(rule::SP_MAP_INVALIDATE);
        }
        // The rules by which the data itself came.
        let mut means = means::of(&plan.program, read.who());
        means.extend(
            last.into_iter()
                .flat_map(|write| means::of(&plan.program, write.writer)),
        );
        let mut all = if elsewhere || words.len() > 1 {
            [means, rules].concat()
        } else {
            [rules, means].concat()
        };
        let mut seen_before = BTreeSet::new();
        all.retain(|rule| seen_before.insert(*rule));
        self.add(all, rule::RG_TRANSFER, what);
    }

    /// The rules by which a read is done when the host looks at what it brought.
    fn brought(&self, read: Read) -> Vec<RuleId> {
        let order = &self.plan.order;
        match read {
            Read::Kernel { .. } => {
                let mut rules = vec![rule::KI_COMPLETION];
                rules.extend(self.lost());
                rules
            }
            Read::Command(id) => {
                let look = self
                    .plan
                    .program
                    .steps()
                    .find(|(_, s)| **s == Step::Inspect(id));
                look.map(|(place, _)| order.rules_between(Moment::End(id), Moment::Call(place)))
                    .unwrap_or_default()
            }
            Read::Access(_) => Vec::new(),
        }
    }
}

/// The writer and the cell of a token of this run.
fn token(run: u32, word: u32) -> Option<(Writer, u8)> {
    match Token(word).read() {
        Some((of, writer, cell)) if of == run & 0x7ff => Some((writer, cell)),
        Some(_) | None => None,
    }
}
