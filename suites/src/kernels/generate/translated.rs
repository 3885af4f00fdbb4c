//! Kernels of other kinds, whose program is a SPIR-V module: what their OpenCL C is translated to. What they leave behind is
//! known as it is there, and the same.

use super::{
    atomics, computed, conversions, copies, functions as collective, group, halves, joined,
    language, math, pointers, random, streams, subgroups, vectors,
};
use crate::choices::Choices;
use crate::host::Linking;
use crate::kernels::case::{KernelCase, Step};
use crate::rule;
use classay_vocabulary::Need;

/// Draws a case.
type Draw = fn(&mut Choices) -> KernelCase;

/// The case with its program as a module.
fn translated(mut case: KernelCase) -> KernelCase {
    case.translated = true;
    case.about = format!("from SPIR-V: {}", case.about);
    // Modules have pointers of 64 bits.
    case.needs.extend([Need::Il, Need::Bits64]);
    // Options of another build have been gone through where the module is made.
    case.build.earlier.clear();
    case.build.linking = Linking::default();
    for step in &mut case.steps {
        if let Step::Look { rules, .. } = step
            && !rules.contains(&rule::KIND_IL)
        {
            rules.push(rule::KIND_IL);
        }
    }
    case
}

/// A case of one of some kinds.
fn one_of<const N: usize>(choices: &mut Choices, kinds: &[Draw; N]) -> KernelCase {
    let draw = choices.one_of(kinds);
    translated(draw(choices))
}

/// Statements, expressions and memory of one work-item each.
pub fn computed(choices: &mut Choices) -> KernelCase {
    let kinds: [Draw; 4] = [
        computed::computed,
        computed::computed,
        language::language,
        streams::streams,
    ];
    one_of(choices, &kinds)
}

/// Each integer function.
pub fn functions(choices: &mut Choices) -> KernelCase {
    translated(computed::functions(choices))
}

/// Kernels in several forms.
pub fn random(choices: &mut Choices) -> KernelCase {
    translated(random::random(choices))
}

/// Conversions of numbers.
pub fn conversions(choices: &mut Choices) -> KernelCase {
    translated(conversions::conversions(choices))
}

/// Functions of numbers with a fraction, and what loads and stores vectors, halves and what pointers lead to.
pub fn math(choices: &mut Choices) -> KernelCase {
    let kinds: [Draw; 6] = [
        math::instructions,
        math::instructions,
        math::instructions,
        |c| {
            let mut case = halves::halves(c);
            // A module has a type of them, even where a program needs none.
            case.needs.insert(Need::Fp16);
            case
        },
        vectors::vectors,
        pointers::pointers,
    ];
    one_of(choices, &kinds)
}

/// Barriers, local memory, copies and collective functions of work-groups and sub-groups.
pub fn groups(choices: &mut Choices) -> KernelCase {
    let kinds: [Draw; 6] = [
        group::barrier,
        group::local,
        |c| joined::several(c, collective::work_group),
        |c| joined::several(c, copies::asynchronous),
        |c| joined::several(c, subgroups::collective),
        subgroups::exchange,
    ];
    one_of(choices, &kinds)
}

/// Atomic functions.
pub fn atomics(choices: &mut Choices) -> KernelCase {
    let kinds: [Draw; 4] = [
        atomics::crowd,
        atomics::store,
        atomics::init,
        atomics::values,
    ];
    one_of(choices, &kinds)
}
