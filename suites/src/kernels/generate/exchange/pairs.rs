//! Two sides on devices that exchange data in turns: two work-groups of a kernel, kernels in two queues
//! of a device, or kernels on two devices.

use super::sides::{GROUPS, Idiom, TRIES, await_function, quit};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Launch, Range, Step, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sides {
    Groups,
    Queues,
    Devices,
}

/// Where turn and data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Object(Kind),
    Variable,
}

/// Each side waits for its turn, checks what the other wrote, writes its own, and passes the turn.
pub fn pairs(choices: &mut Choices) -> KernelCase {
    let sides = choices.one_of(&[
        Sides::Groups,
        Sides::Groups,
        Sides::Queues,
        Sides::Queues,
        Sides::Devices,
    ]);
    let place = place(choices, sides);
    let mut case = CaseBuilder::new(format!(
        "two sides ({sides:?}) exchange data in turns through {}",
        match place {
            Place::Object(kind) => format!("{kind:?}"),
            Place::Variable => "variables of the program".into(),
        }
    ));
    case.need(&[Need::C20, Need::C11Atomics]);
    let atomics = place == Place::Object(Kind::SvmAtomics);
    match place {
        Place::Object(kind) => case.need_memory(kind),
        Place::Variable => case.need(&[Need::ProgramScopeVariables]),
    }
    let wide = sides == Sides::Devices || choices.percent(50);
    let scope = if wide { "all_svm_devices" } else { "device" };
    case.need(&[if wide {
        Need::ScopeAllDevices
    } else {
        Need::ScopeDevice
    }]);
    let idiom = Idiom::of(choices, &mut case, sides != Sides::Devices && !wide);
    let mut rules: Vec<RuleId> = Vec::new();
    if wide && !atomics && sides != Sides::Devices {
        rules.push(rule::SV_SCOPE_DOWN);
    }
    match sides {
        Sides::Groups => {}
        Sides::Queues => rules.push(rule::SP_CROSS_KERNEL_SVM),
        Sides::Devices => rules.push(rule::SV_FINE_ATOMICS),
    }
    rules.push(match idiom {
        Idiom::RelAcq | Idiom::SeqCst => rule::MM_SW_ATOMIC,
        Idiom::Fences => rule::MM_SW_FENCE_FENCE,
        Idiom::Plain => rule::MM_INIT,
    });
    rules.push(rule::MM_SCOPE_EACH);
    let rounds = choices.one_of(&[3u32, 10, 30]);
    let words = choices.one_of(&[1u32, 5, 32]);
    let seed = choices.below(1 << 20) as u32;
    case.case.source = source(place, idiom, scope, words, seed);
    let kind = match place {
        Place::Object(kind) => kind,
        Place::Variable => Kind::Buffer,
    };
    let turn = case.object(kind, 4, Contents::Zero);
    let data = case.object(kind, 4 * words as usize, Contents::Zero);
    let quit = quit(&mut case, kind);
    // In the second word of the second one work-groups are counted as they come.
    let bad = [4, 8].map(|bytes| case.buffer(bytes));
    // Kernels that nothing orders share no buffer, not even one that they are given and leave alone.
    let one = |side: usize| {
        let [turn, data, quit] = match place {
            Place::Object(_) => [turn, data, quit],
            Place::Variable => [bad[side]; 3],
        };
        args![turn, data, quit, bad[side], rounds, side as u32]
    };
    if place == Place::Variable {
        let set = Launch::new("set", Vec::new(), Range::line(1, 1));
        case.run(set);
        case.step(Step::Finish);
    }
    if sides == Sides::Groups {
        let args = args![turn, data, quit, bad[0], bad[1], rounds];
        case.launch("groups", args, Range::line(GROUPS, 1));
    } else {
        case.case.queues = vec![u8::from(sides == Sides::Devices)];
        case.launch("one", one(0), Range::line(1, 1));
        let second = Launch {
            queue: 1,
            ..Launch::new("one", one(1), Range::line(1, 1))
        };
        case.run(second);
    }
    if place == Place::Variable {
        case.step(Step::Finish);
        case.launch("gave", args![quit], Range::line(1, 1));
    }
    let name = "words that a side found otherwise";
    case.look_even_so(bad[0], &rules, name, Want::zeros().racy());
    let came = if sides == Sides::Groups { GROUPS } else { 0 };
    let want = Want::words(vec![0, came as u32]).racy();
    case.look_even_so(bad[1], &rules, name, want);
    case.case
}

/// Where turn and data may be; between kernels that is not a buffer.
fn place(choices: &mut Choices, sides: Sides) -> Place {
    let any = [
        Place::Object(Kind::SvmCoarse),
        Place::Object(Kind::SvmCoarse),
        Place::Object(Kind::SvmFine),
        Place::Object(Kind::SvmAtomics),
        Place::Variable,
        Place::Object(Kind::Buffer),
    ];
    let place = match sides {
        Sides::Groups => choices.pick(&any),
        Sides::Queues => choices.pick(&any[..5]),
        Sides::Devices => Some(Place::Object(Kind::SvmAtomics)),
    };
    place.unwrap_or(any[0])
}

fn source(place: Place, idiom: Idiom, scope: &str, words: u32, seed: u32) -> String {
    let say = idiom.say("atomic_store", "turn, r + 1", scope);
    let (variables, turn, data, quit) = match place {
        Place::Object(_) => (String::new(), "turns", "shared", "quits"),
        Place::Variable => (
            cl!("pairs_variable.cl", words, scope),
            "&turn_variable",
            "data_variable",
            "&quit_variable",
        ),
    };
    let awaiting = await_function("uint", idiom, scope, TRIES);
    let sides = cl!("pairs.cl", turn, data, quit, words, seed, say);
    variables + &awaiting + &sides
}
