//! A drawing as SVG: a column for each thread, program order downward, initial values on top.
//!
//! Layout crates arrange layers of a hierarchy; here the columns are given, so events are placed
//! directly ([`place`]) and only the arrows are a question: [`route`] bends each one, and puts its
//! label, where it meets least of what is there already. The text has a light background of its
//! own, so that it reads the same on light and dark pages.

mod geometry;
mod place;
mod route;

use super::Report;
use super::dot::colour;
use super::graph::{Arrow, Drawing, Strand};
use super::label::Node;
use super::wrap::wrap;
use geometry::{Point, Rect};
use place::place;
use route::{Route, route};

const FONT: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";
/// Width of a character over the size of its font, generously.
const ADVANCE: f64 = 0.62;
const TITLE: f64 = 15.0;
const SMALL: f64 = 12.0;
const LABEL: f64 = 14.0;
/// From one line of an arrow's label to the next.
const LABEL_LINE: f64 = 14.0;
const MARGIN: f64 = 24.0;
const HALO: &str = "#ffc9c2";
const ALARM: &str = "#c62828";

/// The execution of a report as a picture; none where the outcome is impossible.
pub fn svg(report: &Report) -> Option<String> {
    let drawing = report.drawing.as_ref()?;
    let placed = place(drawing);
    let routes = route(drawing, &placed);
    let mut bounds = placed.bounds();
    for route in &routes {
        route.points.iter().for_each(|p| bounds.include(*p));
        bounds.join(route.label);
    }
    let body = Rect {
        left: bounds.left - MARGIN,
        top: bounds.top - 8.0,
        right: bounds.right + MARGIN,
        bottom: bounds.bottom,
    };
    // The text above and below may be wider than the drawing.
    let columns = ((body.width().max(460.0) - 2.0 * MARGIN) / (TITLE * ADVANCE)) as usize;
    let title = wrap(&report.verdict(), columns);
    let small = (columns as f64 * TITLE / SMALL) as usize;
    let notes: Vec<String> = notes(report, drawing)
        .iter()
        .flat_map(|note| wrap(note, small))
        .collect();
    let width = body.width().max(460.0);
    let left = body.left - (width - body.width()) / 2.0;
    let above = MARGIN + title.len() as f64 * 22.0;
    let below = MARGIN + notes.len() as f64 * 18.0 + if notes.is_empty() { 0.0 } else { 12.0 };
    let page = Rect {
        left,
        top: body.top - above,
        right: left + width,
        bottom: body.bottom + below,
    };

    let mut out = Svg::open(&page, &report.verdict());
    for (i, line) in title.iter().enumerate() {
        let at = Point::new(left + MARGIN, page.top + MARGIN + 4.0 + i as f64 * 22.0);
        out.text(at, line, TITLE, "start", "#1f2328", true);
    }
    for (column, at) in drawing.columns.iter().zip(&placed.headings) {
        out.text(*at, &column.name, LABEL, "middle", "#1f2328", true);
        let below = Point::new(at.x, at.y + 16.0);
        out.text(below, &column.place, SMALL, "middle", "#57606a", false);
    }
    for (arrow, route) in drawing.arrows.iter().zip(&routes) {
        if arrow.in_cycle {
            out.halo(route);
        }
    }
    for (arrow, route) in drawing.arrows.iter().zip(&routes) {
        out.curve(route, arrow);
    }
    for (node, rect) in drawing.nodes.iter().zip(&placed.boxes) {
        out.node(node, rect);
    }
    for (arrow, route) in drawing.arrows.iter().zip(&routes) {
        out.label(
            &route.label,
            &arrow.label,
            colour(arrow.strand),
            arrow.in_cycle,
        );
    }
    for (i, line) in notes.iter().enumerate() {
        let y = body.bottom + MARGIN + 8.0 + i as f64 * 18.0;
        out.text(
            Point::new(left + MARGIN, y),
            line,
            SMALL,
            "start",
            "#1f2328",
            false,
        );
    }
    Some(out.close())
}

/// What is said below the drawing: the rules that fail, the marked one first.
fn notes(report: &Report, drawing: &Drawing) -> Vec<String> {
    let mut order: Vec<usize> = (0..drawing.failures.len()).collect();
    order.sort_by_key(|i| Some(*i) != drawing.marked);
    let mut notes: Vec<String> = Vec::new();
    for broken in order.into_iter().map(|i| &drawing.failures[i]) {
        let lines = drawing.cycle_lines(broken);
        notes.push(format!("{}: {}", broken.rule, lines.join("; ")));
    }
    if !report.flags.is_empty() {
        notes.push(format!("undefined behaviour: {}", report.flags.join(", ")));
    }
    notes
}

/// How wide a text is.
fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * ADVANCE
}

/// A label in narrow lines: an arrow with two names, or with reasons, has one of them a line.
fn label_lines(label: &str) -> Vec<&str> {
    label
        .split(": ")
        .flat_map(|part| part.split(", "))
        .collect()
}

struct Svg(String);

impl Svg {
    fn open(page: &Rect, title: &str) -> Svg {
        let (w, h) = (page.width(), page.height());
        let mut out = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" \
             viewBox=\"{:.1} {:.1} {w:.1} {h:.1}\" role=\"img\" font-family=\"{FONT}\">\n",
            page.left, page.top
        ));
        out.0
            .push_str(&format!("<title>{}</title>\n", escaped(title)));
        out.rect(page, "#ffffff", "none", 0.0, 8.0);
        out
    }

    fn close(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn rect(&mut self, r: &Rect, fill: &str, stroke: &str, width: f64, round: f64) {
        self.0.push_str(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\" \
             fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>\n",
            r.left,
            r.top,
            r.width(),
            r.height()
        ));
    }

    fn text(&mut self, at: Point, text: &str, size: f64, anchor: &str, fill: &str, bold: bool) {
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        self.0.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{fill}\"{weight}>{}</text>\n",
            at.x,
            at.y,
            escaped(text)
        ));
    }

    fn node(&mut self, node: &Node, rect: &Rect) {
        let (fill, stroke, width) = match (node.in_cycle, node.thread) {
            (true, _) => ("#fff5f4", ALARM, 2.0),
            (false, Some(_)) => ("#f6f8fa", "#8c959f", 1.2),
            (false, None) => ("#ffffff", "#8c959f", 1.2),
        };
        self.rect(rect, fill, stroke, width, 6.0);
        let middle = rect.middle();
        let lift = if node.detail.is_empty() { 5.0 } else { -3.0 };
        let at = Point::new(middle.x, middle.y + lift);
        self.text(at, &node.title(), LABEL, "middle", "#1f2328", false);
        if !node.detail.is_empty() {
            let at = Point::new(middle.x, middle.y + 14.0);
            self.text(at, &node.detail, SMALL, "middle", "#57606a", false);
        }
    }

    fn path(&mut self, route: &Route, stroke: &str, width: f64, dashed: bool) {
        let dashes = match dashed {
            true => " stroke-dasharray=\"7 5\"",
            false => "",
        };
        let [a, b, c, d] = route.curve;
        self.0.push_str(&format!(
            "<path d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"{stroke}\" \
             stroke-width=\"{width}\" stroke-linecap=\"round\"{dashes}/>\n",
            a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y
        ));
    }

    fn halo(&mut self, route: &Route) {
        self.path(route, HALO, 10.0, false);
    }

    fn curve(&mut self, route: &Route, arrow: &Arrow) {
        let (stroke, bold) = (colour(arrow.strand), arrow.in_cycle);
        let width = if bold { 2.6 } else { 1.4 };
        self.path(route, stroke, width, arrow.strand == Strand::Command);
        let [_, _, control, tip] = route.curve;
        let size = if bold { 13.0 } else { 10.0 };
        let back = tip.toward(control, size);
        let side = (tip - back).turned() * 0.42;
        let (left, right) = (back + side, back - side);
        // A little beyond the end, so that the line does not show beside the tip.
        let nose = tip + (tip - back) * 0.25;
        self.0.push_str(&format!(
            "<path d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} Z\" fill=\"{stroke}\"/>\n",
            nose.x, nose.y, left.x, left.y, right.x, right.y
        ));
    }

    fn label(&mut self, rect: &Rect, text: &str, fill: &str, bold: bool) {
        self.rect(rect, "#ffffff", "none", 0.0, 3.0);
        let middle = rect.middle();
        let lines = label_lines(text);
        let first = middle.y + 4.3 - (lines.len() as f64 - 1.0) * LABEL_LINE / 2.0;
        for (i, line) in lines.iter().enumerate() {
            let at = Point::new(middle.x, first + i as f64 * LABEL_LINE);
            self.text(at, line, SMALL, "middle", fill, bold);
        }
    }
}

/// Text for XML; characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::report;
    use crate::oracle::{Limits, Model};

    /// Every shipped test's drawing.
    fn drawings() -> impl Iterator<Item = (&'static str, Drawing)> {
        let model = Model::named("opencl-3.0").expect("the model");
        crate::shipped().iter().filter_map(move |(name, text)| {
            let program = crate::syntax::read_litmus(name, text).expect("a program");
            let target = &program.condition.predicate;
            let report = report(&program, &model, target, &Limits::default()).expect("a report");
            Some((*name, report.drawing?))
        })
    }

    #[test]
    fn nothing_hides_a_label_or_a_box() {
        let mut seen = 0;
        for (name, drawing) in drawings() {
            let placed = place(&drawing);
            let routes = route(&drawing, &placed);
            for (i, rect) in placed.boxes.iter().enumerate() {
                for other in &placed.boxes[..i] {
                    assert!(!rect.meets(other), "{name}: boxes overlap");
                }
                for (arrow, route) in drawing.arrows.iter().zip(&routes) {
                    let through = route.points.iter().filter(|p| rect.contains(**p)).count();
                    let own = arrow.from == i || arrow.to == i;
                    assert!(own || through == 0, "{name}: {arrow:?} runs through a box");
                }
            }
            for (arrow, route) in drawing.arrows.iter().zip(&routes) {
                for heading in &placed.heading_boxes {
                    let on = route.points.iter().any(|p| heading.contains(*p));
                    assert!(!on, "{name}: {arrow:?} runs through a heading");
                }
            }
            for (i, route) in routes.iter().enumerate() {
                seen += 1;
                let label = &drawing.arrows[i].label;
                for rect in placed.boxes.iter().chain(&placed.heading_boxes) {
                    assert!(!route.label.meets(rect), "{name}: {label} is on a box");
                }
                for other in &routes[..i] {
                    assert!(!route.label.meets(&other.label), "{name}: labels overlap");
                }
            }
        }
        assert!(seen > 300, "{seen} arrows");
    }

    #[test]
    fn an_arrow_from_an_event_to_itself_is_seen() {
        let (_, mut drawing) = drawings().next().expect("a drawing");
        let arrow = crate::explain::Arrow {
            from: 0,
            to: 0,
            label: "rf".into(),
            strand: Strand::ReadsFrom,
            in_cycle: true,
        };
        drawing.arrows.push(arrow);
        let placed = place(&drawing);
        let routes = route(&drawing, &placed);
        let around = routes.last().expect("a route");
        let outside = |p: &&Point| !placed.boxes[0].contains(**p);
        assert!(around.points.iter().filter(outside).count() > 20);
    }
}
