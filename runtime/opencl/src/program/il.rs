//! Programs that come as SPIR-V.

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_clc::spirv::{SpecConstant, Specialization, spec_constants};

use crate::ffi::{Error, Result, ensure};
use crate::frontend::Code;

/// A module, and what its specialization constants are to be.
pub struct Il {
    module: Vec<u8>,
    constants: Vec<SpecConstant>,
    values: Mutex<Vec<Specialization>>,
}

impl Il {
    /// A module.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for what is no SPIR-V of a version that is read.
    pub fn new(module: Vec<u8>) -> Result<Self> {
        let constants = spec_constants(&module).map_err(|_| Error(CL_INVALID_VALUE))?;
        Ok(Self {
            module,
            constants,
            values: Mutex::default(),
        })
    }

    /// Its bytes, as they were given.
    pub fn module(&self) -> &[u8] {
        &self.module
    }

    /// Gives a specialization constant a value, which later builds use.
    ///
    /// # Errors
    /// `CL_INVALID_SPEC_ID`; `CL_INVALID_VALUE` for a value of another size than the constant's.
    pub fn specialize(&self, id: u32, value: &[u8]) -> Result<()> {
        let known = self.constants.iter().find(|known| known.id == id);
        let known = known.ok_or(Error(CL_INVALID_SPEC_ID))?;
        ensure!(known.size == value.len(), CL_INVALID_VALUE);
        let mut values = self.values.lock();
        values.retain(|(set, _)| *set != id);
        values.push((id, value.to_vec()));
        Ok(())
    }

    /// What a build at this moment compiles.
    pub fn code(&self) -> Code {
        Code::Il {
            module: self.module.clone(),
            constants: self.values.lock().clone(),
        }
    }
}
