//! What a device did though every reading of the model forbids it, drawn: for reports, long after the run.

use super::ChosenModel;
use super::verdict::{Test, allowed_values};
use classay_litmus::explain::Report;
use classay_litmus::oracle::{Explanation, State};
use classay_litmus::program::Program;
use classay_reports::record::OutcomeCount;
use classay_reports::text::outcome::outcome;

/// The most frequent outcomes that every reading of the model forbids, at most so many, each with its
/// explanation. None for a test that the model does not judge, and none where that takes too long.
pub fn forbidden(
    program: &Program,
    histogram: &[OutcomeCount],
    chosen: &ChosenModel,
    most: usize,
) -> Vec<(String, Report)> {
    let Ok(allowed) = allowed_values(program.clone(), chosen) else {
        return Vec::new();
    };
    let test = Test::new(program.clone(), chosen);
    let mut seen: Vec<&OutcomeCount> = histogram.iter().filter(|o| o.count > 0).collect();
    seen.sort_by_key(|o| std::cmp::Reverse(o.count));
    seen.into_iter()
        .filter_map(|o| {
            let values = o.outcome.state()?.to_vec();
            (!allowed.contains(&values)).then_some((o, State(values)))
        })
        .take(most)
        .filter_map(|(o, state)| {
            let report = test.report(&state)?;
            match report.explanation {
                Explanation::Forbidden(_) => Some((outcome(&o.outcome, &test.recorded), report)),
                Explanation::Allowed(_) | Explanation::Impossible => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::syntax;
    use classay_reports::record::Outcome;

    #[test]
    fn what_is_forbidden_is_drawn_and_what_is_allowed_is_not() {
        let (_, source) = classay_litmus::shipped()
            .iter()
            .find(|(name, _)| name.trim_end_matches(".litmus") == "MP+rel+acq")
            .expect("a shipped test");
        let model = ChosenModel::load("opencl-3.0").expect("the model");
        let program = syntax::read_litmus("MP+rel+acq", source).expect("a program");
        let seen = |values: [i64; 2], count| OutcomeCount {
            outcome: Outcome::State(values.to_vec()),
            count,
            target: false,
        };
        let histogram = [seen([1, 0], 3), seen([1, 1], 9)];
        let drawn = forbidden(&program, &histogram, &model, 2);
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
        assert!(forbidden(&program, &histogram[1..], &model, 2).is_empty());
    }
}
