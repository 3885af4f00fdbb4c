//! Numbers of half the precision in memory: vectors of them are loaded and stored beside each other, or each at a place of
//! its own alignment.

use super::builder::{CaseBuilder, args, constant, load, numbers as right, store, vector};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range};
use crate::kernels::math::format::{Format, MODES};
use crate::kernels::math::only;
use crate::rule;

/// A number that half the precision holds when it is rounded in any way; seldom one that it is exactly. Numbers that are not
/// normal are no zeros: they "cannot be flushed to zero" ("Half-Precision Floating-Point").
fn number(choices: &mut Choices, format: Format) -> f64 {
    let part = choices.below(1 << 24) as f64 / f64::from(1 << 24);
    let exponent = choices.below(24) as i32 - 12;
    let size = libm::ldexp(1.0 + part, exponent);
    let half = Format::Half;
    let value = match choices.below(14) {
        0 => 0.0,
        8 => libm::ldexp(1.0 + part, choices.below(10) as i32 - 24),
        // Halfway between two that are not normal, and less than half of the least one.
        9 => (choices.below(1024) as f64 + 0.5) * half.at(1),
        10 => libm::ldexp(1.0 + part, -27),
        // Beside the greatest one: rounded up, it is infinite, rounded down it is not.
        11 => half.greatest() + choices.one_of(&[-16.0, 0.0, 8.0, 16.0, 24.0]),
        12 => f64::INFINITY,
        13 => nan(choices),
        1 => Format::Half.nearest(size),
        // Halfway between two.
        2 => Format::Half.down(size) + Format::Half.ulp(size) / 2.0,
        _ => size,
    };
    // Where a float has no place for what is beside it, doubles do not become halves by way of floats.
    let beside = match format == Format::Double && value.is_finite() && choices.percent(30) {
        true => choices.one_of(&[-1.0, 1.0]) * libm::ldexp(half.ulp(value), -35),
        false => 0.0,
    };
    let value = format.nearest(value + beside);
    if choices.percent(50) { -value } else { value }
}

/// A NaN of any fraction, one of all ones among them: what takes it for a number and rounds it gives another.
pub(super) fn nan(choices: &mut Choices) -> f64 {
    let fraction = match choices.below(3) {
        0 => 0,
        1 => (1 << 51) - 1,
        _ => (choices.below(1 << 24) as u64) << 27,
    };
    f64::from_bits(f64::NAN.to_bits() | fraction)
}

/// Where vectors layout, and how they are reached.
struct Layout {
    lanes: usize,
    /// `vloada_half` and `vstorea_half`.
    aligned: bool,
    /// Numbers from one vector to the next.
    apart: usize,
    /// The number that the first one begins at.
    first: usize,
    items: usize,
    /// The last work-item has the first vector.
    turned: bool,
}

impl Layout {
    fn draw(choices: &mut Choices) -> Layout {
        let lanes = choices.one_of(&[1usize, 2, 3, 3, 4, 8, 16]);
        let aligned = lanes > 1 && choices.percent(60);
        Layout {
            lanes,
            aligned,
            // "vloada_half3 reads a half3 from the address computed as (p + (offset * 4))".
            apart: if aligned && lanes == 3 { 4 } else { lanes },
            // An aligned vector begins at a multiple of its size, others anywhere.
            first: if aligned { 0 } else { choices.below(4) },
            items: choices.one_of(&[3usize, 5, 8]),
            turned: choices.percent(50),
        }
    }

    /// Numbers that all of them take, and some behind them.
    fn total(&self) -> usize {
        self.first + self.items * self.apart + 2
    }

    /// The name of what loads or stores them.
    fn function(&self, what: &str) -> String {
        let aligned = if self.aligned { "a" } else { "" };
        vector(&format!("v{what}{aligned}_half"), self.lanes)
    }

    /// The number of a work-item's vector, as a kernel has it.
    fn place(&self) -> String {
        match self.turned {
            true => format!("{}u - i", self.items - 1),
            false => "i".into(),
        }
    }

    /// Where a work-item's vector begins.
    fn begin(&self, item: usize) -> usize {
        let index = if self.turned {
            self.items - 1 - item
        } else {
            item
        };
        self.first + index * self.apart
    }
}

/// Vectors that `vload_half`, `vloada_half` and the like load and store.
pub fn halves(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("numbers of half the precision are loaded and stored");
    let format = match choices.percent(20) {
        true => Format::Double,
        false => Format::Float,
    };
    case.case.source = case.need_type(format.name()).into();
    for n in 0..choices.between(1, 4) {
        let layout = Layout::draw(choices);
        loads(choices, &mut case, n, &layout);
        stores(choices, &mut case, n, &layout, format);
    }
    case.case
}

/// Vectors from global, local or private memory.
fn loads(choices: &mut Choices, case: &mut CaseBuilder, n: usize, layout: &Layout) {
    let (total, first) = (layout.total(), layout.first);
    let space = choices.one_of(&["global", "constant", "local", "private"]);
    let wait = match space {
        "local" => "    barrier(CLK_LOCAL_MEM_FENCE);\n",
        _ => "",
    };
    let (copied, pointer) = match space {
        "global" => (String::new(), "(global const half*)bytes".to_owned()),
        "constant" => (String::new(), "(constant half*)bytes".to_owned()),
        // Bytes may be anything.
        _ => (
            format!(
                "    {space} uchar room[{}] __attribute__((aligned(32)));\n    for (uint b = 0; b < {}u; b++) room[b] = bytes[b];\n{wait}",
                2 * total.next_multiple_of(16),
                2 * total
            ),
            format!("({space} half*)room"),
        ),
    };
    let (name, ty, place) = (
        layout.function("load"),
        vector("float", layout.lanes),
        layout.place(),
    );
    let kept = store(layout.lanes, "value", "loaded", "i");
    let given = match space {
        "constant" => "constant uchar",
        _ => "global const uchar",
    };
    case.case.source += &format!(
        "kernel void load{n}({given} *bytes, global float *loaded) {{\n    uint i = (uint)get_global_id(0);\n{copied}    {ty} value = {name}({place}, {pointer} + {first});\n    {kept}\n}}\n"
    );
    let numbers = (0..total).map(|_| Format::Half.nearest(number(choices, Format::Half)));
    let numbers: Vec<f64> = numbers.collect();
    let bytes = numbers.iter().flat_map(|x| half(*x));
    let bytes = Contents::Bytes(bytes.collect());
    let from = case.object(Kind::Buffer, 2 * total, bytes);
    let loaded = case.unwritten(layout.items * layout.lanes);
    // Each work-item has the local memory of its group for itself.
    let group = if space == "local" { 1 } else { layout.items };
    let range = Range::line(layout.items as u64, group as u64);
    case.launch(format!("load{n}"), args![from, loaded], range);
    let wanted = (0..layout.items).flat_map(|item| {
        let lanes = numbers.iter().skip(layout.begin(item)).take(layout.lanes);
        lanes.map(|x| (named(Format::Half, *x), only(Format::Float, *x)))
    });
    let says = format!("what {name} gave");
    let want = right(Format::Float, wanted);
    case.look(loaded, &[rule::C_REALS], &says, want);
}

/// The statements by which a work-item stores its vector in local or private memory, and brings it to global memory; what
/// it disturbed beside the vector spoils it.
fn through(layout: &Layout, space: &str, name: &str, given: &str) -> String {
    let (place, first, total) = (layout.place(), layout.first, layout.total());
    let (lanes, apart) = (layout.lanes, layout.apart);
    let room = total.next_multiple_of(16);
    format!(
        "    {space} ushort room[{room}] __attribute__((aligned(32)));
    uint begin = {first}u + ({place}) * {apart}u, spoilt = 0;
    for (uint b = 0; b < {total}u; b++) room[b] = (ushort)(b * 3u);
    {name}({given}, {place}, ({space} half*)room + {first});
    for (uint b = 0; b < {total}u; b++)
        if (b < begin || b >= begin + {apart}u) spoilt |= room[b] != (ushort)(b * 3u);
    for (uint b = 0; b < {lanes}u; b++) bits[begin + b] = spoilt ? (ushort)~room[begin + b] : room[begin + b];
"
    )
}

/// Vectors of floats or doubles to global memory or through another, where what lies between them stays.
fn stores(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    n: usize,
    layout: &Layout,
    format: Format,
) {
    let mode = choices.one_of(&MODES);
    let name = layout.function("store") + mode.text();
    let (place, first) = (layout.place(), layout.first);
    let given = load(layout.lanes, "numbers", "i");
    let ty = format.name();
    let space = choices.one_of(&["global", "global", "local", "private"]);
    let stored = match space {
        "global" => format!("    {name}({given}, {place}, (global half*)bits + {first});\n"),
        _ => through(layout, space, &name, &given),
    };
    case.case.source += &format!(
        "kernel void store{n}(global const {ty} *numbers, global ushort *bits) {{\n    uint i = (uint)get_global_id(0);\n{stored}}}\n"
    );
    let numbers = (0..layout.items * layout.lanes).map(|_| number(choices, format));
    let numbers: Vec<f64> = numbers.collect();
    let bytes = numbers.iter().flat_map(|x| {
        let bits = format.bits(*x).to_le_bytes();
        bits.into_iter().take(format.bytes())
    });
    let bytes: Vec<u8> = bytes.collect();
    let from = case.object(Kind::Buffer, bytes.len(), Contents::Bytes(bytes));
    let untouched = vec![0x5a; 2 * layout.total()];
    let before = Format::Half.number(0x5a5a);
    let stays = (
        "what nothing is stored in".to_owned(),
        only(Format::Half, before),
    );
    let mut wanted = vec![stays; layout.total()];
    let out = case.object(Kind::Buffer, untouched.len(), Contents::Bytes(untouched));
    // Each work-item has the local memory of its group for itself.
    let group = if space == "local" { 1 } else { layout.items };
    let range = Range::line(layout.items as u64, group as u64);
    case.launch(format!("store{n}"), args![from, out], range);
    for (number, x) in numbers.iter().enumerate() {
        let at = layout.begin(number / layout.lanes) + number % layout.lanes;
        let stored = Format::Half.rounded(*x, mode);
        wanted[at] = (named(format, *x), only(Format::Half, stored));
    }
    let says = format!("what {name} left");
    if layout.apart == layout.lanes {
        case.look(out, &[rule::C_REALS], &says, right(Format::Half, wanted));
        return;
    }
    // What the fourth place of a vector of three holds is nobody's business.
    case.case.source += &format!(
        "kernel void pick{n}(global const ushort *bits, global ushort *all) {{\n    size_t i = get_global_id(0);\n    all[i] = bits[i / 3 * 4 + i % 3];\n}}\n"
    );
    let three = wanted.chunks_exact(4).take(layout.items);
    let three: Vec<_> = three.flat_map(|four| four[..3].to_vec()).collect();
    let unwritten = Contents::Bytes(vec![0xff; 2 * three.len()]);
    let all = case.object(Kind::Buffer, 2 * three.len(), unwritten);
    let range = Range::line(three.len() as u64, 1);
    case.launch(format!("pick{n}"), args![out, all], range);
    case.look(all, &[rule::C_REALS], &says, right(Format::Half, three));
}

/// A number in a sentence.
fn named(format: Format, x: f64) -> String {
    constant(format.name(), format.bits(x))
}

/// The bytes of a number that half the precision has.
fn half(x: f64) -> [u8; 2] {
    (Format::Half.bits(x) as u16).to_le_bytes()
}
