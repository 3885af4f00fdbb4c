//! Transfers: every byte where it belongs, and no other byte touched.

use super::super::case::{Contents, KernelCase, Kind, ObjectId, Step, Want};
use super::super::transfer::{Corner, Move, Transfer};
use super::{Making, at};
use crate::commands::generate::Draw;
use crate::need::Need;
use crate::rule::{self, RuleId};

/// Lengths of objects of which a few bytes are moved.
const LITTLE: &[usize] = &[1537, 2048, 4099];

/// Sub-buffers begin at multiples of this; a device that asks for more skips their cases.
const ORIGIN: usize = 512;

fn step(what: Transfer, blocking: bool) -> Step {
    Step::Move(Move {
        what,
        blocking,
        code: 0,
        rules: Vec::new(),
    })
}

/// A stretch of an object: first byte and length, of every class of alignment.
fn stretch(draw: &mut Draw, bytes: usize) -> (usize, usize) {
    let granule = draw.pick(&[1, 1, 1, 2, 4, 8, 16, 64]).unwrap_or(1);
    let first = draw.below(bytes / granule) * granule;
    let most = bytes - first;
    let length = match draw.below(4) {
        0 => draw.between(1, most.min(9)),
        1 => most,
        _ => draw.between(1, most),
    };
    (first, length)
}

/// Looks at every object.
fn look_at_all(case: &mut Making, rules: &[RuleId]) {
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
fn length(draw: &mut Draw, little: &[usize]) -> usize {
    let much = [16_385, 40_000, 65_536 + 33, (1 << 20) + 7];
    let all = if draw.percent(30) { &much } else { little };
    draw.pick(all).unwrap_or(2048)
}

/// Two buffers of so many bytes, perhaps one or two sub-buffers of the first that share no byte, and memory
/// of the host.
fn objects(draw: &mut Draw, case: &mut Making, bytes: usize) -> (Vec<ObjectId>, Sides) {
    let mut buffers = Vec::new();
    for _ in 0..2 {
        let contents = Contents::Noise(draw.below(1 << 30) as u32);
        let id = case.object(Kind::Buffer, bytes, contents);
        case.case.objects[id.index()].alloc_host = draw.percent(30);
        buffers.push(id);
    }
    if draw.percent(60) {
        case.need(&[Need::SubBufferAlign(ORIGIN as u32)]);
        let whole = buffers[0];
        let mut part = |origin, length| {
            let kind = Kind::SubBuffer { of: whole, origin };
            buffers.push(case.object(kind, length, Contents::Zero));
        };
        let origin = ORIGIN * draw.between(1, 2);
        if draw.percent(40) {
            part(origin, draw.between(64, bytes - origin));
        } else {
            // Copies from one to the other go through one piece of memory.
            part(origin, draw.between(64, bytes - origin).min(ORIGIN));
            let behind = (origin / ORIGIN + 1)..=((bytes - 64) / ORIGIN);
            let places: Vec<usize> = std::iter::once(0).chain(behind).collect();
            let origin = ORIGIN * draw.pick(&places).unwrap_or(0);
            let most = if origin == 0 { ORIGIN } else { bytes - origin };
            part(origin, draw.between(64, most));
        }
    }
    let mut host = || {
        let contents = Contents::Noise(draw.below(1 << 30) as u32);
        case.object(Kind::Host, bytes * 2, contents)
    };
    let sides = Sides {
        source: host(),
        target: host(),
    };
    (buffers, sides)
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
pub fn buffer(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("reads, writes, copies and fills of buffers");
    let bytes = length(draw, LITTLE);
    let (buffers, host) = objects(draw, &mut case, bytes);
    let host_bytes = case.case.objects[host.source.index()].bytes;
    for _ in 0..draw.between(2, 8) {
        let parts = &buffers[2..];
        let between = parts.len() > 1 && draw.percent(35);
        let from = if between { parts } else { &buffers };
        let of = draw.pick(from).unwrap_or(buffers[0]);
        let bytes = case.case.objects[of.index()].bytes;
        let (first, length) = stretch(draw, bytes);
        let blocking = draw.percent(30);
        let place = draw.below(host_bytes - length + 1);
        let kind = if between { 4 } else { draw.below(7) };
        let what = match kind {
            0 => Transfer::Read {
                from: at(of, first),
                to: at(host.target, place),
                bytes: length,
            },
            1 => Transfer::Write {
                from: at(host.source, place),
                to: at(of, first),
                bytes: length,
            },
            2 | 3 => {
                let size = 1 << draw.below(8);
                if bytes < size {
                    continue;
                }
                let first = draw.below(bytes / size) * size;
                let times = draw.between(1, (bytes - first) / size);
                Transfer::Fill {
                    pattern: Contents::Noise(draw.below(1 << 30) as u32).bytes(size),
                    to: at(of, first),
                    bytes: times * size,
                }
            }
            5 | 6 => {
                // A part of a buffer alone.
                let of = parts
                    .first()
                    .copied()
                    .filter(|_| draw.percent(60))
                    .unwrap_or(of);
                let bytes = case.case.objects[of.index()].bytes;
                let size = draw.pick(&[1, 2, 4, 8]).unwrap_or(1);
                let size = if bytes.is_multiple_of(size) { size } else { 1 };
                Transfer::Renew {
                    pattern: Contents::Noise(draw.below(1 << 30) as u32).bytes(size),
                    to: at(of, 0),
                    bytes,
                    to_host: draw.percent(50),
                }
            }
            _ => {
                let other = |id: &&ObjectId| **id != of;
                let to = match parts.iter().find(other).filter(|_| between) {
                    Some(part) => *part,
                    None => draw.pick(&buffers).unwrap_or(buffers[0]),
                };
                let most = case.case.objects[to.index()].bytes;
                let length = length.min(most);
                let target = draw.below(most - length + 1);
                let overlaps = of == to && first < target + length && target < first + length;
                if overlaps || of != to && related(&buffers, of, to) {
                    continue;
                }
                Transfer::Copy {
                    from: at(of, first),
                    to: at(to, target),
                    bytes: length,
                }
            }
        };
        case.step(step(what, blocking));
    }
    look_at_all(&mut case, &rules(&buffers));
    case.case
}

/// A corner in an object of so many bytes where a region fits.
fn corner(draw: &mut Draw, object: ObjectId, bytes: usize, region: [usize; 3]) -> Option<Corner> {
    // Tight rows and slices invite to move several at once, also where only one side is tight.
    let row = match draw.below(4) {
        0 => 0,
        1 => region[0],
        _ => region[0] + draw.below(40),
    };
    let close = if row == 0 { region[0] } else { row };
    let slice = if draw.percent(40) {
        0
    } else {
        // A slice pitch is a multiple of the row pitch in the older specifications.
        close * (region[1] + draw.below(4))
    };
    let apart = if slice == 0 { close * region[1] } else { slice };
    let origin = [
        draw.below(close - region[0] + 1),
        draw.below(4),
        draw.below(3),
    ];
    let end = origin[0]
        + region[0]
        + (origin[1] + region[1] - 1) * close
        + (origin[2] + region[2] - 1) * apart;
    (end <= bytes).then_some(Corner {
        object,
        origin,
        row,
        slice,
    })
}

/// Rectangles of bytes in two and three dimensions.
pub fn rect(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("rectangles of bytes, with origins and pitches on both sides");
    let bytes = draw.pick(LITTLE).unwrap_or(2048);
    let (buffers, host) = objects(draw, &mut case, bytes);
    for _ in 0..draw.between(3, 6) {
        // Draw until the region fits; few fit never.
        for _ in 0..50 {
            let region = [
                draw.between(1, 24),
                draw.between(1, 6),
                if draw.percent(50) {
                    1
                } else {
                    draw.between(2, 4)
                },
            ];
            let of = draw.pick(&buffers).unwrap_or(buffers[0]);
            let kind = draw.below(3);
            let to = match kind {
                0 => host.target,
                1 => host.source,
                _ => draw.pick(&buffers).unwrap_or(buffers[0]),
            };
            if kind == 2 && related(&buffers, of, to) {
                continue;
            }
            let size = |id: ObjectId| case.case.objects[id.index()].bytes;
            let Some(here) = corner(draw, of, size(of), region) else {
                continue;
            };
            let Some(there) = corner(draw, to, size(to), region) else {
                continue;
            };
            let what = match kind {
                0 => Transfer::ReadRect {
                    from: here,
                    to: there,
                    region,
                },
                1 => Transfer::WriteRect {
                    from: there,
                    to: here,
                    region,
                },
                _ => Transfer::CopyRect {
                    from: here,
                    to: there,
                    region,
                },
            };
            let blocking = draw.percent(30);
            case.step(step(what, blocking));
            break;
        }
    }
    look_at_all(&mut case, &rules(&buffers));
    case.case
}

/// Maps for reading and writing, of every stretch.
pub fn map(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("maps of stretches of buffers");
    let bytes = length(draw, LITTLE);
    let (buffers, host) = objects(draw, &mut case, bytes);
    let host_bytes = case.case.objects[host.source.index()].bytes;
    for _ in 0..draw.between(2, 6) {
        let of = draw.pick(&buffers).unwrap_or(buffers[0]);
        let bytes = case.case.objects[of.index()].bytes;
        let (first, length) = stretch(draw, bytes);
        let place = draw.below(host_bytes - length + 1);
        let what = if draw.percent(30) {
            // What the device writes between two maps.
            Transfer::Fill {
                pattern: Contents::Noise(draw.below(1 << 30) as u32).bytes(1),
                to: at(of, first),
                bytes: length,
            }
        } else if draw.percent(50) {
            Transfer::MapRead {
                from: at(of, first),
                to: at(host.target, place),
                bytes: length,
            }
        } else {
            Transfer::MapWrite {
                from: at(host.source, place),
                to: at(of, first),
                bytes: length,
                invalidate: draw.percent(50),
            }
        };
        // A map for reading is a blocking call, so that the copy is done before the next write.
        case.step(step(what, true));
    }
    let mut rules = vec![rule::SP_MAP_UNMAP, rule::SP_MAP_INVALIDATE];
    if buffers.len() > 2 {
        rules.push(rule::RG_SUB_BUFFER);
    }
    look_at_all(&mut case, &rules);
    case.case
}

/// Transfers that must be refused, and then do nothing.
pub fn errors(draw: &mut Draw) -> KernelCase {
    const INVALID_VALUE: i32 = -30;
    const COPY_OVERLAP: i32 = -8;
    let mut case = Making::new("transfers that have to be refused");
    let bytes = 1024;
    let one = case.object(
        Kind::Buffer,
        bytes,
        Contents::Noise(draw.below(1 << 30) as u32),
    );
    let host = case.object(
        Kind::Host,
        4 * bytes,
        Contents::Noise(draw.below(1 << 30) as u32),
    );
    for _ in 0..draw.between(2, 4) {
        let length = draw.between(2, 500);
        let first = draw.below(bytes - length);
        let beyond = bytes - length + draw.between(1, 64);
        let there = at(host, draw.below(bytes));
        let overlap = |draw: &mut Draw| {
            let target = (first + draw.below(length)).min(bytes - length);
            Transfer::Copy {
                from: at(one, first),
                to: at(one, target),
                bytes: length,
            }
        };
        let (what, code) = match draw.below(6) {
            0 | 1 => (overlap(draw), COPY_OVERLAP),
            2 => (
                Transfer::Read {
                    from: at(one, beyond),
                    to: there,
                    bytes: length,
                },
                INVALID_VALUE,
            ),
            3 => (
                Transfer::Write {
                    from: there,
                    to: at(one, beyond),
                    bytes: length,
                },
                INVALID_VALUE,
            ),
            4 => (
                // A pattern of no allowed size, or a length that is no multiple of it.
                if draw.percent(50) {
                    Transfer::Fill {
                        pattern: vec![1; draw.pick(&[3, 5, 12, 127]).unwrap_or(3)],
                        to: at(one, 0),
                        bytes: 3 * 4 * 5,
                    }
                } else {
                    Transfer::Fill {
                        pattern: vec![1; 8],
                        to: at(one, 8),
                        bytes: 8 * 4 + draw.between(1, 7),
                    }
                },
                INVALID_VALUE,
            ),
            _ => {
                let row = draw.between(16, 64);
                let corner = |y: usize, x: usize| Corner {
                    object: one,
                    origin: [x, y, 0],
                    row,
                    slice: 0,
                };
                let region = [draw.between(8, 16), 4, 1];
                (
                    Transfer::CopyRect {
                        from: corner(1, 0),
                        to: corner(draw.between(1, 4), 0),
                        region,
                    },
                    COPY_OVERLAP,
                )
            }
        };
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

/// Copies and fills of shared virtual memory, in either direction with memory of the host.
pub fn svm(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("copies and fills of shared virtual memory");
    let fine = draw.percent(40);
    case.need(&[if fine { Need::SvmFine } else { Need::SvmCoarse }]);
    let kind = if fine { Kind::SvmFine } else { Kind::SvmCoarse };
    let bytes = length(draw, &[1025, 2048, 4099]);
    let mut all = Vec::new();
    for kind in [kind, kind, Kind::Host, Kind::Host] {
        let contents = Contents::Noise(draw.below(1 << 30) as u32);
        all.push(case.object(kind, bytes, contents));
    }
    for _ in 0..draw.between(2, 7) {
        let (first, length) = stretch(draw, bytes);
        let blocking = draw.percent(30);
        let what = if draw.percent(50) {
            let size = 1 << draw.below(8);
            let first = draw.below(bytes / size) * size;
            let times = draw.between(1, (bytes - first) / size);
            Transfer::SvmFill {
                pattern: Contents::Noise(draw.below(1 << 30) as u32).bytes(size),
                to: at(all[draw.below(2)], first),
                bytes: times * size,
            }
        } else {
            // From SVM or the host's source, to SVM or the host's target.
            let (one, other) = draw
                .pick(&[(0, 1), (1, 0), (2, 0), (2, 1), (0, 3), (1, 3), (2, 3)])
                .unwrap_or((0, 1));
            Transfer::SvmCopy {
                from: at(all[one], first),
                to: at(all[other], draw.below(bytes - length + 1)),
                bytes: length,
            }
        };
        case.step(step(what, blocking));
    }
    look_at_all(&mut case, &[rule::SV_API]);
    case.case
}
