//! A report as text for a terminal: at most 80 columns, unless a single word is longer.

use super::graph::{Drawing, Strand};
use super::wrap::wrap;
use super::{Remedy, Report};
use crate::oracle::Explanation;

/// Columns of a terminal.
const WIDTH: usize = 80;

/// The whole report, ending in a line end.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    paragraph(&mut out, 0, &format!("{}.", report.verdict()));
    if !report.flags.is_empty() {
        let said = format!(
            "The test's behaviour is undefined ({}), so an implementation may do anything; this is \
             what the axioms say.",
            report.flags.join(", ")
        );
        paragraph(&mut out, 0, &said);
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
            paragraph(
                &mut out,
                0,
                "No execution at all gives these values: no choice of what reads return and of \
                 the order of writes does, whatever the rules say.",
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
    for broken in &drawing.failures {
        paragraph(out, 2, &format!("{} ({})", broken.rule, broken.place));
        for line in drawing.cycle_lines(broken) {
            paragraph(out, 4, &line);
        }
        if let Some(note) = &broken.note {
            for line in wrap(note, WIDTH - 4) {
                out.push_str(&format!("    {line}\n"));
            }
        }
    }
}

/// A text in lines that begin after `indent` spaces, the second and later ones two further in.
fn paragraph(out: &mut String, indent: usize, text: &str) {
    for (i, line) in wrap(text, WIDTH - indent - 2).iter().enumerate() {
        let indent = if i == 0 { indent } else { indent + 2 };
        out.push_str(&format!("{:indent$}{line}\n", ""));
    }
}

fn execution(out: &mut String, drawing: &Drawing) {
    let initial: Vec<&str> = drawing
        .initial
        .iter()
        .map(|e| drawing.nodes[*e].label.as_str())
        .collect();
    if !initial.is_empty() {
        paragraph(out, 2, &format!("initially {}", initial.join(", ")));
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
    for arrow in drawing
        .arrows
        .iter()
        .filter(|a| a.strand == Strand::Command)
    {
        let (from, to) = (&drawing.nodes[arrow.from].id, &drawing.nodes[arrow.to].id);
        let line = match arrow.label.split_once(": ") {
            Some((name, why)) => format!("{name}: {from} → {to} ({why})"),
            None => format!("{}: {from} → {to}", arrow.label),
        };
        paragraph(out, 2, &line);
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
            paragraph(out, 2, &format!("{name}: {}", edges.join(", ")));
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
