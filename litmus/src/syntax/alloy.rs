//! The dialect of the tests that accompany the Alloy formalization of Vulkan's memory model.
//!
//! A line is an instruction with the values that it reads and writes, or opens a queue family, work-group,
//! sub-group or thread (`NEWQF`, `NEWWG`, `NEWSG`, `NEWTHREAD`), or says which threads system-synchronize
//! (`SSW`) and which names are of one location (`SLOC`). The last lines are claims: of the executions that
//! read those values, a formula has a solution (`SATISFIABLE`) or none (`NOSOLUTION`), perhaps without
//! availability and visibility chains (`NOCHAINS`).

use super::error::{Outcome, Span};
use super::lexer::{Bodies, shorten, tokens};
use super::lower;
use super::parse::Parser;
use super::tree::{
    Body, Init, Instruction, Line, Name, Node, NodeKind, Operand, Place, Pred, Test, ThreadTree,
};
use super::{SyntaxError, check_size, excerpt};
use crate::program::{Api, Claim, Count, Counted, Program, Quantifier, Relation};

/// A test and what it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlloyTest {
    /// The program; its question is whether it can read the values that the test states.
    pub program: Program,
    /// The claims, in order.
    pub claims: Vec<Claim>,
}

/// Reads a test of that dialect. `name` is what errors call the source, and what the test is called.
///
/// # Errors
/// The first thing in `text` that is not part of the dialect.
pub fn read_alloy(name: &str, text: &str) -> Result<AlloyTest, SyntaxError> {
    check_size(text.len())
        .and_then(|()| test(name, text))
        .map_err(|problem| problem.within(name, excerpt(text)))
}

/// What has been read so far.
#[derive(Default)]
struct Draft {
    place: Place,
    /// Numbers given out: queue families, work-groups, sub-groups.
    opened: [u32; 3],
    threads: Vec<ThreadTree>,
    /// What `SSW` calls each thread.
    names: Vec<Option<u64>>,
    init: Vec<Init>,
    synchronized: Vec<(u64, u64, Span)>,
    /// Registers so far, over all threads.
    registers: usize,
    target: Vec<Pred>,
    claims: Vec<Claim>,
}

fn test(name: &str, text: &str) -> Outcome<AlloyTest> {
    let mut draft = Draft::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        draft.line(text, start, end)?;
        start += line.len();
    }
    let whole = Span::new(0, text.len().min(1));
    let synchronized = draft.synchronized.iter().map(|(before, after, span)| {
        let number = |name: &u64| {
            let found = draft.names.iter().position(|known| *known == Some(*name));
            found.map(|t| t as u64).ok_or_else(|| {
                span.problem(format!("no thread is called {name}"), "no such thread")
            })
        };
        Ok((number(before)?, number(after)?, *span))
    });
    let synchronized = synchronized.collect::<Outcome<Vec<_>>>()?;
    let target = match draft.target.len() {
        0 => Pred::Bool(true),
        1 => draft.target.remove(0),
        _ => Pred::And(draft.target),
    };
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.strip_suffix(".test").unwrap_or(stem);
    let program = lower::program(Test {
        api: Api::Vulkan,
        name: stem.to_owned(),
        init: draft.init,
        threads: draft.threads,
        synchronized,
        contributes: Vec::new(),
        question: (Quantifier::Exists, target, whole),
        filter: None,
        listed: Vec::new(),
    })?;
    Ok(AlloyTest {
        program,
        claims: draft.claims,
    })
}

impl Draft {
    fn line(&mut self, text: &str, start: usize, end: usize) -> Outcome<()> {
        let content = text[start..end].split("//").next().unwrap_or_default();
        let span = Span::new(start, start + content.trim_end().len());
        let mut words = content.split_whitespace();
        match words.next() {
            None => Ok(()),
            Some("SATISFIABLE") => self.claim(true, content, span),
            Some("NOSOLUTION") => self.claim(false, content, span),
            Some("NEWQF") => {
                self.open(0);
                Ok(())
            }
            Some("NEWWG") => {
                self.open(1);
                Ok(())
            }
            Some("NEWSG") => {
                self.open(2);
                Ok(())
            }
            Some("NEWTHREAD") => {
                self.names.push(words.next().and_then(|n| n.parse().ok()));
                self.threads.push(ThreadTree {
                    place: self.place,
                    kernel: None,
                    header: span,
                    params: Vec::new(),
                    body: Body::Listing(Vec::new()),
                });
                Ok(())
            }
            Some("SSW") => {
                let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
                let [before, after] = numbers[..] else {
                    return Err(span.problem("SSW takes two threads", "expected two numbers"));
                };
                self.synchronized.push((before, after, span));
                Ok(())
            }
            Some("SLOC") => {
                let names: Vec<Name> = words
                    .map(|word| Name {
                        text: word.to_owned(),
                        span,
                    })
                    .collect();
                let Some((of, aliases)) = names.split_first() else {
                    return Err(span.problem("SLOC takes locations", "expected names"));
                };
                self.init.extend(aliases.iter().map(|name| Init::Alias {
                    class: None,
                    name: name.clone(),
                    of: of.clone(),
                }));
                Ok(())
            }
            Some(_) => {
                let source = &text[..start + content.len()];
                let tokens = tokens(source, start, Bodies::Everywhere)?;
                self.instruction(&mut Parser::new(source, tokens, "the line"), span)
            }
        }
    }

    /// Opens a queue family (0), a work-group (1) or a sub-group (2), and what is in it.
    fn open(&mut self, level: usize) {
        let slots = [
            &mut self.place.queue_family,
            &mut self.place.work_group,
            &mut self.place.sub_group,
        ];
        for (at, slot) in slots.into_iter().enumerate().skip(level) {
            // A group that is opened later replaces the one that comes with a wider one.
            let fresh = at == level;
            *slot = match fresh {
                true => Some(self.opened[at]),
                false => None,
            };
            self.opened[at] += u32::from(fresh);
        }
    }

    /// `ld.atom.scopedev.sc0 x = 1`, `rmw.scopewg.sc0 y = 1 2`, `cbar.acq.rel.scopewg.semsc0 0`
    fn instruction(&mut self, parser: &mut Parser<'_>, span: Span) -> Outcome<()> {
        let Some(thread) = self.threads.len().checked_sub(1) else {
            return Err(span.problem("an instruction before the first thread", "in no thread"));
        };
        let mut words = vec![parser.word("an instruction")?];
        while parser.eat(".").is_some() {
            words.push(parser.word("a modifier of the instruction")?);
        }
        let mnemonic = words[0].text.clone();
        let mut operands = Vec::new();
        if matches!(mnemonic.as_str(), "ld" | "st" | "rmw") {
            let location = parser.word("a location")?;
            let mut values = Vec::new();
            if parser.eat("=").is_some() {
                while !parser.at_end() {
                    values.push(parser.signed("a value")?);
                }
            }
            let place = name_node(location);
            let reads = mnemonic != "st";
            let (read, written) = match (mnemonic.as_str(), values.as_slice()) {
                ("ld", []) | ("rmw", []) => (None, None),
                ("ld", [read]) => (Some(*read), None),
                ("st", []) => (None, Some(1)),
                ("st", [written]) | ("rmw", [written]) => (None, Some(*written)),
                ("rmw", [read, written]) => (Some(*read), Some(*written)),
                _ => return Err(span.problem("too many values", "one for each read and write")),
            };
            if reads {
                let register = Name {
                    text: format!("r{}", self.registers),
                    span,
                };
                self.registers += 1;
                if let Some(value) = read {
                    let read = Operand::Register {
                        thread: thread as u64,
                        name: register.clone(),
                        span,
                    };
                    self.target
                        .push(Pred::Compare(Relation::Eq, read, Operand::Const(value)));
                }
                operands.push(name_node(register));
            }
            operands.push(place);
            if mnemonic != "ld" {
                operands.push(int_node(written.unwrap_or(1), span));
            }
            let atomic = words.iter().any(|word| word.text == "atom");
            if mnemonic == "rmw" && !atomic {
                words.push(Name {
                    text: "atom".to_owned(),
                    span,
                });
            }
        } else {
            while !parser.at_end() {
                let value = parser.signed("a number")?;
                operands.push(int_node(value, span));
            }
        }
        parser.finish()?;
        if let Body::Listing(lines) = &mut self.threads[thread].body {
            lines.push(Line::Instruction(Instruction {
                words,
                operands,
                span,
            }));
        }
        Ok(())
    }

    /// `NOSOLUTION NOCHAINS consistent[X] && #dr=0`
    fn claim(&mut self, satisfiable: bool, content: &str, span: Span) -> Outcome<()> {
        let formula = content.trim_start();
        let formula = formula
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest);
        let (chains, formula) = match formula.trim_start().strip_prefix("NOCHAINS") {
            Some(rest) => (false, rest),
            None => (true, formula),
        };
        let mut counts = Vec::new();
        for term in formula.split("&&") {
            let term = term
                .trim()
                .trim_start_matches('(')
                .trim_end_matches(')')
                .trim();
            if term == "consistent[X]" {
                continue;
            }
            let count = count(term).ok_or_else(|| {
                span.problem(
                    format!("{} is no part of a claim", shorten(term)),
                    "unknown",
                )
                .help("a claim consists of consistent[X], #dr=0, #dr>0 and #rs=2, joined by &&")
            })?;
            counts.push(count);
        }
        self.claims.push(Claim {
            satisfiable,
            chains,
            counts,
        });
        Ok(())
    }
}

/// `#dr=0`, `#rs>1`
fn count(term: &str) -> Option<Count> {
    let term = term.strip_prefix('#')?.trim();
    let name_end = term.find(|c: char| !(c.is_alphanumeric() || c == '.'))?;
    let (name, rest) = term.split_at(name_end);
    let rest = rest.trim();
    let sign_end = rest.find(|c: char| c.is_ascii_digit())?;
    let (sign, number) = rest.split_at(sign_end);
    Some(Count {
        of: Counted::named(name.strip_prefix("X.").unwrap_or(name))?,
        relation: Relation::of_sign(sign.trim())?,
        with: number.parse().ok()?,
    })
}

fn name_node(name: Name) -> Node {
    Node {
        kind: NodeKind::Name(name.text),
        span: name.span,
        height: 1,
    }
}

fn int_node(value: i64, span: Span) -> Node {
    Node {
        kind: NodeKind::Int(value),
        span,
        height: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_nest_as_they_are_opened() {
        let text = "// a comment\nNEWQF\nNEWWG\nNEWSG\nNEWTHREAD\nst.sc0 x = 1\nNEWTHREAD\nld.sc0 x\n\
                    NEWSG\nNEWTHREAD\nld.sc0 x = 0\nNEWWG\nNEWSG\nNEWTHREAD\nrmw.scopewg.sc0 x = 1 2\n\
                    NEWQF\nNEWWG\nNEWSG\nNEWTHREAD\nmembar.acq.scopedev.semsc0\n\
                    SATISFIABLE consistent[X] && #dr>0\nNOSOLUTION NOCHAINS consistent[X] && (#rs=2)\n";
        let AlloyTest { program, claims } = read_alloy("folder/t.test", text).expect("a test");
        assert_eq!(program.name, "t");
        let items: Vec<_> = program
            .threads
            .iter()
            .map(|thread| thread.placement.work_item().expect("a work-item"))
            .collect();
        assert_eq!(items[0], items[1]);
        assert!(items[1].group() == items[2].group() && items[1] != items[2]);
        assert!(items[2].family() == items[3].family() && items[2].group() != items[3].group());
        assert_ne!(items[3].family(), items[4].family());
        let count = |of, relation, with| vec![Count { of, relation, with }];
        let races = count(Counted::Races, Relation::Gt, 0);
        let sequences = count(Counted::ReleaseSequences, Relation::Eq, 2);
        let claim = |satisfiable, chains, counts| Claim {
            satisfiable,
            chains,
            counts,
        };
        assert_eq!(
            claims,
            [claim(true, true, races), claim(false, false, sequences)]
        );
    }

    #[test]
    fn mistakes_are_told() {
        let message = |text: &str| {
            read_alloy("t.test", text)
                .expect_err("a mistake")
                .to_string()
        };
        assert_eq!(
            message("st.sc0 x = 1"),
            "an instruction before the first thread"
        );
        assert_eq!(message("NEWTHREAD\nld.sc0 x = 1 2"), "too many values");
        assert_eq!(message("NEWTHREAD 0\nSSW 0 1"), "no thread is called 1");
        assert_eq!(
            message("NEWTHREAD\nSATISFIABLE consistent[X] && #odd=1"),
            "#odd=1 is no part of a claim"
        );
    }
}
