//! The worlds that callbacks and native kernels can find, by number.

use super::world::World;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The worlds that callbacks and native kernels can find.
fn worlds() -> &'static Mutex<HashMap<u64, Arc<World>>> {
    static WORLDS: OnceLock<Mutex<HashMap<u64, Arc<World>>>> = OnceLock::new();
    WORLDS.get_or_init(Mutex::default)
}

/// Gives a world its number, by which callbacks find it.
pub fn enter(mut world: Arc<World>) -> Arc<World> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    if let Some(world) = Arc::get_mut(&mut world) {
        world.number = number;
    }
    let mut all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(number, world.clone());
    world
}

/// Lets callbacks that come later find nothing.
pub fn leave(number: u64) {
    let mut all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.remove(&number);
}

/// A world, by number.
pub fn find(number: u64) -> Option<Arc<World>> {
    let all = worlds().lock().unwrap_or_else(PoisonError::into_inner);
    all.get(&number).cloned()
}
