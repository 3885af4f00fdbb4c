//! The suites as tests of cargo: a trial for each case, named by its id.
//!
//! Trials that are chosen are run by a few processes of `classay run --json`, each with its share of
//! the cases; a trial waits for its case's line. So a whole selection costs a few starts, and one case
//! alone (`--exact ID`, as cargo-nextest asks) costs one. What a case cannot show, for the device lacks
//! something or nobody answered, is told as ignored with the reason.
//!
//! Without an option a few cases of each kind are run; `--include-ignored` runs all that there are.
//! Variables choose which there are:
//!
//! | variable | says | default |
//! | --- | --- | --- |
//! | `CLASSAY_TEST_DEVICE` | the device | `touchstone` |
//! | `CLASSAY_SEED` | the master seed | 1 |
//! | `CLASSAY_PROGRAMS` | cases of each kind that are drawn | 10 |
//! | `CLASSAY_SMALL` | small programs of commands | 400 |
//! | `CLASSAY_RUNS` | runs of a generated case | 3 |
//! | `CLASSAY_INSTANCES` | instances of a litmus test | 1000 |

mod common;

use classay_suites::api;
use classay_suites::commands::generate::{Profile, enumerate};
use classay_suites::kernels::generate::{FAMILIES, most_cases};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{ExitCode, Stdio};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// Cases of each kind that are run without an option.
const QUICK: u32 = 3;

/// One in so many of the small programs is run without an option.
const QUICK_SMALL: usize = 10;

/// What is asked for.
#[derive(Clone)]
struct Asked {
    device: String,
    seed: u64,
    programs: u32,
    small: usize,
    runs: u64,
    instances: u64,
}

impl Asked {
    fn new() -> Result<Asked, String> {
        Ok(Asked {
            device: common::device(),
            seed: number("CLASSAY_SEED", 1)?,
            programs: number("CLASSAY_PROGRAMS", 10)? as u32,
            small: number("CLASSAY_SMALL", 400)? as usize,
            runs: number("CLASSAY_RUNS", 3)?.max(1),
            instances: number("CLASSAY_INSTANCES", 1000)?.max(1),
        })
    }

    /// Every case's id, and whether it is run without an option, in the order of a plan.
    fn cases(&self) -> Vec<(String, bool)> {
        let mut cases: Vec<(String, bool)> = classay_litmus::shipped()
            .iter()
            .map(|(name, _)| (format!("litmus/classic/{name}"), true))
            .collect();
        let all = enumerate::shapes().len();
        let small = self.small.min(all);
        for n in 0..small {
            let number = n * all / small;
            cases.push((
                format!("queue/small/{number:05}"),
                n.is_multiple_of(QUICK_SMALL),
            ));
        }
        let profiles = Profile::all();
        let kinds = profiles.iter().map(|(family, kind, _)| (*family, *kind));
        let kernels = FAMILIES.iter().map(|(family, kind, _)| (*family, *kind));
        let calls = api::FAMILIES
            .iter()
            .map(|(family, kind, _)| (*family, *kind));
        for (family, kind) in kinds.chain(kernels).chain(calls) {
            let most = most_cases(&format!("{family}/{kind}"));
            for n in 0..self.programs.min(most) {
                cases.push((format!("{family}/{kind}/{n:05}"), n < QUICK));
            }
        }
        cases
    }
}

fn number(name: &str, otherwise: u64) -> Result<u64, String> {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .map_err(|_| format!("{name} is {text:?}, which is no number")),
        Err(_) => Ok(otherwise),
    }
}

/// What is known of a case: how it ended, in a process that has others.
type Ends = HashMap<String, Result<Completion, String>>;

/// A process with its share of the cases. The reader of its output is the only one that writes `ends`,
/// under the lock, and tells the trials that wait for them.
struct Share {
    asked: Asked,
    ids: Vec<String>,
    started: OnceLock<()>,
    /// What ended, and what is wrong with all that has not when the process is gone.
    ends: Mutex<(Ends, Option<String>)>,
    more: Condvar,
}

impl Share {
    fn new(asked: &Asked, ids: Vec<String>) -> Arc<Share> {
        Arc::new(Share {
            asked: asked.clone(),
            ids,
            started: OnceLock::new(),
            ends: Mutex::default(),
            more: Condvar::new(),
        })
    }

    /// Waits for a case's end; the process is started by who comes first.
    fn end_of(self: &Arc<Share>, id: &str) -> Result<Completion, Failed> {
        self.started.get_or_init(|| {
            let share = self.clone();
            std::thread::spawn(move || {
                let gone = share.play().unwrap_or_else(|e| e);
                if let Ok(mut ends) = share.ends.lock() {
                    ends.1 = Some(gone);
                }
                share.more.notify_all();
            });
        });
        let mut ends = self.ends.lock().map_err(|e| e.to_string())?;
        loop {
            if let Some(end) = ends.0.remove(id) {
                return end.map_err(Failed::from);
            }
            if let Some(gone) = &ends.1 {
                return Err(format!("there is no result: {gone}").into());
            }
            ends = self.more.wait(ends).map_err(|e| e.to_string())?;
        }
    }

    /// Runs the process to its end; says what it said on standard error.
    fn play(&self) -> Result<String, String> {
        let store = tempfile::tempdir().map_err(|e| e.to_string())?;
        let asked = &self.asked;
        let litmus = self.ids.iter().all(|id| id.starts_with("litmus/"));
        let instances = if litmus { asked.instances } else { asked.runs };
        let mut command = common::classay();
        command
            .env("TOUCHSTONE_THREADS", "2")
            .args(["run", "--json", "--device", &asked.device])
            .args(["--seed", &asked.seed.to_string()])
            .args(["--programs", &asked.programs.to_string()])
            .args(["--bounded", &asked.small.to_string()])
            .args(["--instances", &instances.to_string()])
            // Beside other tests and builds a case may go without a processor for long.
            .args(["--case-timeout", "60"])
            .arg("--store")
            .arg(store.path().join("results.db"));
        for id in &self.ids {
            command.args(["--select", id]);
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let (out, mut err) = match (child.stdout.take(), child.stderr.take()) {
            (Some(out), Some(err)) => (out, err),
            _ => return Err("the process has no output".into()),
        };
        let said = std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = err.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        });
        for line in BufReader::new(out).lines() {
            let line = line.map_err(|e| e.to_string())?;
            self.note(&line)?;
        }
        let code = child.wait().map_err(|e| e.to_string())?;
        let said = said.join().unwrap_or_default();
        Ok(format!("classay ended with {code}\n{said}"))
    }

    /// Notes a line of the process.
    fn note(&self, line: &str) -> Result<(), String> {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("{e} in {line}"))?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
        let (mut test, reason) = (text("test"), text("reason"));
        // A litmus test's line has its own name.
        if !self.ids.contains(&test) {
            test = format!("litmus/classic/{test}");
        }
        let end = match text("verdict").as_str() {
            "pass" => Ok(Completion::Completed),
            "skip" | "inconclusive" | "contested" => Ok(Completion::ignored_with(reason)),
            verdict => Err(format!(
                "{verdict}: {reason}\nagain: classay run --device {} --select '{test}' --seed {} --programs {} --bounded {} --instances {}",
                self.asked.device,
                self.asked.seed,
                self.asked.programs,
                self.asked.small,
                self.asked.runs
            )),
        };
        if let Ok(mut ends) = self.ends.lock() {
            ends.0.insert(test, end);
        }
        self.more.notify_all();
        Ok(())
    }
}

/// Trials for the cases. Those that will be run are dealt out to as many processes as there are
/// threads, litmus tests to processes of their own.
fn trials(arguments: &Arguments, asked: &Asked) -> Vec<Trial> {
    let cases = asked.cases();
    let is_run = |id: &str, quick: bool| {
        let trial = Trial::test(id, || Ok(())).with_ignored_flag(!quick);
        !arguments.list && !arguments.is_filtered_out(&trial) && !arguments.is_ignored(&trial)
    };
    let threads = arguments
        .test_threads
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
        .clamp(1, 8);
    let mut dealt: Vec<Vec<String>> = vec![Vec::new(); 2 * threads];
    let mut place: HashMap<String, usize> = HashMap::new();
    let mut next = [0, 0];
    for (id, quick) in &cases {
        if !is_run(id, *quick) {
            continue;
        }
        let kind = usize::from(id.starts_with("litmus/"));
        let at = kind * threads + next[kind] % threads;
        next[kind] += 1;
        dealt[at].push(id.clone());
        place.insert(id.clone(), at);
    }
    let shares: Vec<Arc<Share>> = dealt
        .into_iter()
        .map(|ids| Share::new(asked, ids))
        .collect();
    let trial = |(id, quick): (String, bool)| {
        let share = place.get(&id).map(|n| shares[*n].clone());
        let name = id.clone();
        Trial::ignorable_test(name, move || match share {
            Some(share) => share.end_of(&id),
            None => Err("it was not to be run".into()),
        })
        .with_ignored_flag(!quick)
    };
    cases.into_iter().map(trial).collect()
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let asked = match Asked::new() {
        Ok(asked) => asked,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let trials = trials(&arguments, &asked);
    libtest_mimic::run(&arguments, trials).exit_code()
}
