//! A hunt from its folder to its folder: it begins or resumes, searches, and says why it ended.

use super::candidate::candidates;
use super::journal::{Config, Journal, JournalError, Record};
use super::search::{Hunt, Over, Search};
use super::state::State;
use crate::device::Selector;
use crate::plan::seed;
use crate::tune::tuned::For;
use crate::{Error, open};
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

/// The journal's name in the hunt's folder.
const JOURNAL: &str = "hunt.jsonl";

/// What a hunt found.
#[derive(Debug)]
pub struct Hunted {
    /// What was asked for when it began.
    pub config: Config,
    /// What is known, from earlier sessions too.
    pub state: State,
    /// Why it ended before its time.
    pub halted: Option<Error>,
}

impl Hunt<'_> {
    /// Hunts until the time is over, enough was found, or the user interrupts.
    ///
    /// # Errors
    ///
    /// The folder has a hunt already or none to resume, the device does not open or is another than before,
    /// no test can be run on it, or the folder cannot be written.
    pub fn run(&self) -> Result<Hunted, Error> {
        let path = self.folder.join(JOURNAL);
        let (journal, records) = self.open_journal(&path)?;
        let begun = records.iter().find_map(|record| match record {
            Record::Begin(config) => Some(config.clone()),
            Record::Environment { .. }
            | Record::Dropped { .. }
            | Record::Trial(_)
            | Record::Violation(_) => None,
        });
        let (selector, given) = match &begun {
            Some(config) => {
                let selector: Selector = config.selector.parse().map_err(Error::Usage)?;
                (selector, Some(config.model.as_str()))
            }
            None => (self.device.clone(), self.model.as_deref()),
        };
        let chosen = open::chosen(given)?;
        let (session, model) = open::judged(&selector, chosen, self.interrupt)?;
        let strict = begun.as_ref().map_or(self.strict, |config| config.strict);
        let model = if strict { model.strict() } else { model };
        let device = For::of(&session.known().record);
        let config = match begun {
            Some(config) => same(config, &device)?,
            None => Config {
                classay: env!("CARGO_PKG_VERSION").into(),
                selector: selector.to_string(),
                device: device.clone(),
                seed: self.seed.unwrap_or_else(seed::draw),
                model: model.given.clone(),
                strict,
                tests: self.tests,
                slice: self.slice,
            },
        };
        let state = State::of(&records);
        (self.notify)(&format!(
            "{} ({selector}), driver {}; judged by {}; seed {}; {:.2} of {} hours are over{}",
            device.name,
            device.driver,
            model.given,
            config.seed,
            state.seconds / 3600.0,
            self.hours,
            if self.resume { ", going on" } else { "" }
        ));
        let api = selector.library.api();
        let candidates = candidates(api, config.tests as usize, model.readings());
        let candidates = candidates.map_err(Error::Bug)?;
        if candidates.len() < config.tests as usize {
            (self.notify)(&format!(
                "{} tests: no more are made for {}",
                candidates.len(),
                open::spoken(api)
            ));
        }
        let mut search = Search {
            hunt: self,
            config: &config,
            model: &model,
            session,
            journal,
            before: state.seconds,
            state,
            candidates,
            unfit: HashSet::new(),
            begun: Instant::now(),
            reported: Instant::now(),
            turn: 0,
        };
        let over = search.go(records.is_empty());
        let Search { session, state, .. } = search;
        let halted = match over {
            Ok(()) => {
                session.close();
                None
            }
            Err(over) => Some(self.halted(over, &path)),
        };
        Ok(Hunted {
            config,
            state,
            halted,
        })
    }

    fn open_journal(&self, path: &Path) -> Result<(Journal, Vec<Record>), Error> {
        let folder = self.folder.display();
        match (path.exists(), self.resume) {
            (true, false) => {
                return Err(Error::Usage(format!(
                    "{folder} has a hunt already: --resume goes on with it, --out DIR begins another \
                     elsewhere"
                )));
            }
            (false, true) => {
                return Err(Error::Usage(format!("{folder} has no hunt to go on with")));
            }
            (true, true) | (false, false) => {}
        }
        std::fs::create_dir_all(&self.folder).map_err(Error::output(&self.folder))?;
        Journal::open(path).map_err(|error| match error {
            JournalError::Io(error) => Error::output(path)(error),
            JournalError::Line { .. } => Error::Usage(format!("{}: {error}", path.display())),
        })
    }

    fn halted(&self, over: Over, journal: &Path) -> Error {
        match over {
            Over::Stop(stop) => {
                let so_far = format!(
                    ": `classay hunt --resume --out {} --hours {}` goes on",
                    self.folder.display(),
                    self.hours
                );
                Error::stopped(stop, so_far)
            }
            Over::Journal(error) => Error::output(journal)(error),
            Over::Error(error) => error,
        }
    }
}

/// What was asked for when a hunt began that goes on, where nothing has changed under it.
fn same(config: Config, device: &For) -> Result<Config, Error> {
    let wrong = |what: &str, was: &str, is: &str| {
        Err(Error::Usage(format!(
            "this hunt began with {what} {was}, and this is {is}: begin another with --out DIR"
        )))
    };
    if config.classay != env!("CARGO_PKG_VERSION") {
        return wrong("classay", &config.classay, env!("CARGO_PKG_VERSION"));
    }
    if config.device != *device {
        let text = |d: &For| format!("{} {} {} {}", d.platform, d.name, d.version, d.driver);
        return wrong("the device", &text(&config.device), &text(device));
    }
    Ok(config)
}
