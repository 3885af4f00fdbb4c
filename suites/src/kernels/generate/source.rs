//! Kernels from sources: the same source gives the same kernel, whatever was built before and for
//! whichever device.

use super::builder::{CaseBuilder, args};
use crate::choices::Choices;
use crate::host::EarlierBuild;
use crate::kernels::case::{KernelCase, Launch, OtherProgram, Range, Want};
use crate::rule;

/// What is computed from the two constants of a source, the option and a number.
fn value(constants: [u32; 2], option: u32, n: u32) -> u32 {
    (n.wrapping_mul(constants[0]) ^ constants[1]).wrapping_add(option)
}

fn source(constants: [u32; 2]) -> String {
    format!(
        "\
uint value(uint n) {{ return (n * {}u ^ {}u) + OPTION; }}
kernel void fill(global uint *out, uint from) {{ out[get_global_id(0)] = value(get_global_id(0) + from); }}
",
        constants[0], constants[1]
    )
}

/// A program that is built after others that are nearly the same: sources of the same length with the
/// same kernel, and the same source with another option. Its kernels run on one device or on two.
pub fn again(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("a program does what its source says, whatever was built before");
    // As many digits each time.
    let mut constants = || [(); 2].map(|()| 100_000_000 + choices.below(900_000_000) as u32);
    let own = constants();
    let others = [constants(), constants()];
    let option = choices.below(1000) as u32;
    let options = |option: u32| format!("-DOPTION={option}u");
    for other in others.iter().take(choices.between(0, 2)) {
        case.case.build.before.push(OtherProgram {
            source: source(*other),
            options: options(option),
        });
    }
    if choices.percent(60) {
        case.case.build.before.push(OtherProgram {
            source: source(own),
            options: options(option + 1),
        });
    }
    // The program itself is built with other options, and then again.
    if choices.percent(40) {
        for n in 0..choices.between(1, 2) as u32 {
            case.case.build.earlier.push(EarlierBuild {
                options: options(option + 1 + n),
                ..EarlierBuild::default()
            });
        }
    }
    case.case.source = source(own);
    case.case.build.options = options(option);
    let devices: u8 = if choices.percent(30) { 2 } else { 1 };
    if devices > 1 {
        case.case.queues = vec![1];
    }
    let (items, from) = (choices.one_of(&[1u32, 7, 64]), choices.below(1000) as u32);
    for queue in 0..devices {
        let out = case.buffer(4 * items as usize);
        case.run(Launch {
            queue,
            ..Launch::new("fill", args![out, from], Range::line(items.into(), 1))
        });
        let wanted = (0..items).map(|n| value(own, option, n + from)).collect();
        let want = Want::words(wanted);
        case.look(out, &[rule::KIND_SOURCE], "what the kernel computed", want);
    }
    case.case
}
