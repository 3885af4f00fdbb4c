//! Copies of work-groups, stores of vectors, and the bytes of arguments.

use super::{between, cases, first, launch, lone, number, objects, uints, wanted};
use crate::kernels::case::{Arg, KernelCase, ObjectId};
use crate::kernels::math::format::Format;

/// The bytes of a type of OpenCL C, and of one of its components.
fn sizes(ty: &str) -> (usize, usize) {
    let scalar = ty.trim_end_matches(|c: char| c.is_ascii_digit());
    let component = match scalar.trim_start_matches('u') {
        "char" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        "long" | "double" => 8,
        other => panic!("no type {other}"),
    };
    let lanes: usize = ty[scalar.len()..].parse().unwrap_or(1);
    // A vector of three takes the place of four.
    let places = if lanes == 3 { 4 } else { lanes };
    (component * places, component)
}

/// One more in each component.
fn one_more(element: &[u8], component: usize) -> Vec<u8> {
    let parts = element.chunks(component);
    let more = parts.flat_map(|part| {
        let mut long = [0; 8];
        long[..component].copy_from_slice(part);
        let more = u64::from_le_bytes(long).wrapping_add(1);
        more.to_le_bytes()[..component].to_vec()
    });
    more.collect()
}

/// How far apart elements lie on the side of a block's calls: of the first, in elements.
fn apart(block: &str, side: &str) -> usize {
    let at = block.find(&format!("{side} + first + ")).expect("a call");
    number(&block[at..], ") * ") as usize
}

#[test]
fn groups_take_back_one_more_than_they_brought() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, case) in lone("group/copies", 320) {
        let (_, launch) = case.launches().next().expect("a launch");
        let [from, to] = objects(launch)[..] else {
            panic!("{name}: two buffers")
        };
        let [in_span, out_span] = uints(launch)[..] else {
            panic!("{name}: two numbers")
        };
        let (in_span, out_span) = (in_span as usize, out_span as usize);
        let ty = between(&case.source, "global const ", " *from");
        let (size, component) = sizes(ty);
        let count = number(&case.source, "near[") as usize;
        let (bring, take) = case.source.split_once("*)near)[").expect("two blocks");
        let (gather, scatter) = (apart(bring, "from"), apart(take, "to"));
        let place = number(
            &bring[bring.find("from + first").expect("a call")..],
            "first + ",
        ) as usize;
        let groups = launch.range.items().div_ceil(launch.range.group()) as usize;
        let read = first(&case, from);
        let mut bytes = first(&case, to);
        for group in 0..groups {
            for n in 0..count {
                let a = (group * in_span + place + n * gather) * size;
                let b = (group * out_span + place + n * scatter) * size;
                let element = one_more(&read[a..a + size], component);
                bytes[b..b + size].copy_from_slice(&element);
            }
        }
        if let Some((_, pack)) = case.launches().nth(1) {
            // Three of four components.
            let three = bytes.chunks(size).flat_map(|all| &all[..3 * component]);
            let three: Vec<u8> = three.copied().collect();
            assert_eq!(wanted(&case, objects(pack)[1]), three, "{name}");
        } else {
            assert_eq!(wanted(&case, to), bytes, "{name}");
        }
        // No group writes where another does.
        assert!(place + (count - 1) * scatter < out_span, "{name}");
        assert!(place + (count - 1) * gather < in_span, "{name}");
        seen.insert(ty.to_string());
    }
    assert!(seen.len() > 7, "{seen:?}");
}

#[test]
fn vectors_lie_where_vstore_puts_them() {
    for (name, case) in lone("memory/vectors", 320) {
        let launch = launch(&case);
        let items = launch.range.items() as usize;
        let mut blocks = case.source.split("    {\n").skip(1);
        for objects in objects(launch).chunks(3) {
            let block = blocks.next().expect("a block for each three buffers");
            vectors_of(&name, &case, block, items, objects);
        }
        assert_eq!(blocks.next(), None, "{name}");
    }
}

/// The vectors of a block, which are loaded from an object, stored to another, and go through to a third.
fn vectors_of(name: &str, case: &KernelCase, block: &str, items: usize, objects: &[ObjectId]) {
    let [from, to, through] = objects[..] else {
        panic!("{name}: three buffers")
    };
    let lanes = number(block, "vstore") as usize;
    let named = between(block, "        ", " value");
    let ty = named.trim_end_matches(|c: char| c.is_ascii_digit());
    let (size, _) = sizes(ty);
    let apart = number(block, &format!("vstore{lanes}(value, n * ")) as usize;
    let begin = between(block, "u, to", ");");
    let begin = number(begin, " + ") as usize;
    let mut counted = first(case, to);
    let mut loaded = first(case, through);
    let given = first(case, from);
    for n in 0..items {
        for lane in 0..lanes {
            // vstoren writes to p + offset * n (OpenCL C, "Vector Data Load and Store Functions").
            let at = (begin + n * apart * lanes + lane) * size;
            let number = (n * lanes + lane + 1) as u64;
            let bytes = match ty {
                "half" => Format::Half.bits(number as f64),
                "float" => u64::from((number as f32).to_bits()),
                "double" => (number as f64).to_bits(),
                _ => number,
            };
            counted[at..at + size].copy_from_slice(&bytes.to_le_bytes()[..size]);
            let read = (n * lanes + lane) * size;
            loaded[at..at + size].copy_from_slice(&given[read..read + size]);
        }
    }
    assert_eq!(wanted(case, to), counted, "{name}");
    assert_eq!(wanted(case, through), loaded, "{name}");
    // What lies beside the vectors is looked at, too.
    let stored = items * lanes * size;
    assert!(case.objects[to.index()].bytes > stored, "{name}");
}

#[test]
fn kernels_find_the_bytes_of_their_arguments_without_holes() {
    let mut types = std::collections::BTreeSet::new();
    for (name, case) in cases("memory/arguments", 120) {
        let launch = launch(&case);
        let parameters = between(&case.source, "kernel void take(global uchar *all", ") {");
        let names = parameters.split(", ").filter(|p| !p.is_empty());
        let given = launch.args.iter().skip(1);
        let mut each = Vec::new();
        for (parameter, arg) in names.zip(given) {
            let ty = parameter.split(' ').next().expect("a type");
            let Arg::Bytes(bytes) = arg else {
                panic!("{name}: {arg:?}")
            };
            types.insert(ty.to_string());
            match ty {
                // A uchar, seven bytes that hold nothing, a ulong; the ushort is not read.
                "thing" => {
                    assert_eq!(bytes.len(), 24, "{name}");
                    each.push(bytes[0]);
                    each.extend(&bytes[8..16]);
                }
                "large" => {
                    assert_eq!(bytes.len(), 4 * 64, "{name}");
                    each.extend(bytes);
                }
                // Five words, and none behind them that two longs have, too.
                "either" => {
                    assert_eq!(bytes.len(), 24, "{name}");
                    each.extend(&bytes[..20]);
                }
                _ => {
                    let (size, component) = sizes(ty);
                    assert_eq!(bytes.len(), size, "{name}: {ty}");
                    let used = match ty.trim_start_matches(|c: char| !c.is_ascii_digit()) {
                        "3" => 3 * component,
                        _ => size,
                    };
                    each.extend(&bytes[..used]);
                }
            }
        }
        let items = launch.range.items() as usize;
        assert_eq!(
            wanted(&case, objects(launch)[0]),
            each.repeat(items),
            "{name}"
        );
        assert_eq!(
            number(&case.source, "get_global_id(0) * ") as usize,
            each.len(),
            "{name}"
        );
        assert!(!(launch.cloned && launch.disturbed), "{name}");
    }
    assert!(types.len() > 40, "{types:?}");
}

#[test]
fn a_program_of_a_binary_is_held_to_the_rule_of_binaries() {
    let (mut binaries, mut sources) = (0, 0);
    for (name, case) in cases("memory/arguments", 60) {
        let rules = case.covers();
        let binary = case.build.through_binary.is_some();
        assert_eq!(rules.contains(&crate::rule::KIND_BINARY), binary, "{name}");
        assert_eq!(rules.contains(&crate::rule::KIND_SOURCE), !binary, "{name}");
        *(if binary { &mut binaries } else { &mut sources }) += 1;
    }
    assert!(binaries > 5 && sources > 5);
}
