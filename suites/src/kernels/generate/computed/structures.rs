//! Pieces about structures: copies of them in every memory and by value, and arrays and structures of which only some
//! parts have a first value.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

/// Where a kernel can leave structures: its own places in global and in local memory.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Kept {
    /// The type.
    pub of: usize,
    /// A pointer to one in global memory for each work-item.
    pub global: VarId,
    /// An array in local memory with one for each work-item of the group.
    pub local: VarId,
    /// The number of the work-item in the range.
    pub me: VarId,
}

/// The most numbers of a structure.
const MOST: usize = 24;

impl Author<'_> {
    /// A structure type of numbers and arrays: of bytes alone, so that its size is any; of any types; or with
    /// structures inside.
    pub(in super::super) fn structure_type(&mut self) -> usize {
        let mut fields = match self.choices.below(6) {
            0..=2 => self.narrow_fields(),
            3 | 4 => self.any_fields(),
            _ => {
                let of = self.narrow_structure();
                let one = Shape::Struct(of);
                let two = 2 * self.program.cells(one) < MOST && self.choices.percent(50);
                let inner = if two { Shape::Structs(of, 2) } else { one };
                let mut fields = self.any_fields();
                let at = self.choices.below(fields.len() + 1);
                fields.insert(at, inner);
                fields
            }
        };
        let cells = |fields: &[Shape]| -> usize {
            fields.iter().map(|field| self.program.cells(*field)).sum()
        };
        while fields.len() > 1 && cells(&fields) > MOST {
            fields.pop();
        }
        self.new_structure(fields)
    }

    /// A structure type of these fields, now and then packed or with an alignment of its own.
    fn new_structure(&mut self, fields: Vec<Shape>) -> usize {
        let own = self.choices.percent(25);
        let aligned = own.then(|| self.choices.one_of(&[16, 8, 32, 4]));
        // What is aligned inside of a packed one is left out.
        let inside = fields.iter().any(|field| match field {
            Shape::Struct(n) | Shape::Structs(n, _) => self.program.structs[*n].is_aligned(),
            _ => false,
        });
        // Of bytes alone it is the same in any case.
        let wide = fields.iter().any(|field| self.program.bytes(*field).1 >= 4);
        let often = if wide { 40 } else { 15 };
        let packed = !inside && self.choices.percent(often);
        let mut places = Vec::new();
        if !packed && self.choices.percent(25) {
            let place = |_: &Shape| {
                let own = self.choices.percent(40);
                own.then(|| self.choices.one_of(&[8, 16, 4, 32]))
            };
            places = fields.iter().map(place).collect();
        }
        self.program.structs.push(Struct {
            fields,
            aligned,
            places,
            packed,
        });
        self.program.structs.len() - 1
    }

    /// A structure type of bytes, or of numbers of two bytes.
    pub(in super::super) fn narrow_structure(&mut self) -> usize {
        let fields = self.narrow_fields();
        self.new_structure(fields)
    }

    fn narrow_fields(&mut self) -> Vec<Shape> {
        let odd = self.choices.percent(60);
        let fields = (0..self.choices.between(1, 4)).map(|_| {
            let of = match odd || self.choices.percent(50) {
                true => self.choices.one_of(&[CHAR, UCHAR]),
                false => self.choices.one_of(&[SHORT, USHORT]),
            };
            match self.choices.one_of(&[0, 0, 3, 5, 7, 2]) {
                0 => Shape::Number(of.scalar()),
                length => Shape::Array(of.scalar(), length),
            }
        });
        let mut fields: Vec<Shape> = fields.collect();
        // More bytes than a number of the widest type has.
        fields.push(Shape::Array(CHAR.scalar(), self.choices.one_of(&[5, 3, 9])));
        fields
    }

    fn any_fields(&mut self) -> Vec<Shape> {
        let fields = (0..self.choices.between(2, 4)).map(|_| {
            let of = self.integer();
            match self.choices.below(5) {
                0 => Shape::Number(of.vector(self.choices.one_of(&[2, 4, 3]))),
                1 => Shape::Array(self.element_type().with(of), 3),
                2 if self.choices.percent(30) => Shape::Grid(of.scalar(), 2, 3),
                _ => Shape::Number(of.scalar()),
            }
        });
        fields.collect()
    }

    /// What a kernel about memory can leave structures in; the parameter comes before its variables.
    pub(super) fn kept_parameter(&mut self) -> (usize, VarId) {
        let of = self.structure_type();
        (
            of,
            self.parameter("kept", Shape::ToStruct(Region::Global, of)),
        )
    }

    /// A `ulong` that starts anywhere.
    pub(in super::super) fn sum(&mut self, body: &mut Vec<Stmt>) -> VarId {
        let ty = ULONG.scalar();
        let first = self.make.constant(ty, 17);
        let id = self.variable(Shape::Number(ty));
        body.push(Stmt::Declare(id, Some(Init::Number(first))));
        id
    }

    /// `sum = sum * 31 + number` of each number of something; of vectors of one lane.
    pub(in super::super) fn fold(&mut self, body: &mut Vec<Stmt>, sum: VarId, of: Place) {
        let Some(shape) = self.shape_of(&of) else {
            return;
        };
        for (path, ty) in self.program.numbers(shape) {
            let mut place = self.make.part(of.clone(), &path);
            if ty.lanes > 1 {
                place = place.then(Step::Lane(self.choices.below(usize::from(ty.lanes)) as u8));
            }
            let read = self.make.read(place, ty.of.scalar());
            self.add_to(body, sum, read);
        }
    }

    fn add_to(&mut self, body: &mut Vec<Stmt>, sum: VarId, number: Expr) {
        let ty = ULONG.scalar();
        let now = self.make.variable(sum, ty);
        let now = self.make.with(now, Arithmetic::Multiply, 31);
        let number = self.make.cast(ty, number);
        let next = self.make.arithmetic(Arithmetic::Add, now, number);
        body.push(Stmt::Assign(Place::variable(sum), next));
    }

    /// What a place is whose steps are fields and elements.
    fn shape_of(&self, place: &Place) -> Option<Shape> {
        let Root::Variable(id) = place.root else {
            return None;
        };
        let variable = self.function.variables.get(id)?.shape;
        place
            .path
            .iter()
            .try_fold(variable, |shape, step| match (shape, step) {
                (Shape::ToStruct(_, n), Step::Index(_)) => Some(Shape::Struct(n)),
                (Shape::Pointer(_, ty), Step::Index(_)) => Some(Shape::Number(ty)),
                (shape, Step::Index(_)) => Some(self.program.part(shape, Part::Element(0))?.0),
                (shape, Step::Field(field)) => {
                    Some(self.program.part(shape, Part::Field(*field))?.0)
                }
                (_, Step::Lane(_) | Step::Lanes(..)) => None,
            })
    }

    /// Each number of something gets a value.
    pub(in super::super) fn fill(&mut self, body: &mut Vec<Stmt>, of: &Place, seed: Option<Expr>) {
        let shape = self.shape_of(of);
        let numbers = shape.map_or(Vec::new(), |shape| self.program.numbers(shape));
        for (n, (path, ty)) in numbers.into_iter().enumerate() {
            let place = self.make.part(of.clone(), &path);
            let value = match (&seed, ty.lanes) {
                (_, 2..) => self.vector(ty),
                (None, _) if n < 8 => {
                    let value = self.expr(1);
                    self.make.implicit(ty, value)
                }
                (seed, _) => {
                    let leaf = seed.clone().unwrap_or_else(|| self.leaf());
                    let other = self.make.uint(0x9d * n as u32 + 1);
                    let value = self.make.arithmetic(Arithmetic::Xor, leaf, other);
                    self.make.implicit(ty, value)
                }
            };
            body.push(Stmt::Assign(place, value));
        }
    }

    /// A structure that is filled, goes from place to place, and is changed through a pointer.
    pub(super) fn structure(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let kept = self.kept.filter(|_| self.choices.percent(60));
        let n = kept.map_or_else(|| self.structure_type(), |kept| kept.of);
        let [one, two] = [(); 2].map(|()| self.variable(Shape::Struct(n)));
        body.push(Stmt::Declare(one, None));
        self.fill(body, &Place::variable(one), None);
        let ways = if kept.is_some() { 6 } else { 4 };
        let mut declared = false;
        for _ in 0..self.choices.between(1, 3) {
            let from = Place::variable(if declared { two } else { one });
            let to = Place::variable(two);
            let way = self.choices.below(ways);
            if way == 0 && !declared {
                body.push(Stmt::Declare(two, Some(Init::Whole(from))));
                declared = true;
                continue;
            }
            if !declared {
                body.push(Stmt::Declare(two, None));
                declared = true;
            }
            match (way, kept) {
                (1, _) => self.call_by_value(body, n, (from, to)),
                (2, _) => {
                    let between = self.among_others(body, results, n, from);
                    body.push(Stmt::Copy(to, between));
                }
                (4.., Some(kept)) => {
                    let between = self.kept_place(kept, way == 4);
                    body.extend([Stmt::Copy(between.clone(), from), Stmt::Copy(to, between)]);
                }
                (_, _) => body.push(Stmt::Copy(to, Place::variable(one))),
            }
        }
        self.through_pointer(body, n, two);
        self.lanes_of_field(body, results, (n, two), kept);
        self.layout(body, results, n, two);
        for id in [one, two] {
            let sum = self.sum(body);
            self.fold(body, sum, Place::variable(id));
            results.push(self.make.variable(sum, ULONG.scalar()));
        }
    }

    /// The work-item's own structure in global or local memory.
    fn kept_place(&mut self, kept: Kept, global: bool) -> Place {
        match global {
            true => {
                let me = self.make.variable(kept.me, UINT.scalar());
                Place::variable(kept.global).at(me)
            }
            false => {
                let me = self.make.work_item(WorkItem::LocalId, 0);
                Place::variable(kept.local).at(me)
            }
        }
    }

    /// Lanes of a vector in a structure that are changed where that lies: in a variable, or in global or local memory.
    fn lanes_of_field(
        &mut self,
        body: &mut Vec<Stmt>,
        results: &mut Results,
        (n, of): (usize, VarId),
        kept: Option<Kept>,
    ) {
        let mut vectors = self.program.numbers(Shape::Struct(n));
        vectors.retain(|(_, ty)| ty.lanes > 1);
        if vectors.is_empty() {
            return;
        }
        let (path, ty) = vectors.swap_remove(self.choices.below(vectors.len()));
        let own = Place::variable(of);
        let there = kept.map(|kept| {
            let global = self.choices.percent(60);
            self.kept_place(kept, global)
        });
        if let Some(there) = &there {
            body.push(Stmt::Copy(there.clone(), own.clone()));
        }
        let changed = there.clone().unwrap_or(own.clone());
        let changed = self.make.part(changed, &path);
        self.assign_lanes(body, &changed, ty);
        if let Some(there) = there {
            body.push(Stmt::Copy(own.clone(), there));
        }
        let own = self.make.part(own, &path);
        self.lanes_of(results, &own, ty);
    }

    fn call_by_value(&mut self, body: &mut Vec<Stmt>, n: usize, (from, to): (Place, Place)) {
        let function = self.by_value(n);
        let number = self.expr(1);
        let number = self.make.implicit(ULONG.scalar(), number);
        let arguments = vec![Argument::Whole(from), Argument::Number(number)];
        body.push(Stmt::Call(function, arguments, Some(to)));
    }

    /// A number of a structure that is no vector.
    fn scalar_of(&mut self, n: usize) -> Option<(Vec<Part>, Type)> {
        let mut scalars = self.program.numbers(Shape::Struct(n));
        scalars.retain(|(_, ty)| ty.lanes == 1);
        (!scalars.is_empty()).then(|| scalars.swap_remove(self.choices.below(scalars.len())))
    }

    /// One number of a structure is changed through a pointer.
    fn through_pointer(&mut self, body: &mut Vec<Stmt>, n: usize, of: VarId) {
        let pointer = self.variable(Shape::ToStruct(Region::Private, n));
        let target = Target::To(Place::variable(of));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let Some((path, ty)) = self.scalar_of(n) else {
            return;
        };
        let zero = self.make.uint(0);
        let place = self.make.part(Place::variable(pointer).at(zero), &path);
        let (by, op) = (self.expr(1), self.choices.one_of(&ARITHMETIC));
        body.push(self.make.compound(place, ty, op, by));
    }

    /// Where a structure has its fields: what the host and other programs rely on.
    fn layout(&mut self, body: &mut Vec<Stmt>, results: &mut Results, n: usize, of: VarId) {
        let uint = UINT.scalar();
        let fields = self.program.structs[n].fields.len();
        let mut sum = self.make.expr(uint, Kind::Size(n));
        for field in (1..fields).rev().take(self.choices.between(1, 3)) {
            let offset = self.make.expr(uint, Kind::Offset(of, n, field));
            let before = self.make.with(sum, Arithmetic::Multiply, 211);
            sum = self.make.arithmetic(Arithmetic::Add, before, offset);
        }
        self.result(body, results, UINT, sum);
    }

    /// A structure in the middle of an array of them, with a result of it by a pointer that leads behind it; its place.
    fn among_others(
        &mut self,
        body: &mut Vec<Stmt>,
        results: &mut Results,
        n: usize,
        of: Place,
    ) -> Place {
        let many = self.variable(Shape::Structs(n, 3));
        let [middle, last] = [1, 2].map(|at| Place::variable(many).at(self.make.uint(at)));
        body.push(Stmt::Declare(many, None));
        body.push(Stmt::Copy(middle.clone(), of.clone()));
        // What lies behind it is copied later, and leaves it as it is.
        body.push(Stmt::Copy(last.clone(), of));
        let pointer = self.variable(Shape::ToStruct(Region::Private, n));
        let target = Init::Pointer(Target::To(last));
        body.push(Stmt::Declare(pointer, Some(target)));
        let numbers = self.program.numbers(Shape::Struct(n));
        let before = self.make.constant(INT.scalar(), -1);
        let of = Place::variable(pointer).at(before);
        if let Some((path, ty)) = numbers.last() {
            let mut place = self.make.part(of, path);
            if ty.lanes > 1 {
                place = place.then(Step::Lane(ty.lanes - 1));
            }
            results.push(self.make.read(place, ty.of.scalar()));
        }
        middle
    }

    /// A function that is given a structure by value, changes its own, and gives that.
    fn by_value(&mut self, n: usize) -> usize {
        let name = format!("changed{}", self.program.functions.len());
        let around = self.leave(&name);
        self.function.gives = Some(Shape::Struct(n));
        let given = self.parameter("given", Shape::Struct(n));
        self.number_parameter("a", ULONG.scalar());
        let mut body = Vec::new();
        for _ in 0..2 {
            if let Some((path, ty)) = self.scalar_of(n) {
                let place = self.make.part(Place::variable(given), &path);
                let by = self.expr(1);
                body.push(self.make.compound(place, ty, Arithmetic::Xor, by));
            }
        }
        body.push(Stmt::Return(Some(Argument::Whole(Place::variable(given)))));
        let function = self.end(body);
        self.come_back(around);
        function
    }

    /// An array or structure of which some parts have a first value, again and again: each time the others are zero.
    pub(super) fn fresh(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        if self.choices.percent(40) {
            let function = self.fresh_function();
            for _ in 0..self.choices.between(2, 3) {
                let number = self.leaf();
                let number = self.make.implicit(ULONG.scalar(), number);
                let call = Kind::Call(function, vec![Argument::Number(number)]);
                let value = self.make.expr(ULONG.scalar(), call);
                self.result(body, results, ULONG, value);
            }
            return;
        }
        let sum = self.sum(body);
        let i = self.variable(Shape::Number(UINT.scalar()));
        self.sources.push((Place::variable(i), UINT.scalar()));
        let known = self.sources.len();
        let mut turn = Vec::new();
        let turned = self.make.variable(i, UINT.scalar());
        self.fresh_object(&mut turn, sum, turned);
        self.sources.truncate(known - 1);
        let turns = self.choices.between(2, 3) as u32;
        body.push(self.count_to(i, turns, turn));
        results.push(self.make.variable(sum, ULONG.scalar()));
    }

    fn fresh_function(&mut self) -> usize {
        let name = format!("fresh{}", self.program.functions.len());
        let around = self.leave(&name);
        self.function.gives = Some(Shape::Number(ULONG.scalar()));
        let given = self.number_parameter("a", ULONG.scalar());
        let mut body = Vec::new();
        let sum = self.sum(&mut body);
        let number = self.make.variable(given, ULONG.scalar());
        self.fresh_object(&mut body, sum, number);
        let sum = self.make.variable(sum, ULONG.scalar());
        body.push(Stmt::Return(Some(Argument::Number(sum))));
        let function = self.end(body);
        self.come_back(around);
        function
    }

    /// What an array is of.
    pub(super) fn element_type(&mut self) -> Type {
        let lanes = match self.choices.percent(30) {
            true => self.choices.one_of(&[3, 4, 2, 8]),
            false => 1,
        };
        self.integer().vector(lanes)
    }

    /// The object: it gets its first value, is read whole, and then written whole.
    fn fresh_object(&mut self, body: &mut Vec<Stmt>, sum: VarId, number: Expr) {
        let shape = match self.choices.below(6) {
            0..=2 => {
                let ty = self.element_type();
                let lengths: &[usize] = match ty.lanes {
                    1 => &[5, 8, 3, 9, 16, 24],
                    _ => &[5, 3, 4],
                };
                Shape::Array(ty, self.choices.pick(lengths).unwrap_or(3))
            }
            3 => {
                let of = self.integer();
                Shape::Grid(of.scalar(), 3, self.choices.one_of(&[2, 3, 5]))
            }
            4 => Shape::Struct(self.structure_type()),
            _ => Shape::Structs(self.narrow_structure(), 2),
        };
        let object = self.variable(shape);
        let first = self.some_numbers(shape);
        body.push(Stmt::Declare(object, Some(first)));
        self.fold(body, sum, Place::variable(object));
        self.fill(body, &Place::variable(object), Some(number));
        // It is read again: what it was filled with is not left out.
        self.fold(body, sum, Place::variable(object));
    }

    /// First values of the first numbers of a shape, or of some by their designators.
    pub(super) fn some_numbers(&mut self, shape: Shape) -> Init {
        let numbers = self.program.numbers(shape);
        let value = |author: &mut Self, ty: Type| match ty.lanes {
            1 => {
                let value = author.leaf();
                author.make.implicit(ty, value)
            }
            _ => author.vector(ty),
        };
        if self.choices.percent(50) {
            let count = self.choices.between(1, numbers.len().min(5));
            let list = numbers.iter().take(count).map(|(_, ty)| value(self, *ty));
            return Init::List(list.collect());
        }
        let mut left: Vec<usize> = (0..numbers.len()).collect();
        let mut parts = Vec::new();
        for _ in 0..self.choices.between(1, 3) {
            if left.is_empty() {
                break;
            }
            let mut at = left.swap_remove(self.choices.below(left.len()));
            let (path, ty) = numbers[at].clone();
            parts.push((path, value(self, ty), true));
            // "Initialization then continues forward in order, beginning with the next subobject" (C99 6.7.8).
            while self.choices.percent(40) {
                let next = left.iter().position(|n| *n == at + 1);
                let Some(next) = next.filter(|_| beside(&numbers[at].0, &numbers[at + 1].0)) else {
                    break;
                };
                at = left.swap_remove(next);
                let (path, ty) = numbers[at].clone();
                parts.push((path, value(self, ty), false));
            }
        }
        Init::Parts(parts)
    }
}

/// Whether two parts lie in one array or structure, the second behind the first.
fn beside(first: &[Part], second: &[Part]) -> bool {
    let whole = first.split_last().map(|(_, before)| before);
    whole.is_some() && whole == second.split_last().map(|(_, before)| before)
}
