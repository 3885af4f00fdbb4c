//! Results that a store of schema version 1 or 2 holds as texts: there an outcome was what people read, and
//! a violation a piece of evidence. This is the one place where such texts are read; their words are those
//! of the programs that wrote them, and do not change.

use crate::record::{Observable, Outcome, RuleId, Violation};

/// The kind of evidence that a violation was.
pub const VIOLATION: &str = "violation";

/// The outcome of a text. The first state names the observables of its case.
pub fn outcome(text: &str, observables: &mut Vec<Observable>) -> Outcome {
    match text {
        "as the rules require" => Outcome::Required,
        "(a loop reached its bound)" | "a side gave up waiting" => Outcome::Incomplete,
        "(ended)" => Outcome::State(Vec::new()),
        text => match state(text) {
            Some((names, values)) => {
                merge(observables, names);
                Outcome::State(values)
            }
            None => Outcome::Violation(violation(text)),
        },
    }
}

/// The violation that a piece of evidence of this kind was about, where it was about one: of the suites'
/// rules, or of a memory model's.
pub fn violation_of(kind: &str, text: &str) -> Option<Violation> {
    match kind {
        VIOLATION => Some(violation(text)),
        "forbidden" => forbidden(text),
        _ => None,
    }
}

/// `1:r0=1 x=2`: the names with whether the value is beyond signed numbers, and the values.
fn state(text: &str) -> Option<(Vec<Observable>, Vec<i64>)> {
    text.split(' ')
        .map(|part| {
            let (name, value) = part.rsplit_once('=')?;
            let signed = value.parse::<i64>().ok();
            let wide = || value.parse::<u64>().ok().map(|v| v as i64);
            let observable = Observable {
                name: name.into(),
                unsigned: signed.is_none(),
            };
            Some((observable, signed.or_else(wide)?))
        })
        .collect()
}

/// A value is unsigned if it is so in any outcome.
fn merge(observables: &mut Vec<Observable>, names: Vec<Observable>) {
    if observables.is_empty() {
        *observables = names;
        return;
    }
    for (known, named) in observables.iter_mut().zip(names) {
        known.unsigned |= named.unsigned;
    }
}

/// `a.rule|another: what happened`.
fn violation(text: &str) -> Violation {
    let (rules, what) = match text.split_once(": ") {
        Some((rules, what)) if !rules.contains(' ') => (rules, what),
        Some(_) | None => ("", text),
    };
    let rules = rules.split('|').filter(|rule| !rule.is_empty());
    Violation {
        rules: rules.map(RuleId::new).collect(),
        what: what.into(),
    }
}

/// A line that says what a model forbids, and one for each axiom: `a.rule (file:line): cycle`.
fn forbidden(text: &str) -> Option<Violation> {
    let mut lines = text.lines();
    let (_, what) = lines.next()?.split_once(" forbids ")?;
    let axioms = lines.take_while(|line| !line.is_empty());
    Some(Violation {
        rules: axioms
            .filter_map(|line| line.split_once(" ("))
            .map(|(rule, _)| RuleId::new(rule))
            .collect(),
        what: what.trim_end_matches(':').into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(violation: &Violation) -> Vec<&'static str> {
        violation.rules.iter().map(|rule| rule.as_str()).collect()
    }

    #[test]
    fn the_texts_of_outcomes_are_understood() {
        let mut observables = Vec::new();
        let mut read = |text: &str| outcome(text, &mut observables);
        assert_eq!(read("as the rules require"), Outcome::Required);
        assert_eq!(read("a side gave up waiting"), Outcome::Incomplete);
        assert_eq!(read("(a loop reached its bound)"), Outcome::Incomplete);
        assert_eq!(read("(ended)"), Outcome::State(Vec::new()));
        assert_eq!(read("0:r0=-1 x[1]=2"), Outcome::State(vec![-1, 2]));
        let wide = read("0:r0=0 x[1]=18446744073709551615");
        assert_eq!(wide, Outcome::State(vec![0, -1]));
        let late = read("ex.state.order|sp.in-order: command 1: late");
        let late = late.violation().expect("a violation");
        assert_eq!(rules(late), ["ex.state.order", "sp.in-order"]);
        assert_eq!(late.what, "command 1: late");
        let named: Vec<(&str, bool)> = observables
            .iter()
            .map(|o| (o.name.as_str(), o.unsigned))
            .collect();
        assert_eq!(named, [("0:r0", false), ("x[1]", true)]);
    }

    #[test]
    fn what_a_model_forbids_names_its_axioms() {
        let text = "opencl-3.0 forbids `1:r0=1`, observed once:\n\
                    mm.coherence.wr (opencl-3.0.cat:7): a; b\n\
                    mm.sc (opencl-3.0.cat:9): no total order passes\n\n\
                    a picture (of it)\n";
        let found = violation_of("forbidden", text).expect("a violation");
        assert_eq!(rules(&found), ["mm.coherence.wr", "mm.sc"]);
        assert_eq!(found.what, "`1:r0=1`, observed once");
        assert_eq!(violation_of("stderr", text), None);
    }
}
