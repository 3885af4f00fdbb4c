//! Arrays of words that sessions leave to those after them: a test that is run in one environment
//! after the other does not allocate its memory again.

use crate::execute::bench::{Bench, In, Words};
use crate::execute::ended::NotRun;

/// Words kept, at most.
const MOST_KEPT: usize = 1 << 26;

/// An array may be this many times as long as asked for.
const SLACK: usize = 4;

/// Arrays that nothing uses.
#[derive(Default)]
pub struct Pool {
    free: Vec<Words>,
}

impl Pool {
    /// An array of at least `len` words. What is in it is left over from others.
    pub fn take(&mut self, bench: &Bench, len: usize, lies: In) -> Result<Words, NotRun> {
        let len = len.max(1);
        let fits = |w: &Words| w.lies() == lies && w.len() >= len && w.len() / SLACK <= len;
        let best = (0..self.free.len())
            .filter(|&i| fits(&self.free[i]))
            .min_by_key(|&i| self.free[i].len());
        match best {
            Some(at) => Ok(self.free.swap_remove(at)),
            None => bench.words(len, lies),
        }
    }

    /// Takes an array back. No command uses it any more.
    pub fn give(&mut self, words: Words) {
        self.free.push(words);
        let mut kept: usize = self.free.iter().map(Words::len).sum();
        // The oldest goes first.
        while kept > MOST_KEPT {
            kept -= self.free.remove(0).len();
        }
    }
}
