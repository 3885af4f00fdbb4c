//! What faults are looked for with, and how: the cases, and the terms on which they are run.

use super::Fault;
use super::power::Power;
use crate::device::{Library, Selector};
use crate::environment::{Environment, Launches, Meeting};
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::Case;
use crate::worker::session::{Limits, Session, Stop};
use classay_faults::LatitudeEntry;
use classay_reports::record::CaseResult;
use classay_suites::rule::RuleId;
use classay_vocabulary::Budget;
use std::collections::BTreeSet;
use std::time::Duration;

/// Runs of a program in the search: what shows in some runs only is met sooner by other programs.
const RUNS: u64 = 1;
/// Runs of the program that showed the fault, to learn how often it does.
const AGAIN: u64 = 10;
/// Seconds of a litmus test in the search: as many launches, and as large, as the device does in that
/// time. Threads of a large launch meet more often.
const SECONDS: f64 = 0.03;
/// And to learn how often it shows the fault.
const SECONDS_AGAIN: f64 = 0.5;
/// Instances of a litmus test in the search where memory is made weak, which takes longer and shows more.
const WEAK_INSTANCES: u64 = 2_000;

/// A case that came late is given so many times as long before it counts as one that hangs.
pub const MORE_PATIENCE: u32 = 3;

/// So many times as long a case may take where memory is made weak.
const WEAK_PATIENCE: u32 = 5;

/// A campaign.
pub struct Campaign<'a> {
    /// What is looked for.
    pub faults: &'a [Fault],
    /// With what.
    pub cases: &'a [Hunted],
    /// On which device.
    pub selector: &'a Selector,
    /// What Touchstone takes all the while, with a fault and without.
    pub latitude: Option<&'static LatitudeEntry>,
    /// What the device can show of the faults.
    pub power: &'a Power,
    /// How cases are run.
    pub terms: Terms<'a>,
    /// For everything.
    pub budget: Duration,
    /// Workers at once.
    pub jobs: usize,
    /// Ends it.
    pub interrupt: &'a Interrupt,
}

/// What a device needs to show a fault, beside the fault: Touchstone has two devices.
pub fn surroundings(selector: &Selector) -> Vec<(&'static str, &'static str)> {
    match selector.library {
        Library::Touchstone => vec![("TOUCHSTONE_DEVICES", "2")],
        Library::System | Library::Path(_) | Library::Vulkan | Library::VulkanDriver(_) => {
            Vec::new()
        }
    }
}

/// A case with its rules.
pub struct Hunted {
    /// The case.
    pub case: Case,
    /// What it covers, or another case of its kind.
    pub rules: BTreeSet<RuleId>,
}

/// On what terms faults are looked for.
pub struct Terms<'a> {
    /// For each case.
    pub limits: Limits,
    /// Whether the device's memory is made weak for the faults that want that.
    pub weak: bool,
    /// What judges litmus tests.
    pub model: &'a ChosenModel,
    /// Is given what cases show without a fault, to report it.
    pub tell: &'a (dyn Fn(&str) + Sync),
}

impl Terms<'_> {
    /// Whether memory is weak under this fault.
    pub fn weakens(&self, fault: &Fault) -> bool {
        self.weak && fault.shows.needs_weak_memory()
    }

    /// The case as it is run under a fault.
    pub fn played(&self, fault: &Fault, case: &Case) -> Case {
        let mut case = case.clone();
        if self.weakens(fault) && case.body.is_litmus() {
            case.environment = by_turns();
        }
        case
    }

    /// A memory that is made weak is slow, with or without the fault.
    pub fn limits_for(&self, fault: &Fault) -> Limits {
        let more = if self.weakens(fault) {
            WEAK_PATIENCE
        } else {
            1
        };
        Limits {
            patience: self.limits.patience.times(more),
            ..self.limits
        }
    }
}

/// Where a litmus test is played while memory is made weak. Such a memory draws what a load gives, so
/// threads need not run at the same time to see old values: to meet would take most of the time. What it
/// takes is that each thread runs before the others in some instances and after them in others, so
/// many small teams take turns.
fn by_turns() -> Environment {
    Environment {
        launch: Launches {
            instances: Some(400),
            teams: Some(32),
            lanes: Some(4),
            ..Launches::default()
        },
        meet: Meeting {
            every: Some(0),
            ..Meeting::default()
        },
        ..Environment::default()
    }
}

/// Runs a case.
///
/// # Errors
///
/// The device is gone, or the user interrupted.
pub fn run(
    session: &mut Session,
    case: &Case,
    budget: Budget,
    limits: Limits,
    model: &ChosenModel,
) -> Result<CaseResult, Stop> {
    let case = Case {
        budget,
        ..case.clone()
    };
    session.run(&case, limits, model, &mut |_| {})
}

/// How long a case is run in the search, so many times as long as the first time.
pub fn each(case: &Case, times: u64, weak: bool) -> Budget {
    match (case.body.is_litmus(), weak) {
        (true, true) => Budget::Instances(WEAK_INSTANCES * times),
        (true, false) => Budget::Seconds(SECONDS * times as f64),
        (false, _) => Budget::Instances(RUNS * times),
    }
}

/// How long a case is run to learn how often it shows what it shows.
pub fn again(case: &Case) -> Budget {
    if case.body.is_litmus() {
        Budget::Seconds(SECONDS_AGAIN)
    } else {
        Budget::Instances(AGAIN)
    }
}
