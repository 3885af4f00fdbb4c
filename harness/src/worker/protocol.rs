//! What parent and worker say to each other: one JSON object a line, the parent's on the worker's
//! standard input, the worker's on its standard output. The worker speaks first ([`Reply::Hello`]
//! or [`Reply::Refused`]); then every [`Request`] has its answers, as each says. Anything else is
//! rubbish, and the worker that sent it is replaced.
//!
//! A litmus test comes with its whole text and its environment, so that a worker needs to know nothing
//! of what came before. [`Request::Load`] builds many tests in one program and keeps them; a
//! [`Request::Run`] of a test that is kept builds nothing, whatever its environment: what changes from
//! one environment to the next are arguments of the kernels. A worker that has died has forgotten
//! them, and builds a test that it does not have.

use super::whereabouts::Left;
use crate::device::{At, Capabilities};
use crate::environment::Environment;
use crate::execute::{Ended, NotRun};
use crate::plan::Body;
use classay_reports::record::{CaseId, DeviceRecord, Launch};
use classay_vocabulary::Budget;
use serde::{Deserialize, Serialize};

/// Version of these messages. Parent and worker are one program, so they differ only when the
/// program was replaced during a run.
pub const PROTOCOL: u32 = 5;

/// Longest line that is taken, in bytes.
pub const LONGEST_LINE: u64 = 64 << 20;

/// From parent to worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase")]
pub enum Request {
    /// List platforms and devices. Answer: [`Reply::Listed`] or [`Reply::Refused`].
    List,
    /// Open a device for the rest of this worker's life. Answer: [`Reply::Opened`] or
    /// [`Reply::Refused`].
    Open {
        /// Where; `None` takes the first device.
        at: Option<At>,
        /// What an earlier worker found out about the same device; saves asking again.
        known: Option<Box<Known>>,
    },
    /// Build litmus tests and keep them, in one program where that builds. Answer: for each of them, in
    /// order, one of [`Reply::Built`], [`Reply::Skipped`], [`Reply::Failed`].
    Load {
        /// The tests; other cases are answered by [`Reply::Built`] without being built.
        tests: Vec<ToLoad>,
    },
    /// Forget all that is built and kept, and free what it holds. Answer: [`Reply::Unloaded`].
    Unload,
    /// Run one case on the opened device. Answer: any number of [`Reply::Launch`], then one of
    /// [`Reply::Finished`], [`Reply::Skipped`], [`Reply::Failed`].
    Run(Box<Job>),
    /// End. No answer.
    Quit,
}

/// A case to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// The case.
    pub case: CaseId,
    /// What it runs.
    pub body: Body,
    /// How it is placed and stressed; the suites' cases have no use for it.
    #[serde(default)]
    pub environment: Environment,
    /// Seed of everything the case draws.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// Seconds without a sign of life after which the parent gives the case up that waits.
    pub patience: f64,
    /// The same of one that is at work.
    pub working: f64,
    /// What a violation says that counts, if not any does.
    #[serde(default)]
    pub keep: Option<String>,
    /// What an earlier worker left of it that died; all of it where there was none.
    #[serde(default)]
    pub left: Option<Left>,
}

/// A litmus test to build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToLoad {
    /// The case.
    pub case: CaseId,
    /// What it runs.
    pub body: Body,
}

/// From worker to parent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "lowercase")]
pub enum Reply {
    /// The worker is up and its library is loaded.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
    },
    /// The library cannot be used, or not so.
    Refused {
        /// What is wrong.
        refusal: Refusal,
    },
    /// Every platform of the library with its devices.
    Listed {
        /// In the library's order.
        platforms: Vec<ListedPlatform>,
    },
    /// The device is open.
    Opened {
        /// Where it is.
        at: At,
        /// What it is.
        known: Box<Known>,
    },
    /// A test is built and kept.
    Built {
        /// The case.
        case: CaseId,
        /// Seconds in the implementation's compiler; its share where others were built with it.
        build_seconds: f64,
    },
    /// Nothing is kept.
    Unloaded,
    /// One launch of a case.
    Launch {
        /// The case.
        case: CaseId,
        /// Its counts.
        launch: Launch,
    },
    /// The case ran to its end.
    Finished {
        /// Which case.
        case: CaseId,
        /// How.
        ended: Ended,
    },
    /// The case cannot be run, or the implementation failed.
    Unrun {
        /// Which case.
        case: CaseId,
        /// Why.
        why: NotRun,
    },
}

impl Reply {
    /// What kind of reply this is, for a message about one that was not expected.
    pub fn kind(&self) -> String {
        let said = serde_json::to_value(self).unwrap_or_default();
        said["reply"].as_str().unwrap_or_default().to_string()
    }
}

/// All that is known about a device: who it is and what it offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// For the store and for people.
    pub record: DeviceRecord,
    /// For deciding what can run.
    pub capabilities: Capabilities,
}

/// A platform, as listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListedPlatform {
    /// CL_PLATFORM_NAME.
    pub name: String,
    /// CL_PLATFORM_VERSION.
    pub version: String,
    /// CL_DEVICE_NAME of each device.
    pub devices: Vec<String>,
}

/// Why a library or a device in it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Refusal {
    /// The dynamic loader could not load it.
    NotLoaded {
        /// The loader's message.
        message: String,
    },
    /// It loads, and has none of the interface in it.
    NoInterface,
    /// It has only the entry points for an ICD loader; it must be opened through the layer.
    OnlyIcd,
    /// It has no platform.
    NoPlatform {
        /// What it said.
        message: String,
    },
    /// There is no such platform.
    NoSuchPlatform {
        /// The number asked for.
        asked: usize,
        /// How many there are.
        have: usize,
    },
    /// There is no device, or no such device, on the platform.
    NoSuchDevice {
        /// The platform's number; `None` where no platform has any device.
        platform: Option<usize>,
        /// The number asked for.
        asked: usize,
        /// How many there are.
        have: usize,
    },
    /// The device answers basic questions with errors.
    Unusable {
        /// One sentence.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_a_round_trip() {
        let request = Request::Run(Box::new(Job {
            case: CaseId::new("litmus", "classic", "MP"),
            body: Body::Commands {
                program: "OPENCL MP\n\"quoted\"\u{0}".into(),
            },
            environment: Environment::default(),
            seed: u64::MAX,
            budget: Budget::Instances(u64::MAX),
            patience: 1.5,
            working: 6.0,
            keep: None,
            left: None,
        }));
        let text = serde_json::to_string(&request).expect("json");
        assert!(!text.contains('\n'), "one message is one line: {text}");
        let Request::Run(job) = serde_json::from_str(&text).expect("json") else {
            panic!("another request came back");
        };
        assert_eq!(job.seed, u64::MAX);
        let program = "OPENCL MP\n\"quoted\"\u{0}".into();
        assert_eq!(job.body, Body::Commands { program });
    }
}
