//! What a device did though the model forbids it, drawn: for reports, long after the run.

use super::verdict::Asked;
use super::{ChosenModel, outcome};
use classay_litmus::explain::Report;
use classay_litmus::oracle::Explanation;
use classay_litmus::syntax;
use classay_reports::record::OutcomeCount;

/// The most frequent outcomes that the model forbids, at most so many, each with its explanation. None for a
/// test that the model does not judge, and none where that takes too long.
pub fn forbidden(
    source: &str,
    histogram: &[OutcomeCount],
    chosen: &ChosenModel,
    most: usize,
) -> Vec<(String, Report)> {
    let Ok(program) = syntax::read_litmus("the case", source) else {
        return Vec::new();
    };
    let asked = Asked::new(program, chosen);
    let Ok(allowed) = asked.allowed() else {
        return Vec::new();
    };
    if allowed.racy || allowed.bounded || allowed.outside {
        return Vec::new();
    }
    let mut seen: Vec<&OutcomeCount> = histogram.iter().filter(|o| o.count > 0).collect();
    seen.sort_by_key(|o| std::cmp::Reverse(o.count));
    seen.into_iter()
        .filter_map(|o| {
            let state = outcome::state(&asked.program, &asked.observables, &o.outcome)?;
            (!allowed.states.contains(&state)).then_some((o, state))
        })
        .take(most)
        .filter_map(|(o, state)| {
            let report = asked.report(&state)?;
            match report.explanation {
                Explanation::Forbidden(_) => Some((o.outcome.clone(), report)),
                Explanation::Allowed(_) | Explanation::Impossible => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden_is_drawn_and_what_is_allowed_is_not() {
        let (_, source) = classay_litmus::shipped()
            .iter()
            .find(|(name, _)| name.trim_end_matches(".litmus") == "MP+rel+acq")
            .expect("a shipped test");
        let model = ChosenModel::load("opencl-3.0").expect("the model");
        let seen = |outcome: &str, count| OutcomeCount {
            outcome: outcome.into(),
            count,
            asked: false,
        };
        let histogram = [seen("1:r0=1 1:r1=0", 3), seen("1:r0=1 1:r1=1", 9)];
        let drawn = forbidden(source, &histogram, &model, 2);
        assert_eq!(drawn.len(), 1);
        assert_eq!(drawn[0].0, "1:r0=1 1:r1=0");
        let picture = classay_litmus::explain::svg(&drawn[0].1).expect("a picture");
        // A page that is read in the dark has another colour for each of the picture's.
        let style = include_str!("../../../reports/templates/style.css");
        let (_, dark) = style
            .rsplit_once("prefers-color-scheme:dark")
            .expect("dark");
        let colours = picture
            .split(['<', ' ', '>', '/'])
            .filter(|word| word.starts_with("fill=\"#") || word.starts_with("stroke=\"#"));
        let missing: Vec<&str> = colours.filter(|c| !dark.contains(c)).collect();
        assert_eq!(missing, [""; 0]);
        assert!(forbidden(source, &histogram[1..], &model, 2).is_empty());
        assert!(forbidden("no test", &histogram, &model, 2).is_empty());
    }
}
