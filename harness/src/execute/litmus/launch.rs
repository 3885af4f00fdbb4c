//! Launches of a built test: enqueued, played, collected, counted.

use super::host::{HostThread, Meeting};
use super::launcher::{Launcher, overflow_each};
use super::plan::Plan;
use super::tally::Counts;
use crate::execute::bench::{Arg, At, In, Launched, Transfer};
use crate::execute::ended::NotRun;
use classay_litmus::kernel::{Step, env};
use classay_litmus::program::DomainOp;
use classay_reports::record::{EvidenceKind, Launch};
use classay_reports::text::outcome::outcome;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

/// A launch under way.
pub struct Flight {
    pub index: u64,
    pub count: u32,
    pub queue: usize,
    pub set: usize,
    pub slots: Vec<Option<usize>>,
    pub launched: Vec<Launched>,
    pub rows: Transfer,
    pub started: Instant,
    /// Host memory of the writes before it.
    pub _writes: Vec<Transfer>,
}

impl Launcher<'_> {
    /// Enqueues the collecting kernel; it only clears where `clear` says so.
    fn enqueue_collect(&self, queue: usize, set: usize, clear: bool) -> Result<Launched, NotRun> {
        let (state, stage) = (&self.sets[set], &self.stages[queue]);
        let groups = self.groups(0);
        let launched = self.bench.launch(
            At::own(queue, 0),
            self.built.collect,
            &[
                Arg::Words(&stage.mem),
                Arg::Words(&stage.res),
                Arg::Words(&stage.meet),
                Arg::Words(&stage.env[0]),
                Arg::Words(&state.table),
                Arg::Uint(state.slots as u32),
                Arg::Words(&state.rows),
                Arg::Words(&state.overflow),
                Arg::Uint(overflow_each(&self.arrangement)),
                Arg::Uint(self.arrangement.collect_chunk),
                Arg::Uint(u32::from(clear)),
                Arg::Uint(env::slots(groups) as u32),
            ],
            0..self.arrangement.collectors as usize,
            1,
        )?;
        Ok(launched)
    }

    fn words(&self, plan: &Plan, device: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let test = &self.built.test;
        let step = test.shape.devices.get(device).map_or(0, |d| d.step);
        let threads = test.meeting(&self.built.program, step);
        let groups = self.groups(device);
        plan.words(&self.arrangement, self.environment, groups, threads, rng)
    }

    /// Sets the first `reach` places of instances to their start.
    pub fn clear(&mut self, reach: u32, rng: &mut ChaCha8Rng) -> Result<(), NotRun> {
        let plan = Plan::clearing(reach, &self.arrangement);
        let mut writings = Vec::new();
        for queue in 0..self.stages.len() {
            let words = self.words(&plan, 0, rng);
            let stage = &mut self.stages[queue];
            writings.push(self.bench.write(queue, &mut stage.env[0], words)?);
            self.enqueue_collect(queue, 0, true)?;
        }
        self.bench.finish()?;
        self.cleared = self.cleared.max(reach);
        Ok(())
    }

    pub fn enqueue(
        &mut self,
        index: u64,
        count: u32,
        rng: &mut ChaCha8Rng,
    ) -> Result<Flight, NotRun> {
        let reach = self.arrangement.reach(count);
        if reach > self.cleared {
            // What is cleared draws nothing.
            self.clear(reach, &mut rng.clone())?;
        }
        let started = Instant::now();
        let plan = Plan::draw(count, &self.arrangement, self.environment, rng);
        if let Some(stressors) = &self.stressors {
            stressors.set(plan.host_stresses);
        }
        let set = (index % self.sets.len() as u64) as usize;
        let queue = (index % self.stages.len() as u64) as usize;
        let mut writes = Vec::new();
        for device in 0..self.stages[queue].env.len() {
            let words = self.words(&plan, device, rng);
            let stage = &mut self.stages[queue];
            writes.push(self.bench.write(queue, &mut stage.env[device], words)?);
        }
        if let Some(writing) = self.prepare(queue, set)? {
            writes.push(writing);
        }
        let mut launched = Vec::new();
        if self.crosses {
            self.bench.finish()?;
        }
        for (n, step) in self.built.test.shape.steps.iter().enumerate() {
            if n > 0 && !self.crosses {
                self.between(queue, step, &plan)?;
            }
            let mut first = None;
            for &part in &step.parts {
                let launch = self.play_part(queue, part, &plan)?;
                first.get_or_insert(launch);
            }
            launched.extend(first);
            if self.crosses {
                self.play_host(queue, n, &plan)?;
                self.bench.finish()?;
            }
        }
        let collected = self.enqueue_collect(queue, set, false)?;
        if launched.is_empty() {
            // A test with host threads alone has no launch of its own.
            launched.push(collected);
        }
        let state = &self.sets[set];
        let row_words = self.arrangement.collectors as usize * (state.slots + 1);
        let rows = self.bench.read(queue, &state.rows, 0, row_words)?;
        self.bench.flush(At::own(queue, 0))?;
        Ok(Flight {
            index,
            count,
            queue,
            set,
            slots: self.tally.slots(),
            launched,
            rows,
            started,
            _writes: writes,
        })
    }

    /// Enqueues what an entry of the test's shape plays.
    fn play_part(&self, queue: usize, part: usize, plan: &Plan) -> Result<Launched, NotRun> {
        let (built, e) = (self.built, &self.arrangement);
        let stage = &self.stages[queue];
        let mut args = vec![
            Arg::Words(&stage.mem),
            Arg::Words(&stage.res),
            Arg::Words(&stage.meet),
            Arg::Words(&stage.env[part]),
            Arg::Words(&stage.scratch),
        ];
        args.extend(
            built
                .test
                .layout
                .arguments()
                .iter()
                .map(|argument| match argument.texels {
                    true => Arg::Texels(&stage.mem),
                    false => Arg::Words(&stage.mem),
                }),
        );
        if built.test.takes_local(&built.program, part) {
            let words = built.test.layout.local_words * e.lanes * e.batch;
            args.push(Arg::Local(words as usize));
        }
        let ranges = plan.ranges(e, self.groups(part));
        let own = At::own(queue, built.test.shape.family(part));
        let kernel = built.tests[part];
        let queues = (0..ranges.len()).map(|beside| At { beside, ..own });
        for at in queues.clone().skip(1) {
            self.bench.follow(at, own)?;
        }
        let mut launched = Vec::new();
        for (at, groups) in queues.clone().zip(ranges) {
            let local = e.local_sizes[part];
            launched.push(self.bench.launch(at, kernel, &args, groups, local)?);
        }
        for at in queues.clone().rev() {
            if self.crosses || launched.len() > 1 {
                self.bench.flush(at)?;
            }
        }
        for at in queues.skip(1) {
            self.bench.follow(own, at)?;
        }
        Ok(launched.swap_remove(0))
    }

    /// What stands between a step and the one before it in a queue. Where the test states all that a semaphore does,
    /// some launches have one there, between two submissions.
    fn between(&self, queue: usize, step: &Step, plan: &Plan) -> Result<(), NotRun> {
        let at = At::own(queue, 0);
        let whole = step.before == [DomainOp::Available, DomainOp::Visible];
        if whole && self.arrangement.submissions.takes(env::mix(plan.seed)) {
            return self.bench.flush(at);
        }
        self.bench.order(at, &step.before);
        Ok(())
    }

    /// Brings a set's table up to date and makes room for its rows.
    fn prepare(&mut self, queue: usize, set: usize) -> Result<Option<Transfer>, NotRun> {
        if self.sets[set].table_version == Some(self.tally.version()) {
            return Ok(None);
        }
        let slots = self.tally.slot_count();
        if self.sets[set].slots != slots {
            let collectors = self.arrangement.collectors as usize;
            // The launch that used this set has landed, so its arrays are free.
            let rows = self
                .pool
                .take(self.bench, collectors * (slots + 1), In::Buffer)?;
            let words = self.tally.table_words();
            let table = self.pool.take(self.bench, words, In::Buffer)?;
            self.pool
                .give(std::mem::replace(&mut self.sets[set].rows, rows));
            self.pool
                .give(std::mem::replace(&mut self.sets[set].table, table));
            self.sets[set].slots = slots;
        }
        let table = self.tally.table();
        self.sets[set].table_version = Some(self.tally.version());
        let to = &mut self.sets[set].table;
        Ok(Some(self.bench.write(queue, to, table)?))
    }

    /// Plays the host threads of a step of a launch, one system thread each, while the device plays its part.
    fn play_host(&self, queue: usize, step: usize, plan: &Plan) -> Result<(), NotRun> {
        let test = &self.built.test;
        let threads = &test.shape.steps[step].host;
        if threads.is_empty() {
            return Ok(());
        }
        let stage = &self.stages[queue];
        let (Some(mem), Some(res), Some(meet)) =
            (stage.mem.shared(), stage.res.shared(), stage.meet.shared())
        else {
            let why = "host threads were placed on memory that is not shared (a bug)";
            return Err(NotRun::failed(why.into()));
        };
        let all = [&stage.mem, &stage.res, &stage.meet];
        all.iter()
            .try_for_each(|words| self.bench.invalidate(words))?;
        let e = &self.arrangement;
        let meeting = Meeting {
            counter: meet,
            arrivals: test.meeting(&self.built.program, step) as u32 * e.lanes,
            arrangement: e,
            seed: plan.seed,
        };
        std::thread::scope(|scope| {
            for &thread in threads {
                let host = HostThread {
                    built: self.built,
                    thread,
                    mem,
                    res,
                    plan,
                    arrangement: e,
                };
                let meeting = &meeting;
                scope.spawn(move || {
                    let mut at = meeting.begin();
                    for position in 0..plan.count {
                        meeting.before(position, &mut at);
                        host.play(plan.order.place(position, plan.count));
                    }
                });
            }
        });
        all.iter()
            .try_for_each(|words| self.bench.make_available(words))
    }

    /// Waits for a launch and counts it.
    pub fn land(&mut self, flight: Flight) -> Result<Launch, NotRun> {
        let rows = flight.rows.wait()?;
        let slots = flight.slots.len();
        let each = overflow_each(&self.arrangement) as usize;
        let words = self.tally.tuple_words();
        let listed: Vec<usize> = rows
            .chunks(slots + 1)
            .map(|row| row[slots] as usize)
            .collect();
        let mut unlisted = Vec::new();
        if let Some(&n) = listed.iter().find(|&&n| n > each) {
            return Err(NotRun::failed(format!(
                "a work-item says it listed {n} outcomes of at most {each}"
            )));
        }
        let overflow = &self.sets[flight.set].overflow;
        let used: Vec<usize> = (0..listed.len()).filter(|&i| listed[i] > 0).collect();
        let read = |from, length| {
            self.bench
                .read(flight.queue, overflow, from, length)?
                .wait()
        };
        if used.len() > 16 {
            let last = used[used.len() - 1];
            let all = read(0, (last * each + listed[last]) * words)?;
            for i in used {
                let from = i * each * words;
                unlisted.push(all[from..from + listed[i] * words].to_vec());
            }
        } else {
            for i in used {
                unlisted.push(read(i * each * words, listed[i] * words)?);
            }
        }
        let counts = self.tally.count(
            &self.built.program,
            &self.built.test.layout,
            &flight.slots,
            &rows,
            &unlisted,
        )?;
        if counts.total != u64::from(flight.count) {
            let why = format!(
                "the counts of launch {} add up to {}, but it has {} instances",
                flight.index, counts.total, flight.count
            );
            return Err(NotRun::failed(why).with(EvidenceKind::Counts, self.listed(&counts)));
        }
        let lost = self.tally.unwritten(&counts);
        if lost > 0 {
            let why = format!(
                "in {lost} of {} instances of launch {} a thread left no result",
                flight.count, flight.index
            );
            let source = self.built.test.source.clone();
            return Err(NotRun::failed(why).with(EvidenceKind::Source, source));
        }
        let steps = flight.launched.iter().map(Launched::seconds);
        let seconds = match steps.sum::<Option<f64>>() {
            Some(seconds) => seconds,
            None => flight.started.elapsed().as_secs_f64(),
        };
        Ok(Launch {
            index: flight.index,
            process: 0,
            instances: u64::from(flight.count),
            seconds,
            outcomes: self.tally.outcomes(&self.built.program, &counts),
            freedoms: Vec::new(),
        })
    }

    /// Counts with their outcomes, a line each.
    fn listed(&self, counts: &Counts) -> String {
        let observables = self.built.program.recorded();
        let outcomes = self.tally.outcomes(&self.built.program, counts);
        let lines = outcomes
            .iter()
            .map(|o| format!("{} {}\n", o.count, outcome(&o.outcome, &observables)));
        lines.collect()
    }
}
