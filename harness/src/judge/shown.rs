//! Outcomes that show a freedom, and how often launches showed it.

use classay_reports::record::{Freedom, FreedomCount, Launch, Outcome, OutcomeCount};

/// A freedom that instances of a test could show, and the outcomes that occurred and do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownBy {
    /// The freedom.
    pub freedom: Freedom,
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
}

impl ShownBy {
    /// Counts the freedoms in a launch, in place of those that it has. An instance that did not come to its
    /// end could not show one.
    pub fn count(freedoms: &[ShownBy], launch: &mut Launch) {
        let whole = |o: &&OutcomeCount| o.outcome.state().is_some();
        let sum = |counts: &mut dyn Iterator<Item = &OutcomeCount>| {
            counts.fold(0u64, |sum, o| sum.saturating_add(o.count))
        };
        let of = sum(&mut launch.outcomes.iter().filter(whole));
        for shown in freedoms.iter().filter(|_| of > 0) {
            let shows = |o: &&OutcomeCount| shown.outcomes.contains(&o.outcome);
            let count = FreedomCount {
                freedom: shown.freedom,
                seen: sum(&mut launch.outcomes.iter().filter(shows)),
                of,
            };
            launch
                .freedoms
                .retain(|known| known.freedom != count.freedom);
            launch.freedoms.push(count);
        }
        launch.freedoms.sort_by_key(|count| count.freedom);
    }
}
