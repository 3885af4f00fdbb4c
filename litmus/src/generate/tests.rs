//! What generated tests have in common, and what the well-known ones among them are.

use super::*;
use crate::program::{BarrierScope, MemScope, Placement, Region};
use crate::syntax::read_litmus;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

fn models() -> (Model, Model) {
    let named = |name| Model::named(name).expect("the models that come along can be read");
    (named("opencl-3.1"), named("sc"))
}

fn options(edges: RangeInclusive<usize>) -> Options {
    Options {
        edges,
        ..Options::default()
    }
}

fn generated(options: &Options) -> Vec<Test> {
    let (model, sc) = models();
    generate(options, &model, &sc).expect("every generated test can be judged")
}

/// A covering of the small shapes, with its mutants.
static SMALL: LazyLock<Vec<Test>> = LazyLock::new(|| {
    generated(&Options {
        mutants: true,
        selection: Selection::Count(300),
        ..options(3..=4)
    })
});

#[test]
fn the_same_options_give_the_same_tests() {
    let again = generated(&Options {
        mutants: true,
        selection: Selection::Count(300),
        ..options(3..=4)
    });
    assert_eq!(again, *SMALL);
}

#[test]
fn names_and_canonical_forms_are_unique() {
    let tests = &*SMALL;
    let names: HashSet<&str> = tests.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names.len(), tests.len());
    let forms: HashSet<Canonical> = tests.iter().map(|t| canonical(&t.design)).collect();
    assert_eq!(forms.len(), tests.len());
    // of larger shapes only the candidates, since judging them all takes long
    let mut names = HashSet::new();
    let mut forms = HashSet::new();
    for shape in shapes(2..=4, 3..=6) {
        for candidate in candidates(&shape) {
            if forms.insert(canonical(&candidate.design)) {
                assert!(names.insert(candidate.name.clone()), "{}", candidate.name);
            }
        }
    }
    assert!(forms.len() > 50_000, "{}", forms.len());
}

#[test]
fn every_class_is_generated() {
    for class in Class::ALL {
        let count = SMALL.iter().filter(|t| t.class == class).count();
        assert!(count > 20, "{class}: {count}");
        let only = generated(&Options {
            classes: vec![class],
            ..options(3..=3)
        });
        assert!(only.iter().all(|t| t.class == class));
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut tests = SMALL.clone();
    for shape in shapes(2..=4, 5..=6) {
        for candidate in candidates(&shape).into_iter().step_by(61) {
            tests.push(test(&shape, candidate, Class::Weak));
        }
    }
    for test in tests {
        let text = test.to_litmus("opencl-3.1");
        match read_litmus(&test.name, &text) {
            Ok(program) => assert_eq!(program, test.program(), "{text}"),
            Err(error) => panic!("{error:?}\n{text}"),
        }
    }
}

#[test]
fn placements_make_sense() {
    for shape in shapes(2..=4, 3..=6) {
        for candidate in candidates(&shape) {
            let design = &candidate.design;
            let groups: HashSet<Option<(u32, u32)>> = design
                .placements
                .iter()
                .map(|placement| match *placement {
                    Placement::Host => None,
                    Placement::Device {
                        device, work_group, ..
                    } => Some((device, work_group)),
                })
                .collect();
            let local = design.regions.contains(&Region::Local);
            let shared = groups.len() == 1 && !groups.contains(&None);
            assert!(shared || !local, "{}", candidate.name);
            let named = design.placements.iter().any(|p| {
                matches!(
                    p,
                    Placement::Device {
                        sub_group: Some(_),
                        ..
                    }
                )
            });
            let asked = design.threads.iter().flatten().any(|step| match step {
                Step::Access { mode, .. } => match mode {
                    Mode::Plain => false,
                    Mode::Atomic(_, scope) | Mode::Update(_, scope) => *scope == MemScope::SubGroup,
                },
                Step::Fence(_, _, scope) => *scope == MemScope::SubGroup,
                Step::Barrier(barrier) => barrier.group == BarrierScope::SubGroup,
            });
            assert!(asked || !named, "{}", candidate.name);
        }
    }
}

#[test]
fn canonical_forms_do_not_depend_on_numbers() {
    for shape in shapes(2..=4, 3..=6) {
        for candidate in candidates(&shape).iter().step_by(97) {
            let mut turned = candidate.design.clone();
            turned.threads.reverse();
            turned.placements.reverse();
            turned.regions.reverse();
            turned.finals.reverse();
            let last = turned.regions.len() - 1;
            for step in turned.threads.iter_mut().flatten() {
                if let Step::Access { slot, .. } = step {
                    slot.location = last - slot.location;
                }
            }
            let forms = (canonical(&turned), canonical(&candidate.design));
            assert_eq!(forms.0, forms.1, "{}", candidate.name);
        }
    }
}

/// A candidate as a test.
fn test(shape: &Shape, candidate: Candidate, class: Class) -> Test {
    Test {
        name: candidate.name,
        shape: shape.name.clone(),
        cycle: spell(&shape.edges),
        class,
        allowed: class != Class::Conformance,
        mutant_of: Vec::new(),
        design: candidate.design,
    }
}

/// The tests with one of these names.
fn known(names: &[&str]) -> Vec<Test> {
    let (model, sc) = models();
    let wanted: HashSet<&str> = names.iter().copied().collect();
    let mut found = HashMap::new();
    for shape in shapes(2..=4, 3..=6) {
        if !names.iter().any(|n| n.starts_with(&shape.name)) {
            continue;
        }
        for candidate in candidates(&shape) {
            if wanted.contains(candidate.name.as_str()) {
                let program = candidate.design.program(&candidate.name);
                let class = verdict(&program, &model, &sc)
                    .expect("small tests can be judged")
                    .class;
                found.insert(candidate.name.clone(), test(&shape, candidate, class));
            }
        }
    }
    names
        .iter()
        .map(|name| {
            found
                .remove(*name)
                .unwrap_or_else(|| panic!("no test {name}"))
        })
        .collect()
}

#[test]
fn the_classics_are_what_they_are_known_to_be() {
    use Class::{Conformance, Racy, Sc, Weak};
    let expected = [
        ("MP+rel+acq", Conformance),
        ("MP+rlx+acq", Weak),
        ("MP+rel+rlx", Weak),
        ("MP+rlx", Weak),
        ("MP+rel+acq+flag", Conformance),
        ("MP+rlx+flag", Racy),
        ("MP+na", Racy),
        ("MP+rel+acq+swap", Sc),
        ("MP+fence-rel+fence-acq", Conformance),
        ("MP+rel+acq+wg+local", Conformance),
        ("MP+rel+acq+wg+split", Weak),
        ("MP+sc+wg+split", Conformance),
        ("MP+rel+acq+wg+apart", Racy),
        ("MP+rel+acq+dv-wg", Conformance),
        ("MP+rel+acq+all+host", Conformance),
        ("SB+rel-acq", Weak),
        ("SB+rlx", Weak),
        ("SB+sc", Conformance),
        ("SB+fence-sc", Conformance),
        ("SB+fence-ar", Weak),
        ("SB+na-bar+wg", Conformance),
        ("LB+rlx", Weak),
        ("LB+acq-rel", Conformance),
        ("IRIW+rel+acq-acq+rel+acq-acq", Weak),
        ("IRIW+sc", Conformance),
        ("ISA2+rel+acq-rel+acq", Conformance),
        ("WRC+rel+acq-rel+acq", Conformance),
        ("3.SB+sc", Conformance),
        ("2+2W+rlx", Weak),
        ("CoRR+rlx", Conformance),
        ("CoRR+rlx+swap", Sc),
        ("CoRW+rlx", Conformance),
        ("CoWR+rlx", Conformance),
        ("CoWW+rlx", Conformance),
        ("MP-rmw+rel+rlx+acq", Conformance),
    ];
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    for ((name, class), found) in expected.iter().zip(known(&names)) {
        assert_eq!(found.class, *class, "{name}");
    }
}

#[test]
fn classes_and_questions_agree_with_the_oracle() {
    let (model, sc) = models();
    for test in SMALL.iter() {
        let program = test.program();
        let limits = Limits::default();
        let ours = judge(&program, &model, &limits).expect("it was judged before");
        let interleaved = judge(&program, &sc, &limits).expect("it was judged before");
        let (racy, holds) = match test.class {
            // `holds` answers the test's own question, which is ~exists for conformance
            Class::Conformance | Class::Weak | Class::Sc => (false, true),
            Class::Racy => (true, test.allowed),
        };
        assert_eq!((ours.racy, ours.holds), (racy, holds), "{}", test.name);
        assert!(!ours.bounded && !ours.outside, "{}", test.name);
        match test.class {
            Class::Weak => assert!(!interleaved.holds, "{}", test.name),
            Class::Sc => assert!(interleaved.holds, "{}", test.name),
            Class::Conformance | Class::Racy => {}
        }
    }
}

#[test]
fn mutants_allow_what_their_tests_forbid() {
    let (model, sc) = models();
    let by_name: HashMap<&str, &Test> = SMALL.iter().map(|t| (t.name.as_str(), t)).collect();
    let mutants: Vec<&Test> = SMALL.iter().filter(|t| !t.mutant_of.is_empty()).collect();
    assert!(mutants.len() > 100, "{}", mutants.len());
    for mutant in mutants {
        for of in &mutant.mutant_of {
            assert_eq!(by_name[of.as_str()].class, Class::Conformance);
        }
        let judgement = judge(&mutant.program(), &model, &Limits::default());
        let allowed = judgement.is_ok_and(|j| j.holds);
        assert!(allowed, "{}", mutant.name);
    }
    let names = [
        "MP+rel+acq",
        "MP+rel+acq+flag",
        "MP+fence-rel+fence-acq+wg+split",
        "SB+sc",
        "SB+na-bar+wg",
        "CoRR+rlx",
        "ISA2+rel+acq-rel+acq",
        "IRIW+sc",
    ];
    let mut tests = known(&names);
    add_mutants(&mut tests, &model, &sc).expect("mutants can be judged");
    for name in names {
        let of = |t: &&Test| t.mutant_of.iter().any(|of| of == name);
        assert!(tests.iter().any(|t| of(&t)), "{name} has no mutant");
    }
    let mutant = |name: &str| tests.iter().find(|t| t.name == name).map(|t| t.class);
    assert_eq!(mutant("MP+rel+acq~P0.1-rlx"), Some(Class::Weak));
    assert_eq!(mutant("MP+rel+acq~P1.0-rlx"), Some(Class::Weak));
    assert_eq!(mutant("CoRR+rlx~P1-swap"), Some(Class::Sc));
    assert_eq!(mutant("MP+rel+acq+flag~P0.1-rlx"), Some(Class::Racy));
    // narrowing what hands nothing over allows nothing
    assert_eq!(mutant("MP+rel+acq~P0.0-wg"), None);
}

#[test]
fn pairs_are_covered() {
    let all = generated(&options(3..=4));
    let few = generated(&Options {
        selection: Selection::Pairwise,
        ..options(3..=4)
    });
    assert!(few.len() * 4 < all.len(), "{} of {}", few.len(), all.len());
    let value = |i: usize, n: u64| format!("{}", (i as u64).wrapping_mul(0x9e37_79b9) >> 7 & n);
    let traits: Vec<Traits> = (0..400)
        .map(|i| {
            [
                value(i, 3),
                value(i + 1, 1),
                value(i + 2, 3),
                value(i + 3, 1),
                value(i + 4, 1),
                value(i + 5, 7),
            ]
        })
        .collect();
    let pairs = |tests: &[usize]| -> HashSet<(usize, usize, &str, &str)> {
        let mut out = HashSet::new();
        for &t in tests {
            for a in 0..traits[t].len() {
                for b in a + 1..traits[t].len() {
                    out.insert((a, b, traits[t][a].as_str(), traits[t][b].as_str()));
                }
            }
        }
        out
    };
    let everything: Vec<usize> = (0..traits.len()).collect();
    let chosen = cover::pairwise(&traits, None);
    assert_eq!(pairs(&chosen), pairs(&everything));
    assert!(chosen.len() < 60, "{}", chosen.len());
    for count in [0, 1, 17, 200, 400, 1000] {
        let chosen = cover::pairwise(&traits, Some(count));
        assert_eq!(chosen.len(), count.min(traits.len()));
        let distinct: HashSet<usize> = chosen.iter().copied().collect();
        assert_eq!(distinct.len(), chosen.len());
    }
}
