//! The runs of a driver's versions side by side: how each rule fared in each, what broke and was mended where,
//! how often weak outcomes were seen, which capabilities came and went.
//!
//! ```text
//! Version… ─▶ History ─┬─▶ text::history
//!                      ├─▶ html::history
//!                      └─▶ json::history
//! ```
//!
//! - [`order`]: which of two driver versions is the later one;
//! - [`cells`]: how a rule, or a kind of cases, fared in each version;
//! - [`failure`]: failures that show the same, and the versions that have them;
//! - [`step`]: what changed from one version to the next, and what cannot be compared;
//! - [`mod@rates`]: weak outcomes over the versions;
//! - [`mod@capabilities`]: what the device of each version offers.
//!
//! Runs of one driver (one platform name) are a group, in the order of their versions; drivers stand side by
//! side, and are not compared with each other.

pub mod capabilities;
pub mod cells;
pub mod failure;
pub mod order;
pub mod rates;

pub mod step;

pub use capabilities::{Capability, CapabilityChange, Way};
pub use cells::{Cell, Mark, Row};
pub use failure::Failure;
pub use order::DriverVersion;
pub use rates::Rates;
pub use step::{CaseChange, RuleChange, Scope, Step, Turn};

use crate::difference::Gate;
use crate::record::{CaseId, CaseResult, RuleId};
use crate::report::{Rule, Tally};
use crate::store::Run;
use std::collections::{BTreeMap, BTreeSet};

/// A case that a run plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The case.
    pub case: CaseId,
    /// What it runs: equal for equal programs, and for these alone.
    pub content: String,
    /// Ids of the rules that it puts to the test.
    pub rules: Vec<String>,
}

/// A run of a version of a driver.
#[derive(Debug, Clone)]
pub struct Version {
    /// What to call it: as the user named it, or the driver's version; no other of its group has it.
    pub name: String,
    /// Its store, as the user named it.
    pub store: String,
    /// The run.
    pub run: Run,
    /// Its results, in the order of the plan.
    pub results: Vec<CaseResult>,
    /// Every case that it plans, in order.
    pub planned: Vec<Planned>,
}

impl Version {
    /// The driver that it is a version of: the platform's name.
    pub fn driver(&self) -> &str {
        match &self.run.device {
            Some(device) => &device.platform,
            None => "a device that was not opened",
        }
    }

    /// The driver's version as the device reports it.
    pub fn reported(&self) -> &str {
        self.run.device.as_ref().map_or("", |device| &device.driver)
    }

    /// Where it stands among the versions of its driver; `None` where what the device reports holds no number.
    pub fn version(&self) -> Option<DriverVersion> {
        DriverVersion::read(self.reported())
    }

    /// How its cases ended.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.results
            .iter()
            .for_each(|result| tally.add(result.verdict));
        tally
    }

    /// Planned cases without a result.
    pub fn unreached(&self) -> usize {
        self.planned.len().saturating_sub(self.results.len())
    }

    /// Its planned cases by their ids.
    fn about(&self) -> BTreeMap<&CaseId, &Planned> {
        self.planned
            .iter()
            .map(|planned| (&planned.case, planned))
            .collect()
    }
}

/// The versions of one driver.
#[derive(Debug, Clone)]
pub struct Group {
    /// The driver.
    pub driver: String,
    /// Its versions, the earliest first.
    pub versions: Vec<Version>,
    /// How each rule fared that a run can break.
    pub rules: Vec<Row<RuleId>>,
    /// How each kind of cases fared.
    pub kinds: Vec<Row<String>>,
    /// What failed, and in which versions.
    pub failures: Vec<Failure>,
    /// What changed from each version to the next.
    pub steps: Vec<Step>,
    /// Weak outcomes.
    pub rates: Vec<Rates>,
    /// What the device of each version offers.
    pub capabilities: Vec<Capability>,
}

impl Group {
    fn new(versions: Vec<Version>, context: &Context) -> Group {
        let capabilities = capabilities::capabilities(&versions);
        let steps: Vec<Step> = versions
            .windows(2)
            .enumerate()
            .map(|(from, pair)| Step::between(from, &pair[0], &pair[1], &capabilities))
            .collect();
        Group {
            driver: versions.first().map_or("", Version::driver).to_owned(),
            rules: cells::of_rules(&context.rules, &versions),
            kinds: cells::of_kinds(&versions),
            failures: failure::failures(&versions),
            rates: rates::rates(&versions, &steps, &context.weak, context.false_discovery),
            steps,
            capabilities,
            versions,
        }
    }

    /// Whether the last version may follow the one before; `None` where there is one alone.
    pub fn passes(&self, gate: Gate) -> Option<bool> {
        self.steps.last().map(|step| step.found.passes(gate))
    }

    /// Rules that are broken in a version, by its place.
    pub fn broken(&self, place: usize) -> usize {
        let broken = |row: &&Row<RuleId>| row.cells[place].against > 0;
        self.rules.iter().filter(broken).count()
    }
}

/// What only the caller knows.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The catalogue of rules, in its order.
    pub rules: Vec<Rule>,
    /// Litmus tests whose target outcome is weak.
    pub weak: BTreeSet<CaseId>,
    /// The false discovery rate at which rates are reported as changed.
    pub false_discovery: f64,
    /// What the reader should know, as sentences.
    pub notes: Vec<String>,
}

/// Histories of drivers, side by side.
#[derive(Debug, Clone)]
pub struct History {
    /// A group for each driver, in the order given.
    pub groups: Vec<Group>,
    /// What the caller knows.
    pub context: Context,
}

impl History {
    /// Works it out. The versions of each group are in order, the earliest first.
    pub fn new(groups: Vec<Vec<Version>>, context: Context) -> History {
        let groups = groups.into_iter().filter(|versions| !versions.is_empty());
        History {
            groups: groups
                .map(|versions| Group::new(versions, &context))
                .collect(),
            context,
        }
    }

    /// Whether every last version may follow the one before; `None` where no driver has two.
    pub fn passes(&self, gate: Gate) -> Option<bool> {
        let each = self.groups.iter().filter_map(|group| group.passes(gate));
        each.reduce(|all, one| all && one)
    }
}

/// Versions of several drivers in groups, a driver each, in the order in which drivers first occur. Within a
/// group the versions are in their order, where each has one and `sorted` is asked for; runs of equal versions by their dates.
/// The second value names the drivers whose versions cannot be ordered, which stay as they are.
pub fn grouped(versions: Vec<Version>, sorted: bool) -> (Vec<Vec<Version>>, Vec<String>) {
    let mut groups: Vec<Vec<Version>> = Vec::new();
    for version in versions {
        let same = |group: &&mut Vec<Version>| group[0].driver() == version.driver();
        match groups.iter_mut().find(same) {
            Some(group) => group.push(version),
            None => groups.push(vec![version]),
        }
    }
    let mut unordered = Vec::new();
    for group in &mut groups {
        if sorted && group.iter().all(|version| version.version().is_some()) {
            group.sort_by_key(|version| (version.version(), version.run.record.created));
        } else if sorted && group.len() > 1 {
            unordered.push(group[0].driver().to_owned());
        }
    }
    (groups, unordered)
}

#[cfg(test)]
pub(crate) mod tests;
