//! Images that one kernel writes and reads.

use super::super::builder::{CaseBuilder, args, cl};
use super::{answered, asked_of, image};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Want};
use crate::kernels::image::{Channel, Format, Image, Order, Shape};
use crate::rule;
use classay_vocabulary::Need;

/// A kernel writes and reads one image: a fence orders the accesses of a work-item, a barrier those
/// of a work-group.
pub fn fence(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("work-items read back what was written to an image before a fence");
    case.need(&[
        Need::Images,
        Need::FullProfile,
        Need::C20,
        Need::ReadWriteImages,
    ]);
    let channel = choices.one_of(&[Channel::Unsigned8, Channel::Unsigned16, Channel::Unsigned32]);
    let order = choices.one_of(&[Order::R, Order::Rgba]);
    let format = Format { order, channel };
    let group = choices.one_of(&[1u64, 4, 16, 33]);
    let groups = choices.between(1, 4) as u64;
    let items = (group * groups) as usize;
    let kind = choices.below(4);
    let shape = match kind {
        0 => Shape::Line(items),
        1 => Shape::Plane(group as usize, groups as usize),
        2 => Shape::Lines(group as usize, groups as usize),
        _ => Shape::Planes(group as usize, 1, groups as usize),
    };
    let own = Image { shape, format };
    let passes = choices.between(2, 6) as u32;
    let group_wide = choices.percent(50);
    // Where the work-item of a number in a group has its element.
    let place = |inside: &str| match kind {
        0 => format!("(int)(group * {group}u + {inside})"),
        1 | 2 => format!("(int2)((int)({inside}), (int)group)"),
        _ => format!("(int4)((int)({inside}), 0, (int)group, 0)"),
    };
    let (order_it, read) = if group_wide {
        (
            "work_group_barrier(CLK_IMAGE_MEM_FENCE);",
            format!("(me + pass + 1u) % {group}u"),
        )
    } else {
        (
            "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);",
            "me".into(),
        )
    };
    case.case.source = cl!(
        "fence.cl",
        ty = shape.c_type(),
        passes,
        own = place("me"),
        order_it,
        read,
        theirs = place("other"),
        answers = asked_of(own)
    );
    let id = image(&mut case, own, Contents::Zero);
    let wrong = case.unwritten(items);
    let range = Range::line(items as u64, group);
    let asked = case.object(Kind::Buffer, 16, Contents::Every(0xabcd_ef01));
    case.launch("exchange", args![id, wrong, asked], range);
    let name = "elements that were not read back";
    let want = Want::zeros();
    case.look(wrong, &[rule::MM_IMAGE_FENCE, rule::RG_IMAGE], name, want);
    let name = "what an image that a kernel reads and writes says of itself";
    case.look(asked, &[rule::RG_IMAGE], name, answered(own));
    case.case
}
