//! Tests with their mutants, from wherever they come: what an environment is measured by, and what a hunt plays.
//!
//! This is the one place that knows what there is for an interface.

use classay_litmus::generate::{Class, Error, Given, Options, Test, generate, given};
use classay_litmus::oracle::{Model, Readings};
use classay_litmus::program::{Api, Program};

/// Where tests come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// What the generator makes for an interface, of that what devices can play.
    Made(Api),
    /// Tests that the user names.
    Named(Vec<Program>),
}

/// A test, or a mutant of one.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// What tests are like it: the shape of its cycle, or what its name begins with.
    pub shape: String,
    /// What its outcome is to the model.
    pub class: Class,
    /// The tests that it is a mutant of; none for a test.
    pub mutant_of: Vec<String>,
    /// The program.
    pub program: Program,
    /// How long it is: the edges of its cycle, or its instructions.
    pub length: usize,
}

impl Source {
    /// The tests for a model, of the classes and as many as the options say, and their mutants. Always the same. The
    /// error is a sentence.
    ///
    /// # Errors
    ///
    /// A test is beyond the oracle; one sentence.
    pub fn tests(&self, options: &Options, readings: Readings<'_>) -> Result<Vec<Made>, String> {
        let sc = Model::named("sc").map_err(|e| e.to_string())?;
        let made: Result<Vec<Made>, Error> = match self {
            Source::Made(api) => {
                let options = Options {
                    api: *api,
                    playable: true,
                    ..options.clone()
                };
                let made = generate(&options, readings, &sc);
                made.map(|made| made.tests.iter().map(Made::of_generated).collect())
            }
            Source::Named(programs) => {
                let all = given(programs, readings, &sc, options.workers);
                all.map(|all| all.iter().flat_map(Made::of_given).collect())
            }
        };
        made.map_err(|e| e.to_string())
    }
}

impl Made {
    fn of_generated(test: &Test) -> Made {
        Made {
            name: test.name.clone(),
            shape: test.shape.clone(),
            class: test.class,
            mutant_of: test.mutant_of.clone(),
            program: test.program(),
            length: test.cycle.len(),
        }
    }

    /// A given test and its mutants.
    fn of_given(test: &Given) -> Vec<Made> {
        let name = &test.program.name;
        let of = |one: &Given, mutant_of: Vec<String>| Made {
            name: one.program.name.clone(),
            shape: name.split('+').next().unwrap_or(name).to_owned(),
            class: one.class,
            mutant_of,
            length: one.program.threads.iter().map(|t| t.body.len()).sum(),
            program: one.program.clone(),
        };
        let mutants = test.mutants.iter().map(|one| of(one, vec![name.clone()]));
        std::iter::once(of(test, Vec::new()))
            .chain(mutants)
            .collect()
    }

    /// Whether its outcome is one that right devices may show: a mutant, or a test that is as weak by itself.
    pub fn is_allowed(&self) -> bool {
        match self.class {
            Class::Weak | Class::Sc => true,
            Class::Conformance | Class::Contested | Class::Racy => false,
        }
    }
}
