//! Values of a YAML document with their places, as serde reads and writes them.

use crate::program::{FenceFlags, Region};
use crate::syntax::error::{Outcome, Problem, Span};
use crate::syntax::lexer::{Bodies, shorten, tokens};
use crate::syntax::parse::{Parser, is_reserved};
use crate::syntax::tree::Name;
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_saphyr::{FlowSeq, Spanned};
use std::fmt;
use std::marker::PhantomData;

/// A value and its place in the document.
#[derive(Debug, Clone, Default)]
pub(super) struct At<T> {
    pub value: T,
    pub span: Span,
}

impl<T> At<T> {
    /// A problem where it stands.
    pub fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.span.problem(message, label)
    }
}

/// Text, also of numbers and booleans.
pub(super) type Text = At<String>;

impl<T> From<T> for At<T> {
    fn from(value: T) -> At<T> {
        At {
            value,
            span: Span::default(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<At<T>, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        let span = spanned.defined.span();
        let start = span.byte_offset().unwrap_or(0) as usize;
        let length = span.byte_len().unwrap_or(0) as usize;
        Ok(At {
            value: spanned.value,
            span: Span::new(start, start + length),
        })
    }
}

impl<T: Serialize> Serialize for At<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// For keys whose value may be nothing: `marker:` is another thing than no marker.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Text {
    /// A name that C can use and that has no meaning of its own.
    pub fn identifier(&self) -> Outcome<String> {
        let text = self.value.as_str();
        let mut chars = text.chars();
        let starts = chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !starts || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(self.span.problem(
                format!("{} is not a name", shorten(text)),
                "expected letters, digits and _, a letter first",
            ));
        }
        if is_reserved(text) {
            return Err(self.span.problem(
                format!("{text} cannot be a name"),
                "has a meaning of its own",
            ));
        }
        Ok(text.to_string())
    }

    /// Such a name, with its place.
    pub fn name(&self) -> Outcome<Name> {
        Ok(Name {
            text: self.identifier()?,
            span: self.span,
        })
    }

    /// Runs `read` on the text as C, and moves its errors to where the text stands in `document`.
    pub fn as_c<T>(
        &self,
        what: &'static str,
        document: &str,
        read: impl FnOnce(&mut Parser<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let text = self.value.as_str();
        let result = tokens(text, 0, Bodies::Everywhere).and_then(|tokens| {
            let mut parser = Parser::new(text, tokens, what);
            let value = read(&mut parser)?;
            parser.finish()?;
            Ok(value)
        });
        result.map_err(|problem| self.relocate(problem, document))
    }

    /// Moves an error from the value's text to the document; to the whole value where the two
    /// differ (escapes, folded lines).
    pub fn relocate(&self, problem: Problem, document: &str) -> Problem {
        let written = document.get(self.span.start..self.span.end).unwrap_or("");
        let inner = match written.find(&self.value) {
            Some(at) if !self.value.is_empty() => Some(self.span.start + at),
            Some(_) | None => None,
        };
        problem.relocate(|span| match inner {
            Some(start) => Span::new(start + span.start, start + span.end),
            None => self.span,
        })
    }
}

/// Names in a list.
pub(super) fn names(list: &[Text]) -> Outcome<Vec<Name>> {
    list.iter().map(Text::name).collect()
}

/// An integer of 64 bits, signed or not.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(super) struct Integer(pub i128);

impl Integer {
    /// Its bits: values above `i64::MAX` keep them.
    pub fn bits(self) -> i64 {
        self.0 as i64
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
        let value = i128::deserialize(deserializer)?;
        match i64::try_from(value).is_ok() || u64::try_from(value).is_ok() {
            true => Ok(Integer(value)),
            false => Err(de::Error::custom("an integer of more than 64 bits")),
        }
    }
}

/// A value where one is written alone, or a list of them.
#[derive(Debug, Clone)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMany::One)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMany::One)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(OneOrMany::One)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(OneOrMany::Many(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element()? {
            values.push(value);
        }
        Ok(OneOrMany::Many(values))
    }
}

/// The flags of a fence or a barrier.
pub(super) type Flags = OneOrMany<Region>;

impl From<FenceFlags> for Flags {
    fn from(flags: FenceFlags) -> Flags {
        OneOrMany::Many(flags.regions().collect())
    }
}

impl From<&Flags> for FenceFlags {
    fn from(list: &Flags) -> FenceFlags {
        let mut flags = FenceFlags::default();
        for (word, set) in flags.named() {
            *set = list.as_slice().iter().any(|flag| flag.name() == word);
        }
        flags
    }
}

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OneOrMany::One(value) => value.serialize(serializer),
            OneOrMany::Many(values) => FlowSeq(values).serialize(serializer),
        }
    }
}

/// Writes text as a number where it is one.
pub(super) fn bare<S: Serializer>(text: &Option<Text>, serializer: S) -> Result<S::Ok, S::Error> {
    match text.as_ref().map(|text| text.value.as_str()) {
        Some(text) => match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => serializer.serialize_i64(number),
            Ok(_) | Err(_) => serializer.serialize_str(text),
        },
        None => serializer.serialize_none(),
    }
}
