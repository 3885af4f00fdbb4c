//! The names of rules.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The name of a rule, such as `sp.event-wait`: a normative statement of the specification, or an axiom of
/// a memory model that a user wrote.
///
/// Names are kept once for the life of the program, so that an id is copied as a number is. Whether the
/// catalogue has the rule, the catalogue says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RuleId(&'static str);

impl RuleId {
    /// The rule of this name, which the program itself has.
    pub const fn named(name: &'static str) -> RuleId {
        RuleId(name)
    }

    /// The rule of this name.
    pub fn new(name: &str) -> RuleId {
        static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let names = names.get_or_insert_default();
        if let Some(known) = names.get(name) {
            return RuleId(known);
        }
        let kept: &'static str = String::leak(name.to_owned());
        names.insert(kept);
        RuleId(kept)
    }

    /// The name, as in the catalogue.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleId, D::Error> {
        String::deserialize(deserializer).map(|name| RuleId::new(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let first = RuleId::new("sp.event-wait");
        let again = RuleId::new(&String::from("sp.event-wait"));
        assert!(std::ptr::eq(first.as_str(), again.as_str()));
        assert_eq!(first, RuleId::named("sp.event-wait"));
        assert_ne!(first, RuleId::new("sp.in-order"));
        let read: RuleId = serde_json::from_str("\"sp.event-wait\"").expect("a name");
        assert_eq!(read, first);
    }
}
