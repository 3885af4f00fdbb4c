//! Where kernels come from: SPIR-V, built-in kernels, and the same source twice.

use super::assembled::Kernel;
use super::builder::{CaseBuilder, args, at};
use crate::choices::Choices;
use crate::host::{EarlierBuild, OfBinary, SpecializationValue};
use crate::kernels::case::{Contents, KernelCase, Kind, Launch, Range, Step, Unit, Want};
use crate::kernels::math::format::Format;
use crate::kernels::transfer::{Bytes, Transfer};
use crate::rule;
use classay_vocabulary::{BuiltInKernel, Need};
use rspirv::dr::{Builder, Error, Instruction as Built, Operand};
use rspirv::spirv::{self, Capability, Decoration, MemoryAccess};

/// Appends an instruction: the type of its result, the result, and two operands.
type Instruction = fn(&mut Builder, u32, Option<u32>, u32, u32) -> Result<u32, Error>;

/// An operator on 32-bit words.
struct Operator {
    /// In OpenCL C.
    sign: &'static str,
    /// Its instruction of SPIR-V.
    build: Instruction,
    /// What it computes.
    apply: fn(u32, u32) -> u32,
    /// The operand that a random word makes.
    operand: fn(u32) -> u32,
}

macro_rules! operators {
    ($($sign:literal $build:ident, $apply:expr, $operand:expr;)*) => {
        [$(Operator { sign: $sign, build: Builder::$build, apply: $apply, operand: $operand }),*]
    };
}

static OPERATORS: [Operator; 10] = operators! {
    "+" i_add, u32::wrapping_add, |word| word;
    "-" i_sub, u32::wrapping_sub, |word| word;
    "*" i_mul, u32::wrapping_mul, |word| word | 1;
    "^" bitwise_xor, |value, c| value ^ c, |word| word;
    "|" bitwise_or, |value, c| value | c, |word| word & 0xff;
    "&" bitwise_and, |value, c| value & c, |word| word | 0xffff;
    "<<" shift_left_logical, |value, c| value << c, |word| word % 13 + 1;
    ">>" shift_right_logical, |value, c| value >> c, |word| word % 13 + 1;
    "/" u_div, |value, c| value / c, |word| word % 1000 + 1;
    "%" u_mod, |value, c| value % c, |word| word % 100_000 + 1000;
};

/// An operation: on the value so far and a constant, or the work-item's number where there is none.
struct Op {
    operator: &'static Operator,
    constant: Option<u32>,
    /// The constant is one of specialization, or chosen by one.
    specialized: Option<Specialized>,
}

/// The value of a specialization constant as long as it is not set.
#[derive(Debug, Clone, Copy)]
enum Unset {
    Word(u32),
    Flag(bool),
    /// Of so many bits, of which the lower 32 are the operand.
    Number(u8, u64),
    /// A number with a fraction, of so many bits, which is the operand.
    Real(Format, u32),
}

/// What the operand is made of a constant of 32 bits.
#[derive(Debug, Clone, Copy)]
enum Made {
    /// It is the constant.
    Itself,
    /// The sum of the constant and another one (OpSpecConstantOp).
    Sum(u32),
    /// A lane of a vector of both (OpSpecConstantComposite).
    Lane(u32),
}

/// A specialization constant.
struct Specialized {
    number: u32,
    /// Its value as long as it is not set.
    unset: Unset,
    /// The operand where it is false and where it is true, for a boolean one.
    of: [u32; 2],
    made: Made,
}

impl Unset {
    /// What sets a constant to this value.
    fn set(self, choices: &mut Choices) -> SpecializationValue {
        match self {
            Unset::Word(word) => SpecializationValue::Word(word),
            Unset::Number(bits, number) => SpecializationValue::Number { bits, number },
            Unset::Real(Format::Float, number) => {
                SpecializationValue::Word((number as f32).to_bits())
            }
            Unset::Real(format, number) => SpecializationValue::Number {
                bits: 8 * format.bytes() as u8,
                number: format.bits(number.into()),
            },
            Unset::Flag(true) if choices.percent(50) => SpecializationValue::True {
                byte: choices.one_of(&[0x80, 2, 0xff]),
            },
            Unset::Flag(on) => SpecializationValue::Flag(on),
        }
    }
}

impl Op {
    fn draw(choices: &mut Choices) -> Op {
        let word = choices.below(1 << 32) as u32;
        let (operator, constant) = match OPERATORS.get(choices.below(11)) {
            Some(operator) => (operator, Some((operator.operand)(word))),
            None => (&OPERATORS[0], None),
        };
        Op {
            operator,
            constant,
            specialized: None,
        }
    }

    /// The format of its specialization constant.
    fn real(&self) -> Option<Format> {
        match self.specialized.as_ref()?.unset {
            Unset::Real(format, _) => Some(format),
            Unset::Word(_) | Unset::Flag(_) | Unset::Number(..) => None,
        }
    }

    fn apply(&self, value: u32, id: u32) -> u32 {
        (self.operator.apply)(value, self.constant.unwrap_or(id))
    }

    fn build(&self, b: &mut Builder, word: u32, value: u32, id: u32) -> Result<u32, Error> {
        let c = match (&self.specialized, self.constant) {
            (Some(one), _) => {
                let c = match one.unset {
                    Unset::Word(unset) => b.spec_constant_bit32(word, unset),
                    Unset::Number(64, unset) => {
                        let long = b.type_int(64, 0);
                        b.spec_constant_bit64(long, unset)
                    }
                    Unset::Number(bits, unset) => {
                        let short = b.type_int(bits.into(), 0);
                        b.spec_constant_bit32(short, unset as u32)
                    }
                    Unset::Real(format, unset) => {
                        let real = b.type_float(8 * format.bytes() as u32, None);
                        let unset = format.bits(unset.into());
                        match format {
                            Format::Double => b.spec_constant_bit64(real, unset),
                            Format::Half | Format::Float => {
                                b.spec_constant_bit32(real, unset as u32)
                            }
                        }
                    }
                    Unset::Flag(on) => {
                        let flag = b.type_bool();
                        match on {
                            true => b.spec_constant_true(flag),
                            false => b.spec_constant_false(flag),
                        }
                    }
                };
                let number = Operand::LiteralBit32(one.number);
                b.decorate(c, Decoration::SpecId, vec![number]);
                match one.unset {
                    Unset::Word(_) => one.made.build(b, word, c)?,
                    Unset::Number(..) => b.u_convert(word, None, c)?,
                    Unset::Real(..) => b.convert_f_to_u(word, None, c)?,
                    Unset::Flag(_) => {
                        let [no, yes] = one.of.map(|value| b.constant_bit32(word, value));
                        b.select(word, None, c, yes, no)?
                    }
                }
            }
            (None, Some(c)) => b.constant_bit32(word, c),
            (None, None) => id,
        };
        (self.operator.build)(b, word, None, value, c)
    }
}

impl Made {
    /// The constant of which the operand is made.
    fn of(self, operand: u32) -> u32 {
        match self {
            Made::Itself | Made::Lane(_) => operand,
            Made::Sum(other) => operand.wrapping_sub(other),
        }
    }

    /// The operand, of a specialization constant.
    fn build(self, b: &mut Builder, word: u32, constant: u32) -> Result<u32, Error> {
        match self {
            Made::Itself => Ok(constant),
            Made::Sum(other) => {
                let other = b.constant_bit32(word, other);
                let sum = b.id();
                let operands = vec![
                    Operand::LiteralSpecConstantOpInteger(spirv::Op::IAdd),
                    Operand::IdRef(constant),
                    Operand::IdRef(other),
                ];
                let ty = Some(word);
                let built = Built::new(spirv::Op::SpecConstantOp, ty, Some(sum), operands);
                b.module_mut().types_global_values.push(built);
                Ok(sum)
            }
            Made::Lane(other) => {
                let other = b.constant_bit32(word, other);
                let pair = b.type_vector(word, 2);
                let pair = b.spec_constant_composite(pair, [other, constant]);
                b.composite_extract(word, None, pair, [1])
            }
        }
    }
}

/// So many operations.
fn operations(choices: &mut Choices, most: usize) -> Vec<Op> {
    (0..choices.between(2, most))
        .map(|_| Op::draw(choices))
        .collect()
}

/// A module with the kernel `apply(global uint *from, global uint *to)`.
fn module(ops: &[Op]) -> Result<Vec<u32>, Error> {
    let mut capabilities = Vec::new();
    for (size, capability) in [(8, Capability::Int8), (16, Capability::Int16)] {
        let unset = |op: &Op| op.specialized.as_ref().map(|one| one.unset);
        let has = |op: &Op| matches!(unset(op), Some(Unset::Number(bits, _)) if bits == size);
        capabilities.extend(ops.iter().any(has).then_some(capability));
    }
    let reals = [
        (Format::Half, Capability::Float16),
        (Format::Double, Capability::Float64),
    ];
    for (format, capability) in reals {
        let has = |op: &Op| op.real() == Some(format);
        capabilities.extend(ops.iter().any(has).then_some(capability));
    }
    let mut kernel = Kernel::begin(&capabilities, 32, 2)?;
    let (from, to, global) = (kernel.parameters[0], kernel.parameters[1], kernel.pointer);
    let (long_id, b) = (kernel.id, &mut kernel.b);
    let word = b.type_int(32, 0);
    let access = Some(MemoryAccess::ALIGNED);
    let aligned = || vec![Operand::LiteralBit32(4)];
    let id = b.u_convert(word, None, long_id)?;
    let place = b.in_bounds_ptr_access_chain(global, None, from, long_id, vec![])?;
    let mut value = b.load(word, None, place, access, aligned())?;
    for op in ops {
        value = op.build(b, word, value, id)?;
    }
    let place = b.in_bounds_ptr_access_chain(global, None, to, long_id, vec![])?;
    b.store(place, value, access, aligned())?;
    kernel.end()
}

/// Makes constants of operations ones of specialization, or chooses them by a boolean one; some are set before the
/// program is built: once, or with another value before, perhaps with a build between, or before an earlier build alone,
/// for the value "will be used by subsequent calls to {clBuildProgram} until another call […] changes it".
fn specialize(choices: &mut Choices, case: &mut CaseBuilder, ops: &mut [Op]) {
    // One format beside `float` at most, which few devices may have.
    let format = choices.one_of(&[Format::Float, Format::Float, Format::Double, Format::Half]);
    // What a build between leaves behind does not hide what a single build does.
    let rebuilt = choices.percent(50);
    let mut earlier = EarlierBuild::default();
    for (number, op) in (0..).zip(ops) {
        let Some(constant) = op.constant else {
            continue;
        };
        let mut other = || (op.operator.operand)(choices.below(1 << 32) as u32);
        let (first, second) = (other(), other());
        let most = constant.max(first).max(second);
        let upper = (choices.below(1 << 32) as u64) << 32;
        let made = match choices.below(3) {
            0 => Made::Itself,
            1 => Made::Sum(choices.below(1 << 32) as u32),
            _ => Made::Lane(choices.below(1 << 32) as u32),
        };
        let right = match choices.below(11) {
            0..4 => Unset::Flag(choices.percent(50)),
            4 if most < 1 << 8 => Unset::Number(8, constant.into()),
            4 | 5 if most < 1 << 16 => Unset::Number(16, constant.into()),
            4..=6 => Unset::Number(64, upper | u64::from(constant)),
            // Whole numbers that the format has.
            7 | 8 if most <= 2048 => Unset::Real(format, constant),
            7 | 8 if most <= 1 << 24 && format != Format::Half => Unset::Real(format, constant),
            7 | 8 if format == Format::Double => Unset::Real(format, constant),
            _ => Unset::Word(made.of(constant)),
        };
        let wrong = |word| match right {
            Unset::Flag(on) => Unset::Flag(!on),
            Unset::Number(bits, _) => Unset::Number(bits, u64::from(word)),
            Unset::Real(format, _) => Unset::Real(format, word),
            Unset::Word(_) => Unset::Word(made.of(word)),
        };
        let of = match right {
            Unset::Flag(false) => [constant, first],
            _ => [first, constant],
        };
        let (first, second) = (wrong(first), wrong(second).set(choices));
        let number = 3 * number + 1;
        let set = (number, right.set(choices));
        let unset = match choices.below(if rebuilt { 5 } else { 3 }) {
            0 => right,
            1 => {
                case.case.build.specialized.push(set);
                first
            }
            2 => {
                let set = [(number, second), set];
                case.case.build.specialized.extend(set);
                first
            }
            3 => {
                earlier.specialized.push((number, second));
                case.case.build.specialized.push(set);
                first
            }
            _ => {
                earlier.specialized.push(set);
                first
            }
        };
        op.specialized = Some(Specialized {
            number,
            unset,
            of,
            made,
        });
        if let Some(format) = op.real() {
            case.need_type(format.name());
        }
    }
    let build = &mut case.case.build;
    if !earlier.specialized.is_empty() {
        build.earlier.push(earlier);
    }
    if !build.specialized.is_empty() || !build.earlier.is_empty() {
        case.need(&[Need::Api22]);
    }
}

/// A module of one specialization constant of 32 bits, the number of which is 1.
pub fn specializable() -> Vec<u32> {
    let op = Op {
        operator: &OPERATORS[0],
        constant: Some(1),
        specialized: Some(Specialized {
            number: 1,
            unset: Unset::Word(1),
            of: [0, 1],
            made: Made::Itself,
        }),
    };
    // Every instruction stands in a function or at its place: building does not fail.
    module(&[op]).unwrap_or_default()
}

/// A kernel of a SPIR-V module that is assembled here, and whose results are computed here.
pub fn il(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel from SPIR-V computes what its operations say");
    case.need(&[Need::Il, Need::Bits64]);
    let mut ops = operations(choices, 12);
    if choices.percent(65) {
        specialize(choices, &mut case, &mut ops);
    }
    // The binary is that of the program as it was built.
    case.case.build.through_binary = OfBinary::drawn(choices, 35);
    // Every instruction stands in a function or at its place: building does not fail.
    case.case.module = module(&ops).unwrap_or_default();
    let items = choices.one_of(&[1u32, 16, 37, 256]);
    let seed = choices.below(1 << 30) as u32;
    let from = case.object(Kind::Buffer, 4 * items as usize, Contents::Noise(seed));
    let to = case.buffer(4 * items as usize);
    let range = Range::new(vec![u64::from(items)], None);
    case.launch("apply", args![from, to], range);
    let bytes = Contents::Noise(seed).bytes(4 * items as usize);
    let (words, _) = bytes.as_chunks();
    let wanted = (0..items).zip(words).map(|(id, word)| {
        let apply = |value, op: &Op| op.apply(value, id);
        ops.iter().fold(u32::from_le_bytes(*word), apply)
    });
    let want = Want::words(wanted.collect());
    let name = "results of a kernel from SPIR-V";
    case.look(to, &[rule::KIND_IL], name, want);
    case.case
}

/// The built-in kernels of a device are what it says; those that are known compute what they should,
/// in the order of their queue.
pub fn built_in(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("built-in kernels have their names");
    case.need(&[Need::BuiltInKernels]);
    case.case.built_in = "*".into();
    case.step(Step::AskKernels {
        rules: vec![rule::KIND_BUILTIN],
    });
    if choices.percent(20) {
        return case.case;
    }
    case.case.about = "built-in kernels and transfers follow each other in a queue".into();
    for kernel in BuiltInKernel::ALL {
        case.need(&[Need::BuiltIn(kernel)]);
    }
    let items = choices.one_of(&[1u32, 5, 64, 200]);
    let first = choices.below(1 << 30) as u32;
    let bytes = 4 * items as usize;
    let [numbers, copied, moved] = [0, 1, 2].map(|_| case.buffer(bytes));
    let start = choices.below(1000) as u32;
    let counter = case.object(Kind::Buffer, 4, Contents::Words(vec![start]));
    let whole = |items: u32| Range::new(vec![u64::from(items)], None);
    let times = choices.between(1, 4) as u32;
    let iota = BuiltInKernel::Iota.name();
    case.launch(iota, args![numbers, first], whole(items));
    let count = Launch::new(BuiltInKernel::Count.name(), args![counter], whole(items));
    case.run(Launch { times, ..count });
    let copy = BuiltInKernel::Copy.name();
    case.launch(copy, args![numbers, copied], whole(bytes as u32));
    let (from, to) = (at(copied, 0), at(moved, 0));
    case.transfer(Transfer::Copy(Bytes { from, to, bytes }), false);
    case.launch(iota, args![copied, !first], whole(items));
    let rules = &[rule::KIND_BUILTIN, rule::QUEUE_IN_ORDER];
    let counted = start.wrapping_add(items * times);
    let count = |first: u32| Want::same(Unit::Word, Contents::Count(first));
    let looks = [
        (
            counter,
            "a counter of a built-in kernel",
            Want::words(vec![counted]),
        ),
        (numbers, "numbers of a built-in kernel", count(first)),
        (moved, "numbers that a built-in kernel copied", count(first)),
        (copied, "numbers of a later built-in kernel", count(!first)),
    ];
    for (object, name, want) in looks {
        case.look(object, rules, name, want);
    }
    case.case
}

/// A kernel from a source that is built again does the same.
pub fn again(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a source that is built again gives the same kernel");
    let ops = operations(choices, 8);
    let line = |op: &Op| match op.constant {
        Some(operand) => format!("    v = v {} {operand}u;\n", op.operator.sign),
        None => "    v += id;\n".into(),
    };
    let lines: String = ops.iter().map(line).collect();
    case.case.source = format!(
        "\
kernel void apply(global uint *out, uint first) {{
    uint id = (uint)get_global_id(0), v = first + id;
{lines}    out[id] = v;
}}
"
    );
    let items = choices.one_of(&[2u32, 16, 33]);
    let first = choices.below(1 << 20) as u32;
    let wanted: Vec<u32> = (0..items)
        .map(|id| ops.iter().fold(first + id, |value, op| op.apply(value, id)))
        .collect();
    for rebuilt in [false, true, true] {
        let out = case.buffer(4 * items as usize);
        case.run(Launch {
            rebuilt,
            ..Launch::new("apply", args![out, first], Range::line(u64::from(items), 1))
        });
        let name = if rebuilt {
            "results of a source that was built again"
        } else {
            "results of a source"
        };
        let want = Want::words(wanted.clone());
        case.look(out, &[rule::KIND_SOURCE], name, want);
    }
    case.case
}
