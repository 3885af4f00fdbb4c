//! The faults of the catalogue, as a campaign uses them.

#![allow(unsafe_code)]

use crate::device::bundled;
use crate::worker::session::Breakage;
use classay_faults::{Carrier, Entry, LatitudeEntry, Shows};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::ffi::{CString, c_char};
use std::ops::Deref;

/// Who breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CarrierKind {
    /// The layer, in a hook of an API call
    Call,
    /// The layer, which mutates the source of kernels
    Source,
    /// The layer, which spoofs what a device reports of itself
    Capability,
    /// Touchstone itself
    Touchstone,
}

/// The latitude that makes Touchstone's memory as weak as its rules allow.
pub const WEAK: &str = "weak-memory";

/// A way to break a device: a row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    row: &'static Entry,
    /// Its place in the catalogue.
    number: usize,
}

impl Deref for Fault {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        self.row
    }
}

impl Fault {
    /// Every fault of the catalogue.
    pub fn all() -> impl Iterator<Item = Fault> {
        let numbered = classay_faults::all().enumerate();
        numbered.map(|(number, row)| Fault { row, number })
    }

    /// The faults just beyond a latitude.
    pub fn beyond(latitude: &LatitudeEntry) -> impl Iterator<Item = Fault> {
        Fault::all().filter(|fault| latitude.beyond.contains(&fault.id))
    }

    /// Who breaks the rule.
    pub fn kind(&self) -> CarrierKind {
        match self.carrier {
            Carrier::Call(_) => CarrierKind::Call,
            Carrier::Source(_) => CarrierKind::Source,
            Carrier::Capability(_) => CarrierKind::Capability,
            Carrier::Touchstone(_) => CarrierKind::Touchstone,
        }
    }

    /// Its byte in the layer's file of effects; none where the layer does not see whether it could act.
    pub fn effect(&self) -> Option<usize> {
        match self.carrier {
            Carrier::Call(_) | Carrier::Source(_) => Some(self.number),
            Carrier::Capability(_) | Carrier::Touchstone(_) => None,
        }
    }

    /// What a worker is started with. Touchstone's memory is weak under faults that a strong one hides.
    pub fn breakage(&self, touchstone: bool) -> Breakage {
        match self.carrier {
            Carrier::Touchstone(_) => Breakage {
                touchstone: Some(self.id.to_string()),
                ..Breakage::default()
            },
            Carrier::Call(_) | Carrier::Source(_) | Carrier::Capability(_) => Breakage {
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
        fields.serialize_field("carrier", self.carrier.word())?;
        fields.serialize_field("places", &self.places().collect::<Vec<_>>())?;
        fields.serialize_field("rules", &self.rules().collect::<Vec<_>>())?;
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
        let path = bundled::layer()?;
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
