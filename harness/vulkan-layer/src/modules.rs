//! Modules of SPIR-V that become others before the device sees them.
//!
//! A module is given to `vkCreateShaderModule`, or stands in the chain of a pipeline's stage. There the layer makes a
//! module object of the other one, which is the stage's while the pipeline is created: where a stage has a module,
//! its chain is not asked for one (Vulkan specification, VkPipelineShaderStageCreateInfo). Ray tracing pipelines,
//! whose creation may outlast the call, and shader objects keep the modules that they are given.

use crate::device::{ABSENT, Device, slice};
use crate::effects::Effects;
use crate::loader::structures;
use crate::spirv::mutate;
use ash::vk;
use classay_faults::vulkan::ROWS;
use std::ptr::null;

/// What each fault would change of a module.
fn count(effects: Effects, module: &[u32]) {
    if effects.counts() {
        for row in ROWS {
            if let Some(mutated) = mutate(module, row.fault) {
                effects.add(row.fault, mutated.changed);
            }
        }
    }
}

/// The module of a create info as the active faults change it, one after the other; none where they do not.
///
/// # Safety
/// The create info is valid.
unsafe fn mutated(device: &Device, info: &vk::ShaderModuleCreateInfo<'_>) -> Option<Vec<u32>> {
    if info.p_code.is_null() {
        return None;
    }
    // SAFETY: so many bytes, in words.
    let module =
        unsafe { std::slice::from_raw_parts(info.p_code, info.code_size / size_of::<u32>()) };
    count(device.effects, module);
    let mut changed = None;
    for fault in device.faults.iter() {
        let module = changed.as_deref().unwrap_or(module);
        changed = mutate(module, fault).map(|m| m.words).or(changed);
    }
    changed
}

/// `vkCreateShaderModule`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn create_module(
    device: &Device,
    handle: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    let Some(next) = device.next.create_shader_module else {
        return ABSENT;
    };
    // SAFETY: the caller's arguments.
    unsafe {
        match mutated(device, &*info) {
            None => next(handle, info, allocator, module),
            Some(code) => {
                let other = (*info).code(&code);
                next(handle, &other, allocator, module)
            }
        }
    }
}

/// Stages of pipelines, and the module objects that are theirs while the pipelines are created.
struct Stages<'a> {
    device: &'a Device,
    modules: Vec<vk::ShaderModule>,
}

impl<'a> Stages<'a> {
    fn new(device: &'a Device) -> Stages<'a> {
        Stages {
            device,
            modules: Vec::new(),
        }
    }

    /// The stage with a module object, where the one in its chain is changed; none where it stays as it is.
    ///
    /// # Safety
    /// The stage is valid.
    ///
    /// # Errors
    /// Those of `vkCreateShaderModule`.
    unsafe fn changed<'b>(
        &mut self,
        stage: &vk::PipelineShaderStageCreateInfo<'b>,
    ) -> Result<Option<vk::PipelineShaderStageCreateInfo<'b>>, vk::Result> {
        if stage.module != vk::ShaderModule::null() {
            return Ok(None);
        }
        // SAFETY: the caller's chain.
        let mut chain = unsafe { structures(stage.p_next) };
        let Some((_, info)) =
            chain.find(|(kind, _)| *kind == vk::StructureType::SHADER_MODULE_CREATE_INFO)
        else {
            return Ok(None);
        };
        // SAFETY: the type goes with the kind.
        let info = unsafe { info.cast::<vk::ShaderModuleCreateInfo<'_>>().as_ref() };
        // SAFETY: a create info of the program.
        let Some(code) = (unsafe { mutated(self.device, info) }) else {
            return Ok(None);
        };
        let next = self.device.next.create_shader_module.ok_or(ABSENT)?;
        // The rest of the chain is the stage's.
        let info = vk::ShaderModuleCreateInfo::default()
            .flags(info.flags)
            .code(&code);
        let mut module = vk::ShaderModule::null();
        // SAFETY: a create info, and a place for the handle.
        unsafe { next(self.device.handle, &info, null(), &mut module) }.result()?;
        self.modules.push(module);
        Ok(Some(stage.module(module)))
    }
}

impl Drop for Stages<'_> {
    fn drop(&mut self) {
        if let Some(next) = self.device.next.destroy_shader_module {
            for module in self.modules.drain(..) {
                // SAFETY: a module of the layer's own, that no pipeline is created of any more.
                unsafe { next(self.device.handle, module, null()) };
            }
        }
    }
}

/// No pipelines.
///
/// # Safety
/// There is room for so many.
unsafe fn none(pipelines: *mut vk::Pipeline, count: u32) {
    for at in 0..count as usize {
        // SAFETY: the caller's room.
        unsafe { pipelines.add(at).write(vk::Pipeline::null()) };
    }
}

/// `vkCreateComputePipelines`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn create_compute(
    device: &Device,
    handle: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    let Some(next) = device.next.create_compute_pipelines else {
        return ABSENT;
    };
    let mut stages = Stages::new(device);
    // SAFETY: so many create infos.
    let mut other = unsafe { slice(infos, count) }.to_vec();
    for info in &mut other {
        // SAFETY: a stage of the program.
        match unsafe { stages.changed(&info.stage) } {
            Ok(Some(stage)) => info.stage = stage,
            Ok(None) => {}
            Err(result) => {
                // SAFETY: room for so many.
                unsafe { none(pipelines, count) };
                return result;
            }
        }
    }
    // SAFETY: the caller's arguments, with modules that live.
    unsafe { next(handle, cache, count, other.as_ptr(), allocator, pipelines) }
}

/// `vkCreateGraphicsPipelines`.
///
/// # Safety
/// As the function asks.
pub(crate) unsafe fn create_graphics(
    device: &Device,
    handle: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    let Some(next) = device.next.create_graphics_pipelines else {
        return ABSENT;
    };
    let mut stages = Stages::new(device);
    // SAFETY: so many create infos.
    let mut other = unsafe { slice(infos, count) }.to_vec();
    // The arrays of stages that are not the program's; each stays where it is while the vector grows.
    let mut arrays = Vec::new();
    for info in &mut other {
        // SAFETY: so many stages.
        let mut own = unsafe { slice(info.p_stages, info.stage_count) }.to_vec();
        for stage in &mut own {
            // SAFETY: a stage of the program.
            match unsafe { stages.changed(stage) } {
                Ok(Some(changed)) => *stage = changed,
                Ok(None) => {}
                Err(result) => {
                    // SAFETY: room for so many.
                    unsafe { none(pipelines, count) };
                    return result;
                }
            }
        }
        if !own.is_empty() {
            info.p_stages = own.as_ptr();
            arrays.push(own);
        }
    }
    // SAFETY: the caller's arguments, with stages and modules that live.
    unsafe { next(handle, cache, count, other.as_ptr(), allocator, pipelines) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Next;
    use crate::spirv::tests::vulkan;
    use ash::vk::Handle;
    use classay_faults::VulkanFault;
    use std::cell::RefCell;

    thread_local! {
        /// The modules that were created, by their handles from 1; empty where they were destroyed.
        static MODULES: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
        /// The modules of the stages that pipelines were created of, as they were then.
        static STAGES: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
    }

    unsafe extern "system" fn created(
        _: vk::Device,
        info: *const vk::ShaderModuleCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        module: *mut vk::ShaderModule,
    ) -> vk::Result {
        MODULES.with_borrow_mut(|modules| {
            // SAFETY: a valid create info, and a place for the handle.
            unsafe {
                let length = (*info).code_size / 4;
                let code = std::slice::from_raw_parts((*info).p_code, length);
                modules.push(code.to_vec());
                *module = vk::ShaderModule::from_raw(modules.len() as u64);
            }
        });
        vk::Result::SUCCESS
    }

    unsafe extern "system" fn destroyed(
        _: vk::Device,
        module: vk::ShaderModule,
        _: *const vk::AllocationCallbacks<'_>,
    ) {
        MODULES.with_borrow_mut(|modules| modules[module.as_raw() as usize - 1].clear());
    }

    /// A stage is used: notes its module.
    unsafe fn used(stage: &vk::PipelineShaderStageCreateInfo<'_>) {
        let module = match stage.module.as_raw() {
            // SAFETY: the stages of the tests have a module in their chains.
            0 => unsafe {
                let info = &*stage.p_next.cast::<vk::ShaderModuleCreateInfo<'_>>();
                std::slice::from_raw_parts(info.p_code, info.code_size / 4).to_vec()
            },
            handle => MODULES.with_borrow(|modules| modules[handle as usize - 1].clone()),
        };
        STAGES.with_borrow_mut(|stages| stages.push(module));
    }

    unsafe extern "system" fn compute(
        _: vk::Device,
        _: vk::PipelineCache,
        count: u32,
        infos: *const vk::ComputePipelineCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        _: *mut vk::Pipeline,
    ) -> vk::Result {
        // SAFETY: so many create infos.
        unsafe { slice(infos, count) }
            .iter()
            .for_each(|info| unsafe { used(&info.stage) });
        vk::Result::SUCCESS
    }

    unsafe extern "system" fn graphics(
        _: vk::Device,
        _: vk::PipelineCache,
        count: u32,
        infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        _: *const vk::AllocationCallbacks<'_>,
        _: *mut vk::Pipeline,
    ) -> vk::Result {
        // SAFETY: so many create infos, with so many stages each.
        unsafe {
            for info in slice(infos, count) {
                slice(info.p_stages, info.stage_count)
                    .iter()
                    .for_each(|stage| used(stage));
            }
        }
        vk::Result::SUCCESS
    }

    fn device(faults: &str) -> Device {
        let next = Next {
            create_shader_module: Some(created),
            destroy_shader_module: Some(destroyed),
            create_compute_pipelines: Some(compute),
            create_graphics_pipelines: Some(graphics),
            ..Next::default()
        };
        MODULES.take();
        STAGES.take();
        Device::of(next, faults)
    }

    #[test]
    fn a_module_is_created_as_the_faults_have_it() {
        let module = vulkan();
        let info = vk::ShaderModuleCreateInfo::default().code(&module);
        let create = |device: &Device| {
            let mut handle = vk::ShaderModule::null();
            // SAFETY: a valid create info, and a place for the handle.
            let result =
                unsafe { create_module(device, vk::Device::null(), &info, null(), &mut handle) };
            assert_eq!((result, handle.as_raw()), (vk::Result::SUCCESS, 1));
            MODULES.take().remove(0)
        };
        assert_eq!(create(&device("")), module);
        assert_eq!(create(&device("drop-flush")), module);
        let both = device("drop-memory-barrier,weaken-release");
        let first = mutate(&module, VulkanFault::DropMemoryBarrier).expect("a change");
        let second = mutate(&first.words, VulkanFault::WeakenRelease).expect("a change");
        assert_eq!(create(&both), second.words);
        // What each would change of what the program gave.
        assert_eq!(
            both.effects.of(VulkanFault::DropMemoryBarrier),
            first.changed
        );
        assert_eq!(both.effects.of(VulkanFault::WeakenRelease), 2);
        assert_eq!(both.effects.of(VulkanFault::DropFlush), 0);
    }

    #[test]
    fn modules_in_the_chains_of_stages_are_changed_while_pipelines_are_created() {
        let module = vulkan();
        let changed = mutate(&module, VulkanFault::DropMemoryBarrier).expect("a change");
        for (faults, wanted) in [("", &module), ("drop-memory-barrier", &changed.words)] {
            let device = device(faults);
            let mut chained = vk::ShaderModuleCreateInfo::default().code(&module);
            let stage = vk::PipelineShaderStageCreateInfo::default().push_next(&mut chained);
            let stages = [stage, stage];
            let of_compute = vk::ComputePipelineCreateInfo::default().stage(stage);
            let of_graphics = vk::GraphicsPipelineCreateInfo::default().stages(&stages);
            let (handle, cache) = (vk::Device::null(), vk::PipelineCache::null());
            let mut pipeline = vk::Pipeline::null();
            // SAFETY: one create info each, and a place for the handle.
            let results = unsafe {
                [
                    create_compute(
                        &device,
                        handle,
                        cache,
                        1,
                        &of_compute,
                        null(),
                        &mut pipeline,
                    ),
                    create_graphics(
                        &device,
                        handle,
                        cache,
                        1,
                        &of_graphics,
                        null(),
                        &mut pipeline,
                    ),
                ]
            };
            assert_eq!(results, [vk::Result::SUCCESS; 2]);
            assert_eq!(STAGES.take(), vec![wanted.clone(); 3]);
            // All modules that the layer made are gone.
            assert!(MODULES.take().iter().all(Vec::is_empty));
            let counted = device.effects.of(VulkanFault::DropMemoryBarrier);
            assert_eq!(counted, 3 * changed.changed);
        }
    }
}
