//! What the device of each version offers: which capabilities came, went or changed.

use super::Version;
use std::collections::BTreeSet;

/// A capability over the versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Its name.
    pub name: String,
    /// Its value in each version; `None` where it is not known.
    pub values: Vec<Option<String>>,
}

impl Capability {
    /// Whether all versions that know it say the same.
    pub fn is_constant(&self) -> bool {
        let values: BTreeSet<&String> = self.values.iter().flatten().collect();
        values.len() < 2
    }
}

/// A capability that differs from one version to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityChange {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub way: Way,
    /// Its value before.
    pub before: String,
    /// Its value after.
    pub after: String,
}

classay_vocabulary::words! {
    /// What became of a capability.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Way {
        /// It was not there, and is.
        Gained = "gained",
        /// It was there, and is not.
        Lost = "lost",
        /// It has another value.
        Changed = "changed",
    }
}

impl Way {
    fn of(before: &str, after: &str) -> Way {
        let absent = |value: &str| matches!(value, "no" | "none" | "0" | "");
        match (absent(before), absent(after)) {
            (true, false) => Way::Gained,
            (false, true) => Way::Lost,
            (true, true) | (false, false) => Way::Changed,
        }
    }
}

/// What is known of a version's device: its versions, its capabilities, and what it reports wrongly.
fn known(version: &Version) -> Vec<(String, String)> {
    let Some(device) = &version.run.device else {
        return Vec::new();
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut all = vec![
        pair("device version", &device.version),
        pair("platform version", &device.platform_version),
    ];
    all.extend(device.capabilities.iter().cloned());
    let findings = device.findings.iter();
    all.extend(findings.map(|finding| (format!("mismatch: {finding}"), "yes".to_owned())));
    all
}

/// Every capability of these versions, in the order in which they are listed.
pub fn capabilities(versions: &[Version]) -> Vec<Capability> {
    let each: Vec<Vec<(String, String)>> = versions.iter().map(known).collect();
    let mut names: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, _) in each.iter().flatten() {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    let value = |known: &Vec<(String, String)>, name: &str| {
        let found = known.iter().find(|(n, _)| n == name);
        match found {
            Some((_, value)) => Some(value.clone()),
            // A mismatch that is not reported is none.
            None if name.starts_with("mismatch: ") && !known.is_empty() => Some("no".into()),
            None => None,
        }
    };
    let names = names.into_iter().map(|name| Capability {
        name: name.to_owned(),
        values: each.iter().map(|known| value(known, name)).collect(),
    });
    names.collect()
}

/// What differs between two neighbours, by their places.
pub fn changes(all: &[Capability], before: usize, after: usize) -> Vec<CapabilityChange> {
    let changed = all.iter().filter_map(|capability| {
        let of = |place: usize| capability.values.get(place).and_then(Option::as_ref);
        let (Some(before), Some(after)) = (of(before), of(after)) else {
            return None;
        };
        (before != after).then(|| CapabilityChange {
            name: capability.name.clone(),
            way: Way::of(before, after),
            before: before.clone(),
            after: after.clone(),
        })
    });
    changed.collect()
}
