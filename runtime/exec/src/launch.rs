//! What a launch is made of.

use crate::device::DeviceQueues;
use crate::map::{MemoryMap, Permission};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// A kernel of an [`Executable`](crate::Executable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);

/// One enqueue of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: KernelId,
    /// One for each of its arguments.
    pub args: Vec<Arg>,
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// First global id in each dimension; 0 beyond `work_dim`.
    pub global_offset: [u64; 3],
    /// Work-items in each dimension; 1 beyond `work_dim`. Zero in a dimension
    /// makes a launch without work-items.
    pub global_size: [u64; 3],
    /// Work-items of a group in each dimension, at least 1; 1 beyond
    /// `work_dim`. Where it does not divide the global size, the last group is
    /// smaller.
    pub local_size: [u64; 3],
    /// Work-items of a sub-group, at least 1.
    pub sub_group_size: u32,
    /// The memory that the kernel may touch, besides its own variables.
    pub memory: Arc<MemoryMap>,
    /// What integer division by zero does.
    pub zero_division: ZeroDivision,
    /// Chooses how the work-items of a group are interleaved.
    pub seed: u64,
    /// How finely they are.
    pub interleaving: Interleaving,
    /// The launch fails after about so many steps in all; a step is an access
    /// to memory or a jump backward.
    pub step_limit: Option<u64>,
    /// The processor time that one work-group may take, from its first 2^16 steps on.
    pub group_time: Option<Duration>,
    /// The processor time for which a work-group may do nothing but read memory that does
    /// not change.
    pub wait_time: Option<Duration>,
    /// Where `printf` writes; without it, its calls fail.
    pub output: Option<Arc<dyn Output>>,
    /// Who answers what the kernel asks of device queues; without it there are none.
    pub queues: Option<Arc<dyn DeviceQueues>>,
    /// The launch ends soon after this becomes true.
    pub cancel: Option<Arc<AtomicBool>>,
    /// What runs the kernel.
    pub engine: Engine,
}

impl Launch {
    /// A one-dimensional launch of `global` work-items in groups of `local`,
    /// with sub-groups as large as the groups, seed 0, no limit, and the engine and interleaving that the environment names.
    pub fn linear(
        kernel: KernelId,
        args: Vec<Arg>,
        global: u64,
        local: u64,
        memory: Arc<MemoryMap>,
    ) -> Launch {
        Launch {
            kernel,
            args,
            work_dim: 1,
            global_offset: [0; 3],
            global_size: [global, 1, 1],
            local_size: [local, 1, 1],
            sub_group_size: local.clamp(1, u64::from(u32::MAX)) as u32,
            memory,
            zero_division: ZeroDivision::Trap,
            seed: 0,
            interleaving: Interleaving::of_environment(),
            step_limit: None,
            group_time: None,
            wait_time: None,
            output: None,
            queues: None,
            cancel: None,
            engine: Engine::of_environment(),
        }
    }
}

/// How finely the work-items of a group are interleaved.
///
/// Where a kernel has no atomic or volatile access, fence or device queue, its work-items meet at
/// barriers only, and nothing that is defined depends on how they are interleaved between two of these. So it is
/// with one whose only atomic accesses count: relaxed read-modify-writes of one kind, whose results nobody reads. To
/// interleave them finely shows data races; to run each up to the next barrier is several times as fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interleaving {
    /// Finely in the first eight groups of a launch of up to [`SMALL`] groups; in the first two of a larger one, and
    /// in one of [`SELDOM`] others, which the seed chooses, so that other launches have others; and in all where a
    /// kernel can synchronize otherwise. In the rest each work-item runs up to the next barrier.
    #[default]
    Sampled,
    /// Finely in all groups.
    Fine,
    /// Each work-item runs up to the next barrier, wherever the kernel cannot synchronize otherwise.
    Coarse,
}

/// Groups up to which a launch is small: with as many, what is interleaved finely takes little of a second.
const SMALL: u64 = 64;

/// Of how many groups of a larger launch one is interleaved finely. Such a group takes thirty to eighty times as long as
/// another one.
const SELDOM: u64 = 1024;

impl Interleaving {
    /// `TOUCHSTONE_INTERLEAVING`: `fine` or `coarse`; sampled when it is not set or says something else. Read
    /// once.
    pub fn of_environment() -> Interleaving {
        static CHOSEN: LazyLock<Interleaving> =
            LazyLock::new(
                || match std::env::var("TOUCHSTONE_INTERLEAVING").as_deref() {
                    Ok("fine") => Interleaving::Fine,
                    Ok("coarse") => Interleaving::Coarse,
                    Ok(_) | Err(_) => Interleaving::Sampled,
                },
            );
        *CHOSEN
    }

    /// Whether the work-items of a group, one of so many of a launch with a seed, run up to the next barrier each.
    pub(crate) fn is_coarse(self, synchronizes: bool, (group, of): (u64, u64), seed: u64) -> bool {
        let first = if of <= SMALL { 8 } else { 2 };
        let is_chosen = || of > SMALL && group.wrapping_add(seed).is_multiple_of(SELDOM);
        !synchronizes
            && match self {
                Interleaving::Sampled => group >= first && !is_chosen(),
                Interleaving::Fine => false,
                Interleaving::Coarse => true,
            }
    }
}

/// What runs a kernel. All do the same: a launch with a seed has the same turns, and so the
/// same results, traps and steps, wherever it is determined by the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter at first, machine code where a kernel runs for long.
    #[default]
    Automatic,
    /// The interpreter alone.
    Interpreter,
    /// Machine code from the start. Where there can be none, the interpreter: on processors other
    /// than x86-64, on systems other than Linux, under faults, and for kernels that are too long: of more than
    /// 65,536 instructions, or with so many values alive that compiling would take seconds.
    Native,
}

impl Engine {
    /// `TOUCHSTONE_ENGINE`: `interpreter` or `native`; automatic when it is not set or says something else. Read
    /// once.
    pub fn of_environment() -> Engine {
        static CHOSEN: LazyLock<Engine> =
            LazyLock::new(|| match std::env::var("TOUCHSTONE_ENGINE").as_deref() {
                Ok("interpreter") => Engine::Interpreter,
                Ok("native") => Engine::Native,
                Ok(_) | Err(_) => Engine::Automatic,
            });
        *CHOSEN
    }
}

/// Where `printf` writes.
pub trait Output: fmt::Debug + Send + Sync {
    /// Writes what one call printed, called from any thread that runs the launch. False when it
    /// cannot be written; the call fails then.
    fn write(&self, text: &[u8]) -> bool;
}

/// What integer division and remainder by zero do. OpenCL C says that the value is
/// unspecified (section 6.4.1), so a program that divides by zero is either wrong or does not
/// use the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroDivision {
    /// They end the launch.
    #[default]
    Trap,
    /// The quotient is zero and the remainder is the dividend.
    Continue,
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The bytes of a value or of an aggregate, as the host lays them out.
    Value(Vec<u8>),
    /// An address of global or constant memory from which the kernel may get to all that the
    /// launch's map holds: the null pointer (0), or a pointer to memory of the system, whose
    /// extent nobody knows.
    Pointer(u64),
    /// An address within one object of global or constant memory. What the kernel computes
    /// from it may reach this object and nothing else.
    Object {
        /// The address.
        address: u64,
        /// Where the object begins.
        base: u64,
        /// Bytes of the object.
        len: u64,
        /// What the kernel may do with it; the launch's map must hold it with no less.
        permission: Permission,
    },
    /// So many bytes of local memory, new for each group.
    Local(u64),
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Work-groups run.
    pub groups: u64,
    /// Work-items run.
    pub items: u64,
    /// Steps: accesses to memory and jumps backward.
    pub steps: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of a launch that are interleaved finely.
    fn fine(of: u64, seed: u64) -> Vec<u64> {
        let is_coarse = |group| Interleaving::Sampled.is_coarse(false, (group, of), seed);
        (0..of).filter(|&group| !is_coarse(group)).collect()
    }

    #[test]
    fn launches_with_other_seeds_interleave_other_groups() {
        assert_eq!(fine(5, 7), [0, 1, 2, 3, 4]);
        assert_eq!(fine(64, 1000), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(fine(65, 7), [0, 1]);
        assert_eq!(fine(65, 1000), [0, 1, 24]);
        assert_eq!(fine(3000, 24), [0, 1, 1000, 2024]);
        assert_eq!(fine(3000, 25), [0, 1, 999, 2023]);
    }
}
