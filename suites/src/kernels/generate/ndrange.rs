//! Index spaces: each work-item tells its ids.

use super::builder::{CaseBuilder, args, divides};
use crate::choices::Choices;
use crate::kernels::case::{Arg, FIELDS, Ids, KernelCase, Launch, Range, Step, Want};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Writes the ids of each work-item into a record of its own, in the order in which they come. The
/// place of a record is drawn by an atomic, so that wrong ids cannot hide each other.
const IDS: &str = include_str!("cl/ids.cl");

/// Sizes that are easy to get wrong.
const SIZES: [u64; 14] = [1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64];

/// Offsets that are easy to get wrong; the last ones need 64 bits.
const OFFSETS: [u64; 8] = [0, 1, 3, 100, 65_535, 1 << 20, (1 << 32) - 2, (1 << 33) + 5];

/// A range of at most `most` work-items; uniform, or of groups that do not divide it. Groups have at
/// most `largest` work-items. Of what there may be in all, the dimension that comes first takes most,
/// so each does at times; or all have the same share.
fn range(choices: &mut Choices, most: u64, uniform: bool, largest: u64) -> Range {
    let dimensions = choices.between(1, 3);
    let first = choices.below(dimensions);
    let share = |of: u64| {
        (1..=of)
            .take_while(|n| n.pow(dimensions as u32) <= of)
            .count() as u64
    };
    let (each, each_group) = if choices.percent(50) {
        (share(most), share(largest))
    } else {
        (most, largest)
    };
    let mut global = vec![1; dimensions];
    let mut local = vec![1; dimensions];
    let (mut items, mut group) = (1, 1);
    for n in 0..dimensions {
        let mut size = choices.one_of(&SIZES);
        if largest > 64 && choices.percent(50) {
            size = choices.one_of(&[largest, largest + 1, 2 * largest]);
        }
        let size = size.min((most / items).clamp(1, each));
        let most_in_group = (largest / group).clamp(1, each_group);
        let in_group = if uniform {
            let divisors: Vec<u64> = (1..=size.min(most_in_group))
                .filter(|s| size.is_multiple_of(*s))
                .collect();
            choices.pick(&divisors).unwrap_or(1)
        } else {
            choices.between(1, size.min(most_in_group) as usize) as u64
        };
        // The largest that there may be is what devices get wrong.
        let full = size.min(most_in_group);
        let in_group =
            if largest > 64 && choices.percent(50) && (!uniform || size.is_multiple_of(full)) {
                full
            } else {
                in_group
            };
        items *= size;
        group *= in_group;
        let dimension = (first + n) % dimensions;
        global[dimension] = size;
        local[dimension] = in_group;
    }
    Range::new(global, local)
}

/// A range whose work-groups have exactly so many work-items, a power of two, in any dimensions.
fn full(choices: &mut Choices, uniform: bool, group: u64) -> Range {
    let dimensions = choices.between(1, 3);
    let mut local = vec![1; dimensions];
    let mut left = group;
    while left > 1 {
        local[choices.below(dimensions)] *= 2;
        left /= 2;
    }
    let mut global = local.clone();
    // One dimension has a second group, whole or not.
    let more = choices.below(dimensions);
    global[more] += if uniform {
        local[more]
    } else {
        choices.between(1, local[more] as usize) as u64
    };
    Range::new(global, local)
}

/// A range with a remainder in every dimension, most often three: there are groups with a remainder in
/// each set of dimensions.
fn ragged(choices: &mut Choices) -> Range {
    let dimensions = choices.one_of(&[1, 2, 3, 3, 3]);
    let local: Vec<u64> = (0..dimensions)
        .map(|_| choices.between(2, 4) as u64)
        .collect();
    let global = local.iter().map(|local| {
        let whole = choices.between(1, 2) as u64 * local;
        whole + choices.between(1, *local as usize - 1) as u64
    });
    Range::new(global.collect(), local.clone())
}

/// Every work-item tells all its ids, in several index spaces one after the other.
pub fn ids(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("every work-item tells all its ids");
    case.case.source = IDS.into();
    let uniform = choices.percent(50);
    let largest = choices.one_of(&[64, 64, 128, 256, 1024]);
    // Where the implementation chooses, a program may bind it to choose a divisor.
    let bound = choices.percent(10);
    if bound {
        case.case.build.options = "-cl-uniform-work-group-size".into();
        case.need(&[Need::C20]);
    }
    let uniform = uniform || bound;
    for _ in 0..choices.between(1, 4) {
        let mut range = if largest > 64 && choices.percent(40) {
            full(choices, uniform, largest)
        } else if !uniform && choices.percent(40) {
            ragged(choices)
        } else {
            range(choices, 2048, uniform, largest)
        };
        // Programs in a language before OpenCL C 2.0 have groups of one size, which get_local_size tells.
        if bound || choices.percent(40) {
            range.local = None;
        } else if !range
            .local
            .as_deref()
            .is_none_or(|local| divides(&range.global, local))
        {
            case.need(&[Need::NonUniformGroups, Need::C20]);
        }
        case.need_if(
            range.group() > 64,
            &[Need::WorkGroupSize(range.group() as u32)],
        );
        told(choices, &mut case, range, bound);
    }
    if choices.percent(15) {
        required(choices, &mut case);
    }
    case.case
}

/// Launches of a kernel that requires the size of its work-groups: one that says it again, or none, where the size is
/// the kernel's all the same.
fn required(choices: &mut Choices, case: &mut CaseBuilder) {
    let range = range(choices, 512, true, 64);
    let Some(local) = range.local.as_deref() else {
        return;
    };
    let [x, y, z] = Range::three(local, 1);
    let attribute = format!("kernel __attribute__((reqd_work_group_size({x}, {y}, {z}))) void");
    let (head, _) = IDS.split_once("kernel void tell").unwrap_or((IDS, ""));
    let kernel = head.replace("kernel void ids", &format!("{attribute} {REQUIRED}"));
    case.case.source += &kernel;
    // A device whose groups are smaller need not build it.
    case.need(&[Need::WorkGroupSize(range.group() as u32)]);
    let null = choices.percent(60);
    // Before 3.0 such a launch was an error: "if local_work_size is NULL and the […] qualifier is used".
    case.need_if(null, &[Need::Api30]);
    launched(choices, case, REQUIRED, range, (true, null));
}

/// The kernel that requires the size of its work-groups.
const REQUIRED: &str = "ids_required";

/// Where the ids of each dimension begin: in one of them alone, or in any.
fn offsets(choices: &mut Choices, global: &[u64]) -> Vec<u64> {
    let alone = choices.percent(30);
    let only = choices.below(global.len());
    let one = |n: usize| {
        let offset = choices.one_of(&OFFSETS);
        if alone && n != only { 0 } else { offset }
    };
    (0..global.len()).map(one).collect()
}

/// A launch over a range, and a look at what its work-items told.
fn told(choices: &mut Choices, case: &mut CaseBuilder, range: Range, uniform: bool) {
    launched(choices, case, "ids", range, (uniform, false));
}

/// The same of a kernel, whose groups are of one size, as `uniform` says, or have the size of the range without its
/// launch saying so.
fn launched(
    choices: &mut Choices,
    case: &mut CaseBuilder,
    kernel: &str,
    mut range: Range,
    (uniform, implied): (bool, bool),
) {
    if choices.percent(70) {
        let offset = offsets(choices, &range.global);
        case.need_if(
            offset.iter().any(|f| *f > u64::from(u32::MAX) - 64),
            &[Need::Bits64],
        );
        range.offset = Some(offset);
    }
    let times = choices.between(1, 2) as u32;
    let records = range.items() as usize * times as usize;
    let count = case.buffer(4);
    let out = case.buffer(8 * (1 + records * FIELDS));
    case.step(Step::Launch(Launch {
        kernel: kernel.into(),
        args: args![count, out, records as u32],
        range: Range {
            local: range.local.clone().filter(|_| !implied),
            ..range.clone()
        },
        times,
        ..Launch::default()
    }));
    case.step(tell(count, out));
    let want = Want::Ids(Ids {
        range,
        uniform,
        times,
    });
    case.look(out, &[rule::ND_GLOBAL_ID], "the ids", want);
}

fn tell(count: super::super::case::ObjectId, out: super::super::case::ObjectId) -> Step {
    Step::Launch(Launch::new("tell", args![count, out], Range::line(1, 1)))
}

/// Places in which work-items count beside their own.
const CLASSES: usize = 5;

/// Counts the visits of each place of a range.
const HITS: &str = include_str!("cl/hits.cl");

/// Ranges of more than 2^16 work-items, of primes, long in one dimension.
pub fn large(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("each of many work-items counts a visit");
    let (global, local) = choices.one_of(&[
        (&[65_537, 1, 1][..], &[65_537, 1, 1][..]),
        (&[70_000], &[16]),
        (&[1, 66_000], &[1, 8]),
        (&[1, 1, 65_600], &[1, 1, 32]),
        (&[257, 257], &[257, 1]),
        (&[41, 41, 41], &[41, 1, 1]),
        (&[131_072], &[64]),
        (&[3, 21_851], &[3, 1]),
        (&[16_448], &[64]),
        (&[40_000], &[8]),
    ]);
    // Groups of a row of many items are more than every device has.
    let none = local[0] > 64 || choices.percent(40);
    let local = (!none).then_some(local);
    let offset = offsets(choices, global);
    case.need_if(offset.iter().any(|f| *f > (1 << 31)), &[Need::Bits64]);
    let with_offset = choices.percent(60);
    let range = Range {
        offset: with_offset.then(|| offset.clone()),
        global: global.to_vec(),
        local: local.map(<[u64]>::to_vec),
    };
    let shift = if with_offset {
        Range::three(&offset, 0)
    } else {
        [0; 3]
    };
    let items = range.items() as usize;
    let hits = case.buffer(4 * (items + 1 + CLASSES + 1));
    let sizes = Range::three(global, 1);
    let longest = (0..3).max_by_key(|d| sizes[*d]).unwrap_or(0);
    case.case.source = format!("#define CLASSES {CLASSES}\n#define LONGEST {longest}\n{HITS}");
    let below = choices.below(sizes[longest] as usize) as u64;
    let mut args = args![hits];
    let chosen = local.map_or([0; 3], |local| Range::three(local, 1));
    let numbers = [shift, Range::three(global, 1), chosen];
    args.extend(numbers.as_flattened().iter().copied().map(Arg::Ulong));
    args.push(Arg::Ulong(shift[longest] + below));
    let mut rules: Vec<RuleId> = vec![rule::ND_GLOBAL_ID, rule::ND_GROUP_COUNT];
    if with_offset {
        rules.push(rule::ND_OFFSET);
    }
    if range.local.is_none() {
        rules.push(rule::ND_NULL_LOCAL);
    }
    rules.push(rule::KI_COMPLETION);
    case.launch("hit", args, range);
    let mut words = vec![1; items];
    words.push(0);
    words.extend((0..CLASSES).map(|class| 3 * (items - class).div_ceil(CLASSES) as u32));
    words.push((items as u64 / sizes[longest] * below) as u32);
    case.look(hits, &rules, "visits of each place", Want::words(words));
    case.case
}

/// Takes a turn for each work-group when it begins and when it ends.
const ARRIVE: &str = include_str!("cl/arrive.cl");

/// Each work-group waits a while until all have begun: which began when, and which ran together, the
/// implementation chooses.
pub fn groups(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("work-groups take turns as they begin and end");
    case.case.source = ARRIVE.into();
    let groups = choices.one_of(&[2, 2, 3, 4, 8, 16, 32]);
    let local = choices.one_of(&[1, 1, 4, 16]);
    let tries = choices.one_of(&[100u32, 1000]);
    let turn = case.buffer(4);
    let out = case.unwritten(2 * groups as usize);
    let range = Range::line(u64::from(groups) * local, local);
    case.launch("arrive", args![turn, out, tries], range);
    let rules = [rule::KI_COMPLETION, rule::ND_GROUP_COUNT];
    case.look(out, &rules, "turns of work-groups", Want::Turns { groups });
    case.case
}

/// Launches that must be refused, and empty ones.
pub fn errors(choices: &mut Choices) -> KernelCase {
    const INVALID_WORK_GROUP_SIZE: i32 = -54;
    const INVALID_GLOBAL_OFFSET: i32 = -56;
    let kind = choices.below(5);
    let mut case = CaseBuilder::new("a launch that has to be refused, or one without work-items");
    case.case.source = "kernel void touch(global uint *out) { out[0] = 7; }\n".into();
    let out = case.buffer(4);
    let mut launch = Launch {
        kernel: "touch".into(),
        args: args![out],
        times: 1,
        ..Launch::default()
    };
    let mut look = vec![rule::API_ERRORS];
    match kind {
        0 | 1 => {
            // Never divides.
            let size = choices.between(2, 8) as u64;
            let rest = choices.between(1, size as usize - 1) as u64;
            launch.range = Range::line(size * choices.between(1, 9) as u64 + rest, size);
            if kind == 0 {
                case.case.build.std = Some("CL1.2".into());
            } else {
                case.case.build.options = "-cl-uniform-work-group-size".into();
                case.need(&[Need::C20]);
            }
            launch.code = INVALID_WORK_GROUP_SIZE;
            launch.rules = vec![rule::ND_UNIFORM_REQUIRED, rule::API_ERRORS];
        }
        2 => {
            // A device whose groups are smaller need not build it.
            case.need(&[Need::WorkGroupSize(16)]);
            launch.kernel = "required".into();
            case.case.source = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) \
                                void required(global uint *out) { out[0] = 7; }\n"
                .into();
            let local = choices.one_of(&[
                &[2, 4][..],
                &[8, 1],
                &[4, 1],
                &[1, 1],
                &[2, 2],
                // In the third dimension alone, also where that is not there.
                &[4, 2, 2],
                &[4],
            ]);
            launch.range = Range::new(vec![8; local.len()], local.to_vec());
            launch.code = INVALID_WORK_GROUP_SIZE;
            launch.rules = vec![rule::API_ERRORS];
        }
        3 => {
            // The last global id would not be a size_t.
            case.need(&[Need::Bits64]);
            launch.range = Range {
                offset: Some(vec![u64::MAX - 3]),
                global: vec![8],
                local: None,
            };
            launch.code = INVALID_GLOBAL_OFFSET;
            launch.rules = vec![rule::API_ERRORS];
        }
        _ => {
            case.need(&[Need::Api21]);
            let global = choices.one_of(&[&[0][..], &[0, 4], &[4, 0], &[2, 3, 0], &[0, 0, 0]]);
            launch.range = Range::new(
                global.to_vec(),
                choices.percent(50).then(|| vec![1; global.len()]),
            );
            look = vec![rule::ND_GLOBAL_ID];
        }
    }
    case.step(Step::Launch(launch));
    let want = Want::words(vec![0]);
    case.look(out, &look, "the kernel that must not run", want);
    case.case
}
