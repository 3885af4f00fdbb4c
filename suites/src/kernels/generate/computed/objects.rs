//! Pieces about objects: structures, arrays, tables, and pointers into them.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

impl Author<'_> {
    /// Structures, arrays, tables, and pointers into them.
    pub(super) fn memory(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        match self.choices.below(4) {
            0 | 1 => self.array(body, results),
            2 => self.structure(body, results),
            _ => self.table(body, results),
        }
    }

    /// An array that is filled in a loop and read through a pointer into its middle, before and behind it.
    fn array(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.integer().scalar();
        let length = self.choices.one_of(&[4u32, 8, 5, 16]);
        let array = self.variable(Shape::Array(ty, length as usize));
        body.push(Stmt::Declare(array, None));
        let i = self.variable(Shape::Number(UINT.scalar()));
        let (index, value) = (self.make.variable(i, UINT.scalar()), self.leaf());
        let (factor, counted) = (self.number(UINT), self.make.variable(i, UINT.scalar()));
        let factor = self.make.uint(factor as u32);
        let product = self.make.arithmetic(Arithmetic::Multiply, counted, factor);
        let value = self.make.arithmetic(Arithmetic::Add, value, product);
        let value = self.make.implicit(ty, value);
        let fill = Stmt::Assign(Place::variable(array).at(index), value);
        body.push(self.count_to(i, length, vec![fill]));
        let middle = self.choices.between(1, length as usize - 1) as u32;
        let pointer = self.variable(Shape::Pointer(Region::Private, ty));
        let start = self.make.uint(middle);
        let target = Target::To(Place::variable(array).at(start));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        // The largest mask of which the elements before have room.
        let mask = (1 << (middle + 1).ilog2()) - 1;
        let back = self.small(mask);
        let back = self.signed_back(back);
        let read = self.make.read(Place::variable(pointer).at(back), ty);
        let wide = self.choices.one_of(&[LONG, INT, ULONG]);
        self.result(body, results, wide, read);
        let constant = self.make.constant(INT.scalar(), -i128::from(middle));
        let read = self.make.read(Place::variable(pointer).at(constant), ty);
        self.result(body, results, wide, read);
        let by = self.expr(1);
        let place = Place::variable(pointer).at(self.make.constant(INT.scalar(), -1));
        let op = self.choices.one_of(&ARITHMETIC);
        body.push(self.make.compound(place, ty, op, by));
        let last = self.make.uint(middle - 1);
        let read = self.make.read(Place::variable(array).at(last), ty);
        self.result(body, results, wide, read);
    }

    /// The negative of a small number, in a signed type.
    fn signed_back(&mut self, small: Expr) -> Expr {
        let ty = self.choices.one_of(&[INT, LONG, SHORT, CHAR]).scalar();
        let number = self.make.cast(ty, small);
        let promoted = ty.of.promoted().scalar();
        self.make.expr(promoted, Kind::Negate(number.into()))
    }

    /// `for (uint i = 0; i < count; i++)`.
    pub(in super::super) fn count_to(&mut self, i: VarId, count: u32, body: Vec<Stmt>) -> Stmt {
        let seen = self.make.variable(i, UINT.scalar());
        let goes_on = self.make.compared(seen, Comparison::Less, count.into());
        Stmt::For(For {
            variable: i,
            first: self.make.uint(0),
            goes_on,
            next: (Arithmetic::Add, self.make.uint(1)),
            body,
        })
    }

    /// A structure that is filled, copied, changed through a pointer, and passed by value.
    fn structure(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let fields = (0..self.choices.between(2, 4)).map(|_| {
            let length = self.choices.one_of(&[0usize, 0, 3]);
            let lanes = if length == 0 {
                self.choices.one_of(&[1, 1, 1, 4])
            } else {
                1
            };
            (self.integer().vector(lanes), length)
        });
        let fields: Vec<(Type, usize)> = fields.collect();
        let n = self.program.structs.len();
        self.program.structs.push(Struct {
            fields: fields.clone(),
        });
        let [one, two] = [(); 2].map(|()| self.variable(Shape::Struct(n)));
        body.push(Stmt::Declare(one, None));
        let mut places = Vec::new();
        for (field, (ty, length)) in fields.into_iter().enumerate() {
            let place = Place::variable(one).then(Step::Field(field));
            for at in 0..length.max(1) {
                let place = match length {
                    0 => place.clone(),
                    _ => place.clone().at(self.make.uint(at as u32)),
                };
                let value = if ty.lanes == 1 {
                    let value = self.expr(1);
                    self.make.implicit(ty, value)
                } else {
                    self.vector(ty)
                };
                body.push(Stmt::Assign(place.clone(), value));
                places.push((place, ty));
            }
        }
        let (from, to) = (Place::variable(one), Place::variable(two));
        match self.choices.below(3) {
            0 => body.push(Stmt::Declare(two, Some(Init::Whole(from)))),
            1 => body.extend([Stmt::Declare(two, None), Stmt::Copy(to, from)]),
            _ => {
                let function = self.by_value(n);
                let number = self.expr(1);
                let number = self.make.implicit(ULONG.scalar(), number);
                let arguments = vec![Argument::Whole(from), Argument::Number(number)];
                body.extend([
                    Stmt::Declare(two, None),
                    Stmt::Call(function, arguments, Some(to)),
                ]);
            }
        }
        self.among_others(body, results, n, two);
        let pointer = self.variable(Shape::ToStruct(Region::Private, n));
        let target = Target::To(Place::variable(two));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let through = self.choices.below(places.len());
        for (at, (place, ty)) in places.into_iter().enumerate() {
            let mut path = vec![Step::Index(self.make.uint(0))];
            path.extend(place.path.clone());
            let pointed = Place {
                root: Root::Variable(pointer),
                path,
            };
            let copied = Place {
                root: Root::Variable(two),
                path: place.path.clone(),
            };
            if at == through && ty.lanes == 1 {
                let by = self.expr(1);
                let op = self.choices.one_of(&ARITHMETIC);
                body.push(self.make.compound(pointed.clone(), ty, op, by));
            }
            let lane =
                (ty.lanes > 1).then(|| Step::Lane(self.choices.below(usize::from(ty.lanes)) as u8));
            for place in [
                place,
                if self.choices.percent(50) {
                    copied
                } else {
                    pointed
                },
            ] {
                let place = lane.clone().into_iter().fold(place, Place::then);
                results.push(self.make.read(place, ty.of.scalar()));
            }
        }
    }

    /// A structure in the middle of an array of them, read by a pointer that leads behind it.
    fn among_others(&mut self, body: &mut Vec<Stmt>, results: &mut Results, n: usize, of: VarId) {
        let many = self.variable(Shape::Structs(n, 3));
        let [middle, last] = [1, 2].map(|at| Place::variable(many).at(self.make.uint(at)));
        body.push(Stmt::Declare(many, None));
        body.push(Stmt::Copy(middle, Place::variable(of)));
        let pointer = self.variable(Shape::ToStruct(Region::Private, n));
        let target = Init::Pointer(Target::To(last));
        body.push(Stmt::Declare(pointer, Some(target)));
        let field = self.choices.below(self.program.structs[n].fields.len());
        let (ty, length) = self.program.structs[n].fields[field];
        let before = self.make.constant(INT.scalar(), -1);
        let mut place = Place::variable(pointer).at(before).then(Step::Field(field));
        if length > 0 {
            place = place.at(self.make.uint(length as u32 - 1));
        }
        if ty.lanes > 1 {
            place = place.then(Step::Lane(ty.lanes - 1));
        }
        results.push(self.make.read(place, ty.of.scalar()));
    }

    /// A function that is given a structure by value, changes its own, and gives that.
    fn by_value(&mut self, n: usize) -> usize {
        let unit = self.function.unit;
        let around = (
            std::mem::replace(&mut self.function, Function::new("")),
            std::mem::take(&mut self.sources),
        );
        self.begin(&format!("changed{n}"), false);
        (self.function.unit, self.function.internal) = (unit, true);
        self.function.gives = Some(Shape::Struct(n));
        let given = self.parameter("given", Shape::Struct(n));
        self.number_parameter("a", ULONG.scalar());
        let mut body = Vec::new();
        for (field, (ty, length)) in self.program.structs[n]
            .fields
            .clone()
            .into_iter()
            .enumerate()
        {
            let place = Place::variable(given).then(Step::Field(field));
            let place = match length {
                0 => place,
                _ => place.at(self.make.uint(length as u32 - 1)),
            };
            if ty.lanes == 1 {
                let by = self.expr(1);
                body.push(self.make.compound(place, ty, Arithmetic::Xor, by));
            }
        }
        body.push(Stmt::Return(Some(Argument::Whole(Place::variable(given)))));
        let function = self.end(body);
        (self.function, self.sources) = around;
        function
    }

    /// A table in constant memory.
    fn table(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.integer().scalar();
        let values = (0..8).map(|_| {
            let number = self.number(ty.of);
            ty.value(number)
        });
        let values = values.collect();
        let n = self.program.tables.len();
        self.program.tables.push(Table { ty, values });
        for _ in 0..2 {
            let index = self.small(7);
            let place = Place {
                root: Root::Table(n),
                path: vec![Step::Index(index)],
            };
            let read = self.make.read(place, ty);
            let wide = self.choices.one_of(&[LONG, INT, ULONG, UINT]);
            self.result(body, results, wide, read);
        }
        let middle = self.make.uint(4);
        let target = Target::To(Place {
            root: Root::Table(n),
            path: vec![Step::Index(middle)],
        });
        let pointer = self.variable(Shape::Pointer(Region::Constant, ty));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let back = self.small(3);
        let back = self.signed_back(back);
        let read = self.make.read(Place::variable(pointer).at(back), ty);
        self.result(body, results, LONG, read);
    }
}
