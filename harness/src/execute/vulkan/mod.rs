//! The Vulkan calls of launches of litmus tests, as functions that are safe to call.
//!
//! Kernels are the entry points of shader modules that touchstone-clc writes: a parameter is a storage buffer, a push
//! constant, or the length of workgroup memory ([`kernel`]). A [`Bench`] has in-order queues ([`stream`]), and
//! everything that a command uses is kept until the command is complete.

#![allow(unsafe_code)]

mod kernel;
mod memory;
mod operation;
pub mod probe;
mod stream;

pub use memory::SPARE_ROWS;
pub use operation::foreign;
pub use stream::{Dependency, dependencies};

use super::bench::{Arg, At, Foreigns, In, NotBuilt};
use super::ended::NotRun;
use super::memory::SharedWords;
use crate::device::Capabilities;
use crate::device::vulkan::gpu::{Family, Features, Gpu, MOST_QUEUES, Unusable};
use crate::environment::{Images, ModuleModel, Modules, ROW, SubGroupShape};
use ash::vk;
use classay_litmus::kernel::TestKernel;
use classay_litmus::kernel::layout::TEXELS;
use classay_litmus::program::DomainOp;
use kernel::{Built, Given, Module};
use memory::{Buffer, Use, general};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::rc::Rc;
use stream::{Seconds, Stream};
use touchstone_clc::vulkan::{Shader, Target};
use touchstone_clc::{
    BuildFailure, BuildOptions, CompileOptions, DeviceProfile, Source, compile_for_vulkan,
};

/// An array of 32-bit words that shaders work on.
pub struct Words {
    buffer: Rc<Buffer>,
    len: usize,
}

impl Words {
    /// The words as host threads see them; none where the host does not find them.
    pub fn shared(&self) -> Option<SharedWords> {
        self.buffer.shared()
    }

    /// Makes what shaders wrote visible to the host.
    pub fn invalidate(&self) -> Result<(), Unusable> {
        self.buffer.invalidate()
    }

    /// Makes what the host wrote available to submissions.
    pub fn flush(&self) -> Result<(), Unusable> {
        self.buffer.flush()
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.len
    }
}

/// In-order queues of a device, sets of one for each of some queue families, with what is built for it.
pub struct Bench {
    gpu: Rc<Gpu>,
    families: usize,
    streams: Vec<Vec<Rc<RefCell<Stream>>>>,
    /// Further ones, by family and number.
    beside: BTreeMap<(u32, u32), Rc<RefCell<Stream>>>,
    modules: Vec<Rc<Module>>,
    kernels: RefCell<Vec<Built>>,
    /// Buffers through which the host writes and reads.
    staging: RefCell<Vec<(Use, Rc<Buffer>)>>,
}

/// A text as a shader module for a device.
pub fn shader(source: &str, foreign: &Foreigns, has: Features) -> Result<Shader, BuildFailure> {
    let target = Target {
        int64: has.int64,
        int64_atomics: has.buffer_int64_atomics,
        memory_model: has.memory_model && foreign.modules.model == ModuleModel::Vulkan,
        device_scope: has.device_scope,
        foreign: foreign.operations.clone(),
        aliasing: foreign.aliasing.clone(),
        texels: Some(TEXELS.into()),
        row: match foreign.modules.images {
            Images::Texels => None,
            Images::Planes => Some(ROW),
        },
    };
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0").unwrap_or_default(),
        device: language(),
        ..CompileOptions::default()
    };
    compile_for_vulkan(&Source::new("test", source), &options, &target)
}

/// A test's kernels as a shader module, for a device that is not at hand.
///
/// # Errors
///
/// Why they are none.
pub fn module(
    text: &str,
    test: &TestKernel,
    capabilities: &Capabilities,
    modules: Modules,
) -> Result<Shader, String> {
    let has = Features {
        memory_model: capabilities.memory_model,
        device_scope: capabilities.scope_device,
        int64: capabilities.int64,
        buffer_int64_atomics: capabilities.int64_atomics,
        ..Features::default()
    };
    shader(text, &Foreigns::of(test, modules), has).map_err(|failure| {
        let first = failure.log.lines().next().unwrap_or_default();
        format!("it cannot be written as a shader: {first}")
    })
}

/// The OpenCL C in which tests are written: with sub-groups, which every device has.
fn language() -> DeviceProfile {
    let mut profile = DeviceProfile::default();
    profile.extensions.insert("cl_khr_subgroups".into());
    profile.features.insert("__opencl_c_subgroups".into());
    profile
}

/// Buffers kept for transfers, at most.
const MOST_STAGING: usize = 64;

/// One may be this many times as large as asked for.
const SLACK: u64 = 4;

/// A read or write of words that is under way.
pub struct Transfer {
    stream: Rc<RefCell<Stream>>,
    batch: u64,
    staging: Rc<Buffer>,
    len: usize,
}

impl Transfer {
    /// Waits for the words.
    pub fn wait(self) -> Result<Vec<u32>, Unusable> {
        self.stream.borrow_mut().wait(self.batch)?;
        self.staging.get(self.len)
    }
}

/// A launch under way.
pub struct Launched(Seconds);

impl Launched {
    /// Seconds by the device's clock, where it has one and the launch is known to be complete.
    pub fn seconds(&self) -> Option<f64> {
        self.0.get()
    }
}

impl Bench {
    /// Over so many queue families of a device that compute, with one set of queues.
    ///
    /// # Errors
    ///
    /// The device has fewer, or makes no more of something.
    pub fn open(gpu: &Rc<Gpu>, families: u8) -> Result<Bench, Unusable> {
        let families = usize::from(families.max(1));
        let has = gpu.computing().count();
        if has < families {
            return Err(format!(
                "{families} queue families that compute are needed, and the device has {has}"
            ));
        }
        let mut bench = Bench {
            gpu: Rc::clone(gpu),
            families,
            streams: Vec::new(),
            beside: BTreeMap::new(),
            modules: Vec::new(),
            kernels: RefCell::default(),
            staging: RefCell::default(),
        };
        bench.want_queues(1)?;
        Ok(bench)
    }

    /// Makes sets of queues until there are so many. Where the device has fewer, some are one.
    pub fn want_queues(&mut self, wanted: usize) -> Result<(), Unusable> {
        while self.streams.len() < wanted {
            let places = self.places(self.streams.len()).into_iter();
            let set = places.map(|(family, queue)| {
                let stream = Stream::new(&self.gpu, family, queue)?;
                Ok(Rc::new(RefCell::new(stream)))
            });
            let set = set.collect::<Result<_, Unusable>>()?;
            self.streams.push(set);
        }
        Ok(())
    }

    /// Makes queues until there are so many of the family of each set's first. Where the device has fewer, some are one.
    pub fn want_beside(&mut self, wanted: usize) -> Result<(), Unusable> {
        for set in 0..self.streams.len() {
            for beside in 1..wanted {
                let (family, queue) = self.place(At {
                    set,
                    part: 0,
                    beside,
                });
                if let Entry::Vacant(free) = self.beside.entry((family, queue)) {
                    let stream = Stream::new(&self.gpu, family, queue)?;
                    free.insert(Rc::new(RefCell::new(stream)));
                }
            }
        }
        Ok(())
    }

    /// The family and the number of a queue.
    fn place(&self, at: At) -> (u32, u32) {
        let (family, own) = self.places(at.set)[at.part];
        let of = self.gpu.computing().find(|of| of.index == family);
        let queues = of.map_or(1, queues);
        (family, (own + at.beside as u32) % queues)
    }

    /// A queue that was made.
    fn stream(&self, at: At) -> &Rc<RefCell<Stream>> {
        match at.beside {
            0 => &self.streams[at.set][at.part],
            _ => &self.beside[&self.place(at)],
        }
    }

    /// The queues of a set, as family and number: of one family each, or any one.
    fn places(&self, set: usize) -> Vec<(u32, u32)> {
        if self.families == 1 {
            let all: Vec<(u32, u32)> = self
                .gpu
                .computing()
                .flat_map(|family| (0..queues(family)).map(|queue| (family.index, queue)))
                .collect();
            return vec![all[set % all.len()]];
        }
        let families = self.gpu.computing().take(self.families);
        families
            .map(|family| (family.index, set as u32 % queues(family)))
            .collect()
    }

    /// Writes a text as a shader module and takes it.
    pub fn build(&mut self, source: &str, foreign: &Foreigns) -> Result<usize, NotBuilt> {
        let shader = shader(source, foreign, self.gpu.features).map_err(|failure| {
            let first = failure.log.lines().next().unwrap_or_default();
            NotBuilt {
                reason: format!("it cannot be written as a shader: {first}"),
                log: failure.log.clone(),
            }
        })?;
        let module = Module::new(&self.gpu, shader).map_err(|reason| NotBuilt {
            reason,
            log: String::new(),
        })?;
        self.modules.push(Rc::new(module));
        Ok(self.modules.len() - 1)
    }

    /// An array of `len` words; at least one is allocated.
    pub fn words(&self, len: usize, lies: In) -> Result<Words, Unusable> {
        let r#use = match lies {
            In::Shared => Use::Shared,
            In::NonCoherent => Use::NonCoherent,
            In::Buffer | In::Coarse | In::Fine | In::System => Use::Device,
        };
        let buffer = Buffer::new(&self.gpu, 4 * len.max(1) as u64, r#use)?;
        Ok(Words {
            buffer: Rc::new(buffer),
            len: len.max(1),
        })
    }

    /// Lets an array be a plane of texels, too, as far as the device takes so many rows.
    pub fn as_plane(&self, words: &Words) -> Result<(), Unusable> {
        let Some(image) = words.buffer.plane()? else {
            return Ok(());
        };
        let mut stream = self.streams[0][0].borrow_mut();
        let used = [&words.buffer];
        let batch = stream.record(&used, |device, commands, _| {
            general(device, commands, image);
            Ok(())
        })?;
        stream.wait(batch)
    }

    /// Starts writing words to the start of an array.
    pub fn write(&self, queue: usize, to: &Words, words: &[u32]) -> Result<Transfer, Unusable> {
        assert!(words.len() <= to.len, "a transfer stays inside its array");
        let staging = self.staging(words.len(), Use::ToDevice, Some(words))?;
        let batch = self.copy(queue, (&staging, 0), (&to.buffer, 0), words.len())?;
        Ok(Transfer {
            stream: Rc::clone(&self.streams[queue][0]),
            batch,
            staging,
            len: 0,
        })
    }

    /// Starts reading `len` words from word `offset` of an array.
    pub fn read(
        &self,
        queue: usize,
        from: &Words,
        offset: usize,
        len: usize,
    ) -> Result<Transfer, Unusable> {
        assert!(
            offset + len <= from.len,
            "a transfer stays inside its array"
        );
        let staging = self.staging(len, Use::FromDevice, None)?;
        let batch = self.copy(queue, (&from.buffer, offset), (&staging, 0), len)?;
        Ok(Transfer {
            stream: Rc::clone(&self.streams[queue][0]),
            batch,
            staging,
            len,
        })
    }

    /// A buffer that no transfer uses, with these words in it.
    fn staging(
        &self,
        len: usize,
        r#use: Use,
        words: Option<&[u32]>,
    ) -> Result<Rc<Buffer>, Unusable> {
        let bytes = 4 * len as u64;
        let mut all = self.staging.borrow_mut();
        let fits = |(kind, buffer): &(Use, Rc<Buffer>)| {
            let free = Rc::strong_count(buffer) == 1;
            free && *kind == r#use && buffer.size >= bytes && buffer.size / SLACK <= bytes
        };
        let mut buffer = match all.iter().position(fits) {
            Some(at) => all.swap_remove(at).1,
            None => Rc::new(Buffer::new(&self.gpu, bytes, r#use)?),
        };
        if let (Some(words), Some(own)) = (words, Rc::get_mut(&mut buffer)) {
            own.put(words)?;
        }
        if all.len() < MOST_STAGING {
            all.push((r#use, Rc::clone(&buffer)));
        }
        Ok(buffer)
    }

    fn copy(
        &self,
        queue: usize,
        (from, from_word): (&Rc<Buffer>, usize),
        (to, to_word): (&Rc<Buffer>, usize),
        len: usize,
    ) -> Result<u64, Unusable> {
        let region = vk::BufferCopy::default()
            .src_offset(4 * from_word as u64)
            .dst_offset(4 * to_word as u64)
            .size(4 * len as u64);
        let (source, target) = (from.handle, to.handle);
        self.streams[queue][0]
            .borrow_mut()
            .record(&[from, to], |device, commands, _| {
                if len > 0 {
                    // SAFETY: inside both buffers, which are kept until it is done.
                    unsafe { device.cmd_copy_buffer(commands, source, target, &[region]) };
                }
                Ok(())
            })
    }

    /// A kernel of a module.
    pub fn kernel(&mut self, module: usize, name: &str) -> Result<usize, Unusable> {
        let built = Built::new(&self.gpu, &self.modules[module], name)?;
        let mut kernels = self.kernels.borrow_mut();
        kernels.push(built);
        Ok(kernels.len() - 1)
    }

    /// Launches a kernel: the workgroups of these numbers, of `local` invocations each.
    pub fn launch(
        &self,
        at: At,
        kernel: usize,
        args: &[Arg<'_>],
        groups: Range<usize>,
        local: usize,
    ) -> Result<Launched, NotRun> {
        let mut kernels = self.kernels.borrow_mut();
        let kernel = &mut kernels[kernel];
        let given = Given::new(kernel.entry(), args)?;
        let mut stream = self.stream(at).borrow_mut();
        let seconds = kernel.enqueue(&mut stream, given, (groups, local as u32));
        seconds.map(Launched).map_err(NotRun::failed)
    }

    /// Says what is to be between the last command of a queue and the next.
    pub fn order(&self, at: At, operations: &[DomainOp]) {
        self.stream(at).borrow_mut().order(operations);
    }

    /// Lets what a queue gets from now on come after all that another one has.
    pub fn follow(&self, at: At, other: At) -> Result<(), Unusable> {
        let point = self.stream(other).borrow_mut().point()?;
        self.stream(at).borrow_mut().follow(point)
    }

    /// Submits what a queue holds.
    pub fn flush(&self, at: At) -> Result<(), Unusable> {
        self.stream(at).borrow_mut().flush()
    }

    /// Waits for everything in every queue.
    pub fn finish(&self) -> Result<(), Unusable> {
        let mut streams = self.streams.iter().flatten().chain(self.beside.values());
        streams.try_for_each(|stream| stream.borrow_mut().finish())
    }

    /// The local size, at most `limit`, at which each workgroup has `groups` full subgroups of at least `width`
    /// invocations: the local size and the subgroups' width. The width is what the device says; that subgroups are full
    /// is only so where their size divides that of the workgroup.
    pub fn sub_group_shape(
        &self,
        groups: usize,
        width: usize,
        limit: usize,
    ) -> Option<(usize, usize)> {
        let shape = full_sub_groups(self.gpu.subgroup.max(1) as usize, groups, width, limit);
        shape.map(|shape| (shape.local, shape.width))
    }

    /// Largest workgroup.
    pub fn max_group(&self) -> usize {
        let limits = &self.gpu.limits;
        limits
            .max_compute_work_group_invocations
            .min(limits.max_compute_work_group_size[0]) as usize
    }
}

/// The shape of workgroups of at most `limit` invocations with `groups` full subgroups of a device's size `own`, where
/// that is at least `width`.
pub fn full_sub_groups(
    own: usize,
    groups: usize,
    width: usize,
    limit: usize,
) -> Option<SubGroupShape> {
    let local = groups.max(1) * own;
    (own >= width && local <= limit).then_some(SubGroupShape { local, width: own })
}

/// Queues of a family that are used.
fn queues(family: &Family) -> u32 {
    family.queues.clamp(1, MOST_QUEUES)
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.finish();
        self.streams.clear();
        self.beside.clear();
        self.kernels.borrow_mut().clear();
        self.modules.clear();
    }
}

#[cfg(test)]
mod tests;
