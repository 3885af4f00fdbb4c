//! The bridge to the front end: OpenCL C and SPIR-V.

use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use touchstone_clc::encoding::text_of;
use touchstone_clc::spirv::{self, Specialization};
use touchstone_clc::{
    BuildOptions, CompileOptions, DeviceProfile, Version, compile_spirv, compile_unit,
};
use touchstone_ir::Module;

use crate::platform::profile;

/// The largest header read from the file system, in bytes.
const MAX_HEADER: u64 = 16 << 20;

/// What the language offers on this device: of all that the front end can translate, what the profile keeps.
static PROFILE: LazyLock<DeviceProfile> = LazyLock::new(|| {
    let mut device = DeviceProfile::default();
    device.extensions.retain(|name| profile::keeps(name));
    device.features.retain(|name| profile::keeps(name));
    device.images = profile::has(profile::Feature::Images);
    device.version = match profile::version_reported() {
        profile::Version::V1_2 => Version::V1_2,
        profile::Version::V3_0 => Version::V3_0,
        profile::Version::V3_1 => Version::V3_1,
    };
    device
});

/// One translation unit as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The options it was compiled with.
    pub options: String,
    /// The program.
    pub code: Code,
    /// Names and texts of the headers it was given.
    pub headers: Vec<(String, String)>,
}

/// What a unit is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// OpenCL C.
    Text(String),
    /// SPIR-V.
    Il {
        /// The module.
        module: Vec<u8>,
        /// Values of specialization constants, by their ids.
        constants: Vec<Specialization>,
    },
}

/// A compiled translation unit.
pub struct Unit {
    /// What it was compiled from, with every header it included.
    pub source: Source,
    /// Whether all its work-groups must have the same size.
    pub uniform_groups: bool,
    /// Whether it keeps the arguments' names and types.
    pub argument_info: bool,
    compiled: touchstone_clc::Unit,
}

/// Versions of SPIR-V that modules may have, oldest first, as (major, minor).
pub fn spirv_versions() -> &'static [(u32, u32)] {
    match profile::has(profile::Feature::Il) {
        true => &spirv::VERSIONS,
        false => &[],
    }
}

/// What modules of SPIR-V may declare: capabilities, by their numbers.
pub fn spirv_capabilities() -> Vec<u32> {
    match profile::has(profile::Feature::Il) {
        true => spirv::capabilities(&PROFILE),
        false => Vec::new(),
    }
}

/// Extensions that modules of SPIR-V may declare.
pub fn spirv_extensions() -> Vec<&'static str> {
    match profile::has(profile::Feature::Il) {
        true => spirv::extensions(&PROFILE),
        false => Vec::new(),
    }
}

/// Sets of extended instructions that modules of SPIR-V may import.
pub fn spirv_instruction_sets() -> Vec<&'static str> {
    match profile::has(profile::Feature::Il) {
        true => spirv::extended_instruction_sets().to_vec(),
        false => Vec::new(),
    }
}

/// Extensions of the language.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    PROFILE.extensions.iter().map(String::as_str)
}

/// Whether kernels can have images.
pub fn images() -> bool {
    PROFILE.images
}

/// Optional features of OpenCL C 3.0.
pub fn features() -> impl Iterator<Item = &'static str> {
    PROFILE.features.iter().map(String::as_str)
}

/// What OpenCL C 2.0 has and 3.0 made optional. The front end reads `-cl-std=CL2.0` in any
/// case; the version is reported once none of this is missing.
const REQUIRED_BY_2_0: [&str; 7] = [
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
    "__opencl_c_generic_address_space",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_work_group_collective_functions",
];

/// Versions of OpenCL C that are supported whole, oldest first, as (major, minor).
pub fn versions() -> Vec<(u32, u32)> {
    let has_all_of_2_0 = REQUIRED_BY_2_0
        .iter()
        .all(|&feature| PROFILE.features.contains(feature));
    Version::ALL
        .into_iter()
        .filter(|&version| version <= PROFILE.version)
        .filter(|&version| version != Version::V2_0 || has_all_of_2_0)
        .map(|version| (version.number() / 100, version.number() % 100 / 10))
        .collect()
}

/// The highest version of OpenCL C that is fully compatible with those before it, as (major,
/// minor): a version above 1.2 may only be named here if every optional feature of it is
/// supported.
pub fn compatible_version() -> (u32, u32) {
    let mut versions = versions().into_iter();
    versions.rfind(|&(major, _)| major == 1).unwrap_or((1, 2))
}

/// What options are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To compile, alone or as part of a build.
    Compile,
    /// To link.
    Link,
}

/// The options that a link takes: those that make a library and those that change what the
/// linker may do with compiled code.
const LINK_OPTIONS: [&str; 8] = [
    "-create-library",
    "-enable-link-options",
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
];

/// Whether an options string is valid for its purpose.
pub fn accepts_options(options: &str, purpose: Purpose) -> bool {
    let Ok(parsed) = BuildOptions::parse(options) else {
        return false;
    };
    match purpose {
        Purpose::Compile => !parsed.create_library && !parsed.enable_link_options,
        Purpose::Link => {
            let known = |word: &str| LINK_OPTIONS.contains(&word);
            let library = parsed.create_library || !parsed.enable_link_options;
            library && options.split_whitespace().all(known)
        }
    }
}

/// Compiles a unit; gives the log and the unit, or the log alone.
///
/// # Errors
/// The log of a unit that cannot be compiled.
pub fn compile(mut source: Source) -> Result<(String, Unit), String> {
    let options = BuildOptions::parse(&source.options).map_err(|error| format!("{error}\n"))?;
    let is_text = matches!(source.code, Code::Text(_));
    // "-cl-std=CL2.0 … will fail to compile the program … when CL_DEVICE_OPENCL_C_ALL_VERSIONS does not include
    // OpenCL C 2.0": kept where something was taken away, which a program is to notice.
    if options.version() == Version::V2_0 && !profile::is_full() {
        return Err("error: the device does not support OpenCL C 2.0\n".into());
    }
    let uniform_groups = options.uniform_work_group_size
        || is_text && options.version() < Version::V2_0
        || !profile::has(profile::Feature::NonUniformGroups);
    let argument_info = options.kernel_arg_info;
    let compiled = translate(&mut source, options)?;
    let log = compiled.log.clone();
    let unit = Unit {
        source,
        uniform_groups,
        argument_info,
        compiled,
    };
    Ok((log, unit))
}

/// Links units into one module.
///
/// # Errors
/// The log of units that do not fit together.
pub fn link(units: &[Arc<Unit>]) -> Result<Module, String> {
    let parts: Vec<&touchstone_clc::Unit> = units.iter().map(|unit| &unit.compiled).collect();
    touchstone_clc::link(&parts).map_err(|failure| failure.log)
}

/// Compiles a source. Headers that come from the file system are added to it, so that it
/// can be compiled again without them.
fn translate(source: &mut Source, build: BuildOptions) -> Result<touchstone_clc::Unit, String> {
    let text = match &source.code {
        Code::Text(text) => touchstone_clc::Source::new("program.cl", &**text),
        Code::Il { module, constants } => {
            let options = CompileOptions {
                build,
                device: PROFILE.clone(),
                headers: None,
            };
            return compile_spirv(module, constants, &options).map_err(|failure| failure.log);
        }
    };
    let found = Mutex::new(Vec::<(String, String)>::new());
    let given = &source.headers;
    let lookup = |name: &str| {
        let known = given.iter().find(|(header, _)| header == name);
        if let Some((_, text)) = known {
            return Some(text.clone());
        }
        let mut found = found.lock();
        let text = read_header(name)?;
        if !found.iter().any(|(header, _)| header == name) {
            found.push((name.to_owned(), text.clone()));
        }
        Some(text)
    };
    let options = CompileOptions {
        build,
        device: PROFILE.clone(),
        headers: Some(&lookup),
    };
    let unit = compile_unit(&text, &options).map_err(|failure| failure.log)?;
    source.headers.append(&mut found.lock());
    Ok(unit)
}

/// A header of the file system: an ordinary file of text.
fn read_header(name: &str) -> Option<String> {
    let about = std::fs::metadata(name).ok()?;
    if !about.is_file() || about.len() > MAX_HEADER {
        return None;
    }
    Some(text_of(&std::fs::read(name).ok()?))
}
