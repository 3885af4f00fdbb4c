//! What users are told. One snapshot for each subject.

use crate::support::{build, build_with, fails};

macro_rules! told {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(fails($text));
        }
    )*};
}

told! {
    missing_semicolon: "kernel void k(global int *a) {\n  a[0] = 1\n  a[1] = 2;\n}";
    several_errors: "kernel void k(global int *a) {\n  a[0] = b;\n  int x = ;\n  a.y = 1;\n  c(1);\n}\nint f( { }\nint g(void) { return h; }";
    unclosed_brace: "kernel void k(global int *a) {\n  if (a[0]) {\n";
    unknown_type: "kernel void k(global foo *a) { }\nbar x;";
    kernel_arguments: "struct s { size_t n; };\nkernel int k1(int a) { return a; }\nkernel void k2(int *a, bool b, size_t c, private int *d, struct s e, half h) { }";
    address_spaces: "kernel void k(global int *g, local int *l, constant int *c) {\n  g = l;\n  int *p = c;\n  l = (local int *)g;\n  global int x;\n  *c = 1;\n  if (l == g) { }\n}\nprivate int y;\nconstant int z;";
    local_variables: "void f(void) { local int a; }\nkernel void k(void) { local int b = 1; { local int c; } }";
    lvalues: "kernel void k(global int *a) {\n  const int c = 1;\n  c = 2;\n  1 = 2;\n  a[0]++ = 3;\n  int b[2];\n  b = 0;\n  &(a[0] + 1);\n  (float4)(1).xx = 1;\n}";
    operators: "struct s { int a; };\nkernel void k(global int *a, float f) {\n  struct s x;\n  x + 1;\n  f % 2;\n  a * 2;\n  ~f;\n  *f;\n  x ? 1 : 2;\n  f << 1;\n  a[f];\n}";
    calls: "void f(int a, global int *b);\nkernel void k(global int *a, local int *l) {\n  f(1);\n  f(1, l);\n  f(1.5f, a);\n  a(1);\n  sqrt(a);\n  get_global_id();\n  nothing(1);\n}";
    jumps: "kernel void k(int a) {\n  break;\n  continue;\n  goto nowhere;\n  switch (a) { case 1: case 1: default: default: case a: ; }\n  case 2: ;\n  l: ; l: ;\n  return 1;\n}\nint f(void) { return; }";
    atomics: "kernel void k(global int *a, global atomic_int *b, const global atomic_int *c, int o) {\n  atomic_load(a);\n  *b = 1;\n  int x = *b + 1;\n  atomic_store_explicit(b, 1, memory_order_acquire);\n  atomic_load_explicit(b, memory_order_release);\n  atomic_load_explicit(b, o);\n  atomic_store(c, 1);\n  int e;\n  atomic_compare_exchange_strong_explicit(b, &e, 1, memory_order_relaxed, memory_order_seq_cst);\n  atomic_add(&e, 1);\n  atomic_work_item_fence(8, memory_order_acquire, memory_scope_device);\n}";
    missing_features: "kernel void k(global int *a, read_only image2d_t i) { }\nkernel void l(global int *a) {\n  printf(\"x\");\n  sub_group_block_read(a);\n  intel_sub_group_shuffle(1, 2);\n  async_work_group_copy_fence(1);\n  half h = 1.0h;\n}";
    not_in_opencl: "struct s { int a : 3; };\nvoid v(int n) { int a[n]; }\nvoid (*fp)(void);\nvoid w(int a, ...) { }\nvoid r(int a) { auto int b = a; }";
    recursion: "int b(int);\nint a(int x) { return b(x); }\nint b(int x) { return x ? a(x - 1) : 0; }";
    undefined: "int b(int);\nextern constant int c;\nkernel void k(global int *a) { a[0] = b(1) + c; }";
    initialisers: "struct s { int a, b; };\nkernel void k(int n) {\n  int a[2] = {1, 2, 3};\n  struct s x = {.c = 1};\n  int b[2] = {[5] = 1};\n  int c[] = 5;\n  char d[2] = \"long\";\n  struct s y = 1;\n}\nconstant int e = get_global_id(0);\nint f = g;";
    redeclarations: "int a; float a;\nint f(int x) { return x; }\nint f(int x) { return x; }\nfloat f(int x);\nvoid g(int a, int a) { int b; int b; }\ntypedef int t; typedef float t;\nstruct s { int a; int a; };\nfloat sqrt(float x) { return x; }";
    attributes: "__attribute__((reqd_work_group_size(0, 1, 1))) kernel void a(void) { }\n__attribute__((reqd_work_group_size(1, 1))) kernel void b(void) { }\n__attribute__((reqd_work_group_size(1, 1, 1))) void c(void) { }\n__attribute__((nonsense)) void d(void) { }\nstruct __attribute__((aligned(3))) e { int a; };";
    vectors: "kernel void k(global float4 *v, float8 w, int i) {\n  v[0].q = 1;\n  v[0] = w;\n  v[0][1] = 2;\n  (float4)(1, 2, 3);\n  v[0].xx = (float2)(1, 2);\n  v[0] % 2;\n  float4 x = (float4)v[0].xyz;\n  double d = 1; v[0] + d;\n}";
    images: "kernel void k(read_only image2d_t r, write_only image2d_t w, image1d_buffer_t b, sampler_t s, global float4 *o) {\n  write_imagef(r, (int2)(0), o[0]);\n  o[0] = read_imagef(w, (int2)(0));\n  o[0] = read_imagef(r, s, 1);\n  o[0] = read_imagef(b, s, 1);\n  o[0] = read_imagef(r, (float2)(0));\n  get_image_depth(r);\n  image2d_t i;\n  sampler_t t;\n}\nstruct p { sampler_t s; };\nread_only int x;\nimage2d_t f(void);\nvoid g(image2d_t *p);";
    pipes: "kernel void k(read_only pipe int r, write_only pipe int4 w, read_write pipe int b, pipe event_t e, global int *o, constant int *c) {\n  write_pipe(r, o);\n  read_pipe(w, o);\n  read_pipe(r, (float *)0);\n  read_pipe(r, 1, o);\n  read_pipe(r, 1, 2, o);\n  reserve_write_pipe(o, 1);\n  write_pipe(w, c);\n  is_valid_reserve_id(1);\n  pipe int p;\n  reserve_id_t i = 0;\n}\nstruct p { pipe int s; };\npipe int f(void);\nvoid g(pipe int *p, reserve_id_t i);\nkernel void l(reserve_id_t i) { }";
    blocks: "typedef void (^bl)(void);\nvoid (^none)(void);\nextern void (^other)(void);\nbl many[2];\nstruct s { bl field; };\nbl result(void);\nkernel void arg(bl b) { }\nvoid (^good)(void) = ^{ };\nvoid take(void (^f)(int)) { f(1); f(); }\nvoid later(bl b);\nkernel void k(global int *a, int n) {\n  bl x;\n  bl y = 0;\n  int (^z)(void) = ^{ return 1.5f; };\n  bl w = ^{ n = 2; };\n  bl v = ^{ w(); };\n  good = w;\n  bl t = n ? good : w;\n  *good;\n  &good;\n  sizeof(good);\n  take(^(int i) { a[i] = 1; });\n  take(good);\n  later(good);\n  good(1);\n  ^(int i, ...) { };\n  bl *p;\n  a[0] = good;\n  ^(bl b) { b(); };\n  break_out: ^{ break; goto break_out; };\n}";
    enqueues: "typedef struct { int x; } thing;\nclk_event_t outside;\nkernel void k(global int *a, queue_t q, clk_event_t e, ndrange_t r, thing s) { }\nkernel void l(global int *a, queue_t q, int n, constant size_t *sizes) {\n  ndrange_t r = ndrange_1D(4);\n  clk_event_t e;\n  enqueue_kernel(q, 0, r);\n  enqueue_kernel(a, 0, r, ^{ });\n  enqueue_kernel(q, 0, 4, ^{ });\n  enqueue_kernel(q, 0, r, ^{ return 1; });\n  enqueue_kernel(q, 0, r, ^(int i) { });\n  enqueue_kernel(q, 0, r, ^(local int *p) { }, 4);\n  enqueue_kernel(q, 0, r, ^(local void *p) { });\n  enqueue_kernel(q, 0, r, ^{ }, 4);\n  enqueue_kernel(q, 0, r, 1, a, &e, ^{ });\n  enqueue_marker(q, 1, &e);\n  ndrange_2D(4);\n  ndrange_2D(sizes);\n  ndrange_1D(1, 2, 3, 4);\n  r.x = 1;\n  e + 1;\n  e < e;\n  q == e;\n  release_event(1);\n  is_valid_event();\n  get_kernel_work_group_size(r);\n  capture_event_profiling_info(e, 1, &e);\n}";
    bytes: "kernel void k(void) { int é = `1; char c = ''; char *s = \"unclosed; 09; 1.2.3; 0xg; }";
}

#[test]
fn warnings() {
    let text = "kernel void k(global int *a, global const uint *b) {\n  a = b;\n  int x = 1 / 0;\n  global const int *c = a;\n  a = c;\n  int;\n}";
    insta::assert_snapshot!(build(text).unwrap().log);
    assert_eq!(build_with("-cl-std=CL3.0 -w", text).unwrap().log, "");
    let log = build_with("-cl-std=CL3.0 -Werror", text).unwrap_err();
    assert!(
        log.contains("[-Werror]") && log.contains("4 errors."),
        "{log}"
    );
}

#[test]
fn versions() {
    let log = build_with("-cl-std=CL1.2", "global int a;\nkernel void k(global int **p, global int *q) { generic int *g; atomic_load(q); }\n atomic_int b;").unwrap_err();
    insta::assert_snapshot!(log);
}

#[test]
fn nesting_has_limits() {
    let n = 50_000;
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("-", "1", ""),
        ("1 ? ", "1", " : 2"),
        ("x[", "1", "]"),
        ("(int)", "1", ""),
        ("sizeof ", "1", ""),
        ("(int[]){", "1", "}"),
        ("", "1", " + 1"),
        ("", "x", "[0]"),
        ("", "x", ".a"),
        ("x = ", "1", ""),
        ("1, ", "1", ""),
        ("f(", "1", ")"),
    ] {
        let text = format!(
            "void f(int *x) {{ {}{inside}{}; }}",
            open.repeat(n),
            close.repeat(n)
        );
        let log = fails(&text);
        assert!(
            log.contains("deep"),
            "{open}: {}",
            &log[..log.len().min(300)]
        );
    }
    for (open, close) in [
        ("{", "}"),
        ("if (1) ", ";"),
        ("for (;;) ", ";"),
        ("if (1) ; else ", ";"),
        ("do ", ""),
        ("switch (1) ", ";"),
        ("struct {", "} x;"),
        ("int (", ""),
        ("int *", ""),
    ] {
        let text = format!("void f(void) {{ {}{} }}", open.repeat(n), close.repeat(n));
        let log = fails(&text);
        assert!(log.contains("error:"), "{open}");
    }
    // Long is not deep.
    let long = "x += 1; ".repeat(20_000);
    build(&format!("void f(int x) {{ {long} }}")).unwrap();
    let cases: String = (0..3000).map(|i| format!("case {i}: ")).collect();
    build(&format!(
        "void f(int x) {{ switch (x) {{ {cases} x++; }} }}"
    ))
    .unwrap();
}
