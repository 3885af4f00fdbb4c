//! The kernels of a test whose host threads enqueue commands: one for each kernel-instance, which plays
//! its threads once. An argument for each location, in the order of the program, then one for the words
//! that its threads leave, by the columns of the [`Layout`].

use super::body::{AtomicsDialect, BodyWriter, barrier, location_pointer, register_name};
use super::frame;
use super::layout::Layout;
use super::needs::Needs;
use super::shape::{GroupShape, Inexpressible, Shape};
use crate::program::{CommandId, CommandKind, LocId, Memory, Program, QueueOrder, RegId, Region};
use classay_vocabulary::Need;
use std::fmt::Write;

/// The kernels of a test with commands.
#[derive(Debug, Clone)]
pub struct CommandKernels {
    /// OpenCL C.
    pub source: String,
    /// One for each kernel-instance.
    pub kernels: Vec<CommandKernel>,
    /// What their threads leave.
    pub layout: Layout,
}

/// A kernel that a host thread enqueues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandKernel {
    /// The command.
    pub command: CommandId,
    /// Its name in the source.
    pub name: String,
    /// Its device.
    pub device: u32,
    /// Work-groups.
    pub groups: usize,
    /// Work-items of each.
    pub items: usize,
}

/// What a test with commands needs of a device.
///
/// # Errors
/// Where a thread uses an order that its function does not take.
pub fn needs(program: &Program) -> Result<Needs, Inexpressible> {
    // Which threads meet where is the commands' affair; what is left is what each thread calls.
    let apart = Shape {
        devices: Vec::new(),
        host: Vec::new(),
        steps: Vec::new(),
    };
    let mut needs = Needs::of(program, &apart)?;
    let items = program
        .threads
        .iter()
        .filter_map(|t| t.placement.work_item());
    let devices = items.map(|item| item.device + 1).max();
    if let Some(devices) = devices.filter(|devices| *devices > 1) {
        needs.all.insert(Need::Devices(devices));
    }
    if program
        .queues
        .iter()
        .any(|q| q.order == QueueOrder::OutOfOrder)
    {
        needs.all.insert(Need::OutOfOrderQueue);
    }
    for n in 0..program.locations.len() {
        let of: &[Need] = match program.memory_of(LocId(n as u32)) {
            Memory::Unstated | Memory::Buffer | Memory::HostCoherent => &[],
            Memory::CoarseSvm => &[Need::SvmCoarse],
            Memory::FineSvm => &[Need::SvmFine],
            Memory::FineSvmAtomics => &[Need::SvmFine, Need::SvmAtomics],
            Memory::SystemSvm => &[Need::SvmSystem],
        };
        needs.all.extend(of.iter().copied());
    }
    Ok(needs)
}

impl CommandKernels {
    /// Writes the kernels of a program with commands.
    ///
    /// # Errors
    /// Where a kernel cannot say it, or where it needs more than a kernel of one work-item for each thread
    /// has: local memory, named sub-groups.
    pub fn write(
        program: &Program,
        dialect: AtomicsDialect,
    ) -> Result<CommandKernels, Inexpressible> {
        if let Some(local) = program.locations.iter().find(|l| l.region == Region::Local) {
            return Err(Inexpressible::LocalWithCommands {
                location: local.name.clone(),
            });
        }
        let layout = Layout::of(program);
        let mut source = String::new();
        frame::write(&mut source, dialect, false, 0);
        let mut kernels = Vec::new();
        for (n, command) in program.commands.iter().enumerate() {
            if command.kind == CommandKind::Kernel {
                let id = CommandId(n as u32);
                let writer = Writer {
                    program,
                    dialect,
                    layout: &layout,
                };
                kernels.push(writer.kernel(&mut source, id)?);
            }
        }
        Ok(CommandKernels {
            source,
            kernels,
            layout,
        })
    }
}

struct Writer<'p> {
    program: &'p Program,
    dialect: AtomicsDialect,
    layout: &'p Layout,
}

impl Writer<'_> {
    fn kernel(&self, out: &mut String, id: CommandId) -> Result<CommandKernel, Inexpressible> {
        let shape = Shape::of_kernel(self.program, id)?;
        let Some(device) = shape.devices.first() else {
            return Err(Inexpressible::NoThreads);
        };
        if shape.uses_sub_groups() {
            return Err(Inexpressible::SubGroupsWithCommands);
        }
        let name = format!("classay_command_{}", id.0);
        let _ = write!(out, "__kernel void {name}(");
        for n in 0..self.program.locations.len() {
            let _ = write!(
                out,
                "__global uint *{}, ",
                location_pointer(LocId(n as u32))
            );
        }
        out.push_str("__global uint *result)\n{\n");
        out.push_str(
            "    const uint group = (uint)get_group_id(0), item = (uint)get_local_id(0);\n",
        );
        if self.layout.bound_column.is_some() {
            out.push_str("    const uint loop_bound = 100000u;\n    uint gave_up = 0;\n");
        }
        for (g, group) in device.groups.iter().enumerate() {
            let _ = writeln!(out, "    if (group == {g}u) {{");
            self.group(out, group);
            out.push_str("    }\n");
        }
        if let Some(column) = self.layout.bound_column {
            let _ = writeln!(out, "    if (gave_up) atomic_inc(&result[{column}]);");
        }
        out.push_str("}\n");
        let items = device.groups.iter().map(GroupShape::thread_count);
        Ok(CommandKernel {
            command: id,
            name,
            device: device.device,
            groups: device.groups.len(),
            items: items.max().unwrap_or(1),
        })
    }

    fn group(&self, out: &mut String, group: &GroupShape) {
        let threads: Vec<_> = group.threads().collect();
        let writer = |thread, depth| BodyWriter::new(self.program, thread, self.dialect, depth);
        for thread in &threads {
            out.push_str(&writer(*thread, 2).declarations());
        }
        for (n, segment) in group.segments.iter().enumerate() {
            for (thread, body) in segment {
                let item = threads.iter().position(|t| t == thread).unwrap_or_default();
                let _ = writeln!(out, "        if (item == {item}u) {{");
                out.push_str(&writer(*thread, 3).segment(body, n));
                out.push_str("        }\n");
            }
            if let Some(between) = group.barriers.get(n) {
                let _ = writeln!(out, "        {}", barrier(between, self.dialect));
            }
        }
        for (item, thread) in threads.iter().enumerate() {
            for (r, register) in self.program.threads[thread.index()]
                .registers
                .iter()
                .enumerate()
            {
                let register_id = RegId(r as u32);
                let Some(column) = self.layout.register_column(*thread, register_id) else {
                    continue;
                };
                let value = register_name(self.program, *thread, register_id);
                let _ = writeln!(
                    out,
                    "        if (item == {item}u) result[{column}] = (uint){value};"
                );
                if register.ty.bits() == 64 {
                    let _ = writeln!(
                        out,
                        "        if (item == {item}u) result[{}] = (uint)((ulong){value} >> 32);",
                        column + 1
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::read_litmus;

    fn shipped(text: &str) -> Program {
        read_litmus("test", text).expect("a test")
    }

    #[test]
    fn each_kernel_instance_has_a_kernel_with_its_threads() {
        let program = shipped(include_str!("../../tests/MP+kernels+coarse.litmus"));
        let kernels = CommandKernels::write(&program, AtomicsDialect::C11).expect("kernels");
        let names: Vec<&str> = kernels.kernels.iter().map(|k| &*k.name).collect();
        assert_eq!(names, ["classay_command_0", "classay_command_1"]);
        let (first, second) = kernels.source.split_at(
            kernels
                .source
                .find("__kernel void classay_command_1")
                .expect("a kernel"),
        );
        assert!(first.contains("memory_order_release") && !first.contains("result[0] ="));
        assert!(second.contains("memory_order_acquire") && second.contains("result[1] = (uint)"));
        let needs = needs(&program).expect("needs").all;
        assert!(needs.contains(&Need::SvmCoarse) && needs.contains(&Need::OutOfOrderQueue));
        assert!(!needs.contains(&Need::SvmAtomics));
    }
}
