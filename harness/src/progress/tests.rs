//! What fates say of models, without a device.

use super::*;
use crate::environment::Row;
use Model::{Fair, Hsa, HsaObe, Lobe, Obe};

/// What is seen where these programs, by name, have these fates and all others end.
fn seen(promise: Promise, fates: &[(&str, Fate)]) -> Seen {
    let programs = programs().expect("the shipped programs");
    for (name, _) in fates {
        assert!(programs.iter().any(|known| known.name == *name), "{name}");
    }
    let all: Vec<(&Waiting, Played)> = programs
        .iter()
        .map(|waiting| {
            let fate = fates.iter().find(|(name, _)| *name == waiting.name);
            let fate = fate.map_or(Fate::Ended(9), |(_, fate)| fate.clone());
            (waiting, Played { fate, seconds: 0.1 })
        })
        .collect();
    Seen::of(Among::WorkGroups, promise, &all)
}

fn stuck(names: &[&'static str]) -> Seen {
    let fates: Vec<(&str, Fate)> = names
        .iter()
        .map(|n| (*n, Fate::Stuck(Row::ByTeam)))
        .collect();
    seen(Promise::Nothing, &fates)
}

#[test]
fn the_strongest_model_is_the_one_that_nothing_refutes() {
    assert_eq!(stuck(&[]).strongest(), [Fair]);
    assert_eq!(stuck(&["higher"]).strongest(), [Lobe]);
    assert_eq!(stuck(&["higher-chain", "between"]).strongest(), [HsaObe]);
    assert_eq!(stuck(&["higher", "lock+lower"]).strongest(), [Hsa, Obe]);
    assert_eq!(stuck(&["higher", "lower"]).strongest(), [Obe]);
    assert_eq!(stuck(&["lock"]).strongest(), [Hsa]);
    assert_eq!(stuck(&["begun-lower"]).strongest(), []);
    for seen in [stuck(&[]), stuck(&["begun-lower"])] {
        assert!(seen.failures.is_empty(), "nothing is promised");
    }
}

#[test]
fn every_pair_of_models_is_told_apart() {
    let programs = programs().expect("the shipped programs");
    for model in Model::ALL {
        for other in Model::ALL.into_iter().filter(|other| *other != model) {
            let tells = |waiting: &Waiting| {
                waiting.ends_under.contains(&model) != waiting.ends_under.contains(&other)
            };
            assert!(programs.iter().any(tells), "{model} and {other}");
        }
    }
}

#[test]
fn what_shows_nothing_leaves_models_open() {
    let skipped = Fate::Skipped("it lacks something".into());
    for (silent, played) in [(Fate::GaveUp(16_000), 11), (Fate::Cut, 11), (skipped, 10)] {
        let seen = seen(Promise::Nothing, &[("higher", silent)]);
        assert_eq!(seen.models[0], (Fair, Standing::Open(vec!["higher"])));
        assert_eq!(seen.strongest(), [Lobe]);
        assert!(seen.failures.is_empty());
        assert_eq!(seen.played, played);
    }
    let both = [
        ("higher", Fate::Stuck(Row::ByNumber)),
        ("higher-chain", Fate::GaveUp(1)),
    ];
    let refuted = seen(Promise::Nothing, &both);
    assert_eq!(refuted.models[0], (Fair, Standing::Refuted(vec!["higher"])));
}

#[test]
fn what_is_promised_has_to_end() {
    let fates = [
        ("higher", Fate::Stuck(Row::ByTeam)),
        ("lower", Fate::GaveUp(9)),
    ];
    let seen = seen(Promise::SubGroups, &fates);
    let [failure] = seen.failures.as_slice() else {
        panic!("{:?}", seen.failures);
    };
    assert!(
        failure.starts_with("higher among work-groups: it did not come to its end")
            && failure.ends_with("[ex.progress.subgroup]"),
        "{failure}"
    );
    let crashed = self::seen(
        Promise::Nothing,
        &[("lock", Fate::Failed("SIGSEGV".into()))],
    );
    assert_eq!(crashed.failures, ["lock among work-groups: SIGSEGV"]);
    assert_eq!(crashed.strongest(), [Hsa]);
    assert!(
        crashed
            .models
            .contains(&(Obe, Standing::Open(vec!["lock"])))
    );
}

#[test]
fn only_sub_groups_of_opencl_are_promised_anything() {
    let reports = crate::device::Capabilities {
        sub_group_progress: true,
        ..Default::default()
    };
    assert_eq!(Promise::of(&reports, Among::SubGroups), Promise::SubGroups);
    assert_eq!(Promise::of(&reports, Among::WorkGroups), Promise::Nothing);
    assert_eq!(Promise::of(&reports, Among::WorkItems), Promise::Nothing);
    assert_eq!(
        Promise::of(&Default::default(), Among::SubGroups),
        Promise::Nothing
    );
}
