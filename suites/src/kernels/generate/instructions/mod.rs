//! Instructions of SPIR-V that are assembled one by one, many of which no translator makes of OpenCL C: each is given
//! operands of a type of any size, as numbers or as vectors, and what it gives is computed here.

mod assemble;
mod piece;
mod table;

use super::builder::CaseBuilder;
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range};
use crate::kernels::code::number::Integer;
use crate::kernels::math::format::Format;
use crate::rule;
use assemble::module;
use classay_vocabulary::Need;
use rspirv::spirv::Op;
use table::{ALL, RARE};

/// Instructions of a case.
const TOGETHER: usize = 12;

/// Pieces of a case of one instruction, each on other types.
const ALONE: usize = 4;

/// Work-items, each with operands of its own.
const ITEMS: usize = 24;

/// The type of an operand or of a result.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    Integer(Integer),
    Real(Format),
    Truth,
}

/// An operand: its type, its lanes, and the bits that each work-item has in each of them.
struct Given {
    of: Lane,
    lanes: usize,
    bits: Vec<Vec<u64>>,
}

/// An instruction in a kernel.
struct Piece {
    op: Op,
    given: Vec<Given>,
    literals: Vec<u32>,
    of: Lane,
    lanes: usize,
    /// What each work-item gets in each lane.
    wanted: Vec<Vec<u64>>,
}

/// What a kernel of instructions computes, of which each of a few cases has others.
pub fn instructions(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a kernel from SPIR-V computes what each instruction says");
    case.need(&[Need::Il, Need::Bits64]);
    let first = choices.below(ALL.len());
    let turn = choices.below(60);
    let formats: &[Format] = match choices.below(4) {
        0 => &[Format::Float],
        1 => &[Format::Half, Format::Float],
        _ => &[Format::Float, Format::Double],
    };
    let rare = choices.percent(45).then(|| choices.pick(RARE)).flatten();
    // Vectors of eight and sixteen lanes take as many operands as several others.
    let wide = choices.percent(25);
    let count = if rare.is_some() || wide {
        ALONE
    } else {
        TOGETHER
    };
    let pieces: Vec<Piece> = (0..count)
        .filter_map(|n| {
            // Next to each other are those of one sort: a case has some of each.
            let row = ALL[(first + n * ALL.len() / count) % ALL.len()];
            choices.part(|choices| {
                Piece::draw(choices, rare.unwrap_or(row), (turn + n, wide), formats)
            })
        })
        .collect();
    for piece in &pieces {
        for of in piece.given.iter().map(|given| given.of).chain([piece.of]) {
            match of {
                Lane::Real(format) => {
                    case.need_type(format.name());
                }
                Lane::Integer(_) | Lane::Truth => {}
            }
        }
    }
    // Every instruction stands in a function or at its place: building does not fail.
    case.case.module = module(&pieces).unwrap_or_default();
    let mut all = Vec::new();
    for given in pieces.iter().flat_map(|piece| &piece.given) {
        for lane in 0..given.lanes {
            all.extend(given.bits.iter().map(|item| item[lane]));
        }
    }
    let from = case.object(Kind::Buffer, 8 * all.len(), Contents::Longs(all));
    let mut args = vec![Arg::from(from)];
    let mut looks = Vec::new();
    for piece in &pieces {
        let to = case.buffer(8 * ITEMS * piece.lanes);
        args.push(Arg::from(to));
        looks.push((to, format!("what {} gave", piece.name()), piece.want()));
    }
    case.launch("apply", args, Range::new(vec![ITEMS as u64], None));
    for (to, name, want) in looks {
        case.look(to, &[rule::KIND_IL], &name, want);
    }
    case.case
}
