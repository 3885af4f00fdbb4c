//! The faults of the catalogue, as a campaign uses them.

#![allow(unsafe_code)]

use crate::device::{Api, Capabilities, bundled};
use crate::worker::session::Breakage;
use classay_faults::{
    Carrier, Entry, LatitudeEntry, Shows, SpoofedCapability, VulkanEntry, VulkanFault,
};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::ffi::{CString, c_char};

/// Who breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CarrierKind {
    /// The layer, in a hook of an API call
    Call,
    /// The OpenCL layer, which mutates the source of kernels
    Source,
    /// The Vulkan layer, which mutates modules of SPIR-V
    Module,
    /// The OpenCL layer, which spoofs what a device reports of itself
    Capability,
    /// Touchstone itself
    Touchstone,
}

impl CarrierKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            CarrierKind::Call => "call",
            CarrierKind::Source => "source",
            CarrierKind::Module => "module",
            CarrierKind::Capability => "capability",
            CarrierKind::Touchstone => "touchstone",
        }
    }

    /// Whether what it changes is told once a case is built: what a program is made of, and not what it calls.
    pub fn changes_programs(self) -> bool {
        match self {
            CarrierKind::Source | CarrierKind::Module => true,
            CarrierKind::Call | CarrierKind::Capability | CarrierKind::Touchstone => false,
        }
    }
}

/// The latitude that makes Touchstone's memory as weak as its rules allow.
pub const WEAK: &str = "weak-memory";

/// A way to break a device: a row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its name.
    pub id: &'static str,
    /// The promise, and how it is broken.
    pub sentence: &'static str,
    /// The class of bugs of real runtimes that it is an example of.
    pub class: Option<u8>,
    /// What it takes to see it.
    pub shows: Shows,
    /// Capabilities without all of which no program has what it breaks.
    pub needs: &'static [&'static str],
    hook: Hook,
    places: &'static [&'static str],
    rules: &'static [&'static str],
    /// Its place in the table of its interface.
    number: usize,
}

/// Which hook of whom breaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hook {
    /// One of the OpenCL layer, or of Touchstone.
    OpenCl(Carrier),
    /// One of the Vulkan layer, in modules or in calls.
    Vulkan(VulkanFault, CarrierKind),
}

impl Fault {
    /// Every fault of the catalogue for devices of an interface.
    pub fn all(api: Api) -> Box<dyn Iterator<Item = Fault>> {
        match api {
            Api::OpenCl => Box::new(classay_faults::all().enumerate().map(Fault::of_opencl)),
            Api::Vulkan => {
                let rows = classay_faults::vulkan::ROWS.iter();
                Box::new(rows.enumerate().map(Fault::of_vulkan))
            }
        }
    }

    fn of_opencl((number, row): (usize, &'static Entry)) -> Fault {
        Fault {
            id: row.id,
            sentence: row.sentence,
            class: row.class,
            shows: row.shows,
            needs: row.needs,
            hook: Hook::OpenCl(row.carrier),
            places: row.places,
            rules: row.rules,
            number,
        }
    }

    fn of_vulkan((number, row): (usize, &'static VulkanEntry)) -> Fault {
        let kind = match row.is_of_modules() {
            true => CarrierKind::Module,
            false => CarrierKind::Call,
        };
        Fault {
            id: row.id,
            sentence: row.sentence,
            class: None,
            shows: row.shows,
            needs: &[],
            hook: Hook::Vulkan(row.fault, kind),
            places: row.places,
            rules: row.rules,
            number,
        }
    }

    /// The faults just beyond a latitude.
    pub fn beyond(latitude: &LatitudeEntry) -> impl Iterator<Item = Fault> {
        Fault::all(Api::OpenCl).filter(|fault| latitude.beyond.contains(&fault.id))
    }

    /// The rules that it breaks, the main one first; none for what breaks none.
    pub fn rules(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.rules.iter().copied()
    }

    /// Who breaks the rule.
    pub fn kind(&self) -> CarrierKind {
        match self.hook {
            Hook::OpenCl(Carrier::Call(_)) => CarrierKind::Call,
            Hook::OpenCl(Carrier::Source(_)) => CarrierKind::Source,
            Hook::OpenCl(Carrier::Capability(_)) => CarrierKind::Capability,
            Hook::OpenCl(Carrier::Touchstone(_)) => CarrierKind::Touchstone,
            Hook::Vulkan(_, kind) => kind,
        }
    }

    /// The fault of Vulkan, where it is one.
    pub fn of_vulkan_layer(&self) -> Option<VulkanFault> {
        match self.hook {
            Hook::Vulkan(fault, _) => Some(fault),
            Hook::OpenCl(_) => None,
        }
    }

    /// Whether it claims what the device has: it would break nothing.
    pub fn claims_what_is(&self, device: &Capabilities) -> bool {
        let claim = Carrier::Capability(SpoofedCapability::SubGroupForwardProgress);
        self.hook == Hook::OpenCl(claim) && device.sub_group_progress
    }

    /// Its count in the layer's file of effects; none where the layer does not see whether it could act.
    pub fn effect(&self) -> Option<usize> {
        match self.kind() {
            CarrierKind::Call | CarrierKind::Source | CarrierKind::Module => Some(self.number),
            CarrierKind::Capability | CarrierKind::Touchstone => None,
        }
    }

    /// What a worker is started with. Touchstone's memory is weak under faults that a strong one hides.
    pub fn breakage(&self, touchstone: bool) -> Breakage {
        match self.kind() {
            CarrierKind::Touchstone => Breakage {
                touchstone: Some(self.id.to_string()),
                ..Breakage::default()
            },
            CarrierKind::Call
            | CarrierKind::Source
            | CarrierKind::Module
            | CarrierKind::Capability => Breakage {
                latitude: (touchstone && self.shows.needs_weak_memory()).then(|| WEAK.to_string()),
                layer: Some(self.id.to_string()),
                ..Breakage::default()
            },
        }
    }

    /// Whether what hangs is the fault's own way to show.
    pub fn hangs(&self) -> bool {
        self.shows == Shows::Hang
    }
}

/// With the keys of the catalogue's own JSON.
impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Fault", 8)?;
        fields.serialize_field("id", self.id)?;
        fields.serialize_field("carrier", self.kind().word())?;
        fields.serialize_field("places", self.places)?;
        fields.serialize_field("rules", self.rules)?;
        fields.serialize_field("class", &self.class)?;
        fields.serialize_field("shows", self.shows.word())?;
        fields.serialize_field("needs", self.needs)?;
        fields.serialize_field("sentence", self.sentence)?;
        fields.end()
    }
}

/// Mutates sources as the layer's faults do.
pub(super) struct Mutator {
    layer: libloading::Library,
}

/// The layer's function: a fault, a source, where to write, how much fits there; how much there is to write.
type Mutated = unsafe extern "C" fn(*const c_char, *const c_char, *mut c_char, usize) -> usize;

impl Mutator {
    /// Opens the layer. The error is a sentence.
    ///
    /// # Errors
    /// The library is missing or cannot be loaded.
    pub fn open() -> Result<Mutator, String> {
        let path = bundled::layer(Api::OpenCl)?;
        // SAFETY: the bundled libraries' initializers only set up their own statics.
        let layer = unsafe { libloading::Library::new(&path) }
            .map_err(|e| format!("{path} cannot be loaded: {e}"))?;
        Ok(Mutator { layer })
    }

    /// A source under a source mutation; none where there is no such fault, or either has a NUL.
    pub fn mutated(&self, fault: &str, source: &str) -> Option<String> {
        let (fault, source) = (CString::new(fault).ok()?, CString::new(source).ok()?);
        let ask = |text: &mut [u8]| {
            // SAFETY: the layer, which is built with this program, has the function, and of this type.
            let length = unsafe {
                let function = self.layer.get::<Mutated>(b"classay_layer_mutated\0").ok()?;
                let capacity = text.len();
                function(
                    fault.as_ptr(),
                    source.as_ptr(),
                    text.as_mut_ptr().cast(),
                    capacity,
                )
            };
            (length > 0).then_some(length)
        };
        let mut text = vec![0; ask(&mut [])?];
        ask(&mut text)?;
        String::from_utf8(text).ok()
    }
}
