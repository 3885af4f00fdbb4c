//! When a kernel is compiled.
//!
//! To compile takes a while; to interpret takes longer the more there is to do. So the work that was
//! interpreted is counted, over all launches of the kernel, and once it has cost
//! about what compiling does, the kernel is compiled: by the thread that finds that, while the
//! others go on interpreting. From then on all use what it made, also in the middle of a group.
//!
//! Code that runs items at once may take a hundred times as long to compile as such that runs one after the other. So it
//! is made once what was done has cost as much as the code is long, and until then the other code runs; a
//! group that begins takes it up.
//!
//! What was compiled is handed over by a [`OnceLock`]: who gets it there sees it whole. The
//! count and the claim say only whether to try; nothing else is read on their strength.

use crate::interp::code::Kernel;
use crate::launch::Engine;
use crate::native::{Native, TooLong};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Instructions interpreted for each instruction of a kernel before it is compiled: about how much longer one
/// takes to compile than to interpret. (The example `speed` prints what both take.)
const WORTH: u64 = 1 << 13;

/// Instructions interpreted for each that the compiler is given of code that runs items at once: some kernels have
/// hundreds of these for one of their own, where it does one lane after the other, and take seconds.
const WORTH_EACH: u64 = 1 << 8;

/// So many of these are given to it at any rate.
const FEW: usize = 4096;

/// How many times as fast an instruction of machine code is as an interpreted one, about.
const FASTER: u64 = 8;

/// Instructions that an item interprets from one step to the next, about.
const A_STEP: u64 = 3;

/// What there is of a kernel besides its bytecode.
#[derive(Debug, Default)]
pub(crate) struct Tier {
    /// Instructions interpreted so far, about, and of those that machine code ran what they would have been in time.
    work: AtomicU64,
    /// Without the bounds checker and with it.
    ways: [Ways; 2],
}

#[derive(Debug, Default)]
struct Ways {
    one_by_one: Way,
    at_once: Way,
}

#[derive(Debug, Default)]
struct Way {
    /// The work at which it is next tried; the greatest number while it is, and behind that.
    next: AtomicU64,
    /// None where it cannot be had.
    native: OnceLock<Option<Native>>,
}

impl Way {
    /// The machine code, made at once where there is none.
    fn made(&self, make: impl FnOnce() -> Result<Option<Native>, TooLong>) -> Option<&Native> {
        let made = self.native.get_or_init(|| make().unwrap_or_default());
        made.as_ref()
    }

    /// Whether a thread makes the code now.
    fn is_tried(&self) -> bool {
        self.next.load(Ordering::Relaxed) == u64::MAX && self.native.get().is_none()
    }

    /// The machine code, if it is there, or is worth being made after so much work, where it takes so much at least.
    fn worth(
        &self,
        (work, least): (u64, u64),
        make: impl FnOnce() -> Result<Option<Native>, TooLong>,
    ) -> Option<&Native> {
        if let Some(made) = self.native.get() {
            return made.as_ref();
        }
        let next = self.next.load(Ordering::Relaxed);
        let claims = |next| {
            let order = Ordering::Relaxed;
            let claim = self.next.compare_exchange(next, u64::MAX, order, order);
            claim.is_ok()
        };
        if work < next.max(least) || !claims(next) {
            return None;
        }
        match make() {
            Ok(made) => self.native.get_or_init(|| made).as_ref(),
            Err(TooLong) => {
                self.next.store(work.saturating_mul(2), Ordering::Relaxed);
                None
            }
        }
    }
}

impl Tier {
    /// Counts what was interpreted: so many steps of so many items that have begun.
    pub(crate) fn count(&self, kernel: &Kernel, steps: u64, items: u64) {
        self.add(kernel, (steps, items), 1);
    }

    /// Counts what machine code ran that takes one item after the other.
    pub(crate) fn count_compiled(&self, kernel: &Kernel, steps: u64, items: u64) {
        self.add(kernel, (steps, items), FASTER);
    }

    fn add(&self, kernel: &Kernel, (steps, items): (u64, u64), faster: u64) {
        // Half of the code, for items without loops.
        let straight = items.saturating_mul(kernel.code.len() as u64 / 2);
        let work = steps.saturating_mul(A_STEP).saturating_add(straight);
        self.work.fetch_add(work / faster, Ordering::Relaxed);
    }

    /// The kernel's machine code, if it is to run now; with the bounds checker if `checked`, and such as runs items at
    /// once if `at_once` and it can be had.
    pub(crate) fn native(
        &self,
        kernel: &Kernel,
        engine: Engine,
        (checked, at_once): (bool, bool),
    ) -> Option<&Native> {
        let Ways {
            one_by_one,
            at_once: way,
        } = &self.ways[usize::from(checked)];
        let way = at_once.then_some(way);
        match engine {
            Engine::Interpreter => None,
            Engine::Native => way
                .and_then(|way| way.made(|| Native::compile(kernel, checked, Some(usize::MAX))))
                .or_else(|| one_by_one.made(|| Native::compile(kernel, checked, None))),
            Engine::Automatic => {
                let work = self.work.load(Ordering::Relaxed);
                let enough = (work, WORTH.saturating_mul(kernel.code.len() as u64));
                let most = FEW.saturating_add((work / WORTH_EACH) as usize);
                let made = way.and_then(|way| {
                    way.worth(enough, || Native::compile(kernel, checked, Some(most)))
                });
                // Who finds that another thread makes it takes what is there.
                if made.is_some() || way.is_some_and(Way::is_tried) {
                    return made.or_else(|| one_by_one.native.get()?.as_ref());
                }
                one_by_one.worth(enough, || Native::compile(kernel, checked, None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Executable;
    use touchstone_ir::{
        AddressSpace, ArgPass, Const, FunctionBuilder, IntOp, KernelArg, KernelInfo, Module, Query,
        Type, TypeQualifiers,
    };

    /// A kernel with so many divisions, of which each is made lane by lane.
    fn divisions(count: usize) -> Executable {
        let mut b = FunctionBuilder::new("k", &[Type::Pointer(AddressSpace::Global)], None);
        b.function_mut().kernel = Some(KernelInfo {
            args: vec![KernelArg {
                name: "p".into(),
                type_name: "ulong*".into(),
                qualifiers: TypeQualifiers::default(),
                pass: ArgPass::Pointer(AddressSpace::Global),
            }],
            ..KernelInfo::default()
        });
        let id = b.query(Query::GlobalId, Const::i32(0));
        let mut x = id;
        for n in 0..count {
            let divided = b.int(IntOp::UDiv, x, Const::i64(n as i64 + 3));
            x = b.int(IntOp::Add, divided, id);
        }
        let p = b.ptr_add(b.param(0), id, 8, 0);
        b.store(p, x);
        b.ret(None);
        let mut m = Module::new();
        m.add_function(b.finish());
        Executable::prepare(m).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Does so much work for each of a kernel's instructions; the code that there is then, and whether it runs items at
    /// once.
    fn after(tier: &Tier, kernel: &Kernel, each: u64) -> Option<bool> {
        let steps = each * kernel.code.len() as u64 / A_STEP;
        tier.count(kernel, steps + A_STEP, 0);
        let native = tier.native(kernel, Engine::Automatic, (true, true));
        native.map(Native::is_at_once)
    }

    #[test]
    fn a_short_kernel_runs_items_at_once_as_soon_as_it_is_compiled() {
        let exe = divisions(1);
        let kernel = &exe.kernels_compiled()[0];
        let tier = Tier::default();
        assert_eq!(after(&tier, kernel, WORTH / 2), None);
        assert_eq!(after(&tier, kernel, WORTH / 2), Some(true));
    }

    #[test]
    fn code_that_takes_long_to_compile_runs_items_at_once_after_more_work() {
        let exe = divisions(400);
        let kernel = &exe.kernels_compiled()[0];
        let tier = Tier::default();
        assert_eq!(after(&tier, kernel, WORTH), Some(false));
        let more = (0..8).find(|n| after(&tier, kernel, WORTH << n) == Some(true));
        assert!(more.is_some());
        assert_eq!(after(&tier, kernel, 1), Some(true));
        // Who asks for machine code has it at once.
        let native = Tier::default();
        let native = native.native(kernel, Engine::Native, (true, true));
        assert_eq!(native.map(Native::is_at_once), Some(true));
    }

    #[test]
    fn nothing_is_compiled_where_kernels_are_interpreted() {
        let exe = divisions(1);
        let kernel = &exe.kernels_compiled()[0];
        let tier = Tier::default();
        tier.count(kernel, u64::MAX / 4, 0);
        let none = tier.native(kernel, Engine::Interpreter, (true, false));
        assert!(none.is_none());
    }
}
