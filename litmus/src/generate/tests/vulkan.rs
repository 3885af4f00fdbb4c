//! Generated tests of Vulkan: what they are to the model, that both engines agree on them, and their mutants.

use super::{VULKAN, interleave};
use crate::generate::*;
use crate::kernel::Shape as KernelShape;
use crate::oracle::tests::naive;
use crate::oracle::{Limits, judge};
use crate::program::{Api, Atomicity, FenceFlags, Instr, MemOrder, Program, each_instr};
use crate::syntax::{read_litmus, read_yaml};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

fn models() -> (Model, Model) {
    let named = |name| Model::named(name).expect("the models that come along can be read");
    (named(Api::Vulkan.model()), named("sc"))
}

fn options(edges: RangeInclusive<usize>) -> Options {
    Options {
        api: Api::Vulkan,
        edges,
        ..Options::default()
    }
}

fn whole(options: &Options) -> Generated {
    let (model, sc) = models();
    generate(options, &model, &sc).expect("every generated test can be judged")
}

fn drawn(count: usize, seed: u64) -> Options {
    Options {
        mutants: true,
        selection: Selection::Drawn { count, seed },
        ..options(3..=6)
    }
}

/// Some of every size, with their mutants.
static SOME: LazyLock<Vec<Test>> = LazyLock::new(|| whole(&drawn(250, 7)).tests);

#[test]
fn a_seed_draws_the_same_tests_and_another_seed_others() {
    let of = |seed| whole(&drawn(40, seed)).tests;
    let (one, again, other) = (of(1), of(1), of(2));
    assert_eq!(one, again);
    let names = |tests: &[Test]| tests.iter().map(|t| t.name.clone()).collect::<HashSet<_>>();
    let own = |tests: &[Test]| tests.iter().filter(|t| t.mutant_of.is_empty()).count();
    assert!(own(&one) > 30 && own(&other) > 30);
    assert!(names(&one).intersection(&names(&other)).count() < 30);
    // The first of many are those of few.
    let many = whole(&Options {
        mutants: false,
        ..drawn(80, 1)
    });
    let few = whole(&Options {
        mutants: false,
        ..drawn(40, 1)
    });
    assert_eq!(many.tests.len(), 80);
    assert_eq!(many.tests[..40], few.tests);
}

#[test]
fn names_and_canonical_forms_are_unique() {
    let mut names = HashSet::new();
    for found in VULKAN.iter() {
        let name = &found.candidate.name;
        assert!(names.insert(name), "{name}");
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-~.".contains(c);
        assert!(name.chars().all(plain), "{name}");
    }
    let forms: HashSet<Canonical> = SOME.iter().map(|t| canonical(&t.existential())).collect();
    assert_eq!(forms.len(), SOME.len());
    let names: HashSet<&str> = SOME.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names.len(), SOME.len());
}

#[test]
fn a_test_is_found_by_its_name() {
    let (model, sc) = models();
    let options = options(3..=6);
    for test in SOME.iter().filter(|t| t.mutant_of.is_empty()).take(20) {
        let found = named(&test.name, &options, &model, &sc).expect("it can be judged");
        assert_eq!(found.as_ref(), Some(test), "{}", test.name);
    }
    for unknown in ["MP", "MP+sc", "no+such"] {
        let found = named(unknown, &options, &model, &sc).expect("nothing is judged");
        assert_eq!(found, None, "{unknown}");
    }
}

#[test]
fn the_classics_are_what_they_are_known_to_be() {
    use Class::{Conformance, Racy, Sc, Weak};
    let expected = [
        ("MP+rel+acq", Conformance),
        ("MP+rlx", Weak),
        ("MP+rel+rlx", Weak),
        ("MP+rel+acq+swap", Sc),
        ("MP+rel+acq+av-vis", Conformance),
        ("MP+rel+acq+semav-semvis", Conformance),
        ("MP+rel+acq+np", Racy),
        ("MP+rel+acq+priv", Racy),
        ("MP+rlx+av-vis", Racy),
        ("MP+fence-rel+fence-acq", Conformance),
        ("MP+fence-rel+fence-acq+semav-semvis", Conformance),
        ("MP+fence-rel+fence-acq+av-vis", Conformance),
        ("MP+rel+acq+wg+local", Conformance),
        ("MP+rel+acq+wg+apart", Racy),
        ("MP+rel+acq+inv", Racy),
        ("MP+rel+acq+sg", Conformance),
        ("MP+rel+acq+sg+apart", Racy),
        ("MP+rel+acq+qf", Conformance),
        ("MP+rel+acq+qf+apart", Racy),
        ("MP+rel+acq+dv+families", Conformance),
        ("MP+rel+acq+dv+devices", Racy),
        ("MP+rel+acq+cd+devices", Weak),
        ("MP+rel+acq+other", Weak),
        ("MP+rel+acq+both", Conformance),
        ("MP+rel+acq+wg+split", Conformance),
        ("MP+rel+acq+wg+split+gflag", Weak),
        ("MP+na-bar+av-vis+wg", Conformance),
        ("MP+na-bar+np+wg", Racy),
        ("MP+na-fbar+semav-semvis+wg", Conformance),
        ("MP+na-fbar+av-vis+sg", Conformance),
        ("SB+rel-acq", Weak),
        ("SB+fence-ar", Weak),
        ("LB+acq-rel", Conformance),
        ("IRIW+rel+acq-acq+rel+acq-acq", Weak),
        ("ISA2+rel+acq-rel+acq", Conformance),
        ("ISA2+rel+acq-rel+acq+semav-semvis+wg-dv+chain", Conformance),
        ("ISA2+rel+acq-rel+acq+semav-semvis+dv-wg+chain", Conformance),
        ("ISA2+rel+acq-rel+acq+av-vis+wg-dv+chain", Racy),
        ("CoRR+rlx", Conformance),
        ("CoWW+rlx", Conformance),
        ("CoRR+rlx+inv", Racy),
        ("SB+rmw", Conformance),
    ];
    let (model, sc) = models();
    let found = expected.map(|(name, _)| {
        let test = named(name, &options(3..=6), &model, &sc).expect("it can be judged");
        (name, test.map(|test| test.class))
    });
    assert_eq!(found, expected.map(|(name, class)| (name, Some(class))));
}

#[test]
fn both_engines_agree_on_generated_tests() {
    let (model, sc) = models();
    let limits = Limits::default();
    let mut compared = 0;
    for test in SOME.iter() {
        let program = test.program();
        let judged = judge(&program, &model, &limits).expect("it was judged before");
        assert!(!judged.bounded && !judged.outside, "{}", test.name);
        let by_sc = judge(&program, &sc, &limits).expect("it is small");
        assert_eq!(
            interleave::outcomes(&program),
            by_sc.states,
            "{}",
            test.name
        );
        let Some(reference) = naive::judge(&program, &model, 400) else {
            continue;
        };
        assert!(
            reference.agrees(&judged),
            "{}: {reference:#?} {judged:#?}",
            test.name
        );
        compared += 1;
        let (racy, holds) = match test.class {
            Class::Conformance | Class::Weak | Class::Sc => (false, true),
            Class::Racy => (true, test.allowed),
            Class::Contested => panic!("{}: the text of Vulkan has one reading", test.name),
        };
        assert_eq!((judged.racy, judged.holds), (racy, holds), "{}", test.name);
    }
    assert!(compared * 2 > SOME.len(), "{compared} of {}", SOME.len());
}

#[test]
fn what_is_written_reads_back() {
    for test in SOME.iter() {
        for (text, read) in [
            (test.to_litmus("vulkan"), read_litmus as fn(&str, &str) -> _),
            (test.to_yaml("vulkan"), read_yaml),
        ] {
            match read(&test.name, &text) {
                Ok(program) => assert_eq!(program, test.program(), "{text}"),
                Err(error) => panic!("{error:?}\n{text}"),
            }
        }
    }
    for found in VULKAN.iter().step_by(97) {
        let program = found.candidate.program();
        let text = crate::syntax::write_litmus(&program);
        assert_eq!(read_litmus("", &text).ok(), Some(program), "{text}");
    }
}

/// What semantics of an order, of these classes, making something, are against the validity rules.
fn wrong(order: MemOrder, flags: FenceFlags, make: crate::program::Make) -> Option<&'static str> {
    if order == MemOrder::SeqCst {
        return Some("sequential consistency");
    }
    if make.under(order) != make {
        return Some("MakeAvailable without Release, or MakeVisible without Acquire");
    }
    match order == MemOrder::Relaxed {
        true if flags != FenceFlags::NONE => Some("classes without an order"),
        false if flags == FenceFlags::NONE => Some("an order without a class"),
        true | false => None,
    }
}

/// What is against the rules of Vulkan in a program.
fn invalid(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for thread in &program.threads {
        each_instr(&thread.body, &mut |instr| {
            let stated = match instr {
                Instr::Fence(fence) if fence.order == MemOrder::Relaxed => {
                    found.push("a fence without an order".to_owned());
                    None
                }
                Instr::Fence(fence) => Some((fence.order, fence.flags, fence.make)),
                Instr::Barrier(barrier) => Some((barrier.order, barrier.flags, barrier.make)),
                Instr::Store { access, .. } => {
                    let atomic = access.atomicity.atomic();
                    atomic.map(|atomic| (atomic.order, atomic.flags, atomic.make))
                }
                _ => None,
            };
            let wrong = stated.and_then(|(order, flags, make)| wrong(order, flags, make));
            found.extend(wrong.map(str::to_owned));
            for value in instr.expressions() {
                value.each(&mut |expr| {
                    let atomic = match expr {
                        crate::program::Expr::Load(access) => access.atomicity.atomic(),
                        crate::program::Expr::Rmw(rmw) => Some(rmw.atomic),
                        crate::program::Expr::Cas(cas) => Some(cas.atomic),
                        _ => None,
                    };
                    let wrong = atomic.and_then(|a| self::wrong(a.order, a.flags, a.make));
                    found.extend(wrong.map(str::to_owned));
                });
            }
        });
    }
    found
}

#[test]
fn every_program_is_valid() {
    let candidates = VULKAN.iter().map(|found| found.candidate.program());
    for program in candidates.chain(SOME.iter().map(Test::program)) {
        assert_eq!(program.api, Api::Vulkan);
        assert_eq!(invalid(&program), Vec::<String>::new(), "{}", program.name);
    }
}

/// What can be dropped, by a word of a mutant's name.
const DROPPED: [&str; 12] = [
    "rlx", "acq", "rel", "noav", "novis", "priv", "nofence", "nobar", "wg", "sg", "wi", "lflag",
];

/// The last word of a mutant's name, without the place.
fn dropped(test: &Test) -> Option<&str> {
    let word = test.name.rsplit('~').next()?;
    let (_, what) = word.split_once('-')?;
    Some(what)
}

#[test]
fn mutants_allow_what_their_tests_forbid() {
    let (model, _) = models();
    let by_name: HashMap<&str, &Test> = SOME.iter().map(|t| (t.name.as_str(), t)).collect();
    let mutants: Vec<&Test> = SOME.iter().filter(|t| !t.mutant_of.is_empty()).collect();
    assert!(mutants.len() > 200, "{}", mutants.len());
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for mutant in mutants {
        for of in &mutant.mutant_of {
            assert_eq!(by_name[of.as_str()].class, Class::Conformance);
        }
        let judged = judge(&mutant.program(), &model, &Limits::default()).expect("it is small");
        assert!(
            judged.racy || mutant.allowed && judged.holds,
            "{}",
            mutant.name
        );
        assert_ne!(mutant.class, Class::Conformance, "{}", mutant.name);
        if !mutant.changes.is_empty() {
            *seen.entry(dropped(mutant).unwrap_or_default()).or_default() += 1;
            let text = mutant.to_litmus("vulkan");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for change in &mutant.changes {
                assert!(text.contains(&change.what), "{text}");
            }
        }
    }
    let missing: Vec<_> = DROPPED
        .iter()
        .filter(|word| !seen.contains_key(*word))
        .collect();
    assert!(missing.is_empty(), "{missing:?} of {seen:?}");
}

#[test]
fn each_thing_that_a_test_relies_on_is_dropped() {
    let (model, sc) = models();
    let judge = Judge::new(&model, &sc);
    let expected = [
        ("MP+rel+acq", "P0.1-rlx", Class::Weak),
        ("MP+rel+acq", "P1.0-rlx", Class::Weak),
        ("MP+rel+acq", "P0.1-wg", Class::Racy),
        ("MP+rel+acq", "P0.1-lflag", Class::Weak),
        ("MP+rel+acq+av-vis", "P0.0-noav", Class::Racy),
        ("MP+rel+acq+av-vis", "P1.1-novis", Class::Racy),
        ("MP+rel+acq+av-vis", "P0.0-wg", Class::Racy),
        ("MP+rel+acq+av-vis", "P0.0-priv", Class::Racy),
        ("MP+rel+acq+av-vis", "P1.1-priv", Class::Racy),
        ("MP+rel+acq+semav-semvis", "P0.1-noav", Class::Racy),
        ("MP+rel+acq+semav-semvis", "P1.0-novis", Class::Racy),
        (
            "MP+fence-rel+fence-acq+semav-semvis",
            "P0.1-noav",
            Class::Racy,
        ),
        ("MP+fence-rel+fence-acq", "P1.1-nofence", Class::Weak),
        ("MP+rel+acq+wg+split", "P0.1-gflag", Class::Weak),
        ("MP+na-bar+av-vis+wg", "P0.1-nosem", Class::Racy),
        ("MP+na-bar+semav-semvis+wg", "P0.1-noav", Class::Racy),
        ("MP+na-bar+av-vis+wg", "P0.1-sg", Class::Racy),
        ("MP+na-fbar+av-vis+wg", "P0.1-nofence", Class::Racy),
    ];
    let found = expected.map(|(of, word, _)| {
        let test = named(of, &options(3..=6), &model, &sc).expect("it can be judged");
        let mut tests: Vec<Test> = test.into_iter().collect();
        mutants::add_mutants(&mut tests, &judge, 1).expect("mutants can be judged");
        let name = format!("{of}~{word}");
        let mutant = tests.iter().find(|test| test.name == name);
        (of, word, mutant.map(|test| test.class))
    });
    assert_eq!(
        found,
        expected.map(|(of, word, class)| (of, word, Some(class)))
    );
}

#[test]
fn a_covering_of_two_threads_has_every_pair() {
    let made = whole(&Options {
        threads: 2..=2,
        alphabet: Alphabet::Core,
        selection: Selection::Pairwise,
        ..options(3..=4)
    });
    assert_eq!(made.pairs.covered, made.pairs.feasible);
    assert!(made.pairs.feasible > 500, "{:?}", made.pairs);
    let played = made
        .tests
        .iter()
        .filter(|t| KernelShape::of(&t.program()).is_ok())
        .count();
    assert!(played * 2 > made.tests.len(), "{played}");
    let private = |test: &&Test| {
        let mut accesses = test.design.accesses();
        accesses.any(|(_, mode)| mode == Mode::Ordinary(Atomicity::Plain))
    };
    assert!(made.tests.iter().any(|t| private(&t)));
}
