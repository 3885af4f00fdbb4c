//! The faults there are, read from the bundled libraries that have them.

#![allow(unsafe_code)]

use crate::device::bundled;
use crate::worker::session::Breakage;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, CString, c_char};

/// Who breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Touchstone itself.
    Touchstone,
    /// The layer, at the API.
    Layer,
    /// The layer, in the source of kernels.
    Source,
}

/// What makes Touchstone's memory as weak as its rules allow, and breaks none.
pub const WEAK: &str = "weak";

/// What shows only where a device has a cache that the host and other devices do not see through.
pub(super) const DEVICE_CACHES: &str = "device-caches";

/// A way to break a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Its name.
    pub id: String,
    /// Who breaks it.
    pub by: By,
    /// The rules that it breaks, the main one first.
    pub rules: Vec<String>,
    /// What it does, in words.
    pub breaks: String,
    /// What it takes to see it: `anywhere`, or what else a device must do.
    pub shows: String,
    /// Capabilities of which a device must have one, so that a program can have what it breaks; none
    /// where every device has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Its place in the layer's list; none for Touchstone's own.
    #[serde(skip)]
    pub place: Option<usize>,
}

impl Fault {
    /// What a worker is told. Touchstone's memory is weak under faults that a strong one hides.
    pub fn breakage(&self, touchstone: bool) -> Breakage {
        match self.by {
            By::Touchstone => Breakage {
                touchstone: Some(self.id.clone()),
                ..Breakage::default()
            },
            By::Layer | By::Source => Breakage {
                touchstone: (touchstone && self.wants_weakness()).then(|| WEAK.to_string()),
                layer: Some(self.id.clone()),
                ..Breakage::default()
            },
        }
    }

    /// Whether only a weak memory shows it.
    pub fn wants_weakness(&self) -> bool {
        matches!(
            self.shows.as_str(),
            "weak-processor" | "store-buffer" | "scoped-caches" | DEVICE_CACHES
        )
    }
}

/// A fault as the layer lists it.
#[derive(Deserialize)]
struct OfLayer {
    id: String,
    kind: String,
    rules: Vec<String>,
    breaks: String,
    shows: String,
    needs: Vec<String>,
}

/// The layer's faults.
///
/// # Errors
///
/// The layer is not found or its list cannot be read; one sentence.
pub fn of_layer() -> Result<Vec<Fault>, String> {
    let text = text_of(&bundled::layer()?, b"classay_layer_named_faults\0")?;
    let all: Vec<OfLayer> =
        serde_json::from_str(&text).map_err(|e| format!("the layer's list of faults: {e}"))?;
    Ok(all
        .into_iter()
        .enumerate()
        .map(|(place, fault)| Fault {
            by: if fault.kind == "source" {
                By::Source
            } else {
                By::Layer
            },
            id: fault.id,
            rules: fault.rules,
            breaks: fault.breaks,
            shows: fault.shows,
            needs: fault.needs,
            place: Some(place),
        })
        .collect())
}

/// Touchstone's faults: a line each, with name, rules, class of bugs, memory and a sentence between tabs.
///
/// # Errors
///
/// Touchstone is not found or its list cannot be read; one sentence.
pub fn of_touchstone() -> Result<Vec<Fault>, String> {
    let text = text_of(&bundled::touchstone()?, b"touchstoneFaults\0")?;
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [id, rules, _, memory, says] = parts.as_slice() else {
                return Err(format!("Touchstone's list of faults has a line \"{line}\""));
            };
            Ok(Fault {
                id: (*id).to_string(),
                by: By::Touchstone,
                rules: rules.split_whitespace().map(str::to_string).collect(),
                breaks: (*says).to_string(),
                shows: if *memory == "weak" {
                    "weak-processor"
                } else {
                    "anywhere"
                }
                .into(),
                needs: Vec::new(),
                place: None,
            })
        })
        // What breaks no rule is no fault.
        .filter(|fault| fault.as_ref().map_or(true, |f| !f.rules.is_empty()))
        .collect()
}

/// Weakens sources as the layer's faults do.
pub(super) struct Weakener {
    layer: libloading::Library,
}

/// The layer's function: a fault, a source, where to write, how much room; how much there is to write.
type Weakened = unsafe extern "C" fn(*const c_char, *const c_char, *mut c_char, usize) -> usize;

impl Weakener {
    /// Opens the layer. The error is a sentence.
    ///
    /// # Errors
    ///
    /// The layer is not found or does not load; one sentence.
    pub fn open() -> Result<Weakener, String> {
        let path = bundled::layer()?;
        // SAFETY: the bundled libraries' initializers only set up their own statics.
        let layer = unsafe { libloading::Library::new(&path) }
            .map_err(|e| format!("{path} cannot be loaded: {e}"))?;
        Ok(Weakener { layer })
    }

    /// A source under a fault of sources; none where there is no such fault, or either has a NUL.
    pub fn weakened(&self, fault: &str, source: &str) -> Option<String> {
        let (fault, source) = (CString::new(fault).ok()?, CString::new(source).ok()?);
        let ask = |text: &mut [u8]| {
            // SAFETY: the layer, which is built with this program, has the function, and of this type.
            let length = unsafe {
                let function = self
                    .layer
                    .get::<Weakened>(b"classay_layer_weakened\0")
                    .ok()?;
                let room = text.len();
                function(
                    fault.as_ptr(),
                    source.as_ptr(),
                    text.as_mut_ptr().cast(),
                    room,
                )
            };
            (length > 0).then_some(length)
        };
        let mut text = vec![0; ask(&mut [])?];
        ask(&mut text)?;
        String::from_utf8(text).ok()
    }
}

/// What a function of a bundled library returns: text that lives as long as the library.
fn text_of(library: &str, function: &[u8]) -> Result<String, String> {
    let name = String::from_utf8_lossy(&function[..function.len() - 1]).into_owned();
    // SAFETY: the bundled libraries' initializers only set up their own statics.
    let library = unsafe { libloading::Library::new(library) }
        .map_err(|e| format!("{library} cannot be loaded: {e}"))?;
    // SAFETY: the function has this type in both libraries, which are built with this program.
    let text = unsafe {
        let function = library
            .get::<extern "C" fn() -> *const c_char>(function)
            .map_err(|e| format!("{name} is missing: {e}"))?;
        let text = function();
        if text.is_null() {
            return Err(format!("{name} gives nothing"));
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    };
    Ok(text)
}
