//! Outcomes as text and as states: what a device shows in a histogram is what the oracle computes.

use classay_litmus::oracle::State;
use classay_litmus::program::{Atom, Observable, Predicate, Program, Relation, ScalarType};

/// The outcome of a test that observes nothing.
const NOTHING: &str = "(ended)";

/// A state as histograms write it: `1:r0=1 x=2`, in the order of [`Program::observables`], and
/// `(ended)` where nothing is observed.
pub fn text(program: &Program, observables: &[Observable], state: &State) -> String {
    let parts: Vec<String> = observables
        .iter()
        .zip(&state.0)
        .map(|(observable, value)| {
            let name = program.observable_name(*observable);
            format!(
                "{name}={}",
                program.observable_type(*observable).show(*value)
            )
        })
        .collect();
    if parts.is_empty() {
        NOTHING.into()
    } else {
        parts.join(" ")
    }
}

/// The state that a text names; none where it is no outcome of this program.
pub fn state(program: &Program, observables: &[Observable], text: &str) -> Option<State> {
    if observables.is_empty() {
        return (text == NOTHING).then(|| State(Vec::new()));
    }
    let mut parts = text.split(' ');
    let values = observables
        .iter()
        .map(|observable| {
            let (name, value) = parts.next()?.rsplit_once('=')?;
            if name != program.observable_name(*observable) {
                return None;
            }
            match program.observable_type(*observable) {
                ScalarType::ULong => value.parse::<u64>().ok().map(|v| v as i64),
                ScalarType::Char
                | ScalarType::UChar
                | ScalarType::Short
                | ScalarType::UShort
                | ScalarType::Int
                | ScalarType::UInt
                | ScalarType::Long
                | ScalarType::Flag => value.parse().ok(),
            }
        })
        .collect::<Option<Vec<i64>>>()?;
    parts.next().is_none().then_some(State(values))
}

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
    fn texts_are_those_of_the_kernels() {
        let program = syntax::read_litmus("wide", WIDE).expect("a program");
        let observables = program.observables();
        let layout = Layout::of(&program);
        // x and r0 have two words each; none of the words is the marker of an unwritten one.
        let tuple = [u32::MAX, u32::MAX, 3, 0, u32::MAX, 0u32.wrapping_sub(5)];
        let End::State {
            values,
            text: shown,
            ..
        } = layout.decode(&program, &tuple)
        else {
            panic!("the tuple is a state");
        };
        let found = State(values);
        assert_eq!(
            shown,
            "x=18446744073709551615 0:r0=3 0:r1=4294967295 0:r2=-5"
        );
        assert_eq!(text(&program, &observables, &found), shown);
        assert_eq!(state(&program, &observables, &shown), Some(found.clone()));
        let only = predicate(&observables, &found);
        assert!(only.eval(&|o| found.value(&observables, o)));
        let other = State(vec![-1, 3, 4_294_967_295, 5]);
        assert!(!only.eval(&|o| other.value(&observables, o)));
    }

    #[test]
    fn what_is_no_outcome_has_no_state() {
        let program = syntax::read_litmus("wide", WIDE).expect("a program");
        let observables = program.observables();
        for wrong in [
            "",
            "x=1",
            "x=1 0:r0=1 0:r1=1 0:r2=1 y=1",
            "x=1 0:r0=1 0:r2=1 0:r1=1",
            "x=1 0:r0=1 0:r1=1 0:r2=one",
            "(a loop reached its bound)",
        ] {
            assert_eq!(state(&program, &observables, wrong), None, "{wrong}");
        }
    }
}
