//! Directives (C99 6.10).

use super::Preprocessor;
use super::macros::Macro;
use crate::diag::Diagnostics;
use crate::intern::Symbol;
use crate::source::Loc;
use crate::token::{PpKind, PpToken, Punct};
use std::rc::Rc;

/// How deep `#include` may go.
const INCLUDE_DEPTH: usize = 64;

/// An open `#if`.
#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) at: Loc,
    /// Some group of it has been chosen.
    taken: bool,
    seen_else: bool,
}

impl Preprocessor<'_> {
    /// Obeys the directive whose `#` has just been read.
    pub(super) fn directive(&mut self, hash: PpToken) {
        self.set_in_directive(true);
        let name = self.lex_line();
        match name {
            Some(t) if t.kind == PpKind::Ident => {
                let text = self.shared.names.get(t.text).to_owned();
                match text.as_str() {
                    "define" => self.define(t.loc),
                    "undef" => self.undef(t.loc),
                    "include" => self.include(t.loc),
                    "if" => {
                        let value = self.condition_line(t.loc);
                        self.begin_if(hash.loc, value);
                    }
                    "ifdef" | "ifndef" => {
                        let defined = self.is_defined_line(t.loc, &format!("#{text}"));
                        self.begin_if(hash.loc, defined == (text == "ifdef"));
                    }
                    "elif" | "else" => self.other_group(t.loc, &text),
                    "endif" => {
                        if self.conditionals().and_then(Vec::pop).is_none() {
                            self.error(t.loc, "#endif without #if");
                        }
                        self.end_line("#endif");
                    }
                    "line" => self.line(t.loc),
                    "error" => {
                        let message = self.rest_of_line();
                        self.error(t.loc, format!("#error {message}"));
                    }
                    "warning" => {
                        let message = self.rest_of_line();
                        self.warning(t.loc, format!("#warning {message}"));
                    }
                    "pragma" => {
                        let line = self.rest_of_line();
                        self.pragma(t.loc, &line);
                    }
                    _ => {
                        self.error(t.loc, format!("unknown directive `#{text}`"));
                        self.skip_line();
                    }
                }
            }
            Some(t) if t.kind == PpKind::EndOfLine => {}
            Some(t) => {
                self.error(t.loc, "a directive's name is expected after #");
                self.skip_line();
            }
            None => {}
        }
        // `#include` has put another text on top; its reader is not in a directive.
        for open in &mut self.files {
            open.lexer.in_directive = false;
        }
    }

    fn set_in_directive(&mut self, value: bool) {
        if let Some(open) = self.files.last_mut() {
            open.lexer.in_directive = value;
        }
    }

    fn conditionals(&mut self) -> Option<&mut Vec<Conditional>> {
        self.files.last_mut().map(|open| &mut open.conditionals)
    }

    /// The next token of the directive's line.
    fn lex_line(&mut self) -> Option<PpToken> {
        let open = self.files.last_mut()?;
        open.lexer.next(self.shared.names, self.shared.diags)
    }

    fn skip_line(&mut self) {
        if let Some(open) = self.files.last_mut() {
            open.lexer.skip_line(self.shared.names, self.shared.diags);
        }
    }

    fn rest_of_line(&mut self) -> String {
        let open = self.files.last_mut();
        open.map_or_else(String::new, |open| open.lexer.rest_of_line())
    }

    /// The rest of the line as tokens, without its end.
    fn line_tokens(&mut self) -> Vec<PpToken> {
        let mut tokens = Vec::new();
        while let Some(token) = self.lex_line() {
            if token.kind == PpKind::EndOfLine {
                break;
            }
            tokens.push(token);
        }
        tokens
    }

    /// Expects the end of the line.
    fn end_line(&mut self, directive: &str) {
        if let Some(token) = self.lex_line()
            && token.kind != PpKind::EndOfLine
        {
            self.warning(token.loc, format!("text after {directive} is ignored"));
            self.skip_line();
        }
    }

    fn macro_name(&mut self, at: Loc, directive: &str) -> Option<(Symbol, Loc)> {
        let token = self.lex_line();
        match token {
            Some(t) if t.kind == PpKind::Ident && t.text == self.known.defined => {
                self.error(t.loc, "`defined` cannot be a macro");
            }
            Some(t) if t.kind == PpKind::Ident => return Some((t.text, t.loc)),
            Some(_) | None => {
                let at = token.map_or(at, |t| t.loc);
                self.error(at, format!("{directive} needs the name of a macro"));
            }
        }
        if token.is_some_and(|t| t.kind != PpKind::EndOfLine) {
            self.skip_line();
        }
        None
    }

    fn define(&mut self, at: Loc) {
        let Some((name, name_loc)) = self.macro_name(at, "#define") else {
            return;
        };
        let mut body = self.line_tokens();
        let mut params = None;
        let mut variadic = false;
        let first = body.first();
        if first.is_some_and(|t| t.is(Punct::LParen) && !t.space) {
            let Some((list, is_variadic, used)) = self.parameters(&body) else {
                return;
            };
            (params, variadic) = (Some(list), is_variadic);
            body.drain(..used);
        }
        if let Some(first) = body.first_mut() {
            first.space = true;
        }
        if !self.check_body(&body, params.as_deref(), variadic) {
            return;
        }
        let definition = Macro {
            name,
            params,
            variadic,
            body,
            at: name_loc,
            dynamic: false,
            builtin: name_loc.file.0 == 0,
        };
        if let Some(old) = self.macros.get(&name).cloned() {
            let text = self.shared.names.get(name).to_owned();
            if old.dynamic || old.builtin {
                self.warning(name_loc, format!("`{text}` is predefined; redefining it"));
            } else if !old.same_as(&definition) {
                let message = format!("`{text}` is defined again, and differently");
                self.warning(name_loc, message);
                self.note(old.at, "the earlier definition is here");
            }
        }
        self.macros.insert(name, Rc::new(definition));
    }

    /// Reads `(a, b, ...)` at the start of a macro's body.
    fn parameters(&mut self, body: &[PpToken]) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut params = Vec::new();
        let mut i = 1;
        let mut bad = body[0].loc;
        if body.get(1).is_some_and(|t| t.is(Punct::RParen)) {
            return Some((params, false, 2));
        }
        while let Some(token) = body.get(i) {
            bad = token.loc;
            let mut variadic = false;
            if token.kind == PpKind::Ident && token.text != self.known.va_args {
                if params.contains(&token.text) {
                    self.error(token.loc, "this parameter has the name of another");
                    return None;
                }
                params.push(token.text);
                i += 1;
                if body.get(i).is_some_and(|t| t.is(Punct::Ellipsis)) {
                    variadic = true;
                    i += 1;
                }
            } else if token.is(Punct::Ellipsis) {
                params.push(self.known.va_args);
                variadic = true;
                i += 1;
            } else {
                break;
            }
            match body.get(i) {
                Some(t) if t.is(Punct::RParen) => return Some((params, variadic, i + 1)),
                Some(t) if t.is(Punct::Comma) && !variadic => i += 1,
                Some(t) => {
                    bad = t.loc;
                    break;
                }
                None => break,
            }
        }
        self.error(bad, "a macro's parameter list is expected: (a, b, ...)");
        None
    }

    /// `##` at neither end, `#` before a parameter, `__VA_ARGS__` only where it means something.
    fn check_body(&mut self, body: &[PpToken], params: Option<&[Symbol]>, variadic: bool) -> bool {
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.is(Punct::HashHash) {
                self.error(end.loc, "`##` needs a token on each side");
                return false;
            }
        }
        let is_param = |t: &PpToken| {
            let params = params.unwrap_or_default();
            t.kind == PpKind::Ident && params.contains(&t.text)
        };
        for (i, token) in body.iter().enumerate() {
            let operator = params.is_some() && token.is(Punct::Hash);
            if operator && !body.get(i + 1).is_some_and(is_param) {
                self.error(token.loc, "`#` needs a parameter of the macro after it");
                return false;
            }
            if token.kind == PpKind::Ident && token.text == self.known.va_args && !variadic {
                let message = "__VA_ARGS__ means something only in a macro with `...`";
                self.warning(token.loc, message);
            }
        }
        true
    }

    fn undef(&mut self, at: Loc) {
        if let Some((name, loc)) = self.macro_name(at, "#undef") {
            if let Some(old) = self.macros.remove(&name)
                && (old.dynamic || old.builtin)
            {
                let text = self.shared.names.get(name).to_owned();
                self.warning(loc, format!("`{text}` is predefined; undefining it"));
            }
            self.end_line("#undef");
        }
    }

    fn include(&mut self, at: Loc) {
        let Some(open) = self.files.last_mut() else {
            return;
        };
        let mut name = open.lexer.header_name(self.shared.diags);
        if name.is_none() {
            let tokens = self.line_tokens();
            let tokens = self.expand_alone(tokens, at);
            name = match tokens.as_slice() {
                [t] if t.kind == PpKind::Str => {
                    let text = self.shared.names.get(t.text);
                    Some((text[1..text.len() - 1].to_owned(), false))
                }
                [first, middle @ .., last] if first.is(Punct::Lt) && last.is(Punct::Gt) => {
                    let mut text = String::new();
                    for token in middle {
                        if token.space && !text.is_empty() {
                            text.push(' ');
                        }
                        text.push_str(self.shared.names.get(token.text));
                    }
                    Some((text, true))
                }
                _ => None,
            };
        } else {
            self.end_line("#include");
        }
        let Some((name, angled)) = name else {
            self.error(at, "#include needs \"a name\" or <a name>");
            return;
        };
        if self.files.len() >= INCLUDE_DEPTH {
            let message = format!("#include nests deeper than {INCLUDE_DEPTH} files");
            self.stop(at, &message);
            return;
        }
        let includer = self.shared.sources.file_name(at.file);
        let found = candidates(&name, angled, &includer, self.include_dirs)
            .find_map(|path| (self.headers)(&path).map(|text| (path, text)));
        match found {
            Some((path, _)) if self.once.contains(path.as_str()) => {}
            Some((path, text)) => {
                self.set_in_directive(false);
                if self.produced.saturating_add(text.len()) > super::TOKEN_LIMIT * 16 {
                    self.stop(at, "the included headers are too large together");
                    return;
                }
                self.produced = self.produced.saturating_add(text.len() / 16);
                self.open(&path, &text);
            }
            None => {
                self.error(at, format!("there is no header `{name}`"));
            }
        }
    }

    fn is_defined_line(&mut self, at: Loc, directive: &str) -> bool {
        let Some((name, _)) = self.macro_name(at, directive) else {
            return false;
        };
        self.end_line(directive);
        self.macros.contains_key(&name)
    }

    fn condition_line(&mut self, at: Loc) -> bool {
        let tokens = self.line_tokens();
        self.condition(at, tokens)
    }

    fn begin_if(&mut self, at: Loc, value: bool) {
        if let Some(conditionals) = self.conditionals() {
            conditionals.push(Conditional {
                at,
                taken: value,
                seen_else: false,
            });
        }
        if !value {
            self.skip_group();
        }
    }

    /// `#elif` or `#else` after a group that was read: the rest up to `#endif` is skipped.
    fn other_group(&mut self, at: Loc, directive: &str) {
        match self.conditionals().and_then(|c| c.last_mut()) {
            None => {
                self.error(at, format!("#{directive} without #if"));
                self.skip_line();
            }
            Some(conditional) => {
                let again = conditional.seen_else;
                conditional.seen_else |= directive == "else";
                if again {
                    self.error(at, format!("#{directive} after #else"));
                }
                self.skip_line();
                self.skip_group();
            }
        }
    }

    /// Skips to the group that is chosen, or past the `#endif`.
    fn skip_group(&mut self) {
        let mut depth = 0u32;
        let mut quiet = Diagnostics::default();
        loop {
            self.set_in_directive(false);
            let Some(open) = self.files.last_mut() else {
                return;
            };
            let Some(token) = open.lexer.next(self.shared.names, &mut quiet) else {
                return;
            };
            if !(token.first && token.is(Punct::Hash)) {
                continue;
            }
            open.lexer.in_directive = true;
            let Some(name) = open.lexer.next(self.shared.names, &mut quiet) else {
                return;
            };
            if name.kind != PpKind::Ident {
                continue;
            }
            let text = self.shared.names.get(name.text).to_owned();
            match text.as_str() {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    if let Some(conditionals) = self.conditionals() {
                        conditionals.pop();
                    }
                    self.end_line("#endif");
                    return;
                }
                "else" | "elif" if depth == 0 => {
                    let Some(conditional) = self.conditionals().and_then(|c| c.last_mut()) else {
                        return;
                    };
                    let (taken, again) = (conditional.taken, conditional.seen_else);
                    conditional.seen_else |= text == "else";
                    if again {
                        self.error(name.loc, format!("#{text} after #else"));
                        continue;
                    }
                    if taken {
                        continue;
                    }
                    let value = if text == "else" {
                        self.end_line("#else");
                        true
                    } else {
                        self.condition_line(name.loc)
                    };
                    if value {
                        if let Some(c) = self.conditionals().and_then(|c| c.last_mut()) {
                            c.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, at: Loc) {
        let tokens = self.line_tokens();
        let tokens = self.expand_alone(tokens, at);
        let text = |t: &PpToken| self.shared.names.get(t.text);
        let (number, name) = match tokens.as_slice() {
            [number] if number.kind == PpKind::Number => (text(number).parse().ok(), None),
            [number, name] if number.kind == PpKind::Number && name.kind == PpKind::Str => {
                let name = text(name);
                (text(number).parse().ok(), Some(&name[1..name.len() - 1]))
            }
            _ => (None, None),
        };
        match number {
            Some(number) => self.shared.sources.mark_line(at, number, name),
            None => {
                let message = "#line needs a line number, and then a \"file name\" or nothing";
                self.error(at, message);
            }
        }
    }

    /// Obeys a pragma.
    pub(super) fn pragma(&mut self, at: Loc, line: &str) {
        let words: Vec<&str> = line
            .split(|c: char| c.is_whitespace() || c == ':')
            .filter(|w| !w.is_empty())
            .collect();
        match words.as_slice() {
            ["OPENCL", "EXTENSION", "all", "enable"] => {
                let message = "`all` extensions can only be disabled (OpenCL C, OPENCL EXTENSION)";
                self.error(at, message);
            }
            ["OPENCL", "EXTENSION", name, "enable"] => {
                if !self.device.extensions.contains(*name) {
                    self.warning(at, format!("this device has no extension `{name}`"));
                }
            }
            ["OPENCL", "EXTENSION", _, "disable" | "begin" | "end"] => {}
            ["OPENCL", "EXTENSION", ..] => {
                let message = "expected: #pragma OPENCL EXTENSION name : enable or disable";
                self.warning(at, message);
            }
            ["OPENCL" | "STDC", "FP_CONTRACT", "ON" | "OFF" | "DEFAULT"] => {}
            ["OPENCL" | "STDC", "FP_CONTRACT", ..] => {
                self.warning(at, "FP_CONTRACT is ON, OFF or DEFAULT");
            }
            ["STDC", ..] | ["unroll" | "nounroll", ..] => {}
            ["once"] => {
                let name = self.shared.sources.file_name(at.file);
                self.once.insert(name);
            }
            [word, ..] if word.starts_with("unroll(") => {}
            [] => {}
            [word, ..] => {
                self.warning(at, format!("unknown pragma `{word}` is ignored"));
            }
        }
    }
}

/// Where a header may be, first places first: in quotes, beside the file that includes it;
/// under its own name, as headers of `clCompileProgram` are; in the folders of `-I`. One
/// file keeps one path, so that `#pragma once` knows it again.
fn candidates<'a>(
    name: &'a str,
    angled: bool,
    includer: &'a str,
    folders: &'a [String],
) -> impl Iterator<Item = String> + 'a {
    let absolute = name.starts_with('/');
    let beside = includer.rfind('/').filter(|_| !angled && !absolute);
    let beside = beside.map(|end| join(&includer[..end], name));
    let below = folders.iter().filter(move |_| !absolute);
    beside
        .into_iter()
        .chain(std::iter::once(name.to_owned()))
        .chain(below.map(move |folder| join(folder, name)))
}

/// A path below a folder, without `.` between them.
fn join(folder: &str, mut name: &str) -> String {
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}
