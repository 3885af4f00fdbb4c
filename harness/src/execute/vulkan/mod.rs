//! The Vulkan calls of launches of litmus tests, as functions that are safe to call.
//!
//! Kernels are the entry points of shader modules that touchstone-clc writes: a parameter is a storage buffer, a push
//! constant, or the length of workgroup memory. A [`Bench`] has in-order queues ([`stream`]), and everything that a
//! command uses is kept until the command is complete.

#![allow(unsafe_code)]

mod memory;
mod operation;
pub mod probe;
mod stream;

pub use operation::foreign;

use super::bench::{Arg, Foreigns, NotBuilt};
use super::ended::NotRun;
use super::memory::SharedWords;
use crate::device::vulkan::gpu::{Features, Gpu, Unusable, says};
use ash::vk;
use memory::{Buffer, Use};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stream::{MOST_BUFFERS, Seconds, Stream};
use touchstone_clc::vulkan::{Kernel, Parameter, Shader, Target};
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

    /// How many words.
    pub fn len(&self) -> usize {
        self.len
    }
}

struct Module {
    handle: vk::ShaderModule,
    kernels: Vec<Kernel>,
}

/// What a pipeline is specialised to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Special {
    local: u32,
    /// Words of workgroup memory by specialisation constant.
    sizes: Vec<(u32, u32)>,
}

/// The arguments of a launch, by what they are in the shader.
struct Given<'a> {
    /// By binding.
    buffers: Vec<(u32, &'a Words)>,
    /// The push constants.
    constants: Vec<u8>,
    /// Words of workgroup memory, by specialisation constant.
    sizes: Vec<(u32, u32)>,
}

impl<'a> Given<'a> {
    fn new(kernel: &Kernel, args: &[Arg<'a>]) -> Result<Given<'a>, NotRun> {
        let mut given = Given {
            buffers: Vec::new(),
            constants: Vec::new(),
            sizes: Vec::new(),
        };
        let wrong = || {
            let name = &kernel.name;
            NotRun::failed(format!(
                "internal error: the arguments of {name} are others (this is a bug)"
            ))
        };
        if args.len() != kernel.parameters.len() {
            return Err(wrong());
        }
        for (parameter, arg) in kernel.parameters.iter().zip(args) {
            match (*parameter, arg) {
                (Parameter::Buffer { binding }, Arg::Words(words)) => {
                    given.buffers.push((binding, words.vulkan()?));
                }
                (Parameter::Constant { offset, .. }, Arg::Uint(value)) => {
                    let (from, to) = (offset as usize, offset as usize + 4);
                    given.constants.resize(given.constants.len().max(to), 0);
                    given.constants[from..to].copy_from_slice(&value.to_ne_bytes());
                }
                (Parameter::Local { size_id }, Arg::Local(words)) => {
                    given.sizes.push((size_id, (*words).max(1) as u32));
                }
                _ => return Err(wrong()),
            }
        }
        Ok(given)
    }
}

struct Built {
    module: usize,
    entry: Kernel,
    set: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: HashMap<Special, vk::Pipeline>,
}

/// In-order queues of a device, with what is built for it.
pub struct Bench {
    gpu: Rc<Gpu>,
    streams: Vec<Rc<RefCell<Stream>>>,
    modules: Vec<Module>,
    kernels: RefCell<Vec<Built>>,
    /// Buffers through which the host writes and reads.
    staging: RefCell<Vec<(Use, Rc<Buffer>)>>,
}

/// A text as a shader module for a device.
pub fn shader(source: &str, foreign: &Foreigns, has: Features) -> Result<Shader, BuildFailure> {
    let target = Target {
        int64: has.int64,
        int64_atomics: has.buffer_int64_atomics,
        memory_model: has.memory_model,
        device_scope: has.device_scope,
        foreign: foreign.clone(),
    };
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0").unwrap_or_default(),
        device: language(),
        ..CompileOptions::default()
    };
    compile_for_vulkan(&Source::new("test", source), &options, &target)
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
    /// Over a device, with one queue.
    pub fn open(gpu: &Rc<Gpu>) -> Result<Bench, Unusable> {
        let mut bench = Bench {
            gpu: Rc::clone(gpu),
            streams: Vec::new(),
            modules: Vec::new(),
            kernels: RefCell::default(),
            staging: RefCell::default(),
        };
        bench.want_queues(1)?;
        Ok(bench)
    }

    /// Makes queues until there are so many. Where the device has fewer, some are one.
    pub fn want_queues(&mut self, wanted: usize) -> Result<(), Unusable> {
        let all: Vec<(u32, u32)> = self
            .gpu
            .computing()
            .flat_map(|family| (0..family.queues.min(16)).map(|queue| (family.index, queue)))
            .collect();
        while self.streams.len() < wanted {
            let (family, queue) = all[self.streams.len() % all.len()];
            let stream = Stream::new(&self.gpu, family, queue)?;
            self.streams.push(Rc::new(RefCell::new(stream)));
        }
        Ok(())
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
        let create = vk::ShaderModuleCreateInfo::default().code(&shader.words);
        // SAFETY: the words are a module that our own writer made, of what the device has.
        let handle = unsafe { self.gpu.device.create_shader_module(&create, None) };
        let handle = handle.map_err(|error| NotBuilt {
            reason: says("vkCreateShaderModule")(error),
            log: String::new(),
        })?;
        self.modules.push(Module {
            handle,
            kernels: shader.kernels,
        });
        Ok(self.modules.len() - 1)
    }

    /// A kernel of a module.
    pub fn kernel(&mut self, module: usize, name: &str) -> Result<usize, Unusable> {
        let mut kernels = self.modules[module].kernels.iter();
        let entry = kernels.find(|kernel| kernel.name == name);
        let entry = entry
            .ok_or_else(|| format!("the module has no entry {name}"))?
            .clone();
        let (mut bindings, mut bytes) = (Vec::new(), 0);
        for parameter in &entry.parameters {
            match *parameter {
                Parameter::Buffer { binding } => bindings.push(
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE),
                ),
                Parameter::Constant { offset, bytes: own } => bytes = bytes.max(offset + own),
                Parameter::Local { .. } => {}
            }
        }
        let most = self
            .gpu
            .limits
            .max_per_stage_descriptor_storage_buffers
            .min(MOST_BUFFERS);
        if bindings.len() as u32 > most {
            return Err(format!(
                "a kernel takes {} buffers, the device {most}",
                bindings.len()
            ));
        }
        let device = &self.gpu.device;
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: descriptions that live through the calls.
        let (set, layout) = unsafe {
            let set = device.create_descriptor_set_layout(&create, None);
            let set = set.map_err(says("vkCreateDescriptorSetLayout"))?;
            let (sets, constants) = (
                [set],
                [vk::PushConstantRange::default()
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
                    .offset(0)
                    .size(bytes.next_multiple_of(4))],
            );
            let create = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&sets)
                .push_constant_ranges(if bytes > 0 { &constants } else { &[] });
            let layout = device.create_pipeline_layout(&create, None);
            (set, layout.map_err(says("vkCreatePipelineLayout"))?)
        };
        let mut kernels = self.kernels.borrow_mut();
        kernels.push(Built {
            module,
            entry,
            set,
            layout,
            pipelines: HashMap::new(),
        });
        Ok(kernels.len() - 1)
    }

    /// An array of `len` words; at least one is allocated.
    pub fn words(&self, len: usize, shared: bool) -> Result<Words, Unusable> {
        let r#use = if shared { Use::Shared } else { Use::Device };
        let buffer = Buffer::new(&self.gpu, 4 * len.max(1) as u64, r#use)?;
        Ok(Words {
            buffer: Rc::new(buffer),
            len: len.max(1),
        })
    }

    /// Starts writing words to the start of an array.
    pub fn write(&self, queue: usize, to: &Words, words: &[u32]) -> Result<Transfer, Unusable> {
        assert!(words.len() <= to.len, "a transfer stays inside its array");
        let staging = self.staging(words.len(), Use::ToDevice, Some(words))?;
        let batch = self.copy(queue, (&staging, 0), (&to.buffer, 0), words.len())?;
        Ok(Transfer {
            stream: Rc::clone(&self.streams[queue]),
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
            stream: Rc::clone(&self.streams[queue]),
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
        self.streams[queue]
            .borrow_mut()
            .record(&[from, to], |device, commands, _| {
                if len > 0 {
                    // SAFETY: inside both buffers, which are kept until it is done.
                    unsafe { device.cmd_copy_buffer(commands, source, target, &[region]) };
                }
                Ok(())
            })
    }

    /// Launches a kernel: `groups` workgroups of `local` invocations.
    pub fn launch(
        &self,
        queue: usize,
        kernel: usize,
        args: &[Arg<'_>],
        groups: usize,
        local: usize,
    ) -> Result<Launched, NotRun> {
        let mut kernels = self.kernels.borrow_mut();
        let kernel = &mut kernels[kernel];
        let given = Given::new(&kernel.entry, args)?;
        let launched = self.enqueue(queue, kernel, given, (groups as u64, local as u32));
        launched.map_err(NotRun::failed)
    }

    fn enqueue(
        &self,
        queue: usize,
        kernel: &mut Built,
        given: Given<'_>,
        (groups, local): (u64, u32),
    ) -> Result<Launched, Unusable> {
        let most = self.gpu.limits.max_compute_work_group_count[0];
        let groups = u32::try_from(groups).ok().filter(|groups| *groups <= most);
        let groups = groups.ok_or_else(|| format!("a launch takes at most {most} workgroups"))?;
        let Given {
            buffers,
            constants,
            sizes,
        } = given;
        let pipeline = self.pipeline(kernel, Special { local, sizes })?;
        let uses: Vec<&Rc<Buffer>> = buffers.iter().map(|(_, words)| &words.buffer).collect();
        let (set, layout) = ([kernel.set], kernel.layout);
        let mut stream = self.streams[queue].borrow_mut();
        let (_, seconds) = stream.launch(&uses, |device, commands, pool| {
            let allocate = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&set);
            let whole = |words: &Words| {
                let buffer = vk::DescriptorBufferInfo::default().buffer(words.buffer.handle);
                [buffer.range(vk::WHOLE_SIZE)]
            };
            let infos: Vec<_> = buffers.iter().map(|(_, words)| whole(words)).collect();
            // SAFETY: the set is of the batch's own pool, and written before it is bound; pipeline, layout and
            // buffers live until the batch is complete.
            unsafe {
                let sets = device.allocate_descriptor_sets(&allocate);
                let sets = sets.map_err(says("vkAllocateDescriptorSets"))?;
                let writes: Vec<vk::WriteDescriptorSet<'_>> = buffers
                    .iter()
                    .zip(&infos)
                    .map(|((binding, _), info)| {
                        vk::WriteDescriptorSet::default()
                            .dst_set(sets[0])
                            .dst_binding(*binding)
                            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                            .buffer_info(info)
                    })
                    .collect();
                device.update_descriptor_sets(&writes, &[]);
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
                if !constants.is_empty() {
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, layout, stages, 0, &constants);
                }
                device.cmd_dispatch(commands, groups, 1, 1);
            }
            Ok(())
        })?;
        Ok(Launched(seconds))
    }

    fn pipeline(&self, kernel: &mut Built, special: Special) -> Result<vk::Pipeline, Unusable> {
        if let Some(pipeline) = kernel.pipelines.get(&special) {
            return Ok(*pipeline);
        }
        let mut numbers = vec![(0, special.local), (1, 1), (2, 1)];
        numbers.extend(&special.sizes);
        let mut map = Vec::new();
        let mut data = Vec::new();
        for (id, value) in numbers {
            map.push(
                vk::SpecializationMapEntry::default()
                    .constant_id(id)
                    .offset(data.len() as u32)
                    .size(4),
            );
            data.extend(value.to_ne_bytes());
        }
        let constants = vk::SpecializationInfo::default()
            .map_entries(&map)
            .data(&data);
        let name =
            std::ffi::CString::new(kernel.entry.name.clone()).map_err(|error| error.to_string())?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.modules[kernel.module].handle)
            .name(&name)
            .specialization_info(&constants);
        let create = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(kernel.layout)];
        // SAFETY: descriptions that live through the call.
        let made = unsafe {
            let cache = vk::PipelineCache::null();
            self.gpu
                .device
                .create_compute_pipelines(cache, &create, None)
        };
        let made = made.map_err(|(_, error)| says("vkCreateComputePipelines")(error))?;
        kernel.pipelines.insert(special, made[0]);
        Ok(made[0])
    }

    /// Submits what a queue holds.
    pub fn flush(&self, queue: usize) -> Result<(), Unusable> {
        self.streams[queue].borrow_mut().flush()
    }

    /// Waits for everything in every queue.
    pub fn finish(&self) -> Result<(), Unusable> {
        self.streams
            .iter()
            .try_for_each(|stream| stream.borrow_mut().finish())
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
        let own = self.gpu.subgroup.max(1) as usize;
        let local = groups.max(1) * own;
        (own >= width && local <= limit).then_some((local, own))
    }

    /// Largest workgroup.
    pub fn max_group(&self) -> usize {
        let limits = &self.gpu.limits;
        limits
            .max_compute_work_group_invocations
            .min(limits.max_compute_work_group_size[0]) as usize
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.finish();
        self.streams.clear();
        let device = &self.gpu.device;
        // SAFETY: nothing uses them any more.
        unsafe {
            for kernel in self.kernels.borrow_mut().drain(..) {
                for pipeline in kernel.pipelines.into_values() {
                    device.destroy_pipeline(pipeline, None);
                }
                device.destroy_pipeline_layout(kernel.layout, None);
                device.destroy_descriptor_set_layout(kernel.set, None);
            }
            for module in self.modules.drain(..) {
                device.destroy_shader_module(module.handle, None);
            }
        }
    }
}

#[cfg(test)]
mod tests;
