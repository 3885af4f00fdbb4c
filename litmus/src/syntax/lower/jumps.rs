//! Labels and jumps to branches and loops.
//!
//! Forward branches become `if`, backward ones `while`. What a loop does before the branch that leaves it
//! is done once ahead of the loop and again at the end of each pass, so that every loop decides first: the
//! loop `A; leave if c; B; again` is `A; while (!c) { B; A }`. Jumps that nest in no such way are played by a
//! register that holds the number of the next block, and a loop that goes on until there is none.

use super::listing::negated;
use super::thread::ThreadLowering;
use crate::program::{BinOp, Branch, Expr, Instr, RegId, each_instr};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::limits::MAX_INSTRUCTIONS;
use crate::syntax::tree::Name;

/// A step of a listing.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Instr(Instr),
    Label(Name),
    /// Goes to a label, where a condition holds if there is one.
    Jump {
        when: Option<Expr>,
        to: Name,
    },
}

/// The steps of a thread as nested blocks.
pub(super) fn structured(
    lowering: &mut ThreadLowering<'_>,
    steps: Vec<Step>,
) -> Outcome<Vec<Instr>> {
    check_labels(&steps)?;
    let mut budget = MAX_INSTRUCTIONS;
    if let Some(body) = region(&steps, &mut budget) {
        return Ok(body);
    }
    dispatched(lowering, &steps)
}

/// Labels are there once, and jumps go to labels.
fn check_labels(steps: &[Step]) -> Outcome<()> {
    let labels: Vec<&Name> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Label(name) => Some(name),
            Step::Instr(_) | Step::Jump { .. } => None,
        })
        .collect();
    for (i, label) in labels.iter().enumerate() {
        if let Some(first) = labels[..i].iter().find(|l| l.text == label.text) {
            return Err(label
                .span
                .second(format!("the label {} is there twice", label.text))
                .also(first.span, "the first one"));
        }
    }
    for step in steps {
        if let Step::Jump { to, .. } = step
            && !labels.iter().any(|l| l.text == to.text)
        {
            let message = format!("the thread has no label {}", to.text);
            return Err(to.problem(message, "no such label"));
        }
    }
    Ok(())
}

/// Where a label stands.
fn position(steps: &[Step], label: &str) -> Option<usize> {
    steps
        .iter()
        .position(|step| matches!(step, Step::Label(name) if name.text == label))
}

/// Where the steps jump to, with the number of the step that does.
fn jumps(steps: &[Step]) -> impl Iterator<Item = (usize, &str)> {
    steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| match step {
            Step::Jump { to, .. } => Some((at, to.text.as_str())),
            Step::Instr(_) | Step::Label(_) => None,
        })
}

/// Whether no step outside of a part of the steps jumps into the part.
fn entered_at_its_start(steps: &[Step], part: std::ops::Range<usize>) -> bool {
    jumps(steps).all(|(at, to)| part.contains(&at) || position(&steps[part.clone()], to).is_none())
}

/// Steps that jump only among themselves; none where they do not nest.
fn region(steps: &[Step], budget: &mut usize) -> Option<Vec<Instr>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        *budget = budget.checked_sub(1)?;
        at = match &steps[at] {
            Step::Instr(instr) => {
                out.push(instr.clone());
                at + 1
            }
            Step::Label(label) => {
                let back = jumps(&steps[at..])
                    .filter(|(_, to)| *to == label.text)
                    .last();
                match back {
                    None => at + 1,
                    Some((length, _)) => repeated(steps, at, at + length, budget, &mut out)?,
                }
            }
            Step::Jump { when, to } => {
                let target = at + 1 + position(&steps[at + 1..], &to.text)?;
                match when {
                    Some(when) => branch(steps, at, target, when, budget, &mut out)?,
                    // What is jumped over and never entered is not executed.
                    None if entered_at_its_start(steps, at + 1..target) => target,
                    None => return None,
                }
            }
        };
    }
    Some(out)
}

/// A branch over the steps up to `target`; where it ends.
fn branch(
    steps: &[Step],
    at: usize,
    target: usize,
    when: &Expr,
    budget: &mut usize,
    out: &mut Vec<Instr>,
) -> Option<usize> {
    let mut then = at + 1..target;
    let mut end = target;
    let mut otherwise = Vec::new();
    if let Some(Step::Jump { when: None, to }) = steps[then.clone()].last()
        && let Some(after) = position(&steps[target..], &to.text)
    {
        // The end of the first of two alternatives.
        end = target + after;
        then.end -= 1;
        if !entered_at_its_start(steps, target + 1..end) {
            return None;
        }
        otherwise = region(&steps[target + 1..end], budget)?;
    }
    if !entered_at_its_start(steps, then.clone()) {
        return None;
    }
    out.push(Instr::If(Branch {
        condition: negated(when.clone()),
        then: region(&steps[then], budget)?,
        otherwise,
    }));
    Some(end)
}

/// A loop from the label at `start` to the jump back at `last`; where it ends.
fn repeated(
    steps: &[Step],
    start: usize,
    last: usize,
    budget: &mut usize,
    out: &mut Vec<Instr>,
) -> Option<usize> {
    let Step::Label(label) = &steps[start] else {
        return None;
    };
    if !entered_at_its_start(steps, start + 1..last + 1) {
        return None;
    }
    let inside = &steps[start + 1..last];
    let mut leaving = jumps(inside).filter(|(_, to)| position(inside, to).is_none());
    let Step::Jump { when: again, .. } = &steps[last] else {
        return None;
    };
    let (first, condition, rest) = match (leaving.next(), again) {
        // It ends where it jumps back no more, or never.
        (None, Some(again)) => (inside, again.clone(), &[][..]),
        (None, None) => (&[][..], Expr::Const(1), inside),
        (Some((exit, to)), None) => {
            let Step::Jump {
                when: Some(when), ..
            } = &inside[exit]
            else {
                return None;
            };
            let follows = steps[last + 1..]
                .iter()
                .take_while(|step| matches!(step, Step::Label(_)))
                .any(|step| matches!(step, Step::Label(name) if name.text == to));
            if !follows || to == label.text {
                return None;
            }
            let (first, rest) = (&inside[..exit], &inside[exit + 1..]);
            (first, negated(when.clone()), rest)
        }
        (Some(_), Some(_)) => return None,
    };
    if leaving.next().is_some() {
        return None;
    }
    let first = region(first, budget)?;
    // It is there twice, and so is what is twice in it.
    *budget = budget.checked_sub(size(&first))?;
    let mut body = region(rest, budget)?;
    body.extend(first.iter().cloned());
    out.extend(first);
    out.push(Instr::While { condition, body });
    Some(last + 1)
}

/// Instructions, those in nested blocks included.
fn size(body: &[Instr]) -> usize {
    let mut size = 0;
    each_instr(body, &mut |_| size += 1);
    size
}

/// Any steps at all, as a loop over numbered blocks.
fn dispatched(lowering: &mut ThreadLowering<'_>, steps: &[Step]) -> Outcome<Vec<Instr>> {
    let next = lowering.fresh("next", Span::default())?;
    // A block begins at each label and after each jump.
    let mut starts = vec![0];
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Label(_) => starts.push(at),
            Step::Jump { .. } => starts.push(at + 1),
            Step::Instr(_) => {}
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts.retain(|start| *start < steps.len());
    let number_of = |at: usize| starts.partition_point(|start| *start < at) as i64;
    let end = starts.len() as i64;
    let mut body = Vec::new();
    for (number, start) in starts.iter().enumerate() {
        let until = starts.get(number + 1).copied().unwrap_or(steps.len());
        let mut block = vec![go_to(next, number as i64 + 1)];
        for step in &steps[*start..until] {
            match step {
                Step::Instr(instr) => block.push(instr.clone()),
                Step::Label(_) => {}
                Step::Jump { when, to } => {
                    let target = position(steps, &to.text).map_or(end, number_of);
                    block.push(match when {
                        None => go_to(next, target),
                        Some(when) => Instr::If(Branch {
                            condition: when.clone(),
                            then: vec![go_to(next, target)],
                            otherwise: Vec::new(),
                        }),
                    });
                }
            }
        }
        body.push(Instr::If(Branch {
            condition: compare(BinOp::Eq, next, number as i64),
            then: block,
            otherwise: Vec::new(),
        }));
    }
    let condition = compare(BinOp::Ne, next, end);
    Ok(vec![go_to(next, 0), Instr::While { condition, body }])
}

fn go_to(next: RegId, block: i64) -> Instr {
    Instr::Assign {
        register: next,
        value: Expr::Const(block),
    }
}

fn compare(op: BinOp, register: RegId, with: i64) -> Expr {
    Expr::binary(op, Expr::Reg(register), Expr::Const(with))
}
