//! Index spaces: what an enqueue may ask for, and the work-group size when it leaves the
//! choice to the implementation.

use touchstone_faults::{Fault, Latitude, on, takes};

use crate::ffi::{Result, ensure};
use crate::platform::limits::max_work_group_size;

/// The largest group of a kernel that asks for none, with odd sizes.
pub const ODD_GROUP: usize = 257;

/// The preferred multiple, with odd sizes.
const PREFERRED_ODD: usize = 7;

/// Work-items that spread the cost of starting a group, and leave groups for every thread.
const PREFERRED: usize = 64;

/// The work-group size whose multiples are said to be fast, for groups of at most so many work-items.
pub fn preferred_multiple(max_group: usize) -> usize {
    let preferred = if takes(Latitude::OddSizes) {
        PREFERRED_ODD
    } else {
        PREFERRED
    };
    preferred.min(max_group)
}

/// An index space; sides beyond `dimensions` are one (offsets: zero).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// 1 to 3.
    pub dimensions: u32,
    /// First global id.
    pub offset: [usize; 3],
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items of a work-group.
    pub local: [usize; 3],
}

/// What a kernel demands of its work-groups.
#[derive(Clone, Copy, Debug)]
pub struct Demands {
    /// `reqd_work_group_size`.
    pub required: Option<[usize; 3]>,
    /// All groups of one size.
    pub uniform: bool,
    /// At most so many work-items.
    pub max_group: usize,
}

impl Range {
    /// Checks an enqueue's sizes and chooses a work-group size where none is given.
    ///
    /// # Errors
    /// As the specification lists them for `clEnqueueNDRangeKernel`.
    pub fn new(
        dimensions: u32,
        offset: Option<&[usize]>,
        global: Option<&[usize]>,
        local: Option<&[usize]>,
        demands: &Demands,
    ) -> Result<Self> {
        ensure!((1..=3).contains(&dimensions), CL_INVALID_WORK_DIMENSION);
        let mut range = Self {
            dimensions,
            offset: [0; 3],
            global: [1; 3],
            local: [1; 3],
        };
        let sides = dimensions as usize;
        match global {
            Some(global) => range.global[..sides].copy_from_slice(global),
            // Since OpenCL 2.1 no size means an empty index space.
            None => range.global[..sides].fill(0),
        }
        if let Some(offset) = offset {
            range.offset[..sides].copy_from_slice(offset);
        }
        let items = range
            .global
            .iter()
            .try_fold(1usize, |all, &side| all.checked_mul(side));
        ensure!(items.is_some(), CL_INVALID_GLOBAL_WORK_SIZE);
        let ends = range.global.iter().zip(&range.offset);
        let fits = ends.fold(true, |fits, (side, start)| {
            fits && side.checked_add(*start).is_some()
        });
        ensure!(fits, CL_INVALID_GLOBAL_OFFSET);
        range.local = match local {
            Some(local) => {
                let mut given = [1; 3];
                given[..sides].copy_from_slice(local);
                range.check_local(given, demands)?;
                given
            }
            None if on(Fault::NullLocalFloor) && demands.required.is_none() => {
                let side = demands.max_group.min(64).min(range.global[0].max(1));
                range.global[0] -= range.global[0] % side;
                [side, 1, 1]
            }
            None => range.choose_local(demands)?,
        };
        Ok(range)
    }

    /// Whether there is no work-item.
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }

    /// Whether all work-groups are of one size.
    pub fn is_uniform(&self) -> bool {
        self.divides(self.local)
    }

    fn divides(&self, local: [usize; 3]) -> bool {
        self.global
            .iter()
            .zip(local)
            .all(|(global, local)| global.is_multiple_of(local))
    }

    fn check_local(&self, local: [usize; 3], demands: &Demands) -> Result<()> {
        ensure!(!local.contains(&0), CL_INVALID_WORK_GROUP_SIZE);
        if let Some(required) = demands.required {
            ensure!(local == required, CL_INVALID_WORK_GROUP_SIZE);
        }
        let too_long = local.iter().any(|&side| side > max_work_group_size());
        ensure!(!too_long, CL_INVALID_WORK_ITEM_SIZE);
        // Three sides of at most 1024 cannot overflow.
        let items: usize = local.iter().product();
        ensure!(items <= demands.max_group, CL_INVALID_WORK_GROUP_SIZE);
        ensure!(
            !demands.uniform || self.divides(local),
            CL_INVALID_WORK_GROUP_SIZE
        );
        Ok(())
    }

    /// The required size, or one that divides the index space: in each dimension the
    /// largest divisor that keeps the group at or under the preferred multiple. With odd sizes the first side
    /// need not divide, where groups may differ in size.
    fn choose_local(&self, demands: &Demands) -> Result<[usize; 3]> {
        if let Some(required) = demands.required {
            self.check_local(required, demands)?;
            return Ok(required);
        }
        let mut room = preferred_multiple(demands.max_group);
        let mut local = [1; 3];
        if takes(Latitude::OddSizes) && !demands.uniform {
            local[0] = room.min(self.global[0]).max(1);
            return Ok(local);
        }
        for (side, &global) in local.iter_mut().zip(&self.global) {
            let divisor = (1..=room.min(global))
                .rev()
                .find(|&divisor| global.is_multiple_of(divisor));
            *side = divisor.unwrap_or(1);
            room /= *side;
        }
        Ok(local)
    }
}

#[cfg(test)]
mod tests {
    use opencl_sys::*;

    use super::*;
    use crate::ffi::Error;

    const FREE: Demands = Demands {
        required: None,
        uniform: false,
        max_group: 1024,
    };

    fn linear(global: usize, local: Option<usize>, demands: &Demands) -> Result<Range> {
        let local = local.map(|side| [side]);
        let local = local.as_ref().map(<[usize; 1]>::as_slice);
        Range::new(1, None, Some(&[global]), local, demands)
    }

    #[test]
    fn the_chosen_size_divides_the_index_space() {
        for global in [1, 2, 7, 64, 67, 100, 1000, 1021, 1 << 20] {
            let range = linear(global, None, &FREE).unwrap();
            assert!(global.is_multiple_of(range.local[0]), "{range:?}");
        }
        let cube = Range::new(3, None, Some(&[10, 12, 14]), None, &FREE).unwrap();
        assert!(cube.divides(cube.local), "{cube:?}");
        assert!(cube.local.iter().product::<usize>() <= 64);
    }

    #[test]
    fn remainders_are_allowed_unless_groups_are_uniform() {
        assert_eq!(linear(10, Some(4), &FREE).unwrap().local, [4, 1, 1]);
        let uniform = Demands {
            uniform: true,
            ..FREE
        };
        assert_eq!(
            linear(10, Some(4), &uniform),
            Err(Error(CL_INVALID_WORK_GROUP_SIZE))
        );
    }

    #[test]
    fn each_mistake_has_its_code() {
        let given = |d, g: &[usize], l: Option<&[usize]>| Range::new(d, None, Some(g), l, &FREE);
        assert_eq!(given(0, &[], None), Err(Error(CL_INVALID_WORK_DIMENSION)));
        assert_eq!(
            given(4, &[1; 4], None),
            Err(Error(CL_INVALID_WORK_DIMENSION))
        );
        assert_eq!(
            linear(10, Some(0), &FREE),
            Err(Error(CL_INVALID_WORK_GROUP_SIZE))
        );
        assert_eq!(
            linear(4096, Some(2048), &FREE),
            Err(Error(CL_INVALID_WORK_ITEM_SIZE))
        );
        assert_eq!(
            given(2, &[64, 64], Some(&[64, 64])),
            Err(Error(CL_INVALID_WORK_GROUP_SIZE))
        );
        assert_eq!(
            given(2, &[usize::MAX, 2], None),
            Err(Error(CL_INVALID_GLOBAL_WORK_SIZE))
        );
        assert_eq!(
            Range::new(1, Some(&[usize::MAX]), Some(&[2]), None, &FREE),
            Err(Error(CL_INVALID_GLOBAL_OFFSET))
        );
        let required = Demands {
            required: Some([8, 1, 1]),
            ..FREE
        };
        assert_eq!(
            linear(16, Some(4), &required),
            Err(Error(CL_INVALID_WORK_GROUP_SIZE))
        );
        assert_eq!(linear(16, None, &required).unwrap().local, [8, 1, 1]);
    }

    #[test]
    fn an_index_space_may_be_empty() {
        assert!(linear(0, None, &FREE).unwrap().is_empty());
        assert!(Range::new(2, None, None, None, &FREE).unwrap().is_empty());
    }
}
