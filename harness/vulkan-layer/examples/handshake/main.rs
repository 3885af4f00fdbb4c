//! Runs a compute shader through the Vulkan loader, with every call at which the layer can break something, and
//! prints what it computed.
//!
//! Two batches, of which the second waits for the first, dispatch the same shader twice each, with a pipeline barrier
//! between. Each invocation applies x -> 3x + 1 to a word of its own, adds one to a word of all, and one to another
//! where it has seen what its neighbour wrote. The shader is one of the Vulkan memory model where the device has that.
//!
//! With a number as its argument it does so in so many threads at once, each with an instance and a device of its own,
//! and prints what all have computed.
//!
//! Exits with 0; with 3 where there is no loader, 4 where there is no device, and 1 where something fails.

mod shader;

use ash::vk::{self, Handle};
use shader::{ADDITIONS, ALL, NEIGHBOURS, WORDS};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// The size of the buffer.
const BYTES: u64 = 4 * ALL as u64;

/// What ends the program early.
enum End {
    NoLoader(String),
    NoDevice,
    Failed(&'static str, vk::Result),
}

fn main() -> ExitCode {
    let threads = std::env::args().nth(1).map_or(Some(1), |n| n.parse().ok());
    match threads.map(all) {
        None => {
            eprintln!("the argument is a number of threads");
            ExitCode::from(2)
        }
        Some(Ok(computed)) => {
            for text in computed {
                println!("{text}");
            }
            ExitCode::SUCCESS
        }
        Some(Err(End::NoLoader(why))) => {
            eprintln!("no loader: {why}");
            ExitCode::from(3)
        }
        Some(Err(End::NoDevice)) => {
            eprintln!("no device");
            ExitCode::from(4)
        }
        Some(Err(End::Failed(what, result))) => {
            eprintln!("{what}: {result:?}");
            ExitCode::FAILURE
        }
    }
}

/// What so many threads have computed, each text once.
fn all(threads: usize) -> Result<BTreeSet<String>, End> {
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let ended = started.into_iter().map(|thread| {
            let unknown = |_| Err(End::Failed("a thread", vk::Result::ERROR_UNKNOWN));
            thread.join().unwrap_or_else(unknown)
        });
        ended.collect()
    })
}

/// The loader's entry, and its library, which stays loaded with it.
fn entry() -> Result<ash::Entry, End> {
    let gone = |error: libloading::Error| End::NoLoader(error.to_string());
    // SAFETY: the loader's initialization has no conditions; the library is never unloaded, and the type is that of the
    // function.
    let find = unsafe {
        let library = libloading::Library::new("libvulkan.so.1").map_err(gone)?;
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        *library
            .get::<vk::PFN_vkGetInstanceProcAddr>(c"vkGetInstanceProcAddr")
            .map_err(gone)?
    };
    let functions = ash::StaticFn {
        get_instance_proc_addr: find,
    };
    // SAFETY: the loader's function.
    Ok(unsafe { ash::Entry::from_static_fn(functions) })
}

fn failed(what: &'static str) -> impl Fn(vk::Result) -> End {
    move |result| End::Failed(what, result)
}

/// A device with a queue for compute shaders.
struct Found {
    name: String,
    physical: vk::PhysicalDevice,
    family: u32,
    /// Whether it has the second forms of barriers and submits.
    modern: bool,
    /// Whether it has the Vulkan memory model with all its scopes.
    model: bool,
}

fn choose(instance: &ash::Instance) -> Result<Found, End> {
    // SAFETY: a live instance.
    let all = unsafe { instance.enumerate_physical_devices() };
    for physical in all.map_err(failed("vkEnumeratePhysicalDevices"))? {
        // SAFETY: one of the instance's.
        let (families, properties) = unsafe {
            (
                instance.get_physical_device_queue_family_properties(physical),
                instance.get_physical_device_properties(physical),
            )
        };
        let has = |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::COMPUTE);
        if let Some(family) = families.iter().position(has) {
            let modern = properties.api_version >= vk::API_VERSION_1_3;
            let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default();
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut model);
            if modern {
                // SAFETY: a physical device of the instance, of a version that has the structure.
                unsafe { instance.get_physical_device_features2(physical, &mut features) };
            }
            let name = properties.device_name_as_c_str().unwrap_or_default();
            return Ok(Found {
                name: name.to_string_lossy().into_owned(),
                physical,
                family: family as u32,
                modern,
                model: model.vulkan_memory_model & model.vulkan_memory_model_device_scope != 0,
            });
        }
    }
    Err(End::NoDevice)
}

/// The device's name and what it computed.
fn run() -> Result<String, End> {
    let entry = entry()?;
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: a valid create info.
    let instance = match unsafe { entry.create_instance(&info, None) } {
        Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Err(End::NoDevice),
        other => other.map_err(failed("vkCreateInstance"))?,
    };
    let found = choose(&instance)?;
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(found.family)
        .queue_priorities(&[1.0])];
    let mut features = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
    let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default()
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true);
    if found.modern {
        info = info.push_next(&mut features);
    }
    if found.model {
        info = info.push_next(&mut model);
    }
    // SAFETY: a valid create info.
    let device = unsafe { instance.create_device(found.physical, &info, None) };
    let device = device.map_err(failed("vkCreateDevice"))?;
    let code = shader::module(found.model).map_err(|error| {
        eprintln!("the shader: {error}");
        End::Failed("the shader", vk::Result::ERROR_UNKNOWN)
    })?;
    // SAFETY: live objects; everything is done with when they are destroyed.
    unsafe {
        let (result, made) = compute(&instance, &device, &found, &code);
        let _ = device.device_wait_idle();
        for (kind, raw) in made.into_iter().rev() {
            destroy(&device, kind, raw);
        }
        device.destroy_device(None);
        instance.destroy_instance(None);
        let words = result?;
        let model = if found.model { "Vulkan" } else { "GLSL450" };
        let [additions, neighbours] = [ADDITIONS, NEIGHBOURS].map(|at| words[at as usize]);
        Ok(format!(
            "device: {}\nmodel: {model}\nwords: {:?}\nadditions: {additions}\nneighbours: {neighbours}",
            found.name,
            &words[..WORDS as usize],
        ))
    }
}

/// Objects of a device, in the order of their creation.
type Made = Vec<(vk::ObjectType, u64)>;

/// # Safety
/// The object is one of the device, and not in use.
unsafe fn destroy(device: &ash::Device, kind: vk::ObjectType, raw: u64) {
    // SAFETY: the caller's object.
    unsafe {
        match kind {
            vk::ObjectType::BUFFER => device.destroy_buffer(Handle::from_raw(raw), None),
            vk::ObjectType::DEVICE_MEMORY => device.free_memory(Handle::from_raw(raw), None),
            vk::ObjectType::SHADER_MODULE => {
                device.destroy_shader_module(Handle::from_raw(raw), None);
            }
            vk::ObjectType::DESCRIPTOR_SET_LAYOUT => {
                device.destroy_descriptor_set_layout(Handle::from_raw(raw), None);
            }
            vk::ObjectType::PIPELINE_LAYOUT => {
                device.destroy_pipeline_layout(Handle::from_raw(raw), None);
            }
            vk::ObjectType::PIPELINE => device.destroy_pipeline(Handle::from_raw(raw), None),
            vk::ObjectType::DESCRIPTOR_POOL => {
                device.destroy_descriptor_pool(Handle::from_raw(raw), None);
            }
            vk::ObjectType::COMMAND_POOL => {
                device.destroy_command_pool(Handle::from_raw(raw), None);
            }
            vk::ObjectType::SEMAPHORE => device.destroy_semaphore(Handle::from_raw(raw), None),
            vk::ObjectType::FENCE => device.destroy_fence(Handle::from_raw(raw), None),
            other => eprintln!("{other:?} is not destroyed"),
        }
    }
}

/// The words that the shader leaves, and all objects that were made.
///
/// # Safety
/// Live objects that belong together.
unsafe fn compute(
    instance: &ash::Instance,
    device: &ash::Device,
    found: &Found,
    code: &[u32],
) -> (Result<Vec<u32>, End>, Made) {
    let mut made = Made::new();
    // SAFETY: the caller's objects.
    let result = unsafe { steps(instance, device, found, code, &mut made) };
    (result, made)
}

/// A buffer and its memory, which the host sees.
///
/// # Safety
/// Live objects that belong together.
unsafe fn memory(
    instance: &ash::Instance,
    device: &ash::Device,
    found: &Found,
    made: &mut Made,
) -> Result<(vk::Buffer, vk::DeviceMemory), End> {
    let info = vk::BufferCreateInfo::default()
        .size(BYTES)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    // SAFETY: valid create infos, and objects that were made before.
    unsafe {
        let buffer = device.create_buffer(&info, None);
        let buffer = buffer.map_err(failed("vkCreateBuffer"))?;
        made.push((vk::ObjectType::BUFFER, buffer.as_raw()));
        let needs = device.get_buffer_memory_requirements(buffer);
        let kinds = instance.get_physical_device_memory_properties(found.physical);
        let mut kinds = kinds.memory_types_as_slice().iter().enumerate();
        let fits = |(at, kind): &(usize, &vk::MemoryType)| {
            let visible = vk::MemoryPropertyFlags::HOST_VISIBLE;
            needs.memory_type_bits & 1 << at != 0 && kind.property_flags.contains(visible)
        };
        let (kind, _) = kinds.find(fits).ok_or(End::NoDevice)?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(kind as u32);
        let memory = device.allocate_memory(&info, None);
        let memory = memory.map_err(failed("vkAllocateMemory"))?;
        made.push((vk::ObjectType::DEVICE_MEMORY, memory.as_raw()));
        let bound = device.bind_buffer_memory(buffer, memory, 0);
        bound.map_err(failed("vkBindBufferMemory"))?;
        Ok((buffer, memory))
    }
}

/// A pipeline of the shader with its layout, and a set of descriptors of the buffer.
///
/// # Safety
/// Live objects that belong together.
unsafe fn pipeline(
    device: &ash::Device,
    code: &[u32],
    buffer: vk::Buffer,
    made: &mut Made,
) -> Result<(vk::Pipeline, vk::PipelineLayout, vk::DescriptorSet), End> {
    // SAFETY: valid create infos, and objects that were made before.
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(code);
        let module = device.create_shader_module(&info, None);
        let module = module.map_err(failed("vkCreateShaderModule"))?;
        made.push((vk::ObjectType::SHADER_MODULE, module.as_raw()));
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let of_set = device.create_descriptor_set_layout(&info, None);
        let of_set = [of_set.map_err(failed("vkCreateDescriptorSetLayout"))?];
        made.push((vk::ObjectType::DESCRIPTOR_SET_LAYOUT, of_set[0].as_raw()));
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&of_set);
        let layout = device.create_pipeline_layout(&info, None);
        let layout = layout.map_err(failed("vkCreatePipelineLayout"))?;
        made.push((vk::ObjectType::PIPELINE_LAYOUT, layout.as_raw()));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let pipelines = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        let pipelines = pipelines.map_err(|(_, r)| failed("vkCreateComputePipelines")(r))?;
        made.push((vk::ObjectType::PIPELINE, pipelines[0].as_raw()));
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&info, None);
        let pool = pool.map_err(failed("vkCreateDescriptorPool"))?;
        made.push((vk::ObjectType::DESCRIPTOR_POOL, pool.as_raw()));
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&of_set);
        let sets = device.allocate_descriptor_sets(&info);
        let sets = sets.map_err(failed("vkAllocateDescriptorSets"))?;
        let buffers = [vk::DescriptorBufferInfo::default()
            .buffer(buffer)
            .range(BYTES)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&buffers);
        device.update_descriptor_sets(&[write], &[]);
        Ok((pipelines[0], layout, sets[0]))
    }
}

/// All steps from the buffer to its words.
///
/// # Safety
/// Live objects that belong together.
unsafe fn steps(
    instance: &ash::Instance,
    device: &ash::Device,
    found: &Found,
    code: &[u32],
    made: &mut Made,
) -> Result<Vec<u32>, End> {
    // SAFETY: valid structures, and objects that were made before; the device is idle where the host writes or reads.
    unsafe {
        let (buffer, memory) = memory(instance, device, found, made)?;
        let (pipeline, layout, set) = pipeline(device, code, buffer, made)?;
        let whole = [vk::MappedMemoryRange::default()
            .memory(memory)
            .size(vk::WHOLE_SIZE)];
        let mapped = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        let words = mapped.map_err(failed("vkMapMemory"))?.cast::<u32>();
        for at in 0..ALL {
            words
                .add(at as usize)
                .write(if at < WORDS { at } else { 0 });
        }
        let flushed = device.flush_mapped_memory_ranges(&whole);
        flushed.map_err(failed("vkFlushMappedMemoryRanges"))?;

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(found.family);
        let pool = device.create_command_pool(&info, None);
        let pool = pool.map_err(failed("vkCreateCommandPool"))?;
        made.push((vk::ObjectType::COMMAND_POOL, pool.as_raw()));
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(2);
        let commands = device.allocate_command_buffers(&info);
        let commands = commands.map_err(failed("vkAllocateCommandBuffers"))?;
        for &commands in &commands {
            let begun =
                device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default());
            begun.map_err(failed("vkBeginCommandBuffer"))?;
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
            barrier(device, found, commands);
            device.cmd_dispatch(commands, 1, 1, 1);
            let shader = vk::PipelineStageFlags::COMPUTE_SHADER;
            let to_host = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            let flags = vk::DependencyFlags::empty();
            let host = vk::PipelineStageFlags::HOST;
            device.cmd_pipeline_barrier(commands, shader, host, flags, &[to_host], &[], &[]);
            let ended = device.end_command_buffer(commands);
            ended.map_err(failed("vkEndCommandBuffer"))?;
        }
        submit(device, found, &commands, made)?;
        let seen = device.invalidate_mapped_memory_ranges(&whole);
        seen.map_err(failed("vkInvalidateMappedMemoryRanges"))?;
        Ok((0..ALL as usize).map(|at| words.add(at).read()).collect())
    }
}

/// A barrier between two dispatches, in the newest form that there is.
///
/// # Safety
/// Live objects that belong together.
unsafe fn barrier(device: &ash::Device, found: &Found, commands: vk::CommandBuffer) {
    // SAFETY: valid structures.
    unsafe {
        if found.modern {
            let access = vk::AccessFlags2::SHADER_READ | vk::AccessFlags2::SHADER_WRITE;
            let shader = vk::PipelineStageFlags2::COMPUTE_SHADER;
            let between = [vk::MemoryBarrier2::default()
                .src_stage_mask(shader)
                .src_access_mask(access)
                .dst_stage_mask(shader)
                .dst_access_mask(access)];
            let info = vk::DependencyInfo::default().memory_barriers(&between);
            device.cmd_pipeline_barrier2(commands, &info);
        } else {
            let access = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
            let shader = vk::PipelineStageFlags::COMPUTE_SHADER;
            let between = vk::MemoryBarrier::default()
                .src_access_mask(access)
                .dst_access_mask(access);
            let flags = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(commands, shader, shader, flags, &[between], &[], &[]);
        }
    }
}

/// Submits two batches, of which the second waits for the first, and waits for both.
///
/// # Safety
/// Live objects that belong together, and two command buffers.
unsafe fn submit(
    device: &ash::Device,
    found: &Found,
    commands: &[vk::CommandBuffer],
    made: &mut Made,
) -> Result<(), End> {
    // SAFETY: valid structures, and objects that were made before.
    unsafe {
        let queue = device.get_device_queue(found.family, 0);
        let semaphore = device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
        let semaphore = [semaphore.map_err(failed("vkCreateSemaphore"))?];
        made.push((vk::ObjectType::SEMAPHORE, semaphore[0].as_raw()));
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None);
        let fence = fence.map_err(failed("vkCreateFence"))?;
        made.push((vk::ObjectType::FENCE, fence.as_raw()));
        let first = vk::SubmitInfo::default()
            .command_buffers(&commands[..1])
            .signal_semaphores(&semaphore);
        let submitted = device.queue_submit(queue, &[first], vk::Fence::null());
        submitted.map_err(failed("vkQueueSubmit"))?;
        if found.modern {
            let waits = [vk::SemaphoreSubmitInfo::default()
                .semaphore(semaphore[0])
                .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
            let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands[1])];
            let second = vk::SubmitInfo2::default()
                .wait_semaphore_infos(&waits)
                .command_buffer_infos(&commands);
            let submitted = device.queue_submit2(queue, &[second], fence);
            submitted.map_err(failed("vkQueueSubmit2"))?;
        } else {
            let second = vk::SubmitInfo::default()
                .wait_semaphores(&semaphore)
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
                .command_buffers(&commands[1..]);
            let submitted = device.queue_submit(queue, &[second], fence);
            submitted.map_err(failed("vkQueueSubmit"))?;
        }
        let waited = device.wait_for_fences(&[fence], true, u64::MAX);
        waited.map_err(failed("vkWaitForFences"))
    }
}
