//! The parts in which a case is played whose calls must be refused.
//!
//! A call that is let through may have done anything to what the calls behind it need, and one that ends the process
//! takes everything with it. So the calls behind such a one are played as a part of their own, with new objects: after
//! a call that was let through by the next run, after one that ended the process by the next process. Few calls are a
//! part in any case, so that what is made anew is what these few need: some of it takes a compiler.

use crate::worker::whereabouts::Left;
use std::ops::Range;

/// Calls of a part at most.
const PART: usize = 8;

/// What is played of a case, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The calls that are played.
    pub now: Range<usize>,
    left: Vec<Range<usize>>,
    /// What this process has to play.
    all: Vec<Range<usize>>,
}

impl Parts {
    /// The parts of so many calls, or of those that another process left; none where it left nothing.
    pub fn new(calls: usize, left: Option<Left>) -> Option<Parts> {
        let wholes = match left {
            None => std::iter::once(0..calls).collect::<Vec<_>>(),
            Some(Left { from, without }) => {
                let [from, without] = [from, without].map(|n| n as usize);
                vec![from..without, without + 1..calls]
            }
        };
        let all: Vec<Range<usize>> = wholes
            .into_iter()
            .flat_map(|whole| {
                let begins = whole.clone().step_by(PART);
                begins.map(move |begin| begin..whole.end.min(begin + PART))
            })
            .collect();
        let mut left = all.clone();
        (!left.is_empty()).then(|| Parts {
            now: left.remove(0),
            left,
            all,
        })
    }

    /// Goes on to the next part, behind a call of this one that was let through; from the beginning where there is none.
    /// Whether there was one.
    pub fn go_on(&mut self, let_through: Option<usize>) -> bool {
        if let Some(through) = let_through {
            let behind = self.now.start + through + 1..self.now.end;
            if !behind.is_empty() {
                self.left.insert(0, behind);
            }
        }
        let goes_on = !self.left.is_empty();
        if !goes_on {
            self.left.clone_from(&self.all);
        }
        self.now = self.left.remove(0);
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_behind_one_that_was_let_through_come_next() {
        let mut parts = Parts::new(10, None).expect("calls");
        assert_eq!(parts.now, 0..8);
        assert!(parts.go_on(Some(3)));
        assert_eq!(parts.now, 4..8);
        assert!(parts.go_on(Some(3)));
        assert_eq!(parts.now, 8..10);
        assert!(parts.go_on(Some(0)));
        assert_eq!(parts.now, 9..10);
        assert!(!parts.go_on(None));
        assert_eq!(parts.now, 0..8);
        assert!(parts.go_on(None));
        assert_eq!(parts.now, 8..10);
        assert!(!parts.go_on(Some(1)));
        assert_eq!(parts.now, 0..8);
    }

    #[test]
    fn what_a_process_left_is_played_without_the_call_that_ended_it() {
        let left = |from, without| Some(Left { from, without });
        let mut parts = Parts::new(10, left(2, 5)).expect("calls");
        assert_eq!(parts.now, 2..5);
        assert!(parts.go_on(Some(1)));
        assert_eq!(parts.now, 4..5);
        assert!(parts.go_on(None));
        assert_eq!(parts.now, 6..10);
        assert!(!parts.go_on(None));
        assert_eq!(parts.now, 2..5);
        assert_eq!(Parts::new(10, left(9, 9)), None);
        let last = Parts::new(10, left(4, 9)).expect("calls");
        assert_eq!((last.now, last.left), (4..9, vec![]));
        let first = Parts::new(10, left(0, 0)).expect("calls");
        assert_eq!(first.now, 1..9);
        assert_eq!(first.left.first(), Some(&(9..10)));
        assert_eq!(first.left.len(), 1);
    }
}
