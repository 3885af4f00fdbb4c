//! What a sampler reads of an image: the nearest element, or a mix of neighbours.

use super::values;
use crate::kernels::image::{Addressing, Channel, Format, Image};
use std::cmp::Ordering;

/// Quarters by which a linear filter mixes elements in each of up to three dimensions keep numbers whole that are
/// multiples of this.
const MIXED: i64 = 64;

/// The values of an element of an image that is read with a linear filter, or without: of a channel that has it, zero is
/// between them, so that none of these multiples is beyond its limits.
fn read_values(linear: bool, format: Format, seed: u32, element: usize) -> [i64; 4] {
    values(format, seed, element).map(|value| match linear {
        true => value / MIXED * MIXED,
        false => value,
    })
}

/// The bytes of an image that is filled with such numbers.
pub(super) fn contents(linear: bool, image: Image, seed: u32) -> Vec<u8> {
    let elements = 0..image.shape.elements();
    // The two lowest numbers of a signed normalized channel are both -1 ("-128 and -127 must convert to -1.0f").
    let signed = matches!(image.format.channel, Channel::Snorm8 | Channel::Snorm16);
    let (low, _) = image.format.channel.limits();
    let bytes = |element| {
        let values = read_values(linear, image.format, seed, element);
        let lowest = |channel: usize| {
            let value = image.format.channel.nearest(values[channel]);
            let turn = (element + channel + seed as usize) % 2;
            value - i64::from(signed && turn == 1 && value == low)
        };
        image.format.as_they_are([0, 1, 2, 3].map(lowest))
    };
    elements.flat_map(bytes).collect()
}

/// What a kernel reads with a linear filter so many quarters behind the middle of an element: "the weighted average"
/// of the elements on both sides of the place, in each direction of one image ("Linear Filtering").
pub(super) fn mixed(
    own: Image,
    seed: u32,
    addressing: Addressing,
    place: &[i64; 3],
    beyond: i64,
) -> [u32; 4] {
    let (_, spatial) = own.shape.coordinates();
    let (before, behind) = (beyond.div_euclid(4), beyond.rem_euclid(4));
    let mut sums = [0i64; 4];
    for corner in 0..1 << spatial {
        let (mut at, mut weight) = (*place, 1);
        for (d, at) in at.iter_mut().enumerate() {
            let far = corner >> d & 1;
            let (shift, quarters) = match d < spatial {
                true if far == 1 => (before + 1, behind),
                true => (before, 4 - behind),
                false => (0, 4),
            };
            *at += shift;
            weight *= quarters;
        }
        let element = element_values(true, own, seed, addressing, &at);
        for (sum, value) in sums.iter_mut().zip(element) {
            *sum += weight * value;
        }
    }
    // Of each direction four quarters, of one that is none, too.
    sums.map(|sum| (sum / MIXED) as u32)
}

/// What a kernel reads at a place inside or outside of an image, so many eighths behind the number of a layer.
pub(super) fn sampled_element(
    own: Image,
    seed: u32,
    addressing: Addressing,
    place: &[i64; 3],
    beyond: i64,
) -> [u32; 4] {
    let (_, spatial) = own.shape.coordinates();
    let mut place = *place;
    for at in &mut place[spatial..] {
        *at = nearest_layer(8 * *at + beyond);
    }
    element_values(false, own, seed, addressing, &place).map(|value| value as u32)
}

/// The layer of so many eighths: "layer = clamp(rint(w), 0, d - 1)", of which the caller clamps.
fn nearest_layer(eighths: i64) -> i64 {
    let below = eighths.div_euclid(8);
    match eighths.rem_euclid(8).cmp(&4) {
        Ordering::Less => below,
        Ordering::Equal => below + (below & 1),
        Ordering::Greater => below + 1,
    }
}

/// The values of red, green, blue and alpha at a place inside or outside of an image.
fn element_values(
    linear: bool,
    own: Image,
    seed: u32,
    addressing: Addressing,
    place: &[i64; 3],
) -> [i64; 4] {
    let (size, (coordinates, spatial)) = (own.shape.size(), own.shape.coordinates());
    let (mut at, mut inside) = ([0; 3], true);
    for d in 0..coordinates {
        let mode = match d < spatial {
            true => addressing,
            false => Addressing::ClampToEdge,
        };
        match resolve(mode, place[d], size[d]) {
            Some(coordinate) => at[d] = coordinate,
            None => inside = false,
        }
    }
    let element = read_values(linear, own.format, seed, own.shape.index(at));
    let channels = own.format.order.places();
    [0, 1, 2, 3].map(|channel| {
        // What an image lacks is 0, and 1 for alpha; the border of one with alpha is 0.
        match (channels[channel], inside) {
            (Some(_), true) => element[channel],
            (None, _) if channel == 3 => own.format.channel.scale().unwrap_or(1).into(),
            (Some(_) | None, _) => 0,
        }
    })
}

/// What a coordinate outside of an image leads to; none is the border.
fn resolve(addressing: Addressing, at: i64, size: usize) -> Option<usize> {
    let size = size as i64;
    let inside = match addressing {
        Addressing::None | Addressing::Clamp => (0..size).contains(&at).then_some(at)?,
        Addressing::ClampToEdge => at.clamp(0, size - 1),
        Addressing::Repeat => at.rem_euclid(size),
        Addressing::MirroredRepeat => {
            let twice = at.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    Some(inside as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::image::{Order, Shape};

    #[test]
    fn a_mix_beyond_an_edge_is_that_of_the_reflection() {
        let own = Image {
            shape: Shape::Line(4),
            format: Format {
                order: Order::R,
                channel: Channel::Snorm16,
            },
        };
        let mode = Addressing::MirroredRepeat;
        let element = |at: i64| element_values(true, own, 7, mode, &[at, 0, 0])[0];
        // Coordinates of -1/4 and 9/4 are read as those of 1/4 and 7/4, of which the last is read as that of 1/4.
        for (place, beyond) in [(-1, -2), (8, 2)] {
            let [red, ..] = mixed(own, 7, mode, &[place, 0, 0], beyond);
            assert_eq!(i64::from(red as i32), (element(0) + element(1)) / 2);
        }
        let [red, ..] = mixed(own, 7, mode, &[4, 0, 0], -1);
        assert_eq!(red as i32, element(3) as i32);
    }

    #[test]
    fn a_layer_in_the_middle_is_the_even_one() {
        let cases = [
            (0, 0),
            (3, 0),
            (4, 0),
            (5, 1),
            (12, 2),
            (20, 2),
            (-3, 0),
            (-4, 0),
            (-12, -2),
        ];
        for (eighths, layer) in cases {
            assert_eq!(nearest_layer(eighths), layer, "{eighths}");
        }
    }

    #[test]
    fn both_lowest_numbers_of_a_signed_channel_are_there_and_are_read_as_one() {
        let own = Image {
            shape: Shape::Plane(8, 8),
            format: Format {
                order: Order::R,
                channel: Channel::Snorm8,
            },
        };
        let bytes = contents(false, own, 3);
        for lowest in [-128, -127i8] {
            let at = bytes.iter().position(|byte| byte.cast_signed() == lowest);
            let at = at.expect("it is there") as i64;
            let place = [at % 8, at / 8, 0];
            let [red, ..] = element_values(false, own, 3, Addressing::None, &place);
            assert_eq!(red, -127);
        }
    }
}
