//! The preprocessor, seen through the values that programs compute.

use crate::support::{build, build_with, fails, int, run, run_with};
use touchstone_clc::{BuildOptions, CompileOptions, DeviceProfile, Source, compile};

/// The value of `V` after `prefix`.
fn value(prefix: &str) -> i32 {
    run::<i32>(
        &format!("{prefix}\nkernel void k(global int *out) {{ out[0] = V; }}"),
        1,
    )[0]
}

#[test]
fn macros() {
    for (prefix, expected) in [
        ("#define V 5", 5),
        ("#define A B\n#define B 6\n#define V A", 6),
        (
            "#define ADD(a, b) ((a) + (b))\n#define V ADD(ADD(1, 2), 3)",
            6,
        ),
        ("#define CAT(a, b) a ## b\n#define V CAT(1, 2)", 12),
        (
            "#define CAT(a, b) a ## b\n#define XCAT(a, b) CAT(a, b)\n#define N 3\n#define V XCAT(N, N)",
            33,
        ),
        ("#define STR(x) #x\n#define V sizeof(STR(a + \"b\\n\"))", 10),
        (
            "#define F(...) sum(__VA_ARGS__)\nint sum(int a, int b) { return a + b; }\n#define V F(4, 5)",
            9,
        ),
        (
            "#define G(a, ...) f(a, ## __VA_ARGS__)\nint f(int a) { return a; }\n#define V G(8)",
            8,
        ),
        ("#define V (V2)\n#define V2 7\n#undef V2\n#define V2 8", 8),
        ("#define LONG 1 + \\\n  2\n#define V LONG", 3),
        ("#define EMPTY\n#define V EMPTY 4 EMPTY", 4),
        ("#define T(x, y) x ## y + 0\n#define V T(, 5) + T(6, )", 11),
        ("#define V __LINE__", 2),
        ("#line 100\n#define V __LINE__", 101),
        ("#define V (__COUNTER__ + __COUNTER__ * 10)", 10),
        ("#define V sizeof(__FILE__)", 5),
        ("#define x 2\n#define g(a) a x\n#define V g(3 *)", 6),
    ] {
        assert_eq!(value(prefix), expected, "{prefix}");
    }
}

#[test]
fn a_macro_does_not_expand_in_itself() {
    assert_eq!(
        value("int id(int x) { return x; }\n#define id(x) (1 + id(x))\n#define V id(2)"),
        3
    );
    assert_eq!(value("enum { A = 1 };\n#define A A\n#define V A"), 1);
    // The example of C99 6.10.3.5.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n
        #define str(...) # __VA_ARGS__\n#define xstr(...) str(__VA_ARGS__)\n
        kernel void k(global int *out) { constant char *s = xstr(f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);); constant char *e = \"f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);\";
        int i = 0; while (s[i] && s[i] == e[i]) i++; out[0] = s[i] == e[i]; }";
    assert_eq!(run::<i32>(text, 1), [1]);
}

#[test]
fn an_argument_list_may_span_lines_and_directives() {
    let text = "#define ADD(a, b) ((a) + (b))\nkernel void k(global int *out) {\nout[0] = ADD(1,\n#ifdef NOPE\n5\n#else\n2\n#endif\n); out[1] = ADD\n(3, 4); int ADD = 5; out[2] = ADD; }";
    assert_eq!(run::<i32>(text, 3), [3, 7, 5]);
}

#[test]
fn conditions() {
    for (condition, expected) in [
        ("1 + 2 * 3 == 7", 1),
        ("defined(V1) || defined V2", 0),
        ("!defined(X) && 1", 1),
        ("-1 > 0u", 1),
        ("-1 > 0", 0),
        ("(2 || 1 / 0) && 5 % 3 == 2", 1),
        ("0 ? 1 / 0 : 3", 1),
        ("'a' == 97 && 0x10 == 16", 1),
        ("UNKNOWN", 0),
        ("true && !false", 1),
        ("1 << 40 >> 40", 1),
        ("__OPENCL_VERSION__ >= CL_VERSION_3_0", 1),
        ("__OPENCL_C_VERSION__ == 300", 1),
        (
            "defined(__ENDIAN_LITTLE__) && defined(__IMAGE_SUPPORT__)",
            1,
        ),
        ("__opencl_c_generic_address_space", 1),
        ("cl_khr_fp64", 1),
    ] {
        let prefix = format!("#if {condition}\n#define V 1\n#else\n#define V 0\n#endif");
        assert_eq!(value(&prefix), expected, "{condition}");
    }
}

#[test]
fn groups() {
    let prefix = "#if 0\n#error no\n' \" unclosed\n#if 1\n#else\n#endif\n#elif 0\n#elif 1\n#define V 4\n#elif 1\n#define V 5\n#else\n#define V 6\n#endif";
    assert_eq!(value(prefix), 4);
    let prefix =
        "#ifndef A\n#define A\n#ifdef A\n#define V 1\n#endif\n#endif\n#ifdef B\n#garbage\n#endif";
    assert_eq!(value(prefix), 1);
}

#[test]
fn what_is_predefined_depends_on_the_version() {
    for (version, number) in [
        ("1.0", 100),
        ("1.1", 110),
        ("1.2", 120),
        ("2.0", 200),
        ("3.0", 300),
    ] {
        let text = "kernel void k(global int *out) { out[0] = __OPENCL_C_VERSION__; out[1] = CL_VERSION_1_2; }";
        let got = run_with::<i32>(&format!("-cl-std=CL{version}"), text, 2);
        assert_eq!(got, [number, 120]);
    }
    let text = "#if defined(__opencl_c_fp64) || defined(ATOMIC_FLAG_INIT) || defined(__FAST_RELAXED_MATH__)\n#error\n#endif";
    build_with("-cl-std=CL1.2", text).unwrap();
    let text = "#ifndef __FAST_RELAXED_MATH__\n#error\n#endif";
    build_with("-cl-fast-relaxed-math", text).unwrap();
}

#[test]
fn the_command_line_defines() {
    let text = "kernel void k(global int *out) { out[0] = A; out[1] = B; out[2] = sizeof(S); out[3] = D(4);
        #ifdef C\n out[4] = 1;\n #endif\n }";
    let options = "-cl-std=CL3.0 -D A -DB=3 -D C=1 -UC -D 'S=\"ab c\"' -D 'D(x)=x*2'";
    assert_eq!(run_with::<i32>(options, text, 5), [1, 3, 5, 8, 0]);
}

#[test]
fn headers_come_from_the_caller() {
    let headers = |name: &str| match name {
        "a.h" => Some("#include \"inc/b.h\"\n#define A (B + 1)\n".to_owned()),
        "dir/inc/b.h" => Some("#pragma once\n#define B 41\nint b;".to_owned()),
        "bad.h" => Some("int x = ;\n#if 1\n".to_owned()),
        "loop.h" => Some("#include \"loop.h\"".to_owned()),
        _ => None,
    };
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0 -I dir").unwrap(),
        device: DeviceProfile::default(),
        headers: Some(&headers),
    };
    let build = |text: &str| compile(&[Source::new("t.cl", text)], &options);
    build("#include <a.h>\n#define H \"a.h\"\n#include H\nint v = A;").unwrap();
    let log = build("#include \"none.h\"").unwrap_err().log;
    assert!(
        log.contains("t.cl:1:2: error: there is no header `none.h`"),
        "{log}"
    );
    let log = build("#include \"bad.h\"").unwrap_err().log;
    assert!(log.contains("bad.h:1:9: error"), "{log}");
    assert!(
        log.contains("bad.h:2:1: error: this conditional has no #endif"),
        "{log}"
    );
    let log = build("#include \"loop.h\"").unwrap_err().log;
    assert!(log.contains("deeper than 64 files"), "{log}");
}

#[test]
fn a_header_has_one_path_however_it_is_reached() {
    let headers = |name: &str| match name {
        "inc/one.h" => Some("#pragma once\ntypedef int one_t;\n".to_owned()),
        "inc/two.h" => Some("#include \"one.h\"\n#include \"./deep/three.h\"\n".to_owned()),
        "inc/deep/three.h" => Some("#define THREE 3\n".to_owned()),
        // In quotes, what lies beside the includer comes before what has the plain name.
        "three.h" => Some("#define THREE 4\n".to_owned()),
        "inc/deep/four.h" => Some("#include \"three.h\"\n".to_owned()),
        "inc/deep/five.h" => Some("#include <three.h>\n".to_owned()),
        _ => None,
    };
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0 -I inc/").unwrap(),
        device: DeviceProfile::default(),
        headers: Some(&headers),
    };
    let build = |text: &str| compile(&[Source::new("t.cl", text)], &options);
    let check = "\n#if THREE != 3\n#error\n#endif\n";
    build(&format!(
        "#include <one.h>\n#include \"two.h\"\n#include \"one.h\"{check}"
    ))
    .unwrap();
    build(&format!("#include \"deep/four.h\"{check}")).unwrap();
    build(&format!("#include \"deep/five.h\"{check}")).unwrap_err();
}

#[test]
fn growth_has_limits() {
    let mut text = String::from("#define A0 x x x x x x x x x x\n");
    for i in 1..12 {
        text += &format!("#define A{i} {}\n", format!("A{} ", i - 1).repeat(10));
    }
    let log = fails(&(text + "A11"));
    assert!(log.contains("macro expansion makes more than"), "{log}");
    let nested = format!(
        "#define f(x) x\nint a = {}1{};",
        "f(".repeat(1000),
        ")".repeat(1000)
    );
    let log = fails(&nested);
    assert!(log.contains("nest deeper than"), "{log}");
    let mut text = String::from("#define F0(x) x x x x x x x x\n");
    for i in 1..12 {
        text += &format!("#define F{i}(x) F{}(x x x x x x)\n", i - 1);
    }
    let log = fails(&(text + "F11(y)"));
    assert!(log.contains("macro expansion makes more than"), "{log}");
    let log = fails(&format!("#if {}1\n#endif", "(".repeat(100_000)));
    assert!(log.contains("too deep"), "{log}");
}

#[test]
fn pragmas_and_messages() {
    let log = build("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_other : enable\n#pragma OPENCL FP_CONTRACT ON\n#pragma unroll 4\n_Pragma(\"OPENCL EXTENSION all : disable\")\n#pragma odd\n#warning be careful\nint a;").unwrap().log;
    insta::assert_snapshot!(log);
    insta::assert_snapshot!(fails(
        "#error  this is wrong\n#define\n#define 1\n#define F(a, a) 1\n#define G(a) #b\n#define H a ##\n#endif\n#else\n#elif 1\n#if\n#endif\n#foo\n#define I(x) x\nint a = I(1, 2);\nint b = I(1;"
    ));
}

#[test]
fn digraphs_and_comments() {
    assert_eq!(int("(int<:2:>)<%1, 2%>[1] /* x */ + 1"), 3);
}
