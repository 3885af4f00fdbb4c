use super::*;
use crate::commands::order::Invalid;
use std::collections::BTreeMap;

#[test]
fn drafts_are_seldom_refused() {
    for (family, name, profile) in Profile::all() {
        let mut draw = Draw::new(7);
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        const N: usize = 300;
        for _ in 0..N {
            if let Err(why) = draft(&mut draw, &profile) {
                let kind = match why {
                    Invalid::MayNeverEnd { .. } => "may never end".into(),
                    other => other.to_string(),
                };
                *refused.entry(kind).or_default() += 1;
            }
        }
        let total: usize = refused.values().sum();
        assert!(
            total < N / 4,
            "{family}/{name}: {total} of {N} refused: {refused:#?}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for (_, _, profile) in Profile::all() {
        for seed in 0..20 {
            let one = random(seed, &profile).expect("a program");
            let two = random(seed, &profile).expect("a program");
            assert_eq!(one.program, two.program);
            let text = crate::commands::yaml::write(&one.program);
            let read = crate::commands::yaml::read(&text);
            assert_eq!(read.as_ref(), Ok(&one.program), "{text}");
        }
    }
}
