//! Index spaces, and the records that work-items leave of their places in one.

use serde::{Deserialize, Serialize};

/// An index space.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The global offset, one for each dimension; none is NULL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Vec<u64>>,
    /// The global size, one for each dimension.
    pub global: Vec<u64>,
    /// The local size, one for each dimension; none is NULL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<Vec<u64>>,
}

impl Range {
    /// A range without an offset.
    pub fn new(global: Vec<u64>, local: impl Into<Option<Vec<u64>>>) -> Range {
        Range {
            offset: None,
            global,
            local: local.into(),
        }
    }

    /// One dimension.
    pub fn line(global: u64, local: u64) -> Range {
        Range::new(vec![global], vec![local])
    }

    /// Work-items.
    pub fn items(&self) -> u64 {
        self.global.iter().product()
    }

    /// Work-items of a whole work-group; 1 where the implementation chooses.
    pub fn group(&self) -> u64 {
        self.local.as_ref().map_or(1, |l| l.iter().product())
    }

    /// A size in each of three dimensions; 1 where there are fewer.
    pub fn three(list: &[u64], missing: u64) -> [u64; 3] {
        [0, 1, 2].map(|d| list.get(d).copied().unwrap_or(missing))
    }
}

/// Words in a record of a work-item's sub-group: its number, the work-item's place in it, its size,
/// the largest size, the number of sub-groups, and the same for a whole work-group.
pub const SUB_GROUP_FIELDS: usize = 6;

/// Longs in a record of a work-item's ids: for each of three dimensions global id, local id, group
/// id, global size, local size, enqueued local size, number of groups and global offset; then the
/// number of dimensions, the global and the local linear id.
pub const FIELDS: usize = 27;
