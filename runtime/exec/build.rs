//! Says whether accesses that the system refuses can be caught, and whether kernels can be compiled.
//!
//! `catches_faults`: accesses of kernels are assembly on x86-64 under Linux, so that a fault can
//! be caught. Under a race detector they are Rust's atomics everywhere: assembly shows it neither the
//! accesses nor what they order.
//!
//! `compiles_kernels`: kernels become machine code, which is the same kind of assembly, on the same systems.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(catches_faults, compiles_kernels)");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_{key}")).unwrap_or_default();
    let detects_races = target("SANITIZE").split(',').any(|name| name == "thread");
    if target("TARGET_OS") == "linux" && target("TARGET_ARCH") == "x86_64" && !detects_races {
        println!("cargo::rustc-cfg=catches_faults");
        println!("cargo::rustc-cfg=compiles_kernels");
    }
}
