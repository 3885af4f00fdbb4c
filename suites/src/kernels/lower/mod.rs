//! A kernel case as a host program, and what must hold of each run of it.
//!
//! Objects of the case are the program's first slots, by their numbers, so that places and the operations
//! of exchanges mean the same in both. One host thread does the steps in order ([`launch`], [`transfers`]);
//! a call that fails against the case ends the run. What transfers leave behind is computed here, by
//! [`Model`], so that each look has the bytes that it wants.

mod launch;
mod memory;
mod recorded;
#[cfg(test)]
mod tests;
mod times;
mod transfers;
mod updated;

pub use memory::{formats, lacking};

use super::case::{Contents, KernelCase, Kind, ObjectId, Permutation, Same, Step, Unit, Want};
use super::model::Model;
use crate::host::check::{self, Check, Right, SubGroupAnswers, That};
use crate::host::{self, *};
use crate::rule::{self, RuleId};
use std::collections::BTreeMap;
use times::Timed;

/// The host program of a valid case.
pub fn lower(case: &KernelCase) -> Lowered {
    let mut lower = Lower::new(case);
    lower.objects();
    lower.queues();
    let mut model = Model::new(case);
    for (n, step) in case.steps.iter().enumerate() {
        lower.step(n, step, &model);
        model.step(step);
    }
    lower.done()
}

/// The C program of a valid case; where it `asks`, with questions to its objects.
pub fn to_c(case: &KernelCase, asks: bool) -> String {
    let lowered = lower(case);
    c::to_c(&c::Document {
        about: std::slice::from_ref(&case.about),
        needs: &case.needs,
        program: &lowered.program,
        checks: &lowered.checks,
        quit: lowered.quit,
        asks,
    })
}

/// A program that is being written.
struct Lower<'a> {
    case: &'a KernelCase,
    b: Builder,
    context: Slot,
    device: Slot,
    queues: Vec<Slot>,
    device_queues: Vec<Slot>,
    program: Option<Slot>,
    steps: Vec<host::Step>,
    checks: Vec<Check>,
    choices: Vec<Choice>,
    /// The events of launches that others wait for, by their steps.
    events: BTreeMap<usize, Slot>,
    /// Command-buffers, by the steps that record them.
    recorded: BTreeMap<usize, recorded::Made>,
    /// Queues for command-buffers: out of order, and not.
    own_queues: BTreeMap<bool, Slot>,
    /// What steps asked of sub-groups.
    sub_groups: BTreeMap<usize, SubGroupAnswers>,
    started: Mark,
    /// Transfers that are asked for their times in the end.
    times: Vec<Timed>,
    /// The next transfer is to be one of them.
    timing: bool,
}

impl<'a> Lower<'a> {
    fn new(case: &'a KernelCase) -> Lower<'a> {
        let mut b = Builder::default();
        // The context comes right after the objects.
        let context = Slot(case.objects.len() as u16);
        for (n, object) in case.objects.iter().enumerate() {
            let kind = match object.kind {
                Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => {
                    SlotKind::Memory
                }
                Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics => SlotKind::Svm(context),
                Kind::Host => SlotKind::Host {
                    bytes: object.bytes,
                },
            };
            b.slot(format!("object_{n}"), kind);
        }
        let devices = case.devices();
        let fixture = Fixture::Context { devices, number: 0 };
        let context = b.fixture("context", fixture);
        let device = b.fixture("device", Fixture::Device(0));
        let started = b.mark();
        let mut lower = Lower {
            case,
            b,
            context,
            device,
            queues: Vec::new(),
            device_queues: Vec::new(),
            program: None,
            steps: vec![host::Step::from(Op::Yield(0)).marked(started)],
            checks: Vec::new(),
            choices: Vec::new(),
            events: BTreeMap::new(),
            recorded: BTreeMap::new(),
            own_queues: BTreeMap::new(),
            sub_groups: BTreeMap::new(),
            started,
            times: Vec::new(),
            timing: false,
        };
        for (n, device) in [0].iter().chain(&case.queues).enumerate() {
            let fixture = Fixture::Queue {
                context,
                device: *device,
                profiling: case.profiled && n == 0,
                number: n as u8,
            };
            let queue = lower.b.fixture(format!("queue_{n}"), fixture);
            lower.queues.push(queue);
        }
        lower.program = program_of(case).map(|of| {
            let build = case.build.clone();
            let fixture = Fixture::Program { context, of, build };
            lower.b.fixture("program", fixture)
        });
        lower
    }

    fn add(&mut self, step: impl Into<host::Step>) {
        self.steps.push(step.into());
    }

    /// A step under a new mark.
    fn mark(&mut self, step: impl Into<host::Step>) -> Mark {
        let mark = self.b.mark();
        self.steps.push(step.into().marked(mark));
        mark
    }

    /// Calls of which the first that fails, or the last, has to give this code.
    fn calls(&mut self, mut calls: Vec<host::Step>, wanted: i32, rules: &[RuleId]) {
        if wanted == 0 {
            self.steps.extend(calls);
            return;
        }
        let mut name = "";
        for step in &mut calls {
            if let Op::Call(call) = &mut step.op {
                name = call.function.name();
                call.expect.codes.clear();
            }
        }
        let mark = self.mark(Op::Sequence(calls));
        let rules = match rules {
            [] => vec![rule::API_VALID],
            rules => rules.to_vec(),
        };
        let says = format!("{name} gives {{}}, not error {wanted}");
        let right = Right::Among(vec![i64::from(wanted)]);
        let check = Check::new(rules, says, That::Code(mark, right));
        self.checks.push(check.even_so(true));
    }

    fn step(&mut self, n: usize, step: &Step, model: &Model<'_>) {
        match step {
            Step::Launch(launch) => self.launch(n, launch),
            Step::Move(moved) => self.transfer(moved),
            Step::Record(record) => self.record(n, record),
            Step::Play(play) => self.play(n, play),
            Step::Update(update) => {
                self.update(n, update.record, &update.changes, update.refused);
            }
            Step::Again(again) => self.again(again),
            Step::Finish => self.finish(),
            Step::Talk { acts, rules } => {
                self.flush();
                let mark = self.mark(Op::Exchange {
                    quit: self.case.quit,
                    operations: acts.clone(),
                });
                let check = Check::new(rules.clone(), "{}", That::Astray(mark));
                self.checks.push(check.even_so(true));
            }
            Step::Host {
                at,
                bytes,
                contents,
            } => {
                let (contents, bytes) = (contents.clone(), *bytes);
                self.by_host(*at, bytes, Data::Contents { contents, bytes });
            }
            Step::Point { at, to } => self.by_host(*at, 8, Data::Address(*to)),
            Step::AskSubGroups { kernel, local } => self.ask_sub_groups(n, kernel, local),
            Step::AskKernels { rules } => {
                if let Some(program) = self.program {
                    let asked = self.case.built_in.clone();
                    let mark = self.mark(Op::Kernels { program, asked });
                    let check = Check::new(rules.clone(), "", That::Kernels(mark));
                    self.checks.push(check.even_so(true));
                }
            }
            Step::Listen => self.add(Op::Listen),
            Step::Printed {
                awaited,
                rules,
                wanted,
            } => {
                let last = self.case.launch_before(n).filter(|_| *awaited);
                match last.and_then(|at| self.events.get(&at)) {
                    Some(event) => self.add(Call::wait(&[*event])),
                    None => self.finish(),
                }
                let into = self.b.answer();
                self.add(Op::Heard { into });
                let want = check::Want::Printed(wanted.clone());
                let that = That::Bytes(into, want);
                let check = Check::new(rules.clone(), "what was printed", that);
                self.checks.push(check);
            }
            Step::Look {
                object,
                rules,
                name,
                want,
                even_so,
            } => {
                let wanted = self.wanted(*object, want, model);
                let answer = self.look(*object);
                self.choices.extend(match want {
                    Want::Ids(ids) if ids.times == 1 => Some(Choice::Ids(answer)),
                    Want::Turns { groups } => Some(Choice::Turns(answer, *groups)),
                    Want::Ids(_)
                    | Want::Same(_)
                    | Want::AsMoved
                    | Want::Permutation(_)
                    | Want::Halves { .. }
                    | Want::Within(_)
                    | Want::Pointers(_)
                    | Want::SubGroups { .. } => None,
                });
                if let Some(want) = wanted {
                    let check = Check::new(rules.clone(), name, That::Bytes(answer, want));
                    self.checks.push(check.even_so(*even_so));
                }
            }
        }
    }

    /// What has to be in an object; none where nothing is known of it.
    fn wanted(&self, object: ObjectId, want: &Want, model: &Model<'_>) -> Option<check::Want> {
        Some(match want {
            Want::Same(same) => check::Want::Same(same.clone()),
            Want::AsMoved => {
                let contents = Contents::Bytes(model.bytes(object));
                check::Want::Same(Same::new(Unit::Byte, contents, false))
            }
            Want::Permutation(values) => check::Want::Permutation(*values),
            Want::Turns { groups } => check::Want::Permutation(Permutation {
                unit: Unit::Word,
                count: 2 * u64::from(*groups),
                first: 0,
                step: 1,
            }),
            Want::Ids(ids) => check::Want::Ids(ids.clone()),
            Want::Halves { unit } => check::Want::Halves { unit: *unit },
            Want::Within(wanted) => check::Want::Within(wanted.clone()),
            Want::Pointers(list) => check::Want::Pointers(list.clone()),
            Want::SubGroups { asked, groups } => check::Want::SubGroups {
                answers: *self.sub_groups.get(asked)?,
                groups: groups.clone(),
            },
        })
    }

    /// Flushes all queues.
    fn flush(&mut self) {
        for queue in self.queues.clone() {
            self.add(Call::of(Function::Flush, queue));
        }
    }

    /// Flushes all queues, so that none waits for what another has not been given yet, and finishes them.
    fn finish(&mut self) {
        if self.queues.len() > 1 {
            self.flush();
        }
        for queue in self.queues.clone() {
            self.add(Call::of(Function::Finish, queue));
        }
    }

    fn done(mut self) -> Lowered {
        let steps = std::mem::take(&mut self.steps);
        self.finish();
        self.times();
        let mut quit = None;
        if let Some(at) = self.case.quit {
            let answer = self.b.answer();
            let stretches = Stretches::whole(4);
            self.read_place(at, stretches, answer);
            quit = Some(answer);
        }
        for step in std::mem::take(&mut self.steps) {
            self.b.end(step);
        }
        self.b.thread(steps);
        Lowered {
            program: self.b.finish(),
            checks: self.checks,
            choices: self.choices,
            quit,
            started: Some(self.started),
        }
    }
}

/// What the program of a case is made of; none where it has none.
fn program_of(case: &KernelCase) -> Option<ProgramOf> {
    if !case.built_in.is_empty() {
        Some(ProgramOf::BuiltIn(case.built_in.clone()))
    } else if !case.module.is_empty() {
        Some(ProgramOf::Module(case.module.clone()))
    } else if case.translated || !case.units.is_empty() {
        let source = std::iter::once(&case.source);
        let units = source.chain(&case.units).cloned().collect();
        Some(match case.translated {
            true => ProgramOf::Translated(units),
            false => ProgramOf::Units(units),
        })
    } else if !case.source.is_empty() {
        Some(ProgramOf::Source(case.source.clone()))
    } else {
        None
    }
}
