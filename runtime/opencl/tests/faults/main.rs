//! Every fault changes what a small program observes, and without one nothing does.
//!
//! A scenario is such a program: it panics when what it observes breaks a rule. This program runs
//! itself once for every fault, with the fault in the environment, and wants the scenario that
//! [`shows`] names for it to panic, to hang or to end the process; and once for every scenario
//! without a fault, and with each latitude, which must do none of that. [`latitudes`] has
//! scenarios of another sort: they show a latitude, and panic where Touchstone does not take it. `SCENARIO=name` runs one by hand.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod children;
mod devices;
mod events;
mod groups;
mod hosts;
mod images;
mod latitudes;
mod litmus;
mod objects;
mod programs;
mod queues;
mod recorded;
#[path = "../api/rig.rs"]
#[allow(dead_code, reason = "made for other tests, too")]
mod rig;
mod schedules;
mod shared;
mod shows;
mod spaces;
mod tools;

use std::process::{Command, ExitCode};
use std::sync::mpsc;
use std::time::Duration;

use classay_faults::{Carrier, Entry};
use libtest_mimic::{Arguments, Failed, Trial};
use touchstone_faults::{Fault, LATITUDES, Latitude, ROWS};

/// A small program, by its name.
type Scenario = (&'static str, fn());

/// How long a scenario may take that should end, and one whose fault makes it hang.
const PATIENCE: [Duration; 2] = [Duration::from_secs(120), Duration::from_secs(1)];

fn scenarios() -> impl Iterator<Item = Scenario> {
    let families = [
        queues::SCENARIOS,
        hosts::SCENARIOS,
        events::SCENARIOS,
        spaces::SCENARIOS,
        groups::SCENARIOS,
        objects::SCENARIOS,
        programs::SCENARIOS,
        images::SCENARIOS,
        devices::SCENARIOS,
        shared::SCENARIOS,
        litmus::SCENARIOS,
        children::SCENARIOS,
        recorded::SCENARIOS,
    ];
    families.into_iter().flatten().copied()
}

/// What shows the latitudes.
fn shown() -> impl Iterator<Item = &'static (Latitude, Scenario)> {
    latitudes::SHOWN.iter().chain(schedules::SHOWN)
}

/// Whether a scenario asks for nothing that a latitude takes away.
fn bears(name: &str, latitude: Latitude) -> bool {
    match latitude {
        // Most have groups of several work-items.
        Latitude::SmallestLimits => false,
        Latitude::QueuesLost => !name.starts_with("failure"),
        _ => true,
    }
}

/// What a process is started with: the variable, and what it names.
type Switch<'a> = Option<(&'static str, &'a str)>;

const FAULTS: &str = "TOUCHSTONE_FAULTS";
const LATITUDE: &str = "TOUCHSTONE_LATITUDE";

fn main() -> ExitCode {
    if let Ok(name) = std::env::var("SCENARIO") {
        return play(&name);
    }
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("every_fault_is_shown", every_fault_is_shown),
        Trial::test("every_latitude_is_shown", every_latitude_is_shown),
        Trial::test("a_name_that_is_none_leaves_no_platform", unknown),
    ];
    for (name, _) in scenarios() {
        let trial = move || within(name, None, false).map_err(Failed::from);
        trials.push(Trial::test(format!("none/{name}"), trial));
        for row in LATITUDES.iter().filter(|row| bears(name, row.latitude)) {
            let taken = move || within(name, Some((LATITUDE, row.id)), false).map_err(Failed::from);
            trials.push(Trial::test(format!("{}/{name}", row.id), taken));
        }
    }
    for (latitude, (name, _)) in shown() {
        let row = LATITUDES.iter().find(|row| row.latitude == *latitude);
        let id = row.expect("every latitude has a row").id;
        let trial = move || {
            within(name, Some((LATITUDE, id)), false)?;
            match within(name, None, false) {
                Ok(()) => Err("it is to be seen without the latitude, too".into()),
                Err(_) => Ok(()),
            }
        };
        trials.push(Trial::test(format!("shown/{id}/{name}"), trial));
    }
    for (entry, fault) in faults() {
        for name in shows::shows(fault) {
            let broken = Some((FAULTS, entry.id));
            // Where threads decide what is to be seen, a busy machine shows it later.
            let trial = move || {
                let mut runs = (0..5).map(|_| within(name, broken, shows::hangs(fault)));
                match runs.any(|run| run.is_err()) {
                    true => Ok(()),
                    false => Err("nothing is to be seen of it".into()),
                }
            };
            trials.push(Trial::test(format!("{}/{name}", entry.id), trial));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The rows of the catalogue that Touchstone carries.
fn faults() -> impl Iterator<Item = (&'static Entry, Fault)> {
    ROWS.iter().filter_map(|entry| match entry.carrier {
        Carrier::Touchstone(fault) => Some((entry, fault)),
        _ => None,
    })
}

/// Plays a scenario in this process.
fn play(name: &str) -> ExitCode {
    let shown = shown().map(|(_, scenario)| *scenario);
    let mut all = scenarios().chain(shown);
    let Some((_, scenario)) = all.find(|(known, _)| *known == name) else {
        eprintln!("no scenario is called {name}");
        return ExitCode::from(2);
    };
    let hurried = std::env::var_os("HANGS").is_some();
    let (told, tells) = mpsc::channel();
    let player = std::thread::spawn(move || {
        scenario();
        let _ = told.send(());
    });
    match tells.recv_timeout(PATIENCE[usize::from(hurried)]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let _ = player.join();
            // Threads of the runtime may wait for what never comes.
            std::process::exit(1);
        }
        Err(mpsc::RecvTimeoutError::Timeout) => {
            eprintln!("it hangs");
            std::process::exit(3);
        }
    }
}

/// Plays a scenario in a process of its own, with a fault or a latitude: what it observed, if that is wrong.
fn within(name: &str, switch: Switch<'_>, hangs: bool) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.env("SCENARIO", name);
    command.env_remove(FAULTS).env_remove(LATITUDE);
    if let Some((variable, named)) = switch {
        command.env(variable, named);
    }
    if name.starts_with("other_") {
        command.env("TOUCHSTONE_DEVICES", "2");
    }
    if hangs {
        command.env("HANGS", "1");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {text}", output.status))
}

fn every_fault_is_shown() -> Result<(), Failed> {
    let hidden = faults().filter(|(_, fault)| shows::shows(*fault).is_empty());
    let hidden: Vec<_> = hidden.map(|(entry, _)| entry.id).collect();
    if hidden.is_empty() {
        Ok(())
    } else {
        Err(format!("no scenario shows {hidden:?}").into())
    }
}

fn every_latitude_is_shown() -> Result<(), Failed> {
    let unseen = LATITUDES.iter().filter(|row| {
        let mut shown = shown();
        !shown.any(|(latitude, _)| *latitude == row.latitude)
    });
    let unseen: Vec<_> = unseen.map(|row| row.id).collect();
    if unseen.is_empty() {
        Ok(())
    } else {
        Err(format!("no scenario shows {unseen:?}").into())
    }
}

fn unknown() -> Result<(), Failed> {
    for (variable, what) in [(FAULTS, "fault"), (LATITUDE, "latitude")] {
        let said = within("independent", Some((variable, "local-shraed")), false);
        match said {
            Err(text) if text.contains(&format!("`local-shraed`, which is no {what}")) => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}
