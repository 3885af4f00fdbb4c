//! Litmus tests whose host threads enqueue commands: a test becomes a host program that plays one
//! instance, its kernels those of the litmus kernel writer.

use super::host_steps;
use super::lowering::{Lowered, Lowering};
use super::tally::Tally;
use crate::execute::ended::{Ended, NotRun};
use crate::execute::host::{Play, SetupError};
use crate::execute::needs::{check_run, choose_dialect};
use crate::execute::played::Stage;
use crate::execute::repeat::{Counted, Gave, launches};
use classay_litmus::kernel::CommandKernels;
use classay_litmus::kernel::commands::needs;
use classay_litmus::program::{LocId, Placement, Program, Thread, ThreadId};
use classay_reports::record::EvidenceKind;
use classay_suites::host::{Build, Builder, Fixture, ProgramOf, Slot, SlotKind};

/// Instances that are reported as one launch.
const INSTANCES: u64 = 64;

/// Runs a test with commands until the budget is spent.
pub fn run(stage: Stage<'_>, program: &Program) -> Result<Ended, NotRun> {
    let Stage {
        device,
        fixtures,
        budget,
        on_launch,
        keep: _,
    } = stage;
    let devices = device.devices();
    let dialect = choose_dialect(&device.capabilities, &needs(program)?, devices)?;
    let kernels = CommandKernels::write(program, dialect)?;
    let lowered = lower(program, &kernels)?;
    fixtures.take_build_seconds();
    let play = Play::of(fixtures, lowered.program.clone())?;
    let build_seconds = fixtures.take_build_seconds();
    let mut tally = Tally::new(&kernels.layout, 0);
    let device_seconds = launches(
        budget,
        INSTANCES,
        on_launch,
        &mut |instance| {
            let record = play.run(instance as u32);
            check_run(&record)?;
            match record.failed {
                Some((call, code)) => Err(SetupError::of(call, code).into()),
                None => Ok(Gave::whole(lowered.tuple(&kernels, &record))),
            }
        },
        &mut |tuples| {
            let counts = tally.count(program, &kernels.layout, &[], &[], &tuples)?;
            let (lost, total) = (tally.unwritten(&counts), counts.total);
            if lost > 0 {
                let why = format!("{lost} of {total} instances have a thread that left no result");
                let source = kernels.source.clone();
                return Err(NotRun::failed(why).with(EvidenceKind::Source, source));
            }
            Ok(Counted {
                outcomes: tally.outcomes(program, &counts),
                freedoms: Vec::new(),
            })
        },
    )?;
    Ok(Ended {
        build_seconds,
        device_seconds,
        ..Ended::default()
    })
}

fn lower(program: &Program, kernels: &CommandKernels) -> Result<Lowered, NotRun> {
    let mut builder = Builder::default();
    let on = |thread: &Thread| match thread.placement {
        Placement::Device(item) => item.device as u8 + 1,
        Placement::Host => 1,
    };
    let count = program.threads.iter().map(on).max().unwrap_or(1);
    let devices: Vec<Slot> = (0..count)
        .map(|n| builder.fixture(format!("device_{n}"), Fixture::Device(n)))
        .collect();
    let context = Fixture::Context {
        devices: count,
        number: 0,
    };
    let context = builder.fixture("context", context);
    let service = Fixture::Queue {
        context,
        device: 0,
        profiling: false,
        number: 0,
    };
    let service = builder.fixture("service", service);
    let built = Fixture::Program {
        context,
        of: ProgramOf::Source(kernels.source.clone()),
        build: Build::default(),
    };
    let built = builder.fixture("program", built);
    let mut lowering = Lowering {
        program,
        builder,
        queues: Vec::new(),
        locations: Vec::new(),
        events: Vec::new(),
        shared: Vec::new(),
        kernels: vec![(service, 0, 0); program.commands.len()],
        context,
        service,
        reads: Vec::new(),
    };
    lowering.queues(kernels, &devices);
    for n in 0..program.locations.len() {
        lowering.location(kernels, LocId(n as u32));
    }
    let mut results = Vec::new();
    for kernel in &kernels.kernels {
        let fixture = Fixture::Kernel {
            program: built,
            name: kernel.name.clone(),
            number: 0,
        };
        let slot = lowering.builder.fixture(kernel.name.clone(), fixture);
        let result = lowering.arguments(kernels, slot, &kernel.name);
        results.push((kernel.command, result));
        lowering.kernels[kernel.command.index()] = (slot, kernel.groups, kernel.items);
    }
    let events = program.commands.len();
    lowering.events = lowering.builder.slots("event", SlotKind::Event, events);
    lowering.shared = host_steps::shared_events(program, || lowering.builder.signal())?;
    let mut registers = Vec::new();
    for (n, thread) in program.threads.iter().enumerate() {
        if thread.placement == Placement::Host {
            let id = ThreadId(n as u32);
            let (slot, steps) = host_steps::thread(&mut lowering, id)?;
            lowering.builder.thread(steps);
            registers.push((id, slot, 8 * thread.registers.len().max(1)));
        }
    }
    Ok(lowering.end(kernels, &results, &registers))
}

#[cfg(test)]
#[path = "commands_tests.rs"]
mod tests;
