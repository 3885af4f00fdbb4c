//! Tests with their mutants, from wherever they come: what an environment is measured by, and what a hunt plays.
//!
//! This is the one place that knows what there is for an interface.

use crate::plan;
use classay_litmus::generate::{Class, Error, Given, Options, Selection, Test, generate, given};
use classay_litmus::kernel::Shape;
use classay_litmus::oracle::{Model, Readings};
use classay_litmus::program::{Api, Program};

/// Where tests come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// What is made for an interface: by the generator, which knows OpenCL; of Vulkan the shipped tests that one
    /// dispatch can play.
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
        let named = |programs: &[Program]| -> Result<Vec<Made>, Error> {
            let all = given(programs, readings, &sc, options.workers)?;
            Ok(all.iter().flat_map(Made::of_given).collect())
        };
        let made: Result<Vec<Made>, Error> = match self {
            Source::Made(Api::OpenCl) => generate(options, readings, &sc)
                .map(|made| made.tests.iter().map(Made::of_generated).collect()),
            Source::Made(Api::Vulkan) => {
                let mut tests = shipped(Api::Vulkan)?;
                tests.retain(|program| options.threads.contains(&program.threads.len()));
                named(&tests).map(|made| chosen(made, options))
            }
            Source::Named(programs) => named(programs),
        };
        made.map_err(|e| e.to_string())
    }
}

/// The shipped tests of an interface that one launch can play.
fn shipped(api: Api) -> Result<Vec<Program>, String> {
    let cases = plan::shipped_of(api)?;
    let programs = cases.iter().filter_map(|case| case.body.litmus());
    let playable = programs.filter(|program| Shape::of(program).is_ok());
    Ok(playable.map(|program| Program::clone(program)).collect())
}

/// Those of the wanted classes, as many as the options say, and the mutants of these.
fn chosen(made: Vec<Made>, options: &Options) -> Vec<Made> {
    let most = match options.selection {
        Selection::Count(most) | Selection::Drawn { count: most, .. } => most,
        Selection::All | Selection::Pairwise | Selection::EachShape(_) => usize::MAX,
    };
    let test = |one: &&Made| one.mutant_of.is_empty() && options.classes.contains(&one.class);
    let names: Vec<String> = made
        .iter()
        .filter(test)
        .take(most)
        .map(|one| one.name.clone())
        .collect();
    let mut made = made;
    made.retain(|one| {
        names.contains(&one.name) || one.mutant_of.iter().any(|of| names.contains(of))
    });
    made
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
