//! The oracle against the reference.

use super::{naive, random};
use crate::oracle::{Limits, Model, judge};

/// Compares both on the programs of some seeds; returns how many were compared.
fn compare(seeds: impl Iterator<Item = u64>, models: &[&str], most: u64) -> u64 {
    let models: Vec<Model> = models.iter().map(|m| Model::named(m).unwrap()).collect();
    let mut compared = 0;
    for seed in seeds {
        let program = random::program(seed);
        for model in &models {
            let Some(reference) = naive::judge(&program, model, most) else {
                continue;
            };
            let judgement = judge(&program, model, &Limits::default()).unwrap();
            assert!(
                reference.agrees(&judgement),
                "seed {seed}, model {}:\n{program:#?}\nreference {reference:#?}\noracle {judgement:#?}",
                model.name,
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn both_engines_agree_on_random_programs() {
    let compared = compare(0..250, &["opencl-3.0", "opencl-3.1"], 300);
    assert!(compared >= 300, "only {compared} programs were small enough");
}

#[test]
#[ignore = "a long campaign"]
fn both_engines_agree_on_many_random_programs() {
    let from = std::env::var("ORACLE_SEED").map_or(1_000_000, |s| s.parse().unwrap());
    let models = ["opencl-3.0", "opencl-3.1", "opencl-2.0", "opencl-scoped-sc", "sc"];
    let compared = compare(from..from + 8_000, &models, 2_000);
    println!("{compared} comparisons");
    assert!(compared >= 20_000, "only {compared} programs were small enough");
}
