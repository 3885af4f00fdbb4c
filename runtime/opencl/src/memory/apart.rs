//! Memories that are apart, for latitudes: a copy of an object for each device, or one beside the application's
//! memory, between which the whole object moves.
//!
//! A command works on the copy of its device ([`wrapped`]): before it first touches an object the whole of
//! it is brought there, and at its end, where it may have written, that copy is the only one that is current. A
//! kernel that only reads writes nothing back. So what is written without being ordered after the use of
//! another device is lost, whole object by whole object, as it may be ("mixing overlapping reads and writes into
//! the same memory objects from different kernel-instances is only allowed when fine grained synchronization is
//! used with Shared Virtual Memory").

use std::cell::RefCell;
use std::sync::Arc;

use parking_lot::Mutex;
use touchstone_faults::{Fault, Latitude, any, on, takes};

use super::block::Block;
use super::copy;
use crate::ffi::Result;
use crate::ffi::raw::HostAddress;
use crate::platform::Device;
use crate::platform::limits::base_alignment;
use crate::queue::command::Action;

/// Whose memory a copy is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// That in which the object was made.
    Home,
    /// A device's, by its address; 0 for one that all devices have in common.
    Device(usize),
}

impl Place {
    fn of(device: &Device) -> Self {
        Self::Device(if takes(Latitude::SeparateMemories) {
            std::ptr::from_ref(device) as usize
        } else {
            0
        })
    }
}

/// The copies of one object.
#[derive(Debug)]
pub struct Copies {
    size: usize,
    home: HostAddress,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    blocks: Vec<(Place, Block)>,
    /// Where the object was written last, and who has the same.
    newest: Place,
    current: Vec<Place>,
}

impl Copies {
    /// Of an object that lies at `home`, memory of the application or not, where a latitude has it copied.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn new(home: *mut u8, size: usize, of_host: bool) -> Result<Option<Arc<Self>>> {
        let cached = of_host && takes(Latitude::HostPointerCopied);
        if !cached && !takes(Latitude::SeparateMemories) {
            return Ok(None);
        }
        let state = State {
            blocks: Vec::new(),
            newest: Place::Home,
            current: vec![Place::Home],
        };
        let copies = Self {
            size,
            home: HostAddress::new(home.cast_const().cast()),
            state: Mutex::new(state),
        };
        if cached {
            // What the application does to its memory from now on is not seen.
            let place = Place::Device(0);
            copies.prepare(place)?;
            copies.come(place);
            copies.leave(place);
        }
        Ok(Some(Arc::new(copies)))
    }

    /// Where the object is for commands of a device.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn address(&self, device: &Device) -> Result<*mut u8> {
        self.prepare(Place::of(device))
    }

    /// Makes memory for a copy, if there is none yet.
    fn prepare(&self, place: Place) -> Result<*mut u8> {
        let mut state = self.state.lock();
        if let Some(start) = self.start(&state, place) {
            return Ok(start);
        }
        let block = Block::new(self.size, base_alignment())?;
        let start = block.start();
        state.blocks.push((place, block));
        Ok(start)
    }

    fn start(&self, state: &State, place: Place) -> Option<*mut u8> {
        if place == Place::Home {
            return Some(self.home.get());
        }
        let known = state.blocks.iter().find(|(known, _)| *known == place);
        known.map(|(_, block)| block.start())
    }

    /// Brings the object to a place whose memory is there.
    fn come(&self, place: Place) {
        let mut state = self.state.lock();
        if state.current.contains(&place) {
            return;
        }
        if on(Fault::MoveForgotten) && state.newest != Place::Home {
            return;
        }
        let ends = [state.newest, place].map(|end| self.start(&state, end));
        let [Some(from), Some(to)] = ends else { return };
        // SAFETY: both are as large as the object, and apart; who else may use them meanwhile is governed by
        // the rules of memory objects.
        unsafe { copy::bytes(from, to, self.size) };
        state.current.push(place);
    }

    /// A command at a place may have written the object.
    fn leave(&self, place: Place) {
        let mut state = self.state.lock();
        state.newest = place;
        state.current = vec![place];
    }
}

/// Where the command of this thread works, and what it has touched.
struct At {
    place: Place,
    written: Vec<Arc<Copies>>,
}

thread_local! {
    static AT: RefCell<Option<At>> = const { RefCell::new(None) };
}

/// The action of a command of a device, on the memory of that device.
pub fn wrapped(device: &Arc<Device>, action: Action) -> Action {
    if !any() {
        return action;
    }
    let device = Arc::clone(device);
    Box::new(move |event| {
        let here = At {
            place: Place::of(&device),
            written: Vec::new(),
        };
        // One command may end another one on its thread.
        let before = AT.with(|at| at.replace(Some(here)));
        let result = action(event);
        let here = AT.with(|at| at.replace(before));
        if let Some(At { place, written }) = here {
            written.iter().for_each(|copies| copies.leave(place));
        }
        result
    })
}

/// Where the command of this thread finds an object, which is brought there; at home outside of commands. The
/// memory was made when the command was enqueued.
pub fn found(copies: &Arc<Copies>, writes: bool) -> *mut u8 {
    AT.with(|at| {
        let mut at = at.borrow_mut();
        let Some(At { place, written }) = at.as_mut() else {
            return copies.home.get();
        };
        let Some(start) = copies.start(&copies.state.lock(), *place) else {
            return copies.home.get();
        };
        copies.come(*place);
        if writes && !written.iter().any(|known| Arc::ptr_eq(known, copies)) {
            written.push(Arc::clone(copies));
        }
        start
    })
}
