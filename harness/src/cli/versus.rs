//! `classay versus`: two devices, or one with two drivers, play the same litmus tests in turns, and are
//! compared.
//!
//! What a machine does beside a run changes rates: another load, a warmer processor. Where two runs
//! follow each other that looks like a difference of the devices. Here each test is played in rounds,
//! first by one and then by the other, and in the next round the other way round, so that what drifts
//! drifts for both.

use super::args::VersusArgs;
use super::compare::{between, gate, told};
use super::output::{Out, say};
use classay::interrupt::Interrupt;
use classay::judge::ChosenModel;
use classay::merge::add;
use classay::plan::{self, Case, Plan, seed, select};
use classay::run::Results;
use classay::worker::session::{Session, Stop};
use classay::{Error, open};
use classay_reports::record::{CaseId, CaseResult};
use classay_reports::store::{RunStatus, Store};
use classay_vocabulary::Budget;
use std::path::PathBuf;

/// A device with what is kept of it.
struct Side {
    session: Session,
    kept: Results,
    path: PathBuf,
}

/// Does it; returns the exit code: that of a comparison.
pub fn versus(args: &VersusArgs) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let mut cases = plan::shipped().map_err(Error::Bug)?;
    cases.retain(|case| select::selected(&args.select, case));
    if cases.is_empty() {
        return Err(Error::Nothing(format!(
            "no shipped litmus test matches {}",
            args.select.join(" or ")
        )));
    }
    let given = open::chosen(args.model.as_deref())?;
    let environment = args.surroundings.environment().map_err(Error::Usage)?;
    let master = args.seed.unwrap_or_else(seed::draw);
    let asked = Budget::Seconds(args.budget / 2.0);
    plan::share_out(&mut cases, master, asked);
    for case in &mut cases {
        case.environment = environment.clone();
    }
    std::fs::create_dir_all(&args.out).map_err(Error::output(&args.out))?;
    let mut sides = Vec::new();
    let mut model: Option<ChosenModel> = given;
    for (selector, file) in args.devices.iter().zip(["first.db", "second.db"]) {
        let path = args.out.join(file);
        let store = Store::open(&path)?;
        // One model judges both, that of the first where none is asked for.
        let (session, chosen) = open::judged(selector, model.take(), &interrupt)?;
        let model = model.insert(chosen);
        let plan = Plan::new(
            selector.to_string(),
            model.given.clone(),
            master,
            args.select.clone(),
            asked,
            &cases,
            None,
        );
        let record = &session.known().record;
        say(&format!(
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
    say(&format!(
        "{} tests in {} rounds, about {} s in all; judged by {}; seed {master}",
        cases.len(),
        args.rounds,
        args.budget,
        model.given
    ));
    let played = play(args, &cases, &model, first, second, &interrupt);
    let status = match &played {
        Ok(()) => RunStatus::Done,
        Err(_) => RunStatus::Interrupted,
    };
    first.kept.finish(status)?;
    second.kept.finish(status)?;
    played?;
    let (found, _) = between(
        (first.kept.run(), first.kept.all()),
        (second.kept.run(), second.kept.all()),
    );
    let mut out = Out::new();
    told(&found, args.rate, args.json, &mut out);
    say(&format!(
        "`classay report {} --against {} --html FILE` shows both",
        second.path.display(),
        first.path.display()
    ));
    Ok(gate(&found, args.rate))
}

fn play(
    args: &VersusArgs,
    cases: &[Case],
    model: &ChosenModel,
    first: &mut Side,
    second: &mut Side,
    interrupt: &Interrupt,
) -> Result<(), Error> {
    for case in cases {
        let mut sums: [Option<CaseResult>; 2] = [None, None];
        for round in 0..args.rounds {
            // First, second; second, first; and so on.
            let turns = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for turn in turns {
                if interrupt.came() {
                    return Err(stopped(Stop::Interrupted));
                }
                let side = if turn == 0 { &mut *first } else { &mut *second };
                let share = case.budget.seconds().unwrap_or(0.0) / f64::from(args.rounds);
                let name = format!("{}-{round}", case.test);
                let part = Case {
                    seed: seed::of_case(case.seed, &CaseId::new("versus", "round", &name)),
                    budget: case.budget.lasting(share),
                    ..case.clone()
                };
                let limits = args.care.limits();
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

fn stopped(stop: Stop) -> Error {
    match stop {
        Stop::Interrupted => Error::Interrupted(": what both devices had finished is kept".into()),
        Stop::NoDevice(why) => Error::NoDevice(why),
    }
}
