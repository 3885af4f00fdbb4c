//! Pieces about objects: structures, arrays, tables, and pointers into them.

use super::author::Author;
use super::pieces::Results;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

impl Author<'_> {
    /// Structures, arrays, tables, and pointers into them.
    pub(super) fn memory(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        match self.choices.below(11) {
            0 | 1 => self.array(body, results),
            10 => self.found_once(body, results),
            2..=5 => self.structure(body, results),
            6 => self.table(body, results),
            7 => self.grid(body, results),
            _ => self.fresh(body, results),
        }
    }

    /// An array that is filled in a loop and read through a pointer into its middle, before and behind it.
    fn array(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.element_type();
        let length = self.choices.one_of(&[4u32, 8, 5, 16]);
        let array = self.variable(Shape::Array(ty, length as usize));
        body.push(Stmt::Declare(array, None));
        let i = self.variable(Shape::Number(UINT.scalar()));
        let (index, value) = (self.make.variable(i, UINT.scalar()), self.leaf());
        let (factor, counted) = (self.number(UINT), self.make.variable(i, UINT.scalar()));
        let factor = self.make.uint(factor as u32);
        let product = self.make.arithmetic(Arithmetic::Multiply, counted, factor);
        let value = match ty.lanes {
            1 => {
                let value = self.make.arithmetic(Arithmetic::Add, value, product);
                self.make.implicit(ty, value)
            }
            lanes => {
                let (vector, product) = (self.vector(ty), self.make.cast(ty.of.scalar(), product));
                let product = self.make.spread(lanes, product);
                self.make.arithmetic(Arithmetic::Add, vector, product)
            }
        };
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
        let read = self.scalar_in(Place::variable(pointer).at(back), ty);
        let wide = self.choices.one_of(&[LONG, INT, ULONG]);
        self.result(body, results, wide, read);
        let constant = self.make.constant(INT.scalar(), -i128::from(middle));
        let read = self.scalar_in(Place::variable(pointer).at(constant), ty);
        self.result(body, results, wide, read);
        let by = match ty.lanes {
            1 => self.expr(1),
            _ => self.scalar_for(ty),
        };
        let place = Place::variable(pointer).at(self.make.constant(INT.scalar(), -1));
        let op = self.choices.one_of(&ARITHMETIC);
        body.push(self.make.compound(place, ty, op, by));
        let last = self.make.uint(middle - 1);
        let read = self.scalar_in(Place::variable(array).at(last), ty);
        self.result(body, results, wide, read);
        if self.choices.percent(50) {
            self.pointers_apart(body, results, (array, pointer), (ty, length));
        }
        if ty.lanes == 1 && self.choices.percent(50) {
            self.pointer_to_pointer(body, results, (array, pointer), ty);
        }
    }

    /// A number that lies somewhere, or a lane of a vector.
    fn scalar_in(&mut self, place: Place, ty: Type) -> Expr {
        let lane = self.choices.below(usize::from(ty.lanes)) as u8;
        let place = match ty.lanes {
            1 => place,
            _ => place.then(Step::Lane(lane)),
        };
        self.make.read(place, ty.of.scalar())
    }

    /// How far pointers into an array are from each other, either way, and which is before the other.
    fn pointers_apart(
        &mut self,
        body: &mut Vec<Stmt>,
        results: &mut Results,
        (array, middle): (VarId, VarId),
        (ty, length): (Type, u32),
    ) {
        // Right behind the last element is as good as in the array.
        let most = 1 << length.ilog2();
        let at = match self.choices.percent(20) {
            true => self.make.uint(length),
            false => self.small(most - 1),
        };
        let other = self.variable(Shape::Pointer(Region::Private, ty));
        let target = Target::To(Place::variable(array).at(at));
        body.push(Stmt::Declare(other, Some(Init::Pointer(target))));
        let pair = [middle, other];
        let turned = self.choices.percent(50);
        let [one, other] = if turned { [pair[1], pair[0]] } else { pair };
        let distance = self.make.expr(LONG.scalar(), Kind::Distance(one, other));
        let wide = self.choices.one_of(&[LONG, INT, SHORT]);
        self.result(body, results, wide, distance);
        let op = self.choices.one_of(&COMPARISONS);
        let beside = self.make.expr(INT.scalar(), Kind::Beside(op, one, other));
        self.result(body, results, INT, beside);
    }

    /// Elements of an array that are changed where counting leads: each is found once, so the count goes on by one.
    fn found_once(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        // Of these types every result is defined, and the place need not be written a second time.
        let ty = self.choices.one_of(&[UINT, ULONG]).scalar();
        let length = self.choices.one_of(&[4u32, 8, 16]);
        let array = self.variable(Shape::Array(ty, length as usize));
        let first = self.some_numbers(Shape::Array(ty, length as usize));
        body.push(Stmt::Declare(array, Some(first)));
        let first = self.small(length - 1);
        let count = self.declare(body, UINT.scalar(), first);
        // Nothing beside what changes it reads it.
        self.sources.pop();
        for _ in 0..self.choices.between(2, 4) {
            let counted = Kind::Post(Place::variable(count), self.choices.percent(60));
            let counted = self.make.expr(UINT.scalar(), counted);
            let index = self
                .make
                .with(counted, Arithmetic::And, (length - 1).into());
            let place = Place::variable(array).at(index);
            if self.choices.percent(20) {
                body.push(Stmt::Step(place, self.choices.percent(50)));
                continue;
            }
            use Arithmetic::*;
            let op = self
                .choices
                .one_of(&[Add, Xor, Subtract, Or, And, Multiply]);
            let by = self.expr(1);
            let by = self.make.cast(ty, by);
            body.push(self.make.compound(place, ty, op, by));
        }
        results.push(self.make.variable(count, UINT.scalar()));
        let sum = self.sum(body);
        self.fold(body, sum, Place::variable(array));
        results.push(self.make.variable(sum, ULONG.scalar()));
    }

    /// The pointer through one that leads to it, before and after it is moved back by one.
    fn pointer_to_pointer(
        &mut self,
        body: &mut Vec<Stmt>,
        results: &mut Results,
        (array, pointer): (VarId, VarId),
        ty: Type,
    ) {
        let to = self.variable(Shape::ToPointer(Region::Private, ty));
        let target = Target::To(Place::variable(pointer));
        body.push(Stmt::Declare(to, Some(Init::Pointer(target))));
        let through = |author: &mut Self, at: i128| {
            let (follow, index) = (author.make.uint(0), author.make.constant(INT.scalar(), at));
            Place::variable(to).at(follow).at(index)
        };
        let (place, by) = (through(self, -1), self.expr(1));
        body.push(self.make.compound(place, ty, Arithmetic::Add, by));
        let back = self.make.constant(INT.scalar(), -1);
        body.push(Stmt::Point(pointer, Target::From(pointer, Some(back))));
        let place = through(self, 0);
        let read = self.make.read(place, ty);
        self.result(body, results, LONG, read);
        let (place, value) = (through(self, 1), self.leaf());
        let value = self.make.implicit(ty, value);
        body.push(Stmt::Assign(place, value));
        let sum = self.sum(body);
        self.fold(body, sum, Place::variable(array));
        results.push(self.make.variable(sum, ULONG.scalar()));
    }

    /// An array of arrays that is filled in loops, and a pointer into one of its rows.
    fn grid(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let ty = self.integer().scalar();
        let (rows, columns) = (
            self.choices.between(2, 4),
            self.choices.one_of(&[2usize, 3, 4, 7]),
        );
        let grid = self.variable(Shape::Grid(ty, rows, columns));
        body.push(Stmt::Declare(grid, None));
        let uint = UINT.scalar();
        let [i, j] = [(); 2].map(|()| self.variable(Shape::Number(uint)));
        let [row, column, first, second] = [i, j, i, j].map(|id| self.make.variable(id, uint));
        let product = self.make.with(first, Arithmetic::Multiply, 17);
        let number = self.make.arithmetic(Arithmetic::Add, product, second);
        let leaf = self.leaf();
        let value = self.make.arithmetic(Arithmetic::Xor, leaf, number);
        let value = self.make.implicit(ty, value);
        let fill = Stmt::Assign(Place::variable(grid).at(row).at(column), value);
        let inner = self.count_to(j, columns as u32, vec![fill]);
        body.push(self.count_to(i, rows as u32, vec![inner]));
        let (at, last) = (self.choices.below(rows) as u32, columns as u32 - 1);
        let [row, end] = [at, last].map(|n| self.make.uint(n));
        let pointer = self.variable(Shape::Pointer(Region::Private, ty));
        let target = Target::To(Place::variable(grid).at(row).at(end));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let back = self.make.constant(INT.scalar(), -i128::from(last));
        let (place, by) = (Place::variable(pointer).at(back), self.expr(1));
        let op = self.choices.one_of(&ARITHMETIC);
        body.push(self.make.compound(place, ty, op, by));
        let sum = self.sum(body);
        self.fold(body, sum, Place::variable(grid));
        results.push(self.make.variable(sum, ULONG.scalar()));
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

    /// A table in constant memory; one that a byte can lead to every element of is read at bytes that are not widened.
    fn table(&mut self, body: &mut Vec<Stmt>, results: &mut Results) {
        let of_bytes = self.choices.percent(40);
        let ty = match of_bytes {
            true => self.choices.one_of(&[UCHAR, SHORT, INT, UINT]).scalar(),
            false => self.element_type(),
        };
        let half = if of_bytes { 128 } else { 4 };
        let values = (0..2 * half).map(|_| {
            let numbers: Vec<i128> = (0..ty.lanes).map(|_| self.number(ty.of)).collect();
            ty.each(|n| ty.of.wrap(numbers[n]))
        });
        let values = values.collect();
        let n = self.program.tables.len();
        self.program.tables.push(Table {
            ty,
            values,
            left_out: false,
        });
        for _ in 0..2 {
            let index = match of_bytes {
                true => self.byte(UCHAR),
                false => self.small(7),
            };
            let place = Place {
                root: Root::Table(n),
                path: vec![Step::Index(index)],
            };
            let read = self.scalar_in(place, ty);
            let wide = self.choices.one_of(&[LONG, INT, ULONG, UINT]);
            self.result(body, results, wide, read);
        }
        let middle = self.make.uint(half);
        let target = Target::To(Place {
            root: Root::Table(n),
            path: vec![Step::Index(middle)],
        });
        let pointer = self.variable(Shape::Pointer(Region::Constant, ty));
        body.push(Stmt::Declare(pointer, Some(Init::Pointer(target))));
        let apart = match of_bytes {
            true => self.byte(CHAR),
            false => {
                let back = self.small(3);
                self.signed_back(back)
            }
        };
        let read = self.scalar_in(Place::variable(pointer).at(apart), ty);
        self.result(body, results, LONG, read);
    }

    /// Any number of a type of bytes, and half of the time one with the highest bit.
    fn byte(&mut self, of: Integer) -> Expr {
        let mut number = self.expr(1);
        if self.choices.percent(50) {
            let number = &mut number;
            *number = self.make.with(number.clone(), Arithmetic::Or, 128);
        }
        self.make.cast(of.scalar(), number)
    }
}
