//! A drawing in DOT, for Graphviz: threads as clusters, the failing cycle in bold.

use super::Report;
use super::graph::{Arrow, Strand};
use super::label::Node;

/// The execution of a report as a graph; none where the outcome is impossible.
pub fn dot(report: &Report) -> Option<String> {
    let drawing = report.drawing.as_ref()?;
    let mut out = String::from("digraph execution {\n");
    out.push_str(&format!("  label={};\n", quoted(&report.verdict())));
    out.push_str("  labelloc=t;\n  fontname=\"sans-serif\";\n");
    out.push_str("  node [shape=box, fontname=\"monospace\"];\n");
    out.push_str("  edge [fontname=\"monospace\"];\n");
    if !drawing.initial.is_empty() {
        out.push_str("  { rank=source;");
        for event in &drawing.initial {
            out.push_str(&format!(" e{event};"));
        }
        out.push_str(" }\n");
    }
    for event in &drawing.initial {
        node(&mut out, "  ", *event, &drawing.nodes[*event]);
    }
    for (index, column) in drawing.columns.iter().enumerate() {
        out.push_str(&format!("  subgraph cluster_{index} {{\n"));
        let title = format!("{} ({})", column.name, column.place);
        out.push_str(&format!("    label={};\n", quoted(&title)));
        for event in &column.events {
            node(&mut out, "    ", *event, &drawing.nodes[*event]);
        }
        out.push_str("  }\n");
    }
    for arrow in &drawing.arrows {
        edge(&mut out, arrow);
    }
    out.push_str("}\n");
    Some(out)
}

fn node(out: &mut String, indent: &str, event: usize, node: &Node) {
    let lines = match node.detail.as_str() {
        "" => escaped(&node.title()),
        detail => format!("{}\\n{}", escaped(&node.title()), escaped(detail)),
    };
    let bold = if node.in_cycle { ", penwidth=2" } else { "" };
    out.push_str(&format!("{indent}e{event} [label=\"{lines}\"{bold}];\n"));
}

fn edge(out: &mut String, arrow: &Arrow) {
    let colour = colour(arrow.strand);
    let bold = if arrow.in_cycle { ", penwidth=2.5" } else { "" };
    // Only program order decides who is above whom.
    let free = match arrow.strand {
        Strand::Program => "",
        Strand::ReadsFrom | Strand::Coherence | Strand::FromReads | Strand::Other => {
            ", constraint=false"
        }
        Strand::Command => ", constraint=false, style=dashed",
    };
    out.push_str(&format!(
        "  e{} -> e{} [label={}, color=\"{colour}\", fontcolor=\"{colour}\"{bold}{free}];\n",
        arrow.from,
        arrow.to,
        quoted(&arrow.label)
    ));
}

/// The colour of an arrow, dark enough on white.
pub(super) fn colour(strand: Strand) -> &'static str {
    match strand {
        Strand::Program => "#57606a",
        Strand::ReadsFrom => "#1a7f37",
        Strand::Coherence => "#9a4a00",
        Strand::FromReads => "#a01a8c",
        Strand::Command | Strand::Other => "#0a58c2",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
