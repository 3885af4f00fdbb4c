//! The bytecode of one kernel.

use super::device::DeviceCall;
use crate::error::TrapKind;
use crate::map::Permission;
use crate::scalar::convert::Conversion;
use crate::scalar::math::{Fn1, Fn2, Fn3, Meaning};
use touchstone_ir::{
    AddressSpace, Collective, KernelInfo, Loc, MemScope, Order, Query, Regions, RmwOp, Scalar,
    TrapReason,
};

/// A register slot: index from the frame's origin; negative for constants.
pub(crate) type Slot = i16;

/// An index into the code.
pub(crate) type Pc = u32;

/// Which memory window an access goes through: see [`crate::interp::port`].
pub(crate) type Site = u16;

/// Where the sites of private memory begin: one for each size of an access whose object is not
/// known.
pub(crate) const PRIVATE_SITES: usize = 0;
/// Where those of local memory begin.
pub(crate) const LOCAL_SITES: usize = 4;

/// Where the kernel's own sites begin.
pub(crate) const FIRST_SITE: usize = 8;

/// The site of an access to private memory whose object is not known.
pub(crate) const fn private_site(size: u32) -> Site {
    (PRIVATE_SITES as u32 + size.trailing_zeros()) as Site
}

/// The site of an access to local memory whose object is not known.
pub(crate) const fn local_site(size: u32) -> Site {
    (LOCAL_SITES as u32 + size.trailing_zeros()) as Site
}

/// One instruction. `d` is where the result goes; `a`, `b`, `c` are operands.
/// Values are zero-extended bits. Sixteen bytes at most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
pub(crate) enum Ins {
    Move { d: Slot, a: Slot },
    Add32 { d: Slot, a: Slot, b: Slot },
    Sub32 { d: Slot, a: Slot, b: Slot },
    Mul32 { d: Slot, a: Slot, b: Slot },
    Shl32 { d: Slot, a: Slot, b: Slot },
    LShr32 { d: Slot, a: Slot, b: Slot },
    AShr32 { d: Slot, a: Slot, b: Slot },
    Add64 { d: Slot, a: Slot, b: Slot },
    Sub64 { d: Slot, a: Slot, b: Slot },
    Mul64 { d: Slot, a: Slot, b: Slot },
    Shl64 { d: Slot, a: Slot, b: Slot },
    LShr64 { d: Slot, a: Slot, b: Slot },
    AShr64 { d: Slot, a: Slot, b: Slot },
    And { d: Slot, a: Slot, b: Slot },
    Or { d: Slot, a: Slot, b: Slot },
    Xor { d: Slot, a: Slot, b: Slot },
    SDiv32 { d: Slot, a: Slot, b: Slot },
    SRem32 { d: Slot, a: Slot, b: Slot },
    SDiv64 { d: Slot, a: Slot, b: Slot },
    SRem64 { d: Slot, a: Slot, b: Slot },
    /// Any width.
    UDiv { d: Slot, a: Slot, b: Slot },
    URem { d: Slot, a: Slot, b: Slot },
    /// Keep the low 8, 16 or 32 bits.
    Mask8 { d: Slot, a: Slot },
    Mask16 { d: Slot, a: Slot },
    Mask32 { d: Slot, a: Slot },
    /// Sign-extend to 64 bits.
    SExt8 { d: Slot, a: Slot },
    SExt16 { d: Slot, a: Slot },
    SExt32 { d: Slot, a: Slot },

    FAdd32 { d: Slot, a: Slot, b: Slot },
    FSub32 { d: Slot, a: Slot, b: Slot },
    FMul32 { d: Slot, a: Slot, b: Slot },
    FDiv32 { d: Slot, a: Slot, b: Slot },
    FAdd64 { d: Slot, a: Slot, b: Slot },
    FSub64 { d: Slot, a: Slot, b: Slot },
    FMul64 { d: Slot, a: Slot, b: Slot },
    FDiv64 { d: Slot, a: Slot, b: Slot },

    /// Comparisons give 0 or 1. Those without a width work on zero-extended bits.
    Eq { d: Slot, a: Slot, b: Slot },
    Ne { d: Slot, a: Slot, b: Slot },
    ULt { d: Slot, a: Slot, b: Slot },
    ULe { d: Slot, a: Slot, b: Slot },
    SLt32 { d: Slot, a: Slot, b: Slot },
    SLe32 { d: Slot, a: Slot, b: Slot },
    SLt64 { d: Slot, a: Slot, b: Slot },
    SLe64 { d: Slot, a: Slot, b: Slot },
    FEq32 { d: Slot, a: Slot, b: Slot },
    FNe32 { d: Slot, a: Slot, b: Slot },
    FLt32 { d: Slot, a: Slot, b: Slot },
    FLe32 { d: Slot, a: Slot, b: Slot },
    FOrd32 { d: Slot, a: Slot, b: Slot },
    FEq64 { d: Slot, a: Slot, b: Slot },
    FNe64 { d: Slot, a: Slot, b: Slot },
    FLt64 { d: Slot, a: Slot, b: Slot },
    FLe64 { d: Slot, a: Slot, b: Slot },
    FOrd64 { d: Slot, a: Slot, b: Slot },

    /// `d = c ? a : b`.
    Select { d: Slot, c: Slot, a: Slot, b: Slot },
    /// Element `index mod n` of the `n` slots from `a` on.
    ExtractDyn { d: Slot, a: Slot, index: Slot, n: u16 },
    /// Writes element `index mod n` of the `n` slots from `d` on.
    InsertDyn { d: Slot, a: Slot, index: Slot, n: u16 },
    /// `d = a + index * scale + disp`.
    PtrAdd { d: Slot, a: Slot, index: Slot, scale: u32, disp: i32 },
    /// The same with an index that is a signed 32-bit number.
    PtrAddS { d: Slot, a: Slot, index: Slot, scale: u32, disp: i32 },
    /// A conversion, from the table of conversions.
    Convert { d: Slot, a: Slot, conversion: u16 },
    /// Functions from the tables of functions.
    Call1 { d: Slot, a: Slot, f: u16 },
    Call2 { d: Slot, a: Slot, b: Slot, f: u16 },
    Call3 { d: Slot, a: Slot, b: Slot, c: Slot, f: u16 },
    /// A work-item query in a dimension read at run time.
    Query { d: Slot, dim: Slot, query: Query },

    Jump { to: Pc },
    /// A jump that may close a loop: costs a step.
    JumpBack { to: Pc },
    JumpIf { a: Slot, to: Pc },
    JumpIfNot { a: Slot, to: Pc },
    JumpEq { a: Slot, b: Slot, to: Pc },
    JumpNe { a: Slot, b: Slot, to: Pc },
    JumpULt { a: Slot, b: Slot, to: Pc },
    JumpULe { a: Slot, b: Slot, to: Pc },
    JumpSLt32 { a: Slot, b: Slot, to: Pc },
    JumpSLe32 { a: Slot, b: Slot, to: Pc },
    JumpSLt64 { a: Slot, b: Slot, to: Pc },
    JumpSLe64 { a: Slot, b: Slot, to: Pc },
    /// A jump by a table of switches.
    Switch { a: Slot, table: u16 },
    /// `link` receives the place to return to, as an index into the code.
    Call { link: Slot, to: Pc },
    Return { link: Slot },
    End,
    Trap { reason: TrapCode },

    /// Address `a + disp`.
    Load8 { d: Slot, a: Slot, site: Site, disp: i32 },
    Load16 { d: Slot, a: Slot, site: Site, disp: i32 },
    Load32 { d: Slot, a: Slot, site: Site, disp: i32 },
    Load64 { d: Slot, a: Slot, site: Site, disp: i32 },
    Store8 { v: Slot, a: Slot, site: Site, disp: i32 },
    Store16 { v: Slot, a: Slot, site: Site, disp: i32 },
    Store32 { v: Slot, a: Slot, site: Site, disp: i32 },
    Store64 { v: Slot, a: Slot, site: Site, disp: i32 },
    /// Address `a + index * scale + disp`.
    Load32X { d: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Load64X { d: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Store32X { v: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Store64X { v: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    /// The same with an index that is a signed 32-bit number.
    Load32S { d: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Load64S { d: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Store32S { v: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },
    Store64S { v: Slot, a: Slot, index: Slot, site: Site, scale: u16, disp: i32 },

    AtomicLoad32 { d: Slot, a: Slot, site: Site, order: Order, scope: MemScope },
    AtomicLoad64 { d: Slot, a: Slot, site: Site, order: Order, scope: MemScope },
    AtomicStore32 { v: Slot, a: Slot, site: Site, order: Order, scope: MemScope },
    AtomicStore64 { v: Slot, a: Slot, site: Site, order: Order, scope: MemScope },
    Rmw32 { d: Slot, v: Slot, a: Slot, site: Site, op: RmwOp, order: Order, scope: MemScope },
    Rmw64 { d: Slot, v: Slot, a: Slot, site: Site, op: RmwOp, order: Order, scope: MemScope },
    Cas32 { d: Slot, a: Slot, expected: Slot, desired: Slot, site: Site, success: Order, failure: Order, scope: MemScope },
    Cas64 { d: Slot, a: Slot, expected: Slot, desired: Slot, site: Site, success: Order, failure: Order, scope: MemScope },
    Fence { order: Order, scope: MemScope, regions: Regions },
    /// Waits for the work-group, or the sub-group.
    Barrier { sub_group: bool, regions: Regions, scope: MemScope },
    /// A collective function, of the table of those.
    Collective { sub_group: bool, meeting: u16 },
    MemCopy { dst: Slot, src: Slot, size: Slot, dst_site: Site, src_site: Site },
    MemSet { dst: Slot, byte: Slot, size: Slot, site: Site },
    /// A generic pointer, or null if it does not point into this space.
    ToSpace { d: Slot, a: Slot, space: AddressSpace },
    /// A `printf` of the table of those.
    Print { d: Slot, print: u16 },
    /// A call of a function of device-side enqueue, of the table of those.
    Device { d: Slot, call: u16 },
    /// Compiled code takes the item up here: stands in bridges alone (see [`crate::native`]).
    #[cfg_attr(not(compiles_kernels), allow(dead_code))]
    Compiled,
}

const _: () = assert!(size_of::<Ins>() == 16);

/// Why an instruction [`Ins::Trap`] traps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrapCode {
    Unreachable,
    /// The loop that would begin anew has no way out.
    EndlessLoop,
    Reason(TrapReason),
}

impl TrapCode {
    /// The trap.
    pub(crate) fn kind(self) -> TrapKind {
        match self {
            TrapCode::Unreachable => TrapKind::Unreachable,
            TrapCode::EndlessLoop => TrapKind::EndlessLoop,
            TrapCode::Reason(TrapReason::MissingReturn) => TrapKind::MissingReturn,
            TrapCode::Reason(TrapReason::Explicit) => TrapKind::Explicit,
            TrapCode::Reason(TrapReason::OutsideImage) => TrapKind::OutsideImage,
        }
    }
}

/// One switch: sorted values with their targets.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub(crate) cases: Vec<(u64, Pc)>,
    pub(crate) default: Pc,
}

/// One call of `printf`.
#[derive(Clone, Debug)]
pub(crate) struct Printing {
    /// Where the format's address is, and the site of reading it.
    pub(crate) format: (Slot, Site),
    pub(crate) args: Vec<PrintArg>,
}

/// An argument of `printf` after the format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PrintArg {
    /// Elements of this type, in so many slots from this on.
    Number(Slot, Scalar, u32),
    /// An address, and the site of reading a string there.
    Pointer(Slot, Site),
}

/// One call of a collective function.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    pub(crate) function: Collective,
    /// The type of the value and of the result.
    pub(crate) scalar: Scalar,
    pub(crate) value: Slot,
    /// Of a broadcast, whose value.
    pub(crate) from: Vec<Slot>,
    pub(crate) result: Slot,
}

/// What is static about a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SiteInfo {
    /// Space of the pointer.
    pub(crate) space: AddressSpace,
    /// Bytes of one access, or 0 for those of any size.
    pub(crate) size: u8,
    /// Whether it may write.
    pub(crate) write: bool,
    /// The object that the address is computed from, where that is known.
    pub(crate) object: Option<ObjectId>,
}

/// An index into the objects of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectId(pub(crate) u16);

/// An object of memory that the kernel computes addresses from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// For messages.
    pub(crate) name: String,
    pub(crate) place: ObjectPlace,
}

/// Where an object lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectPlace {
    /// Where an argument points: global, constant or local memory.
    Argument(u32),
    /// The same in every launch.
    Known(Extent),
}

/// How far an object of the kernel reaches in one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nobody knows: all that the launch may touch.
    Anywhere,
    /// These addresses.
    Absolute {
        first: u64,
        len: u64,
        permission: Permission,
    },
    /// A part of the item's private memory.
    Private { offset: u64, len: u64 },
    /// A part of the group's local memory.
    Local { offset: u64, len: u64 },
}

/// What fills a slot of the template before an item starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fill {
    /// A constant.
    Const(u64),
    /// The answer to a query in a dimension (0 for those without).
    Query(Query, u8),
    /// The address of the item's private memory.
    PrivateBase,
    /// The address of the group's local memory, plus an offset.
    Local(u64),
}

/// How a kernel argument reaches its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParamPlace {
    /// First slot; zero or positive.
    pub(crate) slot: Slot,
    /// For aggregates: offset of the copy in private memory.
    pub(crate) private_offset: u64,
}

/// A kernel, compiled.
#[derive(Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) info: KernelInfo,
    pub(crate) code: Vec<Ins>,
    /// For each instruction: the function and place it comes from.
    pub(crate) places: Vec<(u32, Loc)>,
    /// Names of the functions in `places`.
    pub(crate) functions: Vec<String>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) conversions: Vec<Conversion>,
    pub(crate) fns1: Vec<Fn1>,
    pub(crate) fns2: Vec<Fn2>,
    pub(crate) fns3: Vec<Fn3>,
    /// What `fns1` compute, and so on.
    pub(crate) meanings1: Vec<Meaning>,
    pub(crate) meanings2: Vec<Meaning>,
    pub(crate) meanings3: Vec<Meaning>,
    pub(crate) printings: Vec<Printing>,
    pub(crate) meetings: Vec<Meeting>,
    /// Where blocks begin, in the order of the code, and when items are let go that wait in each: in those of a
    /// lower number first. Empty where the kernel has no shuffle.
    pub(crate) blocks: Vec<(Pc, u32)>,
    /// By function of `places`: the slot with the place that it returns to; None for the kernel.
    pub(crate) links: Vec<Option<Slot>>,
    pub(crate) device_calls: Vec<DeviceCall>,
    pub(crate) sites: Vec<SiteInfo>,
    /// Objects that sites name.
    pub(crate) objects: Vec<Object>,
    /// What fills slots -1, -2, ….
    pub(crate) fills: Vec<Fill>,
    /// Slots from 0 on.
    pub(crate) frame: usize,
    /// Slots from 0 on that hold parameters.
    pub(crate) params_end: usize,
    pub(crate) params: Vec<ParamPlace>,
    /// Bytes of private memory, and their alignment is [`MAX_ALIGN`].
    pub(crate) private_bytes: u64,
    /// Bytes of static local variables; local arguments follow them.
    pub(crate) local_bytes: u64,
    /// Whether work-items may synchronize, or see what others do, otherwise than at barriers: by
    /// atomic or volatile accesses, fences or device queues. Relaxed operations of one kind whose results nobody
    /// reads, such as those of a histogram, show nothing.
    pub(crate) synchronizes: bool,
}

/// The largest alignment of a type: `double16`.
pub(crate) const MAX_ALIGN: u64 = 128;
