//! Tests whose threads stand beside each other, in columns, an instruction a cell: the VULKAN dialect.

use super::Parser;
use super::condition::thread_number;
use super::test::Ending;
use crate::program::{Api, Quantifier};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::lexer::TokenKind;
use crate::syntax::limits::{MAX_INSTRUCTIONS, MAX_THREADS};
use crate::syntax::tree::{Body, Instruction, Line, Node, Pred, Test, ThreadTree};

/// What the second braces say of threads.
#[derive(Default)]
struct Pairs {
    synchronized: Vec<(u64, u64, Span)>,
    contributes: Vec<(u64, u64, Span)>,
}

impl Parser<'_> {
    /// Init list, pairs of threads, columns, question.
    pub(super) fn test_in_columns(&mut self, name: String) -> Outcome<Test> {
        if !self.is("{") {
            return Err(self
                .unexpected("the init list in braces")
                .help("write {} where every location starts at 0"));
        }
        let init = self.init_list()?;
        let Pairs {
            synchronized,
            contributes,
        } = match self.is("{") {
            true => self.pairs()?,
            false => Pairs::default(),
        };
        let mut threads = self.heads()?;
        let mut bodies = vec![Vec::new(); threads.len()];
        while !self.at_ending() {
            self.row(&mut bodies)?;
        }
        for (thread, lines) in threads.iter_mut().zip(bodies) {
            thread.body = Body::Listing(lines);
        }
        let Ending {
            question,
            filter,
            listed,
        } = self.ending(Some((Quantifier::Exists, Pred::Bool(true))))?;
        Ok(Test {
            api: Api::Vulkan,
            name,
            init,
            threads,
            synchronized,
            contributes,
            question,
            filter,
            listed,
        })
    }

    /// `{ ssw 0 1; contributes 1 2; }`
    fn pairs(&mut self) -> Outcome<Pairs> {
        let open = self.bump().span;
        let mut pairs = Pairs::default();
        loop {
            while self.eat(";").is_some() {}
            if self.eat("}").is_some() {
                return Ok(pairs);
            }
            if self.at_end() {
                return Err(open.problem(
                    "the file ends before the end of the pairs of threads",
                    "this brace is never closed",
                ));
            }
            let (start, list) = if let Some(start) = self.eat_word("ssw") {
                (start, &mut pairs.synchronized)
            } else if let Some(start) = self.eat_word("contributes") {
                (start, &mut pairs.contributes)
            } else {
                let expected = "ssw or contributes and two threads, as in ssw 0 1";
                return Err(self.unexpected(expected));
            };
            let (before, _) = self.number("the number of a thread")?;
            let (after, end) = self.number("the number of a thread")?;
            list.push((before, after, start.to(end)));
        }
    }

    /// `P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;`
    fn heads(&mut self) -> Outcome<Vec<ThreadTree>> {
        let mut threads = Vec::new();
        loop {
            if threads.len() == MAX_THREADS {
                return Err(self.peek().problem(
                    format!("the test has more than {MAX_THREADS} threads"),
                    "one too many",
                ));
            }
            let expected = threads.len();
            let name = self.word("a thread such as P0@sg 0, wg 0, qf 0")?;
            if thread_number(&name.text) != Some(expected as u64) {
                return Err(name
                    .problem(
                        format!("expected thread P{expected}, found {}", name.text),
                        "out of order",
                    )
                    .help("threads are numbered P0, P1, … in the order they are written"));
            }
            let (place, kernel) = self.placement()?;
            if let Some(kernel) = kernel {
                return Err(kernel.problem("a thread of Vulkan states no kernel", "not here"));
            }
            threads.push(ThreadTree {
                place,
                kernel: None,
                header: name.span.to(self.last_span()),
                params: Vec::new(),
                body: Body::Listing(Vec::new()),
            });
            if self.eat("|").is_none() {
                self.expect(";", "after the last thread")?;
                return Ok(threads);
            }
        }
    }

    /// At what follows the columns, or at the end of the text.
    fn at_ending(&self) -> bool {
        let negated = self.is("~") || self.is("!");
        negated
            || self.at_end()
            || ["exists", "not", "forall", "filter", "locations"]
                .into_iter()
                .any(|word| self.is_word(word) && !self.next_is(1, ":"))
    }

    fn row(&mut self, bodies: &mut [Vec<Line>]) -> Outcome<()> {
        for column in 0.. {
            let Some(lines) = bodies.get_mut(column) else {
                return Err(
                    self.unexpected("; at the end of a row, which has a cell for each thread")
                );
            };
            self.cell(lines)?;
            if lines.len() > MAX_INSTRUCTIONS {
                return Err(self.peek().problem(
                    format!("a thread has more than {MAX_INSTRUCTIONS} instructions"),
                    "one too many",
                ));
            }
            if self.eat(";").is_some() {
                return Ok(());
            }
            self.expect("|", "or ; after an instruction")?;
        }
        Ok(())
    }

    /// Labels and an instruction, either of which may be missing.
    fn cell(&mut self, lines: &mut Vec<Line>) -> Outcome<()> {
        while self.peek().kind == TokenKind::Word && self.next_is(1, ":") {
            lines.push(Line::Label(self.word("a label")?));
            self.bump();
        }
        if self.peek().kind == TokenKind::Word {
            lines.push(Line::Instruction(self.instruction()?));
        }
        Ok(())
    }

    /// `rmw.atom.dv.sc0.add r0, x, 1`
    fn instruction(&mut self) -> Outcome<Instruction> {
        let mut words = vec![self.word("an instruction")?];
        while self.eat(".").is_some() {
            words.push(self.word("a modifier of the instruction")?);
        }
        let mut operands = Vec::new();
        let start = words[0].span;
        if !(self.is(";") || self.is("|") || self.at_end()) {
            operands.push(self.listed_operand()?);
            while self.eat(",").is_some() {
                operands.push(self.listed_operand()?);
            }
        }
        Ok(Instruction {
            words,
            operands,
            span: start.to(self.last_span()),
        })
    }

    /// A name, a number, an element, or any expression in parentheses: `|` ends a cell elsewhere.
    fn listed_operand(&mut self) -> Outcome<Node> {
        self.unary()
    }
}
