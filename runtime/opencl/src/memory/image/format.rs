//! Image formats: which there are, which are supported, and what a colour looks like in one.
//!
//! Supported are the formats that the specification demands of a full profile device for
//! reading, writing and both, and all others of plain data types: one, two and four channels,
//! in each order; and those of depth, of planes and of arrays of planes. Those of another colour space and of packed
//! channels are not.

use half::f16;
use opencl_sys::*;

use super::geometry::Kind;
use crate::ffi::{Error, Result, codes};
use crate::platform::profile::{self, Feature};

codes! {
    /// How the channels of an element lie in memory.
    Order: cl_channel_order;
    /// Red.
    R = CL_R;
    /// Red, green.
    Rg = CL_RG;
    /// Red, green, blue, alpha.
    Rgba = CL_RGBA;
    /// Blue, green, red, alpha.
    Bgra = CL_BGRA;
    /// Alpha, red, green, blue.
    Argb = CL_ARGB;
    /// Alpha, blue, green, red.
    Abgr = CL_ABGR;
    /// Alpha.
    A = CL_A;
    /// Red, alpha.
    Ra = CL_RA;
    /// One number for all four.
    Intensity = CL_INTENSITY;
    /// One number for red, green and blue.
    Luminance = CL_LUMINANCE;
    /// A depth.
    Depth = CL_DEPTH;
}

codes! {
    /// What a channel holds.
    Channel: cl_channel_type;
    /// −1 to 1 in 8 bits.
    Snorm8 = CL_SNORM_INT8;
    /// −1 to 1 in 16 bits.
    Snorm16 = CL_SNORM_INT16;
    /// 0 to 1 in 8 bits.
    Unorm8 = CL_UNORM_INT8;
    /// 0 to 1 in 16 bits.
    Unorm16 = CL_UNORM_INT16;
    /// 8 bits, signed.
    Signed8 = CL_SIGNED_INT8;
    /// 16 bits, signed.
    Signed16 = CL_SIGNED_INT16;
    /// 32 bits, signed.
    Signed32 = CL_SIGNED_INT32;
    /// 8 bits, unsigned.
    Unsigned8 = CL_UNSIGNED_INT8;
    /// 16 bits, unsigned.
    Unsigned16 = CL_UNSIGNED_INT16;
    /// 32 bits, unsigned.
    Unsigned32 = CL_UNSIGNED_INT32;
    /// `half`.
    Half = CL_HALF_FLOAT;
    /// `float`.
    Float = CL_FLOAT;
}

/// A supported image format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The channels.
    pub order: Order,
    /// Their type.
    pub channel: Channel,
}

/// A colour as `clEnqueueFillImage` takes it: four `float`, `int` or `uint`, whichever the
/// format wants, as bits. A depth is the first of them.
pub type Colour = [u32; 4];

impl Order {
    /// For each channel in memory, which of red, green, blue and alpha it is.
    pub const fn channels(self) -> &'static [usize] {
        match self {
            Self::R | Self::Intensity | Self::Luminance | Self::Depth => &[0],
            Self::A => &[3],
            Self::Ra => &[0, 3],
            Self::Rg => &[0, 1],
            Self::Rgba => &[0, 1, 2, 3],
            Self::Bgra => &[2, 1, 0, 3],
            Self::Argb => &[3, 0, 1, 2],
            Self::Abgr => &[3, 2, 1, 0],
        }
    }
}

impl Channel {
    /// Bytes of one channel.
    pub const fn size(self) -> usize {
        match self {
            Self::Snorm8 | Self::Unorm8 | Self::Signed8 | Self::Unsigned8 => 1,
            Self::Snorm16 | Self::Unorm16 | Self::Signed16 | Self::Unsigned16 | Self::Half => 2,
            Self::Signed32 | Self::Unsigned32 | Self::Float => 4,
        }
    }

    /// Appends one component of a colour, converted as OpenCL C converts when a kernel
    /// writes it: normalized values are clamped and rounded to the nearest even, integers
    /// saturate.
    fn append(self, bits: u32, bytes: &mut Vec<u8>) {
        let float = f32::from_bits(bits);
        let signed = bits as i32;
        // A NaN becomes zero, as Rust's conversion of the product does.
        let scaled = |least: f32, most: f32| (float.clamp(least, 1.0) * most).round_ties_even();
        match self {
            Self::Snorm8 => bytes.push(scaled(-1.0, 127.0) as i8 as u8),
            Self::Snorm16 => bytes.extend((scaled(-1.0, 32767.0) as i16).to_ne_bytes()),
            Self::Unorm8 => bytes.push(scaled(0.0, 255.0) as u8),
            Self::Unorm16 => bytes.extend((scaled(0.0, 65535.0) as u16).to_ne_bytes()),
            Self::Signed8 => bytes.push(signed.clamp(-128, 127) as i8 as u8),
            Self::Signed16 => bytes.extend((signed.clamp(-32768, 32767) as i16).to_ne_bytes()),
            Self::Unsigned8 => bytes.push(bits.min(255) as u8),
            Self::Unsigned16 => bytes.extend((bits.min(65535) as u16).to_ne_bytes()),
            Self::Half => bytes.extend(f16::from_f32(float).to_ne_bytes()),
            Self::Signed32 | Self::Unsigned32 | Self::Float => bytes.extend(bits.to_ne_bytes()),
        }
    }
}

impl Format {
    /// Every supported format of a kind of images, in the order of the queries.
    pub fn of(kind: Kind) -> impl Iterator<Item = Self> {
        Self::all().filter(move |format| format.fits(kind))
    }

    /// Whether images of a kind may have the format: "Support for the CL_DEPTH image channel order is required only
    /// for 2D images and 2D image arrays."
    pub fn fits(self, kind: Kind) -> bool {
        self.order != Order::Depth || matches!(kind, Kind::D2 | Kind::D2Array)
    }

    /// Every supported format.
    fn all() -> impl Iterator<Item = Self> {
        Order::ALL
            .iter()
            .flat_map(|&order| {
                Channel::ALL
                    .iter()
                    .map(move |&channel| Self { order, channel })
                    .filter(|format| is_format(&format.code()))
            })
            .filter(|format| format.order != Order::Depth || profile::has(Feature::DepthImages))
    }

    /// Reads a format.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR` for what is no format,
    /// `CL_IMAGE_FORMAT_NOT_SUPPORTED` for one that is not supported.
    pub fn read(code: &cl_image_format) -> Result<Self> {
        let matches = |format: &Self| {
            let code_of = format.code();
            code_of.image_channel_order == code.image_channel_order
                && code_of.image_channel_data_type == code.image_channel_data_type
        };
        Self::all().find(matches).ok_or(if is_format(code) {
            Error(CL_IMAGE_FORMAT_NOT_SUPPORTED)
        } else {
            Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        })
    }

    /// Whether an image of the format may have the elements of one of another ("Compatible Image Channel Orders").
    pub fn is_view_of(self, of: Self) -> bool {
        self.channel == of.channel && self.order == Order::Depth && of.order == Order::R
    }

    /// As the queries report it.
    pub fn code(self) -> cl_image_format {
        cl_image_format {
            image_channel_order: self.order.code(),
            image_channel_data_type: self.channel.code(),
        }
    }

    /// Bytes of one element.
    pub fn element_size(self) -> usize {
        self.order.channels().len() * self.channel.size()
    }

    /// How many components a colour has.
    pub fn components(self) -> usize {
        match self.order {
            Order::Depth => 1,
            _ => 4,
        }
    }

    /// The element that shows a colour.
    pub fn element(self, colour: Colour) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.element_size());
        for &component in self.order.channels() {
            self.channel.append(colour[component], &mut bytes);
        }
        bytes
    }
}

/// Whether the specification knows a format, supported or not: which channel orders go with
/// which types (`opencl_runtime_layer`, Image Format Descriptor; the 1.2 text lists the
/// combinations).
#[allow(non_upper_case_globals, reason = "the names are the specification's")]
fn is_format(code: &cl_image_format) -> bool {
    let channel = code.image_channel_data_type;
    let normalized = [CL_SNORM_INT8, CL_SNORM_INT16, CL_UNORM_INT8, CL_UNORM_INT16];
    let floating = [CL_HALF_FLOAT, CL_FLOAT];
    let packed = [CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010];
    let plain = Channel::ALL.iter().any(|known| known.code() == channel);
    match code.image_channel_order {
        CL_R | CL_A | CL_RG | CL_RA => plain,
        CL_RGBA => plain || channel == CL_UNORM_INT_101010_2,
        CL_LUMINANCE | CL_INTENSITY => normalized.contains(&channel) || floating.contains(&channel),
        CL_Rx | CL_RGx => plain,
        CL_RGB | CL_RGBx => packed.contains(&channel),
        CL_BGRA | CL_ARGB | CL_ABGR => [
            CL_UNORM_INT8,
            CL_SNORM_INT8,
            CL_SIGNED_INT8,
            CL_UNSIGNED_INT8,
        ]
        .contains(&channel),
        CL_sRGB | CL_sRGBx | CL_sRGBA | CL_sBGRA => channel == CL_UNORM_INT8,
        CL_DEPTH => channel == CL_UNORM_INT16 || channel == CL_FLOAT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: [f32; 4]) -> Colour {
        values.map(f32::to_bits)
    }

    #[test]
    fn colours_are_clamped_rounded_and_swizzled() {
        let of = |order, channel| Format { order, channel };
        let bgra = of(Order::Bgra, Channel::Unorm8);
        assert_eq!(
            bgra.element(floats([1.0, 0.0, 0.5, -3.0])),
            [128, 0, 255, 0]
        );
        for (order, element) in [
            (Order::Argb, &[0, 255, 0, 128][..]),
            (Order::Abgr, &[0, 128, 0, 255]),
            (Order::A, &[0]),
            (Order::Ra, &[255, 0]),
            (Order::Intensity, &[255]),
            (Order::Luminance, &[255]),
            (Order::Depth, &[255]),
        ] {
            let colour = floats([1.0, 0.0, 0.5, -3.0]);
            assert_eq!(of(order, Channel::Unorm8).element(colour), element);
        }
        let norm = of(Order::Rgba, Channel::Snorm8);
        let expected = [-127i8 as u8, 127, 64, 0];
        assert_eq!(norm.element(floats([-2.0, 9.0, 0.5, f32::NAN])), expected);
        let red = of(Order::R, Channel::Half);
        assert_eq!(
            red.element(floats([1.0, 2.0, 3.0, 4.0])),
            0x3c00u16.to_ne_bytes()
        );
        let signed = of(Order::Rg, Channel::Signed8);
        let colour = [-1000i32 as u32, 1000, 0, 0];
        assert_eq!(signed.element(colour), [-128i8 as u8, 127]);
        let wide = of(Order::Rgba, Channel::Unsigned16);
        let words: Vec<u8> = [1u16, 65535, 65535, 7]
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        assert_eq!(wide.element([1, 65535, 65536, 7]), words);
    }

    #[test]
    fn every_demanded_format_is_supported() {
        let every_type = [
            CL_UNORM_INT8,
            CL_UNORM_INT16,
            CL_SIGNED_INT8,
            CL_SIGNED_INT16,
            CL_SIGNED_INT32,
            CL_UNSIGNED_INT8,
            CL_UNSIGNED_INT16,
            CL_UNSIGNED_INT32,
            CL_HALF_FLOAT,
            CL_FLOAT,
        ];
        let demanded = every_type
            .iter()
            .flat_map(|&channel| [(CL_RGBA, channel), (CL_R, channel)])
            .chain([(CL_BGRA, CL_UNORM_INT8)]);
        for (image_channel_order, image_channel_data_type) in demanded {
            let code = cl_image_format {
                image_channel_order,
                image_channel_data_type,
            };
            let format = Format::read(&code).unwrap();
            assert!(format.element_size().is_power_of_two());
        }
    }

    #[test]
    fn unknown_and_unsupported_formats_differ() {
        let read = |image_channel_order, image_channel_data_type| {
            Format::read(&cl_image_format {
                image_channel_order,
                image_channel_data_type,
            })
        };
        assert_eq!(
            read(CL_RGB, CL_UNORM_SHORT_565),
            Err(Error(CL_IMAGE_FORMAT_NOT_SUPPORTED))
        );
        assert_eq!(
            read(CL_RGB, CL_FLOAT),
            Err(Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))
        );
        assert_eq!(
            read(CL_RGBA, 0x1234),
            Err(Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))
        );
        assert_eq!(
            read(0, CL_FLOAT),
            Err(Error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))
        );
    }
}
