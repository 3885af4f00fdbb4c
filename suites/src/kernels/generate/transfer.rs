//! Transfers: every byte where it belongs, and no other byte touched.

mod shared;

pub use shared::svm;

use super::builder::{CaseBuilder, at, noise};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, ObjectId, Place, Step, Want};
use crate::kernels::effect::pitches;
use crate::kernels::transfer::{Bytes, Corner, Move, Pattern, Region, Transfer};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Lengths of objects of which a few bytes are moved.
const LITTLE: &[usize] = &[1537, 2048, 4099];

/// The length of objects of which rectangles of many bytes are moved.
const MUCH: usize = 400_003;

/// Sub-buffers begin at multiples of this; a device that asks for more skips their cases.
const ORIGIN: usize = 512;

fn moved(from: Place, to: Place, bytes: usize) -> Bytes {
    Bytes { from, to, bytes }
}

/// A stretch of an object: first byte and length, of every class of alignment.
fn stretch(choices: &mut Choices, bytes: usize) -> (usize, usize) {
    let granule = choices.one_of(&[1, 1, 1, 2, 4, 8, 16, 64]);
    let first = choices.below(bytes / granule) * granule;
    let most = bytes - first;
    let length = match choices.below(4) {
        0 => choices.between(1, most.min(9)),
        1 => most,
        _ => choices.between(1, most),
    };
    (first, length)
}

/// Where so many bytes go in an object: anywhere, or to its very end, or its beginning; in the object that they come from
/// they may also follow each other without a gap.
fn goes_to(choices: &mut Choices, most: usize, length: usize, own: Option<usize>) -> usize {
    let beside = own.map_or([None, None], |first| {
        let behind = Some(first + length).filter(|target| target + length <= most);
        [behind, first.checked_sub(length)]
    });
    let beside: Vec<usize> = beside.into_iter().flatten().collect();
    match choices.below(8) {
        0 | 1 => most - length,
        2 => 0,
        3..=5 if !beside.is_empty() => choices.pick(&beside).unwrap_or(0),
        _ => choices.below(most - length + 1),
    }
}

/// Looks at every object.
fn look_at_all(case: &mut CaseBuilder, rules: &[RuleId]) {
    for n in 0..case.case.objects.len() {
        let id = ObjectId(n as u16);
        case.look(id, rules, &format!("object {n}"), Want::AsMoved);
    }
}

/// Memory of the host: what writes come from and what reads go to. The two are apart, for the host may
/// not use what a read brings before the read is complete, and enqueuing a write from there is a use.
#[derive(Clone, Copy)]
struct Sides {
    source: ObjectId,
    target: ObjectId,
}

/// The length of a case's objects. Implementations move much memory in other ways than little.
fn length(choices: &mut Choices, little: &[usize]) -> usize {
    let much = [16_385, 65_536 + 33, 200_000, (1 << 20) + 7];
    let all = if choices.percent(40) { &much } else { little };
    choices.pick(all).unwrap_or(2048)
}

/// Two buffers of so many bytes, perhaps one or two sub-buffers of the first that share no byte, and memory
/// of the host.
fn objects(choices: &mut Choices, case: &mut CaseBuilder, bytes: usize) -> (Vec<ObjectId>, Sides) {
    let mut buffers = Vec::new();
    for _ in 0..2 {
        let id = case.noise(choices, Kind::Buffer, bytes);
        case.case.objects[id.index()].alloc_host = choices.percent(30);
        buffers.push(id);
    }
    // No kernel uses it, so it may begin anywhere.
    if choices.percent(30) {
        let over = &mut case.case.objects[buffers[1].index()];
        over.alloc_host = false;
        over.over = Some(choices.one_of(&[0, 1, 2, 3, 4, 7, 8, 13, 16, 33, 64, 100]));
    }
    if choices.percent(60) {
        case.need(&[Need::SubBufferAlign(ORIGIN as u32)]);
        let whole = buffers[0];
        let mut part = |origin, length| {
            let kind = Kind::SubBuffer { of: whole, origin };
            buffers.push(case.object(kind, length, Contents::Zero));
        };
        let origin = ORIGIN * choices.between(1, 2);
        if choices.percent(40) {
            part(origin, choices.between(64, bytes - origin));
        } else {
            // Copies from one to the other go through one piece of memory.
            part(origin, choices.between(64, bytes - origin).min(ORIGIN));
            let behind = (origin / ORIGIN + 1)..=((bytes - 64) / ORIGIN);
            let places: Vec<usize> = std::iter::once(0).chain(behind).collect();
            let origin = ORIGIN * choices.pick(&places).unwrap_or(0);
            let most = if origin == 0 { ORIGIN } else { bytes - origin };
            part(origin, choices.between(64, most));
        }
    }
    let [source, target] = [(); 2].map(|()| case.noise(choices, Kind::Host, bytes * 2));
    (buffers, Sides { source, target })
}

/// The rules of a case of these buffers.
fn rules(buffers: &[ObjectId]) -> Vec<RuleId> {
    let mut rules = vec![rule::RG_TRANSFER];
    if buffers.len() > 2 {
        rules.push(rule::RG_SUB_BUFFER);
    }
    rules
}

/// Whether two of these buffers may share bytes.
fn related(buffers: &[ObjectId], a: ObjectId, b: ObjectId) -> bool {
    let whole = buffers[0];
    let part = |id| buffers[2..].contains(&id);
    a == b || a == whole && part(b) || b == whole && part(a)
}

/// Reads, writes, copies and fills.
pub fn buffer(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("reads, writes, copies and fills of buffers");
    let bytes = length(choices, LITTLE);
    let (buffers, host) = objects(choices, &mut case, bytes);
    let host_bytes = case.case.objects[host.source.index()].bytes;
    for _ in 0..choices.between(4, 12) {
        let parts = &buffers[2..];
        let between = parts.len() > 1 && choices.percent(35);
        let from = if between { parts } else { &buffers };
        let of = choices.pick(from).unwrap_or(buffers[0]);
        let bytes = case.case.objects[of.index()].bytes;
        let (first, length) = stretch(choices, bytes);
        let blocking = choices.percent(40);
        let place = choices.below(host_bytes - length + 1);
        let kind = if between { 4 } else { choices.below(8) };
        let what = match kind {
            0 => Transfer::Read(moved(at(of, first), at(host.target, place), length)),
            1 => Transfer::Write(moved(at(host.source, place), at(of, first), length)),
            2 | 3 => {
                let size = 1 << choices.below(8);
                if bytes < size {
                    continue;
                }
                let first = choices.below(bytes / size) * size;
                let times = choices.between(1, (bytes - first) / size);
                Transfer::Fill(Pattern {
                    pattern: noise(choices).bytes(size),
                    to: at(of, first),
                    bytes: times * size,
                })
            }
            5 | 6 => {
                // A part of a buffer alone.
                let of = parts
                    .first()
                    .copied()
                    .filter(|_| choices.percent(60))
                    .unwrap_or(of);
                let bytes = case.case.objects[of.index()].bytes;
                let size = choices.one_of(&[1, 2, 4, 8]);
                let size = if bytes.is_multiple_of(size) { size } else { 1 };
                Transfer::Renew {
                    pattern: noise(choices).bytes(size),
                    to: at(of, 0),
                    bytes,
                    to_host: choices.percent(50),
                }
            }
            _ => {
                let other = |id: &&ObjectId| **id != of;
                let to = match parts.iter().find(other).filter(|_| between) {
                    Some(part) => *part,
                    None if choices.percent(30) => of,
                    None => choices.pick(&buffers).unwrap_or(buffers[0]),
                };
                let most = case.case.objects[to.index()].bytes;
                // In one buffer there is room beside what is moved.
                let length = match of == to {
                    true => length.min((most / 3).max(1)),
                    false => length.min(most),
                };
                let target = goes_to(choices, most, length, (of == to).then_some(first));
                let overlaps = of == to && first < target + length && target < first + length;
                if overlaps || of != to && related(&buffers, of, to) {
                    continue;
                }
                Transfer::Copy(moved(at(of, first), at(to, target), length))
            }
        };
        case.transfer(what, blocking);
    }
    look_at_all(&mut case, &rules(&buffers));
    case.case.profiled = choices.percent(60);
    case.case
}

/// A corner in an object of so many bytes where a region fits.
pub(super) fn corner(
    choices: &mut Choices,
    object: ObjectId,
    bytes: usize,
    region: [usize; 3],
) -> Option<Corner> {
    // Tight rows and slices invite to move several at once, also where only one side is tight.
    let row = match choices.below(4) {
        0 => 0,
        1 => region[0],
        _ => region[0] + choices.below(40),
    };
    let close = if row == 0 { region[0] } else { row };
    let slice = if choices.percent(40) {
        0
    } else {
        // A slice pitch is a multiple of the row pitch in the older specifications.
        close * (region[1] + choices.below(4))
    };
    let origin = [
        choices.below(close - region[0] + 1),
        choices.below(4),
        choices.below(3),
    ];
    let corner = Corner {
        object,
        origin,
        row,
        slice,
    };
    (span(&corner, region).1 <= bytes).then_some(corner)
}

/// Bytes of a row, rows and slices of a rectangle: small ones, long rows, or many rows.
pub(super) fn sides(choices: &mut Choices) -> [usize; 3] {
    let slices = match choices.percent(35) {
        true => 1,
        false => choices.between(2, 4),
    };
    match choices.below(5) {
        0 => [choices.between(25, 300), choices.between(1, 4), slices],
        1 => [choices.between(1, 9), choices.between(7, 40), slices],
        _ => [choices.between(1, 24), choices.between(1, 6), slices],
    }
}

/// The same of one of several slices, with more bytes than 16 bits count.
fn wide_sides(choices: &mut Choices) -> [usize; 3] {
    let row = choices.between(200, 4000);
    let rows = choices.between(34_000, 48_000) / row;
    [row, rows, choices.between(2, 3)]
}

/// The first byte of a rectangle in its object, and one past its last.
fn span(corner: &Corner, region: [usize; 3]) -> (usize, usize) {
    let (row, slice) = pitches(corner, &region);
    let place = |[x, y, z]: [usize; 3]| x + y * row + z * slice;
    let last = place([0, region[1] - 1, region[2] - 1]) + region[0];
    (place(corner.origin), place(corner.origin) + last)
}

/// Where a rectangle of one buffer may go in the same buffer: with the same pitches (clEnqueueCopyBufferRect:
/// CL_INVALID_VALUE "if _src_buffer_ and _dst_buffer_ are the same buffer object and _src_row_pitch_ is not equal to
/// _dst_row_pitch_"), and so that no byte between its first and its last is one between the other's, or so that the two have
/// no column in common: slices are whole rows.
fn corner_beside(
    choices: &mut Choices,
    here: Corner,
    bytes: usize,
    region: [usize; 3],
) -> Option<Corner> {
    let close = if here.row == 0 { region[0] } else { here.row };
    // Other columns of the same rows, left or right of the region, where there are so many.
    let [x, y, z] = here.origin;
    let left = x.checked_sub(region[0]);
    let right = close.checked_sub(x + 2 * region[0]);
    let beside = [
        left.map(|most| (0, most)),
        right.map(|more| (x + region[0], x + region[0] + more)),
    ];
    let beside: Vec<(usize, usize)> = beside.into_iter().flatten().collect();
    let origin = match choices.pick(&beside).filter(|_| choices.percent(50)) {
        Some((low, high)) => [choices.between(low, high), y + choices.below(2), z],
        None => [
            choices.below(close - region[0] + 1),
            choices.below(12),
            choices.below(4),
        ],
    };
    let there = Corner { origin, ..here };
    let ((first, end), (from, to)) = (span(&here, region), span(&there, region));
    let columns = here.origin[0].abs_diff(there.origin[0]) >= region[0];
    (to <= bytes && (end <= from || to <= first || columns)).then_some(there)
}

/// Rectangles of bytes in two and three dimensions.
pub fn rect(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("rectangles of bytes, with origins and pitches on both sides");
    let is_wide = choices.percent(20);
    let bytes = match is_wide {
        true => MUCH,
        false => choices.pick(LITTLE).unwrap_or(2048),
    };
    let (buffers, host) = objects(choices, &mut case, bytes);
    // Some implementations die of copies of parts, and show nothing of all the others then.
    let copied = match choices.percent(30) {
        true => &buffers[..],
        false => &buffers[..2],
    };
    for _ in 0..choices.between(6, 14) {
        // Choices until the region fits; few fit never.
        for _ in 0..50 {
            let region = match is_wide && choices.percent(70) {
                true => wide_sides(choices),
                false => sides(choices),
            };
            let kind = choices.below(3);
            let from = if kind == 2 { copied } else { &buffers[..] };
            let of = choices.pick(from).unwrap_or(buffers[0]);
            let to = match kind {
                0 => host.target,
                1 => host.source,
                _ => choices.pick(copied).unwrap_or(buffers[0]),
            };
            if kind == 2 && of != to && related(&buffers, of, to) {
                continue;
            }
            let size = |id: ObjectId| case.case.objects[id.index()].bytes;
            let Some(here) = corner(choices, of, size(of), region) else {
                continue;
            };
            let there = match of == to {
                true => corner_beside(choices, here, size(to), region),
                false => corner(choices, to, size(to), region),
            };
            let Some(there) = there else {
                continue;
            };
            let moved = |from, to| Region { from, to, region };
            let what = match kind {
                0 => Transfer::ReadRect(moved(here, there)),
                1 => Transfer::WriteRect(moved(there, here)),
                _ => Transfer::CopyRect(moved(here, there)),
            };
            let blocking = choices.percent(50);
            case.transfer(what, blocking);
            break;
        }
    }
    look_at_all(&mut case, &rules(&buffers));
    case.case.profiled = choices.percent(60);
    case.case
}

/// Maps for reading and writing, of every stretch.
pub fn map(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("maps of stretches of buffers");
    let bytes = length(choices, LITTLE);
    let (buffers, host) = objects(choices, &mut case, bytes);
    let host_bytes = case.case.objects[host.source.index()].bytes;
    for _ in 0..choices.between(4, 10) {
        let of = choices.pick(&buffers).unwrap_or(buffers[0]);
        let bytes = case.case.objects[of.index()].bytes;
        let (first, length) = stretch(choices, bytes);
        let place = choices.below(host_bytes - length + 1);
        let what = if choices.percent(30) {
            // What the device writes between two maps.
            Transfer::Fill(Pattern {
                pattern: noise(choices).bytes(1),
                to: at(of, first),
                bytes: length,
            })
        } else if choices.percent(50) {
            let all = moved(at(of, first), at(host.target, place), length);
            // Of two maps at one place nothing says which of them an unmap ends.
            let other = choices.below(bytes);
            match choices.percent(40) && other != first {
                true => Transfer::MapReadBeside {
                    of: all,
                    first: other,
                },
                false => Transfer::MapRead(all),
            }
        } else {
            let invalidate = choices.percent(40);
            // What is invalidated has to be written, all of it.
            let around = match invalidate {
                true => [0; 2],
                false => [first, bytes - first - length].map(|room| choices.below(room + 1)),
            };
            Transfer::MapWrite {
                from: at(host.source, place),
                to: at(of, first),
                bytes: length,
                invalidate,
                around,
                reads: choices.percent(40),
            }
        };
        // A map for reading is a blocking call, so that the copy is done before the next write.
        case.transfer(what, true);
    }
    let mut rules = vec![rule::SP_MAP_UNMAP, rule::SP_MAP_INVALIDATE];
    if buffers.len() > 2 {
        rules.push(rule::RG_SUB_BUFFER);
    }
    look_at_all(&mut case, &rules);
    case.case.profiled = choices.percent(60);
    case.case
}

/// Transfers that must be refused, and then do nothing.
pub fn errors(choices: &mut Choices) -> KernelCase {
    const INVALID_VALUE: i32 = -30;
    const COPY_OVERLAP: i32 = -8;
    let mut case = CaseBuilder::new("transfers that have to be refused");
    let bytes = 1024;
    let one = case.noise(choices, Kind::Buffer, bytes);
    let host = case.noise(choices, Kind::Host, 4 * bytes);
    for _ in 0..choices.between(2, 4) {
        let length = choices.between(2, 500);
        let first = choices.below(bytes - length);
        let beyond = bytes - length + choices.between(1, 64);
        let there = at(host, choices.below(bytes));
        let overlap = |choices: &mut Choices| {
            let target = (first + choices.below(length)).min(bytes - length);
            Transfer::Copy(moved(at(one, first), at(one, target), length))
        };
        let refused = match choices.below(6) {
            0 | 1 => overlap(choices),
            2 => Transfer::Read(moved(at(one, beyond), there, length)),
            3 => Transfer::Write(moved(there, at(one, beyond), length)),
            // A pattern of no allowed size, or a length that is no multiple of it.
            4 if choices.percent(50) => Transfer::Fill(Pattern {
                pattern: vec![1; choices.one_of(&[3, 5, 12, 127])],
                to: at(one, 0),
                bytes: 3 * 4 * 5,
            }),
            4 => Transfer::Fill(Pattern {
                pattern: vec![1; 8],
                to: at(one, 8),
                bytes: 8 * 4 + choices.between(1, 7),
            }),
            _ => {
                let row = choices.between(16, 64);
                let corner = |y: usize| Corner {
                    object: one,
                    origin: [0, y, 0],
                    row,
                    slice: 0,
                };
                let region = [choices.between(8, 16), 4, 1];
                let (from, to) = (corner(1), corner(choices.between(1, 4)));
                Transfer::CopyRect(Region { from, to, region })
            }
        };
        let overlaps = matches!(refused, Transfer::Copy(_) | Transfer::CopyRect(_));
        let code = if overlaps {
            COPY_OVERLAP
        } else {
            INVALID_VALUE
        };
        let what = refused;
        case.step(Step::Move(Move {
            what,
            blocking: false,
            code,
            rules: vec![rule::API_ERRORS, rule::RG_TRANSFER],
        }));
    }
    look_at_all(&mut case, &[rule::API_ERRORS, rule::RG_TRANSFER]);
    case.case
}
