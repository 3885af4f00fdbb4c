//! Touchstone's OpenCL C front end.

#![forbid(unsafe_code)]
