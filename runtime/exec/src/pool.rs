//! Threads, and how groups are given to them.
//!
//! A launch becomes a job in a queue. A thread takes the job at the front, puts
//! it to the back for the others, and takes group after group from it until
//! none are left, or, while other jobs wait, for a while. The thread that ends
//! the last group of a job wakes the one that waits for it.
//!
//! The thread that asks for the launch is not idle meanwhile: it runs groups of
//! its own job, so that a small launch needs no other thread and no wake-up.
//! Never more threads run groups at once than the pool has: who asks first
//! takes a permit, and without one waits for the pool's own threads. A thread that asks while it
//! runs a group, because that group enqueued a child and nobody else is there to run it, needs no
//! further permit: its group stands still meanwhile.

use crate::error::LaunchError;
use crate::executable::Executable;
use crate::float::FloatEnvironment;
use crate::interp::code::{FIRST_SITE, Kernel};
use crate::interp::group::{Arena, Control, Ended, GroupRunner, splitmix};
use crate::interp::port::broken::{self, BrokenMemory};
use crate::interp::port::host::HostMemory;
use crate::interp::port::{GroupPort, fault};
use crate::launch::{Launch, LaunchStats};
use crate::map::MemoryMap;
use crate::plan::{self, Plan};
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use touchstone_faults::{Fault, Latitude, on, takes};

/// A pool of threads that run work-groups.
#[derive(Debug)]
pub struct Pool {
    threads: NonZeroUsize,
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Notified when a job comes or the pool closes.
    news: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// Jobs that have groups left to take.
    jobs: VecDeque<Arc<Job>>,
    /// Threads that run groups now, the pool's and others.
    running: usize,
    /// Threads of the pool that wait for news.
    sleeping: usize,
    /// Memory for the groups that threads of others run.
    arenas: Vec<Arena>,
    closed: bool,
}

/// Which groups of a launch run, under a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// All.
    All,
    /// All; the last one, where there are several, a moment after the launch has returned, so what the launch uses
    /// must stay.
    LastLate,
    /// All but the last one.
    ButLast,
    /// The last one.
    Last,
}

impl Groups {
    /// The first of so many groups to take, and one past the last.
    fn of(self, count: u64) -> (u64, u64) {
        let others = count.saturating_sub(1);
        match self {
            Groups::All => (0, count),
            Groups::LastLate if count == 1 => (0, 1),
            Groups::LastLate | Groups::ButLast => (0, others),
            Groups::Last => (others, count),
        }
    }
}

/// A launch while it runs.
#[derive(Debug)]
struct Job {
    executable: Arc<Executable>,
    launch: Launch,
    plan: Plan,
    memory: Arc<MemoryMap>,
    /// The next group to take.
    next: AtomicU64,
    steps: AtomicU64,
    groups_run: AtomicU64,
    /// One past the last group to take.
    past: AtomicU64,
    /// Under a fault: runs groups.
    broken: Option<BrokenWork>,
    /// When the launch began, by the clock of the weak machine.
    floor: u64,
    /// Held by the group that runs, where one runs at a time.
    one: Mutex<()>,
    /// No more groups are to be taken, and running ones are to end.
    stop: AtomicBool,
    end: Mutex<End>,
    ended: Condvar,
}

/// Runs groups under faults; true when none are left to take.
type BrokenWork = fn(&Job, &mut Arena, &Shared) -> bool;

#[derive(Debug, Default)]
struct End {
    /// Threads that run groups of the job.
    workers: usize,
    /// The thread that asked for the launch sleeps until the end.
    awaited: bool,
    /// No thread will take groups of it any more.
    drained: bool,
    error: Option<LaunchError>,
    panic: Option<PanicPayload>,
}

struct PanicPayload(Box<dyn Any + Send>);

impl std::fmt::Debug for PanicPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PanicPayload")
    }
}

/// A lock that outlives a panic of another thread: what it guards is valid at
/// every point.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A pool of so many threads. Threads that the system refuses are done
    /// without, but for the first.
    ///
    /// # Panics
    /// If the system gives no thread at all.
    pub fn new(threads: NonZeroUsize) -> Pool {
        let shared = Arc::new(Shared::default());
        let mut handles = Vec::new();
        for n in 0..threads.get() {
            let shared = Arc::clone(&shared);
            let spawned = std::thread::Builder::new()
                .name(format!("touchstone-{n}"))
                .spawn(move || work(&shared, threads.get()));
            match spawned {
                Ok(handle) => handles.push(handle),
                Err(error) if n == 0 => panic!("no thread for the device: {error}"),
                Err(_) => break,
            }
        }
        Pool {
            threads: NonZeroUsize::new(handles.len()).unwrap_or(NonZeroUsize::MIN),
            shared,
            handles,
        }
    }

    /// How many threads it has.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Runs a launch to its end. Any number of threads may call this at once;
    /// their launches share the pool.
    ///
    /// # Errors
    /// When the launch is invalid, traps, is cancelled or takes too long. The
    /// effects of work done so far remain.
    pub fn run(
        &self,
        executable: &Arc<Executable>,
        launch: Launch,
    ) -> Result<LaunchStats, LaunchError> {
        self.start(executable, launch, None, Groups::All)
    }

    fn start(
        &self,
        executable: &Arc<Executable>,
        launch: Launch,
        broken: Option<BrokenWork>,
        groups: Groups,
    ) -> Result<LaunchStats, LaunchError> {
        let plan = plan::check(executable, &launch)?;
        let space = plan.space;
        let (first, past) = groups.of(space.group_count());
        if first == past {
            return Ok(LaunchStats::default());
        }
        let accesses = executable.kernels_compiled()[plan.kernel].sites.len() > FIRST_SITE;
        if accesses && launch.memory.has_system() {
            fault::prepare_launch();
        }
        if space.broken {
            executable.before_launch(plan.kernel);
        }
        let job = Arc::new(Job {
            past: AtomicU64::new(past),
            broken,
            floor: broken::now(),
            executable: Arc::clone(executable),
            memory: executable.with_variables(&launch.memory),
            launch,
            plan,
            next: AtomicU64::new(first),
            steps: AtomicU64::new(0),
            groups_run: AtomicU64::new(0),
            one: Mutex::new(()),
            stop: AtomicBool::new(false),
            end: Mutex::new(End::default()),
            ended: Condvar::new(),
        });
        self.take_part(&job, past - first);
        let mut end = lock(&job.end);
        while !(end.drained && end.workers == 0) {
            end.awaited = true;
            end = wait(&job.ended, end);
        }
        if let Some(PanicPayload(payload)) = end.panic.take() {
            resume_unwind(payload);
        }
        let count = space.group_count();
        if groups == Groups::LastLate && past < count {
            job.past.store(count, Ordering::Relaxed);
            let (job, shared) = (Arc::clone(&job), Arc::clone(&self.shared));
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(5));
                job.next.store(past, Ordering::Relaxed);
                job.work(&mut Arena::default(), &shared);
            });
        }
        match end.error.take() {
            Some(error) => Err(error),
            None => Ok(LaunchStats {
                groups: job.groups_run.load(Ordering::Relaxed),
                items: space.global.iter().product(),
                steps: job.steps.load(Ordering::Relaxed),
            }),
        }
    }

    /// As [`Pool::run`], under a fault, which says which groups run.
    ///
    /// `X` is any type of the calling crate: the executor under faults is compiled there, as what
    /// the compiler makes of the other depends on how many there are beside it.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub fn run_broken<X>(
        &self,
        executable: &Arc<Executable>,
        launch: Launch,
        groups: Groups,
    ) -> Result<LaunchStats, LaunchError> {
        self.start(executable, launch, Some(Job::work_broken::<X>), groups)
    }

    /// Hands a job to the pool and runs groups of it on the calling thread, if fewer
    /// threads than the pool has do that. A job of one group then stays here.
    fn take_part(&self, job: &Arc<Job>, groups: u64) {
        let mut queue = lock(&self.shared.queue);
        let permitted = queue.running < self.threads.get() || RUNS_GROUPS.get();
        let mut others = groups;
        if permitted {
            queue.running += 1;
            lock(&job.end).workers += 1;
            others -= 1;
        }
        if others > 0 {
            queue.jobs.push_back(Arc::clone(job));
        }
        let arena = permitted.then(|| queue.arenas.pop().unwrap_or_default());
        let sleeping = queue.sleeping as u64;
        drop(queue);
        // Telling costs a call of the system even when nobody listens.
        match others.min(sleeping) {
            0 => {}
            1 => self.shared.news.notify_one(),
            _ => self.shared.news.notify_all(),
        }
        if let Some(mut arena) = arena {
            work_on(job, &mut arena, &self.shared);
            lock(&self.shared.queue).arenas.push(arena);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.queue).closed = true;
        self.shared.news.notify_all();
        for handle in self.handles.drain(..) {
            // A thread that panicked has given its panic to the launch.
            let _ = handle.join();
        }
    }
}

/// What a pool thread does.
fn work(shared: &Shared, threads: usize) {
    fault::prepare_thread();
    let mut arena = Arena::default();
    loop {
        let job = {
            let mut queue = lock(&shared.queue);
            loop {
                if queue.running < threads
                    && let Some(job) = queue.jobs.pop_front()
                {
                    queue.jobs.push_back(Arc::clone(&job));
                    queue.running += 1;
                    lock(&job.end).workers += 1;
                    break job;
                }
                if queue.closed {
                    return;
                }
                queue.sleeping += 1;
                queue = wait(&shared.news, queue);
                queue.sleeping -= 1;
            }
        };
        work_on(&job, &mut arena, shared);
    }
}

thread_local! {
    /// This thread runs a group.
    static RUNS_GROUPS: Cell<bool> = const { Cell::new(false) };
}

/// Runs groups of a job on this thread, which has a permit and is one of the job's workers;
/// gives both back.
fn work_on(job: &Arc<Job>, arena: &mut Arena, shared: &Shared) {
    let ran = {
        let _environment = FloatEnvironment::of_kernels();
        let outer = RUNS_GROUPS.replace(true);
        let ran = catch_unwind(AssertUnwindSafe(|| job.work(arena, shared)));
        RUNS_GROUPS.set(outer);
        ran
    };
    let drained = match ran {
        Ok(drained) => drained,
        Err(payload) => {
            *arena = Arena::default();
            job.stop.store(true, Ordering::Relaxed);
            lock(&job.end).panic.get_or_insert(PanicPayload(payload));
            true
        }
    };
    let mut queue = lock(&shared.queue);
    queue.running -= 1;
    if drained {
        queue.jobs.retain(|other| !Arc::ptr_eq(other, job));
    }
    let wanted = !queue.jobs.is_empty() && queue.sleeping > 0;
    drop(queue);
    if wanted {
        // A thread of the pool may wait for the permit.
        shared.news.notify_one();
    }
    let mut end = lock(&job.end);
    end.workers -= 1;
    end.drained |= drained;
    if end.drained && end.workers == 0 && end.awaited {
        job.ended.notify_all();
    }
}

/// The number that comes at a place of 0..count in an order drawn from a seed.
fn shuffled(number: u64, count: u64, seed: u64) -> u64 {
    let mut state = seed;
    // A step that has no divisor in common with the count leads to every number once.
    let mut step = 1 + splitmix(&mut state) % count;
    while divisor(step, count) != 1 {
        step = 1 + step % count;
    }
    let start = splitmix(&mut state);
    let place = u128::from(start % count) + u128::from(number) * u128::from(step);
    (place % u128::from(count)) as u64
}

/// The greatest common divisor.
fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 {
        one
    } else {
        divisor(other, one % other)
    }
}

/// Groups that a thread runs of one job before it looks whether others wait.
const TURN: u64 = 64;

impl Job {
    fn kernel(&self) -> &Kernel {
        &self.executable.kernels_compiled()[self.plan.kernel]
    }

    /// Runs groups; true when none are left to take.
    fn work(&self, arena: &mut Arena, shared: &Shared) -> bool {
        if let Some(work) = self.broken {
            work(self, arena, shared)
        } else if self.memory.checks_bounds() {
            self.work_over(self.host_memory::<true>(), arena, shared)
        } else {
            self.work_over(self.host_memory::<false>(), arena, shared)
        }
    }

    /// The same under faults.
    fn work_broken<X>(&self, arena: &mut Arena, shared: &Shared) -> bool {
        if self.memory.checks_bounds() {
            self.work_over(self.broken_memory::<true, X>(), arena, shared)
        } else {
            self.work_over(self.broken_memory::<false, X>(), arena, shared)
        }
    }

    /// The memory, with the bounds checker or without.
    fn host_memory<const CHECKED: bool>(&self) -> HostMemory<'_, CHECKED> {
        HostMemory::new(
            self.kernel(),
            &self.plan.extents,
            &self.memory,
            &self.launch,
        )
    }

    fn broken_memory<const CHECKED: bool, X>(&self) -> BrokenMemory<'_, CHECKED, X> {
        let (seed, floor) = (self.launch.seed, self.floor);
        BrokenMemory::new(self.host_memory(), self.kernel(), seed, floor)
    }

    /// The same over a port.
    fn work_over<M: GroupPort>(&self, memory: M, arena: &mut Arena, shared: &Shared) -> bool {
        let kernel = self.kernel();
        let runner = GroupRunner::new(
            (kernel, &self.executable.tiers()[self.plan.kernel]),
            &self.plan.space,
            &self.launch,
            &self.plan.start,
            memory,
            self.plan.layout,
            arena,
        );
        let Some(mut runner) = runner else {
            self.fail(LaunchError::OutOfResources {
                kernel: kernel.name.clone(),
                bytes: self.plan.layout.bytes().unwrap_or(u64::MAX),
                limit: plan::GROUP_BYTES,
            });
            return true;
        };
        let groups = self.past.load(Ordering::Relaxed);
        loop {
            for _ in 0..TURN {
                if self.stop.load(Ordering::Relaxed) {
                    return true;
                }
                // The count cannot wrap: each thread adds at most one past the end.
                let number = self.next.fetch_add(1, Ordering::Relaxed);
                if number >= groups {
                    return true;
                }
                if number == 0 && self.plan.space.broken && on(Fault::FirstGroupTwice) {
                    runner.run(number, self);
                }
                let (number, _one) = if self.plan.space.broken {
                    self.placed(number, groups)
                } else {
                    (number, None)
                };
                match runner.run(number, self) {
                    Ended::Complete => {
                        self.groups_run.fetch_add(1, Ordering::Relaxed);
                    }
                    Ended::Stopped => return true,
                    Ended::Trapped(trap) => {
                        self.fail(LaunchError::Trap(trap));
                        return true;
                    }
                }
            }
            if lock(&shared.queue).jobs.len() > 1 {
                return false;
            }
        }
    }

    /// Which of so many groups comes at a place of the order, and what it holds while it runs, by the latitudes
    /// taken.
    #[cold]
    fn placed(&self, number: u64, groups: u64) -> (u64, Option<MutexGuard<'_, ()>>) {
        let one = takes(Latitude::GroupsOneAtATime).then(|| lock(&self.one));
        let is_last = number + 1 == groups;
        let number = if on(Fault::GroupOrderRepeats) && is_last {
            0
        } else {
            number
        };
        let number = if takes(Latitude::GroupsReversed) {
            groups - 1 - number
        } else if takes(Latitude::GroupsRandom) {
            shuffled(number, groups, self.launch.seed)
        } else {
            number
        };
        (number, one)
    }

    /// The first error is the launch's.
    fn fail(&self, error: LaunchError) {
        lock(&self.end).error.get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Control for Job {
    fn go_on(&self, steps: u64) -> bool {
        let total = self.steps.fetch_add(steps, Ordering::Relaxed) + steps;
        if let Some(cancel) = &self.launch.cancel
            && cancel.load(Ordering::Relaxed)
        {
            self.fail(LaunchError::Cancelled {
                kernel: self.kernel().name.clone(),
            });
        }
        if let Some(limit) = self.launch.step_limit
            && total > limit
        {
            self.fail(LaunchError::StepLimit {
                kernel: self.kernel().name.clone(),
                limit,
            });
        }
        !self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_that_is_drawn_has_every_number_once() {
        let mut orders = std::collections::HashSet::new();
        for count in [1, 2, 3, 6, 12, 64, 97] {
            for seed in 0..20 {
                let order: Vec<_> = (0..count).map(|n| shuffled(n, count, seed)).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..count), "{order:?}");
                orders.insert(order);
            }
        }
        assert!(orders.len() > 50, "{}", orders.len());
    }
}
