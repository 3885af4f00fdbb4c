//! Pointers to arrays and to pointers, unions, and structures that are handed over (C99 6.5.2, 6.5.3.2, 6.7.2.1).

use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};

/// Arrays of arrays: elements by indices, by pointers to rows, and by differences.
pub(super) fn rows(choices: &mut Choices, n: usize) -> Piece {
    let (rows, columns) = (choices.between(2, 4), choices.between(2, 5));
    let (x, y) = (choices.below(rows), choices.below(columns));
    let step = choices.between(3, 40) as i32;
    let value = |x: usize, y: usize| i64::from(step) * (x * columns + y) as i64;
    let (x0, y0) = (given(n, 0), given(n, 1));
    Piece::about("pointers to arrays")
        .given(n, &[x as i32, y as i32, step])
        .inside(format!("int grid{n}[{rows}][{columns}], (*row{n})[{columns}] = grid{n};"))
        .inside(format!(
            "for (int i = 0; i < {rows}; ++i) for (int j = 0; j < {columns}; ++j) grid{n}[i][j] = {} * (i * {columns} + j);",
            given(n, 2)
        ))
        .inside(format!("row{n} += {x0};"))
        .inside(format!("int (*whole{n})[{rows}][{columns}] = &grid{n};"))
        .inside(format!("int *last{n} = grid{n}[{rows} - 1] + {columns} - 1;"))
        .gives(format!("(*row{n})[{y0}]"), value(x, y))
        .gives(format!("*(*(grid{n} + {x0}) + {y0})"), value(x, y))
        .gives(format!("{y0}[{x0}[grid{n}]]"), value(x, y))
        .gives(format!("(*whole{n})[{x0}][0]"), value(x, 0))
        .gives(format!("row{n} - grid{n}"), x as i64)
        .gives(format!("last{n} - &grid{n}[0][0]"), (rows * columns) as i64 - 1)
        .gives(format!("*last{n}"), value(rows - 1, columns - 1))
        .gives(format!("sizeof(*row{n}) + sizeof(*whole{n})"), 4 * (columns + rows * columns) as i64)
        .gives(format!("(void *)grid{n} == (void *)*grid{n}"), 1)
}

/// Pointers to pointers, arrays of pointers, and pointers that a condition chooses.
pub(super) fn pointers(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (
        choices.between(1, 99) as i32,
        choices.between(100, 199) as i32,
    );
    let which = choices.below(2);
    let [a0, b0, w] = [0, 1, 2].map(|which| given(n, which));
    let left = [a, b][which];
    Piece::about("pointers to pointers")
        .given(n, &[a, b, which as i32])
        .before(format!("static void swap{n}(int **first, int **second) {{ int *kept = *first; *first = *second; *second = kept; }}"))
        .before(format!("static int *later{n}(int *at, int by) {{ return at + by; }}"))
        .inside(format!("int a{n} = {a0}, b{n} = {b0}, *one{n} = &a{n}, *two{n} = &b{n}, **of{n} = &one{n};"))
        .inside(format!("int *both{n}[2] = {{ &a{n}, &b{n} }};"))
        .inside(format!("int chosen{n} = *both{n}[{w}], by{n} = *({w} ? two{n} : one{n});"))
        .inside(format!("**of{n} += 1; *of{n} = two{n}; **of{n} += 2;"))
        .inside(format!("one{n} = &a{n}; swap{n}(&one{n}, both{n} + 1);"))
        .inside(format!("int four{n}[4] = {{ 1, 2, 3, 4 }}; int *no{n} = 0;"))
        .inside(format!("*later{n}(four{n}, 2) *= 10; later{n}(four{n}, 3)[-3] = 7;"))
        .gives(format!("a{n} * 1000 + b{n}"), i64::from(a + 1) * 1000 + i64::from(b) + 2)
        .gives(format!("chosen{n} + by{n}"), (2 * left).into())
        .gives(format!("*one{n}"), (b + 2).into())
        .gives(format!("*both{n}[1]"), (a + 1).into())
        .gives(format!("four{n}[0] + four{n}[2]"), 37)
        .gives(format!("!no{n} + (no{n} == one{n}) * 2 + (one{n} && two{n}) * 4"), 5)
}

/// Objects of each memory lie where a number of their size divides the address, and members that are packed directly
/// behind what is before them (OpenCL C "Alignment of Types", "Specifying Attributes of Variables").
pub(super) fn alignments(choices: &mut Choices, n: usize) -> Piece {
    const TYPES: [(&str, i64); 9] = [
        ("short", 2),
        ("int", 4),
        ("float", 4),
        ("ulong", 8),
        ("char2", 2),
        ("uchar3", 4),
        ("ushort4", 8),
        ("float4", 16),
        ("int3", 16),
    ];
    let number = choices.between(1, 99) as i32;
    let number0 = given(n, 0);
    let mut each = || choices.one_of(&TYPES);
    let [own, beside, shared, fixed] = [each(), each(), each(), each()];
    let ((member, size), count) = (each(), choices.between(1, 3) as i64);
    let address = |of: &str, (_, size): (&str, i64)| format!("(uintptr_t)&{of}{n} % {size}");
    Piece::about("alignment")
        .given(n, &[number])
        .before(format!("constant char first{n} = 1; constant {} fixed{n} = ({})(5);", fixed.0, fixed.0))
        .before(format!("struct packed{n} {{ char before; {member} in[{count}] __attribute__((packed)); char after; }};"))
        .inside(format!("local char before{n}; local {} shared{n};", shared.0))
        .inside(format!("char odd{n} = (char){number0}; {} own{n} = ({})((char){number0});", own.0, own.0))
        .inside(format!("{} beside{n}[3]; beside{n}[1] = ({})((char){number0});", beside.0, beside.0))
        .inside(format!("before{n} = odd{n}; shared{n} = ({})((char){number0});", shared.0))
        .inside(format!("struct packed{n} packed{n}; packed{n}.before = 1; packed{n}.after = 2;"))
        .inside(format!("packed{n}.in[{count} - 1] = ({member})((char){number0});"))
        .gives(address("own", own), 0)
        .gives(address("beside", beside), 0)
        .gives(address("shared", shared), 0)
        .gives(address("fixed", fixed), 0)
        .gives(format!("&packed{n}.after - &packed{n}.before"), count * size + 1)
        .gives(format!("sizeof(packed{n})"), count * size + 2)
        .gives(format!("packed{n}.before + packed{n}.after + odd{n} + before{n} + first{n}"), 4 + 2 * i64::from(number))
}

/// Unions: members lie at the same place, and a structure has its size.
pub(super) fn unions(choices: &mut Choices, n: usize) -> Piece {
    let (text, bits) = choices.one_of(&[
        ("1.5f", 0x3fc0_0000_i64),
        ("-2.0f", 0xc000_0000),
        ("0.1f", 0x3dcc_cccd),
    ]);
    let wide = choices.between(1, 0xffff) as i32;
    let byte = choices.between(1, 255) as i32;
    Piece::about("unions")
        .given(n, &[wide, bits as i32, byte])
        .before(format!(
            "union bits{n} {{ float f; uint u; uchar bytes[4]; }};"
        ))
        .before(format!(
            "struct tagged{n} {{ char tag; union {{ short s; int i; long l; }} of; char end; }};"
        ))
        .before(format!(
            "static union bits{n} turned{n}(union bits{n} of, const local union bits{n} *also) {{ of.u ^= also->bytes[0]; return of; }}"
        ))
        .inside(format!("union bits{n} bits{n} = {{ {text} }}, other{n};"))
        .inside(format!(
            "other{n}.u = as_uint({}); bits{n}.bytes[1] ^= 0; ",
            given(n, 1)
        ))
        .inside(format!(
            "struct tagged{n} tagged{n} = {{ 1, {{ .i = {} }}, 2 }};",
            given(n, 0)
        ))
        .inside(format!(
            "struct tagged{n} copy{n} = tagged{n}; copy{n}.of.l = -1L; copy{n}.of.s = 5;"
        ))
        .inside(format!(
            "local union bits{n} near{n}; near{n} = other{n}; near{n}.u = {} * 0x01010101u;",
            given(n, 2)
        ))
        .gives(format!("bits{n}.u"), bits)
        .gives(format!("other{n}.f == {text}"), 1)
        .gives(
            format!("turned{n}(other{n}, &near{n}).u"),
            bits ^ i64::from(byte),
        )
        .gives(format!("near{n}.bytes[2] * 1000L + other{n}.bytes[3]"), {
            i64::from(byte) * 1000 + (bits >> 24)
        })
        .gives(format!("sizeof(union bits{n})"), 4)
        .gives(format!("sizeof(struct tagged{n})"), 24)
        .gives(
            format!("tagged{n}.of.i + tagged{n}.tag + tagged{n}.end"),
            i64::from(wide) + 3,
        )
        .gives(format!("copy{n}.of.s"), 5)
        .gives(format!("copy{n}.end"), 2)
}

/// Structures as arguments and results are copies, with all that is in them.
pub(super) fn structures(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (choices.between(1, 99) as i32, choices.between(1, 99) as i32);
    let at = choices.below(3);
    let [a0, b0, at0] = [0, 1, 2].map(|which| given(n, which));
    let list = [a, b, a * b];
    Piece::about("structures")
        .given(n, &[a, b, at as i32])
        .before(format!("struct point{n} {{ int x; long y; }};"))
        .before(format!("struct path{n} {{ struct point{n} points[3]; char count; }};"))
        .before(format!("static struct path{n} longer{n}(struct path{n} of, int x) {{ of.points[(int)of.count++].x = x; return of; }}"))
        .before(format!("static struct point{n} *at{n}(struct path{n} *of, int n) {{ return of->points + n; }}"))
        .inside(format!("struct path{n} empty{n} = {{ .count = 0 }}, full{n};"))
        .inside(format!("full{n} = longer{n}(longer{n}(longer{n}(empty{n}, {a0}), {b0}), {a0} * {b0});"))
        .inside(format!("struct path{n} two{n}[2] = {{ full{n}, empty{n} }};"))
        .inside(format!("at{n}(two{n} + 1, 2)->y = 77L << 33; two{n}[0].points[{at0}].y -= 1;"))
        .inside(format!("struct path{n} third{n}, fourth{n}; fourth{n} = third{n} = {a0} > {b0} ? full{n} : two{n}[1];"))
        .inside(format!("third{n}.points[0].x = 5;"))
        .gives(format!("full{n}.points[{at0}].x"), list[at].into())
        .gives(format!("fourth{n}.count + third{n}.points[0].x"), if a > b { 8 } else { 5 })
        .gives(format!("({a0} < {b0} ? full{n} : empty{n}).count"), if a < b { 3 } else { 0 })
        .gives(format!("full{n}.count - empty{n}.count"), 3)
        .gives(format!("longer{n}(empty{n}, 4).points[0].x"), 4)
        .gives(format!("at{n}(&full{n}, {at0})->x"), list[at].into())
        .gives(format!("(two{n} + 1)->points[2].y >> 33"), 77)
        .gives(format!("two{n}->points[{at0}].y + full{n}.points[{at0}].y"), -1)
        .gives(format!("(char *)&full{n}.points[1].y - (char *)&full{n}"), 24)
        .gives(format!("sizeof(struct path{n})"), 56)
}

/// Members of a structure of each type, with a fraction or without, in private and in local memory: where each lies, and
/// what it is after the structure was copied.
pub(super) fn members(choices: &mut Choices, n: usize) -> Piece {
    // The type of the elements, and their bytes; what only some devices have is an integer of its size elsewhere.
    const TYPES: [(&str, i64); 7] = [
        ("float", 4),
        ("real", 8),
        ("little", 2),
        ("char", 1),
        ("short", 2),
        ("long", 8),
        ("float", 4),
    ];
    let start = choices.between(1, 50) as i32;
    let mut piece = Piece::about("members of structures").given(n, &[start]);
    for (name, extension, [there, elsewhere]) in [
        ("real", "cl_khr_fp64", ["double", "ulong"]),
        ("little", "cl_khr_fp16", ["half", "ushort"]),
    ] {
        piece = piece
            .before(format!("#ifdef {extension}"))
            .before(format!("#pragma OPENCL EXTENSION {extension}: enable"));
        for (own, end) in [(there, "#else"), (elsewhere, "#endif")] {
            for lanes in ["", "2", "3", "4", "8", "16"] {
                piece = piece.before(format!("#define {name}{lanes}_{n} {own}{lanes}"));
            }
            piece = piece.before(end);
        }
    }
    let (mut fields, mut sets) = (String::new(), String::new());
    let (mut end, mut align) = (0i64, 1i64);
    let mut reads = Vec::new();
    for k in 0..6 {
        let (element, size) = choices.one_of(&TYPES);
        let lanes = choices.one_of(&[1i64, 1, 1, 2, 3, 4, 8, 16]);
        let wide = match lanes {
            1 => String::new(),
            lanes => lanes.to_string(),
        };
        let ty = match element {
            "real" | "little" => format!("{element}{wide}_{n}"),
            _ => format!("{element}{wide}"),
        };
        let bytes = size * (lanes as u64).next_power_of_two() as i64;
        end = (end as u64).next_multiple_of(bytes as u64) as i64;
        align = align.max(bytes);
        fields += &format!("{ty} f{k}; ");
        sets += &format!("m{n}.f{k} = ({ty})(x + {k}); ");
        let lane = match lanes {
            1 => String::new(),
            lanes => format!(".s{:x}", lanes - 1),
        };
        reads.push((k, end, lane));
        end += bytes;
    }
    let size = (end as u64).next_multiple_of(align as u64) as i64;
    let start0 = given(n, 0);
    piece = piece
        .before(format!("struct members{n} {{ {fields}}};"))
        .before(format!("static struct members{n} made{n}(int x) {{ struct members{n} m{n}; {sets}return m{n}; }}"))
        .before(format!("static struct members{n} same{n}(struct members{n} of, struct members{n} *to) {{ *to = of; return of; }}"))
        .inside(format!("struct members{n} all{n}[2]; local struct members{n} near{n};"))
        .inside(format!("all{n}[1] = same{n}(made{n}({start0}), all{n}); near{n} = all{n}[0];"))
        .gives(format!("sizeof(struct members{n})"), size);
    for (k, place, lane) in reads {
        let of = choices
            .one_of(&["all#[0]", "all#[1]", "near#"])
            .replace('#', &n.to_string());
        piece = piece
            .gives(format!("{of}.f{k}{lane}"), i64::from(start + k))
            .gives(
                format!("(char *)&all{n}[1].f{k} - (char *)&all{n}[1]"),
                place,
            );
    }
    piece
}

/// Differences of pointers to elements of any size, either way.
pub(super) fn differences(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (choices.below(9) as i32, choices.below(9) as i32);
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    let size = choices.between(1, 24);
    Piece::about("differences of pointers")
        .given(n, &[a, b])
        .before(format!(
            "typedef struct {{ uchar bytes[{size}]; }} element{n};"
        ))
        .inside(format!("element{n} all{n}[9];"))
        .inside(format!(
            "element{n} *one{n} = all{n} + {a0}, *other{n} = all{n} + {b0};"
        ))
        .gives(format!("one{n} - other{n}"), (a - b).into())
        .gives(format!("other{n} - one{n}"), (b - a).into())
        .gives(format!("all{n} - one{n}"), (-a).into())
        .gives(
            format!("(one{n} < other{n}) + 2 * (one{n} == other{n})"),
            i64::from(a < b) + 2 * i64::from(a == b),
        )
}

/// Parameters that are arrays are pointers; those that are numbers are objects of their own.
pub(super) fn parameters(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (choices.between(1, 99) as i32, choices.between(1, 99) as i32);
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("parameters")
        .given(n, &[a, b])
        .before(format!("static int sum{n}(int of[3], const int count);"))
        .before(format!("static long grid{n}(int of[][2]) {{ of[1][1] += 1; return of[1][0] * 1000L + of[0][1]; }}"))
        .before(format!("static int own{n}(int x) {{ int before = x; x = before * 3; return x - before; }}"))
        .inside(format!("int some{n}[4] = {{ {a0}, {b0}, 3, 4 }}, pairs{n}[2][2] = {{ {{ 1, {a0} }}, {{ {b0}, 5 }} }}, x{n} = {b0};"))
        .inside(format!("int before{n} = sum{n}(some{n} + 1, 3);"))
        .gives(format!("before{n}"), (b + 7).into())
        .gives(format!("some{n}[1]"), 0)
        .gives(format!("grid{n}(pairs{n})"), i64::from(b) * 1000 + i64::from(a))
        .gives(format!("pairs{n}[1][1]"), 6)
        .gives(format!("own{n}(x{n}) + x{n}"), (3 * b).into())
        .before(format!("static int sum{n}(int of[3], int count) {{ int all = 0; while (count--) all += of[count]; of[0] = 0; return all; }}"))
}
