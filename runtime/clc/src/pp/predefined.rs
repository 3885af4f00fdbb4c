//! What is defined before the first line (OpenCL C 6.13, and the constants of 6.15).

use super::Preprocessor;
use super::macros::{Macro, quote};
use crate::device::{DeviceProfile, Language, Version};
use crate::options::{BuildOptions, MacroOption};
use crate::token::{PpKind, PpToken};
use std::fmt::Write as _;
use std::rc::Rc;
use touchstone_faults::{Fault, on};

/// Constants of the language that do not depend on the device. The limits are those of section
/// 6.15.2 (single and double precision) and 6.15.3 (integers).
const CONSTANTS: &str = include_str!("predefined/constants.h");

/// Constants of devices with double precision.
const DOUBLE_CONSTANTS: &str = include_str!("predefined/double.h");

/// Constants of the C11 atomics (section 6.15.12). The enumerators are predefined here so that a
/// program can ask for them with `#ifdef`, as the specification's own headers allow.
const ATOMIC_CONSTANTS: &str = include_str!("predefined/atomics.h");

/// Constants of devices that compute with halves (section 6.15.2.1).
const HALF_CONSTANTS: &str = include_str!("predefined/half.h");
/// Constants of languages with pipes (section 6.15.19).
const PIPE_CONSTANTS: &str = include_str!("predefined/pipes.h");
/// Constants of languages with device-side enqueue (section 6.15.20).
const ENQUEUE_CONSTANTS: &str = include_str!("predefined/enqueue.h");
/// Constants of devices with images (section 6.15.15).
const IMAGE_CONSTANTS: &str = include_str!("predefined/images.h");

/// The text of everything predefined.
pub(super) fn prelude(
    options: &BuildOptions,
    device: &DeviceProfile,
    language: &Language,
) -> String {
    let mut text = String::from(CONSTANTS);
    let mut define = |name: &str, value: u32| {
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("__OPENCL_VERSION__", device.version.number());
    define("__OPENCL_C_VERSION__", language.version.number());
    // CL_VERSION_1_0 is there since 1.0; each later one came with its version of OpenCL.
    for version in Version::ALL {
        if version <= device.version {
            let name = format!("CL_VERSION_{}", version.name().replace('.', "_"));
            define(&name, version.number());
        }
    }
    for extension in &device.extensions {
        if extension == "cl_khr_subgroup_rotate" && on(Fault::ExtensionMacroMissing) {
            continue;
        }
        define(extension, 1);
    }
    if language.version >= Version::V3_0 {
        if on(Fault::FeatureMacroOfAnother) {
            define("__opencl_c_kernel_clock_scope_device", 1);
        }
        for feature in &device.features {
            define(feature, 1);
        }
    } else {
        for feature in &language.float_atomics {
            define(feature, 1);
        }
    }
    if device.images {
        define("__IMAGE_SUPPORT__", 1);
    }
    if options.fast_relaxed_math {
        define("__FAST_RELAXED_MATH__", 1);
    }
    if language.images {
        text.push_str(IMAGE_CONSTANTS);
    }
    if language.pipes {
        text.push_str(PIPE_CONSTANTS);
    }
    if language.device_enqueue {
        text.push_str(ENQUEUE_CONSTANTS);
    }
    if language.fp16 {
        text.push_str(HALF_CONSTANTS);
    }
    if language.fp64 {
        text.push_str(DOUBLE_CONSTANTS);
    }
    if language.atomics {
        text.push_str(ATOMIC_CONSTANTS);
    }
    text
}

/// The text of `-D` and `-U`.
pub(super) fn command_line(options: &BuildOptions) -> String {
    let mut text = String::new();
    for option in &options.macros {
        let _ = match option {
            MacroOption::Define { name, .. } if on(Fault::OptionValueLost) => {
                writeln!(text, "#define {name} 1")
            }
            MacroOption::Define { name, value } if value.is_empty() && on(Fault::EmptyValueOne) => {
                writeln!(text, "#define {name} 1")
            }
            MacroOption::Define { name, value } => {
                writeln!(text, "#define {name} {}", value.replace('\n', " "))
            }
            MacroOption::Undefine(name) => writeln!(text, "#undef {name}"),
        };
    }
    text
}

impl Preprocessor<'_> {
    /// Defines the macros whose value is computed at each use.
    pub(super) fn define_dynamic(&mut self) {
        let at = crate::source::Loc {
            file: crate::source::FileId(0),
            offset: 0,
        };
        let mut define = |name, body, dynamic| {
            let definition = Macro {
                name,
                params: None,
                variadic: false,
                body,
                at,
                dynamic,
                builtin: true,
            };
            self.macros.insert(name, Rc::new(definition));
        };
        for name in [self.known.line, self.known.file, self.known.counter] {
            define(name, Vec::new(), true);
        }
        for (name, value) in [("__DATE__", "??? ?? ????"), ("__TIME__", "??:??:??")] {
            let name = self.shared.names.intern(name);
            let token = PpToken {
                kind: PpKind::Str,
                text: self.shared.names.intern(&quote(value)),
                loc: at,
                space: false,
                first: false,
                painted: false,
            };
            define(name, vec![token], false);
        }
    }
}
