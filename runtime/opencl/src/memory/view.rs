//! Views: memory through which an application uses a mapped region, where a latitude lets that be another than
//! the object's.
//!
//! A map copies the region out when its command runs, and the unmap of one for writing copies the whole region
//! back, also what the host did not touch: "If a memory object is currently mapped for writing, the
//! application must ensure that the memory object is unmapped before any enqueued kernels or commands that read
//! from or write to this memory object [...] begin execution". With `CL_MEM_USE_HOST_PTR` the view is the application's
//! memory, as "the pointer value returned by clEnqueueMapBuffer will be derived from the host_ptr".

use std::collections::VecDeque;

use parking_lot::Mutex;
use touchstone_faults::{Fault, Latitude, on, takes};

use super::Buffer;
use super::block::Block;
use super::rect::Rows;
use super::{copy, rubbish};
use crate::ffi::Result;
use crate::ffi::raw::HostAddress;
use crate::platform::limits::base_alignment;

/// Blocks of views that were unmapped: so many stay, so that a new view is nowhere where one was.
const RETIRED: usize = 16;

static BLOCKS: Mutex<VecDeque<Block>> = Mutex::new(VecDeque::new());

/// A view of a region.
#[derive(Debug)]
pub struct View {
    /// The region's bytes in the object, by their offsets.
    inside: Rows,
    /// The first of them for the application.
    start: HostAddress,
    /// Where the view has memory of its own.
    block: Option<Block>,
    /// Whether it is the application's memory.
    of_host: bool,
    /// Whether what is there before does not matter.
    invalidated: bool,
}

/// What a view is made for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The first byte of the object as the application knows it: of the memory that it gave, or of that in which
    /// the object was made.
    pub home: *mut u8,
    /// Whether that is the application's.
    pub of_host: bool,
    /// Whether the object has copies beside that.
    pub copied: bool,
    /// Whether the host may write.
    pub writes: bool,
    /// Whether what is there before does not matter.
    pub invalidated: bool,
}

impl View {
    /// A view of bytes of an object, where a latitude asks for one.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn new(inside: Rows, wanted: Wanted) -> Result<Option<Self>> {
        let elsewhere = takes(Latitude::MapElsewhere) && !wanted.of_host;
        let invalidated = wanted.invalidated || wanted.writes && on(Fault::MapWriteRubbish);
        let rubbish = takes(Latitude::FreshMemoryRubbish) && invalidated;
        if !elsewhere && !wanted.copied && !rubbish {
            return Ok(None);
        }
        let first = inside.shape.row(0, 0);
        let (start, block) = if elsewhere {
            let block = Block::new(inside.shape.end() - first, base_alignment())?;
            (block.start(), Some(block))
        } else {
            (wanted.home.wrapping_add(first), None)
        };
        Ok(Some(Self {
            inside,
            start: HostAddress::new(start.cast_const().cast()),
            block,
            of_host: wanted.of_host,
            invalidated,
        }))
    }

    /// The address that the application gets.
    pub fn start(&self) -> *mut u8 {
        self.start.get()
    }

    /// The map, as a command: the region of an object that lies in this buffer.
    pub fn fetch(&self, store: &Buffer) {
        let object = store.whole(false);
        let Rows { shape, region } = self.inside;
        if self.invalidated {
            if takes(Latitude::FreshMemoryRubbish) {
                // SAFETY: the region lies in the view, which nobody else uses yet.
                unsafe { rubbish::scatter(self.start(), &shape.from_zero(), region) };
            }
        } else if !self.is_in(object) && !self.is_stale() {
            // SAFETY: the region lies in the object, which the command holds, and in the view, which nobody else
            // uses yet.
            unsafe { copy::rect(object, &shape, self.start(), &shape.from_zero(), region) };
        }
    }

    /// The unmap, as a command, of a region that was mapped for writing.
    pub fn write_back(&self, store: &Buffer) {
        let object = store.whole(true);
        if self.is_in(object) {
            return;
        }
        let Rows { shape, mut region } = self.inside;
        if on(Fault::UnmapByteMore) {
            region[0] += 1;
        }
        // SAFETY: as for the map; under the fault a byte of the margins may be touched.
        unsafe { copy::rect(self.start(), &shape.from_zero(), object, &shape, region) };
    }

    /// Whether a fault leaves what was there before.
    fn is_stale(&self) -> bool {
        match self.block {
            Some(_) => on(Fault::MapViewStale),
            None => self.of_host && on(Fault::HostPointerStale),
        }
    }

    /// Whether the view is the object's own memory.
    fn is_in(&self, object: *const u8) -> bool {
        let first = self.inside.shape.row(0, 0);
        std::ptr::eq(object.wrapping_add(first), self.start())
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else {
            return;
        };
        let Rows { shape, region } = self.inside;
        // SAFETY: nobody may use a region that is not mapped any more.
        unsafe { rubbish::scatter(block.start(), &shape.from_zero(), region) };
        let mut blocks = BLOCKS.lock();
        blocks.push_back(block);
        if blocks.len() > RETIRED {
            blocks.pop_front();
        }
    }
}
