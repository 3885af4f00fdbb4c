//! What a C program of Vulkan has of its own: the module, and the order of its parts.

use super::{Standalone, numbered, table};
use crate::environment::{Arrangement, Images, ModuleModel, ROW};
use crate::execute::vulkan::{Dependency, dependencies, module};
use classay_litmus::kernel::TestKernel;
use classay_suites::host::c::text::{Text, quoted};
use touchstone_clc::vulkan::Parameter;

/// How every program of Vulkan runs: its device and memory, and its launches.
pub const RUN: &str = concat!(include_str!("vulkan.c"), include_str!("launches.c"));

/// Buffers of words that every kernel takes first.
const WORDS: usize = 5;

/// The headers.
const HEADERS: [&str; 9] = [
    "vulkan/vulkan.h",
    "pthread.h",
    "signal.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "unistd.h",
];

impl Standalone<'_> {
    /// The module, what it needs, its entry points in order and what is between them.
    pub(super) fn module(
        &self,
        test: &TestKernel,
        e: &Arrangement,
        c: &mut Text,
    ) -> Result<(), String> {
        let modules = self.environment.modules(self.capabilities).of(self.program);
        let text = test.playing(self.program);
        let shader = module(&text, test, self.capabilities, modules)?;
        c.line("#define _POSIX_C_SOURCE 200809L");
        for header in HEADERS {
            c.line(&format!("#include <{header}>"));
        }
        c.line("");
        c.line("/* ---- the kernels: instances of the test, in an environment that is an argument ------------- */");
        c.line("");
        c.comment(&text.lines().map(String::from).collect::<Vec<_>>());
        c.line("static const uint32_t module[] = {");
        numbered(&shader.words, c);
        c.line("};");
        let has = self.capabilities;
        let vulkan = modules.model == ModuleModel::Vulkan;
        for (name, so) in [
            ("MEMORY_MODEL", vulkan),
            ("DEVICE_SCOPE", vulkan && has.scope_device),
            ("INT64", has.int64),
            ("INT64_ATOMICS", has.int64_atomics),
        ] {
            c.line(&format!("#define {name} {}", u32::from(so)));
        }
        let arguments = test.layout.arguments();
        let texels = arguments.iter().map(|argument| u32::from(argument.texels));
        let texels: Vec<String> = [0; WORDS]
            .into_iter()
            .chain(texels)
            .map(|t| t.to_string())
            .collect();
        let texels = texels.join(", ");
        c.line(&format!("static const int as_texels[] = {{{texels}}};"));
        let row = match modules.images {
            Images::Texels => 0,
            Images::Planes => ROW,
        };
        c.line("/* Texels of a row where images are of two dimensions; 0 where they are texel buffers. */");
        c.line(&format!("#define PLANES {row}u"));
        let width = match test.shape.uses_sub_groups() {
            true => has.subgroup_size.max(1),
            false => 0,
        };
        c.line("/* Invocations of a subgroup, where the test places threads in them. */");
        c.line(&format!("#define SUBGROUP {width}u"));
        let mut parts = Vec::new();
        for (part, local_size) in e.local_sizes.iter().enumerate() {
            let name = test.kernel_name(part);
            let kernel = shader.kernels.iter().find(|kernel| kernel.name == name);
            let parameters = kernel.iter().flat_map(|kernel| &kernel.parameters);
            let mut sizes = parameters.filter_map(|parameter| match parameter {
                Parameter::Local { size_id } => Some(*size_id),
                Parameter::Buffer { .. }
                | Parameter::Texels { .. }
                | Parameter::Image { .. }
                | Parameter::Constant { .. } => None,
            });
            let size = sizes.next_back().unwrap_or(0);
            let words = self.local_words(test, e, part);
            let (step, family) = (test.shape.devices[part].step, test.shape.family(part));
            parts.push(format!(
                "{{{}, {local_size}, {size}, {words}, {step}, {family}}},",
                quoted(&name)
            ));
        }
        let head = "\
static const struct part {
    const char *entry;
    uint32_t local_size;            /* invocations of a workgroup */
    uint32_t local_id, local_words; /* words of Workgroup memory, and the constant that says them */
    uint32_t step, family;          /* when it is played, and on the queue of which family */
} parts[] = {";
        table(c, head, parts, "{\"\", 1, 0, 0, 0, 0},");
        let families = test.shape.families().len().max(1);
        c.line(&format!("#define FAMILIES {families}"));
        c.line(&format!("#define STEPS {}u", test.shape.steps.len()));
        let mut rows = Vec::new();
        for (n, step) in test.shape.steps.iter().enumerate().skip(1) {
            let row = |of: Dependency| {
                let (available, visible) = (u32::from(of.available), u32::from(of.visible));
                format!("{{{n}, {available}, {visible}}},")
            };
            rows.extend(dependencies(&step.before).into_iter().map(row));
        }
        let head = "\
/* Before a part: what was written is made available to the device domain, and visible from it. */
static const struct dependency { uint32_t part; int available, visible; } dependencies[] = {";
        table(c, head, rows, "{0, 1, 1},");
        c.line("");
        Ok(())
    }
}
