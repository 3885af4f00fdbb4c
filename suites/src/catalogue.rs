//! The catalogue of rules: `rules/*.yaml`, read once.

use crate::rule::RuleId;
use classay_vocabulary::Need;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::OnceLock;

classay_vocabulary::words! {
    /// What breaking a rule means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// A violation fails.
        Must = "must",
        /// Several ways are conformant; which were seen is reported.
        May = "may",
        /// The behaviour is undefined: no case does it.
        Ub = "ub",
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// The section of the specification that states it.
    pub section: String,
    /// What it says.
    pub statement: String,
    /// What breaking it means.
    pub kind: Kind,
    /// It holds for devices that offer these.
    pub needs: Vec<Need>,
    /// Where the text can be read in more than one way, so that breaking it fails no device.
    pub contested: Option<Contested>,
    /// Its parts, each of which can be broken by itself.
    pub clauses: Vec<Clause>,
}

/// Two ways to read what a rule is drawn from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contested {
    /// The reading by which the rule holds, with the sentence.
    pub forbids: String,
    /// The reading by which it does not.
    pub allows: String,
}

/// A part of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// What it says.
    pub says: String,
    /// Kinds of cases, `family/kind`, of which some notice where it is broken.
    pub cases: Vec<String>,
    /// Faults that break it.
    pub faults: Vec<String>,
}

/// An entry as it is in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    section: String,
    statement: String,
    kind: Kind,
    #[serde(default)]
    needs: Vec<Need>,
    #[serde(default)]
    contested: Option<Contested>,
    #[serde(default)]
    clauses: Vec<Clause>,
}

const FILES: [(&str, &str); 7] = [
    ("cb.yaml", include_str!("../rules/cb.yaml")),
    ("ex.yaml", include_str!("../rules/ex.yaml")),
    ("sp.yaml", include_str!("../rules/sp.yaml")),
    ("rg.yaml", include_str!("../rules/rg.yaml")),
    ("sv.yaml", include_str!("../rules/sv.yaml")),
    ("mm.yaml", include_str!("../rules/mm.yaml")),
    ("vk.yaml", include_str!("../rules/vk.yaml")),
];

/// Every rule, in the order of the files.
pub fn all() -> &'static [Rule] {
    static ALL: OnceLock<Vec<Rule>> = OnceLock::new();
    ALL.get_or_init(|| {
        // The files are part of the program, and a test reads each; one that cannot be read has
        // no rules.
        FILES
            .iter()
            .flat_map(|(_, text)| read(text).unwrap_or_default())
            .collect()
    })
}

/// The rule of this name; `None` where the catalogue has none.
pub fn find(name: &str) -> Option<RuleId> {
    let rule = all().iter().find(|rule| rule.id.as_str() == name)?;
    Some(rule.id)
}

/// Rules in a file, each of which the catalogue has.
///
/// # Errors
///
/// A name that is no rule's.
pub fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RuleId>, D::Error> {
    let rules = Vec::<RuleId>::deserialize(deserializer)?;
    match rules.iter().find(|rule| of(**rule).is_none()) {
        Some(rule) => Err(D::Error::custom(format!("there is no rule \"{rule}\""))),
        None => Ok(rules),
    }
}

/// The entry of a rule; `None` for a name that the catalogue lacks, which a test excludes.
pub fn of(id: RuleId) -> Option<&'static Rule> {
    all().iter().find(|rule| rule.id == id)
}

fn read(text: &str) -> Result<Vec<Rule>, String> {
    let entries: Vec<Entry> = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
    Ok(entries
        .into_iter()
        .map(|entry| Rule {
            id: RuleId::new(&entry.id),
            section: entry.section,
            statement: entry.statement,
            kind: entry.kind,
            needs: entry.needs,
            contested: entry.contested,
            clauses: entry.clauses,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule;
    use classay_vocabulary::Freedom;
    use std::collections::BTreeSet;

    #[test]
    fn the_files_can_be_read() {
        for (name, text) in FILES {
            let rules = read(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!rules.is_empty(), "{name}");
            let area = name.trim_end_matches(".yaml");
            for rule in rules {
                assert!(rule.id.as_str().starts_with(area), "{} in {name}", rule.id);
                assert!(
                    !rule.statement.is_empty() && !rule.section.is_empty(),
                    "{}",
                    rule.id
                );
            }
        }
    }

    #[test]
    fn every_rule_that_leaves_a_choice_has_freedoms() {
        let named: BTreeSet<RuleId> = Freedom::ALL.iter().map(|f| f.rule()).collect();
        let open = all().iter().filter(|rule| rule.kind == Kind::May);
        let open: BTreeSet<RuleId> = open.map(|rule| rule.id).collect();
        assert_eq!(named, open);
        for freedom in Freedom::ALL {
            let rule = of(freedom.rule()).expect("a rule");
            let needed: Vec<Need> = freedom.need().into_iter().collect();
            assert_eq!(rule.needs, needed, "{}", freedom.name());
        }
    }

    #[test]
    fn every_rule_is_there_once() {
        let ids: BTreeSet<_> = all().iter().map(|r| r.id.as_str()).collect();
        assert_eq!(ids.len(), all().len());
        for id in rule::NAMED {
            assert!(
                of(*id).is_some(),
                "code names {id}, which the catalogue lacks"
            );
        }
    }
}
