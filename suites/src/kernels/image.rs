//! Images: what they are, and the bytes of their elements.
//!
//! The bytes of an image are thought of as its elements one after the other, without gaps: the first
//! coordinate runs fastest, then the second, then the third. How an implementation keeps them does
//! not matter, since the host sees images through transfers only. Coordinates, origins and regions
//! are those of the API: the layer of an array is the coordinate behind those of its images.

use crate::host::Slot as ObjectId;
use crate::host::constant::{Constant, cl};
use classay_vocabulary::words;
use serde::{Deserialize, Serialize};

/// An image's shape, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One dimension.
    Line(usize),
    /// Two dimensions: width, height.
    Plane(usize, usize),
    /// Three dimensions: width, height, depth.
    Block(usize, usize, usize),
    /// An array of lines: width, layers.
    Lines(usize, usize),
    /// An array of planes: width, height, layers.
    Planes(usize, usize, usize),
}

impl Shape {
    /// Elements in the direction of each coordinate.
    pub fn size(self) -> [usize; 3] {
        match self {
            Shape::Line(w) => [w, 1, 1],
            Shape::Plane(w, h) | Shape::Lines(w, h) => [w, h, 1],
            Shape::Block(w, h, d) | Shape::Planes(w, h, d) => [w, h, d],
        }
    }

    /// Elements.
    pub fn elements(self) -> usize {
        self.size().into_iter().fold(1, usize::saturating_mul)
    }

    /// The type's name in the headers and, without `_t`, in OpenCL C; how many coordinates tell an element, and of these
    /// how many lie in one image.
    fn row(self) -> (Constant, &'static str, usize, usize) {
        match self {
            Shape::Line(_) => (cl::CL_MEM_OBJECT_IMAGE1D, "image1d", 1, 1),
            Shape::Plane(..) => (cl::CL_MEM_OBJECT_IMAGE2D, "image2d", 2, 2),
            Shape::Block(..) => (cl::CL_MEM_OBJECT_IMAGE3D, "image3d", 3, 3),
            Shape::Lines(..) => (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array", 2, 1),
            Shape::Planes(..) => (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array", 3, 2),
        }
    }

    /// The type's name in the headers.
    pub fn constant(self) -> Constant {
        self.row().0
    }

    /// The type of OpenCL C, without `_t`, where elements are colours.
    fn c_type(self) -> &'static str {
        self.row().1
    }

    /// How many coordinates tell an element, and of these how many lie in one image.
    pub fn coordinates(self) -> (usize, usize) {
        let (_, _, all, inside) = self.row();
        (all, inside)
    }

    /// The number of the element at these coordinates.
    pub fn index(self, at: [usize; 3]) -> usize {
        let [w, h, _] = self.size();
        (at[2] * h + at[1]) * w + at[0]
    }
}

/// The channels of an element, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Order {
    /// Red.
    R,
    /// Red, green.
    Rg,
    /// Red, green, blue, alpha.
    Rgba,
    /// Blue, green, red, alpha.
    Bgra,
    /// Alpha.
    A,
    /// Red, alpha.
    Ra,
    /// Alpha, red, green, blue.
    Argb,
    /// Alpha, blue, green, red.
    Abgr,
    /// One number, which is red, green, blue and alpha.
    Intensity,
    /// One number, which is red, green and blue.
    Luminance,
    /// Red, green and blue of another colour space, alpha.
    Srgba,
    /// A depth, which kernels read and write as a single float.
    Depth,
}

impl Order {
    /// Its name in the headers, how many channels there are, and where red, green, blue and alpha stand in an element;
    /// none where the image lacks the channel.
    fn row(self) -> (Constant, usize, [Option<usize>; 4]) {
        match self {
            Order::R => (cl::CL_R, 1, [Some(0), None, None, None]),
            Order::Rg => (cl::CL_RG, 2, [Some(0), Some(1), None, None]),
            Order::Rgba => (cl::CL_RGBA, 4, [0, 1, 2, 3].map(Some)),
            Order::Bgra => (cl::CL_BGRA, 4, [2, 1, 0, 3].map(Some)),
            Order::A => (cl::CL_A, 1, [None, None, None, Some(0)]),
            Order::Ra => (cl::CL_RA, 2, [Some(0), None, None, Some(1)]),
            Order::Argb => (cl::CL_ARGB, 4, [1, 2, 3, 0].map(Some)),
            Order::Abgr => (cl::CL_ABGR, 4, [3, 2, 1, 0].map(Some)),
            Order::Intensity => (cl::CL_INTENSITY, 1, [Some(0); 4]),
            Order::Luminance => (cl::CL_LUMINANCE, 1, [Some(0), Some(0), Some(0), None]),
            Order::Srgba => (cl::CL_sRGBA, 4, [0, 1, 2, 3].map(Some)),
            Order::Depth => (cl::CL_DEPTH, 1, [Some(0), None, None, None]),
        }
    }

    /// Its name in the headers.
    pub fn constant(self) -> Constant {
        self.row().0
    }

    /// How many.
    pub fn channels(self) -> usize {
        self.row().1
    }

    /// Where red, green, blue and alpha stand in an element; none where the image lacks the channel.
    pub fn places(self) -> [Option<usize>; 4] {
        self.row().2
    }

    /// Which of red, green, blue and alpha each channel of an element is; of several, the first.
    pub fn stored(self) -> Vec<usize> {
        let of = |place| self.places().iter().position(|p| *p == Some(place));
        (0..self.channels()).filter_map(of).collect()
    }

    /// Whether a colour has the same number for each of the channels that are one in memory: which of several is kept the
    /// text does not say.
    pub fn is_gray(self) -> bool {
        matches!(self, Order::Intensity | Order::Luminance)
    }
}

words! {
    /// The type of a channel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Channel {
        /// CL_UNORM_INT8.
        Unorm8 = "unorm8",
        /// CL_UNORM_INT16.
        Unorm16 = "unorm16",
        /// CL_SNORM_INT8.
        Snorm8 = "snorm8",
        /// CL_SNORM_INT16.
        Snorm16 = "snorm16",
        /// CL_SIGNED_INT8.
        Signed8 = "signed8",
        /// CL_SIGNED_INT16.
        Signed16 = "signed16",
        /// CL_SIGNED_INT32.
        Signed32 = "signed32",
        /// CL_UNSIGNED_INT8.
        Unsigned8 = "unsigned8",
        /// CL_UNSIGNED_INT16.
        Unsigned16 = "unsigned16",
        /// CL_UNSIGNED_INT32.
        Unsigned32 = "unsigned32",
        /// CL_HALF_FLOAT.
        Half = "half",
        /// CL_FLOAT.
        Float = "float",
    }
}

/// What a kernel reads from a channel, and writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// `int4`, through `read_imagei`.
    Int,
    /// `uint4`, through `read_imageui`.
    Uint,
    /// `float4`, through `read_imagef`.
    Float,
}

/// What is known of a channel.
struct Row {
    constant: Constant,
    bytes: usize,
    told: Told,
    limits: (i64, i64),
    normalized: bool,
}

impl Channel {
    fn row(self) -> Row {
        use Told::{Float, Int, Uint};
        let (constant, bytes, told, low, high, normalized) = match self {
            Channel::Unorm8 => (cl::CL_UNORM_INT8, 1, Float, 0, 255, true),
            Channel::Unorm16 => (cl::CL_UNORM_INT16, 2, Float, 0, 65535, true),
            Channel::Snorm8 => (cl::CL_SNORM_INT8, 1, Float, -127, 127, true),
            Channel::Snorm16 => (cl::CL_SNORM_INT16, 2, Float, -32767, 32767, true),
            Channel::Signed8 => (cl::CL_SIGNED_INT8, 1, Int, -128, 127, false),
            Channel::Signed16 => (cl::CL_SIGNED_INT16, 2, Int, -32768, 32767, false),
            Channel::Signed32 => (
                cl::CL_SIGNED_INT32,
                4,
                Int,
                i64::from(i32::MIN),
                i64::from(i32::MAX),
                false,
            ),
            Channel::Unsigned8 => (cl::CL_UNSIGNED_INT8, 1, Uint, 0, 255, false),
            Channel::Unsigned16 => (cl::CL_UNSIGNED_INT16, 2, Uint, 0, 65535, false),
            Channel::Unsigned32 => (
                cl::CL_UNSIGNED_INT32,
                4,
                Uint,
                0,
                i64::from(u32::MAX),
                false,
            ),
            Channel::Half => (cl::CL_HALF_FLOAT, 2, Float, -2048, 2048, false),
            Channel::Float => (cl::CL_FLOAT, 4, Float, -(1 << 24), 1 << 24, false),
        };
        Row {
            constant,
            bytes,
            told,
            limits: (low, high),
            normalized,
        }
    }

    /// Its name in the headers.
    pub fn constant(self) -> Constant {
        self.row().constant
    }

    /// Bytes.
    pub fn bytes(self) -> usize {
        self.row().bytes
    }

    /// What kernels see.
    pub fn told(self) -> Told {
        self.row().told
    }

    /// The smallest and the largest whole number that a channel keeps exactly: a value, or for
    /// normalized channels what a value of 1 is multiplied with.
    pub fn limits(self) -> (i64, i64) {
        self.row().limits
    }

    /// What a value of a kernel is multiplied with to be the channel's whole number.
    pub fn scale(self) -> Option<u32> {
        let row = self.row();
        row.normalized.then_some(row.limits.1 as u32)
    }

    /// Of a normalized channel and one of whole numbers, the nearest of the numbers within the limits; of others, the
    /// number itself.
    pub fn nearest(self, value: i64) -> i64 {
        let row = self.row();
        match row.normalized || row.told != Told::Float {
            true => value.clamp(row.limits.0, row.limits.1),
            false => value,
        }
    }

    /// Whether a colour may have a number below the limits, and one above, that becomes the nearest within them: "the
    /// conversions described in this section must be correctly saturated".
    pub fn saturates(self) -> (bool, bool) {
        let row = self.row();
        let narrow = row.limits.1 < 1 << 16;
        match row.told {
            // What a fraction below -1 becomes is one of two numbers.
            Told::Float => (row.normalized && row.limits.0 == 0, row.normalized),
            Told::Int => (narrow, narrow),
            Told::Uint => (false, narrow),
        }
    }

    /// The bytes of a whole number that fits into them.
    fn encode(self, value: i64) -> Vec<u8> {
        if self == Channel::Float {
            (value as f32).to_le_bytes().to_vec()
        } else if self == Channel::Half {
            half(value).to_le_bytes().to_vec()
        } else {
            value.to_le_bytes()[..self.bytes()].to_vec()
        }
    }
}

/// A whole number of at most eleven bits as a half-precision float, which holds it exactly.
fn half(value: i64) -> u16 {
    let sign = if value < 0 { 0x8000 } else { 0 };
    let size = value.unsigned_abs().min(2048) as u32;
    if size == 0 {
        return sign;
    }
    let exponent = 31 - size.leading_zeros();
    let fraction = (size << 10 >> exponent) & 0x3ff;
    sign | ((exponent + 15) << 10) as u16 | fraction as u16
}

/// The format of an image's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// The channels.
    pub order: Order,
    /// Their type.
    pub channel: Channel,
}

impl Format {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        self.order.channels() * self.channel.bytes()
    }

    /// The bytes of an element that has these values for red, green, blue and alpha, or the nearest that its channels
    /// keep.
    pub fn encode(self, values: [i64; 4]) -> Vec<u8> {
        self.as_they_are(values.map(|value| self.channel.nearest(value)))
    }

    /// The bytes of an element with these values, also where they are beyond the limits of a normalized channel.
    pub fn as_they_are(self, values: [i64; 4]) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        let width = self.channel.bytes();
        for (value, place) in values.into_iter().zip(self.order.places()) {
            if let Some(place) = place {
                bytes[place * width..(place + 1) * width]
                    .copy_from_slice(&self.channel.encode(value));
            }
        }
        bytes
    }

    /// The colour of these values as clEnqueueFillImage takes it: four words, of the type that kernels
    /// see. Of a depth the first one counts: "a single floating-point value".
    pub fn fill_words(self, colour: [i64; 4]) -> [u32; 4] {
        colour.map(|value| match self.channel.told() {
            Told::Int => (value as i32).cast_unsigned(),
            Told::Uint => value as u32,
            Told::Float => (value as f32 / self.channel.scale().unwrap_or(1) as f32).to_bits(),
        })
    }
}

/// An image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Its shape.
    pub shape: Shape,
    /// Its elements.
    pub format: Format,
}

impl Image {
    /// The type of OpenCL C, without `_t`.
    pub fn c_type(self) -> &'static str {
        match (self.format.order, self.shape) {
            (Order::Depth, Shape::Plane(..)) => "image2d_depth",
            (Order::Depth, Shape::Planes(..)) => "image2d_array_depth",
            _ => self.shape.c_type(),
        }
    }

    /// Bytes of all elements.
    pub fn bytes(self) -> usize {
        self.shape.elements().saturating_mul(self.format.bytes())
    }

    /// Bytes of a row without gaps.
    pub fn row(self) -> usize {
        self.shape.size()[0].saturating_mul(self.format.bytes())
    }
}

/// A place in an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The image.
    pub object: ObjectId,
    /// The coordinates of the first element.
    pub origin: [usize; 3],
}

/// How a sampler reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampler {
    /// Coordinates run from 0 to 1.
    pub normalized: bool,
    /// What lies outside.
    pub addressing: Addressing,
    /// It mixes the elements around a place.
    pub linear: bool,
}

words! {
    /// What a sampler finds outside of an image, by the end of the name of its mode.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Addressing {
        /// Nothing: coordinates lie inside.
        None = "NONE",
        /// The element at the edge.
        ClampToEdge = "CLAMP_TO_EDGE",
        /// The border colour.
        Clamp = "CLAMP",
        /// The image again.
        Repeat = "REPEAT",
        /// The image's reflection.
        MirroredRepeat = "MIRRORED_REPEAT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_halves() {
        let cases = [
            (0, 0),
            (1, 0x3c00),
            (-2, 0xc000),
            (3, 0x4200),
            (2047, 0x67ff),
            (2048, 0x6800),
        ];
        for (value, bits) in cases {
            assert_eq!(half(value), bits, "{value}");
        }
    }

    #[test]
    fn what_a_channel_does_not_keep_becomes_the_nearest() {
        let cases = [
            (Channel::Unsigned8, 300, 255),
            (Channel::Unsigned16, 70_000, 65_535),
            (Channel::Signed8, -129, -128),
            (Channel::Signed16, 40_000, 32_767),
            (Channel::Snorm8, 128, 127),
            (Channel::Unorm16, -1, 0),
            (Channel::Unsigned32, 1 << 31, 1 << 31),
            (Channel::Half, 2049, 2049),
        ];
        for (channel, value, nearest) in cases {
            assert_eq!(channel.nearest(value), nearest, "{channel:?}");
            let (low, high) = channel.limits();
            let (below, above) = channel.saturates();
            assert!(value >= low || below, "{channel:?}");
            assert!(value <= high || above || channel == Channel::Half);
        }
    }

    #[test]
    fn channels_stand_in_their_order() {
        let format = |order| Format {
            order,
            channel: Channel::Unsigned8,
        };
        assert_eq!(format(Order::Rgba).encode([1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(format(Order::Bgra).encode([1, 2, 3, 4]), [3, 2, 1, 4]);
        assert_eq!(format(Order::Rg).encode([1, 2, 3, 4]), [1, 2]);
        assert_eq!(format(Order::A).encode([1, 2, 3, 4]), [4]);
        assert_eq!(format(Order::Ra).encode([1, 2, 3, 4]), [1, 4]);
        assert_eq!(format(Order::Argb).encode([1, 2, 3, 4]), [4, 1, 2, 3]);
        assert_eq!(format(Order::Abgr).encode([1, 2, 3, 4]), [4, 3, 2, 1]);
        assert_eq!(format(Order::Luminance).encode([7, 7, 7, 1]), [7]);
        for order in [Order::Argb, Order::Abgr, Order::Bgra, Order::Ra, Order::A] {
            let stored = order.stored().into_iter().map(|c| c as u8 + 1);
            assert_eq!(
                stored.collect::<Vec<_>>(),
                format(order).encode([1, 2, 3, 4])
            );
        }
        assert_eq!(Order::Intensity.stored(), [0]);
    }
}
