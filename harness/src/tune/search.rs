//! A search for environments in which mutants show their outcomes often.
//!
//! Half of the time goes to environments drawn at random, most of what is left to neighbours of the
//! best, and the last part to measuring again what was chosen: the best of many noisy figures is
//! better by chance, so what is reported comes from time that chose nothing.
//!
//! A frequency counts as what is known by it: occurrences that come in bursts say little of a rate, and a short
//! run is likely to miss them ([`Frequency::independent_per_second`]).
//!
//! An environment is given up early when it has been measured on a good part of the mutants and on
//! each of them it is clearly below the best that is known: the intervals of the two frequencies
//! are apart.

use crate::environment::Environment;
use classay_reports::stats::Confidence;
use classay_reports::stats::frequency::Frequency;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What playing a mutant in an environment for a while showed.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// Of each launch: how often the outcome was seen, and its seconds by the wall clock.
    pub launches: Vec<(u64, f64)>,
    /// Seconds it took in all.
    pub seconds: f64,
    /// Why there are no launches, or fewer: the device lacks what the environment asks for, or died.
    pub trouble: Option<String>,
}

/// What plays mutants.
pub trait Player {
    /// What ends a search early.
    type Halt;

    /// Plays a mutant for about so many seconds.
    ///
    /// # Errors
    ///
    /// What ends the search.
    fn play(
        &mut self,
        mutant: usize,
        environment: &Environment,
        seconds: f64,
    ) -> Result<Played, Self::Halt>;

    /// An environment at random.
    fn draw(&mut self, rng: &mut ChaCha8Rng) -> Environment;

    /// A neighbour of an environment.
    fn vary(&mut self, rng: &mut ChaCha8Rng, of: &Environment) -> Environment;

    /// Told of every environment that was measured, how many mutants show their outcome in it often
    /// enough, and the part of the time that is gone.
    fn tried(&mut self, _trial: &Trial, _enough: usize, _gone: f64) {}
}

/// How long, and what is often enough.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Seconds of playing in all.
    pub seconds: f64,
    /// Seconds of a mutant in an environment, while searching.
    pub slice: f64,
    /// Occurrences a second that are often enough.
    pub ceiling: f64,
}

/// An environment with what it showed.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The environment.
    pub environment: Environment,
    /// The frequency of each mutant's outcome, where it was measured.
    pub shown: Vec<Option<Frequency>>,
    /// It was given up before every mutant was measured.
    pub stopped: bool,
    /// What went wrong in it, once each.
    pub trouble: Vec<String>,
}

impl Trial {
    /// How many mutants show their outcome often enough.
    pub fn enough(&self, ceiling: f64) -> usize {
        let shown = self.shown.iter().flatten();
        shown
            .filter(|f| f.independent_per_second() >= ceiling)
            .count()
    }

    /// How many mutants could be played in it at all.
    fn plays(&self) -> usize {
        let shown = self.shown.iter().flatten();
        shown.filter(|f| f.seconds > 0.0).count()
    }

    /// The mean logarithm of the frequencies, which tells apart environments with as many mutants.
    fn strength(&self) -> f64 {
        let ln = |f: &Frequency| (f.independent_per_second() + 1e-3).ln();
        self.shown.iter().flatten().map(ln).sum()
    }
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Every environment that was tried, in order; the first leaves everything to the device.
    pub trials: Vec<Trial>,
    /// The one that keeps most mutants often enough.
    pub merged: usize,
    /// The frequencies in it, measured again.
    pub in_merged: Vec<Option<Frequency>>,
    /// For each mutant the environment that is best for it, with the frequency measured again; none
    /// where no environment showed it.
    pub best: Vec<Option<(usize, Frequency)>>,
    /// Mutants whose outcome was seen at all, in whatever environment.
    pub killed: Vec<bool>,
}

/// Part of the time for environments at random.
const AT_RANDOM: f64 = 0.5;
/// Part of the time after which searching ends.
const SEARCHING: f64 = 0.8;
/// How many of the best have neighbours drawn.
const PARENTS: usize = 4;
/// Part of the mutants on which an environment is measured before it may be given up.
const PART: f64 = 0.25;

/// Searches until the time is over, or the player halts; what was found so far comes with a halt,
/// where there is anything.
pub fn search<P: Player>(
    player: &mut P,
    mutants: usize,
    config: Config,
    rng: &mut ChaCha8Rng,
) -> (Found, Option<P::Halt>) {
    let mut search = Search {
        player,
        config,
        mutants,
        spent: 0.0,
        best: vec![None; mutants],
        killed: vec![false; mutants],
        trials: Vec::new(),
    };
    let halted = search.run(rng).err();
    let merged = search.leader().unwrap_or(0);
    let mut in_merged = search
        .trials
        .get(merged)
        .map_or_else(|| vec![None; mutants], |trial| trial.shown.clone());
    let mut best: Vec<Option<(usize, Frequency)>> = search.best.clone();
    let halted = match halted {
        Some(halt) => Some(halt),
        None => search.again(merged, &mut in_merged, &mut best).err(),
    };
    let Search { trials, killed, .. } = search;
    let found = Found {
        trials,
        merged,
        in_merged,
        best,
        killed,
    };
    (found, halted)
}

struct Search<'p, P: Player> {
    player: &'p mut P,
    config: Config,
    mutants: usize,
    spent: f64,
    /// The trial in which each mutant is most frequent so far.
    best: Vec<Option<(usize, Frequency)>>,
    killed: Vec<bool>,
    trials: Vec<Trial>,
}

impl<P: Player> Search<'_, P> {
    fn gone(&self) -> f64 {
        self.spent / self.config.seconds
    }

    fn run(&mut self, rng: &mut ChaCha8Rng) -> Result<(), P::Halt> {
        self.measure(Environment::default(), rng)?;
        while self.gone() < AT_RANDOM {
            let environment = self.player.draw(rng);
            self.measure(environment, rng)?;
        }
        while self.gone() < SEARCHING {
            let parents = self.parents();
            let parent = parents[rng.next_u32() as usize % parents.len()];
            let of = self.trials[parent].environment.clone();
            let environment = self.player.vary(rng, &of);
            self.measure(environment, rng)?;
        }
        Ok(())
    }

    /// The trials whose neighbours are worth a try: those that keep most mutants, and those that are the
    /// best for some.
    fn parents(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.trials.len()).collect();
        order.sort_by(|a, b| self.compare(*b, *a));
        order.truncate(PARENTS);
        for (trial, _) in self.best.iter().flatten() {
            if !order.contains(trial) {
                order.push(*trial);
            }
        }
        order
    }

    fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let of = |t: &Trial| (t.enough(self.config.ceiling), t.strength());
        let (a, b) = (of(&self.trials[a]), of(&self.trials[b]));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    }

    /// The trial that keeps most mutants, of those that were measured on all: and first of all one in
    /// which no mutant lacks what it needs, so that every test can be run in it.
    fn leader(&self) -> Option<usize> {
        let whole = (0..self.trials.len()).filter(|t| !self.trials[*t].stopped);
        let plays = |t: &usize| self.trials[*t].plays();
        whole.max_by(|a, b| plays(a).cmp(&plays(b)).then(self.compare(*a, *b)))
    }

    fn measure(&mut self, environment: Environment, rng: &mut ChaCha8Rng) -> Result<(), P::Halt> {
        let mut trial = Trial {
            environment,
            shown: vec![None; self.mutants],
            stopped: false,
            trouble: Vec::new(),
        };
        let mut order: Vec<usize> = (0..self.mutants).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.next_u32() as usize % (i + 1));
        }
        let patience = ((self.mutants as f64 * PART).ceil() as usize).max(3);
        let mut behind = 0;
        let mut halted = None;
        for (done, &mutant) in order.iter().enumerate() {
            if behind == done && done >= patience && !self.trials.is_empty() {
                trial.stopped = true;
                break;
            }
            let played = match self.play(mutant, &trial.environment, self.config.slice) {
                Ok(played) => played,
                Err(halt) => {
                    halted = Some(halt);
                    trial.stopped = true;
                    break;
                }
            };
            let shown = Frequency::of(&played.launches, Confidence::P95);
            trial.shown[mutant] = Some(shown);
            if let Some(trouble) = played.trouble.filter(|t| !trial.trouble.contains(t)) {
                trial.trouble.push(trouble);
            }
            // Where nothing runs, nothing will.
            if played.launches.is_empty() && done == 0 {
                trial.stopped = true;
                break;
            }
            let below = self.best[mutant].is_some_and(|(_, best)| shown.high < best.low);
            behind += usize::from(below);
        }
        let number = self.trials.len();
        for (mutant, shown) in trial.shown.iter().enumerate() {
            let Some(shown) = shown.filter(|f| f.count > 0) else {
                continue;
            };
            let known = shown.independent_per_second();
            let better =
                self.best[mutant].is_none_or(|(_, best)| known > best.independent_per_second());
            if better {
                self.best[mutant] = Some((number, shown));
            }
        }
        let enough = trial.enough(self.config.ceiling);
        let gone = self.gone();
        self.player.tried(&trial, enough, gone);
        self.trials.push(trial);
        halted.map_or(Ok(()), Err)
    }

    fn play(
        &mut self,
        mutant: usize,
        environment: &Environment,
        seconds: f64,
    ) -> Result<Played, P::Halt> {
        let played = self.player.play(mutant, environment, seconds)?;
        // A player that takes no time would be asked for ever.
        self.spent += played.seconds.max(seconds * 1e-3);
        self.killed[mutant] |= played.launches.iter().any(|(count, _)| *count > 0);
        Ok(played)
    }

    /// Measures again what was chosen, in the time that is left, shared equally.
    fn again(
        &mut self,
        merged: usize,
        in_merged: &mut [Option<Frequency>],
        best: &mut [Option<(usize, Frequency)>],
    ) -> Result<(), P::Halt> {
        let others = best.iter().flatten().filter(|(t, _)| *t != merged).count();
        let left = (self.config.seconds - self.spent).max(self.config.seconds * 0.05);
        let slice = left / (self.mutants + others).max(1) as f64;
        let common = self.trials[merged].environment.clone();
        for mutant in 0..self.mutants {
            let played = self.play(mutant, &common, slice)?;
            let shown = Frequency::of(&played.launches, Confidence::P95);
            in_merged[mutant] = Some(shown);
            let Some((trial, frequency)) = &mut best[mutant] else {
                continue;
            };
            if *trial == merged {
                *frequency = shown;
                continue;
            }
            let own = self.trials[*trial].environment.clone();
            let played = self.play(mutant, &own, slice)?;
            *frequency = Frequency::of(&played.launches, Confidence::P95);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Percent;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::{Distribution, Poisson};

    /// A device on which one knob is all that matters, and each mutant wants another setting of it.
    struct MadeUp {
        rng: ChaCha8Rng,
        played: usize,
        most: usize,
        given_up: usize,
    }

    impl MadeUp {
        fn new(seed: u64) -> MadeUp {
            MadeUp {
                rng: ChaCha8Rng::seed_from_u64(seed),
                played: 0,
                most: usize::MAX,
                given_up: 0,
            }
        }

        /// Occurrences a second.
        fn truth(mutant: usize, environment: &Environment) -> f64 {
            let is = f64::from(environment.meet.percent.map_or(0, Percent::get));
            let wanted = 70.0 + 3.0 * mutant as f64;
            match mutant {
                // Nothing shows it.
                0 => 0.0,
                _ => 4000.0 * (-(is - wanted).powi(2) / 200.0).exp(),
            }
        }
    }

    impl Player for MadeUp {
        type Halt = &'static str;

        fn play(
            &mut self,
            mutant: usize,
            environment: &Environment,
            seconds: f64,
        ) -> Result<Played, &'static str> {
            if self.played == self.most {
                return Err("over");
            }
            self.played += 1;
            let truth = MadeUp::truth(mutant, environment);
            let launches = (0..10)
                .map(|_| {
                    let mean = truth * seconds / 10.0;
                    let count = match Poisson::new(mean) {
                        Ok(poisson) => poisson.sample(&mut self.rng),
                        Err(_) => 0.0,
                    };
                    (count as u64, seconds / 10.0)
                })
                .collect();
            Ok(Played {
                launches,
                seconds,
                trouble: None,
            })
        }

        fn draw(&mut self, rng: &mut ChaCha8Rng) -> Environment {
            let mut environment = Environment::default();
            environment.meet.percent = Some(Percent::new((rng.next_u32() % 101) as u8));
            environment
        }

        fn vary(&mut self, rng: &mut ChaCha8Rng, of: &Environment) -> Environment {
            let mut environment = of.clone();
            let is = of.meet.percent.map_or(0, Percent::get);
            let next = (is + rng.next_u32() % 11).saturating_sub(5);
            environment.meet.percent = Some(Percent::new(next.min(100) as u8));
            environment
        }

        fn tried(&mut self, trial: &Trial, _: usize, _: f64) {
            self.given_up += usize::from(trial.stopped);
        }
    }

    const TERMS: Config = Config {
        seconds: 60.0,
        slice: 0.05,
        ceiling: 1000.0,
    };

    #[test]
    fn the_search_comes_near_the_best_for_each_and_for_all() {
        let mut player = MadeUp::new(1);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (found, halted) = search(&mut player, 8, TERMS, &mut rng);
        assert_eq!(halted, None);
        assert!(!found.killed[0] && found.best[0].is_none());
        for mutant in 1..8 {
            let (trial, frequency) = found.best[mutant].expect("an environment that shows it");
            let truth = MadeUp::truth(mutant, &found.trials[trial].environment);
            assert!(truth > 3400.0, "mutant {mutant}: {truth}");
            // Measured again, so that the figure is not the luckiest of many.
            assert!(frequency.low < truth * 1.1 && frequency.high > truth * 0.9);
            assert!(found.killed[mutant]);
        }
        // Six of seven are kept by what lies between what they want.
        let merged = &found.trials[found.merged].environment;
        let kept = |e: &Environment| {
            (1..8)
                .filter(|m| MadeUp::truth(*m, e) >= TERMS.ceiling)
                .count()
        };
        let most = (0..=100)
            .map(|n| {
                let mut e = Environment::default();
                e.meet.percent = Some(Percent::new(n));
                kept(&e)
            })
            .max();
        assert_eq!(Some(kept(merged)), most);
        assert!(!found.trials[found.merged].stopped);
        // Environments that are clearly worse are not measured to the end.
        assert!(
            player.given_up > found.trials.len() / 10,
            "{}",
            player.given_up
        );
    }

    #[test]
    fn a_search_that_is_halted_has_what_it_found() {
        let mut player = MadeUp::new(1);
        player.most = 100;
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (found, halted) = search(&mut player, 8, TERMS, &mut rng);
        assert_eq!(halted, Some("over"));
        assert!(found.trials.len() > 5);
        assert!(found.best.iter().flatten().count() > 3);
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        let run = || {
            let mut player = MadeUp::new(5);
            let mut rng = ChaCha8Rng::seed_from_u64(6);
            let (found, _) = search(&mut player, 4, TERMS, &mut rng);
            let all = found.trials.iter().map(|t| t.environment.clone());
            (all.collect::<Vec<_>>(), found.merged)
        };
        assert_eq!(run(), run());
    }

    /// As `MadeUp`, but one mutant lacks something where another would be best.
    struct Choosy(MadeUp);

    impl Player for Choosy {
        type Halt = &'static str;

        fn play(
            &mut self,
            mutant: usize,
            environment: &Environment,
            seconds: f64,
        ) -> Result<Played, &'static str> {
            let is = environment.meet.percent.map_or(0, Percent::get);
            if mutant == 1 && is >= 70 {
                return Ok(Played {
                    trouble: Some("it lacks something".into()),
                    ..Played::default()
                });
            }
            self.0.play(mutant, environment, seconds)
        }

        fn draw(&mut self, rng: &mut ChaCha8Rng) -> Environment {
            self.0.draw(rng)
        }

        fn vary(&mut self, rng: &mut ChaCha8Rng, of: &Environment) -> Environment {
            self.0.vary(rng, of)
        }
    }

    #[test]
    fn every_mutant_can_be_played_in_the_merged_environment() {
        let mut player = Choosy(MadeUp::new(1));
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let (found, halted) = search(&mut player, 8, TERMS, &mut rng);
        assert_eq!(halted, None);
        let merged = &found.trials[found.merged].environment;
        let is = merged.meet.percent.map_or(0, Percent::get);
        assert!((55..70).contains(&is), "{is}");
        let enough = |t: &Trial| t.enough(TERMS.ceiling);
        let most = found.trials.iter().map(enough).max();
        assert!(most > Some(enough(&found.trials[found.merged])));
    }
}
