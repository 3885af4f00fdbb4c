//! One path for each thread, joined: the events of a candidate execution before reads have chosen
//! their writes.

mod vocabulary;

use super::bits::{Row, and, count, each, first, has, none, put};
use super::meet::Meetings;
use super::unfold::{EventKind, Path, PathEvent};
use super::value::Sym;
use crate::program::{
    Atomicity, CommandError, CommandOrder, LocId, MemOrder, MemScope, Memory, Observable,
    Placement, Point, Program, Region, ScalarType, ThreadId,
};

/// Where the value that an event writes comes from.
#[derive(Debug, Clone, Copy)]
pub enum Written<'a> {
    /// It writes nothing.
    Nothing,
    /// An initial value.
    Initial(i64),
    /// A value of a thread whose events start at the number given.
    Value(&'a Sym, usize),
}

/// An event.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its thread; nothing for initial writes.
    pub thread: Option<usize>,
    /// What it does.
    pub kind: EventKind,
    /// The element it touches.
    pub place: Option<(LocId, u32)>,
    /// The event of the path; nothing for initial writes.
    pub source: Option<&'a PathEvent>,
    /// The value it writes.
    pub written: Written<'a>,
}

/// Something the reads must satisfy.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    /// The condition.
    pub condition: &'a Sym,
    /// Whether it must be non-zero, or zero.
    pub holds: bool,
    /// Number of the thread's first event.
    pub start: usize,
}

/// The events of one path for each thread.
#[derive(Debug)]
pub struct Skeleton<'a> {
    /// The program.
    pub program: &'a Program,
    /// The path of each thread.
    pub paths: Vec<&'a Path>,
    /// The events: initial writes, then each thread's.
    pub events: Vec<Event<'a>>,
    /// Number of the first event of each thread.
    pub starts: Vec<usize>,
    /// What the reads must satisfy.
    pub needs: Vec<Need<'a>>,
    /// Who meets at the barriers of Vulkan.
    pub meetings: Meetings,
    /// What is around the threads.
    setting: &'a Setting,
}

/// What a program has around its threads.
#[derive(Debug)]
pub struct Setting {
    /// What commands order.
    order: CommandOrder,
    /// How each location is allocated.
    memory: Vec<Memory>,
}

impl Setting {
    /// Of a program.
    ///
    /// # Errors
    /// What is wrong with its commands.
    pub fn of(program: &Program) -> Result<Setting, CommandError> {
        let locations = (0..program.locations.len() as u32).map(LocId);
        Ok(Setting {
            order: CommandOrder::of(program)?,
            memory: locations.map(|l| program.memory_of(l)).collect(),
        })
    }
}

impl<'a> Skeleton<'a> {
    /// Joins paths of a program that has this around its threads.
    pub fn new(
        program: &'a Program,
        setting: &'a Setting,
        paths: Vec<&'a Path>,
        meetings: Meetings,
    ) -> Skeleton<'a> {
        let mut touched: Vec<(LocId, u32)> = paths
            .iter()
            .flat_map(|p| p.events.iter().filter_map(|e| e.place))
            .collect();
        touched.sort();
        touched.dedup();
        let mut events: Vec<Event<'a>> = touched
            .into_iter()
            .map(|(location, element)| {
                let declared = &program.locations[location.index()];
                Event {
                    thread: None,
                    kind: EventKind::Write,
                    place: Some((location, element)),
                    source: None,
                    written: Written::Initial(declared.ty.wrap(declared.init[element as usize])),
                }
            })
            .collect();
        let mut starts = Vec::with_capacity(paths.len());
        let mut needs = Vec::new();
        for (thread, path) in paths.iter().enumerate() {
            let start = events.len();
            starts.push(start);
            events.extend(path.events.iter().map(|e| Event {
                thread: Some(thread),
                kind: e.kind,
                place: e.place,
                source: Some(e),
                written: match &e.written {
                    Some(sym) => Written::Value(sym, start),
                    None => Written::Nothing,
                },
            }));
            needs.extend(path.constraints.iter().map(|c| Need {
                condition: &c.condition,
                holds: c.holds,
                start,
            }));
        }
        Skeleton {
            program,
            paths,
            events,
            starts,
            needs,
            meetings,
            setting,
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// The type of what an event reads or writes.
    pub fn type_of(&self, event: usize) -> Option<ScalarType> {
        let (location, _) = self.events[event].place?;
        Some(self.program.locations[location.index()].ty)
    }

    /// For each read the writes it might read from, as far as constants tell.
    pub fn candidates<const W: usize>(&self) -> Vec<Row<W>> {
        let n = self.len();
        let mut rf = vec![none(); n];
        for (r, read) in self.events.iter().enumerate() {
            if !read.kind.reads() {
                continue;
            }
            for (w, write) in self.events.iter().enumerate() {
                if w != r && write.kind.writes() && write.place == read.place {
                    put(&mut rf[r], w);
                }
            }
        }
        for need in &self.needs {
            let mut only = None;
            let mut several = false;
            need.condition.reads(&mut |e| match only {
                None => only = Some(e),
                Some(o) if o != e => several = true,
                Some(_) => {}
            });
            let (Some(read), false) = (only, several) else {
                continue;
            };
            let r = need.start + read as usize;
            let possible = rf[r];
            for w in each(&possible) {
                let known = match self.events[w].written {
                    Written::Initial(v) | Written::Value(&Sym::Const(v), _) => Some(v),
                    Written::Value(..) | Written::Nothing => None,
                };
                if let Some(v) = known
                    && let Some(result) = need.condition.eval(&|_| Some(v))
                    && (result != 0) != need.holds
                {
                    super::bits::take(&mut rf[r], w);
                }
            }
        }
        rf
    }

    /// Whether some read is left without a write.
    pub fn hopeless<const W: usize>(&self, candidates: &[Row<W>]) -> bool {
        self.events
            .iter()
            .zip(candidates)
            .any(|(e, c)| e.kind.reads() && super::bits::is_none(c))
    }

    /// Pairs of different writes to one element.
    pub fn coherence_pairs<const W: usize>(&self) -> Vec<Row<W>> {
        let n = self.len();
        let mut pairs = vec![none(); n];
        for (a, first) in self.events.iter().enumerate() {
            if !first.kind.writes() {
                continue;
            }
            for (b, second) in self.events.iter().enumerate() {
                if a != b && second.kind.writes() && first.place == second.place {
                    put(&mut pairs[a], b);
                }
            }
        }
        pairs
    }

    /// The order and scope of an event, unless it is not atomic. "The host operations will apply at
    /// all_svm_devices scope" (3.3.6.1), whatever is written. [mm.host]
    pub fn order_of(&self, event: &Event<'_>) -> Option<(MemOrder, MemScope)> {
        let atomic = event.source?.atomicity.atomic()?;
        let scope = match self.on_host(event) {
            true => MemScope::AllSvmDevices,
            false => atomic.reach(),
        };
        Some((atomic.order, scope))
    }

    /// The scope of an event: of an atomic, a barrier, or an access that makes something available or
    /// visible there.
    pub fn scope_of(&self, event: &Event<'_>) -> Option<MemScope> {
        match event.source?.atomicity {
            Atomicity::NonPrivate(scope) => scope,
            Atomicity::Plain | Atomicity::Volatile | Atomicity::Atomic(_) => {
                self.order_of(event).map(|(_, scope)| scope)
            }
        }
    }

    fn on_host(&self, event: &Event<'_>) -> bool {
        event
            .thread
            .is_some_and(|t| self.program.threads[t].placement == Placement::Host)
    }

    /// Where an event stands in the order of commands; nothing for initial writes.
    pub fn point(&self, event: &Event<'_>) -> Option<Point> {
        let (thread, source) = (event.thread?, event.source?);
        let declared = &self.program.threads[thread];
        Some(match (declared.placement, declared.kernel) {
            (Placement::Host, _) => Point::Host(ThreadId(thread as u32), source.calls),
            (Placement::Device(_), Some(kernel)) => Point::Kernel(kernel),
            (Placement::Device(_), None) => Point::Free,
        })
    }

    /// The region of the location that an event touches, as its reference has it.
    pub fn region_of(&self, event: &Event<'_>) -> Option<Region> {
        let (place, _) = event.place?;
        let reference = event.source.and_then(|source| source.reference);
        let location = reference.unwrap_or(place);
        Some(self.program.locations[location.index()].region)
    }

    /// The reads whose values can influence what is observed, what the paths need, or whether a
    /// circle of values closes.
    pub fn relevant<const W: usize>(
        &self,
        candidates: &[Row<W>],
        observables: &[Observable],
    ) -> Row<W> {
        let mut roots = self.recorded(observables);
        for need in &self.needs {
            (need.condition).reads(&mut |e| put(&mut roots, need.start + e as usize));
        }
        let sources = self.sources(candidates);
        for (r, own) in sources.iter().enumerate() {
            if has(own, r) {
                put(&mut roots, r);
            }
        }
        with_sources(roots, &sources)
    }

    /// The reads whose values can influence what is observed.
    pub fn observed<const W: usize>(
        &self,
        candidates: &[Row<W>],
        observables: &[Observable],
    ) -> Row<W> {
        with_sources(self.recorded(observables), &self.sources(candidates))
    }

    /// The reads that observables, or writes to what is observed, are computed from.
    fn recorded<const W: usize>(&self, observables: &[Observable]) -> Row<W> {
        let mut reads: Row<W> = none();
        let mut add = |sym: &Sym, start: usize| {
            sym.reads(&mut |e| put(&mut reads, start + e as usize));
        };
        for observable in observables {
            match *observable {
                Observable::Register(t, r) => {
                    let sym = &self.paths[t.index()].registers[r.index()];
                    add(sym, self.starts[t.index()]);
                }
                Observable::Memory(location, element) => {
                    for event in &self.events {
                        if event.place == Some((location, element))
                            && let Written::Value(sym, start) = event.written
                        {
                            add(sym, start);
                        }
                    }
                }
            }
        }
        reads
    }

    /// Which reads each read's value can be computed from, over any number of writes.
    fn sources<const W: usize>(&self, candidates: &[Row<W>]) -> Vec<Row<W>> {
        let mut from: Vec<Row<W>> = vec![none(); self.len()];
        for (r, writes) in candidates.iter().enumerate() {
            for w in each(writes) {
                if let Written::Value(sym, start) = self.events[w].written {
                    sym.reads(&mut |e| put(&mut from[r], start + e as usize));
                }
            }
        }
        if from.iter().any(|row| count(row) > 0) {
            super::bits::close(&mut from);
        }
        from
    }

    /// Values that a circle of values may take: the constants of the question and of the program.
    pub fn seeds(&self, question: &[i64]) -> Vec<i64> {
        let mut seeds = question.to_vec();
        for event in &self.events {
            match event.written {
                Written::Initial(v) => seeds.push(v),
                Written::Value(sym, _) => sym.constants(&mut |c| seeds.push(c)),
                Written::Nothing => {}
            }
        }
        for need in &self.needs {
            need.condition.constants(&mut |c| seeds.push(c));
        }
        seeds.sort_unstable();
        seeds.dedup();
        seeds
    }

    /// The initial writes' edges in coherence: before every other write of their element.
    pub fn initial_order<const W: usize>(&self, pairs: &[Row<W>]) -> Vec<Row<W>> {
        let mut order = vec![none(); self.len()];
        for (i, event) in self.events.iter().enumerate() {
            if event.source.is_none() {
                order[i] = and(&pairs[i], &first(self.len()));
            }
        }
        order
    }
}

/// Reads, and those that they are computed from.
fn with_sources<const W: usize>(reads: Row<W>, sources: &[Row<W>]) -> Row<W> {
    let mut all = reads;
    for r in each(&reads) {
        super::bits::or(&mut all, &sources[r]);
    }
    all
}
