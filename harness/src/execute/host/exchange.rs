//! Plays the host's side of an exchange with kernels that run.

use super::atomics::Shared;
use super::run::Run;
use classay_suites::host::Place;
use classay_suites::host::Unit;
use classay_suites::host::exchange::{Base, Cell, Is, Num, Operation, Order, REGISTERS, Reg};
use std::ptr;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// How long the host waits for something that a kernel should do.
const DEADLINE: Duration = Duration::from_millis(500);

/// Loads between looks at the clock and at whether the other side timed out.
const LOADS: u32 = 64;

/// Why no further operation follows.
pub enum Stop {
    /// The repetition is left.
    Leave,
    /// The host waited too long, or saw that a kernel had.
    TimedOut,
    /// A pointer led nowhere; in words which.
    Astray(String),
}

struct Exchange<'r> {
    run: &'r Run,
    quit: Option<Shared>,
    registers: [u64; REGISTERS],
}

/// Plays the operations to their end. The memory lives and nobody maps or frees it meanwhile.
pub fn play(run: &Run, quit: Option<Place>, operations: &[Operation]) -> Result<(), Stop> {
    let mut exchange = Exchange {
        run,
        quit: None,
        registers: [0; REGISTERS],
    };
    exchange.quit = quit.and_then(|at| {
        let cell = Cell {
            base: Base::At(at, Num::of(0)),
            unit: Unit::Word,
        };
        exchange.cell(&cell).ok()
    });
    let ended = exchange.body(operations);
    if let Err(Stop::Astray(_)) = ended {
        // Who waits for the host shall not wait longer.
        exchange.time_out();
    }
    ended
}

impl Exchange<'_> {
    fn timed_out(&self) -> bool {
        self.quit.is_some_and(|q| q.load(Ordering::Relaxed) != 0)
    }

    fn time_out(&self) {
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

    /// A cell that lies in memory of the program.
    fn cell(&self, cell: &Cell) -> Result<Shared, Stop> {
        let bytes = cell.unit.bytes();
        let inside = |address: usize, (start, length): (usize, usize)| {
            let end = address
                .checked_sub(start)
                .and_then(|n| n.checked_add(bytes));
            end.is_some_and(|end| end <= length)
        };
        let found = match &cell.base {
            Base::At(place, index) => {
                let offset = (place.byte as u64)
                    .wrapping_add(self.num(index).wrapping_mul(bytes as u64))
                    as usize;
                let span = self.run.span(place.object);
                span.and_then(|span| {
                    let address = span.0.wrapping_add(offset);
                    inside(address, span).then_some(address)
                })
            }
            Base::Pointer(reg, plus) => {
                let address = self.num(&Num::reg(*reg)).wrapping_add(*plus) as usize;
                let mut spans = self.run.spans();
                spans.any(|span| inside(address, span)).then_some(address)
            }
        };
        match found.filter(|address| address.is_multiple_of(bytes)) {
            Some(address) => {
                let start = ptr::with_exposed_provenance_mut(address);
                // SAFETY: inside of memory of the program, which lives longer than the exchange, and aligned.
                Ok(unsafe { Shared::at(start, bytes) })
            }
            None => Err(Stop::Astray(match &cell.base {
                Base::At(place, _) => {
                    let slot = self.run.setting.program.slots.get(place.object.index());
                    let name = slot.map_or("nothing", |slot| slot.name.as_str());
                    format!("a number leads the host outside of {name}")
                }
                Base::Pointer(..) => "the host found a pointer to nowhere".into(),
            })),
        }
    }

    fn body(&mut self, operations: &[Operation]) -> Result<(), Stop> {
        operations.iter().try_for_each(|one| self.operation(one))
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), Stop> {
        match operation {
            Operation::Put(reg, value) => {
                let value = self.num(value);
                self.put(*reg, value);
            }
            Operation::Address(reg, cell) => {
                let address = self.cell(cell)?.address() as u64;
                self.put(*reg, address);
            }
            Operation::Read(reg, cell) => {
                let value = self.cell(cell)?.load(Ordering::Relaxed);
                self.put(*reg, value);
            }
            Operation::Write(cell, value) => {
                self.cell(cell)?.store(self.num(value), Ordering::Relaxed);
            }
            Operation::Load(reg, cell, order) => {
                let value = self.cell(cell)?.load(ordering(*order, Ordering::Acquire));
                self.put(*reg, value);
            }
            Operation::Store(cell, value, order) => {
                self.cell(cell)?
                    .store(self.num(value), ordering(*order, Ordering::Release));
            }
            Operation::Change {
                how,
                at,
                by,
                order,
                before,
            } => {
                let by = self.num(by);
                let old = self
                    .cell(at)?
                    .change(*how, by, ordering(*order, Ordering::AcqRel));
                self.put(*before, old);
            }
            Operation::Swap {
                at,
                expected,
                new,
                order,
                weak,
                done,
            } => {
                let (cell, new) = (self.cell(at)?, self.num(new));
                let want = self.num(&Num::reg(*expected));
                let orders = (ordering(*order, Ordering::AcqRel), Ordering::Relaxed);
                let result = cell.compare_exchange(want, new, orders, *weak);
                self.put(*done, u64::from(result.is_ok()));
                if let Err(seen) = result {
                    self.put(*expected, seen);
                }
            }
            Operation::Fence(Order::Relaxed) => {}
            Operation::Fence(order) => fence(ordering(*order, Ordering::AcqRel)),
            Operation::Await {
                at,
                value,
                order,
                must,
            } => {
                let (cell, value) = (self.cell(at)?, self.num(value));
                if !self.wait(cell, value, ordering(*order, Ordering::Acquire)) {
                    if self.timed_out() {
                        return Err(Stop::TimedOut);
                    }
                    if *must {
                        self.time_out();
                        return Err(Stop::TimedOut);
                    }
                }
            }
            Operation::Repeat(times, count, body) => return self.repeat(times, *count, body),
            Operation::When(left, is, right, body) => {
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
            Operation::Leave => return Err(Stop::Leave),
        }
        Ok(())
    }

    fn repeat(&mut self, times: &Num, count: Reg, body: &[Operation]) -> Result<(), Stop> {
        for n in 0..self.num(times) {
            if self.timed_out() {
                return Err(Stop::TimedOut);
            }
            self.put(count, n);
            match self.body(body) {
                Ok(()) => {}
                Err(Stop::Leave) => break,
                Err(stop @ (Stop::TimedOut | Stop::Astray(_))) => return Err(stop),
            }
        }
        Ok(())
    }

    /// Loads until the cell has the value; false where it does not come, or somebody timed out.
    fn wait(&self, cell: Shared, value: u64, order: Ordering) -> bool {
        let value = cell.cut(value);
        let begun = Instant::now();
        loop {
            for _ in 0..LOADS {
                if cell.load(order) == value {
                    return true;
                }
                std::hint::spin_loop();
            }
            if self.timed_out() || begun.elapsed() > DEADLINE {
                return false;
            }
            // The kernel may need this processor.
            std::thread::yield_now();
        }
    }
}

/// How an order is said; one that is neither relaxed nor seq_cst is what the access can have of it.
fn ordering(order: Order, acq_rel: Ordering) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::AcqRel => acq_rel,
        Order::SeqCst => Ordering::SeqCst,
    }
}
