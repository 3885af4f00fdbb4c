//! Plays the host's side of a dialogue with kernels that run.
//!
//! Where threads meet: the memory is shared with kernels, which are not of this language. Every access
//! here is an atomic one of the cell's width, also those that a case calls plain, so that a race with a
//! kernel is no race in this process; what orders them is the case's own atomics and fences, which is
//! what is put to the test.

use super::memory::Memory;
use classay_suites::kernels::case::{KernelCase, Unit};
use classay_suites::kernels::talk::{
    Act, Base, Cell, Change, Is, Num, Order, REGISTERS, Reg, open,
};
use std::sync::atomic::{
    AtomicI8, AtomicI32, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering, fence,
};
use std::time::{Duration, Instant};

/// How long the host waits for something that a kernel should do.
const PATIENCE: Duration = Duration::from_millis(500);

/// Loads between looks at the clock and at whether somebody gave up.
const LOADS: u32 = 64;

/// How a talk went.
#[derive(Debug, Default)]
pub struct Ended {
    /// The host gave up waiting, or saw that a kernel had.
    pub gave_up: bool,
    /// The pointer that led nowhere.
    pub astray: Option<String>,
}

/// What an act does to the flow.
enum Stop {
    /// Leaves the repetition.
    Leave,
    /// Ends the talk.
    GaveUp,
    /// Ends the talk, too.
    Astray(String),
}

struct Talk<'a> {
    /// Where the objects are that the host may use, and their bytes.
    spans: Vec<Option<(usize, usize)>>,
    quit: Option<&'a AtomicU32>,
    registers: [u64; REGISTERS],
}

/// Plays the acts to their end. The memory lives and nobody maps or frees it meanwhile.
pub fn play(case: &KernelCase, memory: &[Memory], acts: &[Act]) -> Ended {
    let spans = case.objects.iter().zip(memory).map(|(object, memory)| {
        let start = memory.address().filter(|_| open(object.kind))?;
        Some((start as usize, object.bytes))
    });
    let mut talk = Talk {
        spans: spans.collect(),
        quit: None,
        registers: [0; REGISTERS],
    };
    if let Some(at) = case.quit {
        let cell = Cell {
            base: Base::At(at, Num::of(0)),
            unit: Unit::Word,
        };
        // SAFETY: `cell` checks bounds and alignment; the memory outlives the talk.
        talk.quit = talk
            .cell(&cell)
            .ok()
            .map(|p| unsafe { AtomicU32::from_ptr(p.cast()) });
    }
    match talk.body(acts) {
        Ok(()) | Err(Stop::Leave) => Ended::default(),
        Err(Stop::GaveUp) => Ended {
            gave_up: true,
            astray: None,
        },
        Err(Stop::Astray(what)) => {
            // Who waits for the host shall not wait longer.
            talk.give_up();
            Ended {
                gave_up: false,
                astray: Some(what),
            }
        }
    }
}

/// Does something with the atomic of a cell's width.
macro_rules! by_unit {
    ($address:expr, $unit:expr, |$atom:ident: $int:ident| $body:expr) => {
        // SAFETY: the address comes from `Talk::cell`, which checks bounds and alignment of this
        // width, and the memory outlives the talk.
        unsafe {
            match $unit {
                Unit::Byte => {
                    type $int = u8;
                    let $atom = AtomicU8::from_ptr($address);
                    $body
                }
                Unit::Word => {
                    type $int = u32;
                    let $atom = AtomicU32::from_ptr($address.cast());
                    $body
                }
                Unit::Long => {
                    type $int = u64;
                    let $atom = AtomicU64::from_ptr($address.cast());
                    $body
                }
            }
        }
    };
}

impl Talk<'_> {
    fn given_up(&self) -> bool {
        self.quit.is_some_and(|q| q.load(Ordering::Relaxed) != 0)
    }

    fn give_up(&self) {
        if let Some(quit) = self.quit {
            quit.store(1, Ordering::Relaxed);
        }
    }

    fn num(&self, n: &Num) -> u64 {
        n.value(&self.registers)
    }

    fn put(&mut self, reg: Reg, value: u64) {
        if let Some(register) = self.registers.get_mut(usize::from(reg.0)) {
            *register = value;
        }
    }

    /// The address of a cell that lies in an object.
    fn cell(&self, cell: &Cell) -> Result<*mut u8, Stop> {
        let bytes = cell.unit.bytes();
        let found = match &cell.base {
            Base::At(place, index) => {
                let offset = (place.byte as u64)
                    .wrapping_add(self.num(index).wrapping_mul(bytes as u64))
                    as usize;
                let span = self.spans.get(place.object.index()).copied().flatten();
                span.filter(|(_, length)| offset.checked_add(bytes).is_some_and(|e| e <= *length))
                    .map(|(start, _)| start + offset)
            }
            Base::Pointer(reg, plus) => {
                let address = self.num(&Num::reg(*reg)).wrapping_add(*plus) as usize;
                let inside = |(start, length): &(usize, usize)| {
                    address >= *start
                        && (address - start)
                            .checked_add(bytes)
                            .is_some_and(|e| e <= *length)
                };
                let mut spans = self.spans.iter().flatten();
                spans.any(inside).then_some(address)
            }
        };
        match found.filter(|address| address.is_multiple_of(bytes)) {
            Some(address) => Ok(address as *mut u8),
            None => Err(Stop::Astray(match &cell.base {
                Base::At(place, _) => format!(
                    "a number leads the host outside of object {}",
                    place.object.0
                ),
                Base::Pointer(..) => "the host found a pointer to nowhere".into(),
            })),
        }
    }

    fn load(&self, cell: &Cell, order: Ordering) -> Result<u64, Stop> {
        let (at, unit) = (self.cell(cell)?, cell.unit);
        #[allow(clippy::unnecessary_cast)]
        let value = by_unit!(at, unit, |a: Int| a.load(order) as Int as u64);
        Ok(value)
    }

    fn store(&self, cell: &Cell, value: u64, order: Ordering) -> Result<(), Stop> {
        let (at, unit) = (self.cell(cell)?, cell.unit);
        by_unit!(at, unit, |a: Int| a.store(value as Int, order));
        Ok(())
    }

    fn body(&mut self, acts: &[Act]) -> Result<(), Stop> {
        acts.iter().try_for_each(|act| self.act(act))
    }

    fn act(&mut self, act: &Act) -> Result<(), Stop> {
        match act {
            Act::Put(reg, value) => {
                let value = self.num(value);
                self.put(*reg, value);
            }
            Act::Address(reg, cell) => {
                let address = self.cell(cell)? as u64;
                self.put(*reg, address);
            }
            Act::Read(reg, cell) => {
                let value = self.load(cell, Ordering::Relaxed)?;
                self.put(*reg, value);
            }
            Act::Write(cell, value) => self.store(cell, self.num(value), Ordering::Relaxed)?,
            Act::Load(reg, cell, order) => {
                let value = self.load(cell, reads(*order))?;
                self.put(*reg, value);
            }
            Act::Store(cell, value, order) => self.store(cell, self.num(value), writes(*order))?,
            Act::Change {
                how,
                at,
                by,
                order,
                before,
            } => {
                let old = self.change(*how, at, self.num(by), both(*order))?;
                self.put(*before, old);
            }
            Act::Swap {
                at,
                expected,
                new,
                order,
                weak,
                done,
            } => {
                let (address, new) = (self.cell(at)?, self.num(new));
                let want = self.num(&Num::reg(*expected));
                let (order, failure) = (both(*order), Ordering::Relaxed);
                #[allow(clippy::unnecessary_cast)]
                let result = by_unit!(address, at.unit, |a: Int| {
                    let (want, new) = (want as Int, new as Int);
                    let result = if *weak {
                        a.compare_exchange_weak(want, new, order, failure)
                    } else {
                        a.compare_exchange(want, new, order, failure)
                    };
                    result.map(|v| v as u64).map_err(|v| v as u64)
                });
                self.put(*done, u64::from(result.is_ok()));
                if let Err(seen) = result {
                    self.put(*expected, seen);
                }
            }
            Act::Fence(Order::Relaxed) => {}
            Act::Fence(order) => fence(both(*order)),
            Act::Await {
                at,
                value,
                order,
                must,
            } => {
                let value = self.num(value);
                if !self.wait(at, value, reads(*order))? {
                    if self.given_up() {
                        return Err(Stop::GaveUp);
                    }
                    if *must {
                        self.give_up();
                        return Err(Stop::GaveUp);
                    }
                }
            }
            Act::Repeat(times, count, body) => {
                for n in 0..self.num(times) {
                    if self.given_up() {
                        return Err(Stop::GaveUp);
                    }
                    self.put(*count, n);
                    match self.body(body) {
                        Ok(()) => {}
                        Err(Stop::Leave) => break,
                        Err(stop @ (Stop::GaveUp | Stop::Astray(_))) => return Err(stop),
                    }
                }
            }
            Act::When(left, is, right, body) => {
                let (left, right) = (self.num(left), self.num(right));
                let holds = match is {
                    Is::Equal => left == right,
                    Is::Unequal => left != right,
                    Is::Below => left < right,
                };
                if holds {
                    self.body(body)?;
                }
            }
            Act::Leave => return Err(Stop::Leave),
        }
        Ok(())
    }

    /// Loads until the cell has the value; false where it does not come, or somebody gave up.
    fn wait(&self, cell: &Cell, value: u64, order: Ordering) -> Result<bool, Stop> {
        let (at, unit) = (self.cell(cell)?, cell.unit);
        let begun = Instant::now();
        loop {
            for _ in 0..LOADS {
                let there = by_unit!(at, unit, |a: Int| a.load(order) == value as Int);
                if there {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
            if self.given_up() || begun.elapsed() > PATIENCE {
                return Ok(false);
            }
            // The kernel may need this processor.
            std::thread::yield_now();
        }
    }

    fn change(&self, how: Change, cell: &Cell, by: u64, order: Ordering) -> Result<u64, Stop> {
        let (at, unit) = (self.cell(cell)?, cell.unit);
        // SAFETY: as in `by_unit`.
        let signed = |smaller: bool| unsafe {
            match (unit, smaller) {
                (Unit::Byte, true) => {
                    AtomicI8::from_ptr(at.cast()).fetch_min(by as i8, order) as u8 as u64
                }
                (Unit::Byte, false) => {
                    AtomicI8::from_ptr(at.cast()).fetch_max(by as i8, order) as u8 as u64
                }
                (Unit::Word, true) => {
                    AtomicI32::from_ptr(at.cast()).fetch_min(by as i32, order) as u32 as u64
                }
                (Unit::Word, false) => {
                    AtomicI32::from_ptr(at.cast()).fetch_max(by as i32, order) as u32 as u64
                }
                (Unit::Long, true) => {
                    AtomicI64::from_ptr(at.cast()).fetch_min(by as i64, order) as u64
                }
                (Unit::Long, false) => {
                    AtomicI64::from_ptr(at.cast()).fetch_max(by as i64, order) as u64
                }
            }
        };
        #[allow(clippy::unnecessary_cast)]
        let before = match how {
            Change::Add => by_unit!(at, unit, |a: Int| a.fetch_add(by as Int, order) as u64),
            Change::Sub => by_unit!(at, unit, |a: Int| a.fetch_sub(by as Int, order) as u64),
            Change::Or => by_unit!(at, unit, |a: Int| a.fetch_or(by as Int, order) as u64),
            Change::And => by_unit!(at, unit, |a: Int| a.fetch_and(by as Int, order) as u64),
            Change::Xor => by_unit!(at, unit, |a: Int| a.fetch_xor(by as Int, order) as u64),
            Change::Min => by_unit!(at, unit, |a: Int| a.fetch_min(by as Int, order) as u64),
            Change::Max => by_unit!(at, unit, |a: Int| a.fetch_max(by as Int, order) as u64),
            Change::Exchange => by_unit!(at, unit, |a: Int| a.swap(by as Int, order) as u64),
            Change::MinSigned => signed(true),
            Change::MaxSigned => signed(false),
        };
        Ok(before)
    }
}

fn reads(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::AcqRel => Ordering::Acquire,
        Order::SeqCst => Ordering::SeqCst,
    }
}

fn writes(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::AcqRel => Ordering::Release,
        Order::SeqCst => Ordering::SeqCst,
    }
}

fn both(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::AcqRel => Ordering::AcqRel,
        Order::SeqCst => Ordering::SeqCst,
    }
}
