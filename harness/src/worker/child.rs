//! The worker's side: `classay worker`, one library a process, one request at a time.

use super::protocol::{Job, Known, ListedPlatform, PROTOCOL, Refusal, Reply, Request, ToLoad};
use super::variables;
use crate::device::{Api, At, OpenDevice, Reached, open, vulkan};
use crate::execute::host::Fixtures;
use crate::execute::litmus::{Order, Workshop, commands};
use crate::execute::{NotRun, Stage};
use crate::plan::Work;
use crate::sys;
use classay_litmus::program::Program;
use classay_vocabulary::ExitCode;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc;

/// Serves requests until told to quit or left alone, and ends the process without running a driver's exit
/// handlers.
pub fn main() -> ! {
    sys::die_with_parent();
    match serve() {
        Ok(()) => sys::exit_now(0),
        Err(message) => {
            eprintln!("classay worker: {message}");
            sys::exit_now(ExitCode::Usage.code().into())
        }
    }
}

fn serve() -> Result<(), String> {
    // Opened at once, so that no file of it stays, whoever is killed.
    super::whereabouts::page();
    let (input, output) =
        sys::take_standard_pipes().map_err(|e| format!("the pipes to the parent: {e}"))?;
    let mut out = Output(output);
    let requests = listen(input);
    let library = std::env::var(variables::LIBRARY).map_err(|_| {
        format!(
            "{} is not set; classay starts this itself",
            variables::LIBRARY
        )
    })?;
    let under = std::env::var(variables::UNDER_LAYER);
    let under = under.ok().map(|under| names(&under));
    let api = std::env::var(variables::API).ok();
    let api = api.as_deref().and_then(Api::named).unwrap_or_default();
    let loaded = Loaded::load(api, names(&library), under);
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(refusal) => return out.say(&Reply::Refused { refusal }),
    };
    out.say(&Reply::Hello { protocol: PROTOCOL })?;
    let mut device = None;
    let mut benches = Benches::default();
    for request in requests {
        match request? {
            Request::Quit => return Ok(()),
            Request::List => out.say(&match loaded.list() {
                Ok(platforms) => Reply::Listed { platforms },
                Err(refusal) => Reply::Refused { refusal },
            })?,
            Request::Open { at, known } => {
                // The layer of Vulkan knows one device at a time.
                benches = Benches::default();
                device = None;
                let reply = match loaded.open(at, known.map(|k| *k)) {
                    Ok((at, opened, known)) => {
                        device = Some(opened);
                        Reply::Opened {
                            at,
                            known: Box::<Known>::new(known),
                        }
                    }
                    Err(refusal) => Reply::Refused { refusal },
                };
                out.say(&reply)?;
            }
            Request::Load { tests } => {
                for reply in load(opened(&device)?, tests, &mut benches.litmus)? {
                    out.say(&reply)?;
                }
            }
            Request::Unload => {
                benches = Benches::default();
                out.say(&Reply::Unloaded)?;
            }
            Request::Run(job) => {
                let reply = run(*job, opened(&device)?, &mut benches, &mut out)?;
                out.say(&reply)?;
            }
        }
    }
    Ok(())
}

/// A library that this process loaded.
enum Loaded {
    OpenCl(Vec<String>),
    Vulkan(vulkan::Loaded),
}

impl Loaded {
    /// Loads a library, one of these names. Where others are `under` it, it is the layer of the interface, and
    /// they are what stands behind that.
    fn load(api: Api, library: Vec<String>, under: Option<Vec<String>>) -> Result<Loaded, Refusal> {
        match (api, under) {
            (Api::OpenCl, under) => {
                // Under the layer it is the driver's own library that is looked at first, for the message.
                match under.map_or(Ok(()), |under| open::load(&under)) {
                    Ok(()) | Err(Refusal::OnlyIcd) => {
                        open::load(&library).map(|()| Loaded::OpenCl(library))
                    }
                    Err(refusal) => Err(refusal),
                }
            }
            (Api::Vulkan, None) => vulkan::load(&library, None).map(Loaded::Vulkan),
            (Api::Vulkan, Some(driver)) => {
                let layer = library.first().map(String::as_str);
                vulkan::load(&driver, layer).map(Loaded::Vulkan)
            }
        }
    }

    fn list(&self) -> Result<Vec<ListedPlatform>, Refusal> {
        match self {
            Loaded::OpenCl(_) => open::list(),
            Loaded::Vulkan(library) => library.list(),
        }
    }

    fn open(
        &self,
        at: Option<At>,
        known: Option<Known>,
    ) -> Result<(At, OpenDevice, Known), Refusal> {
        match self {
            Loaded::OpenCl(library) => open::open(library, at, known),
            Loaded::Vulkan(library) => {
                let (at, gpu, known) = library.open(at, known)?;
                let opened = OpenDevice {
                    reached: Reached::Vulkan(gpu),
                    capabilities: known.capabilities.clone(),
                };
                Ok((at, opened, known))
            }
        }
    }
}

fn opened(device: &Option<OpenDevice>) -> Result<&OpenDevice, String> {
    let early = || "a case came before the device was opened".to_string();
    device.as_ref().ok_or_else(early)
}

/// What the cases of a device share.
#[derive(Default)]
struct Benches {
    litmus: Workshop,
    host: Option<Fixtures>,
}

impl Benches {
    /// What host programs share on a device that may be silent for so many seconds, waiting and working.
    fn fixtures(
        &mut self,
        device: &OpenDevice,
        (waiting, working): (f64, f64),
    ) -> Result<&mut Fixtures, NotRun> {
        let fixtures = match self.host.take() {
            Some(fixtures) => fixtures,
            None => Fixtures::new(device)?,
        };
        // A run that waits in vain for a callback must end before it is given up.
        let idle = (waiting / 2.0).clamp(0.1, 10.0);
        fixtures.set_deadlines(idle, (working / 2.0).max(idle));
        Ok(self.host.insert(fixtures))
    }
}

/// Runs a case, sending its launches as they come; returns the reply that ends it.
fn run(
    job: Job,
    device: &OpenDevice,
    benches: &mut Benches,
    out: &mut Output,
) -> Result<Reply, String> {
    let case = job.case;
    let mut sent = Ok(());
    let mut on_launch = |launch| {
        if sent.is_ok() {
            sent = out.say(&Reply::Launch {
                case: case.clone(),
                launch,
            });
        }
    };
    let work = job
        .body
        .work(job.seed)
        .map_err(|error| format!("the parent sent a case that cannot be read: {error}"))?;
    let order = Order {
        environment: &job.environment,
        seed: job.seed,
        budget: job.budget,
    };
    let ended = match work {
        Work::Litmus(program) if program.commands.is_empty() => {
            let workshop = &mut benches.litmus;
            workshop.run(device, &program, &order, &mut on_launch)
        }
        work => benches
            .fixtures(device, (job.patience, job.working))
            .and_then(|fixtures| {
                let stage = Stage {
                    device,
                    fixtures,
                    budget: job.budget,
                    keep: job.keep.as_deref(),
                    on_launch: &mut on_launch,
                };
                match work {
                    Work::Litmus(program) => commands::run(stage, &program),
                    Work::Commands(plan) => stage.commands(&plan),
                    Work::Kernel(case) => stage.kernel(&case),
                    Work::Api(case) => stage.api(&case, job.left),
                }
            }),
    };
    sent?;
    Ok(match ended {
        Ok(ended) => Reply::Finished { case, ended },
        Err(why) => Reply::Unrun { case, why },
    })
}

/// Builds litmus tests and keeps them; a reply for each.
fn load(
    device: &OpenDevice,
    tests: Vec<ToLoad>,
    workshop: &mut Workshop,
) -> Result<Vec<Reply>, String> {
    let mut programs = Vec::new();
    for test in &tests {
        // Nothing else is built from its text alone, and litmus tests draw nothing before they run; those
        // with commands are built when they are played.
        programs.push(match test.body.work(0) {
            Ok(Work::Litmus(program)) if program.commands.is_empty() => {
                Some(Program::clone(&program))
            }
            Ok(Work::Litmus(_) | Work::Commands(_) | Work::Kernel(_) | Work::Api(_)) => None,
            Err(error) => {
                return Err(format!(
                    "the parent sent a test that cannot be read: {error}"
                ));
            }
        });
    }
    let built = workshop.load(device, programs);
    let reply = |(ToLoad { case, .. }, built)| match built {
        Ok(build_seconds) => Reply::Built {
            case,
            build_seconds,
        },
        Err(why) => Reply::Unrun { case, why },
    };
    Ok(tests.into_iter().zip(built).map(reply).collect())
}

fn names(list: &str) -> Vec<String> {
    list.split(';').map(str::to_string).collect()
}

/// Reads requests on a thread of its own, so that the end of the pipe is noticed also while a case
/// runs: then the parent is gone, and this process goes at once.
fn listen(input: File) -> mpsc::Receiver<Result<Request, String>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(input).lines() {
            let request = line
                .map_err(|e| format!("reading from the parent: {e}"))
                .and_then(|l| {
                    serde_json::from_str(&l).map_err(|e| format!("the parent sent rubbish: {e}"))
                });
            if send.send(request).is_err() {
                return;
            }
        }
        sys::exit_now(0);
    });
    receive
}

/// The pipe to the parent.
struct Output(File);

impl Output {
    fn say(&mut self, reply: &Reply) -> Result<(), String> {
        let mut line =
            serde_json::to_vec(reply).map_err(|e| format!("an answer cannot be written: {e}"))?;
        line.push(b'\n');
        self.0
            .write_all(&line)
            .map_err(|e| format!("writing to the parent: {e}"))
    }
}
