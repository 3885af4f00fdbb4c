//! Made-up histograms, judged.

use super::*;
use classay_litmus::syntax;

const RELAXED: &str = "memory_order_relaxed";

/// Message passing with these orders of the flag's store and load.
fn message_passing(store: &str, load: &str, question: &str) -> String {
    format!(
        "OPENCL MP
{{ [x]=0; [y]=0; }}
P0 (global atomic_int* x, global atomic_int* y) {{
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(y, 1, {store}, memory_scope_device);
}}
P1 (global atomic_int* x, global atomic_int* y) {{
  int r0 = atomic_load_explicit(y, {load}, memory_scope_device);
  int r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}}
{question}
"
    )
}

fn ordered(question: &str) -> String {
    message_passing("memory_order_release", "memory_order_acquire", question)
}

const WEAK: &str = "1:r0=1 1:r1=0";

fn judged(source: &str, counts: &[(&str, u64)]) -> Judged {
    judged_by("opencl-3.0", source, counts)
}

fn judged_by(model: &str, source: &str, counts: &[(&str, u64)]) -> Judged {
    let program = syntax::read_litmus("test", source).expect("a program");
    let histogram: Vec<OutcomeCount> = counts
        .iter()
        .map(|(outcome, count)| OutcomeCount {
            outcome: named(outcome),
            count: *count,
            target: *outcome == WEAK,
        })
        .collect();
    let chosen = ChosenModel::load(model).expect("a model");
    judge_case(&program, &histogram, &chosen)
}

/// The outcome with the values in `1:r0=1 1:r1=0`; the incomplete one for a text without.
fn named(text: &str) -> Outcome {
    let values = text.split(' ').map(|part| {
        part.rsplit_once('=')
            .and_then(|(_, value)| value.parse().ok())
    });
    values
        .collect::<Option<Vec<i64>>>()
        .map_or(Outcome::Incomplete, Outcome::State)
}

#[test]
fn a_forbidden_outcome_seen_once_fails_by_its_rule_whatever_the_condition_says() {
    for question in [
        "exists (1:r0=1 /\\ 1:r1=0)",
        "~exists (1:r0=1 /\\ 1:r1=0)",
        "forall (1:r0=0 \\/ 1:r0=1 \\/ 1:r1=0)",
    ] {
        let judged = judged(&ordered(question), &[("1:r0=0 1:r1=0", 999), (WEAK, 1)]);
        assert_eq!(judged.verdict, Verdict::Fail, "{}", judged.reason);
        assert_eq!(
            judged.reason,
            "observed `1:r0=1 1:r1=0` once in 1,000 (rate 0.0010), which opencl-3.0 \
             (mm.coherence.wr) forbids"
        );
        let [evidence] = judged.evidence.as_slice() else {
            panic!("{:?}", judged.evidence);
        };
        assert_eq!(evidence.kind, EvidenceKind::Forbidden);
        let [violation] = judged.violations.as_slice() else {
            panic!("{:?}", judged.violations);
        };
        assert_eq!(violation.rules, [RuleId::new("mm.coherence.wr")]);
        // The execution, as `classay explain` draws it.
        assert!(
            evidence.text.contains("P1") && evidence.text.lines().count() > 8,
            "{}",
            evidence.text
        );
        assert!(
            evidence.text.contains("mm.coherence.wr (opencl-"),
            "{}",
            evidence.text
        );
    }
}

#[test]
fn an_allowed_outcome_passes_also_where_the_test_denies_it() {
    let seen = [("1:r0=0 1:r1=0", 999), (WEAK, 1)];
    let source = |question| message_passing(RELAXED, RELAXED, question);
    let asked = judged(&source("exists (1:r0=1 /\\ 1:r1=0)"), &seen);
    assert_eq!(asked.verdict, Verdict::Pass, "{}", asked.reason);
    let denied = judged(&source("~exists (1:r0=1 /\\ 1:r1=0)"), &seen);
    assert_eq!(denied.verdict, Verdict::Pass, "{}", denied.reason);
    assert!(
        denied.reason.contains("the model allows it"),
        "{}",
        denied.reason
    );
}

#[test]
fn values_that_nothing_writes_are_impossible() {
    let question = "exists (1:r0=1 /\\ 1:r1=0)";
    let judged = judged(
        &ordered(question),
        &[("1:r0=0 1:r1=0", 5), ("1:r0=7 1:r1=0", 2)],
    );
    assert_eq!(judged.verdict, Verdict::Fail);
    assert!(
        judged
            .reason
            .starts_with("observed `1:r0=7 1:r1=0` 2 times in 7"),
        "{}",
        judged.reason
    );
    assert!(judged.reason.contains("impossible"), "{}", judged.reason);
}

#[test]
fn several_forbidden_outcomes_are_reported_together() {
    // Two reads of one location in one thread, and two of another.
    let source = "OPENCL CoRR2
{ [x]=0; }
P0 (global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
P1 (global atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  int r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
P2 (global atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  int r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
exists (1:r0=1 /\\ 1:r1=0 /\\ 2:r0=1 /\\ 2:r1=0)
";
    let one = "1:r0=1 1:r1=0 2:r0=0 2:r1=0";
    let other = "1:r0=0 1:r1=0 2:r0=1 2:r1=0";
    let judged = judged(
        source,
        &[(one, 1), (other, 3), ("1:r0=0 1:r1=0 2:r0=0 2:r1=0", 6)],
    );
    assert_eq!(
        judged.reason,
        format!(
            "observed `{other}` and 1 more outcome 4 times in 10 (rate 0.4000), which opencl-3.0 \
             (mm.coherence.rr) forbids"
        )
    );
    assert_eq!(judged.evidence.len(), 2);
}

#[test]
fn races_are_not_judged() {
    let all = classay_litmus::shipped();
    for name in ["MP+plain", "SB+plain"] {
        let (_, source) = all.iter().find(|(n, _)| *n == name).expect("shipped");
        let program = syntax::read_litmus(name, source).expect("a program");
        let ones = Outcome::State(vec![1; program.observables().len()]);
        let anything = text(&ones, &program.recorded());
        let judged = judged(source, &[(&anything, 3), (WEAK, 5)]);
        assert_eq!(judged.verdict, Verdict::Inconclusive, "{}", judged.reason);
        assert!(judged.reason.contains("data race"), "{}", judged.reason);
        assert!(!judged.verdict.is_failure());
    }
}

#[test]
fn outcomes_that_a_filter_leaves_out_are_judged_like_others() {
    let source = ordered("filter (1:r0=1)\nexists (1:r1=0)");
    let fine = judged(&source, &[("1:r1=0 1:r0=0", 5), ("1:r1=1 1:r0=0", 5)]);
    assert_eq!(fine.verdict, Verdict::Pass, "{}", fine.reason);
    let wrong = judged(&source, &[("1:r1=0 1:r0=1", 5)]);
    assert_eq!(wrong.verdict, Verdict::Fail, "{}", wrong.reason);
}

#[test]
fn loops_leave_unseen_states_undecided() {
    let source = "OPENCL spin
{ [x]=0; }
P0 (global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
P1 (global atomic_int* x) {
  int r0 = 0;
  int r1 = 0;
  while (r1 == 0) {
    r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
    r0 = r0 + 1;
  }
}
exists (1:r0=100)
";
    let fine = judged(source, &[("1:r0=1", 5), ("incomplete", 3)]);
    assert_eq!(
        (fine.verdict, fine.reason.contains("decide")),
        (Verdict::Pass, false),
        "{}",
        fine.reason
    );
    let unknown = judged(source, &[("1:r0=100", 5)]);
    assert_eq!(unknown.verdict, Verdict::Pass, "{}", unknown.reason);
    assert!(
        unknown.reason.contains("does not decide"),
        "{}",
        unknown.reason
    );
}

#[test]
fn what_the_oracle_cannot_enumerate_is_judged_by_the_condition() {
    let branches = "  if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)) \
                    { r0 = r0 + 1; }\n"
        .repeat(20);
    let source = format!(
        "OPENCL wide
{{ [x]=0; }}
P0 (global atomic_int* x) {{
  int r0 = 0;
{branches}}}
P1 (global atomic_int* x) {{
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}}
~exists (0:r0=7)
"
    );
    let judged = judged(&source, &[("0:r0=20", 5)]);
    assert_eq!(judged.verdict, Verdict::Pass, "{}", judged.reason);
    assert!(
        judged
            .reason
            .contains("opencl-3.0 does not judge it: P0 can run in more than"),
        "{}",
        judged.reason
    );
}

#[test]
fn every_allowed_outcome_of_every_shipped_test_passes() {
    let chosen = ChosenModel::load("opencl-3.0").expect("a model");
    let bounds = chosen.bounds.as_ref().expect("readings");
    for (name, source) in classay_litmus::shipped() {
        let program = syntax::read_litmus(name, source).expect("a program");
        let recorded = program.recorded();
        let allowed = oracle::judge(&program, &chosen.model, &Limits::default()).expect("judged");
        let texts: Vec<String> = allowed
            .states
            .iter()
            .map(|state| text(&Outcome::State(state.0.clone()), &recorded))
            .collect();
        let counts: Vec<(&str, u64)> = texts.iter().map(|t| (t.as_str(), 1)).collect();
        let judged = judged(source, &counts);
        assert!(!judged.verdict.is_failure(), "{name}: {}", judged.reason);
        // What any reading defines is judged by it.
        let strictest = oracle::judge(&program, &bounds.strictest, &Limits::default());
        let racy = strictest.expect("judged").racy;
        assert_eq!(
            judged.verdict == Verdict::Inconclusive,
            racy || matches!(*name, "LB+data" | "LB+split+42"),
            "{name}"
        );
    }
}

/// A value that depends on its own computation: no rule forbids it, and nobody should see it.
#[test]
fn a_value_out_of_thin_air_is_reported() {
    let source = "OPENCL LB
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(y, r0, memory_order_relaxed, memory_scope_device);
}
P1 (global atomic_int* x, global atomic_int* y) {
  int r1 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(x, r1, memory_order_relaxed, memory_scope_device);
}
exists (0:r0=42 /\\ 1:r1=42)
";
    let usual = judged(source, &[("0:r0=0 1:r1=0", 1000)]);
    assert_eq!(usual.verdict, Verdict::Pass, "{}", usual.reason);
    let thin = judged(source, &[("0:r0=0 1:r1=0", 999), ("0:r0=42 1:r1=42", 1)]);
    assert_eq!(thin.verdict, Verdict::Inconclusive, "{}", thin.reason);
    assert!(
        thin.reason.contains("mm.thin-air") && thin.reason.contains("`0:r0=42 1:r1=42`"),
        "{}",
        thin.reason
    );
}

/// Store buffering of relaxed accesses around seq_cst fences of this scope, in two work-groups.
fn fenced(scope: &str) -> String {
    let fence = format!(
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_{scope});"
    );
    let thread = |t: u32, mine: &str, theirs: &str| {
        format!(
            "P{t}@wg {t}, dev 0 (global atomic_int* x, global atomic_int* y) {{
  atomic_store_explicit({mine}, 1, {RELAXED}); {fence}
  int r{t} = atomic_load_explicit({theirs}, {RELAXED}); }}
"
        )
    };
    format!(
        "OPENCL SB\n{{ [x]=0; [y]=0; }}\n{}{}exists (0:r0=0 /\\ 1:r1=0)\n",
        thread(0, "x", "y"),
        thread(1, "y", "x")
    )
}

#[test]
fn what_only_some_readings_forbid_is_contested() {
    let weak = [("0:r0=0 1:r1=0", 3), ("0:r0=1 1:r1=0", 7)];
    let narrow = judged_by("opencl-3.0", &fenced("work_group"), &weak);
    assert_eq!(narrow.verdict, Verdict::Contested, "{}", narrow.reason);
    assert_eq!(
        narrow.reason,
        "observed `0:r0=0 1:r1=0` 3 times in 10 (rate 0.3000), which opencl-3.0, one-region, \
         fences-on-no-memory, flags-carry-all, barrier-completes, by-bytes forbid and scoped-s, \
         narrow-fences allow"
    );
    assert!(narrow.violations.is_empty());
    // What every reading forbids fails, what all allow passes.
    let wide = judged_by("opencl-3.0", &fenced("device"), &weak);
    assert_eq!(wide.verdict, Verdict::Fail, "{}", wide.reason);
    let strong = judged_by("opencl-3.0", &fenced("work_group"), &weak[1..]);
    assert_eq!(strong.verdict, Verdict::Pass, "{}", strong.reason);
    // One reading that is chosen decides alone.
    let chosen = judged_by("opencl-3.0+scoped-s", &fenced("work_group"), &weak);
    assert_eq!(chosen.verdict, Verdict::Pass, "{}", chosen.reason);
}

#[test]
fn what_the_model_leaves_undefined_and_a_stricter_reading_forbids_is_contested() {
    let source = "OPENCL bytes
{ queue q = out_of_order; buffer int x[2] = {0, 0}; }
P0@kernel A, wg 0, dev 0 (global int* x) { x[0] = 1; }
P1@kernel B, wg 0, dev 0 (global int* x) { int r0 = x[1]; }
P2@host () { clEnqueueNDRangeKernel(q, A); clEnqueueNDRangeKernel(q, B); }
exists (1:r0=0)
";
    let read = |value: &'static str| judged_by("opencl-3.1", source, &[(value, 5)]);
    assert_eq!(read("1:r0=0").verdict, Verdict::Pass);
    let overwritten = read("1:r0=1");
    assert_eq!(
        overwritten.verdict,
        Verdict::Contested,
        "{}",
        overwritten.reason
    );
    assert!(
        overwritten
            .reason
            .contains("which by-bytes forbids and opencl-3.1,"),
        "{}",
        overwritten.reason
    );
}
