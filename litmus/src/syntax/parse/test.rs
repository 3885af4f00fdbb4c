//! The frame of a test: init list, threads, question.

use super::Parser;
use super::condition::thread_number;
use super::types::starts_type;
use crate::program::{Api, Memory, Quantifier, QueueOrder, Region};
use crate::syntax::error::{Outcome, Problem, Span};
use crate::syntax::lexer::TokenKind;
use crate::syntax::limits::{MAX_ELEMENTS, MAX_PLACE, MAX_THREADS};
use crate::syntax::tree::{Body, Init, Name, Operand, Param, Place, Pred, Test, ThreadTree, Type};

/// What follows the threads.
pub(super) struct Ending {
    pub question: (Quantifier, Pred, Span),
    pub filter: Option<(Pred, Span)>,
    pub listed: Vec<Operand>,
}

impl Parser<'_> {
    /// Everything after the first line and the preamble.
    pub(crate) fn test(&mut self, api: Api, name: String) -> Outcome<Test> {
        match api {
            Api::OpenCl => self.test_in_c(name),
            Api::Vulkan => self.test_in_columns(name),
        }
    }

    fn test_in_c(&mut self, name: String) -> Outcome<Test> {
        let init = if self.is("{") {
            self.init_list()?
        } else if self.at_thread() {
            Vec::new()
        } else {
            return Err(self
                .unexpected("the init list in braces")
                .help("write {} where every location starts at 0"));
        };
        let mut threads = Vec::new();
        while self.at_thread() {
            if threads.len() == MAX_THREADS {
                return Err(self.peek().problem(
                    format!("the test has more than {MAX_THREADS} threads"),
                    "one too many",
                ));
            }
            threads.push(self.thread(threads.len())?);
            while self.eat(";").is_some() {}
        }
        if threads.is_empty() {
            return Err(
                self.unexpected("a thread such as P0@wg 0, dev 0 (global atomic_int* x) { … }")
            );
        }
        let Ending {
            question,
            filter,
            listed,
        } = self.ending(None)?;
        Ok(Test {
            api: Api::OpenCl,
            name,
            init,
            threads,
            synchronized: Vec::new(),
            contributes: Vec::new(),
            question,
            filter,
            listed,
        })
    }

    pub(super) fn init_list(&mut self) -> Outcome<Vec<Init>> {
        let open = self.bump().span;
        let mut entries = Vec::new();
        loop {
            while self.eat(";").is_some() || self.eat(",").is_some() {}
            if self.eat("}").is_some() {
                return Ok(entries);
            }
            if self.at_end() {
                return Err(open.problem(
                    "the file ends before the end of the init list",
                    "this brace is never closed",
                ));
            }
            entries.push(self.init_entry()?);
        }
    }

    fn init_entry(&mut self) -> Outcome<Init> {
        let start = self.peek().span;
        if self.is_word("queue") && self.ahead(1).kind == TokenKind::Word {
            return self.init_queue();
        }
        let memory = self.memory();
        let class = self.class();
        let typed = self.peek().kind == TokenKind::Word && starts_type(self.text(self.peek()));
        let ty = match typed {
            true => Some(self.type_name()?),
            false => None,
        };
        if let TokenKind::Number(thread) = self.peek().kind
            && memory.is_none()
        {
            self.bump();
            self.expect(":", "after the number of a thread")?;
            return self.init_register(start, thread, ty);
        }
        let bracketed = self.eat("[").is_some();
        if !bracketed {
            self.eat("*");
        }
        let name = self.new_name("a location such as [x], or a register such as 0:r0")?;
        if bracketed {
            self.expect("]", "after the location")?;
        } else if memory.is_none() && ty.is_none() && self.eat_word("aliases").is_some() {
            let of = self.new_name("the location that it is an alias of")?;
            return Ok(Init::Alias { class, name, of });
        } else if self.is(":") && memory.is_none() {
            let Some(thread) = thread_number(&name.text) else {
                return Err(name.problem(
                    format!("{} is not a thread", name.text),
                    "expected 0, 1, … or P0, P1, …",
                ));
            };
            self.bump();
            return self.init_register(start, thread, ty);
        }
        let mut array = None;
        if self.eat("[").is_some() {
            let length = match self.is("]") {
                true => None,
                false => Some(self.number("the number of elements")?.0),
            };
            self.expect("]", "after the number of elements")?;
            array = Some(length);
        }
        let values = match self.eat("=") {
            Some(_) if self.is("{") => self.init_values()?,
            Some(_) => vec![self.init_value()?],
            None => Vec::new(),
        };
        Ok(Init::Location {
            memory,
            class,
            ty,
            name,
            array,
            values,
            span: start.to(self.last_span()),
        })
    }

    /// The kind of memory of a location. The words for it may also name locations, so one counts
    /// only where a declaration goes on after it.
    fn memory(&mut self) -> Option<(Memory, Span)> {
        let token = self.peek();
        if token.kind != TokenKind::Word {
            return None;
        }
        let memory = Memory::named(self.text(token))?;
        let goes_on = self.ahead(1).kind == TokenKind::Word
            || (self.next_is(1, "[") && self.ahead(2).kind == TokenKind::Word);
        goes_on.then(|| (memory, self.bump().span))
    }

    /// The storage class of a location, where a declaration goes on after it: `sc1 x = 0`.
    fn class(&mut self) -> Option<Region> {
        let token = self.peek();
        if token.kind != TokenKind::Word || self.ahead(1).kind != TokenKind::Word {
            return None;
        }
        let number: usize = self.text(token).strip_prefix("sc")?.parse().ok()?;
        let class = Region::ALL.get(number).copied()?;
        self.bump();
        Some(class)
    }

    /// `queue q = out_of_order`
    fn init_queue(&mut self) -> Outcome<Init> {
        self.bump();
        let name = self.new_name("the name of a queue")?;
        let order = match self.eat("=") {
            None => QueueOrder::InOrder,
            Some(_) => {
                let word = self.word("in_order or out_of_order")?;
                QueueOrder::named(&word.text).ok_or_else(|| {
                    word.problem(
                        format!("{} is not an order of queues", word.text),
                        "expected in_order or out_of_order",
                    )
                })?
            }
        };
        Ok(Init::Queue { name, order })
    }

    fn init_register(&mut self, start: Span, thread: u64, ty: Option<Type>) -> Outcome<Init> {
        let name = self.new_name("a register")?;
        let value = match self.eat("=") {
            Some(_) => self.init_value()?,
            None => 0,
        };
        Ok(Init::Register {
            thread,
            ty,
            name,
            value,
            span: start.to(self.last_span()),
        })
    }

    /// A number, also as `ATOMIC_VAR_INIT(n)` or in parentheses.
    fn init_value(&mut self) -> Outcome<i64> {
        let token = self.peek();
        let wrapped = self.eat_word("ATOMIC_VAR_INIT").is_some() || self.is("(");
        if wrapped {
            self.expect("(", "before the value")?;
            let value = self.nested(Self::init_value)?;
            self.expect(")", "after the value")?;
            return Ok(value);
        }
        if self.eat_word("ATOMIC_FLAG_INIT").is_some() || self.eat_word("false").is_some() {
            return Ok(0);
        }
        if self.eat_word("true").is_some() {
            return Ok(1);
        }
        if token.kind == TokenKind::Word || self.is("&") {
            return Err(token
                .problem("an initial value must be a number", "not a number")
                .help(
                    "locations and registers hold integers; pointers as values are not supported",
                ));
        }
        self.signed("a value")
    }

    fn init_values(&mut self) -> Outcome<Vec<i64>> {
        let open = self.bump().span;
        let mut values = Vec::new();
        while self.eat("}").is_none() {
            if values.len() == MAX_ELEMENTS {
                return Err(open.problem(
                    format!("an array of more than {MAX_ELEMENTS} elements"),
                    "too long",
                ));
            }
            values.push(self.init_value()?);
            if self.eat(",").is_none() && !self.is("}") {
                return Err(self.unexpected(", or } in a list of values"));
            }
        }
        Ok(values)
    }

    /// At `P0`, perhaps after `kernel void`.
    fn at_thread(&self) -> bool {
        let mut n = 0;
        while matches!(
            self.text(self.ahead(n)),
            "kernel" | "__kernel" | "void" | "static"
        ) {
            n += 1;
        }
        let token = self.ahead(n);
        token.kind == TokenKind::Word && thread_number(self.text(token)).is_some()
    }

    fn thread(&mut self, expected: usize) -> Outcome<ThreadTree> {
        while thread_number(self.text(self.peek())).is_none() {
            self.bump();
        }
        let name = self.word("a thread")?;
        if thread_number(&name.text) != Some(expected as u64) {
            return Err(name
                .problem(
                    format!("expected thread P{expected}, found {}", name.text),
                    "out of order",
                )
                .help("threads are numbered P0, P1, … in the order they are written"));
        }
        let (place, kernel) = self.placement()?;
        let header = name.span.to(self.last_span());
        let mut params = Vec::new();
        if self.eat("(").is_some() {
            params = self.params()?;
        } else if !self.is("{") {
            return Err(self.unexpected("( with the thread's parameters"));
        }
        self.expect("{", "before the thread's body")?;
        let body = Body::Statements(self.block(&format!("thread P{expected}"))?);
        Ok(ThreadTree {
            place,
            kernel,
            header,
            params,
            body,
        })
    }

    pub(super) fn placement(&mut self) -> Outcome<(Place, Option<Name>)> {
        let mut place = Place::default();
        let mut kernel = None;
        if self.eat("@").is_none() {
            return Ok((place, kernel));
        }
        if let Some(span) = self.eat_word("host") {
            place.host = Some(span);
            return Ok((place, kernel));
        }
        loop {
            let what = self.word("kernel, wg, sg, dev or host")?;
            if what.text == "kernel" {
                if kernel.is_some() {
                    return Err(what.span.second("the placement states kernel twice"));
                }
                kernel = Some(self.new_name("the name of a kernel")?);
                if self.eat(",").is_none() {
                    return Ok((place, kernel));
                }
                continue;
            }
            let slot = match what.text.as_str() {
                "dev" | "device" => &mut place.device,
                "qf" | "queue_family" => &mut place.queue_family,
                "wg" | "work_group" | "workgroup" => &mut place.work_group,
                "sg" | "sub_group" | "subgroup" => &mut place.sub_group,
                _ => {
                    return Err(what
                        .problem(
                            format!("{} is not part of a placement", what.text),
                            "expected kernel, wg, sg, dev or host",
                        )
                        .help("a thread is placed as in P0@sg 0, wg 1, dev 0"));
                }
            };
            if slot.is_some() {
                return Err(what
                    .span
                    .second(format!("the placement states {} twice", what.text)));
            }
            let start = self.peek().span;
            let (number, span) = self.number("a number")?;
            if number > u64::from(MAX_PLACE) {
                return Err(start.to(span).problem(
                    format!("numbers of devices and groups end at {MAX_PLACE}"),
                    "too large",
                ));
            }
            *slot = Some(number as u32);
            if self.eat(",").is_none() {
                return Ok((place, kernel));
            }
        }
    }

    fn params(&mut self) -> Outcome<Vec<Param>> {
        let mut params = Vec::new();
        if self.is_word("void") && self.next_is(1, ")") {
            self.bump();
        }
        while self.eat(")").is_none() {
            let ty = self.type_name()?;
            let name: Name = self.new_name("the name of a parameter")?;
            let mut ty = ty;
            if self.eat("[").is_some() {
                // `int x[]` is a pointer, as in C
                if !self.is("]") {
                    self.number("the number of elements")?;
                }
                self.expect("]", "after the number of elements")?;
                ty.pointer = true;
            }
            params.push(Param { ty, name });
            if self.eat(",").is_none() && !self.is(")") {
                return Err(self.unexpected(", or ) in the parameters"));
            }
        }
        Ok(params)
    }

    /// Question, filter and list of locations, in any order; the question must be there unless there is one
    /// to take in its place.
    pub(super) fn ending(&mut self, otherwise: Option<(Quantifier, Pred)>) -> Outcome<Ending> {
        let mut question = None;
        let mut filter = None;
        let mut listed = Vec::new();
        loop {
            while self.eat(";").is_some() {}
            let start = self.peek().span;
            if self.eat_word("filter").is_some() {
                if filter.is_some() {
                    return Err(twice(start, "filter"));
                }
                let predicate = self.predicate()?;
                filter = Some((predicate, start.to(self.last_span())));
            } else if self.eat_word("locations").is_some() {
                listed.extend(self.listed()?);
            } else if let Some(quantifier) = self.quantifier() {
                if question.is_some() {
                    return Err(twice(start, "question"));
                }
                let predicate = self.predicate()?;
                question = Some((quantifier, predicate, start.to(self.last_span())));
            } else {
                break;
            }
        }
        let otherwise = otherwise.filter(|_| filter.is_some() && self.at_end());
        let at = self.last_span();
        let taken = otherwise.map(|(quantifier, predicate)| (quantifier, predicate, at));
        let Some(question) = question.or(taken) else {
            let problem = if self.at_end() {
                let end = self.last_span();
                end.problem("the test asks no question", "the test ends here")
            } else {
                self.unexpected("a question")
            };
            return Err(problem.help("end the test with exists (…), ~exists (…) or forall (…)"));
        };
        self.finish()?;
        Ok(Ending {
            question,
            filter,
            listed,
        })
    }

    fn listed(&mut self) -> Outcome<Vec<Operand>> {
        self.expect("[", "after locations")?;
        let mut listed = Vec::new();
        while self.eat("]").is_none() {
            if self.eat(";").is_none() && self.eat(",").is_none() {
                listed.push(self.operand()?);
            }
        }
        Ok(listed)
    }
}

fn twice(span: Span, what: &str) -> Problem {
    span.second(format!("the test states its {what} twice"))
}
