//! The live objects of one type, by address.
//!
//! Happens-before: a handle made visible by one thread's `insert` is found by another
//! thread's `find` through the shard's lock, so everything written while the object was
//! made is visible to whoever finds it. `release` removes the application's strong
//! reference under the same lock and drops it outside: an object's destructor may
//! release other objects, which takes other locks of this kind.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Weak};

use parking_lot::RwLock;

const SHARDS: usize = 16;

/// Addresses are already well spread above their alignment; one multiplication mixes
/// them enough for a hash table.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(usize::from(byte));
        }
    }

    fn write_usize(&mut self, value: usize) {
        let mixed = (self.0 ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

struct Entry<T> {
    object: Weak<T>,
    /// Present as long as `references` is not zero.
    held: Option<Arc<T>>,
    references: u32,
}

type Shard<T> = HashMap<usize, Entry<T>, BuildHasherDefault<AddressHasher>>;

/// All live objects of one type.
pub struct Registry<T> {
    shards: [RwLock<Shard<T>>; SHARDS],
}

impl<T> Registry<T> {
    /// An empty registry.
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { RwLock::new(HashMap::with_hasher(BuildHasherDefault::new())) };
                SHARDS],
        }
    }

    fn shard(&self, address: usize) -> &RwLock<Shard<T>> {
        &self.shards[(address >> 7) % SHARDS]
    }

    pub(super) fn insert(&self, object: &Arc<T>) {
        let address = Arc::as_ptr(object) as usize;
        let entry = Entry {
            object: Arc::downgrade(object),
            held: Some(Arc::clone(object)),
            references: 1,
        };
        self.shard(address).write().insert(address, entry);
    }

    pub(super) fn find(&self, address: usize) -> Option<Arc<T>> {
        self.shard(address).read().get(&address)?.object.upgrade()
    }

    pub(super) fn retain(&self, address: usize) -> Option<()> {
        let mut shard = self.shard(address).write();
        let entry = shard.get_mut(&address)?;
        if entry.held.is_none() {
            // The application let go of it and got it back from a query.
            entry.held = Some(entry.object.upgrade()?);
        }
        entry.references = entry.references.checked_add(1)?;
        Some(())
    }

    pub(super) fn release(&self, address: usize) -> Option<Option<Arc<T>>> {
        let mut shard = self.shard(address).write();
        let entry = shard.get_mut(&address)?;
        entry.references = entry.references.checked_sub(1)?;
        Some(if entry.references == 0 {
            entry.held.take()
        } else {
            None
        })
    }

    pub(super) fn references(&self, address: usize) -> u32 {
        self.shard(address)
            .read()
            .get(&address)
            .map_or(0, |entry| entry.references)
    }

    pub(super) fn forget(&self, address: usize) {
        let gone = self.shard(address).write().remove(&address);
        debug_assert!(gone.is_none_or(|entry| entry.held.is_none()));
    }

    /// How many objects are alive, for tests that look for leaks.
    pub fn live(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().len()).sum()
    }
}
