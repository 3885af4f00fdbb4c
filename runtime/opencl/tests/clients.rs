//! C programs that use the shared library, compiled with the system's compiler where
//! there is one with the OpenCL headers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The shared library that cargo built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("no path of the test");
    let folder = test.parent().expect("no folder of the test");
    let library = folder.join("libtouchstone.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// Compiles a program; `None` where there is no compiler or no header.
fn compile(name: &str, flags: &[&str]) -> Option<PathBuf> {
    if !Path::new("/usr/include/CL/cl.h").is_file() {
        eprintln!("no OpenCL headers are installed; {name} is not tried");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/clients/{name}.c"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiler = Command::new("gcc")
        .args(["-std=gnu11", "-Wall", "-Winit-self", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .args(flags)
        .output();
    let Ok(output) = compiler else {
        eprintln!("no gcc is installed; {name} is not tried");
        return None;
    };
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    Some(program)
}

/// Runs a program, but not forever; gives what it printed.
fn run(command: &mut Command) -> String {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let mut child = command
        // cargo's own search path comes before the program's and may hold an older library.
        .env_remove("LD_LIBRARY_PATH")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it does not start");
    while child.try_wait().expect("no status").is_none() {
        if std::time::Instant::now() > deadline {
            child.kill().expect("it cannot be stopped");
            panic!("it hangs");
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("no output");
    let messages = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}: {told}{messages}",
        output.status
    );
    String::from_utf8(output.stdout).expect("no UTF-8")
}

#[test]
fn a_c_program_linked_with_the_library_adds_vectors() {
    let library = library();
    let folder = library.parent().and_then(Path::to_str).expect("no UTF-8");
    let flags = [
        &format!("-L{folder}"),
        "-l:libtouchstone.so",
        &format!("-Wl,-rpath,{folder}"),
    ];
    let Some(program) = compile("vector_add", &flags) else {
        return;
    };
    assert_eq!(run(&mut Command::new(program)), "vector add: ok\n");
}

#[test]
fn kernels_print_to_the_standard_output() {
    let library = library();
    let folder = library.parent().and_then(Path::to_str).expect("no UTF-8");
    let flags = [
        &format!("-L{folder}"),
        "-l:libtouchstone.so",
        &format!("-Wl,-rpath,{folder}"),
    ];
    let Some(program) = compile("print", &flags) else {
        return;
    };
    assert_eq!(
        run(&mut Command::new(program)),
        "host 0\nlaunch 0 item 0\nhost 1\nlaunch 1 item 0\nhost 2\nlaunch 2 item 0\nbefore\n"
    );
}

#[test]
fn unloading_with_work_pending_does_no_harm() {
    let Some(program) = compile("leave", &["-ldl"]) else {
        return;
    };
    assert_eq!(run(Command::new(program).arg(library())), "left\n");
}

/// Every fault in one process, which goes on after each; and a kernel that waits for ever, which
/// does not keep the process from ending.
#[test]
fn a_c_program_survives_every_fault_of_its_kernels() {
    let Some(program) = compile("bounds", &["-ldl"]) else {
        return;
    };
    let mut command = Command::new(&program);
    command
        .arg(library())
        .env("TOUCHSTONE_TIME_LIMIT", "0.1")
        .env("TOUCHSTONE_ZERO_DIVISION", "error");
    let output = run(&mut command);
    assert!(output.ends_with("survived 14 faults\n"), "{output}");
    let mut command = Command::new(&program);
    command
        .args([library().as_os_str(), "leave".as_ref()])
        .env("TOUCHSTONE_TIME_LIMIT", "0");
    assert_eq!(run(&mut command), "left\n");
}

/// What programs rely on, on one device and on several.
#[test]
fn behaviours_that_programs_rely_on() {
    let library = library();
    let folder = library.parent().and_then(Path::to_str).expect("no UTF-8");
    let flags = [
        &format!("-L{folder}"),
        "-l:libtouchstone.so",
        &format!("-Wl,-rpath,{folder}"),
        "-pthread",
        "-DCL_USE_DEPRECATED_OPENCL_1_2_APIS",
    ];
    let Some(program) = compile("behaviours", &flags) else {
        return;
    };
    for devices in ["1", "3"] {
        let mut command = Command::new(&program);
        let told = run(command.env("TOUCHSTONE_DEVICES", devices));
        let passed = told
            .lines()
            .filter(|line| line.starts_with("pass "))
            .count();
        assert!(passed > 20, "{told}");
    }
}
