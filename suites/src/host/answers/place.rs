//! Where the questions stand in a program.

use super::known::{Known, built, made_by, taken};
use super::objects::Age;
use super::{QuestionId, TURNS};
use crate::host::function::Function;
use crate::host::program::{Call, HostProgram, Op, SlotKind, Step};
use crate::host::value::Slot;
use std::collections::{BTreeMap, BTreeSet};

/// The program with questions about its objects besides its own: when a run has made what it begins with, in turns after each
/// step of a thread that makes or builds something and before each that gives something up, and when everything is
/// complete.
///
/// A thread asks only about what no other thread gives up, and of kernels and programs, which other threads may be
/// changing, only where it is the only one. After a command that failed nothing is asked any more: "all other
/// command-queues in this context […] may no longer be available".
pub fn asking(program: &HostProgram) -> HostProgram {
    let known = Known::of(program);
    let mut placing = Placing {
        known: &known,
        questions: program.questions.clone(),
        turn: 0,
    };
    let begin = placing.begin();
    let threads = (0..program.threads.len())
        .map(|n| placing.thread(n))
        .collect();
    let end = placing.end();
    let questions = placing.questions;
    HostProgram {
        begin,
        threads,
        end,
        questions,
        ..program.clone()
    }
}

struct Placing<'k, 'p> {
    known: &'k Known<'p>,
    questions: Vec<super::Question>,
    /// The turn of what is asked next between steps.
    turn: u8,
}

/// The calls of steps that stand by themselves.
fn calls(steps: &[Step]) -> impl Iterator<Item = &Call> {
    steps.iter().filter_map(|step| match &step.op {
        Op::Call(call) => Some(call),
        _ => None,
    })
}

/// What a step makes that stands by itself.
fn makes(step: &Step) -> Vec<Slot> {
    match &step.op {
        Op::Call(call) => made_by(call).into_iter().map(|(slot, _)| slot).collect(),
        Op::Build { program, .. } => vec![*program],
        _ => Vec::new(),
    }
}

/// The program that a step builds or compiles.
fn builds(step: &Step) -> Option<Slot> {
    match &step.op {
        Op::Call(call) => built(call),
        _ => None,
    }
}

/// How often steps take the reference of each slot, also inside of others.
fn takes(steps: &[Step]) -> BTreeMap<Slot, usize> {
    let alone = HostProgram {
        begin: steps.to_vec(),
        ..HostProgram::default()
    };
    let mut all = BTreeMap::new();
    alone.steps(&mut |step| {
        for slot in taken(&step.op) {
            *all.entry(slot).or_default() += 1;
        }
    });
    all
}

impl Placing<'_, '_> {
    /// Questions about a slot's object as steps.
    fn ask(&mut self, slot: Slot, age: Age, done: &[&Call], turn: Option<u8>) -> Vec<Step> {
        let mut steps = Vec::new();
        for mut question in self.known.questions(slot, age, done) {
            question.turn = turn;
            let id = QuestionId(self.questions.len() as u16);
            self.questions.push(question);
            steps.push(Op::Ask(id).into());
        }
        steps
    }

    /// The turn of the next question between steps: of a lone thread, which nobody else has to meet in time, all are
    /// asked in the same runs, the first one among them.
    fn next_turn(&mut self, is_alone: bool) -> Option<u8> {
        self.turn = match is_alone {
            true => 0,
            false => (self.turn + 1) % TURNS as u8,
        };
        Some(self.turn)
    }

    fn begin(&mut self) -> Vec<Step> {
        let program = self.known.program;
        let mut steps = program.begin.clone();
        let done: Vec<&Call> = calls(&program.begin).collect();
        let gone = takes(&program.begin);
        let fixtures = program.fixtures.iter().map(|(slot, _)| *slot);
        let made = program.begin.iter().flat_map(makes);
        let all: BTreeSet<Slot> = fixtures.chain(made).collect();
        for slot in all.into_iter().filter(|slot| !gone.contains_key(slot)) {
            let set = done.iter().any(|call| {
                call.function == Function::SetUserEventStatus
                    && super::known::object(call, 0) == Some(slot)
            });
            let is_event = self.known.kind(slot) == Some(SlotKind::Event);
            let age = if is_event && !set {
                Age::New
            } else {
                Age::Used
            };
            steps.extend(self.ask(slot, age, &done, None));
        }
        steps
    }

    fn thread(&mut self, own: usize) -> Vec<Step> {
        let program = self.known.program;
        let mut others: BTreeSet<Slot> = BTreeSet::new();
        for (n, thread) in program.threads.iter().enumerate() {
            if n != own {
                others.extend(takes(thread).keys());
            }
        }
        let is_alone = program.threads.len() == 1;
        let may_ask = |slot: &Slot| {
            let changes = matches!(
                self.known.kind(*slot),
                Some(
                    SlotKind::Kernel
                        | SlotKind::Program
                        | SlotKind::CommandBuffer
                        | SlotKind::MutableCommand
                )
            );
            !others.contains(slot) && (is_alone || !changes)
        };
        let made = program.begin.iter().flat_map(makes);
        let mut here: BTreeSet<Slot> = made.filter(may_ask).collect();
        let mut done: Vec<&Call> = calls(&program.begin).collect();
        let mut steps = Vec::new();
        for step in &program.threads[own] {
            for slot in taken(&step.op) {
                if here.remove(&slot) && !self.known.taken_in_callbacks.contains(&slot) {
                    let turn = self.next_turn(is_alone);
                    steps.extend(self.ask(slot, Age::Used, &done, turn));
                }
            }
            steps.push(step.clone());
            if let Op::Call(call) = &step.op {
                done.push(call);
            }
            if let Some(program) = builds(step).filter(|_| is_alone) {
                let turn = self.next_turn(is_alone);
                steps.extend(self.ask(program, Age::Used, &done, turn));
            }
            for slot in makes(step).into_iter().filter(may_ask) {
                let turn = self.next_turn(is_alone);
                steps.extend(self.ask(slot, Age::New, &done, turn));
                here.insert(slot);
            }
        }
        steps
    }

    fn end(&mut self) -> Vec<Step> {
        let program = self.known.program;
        let mut steps = program.end.clone();
        if program.may_lose_contexts() {
            return steps;
        }
        let lists = std::iter::once(&program.begin)
            .chain(&program.threads)
            .chain([&program.end]);
        let done: Vec<&Call> = lists.flat_map(|steps| calls(steps)).collect();
        let mut asked = Vec::new();
        for n in 0..program.slots.len() {
            let slot = Slot(n as u16);
            if !self.known.taken_in_callbacks.contains(&slot) {
                asked.extend(self.ask(slot, Age::Over, &done, None));
            }
        }
        if !asked.is_empty() {
            steps.push(Op::Settled(asked).into());
        }
        steps
    }
}
