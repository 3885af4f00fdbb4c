//! Link options of the shared library.
//!
//! `-Bsymbolic`: an ICD loader exports the same `cl*` names; the dispatch table must
//! point at Touchstone's own functions even when the loader's were loaded first.
//! `-z nodelete`: queue threads outlive the last handle for a moment, so their code
//! must stay mapped after `dlclose`.
//!
//! `detects_races`: under a race detector, which has to see when memory is freed and given out
//! again, the library keeps the system's allocator, which the detector replaces by its own.
//!
//! `TOUCHSTONE_OPT_LEVEL`: how it is optimised, for those who build it to carry it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo::rustc-check-cfg=cfg(detects_races)");
    let sanitizers = std::env::var("CARGO_CFG_SANITIZE").unwrap_or_default();
    if sanitizers.split(',').any(|name| name == "thread") {
        println!("cargo::rustc-cfg=detects_races");
    }
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=TOUCHSTONE_OPT_LEVEL={level}");
}
