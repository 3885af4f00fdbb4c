//! Integer built-ins, for each width (OpenCL C section 6.15.3).

/// The functions of one width: `$u` unsigned, `$s` signed, `$wide` twice as wide.
macro_rules! width {
    ($module:ident, $u:ty, $s:ty, $uwide:ty, $swide:ty) => {
        pub(crate) mod $module {
            const BITS: u32 = <$u>::BITS;

            fn s(x: u64) -> $s {
                x as $s
            }
            fn u(x: u64) -> $u {
                x as $u
            }
            fn from_s(x: $s) -> u64 {
                u64::from(x as $u)
            }
            fn from_u(x: $u) -> u64 {
                u64::from(x)
            }

            functions! { pub(crate) u64:
                sabs(a) = from_u(s(a).unsigned_abs());
                clz(a) = u64::from(u(a).leading_zeros());
                ctz(a) = u64::from(u(a).trailing_zeros());
                popcount(a) = u64::from(u(a).count_ones());
                bit_reverse(a) = from_u(u(a).reverse_bits());
                sabs_diff(a, b) = from_u(s(a).abs_diff(s(b)));
                uabs_diff(a, b) = from_u(u(a).abs_diff(u(b)));
                sadd_sat(a, b) = from_s(s(a).saturating_add(s(b)));
                uadd_sat(a, b) = from_u(u(a).saturating_add(u(b)));
                ssub_sat(a, b) = from_s(s(a).saturating_sub(s(b)));
                usub_sat(a, b) = from_u(u(a).saturating_sub(u(b)));
                shadd(a, b) = from_s(((s(a) as $swide + s(b) as $swide) >> 1) as $s);
                uhadd(a, b) = from_u(((u(a) as $uwide + u(b) as $uwide) >> 1) as $u);
                srhadd(a, b) = from_s(((s(a) as $swide + s(b) as $swide + 1) >> 1) as $s);
                urhadd(a, b) = from_u(((u(a) as $uwide + u(b) as $uwide + 1) >> 1) as $u);
                smax(a, b) = from_s(s(a).max(s(b)));
                umax(a, b) = from_u(u(a).max(u(b)));
                smin(a, b) = from_s(s(a).min(s(b)));
                umin(a, b) = from_u(u(a).min(u(b)));
                smul_hi(a, b) = from_s(((s(a) as $swide * s(b) as $swide) >> BITS) as $s);
                umul_hi(a, b) = from_u(((u(a) as $uwide * u(b) as $uwide) >> BITS) as $u);
                rotate(a, b) = from_u(u(a).rotate_left((b % u64::from(BITS)) as u32));
                umul24(a, b) = from_u(((a & 0xff_ffff) * (b & 0xff_ffff)) as $u);
                sclamp(a, min, max) = from_s(s(a).max(s(min)).min(s(max)));
                uclamp(a, min, max) = from_u(u(a).max(u(min)).min(u(max)));
            }
            pub(crate) fn smul24(a: u64, b: u64) -> u64 {
                let low = |x: u64| ((x as i32) << 8) >> 8;
                from_s((i64::from(low(a)) * i64::from(low(b))) as $s)
            }
            pub(crate) fn smad_sat(a: u64, b: u64, c: u64) -> u64 {
                let exact = s(a) as $swide * s(b) as $swide + s(c) as $swide;
                from_s(exact.clamp(<$s>::MIN as $swide, <$s>::MAX as $swide) as $s)
            }
            pub(crate) fn umad_sat(a: u64, b: u64, c: u64) -> u64 {
                let exact = u(a) as $uwide * u(b) as $uwide + u(c) as $uwide;
                from_u(exact.min(<$u>::MAX as $uwide) as $u)
            }
        }
    };
}

width!(w8, u8, i8, u16, i16);
width!(w16, u16, i16, u32, i32);
width!(w32, u32, i32, u64, i64);
width!(w64, u64, i64, u128, i128);
