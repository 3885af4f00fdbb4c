//! Pipes: packets that kernels write and later kernels read.
//!
//! Writers and readers are kernels behind each other in a queue, so that what is in a pipe is known
//! whenever one begins: how many packets fit, how many come, and in which order where the
//! specification says so.

use super::builder::{CaseBuilder, object, same};
use crate::choices::Choices;
use crate::kernels::case::{
    Arg, Contents, KernelCase, Kind, Launch, ObjectId, Range, Step, Unit, Want,
};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write as _;

/// A type of packets: its declaration, name, bytes, and what makes one of a number `x`.
struct Packet {
    declares: &'static str,
    name: &'static str,
    bytes: u32,
    make: &'static str,
    /// Whether two are the same.
    equal: &'static str,
}

const PACKETS: &[Packet] = &[
    Packet {
        declares: "",
        name: "uchar",
        bytes: 1,
        make: "(uchar)(x * 7u + 1u)",
        equal: "a == b",
    },
    Packet {
        declares: "",
        name: "short",
        bytes: 2,
        make: "(short)(x * 77u + 1u)",
        equal: "a == b",
    },
    Packet {
        declares: "",
        name: "uint",
        bytes: 4,
        make: "x * 2654435761u + 1u",
        equal: "a == b",
    },
    Packet {
        declares: "",
        name: "ulong",
        bytes: 8,
        make: "(ulong)x * 0x9e3779b97f4a7c15ul + 1ul",
        equal: "a == b",
    },
    Packet {
        declares: "",
        name: "float",
        bytes: 4,
        make: "(float)(x + 1u)",
        equal: "a == b",
    },
    Packet {
        declares: "",
        name: "uchar4",
        bytes: 4,
        make: "(uchar4)((uchar)x, (uchar)(x + 1u), (uchar)(x * 3u), 9)",
        equal: "all(a == b)",
    },
    Packet {
        declares: "",
        name: "int4",
        bytes: 16,
        make: "(int4)((int)x, (int)x + 1, -(int)x, 77)",
        equal: "all(a == b)",
    },
    Packet {
        declares: "",
        name: "ulong2",
        bytes: 16,
        make: "(ulong2)(x, ~(ulong)x)",
        equal: "all(a == b)",
    },
    Packet {
        declares: "",
        name: "uint16",
        bytes: 64,
        make: "(uint16)(x, x + 1u, x + 2u, x + 3u, x, x, x, x, x * 5u, x, x, x, x, x, x, x ^ 255u)",
        equal: "all(a == b)",
    },
    Packet {
        declares: "typedef struct { uint a; ulong b; uchar c[5]; } thing;
thing thing_of(uint x) { thing t = { x, (ulong)x << 32 | 5u, { (uchar)x, 1, 2, 3, (uchar)(x >> 8) } }; return t; }
",
        name: "thing",
        bytes: 24,
        make: "thing_of(x)",
        equal: "a.a == b.a && a.b == b.b && a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[4] == b.c[4]",
    },
];

fn launch(kernel: &str, args: Vec<Arg>, range: Range) -> Step {
    Step::Launch(Launch {
        kernel: kernel.into(),
        args,
        range,
        times: 1,
        ..Launch::default()
    })
}

fn pipe(case: &mut CaseBuilder, packet: u32, packets: u32) -> ObjectId {
    case.need(&[Need::Pipes]);
    let bytes = (packet * packets) as usize;
    case.object(Kind::Pipe { packet, packets }, bytes, Contents::Zero)
}

/// What a writer and a reader do with a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// They never write more packets than there is room, all together.
    Once,
    /// Packets take the places of those that were read.
    Again,
    /// Writers find it full, too, and readers empty.
    Beyond,
}

/// One work-item writes and one reads: packets come in order.
pub fn order(choices: &mut Choices) -> KernelCase {
    one_by_one(choices, Use::Once)
}

/// The same with more packets, one after the other, than there is room.
pub fn again(choices: &mut Choices) -> KernelCase {
    one_by_one(choices, Use::Again)
}

/// The same where writers find the pipe full, and readers find it empty: no more fit than there is
/// room, no more come than were written, and what fails changes nothing.
pub fn limits(choices: &mut Choices) -> KernelCase {
    one_by_one(choices, Use::Beyond)
}

fn one_by_one(choices: &mut Choices, how: Use) -> KernelCase {
    let packet = &PACKETS[choices.below(PACKETS.len())];
    let mut case = CaseBuilder::new(format!(
        "packets of {} in order{}",
        packet.name,
        match how {
            Use::Once => "",
            Use::Again => ", in places that were read",
            Use::Beyond => ", full and empty",
        }
    ));
    let room = choices.pick(&[1u32, 2, 5, 16, 61]).unwrap_or(5);
    let Packet {
        declares,
        name,
        make,
        equal,
        bytes,
    } = packet;
    case.case.source = format!(
        "\
{declares}{name} make(uint x) {{ return {make}; }}
int equal({name} a, {name} b) {{ return {equal}; }}
kernel void put(write_only pipe {name} p, global uint *told, uint first, uint tries, uint fit) {{
    uint wrong = get_pipe_max_packets(p) != {room}u;
    for (uint i = 0; i < tries; i++) {{
        {name} v = make(first + i);
        int code = write_pipe(p, &v);
        wrong += i < fit ? code != 0 : code >= 0;
    }}
    *told = wrong;
}}
kernel void take(read_only pipe {name} p, global uint *told, uint first, uint tries, uint come) {{
    uint wrong = get_pipe_num_packets(p) < min(come, tries);
    for (uint i = 0; i < tries; i++) {{
        {name} v;
        int code = read_pipe(p, &v);
        if (i < come) wrong += code != 0 || !equal(v, make(first + i));
        else wrong += code >= 0;
    }}
    *told = wrong;
}}
"
    );
    let p = pipe(&mut case, *bytes, room);
    let (mut written, mut read) = (0u32, 0u32);
    for _ in 0..choices.between(2, 6) {
        let told = case.object(Kind::Buffer, 4, Contents::Every(u32::MAX));
        let put = choices.percent(50);
        let inside = written - read;
        let able = match (put, how) {
            (true, Use::Once) => room - written,
            (true, Use::Again | Use::Beyond) => room - inside,
            (false, _) => inside,
        };
        let tries = match choices.below(3) {
            0 => able,
            1 if how == Use::Beyond => able + choices.between(1, 3) as u32,
            _ => choices.below(able as usize + 1) as u32,
        };
        let first = if put { written } else { read };
        let args = vec![
            object(p),
            object(told),
            Arg::Uint(first),
            Arg::Uint(tries),
            Arg::Uint(able),
        ];
        let (kernel, text) = if put {
            written += tries.min(able);
            ("put", "packets that were not taken as they should")
        } else {
            read += tries.min(able);
            ("take", "packets that did not come as they should")
        };
        case.step(launch(kernel, args, Range::line(1, 1)));
        case.look(
            told,
            &[rule::RG_PIPE],
            text,
            same(Unit::Word, Contents::Zero),
        );
    }
    case.case
}

/// Many work-items write, and many read: every packet comes once.
pub fn crowd(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("many work-items write packets, and many read them");
    let group = choices.pick(&[1u32, 4, 16, 64]).unwrap_or(16);
    let groups = choices.between(1, 8) as u32;
    let each = choices.between(1, 4) as u32;
    let items = group * groups;
    let packets = items * each;
    let rounds = choices.between(1, 3) as u32;
    // Room for all that is ever written.
    let room = packets * rounds + choices.below(20) as u32;
    case.case.source = format!(
        "\
kernel void put(write_only pipe uint p, global uint *told) {{
    uint me = (uint)get_global_id(0), wrong = 0;
    for (uint i = 0; i < {each}u; i++) {{
        uint v = me * {each}u + i;
        wrong += write_pipe(p, &v) != 0;
    }}
    told[me] = wrong;
}}
kernel void take(read_only pipe uint p, global uint *told, global uint *out) {{
    uint me = (uint)get_global_id(0), wrong = 0;
    for (uint i = 0; i < {each}u; i++) {{
        uint v = 0;
        wrong += read_pipe(p, &v) != 0;
        out[me * {each}u + i] = v;
    }}
    told[me] = wrong;
}}
"
    );
    let p = pipe(&mut case, 4, room);
    let range = Range::line(u64::from(items), u64::from(group));
    for _ in 0..rounds {
        let [put, took] = [0, 1]
            .map(|_| case.object(Kind::Buffer, 4 * items as usize, Contents::Every(u32::MAX)));
        let out = case.buffer(4 * packets as usize);
        case.step(launch("put", vec![object(p), object(put)], range.clone()));
        case.step(launch(
            "take",
            vec![object(p), object(took), object(out)],
            range.clone(),
        ));
        case.look(
            put,
            &[rule::RG_PIPE],
            "writes that failed",
            same(Unit::Word, Contents::Zero),
        );
        case.look(
            took,
            &[rule::RG_PIPE],
            "reads that failed",
            same(Unit::Word, Contents::Zero),
        );
        case.look(
            out,
            &[rule::RG_PIPE],
            "packets of a crowd",
            Want::Permutation {
                unit: Unit::Word,
                count: u64::from(packets),
                first: 0,
                step: 1,
            },
        );
    }
    case.case
}

/// Who reserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Item,
    Group,
    SubGroup,
}

impl Who {
    /// The beginning of the functions' names.
    fn prefix(self) -> &'static str {
        match self {
            Who::Item => "",
            Who::Group => "work_group_",
            Who::SubGroup => "sub_group_",
        }
    }
}

/// Reservations of work-items and work-groups: the packets of each stand together, in the order of
/// their indices.
pub fn reserve(choices: &mut Choices) -> KernelCase {
    let writer = choices.pick(&[Who::Item, Who::Group]).unwrap_or(Who::Item);
    reservations(choices, writer, 1)
}

/// The same in places that were read, around the end of the pipe's memory.
pub fn reserve_again(choices: &mut Choices) -> KernelCase {
    let writer = choices.pick(&[Who::Item, Who::Group]).unwrap_or(Who::Item);
    let passes = choices.between(2, 4) as u32;
    reservations(choices, writer, passes)
}

/// The same of sub-groups.
pub fn sub_group_reserve(choices: &mut Choices) -> KernelCase {
    reservations(choices, Who::SubGroup, 1)
}

fn reservations(choices: &mut Choices, writer: Who, passes: u32) -> KernelCase {
    let mut case = CaseBuilder::new("packets of reservations stand together");
    let reader = choices.pick(&[Who::Item, Who::Group]).unwrap_or(Who::Item);
    if writer == Who::SubGroup {
        case.need(&[Need::SubGroups]);
    }
    let group = choices.pick(&[1u32, 4, 7, 16, 32]).unwrap_or(16);
    let groups = choices.between(1, 5) as u32;
    let each = choices.between(1, 4) as u32;
    let items = group * groups;
    let packets = items * each;
    // The number of a reservation, its packets, and the first of a work-item in it.
    let (number, count, first) = match writer {
        Who::Item => ("me", format!("{each}u"), "0u".to_string()),
        Who::Group => (
            "(uint)get_group_id(0)",
            format!("(uint)get_local_size(0) * {each}u"),
            format!("(uint)get_local_id(0) * {each}u"),
        ),
        Who::SubGroup => (
            "(uint)get_group_id(0) * get_num_sub_groups() + get_sub_group_id()",
            format!("get_sub_group_size() * {each}u"),
            format!("get_sub_group_local_id() * {each}u"),
        ),
    };
    let w = writer.prefix();
    let mut source = format!(
        "\
kernel void put(write_only pipe uint2 p, global uint *told) {{
    uint me = (uint)get_global_id(0), wrong = 0;
    uint number = {number}, count = {count}, first = {first};
    reserve_id_t id = {w}reserve_write_pipe(p, count);
    if (is_valid_reserve_id(id)) {{
        for (uint i = {each}u; i-- > 0;) {{
            uint2 v = (uint2)(number << 16 | (first + i), me * {each}u + i);
            wrong += write_pipe(p, id, first + i, &v) != 0;
        }}
        {w}commit_write_pipe(p, id);
    }} else
        wrong = 1000u;
    told[me] = wrong;
}}
kernel void full(write_only pipe uint2 p, global uint *told) {{
    *told = is_valid_reserve_id(reserve_write_pipe(p, 1u));
}}
kernel void empty(read_only pipe uint2 p, global uint *told) {{
    *told = is_valid_reserve_id(reserve_read_pipe(p, 1u));
}}
// Reservations begin at 0 and go on without a gap, none before the one before it ended.
kernel void look(global const uint2 *packets, global uint *out, global uint *told) {{
    uint wrong = 0;
    for (uint i = 0; i < {packets}u; i++) {{
        uint2 v = packets[i];
        if ((v.x & 0xffffu) != 0)
            wrong += i == 0 || packets[i - 1].x + 1u != v.x;
        out[i] = v.y;
    }}
    *told = wrong;
}}
"
    );
    // One group reads all, as many at once as it has work-items.
    let (chunk, r) = match reader {
        Who::Item => (1, ""),
        Who::Group | Who::SubGroup => (group, "work_group_"),
    };
    let _ = write!(
        source,
        "\
kernel void take(read_only pipe uint2 p, global uint2 *packets, global uint *told) {{
    uint me = (uint)get_local_id(0), wrong = 0;
    for (uint at = 0; at < {packets}u; at += {chunk}u) {{
        reserve_id_t id = {r}reserve_read_pipe(p, {chunk}u);
        if (is_valid_reserve_id(id)) {{
            uint2 v = (uint2)(7u);
            wrong += read_pipe(p, id, me, &v) != 0;
            packets[at + me] = v;
            {r}commit_read_pipe(p, id);
        }} else
            wrong += 1000u;
    }}
    told[me] = wrong;
}}
"
    );
    case.case.source = source;
    let p = pipe(&mut case, 8, packets);
    let told = |case: &mut CaseBuilder, n: u32| {
        case.object(Kind::Buffer, 4 * n as usize, Contents::Every(u32::MAX))
    };
    let rules = &[rule::RG_PIPE];
    let zero = || same(Unit::Word, Contents::Zero);
    for _ in 0..passes {
        let put = told(&mut case, items);
        let range = Range::line(u64::from(items), u64::from(group));
        case.step(launch("put", vec![object(p), object(put)], range));
        let full = told(&mut case, 1);
        case.step(launch(
            "full",
            vec![object(p), object(full)],
            Range::line(1, 1),
        ));
        let out = case.buffer(8 * packets as usize);
        let took = told(&mut case, chunk);
        let range = Range::line(u64::from(chunk), u64::from(chunk));
        case.step(launch(
            "take",
            vec![object(p), object(out), object(took)],
            range,
        ));
        let empty = told(&mut case, 1);
        case.step(launch(
            "empty",
            vec![object(p), object(empty)],
            Range::line(1, 1),
        ));
        let values = case.buffer(4 * packets as usize);
        let order = told(&mut case, 1);
        let args = vec![object(out), object(values), object(order)];
        case.step(launch("look", args, Range::line(1, 1)));
        case.look(put, rules, "writes of reservations that failed", zero());
        case.look(full, rules, "reservations in a full pipe", zero());
        case.look(took, rules, "reads of reservations that failed", zero());
        case.look(empty, rules, "reservations in an empty pipe", zero());
        case.look(
            values,
            rules,
            "packets of reservations",
            Want::Permutation {
                unit: Unit::Word,
                count: u64::from(packets),
                first: 0,
                step: 1,
            },
        );
        case.look(order, rules, "packets that left their reservation", zero());
    }
    case.case
}
