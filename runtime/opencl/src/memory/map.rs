//! The account of a buffer's mappings.
//!
//! A mapping only counts: the host and the device share the bytes. The account is there
//! so that the application is told about an unmap of something that was never mapped and
//! about overlapping mappings for writing. It changes when the commands are enqueued:
//! that is when the application gets and gives back the address.
//!
//! Sub-buffers keep their account in their parent, where overlaps among them show.

use opencl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, cl_uint};

use crate::edge::{Error, Result};

/// One mapping.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// Which buffer it was made from: the parent or one of its sub-buffers, by address.
    pub owner: usize,
    /// Its first byte.
    pub address: usize,
    /// Its size in bytes.
    pub size: usize,
    /// Whether the host may write.
    pub writes: bool,
}

impl Mapping {
    fn conflicts(&self, other: &Self) -> bool {
        (self.writes && other.writes)
            && self.address < other.address + other.size
            && other.address < self.address + self.size
    }
}

/// The present mappings of one buffer and its sub-buffers.
#[derive(Debug, Default)]
pub struct Mappings(Vec<Mapping>);

impl Mappings {
    /// Notes a new mapping.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` when it and another one overlap and both are for writing.
    pub fn add(&mut self, mapping: Mapping) -> Result<()> {
        if self.0.iter().any(|known| known.conflicts(&mapping)) {
            return Err(Error(CL_INVALID_OPERATION));
        }
        self.0.push(mapping);
        Ok(())
    }

    /// Takes a mapping off.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is none of this owner at this address.
    pub fn remove(&mut self, owner: usize, address: usize) -> Result<()> {
        let at = self
            .0
            .iter()
            .position(|known| known.owner == owner && known.address == address);
        self.0.swap_remove(at.ok_or(Error(CL_INVALID_VALUE))?);
        Ok(())
    }

    /// How many an owner has.
    pub fn count(&self, owner: usize) -> cl_uint {
        self.0.iter().filter(|known| known.owner == owner).count() as cl_uint
    }
}
