//! Where kernels come from: SPIR-V, built-in kernels, and the same source twice.

use super::builder::{CaseBuilder, args, at};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Launch, Range, Step, Unit, Want};
use crate::kernels::transfer::{Bytes, Transfer};
use crate::rule;
use classay_vocabulary::{BuiltInKernel, Need};
use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn as Variable, Capability, Decoration, ExecutionModel, FunctionControl,
    MemoryAccess, MemoryModel, StorageClass,
};

/// An operation on 32-bit words: on the value so far and a constant, or the work-item's number.
#[derive(Debug, Clone, Copy)]
enum Op {
    Add(u32),
    Subtract(u32),
    Multiply(u32),
    Xor(u32),
    Or(u32),
    And(u32),
    Left(u32),
    Right(u32),
    Divide(u32),
    Rest(u32),
    /// The work-item's number is added.
    AddId,
}

impl Op {
    fn draw(choices: &mut Choices) -> Op {
        let word = choices.below(1 << 32) as u32;
        match choices.below(11) {
            0 => Op::Add(word),
            1 => Op::Subtract(word),
            2 => Op::Multiply(word | 1),
            3 => Op::Xor(word),
            4 => Op::Or(word & 0xff),
            5 => Op::And(word | 0xffff),
            6 => Op::Left(word % 13 + 1),
            7 => Op::Right(word % 13 + 1),
            8 => Op::Divide(word % 1000 + 1),
            9 => Op::Rest(word % 100_000 + 1000),
            _ => Op::AddId,
        }
    }

    fn apply(self, value: u32, id: u32) -> u32 {
        match self {
            Op::Add(c) => value.wrapping_add(c),
            Op::Subtract(c) => value.wrapping_sub(c),
            Op::Multiply(c) => value.wrapping_mul(c),
            Op::Xor(c) => value ^ c,
            Op::Or(c) => value | c,
            Op::And(c) => value & c,
            Op::Left(c) => value << c,
            Op::Right(c) => value >> c,
            Op::Divide(c) => value / c,
            Op::Rest(c) => value % c,
            Op::AddId => value.wrapping_add(id),
        }
    }

    /// The operand, where it is a constant.
    fn constant(self) -> Option<u32> {
        match self {
            Op::Add(c)
            | Op::Subtract(c)
            | Op::Multiply(c)
            | Op::Xor(c)
            | Op::Or(c)
            | Op::And(c)
            | Op::Left(c)
            | Op::Right(c)
            | Op::Divide(c)
            | Op::Rest(c) => Some(c),
            Op::AddId => None,
        }
    }

    fn build(self, b: &mut Builder, word: u32, value: u32, id: u32) -> Result<u32, Error> {
        let c = self.constant().map_or(id, |c| b.constant_bit32(word, c));
        match self {
            Op::Add(_) | Op::AddId => b.i_add(word, None, value, c),
            Op::Subtract(_) => b.i_sub(word, None, value, c),
            Op::Multiply(_) => b.i_mul(word, None, value, c),
            Op::Xor(_) => b.bitwise_xor(word, None, value, c),
            Op::Or(_) => b.bitwise_or(word, None, value, c),
            Op::And(_) => b.bitwise_and(word, None, value, c),
            Op::Left(_) => b.shift_left_logical(word, None, value, c),
            Op::Right(_) => b.shift_right_logical(word, None, value, c),
            Op::Divide(_) => b.u_div(word, None, value, c),
            Op::Rest(_) => b.u_mod(word, None, value, c),
        }
    }

    /// In OpenCL C.
    fn sign(self) -> &'static str {
        match self {
            Op::Add(_) | Op::AddId => "+",
            Op::Subtract(_) => "-",
            Op::Multiply(_) => "*",
            Op::Xor(_) => "^",
            Op::Or(_) => "|",
            Op::And(_) => "&",
            Op::Left(_) => "<<",
            Op::Right(_) => ">>",
            Op::Divide(_) => "/",
            Op::Rest(_) => "%",
        }
    }
}

/// A module with the kernel `apply(global uint *from, global uint *to)`.
fn module(ops: &[Op]) -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    for capability in [Capability::Kernel, Capability::Addresses, Capability::Int64] {
        b.capability(capability);
    }
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let void = b.type_void();
    let word = b.type_int(32, 0);
    let long = b.type_int(64, 0);
    let three = b.type_vector(long, 3);
    let input = b.type_pointer(None, StorageClass::Input, three);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, word);
    let kind = b.type_function(void, vec![global, global]);
    let ids = b.variable(input, None, StorageClass::Input, None);
    let builtin = Operand::BuiltIn(Variable::GlobalInvocationId);
    b.decorate(ids, Decoration::BuiltIn, vec![builtin]);
    b.decorate(ids, Decoration::Constant, vec![]);
    let kernel = b.begin_function(void, None, FunctionControl::NONE, kind)?;
    let from = b.function_parameter(global)?;
    let to = b.function_parameter(global)?;
    b.begin_block(None)?;
    // All accesses are aligned as their type is.
    let aligned = |bytes| {
        (
            Some(MemoryAccess::ALIGNED),
            vec![Operand::LiteralBit32(bytes)],
        )
    };
    let (access, bytes) = aligned(32);
    let all = b.load(three, None, ids, access, bytes)?;
    let long_id = b.composite_extract(long, None, all, vec![0])?;
    let id = b.u_convert(word, None, long_id)?;
    let place = b.in_bounds_ptr_access_chain(global, None, from, long_id, vec![])?;
    let (access, bytes) = aligned(4);
    let mut value = b.load(word, None, place, access, bytes)?;
    for op in ops {
        value = op.build(&mut b, word, value, id)?;
    }
    let place = b.in_bounds_ptr_access_chain(global, None, to, long_id, vec![])?;
    let (access, bytes) = aligned(4);
    b.store(place, value, access, bytes)?;
    b.ret()?;
    b.end_function()?;
    b.entry_point(ExecutionModel::Kernel, kernel, "apply", vec![ids]);
    Ok(b.module().assemble())
}

/// A kernel of a SPIR-V module that is assembled here, and whose results are computed here.
pub fn il(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel from SPIR-V computes what its operations say");
    case.need(&[Need::Il, Need::Bits64]);
    let ops: Vec<Op> = (0..choices.between(2, 12))
        .map(|_| Op::draw(choices))
        .collect();
    // Every instruction stands in a function or at its place: building does not fail.
    case.case.module = module(&ops).unwrap_or_default();
    let items = choices.one_of(&[1u32, 16, 37, 256]);
    let seed = choices.below(1 << 30) as u32;
    let from = case.object(Kind::Buffer, 4 * items as usize, Contents::Noise(seed));
    let to = case.buffer(4 * items as usize);
    case.launch(
        "apply",
        args![from, to],
        Range {
            offset: None,
            global: vec![u64::from(items)],
            local: None,
        },
    );
    let words = Contents::Noise(seed).bytes(4 * items as usize);
    let wanted = words
        .chunks_exact(4)
        .enumerate()
        .map(|(id, bytes)| {
            let mut word = [0; 4];
            word.copy_from_slice(bytes);
            ops.iter().fold(u32::from_le_bytes(word), |value, op| {
                op.apply(value, id as u32)
            })
        })
        .collect();
    case.look(
        to,
        &[rule::KIND_IL],
        "results of a kernel from SPIR-V",
        Want::words(wanted),
    );
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
    let whole = |items: u32| Range {
        offset: None,
        global: vec![u64::from(items)],
        local: None,
    };
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
    let words = |words: Vec<u32>| Want::words(words);
    let count = |first: u32| Want::same(Unit::Word, Contents::Count(first));
    case.look(
        counter,
        rules,
        "a counter of a built-in kernel",
        words(vec![counted]),
    );
    case.look(numbers, rules, "numbers of a built-in kernel", count(first));
    case.look(
        moved,
        rules,
        "numbers that a built-in kernel copied",
        count(first),
    );
    case.look(
        copied,
        rules,
        "numbers of a later built-in kernel",
        count(!first),
    );
    case.case
}

/// A kernel from a source that is built again does the same.
pub fn again(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a source that is built again gives the same kernel");
    let ops: Vec<Op> = (0..choices.between(2, 8))
        .map(|_| Op::draw(choices))
        .collect();
    let lines: String = ops
        .iter()
        .map(|op| match op.constant() {
            Some(operand) => format!("    v = v {} {operand}u;\n", op.sign()),
            None => "    v += id;\n".into(),
        })
        .collect();
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
        let words = Contents::Words(wanted.clone());
        case.look(
            out,
            &[rule::KIND_SOURCE],
            name,
            Want::same(Unit::Word, words),
        );
    }
    case.case
}
