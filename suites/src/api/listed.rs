//! Objects and lists that few programs ask for, with what the text says of each.

use super::arguments::{self, Arguments, Head};
use super::flagged::{self, Flagged};
use super::made::{self, Made};
use crate::choices::Choices;
use crate::host::Constant;
use crate::host::constant::cl;
use classay_vocabulary::{Need, words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Something that is asked for, by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Listed {
    /// All kernels of a program at once (clCreateKernelsInProgram).
    Kernels {
        /// How many it has.
        count: u8,
    },
    /// Parts of the device (clCreateSubDevices); it may refuse to be divided.
    SubDevices {
        /// How many, of as many compute units each; 0 for as many as there are.
        count: u8,
        /// Compute units of each.
        units: u8,
        /// Besides these, where they are counted, one of so many units more for each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<u8>,
    },
    /// The formats of images (clGetSupportedImageFormats).
    Formats {
        /// What kernels do with them.
        access: Access,
        /// Their shape.
        shape: Shape,
        /// They are over buffers; those of one dimension alone are.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        over: bool,
    },
    /// A part of a buffer, and the flags that it has from it.
    SubBuffer {
        /// The flags of the buffer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        whole: Vec<Flag>,
        /// Those that its part says itself.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<Flag>,
        /// Pages of 4096 bytes of the buffer before it.
        #[serde(default, skip_serializing_if = "is_zero")]
        pages: u8,
    },
    /// References to objects, taken and given back.
    References {
        /// Among them of those that came with OpenCL 2.0 and 2.1.
        #[serde(default)]
        newer: bool,
    },
    /// The timers of host and device.
    Timers,
    /// The devices of the platform, counted and listed in several ways, and contexts of them (clGetDeviceIDs,
    /// clCreateContextFromType).
    Devices,
    /// The compiler is unloaded, and needed again.
    Compiler,
    /// The compiler is unloaded by the function that OpenCL 1.2 replaced (clUnloadCompiler).
    AnyCompiler,
    /// An image as OpenCL 1.1 made it (clCreateImage2D, clCreateImage3D).
    EarlyImage {
        /// Its width, height and depth; a depth of 1 is that of an image of two dimensions.
        size: [u8; 3],
        /// Elements between its rows, and rows between its slices, in the host's memory.
        #[serde(default)]
        apart: [u8; 2],
        /// How it has memory of the host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        memory: Option<Flag>,
    },
    /// The size of work-groups that a launch would have where none is given (clGetKernelSuggestedLocalWorkSize).
    LocalSize {
        /// Work-items of the launch in each dimension.
        items: Vec<u16>,
        /// The first id in each, if these are given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u16>,
        /// The size that the kernel itself requires, which divides that of the launch; empty where it requires none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<u16>,
    },
    /// A kernel whose arguments are set in every way.
    Arguments(Arguments),
    /// What a kernel says of its parameters.
    Head(Head),
    /// An object that is made, and what it says of itself.
    Made(Made),
    /// A buffer, used in every way that its flags allow.
    Flagged(Flagged),
    /// A kernel that runs once (clEnqueueTask).
    Task,
    /// A kernel with memory of its own for each work-group, and the largest work-group that it may have.
    WholeGroup {
        /// Words of local memory.
        words: u8,
    },
    /// A kernel with as many arguments of a sort as any device takes.
    Crowd(Sort),
    /// Queues on the device, of which one after the other becomes the default one (clSetDefaultDeviceCommandQueue).
    DefaultQueue {
        /// How many there are, where the device has so many.
        queues: u8,
    },
}

/// Bytes of a page, at which parts of buffers begin.
pub const PAGE: u32 = 4096;

words! {
    /// A sort of arguments of which a device takes only so many.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Sort {
        /// Pointers to constant memory.
        Constants = "constants",
        /// Samplers.
        Samplers = "samplers",
        /// Images that it reads.
        ReadImages = "read-images",
        /// Images that it writes.
        WrittenImages = "written-images",
    }
}

impl Sort {
    /// How many every device with the full profile takes (CL_DEVICE_MAX_CONSTANT_ARGS, CL_DEVICE_MAX_SAMPLERS and the
    /// like); of images fewer than that, for with as many the other arguments would be more than it takes of all.
    pub fn most(self) -> usize {
        match self {
            Sort::Constants => 8,
            Sort::Samplers => 16,
            Sort::ReadImages | Sort::WrittenImages => 60,
        }
    }
}

words! {
    /// What kernels do with images of a format.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Access {
        /// They read.
        Read = "read",
        /// They write.
        Write = "write",
        /// Some read, and some write.
        ReadOrWrite = "read-or-write",
        /// One reads and writes.
        ReadAndWrite = "read-and-write",
    }
}

words! {
    /// A shape of images.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Shape {
        /// Of two dimensions.
        Plane = "plane",
        /// Of one.
        Line = "line",
        /// Of three.
        Block = "block",
        /// An array of those of one.
        Lines = "lines",
        /// An array of those of two.
        Planes = "planes",
    }
}

words! {
    /// A flag of a memory object.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Flag {
        /// CL_MEM_READ_WRITE.
        ReadWrite = "read-write",
        /// CL_MEM_READ_ONLY.
        ReadOnly = "read-only",
        /// CL_MEM_WRITE_ONLY.
        WriteOnly = "write-only",
        /// CL_MEM_HOST_READ_ONLY.
        HostReads = "host-reads",
        /// CL_MEM_HOST_WRITE_ONLY.
        HostWrites = "host-writes",
        /// CL_MEM_HOST_NO_ACCESS.
        NoHost = "no-host",
        /// CL_MEM_USE_HOST_PTR.
        Uses = "uses",
        /// CL_MEM_ALLOC_HOST_PTR.
        Allocates = "allocates",
        /// CL_MEM_COPY_HOST_PTR.
        Copies = "copies",
        /// CL_MEM_USE_HOST_PTR, of shared virtual memory.
        Shared = "shared",
    }
}

impl Access {
    /// The flag that asks for it.
    pub fn flag(self) -> Constant {
        match self {
            Access::Read => cl::CL_MEM_READ_ONLY,
            Access::Write => cl::CL_MEM_WRITE_ONLY,
            Access::ReadOrWrite => cl::CL_MEM_READ_WRITE,
            Access::ReadAndWrite => cl::CL_MEM_KERNEL_READ_AND_WRITE,
        }
    }
}

impl Shape {
    /// Its name in the headers.
    pub fn constant(self) -> Constant {
        match self {
            Shape::Plane => cl::CL_MEM_OBJECT_IMAGE2D,
            Shape::Line => cl::CL_MEM_OBJECT_IMAGE1D,
            Shape::Block => cl::CL_MEM_OBJECT_IMAGE3D,
            Shape::Lines => cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            Shape::Planes => cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
        }
    }
}

impl Flag {
    /// Its name in the headers.
    pub fn constant(self) -> Constant {
        match self {
            Flag::ReadWrite => cl::CL_MEM_READ_WRITE,
            Flag::ReadOnly => cl::CL_MEM_READ_ONLY,
            Flag::WriteOnly => cl::CL_MEM_WRITE_ONLY,
            Flag::HostReads => cl::CL_MEM_HOST_READ_ONLY,
            Flag::HostWrites => cl::CL_MEM_HOST_WRITE_ONLY,
            Flag::NoHost => cl::CL_MEM_HOST_NO_ACCESS,
            Flag::Uses | Flag::Shared => cl::CL_MEM_USE_HOST_PTR,
            Flag::Allocates => cl::CL_MEM_ALLOC_HOST_PTR,
            Flag::Copies => cl::CL_MEM_COPY_HOST_PTR,
        }
    }
}

fn is_zero(pages: &u8) -> bool {
    *pages == 0
}

impl Listed {
    /// What the device must offer for it.
    fn needs(&self) -> Vec<Need> {
        let all: &[Need] = match self {
            Listed::Arguments(arguments) => return arguments.needs(),
            Listed::Head(head) => head.needs(),
            Listed::Made(made) => made.needs(),
            Listed::Flagged(flagged) => flagged.needs(),
            Listed::Formats {
                access: Access::ReadAndWrite,
                ..
            } => &[Need::ImageObjects, Need::FullProfile, Need::ReadWriteImages],
            Listed::Formats { .. } => &[Need::ImageObjects, Need::FullProfile],
            Listed::Timers | Listed::References { newer: true } => &[Need::Api21],
            Listed::DefaultQueue { .. } => &[Need::Api21, Need::DeviceEnqueue],
            Listed::EarlyImage { .. } => &[Need::ImageObjects, Need::FullProfile],
            Listed::LocalSize { .. } => &[Need::Api31],
            // It writes numbers of 64 bits.
            Listed::WholeGroup { .. } | Listed::Crowd(Sort::Constants) => &[Need::FullProfile],
            Listed::Crowd(_) => &[Need::Images, Need::FullProfile],
            Listed::SubBuffer { whole, pages, .. } => {
                let shared = whole.contains(&Flag::Shared).then_some(Need::SvmCoarse);
                let apart = (*pages > 0).then_some(Need::SubBufferAlign(PAGE));
                return shared.into_iter().chain(apart).collect();
            }
            Listed::Kernels { .. }
            | Listed::SubDevices { .. }
            | Listed::References { newer: false }
            | Listed::Devices
            | Listed::Task
            | Listed::Compiler
            | Listed::AnyCompiler => &[],
        };
        all.to_vec()
    }

    /// The same, as a set.
    pub fn all_needs(&self) -> BTreeSet<Need> {
        self.needs().into_iter().collect()
    }

    /// The formats that must be there, each as its order and its type: those that every version of OpenCL lists
    /// ("Minimum List of Supported Image Formats").
    pub fn formats(access: Access) -> Vec<[Constant; 2]> {
        let usual = [
            cl::CL_UNORM_INT8,
            cl::CL_SIGNED_INT8,
            cl::CL_SIGNED_INT16,
            cl::CL_SIGNED_INT32,
            cl::CL_UNSIGNED_INT8,
            cl::CL_UNSIGNED_INT16,
            cl::CL_UNSIGNED_INT32,
            cl::CL_HALF_FLOAT,
            cl::CL_FLOAT,
        ];
        let mut all: Vec<_> = usual.map(|channel| [cl::CL_RGBA, channel]).into();
        if access == Access::ReadAndWrite {
            all.extend(usual.map(|channel| [cl::CL_R, channel]));
        } else {
            all.push([cl::CL_RGBA, cl::CL_UNORM_INT16]);
            all.push([cl::CL_BGRA, cl::CL_UNORM_INT8]);
        }
        all
    }
}

/// Formats of images, of one shape.
pub fn formats(choices: &mut Choices) -> Listed {
    let shape = choices.one_of(&Shape::ALL);
    let access = match shape {
        // That kernels write them is an extension, or a feature.
        Shape::Block => Access::Read,
        _ => choices.one_of(&Access::ALL),
    };
    let over = shape == Shape::Line && choices.percent(50);
    Listed::Formats {
        access,
        shape,
        over,
    }
}

/// Parts of the device.
pub fn sub_devices(choices: &mut Choices) -> Listed {
    let (count, units) = (choices.below(3) as u8, choices.between(1, 2) as u8);
    let more = match choices.percent(40) && count > 0 {
        true => (0..choices.between(1, 2))
            .map(|_| choices.between(1, 2) as u8)
            .collect(),
        false => Vec::new(),
    };
    Listed::SubDevices { count, units, more }
}

/// Anything but formats of images and sub-devices.
pub fn other(choices: &mut Choices) -> Listed {
    match choices.below(37) {
        35 | 36 => Listed::WholeGroup {
            words: choices.between(16, 200) as u8,
        },
        34 => Listed::DefaultQueue {
            queues: choices.between(1, 3) as u8,
        },
        30 => Listed::Crowd(choices.one_of(&Sort::ALL)),
        26..=28 => Listed::Flagged(flagged::flagged(choices)),
        29 => Listed::Task,
        13..=15 | 31..=33 => Listed::Arguments(arguments::arguments(choices)),
        16 | 17 | 24 | 25 => Listed::Head(arguments::head(choices)),
        2 | 3 | 18..=23 => Listed::Made(made::made(choices)),
        0 | 1 => Listed::Kernels {
            count: match choices.percent(15) {
                true => choices.between(17, 40) as u8,
                false => choices.between(1, 6) as u8,
            },
        },
        4 | 5 => sub_buffer(choices),
        6 => Listed::References {
            newer: choices.percent(60),
        },
        7 => Listed::Timers,
        8 => Listed::Devices,
        10 => Listed::AnyCompiler,
        11 => Listed::EarlyImage {
            size: [(); 3].map(|()| choices.between(1, 5) as u8),
            apart: [choices.below(4) as u8, choices.below(3) as u8],
            memory: choices.one_of(&[None, Some(Flag::Uses), Some(Flag::Copies)]),
        },
        12 => {
            let sizes: &[u16] = &[1, 2, 3, 7, 12, 64, 100];
            let dimensions = choices.between(1, 3);
            let mut one = |n| match (dimensions, n) {
                (1, _) => choices.one_of(&[1, 2, 3, 7, 12, 64, 100, 1000]),
                (_, 0) => choices.pick(sizes).unwrap_or(1),
                _ => choices.between(1, 8) as u16,
            };
            let items: Vec<u16> = (0..dimensions).map(&mut one).collect();
            let offset = choices.percent(40).then(|| choices.below(100) as u16);
            let required = match choices.percent(35) {
                true => items.iter().map(|n| part(choices, *n)).collect(),
                false => Vec::new(),
            };
            Listed::LocalSize {
                items,
                offset,
                required,
            }
        }
        _ => Listed::Compiler,
    }
}

/// A small divisor of a number.
fn part(choices: &mut Choices, of: u16) -> u16 {
    let all: Vec<u16> = (1..=4).filter(|n| of.is_multiple_of(*n)).collect();
    choices.pick(&all).unwrap_or(1)
}

/// What kernels may do with memory, and what the host may, if that is said.
pub(super) fn uses(choices: &mut Choices) -> [Option<Flag>; 2] {
    let access = choices.one_of(&[
        None,
        Some(Flag::ReadWrite),
        Some(Flag::ReadOnly),
        Some(Flag::WriteOnly),
    ]);
    let host = choices.one_of(&[
        None,
        Some(Flag::NoHost),
        Some(Flag::HostReads),
        Some(Flag::HostWrites),
    ]);
    [access, host]
}

/// A part that may say less than its buffer, and nothing against it.
pub fn sub_buffer(choices: &mut Choices) -> Listed {
    let pointer = [
        None,
        Some(Flag::Allocates),
        Some(Flag::Uses),
        Some(Flag::Copies),
        Some(Flag::Shared),
    ];
    let [access, host] = uses(choices);
    let whole = [access, host, choices.one_of(&pointer)];
    let mut own = Vec::new();
    for flag in [access, host].into_iter().flatten() {
        own.extend(choices.percent(20).then_some(flag));
    }
    Listed::SubBuffer {
        whole: whole.into_iter().flatten().collect(),
        own,
        pages: choices.one_of(&[0, 1, 1, 3]),
    }
}
