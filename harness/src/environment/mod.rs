//! How a litmus test is placed and stressed: a small value, apart from the test.
//!
//! Weak behaviours hide without the right surroundings. An [`Environment`] says what surrounds the
//! instances of a launch; every knob is one that the literature on testing weak memory found to
//! matter (`[MC]` MC Mutants, ASPLOS 2023: the parallel testing environment; `[GPU]` stress of
//! memory on GPUs, OOPSLA 2016 and PLDI 2016; `[L7]` litmus7's affinity, stride and preload modes). It
//! is YAML for people ([`Environment::read`], [`Environment::to_yaml`]), JSON between parent and
//! worker, and can be drawn from a seed ([`draw`]): whole, or as a neighbour of another. What a test
//! on a device makes of it is an [`Arrangement`] (`resolve`): numbers alone, which are
//! arguments of the kernels.
//!
//! A knob that is left out is the device's own choice. The knobs of size (`instances`, `teams`,
//! `lanes`, `queues`) are upper bounds: a test that is too wide or a device that is too small has
//! fewer, and the arrangement, which is kept with each result, says how many. A knob that names
//! something a device lacks (a kind of memory) skips the case and names the capability.

mod draw;
mod read;
mod resolve;

pub use draw::{Drawing, draw, vary};
pub use resolve::{Arrangement, GROWTH, ROW, SubGroupShape, resolve};

use crate::device::{Api, Capabilities};
use classay_litmus::program::{Program, Region};
use classay_reports::store::PlanHash;
use serde::{Deserialize, Serialize};

/// Defines structs of knobs. A text need not say all of them, and what is as by default is not written.
macro_rules! knobs {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$of:meta])* pub $knob:ident: $kind:ty,)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            $(
                $(#[$of])*
                #[serde(skip_serializing_if = "is_default")]
                pub $knob: $kind,
            )*
        }
    )*};
}

knobs! {
    /// What surrounds the instances of a litmus test. [`Default`] leaves everything to the device.
    pub struct Environment {
        /// What people call it; no part of what it does.
        pub name: String,
        /// Many instances a launch, or one.
        pub mode: Mode,
        /// Which memory model the modules of shaders declare, in Vulkan alone.
        pub module: ModuleModel,
        /// How large launches are.
        pub launch: Launches,
        /// What is permuted.
        pub order: Order,
        /// How instances lie in memory.
        pub memory: Placing,
        /// How the threads of an instance come to run at the same time.
        pub meet: Meeting,
        /// Which processors a CPU's threads get, and how soon.
        pub processors: Processors,
        /// Stress by the work-items that play, before they do.
        pub pre_stress: PreStress,
        /// Stress by work-groups beside those that play.
        pub stress: Stress,
        /// Stress by threads of the host.
        pub host_stress: HostStress,
    }

    /// How large launches are. Each is at most this; left out it is the device's choice.
    pub struct Launches {
        /// Instances of a full launch.
        pub instances: Option<u32>,
        /// Teams: sets of as many work-groups as the test has; the testing work-groups are these.
        pub teams: Option<u32>,
        /// Copies of the test's threads in each work-group: the work-group's size in threads of the test.
        pub lanes: Option<u32>,
        /// The work-group's size is a multiple of this; work-items beyond the lanes are idle.
        pub multiple: Option<u32>,
        /// Command queues that launches are spread over, each with memory of its own, so that they overlap.
        pub queues: Option<u32>,
        /// Of the launches of a test whose threads are ordered by dependencies that do all that a semaphore does, those
        /// in which they are submissions of their own, with a semaphore between; the others have barriers. In Vulkan
        /// alone.
        pub submissions: Option<Percent>,
        /// Of the launches whose threads are of several work-groups of one queue family and in no order, those that are
        /// submitted to several of its queues at once, each with some of the work-groups of every team. In Vulkan alone.
        pub spread: Option<Percent>,
        /// Whether the threads of an instance that share a work-group are neighbours in it or as far apart
        /// as they can be, in other sub-groups where there are several.
        pub threads: Threads,
        /// Turns after which a loop of the test gives up; 0 for never, so that only a watchdog ends one that waits
        /// in vain.
        pub turns: Option<u32>,
    }

    /// What is permuted, as the chance that a launch does so.
    pub struct Order {
        /// Instances are played in an order that a random multiplier gives, not in that of memory `[MC]`.
        pub instances: Option<Percent>,
        /// Each location has a random multiplier of its own `[MC]`: the locations of an instance are
        /// neighbours of those of different others.
        pub locations: Option<Percent>,
        /// Which work-group of the launch plays or stresses what is shuffled `[GPU]`.
        pub groups: Option<Percent>,
        /// Which work-group of a team plays which of the test's is permuted, and with whom: work-groups
        /// are shifted by teams against each other.
        pub partners: Option<Percent>,
        /// How the work-groups of a launch's teams follow each other, where nothing of them is permuted or turned.
        pub row: Option<Row>,
        /// Of the blocks between meetings, those that a work-item plays from the end: two that go through a
        /// block from opposite ends meet within it, whoever began first. Only where instances are played in
        /// the order of memory.
        pub reversed: Option<Percent>,
        /// The work-groups of a launch, where no work-group stresses, are started in two lines: one with half of
        /// a test's work-groups, team after team, and one with the others, from the last team to the first. Where
        /// fewer work-groups run together than a team has, a processor goes through each line, and both play the
        /// teams at which they cross.
        pub crossing: Option<Percent>,
        /// Of the launches of a test that has more work-groups than run together, where no work-group stresses, those
        /// that start as many as do: each plays several of the test's, block by block. What orders threads that one
        /// work-group plays is more than the test says, so they are paired at random.
        pub shared: Option<Percent>,
    }

    /// How instances lie in memory.
    pub struct Placing {
        /// What the locations lie in. A test that devices or host threads share lies in fine-grained memory
        /// with atomics, and no other.
        pub kind: Kind,
        /// Words between neighbouring instances of a location `[L7]`, at least those of the widest location.
        pub pitch: Option<u32>,
        /// How the locations of an instance lie to each other.
        pub spacing: Option<Spacing>,
        /// For `spacing: bank`: words between lines that a cache keeps in the same set or a memory in the
        /// same bank; a power of two.
        pub bank: Option<u32>,
        /// Words by which each location is further away than the one before it.
        pub skew: Option<u32>,
        /// What locations in images lie in, in Vulkan alone.
        pub images: Images,
        /// Most pages of 1024 words by which a launch moves the memory of the instances, that of each location by
        /// itself where they lie apart, and never by more than the instances take: where in memory locations lie
        /// decides how caches take them.
        pub moved: Option<u32>,
    }

    /// How the threads of an instance come to run at the same time.
    pub struct Meeting {
        /// Iterations between two meetings of a team; 0 for none.
        pub every: Option<u32>,
        /// Of the meetings, those that are held.
        pub percent: Option<Percent>,
        /// Polls before a work-item goes on alone.
        pub bound: Option<u32>,
        /// Most steps of arithmetic that the last to arrive takes before it goes on, because the others learn of
        /// it later: as long as a line takes from one core to another. How many is drawn for each meeting. Left out,
        /// each launch measures it where work-groups run on cores of their own.
        pub lag: Option<u32>,
        /// Of the meetings, those before which every work-item reads the locations that are played until
        /// the next, so that caches share their lines `[L7]`. Only locations that are atomic throughout.
        pub touch: Option<Percent>,
    }

    /// What the system gives the driver's threads, on a CPU.
    pub struct Processors {
        /// Where they run.
        pub affinity: Option<Affinity>,
        /// Their nice value, from -20 to 19: the lower it is, the sooner they run. Below 0 takes rights.
        pub nice: Option<i32>,
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How many instances a launch plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Many at once `[MC]`.
    #[default]
    Parallel,
    /// One, by its threads alone: how tests were run before, for comparison.
    Single,
}

/// Which memory model a module of shaders declares ("Memory Model" of the SPIR-V specification).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleModel {
    /// That of Vulkan, in which instructions state what the test does; the one before it where the device has not
    /// that.
    #[default]
    Vulkan,
    /// GLSL450, the one before it: variables are coherent, barriers stand around atomics.
    Glsl450,
}

/// What locations in images lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Images {
    /// Texel buffers.
    #[default]
    Texels,
    /// Storage images of two dimensions, in linear tiling over the memory of a buffer.
    Planes,
}

/// What modules of shaders are besides what their test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modules {
    /// The memory model that they declare.
    pub model: ModuleModel,
    /// What their images are.
    pub images: Images,
}

impl Modules {
    /// The same for a test, which may have no images.
    pub fn of(self, program: &Program) -> Modules {
        let mut locations = program.locations.iter();
        match locations.any(|location| location.region == Region::Image) {
            true => self,
            false => Modules {
                images: Images::default(),
                ..self
            },
        }
    }
}

/// A chance in per cent, at most 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Percent(u8);

impl Percent {
    /// Never.
    pub const NEVER: Percent = Percent(0);
    /// Always.
    pub const ALWAYS: Percent = Percent(100);

    /// `n` per cent; 100 where it is more.
    pub const fn new(n: u8) -> Percent {
        Percent(if n > 100 { 100 } else { n })
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0 as u32
    }

    /// Whether a drawn number falls within the chance.
    pub const fn takes(self, drawn: u32) -> bool {
        drawn % 100 < self.0 as u32
    }
}

impl TryFrom<u32> for Percent {
    type Error = String;
    fn try_from(n: u32) -> Result<Percent, String> {
        match u8::try_from(n) {
            Ok(n) if n <= 100 => Ok(Percent(n)),
            Ok(_) | Err(_) => Err(format!("{n} is no chance: per cent go from 0 to 100")),
        }
    }
}

impl From<Percent> for u32 {
    fn from(percent: Percent) -> u32 {
        percent.get()
    }
}

/// Where the threads of an instance are within their work-group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threads {
    /// Neighbours.
    #[default]
    Together,
    /// As many work-items apart as there are lanes.
    Apart,
}

/// How the work-groups of teams follow each other in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// Those of the first team in the order of their numbers, then those of the second, and so on.
    ByTeam,
    /// The first of every team, then the second of every team, and so on.
    ByNumber,
}

/// Where the threads run that play work-groups on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Affinity {
    /// Where the system puts them.
    Free,
    /// Each on a processor of its own, drawn anew whenever a test is played `[L7]`.
    Apart,
}

/// What the locations lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A buffer object, or what the test needs where a buffer will not do.
    #[default]
    Buffer,
    /// Coarse-grained SVM.
    Coarse,
    /// Fine-grained SVM.
    Fine,
    /// Memory of the host, as the system allocates it.
    System,
    /// In Vulkan, memory that the host has to flush and to invalidate, where host threads share it with shaders.
    NonCoherent,
}

/// How the locations of an instance lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Each location has memory of its own for all instances, one after the other.
    #[default]
    Apart,
    /// Side by side: where they fit they share a line.
    Line,
    /// As `apart`, and a multiple of `bank` apart: they share a set or a bank.
    Bank,
}

/// What a pass of stress does to its target, in order `[GPU]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Two stores.
    StoreStore,
    /// A store, then a load.
    #[default]
    StoreLoad,
    /// A load, then a store.
    LoadStore,
    /// Two loads.
    LoadLoad,
}

impl Pattern {
    /// Every pattern, in the order of the kernels' numbers.
    pub const ALL: [Pattern; 4] = [
        Pattern::StoreStore,
        Pattern::StoreLoad,
        Pattern::LoadStore,
        Pattern::LoadLoad,
    ];

    /// Its number in kernels, the position in `classay_litmus::kernel::env::PATTERNS`.
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// Stress by the work-items that play, before a block of iterations `[GPU]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PreStress {
    /// Of the blocks, those before which a work-item does so.
    pub percent: Percent,
    /// Passes each time.
    pub passes: u32,
    /// What a pass does.
    pub pattern: Pattern,
}

/// Stress by work-groups beside those that play `[GPU]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stress {
    /// Of the launches, those with such work-groups.
    pub percent: Percent,
    /// How many: the total of work-groups is these and the testing ones.
    pub groups: u32,
    /// Passes of each work-item.
    pub passes: u32,
    /// What a pass does.
    pub pattern: Pattern,
    /// Lines of the scratch memory, which also pre-stress uses. Nothing else lies there.
    pub lines: u32,
    /// Words of a line.
    pub line: u32,
    /// Lines that are targets, drawn anew for each launch.
    pub targets: u32,
    /// How targets are given to work-groups.
    pub assign: Assign,
}

impl Default for Stress {
    fn default() -> Stress {
        Stress {
            percent: Percent::NEVER,
            groups: 0,
            passes: 0,
            pattern: Pattern::default(),
            lines: 16,
            line: 16,
            targets: 1,
            assign: Assign::default(),
        }
    }
}

/// How targets of stress are given to work-groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assign {
    /// In turn.
    #[default]
    RoundRobin,
    /// The same target to many in a row.
    Chunk,
}

/// Stress by threads of the host, in memory of their own. On a CPU device they take its cores and
/// caches, on others the way to memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostStress {
    /// Of the launches, those during which they stress.
    pub percent: Percent,
    /// How many threads.
    pub threads: u32,
    /// What they do to each line in turn.
    pub pattern: Pattern,
    /// Lines of 64 bytes that each goes through.
    pub lines: u32,
}

impl Default for HostStress {
    fn default() -> HostStress {
        HostStress {
            percent: Percent::NEVER,
            threads: 0,
            pattern: Pattern::default(),
            lines: 1024,
        }
    }
}

impl Environment {
    /// The environment that leaves everything to the device, with one instance a launch.
    pub fn single() -> Environment {
        Environment {
            mode: Mode::Single,
            ..Environment::default()
        }
    }

    /// What modules of shaders are on a device.
    pub fn modules(&self, capabilities: &Capabilities) -> Modules {
        let model = match capabilities.api {
            Api::Vulkan if !capabilities.memory_model => ModuleModel::Glsl450,
            Api::Vulkan => self.module,
            Api::OpenCl => ModuleModel::Vulkan,
        };
        Modules {
            model,
            images: self.memory.images,
        }
    }

    /// Eight hexadecimal digits that tell environments apart by what they do, whatever their names.
    pub fn digest(&self) -> String {
        let nameless = Environment {
            name: String::new(),
            ..self.clone()
        };
        // Numbers and names: nothing in it can fail to become JSON.
        let text = serde_json::to_string(&nameless).unwrap_or_default();
        PlanHash::of(&text).as_str().chars().take(8).collect()
    }

    /// What to call it: its name, or `default`, or its digest.
    pub fn label(&self) -> String {
        if !self.name.is_empty() {
            self.name.clone()
        } else if *self == Environment::default() {
            "default".into()
        } else if *self == Environment::single() {
            "single".into()
        } else {
            self.digest()
        }
    }
}

#[cfg(test)]
mod tests;
