//! A program of commands as one C program: its host program, written in C, with the checks that are drawn
//! from [`Plan::check`].

use super::check::Plan;
use super::lower::lower;
use super::needs::needs;
use super::program::Program;
use super::words;
use crate::host::c::{self, Document};

/// The C program; where it `asks`, with questions to its objects.
pub fn to_c(plan: &Plan, asks: bool) -> String {
    let lowered = lower(plan);
    c::to_c(&Document {
        about: &about(&plan.program),
        needs: &needs(&plan.program),
        program: &lowered.program,
        checks: &lowered.checks(plan),
        quit: None,
        asks,
    })
}

/// What the reader is told first.
fn about(p: &Program) -> Vec<String> {
    let mut lines = vec![
        "A program of OpenCL commands that an implementation must play as is said below.".into(),
        String::new(),
    ];
    for (n, queue) in p.queues.iter().enumerate() {
        let order = match queue.out_of_order {
            true => "out of order",
            false => "in order",
        };
        lines.push(format!(
            "queue {n}: {order}, device {}, context {}",
            queue.device, queue.context.0
        ));
    }
    for (n, object) in p.objects.iter().enumerate() {
        lines.push(format!(
            "object {n}: {}, {} cells of {} bytes, context {}",
            words::kind(object.kind),
            object.cells,
            u32::from(p.cell_words) * 4,
            object.context.0
        ));
    }
    for (n, command) in p.commands.iter().enumerate() {
        lines.push(format!("command {n}: {}", words::command(p, command)));
    }
    lines
}
