//! Link options of the shared library, and its dispatch table.
//!
//! `-Bsymbolic`: an ICD loader exports the same `cl*` names; the dispatch table must
//! point at Touchstone's own functions even when the loader's were loaded first.
//! `-z nodelete`: queue threads outlive the last handle for a moment, so their code
//! must stay mapped after `dlclose`.
//!
//! `slots.rs`: the names in `src/icd/slots.txt` for the macro that fills the dispatch table.
//!
//! `detects_races`: under a race detector, which has to see when memory is freed and given out
//! again, the library keeps the system's allocator, which the detector replaces by its own.

use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/icd/slots.txt");
    let slots = fs::read_to_string("src/icd/slots.txt").expect("the crate has this file");
    let names: Vec<&str> = slots.lines().collect();
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let table = format!("dispatch! {{ {} }}\n", names.join(", "));
    fs::write(format!("{out}/slots.rs"), table).expect("OUT_DIR can be written to");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo::rustc-check-cfg=cfg(detects_races)");
    let sanitizers = env::var("CARGO_CFG_SANITIZE").unwrap_or_default();
    if sanitizers.split(',').any(|name| name == "thread") {
        println!("cargo::rustc-cfg=detects_races");
    }
}
