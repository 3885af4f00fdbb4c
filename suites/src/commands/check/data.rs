//! What reads saw.

use super::Found;
use super::means::{by_host, carried_by};
use crate::commands::memory::{self, Cell, Read, Value};
use crate::commands::order::{Fate, Moment};
use crate::commands::program::{ANY_CELL, MapMode, Step, Token, What, Writer};
use crate::commands::trace::Seen;
use crate::rule::{self, RuleId};
use std::collections::BTreeSet;

impl Found<'_> {
    pub(super) fn data(&mut self) {
        let reads = self.plan.memory.reads().clone();
        for (read, cells) in reads {
            let Some(seen) = self.trace.reads.get(&read) else {
                continue;
            };
            for ((cell, value), seen) in cells.iter().zip(seen) {
                self.cell(read, *cell, *value, *seen);
            }
        }
    }

    fn cell(&mut self, read: Read, cell: Cell, value: Value, seen: Seen) {
        let run = self.trace.run;
        let plan = self.plan;
        if self.after_failure() {
            // Whatever else the context does: who fails has not run.
            let words = match seen {
                Seen::Whole(word) => vec![word],
                Seen::Mixed(one, other) => vec![one, other],
            };
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
            Some((writer, ANY_CELL)) => format!("{writer}"),
            Some((writer, of)) if of == cell.1 => format!("{writer}"),
            Some((writer, of)) => format!("cell {of} of {writer}"),
            None => "no token of this run".into(),
        };
        let what_seen = match seen {
            Seen::Whole(word) => shown(word),
            Seen::Mixed(one, other) => format!("{} and {}", shown(one), shown(other)),
        };
        let (Seen::Whole(word) | Seen::Mixed(_, word)) = seen;
        let future = token(run, word).and_then(|(writer, of)| {
            let write = writes.iter().find(|w| w.value == Value::Of(writer, of))?;
            plan.order.before(end, write.from).then_some(*write)
        });
        let untouched = matches!(seen, Seen::Whole(0) | Seen::Mixed(0, _) | Seen::Mixed(_, 0));
        let rules = match (future, last) {
            // The host looked at what the command had not brought yet.
            _ if untouched => self.brought(read),
            (Some(write), _) => plan.order.rules_between(end, write.from),
            (None, Some(write)) => plan.order.rules_between(write.to, start),
            (None, None) => Vec::new(),
        };
        let what = format!(
            "{} saw in cell {} of object {} {what_seen}, not {}",
            reader(read),
            cell.1,
            cell.0.0,
            shown(wanted.0),
        );
        // Where the cell itself is another's, or its words are not one writer's, no order explains it.
        let elsewhere = match token(run, word) {
            Some((_, of)) => of != ANY_CELL && of != from,
            None => !untouched,
        };
        let invalidated = self.plan.program.commands.iter().any(|c| match &c.what {
            What::Map {
                range,
                mode: MapMode::Invalidate,
            } => self.plan.program.root(range.object).0 == cell.0,
            _ => false,
        });
        let rules = if elsewhere && invalidated {
            [rules, vec![rule::SP_MAP_INVALIDATE]].concat()
        } else {
            rules
        };
        let means = self.means(read, last.map(|write| write.writer));
        let mut all = if elsewhere || matches!(seen, Seen::Mixed(..)) {
            [means, rules].concat()
        } else {
            [rules, means].concat()
        };
        let mut seen_before = BTreeSet::new();
        all.retain(|rule| seen_before.insert(*rule));
        self.add(all, rule::RG_TRANSFER, what);
    }

    /// The rules by which the data itself came: those of the commands and the memory of a read and of
    /// the write that it must see.
    fn means(&self, read: Read, last: Option<Writer>) -> Vec<RuleId> {
        let program = &self.plan.program;
        let mut rules = Vec::new();
        match read {
            Read::Kernel { command, .. } | Read::Command(command) => {
                rules.extend(carried_by(program, command));
            }
            Read::Access(access) => rules.extend(by_host(program, access)),
        }
        match last {
            Some(Writer::Command(command)) => rules.extend(carried_by(program, command)),
            Some(Writer::Access(access)) => rules.extend(by_host(program, access)),
            Some(Writer::Creation(_)) | None => {}
        }
        rules
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

fn reader(read: Read) -> String {
    match read {
        Read::Kernel { command, .. } | Read::Command(command) => format!("command {}", command.0),
        Read::Access(access) => format!("host access {}", access.0),
    }
}
