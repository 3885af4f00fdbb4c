//! Holds the ids that work-items saw against the formulae of the index space.
//!
//! Records come in any order. Each is known by its global id; from that, the offset, the global size
//! and the local size everything else follows. Where the local size is NULL, it is what the first
//! record says it is, and then all have to agree with it.

use crate::host::range::{FIELDS, Range};
use crate::rule::{self, RuleId};
use classay_vocabulary::Violation;
use std::collections::BTreeMap;

/// The rules that a range puts to the test.
pub fn rules(range: &Range) -> Vec<RuleId> {
    let mut rules = vec![
        rule::ND_GLOBAL_ID,
        rule::ND_LOCAL_ID,
        rule::ND_GROUP_COUNT,
        rule::KI_COMPLETION,
    ];
    if range.offset.is_some() {
        rules.push(rule::ND_OFFSET);
    }
    match &range.local {
        None => rules.push(rule::ND_NULL_LOCAL),
        Some(local) => {
            if range.global.iter().zip(local).any(|(g, s)| g % s != 0) {
                rules.push(rule::ND_NON_UNIFORM);
            }
        }
    }
    rules
}

/// The names of the functions in a record, in threes.
const NAMES: [&str; 8] = [
    "get_global_id",
    "get_local_id",
    "get_group_id",
    "get_global_size",
    "get_local_size",
    "get_enqueued_local_size",
    "get_num_groups",
    "get_global_offset",
];

/// Checks the longs of the object.
pub fn check(longs: &[u64], range: &Range, uniform: bool, times: u32) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut add = |rules: Vec<RuleId>, what: String| found.push(Violation { rules, what });
    let dimensions = range.global.len();
    let offset = range
        .offset
        .as_ref()
        .is_some_and(|o| o.iter().any(|f| *f != 0));
    let global_id: Vec<RuleId> = if offset {
        vec![rule::ND_GLOBAL_ID, rule::ND_OFFSET]
    } else {
        vec![rule::ND_GLOBAL_ID]
    };
    let size = Range::three(&range.global, 1);
    let first = Range::three(range.offset.as_deref().unwrap_or_default(), 0);
    let items = range.items() * u64::from(times);
    let ran = longs.first().copied().unwrap_or_default();
    if ran != items {
        let remainder = range
            .local
            .as_ref()
            .is_some_and(|local| range.global.iter().zip(local).any(|(g, s)| g % s != 0));
        let mut rules = vec![
            rule::ND_GROUP_COUNT,
            rule::ND_GLOBAL_ID,
            rule::KI_COMPLETION,
        ];
        if remainder {
            rules.insert(0, rule::ND_NON_UNIFORM);
        }
        add(rules, format!("{ran} work-items ran, not {items}"));
    }
    let there = longs.len().saturating_sub(1) / FIELDS;
    let count = usize::try_from(ran).unwrap_or(there).min(there);
    let mut records: Vec<&[u64]> = longs
        .get(1..)
        .unwrap_or_default()
        .chunks_exact(FIELDS)
        .take(count)
        .collect();
    records.sort_by_key(|r| ([r[2], r[1], r[0]], r.to_vec()));
    let mut seen: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut stray = None;
    for record in &records {
        let id = [record[0], record[1], record[2]];
        let inside = (0..3).all(|d| id[d] >= first[d] && id[d] - first[d] < size[d]);
        if inside {
            *seen.entry(id).or_default() += 1;
        } else if stray.is_none() {
            stray = Some(id);
        }
    }
    if let Some(id) = stray {
        let what = format!("a work-item has the global id {id:?}, outside the range");
        add(global_id.clone(), what);
    }
    if let Some((id, n)) = seen.iter().find(|(_, n)| **n != times) {
        add(
            global_id.clone(),
            format!("{n} work-items have the global id {id:?}, not {times}"),
        );
    } else if (seen.len() as u64) < range.items() {
        add(
            global_id,
            "global ids of the range are no work-item's".into(),
        );
    }
    let local = match &range.local {
        Some(local) => Range::three(local, 1),
        None => match records.first() {
            // What was chosen is what is said to have been enqueued.
            Some(r) => [r[15], r[16], r[17]],
            None => [1; 3],
        },
    };
    if local.contains(&0) {
        add(
            vec![rule::ND_NULL_LOCAL, rule::ND_GROUP_COUNT],
            format!("the local size is {local:?}"),
        );
        return found;
    }
    if uniform && (0..3).any(|d| !size[d].is_multiple_of(local[d])) {
        add(
            vec![rule::ND_NULL_LOCAL, rule::ND_UNIFORM_REQUIRED],
            format!(
                "the implementation chose the local size {local:?}, which does not divide {size:?}"
            ),
        );
    }
    let mut told = [false; FIELDS];
    for record in records {
        let id = [record[0], record[1], record[2]];
        if (0..3).any(|d| id[d] < first[d] || id[d] - first[d] >= size[d]) {
            continue;
        }
        let wanted = expected(id, first, size, local, dimensions as u64);
        for (n, (is, should)) in record.iter().zip(wanted).enumerate() {
            if *is == should || told[n] {
                continue;
            }
            told[n] = true;
            let name = match n {
                0..24 => format!("{}({})", NAMES[n / 3], n % 3),
                24 => "get_work_dim()".into(),
                25 => "get_global_linear_id()".into(),
                _ => "get_local_linear_id()".into(),
            };
            add(
                vec![field_rule(n)],
                format!("{name} is {is}, not {should}, for the global id {id:?}"),
            );
        }
    }
    found
}

fn field_rule(field: usize) -> RuleId {
    match field / 3 {
        0 => rule::ND_GLOBAL_ID,
        1 | 2 => rule::ND_LOCAL_ID,
        7 => rule::ND_OFFSET,
        _ => rule::ND_GROUP_COUNT,
    }
}

/// The record of a global id inside the range.
fn expected(
    id: [u64; 3],
    first: [u64; 3],
    size: [u64; 3],
    local: [u64; 3],
    dimensions: u64,
) -> [u64; FIELDS] {
    let mut record = [0; FIELDS];
    let mut within = [0; 3];
    let mut whole = [0; 3];
    for d in 0..3 {
        let at = id[d] - first[d];
        let group = at / local[d];
        within[d] = at % local[d];
        whole[d] = local[d].min(size[d] - group * local[d]);
        for (field, value) in [
            id[d],
            within[d],
            group,
            size[d],
            whole[d],
            local[d],
            size[d].div_ceil(local[d]),
            first[d],
        ]
        .into_iter()
        .enumerate()
        {
            record[field * 3 + d] = value;
        }
    }
    let linear = |at: [u64; 3], of: [u64; 3]| (at[2] * of[1] + at[1]) * of[0] + at[0];
    record[24] = dimensions;
    record[25] = linear([id[0] - first[0], id[1] - first[1], id[2] - first[2]], size);
    record[26] = linear(within, whole);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six work-items in groups of four and two, from global id 10 on.
    fn range() -> Range {
        Range {
            offset: Some(vec![10]),
            global: vec![6],
            local: Some(vec![4]),
        }
    }

    /// What a work-item of that range sees.
    fn record(n: u64) -> Vec<u64> {
        let (group, inside) = (n / 4, n % 4);
        let own = if group == 0 { 4 } else { 2 };
        let line = [
            [10 + n, 0, 0],
            [inside, 0, 0],
            [group, 0, 0],
            [6, 1, 1],
            [own, 1, 1],
            [4, 1, 1],
            [2, 1, 1],
            [10, 0, 0],
        ];
        let mut all = line.concat();
        all.extend([1, n, inside]);
        all
    }

    fn seen(of: &[u64]) -> Vec<u64> {
        let records = of.iter().flat_map(|n| record(*n));
        [of.len() as u64].into_iter().chain(records).collect()
    }

    fn broken(longs: &[u64]) -> Vec<String> {
        let found = check(longs, &range(), false, 1);
        let said = |v: &Violation| format!("{}: {}", v.rules[0], v.what);
        found.iter().map(said).collect()
    }

    #[test]
    fn records_in_any_order_pass() {
        assert_eq!(broken(&seen(&[3, 5, 0, 2, 4, 1])), Vec::<String>::new());
    }

    #[test]
    fn a_work_item_too_few_or_twice_breaks() {
        let few = broken(&seen(&[0, 1, 2, 3, 4]));
        assert!(few[0].ends_with("5 work-items ran, not 6"), "{few:?}");
        let twice = broken(&seen(&[0, 1, 2, 3, 4, 4]));
        let what = "2 work-items have the global id [14, 0, 0], not 1";
        assert!(twice[0].ends_with(what), "{twice:?}");
        let mut stray = seen(&[0, 1, 2, 3, 4, 5]);
        stray[1] = 9;
        let found = broken(&stray);
        assert!(found[0].contains("outside the range"), "{found:?}");
    }

    #[test]
    fn each_function_is_named_with_its_rule() {
        for (field, name, rule) in [
            (3, "get_local_id(0)", "ex.nd.local-id"),
            (6, "get_group_id(0)", "ex.nd.local-id"),
            (12, "get_local_size(0)", "ex.nd.group-count"),
            (21, "get_global_offset(0)", "ex.nd.offset"),
            (25, "get_global_linear_id()", "ex.nd.group-count"),
        ] {
            let mut longs = seen(&[0, 1, 2, 3, 4, 5]);
            longs[1 + field] += 1;
            let found = broken(&longs);
            let begin = format!("{rule}: {name} is ");
            assert!(
                found.len() == 1 && found[0].starts_with(&begin),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_local_size_that_was_chosen_divides_where_it_has_to() {
        let chosen = Range {
            local: None,
            ..range()
        };
        let longs = seen(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(check(&longs, &chosen, false, 1), []);
        let found = check(&longs, &chosen, true, 1);
        assert_eq!(
            found[0].rules,
            [rule::ND_NULL_LOCAL, rule::ND_UNIFORM_REQUIRED]
        );
    }
}
