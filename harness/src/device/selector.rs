//! `--device`: which library, which platform in it, which device of that platform.
//!
//! Works in the parent, on names and paths alone; nothing is loaded here.

use super::vulkan::loader;
use super::{Api, bundled};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A device as the user chooses it: `touchstone`, `system`, a library's path, `vulkan`, or `vulkan:` with a driver's
/// name or path, each with an optional `#platform` or `#platform.device` (numbers from 0, in the order of `classay devices`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// The library.
    pub library: Library,
    /// Where in it; `None` takes the first device of the first platform that has one.
    pub at: Option<At>,
}

impl Selector {
    /// The bundled reference runtime: what is used where nothing else is asked for.
    pub const TOUCHSTONE: Selector = Selector {
        library: Library::Touchstone,
        at: None,
    };
}

/// The library that a selector names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Library {
    /// The bundled reference runtime.
    Touchstone,
    /// The platform's own libOpenCL, found by the dynamic loader.
    System,
    /// A path, or a bare name for the dynamic loader.
    Path(String),
    /// The platform's own Vulkan loader.
    Vulkan,
    /// A Vulkan driver: its library, its manifest, or part of its manifest's name.
    VulkanDriver(String),
}

/// A place in a library: numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct At {
    /// Which platform.
    pub platform: usize,
    /// Which device of that platform.
    pub device: usize,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.platform, self.device)
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Library::Touchstone => f.write_str("touchstone"),
            Library::System => f.write_str("system"),
            Library::Path(path) => f.write_str(path),
            Library::Vulkan => f.write_str(VULKAN),
            Library::VulkanDriver(driver) => write!(f, "{VULKAN}:{driver}"),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.library.fmt(f)?;
        match self.at {
            Some(at) => at.fmt(f),
            None => Ok(()),
        }
    }
}

/// What selects Vulkan.
const VULKAN: &str = "vulkan";

impl FromStr for Selector {
    type Err = String;

    /// Reads a selector. A `#` that is not followed by one or two numbers belongs to the path.
    fn from_str(text: &str) -> Result<Selector, String> {
        let (library, at) = match text.rsplit_once('#').map(|(l, a)| (l, read_at(a))) {
            Some((library, Some(at))) => (library, Some(at)),
            Some((_, None)) | None => (text, None),
        };
        let library = match library {
            "touchstone" => Library::Touchstone,
            "system" => Library::System,
            VULKAN => Library::Vulkan,
            "" => {
                return Err(
                    "it is empty; give touchstone, system, vulkan, or the path of a library".into(),
                );
            }
            path if path.contains([';', '\0']) => {
                return Err(
                    "a library's path must not contain ';'; give it a name without one, for \
                     instance by a symbolic link"
                        .into(),
                );
            }
            path => match path
                .strip_prefix(VULKAN)
                .and_then(|end| end.strip_prefix(':'))
            {
                Some("") => {
                    return Err("no driver follows vulkan:; give vulkan alone for the loader, or a driver's name \
                                or path after the colon"
                        .into());
                }
                Some(driver) => Library::VulkanDriver(driver.to_string()),
                None => Library::Path(path.to_string()),
            },
        };
        Ok(Selector { library, at })
    }
}

/// `1` or `1.0`.
fn read_at(text: &str) -> Option<At> {
    let (platform, device) = text.split_once('.').unwrap_or((text, "0"));
    let number = |s: &str| -> Option<usize> {
        if s.bytes().all(|b| b.is_ascii_digit()) {
            s.parse().ok()
        } else {
            None
        }
    };
    Some(At {
        platform: number(platform)?,
        device: number(device)?,
    })
}

impl Library {
    /// The interface of its devices.
    pub fn api(&self) -> Api {
        match self {
            Library::Touchstone | Library::System | Library::Path(_) => Api::OpenCl,
            Library::Vulkan | Library::VulkanDriver(_) => Api::Vulkan,
        }
    }

    /// The names to try, in order, as the dynamic loader takes them. `Err` says in a sentence why
    /// there is none.
    ///
    /// # Errors
    ///
    /// A library that comes with classay is not there; one sentence.
    pub fn names(&self) -> Result<Vec<String>, String> {
        match self {
            Library::Touchstone => bundled::touchstone().map(|path| vec![path]),
            Library::System => Ok(vec!["libOpenCL.so.1".into(), "libOpenCL.so".into()]),
            Library::Path(name) => Ok(vec![absolute_if_file(name)]),
            Library::Vulkan => Ok(vec!["libvulkan.so.1".into(), "libvulkan.so".into()]),
            Library::VulkanDriver(name) => driver(name).map(|library| vec![library]),
        }
    }
}

/// The library of a Vulkan driver: of its manifest, the one that this names; a path as it is; of any other name, that
/// of the installed manifest.
fn driver(name: &str) -> Result<String, String> {
    if name.ends_with(".json") {
        return loader::of_manifest(Path::new(name));
    }
    if name.contains('/') || name.contains(".so") || Path::new(name).exists() {
        return Ok(absolute_if_file(name));
    }
    loader::of_manifest(&loader::manifest_of(name)?)
}

/// A name with a `/` in it, or of a file in the current folder, is a path and is made absolute;
/// any other is left to the dynamic loader.
fn absolute_if_file(name: &str) -> String {
    let path = Path::new(name);
    if !name.contains('/') && !path.exists() {
        return name.to_string();
    }
    match std::path::absolute(path) {
        Ok(absolute) => absolute.to_string_lossy().into_owned(),
        Err(_) => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Selector {
        text.parse().expect("a selector")
    }

    #[test]
    fn names_and_places() {
        assert_eq!(read("touchstone").library, Library::Touchstone);
        assert_eq!(read("touchstone").at, None);
        let second = read("system#1");
        assert_eq!(second.library, Library::System);
        assert_eq!(
            second.at,
            Some(At {
                platform: 1,
                device: 0
            })
        );
        assert_eq!(
            read("/a/b.so#2.3"),
            Selector {
                library: Library::Path("/a/b.so".into()),
                at: Some(At {
                    platform: 2,
                    device: 3
                }),
            }
        );
    }

    #[test]
    fn a_hash_without_numbers_belongs_to_the_path() {
        for path in [
            "/a#b.so", "/a#1.so", "/a#", "/a#1.", "/a#.1", "/a#+1", "/a#-1.0",
        ] {
            assert_eq!(read(path).library, Library::Path(path.into()), "{path}");
        }
        assert_eq!(read("/a#b.so#1").library, Library::Path("/a#b.so".into()));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "#1.0", "/a;/b", "vulkan:", "vulkan:#0", "vulkan:/a;/b"] {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }

    #[test]
    fn printing_reads_back() {
        for text in [
            "touchstone",
            "system#1.0",
            "/opt/libx.so#0.2",
            "libx.so",
            "vulkan",
            "vulkan#0.1",
            "vulkan:lvp",
            "vulkan:/opt/libx.so#0.1",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn a_bare_name_is_left_to_the_loader() {
        assert_eq!(
            read("libnosuch.so.7").library.names(),
            Ok(vec!["libnosuch.so.7".to_string()])
        );
        let path = read("./libnosuch.so").library.names().expect("a name");
        assert!(Path::new(&path[0]).is_absolute());
    }
}
