//! A generated test.

use super::cover::Traits;
use super::{Class, Design};
use crate::mutation::{self, Change};
use crate::program::{Program, Quantifier};
use crate::syntax::{write_litmus, write_yaml};

/// A generated test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Its name; no other test of any selection has it.
    pub name: String,
    /// The shape's name.
    pub shape: String,
    /// The shape's cycle.
    pub cycle: String,
    /// What the outcome is to the model.
    pub class: Class,
    /// In every reading of the model some execution that is consistent has the outcome; of racy tests too,
    /// although nothing else is forbidden there either.
    pub allowed: bool,
    /// What it shows of each dimension of [`TRAITS`](super::TRAITS); a mutant has those of the
    /// first test that it is a mutant of.
    pub traits: Traits,
    /// The tests of which it is a mutant.
    pub mutant_of: Vec<String>,
    /// What it consists of, before the changes.
    pub design: Design,
    /// What has changed in it.
    pub changes: Vec<Change>,
}

impl Test {
    /// The program. It asks that the outcome be unreachable where every reading forbids it, and whether
    /// it can be reached otherwise.
    pub fn program(&self) -> Program {
        let mut program = self.existential();
        program.condition.quantifier = match self.class {
            Class::Conformance => Quantifier::NotExists,
            Class::Contested | Class::Weak | Class::Sc | Class::Racy => Quantifier::Exists,
        };
        program
    }

    /// The program, asking whether the outcome can be reached.
    pub(super) fn existential(&self) -> Program {
        mutation::apply(&self.design.program(&self.name), &self.changes)
    }

    /// The test as a `.litmus` file that says where it comes from.
    pub fn to_litmus(&self, model: &str) -> String {
        let text = write_litmus(&self.program());
        match text.split_once("\n\n") {
            Some((head, rest)) => {
                let story = wrapped(&self.story(model), "   ");
                format!("{head}\n\n(* {story} *)\n\n{rest}")
            }
            None => text,
        }
    }

    /// The test as a YAML file that says where it comes from.
    pub fn to_yaml(&self, model: &str) -> String {
        let story = wrapped(&self.story(model), "# ");
        format!("# {story}\n{}", write_yaml(&self.program()))
    }

    /// Where the test comes from and what it is.
    fn story(&self, model: &str) -> String {
        let mut story = format!("Shape {} ({}). ", self.shape, self.cycle);
        story.push_str(match self.class {
            Class::Conformance => "Conformance: the outcome is forbidden",
            Class::Contested => {
                "Contested: some readings forbid the outcome, others allow it or leave it undefined"
            }
            Class::Weak => "Weak: the outcome is allowed, but no interleaving gives it",
            Class::Sc => "Sc: an interleaving gives the outcome",
            Class::Racy => "Racy: the program has a data race, so its outcome means nothing",
        });
        story.push_str(&format!(" ({model})."));
        if !self.mutant_of.is_empty() {
            story.push_str(&format!(" Mutant of {}.", self.mutant_of.join(", ")));
            let changes: Vec<&str> = self.changes.iter().map(|c| c.what.as_str()).collect();
            if !changes.is_empty() {
                story.push_str(&format!(" Changed: {}.", changes.join("; ")));
            }
        }
        story
    }
}

/// Text in lines of about a hundred characters, as they stand in a comment; `margin` goes before
/// every line but the first.
fn wrapped(text: &str, margin: &str) -> String {
    let mut out = String::new();
    let mut width = 3;
    for word in text.split(' ') {
        if width + word.len() > 96 {
            out.push('\n');
            out.push_str(margin);
            width = 3;
        } else if !out.is_empty() {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.len();
    }
    out
}
