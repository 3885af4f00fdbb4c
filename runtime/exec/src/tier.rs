//! When a kernel is compiled.
//!
//! To compile takes a while; to interpret takes longer the more there is to do. So the work that was
//! interpreted is counted, over all launches of the kernel, and once it has cost
//! about what compiling does, the kernel is compiled: by the thread that finds that, while the
//! others go on interpreting. From then on all use what it made, also in the middle of a group.
//!
//! What was compiled is handed over by a [`OnceLock`]: who gets it there sees it whole. The
//! count and the claim say only whether to try; nothing else is read on their strength.

use crate::interp::code::Kernel;
use crate::launch::Engine;
use crate::native::Native;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Instructions interpreted for each instruction of a kernel before it is compiled: about how much longer one
/// takes to compile than to interpret. (The example `speed` prints what both take.)
const WORTH: u64 = 1 << 13;

/// Instructions that an item interprets from one step to the next, about.
const A_STEP: u64 = 3;

/// What there is of a kernel besides its bytecode.
#[derive(Debug, Default)]
pub(crate) struct Tier {
    /// Instructions interpreted so far, about.
    work: AtomicU64,
    /// Without the bounds checker and with it; each without code that runs items at once, and with it.
    ways: [[Way; 2]; 2],
}

#[derive(Debug, Default)]
struct Way {
    claimed: AtomicBool,
    native: OnceLock<Option<Native>>,
}

impl Tier {
    /// Counts what was interpreted: so many steps of so many items that have begun.
    pub(crate) fn count(&self, kernel: &Kernel, steps: u64, items: u64) {
        // Half of the code, for items without loops.
        let straight = items.saturating_mul(kernel.code.len() as u64 / 2);
        let work = steps.saturating_mul(A_STEP).saturating_add(straight);
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// The kernel's machine code, if it is to run now; with the bounds checker if `checked`, and such as runs items at
    /// once if `at_once`: that takes about three times as long to make.
    pub(crate) fn native(
        &self,
        kernel: &Kernel,
        engine: Engine,
        (checked, at_once): (bool, bool),
    ) -> Option<&Native> {
        let way = &self.ways[usize::from(checked)][usize::from(at_once)];
        let make = || {
            way.native
                .get_or_init(|| Native::compile(kernel, checked, at_once))
        };
        match engine {
            Engine::Interpreter => None,
            Engine::Native => make().as_ref(),
            Engine::Automatic => {
                if let Some(made) = way.native.get() {
                    return made.as_ref();
                }
                let enough = WORTH.saturating_mul(kernel.code.len() as u64);
                if self.work.load(Ordering::Relaxed) < enough
                    || way.claimed.swap(true, Ordering::Relaxed)
                {
                    return None;
                }
                make().as_ref()
            }
        }
    }
}
