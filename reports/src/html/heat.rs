//! Shapes of litmus tests against scopes and orders.

use super::HtmlError;
use super::words::seen;
use crate::report::{Cell, Heat, Report};
use crate::text::number::{bound, rate};
use askama::Template;

/// Tests that a cell names.
const NAMED: usize = 8;

#[derive(Template)]
#[template(path = "heat.html")]
struct Map<'a> {
    /// Scopes, each with the orders under it.
    columns: Vec<(&'a str, Vec<&'a str>)>,
    /// Shapes with their cells.
    rows: Vec<(&'a str, Vec<Shown>)>,
}

#[derive(Default)]
struct Shown {
    text: String,
    more: String,
    class: &'static str,
    heat: String,
    tests: String,
}

/// The section; none without litmus tests.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let heat = Heat::of(&report.cases);
    if heat.rows.is_empty() {
        return Ok(None);
    }
    let cell = |cell: &Option<Cell<'_, '_>>| cell.as_ref().map_or_else(Shown::default, shown);
    let rows = heat.rows.iter();
    let page = Map {
        rows: rows
            .map(|(shape, cells)| (*shape, cells.iter().map(cell).collect()))
            .collect(),
        columns: heat.columns,
    };
    Ok(Some(page.render()?))
}

fn shown(cell: &Cell<'_, '_>) -> Shown {
    let mut more = Vec::new();
    let text = match cell.bound {
        Some(below) => {
            more.push(format!("< {}", bound(below)));
            "0".to_owned()
        }
        None => rate(cell.rate),
    };
    if cell.tests.len() > 1 {
        more.push(format!("{} tests", cell.tests.len()));
    }
    let mut tests: Vec<String> = cell
        .tests
        .iter()
        .take(NAMED)
        .filter_map(|case| {
            let target = case.target.as_ref()?;
            let expected = case.about.and_then(|about| about.expected);
            let expected = expected.map_or("", |e| e.name());
            Some(format!(
                "{}: {} {expected}",
                case.result.name(),
                seen(target)
            ))
        })
        .collect();
    if cell.tests.len() > NAMED {
        tests.push(format!("and {} more", cell.tests.len() - NAMED));
    }
    Shown {
        text,
        more: more.join(", "),
        class: match (cell.broken, cell.forbidden, cell.bound) {
            (true, _, _) => "bad",
            (false, true, _) => "no zero",
            (false, false, Some(_)) => "zero",
            (false, false, None) => "",
        },
        // From a millionth on, a sixth of the colour for each power of ten.
        heat: if cell.broken || cell.rate <= 0.0 {
            String::new()
        } else {
            let depth = (cell.rate.log10() / 6.0 + 1.0).clamp(0.03, 1.0);
            format!("{:.2}", depth * 0.55)
        },
        tests: tests.join("\n"),
    }
}
