//! What stands around the kernels of a test: helpers, the scope of our own atomics, stress.
//!
//! A program may hold the kernels of many tests, one text after the other. The helpers guard
//! themselves; everything else has the number of its test in its name.

use super::body::AtomicsDialect;
use super::env::{self, Access};
use std::fmt::Write;

const HELPERS: &str = "#ifndef CLASSAY_HELPERS
#define CLASSAY_HELPERS
long classay_clamp(long i, long n);
long classay_clamp(long i, long n) { return i < 0 || i >= n ? 0 : i; }
uint classay_mix(uint n);
uint classay_mix(uint n)
{
    for (uint pass = 0; pass < 3u; ++pass) n = (n ^ (n >> 15)) * 0x9e3779b1u;
    return n ^ (n >> 16);
}
#endif
";

/// Writes what test kernels call and name.
pub fn write(out: &mut String, dialect: AtomicsDialect, crosses_devices: bool, number: usize) {
    out.push_str(HELPERS);
    match (dialect, crosses_devices) {
        (AtomicsDialect::C11 | AtomicsDialect::Vulkan, true) => out
            .push_str("#undef CLASSAY_SCOPE\n#define CLASSAY_SCOPE memory_scope_all_svm_devices\n"),
        (AtomicsDialect::C11 | AtomicsDialect::Vulkan, false) => out.push_str(concat!(
            "#undef CLASSAY_SCOPE\n",
            "#if defined(__opencl_c_atomic_scope_device) || __OPENCL_C_VERSION__ < 300\n",
            "#define CLASSAY_SCOPE memory_scope_device\n",
            "#else\n",
            "#define CLASSAY_SCOPE memory_scope_work_group\n",
            "#endif\n",
        )),
        (AtomicsDialect::V1, _) => {}
    }
    stress(out, dialect, number);
    out.push('\n');
}

/// Name of the function that stresses memory for the test numbered `number`.
pub fn stress_name(number: usize) -> String {
    format!("classay_stress_{number}")
}

/// Many work-items share a target, so every access is atomic; relaxed, because nothing is to be
/// ordered by it. The scratch memory is an allocation of its own that nothing else touches.
///
/// It is not to be inlined: a compiler that moves the choice of the pattern out of the loops around the call
/// makes a copy of these for each, which takes PoCL a quarter of a minute for a test that it builds in one
/// second otherwise. Compilers ignore an attribute that they do not know.
fn stress(out: &mut String, dialect: AtomicsDialect, number: usize) {
    let name = stress_name(number);
    let parameters = "__global uint *scratch, uint target, uint pattern, uint passes";
    let _ = write!(
        out,
        "__attribute__((noinline)) void {name}({parameters});\nvoid {name}({parameters})\n{{\n"
    );
    let access = |access: Access| match (dialect, access) {
        (AtomicsDialect::C11 | AtomicsDialect::Vulkan, Access::Store) => {
            "atomic_store_explicit(at, i, memory_order_relaxed, CLASSAY_SCOPE);"
        }
        (AtomicsDialect::C11 | AtomicsDialect::Vulkan, Access::Load) => {
            "(void)atomic_load_explicit(at, memory_order_relaxed, CLASSAY_SCOPE);"
        }
        (AtomicsDialect::V1, Access::Store) => "atomic_xchg(at, i);",
        (AtomicsDialect::V1, Access::Load) => "atomic_add(at, 0u);",
    };
    let ty = match dialect {
        AtomicsDialect::C11 | AtomicsDialect::Vulkan => "atomic_uint",
        AtomicsDialect::V1 => "uint",
    };
    let _ = writeln!(
        out,
        "    volatile __global {ty} *at = (volatile __global {ty} *)(scratch + target);"
    );
    for (n, [first, second]) in env::PATTERNS.iter().enumerate() {
        let _ = writeln!(
            out,
            "    if (pattern == {n}u) for (uint i = 0; i < passes; ++i) {{ {} {} }}",
            access(*first),
            access(*second)
        );
    }
    out.push_str("}\n");
}
