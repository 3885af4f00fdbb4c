//! The functions that the implementation calls: each finds its run by number and has its steps played.

use super::run::{Run, find};
use classay_suites::host::{CallbackId, CallbackOf, Fired, Slot, number_in_block};
use std::ffi::c_void;

/// Bits of the number of a callback in what it is given.
const BITS: u32 = 12;

/// What a callback is given: the numbers of its run and of itself.
pub fn data(run: &Run, id: CallbackId) -> u64 {
    run.number << BITS | u64::from(id.0)
}

/// The address of the function to register for a callback; 0 where there is no such callback.
pub fn function(run: &Run, id: CallbackId) -> usize {
    let Some(callback) = run.setting.program.callbacks.get(id.index()) else {
        return 0;
    };
    let function: *const () = match &callback.of {
        CallbackOf::Event(_) => of_event as *const (),
        CallbackOf::Memory | CallbackOf::Context => of_object as *const (),
        CallbackOf::Program(_) => of_program as *const (),
        CallbackOf::SvmFree { .. } => of_svm_free as *const (),
        CallbackOf::Native { .. } => native as *const (),
    };
    function.expose_provenance()
}

/// Has a callback played; `look` says whether it was given the right objects, before its steps.
fn called(data: u64, status: i32, look: impl FnOnce(&Run, &CallbackOf) -> bool) {
    called_if(data, status, |run, of| Some(look(run, of)));
}

/// As [`called`]; where `look` says nothing, it does not count as called.
fn called_if(data: u64, status: i32, look: impl FnOnce(&Run, &CallbackOf) -> Option<bool>) {
    let Some(run) = find(data >> BITS) else {
        return;
    };
    let id = CallbackId((data & ((1 << BITS) - 1)) as u16);
    let Some(callback) = run.setting.program.callbacks.get(id.index()) else {
        return;
    };
    let stamp = run.stamp();
    let Some(right) = look(&run, &callback.of) else {
        return;
    };
    let fired = Fired {
        callback: id,
        status,
        stamp,
        right,
    };
    (run.setting.callback)(&run, &callback.steps, fired);
}

/// Whether a slot holds this, or nothing any more.
fn same(run: &Run, slot: Slot, given: *const c_void) -> bool {
    let held = run.load(slot);
    held == 0 || held == given.addr()
}

fn number(data: *mut c_void) -> u64 {
    data.addr() as u64
}

extern "C" fn of_event(event: *mut c_void, status: i32, data: *mut c_void) {
    called(
        number(data),
        status,
        |run, of| matches!(of, CallbackOf::Event(slot) if same(run, *slot, event)),
    );
}

extern "C" fn of_object(_object: *mut c_void, data: *mut c_void) {
    // The program has given the object up, so no slot holds it.
    called(number(data), 0, |_, _| true);
}

extern "C" fn of_program(program: *mut c_void, data: *mut c_void) {
    called(
        number(data),
        0,
        |run, of| matches!(of, CallbackOf::Program(slot) if same(run, *slot, program)),
    );
}

extern "C" fn of_svm_free(
    queue: *mut c_void,
    count: u32,
    pointers: *mut *mut c_void,
    data: *mut c_void,
) {
    called(number(data), 0, |run, of| {
        let CallbackOf::SvmFree {
            queue: own,
            pointers: slots,
        } = of
        else {
            return false;
        };
        let given = |n: usize| {
            // SAFETY: the specification gives an array of so many pointers.
            unsafe { pointers.add(n).read() }
        };
        same(run, *own, queue)
            && slots.len() == count as usize
            && !pointers.is_null()
            && (0..slots.len()).all(|n| same(run, slots[n], given(n)))
    });
}

/// A native kernel: a copy of its block of arguments begins with its identity, and addresses of memory objects and
/// numbers follow. One whose numbers are others does not count as played.
extern "C" fn native(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    let word = |n: usize| {
        // SAFETY: the block is a copy of what the enqueue gave, of which the alignment is not promised.
        unsafe { block.cast::<u64>().add(n).read_unaligned() }
    };
    called_if(word(0), 0, |run, of| {
        let CallbackOf::Native { slots, numbers } = of else {
            return Some(false);
        };
        let first = slots.len() + 1;
        let given = (0..*numbers).all(|n| word(first + n) == number_in_block(n));
        given.then(|| {
            for (n, slot) in slots.iter().enumerate() {
                run.store(*slot, word(n + 1) as usize);
            }
            true
        })
    });
}
