//! What the programs that were played say of the models of progress.

use super::Waiting;
use super::played::{Fate, Played};
use crate::device::{Api, Capabilities};
use classay_litmus::oracle::Progress as Model;
use classay_litmus::progress::Among;

/// What a device promises of threads like these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Nothing: what does not end is no failure.
    Nothing,
    /// CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: no sub-group's execution is blocked by another's, which is
    /// fair scheduling. [ex.progress.subgroup]
    SubGroups,
}

impl Promise {
    /// What a device of these capabilities promises.
    pub fn of(capabilities: &Capabilities, among: Among) -> Promise {
        let reports = capabilities.api == Api::OpenCl && capabilities.sub_group_progress;
        match among {
            Among::SubGroups if reports => Promise::SubGroups,
            Among::WorkGroups | Among::SubGroups | Among::WorkItems => Promise::Nothing,
        }
    }
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Every program that ends under it came to its end.
    Kept,
    /// These end under it and did not come to their end.
    Refuted(Vec<&'static str>),
    /// Nothing refutes it, and these, which end under it, showed nothing.
    Open(Vec<&'static str>),
}

/// What was seen of threads that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// What the threads are.
    pub among: Among,
    /// What the device promises of them.
    pub promise: Promise,
    /// What is known of each model.
    pub models: Vec<(Model, Standing)>,
    /// How many programs were played, and not skipped.
    pub played: usize,
    /// What programs showed that no device may: a sentence each.
    pub failures: Vec<String>,
}

impl Seen {
    /// What these programs show.
    pub fn of(among: Among, promise: Promise, all: &[(&Waiting, Played)]) -> Seen {
        let models = Model::ALL.into_iter();
        let models = models.map(|model| (model, standing(model, all))).collect();
        let failures = all.iter().filter_map(|(waiting, played)| {
            let failure = failure(&played.fate, promise)?;
            Some(format!("{} among {among}: {failure}", waiting.name))
        });
        let skipped = |(_, played): &&(&Waiting, Played)| matches!(played.fate, Fate::Skipped(_));
        Seen {
            among,
            promise,
            models,
            played: all.len() - all.iter().filter(skipped).count(),
            failures: failures.collect(),
        }
    }

    /// The models that were seen to be kept, and that no other of these implies.
    pub fn strongest(&self) -> Vec<Model> {
        let kept = |model: &Model| {
            let known = self.models.iter().find(|(known, _)| known == model);
            known.is_some_and(|(_, standing)| *standing == Standing::Kept)
        };
        let all: Vec<Model> = Model::ALL.into_iter().filter(kept).collect();
        let implied = |model: &Model| all.iter().any(|other| other.is_stronger_than(*model));
        all.iter()
            .copied()
            .filter(|model| !implied(model))
            .collect()
    }
}

fn standing(model: Model, all: &[(&Waiting, Played)]) -> Standing {
    let own = all.iter();
    let own = own.filter(|(waiting, _)| waiting.ends_under.contains(&model));
    let own: Vec<&(&Waiting, Played)> = own.collect();
    let names = |is: fn(&Fate) -> bool| -> Vec<&'static str> {
        let found = own.iter().filter(|(_, played)| is(&played.fate));
        found.map(|(waiting, _)| waiting.name).collect()
    };
    let refuting = names(|fate| matches!(fate, Fate::Stuck(_)));
    let silent = names(|fate| !matches!(fate, Fate::Stuck(_) | Fate::Ended(_)));
    match (refuting.is_empty(), silent.is_empty()) {
        (false, _) => Standing::Refuted(refuting),
        (true, false) => Standing::Open(silent),
        (true, true) => Standing::Kept,
    }
}

/// What is wrong with a device that does this, if anything.
fn failure(fate: &Fate, promise: Promise) -> Option<String> {
    match (fate, promise) {
        (Fate::Failed(why), _) => Some(why.clone()),
        (Fate::Stuck(_), Promise::SubGroups) => Some(
            "it did not come to its end, and the device reports \
             CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS [ex.progress.subgroup]"
                .into(),
        ),
        (Fate::Ended(_) | Fate::Skipped(_) | Fate::Cut | Fate::GaveUp(_), Promise::SubGroups)
        | (_, Promise::Nothing) => None,
    }
}
