//! The rules that a case puts to the test.

use crate::execute::{draw_commands, draw_kernel, read_commands, read_kernel, small_commands};
use crate::plan::{Body, Case};
use classay_suites::kernels::case::KernelCase;
use classay_suites::rule::RuleId;
use std::collections::BTreeSet;

/// The rules of a case, whose seed is set. A litmus test may show any rule of memory consistency.
pub fn covers(case: &Case) -> BTreeSet<RuleId> {
    let plan = match &case.body {
        Body::Litmus { .. } => {
            return classay_suites::catalogue::all()
                .iter()
                .map(|rule| rule.id)
                .filter(|id| id.as_str().starts_with("mm."))
                .collect();
        }
        Body::Drawn { profile } => draw_commands(profile, case.seed),
        Body::Small { number } => small_commands(*number),
        Body::Commands { program } => read_commands(program),
        Body::DrawnKernel { family } => return of_kernel(draw_kernel(family, case.seed)),
        Body::Kernel { kernel } => return of_kernel(read_kernel(kernel)),
    };
    plan.map(|plan| plan.covers()).unwrap_or_default()
}

fn of_kernel(case: Result<KernelCase, String>) -> BTreeSet<RuleId> {
    case.map(|case| case.covers()).unwrap_or_default()
}
