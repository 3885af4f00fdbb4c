//! Random programs of Vulkan: both engines agree, and both writers keep them.

use super::compare::always;
use super::{naive, random_vulkan};
use crate::oracle::{Model, judge};
use crate::syntax::{read_litmus, read_yaml, write_litmus, write_yaml};
use random_vulkan::Size;

const SMALL: Size = Size {
    threads: 3,
    instructions: 3,
    rich: false,
};

const RICH: Size = Size {
    threads: 4,
    instructions: 6,
    rich: true,
};

/// Compares both engines on the programs of some seeds, with chains and without; how many were compared.
fn compare(seeds: impl Iterator<Item = u64>, most: u64) -> u64 {
    let models = ["vulkan", "vulkan-no-chains"].map(|name| Model::named(name).unwrap());
    let mut compared = 0;
    for seed in seeds {
        let limits = always(seed / 2);
        let program = random_vulkan::program(seed, SMALL);
        let model = &models[usize::from(seed % 4 == 0)];
        let Some(reference) = naive::judge(&program, model, most) else {
            continue;
        };
        let judgement = judge(&program, model, &limits).unwrap();
        assert!(
            reference.agrees(&judgement),
            "seed {seed}, model {}:\n{}\nreference {reference:#?}\noracle {judgement:#?}",
            model.name,
            write_litmus(&program),
        );
        compared += 1;
    }
    compared
}

#[test]
fn both_engines_agree_on_random_programs() {
    assert!(compare(0..400, 300) >= 300);
}

#[test]
#[ignore = "a long campaign"]
fn both_engines_agree_on_many_random_programs() {
    let (mut compared, mut seed) = (0, 1_000_000);
    while compared < 20_000 {
        compared += compare(seed..seed + 1_000, 500);
        seed += 1_000;
        println!("{compared} programs up to seed {seed}");
    }
}

/// What a seed's program is after a writer and a reader.
fn kept(seed: u64) {
    let program = random_vulkan::program(seed, RICH);
    let text = write_litmus(&program);
    let read = read_litmus("random.litmus", &text);
    assert_eq!(read.as_ref().ok(), Some(&program), "{text}\n{read:?}");
    let yaml = write_yaml(&program);
    let read = read_yaml("random.yaml", &yaml);
    assert_eq!(read.as_ref().ok(), Some(&program), "{yaml}\n{read:?}");
}

#[test]
fn both_writers_keep_random_programs() {
    (0..2_000).for_each(kept);
}
