//! A final state as a predicate, for questions to the oracle about it alone.

use classay_litmus::oracle::State;
use classay_litmus::program::{Atom, Observable, Predicate, Relation};

/// The predicate that holds in this state alone.
pub fn predicate(observables: &[Observable], state: &State) -> Predicate {
    let mut equal: Vec<Predicate> = observables
        .iter()
        .zip(&state.0)
        .map(|(o, v)| Predicate::Compare(Relation::Eq, Atom::Observe(*o), Atom::Const(*v)))
        .collect();
    match equal.len() {
        0 => Predicate::Bool(true),
        1 => equal.remove(0),
        _ => Predicate::And(equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::kernel::{End, Layout};
    use classay_litmus::syntax;
    use classay_reports::text::outcome;

    const WIDE: &str = "OPENCL wide
{ [x]=0; }
P0 (global atomic_ulong* x) {
  ulong r0 = atomic_fetch_sub_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  uint r1 = r0 - 1;
  int r2 = 0 - 5;
}
exists (x=0 /\\ 0:r0=0 /\\ 0:r1=7 /\\ 0:r2=1)
";

    #[test]
    fn a_state_of_a_kernel_is_the_oracles() {
        let program = syntax::read_litmus("wide", WIDE).expect("a program");
        let observables = program.observables();
        let layout = Layout::of(&program);
        // x and r0 have two words each; none of the words is the marker of an unwritten one.
        let tuple = [u32::MAX, u32::MAX, 3, 0, u32::MAX, 0u32.wrapping_sub(5)];
        let End::State { values, .. } = layout.decode(&program, &tuple) else {
            panic!("the tuple is a state");
        };
        assert_eq!(
            outcome::state(&values, &program.recorded()),
            "x=18446744073709551615 0:r0=3 0:r1=4294967295 0:r2=-5"
        );
        let found = State(values);
        let only = predicate(&observables, &found);
        assert!(only.eval(&|o| found.value(&observables, o)));
        let other = State(vec![-1, 3, 4_294_967_295, 5]);
        assert!(!only.eval(&|o| other.value(&observables, o)));
    }
}
