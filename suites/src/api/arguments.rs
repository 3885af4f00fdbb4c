//! Kernels whose arguments are set in every way: numbers, vectors and structures by value, pointers that are null, local
//! memory of several sizes, images and samplers, in any order, twice, and again on a copy of the kernel; and heads of kernels of every sort,
//! for what they answer.

use crate::choices::Choices;
use crate::host::OfBinary;
use crate::host::scalar::Scalar;
use classay_vocabulary::{Need, words};
use serde::{Deserialize, Serialize};

/// Bytes that the arguments of a kernel have at most, by the least CL_DEVICE_MAX_PARAMETER_SIZE that there may be (256, of
/// the embedded profile), less what pointers need.
const MOST: usize = 210;

/// Bytes of local memory that a kernel is given at most: less than the least CL_DEVICE_LOCAL_MEM_SIZE (1 KB).
const MOST_LOCAL: usize = 900;

/// Pointers to constant memory that a kernel has at most: the least CL_DEVICE_MAX_CONSTANT_ARGS.
const MOST_CONSTANT: usize = 4;

/// Vectors by which local memory is larger where its size is set again.
pub const MORE: usize = 3;

words! {
    /// What a pointer argument is given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Pointee {
        /// NULL for the argument's value.
        Null = "null",
        /// A value that is no memory object.
        Nothing = "nothing",
        /// A buffer.
        Buffer = "buffer",
        /// A part of a buffer, that begins elsewhere.
        Part = "part",
        /// A place inside of shared virtual memory.
        Shared = "shared",
    }
}

words! {
    /// What becomes of the kernel after it was enqueued.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Then {
        /// Some arguments are set again.
        Again = "again",
        /// It is copied, some arguments of the copy are set again, and both are enqueued.
        Copy = "copy",
        /// It is copied, some of its own arguments are set again, and both are enqueued.
        Original = "original",
        /// It is copied, and the copy, too; both are given up, with the program, and some arguments of the last copy are
        /// set again before it is enqueued.
        Heir = "heir",
    }
}

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// A number, or a vector of so many.
    Value {
        /// The type.
        of: Scalar,
        /// How many; 1 for a number.
        width: u8,
    },
    /// A structure of so many bytes.
    Bytes(u8),
    /// A pointer to memory of so many bytes at least.
    Pointer {
        /// To constant memory, not to global.
        constant: bool,
        /// What it is given first.
        first: Pointee,
        /// What it is given when it is set again.
        second: Pointee,
    },
    /// A pointer to local memory for so many vectors.
    Local {
        /// The type of an element.
        of: Scalar,
        /// The width of a vector.
        width: u8,
        /// How many.
        count: u8,
    },
    /// An image of two dimensions that the kernel reads; another one when it is set again.
    Image,
    /// A sampler, with which the kernel reads beside the first image that it has; one of another addressing mode when it
    /// is set again.
    Sampler,
}

/// A kernel and how its arguments are set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The order in which they are set: a number that leaves each out once.
    pub order: Vec<u8>,
    /// Those that are given something else just before.
    pub twice: Vec<u8>,
    /// Those that are set again in the end.
    pub again: Vec<u8>,
    /// Numbers and vectors that are set with too few bytes, too, which is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misfits: Vec<u8>,
    /// What becomes of the kernel.
    pub then: Then,
}

/// A kernel that does nothing, with these parameters, each as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// The parameters.
    pub parameters: Vec<String>,
    /// The kernel is that of a program of the binary, built so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_binary: Option<OfBinary>,
}

/// Work-items of the work-groups that heads require at most.
const REQUIRED: u32 = 8;

impl Then {
    /// Whether it copies the kernel.
    pub fn copies(self) -> bool {
        match self {
            Then::Again => false,
            Then::Copy | Then::Original | Then::Heir => true,
        }
    }
}

impl Parameter {
    /// The bytes of the argument.
    pub fn bytes(self) -> usize {
        match self {
            Parameter::Value { of, width } => of.bytes() * room(width),
            Parameter::Bytes(bytes) => usize::from(bytes),
            Parameter::Pointer { .. }
            | Parameter::Local { .. }
            | Parameter::Image
            | Parameter::Sampler => 8,
        }
    }

    /// Bytes of local memory for it at most.
    fn local_bytes(self) -> usize {
        match self {
            Parameter::Local { of, width, count } => {
                of.bytes() * room(width) * (usize::from(count) + MORE)
            }
            Parameter::Value { .. }
            | Parameter::Bytes(_)
            | Parameter::Pointer { .. }
            | Parameter::Image
            | Parameter::Sampler => 0,
        }
    }
}

/// The elements for which a vector has room: "a 3-component vector data type [has the size] of 4 * sizeof(component)".
pub fn room(width: u8) -> usize {
    match width {
        3 => 4,
        width => usize::from(width),
    }
}

impl Arguments {
    /// What the device must offer.
    pub fn needs(&self) -> Vec<Need> {
        let mut all = Vec::new();
        all.extend(self.then.copies().then_some(Need::Api21));
        let images = self.parameters.contains(&Parameter::Image);
        all.extend(images.then_some(Need::ImageObjects));
        all.extend(self.is_shared().then_some(Need::SvmCoarse));
        all
    }

    /// Whether a pointer is one to shared virtual memory.
    pub fn is_shared(&self) -> bool {
        self.parameters.iter().any(|one| match one {
            Parameter::Pointer { first, second, .. } => [first, second].contains(&&Pointee::Shared),
            Parameter::Value { .. }
            | Parameter::Bytes(_)
            | Parameter::Local { .. }
            | Parameter::Image
            | Parameter::Sampler => false,
        })
    }
}

fn subset(choices: &mut Choices, count: usize, percent: usize) -> Vec<u8> {
    let mut all = Vec::new();
    for n in 0..count {
        all.extend(choices.percent(percent).then_some(n as u8));
    }
    all
}

fn pointee(choices: &mut Choices, shared: bool) -> Pointee {
    match choices.one_of(&Pointee::ALL) {
        Pointee::Shared if !shared => Pointee::Buffer,
        pointee => pointee,
    }
}

/// A parameter; images and shared memory only where these are to be had.
fn parameter(choices: &mut Choices, has_images: bool, shared: bool) -> Parameter {
    if has_images && choices.percent(35) {
        return choices.one_of(&[Parameter::Image, Parameter::Sampler]);
    }
    let width = choices.one_of(&[1, 1, 1, 2, 3, 4, 8, 16, 16]);
    match choices.below(8) {
        0..=2 => Parameter::Value {
            of: choices.one_of(&Scalar::ALL),
            width,
        },
        // Some are longer than what implementations keep beside the others.
        3 => Parameter::Bytes(match choices.percent(50) {
            true => choices.between(65, 130) as u8,
            false => choices.between(1, 40) as u8,
        }),
        4 | 5 => Parameter::Pointer {
            constant: choices.percent(40),
            first: pointee(choices, shared),
            // What takes back what was given is easily forgotten.
            second: match choices.percent(30) {
                true => Pointee::Null,
                false => pointee(choices, shared),
            },
        },
        _ => Parameter::Local {
            of: choices.one_of(&Scalar::ALL),
            width,
            count: choices.between(1, 9) as u8,
        },
    }
}

/// Whether a kernel may have these parameters on every device.
fn fits(parameters: &[Parameter]) -> bool {
    let bytes: usize = parameters.iter().map(|one| one.bytes()).sum();
    let local: usize = parameters.iter().map(|one| one.local_bytes()).sum();
    let constant = |one: &&Parameter| matches!(one, Parameter::Pointer { constant: true, .. });
    let constants = parameters.iter().filter(constant).count();
    bytes <= MOST && local <= MOST_LOCAL && constants <= MOST_CONSTANT
}

/// The same with memory for every pointer.
fn without_null(parameter: Parameter) -> Parameter {
    let some = |pointee| match pointee {
        Pointee::Null | Pointee::Buffer => Pointee::Buffer,
        Pointee::Nothing | Pointee::Part => Pointee::Part,
        Pointee::Shared => Pointee::Shared,
    };
    match parameter {
        Parameter::Pointer {
            constant,
            first,
            second,
        } => Parameter::Pointer {
            constant,
            first: some(first),
            second: some(second),
        },
        Parameter::Value { .. }
        | Parameter::Bytes(_)
        | Parameter::Local { .. }
        | Parameter::Image
        | Parameter::Sampler => parameter,
    }
}

/// A kernel of several parameters.
pub fn arguments(choices: &mut Choices) -> Arguments {
    let then = choices.one_of(&[
        Then::Again,
        Then::Again,
        Then::Copy,
        Then::Original,
        Then::Heir,
    ]);
    // Some implementations die of copies of kernels with null pointers, and show nothing of all the others then.
    let nulls = !then.copies() || choices.percent(40);
    let mut parameters: Vec<Parameter> = Vec::new();
    let has_images = choices.percent(40);
    let shared = choices.percent(40);
    if has_images {
        parameters.push(Parameter::Image);
    }
    for _ in 0..choices.between(4, 9) {
        let one = parameter(choices, has_images, shared);
        parameters.push(if nulls { one } else { without_null(one) });
        if !fits(&parameters) {
            parameters.pop();
        }
    }
    let count = parameters.len();
    let mut left: Vec<u8> = (0..count as u8).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.swap_remove(choices.below(left.len())));
    }
    Arguments {
        order,
        twice: subset(choices, count, 30),
        again: (0..count)
            .filter(|n| choices.percent(if parameters[*n].bytes() > 64 { 85 } else { 50 }))
            .map(|n| n as u8)
            .collect(),
        misfits: (0..count)
            .filter(|n| matches!(parameters[*n], Parameter::Value { .. }) && choices.percent(60))
            .map(|n| n as u8)
            .collect(),
        then,
        parameters,
    }
}

/// Words in any order, as qualifiers may stand.
fn shuffled(choices: &mut Choices, words: &[&str]) -> String {
    let mut left: Vec<&str> = words.to_vec();
    let mut all = Vec::new();
    while !left.is_empty() {
        all.push(left.swap_remove(choices.below(left.len())));
    }
    all.join(" ")
}

const SCALARS: [&str; 14] = [
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "float",
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long",
    "unsigned",
];

/// The type that a parameter or what it points to has: a number, a vector, or one that the program names.
fn type_of(choices: &mut Choices) -> String {
    match choices.below(6) {
        0..=2 => choices.one_of(&SCALARS).to_string(),
        3 | 4 => {
            let scalar = choices.one_of(&Scalar::ALL);
            format!("{scalar}{}", choices.one_of(&[2, 3, 4, 8, 16]))
        }
        _ => choices.one_of(&["pair_t", "four_t"]).to_string(),
    }
}

/// Names beyond what room of a usual size would hold.
const LONG_NAME: &str = "a_name_of_more_than_thirty_two_letters_";
const VERY_LONG_NAME: &str =
    "one_that_has_more_letters_than_the_sixty_three_that_C_tells_apart_at_least_";

/// A parameter named by its number; of images and samplers only where they may be.
fn declared(choices: &mut Choices, n: usize, images: bool) -> String {
    let name = choices.one_of(&["a", "number_", "_x", "Of", LONG_NAME, VERY_LONG_NAME]);
    let name = format!("{name}{n}");
    if images && choices.percent(25) {
        let shapes = [
            "image1d_t",
            "image1d_array_t",
            "image1d_buffer_t",
            "image2d_t",
            "image2d_array_t",
        ];
        return match choices.below(8) {
            0 => format!("sampler_t {name}"),
            1 => format!("read_only image3d_t {name}"),
            2..=4 => format!("{} {name}", choices.one_of(&shapes)),
            n => {
                let access = ["__read_only", "write_only", "__write_only"][n - 5];
                format!("{access} {} {name}", choices.one_of(&shapes))
            }
        };
    }
    let of = type_of(choices);
    if choices.percent(25) {
        let constant = if choices.percent(30) { "const " } else { "" };
        return format!("{constant}{of} {name}");
    }
    let spaces = [
        "global",
        "__global",
        "local",
        "__local",
        "constant",
        "__constant",
    ];
    let count = if n < MOST_CONSTANT { spaces.len() } else { 4 };
    let space = spaces[choices.below(count)];
    let mut words = vec![space, of.as_str()];
    words.extend(choices.percent(40).then_some("const"));
    words.extend(choices.percent(40).then_some("volatile"));
    let words = shuffled(choices, &words);
    let mut behind = Vec::new();
    behind.extend(choices.percent(40).then_some("restrict"));
    behind.extend(choices.percent(20).then_some("const"));
    let behind = shuffled(choices, &behind);
    let star = choices.one_of(&["*", " *", "* ", " * "]);
    format!("{words}{star}{behind} {name}")
}

/// A head of a kernel of several parameters.
pub fn head(choices: &mut Choices) -> Head {
    let images = choices.percent(50);
    let count = choices.between(3, 9);
    let each = (0..count).map(|n| declared(choices, n, images)).collect();
    let sizes = [
        "1, 1, 1", "4, 1, 1", "1, 8, 1", "1, 1, 3", "2, 1, 2", "1, 3, 2", "2,2,2",
    ];
    let vectors = ["float4", "int", "uchar16", "long2"];
    let mut attributes = Vec::new();
    if choices.percent(50) {
        attributes.push(format!("reqd_work_group_size({})", choices.one_of(&sizes)));
    } else if choices.percent(40) {
        attributes.push(format!("work_group_size_hint({})", choices.one_of(&sizes)));
    }
    if choices.percent(40) {
        attributes.push(format!("vec_type_hint({})", choices.one_of(&vectors)));
    }
    Head {
        attributes,
        parameters: each,
        through_binary: OfBinary::drawn(choices, 40),
    }
}

impl Head {
    /// What the device must offer.
    pub fn needs(&self) -> &'static [Need] {
        let of_images = |text: &String| text.contains("image") || text.contains("sampler");
        let requires = |text: &String| text.starts_with("reqd");
        let required = self.attributes.iter().any(requires);
        match (self.parameters.iter().any(of_images), required) {
            (true, true) => &[Need::ImageObjects, Need::WorkGroupSize(REQUIRED)],
            (true, false) => &[Need::ImageObjects],
            (false, true) => &[Need::WorkGroupSize(REQUIRED)],
            (false, false) => &[],
        }
    }
}
