//! What a test on a device makes of an environment: numbers alone.

use super::{
    Affinity, Environment, Images, Kind, Mode, ModuleModel, Percent, Placing, Spacing, Threads,
};
use crate::device::Capabilities;
use classay_litmus::kernel::{GroupShape, TestKernel, env};
use serde::Serialize;

/// The shape of a test's launches on a device. Everything here is an argument of the kernels or a
/// size of what they are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arrangement {
    /// The memory model that the module of a test of Vulkan declares, where it is not that of Vulkan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<ModuleModel>,
    /// Instances of a full launch.
    pub instances: u32,
    /// Instances of the first launch, which teaches the table the common outcomes.
    pub first: u32,
    /// Teams: sets of work-groups that play instances together.
    pub teams: u32,
    /// Copies of a test's threads in each work-group.
    pub lanes: u32,
    /// Compute units: work-groups that run together.
    pub units: u32,
    /// Work-items of a work-group, one entry a device of the test.
    pub local_sizes: Vec<usize>,
    /// Queues, each with memory of its own.
    pub queues: u32,
    /// Chance that the steps of a launch are submissions of their own, where they may be.
    pub submissions: Percent,
    /// Queues of a family that the work-groups of a launch may be spread over.
    pub beside: u32,
    /// Chance that they are.
    pub spread: Percent,
    /// Whether the threads of an instance are far apart in their work-group.
    pub apart: bool,
    /// What the locations lie in.
    pub kind: Kind,
    /// What those in images lie in.
    #[serde(skip_serializing_if = "is_texels")]
    pub images: Images,
    /// Words between neighbouring instances of one location.
    pub instance_pitch: u32,
    /// First word of each slot.
    pub bases: Vec<u32>,
    /// Words of all instances' locations.
    pub memory_words: usize,
    /// Instances that there is room for in each slot, so that those of a launch can lie anywhere within it.
    pub capacity: u32,
    /// Instances by which the memory of a launch is moved at a time.
    pub move_step: u32,
    /// Each location is moved by itself, not all by as much.
    pub moves_apart: bool,
    /// Chance that a launch plays instances in a random order.
    pub order_instances: Percent,
    /// Chance that each location of a launch has an order of its own.
    pub order_locations: Percent,
    /// Chance that a launch's work-groups are shuffled.
    pub order_groups: Percent,
    /// Chance that the work-groups of a launch's teams are permuted and shifted.
    pub order_partners: Percent,
    /// Chance that a launch without stress starts its work-groups in two lines.
    pub order_crossing: Percent,
    /// Chance that a launch without stress starts as many work-groups as run together, which play all of the test's.
    pub order_shared: Percent,
    /// Whether work-items may play a block's iterations in one loop for their thread alone: on CPUs, where no
    /// two threads of the test share a work-group.
    pub runs: bool,
    /// Iterations of a block, before which teams meet and local memory is cleared.
    pub batch: u32,
    /// Blocks between two meetings of a team; 0 for none.
    pub sync_every: u32,
    /// Of the meetings, those that are held.
    pub sync_percent: Percent,
    /// Polls before a work-item goes on alone.
    pub sync_bound: u32,
    /// Polls in all of a launch that a work-item may add to those, for a partner that does not run yet or
    /// was interrupted.
    pub spare: u32,
    /// Most steps of the last to arrive.
    pub lag: u32,
    /// Meetings, the first of a launch, in which the last to arrive takes the time until the others answer.
    pub measured: u32,
    /// Of the blocks, those that a work-item plays from the end, where it plays in runs.
    pub reversed: Percent,
    /// Each of a CPU's threads gets a processor of its own.
    pub pinned: bool,
    /// Of the blocks, those that are read first.
    pub touch: Percent,
    /// Passes after which a loop of the test gives up.
    pub loop_bound: u32,
    /// Work-groups that stress, where a launch has them.
    pub stress_groups: u32,
    /// Work-groups in a row with the same target; 0 where targets go round.
    pub stress_chunk: u32,
    /// Work-items that collect.
    pub collectors: u32,
    /// Neighbouring instances that one collector takes at a time.
    pub collect_chunk: u32,
}

/// Texels of a row of an image of two dimensions: every device has images so wide.
pub const ROW: u32 = 4096;

fn is_texels(images: &Images) -> bool {
    *images == Images::Texels
}

/// What is known of a device's sub-groups for a kernel, where the test names sub-groups.
#[derive(Debug, Clone, Copy)]
pub struct SubGroupShape {
    /// Work-items of a work-group.
    pub local: usize,
    /// Work-items of a sub-group.
    pub width: usize,
}

/// Why a test on a device cannot have an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// What is missing, by its name.
    pub capability: String,
    /// One sentence.
    pub reason: String,
}

/// Instances of a full launch on a CPU: a launch lasts some milliseconds, and its memory stays in
/// the caches.
const CPU_INSTANCES: u32 = 1 << 16;
/// There, where work-groups run on cores of their own and go through memory in its order.
const PAIRED_INSTANCES: u32 = 1 << 18;
/// Work-groups of a launch there whose teams do not run together, in two lines: few enough for them to begin soon after
/// each other, and for libraries that hand out many at a time to hand out few.
const CROSSING_GROUPS: u32 = 960;
/// There, polls at a gate: about as long as a core takes to wake up.
const WAKING: u32 = 20_000;
/// Instances of a full launch of such teams: each team plays as many as a core holds stores back.
const CROSSING_INSTANCES: u32 = 240 * BLOCK;
/// Instances of a full launch elsewhere.
const GPU_INSTANCES: u32 = 1 << 20;

/// Instances of the first launch.
const FIRST_LAUNCH: u32 = 1024;
/// A launch grows to at most this many times the one before it.
pub const GROWTH: u32 = 4;

/// Most bytes of the instances' locations.
const MOST_MEMORY: u64 = 64 << 20;

/// Words of a line, where locations must not share one by accident.
const LINE: u64 = env::LINE_WORDS as u64;

/// Iterations of a block where nothing else bounds it. As many stores as a core holds back, two an
/// instance: all of a block's loads may then come before all of its stores.
const BLOCK: u32 = 64;

/// Where work-groups run on cores of their own: words by which locations are further away than in a
/// row of their own, so that a load has no line number in common with the store before it.
const SKEW: u32 = 17 * env::LINE_WORDS;

/// There, pages by which memory moves: so many that the bits which processors hash to find a line change.
const MOVED: u32 = 16;

/// Words of a page.
const PAGE: u64 = 1024;

/// There, most steps of the last to arrive, where none was measured.
const LAG: u32 = 300;

/// There, meetings in which it is measured.
const MEASURED: u32 = 16;

/// Launches of teams that do not run together in which their work is shared.
const SHARED: Percent = Percent::new(50);

/// Launches that are spread over the queues of a family, where it has several.
const SPREAD: Percent = Percent::new(10);

/// There, blocks that a work-item plays from the end.
const REVERSED: Percent = Percent::new(50);

/// Polls to spare for each instance of a launch whose work-groups run together: what it may wait is of
/// the order of what it takes to play.
const SPARE: u32 = 32;

/// For large launches, some seconds.
const MOST_SPARE: u32 = 1 << 30;

/// For small launches, as long as a core takes to wake up.
const LEAST_SPARE: u32 = 200_000;

/// What a test on a device makes of an environment. `largest_group` is the most work-items that the
/// kernels allow; `sub_groups` has an entry for each device of the test.
///
/// # Errors
///
/// The device lacks what the environment or the test asks for.
pub fn resolve(
    environment: &Environment,
    capabilities: &Capabilities,
    test: &TestKernel,
    largest_group: usize,
    sub_groups: &[Option<SubGroupShape>],
) -> Result<Arrangement, Unfit> {
    let single = match environment.mode {
        Mode::Parallel => false,
        Mode::Single => true,
    };
    let devices = &test.shape.devices;
    let groups = devices.iter().map(|d| d.groups.len()).max().unwrap_or(1);
    let groups = groups.max(1) as u32;
    let widest = devices
        .iter()
        .flat_map(|d| &d.groups)
        .map(GroupShape::thread_count)
        .max()
        .unwrap_or(1);
    let units = capabilities.compute_units.max(1);
    let crosses = test.shape.crosses_devices();
    let persistent = capabilities.cpu || crosses;
    let launch = &environment.launch;

    let kind = memory_kind(environment, capabilities, crosses)?;
    let lanes = lanes(
        environment,
        test,
        largest_group,
        widest,
        persistent,
        sub_groups,
    );
    let lanes = if single { 1 } else { lanes };
    let local_sizes = local_sizes(environment, test, lanes, largest_group, sub_groups)?;
    let teams = match launch.teams {
        _ if crosses || single => 1,
        Some(teams) => teams,
        None => teams(persistent, groups, units),
    };

    let together = teams.saturating_mul(groups) <= units;
    let in_row = environment.order.row.is_some();
    let company = match persistent && groups > 1 && !crosses {
        _ if single => Company::Single,
        true if together => Company::Paired,
        true if groups > units && units > 1 && launch.teams.is_none() && !in_row => {
            Company::Crossing
        }
        true | false => Company::Chance,
    };
    let near = matches!(company, Company::Paired | Company::Crossing);
    let may_share =
        persistent && !single && !in_row && groups > units && units > 1 && test.may_share();
    let placed = place_full_launch(environment, capabilities, test, company)?;

    let meet = &environment.meet;
    let every = meet
        .every
        .unwrap_or(match (near || together || crosses, persistent) {
            (false, _) => 0,
            (true, true) => BLOCK,
            (true, false) => 1,
        });
    let batch = batch(every, lanes, test, capabilities)?;
    let stress = &environment.stress;
    let stress_groups = match stress.passes {
        0 => 0,
        _ if stress.percent == Percent::NEVER => 0,
        _ => stress.groups,
    };
    let instances = placed.instances;
    // Most that a work-item goes to in a launch.
    let meetings = instances.checked_div(every).unwrap_or(0) + 1;
    let (collectors, collect_chunk) = collectors(single, capabilities.cpu, units);
    let model = environment.modules(capabilities).model;
    let beside = match groups > 1 && !crosses && test.shape.steps.len() == 1 {
        true => capabilities.family_queues.clamp(1, groups),
        false => 1,
    };
    Ok(Arrangement {
        module: (model != ModuleModel::Vulkan).then_some(model),
        instances,
        first: FIRST_LAUNCH.min(instances),
        teams: teams.min(instances.div_ceil(lanes)).max(1),
        lanes,
        units,
        local_sizes,
        queues: match crosses {
            true => 1,
            false => launch.queues.unwrap_or(1),
        },
        submissions: launch.submissions.unwrap_or(Percent::new(50)),
        beside,
        spread: match beside {
            1 => Percent::NEVER,
            _ => launch.spread.unwrap_or(SPREAD),
        },
        apart: launch.threads == Threads::Apart,
        kind,
        images: environment.memory.images,
        instance_pitch: placed.pitch,
        bases: placed.bases,
        memory_words: placed.words,
        capacity: placed.capacity,
        move_step: placed.step,
        moves_apart: environment.memory.spacing.unwrap_or_default() == Spacing::Apart,
        order_instances: environment.order.instances.unwrap_or(match near {
            true => Percent::NEVER,
            false => Percent::ALWAYS,
        }),
        order_locations: environment.order.locations.unwrap_or(Percent::NEVER),
        order_groups: environment.order.groups.unwrap_or(Percent::NEVER),
        order_partners: environment.order.partners.unwrap_or(Percent::ALWAYS),
        order_crossing: match (environment.order.row, environment.order.crossing, company) {
            (Some(_), ..) => Percent::NEVER,
            (None, Some(chance), _) => chance,
            (None, None, Company::Crossing) => Percent::ALWAYS,
            (None, None, Company::Single | Company::Paired | Company::Chance) => Percent::NEVER,
        },
        order_shared: match (environment.order.shared, company) {
            _ if !may_share => Percent::NEVER,
            (Some(chance), _) => chance,
            (None, Company::Crossing) => SHARED,
            (None, Company::Single | Company::Paired | Company::Chance) => Percent::NEVER,
        },
        runs: persistent && widest == 1,
        batch,
        sync_every: match every {
            0 => 0,
            every => (every / batch).max(1),
        },
        sync_percent: meet.percent.unwrap_or(Percent::ALWAYS),
        sync_bound: meet
            .bound
            .unwrap_or(match company {
                Company::Crossing => WAKING,
                _ if persistent => 2000,
                _ => 64,
            })
            .min(turns(capabilities) / 4 / meetings),
        spare: match persistent && (near || together || crosses) {
            true => instances
                .saturating_mul(SPARE)
                .clamp(LEAST_SPARE, MOST_SPARE)
                .min(turns(capabilities) / 8),
            false => 0,
        },
        lag: (meet.lag)
            .unwrap_or(if near { LAG } else { 0 })
            .min(turns(capabilities) / 8 / meetings),
        measured: match meet.lag {
            None if near && capabilities.loop_turns == 0 => MEASURED,
            None | Some(_) => 0,
        },
        reversed: environment.order.reversed.unwrap_or(match near {
            true => REVERSED,
            false => Percent::NEVER,
        }),
        pinned: capabilities.cpu
            && match environment.processors.affinity {
                Some(affinity) => affinity == Affinity::Apart,
                None => near,
            },
        touch: meet.touch.unwrap_or(match near {
            true => Percent::ALWAYS,
            false => Percent::NEVER,
        }),
        loop_bound: match launch.turns {
            None => loop_bound(capabilities),
            Some(0) => u32::MAX,
            Some(turns) => turns,
        },
        stress_groups,
        stress_chunk: match stress.assign {
            super::Assign::RoundRobin => 0,
            super::Assign::Chunk => stress_groups.div_ceil(stress.targets).max(1),
        },
        collectors,
        collect_chunk,
    })
}

/// What work-groups of the same instance have to do with each other in time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    /// A launch has one instance.
    Single,
    /// They run at the same time, on cores of their own.
    Paired,
    /// Fewer run at the same time than there are; two lines of them cross.
    Crossing,
    /// As the device has it.
    Chance,
}

/// Places the instances of a full launch: as many as were asked for, or as suit the device.
fn place_full_launch(
    environment: &Environment,
    capabilities: &Capabilities,
    test: &TestKernel,
    company: Company,
) -> Result<Placed, Unfit> {
    let turns = turns(capabilities);
    let near = matches!(company, Company::Paired | Company::Crossing);
    let wanted = match environment.launch.instances {
        _ if company == Company::Single => 1,
        Some(instances) => instances,
        None if company == Company::Paired => PAIRED_INSTANCES,
        None if company == Company::Crossing => CROSSING_INSTANCES,
        None if capabilities.cpu => CPU_INSTANCES,
        None => GPU_INSTANCES,
    };
    let wanted = match test.layout.bound_column {
        _ if turns == u32::MAX => wanted,
        // A work-item that plays several threads goes round once for each, and once more to find the next.
        None if company == Company::Crossing => {
            let devices = test.shape.devices.iter();
            let groups = devices.map(|device| device.groups.len() as u32).max();
            let shared = groups
                .unwrap_or(1)
                .div_ceil(capabilities.compute_units.max(1));
            wanted.min(turns / 16 / (1 + 2 * shared))
        }
        None => wanted.min(turns / 16),
        Some(_) => wanted.min(turns / 16 / loop_bound(capabilities)),
    };
    let wanted = wanted.max(1);
    let room = match capabilities.max_alloc {
        0 => MOST_MEMORY,
        most => MOST_MEMORY.min(most / 2),
    };
    let texels = test.layout.references.iter().any(|r| r.argument.texels);
    let most_words = match (texels, environment.memory.images) {
        (true, Images::Texels) => u64::from(capabilities.max_texels),
        (true, Images::Planes) if capabilities.plane_rows == 0 => {
            let what = "linear 2D storage images of 32-bit texels with atomics, which the environment asks for";
            return Err(lacks(what.into()));
        }
        (true, Images::Planes) => u64::from(capabilities.plane_rows) * u64::from(ROW),
        (false, _) => u64::MAX,
    };
    let memory = Placing {
        pitch: environment.memory.pitch.or(near.then_some(1)),
        skew: environment.memory.skew.or(near.then_some(SKEW)),
        moved: match turns {
            u32::MAX => environment.memory.moved.or(near.then_some(MOVED)),
            // All that there is room for is cleared in one launch.
            _ => Some(0),
        },
        ..environment.memory.clone()
    };
    place(&memory, test, wanted, (room / 4).min(most_words))
}

/// Turns that all the loops of a work-item may have in a launch. Their parts of it are so that together they stay
/// below: a sixteenth of it instances and another what touches them, an eighth what is spared for partners and
/// another what the last at meetings waits, a quarter what is waited at them without that.
fn turns(capabilities: &Capabilities) -> u32 {
    match capabilities.loop_turns {
        0 => u32::MAX,
        turns => turns,
    }
}

/// Passes after which a loop of the test gives up.
fn loop_bound(capabilities: &Capabilities) -> u32 {
    (turns(capabilities) / 1024).min(10_000)
}

/// How many work-items count outcomes, and how many instances each takes at a time.
fn collectors(single: bool, cpu: bool, units: u32) -> (u32, u32) {
    if single {
        (1, 1)
    } else if cpu {
        (units * 4, 1024)
    } else {
        (16_384, 1)
    }
}

/// How many teams a launch has where nobody said so.
fn teams(persistent: bool, groups: u32, units: u32) -> u32 {
    match persistent {
        // A team does not run together, so many short ones.
        true if groups > units => CROSSING_GROUPS / groups.next_multiple_of(2),
        // As many as run together.
        true => units / groups,
        false => (units * 8 / groups).max(2),
    }
}

/// How many iterations make a block: each instance's words are in local memory, as many as fit in half of it.
fn batch(
    every: u32,
    lanes: u32,
    test: &TestKernel,
    capabilities: &Capabilities,
) -> Result<u32, Unfit> {
    let words = u64::from(test.layout.local_words);
    let local_bytes = words * 4 * u64::from(lanes);
    if local_bytes > capabilities.local_mem_size {
        return Err(lacks(format!("{local_bytes} bytes of local memory")));
    }
    let batch = if every == 0 { BLOCK } else { every };
    Ok(match local_bytes {
        0 => batch,
        bytes => u64::from(batch).min((capabilities.local_mem_size / 2 / bytes).max(1)) as u32,
    })
}

impl Arrangement {
    /// Places of instances that a launch of `count` may use, from the first on. Those of a launch that is not full
    /// are few, so that no more is cleared for it than that, on devices that take long.
    pub fn reach(&self, count: u32) -> u32 {
        match count < self.instances {
            true => count.saturating_mul(GROWTH).min(self.capacity),
            false => self.capacity,
        }
    }

    /// Iterations that `count` instances need of so many teams.
    pub fn iterations(&self, count: u32, teams: u32) -> u32 {
        count.div_ceil(teams * self.lanes).max(1)
    }

    /// Work-groups of a launch on a device with so many in the test, without those that stress.
    pub fn testing(&self, groups: usize) -> usize {
        self.teams as usize * groups
    }
}

fn lacks(what: String) -> Unfit {
    Unfit {
        reason: format!("the device lacks {what}"),
        capability: what,
    }
}

fn memory_kind(
    environment: &Environment,
    capabilities: &Capabilities,
    crosses: bool,
) -> Result<Kind, Unfit> {
    let kind = environment.memory.kind;
    let (offered, name) = match kind {
        Kind::Buffer => (true, ""),
        Kind::Coarse => (capabilities.svm_coarse, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"),
        Kind::Fine => (
            capabilities.svm_fine_buffer,
            "CL_DEVICE_SVM_FINE_GRAIN_BUFFER",
        ),
        Kind::System => (
            capabilities.svm_fine_system,
            "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM",
        ),
        Kind::NonCoherent => (
            capabilities.non_coherent_memory,
            "memory that is host-visible and not host-coherent",
        ),
    };
    if !offered {
        return Err(lacks(format!("{name}, which the environment asks for")));
    }
    if crosses && !matches!(kind, Kind::Buffer | Kind::Fine | Kind::NonCoherent) {
        let what = "an environment of fine-grained memory, where devices or host threads share it";
        return Err(Unfit {
            capability: what.into(),
            reason: format!("the test needs {what}"),
        });
    }
    Ok(kind)
}

fn lanes(
    environment: &Environment,
    test: &TestKernel,
    largest_group: usize,
    widest: usize,
    persistent: bool,
    sub_groups: &[Option<SubGroupShape>],
) -> u32 {
    let most = (largest_group / widest).max(1) as u32;
    let mut lanes = match environment.launch.lanes {
        Some(lanes) => lanes.min(most),
        None if persistent => 1,
        None => most.min((256 / widest).max(1) as u32),
    };
    // Lanes that the sub-groups leave room for, over all groups of the test.
    for (device, shape) in test.shape.devices.iter().zip(sub_groups) {
        let Some(shape) = shape else { continue };
        for group in &device.groups {
            let full = shape.local / shape.width;
            let sets = full / group.sub_groups.len().max(1);
            let each = shape.width / group.widest_sub_group().max(1);
            lanes = lanes.min((sets * each).max(1) as u32);
        }
    }
    // Host threads play one instance at a time.
    if test.shape.crosses_devices() {
        lanes = 1;
    }
    lanes
}

fn local_sizes(
    environment: &Environment,
    test: &TestKernel,
    lanes: u32,
    largest_group: usize,
    sub_groups: &[Option<SubGroupShape>],
) -> Result<Vec<usize>, Unfit> {
    let multiple = environment.launch.multiple.unwrap_or(1).max(1) as usize;
    let mut sizes = Vec::new();
    for (device, shape) in test.shape.devices.iter().zip(sub_groups) {
        let groups = device.groups.iter().map(GroupShape::thread_count);
        let plain = groups.max().unwrap_or(1) * lanes as usize;
        let size = match shape {
            Some(shape) => shape.local,
            None if plain.next_multiple_of(multiple) <= largest_group => {
                plain.next_multiple_of(multiple)
            }
            None => plain,
        };
        if size > largest_group {
            return Err(lacks(format!("work-groups of {size} work-items")));
        }
        sizes.push(size);
    }
    Ok(sizes)
}

/// Where slots lie.
struct Placed {
    instances: u32,
    capacity: u32,
    step: u32,
    pitch: u32,
    bases: Vec<u32>,
    words: usize,
}

/// Places the slots of up to `wanted` instances in at most `room` words: wide locations make
/// instances fewer, not allocations larger. No two locations of any two instances share a word.
fn place(memory: &Placing, test: &TestKernel, wanted: u32, room: u64) -> Result<Placed, Unfit> {
    let slots = u64::from(test.layout.global_slots);
    let words = u64::from(test.layout.slot_words.max(1));
    // Elements of 64 bits need even words.
    let even = |n: u64| {
        if words.is_multiple_of(2) {
            n.next_multiple_of(2)
        } else {
            n
        }
    };
    let spacing = memory.spacing.unwrap_or_default();
    let least = match spacing {
        Spacing::Line => words * slots.max(1),
        Spacing::Apart | Spacing::Bank => words,
    };
    let pitch = even(u64::from(memory.pitch.unwrap_or(4)).max(least));
    let skew = even(u64::from(memory.skew.unwrap_or(0)));
    let bank = u64::from(memory.bank.unwrap_or(1024)).max(2);
    let gap = |count: u64| match spacing {
        Spacing::Line => words,
        Spacing::Apart => (count * pitch).next_multiple_of(LINE) + skew,
        Spacing::Bank => (count * pitch).next_multiple_of(bank) + skew,
    };
    let step = PAGE.div_ceil(pitch);
    // Room to move is never more than the instances take themselves.
    let with_room =
        |count: u64| count + u64::from(memory.moved.unwrap_or(0)).min(count / step) * step;
    let all = |count: u64| match spacing {
        Spacing::Line => count * pitch,
        Spacing::Apart | Spacing::Bank => gap(count) * slots.saturating_sub(1) + count * pitch,
    };
    let mut count = u64::from(wanted);
    while count > 1 && all(with_room(count)) > room {
        count /= 2;
    }
    let capacity = with_room(count);
    let total = all(capacity);
    if total > room.max(1) || u32::try_from(total).is_err() {
        return Err(lacks(format!("{} bytes for one instance", total * 4)));
    }
    Ok(Placed {
        instances: count as u32,
        capacity: capacity as u32,
        step: step as u32,
        pitch: pitch as u32,
        bases: (0..slots).map(|s| (gap(capacity) * s) as u32).collect(),
        words: total as usize,
    })
}
