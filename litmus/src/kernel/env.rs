//! Words of the environment buffer, by position: the knobs that a launch sets without a rebuild.
//!
//! The fixed words are followed by tables whose lengths depend on the test and on the launch, in
//! this order: the places (which of the test's work-groups the n-th work-group of a team plays), the
//! shifts (by how many teams each of the test's work-groups is shifted), four words for each slot
//! of `mem` ([`SLOT_WORDS`]), the order of the launch's work-groups, and the targets of stress.

/// Instances of the launch.
pub const COUNT: usize = 0;
/// Teams.
pub const TEAMS: usize = 1;
/// Lanes of a work-group.
pub const LANES: usize = 2;
/// Iterations of each work-item.
pub const ITERATIONS: usize = 3;
/// Multiplier of the instance permutation, coprime to the count.
pub const MULTIPLIER: usize = 4;
/// Offset of the instance permutation.
pub const OFFSET: usize = 5;
/// `teams · lanes · multiplier mod count`: from one iteration's instance to the next.
pub const STEP: usize = 6;
/// Words between the columns of the results.
pub const RES_PITCH: usize = 7;
/// Words between the instances of one slot.
pub const INSTANCE_PITCH: usize = 8;
/// Iterations of a block: local memory is cleared, locations are touched and the team meets before
/// one, and never within.
pub const BATCH: usize = 9;
/// Blocks between two meetings of a team; 0 for none.
pub const SYNC_EVERY: usize = 10;
/// Per cent of the meetings that are held.
pub const SYNC_PERCENT: usize = 11;
/// Polls of the counter before a work-item goes on alone.
pub const SYNC_BOUND: usize = 12;
/// Polls in all of a launch that a work-item may add to those, for a partner that does not run yet or
/// was interrupted.
pub const SPARE: usize = 13;
/// Most steps of arithmetic, each on the result of the one before, that the last to arrive at a meeting
/// takes before it goes on, since the others learn later than it does that all are there; how many is drawn
/// for each meeting. No step touches memory, so they take as long however the counter's line travels.
pub const LAG: usize = 14;
/// Arrivals at the counter that complete one meeting, over all devices and host threads.
pub const ARRIVALS: usize = 15;
/// Passes after which a loop of the test gives up.
pub const LOOP_BOUND: usize = 16;
/// Lanes by which a thread is shifted against the one before it in its work-group.
pub const LANE_SHIFT: usize = 17;
/// Whether the threads of an instance are as far apart in their work-group as they can be (1), or
/// neighbours (0).
pub const APART: usize = 18;
/// Work-groups that play; those after them stress.
pub const TESTING: usize = 19;
/// Per cent of the blocks whose locations each work-item reads before it meets the others.
pub const TOUCH: usize = 20;
/// Per cent of the blocks before which a work-item stresses memory.
pub const PRE_PERCENT: usize = 21;
/// Passes of that.
pub const PRE_ITERATIONS: usize = 22;
/// Its pattern, a number of [`PATTERNS`].
pub const PRE_PATTERN: usize = 23;
/// Passes of a work-group that stresses; 0 for none.
pub const STRESS_ITERATIONS: usize = 24;
/// Its pattern.
pub const STRESS_PATTERN: usize = 25;
/// Work-groups in a row with the same target; 0 gives the targets out in turn.
pub const STRESS_CHUNK: usize = 26;
/// How many targets there are, at least 1.
pub const TARGETS: usize = 27;
/// What decisions that kernels make are sampled from.
pub const SEED: usize = 28;
/// Where the order of the work-groups begins.
pub const ORDER: usize = 29;
/// Where the targets begin: words of the scratch memory.
pub const TARGET_TABLE: usize = 30;
/// Whether instances are played in the order of memory and so are their locations: place `k` of every
/// slot is that of instance `k`, and no place wraps round.
pub const STRAIGHT: usize = 31;
/// Iterations from one that is touched to the next: 1, or more where neighbours share a line.
pub const TOUCH_STRIDE: usize = 32;
/// Per cent of the blocks that a work-item plays from the end, where instances are played in the order of memory.
pub const REVERSED: usize = 33;
/// Arrivals, over all meetings from the first, in which the last to arrive takes the time that the others take
/// to answer, and then waits at most as many steps at those after them. A step that looks for answers takes longer
/// than one that does not, and the answer travels, too. 0 takes [`LAG`] as it is.
pub const MEASURED: usize = 34;
/// Work-groups of a team in the launch: the n-th of them plays the n-th place and, in a test whose work-groups may be
/// [shared](super::shape::Shape::may_share), each place as many further on, one after the other in each block.
pub const WIDE: usize = 35;
/// First of the places.
pub const PLACES: usize = 36;

/// Words of a line that is shared or not as a whole; where a device's lines are other, touching takes
/// more reads or misses some, and nothing else changes.
pub const LINE_WORDS: u32 = 16;

/// Where a team's line of `meet` counts the answers to meetings.
pub const ANSWERS: usize = 8;

/// A work-group with this bit in its number, where the test has more than two, opens a gate with one other, by the line
/// of the team that the other bits name.
pub const GATE: u32 = 1 << 31;

/// Words that each slot of `mem` has in the table of slots, by the `SLOT_` positions.
pub const SLOT_WORDS: usize = 4;
/// First word of the slot in `mem`.
pub const SLOT_BASE: usize = 0;
/// Multiplier of the slot's own permutation, coprime to the count.
pub const SLOT_MULTIPLIER: usize = 1;
/// Offset of the slot's own permutation.
pub const SLOT_OFFSET: usize = 2;
/// `step · multiplier mod count`: from one iteration's place to the next.
pub const SLOT_STEP: usize = 3;

/// Patterns of stress: what each pass does to its target, in order. A pattern's number is its
/// position.
pub const PATTERNS: [[Access; 2]; 4] = [
    [Access::Store, Access::Store],
    [Access::Store, Access::Load],
    [Access::Load, Access::Store],
    [Access::Load, Access::Load],
];

/// What a pass of stress does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A relaxed atomic store.
    Store,
    /// A relaxed atomic load.
    Load,
}

/// Where the shifts begin, for a device with so many work-groups in the test.
pub const fn shifts(groups: usize) -> usize {
    PLACES + groups
}

/// Where the table of slots begins.
pub const fn slots(groups: usize) -> usize {
    PLACES + 2 * groups
}

/// Where the order of work-groups begins.
pub const fn order(groups: usize, slot_count: usize) -> usize {
    slots(groups) + SLOT_WORDS * slot_count
}

/// A number that looks random; the same on host and device.
pub fn mix(n: u32) -> u32 {
    let mut h = n;
    for _ in 0..3 {
        h = (h ^ (h >> 15)).wrapping_mul(0x9e37_79b1);
    }
    h ^ (h >> 16)
}

/// Whether the meeting before block `block` of a team is held; the same on host and device.
pub fn meets(seed: u32, team: u32, block: u32, percent: u32) -> bool {
    percent >= 100 || mix(seed ^ mix(team ^ mix(block))) % 100 < percent
}
