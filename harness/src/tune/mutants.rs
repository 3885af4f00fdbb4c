//! The mutants that environments are measured by.
//!
//! What a device can show at all depends on the device, so mutants of three kinds are measured
//! ([`Sight`]), and of each kind as many shapes as there are: those that only take work-items that take
//! turns quickly, those that a processor with store buffers shows, and those that take more. A score over
//! the first two says something of a CPU, and one over all of them of a GPU. What a CPU cannot play at
//! once, for want of processors, is left out.

use super::made::{Made, Source};
use crate::device::Capabilities;
use crate::plan::{self, Case};
use classay_litmus::generate::{Alphabet, Class, Options, Selection};
use classay_litmus::oracle::{self, Limits, Model, Readings};
use classay_litmus::program::{Placement, WorkItem};
use classay_reports::record::CaseId;
pub use classay_reports::report::tuning::Sight;
use std::collections::{BTreeMap, HashSet};

/// A weakened test.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The test that it was weakened from.
    pub of: String,
    /// The shape of its cycle.
    pub shape: String,
    /// What shows its outcome.
    pub sight: Sight,
    /// Processors that play it at once where each has one work-group, or is the host's.
    pub processors: u32,
    /// Two of its threads share a work-group.
    pub shares: bool,
    /// How to run it.
    pub case: Case,
}

/// What it takes to show a mutant's outcome; none where its outcome says nothing, since a race allows
/// anything, or none is allowed. The error is a sentence.
///
/// # Errors
///
/// The test is beyond the oracle; one sentence.
pub fn sight(test: &Made, x86: &Model) -> Result<Option<Sight>, String> {
    match test.class {
        Class::Conformance | Class::Contested | Class::Racy => Ok(None),
        Class::Sc => Ok(Some(Sight::Interleaving)),
        Class::Weak => {
            let judged = oracle::judge(&test.program, x86, &Limits::default());
            let shown = judged.map_err(|e| e.to_string())?.holds;
            Ok(Some(if shown { Sight::X86 } else { Sight::Weaker }))
        }
    }
}

/// What x86 processors show.
///
/// # Errors
///
/// The model cannot be parsed, which is a bug.
pub fn x86() -> Result<Model, String> {
    Model::named("x86-tso").map_err(|e| e.to_string())
}

/// Mutants to choose from.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Of each [`Sight`], in the order in which they are chosen.
    of: [Vec<Mutant>; 3],
}

impl Pool {
    /// Mutants of conformance tests for a model, enough to choose so many, from a source; of tests that are named
    /// also those whose own outcome is allowed. Always the same. The error is a sentence.
    ///
    /// # Errors
    ///
    /// The model is beyond the oracle; one sentence.
    pub fn new<'m>(
        source: &Source,
        count: usize,
        readings: impl Into<Readings<'m>>,
    ) -> Result<Pool, String> {
        let readings = readings.into();
        let x86 = x86()?;
        let tests = |threads, selection| {
            let options = Options {
                threads,
                edges: 3..=6,
                classes: vec![Class::Conformance],
                mutants: true,
                selection,
                alphabet: Alphabet::Core,
                ..Options::default()
            };
            source.tests(&options, readings)
        };
        let measures = |made: &&Made| match source {
            Source::Made(_) => !made.mutant_of.is_empty(),
            Source::Named(_) => made.is_allowed(),
        };
        // All of two threads: only few of them are of the second kind. Of the others more than are wanted,
        // since many mutants race.
        let mut made = tests(2..=2, Selection::All)?;
        if matches!(source, Source::Made(_)) {
            made.extend(tests(3..=4, Selection::EachShape(8 + count / 8))?);
        }
        let mut of: [BTreeMap<Size<'_>, Vec<&Made>>; 3] = Default::default();
        for test in made.iter().filter(measures) {
            if let Some(sight) = sight(test, &x86)? {
                let size = (test.program.threads.len(), test.length, &*test.shape);
                of[sight as usize].entry(size).or_default().push(test);
            }
        }
        let [first, second, third] = of.map(in_turns);
        let mutant = |sight, tests: Vec<&Made>| -> Vec<Mutant> {
            tests
                .into_iter()
                .map(|test| Mutant::new(test, sight))
                .collect()
        };
        Ok(Pool {
            of: [
                mutant(Sight::Interleaving, first),
                mutant(Sight::X86, second),
                mutant(Sight::Weaker, third),
            ],
        })
    }

    /// So many, where there are as many, of those that the device plays at once and whose names are not in
    /// `without`: a quarter that interleavings show, and of the others half that x86-TSO allows.
    pub fn choose(
        &self,
        count: usize,
        capabilities: &Capabilities,
        without: &HashSet<String>,
    ) -> Vec<Mutant> {
        let left = |mutants: &Vec<Mutant>| -> Vec<Mutant> {
            let left = mutants
                .iter()
                .filter(|m| !without.contains(&m.name) && m.at_once(capabilities));
            left.cloned().collect()
        };
        let of = [left(&self.of[0]), left(&self.of[1]), left(&self.of[2])];
        let shares = shares(count, [of[0].len(), of[1].len(), of[2].len()]);
        let chosen = of.into_iter().zip(shares);
        chosen.flat_map(|(of, n)| of.into_iter().take(n)).collect()
    }
}

impl Mutant {
    fn new(test: &Made, sight: Sight) -> Mutant {
        let threads = test.program.threads.iter();
        let threads: Vec<_> = threads.map(|thread| group(&thread.placement)).collect();
        let groups: HashSet<_> = threads.iter().collect();
        let id = CaseId::new("litmus", "mutant", &test.name);
        Mutant {
            name: test.name.clone(),
            of: of(test).to_owned(),
            shape: test.shape.clone(),
            sight,
            processors: groups.len() as u32,
            shares: groups.len() < threads.len(),
            case: plan::of_program(id, &test.program),
        }
    }

    /// Whether its threads run at the same time on a device. On a CPU they do where each work-group has a
    /// compute unit of its own; the work-items of one may be played one after another there, each to its
    /// end, so that no instance has two of them at once.
    fn at_once(&self, capabilities: &Capabilities) -> bool {
        !capabilities.cpu || !self.shares && self.processors <= capabilities.compute_units.max(2)
    }
}

/// The test that a mutant was weakened from; a test that is as weak by itself.
fn of(test: &Made) -> &str {
    test.mutant_of.first().unwrap_or(&test.name)
}

/// What a thread shares a processor with: its device and work-group.
fn group(placement: &Placement) -> Option<(u32, u32, u32)> {
    placement.work_item().map(WorkItem::group)
}

/// Threads, length, name: small shapes come first.
type Size<'t> = (usize, usize, &'t str);

/// One of each shape, then another of each. Within a shape the first mutant of each test comes before the
/// second of any.
fn in_turns<'t>(mut by_shape: BTreeMap<Size<'t>, Vec<&'t Made>>) -> Vec<&'t Made> {
    for tests in by_shape.values_mut() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        tests.sort_by_cached_key(|test| {
            let turn = seen.entry(of(test)).or_default();
            *turn += 1;
            *turn
        });
    }
    let rows = by_shape.values().map(Vec::len).max().unwrap_or(0);
    let row = |row| by_shape.values().filter_map(move |tests| tests.get(row));
    (0..rows).flat_map(row).copied().collect()
}

/// How many of each kind make `count`, of as many as there are.
fn shares(count: usize, there: [usize; 3]) -> [usize; 3] {
    let first = count / 4;
    let second = (count - first).div_ceil(2);
    let wanted = [first, second, count - first - second];
    let mut shares = [0, 1, 2].map(|kind| wanted[kind].min(there[kind]));
    // What one kind lacks the others make up for.
    for kind in [1, 0, 2] {
        let more = count - shares.iter().sum::<usize>();
        shares[kind] += more.min(there[kind] - shares[kind]);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Api;
    use classay_litmus::program::Program;
    use std::collections::BTreeSet;

    #[test]
    fn mutants_are_of_every_kind_and_of_many_shapes() {
        let model = Model::named("opencl-3.0").expect("a model");
        let pool = Pool::new(&Source::Made(Api::OpenCl), 32, &model).expect("mutants");
        let gpu = Capabilities::default();
        let all = pool.choose(32, &gpu, &HashSet::new());
        assert_eq!(all.len(), 32);
        let names: BTreeSet<&str> = all.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        let of = |sight: Sight| all.iter().filter(move |m| m.sight == sight);
        let shapes = |sight| of(sight).map(|m| &*m.shape).collect::<BTreeSet<_>>();
        for (sight, count, least) in [
            (Sight::Interleaving, 8, 4),
            (Sight::X86, 12, 8),
            (Sight::Weaker, 12, 12),
        ] {
            assert_eq!(of(sight).count(), count, "{sight:?}");
            let shapes = shapes(sight);
            assert!(shapes.len() >= least, "{sight:?} {shapes:?}");
        }
        // Store buffering is what x86-TSO is about, and load buffering what it never does.
        for shape in ["SB", "R", "RWC", "3.SB"] {
            assert!(shapes(Sight::X86).contains(shape), "{shape}");
        }
        assert!(all.iter().any(|m| m.shape == "LB"));
        assert!(of(Sight::X86).all(|m| !m.shape.contains("LB") && m.shape != "MP"));

        // What a device does not run has others in its place.
        let without: HashSet<String> = of(Sight::X86).take(4).map(|m| m.name.clone()).collect();
        let others = pool.choose(32, &gpu, &without);
        assert_eq!(others.len(), 32);
        assert!(others.iter().all(|m| !without.contains(&m.name)));
        let again = others.iter().filter(|m| m.sight == Sight::X86).count();
        assert_eq!(again, 12);

        // A CPU with as many processors plays what has no more work-groups, each of one thread.
        let cpu = |compute_units| {
            let cpu = Capabilities {
                cpu: true,
                compute_units,
                ..Capabilities::default()
            };
            pool.choose(32, &cpu, &HashSet::new())
        };
        assert_eq!(cpu(2).len(), 32);
        assert!(cpu(2).iter().all(|m| m.processors <= 2 && !m.shares));
        let buffers = |all: &[Mutant]| all.iter().filter(|m| m.sight == Sight::X86).count();
        assert_eq!((buffers(&cpu(2)), buffers(&cpu(4))), (12, 12));
        assert!(cpu(4).iter().any(|m| m.processors > 2));
    }

    #[test]
    fn tests_of_vulkan_are_weakened_and_those_that_are_named_measure() {
        let model = Model::named("vulkan").expect("a model");
        let names = |source: &Source| -> Vec<(String, String)> {
            let pool = Pool::new(source, 12, &model).expect("mutants");
            let all = pool.choose(12, &Capabilities::default(), &HashSet::new());
            all.into_iter().map(|m| (m.name, m.of)).collect()
        };
        let made = names(&Source::Made(Api::Vulkan));
        assert_eq!(made.len(), 12);
        assert!(
            made.iter()
                .all(|(name, of)| name.starts_with(&format!("{of}~")))
        );
        let program = |name: &str| {
            let cases = plan::shipped_of(Api::Vulkan).expect("tests");
            let case = cases.iter().find(|case| case.test == name);
            let program = case.and_then(|case| case.body.litmus()).expect("a test");
            Program::clone(program)
        };
        let named = names(&Source::Named(vec![
            program("SB+rlx"),
            program("MP+rel+acq"),
        ]));
        assert_eq!(named.iter().filter(|(_, of)| of == "SB+rlx").count(), 1);
        assert!(named.iter().any(|(_, of)| of == "MP+rel+acq"));
    }

    #[test]
    fn shares_make_up_for_what_is_lacking() {
        assert_eq!(shares(32, [100, 100, 100]), [8, 12, 12]);
        assert_eq!(shares(6, [100, 100, 100]), [1, 3, 2]);
        assert_eq!(shares(1, [100, 100, 100]), [0, 1, 0]);
        assert_eq!(shares(32, [100, 5, 100]), [15, 5, 12]);
        assert_eq!(shares(32, [100, 0, 3]), [29, 0, 3]);
        assert_eq!(shares(32, [1, 2, 3]), [1, 2, 3]);
    }
}
