//! What launches compute, and what is found undefined in them.

use super::super::make::Maker;
use super::super::number::*;
use super::super::write::write;
use super::*;

const UINT1: Type = Type { of: UINT, lanes: 1 };

/// A kernel `k` with `out` and `cells` in local memory.
struct Kernel {
    make: Maker,
    function: Function,
}

const OUT: VarId = 0;
const CELLS: VarId = 1;

impl Kernel {
    fn new() -> Kernel {
        let variable = |name: &str, shape| Variable {
            name: name.into(),
            shape,
            local: false,
            volatile: false,
        };
        let variables = vec![
            variable("out", Shape::Pointer(Region::Global, UINT1)),
            variable("cells", Shape::Pointer(Region::Local, UINT1)),
        ];
        let function = Function {
            kernel: true,
            parameters: 2,
            variables,
            ..Function::new("k")
        };
        Kernel {
            make: Maker::default(),
            function,
        }
    }

    fn variable(&mut self, shape: Shape) -> VarId {
        let name = format!("v{}", self.function.variables.len());
        self.function.variables.push(Variable {
            name,
            shape,
            local: false,
            volatile: false,
        });
        self.function.variables.len() - 1
    }

    fn me(&mut self) -> Expr {
        self.make.work_item(WorkItem::LocalId, 0)
    }

    fn at(&mut self, array: VarId, index: Expr) -> Place {
        Place::variable(array).at(index)
    }

    /// `out[me] = value`.
    fn store(&mut self, value: Expr) -> Stmt {
        let me = self.me();
        let place = self.at(OUT, me);
        let value = self.make.implicit(UINT1, value);
        Stmt::Assign(place, value)
    }

    /// What a group of so many leaves in `out`, and the text.
    fn run(self, items: u64, body: Vec<Stmt>) -> (Result<Vec<u64>, Stop>, String) {
        let mut program = Program::default();
        program.functions.push(Function {
            body,
            ..self.function
        });
        let mut machine = Machine::new(&program);
        let out = machine.buffer((0..items).map(|_| [0; LANES]));
        let given = [Given::Buffer(out), Given::Local(items as usize)];
        let ran = machine.launch("k", &given, &Range::line(items, items));
        let words = machine.contents(out).iter().map(|value| value[0]).collect();
        (
            ran.map(|()| words),
            write(&program, machine.guarded()).concat(),
        )
    }
}

/// `cells[me] = me`, a barrier where there is one, `out[me] = cells[(me + 1) % size]`.
fn exchange(barrier: Option<Stmt>) -> Result<Vec<u64>, Stop> {
    let mut k = Kernel::new();
    let (me, value, next) = (k.me(), k.me(), k.me());
    let mut body = vec![Stmt::Assign(k.at(CELLS, me), value)];
    body.extend(barrier);
    let next = k.make.with(next, Arithmetic::Add, 1);
    let next = k.make.with(next, Arithmetic::Remainder, 4);
    let place = k.at(CELLS, next);
    let read = k.make.read(place, UINT1);
    body.push(k.store(read));
    k.run(4, body).0
}

#[test]
fn a_barrier_with_the_flag_of_the_memory_keeps_accesses_apart() {
    let barrier = |local, global| Some(Stmt::Barrier { local, global });
    assert_eq!(exchange(barrier(true, false)), Ok(vec![1, 2, 3, 0]));
    assert!(exchange(None).is_err());
    assert!(
        exchange(barrier(false, true)).is_err(),
        "it orders global memory alone"
    );
}

#[test]
fn what_is_undefined_ends_a_launch() {
    let undefined = |make: &dyn Fn(&mut Kernel) -> Vec<Stmt>| {
        let mut k = Kernel::new();
        let body = make(&mut k);
        k.run(4, body).0.expect_err("it is undefined")
    };
    let says = undefined(&|k| {
        let id = k.variable(Shape::Number(UINT1));
        let read = k.make.variable(id, UINT1);
        vec![Stmt::Declare(id, None), k.store(read)]
    });
    assert!(says.contains("never set"), "{says}");
    let says = undefined(&|k| {
        let me = k.me();
        let beyond = k.make.with(me, Arithmetic::Add, 1);
        let one = k.make.uint(1);
        vec![Stmt::Assign(k.at(OUT, beyond), one)]
    });
    assert!(says.contains("beyond"), "{says}");
    let says = undefined(&|k| {
        let me = k.me();
        let first = k.make.compared(me, Comparison::Equal, 0);
        vec![Stmt::If(
            first,
            vec![Stmt::Barrier {
                local: true,
                global: false,
            }],
            Vec::new(),
        )]
    });
    assert!(says.contains("not every work-item"), "{says}");
    let says = undefined(&|k| {
        let (zero, one) = (k.make.uint(0), k.make.uint(1));
        vec![Stmt::Assign(k.at(OUT, zero), one)]
    });
    assert!(says.contains("writes what another uses"), "{says}");
    let says = undefined(&|k| {
        let yes = k.make.constant(INT.scalar(), 1);
        vec![Stmt::While(yes, Vec::new())]
    });
    assert!(says.contains("too long"), "{says}");
}

#[test]
fn arithmetic_that_is_undefined_takes_its_defined_form_in_the_text() {
    let mut k = Kernel::new();
    let (greatest, one) = (
        k.make.constant(INT.scalar(), INT.greatest()),
        k.make.constant(INT.scalar(), 1),
    );
    let sum = k.make.arithmetic(Arithmetic::Add, greatest, one);
    let (seven, zero) = (k.make.uint(7), k.make.uint(0));
    let quotient = k.make.arithmetic(Arithmetic::Divide, seven, zero);
    let all = k.make.arithmetic(Arithmetic::Xor, sum, quotient);
    let narrow = k.make.implicit(CHAR.scalar(), all);
    let body = vec![k.store(narrow)];
    let (ran, text) = k.run(1, body);
    // As the bits of 0x80000000 ^ 7 that a char has.
    assert_eq!(ran, Ok(vec![7]));
    assert!(
        text.contains("as_int((uint)2147483647 + (uint)1)"),
        "{text}"
    );
    assert!(text.contains("quotient_uint(7u, 0u)"), "{text}");
    assert!(text.contains("as_char((uchar)"), "{text}");
}

#[test]
fn parts_of_a_switch_go_on_with_the_next_for_those_that_come_there() {
    let mut k = Kernel::new();
    let sum = k.variable(Shape::Number(UINT1));
    let zero = k.make.uint(0);
    let add = |k: &mut Kernel, n: u32| {
        let by = k.make.uint(n);
        k.make
            .compound(Place::variable(sum), UINT1, Arithmetic::Add, by)
    };
    let arms = vec![
        Arm {
            labels: vec![UINT1.value(0)],
            default: false,
            body: vec![add(&mut k, 1)],
            ends: false,
        },
        Arm {
            labels: vec![UINT1.value(1)],
            default: false,
            body: vec![add(&mut k, 10)],
            ends: true,
        },
        Arm {
            labels: vec![UINT1.value(2)],
            default: true,
            body: vec![add(&mut k, 100)],
            ends: false,
        },
    ];
    let (me, seen) = (k.me(), k.make.variable(sum, UINT1));
    let body = vec![
        Stmt::Declare(sum, Some(Init::Number(zero))),
        Stmt::Switch(me, arms),
        k.store(seen),
    ];
    assert_eq!(k.run(4, body).0, Ok(vec![11, 10, 100, 100]));
}

#[test]
fn each_work_item_takes_its_own_turns_of_a_loop() {
    let mut k = Kernel::new();
    let [sum, i] = [(); 2].map(|()| k.variable(Shape::Number(UINT1)));
    let (zero, first) = (k.make.uint(0), k.make.uint(0));
    let (seen, me) = (k.make.variable(i, UINT1), k.me());
    let goes_on = k.make.comparison(Comparison::LessOrEqual, seen, me);
    let odd = k.make.variable(i, UINT1);
    let odd = k.make.with(odd, Arithmetic::And, 1);
    let add = k.make.variable(i, UINT1);
    let add = k
        .make
        .compound(Place::variable(sum), UINT1, Arithmetic::Add, add);
    let turns = Stmt::For(For {
        variable: i,
        first,
        goes_on,
        next: (Arithmetic::Add, k.make.uint(1)),
        body: vec![Stmt::If(odd, vec![Stmt::Continue], Vec::new()), add],
    });
    let seen = k.make.variable(sum, UINT1);
    let body = vec![
        Stmt::Declare(sum, Some(Init::Number(zero))),
        turns,
        k.store(seen),
    ];
    assert_eq!(k.run(5, body).0, Ok(vec![0, 0, 2, 2, 6]));
}

#[test]
fn vectors_are_put_together_of_vectors_and_of_one_scalar() {
    let mut k = Kernel::new();
    let me = k.me();
    let pair = vec![me, k.make.uint(7)];
    let pair = k.make.expr(UINT.vector(2), Kind::Vector(pair));
    let parts = vec![k.make.uint(5), pair, k.make.uint(9)];
    let four = k.make.expr(UINT.vector(4), Kind::Vector(parts));
    let lane = Kind::Lanes(four.into(), vec![1]);
    let lane = k.make.expr(UINT1, lane);
    let all = vec![k.make.uint(100)];
    let all = k.make.expr(UINT.vector(8), Kind::Vector(all));
    let last = k.make.expr(UINT1, Kind::Lanes(all.into(), vec![7]));
    let sum = k.make.arithmetic(Arithmetic::Add, lane, last);
    let body = vec![k.store(sum)];
    assert_eq!(k.run(3, body).0, Ok(vec![100, 101, 102]));
}

#[test]
fn fields_lie_where_attributes_say() {
    let fields = vec![
        Shape::Number(CHAR.scalar()),
        Shape::Number(UINT.vector(3)),
        Shape::Array(SHORT.scalar(), 3),
    ];
    let laid = |packed, aligned, places: &[Option<usize>]| {
        let fields = fields.clone();
        let structs = vec![Struct {
            fields,
            aligned,
            places: places.to_vec(),
            packed,
        }];
        let program = Program {
            structs,
            ..Program::default()
        };
        let (size, align) = program.bytes(Shape::Struct(0));
        (
            size,
            align,
            program.bytes_before(0, 1),
            program.bytes_before(0, 2),
        )
    };
    let of = |packed, aligned| laid(packed, aligned, &[]);
    assert_eq!(of(false, None), (48, 16, 16, 32));
    assert_eq!(of(true, None), (23, 1, 1, 17));
    assert_eq!(of(true, Some(8)), (24, 8, 1, 17));
    let places = [None, Some(64), Some(32)];
    assert_eq!(laid(false, None, &places), (128, 64, 64, 96));
    let little = [None, Some(4), Some(1)];
    assert_eq!(laid(false, None, &little), (48, 16, 16, 32));
}
