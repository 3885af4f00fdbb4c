//! Link options of the shared library.
//!
//! `-Bsymbolic`: an ICD loader exports the same `cl*` names; the dispatch table must
//! point at Touchstone's own functions even when the loader's were loaded first.
//! `-z nodelete`: queue threads outlive the last handle for a moment, so their code
//! must stay mapped after `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
