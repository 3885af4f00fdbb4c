//! Packs Touchstone and the layers, which the program carries and unpacks where it needs them
//! (`src/device/bundled`).
//!
//! They are build dependencies, so cargo has built their shared libraries before this runs. It puts them into
//! the folder `deps` of what it builds for this machine, which is also the folder of this script's own
//! dependencies. The profiles of the workspace have build dependencies compiled as everything else is, so that
//! the libraries in that folder are the only ones there are.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The libraries' files.
const FILES: [&str; 3] = [
    "libtouchstone.so",
    "libclassay_layer.so",
    "libclassay_vulkan_layer.so",
];

/// Names a folder with the libraries, built for the machine that classay is built for.
const LIBRARIES: &str = "CLASSAY_LIBRARIES";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={LIBRARIES}");
    match pack() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error={why}");
            ExitCode::FAILURE
        }
    }
}

fn pack() -> Result<(), String> {
    let folder = folder()?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    // Developers wait for it at each change of the runtime, users for what they copy.
    let level = match variable("OPT_LEVEL")?.as_str() {
        "0" | "1" => Compression::fast(),
        _ => Compression::best(),
    };
    for file in FILES {
        let path = folder.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let library =
            std::fs::read(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        of_target(&path, &library)?;
        let hash = Sha256::digest(&library);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut packed = GzEncoder::new(Vec::new(), level);
        let packed = packed
            .write_all(&library)
            .and_then(|()| packed.finish())
            .map_err(|e| format!("{} cannot be packed: {e}", path.display()))?;
        write(&out.join(format!("{file}.gz")), &packed)?;
        write(&out.join(format!("{file}.sha256")), hash.as_bytes())?;
    }
    Ok(())
}

/// Where the libraries are.
fn folder() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os(LIBRARIES).filter(|v| !v.is_empty()) {
        return std::path::absolute(folder)
            .map_err(|e| format!("{LIBRARIES} does not name a folder: {e}"));
    }
    let (host, target) = (variable("HOST")?, variable("TARGET")?);
    if host != target {
        return Err(format!(
            "classay carries Touchstone and its layers, and on {host} cargo builds those for {host} along with \
             it. For {target} build them first, with `cargo build --release --target {target} -p touchstone \
             -p classay-layer -p classay-vulkan-layer`, and then classay with {LIBRARIES}=target/{target}/release in the environment."
        ));
    }
    let (runtime, own) = (touchstone::OPT_LEVEL, variable("OPT_LEVEL")?);
    if runtime != own {
        return Err(format!(
            "Touchstone, a build dependency of classay, is compiled with opt-level {runtime}, and classay with \
             {own}. Have build dependencies compiled as everything else is: write `opt-level = {own}` below \
             [profile.{}.build-override] in the Cargo.toml of the workspace.",
            variable("PROFILE")?.replace("debug", "dev")
        ));
    }
    // This program is build/classay-HASH/build-script-build, beside deps.
    let program =
        std::env::current_exe().map_err(|e| format!("no path of the build script: {e}"))?;
    let deps = program.ancestors().nth(3).map(|built| built.join("deps"));
    deps.ok_or_else(|| format!("{} is in no folder that cargo makes", program.display()))
}

/// Whether a library is one for the machine that classay is built for, as far as the head of its file says.
fn of_target(path: &Path, library: &[u8]) -> Result<(), String> {
    // Machine numbers of ELF.
    let architecture = variable("CARGO_CFG_TARGET_ARCH")?;
    let machine: u16 = match architecture.as_str() {
        "x86" => 3,
        "arm" => 40,
        "x86_64" => 62,
        "aarch64" => 183,
        "riscv64" => 243,
        _ => return Ok(()),
    };
    let little = variable("CARGO_CFG_TARGET_ENDIAN")? == "little";
    let number = if little {
        machine.to_le_bytes()
    } else {
        machine.to_be_bytes()
    };
    let is = library.starts_with(b"\x7fELF") && library.get(18..20) == Some(&number[..]);
    is.then_some(())
        .ok_or_else(|| format!("{} is no library for {architecture}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

/// What cargo tells build scripts.
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|e| format!("{name}: {e}"))
}
