//! Alphabets: how much of the vocabulary a cycle is annotated with.
//!
//! The number of tests of a cycle grows with its length, since every thread may differ. So that
//! every size is there in numbers that can be judged in seconds and run in hours, the graded
//! alphabet spells short cycles with everything and long ones with less.

use super::context::Context;
use super::shape::Shape;

/// How much of the vocabulary is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// Cycles of three and four edges get [`Level::Full`]. Of five, the elementary ones and those
    /// with a name get [`Level::Usual`] and the others [`Level::Core`]. Of six, the elementary ones
    /// and those with a name get [`Level::Core`], and the others are left out.
    Graded,
    /// [`Level::Core`] for the elementary cycles and those with a name; the others are left out.
    Core,
    /// [`Level::Full`] for all.
    Full,
}

/// How much of the vocabulary a cycle gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A third of the contexts; ten words, and mixtures of four in the first context; the functions
    /// of read-modify-writes in the first context where all threads are annotated alike.
    Core,
    /// Every context; every word, and mixtures: all pairs of words in the first context, of four in
    /// the others; the functions as in `Core`.
    Usual,
    /// As `Usual`, with the functions everywhere in the first context.
    Full,
}

/// Which words threads have together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// The core words, all threads alike.
    Uniform,
    /// The core words, and mixtures of four of them.
    CoreMixed,
    /// Every word with all threads alike, and mixtures of four.
    Mixed,
    /// Every word, and mixtures of all.
    All,
}

impl Alphabet {
    /// What a shape gets; nothing where it is not spelled at all.
    pub(super) fn level(self, shape: &Shape) -> Option<Level> {
        let classic = shape.named() || shape.elementary();
        match (self, shape.edges.len(), classic) {
            (Alphabet::Full, _, _) | (Alphabet::Graded, 0..=4, _) => Some(Level::Full),
            (Alphabet::Graded, 5, true) => Some(Level::Usual),
            (Alphabet::Graded, 5, false) => Some(Level::Core),
            (Alphabet::Graded | Alphabet::Core, _, true) => Some(Level::Core),
            (Alphabet::Graded | Alphabet::Core, _, false) => None,
        }
    }
}

impl Level {
    pub(super) fn has_context(self, context: &Context) -> bool {
        match self {
            Level::Core => context.core,
            Level::Usual | Level::Full => true,
        }
    }

    /// The words in the first context, or in another.
    pub(super) fn words(self, first: bool) -> Words {
        match (self, first) {
            (Level::Core, true) => Words::CoreMixed,
            (Level::Core, false) => Words::Uniform,
            (Level::Usual | Level::Full, true) => Words::All,
            (Level::Usual | Level::Full, false) => Words::Mixed,
        }
    }

    /// Whether read-modify-writes are made with every function, where all threads are annotated alike or
    /// not.
    pub(super) fn has_functions(self, alike: bool) -> bool {
        match self {
            Level::Core | Level::Usual => alike,
            Level::Full => true,
        }
    }
}
