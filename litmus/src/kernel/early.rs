//! Which ordinary reads of a thread may also be made at its beginning.
//!
//! A compiler that finds two ordinary reads of a location, and nothing between them that synchronizes, makes the
//! second out of the first: the value is then older than what the accesses between them saw. That is how compilers
//! show the outcomes of tests that race, where the hardware by itself keeps the order of reads. The other read has
//! to be in the program first.
//!
//! Its value is used by nothing that the test looks at, so it adds no outcome: an execution without it is one of the
//! test. It adds no race either. Say that a write `W` of another thread races with the read `P` at the beginning. If
//! `W` happened before the thread's own read `R`, it would synchronize with the thread between the two, and nothing
//! there acquires; if `R` happened before `W`, so would `P`, which is sequenced before `R`. So `W` races with `R` too.

use crate::program::{Access, Atomicity, Expr, Instr, LocId, MemOrder};

/// The locations whose ordinary reads, of the thread with this body, may be made before everything else that it does
/// as well: each is read by a statement of its own that always runs, after another access, and before anything
/// acquires.
pub fn early_reads(body: &[Instr]) -> Vec<LocId> {
    let mut found = Vec::new();
    let mut used: Vec<LocId> = Vec::new();
    for instr in body.iter().take_while(|instr| !may_acquire(instr)) {
        if let Some(location) = plain_read(instr)
            && !used.is_empty()
            && !used.contains(&location)
        {
            found.push(location);
        }
        let one = std::slice::from_ref(instr);
        crate::program::each_address(one, &mut |address| used.push(address.location));
    }
    found
}

/// The location that a statement does nothing but read, plainly.
fn plain_read(instr: &Instr) -> Option<LocId> {
    let Instr::Assign { value, .. } = instr else {
        return None;
    };
    match value {
        Expr::Load(Access {
            address,
            atomicity: Atomicity::Plain,
        }) if address.index.is_none() => Some(address.location),
        _ => None,
    }
}

/// Whether another thread's write may happen before what follows a statement and not before the statement, or
/// what follows may not run.
fn may_acquire(instr: &Instr) -> bool {
    match instr {
        Instr::Assign { .. } | Instr::Effect(_) | Instr::Store { .. } => {}
        Instr::Fence(_)
        | Instr::Barrier(_)
        | Instr::Domain(_)
        | Instr::If(_)
        | Instr::While { .. }
        | Instr::Return
        | Instr::Host(_) => return true,
    }
    let mut acquires = false;
    crate::program::each_expr(std::slice::from_ref(instr), &mut |e| {
        let order = match e {
            Expr::Load(access) => access.atomicity.atomic().map(|atomic| atomic.order),
            Expr::Rmw(rmw) => Some(rmw.atomic.order),
            Expr::Cas(cas) => {
                acquires |= cas.failure.of_load() != MemOrder::Relaxed;
                Some(cas.atomic.order)
            }
            _ => None,
        };
        acquires |= order.is_some_and(|order| order.of_load() != MemOrder::Relaxed);
    });
    acquires
}

#[cfg(test)]
mod tests {
    use super::early_reads;

    /// What the second thread of a test of `x` and `y` with these statements may read early, by name.
    fn of(statements: &str) -> Vec<String> {
        let text = format!(
            "OPENCL T\n{{}}\nP0@wg 0, dev 0 (global int* x, global atomic_int* y) {{ *x = 1; atomic_store(y, 1); }}\n\
             P1@wg 1, dev 0 (global int* x, global atomic_int* y, global int* z) {{ {statements} }}\nexists (x=1)"
        );
        let program = crate::syntax::read_litmus("T.litmus", &text).unwrap();
        early_reads(&program.threads[1].body)
            .into_iter()
            .map(|at| program.locations[at.index()].name.clone())
            .collect()
    }

    const RELAXED: &str = "atomic_load_explicit(y, memory_order_relaxed, memory_scope_device)";

    #[test]
    fn a_read_after_another_access() {
        assert_eq!(of("int r0 = *z; int r1 = *x;"), ["x"]);
        assert_eq!(of("*z = 1; int r1 = *x;"), ["x"]);
        assert_eq!(of(&format!("int r0 = {RELAXED}; int r1 = *x;")), ["x"]);
        assert_eq!(of("int r0 = *z; int r1 = *x; int r2 = *x;"), ["x"]);
        assert_eq!(of("int r1 = *x;"), [""; 0]);
        assert_eq!(of("*x = 2; int r1 = *x;"), [""; 0]);
        assert_eq!(
            of("int r0 = *z; int r1 = *(volatile global int*)x;"),
            [""; 0]
        );
    }

    #[test]
    fn no_read_that_something_orders_or_that_may_not_run() {
        let acquires = [
            "int r0 = atomic_load(y);",
            "int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);",
            "int r0 = atomic_fetch_add_explicit(y, 1, memory_order_acq_rel, memory_scope_device);",
            "int r0 = *z; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);",
            "int r0 = *z; barrier(CLK_GLOBAL_MEM_FENCE);",
        ];
        for before in acquires {
            assert_eq!(of(&format!("{before} int r1 = *x;")), [""; 0], "{before}");
        }
        let branch = format!("int r0 = {RELAXED}; int r1 = 0; if (r0) {{ r1 = *x; }}");
        assert_eq!(of(&branch), [""; 0]);
    }
}
