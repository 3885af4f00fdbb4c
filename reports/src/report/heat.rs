//! The heat map: the shapes of litmus tests against their scopes and orders, and in each place how often
//! target outcomes were seen.
//!
//! Several tests may be at one place; they differ in what the map does not show (layout, idiom, regions).
//! Their rates are not averaged: the largest is shown, with how many tests there are.

use super::context::Expected;
use super::facts::CaseFacts;
use std::collections::{BTreeMap, BTreeSet};

/// The tests of one shape with one annotation.
#[derive(Debug, Clone)]
pub struct Cell<'a, 'f> {
    /// The tests, the most frequent first.
    pub tests: Vec<&'f CaseFacts<'a>>,
    /// The largest rate.
    pub rate: f64,
    /// Where none was seen: the largest of the bounds that their rates are below, at 95 %.
    pub bound: Option<f64>,
    /// One of them was seen though the model forbids it.
    pub broken: bool,
    /// The model forbids the target outcomes of each.
    pub forbidden: bool,
}

/// The map.
#[derive(Debug, Clone, Default)]
pub struct Heat<'a, 'f> {
    /// Scopes, each with its orders, weakest first.
    pub columns: Vec<(&'f str, Vec<&'f str>)>,
    /// Shapes with their cells; a cell for each order of each scope.
    pub rows: Vec<(&'f str, Vec<Option<Cell<'a, 'f>>>)>,
}

impl<'a, 'f> Heat<'a, 'f> {
    /// The map of all cases that have a shape and ran.
    pub fn of(cases: &'f [CaseFacts<'a>]) -> Heat<'a, 'f> {
        let placed = || {
            cases.iter().filter_map(|case| {
                let annotation = case.about?.annotation.as_ref()?;
                case.target.as_ref().map(|_| (annotation, case))
            })
        };
        let mut columns: BTreeSet<(&str, u32, &str)> = BTreeSet::new();
        let mut shapes: BTreeSet<(u32, &str)> = BTreeSet::new();
        let mut tests: BTreeMap<(&str, &str, &str), Vec<&'f CaseFacts<'a>>> = BTreeMap::new();
        for (annotation, case) in placed() {
            columns.insert((&annotation.scopes, annotation.strength, &annotation.orders));
            shapes.insert((annotation.rank, &annotation.shape));
            let place = (
                annotation.shape.as_str(),
                annotation.scopes.as_str(),
                annotation.orders.as_str(),
            );
            tests.entry(place).or_default().push(case);
        }
        let rows = shapes
            .iter()
            .map(|(_, shape)| {
                let cell = |(scopes, _, orders): &(&'f str, u32, &'f str)| {
                    tests.remove(&(*shape, *scopes, *orders)).map(Cell::of)
                };
                (*shape, columns.iter().map(cell).collect())
            })
            .collect();
        let mut heads: Vec<(&str, Vec<&str>)> = Vec::new();
        for (scopes, _, orders) in &columns {
            match heads.last_mut() {
                Some((last, under)) if last == scopes => under.push(orders),
                Some(_) | None => heads.push((scopes, vec![orders])),
            }
        }
        Heat {
            columns: heads,
            rows,
        }
    }
}

impl<'a, 'f> Cell<'a, 'f> {
    fn of(mut tests: Vec<&'f CaseFacts<'a>>) -> Cell<'a, 'f> {
        let rate = |case: &CaseFacts<'_>| case.target.as_ref().map_or(0.0, |target| target.rate());
        let bound = |case: &&CaseFacts<'_>| case.target.as_ref().and_then(|target| target.bound());
        tests.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        let largest = tests.first().map_or(0.0, |case| rate(case));
        let is_forbidden = |case: &CaseFacts<'_>| {
            case.about.and_then(|about| about.expected) == Some(Expected::Forbidden)
        };
        Cell {
            rate: largest,
            bound: (largest == 0.0)
                .then(|| tests.iter().filter_map(bound).max_by(f64::total_cmp))
                .flatten(),
            broken: tests
                .iter()
                .any(|case| is_forbidden(case) && rate(case) > 0.0),
            forbidden: tests.iter().all(|case| is_forbidden(case)),
            tests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::{About, Annotation};
    use super::*;
    use crate::tests::sample;

    fn about(shape: &str, orders: &str, expected: Expected) -> About {
        About {
            annotation: Some(Annotation {
                shape: shape.into(),
                scopes: "device".into(),
                orders: orders.into(),
                rank: shape.len() as u32,
                strength: orders.len() as u32,
            }),
            expected: Some(expected),
            ..About::default()
        }
    }

    #[test]
    fn tests_meet_where_their_shape_and_dress_do() {
        let results = [
            sample::message_passing(),
            sample::store_buffering(),
            sample::coherence_failure(),
            sample::skipped(),
        ];
        let about = [
            about("MP", "release acquire", Expected::Forbidden),
            about("MP", "relaxed", Expected::Weak),
            about("MP", "release acquire", Expected::Forbidden),
            about("SB", "relaxed", Expected::Weak),
        ];
        let cases: Vec<CaseFacts<'_>> = results
            .iter()
            .zip(&about)
            .map(|(result, about)| CaseFacts::new(result, Some(about)))
            .collect();
        let heat = Heat::of(&cases);
        assert_eq!(
            heat.columns,
            [("device", vec!["relaxed", "release acquire"])]
        );
        assert_eq!(heat.rows.len(), 1, "what did not run is not in the map");
        let (shape, cells) = &heat.rows[0];
        assert_eq!((*shape, cells.len()), ("MP", 2));
        let weak = cells[0].as_ref().expect("a test");
        assert!(!weak.forbidden && !weak.broken && weak.rate > 1e-4 && weak.bound.is_none());
        let strong = cells[1].as_ref().expect("two tests");
        assert!(strong.forbidden && strong.broken && strong.tests.len() == 2);
        assert_eq!(strong.rate, 1e-6, "the larger of both");
        let never = Heat::of(&cases[..1]);
        let cell = never.rows[0].1[0].as_ref().expect("a test");
        assert!(cell.rate == 0.0 && !cell.broken && cell.bound.is_some());
    }
}
