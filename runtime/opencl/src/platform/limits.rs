//! Sizes and counts: from the machine, from the environment, from the executor.

use std::num::NonZeroUsize;

use crate::environment;

/// Work-items of one work-group, at most.
pub const MAX_WORK_GROUP_SIZE: usize = 1024;
/// Work-items of one index space, at most: what the executor can number.
pub const MAX_GLOBAL_SIZE: usize = usize::MAX / 2;
/// Local memory of one work-group, in bytes.
pub const LOCAL_MEMORY: u64 = 64 * 1024;
/// Private memory of one work-group, in bytes; well under what the executor allows.
pub const GROUP_MEMORY: u64 = 1 << 30;
/// All arguments of one kernel, in bytes.
pub const MAX_PARAMETER_SIZE: usize = 4096;
/// Alignment of every buffer and the granularity of sub-buffer origins, in bytes: the
/// size of the largest built-in type, a `long16`.
pub const BASE_ALIGNMENT: usize = 128;
/// The largest program-scope variable, in bytes.
pub const MAX_GLOBAL_VARIABLE: usize = 64 * 1024 * 1024;

/// What images there can be, in elements.
#[derive(Clone, Copy, Debug)]
pub struct ImageLimits {
    /// Sides of 1D and 2D images.
    pub side_2d: usize,
    /// Sides of 3D images.
    pub side_3d: usize,
    /// 1D images in buffers.
    pub buffer: usize,
    /// Images of an array.
    pub array: usize,
    /// Image arguments of a kernel that it reads.
    pub read_args: u32,
    /// Image arguments that it writes.
    pub write_args: u32,
    /// Image arguments that it reads and writes.
    pub read_write_args: u32,
    /// Samplers of a kernel.
    pub samplers: u32,
}

/// The images of every device: twice what the specification demands where more costs
/// nothing.
pub const IMAGES: ImageLimits = ImageLimits {
    side_2d: 32768,
    side_3d: 2048,
    buffer: 1 << 27,
    array: 2048,
    read_args: 128,
    write_args: 64,
    read_write_args: 64,
    samplers: 16,
};

/// What one device can hold.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads that run work-groups, also reported as compute units.
    pub compute_units: usize,
    /// Global memory, in bytes.
    pub global_memory: u64,
    /// The largest buffer, in bytes.
    pub max_allocation: u64,
    /// Size of a cache line, in bytes.
    pub cache_line: u32,
    /// Size of the last-level cache, in bytes; zero when the system does not say.
    pub cache: u64,
    /// Highest clock frequency, in MHz; zero when the system does not say.
    pub clock: u32,
}

impl Limits {
    /// Looks at the machine and at `TOUCHSTONE_THREADS`.
    pub fn of_this_machine() -> Self {
        let global_memory = system_value(libc::_SC_PHYS_PAGES)
            .zip(system_value(libc::_SC_PAGESIZE))
            .map_or(1 << 30, |(pages, size)| pages.saturating_mul(size));
        Self {
            compute_units: threads(),
            global_memory,
            // The specification's lower bound, max(min(1 GiB, global / 4), 32 MiB), with
            // nothing to gain from stopping at 1 GiB.
            max_allocation: (global_memory / 4).max(32 << 20),
            cache_line: cache_line(),
            cache: cache(),
            clock: clock(),
        }
    }
}

/// `TOUCHSTONE_THREADS`, or as many threads as the process may run at once.
fn threads() -> usize {
    environment::number("TOUCHSTONE_THREADS")
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
}

fn system_value(name: libc::c_int) -> Option<u64> {
    // SAFETY: sysconf only reads its argument.
    let value = unsafe { libc::sysconf(name) };
    u64::try_from(value).ok().filter(|&value| value > 0)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn cache() -> u64 {
    system_value(libc::_SC_LEVEL3_CACHE_SIZE)
        .or_else(|| system_value(libc::_SC_LEVEL2_CACHE_SIZE))
        .unwrap_or(0)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn cache_line() -> u32 {
    system_value(libc::_SC_LEVEL1_DCACHE_LINESIZE)
        .and_then(|size| u32::try_from(size).ok())
        .unwrap_or(64)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn cache() -> u64 {
    0
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn cache_line() -> u32 {
    64
}

/// From `/proc/cpuinfo`, which shows the present frequency of each core in MHz.
fn clock() -> u32 {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .filter_map(|line| line.strip_prefix("cpu MHz")?.split(':').nth(1))
                .filter_map(|mhz| mhz.trim().parse::<f64>().ok())
                .map(|mhz| mhz as u32)
                .max()
        })
        .unwrap_or(0)
}
