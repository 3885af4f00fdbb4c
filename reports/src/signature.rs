//! What failures show, so that those that show the same stand together.

use crate::record::{CaseResult, Outcome, RuleId, Verdict, Violation};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a failure shows: which rules are broken and how; or, where no rule is, how cases of a kind ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// The rules, of which one is broken; none where the worker crashed or did not answer.
    pub rules: Vec<RuleId>,
    /// The kind of the cases, where there are no rules.
    pub kind: Option<String>,
    /// What the first of the cases shows, in words.
    pub what: String,
}

/// Signatures with the same key are the same, whatever numbers are in their words.
type Key = (Vec<RuleId>, Option<String>, String);

impl Signature {
    /// What a violation shows.
    pub fn violation(violation: &Violation) -> Signature {
        Signature {
            rules: violation.rules.clone(),
            kind: None,
            what: violation.what.clone(),
        }
    }

    /// What a failed case shows, each once: its violations, and how it ended where it was not by them.
    pub fn all(result: &CaseResult) -> Vec<Signature> {
        if !result.verdict.is_failure() {
            return Vec::new();
        }
        let mut all: BTreeMap<Key, Signature> = BTreeMap::new();
        for violation in &result.violations {
            let signature = Signature::violation(violation);
            all.entry(signature.key()).or_insert(signature);
        }
        let is_violation = result.verdict == Verdict::Fail;
        if !is_violation || all.is_empty() {
            let ended = Signature {
                rules: Vec::new(),
                kind: Some(result.case.kind().to_owned()),
                what: result.reason.clone(),
            };
            all.insert(ended.key(), ended);
        }
        all.into_values().collect()
    }

    /// The one that counts most: how a worker ended, else the first violation.
    pub fn first(result: &CaseResult) -> Option<Signature> {
        let mut all = Signature::all(result);
        let ended = all.iter().position(|signature| signature.kind.is_some());
        match (ended, result.violations.first()) {
            (Some(place), _) => Some(all.swap_remove(place)),
            (None, Some(violation)) => Some(Signature::violation(violation)),
            (None, None) => None,
        }
    }

    /// Whether one rule may be what both break, or neither names any. Which of a command's rules an outcome may break
    /// depends on what stands beside the command in its program.
    pub fn may_break_what(&self, other: &Signature) -> bool {
        (self.rules.is_empty() && other.rules.is_empty())
            || self.rules.iter().any(|rule| other.rules.contains(rule))
    }

    /// What makes it one with others that [may break what](Self::may_break_what) it breaks: how cases of a kind ended, and
    /// the words without numbers.
    pub fn words(&self) -> (Option<String>, String) {
        (
            self.kind.clone(),
            without_numbers(&without_texts(&self.what)),
        )
    }

    /// Whether an outcome shows it.
    pub fn is_shown_by(&self, outcome: &Outcome) -> bool {
        let violation = outcome.violation().map(Signature::violation);
        violation.is_some_and(|shown| shown.words() == self.words() && shown.may_break_what(self))
    }

    /// What makes it equal to another: its words without the numbers that differ from program to program.
    /// Numbers below zero are codes of errors, and stay.
    pub fn key(&self) -> Key {
        let (kind, what) = self.words();
        (self.rules.clone(), kind, what)
    }
}

/// A sentence without what stands between its first quotation mark and its last: texts that a kernel printed or a query
/// answered, which may be others each time.
fn without_texts(sentence: &str) -> String {
    match (sentence.find('"'), sentence.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}{}", &sentence[..=first], &sentence[last..])
        }
        _ => sentence.to_owned(),
    }
}

/// A text with `#` for each number that is not below zero, and for each list of them.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let in_a_word = last.is_ascii_alphanumeric() || last == '_';
        if !c.is_ascii_digit() || in_a_word {
            out.push(c);
            last = c;
            continue;
        }
        let is_code = last == '-';
        let mut number = String::from(c);
        while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '.') {
            number.push(c);
        }
        // The end of a sentence is none of a number.
        let stop = number.ends_with('.');
        match is_code {
            true => out.push_str(number.trim_end_matches('.')),
            false if out.ends_with("#, ") => out.truncate(out.len() - 2),
            false => out.push('#'),
        }
        if stop {
            out.push('.');
        }
        last = '#';
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_program_do_not_count_and_codes_do() {
        for (text, key) in [
            (
                "command 12 came before command 0",
                "command # came before command #",
            ),
            (
                "clEnqueueFillBuffer gives 0, not error -30",
                "clEnqueueFillBuffer gives #, not error -30",
            ),
            ("no sign of life for 12.5 s.", "no sign of life for # s."),
            ("words 1, 2, 3 are 0x1f", "words # are #"),
            ("uint16 of x_12", "uint16 of x_12"),
        ] {
            assert_eq!(without_numbers(text), key, "{text}");
        }
    }

    #[test]
    fn texts_that_were_printed_do_not_count() {
        let printed = |text: &str| without_texts(&format!("line 1 is \"{text}\", not \"1\""));
        assert_eq!(printed("nan,0.5"), printed("a \"b\" c"));
        assert_eq!(printed("x"), "line 1 is \"\"");
        for plain in ["gives 0, not error -30", "one \" alone"] {
            assert_eq!(without_texts(plain), plain);
        }
    }
}
