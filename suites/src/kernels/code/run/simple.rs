//! Statements that each work-item runs by itself.

use super::super::number::LANES;
use super::super::*;
use super::memory::Cell;
use super::{Frame, Machine, Stop};

impl<'p> Machine<'p> {
    /// A statement that a work-item runs by itself.
    pub(super) fn simple(
        &mut self,
        stmt: &'p Stmt,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<(), Stop> {
        match stmt {
            Stmt::Declare(id, init) => {
                let at = frame.base + self.layouts[frame.number].0[*id];
                let cells = self.program.cells(frame.function.variables[*id].shape);
                let values = match init {
                    None => Vec::new(),
                    Some(Init::Number(value)) => vec![Cell::Number(self.eval(value, frame, item)?)],
                    Some(Init::List(list)) => {
                        let mut values = vec![Cell::Number([0; LANES]); cells];
                        for (to, value) in values.iter_mut().zip(list) {
                            *to = Cell::Number(self.eval(value, frame, item)?);
                        }
                        values
                    }
                    Some(Init::Parts(parts)) => {
                        let mut values = vec![Cell::Number([0; LANES]); cells];
                        for (path, value, _) in parts {
                            let number = self.eval(value, frame, item)?;
                            let at = self.place_in(frame.function.variables[*id].shape, path)?;
                            values[at] = Cell::Number(number);
                        }
                        values
                    }
                    Some(Init::Whole(place)) => self.whole(place, frame, item)?,
                    Some(Init::Pointer(target)) => {
                        vec![Cell::Pointer(self.target(target, frame, item)?)]
                    }
                };
                let own = &mut self.group.items[item as usize].cells[at..at + cells];
                own.fill(Cell::Unset);
                own[..values.len()].copy_from_slice(&values);
            }
            Stmt::Assign(place, value) => {
                let value = self.eval(value, frame, item)?;
                self.assign(place, value, frame, item)?;
            }
            // "the lvalue E1 is evaluated only once" (C99 6.5.16.2).
            Stmt::Compound(place, value) => {
                let to = self.place(place, frame, item)?;
                let held = self.read_found(&to, item)?;
                self.held.push(held);
                let value = self.eval(value, frame, item);
                self.held.pop();
                self.assign_found(&to, value?, item)?;
            }
            Stmt::Step(place, up) => {
                let to = self.place(place, frame, item)?;
                let Shape::Number(ty) = to.shape else {
                    return Err("what is no number is counted".into());
                };
                let now = self.read_found(&to, item)?;
                let next = ty.counted(&now, *up).ok_or("a counted number overflows")?;
                self.assign_found(&to, next, item)?;
            }
            Stmt::Atomic(atomic, place, by) => {
                let by = self.eval(by, frame, item)?;
                let to = self.place(place, frame, item)?;
                self.change(&to, *atomic, by, item)?;
            }
            Stmt::Copy(to, from) => {
                let cells = self.whole(from, frame, item)?;
                let to = self.place(to, frame, item)?;
                for (n, cell) in cells.into_iter().enumerate() {
                    self.store(to.pointer, n, cell, item)?;
                }
            }
            Stmt::Point(id, target) => {
                let at = frame.base + self.layouts[frame.number].0[*id];
                let target = self.target(target, frame, item)?;
                self.group.items[item as usize].cells[at] = Cell::Pointer(target);
            }
            _ => return Err("a statement is not simple".into()),
        }
        Ok(())
    }

    /// Behind how many numbers of something a number of it lies.
    fn place_in(&self, of: Shape, path: &[Part]) -> Result<usize, Stop> {
        let (mut shape, mut at) = (of, 0);
        for part in path {
            let found = self.program.part(shape, *part);
            let (inside, by) = found.ok_or("a designator names a part that is not there")?;
            (shape, at) = (inside, at + by);
        }
        Ok(at)
    }
}
