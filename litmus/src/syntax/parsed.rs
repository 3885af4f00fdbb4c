//! A test that was read once, and is carried in that form from its selection to its verdict.

use super::{SyntaxError, read_litmus, write_litmus};
use crate::program::Program;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::{Arc, OnceLock};

/// A program and its text in the `.litmus` dialect. The text is written when it is first wanted;
/// copies share both. Between processes it is text, which is read once on the other side.
#[derive(Debug, Clone)]
pub struct ParsedTest(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    program: Program,
    text: OnceLock<String>,
}

impl ParsedTest {
    /// Reads a test in the `.litmus` dialect. `name` is what errors call the source.
    ///
    /// # Errors
    /// As [`read_litmus`].
    pub fn read(name: &str, text: &str) -> Result<ParsedTest, SyntaxError> {
        read_litmus(name, text).map(ParsedTest::from)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.0.program
    }

    /// Its text, as [`write_litmus`] writes it.
    pub fn text(&self) -> &str {
        self.0.text.get_or_init(|| write_litmus(&self.0.program))
    }
}

impl From<Program> for ParsedTest {
    fn from(program: Program) -> ParsedTest {
        ParsedTest(Arc::new(Parts {
            program,
            text: OnceLock::new(),
        }))
    }
}

impl PartialEq for ParsedTest {
    fn eq(&self, other: &ParsedTest) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.program == other.0.program
    }
}

impl Eq for ParsedTest {}

impl Serialize for ParsedTest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl<'de> Deserialize<'de> for ParsedTest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ParsedTest, D::Error> {
        let text = String::deserialize(deserializer)?;
        ParsedTest::read("the case", &text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_the_same_after_a_message() {
        for (name, text) in crate::shipped() {
            let test = ParsedTest::read(name, text).expect("a shipped test");
            let message = serde_json::to_string(&test).expect("JSON");
            let again: ParsedTest = serde_json::from_str(&message).expect("a test");
            assert_eq!(again, test, "{name}");
            assert_eq!(again.text(), test.text(), "{name}");
        }
    }

    #[test]
    fn a_message_without_a_test_is_an_error() {
        assert!(serde_json::from_str::<ParsedTest>("\"OPENCL t\"").is_err());
    }

    #[test]
    fn copies_share_the_text() {
        let (name, text) = crate::shipped()[0];
        let test = ParsedTest::read(name, text).expect("a shipped test");
        let copy = test.clone();
        assert!(std::ptr::eq(test.text(), copy.text()));
    }
}
