//! `classay progress`: which model of forward progress a device is seen to keep.

use super::options::{DeviceOption, JsonOption, seconds};
use super::output::{Out, say_folded};
use super::show::about;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use classay::Error;
use classay::environment::Row;
use classay::interrupt::Interrupt;
use classay::progress::{self, Event, Fate, Played, Progress, Promise, Seen, Standing, Waiting};
use classay_litmus::oracle::Progress as Model;
use classay_litmus::progress::Among;
use classay_reports::record::DeviceRecord;
use classay_reports::report::progress::{ProgramLine, SeenLine};
use classay_reports::text::WIDTH;
use classay_reports::text::layout::wrap;
use classay_reports::text::number::grouped;
use classay_vocabulary::ExitCode;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

const EXIT_CODES: &str = "Exit codes: 0 the programs were played: what does not end is no failure where nothing \
     promises that it does; 1 the device breaks a promise, crashed or failed; 2 the command line is wrong; 3 there \
     is no such device; 4 it can play no program; 5 interrupted.";

/// Options of `progress`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ProgressOptions {
    #[command(flatten)]
    device: DeviceOption,
    /// Let the threads that wait for each other be these; repeatable [default: all, one after the other]
    #[arg(long, value_name = "WHAT", value_parser = among())]
    among: Vec<Among>,
    /// Count a launch that takes longer than this as one that does not end
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "2")]
    patience: f64,
    /// Print the programs and the models under which each ends; no device is touched
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    json: JsonOption,
}

fn among() -> impl TypedValueParser<Value = Among> {
    let names = Among::ALL.map(Among::name);
    PossibleValuesParser::new(names).try_map(|word| Among::named(&word).ok_or("no such threads"))
}

/// Does it; returns the exit code.
pub fn main(args: &ProgressOptions) -> Result<ExitCode, Error> {
    if args.list {
        return list(args.json.json);
    }
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let among = match args.among.as_slice() {
        [] => &Among::ALL[..],
        chosen => chosen,
    };
    let selector = args.device.selector();
    let progress = Progress {
        device: &selector,
        among,
        patience: Duration::from_secs_f64(args.patience),
        interrupt: &interrupt,
    };
    let mut printer = Printer {
        out: Out::new(),
        json: args.json.json,
        patience: args.patience,
        device: None,
        among: None,
        played: 0,
        failed: false,
    };
    progress.run(&mut |event| printer.tell(event))?;
    Ok(match (printer.failed, printer.played) {
        (true, _) => ExitCode::Failed,
        (false, 0) => ExitCode::Nothing,
        (false, _) => ExitCode::Passed,
    })
}

/// Prints what is told.
struct Printer {
    out: Out,
    json: bool,
    patience: f64,
    device: Option<DeviceRecord>,
    /// Whose lines come.
    among: Option<Among>,
    /// Programs that were played so far.
    played: usize,
    failed: bool,
}

impl Printer {
    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Begun(record, limit) => {
                say_folded(&opened(record, limit));
                self.device = Some(record.clone());
            }
            Event::Played(among, waiting, played) => {
                let text = match self.json {
                    true => json(&self.program(among, waiting, played)),
                    false => line(waiting, &fate(played, among, self.patience)),
                };
                if self.among.replace(among) != Some(among) && !self.json {
                    self.out.line(&format!("among {among}"));
                }
                self.out.line(&text);
            }
            Event::Settled(seen) => {
                self.played += seen.played;
                self.failed |= !seen.failures.is_empty();
                let line = self.seen(seen);
                let text = match (self.json, seen.played) {
                    (true, _) => json(&line),
                    (false, 0) => "  nothing was played".to_owned(),
                    (false, _) => summary(&line),
                };
                self.out.line(&text);
            }
        }
    }
}

/// The device, and what is to be known before the first program.
fn opened(record: &DeviceRecord, limit: Option<u32>) -> String {
    let mut text = format!(
        "{} ({}), driver {}: a program that waits in vain is no failure where no progress is promised",
        record.name, record.selector, record.driver
    );
    if let Some(turns) = limit {
        text.push_str(&format!(
            "\nthe device ends loops after {} turns: whoever waits gives up before, and then shows nothing",
            grouped(turns.into())
        ));
    }
    text
}

/// Prints the programs.
fn list(as_json: bool) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    for waiting in progress::programs()? {
        if as_json {
            out.line(&json(&Listed {
                program: waiting.name,
                ends_under: names(&waiting.ends_under),
                text: waiting.text,
            }));
            continue;
        }
        out.line(&line(&waiting, ""));
        for part in wrap(about(waiting.text), WIDTH - 4) {
            out.line(&format!("    {part}"));
        }
    }
    Ok(ExitCode::Passed)
}

/// A line about a program: its name, the models that end it, and what became of it.
fn line(waiting: &Waiting, fate: &str) -> String {
    let models = names(&waiting.ends_under).join(" ");
    let text = format!("  {:<19} {models:<25}  {fate}", waiting.name);
    text.trim_end().to_owned()
}

fn names(models: &[Model]) -> Vec<&'static str> {
    models.iter().map(|model| model.name()).collect()
}

/// What became of a program: a clause.
fn fate(played: &Played, among: Among, patience: f64) -> String {
    match &played.fate {
        Fate::Ended(instances) => format!("ended in {} instances", grouped(*instances)),
        Fate::Stuck(row) => {
            let row = match (among, row) {
                (Among::WorkGroups, Row::ByTeam) => ", work-groups instance by instance",
                (Among::WorkGroups, Row::ByNumber) => ", work-groups number by number",
                (Among::SubGroups | Among::WorkItems, _) => "",
            };
            format!("did not end within {patience} s{row}")
        }
        Fate::GaveUp(turns) => {
            let turns = grouped((*turns).into());
            format!("shows nothing: a loop gave up after {turns} turns")
        }
        Fate::Cut => "shows nothing: a loop ended though what it waits for had not come".into(),
        Fate::Skipped(why) => format!("skipped: {why}"),
        Fate::Failed(why) => format!("failed: {why}"),
    }
}

/// What was seen of threads that are alike.
fn summary(seen: &SeenLine) -> String {
    let mut text = format!("  seen to keep: {}", seen.keeps());
    for (model, by) in &seen.refuted {
        text.push_str(&format!(
            "\n  not kept: {model}: {} did not end",
            by.join(", ")
        ));
    }
    for (model, silent) in &seen.unknown {
        text.push_str(&format!(
            "\n  not known: {model}: {} showed nothing",
            silent.join(", ")
        ));
    }
    text.push_str(match seen.promised {
        None => "\n  promised: nothing",
        Some(_) => "\n  promised: fair (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)",
    });
    for failure in &seen.failures {
        text.push_str(&format!("\n  fails: {failure}"));
    }
    text
}

/// A program as `--list --json` prints it.
#[derive(Serialize)]
struct Listed {
    program: &'static str,
    ends_under: Vec<&'static str>,
    text: &'static str,
}

impl Printer {
    fn device(&self) -> (String, String) {
        let of = |part: fn(&DeviceRecord) -> &String| self.device.as_ref().map(part).cloned();
        let (name, driver) = (of(|record| &record.name), of(|record| &record.driver));
        (name.unwrap_or_default(), driver.unwrap_or_default())
    }

    fn program(&self, among: Among, waiting: &Waiting, played: &Played) -> ProgramLine {
        let (device, driver) = self.device();
        let (seen, instances, turns) = match &played.fate {
            Fate::Ended(instances) => ("ended", Some(*instances), None),
            Fate::Stuck(_) => ("stuck", None, None),
            Fate::GaveUp(turns) => ("gave-up", None, Some(*turns)),
            Fate::Cut => ("cut", None, None),
            Fate::Skipped(_) => ("skipped", None, None),
            Fate::Failed(_) => ("failed", None, None),
        };
        ProgramLine {
            device,
            driver,
            among: among.to_string(),
            program: waiting.name.to_string(),
            ends_under: owned(&waiting.ends_under),
            seen: seen.to_string(),
            instances,
            turns,
            what: fate(played, among, self.patience),
            seconds: (played.seconds * 1e3).round() / 1e3,
        }
    }

    fn seen(&self, seen: &Seen) -> SeenLine {
        let (device, driver) = self.device();
        let mut line = SeenLine {
            device,
            driver,
            among: seen.among.to_string(),
            kept: Vec::new(),
            strongest: owned(&seen.strongest()),
            refuted: BTreeMap::new(),
            unknown: BTreeMap::new(),
            promised: match seen.promise {
                Promise::Nothing => None,
                Promise::SubGroups => Some(Model::Fair.to_string()),
            },
            failures: seen.failures.clone(),
        };
        for (model, standing) in &seen.models {
            let model = model.to_string();
            let programs = |all: &[&str]| all.iter().map(ToString::to_string).collect();
            match standing {
                Standing::Kept => line.kept.push(model),
                Standing::Refuted(by) => _ = line.refuted.insert(model, programs(by)),
                Standing::Open(silent) => _ = line.unknown.insert(model, programs(silent)),
            }
        }
        line
    }
}

fn owned(models: &[Model]) -> Vec<String> {
    models.iter().map(ToString::to_string).collect()
}

fn json(line: &impl Serialize) -> String {
    // Strings and numbers: nothing in it can fail to become JSON.
    serde_json::to_string(line).unwrap_or_default()
}
