//! Regions of images that commands read, write, copy, fill and map.

use super::super::builder::{CaseBuilder, at};
use super::{apart, format, image, kind, noise, shape, values};
use crate::choices::Choices;
use crate::host::Place;
use crate::kernels::case::{KernelCase, Kind, ObjectId, Step, Want};
use crate::kernels::image::{Format, Image, Order, Shape, Spot};
use crate::kernels::transfer::{Corner, Region, Transfer};
use crate::rule;
use classay_vocabulary::Need;

/// Each of three images and each other one.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];

/// Fills, one of each image.
const FILLS: usize = 3;

/// Reads and writes of the host, a pair of each image.
const HOSTS: usize = 6;

/// Copies to a buffer and from it, a pair of each image.
const BUFFERS: usize = 6;

/// Maps, one of each image.
const MAPS: usize = 3;

/// Whether the pitch of rows is given, and that of slices.
const PITCHES: [[bool; 2]; 4] = [[true, false], [true, true], [false, false], [false, true]];

/// What is said of everything that may hold bytes of an array of lines whose images stand apart in the host's memory.
const BESIDE: &str = ", beside lines with a slice pitch";

/// What is said of everything where images are migrated.
const MIGRATED: &str = ", where images are migrated";

fn is_lines(shape: Shape) -> bool {
    matches!(shape, Shape::Lines(..))
}

/// Reads, writes, copies, fills and maps of regions.
pub fn transfer(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("regions of images are moved");
    case.need(&[Need::ImageObjects]);
    let format = format(choices, &mut case);
    let first = choices.below(5);
    let second = (first + 1 + choices.below(4)) % 5;
    let kinds = match format.order {
        Order::Depth => [1, 4, kind(choices, format.order)],
        _ => [first, second, choices.below(5)],
    };
    // Several implementations take no slice pitch for arrays of lines, which then is all that a case shows.
    let lines_apart = choices.percent(30);
    let images = kinds.map(|kind| {
        let shape = shape(choices, kind);
        let own = Image { shape, format };
        let id = image(&mut case, own, noise(choices));
        let apart = apart(choices, own).filter(|_| lines_apart || !is_lines(shape));
        case.case.objects[id.index()].apart = apart;
        (id, own)
    });
    // The same holds of migration: an implementation that loses what is in migrated images shows nothing else.
    let migrates = choices.percent(25);
    let has_lines_apart = lines_apart && images.iter().any(|(_, own)| is_lines(own.shape));
    // Room for the largest region with gaps between its rows and its slices.
    let room = |image: Image| {
        let [w, h, d] = image.shape.size();
        (3 * image.bytes()).max((w + 2) * (h + 2) * d * format.bytes())
    };
    let largest = images.iter().map(|(_, image)| room(*image)).max();
    let room = largest.unwrap_or(1) + 4096;
    let host = case.object(Kind::Host, room, noise(choices));
    let buffer = case.object(Kind::Buffer, room, noise(choices));
    let turn = choices.below(PITCHES.len());
    let all = FILLS + PAIRS.len() + HOSTS + BUFFERS + MAPS;
    for n in 0..choices.between(all + 2, all + 7) {
        // At first each is filled in part, and copied to each other one, whatever shapes they have; then each is read
        // and written, copied to a buffer and from it, and mapped.
        let pair = n.checked_sub(FILLS).and_then(|n| PAIRS.get(n));
        let behind = n.checked_sub(FILLS + PAIRS.len());
        let by_host = behind.filter(|n| *n < HOSTS);
        let behind = behind.and_then(|n| n.checked_sub(HOSTS));
        let by_buffer = behind.filter(|n| *n < BUFFERS);
        let behind = behind.and_then(|n| n.checked_sub(BUFFERS));
        let by_map = behind.filter(|n| *n < MAPS);
        let [from, to] = match (pair, by_host.or(by_buffer), by_map) {
            (Some(pair), ..) => *pair,
            (None, Some(n), _) => [n / 2, (n / 2 + 1) % 3],
            (None, None, Some(n)) => [n, (n + 1) % 3],
            (None, None, None) if n < FILLS => [n, (n + 1) % 3],
            (None, None, None) => {
                let from = choices.below(3);
                [from, (from + 1 + choices.below(2)) % 3]
            }
        };
        let ((id, own), other) = (images[from], images[to]);
        let (origin, region) = region(choices, own.shape.size());
        let spot = Spot { object: id, origin };
        let element = format.bytes();
        let bytes = region.iter().product::<usize>() * element;
        // Rows of the host may stand apart, where one way only says so.
        let plane = !matches!(own.shape, Shape::Line(_) | Shape::Lines(..));
        let said = by_host.map_or_else(|| choices.below(PITCHES.len()), |n| turn + n);
        let said = PITCHES[said % PITCHES.len()];
        let (row, slice) = if plane && said != [false; 2] {
            let close = region[0] * element;
            let third = !matches!(own.shape, Shape::Plane(..));
            // Either pitch may be said alone: rows follow each other closely without one, slices as rows do.
            let row = match said[0] || !third {
                true => close + choices.below(3) * element,
                false => 0,
            };
            let high = region[1] + choices.one_of(&[0, 1, 1, 2]);
            let slice = match third && said[1] {
                true => row.max(close) * high,
                false => 0,
            };
            (row, slice)
        } else if has_lines_apart && is_lines(own.shape) && choices.percent(60) {
            let close = region[0] * element;
            let row = choices.one_of(&[0, close, close + element]);
            // "must be greater than or equal to row_pitch x height": of so many lines, or of one.
            let slice = row.max(close) * region[1] + choices.below(3) * element;
            match slice * region[1] + 256 <= room {
                true => (row, slice),
                false => (0, 0),
            }
        } else {
            (0, 0)
        };
        let begin = choices.below(64) * 4;
        let corner = Corner {
            object: host,
            origin: [begin, 0, 0],
            row,
            slice,
        };
        let fit = [0, 1, 2].map(|d| region[d].min(other.1.shape.size()[d]));
        let near = [host, buffer];
        let what = match (pair, by_host, by_buffer, by_map) {
            (Some(_), ..) => across(choices, spot, other, fit),
            (_, Some(n), ..) if n % 2 == 0 => Transfer::ReadImage(moved(spot, corner, region)),
            (_, Some(_), ..) => Transfer::WriteImage(moved(corner, spot, region)),
            (_, _, Some(n), _) => by_copy(choices, n % 2 == 0, (spot, region), buffer),
            (_, _, _, Some(_)) => map(choices, (own.shape, spot, region), at(host, begin)),
            _ if n < FILLS => Transfer::FillImage {
                colour: colour(choices, format),
                to: spot,
                region,
            },
            _ => one(
                choices,
                (own, spot, region),
                corner,
                near,
                (other, fit),
                format,
            ),
        };
        debug_assert!(begin + bytes <= room, "a region has room");
        let blocking = choices.percent(40);
        case.transfer(what, blocking);
        if migrates && choices.percent(30) {
            case.transfer(migration(choices, images.map(|(id, _)| id), buffer), false);
        }
        // The host's memory is for one command at a time where the host copies by itself.
        case.step(Step::Finish);
    }
    let rules = &[rule::RG_IMAGE];
    let beside = if has_lines_apart { BESIDE } else { "" };
    let migrated = if migrates { MIGRATED } else { "" };
    let named = |what: &str| format!("{what}{beside}{migrated}");
    for (n, (id, _)) in images.into_iter().enumerate() {
        case.look(id, rules, &named(&format!("image {n}")), Want::AsMoved);
    }
    case.look(host, rules, &named("the host's memory"), Want::AsMoved);
    case.look(buffer, rules, &named("the buffer"), Want::AsMoved);
    case.case.profiled = choices.percent(60);
    case.case
}

/// A migration of some of the images, at times beside the buffer, in any order.
fn migration(choices: &mut Choices, images: [ObjectId; 3], buffer: ObjectId) -> Transfer {
    let mut left = images.to_vec();
    left.extend(choices.percent(30).then_some(buffer));
    let count = choices.between(1, left.len());
    let one = |_| left.swap_remove(choices.below(left.len()));
    Transfer::Migrate {
        objects: (0..count).map(one).collect(),
        to_host: choices.percent(50),
    }
}

/// A copy of what fits from a place of an image to the other one.
fn across(
    choices: &mut Choices,
    spot: Spot,
    (object, image): (ObjectId, Image),
    fit: [usize; 3],
) -> Transfer {
    let size = image.shape.size();
    let origin = [0, 1, 2].map(|d| choices.below(size[d] - fit[d] + 1));
    Transfer::CopyImage(moved(spot, Spot { object, origin }, fit))
}

/// A copy of a region of an image to a buffer, or from it. Where it begins there need not be a multiple of anything.
fn by_copy(
    choices: &mut Choices,
    is_read: bool,
    (spot, region): (Spot, [usize; 3]),
    buffer: ObjectId,
) -> Transfer {
    let place = at(buffer, choices.below(256));
    match is_read {
        true => Transfer::CopyImageToBuffer(moved(spot, place, region)),
        false => Transfer::CopyBufferToImage(moved(place, spot, region)),
    }
}

/// A transfer between a region of an image and the host, a buffer or the other image.
fn one(
    choices: &mut Choices,
    (own, spot, region): (Image, Spot, [usize; 3]),
    corner: Corner,
    [host, buffer]: [ObjectId; 2],
    (other, fit): ((ObjectId, Image), [usize; 3]),
    format: Format,
) -> Transfer {
    let begin = corner.origin[0];
    match choices.below(12) {
        0 | 9 => Transfer::ReadImage(moved(spot, corner, region)),
        1 | 10 => Transfer::WriteImage(moved(corner, spot, region)),
        2 | 3 if choices.percent(35) && own.shape.elements() > 1 => {
            Transfer::CopyImage(beside(choices, spot.object, own.shape, region))
        }
        2 | 3 => across(choices, spot, other, fit),
        n @ (4 | 5) => by_copy(choices, n == 4, (spot, region), buffer),
        6 | 11 => Transfer::FillImage {
            colour: colour(choices, format),
            to: spot,
            region,
        },
        _ => map(choices, (own.shape, spot, region), at(host, begin)),
    }
}

/// A map of a region for reading or for writing.
fn map(
    choices: &mut Choices,
    (shape, spot, region): (Shape, Spot, [usize; 3]),
    host: Place,
) -> Transfer {
    if choices.percent(50) {
        return Transfer::MapReadImage(moved(spot, host, region));
    }
    let invalidate = choices.percent(40);
    let size = shape.size();
    // What is invalidated has to be written, all of it.
    let beyond = match invalidate {
        true => [0; 3],
        false => [0, 1, 2].map(|d| choices.below(size[d] - spot.origin[d] - region[d] + 1)),
    };
    Transfer::MapWriteImage {
        from: host,
        to: spot,
        region,
        invalidate,
        beyond,
        reads: choices.percent(40),
    }
}

/// A colour to fill with, which may be darker or lighter than any that its channels keep where these saturate.
fn colour(choices: &mut Choices, format: Format) -> [i64; 4] {
    let mut colour = values(format, choices.below(1000) as u32, 0);
    let (low, high) = format.channel.limits();
    let (below, above) = format.channel.saturates();
    if above && choices.percent(40) {
        let beyond = choices.between(1, 3 * high as usize) as i64;
        let channel = choices.below(4);
        let all = [low - beyond, high + beyond];
        let number = choices
            .pick(if below { &all } else { &all[1..] })
            .unwrap_or(high);
        match format.order.is_gray() {
            true => colour = [number; 4],
            false => colour[channel] = number,
        }
    }
    colour
}

/// From one part of an image to another that has no element in common with it: in other columns, rows or slices.
fn beside(
    choices: &mut Choices,
    image: ObjectId,
    shape: Shape,
    mut region: [usize; 3],
) -> Region<Spot, Spot> {
    let size = shape.size();
    let wide: Vec<usize> = (0..3).filter(|d| size[*d] > 1).collect();
    let apart = choices.pick(&wide).unwrap_or(0);
    region[apart] = choices.between(1, size[apart] / 2);
    let mut places = || [0, 1, 2].map(|d| choices.below(size[d] - region[d] + 1));
    let (mut from, mut to) = (places(), places());
    from[apart] = choices.below(size[apart] - 2 * region[apart] + 1);
    to[apart] = choices.between(from[apart] + region[apart], size[apart] - region[apart]);
    if choices.percent(50) {
        std::mem::swap(&mut from, &mut to);
    }
    let [from, to] = [from, to].map(|origin| Spot {
        object: image,
        origin,
    });
    moved(from, to, region)
}

fn moved<From, To>(from: From, to: To, region: [usize; 3]) -> Region<From, To> {
    Region { from, to, region }
}

/// Where a region of an image begins, and its size: now and then the whole image, for which implementations have ways of
/// their own.
fn region(choices: &mut Choices, size: [usize; 3]) -> ([usize; 3], [usize; 3]) {
    let region = match choices.percent(20) {
        true => size,
        false => size.map(|n| choices.between(1, n)),
    };
    let origin = [0, 1, 2].map(|d| choices.below(size[d] - region[d] + 1));
    (origin, region)
}
