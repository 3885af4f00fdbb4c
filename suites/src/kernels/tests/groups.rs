//! Index spaces, work-groups, collective functions, sub-groups.

use super::{
    between, cases, first, launch, lone, number, objects, same, uints, wanted, wanted_words, wants,
    words,
};
use crate::kernels::case::{Arg, Ids, KernelCase, Launch, Range, Step, Want};
use crate::rule;
use classay_vocabulary::Need;

#[test]
fn ids_are_wanted_of_the_range_that_is_launched() {
    let [mut said, mut implied] = [0, 0];
    for (name, case) in cases("ndrange/ids", 60) {
        let mut launches = case.launches().map(|(_, launch)| launch);
        for (object, want) in wants(&case) {
            let (Some(ids), Some(tell)) = (launches.next(), launches.next()) else {
                panic!("{name}: two launches for each look")
            };
            assert_eq!(tell.kernel, "tell", "{name}");
            let Want::Ids(Ids {
                range,
                times,
                uniform,
            }) = want
            else {
                panic!("{name}: ids")
            };
            assert_eq!(*times, ids.times, "{name}");
            if ids.kernel == "ids_required" {
                // The size that the kernel requires is that of its groups, whether the launch says so or not.
                let local = range.local.as_deref().expect("a size");
                let [x, y, z] = Range::three(local, 1);
                let attribute = format!("reqd_work_group_size({x}, {y}, {z}))) void ids_required(");
                assert!(case.source.contains(&attribute), "{name}");
                let whole = range.global.iter().zip(local).all(|(g, l)| g % l == 0);
                assert!(whole && *uniform, "{name}");
                let launched = &ids.range;
                let rest = (&launched.global, &launched.offset);
                assert_eq!(rest, (&range.global, &range.offset), "{name}");
                match &launched.local {
                    Some(own) => assert_eq!(own, local, "{name}"),
                    None => assert!(case.needs.contains(&Need::Api30), "{name}"),
                }
                said += u32::from(launched.local.is_some());
                implied += u32::from(launched.local.is_none());
            } else {
                assert_eq!(ids.kernel, "ids", "{name}");
                assert_eq!(range, &ids.range, "{name}");
                let bound = case.build.options.contains("-cl-uniform-work-group-size");
                assert_eq!(*uniform, bound, "{name}");
            }
            assert_eq!(objects(ids), objects(tell), "{name}: the same memory");
            assert_eq!(objects(ids)[1], object, "{name}");
            assert!(range.items() <= 2048, "{name}");
            // As many records as work-items fit.
            let records = range.items() * u64::from(*times);
            assert_eq!(u64::from(uints(ids)[0]), records, "{name}");
        }
        assert_eq!(launches.next(), None, "{name}");
    }
    assert!(said > 1 && implied > 1, "{said} and {implied}");
}

#[test]
fn index_spaces_are_of_all_dimensions_and_groups_of_all_sizes() {
    let mut dimensions = [0; 3];
    let (mut ragged, mut large, mut offset) = (0, 0, 0);
    for (_, case) in cases("ndrange/ids", 100) {
        for (_, launch) in case.launches().filter(|(_, l)| l.kernel == "ids") {
            let range = &launch.range;
            dimensions[range.global.len() - 1] += 1;
            let local = range
                .local
                .clone()
                .unwrap_or_else(|| vec![1; range.global.len()]);
            let sizes = range.global.iter().zip(&local);
            ragged += u32::from(sizes.clone().all(|(g, l)| g % l > 0));
            large += u32::from(range.group() >= 128);
            offset += u32::from(range.offset.is_some());
        }
    }
    assert!(dimensions.iter().all(|n| *n > 20), "{dimensions:?}");
    assert!(
        ragged > 5 && large > 5 && offset > 50,
        "{ragged} {large} {offset}"
    );
}

#[test]
fn large_ranges_visit_each_place_once() {
    for (name, case) in cases("ndrange/large", 12) {
        let launch = launch(&case);
        let hits = objects(launch)[0];
        let items = launch.range.items() as usize;
        assert!(items > 1 << 14, "{name}");
        let seen = wanted_words(&case, hits);
        let (places, others) = seen.split_at(items);
        assert!(places.iter().all(|n| *n == 1), "{name}");
        // Behind the places are counted those that lie outside, or whose ids do not fit each other; then all, three
        // each, in a few places, as evenly as they can be.
        let (outside, few) = others.split_first().expect("more words");
        assert_eq!(*outside, 0, "{name}");
        let (below, few) = few.split_last().expect("more words");
        assert!((*below as usize) < items, "{name}");
        assert_eq!(few.iter().sum::<u32>() as usize, 3 * items, "{name}");
        let even = |n: &u32| n.abs_diff(few[0]) <= 3;
        assert!(few.len() > 1 && few.iter().all(even), "{name}: {few:?}");
        // The kernel is given the offset, the size and the size of a group, if one was chosen, in three dimensions.
        let given: Vec<u64> = launch
            .args
            .iter()
            .filter_map(|arg| match arg {
                crate::kernels::case::Arg::Ulong(n) => Some(*n),
                _ => None,
            })
            .collect();
        let Range {
            offset,
            global,
            local,
        } = &launch.range;
        let three = |of: Option<&Vec<u64>>, missing| {
            of.map_or([0; 3], |sizes| Range::three(sizes, missing))
        };
        let all = [
            three(offset.as_ref(), 0),
            three(Some(global), 1),
            three(local.as_ref(), 1),
        ];
        assert_eq!(given[..9], all.concat(), "{name}");
    }
}

/// Why clEnqueueNDRangeKernel must refuse a launch: its list of errors.
fn refused(case: &KernelCase, launch: &Launch) -> i32 {
    let Range {
        offset,
        global,
        local,
    } = &launch.range;
    if let Some(local) = local
        && !global.contains(&0)
    {
        let uniform = case.build.std.as_deref() == Some("CL1.2")
            || case.build.options.contains("-cl-uniform-work-group-size");
        let whole = global.iter().zip(local).all(|(g, l)| g % l == 0);
        // reqd_work_group_size(4, 2, 1).
        let required = launch.kernel == "required" && Range::three(local, 1) != [4, 2, 1];
        if uniform && !whole || required {
            return -54;
        }
    }
    let beyond = |(o, g): (&u64, &u64)| o.checked_add(*g).is_none();
    if let Some(offset) = offset
        && offset.iter().zip(global).any(beyond)
    {
        return -56;
    }
    0
}

#[test]
fn launches_are_refused_for_what_the_specification_lists() {
    let mut codes = std::collections::BTreeMap::new();
    for (name, case) in cases("ndrange/errors", 100) {
        let launch = launch(&case);
        assert_eq!(launch.code, refused(&case, launch), "{name}");
        let empty = launch.range.items() == 0;
        assert_eq!(launch.code == 0, empty, "{name}: the kernel does not run");
        assert_eq!(wanted_words(&case, objects(launch)[0]), [0], "{name}");
        assert_eq!(launch.rules.is_empty(), launch.code == 0, "{name}");
        let covers = case.covers();
        assert_eq!(covers.contains(&rule::ND_GLOBAL_ID), empty, "{name}");
        *codes.entry(launch.code).or_insert(0) += 1;
    }
    assert_eq!(codes.len(), 3, "{codes:?}");
}

/// The result of a collective function for each work-item of a group of values.
fn collective(name: &str, values: &[i128], from: usize, odd: usize, none: i128) -> Vec<i128> {
    let fold = |part: &[i128]| match name.rsplit('_').next() {
        Some("min") => part.iter().copied().min().unwrap_or(none),
        Some("max") => part.iter().copied().max().unwrap_or(none),
        _ => part.iter().sum(),
    };
    let places = 0..values.len();
    let each = |n: usize| match name {
        "broadcast" => values[from],
        "all" => (0..values.len()).all(|n| n != odd).into(),
        "any" => (0..values.len()).any(|n| n == odd).into(),
        _ if name.starts_with("scan_exclusive") => fold(&values[..n]),
        _ if name.starts_with("scan_inclusive") => fold(&values[..=n]),
        _ => fold(values),
    };
    places.map(each).collect()
}

/// What an empty scan gives: the extreme of the type, where it is told at all.
fn extreme(name: &str, ty: &str) -> i64 {
    let least = name.ends_with("min");
    match ty {
        "int" => i64::from(if least { i32::MAX } else { i32::MIN }),
        "uint" => {
            if least {
                i64::from(u32::MAX)
            } else {
                0
            }
        }
        "long" => {
            if least {
                i64::MAX
            } else {
                i64::MIN
            }
        }
        "ulong" => {
            if least {
                -1
            } else {
                0
            }
        }
        // An infinity, which the kernel tells as this.
        _ if least => 0x5ca1_ab1e,
        _ => -0x5ca1_ab1e,
    }
}

#[test]
fn collective_functions_give_each_work_item_what_its_group_has() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, case) in lone("group/functions", 240) {
        let launch = launch(&case);
        let ty = case.about.split(", of ").nth(1).expect("a type");
        let source = &case.source;
        let (seed, at) = (
            number(source, "me * 7919u + "),
            number(source, "uint from = "),
        );
        let spread = number(source, ">> 16) % ") as i64;
        // The numbers of a type that small ones become.
        let of = |small: i64| -> i128 {
            match ty {
                "int" => i128::from(small * 8000),
                "uint" => i128::from((small * 8000) as u32 ^ 1 << 31),
                "long" => i128::from(small * 0x100_0000_0001),
                "ulong" => i128::from((small * 0x100_0000_0001) as u64 ^ 1 << 63),
                _ => small.into(),
            }
        };
        let three = |list: &[u64], n: usize| list.get(n).copied().unwrap_or(1);
        let local = launch.range.local.clone().expect("a shape");
        let global: [u64; 3] = [0, 1, 2].map(|d| three(&launch.range.global, d));
        let shape: [u64; 3] = [0, 1, 2].map(|d| three(&local, d));
        let groups = [0, 1, 2].map(|d| global[d].div_ceil(shape[d]));
        let items = launch.range.items() as usize;
        let mut outs: Vec<(String, Vec<i64>)> = between(source, "collect(", ")")
            .split("global long *")
            .map(|function| function.trim_end_matches(", ").to_string())
            .filter(|function| !function.is_empty())
            .map(|function| (function, vec![0; items]))
            .collect();
        for number in 0..groups.iter().product::<u64>() {
            let group = [
                number % groups[0],
                number / groups[0] % groups[1],
                number / groups[0] / groups[1],
            ];
            let begin = [0, 1, 2].map(|d| group[d] * shape[d]);
            let size = [0, 1, 2].map(|d: usize| shape[d].min(global[d] - begin[d]));
            let items = size.iter().product::<u64>();
            let odd = match number % 3 {
                0 => items - 1,
                _ => (at + number) % (items + 1),
            };
            let values: Vec<i128> = (0..items)
                .map(|me| {
                    let mixed = (number * 977 + me * 7919 + seed) as u32;
                    let mixed = i64::from(mixed.wrapping_mul(2_654_435_761) >> 16);
                    of(match (me == odd, number % 2) {
                        (true, 0) => -spread,
                        (true, _) => spread,
                        (false, _) => mixed % spread - spread / 2,
                    })
                })
                .collect();
            let from = [0, 1, 2].map(|d| at % size[d]);
            let from = ((from[2] * size[1] + from[1]) * size[0] + from[0]) as usize;
            for (function, out) in &mut outs {
                let none = extreme(function, ty);
                let none = match ty {
                    "ulong" => (none as u64).into(),
                    _ => i128::from(none),
                };
                let results = collective(function, &values, from, odd as usize, none);
                for (me, result) in results.into_iter().enumerate() {
                    let me = me as u64;
                    let inside = [me % size[0], me / size[0] % size[1], me / size[0] / size[1]];
                    let [x, y, z] = [0, 1, 2].map(|d| begin[d] + inside[d]);
                    out[((z * global[1] + y) * global[0] + x) as usize] = match ty {
                        "uint" => i64::from(result as u32),
                        _ => result as i64,
                    };
                }
            }
        }
        for ((function, out), object) in outs.into_iter().zip(objects(launch)) {
            let longs = wanted(&case, object);
            let longs = longs
                .chunks_exact(8)
                .map(|b| i64::from_le_bytes(b.try_into().expect("eight")));
            assert_eq!(longs.collect::<Vec<_>>(), out, "{name}: {function} of {ty}");
            seen.insert(function);
        }
    }
    assert_eq!(seen.len(), 12, "{seen:?}");
}

#[test]
fn sub_groups_are_told_in_records_that_follow_each_other() {
    for kind in ["subgroup/map", "subgroup/collective"] {
        for (name, case) in cases(kind, 40) {
            let (_, launch) = case.launches().next().expect("a launch");
            let local = launch.range.local.clone().expect("a shape");
            let each = launch.range.global.iter().zip(&local);
            let counts: Vec<u64> = each.map(|(g, l)| g.div_ceil(*l)).collect();
            let starts = words(&first(&case, objects(launch)[1]));
            assert_eq!(
                starts.len() as u64,
                counts.iter().product::<u64>(),
                "{name}"
            );
            assert_eq!(starts[0], 0, "{name}");
            let most = local.iter().product::<u64>();
            let mut ends = starts[1..].to_vec();
            ends.push(launch.range.items() as u32);
            for (start, end) in starts.iter().zip(&ends) {
                assert!(
                    start < end && u64::from(end - start) <= most,
                    "{name}: {starts:?}"
                );
            }
            for (_, want) in wants(&case) {
                if let Want::SubGroups { asked, groups } = want {
                    let sizes: Vec<u32> = starts.iter().zip(&ends).map(|(a, b)| b - a).collect();
                    assert_eq!(groups, &sizes, "{name}");
                    let Step::AskSubGroups {
                        kernel,
                        local: shape,
                    } = &case.steps[*asked]
                    else {
                        panic!("{name}: a question")
                    };
                    assert_eq!((kernel, shape), (&launch.kernel, &local), "{name}");
                }
            }
        }
    }
}

#[test]
fn sub_groups_that_wait_for_each_other_come_in_turn() {
    for (name, case) in cases("subgroup/progress", 30) {
        let launch = launch(&case);
        assert_eq!(
            launch.range.items(),
            launch.range.group(),
            "{name}: one work-group"
        );
        let wrong = objects(launch)[0];
        assert!(same(&case, wrong).racy, "{name}");
        assert!(wanted_words(&case, wrong).iter().all(|n| *n == 0), "{name}");
        let last = case.about.contains("the last");
        let mine = between(&case.source, "mine = ", ", bad");
        assert_eq!(mine.contains("count - 1u"), last, "{name}");
    }
}

#[test]
fn who_writes_nothing_is_found() {
    // Where zeros are wanted, memory begins with other values, or is changed in between.
    for kind in [
        "group/private",
        "image/fence",
        "subgroup/progress",
        "pipe/crowd",
    ] {
        for (name, case) in cases(kind, 10) {
            for (object, want) in wants(&case) {
                if *want == Want::zeros() {
                    assert_ne!(first(&case, object), wanted(&case, object), "{name}");
                }
            }
        }
    }
}

#[test]
fn images_that_are_written_and_read_have_an_element_for_each_work_item() {
    for (name, case) in cases("image/fence", 40) {
        let launch = launch(&case);
        let [image, wrong, _] = objects(launch)[..] else {
            panic!("{name}: an image and two buffers")
        };
        let crate::kernels::case::Kind::Image(own) = case.objects[image.index()].kind else {
            panic!("{name}: an image")
        };
        assert_eq!(own.shape.elements() as u64, launch.range.items(), "{name}");
        assert_eq!(
            case.objects[wrong.index()].bytes as u64,
            4 * launch.range.items(),
            "{name}"
        );
        let group = number(&case.source, "group * 3u + pass * ");
        assert_eq!(group, 31, "{name}");
    }
}

#[test]
fn local_memory_has_room_for_what_its_pointer_leads_to() {
    let mut vectors = 0;
    for (name, case) in cases("group/local", 60) {
        for (_, launch) in case.launches() {
            let locals = launch.args.iter().filter_map(|arg| match arg {
                Arg::Local(bytes) => Some(*bytes),
                _ => None,
            });
            for (n, bytes) in locals.enumerate() {
                let aligned = format!("(uintptr_t)v{n} % ");
                let after = case.source.split(&aligned).nth(1).expect("a check");
                let size = after.split(' ').next().and_then(|n| n.parse().ok());
                let size: usize = size.expect("a size");
                assert!(size <= bytes, "{name}: {size} of {bytes}");
                vectors += usize::from(size > 8);
            }
        }
    }
    assert!(vectors > 20, "{vectors}");
}
