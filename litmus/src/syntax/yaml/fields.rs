//! Mappings of known keys, and the simple values in them.

use super::node::{Item, Value};
use crate::program::{MemOrder, MemScope};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::lexer::{Bodies, shorten, tokens};
use crate::syntax::parse::Parser;

/// A mapping being read key by key.
pub(super) struct Fields {
    span: Span,
    entries: Vec<(Name, Item)>,
}

/// A key.
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

impl Fields {
    /// A mapping whose keys are all among `known`; `what` names it in messages.
    pub fn of(item: Item, what: &str, known: &[&str]) -> Outcome<Fields> {
        let span = item.span;
        let Value::Map(pairs) = item.value else {
            return Err(
                wrong(span, &format!("{what} is a mapping"), item.value.kind())
                    .help(format!("its keys are {}", known.join(", "))),
            );
        };
        let mut entries: Vec<(Name, Item)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let Value::Scalar(text) = key.value else {
                return Err(wrong(key.span, "a key is a word", key.value.kind()));
            };
            if !known.contains(&text.as_str()) {
                let problem = Problem::new(
                    key.span,
                    format!("{what} has no key {}", shorten(&text)),
                    "unknown key",
                );
                return Err(match nearest(&text, known.iter().copied()) {
                    Some(near) => problem.help(format!("did you mean {near}?")),
                    None => problem.help(format!("its keys are {}", known.join(", "))),
                });
            }
            let name = Name {
                text,
                span: key.span,
            };
            entries.push((name, value));
        }
        // a block mapping's own span is a point; the keys show more of it
        let span = match entries.first() {
            Some((first, _)) if span.end <= span.start => first.span,
            Some(_) | None => span,
        };
        Ok(Fields { span, entries })
    }

    /// Where the mapping stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Takes the value of a key that may be missing.
    pub fn take(&mut self, key: &str) -> Option<Item> {
        let at = self.entries.iter().position(|(name, _)| name.text == key)?;
        Some(self.entries.remove(at).1)
    }

    /// Takes the value of a key that must be there.
    pub fn require(&mut self, key: &str, what: &str) -> Outcome<Item> {
        self.take(key).ok_or_else(|| {
            Problem::new(
                self.span,
                format!("{what} has no {key}"),
                format!("the key {key} is missing"),
            )
        })
    }

    /// Fails when keys are left that do not belong beside those taken.
    pub fn finish(self, what: &str) -> Outcome<()> {
        match self.entries.first() {
            None => Ok(()),
            Some((name, _)) => Err(Problem::new(
                name.span,
                format!("{what} has no {}", name.text),
                "does not belong here",
            )),
        }
    }

    /// Which of `keys` is present.
    pub fn first_of(&self, keys: &[&'static str]) -> Option<&'static str> {
        keys.iter()
            .find(|key| self.entries.iter().any(|(name, _)| name.text == **key))
            .copied()
    }
}

fn wrong(span: Span, expected: &str, found: &str) -> Problem {
    Problem::new(span, format!("{expected}, not {found}"), found)
}

impl Item {
    /// The items of a list.
    pub fn list(self, what: &str) -> Outcome<Vec<Item>> {
        match self.value {
            Value::List(items) => Ok(items),
            Value::Null => Ok(Vec::new()),
            Value::Scalar(_) | Value::Map(_) => Err(wrong(
                self.span,
                &format!("{what} is a list"),
                self.value.kind(),
            )),
        }
    }

    /// Text.
    pub fn text(&self, what: &str) -> Outcome<&str> {
        match &self.value {
            Value::Scalar(text) => Ok(text),
            Value::Null | Value::List(_) | Value::Map(_) => Err(wrong(
                self.span,
                &format!("{what} is a single value"),
                self.value.kind(),
            )),
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self, what: &str) -> Outcome<bool> {
        match self.text(what)? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(wrong(
                self.span,
                &format!("{what} is true or false"),
                &shorten(other),
            )),
        }
    }

    /// A number from 0 to `most`.
    pub fn number(&self, what: &str, most: u32) -> Outcome<u32> {
        let text = self.text(what)?;
        text.parse().ok().filter(|n| *n <= most).ok_or_else(|| {
            wrong(
                self.span,
                &format!("{what} is a number from 0 to {most}"),
                &shorten(text),
            )
        })
    }

    /// An integer of 64 bits; values above `i64::MAX` keep their bits.
    pub fn integer(&self, what: &str) -> Outcome<i64> {
        let text = self.text(what)?;
        let parsed = text
            .parse::<i64>()
            .ok()
            .or_else(|| text.parse::<u64>().ok().map(|v| v as i64));
        parsed.ok_or_else(|| wrong(self.span, &format!("{what} is an integer"), &shorten(text)))
    }

    /// A name that C can use and that has no meaning of its own.
    pub fn identifier(&self, what: &str) -> Outcome<String> {
        let text = self.text(what)?;
        let mut chars = text.chars();
        let starts = chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !starts || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Problem::new(
                self.span,
                format!("{} is not a name", shorten(text)),
                "expected letters, digits and _, a letter first",
            ));
        }
        if crate::syntax::parse::is_reserved(text) {
            return Err(Problem::new(
                self.span,
                format!("{text} cannot be a name"),
                "has a meaning of its own",
            ));
        }
        Ok(text.to_string())
    }

    /// Such a name, with its place.
    pub fn name(&self, what: &str) -> Outcome<crate::syntax::tree::Name> {
        Ok(crate::syntax::tree::Name {
            text: self.identifier(what)?,
            span: self.span,
        })
    }

    /// Names in a list.
    pub fn names(self, what: &str) -> Outcome<Vec<crate::syntax::tree::Name>> {
        let items = self.list(what)?;
        items.iter().map(|item| item.name("an event")).collect()
    }

    pub fn order(&self) -> Outcome<MemOrder> {
        let named = |name: &str| {
            MemOrder::ALL
                .into_iter()
                .find(|o| o.name() == name || short(o.name()) == name)
        };
        let names = MemOrder::ALL.map(|o| short(o.name()));
        self.named("order", &names, named)
    }

    pub fn scope(&self) -> Outcome<MemScope> {
        let named = |name: &str| {
            if matches!(name, "all_devices" | "memory_scope_all_devices") {
                return Some(MemScope::AllSvmDevices);
            }
            MemScope::ALL
                .into_iter()
                .find(|s| s.name() == name || short(s.name()) == name)
        };
        let names = MemScope::ALL.map(|s| short(s.name()));
        self.named("scope", &names, named)
    }

    /// One of a few words.
    pub fn named<T>(
        &self,
        what: &str,
        names: &[&str],
        named: impl Fn(&str) -> Option<T>,
    ) -> Outcome<T> {
        let text = self.text(what)?;
        named(text).ok_or_else(|| {
            Problem::new(
                self.span,
                format!("{} is not a {what}", shorten(text)),
                "unknown",
            )
            .help(format!("one of {}", names.join(", ")))
        })
    }

    /// Runs `read` on the text as C, and moves its errors to where the text stands in `document`.
    pub fn as_c<T>(
        &self,
        what: &'static str,
        document: &str,
        read: impl FnOnce(&mut Parser<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let text = self.text(what)?;
        let result = tokens(text, 0, Bodies::Everywhere).and_then(|tokens| {
            let mut parser = Parser::new(text, tokens, what);
            let value = read(&mut parser)?;
            parser.finish()?;
            Ok(value)
        });
        result.map_err(|problem| self.relocate(problem, text, document))
    }

    /// Moves an error from the value's text to the document; to the whole value where the two
    /// differ (escapes, folded lines).
    pub fn relocate(&self, problem: Problem, text: &str, document: &str) -> Problem {
        let written = document.get(self.span.start..self.span.end).unwrap_or("");
        let inner = match written.find(text) {
            Some(at) if !text.is_empty() => Some(self.span.start + at),
            Some(_) | None => None,
        };
        problem.relocate(|span| match inner {
            Some(start) => Span::new(start + span.start, start + span.end),
            None => self.span,
        })
    }
}

/// `memory_order_release` is `release`.
pub(super) fn short(name: &'static str) -> &'static str {
    name.strip_prefix("memory_order_")
        .or(name.strip_prefix("memory_scope_"))
        .unwrap_or(name)
}
