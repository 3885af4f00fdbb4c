//! Runs litmus tests alternately on two devices, or on one with two drivers, and compares outcome rates.
//!
//! What a machine does beside a run changes rates: another load, a warmer processor. Where two runs
//! follow each other that looks like a difference of the devices. Here each test is played in rounds,
//! first by one and then by the other, and in the next round the other way round, so that what drifts
//! drifts for both.

use crate::compare::between;
use crate::device::{Api, Selector};
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::merge::add;
use crate::plan::select::Selection;
use crate::plan::{self, Case, Plan, seed};
use crate::run::Results;
use crate::worker::session::{Limits, Session, Stop};
use crate::{Error, Notify, open};
use classay_reports::difference::Differences;
use classay_reports::record::{CaseId, CaseResult};
use classay_reports::store::{RunStatus, Store};
use classay_vocabulary::Budget;
use std::path::PathBuf;

/// What is compared, and how.
#[derive(Clone)]
pub struct Versus<'a> {
    /// The two devices.
    pub devices: [Selector; 2],
    /// The folder of the results, `first.db` and `second.db`.
    pub folder: PathBuf,
    /// Which litmus tests.
    pub selection: Selection,
    /// Seconds in all, shared equally by devices, tests and rounds.
    pub budget: f64,
    /// How many times each device has its turn with a test.
    pub rounds: u32,
    /// The master seed; drawn where none is given.
    pub seed: Option<u64>,
    /// The model that judges both; that of the first device where none is chosen.
    pub model: Option<ChosenModel>,
    /// How tests are placed and stressed.
    pub environment: Environment,
    /// What a test may take beyond its budget, and how often it is tried.
    pub limits: Limits,
    /// Ends the comparison; what both devices had finished is kept.
    pub interrupt: &'a Interrupt,
    /// Is told how it goes.
    pub notify: Notify<'a>,
}

/// What differs.
#[derive(Debug)]
pub struct Compared {
    /// Between the first device's results and the second's.
    pub differences: Differences,
    /// The stores of both.
    pub stores: [PathBuf; 2],
}

/// A device with what is kept of it.
struct Side {
    session: Session,
    kept: Results,
    path: PathBuf,
}

impl Versus<'_> {
    /// Plays and compares.
    ///
    /// # Errors
    ///
    /// No test is selected, a device does not open, a store cannot be written, or the user interrupted.
    pub fn run(self) -> Result<Compared, Error> {
        let api = self.api()?;
        let mut cases = plan::shipped_of(api).map_err(Error::Bug)?;
        cases.retain(|case| self.selection.takes(case));
        if cases.is_empty() {
            return Err(Error::Nothing(format!(
                "no shipped litmus test matches {}{}",
                self.selection,
                open::if_of_the_other(&self.selection, api)
            )));
        }
        let master = self.seed.unwrap_or_else(seed::draw);
        let asked = Budget::Seconds(self.budget / 2.0);
        plan::share_out(&mut cases, master, asked);
        for case in &mut cases {
            case.environment = self.environment.clone();
        }
        std::fs::create_dir_all(&self.folder).map_err(Error::output(&self.folder))?;
        let mut sides = Vec::new();
        let mut model = self.model.clone();
        for (selector, file) in self.devices.iter().zip(["first.db", "second.db"]) {
            let path = self.folder.join(file);
            let store = Store::open(&path)?;
            // One model judges both, that of the first where none is asked for.
            let (session, chosen) = open::judged(selector, model.take(), self.interrupt)?;
            let model = model.insert(chosen);
            let plan = Plan::new(
                selector.to_string(),
                model.given.clone(),
                master,
                self.selection.clone(),
                asked,
                &cases,
                None,
            );
            let record = &session.known().record;
            (self.notify)(&format!(
                "{file}: {} ({selector}), driver {}",
                record.name, record.driver
            ));
            let kept = Results::begin(Some(store), &plan, &cases, session.known())?;
            sides.push(Side {
                session,
                kept,
                path,
            });
        }
        let (Some(model), [first, second]) = (model, sides.as_mut_slice()) else {
            return Err(Error::Usage("two devices are needed".into()));
        };
        (self.notify)(&format!(
            "{} tests in {} rounds, about {} s in all; judged by {}; seed {master}",
            cases.len(),
            self.rounds,
            self.budget,
            model.given
        ));
        let played = self.play(&cases, &model, first, second);
        let status = match &played {
            Ok(()) => RunStatus::Done,
            Err(_) => RunStatus::Interrupted,
        };
        first.kept.finish(status)?;
        second.kept.finish(status)?;
        played?;
        let (differences, _) = between(
            (first.kept.run(), first.kept.all()),
            (second.kept.run(), second.kept.all()),
            second.kept.expectations(),
        );
        Ok(Compared {
            differences,
            stores: [first.path.clone(), second.path.clone()],
        })
    }

    /// The interface of both devices.
    fn api(&self) -> Result<Api, Error> {
        let [first, second] = &self.devices;
        let [api, other] = [first, second].map(|device| device.library.api());
        if api == other {
            return Ok(api);
        }
        Err(Error::Usage(format!(
            "{first} is reached by {} and {second} by {}, and no test is one of both: name two devices of one \
             interface; `classay bench --only known` measures devices of both side by side",
            open::spoken(api),
            open::spoken(other)
        )))
    }

    fn play(
        &self,
        cases: &[Case],
        model: &ChosenModel,
        first: &mut Side,
        second: &mut Side,
    ) -> Result<(), Error> {
        for case in cases {
            let mut sums: [Option<CaseResult>; 2] = [None, None];
            for round in 0..self.rounds {
                // First, second; second, first; and so on.
                let turns = if round % 2 == 0 { [0, 1] } else { [1, 0] };
                for turn in turns {
                    if self.interrupt.came() {
                        return Err(stopped(Stop::Interrupted));
                    }
                    let side = if turn == 0 { &mut *first } else { &mut *second };
                    let share = case.budget.seconds().unwrap_or(0.0) / f64::from(self.rounds);
                    let name = format!("{}-{round}", case.test);
                    let part = Case {
                        seed: seed::of_case(case.seed, &CaseId::new("versus", "round", &name)),
                        budget: case.budget.lasting(share),
                        ..case.clone()
                    };
                    let limits = self.limits;
                    // Rates differ from process to process: each turn is a cluster.
                    side.session.renew();
                    let result = side
                        .session
                        .run(&part, limits, model, &mut |_| {})
                        .map_err(stopped)?;
                    sums[turn] = Some(match sums[turn].take() {
                        Some(sum) => add(case, sum, result, model),
                        None => result,
                    });
                }
            }
            let [a, b] = sums;
            for (side, sum) in [(&mut *first, a), (&mut *second, b)] {
                if let Some(sum) = sum {
                    side.kept.commit(sum)?;
                }
            }
        }
        Ok(())
    }
}

fn stopped(stop: Stop) -> Error {
    Error::stopped(stop, ": what both devices had finished is kept")
}
