//! Litmus tests, which have the machine alone, in several fresh processes each.
//!
//! Rates differ from process to process by far more than from launch to launch: where its memory lies and which
//! processors it gets are drawn once for a process. So a test is played in rounds, each in a fresh worker. To
//! start one and to build for it costs, so some tests share the workers of their rounds; as many workers build
//! at once as may compute at once, each its tests in one program, and then play one after the other. Where building
//! takes most of the time there are fewer rounds. Tests are kept when their last round ends.

use super::active::{Active, Halt, Observer};
use super::schedule::Until;
use crate::plan::{Case, seed};
use crate::worker::session::{Limits, Load, Patience, Session, Stop};
use crate::worker::triage::{Attempt, Ending, conclude};
use classay_reports::record::Launch;
use classay_vocabulary::Budget;
use std::time::{Duration, Instant};

/// Tests that share the workers of their rounds.
pub(super) const TOGETHER: usize = 8;

/// The same where a fresh worker takes long to get ready, once some tests are kept.
const MORE_TOGETHER: usize = 32;

/// Seconds that are long for that: to open the device, or to build what the first tests need, of which a good part
/// is for a driver to load its compiler.
const LONG: f64 = 0.5;

/// The part of the time left that workers beside each other may take to open the device, if they do so one after the
/// other, as they have to with some drivers.
const OPENING: f64 = 0.1;

/// Rounds of tests that share the time of a run.
const ROUNDS: u32 = 3;

/// The part of the tests for which there seems to be time that are built next.
const CAREFUL: f64 = 0.5;

/// The part of that time that workers and builds may take, where they take more than those of one round.
const BUILDING: f64 = 0.5;

/// Most rounds of a test that has its time to itself.
const MOST_ROUNDS: u32 = 8;

/// Seconds of a round of such a test.
const ROUND: f64 = 0.25;

/// The least that a test is played in a round, in seconds, and as a part of what building it took.
const LEAST: f64 = 0.01;
const LEAST_OF_BUILDING: f64 = 0.1;

/// What is known of a test's rounds so far.
struct Played {
    at: usize,
    attempts: Vec<Attempt>,
    /// What building it beside others took.
    built: Built,
    /// It plays in no further round.
    over: bool,
}

/// What a test was built in, in seconds.
#[derive(Clone, Copy, Default)]
struct Built {
    /// All of it, as a worker spent it.
    seconds: f64,
    /// In the driver's compiler.
    compiler: f64,
}

/// What became of building a test.
enum Made {
    Built(Built),
    /// It hung when it was played, as briefly as could be, to have it compiled.
    Hung(Box<Attempt>),
}

impl Built {
    fn by(attempt: &Attempt) -> Built {
        let compiler = match &attempt.ending {
            Ending::Finished(ended) => ended.build_seconds,
            Ending::NotRun(_) | Ending::Died(_) => 0.0,
        };
        Built {
            seconds: attempt.seconds,
            compiler,
        }
    }

    fn with(load: &Load) -> Built {
        let seconds = match load {
            Load::Built(seconds) => *seconds,
            Load::Unfit(_) | Load::Died(_) => 0.0,
        };
        Built {
            seconds,
            compiler: seconds,
        }
    }

    fn add(&mut self, more: Built) {
        self.seconds += more.seconds;
        self.compiler += more.compiler;
    }
}

/// In how many rounds a test is played that has its budget to itself. One that ends by its counts, or when it
/// knows enough, is played in one.
pub(super) fn rounds_of(case: &Case) -> u32 {
    match case.budget {
        Budget::Seconds(seconds) if is_played_alone(case) => {
            ((seconds / ROUND) as u32).clamp(1, MOST_ROUNDS)
        }
        Budget::Seconds(_) | Budget::Enough { .. } | Budget::Instances(_) => 1,
    }
}

/// How many registers and how many places of memory the outcomes of a test have.
fn recorded(case: &Case) -> (usize, usize) {
    let all = case.body.observables();
    let registers = all.iter().filter(|o| o.name.contains(':')).count();
    (registers, all.len() - registers)
}

fn is_played_alone(case: &Case) -> bool {
    let program = case.body.litmus();
    program.is_some_and(|program| program.commands.is_empty())
}

/// How the time of some tests is shared out over what is still to be played.
struct Share {
    end: Instant,
    /// Seconds that the workers and builds of a round took, averaged.
    round: f64,
    /// Seconds that a test takes beyond its time, averaged over those that played.
    beyond: f64,
    played: u32,
}

impl Share {
    fn seconds(&self, plays: usize, rounds: u32) -> f64 {
        let left = self.end.saturating_duration_since(Instant::now());
        let left = left.as_secs_f64() - self.round * f64::from(rounds);
        (left / plays.max(1) as f64 - self.beyond).max(LEAST)
    }

    fn took(&mut self, given: f64, took: f64) {
        self.played += 1;
        self.beyond += ((took - given).max(0.0) - self.beyond) / f64::from(self.played);
    }
}

impl Active {
    /// Plays the litmus tests at these places, some together; `end` is when all should be done, where they
    /// share the time.
    pub(super) fn alone(
        &mut self,
        which: &[usize],
        end: Option<Instant>,
        until: Option<Until>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let mut left = which;
        if end.is_some() {
            self.time_opening().map_err(Halt::Stop)?;
        }
        // Seconds that a test took of those that were built for the first time, with all else; and that their builds took.
        let mut cost: Option<f64> = None;
        let mut building = 0.0;
        while !left.is_empty() {
            let now = Instant::now();
            let together = match cost {
                Some(_) => self.together(building),
                // Few, so that some are known soon.
                None => TOGETHER,
            };
            let lanes = self.lanes_within(end);
            let mut many = together * lanes;
            if let Some(until) = until {
                let time = until.last_begin.saturating_duration_since(now);
                if let Some(cost) = cost {
                    many = fitting(time.as_secs_f64() / cost, many, TOGETHER * lanes);
                }
                if time.is_zero() || many == 0 {
                    break;
                }
            }
            let (some, rest) = left.split_at(many.min(left.len()));
            let together = together.min(some.len().div_ceil(lanes));
            let share = end.map(|end| {
                let all = end.saturating_duration_since(now);
                now + all.mul_f64(some.len() as f64 / left.len() as f64)
            });
            left = rest;
            let rounds = match share {
                Some(_) => ROUNDS,
                None => 1,
            };
            // Those that record alike are counted by one kernel where they are built together.
            let mut some = some.to_vec();
            some.sort_by_key(|&at| recorded(&self.cases[at]));
            building = self.in_rounds(&some, (rounds, together), share, until, observer)?;
            cost = Some(now.elapsed().as_secs_f64() / some.len() as f64);
        }
        Ok(())
    }

    /// Plays tests in so many rounds, so many sharing a worker, until `end` where they share the time and for their own
    /// budgets where they do not, and keeps them. Gives the seconds that workers and builds of the first round took,
    /// where they share the time.
    pub(super) fn in_rounds(
        &mut self,
        which: &[usize],
        (mut rounds, together): (u32, usize),
        end: Option<Instant>,
        until: Option<Until>,
        observer: &mut dyn Observer,
    ) -> Result<f64, Halt> {
        let mut all: Vec<Played> = Vec::new();
        all.extend(which.iter().map(|&at| Played {
            at,
            attempts: Vec::new(),
            built: Built::default(),
            over: false,
        }));
        let mut share = end.map(|end| Share {
            end,
            round: 0.0,
            beyond: 0.0,
            played: 0,
        });
        let mut round = 0;
        let mut first = 0.0;
        while round < rounds {
            if share.is_none() && rounds > 1 {
                self.session.renew();
            }
            if let Some(share) = &mut share {
                let begun = Instant::now();
                let built = self
                    .build(&all, (rounds > 1, together), until)
                    .map_err(Halt::Stop)?;
                for (at, built) in built {
                    match built {
                        Made::Built(built) => {
                            self.rounds.ended(built.seconds);
                            all[at].built.add(built);
                        }
                        // It would hang again, for as long.
                        Made::Hung(hung) => {
                            all[at].attempts.push(*hung);
                            all[at].over = true;
                        }
                    }
                }
                let took = begun.elapsed().as_secs_f64();
                share.round += (took - share.round) / f64::from(round + 1);
                if round == 0 {
                    first = took;
                    let left = share.end.saturating_duration_since(Instant::now());
                    let all = took + left.as_secs_f64();
                    rounds = ((BUILDING * all / took.max(1e-3)) as u32).clamp(1, rounds);
                }
            }
            let playing = |all: &[Played]| all.iter().filter(|played| !played.over).count();
            let mut waiting = playing(&all);
            for at in 0..all.len() {
                if all[at].over || until.is_some_and(|u| Instant::now() >= u.last_begin) {
                    continue;
                }
                let later = rounds - 1 - round;
                let plays = waiting + playing(&all) * later as usize;
                waiting -= 1;
                let least = all[at].built.seconds * LEAST_OF_BUILDING / f64::from(rounds);
                let share_of = |share: &Share| share.seconds(plays, later).max(least);
                let seconds = share.as_ref().map(share_of);
                let case = part(&self.cases[all[at].at], (round, rounds), seconds);
                // Without a time to share nothing was built beside others.
                let lane = share.as_ref().map_or(0, |_| at / together);
                let over = self.play(lane, &case, &mut all[at], until, observer)?;
                all[at].over = over;
                if let (Some(share), Some(last)) = (&mut share, all[at].attempts.last()) {
                    share.took(case.budget.seconds().unwrap_or_default(), last.seconds);
                }
            }
            round += 1;
            let cost = share.as_ref().map_or(0.0, |share| share.round);
            let built = Instant::now() + Duration::from_secs_f64(cost);
            if until.is_some_and(|until| built >= until.last_begin) {
                break;
            }
        }
        for played in all {
            let Played {
                at,
                attempts,
                built,
                ..
            } = played;
            if attempts.is_empty() {
                continue;
            }
            let mut result = conclude(&self.cases[at], attempts, &self.model);
            result.seconds += built.seconds;
            result.build_seconds += built.compiler;
            self.results.commit(result.clone())?;
            observer.case_ends(&result);
            self.results.enough()?;
        }
        Ok(first)
    }

    /// Has workers, fresh ones where so asked, build what a round plays, each some of it. What a worker crashes of
    /// here it crashes of again when it is played, and is judged for it there. Gives what each took, by its place
    /// among all, or how it hung.
    fn build(
        &mut self,
        all: &[Played],
        (fresh, together): (bool, usize),
        until: Option<Until>,
    ) -> Result<Vec<(usize, Made)>, Stop> {
        // Some drivers compile only when a kernel is enqueued, with the size of work-groups that it has then.
        let briefly = |played: &Played| Case {
            budget: Budget::Seconds(0.0),
            ..self.cases[played.at].clone()
        };
        let lanes = all.iter().enumerate().collect::<Vec<_>>();
        let lanes: Vec<Vec<(usize, Case)>> = lanes
            .chunks(together)
            .map(|lane| {
                let left = lane.iter().filter(|(_, played)| !played.over);
                left.map(|&(at, played)| (at, briefly(played))).collect()
            })
            .collect();
        let limits = self.limits_until(until);
        // Many are built in one program, of which nothing is heard until all are.
        let loading = Limits {
            patience: self.limits.patience,
            ..limits
        };
        // How long the tests before it took to be built says nothing about this one.
        let limits = Limits {
            patience: Patience {
                working: self.limits.patience.working,
                ..limits.patience
            },
            ..limits
        };
        while self.lanes.len() + 1 < lanes.len() {
            self.lanes.push(self.session.another());
        }
        let sessions = std::iter::once(&mut self.session).chain(&mut self.lanes);
        let mut lanes: Vec<(&mut Session, Vec<(usize, Case)>)> = sessions.zip(lanes).collect();
        for (session, _) in &mut lanes {
            if fresh {
                session.renew();
            }
            // A worker dies with the thread that started it, which is this one, not the one that builds.
            session.ready()?;
        }
        let build = |session: &mut Session, tests: &[(usize, Case)]| {
            let mut built = Vec::new();
            let cases: Vec<Case> = tests.iter().map(|(_, test)| test.clone()).collect();
            match session.load(&cases, loading) {
                Ok(loaded) => {
                    let places = tests.iter().map(|(at, _)| *at);
                    let made = loaded.iter().map(|load| Made::Built(Built::with(load)));
                    built.extend(places.zip(made));
                }
                Err(Stop::TimeIsUp) => return Ok(built),
                Err(stop) => return Err(stop),
            }
            for (at, test) in tests {
                match session.observe(test, limits, &mut |_| {}) {
                    // The next worker has to be started by the thread that keeps it.
                    Ok(attempt) if attempt.hung() => {
                        built.push((*at, Made::Hung(Box::new(attempt))));
                        break;
                    }
                    Ok(Attempt {
                        ending: Ending::Died(_),
                        ..
                    })
                    | Err(Stop::TimeIsUp) => break,
                    Ok(attempt) => built.push((*at, Made::Built(Built::by(&attempt)))),
                    Err(stop) => return Err(stop),
                }
            }
            Ok(built)
        };
        std::thread::scope(|scope| {
            let mut lanes = lanes.into_iter();
            let first = lanes.next();
            let others: Vec<_> = lanes
                .map(|(session, tests)| scope.spawn(move || build(session, &tests)))
                .collect();
            let mut done = match first {
                Some((session, tests)) => build(session, &tests),
                None => Ok(Vec::new()),
            };
            for other in others {
                match other.join() {
                    Ok(built) => {
                        done = done.and_then(|mut all| {
                            all.extend(built?);
                            Ok(all)
                        });
                    }
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        })
    }

    /// Opens a fresh worker to see how long that takes, once a run.
    fn time_opening(&mut self) -> Result<(), Stop> {
        if self.opening.is_none() {
            self.session.renew();
            let begun = Instant::now();
            self.session.ready()?;
            self.opening = Some(begun.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// Tests that share the workers of their rounds, once some were built in so many seconds.
    fn together(&self, building: f64) -> usize {
        match self.opening.unwrap_or(0.0).max(building) > LONG {
            true => MORE_TOGETHER,
            false => TOGETHER,
        }
    }

    /// Workers that build beside each other.
    fn lanes_within(&self, end: Option<Instant>) -> usize {
        let jobs = self.order.jobs();
        let (Some(opening), Some(end)) = (self.opening, end) else {
            return jobs;
        };
        let left = end.saturating_duration_since(Instant::now());
        let most = OPENING * left.as_secs_f64() / opening.max(1e-3);
        jobs.min(most as usize).max(1)
    }

    fn limits_until(&self, until: Option<Until>) -> Limits {
        Limits {
            patience: self.rounds.patience("litmus", self.limits.patience),
            until: until.map(|until| until.cut),
            ..self.limits
        }
    }

    /// Plays a test once more; gives whether that was its last round.
    fn play(
        &mut self,
        lane: usize,
        case: &Case,
        played: &mut Played,
        until: Option<Until>,
        observer: &mut dyn Observer,
    ) -> Result<bool, Halt> {
        let whole = &self.cases[played.at];
        observer.case_begins(whole);
        let limits = self.limits_until(until);
        let mut deaths = 0;
        loop {
            let progress = &mut |launch: &Launch| observer.launched(whole, launch);
            let session = match lane.checked_sub(1) {
                Some(other) => &mut self.lanes[other],
                None => &mut self.session,
            };
            let mut attempts = match session.observe_to_end(case, limits, progress) {
                Ok(attempts) => attempts,
                Err(Stop::TimeIsUp) => return Ok(true),
                Err(stop) => return Err(Halt::Stop(stop)),
            };
            let goes_on = attempts.len() > 1;
            let crashed = attempts.iter().any(Attempt::crashed);
            let never_began = attempts.iter().any(Attempt::never_began);
            let again = (crashed || never_began) && !goes_on && deaths < limits.retries;
            if never_began {
                // A process may have got into a state in which the driver gives it nothing any more.
                session.renew();
            }
            deaths += 1;
            let ended = |attempt: &Attempt| matches!(attempt.ending, Ending::Finished(_));
            for attempt in attempts.iter().filter(|attempt| ended(attempt)) {
                self.rounds.ended(attempt.seconds);
            }
            let over = goes_on || !attempts.iter().all(ended);
            played.attempts.append(&mut attempts);
            if !again {
                return Ok(over);
            }
        }
    }
}

/// How many of tests are built next where there is time for so many of them: some that are built and not played any more
/// would have been built in vain, and later tests, which are larger, take longer to be built than those before them.
fn fitting(time_for: f64, many: usize, few: usize) -> usize {
    let careful = ((time_for * CAREFUL) as usize).max(few.min(time_for as usize));
    many.min(careful)
}

/// A round of a case: its share of the time, and what is drawn in it.
fn part(case: &Case, (round, rounds): (u32, u32), seconds: Option<f64>) -> Case {
    let budget = match (seconds, case.budget) {
        (Some(seconds), budget) => budget.lasting(seconds),
        (None, Budget::Seconds(all)) => Budget::Seconds(all / f64::from(rounds)),
        (None, budget) => budget,
    };
    Case {
        budget,
        seed: seed::of_part(case.seed, round),
        ..case.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;

    fn test(budget: Budget) -> Case {
        let mut all = plan::shipped().expect("the shipped tests");
        all.retain(|case| case.test == "SB+rlx");
        Case {
            budget,
            seed: 7,
            ..all.swap_remove(0)
        }
    }

    #[test]
    fn a_test_with_time_is_played_in_several_processes() {
        assert_eq!(rounds_of(&test(Budget::Seconds(0.1))), 1);
        assert_eq!(rounds_of(&test(Budget::Seconds(1.0))), 4);
        assert_eq!(rounds_of(&test(Budget::Seconds(60.0))), MOST_ROUNDS);
        assert_eq!(rounds_of(&test(Budget::Instances(1_000_000))), 1);
        let mut drawn = plan::drawn(1).swap_remove(0);
        drawn.budget = Budget::Seconds(60.0);
        assert_eq!(rounds_of(&drawn), 1, "its outcomes are not counted");
    }

    #[test]
    fn no_more_tests_are_built_than_can_be_played() {
        assert_eq!(fitting(1000.0, 96, 24), 96, "there is time for all");
        assert_eq!(fitting(60.0, 96, 24), 30, "later ones may take longer");
        assert_eq!(fitting(30.0, 96, 24), 24, "few are not divided again");
        assert_eq!(fitting(5.5, 96, 24), 5);
        assert_eq!(fitting(0.9, 96, 24), 0);
    }

    #[test]
    fn rounds_share_the_time_and_draw_anew() {
        let case = test(Budget::Seconds(2.0));
        let parts: Vec<Case> = (0..4).map(|round| part(&case, (round, 4), None)).collect();
        assert!(parts.iter().all(|p| p.budget == Budget::Seconds(0.5)));
        assert_eq!(
            parts[0].seed, case.seed,
            "what is played in one round stays as it was"
        );
        assert!((1..4).all(|at| parts[at].seed != parts[at - 1].seed));
        let given = part(&case, (0, 3), Some(0.2));
        assert_eq!(given.budget, Budget::Seconds(0.2));
    }

    #[test]
    fn later_rounds_get_what_is_left() {
        let mut share = Share {
            end: Instant::now() + Duration::from_secs(100),
            round: 10.0,
            beyond: 0.0,
            played: 0,
        };
        let seconds = share.seconds(40, 2);
        assert!((1.9..=2.0).contains(&seconds), "{seconds}");
        share.took(2.0, 2.5);
        let seconds = share.seconds(40, 2);
        assert!((1.4..=1.5).contains(&seconds), "{seconds}");
        assert_eq!(share.seconds(40, 20), LEAST);
    }
}
