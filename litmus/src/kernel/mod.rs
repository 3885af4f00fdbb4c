//! Program to OpenCL C for a test environment.
