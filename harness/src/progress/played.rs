//! One program on a device, under a watchdog.

use crate::Error;
use crate::environment::{
    Affinity, Environment, Launches, Meeting, Order, Percent, Processors, Row,
};
use crate::execute::NotRun;
use crate::plan::{Body, Case, LitmusTest, seed};
use crate::worker::death::How;
use crate::worker::session::{Limits, Session};
use crate::worker::triage::{Attempt, Ending};
use classay_litmus::oracle::State;
use classay_litmus::program::Program;
use classay_litmus::progress::Among;
use classay_reports::record::{CaseId, Outcome};
use classay_vocabulary::Budget;
use std::time::Duration;

/// What became of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// So many instances were played, and each came to its end.
    Ended(u64),
    /// A launch did not come to its end: how its work-groups followed each other.
    Stuck(Row),
    /// The device ends long loops, so the program's give up before, after so many turns; some did.
    GaveUp(u32),
    /// A loop ended although what it waited for had not come.
    Cut,
    /// The device cannot run it: a sentence.
    Skipped(String),
    /// The driver crashed or failed: a sentence.
    Failed(String),
}

/// A program that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// What became of it.
    pub fate: Fate,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// Instances for each compute unit of the device: more work-groups than any device holds at once.
const INSTANCES: u32 = 64;

/// Most and fewest instances of a launch.
const BOUNDS: (u32, u32) = (64, 1 << 14);

/// How long a program is played in a row of work-groups, in seconds, if nothing of it waits in vain.
const SECONDS: f64 = 0.1;

/// How much longer than for a launch a device is waited for that has to compile first.
const COMPILING: u32 = 30;

/// Plays a program of these threads, in each row of its work-groups until it gets stuck. It is compiled and
/// launched once with loops that give up at once, so that the watchdog times nothing but the waiting.
pub fn play(
    session: &mut Session,
    name: &str,
    program: &Program,
    (among, limit): (Among, Option<u32>),
    patience: Duration,
) -> Result<Played, Error> {
    let case = case(name, LitmusTest::new(program));
    let units = session.known().capabilities.compute_units;
    let instances = units.saturating_mul(INSTANCES).clamp(BOUNDS.0, BOUNDS.1);
    // All loops of a work-item share the limit.
    let turns = limit.map_or(0, |limit| (limit / 4).max(1));
    let rehearsal = Case {
        environment: environment(Row::ByTeam, instances, 1),
        budget: Budget::Instances(1),
        ..case.clone()
    };
    let rehearsed = observe(session, &rehearsal, patient(patience))?;
    let mut seconds = rehearsed.seconds;
    let done = |fate, seconds| Ok(Played { fate, seconds });
    if let Some(unplayed) = unplayed(&rehearsed) {
        return done(unplayed, seconds);
    }
    let rows: &[Row] = match among {
        Among::WorkGroups => &[Row::ByTeam, Row::ByNumber],
        // Their work-groups do not wait for each other.
        Among::SubGroups | Among::WorkItems => &[Row::ByTeam],
    };
    let mut ended = 0;
    for row in rows {
        let played = Case {
            environment: environment(*row, instances, turns),
            budget: Budget::Seconds(SECONDS),
            ..case.clone()
        };
        let attempt = observe(session, &played, patience)?;
        seconds += attempt.seconds;
        match fate(program, &attempt, *row, turns) {
            Fate::Ended(more) => ended += more,
            other @ (Fate::Stuck(_)
            | Fate::GaveUp(_)
            | Fate::Cut
            | Fate::Skipped(_)
            | Fate::Failed(_)) => return done(other, seconds),
        }
    }
    done(Fate::Ended(ended), seconds)
}

/// What a try shows of a program in this row, whose loops give up after so many turns, or never where that is 0.
fn fate(program: &Program, attempt: &Attempt, row: Row, turns: u32) -> Fate {
    match &attempt.ending {
        Ending::Died(death) => match death.how {
            How::Silent(_) | How::Overrun(_) => return Fate::Stuck(row),
            How::Signal(_)
            | How::Exit(_)
            | How::Rubbish(_)
            | How::TimeIsUp
            | How::NotStarted(_) => {}
        },
        Ending::Finished(_) | Ending::NotRun(_) => {}
    }
    if let Some(unplayed) = unplayed(attempt) {
        return unplayed;
    }
    let observables = program.observables();
    let came = |values: &[i64]| {
        let state = State(values.to_vec());
        let value = |observable| state.value(&observables, observable);
        program.condition.predicate.eval(&value)
    };
    let mut ended = 0;
    let mut worst = None;
    for one in attempt.launches.iter().flat_map(|launch| &launch.outcomes) {
        match &one.outcome {
            Outcome::State(values) if came(values) => ended += one.count,
            Outcome::State(_) => worst = Some(Fate::Cut),
            Outcome::Incomplete => worst = worst.or(Some(Fate::GaveUp(turns))),
            // Outcomes of litmus tests are neither.
            Outcome::Required | Outcome::Violation(_) => {}
        }
    }
    worst.unwrap_or(Fate::Ended(ended))
}

/// Why a try was not played to an end, where it was not.
fn unplayed(attempt: &Attempt) -> Option<Fate> {
    match &attempt.ending {
        Ending::Finished(_) => None,
        Ending::NotRun(NotRun::Skip { reason, .. }) => Some(Fate::Skipped(reason.clone())),
        Ending::NotRun(NotRun::Failed { reason, .. }) => Some(Fate::Failed(reason.clone())),
        Ending::Died(death) => Some(Fate::Failed(death.how.to_string())),
    }
}

/// A program as a case, without its environment.
pub(super) fn case(name: &str, test: LitmusTest) -> Case {
    let id = CaseId::new("litmus", "progress", name);
    Case {
        seed: seed::of_case(0, &id),
        budget: Budget::Instances(1),
        ..Case::new(id, name, "", Body::Litmus(test))
    }
}

/// Tries a case once on a worker that is silent for at most so long.
pub(super) fn observe(
    session: &mut Session,
    case: &Case,
    patience: Duration,
) -> Result<Attempt, Error> {
    let limits = Limits::once(patience);
    Ok(session.observe(case, limits, &mut |_| {})?)
}

/// How long a driver that compiles first is waited for.
pub(super) fn patient(patience: Duration) -> Duration {
    patience.saturating_mul(COMPILING)
}

/// Instances of one work-group a thread each, in this row, of which nobody meets, disturbs or permutes anything;
/// their loops give up after so many turns, or never where that is 0.
pub(super) fn environment(row: Row, instances: u32, turns: u32) -> Environment {
    let never = Some(Percent::NEVER);
    Environment {
        launch: Launches {
            instances: Some(instances),
            teams: Some(instances),
            lanes: Some(1),
            queues: Some(1),
            turns: Some(turns),
            ..Launches::default()
        },
        order: Order {
            instances: never,
            locations: never,
            groups: never,
            partners: never,
            reversed: never,
            row: Some(row),
            crossing: never,
            shared: never,
        },
        meet: Meeting {
            every: Some(0),
            touch: never,
            ..Meeting::default()
        },
        processors: Processors {
            affinity: Some(Affinity::Free),
            nice: None,
        },
        ..Environment::default()
    }
}
