//! The oracle against the reference.

use super::{naive, random};
use crate::oracle::{Limits, Model, judge};

/// Compares both on the programs of some seeds, two of seven symmetric; returns how many were
/// compared.
fn compare(seeds: impl Iterator<Item = u64>, models: &[Model], most: u64) -> u64 {
    let mut compared = 0;
    for seed in seeds {
        let limits = always(seed);
        let program = if seed % 7 < 2 {
            random::symmetric(seed)
        } else {
            random::program(seed)
        };
        for model in models {
            let Some(reference) = naive::judge(&program, model, most) else {
                continue;
            };
            let judgement = judge(&program, model, &limits).unwrap();
            assert!(
                reference.agrees(&judgement),
                "seed {seed}, model {}:\n{program:#?}\nreference {reference:#?}\noracle {judgement:#?}",
                model.name,
            );
            compared += 1;
        }
    }
    compared
}

/// Limits under which symmetric threads are looked for in small programs, too, which have few choices, or families
/// of outcomes.
pub fn always(seed: u64) -> Limits {
    Limits {
        symmetry: 0,
        families: match seed % 2 {
            0 => 0,
            _ => u64::MAX,
        },
        ..Limits::default()
    }
}

fn named(names: &[&str]) -> Vec<Model> {
    names.iter().map(|m| Model::named(m).unwrap()).collect()
}

/// Models that use the language in ways that those of OpenCL do not.
fn others() -> Vec<Model> {
    let texts = [
        (
            "one happens-before, no total order",
            "let rs = [W & A]; (po & loc)?; [W & A]; (rf; [RMW])*
             let rel = REL | ACQ_REL | SC let acq = ACQ | ACQ_REL | SC
             let sw = [rel]; ([F]; po)?; rs; rf; [R & A]; (po; [F])?; [acq]
             let hb = (po | asw | sw)+
             let eco = (rf | co | fr)+
             irreflexive hb; eco? as coh
             empty rmw & (fre; coe) as atomic
             irreflexive rf as rf
             let scb = po | ((po \\ loc); hb; (po \\ loc)) | (hb & loc) | co | fr
             let psc = ([SC] | ([F & SC]; hb?)); scb; ([SC] | (hb?; [F & SC]))
             acyclic psc | ([F & SC]; (hb | (hb; eco; hb)); [F & SC]) as sc
             acyclic po | rf as no-thin-air
             flag ~empty (((W * M) | (M * W)) & loc & ext) \\ (A * A) \\ (hb | hb^-1) as race",
        ),
        (
            "recursive definitions",
            "let rec hb = po | asw | sync | (hb; hb)
               and sync = [W & A]; rf; [A] & (hb; [R] | _ * R)
             irreflexive hb as hb
             irreflexive fr; hb as wr
             irreflexive co; hb as ww
             let rec far = rf | (let rec near = co | (near; far) in near; po)
             undefined_unless acyclic far as far
             acyclic (rf | co | fr) & loc as coherence",
        ),
        (
            "sets that choices determine",
            "let read = domain(rf; [A]) let seen = range(rf & ext)
             irreflexive po; [range(rf; [A])]; fr as odd
             empty (W & read) \\ (IW | domain(co) | A) as set
             acyclic (po; [seen]) | rf | co as cycle
             flag ~empty (read * seen) & po as flagged
             flag acyclic po | rf as flagged-acyclic
             ~empty rf | co as some",
        ),
        (
            "a total order with free choices",
            "with S from linearisations(SC, [SC]; po; [SC])
             irreflexive S; fr as sc-fr
             irreflexive S; (co \\ rf) as sc-co
             empty ([W]; (S & loc); [R]) \\ (S; S) \\ (po | rf | (co; rf) | fr^-1) as sc-next
             acyclic (rf | co | fr | po) & loc as coherence
             flag ~empty (S; S) & ext as far",
        ),
    ];
    texts
        .iter()
        .map(|(name, text)| Model::parse(name, text).unwrap_or_else(|e| panic!("{name}: {e:?}")))
        .collect()
}

#[test]
fn both_engines_agree_on_random_programs() {
    let mut models = named(&[
        "opencl-3.0",
        "opencl-3.1",
        "opencl-2.0",
        "opencl-scoped-sc",
        "sc",
    ]);
    models.extend(others());
    // Every program is judged under one model, all models taking turns.
    let mut compared = 0;
    let mut seed = 0;
    while compared < 500 {
        let turn = &models[seed as usize % models.len()];
        compared += compare(std::iter::once(seed), std::slice::from_ref(turn), 60);
        seed += 1;
        assert!(seed < 3000, "only {compared} programs were small enough");
    }
}

#[test]
#[ignore = "a long campaign"]
fn both_engines_agree_on_many_random_programs() {
    let number =
        |name: &str, default: u64| std::env::var(name).map_or(default, |s| s.parse().unwrap());
    let (from, programs) = (
        number("ORACLE_SEED", 1_000_000),
        number("ORACLE_PROGRAMS", 20_000),
    );
    let mut models = named(&[
        "opencl-3.0",
        "opencl-3.1",
        "opencl-2.0",
        "opencl-scoped-sc",
        "sc",
    ]);
    models.extend(others());
    // Every program is judged under one model, all models taking turns.
    let (mut compared, mut seed) = (0, from);
    while compared < programs {
        let turn = &models[seed as usize % models.len()];
        compared += compare(std::iter::once(seed), std::slice::from_ref(turn), 500);
        seed += 1;
        if compared % 1000 == 0 {
            println!("{compared} programs up to seed {seed}");
        }
        assert!(
            seed - from < programs * 3,
            "only {compared} programs were small enough"
        );
    }
    println!("{compared} programs up to seed {seed}");
}
