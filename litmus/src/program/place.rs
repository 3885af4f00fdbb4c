//! Where things are: locations in regions, threads on devices.

use super::{CommandId, Instr, LocId, ScalarType};
use serde::{Deserialize, Serialize};
use std::fmt;

classay_vocabulary::words! {
    /// The memory region a location lives in; in Vulkan the storage class of the references to it, as
    /// far as storage class semantics tell classes apart ("Memory Semantics").
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Region {
        /// Global memory; Uniform, StorageBuffer and PhysicalStorageBuffer (UniformMemory).
        Global = "global",
        /// Local memory of one work-group; Workgroup (WorkgroupMemory).
        Local = "local",
        /// Image (ImageMemory), in Vulkan alone.
        Image = "image",
        /// Output (OutputMemory), in Vulkan alone.
        Output = "output",
        /// Input, in Vulkan alone, which no storage class semantics name: what a shader invocation reads of the
        /// outputs of those that contribute to it ("Shader I/O").
        Input = "input",
    }
}

/// How the memory of a global location is allocated. What it promises is in "Shared Virtual Memory"
/// of chapter 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// The test does not say: whatever its accesses need.
    #[default]
    #[serde(skip)]
    Unstated,
    /// A buffer that is not shared virtual memory: `clCreateBuffer`.
    Buffer,
    /// Coarse-grained buffer SVM.
    CoarseSvm,
    /// Fine-grained buffer SVM without `CL_MEM_SVM_ATOMICS`.
    FineSvm,
    /// Fine-grained buffer SVM with `CL_MEM_SVM_ATOMICS`.
    FineSvmAtomics,
    /// Fine-grained system SVM: memory of the host's own, with atomics.
    SystemSvm,
    /// Of Vulkan alone: memory that the host reaches without flushing and invalidating
    /// (`VK_MEMORY_PROPERTY_HOST_COHERENT_BIT`).
    HostCoherent,
}

impl Memory {
    /// Every kind that a test of OpenCL can state.
    pub const STATED: [Memory; 5] = [
        Memory::Buffer,
        Memory::CoarseSvm,
        Memory::FineSvm,
        Memory::FineSvmAtomics,
        Memory::SystemSvm,
    ];

    /// The word for it in tests; nothing where a test does not say.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Memory::Unstated => None,
            Memory::Buffer => Some("buffer"),
            Memory::CoarseSvm => Some("coarse_svm"),
            Memory::FineSvm => Some("fine_svm"),
            Memory::FineSvmAtomics => Some("fine_svm_atomics"),
            Memory::SystemSvm => Some("system_svm"),
            Memory::HostCoherent => Some("host_coherent"),
        }
    }

    /// The kind that a word of a test stands for.
    pub fn named(word: &str) -> Option<Memory> {
        let all = Memory::STATED.into_iter().chain([Memory::HostCoherent]);
        all.into_iter().find(|m| m.name() == Some(word))
    }

    /// Whether host threads reach it only while it is mapped.
    pub fn needs_map(self) -> bool {
        match self {
            Memory::Buffer | Memory::CoarseSvm => true,
            Memory::Unstated
            | Memory::FineSvm
            | Memory::FineSvmAtomics
            | Memory::SystemSvm
            | Memory::HostCoherent => false,
        }
    }
}

/// A shared location: a scalar, or an array of scalars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Its name in the test.
    pub name: String,
    /// Global or local.
    pub region: Region,
    /// The location whose memory this one reaches through another reference, in Vulkan ("Reference");
    /// that one is no alias itself, and has the values and the type.
    pub alias: Option<LocId>,
    /// How it is allocated; local memory states nothing.
    pub memory: Memory,
    /// At least one thread reaches it through a pointer without an address-space qualifier.
    pub generic: bool,
    /// Element type.
    pub ty: ScalarType,
    /// At least one thread declares it with an atomic type.
    pub atomic: bool,
    /// Declared as an array (also one of length 1).
    pub array: bool,
    /// Initial value of each element; one element for a scalar, never empty.
    pub init: Vec<i64>,
}

impl Location {
    /// Number of elements; 1 for a scalar.
    pub fn len(&self) -> u32 {
        self.init.len() as u32
    }

    /// Never true: a location has at least one element.
    pub fn is_empty(&self) -> bool {
        self.init.is_empty()
    }
}

/// Where a thread runs. In Vulkan groups are numbered within their queue family. Two threads with equal work-group (and sub-group) numbers on one device
/// share that group; each thread is a work-item of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Placement {
    /// A work-item.
    Device(WorkItem),
    /// A host thread.
    Host,
}

impl Placement {
    /// Where the work-item is, where it is one.
    pub fn work_item(self) -> Option<WorkItem> {
        match self {
            Placement::Device(item) => Some(item),
            Placement::Host => None,
        }
    }
}

/// Where a work-item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkItem {
    /// Number of the device, from 0, in order of the context's devices.
    pub device: u32,
    /// Number of the queue family within its device, in Vulkan; 0 elsewhere.
    pub queue_family: u32,
    /// Number of the work-group within its device.
    pub work_group: u32,
    /// Number of the sub-group within its work-group, where the test cares.
    pub sub_group: Option<u32>,
}

/// As a test writes it: `sg 0, wg 1, dev 0`.
impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(sub_group) = self.sub_group {
            write!(f, "sg {sub_group}, ")?;
        }
        write!(f, "wg {}, dev {}", self.work_group, self.device)
    }
}

impl WorkItem {
    /// Its work-group, among those of all devices and queue families.
    pub fn group(self) -> (u32, u32, u32) {
        (self.device, self.queue_family, self.work_group)
    }

    /// Its queue family, among those of all devices.
    pub fn family(self) -> (u32, u32) {
        (self.device, self.queue_family)
    }
}

/// A register of a thread: a private variable that starts at zero unless initialised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// Its name in the test.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
    /// Value before the thread starts; zero unless the init list says otherwise (`0:r1=5`).
    pub init: i64,
}

/// One thread of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Where it runs.
    pub placement: Placement,
    /// The kernel-instance it belongs to, in a program with commands; nothing for host threads and
    /// in programs without commands.
    pub kernel: Option<CommandId>,
    /// Its registers, in order of first appearance.
    pub registers: Vec<Register>,
    /// What it does.
    pub body: Vec<Instr>,
}
