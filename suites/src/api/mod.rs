//! API cases: what calls of the host do by themselves, beside programs of commands.
//!
//! A [`Case`] plays one [`Scenario`]: calls that must be refused ([`refused`]), operations of several host threads at
//! once ([`Operation`]), and the lives of objects: destructors, freed memory, events that are released where they are
//! called back, memory that is not given back. [`generate`] makes one from a seed, [`lower`] turns it into a host program
//! with its checks, and [`shrink`] makes one that fails small.

pub mod arguments;
pub mod call;
pub mod fixture;
pub mod flagged;
pub mod generate;
pub mod listed;
mod lower;
pub mod made;
pub mod refused;
pub mod shrink;
#[cfg(test)]
mod tests;

pub use generate::{FAMILIES, generate};

use crate::family::{DeviceInfo, Family};
use crate::host::answers::Described;
use crate::host::c::{self, Document};
use crate::host::{self, Lowered, Mark, Record};
use crate::rule::{self, RuleId};
use crate::shrink::{Judge, Shrunk, Told};
use classay_vocabulary::{Need, Violation, words};
use listed::Listed;
use refused::Refused;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes a time below which memory that grows is no leak: the smallest object is larger.
pub const LEAST_OBJECT: i64 = 48;

/// The `kind:` of a file of an API case; older files have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `api`.
    #[default]
    Api,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What kind of case it is.
    #[serde(default)]
    pub kind: Kind,
    /// What the device must offer.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub needs: BTreeSet<Need>,
    /// What is done.
    #[serde(alias = "story")]
    pub scenario: Scenario,
}

/// What an API case does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Calls that must be refused, one after the other, and what is in memory afterwards.
    Refused {
        /// A command is held back meanwhile.
        held: bool,
        /// The calls.
        calls: Vec<Refused>,
    },
    /// Host threads that begin together.
    Threads {
        /// What each does.
        threads: Vec<Vec<Operation>>,
        /// How often each does it all.
        rounds: u16,
    },
    /// One operation again and again, until it shows whether it gives back its memory.
    Again {
        /// The operation.
        #[serde(alias = "act")]
        operation: Operation,
        /// How often in a stretch.
        times: u32,
    },
    /// A buffer with callbacks for its end, released while commands that use it may still have to run.
    Destructors {
        /// How many callbacks.
        callbacks: u8,
        /// A sub-buffer is released last.
        #[serde(alias = "part")]
        sub_buffer: bool,
    },
    /// A context with callbacks for its end, after these operations were done in it.
    Context {
        /// The operations.
        #[serde(alias = "acts")]
        operations: Vec<Operation>,
        /// How many callbacks.
        #[serde(default = "one")]
        callbacks: u8,
    },
    /// clEnqueueSVMFree with a callback, held back by a user event.
    SvmFree {
        /// How many allocations.
        allocations: u8,
        /// How often.
        times: u8,
        /// In how many queues each time, one after the other before the first is let go.
        #[serde(default = "one")]
        queues: u8,
    },
    /// Commands are enqueued, and every reference to what they use is given up: some in a callback, the last.
    Last {
        /// What calls back.
        trigger: Trigger,
        /// What is given up there; all else is given up before.
        given: Vec<Given>,
    },
    /// Programs that are created, built, compiled and linked, right and wrong, one after the other.
    Programs(Vec<Work>),
    /// Objects and lists that few programs ask for, one after the other.
    Listed(Vec<Listed>),
    /// A device and its platform are asked what they are; what this one said of itself when it was opened.
    Described(Described),
    /// A user event that is set to a negative status, asked for and waited for; no command waits for it.
    FailedEvent {
        /// The status.
        code: i32,
    },
    /// Every built-in kernel of the device, held back by a user event.
    BuiltIn,
    /// These built-in kernels.
    BuiltInKernels(Vec<String>),
    /// clEnqueueMarker, clEnqueueBarrier or clEnqueueWaitForEvents between two commands of a queue of
    /// which the first is held back.
    Legacy {
        /// Which.
        call: Legacy,
    },
}

/// A function of OpenCL 1.1 that orders commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Legacy {
    /// clEnqueueMarker.
    Marker,
    /// clEnqueueBarrier.
    Barrier,
    /// clEnqueueWaitForEvents.
    WaitForEvents,
}

words! {
    /// What calls back when references are given up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Trigger {
        /// The event of the last command.
        Event = "event",
        /// The same, complete before the callback is registered.
        CompleteEvent = "complete-event",
        /// A user event.
        UserEvent = "user-event",
        /// The end of another memory object.
        Memory = "memory",
    }
}

words! {
    /// An object of which the last reference is given up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Given {
        /// The event of the last command.
        Event = "event",
        /// A user event.
        UserEvent = "user-event",
        /// The memory of the commands.
        Memory = "memory",
        /// Their kernel.
        Kernel = "kernel",
        /// Its program.
        Program = "program",
        /// Their queue.
        Queue = "queue",
        /// The context of all.
        Context = "context",
    }
}

words! {
    /// Something that is done with a program.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Work {
        /// It is created, and nothing else.
        Create = "create",
        /// It is built.
        Build = "build",
        /// It is built, and that fails.
        BuildWrong = "build-wrong",
        /// It is compiled.
        Compile = "compile",
        /// It is compiled, and that fails.
        CompileWrong = "compile-wrong",
        /// What was compiled is linked.
        Link = "link",
        /// It is linked as a library.
        LinkLibrary = "link-library",
        /// One is compiled with several headers, and again with the same headers under other names.
        Headers = "headers",
        /// One is compiled with a name that two headers have, of which the first counts.
        HeadersTwice = "headers-twice",
        /// Its kernels are made and given up.
        Kernels = "kernels",
        /// What calls a function that there is not is linked, and that fails.
        LinkWrong = "link-wrong",
        /// A library is linked to an executable.
        LinkAgain = "link-again",
    }
}

words! {
    /// Something that a host thread does and undoes, with objects of its own but where it is said.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Operation {
        /// A buffer.
        Buffer = "buffer",
        /// A buffer with a sub-buffer.
        #[serde(alias = "part")]
        SubBuffer = "sub-buffer",
        /// A user event that is set and waited for.
        UserEvent = "user-event",
        /// A queue with a marker.
        Queue = "queue",
        /// A kernel with arguments, enqueued and waited for.
        Kernel = "kernel",
        /// A program, built, with a kernel.
        Program = "program",
        /// A context.
        Context = "context",
        /// A marker in a queue that all share.
        Marker = "marker",
        /// A fill of a buffer of its own in a queue that all share, and a blocking read.
        Fill = "fill",
        /// A map of a buffer of its own in a queue that all share, and its unmap.
        Map = "map",
        /// A marker behind a user event, whose callback releases its event.
        Callback = "callback",
        /// Callbacks for a marker, registered while it runs.
        Register = "register",
        /// References to what all share, taken and given back.
        Retain = "retain",
        /// Questions about what all share.
        Query = "query",
        /// A sampler.
        Sampler = "sampler",
        /// A program, compiled and linked, with a kernel.
        Linked = "linked",
        /// An image, and a blocking read of it in a queue that all share.
        Image = "image",
        /// Shared virtual memory, which is filled and copied in a queue that all share.
        SharedMemory = "shared-memory",
        /// A copy of a kernel, with another argument than that one has, enqueued and waited for.
        Clone = "clone",
    }
}

impl Operation {
    /// What the device must offer for it.
    pub fn needs(self) -> &'static [Need] {
        match self {
            Operation::Sampler => &[Need::ImageObjects],
            Operation::Image => &[Need::ImageObjects, Need::FullProfile],
            Operation::SharedMemory => &[Need::SvmCoarse],
            Operation::Clone => &[Need::Api21],
            _ => &[],
        }
    }
}

impl Scenario {
    /// The rules by which its calls and what is seen are as they are, the main one first.
    fn rules(&self) -> Vec<RuleId> {
        match self {
            Scenario::Refused { .. } => vec![rule::API_ERRORS],
            Scenario::Threads { .. } => vec![rule::QUEUE_THREADS, rule::QUEUE_RELEASE],
            Scenario::Again { .. } | Scenario::Destructors { .. } | Scenario::Context { .. } => {
                vec![rule::API_LIFETIME, rule::QUEUE_RELEASE]
            }
            Scenario::Last { .. } => vec![
                rule::API_LIFETIME,
                rule::QUEUE_RELEASE,
                rule::STATE_CALLBACKS,
            ],
            Scenario::Programs(_) => vec![rule::API_VALID, rule::KIND_SOURCE],
            Scenario::Listed(all)
                if all.iter().all(|one| matches!(one, Listed::Formats { .. })) =>
            {
                vec![rule::RG_FORMATS, rule::API_VALID]
            }
            Scenario::Listed(_) => vec![rule::API_LISTED, rule::API_VALID],
            Scenario::Described(_) => vec![rule::API_DEVICE],
            Scenario::SvmFree { .. } => vec![rule::SV_API, rule::QUEUE_IN_ORDER],
            Scenario::FailedEvent { .. } => vec![rule::FAIL_USER_EVENT, rule::FAIL_NEGATIVE],
            Scenario::BuiltIn | Scenario::BuiltInKernels(_) => vec![
                rule::KIND_BUILTIN,
                rule::PREREQ_WAIT_LIST,
                rule::NOT_BEFORE_READY,
            ],
            Scenario::Legacy { call } => match call {
                Legacy::Marker => vec![rule::SP_MARKER, rule::PREREQ_MARKER],
                Legacy::Barrier => vec![rule::SP_BARRIER, rule::PREREQ_BARRIER],
                Legacy::WaitForEvents => vec![rule::SP_BARRIER_LIST, rule::PREREQ_BARRIER],
            },
        }
    }
}

impl Case {
    /// The case as it is played on a device: with the names of its built-in kernels, and without calls and objects that
    /// need what it does not offer, unless these are all that there are.
    #[must_use]
    pub fn on(&self, device: &DeviceInfo, offers: impl Fn(&BTreeSet<Need>) -> bool) -> Case {
        let mut case = self.clone();
        if let Scenario::Refused { calls, .. } = &mut case.scenario {
            if calls.iter().any(|call| offers(&call.all_needs())) {
                calls.retain(|call| offers(&call.all_needs()));
            }
        } else if let Scenario::Listed(all) = &mut case.scenario {
            if all.iter().any(|one| offers(&one.all_needs())) {
                all.retain(|one| offers(&one.all_needs()));
            }
        } else if case.scenario == Scenario::BuiltIn {
            case.scenario = Scenario::BuiltInKernels(device.built_in_kernels.clone());
        } else if let Scenario::Described(said) = &mut case.scenario {
            *said = device.said.clone();
        }
        case
    }

    /// How many calls it makes that must be refused.
    pub fn calls(&self) -> usize {
        match &self.scenario {
            Scenario::Refused { calls, .. } => calls.len(),
            _ => 0,
        }
    }

    /// The same with these of its calls that must be refused.
    #[must_use]
    pub fn part(&self, of: std::ops::Range<usize>) -> Case {
        let mut case = self.clone();
        if let Scenario::Refused { calls, .. } = &mut case.scenario {
            *calls = calls.get(of).unwrap_or_default().to_vec();
        }
        case
    }

    /// The first of its calls that was let through and must be refused. It ends its thread, for nobody knows what it did
    /// to what the calls behind it need: these were left out.
    pub fn let_through(&self, record: &Record) -> Option<usize> {
        let through = |n: &usize| record.codes.get(&Mark(*n as u16)) == Some(&0);
        (0..self.calls()).find(through)
    }

    /// What a device must offer for the whole case.
    fn needs_of_all(&self) -> BTreeSet<Need> {
        let mut needs = self.needs.clone();
        if let Scenario::Refused { calls, .. } = &self.scenario {
            needs.extend(calls.iter().flat_map(Refused::all_needs));
        } else if let Scenario::Listed(all) = &self.scenario {
            needs.extend(all.iter().flat_map(Listed::all_needs));
        }
        needs
    }
}

impl Family for Case {
    const KIND: &'static str = "api";

    type Lowered = Lowered;

    fn generate(name: &str, seed: u64) -> Option<Case> {
        generate(name, seed)
    }

    fn needs(&self) -> BTreeSet<Need> {
        let mut needs = self.needs.clone();
        // Of calls that must be refused a device is asked those only that it can be ([`Case::on`]).
        if let Scenario::Refused { calls, .. } = &self.scenario {
            let each = calls.iter().map(Refused::all_needs);
            needs.extend(each.reduce(|all, one| &all & &one).unwrap_or_default());
        } else if let Scenario::Listed(all) = &self.scenario {
            let each = all.iter().map(Listed::all_needs);
            needs.extend(each.reduce(|all, one| &all & &one).unwrap_or_default());
        }
        needs
    }

    fn covers(&self) -> BTreeSet<RuleId> {
        let mut rules: BTreeSet<RuleId> = self.scenario.rules().into_iter().collect();
        if let Scenario::Refused { calls, .. } = &self.scenario {
            rules = calls.iter().flat_map(Refused::rules).collect();
            // A kernel whose arguments they were to set runs in the end.
            rules.insert(rule::ND_GLOBAL_ID);
        }
        rules.extend([rule::API_VALID, rule::API_ANSWERS]);
        rules
    }

    fn lower(&self, device: &DeviceInfo) -> Lowered {
        lower::lower(self, device)
    }

    fn check(&self, lowered: &Lowered, record: &Record, run: u32) -> Vec<Violation> {
        let mut found = lowered.broken(record, run);
        if let Scenario::Refused { calls, .. } = &self.scenario
            && self.let_through(record).is_some()
        {
            // What else is seen may be its work.
            let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
            found.retain(|violation| calls.iter().any(|call| violation.what.starts_with(call)));
        }
        if let Some((function, code)) = record.failed {
            let mut rules = self.scenario.rules();
            if !rules.contains(&rule::API_VALID) {
                rules.push(rule::API_VALID);
            }
            let what = host::failed(function, code);
            found.push(Violation { rules, what });
        }
        found.sort();
        found.dedup();
        found
    }

    fn shrink(self, judge: Judge<'_, Case>, told: Told<'_, Case>) -> Shrunk<Case> {
        shrink::shrink(self, judge, told)
    }

    fn to_c(&self, device: &DeviceInfo, asks: bool) -> String {
        let lowered = self.lower(device);
        c::to_c(&Document {
            about: &["What calls of the host do by themselves.".into()],
            needs: &self.needs_of_all(),
            program: &lowered.program,
            checks: &lowered.checks,
            quit: None,
            asks,
        })
    }

    fn write(&self) -> String {
        // Numbers, names and lists: nothing in it can fail to become YAML.
        serde_saphyr::to_string(self).unwrap_or_default()
    }

    fn read(text: &str) -> Result<Case, String> {
        let case: Case = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
        if let Scenario::Refused { calls, .. } = &case.scenario {
            for call in calls {
                call.valid()?;
            }
        }
        Ok(case)
    }
}

/// How many callbacks a context had where none says so.
fn one() -> u8 {
    1
}
