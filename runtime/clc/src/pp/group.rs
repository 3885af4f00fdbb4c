//! Conditional inclusion (C99 6.10.1): which groups of lines are read.

use super::Preprocessor;
use crate::diag::Diagnostics;
use crate::source::Loc;
use crate::token::{PpKind, Punct};

/// An open `#if`.
#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) at: Loc,
    /// Some group of it has been chosen.
    taken: bool,
    seen_else: bool,
}

impl Preprocessor<'_> {
    fn innermost(&mut self) -> Option<&mut Conditional> {
        self.files.last_mut()?.conditionals.last_mut()
    }

    pub(super) fn condition_line(&mut self, at: Loc) -> bool {
        let tokens = self.line_tokens();
        self.condition(at, tokens)
    }

    pub(super) fn begin_if(&mut self, at: Loc, value: bool) {
        if let Some(open) = self.files.last_mut() {
            open.conditionals.push(Conditional {
                at,
                taken: value,
                seen_else: false,
            });
        }
        if !value {
            self.skip_group();
        }
    }

    pub(super) fn end_if(&mut self, at: Loc) {
        let open = self.files.last_mut();
        if open.and_then(|open| open.conditionals.pop()).is_none() {
            self.error(at, "#endif without #if");
        }
        self.end_line("#endif");
    }

    /// Comes to `#elif` or `#else`: whether its group may be read, None where no `#if` is open.
    fn next_group(&mut self, at: Loc, directive: &str) -> Option<bool> {
        let conditional = self.innermost()?;
        let (taken, again) = (conditional.taken, conditional.seen_else);
        conditional.seen_else |= directive == "else";
        if again {
            self.error(at, format!("#{directive} after #else"));
        }
        Some(!taken && !again)
    }

    /// `#elif` or `#else` after a group that was read: the rest up to `#endif` is skipped.
    pub(super) fn other_group(&mut self, at: Loc, directive: &str) {
        let group = self.next_group(at, directive);
        if group.is_none() {
            self.error(at, format!("#{directive} without #if"));
        }
        self.skip_line();
        if group.is_some() {
            self.skip_group();
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
                "endif" => return self.end_if(name.loc),
                "else" | "elif" if depth == 0 => {
                    if self.next_group(name.loc, &text) != Some(true) {
                        continue;
                    }
                    let value = text == "else" || self.condition_line(name.loc);
                    if text == "else" {
                        self.end_line("#else");
                    }
                    if value {
                        if let Some(conditional) = self.innermost() {
                            conditional.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
