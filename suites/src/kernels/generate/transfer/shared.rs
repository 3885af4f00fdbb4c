//! Transfers of shared virtual memory.

use super::{goes_to, length, look_at_all, moved, stretch};
use crate::choices::Choices;
use crate::kernels::case::{KernelCase, Kind};
use crate::kernels::generate::builder::{CaseBuilder, at, noise};
use crate::kernels::transfer::{Pattern, Transfer};
use crate::rule;
use classay_vocabulary::Need;

/// Copies and fills of shared virtual memory, in either direction with memory of the host.
pub fn svm(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("copies and fills of shared virtual memory");
    let fine = choices.percent(40);
    case.need(&[if fine { Need::SvmFine } else { Need::SvmCoarse }]);
    let kind = if fine { Kind::SvmFine } else { Kind::SvmCoarse };
    let bytes = length(choices, &[1025, 2048, 4099]);
    let kinds = [kind, kind, Kind::Host, Kind::Host];
    let all = kinds.map(|kind| case.noise(choices, kind, bytes));
    for _ in 0..choices.between(2, 7) {
        let (first, length) = stretch(choices, bytes);
        let blocking = choices.percent(40);
        let what = if choices.percent(50) {
            let size = 1 << choices.below(8);
            let first = choices.below(bytes / size) * size;
            let times = choices.between(1, (bytes - first) / size);
            Transfer::SvmFill(Pattern {
                pattern: noise(choices).bytes(size),
                to: at(all[choices.below(2)], first),
                bytes: times * size,
            })
        } else {
            // From SVM or the host's source, to SVM or the host's target, or within one allocation.
            let (one, other) = choices.one_of(&[
                (0, 1),
                (1, 0),
                (2, 0),
                (2, 1),
                (0, 3),
                (1, 3),
                (2, 3),
                (0, 0),
                (1, 1),
            ]);
            // A half leaves room for itself.
            let length = if one == other {
                length.min(bytes / 2)
            } else {
                length
            };
            let to = goes_to(choices, bytes, length, (one == other).then_some(first));
            if one == other && first < to + length && to < first + length {
                continue;
            }
            Transfer::SvmCopy(moved(at(all[one], first), at(all[other], to), length))
        };
        case.transfer(what, blocking);
    }
    if choices.percent(40) {
        case.need(&[Need::Api21]);
        let migrated = Transfer::SvmMigrate {
            of: at(all[choices.below(2)], 0),
            bytes,
            parts: parts(choices, bytes),
            to_host: choices.percent(50),
        };
        case.transfer(migrated, false);
    }
    look_at_all(&mut case, &[rule::SV_API]);
    case.case.profiled = choices.percent(60);
    case.case
}

/// Stretches of an allocation that are migrated, up to its last byte; or none, for all of it.
fn parts(choices: &mut Choices, bytes: usize) -> Vec<[usize; 2]> {
    let mut part = || {
        let first = choices.one_of(&[0, bytes / 2, bytes - 1]);
        let most = bytes - first;
        let length = choices.one_of(&[0, 1, most]);
        [first, length]
    };
    let all = [part(), part(), part()];
    all[..choices.below(4)].to_vec()
}
