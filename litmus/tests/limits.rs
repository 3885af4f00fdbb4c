//! Hostile input costs little and is refused in a sentence.

use classay_litmus::syntax::{read_bytes, read_litmus, read_yaml, write_yaml};

fn body(statement: &str) -> String {
    format!("OPENCL t\n{{}}\nP0 (global int* x) {{ int r0; {statement} }}\nexists (x=0)\n")
}

fn litmus_error(text: &str) -> String {
    read_litmus("t.litmus", text)
        .expect_err("must be refused")
        .to_string()
}

/// Runs on a stack of half the size that test threads have.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .expect("a thread starts")
        .join()
        .expect("no overflow, no panic");
}

#[test]
fn deep_nesting_is_refused() {
    on_small_stack(|| {
        for (open, close) in [
            ("(", ")"),
            ("-(", ")"),
            ("!", ""),
            ("*&", ""),
            ("1 + (", ")"),
            ("r0 ? 1 : ", ""),
            ("1 ? ", " : 2"),
            ("atomic_load(", ")"),
            ("x[", "]"),
        ] {
            for depth in [40, 190, 250, 5_000, 50_000] {
                let text = body(&format!(
                    "r0 = {}1{};",
                    open.repeat(depth),
                    close.repeat(depth)
                ));
                let result = read_litmus("t.litmus", &text);
                if depth > 200 {
                    let error = result.expect_err("too deep");
                    let message = error.to_string();
                    assert!(message.contains(" more than "), "{open}: {message}");
                }
            }
        }
        for open in ["if (1) { ", "while (1) ", "{", "if (1) ; else ", "do "] {
            assert!(litmus_error(&body(&open.repeat(20_000))).contains("nests more than"));
        }
    });
}

#[test]
fn long_chains_are_refused() {
    on_small_stack(|| {
        for link in [" + 1", " && 1", "[0]", " == 1"] {
            let text = body(&format!("r0 = x{};", link.repeat(50_000)));
            assert!(litmus_error(&text).contains(" more than "), "{link}");
        }
        let text = format!(
            "OPENCL t\n{{}}\nP0 () {{}}\nexists {}true",
            "~".repeat(50_000)
        );
        assert!(litmus_error(&text).contains("nests more than"));
    });
}

#[test]
fn the_deepest_test_is_written_and_read_in_both_forms() {
    on_small_stack(|| {
        let depth = 39;
        let text = body(&format!(
            "{}r0 = 1;{}",
            "if (r0) {".repeat(depth),
            "}".repeat(depth)
        ));
        let program = read_litmus("t.litmus", &text).expect("not too deep");
        let yaml = write_yaml(&program);
        assert_eq!(read_yaml("t.yaml", &yaml).expect("reads back"), program);
    });
}

#[test]
fn deep_yaml_is_refused() {
    on_small_stack(|| {
        for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
            for depth in [300, 50_000] {
                let text = format!("litmus: {}x{}", open.repeat(depth), close.repeat(depth));
                assert!(read_yaml("t.yaml", &text).is_err());
            }
        }
    });
}

#[test]
fn large_files_are_refused() {
    let text = format!("OPENCL t\n{}", " ".repeat(1 << 20));
    assert!(litmus_error(&text).contains("at most 1048576"));
    assert!(read_bytes("t.yaml", text.as_bytes()).is_err());
}

#[test]
fn many_threads_locations_elements_registers_instructions_are_refused() {
    let threads: String = (0..65).map(|t| format!("P{t} () {{}}\n")).collect();
    let error = litmus_error(&format!("OPENCL t\n{{}}\n{threads}exists (true)"));
    assert!(error.contains("more than 64 threads"), "{error}");

    let locations: String = (0..300).map(|l| format!("[x{l}]=0;")).collect();
    let error = litmus_error(&format!(
        "OPENCL t\n{{{locations}}}\nP0 () {{}}\nexists (true)"
    ));
    assert!(error.contains("more than 256 locations"), "{error}");

    let error = litmus_error("OPENCL t\n{int x[1000000000];}\nP0 () {}\nexists (true)");
    assert!(error.contains("between 1 and 4096 elements"), "{error}");

    let registers: String = (0..1100).map(|r| format!("int s{r};")).collect();
    assert!(litmus_error(&body(&registers)).contains("more than 1024 registers"));

    assert!(
        litmus_error(&body(&"r0 = 1;".repeat(10_001))).contains("more than 10000 instructions")
    );
}
