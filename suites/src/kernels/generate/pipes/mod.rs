//! Pipes: packets that kernels write and later kernels read.
//!
//! Writers and readers are kernels behind each other in a queue, so that what is in a pipe is known
//! whenever one begins: how many packets fit, how many come, and in which order where the
//! specification says so.

mod packets;

use super::builder::{CaseBuilder, args, cl};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, ObjectId, Range, Unit, Want};
use crate::rule;
use classay_vocabulary::Need;
use packets::{PACKETS, Packet};

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
    // A small pipe is filled and emptied so often that its packets come round its memory many times.
    let long = how != Use::Once && choices.percent(45);
    let room = match long {
        true => choices.one_of(&[1u32, 2, 3, 5, 7]),
        false => choices.one_of(&[1u32, 2, 5, 16, 61]),
    };
    let launches = match long {
        true => choices.between(20, 32),
        false => choices.between(2, 6),
    };
    let Packet {
        declares,
        name,
        make,
        equal,
        bytes,
    } = packet;
    let kernels = cl!("pipe.cl", name, make, equal, room);
    case.case.source = format!("{declares}{kernels}");
    let p = pipe(&mut case, *bytes, room);
    let (mut written, mut read) = (0u32, 0u32);
    for n in 0..launches {
        let told = case.unwritten(1);
        let put = if long {
            n % 2 == 0
        } else {
            choices.percent(50)
        };
        let inside = written - read;
        let able = match (put, how) {
            (true, Use::Once) => room - written,
            (true, Use::Again | Use::Beyond) => room - inside,
            (false, _) => inside,
        };
        let tries = match choices.below(3) {
            0 => able,
            2 if long => able,
            1 if how == Use::Beyond => able + choices.between(1, 3) as u32,
            _ => choices.below(able as usize + 1) as u32,
        };
        let first = if put { written } else { read };
        let args = args![p, told, first, tries, able];
        let (kernel, text) = if put {
            written += tries.min(able);
            ("put", "packets that were not taken as they should")
        } else {
            read += tries.min(able);
            ("take", "packets that did not come as they should")
        };
        case.launch(kernel, args, Range::line(1, 1));
        case.look(told, &[rule::RG_PIPE], text, Want::zeros());
    }
    case.case
}

/// Many work-items write, and many read: every packet comes once.
pub fn crowd(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("many work-items write packets, and many read them");
    let group = choices.one_of(&[1u32, 4, 16, 64]);
    let groups = choices.between(1, 8) as u32;
    let each = choices.between(1, 4) as u32;
    let items = group * groups;
    let packets = items * each;
    let again = choices.percent(60);
    let rounds = choices.between(1, if again { 6 } else { 3 }) as u32;
    // Room for all that is ever written, or for one round of it.
    let held = if again { packets } else { packets * rounds };
    let room = held + choices.below(20) as u32;
    case.case.source = cl!("pipe_crowd.cl", each);
    let p = pipe(&mut case, 4, room);
    let range = Range::line(u64::from(items), u64::from(group));
    for _ in 0..rounds {
        let [put, took] = [0, 1].map(|_| case.unwritten(items as usize));
        let out = case.buffer(4 * packets as usize);
        case.launch("put", args![p, put], range.clone());
        case.launch("take", args![p, took, out], range.clone());
        case.look(put, &[rule::RG_PIPE], "writes that failed", Want::zeros());
        case.look(took, &[rule::RG_PIPE], "reads that failed", Want::zeros());
        let want = Want::permutation(Unit::Word, u64::from(packets), 0, 1);
        case.look(out, &[rule::RG_PIPE], "packets of a crowd", want);
    }
    case.case
}

/// A work-item holds a reservation while it writes or reads other packets: what is reserved counts as taken.
///
/// A kernel never holds more than one, as some devices allow no more.
pub fn held(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("packets beside a reservation that is held");
    let [w, r] = [0, 1].map(|_| choices.one_of(&[Who::Item, Who::Group]).prefix());
    let room = choices.one_of(&[2u32, 3, 5, 16, 61]);
    let mut passes = Vec::new();
    let (mut written, mut read) = (0, 0);
    let count = match choices.percent(30) {
        true => choices.between(8, 12),
        false => choices.between(2, 4),
    };
    for pass in 0..count {
        let put = Held::draw(choices, room - (written - read));
        written += put.map_or(0, Held::packets);
        let inside = written - read;
        // The last pass leaves nothing.
        let take = match pass + 1 == count {
            true => Held::all(choices, inside),
            false => Held::draw(choices, inside),
        };
        read += take.map_or(0, Held::packets);
        passes.push((put, take));
    }
    case.case.source = cl!("pipe_held.cl", w, r);
    let p = pipe(&mut case, 4, room);
    let out = case.buffer(4 * written as usize);
    let (mut written, mut read) = (0, 0);
    for (put, take) in passes {
        if let Some(put) = put {
            let told = case.unwritten(1);
            let args = args![p, told, written, put.held, put.tries, put.room];
            case.launch("put", args, Range::line(1, 1));
            let text = "packets beside a reservation that did not fit as they should";
            case.look(told, &[rule::RG_PIPE], text, Want::zeros());
            written += put.packets();
        }
        if let Some(take) = take {
            let told = case.unwritten(1);
            let args = args![p, told, out, read, take.held, take.tries, take.room];
            case.launch("take", args, Range::line(1, 1));
            let text = "packets beside a reservation that did not come as they should";
            case.look(told, &[rule::RG_PIPE], text, Want::zeros());
            read += take.packets();
        }
    }
    let want = Want::permutation(Unit::Word, u64::from(written), 0, 1);
    case.look(out, &[rule::RG_PIPE], "packets beside reservations", want);
    case.case
}

/// A reservation of `held` packets, and `tries` to move others while it is held, of which `room` can succeed.
#[derive(Debug, Clone, Copy)]
struct Held {
    held: u32,
    tries: u32,
    room: u32,
}

impl Held {
    /// One of up to so many packets; none where there are none.
    fn draw(choices: &mut Choices, able: u32) -> Option<Self> {
        let held = match able {
            0 => return None,
            _ => choices.between(1, able as usize) as u32,
        };
        let room = able - held;
        let tries = choices.one_of(&[room, room + 1, room + 3, room / 2]);
        Some(Self { held, tries, room })
    }

    /// One that moves all of so many packets.
    fn all(choices: &mut Choices, able: u32) -> Option<Self> {
        let some = Self::draw(choices, able)?;
        let tries = some.tries.max(some.room);
        Some(Self { tries, ..some })
    }

    /// How many packets move.
    fn packets(self) -> u32 {
        self.held + self.tries.min(self.room)
    }
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
    let writer = choices.one_of(&[Who::Item, Who::Group]);
    reservations(choices, writer, 1)
}

/// The same in places that were read, around the end of the pipe's memory.
pub fn reserve_again(choices: &mut Choices) -> KernelCase {
    let writer = choices.one_of(&[Who::Item, Who::Group]);
    let passes = match choices.percent(30) {
        true => choices.between(6, 8),
        false => choices.between(2, 4),
    };
    reservations(choices, writer, passes as u32)
}

/// The same of sub-groups.
pub fn sub_group_reserve(choices: &mut Choices) -> KernelCase {
    reservations(choices, Who::SubGroup, 1)
}

fn reservations(choices: &mut Choices, writer: Who, passes: u32) -> KernelCase {
    let mut case = CaseBuilder::new("packets of reservations stand together");
    let reader = match writer {
        Who::Item | Who::Group => choices.one_of(&[Who::Item, Who::Group]),
        Who::SubGroup => choices.one_of(&[Who::Item, Who::Group, Who::SubGroup, Who::SubGroup]),
    };
    case.need_if(writer == Who::SubGroup, &[Need::SubGroups]);
    let group = choices.one_of(&[1u32, 4, 7, 16, 32]);
    let groups = choices.between(1, 5) as u32;
    let each = choices.between(1, 4) as u32;
    let items = group * groups;
    let packets = items * each;
    // Eight bytes, or more that are no power of two: what is behind the first two words says the same again.
    let more = choices.one_of(&[0u32, 0, 1, 3, 5]);
    // Room that is left over: the packets of a later pass go round the end of the pipe's memory anywhere.
    let over = match passes > 1 && choices.percent(60) {
        true => choices.between(1, 5) as u32,
        false => 0,
    };
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
    // One group reads all, or several do at the same time, each as many at once as it has work-items.
    let readers = choices.one_of(&[1, groups]);
    let (chunk, taken, index) = match reader {
        Who::Item => (1, "1u".into(), "me"),
        Who::Group => (group, format!("{group}u"), "me"),
        Who::SubGroup => (
            group,
            "get_sub_group_size()".into(),
            "get_sub_group_local_id()",
        ),
    };
    let ordered = match reader {
        // Which sub-group reserved first, nobody knows.
        Who::SubGroup => "0".into(),
        Who::Item | Who::Group if readers == 1 => "1".into(),
        Who::Item | Who::Group => format!("i % {chunk}u != 0"),
    };
    case.case.source = cl!(
        "reserve.cl",
        number,
        count,
        first,
        w,
        each,
        packets,
        over = over + 1,
        ordered,
        share = packets / readers,
        chunk,
        r = reader.prefix(),
        taken,
        index,
        more,
    );
    let p = pipe(&mut case, 8 + 4 * more, packets + over);
    let told = |case: &mut CaseBuilder, n: u32| case.unwritten(n as usize);
    let rules = &[rule::RG_PIPE];
    let zero = || Want::zeros();
    for _ in 0..passes {
        let put = told(&mut case, items);
        let range = Range::line(u64::from(items), u64::from(group));
        case.launch("put", args![p, put], range);
        let full = told(&mut case, 1);
        case.launch("full", args![p, full], Range::line(1, 1));
        let held = told(&mut case, 1);
        case.launch("few", args![p, held, packets], Range::line(1, 1));
        let out = case.buffer(((8 + 4 * more) * packets) as usize);
        let took = told(&mut case, chunk * readers);
        let range = Range::line(u64::from(chunk * readers), u64::from(chunk));
        case.launch("take", args![p, out, took], range);
        let empty = told(&mut case, 1);
        case.launch("few", args![p, empty, 0u32], Range::line(1, 1));
        let values = case.buffer(4 * packets as usize);
        let order = told(&mut case, 1);
        let args = args![out, values, order];
        case.launch("look", args, Range::line(1, 1));
        case.look(put, rules, "writes of reservations that failed", zero());
        case.look(full, rules, "reservations in a full pipe", zero());
        case.look(
            held,
            rules,
            "reservations of more packets than there are",
            zero(),
        );
        case.look(took, rules, "reads of reservations that failed", zero());
        case.look(empty, rules, "reservations in an empty pipe", zero());
        let want = Want::permutation(Unit::Word, u64::from(packets), 0, 1);
        case.look(values, rules, "packets of reservations", want);
        case.look(order, rules, "packets that left their reservation", zero());
    }
    case.case
}
