//! Outcomes that are found by families are those that are found one by one.

use super::naive;
use crate::oracle::{Judgement, Limits, Model, judge};
use crate::program::Program;
use crate::syntax::read_litmus;

/// A writer and `readers`, who each wait for a flag that orders nothing, and then read `data` locations, which
/// races.
fn waiting(readers: usize, data: usize) -> Program {
    let mut columns = vec![vec!["P0@sg 0, wg 0, qf 0".to_owned()]];
    columns[0].extend((0..data).map(|d| format!("st.av.dv.sc0 d{d}, 1")));
    columns[0].push("st.atom.dv.sc0 f, 1".into());
    let mut asked = Vec::new();
    for t in 1..=readers {
        let mut column = vec![
            format!("P{t}@sg 0, wg {t}, qf 0"),
            "LC00:".into(),
            "ld.atom.dv.sc0 r9, f".into(),
            "bne r9, 0, LC01".into(),
            "goto LC00".into(),
            "LC01:".into(),
        ];
        column.extend((0..data).map(|d| format!("ld.vis.dv.sc0 r{d}, d{d}")));
        asked.extend((0..data).map(|d| format!("P{t}:r{d} == 1")));
        columns.push(column);
    }
    let init: String = (0..data).map(|d| format!("d{d}=0; ")).collect();
    let mut text = format!("Vulkan waiting\n{{ f=0; {init}}}\n");
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells = columns
            .iter()
            .map(|column| column.get(row).map_or("", |cell| cell));
        text.push_str(&format!("{} ;\n", cells.collect::<Vec<_>>().join(" | ")));
    }
    text.push_str(&format!("forall ({})\n", asked.join(" /\\ ")));
    read_litmus("waiting", &text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn judged(program: &Program, families: u64) -> Judgement {
    let limits = Limits {
        families,
        ..Limits::default()
    };
    judge(program, &Model::named("vulkan").unwrap(), &limits).unwrap()
}

#[test]
fn families_have_the_outcomes_that_are_found_one_by_one() {
    for (readers, data) in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2)] {
        let program = waiting(readers, data);
        let (families, each) = (judged(&program, 0), judged(&program, u64::MAX));
        assert_eq!(families.states, each.states, "{readers} readers of {data}");
        assert_eq!(families.states.len(), 1 << (readers * data));
        assert_eq!(
            (families.holds, &families.flags, families.bounded),
            (each.holds, &each.flags, each.bounded)
        );
        if readers * data > 3 {
            assert!(
                families.nodes * 4 < each.nodes,
                "{} nodes instead of {}",
                families.nodes,
                each.nodes
            );
        }
    }
}

#[test]
fn the_reference_agrees_on_families() {
    let program = waiting(1, 2);
    let model = Model::named("vulkan").unwrap();
    let reference = naive::judge(&program, &model, u64::MAX).expect("no program is too large");
    assert!(reference.agrees(&judged(&program, 0)), "{reference:?}");
}
