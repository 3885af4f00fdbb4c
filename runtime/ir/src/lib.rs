//! Touchstone's kernel IR: typed, explicit memory operations, validator, printer.

#![forbid(unsafe_code)]
