//! The page as a whole: well-formed, self-contained, small.

use super::html;
use crate::record::{CaseId, CaseResult, Launch, Outcome, OutcomeCount, Verdict, Violation};
use crate::report::{Context, Report};
use crate::tests::sample;
use std::collections::BTreeSet;

fn page(results: &[CaseResult], context: &Context) -> String {
    let run = sample::run(results);
    html(&Report::new(&run, results, context)).expect("a page")
}

/// The page as XML; it is both.
fn parsed(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        nodes_limit: u32::MAX,
        ..roxmltree::ParsingOptions::default()
    };
    roxmltree::Document::parse_with_options(page, options).unwrap_or_else(|e| {
        let line = page
            .lines()
            .nth(e.pos().row as usize - 1)
            .unwrap_or_default();
        panic!("{e}: {line}")
    })
}

fn every_page() -> Vec<String> {
    let all = sample::all();
    vec![
        page(&all, &sample::context(&all)),
        page(&all, &Context::default()),
        page(&[sample::message_passing()], &Context::default()),
        page(&[], &Context::default()),
        page(&many(40), &Context::default()),
    ]
}

#[test]
fn pages_are_well_formed_and_say_what_headings_head() {
    for page in every_page() {
        is_well_formed(&page);
    }
}

/// A page is XML, its ids are there once and its links lead to them; headings of tables say what they head, and
/// drawings what they are.
pub(super) fn is_well_formed(page: &str) {
    let document = parsed(page);
    let mut ids = BTreeSet::new();
    for id in document.descendants().filter_map(|n| n.attribute("id")) {
        assert!(ids.insert(id.to_owned()), "{id} twice");
    }
    for link in document.descendants().filter_map(|n| n.attribute("href")) {
        let target = link.strip_prefix('#').expect("links stay in the page");
        assert!(ids.contains(target), "{link} leads nowhere");
    }
    for head in document.descendants().filter(|n| n.has_tag_name("th")) {
        assert!(head.attribute("scope").is_some(), "{head:?}");
    }
    for drawing in document.descendants().filter(|n| n.has_tag_name("svg")) {
        let hidden = drawing.attribute("class") == Some("w");
        assert!(hidden || drawing.attribute("role") == Some("img"));
    }
    let first = document.descendants().find(|n| n.has_tag_name("a"));
    assert_eq!(first.and_then(|a| a.attribute("href")), Some("#main"));
}

#[test]
fn pages_need_no_network() {
    for page in every_page() {
        needs_no_network(&page);
    }
}

/// Nothing in a page makes a browser fetch anything: no element that loads, no address in an attribute or in
/// the style; and the policy of the page forbids it.
pub(super) fn needs_no_network(page: &str) {
    let document = parsed(page);
    let mut policy = false;
    for node in document.descendants().filter(|n| n.is_element()) {
        let name = node.tag_name().name();
        let loads = [
            "img", "link", "iframe", "object", "embed", "video", "audio", "use", "image", "base",
            "form",
        ];
        assert!(!loads.contains(&name), "{name}");
        for attribute in node.attributes() {
            let loads = ["src", "srcset", "poster", "data", "action", "background"];
            assert!(!loads.contains(&attribute.name()), "{}", attribute.name());
            let value = attribute.value();
            assert!(!value.contains("url("), "{value}");
            policy |= value.starts_with("default-src 'none'");
        }
    }
    assert!(policy, "the policy is missing");
    let style = document.descendants().find(|n| n.has_tag_name("style"));
    let style = style.and_then(|n| n.text()).expect("a style");
    assert!(!style.contains("url(") && !style.contains("@import"));
    assert!(!page.contains("http://") && !page.contains("https://"));
}

#[test]
fn what_drivers_say_stays_text() {
    let all = sample::all();
    let page = page(&all, &sample::context(&all));
    assert!(page.contains("&#60;tag&#62;") || page.contains("&lt;tag&gt;"));
    assert!(!page.contains("<tag>") && !page.contains('\x1b') && !page.contains('\0'));
    assert!(page.contains("\\x1b[31mred"));
    assert!(page.contains("U+") || page.contains("\\u{fffe}"));
}

/// A thousand tests of four outcomes, each with a hundred launches; every tenth failed, with long evidence.
fn many(tests: usize) -> Vec<CaseResult> {
    let outcomes = [[0, 0], [1, 1], [0, 1], [1, 0]];
    (0..tests)
        .map(|test| {
            let launch = |index: u64| Launch {
                index,
                process: 0,
                instances: 10_000,
                seconds: 0.01,
                outcomes: outcomes
                    .iter()
                    .enumerate()
                    .map(|(place, values)| OutcomeCount {
                        outcome: Outcome::State(values.to_vec()),
                        count: match place {
                            0 => 9_000 - (index * 37 + test as u64) % 500,
                            1 => 800,
                            2 => 150,
                            _ => 50 + (index * 37 + test as u64) % 500,
                        },
                        target: place == 3,
                    })
                    .collect(),
                freedoms: Vec::new(),
            };
            let failed = test % 10 == 0;
            let name = format!("MP+number-{test}+rel+acq");
            let reason =
                "observed `1:r0=1 1:r1=0` 300 times in 1,000,000 (rate 3.00e-4), which it forbids";
            CaseResult {
                test: name.clone(),
                instances: 1_000_000,
                seconds: 1.0,
                build_seconds: 0.1,
                device_seconds: 0.9,
                observables: sample::message_passing().observables,
                launches: (0..100).map(launch).collect(),
                violations: vec![Violation {
                    rules: Vec::new(),
                    what: format!("{test} ")
                        + &"evidence that is long\n".repeat(2_000 * usize::from(failed)),
                }],
                ..CaseResult::new(
                    CaseId::new("litmus", "classic", &name),
                    if failed { Verdict::Fail } else { Verdict::Pass },
                    reason,
                )
            }
        })
        .collect()
}

#[test]
fn a_thousand_tests_stay_below_two_megabytes() {
    let results = many(1000);
    let mut context = sample::context(&results);
    context.baseline = None;
    let page = page(&results, &context);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("more bytes are in the store"));
    assert!(page.contains("left out to keep this page small"));
    parsed(&page);
}

#[test]
fn parts() {
    let all = sample::all();
    let page = page(&all, &sample::context(&all));
    let main = page.split_once("<header>").map_or("", |(_, rest)| rest);
    let main = main.split_once("<script>").map_or("", |(main, _)| main);
    insta::assert_snapshot!(main);
}
