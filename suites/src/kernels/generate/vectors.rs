//! Vectors that work-items load and store, at every alignment of their elements and in every address space.

use super::builder::{CaseBuilder, args, cl, noise};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Want};
use crate::rule;

/// Types of elements, and their bytes.
const TYPES: [(&str, usize); 10] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("float", 4),
    ("double", 8),
];

/// The bytes of a small number as an element.
fn element(ty: &str, number: u64) -> Vec<u8> {
    match ty {
        "float" => (number as f32).to_le_bytes().into(),
        "double" => (number as f64).to_le_bytes().into(),
        _ => {
            let size = TYPES
                .iter()
                .find(|(name, _)| *name == ty)
                .map_or(8, |(_, size)| *size);
            number.to_le_bytes()[..size].into()
        }
    }
}

/// Room of a work-item's own in an address space, two vectors and a little more, and a pointer to where it begins.
fn room(space: &str, ty: &str, lanes: usize, group: usize, name: &str) -> String {
    let length = 2 * lanes + 6;
    match space {
        "local" => format!(
            "    local {ty} all_{name}[{}];\n    local {ty} *{name} = all_{name} + get_local_id(0) * {length}u;\n",
            group * length
        ),
        _ => format!("    private {ty} {name}[{length}];\n"),
    }
}

/// Work-items store vectors into elements of an array, some beside each other and some with gaps
/// between them: what lies beside a vector stays.
pub fn vectors(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("work-items store vectors and disturb nothing beside them");
    let (ty, size) = choices.one_of(&TYPES);
    let pragma = case.need_type(ty);
    let lanes = choices.one_of(&[2usize, 3, 3, 3, 4, 8, 16]);
    let apart = choices.one_of(&[1usize, 1, 2, 3]);
    let group = choices.one_of(&[1usize, 4, 16]);
    let items = group * choices.between(1, 8);
    // The first element that is stored to, so that vectors lie at every alignment of an element.
    let first = choices.below(5);
    // In either direction; whom a neighbour disturbs depends on who comes first.
    let turned = choices.percent(50);
    let n = if turned {
        format!("{items}u - 1u - (uint)get_global_id(0)")
    } else {
        "(uint)get_global_id(0)".into()
    };
    let values: Vec<String> = (0..lanes)
        .map(|lane| format!("({ty})(n * {lanes}u + {lane}u + 1u)"))
        .collect();
    // Where vectors are loaded from and stored to, beside global memory.
    let from_space = choices.one_of(&["global", "constant", "local", "private"]);
    let to_space = choices.one_of(&["global", "local", "private"]);
    let [skew, slant] = [(); 2].map(|()| choices.below(5));
    let (parameter, load) = match from_space {
        "global" => ("global const", format!("vload{lanes}(n, from)")),
        "constant" => ("constant", format!("vload{lanes}(n, from)")),
        _ => ("global const", format!("vload{lanes}(1, near + {skew})")),
    };
    let mut body = String::new();
    if load.contains("near") {
        body += &room(from_space, ty, lanes, group, "near");
        body += &format!(
            "    for (uint i = 0; i < {lanes}u; i++) near[{skew} + {lanes} + i] = from[n * {lanes}u + i];\n"
        );
    }
    body += &match to_space {
        "global" => format!("    vstore{lanes}({load}, n * {apart}u, through + {first});\n"),
        _ => {
            let (before, after) = (slant + lanes - 1, slant + 2 * lanes);
            format!(
                "{}    far[{before}] = 7;\n    far[{after}] = 9;\n    vstore{lanes}({load}, 1, far + {slant});\n    \
                 const int kept = far[{before}] == 7 && far[{after}] == 9;\n    \
                 for (uint i = 0; i < {lanes}u; i++) through[{first} + n * {apart}u * {lanes}u + i] = kept ? far[{slant} + {lanes} + i] : ({ty})99;\n",
                room(to_space, ty, lanes, group, "far")
            )
        }
    };
    case.case.source = cl!(
        "vectors.cl",
        pragma,
        parameter,
        ty,
        n,
        lanes,
        values = values.join(", "),
        apart,
        first,
        body,
    );
    // A little more than the last vector takes.
    let elements = first + ((items - 1) * apart + 1) * lanes + 4;
    // Numbers with a fraction are not just any bits, which might be a NaN's.
    let source = match ty {
        "float" | "double" => {
            let numbers = (0..items * lanes).map(|_| choices.below(1 << 20) as u64);
            Contents::Bytes(numbers.flat_map(|n| element(ty, n)).collect())
        }
        _ => noise(choices),
    };
    let given = source.bytes(items * lanes * size);
    let from = case.object(Kind::Buffer, given.len(), source);
    let mut outs = Vec::new();
    for loaded in [false, true] {
        let contents = noise(choices);
        let mut wanted = contents.bytes(elements * size);
        for item in 0..items {
            for lane in 0..lanes {
                let at = (first + item * apart * lanes + lane) * size;
                let number = item * lanes + lane;
                let value = if loaded {
                    given[number * size..][..size].to_vec()
                } else {
                    element(ty, number as u64 + 1)
                };
                wanted[at..at + size].copy_from_slice(&value);
            }
        }
        let out = case.object(Kind::Buffer, elements * size, contents);
        outs.push((out, wanted));
    }
    let mut args = args![from];
    args.extend(outs.iter().map(|(out, _)| Arg::from(*out)));
    case.launch("put", args, Range::line(items as u64, group as u64));
    for (out, wanted) in outs {
        let name = format!(
            "the vectors and what lies beside them, from {from_space} to {to_space} memory"
        );
        let want = Want::bytes(wanted);
        case.look(out, &[rule::MM_VISIBLE, rule::KI_COMPLETION], &name, want);
    }
    case.case
}
