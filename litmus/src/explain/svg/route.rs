//! How arrows go: each is a curve bent by one of a few amounts, with its label at one of a few
//! places, whichever meets least of the boxes, curves and labels that are there before it.
//!
//! Arrows within a thread come first, then those of the failing cycle, then the others; so what
//! matters most is straightest.

use super::geometry::{Point, Rect, on_curve, quadratic};
use super::place::Placed;
use super::{LABEL_LINE, SMALL, label_lines, text_width};
use crate::explain::graph::{Arrow, Drawing, Strand};

/// Where an arrow goes.
#[derive(Clone)]
pub(super) struct Route {
    /// A cubic curve: begin, two controls, end.
    pub curve: [Point; 4],
    /// Points along it.
    pub points: Vec<Point>,
    /// The label's room.
    pub label: Rect,
}

const BENDS: [f64; 21] = [
    0.0, 30.0, -30.0, 60.0, -60.0, 95.0, -95.0, 135.0, -135.0, 180.0, -180.0, 230.0, -230.0, 300.0,
    -300.0, 390.0, -390.0, 500.0, -500.0, 640.0, -640.0,
];
const PLACES: [f64; 13] = [
    0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.27, 0.73, 0.22, 0.78, 0.17, 0.83,
];
const SAMPLES: usize = 24;
/// What outweighs everything else: something that cannot be read.
const HIDDEN: f64 = 2000.0;
/// For each point that makes a heading hard to read.
const HEADING: f64 = 250.0;
const LABEL_HEIGHT: f64 = 17.0;

/// The routes of a drawing's arrows, in their order.
pub(super) fn route(drawing: &Drawing, placed: &Placed) -> Vec<Route> {
    let mut order: Vec<usize> = (0..drawing.arrows.len()).collect();
    order.sort_by_key(|i| {
        let arrow = &drawing.arrows[*i];
        (arrow.strand != Strand::Program, !arrow.in_cycle, *i)
    });
    let mut done: Vec<Option<Route>> = vec![None; drawing.arrows.len()];
    for index in order {
        let before: Vec<&Route> = done.iter().flatten().collect();
        let route = best(&drawing.arrows[index], placed, &before);
        done[index] = Some(route);
    }
    done.into_iter().flatten().collect()
}

fn best(arrow: &Arrow, placed: &Placed, before: &[&Route]) -> Route {
    let lines = label_lines(&arrow.label);
    let widths = lines.iter().map(|line| text_width(line, SMALL));
    let width = widths.fold(0.0, f64::max) + 8.0;
    let height = LABEL_HEIGHT + (lines.len() as f64 - 1.0) * LABEL_LINE;
    let mut best: Option<(f64, Route)> = None;
    let bends = BENDS.map(|bend| (bend.abs() * 0.12, bent(arrow, placed, bend)));
    let ways = bends.into_iter().chain(between(arrow, placed));
    for (effort, curve) in ways {
        let points: Vec<Point> = (0..=SAMPLES)
            .map(|i| on_curve(curve, i as f64 / SAMPLES as f64))
            .collect();
        let way = cost(arrow, placed, before, &points) + effort;
        if best.as_ref().is_some_and(|(cost, _)| *cost <= way) {
            continue;
        }
        for (rank, place) in PLACES.iter().enumerate() {
            let at = on_curve(curve, *place);
            let label = Rect::around(at, width, height);
            let cost = way + rank as f64 * 0.6 + label_cost(&label, placed, before);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                let route = Route {
                    curve,
                    points: points.clone(),
                    label,
                };
                best = Some((cost, route));
            }
        }
    }
    match best {
        Some((_, route)) => route,
        // No bend has a cost that is a number: the straight one.
        None => {
            let curve = bent(arrow, placed, 0.0);
            Route {
                curve,
                points: curve.to_vec(),
                label: Rect::around(on_curve(curve, 0.5), width, height),
            }
        }
    }
}

/// The curve whose control point is so far beside the middle.
fn bent(arrow: &Arrow, placed: &Placed, bend: f64) -> [Point; 4] {
    let (from, to) = (&placed.boxes[arrow.from], &placed.boxes[arrow.to]);
    let (a, b) = (from.middle(), to.middle());
    if arrow.from == arrow.to {
        let side = |dx: f64, dy: f64| Point::new(from.right + dx, a.y + dy);
        let far = side(80.0 + bend.abs(), 0.0);
        return quadratic(side(0.0, -10.0), far, side(4.0, 10.0));
    }
    let way = b - a;
    let length = way.length().max(1.0);
    let control = (a + b) * 0.5 + way.turned() * (bend / length);
    // A straight line points at the other box, a bent one at its control point.
    let (begin, end) = if bend == 0.0 {
        (from.border(b), to.grown(4.0).border(a))
    } else {
        (from.border(control), to.grown(4.0).border(control))
    };
    quadratic(begin, control, end)
}

/// Curves that leave and arrive sideways, and rise or fall in the gap beside the one box or the
/// other, with what each costs for being less direct.
fn between(arrow: &Arrow, placed: &Placed) -> Vec<(f64, [Point; 4])> {
    let (from, to) = (&placed.boxes[arrow.from], &placed.boxes[arrow.to]);
    let (a, b) = (from.middle(), to.middle());
    let (begin, end) = if from.right < to.left {
        (from.right, to.left - 4.0)
    } else if to.right < from.left {
        (from.left, to.right + 4.0)
    } else {
        return Vec::new();
    };
    let side = (end - begin).signum();
    let mut ways = Vec::new();
    for out in [50.0, 35.0, 65.0, 20.0, 80.0] {
        for x in [begin + side * out, end - side * out] {
            let curve = [
                Point::new(begin, a.y),
                Point::new(x, a.y),
                Point::new(x, b.y),
                Point::new(end, b.y),
            ];
            ways.push((25.0 + (out - 50.0).abs() * 0.1, curve));
        }
    }
    ways
}

fn cost(arrow: &Arrow, placed: &Placed, before: &[&Route], points: &[Point]) -> f64 {
    let mut cost = 0.0;
    for (event, rect) in placed.boxes.iter().enumerate() {
        let inside = |rect: &Rect| points.iter().filter(|p| rect.contains(**p)).count() as f64;
        // The ends of an arrow are at its own boxes, the rest of it is not.
        if event == arrow.from || event == arrow.to {
            cost += 60.0 * inside(rect);
        } else {
            cost += 60.0 * inside(&rect.grown(7.0)) + HIDDEN * inside(rect);
        }
    }
    for rect in &placed.heading_boxes {
        let around = rect.grown(3.0);
        let inside = points.iter().filter(|p| around.contains(**p)).count();
        cost += HEADING * inside as f64;
    }
    for other in before {
        let near = |p: &Point| other.points.iter().any(|q| (*p - *q).length() < 7.0);
        let count = points.iter().filter(|p| near(p)).count();
        // Two curves may cross, but not run together.
        cost += if count <= 1 { 4.0 } else { 24.0 } * count as f64;
        let label = other.label.grown(2.0);
        cost += 30.0 * points.iter().filter(|p| label.contains(**p)).count() as f64;
    }
    cost
}

fn label_cost(label: &Rect, placed: &Placed, before: &[&Route]) -> f64 {
    let around = label.grown(3.0);
    let boxes = placed.boxes.iter().chain(&placed.heading_boxes);
    let mut cost = HIDDEN * boxes.filter(|r| r.meets(&around)).count() as f64;
    for other in before {
        if other.label.meets(&around) {
            cost += HIDDEN;
        }
        cost += 25.0 * other.points.iter().filter(|p| around.contains(**p)).count() as f64;
    }
    cost
}
