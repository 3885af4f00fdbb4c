//! Programs of OpenCL C as data: what their text is ([`write`]), and what they compute ([`run`]).
//!
//! The language here is a part of OpenCL C: integers and vectors of them, the bits of `float`s, arrays, structures,
//! pointers, functions, loops, switches and barriers. [`run`] is written from the specification's text and proves of
//! each program that nothing in a launch of it is undefined or left to the implementation: no race, no
//! access beyond an object, no value that was never set, no barrier that only some work-items reach. What
//! it finds in arithmetic and conversions alone has a form that is always defined ([`Expr::id`]), which
//! takes its place in the text.

pub mod builtin;
pub mod judged;
pub mod make;
pub mod needed;
pub mod number;
pub mod real;
pub mod run;
pub mod write;

use crate::kernels::math::format::Format;
use builtin::Builtin;
use number::{Arithmetic, Comparison, Type, Value};
use real::Real;

/// A program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Structure types, `struct s0` and so on.
    pub structs: Vec<Struct>,
    /// Tables in constant memory, `table0` and so on.
    pub tables: Vec<Table>,
    /// Functions, each after those that it calls.
    pub functions: Vec<Function>,
}

/// A structure type: its fields, `f0` and so on, each a number, an array, a structure or several.
#[derive(Debug, Clone, Default)]
pub struct Struct {
    /// What each is.
    pub fields: Vec<Shape>,
    /// The bytes of which its places are a multiple at least, as an attribute says ("Specifying Attributes of Types",
    /// `aligned`); a power of two.
    pub aligned: Option<usize>,
    /// The same of each field ("Specifying Attributes of Variables", `aligned`); none of those beyond the list.
    pub places: Vec<Option<usize>>,
    /// Its fields lie at any places, without bytes between them; what is inside of them is as it is elsewhere ("Specifying
    /// Attributes of Types", `packed`).
    pub packed: bool,
}

impl Struct {
    /// Whether an attribute says where it or one of its fields lies.
    pub fn is_aligned(&self) -> bool {
        self.aligned.is_some() || self.places.iter().any(Option::is_some)
    }
}

/// A part of an array or a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A field of a structure.
    Field(usize),
    /// An element of an array.
    Element(usize),
}

impl Program {
    /// Numbers and pointers that something of a shape has.
    pub fn cells(&self, shape: Shape) -> usize {
        match shape {
            Shape::Number(_) | Shape::Pointer(..) | Shape::ToStruct(..) | Shape::ToPointer(..) => 1,
            Shape::Array(_, length) => length,
            Shape::Grid(_, rows, columns) => rows * columns,
            Shape::Struct(n) => self.offset(n, self.structs[n].fields.len()),
            Shape::Structs(n, length) => length * self.cells(Shape::Struct(n)),
        }
    }

    /// Where a field of a structure begins: behind so many numbers.
    pub fn offset(&self, of: usize, field: usize) -> usize {
        let before = self.structs[of].fields.iter().take(field);
        before.map(|shape| self.cells(*shape)).sum()
    }

    /// The bytes that something has in memory, and its alignment ("Alignment of Data Types").
    pub fn bytes(&self, of: Shape) -> (usize, usize) {
        let number = |ty: Type| (ty.bytes(), ty.bytes());
        let times = |(bytes, align): (usize, usize), count: usize| (bytes * count, align);
        match of {
            Shape::Number(ty) => number(ty),
            Shape::Array(ty, length) => times(number(ty), length),
            Shape::Grid(ty, rows, columns) => times(number(ty), rows * columns),
            Shape::Structs(n, length) => times(self.bytes(Shape::Struct(n)), length),
            Shape::Struct(n) => {
                let Struct {
                    fields, aligned, ..
                } = &self.structs[n];
                let aligns = (0..fields.len()).map(|field| self.field_bytes(n, field).1);
                let align = aligns.chain(*aligned).max().unwrap_or(1);
                let end = self.bytes_before(n, fields.len());
                (end.next_multiple_of(align), align)
            }
            Shape::Pointer(..) | Shape::ToStruct(..) | Shape::ToPointer(..) => (8, 8),
        }
    }

    /// The bytes that a field of a structure has, and its alignment there.
    fn field_bytes(&self, of: usize, field: usize) -> (usize, usize) {
        let of = &self.structs[of];
        let (bytes, align) = self.bytes(of.fields[field]);
        let place = of.places.get(field).copied().flatten().unwrap_or(1);
        (bytes, if of.packed { 1 } else { align.max(place) })
    }

    /// Behind how many bytes of a structure a field begins; of a number that no field has, where the last one ends.
    pub fn bytes_before(&self, of: usize, field: usize) -> usize {
        let mut end = 0usize;
        for n in 0..self.structs[of].fields.len() {
            let (size, align) = self.field_bytes(of, n);
            let begin = end.next_multiple_of(align);
            if n == field {
                return begin;
            }
            end = begin + size;
        }
        end
    }

    /// A part of something, and behind how many of its numbers it begins.
    pub fn part(&self, of: Shape, part: Part) -> Option<(Shape, usize)> {
        let (shape, at) = match (of, part) {
            (Shape::Struct(n), Part::Field(field)) => {
                let shape = *self.structs.get(n)?.fields.get(field)?;
                return Some((shape, self.offset(n, field)));
            }
            (Shape::Array(ty, length), Part::Element(at)) if at < length => (Shape::Number(ty), at),
            (Shape::Grid(ty, rows, columns), Part::Element(at)) if at < rows => {
                (Shape::Array(ty, columns), at)
            }
            (Shape::Structs(n, length), Part::Element(at)) if at < length => (Shape::Struct(n), at),
            _ => return None,
        };
        Some((shape, at * self.cells(shape)))
    }

    /// The numbers of something, each by the parts that lead to it.
    pub fn numbers(&self, of: Shape) -> Vec<(Vec<Part>, Type)> {
        let parts: Vec<Part> = match of {
            Shape::Number(ty) => return vec![(Vec::new(), ty)],
            Shape::Pointer(..) | Shape::ToStruct(..) | Shape::ToPointer(..) => return Vec::new(),
            Shape::Array(_, length) | Shape::Structs(_, length) | Shape::Grid(_, length, _) => {
                (0..length).map(Part::Element).collect()
            }
            Shape::Struct(n) => (0..self.structs[n].fields.len()).map(Part::Field).collect(),
        };
        let inside = parts.into_iter().filter_map(|part| {
            let (shape, _) = self.part(of, part)?;
            Some((part, self.numbers(shape)))
        });
        let all = inside.flat_map(|(part, numbers)| {
            numbers.into_iter().map(move |(mut path, ty)| {
                path.insert(0, part);
                (path, ty)
            })
        });
        all.collect()
    }
}

/// A table at program scope.
#[derive(Debug, Clone)]
pub struct Table {
    /// The type of its elements.
    pub ty: Type,
    /// They.
    pub values: Vec<Value>,
    /// It is not in the text.
    pub left_out: bool,
}

/// A function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// It is a kernel.
    pub kernel: bool,
    /// The translation unit that it stands in; those of other units are declared there.
    pub unit: usize,
    /// It is `static`: its name is its unit's own, and another unit may have one of the same name.
    pub internal: bool,
    /// What it gives.
    pub gives: Option<Shape>,
    /// How many of its variables are its parameters, the first ones.
    pub parameters: usize,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// It is not in the text.
    pub left_out: bool,
}

impl Function {
    /// One of this name, without anything.
    pub fn new(name: &str) -> Function {
        Function {
            name: name.into(),
            kernel: false,
            unit: 0,
            internal: false,
            gives: None,
            parameters: 0,
            variables: Vec::new(),
            body: Vec::new(),
            left_out: false,
        }
    }
}

/// A variable of a function, by its number.
pub type VarId = usize;

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// It lies in local memory: of a kernel, at its outermost scope.
    pub local: bool,
    /// It is `volatile`: what it holds is read each time.
    pub volatile: bool,
}

/// What a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number(Type),
    /// An array of so many numbers.
    Array(Type, usize),
    /// An array of so many arrays of so many numbers.
    Grid(Type, usize, usize),
    /// A structure of this type.
    Struct(usize),
    /// An array of so many structures.
    Structs(usize, usize),
    /// A pointer to numbers.
    Pointer(Region, Type),
    /// A pointer to structures.
    ToStruct(Region, usize),
    /// A pointer to private pointers to numbers.
    ToPointer(Region, Type),
}

/// Where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    Private,
    Local,
    Global,
    /// Global memory that kernels only read.
    GlobalConst,
    Constant,
}

impl Region {
    /// How a pointer to it begins.
    pub fn text(self) -> &'static str {
        match self {
            Region::Private => "private ",
            Region::Local => "local ",
            Region::Global => "global ",
            Region::GlobalConst => "global const ",
            Region::Constant => "constant ",
        }
    }
}

/// A place in memory that has a value: a variable, an element, a field, a lane.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where it begins.
    pub root: Root,
    /// Where it goes from there.
    pub path: Vec<Step>,
}

/// Where a place begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// A variable of the function; where that is a pointer, the first step is an index.
    Variable(VarId),
    /// A table of the program.
    Table(usize),
}

/// A step to a part.
#[derive(Debug, Clone)]
pub enum Step {
    /// An element; of a pointer the index may be negative.
    Index(Expr),
    /// A field of a structure.
    Field(usize),
    /// A lane of a vector.
    Lane(u8),
    /// Lanes of a vector of so many, none of them twice, as a vector; behind it come at most lanes of these.
    Lanes(u8, Vec<u8>),
}

impl Place {
    /// A variable.
    pub fn variable(id: VarId) -> Place {
        Place {
            root: Root::Variable(id),
            path: Vec::new(),
        }
    }

    /// A part of it.
    pub fn then(mut self, step: Step) -> Place {
        self.path.push(step);
        self
    }

    /// An element of it.
    pub fn at(self, index: Expr) -> Place {
        self.then(Step::Index(index))
    }
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Its number, which only copies of it have, too.
    pub id: u32,
    /// The type of its value.
    pub ty: Type,
    /// What it is.
    pub kind: Kind,
}

/// What an expression is. Operands have the types that are said; where that is not said, their own.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A number.
    Constant(Value),
    /// What a place holds.
    Read(Place),
    /// What the place of the compound assignment around it held, which is found once.
    Held,
    /// `-e`, of the promoted type.
    Negate(Box<Expr>),
    /// `+e`, of the promoted type.
    Plus(Box<Expr>),
    /// `~e`, of the promoted type.
    Complement(Box<Expr>),
    /// `!e`.
    Not(Box<Expr>),
    /// A binary operator; vectors have one type.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// A comparison; vectors have one type.
    Comparison(Comparison, Box<Expr>, Box<Expr>),
    /// `a && b`, of scalars only as far as it is needed.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`, of scalars only as far as it is needed.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; by a vector lane by lane, all of one size.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The value as the type, as assignments, arguments and `return` have it: nothing is written.
    Implicit(Box<Expr>),
    /// `(T)e`.
    Cast(Box<Expr>),
    /// `convert_T(e)`, or with `_sat`.
    Convert { of: Box<Expr>, saturated: bool },
    /// `as_T(e)`, of a type of the same size and as many lanes, or of four lanes the first three: of others "the result
    /// shall be implementation-defined".
    Reinterpret(Box<Expr>),
    /// The same by a union that is written as one type and read as the other: lanes lie one after the other, the lowest
    /// byte first, whatever their number.
    Union(Box<Expr>),
    /// A built-in function.
    Builtin(Builtin, Vec<Expr>),
    /// A function of the program, which only computes.
    Call(usize, Vec<Argument>),
    /// `(T)(a, b, …)`, of scalars and vectors of its elements, or of one scalar for all lanes.
    Vector(Vec<Expr>),
    /// Lanes of a vector.
    Lanes(Box<Expr>, Vec<u8>),
    /// A scalar beside a vector of its type, in the place of a vector of it.
    Spread(Box<Expr>),
    /// `shuffle` or `shuffle2` of one or two vectors, by a mask; of the bits of numbers of a format where one is said.
    Shuffle(Vec<Expr>, Box<Expr>, Option<Format>),
    /// A function of `float`s that are given and taken as their bits.
    Real(Real, Vec<Expr>),
    /// `p - q` of two pointers into one object, as a `long`.
    Distance(VarId, VarId),
    /// `p op q` of two pointers into one object.
    Beside(Comparison, VarId, VarId),
    /// `sizeof` a structure type, as a `uint`.
    Size(usize),
    /// How many bytes behind the beginning of a variable that is a structure of this type a field lies, as a `uint`.
    Offset(VarId, usize, usize),
    /// `(statement, e)`: an assignment, a step or a copy of a number that nothing beside it uses, then the value.
    After(Box<Stmt>, Box<Expr>),
    /// `place++` or `place--` of an unsigned type that nothing beside it uses: what it was before.
    Post(Place, bool),
    /// The value of an assignment, of a compound one or of `++x`: what its place holds then, which the expression reads.
    Gives(Box<Stmt>, Box<Expr>),
    /// A work-item function, as a `uint`, of a dimension that is a `uint`.
    WorkItem(WorkItem, Box<Expr>),
}

/// A work-item function of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    NumGroups,
    GlobalOffset,
    /// Of no dimension: its argument is not written.
    WorkDim,
}

/// Every one.
pub const WORK_ITEM: [WorkItem; 8] = {
    use WorkItem::*;
    [
        GlobalId,
        LocalId,
        GroupId,
        LocalSize,
        NumGroups,
        GlobalSize,
        GlobalOffset,
        WorkDim,
    ]
};

impl WorkItem {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WorkItem::GlobalId => "get_global_id",
            WorkItem::LocalId => "get_local_id",
            WorkItem::GroupId => "get_group_id",
            WorkItem::GlobalSize => "get_global_size",
            WorkItem::LocalSize => "get_local_size",
            WorkItem::NumGroups => "get_num_groups",
            WorkItem::GlobalOffset => "get_global_offset",
            WorkItem::WorkDim => "get_work_dim",
        }
    }
}

/// An argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// A number of the parameter's type.
    Number(Expr),
    /// A structure, whole.
    Whole(Place),
    /// A pointer.
    Pointer(Target),
}

/// Where a pointer leads.
#[derive(Debug, Clone)]
pub enum Target {
    /// To a place: `&place`, or an array.
    To(Place),
    /// So many elements on from where a pointer leads.
    From(VarId, Option<Expr>),
}

/// An atomic function that reads, modifies and writes ("Atomic Functions" of OpenCL 1.x, relaxed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomic {
    Add,
    Subtract,
    Increment,
    Decrement,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// Every one.
pub const ATOMICS: [Atomic; 9] = {
    use Atomic::*;
    [Add, And, Subtract, Xor, Increment, Min, Or, Decrement, Max]
};

impl Atomic {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Atomic::Add => "atomic_add",
            Atomic::Subtract => "atomic_sub",
            Atomic::Increment => "atomic_inc",
            Atomic::Decrement => "atomic_dec",
            Atomic::And => "atomic_and",
            Atomic::Or => "atomic_or",
            Atomic::Xor => "atomic_xor",
            Atomic::Min => "atomic_min",
            Atomic::Max => "atomic_max",
        }
    }

    /// Whether it has a number beside its place.
    pub fn takes_number(self) -> bool {
        !matches!(self, Atomic::Increment | Atomic::Decrement)
    }

    /// The first of those that leave the same with it in whichever order they come.
    pub fn family(self) -> Atomic {
        match self {
            Atomic::Add | Atomic::Subtract | Atomic::Increment | Atomic::Decrement => Atomic::Add,
            other => other,
        }
    }

    /// What it leaves of a number of a type of 32 bits; sums are modulo its size.
    pub fn leaves(self, of: number::Integer, before: u64, by: u64) -> u64 {
        let (n, by_number) = (of.number(before), of.number(by));
        match self {
            Atomic::Add => of.wrap(n + by_number),
            Atomic::Subtract => of.wrap(n - by_number),
            Atomic::Increment => of.wrap(n + 1),
            Atomic::Decrement => of.wrap(n - 1),
            Atomic::And => before & by,
            Atomic::Or => before | by,
            Atomic::Xor => before ^ by,
            Atomic::Min => of.wrap(n.min(by_number)),
            Atomic::Max => of.wrap(n.max(by_number)),
        }
    }
}

/// A statement.
#[allow(
    clippy::large_enum_variant,
    reason = "a program has a hundred of them, which are walked and not moved"
)]
#[derive(Debug, Clone)]
pub enum Stmt {
    /// A variable comes into being, with a value where there is one.
    Declare(VarId, Option<Init>),
    /// `place = e`, of the place's type.
    Assign(Place, Expr),
    /// `place op= e`, as the value that the place gets: an [`Kind::Arithmetic`] whose left operand is [`Kind::Held`],
    /// converted back where the place has another type. A place that changes something has an unsigned type, of which
    /// every value is defined.
    Compound(Place, Expr),
    /// `place++` or `place--`, of an unsigned type.
    Step(Place, bool),
    /// `atomic_add(&place, e);` and so on, of an `int` or a `uint` in shared memory: what it gives is not used, so that
    /// those of one [`Atomic::family`] leave the same in every order.
    Atomic(Atomic, Place, Expr),
    /// A structure is copied.
    Copy(Place, Place),
    /// A pointer gets a place.
    Point(VarId, Target),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (T i = e; c; i op= n)`; the body does not change `i`.
    For(For),
    /// `while`.
    While(Expr, Vec<Stmt>),
    /// `do … while`.
    DoWhile(Vec<Stmt>, Expr),
    /// `switch`.
    Switch(Expr, Vec<Arm>),
    Break,
    Continue,
    /// `return`, with the value where there is one.
    Return(Option<Argument>),
    /// A barrier of the work-group with flags of local and of global memory.
    Barrier {
        local: bool,
        global: bool,
    },
    /// A function of the program, and where what it gives goes.
    Call(usize, Vec<Argument>, Option<Place>),
}

/// The first value of a variable.
#[derive(Debug, Clone)]
pub enum Init {
    /// A number of its type.
    Number(Expr),
    /// The first numbers of an array or a structure, in braces; the others are zero.
    List(Vec<Expr>),
    /// The numbers of some parts of it; the others are zero. Each has its designator where that is said; else it is the
    /// part behind the one before it.
    Parts(Vec<(Vec<Part>, Expr, bool)>),
    /// A structure of its type.
    Whole(Place),
    /// A pointer.
    Pointer(Target),
}

/// A counted loop.
#[derive(Debug, Clone)]
pub struct For {
    /// The variable, a number that it declares.
    pub variable: VarId,
    /// Its first value.
    pub first: Expr,
    /// The loop goes on while this holds.
    pub goes_on: Expr,
    /// What becomes of the variable then.
    pub next: (Arithmetic, Expr),
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A part of a switch.
#[derive(Debug, Clone)]
pub struct Arm {
    /// The labels, of the type of what is switched on.
    pub labels: Vec<Value>,
    /// It has the label `default`, too.
    pub default: bool,
    /// What it does.
    pub body: Vec<Stmt>,
    /// It ends with `break`; else the next one follows.
    pub ends: bool,
}
