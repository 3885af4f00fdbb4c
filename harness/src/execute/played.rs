//! Cases of the suites: each is lowered to a host program, which is played again and again, and every run
//! is checked.

use super::ended::{Ended, NotRun};
use super::host::{Fixtures, Play, SetupError, names};
use super::needs;
use super::repeat::{Shown, repeat};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::api::{Case, Scenario};
use classay_suites::commands::check::Plan;
use classay_suites::commands::{self, needs::needs as needs_of};
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::host::answers::asking;
use classay_suites::host::{HostProgram, Record};
use classay_suites::kernels::{self, case::KernelCase};
use classay_vocabulary::Budget;

/// What a case is played on, and for how long: so many runs, or seconds.
pub struct Stage<'a> {
    /// The device.
    pub device: &'a OpenDevice,
    /// What the programs of its cases share.
    pub fixtures: &'a mut Fixtures,
    /// When to stop.
    pub budget: Budget,
    /// Is called once for each launch, in order.
    pub on_launch: &'a mut dyn FnMut(Launch),
}

impl Stage<'_> {
    /// Plays an API case.
    ///
    /// # Errors
    /// The device lacks what the case needs, or its fixtures cannot be made.
    pub fn api(self, case: &Case) -> Result<Ended, NotRun> {
        needs::check(self.device, &case.needs())?;
        let known = DeviceInfo {
            built_in_kernels: names(&self.device.capabilities.built_in_kernels),
        };
        let lowered = case.lower(&known);
        let text = || on(case, &known).write();
        self.play(&lowered.program, &text, &mut |record, run| {
            Ok(Shown {
                violations: case.check(&lowered, record, run),
                is_incomplete: false,
                freedoms: lowered.freedoms(record),
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
        self.play(&lowered.program, &text, &mut |record, run| {
            if let Some((call, code)) = record.failed {
                return Err(SetupError { call, code }.into());
            }
            let trace = lowered.trace(plan, record, run);
            Ok(Shown {
                violations: plan.check(&trace),
                is_incomplete: false,
                freedoms: plan.freedoms(&trace),
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
        self.play(&lowered.program, &text, &mut |record, run| {
            if !lowered.started(record) {
                return Err(setup(record));
            }
            Ok(Shown {
                violations: lowered.violations(record, run),
                is_incomplete: lowered.timed_out(record),
                freedoms: lowered.freedoms(record),
            })
        })
    }

    /// Plays a program until the budget is spent, and asks its objects what they must answer; `text` is the case that
    /// goes with what was violated.
    fn play(
        self,
        program: &HostProgram,
        text: &dyn Fn() -> String,
        check: &mut dyn FnMut(&Record, u32) -> Result<Shown, NotRun>,
    ) -> Result<Ended, NotRun> {
        self.fixtures.take_build_seconds();
        let loses = program.may_lose_contexts();
        let program = asking(program);
        let mut play = Play::of(self.fixtures, program.clone())?;
        let fixtures = self.fixtures;
        let mut used = false;
        let ended = repeat(self.budget, self.on_launch, &mut |run| {
            if loses && std::mem::replace(&mut used, true) {
                fixtures.give_up();
                play = Play::of(fixtures, program.clone())?;
            }
            let record = play.run(run as u32);
            needs::check_run(&record)?;
            let mut shown = check(&record, run as u32)?;
            // What else is wrong may be why: it is told first.
            if record.failed.is_none() {
                shown.violations.extend(program.wrong_answers(&record));
            }
            Ok(shown)
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

/// The case with what it took from the device, so that it says the same elsewhere.
fn on(case: &Case, device: &DeviceInfo) -> Case {
    let mut case = case.clone();
    if case.scenario == Scenario::BuiltIn {
        case.scenario = Scenario::BuiltInKernels(device.built_in_kernels.clone());
    }
    case
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
        Some((call, code)) => SetupError { call, code }.into(),
        None => NotRun::failed("internal error: a run did not start (this is a bug)".into()),
    }
}
