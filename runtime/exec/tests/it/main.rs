//! Programs run from launch to result.
mod arith;
mod atomics;
mod barrier;
mod collective;
mod control;
mod device;
mod differential;
mod endless;
mod launch;
mod memory;
mod objects;
mod support;
mod system;
mod traps;
