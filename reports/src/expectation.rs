//! What a device is known to do: files with which a gate compares a run.
//!
//! ```yaml
//! # Only for devices that match; each pattern is optional.
//! device: { platform: "Portable Computing Language", name: "*", driver: "3.1*" }
//! cases:
//!   - case: queue/small/*            # of the whole id; or several: [queue/small/*, queue/random/*]
//!     verdict: fail                  # or several: [fail, pass]
//!     rule: ex.prereq.barrier        # optional: only failures that break it
//!     seen: "command * passed *"     # optional: only failures that say this, or one of a list
//!     reason: A barrier passes an earlier barrier.
//!     link: https://example.com/bugs/1     # optional
//! ```
//!
//! A case that an entry matches must end in one of the entry's verdicts, also where it passes: what
//! fails once in a while is `[fail, pass]` (which a flaky case, that does both, is as well), and what no longer fails
//! at all is reported, so that the list stays true. What was skipped, or is inconclusive or contested, found out nothing of that and is not compared.
//! An entry with a rule, or with what is seen, says nothing of cases that do not break that rule or show that, for it
//! is meant for generated cases: which of them do depends on the seed; and a case with a failure that no entry is
//! meant for fails, whatever else is expected of it. Failures that no entry matches are as unexpected as ever.

use crate::pattern::matches;
use crate::record::{CaseResult, DeviceRecord, RuleId, Verdict, Violation};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The files of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expectations {
    entries: Vec<Expectation>,
    strict: bool,
    /// What is flaky passes.
    lenient: bool,
}

/// What is expected of some cases.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Patterns for ids, of which one fits.
    #[serde(deserialize_with = "patterns")]
    pub case: Vec<String>,
    /// The verdicts that are expected.
    #[serde(deserialize_with = "one_or_more")]
    pub verdict: Vec<Verdict>,
    /// A pattern for a rule that a failure breaks; then other failures are not meant.
    #[serde(default)]
    pub rule: Option<String>,
    /// Patterns for what a failure says, of which one fits: the sentence of a violation, or the reason where there
    /// is none; then other failures are not meant.
    #[serde(default, deserialize_with = "patterns")]
    pub seen: Vec<String>,
    /// Why that is expected, for people.
    pub reason: String,
    /// Where to read more.
    #[serde(default)]
    pub link: Option<String>,
}

/// How a result stands to what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'e> {
    /// Nothing in particular is expected of it.
    Plain,
    /// A failure, a skip or no verdict, and expected.
    Expected(&'e Expectation),
    /// Not what is expected.
    Unexpected(&'e Expectation),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    device: Which,
    cases: Vec<Expectation>,
}

/// Which devices a file is for.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    platform: Option<String>,
    name: Option<String>,
    driver: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(Verdict),
    More(Vec<Verdict>),
}

fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Verdict>, D::Error> {
    use serde::de::Error;
    match OneOrMore::deserialize(from) {
        Ok(OneOrMore::One(verdict)) => Ok(vec![verdict]),
        Ok(OneOrMore::More(verdicts)) if !verdicts.is_empty() => Ok(verdicts),
        Ok(OneOrMore::More(_)) | Err(_) => {
            let names: Vec<&str> = Verdict::ALL.iter().map(|v| v.name()).collect();
            Err(D::Error::custom(format!(
                "a verdict is one or more of {}",
                names.join(", ")
            )))
        }
    }
}

fn patterns<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Patterns {
        One(String),
        More(Vec<String>),
    }
    Ok(match Patterns::deserialize(from)? {
        Patterns::One(pattern) => vec![pattern],
        Patterns::More(patterns) => patterns,
    })
}

impl Expectations {
    /// Adds what a file says, where it is for this device; returns whether it is. The error is a
    /// sentence with the place.
    ///
    /// # Errors
    ///
    /// The text is no list of expectations; the sentence has the place.
    pub fn add(&mut self, text: &str, device: &DeviceRecord) -> Result<bool, String> {
        let file: File = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
        let fits = |pattern: &Option<String>, name: &str| {
            pattern
                .as_ref()
                .is_none_or(|pattern| matches(pattern, name))
        };
        let meant = fits(&file.device.platform, &device.platform)
            && fits(&file.device.name, &device.name)
            && fits(&file.device.driver, &device.driver);
        if meant {
            self.entries.extend(file.cases);
        }
        Ok(meant)
    }

    /// Lets what is contested fail a run, too, or not.
    pub fn be_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Lets what is flaky pass.
    pub fn be_lenient(&mut self, lenient: bool) {
        self.lenient = lenient;
    }

    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How a result stands to what is expected. One entry that is satisfied is enough for each thing
    /// that is wrong: a case that breaks two rules, one of which is known to be broken, is a failure.
    pub fn of(&self, result: &CaseResult) -> Standing<'_> {
        let mut standing = None;
        for failure in failures(result) {
            match (self.of_one(result, failure), standing) {
                (Standing::Plain, _) => return Standing::Plain,
                (Standing::Unexpected(entry), _) => standing = Some(Standing::Unexpected(entry)),
                (Standing::Expected(entry), None) => standing = Some(Standing::Expected(entry)),
                (Standing::Expected(_), Some(_)) => {}
            }
        }
        standing.unwrap_or(Standing::Plain)
    }

    /// How a result stands for one thing that is wrong with it.
    fn of_one(&self, result: &CaseResult, failure: Failure<'_>) -> Standing<'_> {
        let mut unmet = None;
        for entry in self.entries.iter().filter(|e| e.meant_for(result, failure)) {
            if entry.allows(result.verdict) {
                return match result.verdict {
                    Verdict::Pass => Standing::Plain,
                    Verdict::Fail
                    | Verdict::Crash
                    | Verdict::Timeout
                    | Verdict::Flaky
                    | Verdict::Skip
                    | Verdict::Inconclusive
                    | Verdict::Contested => Standing::Expected(entry),
                };
            }
            unmet = unmet.or(Some(entry));
        }
        match result.verdict {
            // Nothing was found out of what is expected.
            Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => Standing::Plain,
            Verdict::Pass | Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => {
                unmet.map_or(Standing::Plain, Standing::Unexpected)
            }
        }
    }

    /// What is wrong with a result and stands in no entry; nothing where nothing is expected at all.
    pub fn news<'r>(&self, result: &'r CaseResult) -> Vec<&'r Violation> {
        let is_new = |violation: &&Violation| {
            let failure = Failure::of(violation);
            !matches!(self.of_one(result, failure), Standing::Expected(_))
        };
        match self.is_empty() {
            true => Vec::new(),
            false => result.violations.iter().filter(is_new).collect(),
        }
    }

    /// What is wrong with a result and stands in no entry, where something else that is wrong with it does: what is known
    /// must not hide it.
    pub fn beside_known<'r>(&self, result: &'r CaseResult) -> Vec<&'r Violation> {
        let new = self.news(result);
        match new.len() < result.violations.len() {
            true => new,
            false => Vec::new(),
        }
    }

    /// Whether a verdict fails a run in which nothing in particular is expected.
    pub fn fails(&self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Contested => self.strict,
            Verdict::Flaky => !self.lenient,
            verdict => verdict.is_failure(),
        }
    }

    /// Whether a result lets a gate pass.
    pub fn passes(&self, result: &CaseResult) -> bool {
        match self.of(result) {
            Standing::Plain => !self.fails(result.verdict),
            Standing::Expected(_) => true,
            Standing::Unexpected(_) => false,
        }
    }

    /// The entries that matched none of these results: the list may be older than the cases, or the
    /// run was of others.
    pub fn idle(&self, results: &[CaseResult]) -> Vec<&Expectation> {
        self.entries
            .iter()
            .filter(|entry| {
                let met = |r: &CaseResult| failures(r).iter().any(|one| entry.meant_for(r, *one));
                !results.iter().any(met)
            })
            .collect()
    }
}

impl Expectation {
    /// Whether a verdict is one of those expected; flaky is what both passes and does something else. Of passes an
    /// entry with a rule, or with what is seen, says nothing.
    fn allows(&self, verdict: Verdict) -> bool {
        let passes = self.verdict.contains(&Verdict::Pass) && self.verdict.len() > 1;
        let wild = passes || self.rule.is_some() || !self.seen.is_empty();
        self.verdict.contains(&verdict) || verdict == Verdict::Flaky && wild
    }

    /// Why it is expected, with the link.
    pub fn why(&self) -> String {
        match &self.link {
            Some(link) => format!("{} ({link})", self.reason),
            None => self.reason.clone(),
        }
    }

    /// That a verdict is none of those expected, in words.
    pub fn unmet(&self, verdict: Verdict) -> String {
        let expected: Vec<&str> = self.verdict.iter().map(|v| v.name()).collect();
        let expected = expected.join(" or ");
        match verdict {
            Verdict::Pass => format!("unexpectedly passes: expected {expected}, {}", self.why()),
            Verdict::Fail
            | Verdict::Skip
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::Flaky
            | Verdict::Inconclusive
            | Verdict::Contested => {
                format!("{verdict}, but expected {expected}, {}", self.why())
            }
        }
    }

    fn meant_for(&self, result: &CaseResult, failure: Failure<'_>) -> bool {
        let failed = result.verdict.is_failure();
        let breaks = |rule: &String| failure.rules.iter().any(|id| matches(rule, id.as_str()));
        let shows = |seen: &String| matches(seen, failure.seen);
        let named = |case: &String| matches(case, result.case.as_str());
        self.case.iter().any(named)
            && self.rule.as_ref().is_none_or(|rule| failed && breaks(rule))
            && (self.seen.is_empty() || failed && self.seen.iter().any(shows))
    }
}

/// One thing that is wrong with a result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Failure<'r> {
    /// The rules that it breaks; none where the case failed without a violation.
    rules: &'r [RuleId],
    /// What it says.
    seen: &'r str,
}

impl<'r> Failure<'r> {
    fn of(violation: &'r Violation) -> Failure<'r> {
        Failure {
            rules: &violation.rules,
            seen: &violation.what,
        }
    }
}

/// What is wrong with a result, one thing after the other: each violation, or the reason where there is none.
fn failures(result: &CaseResult) -> BTreeSet<Failure<'_>> {
    let violations = result.violations.iter();
    let mut all: BTreeSet<Failure<'_>> = violations.map(Failure::of).collect();
    if all.is_empty() {
        all.insert(Failure {
            rules: &[],
            seen: &result.reason,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CaseId;

    const FILE: &str = "\
device: { driver: \"1.*\" }
cases:
  - case: litmus/*/CoRR*
    verdict: fail
    reason: known
    link: https://example.com/1
  - case: litmus/*/SB*
    verdict: [fail, pass]
    reason: rare
  - case: \"*\"
    verdict: crash
    rule: ex.fail.*
    reason: when it fails
";

    fn device(driver: &str) -> DeviceRecord {
        DeviceRecord {
            selector: "system".into(),
            platform: "p".into(),
            platform_version: "OpenCL 3.0".into(),
            name: "d".into(),
            vendor: "v".into(),
            version: "OpenCL 3.0".into(),
            driver: driver.into(),
            capabilities: Vec::new(),
            findings: Vec::new(),
        }
    }

    fn result(case: &str, verdict: Verdict, broken: &[&str]) -> CaseResult {
        let violation = |rules: &&str| Violation {
            rules: rules.split('|').map(RuleId::new).collect(),
            what: "late".into(),
        };
        CaseResult {
            violations: broken.iter().map(violation).collect(),
            ..CaseResult::new(CaseId::from_stored(case.into()), verdict, "")
        }
    }

    #[test]
    fn what_is_flaky_passes_a_lenient_gate_alone() {
        let flaky = result("queue/random/00001", Verdict::Flaky, &[]);
        let mut all = Expectations::default();
        assert!(!all.passes(&flaky));
        all.be_lenient(true);
        assert!(all.passes(&flaky));
        assert!(!all.passes(&result("queue/random/00001", Verdict::Crash, &[])));
    }

    #[test]
    fn what_is_flaky_is_expected_where_passing_and_failing_are() {
        let flaky = |case| result(case, Verdict::Flaky, &[]);
        let mut all = Expectations::default();
        assert_eq!(all.add(FILE, &device("1.2")), Ok(true));
        assert!(all.passes(&flaky("litmus/classic/SB")));
        assert!(!all.passes(&flaky("litmus/classic/CoRR")));
    }

    #[test]
    fn what_is_contested_fails_a_strict_gate_alone() {
        let contested = result("litmus/classic/SB", Verdict::Contested, &[]);
        let mut all = Expectations::default();
        assert!(all.passes(&contested) && !all.fails(Verdict::Contested));
        all.be_strict(true);
        assert!(!all.passes(&contested) && all.fails(Verdict::Contested));
        assert!(!all.fails(Verdict::Inconclusive) && all.fails(Verdict::Fail));
    }

    #[test]
    fn results_are_compared_with_the_entries_for_their_device() {
        let mut all = Expectations::default();
        assert_eq!(all.add(FILE, &device("2.0")), Ok(false));
        assert!(all.is_empty());
        assert_eq!(all.add(FILE, &device("1.2")), Ok(true));
        for (case, verdict, broken, passes) in [
            ("litmus/classic/CoRR", Verdict::Fail, &[][..], true),
            ("litmus/classic/CoRR", Verdict::Pass, &[][..], false),
            ("litmus/classic/CoRR", Verdict::Crash, &[][..], false),
            ("litmus/classic/CoRR", Verdict::Skip, &[][..], true),
            ("litmus/classic/CoRR", Verdict::Inconclusive, &[][..], true),
            ("litmus/classic/CoRR", Verdict::Contested, &[][..], true),
            ("litmus/classic/SB", Verdict::Fail, &[][..], true),
            ("litmus/classic/SB", Verdict::Pass, &[][..], true),
            ("litmus/classic/MP", Verdict::Pass, &[][..], true),
            ("litmus/classic/MP", Verdict::Fail, &[][..], false),
            ("queue/x/1", Verdict::Crash, &["ex.fail.negative"], true),
            ("queue/x/1", Verdict::Crash, &["sp.barrier"], false),
            ("queue/x/1", Verdict::Fail, &["ex.fail.negative"], false),
            ("queue/x/1", Verdict::Pass, &[][..], true),
        ] {
            let result = result(case, verdict, broken);
            assert_eq!(all.passes(&result), passes, "{case} {verdict} {broken:?}");
        }
        let one = [result("litmus/classic/SB", Verdict::Pass, &[])];
        let idle: Vec<&str> = all.idle(&one).iter().map(|e| e.reason.as_str()).collect();
        assert_eq!(idle, ["known", "when it fails"]);
    }

    #[test]
    fn a_known_violation_does_not_hide_another() {
        let file = "cases:\n  - { case: '*', verdict: fail, rule: ex.state.*, reason: clocks }\n";
        let mut all = Expectations::default();
        assert_eq!(all.add(file, &device("1")), Ok(true));
        let broken = |rules: &[&str]| result("queue/x/1", Verdict::Fail, rules);
        assert!(all.passes(&broken(&["ex.state.profiling"])));
        assert!(all.passes(&broken(&["ex.state.profiling", "sp.other|ex.state.status"])));
        let two = broken(&["ex.state.profiling", "sp.in-order"]);
        assert!(!all.passes(&two));
        assert_eq!(all.of(&two), Standing::Plain);
        assert!(all.idle(&[two]).is_empty());
        let more = "cases:\n  - { case: '*', verdict: fail, rule: sp.in-order, reason: order }\n";
        assert_eq!(all.add(more, &device("1")), Ok(true));
        assert!(all.passes(&broken(&["ex.state.profiling", "sp.in-order"])));
    }

    #[test]
    fn what_is_seen_tells_a_known_failure_from_another_of_its_rule() {
        let file = "\
cases:
  - { case: 'queue/*', verdict: fail, rule: ex.state.callbacks, seen: 'callback * was late', reason: slow }
  - { case: 'queue/*', verdict: [crash, pass], seen: 'clFinish of * was being called', reason: dies }
  - { case: 'queue/*', verdict: timeout, seen: ['no sign of life*', 'it went on'], reason: hangs }
";
        let mut all = Expectations::default();
        assert_eq!(all.add(file, &device("1")), Ok(true));
        let with = |verdict, rule: &str, what: &str| {
            let mut result = result("queue/x/1", verdict, &[rule]);
            result.violations[0].what = what.into();
            result
        };
        let callback = |what| with(Verdict::Fail, "ex.state.callbacks", what);
        let mut both = callback("callback 3 was late");
        both.violations
            .extend(callback("callback 4 never came").violations);
        let news: Vec<&str> = all.news(&both).iter().map(|v| v.what.as_str()).collect();
        assert_eq!(news, ["callback 4 never came"]);
        assert_eq!(all.beside_known(&both), all.news(&both));
        let only = callback("callback 4 never came");
        assert!(all.beside_known(&only).is_empty(), "nothing is known of it");
        assert!(all.passes(&callback("callback 3 was late")));
        assert!(!all.passes(&callback("callback 3 was called twice")));
        assert!(!all.passes(&with(Verdict::Fail, "sp.finish", "callback 3 was late")));
        let crash = |what| with(Verdict::Crash, "ex.api.valid", what);
        assert!(all.passes(&crash("clFinish of queue_0 was being called")));
        assert!(!all.passes(&crash("clFlush of queue_0 was being called")));
        let flaky = |what| with(Verdict::Flaky, "ex.api.valid", what);
        assert!(all.passes(&flaky("clFinish of queue_0 was being called")));
        assert!(!all.passes(&flaky("clFlush of queue_0 was being called")));
        // Where nothing is broken, the reason is what was seen.
        let mut hung = result("queue/x/1", Verdict::Timeout, &[]);
        assert!(!all.passes(&hung));
        hung.reason = "no sign of life for 5 s".into();
        assert!(all.passes(&hung));
        assert!(all.passes(&result("queue/x/1", Verdict::Pass, &[])));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        for (text, what) in [
            (
                "cases:\n  - case: a\n    verdict: fails\n    reason: r\n",
                "one or more of pass, fail",
            ),
            (
                "cases:\n  - case: a\n    verdict: []\n    reason: r\n",
                "one or more of pass, fail",
            ),
            ("cases:\n  - case: a\n    verdict: fail\n", "reason"),
            (
                "cases:\n  - case: a\n    verdict: fail\n    reason: r\n    why: x\n",
                "why",
            ),
            ("case: []\n", "case"),
            ("", "end of input"),
        ] {
            let error = Expectations::default().add(text, &device("1")).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
