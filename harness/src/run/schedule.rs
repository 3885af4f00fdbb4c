//! In which order cases run, which of them beside each other, and until when.
//!
//! A run that has a minute says most when it first runs one case of every kind and then those that cost it least (see
//! [`next`](super::next)): what its time does not reach is then what it knows most about. Cases whose outcomes are counted
//! need the machine alone, or the rates would be those of a busy machine; all others run beside each other.

use crate::plan::{Case, is_generated_test};
use crate::worker::session::Patience;
use classay_litmus::kernel::early_reads;
use classay_litmus::program::{Access, Expr, Instr, ScalarType, each_expr, each_instr};
use classay_litmus::syntax::write_litmus;
use classay_reports::record::{CaseResult, Verdict};
use classay_suites::kernels::generate::cases_a_round;
use classay_vocabulary::RuleId;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The part of a run's time in which cases run beside each other, where some need the machine alone.
const BESIDE: f64 = 0.6;

/// The part more that they get where they are all done in it: a device that needs so little for a case is soon known by
/// its litmus tests, too.
const MORE: f64 = 0.12;

/// What a case may take beyond its part's end, as a part of the run's time.
const GRACE: f64 = 0.04;

/// When a part of a run ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    /// No case begins after this.
    pub last_begin: Instant,
    /// Every case is cut off at this.
    pub cut: Instant,
}

/// The time of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    begun: Instant,
    /// Seconds; `None` where every case runs to its end.
    seconds: Option<f64>,
}

impl Clock {
    /// From then on so many seconds, or as long as it takes.
    pub fn new(begun: Instant, seconds: Option<f64>) -> Clock {
        Clock { begun, seconds }
    }

    /// When the run should end.
    pub fn end(&self) -> Option<Instant> {
        let seconds = self.seconds?;
        Some(self.begun + Duration::from_secs_f64(seconds))
    }

    fn at(&self, part: f64) -> Option<Until> {
        let seconds = self.seconds?;
        let at = |part: f64| self.begun + Duration::from_secs_f64(seconds * part);
        Some(Until {
            last_begin: at(part),
            cut: at(part + GRACE),
        })
    }

    /// When the cases that run beside each other make room, where others wait for the machine.
    pub fn beside(&self) -> Option<Until> {
        self.at(BESIDE)
    }

    /// When so many cases beside each other should be done, where so many others wait for the machine: few of them do not
    /// take the time of many.
    pub fn beside_of(&self, cases: usize, waiting: usize) -> Option<Instant> {
        let part = cases as f64 / (cases + waiting).max(1) as f64;
        self.at(part.min(BESIDE)).map(|until| until.last_begin)
    }

    /// When those that are left of the cases beside each other make room, where all of them may be done by then, and when
    /// they should be done; `took` is how long the others of so many took.
    pub fn beside_to_the_end(
        &self,
        took: Duration,
        (all, left): (usize, usize),
    ) -> Option<(Until, Instant)> {
        let seconds = self.seconds?;
        let done = all.saturating_sub(left).max(1);
        let needed = took.as_secs_f64() / done as f64 * left as f64;
        let fits = left > 0 && needed <= seconds * MORE;
        let soon = Instant::now() + Duration::from_secs_f64(needed);
        self.at(BESIDE + MORE)
            .filter(|_| fits)
            .map(|until| (until, soon.min(until.last_begin)))
    }

    /// When everything ends.
    pub fn whole(&self) -> Option<Until> {
        self.at(1.0)
    }
}

/// What a case needs of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// Nothing beside it: its outcomes are counted.
    Alone,
    /// Cases beside it do not matter.
    Others,
}

impl Company {
    /// What this case needs.
    pub fn of(case: &Case) -> Company {
        match case.body.litmus() {
            // Tests with commands are as slow as programs of commands, and show what those show.
            Some(program) if program.commands.is_empty() => Company::Alone,
            Some(_) | None => Company::Others,
        }
    }
}

/// What cases have in common that are likely to fare alike: the kind of generated ones, the shape of litmus
/// tests.
pub(super) fn kind(case: &Case) -> &str {
    match case.body.is_litmus() {
        true => case.test.split('+').next().unwrap_or(&case.test),
        false => {
            let id = case.id.as_str();
            id.rsplit_once('/').map_or(id, |(kind, _)| kind)
        }
    }
}

/// The cases at these places by their value: those that are about a rule which none before them is about, the
/// same once more of the others, and so on, so many times; then those with an access that compilers lower in a way
/// of its own and that none before them has; then the first of each kind, then the second of each, where
/// some kinds have several cases a round ([`cases_a_round`]); litmus tests of
/// a kind by their size, since small ones show the plain shape and are built soonest, those with ordinary accesses
/// last, since most of them race, and a race says nothing of the device. Litmus tests that were generated follow
/// the shipped ones.
pub(super) fn by_value(
    cases: &[Case],
    mut which: Vec<usize>,
    times: usize,
    covers: &dyn Fn(&Case) -> BTreeSet<RuleId>,
) -> Ranked {
    which.sort_by_key(|&at| (has_ordinary(&cases[at]), size(&cases[at]), at));
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut rank = vec![0; cases.len()];
    for &at in &which {
        let before = seen.entry(kind(&cases[at])).or_default();
        rank[at] = *before / cases_a_round(kind(&cases[at]));
        *before += 1;
    }
    which.sort_by_key(|&at| rank[at]);
    let rules: BTreeMap<usize, BTreeSet<RuleId>> =
        which.iter().map(|&at| (at, covers(&cases[at]))).collect();
    let mut order = Vec::new();
    let mut covered = BTreeSet::new();
    let mut about_rules = 0;
    for time in 0..times {
        covered.clear();
        let (new, others) = first_with(which, &mut covered, |at| rules[&at].clone());
        order.extend(new);
        which = others;
        if time == 0 {
            about_rules = order.len();
        }
    }
    let mut lowered: BTreeSet<Lowered> = order.iter().flat_map(|&at| lowered(&cases[at])).collect();
    let (new, others) = first_with(which, &mut lowered, |at| self::lowered(&cases[at]));
    order.extend(new);
    order.extend(others);
    // Shipped tests show one thing each.
    order.sort_by_key(|&at| is_generated_test(&cases[at]));
    Ranked {
        places: order,
        about_rules,
    }
}

/// Cases by their value.
pub(super) struct Ranked {
    /// Their places in the list of all.
    pub places: Vec<usize>,
    /// How many of them, the first ones, are about a rule that none before them is about. They are all cases that
    /// are, but for generated litmus tests, which come last.
    pub about_rules: usize,
}

impl Ranked {
    /// The same after others, which count as such that are about a rule.
    pub fn after(mut self, first: Vec<usize>) -> Ranked {
        self.about_rules += first.len();
        self.places.splice(0..0, first);
        self
    }
}

/// Those that have something which is not among the seen and which none before them has; then the others.
fn first_with<T: Ord>(
    which: Vec<usize>,
    seen: &mut BTreeSet<T>,
    of: impl Fn(usize) -> BTreeSet<T>,
) -> (Vec<usize>, Vec<usize>) {
    which.into_iter().partition(|&at| {
        let before = seen.len();
        seen.extend(of(at));
        seen.len() > before
    })
}

/// An access that compilers lower in a way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lowered {
    /// A read-modify-write of this function, which may be one that changes nothing.
    Rmw(&'static str, bool),
    Cas(&'static str),
    Fence(&'static str, bool),
    Barrier(&'static str),
    /// An atomic access to an object of this type.
    Atomic(ScalarType),
    /// An ordinary read that a compiler may make out of an earlier one, before another that the thread begins with.
    EarlyRead,
}

/// What a litmus test has of them; nothing for other cases.
fn lowered(case: &Case) -> BTreeSet<Lowered> {
    let mut all = BTreeSet::new();
    let locations = case
        .body
        .litmus()
        .into_iter()
        .flat_map(|test| &test.locations);
    let atomic = locations.filter(|location| location.atomic);
    all.extend(atomic.map(|location| Lowered::Atomic(location.ty)));
    for thread in case.body.litmus().iter().flat_map(|test| &test.threads) {
        let reads = matches!(thread.body.first(), Some(Instr::Assign { .. }));
        if reads && !early_reads(&thread.body).is_empty() {
            all.insert(Lowered::EarlyRead);
        }
        each_expr(&thread.body, &mut |expr| match expr {
            Expr::Rmw(rmw) => {
                let idle = matches!(*rmw.operand, Expr::Const(value) if rmw.op.is_idle(value));
                all.insert(Lowered::Rmw(rmw.op.name(), idle));
            }
            Expr::Cas(cas) => {
                all.insert(Lowered::Cas(cas.strength.name()));
            }
            _ => {}
        });
        each_instr(&thread.body, &mut |instr| match instr {
            Instr::Fence(fence) => {
                all.insert(Lowered::Fence(fence.order.name(), fence.legacy));
            }
            Instr::Barrier(barrier) => {
                all.insert(Lowered::Barrier(barrier.reach().name()));
            }
            _ => {}
        });
    }
    all
}

/// Whether a litmus test has an access to shared memory that is no atomic function; no other case has.
fn has_ordinary(case: &Case) -> bool {
    let ordinary = |access: &Access| access.atomicity.atomic().is_none();
    let mut has = false;
    for thread in case.body.litmus().iter().flat_map(|test| &test.threads) {
        each_expr(&thread.body, &mut |expr| {
            has |= matches!(expr, Expr::Load(access) if ordinary(access));
        });
        each_instr(&thread.body, &mut |instr| {
            has |= matches!(instr, Instr::Store { access, .. } if ordinary(access));
        });
    }
    has
}

/// How many cases about each rule come before all else where it is not known what they need: the device may lack
/// that of the first ones.
pub(super) const TIMES: usize = 4;

/// Bytes of a litmus test as text; 0 for other cases.
fn size(case: &Case) -> usize {
    let program = case.body.litmus();
    program.map_or(0, |program| write_litmus(program).len())
}

/// Keeps a run near its time: building a case takes time that its own budget does not count, so later cases
/// get less when earlier ones took more.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the cases should be done; `None` where each gets what it asks for.
    end: Option<Instant>,
    /// Cases that run at once.
    lanes: usize,
    /// Cases that have not begun.
    left: usize,
    /// Seconds that a case takes beyond its budget, averaged over those that ran.
    beyond: f64,
    ran: u32,
}

/// The part of its share that a case always gets.
const LEAST_SHARE: f64 = 0.1;

impl Pace {
    /// For so many cases, `lanes` at once.
    pub fn new(end: Option<Instant>, cases: usize, lanes: usize) -> Pace {
        Pace {
            end,
            lanes,
            left: cases,
            beyond: 0.0,
            ran: 0,
        }
    }

    /// The next case with the time that is left for it.
    pub fn case(&mut self, case: &Case) -> Case {
        let left = self.left.max(1);
        self.left = left - 1;
        let (Some(end), Some(share)) = (self.end, case.budget.seconds()) else {
            return case.clone();
        };
        let remaining = end.saturating_duration_since(Instant::now()).as_secs_f64();
        let seconds = remaining * self.lanes as f64 / left as f64 - self.beyond;
        Case {
            budget: case.budget.lasting(seconds.max(share * LEAST_SHARE)),
            ..case.clone()
        }
    }

    /// A case took so long.
    pub fn took(&mut self, case: &Case, seconds: f64) {
        if let Some(given) = case.budget.seconds() {
            self.ran += 1;
            self.beyond += ((seconds - given).max(0.0) - self.beyond) / f64::from(self.ran);
        }
    }
}

/// What is known of how long cases of each kind are silent, and those of the device.
#[derive(Debug, Default)]
pub(super) struct Learned {
    kinds: BTreeMap<String, Silence>,
    /// Cases that ended, and the longest that one took.
    ended: u32,
    longest: Duration,
}

#[derive(Debug, Default)]
struct Silence {
    /// Cases that hung.
    hangs: u32,
    /// The longest that a case took which ended.
    longest: Duration,
}

/// Cases of a kind that hung before the next ones are waited for less.
const CONFIRMED: u32 = 2;

/// The part of the patience that they get: more than what a run waits for a callback that never comes, which
/// is half of it.
const SHORTER: f64 = 0.6;

/// So many times as long as the longest case of the kind that ended they get at least.
const MARGIN: u32 = 5;

/// Cases that ended before it counts what they took.
const ENOUGH: u32 = 20;

/// So many times as long as the longest case that ended a case may work in silence, where that is less than what it
/// may without any knowledge.
const AT_WORK: u32 = 10;

impl Learned {
    /// How long a case of this kind may be silent, where one of which nothing is known may be so for `whole`.
    pub fn patience(&self, kind: &str, whole: Patience) -> Patience {
        let mut whole = whole;
        if self.ended >= ENOUGH {
            let working = (self.longest * AT_WORK).max(whole.waiting);
            whole.working = whole.working.min(working);
        }
        let Some(known) = self
            .kinds
            .get(kind)
            .filter(|known| known.hangs >= CONFIRMED)
        else {
            return whole;
        };
        // Whether it waits or works: the kind is known to hang.
        let short = whole.waiting.mul_f64(SHORTER).max(known.longest * MARGIN);
        Patience {
            waiting: short.min(whole.waiting),
            working: short.min(whole.working),
        }
    }

    /// How a case of this kind fared.
    pub fn saw(&mut self, kind: &str, result: &CaseResult) {
        let known = self.kinds.entry(kind.to_owned()).or_default();
        match result.verdict {
            Verdict::Timeout => known.hangs += 1,
            Verdict::Crash | Verdict::Skip => {}
            _ => {
                known.longest = known.longest.max(seconds(result.seconds));
                self.ended(result.seconds);
            }
        }
    }

    /// A case of any kind, or a round of one, ended after so many seconds.
    pub fn ended(&mut self, took: f64) {
        self.longest = self.longest.max(seconds(took));
        self.ended += 1;
    }
}

fn seconds(took: f64) -> Duration {
    Duration::try_from_secs_f64(took).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use classay_reports::record::CaseId;

    #[test]
    fn few_cases_beside_each_other_do_not_take_the_time_of_many() {
        let begun = Instant::now();
        let part = |cases, waiting| {
            let clock = Clock::new(begun, Some(100.0));
            let end = clock.beside_of(cases, waiting).expect("it ends");
            (end - begun).as_secs_f64().round()
        };
        assert_eq!(part(1, 9), 10.0);
        assert_eq!(part(1000, 100), 100.0 * BESIDE);
        assert_eq!(Clock::new(begun, None).beside_of(1, 9), None);
    }

    #[test]
    fn a_few_cases_that_are_left_get_more_time_and_many_do_not() {
        let clock = Clock::new(Instant::now(), Some(60.0));
        let took = Duration::from_secs(36);
        let (until, paced) = clock
            .beside_to_the_end(took, (1000, 100))
            .expect("four seconds more");
        assert!(paced <= until.last_begin);
        assert!(until.cut < clock.whole().expect("an end").last_begin);
        assert!(clock.beside_to_the_end(took, (1000, 500)).is_none());
        assert!(clock.beside_to_the_end(took, (1000, 0)).is_none());
        let whole = Clock::new(Instant::now(), None);
        assert!(whole.beside_to_the_end(took, (1000, 100)).is_none());
    }

    #[test]
    fn every_kind_comes_before_the_second_of_any() {
        let cases = plan::drawn(3);
        let none = |_: &Case| BTreeSet::new();
        let order = by_value(&cases, (0..cases.len()).collect(), TIMES, &none).places;
        let kinds = cases.len() / 3;
        let all: BTreeSet<_> = cases.iter().map(kind).collect();
        let round: u32 = all.iter().map(|kind| cases_a_round(kind).min(3)).sum();
        let first = &order[..round as usize];
        let first: BTreeSet<_> = first.iter().map(|&at| kind(&cases[at])).collect();
        assert_eq!(first.len(), kinds);
        let mut all = order.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..cases.len()), "each once");
        // A rule that only the last case is about comes before all else.
        let last = cases.len() - 1;
        let rule = |case: &Case| match case.id == cases[last].id {
            true => BTreeSet::from([RuleId::named("ex.a.rule")]),
            false => BTreeSet::new(),
        };
        let order = by_value(&cases, (0..cases.len()).collect(), TIMES, &rule).places;
        assert_eq!(order[0], last);
    }

    #[test]
    fn a_round_has_more_cases_of_some_kinds() {
        let cases = plan::drawn_for_a_run(2);
        let none = |_: &Case| BTreeSet::new();
        let order = by_value(&cases, (0..cases.len()).collect(), TIMES, &none).places;
        let first = &order[..cases.len() / 2];
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for &at in first {
            *seen.entry(kind(&cases[at])).or_default() += 1;
        }
        assert!(seen.values().sum::<u32>() > 90);
        for (kind, count) in seen {
            assert_eq!(count, cases_a_round(kind), "{kind}");
        }
        assert!(cases_a_round("kernels/computed") > 1);
    }

    #[test]
    fn what_is_lowered_in_a_way_of_its_own_comes_early() {
        let cases = plan::shipped().expect("the shipped tests");
        let none = |_: &Case| BTreeSet::new();
        let order = by_value(&cases, (0..cases.len()).collect(), 1, &none).places;
        let place = |name: &str| {
            let place = order.iter().position(|&at| cases[at].test == name);
            place.expect("a shipped test")
        };
        let kinds: BTreeSet<&str> = cases.iter().map(kind).collect();
        // A read-modify-write that changes nothing, though it is no small test of its shape.
        assert!(
            place("SB+rmw+zero") < kinds.len(),
            "{}",
            place("SB+rmw+zero")
        );
        assert!(place("SB+rlx") < place("SB+plain"), "the second races");
    }

    #[test]
    fn generated_tests_come_after_the_shipped_ones() {
        for api in classay_litmus::program::Api::ALL {
            let mut cases = plan::generated_tests(api, 3, 1).expect("generated tests");
            cases.extend(plan::shipped_of(api).expect("the shipped tests"));
            let none = |_: &Case| BTreeSet::new();
            let order = by_value(&cases, (0..cases.len()).collect(), 1, &none).places;
            let last: BTreeSet<usize> = order[cases.len() - 3..].iter().copied().collect();
            assert_eq!(last, BTreeSet::from([0, 1, 2]), "{api}");
        }
    }

    #[test]
    fn what_compilers_lower_in_a_way_of_their_own_comes_early() {
        let cases = plan::shipped().expect("the shipped tests");
        let none = |_: &Case| BTreeSet::new();
        let order = by_value(&cases, (0..cases.len()).collect(), 1, &none).places;
        let place = |name: &str| {
            let at = |&at: &usize| cases[at].test == name;
            order.iter().position(at).expect("a place")
        };
        // An ordinary read that a compiler may make before another, though the test races.
        assert!(place("MP+plain") < cases.len() / 2, "{}", place("MP+plain"));
    }

    #[test]
    fn counted_outcomes_need_the_machine_alone() {
        let shipped = plan::shipped().expect("the shipped tests");
        let company = |name: &str| {
            let case = shipped.iter().find(|case| case.test == name);
            Company::of(case.expect("a shipped test"))
        };
        assert_eq!(company("SB+rlx"), Company::Alone);
        assert_eq!(company("MP+enqueue+wait"), Company::Others);
        let drawn = plan::drawn(1);
        assert!(
            drawn
                .iter()
                .all(|case| Company::of(case) == Company::Others)
        );
        let test = shipped.iter().find(|case| case.test == "MP+rel+acq");
        assert_eq!(test.map(kind), Some("MP"));
    }

    #[test]
    fn a_kind_that_hung_twice_is_waited_for_less() {
        let whole = Patience::of(Duration::from_secs(10));
        let result = |verdict, seconds| CaseResult {
            seconds,
            ..CaseResult::new(CaseId::new("api", "again", "1"), verdict, "")
        };
        let mut learned = Learned::default();
        learned.saw("api/again", &result(Verdict::Timeout, 10.0));
        assert_eq!(learned.patience("api/again", whole), whole);
        learned.saw("api/again", &result(Verdict::Timeout, 10.0));
        let six = Patience::of(Duration::from_secs(6));
        assert_eq!(learned.patience("api/again", whole), six);
        assert_eq!(learned.patience("api/info", whole), whole);
        // Where those that end take long, so may the others.
        learned.saw("api/again", &result(Verdict::Pass, 1.5));
        let more = Patience::of(Duration::from_millis(7500));
        assert_eq!(learned.patience("api/again", whole), more);
        learned.saw("api/again", &result(Verdict::Fail, 9.0));
        assert_eq!(learned.patience("api/again", whole), whole);
    }

    #[test]
    fn how_long_cases_take_on_a_device_says_how_long_one_may_work() {
        let seconds = |waiting, working| Patience {
            waiting: Duration::from_secs(waiting),
            working: Duration::from_secs(working),
        };
        let mut learned = Learned::default();
        let ends = |learned: &mut Learned, took| {
            let result = CaseResult {
                seconds: took,
                ..CaseResult::new(CaseId::new("api", "info", "1"), Verdict::Pass, "")
            };
            learned.saw("api/info", &result);
        };
        ends(&mut learned, 0.8);
        assert_eq!(
            learned.patience("api/again", seconds(5, 20)),
            seconds(5, 20)
        );
        (0..ENOUGH).for_each(|_| ends(&mut learned, 0.1));
        assert_eq!(learned.patience("api/again", seconds(5, 20)), seconds(5, 8));
        // Never less than one that waits gets, nor more than without any knowledge.
        assert_eq!(learned.patience("api/again", seconds(9, 20)), seconds(9, 9));
        ends(&mut learned, 7.0);
        assert_eq!(
            learned.patience("api/again", seconds(5, 20)),
            seconds(5, 20)
        );
    }

    #[test]
    fn what_one_case_takes_too_long_the_others_give() {
        let mut case = plan::drawn(1).swap_remove(0);
        case.budget = classay_vocabulary::Budget::Seconds(1.0);
        let end = Instant::now() + Duration::from_secs(100);
        let seconds = |case: &Case| case.budget.seconds().expect("a time");
        let mut pace = Pace::new(Some(end), 50, 2);
        let first = pace.case(&case);
        assert!((3.9..=4.0).contains(&seconds(&first)), "{:?}", first.budget);
        pace.took(&first, 5.0);
        let second = pace.case(&case);
        assert!(seconds(&second) < 3.2, "{:?}", second.budget);
        let mut late = Pace::new(Some(Instant::now()), 50, 2);
        assert_eq!(seconds(&late.case(&case)), LEAST_SHARE);
        let mut free = Pace::new(None, 50, 2);
        assert_eq!(free.case(&case).budget, case.budget);
    }
}
