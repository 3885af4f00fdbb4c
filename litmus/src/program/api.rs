//! The APIs that a program can be written for.

use serde::{Deserialize, Serialize};

classay_vocabulary::words! {
    /// The API that a program is written for. It says which memory model speaks of the program, and which
    /// dialect it is written in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Api {
        /// OpenCL.
        #[default]
        OpenCl = "opencl",
        /// Vulkan.
        Vulkan = "vulkan",
    }
}

impl Api {
    /// The name of the model that judges its programs where nothing else is asked for.
    pub fn model(self) -> &'static str {
        match self {
            Api::OpenCl => "opencl-3.1",
            Api::Vulkan => "vulkan",
        }
    }
}
