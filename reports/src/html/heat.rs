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
struct Map<'a, 'f> {
    heat: Heat<'a, 'f>,
}

/// The section; none without litmus tests.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let heat = Heat::of(&report.cases);
    if heat.rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(Map { heat }.render()?))
}

fn class(cell: &Cell<'_, '_>) -> &'static str {
    match (cell.broken, cell.forbidden, cell.bound) {
        (true, _, _) => "bad",
        (false, true, _) => "no zero",
        (false, false, Some(_)) => "zero",
        (false, false, None) => "",
    }
}

/// How much of the colour a cell has: from a millionth on, a sixth of it for each power of ten.
fn depth(cell: &Cell<'_, '_>) -> Option<f64> {
    let depth = (cell.rate.log10() / 6.0 + 1.0).clamp(0.03, 1.0);
    (!cell.broken && cell.rate > 0.0).then_some(depth * 0.55)
}

/// The tests of a cell, a line each.
fn tests(cell: &Cell<'_, '_>) -> String {
    let named = cell.tests.iter().take(NAMED).filter_map(|case| {
        let target = seen(case.target.as_ref()?);
        let expected = case.about.and_then(|about| about.expected);
        let expected = expected.map_or("", |e| e.name());
        Some(format!("{}: {target} {expected}", case.result.name()))
    });
    let mut tests: Vec<String> = named.collect();
    if cell.tests.len() > NAMED {
        tests.push(format!("and {} more", cell.tests.len() - NAMED));
    }
    tests.join("\n")
}
