//! Outcomes explained: which rule, which cycle, what would allow it, and how it is rendered.

use classay_litmus::explain::{self, Report, Strand};
use classay_litmus::mutation;
use classay_litmus::oracle::{self, Execution, Explanation, Limits, Model};
use classay_litmus::program::Program;
use classay_litmus::shipped;
use classay_litmus::syntax::read_litmus;

fn program(name: &str) -> Program {
    let (_, text) = shipped()
        .iter()
        .find(|(n, _)| *n == name)
        .expect("a shipped test");
    read_litmus(name, text).expect("a program")
}

fn explained(program: &Program, outcome: &str) -> Report {
    let model = Model::named("opencl-3.0").expect("the model");
    let outcome = match outcome {
        "" => program.condition.predicate.clone(),
        text => explain::outcome(program, text).expect("an outcome"),
    };
    explain::report(program, &model, &outcome, &Limits::default()).expect("an explanation")
}

fn source(text: &str) -> Program {
    read_litmus("test", text).expect("a program")
}

/// The changes that allow the outcome, and those that only make the behaviour undefined.
fn changes(report: &Report) -> (Vec<&str>, Vec<&str>) {
    let of = |undefined: bool| {
        let some = report.remedies.iter().filter(|r| r.undefined == undefined);
        some.map(|r| r.what.as_str()).collect()
    };
    (of(false), of(true))
}

#[test]
fn text_of_a_broken_message() {
    let report = explained(&program("MP+rel+acq"), "");
    insta::assert_snapshot!(explain::text(&report));
}

#[test]
fn text_of_readers_that_disagree() {
    let report = explained(&program("IRIW+sc"), "");
    insta::assert_snapshot!(explain::text(&report));
}

#[test]
fn text_of_a_witness() {
    let report = explained(&program("SB+rlx"), "0:r0=0 1:r1=0");
    insta::assert_snapshot!(explain::text(&report));
}

#[test]
fn dot_of_three() {
    for name in ["MP+rel+acq", "2+2W+sc", "SB+rlx"] {
        let report = explained(&program(name), "");
        insta::assert_snapshot!(
            format!("dot_{name}"),
            explain::dot(&report).expect("an execution")
        );
    }
}

#[test]
fn every_picture_is_xml_with_every_event() {
    for (name, _) in shipped() {
        let program = program(name);
        let report = explained(&program, "");
        let Some(svg) = explain::svg(&report) else {
            assert_eq!(report.explanation, Explanation::Impossible, "{name}");
            continue;
        };
        let document = roxmltree::Document::parse(&svg).expect(name);
        assert_eq!(document.root_element().tag_name().name(), "svg", "{name}");
        let texts: Vec<&str> = document
            .descendants()
            .filter(|n| n.tag_name().name() == "text")
            .filter_map(|n| n.text())
            .collect();
        let drawing = report.drawing.as_ref().expect("an execution");
        for node in &drawing.nodes {
            let expected = match node.thread {
                Some(_) => format!("{}: {}", node.id, node.label),
                None => format!("init {}", node.label),
            };
            assert!(texts.contains(&expected.as_str()), "{name}: {expected}");
        }
        for column in &drawing.columns {
            assert!(texts.contains(&column.name.as_str()), "{name}");
        }
        let labels = texts.iter().filter(|t| **t == "rf").count();
        let reads = drawing
            .arrows
            .iter()
            .filter(|a| a.strand == Strand::ReadsFrom)
            .count();
        assert_eq!(labels, reads, "{name}: each arrow has its label");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
}

#[test]
fn a_cycle_is_marked_all_around() {
    for (name, _) in shipped() {
        let program = program(name);
        let report = explained(&program, "");
        let Explanation::Forbidden(refusal) = &report.explanation else {
            continue;
        };
        assert!(!refusal.failures.is_empty(), "{name}");
        let drawing = report.drawing.as_ref().expect("an execution");
        let marked: Vec<_> = drawing.arrows.iter().filter(|a| a.in_cycle).collect();
        let Some(at) = drawing.marked else {
            continue;
        };
        let broken = &drawing.failures[at];
        let (rule, cycle) = (&broken.rule, &broken.cycle);
        if cycle.first().map(|e| e.from) != cycle.last().map(|e| e.to) {
            continue;
        }
        // Each event of the cycle is entered as often as it is left.
        for (event, node) in drawing.nodes.iter().enumerate() {
            let out = marked.iter().filter(|a| a.from == event).count();
            let into = marked.iter().filter(|a| a.to == event).count();
            assert_eq!(out, into, "{name}, {rule}, {}", node.id);
        }
        assert!(marked.len() >= 2, "{name}");
    }
}

#[test]
fn what_would_allow_an_outcome_is_found() {
    // Every event of WRC carries its part; orders allow it, scopes make it race.
    let report = explained(&program("WRC+rel+acq"), "");
    let (allow, race) = changes(&report);
    assert_eq!(
        allow,
        [
            "P1, the store to y: release → relaxed",
            "P2, the load of y: acquire → relaxed",
        ]
    );
    assert!(race.contains(&"P1, the store to y: device → work_group"));
    // Coherence holds whatever the orders are.
    let report = explained(&program("CoWW"), "");
    assert_eq!(changes(&report).0, [""; 0]);
    // Read-modify-writes and compare-exchanges have orders to lose as well.
    let report = explained(
        &source(
            "OPENCL t\n{}\n\
             P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n\
               atomic_store_explicit(x, 1, memory_order_relaxed);\n\
               atomic_fetch_add_explicit(y, 1, memory_order_acq_rel, memory_scope_device);\n\
             }\n\
             P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n\
               int e = 1;\n\
               int r0 = atomic_compare_exchange_strong(y, &e, 2);\n\
               int r1 = atomic_load_explicit(x, memory_order_relaxed);\n\
             }\n\
             ~exists (1:r0=1 /\\ 1:r1=0)",
        ),
        "",
    );
    assert_eq!(
        changes(&report).0,
        [
            "P0, the read-modify-write of y: acq_rel → acquire",
            "P1, the compare-exchange of y: on success seq_cst → release",
        ]
    );
}

#[test]
fn barriers_are_changed_together() {
    let program = program("MP+barrier+both");
    let all: Vec<String> = mutation::changes(&program)
        .into_iter()
        .map(|change| {
            assert_ne!(change.apply(&program), program, "{}", change.what);
            change.what
        })
        .collect();
    assert_eq!(
        all,
        [
            "the barrier of work-group 0: without the global flag",
            "the barrier of work-group 0: without the local flag",
            "the barrier of work-group 0: without flags",
            "the barrier of work-group 0: removed",
        ]
    );
    let report = explained(&program, "1:r0=0");
    assert!(matches!(report.explanation, Explanation::Forbidden(_)));
    assert_eq!(
        changes(&report).1,
        [
            "the barrier of work-group 0: without the global flag",
            "the barrier of work-group 0: without the local flag",
        ]
    );
}

#[test]
fn parts_of_an_outcome_can_be_left_open() {
    let program = program("MP+rel+acq");
    let open = explained(&program, "1:r0=1");
    assert!(matches!(open.explanation, Explanation::Allowed(_)));
    let open = explained(&program, "1:r1=0");
    assert!(matches!(open.explanation, Explanation::Forbidden(_)));
    let values = explained(&program, "1:r0=7");
    assert_eq!(values.explanation, Explanation::Impossible);
    assert!(values.drawing.is_none() && explain::svg(&values).is_none());
    assert!(explain::text(&values).contains("1:r0=7 is impossible"));
}

#[test]
fn undefined_behaviour_is_told() {
    let report = explained(&program("MP+plain"), "");
    assert_eq!(report.flags, ["mm.race"]);
    let text = explain::text(&report);
    assert!(text.contains("behaviour is undefined (mm.race)"), "{text}");
    // What is undefined already cannot become so.
    assert!(report.remedies.iter().all(|r| !r.undefined));
}

#[test]
fn hostile_names_stay_text() {
    let mut program = program("CoRR");
    program.name = "a<b>&\"c\"\u{1}\u{fffe}\n".into();
    let report = explained(&program, "");
    let svg = explain::svg(&report).expect("an execution");
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let title = document
        .descendants()
        .find(|n| n.tag_name().name() == "title")
        .and_then(|n| n.text())
        .expect("a title");
    assert!(title.starts_with("a<b>&\"c\""), "{title:?}");
    let dot = explain::dot(&report).expect("an execution");
    assert!(dot.contains("label=\"a<b>&\\\"c\\\""), "{dot}");
}

/// The number of edges of a shortest cycle of program order, reads-from, coherence and from-reads.
fn shortest_cycle(execution: &Execution) -> Option<usize> {
    let n = execution.events.len();
    let mut after = vec![Vec::new(); n];
    for (a, after) in after.iter_mut().enumerate() {
        let thread = execution.events[a].thread;
        let same = |b: &usize| thread.is_some() && execution.events[*b].thread == thread;
        after.extend((a + 1..n).filter(same));
    }
    let mut later = vec![vec![false; n]; n];
    for (a, b) in &execution.coherence {
        later[*a][*b] = true;
    }
    for m in 0..n {
        for a in 0..n {
            for b in 0..n {
                later[a][b] |= later[a][m] && later[m][b];
            }
        }
    }
    for (write, read) in &execution.reads_from {
        after[*write].push(*read);
        after[*read].extend((0..n).filter(|b| later[*write][*b] && b != read));
    }
    for (a, later) in later.iter().enumerate() {
        after[a].extend((0..n).filter(|b| later[*b]));
    }
    let around = |start: usize| {
        let mut reached = vec![false; n];
        let mut front = vec![start];
        for length in 1..=n {
            front = front.iter().flat_map(|a| after[*a].clone()).collect();
            if front.contains(&start) {
                return Some(length);
            }
            front.sort_unstable();
            front.dedup();
            front.retain(|b| !std::mem::replace(&mut reached[*b], true));
        }
        None
    };
    (0..n).filter_map(around).min()
}

#[test]
fn the_smallest_cycle_is_the_smallest() {
    let mut compared = 0;
    let sc = "acyclic po | rf | co | fr as sc";
    let sc = Model::parse("sc.cat", sc).expect("a model");
    let recursive = "let rec before = po | rf | co | fr | before; before irreflexive before as sc";
    let recursive = Model::parse("recursive.cat", recursive).expect("a model");
    for (name, _) in shipped() {
        let program = program(name);
        let target = &program.condition.predicate;
        for model in [&sc, &recursive] {
            let explanation = oracle::explain(&program, model, target, &Limits::default());
            let Ok(Explanation::Forbidden(refusal)) = explanation else {
                continue;
            };
            for failure in refusal.failures.iter().filter(|f| &*f.check == "sc") {
                let expected = shortest_cycle(&refusal.execution);
                assert_eq!(Some(failure.cycle.len()), expected, "{name}, {failure:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn what_synchronizes_has_its_name_and_its_parts() {
    let report = explained(&program("MP+fence+fence"), "");
    let drawing = report.drawing.as_ref().expect("an execution");
    let broken = &drawing.failures[drawing.marked.expect("a cycle")];
    assert_eq!(
        drawing.cycle_lines(broken),
        [
            "f -fr-> a -po-> b -gsw-> e -po-> f",
            "b -gsw-> e is b -po-> c -rf-> d -po-> e",
        ]
    );
    assert!(
        broken
            .note
            .as_deref()
            .unwrap_or_default()
            .starts_with("3.3.6")
    );
    let fences: Vec<&str> = drawing
        .nodes
        .iter()
        .filter(|n| n.label == "F")
        .map(|n| n.detail.as_str())
        .collect();
    assert_eq!(
        fences,
        ["release, device, global", "acquire, device, global"]
    );
    let gsw = drawing.arrows.iter().find(|a| a.label == "gsw");
    assert!(gsw.is_some_and(|a| a.in_cycle));
}

#[test]
fn what_a_model_misses_is_told() {
    let model = Model::parse(
        "odd.cat",
        "(* Reads read themselves. *)\n~empty rf & id as odd",
    );
    let model = model.expect("a model");
    let program = program("CoRR");
    let target = &program.condition.predicate;
    let report = explain::report(&program, &model, target, &Limits::default()).expect("a report");
    let text = explain::text(&report);
    assert!(
        text.contains("does not have") && text.contains("Reads read themselves."),
        "{text}"
    );
}

#[test]
fn an_outcome_that_the_filter_leaves_out_is_explained() {
    let text = "OPENCL t\n{}\nP0(global atomic_int* x) { atomic_store(x, 1); }\n\
                P1(global atomic_int* x) { int r0 = atomic_load(x); }\n\
                filter (1:r0 = 1)\nexists (1:r0=1)";
    let report = explained(&source(text), "1:r0=0");
    assert!(matches!(report.explanation, Explanation::Allowed(_)));
    // A forbidden one has its rule and its cycle as well.
    let text = "OPENCL t\n{}\nP0(global atomic_int* x) { atomic_store(x, 1); }\n\
                P1(global atomic_int* x) { int r0 = atomic_load(x); int r1 = atomic_load(x); }\n\
                filter (1:r0 = 1 /\\ 1:r1 = 1)\nexists (1:r0=1)";
    let report = explained(&source(text), "1:r0=1 1:r1=0");
    let drawing = report.drawing.as_ref().expect("an execution");
    let marked = &drawing.failures[drawing.marked.expect("a cycle")];
    assert_eq!(marked.rule, "mm.coherence.rr");
}

#[test]
fn commands_are_drawn_with_what_they_come_from() {
    for (name, expected) in [
        ("MP+enqueue+wait", &["command: wait A"][..]),
        (
            "MP+enqueue+finish",
            &["command: enqueue A", "command: finish q"],
        ),
        ("MP+out-of-order+event", &["command: event A"]),
        ("MP+queues+event", &["command: event A"]),
        (
            "MP+map+unmap",
            &["command: enqueue A", "command: in-order q, blocking map x"],
        ),
    ] {
        let report = explained(&program(name), "");
        let drawing = report.drawing.as_ref().expect("an execution");
        let labels: Vec<&str> = drawing
            .arrows
            .iter()
            .filter(|a| a.strand == Strand::Command)
            .map(|a| a.label.as_str())
            .collect();
        assert_eq!(labels, expected, "{name}");
        let place = |i: usize| drawing.columns[i].place.as_str();
        assert_eq!(place(0), "host", "{name}");
        assert_eq!(place(1), "kernel A, wg 0, dev 0", "{name}");
        let text = explain::text(&report);
        let why = labels[0].trim_start_matches("command: ");
        assert!(text.contains(&format!("({why})")), "{name}: {text}");
        let svg = explain::svg(&report).expect("an execution");
        assert!(svg.contains("stroke-dasharray"), "{name}");
        let dot = explain::dot(&report).expect("an execution");
        assert!(
            dot.contains(labels[0]) && dot.contains("style=dashed"),
            "{name}"
        );
    }
}

#[test]
fn a_report_is_at_most_80_columns_wide() {
    for (name, _) in shipped() {
        let text = explain::text(&explained(&program(name), ""));
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}
