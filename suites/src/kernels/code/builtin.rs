//! Integer and relational functions of OpenCL C: their types and what they give.

use super::number::{INT, Integer, LANES, Type, UINT, Value};
use classay_vocabulary::{Extension, Need};

/// A built-in function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    Abs,
    AbsDiff,
    AddSat,
    SubSat,
    Hadd,
    Rhadd,
    /// Whose second argument is nowhere above its third.
    Clamp,
    Clz,
    Popcount,
    Rotate,
    MulHi,
    /// Of a signed type: of a sum that it holds.
    MadHi,
    MadSat,
    Max,
    Min,
    /// Of arguments whose product and sum 32 bits hold.
    Mul24,
    /// The same.
    Mad24,
    Upsample,
    Bitselect,
    /// `select`, whose third argument has a signed type or an unsigned one.
    Select {
        signed: bool,
    },
    /// Of a signed type: whether the highest bit of a lane is set.
    Any,
    /// Whether that of each is.
    All,
    /// `ctz`, of OpenCL C 2.0.
    Ctz,
    /// `bit_reverse`.
    BitReverse,
    /// `bitfield_insert`, of places inside of the type.
    BitfieldInsert,
    /// `bitfield_extract_signed`, or `_unsigned`, of the same.
    BitfieldExtract {
        signed: bool,
    },
    /// `dot` of four `char`s or `uchar`s, with a number to which it is added with saturation, or without.
    Dot {
        /// The second vector has the other sign.
        mixed: bool,
        /// The four are packed in an `uint`.
        packed: bool,
        adds: bool,
    },
}

/// Those that only some devices have.
pub const OFFERED: [Builtin; 13] = {
    use Builtin::*;
    const fn dot(mixed: bool, packed: bool, adds: bool) -> Builtin {
        Dot {
            mixed,
            packed,
            adds,
        }
    }
    [
        Ctz,
        BitReverse,
        BitfieldInsert,
        BitfieldExtract { signed: true },
        BitfieldExtract { signed: false },
        dot(false, false, false),
        dot(true, false, true),
        dot(false, true, false),
        dot(true, true, true),
        dot(false, false, true),
        dot(true, false, false),
        dot(false, true, true),
        dot(true, true, false),
    ]
};

/// Those of every device.
pub const BUILTINS: [Builtin; 23] = {
    use Builtin::*;
    [
        Max,
        Min,
        Abs,
        AbsDiff,
        AddSat,
        SubSat,
        Hadd,
        Rhadd,
        Clamp,
        Clz,
        Popcount,
        Rotate,
        MulHi,
        MadHi,
        MadSat,
        Mul24,
        Mad24,
        Upsample,
        Bitselect,
        Select { signed: true },
        Select { signed: false },
        Any,
        All,
    ]
};

impl Builtin {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Abs => "abs",
            Builtin::AbsDiff => "abs_diff",
            Builtin::AddSat => "add_sat",
            Builtin::SubSat => "sub_sat",
            Builtin::Hadd => "hadd",
            Builtin::Rhadd => "rhadd",
            Builtin::Clamp => "clamp",
            Builtin::Clz => "clz",
            Builtin::Popcount => "popcount",
            Builtin::Rotate => "rotate",
            Builtin::MulHi => "mul_hi",
            Builtin::MadHi => "mad_hi",
            Builtin::MadSat => "mad_sat",
            Builtin::Max => "max",
            Builtin::Min => "min",
            Builtin::Mul24 => "mul24",
            Builtin::Mad24 => "mad24",
            Builtin::Upsample => "upsample",
            Builtin::Bitselect => "bitselect",
            Builtin::Select { .. } => "select",
            Builtin::Any => "any",
            Builtin::All => "all",
            Builtin::Ctz => "ctz",
            Builtin::BitReverse => "bit_reverse",
            Builtin::BitfieldInsert => "bitfield_insert",
            Builtin::BitfieldExtract { signed: true } => "bitfield_extract_signed",
            Builtin::BitfieldExtract { signed: false } => "bitfield_extract_unsigned",
            Builtin::Dot { adds: false, .. } => "dot",
            Builtin::Dot { adds: true, .. } => "dot_acc_sat",
        }
    }

    /// What a device must have for it.
    pub fn need(self) -> Option<Need> {
        match self {
            Builtin::Ctz => Some(Need::C20),
            Builtin::BitReverse | Builtin::BitfieldInsert | Builtin::BitfieldExtract { .. } => {
                Some(Need::Extension(Extension::ExtendedBitOps))
            }
            Builtin::Dot { .. } => Some(Need::Extension(Extension::IntegerDotProduct)),
            _ => None,
        }
    }

    /// The name of the packed form of a dot product whose first vector has this type: signed and unsigned vectors, and
    /// what it gives.
    pub fn packed_name(self, ty: Type) -> String {
        let sign = |of: Integer| if of.signed { 's' } else { 'u' };
        let second = self.arguments(ty).get(1).map_or('u', |ty| sign(ty.of));
        let gives = self.gives(ty).name();
        format!("{}_4x8packed_{}{second}_{gives}", self.name(), sign(ty.of))
    }

    /// Whether there is one for arguments of this type.
    pub fn takes(self, of: Integer) -> bool {
        match self {
            Builtin::Mul24 | Builtin::Mad24 => of.bits == 32,
            Builtin::Upsample => of.bits < 64,
            Builtin::Dot { .. } => of.bits == 8,
            Builtin::Any | Builtin::All => of.signed,
            _ => true,
        }
    }

    /// The lanes of its first argument, where it does not take each vector.
    pub fn lanes(self) -> Option<u8> {
        matches!(self, Builtin::Dot { .. }).then_some(4)
    }

    /// The types of its arguments where the first one has this.
    pub fn arguments(self, ty: Type) -> Vec<Type> {
        match self {
            Builtin::Abs
            | Builtin::Clz
            | Builtin::Ctz
            | Builtin::Popcount
            | Builtin::BitReverse
            | Builtin::Any
            | Builtin::All => vec![ty],
            Builtin::BitfieldInsert => vec![ty, ty, UINT.scalar(), UINT.scalar()],
            Builtin::BitfieldExtract { .. } => vec![ty, UINT.scalar(), UINT.scalar()],
            Builtin::Dot { mixed, adds, .. } => {
                let signed = ty.of.signed != mixed;
                let mut types = vec![ty, ty.with(Integer { signed, ..ty.of })];
                types.extend(adds.then(|| self.gives(ty)));
                types
            }
            Builtin::Upsample => vec![ty, ty.with(ty.of.unsigned())],
            Builtin::Clamp
            | Builtin::MadHi
            | Builtin::MadSat
            | Builtin::Mad24
            | Builtin::Bitselect => vec![ty; 3],
            Builtin::Select { signed } => vec![ty, ty, ty.with(Integer { signed, ..ty.of })],
            _ => vec![ty; 2],
        }
    }

    /// The type of what it gives.
    pub fn gives(self, ty: Type) -> Type {
        match self {
            Builtin::Abs | Builtin::AbsDiff => ty.with(ty.of.unsigned()),
            Builtin::Upsample => ty.with(Integer {
                bits: 2 * ty.of.bits,
                ..ty.of
            }),
            Builtin::Any | Builtin::All => INT.scalar(),
            Builtin::BitfieldExtract { signed } => ty.with(Integer { signed, ..ty.of }),
            Builtin::Dot { mixed, .. } if ty.of.signed || mixed => INT.scalar(),
            Builtin::Dot { .. } => UINT.scalar(),
            _ => ty,
        }
    }

    /// What it gives of arguments, the first of which has this type ("Integer Functions", "Relational
    /// Functions"); `None` where the text leaves that open.
    pub fn of(self, ty: Type, arguments: &[Value]) -> Option<Value> {
        let lanes = arguments.first()?.iter().take(usize::from(ty.lanes));
        let mut top = lanes.map(|bits| bits >> (ty.of.bits - 1) != 0);
        match self {
            Builtin::Any => return Some(INT.scalar().value(top.any(|set| set).into())),
            Builtin::All => return Some(INT.scalar().value(top.all(|set| set).into())),
            Builtin::Dot { .. } => return self.dot(ty, arguments),
            _ => {}
        }
        let mut value = [0; LANES];
        let types = self.arguments(ty);
        for (lane, to) in value.iter_mut().enumerate().take(usize::from(ty.lanes)) {
            // Beside vectors, scalars are about each lane.
            let lane_of = |ty: &Type| if ty.lanes == 1 { 0 } else { lane };
            let arguments = arguments.iter().zip(&types);
            let bits: Vec<u64> = arguments.map(|(value, ty)| value[lane_of(ty)]).collect();
            *to = self.lane(ty, &bits)?;
        }
        Some(value)
    }

    /// "The components of `a` and `b` are sign- or zero-extended to the width of the destination type": 32 bits hold every
    /// sum of four products.
    fn dot(self, ty: Type, arguments: &[Value]) -> Option<Value> {
        let (types, gives) = (self.arguments(ty), self.gives(ty));
        let [a, b] = [0, 1].map(|n| arguments.get(n).zip(types.get(n)));
        let ((a, of_a), (b, of_b)) = (a?, b?);
        let products =
            (0..usize::from(ty.lanes)).map(|n| of_a.of.number(a[n]) * of_b.of.number(b[n]));
        let beside = arguments.get(2).map_or(0, |acc| gives.number(acc));
        let sum = products.sum::<i128>() + beside;
        Some(gives.value(gives.of.number(gives.of.saturate(sum))))
    }

    fn lane(self, ty: Type, bits: &[u64]) -> Option<u64> {
        let of = ty.of;
        let bit = |n: usize| bits.get(n).copied().unwrap_or_default();
        let n = |at: usize| of.number(bit(at));
        let width = u32::from(of.bits);
        Some(match self {
            Builtin::Abs => of.wrap(n(0).abs()),
            Builtin::AbsDiff => of.wrap((n(0) - n(1)).abs()),
            Builtin::AddSat => of.saturate(n(0) + n(1)),
            Builtin::SubSat => of.saturate(n(0) - n(1)),
            Builtin::Hadd => of.wrap((n(0) + n(1)) >> 1),
            Builtin::Rhadd => of.wrap((n(0) + n(1) + 1) >> 1),
            Builtin::Clamp if n(1) > n(2) => return None,
            Builtin::Clamp => of.wrap(n(0).clamp(n(1), n(2))),
            Builtin::Clz => u64::from(bit(0).leading_zeros() - (64 - width)),
            Builtin::Ctz => u64::from(bit(0).trailing_zeros().min(width)),
            Builtin::Popcount => u64::from(bit(0).count_ones()),
            Builtin::BitReverse => bit(0).reverse_bits() >> (64 - width),
            Builtin::BitfieldInsert => {
                let field = field(width, bit(2), bit(3))?;
                (bit(0) & !field) | (bit(1) << (bit(2) & 63)) & field
            }
            Builtin::BitfieldExtract { signed } => {
                let (offset, count) = (bit(1), bit(2));
                let found = bit(0) & field(width, offset, count)?;
                if count == 0 {
                    return Some(0);
                }
                let found = found >> offset;
                let filled = signed && found >> (count - 1) != 0;
                found | if filled { of.wrap(-1 << count) } else { 0 }
            }
            Builtin::Rotate => {
                let by = (bit(1) & u64::from(width - 1)) as u32;
                let (low, wide) = (u128::from(bit(0)), u128::from(bit(0)) << by);
                of.wrap((wide | (low << by >> width)) as i128)
            }
            Builtin::MulHi => high(of, n(0), n(1)),
            Builtin::MadHi => {
                let sum = of.number(high(of, n(0), n(1))) + n(2);
                if of.signed && !of.holds(sum) {
                    return None;
                }
                of.wrap(sum)
            }
            Builtin::MadSat if of.signed => of.saturate(n(0) * n(1) + n(2)),
            Builtin::MadSat => {
                let exact = u128::from(bit(0)) * u128::from(bit(1)) + u128::from(bit(2));
                exact.min(of.greatest() as u128) as u64
            }
            Builtin::Max => of.wrap(n(0).max(n(1))),
            Builtin::Min => of.wrap(n(0).min(n(1))),
            Builtin::Mul24 | Builtin::Mad24 => {
                let exact = n(0) * n(1) + if self == Builtin::Mad24 { n(2) } else { 0 };
                let narrow = [n(0), n(1)].iter().all(|n| {
                    let least = if of.signed { -(1 << 23) } else { 0 };
                    (least..1 << (24 - u32::from(of.signed))).contains(n)
                });
                if !narrow || !of.holds(exact) {
                    return None;
                }
                of.wrap(exact)
            }
            Builtin::Upsample => self.gives(ty).of.wrap((n(0) << width) | i128::from(bit(1))),
            Builtin::Bitselect => (bit(0) & !bit(2)) | (bit(1) & bit(2)),
            Builtin::Select { .. } => {
                let second = match ty.lanes {
                    1 => bit(2) != 0,
                    _ => bit(2) >> (width - 1) != 0,
                };
                bit(usize::from(second))
            }
            Builtin::Any | Builtin::All | Builtin::Dot { .. } => return None,
        })
    }
}

/// The bits of a field of so many bits behind an offset; `None` where it ends outside of the number.
fn field(width: u32, offset: u64, count: u64) -> Option<u64> {
    let inside = offset + count <= u64::from(width);
    let ones = (1u128 << count.min(64)) - 1;
    inside.then(|| (ones << offset.min(64)) as u64)
}

/// The high half of a product.
fn high(of: Integer, left: i128, right: i128) -> u64 {
    let product = if of.signed {
        left * right
    } else {
        (left as u128).wrapping_mul(right as u128) as i128
    };
    // Of two unsigned numbers of 64 bits the product has 128: the shift must not take its highest bit for a sign.
    match of.signed {
        true => of.wrap(product >> of.bits),
        false => of.wrap((product as u128 >> of.bits) as i128),
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::*;
    use super::*;

    fn of(function: Builtin, ty: Integer, numbers: &[i128]) -> Option<i128> {
        let ty = ty.scalar();
        let types = function.arguments(ty);
        let arguments = types.iter().zip(numbers).map(|(ty, n)| ty.value(*n));
        let given = function.of(ty, &arguments.collect::<Vec<_>>())?;
        Some(function.gives(ty).number(&given))
    }

    #[test]
    fn each_gives_what_the_table_says() {
        use Builtin::*;
        let rows: &[(Builtin, Integer, &[i128], Option<i128>)] = &[
            (Abs, CHAR, &[-128], Some(128)),
            (AbsDiff, CHAR, &[-128, 127], Some(255)),
            (AddSat, SHORT, &[32_000, 1_000], Some(32_767)),
            (SubSat, UCHAR, &[3, 5], Some(0)),
            (Hadd, CHAR, &[-3, -4], Some(-4)),
            (Rhadd, UCHAR, &[255, 254], Some(255)),
            (Clamp, INT, &[9, -1, 4], Some(4)),
            (Clamp, INT, &[9, 4, -1], None),
            (Clz, CHAR, &[1], Some(7)),
            (Clz, USHORT, &[0], Some(16)),
            (Popcount, SHORT, &[-1], Some(16)),
            (Rotate, UCHAR, &[0b1001_0110, 9], Some(0b0010_1101)),
            (Rotate, CHAR, &[-128, 1], Some(1)),
            (Rotate, ULONG, &[1 << 63, 1], Some(1)),
            (MulHi, INT, &[-1, 1], Some(-1)),
            (
                MulHi,
                ULONG,
                &[ULONG.greatest(), ULONG.greatest()],
                Some(ULONG.greatest() - 1),
            ),
            (MadHi, UCHAR, &[255, 255, 10], Some(8)),
            (MadSat, LONG, &[LONG.least(), 2, 0], Some(LONG.least())),
            (
                MadSat,
                ULONG,
                &[ULONG.greatest(), 2, 1],
                Some(ULONG.greatest()),
            ),
            (Max, CHAR, &[-1, 1], Some(1)),
            (Min, ULONG, &[ULONG.greatest(), 1], Some(1)),
            (Mul24, INT, &[-(1 << 23), 3], Some(-3 * (1 << 23))),
            (Mul24, INT, &[1 << 23, 3], None),
            (Mad24, UINT, &[1 << 20, 1 << 10, 5], Some((1 << 30) + 5)),
            (Upsample, CHAR, &[-1, 255], Some(-1)),
            (Upsample, UINT, &[1, 2], Some((1 << 32) + 2)),
            (Bitselect, UCHAR, &[0b1100, 0b1010, 0b0110], Some(0b1010)),
            (Select { signed: true }, INT, &[1, 2, 4], Some(2)),
            (Select { signed: false }, CHAR, &[1, 2, 0], Some(1)),
            (Any, CHAR, &[127], Some(0)),
            (All, LONG, &[-1], Some(1)),
            (Ctz, CHAR, &[-128], Some(7)),
            (Ctz, ULONG, &[0], Some(64)),
            (MadHi, INT, &[-1, 1, 5], Some(4)),
            (MadHi, INT, &[-1, 1, INT.least()], None),
            (BitReverse, CHAR, &[1], Some(-128)),
            (BitReverse, UINT, &[6], Some(0x6000_0000)),
            (BitfieldInsert, UCHAR, &[0xff, 0b10, 2, 3], Some(0xeb)),
            (BitfieldInsert, ULONG, &[5, 9, 64, 0], Some(5)),
            (BitfieldInsert, ULONG, &[5, 9, 0, 64], Some(9)),
            (BitfieldInsert, USHORT, &[5, 9, 10, 7], None),
            (
                BitfieldExtract { signed: true },
                UCHAR,
                &[0b110, 1, 2],
                Some(-1),
            ),
            (
                BitfieldExtract { signed: true },
                LONG,
                &[LONG.least(), 0, 64],
                Some(LONG.least()),
            ),
            (
                BitfieldExtract { signed: false },
                CHAR,
                &[-1, 3, 5],
                Some(31),
            ),
            (BitfieldExtract { signed: false }, INT, &[-1, 3, 0], Some(0)),
        ];
        for (function, ty, numbers, wanted) in rows {
            assert_eq!(
                of(*function, *ty, numbers),
                *wanted,
                "{function:?} {ty:?} {numbers:?}"
            );
        }
    }

    #[test]
    fn dot_products_extend_each_number_by_its_own_sign() {
        let of = |mixed, adds, ty: Integer, acc| {
            let dot = Builtin::Dot {
                mixed,
                packed: false,
                adds,
            };
            let ty = ty.vector(4);
            let ones = ty.value(-1);
            let sum = dot.gives(ty).value(acc);
            let given = dot.of(ty, &[ones, ones, sum]).expect("it is defined");
            dot.gives(ty).number(&given)
        };
        assert_eq!(of(false, true, CHAR, 0), 4);
        assert_eq!(of(true, true, CHAR, 1), 1 - 4 * 255);
        assert_eq!(of(false, true, UCHAR, 0), 4 * 255 * 255);
        assert_eq!(of(false, true, UCHAR, UINT.greatest()), UINT.greatest());
        assert_eq!(of(true, true, UCHAR, INT.least()), INT.least());
        let mixed = Builtin::Dot {
            mixed: true,
            packed: true,
            adds: true,
        };
        let ty = UCHAR.vector(4);
        assert_eq!(mixed.packed_name(ty), "dot_acc_sat_4x8packed_us_int");
    }

    #[test]
    fn the_highest_bit_of_a_lane_selects() {
        let ty = CHAR.vector(2);
        let [a, b, c] = [[1, 2], [3, 4], [0x7f, 0x80]].map(|lanes: [u64; 2]| ty.each(|n| lanes[n]));
        let given = Builtin::Select { signed: false }
            .of(ty, &[a, b, c])
            .expect("it is defined");
        assert_eq!(given[..2], [1, 4]);
    }
}
