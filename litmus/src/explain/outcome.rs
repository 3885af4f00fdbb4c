//! Outcomes as a user types them: `1:r0=1 1:r1=0`, or with `/\` as in conditions.
//!
//! Any register or location of the test may be named, and not all of them need to be: what is left
//! out may have any value.

use crate::program::{Atom, Observable, Predicate, Program, Relation, ScalarType};
use std::ops::Range;
use thiserror::Error;

/// What is wrong with an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutcomeError {
    /// Nothing is said.
    #[error("the outcome is empty; it is written like {example}")]
    Empty {
        /// An outcome of this test.
        example: String,
    },
    /// Not a pair.
    #[error("`{part}` is not part of an outcome; it is written like {example}")]
    NoPair {
        /// What stands there.
        part: String,
        /// An outcome of this test.
        example: String,
    },
    /// No such register or location.
    #[error("the test has no `{name}`; it has {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Not a number.
    #[error("`{value}` is no value for {name}; a value is an integer such as 1, -1 or 0x2a")]
    Value {
        /// The name.
        name: String,
        /// What stands there.
        value: String,
    },
    /// A number that the type does not have.
    #[error("{name} is {ty} and never {value}")]
    Range {
        /// The name.
        name: String,
        /// Its type.
        ty: ScalarType,
        /// The value.
        value: String,
    },
    /// Two values.
    #[error("{name} is given two values")]
    Twice {
        /// The name.
        name: String,
    },
}

/// An outcome that cannot be read, and the place of the mistake in its text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct Misread {
    /// What is wrong.
    pub error: OutcomeError,
    /// The bytes of the text that it is about.
    pub at: Range<usize>,
}

impl Misread {
    /// The text in a line and, below it, marks under the mistake; tabs and line ends as spaces.
    pub fn pointed(&self, text: &str) -> String {
        let width = |range: Range<usize>| text.get(range).map_or(0, |t| t.chars().count());
        let line: String = text
            .chars()
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect();
        let marks = "^".repeat(width(self.at.clone()).max(1));
        format!(
            "{line}\n{:before$}{marks}",
            "",
            before = width(0..self.at.start)
        )
    }
}

/// A name, a value or a `=` of an outcome, with its place.
struct Piece<'a> {
    text: &'a str,
    at: Range<usize>,
}

/// Cuts a text into pieces; what joins pairs is left out.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let joint = ["/\\", "&&"].into_iter().find(|j| rest.starts_with(j));
        let sign = ["==", "="].into_iter().find(|s| rest.starts_with(s));
        if let Some(skipped) = joint {
            at += skipped.len();
        } else if c.is_whitespace() || ",;()".contains(c) {
            at += c.len_utf8();
        } else if let Some(sign) = sign {
            out.push(Piece {
                text: "=",
                at: at..at + sign.len(),
            });
            at += sign.len();
        } else {
            let ends = |(i, c): (usize, char)| {
                let rest = &rest[i..];
                let joint = rest.starts_with("/\\") || rest.starts_with("&&");
                (joint || c.is_whitespace() || ",;()=".contains(c)).then_some(i)
            };
            let length = rest.char_indices().find_map(ends).unwrap_or(rest.len());
            out.push(Piece {
                text: &rest[..length],
                at: at..at + length,
            });
            at += length;
        }
    }
    out
}

/// Reads an outcome of a program: pairs `name=value` with spaces, commas, `;`, `&&` or `/\`
/// between them.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn outcome(program: &Program, text: &str) -> Result<Predicate, Misread> {
    let pieces = pieces(text);
    let mut parts: Vec<Predicate> = Vec::new();
    let mut named: Vec<Observable> = Vec::new();
    let mut next = 0;
    while next < pieces.len() {
        let (name, value) = match &pieces[next..] {
            [name, sign, value, ..]
                if name.text != "=" && sign.text == "=" && value.text != "=" =>
            {
                (name, value)
            }
            [first, rest @ ..] => {
                // The sign and what stands beside it are wrong together.
                let with = rest.iter().take_while(|p| p.text == "=").last();
                let with = match rest.first() {
                    Some(beside) if first.text == "=" && beside.text != "=" => Some(beside),
                    Some(_) | None => with,
                };
                let at = first.at.start..with.map_or(first.at.end, |w| w.at.end);
                return Err(Misread {
                    error: OutcomeError::NoPair {
                        part: text[at.clone()].to_owned(),
                        example: example(program),
                    },
                    at,
                });
            }
            [] => break,
        };
        next += 3;
        let wrong = |error: OutcomeError, at: &Range<usize>| Misread {
            error,
            at: at.clone(),
        };
        let observable = find(program, name.text).ok_or_else(|| {
            let unknown = OutcomeError::Unknown {
                name: name.text.to_owned(),
                known: known(program),
            };
            wrong(unknown, &name.at)
        })?;
        if named.contains(&observable) {
            let twice = OutcomeError::Twice {
                name: program.observable_name(observable),
            };
            return Err(wrong(twice, &name.at));
        }
        named.push(observable);
        let value = number(program, observable, value.text).map_err(|e| wrong(e, &value.at))?;
        parts.push(Predicate::Compare(
            Relation::Eq,
            Atom::Observe(observable),
            Atom::Const(value),
        ));
    }
    match parts.len() {
        0 => Err(Misread {
            error: OutcomeError::Empty {
                example: example(program),
            },
            at: 0..0,
        }),
        1 => Ok(parts.remove(0)),
        _ => Ok(Predicate::And(parts)),
    }
}

/// An outcome as people write it: with spaces where it is a conjunction of values, as a condition
/// otherwise.
pub fn outcome_text(program: &Program, outcome: &Predicate) -> String {
    let text = crate::syntax::predicate_text(program, outcome);
    match outcome {
        Predicate::And(parts) if parts.iter().all(is_value) => text.replace(" /\\ ", " "),
        Predicate::Bool(_)
        | Predicate::Compare(..)
        | Predicate::Not(_)
        | Predicate::And(_)
        | Predicate::Or(_) => text,
    }
}

fn is_value(part: &Predicate) -> bool {
    matches!(
        part,
        Predicate::Compare(Relation::Eq, Atom::Observe(_), Atom::Const(_))
    )
}

fn find(program: &Program, name: &str) -> Option<Observable> {
    let bare = name.strip_prefix('P').unwrap_or(name);
    let unbracketed = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    let location = unbracketed.unwrap_or(name);
    let all = program.everything();
    let exact = |wanted: &str| {
        all.iter()
            .copied()
            .find(|o| program.observable_name(*o) == wanted)
    };
    exact(location).or_else(|| exact(bare)).or_else(|| {
        // `0:x`, where P0 has no register `x`, is the location.
        let (thread, rest) = bare.split_once(':')?;
        let thread: usize = thread.parse().ok()?;
        (thread < program.threads.len())
            .then(|| exact(rest))
            .flatten()
            .filter(|o| matches!(o, Observable::Memory(..)))
    })
}

fn number(program: &Program, observable: Observable, text: &str) -> Result<i64, OutcomeError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let parsed = match lower.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => lower.parse::<u64>(),
    };
    let name = program.observable_name(observable);
    // A sign that `parse` would accept after ours is no digit.
    let value = match parsed {
        Ok(value) if !digits.starts_with(['+', '-']) => value,
        Ok(_) | Err(_) => {
            return Err(OutcomeError::Value {
                name,
                value: text.to_owned(),
            });
        }
    };
    let ty = program.observable_type(observable);
    let wide = if negative {
        -i128::from(value)
    } else {
        i128::from(value)
    };
    let fits = match ty {
        ScalarType::Flag => (0..=1).contains(&wide),
        ScalarType::Char | ScalarType::Short | ScalarType::Int | ScalarType::Long => {
            // Hexadecimal numbers give the bits.
            let top = if lower.starts_with("0x") { 0 } else { 1 };
            let half = 1i128 << (ty.bits() - top);
            wide >= -(1i128 << (ty.bits() - 1)) && wide < half
        }
        ScalarType::UChar | ScalarType::UShort | ScalarType::UInt | ScalarType::ULong => {
            wide >= 0 && wide < 1i128 << ty.bits()
        }
    };
    if !fits {
        return Err(OutcomeError::Range {
            name,
            ty,
            value: text.to_owned(),
        });
    }
    Ok(ty.wrap(wide as i64))
}

fn known(program: &Program) -> String {
    const MOST: usize = 24;
    let all = program.everything();
    let mut names: Vec<String> = all
        .iter()
        .take(MOST)
        .map(|o| program.observable_name(*o))
        .collect();
    match all.len() {
        0 => "neither registers nor locations".into(),
        n if n > MOST => {
            names.push(format!("and {} more", n - MOST));
            names.join(", ")
        }
        _ => names.join(", "),
    }
}

fn example(program: &Program) -> String {
    let pairs: Vec<String> = program
        .observables()
        .iter()
        .take(3)
        .map(|o| format!("{}=0", program.observable_name(*o)))
        .collect();
    format!("'{}'", pairs.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let text = "OPENCL t\n{ int a[2] = {0, 0}; }\n\
            P0(global atomic_int* x, global int* a, global atomic_ulong* u)\
            { int r0 = atomic_load(x); char c = 1; a[1] = 1; }\n\
            exists (0:r0=1)";
        crate::syntax::read_litmus("t", text).expect("a program")
    }

    #[test]
    fn every_way_to_write_an_outcome_is_read() {
        let p = program();
        let expected = "0:r0=1 x=0";
        for text in [
            "0:r0=1 x=0",
            "0:r0 = 1 /\\ x=0",
            "P0:r0=1, [x]=0",
            "(0:r0==0x1 && 0:x=0)",
            "0:r0=1;x=0;",
        ] {
            let read = outcome(&p, text).expect(text);
            assert_eq!(outcome_text(&p, &read), expected, "{text}");
        }
        let read = outcome(&p, "0:r0=0xffffffff").expect("bits");
        assert_eq!(outcome_text(&p, &read), "0:r0=-1");
        assert!(outcome(&p, "a[1]=1 u=18446744073709551615").is_ok());
    }

    #[test]
    fn mistakes_are_told() {
        let p = program();
        for (text, words) in [
            ("", "is empty; it is written like '0:r0=0'"),
            (" /\\ ", "is empty"),
            ("0:r0", "`0:r0` is not part of an outcome"),
            ("0:r0=", "`0:r0=` is not part of an outcome"),
            ("=1", "`=1` is not part of an outcome"),
            ("1:r0=1", "the test has no `1:r0`; it has 0:r0, 0:c, "),
            ("a[2]=1", "no `a[2]`"),
            ("0:r0=one", "`one` is no value for 0:r0"),
            ("0:r0=1=2", "`=2` is not part of an outcome"),
            ("0:r0=1 \\/ x=1", "`\\/` is not part of an outcome"),
            ("0:r0=+1", "`+1` is no value"),
            ("0:c=128", "0:c is char and never 128"),
            ("u=-1", "u is ulong and never -1"),
            ("x=99999999999999999999999", "is no value for x"),
            ("x=0 0:x=1", "x is given two values"),
        ] {
            let error = outcome(&p, text).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn the_place_of_a_mistake_is_shown() {
        let p = program();
        for (text, marks) in [
            ("0:r0=1 /\\ 1:r7=0", "          ^^^^"),
            ("0:r0=1\tx=é", "         ^"),
            ("u=1 0:c = 128", "          ^^^"),
            ("0:r0=1 x", "       ^"),
            ("x==", "^^^"),
            ("", "^"),
        ] {
            let pointed = outcome(&p, text).expect_err(text).pointed(text);
            let line = pointed.lines().nth(1).unwrap_or_default();
            assert_eq!(line, marks, "{text}");
        }
    }
}
