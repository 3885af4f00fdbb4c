//! Objects that are made with lists of properties, with descriptions of every shape, and memory that begins where it is
//! asked to: what they answer is asked of all objects.

use super::listed::{Flag, Shape};
use crate::choices::Choices;
use crate::host::Constant;
use crate::host::constant::cl;
use classay_vocabulary::{Extension, Need, words};
use serde::{Deserialize, Serialize};

/// Elements from one row of a plane over a buffer to the next.
pub const PITCH: usize = 256;

words! {
    /// An addressing mode.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Addressing {
        /// CL_ADDRESS_NONE.
        None = "none",
        /// CL_ADDRESS_CLAMP_TO_EDGE.
        ClampToEdge = "clamp-to-edge",
        /// CL_ADDRESS_CLAMP.
        Clamp = "clamp",
        /// CL_ADDRESS_REPEAT, of normalized coordinates.
        Repeat = "repeat",
        /// CL_ADDRESS_MIRRORED_REPEAT, of normalized coordinates.
        Mirrored = "mirrored",
    }
}

words! {
    /// A property of a sampler.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Property {
        /// CL_SAMPLER_NORMALIZED_COORDS.
        Normalized = "normalized",
        /// CL_SAMPLER_ADDRESSING_MODE.
        Addressing = "addressing",
        /// CL_SAMPLER_FILTER_MODE.
        Filter = "filter",
    }
}

words! {
    /// How the properties of a queue are given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Properties {
        /// No list.
        Null = "null",
        /// A list of none.
        Empty = "empty",
        /// A list.
        List = "list",
        /// By the function that OpenCL 2.0 replaced.
        Early = "early",
    }
}

words! {
    /// A memory object whose end is reported.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Ending {
        /// A buffer.
        Buffer = "buffer",
        /// A part of the first buffer.
        Part = "part",
        /// An image of two dimensions.
        Image = "image",
        /// An image over the first buffer.
        Over = "over",
    }
}

words! {
    /// How the host writes to an image.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Writing {
        /// clEnqueueWriteImage.
        #[default]
        Write = "write",
        /// clEnqueueFillImage.
        Fill = "fill",
        /// clEnqueueCopyBufferToImage.
        Buffer = "buffer",
        /// clEnqueueCopyImage, from an image of one dimension.
        Image = "image",
        /// clEnqueueMapImage.
        Map = "map",
    }
}

words! {
    /// The type of the channels of an image over a buffer, which are red, green, blue and alpha.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Elements {
        /// CL_UNSIGNED_INT8.
        #[default]
        Uchar = "uchar",
        /// CL_UNSIGNED_INT16.
        Ushort = "ushort",
        /// CL_UNSIGNED_INT32.
        Uint = "uint",
        /// CL_SIGNED_INT8.
        Char = "char",
        /// CL_SIGNED_INT16.
        Short = "short",
        /// CL_SIGNED_INT32.
        Int = "int",
        /// CL_UNORM_INT8.
        Unorm8 = "unorm8",
        /// CL_UNORM_INT16.
        Unorm16 = "unorm16",
        /// CL_HALF_FLOAT.
        Half = "half",
        /// CL_FLOAT.
        Float = "float",
    }
}

impl Elements {
    /// Its name in the headers, the bytes of a channel, and the end of the names of the functions that read and write it.
    pub fn row(self) -> (Constant, usize, &'static str) {
        match self {
            Elements::Uchar => (cl::CL_UNSIGNED_INT8, 1, "ui"),
            Elements::Ushort => (cl::CL_UNSIGNED_INT16, 2, "ui"),
            Elements::Uint => (cl::CL_UNSIGNED_INT32, 4, "ui"),
            Elements::Char => (cl::CL_SIGNED_INT8, 1, "i"),
            Elements::Short => (cl::CL_SIGNED_INT16, 2, "i"),
            Elements::Int => (cl::CL_SIGNED_INT32, 4, "i"),
            Elements::Unorm8 => (cl::CL_UNORM_INT8, 1, "f"),
            Elements::Unorm16 => (cl::CL_UNORM_INT16, 2, "f"),
            Elements::Half => (cl::CL_HALF_FLOAT, 2, "f"),
            Elements::Float => (cl::CL_FLOAT, 4, "f"),
        }
    }

    fn is_usual(&self) -> bool {
        *self == Elements::default()
    }
}

/// Something that is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// A sampler.
    Sampler {
        /// What it is given, in this order; it has what is usual of the rest.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        given: Vec<Property>,
        /// Its coordinates are normalized.
        normalized: bool,
        /// Its addressing mode.
        addressing: Addressing,
        /// Its filter is linear.
        linear: bool,
        /// It is made by the function that OpenCL 2.0 replaced, which is given all.
        early: bool,
    },
    /// A queue.
    Queue {
        /// How it is given its properties.
        properties: Properties,
        /// CL_QUEUE_PROFILING_ENABLE.
        profiling: bool,
        /// CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE.
        out_of_order: bool,
    },
    /// A context.
    Context {
        /// Its platform is given.
        platform: bool,
        /// CL_CONTEXT_INTEROP_USER_SYNC is given.
        synchronized: Option<bool>,
        /// That is given before the platform.
        first: bool,
        /// How often its device is given.
        times: u8,
    },
    /// An image.
    Image {
        /// Its shape.
        shape: Shape,
        /// Its width, height and depth, of which the last that the shape has counts the images of an array.
        size: [u8; 3],
        /// Elements between its rows, and rows between its slices, in the host's memory.
        apart: [u8; 2],
        /// How it has memory of the host; none is CL_MEM_ALLOC_HOST_PTR or none.
        memory: Option<Flag>,
        /// Members of the description that are not used for the shape are not zero.
        strays: bool,
        /// How often it is mapped at once.
        #[serde(default)]
        maps: u8,
    },
    /// An image over a buffer, which is read and written.
    Over {
        /// It is over a part of the buffer, which begins so many times 4096 bytes behind its beginning.
        begin: Option<u8>,
        /// Its width in elements: 1024 at most in one dimension, and 256 in two.
        width: u16,
        /// It has two dimensions and so many rows, 256 elements apart; none where it has one.
        #[serde(default, skip_serializing_if = "is_zero")]
        rows: u8,
        /// Kernels read and write it; otherwise the host does.
        #[serde(default)]
        kernels: bool,
        /// The kernels ask it for its size and its format.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asks: bool,
        /// How the host writes it.
        #[serde(default)]
        by: Writing,
        /// Its channels.
        #[serde(default, skip_serializing_if = "Elements::is_usual")]
        of: Elements,
    },
    /// Allocations of shared virtual memory.
    Shared {
        /// For each the power of two of its alignment; none is 0.
        alignments: Vec<Option<u8>>,
        /// Bytes of the first; each has one more than that before it.
        bytes: u16,
    },
    /// A buffer and other memory objects, each with callbacks for its end.
    Ends {
        /// The others.
        others: Vec<Ending>,
        /// The order in which all are released; 0 is the buffer.
        order: Vec<u8>,
        /// How many callbacks each has.
        callbacks: u8,
    },
    /// Maps of a buffer.
    Maps {
        /// How it has memory of the host.
        memory: Option<Flag>,
        /// Where each begins, in bytes, and how many it has.
        regions: Vec<[u16; 2]>,
        /// The order in which they are unmapped.
        order: Vec<u8>,
    },
}

impl Made {
    /// The more, the oftener runtimes fail: what comes behind a call that fails is not seen, so these come last.
    pub fn fails_oftener(&self) -> u8 {
        match self {
            Made::Over { .. } => 2,
            Made::Ends { .. } => 1,
            _ => 0,
        }
    }

    /// Whether kernels are compiled for it.
    fn compiles(&self) -> bool {
        matches!(self, Made::Over { kernels: true, .. })
    }

    /// What the device must offer for it.
    pub fn needs(&self) -> &'static [Need] {
        match self {
            Made::Sampler { early: true, .. } => &[Need::ImageObjects],
            Made::Sampler { .. } => &[Need::ImageObjects, Need::Api20],
            Made::Queue {
                out_of_order: true, ..
            } => &[Need::OutOfOrderQueue],
            Made::Over { rows: 1.., .. } => &[
                Need::Images,
                Need::FullProfile,
                Need::Extension(Extension::ImageFromBuffer),
                Need::PitchAlign(PITCH as u32),
            ],
            Made::Over { kernels: true, .. } => &[Need::Images, Need::FullProfile],
            Made::Image { .. } | Made::Over { .. } => &[Need::ImageObjects, Need::FullProfile],
            Made::Shared { .. } => &[Need::SvmCoarse, Need::FullProfile],
            Made::Ends { others, .. } => {
                match others
                    .iter()
                    .any(|one| matches!(one, Ending::Image | Ending::Over))
                {
                    true => &[Need::ImageObjects, Need::FullProfile],
                    false => &[],
                }
            }
            Made::Queue { .. } | Made::Context { .. } | Made::Maps { .. } => &[],
        }
    }
}

/// Some of each form for which no kernel is compiled: soon done, and many on one device.
pub fn some_of_each(choices: &mut Choices) -> Vec<Made> {
    let mut all: Vec<Made> = Vec::new();
    for _ in 0..TRIES {
        let one = made(choices);
        let same = |other: &&Made| std::mem::discriminant(*other) == std::mem::discriminant(&one);
        // Callbacks that never come are waited for, those of each anew.
        let most = if matches!(one, Made::Ends { .. }) {
            1
        } else {
            OF_EACH
        };
        if !one.compiles() && all.iter().filter(same).count() < most {
            all.push(one);
        }
    }
    all.sort_by_key(Made::fails_oftener);
    all
}

/// How many of each form, and among how many that are drawn they are looked for.
const OF_EACH: usize = 3;
const TRIES: usize = 60;

fn some_of<T: Copy, const N: usize>(choices: &mut Choices, all: &[T; N]) -> Vec<T> {
    let mut left = all.to_vec();
    let mut some = Vec::new();
    for _ in 0..choices.below(N + 1) {
        some.push(left.swap_remove(choices.below(left.len())));
    }
    some
}

fn sampler(choices: &mut Choices) -> Made {
    let addressing = choices.one_of(&Addressing::ALL);
    let repeats = matches!(addressing, Addressing::Repeat | Addressing::Mirrored);
    Made::Sampler {
        given: some_of(choices, &Property::ALL),
        // "These values can only be used with normalized coordinates."
        normalized: repeats || choices.percent(50),
        addressing,
        linear: choices.percent(50),
        early: choices.percent(30),
    }
}

fn image(choices: &mut Choices) -> Made {
    let memory = choices.one_of(&[
        None,
        Some(Flag::Allocates),
        Some(Flag::Uses),
        Some(Flag::Copies),
    ]);
    Made::Image {
        shape: choices.one_of(&Shape::ALL),
        size: [(); 3].map(|()| choices.between(1, 7) as u8),
        apart: [choices.below(4) as u8, choices.below(3) as u8],
        memory,
        strays: choices.percent(50),
        maps: choices.below(4) as u8,
    }
}

/// The numbers below this, in any order.
fn in_any_order(choices: &mut Choices, count: usize) -> Vec<u8> {
    let mut left: Vec<u8> = (0..count as u8).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.swap_remove(choices.below(left.len())));
    }
    order
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// A number of things between these, and now and then more than fit into a list of a few.
fn few_or_many(choices: &mut Choices, [least, most]: [usize; 2]) -> usize {
    match choices.percent(15) {
        true => choices.between(9, 18),
        false => choices.between(least, most),
    }
}

fn ends(choices: &mut Choices) -> Made {
    let images = choices.percent(75);
    let count = few_or_many(choices, [1, 4]);
    let one = |choices: &mut Choices| match images {
        true => choices.one_of(&Ending::ALL),
        false => choices.one_of(&[Ending::Buffer, Ending::Part]),
    };
    let others: Vec<Ending> = (0..count).map(|_| one(choices)).collect();
    Made::Ends {
        others,
        order: in_any_order(choices, count + 1),
        callbacks: choices.between(1, 3) as u8,
    }
}

fn maps(choices: &mut Choices) -> Made {
    let count = few_or_many(choices, [2, 4]);
    let mut regions: Vec<[u16; 2]> = Vec::new();
    for n in 0..count {
        // One as the one before it, more often than not.
        let one = match n {
            1.. if choices.percent(40) => regions[n - 1],
            _ => {
                let at = choices.below(200);
                [at as u16, choices.between(1, 256 - at) as u16]
            }
        };
        // Of maps of several lengths at one place nothing says which of them an unmap ends.
        let same = regions.iter().find(|other| other[0] == one[0]);
        let one = same.copied().unwrap_or(one);
        regions.push(one);
    }
    let order = in_any_order(choices, count);
    Made::Maps {
        memory: choices.one_of(&[
            None,
            Some(Flag::Allocates),
            Some(Flag::Uses),
            Some(Flag::Copies),
        ]),
        regions,
        order,
    }
}

/// One of them.
pub fn made(choices: &mut Choices) -> Made {
    match choices.below(14) {
        9 | 10 => ends(choices),
        11..=13 => Made::Over {
            begin: choices.percent(75).then(|| choices.below(4) as u8),
            width: choices.one_of(&[1, 3, 16, 100, 1023, 1024]),
            rows: choices.one_of(&[0, 0, 2, 3, 4]),
            kernels: choices.percent(50),
            asks: choices.percent(30),
            by: choices.one_of(&Writing::ALL),
            of: choices.one_of(&Elements::ALL),
        },
        0 => sampler(choices),
        1 | 2 => Made::Queue {
            properties: choices.one_of(&Properties::ALL),
            profiling: choices.percent(50),
            out_of_order: choices.percent(30),
        },
        3 => Made::Context {
            platform: choices.percent(60),
            synchronized: choices.one_of(&[None, Some(false), Some(true)]),
            first: choices.percent(50),
            times: choices.between(1, 3) as u8,
        },
        4 | 5 => image(choices),
        6 => Made::Shared {
            alignments: (0..choices.between(4, 9))
                .map(|_| choices.percent(85).then(|| choices.below(8) as u8))
                .collect(),
            bytes: choices.between(1, 300) as u16,
        },
        _ => maps(choices),
    }
}
