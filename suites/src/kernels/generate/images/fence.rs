//! Images that one kernel writes and reads.

use super::super::builder::{CaseBuilder, args, cl};
use super::{
    about, answered, asked_of, channels as channels_of, depth, image, read_of, told, whole,
    writes_3d, written_of,
};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Want};
use crate::kernels::image::{Channel, Format, Image, Order, Shape, Told};
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
    let order = match choices.percent(8) {
        true => Order::Depth,
        false => choices.one_of(&[Order::R, Order::Rgba, Order::Rg]),
    };
    if order == Order::Depth {
        depth(&mut case);
    }
    let channel = choices.pick(channels_of(order)).unwrap_or(Channel::Unorm16);
    let format = Format { order, channel };
    let group = choices.one_of(&[1u64, 4, 16, 33]);
    let groups = choices.between(1, 4) as u64;
    let items = (group * groups) as usize;
    // A depth of one is no third dimension.
    let kind = match order {
        Order::Depth => choices.one_of(&[1, 3]),
        _ => choices.below(if groups > 1 { 5 } else { 4 }),
    };
    let shape = match kind {
        0 => Shape::Line(items),
        1 => Shape::Plane(group as usize, groups as usize),
        2 => Shape::Lines(group as usize, groups as usize),
        3 => Shape::Planes(group as usize, 1, groups as usize),
        _ => Shape::Block(group as usize, 1, groups as usize),
    };
    let before = match kind {
        4 => writes_3d(&mut case),
        _ => String::new(),
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
    let (order_it, other) = if group_wide {
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
    let (read, vector) = told(format.channel);
    let scale = format.channel.scale();
    let (low, high) = format.channel.limits();
    let range = match high - low < i64::from(u32::MAX) {
        true => format!("(convert_int4(mixed % {}u) + ({low}))", high - low + 1),
        false => "as_int4(mixed)".into(),
    };
    let channels = format.order.places().map(|place| match place {
        Some(_) => "-1",
        None => "0",
    });
    let has_alpha = channels[3] == "-1";
    let channels = channels.join(", ");
    let made = match (format.channel.told(), scale) {
        (Told::Int, _) => "mine".into(),
        (Told::Uint, _) => "as_uint4(mine)".into(),
        (Told::Float, Some(scale)) => format!("convert_float4(mine) / {scale}.0f"),
        (Told::Float, None) => "convert_float4(mine)".into(),
    };
    case.case.source = cl!(
        "fence.cl",
        before,
        ty = own.c_type(),
        range,
        channels,
        alpha = if has_alpha { 0 } else { scale.unwrap_or(1) },
        passes,
        write = read.replace("read", "write"),
        own = place("me"),
        made = written_of(order, &made),
        order_it,
        other,
        vector,
        read = read_of(order, &format!("{read}(image, {})", place("other"))),
        result = whole(format.channel, "v"),
        answers = asked_of(own)
    );
    let id = image(&mut case, own, Contents::Zero);
    let wrong = case.unwritten(items);
    let range = Range::line(items as u64, group);
    let asked = case.object(Kind::Buffer, 16, Contents::Every(0xabcd_ef01));
    case.launch("exchange", args![id, wrong, asked], range);
    let name = format!("elements of {} that were not read back", about(own));
    let want = Want::zeros();
    case.look(wrong, &[rule::MM_IMAGE_FENCE, rule::RG_IMAGE], &name, want);
    let name = "what an image that a kernel reads and writes says of itself";
    case.look(asked, &[rule::RG_IMAGE], name, answered(own));
    case.case
}
