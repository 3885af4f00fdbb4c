//! Families keep to their objects, are drawn the same twice, and survive YAML.

use super::generate::{FAMILIES, draw};
use super::{valid, yaml};

#[test]
fn every_family_draws_valid_cases_and_the_same_ones_twice() {
    for (family, kind, _) in FAMILIES {
        let name = format!("{family}/{kind}");
        for seed in 0..60 {
            let case = draw(&name, seed).expect("the family is there");
            valid::valid(&case).unwrap_or_else(|e| panic!("{name} of seed {seed}: {e}"));
            assert_eq!(
                Some(&case),
                draw(&name, seed).as_ref(),
                "{name} of seed {seed}"
            );
            assert!(!case.covers().is_empty(), "{name} of seed {seed}");
            if seed < 3 {
                let again = yaml::read(&yaml::write(&case));
                assert_eq!(again, Ok(case), "{name} of seed {seed}");
            }
        }
    }
}
