//! Sets and relations of events as rows of bits.
//!
//! A set of up to `64 · W` events is one [`Row`]; a relation of `n` events is a slice of `n` rows,
//! row `i` holding the events that `i` is related to.

/// A set of events.
pub type Row<const W: usize> = [u64; W];

/// The empty set.
pub fn none<const W: usize>() -> Row<W> {
    [0; W]
}

/// The set of the first `n` events.
pub fn first<const W: usize>(n: usize) -> Row<W> {
    let mut row = none();
    for (word, bits) in row.iter_mut().enumerate() {
        let from = word * 64;
        if n >= from + 64 {
            *bits = !0;
        } else if n > from {
            *bits = (1u64 << (n - from)) - 1;
        }
    }
    row
}

/// Whether `i` is in the set.
#[inline]
pub fn has<const W: usize>(row: &Row<W>, i: usize) -> bool {
    row[i >> 6] >> (i & 63) & 1 != 0
}

/// Adds `i`.
#[inline]
pub fn put<const W: usize>(row: &mut Row<W>, i: usize) {
    row[i >> 6] |= 1 << (i & 63);
}

/// Removes `i`.
#[inline]
pub fn take<const W: usize>(row: &mut Row<W>, i: usize) {
    row[i >> 6] &= !(1 << (i & 63));
}

/// Whether the set is empty.
#[inline]
pub fn is_none<const W: usize>(row: &Row<W>) -> bool {
    row.iter().all(|w| *w == 0)
}

/// Number of events in the set.
#[inline]
pub fn count<const W: usize>(row: &Row<W>) -> u32 {
    row.iter().map(|w| w.count_ones()).sum()
}

/// Adds every event of `other`.
#[inline]
pub fn or<const W: usize>(row: &mut Row<W>, other: &Row<W>) {
    for (a, b) in row.iter_mut().zip(other) {
        *a |= b;
    }
}

/// `a & b`
#[inline]
pub fn and<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

/// `a \ b`
#[inline]
pub fn minus<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    std::array::from_fn(|i| a[i] & !b[i])
}

/// Whether the sets share an event.
#[inline]
pub fn meet<const W: usize>(a: &Row<W>, b: &Row<W>) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The events of a set, smallest first.
#[inline]
pub fn each<const W: usize>(row: &Row<W>) -> impl Iterator<Item = usize> + use<W> {
    let row = *row;
    let mut word = 0;
    let mut bits = row[0];
    std::iter::from_fn(move || {
        while bits == 0 {
            word += 1;
            if word >= W {
                return None;
            }
            bits = row[word];
        }
        let i = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(word * 64 + i)
    })
}

/// `out = a; b`
pub fn seq<const W: usize>(out: &mut [Row<W>], a: &[Row<W>], b: &[Row<W>]) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = none();
        for j in each(a) {
            or(out, &b[j]);
        }
    }
}

/// Closes a relation under transitivity (Warshall's algorithm, a row at a time; without branches in
/// the inner loop, so that it becomes vector code).
pub fn close<const W: usize>(r: &mut [Row<W>]) {
    // Only events with edges on both sides can lengthen a path; closing adds no others.
    let mut reached = none();
    for row in r.iter() {
        or(&mut reached, row);
    }
    for k in each(&reached) {
        let row = r[k];
        if is_none(&row) {
            continue;
        }
        for out in r.iter_mut() {
            let related = 0u64.wrapping_sub(out[k >> 6] >> (k & 63) & 1);
            for (out, row) in out.iter_mut().zip(&row) {
                *out |= row & related;
            }
        }
    }
}

/// `out = r^-1`
pub fn transpose<const W: usize>(out: &mut [Row<W>], r: &[Row<W>]) {
    out.fill(none());
    for (i, row) in r.iter().enumerate() {
        for j in each(row) {
            put(&mut out[j], i);
        }
    }
}

/// Whether no event is related to itself.
pub fn irreflexive<const W: usize>(r: &[Row<W>]) -> bool {
    r.iter().enumerate().all(|(i, row)| !has(row, i))
}

/// Whether the relation is empty.
pub fn empty<const W: usize>(r: &[Row<W>]) -> bool {
    r.iter().all(is_none)
}

/// Whether the relation has no cycle.
pub fn acyclic<const W: usize>(r: &[Row<W>]) -> bool {
    // Events without successors among those left are taken away until none is left.
    let mut left = first(r.len());
    for (i, row) in r.iter().enumerate() {
        if is_none(row) {
            take(&mut left, i);
        }
    }
    loop {
        let mut changed = false;
        for i in each(&left) {
            if !meet(&r[i], &left) {
                take(&mut left, i);
                changed = true;
            }
        }
        if is_none(&left) {
            return true;
        }
        if !changed {
            return false;
        }
    }
}
