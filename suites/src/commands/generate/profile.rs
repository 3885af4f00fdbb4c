//! What a generated program is likely to hold.

use crate::commands::program::Kind;
use serde::Deserialize;
use std::sync::OnceLock;

classay_vocabulary::words! {
    /// A way to order one command after another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Idiom {
        /// The event in the wait list.
        WaitList = "wait-list",
        /// A marker without a list behind the first, its event in the wait list of the second.
        Marker = "marker",
        /// A marker with the event in its list.
        MarkerList = "marker-list",
        /// A barrier without a list between them in their queue.
        Barrier = "barrier",
        /// A barrier with the event in its list before the second.
        BarrierList = "barrier-list",
        /// The host waits for the event in between.
        HostWait = "host-wait",
        /// The host finishes the queue in between.
        Finish = "finish",
        /// A callback of the event sets a user event that is in the wait list.
        Callback = "callback",
        /// Another host thread waits for the event and sets a user event.
        OtherThread = "other-thread",
    }
}

/// What a command is, before its data is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A kernel.
    Kernel,
    /// A native kernel.
    Native,
    /// A read.
    Read,
    /// A write.
    Write,
    /// A copy.
    Copy,
    /// A fill.
    Fill,
    /// A map, host accesses, and an unmap.
    Map,
    /// A migration.
    Migrate,
    /// A marker or a barrier of no use to the data.
    Empty,
}

/// Weights of a generator, and sizes. The profiles are in `profiles.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// `family/kind`.
    pub name: String,
    /// Fewest and most commands, beside those that order them.
    pub commands: (usize, usize),
    /// Most queues.
    pub queues: usize,
    /// Of a hundred queues, how many are out of order.
    pub out_of_order: usize,
    /// Devices of the program.
    pub devices: u8,
    /// What objects are.
    pub objects: Vec<(Kind, u32)>,
    /// Most objects, beside sub-buffers.
    pub most_objects: usize,
    /// Cells of an object: one of these.
    pub cells: Vec<u8>,
    /// Of a hundred buffers, how many get a sub-buffer.
    pub sub_buffers: usize,
    /// Most sub-buffers that such a buffer gets; where there are several, most overlap, and one ends where the
    /// buffer does.
    pub parts: usize,
    /// Most cells of a range. Where that is more than three, long ranges and those that end where their object does
    /// are likelier.
    pub longest: u8,
    /// What commands are.
    pub works: Vec<(Work, u32)>,
    /// How they are ordered.
    pub idioms: Vec<(Idiom, u32)>,
    /// Of a hundred commands that wait for nothing, how many wait for a gate.
    pub gates: usize,
    /// Of a hundred reads and writes, how many block.
    pub blocking: usize,
    /// Of a hundred blocking commands that wait for no gate, how many get one.
    pub gated_blocks: usize,
    /// Of a hundred reads and writes of buffers, how many are of rectangles.
    pub rects: usize,
    /// Words of a cell: one of these.
    pub cell_words: Vec<u16>,
    /// Of a hundred gates, how many fail instead of opening.
    pub failures: usize,
    /// Gates fail as in `queue/failure`; commands and memory are those of this profile.
    pub fails: bool,
    /// Of a hundred programs, in how many the host waits by one list for what fails at once and for what a gate still
    /// holds back.
    pub mixed_waits: usize,
    /// Of a hundred programs, in how many a command waits by one list for commands of several other queues, of which some
    /// are held back.
    pub gathers: usize,
    /// Of a hundred programs, in how many native kernels may be given several buffers, or one at several places.
    pub several: usize,
    /// Of a hundred commands, before how many a read to memory of the host is held back by a gate, and a write from
    /// there comes behind it.
    pub relays: usize,
    /// Of a hundred commands whose event nothing names, how many are enqueued without one.
    pub eventless: usize,
    /// Of a hundred gates, how many are let go in the same instant as the one before, by another host thread.
    pub at_once: usize,
    /// Of a hundred commands that wait for a gate, how many wait for several of their own.
    pub joint: usize,
    /// Of a hundred kernels, how many take their time.
    pub long: usize,
    /// Of a hundred commands in queues out of order, how many come behind barriers that have gates of their
    /// own.
    pub gated_barriers: usize,
    /// Of a hundred programs, how many have a crowd of commands between one behind a gate and one that waits
    /// for them all.
    pub crowds: usize,
    /// Of a hundred programs, how many have hundreds of commands with one behind a gate among them, and commands and
    /// host threads that wait for each of them by a list.
    pub hundreds: usize,
    /// Of a hundred times that gates are let go, how often other host threads wait for what is behind them.
    pub watchers: usize,
    /// Of a hundred programs, how many read memory once more when all is done.
    pub looks_back: usize,
    /// Of a hundred commands, how many get a callback that only tells.
    pub callbacks: usize,
    /// Of a hundred programs, in how many other host threads enqueue commands, too.
    pub threads: usize,
    /// Most of these threads. Where there may be several, each waits for its own commands, asks for their states and
    /// releases their events while others do.
    pub crew: usize,
    /// Of a hundred programs, how many release queues and events early.
    pub releases: usize,
    /// Of a hundred programs with gates, in how many the host waits for a command of another queue before
    /// they open.
    pub independent: usize,
    /// Of a hundred commands behind a gate, how many have a twin behind the same.
    pub twins: usize,
    /// Longest time that a gate stays closed, in microseconds.
    pub longest_gate: usize,
}

/// The profiles in their order.
fn profiles() -> &'static [Profile] {
    static ALL: OnceLock<Vec<Profile>> = OnceLock::new();
    // The file is part of the program, and a test reads it.
    ALL.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<Vec<Profile>, String> {
    serde_saphyr::from_str(include_str!("profiles.yaml")).map_err(|e| e.to_string())
}

impl Profile {
    /// The profile of this name, `family/kind`.
    pub fn find(name: &str) -> Option<Profile> {
        profiles()
            .iter()
            .find(|profile| profile.name == name)
            .cloned()
    }

    /// Queues of both kinds, kernels and transfers, every idiom.
    pub fn queue() -> Profile {
        Profile::find("queue/random").unwrap_or_default()
    }

    /// The same, and where its gates fail with all else that `queue/failure` says of that. None of its calls block: that is
    /// for `queue/failure`.
    pub fn with_failures(&self) -> Profile {
        let own = self.clone();
        if !own.fails {
            return own;
        }
        Profile {
            name: own.name,
            devices: own.devices,
            objects: own.objects,
            most_objects: own.most_objects,
            cells: own.cells,
            cell_words: own.cell_words,
            sub_buffers: own.sub_buffers,
            parts: own.parts,
            longest: own.longest,
            works: own.works,
            rects: own.rects,
            several: own.several,
            blocking: 0,
            ..Profile::find("queue/failure").unwrap_or_default()
        }
    }

    /// Every profile with its family and name.
    pub fn all() -> Vec<(&'static str, &'static str, Profile)> {
        let named = |profile: &'static Profile| {
            let (family, kind) = profile.name.split_once('/')?;
            Some((family, kind, profile.clone()))
        };
        profiles().iter().filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_profile_has_a_name_of_its_own_and_something_to_draw() {
        let all = read().expect("the file can be read");
        let names: BTreeSet<&str> = all.iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!((names.len(), Profile::all().len()), (all.len(), all.len()));
        for profile in &all {
            let name = &profile.name;
            assert_eq!(name.split('/').count(), 2, "{name}");
            assert!(
                !profile.objects.is_empty() && !profile.works.is_empty(),
                "{name}"
            );
            assert!(
                !profile.idioms.is_empty() && !profile.cell_words.is_empty(),
                "{name}"
            );
            assert!(
                (1..=profile.commands.1).contains(&profile.commands.0),
                "{name}"
            );
            assert!(profile.queues > 0 && profile.devices > 0, "{name}");
            let weights = profile.works.iter().map(|(_, weight)| *weight);
            assert!(weights.min() > Some(0), "{name}");
        }
        assert!(Profile::find("queue/nothing").is_none());
    }

    #[test]
    fn every_idiom_and_work_is_drawn_by_some_profile() {
        let all = profiles().iter();
        let idioms: BTreeSet<Idiom> = all.clone().flat_map(|p| &p.idioms).map(|i| i.0).collect();
        assert_eq!(idioms.into_iter().collect::<Vec<_>>(), Idiom::ALL);
        let works: BTreeSet<Work> = all.flat_map(|p| &p.works).map(|work| work.0).collect();
        assert_eq!(works.len(), 9);
    }

    #[test]
    fn a_profile_that_is_like_another_keeps_what_it_does_not_say() {
        let of = |name| Profile::find(name).expect("a profile");
        let (queue, barriers) = (of("queue/random"), of("queue/barriers"));
        assert_eq!((queue.twins, barriers.twins), (15, 0));
        assert_eq!(barriers.works, queue.works);
        let (sync, native) = (of("sync/random"), of("kernels/native"));
        assert_eq!(native.idioms, sync.idioms);
        assert_ne!(native.works, sync.works);
        assert_eq!(of("svm/devices").objects, of("svm/coarse").objects);
    }
}
