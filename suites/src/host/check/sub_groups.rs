//! Holds what work-items saw of their sub-groups against the rules and the host's view.
//!
//! Which work-items make up a sub-group is the device's choice. All sub-groups of a work-group have one
//! size, but for the last, which may be smaller (section "Mapping Work-items Onto an ND-range").

use crate::host::range::SUB_GROUP_FIELDS;

/// The host's view of the sub-groups of a kernel in work-groups of one shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubGroups {
    /// CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE.
    pub size: u64,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE.
    pub count: u64,
    /// CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT for that count: a work-group of one dimension with as many
    /// sub-groups, or 0.
    pub local: u64,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE of that work-group.
    pub again: u64,
}

/// The first thing that is wrong; `words` are records, and `groups` the sizes of work-groups.
pub fn check(words: &[u32], groups: &[u32], told: &SubGroups) -> Option<String> {
    if told.count == 0 || told.size == 0 {
        return Some(format!(
            "the host is told of {} sub-groups of {}",
            told.count, told.size
        ));
    }
    if told.local != 0 && told.again != told.count {
        return Some(format!(
            "the host is told of a local size for {} sub-groups that has {}",
            told.count, told.again
        ));
    }
    let whole = groups.iter().copied().max().unwrap_or(0);
    let mut rest = words;
    for (group, &size) in groups.iter().enumerate() {
        let length = size as usize * SUB_GROUP_FIELDS;
        let records = rest.get(..length)?;
        rest = &rest[length..];
        let wrong = one(records, size, told).or_else(|| {
            let count = records.get(4).copied().map_or(0, u64::from);
            (size == whole && count != told.count)
                .then(|| format!("{count} sub-groups, the host is told {}", told.count))
        });
        if let Some(what) = wrong {
            return Some(format!("group {group} of {size} work-items: {what}"));
        }
    }
    None
}

/// What is wrong in one work-group of so many work-items.
fn one(records: &[u32], size: u32, told: &SubGroups) -> Option<String> {
    // Which places of each sub-group are taken.
    let mut seen: Vec<Vec<bool>> = Vec::new();
    for (me, record) in records.chunks_exact(SUB_GROUP_FIELDS).enumerate() {
        let &[number, inside, own, most, count, enqueued] = record else {
            return None;
        };
        let at = format!("work-item {me}");
        if u64::from(most) != told.size {
            return Some(format!(
                "{at}: sub-groups of at most {most}, the host is told {}",
                told.size
            ));
        }
        if u64::from(enqueued) != told.count {
            return Some(format!(
                "{at}: {enqueued} sub-groups in a whole group, the host is told {}",
                told.count
            ));
        }
        if count == 0 || count > size {
            return Some(format!("{at}: {count} sub-groups"));
        }
        if number >= count || own > most || inside >= own {
            return Some(format!(
                "{at}: place {inside} of {own}, at most {most}, in sub-group {number} of {count}"
            ));
        }
        if seen.is_empty() {
            seen = vec![Vec::new(); count as usize];
        }
        let Some(places) = seen.get_mut(number as usize) else {
            return Some(format!(
                "{at}: {count} sub-groups, others saw {}",
                seen.len()
            ));
        };
        if places.is_empty() {
            places.resize(own as usize, false);
        }
        let free = places
            .get_mut(inside as usize)
            .is_some_and(|place| !std::mem::replace(place, true));
        if !free {
            return Some(format!(
                "{at}: place {inside} of {own} in sub-group {number} is not its own"
            ));
        }
    }
    let sizes: Vec<usize> = seen.iter().map(Vec::len).collect();
    let (last, others) = sizes.split_last()?;
    let first = others.first().unwrap_or(last);
    let even = others.iter().all(|own| own == first) && last <= first && *last > 0;
    let full = seen.iter().flatten().all(|taken| *taken);
    if !even || !full {
        return Some(format!("sub-groups of {sizes:?} work-items"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: SubGroups = SubGroups {
        size: 4,
        count: 2,
        local: 0,
        again: 0,
    };

    /// The records of a group whose sub-groups have these sizes.
    fn group(sizes: &[u32]) -> Vec<u32> {
        let of = |(number, own): (usize, &u32)| {
            let (own, count) = (*own, sizes.len() as u32);
            (0..own)
                .flat_map(move |inside| [number as u32, inside, own, 4, count, 2])
                .collect::<Vec<u32>>()
        };
        sizes.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn the_last_sub_group_may_be_smaller() {
        for sizes in [[4, 4], [4, 1], [3, 3]] {
            let all = sizes.iter().sum();
            assert_eq!(check(&group(&sizes), &[all], &TOLD), None, "{sizes:?}");
        }
        let both = [group(&[4, 2]), group(&[3])].concat();
        assert_eq!(check(&both, &[6, 3], &TOLD), None);
    }

    #[test]
    fn others_may_not() {
        assert!(check(&group(&[2, 4]), &[6], &TOLD).is_some());
        assert!(check(&group(&[4, 2, 4]), &[10], &TOLD).is_some());
        let mut twice = group(&[4, 4]);
        twice[1] = 1;
        assert!(check(&twice, &[8], &TOLD).is_some());
        let mut fewer = group(&[4, 4]);
        fewer[4] = 1;
        assert!(check(&fewer, &[8], &TOLD).is_some());
    }
}
