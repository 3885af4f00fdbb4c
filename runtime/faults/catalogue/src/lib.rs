//! The catalogue of faults: every way to break an OpenCL implementation so that a test suite can be
//! seen to detect it. And of their dual, the [`latitudes`]: the freedoms of the specification, which no test may
//! take for a fault. Faults of [`vulkan`] are a table of their own.
//!
//! | rows | faults | carried by |
//! | --- | --- | --- |
//! | [`calls`] | promises of the API | the layer, in a hook of the call, over any driver |
//! | [`sources`] | what kernels mean | the layer, which mutates sources and modules, over any driver |
//! | [`capabilities`] | what a device says of itself | the layer, which spoofs the answer to a query |
//! | [`touchstone`] | execution, memory, index spaces, the compiler | Touchstone itself |
//!
//! A fault or a latitude is one row here, in `rows/`, and one hook there. `build.rs` makes of the rows of a file a
//! table and the enumeration of their hooks; a hook asks whether its variant is active. What a layer tells of them,
//! [`effects`] are the form of. The crate depends on nothing, so that the runtime and the layers read the same rows.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod effects;
pub mod latitudes;
mod listing;
pub mod vulkan;

/// The module of a file of rows, which `build.rs` makes.
macro_rules! rows {
    ($($(#[$about:meta])* $file:ident,)*) => {$(
        $(#[$about])*
        pub mod $file {
            #[allow(unused_imports, reason = "not every file has a fault upon a latitude")]
            use crate::{Carrier, Entry, Latitude, Shows};

            include!(concat!(env!("OUT_DIR"), "/", stringify!($file), ".rs"));
        }
    )*};
}
rows! {
    /// Faults of calls of the API.
    calls,
    /// Faults of kernel sources and modules.
    sources,
    /// Faults of Touchstone itself.
    touchstone,
    /// Capabilities that the layer spoofs.
    capabilities,
}

pub use calls::ApiViolation;
pub use capabilities::SpoofedCapability;
pub use latitudes::{Latitude, LatitudeEntry};
pub use listing::json;
pub use sources::SourceMutation;
pub use touchstone::TouchstoneFault;
pub use vulkan::{VulkanEntry, VulkanFault};

/// Who breaks the rule, and by which hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A hook of the layer around a call of the API.
    Call(ApiViolation),
    /// A change of a kernel's source or module, made by the layer.
    Source(SourceMutation),
    /// An answer to a query, given by the layer.
    Capability(SpoofedCapability),
    /// Touchstone itself.
    Touchstone(TouchstoneFault),
}

impl Carrier {
    /// The word of the listing.
    pub fn word(self) -> &'static str {
        match self {
            Carrier::Call(_) => "call",
            Carrier::Source(_) => "source",
            Carrier::Capability(_) => "capability",
            Carrier::Touchstone(_) => "touchstone",
        }
    }
}

/// What it takes to see a fault, given a test that uses what it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// A wrong result or status, on every implementation that has the feature.
    Anywhere,
    /// A call that never returns, or a command that never completes.
    Hang,
    /// The death of the process.
    Crash,
    /// Only where an implementation runs several work-items of a work-group concurrently, or one
    /// after the other without regard to the missing barrier.
    Group,
    /// On processors with store buffers, x86 too: a store passes a later load.
    StoreBuffer,
    /// Only on processors, or with compilers, that reorder other pairs of accesses than a store
    /// and a later load: x86 does not.
    WeakProcessor,
    /// Only where narrower scopes have caches of their own: GPUs.
    ScopedCaches,
    /// Only where a device has a cache that the host and other devices do not see through: GPUs with
    /// memory of their own.
    DeviceCaches,
}

impl Shows {
    /// The word of the listing.
    pub fn word(self) -> &'static str {
        match self {
            Shows::Anywhere => "anywhere",
            Shows::Hang => "hang",
            Shows::Crash => "crash",
            Shows::Group => "group",
            Shows::StoreBuffer => "store-buffer",
            Shows::WeakProcessor => "weak-processor",
            Shows::ScopedCaches => "scoped-caches",
            Shows::DeviceCaches => "device-caches",
        }
    }

    /// Whether only a memory weaker than sequentially consistent shows it.
    pub fn needs_weak_memory(self) -> bool {
        match self {
            Shows::Anywhere | Shows::Hang | Shows::Crash | Shows::Group => false,
            Shows::StoreBuffer
            | Shows::WeakProcessor
            | Shows::ScopedCaches
            | Shows::DeviceCaches => true,
        }
    }
}

/// A fault: one row.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, by which `CLASSAY_LAYER_FAULTS` and `TOUCHSTONE_FAULTS` ask for it.
    pub id: &'static str,
    /// Who breaks the rule, and by which hook.
    pub carrier: Carrier,
    /// As [`Entry::places`] goes through them.
    pub places: &'static [&'static str],
    /// As [`Entry::rules`] goes through them.
    pub rules: &'static [&'static str],
    /// The class of bugs of real runtimes that it is an example of.
    pub class: Option<u8>,
    /// What it takes to see it.
    pub shows: Shows,
    /// Capabilities, as the suites name them, without all of which no program has what it breaks; none
    /// for what every device has.
    pub needs: &'static [&'static str],
    /// The latitude that Touchstone takes with it: the fault goes just beyond that.
    pub upon: Option<Latitude>,
    /// The promise, and how it is broken.
    pub sentence: &'static str,
}

impl Entry {
    /// The rules that it breaks, as `suites/rules` names them, the main one first; none for what breaks
    /// none.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.rules.iter().copied()
    }

    /// Where it acts: entry points of OpenCL, or crates of `runtime/`.
    pub fn places(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.places.iter().copied()
    }
}

/// Every fault, those of calls first.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    [
        calls::ROWS,
        sources::ROWS,
        touchstone::ROWS,
        capabilities::ROWS,
    ]
    .into_iter()
    .flatten()
}

/// The fault of this name.
pub fn find(id: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.id == id)
}

#[cfg(test)]
mod tests;
