//! Every fault changes what a small program observes, and without one nothing does.
//!
//! A scenario is such a program: it panics when what it observes breaks a rule. This program runs
//! itself once for every fault, with the fault in the environment, and wants the scenario that
//! [`shows`] names for it to panic, to hang or to end the process; and once for every scenario
//! without a fault, which must do none of that. `SCENARIO=name` runs one by hand.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

mod events;
mod groups;
mod hosts;
mod litmus;
mod objects;
mod queues;
#[path = "../api/rig.rs"]
#[allow(dead_code, reason = "made for other tests, too")]
mod rig;
mod shared;
mod shows;
mod spaces;
mod tools;

use std::process::{Command, ExitCode};
use std::sync::mpsc;
use std::time::Duration;

use classay_faults::{Carrier, Entry};
use libtest_mimic::{Arguments, Failed, Trial};
use touchstone_faults::{Fault, ROWS};

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
        shared::SCENARIOS,
        litmus::SCENARIOS,
        litmus::WEAK,
    ];
    families.into_iter().flatten().copied()
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var("SCENARIO") {
        return play(&name);
    }
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("every_fault_is_shown", every_fault_is_shown),
        Trial::test("a_name_that_is_no_fault_leaves_no_platform", unknown),
    ];
    for (name, _) in scenarios() {
        let weak = move || within(name, "weak", false).map_err(Failed::from);
        trials.push(Trial::test(format!("weak/{name}"), weak));
        if !litmus::WEAK.iter().any(|(only, _)| *only == name) {
            let trial = move || within(name, "", false).map_err(Failed::from);
            trials.push(Trial::test(format!("none/{name}"), trial));
        }
    }
    for (entry, fault) in faults() {
        for name in shows::shows(fault) {
            let trial = move || match within(name, entry.id, shows::hangs(fault)) {
                Ok(()) => Err("nothing is to be seen of it".into()),
                Err(_) => Ok(()),
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
    let Some((_, scenario)) = scenarios().find(|(known, _)| *known == name) else {
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

/// Plays a scenario in a process of its own, with a fault: what it observed, if that is wrong.
fn within(name: &str, fault: &str, hangs: bool) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.env("SCENARIO", name);
    command.env_remove("TOUCHSTONE_FAULTS");
    if !fault.is_empty() {
        command.env("TOUCHSTONE_FAULTS", fault);
    }
    if name == "other_device" {
        command.env("TOUCHSTONE_DEVICES", "2");
    }
    if name == "images" {
        command.env("TOUCHSTONE_IMAGES", "host");
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
    let hidden =
        faults().filter(|(_, fault)| *fault != Fault::Weak && shows::shows(*fault).is_empty());
    let hidden: Vec<_> = hidden.map(|(entry, _)| entry.id).collect();
    if hidden.is_empty() {
        Ok(())
    } else {
        Err(format!("no scenario shows {hidden:?}").into())
    }
}

fn unknown() -> Result<(), Failed> {
    let said = within("independent", "local-shraed", false);
    match said {
        Err(text) if text.contains("`local-shraed`, which is no fault") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
