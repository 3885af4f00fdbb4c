//! A pass-through OpenCL library that can crash, hang, corrupt or lie on request.
