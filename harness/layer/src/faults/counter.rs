//! Counts calls: in this process, or in a file that several processes share.
//!
//! The file has a head and then one 64-bit little-endian number for each entry point, and one for
//! all of them together. A call locks the file, reads its number and writes it back with one
//! write before the fault acts, so a process that dies of its fault has counted the call.

use super::grammar::Site;
use crate::library::Entry;
use crate::shared::lock;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first bytes of a file of counters.
const HEAD: &[u8; 16] = b"classay layer 1\n";

/// How often each function was called.
pub(crate) struct Counters {
    here: Vec<AtomicU64>,
    shared: Option<Shared>,
}

struct Shared {
    file: File,
    path: PathBuf,
    /// File locks are the process's: its threads need their own.
    threads: std::sync::Mutex<()>,
}

impl Counters {
    /// Counters at zero, or those of the file at `path`, which is created if it does not exist.
    ///
    /// # Errors
    /// A sentence, when the file cannot be opened or is no file of counters.
    pub(crate) fn new(path: Option<PathBuf>) -> Result<Counters, String> {
        let here = (0..=Entry::all().count())
            .map(|_| AtomicU64::new(0))
            .collect();
        let shared = path.map(Shared::open).transpose()?;
        Ok(Counters { here, shared })
    }

    /// Counts a call; its number, from 1.
    ///
    /// # Errors
    /// A sentence, when the file cannot be read or written.
    pub(crate) fn next(&self, site: Site) -> Result<u64, String> {
        let place = match site {
            Site::Entry(entry) => entry.index(),
            Site::Any => self.here.len() - 1,
        };
        match &self.shared {
            None => Ok(self
                .here
                .get(place)
                .map_or(0, |count| count.fetch_add(1, Ordering::Relaxed))
                .wrapping_add(1)),
            Some(shared) => shared
                .next(place)
                .map_err(|error| format!("'{}': {error}", shared.path.display())),
        }
    }
}

impl Shared {
    fn open(path: PathBuf) -> Result<Shared, String> {
        let open = || {
            let file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            file.lock()?;
            let ours = if file.metadata()?.len() == 0 {
                file.write_all_at(HEAD, 0)?;
                true
            } else {
                let mut head = [0; HEAD.len()];
                file.read_exact_at(&mut head, 0).is_ok() && head == *HEAD
            };
            file.unlock()?;
            Ok((file, ours))
        };
        match open() {
            Ok((file, true)) => Ok(Shared {
                file,
                path,
                threads: std::sync::Mutex::new(()),
            }),
            Ok((_, false)) => Err(format!("'{}' is no file of call counters", path.display())),
            Err(error) => {
                let error: io::Error = error;
                Err(format!("'{}': {error}", path.display()))
            }
        }
    }

    fn next(&self, place: usize) -> io::Result<u64> {
        let _mine = lock(&self.threads);
        self.file.lock()?;
        let at = (HEAD.len() + place * size_of::<u64>()) as u64;
        let mut number = [0; size_of::<u64>()];
        let counted = match self.file.read_exact_at(&mut number, at) {
            Ok(()) => Ok(u64::from_le_bytes(number)),
            // Not written yet.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            Err(error) => Err(error),
        };
        let next = counted.map(|count| count.wrapping_add(1)).and_then(|next| {
            self.file.write_all_at(&next.to_le_bytes(), at)?;
            Ok(next)
        });
        self.file.unlock()?;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINISH: Site = Site::Entry(Entry::named("clFinish"));
    const FLUSH: Site = Site::Entry(Entry::named("clFlush"));

    #[test]
    fn functions_are_counted_apart() {
        let counters = Counters::new(None).expect("counters");
        assert_eq!(counters.next(FINISH), Ok(1));
        assert_eq!(counters.next(FINISH), Ok(2));
        assert_eq!(counters.next(FLUSH), Ok(1));
        assert_eq!(counters.next(Site::Any), Ok(1));
    }

    #[test]
    fn a_file_keeps_count_and_loses_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state");
        let one = Counters::new(Some(path.clone())).expect("counters");
        let two = Counters::new(Some(path.clone())).expect("counters");
        std::thread::scope(|scope| {
            for counters in [&one, &two, &one, &two] {
                scope.spawn(move || {
                    for _ in 0..250 {
                        counters.next(FINISH).expect("a number");
                    }
                });
            }
        });
        let three = Counters::new(Some(path)).expect("counters");
        assert_eq!(three.next(FINISH), Ok(1001));
        assert_eq!(three.next(Site::Any), Ok(1));
    }

    #[test]
    fn another_file_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("thesis.tex");
        std::fs::write(&path, "\\documentclass{article}").expect("written");
        assert!(Counters::new(Some(path.clone())).is_err());
        assert_eq!(
            std::fs::read(&path).expect("read"),
            b"\\documentclass{article}"
        );
    }
}
