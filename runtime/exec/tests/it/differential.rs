//! Random functions, run by the interpreter and by a plain evaluator of the IR.
//!
//! The interpreter's compiler merges, moves and drops instructions; the
//! evaluator does one instruction after the other. They must agree.

use crate::support::*;
use proptest::prelude::*;
use touchstone_ir::{
    BlockId, Cmp, Const, Function, FunctionBuilder, IntOp, Lanes, NumKind, Op, Operand, Reg,
    Scalar, SlotId, Terminator, Type,
};

/// Variables of the random function: four `i32`, two `i64`, one vector.
const INTS: usize = 4;
const LONGS: usize = 2;
/// Longs in the private array.
const ARRAY: i64 = 8;

/// A random instruction; numbers choose operands among what there is.
#[derive(Clone, Debug)]
enum Step {
    Int(u8, u8, u8),
    Long(u8, u8, u8),
    /// A copy of a variable's value, kept as a temporary.
    Keep(u8),
    KeepLong(u8),
    /// A temporary goes to a variable.
    Put(u8, u8),
    PutLong(u8, u8),
    Widen(u8, bool),
    Narrow(u8),
    /// Array element at an index: read, or written.
    Load(u8, u8),
    Store(u8, u8, u8),
    LoadConst(u8),
    Vector(u8, u8),
    Lane(u8),
    Compare(u8, u8, u8),
    /// End of the block: branch on a comparison, forward or back.
    Branch(u8, u8, u8, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        (n(), n(), n()).prop_map(|(a, b, c)| Step::Int(a, b, c)),
        (n(), n(), n()).prop_map(|(a, b, c)| Step::Long(a, b, c)),
        n().prop_map(Step::Keep),
        n().prop_map(Step::KeepLong),
        (n(), n()).prop_map(|(a, b)| Step::Put(a, b)),
        (n(), n()).prop_map(|(a, b)| Step::PutLong(a, b)),
        (n(), any::<bool>()).prop_map(|(a, s)| Step::Widen(a, s)),
        n().prop_map(Step::Narrow),
        (n(), n()).prop_map(|(a, b)| Step::Load(a, b)),
        (n(), n(), n()).prop_map(|(a, b, c)| Step::Store(a, b, c)),
        n().prop_map(Step::LoadConst),
        (n(), n()).prop_map(|(a, b)| Step::Vector(a, b)),
        n().prop_map(Step::Lane),
        (n(), n(), n()).prop_map(|(a, b, c)| Step::Compare(a, b, c)),
        (n(), n(), n(), n(), n()).prop_map(|(a, b, c, d, e)| Step::Branch(a, b, c, d, e)),
    ]
}

const OPS: [IntOp; 9] = [
    IntOp::Add,
    IntOp::Sub,
    IntOp::Mul,
    IntOp::And,
    IntOp::Or,
    IntOp::Xor,
    IntOp::Shl,
    IntOp::AShr,
    IntOp::LShr,
];
const CMPS: [Cmp; 4] = [Cmp::Eq, Cmp::SLt, Cmp::ULe, Cmp::SGe];

fn pick<T: Copy>(from: &[T], n: u8) -> T {
    from[usize::from(n) % from.len()]
}

/// The random kernel: what it computes goes to its buffer at the end.
struct Program {
    function: Function,
}

fn program(steps: &[Step]) -> Program {
    let vector = Type::Vector(Scalar::I32, Lanes::L4);
    let mut b = kernel(&[BUFFER]);
    let array = b.slot("array", (ARRAY * 8) as u32, 8);
    let ints: Vec<Reg> = (0..INTS)
        .map(|i| b.variable(format!("i{i}"), Type::I32))
        .collect();
    let longs: Vec<Reg> = (0..LONGS)
        .map(|i| b.variable(format!("l{i}"), Type::I64))
        .collect();
    let v = b.variable("v", vector);
    // A counter ends loops.
    let fuel = b.variable("fuel", Type::I32);
    for (i, &r) in ints.iter().enumerate() {
        b.assign(r, Const::i32(i as i32 * 77 - 100));
    }
    let splits = steps
        .iter()
        .filter(|s| matches!(s, Step::Branch(..)))
        .count();
    let blocks: Vec<BlockId> = (0..=splits).map(|_| b.block()).collect();
    let exit = b.block();
    b.jump(blocks[0]);
    b.switch_to(blocks[0]);
    let mut at = 0;
    // Temporaries of the present block.
    let mut temps: Vec<Operand> = vec![];
    let mut long_temps: Vec<Operand> = vec![];
    for step in steps {
        let int = |temps: &[Operand], n: u8| {
            let all: Vec<Operand> = ints
                .iter()
                .map(|&r| r.into())
                .chain(temps.iter().copied())
                .chain([Const::i32(3).into(), Const::i32(-1).into()])
                .collect();
            pick(&all, n)
        };
        let long = |temps: &[Operand], n: u8| {
            let all: Vec<Operand> = longs
                .iter()
                .map(|&r| r.into())
                .chain(temps.iter().copied())
                .chain([Const::i64(5).into()])
                .collect();
            pick(&all, n)
        };
        // An index within the array, from a 32-bit number, signed or not.
        let index = |b: &mut FunctionBuilder, temps: &[Operand], n: u8| {
            let i = b.int(IntOp::And, int(temps, n), Const::i32(ARRAY as i32 - 1));
            b.convert(i, NumKind::Signed, Type::I64, NumKind::Signed)
        };
        match *step {
            Step::Int(op, x, y) => {
                let r = b.int(pick(&OPS, op), int(&temps, x), int(&temps, y));
                temps.push(r.into());
            }
            Step::Long(op, x, y) => {
                let r = b.int(pick(&OPS, op), long(&long_temps, x), long(&long_temps, y));
                long_temps.push(r.into());
            }
            Step::Keep(x) => temps.push(b.copy(pick(&ints, x)).into()),
            Step::KeepLong(x) => long_temps.push(b.copy(pick(&longs, x)).into()),
            Step::Put(to, x) => b.assign(pick(&ints, to), int(&temps, x)),
            Step::PutLong(to, x) => b.assign(pick(&longs, to), long(&long_temps, x)),
            Step::Widen(x, signed) => {
                let kind = if signed {
                    NumKind::Signed
                } else {
                    NumKind::Unsigned
                };
                let r = b.convert(int(&temps, x), kind, Type::I64, NumKind::Signed);
                long_temps.push(r.into());
            }
            Step::Narrow(x) => {
                let x = long(&long_temps, x);
                let r = b.convert(x, NumKind::Signed, Type::I32, NumKind::Signed);
                temps.push(r.into());
            }
            Step::Load(i, kind) => {
                let i = index(&mut b, &temps, i);
                let base = b.slot_addr(array);
                let p = b.ptr_add(base, i, 8, if kind % 3 == 0 { 4 } else { 0 });
                if kind % 3 == 1 {
                    long_temps.push(b.load(Type::I64, p).into());
                } else {
                    temps.push(b.load(Type::I32, p).into());
                }
            }
            Step::Store(i, x, kind) => {
                let i = index(&mut b, &temps, i);
                let base = b.slot_addr(array);
                let p = b.ptr_add(base, i, 8, 0);
                if kind % 2 == 0 {
                    b.store(p, long(&long_temps, x));
                } else {
                    b.store(p, int(&temps, x));
                }
            }
            Step::LoadConst(i) => {
                let base = b.slot_addr(array);
                let p = b.ptr_offset(base, i64::from(i) % ARRAY * 8);
                temps.push(b.load(Type::I32, p).into());
            }
            Step::Vector(x, kind) => match kind % 3 {
                0 => {
                    let elements = (0..4).map(|k| int(&temps, x.wrapping_add(k))).collect();
                    b.push_to(v, Op::Construct(elements));
                }
                1 => b.push_to(v, Op::Shuffle(v.into(), v.into(), vec![x % 8, 1, 6, 3])),
                _ => b.push_to(v, Op::Int(pick(&OPS, x), v.into(), v.into())),
            },
            Step::Lane(x) => {
                let i = int(&temps, x);
                temps.push(b.extract(v, i).into());
            }
            Step::Compare(cmp, x, y) => {
                let c = b.compare(pick(&CMPS, cmp), int(&temps, x), int(&temps, y));
                let r = b.select(c, int(&temps, y), int(&temps, x));
                temps.push(r.into());
            }
            Step::Branch(cmp, x, y, to, way) => {
                let next = blocks[at + 1];
                let f = b.int(IntOp::Add, fuel, Const::i32(1));
                b.assign(fuel, f);
                let go = b.block();
                let on = b.compare(Cmp::SLt, fuel, Const::i32(60));
                let c = b.compare(pick(&CMPS, cmp), int(&temps, x), int(&temps, y));
                b.branch(on, go, exit);
                b.switch_to(go);
                let other = blocks[usize::from(to) % (splits + 1)];
                if way % 4 == 0 {
                    let c = b.compare(pick(&CMPS, cmp), pick(&ints, x), pick(&ints, y));
                    b.branch(c, other, next);
                } else if way % 4 == 1 {
                    b.branch(c, next, other);
                } else {
                    b.branch(c, other, next);
                }
                at += 1;
                temps.clear();
                long_temps.clear();
                b.switch_to(next);
            }
        }
    }
    b.jump(exit);
    b.switch_to(exit);
    let mut offset = 0;
    for r in ints.iter().chain(&longs).chain([&v, &fuel]) {
        let p = b.ptr_offset(b.param(0), offset);
        b.store(p, *r);
        offset += 16;
    }
    b.ret(None);
    Program {
        function: b.finish(),
    }
}

/// One instruction after the other, on lanes of bits.
struct Evaluator<'a> {
    function: &'a Function,
    regs: Vec<Vec<u64>>,
    array: Vec<u8>,
    out: Vec<u8>,
}

/// Addresses of the array and of the buffer.
const ARRAY_AT: u64 = 1 << 20;
const BUFFER_AT: u64 = 1 << 30;

impl Evaluator<'_> {
    fn get(&self, o: Operand) -> Vec<u64> {
        match o {
            Operand::Reg(r) => self.regs[r.0 as usize].clone(),
            Operand::Const(c) => vec![c.bits()],
        }
    }

    fn memory(&mut self, address: u64, size: usize) -> &mut [u8] {
        let (bytes, base) = if address >= BUFFER_AT {
            (&mut self.out, BUFFER_AT)
        } else {
            (&mut self.array, ARRAY_AT)
        };
        &mut bytes[(address - base) as usize..][..size]
    }

    fn run(&mut self) {
        let mut block = 0;
        loop {
            let function = self.function;
            for inst in &function.blocks[block].insts {
                let value = self.value(&inst.op, inst.dst);
                if let Some(d) = inst.dst {
                    self.regs[d.0 as usize] = value;
                }
            }
            block = match function.blocks[block].term {
                Terminator::Jump(b) => b,
                Terminator::Branch {
                    cond,
                    then_block,
                    else_block,
                } => {
                    if self.get(cond)[0] != 0 {
                        then_block
                    } else {
                        else_block
                    }
                }
                _ => return,
            }
            .0 as usize;
        }
    }

    fn value(&mut self, op: &Op, dst: Option<Reg>) -> Vec<u64> {
        let ty = dst.map(|d| self.function.regs[d.0 as usize].ty);
        let element = ty.and_then(Type::element).unwrap_or(Scalar::I64);
        let (bits, mask) = (element.bits(), element.mask());
        let signed = |scalar: Scalar, x: u64| {
            let shift = 64 - scalar.bits();
            (x << shift) as i64 >> shift
        };
        match op {
            Op::Copy(a) => self.get(*a),
            Op::Int(op, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let one = |a: u64, b: u64| {
                    let shift = (b % u64::from(bits)) as u32;
                    mask & match op {
                        IntOp::Add => a.wrapping_add(b),
                        IntOp::Sub => a.wrapping_sub(b),
                        IntOp::Mul => a.wrapping_mul(b),
                        IntOp::And => a & b,
                        IntOp::Or => a | b,
                        IntOp::Xor => a ^ b,
                        IntOp::Shl => a << shift,
                        IntOp::AShr => (signed(element, a) >> shift) as u64,
                        IntOp::LShr => a >> shift,
                        other => panic!("{other:?} is not generated"),
                    }
                };
                a.iter().zip(&b).map(|(&a, &b)| one(a, b)).collect()
            }
            Op::Compare(cmp, a, b) => {
                let scalar = self.function.operand_type(*a).and_then(Type::element);
                let scalar = scalar.expect("scalar");
                let (a, b) = (self.get(*a)[0], self.get(*b)[0]);
                let (sa, sb) = (signed(scalar, a), signed(scalar, b));
                vec![u64::from(match cmp {
                    Cmp::Eq => a == b,
                    Cmp::SLt => sa < sb,
                    Cmp::ULe => a <= b,
                    Cmp::SGe => sa >= sb,
                    other => panic!("{other:?} is not generated"),
                })]
            }
            Op::Convert { value, from, .. } => {
                let scalar = self.function.operand_type(*value).and_then(Type::element);
                let x = self.get(*value)[0];
                let x = match from {
                    NumKind::Signed => signed(scalar.expect("scalar"), x) as u64,
                    NumKind::Unsigned | NumKind::Float => x,
                };
                vec![x & mask]
            }
            Op::Select(c, a, b) => {
                if self.get(*c)[0] != 0 {
                    self.get(*a)
                } else {
                    self.get(*b)
                }
            }
            Op::Construct(elements) => elements.iter().map(|&e| self.get(e)[0]).collect(),
            Op::Extract(v, i) => {
                let v = self.get(*v);
                vec![v[(self.get(*i)[0] % v.len() as u64) as usize]]
            }
            Op::Shuffle(a, b, m) => {
                let all = [self.get(*a), self.get(*b)].concat();
                m.iter().map(|&m| all[usize::from(m)]).collect()
            }
            Op::SlotAddr(SlotId(0)) => vec![ARRAY_AT],
            Op::PtrAdd {
                base,
                index,
                scale,
                disp,
            } => {
                let index = self.get(*index)[0].wrapping_mul(u64::from(*scale));
                let base = self.get(*base)[0];
                vec![base.wrapping_add(index).wrapping_add_signed(*disp)]
            }
            Op::Load { ptr, .. } => {
                let address = self.get(*ptr)[0];
                let size = element.size() as usize;
                let mut word = [0; 8];
                word[..size].copy_from_slice(self.memory(address, size));
                vec![u64::from_le_bytes(word)]
            }
            Op::Store { ptr, value, .. } => {
                let ty = self.function.operand_type(*value).and_then(Type::element);
                let size = ty.expect("scalar").size() as usize;
                let address = self.get(*ptr)[0];
                for (i, x) in self.get(*value).into_iter().enumerate() {
                    self.memory(address + (i * size) as u64, size)
                        .copy_from_slice(&x.to_le_bytes()[..size]);
                }
                vec![]
            }
            other => panic!("{other:?} is not generated"),
        }
    }
}

const OUT: usize = (INTS + LONGS + 2) * 16;

fn evaluate(function: &Function) -> Vec<u8> {
    let mut e = Evaluator {
        function,
        regs: function
            .regs
            .iter()
            .map(|r| vec![0; r.ty.lanes() as usize])
            .collect(),
        array: vec![0; (ARRAY * 8) as usize],
        out: vec![0; OUT],
    };
    e.regs[0] = vec![BUFFER_AT];
    e.run();
    e.out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn compiled_and_evaluated_functions_agree(steps in prop::collection::vec(step(), 1..60)) {
        let program = program(&steps);
        let expected = evaluate(&program.function);
        let mut m = touchstone_ir::Module::new();
        m.add_function(program.function);
        let words = Words::new(OUT / 4);
        run_on(&prepare(m.clone()), 1, 1, 1, &words).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let got: Vec<u8> = words.all().iter().flat_map(|w| w.to_le_bytes()).collect();
        prop_assert_eq!(got, expected, "{}", m);
    }
}
