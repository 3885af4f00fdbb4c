//! Touchstone's executors of kernel IR.
