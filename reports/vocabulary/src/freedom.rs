//! What a device may do one way or another: the freedoms that are watched for and reported, never failed.

use crate::{Need, RuleId};
use serde::{Deserialize, Serialize};

/// Declares [`Freedom`]: its variants, each with its name, the rule that grants it, what a device that takes
/// it was seen to do, what a case needs to show it, and why no case shows it where none does.
macro_rules! freedoms {
    ($($(#[$of:meta])* $variant:ident = $name:literal, $rule:literal, $seen:literal
        $(, needs $need:ident)? $(, untried $why:literal)?;)+) => {
        /// A way that a rule leaves open.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Freedom {
            $($(#[$of])* $variant,)+
        }

        impl Freedom {
            /// Every one, in the order in which reports have them.
            pub const ALL: [Freedom; [$($name),+].len()] = [$(Freedom::$variant),+];

            /// Its name, as stored and printed.
            pub const fn name(self) -> &'static str {
                match self { $(Freedom::$variant => $name,)+ }
            }

            /// The rule that grants it.
            pub const fn rule(self) -> RuleId {
                match self { $(Freedom::$variant => RuleId::named($rule),)+ }
            }

            /// What a device that takes it was seen to do: a clause.
            pub const fn seen(self) -> &'static str {
                match self { $(Freedom::$variant => $seen,)+ }
            }

            /// What a device must have for a case to show it; none where every device may.
            pub const fn need(self) -> Option<Need> {
                match self { $(Freedom::$variant => freedoms!(@maybe $(Need::$need)?),)+ }
            }

            /// Why no case tries it; none where cases do.
            pub const fn untried(self) -> Option<&'static str> {
                match self { $(Freedom::$variant => freedoms!(@maybe $($why)?),)+ }
            }
        }
    };
    (@maybe) => { None };
    (@maybe $some:expr) => { Some($some) };
}

freedoms! {
    /// Commands that nothing orders ran in another order than they were enqueued in.
    Reordered = "reordered", "ex.queue.out-of-order",
        "of two commands of an out-of-order queue that nothing orders, the later one ended first",
        needs OutOfOrderQueue;
    /// Commands that nothing orders ran at the same time.
    Overlapped = "overlapped", "ex.queue.out-of-order",
        "two commands of an out-of-order queue that nothing orders ran at the same time",
        needs OutOfOrderQueue;
    /// Work-groups began in another order than that of their ids.
    GroupsReordered = "groups-reordered", "ex.ki.groups-any-order",
        "a work-group began after another with a larger linear id";
    /// Work-groups ran interleaved.
    GroupsInterleaved = "groups-interleaved", "ex.ki.groups-any-order",
        "a work-group acted between two acts of another";
    /// All work-groups of a launch were under way together.
    GroupsTogether = "groups-together", "ex.progress.group",
        "every work-group of a launch began while the others waited for it";
    /// A marker or barrier was running for no time.
    EmptyAtOnce = "empty-at-once", "ex.state.empty-command",
        "a marker or barrier started and ended at the same time, by its profiled times";
    /// An outcome that no interleaving gives.
    WeakOutcome = "weak-outcome", "mm.relaxed",
        "an outcome that the model allows and no interleaving gives";
    /// Values that justify themselves.
    ThinAir = "thin-air", "mm.hb.42",
        "values of global and local memory that justify each other, as x == y == 42";
    /// Atomics of several kernel-instances on one buffer.
    AtomicsAcrossKernels = "atomics-across-kernels", "sp.cross-kernel-atomics-clmem",
        "atomics of kernel-instances that nothing orders worked together on one buffer",
        untried "by another sentence of the specification it is undefined";
    /// What an abnormal end took along.
    LostAfterFailure = "lost-after-failure", "ex.fail.context-queues",
        "after a command ended abnormally, one that does not depend on it was not completed";
    /// Which of several failing children decides.
    LaterChild = "later-child", "ex.fail.children",
        "of several children that failed, the one that failed later gave the parent its status",
        needs DeviceEnqueue;
    /// A map that overwrites what others changed meanwhile.
    MapOverwrites = "map-overwrites", "rg.map-overwrite",
        "a map replaced values that another kernel or the host had changed in its region",
        untried "by another sentence of the specification it is undefined";
}

impl Freedom {
    /// The count of one instance that could show it.
    pub fn once(self, seen: bool) -> FreedomCount {
        FreedomCount {
            freedom: self,
            seen: u64::from(seen),
            of: 1,
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Freedom> {
        Freedom::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// How often a freedom was taken in some runs or instances of a case. Counts of the same freedom add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreedomCount {
    /// The freedom.
    pub freedom: Freedom,
    /// Instances that showed it.
    pub seen: u64,
    /// Instances that could have shown it; at least as many.
    pub of: u64,
}

impl FreedomCount {
    /// Adds counts to a list that has each freedom once.
    pub fn add(self, counts: &mut Vec<FreedomCount>) {
        match counts
            .iter_mut()
            .find(|known| known.freedom == self.freedom)
        {
            Some(known) => {
                known.seen = known.seen.saturating_add(self.seen);
                known.of = known.of.saturating_add(self.of);
            }
            None => counts.push(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json_and_lead_back() {
        for freedom in Freedom::ALL {
            let json = serde_json::to_string(&freedom).expect("JSON");
            assert_eq!(json, format!("\"{}\"", freedom.name()));
            assert_eq!(Freedom::named(freedom.name()), Some(freedom));
        }
        assert_eq!(Freedom::named("no-such"), None);
    }

    #[test]
    fn counts_add_up() {
        let count = |freedom, seen, of| FreedomCount { freedom, seen, of };
        let mut counts = Vec::new();
        count(Freedom::Reordered, 1, 4).add(&mut counts);
        count(Freedom::ThinAir, 0, 9).add(&mut counts);
        count(Freedom::Reordered, 2, 3).add(&mut counts);
        let all = [
            count(Freedom::Reordered, 3, 7),
            count(Freedom::ThinAir, 0, 9),
        ];
        assert_eq!(counts, all);
    }
}
