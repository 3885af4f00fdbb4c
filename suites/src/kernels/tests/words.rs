//! Kernels on words: what they leave is computed here from their arguments and constants.

use super::{between, cases, first, launch, number, objects, uints, wanted, wanted_words, words};
use crate::kernels::case::{Arg, KernelCase, Launch};

/// The turns that a loop of `loops.cl` takes, one after the other.
fn turns(kernel: &str, mine: u32) -> u32 {
    let mut sum = 0;
    let (mut i, mut outer) = (0, 0);
    match kernel {
        "simple" => {
            while i < mine {
                sum += 1;
                i += 1;
            }
        }
        "nested" => {
            while i < mine {
                let mut inner = 0;
                while inner <= outer && i < mine {
                    sum += 1;
                    inner += 1;
                    i += 1;
                }
                outer += 1;
            }
        }
        "leaving" => loop {
            let before = i;
            i += 1;
            if before == mine {
                break;
            }
            sum += 1;
        },
        "meeting" => {
            if mine > 0 {
                loop {
                    sum += 1;
                    i += 1;
                    if i >= mine {
                        break;
                    }
                }
            }
        }
        other => panic!("no loop {other}"),
    }
    sum
}

#[test]
fn loops_take_every_turn() {
    for (name, case) in cases("ndrange/loops", 40) {
        let launch = launch(&case);
        let [most, more] = uints(launch)[..] else {
            panic!("{name}: two numbers")
        };
        let [sums, marks] = objects(launch)[..] else {
            panic!("{name}: two buffers")
        };
        let items = launch.range.items() as u32;
        let each: Vec<u32> = (0..items)
            .map(|me| turns(&launch.kernel, most + more * me))
            .collect();
        assert_eq!(wanted_words(&case, sums), each, "{name}");
        assert_eq!(
            wanted_words(&case, marks),
            vec![1; items as usize],
            "{name}"
        );
    }
}

/// What a line `v = v OPERATOR CONSTANTu;`, or `v += id;`, makes of a value.
fn line(line: &str, v: u32, id: u32) -> u32 {
    if line == "v += id;" {
        return v.wrapping_add(id);
    }
    let mut parts = line.trim_end_matches("u;").split(' ').skip(3);
    let operator = parts.next().expect("an operator");
    let c: u32 = parts.next().expect("a constant").parse().expect("a number");
    match operator {
        "+" => v.wrapping_add(c),
        "-" => v.wrapping_sub(c),
        "*" => v.wrapping_mul(c),
        "^" => v ^ c,
        "|" => v | c,
        "&" => v & c,
        "<<" => v << c,
        ">>" => v >> c,
        "/" => v / c,
        "%" => v % c,
        other => panic!("no operator {other}"),
    }
}

#[test]
fn a_source_that_is_built_again_computes_what_its_lines_say() {
    for (name, case) in cases("program/again", 40) {
        let rebuilt: Vec<bool> = case.launches().map(|(_, l)| l.rebuilt).collect();
        assert_eq!(rebuilt, [false, true, true], "{name}");
        let lines: Vec<&str> = between(&case.source, "v = first + id;\n", "    out[id]")
            .lines()
            .map(str::trim)
            .collect();
        assert!(lines.len() >= 2, "{name}");
        for (_, launch) in case.launches() {
            let first = uints(launch)[0];
            let each: Vec<u32> = (0..launch.range.items() as u32)
                .map(|id| lines.iter().fold(first + id, |v, text| line(text, v, id)))
                .collect();
            assert_eq!(wanted_words(&case, objects(launch)[0]), each, "{name}");
        }
    }
}

#[test]
fn a_source_with_its_option_computes_what_both_say() {
    for (name, case) in cases("kernels/source", 60) {
        let factor = number(&case.source, "(n * ") as u32;
        let mask = number(&case.source, "u ^ ") as u32;
        let option = number(&case.build.options, "-DOPTION=") as u32;
        for (_, launch) in case.launches() {
            let from = uints(launch)[0];
            let each: Vec<u32> = (from..from + launch.range.items() as u32)
                .map(|n| (n.wrapping_mul(factor) ^ mask).wrapping_add(option))
                .collect();
            assert_eq!(wanted_words(&case, objects(launch)[0]), each, "{name}");
        }
        // The others are programs of their own, of the same length, with the same kernel.
        for other in &case.build.before {
            assert_eq!(other.source.len(), case.source.len(), "{name}");
            let same = other.source == case.source;
            assert_eq!(same, other.options != case.build.options, "{name}");
        }
        assert_eq!(
            usize::from(case.devices()),
            case.launches().count(),
            "{name}"
        );
    }
}

#[test]
fn built_in_kernels_do_what_their_names_say() {
    let mut played = 0;
    for (name, case) in cases("program/built-in", 60) {
        let mut memory: Vec<Vec<u32>> = (0..case.objects.len() as u16)
            .map(|n| words(&first(&case, crate::host::Slot(n))))
            .collect();
        for step in &case.steps {
            match step {
                crate::kernels::case::Step::Launch(launch) => run_built_in(launch, &mut memory),
                crate::kernels::case::Step::Move(moved) => {
                    let crate::kernels::transfer::Transfer::Copy(copy) = &moved.what else {
                        panic!("{name}: a copy")
                    };
                    let bytes = memory[copy.from.object.index()].clone();
                    memory[copy.to.object.index()] = bytes;
                }
                _ => {}
            }
        }
        for (object, _) in super::wants(&case) {
            assert_eq!(
                wanted_words(&case, object),
                memory[object.index()],
                "{name}"
            );
            played += 1;
        }
    }
    assert!(played > 100, "{played}");
}

/// A built-in kernel of Touchstone, told by its arguments.
fn run_built_in(launch: &Launch, memory: &mut [Vec<u32>]) {
    let items = launch.range.items() as u32;
    let of = objects(launch);
    match (&of[..], &uints(launch)[..]) {
        // Numbers from one on.
        ([to], [from]) => {
            memory[to.index()] = (0..items).map(|n| from.wrapping_add(n)).collect();
        }
        // Each work-item counts.
        ([counter], []) => {
            let all = items * launch.times;
            memory[counter.index()][0] = memory[counter.index()][0].wrapping_add(all);
        }
        // Each work-item copies a byte.
        ([from, to], []) => {
            let bytes = memory[from.index()].clone();
            assert_eq!(items as usize, 4 * bytes.len());
            memory[to.index()] = bytes;
        }
        other => panic!("no built-in kernel takes {other:?}"),
    }
}

#[test]
fn regions_hold_what_each_work_item_wrote_last() {
    for (name, case) in cases("memory/disjoint", 30) {
        let launch = launch(&case);
        let [out, given] = objects(launch)[..] else {
            panic!("{name}: two buffers")
        };
        let count = uints(launch)[0];
        // The table of the source is in the constant buffer, too.
        let listed = between(&case.source, "] = { ", " };");
        let table: Vec<u32> = listed
            .split(", ")
            .map(|word| word.trim_end_matches('u').parse().expect("a word"))
            .collect();
        assert_eq!(table.len(), count as usize, "{name}");
        assert_eq!(words(&first(&case, given)), table, "{name}");
        assert_eq!(wanted_words(&case, given), table, "{name}");
        let mut all = Vec::new();
        for item in 0..launch.range.items() as u32 {
            for i in 0..count {
                // The second pass adds one; the first word counts what was wrong.
                all.push(if i == 0 { 0 } else { 0x40000 + i + item + 1 });
            }
        }
        assert_eq!(wanted_words(&case, out), all, "{name}");
        let local = launch.args.iter().find_map(|arg| match arg {
            Arg::Local(bytes) => Some(*bytes),
            _ => None,
        });
        assert_eq!(local, Some(4 * count as usize), "{name}");
    }
}

#[test]
fn variables_of_a_program_are_as_they_were_after_both_kernels() {
    let mut rebuilt = 0;
    for (name, case) in cases("memory/program-scope", 60) {
        if !case.source.contains("kernel void second") {
            continue;
        }
        let second = case
            .source
            .split_once("kernel void second")
            .expect("a second kernel")
            .1;
        let one = case
            .source
            .split_once("kernel void first")
            .expect("a first kernel")
            .1;
        let one = one.split_once("kernel void second").expect("its end").0;
        for (variable, by) in [("counter", 5), ("list[0]", 6), ("zero", 7)] {
            assert!(one.contains(&format!("{variable} += {by}u;")), "{name}");
            assert!(second.contains(&format!("{variable} -= {by}u;")), "{name}");
        }
        // Those of other programs of the source begin with the same, whatever was done before.
        let own = case.launches().filter(|(_, launch)| !launch.rebuilt);
        let kernels: Vec<(&str, u8)> = own
            .map(|(_, launch)| (launch.kernel.as_str(), launch.queue))
            .collect();
        rebuilt += case.launches().count() - kernels.len();
        let devices = case.devices();
        let each = |kernel| (0..devices).map(move |queue| (kernel, queue));
        let all: Vec<_> = each("first").chain(each("second")).collect();
        assert_eq!(kernels, all, "{name}");
        for (_, launch) in case.launches() {
            let seen = wanted_words(&case, objects(launch)[0]);
            match launch.kernel.as_str() {
                // 3, 4, 6 and 7 of the structure.
                "first" => assert_eq!(seen, [0, 1, 0, 0, 0, 3000 + 400 + 60 + 7, 1], "{name}"),
                _ => assert_eq!(seen, [5, 1 + 6, 7, 99, 1, 42], "{name}"),
            }
        }
    }
    assert!(rebuilt > 5, "{rebuilt}");
}

#[test]
fn generic_pointers_lead_to_what_each_work_item_added() {
    for (name, case) in cases("memory/generic", 60) {
        let launch = launch(&case);
        let [_, out] = objects(launch)[..] else {
            panic!("{name}: two buffers")
        };
        let seen = wanted_words(&case, out);
        assert_eq!(seen.len() as u64, 7 * launch.range.items(), "{name}");
        let asks = |call: &str, bit: u32| {
            let is = case.source.contains(&format!("if ({call}")) && bit != 0;
            if is { bit } else { 0 }
        };
        let (global, local) = (asks("to_global(p)", 1), asks("to_local(p)", 2));
        let private = asks("to_private(p)", 4);
        let fence = case.source.contains("get_fence(p)");
        for (item, words) in seen.chunks_exact(7).enumerate() {
            let item = item as u32;
            // Private, local and global memory, each with one more than the item's number.
            assert_eq!(words[..3], [item + 1, item + 3, item + 5], "{name}");
            let flag = |bit: u32| if fence { bit } else { 0 };
            assert_eq!(words[3], global | flag(8), "{name}");
            assert_eq!(words[4], local | flag(16), "{name}");
            assert_eq!(words[5], private, "{name}");
            assert_eq!(words[6], 1, "{name}");
        }
    }
}

/// The value of an element, as `int4` and the element types of images tell it: a test of both ways.
#[test]
fn a_kernel_writes_the_numbers_that_an_image_then_has() {
    for (name, case) in cases("image/write", 60) {
        let launch = launch(&case);
        let [image, numbers, _] = objects(launch)[..] else {
            panic!("{name}: an image and two buffers")
        };
        let crate::kernels::case::Kind::Image(own) = case.objects[image.index()].kind else {
            panic!("{name}: an image")
        };
        let size = own.shape.size().map(|n| n as u64);
        assert_eq!(launch.range.global, size, "{name}");
        // Floats are given by their bits, of which some are infinities and NaNs.
        if case.source.contains("as_float4(numbers[n])") {
            continue;
        }
        let mut numbers = words(&first(&case, numbers));
        if case.source.contains("/ 8.0f") {
            // Eighths of what a channel keeps, of which the nearest whole is kept.
            for number in &mut numbers {
                *number = (*number as i32 + 4).div_euclid(8) as u32;
            }
        }
        let former = first(&case, image);
        let every = number(&case.source, "if (n % ");
        let rest = number(&case.source, &format!("if (n % {every}u == "));
        let mut bytes = Vec::new();
        for (n, element) in numbers.chunks_exact(4).enumerate() {
            let kept = &former[n * own.format.bytes()..][..own.format.bytes()];
            match n as u64 % every == rest {
                true => bytes.extend(encoded(&case, own.format, element, &name)),
                false => bytes.extend(kept),
            }
        }
        assert_eq!(wanted(&case, image), bytes, "{name}");
    }
}

/// The bytes of an element of four whole numbers.
fn encoded(
    _case: &KernelCase,
    format: crate::kernels::image::Format,
    numbers: &[u32],
    name: &str,
) -> Vec<u8> {
    use crate::kernels::image::{Channel, Order};
    // The places of red, green, blue and alpha, one after the other in memory.
    let order: &[usize] = match format.order {
        Order::R | Order::Depth => &[0],
        Order::Rg => &[0, 1],
        Order::Rgba => &[0, 1, 2, 3],
        Order::Bgra => &[2, 1, 0, 3],
        Order::A => &[3],
        Order::Ra => &[0, 3],
        Order::Argb => &[3, 0, 1, 2],
        Order::Abgr => &[3, 2, 1, 0],
        Order::Luminance | Order::Intensity => &[0],
        Order::Srgba => panic!("{name}: writes of sRGBA are an extension"),
    };
    let mut bytes = Vec::new();
    for channel in order {
        let number = i64::from(numbers[*channel].cast_signed());
        let unsigned = i64::from(numbers[*channel]);
        let (low, high) = match format.channel {
            Channel::Unorm8 | Channel::Unsigned8 => (0, 0xff),
            Channel::Unorm16 | Channel::Unsigned16 => (0, 0xffff),
            Channel::Snorm8 => (-127, 127),
            Channel::Signed8 => (-128, 127),
            Channel::Snorm16 => (-32767, 32767),
            Channel::Signed16 => (-32768, 32767),
            Channel::Signed32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Channel::Unsigned32 => (0, i64::from(u32::MAX)),
            Channel::Half => (-2048, 2048),
            Channel::Float => (-16_777_216, 16_777_216),
        };
        let value = if matches!(
            format.channel,
            Channel::Unsigned8 | Channel::Unsigned16 | Channel::Unsigned32
        ) {
            unsigned
        } else {
            number
        };
        // Fractions and integers of few bits saturate; of the others none is beyond.
        let few = !matches!(
            format.channel,
            Channel::Signed32 | Channel::Unsigned32 | Channel::Half | Channel::Float
        );
        assert!(few || (low..=high).contains(&value), "{name}: {value}");
        let value = value.clamp(low, high);
        match format.channel {
            Channel::Unorm8 | Channel::Unsigned8 => bytes.push(value as u8),
            Channel::Snorm8 | Channel::Signed8 => bytes.push((value as i8).cast_unsigned()),
            Channel::Unorm16 | Channel::Unsigned16 => bytes.extend((value as u16).to_le_bytes()),
            Channel::Snorm16 | Channel::Signed16 => bytes.extend((value as i16).to_le_bytes()),
            Channel::Signed32 => bytes.extend((value as i32).to_le_bytes()),
            Channel::Unsigned32 => bytes.extend((value as u32).to_le_bytes()),
            Channel::Float => bytes.extend((value as f32).to_le_bytes()),
            Channel::Half => bytes.extend(half_of((value as f32).to_bits()).to_le_bytes()),
        }
    }
    bytes
}

/// A float that is a whole number of at most eleven bits, as a half: the same sign, the exponent with
/// another bias, and the upper bits of the fraction.
fn half_of(bits: u32) -> u16 {
    let (sign, rest) = (bits >> 31, bits & 0x7fff_ffff);
    if rest == 0 {
        return (sign << 15) as u16;
    }
    let exponent = (rest >> 23) - 127 + 15;
    assert_eq!(rest & 0x1fff, 0, "it is a half");
    (sign << 15 | exponent << 10 | (rest >> 13 & 0x3ff)) as u16
}
