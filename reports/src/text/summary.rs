//! One run: how many cases ended how, a line a case, and the whole reason of each that needs a
//! look.

use super::layout::{columns, cut, paragraph, plain, push, wrap};
use super::number::{bound, grouped, percent, rate, short};
use super::{Colour, Paper, WIDTH, freedoms, outcome};
use crate::expectation::{Expectation, Expectations, Standing};
use crate::record::{CaseResult, RuleId, Verdict, Violation, compiler_share};
use crate::repeat;
use crate::report::CaseFacts;
use crate::store::Run;
use std::collections::BTreeSet;

/// The text for a run's results, in their order; ends with a line end.
pub fn summary(
    run: &Run,
    results: &[CaseResult],
    expectations: &Expectations,
    paper: Paper,
) -> String {
    let mut out = String::new();
    let colour = paper.colour;
    match paper.columns {
        _ if results.is_empty() => {}
        None => log(&mut out, run, results, expectations),
        Some(columns) => {
            let rows: Vec<&CaseResult> = results.iter().collect();
            let said = |result: &CaseResult| seen(result);
            table(&mut out, &rows, &said, (columns, colour));
            push(&mut out, "");
            details(&mut out, run, results, expectations, colour);
            expected(&mut out, results, expectations);
        }
    }
    if !results.is_empty() {
        freedoms::text(&mut out, results);
    }
    totals(&mut out, run, results, colour);
    gate(&mut out, results, expectations, colour);
    out
}

/// Each case once, on a line that is not cut: what fails comes last, with its reason.
fn log(out: &mut String, run: &Run, results: &[CaseResult], expectations: &Expectations) {
    let fails = |r: &&CaseResult| !expectations.passes(r);
    let (last, first): (Vec<&CaseResult>, Vec<&CaseResult>) = results.iter().partition(fails);
    let said = |result: &CaseResult| match expectations.of(result) {
        _ if !expectations.passes(result) => why(run, result, expectations),
        Standing::Expected(entry) => format!("as expected: {}", plain(&entry.why())),
        Standing::Plain | Standing::Unexpected(_) => seen(result),
    };
    let rows: Vec<&CaseResult> = first.into_iter().chain(last).collect();
    table(out, &rows, &said, (usize::MAX, Colour::Off));
    push(out, "");
}

/// Why a case fails and how to repeat it, on one line.
fn why(run: &Run, result: &CaseResult, expectations: &Expectations) -> String {
    let mut parts = Vec::new();
    let says = |said: &str, v: &Violation| format!("{said} `{}`", plain(&outcome::violation(v)));
    let new = expectations.beside_known(result);
    parts.extend(new.iter().map(|v| says("not expected:", v)));
    parts.push(plain(&result.reason));
    if new.is_empty() {
        parts.extend(besides(result).iter().map(|v| says("also", v)));
    }
    if let Standing::Unexpected(entry) = expectations.of(result) {
        parts.push(plain(&entry.unmet(result.verdict)));
    }
    parts.push(format!("repeat: {}", repeat::command(result, run)));
    parts.join("; ")
}

fn table(
    out: &mut String,
    results: &[&CaseResult],
    said: &dyn Fn(&CaseResult) -> String,
    (within, colour): (usize, Colour),
) {
    let rows: Vec<_> = results
        .iter()
        .map(|r| {
            let instances = match r.instances {
                0 => "-".to_string(),
                n => short(n as f64),
            };
            [plain(r.name()), instances]
        })
        .collect();
    let head = ["test", "instances"];
    let width = |i: usize| {
        let widest = rows.iter().map(|row| columns(&row[i])).max().unwrap_or(0);
        widest.max(head[i].len())
    };
    // A name takes a third of a line at most.
    let (name, instances) = (width(0).min(within / 3), width(1));
    let verdict = results
        .iter()
        .map(|r| r.verdict.name().len())
        .max()
        .unwrap_or(0)
        .max(7);
    let rest = within
        .saturating_sub(verdict + name + instances + 6)
        .max(16);
    let litmus = results.iter().any(|r| !r.observables.is_empty());
    let asked = if litmus { "target outcome" } else { "runs" };
    let line = |v: &str, row: [&str; 2], seen: &str| {
        let [a, b] = row;
        format!("{v}  {a:name$}  {b:>instances$}  {seen}")
    };
    push(out, &line(&format!("{:verdict$}", "verdict"), head, asked));
    for (result, row) in results.iter().zip(&rows) {
        let shown = colour.verdict(result.verdict, &format!("{:verdict$}", result.verdict));
        let [a, b] = row;
        push(
            out,
            &line(&shown, [&cut(a, name), b], &cut(&said(result), rest)),
        );
    }
    if !litmus {
        return;
    }
    push(out, "");
    paragraph(
        out,
        "",
        "target outcome: how often an outcome was seen for which the test's condition holds; a rate \
         that is below a bound is so at 95 % confidence",
    );
}

/// How often a target outcome was seen, or why nothing was.
fn seen(result: &CaseResult) -> String {
    let facts = CaseFacts::new(result, None);
    let Some(target) = &facts.target else {
        return plain(&result.reason);
    };
    let (bad, of) = (target.all.count, target.all.instances);
    if result.observables.is_empty() {
        let well = of.saturating_sub(bad);
        return format!("passed {} of {} runs", grouped(well), grouped(of));
    }
    match (target.all.count, target.bound()) {
        (_, Some(below)) => format!("never: rate below {}", bound(below)),
        (k, None) if k == target.all.instances => "always".to_owned(),
        (k, None) => format!("{} times: rate {}", short(k as f64), rate(target.rate())),
    }
}

/// The whole reason of each failure, unless it is expected, once for those that break the same rules
/// or ended in the same way; and of what was skipped or is inconclusive once a reason.
fn details(
    out: &mut String,
    run: &Run,
    results: &[CaseResult],
    expectations: &Expectations,
    colour: Colour,
) {
    let mut failures: Vec<(&CaseResult, Option<String>, usize)> = Vec::new();
    for result in results {
        let unmet = match expectations.of(result) {
            Standing::Plain if result.verdict.is_failure() => None,
            Standing::Plain | Standing::Expected(_) => continue,
            Standing::Unexpected(entry) => Some(entry.unmet(result.verdict)),
        };
        let mut known = failures.iter_mut();
        let same = known.find(|(first, known, _)| *known == unmet && alike(first, result));
        match same {
            Some((_, _, count)) => *count += 1,
            None => failures.push((result, unmet, 1)),
        }
    }
    for (result, unmet, count) in failures {
        let alike = match (result.verdict, broken(result).is_empty()) {
            (Verdict::Timeout, _) => " of its kind",
            (_, false) => " that break the same rules",
            (_, true) => " that ended so",
        };
        detail(out, result, &and_more(count, alike), colour);
        let new = expectations.beside_known(result);
        let (said, all) = match new.is_empty() {
            true => ("also", besides(result)),
            false => ("not expected:", new),
        };
        for violation in all {
            let text = plain(&outcome::violation(violation));
            paragraph(out, "    ", &format!("{said} `{text}`"));
        }
        if let Some(text) = unmet {
            paragraph(out, "    ", &plain(&text));
        }
        // Whole on one line, so that it can be copied.
        push(
            out,
            &format!("    repeat: {}", repeat::command(result, run)),
        );
        push(out, "");
    }
    let mut groups: Vec<(&CaseResult, usize)> = Vec::new();
    let plainly = |r: &&CaseResult| expectations.of(r) == Standing::Plain;
    for result in results
        .iter()
        .filter(plainly)
        .filter(|r| needs_a_word(r.verdict))
    {
        let same = |r: &CaseResult| r.verdict == result.verdict && r.reason == result.reason;
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, count)) => *count += 1,
            None => groups.push((result, 1)),
        }
    }
    for (first, count) in groups {
        detail(out, first, &and_more(count, ""), colour);
        push(out, "");
    }
}

/// The rules of the violations that were seen in runs of a case. A litmus test has none: there a memory model
/// names the rules, and the reason has them.
fn broken(result: &CaseResult) -> BTreeSet<&[RuleId]> {
    if result.observables.is_empty() {
        result.broken()
    } else {
        BTreeSet::new()
    }
}

/// A violation for each set of rules that the reason does not name: it has those of the most frequent one.
fn besides(result: &CaseResult) -> Vec<&Violation> {
    let mut rules = broken(result);
    let histogram = result.histogram();
    let seen = histogram
        .iter()
        .filter_map(|o| Some((o.count, o.outcome.violation()?)));
    let most = seen.max_by_key(|(count, _)| *count).map(|(_, most)| most);
    if let Some(most) = most {
        rules.remove(most.rules.as_slice());
    }
    let mut all: Vec<&Violation> = rules
        .into_iter()
        .filter_map(|rules| result.violations.iter().find(|v| v.rules == rules))
        .collect();
    // What the reason says itself.
    all.retain(|violation| !result.reason.starts_with(&violation.what));
    all
}

/// Whether two failures are reported as one. Cases of a kind that hang are, however long each was waited for.
fn alike(a: &CaseResult, b: &CaseResult) -> bool {
    if (a.verdict, b.verdict) == (Verdict::Timeout, Verdict::Timeout) {
        return a.case.kind() == b.case.kind();
    }
    let rules = broken(a);
    a.verdict == b.verdict && rules == broken(b) && (!rules.is_empty() || a.reason == b.reason)
}

/// Whether a case is neither a failure nor as it should be.
fn needs_a_word(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => true,
        Verdict::Pass | Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => false,
    }
}

/// What follows the first of several cases that are reported together.
fn and_more(cases: usize, that: &str) -> String {
    match cases {
        0 | 1 => String::new(),
        n => format!(" and {} more{that}", grouped(n as u64 - 1)),
    }
}

/// A case's verdict and id, followed by `more`, and its whole reason.
fn detail(out: &mut String, result: &CaseResult, more: &str, colour: Colour) {
    let name = result.verdict.name();
    let id = plain(result.case.as_str()) + more;
    let mut lines = wrap(&id, WIDTH - name.len() - 2).into_iter();
    let first = lines.next().unwrap_or_default();
    push(
        out,
        &format!("{}: {first}", colour.verdict(result.verdict, name)),
    );
    for line in lines.chain(wrap(&plain(&result.reason), WIDTH - 4)) {
        push(out, &format!("    {line}"));
    }
}

/// How many cases ended as an entry expects, a paragraph an entry.
fn expected(out: &mut String, results: &[CaseResult], expectations: &Expectations) {
    let mut groups: Vec<(&Expectation, Vec<&CaseResult>)> = Vec::new();
    for result in results {
        let Standing::Expected(entry) = expectations.of(result) else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| *known == entry) {
            Some((_, known)) => known.push(result),
            None => groups.push((entry, vec![result])),
        }
    }
    for (entry, cases) in groups {
        let more = and_more(cases.len(), "");
        let text = format!(
            "expected: {} {}{more}: {}",
            cases[0].verdict,
            plain(cases[0].case.as_str()),
            plain(&entry.why())
        );
        for (n, line) in wrap(&text, WIDTH - 4).into_iter().enumerate() {
            push(out, &if n == 0 { line } else { format!("    {line}") });
        }
        push(out, "");
    }
}

/// What a gate sees, where something is expected.
fn gate(out: &mut String, results: &[CaseResult], expectations: &Expectations, colour: Colour) {
    if expectations.is_empty() {
        return;
    }
    let count =
        |f: &dyn Fn(Standing<'_>) -> bool| results.iter().filter(|r| f(expectations.of(r))).count();
    let met = count(&|s| matches!(s, Standing::Expected(_)));
    let unmet = results.iter().filter(|r| !expectations.passes(r)).count();
    let idle = expectations.idle(results).len();
    let mut text = format!("{met} as expected, {unmet} not");
    if idle > 0 {
        text += &format!(
            "; {idle} {} not met by any case",
            if idle == 1 {
                "expectation was"
            } else {
                "expectations were"
            }
        );
    }
    for line in wrap(&text, WIDTH) {
        push(out, &colour.strong(&line));
    }
}

fn totals(out: &mut String, run: &Run, results: &[CaseResult], colour: Colour) {
    let device = run.device.as_ref().map_or("no device", |d| d.name.as_str());
    let planned = run.planned as usize;
    let counts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter_map(|v| {
            let n = results.iter().filter(|r| r.verdict == v).count();
            (n > 0).then(|| format!("{n} {v}"))
        })
        .collect();
    let cases = match planned {
        1 => "1 case".to_string(),
        n => format!("{} cases", grouped(n as u64)),
    };
    let mut text = format!("{cases} on {}", plain(device));
    if !counts.is_empty() {
        text += &format!(": {}", counts.join(", "));
    }
    if results.len() < planned {
        text += &format!(
            "; {} did not run",
            grouped((planned - results.len()) as u64)
        );
    }
    for line in wrap(&text, WIDTH) {
        push(out, &colour.strong(&line));
    }
    let instances = results
        .iter()
        .fold(0u64, |sum, r| sum.saturating_add(r.instances));
    // Cases beside each other take longer in sum than the run; a run that was resumed took a pause.
    let worked: f64 = results.iter().map(|r| r.seconds).sum();
    let seconds = match run.finished {
        Some(finished) => worked.min((finished - run.record.created).as_seconds_f64()),
        None => worked,
    };
    if instances > 0 {
        let speed = short(instances as f64 / seconds);
        push(
            out,
            &format!(
                "{} instances in {seconds:.1} s: {speed} instances/s",
                grouped(instances)
            ),
        );
    }
    // Of one test its own lines say it.
    if let (Some(share), true) = (compiler_share(results), results.len() > 1) {
        let share = percent(share);
        push(
            out,
            &format!("{share} of the time of all cases went to the driver's compiler"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CaseId, Launch, Outcome, OutcomeCount};
    use crate::tests::sample;

    fn all() -> Vec<CaseResult> {
        vec![
            sample::message_passing(),
            sample::store_buffering(),
            sample::coherence_failure(),
            sample::skipped(),
            sample::skipped(),
            sample::crashed(),
        ]
    }

    /// The summary on a terminal of 80 columns.
    fn told(device: &str, planned: u64, results: &[CaseResult], colour: Colour) -> String {
        let columns = Some(WIDTH);
        let run = of(device, planned, results);
        summary(
            &run,
            results,
            &Expectations::default(),
            Paper { colour, columns },
        )
    }

    fn of(device: &str, planned: u64, results: &[CaseResult]) -> Run {
        let mut run = sample::run(results);
        run.planned = planned;
        if let Some(of) = &mut run.device {
            of.name = device.into();
        }
        run
    }

    #[test]
    fn a_log_has_each_case_once_and_uncut() {
        let mut results = all();
        results[1].test = "a name that is too long for a column of the table".into();
        let run = of("d", 6, &results);
        let text = summary(&run, &results, &Expectations::default(), Paper::LOG);
        insta::assert_snapshot!(text);
    }

    fn fits(text: &str) {
        // A command is on one line, so that it can be copied.
        for line in text
            .lines()
            .filter(|line| !line.starts_with("    repeat: "))
        {
            assert!(columns(line) <= WIDTH, "{} columns: {line}", columns(line));
        }
    }

    #[test]
    fn a_run() {
        let text = told("Touchstone CPU", 7, &all(), Colour::Off);
        fits(&text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_kind_that_hangs_is_one_finding() {
        let hung = |id: &str, seconds: u32| {
            let parts: Vec<&str> = id.split('/').collect();
            let case = CaseId::new(parts[0], parts[1], parts[2]);
            let reason =
                format!("no sign of life for {seconds} s; the worker was killed (1 attempt)");
            CaseResult::new(case, Verdict::Timeout, reason)
        };
        let results = [
            hung("queue/random/00001", 5),
            hung("queue/random/00002", 5),
            hung("queue/random/00003", 3),
            hung("svm/mapped/00001", 3),
        ];
        let text = told("d", 4, &results, Colour::Off);
        assert!(
            text.contains("queue/random/00001 and 2 more of its kind"),
            "{text}"
        );
        assert!(text.contains("timeout: svm/mapped/00001\n"), "{text}");
    }

    #[test]
    fn failures_of_one_kind_are_reported_once() {
        let violation = |(rule, what): &(&str, &str)| Violation {
            rules: vec![RuleId::new(rule)],
            what: (*what).into(),
        };
        let broken = |name: &str, violations: &[(&str, &str)]| {
            let violations: Vec<Violation> = violations.iter().map(violation).collect();
            CaseResult {
                instances: 1,
                launches: vec![Launch {
                    index: 0,
                    process: 0,
                    instances: 1,
                    seconds: 0.1,
                    outcomes: vec![OutcomeCount {
                        outcome: Outcome::Violation(violations[0].clone()),
                        count: 1,
                        target: true,
                    }],
                    freedoms: Vec::new(),
                }],
                violations,
                seconds: 0.1,
                ..CaseResult::new(
                    CaseId::new("queue", "small", name),
                    Verdict::Fail,
                    "it broke",
                )
            }
        };
        let clock = "ex.state.profiling";
        let results = [
            broken("1", &[(clock, "command 3 was queued early")]),
            broken("2", &[(clock, "command 1 was queued early")]),
            broken(
                "3",
                &[
                    (clock, "command 1 was queued early"),
                    ("sp.in-order", "late"),
                ],
            ),
            broken("4", &[(clock, "command 0 was queued early")]),
            sample::crashed(),
            sample::crashed(),
        ];
        let text = told("d", 6, &results, Colour::Off);
        fits(&text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_width_fits() {
        let mut results = all();
        for r in &mut results {
            r.test = "name".repeat(20);
            r.verdict = Verdict::Inconclusive;
        }
        fits(&told(&"device ".repeat(30), 6, &results, Colour::Off));
        results[2].verdict = Verdict::Timeout;
        results[2].case = CaseId::new("litmus", "file", &"x".repeat(300));
        fits(&told("d", 6, &results, Colour::Off));
    }

    #[test]
    fn nothing_ran() {
        assert_eq!(
            told("Touchstone", 3, &[], Colour::Off),
            "3 cases on Touchstone; 3 did not run\n"
        );
    }

    #[test]
    fn colours_do_not_shift_columns() {
        let coloured = told("d", 5, &all(), Colour::On);
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some(start) = rest.find('\x1b') {
            plain.push_str(&rest[..start]);
            rest = &rest[start..];
            rest = &rest[rest.find('m').unwrap() + 1..];
        }
        plain.push_str(rest);
        assert_ne!(plain, coloured);
        assert_eq!(plain, told("d", 5, &all(), Colour::Off));
    }
}
