//! Readings: where the text of the specification can be read in more than one way.
//!
//! A model takes a reading where it says `if "NAME" then … else …`; without it, it reads the text as
//! `models/README.md` says. [`Model::readings`] are those that a model names and `models/readings.yaml`
//! describes, and a reading is part of a model's name: `opencl-3.0+scoped-s`. Each says what it makes of the
//! model for every program, so that two models bound all of their combinations: the strictest takes every
//! reading that forbids more, the weakest every one that allows more.

use super::Model;
use super::error::{Result, Source, Span};
use serde::Deserialize;
use std::sync::{Arc, OnceLock};

/// What a reading makes of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It allows every outcome that the model allows, and perhaps more.
    AllowsMore,
    /// It forbids every outcome that the model forbids, and perhaps more.
    ForbidsMore,
}

/// A way to read the text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Its name.
    pub name: String,
    /// What it makes of a model.
    pub effect: Effect,
    /// How it reads the text.
    pub says: String,
    /// What in the text can be read so, and what otherwise.
    pub text: String,
}

/// The models that bound every reading of a model's text.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Forbids what any reading forbids.
    pub strictest: Arc<Model>,
    /// Forbids what every reading forbids.
    pub weakest: Arc<Model>,
}

const TABLE: &str = include_str!("../../models/readings.yaml");

/// Between a model and its readings in a name.
const JOIN: char = '+';

impl Reading {
    /// Every reading, in the order of the table.
    pub fn all() -> &'static [Reading] {
        static ALL: OnceLock<Vec<Reading>> = OnceLock::new();
        // The table is part of the program, and a test reads it.
        ALL.get_or_init(|| serde_saphyr::from_str(TABLE).unwrap_or_default())
    }
}

/// The model and the readings in a name such as `opencl-3.0+scoped-s`.
pub(super) fn parts(name: &str) -> (&str, Vec<&str>) {
    let mut parts = name.split(JOIN);
    let model = parts.next().unwrap_or(name);
    (model, parts.collect())
}

/// The name of a model with readings.
pub fn joined<'a>(model: &str, readings: impl IntoIterator<Item = &'a str>) -> String {
    readings
        .into_iter()
        .fold(model.to_owned(), |mut name, reading| {
            name.push(JOIN);
            name.push_str(reading);
            name
        })
}

impl Model {
    /// The readings that the model can take, whether it takes them or not.
    pub fn readings(&self) -> impl Iterator<Item = &'static Reading> {
        let named = |reading: &&Reading| self.options.iter().any(|o| **o == *reading.name);
        Reading::all().iter().filter(named)
    }

    /// The name of the model with every reading of one effect: no combination of readings allows what the
    /// model with all that forbid more forbids not, nor forbids what the one with all that allow more allows.
    pub fn with_every(&self, effect: Effect) -> String {
        let readings = self.readings().filter(|reading| reading.effect == effect);
        joined(&self.name, readings.map(|reading| reading.name.as_str()))
    }

    /// The models that bound its readings; none where its text has one reading, or its name says which it takes.
    pub fn bounds(&self) -> Option<Bounds> {
        let (_, taken) = parts(&self.name);
        self.readings().next().filter(|_| taken.is_empty())?;
        let every = |effect| Model::named(&self.with_every(effect)).ok().map(Arc::new);
        Some(Bounds {
            strictest: every(Effect::ForbidsMore)?,
            weakest: every(Effect::AllowsMore)?,
        })
    }

    /// Checks that the model knows the readings that its name asks for.
    pub(super) fn check_readings(self, asked: &[&str]) -> Result<Model> {
        let known: Vec<&str> = self.readings().map(|r| r.name.as_str()).collect();
        match asked.iter().find(|name| !known.contains(name)) {
            None => Ok(self),
            Some(unknown) => {
                let source = Source::new("model name", *unknown);
                let message = format!("{} has no reading named `{unknown}`", self.name);
                let help = match known.as_slice() {
                    [] => "it reads the text in one way only".to_owned(),
                    known => format!("its readings are {}", known.join(", ")),
                };
                let span = Span::new(0, unknown.len());
                Err(source.error(span, message, "unknown").with_help(help))
            }
        }
    }
}
