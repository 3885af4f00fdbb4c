//! Cases that leave their objects, each in one way: none is valid, and each was before it was changed.

use super::super::valid::valid;
use crate::host::Slot;
use crate::host::exchange::{Base, Cell, Num, Operation, Order, Reg};
use crate::kernels::case::{
    Arg, Contents, Ids, KernelCase, Kind, Launch, Object, Permutation, Range, Step, Unit, Want,
};
use crate::kernels::image::{Channel, Format, Image, Order as Channels, Shape, Spot};
use crate::kernels::transfer::{Bytes, Corner, Move, Pattern, Region, Transfer};

const BUFFER: Slot = Slot(0);
const PART: Slot = Slot(1);
const HOST: Slot = Slot(2);
const FINE: Slot = Slot(3);
const IMAGE: Slot = Slot(4);
const PIPE: Slot = Slot(5);

fn object(kind: Kind, bytes: usize) -> Object {
    Object {
        kind,
        bytes,
        contents: Contents::Zero,
        alloc_host: false,
        over: None,
        apart: None,
    }
}

/// An image of 4 by 3 elements of four bytes.
fn image() -> Image {
    Image {
        shape: Shape::Plane(4, 3),
        format: Format {
            order: Channels::Rgba,
            channel: Channel::Unsigned8,
        },
    }
}

/// One object of each kind, and one launch.
fn case() -> KernelCase {
    let launch = Launch::new("k", vec![Arg::Object(BUFFER)], Range::line(4, 2));
    KernelCase {
        about: "one object of each kind".into(),
        source: "kernel void k(global uint *p) { }\n".into(),
        objects: vec![
            object(Kind::Buffer, 64),
            object(
                Kind::SubBuffer {
                    of: BUFFER,
                    origin: 32,
                },
                16,
            ),
            object(Kind::Host, 64),
            object(Kind::SvmFine, 64),
            object(Kind::Image(image()), 48),
            object(
                Kind::Pipe {
                    packet: 4,
                    packets: 2,
                },
                8,
            ),
        ],
        steps: vec![Step::Launch(launch)],
        ..KernelCase::default()
    }
}

/// What a case with this step in addition is refused for; nothing where it is valid.
fn with(step: Step) -> Option<String> {
    let mut case = case();
    case.steps.push(step);
    valid(&case).err()
}

/// What a case is refused for that was changed in one way.
fn changed(change: impl Fn(&mut KernelCase)) -> Option<String> {
    let mut case = case();
    assert_eq!(valid(&case), Ok(()), "it is valid before");
    change(&mut case);
    valid(&case).err()
}

fn leaves(step: usize) -> Option<String> {
    Some(format!("step {step} leaves its objects"))
}

fn moved(what: Transfer, code: i32) -> Step {
    Step::Move(Move {
        what,
        blocking: false,
        code,
        rules: Vec::new(),
    })
}

fn look(object: Slot, want: Want) -> Step {
    Step::Look {
        object,
        rules: vec![crate::rule::RG_TRANSFER],
        name: "it".into(),
        want,
        even_so: false,
    }
}

#[test]
fn objects_have_bytes_but_not_too_many() {
    let says = |bytes: usize| Some(format!("object 0 has {bytes} bytes"));
    for bytes in [0, (1 << 28) + 1, usize::MAX] {
        assert_eq!(changed(|case| case.objects[0].bytes = bytes), says(bytes));
    }
    assert_eq!(changed(|case| case.objects[2].bytes = 1 << 28), None);
}

#[test]
fn parts_lie_in_a_buffer_before_them() {
    let says = || Some("object 1 is no part of a buffer before it".to_string());
    let part = |of: Slot, origin: usize, bytes: usize| {
        changed(|case| case.objects[1] = object(Kind::SubBuffer { of, origin }, bytes))
    };
    assert_eq!(part(BUFFER, 48, 16), None);
    assert_eq!(part(BUFFER, 49, 16), says());
    assert_eq!(part(BUFFER, usize::MAX, 16), says());
    assert_eq!(part(PART, 0, 16), says(), "of itself");
    assert_eq!(part(HOST, 0, 16), says(), "of what comes later");
    let of_part = changed(|case| {
        case.objects[2] = object(
            Kind::SubBuffer {
                of: PART,
                origin: 0,
            },
            8,
        );
    });
    assert_eq!(
        of_part,
        Some("object 2 is no part of a buffer before it".into())
    );
}

#[test]
fn images_and_pipes_have_the_bytes_of_their_elements() {
    for (n, right) in [(4, 48), (5, 8)] {
        for bytes in [right - 1, right + 1] {
            let says = format!("object {n} does not have the bytes of its elements");
            assert_eq!(changed(|case| case.objects[n].bytes = bytes), Some(says));
        }
    }
    let huge = changed(|case| {
        let kind = Kind::Pipe {
            packet: u32::MAX,
            packets: u32::MAX,
        };
        case.objects[5] = object(kind, 8);
    });
    assert!(huge.is_some());
}

#[test]
fn the_word_of_those_who_give_up_lies_in_an_object() {
    let quit = |object: Slot, byte: usize| changed(|case| case.quit = Some(object.at(byte)));
    let says = Some("the word of those who give up is in no object".to_string());
    assert_eq!(quit(FINE, 60), None);
    assert_eq!(quit(FINE, 61), says);
    assert_eq!(quit(Slot(6), 0), says);
    assert_eq!(quit(FINE, usize::MAX), says);
}

#[test]
fn launches_keep_to_what_there_is() {
    let launch = |change: &dyn Fn(&mut Launch)| {
        let mut launch = Launch::new("k", vec![Arg::Object(BUFFER)], Range::line(4, 2));
        change(&mut launch);
        with(Step::Launch(launch))
    };
    let right: [&dyn Fn(&mut Launch); 6] = [
        &|_| {},
        &|l| l.after = vec![0],
        &|l| l.args = vec![Arg::Pointer(FINE.at(64)), Arg::Local(4)],
        &|l| l.range.global = vec![1 << 40],
        &|l| l.reaches = vec![FINE, HOST],
        &|l| {
            l.range = Range {
                offset: None,
                global: vec![1, 2, 3],
                local: None,
            }
        },
    ];
    for (n, change) in right.into_iter().enumerate() {
        assert_eq!(launch(change), None, "{n}");
    }
    let wrong: [&dyn Fn(&mut Launch); 13] = [
        &|l| l.args = vec![Arg::Object(Slot(6))],
        &|l| l.args = vec![Arg::Pointer(FINE.at(65))],
        &|l| l.args = vec![Arg::Pointer(BUFFER.at(0))],
        &|l| l.args = vec![Arg::Queue(0)],
        &|l| l.queue = 1,
        &|l| l.after = vec![1],
        &|l| l.after = vec![7],
        &|l| l.reaches = vec![BUFFER],
        &|l| (l.reaches, l.reaches_at) = (vec![FINE], 64),
        &|l| l.range.global = vec![],
        &|l| l.range.global = vec![1, 1, 1, 1],
        &|l| l.range.local = Some(vec![1, 1]),
        &|l| l.range.offset = Some(vec![]),
    ];
    for (n, change) in wrong.into_iter().enumerate() {
        assert_eq!(launch(change), leaves(1), "{n}");
    }
}

#[test]
fn launches_wait_for_launches_that_succeed() {
    let refused = changed(|case| {
        let Step::Launch(first) = case.steps[0].clone() else {
            panic!("a launch")
        };
        let mut failing = first.clone();
        failing.code = -54;
        let mut after = first;
        after.after = vec![1];
        case.steps
            .extend([Step::Launch(failing), Step::Launch(after)]);
    });
    assert_eq!(refused, leaves(2));
}

#[test]
fn transfers_of_bytes_stay_in_their_objects() {
    let copy = |from, to, bytes| Transfer::SvmCopy(Bytes { from, to, bytes });
    assert_eq!(with(moved(copy(HOST.at(60), FINE.at(60), 4), 0)), None);
    assert_eq!(with(moved(copy(HOST.at(61), FINE.at(0), 4), 0)), leaves(1));
    assert_eq!(with(moved(copy(HOST.at(0), FINE.at(61), 4), 0)), leaves(1));
    assert_eq!(
        with(moved(copy(HOST.at(usize::MAX), FINE.at(0), 4), 0)),
        leaves(1)
    );
    let fill = |to, bytes| {
        Transfer::Fill(Pattern {
            pattern: vec![1],
            to,
            bytes,
        })
    };
    assert_eq!(with(moved(fill(PART.at(0), 16), 0)), None);
    assert_eq!(with(moved(fill(PART.at(0), 17), 0)), leaves(1));
}

#[test]
fn a_refused_call_may_speak_of_bytes_that_a_buffer_lacks_but_the_host_has() {
    let read = |from, to| {
        let bytes = 8;
        moved(Transfer::Read(Bytes { from, to, bytes }), -30)
    };
    assert_eq!(with(read(BUFFER.at(60), HOST.at(0))), None);
    assert_eq!(with(read(BUFFER.at(60), HOST.at(60))), leaves(1));
    assert_eq!(with(read(Slot(9).at(0), HOST.at(0))), leaves(1));
}

fn corner(object: Slot, origin: [usize; 3], row: usize, slice: usize) -> Corner {
    Corner {
        object,
        origin,
        row,
        slice,
    }
}

#[test]
fn rectangles_stay_in_their_objects_to_their_last_row() {
    let rect = |from: Corner, region| {
        let to = corner(HOST, [0; 3], 0, 0);
        with(moved(Transfer::ReadRect(Region { from, to, region }), 0))
    };
    // Three rows of 4 bytes, 16 apart, from byte 28 on: the last ends at 64.
    let last = corner(BUFFER, [12, 1, 0], 16, 0);
    assert_eq!(rect(last, [4, 3, 1]), None);
    assert_eq!(
        rect(corner(BUFFER, [13, 1, 0], 16, 0), [4, 3, 1]),
        leaves(1)
    );
    assert_eq!(
        rect(corner(BUFFER, [12, 2, 0], 16, 0), [4, 3, 1]),
        leaves(1)
    );
    assert_eq!(rect(corner(BUFFER, [0; 3], 16, 32), [4, 2, 2]), None);
    assert_eq!(rect(corner(BUFFER, [0; 3], 16, 48), [4, 2, 2]), leaves(1));
    assert_eq!(
        rect(corner(BUFFER, [0; 3], usize::MAX, 0), [4, 2, 1]),
        leaves(1)
    );
}

#[test]
fn regions_of_images_stay_in_them() {
    let at = |x, y| Spot {
        object: IMAGE,
        origin: [x, y, 0],
    };
    let fill = |to, region| {
        let colour = [1; 4];
        with(moved(Transfer::FillImage { colour, to, region }, 0))
    };
    assert_eq!(fill(at(1, 1), [3, 2, 1]), None);
    for (to, region) in [
        (at(2, 1), [3, 2, 1]),
        (at(1, 2), [3, 2, 1]),
        (at(0, 0), [4, 3, 2]),
        (at(0, 0), [0, 1, 1]),
        (at(usize::MAX, 0), [1, 1, 1]),
    ] {
        assert_eq!(fill(to, region), leaves(1), "{region:?}");
    }
    let buffer = Spot {
        object: BUFFER,
        origin: [0; 3],
    };
    assert_eq!(fill(buffer, [1, 1, 1]), leaves(1), "no image");
}

#[test]
fn what_is_beside_an_image_is_memory_of_the_right_kind() {
    let from = Spot {
        object: IMAGE,
        origin: [0; 3],
    };
    let region = [4, 3, 1];
    let to_buffer = |to| {
        with(moved(
            Transfer::CopyImageToBuffer(Region { from, to, region }),
            0,
        ))
    };
    assert_eq!(to_buffer(BUFFER.at(16)), None);
    assert_eq!(to_buffer(BUFFER.at(17)), leaves(1));
    assert_eq!(to_buffer(HOST.at(0)), leaves(1));
    assert_eq!(to_buffer(FINE.at(0)), leaves(1));
    assert_eq!(to_buffer(IMAGE.at(0)), leaves(1));
    let to_host = |to| with(moved(Transfer::ReadImage(Region { from, to, region }), 0));
    assert_eq!(to_host(corner(HOST, [16, 0, 0], 0, 0)), None);
    assert_eq!(to_host(corner(HOST, [17, 0, 0], 0, 0)), leaves(1));
    assert_eq!(to_host(corner(HOST, [0, 0, 0], 25, 0)), leaves(1));
    assert_eq!(to_host(corner(BUFFER, [0, 0, 0], 0, 0)), leaves(1));
}

#[test]
fn images_are_copied_to_images_of_the_same_format() {
    let copy = |channel| {
        changed(|case| {
            let mut other = image();
            other.format.channel = channel;
            case.objects.push(object(Kind::Image(other), other.bytes()));
            let spot = |object| Spot {
                object,
                origin: [0; 3],
            };
            let region = [2, 2, 1];
            let (from, to) = (spot(IMAGE), spot(Slot(6)));
            let what = Transfer::CopyImage(Region { from, to, region });
            case.steps.push(moved(what, 0));
        })
    };
    assert_eq!(copy(Channel::Unsigned8), None);
    assert_eq!(copy(Channel::Signed8), leaves(1));
    assert_eq!(copy(Channel::Unsigned16), leaves(1));
}

#[test]
fn the_host_writes_where_it_has_addresses() {
    let host = |at, bytes| {
        let contents = Contents::Every(1);
        with(Step::Host {
            at,
            bytes,
            contents,
        })
    };
    assert_eq!(host(FINE.at(60), 4), None);
    assert_eq!(host(FINE.at(61), 4), leaves(1));
    assert_eq!(host(BUFFER.at(0), 4), leaves(1));
    let point = |at, to| with(Step::Point { at, to });
    assert_eq!(point(FINE.at(56), None), None);
    assert_eq!(point(FINE.at(57), None), leaves(1));
    assert_eq!(point(FINE.at(0), Some(HOST.at(64))), None);
    assert_eq!(point(FINE.at(0), Some(HOST.at(65))), leaves(1));
    assert_eq!(point(FINE.at(0), Some(BUFFER.at(0))), leaves(1));
}

#[test]
fn the_host_takes_part_in_memory_that_is_open_to_it() {
    let talk = |operation: Operation| {
        let rules = Vec::new();
        with(Step::Talk {
            acts: vec![operation],
            rules,
        })
    };
    let cell = |object: Slot| Cell {
        base: Base::At(object.at(0), Num::of(0)),
        unit: Unit::Word,
    };
    let load = |reg, object| Operation::Load(Reg(reg), cell(object), Order::Relaxed);
    assert_eq!(talk(load(15, FINE)), None);
    assert_eq!(talk(load(15, HOST)), None);
    assert_eq!(talk(load(16, FINE)), leaves(1), "no register");
    assert_eq!(talk(load(0, BUFFER)), leaves(1), "no memory of the host");
    let deep = Operation::Repeat(Num::of(2), Reg(1), vec![load(16, FINE)]);
    assert_eq!(talk(deep), leaves(1), "inside of a repetition");
    let factor = Operation::Put(Reg(0), Num::of(1).and(Reg(99), 2));
    assert_eq!(talk(factor), leaves(1), "in a number");
}

#[test]
fn looks_are_at_bytes_that_there_are() {
    assert_eq!(with(look(BUFFER, Want::AsMoved)), None);
    assert_eq!(with(look(Slot(6), Want::AsMoved)), leaves(1));
    assert_eq!(
        with(look(PIPE, Want::zeros())),
        leaves(1),
        "nothing sees a pipe"
    );
    let permutation = |count, step| {
        let (unit, first) = (Unit::Long, 0);
        let values = Permutation {
            unit,
            count,
            first,
            step,
        };
        with(look(BUFFER, Want::Permutation(values)))
    };
    assert_eq!(permutation(8, 1), None);
    assert_eq!(permutation(9, 1), leaves(1));
    assert_eq!(permutation(u64::MAX, 1), leaves(1));
    assert_eq!(permutation(8, 0), leaves(1));
    let ids = |times, global| {
        let range = Range {
            offset: None,
            global,
            local: None,
        };
        let uniform = false;
        with(look(
            BUFFER,
            Want::Ids(Ids {
                range,
                uniform,
                times,
            }),
        ))
    };
    assert_eq!(ids(1, vec![1]), None);
    assert_eq!(ids(0, vec![1]), leaves(1));
    assert_eq!(ids(1, vec![]), leaves(1));
    let pointers = |at, to| with(look(FINE, Want::Pointers(vec![(at, to)])));
    assert_eq!(pointers(56, Some(HOST.at(0))), None);
    assert_eq!(pointers(57, None), leaves(1));
    assert_eq!(pointers(0, Some(BUFFER.at(0))), leaves(1));
}

#[test]
fn what_the_host_asked_of_sub_groups_was_asked_before() {
    let ask = |local: Vec<u64>| Step::AskSubGroups {
        kernel: "k".into(),
        local,
    };
    assert_eq!(with(ask(vec![2, 2, 2])), None);
    assert_eq!(with(ask(vec![])), leaves(1));
    assert_eq!(with(ask(vec![1; 4])), leaves(1));
    let answered = |asked, groups: Vec<u32>| {
        changed(|case| {
            let groups = groups.clone();
            let want = Want::SubGroups { asked, groups };
            case.steps.extend([ask(vec![2]), look(BUFFER, want)]);
        })
    };
    assert_eq!(answered(1, vec![1, 1]), None);
    assert_eq!(answered(0, vec![1, 1]), leaves(2), "a launch");
    assert_eq!(answered(2, vec![1, 1]), leaves(2), "itself");
    assert_eq!(answered(1, vec![2, 1]), leaves(2), "too many records");
}

#[test]
fn further_units_without_a_source() {
    let with_source = KernelCase {
        source: "void f(void) { }\n".into(),
        units: vec!["void g(void) { }\n".into()],
        ..case()
    };
    assert_eq!(valid(&with_source), Ok(()));
    let alone = KernelCase {
        source: String::new(),
        ..with_source
    };
    assert!(valid(&alone).is_err());
}
