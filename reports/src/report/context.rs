//! What a report says that counts do not: what the caller knows of rules, tests, models and the machine.
//!
//! This crate knows neither OpenCL nor litmus tests, so everything here is text with a meaning that the
//! caller gives it. All of it may be left out; a report then has less to say.

use super::faults::Faults;
use super::progress::Progress;
use super::tuning::Tuning;
use crate::difference::Differences;
use crate::expectation::Expectations;
use crate::record::CaseId;
use crate::store::Run;
use std::collections::BTreeMap;

/// All that the caller knows.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The catalogue of rules, in its order.
    pub rules: Vec<Rule>,
    /// What is known of cases.
    pub cases: BTreeMap<CaseId, About>,
    /// What was planned: names and values, for people.
    pub plan: Vec<(String, String)>,
    /// Which injected faults were detected.
    pub faults: Option<Faults>,
    /// Which mutants tuning saw.
    pub tuning: Option<Tuning>,
    /// Which model of forward progress the device was seen to keep.
    pub progress: Option<Progress>,
    /// What is known to fail.
    pub expectations: Expectations,
    /// The earlier run that this one is compared with.
    pub baseline: Option<Baseline>,
    /// What the caller could not find out, as sentences.
    pub missing: Vec<String>,
}

impl Context {
    /// What is known of a case.
    pub fn about(&self, case: &CaseId) -> Option<&About> {
        self.cases.get(case)
    }
}

/// A rule of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id, as `mm.sw.atomic`: letters, digits, dots and dashes.
    pub id: String,
    /// The section of the specification that states it.
    pub section: String,
    /// What it says.
    pub statement: String,
    /// What breaking it means.
    pub kind: Kind,
}

impl Rule {
    /// Whether a run can break it: what leaves a choice is told as freedoms, and no case does what is undefined.
    pub fn is_testable(&self) -> bool {
        match self.kind {
            Kind::Must => true,
            Kind::May | Kind::Undefined => false,
        }
    }
}

classay_vocabulary::words! {
    /// What breaking a rule means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// A violation fails.
        Must = "must",
        /// Several ways are conformant.
        May = "may",
        /// The behaviour is undefined: no case does it.
        Undefined = "undefined",
    }
}

/// What is known of a case, apart from its result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// Ids of the rules that it puts to the test.
    pub rules: Vec<String>,
    /// Where a litmus test stands in the heat map.
    pub annotation: Option<Annotation>,
    /// What the memory model says of the target outcomes.
    pub expected: Option<Expected>,
    /// Pictures of outcomes that the model forbids.
    pub pictures: Vec<Picture>,
    /// Texts that help with a failure: the program, the smallest one found, how to run it again.
    pub notes: Vec<Note>,
}

/// What a litmus test is made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// Its shape: a name of the literature, or the accesses.
    pub shape: String,
    /// Its scopes, in words.
    pub scopes: String,
    /// Its memory orders, fences and barriers, in words.
    pub orders: String,
    /// Where the shape stands among others; equal for equal shapes.
    pub rank: u32,
    /// Where the orders stand among others, the weakest first.
    pub strength: u32,
}

classay_vocabulary::words! {
    /// What a model says of an outcome.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Expected {
        /// Forbidden.
        Forbidden = "forbidden",
        /// Forbidden by some readings of the model's text, allowed by others or left undefined.
        Contested = "contested",
        /// Allowed, though no interleaving gives it.
        Weak = "weak",
        /// An interleaving gives it.
        Interleaving = "interleaving",
        /// The program has undefined behaviour.
        Undefined = "undefined",
    }
}

/// A drawing of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The outcome.
    pub outcome: String,
    /// A whole SVG element, without a prologue.
    pub svg: String,
    /// The same in words.
    pub text: String,
}

/// A text under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The heading.
    pub title: String,
    /// The text, shown as it is.
    pub text: String,
}

/// An earlier run, and what differs.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// How the user named it.
    pub name: String,
    /// The run.
    pub run: Run,
    /// What differs.
    pub differences: Differences,
    /// The false discovery rate at which rates are reported as changed.
    pub rate: f64,
    /// The seeds are equal: generated cases were compared too.
    pub same_seed: bool,
}
