//! Vectors that work-items load and store, at every alignment of their elements and in every address space.

use super::builder::{CaseBuilder, noise};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, ObjectId, Range, Want};
use crate::kernels::math::format::Format;
use crate::rule;
use classay_vocabulary::Need;

/// Types of elements, and their bytes.
const TYPES: [(&str, usize); 11] = [
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
    ("half", 2),
];

/// Those that every device has.
const COMMON: usize = 9;

/// Vectors of a kernel, each of a type: a compiler takes longer for several kernels than for one of as many lines.
const TOGETHER: usize = 4;

/// Bytes of local memory that a kernel takes at most.
const LOCAL: usize = 12 << 10;

/// The bytes of a small number as an element.
fn element(ty: &str, size: usize, number: u64) -> Vec<u8> {
    match ty {
        "half" => (Format::Half.bits(number as f64) as u16)
            .to_le_bytes()
            .into(),
        "float" => (number as f32).to_le_bytes().into(),
        "double" => (number as f64).to_le_bytes().into(),
        _ => number.to_le_bytes()[..size].into(),
    }
}

/// Vectors of a type.
struct Part {
    ty: &'static str,
    /// Bytes of an element.
    size: usize,
    lanes: usize,
    /// Where vectors are loaded from and stored to, beside global memory.
    from: &'static str,
    to: &'static str,
    /// Vectors from one to the next.
    apart: usize,
    /// The first element that is stored to, so that vectors lie at every alignment of an element.
    first: usize,
    skew: usize,
    slant: usize,
}

/// A kernel that is being written, for groups of so many work-items.
#[derive(Default)]
struct Written {
    parameters: Vec<String>,
    /// What stands at its beginning.
    declared: String,
    body: String,
    group: usize,
    /// Bytes of local memory that are taken.
    taken: usize,
}

impl Written {
    /// Room of a work-item's own in an address space, two vectors and a little more, and a pointer to where it begins. A
    /// generic pointer leads to private or to local memory.
    fn room(&mut self, space: &str, part: &Part, name: &str, k: usize) -> String {
        let (ty, length) = (part.ty, 2 * part.lanes + 6);
        let bytes = self.group * length * part.size;
        let pointer = if space == "generic" { "" } else { "local " };
        let local = space == "local" || space == "generic" && k.is_multiple_of(2);
        if local && self.taken + bytes <= LOCAL {
            self.taken += bytes;
            self.declared += &format!("    local {ty} {name}_of{k}[{}];\n", self.group * length);
            return format!(
                "        {pointer}{ty} *{name} = {name}_of{k} + get_local_id(0) * {length}u;\n"
            );
        }
        match space {
            "generic" => format!(
                "        private {ty} own_{name}[{length}];\n        {ty} *{name} = own_{name};\n"
            ),
            _ => format!("        private {ty} {name}[{length}];\n"),
        }
    }

    /// Adds what is done about vectors of a type.
    fn add(&mut self, part: &Part, k: usize) {
        let Part {
            ty,
            lanes,
            from,
            to,
            apart,
            first,
            skew,
            slant,
            ..
        } = part;
        let values: Vec<String> = (0..*lanes)
            .map(|lane| format!("({ty})(n * {lanes}u + {lane}u + 1u)"))
            .collect();
        let (parameter, load) = match *from {
            "global" => ("global const", format!("vload{lanes}(n, from{k})")),
            "constant" => ("constant", format!("vload{lanes}(n, from{k})")),
            _ => ("global const", format!("vload{lanes}(1, near + {skew})")),
        };
        self.parameters.push(format!(
            "{parameter} {ty} *from{k}, global {ty} *to{k}, global {ty} *through{k}"
        ));
        let mut body = format!(
            "        {ty}{lanes} value = ({ty}{lanes})({});\n        vstore{lanes}(value, n * {apart}u, to{k} + {first});\n",
            values.join(", ")
        );
        if load.contains("near") {
            body += &self.room(from, part, "near", k);
            body += &format!(
                "        for (uint i = 0; i < {lanes}u; i++) near[{skew} + {lanes} + i] = from{k}[n * {lanes}u + i];\n"
            );
        }
        body += &match *to {
            "global" => {
                format!("        vstore{lanes}({load}, n * {apart}u, through{k} + {first});\n")
            }
            _ => {
                let (before, after) = (slant + lanes - 1, slant + 2 * lanes);
                let room = self.room(to, part, "far", k);
                format!(
                    "{room}        far[{before}] = 7;\n        far[{after}] = 9;\n        vstore{lanes}({load}, 1, far + {slant});\n        \
                     const int kept = far[{before}] == 7 && far[{after}] == 9;\n        \
                     for (uint i = 0; i < {lanes}u; i++) through{k}[{first} + n * {apart}u * {lanes}u + i] = kept ? far[{slant} + {lanes} + i] : ({ty})99;\n",
                )
            }
        };
        self.body += &format!("    {{\n{body}    }}\n");
    }
}

/// Work-items store vectors into elements of an array, some beside each other and some with gaps
/// between them: what lies beside a vector stays.
pub fn vectors(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("work-items store vectors and disturb nothing beside them");
    let group = choices.one_of(&[1usize, 4, 16]);
    let items = group * choices.between(1, 8);
    let parts = parts(choices, &mut case);
    let pragma = case.need_type(parts[0].ty);
    let mut kernel = Written {
        group,
        ..Written::default()
    };
    for (k, part) in parts.iter().enumerate() {
        kernel.add(part, k);
    }
    // In either direction; whom a neighbour disturbs depends on who comes first.
    let turned = choices.percent(50);
    let n = if turned {
        format!("{items}u - 1u - (uint)get_global_id(0)")
    } else {
        "(uint)get_global_id(0)".into()
    };
    case.case.source = format!(
        "{pragma}kernel void put({}) {{\n    uint n = {n};\n{}{}}}\n",
        kernel.parameters.join(", "),
        kernel.declared,
        kernel.body
    );
    let mut args = Vec::new();
    let mut looks = Vec::new();
    for part in &parts {
        let objects = objects(choices, &mut case, part, items, &mut looks);
        args.extend(objects.map(Arg::from));
    }
    case.launch("put", args, Range::line(items as u64, group as u64));
    for (out, wanted, part) in looks {
        let name = format!(
            "the vectors of {}{} and what lies beside them, from {} to {} memory",
            part.ty, part.lanes, part.from, part.to
        );
        let want = Want::bytes(wanted);
        case.look(out, &[rule::MM_VISIBLE, rule::KI_COMPLETION], &name, want);
    }
    case.case
}

/// The vectors of a kernel: types, sizes and address spaces that follow each other. They may be
/// of one type that not every device has.
fn parts(choices: &mut Choices, case: &mut CaseBuilder) -> Vec<Part> {
    let first = choices.below(TYPES.len());
    let [lanes, from, to] = [5, 5, 4].map(|count| choices.below(count));
    let generic = choices.percent(25);
    case.need_if(generic, &[Need::GenericAddressSpace, Need::C20]);
    let spaces = |all: &[&'static str], at: usize| {
        let count = if generic { all.len() } else { all.len() - 1 };
        all[at % count]
    };
    let count = choices.one_of(&[TOGETHER, TOGETHER, 1]);
    let part = |k: usize| {
        let (ty, size) = match k {
            0 => TYPES[first],
            // Of one that is seldom drawn there are all sizes and memories that follow each other.
            _ if first >= COMMON => TYPES[first],
            _ => TYPES[(first + k) % COMMON],
        };
        Part {
            ty,
            size,
            lanes: [2, 3, 4, 8, 16][(lanes + k) % 5],
            from: spaces(
                &["global", "constant", "local", "private", "generic"],
                from + k,
            ),
            to: spaces(&["global", "local", "private", "generic"], to + k),
            apart: choices.one_of(&[1usize, 1, 2, 3]),
            first: choices.below(5),
            skew: choices.below(5),
            slant: choices.below(5),
        }
    };
    (0..count).map(part).collect()
}

/// What a part's vectors are loaded from, what they are stored to, and what goes through; of these what is looked at.
fn objects<'p>(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    part: &'p Part,
    items: usize,
    looks: &mut Vec<(ObjectId, Vec<u8>, &'p Part)>,
) -> [ObjectId; 3] {
    let Part {
        ty,
        size,
        lanes,
        apart,
        first,
        ..
    } = *part;
    // A little more than the last vector takes.
    let elements = first + ((items - 1) * apart + 1) * lanes + 4;
    // Numbers with a fraction are not just any bits, which might be a NaN's.
    let source = match ty {
        "float" | "double" | "half" => {
            let most = if ty == "half" { 1 << 11 } else { 1 << 20 };
            let numbers = (0..items * lanes).map(|_| choices.below(most) as u64);
            Contents::Bytes(numbers.flat_map(|n| element(ty, size, n)).collect())
        }
        _ => noise(choices),
    };
    let given = source.bytes(items * lanes * size);
    let from = case.object(Kind::Buffer, given.len(), source);
    let [to, through] = [false, true].map(|loaded| {
        let contents = noise(choices);
        let mut wanted = contents.bytes(elements * size);
        for item in 0..items {
            for lane in 0..lanes {
                let at = (first + item * apart * lanes + lane) * size;
                let number = item * lanes + lane;
                let value = if loaded {
                    given[number * size..][..size].to_vec()
                } else {
                    element(ty, size, number as u64 + 1)
                };
                wanted[at..at + size].copy_from_slice(&value);
            }
        }
        let out = case.object(Kind::Buffer, elements * size, contents);
        looks.push((out, wanted, part));
        out
    });
    [from, to, through]
}
