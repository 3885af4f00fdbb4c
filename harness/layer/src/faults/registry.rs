//! The list of faults, for people (`CLASSAY_LAYER_FAULTS=list`).

use super::spoof;
use classay_faults::Carrier;
use std::fmt::Write;

/// What can happen in a call, and when; each form with the promise that it breaks and where it applies.
const FORMS: &str = include_str!("listing.txt");

/// The list as text.
pub(crate) fn listing() -> String {
    let mut text = FORMS.to_owned();
    spoof::listing(&mut text);
    text.push_str("named faults, NAME[:WHEN], every call if WHEN is not said:\n");
    let named = classay_faults::all()
        .filter(|entry| matches!(entry.carrier, Carrier::Call(_) | Carrier::Source(_)));
    for entry in named {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}", entry.id);
        let _ = writeln!(text, "      breaks:  {}", entry.sentence);
        let rules: Vec<_> = entry.rules().collect();
        let _ = writeln!(text, "      rules:   {}", rules.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::grammar::{CORRUPTIBLE, SKIPPABLE, parse};

    /// The listed forms, each with where it applies.
    fn listed() -> Vec<(&'static str, &'static str)> {
        let lines: Vec<&str> = FORMS
            .lines()
            .filter(|line| line.starts_with("  "))
            .collect();
        let rows = lines.chunks_exact(3).map_while(|rows| {
            let applies = rows[2].trim().strip_prefix("applies: ")?;
            Some((rows[0].trim(), applies))
        });
        rows.collect()
    }

    #[test]
    fn every_listed_form_is_taken_by_the_grammar_where_it_applies() {
        assert_eq!(listed().len(), 16);
        for (form, applies) in listed() {
            let function = applies
                .split([',', ' '])
                .find(|word| word.starts_with("cl") && *word != "clEnqueue" && word.len() > 2)
                .unwrap_or("clEnqueueNDRangeKernel");
            let setting = form
                .replace("FUNCTION", function)
                .replace("[:WHEN]", ":2")
                .replace("error=CODE", "error=-1")
                .replace("CODE", "3")
                .replace("MILLISECONDS", "9")
                .replace("CLAIM", "no-svm");
            assert!(parse(&setting).is_ok(), "{setting}: {:?}", parse(&setting));
        }
    }

    #[test]
    fn the_list_says_where_skip_and_corrupt_apply() {
        let applies = |form: &str| {
            let mut listed = listed().into_iter();
            listed.find_map(|(known, applies)| known.starts_with(form).then_some(applies))
        };
        assert_eq!(applies("skip@"), Some(SKIPPABLE.join(", ").as_str()));
        assert_eq!(applies("corrupt@"), Some(CORRUPTIBLE.join(", ").as_str()));
    }
}
