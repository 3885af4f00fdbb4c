//! Which cases have what a fault of the layer breaks.
//!
//! A fault of kernel sources or modules makes no difference to a case whose kernels it does not change, and one of
//! pipes makes none on a device without them: no case that needs them runs. The layer says, for every
//! case that is run once on the device as it is, which of its faults could have made a difference
//! (`CLASSAY_LAYER_EFFECTS`). So what is left to hunt is hunted with the cases that can show it alone,
//! and a fault that nothing here can show is told apart from one that the suites miss.
//!
//! **Threads.** Each has a worker and a file of its own; they share the place in the list of cases, and
//! what was found, behind a lock that nobody holds while a case runs.

use super::Fault;
use super::terms::{Campaign, Hunted, run, surroundings};
use crate::threads::{lock, side_by_side, unlock};
use crate::worker::protocol::Known;
use crate::worker::session::{Breakage, Session, Stop};
use classay_faults::effects;
use classay_reports::record::Need;
use classay_suites::catalogue;
use classay_suites::rule::RuleId;
use classay_vocabulary::Budget;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Instances of a litmus test and runs of any other case in the survey.
const ONCE: Budget = Budget::Instances(1);

/// What was found out.
#[derive(Debug, Default)]
pub struct Survey {
    /// By the place of the case: the faults that could make a difference, by their place in the layer's
    /// list.
    effects: HashMap<usize, HashSet<usize>>,
    /// What the device lacks, as skipped cases say it.
    lacks: BTreeSet<String>,
}

impl Survey {
    /// Runs cases once on the device as it is until the deadline, those first that have to do with one
    /// of these faults.
    ///
    /// # Errors
    ///
    /// No worker opens the device any more, or the user interrupted.
    pub fn take(
        campaign: &Campaign<'_>,
        faults: &[&Fault],
        device: &Known,
        deadline: Instant,
    ) -> Result<Survey, Stop> {
        let rules: HashSet<RuleId> = faults
            .iter()
            .flat_map(|fault| fault.rules().filter_map(catalogue::find))
            .collect();
        let near = |hunted: &Hunted| hunted.rules.iter().any(|rule| rules.contains(rule));
        let mut order: Vec<usize> = (0..campaign.cases.len()).collect();
        // Stable: within each part, the cases of every kind in turn.
        order.sort_by_key(|&place| !near(&campaign.cases[place]));
        let next = AtomicUsize::new(0);
        let found = Mutex::new(Survey::default());
        let work = |number: usize, stopped: &dyn Fn() -> bool| -> Result<(), Stop> {
            let file = Seen::new(number)?;
            let breakage = Breakage {
                effects: Some(file.path.clone()),
                surroundings: surroundings(campaign.selector),
                ..Breakage::default()
            };
            let mut session = Session::open_broken(
                campaign.selector,
                &breakage,
                Some(device),
                campaign.interrupt,
            )?;
            while Instant::now() < deadline && !stopped() {
                let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let terms = &campaign.terms;
                // What a case uses that is built already would leave no trace.
                session.unload()?;
                file.clear();
                let case = &campaign.cases[place].case;
                let result = run(&mut session, case, ONCE, terms.limits, terms.model)?;
                let seen = file.set();
                let mut found = lock(&found);
                found.lacks.extend(result.lacks.iter().map(Need::to_string));
                found.effects.insert(place, seen);
            }
            session.close();
            Ok(())
        };
        side_by_side(campaign.jobs, work)?;
        Ok(unlock(found))
    }

    /// How many cases it looked at.
    pub fn cases(&self) -> usize {
        self.effects.len()
    }

    /// Whether a fault could make a difference to a case; none where that is not known.
    pub fn has(&self, fault: &Fault, case: usize) -> Option<bool> {
        let place = fault.effect()?;
        self.effects.get(&case).map(|seen| seen.contains(&place))
    }

    /// What the device lacks of what a fault needs: nothing where it has one of these. A source may have what
    /// the fault changes, and yet nothing that the change could be seen by.
    pub fn missing(&self, fault: &Fault) -> &'static [&'static str] {
        let lacks = |need: &&str| self.lacks.contains(*need);
        if !fault.needs.is_empty() && fault.needs.iter().all(lacks) {
            fault.needs
        } else {
            &[]
        }
    }
}

/// The file in which the layer counts how often each fault could make a difference ([`effects`]). Dropping it
/// removes it.
pub struct Seen {
    /// Its path.
    pub path: PathBuf,
    file: std::fs::File,
}

impl Seen {
    /// The file of a thread, which no other has.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn new(number: usize) -> Result<Seen, Stop> {
        let name = format!("classay-effects-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = std::fs::File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| Stop::NoDevice(format!("{} cannot be made: {e}", path.display())))?;
        Ok(Seen { path, file })
    }

    fn counts(&self) -> Vec<u64> {
        let length = self.file.metadata().map_or(0, |m| m.len() as usize);
        let mut bytes = vec![0; length];
        match self.file.read_exact_at(&mut bytes, 0) {
            Ok(()) => effects::counts(&bytes).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// The worker waits for its next case, so that nobody writes beside.
    pub fn clear(&self) {
        let zeros = vec![0; effects::bytes(self.counts().len())];
        // A count that stays gives a case one fault too many, which costs a run of it.
        let _ = self.file.write_all_at(&zeros, 0);
    }

    /// Whether the fault at this place of the layer's list is among them.
    pub fn has(&self, place: usize) -> bool {
        self.counts().get(place).is_some_and(|count| *count != 0)
    }

    fn set(&self) -> HashSet<usize> {
        let counts = self.counts().into_iter().enumerate();
        counts
            .filter(|(_, count)| *count != 0)
            .map(|(n, _)| n)
            .collect()
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        // A file that stays in the folder for such files does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Api;

    fn fault(id: &str) -> Fault {
        let mut all = Fault::all(Api::OpenCl);
        all.find(|fault| fault.id == id).expect("a fault")
    }

    #[test]
    fn a_device_lacks_what_skips_name() {
        let (pipe, group, plain) = (
            fault("pipe-write-lost"),
            fault("scan-swapped"),
            fault("drop-fences"),
        );
        let acts = HashSet::from([group.effect().expect("a count")]);
        let survey = Survey {
            effects: HashMap::from([(0, acts), (1, HashSet::new())]),
            lacks: [Need::Pipes, Need::SubGroups]
                .iter()
                .map(Need::to_string)
                .collect(),
        };
        assert_eq!(survey.missing(&pipe), ["pipes"]);
        // It has one of what it takes, or it takes nothing.
        assert!(survey.missing(&group).is_empty());
        assert!(survey.missing(&plain).is_empty());
        assert_eq!(survey.has(&group, 0), Some(true));
        assert_eq!(survey.has(&group, 1), Some(false));
        assert_eq!(survey.has(&group, 2), None);
    }
}
