//! What compiled code and the rest share while an item runs.

use super::helpers::Helpers;
use super::vector::{Exit, LANES};
use crate::interp::code::Kernel;
use crate::interp::port::host::Window;
use crate::interp::space::Ids;
use std::any::Any;
use std::ptr::{null, null_mut};

/// How compiled code ends, as it says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Left {
    /// The item has ended.
    End,
    /// At a barrier or a collective function, behind which it goes on.
    Barrier,
    /// Before a block that takes more steps than are left.
    Fuel,
    /// What the memory refused; it knows why.
    Fault,
    /// A trap that the code has in this place.
    Trap,
    /// Integer division by zero.
    Zero,
    /// A helper panicked.
    Panicked,
    /// The system refused an access.
    Refused,
    /// All items of a vector are before an instruction that vector code does not go on with.
    Apart,
    /// All items of a vector are before a block that takes more steps than are left.
    Short,
    /// Each item of a vector is where its stop says: some are before an instruction that vector code does not go on with.
    Spread,
    /// The same: some are before a block that takes more steps than are left.
    ShortSpread,
}

impl Left {
    const ALL: [Left; 12] = [
        Left::End,
        Left::Barrier,
        Left::Fuel,
        Left::Fault,
        Left::Trap,
        Left::Zero,
        Left::Panicked,
        Left::Refused,
        Left::Apart,
        Left::Short,
        Left::Spread,
        Left::ShortSpread,
    ];

    /// What compiled code gave back.
    pub(super) fn of(code: u64) -> Left {
        Left::ALL[code as usize]
    }
}

/// What compiled code reads and writes besides the memory of kernels. It refers to fields by their
/// offsets. Pointers are valid while an item runs; those that do not say otherwise are set anew
/// before each.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Context {
    /// By site.
    pub(super) windows: *const Window,
    /// The values of parameters, by slot from 0 on.
    pub(super) params: *const u64,
    /// The values of the slots below 0: that of slot -1 first. Constants are not among them.
    pub(super) fills: *const u64,
    /// For life: what compiled code calls.
    pub(super) helpers: *const Helpers,
    /// The port, of the type that the helpers are for.
    pub(super) memory: *mut (),
    pub(super) kernel: *const Kernel,
    /// Slot 0 of the item that runs, or of the first one of a vector that is left; the code moves it on.
    pub(super) origin: *mut u64,
    /// Bytes from there to slot 0 of the next item.
    pub(super) stride: u64,
    /// The item that runs, by its number in the group; the code moves it on.
    pub(super) item: u64,
    /// The last one that is to run.
    pub(super) last: u64,
    /// The last one that may be part of a vector; -1 if none may.
    pub(super) vectors_to: i64,
    /// Not zero: the slots of all items are stored together that vectors can have.
    pub(super) together: u64,
    /// Out: the last one of a vector whose items parted at a branch; those of it that have not run are ready at the
    /// entries that their stops name.
    pub(super) parted_to: u64,
    /// Of the access that vector code makes: what [`Refusal`](super::vector::Refusal) says.
    pub(super) lanes_at: u64,
    /// For life: where vectors are left.
    pub(super) exits: *const Exit,
    /// Room to move slots.
    pub(super) rows: Vec<[u64; LANES]>,
    /// Where the item is in its group; the code moves it on.
    pub(super) local_id: [u64; 3],
    /// Where the places go at which the items end or wait, that of the first one first.
    pub(super) stops: *mut u64,
    /// Of the places of those that ended or wait in this call: bits that all have, and bits that any has.
    pub(super) stops_all: u64,
    pub(super) stops_any: u64,
    /// The group and the space that the item is in; its own place is `local_id`.
    pub(super) ids: *const Ids<'static>,
    /// The size of the group.
    pub(super) group_size: [u64; 3],
    /// Ids of its first item, without the offset of the index space.
    pub(super) group_first: [u64; 3],
    /// The same with the offset.
    pub(super) group_global: [u64; 3],
    /// The size of the index space.
    pub(super) global: [u64; 3],
    /// Items of the group.
    pub(super) items: u64,
    /// Items of a sub-group but for the last one.
    pub(super) sub_group: u64,
    /// Not zero: integer division by zero gives a value.
    pub(super) divides_by_zero: u64,
    /// Where the code that runs begins, and how long it is.
    pub(super) code: (u64, u64),
    /// Where in it accesses of kernels are: `faults.1` ascending offsets.
    pub(super) faults: (*const u32, u64),
    /// Out: the instruction to go on with, or the one behind that which trapped.
    pub(super) pc: u64,
    /// Out: steps left.
    pub(super) fuel: u64,
    /// Out, of helpers that keep all registers: what they give.
    pub(super) made: u64,
    /// Out, of helpers: a value. Of an access that the system refused: its address.
    pub(super) value: u64,
    /// Out, of an access that the system refused: where its instruction is in the code.
    pub(super) refused: u64,
    /// What a helper panicked with.
    pub(super) panic: Option<Panic>,
}

/// What a helper panicked with.
pub(super) struct Panic(pub(super) Box<dyn Any + Send>);

impl std::fmt::Debug for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Panic")
    }
}

impl Context {
    pub(super) fn new(helpers: &'static Helpers) -> Context {
        Context {
            windows: null(),
            params: null(),
            fills: null(),
            helpers,
            memory: null_mut(),
            kernel: null(),
            origin: null_mut(),
            stride: 0,
            item: 0,
            last: 0,
            vectors_to: -1,
            together: 0,
            parted_to: 0,
            lanes_at: 0,
            exits: null(),
            rows: Vec::new(),
            local_id: [0; 3],
            stops: null_mut(),
            stops_all: u64::MAX,
            stops_any: 0,
            ids: null(),
            group_size: [1; 3],
            group_first: [0; 3],
            group_global: [0; 3],
            global: [1; 3],
            items: 1,
            sub_group: 1,
            divides_by_zero: 0,
            code: (0, 0),
            faults: (null(), 0),
            pc: 0,
            fuel: 0,
            made: 0,
            value: 0,
            refused: 0,
            panic: None,
        }
    }
}
