//! How large a test may be. Real tests are far smaller; the limits keep hostile input cheap.

/// Bytes of a file.
pub const MAX_BYTES: usize = 1 << 20;
/// Blocks, parentheses and operators inside one another, as text.
pub const MAX_NESTING: u32 = 200;
/// Statements inside one another, loops and branches of our own making included.
pub const MAX_BLOCKS: u32 = 40;
/// Operators, calls and indices of one expression, or connectives of one predicate, inside one
/// another. As text each costs at most three levels of nesting, so whatever is read can be
/// written and read again: `3 * MAX_HEIGHT + MAX_BLOCKS < MAX_NESTING`.
pub const MAX_HEIGHT: u32 = 48;
/// Threads.
pub const MAX_THREADS: usize = 64;
/// Shared locations.
pub const MAX_LOCATIONS: usize = 256;
/// Elements of one location.
pub const MAX_ELEMENTS: usize = 4096;
/// Registers of one thread.
pub const MAX_REGISTERS: usize = 1024;
/// Instructions of one thread, those in nested blocks included.
pub const MAX_INSTRUCTIONS: usize = 10_000;
/// Numbers in a placement: device, work-group, sub-group.
pub const MAX_PLACE: u32 = 1 << 16;
