//! Identifiers of devices and of the library (`cl_khr_device_uuid`).
//!
//! "Device UUIDs must be immutable for a given device across processes, driver APIs, driver
//! versions, and system reboots." So a device's is made from what stays: the machine, which of
//! its root devices it is and, for a sub-device, how it was split off.

use std::sync::LazyLock;

use opencl_sys::CL_UUID_SIZE;

use super::capabilities::RELEASE;

/// A universally unique identifier as RFC 9562 lays it out, of version 8: made in a way of its
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uuid(pub [u8; CL_UUID_SIZE as usize]);

impl Uuid {
    /// Of a root device of this machine, by its number.
    pub fn of_root(number: u16) -> Self {
        static MACHINE: LazyLock<Vec<u8>> =
            LazyLock::new(|| std::fs::read("/etc/machine-id").unwrap_or_default());
        Self::of(&[b"touchstone device", &MACHINE, &number.to_le_bytes()])
    }

    /// Of a part of a device: how the device was split, and which of the parts it is.
    pub fn of_part(self, scheme: &[isize], number: usize) -> Self {
        let scheme: Vec<u8> = scheme.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self::of(&[&self.0, &scheme, &number.to_le_bytes()])
    }

    /// Of the library: of this version of it.
    pub fn of_driver() -> Self {
        Self::of(&[b"touchstone driver", RELEASE.as_bytes()])
    }

    /// The 128-bit FNV-1a hash of some texts, each with its length.
    fn of(parts: &[&[u8]]) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let step = |hash: u128, &byte: &u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        let hash = parts.iter().fold(BASIS, |hash, part| {
            let hash = (part.len() as u64).to_le_bytes().iter().fold(hash, step);
            part.iter().fold(hash, step)
        });
        let mut bytes = hash.to_be_bytes();
        bytes[6] = 0x80 | bytes[6] & 0x0f;
        bytes[8] = 0x80 | bytes[8] & 0x3f;
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_has_another_identifier_and_what_does_not_the_same() {
        let root = Uuid::of_root(0);
        assert_eq!(root, Uuid::of_root(0));
        let others = [
            Uuid::of_root(1),
            Uuid::of_driver(),
            root.of_part(&[1, 2, 0], 0),
            root.of_part(&[1, 2, 0], 1),
            root.of_part(&[1, 1, 0], 0),
            Uuid::of_root(1).of_part(&[1, 2, 0], 0),
        ];
        for (at, other) in others.iter().enumerate() {
            assert_ne!(*other, root);
            assert!(!others[..at].contains(other), "{other:?}");
        }
        assert_eq!((root.0[6] >> 4, root.0[8] >> 6), (8, 2));
    }
}
