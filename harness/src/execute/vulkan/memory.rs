//! Buffers with memory of their own.

#![allow(unsafe_code)]

use crate::device::vulkan::gpu::{Gpu, Unusable, says};
use crate::execute::memory::SharedWords;
use ash::vk;
use std::cell::Cell;
use std::rc::Rc;

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
    /// Its words as texels, once they were asked for.
    texels: Cell<vk::BufferView>,
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
            texels: Cell::new(vk::BufferView::null()),
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
            let view = self.texels.get();
            self.gpu.device.destroy_buffer_view(view, None);
            self.gpu.device.destroy_buffer(self.handle, None);
            self.gpu.device.free_memory(self.memory, None);
        }
    }
}
