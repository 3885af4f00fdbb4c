//! The values of expressions.

use super::super::number::{LANES, Type, Value};
use super::super::*;
use super::memory::Cell;
use super::{Frame, Machine, STEPS, Stop};

impl<'p> Machine<'p> {
    pub(super) fn eval(
        &mut self,
        expr: &'p Expr,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Value, Stop> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err("it takes too long".into());
        }
        let ty = expr.ty;
        Ok(match &expr.kind {
            Kind::Constant(value) => *value,
            Kind::Read(place) => self.read(place, frame, item)?,
            Kind::Held => *self.held.last().ok_or("nothing is assigned to here")?,
            Kind::Negate(of) => {
                let value = self.operand(of, ty, frame, item)?;
                let exact = ty.each(|n| ty.of.wrap(-ty.of.number(value[n])));
                let least = |n: usize| ty.of.signed && ty.of.number(value[n]) == ty.of.least();
                self.guard(expr, (0..usize::from(ty.lanes)).all(|n| !least(n)));
                exact
            }
            Kind::Plus(of) => self.operand(of, ty, frame, item)?,
            Kind::Complement(of) => {
                let value = self.operand(of, ty, frame, item)?;
                ty.each(|n| ty.of.wrap(!ty.of.number(value[n])))
            }
            Kind::Not(of) => {
                let value = self.eval(of, frame, item)?;
                of.ty.each(|n| of.ty.truth_of(value[n] == 0))
            }
            Kind::Arithmetic(op, left, right) => {
                self.arithmetic(expr, *op, [left, right], frame, item)?
            }
            Kind::Comparison(op, left, right) => {
                let meet = match left.ty.lanes {
                    1 => left.ty.of.common(right.ty.of).scalar(),
                    _ => left.ty,
                };
                let left = self.operand(left, meet, frame, item)?;
                let right = self.operand(right, meet, frame, item)?;
                let of = meet.of;
                meet.each(|n| meet.truth_of(op.holds(of.number(left[n]), of.number(right[n]))))
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                let and = matches!(expr.kind, Kind::And(..));
                let first = self.eval(left, frame, item)?;
                let lanes = left.ty;
                if lanes.lanes == 1 && (first[0] != 0) != and {
                    return Ok(ty.value(i128::from(!and)));
                }
                let second = self.eval(right, frame, item)?;
                lanes.each(|n| {
                    let (a, b) = (first[n] != 0, second[n] != 0);
                    lanes.truth_of(if and { a && b } else { a || b })
                })
            }
            Kind::Choice(condition, yes, no) => {
                let seen = self.eval(condition, frame, item)?;
                if condition.ty.lanes == 1 {
                    let chosen = if seen[0] != 0 { yes } else { no };
                    return self.operand(chosen, ty, frame, item);
                }
                let (yes, no) = (self.eval(yes, frame, item)?, self.eval(no, frame, item)?);
                let top = condition.ty.of.bits - 1;
                ty.each(|n| if seen[n] >> top != 0 { yes[n] } else { no[n] })
            }
            Kind::Implicit(of) | Kind::Cast(of) => self.converted(expr, of, frame, item)?,
            Kind::Convert {
                of,
                saturated: false,
            } => self.converted(expr, of, frame, item)?,
            Kind::Convert {
                of,
                saturated: true,
            } => {
                let value = self.eval(of, frame, item)?;
                ty.each(|n| ty.of.saturate(of.ty.of.number(value[n])))
            }
            Kind::Reinterpret(of) | Kind::Union(of) => {
                let value = self.eval(of, frame, item)?;
                reinterpreted(of.ty, ty, &value)
            }
            Kind::Builtin(function, arguments) => {
                let values = self.all(arguments, frame, item)?;
                let first = arguments.first().map_or(ty, |argument| argument.ty);
                let given = function.of(first, &values);
                given.ok_or_else(|| format!("{} is left open", function.name()))?
            }
            Kind::Call(function, arguments) => {
                self.call(*function, arguments, frame, &[item])?;
                match self.group.items[item as usize].given.pop() {
                    Some(Cell::Number(value)) => value,
                    _ => return Err("a function gives no number".into()),
                }
            }
            Kind::Vector(parts) => {
                let (mut value, mut lanes) = ([0; LANES], 0);
                for part in parts {
                    let part_lanes = usize::from(part.ty.lanes);
                    let of = self.eval(part, frame, item)?;
                    let to = value.get_mut(lanes..lanes + part_lanes);
                    to.ok_or("a vector has too many parts")?
                        .copy_from_slice(&of[..part_lanes]);
                    lanes += part_lanes;
                }
                match lanes == usize::from(ty.lanes) {
                    true => value,
                    false if lanes == 1 => ty.each(|_| value[0]),
                    false => return Err("a vector has other lanes than its parts".into()),
                }
            }
            Kind::Lanes(of, lanes) => {
                let value = self.eval(of, frame, item)?;
                ty.each(|n| value[usize::from(lanes[n])])
            }
            Kind::Spread(of) => {
                let value = self.eval(of, frame, item)?[0];
                ty.each(|_| value)
            }
            Kind::Shuffle(of, mask, _) => {
                let each = of.first().map_or(1, |one| usize::from(one.ty.lanes));
                let values = self.all(of, frame, item)?;
                let mask = self.eval(mask, frame, item)?;
                ty.each(|n| {
                    // "Only the ilogb(2m - 1) least significant bits of each mask element are considered."
                    let lane = mask[n] as usize % (each * values.len());
                    values[lane / each][lane % each]
                })
            }
            Kind::Real(function, arguments) => {
                let values = self.all(arguments, frame, item)?;
                let given = function.of(ty.lanes, &values);
                given.ok_or("a number is left open")?
            }
            Kind::Distance(one, other) => ty.value(self.distance(*one, *other, frame, item)?),
            Kind::Beside(op, one, other) => {
                let distance = self.distance(*one, *other, frame, item)?;
                ty.value(op.holds(distance, 0).into())
            }
            Kind::Size(of) => ty.value(self.program.bytes(Shape::Struct(*of)).0 as i128),
            Kind::Offset(_, of, field) => ty.value(self.program.bytes_before(*of, *field) as i128),
            Kind::After(stmt, of) | Kind::Gives(stmt, of) => {
                self.simple(stmt, frame, item)?;
                self.eval(of, frame, item)?
            }
            Kind::Post(place, up) => {
                let found = self.place(place, frame, item)?;
                let before = self.read_found(&found, item)?;
                let next = ty
                    .counted(&before, *up)
                    .ok_or("a counted number overflows")?;
                self.assign_found(&found, next, item)?;
                before
            }
            Kind::WorkItem(function, dimension) => {
                let n = self.eval(dimension, frame, item)?[0];
                ty.value(self.work_item(*function, n, item).into())
            }
        })
    }

    /// How many elements of the type that a pointer points to lie between where it leads and where another does. Both lead
    /// into one array, or right behind it (C99 6.5.6).
    fn distance(
        &mut self,
        one: VarId,
        other: VarId,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<i128, Stop> {
        let [one, other] = [one, other].map(|id| self.root(Root::Variable(id), frame, item));
        let cells = match one.shape {
            Shape::ToStruct(_, of) => self.program.cells(Shape::Struct(of)),
            _ => 1,
        };
        let one = self.load_pointer(one.pointer, item)?;
        let other = self.load_pointer(other.pointer, item)?;
        if (one.memory, one.from, one.cells) != (other.memory, other.from, other.cells) {
            return Err("pointers into two objects are subtracted".into());
        }
        Ok((one.at as i128 - other.at as i128) / cells as i128)
    }

    fn all(&mut self, list: &'p [Expr], frame: Frame<'p>, item: u32) -> Result<Vec<Value>, Stop> {
        let values = list.iter().map(|one| self.eval(one, frame, item));
        values.collect()
    }

    /// What a work-item function gives ("Work-Item Functions").
    fn work_item(&self, function: WorkItem, dimension: u64, item: u32) -> u64 {
        let group = &self.group;
        let d = usize::try_from(dimension).unwrap_or(usize::MAX);
        if function == WorkItem::WorkDim {
            return group.dimensions as u64;
        }
        if d >= group.dimensions {
            return match function {
                WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups => 1,
                _ => 0,
            };
        }
        let local = group.items[item as usize].local[d];
        match function {
            WorkItem::GlobalId => group.id[d] * group.local[d] + local + group.offset[d],
            WorkItem::LocalId => local,
            WorkItem::GroupId => group.id[d],
            WorkItem::GlobalSize => group.global[d],
            WorkItem::LocalSize => group.local[d],
            WorkItem::NumGroups => group.groups[d],
            WorkItem::GlobalOffset => group.offset[d],
            WorkItem::WorkDim => group.dimensions as u64,
        }
    }

    /// An operand as the type in which operands meet: a scalar of a type that holds it, or wraps it.
    fn operand(
        &mut self,
        of: &'p Expr,
        meet: Type,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Value, Stop> {
        let value = self.eval(of, frame, item)?;
        Ok(meet.each(|n| meet.of.wrap(of.ty.of.number(value[n]))))
    }

    fn arithmetic(
        &mut self,
        expr: &'p Expr,
        op: Arithmetic,
        [left, right]: [&'p Expr; 2],
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Value, Stop> {
        let ty = expr.ty;
        let by = if op.shifts() { right.ty } else { ty };
        let left = self.operand(left, ty, frame, item)?;
        let right = self.operand(right, by, frame, item)?;
        let mut all = true;
        let value = ty.each(|n| {
            let (bits, defined) = op.of(ty.of, ty.of.number(left[n]), by.of.number(right[n]));
            all &= defined;
            bits
        });
        self.guard(expr, all);
        Ok(value)
    }

    /// A conversion. That to a signed type which does not hold the number is implementation-defined (C99
    /// 6.3.1.3): the form that takes its place is modulo the size.
    fn converted(
        &mut self,
        expr: &'p Expr,
        of: &'p Expr,
        frame: Frame<'p>,
        item: u32,
    ) -> Result<Value, Stop> {
        let (ty, value) = (expr.ty, self.eval(of, frame, item)?);
        let mut all = true;
        let converted = ty.each(|n| {
            let number = of.ty.of.number(value[if of.ty.lanes == 1 { 0 } else { n }]);
            all &= !ty.of.signed || ty.of.holds(number);
            ty.of.wrap(number)
        });
        self.guard(expr, all);
        Ok(converted)
    }

    fn guard(&mut self, expr: &Expr, defined: bool) {
        if !defined {
            self.guarded.insert(expr.id);
        }
    }
}

/// The bytes of a value as another type of the same size.
fn reinterpreted(from: Type, to: Type, value: &Value) -> Value {
    let width = |ty: Type| usize::from(ty.of.bits) / 8;
    let lanes = value.iter().take(usize::from(from.lanes));
    let bytes: Vec<u8> = lanes
        .flat_map(|bits| bits.to_le_bytes().into_iter().take(width(from)))
        .collect();
    let mut lanes = bytes.chunks(width(to));
    to.each(|_| {
        let mut bits = [0; 8];
        for (to, byte) in bits.iter_mut().zip(lanes.next().unwrap_or_default()) {
            *to = *byte;
        }
        u64::from_le_bytes(bits)
    })
}
