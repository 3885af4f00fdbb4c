//! The faults there are, read from the bundled libraries that have them.

#![allow(unsafe_code)]

use crate::device::bundled;
use crate::worker::session::Breakage;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_char};

/// Who breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
const DEVICE_CACHES: &str = "device-caches";

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

    /// What the device under test can show of it at best, if it is a processor as this one. Touchstone is
    /// none: its memory is made weak. But all its devices have it in common, and the host.
    pub fn power(&self, touchstone: bool) -> Option<String> {
        if touchstone && self.shows != DEVICE_CACHES {
            return None;
        }
        power(&self.shows, std::env::consts::ARCH)
    }

    /// Whether only a weak memory shows it.
    pub fn wants_weakness(&self) -> bool {
        matches!(
            self.shows.as_str(),
            "weak-processor" | "store-buffer" | "scoped-caches" | DEVICE_CACHES
        )
    }

    /// Whether the device under test shows it, given a program that uses what it breaks.
    pub fn is_shown(&self, touchstone: bool) -> bool {
        self.is_plain() || touchstone && self.shows != DEVICE_CACHES
    }

    /// Whether every device shows it.
    fn is_plain(&self) -> bool {
        matches!(self.shows.as_str(), "anywhere" | "hang" | "group")
    }
}

/// What a processor of this kind can show of a fault at best; `None` where every device shows it.
pub fn power(shows: &str, processor: &str) -> Option<String> {
    let ordered = matches!(processor, "x86" | "x86_64");
    Some(match shows {
        "store-buffer" if ordered => {
            "an x86 processor shows it only where a store waits in its buffer while a later load is \
             done: store buffering and its kin, and only where the two run on different cores"
                .into()
        }
        "weak-processor" if ordered => {
            "an x86 processor cannot show it: it keeps all these orders, so that only a compiler that \
             moves accesses could; expected power 0"
                .into()
        }
        "scoped-caches" => {
            "caches that are coherent, as those of processors are, cannot show it: it takes a device \
             whose narrower scopes end at a cache; expected power 0 on a processor"
                .into()
        }
        DEVICE_CACHES => {
            "devices and a host that share one coherent memory cannot show it: it takes a device with a \
             cache that others do not see through; expected power 0"
                .into()
        }
        "store-buffer" | "weak-processor" => format!(
            "whether a processor of the kind {processor} shows it is not known; no case that fails \
             here says that it does not"
        ),
        _ => return None,
    })
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

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn what_a_processor_cannot_show_is_said() {
        assert_eq!(power("anywhere", "x86_64"), None);
        assert_eq!(power("hang", "x86_64"), None);
        let weak = power("weak-processor", "x86_64").expect("a sentence");
        assert!(weak.contains("cannot show it"), "{weak}");
        let buffer = power("store-buffer", "x86_64").expect("a sentence");
        assert!(buffer.contains("store buffering"), "{buffer}");
        let arm = power("weak-processor", "aarch64").expect("a sentence");
        assert!(!arm.contains("cannot"), "{arm}");
        assert!(power("scoped-caches", "aarch64").is_some());
        assert!(power("device-caches", "x86_64").is_some());
    }
}
