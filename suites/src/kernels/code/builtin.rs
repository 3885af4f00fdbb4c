//! Integer and relational functions of OpenCL C: their types and what they give.

use super::number::{INT, Integer, LANES, Type, Value};

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
    /// Of an unsigned type: the sum is modulo its size.
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
    Select,
    /// Of a signed type: whether the highest bit of a lane is set.
    Any,
    /// Whether that of each is.
    All,
}

/// Every one.
pub const BUILTINS: [Builtin; 22] = {
    use Builtin::*;
    [
        Max, Min, Abs, AbsDiff, AddSat, SubSat, Hadd, Rhadd, Clamp, Clz, Popcount, Rotate, MulHi,
        MadHi, MadSat, Mul24, Mad24, Upsample, Bitselect, Select, Any, All,
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
            Builtin::Select => "select",
            Builtin::Any => "any",
            Builtin::All => "all",
        }
    }

    /// Whether there is one for arguments of this type.
    pub fn takes(self, of: Integer) -> bool {
        match self {
            Builtin::Mul24 | Builtin::Mad24 => of.bits == 32,
            Builtin::Upsample => of.bits < 64,
            Builtin::MadHi => !of.signed,
            Builtin::Any | Builtin::All => of.signed,
            _ => true,
        }
    }

    /// The types of its arguments where the first one has this.
    pub fn arguments(self, ty: Type) -> Vec<Type> {
        match self {
            Builtin::Abs | Builtin::Clz | Builtin::Popcount | Builtin::Any | Builtin::All => {
                vec![ty]
            }
            Builtin::Upsample => vec![ty, ty.with(ty.of.unsigned())],
            Builtin::Clamp
            | Builtin::MadHi
            | Builtin::MadSat
            | Builtin::Mad24
            | Builtin::Bitselect => vec![ty; 3],
            Builtin::Select => vec![ty, ty, ty.with(ty.of.signed())],
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
            _ => {}
        }
        let mut value = [0; LANES];
        for (lane, to) in value.iter_mut().enumerate().take(usize::from(ty.lanes)) {
            let bits: Vec<u64> = arguments.iter().map(|value| value[lane]).collect();
            *to = self.lane(ty, &bits)?;
        }
        Some(value)
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
            Builtin::Popcount => u64::from(bit(0).count_ones()),
            Builtin::Rotate => {
                let by = (bit(1) & u64::from(width - 1)) as u32;
                let (low, wide) = (u128::from(bit(0)), u128::from(bit(0)) << by);
                of.wrap((wide | (low << by >> width)) as i128)
            }
            Builtin::MulHi => high(of, n(0), n(1)),
            Builtin::MadHi => of.wrap(i128::from(high(of, n(0), n(1))) + n(2)),
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
            Builtin::Select => {
                let second = match ty.lanes {
                    1 => bit(2) != 0,
                    _ => bit(2) >> (width - 1) != 0,
                };
                bit(usize::from(second))
            }
            Builtin::Any | Builtin::All => return None,
        })
    }
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
            (Select, INT, &[1, 2, 4], Some(2)),
            (Any, CHAR, &[127], Some(0)),
            (All, LONG, &[-1], Some(1)),
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
    fn the_highest_bit_of_a_lane_selects() {
        let ty = CHAR.vector(2);
        let [a, b, c] = [[1, 2], [3, 4], [0x7f, 0x80]].map(|lanes: [u64; 2]| ty.each(|n| lanes[n]));
        let given = Builtin::Select.of(ty, &[a, b, c]).expect("it is defined");
        assert_eq!(given[..2], [1, 4]);
    }
}
