//! OpenCL C as a SPIR-V module for the device under test, made by Touchstone's front end.

use super::api::Device;
use crate::device::Capabilities;
use classay_suites::host::Build;
use classay_suites::kernels::case::KernelCase;
use classay_vocabulary::{Extension, FloatAtomics};
use touchstone_clc::{
    BuildOptions, CompileOptions, DeviceProfile, Source, Version, compile_for_opencl,
};

/// The newest version of SPIR-V that a module has which needs none: that of OpenCL 2.2.
const NEWEST: (u8, u8) = (1, 2);

/// OpenCL C as a device has it.
pub fn language(has: &Capabilities) -> DeviceProfile {
    let mut profile = DeviceProfile::default();
    let minor = |(major, minor): (u32, u32)| 100 * major + 10 * minor;
    let not_newer = |version: &Version| version.number() <= minor(has.version);
    let version = Version::ALL.into_iter().rfind(not_newer);
    profile.version = version.unwrap_or(Version::V1_0);
    profile.images = has.images;
    let mut lacks = |there: bool, names: &[&str]| {
        if !there {
            for name in names {
                profile.extensions.remove(*name);
                profile.features.remove(*name);
            }
        }
    };
    let scopes = "__opencl_c_atomic_scope_all_devices";
    for (there, names) in [
        (has.fp64, &["cl_khr_fp64", "__opencl_c_fp64"][..]),
        (has.fp16, &["cl_khr_fp16"]),
        (
            has.int64_atomics,
            &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
        ),
        (
            has.sub_groups,
            &["cl_khr_subgroups", "__opencl_c_subgroups"],
        ),
        (
            has.generic_address_space,
            &["__opencl_c_generic_address_space"],
        ),
        (
            has.program_scope_variables,
            &["__opencl_c_program_scope_global_variables"],
        ),
        (has.order_acq_rel, &["__opencl_c_atomic_order_acq_rel"]),
        (has.order_seq_cst, &["__opencl_c_atomic_order_seq_cst"]),
        (has.scope_device, &["__opencl_c_atomic_scope_device"]),
        (has.scope_all_devices, &[scopes]),
        (has.images, &["__opencl_c_images"]),
        (has.read_write_images, &["__opencl_c_read_write_images"]),
        (has.pipes, &["__opencl_c_pipes"]),
        (has.device_enqueue, &["__opencl_c_device_enqueue"]),
        (
            has.work_group_functions,
            &["__opencl_c_work_group_collective_functions"],
        ),
    ] {
        lacks(there, names);
    }
    lacks(!has.float_atomics.is_empty(), &["cl_ext_float_atomics"]);
    for of in FloatAtomics::ALL {
        let mut features = has.float_atomics.split_whitespace();
        lacks(features.any(|name| name == of.name()), &[of.name()]);
    }
    for extension in Extension::ALL {
        let mut extensions = has.kernel_extensions.split_whitespace();
        lacks(
            extensions.any(|name| name == extension.name()),
            &[extension.name()],
        );
    }
    profile
}

/// The versions of SPIR-V in a list of intermediate languages.
fn versions(languages: &str) -> Vec<(u8, u8)> {
    let version = |word: &str| {
        let (major, minor) = word.strip_prefix("SPIR-V_")?.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    languages.split_whitespace().filter_map(version).collect()
}

/// The words of a module.
///
/// # Errors
/// What keeps translation units from being one that the device takes, in a sentence.
pub fn translated(units: &[String], build: &Build, device: &Device) -> Result<Vec<u32>, String> {
    let versions = versions(&device.il);
    let old = versions.iter().filter(|version| **version <= NEWEST);
    let Some(&version) = old.max() else {
        return Err(format!(
            "the device takes no SPIR-V up to 1.2: {}",
            device.il
        ));
    };
    let std = build.std.as_deref().unwrap_or(&device.std);
    let options = format!("-cl-std={std} {}", build.options);
    let options = CompileOptions {
        build: BuildOptions::parse(&options).map_err(|error| error.to_string())?,
        device: device.language.clone(),
        headers: None,
    };
    let sources = units.iter().zip(0..);
    let sources: Vec<Source> = sources
        .map(|(text, n): (_, u32)| Source::new(format!("unit-{n}.cl"), text))
        .collect();
    let words = compile_for_opencl(&sources, &options, version).map_err(|failure| {
        let errors = failure.log.lines().find(|line| line.contains("error"));
        errors.unwrap_or(&failure.log).to_string()
    })?;
    let needed = words.get(1).map_or(version, |word| {
        let [_, minor, major, _] = word.to_le_bytes();
        (major, minor)
    });
    match versions.contains(&needed) {
        true => Ok(words),
        false => Err(format!(
            "it needs SPIR-V {}.{}, and the device takes {}",
            needed.0, needed.1, device.il
        )),
    }
}

/// A case whose program is translated, with the module as its program, for a device that has what it needs and is not at
/// hand; as it is where it is no such case, or nothing can be made of it.
pub fn as_module(case: &KernelCase) -> KernelCase {
    let mut case = case.clone();
    if !case.translated {
        return case;
    }
    let device = Device {
        std: "CL3.0".into(),
        il: (0..=6).map(|minor| format!("SPIR-V_1.{minor} ")).collect(),
        ..Device::default()
    };
    let units: Vec<String> = [&case.source]
        .into_iter()
        .chain(&case.units)
        .cloned()
        .collect();
    if let Ok(module) = translated(&units, &case.build, &device) {
        case.module = module;
        case.build.options = options_of_module(&case.build.options);
        (case.translated, case.units) = (false, Vec::new());
        case.source.clear();
    }
    case
}

/// What of the options of a source a module is built with: those that are not about text.
pub fn options_of_module(options: &str) -> String {
    let words = options.split_whitespace();
    let kept: Vec<&str> = words.filter(|word| word.starts_with("-cl-")).collect();
    kept.join(" ")
}
