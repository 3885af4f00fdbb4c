//! The schema: one serde type for each mapping of the document, read and written alike.

use super::value::{At, Flags, Integer, OneOrMany, Text, bare, given};
use crate::program::{Api, MapAccess, MemOrder, MemScope, Memory, QueueOrder, Region};
use crate::syntax::error::Span;
use crate::syntax::lower::domain::DomainWord;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_saphyr::{FlowMap, FlowSeq};
use std::fmt;

/// What `kind:` says in a file of a litmus test.
pub(super) const KIND: &str = "litmus";

/// A test.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping, the test")]
pub(super) struct Document {
    /// [`KIND`]; files without the key are read too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Text>,
    /// The test's name.
    pub litmus: Text,
    /// The API, OpenCL where nothing is said.
    #[serde(default, skip_serializing_if = "is_default")]
    pub api: Api,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<FlowMap<LocationEntry>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<FlowMap<QueueEntry>>,
    /// Pairs of threads that system-synchronize.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synchronized: Vec<FlowSeq<At<(u64, u64)>>>,
    /// Pairs of threads of which the first contributes to the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contributes: Vec<FlowSeq<At<(u64, u64)>>>,
    pub threads: At<Vec<At<ThreadEntry>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_exists: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forall: Option<Text>,
}

/// A shared location.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping, a location")]
pub(super) struct LocationEntry {
    pub name: Text,
    #[serde(rename = "type")]
    pub ty: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic: Option<At<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<At<Memory>>,
    /// The location whose memory it is another reference to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<Text>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generic: bool,
    pub init: Option<At<OneOrMany<Integer>>>,
}

/// A host command-queue.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping, a queue")]
pub(super) struct QueueEntry {
    pub name: Text,
    #[serde(default)]
    pub order: QueueOrder,
}

/// A thread and its placement.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping, a thread")]
pub(super) struct ThreadEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<At<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<At<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_family: Option<At<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_group: Option<At<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_group: Option<At<u32>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registers: Vec<FlowMap<RegisterEntry>>,
    #[serde(default)]
    pub body: Vec<At<Step>>,
}

/// A register.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping, a register")]
pub(super) struct RegisterEntry {
    pub name: Text,
    #[serde(rename = "type")]
    pub ty: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<Integer>,
}

/// An instruction: the word `return`, or a mapping.
pub(super) enum Step {
    Return,
    Instruction(Box<Instruction>),
}

/// What memory semantics make of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Making {
    Available,
    Visible,
}

/// Whether a value is what it is where nothing is said.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Declares the keys of an instruction, each of them optional: which of them belong together is
/// up to the reader.
macro_rules! instruction {
    ($($(#[$attribute:meta])* $key:ident $name:literal: $ty:ty,)*) => {
        /// The keys of an instruction.
        #[derive(Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Instruction {
            $(
                $(#[$attribute])*
                #[serde(
                    rename = $name,
                    default,
                    deserialize_with = "given",
                    skip_serializing_if = "Option::is_none"
                )]
                pub $key: Option<$ty>,
            )*
        }

        impl Instruction {
            /// Keys that are present, with the places of their values.
            pub fn present(&self) -> impl Iterator<Item = (&'static str, Span)> {
                [$(($name, self.$key.as_ref().map(|value| value.span)),)*]
                    .into_iter()
                    .filter_map(|(key, span)| Some((key, span?)))
            }
        }
    };
}

instruction! {
    assign "assign": Text,
    load "load": Text,
    store "store": Text,
    effect "effect": Text,
    fence "fence": At<Flags>,
    barrier "barrier": At<Flags>,
    sub_group_barrier "sub_group_barrier": At<Flags>,
    queue_family_barrier "queue_family_barrier": At<Flags>,
    device_barrier "device_barrier": At<Flags>,
    domain "domain": At<DomainWord>,
    location "location": Text,
    rmw "rmw": Text,
    compare_exchange "compare_exchange": Text,
    condition "if": Text,
    repeat "while": Text,
    enqueue "enqueue": Text,
    marker "marker": At<Option<String>>,
    queue_barrier "queue_barrier": At<Option<String>>,
    map "map": Text,
    unmap "unmap": Text,
    wait "wait": At<FlowSeq<Vec<Text>>>,
    finish "finish": Text,
    flush "flush": Text,
    event "event": Text,
    access "access": At<MapAccess>,
    blocking "blocking": At<bool>,
    queue "queue": Text,
    after "after": At<FlowSeq<Vec<Text>>>,
    #[serde(serialize_with = "bare")]
    value "value": Text,
    into "into": Text,
    label "label": Text,
    operation "operation": Text,
    expected "expected": Text,
    quorum "quorum": At<u32>,
    order "order": At<MemOrder>,
    failure "failure": At<MemOrder>,
    scope "scope": At<MemScope>,
    semantics "semantics": At<Flags>,
    make "make": At<FlowSeq<Vec<Making>>>,
    non_private "non_private": At<bool>,
    coherent "coherent": At<MemScope>,
    volatile "volatile": At<bool>,
    atomic "atomic": At<bool>,
    legacy "legacy": At<bool>,
    then "then": At<Vec<At<Step>>>,
    otherwise "else": At<Vec<At<Step>>>,
    body "do": At<Vec<At<Step>>>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Step, D::Error> {
        deserializer.deserialize_any(StepVisitor)
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = Step;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an instruction: return, or a mapping like {store: x, value: 1, order: release, \
             scope: device}",
        )
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Step, E> {
        match word {
            "return" => Ok(Step::Return),
            other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
        }
    }

    fn visit_map<A: de::MapAccess<'de>>(self, access: A) -> Result<Step, A::Error> {
        let keys = Instruction::deserialize(MapAccessDeserializer::new(access))?;
        Ok(Step::Instruction(Box::new(keys)))
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Step::Return => serializer.serialize_str("return"),
            Step::Instruction(keys) if keys.condition.is_some() || keys.repeat.is_some() => {
                keys.serialize(serializer)
            }
            Step::Instruction(keys) => FlowMap(keys).serialize(serializer),
        }
    }
}
