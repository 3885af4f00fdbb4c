//! The sets and relations of the vocabulary over the events of a skeleton.

use super::{Event, Skeleton};
use crate::cat::vocabulary::{BaseRel, BaseSet};
use crate::oracle::bits::{Row, each, first, minus, none, put};
use crate::oracle::unfold::{BarrierId, EventKind, Mask, Path, PathEvent, coherent_at};
use crate::program::{
    Api, Atomicity, BarrierScope, MemOrder, MemScope, Memory, Placement, Region, ThreadId, WorkItem,
};

impl Skeleton<'_> {
    /// How the memory that an event touches is allocated; nothing for fences.
    fn memory_of(&self, event: &Event<'_>) -> Option<Memory> {
        let (location, _) = event.place?;
        Some(self.setting.memory[location.index()])
    }

    /// Whether an event meets memory that is not mapped as it needs.
    fn strays(&self, event: &Event<'_>) -> bool {
        let (Some((location, _)), Some(at)) = (event.place, self.point(event)) else {
            return false;
        };
        let memory = self.setting.memory[location.index()];
        let order = &self.setting.order;
        order.strays(memory, location, at, event.kind.writes())
    }

    /// Whether a work-item waits at a barrier that another one of its group does not reach.
    fn waits_alone(&self, event: &Event<'_>) -> bool {
        let (EventKind::Entry, Some(thread), Some(barrier)) =
            (event.kind, event.thread, barrier_of(event))
        else {
            return false;
        };
        let reaches = |path: &Path| {
            path.events
                .iter()
                .any(|e| e.barrier.as_ref() == Some(barrier))
        };
        let others = self.paths.iter().enumerate();
        others
            .filter(|(other, _)| self.meet(thread, *other, barrier.group))
            .any(|(_, path)| !reaches(path))
    }

    /// Whether two threads meet at the barriers of a group.
    fn meet(&self, a: usize, b: usize, group: BarrierScope) -> bool {
        match group {
            BarrierScope::WorkGroup => self.grouped(a, b, same_work_group),
            BarrierScope::SubGroup => self.grouped(a, b, same_sub_group),
            BarrierScope::QueueFamily => self.grouped(a, b, same_family),
            BarrierScope::Device => self.grouped(a, b, same_device),
        }
    }

    /// A set of the vocabulary.
    pub fn set<const W: usize>(&self, set: BaseSet) -> Row<W> {
        let mut row = none();
        for (i, event) in self.events.iter().enumerate() {
            if self.belongs(event, set) {
                put(&mut row, i);
            }
        }
        row
    }

    fn belongs(&self, event: &Event<'_>, set: BaseSet) -> bool {
        let fence = matches!(
            event.kind,
            EventKind::Fence | EventKind::Entry | EventKind::Exit | EventKind::Barrier
        );
        let operation =
            event.source.is_some() && !(fence || event.kind.reads() || event.kind.writes());
        let in_region = |region| match event.source {
            Some(source) if fence || event.place.is_none() => source.flags.has(region),
            Some(_) | None => self.region_of(event) == Some(region),
        };
        let semantics = |region| {
            let source = event.source.filter(|_| !operation);
            source.is_some_and(|source| source.flags.has(region))
        };
        let order = |wanted| self.order_of(event).is_some_and(|(o, _)| o == wanted);
        let scope = |wanted| self.scope_of(event) == Some(wanted);
        let coherent = || {
            let source = event.source.filter(|_| !self.on_host(event) && !fence);
            self.program.api == Api::Vulkan
                && source.is_some_and(|s| coherent_at(s.atomicity).is_some())
        };
        match set {
            BaseSet::All => true,
            BaseSet::Read => event.kind.reads(),
            BaseSet::Write => event.kind.writes(),
            BaseSet::Rmw => event.kind == EventKind::Rmw,
            BaseSet::Fence => fence,
            BaseSet::Barrier => matches!(
                event.kind,
                EventKind::Entry | EventKind::Exit | EventKind::Barrier
            ),
            BaseSet::Available => {
                event.kind == EventKind::Available || (event.kind.writes() && coherent())
            }
            BaseSet::Visible => {
                event.kind == EventKind::Visible || (event.kind.reads() && coherent())
            }
            BaseSet::NonPrivate => event.source.is_some_and(|s| match s.atomicity {
                Atomicity::Plain | Atomicity::Volatile => false,
                Atomicity::NonPrivate(_) | Atomicity::Atomic(_) => !fence && !operation,
            }),
            BaseSet::Entry => event.kind == EventKind::Entry,
            BaseSet::Exit => event.kind == EventKind::Exit,
            BaseSet::Init => event.source.is_none(),
            BaseSet::Atomic => !fence && !operation && self.order_of(event).is_some(),
            BaseSet::NonAtomic => {
                event.source.is_some() && !operation && self.order_of(event).is_none()
            }
            BaseSet::Volatile => event
                .source
                .is_some_and(|s| s.atomicity == Atomicity::Volatile),
            BaseSet::Relaxed => order(MemOrder::Relaxed),
            BaseSet::Acquire => order(MemOrder::Acquire),
            BaseSet::Release => order(MemOrder::Release),
            BaseSet::AcqRel => order(MemOrder::AcqRel),
            BaseSet::SeqCst => order(MemOrder::SeqCst),
            BaseSet::WorkItem => scope(MemScope::WorkItem),
            BaseSet::SubGroup => scope(MemScope::SubGroup),
            BaseSet::WorkGroup => scope(MemScope::WorkGroup),
            BaseSet::QueueFamily => scope(MemScope::QueueFamily),
            BaseSet::Device => scope(MemScope::Device),
            BaseSet::AllDevices => scope(MemScope::AllSvmDevices),
            BaseSet::Global => in_region(Region::Global),
            BaseSet::Local => in_region(Region::Local),
            BaseSet::Image => in_region(Region::Image),
            BaseSet::Output => in_region(Region::Output),
            BaseSet::Input => in_region(Region::Input),
            BaseSet::Flush => event.kind == EventKind::Flush,
            BaseSet::Invalidate => event.kind == EventKind::Invalidate,
            BaseSet::HostToDevice => event.kind == EventKind::HostToDevice,
            BaseSet::DeviceToHost => event.kind == EventKind::DeviceToHost,
            BaseSet::Free => event.kind == EventKind::Free,
            BaseSet::HostCoherent => self.memory_of(event) == Some(Memory::HostCoherent),
            BaseSet::OrdersGlobal => semantics(Region::Global),
            BaseSet::OrdersLocal => semantics(Region::Local),
            BaseSet::OrdersImage => semantics(Region::Image),
            BaseSet::OrdersOutput => semantics(Region::Output),
            BaseSet::Host => self.on_host(event),
            BaseSet::SvmAtomics => match self.memory_of(event) {
                Some(Memory::FineSvmAtomics | Memory::SystemSvm) => true,
                Some(
                    Memory::Unstated
                    | Memory::Buffer
                    | Memory::CoarseSvm
                    | Memory::FineSvm
                    | Memory::HostCoherent,
                )
                | None => false,
            },
            BaseSet::Coarse => match self.memory_of(event) {
                Some(Memory::Buffer | Memory::CoarseSvm | Memory::FineSvm) => true,
                Some(
                    Memory::Unstated
                    | Memory::FineSvmAtomics
                    | Memory::SystemSvm
                    | Memory::HostCoherent,
                )
                | None => false,
            },
            BaseSet::Buffer => self.memory_of(event) == Some(Memory::Buffer),
            BaseSet::Whole => self.memory_of(event).is_some_and(Memory::needs_map),
            BaseSet::Alone => self.waits_alone(event),
            BaseSet::Stray => self.strays(event),
            BaseSet::Generic => event
                .place
                .is_some_and(|(l, _)| self.program.locations[l.index()].generic),
            BaseSet::Never => false,
        }
    }

    /// A relation of the vocabulary, into `out`.
    pub fn relation<const W: usize>(&self, rel: BaseRel, out: &mut [Row<W>]) {
        out.fill(none());
        let n = self.len();
        match rel {
            BaseRel::Id => (0..n).for_each(|i| put(&mut out[i], i)),
            BaseRel::Po => self.masked(out, |e| &e.before),
            BaseRel::Addr => self.masked(out, |e| &e.addr),
            BaseRel::Data => self.masked(out, |e| &e.data),
            BaseRel::Ctrl => self.masked(out, |e| &e.ctrl),
            BaseRel::Command => self.pairs(out, |a, b| {
                let (Some(x), Some(y)) = (self.point(a), self.point(b)) else {
                    return false;
                };
                self.setting.order.before(x, y)
            }),
            BaseRel::Int => {
                for (i, e) in self.events.iter().enumerate() {
                    match e.thread {
                        None => put(&mut out[i], i),
                        Some(t) => {
                            let from = self.starts[t];
                            let to = from + self.paths[t].events.len();
                            out[i] = minus(&first(to), &first(from));
                        }
                    }
                }
            }
            BaseRel::Loc => self.pairs(out, |a, b| a.place.is_some() && a.place == b.place),
            BaseRel::SameObject => self.pairs(out, |a, b| match (a.place, b.place) {
                (Some((x, _)), Some((y, _))) => x == y,
                (Some(_), None) | (None, _) => false,
            }),
            BaseRel::SameSubGroup => self.pairs(out, |a, b| self.together(a, b, same_sub_group)),
            BaseRel::SameWorkGroup => self.pairs(out, |a, b| {
                self.together(a, b, same_work_group) || self.meet_in_local(a, b)
            }),
            BaseRel::SameKernel => self.pairs(out, |a, b| {
                self.together(a, b, |x, y, kernel| kernel && x.device == y.device)
            }),
            BaseRel::SameQueueFamily => self.pairs(out, |a, b| self.together(a, b, same_family)),
            BaseRel::SameDevice => self.pairs(out, |a, b| self.together(a, b, same_device)),
            BaseRel::SameReference => self.pairs(out, |a, b| {
                let reference = |e: &Event<'_>| e.source.and_then(|s| s.reference);
                reference(a).is_some() && reference(a) == reference(b)
            }),
            BaseRel::SystemSynchronizes => self.stated(&self.program.synchronized, out),
            BaseRel::Contributes => self.stated(&self.program.contributes, out),
            BaseRel::SameBarrier if self.program.api == Api::Vulkan => self.meeting(out),
            BaseRel::SameBarrier => self.pairs(out, |a, b| self.same_barrier(a, b)),
        }
    }

    /// From each barrier to those that it meets, or that meet after it.
    fn meeting<const W: usize>(&self, out: &mut [Row<W>]) {
        let passed: Vec<Vec<usize>> = (self.paths.iter().zip(&self.starts))
            .map(|(path, start)| {
                let events = path.events.iter().enumerate();
                let barriers = events.filter(|(_, event)| event.kind == EventKind::Barrier);
                barriers.map(|(i, _)| start + i).collect()
            })
            .collect();
        for (barriers, meetings) in passed.iter().zip(&self.meetings) {
            for (barrier, part) in barriers.iter().zip(meetings) {
                for (thread, number) in part {
                    put(&mut out[passed[*thread][*number]], *barrier);
                }
            }
        }
    }

    /// From each event of a thread to each of another, for pairs of threads that the program states.
    fn stated<const W: usize>(&self, stated: &[(ThreadId, ThreadId)], out: &mut [Row<W>]) {
        self.pairs(out, |a, b| {
            a.thread.zip(b.thread).is_some_and(|(a, b)| {
                let pair = (ThreadId(a as u32), ThreadId(b as u32));
                stated.contains(&pair)
            })
        });
    }

    fn pairs<const W: usize>(
        &self,
        out: &mut [Row<W>],
        related: impl Fn(&Event<'_>, &Event<'_>) -> bool,
    ) {
        for (i, a) in self.events.iter().enumerate() {
            for (j, b) in self.events.iter().enumerate() {
                if related(a, b) {
                    put(&mut out[i], j);
                }
            }
        }
    }

    /// Edges from the events in a mask to the event that has it.
    fn masked<const W: usize>(&self, out: &mut [Row<W>], mask: fn(&PathEvent) -> &Mask) {
        for (j, event) in self.events.iter().enumerate() {
            let (Some(source), Some(thread)) = (event.source, event.thread) else {
                continue;
            };
            let start = self.starts[thread];
            for i in each(mask(source)) {
                put(&mut out[start + i], j);
            }
        }
    }

    /// Whether two events access one local location. It is in one work-group, and so is who reaches it.
    fn meet_in_local(&self, a: &Event<'_>, b: &Event<'_>) -> bool {
        let of_threads = a.source.is_some() && b.source.is_some();
        self.program.api == Api::OpenCl
            && of_threads
            && a.place == b.place
            && self.region_of(a) == Some(Region::Local)
    }

    /// Whether two events are of one thread, or of work-items that are in one instance of something;
    /// what says so is also told whether they are of one kernel-instance.
    fn together(
        &self,
        a: &Event<'_>,
        b: &Event<'_>,
        joined: impl Fn(WorkItem, WorkItem, bool) -> bool,
    ) -> bool {
        let (Some(a), Some(b)) = (a.thread, b.thread) else {
            return false;
        };
        self.grouped(a, b, joined)
    }

    /// [`Self::together`], of threads.
    fn grouped(
        &self,
        a: usize,
        b: usize,
        joined: impl Fn(WorkItem, WorkItem, bool) -> bool,
    ) -> bool {
        if a == b {
            return true;
        }
        let threads = &self.program.threads;
        match (threads[a].placement, threads[b].placement) {
            (Placement::Device(x), Placement::Device(y)) => {
                joined(x, y, threads[a].kernel == threads[b].kernel)
            }
            (Placement::Host, _) | (_, Placement::Host) => false,
        }
    }

    fn same_barrier(&self, a: &Event<'_>, b: &Event<'_>) -> bool {
        match (barrier_of(a), barrier_of(b)) {
            (Some(x), Some(y)) if x == y => {
                let threads = a.thread.zip(b.thread);
                threads.is_some_and(|(a, b)| self.meet(a, b, x.group))
            }
            _ => false,
        }
    }
}

fn barrier_of<'a>(event: &Event<'a>) -> Option<&'a BarrierId> {
    event.source?.barrier.as_ref()
}

/// Groups are of one kernel-instance; a program without commands is one on each device.
fn same_work_group(x: WorkItem, y: WorkItem, kernel: bool) -> bool {
    kernel && x.group() == y.group()
}

fn same_family(x: WorkItem, y: WorkItem, _: bool) -> bool {
    x.family() == y.family()
}

fn same_device(x: WorkItem, y: WorkItem, _: bool) -> bool {
    x.device == y.device
}

/// Work-items whose sub-group is not stated are in sub-groups of their own.
fn same_sub_group(x: WorkItem, y: WorkItem, kernel: bool) -> bool {
    kernel && x == y && x.sub_group.is_some()
}
