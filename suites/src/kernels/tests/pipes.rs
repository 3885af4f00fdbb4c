//! Pipes: queues of packets that know how many they hold.

use super::{cases, number, objects, uints, wanted_words, wants};
use crate::kernels::case::{KernelCase, Kind, Permutation, Want};

/// The packets that the only pipe of a case holds, and the bytes of one.
fn pipe(case: &KernelCase) -> (u32, u32) {
    let mut pipes = case.objects.iter().filter_map(|object| match object.kind {
        Kind::Pipe { packet, packets } => Some((packets, packet)),
        _ => None,
    });
    let one = pipes.next().expect("a pipe");
    assert_eq!(pipes.next(), None, "one pipe");
    one
}

/// Plays writers and readers of one work-item each; the most packets that the pipe ever took, how often
/// writers found it full, and readers empty.
fn play(name: &str, case: &KernelCase) -> (u32, u32, u32) {
    let (room, _) = pipe(case);
    let mut held = std::collections::VecDeque::new();
    let (mut written, mut full, mut empty) = (0, 0, 0);
    for (_, launch) in case.launches() {
        let [first, tries, able] = uints(launch)[..] else {
            panic!("{name}: three numbers")
        };
        let mut done = 0;
        for n in 0..tries {
            match launch.kernel.as_str() {
                "put" if held.len() < room as usize => {
                    held.push_back(first + n);
                    written += 1;
                    done += 1;
                }
                "put" => full += 1,
                "take" => match held.pop_front() {
                    Some(packet) => {
                        assert_eq!(packet, first + n, "{name}: in order");
                        done += 1;
                    }
                    None => empty += 1,
                },
                other => panic!("{name}: no kernel {other}"),
            }
        }
        assert_eq!(done, tries.min(able), "{name}: what the kernel is told");
        assert_eq!(wanted_words(case, objects(launch)[1]), [0], "{name}");
    }
    (written, full, empty)
}

#[test]
fn pipes_that_are_used_once_have_room_for_all() {
    for (name, case) in cases("pipe/order", 60) {
        let (written, full, empty) = play(&name, &case);
        assert_eq!((full, empty), (0, 0), "{name}");
        assert!(written <= pipe(&case).0, "{name}");
    }
}

#[test]
fn pipes_that_are_used_again_take_more_than_they_hold() {
    let mut more = 0;
    for (name, case) in cases("pipe/again", 60) {
        let (written, full, empty) = play(&name, &case);
        assert_eq!((full, empty), (0, 0), "{name}");
        more += u32::from(written > pipe(&case).0);
    }
    assert!(more > 5, "{more}");
}

#[test]
fn pipes_are_found_full_and_empty() {
    let mut found = (0, 0);
    for (name, case) in cases("pipe/limits", 60) {
        let (_, full, empty) = play(&name, &case);
        found.0 += u32::from(full > 0);
        found.1 += u32::from(empty > 0);
    }
    assert!(found.0 > 5 && found.1 > 5, "{found:?}");
}

#[test]
fn packets_beside_a_reservation_are_no_more_than_there_is_room() {
    let (mut beyond, mut beside) = (0, 0);
    for (name, case) in cases("pipe/held", 60) {
        let (room, _) = pipe(&case);
        let mut inside = 0;
        for (_, launch) in case.launches() {
            let numbers = uints(launch);
            let [.., held, tries, able] = numbers[..] else {
                panic!("{name}: {numbers:?}");
            };
            let moved = held + tries.min(able);
            let wanted = if launch.kernel == "put" {
                room - inside
            } else {
                inside
            };
            assert_eq!(held + able, wanted, "{name}: what there is");
            assert!(held > 0, "{name}");
            inside = match launch.kernel.as_str() {
                "put" => inside + moved,
                _ => inside - moved,
            };
            beyond += u32::from(tries > able);
            beside += u32::from(able > 0 && tries > 0);
        }
        assert_eq!(inside, 0, "{name}: all are read");
    }
    assert!(beyond > 20 && beside > 20, "{beyond} {beside}");
}

#[test]
fn packets_have_the_bytes_of_their_types() {
    for kind in ["pipe/order", "pipe/again", "pipe/limits"] {
        for (name, case) in cases(kind, 40) {
            let (room, packet) = pipe(&case);
            let ty = super::between(&case.source, "write_only pipe ", " p");
            let scalar = ty.trim_end_matches(|c: char| c.is_ascii_digit());
            let lanes: u32 = ty[scalar.len()..].parse().unwrap_or(1);
            // A vector of three takes the place of four.
            let lanes = if lanes == 3 { 4 } else { lanes };
            let bytes = match scalar {
                "small" => 3,
                "odd" => 10,
                "long_one" => 4 * 67,
                "uchar" | "char" => 1,
                "short" => 2,
                "uint" | "int" | "float" => 4,
                "ulong" => 8,
                // uint, ulong and five bytes, as they are aligned.
                "thing" => 24,
                other => panic!("{name}: {other}"),
            };
            assert_eq!(packet, lanes * bytes, "{name}: {ty}");
            assert_eq!(
                number(&case.source, "get_pipe_max_packets(p) != "),
                u64::from(room)
            );
        }
    }
}

#[test]
fn crowds_write_no_more_than_there_is_room() {
    for (name, case) in cases("pipe/crowd", 40) {
        let each = number(&case.source, "i < ") as u32;
        let mut held = 0;
        for (_, launch) in case.launches() {
            let packets = launch.range.items() as u32 * each;
            match launch.kernel.as_str() {
                "put" => held += packets,
                _ => held -= packets,
            }
            assert!(held <= pipe(&case).0, "{name}");
        }
        assert_eq!(held, 0, "{name}: all are read");
        for (_, want) in wants(&case) {
            if let Want::Permutation(Permutation {
                count, first, step, ..
            }) = want
            {
                let launch = case.launches().next().expect("a launch").1;
                assert_eq!(*count, launch.range.items() * u64::from(each), "{name}");
                assert_eq!((*first, *step), (0, 1), "{name}");
            }
        }
    }
}

#[test]
fn reservations_fill_the_pipe_and_empty_it() {
    for kind in ["pipe/reserve", "pipe/reserve-again", "pipe/sub-group"] {
        for (name, case) in cases(kind, 40) {
            let (room, packet) = pipe(&case);
            let more = number(&case.source, "#define MORE ") as u32;
            assert_eq!(packet, 8 + 4 * more, "{name}: two words and more");
            let put = case.source.find("kernel void put").expect("a writer");
            let each = number(&case.source[put..], "for (uint i = ") as u32;
            let chunk = number(&case.source, "at += ") as u32;
            // So many more than fit are refused.
            let refused = "is_valid_reserve_id(reserve_write_pipe(p, ";
            let room = room + 1 - number(&case.source, refused) as u32;
            let mut held = 0;
            for (_, launch) in case.launches() {
                let items = launch.range.items() as u32;
                match launch.kernel.as_str() {
                    "put" => held += items * each,
                    "full" => assert_eq!(held, room, "{name}"),
                    "take" => {
                        assert_eq!(items % chunk, 0, "{name}: one work-item for each packet");
                        let share = number(&case.source, "begin = (uint)get_group_id(0) * ") as u32;
                        assert_eq!(items / chunk * share, room, "{name}: all are read");
                        assert_eq!(launch.range.group(), u64::from(chunk), "{name}");
                        assert_eq!(room % chunk, 0, "{name}: whole reservations");
                        held -= room;
                    }
                    "few" => assert_eq!(uints(launch), [held], "{name}"),
                    "look" => assert_eq!(items, 1, "{name}"),
                    other => panic!("{name}: no kernel {other}"),
                }
            }
            // The order of what stands together is told by 16 bits.
            let packets = case.launches().next().expect("a launch").1.range.group();
            assert!(packets * u64::from(each) < 1 << 16, "{name}");
        }
    }
}
