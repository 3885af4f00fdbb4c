//! Sizes and counts: from the machine, from the environment, from the executor.

use std::num::NonZeroUsize;

use touchstone_faults::{Latitude, takes};

use crate::environment;

/// What is usual, or the least that a device of the full profile may have.
fn or_least<T>(usual: T, least: T) -> T {
    if takes(Latitude::SmallestLimits) {
        least
    } else {
        usual
    }
}

/// Work-items of one work-group, at most.
pub fn max_work_group_size() -> usize {
    or_least(1024, 1)
}

/// Work-items of every sub-group but the last of a work-group: few, so that most work-groups have several.
pub fn sub_group_size() -> usize {
    if takes(Latitude::OddSubGroups) { 3 } else { 8 }
}

/// Work-items of one index space, at most: what the executor can number.
pub const MAX_GLOBAL_SIZE: usize = usize::MAX / 2;
/// Local memory of one work-group, in bytes.
pub fn local_memory() -> u64 {
    or_least(64, 32) * 1024
}

/// Private memory of one work-group, in bytes; well under what the executor allows.
pub const GROUP_MEMORY: u64 = 1 << 30;
/// All arguments of one kernel, in bytes.
pub fn max_parameter_size() -> usize {
    or_least(4096, 1024)
}

/// Arguments in constant memory, at most: half of the room for arguments, so that others fit beside them.
pub fn max_constant_args() -> usize {
    or_least(max_parameter_size() / size_of::<usize>() / 2, 8)
}

/// The largest buffer in constant memory, in bytes.
pub fn max_constant_buffer(limits: &Limits) -> u64 {
    // Constant memory is global memory here; more than what is promised works as well.
    limits.max_allocation.min(or_least(1 << 20, 64 << 10))
}

/// Size of the largest built-in type, a `long16`, in bytes.
pub const LARGEST_TYPE: usize = 128;

/// Alignment of every buffer and the granularity of sub-buffer origins, in bytes. With a large one few
/// origins are allowed.
pub fn base_alignment() -> usize {
    or_least(LARGEST_TYPE, 4096)
}

/// The largest program-scope variable, in bytes.
pub fn max_global_variable() -> usize {
    or_least(64 << 20, 64 << 10)
}

/// Pipe arguments of a kernel.
pub const PIPE_ARGS: u32 = 16;

/// Reservations of a work-item or a work-group for one pipe that may be active together. A pipe counts none, so that
/// this is a promise and no limit.
pub const PIPE_RESERVATIONS: u32 = 1 << 16;

/// The largest packet of a pipe, in bytes.
pub const PIPE_PACKET: u32 = 1 << 16;

/// A device queue for which no size is given, in bytes: room for 32768 children that capture nothing, as iterative
/// algorithms have them, each the child of the one before.
pub fn device_queue_size() -> u32 {
    or_least(4 << 20, 16 << 10)
}

/// The largest device queue, in bytes.
pub fn largest_device_queue() -> u32 {
    or_least(64 << 20, 256 << 10)
}

/// Device queues of a device in one context. Each may keep threads busy.
pub fn device_queues() -> u32 {
    or_least(256, 1)
}

/// Events that the kernels of a family have not released.
pub const DEVICE_EVENTS: u32 = 1 << 16;

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
pub fn images() -> ImageLimits {
    ImageLimits {
        side_2d: or_least(32768, 16384),
        side_3d: 2048,
        buffer: or_least(1 << 27, 65536),
        array: 2048,
        read_args: 128,
        write_args: 64,
        read_write_args: 64,
        samplers: 16,
    }
}

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
        let global_memory = or_least(global_memory, 128 << 20);
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
