//! Where the program's libraries may be unpacked.

use std::ffi::OsString;
use std::path::PathBuf;

/// Names the folder, where it is to be another.
pub(super) const VARIABLE: &str = "CLASSAY_CACHE";

/// A folder within which libraries may be unpacked. It need not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder.
    pub root: PathBuf,
    /// Whether it lies where anybody may put something of that name.
    pub shared: bool,
}

/// The places, the first choice first: the one that is asked for and no other, or else the user's cache, or
/// else a folder of the user's own among the temporary files.
pub(super) fn all() -> Vec<Place> {
    let user = rustix::process::geteuid().as_raw();
    of(&|name| std::env::var_os(name), std::env::temp_dir(), user)
}

fn of(
    variable: &dyn Fn(&'static str) -> Option<OsString>,
    temporary: PathBuf,
    user: u32,
) -> Vec<Place> {
    let set = |name| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let own = |root| Place {
        root,
        shared: false,
    };
    if let Some(root) = set(VARIABLE) {
        // Relative to the working folder; without one, opening it fails and says so.
        return vec![own(std::path::absolute(&root).unwrap_or(root))];
    }
    // The XDG Base Directory Specification has relative paths ignored.
    let absolute = |name| set(name).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let cache = cache.map(|cache| own(cache.join("classay")));
    let temporary = Place {
        root: temporary.join(format!("classay-{user}")),
        shared: true,
    };
    cache.into_iter().chain([temporary]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(variables: &[(&'static str, &str)]) -> Vec<String> {
        let variable = |name| {
            let mut set = variables.iter().filter(|(n, _)| *n == name);
            set.next().map(|(_, value)| value.into())
        };
        let places = of(&variable, "/tmp".into(), 7);
        let last = places.last().expect("a place");
        assert_eq!(last.shared, last.root.starts_with("/tmp"));
        let root = |place: &Place| place.root.display().to_string();
        places.iter().map(root).collect()
    }

    #[test]
    fn the_users_cache_comes_before_temporary_files() {
        let home = ("HOME", "/home/a");
        assert_eq!(roots(&[home]), ["/home/a/.cache/classay", "/tmp/classay-7"]);
        assert_eq!(
            roots(&[home, ("XDG_CACHE_HOME", "/cache")]),
            ["/cache/classay", "/tmp/classay-7"]
        );
        assert_eq!(
            roots(&[home, ("XDG_CACHE_HOME", "cache")]),
            ["/home/a/.cache/classay", "/tmp/classay-7"]
        );
        assert_eq!(roots(&[]), ["/tmp/classay-7"]);
        assert_eq!(roots(&[("HOME", "")]), ["/tmp/classay-7"]);
    }

    #[test]
    fn what_is_asked_for_is_the_only_place() {
        assert_eq!(
            roots(&[("HOME", "/home/a"), (VARIABLE, "/mine")]),
            ["/mine"]
        );
    }
}
