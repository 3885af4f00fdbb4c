//! Blocks: what they capture, how they are called, and what is refused. Enqueues are tested with device queues, in
//! the tests of the API.

use crate::support::{body, build, build_with, fails, run};
use touchstone_ir::Op;

#[test]
fn a_block_computes_with_copies_of_what_is_around_it() {
    let values = body::<i32>(
        "int",
        "int factor = 7;
         int (^times)(int) = ^(int x) { return x * factor; };
         factor = 100;
         out[0] = times(3);
         int (^again)(int) = times;
         out[1] = again(4);
         out[2] = ^(int a, int b) { return a - b; }(9, 2);
         float (^half_of)(float) = ^float(float x) { return x / 2; };
         out[3] = (int)half_of(10);
         void (^write)(void) = ^{ out[4] = factor; };
         write();
         ^{ out[5] = 5; }();",
        6,
    );
    assert_eq!(values, [21, 28, 7, 5, 100, 5]);
}

#[test]
fn structs_are_captured_by_value_and_arrays_by_reference() {
    let values = run::<i32>(
        "struct v { int arr[2]; };
         kernel void k(global int *out) {
             struct v s = { { 0, 1 } };
             int arr[2] = { 0, 1 };
             int4 vector = (int4)(1, 2, 3, 4);
             int (^of_struct)(void) = ^{ return s.arr[1]; };
             int (^of_array)(void) = ^{ return arr[1]; };
             int (^of_vector)(void) = ^{ return vector.z; };
             s.arr[1] = arr[1] = vector.z = 8;
             out[0] = of_struct();
             out[1] = of_array();
             out[2] = of_vector();
         }",
        3,
    );
    assert_eq!(values, [1, 8, 3]);
}

#[test]
fn nested_blocks_capture_through_each_other() {
    let values = body::<i32>(
        "int",
        "int a = 1, b = 2, c = 3;
         int (^outer)(int) = ^(int x) {
             int inside = x * 10;
             int (^inner)(int) = ^(int y) {
                 int a = 1000;
                 return a + b + inside + y;
             };
             b;
             return inner(c);
         };
         a = b = c = 50;
         out[0] = outer(4);
         { int a = 2; out[1] = ^{ return a; }(); }
         for (int i = 2; i < 5; i++) { void (^put)(void) = ^{ out[i] = i * i; }; put(); }",
        5,
    );
    assert_eq!(values, [1045, 2, 4, 9, 16]);
}

#[test]
fn functions_take_blocks() {
    let values = run::<i32>(
        "typedef int (^binary)(int, int);
         int apply(binary f, int x) { return f(x, x + 1); }
         static void twice(void (^f)(int), int x) { f(x); f(x + 1); }
         int both(int (^f)(int), int (^g)(int), int x) { return f(g(x)); }
         int pass(int (^f)(int), int x) { return both(f, f, x); }
         int (^global_one)(int) = ^(int x) { return x + 100; };
         kernel void k(global int *out) {
             int z = 5;
             out[0] = apply(^(int a, int b) { return a * b + z; }, 3);
             out[1] = apply(^(int a, int b) { return a - b; }, 3);
             twice(^(int x) { out[x] = x * z; }, 2);
             int (^inc)(int) = ^(int x) { return x + 1; };
             int (^dbl)(int) = ^(int x) { return x * 2; };
             out[4] = both(inc, dbl, 10);
             out[5] = both(dbl, inc, 10);
             out[6] = pass(global_one, 1);
             out[7] = apply(^(int a, int b) { return inc_of(a) + b; }, 1);
         }"
        .replace("inc_of(a)", "(a + 1)")
        .as_str(),
        8,
    );
    assert_eq!(values, [17, -1, 10, 15, 21, 22, 201, 4]);
}

#[test]
fn blocks_know_what_the_program_has() {
    let values = run::<i32>(
        "global int count = 40;
         constant int table[3] = { 7, 8, 9 };
         enum { five = 5 };
         int (^next)(void) = ^{ return ++count; };
         void helper(global int *out) {
             static int kept = 3;
             int (^f)(void) = ^{ return kept++ + table[1] + five; };
             out[2] = f();
             out[3] = f();
         }
         kernel void k(global int *out) {
             out[0] = next();
             out[1] = next();
             helper(out);
         }",
        4,
    );
    assert_eq!(values, [41, 42, 16, 17]);
}

#[test]
fn local_memory_is_seen_through_a_block() {
    let values = run::<i32>(
        "kernel void k(global int *out) {
             local int near[4];
             local int one;
             void (^fill)(int) = ^(int n) {
                 for (int i = 0; i < 4; i++) near[i] = n + i;
                 one = n;
                 void (^more)(void) = ^{ one += near[3]; };
                 more();
             };
             fill(10);
             out[0] = near[2];
             out[1] = one;
             out[2] = (int)sizeof(near);
         }",
        3,
    );
    assert_eq!(values, [12, 23, 16]);
}

#[test]
fn control_flow_does_not_leave_a_block() {
    let values = body::<i32>(
        "int",
        "int sum = 0;
         for (int i = 0; i < 4; i++) {
             int (^f)(void) = ^{
                 int n = 0;
                 for (;;) { if (++n == i + 1) break; }
                 if (n == 2) goto two;
                 return n;
             two:
                 return 20;
             };
             sum += f();
         }
         out[0] = sum;",
        1,
    );
    assert_eq!(values, [1 + 20 + 3 + 4]);
}

/// What is enqueued is a kernel of the module that the host does not see, with its captures as an argument.
#[test]
fn an_enqueued_block_is_a_kernel_of_its_own() {
    let module = build(
        "kernel void k(global int *out, queue_t q) {
             int n = 1;
             enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 2),
                            ^(local void *a, local void *b) { out[get_global_id(0)] = n; }, 16, 4u);
             void (^only_called)(void) = ^{ out[0] = n; };
             only_called();
         }",
    )
    .unwrap()
    .module;
    let kinds: Vec<_> = module
        .kernels()
        .map(|(_, function)| function.kernel.as_ref().unwrap())
        .map(|info| (info.is_block, info.args.len()))
        .collect();
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    assert!(kinds.contains(&(false, 2)) && kinds.contains(&(true, 3)));
    let ops = module.functions.iter().flat_map(|f| &f.blocks);
    let ops = ops.flat_map(|block| &block.insts).map(|inst| &inst.op);
    let device = ops.filter(|op| matches!(op, Op::Device { block: Some(_), .. }));
    assert_eq!(device.count(), 1);
}

#[test]
fn blocks_need_their_feature() {
    let text = "kernel void k(global int *a) { void (^b)(void) = ^{ a[0] = 1; }; b(); }";
    assert!(build_with("-cl-std=CL2.0", text).is_ok());
    let log = build_with("-cl-std=CL1.2", text).unwrap_err();
    assert!(log.contains("needs OpenCL C 2.0, or 3.0 with"), "{log}");
    let log = build_with("-cl-std=CL1.2", "kernel void k(queue_t q) { }").unwrap_err();
    assert!(log.contains("unknown type `queue_t`"), "{log}");
}

/// A body nests as deep as expressions may, and no deeper.
#[test]
fn nested_blocks_have_limits() {
    let nested = |n: usize| {
        let (open, close) = ("^{ return 1 + ".repeat(n), "; }()".repeat(n));
        format!("kernel void k(global int *a) {{ a[0] = {open}1{close}; }}")
    };
    assert!(build(&nested(20)).is_ok());
    assert!(fails(&nested(3000)).contains("nests deeper"));
    let sum = "1 + ".repeat(1400);
    let text = format!(
        "kernel void k(global int *a) {{ a[0] = {}^{{ return {sum}1; }}(); }}",
        "a[0] + ".repeat(1400)
    );
    assert!(build(&text).is_ok(), "{:?}", build(&text).err());
    let text = format!(
        "kernel void k(global int *a) {{ a[0] = ^{{ return {sum}1; }}(){}; }}",
        " + a[0]".repeat(1400)
    );
    assert!(fails(&text).contains("operators deep"));
}
