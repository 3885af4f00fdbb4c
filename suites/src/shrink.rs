//! A search for something smaller that fails, whatever it is: a program of commands
//! ([`crate::commands::shrink`]), a kernel case ([`crate::kernels::shrink`]) or an API case
//! ([`crate::api::shrink`]).
//!
//! A [`Search`] holds the smallest thing so far. It tries things that are smaller still, asks a judge
//! about each that is valid, and keeps those that fail as the first one does. Sizes only go down, so
//! every search ends; the same judge gives the same result.

use std::collections::HashSet;

/// What the judge says of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It fails as the first one does.
    Fails,
    /// It does not.
    Passes,
    /// Nothing: shrinking is to end with what there is.
    Stop,
}

/// How far shrinking is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Things that the judge was asked about.
    pub asked: usize,
    /// Those that failed, each smaller than the one before.
    pub kept: usize,
}

/// The end of shrinking.
#[derive(Debug, Clone)]
pub struct Shrunk<W> {
    /// The smallest thing that fails.
    pub found: W,
    /// How it was come by.
    pub progress: Progress,
    /// Nothing smaller that was tried fails; false where the judge stopped it before.
    pub minimal: bool,
}

impl<W> Shrunk<W> {
    /// The same with what it found made something else.
    pub fn map<V>(self, made: impl FnOnce(W) -> V) -> Shrunk<V> {
        Shrunk {
            found: made(self.found),
            progress: self.progress,
            minimal: self.minimal,
        }
    }
}

/// Something that may be smaller than the best so far, valid or not.
pub trait Candidate: Sized {
    /// What it is once it is known to be valid.
    type Whole;
    /// How large it is. No chain of ever smaller sizes is endless.
    type Size: Ord;

    /// How large it is.
    fn size(&self) -> Self::Size;

    /// As text: equal texts fail alike.
    fn text(&self) -> String;

    /// Itself, if it is valid.
    fn whole(self) -> Option<Self::Whole>;
}

/// A judge of things.
pub type Judge<'j, W> = &'j mut dyn FnMut(&W) -> Answer;
/// Who hears of each thing that is kept.
pub type Told<'j, W> = &'j mut dyn FnMut(&W, Progress);

/// The smallest thing so far, and what is known of others.
pub struct Search<'j, C: Candidate> {
    best: C::Whole,
    size: C::Size,
    /// The text of what was kept last.
    text: Option<String>,
    /// Things that do not fail, as text.
    rejected: HashSet<String>,
    progress: Progress,
    stopped: bool,
    judge: Judge<'j, C::Whole>,
    told: Told<'j, C::Whole>,
}

impl<'j, C: Candidate> Search<'j, C> {
    /// Begins with something that fails, of this size.
    pub fn new(
        first: C::Whole,
        size: C::Size,
        judge: Judge<'j, C::Whole>,
        told: Told<'j, C::Whole>,
    ) -> Self {
        Search {
            best: first,
            size,
            text: None,
            rejected: HashSet::new(),
            progress: Progress::default(),
            stopped: false,
            judge,
            told,
        }
    }

    /// Counts on from there.
    pub fn go_on(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// Goes round until nothing is smaller any more.
    pub fn rounds(&mut self, round: impl Fn(&mut Self)) {
        loop {
            let kept = self.progress.kept;
            round(self);
            if self.stopped || self.progress.kept == kept {
                return;
            }
        }
    }

    /// What it has come to.
    pub fn done(self) -> Shrunk<C::Whole> {
        Shrunk {
            found: self.best,
            progress: self.progress,
            minimal: !self.stopped,
        }
    }

    /// Takes out units: as many as there are at once, then half as many, down to one.
    pub fn take_out<U>(
        &mut self,
        units: impl Fn(&C::Whole) -> Vec<U>,
        without: impl Fn(&C::Whole, &[U]) -> Option<C>,
    ) {
        let mut all = units(&self.best);
        let mut chunk = all.len();
        while chunk > 0 && !self.stopped {
            let mut at = 0;
            while at < all.len() && !self.stopped {
                let end = (at + chunk).min(all.len());
                let cut = without(&self.best, &all[at..end]);
                if cut.is_some_and(|candidate| self.accept(candidate)) {
                    // What came after them is here now.
                    all = units(&self.best);
                } else {
                    at = end;
                }
            }
            chunk /= 2;
        }
    }

    /// Tries each change, and those of what is kept.
    pub fn go_through<M>(
        &mut self,
        changes: impl Fn(&C::Whole) -> Vec<M>,
        changed: impl Fn(&C::Whole, &M) -> Option<C>,
    ) {
        let mut all = changes(&self.best);
        let mut at = 0;
        while at < all.len() && !self.stopped {
            let candidate = changed(&self.best, &all[at]);
            if candidate.is_some_and(|candidate| self.accept(candidate)) {
                all = changes(&self.best);
            } else {
                at += 1;
            }
        }
    }

    /// Tries something; whether it is the best now.
    fn accept(&mut self, candidate: C) -> bool {
        let size = candidate.size();
        if self.stopped || size >= self.size {
            return false;
        }
        let text = candidate.text();
        if self.rejected.contains(&text) {
            return false;
        }
        let Some(whole) = candidate.whole() else {
            self.rejected.insert(text);
            return false;
        };
        // It is smaller in what does not show, and fails as the best does.
        if self.text.as_ref() == Some(&text) {
            (self.best, self.size) = (whole, size);
            return true;
        }
        self.progress.asked += 1;
        match (self.judge)(&whole) {
            Answer::Fails => {
                self.progress.kept += 1;
                self.best = whole;
                self.size = size;
                self.text = Some(text);
                (self.told)(&self.best, self.progress);
                true
            }
            Answer::Passes => {
                self.rejected.insert(text);
                false
            }
            Answer::Stop => {
                self.stopped = true;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests;
