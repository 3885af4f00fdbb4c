//! Sub-devices: partitioning a device (`opencl_platform_layer`, Partitioning a Device).
//!
//! A device can be split equally or by counts of compute units. There is no affinity
//! domain to split along: a compute unit is a thread, which the system moves between cores
//! as it likes.

use std::sync::{Arc, OnceLock};

use opencl_sys::*;

use super::Device;
use super::limits::Limits;
use super::profile::{self, Feature};
use crate::ffi::{Error, Result, ensure};
use crate::object::Header;

/// How to split a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Into parts of so many compute units, as many as there are.
    Equally(usize),
    /// Into parts of these many compute units.
    ByCounts(Vec<usize>),
}

/// The schemes a device supports, as the queries name them.
pub fn supported(device: &Device) -> &'static [cl_device_partition_property] {
    if device.limits.compute_units > 1 && profile::has(Feature::SubDevices) {
        &[CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS]
    } else {
        &[]
    }
}

/// The most sub-devices that a device can be split into; zero when it cannot be.
pub fn most(device: &Device) -> usize {
    if supported(device).is_empty() {
        0
    } else {
        device.limits.compute_units
    }
}

impl Scheme {
    /// Reads a property list.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for null, an empty list, more than one scheme, an unknown scheme
    /// or one that is not supported, and a value that makes no sense;
    /// `CL_INVALID_DEVICE_PARTITION_COUNT` for a count below zero.
    ///
    /// # Safety
    /// `list` is null or a list as the specification describes it. Of a list of counts no
    /// more is read than the end of the counts.
    pub unsafe fn read(list: *const cl_device_partition_property) -> Result<Self> {
        // "if values specified in properties are valid but not supported by the device"
        let offered = profile::has(Feature::SubDevices);
        ensure!(!list.is_null() && offered, CL_INVALID_VALUE);
        // SAFETY: element by element, and never beyond one that ends the list.
        let at = |n: usize| unsafe { list.add(n).read() };
        match at(0) {
            CL_DEVICE_PARTITION_EQUALLY => {
                let units = usize::try_from(at(1)).map_err(|_| Error(CL_INVALID_VALUE))?;
                ensure!(units != 0 && at(2) == 0, CL_INVALID_VALUE);
                Ok(Self::Equally(units))
            }
            CL_DEVICE_PARTITION_BY_COUNTS => {
                let mut counts = Vec::new();
                while at(1 + counts.len()) != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END {
                    let count = usize::try_from(at(1 + counts.len()));
                    counts.push(count.map_err(|_| Error(CL_INVALID_DEVICE_PARTITION_COUNT))?);
                }
                ensure!(!counts.is_empty(), CL_INVALID_VALUE);
                Ok(Self::ByCounts(counts))
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }

    /// As `CL_DEVICE_PARTITION_TYPE` gives it back, the final zero included.
    fn properties(&self) -> Vec<cl_device_partition_property> {
        match self {
            Self::Equally(units) => vec![CL_DEVICE_PARTITION_EQUALLY, *units as isize, 0],
            Self::ByCounts(counts) => {
                let mut list = vec![CL_DEVICE_PARTITION_BY_COUNTS];
                list.extend(counts.iter().map(|&count| count as isize));
                list.extend([CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0]);
                list
            }
        }
    }

    /// The compute units of each part of a device.
    ///
    /// # Errors
    /// `CL_DEVICE_PARTITION_FAILED` when the device "could not be further partitioned": it has one unit, or the
    /// one equal part would be the whole; `CL_INVALID_DEVICE_PARTITION_COUNT` when more units are asked for than it
    /// has, or more parts than it can have.
    pub fn parts(&self, device: &Device) -> Result<Vec<usize>> {
        let units = device.limits.compute_units;
        ensure!(!supported(device).is_empty(), CL_DEVICE_PARTITION_FAILED);
        match self {
            Self::Equally(each) => {
                ensure!(*each <= units, CL_INVALID_DEVICE_PARTITION_COUNT);
                ensure!(*each < units, CL_DEVICE_PARTITION_FAILED);
                Ok(vec![*each; units / each])
            }
            Self::ByCounts(counts) => {
                ensure!(
                    counts.len() <= most(device),
                    CL_INVALID_DEVICE_PARTITION_COUNT
                );
                let total = counts
                    .iter()
                    .try_fold(0usize, |total, &count| total.checked_add(count));
                ensure!(
                    total.is_some_and(|total| total <= units),
                    CL_INVALID_DEVICE_PARTITION_COUNT
                );
                Ok(counts.clone())
            }
        }
    }

    /// Makes the sub-devices.
    ///
    /// # Errors
    /// As [`Scheme::parts`].
    pub fn split(&self, device: &Arc<Device>) -> Result<Vec<Arc<Device>>> {
        let parts = self.parts(device)?;
        let sub_device = |(number, compute_units): (usize, usize)| {
            Arc::new(Device {
                header: Header::default(),
                limits: Limits {
                    compute_units,
                    ..device.limits.clone()
                },
                uuid: device.uuid.of_part(&self.properties(), number),
                parent: Some(Arc::clone(device)),
                partition: self.properties(),
                pool: OnceLock::new(),
            })
        };
        Ok(parts.into_iter().enumerate().map(sub_device).collect())
    }
}
