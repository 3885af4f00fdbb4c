//! Environments are read as they were written, and whatever is drawn can be played.

use super::*;
use crate::device::Capabilities;
use classay_litmus::kernel::{AtomicsDialect, TestKernel};
use classay_litmus::syntax;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::HashSet;

fn devices() -> Vec<Capabilities> {
    let cpu = Capabilities {
        cpu: true,
        compute_units: 2,
        max_work_group_size: 4096,
        local_mem_size: 1 << 20,
        max_alloc: 1 << 30,
        svm_coarse: true,
        svm_fine_buffer: true,
        svm_fine_system: true,
        svm_atomics: true,
        ..Capabilities::default()
    };
    let small = Capabilities {
        compute_units: 1,
        max_work_group_size: 64,
        local_mem_size: 1 << 10,
        max_alloc: 1 << 16,
        svm_coarse: false,
        svm_fine_buffer: false,
        svm_fine_system: false,
        ..cpu.clone()
    };
    let gpu = Capabilities {
        cpu: false,
        compute_units: 132,
        max_work_group_size: 1024,
        local_mem_size: 48 << 10,
        max_alloc: 20 << 30,
        ..cpu.clone()
    };
    vec![cpu, small, gpu]
}

fn tests() -> Vec<(String, TestKernel)> {
    classay_litmus::shipped()
        .iter()
        .filter_map(|(name, text)| {
            let program = syntax::read_litmus(name, text).expect("a shipped test");
            let test = TestKernel::write(&program, AtomicsDialect::C11).ok()?;
            // Sub-groups are for the device to say.
            (!test.shape.uses_sub_groups()).then(|| ((*name).to_string(), test))
        })
        .collect()
}

fn drawn(seed: u64, capabilities: &Capabilities) -> Environment {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawing = Drawing {
        rng: &mut rng,
        capabilities,
    };
    let whole = draw(&mut drawing);
    if seed.is_multiple_of(2) {
        vary(&whole, &mut drawing)
    } else {
        whole
    }
}

#[test]
fn what_is_drawn_is_read_as_it_was_written() {
    for capabilities in devices() {
        let mut digests = HashSet::new();
        for seed in 0..200 {
            let environment = drawn(seed, &capabilities);
            assert_eq!(environment.check(), Ok(()), "seed {seed}");
            let text = environment.to_yaml();
            let again = Environment::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(again, environment, "{text}");
            assert_eq!(again.digest(), environment.digest());
            let json = serde_json::to_string(&environment).expect("json");
            let again: Environment = serde_json::from_str(&json).expect("json");
            assert_eq!(again, environment);
            digests.insert(environment.digest());
            assert_eq!(environment, drawn(seed, &capabilities), "draws repeat");
        }
        assert!(digests.len() > 190, "{}", digests.len());
    }
}

#[test]
fn a_name_is_no_knob() {
    let plain = Environment::read("launch: { teams: 3 }").expect("an environment");
    let named = Environment::read("name: three\nlaunch: { teams: 3 }").expect("an environment");
    assert_eq!(plain.digest(), named.digest());
    assert_eq!(named.label(), "three");
    assert_eq!(plain.label(), plain.digest());
    assert_eq!(Environment::default().label(), "default");
    assert_eq!(
        Environment::read("").expect("nothing said"),
        Environment::default()
    );
    let text = Environment::default().to_yaml();
    assert_eq!(
        Environment::read(&text).expect(&text),
        Environment::default()
    );
}

#[test]
fn what_is_no_environment_is_refused_in_a_sentence() {
    for (text, expected) in [
        ("lanes: 3", "unknown field `lanes`"),
        ("launch: { lines: 3 }", "unknown field `lines`"),
        ("launch: { lanes: 0 }", "launch.lanes is 0; it goes from 1"),
        ("launch: { lanes: -1 }", "invalid"),
        ("meet: { percent: 101 }", "101 is no chance"),
        (
            "memory: { bank: 48 }",
            "memory.bank is 48, which is no power of two",
        ),
        ("memory: { kind: wide }", "unknown variant `wide`"),
        (
            "stress: { lines: 1048576, line: 4096 }",
            "together they have at most",
        ),
        ("mode: both", "unknown variant `both`"),
        ("name: [", ""),
        ("- 1", ""),
    ] {
        let error = Environment::read(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn every_drawn_environment_has_an_arrangement_of_locations_that_are_disjoint() {
    let tests = tests();
    assert!(tests.len() > 50, "{}", tests.len());
    for capabilities in devices() {
        for seed in 0..150 {
            let environment = drawn(seed, &capabilities);
            let (name, test) = &tests[seed as usize % tests.len()];
            let none = vec![None; test.shape.devices.len()];
            let largest = capabilities.max_work_group_size;
            let made = resolve(&environment, &capabilities, test, largest, &none);
            let arrangement = match made {
                Ok(arrangement) => arrangement,
                // What a shared test asks of memory, and what a tiny device lacks.
                Err(unfit) => {
                    let named = unfit.reason.contains(&unfit.capability);
                    assert!(named, "{name} {seed}: {unfit:?}");
                    continue;
                }
            };
            check(name, seed, test, &arrangement, &capabilities);
        }
    }
}

fn check(name: &str, seed: u64, test: &TestKernel, a: &Arrangement, capabilities: &Capabilities) {
    assert!(
        a.instances > 0 && a.teams > 0 && a.lanes > 0,
        "{name} {seed}"
    );
    assert!(a.first > 0 && a.first <= a.instances, "{name} {seed}");
    assert!(a.batch > 0, "{name} {seed}");
    for &local in &a.local_sizes {
        assert!(local <= capabilities.max_work_group_size, "{name} {seed}");
    }
    // Every instance is played: the iterations of all lanes reach the last.
    let played =
        u64::from(a.iterations(a.instances, a.teams)) * u64::from(a.teams) * u64::from(a.lanes);
    assert!(played >= u64::from(a.instances), "{name} {seed}");
    let locals = u64::from(test.layout.local_words) * 4 * u64::from(a.lanes) * u64::from(a.batch);
    assert!(
        locals <= capabilities.local_mem_size.max(1),
        "{name} {seed}"
    );
    // The first and the last places, where slots could run into each other.
    assert!(a.capacity >= a.instances, "{name} {seed}");
    let count = a.capacity;
    let some: Vec<u32> = (0..count.min(64))
        .chain(count.saturating_sub(64)..count)
        .collect();
    let some: HashSet<u32> = some.into_iter().collect();
    let mut taken: HashSet<usize> = HashSet::new();
    for (slot, &base) in a.bases.iter().enumerate() {
        for &x in &some {
            for word in 0..test.layout.slot_words {
                let at = base as usize + x as usize * a.instance_pitch as usize + word as usize;
                assert!(
                    at < a.memory_words,
                    "{name} {seed} slot {slot} instance {x}"
                );
                assert!(taken.insert(at), "{name} {seed} slot {slot} instance {x}");
            }
        }
        assert!(
            test.layout.slot_words % 2 == 1 || base.is_multiple_of(2),
            "{name} {seed}"
        );
    }
}

#[test]
fn what_a_device_lacks_is_named() {
    let mut capabilities = devices().remove(0);
    capabilities.svm_fine_buffer = false;
    let (_, test) = &tests()[0];
    let environment = Environment::read("memory: { kind: fine }").expect("an environment");
    let none = vec![None; test.shape.devices.len()];
    let unfit = resolve(&environment, &capabilities, test, 64, &none).expect_err("it lacks that");
    assert!(
        unfit.capability.contains("CL_DEVICE_SVM_FINE_GRAIN_BUFFER"),
        "{unfit:?}"
    );
}

#[test]
fn one_instance_a_launch() {
    for capabilities in devices() {
        for (name, test) in tests() {
            let none = vec![None; test.shape.devices.len()];
            let a = resolve(&Environment::single(), &capabilities, &test, 64, &none)
                .unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(
                (a.instances, a.teams, a.lanes, a.collectors),
                (1, 1, 1, 1),
                "{name}"
            );
        }
    }
}

#[test]
fn a_device_that_ends_loops_gets_fewer_instances_and_no_other_does() {
    let environment = Environment::read("launch: { instances: 100000 }").expect("an environment");
    let turns = 65_535;
    // Those with room for as many.
    let roomy = |device: &Capabilities| device.max_alloc >= 1 << 30;
    for capabilities in devices().into_iter().filter(roomy) {
        let limited = Capabilities {
            loop_turns: turns,
            ..capabilities.clone()
        };
        let mut loops = 0;
        for (name, test) in tests() {
            let none = vec![None; test.shape.devices.len()];
            let of = |capabilities| {
                let made = resolve(&environment, capabilities, &test, 64, &none);
                made.unwrap_or_else(|unfit| panic!("{name}: {unfit:?}"))
            };
            let (all, few) = (of(&capabilities), of(&limited));
            assert_eq!((all.instances, all.loop_bound), (100_000, 10_000), "{name}");
            let each = match test.layout.bound_column {
                Some(_) => few.loop_bound,
                None => 1,
            };
            loops += u32::from(each > 1);
            assert!(few.instances * each <= turns / 16, "{name}: {few:?}");
            assert!(few.spare <= turns / 8 && few.measured == 0, "{name}");
            let meetings = match few.sync_every {
                0 => 1,
                every => few
                    .iterations(few.instances, few.teams)
                    .div_ceil(few.batch * every),
            };
            let waits = (few.lag + few.sync_bound) * meetings;
            assert!(waits <= turns / 8 * 3, "{name}: {few:?}");
        }
        assert!(loops > 0, "some test loops");
    }
}

#[test]
fn work_groups_that_cannot_run_together_share_launches_or_start_in_lines() {
    let capabilities = devices().remove(0);
    let none = [None];
    let (mut crossing, mut sharing) = (0, 0);
    for (name, test) in tests() {
        let [device] = &test.shape.devices[..] else {
            continue;
        };
        let of = |environment: &str| {
            let environment = Environment::read(environment).expect("an environment");
            let made = resolve(&environment, &capabilities, &test, 64, &none);
            made.unwrap_or_else(|unfit| panic!("{name}: {unfit:?}"))
        };
        if test.shape.crosses_devices() {
            continue;
        }
        let groups = device.groups.len() as u32;
        let own = of("");
        let wide = groups > capabilities.compute_units;
        assert_eq!(own.order_crossing == Percent::ALWAYS, wide, "{name}");
        let shares = own.order_shared != Percent::NEVER;
        assert_eq!(shares, wide && test.may_share(), "{name}");
        sharing += u32::from(shares);
        let never = of("{ order: { shared: 0 } }");
        assert_eq!(never.order_shared, Percent::NEVER, "{name}");
        if wide {
            crossing += 1;
            assert!(own.teams * groups <= 1024 && own.teams > 100, "{name}");
            assert!(
                own.iterations(own.instances, own.teams) <= 128,
                "{name}: {own:?}"
            );
        }
        let stated = of("{ order: { crossing: 0 }, launch: { teams: 2 } }");
        assert_eq!(stated.order_crossing, Percent::NEVER, "{name}");
        assert_eq!(stated.teams, 2.min(stated.instances), "{name}");
    }
    assert!(crossing > 10, "{crossing} tests have more work-groups");
    assert!(sharing > 10, "{sharing} of {crossing}");
}
