//! Checks of bytes: what memory holds after kernels and transfers, and what was said of kernels.

use super::printed::{self, Printed};
use super::sub_groups::SubGroups;
use super::within::{self, Within};
use super::{ids, sub_groups};
use crate::host::contents::{Contents, Unit};
use crate::host::ids::AnswerId;
use crate::host::range::Range;
use crate::host::record::{Kernels, NOT_MADE, Record};
use crate::host::value::Place;
use crate::rule::RuleId;
use serde::{Deserialize, Serialize};

/// What bytes have to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// These contents.
    Same(Same),
    /// Each of some values once, in any order.
    Permutation(Permutation),
    /// The ids that each work-item of a range saw: a count of records in the first long, then the
    /// records, of [`FIELDS`](crate::host::FIELDS) longs each.
    Ids(Ids),
    /// The elements of the first half and of the second half agree: two ways to compute the same.
    Halves {
        /// The elements.
        unit: Unit,
    },
    /// Addresses: the pointer at each byte leads to the place; none is null.
    Pointers(Vec<(usize, Option<Place>)>),
    /// What each work-item of work-groups of one shape saw of its sub-group, in the order of the
    /// work-groups and of the local linear ids,
    /// [`SUB_GROUP_FIELDS`](crate::host::SUB_GROUP_FIELDS) words each; it agrees with what the
    /// host was answered.
    SubGroups {
        /// What the host asked.
        answers: SubGroupAnswers,
        /// The size of each work-group, in that order.
        groups: Vec<u32>,
    },
    /// Numbers with a fraction between bounds.
    Within(Within),
    /// What kernels printed.
    Printed(Printed),
    /// Among others, these.
    Contains(Contains),
}

/// Values each of which is one of the elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contains {
    /// The elements.
    pub unit: Unit,
    /// The values.
    pub values: Vec<u64>,
}

/// Contents that bytes have to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Same {
    /// As what it is compared and reported.
    pub unit: Unit,
    /// The contents.
    pub contents: Contents,
    /// What is seen instead depends on races: the sentence names no values.
    pub racy: bool,
    /// What the elements of each of so many columns are about, of which an element belongs to that of its number modulo
    /// their count; none where that is nothing to tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

impl Same {
    /// These contents, of which what is seen instead depends on races or does not.
    pub fn new(unit: Unit, contents: Contents, racy: bool) -> Same {
        Same {
            unit,
            contents,
            racy,
            columns: Vec::new(),
        }
    }
}

/// Among the first so many elements, each of these values once, in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permutation {
    /// The elements.
    pub unit: Unit,
    /// How many.
    pub count: u64,
    /// The smallest value.
    pub first: u64,
    /// The step from one value to the next; at least 1.
    pub step: u64,
}

/// The ids that each work-item of a range saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    /// The range.
    pub range: Range,
    /// Every work-group has to be whole.
    pub uniform: bool,
    /// How often the kernel ran.
    pub times: u32,
}

/// Answers of eight bytes to what clGetKernelSubGroupInfo was asked for a shape of work-groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubGroupAnswers {
    /// CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE.
    pub size: AnswerId,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE.
    pub count: AnswerId,
    /// CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT for that count, in one dimension.
    pub local: AnswerId,
    /// How many bytes that answer has; an implementation that does not say has not answered.
    pub length: AnswerId,
    /// CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE of that work-group.
    pub again: AnswerId,
}

impl SubGroupAnswers {
    fn read(&self, record: &Record) -> Option<SubGroups> {
        let long = |id| long(record, id);
        let local = match long(self.length) {
            Some(length) if length > 0 => long(self.local).unwrap_or(0),
            Some(_) | None => 0,
        };
        Some(SubGroups {
            size: long(self.size)?,
            count: long(self.count)?,
            local: if long(self.again).is_some() { local } else { 0 },
            again: long(self.again).unwrap_or(0),
        })
    }
}

fn long(record: &Record, id: AnswerId) -> Option<u64> {
    let bytes = record.answers.get(&id)?;
    Some(u64::from_ne_bytes(*bytes.first_chunk()?))
}

/// What is wrong with bytes of this name, with rules of its own where it has any.
pub fn check(want: &Want, name: &str, seen: &[u8], record: &Record) -> Vec<(Vec<RuleId>, String)> {
    let plain = |what: Option<String>| what.map(|w| (Vec::new(), w)).into_iter().collect();
    match want {
        Want::Same(Same {
            unit,
            contents,
            racy,
            columns,
        }) => {
            let wanted = contents.bytes(seen.len());
            if columns.is_empty() {
                return plain(same(name, *unit, &wanted, seen, *racy));
            }
            let told = by_column(name, *unit, (&wanted, seen), *racy, columns);
            told.into_iter().map(|what| (Vec::new(), what)).collect()
        }
        Want::Permutation(Permutation {
            unit,
            count,
            first,
            step,
        }) => {
            let count = usize::try_from(*count).unwrap_or(usize::MAX);
            let mut values: Vec<u64> = units(*unit, seen).take(count).collect();
            values.sort_unstable();
            let right = values
                .iter()
                .enumerate()
                .all(|(n, v)| *v == first.wrapping_add((n as u64).wrapping_mul(*step)));
            plain((!right).then(|| {
                let twice = values.windows(2).any(|pair| pair[0] == pair[1]);
                if twice {
                    format!("{name}: a value came twice")
                } else {
                    format!("{name}: a value is missing")
                }
            }))
        }
        Want::Ids(Ids {
            range,
            uniform,
            times,
        }) => {
            let longs: Vec<u64> = units(Unit::Long, seen).collect();
            ids::check(&longs, range, *uniform, *times)
                .into_iter()
                .map(|v| (v.rules, v.what))
                .collect()
        }
        Want::Halves { unit } => {
            let half = seen.len() / 2 / unit.bytes() * unit.bytes();
            let (one, other) = (&seen[..half], &seen[half..2 * half]);
            plain(same(name, *unit, one, other, false))
        }
        Want::Pointers(list) => {
            let wrong = |(at, to): &(usize, _)| pointer(record, name, *at, *to, seen);
            plain(list.iter().find_map(wrong))
        }
        Want::Contains(Contains { unit, values }) => {
            let missing = |value: &&u64| !units(*unit, seen).any(|one| one == **value);
            let first = values.iter().find(missing);
            plain(first.map(|value| format!("{name}: {} {value} is missing", unit.name())))
        }
        Want::Within(wanted) => plain(within::check(name, wanted, seen)),
        Want::Printed(wanted) => plain(printed::check(name, wanted, seen)),
        Want::SubGroups { answers, groups } => plain(answers.read(record).and_then(|said| {
            let words: Vec<u32> = units(Unit::Word, seen).map(|word| word as u32).collect();
            sub_groups::check(&words, groups, &said).map(|what| format!("{name}: {what}"))
        })),
    }
}

/// The elements of some bytes.
fn units(unit: Unit, bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(unit.bytes()).map(|chunk| {
        let mut long = [0; 8];
        long[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(long)
    })
}

/// The elements that are not what is wanted: the number of each, what is wanted, and what is seen.
fn differing<'b>(
    unit: Unit,
    wanted: &'b [u8],
    seen: &'b [u8],
) -> impl Iterator<Item = (usize, u64, u64)> + 'b {
    let all = units(unit, wanted).zip(units(unit, seen)).enumerate();
    all.filter(|(_, (wanted, seen))| wanted != seen)
        .map(|(n, (wanted, seen))| (n, wanted, seen))
}

fn wrong(name: &str, unit: Unit, (n, wanted, seen): (usize, u64, u64), racy: bool) -> String {
    if racy {
        format!("{name}: {} {n} is not {wanted}", unit.name())
    } else {
        format!("{name}: {} {n} is {seen}, not {wanted}", unit.name())
    }
}

fn same(name: &str, unit: Unit, wanted: &[u8], seen: &[u8], racy: bool) -> Option<String> {
    let first = differing(unit, wanted, seen).next()?;
    Some(wrong(name, unit, first, racy))
}

/// The first wrong element of each of the first columns that have one; several may be about the same.
fn by_column(
    name: &str,
    unit: Unit,
    (wanted, seen): (&[u8], &[u8]),
    racy: bool,
    columns: &[String],
) -> Vec<String> {
    let mut told: Vec<(&String, String)> = Vec::new();
    for one in differing(unit, wanted, seen) {
        let column = &columns[one.0 % columns.len()];
        if told.iter().all(|(other, _)| *other != column) {
            let name = format!("{name}, by {column}");
            told.push((column, wrong(&name, unit, one, racy)));
        }
        if told.len() == COLUMNS {
            break;
        }
    }
    told.into_iter().map(|(_, what)| what).collect()
}

/// Columns with wrong elements that are reported of an object.
const COLUMNS: usize = 4;

fn pointer(
    record: &Record,
    name: &str,
    at: usize,
    to: Option<Place>,
    seen: &[u8],
) -> Option<String> {
    let is = units(Unit::Long, seen.get(at..at + 8)?).next()?;
    let wanted = match to {
        None => 0,
        Some(to) => record.addresses.get(&to.object)? + to.byte as u64,
    };
    if is == wanted {
        return None;
    }
    let goal = match to {
        None => "nowhere".to_string(),
        Some(to) => format!("to byte {} of object {}", to.byte, to.object.0),
    };
    Some(format!(
        "{name}: the pointer at byte {at} does not lead {goal}"
    ))
}

/// What is wrong with the kernels of a program.
pub fn kernels(said: &Kernels) -> Option<String> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if said.count != said.asked.len() as u64 {
        return Some(format!(
            "a program of {} kernels has {}",
            said.asked.len(),
            said.count
        ));
    }
    if sorted(&said.names) != sorted(&said.asked) {
        return Some(format!(
            "a program of the kernels {} names {}",
            said.asked.join(";"),
            said.names.join(";")
        ));
    }
    let wrong = |(name, made): (&String, &Result<String, i32>)| match made {
        Ok(own) if own == name => None,
        Ok(own) => Some(format!("the kernel {name} is called {own}")),
        Err(NOT_MADE) => Some(format!("the kernel {name} says no name that can be read")),
        Err(code) => Some(format!("the kernel {name} gives error {code}")),
    };
    said.asked.iter().zip(&said.made).find_map(wrong)
}
