//! Functions that OpenCL C 3.1 has and extensions add to older versions, and those that only extensions have.

use super::bits::bits;
use super::dot::dot;
use super::present::present;
use super::shuffle::shuffle;
use super::table::Kind;
use crate::device::{Language, Version};

/// The function of a name that OpenCL C 3.1 has, or that an extension adds to an older version, and this has.
pub(super) fn added(name: &str, language: &Language) -> Option<Kind> {
    let shuffle = shuffle(name).filter(|function| function.is_in(language));
    let bits = bits(name).filter(|_| language.extended_bits);
    let dot = dot(name).filter(|function| function.is_in(language));
    let present = present(name).filter(|function| function.is_in(language));
    shuffle
        .map(Kind::SubGroupShuffle)
        .or(present.map(Kind::Present))
        .or(bits.map(Kind::Bits))
        .or(dot.map(Kind::IntegerDot))
}

/// Whether a program may have a function of its own of the name of a built-in one: of those that extensions add to
/// the version of the language that it is written in.
pub(super) fn yields(name: &str, language: &Language) -> bool {
    match added(name, language) {
        // No version has them.
        Some(Kind::Present(_)) => true,
        Some(_) => language.version < Version::V3_1,
        None => false,
    }
}
