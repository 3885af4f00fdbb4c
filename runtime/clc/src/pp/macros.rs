//! Macro definitions and expansion (C99 6.10.3).

use super::lexer::Lexer;
use super::{EXPANSION_LIMIT, Preprocessor};
use crate::diag::{Diagnostics, count};
use crate::intern::Symbol;
use crate::source::Loc;
use crate::token::{PpKind, PpToken, Punct};
use std::rc::Rc;
use touchstone_faults::{Fault, on};

/// How deep arguments may hold invocations whose arguments hold invocations, …
const ARGUMENT_DEPTH: u32 = 200;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// None for an object-like macro. The last is `__VA_ARGS__` (or its name) if `variadic`.
    pub(super) params: Option<Vec<Symbol>>,
    pub(super) variadic: bool,
    pub(super) body: Vec<PpToken>,
    pub(super) at: Loc,
    /// `__LINE__` and its kind: computed at each use.
    pub(super) dynamic: bool,
    pub(super) builtin: bool,
}

impl Macro {
    /// Whether a second definition says the same (C99 6.10.3p2).
    pub(super) fn same_as(&self, other: &Self) -> bool {
        let mut tokens = self.body.iter().zip(&other.body).enumerate();
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && tokens.all(|(i, (a, b))| {
                a.kind == b.kind && a.text == b.text && (i == 0 || a.space == b.space)
            })
    }
}

/// A list of tokens being read again; `of` is out of action meanwhile.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) tokens: Vec<PpToken>,
    pub(super) next: usize,
    pub(super) of: Option<Symbol>,
}

/// An argument: as written, and expanded when some parameter needs it so.
struct Argument {
    raw: Vec<PpToken>,
    expanded: Option<Vec<PpToken>>,
}

impl Preprocessor<'_> {
    /// Reads `tokens` next.
    pub(super) fn push_frame(&mut self, tokens: Vec<PpToken>, of: Option<Symbol>) {
        if let Some(of) = of {
            *self.active.entry(of).or_default() += 1;
        }
        self.frames.push(Frame {
            tokens,
            next: 0,
            of,
        });
    }

    /// Ends the list on top.
    pub(super) fn pop_frame(&mut self) {
        if let Some(of) = self.frames.pop().and_then(|frame| frame.of)
            && let Some(n) = self.active.get_mut(&of)
        {
            *n -= 1;
        }
    }

    /// Counts what expansion produces; None when it is too much.
    fn produce(&mut self, at: Loc, n: usize) -> Option<()> {
        self.produced = self.produced.saturating_add(n);
        if self.produced > EXPANSION_LIMIT {
            let message = format!("macro expansion makes more than {EXPANSION_LIMIT} tokens");
            self.stop(at, &message);
        }
        (!self.stopped).then_some(())
    }

    /// Expands the identifier `token`; returns it if it stands for itself.
    pub(super) fn expand(&mut self, mut token: PpToken) -> Option<PpToken> {
        let Some(definition) = self.macros.get(&token.text).cloned() else {
            return Some(token);
        };
        if self.active.get(&token.text).is_some_and(|&n| n > 0) {
            token.painted = true;
            return Some(token);
        }
        if definition.dynamic {
            let value = self.dynamic_value(token);
            return Some(value);
        }
        let args = match &definition.params {
            None => Vec::new(),
            Some(params) => {
                if !self.invocation_follows() {
                    return Some(token);
                }
                self.arguments(&definition, params, token)?
            }
        };
        let mut tokens = self.substitute(&definition, args, token)?;
        if let Some(first) = tokens.first_mut() {
            first.space = token.space;
            first.first = token.first;
        }
        for t in &mut tokens {
            t.loc = token.loc;
        }
        self.produce(token.loc, tokens.len() + 1)?;
        self.push_frame(tokens, Some(definition.name));
        None
    }

    fn dynamic_value(&mut self, token: PpToken) -> PpToken {
        let position = self.shared.sources.position(token.loc);
        let (kind, text) = if token.text == self.known.line {
            (PpKind::Number, position.line.to_string())
        } else if token.text == self.known.file {
            (PpKind::Str, quote(&position.name))
        } else {
            let n = self.counter;
            self.counter += 1;
            (PpKind::Number, n.to_string())
        };
        PpToken {
            kind,
            text: self.shared.names.intern(&text),
            ..token
        }
    }

    /// Whether the next token opens an argument list; it is consumed only then.
    fn invocation_follows(&mut self) -> bool {
        match self.next_raw() {
            Some(t) if t.is(Punct::LParen) => true,
            Some(t) => {
                self.push_frame(vec![t], None);
                false
            }
            None => false,
        }
    }

    /// Reads the arguments up to the closing parenthesis.
    fn arguments(
        &mut self,
        definition: &Macro,
        params: &[Symbol],
        name: PpToken,
    ) -> Option<Vec<Argument>> {
        let mut args = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let Some(token) = self.next_raw() else {
                if !self.stopped {
                    let text = self.shared.names.get(name.text).to_owned();
                    let message = format!("the argument list of macro `{text}` is not closed");
                    self.error(name.loc, message);
                }
                return None;
            };
            self.produce(name.loc, 1)?;
            let variadic_now = definition.variadic && args.len() >= params.len();
            match token.kind {
                PpKind::Punct(Punct::LParen) => depth += 1,
                PpKind::Punct(Punct::RParen) if depth == 0 => break,
                PpKind::Punct(Punct::RParen) => depth -= 1,
                PpKind::Punct(Punct::Comma) if depth == 0 && !variadic_now => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(token);
            }
        }
        if params.is_empty() && args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if definition.variadic && args.len() + 1 == params.len() {
            args.push(Vec::new());
        }
        if args.len() != params.len() {
            let text = self.shared.names.get(name.text).to_owned();
            let (takes, given) = (count(params.len(), "argument"), args.len());
            let message = format!("macro `{text}` takes {takes}, and is given {given}");
            self.error(name.loc, message);
            self.note(definition.at, format!("`{text}` is defined here"));
            return None;
        }
        let argument = |raw| Argument {
            raw,
            expanded: None,
        };
        Some(args.into_iter().map(argument).collect())
    }

    /// Expands a list of tokens as if it were the rest of the program.
    pub(super) fn expand_alone(&mut self, tokens: Vec<PpToken>, at: Loc) -> Vec<PpToken> {
        if self.argument_depth >= ARGUMENT_DEPTH {
            let message = format!("macro arguments nest deeper than {ARGUMENT_DEPTH} levels");
            self.stop(at, &message);
            return Vec::new();
        }
        self.argument_depth += 1;
        let frames = std::mem::take(&mut self.frames);
        let isolated = std::mem::replace(&mut self.isolated, true);
        self.push_frame(tokens, None);
        let mut out = Vec::new();
        while let Some(token) = self.next_expanded() {
            out.push(token);
        }
        while !self.frames.is_empty() {
            self.pop_frame();
        }
        self.frames = frames;
        self.isolated = isolated;
        self.argument_depth -= 1;
        out
    }

    /// The body with its parameters replaced, `#` and `##` done.
    fn substitute(
        &mut self,
        definition: &Rc<Macro>,
        mut args: Vec<Argument>,
        name: PpToken,
    ) -> Option<Vec<PpToken>> {
        let body = &definition.body;
        let param = |t: &PpToken| -> Option<usize> {
            let mut params = definition.params.iter().flatten();
            params.position(|&p| t.kind == PpKind::Ident && p == t.text)
        };
        let placemarker = |at: PpToken| PpToken {
            kind: PpKind::Placemarker,
            ..at
        };
        let mut out: Vec<PpToken> = Vec::new();
        let mut i = 0;
        while i < body.len() {
            let token = body[i];
            self.produce(name.loc, 1)?;
            if definition.params.is_some() && token.is(Punct::Hash) {
                // `#define` checked that a parameter follows.
                if let Some(p) = body.get(i + 1).and_then(&param) {
                    out.push(self.stringize(&args[p].raw, token));
                    i += 2;
                    continue;
                }
            }
            if token.is(Punct::HashHash) && i > 0 && i + 1 < body.len() {
                let next = body[i + 1];
                let right = match param(&next) {
                    Some(p) => {
                        let is_va = definition.variadic
                            && Some(p + 1) == definition.params.as_ref().map(Vec::len);
                        let comma = out.last().is_some_and(|t| t.is(Punct::Comma));
                        if is_va && comma {
                            // `, ## __VA_ARGS__`: the comma goes when nothing follows it.
                            if args[p].raw.is_empty() {
                                out.pop();
                            } else {
                                let tokens = self.expanded(&mut args[p], name.loc);
                                out.extend(tokens);
                            }
                            i += 2;
                            continue;
                        }
                        args[p].raw.clone()
                    }
                    None if next.is(Punct::Hash) && definition.params.is_some() => {
                        match body.get(i + 2).and_then(&param) {
                            Some(p) => {
                                i += 1;
                                vec![self.stringize(&args[p].raw, next)]
                            }
                            None => vec![next],
                        }
                    }
                    None => vec![next],
                };
                self.produce(name.loc, right.len())?;
                let mut right = right.into_iter();
                let left = out.pop();
                let glued = match (left, right.next()) {
                    (Some(left), Some(first)) => self.paste(left, first, name.loc),
                    (Some(left), None) => left,
                    (None, Some(first)) => first,
                    (None, None) => placemarker(token),
                };
                out.push(glued);
                out.extend(right);
                i += 2;
                continue;
            }
            match param(&token) {
                Some(p) => {
                    let before_paste = body.get(i + 1).is_some_and(|t| t.is(Punct::HashHash));
                    let mut tokens = if before_paste {
                        args[p].raw.clone()
                    } else {
                        self.expanded(&mut args[p], name.loc)
                    };
                    self.produce(name.loc, tokens.len())?;
                    if let Some(first) = tokens.first_mut() {
                        first.space = token.space;
                    } else if before_paste {
                        tokens.push(placemarker(token));
                    }
                    out.extend(tokens);
                }
                None => out.push(token),
            }
            i += 1;
        }
        Some(out)
    }

    fn expanded(&mut self, arg: &mut Argument, at: Loc) -> Vec<PpToken> {
        if arg.expanded.is_none() {
            arg.expanded = Some(self.expand_alone(arg.raw.clone(), at));
        }
        arg.expanded.clone().unwrap_or_default()
    }

    /// `#` (C99 6.10.3.2).
    fn stringize(&mut self, tokens: &[PpToken], at: PpToken) -> PpToken {
        let mut escaped = String::from("\"");
        let values;
        let tokens = match on(Fault::StringsOfValues) {
            true => {
                values = self.expand_alone(tokens.to_vec(), at.loc);
                &values[..]
            }
            false => tokens,
        };
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.space {
                escaped.push(' ');
            }
            let spelling = self.shared.names.get(token.text);
            match token.kind {
                PpKind::Str | PpKind::Char => escape(spelling, &mut escaped),
                _ => escaped.push_str(spelling),
            }
        }
        escaped.push('"');
        PpToken {
            kind: PpKind::Str,
            text: self.shared.names.intern(&escaped),
            ..at
        }
    }

    /// `##` (C99 6.10.3.3).
    fn paste(&mut self, left: PpToken, right: PpToken, at: Loc) -> PpToken {
        if left.kind == PpKind::Placemarker {
            return PpToken {
                space: left.space,
                ..right
            };
        }
        if right.kind == PpKind::Placemarker {
            return left;
        }
        let text = format!(
            "{}{}",
            self.shared.names.get(left.text),
            self.shared.names.get(right.text)
        );
        let mut lexer = Lexer::new(at.file, text.as_str().into());
        let pasted = lexer.next(self.shared.names, &mut Diagnostics::default());
        match pasted.filter(|_| lexer.at_end()) {
            Some(PpToken {
                kind: kind @ (PpKind::Ident | PpKind::Number | PpKind::Punct(_)),
                text,
                ..
            }) => PpToken {
                kind,
                text,
                painted: false,
                ..left
            },
            _ => {
                self.error(at, format!("`##` makes `{text}`, which is not a token"));
                left
            }
        }
    }
}

/// Adds a text with its quotes and backslashes escaped.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
}

/// A text as a string constant.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    escape(text, &mut out);
    out.push('"');
    out
}
