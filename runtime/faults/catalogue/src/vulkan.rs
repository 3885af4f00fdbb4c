//! Faults of Vulkan: what the Vulkan layer breaks of the memory model, in modules of SPIR-V and in calls of the API.
//!
//! They are a table of their own, as the OpenCL layer and Touchstone have none of them to offer.

use crate::Shows;

include!(concat!(env!("OUT_DIR"), "/vulkan.rs"));

/// A fault of Vulkan: one row.
#[derive(Clone, Copy, Debug)]
pub struct VulkanEntry {
    /// Its name, by which `CLASSAY_LAYER_FAULTS` asks for it.
    pub id: &'static str,
    /// Its hook.
    pub fault: VulkanFault,
    /// The functions of Vulkan in which it acts; one that an extension promoted stands for the extension's, too.
    pub places: &'static [&'static str],
    /// The rules that it breaks, the main one first.
    pub rules: &'static [&'static str],
    /// The section of the appendix "Memory Model" whose promise it breaks.
    pub section: &'static str,
    /// What it takes to see it.
    pub shows: Shows,
    /// The promise, and how it is broken.
    pub sentence: &'static str,
}

impl VulkanEntry {
    /// Whether it acts in the modules of SPIR-V that a program gives, rather than in its calls.
    pub fn is_of_modules(&self) -> bool {
        self.places.contains(&"vkCreateShaderModule")
    }
}

/// The fault of this name.
pub fn find(id: &str) -> Option<&'static VulkanEntry> {
    ROWS.iter().find(|row| row.id == id)
}
