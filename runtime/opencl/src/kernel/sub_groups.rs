//! How a kernel's work-groups are divided into sub-groups: `clGetKernelSubGroupInfo`.
//!
//! Work-items are numbered along the work-group, and every so many make a sub-group; the last one of a
//! work-group may be smaller. It is the same for every kernel.

use opencl_sys::*;

use super::Kernel;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::platform::limits::sub_group_size;
use crate::program::Target;

/// What a query is about: the bytes of its input as numbers, or None without an input.
pub type Input = Option<Vec<usize>>;

/// The most dimensions of an index space.
const DIMENSIONS: usize = 3;

impl Kernel {
    /// One query about sub-groups. `room` is how many numbers there is room for, where there is a place for the
    /// answer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name or an input that does not fit the name.
    pub fn sub_group_info(
        target: &Target,
        name: cl_kernel_sub_group_info,
        input: Input,
        room: Option<usize>,
    ) -> Result<Answer> {
        let wrong = Error(CL_INVALID_VALUE);
        let most = Self::max_group_size(target);
        let items = || -> Result<usize> {
            let sides = input.as_ref().ok_or(wrong)?;
            ensure!((1..=DIMENSIONS).contains(&sides.len()), CL_INVALID_VALUE);
            Ok(sides.iter().fold(1, |all, &side| all.saturating_mul(side)))
        };
        Ok(match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => Answer::of(sub_group_size().min(items()?)),
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                Answer::of(items()?.div_ceil(sub_group_size()))
            }
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let [count] = *input.as_deref().ok_or(wrong)? else {
                    return Err(wrong);
                };
                // "Other dimensions inferred from the value specified for param_value_size".
                let dimensions = room.unwrap_or(1);
                ensure!((1..=DIMENSIONS).contains(&dimensions), CL_INVALID_VALUE);
                Answer::list(local_size_for(count, dimensions, most, target))
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => Answer::of(most.div_ceil(sub_group_size())),
            // There is no way to ask for a number in the source.
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => Answer::of(0usize),
            _ => return Err(wrong),
        })
    }
}

/// The size of work-groups of so many whole sub-groups, in one dimension; zeros where there can be none.
fn local_size_for(count: usize, dimensions: usize, most: usize, target: &Target) -> Vec<usize> {
    let items = count.saturating_mul(sub_group_size());
    let required = target.meta.info.reqd_work_group_size;
    let may_be = required.is_none_or(|sides| sides == [items as u64, 1, 1]);
    if items == 0 || items > most || !may_be {
        return vec![0; dimensions];
    }
    let mut sides = vec![1; dimensions];
    sides[0] = items;
    sides
}
