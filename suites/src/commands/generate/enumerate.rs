//! Lists the small programs: every order among up to [`MOST`] kernels over two queues of either kind,
//! with each idiom for the edges.
//!
//! A shape is a number of commands, for each command the earlier ones that it must directly follow
//! (no edge that others imply), its queue, the kinds of the queues, and the idiom. The first command
//! is in the first queue: the other half would only rename the queues. What a shape leaves open, such
//! as cells and how long gates stay closed, is drawn from the shape's own number, so that a number
//! names the same program for ever.

use super::profile::Idiom;
use std::sync::OnceLock;

/// Most commands of a small program, beside those that order them.
pub const MOST: usize = 4;

/// A small program's shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Whether each of the two queues is out of order.
    pub out_of_order: [bool; 2],
    /// The queue of each command, 0 or 1; the first is 0.
    pub queues: Vec<u8>,
    /// For each command those that it directly follows.
    pub after: Vec<Vec<usize>>,
    /// How; `None` where nothing follows anything.
    pub idiom: Option<Idiom>,
}

/// Every shape, in a fixed order, smaller ones first.
pub fn shapes() -> &'static [Shape] {
    static ALL: OnceLock<Vec<Shape>> = OnceLock::new();
    ALL.get_or_init(|| (1..=MOST).flat_map(of_size).collect())
}

fn of_size(n: usize) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for after in orders(n) {
        let idioms: Vec<Option<Idiom>> = if after.iter().all(Vec::is_empty) {
            vec![None]
        } else {
            Idiom::ALL.into_iter().map(Some).collect()
        };
        for kinds in 0..4_u8 {
            for assignment in 0..1_u32 << (n - 1) {
                for idiom in &idioms {
                    shapes.push(Shape {
                        out_of_order: [kinds & 1 != 0, kinds & 2 != 0],
                        queues: (0..n).map(|c| (assignment << 1 >> c & 1) as u8).collect(),
                        after: after.clone(),
                        idiom: *idiom,
                    });
                }
            }
        }
    }
    shapes
}

/// Every order among n commands, each a list of what each directly follows.
fn orders(n: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for c in 0..n {
        let mut more = Vec::new();
        for order in &all {
            for set in 0..1_u32 << c {
                let direct: Vec<usize> = (0..c).filter(|d| set >> d & 1 == 1).collect();
                // None of them may follow another: the edge to the earlier would be implied.
                let implied = direct
                    .iter()
                    .any(|&d| direct.iter().any(|&e| e != d && follows(order, e, d)));
                if !implied {
                    let mut order = order.clone();
                    order.push(direct);
                    more.push(order);
                }
            }
        }
        all = more;
    }
    all
}

/// Whether `later` follows `earlier`, directly or not.
fn follows(order: &[Vec<usize>], later: usize, earlier: usize) -> bool {
    order[later]
        .iter()
        .any(|&d| d == earlier || follows(order, d, earlier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_the_naturally_labelled_ones() {
        // The number of partial orders on 1..n whose order agrees with that of the labels
        // (the sequence 1, 2, 7, 40 of the On-Line Encyclopedia of Integer Sequences, A006455).
        let counts: Vec<usize> = (1..=4).map(|n| orders(n).len()).collect();
        assert_eq!(counts, [1, 2, 7, 40]);
    }
}
