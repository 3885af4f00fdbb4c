//! How long the oracle takes: over the shipped tests, and over families that grow.
//!
//! `cargo bench -p classay-litmus` measures all of them; a word after `--` chooses by name.

use classay_litmus::oracle::{Limits, Model, judge};
use classay_litmus::program::Program;
use classay_litmus::syntax::read_litmus;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;

fn program(text: &str) -> Program {
    read_litmus("bench.litmus", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Each of `n` threads stores to its own location and then loads the next one's.
fn ring(n: usize, store: &str, load: &str) -> Program {
    let mut text = String::from("OPENCL ring\n{}\n");
    for t in 0..n {
        let next = (t + 1) % n;
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* x{t}, global atomic_int* x{next}) {{
  atomic_store_explicit(x{t}, 1, memory_order_{store}, memory_scope_device);
  int r = atomic_load_explicit(x{next}, memory_order_{load}, memory_scope_device);
}}"
        );
    }
    let zero: Vec<String> = (0..n).map(|t| format!("{t}:r=0")).collect();
    let _ = writeln!(text, "exists ({})", zero.join(" /\\ "));
    program(&text)
}

/// Two writers, and `k` readers that load both locations, every second one the other way round.
fn iriw(k: usize) -> Program {
    let mut text = String::from("OPENCL iriw\n{}\n");
    for (t, x) in ["x", "y"].iter().enumerate() {
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* {x}) {{ atomic_store_explicit({x}, 1, memory_order_relaxed); }}"
        );
    }
    for r in 0..k {
        let t = r + 2;
        let (a, b) = if r % 2 == 0 { ("x", "y") } else { ("y", "x") };
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* x, global atomic_int* y) {{
  int a = atomic_load_explicit({a}, memory_order_relaxed);
  int b = atomic_load_explicit({b}, memory_order_relaxed);
}}"
        );
    }
    let each: Vec<String> = (2..k + 2).map(|t| format!("{t}:a=1 /\\ {t}:b=0")).collect();
    let _ = writeln!(text, "exists ({})", each.join(" /\\ "));
    program(&text)
}

/// Two writers to `x`, and `k` threads that read it twice.
fn readers(k: usize) -> Program {
    let mut text = String::from("OPENCL readers\n{}\n");
    for t in 0..2 {
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* x) {{ atomic_store_explicit(x, {}, memory_order_relaxed); }}",
            t + 1
        );
    }
    for t in 2..k + 2 {
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* x) {{
  int a = atomic_load_explicit(x, memory_order_relaxed);
  int b = atomic_load_explicit(x, memory_order_relaxed);
}}"
        );
    }
    let each: Vec<String> = (2..k + 2).map(|t| format!("{t}:a=1 /\\ {t}:b=2")).collect();
    let _ = writeln!(text, "exists ({})", each.join(" /\\ "));
    program(&text)
}

/// `k` threads that each store to `x` twice.
fn writers(k: usize) -> Program {
    let mut text = String::from("OPENCL writers\n{}\n");
    for t in 0..k {
        let _ = writeln!(
            text,
            "P{t}@wg {t}, dev 0 (global atomic_int* x) {{
  atomic_store_explicit(x, {}, memory_order_relaxed);
  atomic_store_explicit(x, {}, memory_order_relaxed);
}}",
            2 * t + 1,
            2 * t + 2
        );
    }
    text.push_str("exists (x=2)\n");
    program(&text)
}

fn shipped(c: &mut Criterion) {
    let model = Model::named("opencl-3.1").expect("a model");
    let programs: Vec<Program> = classay_litmus::shipped()
        .iter()
        .map(|(_, text)| program(text))
        .collect();
    c.bench_function("shipped/all", |b| {
        b.iter(|| {
            for p in &programs {
                let _ = black_box(judge(p, &model, &Limits::default()));
            }
        });
    });
}

fn family(c: &mut Criterion, name: &str, sizes: &[usize], make: &dyn Fn(usize) -> Program) {
    let model = Model::named("opencl-3.1").expect("a model");
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    for &n in sizes {
        let p = make(n);
        group.bench_with_input(BenchmarkId::from_parameter(n), &p, |b, p| {
            b.iter(|| judge(black_box(p), &model, &Limits::default()).expect("judged"));
        });
    }
    group.finish();
}

fn families(c: &mut Criterion) {
    let sizes = [2, 4, 6, 8, 10, 12, 14, 16];
    family(c, "ring/relaxed", &sizes, &|n| {
        ring(n, "relaxed", "relaxed")
    });
    family(c, "ring/release-acquire", &sizes, &|n| {
        ring(n, "release", "acquire")
    });
    family(c, "ring/seq_cst", &sizes, &|n| {
        ring(n, "seq_cst", "seq_cst")
    });
    family(c, "iriw", &[2, 3, 4, 5, 6], &iriw);
    family(c, "readers", &[2, 3, 4, 5, 6], &readers);
    family(c, "writers", &[2, 3, 4, 5, 6], &writers);
}

criterion_group!(benches, shipped, families);
criterion_main!(benches);
