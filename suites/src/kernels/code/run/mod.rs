//! What a program computes: launches of its kernels, work-group by work-group.
//!
//! The work-items of a group go through a statement together, those that come to it, and each through an
//! expression by itself; so a barrier sees who reached it. What one launch does that the language leaves
//! undefined ends it with a sentence.

mod eval;
mod flow;
mod memory;
mod place;
mod simple;
#[cfg(test)]
mod tests;

use super::number::Value;
use super::*;
use crate::host::Range;
use memory::{Cell, Memory, Pointer, Shared};
use std::collections::BTreeSet;

/// Why a launch is not well-defined.
pub type Stop = String;

/// Steps of all launches of a program after which it takes too long.
const STEPS: u64 = 60_000_000;

/// A device that runs a program.
pub struct Machine<'p> {
    program: &'p Program,
    /// Where the variables of each function lie, and how many cells they have.
    layouts: Vec<(Vec<usize>, usize)>,
    global: Vec<Shared>,
    /// The first cell of each buffer, and its cells.
    buffers: Vec<(usize, usize)>,
    tables: Vec<Value>,
    guarded: BTreeSet<u32>,
    steps: u64,
    /// What the places held that are being assigned to, the innermost last.
    held: Vec<Value>,
    group: Group,
}

/// The work-group that runs.
#[derive(Default)]
struct Group {
    number: u32,
    dimensions: usize,
    /// The sizes of the range, of groups, and of all groups, and the offset.
    global: [u64; 3],
    local: [u64; 3],
    groups: [u64; 3],
    offset: [u64; 3],
    id: [u64; 3],
    cells: Vec<Shared>,
    /// Barriers passed with the flag of local and of global memory.
    phases: [u32; 2],
    items: Vec<Item>,
}

/// A work-item.
struct Item {
    local: [u64; 3],
    cells: Vec<Cell>,
    given: Vec<Cell>,
}

/// An argument of a kernel.
pub enum Given {
    /// A buffer, by its number.
    Buffer(usize),
    /// A number.
    Number(Value),
    /// Local memory of so many numbers.
    Local(usize),
}

/// The variables of a call.
#[derive(Clone, Copy)]
struct Frame<'p> {
    function: &'p Function,
    number: usize,
    /// The first cell of its variables.
    base: usize,
}

/// Work-items, by their local linear ids.
type Items = Vec<u32>;

/// Where work-items are after statements; the others have returned.
#[derive(Default)]
struct Left {
    on: Items,
    broke: Items,
    continued: Items,
}

impl<'p> Machine<'p> {
    /// A device with the program.
    pub fn new(program: &'p Program) -> Machine<'p> {
        let layouts = program.functions.iter().map(|function| {
            let mut cells = 0;
            let offsets = function.variables.iter().map(|variable| {
                let at = cells;
                // Of a variable in local memory a work-item knows where it is.
                cells += if variable.local {
                    1
                } else {
                    program.cells(variable.shape)
                };
                at
            });
            (offsets.collect(), cells)
        });
        Machine {
            program,
            layouts: layouts.collect(),
            global: Vec::new(),
            buffers: Vec::new(),
            tables: program
                .tables
                .iter()
                .flat_map(|table| table.values.clone())
                .collect(),
            guarded: BTreeSet::new(),
            steps: 0,
            held: Vec::new(),
            group: Group::default(),
        }
    }

    /// A buffer of these numbers.
    pub fn buffer(&mut self, values: impl IntoIterator<Item = Value>) -> usize {
        let from = self.global.len();
        self.global.extend(values.into_iter().map(Shared::of));
        self.buffers.push((from, self.global.len() - from));
        self.buffers.len() - 1
    }

    /// What is in a buffer.
    pub fn contents(&self, buffer: usize) -> Vec<Value> {
        let (from, cells) = self.buffers[buffer];
        let cells = self.global[from..from + cells].iter();
        cells.map(|cell| cell.value.unwrap_or_default()).collect()
    }

    /// The expressions that took the form which is always defined, because the other one is not for what
    /// they met.
    pub fn guarded(&self) -> &BTreeSet<u32> {
        &self.guarded
    }

    /// Runs a kernel over a range whose groups are whole.
    ///
    /// # Errors
    ///
    /// A sentence that says what is undefined, or that the launch takes too long.
    pub fn launch(&mut self, kernel: &str, given: &[Given], range: &Range) -> Result<(), Stop> {
        let mut functions = self.program.functions.iter();
        let number = functions
            .position(|function| function.name == kernel && function.kernel)
            .ok_or_else(|| format!("there is no kernel {kernel}"))?;
        self.global.iter_mut().for_each(Shared::between_launches);
        let three = |list: Option<&Vec<u64>>, rest| Range::three(list.map_or(&[][..], |l| l), rest);
        let (global, local) = (
            three(Some(&range.global), 1),
            three(range.local.as_ref(), 1),
        );
        let groups = [0, 1, 2].map(|n| global[n] / local[n]);
        for n in 0..groups.iter().product() {
            self.group = Group {
                number: n as u32,
                dimensions: range.global.len(),
                global,
                local,
                groups,
                offset: three(range.offset.as_ref(), 0),
                id: split(n, groups),
                ..Group::default()
            };
            self.run_group(number, given)?;
        }
        Ok(())
    }

    fn run_group(&mut self, number: usize, given: &[Given]) -> Result<(), Stop> {
        let frame = Frame {
            function: &self.program.functions[number],
            number,
            base: 0,
        };
        let cells = self.layouts[number].1;
        let mut first = vec![Cell::Unset; cells];
        for (id, given) in given.iter().enumerate() {
            first[self.layouts[number].0[id]] = match given {
                Given::Number(value) => Cell::Number(*value),
                Given::Buffer(buffer) => {
                    let (from, cells) = self.buffers[*buffer];
                    Cell::Pointer(Pointer::first(Memory::Global, from, cells))
                }
                Given::Local(cells) => Cell::Pointer(self.local(*cells)),
            };
        }
        for (id, variable) in frame.function.variables.iter().enumerate() {
            if variable.local {
                let memory = self.local(self.program.cells(variable.shape));
                first[self.layouts[number].0[id]] = Cell::Pointer(memory);
            }
        }
        let sizes = self.group.local;
        let items = 0..sizes.iter().product();
        self.group.items = items
            .map(|n| Item {
                local: split(n, sizes),
                cells: first.clone(),
                given: Vec::new(),
            })
            .collect();
        let all = (0..self.group.items.len() as u32).collect();
        self.block(&frame.function.body, frame, all).map(|_| ())
    }

    fn local(&mut self, cells: usize) -> Pointer {
        let from = self.group.cells.len();
        self.group.cells.resize(from + cells, Shared::default());
        Pointer::first(Memory::Local, from, cells)
    }

    fn block(&mut self, body: &'p [Stmt], frame: Frame<'p>, on: Items) -> Result<Left, Stop> {
        let mut left = Left {
            on,
            ..Left::default()
        };
        for stmt in body {
            if left.on.is_empty() {
                break;
            }
            let on = std::mem::take(&mut left.on);
            left.on = self.stmt(stmt, frame, on, &mut left)?;
        }
        Ok(left)
    }

    /// Runs a statement; gives who goes on behind it.
    fn stmt(
        &mut self,
        stmt: &'p Stmt,
        frame: Frame<'p>,
        on: Items,
        left: &mut Left,
    ) -> Result<Items, Stop> {
        match stmt {
            Stmt::Declare(..)
            | Stmt::Assign(..)
            | Stmt::Compound(..)
            | Stmt::Step(..)
            | Stmt::Atomic(..)
            | Stmt::Copy(..)
            | Stmt::Point(..) => {
                for &item in &on {
                    self.simple(stmt, frame, item)?;
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let (yes, no) = self.divide(condition, frame, on)?;
                let mut then = self.block(then, frame, yes)?;
                let otherwise = self.block(otherwise, frame, no)?;
                then.on.extend(otherwise.on);
                left.broke
                    .extend(then.broke.into_iter().chain(otherwise.broke));
                left.continued
                    .extend(then.continued.into_iter().chain(otherwise.continued));
                return Ok(then.on);
            }
            Stmt::For(of) => return self.counted(of, frame, on),
            Stmt::While(condition, body) => {
                let mut out = Vec::new();
                let mut on = on;
                while !on.is_empty() {
                    let (yes, no) = self.divide(condition, frame, on)?;
                    out.extend(no);
                    let turn = self.block(body, frame, yes)?;
                    out.extend(turn.broke);
                    on = turn.on;
                    on.extend(turn.continued);
                }
                return Ok(out);
            }
            Stmt::DoWhile(body, condition) => {
                let mut out = Vec::new();
                let mut on = on;
                while !on.is_empty() {
                    let turn = self.block(body, frame, on)?;
                    out.extend(turn.broke);
                    let (yes, no) =
                        self.divide(condition, frame, [turn.on, turn.continued].concat())?;
                    out.extend(no);
                    on = yes;
                }
                return Ok(out);
            }
            Stmt::Switch(value, arms) => return self.switch(value, arms, frame, on, left),
            Stmt::Break => {
                left.broke.extend(on);
                return Ok(Vec::new());
            }
            Stmt::Continue => {
                left.continued.extend(on);
                return Ok(Vec::new());
            }
            Stmt::Return(value) => {
                for &item in &on {
                    let given = match value {
                        None => Vec::new(),
                        Some(value) => self.argument(value, frame, item)?,
                    };
                    self.group.items[item as usize].given = given;
                }
                return Ok(Vec::new());
            }
            Stmt::Barrier { local, global } => {
                if on.len() != self.group.items.len() {
                    return Err("not every work-item of the group reaches a barrier".into());
                }
                for (phase, flag) in self.group.phases.iter_mut().zip([local, global]) {
                    *phase += u32::from(*flag);
                }
            }
            Stmt::Call(function, arguments, into) => {
                self.call(*function, arguments, frame, &on)?;
                for &item in &on {
                    let given = std::mem::take(&mut self.group.items[item as usize].given);
                    if let Some(into) = into {
                        let to = self.place(into, frame, item)?;
                        for (n, cell) in given.into_iter().enumerate() {
                            self.store(to.pointer, n, cell, item)?;
                        }
                    }
                }
            }
        }
        Ok(on)
    }

    /// Calls a function for work-items; what it gives each of them is with them.
    fn call(
        &mut self,
        number: usize,
        arguments: &'p [Argument],
        caller: Frame<'p>,
        on: &[u32],
    ) -> Result<(), Stop> {
        let base = caller.base + self.layouts[caller.number].1;
        let frame = Frame {
            function: &self.program.functions[number],
            number,
            base,
        };
        let cells = self.layouts[number].1;
        for &item in on {
            let mut values = Vec::new();
            for argument in arguments {
                values.extend(self.argument(argument, caller, item)?);
            }
            let own = &mut self.group.items[item as usize].cells;
            own.truncate(base);
            own.resize(base + cells, Cell::Unset);
            own[base..base + values.len()].copy_from_slice(&values);
        }
        self.block(&frame.function.body, frame, on.to_vec())?;
        let gives = frame
            .function
            .gives
            .map_or(0, |shape| self.program.cells(shape));
        let given = |item: &u32| self.group.items[*item as usize].given.len() == gives;
        match on.iter().all(given) {
            true => Ok(()),
            false => Err(format!(
                "{} does not give what it should",
                frame.function.name
            )),
        }
    }

    fn argument(
        &mut self,
        argument: &'p Argument,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Vec<Cell>, Stop> {
        Ok(match argument {
            Argument::Number(value) => vec![Cell::Number(self.eval(value, frame, item)?)],
            Argument::Whole(place) => self.whole(place, frame, item)?,
            Argument::Pointer(target) => vec![Cell::Pointer(self.target(target, frame, item)?)],
        })
    }
}

/// The ids in three dimensions of a linear one.
fn split(n: u64, sizes: [u64; 3]) -> [u64; 3] {
    [
        n % sizes[0],
        n / sizes[0] % sizes[1],
        n / sizes[0] / sizes[1],
    ]
}
