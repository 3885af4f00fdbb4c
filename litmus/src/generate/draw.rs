//! Single tests, without judging all that there are: some drawn by a seed, or the one of a name.

use super::classify::{Judge, Verdict};
use super::{Canonical, Error, Found, Options, Shape, first_of_each_form, of_shape};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::HashSet;

/// So many candidates of the classes that are wanted, each of another canonical form, with what the judge says
/// of them; fewer where there are fewer. A function of the options and the seed.
pub(super) fn drawn(
    shapes: &[Shape],
    options: &Options,
    count: usize,
    seed: u64,
    judge: &Judge<'_>,
) -> Result<Vec<(Found, Verdict)>, Error> {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let spelled = |shape: &usize| options.alphabet.level(&shapes[*shape]).is_some();
    let mut decks: Vec<Deck> = (0..shapes.len()).filter(spelled).map(Deck::of).collect();
    shuffle(&mut decks, &mut stream);
    let mut known = HashSet::new();
    let mut out = Vec::new();
    loop {
        let before = out.len();
        for deck in &mut decks {
            if out.len() == count {
                return Ok(out);
            }
            deck.fill(shapes, options, &mut stream);
            out.extend(deck.next(options, judge, &mut known)?);
        }
        if out.len() == before {
            return Ok(out);
        }
    }
}

/// The candidate with a name, where the options have it, with what the judge says of it.
pub(super) fn named(
    shapes: &[Shape],
    options: &Options,
    name: &str,
    judge: &Judge<'_>,
) -> Result<Option<(Found, Verdict)>, Error> {
    for (number, shape) in shapes.iter().enumerate() {
        let rest = name.strip_prefix(&shape.name);
        if !rest.is_some_and(|rest| rest.starts_with('+')) {
            continue;
        }
        let mut all = of_shape(shapes, number, options).into_iter();
        if let Some(found) = all.find(|found| found.candidate.name == name) {
            let verdict = judge.verdict(&found.candidate.program(), &found.form)?;
            return Ok(Some((found, verdict)));
        }
    }
    Ok(None)
}

/// The candidates of a shape in the order in which they are taken, the next at the end.
struct Deck {
    shape: usize,
    /// Nothing before the shape's first turn.
    candidates: Option<Vec<Found>>,
}

impl Deck {
    fn of(shape: usize) -> Deck {
        Deck {
            shape,
            candidates: None,
        }
    }

    fn fill(&mut self, shapes: &[Shape], options: &Options, stream: &mut ChaCha8Rng) {
        if self.candidates.is_none() {
            let mut all = first_of_each_form(of_shape(shapes, self.shape, options));
            shuffle(&mut all, stream);
            self.candidates = Some(all);
        }
    }

    /// The next of the wanted classes that is not known, if there is one.
    fn next(
        &mut self,
        options: &Options,
        judge: &Judge<'_>,
        known: &mut HashSet<Canonical>,
    ) -> Result<Option<(Found, Verdict)>, Error> {
        while let Some(found) = self.candidates.as_mut().and_then(Vec::pop) {
            if known.contains(&found.form) {
                continue;
            }
            let verdict = judge.verdict(&found.candidate.program(), &found.form)?;
            if options.classes.contains(&verdict.class) {
                known.insert(found.form.clone());
                return Ok(Some((found, verdict)));
            }
        }
        Ok(None)
    }
}

/// Fisher and Yates' shuffle. The bias of a remainder of 64 bits is far below what anybody could see.
fn shuffle<T>(items: &mut [T], stream: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        let other = stream.next_u64() % (last as u64 + 1);
        items.swap(last, other as usize);
    }
}
