//! Looks for one fault.

use super::Fault;
use super::clean::{Clean, Shown, Wrong};
use super::list::CarrierKind;
use super::power::Tests;
use super::survey::{Seen, Survey};
use super::terms::{Hunted, MORE_PATIENCE, Terms, again, each, run};
use crate::plan::Case;
use crate::worker::session::{Limits, Session, Stop};
use classay_faults::Shows;
use classay_reports::record::{CaseId, CaseResult, Verdict};
use classay_suites::catalogue;
use classay_suites::rule::RuleId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

/// Each time that all cases were tried, those of the main rule are run so many times as often.
const MORE: u64 = 4;

/// A case that is known to show the fault is run so many times as often from the first.
const SURE: u64 = 8;

/// And at most so many times as often as the first time.
const MOST: u64 = 64;

/// Cases that fail without a fault, too, that it takes to say that nothing else could show it.
const OBSCURING: usize = 3;

/// What became of a fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Found {
    /// A case failed.
    Detected {
        /// The case.
        case: CaseId,
        /// Its verdict.
        verdict: Verdict,
        /// Why.
        reason: String,
        /// It names a rule of the fault; else something else broke.
        own: bool,
        /// Runs of cases before it, its own included.
        runs: u64,
        /// Seconds until then.
        seconds: f64,
        /// Of so many runs of the case.
        of: u64,
        /// So many showed the fault.
        shown: u64,
        /// Seconds in which the case alone shows the fault with a probability of 99 %.
        expected: f64,
    },
    /// No case failed.
    Undetected {
        /// Runs of cases.
        runs: u64,
        /// Seconds.
        seconds: f64,
        /// Cases that could run.
        cases: u64,
        /// In so many cases it is known to have something to act on; none where nothing is known of that.
        #[serde(skip_serializing_if = "Option::is_none")]
        acted: Option<u64>,
    },
    /// It changed nothing of what cases give the device, all of those among them that are about its rules.
    NotActed {
        /// How many cases.
        cases: u64,
    },
    /// No program that runs on the device has what it breaks.
    NotApplicable {
        /// Capabilities of which a device would have to have one.
        lacks: Vec<String>,
        /// Cases of which it is known that it makes no difference to them.
        cases: u64,
    },
    /// The device fails without it wherever it could show: what it breaks is broken already.
    Obscured {
        /// Cases that fail so, or die, without the fault as with it, while none in which it acted passed.
        cases: u64,
        /// One of them.
        case: CaseId,
        /// What is wrong with it, the fault or not.
        reason: String,
    },
    /// The broken device does not open.
    Unopened {
        /// Why.
        why: String,
    },
}

/// Failures of a fault that name no rule of it, after which one of them is taken.
const ELSEWHERE: u32 = 3;

/// The search for a fault, as far as it has come.
pub struct Hunt<'a> {
    /// The fault.
    pub fault: &'a Fault,
    /// Its place among all.
    pub number: usize,
    all: &'a [Hunted],
    /// The places of the cases, those first that have most to do with it.
    cases: Vec<usize>,
    /// How many of them are about its main rule.
    main: usize,
    /// The places of those that are about one of its rules, or of tests that it makes weaker.
    about: HashSet<usize>,
    /// Those that are known to show it on a device as this one.
    sure: HashSet<usize>,
    next: usize,
    runs: u64,
    ran: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// The first failure that names no rule of the fault.
    other: Option<Found>,
    others: u32,
    /// Cases that are wrong without the fault as with it, though they could have shown it.
    obscured: HashSet<usize>,
    /// The first of them that was run, and what is wrong with it.
    first_obscured: Option<(CaseId, String)>,
    /// The fault acted in a case, and nothing was wrong.
    missed: bool,
    /// Of each case of which it is known: whether the fault has something to act on.
    acts: HashMap<usize, bool>,
}

impl<'a> Hunt<'a> {
    /// The beginning of a search. Of the litmus tests, those that are known to show the fault on a device as this one
    /// come first, then among those of its rules the ones that it changes; `noticing` are the places of those that it
    /// makes weaker.
    pub fn new(
        fault: &'a Fault,
        number: usize,
        cases: &'a [Hunted],
        tests: &Tests,
        noticing: HashSet<usize>,
    ) -> Hunt<'a> {
        let named = |names: &[String]| -> HashSet<usize> {
            let names: HashSet<&str> = names.iter().map(String::as_str).collect();
            let is_one = |&n: &usize| {
                let case = &cases[n].case;
                case.body.is_litmus() && names.contains(case.id.name())
            };
            (0..cases.len()).filter(is_one).collect()
        };
        let mut sure = named(&tests.sure);
        let changed = named(&tests.changed);
        if !fault.shows.needs_weak_memory() {
            sure.extend(&noticing);
        }
        let rules: Vec<RuleId> = fault.rules().filter_map(catalogue::find).collect();
        let main = |place: usize| {
            let of_rule = |r: &RuleId| cases[place].rules.contains(r);
            noticing.contains(&place) || rules.first().is_some_and(of_rule)
        };
        // Any litmus test may show what is wrong with the consistency of memory.
        let memory = |r: &RuleId| ["mm.", "vk."].iter().any(|of| r.as_str().starts_with(of));
        let of_memory = rules.iter().any(memory);
        let some = |c: &Hunted| {
            rules.iter().any(|r| c.rules.contains(r)) || of_memory && c.case.body.is_litmus()
        };
        let of_rules = |place: &usize| rules.iter().any(|r| cases[*place].rules.contains(r));
        let about = (0..cases.len()).filter(|p| noticing.contains(p) || of_rules(p));
        let about = about.collect();
        let of_main = (0..cases.len())
            .filter(|place| sure.contains(place) || main(*place))
            .count();
        // Kinds that are written for what a clause of the main rule says.
        let clauses = rules.first().and_then(|&main| catalogue::of(main));
        let clauses = clauses.into_iter().flat_map(|rule| &rule.clauses);
        let written: HashSet<&str> = (clauses.flat_map(|clause| &clause.cases))
            .map(|kind| &**kind)
            .collect();
        let is_written = |place: usize| {
            let kind = cases[place].case.id.as_str().rsplit_once('/');
            kind.is_some_and(|(kind, _)| written.contains(kind))
        };
        let mut places: Vec<usize> = (0..cases.len()).collect();
        // Stable: the order of the cases otherwise.
        places.sort_by_key(|&place| {
            let case = &cases[place];
            let near = match (main(place), some(case)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            // A litmus test does nothing but try what memory does, so many times as often. Those about
            // more of what is broken come first; of the others those of a kind that is written for it and about little
            // else, and these take turns, each kind with the next.
            let litmus = case.case.body.is_litmus();
            let about = rules.iter().filter(|r| litmus && case.rules.contains(r));
            let (unsure, unchanged) = (!sure.contains(&place), !changed.contains(&place));
            let away = of_memory && !litmus;
            let wide = match litmus {
                true => 0,
                false => case.rules.len().checked_ilog2().unwrap_or_default(),
            };
            (
                (unsure, near, unchanged, away),
                (!is_written(place), wide, Reverse(about.count())),
            )
        });
        Hunt {
            fault,
            number,
            all: cases,
            cases: places,
            main: of_main,
            about,
            sure,
            next: 0,
            runs: 0,
            ran: 0,
            seconds: 0.0,
            other: None,
            others: 0,
            obscured: HashSet::new(),
            first_obscured: None,
            missed: false,
            acts: HashMap::new(),
        }
    }

    /// Leaves out the cases to which the fault makes no difference, and begins with those to which it
    /// does. Those that were tried already are tried longer.
    pub fn learn(&mut self, survey: &Survey) {
        let tried = self.next.min(self.cases.len());
        let main: HashSet<usize> = self.cases[..self.main].iter().copied().collect();
        let known = |place: &usize| survey.has(self.fault, *place);
        let all = (0..self.all.len()).filter_map(|place| Some((place, known(&place)?)));
        self.acts.extend(all);
        if self.fault.effect().is_none() || !self.cases.iter().any(|c| known(c).is_some()) {
            return;
        }
        let mut cases = std::mem::take(&mut self.cases);
        let tried: HashSet<usize> = cases[..tried].iter().copied().collect();
        cases.retain(|place| known(place) != Some(false));
        // What was not tried yet comes first; stable.
        cases.sort_by_key(|place| {
            let (main, sure) = (!main.contains(place), self.sure.contains(place));
            (!sure, known(place).is_none(), tried.contains(place), main)
        });
        self.cases = cases;
        self.main = self.cases.len();
        self.next = 0;
    }

    /// Looks for the fault until the first moment, at least with one case; what was found, if anything. What
    /// is found out about the device as it is puts the moment off, but not beyond the second.
    /// `seen` is where the layer tells that a fault of its own acted.
    ///
    /// # Errors
    ///
    /// The device is gone, or the user interrupted.
    pub fn go(
        &mut self,
        (until, deadline): (Instant, Instant),
        terms: &Terms<'_>,
        session: &mut Session,
        clean: &mut Clean<'_>,
        seen: &Seen,
    ) -> Result<Option<Found>, Stop> {
        let begun = Instant::now();
        let before = self.seconds;
        let spent = clean.spent;
        // What is found out about the device as it is serves all faults, and is no time of this one.
        let seconds = |clean: &Clean<'_>| {
            before
                + begun
                    .elapsed()
                    .saturating_sub(clean.spent - spent)
                    .as_secs_f64()
        };
        let limits = terms.limits_for(self.fault);
        let mut tried = 0;
        while !self.cases.is_empty() && tried < 2 * self.cases.len() {
            let (pass, place) = (self.next / self.cases.len(), self.next % self.cases.len());
            let hunted = &self.all[self.cases[place]];
            self.next += 1;
            tried += 1;
            if let Some(verdict) = clean.lost(&hunted.case.id) {
                if self.is_about(self.cases[place]) {
                    let reason = format!("without the fault, too, it ends in a {verdict}");
                    self.obscured_in(self.cases[place], &hunted.case.id, reason);
                }
                continue;
            }
            let case = &terms.played(self.fault, &hunted.case);
            seen.clear();
            // What the fault breaks may show seldom, as weak outcomes do.
            let mut times = if self.sure.contains(&self.cases[place]) {
                SURE
            } else {
                1
            };
            if place < self.main {
                let more = MORE.saturating_pow(pass as u32);
                times = more.saturating_mul(times).min(MOST);
            }
            let once = each(case, times, terms.weakens(self.fault));
            let mut result = run(session, case, once, limits, terms.model)?;
            let mut late = result.verdict == Verdict::Timeout && !self.fault.hangs();
            if late {
                // Most that hang do so without the fault, too: that is found out once for all.
                late = !matches!(clean.of(case, limits, terms)?, Shown::Dies(_));
            }
            if late {
                // A busy machine makes cases late, which is no fault's doing.
                let patient = Limits {
                    patience: limits.patience.times(MORE_PATIENCE),
                    ..limits
                };
                result = run(session, case, once, patient, terms.model)?;
            }
            self.seconds = seconds(clean);
            if result.verdict != Verdict::Skip {
                self.ran += 1;
                self.runs += result.instances.max(1);
            }
            // Of a rule that is read in two ways, what breaks it is contested and no failure.
            let contested = result.verdict == Verdict::Contested
                && names_a_rule(&result, self.fault, &Shown::Nothing);
            // A launch of a litmus test failed, rather than that it showed what is forbidden.
            let failing = result.verdict == Verdict::Fail
                && result.violations.is_empty()
                && case.body.is_litmus();
            let as_it_is = match result.verdict.is_failure() || contested {
                true if failing => Some(clean.of_failing(case, limits, terms)?),
                true => Some(clean.of(case, limits, terms)?),
                false => None,
            };
            let acted = self.fault.effect().is_some_and(|count| seen.has(count));
            if self.fault.kind() == CarrierKind::Call {
                *self.acts.entry(self.cases[place]).or_default() |= acted;
            }
            match &as_it_is {
                Some(shown)
                    if !shown.tells(&result)
                        && (acted || self.is_about(self.cases[place]))
                        && hides(&result, self.fault) =>
                {
                    self.obscured_in(self.cases[place], &case.id, result.reason.clone());
                }
                Some(_) => {}
                None => self.missed |= acted && result.verdict == Verdict::Pass,
            }
            if let Some(as_it_is) = as_it_is.filter(|shown| shown.tells(&result)) {
                let terms = &Terms { limits, ..*terms };
                let place = self.cases[place];
                let found = self.found(place, case, result, &as_it_is, terms, session)?;
                self.seconds = seconds(clean);
                if matches!(found, Found::Detected { own: true, .. }) {
                    return Ok(Some(found));
                }
                // Something broke; a case that names the rule itself says more.
                self.other.get_or_insert(found);
                self.others += 1;
                if self.others >= ELSEWHERE {
                    return Ok(self.other.take());
                }
            }
            if Instant::now() >= deadline.min(until + (clean.spent - spent)) {
                break;
            }
        }
        Ok(self.other.take())
    }

    fn found(
        &self,
        place: usize,
        case: &Case,
        result: CaseResult,
        as_it_is: &Shown,
        terms: &Terms<'_>,
        session: &mut Session,
    ) -> Result<Found, Stop> {
        // A litmus test that fails puts to the test what it is about, whatever else it names.
        let about = || case.body.is_litmus() && self.about.contains(&place);
        let own = names_a_rule(&result, self.fault, as_it_is)
            || result.verdict == Verdict::Fail && about();
        let (of, shown, took) = match result.verdict {
            Verdict::Fail => {
                let more = again(case);
                let again = run(session, case, more, terms.limits, terms.model)?;
                rate(&again, as_it_is).unwrap_or((1, 1, again.seconds))
            }
            Verdict::Pass
            | Verdict::Skip
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::Flaky
            | Verdict::Inconclusive
            | Verdict::Contested => (1, 1, result.seconds),
        };
        Ok(Found::Detected {
            case: case.id.clone(),
            verdict: result.verdict,
            reason: result.reason,
            own,
            runs: self.runs,
            seconds: self.seconds,
            of,
            shown,
            expected: expected(of, shown, took),
        })
    }

    /// Whether a case is about all that the fault breaks.
    fn is_about(&self, place: usize) -> bool {
        if self.fault.of_vulkan_layer().is_some() {
            return self.about.contains(&place);
        }
        let case = &self.all[place];
        let mut rules = self.fault.rules().map(catalogue::find);
        rules.all(|rule| rule.is_some_and(|rule| case.rules.contains(&rule)))
    }

    fn obscured_in(&mut self, place: usize, case: &CaseId, reason: String) {
        self.obscured.insert(place);
        self.first_obscured
            .get_or_insert_with(|| (case.clone(), reason));
    }

    /// Whether there is a case left to look with.
    pub fn has_cases(&self) -> bool {
        !self.cases.is_empty()
    }

    /// Whether nothing could show it, as far as is known: the device fails by itself in cases enough that could,
    /// and none in which it acted passed.
    pub fn is_obscured(&self) -> bool {
        self.obscured.len() >= OBSCURING && !self.missed
    }

    /// Cases in which the fault is known to have something to act on.
    fn acting(&self) -> u64 {
        self.acts.values().filter(|acts| **acts).count() as u64
    }

    /// Whether no case has what it acts on, as far as cases were looked at: all that are about it were, or all
    /// where none is.
    fn is_idle(&self) -> bool {
        let looked_at = match self.about.is_empty() {
            true => self.acts.len() == self.all.len(),
            false => self.about.iter().all(|place| self.acts.contains_key(place)),
        };
        looked_at && self.acting() == 0
    }

    /// What it is called when nobody looks any longer. Where it acted and a case passed all the same, the
    /// case missed it; where none did, and the device fails by itself in enough cases that could have
    /// shown it, nothing could.
    pub fn given_up(&self) -> Found {
        match &self.first_obscured {
            Some((case, reason)) if self.is_obscured() => Found::Obscured {
                cases: self.obscured.len() as u64,
                case: case.clone(),
                reason: reason.clone(),
            },
            Some(_) | None if self.is_idle() => Found::NotActed {
                cases: self.acts.len() as u64,
            },
            Some(_) | None => Found::Undetected {
                runs: self.runs,
                seconds: self.seconds,
                cases: self.ran,
                acted: (!self.acts.is_empty()).then(|| self.acting()),
            },
        }
    }
}

/// Runs, those that showed what the device does not show anyway, and seconds.
fn rate(result: &CaseResult, as_it_is: &Shown) -> Option<(u64, u64, f64)> {
    let shown = match as_it_is {
        Shown::Nothing => result.targets(),
        Shown::Breaks(_) | Shown::Dies(_) => result
            .histogram()
            .iter()
            .filter(|o| o.target && as_it_is.is_new(&Wrong::outcome(&o.outcome)))
            .map(|o| o.count)
            .sum(),
    };
    (result.instances > 0 && shown > 0).then_some((result.instances, shown, result.seconds))
}

/// Seconds in which runs like these show the fault at least once with a probability of 99 %: with a
/// rate p a run, n runs show it with 1 - (1 - p)^n.
fn expected(of: u64, shown: u64, seconds: f64) -> f64 {
    let p = shown as f64 / of.max(1) as f64;
    let runs = if p >= 1.0 {
        1.0
    } else {
        (0.01_f64.ln() / (1.0 - p).ln()).max(1.0)
    };
    runs * seconds / of.max(1) as f64
}

/// Whether what is wrong with a case, the fault or not, keeps the fault from being seen: the case dies, or
/// breaks a rule of the fault. What breaks other rules only says nothing of it.
fn hides(result: &CaseResult, fault: &Fault) -> bool {
    match result.verdict {
        Verdict::Crash | Verdict::Timeout | Verdict::Flaky => true,
        Verdict::Fail | Verdict::Contested => names_a_rule(result, fault, &Shown::Nothing),
        Verdict::Pass | Verdict::Skip | Verdict::Inconclusive => false,
    }
}

/// Whether an outcome or a violation that the device does not show anyway names one of the fault's
/// rules. What hangs or crashes names none, and may well be the fault's own way to show.
fn names_a_rule(result: &CaseResult, fault: &Fault, as_it_is: &Shown) -> bool {
    match result.verdict {
        Verdict::Crash | Verdict::Timeout | Verdict::Flaky => {
            matches!(fault.shows, Shows::Hang | Shows::Crash)
        }
        Verdict::Fail
        | Verdict::Pass
        | Verdict::Skip
        | Verdict::Inconclusive
        | Verdict::Contested => {
            let outcomes = result.launches.iter().flat_map(|launch| &launch.outcomes);
            let shown = outcomes.filter_map(|o| o.outcome.violation());
            let mut new = result
                .violations
                .iter()
                .chain(shown)
                .filter(|violation| as_it_is.is_new(&Wrong::violation(violation)));
            new.any(|violation| {
                let broken = |rule: &str| violation.rules.iter().any(|id| id.as_str() == rule);
                fault.rules().any(broken)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn a_rare_fault_takes_long() {
        assert!((expected(10, 10, 1.0) - 0.1).abs() < 1e-9);
        // One run in two: seven runs show it with 99.2 %, 6.64 by the formula.
        assert!((expected(100, 50, 100.0) - 6.6438).abs() < 1e-3);
        assert!(expected(1000, 1, 1000.0) > 4600.0);
    }
}
