//! Random kernels of every kind of instruction: arithmetic of all types, vectors, loads and stores at right and
//! wrong places, atomics, fences, barriers, collective functions, calls, loops.

use crate::rows;
use crate::support::*;
use proptest::prelude::*;
use touchstone_ir::{
    BarrierKind, BlockId, Cmp, Collective, Const, FloatOp, FuncId, FunctionBuilder, IntOp,
    Intrinsic, Lanes, LocalId, MemScope, Module, NumKind, Op, Operand, Order, Query, Reg, Regions,
    RmwOp, Scalar, Terminator, Type, UnaryOp,
};

/// The index space, of two dimensions: a whole group and a smaller one.
pub const GLOBAL_SIZE: [u64; 3] = [5, 2, 1];
pub const LOCAL_SIZE: [u64; 3] = [3, 2, 1];
/// Longs that all share, and longs that each work-item writes at its end.
pub const SHARED: u64 = 8;
pub const OWN: u64 = 12;
/// Longs of a private array.
const ARRAY: u64 = 8;

/// A random instruction: what, and numbers that choose operands and forms.
#[derive(Clone, Debug)]
pub struct Step(u8, [u8; 4]);

pub fn step() -> impl Strategy<Value = Step> {
    (0u8..40, any::<[u8; 4]>()).prop_map(|(what, with)| Step(what, with))
}

fn pick<T: Copy>(from: &[T], n: u8) -> T {
    from[usize::from(n) % from.len()]
}

#[rustfmt::skip]
const INTS: [IntOp; 13] = [
    IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::SDiv, IntOp::UDiv, IntOp::SRem, IntOp::URem, IntOp::And,
    IntOp::Or, IntOp::Xor, IntOp::Shl, IntOp::AShr, IntOp::LShr,
];
const FLOATS: [FloatOp; 4] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div];
#[rustfmt::skip]
const CMPS: [Cmp; 10] = [
    Cmp::Eq, Cmp::Ne, Cmp::SLt, Cmp::SLe, Cmp::SGt, Cmp::SGe, Cmp::ULt, Cmp::ULe, Cmp::UGt, Cmp::UGe,
];
#[rustfmt::skip]
const FCMPS: [Cmp; 9] = [
    Cmp::FEq, Cmp::FNe, Cmp::FLt, Cmp::FLe, Cmp::FGt, Cmp::FGe, Cmp::FLtGt, Cmp::FOrdered, Cmp::FUnordered,
];
#[rustfmt::skip]
const RMWS: [RmwOp; 14] = [
    RmwOp::Exchange, RmwOp::Add, RmwOp::Sub, RmwOp::And, RmwOp::Or, RmwOp::Xor, RmwOp::SMin, RmwOp::SMax,
    RmwOp::UMin, RmwOp::UMax, RmwOp::FAdd, RmwOp::FSub, RmwOp::FMin, RmwOp::FMax,
];
const ORDERS: [Order; 5] = [
    Order::Relaxed,
    Order::Acquire,
    Order::Release,
    Order::AcqRel,
    Order::SeqCst,
];
const LOADS: [Order; 3] = [Order::Relaxed, Order::Acquire, Order::SeqCst];
const STORES: [Order; 3] = [Order::Relaxed, Order::Release, Order::SeqCst];
const NARROW: [Type; 2] = [Type::Scalar(Scalar::I8), Type::Scalar(Scalar::I16)];
const QUERIES: [Query; 12] = [
    Query::GlobalId,
    Query::LocalId,
    Query::GroupId,
    Query::LocalSize,
    Query::NumGroups,
    Query::GlobalOffset,
    Query::GlobalLinearId,
    Query::LocalLinearId,
    Query::SubGroupId,
    Query::SubGroupLocalId,
    Query::SubGroupSize,
    Query::NumSubGroups,
];
const VECTOR: Type = Type::Vector(Scalar::I32, Lanes::L4);
const DEVICE: MemScope = MemScope::Device;

/// `f(x, y)`: a loop over shared memory, so that a called function yields, too.
fn called() -> touchstone_ir::Function {
    let mut b = FunctionBuilder::new("f", &[GLOBAL, Type::I32], Some(Type::I32));
    let (head, exit) = (b.block(), b.block());
    let i = b.variable("i", Type::I32);
    let sum = b.variable("sum", Type::I32);
    b.assign(i, Const::i32(0));
    b.assign(sum, Const::i32(0));
    b.jump(head);
    b.switch_to(head);
    let x = b.load(Type::I32, b.param(0));
    let x = b.int(IntOp::Add, x, i);
    b.store(b.param(0), x);
    let t = b.int(IntOp::Add, sum, x);
    b.assign(sum, t);
    let t = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, t);
    let n = b.int(IntOp::And, b.param(1), Const::i32(7));
    let on = b.compare(Cmp::SLt, i, n);
    b.branch(on, head, exit);
    b.switch_to(exit);
    b.ret(Some(sum.into()));
    b.finish()
}

/// What a kernel may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All.
    Any,
    /// Synchronize at barriers only, and have no private memory.
    Plain,
    /// As plain, and no work-item writes what another one reads or writes: what they leave does not depend on how they
    /// are interleaved, so that machine code may run several at once ([`crate::rows`]).
    Apart,
    /// As apart, and the ways of work-items part and meet all the time: they do nothing for which machine code that runs
    /// several at once would part them for good. There is local memory, too.
    Parted,
}

impl Form {
    /// Whether no work-item writes what another one reads or writes.
    pub fn is_apart(self) -> bool {
        match self {
            Form::Any | Form::Plain => false,
            Form::Apart | Form::Parted => true,
        }
    }

    /// The index space and the size of its groups.
    pub fn sizes(self) -> ([u64; 3], [u64; 3]) {
        match self {
            Form::Any | Form::Plain => (GLOBAL_SIZE, LOCAL_SIZE),
            Form::Apart | Form::Parted => (rows::GLOBAL_SIZE, rows::LOCAL_SIZE),
        }
    }

    /// Work-items.
    pub fn items(self) -> u64 {
        self.sizes().0.iter().product()
    }

    /// Longs that all share.
    pub fn shared(self) -> u64 {
        match self {
            Form::Any | Form::Plain => SHARED,
            Form::Apart | Form::Parted => rows::SHARED,
        }
    }

    /// Longs of the whole buffer.
    pub fn longs(self) -> u64 {
        let rows = match self {
            Form::Any | Form::Plain => 0,
            Form::Apart | Form::Parted => rows::ROWS * self.items() + 2 * rows::COUNTERS,
        };
        self.shared() + OWN * self.items() + rows
    }
}

/// The values of a kernel in the making.
pub struct Maker {
    form: Form,
    pub b: FunctionBuilder,
    ints: Vec<Reg>,
    longs: Vec<Reg>,
    singles: Vec<Reg>,
    doubles: Vec<Reg>,
    vector: Reg,
    array: Option<touchstone_ir::SlotId>,
    /// The work-item's own longs, where it writes nothing else.
    own: Option<Reg>,
    /// Rows of local memory.
    pub local: Option<LocalId>,
}

impl Maker {
    fn new(form: Form) -> Maker {
        let mut b = kernel(&[BUFFER]);
        let array = (form == Form::Any).then(|| b.slot("array", (ARRAY * 8) as u32, 8));
        let some = |b: &mut FunctionBuilder, name: &str, ty, n| -> Vec<Reg> {
            (0..n)
                .map(|i| b.variable(format!("{name}{i}"), ty))
                .collect()
        };
        let ints = some(&mut b, "i", Type::I32, 4);
        let longs = some(&mut b, "l", Type::I64, 2);
        let singles = some(&mut b, "f", Type::Scalar(Scalar::F32), 2);
        let doubles = some(&mut b, "d", Type::Scalar(Scalar::F64), 2);
        let vector = b.variable("v", VECTOR);
        let gid = b.query(Query::GlobalId, Const::i32(0));
        b.assign(longs[0], gid);
        let short = b.convert(gid, NumKind::Unsigned, Type::I32, NumKind::Signed);
        b.assign(ints[0], short);
        for (i, &r) in ints.iter().enumerate().skip(1) {
            b.assign(r, Const::i32(i as i32 * 77 - 100));
        }
        let half = b.convert(
            short,
            NumKind::Signed,
            Type::Scalar(Scalar::F32),
            NumKind::Float,
        );
        b.assign(singles[0], half);
        let own = form.is_apart().then(|| own(&mut b, form));
        Maker {
            form,
            b,
            ints,
            longs,
            singles,
            doubles,
            vector,
            array,
            own,
            local: None,
        }
    }

    pub fn int(&self, n: u8) -> Operand {
        let constants = [
            Const::i32(0),
            Const::i32(1),
            Const::i32(-1),
            Const::i32(i32::MIN),
            Const::i32(5),
        ];
        let all: Vec<Operand> = self
            .ints
            .iter()
            .map(|&r| r.into())
            .chain(constants.map(Into::into))
            .collect();
        pick(&all, n)
    }

    pub fn long(&self, n: u8) -> Operand {
        let constants = [
            Const::i64(0),
            Const::i64(-1),
            Const::i64(i64::MIN),
            Const::i64(3),
        ];
        let all: Vec<Operand> = self
            .longs
            .iter()
            .map(|&r| r.into())
            .chain(constants.map(Into::into))
            .collect();
        pick(&all, n)
    }

    fn put(&mut self, n: u8, value: Reg) {
        match self.b.type_of(value) {
            Type::I32 => self.b.assign(pick(&self.ints, n), value),
            Type::I64 => self.b.assign(pick(&self.longs, n), value),
            Type::Scalar(Scalar::F32) => self.b.assign(pick(&self.singles, n), value),
            Type::Scalar(Scalar::F64) => self.b.assign(pick(&self.doubles, n), value),
            Type::Scalar(Scalar::I8 | Scalar::I16) => {
                let value = self
                    .b
                    .convert(value, NumKind::Signed, Type::I32, NumKind::Signed);
                self.b.assign(pick(&self.ints, n), value);
            }
            Type::Scalar(Scalar::Bool) => {
                let value = self
                    .b
                    .convert(value, NumKind::Unsigned, Type::I32, NumKind::Signed);
                self.b.assign(pick(&self.ints, n), value);
            }
            other => panic!("{other} has no variable"),
        }
    }

    /// An address in shared or private memory, now and then a wrong one.
    fn address(&mut self, n: u8, m: u8, ty: Type, writes: bool) -> Reg {
        if let Some(own) = self.own {
            return rows::address(self, own, (n, m), ty, writes);
        }
        let most = match n % 64 {
            0 => 127,
            _ => SHARED as i32 - 1,
        };
        let index = self.b.int(IntOp::And, self.int(m), Const::i32(most));
        let index = self
            .b
            .convert(index, NumKind::Signed, Type::I64, NumKind::Signed);
        let base = match n % 4 {
            0 | 1 => self.b.param(0),
            _ => self.array(),
        };
        let disp = [0, 0, 0, 0, 4, 0, 0, 1][usize::from(m / 16) % 8];
        match m % 8 {
            // A place that is known.
            0 => self.b.ptr_offset(base, i64::from(n / 64) * 8),
            _ => self
                .b
                .ptr_add(base, index, 8, if n % 16 == 5 { disp } else { 0 }),
        }
    }

    /// The private array, or shared memory where there is none.
    fn array(&mut self) -> Reg {
        match (self.array, self.own) {
            (Some(array), _) => self.b.slot_addr(array),
            (None, Some(own)) => own,
            (None, None) => self.b.ptr_offset(self.b.param(0), 8),
        }
    }

    fn shared(&mut self, m: u8) -> Reg {
        let index = self
            .b
            .int(IntOp::And, self.int(m), Const::i32(SHARED as i32 - 1));
        let index = self
            .b
            .convert(index, NumKind::Signed, Type::I64, NumKind::Signed);
        let disp = if m == 255 { 2 } else { 0 };
        let base = self.own.unwrap_or(self.b.param(0));
        self.b.ptr_add(base, index, 8, disp)
    }

    /// One instruction.
    fn step(&mut self, Step(what, [x, y, z, w]): &Step) {
        let (x, y, z, w) = (*x, *y, *z, *w);
        let (fx, fy) = (pick(&self.singles, x), pick(&self.singles, y));
        let (dx, dy) = (pick(&self.doubles, x), pick(&self.doubles, y));
        let what = match (self.form, *what) {
            (Form::Apart | Form::Parted, 32 | 33) => return rows::count(self, [x, y, z]),
            (Form::Parted, 36..) => [2, 5, 8, 9, 28, 31][usize::from(z) % 6],
            (Form::Plain | Form::Apart | Form::Parted, 32..=35 | 38) => 28 + z % 4,
            (_, what) => what,
        };
        let value = match what {
            0..=3 => self.b.int(pick(&INTS, z), self.int(x), self.int(y)),
            4..=6 => self.b.int(pick(&INTS, z), self.long(x), self.long(y)),
            7 => {
                let ty = pick(&NARROW, w);
                let a = self
                    .b
                    .convert(self.int(x), NumKind::Signed, ty, NumKind::Signed);
                let b = self
                    .b
                    .convert(self.int(y), NumKind::Signed, ty, NumKind::Signed);
                self.b.int(pick(&INTS, z), a, b)
            }
            8 => self.b.float(pick(&FLOATS, z), fx, fy),
            9 => self.b.float(pick(&FLOATS, z), dx, dy),
            10 => self.b.compare(pick(&CMPS, z), self.int(x), self.int(y)),
            11 => self.b.compare(pick(&CMPS, z), self.long(x), self.long(y)),
            12 => self.b.compare(pick(&FCMPS, z), fx, fy),
            13 => self.b.compare(pick(&FCMPS, z), dx, dy),
            14 => {
                let c = self.b.compare(pick(&CMPS, z), self.int(x), self.int(y));
                match w % 3 {
                    0 => self.b.select(c, self.int(z), self.int(w)),
                    1 => self.b.select(c, self.long(z), self.long(w)),
                    _ => self.b.select(c, fx, fy),
                }
            }
            15 => {
                let kind = pick(&[NumKind::Signed, NumKind::Unsigned], w);
                self.b
                    .convert(self.int(x), kind, Type::I64, NumKind::Signed)
            }
            16 => self
                .b
                .convert(self.long(x), NumKind::Signed, Type::I32, NumKind::Signed),
            17 => {
                let to = pick(&[Type::Scalar(Scalar::F32), Type::Scalar(Scalar::F64)], w);
                let kind = pick(&[NumKind::Signed, NumKind::Unsigned], z);
                match y % 2 {
                    0 => self.b.convert(self.int(x), kind, to, NumKind::Float),
                    _ => self.b.convert(self.long(x), kind, to, NumKind::Float),
                }
            }
            18 => {
                let to = pick(&[Type::I32, Type::I64], w);
                let kind = pick(&[NumKind::Signed, NumKind::Unsigned], z);
                match y % 2 {
                    0 => self.b.convert(fx, NumKind::Float, to, kind),
                    _ => self.b.convert(dx, NumKind::Float, to, kind),
                }
            }
            19 => match z % 2 {
                0 => self.b.convert(
                    fx,
                    NumKind::Float,
                    Type::Scalar(Scalar::F64),
                    NumKind::Float,
                ),
                _ => self.b.convert(
                    dx,
                    NumKind::Float,
                    Type::Scalar(Scalar::F32),
                    NumKind::Float,
                ),
            },
            20 => {
                let f = pick(
                    &[
                        Intrinsic::Sqrt,
                        Intrinsic::Fabs,
                        Intrinsic::Floor,
                        Intrinsic::Sin,
                    ],
                    z,
                );
                match w % 2 {
                    0 => self.b.intrinsic(f, vec![fx.into()]),
                    _ => self.b.intrinsic(f, vec![dx.into()]),
                }
            }
            21 => {
                let f = pick(&[Intrinsic::Fmax, Intrinsic::Pow], z);
                self.b.intrinsic(f, vec![fx.into(), fy.into()])
            }
            22 => self
                .b
                .intrinsic(Intrinsic::Fma, vec![dx.into(), dy.into(), dx.into()]),
            23 => self
                .b
                .unary(pick(&[UnaryOp::Neg, UnaryOp::Not], z), self.int(x)),
            24 => self.b.unary(UnaryOp::FNeg, fx),
            25 => {
                let dim: Operand = match w % 2 {
                    _ if self.form.is_apart() => Const::i32(i32::from(x % 5)).into(),
                    0 => Const::i32(i32::from(x % 5)).into(),
                    _ => self.b.int(IntOp::And, self.int(x), Const::i32(3)).into(),
                };
                let queries = match self.form {
                    Form::Any | Form::Plain => &QUERIES[..],
                    Form::Apart | Form::Parted => &QUERIES[..8],
                };
                self.b.query(pick(queries, z), dim)
            }
            26 => {
                let vector = self.b.insert(self.vector, self.int(x), self.int(y));
                self.b.assign(self.vector, vector);
                self.b.extract(self.vector, self.int(z))
            }
            27 => {
                let elements = [x, y, z, w].iter().map(|&n| self.int(n)).collect();
                self.b.push_to(self.vector, Op::Construct(elements));
                return;
            }
            28 | 29 => {
                let types = [
                    Type::I32,
                    Type::I64,
                    Type::Scalar(Scalar::F32),
                    Type::Scalar(Scalar::F64),
                ];
                let ty = pick(
                    &[NARROW[0], NARROW[1], types[0], types[1], types[2], types[3]],
                    z,
                );
                let p = self.address(x, y, ty, false);
                self.b.load(ty, p)
            }
            30 | 31 => {
                let value = match z % 6 {
                    0 => {
                        let ty = pick(&NARROW, w);
                        self.b
                            .convert(self.int(w), NumKind::Signed, ty, NumKind::Signed)
                            .into()
                    }
                    1 => self.long(w),
                    2 => fx.into(),
                    3 => dx.into(),
                    _ => self.int(w),
                };
                let ty = self.b.type_of(value);
                let p = self.address(x, y, ty, true);
                self.b.store(p, value);
                return;
            }
            32 => {
                let p = self.shared(x);
                let op = pick(&RMWS, z);
                let is_float = matches!(op, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax);
                match (is_float, y % 2) {
                    (false, 0) => self
                        .b
                        .atomic_rmw(op, p, self.int(y), pick(&ORDERS, w), DEVICE),
                    (false, _) => self
                        .b
                        .atomic_rmw(op, p, self.long(y), pick(&ORDERS, w), DEVICE),
                    (true, 0) => self.b.atomic_rmw(op, p, fx, pick(&ORDERS, w), DEVICE),
                    (true, _) => self.b.atomic_rmw(op, p, dx, pick(&ORDERS, w), DEVICE),
                }
            }
            33 => {
                let p = self.shared(x);
                let orders = (pick(&ORDERS, z), pick(&LOADS, w));
                match w % 2 {
                    0 => self
                        .b
                        .atomic_cas(p, self.int(y), self.int(z), orders, DEVICE),
                    _ => self
                        .b
                        .atomic_cas(p, self.long(y), self.long(z), orders, DEVICE),
                }
            }
            34 => {
                let p = self.shared(x);
                self.b
                    .atomic_load(pick(&[Type::I32, Type::I64], y), p, pick(&LOADS, z), DEVICE)
            }
            35 => {
                let p = self.shared(x);
                match y % 2 {
                    0 => self
                        .b
                        .atomic_store(p, self.int(z), pick(&STORES, w), DEVICE),
                    _ => self
                        .b
                        .atomic_store(p, self.long(z), pick(&STORES, w), DEVICE),
                }
                return;
            }
            36 => {
                let p = self.shared(y);
                let args = vec![p.into(), self.int(x)];
                self.b
                    .call(FuncId(0), args, Some(Type::I32))
                    .expect("a result")
            }
            37 => {
                let (to, from) = (self.shared(x), self.array());
                self.b.push(match z % 2 {
                    0 => Op::MemCopy {
                        dst: to.into(),
                        src: from.into(),
                        size: Const::i64(i64::from(w % 12)).into(),
                        align: 1,
                    },
                    _ => Op::MemSet {
                        dst: to.into(),
                        byte: Const::scalar(Scalar::I8, w.into()).into(),
                        size: Const::i64(i64::from(y % 12)).into(),
                        align: 1,
                    },
                });
                return;
            }
            38 => {
                self.b.fence(Regions::GLOBAL, pick(&ORDERS, x), DEVICE);
                return;
            }
            _ => match x % 4 {
                0 => {
                    let kind = pick(&[BarrierKind::WorkGroup, BarrierKind::SubGroup], y);
                    let regions = Regions::GLOBAL;
                    let scope = MemScope::WorkGroup;
                    self.b.push(Op::Barrier {
                        kind,
                        regions,
                        scope,
                    });
                    return;
                }
                1 => {
                    let function = pick(
                        &[
                            Collective::Broadcast,
                            Collective::Reduce(RmwOp::Add),
                            Collective::ExclusiveScan(RmwOp::SMax),
                            Collective::Shuffle,
                        ],
                        y,
                    );
                    // Shuffles are of sub-groups, and not all need come to them.
                    let kind = match function {
                        Collective::Shuffle => BarrierKind::SubGroup,
                        _ => BarrierKind::WorkGroup,
                    };
                    let from = match function {
                        Collective::Broadcast => [z % 3, y % 2]
                            .map(|n| Const::i64(i64::from(n)).into())
                            .to_vec(),
                        Collective::Shuffle => {
                            let lid = self.b.query(Query::SubGroupLocalId, Const::i32(0));
                            let other = self.b.int(IntOp::Xor, lid, Const::i64(1));
                            vec![other.into()]
                        }
                        _ => vec![],
                    };
                    let value = self.int(w);
                    self.b.emit(
                        Type::I32,
                        Op::Collective {
                            kind,
                            function,
                            value,
                            from,
                        },
                    )
                }
                _ => return,
            },
        };
        self.put(w, value);
    }
}

/// The address of the longs that a work-item writes at its end.
fn own(b: &mut FunctionBuilder, form: Form) -> Reg {
    let gid = b.query(Query::GlobalLinearId, Const::i32(0));
    let shared = (form.shared() * 8) as i64;
    b.ptr_add(b.param(0), gid, (OWN * 8) as u32, shared)
}

/// A kernel of blocks of steps, among which it jumps forward and backward for a while.
pub fn program(blocks: &[(Vec<Step>, [u8; 4])], form: Form) -> Module {
    let mut m = Module::new();
    m.add_function(called());
    let mut k = Maker::new(form);
    k.local = (form == Form::Parted).then(|| rows::local(&mut m));
    let fuel = k.b.variable("fuel", Type::I32);
    let places: Vec<BlockId> = blocks.iter().map(|_| k.b.block()).collect();
    let exit = k.b.block();
    k.b.jump(places[0]);
    for (n, (steps, [cmp, x, y, way])) in blocks.iter().enumerate() {
        k.b.switch_to(places[n]);
        for step in steps {
            k.step(step);
        }
        let f = k.b.int(IntOp::Add, fuel, Const::i32(1));
        k.b.assign(fuel, f);
        let go = k.b.block();
        let on = k.b.compare(Cmp::SLt, fuel, Const::i32(40));
        k.b.branch(on, go, exit);
        k.b.switch_to(go);
        let next = places.get(n + 1).copied().unwrap_or(exit);
        let other = pick(&places, x.wrapping_mul(31).wrapping_add(*y));
        if way % 4 == 0 {
            let value = k.int(*x);
            k.b.terminate(Terminator::Switch {
                value,
                cases: vec![(0, other), (1, next), (5, exit)],
                default: next,
            });
        } else if way % 2 == 0 {
            let c = k.b.compare(pick(&CMPS, *cmp), k.long(*x), k.long(*y));
            k.b.branch(c, other, next);
        } else {
            let c = k.b.compare(pick(&CMPS, *cmp), k.int(*x), k.int(*y));
            k.b.branch(c, next, other);
        }
    }
    k.b.switch_to(exit);
    let own = k.own.unwrap_or_else(|| own(&mut k.b, form));
    let all: Vec<Reg> = [&k.ints[..], &k.longs, &k.singles, &k.doubles, &[k.vector]].concat();
    for (i, r) in all.into_iter().enumerate() {
        let p = k.b.ptr_offset(own, 8 * i as i64);
        k.b.store(p, r);
    }
    k.b.ret(None);
    m.add_function(k.b.finish());
    m
}
