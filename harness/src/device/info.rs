//! Answers of an implementation to its info queries, decoded without trust: an answer of the wrong
//! size is an error of that answer, not of the reader.

use opencl3::device::Device;
use opencl3::platform::Platform;

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer(pub String);

/// The raw answer of a device to one query.
pub fn bytes(device: &Device, query: u32) -> Result<Vec<u8>, NoAnswer> {
    device
        .get_data(query)
        .map_err(|e| NoAnswer(format!("error {} ({e})", e.0)))
}

/// An answer of 32 bits.
pub fn u32_of(device: &Device, query: u32) -> Result<u32, NoAnswer> {
    fixed(&bytes(device, query)?).map(u32::from_ne_bytes)
}

/// An answer of 64 bits.
pub fn u64_of(device: &Device, query: u32) -> Result<u64, NoAnswer> {
    fixed(&bytes(device, query)?).map(u64::from_ne_bytes)
}

/// An answer as wide as a pointer.
pub fn size_of(device: &Device, query: u32) -> Result<usize, NoAnswer> {
    fixed(&bytes(device, query)?).map(usize::from_ne_bytes)
}

/// A `cl_bool`.
pub fn bool_of(device: &Device, query: u32) -> Result<bool, NoAnswer> {
    u32_of(device, query).map(|b| b != 0)
}

/// A string; without the closing zero, and without control characters.
pub fn text_of(device: &Device, query: u32) -> Result<String, NoAnswer> {
    bytes(device, query).map(|b| text(&b))
}

/// A platform's string; empty where it gives none.
pub fn platform_text(platform: &Platform, query: u32) -> String {
    platform
        .get_data(query)
        .map(|b| text(&b))
        .unwrap_or_default()
}

/// The versions in an array of `cl_name_version`, as (major, minor).
pub fn versions_of(device: &Device, query: u32) -> Result<Vec<(u32, u32)>, NoAnswer> {
    let named = named_versions_of(device, query)?.into_iter();
    Ok(named.map(|(_, (major, minor, _))| (major, minor)).collect())
}

/// A name with its version, as (major, minor, patch).
pub type NamedVersion = (String, (u32, u32, u32));

/// The names and versions in an array of `cl_name_version`.
pub fn named_versions_of(device: &Device, query: u32) -> Result<Vec<NamedVersion>, NoAnswer> {
    const ENTRY: usize = 4 + 64;
    let bytes = bytes(device, query)?;
    if bytes.len() % ENTRY != 0 {
        return Err(wrong_size(bytes.len()));
    }
    bytes
        .chunks_exact(ENTRY)
        .map(|entry| {
            let packed = u32::from_ne_bytes(fixed(&entry[..4])?);
            let version = (packed >> 22, (packed >> 12) & 0x3ff, packed & 0xfff);
            Ok((text(&entry[4..]), version))
        })
        .collect()
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], NoAnswer> {
    bytes.try_into().map_err(|_| wrong_size(bytes.len()))
}

fn wrong_size(size: usize) -> NoAnswer {
    NoAnswer(format!("an answer of {size} bytes, which is not its size"))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end])
        .replace(|c: char| c.is_control(), " ")
        .trim()
        .to_string()
}

/// The version in `OpenCL 3.0 …` or `OpenCL C 1.2 …`.
pub fn version_in(text: &str) -> Option<(u32, u32)> {
    let rest = text
        .strip_prefix("OpenCL C ")
        .or_else(|| text.strip_prefix("OpenCL "))?;
    let number = rest.split_whitespace().next()?;
    let (major, minor) = number.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_strings() {
        assert_eq!(version_in("OpenCL 3.0 PoCL HSTR: x86_64"), Some((3, 0)));
        assert_eq!(version_in("OpenCL C 1.2 PoCL"), Some((1, 2)));
        assert_eq!(version_in("OpenCL 2.1"), Some((2, 1)));
        for wrong in [
            "",
            "OpenCL",
            "OpenCL ",
            "OpenCL x.y",
            "opencl 3.0",
            "CUDA 12",
        ] {
            assert_eq!(version_in(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn texts_end_at_the_first_zero() {
        assert_eq!(text(b"abc\0def"), "abc");
        assert_eq!(text(b" a\nb \0"), "a b");
        assert_eq!(text(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn wrong_sizes_are_no_answers() {
        assert!(fixed::<4>(&[1, 2, 3]).is_err());
        assert_eq!(fixed::<2>(&[1, 2]), Ok([1, 2]));
    }
}
