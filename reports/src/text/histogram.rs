//! One test's result: the verdict, each outcome with count, rate and interval, and the speed.

use super::layout::{columns, paragraph, plain, push, wrap};
use super::number::{self, grouped, interval, launches, rate, short};
use super::{Colour, WIDTH, outcome};
use crate::record::{CaseResult, Verdict};
use crate::report::facts::CaseFacts;

/// The text for one result; ends with a line end. Target outcomes are marked with `*`;
/// the 95 % intervals are cluster-robust ([`crate::stats::cluster`]), and below the table stands how much the
/// launches scatter and whether a rate drifts.
pub fn histogram(result: &CaseResult, colour: Colour) -> String {
    let mut out = String::new();
    title(&mut out, result, colour);
    let facts = CaseFacts::new(result, None);
    if !facts.outcomes.is_empty() {
        table(&mut out, &facts, colour);
        about_launches(&mut out, &facts);
    }
    speed(&mut out, result);
    out
}

fn title(out: &mut String, result: &CaseResult, colour: Colour) {
    let name = plain(result.name());
    let verdict = result.verdict.name();
    // The verdict follows the name on its last line, or takes a line of its own.
    let mut lines = wrap(&name, WIDTH);
    if let Some(last) = lines.last_mut() {
        let apart = if columns(last) + 2 + verdict.len() <= WIDTH {
            ": "
        } else {
            ":\n"
        };
        *last = colour.strong(last) + apart + &colour.verdict(result.verdict, verdict);
    }
    for line in lines {
        push(out, &line);
    }
    paragraph(out, "  ", &plain(&result.reason));
    // The call in which it ended or hangs; what is wrong in outcomes stands with them.
    if matches!(result.verdict, Verdict::Crash | Verdict::Timeout) {
        let outcomes = result.histogram();
        let seen: Vec<_> = (outcomes.iter())
            .filter_map(|one| one.outcome.violation())
            .collect();
        for violation in result.violations.iter().filter(|v| !seen.contains(v)) {
            let text = plain(&outcome::violation(violation));
            paragraph(out, "  ", &format!("also `{text}`"));
        }
    }
}

fn table(out: &mut String, facts: &CaseFacts<'_>, colour: Colour) {
    let mut rows = vec![["outcome", "count", "rate", "95 % interval"].map(String::from)];
    rows.extend(facts.outcomes.iter().map(|o| {
        [
            plain(&o.text),
            grouped(o.all.count),
            rate(o.rate()),
            interval(o.interval.low, o.interval.high),
        ]
    }));
    let width = |i: usize| rows.iter().map(|row| columns(&row[i])).max().unwrap_or(0);
    let (count, share, ends) = (width(1), width(2), width(3));
    // Two columns for the mark and two between columns; what is left is the outcome's.
    let outcome = width(0).min(WIDTH - 2 - 6 - count - share - ends);
    let targets = std::iter::once(false).chain(facts.outcomes.iter().map(|o| o.target));
    push(out, "");
    for (row, target) in rows.iter().zip(targets) {
        let mark = if target { "*" } else { " " };
        for (i, part) in wrap(&row[0], outcome).iter().enumerate() {
            let line = match i {
                0 => {
                    let [_, a, b, c] = row;
                    format!("{mark} {part:outcome$}  {a:>count$}  {b:>share$}  {c}")
                }
                _ => format!("{mark}   {part}"),
            };
            push(out, &if target { colour.strong(&line) } else { line });
        }
    }
    if facts.outcomes.iter().any(|o| o.target) {
        push(out, "* target outcome");
    }
    push(out, "");
}

/// Fewer processes than this say little about how much they differ.
const FEW: usize = 5;

/// The rate for which it is said how long it takes to know that an outcome is rarer.
const GOAL: f64 = 1e-6;

/// What the launches say about the rates, beside their intervals.
fn about_launches(out: &mut String, facts: &CaseFacts<'_>) {
    let Some(target) = &facts.target else { return };
    let (launches, processes) = (target.all.launches, target.all.processes);
    let holds = if facts.result.stopped_early() {
        "at all times, as what was seen ended the run"
    } else if launches < 2 {
        "if all instances were independent, which one launch does not tell"
    } else {
        "Korn-Graubard"
    };
    let from = match processes {
        0 | 1 => format!(
            "{} of 1 process; how the rate differs between processes is not known",
            number::launches(launches)
        ),
        few @ 2..FEW => format!(
            "how much {} differ, and so few say little",
            number::processes(few)
        ),
        many => format!("how much {} differ", number::processes(many)),
    };
    paragraph(out, "  ", &format!("interval: {holds}; from {from}"));
    if let Some(never) = &target.never {
        let mut known = format!("target outcome: {}", number::never(never));
        let seconds = facts.result.device_seconds.max(f64::MIN_POSITIVE);
        if never.like_others.is_some() && never.bound() > GOAL {
            known += &format!(
                "; below {} after about {} of launches, if none shows it",
                number::rate(GOAL),
                number::time(seconds * never.times_until(GOAL))
            );
        }
        paragraph(out, "  ", &known);
    }
    if let Some(effect) = facts.scatter() {
        let times = number::effect(effect);
        let reported = format!(
            "instances of a launch or process are correlated: the variance of a rate is up to {times} times that \
             of independent instances (the design effect)"
        );
        paragraph(out, "  ", &reported);
    }
    if let Some((outcome, found)) = facts.drift() {
        let reported = format!(
            "the rate of `{}` is not steady: {:.2} times the mean in the first eighth of the run, \
             {:.2} times in the last",
            plain(&outcome.text),
            found.first,
            found.last
        );
        paragraph(out, "  ", &reported);
    }
}

fn speed(out: &mut String, result: &CaseResult) {
    let CaseResult {
        instances,
        seconds,
        build_seconds,
        device_seconds,
        ..
    } = *result;
    if instances == 0 {
        return;
    }
    let launches = launches(result.launches.len());
    push(
        out,
        &format!(
            "  {} instances in {launches} and {seconds:.2} s: {} instances/s",
            grouped(instances),
            short(instances as f64 / seconds)
        ),
    );
    push(
        out,
        &format!(
            "  of this {build_seconds:.2} s building, {device_seconds:.2} s in launches: {}/s there",
            short(instances as f64 / device_seconds)
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Observable, Outcome, Violation};
    use crate::tests::sample;

    fn fits(text: &str) {
        for line in text.lines() {
            assert!(columns(line) <= WIDTH, "{} columns: {line}", columns(line));
        }
    }

    #[test]
    fn a_pass() {
        let text = histogram(&sample::message_passing(), Colour::Off);
        fits(&text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn weak_outcomes_in_huge_counts() {
        let text = histogram(&sample::store_buffering(), Colour::Off);
        fits(&text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_crash_names_its_call_and_says_nothing_twice() {
        let violation = |what: &str| Violation {
            rules: Vec::new(),
            what: what.into(),
        };
        let mut result = sample::store_buffering();
        let (call, seen) = (violation("clFinish was being called"), violation("it is 1"));
        for launch in &mut result.launches {
            launch.outcomes[0].outcome = Outcome::Violation(seen.clone());
        }
        result.violations = vec![seen, call];
        let passed = histogram(&result, Colour::Off);
        assert!(!passed.contains("clFinish"), "{passed}");
        result.verdict = Verdict::Crash;
        let text = histogram(&result, Colour::Off);
        fits(&text);
        assert!(text.contains("also `clFinish was being called "), "{text}");
        assert_eq!(text.matches("it is 1").count(), 1, "{text}");
    }

    #[test]
    fn long_outcomes_wrap() {
        let mut result = sample::store_buffering();
        for (name, value) in [("2:r0", 17), ("2:r1", 4_294_967_295), ("x", 1), ("y", -1)] {
            result.observables.push(Observable {
                name: name.into(),
                unsigned: value < 0,
            });
            for launch in &mut result.launches {
                for o in &mut launch.outcomes {
                    if let Outcome::State(values) = &mut o.outcome {
                        values.push(value);
                    }
                }
            }
        }
        result.test = "a-very-long-name-".repeat(6);
        let text = histogram(&result, Colour::Off);
        fits(&text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_skip_has_no_table() {
        insta::assert_snapshot!(histogram(&sample::skipped(), Colour::Off));
    }

    #[test]
    fn what_a_driver_says_cannot_move_the_cursor() {
        let text = histogram(&sample::crashed(), Colour::Off);
        fits(&text);
        assert!(!text.contains('\x1b'));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn colour_only_on_request() {
        assert!(!histogram(&sample::store_buffering(), Colour::Off).contains('\x1b'));
        assert!(histogram(&sample::store_buffering(), Colour::On).contains("\x1b[1m"));
    }
}
