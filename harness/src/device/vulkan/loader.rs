//! The library that Vulkan is reached through: the loader, or a driver itself.
//!
//! A loader exports `vkGetInstanceProcAddr`. A driver exports `vk_icdGetInstanceProcAddr`, and wants to agree on a
//! version of the interface first ("Loader and Driver Interface", sections "Loader/Driver Interface Negotiation"
//! and "ICD discovery"). Both give the same functions from there on.

#![allow(unsafe_code)]

use crate::sys::Loaded;
use crate::worker::protocol::Refusal;
use ash::vk;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};

/// The newest version of the interface of loaders and drivers that is spoken here: of the things that it
/// settles, only where functions are found matters to one that draws nothing.
const INTERFACE: u32 = 5;

/// Loads the first of `names` that can be loaded, and finds Vulkan in it. The library stays loaded.
///
/// # Errors
///
/// Why there is none.
pub fn load(names: &[String]) -> Result<ash::Entry, Refusal> {
    let mut messages = Vec::new();
    for name in names {
        match Loaded::open(name) {
            Ok(library) => {
                let entry = entry(&library)?;
                library.keep();
                return Ok(entry);
            }
            Err(message) => messages.push(message),
        }
    }
    Err(Refusal::NotLoaded {
        message: messages.join("; "),
    })
}

type GetProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;
type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;

fn entry(library: &Loaded) -> Result<ash::Entry, Refusal> {
    let get = |name: &CStr| {
        // SAFETY: functions of these names have this type, and the library stays loaded once one is used.
        unsafe { library.function::<GetProcAddr>(name) }
    };
    let get_instance_proc_addr = match get(c"vkGetInstanceProcAddr") {
        Some(get) => get,
        None => {
            agree(library)?;
            get(c"vk_icdGetInstanceProcAddr").ok_or(Refusal::NoInterface)?
        }
    };
    // SAFETY: the function is the library's own.
    Ok(unsafe {
        ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr,
        })
    })
}

/// Agrees with a driver on the version of the interface; one without the function speaks the first.
fn agree(library: &Loaded) -> Result<(), Refusal> {
    // SAFETY: a function of this name has this type.
    let negotiate =
        unsafe { library.function::<Negotiate>(c"vk_icdNegotiateLoaderICDInterfaceVersion") };
    let Some(negotiate) = negotiate else {
        return Ok(());
    };
    let mut version = INTERFACE;
    // SAFETY: it takes a pointer to a number, and may lower it.
    match unsafe { negotiate(&mut version) } {
        vk::Result::SUCCESS => Ok(()),
        other => Err(Refusal::Unusable {
            message: format!(
                "it does not speak version {INTERFACE} of the interface between loaders and drivers: {other:?}"
            ),
        }),
    }
}

/// The library that a driver's manifest names: a path beside the manifest, or a name for the dynamic loader.
///
/// # Errors
///
/// The manifest cannot be read, or names none; one sentence.
pub fn of_manifest(manifest: &Path) -> Result<String, String> {
    let say = |what: String| format!("the driver manifest {}: {what}", manifest.display());
    let text = std::fs::read_to_string(manifest).map_err(|error| say(error.to_string()))?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| say(format!("no JSON: {error}")))?;
    let library = json["ICD"]["library_path"].as_str();
    let library = library.ok_or_else(|| say("it has no ICD.library_path".into()))?;
    if !library.contains('/') {
        return Ok(library.to_owned());
    }
    let beside = manifest.parent().unwrap_or(Path::new("."));
    let path = std::path::absolute(beside.join(library)).map_err(|error| say(error.to_string()))?;
    Ok(path.to_string_lossy().into_owned())
}

/// The manifest of the installed driver whose manifest's file name begins with, or has a part, `name`, upper and lower case
/// alike; in the folders that loaders look in.
///
/// # Errors
///
/// There is none, or several; one sentence, with those there are.
pub fn manifest_of(name: &str) -> Result<PathBuf, String> {
    let mut all: Vec<PathBuf> = folders()
        .into_iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    all.sort();
    let stem = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default();
        stem.to_string_lossy().to_lowercase()
    };
    let wanted = name.to_lowercase();
    let exact = all.iter().filter(|path| stem(path) == wanted);
    let mut found: Vec<&PathBuf> = exact.collect();
    if found.is_empty() {
        found = all
            .iter()
            .filter(|path| stem(path).contains(&wanted))
            .collect();
    }
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let have: Vec<String> = all.iter().map(stem).collect();
            let have = match have.is_empty() {
                true => "none is installed".to_owned(),
                false => format!("there are {}", have.join(", ")),
            };
            Err(format!(
                "no Vulkan driver's manifest has {name} in its name; {have}"
            ))
        }
        several => {
            let names: Vec<String> = several.iter().map(|path| stem(path)).collect();
            Err(format!(
                "{name} is in the names of several Vulkan drivers' manifests: {}; give one whole",
                names.join(", ")
            ))
        }
    }
}

/// The folders in which loaders on Linux look for manifests of drivers ("Driver Discovery on Linux").
fn folders() -> Vec<PathBuf> {
    let list = |variable: &str, default: &str| -> Vec<PathBuf> {
        let value = std::env::var(variable).unwrap_or_default();
        let value = if value.is_empty() {
            default.to_owned()
        } else {
            value
        };
        std::env::split_paths(&value)
            .filter(|path| !path.as_os_str().is_empty())
            .collect()
    };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = |part: &str| home.iter().map(|home| home.join(part)).collect::<Vec<_>>();
    let mut roots = list("XDG_CONFIG_HOME", "");
    roots.extend(own(".config"));
    roots.extend(list("XDG_CONFIG_DIRS", "/etc/xdg"));
    roots.push("/etc".into());
    roots.extend(list("XDG_DATA_HOME", ""));
    roots.extend(own(".local/share"));
    roots.extend(list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    let mut folders: Vec<PathBuf> = Vec::new();
    for root in roots {
        let folder = root.join("vulkan/icd.d");
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}
