//! What a kernel of a tree sees of the index space with which it was enqueued.

use super::tree::Space;
use std::fmt::Write as _;

/// Statements that count in `bad` what differs from the space, dimension by dimension.
pub(super) fn look(space: &Space, bad: &str, text: &mut String) {
    let dimensions = space.global.len();
    let _ = writeln!(text, "    {bad} += get_work_dim() != {dimensions}u;");
    // How many work-items lie between neighbours of a dimension.
    let mut apart = 1;
    for (d, global) in space.global.iter().enumerate() {
        let part = |list: &Option<Vec<usize>>| list.as_ref().and_then(|list| list.get(d).copied());
        let offset = part(&space.offset).unwrap_or(0);
        let _ = writeln!(
            text,
            "    {bad} += get_global_offset({d}) != {offset}u || get_global_size({d}) != {global}u;\n    \
             {bad} += get_global_id({d}) != {offset}u + me / {apart}u % {global}u;"
        );
        if let Some(local) = part(&space.local) {
            let groups = global.div_ceil(local);
            let _ = writeln!(
                text,
                "    {bad} += get_enqueued_local_size({d}) != {local}u || get_local_size({d}) != min({local}u, {global}u - (uint)get_group_id({d}) * {local}u) || get_num_groups({d}) != {groups}u;\n    \
                 {bad} += get_group_id({d}) * {local}u + get_local_id({d}) + {offset}u != get_global_id({d});"
            );
        }
        apart *= global;
    }
}
