//! Looks for one fault.

use super::Fault;
use super::clean::{Clean, Shown, Wrong};
use super::list::CarrierKind;
use super::order::{Learned, Near, Untried};
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
    /// By the place of a case: how much it has to do with the fault.
    near: Vec<Near>,
    /// The places of the cases that were not tried yet.
    untried: Untried<'a>,
    /// Those of the others, in the order in which they were.
    cases: Vec<usize>,
    /// Those that are about its main rule, or are known to show it.
    main: HashSet<usize>,
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
    /// The beginning of a search. The litmus tests that are known to show the fault on a device as this one come first;
    /// `noticing` are the places of those that it makes weaker.
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
        let memory = |r: &RuleId| ["mm.", "vk."].iter().any(|of| r.as_str().starts_with(of));
        let of_memory = rules.iter().any(memory);
        let of_rules = |place: usize| rules.iter().any(|r| cases[place].rules.contains(r));
        let of_all = |place: usize| rules.iter().all(|r| cases[place].rules.contains(r));
        let about = (0..cases.len()).filter(|&p| noticing.contains(&p) || of_rules(p));
        let about = about.collect();
        // Kinds that are written for what a clause of the main rule says.
        let clauses = rules.first().and_then(|&main| catalogue::of(main));
        let clauses = clauses.into_iter().flat_map(|rule| &rule.clauses);
        let written: HashSet<&str> = (clauses.flat_map(|clause| &clause.cases))
            .map(|kind| &**kind)
            .collect();
        let near = |place: usize| {
            let case = &cases[place].case;
            let chosen = written.contains(case.id.kind()) || changed.contains(&place);
            match (main(place), of_all(place)) {
                (true, _) if chosen => Near::Written,
                (true, true) => Near::All,
                (true, false) => Near::Main,
                (false, _) if of_rules(place) => Near::Some,
                // Any litmus test may show what is wrong with the consistency of memory.
                (false, _) if of_memory && case.body.is_litmus() => Near::Some,
                (false, _) => Near::None,
            }
        };
        let near: Vec<Near> = (0..cases.len()).map(near).collect();
        let of_main = |place: &usize| sure.contains(place) || near[*place] <= Near::Main;
        let of_main = (0..cases.len()).filter(of_main).collect();
        // Of one kind those come first that are about more of what is broken, and about little else.
        let mut places: Vec<usize> = (0..cases.len()).collect();
        places.sort_by_cached_key(|&place| {
            let case = &cases[place];
            let about = rules.iter().filter(|r| case.rules.contains(r)).count();
            let wide = match case.case.body.is_litmus() {
                true => 0,
                false => case.rules.len().checked_ilog2().unwrap_or_default(),
            };
            (Reverse(about), wide)
        });
        let mut untried = Untried::new(main_rule(fault));
        for place in places {
            let rank = u32::from(!sure.contains(&place));
            untried.push(cases[place].case.id.kind(), near[place], rank, place);
        }
        Hunt {
            fault,
            number,
            all: cases,
            near,
            untried,
            cases: Vec::new(),
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
        let known = |place: &usize| survey.has(self.fault, *place);
        let all = (0..self.all.len()).filter_map(|place| Some((place, known(&place)?)));
        self.acts.extend(all);
        if self.fault.effect().is_none() || !(0..self.all.len()).any(|c| known(&c).is_some()) {
            return;
        }
        let mut places = self.untried.drain();
        let tried: HashSet<usize> = self.cases.iter().copied().collect();
        places.append(&mut self.cases);
        places.retain(|place| known(place) != Some(false));
        self.main = places.iter().copied().collect();
        self.next = 0;
        // What was not tried yet comes first.
        let rank = |place: &usize| match known(place) {
            _ if self.sure.contains(place) => 0,
            Some(_) => 1 + u32::from(tried.contains(place)),
            None => 3,
        };
        let mut untried = Untried::new(main_rule(self.fault));
        for place in &places {
            let kind = self.all[*place].case.id.kind();
            untried.push(kind, self.near[*place], rank(place), *place);
        }
        self.untried = untried;
    }

    /// The next case, how often all were tried before, and whether the order of kinds chose it.
    fn next(&mut self, learned: &Learned<'a>) -> Option<(u32, usize, bool)> {
        if let Some(place) = self.untried.next(learned) {
            self.cases.push(place);
            self.next = self.cases.len();
            return Some((0, place, true));
        }
        let pass = self.next.checked_div(self.cases.len())?;
        let place = self.cases[self.next % self.cases.len()];
        self.next += 1;
        Some((pass as u32, place, false))
    }

    /// Looks for the fault until the first moment, at least with one case; what was found, if anything. What
    /// is found out about the device as it is puts the moment off, but not beyond the second.
    /// `learned` is what the campaign has seen of its cases, and `seen` where the layer tells that a fault of its own
    /// acted.
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
        (learned, seen): (&Learned<'a>, &Seen),
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
        let most = 2 * (self.untried.left() + self.cases.len());
        while tried < most
            && let Some((pass, place, chosen)) = self.next(learned)
        {
            let hunted = &self.all[place];
            tried += 1;
            if let Some(verdict) = clean.lost(&hunted.case.id) {
                if self.is_about(place) {
                    let reason = format!("without the fault, too, it ends in a {verdict}");
                    self.obscured_in(place, &hunted.case.id, reason);
                }
                continue;
            }
            let case = &terms.played(self.fault, &hunted.case);
            seen.clear();
            // What the fault breaks may show seldom, as weak outcomes do.
            let mut times = if self.sure.contains(&place) { SURE } else { 1 };
            if self.main.contains(&place) {
                let more = MORE.saturating_pow(pass);
                times = more.saturating_mul(times).min(MOST);
            }
            let once = each(case, times, terms.weakens(self.fault));
            let runs = Instant::now();
            let mut result = run(session, case, once, limits, terms.model)?;
            if chosen {
                self.untried.took(runs.elapsed(), learned);
            }
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
                *self.acts.entry(place).or_default() |= acted;
            }
            match &as_it_is {
                Some(shown)
                    if !shown.tells(&result)
                        && (acted || self.is_about(place))
                        && hides(&result, self.fault) =>
                {
                    self.obscured_in(place, &case.id, result.reason.clone());
                }
                Some(_) => {}
                None => self.missed |= acted && result.verdict == Verdict::Pass,
            }
            if let Some(as_it_is) = as_it_is.filter(|shown| shown.tells(&result)) {
                let terms = &Terms { limits, ..*terms };
                let found = self.found(place, case, result, &as_it_is, terms, session)?;
                self.seconds = seconds(clean);
                if matches!(found, Found::Detected { own: true, .. }) {
                    if chosen {
                        self.untried.showed(learned);
                    }
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
        self.untried.left() + self.cases.len() > 0
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

fn main_rule(fault: &Fault) -> &'static str {
    fault.rules().next().unwrap_or_default()
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
