use super::*;
use crate::commands::order::Invalid;
use std::collections::BTreeMap;

#[test]
fn drafts_are_seldom_refused() {
    for (family, name, profile) in Profile::all() {
        let mut choices = crate::choices::Choices::new(7);
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        const N: usize = 300;
        for _ in 0..N {
            let skeleton = skeleton::draw(&mut choices, &profile);
            let plan = data::fill(&mut choices, skeleton).and_then(Plan::of);
            if let Err(why) = plan {
                let kind = match why {
                    Invalid::MayNeverEnd { .. } => "may never end".into(),
                    other => other.to_string(),
                };
                *refused.entry(kind).or_default() += 1;
            }
        }
        let total: usize = refused.values().sum();
        assert!(
            // Of buffers whose parts overlap, two in five are.
            total < N * 2 / 5,
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

/// All that is known of a program before it runs, as text: the program, every edge with its reason,
/// how each command must end, and what each read must see.
fn expectations(plan: &Plan) -> String {
    use crate::commands::program::CommandId;
    use std::fmt::Write;
    let mut text = crate::commands::yaml::write(&plan.program);
    for edge in plan.order.edges() {
        let _ = writeln!(text, "{edge:?}");
    }
    for n in 0..plan.program.commands.len() {
        let _ = writeln!(text, "{n}: {:?}", plan.order.fate(CommandId::at(n)));
    }
    for (read, cells) in plan.memory.reads() {
        let _ = writeln!(text, "{read:?}: {cells:?}");
    }
    for rule in plan.covers() {
        let _ = writeln!(text, "{rule}");
    }
    text
}

/// Draws so many programs twice, all profiles in turn.
fn twice(programs: u64) {
    let profiles = Profile::all();
    for seed in 0..programs {
        let (family, name, profile) = &profiles[seed as usize % profiles.len()];
        let one = expectations(&random(seed, profile).expect("a program"));
        let two = expectations(&random(seed, profile).expect("a program"));
        assert!(one == two, "{family}/{name} of seed {seed}: {one}\n{two}");
    }
}

#[test]
fn the_same_seed_gives_the_same_expectations() {
    twice(300);
}

/// `cargo test -p classay-suites --release ten_thousand -- --ignored`
#[test]
#[ignore = "takes a minute; the same with fewer programs is always run"]
fn ten_thousand_programs_are_the_same_twice() {
    twice(10_000);
}

#[test]
fn every_small_program_is_valid() {
    let shapes = enumerate::shapes();
    assert!(shapes.len() > 10_000);
    for number in (0..shapes.len()).step_by(37) {
        if let Err(why) = small(number) {
            panic!("{number}: {why}: {:?}", shapes[number]);
        }
    }
    assert!(small(shapes.len()).is_err());
}
