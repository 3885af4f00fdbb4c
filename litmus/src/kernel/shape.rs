//! How a program's threads fall into devices, work-groups and barrier segments, and whether a
//! kernel can express that at all.

use super::layout::Layout;
use super::operation::Operations;
use super::steps::{Order, Step};
use crate::program::{
    Api, Barrier, BarrierScope, CommandId, Instr, LocId, MemScope, Memory, Placement, Program,
    Region, ThreadId, WorkItem, each_instr, uses_location,
};

/// A program's threads, sorted by where they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// What runs work-items: one entry for each device, in order of their number; in Vulkan one for each dispatch,
    /// in order of their steps.
    pub devices: Vec<DeviceShape>,
    /// Host threads.
    pub host: Vec<ThreadId>,
    /// What is played one after the other; one step where nothing states an order.
    pub steps: Vec<Step>,
}

/// The threads of one device; in Vulkan, those of one queue family in one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceShape {
    /// The device's number in the test.
    pub device: u32,
    /// The queue family's number within the device, in Vulkan; 0 elsewhere.
    pub queue_family: u32,
    /// When its work-items run: an index into [`Shape::steps`].
    pub step: usize,
    /// Its work-groups, in order of their number.
    pub groups: Vec<GroupShape>,
}

/// The threads of one work-group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupShape {
    /// Its number in the test.
    pub work_group: u32,
    /// Its sub-groups, in order of their number. A group whose test names no sub-groups has one
    /// entry, and the work-items' sub-groups do not matter.
    pub sub_groups: Vec<Vec<ThreadId>>,
    /// Whether the test names sub-groups in this group.
    pub names_sub_groups: bool,
    /// Bodies cut at the barriers: `segments[i]` is what each thread runs before the i-th barrier.
    pub segments: Vec<Vec<(ThreadId, Vec<Instr>)>>,
    /// The barriers between the segments.
    pub barriers: Vec<Barrier>,
}

/// Why a test cannot be written as one OpenCL kernel. These are properties of the test, not of the
/// device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Inexpressible {
    /// It has what no dispatches of compute shaders have.
    #[error("the test has {0}")]
    BeyondDispatch(&'static str),
    /// Local memory belongs to one work-group.
    #[error(
        "local location `{location}` is used by more than one work-group; local memory belongs to one"
    )]
    LocalAcrossGroups {
        /// The location.
        location: String,
    },
    /// Host threads have no local memory.
    #[error("local location `{location}` is used by a host thread")]
    LocalOnHost {
        /// The location.
        location: String,
    },
    /// A barrier that not all work-items of its group reach.
    #[error("work-group {work_group} of device {device}: {detail}")]
    BarrierMismatch {
        /// Device number.
        device: u32,
        /// Work-group number.
        work_group: u32,
        /// What does not match.
        detail: String,
    },
    /// A barrier below an `if` or a loop.
    #[error(
        "{thread}: a barrier inside a branch or loop, or that a return may skip, cannot be matched with the other work-items"
    )]
    NestedBarrier {
        /// The thread.
        thread: ThreadId,
    },
    /// Barriers are for work-items.
    #[error("{thread}: a host thread cannot wait at a barrier")]
    BarrierOnHost {
        /// The thread.
        thread: ThreadId,
    },
    /// An order that the function does not take, so the program has no meaning.
    #[error("{thread}: {function} does not take {order}")]
    InvalidOrder {
        /// The thread.
        thread: ThreadId,
        /// The function, or which of its orders.
        function: &'static str,
        /// The order.
        order: &'static str,
    },
    /// An atomic function on a type that has no atomic form.
    #[error("{thread}: location `{location}` of type {ty} has no atomic functions")]
    NotAtomicType {
        /// The thread.
        thread: ThreadId,
        /// The location.
        location: String,
        /// Its type.
        ty: &'static str,
    },
    /// Its host threads enqueue commands of their own.
    #[error("the test enqueues commands of its own, and a launch is one kernel on each device")]
    Commands,
    /// Kernels that host threads enqueue are given no local memory.
    #[error(
        "local location `{location}`: a kernel that a host thread enqueues is given no local memory"
    )]
    LocalWithCommands {
        /// The location.
        location: String,
    },
    /// Nor are their threads placed in sub-groups.
    #[error("the threads of a kernel that a host thread enqueues are not placed in sub-groups")]
    SubGroupsWithCommands,
    /// A host thread computes with an expression or a statement that only kernels have.
    #[error("{thread}: a host thread that enqueues commands has no {what}")]
    HostWithCommands {
        /// The thread.
        thread: ThreadId,
        /// What.
        what: &'static str,
    },
    /// A location is stated to be in memory that a launch does not allocate.
    #[error("location `{location}` is in {memory}; {allocated}")]
    Memory {
        /// The location.
        location: String,
        /// The kind of memory it states.
        memory: &'static str,
        /// What a launch of such a test allocates.
        allocated: &'static str,
    },
    /// A thread on no device and no host: the test has no threads at all.
    #[error("the test has no threads that run")]
    NoThreads,
}

impl Shape {
    /// Sorts a program's threads.
    ///
    /// # Errors
    /// Threads that no launch can place together.
    pub fn of(program: &Program) -> Result<Shape, Inexpressible> {
        let order = Order::of(program)?;
        if program.threads.is_empty() {
            return Err(Inexpressible::NoThreads);
        }
        if !program.commands.is_empty() {
            return Err(Inexpressible::Commands);
        }
        let mut shape = Shape {
            devices: Vec::new(),
            host: Vec::new(),
            steps: Vec::new(),
        };
        let sub_groups =
            program.api == Api::OpenCl || Operations::of(program).names(MemScope::SubGroup);
        for (index, thread) in program.threads.iter().enumerate() {
            let id = ThreadId(index as u32);
            match thread.placement {
                Placement::Host => {
                    if !barriers_at_top(&thread.body, id)?.is_empty() {
                        return Err(Inexpressible::BarrierOnHost { thread: id });
                    }
                    shape.host.push(id);
                }
                // Every thread of Vulkan has a subgroup, which means nothing where no operation is of that scope.
                Placement::Device(item) => {
                    let sub_group = item.sub_group.filter(|_| sub_groups);
                    if let Some(step) = order.step(id) {
                        shape.place(id, WorkItem { sub_group, ..item }, step);
                    }
                }
            }
        }
        shape.cut(program)?;
        shape.steps = order.steps(&shape);
        shape.check_local(program)?;
        shape.check_memory(program)?;
        Ok(shape)
    }

    /// Sorts the threads of a kernel-instance.
    ///
    /// # Errors
    /// Where their barriers do not match.
    pub fn of_kernel(program: &Program, kernel: CommandId) -> Result<Shape, Inexpressible> {
        let mut shape = Shape {
            devices: Vec::new(),
            host: Vec::new(),
            steps: Vec::new(),
        };
        for (index, thread) in program.threads.iter().enumerate() {
            if let Placement::Device(item) = thread.placement
                && thread.kernel == Some(kernel)
            {
                shape.place(ThreadId(index as u32), item, 0);
            }
        }
        shape.cut(program)?;
        Ok(shape)
    }

    /// Orders groups, and cuts bodies at barriers.
    fn cut(&mut self, program: &Program) -> Result<(), Inexpressible> {
        self.devices
            .sort_by_key(|d| (d.step, d.device, d.queue_family));
        for device in &mut self.devices {
            device.groups.sort_by_key(|g| g.work_group);
            for group in &mut device.groups {
                group.cut(program, device.device)?;
            }
        }
        Ok(())
    }

    /// All global locations of a launch are in one allocation, which is what the test needs where it
    /// says nothing: a buffer, or fine-grained SVM with atomics where devices or host threads meet.
    fn check_memory(&self, program: &Program) -> Result<(), Inexpressible> {
        if program.api == Api::Vulkan {
            // What a step writes is flushed at its end, which coherent memory does not need.
            return Ok(());
        }
        let (served, allocated) = if program.crosses_devices() {
            (
                Memory::FineSvmAtomics,
                "a launch that host threads or several devices share allocates fine_svm_atomics",
            )
        } else {
            (Memory::Buffer, "a launch of one device allocates a buffer")
        };
        for location in &program.locations {
            if let Some(memory) = location.memory.name()
                && location.memory != served
            {
                return Err(Inexpressible::Memory {
                    location: location.name.clone(),
                    memory,
                    allocated,
                });
            }
        }
        Ok(())
    }

    /// Adds a thread to its work-group, which is created if needed; `cut` sorts the threads into
    /// sub-groups once all are known.
    fn place(&mut self, thread: ThreadId, item: WorkItem, step: usize) {
        let device = known_or(
            &mut self.devices,
            |d| (d.device, d.queue_family, d.step) == (item.device, item.queue_family, step),
            || DeviceShape {
                device: item.device,
                queue_family: item.queue_family,
                step,
                groups: Vec::new(),
            },
        );
        let group = known_or(
            &mut device.groups,
            |g| g.work_group == item.work_group,
            || GroupShape {
                work_group: item.work_group,
                sub_groups: vec![Vec::new()],
                names_sub_groups: false,
                segments: Vec::new(),
                barriers: Vec::new(),
            },
        );
        group.names_sub_groups |= item.sub_group.is_some();
        group.sub_groups[0].push(thread);
    }

    fn check_local(&self, program: &Program) -> Result<(), Inexpressible> {
        for (index, location) in program.locations.iter().enumerate() {
            if location.region != Region::Local {
                continue;
            }
            let uses =
                |t: &ThreadId| uses_location(&program.threads[t.index()].body, LocId(index as u32));
            if self.host.iter().any(uses) {
                return Err(Inexpressible::LocalOnHost {
                    location: location.name.clone(),
                });
            }
            let groups = self.devices.iter().flat_map(|d| &d.groups);
            if groups.filter(|g| g.threads().any(|t| uses(&t))).count() > 1 {
                return Err(Inexpressible::LocalAcrossGroups {
                    location: location.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// The work-group that owns a local location: the one that uses it, or the first.
    pub fn owner_of_local(&self, program: &Program, location: LocId) -> (usize, usize) {
        for (d, device) in self.devices.iter().enumerate() {
            for (g, group) in device.groups.iter().enumerate() {
                if group
                    .threads()
                    .any(|t| uses_location(&program.threads[t.index()].body, location))
                {
                    return (d, g);
                }
            }
        }
        (0, 0)
    }

    /// Threads on the host or on more than one device or queue family. The memory that devices share must then be
    /// fine-grained SVM with atomics, as [`Program::memory_of`] says.
    pub fn crosses_devices(&self) -> bool {
        !self.host.is_empty() || self.families().len() > 1
    }

    /// Whether a work-item may play several threads of an instance, each of another work-group, one after the other.
    /// Who plays them so only adds to what orders them: each outcome is one of the test's, too. Threads that wait for
    /// each other by loops or barriers would wait for themselves.
    pub fn may_share(&self, layout: &Layout) -> bool {
        let [device] = &self.devices[..] else {
            return false;
        };
        let alone = |group: &GroupShape| group.thread_count() == 1 && group.barriers.is_empty();
        let groups = &device.groups;
        groups.len() > 2
            && groups.iter().all(alone)
            && !self.crosses_devices()
            && !self.uses_sub_groups()
            && layout.bound_column.is_none()
            && layout.local_words == 0
    }

    /// The devices with their queue families, in order of their numbers.
    pub fn families(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = self
            .devices
            .iter()
            .map(|d| (d.device, d.queue_family))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Which of [`Shape::families`] an entry of [`Shape::devices`] runs on.
    pub fn family(&self, device: usize) -> usize {
        let of = &self.devices[device];
        let all = self.families();
        let own = (of.device, of.queue_family);
        all.iter().position(|family| *family == own).unwrap_or(0)
    }

    /// The step whose threads meet before they play, and how many they are: that with the most. In Vulkan a host
    /// thread and shaders do not meet, because no device is known to take part in atomics of the host.
    pub fn meeting(&self, api: Api) -> Option<(usize, usize)> {
        let threads = |step: &Step| {
            let parts = step.parts.iter().map(|&part| {
                let groups = self.devices[part].groups.iter();
                groups.map(GroupShape::thread_count).sum::<usize>()
            });
            let device = parts.sum::<usize>();
            match api {
                Api::Vulkan if device > 0 && !step.host.is_empty() => 0,
                Api::OpenCl | Api::Vulkan => device + step.host.len(),
            }
        };
        let all = self.steps.iter().map(threads).enumerate();
        let most = all.max_by_key(|(step, threads)| (*threads, std::cmp::Reverse(*step)));
        most.filter(|(_, threads)| *threads > 0)
    }

    /// Whether any group names sub-groups or meets at a sub-group barrier.
    pub fn uses_sub_groups(&self) -> bool {
        self.devices.iter().flat_map(|d| &d.groups).any(|g| {
            g.names_sub_groups || g.barriers.iter().any(|b| b.group == BarrierScope::SubGroup)
        })
    }
}

impl GroupShape {
    /// All its threads, by sub-group.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.sub_groups.iter().flatten().copied()
    }

    /// Number of its threads.
    pub fn thread_count(&self) -> usize {
        self.sub_groups.iter().map(Vec::len).sum()
    }

    /// Most threads in one of its sub-groups.
    pub fn widest_sub_group(&self) -> usize {
        self.sub_groups.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// Splits the threads by sub-group and the bodies by barrier. Where a test numbers the
    /// sub-groups of some threads only, each of the others gets a sub-group of its own.
    fn cut(&mut self, program: &Program, device: u32) -> Result<(), Inexpressible> {
        let threads: Vec<ThreadId> = self.threads().collect();
        if self.names_sub_groups {
            let mut numbered: Vec<(Option<u32>, Vec<ThreadId>)> = Vec::new();
            for &t in &threads {
                let item = program.threads[t.index()].placement.work_item();
                let number = item.and_then(|item| item.sub_group);
                match numbered
                    .iter_mut()
                    .find(|(n, _)| n.is_some() && *n == number)
                {
                    Some((_, members)) => members.push(t),
                    None => numbered.push((number, vec![t])),
                }
            }
            numbered.sort_by_key(|(n, _)| n.unwrap_or(u32::MAX));
            self.sub_groups = numbered.into_iter().map(|(_, members)| members).collect();
        }
        let mismatch = |detail: String| Inexpressible::BarrierMismatch {
            device,
            work_group: self.work_group,
            detail,
        };
        let mut barriers: Option<(ThreadId, Vec<Barrier>)> = None;
        let mut per_thread: Vec<(ThreadId, Vec<Vec<Instr>>)> = Vec::new();
        for t in self.threads() {
            let body = &program.threads[t.index()].body;
            let own = barriers_at_top(body, t)?;
            match &barriers {
                None => barriers = Some((t, own)),
                Some((first, expected)) => {
                    if own.len() != expected.len() {
                        return Err(mismatch(format!(
                            "{first} waits at {} barriers, {t} at {}",
                            expected.len(),
                            own.len()
                        )));
                    }
                    for (i, (a, b)) in expected.iter().zip(&own).enumerate() {
                        if a.label.is_some() && b.label.is_some() && a.label != b.label {
                            return Err(mismatch(format!(
                                "barrier {i} is `{}` in {first} and `{}` in {t}",
                                a.label.as_deref().unwrap_or_default(),
                                b.label.as_deref().unwrap_or_default()
                            )));
                        }
                        if (a.group, a.flags, a.scope) != (b.group, b.flags, b.scope) {
                            return Err(mismatch(format!(
                                "barrier {i} differs in kind, flags or scope between {first} and {t}"
                            )));
                        }
                    }
                }
            }
            let pieces = body.split(|i| matches!(i, Instr::Barrier(_)));
            per_thread.push((t, pieces.map(<[Instr]>::to_vec).collect()));
        }
        self.barriers = barriers.map(|(_, b)| b).unwrap_or_default();
        self.segments = (0..=self.barriers.len())
            .map(|s| {
                per_thread
                    .iter()
                    .map(|(t, pieces)| (*t, pieces[s].clone()))
                    .collect()
            })
            .collect();
        Ok(())
    }
}

/// The one that is wanted, new where it is not there yet.
fn known_or<T>(all: &mut Vec<T>, wanted: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(wanted).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[at]
}

/// The barriers of a body, which must all stand at its top level.
fn barriers_at_top(body: &[Instr], thread: ThreadId) -> Result<Vec<Barrier>, Inexpressible> {
    let mut found = Vec::new();
    let mut returns = false;
    each_instr(body, &mut |i| returns |= matches!(i, Instr::Return));
    if returns && contains_barrier(body) {
        return Err(Inexpressible::NestedBarrier { thread });
    }
    for instr in body {
        if let Instr::Barrier(barrier) = instr {
            found.push(barrier.clone());
        }
        if instr.blocks().any(|block| contains_barrier(block)) {
            return Err(Inexpressible::NestedBarrier { thread });
        }
    }
    Ok(found)
}

fn contains_barrier(body: &[Instr]) -> bool {
    let mut found = false;
    each_instr(body, &mut |i| found |= matches!(i, Instr::Barrier(_)));
    found
}
