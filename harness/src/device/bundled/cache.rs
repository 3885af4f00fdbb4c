//! The user's copies of the libraries that the program carries.
//!
//! A version of the program has a folder of its own, named after the version and the contents:
//! `0.1.0-5f70bf18-2bd806c9/libtouchstone.so`. A copy is looked at before it is used: who may write it, and
//! whether its contents are those that the program carries. One that is damaged, cut short or somebody else's is
//! replaced. A new copy is written under a name of its own, brought to the disk, and renamed: programs that
//! start at once each write one, all the same, and whoever loads the library meets a whole file at any time.
//!
//! Folders of other versions are removed by whoever unpacks something, once they were not used for
//! [`KEPT`]; only files that this module writes are.

use super::places::Place;
use super::{LAYER, Library, TOUCHSTONE};
use flate2::read::GzDecoder;
use rustix::fs::{OFlags, StatVfsMountFlags, statvfs};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long another version's copies are kept after they were used last. A hunt goes on for days, and starts
/// workers all the while.
const KEPT: Duration = Duration::from_secs(90 * DAY);

/// The time of a copy is set when it is used, at most so often; a part that was not renamed for so long never
/// will be.
const FRESH: Duration = Duration::from_secs(DAY);

const DAY: u64 = 24 * 60 * 60;

/// What the names of files end with that are being written.
const PART: &str = ".part";

/// The name of this version's folder.
pub(super) fn folder() -> String {
    let [touchstone, layer] = [&TOUCHSTONE, &LAYER].map(|library| &library.sha256[..8]);
    format!("{}-{touchstone}-{layer}", env!("CARGO_PKG_VERSION"))
}

/// The path of a sound copy at this place, which is written where there is none. The error says, in words
/// that follow the place's name and a colon, why there can be none.
pub(super) fn unpacked(place: &Place, library: &Library) -> Result<PathBuf, String> {
    if place.shared {
        fs_error(make(&place.root))?;
        own(&place.root)?;
    } else {
        let mut all = DirBuilder::new();
        fs_error(all.recursive(true).mode(0o700).create(&place.root))?;
        let root = fs_error(place.root.metadata())?;
        trusted(&root, 0o002)?;
    }
    let folder = place.root.join(folder());
    fs_error(make(&folder))?;
    let made = fs_error(folder.symlink_metadata())?;
    trusted(&made, 0o022)?;
    let system = fs_error(statvfs(&folder).map_err(io::Error::from))?;
    if system.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err("nothing in this file system may be executed (noexec)".into());
    }
    let path = folder.join(library.file);
    match sound(&path, library) {
        Ok(copy) => keep(&copy),
        Err(why) => {
            tracing::debug!(path = %path.display(), why, "unpacking");
            fs_error(write(&path, library))?;
            sound(&path, library).map_err(|why| format!("what was just written {why}"))?;
            tidy(&place.root, &folder);
        }
    }
    Ok(path)
}

/// Makes a folder for this user alone, where it is not there.
fn make(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Whether what is among everybody's files is a folder of this user's, and nobody else may write it.
fn own(folder: &Path) -> Result<(), String> {
    let found = fs_error(folder.symlink_metadata())?;
    if !found.is_dir() {
        return Err("it is not a folder".into());
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!("it belongs to another user ({})", found.uid()));
    }
    trusted(&found, 0o077)
}

/// Whether a file or folder is this user's or the superuser's, and has none of these permissions.
fn trusted(found: &Metadata, none_of: u32) -> Result<(), String> {
    let owner = found.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Err(format!("it belongs to another user ({owner})"));
    }
    if found.mode() & none_of != 0 {
        let mode = found.mode() & 0o777;
        return Err(format!("others have access to it (mode {mode:03o})"));
    }
    Ok(())
}

/// The copy at `path`, where it is sound. The error says in words that follow the path what it is instead.
pub(super) fn sound(path: &Path, library: &Library) -> Result<File, String> {
    let mut options = OpenOptions::new();
    // Neither another file by a link, nor one that opening waits for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.read(true).custom_flags(flags.bits() as i32);
    let mut file = fs_error(options.open(path))?;
    let found = fs_error(file.metadata())?;
    if !found.is_file() {
        return Err("is not a file".into());
    }
    trusted(&found, 0o022)?;
    match fs_error(library.reads(&mut file))? {
        true => Ok(file),
        false => Err("is not what classay carries".into()),
    }
}

/// Notes that a copy is used.
fn keep(copy: &File) {
    let noted = copy.metadata().and_then(|found| found.modified());
    if noted.is_ok_and(|noted| older(noted, FRESH)) {
        // A copy that this user may not change is somebody's who notes it.
        let _ = copy.set_modified(SystemTime::now());
    }
}

/// Writes a copy.
fn write(path: &Path, library: &Library) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut part = tempfile::Builder::new()
        .prefix(library.file)
        .suffix(PART)
        .tempfile_in(folder)?;
    let mut bytes = Vec::new();
    GzDecoder::new(library.packed).read_to_end(&mut bytes)?;
    part.write_all(&bytes)?;
    part.as_file().sync_all()?;
    part.persist(path).map_err(|e| e.error)?;
    // The name, too; a folder that cannot be brought to the disk is looked at again anyway.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Removes what other versions left and do not use, and parts that nobody renamed. What cannot be removed stays.
fn tidy(root: &Path, current: &Path) {
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    for folder in folders {
        let path = folder.path();
        let is_folder = folder.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !is_version(&folder.file_name().to_string_lossy()) {
            continue;
        }
        let files: Vec<_> = std::fs::read_dir(&path)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        let age = |file: &std::fs::DirEntry| file.metadata().and_then(|found| found.modified());
        let idle = |file: &std::fs::DirEntry, time| age(file).is_ok_and(|used| older(used, time));
        let unused = path != current && files.iter().all(|file| idle(file, KEPT));
        // One that is being made has no file yet.
        let unused = unused && idle(&folder, FRESH);
        for file in &files {
            let name = file.file_name();
            let name = name.to_string_lossy();
            let copy = [&TOUCHSTONE, &LAYER].iter().any(|ours| ours.file == name);
            if (copy && unused) || (name.ends_with(PART) && idle(file, FRESH)) {
                let _ = std::fs::remove_file(file.path());
            }
        }
        if unused {
            // Fails where something else is in it.
            let _ = std::fs::remove_dir(&path);
        }
    }
}

/// Whether a folder's name is one that [`folder`] gives in some version.
fn is_version(name: &str) -> bool {
    let mut parts = name.rsplitn(3, '-');
    let hashes = [parts.next(), parts.next()];
    let hash = |part: Option<&str>| {
        part.is_some_and(|p| p.len() == 8 && p.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let version = parts.next().unwrap_or_default();
    hashes.into_iter().all(hash) && version.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a time is so long ago.
fn older(time: SystemTime, than: Duration) -> bool {
    time.elapsed().is_ok_and(|age| age > than)
}

/// What the system says, as a sentence goes on.
fn fs_error<T>(done: io::Result<T>) -> Result<T, String> {
    done.map_err(|e| e.to_string())
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
