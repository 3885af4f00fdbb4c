//! Places, pointers, loads and stores.

use super::super::number::{LANES, Value};
use super::super::*;
use super::memory::{Cell, Memory, Pointer, Use};
use super::{Frame, Machine, Stop};

/// A place that was found.
pub(super) struct Found {
    /// Its first cell, and the object that it lies in.
    pub pointer: Pointer,
    /// What is there.
    pub shape: Shape,
    /// The lanes of a vector that are meant; none where it is all of the place.
    pub lanes: Option<[u8; LANES]>,
}

impl<'p> Machine<'p> {
    pub(super) fn place(
        &mut self,
        place: &'p Place,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Found, Stop> {
        let mut found = self.root(place.root, frame, item);
        for step in &place.path {
            found = self.step(found, step, frame, item)?;
        }
        Ok(found)
    }

    pub(super) fn root(&self, root: Root, frame: Frame<'p>, item: u32) -> Found {
        let (pointer, shape) = match root {
            Root::Table(n) => {
                let before: usize = self.program.tables[..n]
                    .iter()
                    .map(|t| t.values.len())
                    .sum();
                let table = &self.program.tables[n];
                let cells = table.values.len();
                (
                    Pointer::first(Memory::Constant, before, cells),
                    Shape::Array(table.ty, cells),
                )
            }
            Root::Variable(id) => {
                let variable = &frame.function.variables[id];
                let at = frame.base + self.layouts[frame.number].0[id];
                let pointer = match self.group.items[item as usize].cells.get(at) {
                    Some(Cell::Pointer(memory)) if variable.local => *memory,
                    _ => Pointer::first(Memory::Private, at, self.program.cells(variable.shape)),
                };
                (pointer, variable.shape)
            }
        };
        Found {
            pointer,
            shape,
            lanes: None,
        }
    }

    fn step(
        &mut self,
        from: Found,
        step: &'p Step,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Found, Stop> {
        // Lanes of lanes are lanes of the whole vector.
        let of_all = |lanes: &[u8]| {
            let mut picked = [0; LANES];
            for (to, &lane) in picked.iter_mut().zip(lanes) {
                *to = from.lanes.map_or(lane, |all| all[usize::from(lane)]);
            }
            Some(picked)
        };
        let beyond = || "a place lies beyond its object".to_string();
        let (pointer, shape, lanes) = match (step, from.shape) {
            (Step::Index(index), shape) => {
                let value = self.eval(index, frame, item)?;
                let n = index.ty.number(&value);
                let (first, shape) = match shape {
                    Shape::Array(ty, _) => (from.pointer, Shape::Number(ty)),
                    Shape::Grid(ty, _, columns) => (from.pointer, Shape::Array(ty, columns)),
                    Shape::Structs(of, _) => (from.pointer, Shape::Struct(of)),
                    Shape::Pointer(_, ty) => {
                        (self.load_pointer(from.pointer, item)?, Shape::Number(ty))
                    }
                    Shape::ToStruct(_, of) => {
                        (self.load_pointer(from.pointer, item)?, Shape::Struct(of))
                    }
                    Shape::ToPointer(region, ty) => (
                        self.load_pointer(from.pointer, item)?,
                        Shape::Pointer(region, ty),
                    ),
                    Shape::Number(_) | Shape::Struct(_) => {
                        return Err("what is no array is indexed".into());
                    }
                };
                let cells = self.program.cells(shape);
                let pointer = first.moved(n * cells as i128).ok_or_else(beyond)?;
                if pointer.at + cells > pointer.from + pointer.cells {
                    return Err(beyond());
                }
                (pointer, shape, None)
            }
            (Step::Field(field), shape) => {
                let part = self.program.part(shape, Part::Field(*field));
                let (shape, by) = part.ok_or("a part is named that is not there")?;
                let cells = self.program.cells(shape);
                let part = from.pointer.part(by, cells).ok_or_else(beyond)?;
                (part, shape, None)
            }
            (Step::Lane(lane), Shape::Number(ty)) if *lane < ty.lanes => {
                let shape = Shape::Number(ty.of.scalar());
                (from.pointer, shape, of_all(&[*lane]))
            }
            (Step::Lanes(of, lanes), Shape::Number(ty)) if *of == ty.lanes => {
                let shape = Shape::Number(ty.of.vector(lanes.len() as u8));
                (from.pointer, shape, of_all(lanes))
            }
            (Step::Lane(_) | Step::Lanes(..), _) => {
                return Err("a part is named that is not there".into());
            }
        };
        Ok(Found {
            pointer,
            shape,
            lanes,
        })
    }

    /// Where a pointer is to lead.
    pub(super) fn target(
        &mut self,
        target: &'p Target,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Pointer, Stop> {
        match target {
            Target::To(place) => {
                let (last, before) = match place.path.split_last() {
                    Some((Step::Index(index), before)) => (Some(index), before),
                    _ => (None, &place.path[..]),
                };
                let mut found = self.root(place.root, frame, item);
                for step in before {
                    found = self.step(found, step, frame, item)?;
                }
                let Some(index) = last else {
                    let cells = self.program.cells(found.shape);
                    let whole = found.pointer.part(0, cells);
                    return whole.ok_or_else(|| "a pointer leads beyond its object".into());
                };
                let by = self.eval(index, frame, item)?;
                let by = index.ty.number(&by);
                let (first, cells) = match found.shape {
                    Shape::Pointer(..) => (self.load_pointer(found.pointer, item)?, 1),
                    Shape::ToStruct(_, n) => {
                        let cells = self.program.cells(Shape::Struct(n));
                        (self.load_pointer(found.pointer, item)?, cells)
                    }
                    Shape::Structs(n, _) => (found.pointer, self.program.cells(Shape::Struct(n))),
                    Shape::Array(..) | Shape::Number(_) | Shape::Struct(_) => (found.pointer, 1),
                    Shape::Grid(..) | Shape::ToPointer(..) => {
                        return Err("a pointer to a pointer or to an array is made".into());
                    }
                };
                self.moved(first, by * cells as i128)
            }
            Target::From(id, by) => {
                let found = self.root(Root::Variable(*id), frame, item);
                let pointer = self.load_pointer(found.pointer, item)?;
                let cells = match found.shape {
                    Shape::ToStruct(_, n) => self.program.cells(Shape::Struct(n)),
                    _ => 1,
                };
                let by = match by {
                    None => 0,
                    Some(by) => {
                        let value = self.eval(by, frame, item)?;
                        by.ty.number(&value)
                    }
                };
                self.moved(pointer, by * cells as i128)
            }
        }
    }

    fn moved(&self, pointer: Pointer, by: i128) -> Result<Pointer, Stop> {
        let moved = pointer.moved(by);
        moved.ok_or_else(|| "a pointer leads beyond its object".into())
    }

    /// All cells of a place.
    pub(super) fn whole(
        &mut self,
        place: &'p Place,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Vec<Cell>, Stop> {
        let found = self.place(place, frame, item)?;
        let cells = self.program.cells(found.shape);
        (0..cells)
            .map(|n| self.load(found.pointer, n, item))
            .collect()
    }

    pub(super) fn read(
        &mut self,
        place: &'p Place,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Value, Stop> {
        let found = self.place(place, frame, item)?;
        self.read_found(&found, item)
    }

    pub(super) fn read_found(&mut self, found: &Found, item: u32) -> Result<Value, Stop> {
        let value = self.load_number(found.pointer, item)?;
        Ok(match (found.lanes, found.shape) {
            (Some(lanes), Shape::Number(ty)) => ty.each(|n| value[usize::from(lanes[n])]),
            (_, _) => value,
        })
    }

    pub(super) fn assign(
        &mut self,
        place: &'p Place,
        value: Value,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<(), Stop> {
        let found = self.place(place, frame, item)?;
        self.assign_found(&found, value, item)
    }

    pub(super) fn assign_found(
        &mut self,
        found: &Found,
        value: Value,
        item: u32,
    ) -> Result<(), Stop> {
        let whole = match (&found.lanes, found.shape) {
            (Some(lanes), Shape::Number(ty)) => {
                let mut whole = self.load_number(found.pointer, item)?;
                for (lane, bits) in lanes.iter().zip(value).take(usize::from(ty.lanes)) {
                    whole[usize::from(*lane)] = bits;
                }
                whole
            }
            (_, _) => value,
        };
        self.store(found.pointer, 0, Cell::Number(whole), item)
    }

    pub(super) fn load_number(&mut self, pointer: Pointer, item: u32) -> Result<Value, Stop> {
        match self.load(pointer, 0, item)? {
            Cell::Number(value) => Ok(value),
            Cell::Unset => Err("a value is used that was never set".into()),
            Cell::Pointer(_) => Err("a pointer is used as a number".into()),
        }
    }

    pub(super) fn load_pointer(&mut self, pointer: Pointer, item: u32) -> Result<Pointer, Stop> {
        match self.load(pointer, 0, item)? {
            Cell::Pointer(to) => Ok(to),
            Cell::Unset | Cell::Number(_) => Err("what is no pointer is followed".into()),
        }
    }

    fn used(&self, phase: usize, item: u32) -> Use {
        Use {
            group: self.group.number,
            phase: self.group.phases[phase],
            item,
        }
    }

    fn load(&mut self, pointer: Pointer, n: usize, item: u32) -> Result<Cell, Stop> {
        let at = pointer.at + n;
        let races = || "a work-item reads what another writes".to_string();
        let value = match pointer.memory {
            Memory::Private => return Ok(self.group.items[item as usize].cells[at]),
            Memory::Constant => Some(self.tables[at]),
            Memory::Local => {
                let used = self.used(0, item);
                self.group.cells[at].read(used).ok_or_else(races)?
            }
            Memory::Global => {
                let used = self.used(1, item);
                self.global[at].read(used).ok_or_else(races)?
            }
        };
        Ok(value.map_or(Cell::Unset, Cell::Number))
    }

    pub(super) fn store(
        &mut self,
        pointer: Pointer,
        n: usize,
        cell: Cell,
        item: u32,
    ) -> Result<(), Stop> {
        let at = pointer.at + n;
        let races = || "a work-item writes what another uses".to_string();
        let value = match (pointer.memory, cell) {
            (Memory::Private, cell) => {
                self.group.items[item as usize].cells[at] = cell;
                return Ok(());
            }
            (Memory::Constant, _) => return Err("a constant is written".into()),
            (_, Cell::Number(value)) => value,
            (_, Cell::Unset | Cell::Pointer(_)) => {
                return Err("what is no number goes to shared memory".into());
            }
        };
        match pointer.memory {
            Memory::Local => {
                let used = self.used(0, item);
                self.group.cells[at].write(value, used).ok_or_else(races)
            }
            _ => {
                let used = self.used(1, item);
                self.global[at].write(value, used).ok_or_else(races)
            }
        }
    }

    /// An atomic function, of a number in shared memory.
    pub(super) fn change(
        &mut self,
        found: &Found,
        atomic: Atomic,
        by: Value,
        item: u32,
    ) -> Result<(), Stop> {
        let Shape::Number(ty) = found.shape else {
            return Err("what is no number is changed".into());
        };
        let to = |before: Value| ty.each(|n| atomic.leaves(ty.of, before[n], by[n]));
        let (pointer, family) = (found.pointer, atomic.family());
        let changed = match pointer.memory {
            Memory::Local => {
                let used = self.used(0, item);
                self.group.cells[pointer.at].change(used, family, to)
            }
            Memory::Global => {
                let used = self.used(1, item);
                self.global[pointer.at].change(used, family, to)
            }
            Memory::Private | Memory::Constant => {
                return Err("an atomic function is about shared memory".into());
            }
        };
        let changed = changed.ok_or("a work-item changes what another uses otherwise")?;
        changed.ok_or_else(|| "a value is changed that was never set".into())
    }
}
