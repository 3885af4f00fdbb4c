//! Plays steps.

use super::api::SetupError;
use super::arguments::{Arguments, before_2_0};
use super::exchange::Stop;
use super::run::{Observed, Run};
use super::{answers, bytes, exchange, kernels, printed, programs, settle};
use crate::worker::whereabouts::Cell;
use classay_suites::host::Token;
use classay_suites::host::constant::cl;
use classay_suites::host::{
    AnswerId, Call, Data, Fired, Mark, NOT_MADE, Op, Pitches, Place, Step, Stretches,
};
use classay_vocabulary::Need;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Where steps belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `begin` and the threads: nothing more is done once a call failed that must not.
    Before,
    /// `end`, which is played whatever happened.
    End,
    /// A callback.
    Callback,
}

/// Someone who does steps, with what it observed.
pub struct Player<'r> {
    run: &'r Arc<Run>,
    part: Part,
    observed: Observed,
    /// Further steps are left out: a repetition took too long, memory did not grow, or a call was let
    /// through that had to be refused.
    left_out: bool,
    /// Where it says which call it is in.
    cell: Cell,
}

impl<'r> Player<'r> {
    /// Someone who has done nothing yet.
    pub fn new(run: &'r Arc<Run>, part: Part) -> Player<'r> {
        Player {
            run,
            part,
            observed: Observed::default(),
            left_out: false,
            cell: Cell::take(run.number, part == Part::Callback),
        }
    }

    /// Does all that there is to do; what was observed goes to the run.
    pub fn play(mut self, steps: &[Step]) {
        self.steps(steps);
        self.run.add(self.observed);
    }

    /// Does steps, as long as there is sense in it.
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            if self.left_out || (self.part == Part::Before && self.run.ended()) {
                return;
            }
            self.step(step);
        }
    }

    /// Does a step; the code, where that is one or several calls.
    fn step(&mut self, step: &Step) -> Option<i32> {
        self.cell.step(step.mark);
        let Some(mark) = step.mark else {
            return self.op(&step.op, None);
        };
        let clock = self.run.nanoseconds();
        let stamp = self.run.stamp();
        let code = self.op(&step.op, Some(mark));
        let record = &mut self.observed.record;
        record.stamps.insert(mark, (stamp, self.run.stamp()));
        record.clock.insert(mark, (clock, self.run.nanoseconds()));
        let taken = code.map(|code| match &step.op {
            Op::Call(call) => call.expect.taken(code),
            _ => code,
        });
        if let Some(code) = taken {
            record.codes.insert(mark, code);
            if self.left_out && code == 0 {
                self.cell.let_through(mark);
            }
            if code == 0 {
                *self.observed.succeeded.entry(mark).or_default() += 1;
            }
        }
        code
    }

    fn op(&mut self, op: &Op, mark: Option<Mark>) -> Option<i32> {
        let run = self.run;
        match op {
            Op::Call(call) => return Some(self.call(call)),
            Op::Sequence(steps) => {
                let mut last = None;
                for step in steps {
                    last = self.step(step).or(last);
                    if last.is_some_and(|code| code != 0) {
                        break;
                    }
                }
                return last;
            }
            Op::Write { at, data } => self.write(*at, data),
            Op::Read {
                from,
                stretches,
                into,
            } => self.read(*from, *stretches, *into),
            Op::Point { slot, at } => {
                let start = run.load(at.object);
                let there = if start == 0 { 0 } else { start + at.byte };
                run.store(*slot, there);
            }
            Op::Signal(id) => run.signal(*id),
            Op::Await(id) => run.wait_for_signal(*id),
            Op::Sleep(micros) => pause(Duration::from_micros(u64::from(*micros))),
            Op::Yield(times) => (0..*times).for_each(|_| std::thread::yield_now()),
            Op::Spin(turns) => spin(*turns),
            Op::Repeat {
                times,
                within,
                body,
            } => {
                let begun = Instant::now();
                let limit = within.map(|ms| Duration::from_millis(u64::from(ms)));
                for _ in 0..*times {
                    if limit.is_some_and(|limit| begun.elapsed() > limit) {
                        self.left_out = true;
                        break;
                    }
                    self.steps(body);
                }
            }
            Op::Exchange { quit, operations } => {
                let record = &mut self.observed.record;
                match (exchange::play(run, *quit, operations), mark) {
                    (Ok(()) | Err(Stop::Leave), _) => {}
                    (Err(Stop::TimedOut), _) => record.timed_out = true,
                    (Err(Stop::Astray(what)), Some(mark)) => {
                        record.astray.insert(mark, what);
                    }
                    (Err(Stop::Astray(_)), None) => {}
                }
            }
            Op::Settle { events, callbacks } => {
                run.add(std::mem::take(&mut self.observed));
                settle::settle(run, events, callbacks);
            }
            Op::Settled(steps) => {
                if !run.left_behind.load(Ordering::Acquire) {
                    self.steps(steps);
                }
            }
            Op::Build {
                program,
                context,
                of,
                build,
            } => {
                return match programs::in_run(run, *context, of, build) {
                    Ok(handle) => {
                        run.store(*program, handle);
                        Some(0)
                    }
                    Err(error) => Some(run.fail(error)),
                };
            }
            Op::Kernels { program, asked } => {
                let said = kernels::ask(run, run.load(*program), asked);
                match (mark, said) {
                    (Some(mark), Ok(said)) => {
                        self.observed.record.kernels.insert(mark, said);
                    }
                    (None, Ok(_)) => {}
                    (_, Err(error)) => return Some(run.fail(error)),
                }
            }
            Op::Listen => printed::listen(),
            Op::Heard { into } => match printed::heard() {
                Some(text) => {
                    self.observed.record.answers.insert(*into, text);
                }
                None => self.observed.record.lacks = Some(Need::PrintsToStdout),
            },
            Op::Ask(id) => {
                let question = run.setting.program.questions.get(id.index());
                let said =
                    question.and_then(|question| answers::ask(run, &self.observed, question));
                self.observed
                    .record
                    .said
                    .extend(said.map(|said| (*id, said)));
            }
            Op::Resident { into, since } => {
                let now = resident()?;
                let answers = &mut self.observed.record.answers;
                answers.insert(*into, now.to_ne_bytes().to_vec());
                self.left_out |= since.is_some_and(|(before, bytes)| {
                    let before = answers
                        .get(&before)
                        .and_then(|b| b.as_slice().try_into().ok());
                    before.is_some_and(|b| now <= u64::from_ne_bytes(b).saturating_add(bytes))
                });
            }
        }
        None
    }

    fn call(&mut self, call: &Call) -> i32 {
        self.cell.begins(call);
        let code = self.make(call).unwrap_or(NOT_MADE);
        self.cell.ends();
        let expect = &call.expect;
        let right = expect.codes.is_empty() || expect.codes.contains(&code);
        if !right && !expect.refused() && code != NOT_MADE {
            let call = call.function;
            self.run.fail(SetupError::of(call, code));
            if self.part == Part::End {
                self.run.left_behind.store(true, Ordering::Release);
            }
        }
        self.left_out |= expect.refused() && code == 0 && !right;
        code
    }

    /// Makes a call; none where a slot is empty, or the implementation lacks the function.
    fn make(&mut self, call: &Call) -> Option<i32> {
        let run = self.run;
        let arguments = Arguments::of(run, &self.observed, call).ok()?;
        let old = before_2_0(call.function)
            .filter(|_| run.setting.device.version < (2, 0) && !call.expect.refused());
        let gave = match old {
            // SAFETY: as below; the two functions differ in the last argument alone.
            Some(function) => unsafe {
                let [context, device, ..] = arguments.words() else {
                    return None;
                };
                let words = [*context, *device, arguments.one_property(2)];
                run.setting.api.call_with(function, &words, call.silent)
            },
            // SAFETY: a valid program gives a function what it takes; where it does not, a check of the
            // implementation is what is put to the test.
            None => unsafe {
                let words = arguments.words();
                run.setting.api.call_with(call.function, words, call.silent)
            },
        };
        let code = gave.map(|gave| gave.code);
        if let ([queue, kernel, ..], Some(items)) = (arguments.words(), call.launched_group())
            && code == Some(cl::CL_INVALID_WORK_GROUP_SIZE.value() as i32)
            && kernels::largest_group(run, *queue, *kernel)
                .is_ok_and(|most| most < u64::from(items))
        {
            self.observed.record.lacks = Some(Need::WorkGroupSize(items));
        }
        if let (Some(slot), Some(gave)) = (call.made, gave)
            && call.expect.taken(gave.code) == 0
        {
            run.made(slot, call, gave.made);
        }
        let answers = &mut self.observed.record.answers;
        arguments.finish(run, code.unwrap_or(NOT_MADE), |id, bytes| {
            answers.insert(id, bytes);
        });
        code
    }

    fn write(&self, at: Place, data: &Data) {
        let start = self.run.load(at.object);
        if start == 0 {
            return;
        }
        let to = start + at.byte;
        // SAFETY: in a valid program the place has room, and its order keeps others from it.
        unsafe {
            match data {
                Data::Contents { contents, bytes } => bytes::write(to, &contents.bytes(*bytes)),
                Data::Tokens {
                    writer,
                    first,
                    count,
                    stride,
                    words,
                } => {
                    for n in 0..*count {
                        let cell = n.saturating_mul(*stride);
                        let number = first.saturating_add(cell);
                        let token = Token::of(self.run.number_in_tokens, *writer, number);
                        let words = usize::from(*words);
                        let cell = token.0.to_ne_bytes().repeat(words);
                        let before = usize::from(n) * usize::from(*stride) * words * 4;
                        bytes::write(to + before, &cell);
                    }
                }
                Data::Copy {
                    from,
                    region,
                    apart,
                    to_apart,
                } => {
                    let start = self.run.load(from.object);
                    let pitches = (
                        self.pitches(*apart, region),
                        self.pitches(*to_apart, region),
                    );
                    let (Some(apart), Some(to_apart), false) = (pitches.0, pitches.1, start == 0)
                    else {
                        return;
                    };
                    let from = start + from.byte;
                    for (y, z) in (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (y, z))) {
                        let at = |pitches: [usize; 2]| y * pitches[0] + z * pitches[1];
                        let mut row = Vec::with_capacity(region[0]);
                        bytes::read(from + at(apart), region[0], &mut row);
                        bytes::write(to + at(to_apart), &row);
                    }
                }
                Data::Address(place) => {
                    let address = place.map_or(0, |place| match self.run.load(place.object) {
                        0 => 0,
                        start => start + place.byte,
                    });
                    bytes::write(to, &address.to_ne_bytes());
                }
            }
        }
    }

    /// Bytes from row to row and from slice to slice; none where they were not answered.
    fn pitches(&self, pitches: Pitches, region: &[usize; 3]) -> Option<[usize; 2]> {
        let answered = |id: AnswerId| {
            let bytes = self.observed.record.answers.get(&id)?;
            Some(usize::from_ne_bytes(*bytes.first_chunk()?))
        };
        Some(match pitches {
            Pitches::Close => [region[0], region[0] * region[1]],
            Pitches::Answered(row, slice) => [answered(row)?, answered(slice)?],
            Pitches::Given(row, slice) => [row, slice],
        })
    }

    fn read(&mut self, from: Place, stretches: Stretches, into: AnswerId) {
        let start = self.run.load(from.object);
        if start == 0 {
            return;
        }
        let mut all = Vec::with_capacity(stretches.count * stretches.bytes);
        for n in 0..stretches.count {
            let at = start + from.byte + n * stretches.pitch;
            // SAFETY: in a valid program the stretch is there, and its order keeps writers from it.
            unsafe { bytes::read(at, stretches.bytes, &mut all) };
        }
        self.observed.record.answers.insert(into, all);
    }
}

/// Plays a callback that was called.
pub fn callback(run: &Arc<Run>, steps: &[Step], fired: Fired) {
    let mut player = Player::new(run, Part::Callback);
    player.steps(steps);
    player.observed.record.fired.push(fired);
    run.add(player.observed);
}

/// Turns of a loop that the compiler does not see through.
fn spin(turns: u32) {
    let mut x = std::hint::black_box(1_u32);
    for _ in 0..turns {
        x = std::hint::black_box(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    }
}

/// Waits; short waits by turning, which the system's timer would make much longer.
fn pause(time: Duration) {
    if time > Duration::from_micros(300) {
        std::thread::sleep(time);
        return;
    }
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::thread::yield_now();
    }
}

/// Bytes of memory that this process has in use.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
