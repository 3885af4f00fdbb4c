//! Queues, memory and kernels of a device for launches of litmus tests, by either interface.

use super::cl;
use super::ended::NotRun;
use super::host::BuildFailed;
use super::memory::SharedWords;
use super::vulkan;
use crate::device::{OpenDevice, Reached};
use crate::environment::Modules;
use classay_litmus::kernel::TestKernel;
use classay_litmus::program::DomainOp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use touchstone_clc::vulkan::Foreign;

/// What a text does not say itself, in Vulkan.
#[derive(Debug, Clone, Default)]
pub struct Foreigns {
    /// The operations that functions stand for which it declares and does not define, by name.
    pub operations: BTreeMap<String, Foreign>,
    /// The kernels of which several arguments are the same memory.
    pub aliasing: BTreeSet<String>,
    /// What its module is.
    pub modules: Modules,
}

impl Foreigns {
    /// What a test's module has.
    pub fn of(test: &TestKernel, modules: Modules) -> Foreigns {
        let operations = test.operations.all.iter();
        let operations =
            operations.map(|(name, of)| (name.clone(), vulkan::foreign(of, modules.model)));
        Foreigns {
            operations: operations.collect(),
            aliasing: test.aliasing().collect(),
            modules,
        }
    }
}

/// In-order queues of a device, sets of one for each of its parts, with what is built for it.
pub enum Bench {
    /// By OpenCL.
    OpenCl(cl::Bench),
    /// By Vulkan.
    Vulkan(vulkan::Bench),
}

/// An array of 32-bit words that kernels and, for shared memory, host threads work on.
pub enum Words {
    /// Of an OpenCL bench.
    OpenCl(cl::Words),
    /// Of a Vulkan bench.
    Vulkan(vulkan::Words, In),
}

/// A read or a write of words that is under way.
pub enum Transfer {
    /// Of an OpenCL bench.
    OpenCl(cl::Transfer),
    /// Of a Vulkan bench.
    Vulkan(vulkan::Transfer),
}

/// A launch that was enqueued.
pub enum Launched {
    /// Of an OpenCL bench.
    OpenCl(cl::Launched),
    /// Of a Vulkan bench.
    Vulkan(vulkan::Launched),
}

/// What an array of words lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum In {
    /// A buffer object.
    Buffer,
    /// Coarse-grained SVM.
    Coarse,
    /// Fine-grained SVM.
    Fine,
    /// Memory that host threads and kernels use at the same time: fine-grained SVM with atomics, or a buffer in
    /// coherent memory.
    Shared,
    /// In Vulkan, memory that host threads use while no kernel does, and flush and invalidate.
    NonCoherent,
    /// Memory of the host.
    System,
}

/// An argument of a kernel.
pub enum Arg<'a> {
    /// An array of words.
    Words(&'a Words),
    /// The same memory as texels of an image, in Vulkan alone: of a texel buffer, or of a plane that was
    /// [prepared](Bench::as_plane).
    Texels(&'a Words),
    /// One `uint`.
    Uint(u32),
    /// Local memory, in words.
    Local(usize),
}

/// A queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// Its set.
    pub set: usize,
    /// The device, or in Vulkan the queue family, that the set has it for.
    pub part: usize,
    /// Of several queues of the family, in Vulkan: how many after the set's own.
    pub beside: usize,
}

impl At {
    /// A set's own for a part.
    pub fn own(set: usize, part: usize) -> At {
        At {
            set,
            part,
            beside: 0,
        }
    }
}

/// Why a text does not build.
pub struct NotBuilt {
    /// One sentence.
    pub reason: String,
    /// What the compiler said.
    pub log: String,
}

fn failed(reason: String) -> NotRun {
    NotRun::failed(reason)
}

/// A bench's argument that belongs to the other interface.
pub(super) fn mixed() -> NotRun {
    failed("internal error: words of another interface (this is a bug)".into())
}

impl Bench {
    /// Over so many devices of the platform, the first of which collects; in Vulkan over so many queue families of
    /// the device.
    ///
    /// # Errors
    ///
    /// The implementation fails.
    pub fn open(device: &OpenDevice, devices: u8) -> Result<Bench, NotRun> {
        match &device.reached {
            Reached::OpenCl { .. } => cl::Bench::open(device, devices).map(Bench::OpenCl),
            Reached::Vulkan(gpu) => vulkan::Bench::open(gpu, devices)
                .map(Bench::Vulkan)
                .map_err(failed),
        }
    }

    /// Makes sets of queues until there are `sets`.
    pub fn want_queues(&mut self, sets: u8) -> Result<(), NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(bench.want_queues(sets)?),
            Bench::Vulkan(bench) => bench.want_queues(sets.into()).map_err(failed),
        }
    }

    /// Makes queues until there are so many of the family of each set's first. By OpenCL there is no more than that one.
    pub fn want_beside(&mut self, queues: usize) -> Result<(), NotRun> {
        match self {
            Bench::OpenCl(_) => Ok(()),
            Bench::Vulkan(bench) => bench.want_beside(queues).map_err(failed),
        }
    }

    /// Builds a text for every device.
    pub fn build(&mut self, source: &str, foreign: &Foreigns) -> Result<usize, NotBuilt> {
        match self {
            Bench::OpenCl(bench) => bench.build(source).map_err(|failed: BuildFailed| NotBuilt {
                reason: failed.error.to_string(),
                log: failed.said.unwrap_or_default().0,
            }),
            Bench::Vulkan(bench) => bench.build(source, foreign),
        }
    }

    /// A kernel of a built text.
    pub fn kernel(&mut self, program: usize, name: &str) -> Result<usize, NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(bench.kernel(program, name)?),
            Bench::Vulkan(bench) => bench.kernel(program, name).map_err(failed),
        }
    }

    /// An array of `len` words; at least one is allocated.
    pub fn words(&self, len: usize, lies: In) -> Result<Words, NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(Words::OpenCl(bench.words(len, lies)?)),
            Bench::Vulkan(bench) => {
                let words = bench.words(len, lies).map_err(failed)?;
                Ok(Words::Vulkan(words, lies))
            }
        }
    }

    /// Lets words be texels of a plane, too, which they have room for.
    pub fn as_plane(&self, words: &Words) -> Result<(), NotRun> {
        match (self, words) {
            (Bench::Vulkan(bench), Words::Vulkan(words, _)) => {
                bench.as_plane(words).map_err(failed)
            }
            _ => Err(mixed()),
        }
    }

    /// Makes what kernels wrote to words visible to host threads, before these begin.
    pub fn invalidate(&self, words: &Words) -> Result<(), NotRun> {
        match words {
            Words::OpenCl(_) => Ok(()),
            Words::Vulkan(words, _) => words.invalidate().map_err(failed),
        }
    }

    /// Makes what host threads wrote to words available, after these have ended.
    pub fn make_available(&self, words: &Words) -> Result<(), NotRun> {
        match words {
            Words::OpenCl(_) => Ok(()),
            Words::Vulkan(words, _) => words.flush().map_err(failed),
        }
    }

    /// Starts writing words to the start of an array that lies in a buffer.
    pub fn write(&self, set: usize, to: &mut Words, words: Vec<u32>) -> Result<Transfer, NotRun> {
        match (self, to) {
            (Bench::OpenCl(bench), Words::OpenCl(to)) => {
                Ok(Transfer::OpenCl(bench.write(set, to, words)?))
            }
            (Bench::Vulkan(bench), Words::Vulkan(to, _)) => {
                let transfer = bench.write(set, to, &words).map_err(failed)?;
                Ok(Transfer::Vulkan(transfer))
            }
            _ => Err(mixed()),
        }
    }

    /// Starts reading `len` words from word `offset` of an array that lies in a buffer.
    pub fn read(
        &self,
        set: usize,
        from: &Words,
        offset: usize,
        len: usize,
    ) -> Result<Transfer, NotRun> {
        match (self, from) {
            (Bench::OpenCl(bench), Words::OpenCl(from)) => {
                Ok(Transfer::OpenCl(bench.read(set, from, offset, len)?))
            }
            (Bench::Vulkan(bench), Words::Vulkan(from, _)) => {
                let transfer = bench.read(set, from, offset, len).map_err(failed)?;
                Ok(Transfer::Vulkan(transfer))
            }
            _ => Err(mixed()),
        }
    }

    /// Enqueues a kernel: the work-groups of these numbers, of `local` work-items each. By OpenCL the first is 0.
    pub fn launch(
        &self,
        at: At,
        kernel: usize,
        args: &[Arg<'_>],
        groups: Range<usize>,
        local: usize,
    ) -> Result<Launched, NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(Launched::OpenCl(
                bench.launch(at, kernel, args, groups.end, local)?,
            )),
            Bench::Vulkan(bench) => bench
                .launch(at, kernel, args, groups, local)
                .map(Launched::Vulkan),
        }
    }

    /// Says what is to be between the last command of a queue and the next: these operations on memory domains. By
    /// OpenCL commands of a queue are in order with all that they did, and nothing less can be said.
    pub fn order(&self, at: At, operations: &[DomainOp]) {
        match self {
            Bench::OpenCl(_) => {}
            Bench::Vulkan(bench) => bench.order(at, operations),
        }
    }

    /// Lets what a queue gets from now on come after all that another one has, and see it. By OpenCL there is one of each
    /// device.
    pub fn follow(&self, at: At, other: At) -> Result<(), NotRun> {
        match self {
            Bench::OpenCl(_) => Ok(()),
            Bench::Vulkan(bench) => bench.follow(at, other).map_err(failed),
        }
    }

    /// Submits what a queue holds.
    pub fn flush(&self, at: At) -> Result<(), NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(bench.flush(at)?),
            Bench::Vulkan(bench) => bench.flush(at).map_err(failed),
        }
    }

    /// Waits for everything in every queue.
    pub fn finish(&self) -> Result<(), NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(bench.finish()?),
            Bench::Vulkan(bench) => bench.finish().map_err(failed),
        }
    }

    /// The local size, at most `limit`, at which each work-group has `groups` full sub-groups of at
    /// least `width` work-items: the local size and the sub-groups' width.
    pub fn sub_group_shape(
        &self,
        device: u8,
        kernel: usize,
        groups: usize,
        width: usize,
        limit: usize,
    ) -> Option<(usize, usize)> {
        match self {
            Bench::OpenCl(bench) => bench.sub_group_shape(device, kernel, groups, width, limit),
            Bench::Vulkan(bench) => bench.sub_group_shape(groups, width, limit),
        }
    }

    /// Largest work-group of a kernel on a device.
    pub fn max_group(&self, device: u8, kernel: usize) -> Result<usize, NotRun> {
        match self {
            Bench::OpenCl(bench) => Ok(bench.max_group(device, kernel)?),
            Bench::Vulkan(bench) => Ok(bench.max_group()),
        }
    }
}

impl Words {
    /// Those of an OpenCL bench.
    pub(super) fn opencl(&self) -> Result<&cl::Words, NotRun> {
        match self {
            Words::OpenCl(words) => Ok(words),
            Words::Vulkan(..) => Err(mixed()),
        }
    }

    /// Those of a Vulkan bench.
    pub(super) fn vulkan(&self) -> Result<&vulkan::Words, NotRun> {
        match self {
            Words::Vulkan(words, _) => Ok(words),
            Words::OpenCl(_) => Err(mixed()),
        }
    }

    /// The words as host threads see them; none where they may not use them while a kernel does.
    pub fn shared(&self) -> Option<SharedWords> {
        match self {
            Words::OpenCl(words) => words.shared(),
            Words::Vulkan(words, _) => words.shared(),
        }
    }

    /// How many words.
    pub fn len(&self) -> usize {
        match self {
            Words::OpenCl(words) => words.len(),
            Words::Vulkan(words, _) => words.len(),
        }
    }

    /// What they lie in.
    pub fn lies(&self) -> In {
        match self {
            Words::OpenCl(words) => words.lies(),
            Words::Vulkan(_, lies) => *lies,
        }
    }
}

impl Transfer {
    /// Waits for the words.
    pub fn wait(self) -> Result<Vec<u32>, NotRun> {
        match self {
            Transfer::OpenCl(transfer) => Ok(transfer.wait()?),
            Transfer::Vulkan(transfer) => transfer.wait().map_err(failed),
        }
    }
}

impl Launched {
    /// Seconds between start and end by the device's clock, where the device profiles; what the launch did has
    /// been waited for.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Launched::OpenCl(launched) => launched.seconds(),
            Launched::Vulkan(launched) => launched.seconds(),
        }
    }
}
