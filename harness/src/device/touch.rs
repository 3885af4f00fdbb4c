//! The raw OpenCL calls that opening a device needs.

#![allow(unsafe_code)]

use cl3::memory::{CL_MEM_READ_WRITE, CL_MEM_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER};
use opencl3::context::Context;

/// A kind of shared virtual memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SvmKind {
    /// Coarse-grain buffer.
    Coarse,
    /// Fine-grain buffer.
    Fine,
    /// Fine-grain buffer with atomics.
    FineAtomics,
}

/// Allocates a little shared virtual memory of the kind and frees it.
pub fn svm_round_trip(context: &Context, kind: SvmKind) -> Result<(), String> {
    let flags = match kind {
        SvmKind::Coarse => CL_MEM_READ_WRITE,
        SvmKind::Fine => CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
        SvmKind::FineAtomics => {
            CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS
        }
    };
    // SAFETY: the context is alive; the memory is only freed, never accessed.
    let memory = unsafe { cl3::memory::svm_alloc(context.get(), flags, 4096, 0) }
        .map_err(|_| "clSVMAlloc returns no memory".to_string())?;
    // SAFETY: `memory` came from this context just now, and nothing uses it.
    unsafe { cl3::memory::svm_free(context.get(), memory) }
        .map_err(|status| format!("clSVMFree gives error {status}"))
}
