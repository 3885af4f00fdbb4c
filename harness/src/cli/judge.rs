//! `classay judge`: what a memory model says of tests, without a device.
//!
//! Files are judged on all cores and printed in the order in which they were given.

use super::litmus::{complain_of, unanswered};
use super::options::{JsonOption, LatestModelOption, OracleOptions};
use super::output::{Out, complain};
use clap::Args;
use classay::Error;
use classay::device::Api;
use classay::interrupt::Interrupt;
use classay::judge::{ChosenModel, Contested, contested};
use classay::plan::{self, Holding, Unreadable};
use classay_litmus::oracle::{self, Judgement, Limits, State};
use classay_litmus::program::{Program, Quantifier};
use classay_reports::text::outcome;
use classay_vocabulary::ExitCode;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

/// Options of `judge`.
#[derive(Debug, Args)]
pub struct JudgeOptions {
    /// Litmus tests: files (.litmus in the OPENCL dialect, or YAML), folders of them, @lists of files, or names
    /// of shipped tests, as SB+rlx or 'SB*'
    #[arg(value_name = "TEST", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    model: LatestModelOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    oracle: OracleOptions,
}

/// Bytes of stack for a thread that judges.
const STACK: usize = 64 << 20;

/// Does it; returns the exit code.
pub fn main(args: &JudgeOptions) -> Result<ExitCode, Error> {
    let opencl = args.model.chosen(Api::OpenCl)?;
    let vulkan = LazyLock::new(|| args.model.chosen(Api::Vulkan));
    let model_of = |api| match api {
        Api::OpenCl => Ok(&opencl),
        Api::Vulkan => vulkan.as_ref().map_err(ToString::to_string),
    };
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let mut out = Out::new();
    let mut code = ExitCode::Passed;
    let files = plan::expand(&args.files, Holding::Tests);
    in_order(
        &files,
        |path| {
            if interrupt.came() {
                return None;
            }
            let said = match path {
                Ok(path) => judge_file(path, &model_of, &limits(args, &interrupt)),
                Err(error) => Said::Unreadable(error.clone()),
            };
            (!interrupt.came()).then_some(said)
        },
        &mut |said| match said {
            Some(Said::Judged(answer)) if args.json.json => out.line(&answer.line()),
            Some(Said::Judged(answer)) => out.line(&answer.text(args.oracle.loop_bound)),
            Some(Said::Unreadable(file)) => {
                complain_of(&file, args.json.json, &mut out);
                code = ExitCode::Usage;
            }
            Some(Said::Unjudged { path, test, error }) => {
                let error = args.oracle.described(&error);
                if args.json.json {
                    out.line(&unanswered(&path, Some(&test), &error));
                } else {
                    complain(&format!("{} cannot be judged: {error}", path.display()));
                }
                code = ExitCode::Usage;
            }
            // Interrupted.
            None => {}
        },
    )?;
    if interrupt.came() {
        return Ok(ExitCode::Interrupted);
    }
    Ok(code)
}

/// How far the oracle goes for a test that it begins with now.
fn limits(args: &JudgeOptions, interrupt: &Interrupt) -> Limits {
    let mut limits = args.oracle.limits();
    limits.deadline.stop = Some(interrupt.flag());
    limits
}

/// What there is to say about a file.
enum Said {
    Judged(Box<Answer>),
    Unreadable(Unreadable),
    Unjudged {
        path: PathBuf,
        test: String,
        error: oracle::Error,
    },
}

/// What a model says of a test, as `--json` prints it: the keys are documented and stay.
#[derive(Debug, Serialize)]
struct Answer {
    test: String,
    file: String,
    model: String,
    holds: bool,
    racy: bool,
    states: Vec<String>,
    bounded: bool,
    ms: f64,
    /// Only where it is so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outside: bool,
    /// Only where there is some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contested: Vec<Difference>,
    /// Why it is not known what is contested; only where it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    contested_unknown: Option<String>,
    #[serde(skip)]
    target: Vec<bool>,
    #[serde(skip)]
    question: Quantifier,
    #[serde(skip)]
    flags: Vec<String>,
}

/// What readings say differently.
#[derive(Debug, Serialize)]
struct Difference {
    /// The outcome; none where the question is whether the behaviour is defined.
    state: Option<String>,
    readings: String,
    #[serde(skip)]
    target: bool,
}

fn judge_file<'m>(
    path: &Path,
    model_of: &dyn Fn(Api) -> Result<&'m ChosenModel, String>,
    limits: &Limits,
) -> Said {
    let program = match plan::read(path) {
        Ok(program) => program,
        Err(error) => return Said::Unreadable(error),
    };
    let chosen = match model_of(program.api) {
        Ok(chosen) => chosen,
        Err(message) => {
            let path = path.to_path_buf();
            return Said::Unreadable(Unreadable::File { path, message });
        }
    };
    let begun = Instant::now();
    match oracle::judge(&program, &chosen.model, limits) {
        Ok(judgement) => {
            let ms = begun.elapsed().as_secs_f64() * 1e3;
            let contested = contested(&program, chosen, limits.clone());
            let answer = Answer::new(&program, path, chosen, &judgement, contested, ms);
            Said::Judged(Box::new(answer))
        }
        Err(error) => Said::Unjudged {
            path: path.to_path_buf(),
            test: program.name,
            error,
        },
    }
}

impl Answer {
    fn new(
        program: &Program,
        path: &Path,
        chosen: &ChosenModel,
        judgement: &Judgement,
        contested: Result<Vec<Contested>, String>,
        ms: f64,
    ) -> Answer {
        let (contested, contested_unknown) = match contested {
            Ok(contested) => (contested, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let observables = program.observables();
        let recorded = program.recorded();
        let predicate = &program.condition.predicate;
        let text = |state: &State| outcome::state(&state.0, &recorded);
        let target = |state: &State| predicate.eval(&|o| state.value(&observables, o));
        Answer {
            test: program.name.clone(),
            file: path.to_string_lossy().into_owned(),
            model: chosen.name().to_string(),
            holds: judgement.holds,
            racy: judgement.racy,
            states: judgement.states.iter().map(text).collect(),
            bounded: judgement.bounded,
            ms: (ms * 1e3).round() / 1e3,
            target: judgement.states.iter().map(target).collect(),
            question: program.condition.quantifier,
            flags: judgement.flags.clone(),
            outside: judgement.outside,
            contested: contested
                .into_iter()
                .map(|c| Difference {
                    state: c.state.as_ref().map(text),
                    target: c.state.as_ref().is_some_and(target),
                    readings: c.readings,
                })
                .collect(),
            contested_unknown,
        }
    }

    /// One JSON object.
    fn line(&self) -> String {
        // Strings, numbers and booleans: nothing in it can fail to become JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// For people. `*` marks the target states, as in histograms.
    fn text(&self, loop_bound: u32) -> String {
        let answer = match (self.question, self.holds) {
            (Quantifier::Exists, true) => "exists holds: a target outcome is reachable",
            (Quantifier::Exists, false) => "exists does not hold: no target outcome is reachable",
            (Quantifier::NotExists, true) => "~exists holds: no target outcome is reachable",
            (Quantifier::NotExists, false) => {
                "~exists does not hold: a target outcome is reachable"
            }
            (Quantifier::Forall, true) => "forall holds: no other outcome is reachable",
            (Quantifier::Forall, false) => "forall does not hold: another outcome is reachable",
        };
        let mut text = format!(
            "{} ({}, {}, {:.2} ms)\n",
            self.test, self.file, self.model, self.ms
        );
        if self.racy {
            text.push_str(&format!(
                "  racy ({}): the behaviour is undefined, and the rest says what defined \
                 behaviour would be\n",
                self.flags.join(", ")
            ));
        } else {
            text.push_str("  not racy\n");
        }
        text.push_str(&format!("  {answer}\n"));
        if self.bounded {
            text.push_str(&format!(
                "  a loop was cut after {loop_bound} repetitions: there may be more outcomes\n"
            ));
        }
        if self.outside {
            text.push_str(
                "  an index leaves its array, which is undefined: such runs are left out\n",
            );
        }
        for (state, target) in self.states.iter().zip(&self.target) {
            text.push_str(if *target { "  * " } else { "    " });
            text.push_str(state);
            text.push('\n');
        }
        for Difference {
            state,
            readings,
            target,
        } in &self.contested
        {
            let mark = if *target { "* " } else { "" };
            let what = state.as_deref().unwrap_or("whether it is defined");
            text.push_str(&format!("  contested: {mark}{what}: {readings}\n"));
        }
        if let Some(why) = &self.contested_unknown {
            text.push_str(&format!("  what is contested is not known: {why}\n"));
        }
        text
    }
}

/// Does `work` for each of `items` on as many threads as there are cores; `each` gets the results
/// in order, as soon as they are there.
fn in_order<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    each: &mut dyn FnMut(T),
) -> Result<(), Error> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (send, receive) = channel();
    let mut printed = 0;
    thread::scope(|scope| {
        for _ in 0..cores.min(items.len()) {
            let (send, next, work) = (send.clone(), &next, &work);
            let thread = thread::Builder::new().stack_size(STACK);
            thread
                .spawn_scoped(scope, move || {
                    while let Some((index, item)) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        items.get(index).map(|item| (index, item))
                    } {
                        if send.send((index, work(item))).is_err() {
                            return;
                        }
                    }
                })
                .map_err(|e| Error::Bug(format!("no thread can be started: {e}")))?;
        }
        drop(send);
        let mut early = BTreeMap::new();
        for (index, result) in receive {
            early.insert(index, result);
            while let Some(result) = early.remove(&printed) {
                each(result);
                printed += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<u64> = (0..200).collect();
        let mut got = Vec::new();
        let work = |n: &u64| {
            thread::sleep(std::time::Duration::from_micros(n % 7 * 50));
            n * 2
        };
        in_order(&items, work, &mut |n| got.push(n)).expect("threads");
        assert_eq!(got, items.iter().map(|n| n * 2).collect::<Vec<_>>());
        in_order(&[], work, &mut |_| panic!("nothing to do")).expect("threads");
    }

    fn answer(source: &str, limits: &Limits) -> Answer {
        let program = classay_litmus::syntax::read_litmus("test", source).expect("a program");
        let chosen = ChosenModel::load("opencl-3.1").expect("a model");
        let judgement = oracle::judge(&program, &chosen.model, limits).expect("judged");
        let contested = contested(&program, &chosen, limits.clone());
        let path = Path::new("a/b.litmus");
        Answer::new(&program, path, &chosen, &judgement, contested, 0.12345)
    }

    fn shipped(name: &str) -> Answer {
        let all = classay_litmus::shipped();
        let (_, text) = all.iter().find(|(n, _)| *n == name).expect("shipped");
        answer(text, &Limits::default())
    }

    #[test]
    fn the_json_has_the_documented_keys_in_order() {
        assert_eq!(
            shipped("MP+rel+acq").line(),
            "{\"test\":\"MP+rel+acq\",\"file\":\"a/b.litmus\",\"model\":\"opencl-3.1\",\
             \"holds\":true,\"racy\":false,\"states\":[\"1:r0=0 1:r1=1\",\
             \"1:r0=1 1:r1=1\"],\"bounded\":false,\"ms\":0.123}"
        );
        assert!(shipped("MP+plain").racy);
        let inside = shipped("MP+rel+addr");
        assert!(!inside.outside, "{}", inside.line());
        let outside = "OPENCL outside\n{ int x[2] = {1, 2}; }\nP0 (global int* x) { int r0 = x[x[1]]; }\n\
                       exists (0:r0=1)";
        let outside = answer(outside, &Limits::default()).line();
        assert!(outside.ends_with(",\"outside\":true}"), "{outside}");
    }

    #[test]
    fn what_readings_say_differently_is_printed() {
        let narrow = shipped("SB+sc-fences+wg");
        let readings = "opencl-3.1, one-region, fences-on-no-memory, flags-carry-all, barrier-completes, by-bytes \
                        forbid and scoped-s, narrow-fences allow";
        assert!(
            narrow.line().ends_with(&format!(
                ",\"contested\":[{{\"state\":\"0:r0=0 1:r1=0\",\"readings\":\"{readings}\"}}]}}"
            )),
            "{}",
            narrow.line()
        );
        let text = narrow.text(2);
        assert!(
            text.ends_with(&format!("  contested: * 0:r0=0 1:r1=0: {readings}\n")),
            "{text}"
        );
        let apart = shipped("MP+kernels+elements+buffer").text(2);
        let line = apart.lines().last().unwrap_or_default();
        assert!(
            line.starts_with(
                "  contested: whether it is defined: by-bytes defines the behaviour and "
            ),
            "{apart}"
        );
    }

    #[test]
    fn readings_that_are_beyond_the_oracle_are_reported() {
        let all = classay_litmus::shipped();
        let (_, source) = all
            .iter()
            .find(|(n, _)| *n == "MP+rel+acq")
            .expect("shipped");
        let program = classay_litmus::syntax::read_litmus("test", source).expect("a program");
        let chosen = ChosenModel::load("opencl-3.1").expect("a model");
        let whole = oracle::judge(&program, &chosen.model, &Limits::default()).expect("judged");
        let few = Limits {
            states: 1,
            ..Limits::default()
        };
        let contested = contested(&program, &chosen, few);
        let answer = Answer::new(&program, Path::new("f"), &chosen, &whole, contested, 0.0);
        let why = "the program has more than 1 outcomes; the oracle does not keep more";
        let line = answer.line();
        assert!(
            line.ends_with(&format!(",\"contested_unknown\":\"{why}\"}}")),
            "{line}"
        );
        let text = answer.text(2);
        assert!(
            text.ends_with(&format!("  what is contested is not known: {why}\n")),
            "{text}"
        );
    }

    #[test]
    fn the_text_marks_the_target_states() {
        assert_eq!(
            shipped("SB+rlx")
                .text(2)
                .split_once('\n')
                .map(|(_, rest)| rest.to_string()),
            Some(
                "  not racy\n  exists holds: a target outcome is reachable\n  * 0:r0=0 1:r1=0\n    \
                 0:r0=0 1:r1=1\n    0:r0=1 1:r1=0\n    0:r0=1 1:r1=1\n"
                    .into()
            )
        );
        let text = shipped("MP+plain").text(2);
        assert!(
            text.contains("  racy (mm.race): the behaviour is undefined"),
            "{text}"
        );
    }
}
