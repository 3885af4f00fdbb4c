//! A parent and children that run at the same time, and talk through atomics.

use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, DeviceQueue, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
use crate::rule;
use classay_vocabulary::Need;

/// Counting together, and messages in both directions. Nobody waits for ever: what does not come is
/// not looked at.
pub fn talk(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a parent and its children count together and send messages");
    case.need(&[
        Need::DeviceEnqueue,
        Need::C11Atomics,
        Need::OrderAcqRel,
        Need::ScopeDevice,
    ]);
    let kind = choices.one_of(&[Kind::Buffer, Kind::Buffer, Kind::SvmCoarse]);
    case.need_if(kind == Kind::SvmCoarse, &[Need::SvmCoarse]);
    // Each work-item of the parent has a child, or the first one has them all.
    let each = choices.percent(35);
    let parents = choices.one_of(&[1u32, 8, 16]);
    let (children, items, passes) = match each {
        true => (parents, choices.one_of(&[1u32, 4]), 200),
        false => (
            choices.between(1, 4) as u32,
            choices.one_of(&[1u32, 4, 16, 32]),
            choices.one_of(&[200u32, 1000, 3000]),
        ),
    };
    let enqueuer = if each { "number" } else { "0u" };
    let patience = 20_000;
    let flag = choices.one_of(&["NO_WAIT", "NO_WAIT", "WAIT_WORK_GROUP", "WAIT_KERNEL"]);
    case.case.source = cl!(
        "talk.cl", patience, parents, items, passes, children, flag, enqueuer
    );
    case.case.device_queues.push(DeviceQueue::default());
    let who = parents + children * items;
    let counter = case.object(kind, 4, Contents::Zero);
    let olds = case.object(kind, (4 * who * passes) as usize, Contents::Zero);
    let flags = case.object(kind, 4 * (children as usize + 1), Contents::Zero);
    let data = case.object(kind, 4 * (children as usize + 1), Contents::Zero);
    let wrong = case.object(kind, 4 * who as usize, Contents::Every(u32::MAX));
    let args = args![counter, olds, flags, data, wrong, Arg::Queue(0)];
    let range = Range::line(u64::from(parents), u64::from(parents.min(8)));
    case.launch("parent", args, range);
    case.look(
        olds,
        &[
            rule::SP_PARENT_CHILD_ATOMICS,
            rule::MM_ATOMICITY,
            rule::MM_RMW_LAST,
        ],
        "values before additions of a parent and its children",
        Want::permutation(Unit::Word, u64::from(who * passes), 0, 1),
    );
    let want = Want::zeros().racy();
    let rules = [rule::SP_PARENT_CHILD_ATOMICS, rule::DEV_NO_WAIT];
    let name = "messages without their data, and counts that run back";
    case.look(wrong, &rules, name, want);
    case.case
}
