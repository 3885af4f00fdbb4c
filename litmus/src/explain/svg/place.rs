//! Where events go: threads are columns, rows are program order, initial values are above, between
//! the headings and the events, so that no arrow from them has a heading in its way.

use super::geometry::{Point, Rect};
use super::{LABEL, SMALL, text_width};
use crate::explain::graph::{Drawing, Strand};
use crate::explain::label::Node;

const HEIGHT: f64 = 46.0;
const INITIAL_HEIGHT: f64 = 30.0;
const ROW: f64 = 112.0;
const GAP: f64 = 110.0;
/// The middle of initial values.
const INITIAL_Y: f64 = 62.0;
const INITIAL_GAP: f64 = 36.0;

/// Where everything is.
pub(super) struct Placed {
    /// The box of each event.
    pub boxes: Vec<Rect>,
    /// The middle of each thread's heading.
    pub headings: Vec<Point>,
    /// Room that headings take.
    pub heading_boxes: Vec<Rect>,
}

impl Placed {
    /// The smallest rectangle around boxes and headings.
    pub fn bounds(&self) -> Rect {
        let mut all = self.boxes.iter().chain(&self.heading_boxes);
        let mut bounds = match all.next() {
            Some(first) => *first,
            None => Rect::around(Point::new(0.0, 0.0), 0.0, 0.0),
        };
        all.for_each(|r| bounds.join(*r));
        bounds
    }
}

pub(super) fn place(drawing: &Drawing) -> Placed {
    let nowhere = Rect::around(Point::new(0.0, 0.0), 0.0, 0.0);
    let mut boxes = vec![nowhere; drawing.nodes.len()];
    let mut headings = Vec::new();
    let mut heading_boxes = Vec::new();
    let first_row = match drawing.initial.is_empty() {
        true => 60.0,
        false => INITIAL_Y + 96.0,
    };
    let mut left = 0.0;
    for column in &drawing.columns {
        let heading = text_width(&column.place, SMALL).max(text_width(&column.name, LABEL));
        let width = column
            .events
            .iter()
            .map(|e| width(&drawing.nodes[*e]))
            .fold(heading, f64::max);
        let x = left + width / 2.0;
        headings.push(Point::new(x, 0.0));
        heading_boxes.push(Rect::around(Point::new(x, 4.0), heading, 40.0));
        for (row, event) in column.events.iter().enumerate() {
            let y = first_row + row as f64 * ROW;
            boxes[*event] = Rect::around(Point::new(x, y), width, HEIGHT);
        }
        left += width + GAP;
    }
    let middle = (left - GAP).max(0.0) / 2.0;
    initial(drawing, middle, &mut boxes);
    Placed {
        boxes,
        headings,
        heading_boxes,
    }
}

/// Initial values go in one row, in the order of the events that read them.
fn initial(drawing: &Drawing, middle: f64, boxes: &mut [Rect]) {
    let wanted = |event: usize| {
        let xs: Vec<f64> = drawing
            .arrows
            .iter()
            .filter(|a| a.from == event && a.strand == Strand::ReadsFrom)
            .map(|a| boxes[a.to].middle().x)
            .collect();
        match xs.len() {
            0 => middle,
            n => xs.iter().sum::<f64>() / n as f64,
        }
    };
    let mut order: Vec<(f64, usize)> = drawing.initial.iter().map(|e| (wanted(*e), *e)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let widths: Vec<f64> = order
        .iter()
        .map(|(_, e)| width(&drawing.nodes[*e]))
        .collect();
    let total: f64 =
        widths.iter().sum::<f64>() + INITIAL_GAP * widths.len().saturating_sub(1) as f64;
    // As near to what is wanted as the neighbour to the left allows, then moved together to where
    // they are wanted on average, and back over the columns.
    let mut at = f64::NEG_INFINITY;
    let mut xs = Vec::new();
    for ((wish, _), width) in order.iter().zip(&widths) {
        let x = wish.max(at + width / 2.0);
        at = x + width / 2.0 + INITIAL_GAP;
        xs.push(x);
    }
    let count = order.len().max(1) as f64;
    let wishes: f64 = order.iter().map(|(wish, _)| wish).sum();
    let mean = (xs.iter().sum::<f64>() - wishes) / count;
    let right = at - INITIAL_GAP;
    let over = mean.max(right - (middle * 2.0).max(total));
    for (((_, event), width), x) in order.iter().zip(&widths).zip(xs) {
        let height = match drawing.nodes[*event].detail.as_str() {
            "" => INITIAL_HEIGHT,
            _ => HEIGHT,
        };
        boxes[*event] = Rect::around(Point::new(x - over, INITIAL_Y), *width, height);
    }
}

fn width(node: &Node) -> f64 {
    text_width(&node.title(), LABEL).max(text_width(&node.detail, SMALL)) + 22.0
}
