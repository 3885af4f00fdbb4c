//! Shader modules, their entry points, and launches of these.

#![allow(unsafe_code)]

use super::Words;
use super::memory::Buffer;
use super::stream::{MOST_BUFFERS, Seconds, Stream};
use crate::device::vulkan::gpu::{Gpu, Unusable, says};
use crate::execute::bench::Arg;
use crate::execute::ended::NotRun;
use ash::vk;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use touchstone_clc::vulkan::{Kernel, Parameter, Shader};

/// A shader module.
pub struct Module {
    gpu: Rc<Gpu>,
    handle: vk::ShaderModule,
    kernels: Vec<Kernel>,
}

impl Module {
    /// Takes a module that our own writer made, of what the device has.
    pub fn new(gpu: &Rc<Gpu>, shader: Shader) -> Result<Module, Unusable> {
        let create = vk::ShaderModuleCreateInfo::default().code(&shader.words);
        // SAFETY: the words are such a module.
        let handle = unsafe { gpu.device.create_shader_module(&create, None) };
        Ok(Module {
            gpu: Rc::clone(gpu),
            handle: handle.map_err(says("vkCreateShaderModule"))?,
            kernels: shader.kernels,
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: what was made of it does not need it any more.
        unsafe { self.gpu.device.destroy_shader_module(self.handle, None) };
    }
}

/// What a pipeline is specialised to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Special {
    local: u32,
    /// Words of workgroup memory by specialisation constant.
    sizes: Vec<(u32, u32)>,
}

/// The arguments of a launch, by what they are in the shader.
pub struct Given<'a> {
    /// Buffers of words, by binding.
    buffers: Vec<(u32, &'a Words)>,
    /// Buffers of texels, by binding.
    texels: Vec<(u32, &'a Words)>,
    /// Planes of texels, by binding.
    planes: Vec<(u32, &'a Words)>,
    /// The push constants.
    constants: Vec<u8>,
    /// Words of workgroup memory, by specialisation constant.
    sizes: Vec<(u32, u32)>,
}

impl<'a> Given<'a> {
    /// Sorts the arguments of a kernel.
    pub fn new(kernel: &Kernel, args: &[Arg<'a>]) -> Result<Given<'a>, NotRun> {
        let mut given = Given {
            buffers: Vec::new(),
            texels: Vec::new(),
            planes: Vec::new(),
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
                (Parameter::Texels { binding }, Arg::Texels(words)) => {
                    given.texels.push((binding, words.vulkan()?));
                }
                (Parameter::Image { binding }, Arg::Texels(words)) => {
                    given.planes.push((binding, words.vulkan()?));
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

/// An entry point of a module, with the pipelines that were made of it.
pub struct Built {
    gpu: Rc<Gpu>,
    module: Rc<Module>,
    entry: Kernel,
    set: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: HashMap<Special, vk::Pipeline>,
}

impl Built {
    /// The entry point of this name.
    ///
    /// # Errors
    ///
    /// There is none, or it takes more than the device gives.
    pub fn new(gpu: &Rc<Gpu>, module: &Rc<Module>, name: &str) -> Result<Built, Unusable> {
        let entry = module.kernels.iter().find(|kernel| kernel.name == name);
        let entry = entry.ok_or_else(|| format!("the module has no entry {name}"))?;
        let (mut bindings, mut bytes) = (Vec::new(), 0);
        for parameter in &entry.parameters {
            let mut bind = |binding, kind| {
                bindings.push(
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(kind)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE),
                );
            };
            match *parameter {
                Parameter::Buffer { binding } => {
                    bind(binding, vk::DescriptorType::STORAGE_BUFFER);
                }
                Parameter::Texels { binding } => {
                    bind(binding, vk::DescriptorType::STORAGE_TEXEL_BUFFER);
                }
                Parameter::Image { binding } => bind(binding, vk::DescriptorType::STORAGE_IMAGE),
                Parameter::Constant { offset, bytes: own } => bytes = bytes.max(offset + own),
                Parameter::Local { .. } => {}
            }
        }
        let limit = gpu.limits.max_per_stage_descriptor_storage_buffers;
        let most = limit.min(MOST_BUFFERS);
        if bindings.len() as u32 > most {
            return Err(format!(
                "a kernel takes {} buffers, the device {most}",
                bindings.len()
            ));
        }
        let mut built = Built {
            gpu: Rc::clone(gpu),
            module: Rc::clone(module),
            entry: entry.clone(),
            set: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipelines: HashMap::new(),
        };
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: descriptions that live through the calls.
        unsafe {
            let set = gpu.device.create_descriptor_set_layout(&create, None);
            built.set = set.map_err(says("vkCreateDescriptorSetLayout"))?;
            let (sets, constants) = (
                [built.set],
                [vk::PushConstantRange::default()
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
                    .offset(0)
                    .size(bytes.next_multiple_of(4))],
            );
            let create = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&sets)
                .push_constant_ranges(if bytes > 0 { &constants } else { &[] });
            let layout = gpu.device.create_pipeline_layout(&create, None);
            built.layout = layout.map_err(says("vkCreatePipelineLayout"))?;
        }
        Ok(built)
    }

    /// What it is in its module.
    pub fn entry(&self) -> &Kernel {
        &self.entry
    }

    /// Records a launch of the workgroups of these numbers, of so many invocations each; gives its seconds, once they are known.
    pub fn enqueue(
        &mut self,
        stream: &mut Stream,
        given: Given<'_>,
        (groups, local): (Range<usize>, u32),
    ) -> Result<Seconds, Unusable> {
        let most = self.gpu.limits.max_compute_work_group_count[0];
        let end = u32::try_from(groups.end).ok().filter(|end| *end <= most);
        let end = end.ok_or_else(|| format!("a launch takes at most {most} workgroups"))?;
        let first = groups.start as u32;
        let Given {
            buffers,
            texels,
            planes,
            constants,
            sizes,
        } = given;
        let pipeline = self.pipeline(Special { local, sizes })?;
        let all = buffers.iter().chain(&texels).chain(&planes);
        let uses: Vec<&Rc<Buffer>> = all.map(|(_, words)| &words.buffer).collect();
        let views = texels.iter().map(|(_, words)| Ok([words.buffer.texels()?]));
        let views: Vec<[vk::BufferView; 1]> = views.collect::<Result<_, Unusable>>()?;
        let images = planes.iter().map(|(_, words)| {
            let image = vk::DescriptorImageInfo::default().image_view(words.buffer.plane_view()?);
            Ok([image.image_layout(vk::ImageLayout::GENERAL)])
        });
        let images: Vec<[vk::DescriptorImageInfo; 1]> = images.collect::<Result<_, Unusable>>()?;
        let (set, layout) = ([self.set], self.layout);
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
                let write = |binding, kind| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(sets[0])
                        .dst_binding(binding)
                        .descriptor_type(kind)
                };
                let mut writes: Vec<vk::WriteDescriptorSet<'_>> = buffers
                    .iter()
                    .zip(&infos)
                    .map(|((binding, _), info)| {
                        let write = write(*binding, vk::DescriptorType::STORAGE_BUFFER);
                        write.buffer_info(info)
                    })
                    .collect();
                writes.extend(texels.iter().zip(&views).map(|((binding, _), view)| {
                    let mut write = write(*binding, vk::DescriptorType::STORAGE_TEXEL_BUFFER);
                    write.descriptor_count = 1;
                    write.texel_buffer_view(view)
                }));
                writes.extend(planes.iter().zip(&images).map(|((binding, _), image)| {
                    write(*binding, vk::DescriptorType::STORAGE_IMAGE).image_info(image)
                }));
                device.update_descriptor_sets(&writes, &[]);
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
                if !constants.is_empty() {
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, layout, stages, 0, &constants);
                }
                match first {
                    0 => device.cmd_dispatch(commands, end, 1, 1),
                    _ => device.cmd_dispatch_base(commands, first, 0, 0, end - first, 1, 1),
                }
            }
            Ok(())
        })?;
        Ok(seconds)
    }

    fn pipeline(&mut self, special: Special) -> Result<vk::Pipeline, Unusable> {
        if let Some(pipeline) = self.pipelines.get(&special) {
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
            std::ffi::CString::new(self.entry.name.clone()).map_err(|error| error.to_string())?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module.handle)
            .name(&name)
            .specialization_info(&constants);
        // Any launch may begin with another workgroup than 0, so that one pipeline does for all.
        let flags = vk::PipelineCreateFlags::DISPATCH_BASE;
        let create = [vk::ComputePipelineCreateInfo::default()
            .flags(flags)
            .stage(stage)
            .layout(self.layout)];
        let device = &self.gpu.device;
        // SAFETY: descriptions that live through the call.
        let made = unsafe {
            let cache = vk::PipelineCache::null();
            device.create_compute_pipelines(cache, &create, None)
        };
        let made = made.map_err(|(_, error)| says("vkCreateComputePipelines")(error))?;
        self.pipelines.insert(special, made[0]);
        Ok(made[0])
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        let device = &self.gpu.device;
        // SAFETY: no command uses them any more.
        unsafe {
            for pipeline in self.pipelines.values() {
                device.destroy_pipeline(*pipeline, None);
            }
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set, None);
        }
    }
}
