//! Where the work-items of random kernels read and write that have nothing to do with each other: rows of words, one
//! for each item, in which items that follow each other lie one behind the other, reversed, or further apart.

use crate::random::{Form, Maker, OWN};
use touchstone_ir::{
    Const, FuncId, IntOp, LocalId, LocalVar, MemScope, Module, NumKind, Order, Query, Reg, RmwOp,
    Type,
};

/// Two groups in each direction, of which the last ones are smaller: rows of 35 and of 26 items, whose
/// ends no vector of sixteen fits.
pub const GLOBAL_SIZE: [u64; 3] = [61, 3, 1];
pub const LOCAL_SIZE: [u64; 3] = [35, 2, 1];
/// Longs that all read.
pub const SHARED: u64 = 320;
/// Rows of longs that each item has one of: of words of each size.
pub const ROWS: u64 = 4;
/// Longs behind the rows, and as many again, in which all may count: in words of 32 bits and of 64.
pub const COUNTERS: u64 = 4;

/// Rows of local memory, of words of each size: long ones first, so that all are aligned.
pub fn local(m: &mut Module) -> LocalId {
    let items: u64 = LOCAL_SIZE.iter().product();
    m.add_local(LocalVar {
        name: "rows".into(),
        kernel: Some(FuncId(1)),
        size: items * 16,
        align: 8,
    })
}

/// The item's place in a row of local memory, of words of a size.
fn in_local_row(k: &mut Maker, rows: LocalId, size: u32) -> Reg {
    let items: u64 = LOCAL_SIZE.iter().product();
    let first = match size {
        8 => 0,
        4 => 8 * items,
        2 => 12 * items,
        _ => 14 * items,
    };
    let at = k.b.query(Query::LocalLinearId, Const::i32(0));
    let base = k.b.local_addr(rows);
    k.b.ptr_add(base, at, size, first as i64)
}

/// Changes a word by a relaxed operation whose result nobody reads: one of those in which all count, one of the item's own, or
/// now and then a wrong one.
pub fn count(k: &mut Maker, [x, y, z]: [u8; 3]) {
    let signed = |k: &mut Maker, n| k.b.convert(n, NumKind::Signed, Type::I64, NumKind::Signed);
    let is_long = z % 2 == 1;
    let first = Form::Apart.shared() + (OWN + ROWS) * Form::Apart.items();
    let (first, size, words) = match is_long {
        true => (first + COUNTERS, 8, COUNTERS),
        false => (first, 4, 2 * COUNTERS),
    };
    let most = words as i32 - 1;
    let at = match x % 8 {
        // Any of them.
        0..=3 => {
            let far = if x == 128 { 1 << 20 } else { most };
            let index = k.b.int(IntOp::And, k.int(y), Const::i32(far));
            let index = signed(k, index);
            let odd = if x == 131 { 2 } else { 0 };
            let base = k.b.param(0);
            k.b.ptr_add(base, index, size, first as i64 * 8 + odd)
        }
        // The same for all.
        4 | 5 => {
            let base = k.b.param(0);
            k.b.ptr_offset(base, first as i64 * 8)
        }
        // Its place in the row of words of this size.
        _ => {
            let row = u64::from(size.trailing_zeros());
            let first = Form::Apart.shared() + (OWN + row) * Form::Apart.items();
            let at = k.b.query(Query::GlobalLinearId, Const::i32(0));
            let base = k.b.param(0);
            k.b.ptr_add(base, at, size, first as i64 * 8)
        }
    };
    let op = [RmwOp::Add, RmwOp::Sub][usize::from(z / 2) % 2];
    match is_long {
        true => {
            k.b.atomic_rmw(op, at, k.long(y), Order::Relaxed, MemScope::Device)
        }
        false => {
            k.b.atomic_rmw(op, at, k.int(y), Order::Relaxed, MemScope::Device)
        }
    };
}

/// An address for an access of some type, now and then a wrong one.
pub fn address(k: &mut Maker, own: Reg, (n, m): (u8, u8), ty: Type, writes: bool) -> Reg {
    let size = ty.size();
    let signed = |k: &mut Maker, x| k.b.convert(x, NumKind::Signed, Type::I64, NumKind::Signed);
    let base = k.b.param(0);
    match n % 8 {
        // Anywhere among the item's own.
        0 | 1 => {
            let most = if n == 128 {
                1 << 20
            } else {
                OWN as i32 / 2 - 1
            };
            let index = k.b.int(IntOp::And, k.int(m), Const::i32(most));
            let index = signed(k, index);
            k.b.ptr_add(own, index, 8, i64::from(m % 2) * 4)
        }
        2 if let Some(rows) = k.local => in_local_row(k, rows, size),
        // Its place in the row of words of this size.
        2 | 3 => {
            let row = size.trailing_zeros() as u64;
            let first = Form::Apart.shared() + (OWN + row) * Form::Apart.items();
            let at = k.b.query(Query::GlobalLinearId, Const::i32(0));
            k.b.ptr_add(base, at, size, first as i64 * 8)
        }
        _ if writes => k.b.ptr_offset(own, i64::from(m % 8) * 8),
        // Some place that all read, anything or the same.
        4 => {
            let index = k.b.int(IntOp::And, k.int(m), Const::i32(127));
            let index = signed(k, index);
            k.b.ptr_add(base, index, 8, 0)
        }
        // One that grows or falls with the item's place in its row, in 32 bits or in 64.
        way => {
            let id = k.b.query(Query::LocalId, Const::i32(0));
            let wide = m / 8 % 4 == 3;
            let (by, scale) = match wide {
                true => ([16, -16, 3, -3][usize::from(m) % 4], 2),
                false => ([1, 1, 1, 2, -1, -2, 0, 1][usize::from(m) % 8], size),
            };
            let first = match (by < 0, wide) {
                (false, _) => 0,
                (true, true) => 40 * 16,
                (true, false) => 80,
            };
            let far = if n == 255 { 1 << 20 } else { 0 };
            let index = match way {
                5 => {
                    let id =
                        k.b.convert(id, NumKind::Unsigned, Type::I32, NumKind::Signed);
                    let index = k.b.int(IntOp::Mul, id, Const::i32(by));
                    let index = k.b.int(IntOp::Add, index, Const::i32(first + far));
                    signed(k, index)
                }
                _ => {
                    let index = k.b.int(IntOp::Mul, id, Const::i64(by.into()));
                    k.b.int(IntOp::Add, index, Const::i64((first + far).into()))
                }
            };
            k.b.ptr_add(base, index, scale, i64::from(m / 64) * 8)
        }
    }
}
