//! What is defined before the first line (OpenCL C 6.13, and the constants of 6.15).

use super::Preprocessor;
use super::macros::{Macro, quote};
use crate::device::{DeviceProfile, Language, Version};
use crate::options::{BuildOptions, MacroOption};
use crate::token::{PpKind, PpToken};
use std::fmt::Write as _;
use std::rc::Rc;

/// Constants of the language that do not depend on the device. The limits are those of section
/// 6.15.2 (single and double precision) and 6.15.3 (integers).
const CONSTANTS: &str = r"
#define true 1
#define false 0
#define NULL ((void*)0)
#define __ENDIAN_LITTLE__ 1
#define kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define __kernel_exec(X, typen) kernel_exec(X, typen)
#define CLK_LOCAL_MEM_FENCE 1u
#define CLK_GLOBAL_MEM_FENCE 2u
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-127 - 1)
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffU
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP +38
#define FLT_MAX_EXP +128
#define FLT_MIN_10_EXP -37
#define FLT_MIN_EXP -125
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FP_ILOGB0 INT_MIN
#define FP_ILOGBNAN INT_MAX
#define MAXFLOAT FLT_MAX
#define HUGE_VALF __builtin_inff()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf()
#define M_E_F 2.71828182845904523536028747135266250f
#define M_LOG2E_F 1.44269504088896340735992468100189214f
#define M_LOG10E_F 0.434294481903251827651128918916605082f
#define M_LN2_F 0.693147180559945309417232121458176568f
#define M_LN10_F 2.30258509299404568401799145468436421f
#define M_PI_F 3.14159265358979323846264338327950288f
#define M_PI_2_F 1.57079632679489661923132169163975144f
#define M_PI_4_F 0.785398163397448309615660845819875721f
#define M_1_PI_F 0.318309886183790671537767526745028724f
#define M_2_PI_F 0.636619772367581343075535053490057448f
#define M_2_SQRTPI_F 1.12837916709551257389615890312154517f
#define M_SQRT2_F 1.41421356237309504880168872420969808f
#define M_SQRT1_2_F 0.707106781186547524400844362104849039f
";

/// Constants of devices with double precision.
const DOUBLE_CONSTANTS: &str = r"
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX_10_EXP +308
#define DBL_MAX_EXP +1024
#define DBL_MIN_10_EXP -307
#define DBL_MIN_EXP -1021
#define DBL_RADIX 2
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define HUGE_VAL __builtin_inf()
#define M_E 2.71828182845904523536028747135266250
#define M_LOG2E 1.44269504088896340735992468100189214
#define M_LOG10E 0.434294481903251827651128918916605082
#define M_LN2 0.693147180559945309417232121458176568
#define M_LN10 2.30258509299404568401799145468436421
#define M_PI 3.14159265358979323846264338327950288
#define M_PI_2 1.57079632679489661923132169163975144
#define M_PI_4 0.785398163397448309615660845819875721
#define M_1_PI 0.318309886183790671537767526745028724
#define M_2_PI 0.636619772367581343075535053490057448
#define M_2_SQRTPI 1.12837916709551257389615890312154517
#define M_SQRT2 1.41421356237309504880168872420969808
#define M_SQRT1_2 0.707106781186547524400844362104849039
";

/// Constants of the C11 atomics (section 6.15.12). The enumerators are predefined here so that a
/// program can ask for them with `#ifdef`, as the specification's own headers allow.
const ATOMIC_CONSTANTS: &str = r"
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define CLK_IMAGE_MEM_FENCE 4u
";

/// The text of everything predefined.
pub(super) fn prelude(
    options: &BuildOptions,
    device: &DeviceProfile,
    language: &Language,
) -> String {
    let mut text = String::from(CONSTANTS);
    let mut define = |name: &str, value: &str| {
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("__OPENCL_VERSION__", &device.version.number().to_string());
    define(
        "__OPENCL_C_VERSION__",
        &language.version.number().to_string(),
    );
    // CL_VERSION_1_0 is there since 1.0; each later one came with its version of OpenCL.
    for version in Version::ALL {
        if version <= device.version {
            let name = format!("CL_VERSION_{}", version.name().replace('.', "_"));
            define(&name, &version.number().to_string());
        }
    }
    for extension in &device.extensions {
        define(extension, "1");
    }
    if language.version >= Version::V3_0 {
        for feature in &device.features {
            define(feature, "1");
        }
    }
    if device.images {
        define("__IMAGE_SUPPORT__", "1");
    }
    if device.embedded {
        define("__EMBEDDED_PROFILE__", "1");
    }
    if options.fast_relaxed_math {
        define("__FAST_RELAXED_MATH__", "1");
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
        for name in [self.known.line, self.known.file, self.known.counter] {
            self.macros.insert(
                name,
                Rc::new(Macro {
                    name,
                    params: None,
                    variadic: false,
                    body: Vec::new(),
                    at,
                    dynamic: true,
                    builtin: true,
                }),
            );
        }
        for (name, value) in [("__DATE__", "??? ?? ????"), ("__TIME__", "??:??:??")] {
            let name = self.shared.names.intern(name);
            let text = self.shared.names.intern(&quote(value));
            let body = vec![PpToken {
                kind: PpKind::Str,
                text,
                loc: at,
                space: false,
                first: false,
                painted: false,
            }];
            self.macros.insert(
                name,
                Rc::new(Macro {
                    name,
                    params: None,
                    variadic: false,
                    body,
                    at,
                    dynamic: false,
                    builtin: true,
                }),
            );
        }
    }
}
