//! How often weak outcomes were seen in each version.

use super::Version;
use super::step::Step;
use crate::record::CaseId;
use crate::report::{CaseFacts, OutcomeFacts};
use std::collections::BTreeSet;

/// The target outcome of a litmus test over the versions.
#[derive(Debug, Clone)]
pub struct Rates {
    /// The case.
    pub case: CaseId,
    /// What to call it.
    pub test: String,
    /// What each version shows; `None` where it was not run, or was another program.
    pub points: Vec<Option<OutcomeFacts>>,
    /// The places, from 1, of versions in which an outcome of it became more or less frequent than in the version
    /// before.
    pub changed: BTreeSet<usize>,
}

impl Rates {
    /// The largest rate.
    fn most(&self) -> f64 {
        let seen = self.points.iter().flatten();
        seen.map(OutcomeFacts::rate).fold(0.0, f64::max)
    }
}

/// The tests whose weak outcome some version shows: those that changed first, then the most frequent.
pub fn rates(
    versions: &[Version],
    steps: &[Step],
    weak: &BTreeSet<CaseId>,
    false_discovery: f64,
) -> Vec<Rates> {
    let Some(last) = versions.last() else {
        return Vec::new();
    };
    let content = last.about();
    let plans: Vec<_> = versions.iter().map(Version::about).collect();
    let mut all: Vec<Rates> = weak
        .iter()
        .filter_map(|case| {
            let content = &content.get(case)?.content;
            let mut test = String::new();
            let points: Vec<Option<OutcomeFacts>> = versions
                .iter()
                .zip(&plans)
                .map(|(version, plan)| {
                    let same = plan.get(case)?.content == *content;
                    let result = version.results.iter().find(|r| r.case == *case && same)?;
                    test = result.name().to_owned();
                    CaseFacts::new(result, None).target
                })
                .collect();
            let seen = points.iter().flatten().any(|point| point.all.count > 0);
            let differs =
                |step: &&Step| step.found.changed(false_discovery).any(|c| c.case == *case);
            let changed = steps
                .iter()
                .filter(differs)
                .map(|step| step.from + 1)
                .collect();
            seen.then(|| Rates {
                case: case.clone(),
                test,
                points,
                changed,
            })
        })
        .collect();
    all.sort_by(|a, b| {
        let changed = b.changed.len().cmp(&a.changed.len());
        changed.then(b.most().total_cmp(&a.most()))
    });
    all
}
