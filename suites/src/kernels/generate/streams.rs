//! Kernels as most programs have them: of many work-items each computes one element of arrays, where a condition on its
//! id, on a length or on what it reads lets it; the elements of the others stay as they were.

use super::builder::CaseBuilder;
use super::computed::{Author, buffer, numbers, wanted};
use super::joined;
use crate::choices::Choices;
use crate::kernels::case::{Arg, KernelCase, Launch, Range};
use crate::kernels::code::number::*;
use crate::kernels::code::run::{Given, Machine};
use crate::kernels::code::write::write;
use crate::kernels::code::*;
use crate::rule::{self, RuleId};

/// The most work-items of a launch.
const MOST: u64 = 1200;

/// A kernel, its launch, and what its buffers are of.
struct Stream {
    name: String,
    range: Range,
    output: Integer,
    inputs: Vec<Integer>,
    /// The value of its parameter `length`.
    length: u64,
}

/// What the body of a kernel is written of.
struct Body<'a, 'c> {
    author: &'a mut Author<'c>,
    /// Elements of each array, one a work-item.
    items: u64,
    /// The element that a work-item is about: a `uint`.
    own: VarId,
    to: VarId,
    output: Integer,
    /// The arrays that are read.
    from: Vec<(VarId, Integer)>,
    /// The length, as a parameter.
    length: VarId,
    /// The value of the parameter: close to the number of elements, or to a multiple of what devices run at once.
    value: u64,
    /// Which element each work-item writes.
    writes: Moved,
}

/// An element that each of so many work-items has to itself.
#[derive(Debug, Clone, Copy)]
enum Moved {
    /// Its own number's.
    Own,
    /// As far from the end as its own is from the beginning.
    Back,
    /// Its neighbour's, of pairs.
    Neighbour,
    /// So many on, those at the end at the beginning.
    On(u64),
}

/// A case of some such kernels.
pub fn streams(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("each of many work-items computes an element, where it is let");
    let often = choices.percent(40);
    let mut author = Author::new(choices);
    let all: Vec<Stream> = (0..author.choices.between(2, 4))
        .map(|n| kernel(&mut author, &format!("stream{n}")))
        .collect();
    let program = author.program;
    let seed = author.choices.below(1 << 30) as u64;
    let mut machine = Machine::new(&program);
    let mut launched = Vec::new();
    for (n, stream) in all.iter().enumerate() {
        let items = stream.range.items() as usize;
        let before = numbers(stream.output, items, seed + 100 * n as u64);
        let inputs: Vec<Vec<Value>> = (1..)
            .zip(&stream.inputs)
            .map(|(number, of)| numbers(*of, items, seed + 100 * n as u64 + number))
            .collect();
        let to = machine.buffer(before.clone());
        let mut given = vec![Given::Buffer(to)];
        given.extend(
            inputs
                .iter()
                .map(|input| machine.buffer(input.clone()))
                .map(Given::Buffer),
        );
        given.push(Given::Number(UINT.scalar().value(stream.length.into())));
        if machine.launch(&stream.name, &given, &stream.range).is_ok() {
            launched.push((stream, before, inputs, to));
        }
    }
    case.case.source = write(&program, machine.guarded()).concat();
    let rules: [RuleId; 4] = [
        rule::C_STATEMENTS,
        rule::C_OPERATORS,
        rule::C_CONVERSIONS,
        rule::ND_GLOBAL_ID,
    ];
    for (stream, before, inputs, to) in launched {
        let result = buffer(&mut case, stream.output, &before);
        let mut args = vec![Arg::Object(result)];
        for (of, input) in stream.inputs.iter().zip(&inputs) {
            args.push(Arg::Object(buffer(&mut case, *of, input)));
        }
        args.push(Arg::Uint(stream.length as u32));
        case.run(Launch {
            times: if often {
                joined::times(&stream.range)
            } else {
                1
            },
            ..Launch::new(stream.name.clone(), args, stream.range.clone())
        });
        let name = format!("what {} left", stream.name);
        case.look(
            result,
            &rules,
            &name,
            wanted(stream.output, &machine.contents(to)),
        );
    }
    case.case
}

/// Work-items in a line or in rows, in groups of a size or of whatever size.
fn range(choices: &mut Choices) -> Range {
    let local = choices.one_of(&[16u64, 32, 64, 48, 100, 8, 7]);
    let items = local * choices.between(1, (MOST / local) as usize) as u64;
    match choices.below(8) {
        0 | 1 => Range {
            global: vec![choices.between(1, MOST as usize) as u64],
            ..Range::default()
        },
        2 => Range::new(vec![16, items.div_ceil(16)], vec![16, 1]),
        3 => Range::new(
            vec![
                8 * choices.between(1, 4) as u64,
                4 * choices.between(1, 9) as u64,
            ],
            vec![8, 4],
        ),
        _ => Range::line(items, local),
    }
}

fn kernel(author: &mut Author<'_>, name: &str) -> Stream {
    author.begin(name, true);
    let range = range(author.choices);
    let items = range.items();
    let output = author.integer();
    let to = author.parameter("to", Shape::Pointer(Region::Global, output.scalar()));
    let from: Vec<(VarId, Integer)> = (0..author.choices.between(1, 3))
        .map(|n| {
            let of = author.integer();
            let shape = Shape::Pointer(Region::GlobalConst, of.scalar());
            (author.parameter(&format!("from{n}"), shape), of)
        })
        .collect();
    let length = author.number_parameter("length", UINT.scalar());
    let value = near(author.choices, items);
    let mut body = Vec::new();
    let index = author.linear_id(range.global.len() as u32);
    let own = author.declare(&mut body, UINT.scalar(), index);
    let inputs = from.iter().map(|(_, of)| *of).collect();
    let writes = moved(author.choices, items);
    let mut writer = Body {
        author,
        items,
        own,
        to,
        output,
        from,
        length,
        value,
        writes,
    };
    writer.guarded(&mut body);
    author.end(body);
    Stream {
        name: name.into(),
        range,
        output,
        inputs,
        length: value,
    }
}

/// A length of so many elements at most: all, one less, about a multiple of what devices run at once, or any.
fn near(choices: &mut Choices, items: u64) -> u64 {
    let rows = 16 * choices.below((items / 16 + 1) as usize) as u64;
    let length = match choices.below(8) {
        0 => items,
        1 => items - 1,
        2 => rows + 15,
        3 => rows + 1,
        4 => rows,
        5 => 1,
        _ => choices.below(items as usize + 1) as u64,
    };
    length.min(items)
}

fn moved(choices: &mut Choices, items: u64) -> Moved {
    match choices.below(6) {
        0 => Moved::Back,
        1 if items.is_multiple_of(2) => Moved::Neighbour,
        2 => Moved::On(choices.below(items as usize) as u64),
        _ => Moved::Own,
    }
}

impl Body<'_, '_> {
    /// The work of a work-item, where it is let.
    fn guarded(&mut self, body: &mut Vec<Stmt>) {
        let early = self.author.choices.percent(25);
        let Some(condition) = self.guard() else {
            return self.work(body);
        };
        if early {
            let not = self
                .author
                .make
                .expr(INT.scalar(), Kind::Not(condition.into()));
            body.push(Stmt::If(not, vec![Stmt::Return(None)], Vec::new()));
            return self.work(body);
        }
        let then = self.block();
        let otherwise = match self.author.choices.below(3) {
            0 => self.block(),
            _ => Vec::new(),
        };
        body.push(Stmt::If(condition, then, otherwise));
    }

    /// Work in a block of its own.
    fn block(&mut self) -> Vec<Stmt> {
        let known = self.author.sources.len();
        let mut inside = Vec::new();
        self.work(&mut inside);
        self.author.sources.truncate(known);
        inside
    }

    /// What a work-item's own number meets, or its element of an array; none for all work-items.
    fn guard(&mut self) -> Option<Expr> {
        use Comparison::*;
        let number = self.index();
        let make = &mut self.author.make;
        let condition = match self.author.choices.below(10) {
            0..=2 => {
                let length = make.variable(self.length, UINT.scalar());
                make.comparison(Less, number, length)
            }
            3 => make.compared(number, Less, self.value.into()),
            4 => {
                // All but those at the edges.
                let high = self.index();
                let make = &mut self.author.make;
                let low = make.compared(number, Greater, 0);
                let high = make.compared(high, LessOrEqual, self.value as i128 - 1);
                make.and(low, high)
            }
            5 => {
                let of = self.author.choices.between(2, 17) as i128;
                let is = self.author.choices.below(of as usize) as i128;
                let op = self.author.choices.one_of(&[Equal, Unequal, Less]);
                let make = &mut self.author.make;
                let class = make.with(number, Arithmetic::Remainder, of);
                make.compared(class, op, is)
            }
            6 | 7 => {
                let (element, of) = self.element();
                let number = self.author.number(of);
                let op = self.author.choices.one_of(&COMPARISONS);
                self.author.make.compared(element, op, number)
            }
            8 => {
                let (element, of) = self.element();
                let make = &mut self.author.make;
                let class = make.with(element, Arithmetic::And, 1);
                let odd = make.compared(class, Equal, 1);
                let length = make.constant(UINT.scalar(), of.bits.into());
                let far = make.comparison(GreaterOrEqual, number, length);
                make.and(far, odd)
            }
            _ => return None,
        };
        Some(condition)
    }

    /// The work-item's own number.
    fn index(&mut self) -> Expr {
        self.author.make.variable(self.own, UINT.scalar())
    }

    /// A place that each work-item has to itself.
    fn place(&mut self, moved: Moved) -> Expr {
        let items = i128::from(self.items);
        let own = self.index();
        let make = &mut self.author.make;
        match moved {
            Moved::Own => own,
            Moved::Back => {
                let last = make.constant(UINT.scalar(), items - 1);
                make.arithmetic(Arithmetic::Subtract, last, own)
            }
            Moved::Neighbour => make.with(own, Arithmetic::Xor, 1),
            Moved::On(by) => {
                let far = make.with(own, Arithmetic::Add, by.into());
                make.with(far, Arithmetic::Remainder, items)
            }
        }
    }

    /// Any place.
    fn anywhere(&mut self) -> Expr {
        let items = i128::from(self.items);
        let own = self.index();
        let make = &mut self.author.make;
        let index = match self.author.choices.below(8) {
            0 => {
                let by = self.author.choices.one_of(&[1, items - 1, 2, 16]);
                self.author.make.with(own, Arithmetic::Add, by)
            }
            1 => {
                let by = self.author.choices.one_of(&[2, 3, 5, 16, 17]);
                self.author.make.with(own, Arithmetic::Multiply, by)
            }
            2 => return make.with(own, Arithmetic::Divide, 2),
            3 => return make.uint(self.author.choices.below(self.items as usize) as u32),
            4 => {
                // Where what it reads leads.
                let own = self.index();
                let (element, _) = self.at(own);
                self.author.make.cast(UINT.scalar(), element)
            }
            _ => {
                let moved = moved(self.author.choices, self.items);
                return self.place(moved);
            }
        };
        self.author.make.with(index, Arithmetic::Remainder, items)
    }

    /// An element of some array at a place.
    fn at(&mut self, index: Expr) -> (Expr, Integer) {
        let number = self.author.choices.below(self.from.len());
        let (from, of) = self.from[number];
        let place = Place::variable(from).at(index);
        (self.author.make.read(place, of.scalar()), of)
    }

    /// An element of some array, somewhere.
    fn element(&mut self) -> (Expr, Integer) {
        let index = self.anywhere();
        self.at(index)
    }

    /// Reads, computes, and writes one element.
    fn work(&mut self, body: &mut Vec<Stmt>) {
        for _ in 0..self.author.choices.between(1, 3) {
            let (element, of) = self.element();
            self.author.declare(body, of.scalar(), element);
        }
        let ty = self.output.scalar();
        let value = match self.author.choices.below(6) {
            0 | 1 => self.summed(body),
            2 => self.branched(body),
            _ => self.author.expr(2),
        };
        let value = self.author.make.implicit(ty, value);
        // Whichever way work-items go, no two write one element.
        let place = Place::variable(self.to).at(self.place(self.writes));
        body.push(Stmt::Assign(place, value));
    }

    /// A number that each side of a branch gives another value.
    fn branched(&mut self, body: &mut Vec<Stmt>) -> Expr {
        let ty = self.output.scalar();
        let first = self.author.leaf();
        let result = self.author.declare(body, ty, first);
        let condition = match self.guard() {
            Some(condition) if self.author.choices.percent(60) => condition,
            _ => self.author.truth(2),
        };
        let sides = [2, 1].map(|depth| {
            let value = self.author.expr(depth);
            let value = self.author.make.implicit(ty, value);
            vec![Stmt::Assign(Place::variable(result), value)]
        });
        let [then, otherwise] = sides;
        let otherwise = match self.author.choices.percent(70) {
            true => otherwise,
            false => Vec::new(),
        };
        body.push(Stmt::If(condition, then, otherwise));
        self.author.make.variable(result, ty)
    }

    /// A sum of elements that follow each other, of so many as the work-item's number or what it reads says.
    fn summed(&mut self, body: &mut Vec<Stmt>) -> Expr {
        use Arithmetic::*;
        let uint = UINT.scalar();
        let ty = self.output.unsigned().scalar();
        let first = self.author.leaf();
        let sum = self.author.declare(body, ty, first);
        let most = self.author.choices.one_of(&[3, 4, 7, 12]);
        let own = self.index();
        let bound = match self.author.choices.below(3) {
            0 => self.author.make.constant(uint, most),
            1 => self.author.make.with(own, Remainder, most),
            _ => {
                let (element, _) = self.at(own);
                let element = self.author.make.cast(uint, element);
                self.author.make.with(element, Remainder, most)
            }
        };
        let bound = self.author.declare(body, uint, bound);
        let k = self.author.variable(Shape::Number(uint));
        let apart = self.author.choices.one_of(&[1, 1, 2, 16]);
        let (own, turn) = (self.index(), self.author.make.variable(k, uint));
        let make = &mut self.author.make;
        let far = make.with(turn, Multiply, apart);
        let index = make.arithmetic(Add, own, far);
        let index = make.with(index, Remainder, self.items.into());
        let (element, _) = self.at(index);
        let op = self
            .author
            .choices
            .one_of(&[Add, Add, Xor, Subtract, Multiply]);
        let by = self.author.make.cast(ty, element);
        let adds = self.author.make.compound(Place::variable(sum), ty, op, by);
        let make = &mut self.author.make;
        let mut inside = vec![adds];
        if self.author.choices.percent(30) {
            // It goes no further behind some number.
            let now = make.variable(sum, ty);
            let far = make.with(now, And, 7);
            let enough = make.compared(far, Comparison::Equal, 5);
            let leaves = self.author.choices.one_of(&[true, false]);
            let leave = if leaves { Stmt::Break } else { Stmt::Continue };
            inside.push(Stmt::If(enough, vec![leave], Vec::new()));
            let one = self.author.make.constant(ty, 1);
            inside.push(
                self.author
                    .make
                    .compound(Place::variable(sum), ty, Add, one),
            );
        }
        let make = &mut self.author.make;
        let [turn, bound] = [k, bound].map(|id| make.variable(id, uint));
        let goes_on = make.comparison(Comparison::Less, turn, bound);
        body.push(Stmt::For(For {
            variable: k,
            first: make.uint(0),
            goes_on,
            next: (Add, make.uint(1)),
            body: inside,
        }));
        make.variable(sum, ty)
    }
}
