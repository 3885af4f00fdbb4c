//! Builds a kernel case, a piece at a time: what the generators of all families share.

use crate::choices::Choices;
use crate::host::Linking;
use crate::host::check::{Bounds, Wanted};
use crate::kernels::case::{
    Arg, Contents, KernelCase, Kind, Launch, Object, ObjectId, Place, Range, Step, Unit, Want,
    Within,
};
use crate::kernels::math::format::Format;
use crate::kernels::transfer::{Move, Transfer};
use crate::rule::RuleId;
use classay_vocabulary::Need;
use std::fmt::Display;

/// Atomics of 64 bits, where they are an extension.
pub(super) const INT64: &str = "\
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
";

/// How units are linked.
pub(super) fn linking(choices: &mut Choices) -> Linking {
    Linking {
        library: choices.percent(50),
        binaries: choices.percent(35),
    }
}

/// A text with values in the places of `@name@`.
pub(super) fn template(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let fill = |text: String, (name, value): &(&str, &dyn Display)| {
        text.replace(&format!("@{name}@"), &value.to_string())
    };
    values.iter().fold(text.into(), fill)
}

/// A program in OpenCL C: a file of `cl/` with values in the places of `@name@`, variables of these names or what they
/// are said to be.
macro_rules! cl {
    ($file:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        crate::kernels::generate::builder::template(
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/kernels/generate/cl/", $file)),
            &[$((stringify!($name), &cl!(@value $name $(= $value)?))),*],
        )
    };
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}
pub(super) use cl;

/// Arguments of a kernel: objects, places, and numbers of 32 and 64 bits.
macro_rules! args {
    ($($arg:expr),* $(,)?) => { vec![$(crate::kernels::case::Arg::from($arg)),*] };
}
pub(super) use args;

/// A type of so many lanes, or a function of it, by the name that it has of one.
pub(super) fn vector(scalar: &str, lanes: usize) -> String {
    match lanes {
        1 => scalar.into(),
        _ => format!("{scalar}{lanes}"),
    }
}

/// An expression that reads the number or the vector at a place of an array of its scalars.
pub(super) fn load(lanes: usize, from: &str, at: &str) -> String {
    match lanes {
        1 => format!("{from}[{at}]"),
        n => format!("vload{n}({at}, {from})"),
    }
}

/// A statement that writes one there.
pub(super) fn store(lanes: usize, what: &str, to: &str, at: &str) -> String {
    match lanes {
        1 => format!("{to}[{at}] = {what};"),
        n => format!("vstore{n}({what}, {at}, {to});"),
    }
}

/// A number of a scalar type as it stands in a program, by its bits.
pub(super) fn constant(scalar: &str, bits: u64) -> String {
    match scalar {
        "half" => format!("as_half((ushort){bits:#x})"),
        "float" => format!("as_float({bits:#x}U)"),
        "double" => format!("as_double({bits:#x}UL)"),
        whole => format!("({whole}){bits:#x}UL"),
    }
}

/// A number or a vector of these numbers, by their bits, as it stands in a program.
pub(super) fn constants(scalar: &str, bits: impl IntoIterator<Item = u64>) -> String {
    let each = bits.into_iter().map(|bits| constant(scalar, bits));
    let each: Vec<String> = each.collect();
    match each.len() {
        1 => each.concat(),
        lanes => format!("({})({})", vector(scalar, lanes), each.join(", ")),
    }
}

/// What numbers of a format have to be, of which each has so many right ones, and the words that say what it is of: where
/// each has one alone, bytes.
pub(super) fn numbers(format: Format, right: impl IntoIterator<Item = (String, Bounds)>) -> Want {
    let wanted = |(of, right)| Wanted { of, right };
    let numbers: Vec<Wanted> = right.into_iter().map(wanted).collect();
    let one = |right: Bounds| right.low == right.high && !right.zero && !right.nan;
    if !numbers.iter().all(|number| one(number.right)) {
        let bytes = format.bytes();
        return Want::Within(Within { bytes, numbers });
    }
    let bytes = numbers.iter().flat_map(|number| {
        let bits = format.bits(format.at(number.right.low)).to_le_bytes();
        bits.into_iter().take(format.bytes())
    });
    let unit = match format {
        Format::Half => Unit::Byte,
        Format::Float => Unit::Word,
        Format::Double => Unit::Long,
    };
    Want::same(unit, Contents::Bytes(bytes.collect()))
}

/// A case that is being made.
#[derive(Default)]
pub(super) struct CaseBuilder {
    pub(super) case: KernelCase,
}

impl CaseBuilder {
    /// A case of which this can be said.
    pub(super) fn new(about: impl Into<String>) -> CaseBuilder {
        let mut builder = CaseBuilder::default();
        builder.case.about = about.into();
        builder
    }

    /// Needs these.
    pub(super) fn need(&mut self, needs: &[Need]) {
        self.case.needs.extend(needs);
    }

    /// Needs these where something holds.
    pub(super) fn need_if(&mut self, holds: bool, needs: &[Need]) {
        if holds {
            self.need(needs);
        }
    }

    /// Needs what a type of numbers needs; gives what declares its extension.
    pub(super) fn need_type(&mut self, ty: &str) -> &'static str {
        match ty {
            "double" => {
                self.need(&[Need::Fp64]);
                "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
            }
            "half" => {
                self.need(&[Need::Fp16]);
                "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
            }
            _ => "",
        }
    }

    /// Needs memory of a kind.
    pub(super) fn need_memory(&mut self, kind: Kind) {
        self.need(match kind {
            Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => &[],
            Kind::SvmCoarse => &[Need::SvmCoarse],
            Kind::SvmFine => &[Need::SvmFine],
            Kind::SvmAtomics => &[Need::SvmFine, Need::SvmAtomics],
            Kind::Host => &[Need::SvmSystem],
        });
    }

    /// A further object.
    pub(super) fn object(&mut self, kind: Kind, bytes: usize, contents: Contents) -> ObjectId {
        let id = ObjectId(self.case.objects.len() as u16);
        self.case.objects.push(Object {
            kind,
            bytes,
            contents,
            alloc_host: false,
            over: None,
            apart: None,
        });
        id
    }

    /// A buffer of zeros.
    pub(super) fn buffer(&mut self, bytes: usize) -> ObjectId {
        self.object(Kind::Buffer, bytes.max(1), Contents::Zero)
    }

    /// A buffer of words of which each work-item has to write its own: all ones before.
    pub(super) fn unwritten(&mut self, words: usize) -> ObjectId {
        self.object(Kind::Buffer, 4 * words, Contents::Every(u32::MAX))
    }

    /// An object full of bytes that look random.
    pub(super) fn noise(&mut self, choices: &mut Choices, kind: Kind, bytes: usize) -> ObjectId {
        self.object(kind, bytes, noise(choices))
    }

    /// A further step.
    pub(super) fn step(&mut self, step: Step) {
        self.case.steps.push(step);
    }

    /// A launch, once, in the first queue.
    pub(super) fn launch(&mut self, kernel: impl Into<String>, args: Vec<Arg>, range: Range) {
        self.run(Launch::new(kernel, args, range));
    }

    /// A launch of any kind.
    pub(super) fn run(&mut self, launch: Launch) {
        self.step(Step::Launch(launch));
    }

    /// A transfer that has to succeed.
    pub(super) fn transfer(&mut self, what: Transfer, blocking: bool) {
        self.step(Step::Move(Move {
            what,
            blocking,
            code: 0,
            rules: Vec::new(),
        }));
    }

    /// A look at an object.
    pub(super) fn look(&mut self, object: ObjectId, rules: &[RuleId], name: &str, want: Want) {
        self.look_at(object, rules, name, want, false);
    }

    /// A look at an object that has to be so even where a side timed out.
    pub(super) fn look_even_so(
        &mut self,
        object: ObjectId,
        rules: &[RuleId],
        name: &str,
        want: Want,
    ) {
        self.look_at(object, rules, name, want, true);
    }

    fn look_at(
        &mut self,
        object: ObjectId,
        rules: &[RuleId],
        name: &str,
        want: Want,
        even_so: bool,
    ) {
        self.step(Step::Look {
            object,
            rules: rules.to_vec(),
            name: name.into(),
            want,
            even_so,
        });
    }
}

/// The work-groups of a range, in the order of their numbers: where each begins, and how large it is.
pub(super) fn groups(range: &Range) -> Vec<([u64; 3], [u64; 3])> {
    let local = range.local.as_deref().unwrap_or_default();
    let [[gx, gy, gz], [sx, sy, sz]] = [&range.global[..], local].map(|list| Range::three(list, 1));
    let mut groups = Vec::new();
    for z in (0..gz).step_by(sz as usize) {
        for y in (0..gy).step_by(sy as usize) {
            for x in (0..gx).step_by(sx as usize) {
                groups.push(([x, y, z], [sx.min(gx - x), sy.min(gy - y), sz.min(gz - z)]));
            }
        }
    }
    groups
}

/// Whether each local size divides its global size.
pub(super) fn divides(global: &[u64], local: &[u64]) -> bool {
    let mut sizes = global.iter().zip(local);
    sizes.all(|(global, local)| global.is_multiple_of(*local))
}

/// Bytes that look random.
pub(super) fn noise(choices: &mut Choices) -> Contents {
    Contents::Noise(choices.below(1 << 30) as u32)
}

/// A place.
pub(super) fn at(object: ObjectId, byte: usize) -> Place {
    Place { object, byte }
}
