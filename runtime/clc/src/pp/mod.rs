//! The preprocessor (C99 6.10, and what OpenCL C adds to it).
//!
//! - `lexer`: text to preprocessing tokens
//! - `directive`: `#define`, `#if`, `#include`, …
//! - `condition`: the value of an `#if` expression
//! - `macros`: definitions and their expansion
//! - `predefined`: what is defined before the first line
//!
//! [`Preprocessor`] holds a stack of texts and, above it, a stack of token lists that macro
//! expansion pushed. A token is read from the top; a macro is out of action while its own list is
//! on the stack. Nothing here recurses over the input except the expansion of macro arguments,
//! which has a depth limit; what expansion produces has a size limit.

mod condition;
mod directive;
mod lexer;
mod macros;
mod predefined;

use crate::device::{DeviceProfile, Language};
use crate::diag::{Diagnostics, Reported};
use crate::intern::{Interner, Symbol};
use crate::options::BuildOptions;
use crate::source::{Loc, SourceMap};
use crate::token::{PpKind, PpToken, Punct};
use directive::Conditional;
use lexer::Lexer;
use macros::{Frame, Macro};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Tokens that macro expansion may produce in one build.
const EXPANSION_LIMIT: usize = 4_000_000;
/// Tokens of one translation unit.
const TOKEN_LIMIT: usize = 8_000_000;
/// Bytes of one text; positions are 32 bits wide.
const TEXT_LIMIT: usize = 256 << 20;

/// Where `#include` finds texts.
pub(crate) type HeaderLookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What the preprocessor shares with the rest of a build.
pub(crate) struct Shared<'a> {
    pub(crate) names: &'a mut Interner,
    pub(crate) diags: &'a mut Diagnostics,
    pub(crate) sources: &'a mut SourceMap,
}

/// A text being read, with the conditionals open in it.
#[derive(Debug)]
struct Open {
    lexer: Lexer,
    conditionals: Vec<Conditional>,
}

/// The state of one run.
struct Preprocessor<'a> {
    shared: Shared<'a>,
    headers: &'a HeaderLookup<'a>,
    include_dirs: &'a [String],
    device: &'a DeviceProfile,
    macros: HashMap<Symbol, Rc<Macro>>,
    /// How many lists of each macro's expansion are on the stack.
    active: HashMap<Symbol, u32>,
    frames: Vec<Frame>,
    files: Vec<Open>,
    /// While an argument is expanded, the end of the frames is the end of the input.
    isolated: bool,
    argument_depth: u32,
    produced: usize,
    counter: u32,
    /// Headers that said `#pragma once`.
    once: HashSet<Rc<str>>,
    /// A limit was passed; the input ends here.
    stopped: bool,
    known: Known,
}

/// Names the preprocessor looks for.
struct Known {
    defined: Symbol,
    va_args: Symbol,
    pragma: Symbol,
    line: Symbol,
    file: Symbol,
    counter: Symbol,
}

/// Preprocesses `text` (named `name`) into the tokens of a translation unit.
pub(crate) fn preprocess<'a>(
    shared: Shared<'a>,
    name: &str,
    text: &str,
    options: &'a BuildOptions,
    device: &'a DeviceProfile,
    language: &Language,
    headers: &'a HeaderLookup<'a>,
) -> Vec<PpToken> {
    let names = &mut *shared.names;
    let known = Known {
        defined: names.intern("defined"),
        va_args: names.intern("__VA_ARGS__"),
        pragma: names.intern("_Pragma"),
        line: names.intern("__LINE__"),
        file: names.intern("__FILE__"),
        counter: names.intern("__COUNTER__"),
    };
    let mut pp = Preprocessor {
        shared,
        headers,
        include_dirs: &options.include_dirs,
        device,
        macros: HashMap::new(),
        active: HashMap::new(),
        frames: Vec::new(),
        files: Vec::new(),
        isolated: false,
        argument_depth: 0,
        produced: 0,
        counter: 0,
        once: HashSet::new(),
        stopped: false,
        known,
    };
    pp.define_dynamic();
    let prelude = predefined::prelude(options, device, language);
    pp.open("<built-in>", &prelude);
    pp.run();
    pp.open("<command line>", &predefined::command_line(options));
    pp.run();
    pp.counter = 0;
    pp.open(name, text);
    pp.run()
}

impl Preprocessor<'_> {
    /// Starts reading a text.
    fn open(&mut self, name: &str, text: &str) {
        let fits = text.len() <= TEXT_LIMIT;
        let text = if fits { text } else { "" };
        let file = self.shared.sources.add(name, text.into());
        let text = self.shared.sources.text(file);
        self.files.push(Open {
            lexer: Lexer::new(file, text),
            conditionals: Vec::new(),
        });
        if !fits {
            self.shared.diags.error_nowhere(format!(
                "`{name}` is longer than {} MiB, more than Touchstone reads",
                TEXT_LIMIT >> 20
            ));
            self.stopped = true;
        }
    }

    /// Reads everything that is open.
    fn run(&mut self) -> Vec<PpToken> {
        let mut out = Vec::new();
        while let Some(token) = self.next_expanded() {
            if token.kind == PpKind::Ident && token.text == self.known.pragma {
                self.pragma_operator(token.loc);
                continue;
            }
            if out.len() >= TOKEN_LIMIT {
                self.stop(token.loc, "this program has too many tokens");
                break;
            }
            out.push(token);
        }
        self.files.clear();
        self.frames.clear();
        out
    }

    /// Reports that a limit was passed and ends the input.
    fn stop(&mut self, at: Loc, message: &str) {
        if !self.stopped {
            self.stopped = true;
            self.error(at, message);
        }
    }

    fn error(&mut self, at: Loc, message: impl Into<String>) -> Reported {
        self.shared.diags.error(at, message)
    }

    fn warning(&mut self, at: Loc, message: impl Into<String>) {
        self.shared.diags.warning(at, message);
    }

    fn note(&mut self, at: Loc, message: impl Into<String>) {
        self.shared.diags.note(at, message);
    }

    /// The next token after macro expansion.
    fn next_expanded(&mut self) -> Option<PpToken> {
        loop {
            let token = self.next_raw()?;
            if token.kind == PpKind::Ident && !token.painted {
                match self.expand(token) {
                    Some(token) => return Some(token),
                    None => continue,
                }
            }
            if token.kind != PpKind::Placemarker {
                return Some(token);
            }
        }
    }

    /// The next token before expansion; directives are obeyed on the way.
    fn next_raw(&mut self) -> Option<PpToken> {
        loop {
            if self.stopped {
                return None;
            }
            if let Some(frame) = self.frames.last_mut() {
                if let Some(&token) = frame.tokens.get(frame.next) {
                    frame.next += 1;
                    return Some(token);
                }
                self.pop_frame();
                continue;
            }
            if self.isolated {
                return None;
            }
            let open = self.files.last_mut()?;
            match open.lexer.next(self.shared.names, self.shared.diags) {
                Some(token) if token.first && token.is(Punct::Hash) => self.directive(token),
                Some(token) => return Some(token),
                None => self.close(),
            }
        }
    }

    /// Ends the text on top.
    fn close(&mut self) {
        if let Some(open) = self.files.pop() {
            for conditional in open.conditionals {
                self.error(conditional.at, "this conditional has no #endif");
            }
        }
    }

    /// `_Pragma("…")`: the string is handled as the line of a `#pragma`.
    fn pragma_operator(&mut self, at: Loc) {
        let open = self.next_expanded().is_some_and(|t| t.is(Punct::LParen));
        let text = if open { self.next_expanded() } else { None };
        let close = text.is_some() && self.next_expanded().is_some_and(|t| t.is(Punct::RParen));
        match text {
            Some(text) if close && text.kind == PpKind::Str => {
                let spelling = self.shared.names.get(text.text);
                let line = spelling[1..spelling.len() - 1]
                    .replace("\\\"", "\"")
                    .replace("\\\\", "\\");
                self.pragma(at, &line);
            }
            _ => {
                self.error(at, "_Pragma takes one string: _Pragma(\"…\")");
            }
        }
    }
}
