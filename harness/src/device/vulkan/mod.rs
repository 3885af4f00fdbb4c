//! Vulkan devices: how they are reached ([`loader`], [`layer`]), opened ([`gpu`]) and described.

pub mod gpu;
pub mod layer;
pub mod loader;

use super::{Api, At, Capabilities};
use crate::execute::vulkan::probe;
use crate::sys;
use crate::worker::protocol::{Known, ListedPlatform, Refusal};
use ash::vk;
use classay_reports::record::DeviceRecord;
use gpu::{Gpu, Instance};
use layer::Layer;
use std::rc::Rc;

/// A driver that was loaded.
pub struct Loaded(Rc<Instance>);

fn unusable(message: String) -> Refusal {
    Refusal::Unusable { message }
}

/// Loads the first of these libraries that can be loaded, and before it the layer of this path.
///
/// # Errors
///
/// Why there is no Vulkan.
pub fn load(names: &[String], layer: Option<&str>) -> Result<Loaded, Refusal> {
    let entry = loader::load(names)?;
    let layer = layer
        .map(|path| Layer::before(&entry, path))
        .transpose()
        .map_err(unusable)?;
    let instance = Instance::new(entry, layer);
    let instance = instance.map_err(|message| Refusal::NoPlatform { message })?;
    Ok(Loaded(instance))
}

impl Loaded {
    /// The devices by name. All are of one platform: Vulkan has none.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    pub fn list(&self) -> Result<Vec<ListedPlatform>, Refusal> {
        let devices = self.0.devices().map_err(unusable)?;
        Ok(vec![ListedPlatform {
            name: PLATFORM.into(),
            version: version(self.0.version),
            devices: devices
                .iter()
                .map(|device| self.0.identity(*device).name)
                .collect(),
        }])
    }

    /// Opens the device there, or the first, and says what it is unless that is `known`.
    ///
    /// # Errors
    ///
    /// There is none, or it does not open.
    pub fn open(
        &self,
        at: Option<At>,
        known: Option<Known>,
    ) -> Result<(At, Rc<Gpu>, Known), Refusal> {
        let devices = self.0.devices().map_err(unusable)?;
        let at = super::open::choose(at, &[devices.len()])?;
        let gpu = Gpu::open(Rc::clone(&self.0), devices[at.device]).map_err(unusable)?;
        let gpu = Rc::new(gpu);
        let known = match known {
            Some(known) => known,
            None => describe(&gpu)?,
        };
        Ok((at, gpu, known))
    }
}

const PLATFORM: &str = "Vulkan";

fn version((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{PLATFORM} {major}.{minor}.{patch}")
}

/// Who the device is and what it offers. The selector is the parent's to fill in.
fn describe(gpu: &Rc<Gpu>) -> Result<Known, Refusal> {
    let identity = &gpu.identity;
    let mut capabilities = capabilities(gpu);
    let mut findings = Vec::new();
    if let Some(turns) = probe::loop_turns(gpu).map_err(unusable)? {
        capabilities.loop_turns = turns;
        findings.push(format!(
            "a loop of a shader ended after {turns} turns and should have had more; tests are played with fewer"
        ));
    }
    Ok(Known {
        record: DeviceRecord {
            selector: String::new(),
            platform: PLATFORM.into(),
            platform_version: version(gpu.instance.version),
            name: identity.name.clone(),
            vendor: vendor(identity.vendor),
            version: version(identity.version),
            driver: identity.driver.clone(),
            capabilities: capabilities.listed(),
            findings,
        },
        capabilities,
    })
}

/// The names of vendors that have no number of PCI's (`VkVendorId`), and of the others the number.
fn vendor(id: u32) -> String {
    match vk::VendorId::from_raw(id as i32) {
        vk::VendorId::MESA => "Mesa".into(),
        vk::VendorId::POCL => "PoCL".into(),
        _ => format!("{id:#06x}"),
    }
}

/// Processors of a GPU that says nothing of how many it has.
const GPU_UNITS: u32 = 16;

fn capabilities(gpu: &Gpu) -> Capabilities {
    let (has, limits) = (gpu.features, &gpu.limits);
    let cpu = gpu.identity.kind == vk::PhysicalDeviceType::CPU;
    let processors = sys::processors(sys::this_thread()).len() as u32;
    let heaps = gpu.memory.memory_heaps_as_slice();
    let local = heaps
        .iter()
        .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let types = gpu.memory.memory_types_as_slice().iter();
    let (visible, coherent) = (
        vk::MemoryPropertyFlags::HOST_VISIBLE,
        vk::MemoryPropertyFlags::HOST_COHERENT,
    );
    let (major, minor, _) = gpu.identity.version;
    let most_group = limits
        .max_compute_work_group_invocations
        .min(limits.max_compute_work_group_size[0]);
    Capabilities {
        api: Api::Vulkan,
        version: (major, minor),
        scope_sub_group: has.memory_model,
        scope_device: has.device_scope,
        int64_atomics: has.int64 && has.buffer_int64_atomics,
        sub_groups: gpu.subgroup > 1,
        cpu,
        compute_units: if cpu { processors.max(1) } else { GPU_UNITS },
        max_work_group_size: most_group as usize,
        local_mem_size: limits.max_compute_shared_memory_size.into(),
        max_alloc: limits.max_storage_buffer_range.into(),
        max_texels: limits.max_texel_buffer_elements,
        plane_rows: gpu.plane_rows(),
        global_mem: local.map(|heap| heap.size).sum(),
        memory_model: has.memory_model,
        chains: has.chains,
        int64: has.int64,
        shared_int64_atomics: has.int64 && has.shared_int64_atomics,
        buffer_device_address: has.buffer_device_address,
        non_coherent_memory: types
            .map(|kind| kind.property_flags)
            .any(|flags| flags.contains(visible) && !flags.contains(coherent)),
        queue_families: gpu.computing().count() as u32,
        queues: gpu.computing().map(|family| family.queues).sum(),
        family_queues: gpu.computing().next().map_or(0, |family| family.queues),
        subgroup_size: gpu.subgroup,
        ..Capabilities::default()
    }
}
