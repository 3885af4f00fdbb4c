//! In which order the cases are tried against a fault: where a case is most likely to show it for the time that it
//! takes.
//!
//! Cases of one kind that have as much to do with the fault stand in one queue. How likely a queue's next case shows the
//! fault is what a campaign learns: of the faults before, with how many did a queue of this kind and this nearness show
//! it, and of those with the same main rule, with how many. Each case of a queue that was tried without success makes the
//! next less likely, and what a case of a kind takes is the mean of those that ran. The queue whose likelihood by
//! second is greatest gives the next case: among searches that may stop at any time none finds sooner, as far
//! as the likelihoods are right (the rule of search of Blackwell).
//!
//! **Threads.** What was learned is shared by the threads of a campaign, behind a lock that nobody holds
//! while a case runs. Which thread adds to it first decides nothing but the order.

use crate::threads::lock;
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

/// Seconds that a case takes, where none ran yet.
const COST: f64 = 0.01;

/// As many faults as what is assumed of a queue counts for, beside those that were seen.
const PRIOR: f64 = 1.0;

/// As many faults as what is known of all rules counts for, beside those of one.
const ALL_RULES: f64 = 2.0;

/// How much a case has to do with a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Near {
    /// About the main rule, and it is a litmus test that the fault changes, or its kind is written for what a clause of
    /// that rule says.
    Written,
    /// It is about all rules of the fault.
    All,
    /// About the main one.
    Main,
    /// About another one.
    Some,
    /// About none.
    None,
}

impl Near {
    /// How likely a first case of a queue shows a fault, before any was seen.
    fn assumed(self) -> f64 {
        match self {
            Near::Written => 0.5,
            Near::All => 0.3,
            Near::Main => 0.2,
            Near::Some => 0.05,
            Near::None => 0.01,
        }
    }
}

/// Faults for which something was tried, and those among them that it showed.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    tried: f64,
    shown: f64,
}

impl Score {
    /// How likely the next is shown, if so many more had been tried of which so large a part was shown.
    fn likely(self, more: f64, part: f64) -> f64 {
        (self.shown + more * part) / (self.tried + more)
    }
}

/// What a campaign has seen of its cases.
#[derive(Debug, Default)]
pub struct Learned<'a>(Mutex<Seen<'a>>);

#[derive(Debug, Default)]
struct Seen<'a> {
    /// Of each kind: cases that ran, and the seconds that they took.
    costs: HashMap<&'a str, (u32, f64)>,
    scores: HashMap<(&'a str, Near), Score>,
    by_rule: HashMap<(&'a str, Near, &'static str), Score>,
}

/// Cases of one kind that have as much to do with a fault.
#[derive(Debug)]
struct Queue<'a> {
    kind: &'a str,
    near: Near,
    /// Queues of a lower rank come first, whatever is likely.
    rank: u32,
    places: VecDeque<usize>,
    /// Cases of it that were tried.
    tried: u32,
}

/// The cases that were not tried yet against a fault.
#[derive(Debug)]
pub struct Untried<'a> {
    /// The fault's main rule.
    rule: &'static str,
    queues: Vec<Queue<'a>>,
    /// The place of each queue by its rank, nearness and kind.
    by_kind: HashMap<(u32, Near, &'a str), usize>,
    /// Which queue gave the last case.
    last: Option<usize>,
}

impl<'a> Untried<'a> {
    /// No case yet, against a fault whose main rule is this.
    pub fn new(rule: &'static str) -> Untried<'a> {
        Untried {
            rule,
            queues: Vec::new(),
            by_kind: HashMap::new(),
            last: None,
        }
    }

    /// Puts a case, by its place, behind those of its queue.
    pub fn push(&mut self, kind: &'a str, near: Near, rank: u32, place: usize) {
        let new = self.queues.len();
        let number = *self.by_kind.entry((rank, near, kind)).or_insert(new);
        if number == new {
            self.queues.push(Queue {
                kind,
                near,
                rank,
                places: VecDeque::new(),
                tried: 0,
            });
        }
        self.queues[number].places.push_back(place);
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.queues.iter().map(|queue| queue.places.len()).sum()
    }

    /// Takes all that are left.
    pub fn drain(&mut self) -> Vec<usize> {
        let queues = self.queues.iter_mut();
        queues.flat_map(|queue| queue.places.drain(..)).collect()
    }

    /// The next one; none where all were tried.
    pub fn next(&mut self, learned: &Learned<'a>) -> Option<usize> {
        let mut seen = lock(&learned.0);
        let left = self.queues.iter().enumerate();
        let left = left.filter(|(_, queue)| !queue.places.is_empty());
        let worth = left.map(|(n, queue)| (queue.rank, seen.worth(queue, self.rule), n));
        let best = worth.min_by(|(rank, worth, _), (other, more, _)| {
            rank.cmp(other).then_with(|| more.total_cmp(worth))
        });
        let (_, _, number) = best?;
        let queue = &mut self.queues[number];
        if queue.tried == 0 {
            seen.count(queue, self.rule, |score| score.tried += 1.0);
        }
        queue.tried += 1;
        self.last = Some(number);
        queue.places.pop_front()
    }

    /// The last case that was taken ran for so long.
    pub fn took(&self, time: Duration, learned: &Learned<'a>) {
        if let Some(queue) = self.last.map(|number| &self.queues[number]) {
            let mut seen = lock(&learned.0);
            let (cases, seconds) = seen.costs.entry(queue.kind).or_default();
            *cases += 1;
            *seconds += time.as_secs_f64();
        }
    }

    /// The last case that was taken showed the fault.
    pub fn showed(&self, learned: &Learned<'a>) {
        if let Some(queue) = self.last.map(|number| &self.queues[number]) {
            lock(&learned.0).count(queue, self.rule, |score| score.shown += 1.0);
        }
    }
}

impl<'a> Seen<'a> {
    fn count(&mut self, queue: &Queue<'a>, rule: &'static str, add: impl Fn(&mut Score)) {
        let Queue { kind, near, .. } = *queue;
        add(self.scores.entry((kind, near)).or_default());
        add(self.by_rule.entry((kind, near, rule)).or_default());
    }

    /// How likely the next case of a queue shows the fault, by second.
    fn worth(&self, queue: &Queue<'a>, rule: &'static str) -> f64 {
        let Queue { kind, near, .. } = *queue;
        let all = self.scores.get(&(kind, near)).copied();
        let all = all.unwrap_or_default().likely(PRIOR, near.assumed());
        let of_rule = self.by_rule.get(&(kind, near, rule)).copied();
        let likely = of_rule.unwrap_or_default().likely(ALL_RULES, all);
        let cost = match self.costs.get(kind) {
            Some((cases, seconds)) => seconds / f64::from(*cases),
            None => COST,
        };
        // Of a chance that is itself unknown and was as likely one as another, n failures leave one part in n + 1.
        likely / f64::from(queue.tried + 1) / cost.max(1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "queue.in-order";

    fn untried() -> Untried<'static> {
        let mut untried = Untried::new(RULE);
        for place in 0..3 {
            untried.push("queue/slow", Near::Main, 0, place);
            untried.push("api/quick", Near::Main, 0, 10 + place);
            untried.push("api/away", Near::None, 0, 20 + place);
        }
        untried.push("litmus", Near::None, 1, 30);
        untried
    }

    fn order(learned: &Learned<'static>) -> Vec<usize> {
        let mut untried = untried();
        std::iter::from_fn(|| untried.next(learned)).collect()
    }

    #[test]
    fn each_case_comes_once_and_kinds_take_turns() {
        let order = order(&Learned::default());
        assert_eq!(order, [0, 10, 1, 11, 2, 12, 20, 21, 22, 30]);
    }

    #[test]
    fn what_takes_less_time_comes_first() {
        let learned = Learned::default();
        for time in [100, 1] {
            let mut untried = untried();
            let kind = ["queue/slow", "api/quick"][usize::from(time == 1)];
            while untried.next(&learned).is_some() {
                if untried.last.map(|n| untried.queues[n].kind) == Some(kind) {
                    untried.took(Duration::from_millis(time), &learned);
                }
            }
        }
        assert_eq!(order(&learned)[..4], [10, 11, 12, 0]);
    }

    #[test]
    fn what_showed_faults_of_the_rule_comes_first() {
        let learned = Learned::default();
        let mut first = untried();
        while first.next(&learned) != Some(10) {}
        first.showed(&learned);
        assert_eq!(order(&learned)[..4], [10, 11, 12, 0]);
    }

    #[test]
    fn those_of_a_higher_rank_wait_and_what_is_left_is_drained() {
        let learned = Learned::default();
        let mut untried = untried();
        for _ in 0..9 {
            assert!(untried.next(&learned) < Some(30));
        }
        assert_eq!(untried.drain(), [30]);
        assert_eq!(untried.next(&learned), None);
    }
}
