//! What is generated, of every kind, and the programs of findings.

use super::clause::Clause;
use super::kernels::complaints as of_kernels;
use super::{Complaint, complaints, host, lowered};
use classay_suites::api::{self, Case as ApiCase};
use classay_suites::commands::check::Plan;
use classay_suites::commands::generate::{Profile, enumerate, small};
use classay_suites::commands::yaml;
use classay_suites::family::{DeviceInfo, Family, kind_of};
use classay_suites::kernels::{self, case::KernelCase};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How often programs of a kind are against a sentence, and one of them.
#[derive(Default)]
struct Census(BTreeMap<(String, Clause), (usize, String)>);

impl Census {
    fn add(&mut self, kind: &str, seed: u64, found: BTreeSet<Complaint>) {
        let clauses: BTreeSet<Clause> = found.iter().map(|one| one.clause).collect();
        for clause in clauses {
            let first = found.iter().find(|one| one.clause == clause);
            let entry = self.0.entry((kind.to_owned(), clause)).or_default();
            entry.0 += 1;
            if let (1, Some(first)) = (entry.0, first) {
                entry.1 = format!("seed {seed}: {first}");
            }
        }
    }

    fn is_clean(&self) {
        let lines = self.0.iter().map(|((kind, clause), (count, first))| {
            format!("{kind}: {count} against {clause:?}, as {first}")
        });
        let lines: Vec<String> = lines.collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }
}

/// So many programs of every kind, from a seed on.
fn programs(first: u64, each: u64) -> Census {
    let mut census = Census::default();
    for (family, kind, _) in Profile::all() {
        let kind = format!("{family}/{kind}");
        for seed in first..first + each {
            let plan = Plan::generate(&kind, seed).unwrap_or_else(|| panic!("{kind} {seed}"));
            let mut found = complaints(&plan.program);
            let lowered = plan.lower(&DeviceInfo::unknown());
            found.extend(lowered::complaints(&plan, lowered.as_ref()));
            found.extend(host::of_threads(lowered.as_ref()));
            census.add(&kind, seed, found);
        }
    }
    for (family, kind, _) in kernels::generate::FAMILIES {
        let kind = format!("{family}/{kind}");
        for seed in first..first + each {
            let case = KernelCase::generate(&kind, seed).expect("a case");
            census.add(&kind, seed, of_case(&case, &of_kernels));
        }
    }
    for (family, kind, _) in api::generate::FAMILIES {
        let kind = format!("{family}/{kind}");
        for seed in first..first + each {
            let case = ApiCase::generate(&kind, seed).expect("a case");
            census.add(&kind, seed, of_case(&case, &|_| BTreeSet::new()));
        }
    }
    census
}

/// What is undefined in a case, and in what it is lowered to.
fn of_case<F: Family>(case: &F, own: &dyn Fn(&F) -> BTreeSet<Complaint>) -> BTreeSet<Complaint> {
    let mut found = own(case);
    let lowered = case.lower(&DeviceInfo::unknown());
    found.extend(host::complaints(lowered.as_ref()));
    found
}

#[test]
fn generated_programs_are_defined() {
    programs(0, 40).is_clean();
}

#[test]
#[ignore = "takes five minutes: cargo test -p classay-suites --test defined -- --ignored"]
fn twenty_thousand_programs_of_every_kind_are_defined() {
    programs(1_000, 20_000).is_clean();
}

#[test]
fn small_programs_are_defined() {
    let mut census = Census::default();
    for number in (0..enumerate::shapes().len()).step_by(29) {
        let plan = small(number).expect("a program");
        census.add("small", number as u64, complaints(&plan.program));
    }
    census.is_clean();
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
}

#[test]
fn programs_of_findings_are_defined() {
    let mut all = Vec::new();
    files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("findings"),
        &mut all,
    );
    let mut census = Census::default();
    let mut programs = 0;
    for path in all {
        let text = std::fs::read_to_string(&path).expect("a file");
        let found = match kind_of(&text) {
            Some("kernel") => of_case(&KernelCase::read(&text).expect("a case"), &of_kernels),
            Some("api") => of_case(&ApiCase::read(&text).expect("a case"), &|_| BTreeSet::new()),
            Some("commands") => complaints(&yaml::read(&text).expect("a program")),
            other => panic!("{}: of what kind is it: {other:?}", path.display()),
        };
        census.add(&path.display().to_string(), 0, found);
        programs += 1;
    }
    assert!(programs > 80, "{programs} programs in findings");
    census.is_clean();
}
