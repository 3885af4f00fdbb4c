//! A run: what its threads and callbacks share.

use super::api::{Api, Device, SetupError};
use super::deadlines::Deadlines;
use crate::execute::memory::HostMemory;
use crate::threads::lock;
use classay_suites::host::{
    Call, Fired, Function, HostProgram, Mark, Record, SignalId, Slot, SlotKind, Step, Value,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// What all runs of a program have in common.
pub struct Setting {
    pub program: Arc<HostProgram>,
    pub api: Arc<Api>,
    pub deadlines: Arc<Deadlines>,
    pub device: Arc<Device>,
    pub fixtures: Vec<(Slot, usize)>,
    /// What plays the steps of a callback that was called.
    pub callback: fn(&Arc<Run>, &[Step], Fired),
}

/// A run of a program.
pub struct Run {
    pub setting: Arc<Setting>,
    /// The number of the run in its tokens.
    pub number_in_tokens: u32,
    /// Its number in the table of runs.
    pub number: u64,
    /// What slots hold; 0 for nothing.
    slots: Vec<AtomicUsize>,
    /// The bytes of the memory whose address a slot holds, where that is known.
    lengths: Vec<AtomicUsize>,
    /// Memory of the host's own, freed with the run.
    host: BTreeMap<Slot, HostMemory>,
    signals: Vec<Signal>,
    clock: AtomicU64,
    begun: Instant,
    /// A call failed that must not: further steps are left out.
    ended: AtomicBool,
    /// Commands may be left that use what slots hold.
    pub left_behind: AtomicBool,
    shared: Mutex<Observed>,
    called: Condvar,
}

/// What a run observed so far.
#[derive(Default)]
pub struct Observed {
    pub record: Record,
    /// How often marked calls succeeded.
    pub succeeded: BTreeMap<Mark, u32>,
}

impl Observed {
    fn add(&mut self, part: Observed) {
        let (all, part_of) = (&mut self.record, part.record);
        all.codes.extend(part_of.codes);
        all.stamps.extend(part_of.stamps);
        all.clock.extend(part_of.clock);
        all.answers.extend(part_of.answers);
        part_of.fired.into_iter().for_each(|fired| all.fire(fired));
        all.astray.extend(part_of.astray);
        all.kernels.extend(part_of.kernels);
        all.said.extend(part_of.said);
        all.lacks = all.lacks.or(part_of.lacks);
        all.timed_out |= part_of.timed_out;
        all.finished = part_of.finished.or(all.finished);
        for (mark, times) in part.succeeded {
            *self.succeeded.entry(mark).or_default() += times;
        }
    }
}

/// A signal between host threads.
#[derive(Default)]
struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Run {
    /// A run that begins now, with the fixtures in their slots.
    pub fn new(setting: &Arc<Setting>, number_in_tokens: u32) -> Arc<Run> {
        let program = &setting.program;
        let zeros =
            || -> Vec<AtomicUsize> { program.slots.iter().map(|_| AtomicUsize::new(0)).collect() };
        let mut run = Run {
            setting: setting.clone(),
            number_in_tokens,
            number: 0,
            slots: zeros(),
            lengths: zeros(),
            host: BTreeMap::new(),
            signals: (0..program.signals).map(|_| Signal::default()).collect(),
            clock: AtomicU64::new(1),
            begun: Instant::now(),
            ended: AtomicBool::new(false),
            left_behind: AtomicBool::new(false),
            shared: Mutex::default(),
            called: Condvar::new(),
        };
        for (slot, handle) in &setting.fixtures {
            run.store(*slot, *handle);
        }
        for (n, info) in program.slots.iter().enumerate() {
            if let SlotKind::Host { bytes } = info.kind {
                let (slot, memory) = (Slot(n as u16), HostMemory::bytes(bytes));
                run.store(slot, memory.pointer().expose_provenance());
                run.lengths[n].store(bytes, Ordering::Release);
                run.host.insert(slot, memory);
            }
        }
        enter(run)
    }

    /// What a slot holds; 0 for nothing.
    pub fn load(&self, slot: Slot) -> usize {
        let place = self.slots.get(slot.index());
        place.map_or(0, |place| place.load(Ordering::Acquire))
    }

    /// A slot gets an object or an address.
    pub fn store(&self, slot: Slot, value: usize) {
        let Some(info) = self.setting.program.slots.get(slot.index()) else {
            return;
        };
        self.slots[slot.index()].store(value, Ordering::Release);
        // What is no object is the address of memory.
        if value != 0 && !info.kind.is_object() {
            let mut shared = self.observed();
            shared.record.addresses.insert(slot, value as u64);
        }
    }

    /// A slot gives up what it holds.
    pub fn take(&self, slot: Slot) -> usize {
        let place = self.slots.get(slot.index());
        place.map_or(0, |place| place.swap(0, Ordering::AcqRel))
    }

    /// What a call made goes to its slot.
    pub fn made(&self, slot: Slot, call: &Call, made: usize) {
        // Which argument says how many bytes there are.
        let bytes = match call.function {
            Function::SVMAlloc => Some(2),
            Function::EnqueueMapBuffer => Some(5),
            _ => None,
        };
        if let Some(Value::Number(bytes)) = bytes.and_then(|n| call.arguments.get(n))
            && let Some(length) = self.lengths.get(slot.index())
        {
            length.store(*bytes as usize, Ordering::Release);
        }
        self.store(slot, made);
    }

    /// Where the memory of a slot begins, and its bytes, where that is known.
    pub fn span(&self, slot: Slot) -> Option<(usize, usize)> {
        let length = self.lengths.get(slot.index())?.load(Ordering::Acquire);
        let start = self.load(slot);
        (start != 0 && length != 0).then_some((start, length))
    }

    /// All memory of which that is known.
    pub fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.slots.len()).filter_map(|n| self.span(Slot(n as u16)))
    }

    /// The next stamp.
    pub fn stamp(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Nanoseconds from the run's beginning.
    pub fn nanoseconds(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Whether further steps are left out.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// A call failed that must not; its code.
    pub fn fail(&self, failed: SetupError) -> i32 {
        let call = failed.call;
        let code = failed.code();
        let mut observed = self.observed();
        observed.record.failed.get_or_insert((call, code));
        drop(observed);
        self.ended.store(true, Ordering::Release);
        // Nobody waits for a signal that is not given any more.
        (0..self.signals.len()).for_each(|n| self.signal(SignalId(n as u16)));
        code
    }

    /// Gives a signal.
    pub fn signal(&self, id: SignalId) {
        if let Some(signal) = self.signals.get(id.index()) {
            *lock(&signal.given) = true;
            signal.changed.notify_all();
        }
    }

    /// Waits for a signal.
    pub fn wait_for_signal(&self, id: SignalId) {
        let Some(signal) = self.signals.get(id.index()) else {
            return;
        };
        let waited = signal
            .changed
            .wait_while(lock(&signal.given), |given| !*given);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// What was observed so far.
    pub fn observed(&self) -> MutexGuard<'_, Observed> {
        lock(&self.shared)
    }

    /// Adds what a thread or a callback observed.
    pub fn add(&self, part: Observed) {
        self.observed().add(part);
        self.called.notify_all();
    }

    /// Where callbacks are waited for.
    pub fn called(&self) -> &Condvar {
        &self.called
    }
}

/// The runs that callbacks and native kernels can find.
fn runs() -> &'static Mutex<HashMap<u64, Arc<Run>>> {
    static RUNS: OnceLock<Mutex<HashMap<u64, Arc<Run>>>> = OnceLock::new();
    RUNS.get_or_init(Mutex::default)
}

/// Gives a run its number, by which callbacks find it.
fn enter(mut run: Run) -> Arc<Run> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    run.number = NEXT.fetch_add(1, Ordering::Relaxed);
    let run = Arc::new(run);
    let mut all = lock(runs());
    all.insert(run.number, run.clone());
    run
}

/// Lets callbacks that come later find nothing.
pub fn leave(number: u64) {
    let mut all = lock(runs());
    all.remove(&number);
}

/// A run, by number.
pub fn find(number: u64) -> Option<Arc<Run>> {
    let all = lock(runs());
    all.get(&number).cloned()
}
