//! From slots that are stored together to those of each item, and back.

use super::{LANES, MEETS, TOGETHER};
use crate::interp::code::Slot;

/// How a slot is stored for all items of a vector.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Form {
    pub(super) slot: Slot,
    /// By how much it grows from each to the next, if it is stored for the first one alone; else it is stored for all.
    pub(super) even: Option<i64>,
    /// Each has 32 bits, with zeros above.
    pub(super) narrow: bool,
}

/// Where vectors are left or taken up: which slots are stored, and how.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Exit {
    pub(super) forms: Vec<Form>,
    /// Behind a branch: the entries where a bit is set, and where it is not.
    pub(in super::super) ways: [u32; 2],
}

impl Exit {
    /// How a slot is stored, if it is.
    pub(in super::super) fn form(&self, slot: Slot) -> Option<&Form> {
        self.forms.iter().find(|form| form.slot == slot)
    }
}

/// Values of one slot of all items.
type Row = [u64; LANES];

/// The regions of a vector's items.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Regions {
    /// Slot 0 of the first one.
    origin: *mut u64,
    /// Words from there to slot 0 of the next one.
    stride: usize,
}

impl Regions {
    /// # Safety
    /// The regions hold all slots of the items, and nothing else uses them meanwhile: those that are stored for
    /// each, and, from slot 0 of the first one on, as many rows as an item has slots from 0 on.
    pub(in super::super) unsafe fn new(origin: *mut u64, stride: usize) -> Regions {
        Regions { origin, stride }
    }

    fn together(self, slot: Slot) -> *mut u64 {
        self.origin.wrapping_add(slot as usize * LANES)
    }

    fn own(self, slot: Slot, lane: usize) -> *mut u64 {
        self.origin.wrapping_add(lane * self.stride + slot as usize)
    }

    /// What each item has in a slot that is stored together.
    #[inline]
    pub(in super::super) fn row(self, form: &Form) -> Row {
        let from = self.together(form.slot);
        // SAFETY: a row of the regions, which hold what `new` says.
        unsafe {
            match form.even {
                Some(by) => {
                    let first = *from;
                    std::array::from_fn(|lane| grown(first, by, lane, form.narrow))
                }
                None if form.narrow => (*from.cast::<[u32; LANES]>()).map(u64::from),
                None => *from.cast::<Row>(),
            }
        }
    }

    /// What each item has in a slot of 32 bits that is stored for all; None where it is stored otherwise.
    #[inline]
    pub(in super::super) fn narrow_row(self, form: &Form) -> Option<[u32; LANES]> {
        let from = self.together(form.slot).cast();
        // SAFETY: a row of the regions, which hold what `new` says.
        (form.even.is_none() && form.narrow).then(|| unsafe { *from })
    }

    /// Gives all items their values of a slot that is stored together; where it is the same for all, that of the first one.
    #[inline]
    pub(in super::super) fn give(self, form: &Form, value: impl Fn(usize) -> u64) {
        let to = self.together(form.slot);
        let stored = if form.even.is_some() { 1 } else { LANES };
        for lane in 0..stored {
            // SAFETY: a row of the regions, which hold what `new` says.
            unsafe {
                match form.even.is_none() && form.narrow {
                    true => *to.cast::<u32>().add(lane) = value(lane) as u32,
                    false => *to.add(lane) = value(lane),
                }
            }
        }
    }

    /// Gives each item its slots.
    pub(in super::super) fn unpack(self, exit: &Exit, rows: &mut Vec<Row>) {
        rows.clear();
        for form in &exit.forms {
            rows.push(self.row(form));
        }
        for (form, row) in exit.forms.iter().zip(&*rows) {
            for (lane, &value) in row.iter().enumerate() {
                // SAFETY: a slot of an item's region.
                unsafe { *self.own(form.slot, lane) = value };
            }
        }
    }

    /// Stores the slots of all items together; false, and nothing done, where one is not as it must be.
    pub(in super::super) fn pack(self, exit: &Exit, rows: &mut Vec<Row>) -> bool {
        rows.clear();
        for form in &exit.forms {
            // SAFETY: a slot of an item's region.
            let row: Row = std::array::from_fn(|lane| unsafe { *self.own(form.slot, lane) });
            let fits = (0..LANES).all(|lane| {
                let is_even = form
                    .even
                    .is_none_or(|by| row[lane] == grown(row[0], by, lane, form.narrow));
                is_even && (!form.narrow || row[lane] <= u32::MAX.into())
            });
            if !fits {
                return false;
            }
            rows.push(row);
        }
        for (form, row) in exit.forms.iter().zip(&*rows) {
            let to = self.together(form.slot);
            for (lane, &value) in row.iter().enumerate() {
                // SAFETY: a row of the regions.
                unsafe {
                    match form.even {
                        Some(_) if lane > 0 => {}
                        None if form.narrow => *to.cast::<u32>().add(lane) = value as u32,
                        _ => *to.add(lane) = value,
                    }
                }
            }
        }
        true
    }
}

/// What an item has in a slot that grows evenly.
fn grown(first: u64, by: i64, lane: usize, narrow: bool) -> u64 {
    let value = first.wrapping_add((by as u64).wrapping_mul(lane as u64));
    match narrow {
        true => u64::from(value as u32),
        false => value,
    }
}

/// Where items stopped whose slots are stored together, and whether they wait for what a collective function gives; None
/// for others.
pub(in super::super) fn stored_together(stop: u64) -> Option<(u64, bool)> {
    let place = stop & !(TOGETHER | MEETS);
    (stop & TOGETHER != 0).then_some((place, stop & MEETS != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is packed and unpacked is as it was; what does not fit its form is not packed.
    #[test]
    fn slots_come_back() {
        let form = |slot, even, narrow| Form { slot, even, narrow };
        let exit = Exit {
            forms: vec![
                form(0, Some(-3), true),
                form(1, Some(1 << 40), false),
                form(2, None, true),
                form(3, None, false),
            ],
            ways: [0; 2],
        };
        let stride = 6;
        let mut words = vec![0u64; LANES * stride];
        for lane in 0..LANES {
            let slots = &mut words[lane * stride..];
            slots[0] = u64::from(5u32.wrapping_sub(3 * lane as u32));
            slots[1] = ((lane as u64) << 40).wrapping_sub(7);
            slots[2] = (lane * lane) as u64;
            slots[3] = u64::MAX / (lane as u64 + 1);
        }
        let before = words.clone();
        // SAFETY: the words are as many, and nothing else uses them.
        let regions = unsafe { Regions::new(words.as_mut_ptr(), stride) };
        let mut rows = Vec::new();
        assert!(regions.pack(&exit, &mut rows));
        regions.unpack(&exit, &mut rows);
        for lane in 0..LANES {
            let slots = lane * stride..lane * stride + 4;
            assert_eq!(words[slots.clone()], before[slots], "lane {lane}");
        }
        for (slot, wrong) in [(0, 1), (1, 2), (2, 1 << 32)] {
            words.copy_from_slice(&before);
            words[3 * stride + slot] += wrong;
            let changed = words.clone();
            // SAFETY: as above.
            let regions = unsafe { Regions::new(words.as_mut_ptr(), stride) };
            assert!(!regions.pack(&exit, &mut rows), "slot {slot}");
            assert_eq!(words, changed);
        }
    }
}
