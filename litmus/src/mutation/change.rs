//! One mutation, and what it changes.

use super::reshape::Reshaping;
use super::site::each_site;
use super::step::{Property, To, name_sub_groups};
use crate::program::{Expr, Instr, MemScope, Program};

/// A mutation of a program: a weaker order, scope, fence or barrier, or accesses rearranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The change as one word for file names, `P0.1-rlx`: thread, place in it, what it becomes.
    pub word: String,
    /// What is changed, and from what to what, for people.
    pub what: String,
    /// How many steps down that is, at least one.
    pub steps: u32,
    /// Which place and which property of it: changes with the same one differ in how far they go.
    pub place: (usize, Property),
    pub(super) target: Target,
}

/// What a change does to a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The places with these numbers become something weaker.
    Sites(Vec<usize>, To),
    /// The program itself changes.
    Reshape(Reshaping),
}

impl Change {
    /// The program after the change; `program` is the one that the change was found for.
    pub fn apply(&self, program: &Program) -> Program {
        apply(program, std::slice::from_ref(self))
    }

    /// The thread whose accesses it reshapes; none for a change of orders, scopes or flags.
    pub fn thread(&self) -> Option<usize> {
        match &self.target {
            Target::Sites(..) => None,
            Target::Reshape(reshaping) => Some(reshaping.thread),
        }
    }
}

/// A program after several changes that were found for it, of different places or properties.
pub fn apply(program: &Program, changes: &[Change]) -> Program {
    let mut weaker = program.clone();
    let mut at = 0;
    each_site(&mut weaker, &mut |_, mut site| {
        for change in changes {
            if let Target::Sites(sites, to) = &change.target
                && sites.contains(&at)
            {
                to.apply(&mut site);
            }
        }
        at += 1;
    });
    for change in changes {
        match &change.target {
            Target::Sites(_, To::Scope(MemScope::SubGroup)) => name_sub_groups(&mut weaker),
            Target::Sites(..) => {}
            Target::Reshape(reshaping) => reshaping.apply(&mut weaker),
        }
    }
    for thread in &mut weaker.threads {
        clear(&mut thread.body);
    }
    weaker
}

/// Takes out what removed fences and barriers have left.
fn clear(block: &mut Vec<Instr>) {
    block.retain(|instr| !matches!(instr, Instr::Effect(Expr::Const(_))));
    block.iter_mut().flat_map(Instr::blocks_mut).for_each(clear);
}
