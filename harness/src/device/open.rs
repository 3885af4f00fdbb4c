//! Opens an implementation: its library, its platforms, a device. Runs in a worker.

use super::probe::OnDevice;
use super::reported::Reported;
use super::{At, OpenDevice, Reached, info, resolve};
use crate::sys::Loaded;
use crate::worker::protocol::{Known, ListedPlatform, Refusal};
use classay_reports::record::DeviceRecord;
use opencl3::device as cl;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::platform as clp;
use opencl3::platform::Platform;

const CL_DEVICE_NOT_FOUND: i32 = -1;

/// Loads the first of `names` that can be loaded and looks whether OpenCL is in it. The library
/// stays loaded; the OpenCL bindings find it again under the same name.
pub fn load(names: &[String]) -> Result<(), Refusal> {
    let mut messages = Vec::new();
    for name in names {
        match Loaded::open(name) {
            Ok(library) => {
                let direct = library.has("clGetPlatformIDs");
                let icd = library.has("clIcdGetPlatformIDsKHR")
                    || library.has("clGetExtensionFunctionAddress");
                library.keep();
                return match (direct, icd) {
                    (true, _) => Ok(()),
                    (false, true) => Err(Refusal::OnlyIcd),
                    (false, false) => Err(Refusal::NoInterface),
                };
            }
            Err(message) => messages.push(message),
        }
    }
    Err(Refusal::NotLoaded {
        message: messages.join("; "),
    })
}

/// Every platform with its devices.
fn survey() -> Result<Vec<(Platform, Vec<Device>)>, Refusal> {
    let platforms = clp::get_platforms().map_err(|e| Refusal::NoPlatform {
        message: format!("clGetPlatformIDs gives error {} ({e})", e.0),
    })?;
    if platforms.is_empty() {
        return Err(Refusal::NoPlatform {
            message: "clGetPlatformIDs finds none".into(),
        });
    }
    platforms
        .into_iter()
        .map(|platform| {
            let devices = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
                Ok(ids) => ids.into_iter().map(Device::new).collect(),
                Err(e) if e.0 == CL_DEVICE_NOT_FOUND => Vec::new(),
                Err(e) => {
                    return Err(Refusal::Unusable {
                        message: format!("clGetDeviceIDs gives error {} ({e})", e.0),
                    });
                }
            };
            Ok((platform, devices))
        })
        .collect()
}

/// Names of every platform and device.
pub fn list() -> Result<Vec<ListedPlatform>, Refusal> {
    let platforms = survey()?;
    Ok(platforms
        .iter()
        .map(|(platform, devices)| ListedPlatform {
            name: info::platform_text(platform, cl3::platform::CL_PLATFORM_NAME),
            version: info::platform_text(platform, cl3::platform::CL_PLATFORM_VERSION),
            devices: devices
                .iter()
                .map(|d| info::text_of(d, cl::CL_DEVICE_NAME).unwrap_or_default())
                .collect(),
        })
        .collect())
}

/// Opens the device at `at` of a library that was loaded, or the first there is, and finds out what it
/// offers unless that is `known`.
pub fn open(
    library: &[String],
    at: Option<At>,
    known: Option<Known>,
) -> Result<(At, OpenDevice, Known), Refusal> {
    let mut platforms = survey()?;
    let at = choose(
        at,
        &platforms.iter().map(|(_, d)| d.len()).collect::<Vec<_>>(),
    )?;
    let (platform, mut devices) = platforms.swap_remove(at.platform);
    let device = devices.remove(at.device);
    let known = match known {
        Some(known) => known,
        None => describe(&platform, &device)?,
    };
    let mut platform_devices = vec![device];
    platform_devices.append(&mut devices);
    let opened = OpenDevice {
        reached: Reached::OpenCl {
            library: library.to_vec(),
            platform_devices,
        },
        capabilities: known.capabilities.clone(),
    };
    Ok((at, opened, known))
}

/// The place to open, given how many devices each platform has.
pub(super) fn choose(at: Option<At>, counts: &[usize]) -> Result<At, Refusal> {
    let none = |platform, asked, have| Refusal::NoSuchDevice {
        platform,
        asked,
        have,
    };
    let Some(at) = at else {
        let platform = counts.iter().position(|n| *n > 0);
        let platform = platform.ok_or_else(|| none(None, 0, 0))?;
        return Ok(At {
            platform,
            device: 0,
        });
    };
    match counts.get(at.platform) {
        None => Err(Refusal::NoSuchPlatform {
            asked: at.platform,
            have: counts.len(),
        }),
        Some(have) if at.device >= *have => Err(none(Some(at.platform), at.device, *have)),
        Some(_) => Ok(at),
    }
}

/// Who the device is and what it offers. The selector is the parent's to fill in.
fn describe(platform: &Platform, device: &Device) -> Result<Known, Refusal> {
    let unusable = |message: String| Refusal::Unusable { message };
    let reported = Reported::ask(device).map_err(unusable)?;
    let mut probe = OnDevice::new(device).map_err(unusable)?;
    let (capabilities, findings) = resolve::resolve(&reported, &mut probe);
    let text = |query| info::text_of(device, query).unwrap_or_default();
    Ok(Known {
        record: DeviceRecord {
            selector: String::new(),
            platform: info::platform_text(platform, cl3::platform::CL_PLATFORM_NAME),
            platform_version: info::platform_text(platform, cl3::platform::CL_PLATFORM_VERSION),
            name: text(cl::CL_DEVICE_NAME),
            vendor: text(cl::CL_DEVICE_VENDOR),
            version: text(cl::CL_DEVICE_VERSION),
            driver: text(cl::CL_DRIVER_VERSION),
            capabilities: capabilities.listed(),
            findings,
        },
        capabilities,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_device_is_that_of_the_first_platform_that_has_one() {
        let at = choose(None, &[0, 2, 1]).expect("a device");
        assert_eq!((at.platform, at.device), (1, 0));
        assert!(matches!(
            choose(None, &[0, 0]),
            Err(Refusal::NoSuchDevice { platform: None, .. })
        ));
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_how_many_there_are() {
        let at = |platform, device| Some(At { platform, device });
        assert_eq!(
            choose(at(1, 1), &[0, 2]),
            Ok(At {
                platform: 1,
                device: 1
            })
        );
        assert_eq!(
            choose(at(2, 0), &[0, 2]),
            Err(Refusal::NoSuchPlatform { asked: 2, have: 2 })
        );
        assert_eq!(
            choose(at(0, 0), &[0, 2]),
            Err(Refusal::NoSuchDevice {
                platform: Some(0),
                asked: 0,
                have: 0
            })
        );
    }
}
