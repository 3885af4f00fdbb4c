//! A report as text of at most about 100 columns.

use super::graph::{Drawing, Strand};
use super::{Remedy, Report};
use crate::oracle::Explanation;

/// The whole report, ending in a line end.
pub fn text(report: &Report) -> String {
    let mut out = format!("{}.\n", report.verdict());
    if !report.flags.is_empty() {
        out.push_str(&format!(
            "The test's behaviour is undefined ({}), so an implementation may do anything; this is \
             what the axioms say.\n",
            report.flags.join(", ")
        ));
    }
    if report.bounded {
        out.push_str("A loop was cut, so runs with more passes are not considered.\n");
    }
    match &report.explanation {
        Explanation::Allowed(_) => out.push_str("\nAn execution that ends so\n"),
        Explanation::Forbidden(_) => {
            out.push_str("\nRules that rule it out\n");
            if let Some(drawing) = &report.drawing {
                failures(&mut out, drawing);
            }
            out.push_str("\nThe execution that fails them\n");
        }
        Explanation::Impossible => {
            out.push_str(
                "No choice of what reads return and of the order of writes gives these values, \
                 whatever the rules say.\n",
            );
        }
    }
    if let Some(drawing) = &report.drawing {
        execution(&mut out, drawing);
    }
    if let Explanation::Forbidden(_) = &report.explanation {
        changes(&mut out, &report.remedies);
    }
    out
}

fn failures(out: &mut String, drawing: &Drawing) {
    for (rule, place, cycle) in &drawing.failures {
        out.push_str(&format!("  {rule} ({place})\n"));
        out.push_str(&format!("    {}\n", drawing.cycle_text(cycle)));
    }
}

fn execution(out: &mut String, drawing: &Drawing) {
    let initial: Vec<&str> = drawing
        .initial
        .iter()
        .map(|e| drawing.nodes[*e].label.as_str())
        .collect();
    if !initial.is_empty() {
        out.push_str(&format!("  initially {}\n", initial.join(", ")));
    }
    let width = |f: &dyn Fn(&super::Node) -> usize| {
        drawing
            .nodes
            .iter()
            .filter(|n| n.thread.is_some())
            .map(f)
            .max()
            .unwrap_or(0)
    };
    let ids = width(&|n| n.id.chars().count());
    let labels = width(&|n| n.label.chars().count());
    for column in &drawing.columns {
        out.push_str(&format!("  {} ({})\n", column.name, column.place));
        for event in &column.events {
            let node = &drawing.nodes[*event];
            let line = format!(
                "    {:ids$}  {:labels$}  {}",
                node.id, node.label, node.detail
            );
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    for (strand, name) in [
        (Strand::ReadsFrom, "rf"),
        (Strand::Coherence, "co"),
        (Strand::FromReads, "fr"),
    ] {
        let edges: Vec<String> = drawing
            .arrows
            .iter()
            .filter(|a| a.strand == strand)
            .map(|a| format!("{} → {}", drawing.nodes[a.from].id, drawing.nodes[a.to].id))
            .collect();
        if !edges.is_empty() {
            out.push_str(&format!("  {name}: {}\n", edges.join(", ")));
        }
    }
}

fn changes(out: &mut String, remedies: &[Remedy]) {
    let mut list = |title: &str, undefined: bool| {
        let mut some = false;
        for remedy in remedies.iter().filter(|r| r.undefined == undefined) {
            if !some {
                out.push_str(title);
            }
            some = true;
            out.push_str(&format!("  {}\n", remedy.what));
        }
        some
    };
    let allowed = list("\nAny one of these changes allows it\n", false);
    let undefined = list(
        "\nAny one of these changes makes the behaviour undefined, so that it may be seen\n",
        true,
    );
    if !allowed && !undefined {
        out.push_str("\nNo weakening of a single order, scope, fence or barrier allows it.\n");
    }
}
