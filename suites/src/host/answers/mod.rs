//! What the objects of a host program must answer about themselves, at every moment of their lives.
//!
//! The text says of each query what it returns: mostly what the object was made with. `known` finds out by
//! which call each slot's object is made, `objects`, `memory`, `programs` and `kernels` make [`Question`]s of it, and [`asking`]
//! puts them into a program: when a run has made its objects, now and then between the steps of its threads, and
//! in the end. Who plays a program has the answers compared by [`HostProgram::wrong_answers`]. So any program of
//! any family asks, and none of them has to be written for it.
//!
//! **Freedoms.** "The reference count returned should be considered immediately stale", so that it must only
//! cover the program's own reference; the data store of a buffer may be larger than what was asked for; flags of 0
//! are `CL_MEM_READ_WRITE`; the devices of a context and of a program come in any order; attributes of kernels may
//! have other blanks; a kernel built without `-cl-kernel-arg-info` may say nothing of its arguments, though nothing
//! false; what later versions brought, older devices refuse. A map count
//! "should be considered immediately stale", too: it is compared only where nothing was ever mapped.

mod device;
mod kernels;
mod known;
mod macros;
mod memory;
mod objects;
mod place;
mod programs;
mod recorded;
mod signature;
#[cfg(test)]
mod tests;

pub use device::Described;
pub use place::asking;

use super::constant::{Constant, cl};
use super::function::{Class, Function};
use super::program::HostProgram;
use super::record::Record;
use super::value::{Slot, Value};
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;

super::ids! {
    /// A question of a host program: its place in [`HostProgram::questions`].
    QuestionId;
}

/// Something that an object is asked, and what it must answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The clGet…Info function.
    pub function: Function,
    /// What is given before the room for the answer: the object, the name of the question, and what lies between.
    pub of: Vec<Value>,
    /// What it must answer.
    pub wanted: Wanted,
    /// The version of OpenCL that brought the question, as `CL_TARGET_OPENCL_VERSION` has it.
    pub since: u16,
    /// Codes by which it may refuse to answer.
    pub unless: Vec<i32>,
    /// Only runs whose number leaves this remainder ask, divided by [`TURNS`]; all do where there is none.
    pub turn: Option<u8>,
    /// The rule that it is about, besides that of all answers.
    pub about: Option<RuleId>,
}

/// Runs of which one asks a question that has a turn: the others keep the pace that the program has by itself.
pub const TURNS: u32 = 4;

/// Bytes of an answer beyond which it is not asked for: no object has that much to say.
pub const LONGEST: u64 = 1 << 20;

/// Bytes of a `cl_name_version`: of its version, and all.
const VERSION: usize = 4;
const NAMED: usize = 68;

/// What an answer must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// These, one after the other, each as its class is passed, and no more.
    Values(Vec<(Class, Value)>),
    /// These objects, in any order.
    Objects(Vec<Slot>),
    /// A text with its zero byte.
    Text(String),
    /// A text that begins with this and says more, with one zero byte, at its end.
    Begins(String),
    /// An array of `cl_name_version` with these names, in any order.
    Named(Vec<String>),
    /// An array of `cl_name_version` in any order.
    Versions(Versions),
    /// An array of 64-bit numbers, at least one, each of which is one of these.
    Drawn(Vec<u64>),
    /// A text that has these parts and no others, in any order, with blanks wherever.
    Parts(Vec<String>),
    /// These names with semicolons between them, in any order.
    Names(Vec<String>),
    /// A number of so many bytes, from the second to the third.
    Number(u8, u64, u64),
    /// A set of 64 bits: all of the first, and of others only those of the second.
    Bits(u64, u64),
    /// So many bytes of which nothing is known; they are not asked for.
    Length(usize),
    /// Nothing: this error.
    Refused(i32),
}

/// What an array of `cl_name_version` has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// Names that are there, each with its major and its minor version, without the patch.
    pub some: Vec<(String, u64)>,
    /// There are no others.
    pub alone: bool,
    /// How every name begins.
    pub begins: String,
}

impl Question {
    /// A question about an object alone.
    pub fn new(function: Function, of: Slot, name: Constant, wanted: Wanted) -> Question {
        Question {
            function,
            of: vec![of.into(), name.into()],
            wanted,
            since: function.signature().since,
            unless: Vec::new(),
            turn: None,
            about: None,
        }
    }

    /// The same, of which older devices know nothing.
    pub fn since(mut self, version: u16) -> Question {
        self.since = self.since.max(version);
        self
    }

    /// The same, which a rule of its own is about.
    fn about(mut self, rule: RuleId) -> Question {
        self.about = Some(rule);
        self
    }

    /// The name of the question.
    pub fn name(&self) -> &'static str {
        let name = self.of.iter().rev().find_map(|value| match value {
            Value::Constant(name) => Some(name.name()),
            _ => None,
        });
        name.unwrap_or("nothing")
    }

    /// What it asks, in words.
    pub fn words(&self, program: &HostProgram) -> String {
        let object = self.of.first().and_then(|value| match value {
            Value::Slot(slot) => program.slots.get(slot.index()),
            _ => None,
        });
        let object = object.map_or("nothing", |info| &info.name);
        let index = match self.of.as_slice() {
            [_, Value::Number(n), _] => format!(", argument {n}"),
            _ => String::new(),
        };
        format!("{} with {} of {object}{index}", self.function, self.name())
    }

    /// The slots that have to hold something before it is asked.
    pub fn needed(&self) -> Vec<Slot> {
        let mut slots = Vec::new();
        self.of.iter().for_each(|value| value.needed(&mut slots));
        match &self.wanted {
            Wanted::Values(all) => all.iter().for_each(|(_, value)| value.needed(&mut slots)),
            Wanted::Objects(all) => slots.extend(all),
            Wanted::Text(_)
            | Wanted::Begins(_)
            | Wanted::Named(_)
            | Wanted::Versions(_)
            | Wanted::Drawn(_)
            | Wanted::Parts(_)
            | Wanted::Names(_)
            | Wanted::Number(..)
            | Wanted::Bits(..)
            | Wanted::Length(_)
            | Wanted::Refused(_) => {}
        }
        slots
    }

    /// Whether a run of this number asks it.
    pub fn is_due(&self, run: u32) -> bool {
        self.turn.is_none_or(|turn| run % TURNS == u32::from(turn))
    }
}

impl Wanted {
    /// A number of four bytes.
    fn word(value: impl Into<Value>) -> Wanted {
        Wanted::Values(vec![(Class::Word, value.into())])
    }

    /// A number of eight bytes.
    fn long(value: impl Into<Value>) -> Wanted {
        Wanted::Values(vec![(Class::Long, value.into())])
    }

    /// An object, or none.
    pub fn object(value: impl Into<Value>) -> Wanted {
        Wanted::Values(vec![(Class::Object, value.into())])
    }

    /// Nothing at all.
    fn nothing() -> Wanted {
        Wanted::Values(Vec::new())
    }

    /// A count of references, of which the program has one.
    fn references() -> Wanted {
        Wanted::Number(4, 1, u32::MAX.into())
    }

    /// Its bytes where these are known before; none of texts in parts.
    pub fn length(&self) -> Option<usize> {
        Some(match self {
            Wanted::Values(all) => all.iter().map(|(class, _)| bytes_of(*class)).sum(),
            Wanted::Objects(all) => 8 * all.len(),
            Wanted::Text(text) => text.len() + 1,
            Wanted::Begins(_) | Wanted::Parts(_) | Wanted::Drawn(_) | Wanted::Refused(_) => {
                return None;
            }
            Wanted::Versions(versions) if !versions.alone => return None,
            Wanted::Versions(versions) => NAMED * versions.some.len(),
            Wanted::Named(names) => NAMED * names.len(),
            Wanted::Names(names) => names
                .iter()
                .map(|name| name.len() + 1)
                .sum::<usize>()
                .max(1),
            Wanted::Number(bytes, ..) => usize::from(*bytes),
            Wanted::Bits(..) => 8,
            Wanted::Length(bytes) => *bytes,
        })
    }
}

/// Bytes of a value in an answer.
pub fn bytes_of(class: Class) -> usize {
    match class {
        Class::Word => 4,
        Class::Object | Class::Long | Class::Pointer | Class::Callback => 8,
    }
}

/// What was said to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The code of asking how long the answer is.
    pub sized: i32,
    /// The length that was said then.
    pub size: u64,
    /// The code of asking with as much room, where that was done.
    pub code: Option<i32>,
    /// The length that was said with the answer.
    pub length: u64,
    /// The answer.
    pub bytes: Vec<u8>,
    /// Bytes beyond the room were written.
    pub is_beyond: bool,
    /// The code of asking with a byte too few, where that was done.
    pub short: Option<i32>,
    /// The code of asking with more room than the answer needs, where that was done.
    pub roomy: Option<i32>,
    /// The length that was said then.
    pub roomy_length: u64,
    /// What the objects and addresses of [`Wanted`] were then, as the bytes that are wanted.
    pub wanted: Vec<u8>,
}

impl HostProgram {
    /// What of a run's answers is wrong, each with its rule.
    pub fn wrong_answers(&self, record: &Record) -> Vec<Violation> {
        let asked = record.said.iter();
        let wrong = asked.filter_map(|(id, said)| {
            let question = self.questions.get(id.index())?;
            let what = question.wrong(said)?;
            Some(Violation {
                rules: question
                    .about
                    .into_iter()
                    .chain([rule::API_ANSWERS])
                    .collect(),
                what: format!("{} {what}", question.words(self)),
            })
        });
        wrong.collect()
    }
}

/// What asking with too little room must return.
const TOO_SHORT: i32 = cl::CL_INVALID_VALUE.value() as i32;

impl Question {
    /// What is wrong with what was said, as the end of a sentence.
    fn wrong(&self, said: &Said) -> Option<String> {
        if self.unless.contains(&said.sized) {
            return None;
        }
        if let Wanted::Refused(code) = self.wanted {
            let is = said.sized;
            return (is != code).then(|| format!("returns {is}, not {code}"));
        }
        if said.sized != 0 {
            return Some(format!("gives error {}", said.sized));
        }
        if let Some(length) = self.wanted.length()
            && said.size != length as u64
        {
            return Some(format!(
                "says that the answer has {} bytes, not {length}",
                said.size
            ));
        }
        if let Some(code) = said.code.filter(|code| *code != 0) {
            return Some(format!(
                "gives error {code} where there is room for the answer"
            ));
        }
        if said.code.is_some() && said.length != said.size {
            let (told, before) = (said.length, said.size);
            return Some(format!(
                "gives an answer of {told} bytes, and said before that it has {before}"
            ));
        }
        if said.is_beyond {
            return Some("writes beyond the room that it is given".into());
        }
        if let Some(code) = said.short.filter(|code| *code != TOO_SHORT) {
            return Some(format!(
                "returns {code} where a byte of room is missing, not {TOO_SHORT}"
            ));
        }
        if let Some(code) = said.roomy.filter(|code| *code != 0) {
            return Some(format!(
                "gives error {code} where there is more room than it needs"
            ));
        }
        if said.roomy.is_some() && said.roomy_length != said.size {
            return Some(format!(
                "says of its {} bytes that they are {} where there is more room than it needs",
                said.size, said.roomy_length
            ));
        }
        said.code.and_then(|_| self.wrong_bytes(said))
    }

    fn wrong_bytes(&self, said: &Said) -> Option<String> {
        match &self.wanted {
            Wanted::Values(all) => {
                let mut at = 0;
                for (n, (class, _)) in all.iter().enumerate() {
                    let stretch = at..at + bytes_of(*class);
                    at = stretch.end;
                    let is = number(said.bytes.get(stretch.clone())?);
                    let wanted = number(said.wanted.get(stretch)?);
                    if is != wanted {
                        let which = match all.len() {
                            1 => String::new(),
                            _ => format!("in place {n} "),
                        };
                        return Some(match class {
                            // Addresses differ from run to run.
                            Class::Object | Class::Pointer | Class::Callback => {
                                format!("answers {which}{}", another(is, wanted))
                            }
                            Class::Word | Class::Long => {
                                format!("answers {which}{is:#x}, not {wanted:#x}")
                            }
                        });
                    }
                }
                None
            }
            Wanted::Objects(_) => {
                let sorted = |bytes: &[u8]| {
                    let mut all: Vec<u64> = bytes.chunks(8).map(number).collect();
                    all.sort_unstable();
                    all
                };
                (sorted(&said.bytes) != sorted(&said.wanted))
                    .then(|| "answers other objects".into())
            }
            Wanted::Text(text) => {
                let wanted = text.bytes().chain([0]);
                (!wanted.eq(said.bytes.iter().copied())).then(|| {
                    format!(
                        "answers \"{}\", not \"{}\"",
                        short(&said.bytes),
                        short(text.as_bytes())
                    )
                })
            }
            Wanted::Begins(start) => {
                let text = said.bytes.split_last();
                let right = text.is_some_and(|(end, text)| {
                    let says_more = text.starts_with(start.as_bytes()) && text.len() > start.len();
                    *end == 0 && says_more && !text.contains(&0)
                });
                (!right).then(|| match start.as_str() {
                    "" => format!("answers \"{}\", which is no text", short(&said.bytes)),
                    _ => format!(
                        "answers \"{}\", which does not begin with \"{start}\"",
                        short(&said.bytes)
                    ),
                })
            }
            Wanted::Named(names) => {
                let mut is: Vec<_> = said.bytes.chunks(NAMED).map(name_of).collect();
                let mut wanted = names.clone();
                is.sort_unstable();
                wanted.sort_unstable();
                let lacks = wanted.iter().find(|name| !is.contains(name));
                let has = is.iter().find(|name| !wanted.contains(name));
                (is != wanted).then(|| match (lacks, has) {
                    (Some(name), _) => format!("does not name {name}"),
                    (None, Some(name)) => format!("names {name}, too"),
                    (None, None) => "names something twice".into(),
                })
            }
            Wanted::Versions(versions) => versions.wrong(&said.bytes),
            Wanted::Drawn(all) => {
                let other = said
                    .bytes
                    .chunks(8)
                    .map(number)
                    .find(|is| !all.contains(is));
                match (said.bytes.len() % 8, other) {
                    (0, None) => None,
                    (0, Some(other)) => Some(format!("answers {other:#x}, which may not be")),
                    _ => Some("answers no array of numbers".into()),
                }
            }
            Wanted::Parts(parts) => {
                let is = parts_of(&said.bytes);
                let mut left = is.clone();
                let mut parts = parts.clone();
                // Longer ones first: one may be part of another.
                parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
                let all = parts.iter().all(|part| {
                    let part = squeezed(part);
                    let found = left.contains(&part);
                    left = left.replacen(&part, "", 1);
                    found
                });
                let ends = said.bytes.last() == Some(&0);
                (!all || !left.is_empty() || !ends).then(|| {
                    format!(
                        "answers \"{}\", not \"{}\"",
                        short(&said.bytes),
                        parts.join(" ")
                    )
                })
            }
            Wanted::Names(names) => {
                let text = said.bytes.strip_suffix(&[0]).unwrap_or(&said.bytes);
                let text = String::from_utf8_lossy(text);
                let mut is: Vec<&str> = text.split(';').filter(|name| !name.is_empty()).collect();
                let mut wanted: Vec<&str> = names.iter().map(String::as_str).collect();
                is.sort_unstable();
                wanted.sort_unstable();
                (is != wanted).then(|| {
                    format!(
                        "answers \"{}\", not \"{}\"",
                        short(&said.bytes),
                        names.join(";")
                    )
                })
            }
            Wanted::Number(_, least, most) => {
                let is = number(&said.bytes);
                let right = (*least..=*most).contains(&is);
                (!right).then(|| match least {
                    least if is < *least => format!("answers {is}, less than {least}"),
                    _ => format!("answers {is}, more than {most}"),
                })
            }
            Wanted::Bits(must, may) => {
                let is = number(&said.bytes);
                let right = is & must == *must && is & !(must | may) == 0;
                (!right).then(|| format!("answers {is:#x}, not {must:#x}"))
            }
            Wanted::Length(_) | Wanted::Refused(_) => None,
        }
    }
}

/// The bits of a version that give its patch.
const PATCH: u64 = (1 << 12) - 1;

impl Versions {
    /// What is wrong with the bytes of an array, as the end of a sentence.
    fn wrong(&self, bytes: &[u8]) -> Option<String> {
        let each = bytes.chunks(NAMED);
        let mut left: Vec<(String, u64)> = each
            .map(|one| {
                (
                    name_of(one),
                    number(&one[..VERSION.min(one.len())]) & !PATCH,
                )
            })
            .collect();
        let other = left
            .iter()
            .find(|(name, _)| !name.starts_with(&self.begins));
        if let Some((name, _)) = other {
            return Some(format!("names \"{name}\""));
        }
        for (name, version) in &self.some {
            let Some(place) = left.iter().position(|one| one == &(name.clone(), *version)) else {
                let (major, minor) = (version >> 22, version >> 12 & 0x3ff);
                return Some(format!("does not name {name} with version {major}.{minor}"));
            };
            left.swap_remove(place);
        }
        let (name, version) = left.first().filter(|_| self.alone)?;
        let (major, minor) = (version >> 22, version >> 12 & 0x3ff);
        Some(format!("names {name} with version {major}.{minor}, too"))
    }
}

/// The name of a `cl_name_version`.
fn name_of(named: &[u8]) -> String {
    let name = named.get(VERSION..).unwrap_or_default();
    let text = name.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// An object or an address that is not the right one.
fn another(is: u64, wanted: u64) -> &'static str {
    match (is, wanted) {
        (0, _) => "null",
        (_, 0) => "something, not null",
        (_, _) => "another object or address",
    }
}

/// A number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    let count = bytes.len().min(8);
    all[..count].copy_from_slice(&bytes[..count]);
    u64::from_ne_bytes(all)
}

/// A text without its blanks and its zero byte.
fn parts_of(bytes: &[u8]) -> String {
    let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    squeezed(&String::from_utf8_lossy(text))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The beginning of a text, for a message.
fn short(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches('\0');
    let lines = text.escape_debug().take(60).collect::<String>();
    match text.len() > 60 {
        true => format!("{lines}…"),
        false => lines,
    }
}
