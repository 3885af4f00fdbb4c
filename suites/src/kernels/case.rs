//! What a kernel case is made of.

/// An object, by its place in the case: a slot of the program that the case is lowered to.
pub use crate::host::Slot as ObjectId;
pub use crate::host::check::{Ids, Permutation, Printed, Same, Within};
pub use crate::host::{
    Build, Contents, FIELDS, OtherProgram, Place, Range, SUB_GROUP_FIELDS, Unit,
};

use super::image::{Image, Sampler};
use super::recorded::{Play, Record};
use super::transfer::Move;
use super::updated::{Again, Update};
use crate::catalogue;
use crate::host::exchange::Operation;
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The `kind:` of a file of a kernel case; older files have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// `kernel`.
    #[default]
    Kernel,
}

/// A case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCase {
    /// What kind of case it is.
    #[serde(default)]
    pub kind: FileKind,
    /// What it does, in a sentence.
    pub about: String,
    /// What the device must offer.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub needs: BTreeSet<Need>,
    /// The program; empty where no kernel runs, or kernels come from elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Further translation units: the source and each of these is compiled by itself, and all are linked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// The words of a SPIR-V module, which is the program in place of a source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub module: Vec<u32>,
    /// The program is given to the implementation as the SPIR-V module that the source and the further units are
    /// translated to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub translated: bool,
    /// The names of built-in kernels, separated by semicolons, which are the program in place of a
    /// source; `*` means all that the device has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub built_in: String,
    /// Queues on the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_queues: Vec<DeviceQueue>,
    /// How it is built.
    #[serde(default)]
    pub build: Build,
    /// Queues beside the first, which is number 0 and on the first device: the device of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<u8>,
    /// Its memory.
    pub objects: Vec<Object>,
    /// The 32-bit word that a side writes which has waited too long, and that all read who wait. A run
    /// in which it is not 0 at the end shows nothing but what is looked at even so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quit: Option<Place>,
    /// What the host does, in order.
    pub steps: Vec<Step>,
    /// The first queue profiles, and in the end all transfers are asked for their times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profiled: bool,
    /// How it was drawn, if it was: from that it can be drawn smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
}

/// How a case was drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// The family, `family/kind`.
    pub family: String,
    /// The seed.
    pub seed: u64,
}

/// A queue on the device, for kernels to enqueue to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceQueue {
    /// It is the device's default.
    #[serde(default)]
    pub default: bool,
    /// It takes the times of its commands.
    #[serde(default)]
    pub profiling: bool,
    /// Its size, in bytes; the device's preferred one where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
}

/// A stretch of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Its length, in bytes; at least 1.
    pub bytes: usize,
    /// What is in it at the beginning. A sub-buffer has what its parent has there.
    #[serde(default, skip_serializing_if = "Contents::is_zero")]
    pub contents: Contents,
    /// Of a buffer or an image: created with CL_MEM_ALLOC_HOST_PTR, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alloc_host: bool,
    /// Of a buffer: created with CL_MEM_USE_HOST_PTR, over memory that begins so many bytes behind a multiple of any
    /// alignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<u8>,
    /// Of an image: its rows and slices stand apart in the host's memory that it is made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Apart>,
}

/// How the rows and slices of an image stand apart in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Apart {
    /// Bytes from one row to the next: whole elements, at least those of a row.
    pub row: usize,
    /// Bytes from one slice, or one image of an array, to the next: whole rows, at least those of a slice. 0 for an
    /// image that has one only.
    pub slice: usize,
}

/// What memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A buffer.
    Buffer,
    /// A part of a buffer.
    SubBuffer {
        /// The buffer.
        of: ObjectId,
        /// Where it begins, in bytes.
        origin: usize,
    },
    /// A coarse-grain SVM allocation.
    SvmCoarse,
    /// A fine-grain SVM allocation.
    SvmFine,
    /// A fine-grain SVM allocation for atomics.
    SvmAtomics,
    /// Memory of the host that kernels may use where the device offers that.
    Host,
    /// An image; its bytes are its elements without gaps.
    Image(Image),
    /// A pipe of so many packets of so many bytes. Kernels alone see what is in it.
    Pipe {
        /// Bytes of a packet.
        packet: u32,
        /// Packets that it holds.
        packets: u32,
    },
}

impl Kind {
    /// The image, where it is one.
    pub fn image(self) -> Option<Image> {
        if let Kind::Image(image) = self {
            Some(image)
        } else {
            None
        }
    }

    /// Whether it has an address on the host.
    pub fn addressed(self) -> bool {
        match self {
            Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => false,
            Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics | Kind::Host => true,
        }
    }
}

/// Something that the host does. Commands go to in-order queues, transfers to the first, and block only
/// where that is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A kernel.
    Launch(Launch),
    /// A transfer.
    Move(Move),
    /// A command-buffer is made, recorded and finalized.
    Record(Record),
    /// A command-buffer is enqueued.
    Play(Play),
    /// Kernels of a command-buffer are updated.
    Update(Update),
    /// The kernel of a recorded command is enqueued by itself.
    Again(Again),
    /// clFinish of every queue.
    Finish,
    /// All queues are flushed, and the host takes part in what the kernels do.
    Talk {
        /// What it does.
        acts: Vec<Operation>,
        /// The rules that are broken if a pointer leads it astray.
        #[serde(deserialize_with = "catalogue::known")]
        rules: Vec<RuleId>,
    },
    /// The host writes bytes into an object that has an address, while nothing else does.
    Host {
        /// Where to.
        at: Place,
        /// What, so many bytes.
        bytes: usize,
        /// The bytes.
        contents: Contents,
    },
    /// The host writes the address of one place into another.
    Point {
        /// Where to: eight bytes, or four where pointers have so many.
        at: Place,
        /// The place it leads to; none is the null pointer.
        to: Option<Place>,
    },
    /// The host asks how a kernel's work-groups of a shape are divided into sub-groups.
    AskSubGroups {
        /// The kernel.
        kernel: String,
        /// The size of a work-group, one for each dimension.
        local: Vec<u64>,
    },
    /// The program's kernels are counted, named and made.
    AskKernels {
        /// The rules that are broken if they are not those that the program was made of.
        #[serde(deserialize_with = "catalogue::known")]
        rules: Vec<RuleId>,
    },
    /// From here on what comes to standard output is kept.
    Listen,
    /// Everything is finished, or the last launch is waited for; what was kept is what kernels had to print.
    Printed {
        /// Only the event of the last launch before it is waited for: "When the event that is associated with a particular
        /// kernel invocation is completed, the output of all printf() calls executed by this kernel invocation is flushed".
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        awaited: bool,
        /// The rules that are broken if it is not, the likeliest first.
        #[serde(deserialize_with = "catalogue::known")]
        rules: Vec<RuleId>,
        /// What they had to print.
        wanted: Printed,
    },
    /// Everything is finished, and the object is looked at.
    Look {
        /// The object.
        object: ObjectId,
        /// The rules that are broken if it is not as wanted, the likeliest first.
        #[serde(deserialize_with = "catalogue::known")]
        rules: Vec<RuleId>,
        /// What it is called in a sentence.
        name: String,
        /// What has to be in it.
        want: Want,
        /// It has to be so even where a side gave up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        even_so: bool,
    },
}

/// A launch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Where it runs.
    pub range: Range,
    /// How often it is enqueued.
    pub times: u32,
    /// The queue.
    #[serde(default, skip_serializing_if = "is_first")]
    pub queue: u8,
    /// The steps, launches, for whose events it waits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u16>,
    /// Allocations that it reaches through pointers in others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<ObjectId>,
    /// The byte of each of these that the pointer names which the kernel is told of: any is as good.
    #[serde(default, skip_serializing_if = "not_moved")]
    pub reaches_at: u32,
    /// The code that the enqueue gives.
    #[serde(default)]
    pub code: i32,
    /// The kernel comes from a program that is built again from the case's source for this launch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebuilt: bool,
    /// What is enqueued is a copy of the kernel (clCloneKernel), made when all is set; the kernel gets other arguments
    /// then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cloned: bool,
    /// A copy of the kernel (clCloneKernel) is made when all is set, and gets other arguments; what is enqueued is the
    /// kernel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
    /// Of the two children that make it fail, the status of the one that fails first, and of the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<[i32; 2]>,
    /// The command has to fail: it goes to a queue of its own, the host waits for its event, and its
    /// status has to be negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
    /// The rules that are broken where it gives another, if it should give an error, or where the
    /// command does not fail.
    #[serde(
        default,
        deserialize_with = "catalogue::known",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub rules: Vec<RuleId>,
}

impl Launch {
    /// A launch, once, in the first queue.
    pub fn new(kernel: impl Into<String>, args: Vec<Arg>, range: Range) -> Launch {
        Launch {
            kernel: kernel.into(),
            args,
            range,
            times: 1,
            ..Launch::default()
        }
    }
}

fn is_first(queue: &u8) -> bool {
    *queue == 0
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arg {
    /// A buffer, an image, a pipe, or the beginning of an allocation.
    Object(ObjectId),
    /// A queue on the device, by its place in the case.
    Queue(u16),
    /// A sampler.
    Sampler(Sampler),
    /// A place in an allocation.
    Pointer(Place),
    /// Local memory, in bytes.
    Local(usize),
    /// A value, as its bytes.
    Bytes(Vec<u8>),
    /// A `uint`.
    Uint(u32),
    /// A `ulong`.
    Ulong(u64),
}

macro_rules! arg_from {
    ($($from:ty => $arg:ident),*) => {
        $(impl From<$from> for Arg {
            fn from(value: $from) -> Arg {
                Arg::$arg(value)
            }
        })*
    };
}
arg_from!(ObjectId => Object, Place => Pointer, Sampler => Sampler, u32 => Uint, u64 => Ulong);

/// What has to be in an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Want {
    /// These contents.
    Same(Same),
    /// What the transfers and the host left there.
    AsMoved,
    /// Each of some values once, in any order.
    Permutation(Permutation),
    /// The ids that each work-item of a range saw: a count of records in the first long, then the
    /// records, of [`FIELDS`] longs each.
    Ids(Ids),
    /// The turns, drawn from one counter that begins at zero, at which each of so many work-groups began and
    /// ended: each turn once, two words for each group.
    Turns {
        /// How many.
        groups: u32,
    },
    /// The words of the first half and of the second half agree: two ways to compute the same.
    Halves {
        /// The elements.
        unit: Unit,
    },
    /// Numbers with a fraction between bounds.
    Within(Within),
    /// Addresses: the pointer at each byte leads to the place; none is null.
    Pointers(Vec<(usize, Option<Place>)>),
    /// What each work-item of work-groups of one shape saw of its sub-group, in the order of the
    /// work-groups and of the local linear ids, [`SUB_GROUP_FIELDS`] words each; it agrees with what
    /// the host was told by a step that asked.
    SubGroups {
        /// The step.
        asked: usize,
        /// The size of each work-group, in that order.
        groups: Vec<u32>,
    },
}

impl Want {
    /// These contents, as elements of a unit.
    pub fn same(unit: Unit, contents: Contents) -> Want {
        Want::Same(Same::new(unit, contents, false))
    }

    /// These words.
    pub fn words(words: Vec<u32>) -> Want {
        Want::same(Unit::Word, Contents::Words(words))
    }

    /// These bytes.
    pub fn bytes(bytes: Vec<u8>) -> Want {
        Want::same(Unit::Byte, Contents::Bytes(bytes))
    }

    /// Words that are all zero.
    pub fn zeros() -> Want {
        Want::same(Unit::Word, Contents::Zero)
    }

    /// Each of so many values once, in any order.
    pub fn permutation(unit: Unit, count: u64, first: u64, step: u64) -> Want {
        Want::Permutation(Permutation {
            unit,
            count,
            first,
            step,
        })
    }

    /// The same where elements belong to columns.
    pub fn in_columns(mut self, columns: Vec<String>) -> Want {
        if let Want::Same(same) = &mut self {
            same.columns = columns;
        }
        self
    }

    /// The same where what is seen instead depends on races.
    pub fn racy(mut self) -> Want {
        if let Want::Same(same) = &mut self {
            same.racy = true;
        }
        self
    }
}

impl KernelCase {
    /// What its launches and what is looked at behind them are about, in their order: the rules that a launch breaks
    /// which does not end.
    pub fn about(&self) -> Vec<RuleId> {
        let mut about: Vec<RuleId> = Vec::new();
        for step in &self.steps {
            let rules = match step {
                Step::Launch(launch) => &launch.rules,
                Step::Look { rules, .. } => rules,
                _ => continue,
            };
            for rule in rules {
                if !about.contains(rule) {
                    about.push(*rule);
                }
            }
        }
        about
    }

    /// The rules whose breach it can tell.
    pub fn covers(&self) -> BTreeSet<RuleId> {
        let mut rules = BTreeSet::from([rule::API_ANSWERS]);
        if self.profiled {
            rules.extend([rule::STATE_PROFILING, rule::STATE_QUERY, rule::SP_FINISH]);
        }
        for step in &self.steps {
            match step {
                Step::Look {
                    rules: told, want, ..
                } => {
                    rules.extend(told);
                    if let Want::Ids(Ids { range, .. }) = want {
                        rules.extend(crate::host::check::ids::rules(range));
                        rules.insert(rule::KI_GROUPS_ANY_ORDER);
                    } else if let Want::Turns { .. } = want {
                        rules.extend([rule::KI_GROUPS_ANY_ORDER, rule::PROGRESS_GROUP]);
                    }
                }
                Step::Launch(launch) => {
                    rules.extend(&launch.rules);
                    rules.extend(launch.failing.map(|_| rule::FAIL_CHILDREN));
                }
                Step::Move(moved) => rules.extend(&moved.rules),
                Step::Record(record) => {
                    rules.extend(record.rules());
                    rules.insert(rule::CB_LIFECYCLE);
                    let mut handles = record.commands.iter().filter_map(|one| one.handle);
                    rules.extend(record.mutable.then_some(rule::CB_UPDATE_INFO));
                    let late = handles.any(|handle| handle.late);
                    rules.extend(late.then_some(rule::CB_LATE_ARGUMENTS));
                }
                Step::Play(play) => {
                    rules.extend([rule::CB_AGAIN, rule::CB_EVENT]);
                    rules.extend(play.held.then_some(rule::CB_WAIT_LIST));
                    rules.extend(play.elsewhere.then_some(rule::CB_QUEUE));
                    rules.extend((!play.update.is_empty()).then_some(rule::CB_UPDATE));
                    if play.fails.is_some() {
                        rules.extend([rule::FAIL_PROPAGATE, rule::FAIL_NEGATIVE]);
                    }
                }
                Step::Update(update) => {
                    rules.insert(rule::CB_UPDATE);
                    rules.extend(update.refused.then_some(rule::CB_UPDATE_ALL));
                }
                Step::Again(_) => rules.extend([rule::CB_UPDATE_KERNEL]),
                Step::Talk { rules: told, .. }
                | Step::AskKernels { rules: told }
                | Step::Printed { rules: told, .. } => rules.extend(told),
                Step::Finish
                | Step::Listen
                | Step::Host { .. }
                | Step::Point { .. }
                | Step::AskSubGroups { .. } => {}
            }
        }
        rules
    }

    /// Devices that it uses, from the first on.
    pub fn devices(&self) -> u8 {
        self.queues.iter().max().map_or(1, |n| n.saturating_add(1))
    }

    /// The launches, with their steps.
    pub fn launches(&self) -> impl Iterator<Item = (usize, &Launch)> {
        let steps = self.steps.iter().enumerate();
        steps.filter_map(|(n, step)| {
            let Step::Launch(launch) = step else {
                return None;
            };
            Some((n, launch))
        })
    }

    /// The steps, launches, for whose events others wait.
    pub fn waited_for(&self) -> BTreeSet<usize> {
        let lists = self.launches().flat_map(|(_, launch)| &launch.after);
        let printed = self
            .steps
            .iter()
            .enumerate()
            .filter_map(|(n, step)| match step {
                Step::Printed { awaited: true, .. } => self.launch_before(n),
                _ => None,
            });
        lists.map(|n| usize::from(*n)).chain(printed).collect()
    }

    /// The last launch before a step, by its own step.
    pub fn launch_before(&self, n: usize) -> Option<usize> {
        let before = self.launches().map(|(at, _)| at);
        before.take_while(|at| *at < n).last()
    }

    /// A place in the memory that an object is, or is a part of.
    pub fn root(&self, at: Place) -> Place {
        if let Kind::SubBuffer { of, origin } = self.objects[at.object.index()].kind {
            of.at(origin + at.byte)
        } else {
            at
        }
    }
}

fn not_moved(bytes: &u32) -> bool {
    *bytes == 0
}
