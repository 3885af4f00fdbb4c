//! A pass-through OpenCL library that can crash, hang, corrupt or misreport on request.
//!
//! It stands between a program and an implementation. The shared library exports every entry point
//! of OpenCL, with the C ABI, and forwards each call to the library that the environment variable
//! `CLASSAY_LAYER_LIBRARY` names. Libraries that export only the entry points of `cl_khr_icd` (most
//! vendor drivers do) are served too: no ICD loader needs to be installed for them. What it breaks,
//! and when, is said in `CLASSAY_LAYER_FAULTS`; without that variable it breaks nothing.
//!
//! | folder | what it does |
//! | --- | --- |
//! | [`library`] | opens the implementation and finds its functions |
//! | [`entry`] | the exported functions: one table, one macro |
//! | [`faults`] | what can be broken: the registry, the grammar, counters, and what each fault does |
//!
//! How long a program is in the implementation can be measured, too: `times`; and which faults could
//! make a difference to it: `effects`.
//!
//! A call goes through the folders in that order from the bottom: its entry point asks [`faults`]
//! whether something happens now, asks [`library`] where the call goes, and makes it, through a
//! hook of a fault where one is active.
//!
//! As a Rust library the crate does nothing by itself: it exists so that cargo builds the shared
//! library along with whoever names it, who then loads it by path.

mod answer;
pub mod effects;
pub mod entry;
pub mod faults;
pub mod library;
mod say;
mod shared;
pub mod times;
