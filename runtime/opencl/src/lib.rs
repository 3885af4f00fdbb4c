//! Touchstone: the OpenCL API over the executors.
