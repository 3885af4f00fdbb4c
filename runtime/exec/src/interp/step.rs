//! The stepper: runs one work-item until it yields, waits, ends or traps.

use crate::error::TrapKind;
use crate::interp::code::{Ins, Kernel, Pc, PrintArg, Printing, Site, Slot};
use crate::interp::device;
use crate::interp::port::word::Atomic;
use crate::interp::port::{AtomicAt, Port};
use crate::interp::regs::Regs;
use crate::interp::space::Ids;
use crate::printf::{self, Value};
use crate::scalar::convert::read_float;
use touchstone_ir::{MemScope, Regions};

/// Why the stepper stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It used up its steps; it goes on at the same place later.
    Yield,
    /// It waits at a barrier or for a collective function; it goes on after it.
    Barrier {
        /// Of the sub-group rather than the work-group.
        sub_group: bool,
        /// The memories that are ordered, too.
        regions: Regions,
        /// Scope of that.
        scope: MemScope,
    },
    /// The work-item has ended.
    End,
    /// Compiled code goes on with it, where a bridge stops (see [`crate::native`]).
    Entry,
    /// The work-item did what it may not. The place is that of the instruction before.
    /// In a box, so that what every turn gives back is small.
    Trap(Box<TrapKind>),
}

impl Stop {
    /// Where items wait for a collective function.
    pub(crate) fn meeting(sub_group: bool) -> Stop {
        Stop::Barrier {
            sub_group,
            regions: Regions::NONE,
            scope: MemScope::WorkItem,
        }
    }

    /// How an item stops that is behind an instruction which ends it or has it wait; None behind others.
    pub(crate) fn behind(ins: &Ins) -> Option<Stop> {
        match *ins {
            Ins::Barrier {
                sub_group,
                regions,
                scope,
            } => Some(Stop::Barrier {
                sub_group,
                regions,
                scope,
            }),
            Ins::Collective { sub_group, .. } => Some(Stop::meeting(sub_group)),
            Ins::End => Some(Stop::End),
            _ => None,
        }
    }
}

/// A call of `printf`: 0 or -1 as an `int`.
#[cold]
#[inline(never)]
pub(crate) fn printf<P: Port>(
    printing: &Printing,
    slot: impl Fn(Slot) -> u64,
    port: &mut P,
) -> Option<u64> {
    let (address, site) = printing.format;
    let format = string(port, site, slot(address), usize::MAX)?;
    let values: Vec<Value> = printing
        .args
        .iter()
        .map(|arg| match *arg {
            PrintArg::Pointer(at, _) => Value::Pointer(slot(at)),
            PrintArg::Number(first, scalar, lanes) => {
                let elements = (0..lanes as Slot).map(|lane| slot(first + lane));
                if scalar.is_float() {
                    Value::Floats(elements.map(|bits| read_float(scalar, bits)).collect())
                } else {
                    Value::Ints {
                        bits: 8 * scalar.size(),
                        elements: elements.collect(),
                    }
                }
            }
        })
        .collect();
    let printed = printf::format(&format, &values, |n, most| match printing.args[n] {
        PrintArg::Pointer(at, site) => string(port, site, slot(at), most),
        PrintArg::Number(..) => None,
    })?;
    let written = port.print(&printed.text);
    Some(u64::from(if printed.valid && written {
        0
    } else {
        u32::MAX
    }))
}

/// The string at an address, up to its null character or so many bytes.
fn string<P: Port>(port: &mut P, site: Site, address: u64, most: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while text.len() < most {
        match port.load::<u8>(site, address.wrapping_add(text.len() as u64))? {
            0 => break,
            byte => text.push(byte),
        }
    }
    Some(text)
}

/// Runs from `pc` for at most `fuel` steps. `pc` and `fuel` come back as they
/// are when the item stops. `code` is the kernel's or a bridge of it.
///
/// # Safety
/// The code has as many instructions as the kernel's, and the same but for [`Ins::Compiled`];
/// `origin` points to slot 0 of a region with all slots of the kernel, which
/// nothing else uses meanwhile; `pc` came from this function for this kernel,
/// or is 0.
// Not inlined: copies of it would be compiled each in its own way, some of them badly.
#[inline(never)]
pub(crate) unsafe fn step<P: Port>(
    kernel: &Kernel,
    code: &[Ins],
    origin: *mut u64,
    pc: &mut Pc,
    fuel: &mut u64,
    port: &mut P,
    ids: &Ids<'_>,
) -> Stop {
    // SAFETY: the caller's promise.
    let r = unsafe { Regs::new(origin) };
    let code = code.as_ptr();
    // The next instruction.
    let mut at: *const Ins = code.wrapping_add(*pc as usize);
    let mut left: u64 = *fuel;

    // Leaves the loop: `at` is the instruction to go on with.
    macro_rules! stop {
        ($stop:expr) => {{
            *pc = ((at as usize - code as usize) / size_of::<Ins>()) as Pc;
            *fuel = left;
            return $stop;
        }};
    }
    // Spends a step, or yields before the instruction.
    macro_rules! spend {
        () => {
            if left == 0 {
                at = at.wrapping_sub(1);
                stop!(Stop::Yield);
            }
            left -= 1;
        };
    }
    macro_rules! trap {
        ($kind:expr) => {
            stop!(Stop::Trap(Box::new($kind)))
        };
    }
    // Division by zero: traps, or gives a value.
    macro_rules! by_zero {
        ($d:expr, $value:expr) => {
            if port.divides_by_zero() {
                r.set($d, $value.into());
            } else {
                trap!(TrapKind::DivisionByZero);
            }
        };
    }
    // Unwraps what a port gave.
    macro_rules! port {
        ($access:expr) => {
            match $access {
                Some(value) => value,
                None => trap!(port.take_fault().unwrap_or(TrapKind::Unreachable)),
            }
        };
    }
    // An access of memory without a value, and one whose value goes to a slot.
    macro_rules! access {
        ($access:expr) => {{
            spend!();
            port!($access);
        }};
        ($t:ty, $d:expr, $access:expr) => {{
            spend!();
            let value: $t = port!($access);
            r.set($d, value.into());
        }};
    }
    macro_rules! load {
        ($t:ty, $d:expr, $site:expr, $address:expr) => {
            access!($t, $d, port.load::<$t>($site, $address))
        };
    }
    macro_rules! store {
        ($t:ty, $v:expr, $site:expr, $address:expr) => {
            access!(port.store::<$t>($site, $address, r.get($v) as $t))
        };
    }
    macro_rules! atomic {
        ($site:ident, $a:ident, $order:ident, $scope:ident, $access:expr) => {{
            let (site, address, order, scope) = ($site, r.get($a), $order, $scope);
            port.atomic(
                AtomicAt {
                    site,
                    address,
                    order,
                    scope,
                },
                $access,
            )
        }};
    }
    macro_rules! jump {
        ($condition:expr, $to:expr) => {
            if $condition {
                at = code.wrapping_add($to as usize);
            }
        };
    }
    let disp = |a: Slot, disp: i32| r.get(a).wrapping_add(disp as i64 as u64);
    let indexed = |a: Slot, index: u64, scale: u32, disp: i32| {
        r.get(a)
            .wrapping_add(index.wrapping_mul(scale.into()))
            .wrapping_add(disp as i64 as u64)
    };
    let signed = |slot: Slot| r.i32(slot) as i64 as u64;
    // Addresses with an index: all 64 bits of a slot, or a signed number of 32.
    let wide = |a, index, scale, disp| indexed(a, r.get(index), scale, disp);
    let narrow = |a, index, scale, disp| indexed(a, signed(index), scale, disp);

    loop {
        // SAFETY: jumps go to instructions of the kernel, and its last one does
        // not fall through (see `regs`).
        let ins = unsafe { &*at };
        at = at.wrapping_add(1);
        #[rustfmt::skip]
        match *ins {
            Ins::Move { d, a } => r.set(d, r.get(a)),
            Ins::Add32 { d, a, b } => r.set(d, r.u32(a).wrapping_add(r.u32(b)).into()),
            Ins::Sub32 { d, a, b } => r.set(d, r.u32(a).wrapping_sub(r.u32(b)).into()),
            Ins::Mul32 { d, a, b } => r.set(d, r.u32(a).wrapping_mul(r.u32(b)).into()),
            Ins::Shl32 { d, a, b } => r.set(d, r.u32(a).wrapping_shl(r.u32(b)).into()),
            Ins::LShr32 { d, a, b } => r.set(d, r.u32(a).wrapping_shr(r.u32(b)).into()),
            Ins::AShr32 { d, a, b } => r.set(d, (r.i32(a).wrapping_shr(r.u32(b)) as u32).into()),
            Ins::Add64 { d, a, b } => r.set(d, r.get(a).wrapping_add(r.get(b))),
            Ins::Sub64 { d, a, b } => r.set(d, r.get(a).wrapping_sub(r.get(b))),
            Ins::Mul64 { d, a, b } => r.set(d, r.get(a).wrapping_mul(r.get(b))),
            Ins::Shl64 { d, a, b } => r.set(d, r.get(a).wrapping_shl(r.u32(b))),
            Ins::LShr64 { d, a, b } => r.set(d, r.get(a).wrapping_shr(r.u32(b))),
            Ins::AShr64 { d, a, b } => r.set(d, r.i64(a).wrapping_shr(r.u32(b)) as u64),
            Ins::And { d, a, b } => r.set(d, r.get(a) & r.get(b)),
            Ins::Or { d, a, b } => r.set(d, r.get(a) | r.get(b)),
            Ins::Xor { d, a, b } => r.set(d, r.get(a) ^ r.get(b)),
            Ins::SDiv32 { d, a, b } => match r.i32(b) {
                0 => by_zero!(d, 0u64),
                b => r.set(d, (r.i32(a).wrapping_div(b) as u32).into()),
            },
            Ins::SRem32 { d, a, b } => match r.i32(b) {
                0 => by_zero!(d, r.u32(a)),
                b => r.set(d, (r.i32(a).wrapping_rem(b) as u32).into()),
            },
            Ins::SDiv64 { d, a, b } => match r.i64(b) {
                0 => by_zero!(d, 0u64),
                b => r.set(d, r.i64(a).wrapping_div(b) as u64),
            },
            Ins::SRem64 { d, a, b } => match r.i64(b) {
                0 => by_zero!(d, r.get(a)),
                b => r.set(d, r.i64(a).wrapping_rem(b) as u64),
            },
            Ins::UDiv { d, a, b } => match r.get(a).checked_div(r.get(b)) {
                Some(q) => r.set(d, q),
                None => by_zero!(d, 0u64),
            },
            Ins::URem { d, a, b } => match r.get(a).checked_rem(r.get(b)) {
                Some(q) => r.set(d, q),
                None => by_zero!(d, r.get(a)),
            },
            Ins::Mask8 { d, a } => r.set(d, r.get(a) & 0xff),
            Ins::Mask16 { d, a } => r.set(d, r.get(a) & 0xffff),
            Ins::Mask32 { d, a } => r.set(d, r.get(a) & 0xffff_ffff),
            Ins::SExt8 { d, a } => r.set(d, r.get(a) as i8 as i64 as u64),
            Ins::SExt16 { d, a } => r.set(d, r.get(a) as i16 as i64 as u64),
            Ins::SExt32 { d, a } => r.set(d, signed(a)),

            Ins::FAdd32 { d, a, b } => r.set(d, (r.f32(a) + r.f32(b)).to_bits().into()),
            Ins::FSub32 { d, a, b } => r.set(d, (r.f32(a) - r.f32(b)).to_bits().into()),
            Ins::FMul32 { d, a, b } => r.set(d, (r.f32(a) * r.f32(b)).to_bits().into()),
            Ins::FDiv32 { d, a, b } => r.set(d, (r.f32(a) / r.f32(b)).to_bits().into()),
            Ins::FAdd64 { d, a, b } => r.set(d, (r.f64(a) + r.f64(b)).to_bits()),
            Ins::FSub64 { d, a, b } => r.set(d, (r.f64(a) - r.f64(b)).to_bits()),
            Ins::FMul64 { d, a, b } => r.set(d, (r.f64(a) * r.f64(b)).to_bits()),
            Ins::FDiv64 { d, a, b } => r.set(d, (r.f64(a) / r.f64(b)).to_bits()),

            Ins::Eq { d, a, b } => r.set(d, (r.get(a) == r.get(b)).into()),
            Ins::Ne { d, a, b } => r.set(d, (r.get(a) != r.get(b)).into()),
            Ins::ULt { d, a, b } => r.set(d, (r.get(a) < r.get(b)).into()),
            Ins::ULe { d, a, b } => r.set(d, (r.get(a) <= r.get(b)).into()),
            Ins::SLt32 { d, a, b } => r.set(d, (r.i32(a) < r.i32(b)).into()),
            Ins::SLe32 { d, a, b } => r.set(d, (r.i32(a) <= r.i32(b)).into()),
            Ins::SLt64 { d, a, b } => r.set(d, (r.i64(a) < r.i64(b)).into()),
            Ins::SLe64 { d, a, b } => r.set(d, (r.i64(a) <= r.i64(b)).into()),
            Ins::FEq32 { d, a, b } => r.set(d, (r.f32(a) == r.f32(b)).into()),
            Ins::FNe32 { d, a, b } => r.set(d, (r.f32(a) != r.f32(b)).into()),
            Ins::FLt32 { d, a, b } => r.set(d, (r.f32(a) < r.f32(b)).into()),
            Ins::FLe32 { d, a, b } => r.set(d, (r.f32(a) <= r.f32(b)).into()),
            Ins::FOrd32 { d, a, b } => r.set(d, r.f32(a).partial_cmp(&r.f32(b)).is_some().into()),
            Ins::FEq64 { d, a, b } => r.set(d, (r.f64(a) == r.f64(b)).into()),
            Ins::FNe64 { d, a, b } => r.set(d, (r.f64(a) != r.f64(b)).into()),
            Ins::FLt64 { d, a, b } => r.set(d, (r.f64(a) < r.f64(b)).into()),
            Ins::FLe64 { d, a, b } => r.set(d, (r.f64(a) <= r.f64(b)).into()),
            Ins::FOrd64 { d, a, b } => r.set(d, r.f64(a).partial_cmp(&r.f64(b)).is_some().into()),

            Ins::Select { d, c, a, b } => {
                let value = if r.get(c) != 0 { r.get(a) } else { r.get(b) };
                r.set(d, value);
            }
            Ins::ExtractDyn { d, a, index, n } => {
                let lane = (r.get(index) % u64::from(n)) as Slot;
                r.set(d, r.get(a + lane));
            }
            Ins::InsertDyn { d, a, index, n } => {
                let lane = (r.get(index) % u64::from(n)) as Slot;
                r.set(d + lane, r.get(a));
            }
            Ins::PtrAdd { d, a, index, scale, disp } => r.set(d, wide(a, index, scale, disp)),
            Ins::PtrAddS { d, a, index, scale, disp } => r.set(d, narrow(a, index, scale, disp)),
            Ins::Convert { d, a, conversion } =>
                r.set(d, kernel.conversions[usize::from(conversion)].apply(r.get(a))),
            Ins::Call1 { d, a, f } => r.set(d, kernel.fns1[usize::from(f)](r.get(a))),
            Ins::Call2 { d, a, b, f } => r.set(d, kernel.fns2[usize::from(f)](r.get(a), r.get(b))),
            Ins::Call3 { d, a, b, c, f } =>
                r.set(d, kernel.fns3[usize::from(f)](r.get(a), r.get(b), r.get(c))),
            Ins::Query { d, dim, query } => r.set(d, ids.query(query, r.u32(dim))),

            Ins::Jump { to } => at = code.wrapping_add(to as usize),
            Ins::JumpBack { to } => {
                spend!();
                at = code.wrapping_add(to as usize);
            }
            Ins::JumpIf { a, to } => jump!(r.get(a) != 0, to),
            Ins::JumpIfNot { a, to } => jump!(r.get(a) == 0, to),
            Ins::JumpEq { a, b, to } => jump!(r.get(a) == r.get(b), to),
            Ins::JumpNe { a, b, to } => jump!(r.get(a) != r.get(b), to),
            Ins::JumpULt { a, b, to } => jump!(r.get(a) < r.get(b), to),
            Ins::JumpULe { a, b, to } => jump!(r.get(a) <= r.get(b), to),
            Ins::JumpSLt32 { a, b, to } => jump!(r.i32(a) < r.i32(b), to),
            Ins::JumpSLe32 { a, b, to } => jump!(r.i32(a) <= r.i32(b), to),
            Ins::JumpSLt64 { a, b, to } => jump!(r.i64(a) < r.i64(b), to),
            Ins::JumpSLe64 { a, b, to } => jump!(r.i64(a) <= r.i64(b), to),
            Ins::Switch { a, table } => {
                let table = &kernel.switches[usize::from(table)];
                let value = r.get(a);
                let to = match table.cases.binary_search_by_key(&value, |c| c.0) {
                    Ok(i) => table.cases[i].1,
                    Err(_) => table.default,
                };
                at = code.wrapping_add(to as usize);
            }
            Ins::Call { link, to } => {
                r.set(link, (at as usize - code as usize) as u64 / size_of::<Ins>() as u64);
                at = code.wrapping_add(to as usize);
            }
            Ins::Return { link } => at = code.wrapping_add(r.get(link) as usize),
            Ins::End => stop!(Stop::End),
            Ins::Trap { reason } => trap!(reason.kind()),

            Ins::Load8 { d, a, site, disp: n } => load!(u8, d, site, disp(a, n)),
            Ins::Load16 { d, a, site, disp: n } => load!(u16, d, site, disp(a, n)),
            Ins::Load32 { d, a, site, disp: n } => load!(u32, d, site, disp(a, n)),
            Ins::Load64 { d, a, site, disp: n } => load!(u64, d, site, disp(a, n)),
            Ins::Store8 { v, a, site, disp: n } => store!(u8, v, site, disp(a, n)),
            Ins::Store16 { v, a, site, disp: n } => store!(u16, v, site, disp(a, n)),
            Ins::Store32 { v, a, site, disp: n } => store!(u32, v, site, disp(a, n)),
            Ins::Store64 { v, a, site, disp: n } => store!(u64, v, site, disp(a, n)),
            Ins::Load32X { d, a, index, site, scale, disp: n } =>
                load!(u32, d, site, wide(a, index, scale.into(), n)),
            Ins::Load64X { d, a, index, site, scale, disp: n } =>
                load!(u64, d, site, wide(a, index, scale.into(), n)),
            Ins::Store32X { v, a, index, site, scale, disp: n } =>
                store!(u32, v, site, wide(a, index, scale.into(), n)),
            Ins::Store64X { v, a, index, site, scale, disp: n } =>
                store!(u64, v, site, wide(a, index, scale.into(), n)),
            Ins::Load32S { d, a, index, site, scale, disp: n } =>
                load!(u32, d, site, narrow(a, index, scale.into(), n)),
            Ins::Load64S { d, a, index, site, scale, disp: n } =>
                load!(u64, d, site, narrow(a, index, scale.into(), n)),
            Ins::Store32S { v, a, index, site, scale, disp: n } =>
                store!(u32, v, site, narrow(a, index, scale.into(), n)),
            Ins::Store64S { v, a, index, site, scale, disp: n } =>
                store!(u64, v, site, narrow(a, index, scale.into(), n)),

            Ins::AtomicLoad32 { d, a, site, order, scope } =>
                access!(u32, d, atomic!(site, a, order, scope, Atomic::Load)),
            Ins::AtomicLoad64 { d, a, site, order, scope } =>
                access!(u64, d, atomic!(site, a, order, scope, Atomic::Load)),
            Ins::AtomicStore32 { v, a, site, order, scope } =>
                access!(atomic!(site, a, order, scope, Atomic::Store(r.u32(v)))),
            Ins::AtomicStore64 { v, a, site, order, scope } =>
                access!(atomic!(site, a, order, scope, Atomic::Store(r.get(v)))),
            Ins::Rmw32 { d, v, a, site, op, order, scope } =>
                access!(u32, d, atomic!(site, a, order, scope, Atomic::Rmw(op, r.u32(v)))),
            Ins::Rmw64 { d, v, a, site, op, order, scope } =>
                access!(u64, d, atomic!(site, a, order, scope, Atomic::Rmw(op, r.get(v)))),
            Ins::Cas32 { d, a, expected, desired, site, success, failure, scope } => {
                let (expected, desired) = (r.u32(expected), r.u32(desired));
                let exchange = Atomic::Cas { expected, desired, failure };
                access!(u32, d, atomic!(site, a, success, scope, exchange))
            }
            Ins::Cas64 { d, a, expected, desired, site, success, failure, scope } => {
                let (expected, desired) = (r.get(expected), r.get(desired));
                let exchange = Atomic::Cas { expected, desired, failure };
                access!(u64, d, atomic!(site, a, success, scope, exchange))
            }
            Ins::Fence { order, scope, regions } => {
                spend!();
                port.fence(order, scope, regions);
            }
            Ins::Barrier { sub_group, regions, scope } =>
                stop!(Stop::Barrier { sub_group, regions, scope }),
            Ins::Collective { sub_group, .. } => stop!(Stop::meeting(sub_group)),
            Ins::Compiled => {
                at = at.wrapping_sub(1);
                stop!(Stop::Entry)
            }
            Ins::MemCopy { dst, src, size, dst_site, src_site } =>
                access!(port.copy((dst_site, src_site), r.get(dst), r.get(src), r.get(size))),
            Ins::MemSet { dst, byte, size, site } =>
                access!(port.fill(site, r.get(dst), r.get(byte) as u8, r.get(size))),
            Ins::ToSpace { d, a, space } => {
                let address = r.get(a);
                let inside = port.space_of(address) == Some(space);
                r.set(d, if inside { address } else { 0 });
            }
            Ins::Print { d, print } => {
                spend!();
                let printing = &kernel.printings[usize::from(print)];
                r.set(d, port!(printf(printing, |slot| r.get(slot), port)));
            }
            Ins::Device { d, call } => {
                spend!();
                let call = &kernel.device_calls[usize::from(call)];
                r.set(d, port!(device::call(call, |slot| r.get(slot), port)));
            }
        };
    }
}
