//! Expressions: operands, loads, read-modify-writes, compare-exchanges.

use super::{
    Constraint, EventKind, Mask, Place, Run, Run1, Stop, Value, WORDS, add, intersect, join,
};
use crate::oracle::bits::each as each_event;
use crate::oracle::value::Sym;
use crate::program::{
    Access, Address, Atomic, Atomicity, BinOp, Cas, CasStrength, Expected, Expr, Rmw,
};

impl Run<'_> {
    pub(super) fn place(&mut self, address: &Address) -> Run1<Place> {
        let location = address.location;
        let Some(index) = &address.index else {
            return Ok(Place {
                location,
                element: 0,
                deps: [0; WORDS],
            });
        };
        let value = self.expr(index)?;
        let len = self.program.locations[location.index()].len();
        let element = match value.sym {
            Sym::Const(i) => i,
            ref sym => {
                // One way for each element, and one for all that lies outside.
                let way = i64::from(self.choose(len + 1));
                let compare = |op, bound: i64| Sym::binary(op, sym.clone(), Sym::Const(bound));
                let condition = if way < i64::from(len) {
                    compare(BinOp::Eq, way)
                } else {
                    let (below, above) = (compare(BinOp::Lt, 0), compare(BinOp::Ge, way));
                    Sym::binary(BinOp::Or, below, above)
                };
                self.path.constraints.push(Constraint {
                    condition,
                    holds: true,
                });
                way
            }
        };
        if element < 0 || element >= i64::from(len) {
            return Err(Stop::Outside);
        }
        Ok(Place {
            location,
            element: element as u32,
            deps: value.deps,
        })
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Run1<Value> {
        match expr {
            Expr::Const(c) => Ok(Value::known(*c)),
            Expr::Reg(r) => Ok(self.registers[r.index()].clone()),
            Expr::Unary(op, a) => {
                let a = self.expr(a)?;
                Ok(Value {
                    sym: Sym::unary(*op, a.sym),
                    deps: a.deps,
                })
            }
            Expr::Binary(op @ (BinOp::LogicalAnd | BinOp::LogicalOr), a, b) => {
                let a = self.expr(a)?;
                let deps = a.deps;
                let left = self.decide(&a);
                if left == (*op == BinOp::LogicalOr) {
                    return Ok(Value {
                        sym: Sym::Const(i64::from(left)),
                        deps,
                    });
                }
                let b = self.expr(b)?;
                Ok(Value {
                    sym: Sym::binary(BinOp::Ne, b.sym, Sym::Const(0)),
                    deps: join(&deps, &b.deps),
                })
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = self.unsequenced(|r| r.expr(a), |r| r.expr(b))?;
                Ok(Value {
                    sym: Sym::binary(*op, a.sym, b.sym),
                    deps: join(&a.deps, &b.deps),
                })
            }
            Expr::Select(c, a, b) => {
                let c = self.expr(c)?;
                let chosen = if self.decide(&c) { a } else { b };
                let value = self.expr(chosen)?;
                Ok(Value {
                    sym: value.sym,
                    deps: join(&c.deps, &value.deps),
                })
            }
            Expr::Load(Access { address, atomicity }) => {
                let place = self.place(address)?;
                self.read(EventKind::Read, &place, *atomicity)
            }
            Expr::Rmw(rmw) => self.rmw(rmw),
            Expr::Cas(cas) => self.cas(cas),
        }
    }

    /// Evaluates two operands in either order: their plain accesses are unsequenced, their calls of
    /// functions are one before the other. [mm.calls]
    pub(super) fn unsequenced<A, B>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Run1<A>,
        second: impl FnOnce(&mut Self) -> Run1<B>,
    ) -> Run1<(A, B)> {
        let start = self.before;
        let events = self.path.events.len();
        let a = first(self)?;
        let middle = self.path.events.len();
        let after_a = std::mem::replace(&mut self.before, start);
        let b = second(self)?;
        self.before = join(&self.before, &after_a);
        self.sequence_calls(events, middle);
        Ok((a, b))
    }

    /// Chooses which call is first, of each two of which one is among the events from `start` to
    /// `middle` and one among those after them.
    fn sequence_calls(&mut self, start: usize, middle: usize) {
        let end = self.path.events.len();
        let calls = |range: std::ops::Range<usize>| {
            let mut calls: Vec<u32> = self.calls_of[range].iter().flatten().copied().collect();
            calls.dedup();
            calls
        };
        let (left, right) = (calls(start..middle), calls(middle..end));
        for &a in &left {
            for &b in &right {
                let (a, b) = (self.events_of(a), self.events_of(b));
                let ordered = |x: &Mask, y: &Mask| {
                    each_event(y).any(|e| intersect(&self.path.events[e].before, x))
                };
                if ordered(&a, &b) || ordered(&b, &a) {
                    continue;
                }
                match self.choose(2) {
                    0 => self.put_before(&a, &b, start),
                    _ => self.put_before(&b, &a, start),
                }
            }
        }
    }

    /// The events that one call makes.
    fn events_of(&self, call: u32) -> Mask {
        let mut events = [0; WORDS];
        for (index, of) in self.calls_of.iter().enumerate() {
            if *of == Some(call) {
                add(&mut events, index);
            }
        }
        events
    }

    /// Puts some events before others, with what is before the former and after the latter; all of them
    /// come after the event `start`.
    fn put_before(&mut self, first: &Mask, then: &Mask, start: usize) {
        let mut earlier = *first;
        for event in each_event(first) {
            earlier = join(&earlier, &self.path.events[event].before);
        }
        for index in start..self.path.events.len() {
            let mut itself = [0; WORDS];
            add(&mut itself, index);
            let event = &mut self.path.events[index];
            if intersect(&itself, then) || intersect(&event.before, then) {
                event.before = join(&event.before, &earlier);
            }
        }
    }

    /// Does what a call of a function does.
    pub(super) fn call<T>(&mut self, does: impl FnOnce(&mut Self) -> Run1<T>) -> Run1<T> {
        self.functions += 1;
        self.inside = Some(self.functions);
        let done = does(self);
        self.inside = None;
        done
    }

    fn rmw(&mut self, rmw: &Rmw) -> Run1<Value> {
        let (place, operand) =
            self.unsequenced(|r| r.place(&rmw.address), |r| r.expr(&rmw.operand))?;
        let ty = self.program.locations[place.location.index()].ty;
        let atomicity = Atomicity::Atomic(rmw.atomic);
        self.prepare(EventKind::Rmw, atomicity)?;
        let old = Sym::Read(self.path.events.len() as u32);
        let written = Some(Sym::rmw(rmw.op, ty, old, operand.sym));
        let index = self.access(EventKind::Rmw, &place, atomicity, written, operand.deps)?;
        Ok(self.result(index))
    }

    fn cas(&mut self, cas: &Cas) -> Run1<Value> {
        let ((place, desired), expected_place) = self.unsequenced(
            |r| r.unsequenced(|r| r.place(&cas.address), |r| r.expr(&cas.desired)),
            |r| match &cas.expected {
                Expected::Location(address) => r.place(address).map(Some),
                Expected::Register(_) => Ok(None),
            },
        )?;
        self.call(|r| r.exchange(cas, &place, desired, expected_place))
    }

    /// What a compare-exchange does once its arguments are evaluated.
    fn exchange(
        &mut self,
        cas: &Cas,
        place: &Place,
        desired: Value,
        expected_place: Option<Place>,
    ) -> Run1<Value> {
        let wanted = match (&cas.expected, &expected_place) {
            (Expected::Location(_), Some(place)) => {
                self.read(EventKind::Read, place, Atomicity::Plain)?
            }
            (Expected::Register(r), _) => self.registers[r.index()].clone(),
            (Expected::Location(_), None) => Value::known(0),
        };
        let ty = self.program.locations[place.location.index()].ty;
        let succeeds = self.choose(2) == 0;
        let (kind, atomicity) = match succeeds {
            true => (EventKind::Rmw, Atomicity::Atomic(cas.atomic)),
            false => {
                let order = cas.failure;
                (
                    EventKind::Read,
                    Atomicity::Atomic(Atomic {
                        order,
                        ..cas.atomic
                    }),
                )
            }
        };
        self.prepare(kind, atomicity)?;
        let old = Sym::Read(self.path.events.len() as u32);
        let wanted_sym = self.wrap(ty, wanted.sym.clone());
        let equal = Sym::binary(BinOp::Eq, old, wanted_sym);
        let mut deps = wanted.deps;
        let index = if succeeds {
            let written = self.wrap(ty, desired.sym);
            let data = join(&desired.deps, &wanted.deps);
            self.access(kind, place, atomicity, Some(written), data)?
        } else {
            self.access(kind, place, atomicity, None, [0; WORDS])?
        };
        add(&mut deps, index as usize);
        match (succeeds, cas.strength) {
            (true, _) | (false, CasStrength::Strong) => self.path.constraints.push(Constraint {
                condition: equal,
                holds: succeeds,
            }),
            (false, CasStrength::Weak) => {}
        }
        if !succeeds {
            let seen = self.result(index);
            match (&cas.expected, expected_place) {
                (Expected::Register(r), _) => self.assign(*r, seen),
                (Expected::Location(_), Some(place)) => {
                    let ty = self.program.locations[place.location.index()].ty;
                    let written = self.wrap(ty, seen.sym);
                    self.access(
                        EventKind::Write,
                        &place,
                        Atomicity::Plain,
                        Some(written),
                        seen.deps,
                    )?;
                }
                (Expected::Location(_), None) => {}
            }
        }
        Ok(Value {
            sym: Sym::Const(i64::from(succeeds)),
            deps,
        })
    }
}
