//! The account of a buffer's mappings.
//!
//! A mapping only counts: the host and the device share the bytes, but for the views of latitudes. The account
//! is there for unmaps of what was never mapped and for
//! overlapping mappings for writing. It changes when the commands are enqueued:
//! that is when the application gets and gives back the address.
//!
//! Sub-buffers and images in buffers keep their account in their parent, where overlaps
//! among them show.

use std::sync::Arc;

use opencl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, cl_uint};

use super::rect::Rows;
use super::view::View;
use crate::ffi::{Error, Result};

/// One mapping.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Which object it was made from: the buffer, one of its sub-buffers or an image in it,
    /// by address.
    pub owner: usize,
    /// The address the application got.
    pub address: usize,
    /// Its bytes, by their offsets in the buffer.
    pub rows: Rows,
    /// Whether the host may write.
    pub writes: bool,
    /// Where the application finds them, if not in the buffer.
    pub view: Option<Arc<View>>,
}

/// The present mappings of one buffer and what lies in it.
#[derive(Debug, Default)]
pub struct Mappings(Vec<Mapping>);

impl Mappings {
    /// Notes a new mapping.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` when it and another one overlap and both are for writing.
    pub fn add(&mut self, mapping: Mapping) -> Result<()> {
        let conflicts =
            |known: &Mapping| known.writes && mapping.writes && known.rows.overlap(&mapping.rows);
        if self.0.iter().any(conflicts) {
            return Err(Error(CL_INVALID_OPERATION));
        }
        self.0.push(mapping);
        Ok(())
    }

    /// Whether an owner has one at this address.
    pub fn has(&self, owner: usize, address: usize) -> bool {
        self.0
            .iter()
            .any(|known| known.owner == owner && known.address == address)
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none of this owner at this address.
    pub fn remove(&mut self, owner: usize, address: usize) -> Result<Mapping> {
        let at = self
            .0
            .iter()
            .position(|known| known.owner == owner && known.address == address);
        Ok(self.0.swap_remove(at.ok_or(Error(CL_INVALID_VALUE))?))
    }

    /// How many an owner has.
    pub fn count(&self, owner: usize) -> cl_uint {
        self.0.iter().filter(|known| known.owner == owner).count() as cl_uint
    }
}
