//! What it takes to repeat the run: device, plan, machine.

use super::HtmlError;
use super::words::{count, cut, moment};
use crate::record::{EvidenceKind, MachineRecord, Moment};
use crate::report::Report;
use askama::Template;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "machine.html")]
struct Machine<'a> {
    findings: &'a [String],
    missing: &'a [String],
    groups: Vec<Group>,
    /// How many tests were stressed and placed how.
    environments: Vec<(String, String)>,
}

/// Environments that are shown.
const ENVIRONMENTS: usize = 8;

struct Group {
    title: &'static str,
    pairs: Vec<(String, String)>,
}

/// The section.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let run = report.run;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut plan = vec![
        pair("run", &run.id.to_string()),
        pair("status", run.status.name()),
        pair("began", &moment(run.record.created)),
    ];
    if let Some(finished) = run.finished {
        plan.push(pair("ended", &moment(finished)));
    }
    plan.extend([
        pair("classay", &run.record.version),
        pair("seed", &run.record.seed.to_string()),
        pair("plan", run.plan_hash.as_str()),
    ]);
    plan.extend(report.context.plan.iter().cloned());
    let mut groups = vec![Group {
        title: "Run",
        pairs: plan,
    }];
    if let Some(device) = &run.device {
        groups.push(Group {
            title: "Device",
            pairs: vec![
                pair("device", &device.name),
                pair("vendor", &device.vendor),
                pair("platform", &device.platform),
                pair("platform version", &device.platform_version),
                pair("device version", &device.version),
                pair("driver", &device.driver),
                pair("selected as", &device.selector),
            ],
        });
        groups.push(Group {
            title: "Capabilities",
            pairs: device.capabilities.clone(),
        });
    }
    groups.extend(machines(report));
    groups.retain(|group| !group.pairs.is_empty());
    let page = Machine {
        findings: run.device.as_ref().map_or(&[], |d| &d.findings),
        missing: &report.context.missing,
        groups,
        environments: environments(report),
    };
    Ok(Some(page.render()?))
}

/// The machines of the run, with their load and clock over it.
fn machines(report: &Report<'_>) -> Vec<Group> {
    let mut machines: Vec<(&MachineRecord, Vec<&Moment>)> = Vec::new();
    for moment in &report.run.moments {
        match machines.iter_mut().find(|(m, _)| **m == moment.machine) {
            Some((_, moments)) => moments.push(moment),
            None => machines.push((&moment.machine, vec![moment])),
        }
    }
    machines
        .into_iter()
        .map(|(machine, moments)| {
            let mut pairs = vec![
                ("host", machine.host.clone()),
                ("system", machine.system.clone()),
                ("processor", machine.processor.clone()),
                ("processors", machine.processors.to_string()),
                (
                    "memory",
                    format!("{:.1} GiB", machine.memory as f64 / f64::from(1 << 30)),
                ),
            ];
            let of = |value: fn(&Moment) -> Option<f64>| {
                let all: Vec<f64> = moments.iter().filter_map(|m| value(m)).collect();
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                let most = all.iter().copied().fold(0.0, f64::max);
                (!all.is_empty()).then_some((least, most))
            };
            if let Some((least, most)) = of(|m| m.load) {
                pairs.push(("load during the run", format!("{least:.2} to {most:.2}")));
            }
            if let Some((least, most)) = of(|m| m.clock_mhz) {
                pairs.push((
                    "clock during the run",
                    format!("{least:.0} to {most:.0} MHz"),
                ));
            }
            pairs.push(("noted", count(moments.len(), "time")));
            pairs.retain(|(_, value)| !value.is_empty());
            Group {
                title: "Machine",
                pairs: pairs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect(),
            }
        })
        .collect()
}

/// The environments that tests ran in, most used first.
fn environments(report: &Report<'_>) -> Vec<(String, String)> {
    let mut tests: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &report.cases {
        let evidence = case.result.evidence.iter();
        for evidence in evidence.filter(|e| e.kind == EvidenceKind::Environment) {
            *tests.entry(evidence.text.as_str()).or_default() += 1;
        }
    }
    let mut all: Vec<(&str, usize)> = tests.into_iter().collect();
    all.sort_by_key(|(_, tests)| std::cmp::Reverse(*tests));
    all.into_iter()
        .take(ENVIRONMENTS)
        .map(|(text, tests)| {
            let (text, _) = cut(&text.replace(",\"", ", \""), 4000);
            (count(tests, "test"), text)
        })
        .collect()
}
