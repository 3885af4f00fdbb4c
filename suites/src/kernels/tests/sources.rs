//! The kernels of sources, and launches of them: names, parameters, braces.

use super::super::generate::FAMILIES;
use super::{cases, objects};
use crate::kernels::case::{Arg, KernelCase, Kind, ObjectId, Step};
use std::collections::{BTreeMap, BTreeSet};

/// All kinds with a source, with some seeds of each.
fn all() -> impl Iterator<Item = (String, KernelCase)> {
    let kinds = FAMILIES
        .iter()
        .flat_map(|(family, kind, _)| cases(&format!("{family}/{kind}"), 25).collect::<Vec<_>>());
    kinds.filter(|(_, case)| !case.source.is_empty())
}

/// All translation units.
fn text(case: &KernelCase) -> String {
    case.source.clone() + &case.units.concat()
}

/// The parameters of each kernel of a source, by its name.
fn kernels(source: &str) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for part in source.split("kernel ").skip(1) {
        let Some((head, _)) = part.split_once(") {") else {
            continue;
        };
        let Some((_, head)) = head.split_once("void ") else {
            continue;
        };
        let head = head.trim_start();
        let (name, list) = head.split_once('(').expect("parameters");
        let parameters = list.split(',').map(str::trim).filter(|p| !p.is_empty());
        let name = name.trim().to_string();
        let before = all.insert(name.clone(), parameters.map(String::from).collect());
        assert_eq!(before, None, "{name} is defined once in {source}");
    }
    all
}

#[test]
fn launches_name_kernels_of_the_source_and_give_each_parameter() {
    for (name, case) in all() {
        let kernels = kernels(&text(&case));
        for (_, launch) in case.launches() {
            let parameters = kernels.get(&launch.kernel);
            let parameters = parameters.unwrap_or_else(|| panic!("{name}: {}", launch.kernel));
            let counts = (parameters.len(), launch.args.len());
            assert_eq!(
                counts.0, counts.1,
                "{name}: {}: {parameters:?}",
                launch.kernel
            );
        }
    }
}

#[test]
fn arguments_are_of_the_kinds_of_their_parameters() {
    for (name, case) in all() {
        let kernels = kernels(&text(&case));
        for (_, launch) in case.launches() {
            for (parameter, arg) in kernels[&launch.kernel].iter().zip(&launch.args) {
                let pointer = parameter.contains('*') || parameter.starts_with("cell ");
                let says = format!("{name}: {parameter} is given {arg:?}");
                match arg {
                    Arg::Object(id) => match case.objects[id.index()].kind {
                        Kind::Image(image) => {
                            let ty = format!("{}_t", image.c_type());
                            assert!(parameter.contains(&ty), "{says}");
                        }
                        Kind::Pipe { .. } => assert!(parameter.contains("pipe "), "{says}"),
                        _ => {
                            assert!(pointer && !parameter.starts_with("local "), "{says}");
                        }
                    },
                    Arg::Pointer(_) => assert!(pointer, "{says}"),
                    Arg::Local(_) => assert!(parameter.starts_with("local "), "{says}"),
                    Arg::Queue(_) => assert!(parameter.starts_with("queue_t "), "{says}"),
                    Arg::Sampler(_) => assert!(parameter.starts_with("sampler_t "), "{says}"),
                    Arg::Uint(_) => assert!(parameter.starts_with("uint "), "{says}"),
                    Arg::Ulong(_) => assert!(parameter.starts_with("ulong "), "{says}"),
                    Arg::Bytes(_) => assert!(!pointer, "{says}"),
                }
            }
        }
    }
}

#[test]
fn every_kernel_of_a_source_is_launched() {
    // Sources that are the same for all cases of a kind have more kernels than a case launches.
    let shared = [
        "ndrange/loops",
        "ndrange/errors",
        "svm/pairs",
        "svm/structures",
        "enqueue/tree",
        "queue/recorded",
        "queue/updated",
    ];
    for (name, case) in all() {
        if shared.iter().any(|kind| name.starts_with(kind)) || name.starts_with("pipe/") {
            continue;
        }
        let launched: BTreeSet<_> = case.launches().map(|(_, l)| l.kernel.as_str()).collect();
        for kernel in kernels(&text(&case)).keys() {
            let gathers = kernel.starts_with("gather");
            // One that reads an image may be called by another, as may one that is called as a function.
            let calls = [format!("    {kernel}(image"), format!(" {kernel}(out, ")];
            let called = calls.iter().any(|call| text(&case).contains(call));
            assert!(
                gathers || called || launched.contains(kernel.as_str()),
                "{name}: {kernel}"
            );
        }
    }
}

#[test]
fn braces_and_parentheses_of_sources_are_closed() {
    for (name, case) in all() {
        let mut open = Vec::new();
        for (n, line) in text(&case).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for c in code.chars() {
                match c {
                    '(' | '[' | '{' => open.push(c),
                    ')' | ']' | '}' => {
                        let right = matches!(
                            (open.pop(), c),
                            (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')
                        );
                        assert!(right, "{name}: line {}: {line}", n + 1);
                    }
                    _ => {}
                }
            }
        }
        assert_eq!(open, [], "{name}");
        assert!(
            !case.source.contains("{{") && !case.source.contains("}}"),
            "{name}"
        );
        assert!(
            !case.source.contains('@'),
            "{name}: a place in a kernel is not filled"
        );
        assert!(case.source.ends_with('\n'), "{name}");
    }
}

#[test]
fn objects_of_launches_come_before_looks_at_them() {
    for (name, case) in all() {
        let mut reached = BTreeSet::new();
        for step in &case.steps {
            match step {
                Step::Launch(launch) => {
                    reached.extend(super::objects(launch));
                    reached.extend(launch.reaches.iter().copied());
                    let pointers = launch.args.iter().filter_map(|arg| match arg {
                        Arg::Pointer(at) => Some(at.object),
                        _ => None,
                    });
                    reached.extend(pointers);
                }
                Step::Move(moved) => {
                    if let crate::kernels::transfer::Transfer::Copy(copy) = &moved.what {
                        reached.insert(copy.to.object);
                    }
                }
                // Looks come before and after a command-buffer, which may leave some objects as they are.
                Step::Record(_) => {
                    reached.extend((0..case.objects.len()).map(|n| ObjectId(n as u16)))
                }
                Step::Look { object, .. } => {
                    // What the host keeps for itself is no kernel's.
                    let host = case.objects[object.index()].kind == Kind::Host;
                    assert!(host || reached.contains(object), "{name}: {object:?}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn local_memory_stays_within_what_every_device_has() {
    // CL_DEVICE_LOCAL_MEM_SIZE is at least 32 KiB.
    const LEAST: usize = 32 << 10;
    for (name, case) in cases("group/local", 60) {
        let launch = super::launch(&case);
        let mut all = 0;
        for arg in &launch.args {
            if let Arg::Local(bytes) = arg {
                all += bytes;
            }
        }
        for line in case
            .source
            .lines()
            .filter(|line| line.starts_with("    local ") && !line.contains('*'))
        {
            let ty = line.split_whitespace().nth(1).expect("a type");
            let size = match ty {
                "uchar" => 1,
                "ushort" => 2,
                "uint" => 4,
                "ulong" => 8,
                other => panic!("{name}: {other}"),
            };
            all += size * super::number(line, "[") as usize;
        }
        assert!(all > 0 && all <= LEAST, "{name}: {all}");
    }
}

#[test]
fn variables_of_units_are_read_changed_and_changed_back() {
    let (mut several, mut pointers) = (0, 0);
    for (name, case) in cases("memory/program-scope", 80) {
        if !case.source.contains("kernel void read0(") {
            continue;
        }
        let texts: Vec<&String> = std::iter::once(&case.source).chain(&case.units).collect();
        several += usize::from(texts.len() > 1);
        for (unit, text) in texts.iter().enumerate() {
            let body = |kernel: &str| {
                let begin = format!("kernel void {kernel}{unit}(");
                let (_, rest) = text.split_once(&begin).expect("a kernel of the unit");
                rest.split_once("\n}").expect("its end").0.to_owned()
            };
            if text.contains("kernel void change") {
                let back = body("change").replace("+=", "-=");
                assert_eq!(back, body("restore"), "{name}");
            }
            pointers += body("read").matches("== &").count();
            // Each number that is read has a place, and three are the kernel's own.
            let read = case
                .launches()
                .filter(|(_, launch)| launch.kernel == format!("read{unit}"));
            for (_, launch) in read {
                let longs = case.objects[objects(launch)[0].index()].bytes / 8;
                assert_eq!(
                    body("read").matches("\n    out[").count() + 3,
                    longs,
                    "{name}"
                );
            }
        }
        let changed = case
            .launches()
            .filter(|(_, l)| l.kernel.starts_with("change"))
            .count();
        let restored = case
            .launches()
            .filter(|(_, l)| l.kernel.starts_with("restore"))
            .count();
        assert_eq!(changed, restored, "{name}");
        assert!(changed == 0 || changed == texts.len(), "{name}");
    }
    assert!(several > 15 && pointers > 15, "{several} {pointers}");
}
