//! What it takes to repeat the run: device, plan, machine.

use super::HtmlError;
use super::words::moment;
use crate::report::Report;
use askama::Template;

#[derive(Template)]
#[template(path = "machine.html")]
struct Machine<'a> {
    findings: &'a [String],
    missing: &'a [String],
    groups: Vec<Group>,
}

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
    groups.push(Group {
        title: "Machine",
        pairs: report.context.machine.clone(),
    });
    groups.retain(|group| !group.pairs.is_empty());
    let page = Machine {
        findings: run.device.as_ref().map_or(&[], |d| &d.findings),
        missing: &report.context.missing,
        groups,
    };
    Ok(Some(page.render()?))
}
