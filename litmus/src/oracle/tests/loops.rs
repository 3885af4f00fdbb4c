//! Loops: those that count run to their end, those that reads keep going are cut at the bound.

use std::collections::BTreeSet;

use crate::oracle::{Judgement, Limits, Model, judge};
use crate::syntax::read_litmus;

fn judged(waiter: &str, exists: &str) -> Judgement {
    let text = format!(
        "OPENCL test\n{{ [x]=0; [y]=0; [d]=0; }}\n\
         P0@wg 0, dev 0 (global atomic_int* x, global int* d) {{\n\
         *d = 1; atomic_store_explicit(x, 1, memory_order_release); }}\n\
         P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y, global int* d) {{\n\
         {waiter} }}\n{exists}"
    );
    let program = read_litmus("test", &text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    let model = Model::named("opencl-3.1").unwrap();
    judge(&program, &model, &Limits::default()).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

const LOAD: &str = "atomic_load_explicit(x, memory_order_acquire)";

/// Every way of waiting for a flag says the same: the data is there, and the loop was cut.
#[test]
fn every_form_of_waiting_is_bounded() {
    let after = "int seen = *d;";
    let cas = "atomic_compare_exchange_weak_explicit(x, &e, 2, memory_order_acquire, \
               memory_order_relaxed, memory_scope_device)";
    let forms = [
        format!("while ({LOAD} == 0) {{ }} {after}"),
        format!("do {{ }} while ({LOAD} != 1); {after}"),
        format!("while (1) {{ int r = {LOAD}; if (r == 1) break; }} {after}"),
        format!("for (;;) {{ if ({LOAD}) {{ break; }} }} {after}"),
        format!("int go = 1; while (go) {{ if ({LOAD} == 1) go = 0; }} {after}"),
        format!(
            "int s = 0; for (int k = 0; ; k++) {{ if ({LOAD}) {{ s = *d; return; }} }} {after}"
        ),
        format!("int e = 1; while (!{cas}) {{ e = 1; }} {after}"),
        format!("int e = 1; do {{ e = 1; }} while (!{cas}); {after}"),
    ];
    for form in forms {
        let seen = if form.contains("int s = 0") {
            "1:s"
        } else {
            "1:seen"
        };
        let judgement = judged(&form, &format!("forall ({seen} = 1)"));
        assert!(judgement.bounded, "{form}");
        assert!(judgement.holds, "{form}: {:?}", judgement.states);
        assert!(!judgement.racy, "{form}");
        assert!(!judgement.states.is_empty(), "{form}");
    }
}

/// A loop that counts is not cut, whatever reads decide inside it or else in its condition.
#[test]
fn a_loop_that_counts_runs_to_its_end() {
    for body in [
        "for (int k = 0; k < 5; k++) { n = n + 1; }".to_owned(),
        format!("for (int k = 0; k < 5; k++) {{ if ({LOAD}) {{ m = 1; }} n = n + 1; }}"),
        format!("for (int k = 0; k < 5; k++) {{ if ({LOAD} == 2) break; n = n + 1; }}"),
    ] {
        let waiter = format!("int n = 0; int m = 0; {body}");
        let judgement = judged(&waiter, "forall (1:n = 5)");
        assert!(!judgement.bounded, "{waiter}");
        assert!(judgement.holds, "{waiter}: {:?}", judgement.states);
    }
}

/// The bound is the one that was asked for.
#[test]
fn the_bound_is_stated() {
    let text = "OPENCL test\n{ [x]=0; }\n\
                P0@wg 0, dev 0 (global atomic_int* x) { atomic_store(x, 1); }\n\
                P1@wg 1, dev 0 (global atomic_int* x) { int n = 0; \
                while (1) { if (atomic_load(x)) break; n = n + 1; } }\nexists (1:n = 0)";
    let program = read_litmus("test", text).unwrap();
    let model = Model::named("opencl-3.1").unwrap();
    for bound in [1_u32, 2, 3, 7] {
        let limits = Limits {
            loop_bound: bound,
            ..Limits::default()
        };
        let judgement = judge(&program, &model, &limits).unwrap();
        assert!(judgement.bounded);
        let rounds: BTreeSet<String> = judgement.states.iter().map(|s| format!("{s:?}")).collect();
        assert_eq!(rounds.len(), bound as usize, "{rounds:?}");
    }
}
