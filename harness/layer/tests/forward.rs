//! Calls arrive where they should, and where they cannot the caller is told.

mod common;

use common::{adding_on, adding_with, fake_driver, layer, stderr, stdout};

#[test]
fn an_icd_only_driver_works_through_the_layer_and_not_without() {
    let through = adding_on(fake_driver()).arg("3").output().expect("runs");
    assert!(through.status.success(), "{}", stderr(&through));
    assert!(
        stdout(&through).contains("sums: 3 right"),
        "{}",
        stdout(&through)
    );
    assert_eq!(stderr(&through), "");
    let without = adding_with(&fake_driver()).output().expect("runs");
    assert_eq!(without.status.code(), Some(1));
}

/// Every way to have no implementation: one line that says which, and the status of `cl_khr_icd`.
#[test]
fn no_implementation_is_said_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").expect("written");
    let copy = folder.path().join("libOpenCL.so.1");
    std::fs::copy(layer(), &copy).expect("copied");
    for (library, says) in [
        ("".into(), "set CLASSAY_LAYER_LIBRARY"),
        (
            "/no/such/library.so".into(),
            "cannot load '/no/such/library.so'",
        ),
        (text.into_os_string(), "cannot load"),
        ("libc.so.6".into(), "is no OpenCL library"),
        (layer().into_os_string(), "is this layer itself"),
        (copy.into_os_string(), "is this layer itself"),
    ] {
        let output = adding_on(&library).output().expect("runs");
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{library:?}: {stderr}");
        let lines: Vec<_> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{stderr}");
        assert!(
            lines[0].starts_with("classay-layer: ") && lines[0].contains(says),
            "{stderr}"
        );
        assert_eq!(lines[1], "failed: clGetPlatformIDs: -1001");
    }
}
