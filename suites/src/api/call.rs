//! Calls of the API as text: `clFlush(NULL)`, `clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, host, 0, NULL, NULL)`.
//!
//! Arguments are written as C has them where C can say them in a word: numbers, the headers' constants and `|` between
//! them, NULL, texts. An identifier is an object of the fixture, `svm + 4` the address four bytes after one, `{…}` the
//! address of values one after the other, `&event` where a call leaves an object, `room(8)` the address of bytes for an
//! answer, `zeros(8)` of bytes that are zero.

use crate::host::{Constant, Function};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A call of the API as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CallText {
    /// The function.
    pub function: Function,
    /// As many arguments as it has parameters, but for the error pointer.
    pub arguments: Vec<Argument>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Argument {
    /// NULL.
    Null,
    /// A number; a negative one as its 64 bits.
    Number(u64),
    /// Constants of the headers, together.
    Constants(Vec<String>),
    /// An object of the fixture, or an address so many bytes after it.
    Object(String, usize),
    /// Where the call leaves an object.
    Into(String),
    /// The address of values.
    List(Vec<Argument>),
    /// The address of a text.
    Text(String),
    /// The address of room for so many bytes.
    Room(usize),
    /// The address of so many zeros.
    Zeros(usize),
}

/// Most bytes of a text, of room, or of zeros; most arguments; deepest lists.
const MOST: usize = 1 << 16;
const DEEPEST: usize = 8;

impl CallText {
    /// The objects that it names, each once, in order.
    pub fn objects(&self) -> Vec<&str> {
        let mut all = Vec::new();
        for argument in &self.arguments {
            argument.objects(&mut all);
        }
        all
    }
}

impl Argument {
    fn objects<'a>(&'a self, all: &mut Vec<&'a str>) {
        if let Argument::Object(name, _) = self
            && !all.contains(&name.as_str())
        {
            all.push(name);
        } else if let Argument::List(values) = self {
            values.iter().for_each(|value| value.objects(all));
        }
    }
}

impl fmt::Display for CallText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        write_all(f, &self.arguments)?;
        f.write_str(")")
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Null => f.write_str("NULL"),
            Argument::Number(u64::MAX) => f.write_str("SIZE_MAX"),
            // What does not fit into an int is a size or flags.
            Argument::Number(n) if *n > 1 << 31 => write!(f, "{n:#x}"),
            Argument::Number(n) => write!(f, "{n}"),
            Argument::Constants(names) => f.write_str(&names.join(" | ")),
            Argument::Object(name, 0) => f.write_str(name),
            Argument::Object(name, byte) => write!(f, "{name} + {byte}"),
            Argument::Into(name) => write!(f, "&{name}"),
            Argument::List(values) => {
                f.write_str("{")?;
                write_all(f, values)?;
                f.write_str("}")
            }
            Argument::Text(text) => write!(f, "\"{text}\""),
            Argument::Room(bytes) => write!(f, "room({bytes})"),
            Argument::Zeros(bytes) => write!(f, "zeros({bytes})"),
        }
    }
}

fn write_all(f: &mut fmt::Formatter<'_>, values: &[Argument]) -> fmt::Result {
    for (n, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if n == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl From<CallText> for String {
    fn from(call: CallText) -> String {
        call.to_string()
    }
}

impl TryFrom<String> for CallText {
    type Error = String;

    fn try_from(text: String) -> Result<CallText, String> {
        text.parse()
    }
}

impl std::str::FromStr for CallText {
    type Err = String;

    fn from_str(text: &str) -> Result<CallText, String> {
        let mut reader = Reader { text, rest: text };
        let name = reader.word().ok_or_else(|| reader.wrong("a function"))?;
        let function =
            Function::find(name).ok_or_else(|| format!("\"{name}\" is no function of OpenCL"))?;
        reader.expect("(")?;
        let arguments = reader.list(")", 0)?;
        if !reader.rest.trim().is_empty() {
            return Err(reader.wrong("the end"));
        }
        let wanted = function.signature().parameters.len();
        if arguments.len() != wanted {
            return Err(format!(
                "{name} takes {wanted} arguments before its error pointer, and \"{text}\" has {}",
                arguments.len()
            ));
        }
        Ok(CallText {
            function,
            arguments,
        })
    }
}

/// What is left of a text.
struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn wrong(&self, wanted: &str) -> String {
        let at = self.text.len() - self.rest.len();
        format!("\"{}\" lacks {wanted} at byte {at}", self.text)
    }

    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.wrong(token))
    }

    /// Letters, digits and underscores.
    fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        (!word.is_empty()).then(|| {
            self.rest = rest;
            word
        })
    }

    /// Values with commas between them, up to what ends them.
    fn list(&mut self, end: &str, depth: usize) -> Result<Vec<Argument>, String> {
        let mut all = Vec::new();
        if self.take(end) {
            return Ok(all);
        }
        loop {
            all.push(self.argument(depth)?);
            if all.len() > MOST {
                return Err(self.wrong(end));
            }
            if self.take(end) {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }

    fn argument(&mut self, depth: usize) -> Result<Argument, String> {
        if depth > DEEPEST {
            return Err(self.wrong("something simpler"));
        }
        if self.take("{") {
            return Ok(Argument::List(self.list("}", depth + 1)?));
        }
        if self.take("\"") {
            let end = self.rest.find('"').ok_or_else(|| self.wrong("\""))?;
            let (text, rest) = self.rest.split_at(end);
            self.rest = &rest[1..];
            return Ok(Argument::Text(text.to_string()));
        }
        if self.take("&") {
            let name = self.word().ok_or_else(|| self.wrong("an object"))?;
            return Ok(Argument::Into(name.to_string()));
        }
        if self.take("-") {
            let number = self.number()?;
            return Ok(Argument::Number(number.wrapping_neg()));
        }
        let before = self.rest;
        let word = self.word().ok_or_else(|| self.wrong("an argument"))?;
        match word {
            "NULL" => Ok(Argument::Null),
            "SIZE_MAX" => Ok(Argument::Number(u64::MAX)),
            "UINT_MAX" => Ok(Argument::Number(u64::from(u32::MAX))),
            "room" | "zeros" => {
                self.expect("(")?;
                let bytes = self.bytes()?;
                self.expect(")")?;
                Ok(match word {
                    "room" => Argument::Room(bytes),
                    _ => Argument::Zeros(bytes),
                })
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                self.rest = before;
                Ok(Argument::Number(self.number()?))
            }
            _ if word.starts_with("CL_") => {
                let mut names = vec![constant(word)?];
                while self.take("|") {
                    let word = self.word().ok_or_else(|| self.wrong("a constant"))?;
                    names.push(constant(word)?);
                }
                Ok(Argument::Constants(names))
            }
            _ => {
                let byte = if self.take("+") { self.bytes()? } else { 0 };
                Ok(Argument::Object(word.to_string(), byte))
            }
        }
    }

    fn number(&mut self) -> Result<u64, String> {
        let word = self.word().ok_or_else(|| self.wrong("a number"))?;
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| format!("\"{word}\" is no number of 64 bits"))
    }

    fn bytes(&mut self) -> Result<usize, String> {
        let bytes = self.number()?;
        if bytes > MOST as u64 {
            return Err(format!("{bytes} bytes are more than {MOST}"));
        }
        Ok(bytes as usize)
    }
}

fn constant(name: &str) -> Result<String, String> {
    match Constant::find(name) {
        Some(constant) => Ok(constant.name().to_string()),
        None => Err(format!("\"{name}\" is no constant of OpenCL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Choices;

    fn argument(draw: &mut Choices, depth: u32) -> Argument {
        let names = ["queue", "a_1", "svm", "mapping"];
        let name = |draw: &mut Choices| draw.pick(&names).unwrap_or("x").to_string();
        match draw.between(0, if depth > 3 { 7 } else { 8 }) {
            0 => Argument::Null,
            1 => {
                let shift = draw.between(0, 63);
                Argument::Number(u64::MAX >> shift)
            }
            2 => {
                let all = ["CL_TRUE", "CL_MEM_READ_ONLY", "CL_INVALID_VALUE"];
                let many = draw.between(1, 3);
                let one = |draw: &mut Choices| draw.pick(&all).unwrap_or("CL_TRUE").to_string();
                Argument::Constants((0..many).map(|_| one(draw)).collect())
            }
            3 => Argument::Object(name(draw), draw.between(0, 9)),
            4 => Argument::Into(name(draw)),
            5 => Argument::Text("kernel void k() {}, (".into()),
            6 => Argument::Room(draw.between(0, 64)),
            7 => Argument::Zeros(draw.between(0, 64)),
            _ => {
                let many = draw.between(0, 4);
                Argument::List((0..many).map(|_| argument(draw, depth + 1)).collect())
            }
        }
    }

    #[test]
    fn a_call_reads_as_it_was_written() {
        let mut draw = Choices::new(1);
        for _ in 0..2000 {
            let function = draw.pick(Function::ALL).expect("there are functions");
            let parameters = function.signature().parameters.iter();
            let call = CallText {
                function,
                arguments: parameters.map(|_| argument(&mut draw, 0)).collect(),
            };
            let text = call.to_string();
            assert_eq!(text.parse(), Ok(call), "{text}");
        }
    }

    #[test]
    fn what_is_no_call_is_refused_with_a_sentence() {
        let wrong = [
            ("", "\"\" lacks a function at byte 0"),
            ("clNothing()", "\"clNothing\" is no function of OpenCL"),
            ("clFlush", "\"clFlush\" lacks ( at byte 7"),
            ("clFlush(queue", "\"clFlush(queue\" lacks , at byte 13"),
            (
                "clFlush()",
                "clFlush takes 1 arguments before its error pointer, and \"clFlush()\" has 0",
            ),
            ("clFlush(CL_NO)", "\"CL_NO\" is no constant of OpenCL"),
            ("clFlush(1x)", "\"1x\" is no number of 64 bits"),
            (
                "clFlush(room(99999999))",
                "99999999 bytes are more than 65536",
            ),
            ("clFlush(\"x)", "\"clFlush(\"x)\" lacks \" at byte 9"),
            (
                "clFlush(NULL) x",
                "\"clFlush(NULL) x\" lacks the end at byte 13",
            ),
        ];
        for (text, why) in wrong {
            assert_eq!(text.parse::<CallText>(), Err(why.to_string()), "{text}");
        }
        let deep = format!("clFlush({}", "{".repeat(1000));
        assert!(deep.parse::<CallText>().is_err());
    }

    #[test]
    fn the_ways_to_write_a_number_are_one() {
        let call = |text: &str| text.parse::<CallText>();
        assert_eq!(call("clFlush(-1)"), call("clFlush( 0xffffffffffffffff )"));
        assert_eq!(call("clFlush(UINT_MAX)"), call("clFlush(4294967295)"));
    }
}
