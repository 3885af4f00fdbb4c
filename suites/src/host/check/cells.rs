//! Checks of cells: who wrote what a reader saw.

use crate::host::token::{ANY_CELL, Token, Writer};
use crate::rule::RuleId;
use classay_vocabulary::Violation;

/// What a cell that was read must hold: one token, in each of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Who read which cell, in a sentence.
    pub reader: String,
    /// The token; none where the specification leaves it open, and only what is named instead is wrong.
    pub wanted: Option<(Writer, u8)>,
    /// Which rules these break.
    pub instead: Vec<Instead>,
    /// The rules that anything else breaks, as in [`Instead`].
    pub otherwise: (Vec<RuleId>, Vec<RuleId>),
}

/// The rules that something breaks which is in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Instead {
    /// What it is: a token, or zeros.
    pub found: Option<(Writer, u8)>,
    /// The rules, where it is in all words.
    pub rules: Vec<RuleId>,
    /// The rules, where it is in some words.
    pub torn: Vec<RuleId>,
}

impl Cell {
    /// What is wrong in it; it is one of so many in the bytes.
    pub(super) fn check(&self, n: usize, of: usize, seen: &[u8], run: u32) -> Option<Violation> {
        let length = seen.len() / of;
        let bytes = seen.get(n * length..(n + 1) * length)?;
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let first = *words.first()?;
        let odd = words.iter().copied().find(|word| *word != first);
        let token = |of: (Writer, u8)| Token::of(run, of.0, of.1).0;
        let known = |found: Option<(Writer, u8)>| found.map_or(0, token);
        let Some(wanted) = self.wanted else {
            let wrong =
                |instead: &&Instead| [Some(first), odd].contains(&Some(known(instead.found)));
            let instead = self.instead.iter().find(wrong)?;
            return Some(Violation {
                rules: instead.rules.clone(),
                what: format!(
                    "{} saw {}",
                    self.reader,
                    describe(known(instead.found), run)
                ),
            });
        };
        if odd.is_none() && first == token(wanted) {
            return None;
        }
        let told = odd.unwrap_or(first);
        let instead = self.instead.iter().find(|i| known(i.found) == told);
        let (rules, torn) = match instead {
            Some(instead) => (&instead.rules, &instead.torn),
            None => (&self.otherwise.0, &self.otherwise.1),
        };
        let mut saw = describe(first, run);
        if let Some(odd) = odd {
            saw += &format!(" and {}", describe(odd, run));
        }
        Some(Violation {
            rules: if odd.is_some() { torn } else { rules }.clone(),
            what: format!(
                "{} saw {saw}, not {}",
                self.reader,
                describe(token(wanted), run)
            ),
        })
    }
}

/// What a word says.
fn describe(word: u32, run: u32) -> String {
    match Token(word).read() {
        Some((of, writer, ANY_CELL)) if of == run & 0x7ff => writer.to_string(),
        Some((of, writer, cell)) if of == run & 0x7ff => format!("cell {cell} of {writer}"),
        Some(_) | None => "no token of this run".into(),
    }
}
