//! Blocks: what they hold of where they were written, and what is asked of them (OpenCL C, "Blocks", "Built-in Functions -
//! Kernel Query Functions").

use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};

/// A block has the values that variables had where it was written.
pub(super) fn held(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (
        choices.between(1, 999) as i32,
        choices.between(1, 99) as i32,
    );
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("what blocks hold")
        .given(n, &[a, b])
        .inside(format!("int k{n} = {a0}; long wide{n} = {b0};"))
        .inside(format!(
            "int (^add{n})(int) = ^(int x) {{ return x + k{n}; }};"
        ))
        .inside(format!(
            "long (^scale{n})(void) = ^{{ return wide{n} * k{n}; }};"
        ))
        .inside(format!("k{n} = 7; wide{n} = 0;"))
        .gives(format!("add{n}({b0})"), (a + b).into())
        .gives(format!("scale{n}()"), i64::from(a) * i64::from(b))
        .gives(
            format!("add{n}(add{n}(1)) + k{n}"),
            i64::from(2 * a + 1 + 7),
        )
}

/// Blocks in program scope, and blocks in blocks.
pub(super) fn nested(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (
        choices.between(1, 999) as i32,
        choices.between(1, 99) as i32,
    );
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("blocks in blocks")
        .given(n, &[a, b])
        .before(format!(
            "int (^const twice{n})(int) = ^(int x) {{ return 2 * x; }};"
        ))
        .inside(format!("int k{n} = {a0};"))
        .inside(format!("int (^outer{n})(int) = ^(int x) {{"))
        .inside(format!("int y{n} = twice{n}(x);"))
        .inside(format!(
            "int (^inner{n})(int) = ^(int z) {{ return z * 1000 + y{n} + k{n}; }};"
        ))
        .inside(format!("y{n} = 0; return inner{n}(x); }};"))
        .gives(format!("outer{n}({b0})"), i64::from(b * 1000 + 2 * b + a))
        .gives(format!("twice{n}(twice{n}({b0}))"), (4 * b).into())
}

/// Of how many work-items the groups of a block may be.
pub(super) fn asked(choices: &mut Choices, n: usize) -> Piece {
    let block = format!("^{{ *kept{n} = 1; }}");
    let piece = Piece::about("what is asked of blocks")
        .inside(format!("global long *kept{n} = out;"))
        .inside(format!(
            "uint most{n} = get_kernel_work_group_size({block});"
        ))
        .inside(format!(
            "uint times{n} = get_kernel_preferred_work_group_size_multiple({block});"
        ))
        .gives(format!("most{n} >= 1"), 1)
        .gives(format!("times{n} >= 1"), 1);
    match choices.percent(10) {
        true => sub_groups(piece, &block, n),
        false => piece,
    }
}

/// And of how many sub-groups they would be, in ranges of so many.
fn sub_groups(piece: Piece, block: &str, n: usize) -> Piece {
    let of =
        |range: &str, what: &str| format!("get_kernel_{what}_for_ndrange({range}{n}, {block})");
    piece
        .before("#ifdef cl_khr_subgroups")
        .before("#pragma OPENCL EXTENSION cl_khr_subgroups: enable")
        .before("#endif")
        .before("#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)")
        .before(format!("#define SUB_GROUPS{n}(what, right) (what)"))
        .before("#else")
        .before(format!("#define SUB_GROUPS{n}(what, right) (right)"))
        .before("#endif")
        .inside(format!("uint few{n} = min(most{n}, 6u);"))
        .inside(format!(
            "ndrange_t alone{n} = ndrange_1D(3, 1), range{n} = ndrange_1D(2 * few{n}, few{n});"
        ))
        .inside(format!(
            "uint one{n} = SUB_GROUPS{n}({}, 1u);",
            of("alone", "sub_group_count")
        ))
        .inside(format!(
            "uint count{n} = SUB_GROUPS{n}({}, 1u);",
            of("range", "sub_group_count")
        ))
        .inside(format!(
            "uint size{n} = SUB_GROUPS{n}({}, few{n});",
            of("range", "max_sub_group_size")
        ))
        .gives(format!("one{n}"), 1)
        // Each has a work-item, and together they have all.
        .gives(format!("count{n} >= 1 && count{n} <= few{n}"), 1)
        .gives(format!("size{n} >= 1 && count{n} * size{n} >= few{n}"), 1)
}
