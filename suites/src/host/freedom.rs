//! What answers of a run show of freedoms: where rules leave a choice, the way that the device took.

use super::ids::AnswerId;
use super::range::FIELDS;
use super::record::Record;
use classay_vocabulary::{Freedom, FreedomCount};
use std::collections::BTreeMap;

/// An answer that shows freedoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The ids that work-items of one launch told, in the order in which they came: a count of records in
    /// the first long, then the records, of [`FIELDS`] longs each.
    Ids(AnswerId),
    /// The turns, drawn from one counter, at which each of so many work-groups began and ended: two words
    /// for each, in the order of their ids. Each waited a while for the others to begin.
    Turns(AnswerId, u32),
    /// The status of a parent of which two children failed with these: the one that failed first, and the
    /// one that failed later.
    Status(AnswerId, [i32; 2]),
}

impl Choice {
    /// The freedoms that a run could show, and whether it did.
    pub fn shown(self, record: &Record) -> Vec<FreedomCount> {
        match self {
            Choice::Ids(answer) => {
                let longs = numbers::<8>(record, answer).map(u64::from_le_bytes);
                of_ids(&longs.collect::<Vec<_>>())
            }
            Choice::Turns(answer, groups) => {
                let words = numbers::<4>(record, answer).map(u32::from_le_bytes);
                let turns: Vec<u32> = words.take(2 * groups as usize).collect();
                of_turns(&turns, groups)
            }
            Choice::Status(answer, [first, later]) => {
                let told = numbers::<4>(record, answer).next().map(i32::from_ne_bytes);
                let either = told.filter(|status| [first, later].contains(status));
                let shown = either.map(|status| Freedom::LaterChild.once(status == later));
                shown.into_iter().collect()
            }
        }
    }
}

fn numbers<const BYTES: usize>(
    record: &Record,
    answer: AnswerId,
) -> impl Iterator<Item = [u8; BYTES]> {
    let bytes = record.answers.get(&answer).map_or(&[][..], Vec::as_slice);
    bytes.chunks_exact(BYTES).filter_map(|n| n.try_into().ok())
}

/// By the order of the records: in which order work-groups began, and whether one came between two records
/// of another.
fn of_ids(longs: &[u64]) -> Vec<FreedomCount> {
    let Some((count, records)) = longs.split_first() else {
        return Vec::new();
    };
    let groups: Vec<u64> = records
        .chunks_exact(FIELDS)
        .take(usize::try_from(*count).unwrap_or(usize::MAX))
        .map(|r| {
            let plane = r[8].wrapping_mul(r[19]).wrapping_add(r[7]);
            plane.wrapping_mul(r[18]).wrapping_add(r[6])
        })
        .collect();
    // The groups as they come, a group that goes on once, and the records of each.
    let mut stretches: Vec<u64> = Vec::new();
    let mut sizes: BTreeMap<u64, u32> = BTreeMap::new();
    for group in groups {
        if stretches.last() != Some(&group) {
            stretches.push(group);
        }
        *sizes.entry(group).or_default() += 1;
    }
    if sizes.len() < 2 {
        return Vec::new();
    }
    let mut began: Vec<u64> = Vec::new();
    for group in &stretches {
        if !began.contains(group) {
            began.push(*group);
        }
    }
    let mut shown = vec![Freedom::GroupsReordered.once(!began.is_sorted())];
    if sizes.values().any(|items| *items > 1) {
        shown.push(Freedom::GroupsInterleaved.once(stretches.len() > sizes.len()));
    }
    shown
}

/// By the turns at which work-groups began and ended.
fn of_turns(turns: &[u32], groups: u32) -> Vec<FreedomCount> {
    if turns.len() < 2 * groups as usize || groups < 2 {
        return Vec::new();
    }
    let spans: Vec<(u32, u32)> = turns.chunks_exact(2).map(|two| (two[0], two[1])).collect();
    let within = |at: u32| {
        spans
            .iter()
            .any(|(began, ended)| *began < at && at < *ended)
    };
    vec![
        Freedom::GroupsReordered.once(!spans.is_sorted_by_key(|(began, _)| *began)),
        Freedom::GroupsInterleaved.once(spans.iter().any(|(began, _)| within(*began))),
        Freedom::GroupsTogether.once(spans.iter().all(|(began, _)| *began < groups)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bytes: Vec<u8>) -> Record {
        let mut record = Record::default();
        record.answers.insert(AnswerId(3), bytes);
        record
    }

    fn seen(shown: &[FreedomCount]) -> Vec<(Freedom, bool)> {
        assert!(shown.iter().all(|count| count.of == 1));
        shown.iter().map(|c| (c.freedom, c.seen == 1)).collect()
    }

    /// What is shown where work-items of these groups of a row of four tell their ids in this order.
    fn ids(groups: &[u64]) -> Vec<(Freedom, bool)> {
        let mut longs = vec![groups.len() as u64];
        for group in groups {
            let mut record = [0; FIELDS];
            (record[6], record[18], record[19]) = (*group, 4, 1);
            longs.extend(record);
        }
        let bytes = longs.iter().flat_map(|n| n.to_le_bytes()).collect();
        seen(&Choice::Ids(AnswerId(3)).shown(&record(bytes)))
    }

    #[test]
    fn the_order_of_records_shows_that_of_groups() {
        use Freedom::{GroupsInterleaved, GroupsReordered};
        let both = |a, b| vec![(GroupsReordered, a), (GroupsInterleaved, b)];
        assert_eq!(ids(&[0, 0, 1, 1, 2]), both(false, false));
        assert_eq!(ids(&[1, 1, 0, 0]), both(true, false));
        assert_eq!(ids(&[0, 1, 0, 1]), both(false, true));
        assert_eq!(ids(&[2, 0, 2, 1]), both(true, true));
        // Work-groups of one work-item are between no two acts of another.
        assert_eq!(ids(&[0, 2, 1]), [(GroupsReordered, true)]);
        assert_eq!(ids(&[0, 0, 0]), []);
        assert_eq!(ids(&[]), []);
    }

    /// What is shown where groups began and ended at these turns.
    fn turns(of: &[(u32, u32)]) -> Vec<bool> {
        let words = of.iter().flat_map(|(began, ended)| [*began, *ended]);
        let bytes = words.flat_map(|n| n.to_le_bytes()).collect();
        let shown = Choice::Turns(AnswerId(3), of.len() as u32).shown(&record(bytes));
        seen(&shown).into_iter().map(|(_, seen)| seen).collect()
    }

    #[test]
    fn turns_show_order_interleaving_and_progress() {
        assert_eq!(turns(&[(0, 1), (2, 3), (4, 5)]), [false, false, false]);
        assert_eq!(turns(&[(4, 5), (0, 1), (2, 3)]), [true, false, false]);
        assert_eq!(turns(&[(0, 2), (1, 3), (4, 5)]), [false, true, false]);
        assert_eq!(turns(&[(2, 4), (0, 5), (1, 3)]), [true, true, true]);
        assert_eq!(turns(&[(0, 1)]), [false; 0]);
        // What was not read shows nothing.
        assert_eq!(Choice::Turns(AnswerId(3), 2).shown(&Record::default()), []);
    }

    #[test]
    fn a_status_shows_which_child_decided() {
        let told = |status: i32| {
            let record = record(status.to_ne_bytes().into());
            seen(&Choice::Status(AnswerId(3), [-5, -9]).shown(&record))
        };
        assert_eq!(told(-5), [(Freedom::LaterChild, false)]);
        assert_eq!(told(-9), [(Freedom::LaterChild, true)]);
        assert_eq!(told(-14), []);
    }
}
