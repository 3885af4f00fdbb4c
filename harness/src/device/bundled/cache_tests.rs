use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::sync::Mutex;

/// A library of these bytes.
fn library(bytes: &[u8]) -> &'static Library {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("memory");
    let hash = Sha256::digest(bytes);
    let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    Box::leak(Box::new(Library {
        file: TOUCHSTONE.file,
        variable: "CLASSAY_NO_SUCH_VARIABLE",
        sha256: digits.leak(),
        packed: packed.finish().expect("memory").leak(),
        last: Mutex::new(None),
    }))
}

const BYTES: &[u8] = &[7; 100_000];

fn at(root: &Path) -> Place {
    Place {
        root: root.to_path_buf(),
        shared: false,
    }
}

fn shared(root: &Path) -> Place {
    Place {
        shared: true,
        ..at(root)
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("a file").mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
}

/// Makes a file or folder look as if it was written so many days ago.
fn age(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * DAY);
    let file = File::open(path).expect("a file");
    file.set_modified(then).expect("a time");
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn a_copy_is_written_once_and_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    for place in [
        at(&folder.path().join("a/b")),
        shared(&folder.path().join("c")),
    ] {
        let path = unpacked(&place, library(BYTES)).expect("a copy");
        assert_eq!(std::fs::read(&path).expect("a copy"), BYTES);
        assert_eq!(mode(&place.root), 0o700);
        assert_eq!(mode(path.parent().expect("a folder")), 0o700);
        assert_eq!(names(path.parent().expect("a folder")), [TOUCHSTONE.file]);
        let inode = |path: &Path| path.metadata().expect("a copy").ino();
        let first = inode(&path);
        assert_eq!(unpacked(&place, library(BYTES)), Ok(path.clone()));
        assert_eq!(inode(&path), first);
    }
}

#[test]
fn a_copy_that_is_not_sound_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = at(folder.path());
    let path = unpacked(&place, library(BYTES)).expect("a copy");
    let mut wrong = BYTES.to_vec();
    wrong[50_000] = 8;
    let elsewhere = folder.path().join("elsewhere");
    let damages: [(&str, &dyn Fn()); 5] = [
        ("a byte", &|| std::fs::write(&path, &wrong).expect("a file")),
        ("cut short", &|| {
            std::fs::write(&path, &BYTES[1..]).expect("a file")
        }),
        ("empty", &|| drop(File::create(&path).expect("a file"))),
        ("open to others", &|| set_mode(&path, 0o666)),
        ("a link", &|| {
            std::fs::rename(&path, &elsewhere).expect("a file");
            symlink(&elsewhere, &path).expect("a link");
        }),
    ];
    for (what, damage) in damages {
        damage();
        assert!(sound(&path, library(BYTES)).is_err(), "{what}");
        assert_eq!(unpacked(&place, library(BYTES)), Ok(path.clone()), "{what}");
        assert!(sound(&path, library(BYTES)).is_ok(), "{what}");
    }
    // Where it cannot be replaced, it is said why.
    std::fs::remove_file(&path).expect("a file");
    std::fs::create_dir(&path).expect("a folder");
    let why = unpacked(&place, library(BYTES)).expect_err("no copy");
    assert!(why.contains("directory"), "{why}");
}

#[test]
fn programs_that_start_at_once_all_get_a_whole_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = shared(&folder.path().join("cache"));
    let library = library(BYTES);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let path = unpacked(&place, library).expect("a copy");
                    assert!(std::fs::read(&path).expect("a copy") == BYTES);
                    // Another program replaces it all the while.
                    write(&path, library).expect("a copy");
                }
            });
        }
    });
    let within = place.root.join(super::folder());
    assert_eq!(names(&within), [TOUCHSTONE.file]);
}

#[test]
fn a_place_that_does_not_do_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let link = folder.path().join("link");
    symlink(folder.path(), &link).expect("a link");
    let open = folder.path().join("open");
    std::fs::create_dir(&open).expect("a folder");
    set_mode(&open, 0o777);
    for (place, words) in [
        (at(&file.join("below")), "ot a directory"),
        (at(&open), "others have access to it (mode 777)"),
        (shared(&open), "others have access to it (mode 777)"),
        (shared(&file), "not a folder"),
        (shared(&link), "not a folder"),
        (at(Path::new("/proc/classay")), "o such file"),
    ] {
        let why = unpacked(&place, library(BYTES)).expect_err("no copy");
        assert!(why.contains(words), "{place:?}: {why}");
    }
    // What is not for all to write may be asked for by a link.
    std::fs::remove_file(&link).expect("a link");
    std::fs::create_dir(folder.path().join("real")).expect("a folder");
    symlink(folder.path().join("real"), &link).expect("a link");
    assert!(unpacked(&at(&link), library(BYTES)).is_ok());
    // The next place is taken, and where there is none the error names all.
    let library = library(BYTES);
    let good = folder.path().join("good");
    let path = library.unpack(&[at(&file), at(&good)]).expect("a copy");
    assert!(path.starts_with(&good));
    let odd = folder.path().join("a;b");
    let why = library
        .unpack(&[shared(&file), at(&odd)])
        .expect_err("no copy");
    for words in ["file: it is not a folder", "contains ';'", "CLASSAY_CACHE"] {
        assert!(why.contains(words), "{words}: {why}");
    }
}

/// Only the superuser can give files away.
#[test]
fn what_belongs_to_another_user_is_not_loaded() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: files cannot be given to another user here");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("cache");
    let path = unpacked(&shared(&root), library(BYTES)).expect("a copy");
    chown(&path, Some(12_345), None).expect("another owner");
    let why = sound(&path, library(BYTES)).expect_err("another's");
    assert!(why.contains("another user (12345)"), "{why}");
    // In a folder of the user's own it is replaced, in another's it is not.
    assert!(unpacked(&shared(&root), library(BYTES)).is_ok());
    assert!(sound(&path, library(BYTES)).is_ok());
    for foreign in [path.parent().expect("a folder"), &root] {
        chown(foreign, Some(12_345), None).expect("another owner");
        for place in [shared(&root), at(&root)] {
            let why = unpacked(&place, library(BYTES)).expect_err("another's");
            assert!(why.contains("another user (12345)"), "{why}");
        }
        chown(foreign, Some(0), None).expect("the owner");
    }
}

#[test]
fn copies_that_no_version_uses_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let other = |name: &str, days: u64| {
        let other = root.join(name);
        std::fs::create_dir(&other).expect("a folder");
        for file in [TOUCHSTONE.file, LAYER.file] {
            std::fs::write(other.join(file), "").expect("a file");
            age(&other.join(file), days);
        }
        other
    };
    let old = other("0.0.9-01234567-89abcdef", 100);
    let beta = other("1.0.0-beta-01234567-89abcdef", 100);
    let used = other("0.0.8-01234567-89abcdef", 100);
    age(&used.join(TOUCHSTONE.file), 80);
    let strange = other("mine", 100);
    let with_more = other("0.0.7-01234567-89abcdef", 100);
    let note = with_more.join("note.txt");
    std::fs::write(&note, "").expect("a file");
    age(&note, 100);
    let current = root.join(super::folder());
    std::fs::create_dir(&current).expect("a folder");
    let [left, new] = ["libtouchstone.soAAAAAA.part", "libtouchstone.soBBBBBB.part"];
    for part in [left, new] {
        std::fs::write(current.join(part), "").expect("a file");
    }
    age(&current.join(left), 2);
    for path in [&old, &beta, &used, &strange, &with_more] {
        age(path, 100);
    }
    unpacked(&at(root), library(BYTES)).expect("a copy");
    assert!(!old.exists() && !beta.exists());
    assert_eq!(names(&used).len(), 2);
    assert_eq!(names(&strange).len(), 2);
    assert_eq!(names(&with_more), ["note.txt"]);
    assert_eq!(names(&current), [TOUCHSTONE.file, new]);
}

#[test]
fn a_copy_that_is_used_says_so_once_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = at(folder.path());
    let path = unpacked(&place, library(BYTES)).expect("a copy");
    let used = || {
        path.metadata()
            .and_then(|found| found.modified())
            .expect("a time")
    };
    age(&path, 2);
    unpacked(&place, library(BYTES)).expect("a copy");
    let noted = used();
    assert!(!older(noted, Duration::from_secs(60)));
    unpacked(&place, library(BYTES)).expect("a copy");
    assert_eq!(used(), noted);
}
