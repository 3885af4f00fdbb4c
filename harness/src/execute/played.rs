//! Cases of the suites: each is lowered to a host program, which is played again and again, and every run
//! is checked.

use super::ended::{Ended, NotRun};
use super::host::{Fixtures, Play, SetupError, names};
use super::needs;
use super::parts::Parts;
use super::repeat::{Shown, repeat};
use crate::device::OpenDevice;
use crate::worker::whereabouts::{self, Left};
use classay_reports::pattern::matches;
use classay_reports::record::{Evidence, EvidenceKind, FreedomCount, Launch, Violation};
use classay_suites::api::Case;
use classay_suites::commands::check::Plan;
use classay_suites::commands::{self, needs::needs as needs_of};
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::host::answers::asking;
use classay_suites::host::{HostProgram, Record};
use classay_suites::kernels::{self, case::KernelCase};
use classay_vocabulary::Budget;

/// What a run of a case's program showed.
#[derive(Default)]
struct Played {
    violations: Vec<Violation>,
    is_incomplete: bool,
    freedoms: Vec<FreedomCount>,
    /// Its violations have nothing to do with each other.
    apart: bool,
    /// What objects are after it nobody knows.
    unknown: bool,
    /// The next run is to play what is left of the case.
    goes_on: bool,
    /// Another program for it, with the number of its first call in the case.
    next: Option<(HostProgram, usize)>,
}

/// What a case is played on, and for how long: so many runs, or seconds.
pub struct Stage<'a> {
    /// The device.
    pub device: &'a OpenDevice,
    /// What the programs of its cases share.
    pub fixtures: &'a mut Fixtures,
    /// When to stop.
    pub budget: Budget,
    /// What a violation says that counts, if not any does ([`classay_reports::pattern`]).
    pub keep: Option<&'a str>,
    /// Is called once for each launch, in order.
    pub on_launch: &'a mut dyn FnMut(Launch),
}

impl Stage<'_> {
    /// Plays an API case; where an earlier process died of one of its calls, what that process left.
    ///
    /// # Errors
    /// The device lacks what the case needs, or its fixtures cannot be made.
    pub fn api(self, case: &Case, left: Option<Left>) -> Result<Ended, NotRun> {
        let known = DeviceInfo {
            built_in_kernels: names(&self.device.capabilities.built_in_kernels),
            said: self.device.described(),
        };
        let device = self.device;
        let case = case.on(&known, |needs| needs::check(device, needs).is_ok());
        needs::check(device, &case.needs())?;
        let text = || case.write();
        if case.calls() > 0 {
            return self.refused(&case, &known, left);
        }
        let lowered = case.lower(&known);
        self.play(&lowered.program, None, &text, &mut |record, run| {
            Ok(Played {
                violations: case.check(&lowered, record, run),
                freedoms: lowered.freedoms(record),
                ..Played::default()
            })
        })
    }

    /// Plays calls that must be refused, part by part.
    fn refused(self, case: &Case, known: &DeviceInfo, left: Option<Left>) -> Result<Ended, NotRun> {
        let Some(mut parts) = Parts::new(case.calls(), left) else {
            return Ok(Ended::default());
        };
        let of = |parts: &Parts| {
            let part = case.part(parts.now.clone());
            let lowered = part.lower(known);
            (part, lowered)
        };
        let (mut part, mut lowered) = of(&parts);
        let first = lowered.program.clone();
        let begins = Some(parts.now.start);
        self.play(&first, begins, &|| case.write(), &mut |record, run| {
            let violations = part.check(&lowered, record, run);
            let freedoms = lowered.freedoms(record);
            let let_through = part.let_through(record).filter(|_| record.failed.is_none());
            let played = parts.now.clone();
            let goes_on = parts.go_on(let_through);
            let is_other = parts.now != played;
            if is_other {
                (part, lowered) = of(&parts);
            }
            Ok(Played {
                violations,
                freedoms,
                apart: true,
                unknown: let_through.is_some(),
                goes_on,
                next: is_other.then(|| (lowered.program.clone(), parts.now.start)),
                ..Played::default()
            })
        })
    }

    /// Plays a program of commands, and checks each run against the program's order.
    ///
    /// # Errors
    /// The device lacks what the program needs, or a call of its setup fails.
    pub fn commands(self, plan: &Plan) -> Result<Ended, NotRun> {
        needs::check(self.device, &needs_of(&plan.program))?;
        let lowered = commands::lower::lower(plan);
        let text = || commands::yaml::write(&plan.program);
        self.play(&lowered.program, None, &text, &mut |record, run| {
            if let Some((call, code)) = record.failed {
                return Err(SetupError::of(call, code).into());
            }
            let trace = lowered.trace(plan, record, run);
            Ok(Played {
                violations: plan.check(&trace),
                freedoms: plan.freedoms(&trace),
                ..Played::default()
            })
        })
    }

    /// Plays a kernel case.
    ///
    /// # Errors
    /// The device lacks what the case needs, or a call before its kernels fails.
    pub fn kernel(self, case: &KernelCase) -> Result<Ended, NotRun> {
        needs::check(self.device, &case.needs())?;
        if let Some(lacking) = lacking(self.fixtures, case)? {
            return Err(NotRun::skip(format!("the device does not list {lacking}")));
        }
        let lowered = kernels::lower::lower(case);
        let text = || kernels::yaml::write(case);
        self.play(&lowered.program, None, &text, &mut |record, run| {
            if !lowered.started(record) {
                return Err(setup(record));
            }
            Ok(Played {
                violations: lowered.violations(record, run),
                is_incomplete: lowered.timed_out(record),
                freedoms: lowered.freedoms(record),
                ..Played::default()
            })
        })
    }

    /// Plays a program until the budget is spent, and asks its objects what they must answer; `text` is the case that
    /// goes with what was violated, and `first` the number of its first call in a case that goes on behind a call that
    /// ends the process.
    fn play(
        self,
        program: &HostProgram,
        first: Option<usize>,
        text: &dyn Fn() -> String,
        check: &mut dyn FnMut(&Record, u32) -> Result<Played, NotRun>,
    ) -> Result<Ended, NotRun> {
        self.fixtures.take_build_seconds();
        let loses = program.may_lose_contexts();
        let fixtures = self.fixtures;
        let begin = |fixtures: &mut Fixtures, program: &HostProgram, first| {
            let play = Play::of(fixtures, program.clone());
            whereabouts::begins(first);
            play
        };
        let (mut now, mut first) = (asking(program), first);
        let mut play = begin(fixtures, &now, first)?;
        let mut used = false;
        let ended = repeat(self.budget, self.on_launch, &mut |run| {
            if loses && std::mem::replace(&mut used, true) {
                fixtures.give_up();
                play = begin(fixtures, &now, first)?;
            }
            let record = play.run(run as u32);
            needs::check_run(&record)?;
            let played = check(&record, run as u32)?;
            let mut violations = played.violations;
            // What else is wrong may be why: it is told first.
            if record.failed.is_none() && !played.unknown {
                violations.extend(now.wrong_answers(&record));
            }
            if let Some(pattern) = self.keep {
                violations.retain(|one| matches(pattern, &one.what));
            }
            if let Some((next, begins)) = played.next {
                (now, first) = (asking(&next), Some(begins));
                play = begin(fixtures, &now, first)?;
            }
            Ok(Shown {
                violations,
                is_incomplete: played.is_incomplete,
                freedoms: played.freedoms,
                apart: played.apart,
                goes_on: played.goes_on,
            })
        });
        if loses {
            // No other program is to find what this one lost.
            fixtures.give_up();
        }
        let mut ended = ended?;
        ended.build_seconds = fixtures.take_build_seconds();
        if !ended.violations.is_empty() {
            ended.evidence.push(Evidence {
                kind: EvidenceKind::Program,
                text: text(),
            });
        }
        Ok(ended)
    }
}

/// What a case needs that is asked for in a context: the first format of an image that the implementation
/// does not list.
fn lacking(fixtures: &mut Fixtures, case: &KernelCase) -> Result<Option<String>, NotRun> {
    let (program, asked) = kernels::lower::formats(case);
    if asked.is_empty() {
        return Ok(None);
    }
    let record = Play::of(fixtures, program)?.run(0);
    if record.failed.is_some() {
        return Err(setup(&record));
    }
    Ok(kernels::lower::lacking(case, &asked, &record))
}

/// Why a run did not come to what its case is about.
fn setup(record: &Record) -> NotRun {
    match record.failed {
        Some((call, code)) => SetupError::of(call, code).into(),
        None => NotRun::failed("internal error: a run did not start (this is a bug)".into()),
    }
}
