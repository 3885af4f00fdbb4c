//! A run as JUnit XML, for the CI systems that read it: one suite a run, one testcase a case.
//!
//! | verdict | element | why |
//! | --- | --- | --- |
//! | pass | none | |
//! | fail | `failure` | the implementation broke a rule |
//! | crash, timeout | `error` | no verdict was reached; the evidence is its text |
//! | flaky | `error`; none with `--accept-flaky` | its properties `attempts` and `failed_attempts` give the rate |
//! | skip | `skipped` | the message names the missing capability |
//! | inconclusive | `skipped`, type `inconclusive` | not a failure: the run exits 0 with it too |
//! | none, since the run's time did not reach it | `skipped`, type `not-reached` | the run exits 0 with it |
//! | contested | `skipped`, type `contested`; `failure` with `--strict` | the run exits 0 with it, but with `--strict` |
//!
//! Where something is expected of a case ([`crate::expectation`]), a failure that is expected is `skipped`
//! with the type `expected` and the reason of the expectation, and any verdict that is not among those
//! expected is a `failure` with the type `unexpected`.
//!
//! `junit-report` writes the report. It knows no properties, so a second pass over its output adds
//! a `properties` element first in each suite (version, seed, device) and each testcase (counts,
//! rates, times), and the suite's `skipped` count; it changes nothing else.

use crate::expectation::{Expectations, Standing};
use crate::record::{CaseId, CaseResult, Verdict};
use crate::repeat;
use crate::report::facts::CaseFacts;
use crate::report::freedoms::{Sight, freedoms};
use crate::store::Run;
use crate::text::outcome;
use junit_report::{ReportBuilder, TestCase, TestCaseBuilder, TestSuiteBuilder};
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, Writer};
use std::io::Write;

/// A name and a value, as a `property` element holds them.
type Property = (String, String);

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    /// The output could not be written.
    #[error("cannot write the JUnit report: {0}")]
    Io(#[from] std::io::Error),
    /// The report could not be put together.
    #[error("internal error in the JUnit report: {0}; this is a bug")]
    Internal(String),
}

/// Writes the report of a run. `results` are its cases, in the order they are to appear.
///
/// # Errors
///
/// The output cannot be written, or the report not be put together, which is a bug.
pub fn write(
    run: &Run,
    results: &[CaseResult],
    expectations: &Expectations,
    mut out: impl Write,
) -> Result<(), JunitError> {
    let internal = |e: &dyn std::fmt::Display| JunitError::Internal(e.to_string());
    let suite = TestSuiteBuilder::new("classay")
        .set_timestamp(run.record.created)
        .add_testcases(results.iter().map(|r| test_case(r, expectations)))
        .add_testcases(unreached(run).map(|case| {
            let name = legal(case.as_str());
            let why = "the time of the run was over before it was reached";
            let mut case_of = TestCaseBuilder::skipped_with_cause(&name, "not-reached", why);
            case_of.set_classname(&legal(&format!("classay.{}", case.family())));
            case_of.build()
        }))
        .build();
    let mut plain = Vec::new();
    ReportBuilder::new()
        .add_testsuite(suite)
        .build()
        .write_xml(&mut plain)
        .map_err(|e| internal(&e))?;
    let plain = String::from_utf8(plain).map_err(|e| internal(&e))?;
    let full = with_properties(&plain, run, results).map_err(|e| internal(&e))?;
    out.write_all(&full)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

/// Planned cases that the run did not reach.
fn unreached(run: &Run) -> impl Iterator<Item = &CaseId> {
    run.reach.iter().flat_map(|reach| &reach.unreached)
}

fn test_case(result: &CaseResult, expectations: &Expectations) -> TestCase {
    let standing = expectations.of(result);
    let fails = expectations.fails(result.verdict);
    let name = legal(result.case.as_str());
    let new = expectations.beside_known(result).into_iter();
    let new = new.map(|v| format!("not expected: `{}`; ", outcome::violation(v)));
    let reason = legal(&(new.collect::<String>() + &result.reason));
    let seconds = if result.seconds.is_finite() {
        result.seconds.clamp(0.0, 1e9)
    } else {
        0.0
    };
    let time = time::Duration::seconds_f64(seconds);
    let verdict = result.verdict.name();
    let plain = match result.verdict {
        Verdict::Pass => TestCaseBuilder::success(&name, time),
        Verdict::Fail => TestCaseBuilder::failure(&name, time, verdict, &reason),
        Verdict::Flaky if !fails => TestCaseBuilder::success(&name, time),
        Verdict::Crash | Verdict::Timeout | Verdict::Flaky => {
            TestCaseBuilder::error(&name, time, verdict, &reason)
        }
        Verdict::Contested if fails => TestCaseBuilder::failure(&name, time, verdict, &reason),
        Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => {
            TestCaseBuilder::skipped_with_cause(&name, verdict, &reason)
        }
    };
    let mut case = match standing {
        Standing::Plain => plain,
        Standing::Expected(entry) => {
            let why = legal(&format!("{verdict}, as expected: {}", entry.why()));
            TestCaseBuilder::skipped_with_cause(&name, "expected", &why)
        }
        Standing::Unexpected(entry) => {
            let why = legal(&format!("{}: {reason}", entry.unmet(result.verdict)));
            TestCaseBuilder::failure(&name, time, "unexpected", &why)
        }
    };
    case.set_classname(&legal(&format!("classay.{}", result.case.family())));
    if !result.file.is_empty() {
        case.set_filepath(&legal(&result.file));
    }
    // The evidence explains a failure or an error; elsewhere it would only be noise.
    if result.verdict.is_failure() && !(result.violations.is_empty() && result.evidence.is_empty())
    {
        case.set_trace(&cdata(&explained(result)));
    }
    if result.instances > 0 {
        case.set_system_out(&cdata(&crate::text::histogram(
            result,
            crate::text::Colour::Off,
        )));
    }
    let mut case = case.build();
    // The builder gives skipped cases no time, though finding out took some.
    case.time = time;
    case
}

/// Violations and evidence, each under its name.
fn explained(result: &CaseResult) -> String {
    let violations = result.violations.iter().map(outcome::violation);
    let violations = violations.map(|text| format!("--- violation\n{text}\n"));
    let evidence = result.evidence.iter();
    let evidence = evidence.map(|e| format!("--- {}\n{}\n", e.kind, e.text));
    violations.chain(evidence).collect()
}

/// What the counts of a case say, by name.
fn case_properties(run: &Run, result: &CaseResult) -> Vec<Property> {
    let mut properties = vec![
        property("verdict", result.verdict.name()),
        property("reason", &result.reason),
        property("repeat", repeat::command(result, run)),
        property("instances", result.instances),
        property("launches", result.launches.len()),
        property("attempts", result.attempts),
        property("failed_attempts", result.failed_attempts),
        property("build_seconds", result.build_seconds),
        property("device_seconds", result.device_seconds),
    ];
    let facts = CaseFacts::new(result, None);
    if let Some(target) = &facts.target {
        properties.push(property("target.count", target.all.count));
        for (name, rate) in [
            ("target.rate", target.rate()),
            ("target.rate.low95", target.interval.low),
            ("target.rate.high95", target.interval.high),
        ] {
            properties.push(property(name, format!("{rate:e}")));
        }
        if let Some(effect) = target.all.design_effect {
            properties.push(property("target.design_effect", format!("{effect:.3}")));
        }
    }
    for of in &facts.outcomes {
        let (outcome, rate) = (&of.text, format!("{:e}", of.rate()));
        properties.push(property(&format!("outcome.count[{outcome}]"), of.all.count));
        properties.push(property(&format!("outcome.rate[{outcome}]"), rate));
    }
    for of in &facts.freedoms {
        let (name, all) = (&of.text, &of.all);
        properties.push(property(&format!("freedom.seen[{name}]"), all.count));
        properties.push(property(
            &format!("freedom.possible[{name}]"),
            all.instances,
        ));
    }
    properties
}

/// What the device was seen to do where the specification leaves a choice.
fn freedom_properties(results: &[CaseResult]) -> Vec<Property> {
    let mut properties = Vec::new();
    for facts in freedoms(results) {
        let name = |what: &str| format!("freedom.{what}[{}]", facts.freedom.name());
        match (&facts.sight, facts.sight.obstacle()) {
            (Sight::Possible { all, interval }, _) => properties.extend([
                property(&name("seen"), all.count),
                property(&name("possible"), all.instances),
                property(&name("rate"), format!("{:e}", all.rate())),
                property(&name("rate.low95"), format!("{:e}", interval.low)),
                property(&name("rate.high95"), format!("{:e}", interval.high)),
            ]),
            (_, obstacle) => {
                properties.extend(obstacle.map(|why| property(&name("obstacle"), why)))
            }
        }
    }
    properties
}

/// What the run's cases have in common.
fn run_properties(run: &Run) -> Vec<Property> {
    let mut properties = vec![
        property("classay.version", &run.record.version),
        property("run", run.id),
        property("run.status", run.status.name()),
        property("run.planned", run.planned),
        property("seed", run.record.seed),
        property("plan.hash", run.plan_hash.as_str()),
    ];
    if let Some(reach) = &run.reach {
        properties.extend([
            property("rules.exercised", reach.exercised),
            property("rules.apply", reach.apply),
            property("cases.not_reached", reach.unreached.len()),
        ]);
    }
    if let (Some(first), Some(last)) = (run.moments.first(), run.moments.last()) {
        let machine = &first.machine;
        properties.extend([
            property("machine.host", &machine.host),
            property("machine.system", &machine.system),
            property("machine.processor", &machine.processor),
            property("machine.processors", machine.processors),
            property("machine.memory", machine.memory),
        ]);
        for (when, moment) in [("begin", first), ("end", last)] {
            let value = |name: &str, value: Option<f64>| {
                value.map(|v| property(&format!("machine.{name}.{when}"), format!("{v:.2}")))
            };
            properties.extend(value("load", moment.load));
            properties.extend(value("clock_mhz", moment.clock_mhz));
        }
    }
    if let Some(device) = &run.device {
        properties.extend([
            property("device.selector", &device.selector),
            property("device.platform", &device.platform),
            property("device.platform_version", &device.platform_version),
            property("device.name", &device.name),
            property("device.vendor", &device.vendor),
            property("device.version", &device.version),
            property("device.driver", &device.driver),
        ]);
        for (name, value) in &device.capabilities {
            properties.push(property(&format!("device.capability.{name}"), value));
        }
        for (number, finding) in device.findings.iter().enumerate() {
            properties.push(property(&format!("device.finding.{number}"), finding));
        }
    }
    properties
}

fn property(name: &str, value: impl ToString) -> Property {
    (legal(name), legal(&value.to_string()))
}

/// The report with properties in its suite and testcases, and the suite's count of skips.
fn with_properties(
    plain: &str,
    run: &Run,
    results: &[CaseResult],
) -> Result<Vec<u8>, quick_xml::Error> {
    let mut reader = Reader::from_str(plain);
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    let mut cases = results.iter();
    loop {
        let event = reader.read_event()?;
        let (start, empty) = match &event {
            Event::Eof => return Ok(writer.into_inner()),
            Event::Start(start) => (start, false),
            Event::Empty(start) => (start, true),
            // Everything between the tags goes through as it is.
            _ => {
                writer.write_event(event)?;
                continue;
            }
        };
        let mut start = start.to_owned();
        let properties = match start.name().as_ref() {
            b"testsuite" => {
                let skipped = results.iter().filter(|r| skipped(r.verdict)).count();
                let skipped = (skipped + unreached(run).count()).to_string();
                start.push_attribute(("skipped", skipped.as_str()));
                let mut properties = run_properties(run);
                properties.extend(freedom_properties(results));
                Some(properties)
            }
            b"testcase" => cases.next().map(|result| case_properties(run, result)),
            _ => None,
        };
        let Some(properties) = properties else {
            writer.write_event(event)?;
            continue;
        };
        let end = BytesEnd::new(String::from_utf8_lossy(start.name().as_ref()).into_owned());
        writer.write_event(Event::Start(start))?;
        write_properties(&mut writer, &properties)?;
        if empty {
            writer.write_event(Event::End(end))?;
        }
    }
}

/// Whether a verdict is written as `skipped`.
fn skipped(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => true,
        Verdict::Pass | Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => false,
    }
}

fn write_properties(
    writer: &mut Writer<Vec<u8>>,
    properties: &[Property],
) -> Result<(), quick_xml::Error> {
    writer.write_event(Event::Start(BytesStart::new("properties")))?;
    for (name, value) in properties {
        let mut element = BytesStart::new("property");
        element.push_attribute(("name", name.as_str()));
        element.push_attribute(("value", value.as_str()));
        writer.write_event(Event::Empty(element))?;
    }
    writer.write_event(Event::End(BytesEnd::new("properties")))?;
    Ok(())
}

/// `text` with the characters that XML 1.0 cannot hold, in any form, spelt out.
pub(crate) fn legal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' | '\r' => out.push(c),
            c if c < ' ' => out.push_str(&format!("\\x{:02x}", c as u32)),
            '\u{fffe}' | '\u{ffff}' => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// `text` for a CDATA section, which `junit-report` writes as it is given: its end mark is split
/// over two sections.
fn cdata(text: &str) -> String {
    legal(text).replace("]]>", "]]]]><![CDATA[>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::DeviceRecord;
    use crate::store::{PlannedCase, RunRecord, RunStatus, Store};
    use crate::tests::sample;
    use roxmltree::{Document, Node};
    use time::macros::datetime;

    fn inconclusive() -> CaseResult {
        let mut result = sample::message_passing();
        result.verdict = Verdict::Inconclusive;
        result.reason = "no instance ran".into();
        result
    }

    fn report(results: &[CaseResult]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path().join("s.db")).unwrap();
        let record = RunRecord {
            created: datetime!(2024-05-06 07:08:09 UTC),
            version: "0.1.0".into(),
            seed: u64::MAX,
            plan: "{}".into(),
        };
        let planned: Vec<PlannedCase> = Vec::new();
        let id = store.begin_run(&record, &planned).unwrap();
        store
            .set_device(
                id,
                &DeviceRecord {
                    selector: "touchstone".into(),
                    platform: "Touch<stone>".into(),
                    platform_version: "OpenCL 3.0".into(),
                    name: "CPU \u{1b}".into(),
                    vendor: "v".into(),
                    version: "OpenCL 3.0".into(),
                    driver: "0.1".into(),
                    capabilities: vec![("scope_device".into(), "true".into())],
                    findings: vec!["says a & b".into()],
                },
            )
            .unwrap();
        store.finish_run(id, RunStatus::Done).unwrap();
        let mut out = Vec::new();
        write(
            &store.run(id).unwrap(),
            results,
            &Expectations::default(),
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_was_not_reached_is_skipped_and_says_so() {
        let results = [sample::message_passing()];
        let mut run = sample::run(&results);
        run.reach = Some(crate::record::Reach {
            exercised: 3,
            apply: 4,
            planned: 2,
            unreached: vec![CaseId::new("api", "again", "00001")],
        });
        let mut out = Vec::new();
        write(&run, &results, &Expectations::default(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let xml = Document::parse(&text).unwrap();
        let mut cases = xml.descendants().filter(|n| n.has_tag_name("testcase"));
        let last = cases.next_back().expect("two cases");
        assert_eq!(last.attribute("name"), Some("api/again/00001"));
        let skipped = child(last, "skipped").expect("an element");
        assert_eq!(skipped.attribute("type"), Some("not-reached"));
        let suite = xml.descendants().find(|n| n.has_tag_name("testsuite"));
        let suite = suite.expect("a suite");
        assert_eq!(suite.attribute("skipped"), Some("1"));
        assert_eq!(suite.attribute("tests"), Some("2"));
        assert!(
            text.contains(r#"name="rules.exercised" value="3""#),
            "{text}"
        );
    }

    fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
        node.children().find(|c| c.has_tag_name(name))
    }

    fn property_of<'a>(node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        child(node, "properties")?
            .children()
            .find(|p| p.attribute("name") == Some(name))?
            .attribute("value")
    }

    #[test]
    fn each_verdict_has_its_element() {
        let results = [
            sample::message_passing(),
            sample::coherence_failure(),
            sample::skipped(),
            sample::crashed(),
            inconclusive(),
        ];
        let xml = report(&results);
        let document = Document::parse(&xml).unwrap();
        let suite = child(document.root_element(), "testsuite").unwrap();
        for (attribute, value) in [
            ("tests", "5"),
            ("failures", "1"),
            ("errors", "1"),
            ("skipped", "2"),
        ] {
            assert_eq!(suite.attribute(attribute), Some(value), "{attribute}");
        }
        assert_eq!(property_of(suite, "seed"), Some("18446744073709551615"));
        assert_eq!(property_of(suite, "device.platform"), Some("Touch<stone>"));
        assert_eq!(property_of(suite, "device.name"), Some("CPU \\x1b"));
        let cases: Vec<_> = suite
            .children()
            .filter(|c| c.has_tag_name("testcase"))
            .collect();
        assert_eq!(cases.len(), 5);
        let elements = ["-", "failure", "skipped", "error", "skipped"];
        for ((case, result), element) in cases.iter().zip(&results).zip(elements) {
            assert_eq!(case.attribute("name"), Some(result.case.as_str()));
            assert_eq!(case.attribute("classname"), Some("classay.litmus"));
            assert_eq!(case.attribute("time"), Some("0.75"));
            assert_eq!(property_of(*case, "verdict"), Some(result.verdict.name()));
            for name in ["failure", "error", "skipped"] {
                match child(*case, name) {
                    Some(found) => {
                        assert_eq!(name, element);
                        assert_eq!(found.attribute("type"), Some(result.verdict.name()));
                        assert_eq!(
                            found.attribute("message"),
                            Some(legal(&result.reason).as_str())
                        );
                    }
                    None => assert_ne!(name, element),
                }
            }
            // Properties come first, where readers look for them.
            let first = case.children().find(Node::is_element).unwrap();
            assert!(first.has_tag_name("properties"));
        }
    }

    #[test]
    fn counts_and_rates_are_properties() {
        let xml = report(&[sample::coherence_failure()]);
        let document = Document::parse(&xml).unwrap();
        let case = document
            .descendants()
            .find(|n| n.has_tag_name("testcase"))
            .unwrap();
        for (name, value) in [
            ("instances", "1000000"),
            ("launches", "1"),
            ("target.count", "1"),
            ("target.rate", "1e-6"),
            ("outcome.count[1:r0=1 1:r1=1]", "999999"),
            ("outcome.count[1:r0=1 1:r1=0]", "1"),
            ("outcome.rate[1:r0=1 1:r1=0]", "1e-6"),
        ] {
            assert_eq!(property_of(case, name), Some(value), "{name}");
        }
        let low: f64 = property_of(case, "target.rate.low95")
            .unwrap()
            .parse()
            .unwrap();
        let high: f64 = property_of(case, "target.rate.high95")
            .unwrap()
            .parse()
            .unwrap();
        assert!((low - 2.53e-8).abs() < 1e-10 && (high - 5.57e-6).abs() < 1e-8);
    }

    #[test]
    fn hostile_evidence_stays_legal_and_readable() {
        let xml = report(&[sample::crashed()]);
        let document = Document::parse(&xml).unwrap();
        let error = document
            .descendants()
            .find(|n| n.has_tag_name("error"))
            .unwrap();
        let text: String = error.children().filter_map(|c| c.text()).collect();
        assert!(text.contains("--- death\n11\n"));
        assert!(
            text.contains(
                "--- stderr\nline one\n\\x1b[31mred\\x1b[0m \\x00 ]]> <tag> & \\u{fffe}\u{1f980}\n"
            ),
            "{text}"
        );
        assert_eq!(
            error.attribute("message"),
            Some(legal(&sample::crashed().reason).as_str())
        );
    }

    #[test]
    fn the_whole_report() {
        insta::assert_snapshot!(report(&[sample::coherence_failure(), sample::skipped()]));
    }

    #[test]
    fn the_text_of_an_element_is_its_own() {
        let xml = report(&[sample::store_buffering()]);
        let document = Document::parse(&xml).unwrap();
        let output = document
            .descendants()
            .find(|n| n.has_tag_name("system-out"))
            .unwrap();
        let text: String = output.children().filter_map(|c| c.text()).collect();
        let table = crate::text::histogram(&sample::store_buffering(), crate::text::Colour::Off);
        assert_eq!(text, table, "{xml}");
    }

    #[test]
    fn an_empty_run_is_a_report_too() {
        let xml = report(&[]);
        let document = Document::parse(&xml).unwrap();
        let suite = child(document.root_element(), "testsuite").unwrap();
        assert_eq!(suite.attribute("tests"), Some("0"));
        assert_eq!(property_of(suite, "classay.version"), Some("0.1.0"));
    }

    #[test]
    fn a_report_that_cannot_be_written_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path().join("s.db")).unwrap();
        let record = RunRecord {
            created: datetime!(2024-05-06 07:08:09 UTC),
            version: String::new(),
            seed: 0,
            plan: String::new(),
        };
        let id = store.begin_run(&record, &[]).unwrap();
        let error =
            write(&store.run(id).unwrap(), &[], &Expectations::default(), Full).unwrap_err();
        assert!(matches!(error, JunitError::Io(_)));
    }
}
