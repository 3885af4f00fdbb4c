//! Images: elements of a format in one, two or three dimensions.
//!
//! An image lies in linear memory, in a [`Buffer`] that nobody else has or in one of the
//! application's, so that copying, mapping and host pointers are those of buffers.
//! [`format`] says what an element is, [`geometry`] where it is.

pub mod format;
pub mod geometry;

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer::Buffer;
use super::flags;
use super::map::Mapping;
use super::object::MemObject;
use super::rect::Rows;
use crate::callback::UserData;
use crate::context::Context;
use crate::destructors::{DestructorFn, Destructors};
use crate::ffi::answer::Answer;
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure};
use crate::object::{self, Header, object};
use crate::platform::capabilities;
use crate::platform::limits;
use format::Format;
use geometry::{Geometry, Kind, Source};

/// An image.
#[repr(C)]
pub struct Image {
    header: Header<Self>,
    flags: cl_mem_flags,
    format: Format,
    geometry: Geometry,
    /// Where its elements are, from the first byte on.
    store: Arc<Buffer>,
    /// The object it was made from, whose elements are its own.
    made_from: Option<Parent>,
    host_ptr: HostAddress,
    properties: Vec<cl_mem_properties>,
    destructors: Destructors,
}
object!(Image, CL_INVALID_MEM_OBJECT);

/// What an image was made from.
enum Parent {
    Buffer(Arc<Buffer>),
    Image(Arc<Image>),
}

/// What an image is to be.
pub struct Request<'a> {
    /// Memory flags.
    pub flags: cl_mem_flags,
    /// The format, if given.
    pub format: Option<&'a cl_image_format>,
    /// The descriptor, if given.
    pub desc: Option<&'a cl_image_desc>,
    /// The host pointer or null.
    pub host_ptr: *mut c_void,
    /// Its properties as given, the final zero included.
    pub properties: Vec<cl_mem_properties>,
}

/// Checks that a context has images at all.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub fn check_support() -> Result<()> {
    ensure!(capabilities::images(), CL_INVALID_OPERATION);
    Ok(())
}

impl Image {
    /// Makes an image.
    ///
    /// # Errors
    /// As the specification lists them for `clCreateImage`, in its order.
    ///
    /// # Safety
    /// The host pointer is null or valid for as many bytes as the specification says; with
    /// `CL_MEM_USE_HOST_PTR`, for as long as the image lives.
    pub unsafe fn new(context: Arc<Context>, request: Request<'_>) -> Result<Arc<Self>> {
        check_support()?;
        // No property is defined for images: only the empty list is valid.
        ensure!(request.properties.len() <= 1, CL_INVALID_PROPERTY);
        let given = request.flags;
        let desc = request.desc.ok_or(Error(CL_INVALID_IMAGE_DESCRIPTOR));
        let parent = match desc {
            Ok(desc) if !desc.buffer.is_null() => {
                let found = MemObject::find(desc.buffer);
                Some(found.map_err(|_| Error(CL_INVALID_IMAGE_DESCRIPTOR))?)
            }
            Ok(_) | Err(_) => None,
        };
        let flags = match &parent {
            Some(MemObject::Buffer(buffer)) => flags::of_part(buffer.flags(), given)?,
            Some(MemObject::Image(image)) => flags::of_part(image.flags, given)?,
            Some(MemObject::Pipe(_)) => return Err(Error(CL_INVALID_IMAGE_DESCRIPTOR)),
            None => {
                flags::of_object(given)?;
                given
            }
        };
        let format = request
            .format
            .ok_or(Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        let format = Format::read(format);
        // That a format is not supported is said after what is wrong with the rest.
        if let Err(error @ Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)) = format {
            return Err(error);
        }
        let desc = desc?;
        let kind = Kind::of_code(desc.image_type).ok_or(Error(CL_INVALID_IMAGE_DESCRIPTOR))?;
        let single = desc.num_mip_levels == 0 && desc.num_samples == 0;
        ensure!(single, CL_INVALID_IMAGE_DESCRIPTOR);
        let source = match (&parent, kind) {
            (Some(MemObject::Buffer(_)), Kind::D1Buffer | Kind::D2) => Source::Buffer,
            (Some(MemObject::Image(_)), Kind::D2) => Source::Host,
            (None, Kind::D1Buffer) | (Some(_), _) => {
                return Err(Error(CL_INVALID_IMAGE_DESCRIPTOR));
            }
            (None, _) if request.host_ptr.is_null() => Source::New,
            (None, _) => Source::Host,
        };
        let element = format.map_or(1, Format::element_size);
        let mut geometry = Geometry::new(desc, kind, element, source, &limits::images())?;
        let host_ptr = request.host_ptr;
        if let Some(parent) = &parent {
            ensure!(host_ptr.is_null(), CL_INVALID_HOST_PTR);
            ensure!(Arc::ptr_eq(parent.context(), &context), CL_INVALID_CONTEXT);
        } else {
            flags::check_host_pointer(flags, host_ptr.is_null())?;
        }
        let format = format?;
        ensure!(format.fits(kind), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        let (store, made_from) = match parent {
            Some(MemObject::Buffer(buffer)) => {
                ensure!(geometry.bytes() <= buffer.size(), CL_INVALID_IMAGE_SIZE);
                (Arc::clone(&buffer), Some(Parent::Buffer(buffer)))
            }
            Some(MemObject::Image(image)) => {
                ensure!(
                    format.is_view_of(image.format),
                    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                );
                // "All of the values specified in image_desc must match the image descriptor information associated
                // with mem_object"; a pitch of zero leaves it open.
                let own = Geometry {
                    row_pitch: match desc.image_row_pitch {
                        0 => image.geometry.row_pitch,
                        given => given,
                    },
                    ..geometry
                };
                ensure!(own == image.geometry, CL_INVALID_IMAGE_DESCRIPTOR);
                geometry = own;
                (Arc::clone(&image.store), Some(Parent::Image(image)))
            }
            Some(MemObject::Pipe(_)) => return Err(Error(CL_INVALID_IMAGE_DESCRIPTOR)),
            None => {
                let bytes = geometry.bytes();
                // SAFETY: the caller vouches for its pointer.
                let store = unsafe { Buffer::new(context, Vec::new(), flags, bytes, host_ptr) };
                let refused = Error(CL_MEM_OBJECT_ALLOCATION_FAILURE);
                (store.map_err(|_| refused)?, None)
            }
        };
        let uses = made_from.is_none() && flags & CL_MEM_USE_HOST_PTR != 0;
        Ok(Arc::new(Self {
            header: Header::default(),
            flags,
            format,
            geometry,
            store,
            made_from,
            host_ptr: HostAddress::new(if uses { host_ptr } else { std::ptr::null() }),
            properties: request.properties,
            destructors: Destructors::default(),
        }))
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.store.context
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its shape.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Its first byte, for a command that reads it. Valid for its shape's bytes as long as the image lives.
    pub fn start(&self) -> *const u8 {
        self.store.start()
    }

    /// Its first byte, for a command that may write it.
    pub fn start_mut(&self) -> *mut u8 {
        self.store.start_mut()
    }

    /// Where its elements are, from the first byte on.
    pub fn store(&self) -> &Arc<Buffer> {
        &self.store
    }

    /// Its flags, those it took over included.
    pub fn flags(&self) -> cl_mem_flags {
        self.flags
    }

    /// Whether its elements lie in a buffer.
    pub fn is_made_from(&self, buffer: &Arc<Buffer>) -> bool {
        Arc::ptr_eq(&self.store, buffer)
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Notes the mapping of a region that lies in the image.
    ///
    /// # Errors
    /// As [`Buffer::map`].
    pub fn map(
        &self,
        origin: [usize; 3],
        region: [usize; 3],
        flags: cl_map_flags,
    ) -> Result<Mapping> {
        let rows = Rows {
            region: self.geometry.in_bytes(region),
            shape: self.geometry.shape(origin, region),
        };
        self.store.map_rows(self.key(), rows, flags)
    }

    /// Whether there is a mapping at this address.
    pub fn is_mapped_at(&self, address: usize) -> bool {
        self.store.mappings().has(self.key(), address)
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none at this address.
    pub fn unmap(&self, address: usize) -> Result<Mapping> {
        self.store.mappings().remove(self.key(), address)
    }

    /// Registers a callback for the deletion of the image.
    pub fn on_destruction(&self, notify: DestructorFn, user_data: UserData) {
        self.destructors.add(notify, user_data);
    }

    /// One query that every memory object answers.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_mem_info) -> Result<Answer> {
        Ok(match name {
            CL_MEM_TYPE => Answer::of(self.geometry.kind.code()),
            CL_MEM_FLAGS => Answer::of(self.flags),
            CL_MEM_SIZE => Answer::of(self.geometry.bytes()),
            CL_MEM_HOST_PTR => Answer::of(self.host_ptr.get().cast::<c_void>()),
            CL_MEM_MAP_COUNT => Answer::of(self.store.mappings().count(self.key())),
            CL_MEM_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_MEM_CONTEXT => Answer::of(object::handle(self.context())),
            CL_MEM_ASSOCIATED_MEMOBJECT => Answer::of(self.parent_handle()),
            CL_MEM_OFFSET => Answer::of(0usize),
            CL_MEM_USES_SVM_POINTER => Answer::boolean(false),
            CL_MEM_PROPERTIES => Answer::list(self.properties.iter().copied()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    fn parent_handle(&self) -> *mut c_void {
        match &self.made_from {
            Some(Parent::Buffer(buffer)) => object::handle(buffer),
            Some(Parent::Image(image)) => object::handle(image),
            None => std::ptr::null_mut(),
        }
    }

    /// One query that only images answer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn image_info(&self, name: cl_image_info) -> Result<Answer> {
        let geometry = &self.geometry;
        let [width, second, third] = geometry.sides;
        let kind = geometry.kind;
        let only = |has: bool, value: usize| Answer::of(if has { value } else { 0 });
        Ok(match name {
            CL_IMAGE_FORMAT => {
                let code = self.format.code();
                Answer::list([code.image_channel_order, code.image_channel_data_type])
            }
            CL_IMAGE_ELEMENT_SIZE => Answer::of(geometry.element),
            CL_IMAGE_ROW_PITCH => Answer::of(geometry.row_pitch),
            CL_IMAGE_SLICE_PITCH => Answer::of(geometry.slice_pitch),
            CL_IMAGE_WIDTH => Answer::of(width),
            CL_IMAGE_HEIGHT => only(matches!(kind, Kind::D2 | Kind::D2Array | Kind::D3), second),
            CL_IMAGE_DEPTH => only(kind == Kind::D3, third),
            CL_IMAGE_ARRAY_SIZE => match kind {
                Kind::D1Array => Answer::of(second),
                Kind::D2Array => Answer::of(third),
                Kind::D1 | Kind::D1Buffer | Kind::D2 | Kind::D3 => Answer::of(0usize),
            },
            CL_IMAGE_BUFFER => Answer::of(match &self.made_from {
                Some(Parent::Buffer(buffer)) => object::handle(buffer),
                Some(Parent::Image(_)) | None => std::ptr::null_mut::<c_void>(),
            }),
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => Answer::of(0u32),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let handle = std::ptr::from_mut(self).cast::<c_void>();
        self.destructors.run(handle);
    }
}
