//! Buffers and sub-buffers.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use parking_lot::{Mutex, MutexGuard};

use super::apart::{self, Copies};
use super::block::Block;
use super::copy;
use super::flags;
use super::map::{Mapping, Mappings};
use super::rect::Rows;
use super::view::{View, Wanted};
use crate::callback::UserData;
use crate::context::Context;
use crate::destructors::{DestructorFn, Destructors};
use crate::ffi::answer::Answer;
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure};
use crate::object::{self, Header, object};
use crate::platform::Device;
use crate::platform::limits::base_alignment;

/// Where a buffer's bytes are.
enum Storage {
    /// Memory of the runtime.
    Own(Block),
    /// The application's memory (`CL_MEM_USE_HOST_PTR`).
    Host(HostAddress),
    /// A part of another buffer.
    Part { of: Arc<Buffer>, origin: usize },
}

/// A buffer.
#[repr(C)]
pub struct Buffer {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: HostAddress,
    storage: Storage,
    /// Its copies, under a latitude; a sub-buffer has none of its own.
    copies: Option<Arc<Copies>>,
    properties: Vec<cl_mem_properties>,
    /// Its present mappings and those of its sub-buffers; a sub-buffer's stays empty.
    mappings: Mutex<Mappings>,
    destructors: Destructors,
}
object!(Buffer, CL_INVALID_MEM_OBJECT);

impl Buffer {
    /// Makes a buffer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_BUFFER_SIZE`, `CL_INVALID_HOST_PTR`,
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    ///
    /// # Safety
    /// `host_ptr` is null or valid for `size` bytes; with `CL_MEM_USE_HOST_PTR`, for as
    /// long as the buffer lives.
    pub unsafe fn new(
        context: Arc<Context>,
        properties: Vec<cl_mem_properties>,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: *mut c_void,
    ) -> Result<Arc<Self>> {
        // No property is defined for buffers: only the empty list is valid.
        ensure!(properties.len() <= 1, CL_INVALID_PROPERTY);
        flags::of_object(flags)?;
        let uses = flags & CL_MEM_USE_HOST_PTR != 0;
        let copies = flags & CL_MEM_COPY_HOST_PTR != 0;
        let limit = context
            .devices
            .iter()
            .map(|d| d.limits.max_allocation)
            .max();
        ensure!(size != 0, CL_INVALID_BUFFER_SIZE);
        ensure!(
            limit.is_none_or(|limit| size as u64 <= limit),
            CL_INVALID_BUFFER_SIZE
        );
        let mut of_svm = false;
        if (uses || copies)
            && let Some(allocation) = context.svm.find(host_ptr as usize)
        {
            of_svm = true;
            if uses {
                allocation.unite();
            }
            let rest = allocation.size() - (host_ptr as usize - allocation.start());
            ensure!(size <= rest, CL_INVALID_BUFFER_SIZE);
        }
        flags::check_host_pointer(flags, host_ptr.is_null())?;

        let storage = if uses {
            Storage::Host(HostAddress::new(host_ptr))
        } else {
            let block = Block::new(size, base_alignment())?;
            if copies {
                // SAFETY: the block is new and has `size` bytes; the application vouches
                // for as many at its pointer.
                unsafe { copy::bytes(host_ptr.cast(), block.start(), size) };
            }
            Storage::Own(block)
        };
        let home = match &storage {
            Storage::Own(block) => block.start(),
            Storage::Host(_) | Storage::Part { .. } => host_ptr.cast(),
        };
        // What lies in shared memory is that memory.
        let copies = match uses && of_svm {
            true => None,
            false => Copies::new(home, size, uses)?,
        };
        Ok(Arc::new(Self {
            header: Header::default(),
            context,
            flags,
            size,
            host_ptr: HostAddress::new(if uses { host_ptr } else { std::ptr::null() }),
            storage,
            copies,
            properties,
            mappings: Mutex::default(),
            destructors: Destructors::default(),
        }))
    }

    /// Makes a sub-buffer.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT` for a sub-buffer of a sub-buffer, `CL_INVALID_VALUE`,
    /// `CL_INVALID_BUFFER_SIZE`, `CL_MISALIGNED_SUB_BUFFER_OFFSET`.
    pub fn part(
        self: &Arc<Self>,
        flags: cl_mem_flags,
        region: cl_buffer_region,
    ) -> Result<Arc<Self>> {
        ensure!(
            !matches!(self.storage, Storage::Part { .. }),
            CL_INVALID_MEM_OBJECT
        );
        let flags = flags::of_part(self.flags, flags)?;
        let end = region.origin.checked_add(region.size);
        ensure!(end.is_some_and(|end| end <= self.size), CL_INVALID_VALUE);
        ensure!(region.size != 0, CL_INVALID_BUFFER_SIZE);
        ensure!(
            region.origin.is_multiple_of(base_alignment()),
            CL_MISALIGNED_SUB_BUFFER_OFFSET
        );
        let host_ptr = self.host_ptr.get();
        let storage = Storage::Part {
            of: Arc::clone(self),
            origin: region.origin,
        };
        Ok(Arc::new(Self {
            header: Header::default(),
            context: Arc::clone(&self.context),
            flags,
            size: region.size,
            host_ptr: HostAddress::new(if host_ptr.is_null() {
                std::ptr::null()
            } else {
                host_ptr.wrapping_add(region.origin).cast()
            }),
            storage,
            copies: None,
            properties: Vec::new(),
            mappings: Mutex::default(),
            destructors: Destructors::default(),
        }))
    }

    /// Its first byte, for a command that reads it. Valid for [`Buffer::size`] bytes as long as the buffer
    /// lives.
    pub fn start(&self) -> *const u8 {
        self.reached(false)
    }

    /// Its first byte, for a command that may write it.
    pub fn start_mut(&self) -> *mut u8 {
        self.reached(true)
    }

    fn reached(&self, writes: bool) -> *mut u8 {
        let root = self.root();
        let start = match &root.copies {
            None => root.home(),
            Some(copies) => apart::found(copies, writes),
        };
        start.wrapping_add(self.origin())
    }

    /// Its first byte for the kernels of a device, which do not run yet.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn address(&self, device: &Device) -> Result<*mut u8> {
        let root = self.root();
        let start = match &root.copies {
            None => root.home(),
            Some(copies) => copies.address(device)?,
        };
        Ok(start.wrapping_add(self.origin()))
    }

    /// The first byte of the memory in which it was made, or that the application gave for it.
    fn home(&self) -> *mut u8 {
        match &self.storage {
            Storage::Own(block) => block.start(),
            Storage::Host(address) => address.get(),
            Storage::Part { of, origin } => of.home().wrapping_add(*origin),
        }
    }

    /// Where it starts in the buffer that it is a part of.
    fn origin(&self) -> usize {
        match &self.storage {
            Storage::Own(_) | Storage::Host(_) => 0,
            Storage::Part { origin, .. } => *origin,
        }
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Checks that the range is inside.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check_range(&self, offset: usize, size: usize) -> Result<()> {
        let end = offset.checked_add(size);
        ensure!(end.is_some_and(|end| end <= self.size), CL_INVALID_VALUE);
        Ok(())
    }

    /// Whether its bytes are the application's.
    pub fn uses_host_memory(&self) -> bool {
        matches!(self.root().storage, Storage::Host(_))
    }

    /// The buffer that this one is a part of, or itself.
    fn root(&self) -> &Self {
        match &self.storage {
            Storage::Own(_) | Storage::Host(_) => self,
            Storage::Part { of, .. } => of,
        }
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Where the bytes live and where in it this buffer starts: equal for two buffers that
    /// share memory.
    pub fn place(&self) -> (*const Self, usize) {
        (std::ptr::from_ref(self.root()), self.origin())
    }

    /// Notes a mapping.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` when mappings for writing would overlap;
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn map(&self, offset: usize, size: usize, flags: cl_map_flags) -> Result<Mapping> {
        self.map_rows(self.key(), Rows::linear(offset, size), flags)
    }

    /// Notes a mapping of bytes of this buffer, by their offsets, for it or for what lies in it.
    ///
    /// # Errors
    /// As [`Buffer::map`].
    pub fn map_rows(&self, owner: usize, rows: Rows, flags: cl_map_flags) -> Result<Mapping> {
        let root = self.root();
        let rows = Rows {
            shape: rows.shape.moved(self.origin()),
            ..rows
        };
        let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        let view = View::new(
            rows,
            Wanted {
                home: root.home(),
                of_host: matches!(root.storage, Storage::Host(_)),
                copied: root.copies.is_some(),
                writes,
                invalidated: flags & CL_MAP_WRITE_INVALIDATE_REGION != 0,
            },
        )?;
        let first = rows.shape.row(0, 0);
        let address = match &view {
            Some(view) => view.start(),
            None => root.home().wrapping_add(first),
        };
        let mapping = Mapping {
            owner,
            address: address as usize,
            rows,
            writes,
            view: view.map(Arc::new),
        };
        root.mappings.lock().add(mapping.clone())?;
        Ok(mapping)
    }

    /// The buffer that this one is a part of, or itself, for a command that reads or writes it whole.
    pub fn whole(&self, writes: bool) -> *mut u8 {
        self.root().reached(writes)
    }

    /// Whether there is a mapping at this address.
    pub fn is_mapped_at(&self, address: usize) -> bool {
        self.mappings().has(self.key(), address)
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none at this address.
    pub fn unmap(&self, address: usize) -> Result<Mapping> {
        self.mappings().remove(self.key(), address)
    }

    /// The mappings of this buffer, of its sub-buffers and of what lies in them.
    pub fn mappings(&self) -> MutexGuard<'_, Mappings> {
        self.root().mappings.lock()
    }

    /// Its flags, those it took over included.
    pub fn flags(&self) -> cl_mem_flags {
        self.flags
    }

    /// Whether kernels may write it.
    pub fn is_writable(&self) -> bool {
        self.flags & CL_MEM_READ_ONLY == 0
    }

    /// Registers a callback for the deletion of the buffer.
    pub fn on_destruction(&self, notify: DestructorFn, user_data: UserData) {
        self.destructors.add(notify, user_data);
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_mem_info) -> Result<Answer> {
        let (parent, origin) = match &self.storage {
            Storage::Part { of, origin } => (object::handle(of), *origin),
            Storage::Own(_) | Storage::Host(_) => (std::ptr::null_mut(), 0),
        };
        Ok(match name {
            CL_MEM_TYPE => Answer::of(CL_MEM_OBJECT_BUFFER),
            CL_MEM_FLAGS => Answer::of(self.flags),
            CL_MEM_SIZE => Answer::of(self.size),
            CL_MEM_HOST_PTR => Answer::of(self.host_ptr.get().cast::<c_void>()),
            CL_MEM_MAP_COUNT => Answer::of(self.mappings().count(self.key())),
            CL_MEM_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_MEM_CONTEXT => Answer::of(object::handle(&self.context)),
            CL_MEM_ASSOCIATED_MEMOBJECT => Answer::of(parent),
            CL_MEM_OFFSET => Answer::of(origin),
            CL_MEM_USES_SVM_POINTER => Answer::boolean(self.uses_svm()),
            CL_MEM_PROPERTIES => Answer::list(self.properties.iter().copied()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    fn uses_svm(&self) -> bool {
        match &self.storage {
            Storage::Own(_) => false,
            Storage::Host(address) => self.context.svm.find(address.get() as usize).is_some(),
            Storage::Part { of, .. } => of.uses_svm(),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let handle = std::ptr::from_mut(self).cast::<c_void>();
        self.destructors.run(handle);
    }
}
