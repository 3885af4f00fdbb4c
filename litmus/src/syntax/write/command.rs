//! Calls of the OpenCL API, as the `.litmus` dialect writes them.

use crate::program::{Command, CommandId, CommandKind, HostCall, LocId, Memory, Program};

/// A call as a statement.
pub(crate) fn host_call(program: &Program, call: &HostCall) -> String {
    match call {
        HostCall::Enqueue(command) => enqueue(program, &program.commands[command.index()]),
        HostCall::Wait(events) => {
            format!("clWaitForEvents({});", names(program, events).join(", "))
        }
        HostCall::Finish(queue) => format!("clFinish({});", program.queues[queue.index()].name),
        HostCall::Flush(queue) => format!("clFlush({});", program.queues[queue.index()].name),
    }
}

/// The names of events.
pub(crate) fn names(program: &Program, events: &[CommandId]) -> Vec<String> {
    events
        .iter()
        .map(|e| program.commands[e.index()].name.clone())
        .collect()
}

fn enqueue(program: &Program, command: &Command) -> String {
    let name = &command.name;
    let queue = &program.queues[command.queue.index()].name;
    let place = |location: LocId| &program.locations[location.index()].name;
    let buffer = |location: LocId| program.locations[location.index()].memory == Memory::Buffer;
    let mut arguments = vec![queue.clone()];
    let function = match command.kind {
        CommandKind::Kernel => {
            arguments.push(name.clone());
            "clEnqueueNDRangeKernel"
        }
        CommandKind::Marker => "clEnqueueMarkerWithWaitList",
        CommandKind::Barrier => "clEnqueueBarrierWithWaitList",
        CommandKind::Map {
            location,
            access,
            blocking,
        } => {
            arguments.push(place(location).clone());
            arguments.push(if blocking { "CL_TRUE" } else { "CL_FALSE" }.to_owned());
            arguments.push(access.to_string());
            if buffer(location) {
                "clEnqueueMapBuffer"
            } else {
                "clEnqueueSVMMap"
            }
        }
        CommandKind::Unmap { location } => {
            arguments.push(place(location).clone());
            if buffer(location) {
                "clEnqueueUnmapMemObject"
            } else {
                "clEnqueueSVMUnmap"
            }
        }
    };
    arguments.extend(names(program, &command.waits));
    let label = match command.kind {
        CommandKind::Kernel => String::new(),
        CommandKind::Marker
        | CommandKind::Barrier
        | CommandKind::Map { .. }
        | CommandKind::Unmap { .. } => format!("{name}: "),
    };
    format!("{label}{function}({});", arguments.join(", "))
}
