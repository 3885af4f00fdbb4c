//! Kernels in several forms: as they are drawn, and [written otherwise](super::rewrite). What each must leave behind is
//! computed here, and is the same for all: a compiler that takes the forms apart wrongly shows.

use super::{computed, phases};
use crate::choices::Choices;
use crate::kernels::case::KernelCase;

/// A case.
pub fn random(choices: &mut Choices) -> KernelCase {
    let forms = choices.between(1, 3);
    match choices.percent(50) {
        true => computed::rewritten(choices, forms),
        false => phases::rewritten(choices, forms),
    }
}
