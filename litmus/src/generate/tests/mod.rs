//! What generated tests have in common, and what the well-known ones among them are.

mod canonical;
mod dimensions;
mod interleave;
mod kernels;
mod vulkan;

use super::*;
use crate::oracle::{Limits, judge};
use crate::program::{Region, WorkItem};
use crate::syntax::{read_litmus, read_yaml};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Everything that the default options try, not judged.
static DEFAULT: LazyLock<Vec<Found>> =
    LazyLock::new(|| distinct(&shapes(2..=4, 3..=6), &Options::default()));

/// The same of Vulkan.
static VULKAN: LazyLock<Vec<Found>> = LazyLock::new(|| {
    let options = Options {
        api: Api::Vulkan,
        ..Options::default()
    };
    distinct(&shapes(2..=4, 3..=6), &options)
});

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
    whole(options).tests
}

/// By all readings, as users generate them.
fn whole(options: &Options) -> Generated {
    let (model, sc) = models();
    let bounds = model.bounds();
    let readings = Readings {
        model: &model,
        bounds: bounds.as_ref(),
    };
    generate(options, readings, &sc).expect("every generated test can be judged")
}

/// What a test is by one reading alone, and how it is named.
fn alone(name: &str, options: &Options) -> HashMap<String, Class> {
    let (_, sc) = models();
    let model = Model::named(name).expect("a reading");
    let made = generate(options, &model, &sc).expect("every generated test can be judged");
    made.tests.into_iter().map(|t| (t.name, t.class)).collect()
}

#[test]
fn what_only_some_readings_forbid_is_contested() {
    let options = Options {
        alphabet: Alphabet::Core,
        ..options(4..=4)
    };
    let (model, _) = models();
    let bounds = model.bounds().expect("its text has several readings");
    let [strictest, weakest] =
        [&bounds.strictest, &bounds.weakest].map(|model| alone(&model.name, &options));
    let mut contested = 0;
    for test in generated(&options) {
        let (strict, weak) = (strictest[&test.name], weakest[&test.name]);
        let expected = match (strict, weak) {
            (Class::Conformance, Class::Conformance) => Class::Conformance,
            (Class::Conformance, _) => Class::Contested,
            (strict, _) => strict,
        };
        assert_eq!(test.class, expected, "{}", test.name);
        if test.class == Class::Contested {
            contested += 1;
            assert!(!test.allowed, "{}", test.name);
            let text = test.to_litmus("opencl-3.1");
            assert!(text.contains("Contested: some readings forbid"), "{text}");
            assert!(text.contains("\nexists"), "{text}");
        }
        // With a reading chosen nothing is contested.
        assert!(![strict, weak].contains(&Class::Contested), "{}", test.name);
    }
    assert!(contested > 5, "{contested}");
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
    let forms: HashSet<Canonical> = tests.iter().map(|t| canonical(&t.existential())).collect();
    assert_eq!(forms.len(), tests.len());
    // of the others only the candidates, since judging them all takes long
    let full = Options {
        alphabet: Alphabet::Full,
        ..Options::default()
    };
    let full = distinct(&shapes(2..=4, 3..=5), &full);
    for all in [&full, &*DEFAULT] {
        let mut names = HashSet::new();
        for found in all {
            let name = &found.candidate.name;
            assert!(names.insert(name), "{name}");
            let plain = |c: char| c.is_ascii_alphanumeric() || "+-~.".contains(c);
            assert!(name.chars().all(plain), "{name}");
        }
    }
    let count = DEFAULT.len();
    assert!((30_000..60_000).contains(&count), "{count}");
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let with = |workers| {
        let made = whole(&Options {
            mutants: true,
            workers,
            ..options(3..=3)
        });
        (made.tests, made.unmutated)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn every_class_is_generated() {
    for class in Class::ALL {
        let count = SMALL.iter().filter(|t| t.class == class).count();
        // Few outcomes are contested.
        let least = if class == Class::Contested { 1 } else { 20 };
        assert!(count > least, "{class}: {count}");
        let only = generated(&Options {
            classes: vec![class],
            ..options(3..=3)
        });
        assert!(only.iter().all(|t| t.class == class));
    }
}

#[test]
fn what_is_written_reads_back() {
    let shapes = shapes(2..=4, 3..=6);
    let mut tests = SMALL.clone();
    for found in DEFAULT.iter().step_by(61) {
        let verdict = Verdict {
            class: Class::Weak,
            allowed: true,
        };
        tests.push(test(&shapes[found.shape], found.candidate.clone(), verdict));
    }
    for test in tests {
        for (text, read) in [
            (
                test.to_litmus("opencl-3.1"),
                read_litmus as fn(&str, &str) -> _,
            ),
            (test.to_yaml("opencl-3.1"), read_yaml),
        ] {
            match read(&test.name, &text) {
                Ok(program) => assert_eq!(program, test.program(), "{text}"),
                Err(error) => panic!("{error:?}\n{text}"),
            }
        }
    }
}

#[test]
fn local_memory_is_shared_within_a_work_group() {
    for found in DEFAULT.iter() {
        let design = &found.candidate.design;
        let groups: HashSet<Option<(u32, u32, u32)>> = design
            .placements
            .iter()
            .map(|placement| placement.work_item().map(WorkItem::group))
            .collect();
        let local = design.regions.contains(&Region::Local);
        let shared = groups.len() == 1 && !groups.contains(&None);
        assert!(shared || !local, "{}", found.candidate.name);
    }
}

/// The tests with these names.
fn known(names: &[&str]) -> Vec<Test> {
    let (model, sc) = models();
    let judge = Judge::new(&model, &sc);
    let shapes = shapes(2..=4, 3..=6);
    let by_name: HashMap<&str, &Found> = DEFAULT
        .iter()
        .map(|f| (f.candidate.name.as_str(), f))
        .collect();
    names
        .iter()
        .map(|name| {
            let found = by_name
                .get(name)
                .unwrap_or_else(|| panic!("no test {name}"));
            let verdict = judge
                .verdict(&found.candidate.program(), &found.form)
                .expect("small tests can be judged");
            test(&shapes[found.shape], found.candidate.clone(), verdict)
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
        ("MP-rmw+rel+rlx+acq+cas", Conformance),
        ("W+RWC+sc", Conformance),
        ("Z6.3+sc", Conformance),
        ("MP-po-rfi-po+rel+acq", Conformance),
        ("SB-rfi-po+sc", Conformance),
        ("SB+rmw", Conformance),
        ("SB+rmw-sc+cas", Conformance),
        ("MP+rmw+flag", Conformance),
        ("MP+fence-rel+fence-acq+both", Conformance),
        ("MP+fence-rel+fence-acq+wg+split+gflag", Weak),
        ("MP+na-bar+wg+split", Conformance),
        ("MP+na-bar+wg+split+gflag", Racy),
        ("SB+na-bar+sg", Conformance),
        ("WRC+meet+meet+acq+dv+pair", Conformance),
        ("MP+rel+acq+dv+host", Racy),
        ("MP+rel+acq+wg+subs", Conformance),
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
            // ours is the strictest of the readings for these
            Class::Contested => (false, false),
            Class::Racy => (true, test.allowed),
        };
        assert_eq!((ours.racy, ours.holds), (racy, holds), "{}", test.name);
        assert!(!ours.bounded && !ours.outside, "{}", test.name);
        let by_hand = interleave::outcomes(&program);
        assert_eq!(by_hand, interleaved.states, "{}", test.name);
        match test.class {
            Class::Weak => assert!(!interleaved.holds, "{}", test.name),
            Class::Sc => assert!(interleaved.holds, "{}", test.name),
            Class::Conformance | Class::Contested | Class::Racy => {}
        }
    }
}

#[test]
fn interleavings_are_what_sc_allows() {
    let (model, sc) = models();
    let judged = Judge::new(&model, &sc);
    let mut classes = HashMap::new();
    for found in DEFAULT.iter().step_by(53) {
        let program = found.candidate.program();
        let by_hand = interleave::outcomes(&program);
        let limits = Limits::default();
        let by_sc = judge(&program, &sc, &limits).expect("it is small");
        assert_eq!(by_hand, by_sc.states, "{}", program.name);
        // each of them is allowed by the model, where the behaviour is defined
        let ours = judge(&program, &model, &limits).expect("it is small");
        let allowed = by_hand.is_subset(&ours.states);
        assert!(allowed || ours.racy, "{}", program.name);
        let (_, verdict) = judged.judge(&program).expect("it is small");
        *classes.entry(verdict.class).or_insert(0) += 1;
        let expected = match verdict.class {
            Class::Racy => (true, ours.holds, by_sc.holds),
            Class::Conformance | Class::Contested => (false, false, false),
            Class::Weak => (false, true, false),
            Class::Sc => (false, true, true),
        };
        let found = (ours.racy, ours.holds, by_sc.holds);
        assert_eq!(found, expected, "{}", program.name);
    }
    // Of one reading nothing is contested.
    let of_one = |class: &&Class| **class != Class::Contested;
    for class in Class::ALL.iter().filter(of_one) {
        assert!(classes[class] > 30, "{classes:?}");
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
        let allowed = judgement.is_ok_and(|j| j.holds || j.racy);
        assert!(allowed, "{}", mutant.name);
    }
    let expected = [
        ("MP+rel+acq", "P0.1-rlx", Class::Weak),
        ("MP+rel+acq", "P1.0-rlx", Class::Weak),
        ("MP+rel+acq+flag", "P0.1-rlx", Class::Racy),
        ("MP+rel+acq", "P0.1-wg", Class::Racy),
        ("MP+rel+acq+wg", "P0.1-sg", Class::Racy),
        ("MP+fence-rel+fence-acq", "P1.1-nofence", Class::Weak),
        ("SB+sc", "P0.0-rel", Class::Weak),
        ("SB+na-bar+wg", "P0.1-noflag", Class::Racy),
        ("MP+na-bar+wg+split", "P0.1-lflag", Class::Racy),
        ("CoRR+rlx", "P1-swap", Class::Sc),
        ("CoWW+rlx", "P0-swap", Class::Sc),
        ("ISA2+rel+acq-rel+acq", "P1.1-rlx", Class::Weak),
        ("IRIW+sc", "P1.1-acq", Class::Weak),
        // either message would do, so it takes two changes
        ("LB+acq-rel", "P1.0-rlx~P1.1-rlx", Class::Weak),
    ];
    let judge = Judge::new(&model, &sc);
    for (of, word, class) in expected {
        let mut tests = known(&[of]);
        let none = mutants::add_mutants(&mut tests, &judge, 1).expect("mutants can be judged");
        assert_eq!(none, [], "{of}");
        let name = format!("{of}~{word}");
        let found: Vec<(&str, Class)> = tests.iter().map(|t| (t.name.as_str(), t.class)).collect();
        assert!(found.contains(&(name.as_str(), class)), "{name}: {found:?}");
    }
    // narrowing what hands nothing over allows nothing
    let mut tests = known(&["MP+rel+acq"]);
    mutants::add_mutants(&mut tests, &judge, 1).expect("mutants can be judged");
    assert!(tests.iter().all(|t| t.name != "MP+rel+acq~P0.0-wg"));
}

#[test]
fn nearly_every_conformance_test_has_a_mutant() {
    let made = whole(&Options {
        mutants: true,
        classes: vec![Class::Conformance],
        ..options(3..=4)
    });
    let conformance = |t: &&Test| t.class == Class::Conformance;
    let all = made.tests.iter().filter(conformance).count();
    let none = made.unmutated.len();
    assert!(none * 15 < all, "{none} of {all}: {:?}", made.unmutated);
    // those that have none are about a dependency on one location
    for (name, why) in &made.unmutated {
        assert_eq!(*why, Why::Dependency, "{name}");
        let test = made.tests.iter().find(|t| t.name == *name);
        let locations = test.map(|t| t.program().locations.len());
        assert_eq!(locations, Some(1), "{name}");
    }
}

#[test]
fn every_shape_can_have_its_share() {
    let all = generated(&options(3..=4));
    let few = generated(&Options {
        selection: Selection::EachShape(3),
        ..options(3..=4)
    });
    let count = |tests: &[Test]| {
        let mut of: HashMap<String, usize> = HashMap::new();
        for test in tests {
            *of.entry(test.shape.clone()).or_default() += 1;
        }
        of
    };
    let (there, chosen) = (count(&all), count(&few));
    assert!(there.values().any(|n| *n > 3));
    for (shape, n) in &there {
        assert_eq!(chosen.get(shape), Some(&(*n).min(3)), "{shape}");
    }
}

#[test]
fn pairs_are_covered() {
    let all = whole(&options(3..=4));
    let few = whole(&Options {
        selection: Selection::Pairwise,
        ..options(3..=4)
    });
    let (many, some) = (all.tests.len(), few.tests.len());
    assert!(some * 4 < many, "{some} of {many}");
    // counted here without the generator's own tables
    let pairs = |tests: &[Test]| -> HashSet<String> {
        let mut out = HashSet::new();
        for test in tests {
            for a in 0..DIMENSIONS {
                for b in a + 1..DIMENSIONS {
                    out.insert(format!("{a} {b} {} {}", test.traits[a], test.traits[b]));
                }
            }
        }
        out
    };
    let feasible = pairs(&all.tests);
    assert_eq!(pairs(&few.tests), feasible);
    let complete = Coverage {
        covered: feasible.len(),
        feasible: feasible.len(),
    };
    assert_eq!((all.pairs, few.pairs), (complete, complete));
    let short = whole(&Options {
        selection: Selection::Count(100),
        ..options(3..=4)
    });
    assert_eq!(short.tests.len(), 100);
    assert_eq!(short.pairs.feasible, feasible.len());
    assert_eq!(short.pairs.covered, pairs(&short.tests).len());
    assert!(short.pairs.covered * 3 > feasible.len());
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
    let tests: Vec<&Traits> = traits.iter().collect();
    let chosen = cover::pairwise(&tests, None);
    assert_eq!(pairs(&chosen), pairs(&everything));
    assert!(chosen.len() < 60, "{}", chosen.len());
    for count in [0, 1, 17, 200, 400, 1000] {
        let chosen = cover::pairwise(&tests, Some(count));
        assert_eq!(chosen.len(), count.min(traits.len()));
        let distinct: HashSet<usize> = chosen.iter().copied().collect();
        assert_eq!(distinct.len(), chosen.len());
    }
}
