//! Which addresses are the runtime's own.
//!
//! With fine-grain system SVM a kernel may use memory that the application has from
//! elsewhere, but a buffer or an allocation only if it is among the kernel's arguments, and
//! never the margins beside one. So every [`Block`](super::block::Block) is listed here,
//! margins included, and the executor asks before it takes an address for the system's.

use std::collections::BTreeMap;

use parking_lot::RwLock;
use touchstone_exec::Owner;

/// One block: where its margins begin and end, and the memory between them.
#[derive(Clone, Copy, Debug)]
struct Claim {
    end: usize,
    start: usize,
    size: usize,
}

/// Claims by the address where their margins begin. They are disjoint.
static CLAIMS: RwLock<BTreeMap<usize, Claim>> = RwLock::new(BTreeMap::new());

/// Lists a block of `size` bytes at `start`, with margins from `first` to before `end`.
pub fn claim(first: usize, end: usize, start: usize, size: usize) {
    CLAIMS.write().insert(first, Claim { end, start, size });
}

/// Takes a block off the list.
pub fn disclaim(first: usize) {
    CLAIMS.write().remove(&first);
}

/// The block that an address lies in, without margins: its start and its size.
pub fn block_at(address: usize) -> Option<(usize, usize)> {
    let claims = CLAIMS.read();
    let (_, claim) = claims.range(..=address).next_back()?;
    let offset = address.checked_sub(claim.start)?;
    (offset < claim.size).then_some((claim.start, claim.size))
}

/// How a range of addresses lies to the runtime's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In one of them.
    Inside,
    /// From one of them beyond its end, after so many bytes.
    Leaves(usize),
    /// Its start is in none.
    Foreign,
}

/// Where a range of addresses lies.
pub fn place_of(address: usize, size: usize) -> Place {
    match block_at(address) {
        Some((start, length)) => {
            let room = start + length - address;
            if size <= room {
                Place::Inside
            } else {
                Place::Leaves(room)
            }
        }
        None => Place::Foreign,
    }
}

/// The runtime, as the executor asks it.
#[derive(Debug)]
pub struct Runtime;

impl Owner for Runtime {
    fn foreign(&self, address: u64) -> Option<(u64, u64)> {
        let claims = CLAIMS.read();
        let address = address as usize;
        let from = match claims.range(..=address).next_back() {
            Some((_, claim)) if address < claim.end => return None,
            Some((_, claim)) => claim.end,
            None => 0,
        };
        let next = claims.range(address..).next();
        let to = next.map_or(usize::MAX, |(first, _)| first - 1);
        Some((from as u64, to as u64))
    }
}
