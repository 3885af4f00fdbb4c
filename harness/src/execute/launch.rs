//! Launches of a session: enqueued, played, collected, counted.

use super::NotRun;
use super::cl::{self, Arg, Reading, Words, Writing};
use super::environment::Environment;
use super::host::HostThread;
use super::session::Session;
use classay_litmus::kernel::env;
use classay_reports::record::{Evidence, Launch};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What each of the launches in flight has of its own.
pub struct Set {
    pub(super) table: Words,
    pub(super) table_version: Option<u64>,
    pub(super) rows: Words,
    pub(super) overflow: Words,
    pub(super) slots: usize,
}

/// A launch under way.
pub struct Flight {
    pub(super) index: u64,
    pub(super) count: u32,
    pub(super) set: usize,
    pub(super) slots: Vec<Option<usize>>,
    pub(super) launched: cl::Launched,
    pub(super) rows: Reading,
    pub(super) started: Instant,
    /// Host memory of the writes before it.
    pub(super) _writes: Vec<Writing>,
}

impl Session<'_> {
    /// Enqueues the collecting kernel; `clear` instances are only cleared where it is not 0.
    fn enqueue_collect(&self, set: usize, clear: u32) -> Result<cl::Launched, NotRun> {
        let state = &self.sets[set];
        let groups = (self.environment.collectors as usize).div_ceil(COLLECT_LOCAL);
        let launched = self.bench.launch(
            0,
            &self.collect,
            &[
                Arg::Words(&self.mem),
                Arg::Words(&self.res),
                Arg::Words(&self.meet),
                Arg::Words(&self.env[0]),
                Arg::Words(&state.table),
                Arg::Uint(state.slots as u32),
                Arg::Words(&state.rows),
                Arg::Words(&state.overflow),
                Arg::Uint(overflow_each(&self.environment)),
                Arg::Uint(self.environment.collect_chunk),
                Arg::Uint(clear),
            ],
            groups,
            COLLECT_LOCAL,
        )?;
        Ok(launched)
    }

    /// Sets every instance to its start.
    pub(super) fn clear_all(&mut self, rng: &mut ChaCha8Rng) -> Result<(), NotRun> {
        let words = self.environment_words(0, super::session::FIRST_LAUNCH, 1, 0, rng);
        let _writing = self.bench.write(&mut self.env[0], words)?;
        self.enqueue_collect(0, self.environment.instances)?;
        self.bench.finish()?;
        Ok(())
    }

    fn environment_words(
        &self,
        device: usize,
        count: u32,
        multiplier: u32,
        offset: u32,
        rng: &mut ChaCha8Rng,
    ) -> Vec<u32> {
        let e = &self.environment;
        let mut words = vec![0; env::PLACES];
        let step = u64::from(e.teams) * u64::from(e.lanes) * u64::from(multiplier);
        words[env::COUNT] = count;
        words[env::TEAMS] = e.teams;
        words[env::LANES] = e.lanes;
        words[env::ITERATIONS] = e.iterations(count);
        words[env::MULTIPLIER] = multiplier;
        words[env::OFFSET] = offset;
        words[env::STEP] = (step % u64::from(count.max(1))) as u32;
        words[env::SLOT_PITCH] = self.slot_pitch;
        words[env::INSTANCE_PITCH] = e.instance_pitch;
        words[env::RES_PITCH] = self.res_pitch;
        words[env::SYNC_EVERY] = e.sync_every;
        words[env::SYNC_BOUND] = e.sync_bound;
        words[env::FIRST_BOUND] = e.first_bound;
        words[env::LOOP_BOUND] = e.loop_bound;
        words[env::BATCH] = e.batch;
        words[env::ARRIVALS] = self.test.thread_count() as u32 * e.lanes;
        // Neighbouring threads of a group meet lanes apart, so their partners are not themselves.
        words[env::LANE_SHIFT] = if e.lanes > 1 {
            1 + offset % (e.lanes - 1)
        } else {
            0
        };
        let groups = self
            .test
            .shape
            .devices
            .get(device)
            .map_or(0, |d| d.groups.len());
        let mut places: Vec<u32> = (0..groups as u32).collect();
        for i in (1..groups).rev() {
            places.swap(i, rng.next_u32() as usize % (i + 1));
        }
        words.extend(places);
        words.extend((0..groups).map(|_| rng.next_u32() % e.teams));
        words
    }

    pub(super) fn enqueue(
        &mut self,
        index: u64,
        count: u32,
        rng: &mut ChaCha8Rng,
    ) -> Result<Flight, NotRun> {
        let started = Instant::now();
        let multiplier = coprime(rng.next_u32(), count);
        let offset = rng.next_u32() % count;
        let set = (index % 2) as usize;
        let mut writes = Vec::new();
        for device in 0..self.env.len() {
            let words = self.environment_words(device, count, multiplier, offset, rng);
            writes.push(self.bench.write(&mut self.env[device], words)?);
        }
        if let Some(writing) = self.prepare(set)? {
            writes.push(writing);
        }
        if self.crosses {
            self.bench.finish()?;
        }
        let mut launched = None;
        for (device, kernel) in self.tests.iter().enumerate() {
            let shape = &self.test.shape.devices[device];
            let mut args = vec![
                Arg::Words(&self.mem),
                Arg::Words(&self.res),
                Arg::Words(&self.meet),
                Arg::Words(&self.env[device]),
            ];
            if self.test.takes_local(self.program, device) {
                let e = &self.environment;
                let words = self.test.layout.local_words * e.lanes * e.batch;
                args.push(Arg::Local(words as usize));
            }
            let groups = self.environment.teams as usize * shape.groups.len();
            let local = self.environment.local_sizes[device];
            let launch = self.bench.launch(device, kernel, &args, groups, local)?;
            launched.get_or_insert(launch);
            if self.crosses {
                self.bench.flush(device)?;
            }
        }
        if self.crosses {
            self.play_host(count, multiplier, offset)?;
            self.bench.finish()?;
        }
        let collected = self.enqueue_collect(set, 0)?;
        let state = &self.sets[set];
        let groups = (self.environment.collectors as usize).div_ceil(COLLECT_LOCAL);
        let row_words = groups * COLLECT_LOCAL * (state.slots + 1);
        let rows = self.bench.read(&state.rows, row_words)?;
        self.bench.flush(0)?;
        Ok(Flight {
            index,
            count,
            set,
            slots: self.tally.slots(),
            // A test with host threads alone has no launch of its own.
            launched: launched.unwrap_or(collected),
            rows,
            started,
            _writes: writes,
        })
    }

    /// Brings a set's table up to date and makes room for its rows.
    fn prepare(&mut self, set: usize) -> Result<Option<Writing>, NotRun> {
        if self.sets[set].table_version == Some(self.tally.version()) {
            return Ok(None);
        }
        let slots = self.tally.slot_count();
        if self.sets[set].slots != slots {
            let collectors = (self.environment.collectors as usize).next_multiple_of(COLLECT_LOCAL);
            self.sets[set].rows = self.bench.words(collectors * (slots + 1), false)?;
            self.sets[set].table = self
                .bench
                .words(slots * (self.tally.tuple_words() + 1), false)?;
            self.sets[set].slots = slots;
        }
        let table = self.tally.table();
        self.sets[set].table_version = Some(self.tally.version());
        Ok(Some(self.bench.write(&mut self.sets[set].table, table)?))
    }

    /// Plays the host threads of a launch, one system thread each, while the device plays its part.
    fn play_host(&self, count: u32, multiplier: u32, offset: u32) -> Result<(), NotRun> {
        if self.test.host_threads().is_empty() {
            return Ok(());
        }
        let (Some(mem), Some(res), Some(meet)) =
            (self.mem.shared(), self.res.shared(), self.meet.shared())
        else {
            return Err(NotRun::Failed {
                reason: "host threads were placed on memory that is not shared (a bug)".into(),
                evidence: Vec::new(),
            });
        };
        let e = &self.environment;
        let arrivals = self.test.thread_count() as u32 * e.lanes;
        std::thread::scope(|scope| {
            for &thread in self.test.host_threads() {
                let host = HostThread {
                    program: self.program,
                    thread,
                    layout: &self.test.layout,
                    mem,
                    res,
                    slot_pitch: self.slot_pitch as usize,
                    instance_pitch: e.instance_pitch as usize,
                    res_pitch: self.res_pitch as usize,
                    loop_bound: e.loop_bound,
                };
                scope.spawn(move || {
                    let mut meeting = 0;
                    for position in 0..count {
                        if e.sync_every > 0 && position % e.sync_every == 0 {
                            meeting += arrivals;
                            let counter = meet.atomic(0);
                            counter.fetch_add(1, Ordering::Relaxed);
                            let bound = if position == 0 {
                                e.first_bound
                            } else {
                                e.sync_bound
                            };
                            for _ in 0..bound {
                                if counter.load(Ordering::Relaxed) >= meeting {
                                    break;
                                }
                                std::hint::spin_loop();
                            }
                        }
                        let k = (u64::from(position) * u64::from(multiplier) + u64::from(offset))
                            % u64::from(count);
                        host.play(k as u32);
                    }
                });
            }
        });
        Ok(())
    }

    /// Waits for a launch and counts it.
    pub(super) fn land(&mut self, flight: Flight) -> Result<Launch, NotRun> {
        let rows = flight.rows.wait()?;
        let slots = flight.slots.len();
        let each = overflow_each(&self.environment) as usize;
        let words = self.tally.tuple_words();
        let listed: Vec<usize> = rows
            .chunks(slots + 1)
            .map(|row| row[slots] as usize)
            .collect();
        let mut unlisted = Vec::new();
        if let Some(&n) = listed.iter().find(|&&n| n > each) {
            return Err(NotRun::Failed {
                reason: format!("a work-item says it listed {n} outcomes of at most {each}"),
                evidence: Vec::new(),
            });
        }
        let overflow = &self.sets[flight.set].overflow;
        let used: Vec<usize> = (0..listed.len()).filter(|&i| listed[i] > 0).collect();
        if used.len() > 16 {
            let last = used[used.len() - 1];
            let all = self
                .bench
                .read_at(overflow, 0, (last * each + listed[last]) * words)?;
            for i in used {
                let from = i * each * words;
                unlisted.push(all[from..from + listed[i] * words].to_vec());
            }
        } else {
            for i in used {
                unlisted.push(
                    self.bench
                        .read_at(overflow, i * each * words, listed[i] * words)?,
                );
            }
        }
        let counts = self.tally.count(
            self.program,
            &self.test.layout,
            &flight.slots,
            &rows,
            &unlisted,
        )?;
        if counts.total != u64::from(flight.count) {
            return Err(NotRun::Failed {
                reason: format!(
                    "the counts of launch {} add up to {}, but it has {} instances",
                    flight.index, counts.total, flight.count
                ),
                evidence: vec![Evidence {
                    kind: "counts".into(),
                    text: self
                        .tally
                        .outcomes(self.program, &counts)
                        .iter()
                        .map(|o| format!("{} {}\n", o.count, o.outcome))
                        .collect(),
                }],
            });
        }
        let lost = self.tally.unwritten(&counts);
        if lost > 0 {
            return Err(NotRun::Failed {
                reason: format!(
                    "in {lost} of {} instances of launch {} a thread left no result",
                    flight.count, flight.index
                ),
                evidence: vec![Evidence {
                    kind: "source".into(),
                    text: self.test.source.clone(),
                }],
            });
        }
        let seconds = match flight.launched.seconds() {
            Some(seconds) => seconds,
            None => flight.started.elapsed().as_secs_f64(),
        };
        Ok(Launch {
            index: flight.index,
            instances: u64::from(flight.count),
            seconds,
            outcomes: self.tally.outcomes(self.program, &counts),
        })
    }
}

/// Work-items in a work-group of the collecting kernels.
pub(super) const COLLECT_LOCAL: usize = 1;

/// Tuples that a collector's overflow list must hold: all its instances of a full launch.
pub(super) fn overflow_each(environment: &Environment) -> u32 {
    let (n, chunk) = (environment.collectors, environment.collect_chunk);
    environment.instances.div_ceil(n * chunk) * chunk
}

/// A multiplier from `draw` that has no factor in common with `count`.
fn coprime(draw: u32, count: u32) -> u32 {
    let gcd = |mut a: u32, mut b: u32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut candidate = draw % count;
    // 1 is coprime to everything, so this ends.
    while gcd(candidate.max(1), count) != 1 {
        candidate = (candidate + 1) % count;
    }
    candidate.max(1)
}

#[cfg(test)]
mod tests {
    use super::coprime;

    #[test]
    fn multipliers_are_permutations() {
        for count in 1..200_u32 {
            for draw in [0, 1, 7, 12, 0xffff_ffff] {
                let m = coprime(draw, count);
                let mut seen = vec![false; count as usize];
                for i in 0..count {
                    seen[(i * m % count) as usize] = true;
                }
                assert!(seen.iter().all(|s| *s), "{m} mod {count}");
            }
        }
    }
}
