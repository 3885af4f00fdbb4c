//! The types of packets.

/// A type of packets: its declaration, name, bytes, and what makes one of a number `x`.
pub(super) struct Packet {
    pub(super) declares: &'static str,
    pub(super) name: &'static str,
    pub(super) bytes: u32,
    pub(super) make: &'static str,
    /// Whether two are the same.
    pub(super) equal: &'static str,
}

/// A type of OpenCL C, compared as a whole or by its components.
const fn packet(name: &'static str, bytes: u32, make: &'static str, equal: &'static str) -> Packet {
    Packet {
        declares: "",
        name,
        bytes,
        make,
        equal,
    }
}

/// How scalars and vectors are compared.
const SCALAR: &str = "a == b";
const VECTOR: &str = "all(a == b)";

/// Every one.
pub(super) const PACKETS: &[Packet] = &[
    packet("uchar", 1, "(uchar)(x * 7u + 1u)", SCALAR),
    packet("short", 2, "(short)(x * 77u + 1u)", SCALAR),
    packet("uint", 4, "x * 2654435761u + 1u", SCALAR),
    packet("ulong", 8, "(ulong)x * 0x9e3779b97f4a7c15ul + 1ul", SCALAR),
    packet("float", 4, "(float)(x + 1u)", SCALAR),
    packet("uchar4", 4, "(uchar4)((uchar)x, (uchar)(x + 1u), (uchar)(x * 3u), 9)", VECTOR),
    packet("int4", 16, "(int4)((int)x, (int)x + 1, -(int)x, 77)", VECTOR),
    packet("ulong2", 16, "(ulong2)(x, ~(ulong)x)", VECTOR),
    packet("uint16", 64, "(uint16)(x, x + 1u, x + 2u, x + 3u, x, x, x, x, x * 5u, x, x, x, x, x, x, x ^ 255u)", VECTOR),
    Packet {
        declares: "typedef struct { uint a; ulong b; uchar c[5]; } thing;
thing thing_of(uint x) { thing t = { x, (ulong)x << 32 | 5u, { (uchar)x, 1, 2, 3, (uchar)(x >> 8) } }; return t; }
",
        name: "thing",
        bytes: 24,
        make: "thing_of(x)",
        equal: "a.a == b.a && a.b == b.b && a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[4] == b.c[4]",
    },
    // Sizes that are no power of two.
    Packet {
        declares: "typedef struct { uchar c[3]; } small;
small small_of(uint x) { small t = { { (uchar)x, (uchar)(x * 7u + 1u), (uchar)~x } }; return t; }
",
        name: "small",
        bytes: 3,
        make: "small_of(x)",
        equal: "a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[2] == b.c[2]",
    },
    Packet {
        declares: "typedef struct { ushort c[5]; } odd;
odd odd_of(uint x) { odd t = { { (ushort)x, 1, (ushort)(x * 7u + 1u), 3, (ushort)~x } }; return t; }
",
        name: "odd",
        bytes: 10,
        make: "odd_of(x)",
        equal: "a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[2] == b.c[2] && a.c[3] == b.c[3] && a.c[4] == b.c[4]",
    },
    Packet {
        declares: "typedef struct { uint c[67]; } long_one;
long_one long_one_of(uint x) { long_one t; for (uint i = 0; i < 67; i++) t.c[i] = x * 67u + i; return t; }
int same_long_ones(long_one a, long_one b) { uint n = 0; for (uint i = 0; i < 67; i++) n += a.c[i] != b.c[i]; return n == 0; }
",
        name: "long_one",
        bytes: 268,
        make: "long_one_of(x)",
        equal: "same_long_ones(a, b)",
    },
    packet("uchar3", 4, "(uchar3)((uchar)x, (uchar)(x + 1u), (uchar)(x * 3u))", VECTOR),
    packet("ulong3", 32, "(ulong3)(x, ~(ulong)x, (ulong)x << 33)", VECTOR),
    packet("char16", 16, "(char16)(as_char4(x), as_char4(~x), as_char4(x * 5u), as_char4(x ^ 0x5a5a5a5au))", VECTOR),
];
