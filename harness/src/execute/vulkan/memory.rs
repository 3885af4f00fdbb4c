//! Buffers with memory of their own.

#![allow(unsafe_code)]

use crate::device::vulkan::gpu::{Gpu, Unusable, says};
use crate::environment::ROW;
use crate::execute::memory::SharedWords;
use ash::vk;
use std::cell::Cell;
use std::rc::Rc;

/// All of an image's only subresource.
const COLOUR: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Rows of memory that an image may take beyond its own.
pub const SPARE_ROWS: u64 = 8;

/// Makes the layout of an image general; its contents stay.
pub fn general(device: &ash::Device, commands: vk::CommandBuffer, image: vk::Image) {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(Access::MEMORY_WRITE)
        .dst_access_mask(Access::MEMORY_READ | Access::MEMORY_WRITE)
        .old_layout(vk::ImageLayout::PREINITIALIZED)
        .new_layout(vk::ImageLayout::GENERAL)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(COLOUR);
    let (all, flags) = (Stage::ALL_COMMANDS, vk::DependencyFlags::empty());
    // SAFETY: recorded between commands, outside of any pass; the image is kept with its buffer.
    unsafe { device.cmd_pipeline_barrier(commands, all, all, flags, &[], &[], &[barrier]) };
}

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Shaders work on it, and transfers move it; in memory of the device where that has its own.
    Device,
    /// Shaders work on it, and so does the host, in memory that is coherent.
    Shared,
    /// Shaders work on it, and so does the host, in memory that is not coherent.
    NonCoherent,
    /// Only moved from or to, and written by the host.
    ToDevice,
    /// Only moved to, and read by the host.
    FromDevice,
}

/// A buffer and its memory.
pub struct Buffer {
    gpu: Rc<Gpu>,
    pub handle: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Bytes.
    pub size: u64,
    /// Where the host finds it; null where it does not.
    mapped: *mut u8,
    coherent: bool,
    /// The type of its memory.
    kind: u32,
    /// The families that use it.
    families: Vec<u32>,
    /// Its words as texels, once they were asked for.
    texels: Cell<vk::BufferView>,
    /// The same as a plane.
    plane: Cell<(vk::Image, vk::ImageView)>,
}

impl Buffer {
    /// Makes one of at least so many bytes.
    ///
    /// # Errors
    ///
    /// The device has no such memory, or no more.
    pub fn new(gpu: &Rc<Gpu>, bytes: u64, r#use: Use) -> Result<Buffer, Unusable> {
        let size = bytes.max(16).next_multiple_of(4);
        let transfers = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let usage = match r#use {
            Use::Device | Use::Shared | Use::NonCoherent => {
                transfers
                    | vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            }
            Use::ToDevice | Use::FromDevice => transfers,
        };
        // Any queue may use it.
        let families: Vec<u32> = gpu.computing().map(|family| family.index).collect();
        let sharing = match families.len() {
            0 | 1 => vk::SharingMode::EXCLUSIVE,
            _ => vk::SharingMode::CONCURRENT,
        };
        let create = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage)
            .sharing_mode(sharing)
            .queue_family_indices(&families);
        // SAFETY: the description lives through the call.
        let handle = unsafe { gpu.device.create_buffer(&create, None) };
        let mut buffer = Buffer {
            gpu: Rc::clone(gpu),
            handle: handle.map_err(says("vkCreateBuffer"))?,
            memory: vk::DeviceMemory::null(),
            size,
            mapped: std::ptr::null_mut(),
            coherent: true,
            kind: 0,
            families: Vec::new(),
            texels: Cell::new(vk::BufferView::null()),
            plane: Cell::default(),
        };
        // SAFETY: the buffer was made just now.
        let needs = unsafe { gpu.device.get_buffer_memory_requirements(buffer.handle) };
        use vk::MemoryPropertyFlags as Has;
        let (wanted, liked) = match r#use {
            Use::Device => (Has::empty(), Has::DEVICE_LOCAL),
            Use::Shared => (
                Has::HOST_VISIBLE | Has::HOST_COHERENT,
                Has::HOST_CACHED | Has::DEVICE_LOCAL,
            ),
            Use::NonCoherent => (Has::HOST_VISIBLE, Has::HOST_CACHED),
            Use::ToDevice => (Has::HOST_VISIBLE, Has::HOST_COHERENT),
            Use::FromDevice => (Has::HOST_VISIBLE, Has::HOST_CACHED | Has::HOST_COHERENT),
        };
        let mut bits = needs.memory_type_bits;
        if r#use == Use::NonCoherent {
            let types = gpu.memory.memory_types_as_slice().iter().enumerate();
            let coherent =
                types.filter(|(_, kind)| kind.property_flags.contains(Has::HOST_COHERENT));
            coherent.for_each(|(at, _)| bits &= !(1 << at));
        }
        let kind = gpu.memory_type(bits, wanted, liked);
        let kind = kind
            .ok_or_else(|| format!("it has no memory for a buffer that is {use:?}", use = r#use))?;
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(kind);
        // SAFETY: the type is one that the buffer takes; the memory is bound once, at its start, and mapped once.
        unsafe {
            let memory = gpu.device.allocate_memory(&allocate, None);
            buffer.memory = memory.map_err(says("vkAllocateMemory"))?;
            let bound = gpu
                .device
                .bind_buffer_memory(buffer.handle, buffer.memory, 0);
            bound.map_err(says("vkBindBufferMemory"))?;
            if r#use != Use::Device {
                let flags = vk::MemoryMapFlags::empty();
                let mapped = gpu
                    .device
                    .map_memory(buffer.memory, 0, vk::WHOLE_SIZE, flags);
                buffer.mapped = mapped.map_err(says("vkMapMemory"))?.cast();
            }
        }
        let has = gpu.memory.memory_types_as_slice()[kind as usize].property_flags;
        buffer.coherent = has.contains(Has::HOST_COHERENT);
        (buffer.kind, buffer.families) = (kind, families);
        Ok(buffer)
    }

    /// The whole of its memory, for flushing and invalidating.
    fn whole(&self) -> vk::MappedMemoryRange<'static> {
        vk::MappedMemoryRange::default()
            .memory(self.memory)
            .offset(0)
            .size(vk::WHOLE_SIZE)
    }

    /// Writes words at its start; no command uses it now.
    pub fn put(&mut self, words: &[u32]) -> Result<(), Unusable> {
        assert!(4 * words.len() as u64 <= self.size && !self.mapped.is_null());
        // SAFETY: inside the mapping, which is aligned to more than a word (VkPhysicalDeviceLimits,
        // minMemoryMapAlignment is at least 64), and nothing else uses it.
        unsafe {
            let to = self.mapped.cast::<u32>();
            std::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len());
        }
        self.flush()
    }

    /// Makes what the host wrote available to submissions. Its range is the whole memory, so its ends are those of
    /// nonCoherentAtomSize.
    pub fn flush(&self) -> Result<(), Unusable> {
        if self.coherent {
            return Ok(());
        }
        // SAFETY: the memory is mapped.
        let flushed = unsafe { self.gpu.device.flush_mapped_memory_ranges(&[self.whole()]) };
        flushed.map_err(says("vkFlushMappedMemoryRanges"))
    }

    /// Makes what was made available to the host visible to it.
    pub fn invalidate(&self) -> Result<(), Unusable> {
        if self.coherent {
            return Ok(());
        }
        let device = &self.gpu.device;
        // SAFETY: the memory is mapped.
        let invalid = unsafe { device.invalidate_mapped_memory_ranges(&[self.whole()]) };
        invalid.map_err(says("vkInvalidateMappedMemoryRanges"))
    }

    /// Reads words from its start; the commands that write it are complete and made available to the host.
    pub fn get(&self, len: usize) -> Result<Vec<u32>, Unusable> {
        assert!(4 * len as u64 <= self.size && !self.mapped.is_null());
        let mut words = vec![0; len];
        self.invalidate()?;
        // SAFETY: as in `put`.
        unsafe {
            let from = self.mapped.cast::<u32>();
            std::ptr::copy_nonoverlapping(from, words.as_mut_ptr(), len);
        }
        Ok(words)
    }

    /// Its words as texels of an image, as far as the device takes so many.
    pub fn texels(&self) -> Result<vk::BufferView, Unusable> {
        if self.texels.get() == vk::BufferView::null() {
            let most = u64::from(self.gpu.limits.max_texel_buffer_elements);
            let create = vk::BufferViewCreateInfo::default()
                .buffer(self.handle)
                .format(vk::Format::R32_UINT)
                .offset(0)
                .range(self.size.min(4 * most));
            // SAFETY: every device has storage texel buffers of this format, with atomics ("Required Format
            // Support"); the buffer lives as long as the view.
            let view = unsafe { self.gpu.device.create_buffer_view(&create, None) };
            self.texels.set(view.map_err(says("vkCreateBufferView"))?);
        }
        Ok(self.texels.get())
    }

    /// Makes an image of its memory, of [`ROW`] texels a row, unless there is one already; gives that which is new, whose
    /// layout is to be made general.
    ///
    /// A linear image and a buffer in the same memory are aliases of the same words: a linear image's subresources and
    /// buffers are host-accessible, and consistent while the image's layout is general ("Memory Aliasing").
    pub fn plane(&self) -> Result<Option<vk::Image>, Unusable> {
        if self.plane.get().0 != vk::Image::null() {
            return Ok(None);
        }
        let device = &self.gpu.device;
        let rows = (self.size / 4 / u64::from(ROW)).saturating_sub(SPARE_ROWS);
        let rows = rows.min(self.gpu.plane_rows().into()).max(1);
        // SAFETY: descriptions that live through the calls, of an image that the device says it has; the memory has room
        // for it and is of a type that it takes, or it is not bound.
        unsafe {
            let image = device.create_image(&self.as_image(rows as u32), None);
            let image = image.map_err(says("vkCreateImage"))?;
            self.plane.set((image, vk::ImageView::null()));
            let needs = device.get_image_memory_requirements(image);
            let part = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
            let lies = device.get_image_subresource_layout(image, part);
            let fits = needs.size <= self.size
                && needs.memory_type_bits & (1 << self.kind) != 0
                && (lies.offset, lies.row_pitch) == (0, 4 * u64::from(ROW));
            if !fits {
                return Err("its linear images are not rows of words one after the other".into());
            }
            let bound = device.bind_image_memory(image, self.memory, 0);
            bound.map_err(says("vkBindImageMemory"))?;
            let whole = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(vk::Format::R32_UINT)
                .subresource_range(COLOUR);
            let view = device.create_image_view(&whole, None);
            let view = view.map_err(says("vkCreateImageView"))?;
            self.plane.set((image, view));
            Ok(Some(image))
        }
    }

    /// An image of so many rows, for every queue, whose memory has contents.
    fn as_image(&self, rows: u32) -> vk::ImageCreateInfo<'_> {
        let sharing = match self.families.len() {
            0 | 1 => vk::SharingMode::EXCLUSIVE,
            _ => vk::SharingMode::CONCURRENT,
        };
        vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D {
                width: ROW,
                height: rows,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(vk::ImageUsageFlags::STORAGE)
            .sharing_mode(sharing)
            .queue_family_indices(&self.families)
            .initial_layout(vk::ImageLayout::PREINITIALIZED)
    }

    /// The view of its plane.
    ///
    /// # Errors
    ///
    /// It has none.
    pub fn plane_view(&self) -> Result<vk::ImageView, Unusable> {
        let (_, view) = self.plane.get();
        match view == vk::ImageView::null() {
            true => Err("internal error: these words are no plane (this is a bug)".into()),
            false => Ok(view),
        }
    }

    /// Its words as threads of the host share them with shaders; `None` where the host does not find it.
    pub fn shared(&self) -> Option<SharedWords> {
        let words = (self.size / 4) as usize;
        (!self.mapped.is_null()).then(|| SharedWords::new(self.mapped.cast(), words))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: no command uses it any more: what commands use is kept until they are complete. Freeing
        // unmaps.
        unsafe {
            let (image, view) = self.plane.get();
            self.gpu.device.destroy_image_view(view, None);
            self.gpu.device.destroy_image(image, None);
            let view = self.texels.get();
            self.gpu.device.destroy_buffer_view(view, None);
            self.gpu.device.destroy_buffer(self.handle, None);
            self.gpu.device.free_memory(self.memory, None);
        }
    }
}
