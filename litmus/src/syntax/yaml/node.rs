//! A YAML document as a tree that knows where each value stands.

use crate::syntax::error::{Outcome, Problem, Span};
use crate::syntax::limits::MAX_BLOCKS;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};
use std::fmt;

/// A value and its place in the document.
pub(super) struct Item {
    pub span: Span,
    pub value: Value,
}

/// A value.
pub(super) enum Value {
    /// Text, also of numbers and booleans.
    Scalar(String),
    /// Nothing: `key:` without a value, `~`.
    Null,
    List(Vec<Item>),
    /// Keys and values in the order written.
    Map(Vec<(Item, Item)>),
}

/// Takes a document apart.
pub(super) fn parse(text: &str) -> Outcome<Item> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_depth: 2 * MAX_BLOCKS as usize + 32,
            flow_nesting_limit: 2 * MAX_BLOCKS as usize + 32,
            max_nodes: 500_000,
        },
    };
    serde_saphyr::from_str_with_options::<Item>(text, options).map_err(|error| {
        let error = error.without_snippet();
        let span = error
            .location()
            .map_or(Span::default(), |l| place(&l, text));
        let message = error.to_string();
        // the label shows the place already, and the library's options are not the user's
        let message = message.split(" at line ").next().unwrap_or_default();
        let message = message.split(", set ").next().unwrap_or_default();
        let message = message
            .lines()
            .next()
            .unwrap_or("the document cannot be read");
        Problem::new(span, format!("not the YAML expected: {message}"), "here")
    })
}

fn place(location: &Location, text: &str) -> Span {
    let span = location.span();
    if let (Some(offset), Some(length)) = (span.byte_offset(), span.byte_len()) {
        let start = (offset as usize).min(text.len());
        return Span::new(start, start + (length as usize).max(1));
    }
    let line_start = text
        .split_inclusive('\n')
        .take(location.line().saturating_sub(1) as usize)
        .map(str::len)
        .sum::<usize>();
    let column = location.column().saturating_sub(1) as usize;
    let start = line_start
        + text[line_start..]
            .chars()
            .take(column)
            .map(char::len_utf8)
            .sum::<usize>();
    Span::new(start, start + 1)
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        let span = spanned.defined.span();
        let start = span.byte_offset().unwrap_or(0) as usize;
        let length = span.byte_len().unwrap_or(0) as usize;
        Ok(Item {
            span: Span::new(start, start + length),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Scalar(format!("{value:?}")))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Scalar(value.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key()? {
            entries.push((key, access.next_value()?));
        }
        Ok(Value::Map(entries))
    }
}

impl Value {
    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Scalar(_) => "a single value",
            Value::Null => "nothing",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}
