//! The versions of a driver side by side: a line a version, a line a rule that some version breaks, and what changed
//! from each version to the next.

use super::layout::{columns, cut, paragraph, plain, push};
use super::number::{count, grouped, percent};
use super::{Colour, WIDTH};
use crate::difference::Gate;
use crate::history::{CaseChange, Group, History, Mark, RuleChange, Step, Turn, Version, Way};
use crate::record::Verdict;
use crate::text::outcome::few_rules;

/// Columns of a rule's id.
const RULE: usize = 30;
/// Rules, and groups of cases, of a step and a turn that are printed one by one.
const SHOWN: usize = 8;
/// Columns that what a case showed may take.
const WHAT: usize = 200;

/// The text; ends with a line end.
pub fn history(history: &History, gate: Gate, colour: Colour) -> String {
    let mut out = String::new();
    for group in &history.groups {
        versions(&mut out, group, colour);
        push(&mut out, "");
        rules(&mut out, group, colour);
        push(&mut out, "");
        for step in &group.steps {
            changes(
                &mut out,
                group,
                step,
                history.context.false_discovery,
                colour,
            );
        }
    }
    for note in &history.context.notes {
        paragraph(&mut out, "", &plain(note));
    }
    for group in &history.groups {
        last(&mut out, group, gate, colour);
    }
    out
}

/// A line a version.
fn versions(out: &mut String, group: &Group, colour: Colour) {
    let title = format!(
        "{}, {}",
        plain(&group.driver),
        count(group.versions.len(), "version")
    );
    push(out, &colour.strong(&title));
    let names = group
        .versions
        .iter()
        .map(|version| columns(&plain(&version.name)));
    let width = names.max().unwrap_or(0).clamp(7, 22);
    let line = |number: &str, name: &str, cells: [String; 8]| {
        let [pass, fail, crash, timeout, flaky, skip, left, broken] = cells;
        format!(
            "{number:>2}  {name:width$}{pass:>6}{fail:>6}{crash:>6}{timeout:>8}{flaky:>6}{skip:>6}{left:>6}{broken:>7}"
        )
    };
    let heads = [
        "pass", "fail", "crash", "timeout", "flaky", "skip", "left", "broken",
    ];
    push(out, &line("", "version", heads.map(str::to_owned)));
    for (place, version) in group.versions.iter().enumerate() {
        let tally = version.tally();
        let of = |verdict| grouped(tally.of(verdict) as u64);
        let cells = [
            of(Verdict::Pass),
            of(Verdict::Fail),
            of(Verdict::Crash),
            of(Verdict::Timeout),
            of(Verdict::Flaky),
            of(Verdict::Skip),
            grouped(version.unreached() as u64),
            grouped(group.broken(place) as u64),
        ];
        let name = cut(&plain(&version.name), width);
        push(out, &line(&(place + 1).to_string(), &name, cells));
    }
    paragraph(
        out,
        "",
        "left: cases that the run's time did not reach; broken: rules that a failed case names",
    );
}

/// A line a rule that some version breaks.
fn rules(out: &mut String, group: &Group, colour: Colour) {
    let failing: Vec<_> = group.rules.iter().filter(|row| row.fails()).collect();
    let silent = group.rules.iter().filter(|row| row.is_silent()).count();
    let held = group.rules.len() - failing.len() - silent;
    if !failing.is_empty() {
        let all = group.versions.len();
        let width = all.to_string().len() + 1;
        let shown = all.min((WIDTH - RULE) / width);
        let first = all - shown;
        let numbers = (first..all).map(|place| format!("{:>width$}", place + 1));
        push(
            out,
            &format!("{:RULE$}{}", "rule", numbers.collect::<String>()),
        );
        for row in failing {
            let cells = row.cells[first..].iter().map(|cell| {
                let sign = format!("{:>width$}", cell.mark.sign());
                match verdict(cell.mark) {
                    Some(verdict) => colour.verdict(verdict, &sign),
                    None => sign,
                }
            });
            let rule = cut(row.of.as_str(), RULE - 1);
            push(out, &format!("{rule:RULE$}{}", cells.collect::<String>()));
        }
        let legend = Mark::ALL
            .into_iter()
            .filter(|mark| *mark != Mark::NotTested);
        let legend: Vec<String> = legend
            .map(|mark| format!("{} {}", mark.sign(), mark.name().replace('-', " ")))
            .collect();
        paragraph(
            out,
            "",
            &format!("{}; blank: no case is about it", legend.join(", ")),
        );
        if first > 0 {
            let first = grouped(first as u64);
            paragraph(
                out,
                "",
                &format!(
                    "of {all} versions the first {first} are not in this table; --html has all"
                ),
            );
        }
    }
    let mut rest = format!(
        "{} held in every version that tested them",
        count(held, "rule")
    );
    if silent > 0 {
        rest += &format!("; {} that no version tested", count(silent, "rule"));
    }
    paragraph(out, "", &rest);
}

/// The verdict that has the colour of a mark; none for what needs none.
fn verdict(mark: Mark) -> Option<Verdict> {
    match mark {
        Mark::Fail => Some(Verdict::Fail),
        Mark::Crash => Some(Verdict::Crash),
        Mark::Timeout => Some(Verdict::Timeout),
        Mark::Flaky => Some(Verdict::Flaky),
        Mark::Undecided => Some(Verdict::Inconclusive),
        Mark::Pass => Some(Verdict::Pass),
        Mark::Skipped | Mark::NotReached | Mark::NotTested => None,
    }
}

/// What changed from a version to the next; no line but its head where nothing did.
fn changes(out: &mut String, group: &Group, step: &Step, false_discovery: f64, colour: Colour) {
    let name = |version: &Version| plain(&version.name);
    let (before, after) = (&group.versions[step.from], &group.versions[step.from + 1]);
    let head = format!(
        "{} {}, after {}",
        step.from + 2,
        colour.strong(&name(after)),
        name(before)
    );
    push(out, &head);
    for turn in [Turn::Broke, Turn::Found, Turn::Mended] {
        let rules: Vec<&RuleChange> = step.rules(turn).collect();
        for change in rules.iter().take(SHOWN) {
            let said = cut(&plain(&change.what), WHAT);
            let cases = some(&change.cases);
            let text = format!("{}: {}: {said} ({cases})", turned(turn), change.rule);
            paragraph(out, "  ", &text);
        }
        more(out, rules.len(), turned(turn));
    }
    // What a rule's line says needs no second one.
    let ended = |change: &&CaseChange| change.signature.rules.is_empty();
    for turn in [Turn::Broke, Turn::Found, Turn::Mended] {
        let cases: Vec<&CaseChange> = step.cases(turn).filter(ended).collect();
        for change in cases.iter().take(SHOWN) {
            paragraph(out, "  ", &ends(change));
        }
        more(out, cases.len(), turned(turn));
    }
    for way in Way::ALL {
        let of: Vec<String> = step
            .capabilities
            .iter()
            .filter(|change| change.way == way)
            .map(|change| match way {
                Way::Gained | Way::Lost => plain(&change.name),
                Way::Changed => plain(&format!(
                    "{} {} -> {}",
                    change.name, change.before, change.after
                )),
            })
            .collect();
        if !of.is_empty() {
            paragraph(out, "  ", &format!("{way}: {}", of.join("; ")));
        }
    }
    let changed = step.found.changed(false_discovery).count();
    if changed > 0 {
        let text = format!(
            "{} of {} more or less frequent (false discovery rate {false_discovery})",
            grouped(changed as u64),
            count(step.found.outcomes.len(), "outcome")
        );
        paragraph(out, "  ", &text);
    }
    let compared = count(step.scope.compared.len(), "case");
    let left_out = step.scope.left_out();
    let text = match left_out.is_empty() {
        true => format!("{compared} compared"),
        false => format!("{compared} compared; {}", left_out.join("; ")),
    };
    paragraph(out, "  ", &text);
    push(out, "");
}

fn turned(turn: Turn) -> &'static str {
    match turn {
        Turn::Broke => "broke",
        Turn::Found => "broken, and not tested before",
        Turn::Mended => "mended",
        Turn::Other => "fails otherwise",
    }
}

/// The first of some cases, and how many they are.
fn some(cases: &[crate::record::CaseId]) -> String {
    match cases {
        [] => "no case".into(),
        [one] => one.to_string(),
        [first, ..] => format!("{first} and {} more", cases.len() - 1),
    }
}

fn more(out: &mut String, all: usize, turned: &str) {
    if all > SHOWN {
        let left = grouped((all - SHOWN) as u64);
        paragraph(out, "  ", &format!("{turned}: and {left} more"));
    }
}

/// Whether the last version may follow the one before.
fn last(out: &mut String, group: &Group, gate: Gate, colour: Colour) {
    let [.., before, after] = group.versions.as_slice() else {
        return;
    };
    let (Some(passes), Some(step)) = (group.passes(gate), group.steps.last()) else {
        return;
    };
    let (before, after) = (plain(&before.name), plain(&after.name));
    if passes {
        paragraph(out, "", &format!("{after} is not worse than {before}"));
        return;
    }
    let rules = count(step.rules(Turn::Broke).count(), "rule");
    let failures = count(step.found.new_failures().count(), "new failure");
    let changed = match gate {
        Gate::Failures => String::new(),
        Gate::Rates(q) => {
            let changed = grouped(step.found.changed(q).count() as u64);
            format!(
                "; {changed} of {}",
                count(step.found.outcomes.len(), "outcome")
            ) + " more or less frequent"
        }
    };
    let worse = colour.verdict(Verdict::Fail, "worse");
    paragraph(
        out,
        "",
        &format!("{after} is {worse} than {before}: {failures}, {rules} broken{changed}"),
    );
    let named: Vec<&CaseChange> = step
        .cases
        .iter()
        .filter(|change| matches!(change.turn, Turn::Broke | Turn::Found))
        .collect();
    for change in named.iter().take(SHOWN) {
        let rules = match change.signature.rules.as_slice() {
            [] => String::new(),
            rules => format!(" ({})", few_rules(rules)),
        };
        let missed = match change.missed {
            Some(missed) if missed > 0.05 => format!(
                "; the run before would have missed it with a probability of {}",
                percent(missed)
            ),
            Some(_) | None => String::new(),
        };
        paragraph(out, "  ", &format!("{}{rules}{missed}", ends(change)));
    }
    if named.len() > SHOWN {
        let left = grouped((named.len() - SHOWN) as u64);
        paragraph(out, "  ", &format!("and {left} more"));
    }
}

/// How cases ended before and now, and what they show.
fn ends(change: &CaseChange) -> String {
    let said = cut(&plain(&change.signature.what), WHAT);
    let cases = some(&change.cases);
    format!("{} -> {}: {cases}: {said}", change.before, change.after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::{broken_and_mended, one, two_drivers};

    #[test]
    fn a_history_as_a_terminal_shows_it() {
        let text = history(&broken_and_mended(), Gate::Failures, Colour::Off);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn drivers_side_by_side() {
        let text = history(&two_drivers(), Gate::Failures, Colour::Off);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn lines_fit_a_terminal_and_hold_no_controls() {
        for of in [broken_and_mended(), two_drivers(), one()] {
            let text = history(&of, Gate::Rates(0.05), Colour::Off);
            assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
