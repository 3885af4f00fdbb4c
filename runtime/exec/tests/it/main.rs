//! Programs run from launch to result.
mod arith;
mod atomics;
mod barrier;
mod collective;
mod control;
mod device;
mod differential;
mod endless;
mod engines;
mod launch;
mod memory;
mod objects;
mod random;
mod shuffle;
mod support;
mod system;
mod traps;
