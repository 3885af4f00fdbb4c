//! The libraries that come with this program: Touchstone, and the layers that stand between a worker and a
//! driver, one for each interface.
//!
//! The program carries them. Of each is taken, in this order:
//!
//! 1. what the variable names ([`Library::variable`]);
//! 2. the file that cargo built, where it is still beside the program and is, byte for byte, what the program
//!    carries: so a build needs no cache;
//! 3. the copy that the program unpacks, once, for this user ([`cache`]).
//!
//! Any other file beside the program, such as one that an earlier build left, is not looked at: what runs is
//! what the program was built with.

mod cache;
mod places;

use super::Api;
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// A library that the program carries.
#[derive(Debug)]
pub struct Library {
    /// Its file's name.
    file: &'static str,
    /// The variable of the environment that names another one.
    variable: &'static str,
    /// SHA-256 of the file, in hexadecimal digits.
    sha256: &'static str,
    /// The file, compressed by gzip.
    packed: &'static [u8],
    /// Where it was found last.
    last: Mutex<Option<Stamp>>,
}

/// Declares a library by its file and its variable.
macro_rules! library {
    ($file:literal, $variable:literal) => {
        Library {
            file: $file,
            variable: $variable,
            sha256: include_str!(concat!(env!("OUT_DIR"), "/", $file, ".sha256")),
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".gz")),
            last: Mutex::new(None),
        }
    };
}

/// The bundled reference runtime.
pub static TOUCHSTONE: Library = library!("libtouchstone.so", "CLASSAY_TOUCHSTONE");

/// The pass-through OpenCL library.
pub static LAYER: Library = library!("libclassay_layer.so", "CLASSAY_LAYER");

/// The pass-through Vulkan layer.
pub static VULKAN_LAYER: Library = library!("libclassay_vulkan_layer.so", "CLASSAY_VULKAN_LAYER");

/// Path of the bundled reference runtime.
///
/// # Errors
///
/// It cannot be unpacked, or its variable is wrong; sentences that say what to do.
pub(crate) fn touchstone() -> Result<String, String> {
    TOUCHSTONE.path()
}

/// Path of the layer for drivers of an interface.
///
/// # Errors
///
/// As [`touchstone`].
pub(crate) fn layer(api: Api) -> Result<String, String> {
    match api {
        Api::OpenCl => LAYER.path(),
        Api::Vulkan => VULKAN_LAYER.path(),
    }
}

/// Which library is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The one that this variable names.
    Named(&'static str, PathBuf),
    /// What the program carries.
    Carried {
        /// SHA-256 of its file, in hexadecimal digits.
        sha256: &'static str,
        /// Where it is: beside the program, where cargo built it, or unpacked. None where it was not unpacked yet.
        at: Option<PathBuf>,
    },
}

impl Library {
    /// Which library is taken. Nothing is unpacked for it.
    ///
    /// # Errors
    ///
    /// The variable does not name a path.
    pub fn origin(&self) -> Result<Origin, String> {
        if let Some(path) = self.named()? {
            return Ok(Origin::Named(self.variable, path));
        }
        let unpacked = || {
            let folders = places::all().into_iter().map(|place| place.root);
            let mut paths = folders.map(|root| root.join(cache::folder()).join(self.file));
            paths.find(|path| cache::sound(path, self).is_ok())
        };
        Ok(Origin::Carried {
            sha256: self.sha256,
            at: self.built().or_else(unpacked),
        })
    }

    /// Whether the environment names another library.
    pub(crate) fn is_named(&self) -> bool {
        self.named().is_ok_and(|path| path.is_some())
    }

    /// The path to load.
    fn path(&self) -> Result<String, String> {
        if let Some(path) = self.named()? {
            return as_text(&path);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stamp) = last.as_ref()
            && Stamp::of(&stamp.path).as_ref() == Some(stamp)
        {
            return as_text(&stamp.path);
        }
        let path = match self.built() {
            Some(path) if as_text(&path).is_ok() => path,
            Some(_) | None => self.unpack(&places::all())?,
        };
        *last = Stamp::of(&path);
        as_text(&path)
    }

    /// What the variable names.
    fn named(&self) -> Result<Option<PathBuf>, String> {
        let value = std::env::var_os(self.variable).filter(|v| !v.is_empty());
        let absolute = value.map(std::path::absolute).transpose();
        absolute.map_err(|e| format!("{} does not name a path: {e}", self.variable))
    }

    /// The file that cargo built with the program: in `deps` beside it, beside a test program, which is itself in
    /// `deps`, and in `deps` beside the folder of an example.
    fn built(&self) -> Option<PathBuf> {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?;
        let places = ["deps", ".", "../deps"].map(|place| folder.join(place));
        let files = places.iter().map(|place| place.join(self.file));
        let mut same = files.filter(|path| self.is(path).is_ok_and(|is| is));
        same.next()
    }

    /// Unpacks it at the first of these places where that is possible.
    fn unpack(&self, places: &[places::Place]) -> Result<PathBuf, String> {
        let mut refused = String::new();
        for place in places {
            let unpacked = as_text(&place.root).and_then(|_| cache::unpacked(place, self));
            match unpacked {
                Ok(path) => return Ok(path),
                Err(why) => refused += &format!("  {}: {why}\n", place.root.display()),
            }
        }
        Err(format!(
            "{} comes with classay, and there is no place to unpack it:\n{refused}Set {} to a folder of yours that \
             can be written and whose files may be executed, or {} to the path of the library.",
            self.file,
            places::VARIABLE,
            self.variable
        ))
    }

    /// Whether the file at `path` is this library.
    fn is(&self, path: &Path) -> io::Result<bool> {
        self.reads(&mut File::open(path)?)
    }

    /// Whether what is read is this library.
    fn reads(&self, from: &mut impl Read) -> io::Result<bool> {
        let mut hash = Sha256::new();
        io::copy(from, &mut hash)?;
        Ok(self.hashes(hash))
    }

    /// Whether what was hashed is this library.
    fn hashes(&self, hash: Sha256) -> bool {
        let hash = hash.finalize();
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        digits == self.sha256
    }
}

/// A file as it was when it was looked at.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    path: PathBuf,
    length: u64,
    written: SystemTime,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let file = path.metadata().ok().filter(|file| file.is_file())?;
        Some(Stamp {
            path: path.to_path_buf(),
            length: file.len(),
            written: file.modified().ok()?,
        })
    }
}

fn as_text(path: &Path) -> Result<String, String> {
    let text = path.to_str().ok_or_else(|| {
        format!(
            "the path {} is not UTF-8; move it to a path that is",
            path.display()
        )
    })?;
    if text.contains(';') {
        return Err(format!(
            "the path {text} contains ';', which OpenCL's loader takes as a separator; move it"
        ));
    }
    Ok(text.to_string())
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Named(variable, path) => write!(f, "{variable}={}", path.display()),
            Origin::Carried { sha256, at } => {
                write!(f, "carried, sha256 {sha256}, ")?;
                match at {
                    Some(path) => write!(f, "as {}", path.display()),
                    None => f.write_str("not unpacked yet"),
                }
            }
        }
    }
}
