//! What the readers say about typical mistakes, as a user sees it.

use classay_litmus::syntax::{SyntaxError, read_bytes, read_litmus, read_yaml};
use miette::{GraphicalReportHandler, GraphicalTheme};

fn render(error: &SyntaxError) -> String {
    let mut out = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut out, error)
        .expect("a report");
    // miette pads its lines
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn litmus(text: &str) -> String {
    render(&read_litmus("test.litmus", text).expect_err("must be refused"))
}

fn yaml(text: &str) -> String {
    render(&read_yaml("test.yaml", text).expect_err("must be refused"))
}

fn bytes(name: &str, bytes: &[u8]) -> String {
    render(&read_bytes(name, bytes).expect_err("must be refused"))
}

/// A test whose second thread's body is `body`.
fn with_body(body: &str) -> String {
    format!(
        "OPENCL t\n{{ [x]=0; int y[2] = {{0, 0}}; }}\n\
         P0@wg 0, dev 0 (global atomic_int* x) {{ atomic_store(x, 1); }}\n\
         P1@wg 1, dev 0 (global atomic_int* x, global int* y, global atomic_flag* f) {{\n  {body}\n}}\n\
         exists (x=1)\n"
    )
}

/// A test of a host thread with `host` and a kernel `A`.
fn with_host(init: &str, host: &str) -> String {
    format!(
        "OPENCL t\n{{ queue q; {init} }}\n\
         P0@host (global int* x) {{\n  {host}\n}}\n\
         P1@kernel A, wg 0, dev 0 (global int* x) {{ *x = 1; }}\n\
         exists (x=1)\n"
    )
}

/// The same as YAML.
fn yaml_host(host: &str) -> String {
    format!(
        "litmus: t\nlocations: [{{name: x}}]\nqueues: [{{name: q}}]\nthreads:\n  - host: true\n    body:\n      {host}\n  - kernel: A\n    body: [{{store: x, value: 1}}]\nexists: x=1\n"
    )
}

/// A test of Vulkan whose thread's only instruction is `line`.
fn listing(line: &str) -> String {
    format!("VULKAN t\n{{ x=0; y=0; }}\n P0@sg 0, wg 0, qf 0 ;\n {line} ;\nexists (x=1)\n")
}

macro_rules! snapshots {
    ($($name:ident: $text:expr;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(stringify!($name), $text);
            }
        )*
    };
}

snapshots! {
    empty_file: litmus("");
    other_dialect: litmus("C MP\n{}\nP0 () {}\nexists (x=0)\n");
    vulkan_unknown_instruction: litmus(&listing("rwm.atom.dv.sc0 r0, x, 1"));
    vulkan_unknown_modifier: litmus(&listing("ld.atom.dv.sc0.semsc7 r0, x"));
    vulkan_without_scope: litmus(&listing("ld.atom.sc0 r0, x"));
    vulkan_without_class: litmus(&listing("ld.atom.dv r0, x"));
    vulkan_two_scopes: litmus(&listing("st.atom.dv.wg.sc0 x, 1"));
    vulkan_make_available: litmus(&listing("membar.acq.dv.semsc0.semav"));
    vulkan_load_releases: litmus(&listing("ld.atom.rel.dv.sc0.semsc0 r0, x"));
    vulkan_plain_semantics: litmus(&listing("st.rel.sc0.semsc0 x, 1"));
    vulkan_memory_operand: litmus(&listing("st.sc0 x, (y[0] + 1)"));
    vulkan_unknown_label: litmus(&listing("goto LC00"));
    vulkan_two_classes: litmus(
        "VULKAN t\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n st.sc0 x, 1 | st.sc1 x, 1 ;\nexists (x=1)\n",
    );
    vulkan_host_in_workgroup_memory: litmus(
        "VULKAN t\n{ x=0; }\n P0@host | P1@sg 0, wg 0, qf 0 ;\n st.sc1 x, 1 | ld.sc1 r0, x ;\nexists (x=1)\n",
    );
    vulkan_host_flushes_workgroup_memory: litmus(
        "VULKAN t\n{ x=0; }\n P0@host | P1@sg 0, wg 0, qf 0 ;\n avhost x | ld.sc1 r0, x ;\nexists (x=1)\n",
    );
    host_in_local_memory: litmus(
        "OPENCL t\n{}\nP0@host (local int* x) { *x = 1; }\nP1@wg 0, dev 0 (local int* x) { int r0 = *x; }\nexists (x=1)\n",
    );
    yaml_host_in_workgroup_memory: yaml(
        "litmus: t\napi: vulkan\nlocations: [{name: x, region: local}]\nthreads:\n  - host: true\n    body:\n      - {domain: flush, location: x}\n  - work_group: 0\n    body: []\nexists: x=0\n",
    );
    vulkan_too_many_cells: litmus(&listing("st.sc0 x, 1 | st.sc0 x, 2"));
    not_a_test: litmus("#include <stdio.h>\nint main(void) { return 0; }\n");
    binary_file: bytes("test.litmus", b"\x7fELF\x02\x01\x01\0\0\0\0\0\xff\xfe");
    not_utf8: bytes("test.litmus", b"OPENCL t\n{}\n// caf\xe9\nP0 () {}\nexists (x=0)\n");
    truncated: litmus("OPENCL t\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n  atomic_store(x,");
    no_question: litmus("OPENCL t\n{ [x]=0; }\nP0@wg 0, dev 0 (global int* x) { *x = 1; }\n");
    missing_semicolon: litmus(&with_body("int r0 = atomic_load(x)\n  int r1 = *y;"));
    misspelt_function: litmus(&with_body("int r0 = atomic_laod_explicit(x, memory_order_acquire);"));
    misspelt_order: litmus(&with_body("int r0 = atomic_load_explicit(x, memory_order_aquire);"));
    scope_for_order: litmus(&with_body("int r0 = atomic_load_explicit(x, memory_scope_device);"));
    forbidden_order: litmus(&with_body("int r0 = atomic_load_explicit(x, memory_order_release);"));
    explicit_forgotten: litmus(&with_body("atomic_store(x, 1, memory_order_release);"));
    unknown_name: litmus(&with_body("int tmp1 = 1; int r0 = tmpl + 1;"));
    address_as_value: litmus(&with_body("int r0 = x;"));
    redeclared: litmus(&with_body("int r0 = 1;\n  int r0 = 2;"));
    out_of_bounds: litmus(&with_body("int r0 = y[2];"));
    flag_as_integer: litmus(&with_body("int r0 = atomic_load(f);"));
    unknown_register_in_question: litmus(
        "OPENCL t\n{}\nP0 (global int* x) { int r0 = *x; int r1 = *x; }\nexists (0:r2=1)\n");
    two_regions: litmus(
        "OPENCL t\n{}\nP0 (global int* x) { *x = 1; }\nP1 (local int* x) { *x = 1; }\nexists (x=1)\n");
    two_types: litmus(
        "OPENCL t\n{}\nP0 (global int* x) { *x = 1; }\nP1 (global uint* x) { *x = 1; }\nexists (x=1)\n");
    constant_memory: litmus("OPENCL t\n{}\nP0 (constant int* x) { int r = *x; }\nexists (x=1)\n");
    threads_out_of_order: litmus("OPENCL t\n{}\nP1 (global int* x) { *x = 1; }\nexists (x=1)\n");
    unknown_placement: litmus("OPENCL t\n{}\nP0@cta 0, gpu 0 (global int* x) { *x = 1; }\nexists (x=1)\n");
    floating_point: litmus("OPENCL t\n{ [x] = 0.5; }\nP0 (global int* x) { *x = 1; }\nexists (x=1)\n");
    yaml_unknown_key: yaml("litmus: t\nlocations:\n  - {name: x, typ: int}\nthreads: []\nexists: 'x=1'\n");
    yaml_wrong_type: yaml("litmus: t\nlocations: x\nthreads: []\nexists: 'x=1'\n");
    yaml_bad_expression: yaml(
        "litmus: t\nlocations:\n  - {name: x}\nthreads:\n  - device: 0\n    body:\n      - {assign: r0, value: 'r1 + '}\nexists: 'x=1'\n");
    yaml_unknown_register: yaml(
        "litmus: t\nlocations:\n  - {name: x}\nthreads:\n  - body:\n      - {store: x, value: 1 + r7}\nexists: 'x=1'\n");
    yaml_not_yaml: yaml("litmus: t\nlocations: [\nthreads: }\n");
    yaml_incomplete_instruction: yaml(
        "litmus: t\nthreads:\n  - body:\n      - {value: 1, order: release}\nexists: 'true'\n");
    yaml_duplicate_key: yaml("litmus: t\nlitmus: u\nthreads: []\n");
    command_twice: litmus(&with_host("", "clEnqueueNDRangeKernel(q, A);\n  clEnqueueNDRangeKernel(q, A);"));
    command_unknown_event: litmus(&with_host("", "clEnqueueNDRangeKernel(q, A, B);"));
    command_unknown_queue: litmus(&with_host("", "clEnqueueNDRangeKernel(p, A);"));
    command_in_branch: litmus(&with_host("", "if (*x == 1) { clEnqueueNDRangeKernel(q, A); }"));
    command_after_return: litmus(&with_host("", "if (*x == 1) { return; }\n  clEnqueueNDRangeKernel(q, A);"));
    command_circle: litmus(&with_host("", "M: clEnqueueMarkerWithWaitList(q, A);\n  clEnqueueNDRangeKernel(q, A);"));
    command_wait_before: litmus(&with_host("", "clWaitForEvents(A);\n  clEnqueueNDRangeKernel(q, A);"));
    command_never_enqueued: litmus(&with_host("", "clFinish(q);"));
    command_misspelt: litmus(&with_host("", "clEnqueueNDRangeKernl(q, A);"));
    command_on_device: litmus(&with_body("clFinish(q);").replace("{ [x]", "{ queue q; [x]"));
    command_without_kernel: litmus(&with_host("", "clEnqueueNDRangeKernel(q, A);").replace("exists", "P2@wg 1, dev 0 (global int* x) { *x = 2; }\nexists"));
    command_two_hosts: litmus(&with_host("", "clEnqueueNDRangeKernel(q, A);").replace("exists", "P2@host () { clFinish(q); }\nexists"));
    command_unmap_alone: litmus(&with_host("coarse_svm [x] = 0;", "clEnqueueNDRangeKernel(q, A);\n  clEnqueueSVMUnmap(q, x);"));
    command_mapped_twice: litmus(&with_host("coarse_svm [x] = 0;", "clEnqueueNDRangeKernel(q, A);\n  clEnqueueSVMMap(q, x, CL_TRUE, CL_MAP_READ);\n  clEnqueueSVMMap(q, x, CL_TRUE, CL_MAP_WRITE);"));
    command_map_flags: litmus(&with_host("", "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION);"));
    command_map_blocking: litmus(&with_host("", "clEnqueueMapBuffer(q, x, CL_MAP_READ);"));
    command_too_few: litmus(&with_host("", "clEnqueueNDRangeKernel(q);"));
    command_empty_wait: litmus(&with_host("", "clEnqueueNDRangeKernel(q, A);\n  clWaitForEvents();"));
    queue_order: litmus("OPENCL t\n{ queue q = ordered; }\nP0@host () { clFinish(q); }\nexists (true)\n");
    local_memory_kind: litmus("OPENCL t\n{ coarse_svm local int x = 0; }\nP0 (local int* x) { *x = 1; }\nexists (true)\n");
    yaml_command_unknown_event: yaml(&yaml_host("- {enqueue: A, queue: q, after: [B]}"));
    yaml_command_no_queue: yaml(&yaml_host("- {enqueue: A}"));
    yaml_command_map_access: yaml(&yaml_host("- {map: x, queue: q, access: both}"));
    yaml_command_as_effect: yaml(&yaml_host("- {effect: 'clFinish(q)'}"));
    yaml_memory_kind: yaml("litmus: t\nlocations: [{name: x, memory: coarse}]\nthreads: [{body: []}]\nexists: x=0\n");
}

/// A fence that no function of OpenCL C 1.x is cannot be written as one.
#[test]
fn a_legacy_fence_has_the_orders_and_the_scope_of_its_functions() {
    let text = |order: &str, scope: &str| {
        format!(
            "litmus: fence\nlocations:\n  - {{name: x, type: int, init: 0}}\nthreads:\n  - device: 0\n    \
             work_group: 0\n    body:\n      - {{fence: [global], order: {order}, scope: {scope}, legacy: \
             true}}\nexists: 'x=0'\n"
        )
    };
    let read = |order, scope| read_yaml("a.yaml", &text(order, scope));
    read("acq_rel", "work_group").expect("mem_fence");
    for (order, scope) in [("acq_rel", "device"), ("seq_cst", "work_group")] {
        let error = read(order, scope).expect_err("no function");
        assert!(
            error.message().contains("OpenCL C 1.x"),
            "{}",
            error.message()
        );
    }
}
