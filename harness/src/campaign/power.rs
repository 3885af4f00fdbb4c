//! What the device under test can show of a fault that takes a weak memory.
//!
//! Touchstone's memory is made as weak as its rules allow. Of an x86 processor it is computed: each
//! litmus test is weakened as the fault would weaken it, and where x86-TSO then allows an outcome that the
//! memory model forbids of the test as it was, the processor can show the fault. (A compiler that moves
//! accesses could show more.) Of other devices it is not known.

use super::Fault;
use super::list::Mutator;
use super::weaken::weakened;
use crate::device::{Api, Capabilities, Library, Selector};
use crate::judge::ChosenModel;
use crate::threads::lock;
use classay_faults::Shows;
use classay_litmus::cat::Model;
use classay_litmus::kernel::Shape;
use classay_litmus::oracle::{Limits, State, judge};
use classay_litmus::program::Program;
use classay_litmus::syntax;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

/// The tests named in a sentence.
const NAMED: usize = 3;

/// What is known of the device's memory.
pub struct Power {
    memory: Memory,
    /// What was computed, of each fault by name.
    known: Mutex<HashMap<&'static str, Shown>>,
}

enum Memory {
    /// Touchstone's.
    AsWeakAsAllowed,
    /// An x86 processor's.
    X86(Box<X86>),
    Unknown,
}

/// Litmus tests under two models.
struct X86 {
    changes: Changes,
    model: Model,
    tests: Vec<Test>,
}

/// How faults change tests.
enum Changes {
    /// By their text, as the OpenCL layer does it.
    Texts(Mutator),
    /// By their operations, which are those of the modules that the Vulkan layer changes.
    Operations,
}

struct Test {
    name: String,
    program: Program,
    source: String,
    /// Its outcomes under the model that judges; none where it says nothing.
    allowed: BTreeSet<State>,
}

/// The tests that a fault changes, and those of them in which x86-TSO then shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shown {
    /// The names of tests that are another under the fault, and that x86-TSO judges.
    changed: Vec<String>,
    /// Changed tests that cannot be read or judged.
    unjudged: usize,
    /// The names of those in which it shows.
    shown: Vec<String>,
}

impl Shown {
    /// In words.
    fn sentence(&self) -> String {
        let Shown {
            changed,
            unjudged,
            shown,
        } = self;
        let but = match unjudged {
            0 => String::new(),
            n => format!(" (and of {n} more nothing is known)"),
        };
        let changed = changed.len();
        if !shown.is_empty() {
            format!(
                "of the {changed} litmus tests that it changes{but}, an x86 processor (x86-TSO) can show it \
                 in {}: {}",
                shown.len(),
                some(shown)
            )
        } else if changed > 0 {
            format!(
                "an x86 processor (x86-TSO) shows it in none of the {changed} litmus tests that it \
                 changes{but}: only a compiler that moves accesses could; expected power 0"
            )
        } else {
            format!(
                "a processor whose memory is one and coherent cannot show it{but}; expected power 0"
            )
        }
    }
}

/// Litmus tests by what a fault makes of them.
#[derive(Debug, Clone, Default)]
pub struct Tests {
    /// The names of those that are known to show it.
    pub sure: Vec<String>,
    /// The names of those that are another test under it.
    pub changed: Vec<String>,
}

impl Power {
    /// Of a device with these capabilities, with litmus tests that this model judges. The error is a
    /// sentence.
    ///
    /// # Errors
    ///
    /// The layer is not found, or a model cannot be used; one sentence.
    pub fn of(
        selector: &Selector,
        capabilities: &Capabilities,
        model: &ChosenModel,
        tests: impl Iterator<Item = (String, Program)>,
    ) -> Result<Power, String> {
        let x86 = matches!(std::env::consts::ARCH, "x86" | "x86_64");
        let memory = if selector.library == Library::Touchstone {
            Memory::AsWeakAsAllowed
        } else if capabilities.cpu && x86 {
            Memory::X86(Box::new(X86::new(capabilities.api, model, tests)?))
        } else {
            Memory::Unknown
        };
        Ok(Power {
            memory,
            known: Mutex::default(),
        })
    }

    /// Whether the device shows a fault, given a program that uses what it breaks.
    pub fn shows(&self, fault: &Fault) -> bool {
        let computed = || self.computed(fault).is_some_and(|s| !s.shown.is_empty());
        !fault.shows.needs_weak_memory()
            || match &self.memory {
                Memory::AsWeakAsAllowed => fault.shows != Shows::DeviceCaches,
                Memory::X86(_) => computed(),
                Memory::Unknown => false,
            }
    }

    /// The litmus tests that are known to show it, by name, and those that it changes. Nothing of a fault that needs no
    /// weak memory.
    pub fn tests(&self, fault: &Fault) -> Tests {
        let computed = self
            .computed(fault)
            .filter(|_| fault.shows.needs_weak_memory())
            .unwrap_or_default();
        Tests {
            sure: computed.shown,
            changed: computed.changed,
        }
    }

    /// What there is to say of it; nothing where every device shows it.
    pub fn says(&self, fault: &Fault) -> Option<String> {
        if !fault.shows.needs_weak_memory() {
            return None;
        }
        Some(match &self.memory {
            Memory::AsWeakAsAllowed if fault.shows == Shows::DeviceCaches => {
                "devices and a host that share one coherent memory cannot show it: it takes a device \
                 with a cache that others do not see through; expected power 0"
                    .into()
            }
            Memory::AsWeakAsAllowed => return None,
            Memory::X86(_) => self.computed(fault).unwrap_or_default().sentence(),
            Memory::Unknown => "whether this device's memory is weak enough to show it is not known; no \
                                case that fails here says that it is not"
                .into(),
        })
    }

    /// What x86-TSO says of a fault of sources or modules; none of another memory or fault.
    fn computed(&self, fault: &Fault) -> Option<Shown> {
        let Memory::X86(x86) = &self.memory else {
            return None;
        };
        if !fault.kind().changes_programs() {
            return None;
        }
        let known = || lock(&self.known);
        if let Some(shown) = known().get(fault.id) {
            return Some(shown.clone());
        }
        // Whoever computes the same beside comes to the same.
        let shown = x86.shown(fault);
        known().insert(fault.id, shown.clone());
        Some(shown)
    }
}

impl X86 {
    fn new(
        api: Api,
        model: &ChosenModel,
        tests: impl Iterator<Item = (String, Program)>,
    ) -> Result<X86, String> {
        let tests = tests.filter_map(|(name, program)| {
            Shape::of(&program).ok()?;
            // What a device fails for is what every reading forbids.
            let judged = judge(&program, model.weakest(), &Limits::default()).ok()?;
            (!judged.racy).then(|| Test {
                name,
                source: syntax::write_litmus(&program),
                program,
                allowed: judged.states,
            })
        });
        Ok(X86 {
            tests: tests.collect(),
            changes: match api {
                Api::OpenCl => Changes::Texts(Mutator::open()?),
                Api::Vulkan => Changes::Operations,
            },
            model: Model::named("x86-tso").map_err(|e| e.to_string())?,
        })
    }

    fn shown(&self, fault: &Fault) -> Shown {
        let mut found = Shown::default();
        for test in &self.tests {
            let Some(changed) = self.changes.of(fault, test) else {
                continue;
            };
            let judge = |program: Program| judge(&program, &self.model, &Limits::default()).ok();
            let Some(judged) = changed.and_then(judge) else {
                found.unjudged += 1;
                continue;
            };
            found.changed.push(test.name.clone());
            if judged.states.iter().any(|s| !test.allowed.contains(s)) {
                found.shown.push(test.name.clone());
            }
        }
        found
    }
}

impl Changes {
    /// A test as a fault changes it, where it does; the inner value is none where what it becomes is no test.
    fn of(&self, fault: &Fault, test: &Test) -> Option<Option<Program>> {
        match self {
            Changes::Texts(mutator) => {
                let source = mutator.mutated(fault.id, &test.source)?;
                // A call that is gone leaves an expression without effect, which litmus tests do not have.
                let source = source.replace("((void)0);", "");
                let read = || syntax::read_litmus(&test.name, &source).ok();
                (source != test.source).then(read)
            }
            Changes::Operations => weakened(&test.program, fault.of_vulkan_layer()?).map(Some),
        }
    }
}

/// The first names of a list, and how many more there are.
fn some(names: &[String]) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x86(api: Api) -> X86 {
        let model = ChosenModel::load(api.model()).expect("a model");
        let tests = crate::plan::shipped_of(api).expect("tests");
        let tests = tests.into_iter().map(|case| {
            let program = case.body.litmus().expect("a test");
            (case.test.clone(), Program::clone(program))
        });
        X86::new(api, &model, tests).expect("tests and the layer")
    }

    /// What the layers' lists say of a fault is what the model says of the tests that it changes.
    #[test]
    fn store_buffers_show_the_faults_that_are_said_to_need_them() {
        for (api, least) in [(Api::OpenCl, 15), (Api::Vulkan, 15)] {
            let x86 = x86(api);
            let weak = Fault::all(api)
                .filter(|f| f.kind().changes_programs() && f.shows.needs_weak_memory());
            let mut checked = 0;
            for fault in weak {
                let found = x86.shown(&fault);
                let buffers = fault.shows == Shows::StoreBuffer;
                assert_eq!(!found.shown.is_empty(), buffers, "{}: {found:?}", fault.id);
                assert_eq!(found.unjudged, 0, "{}: {found:?}", fault.id);
                checked += usize::from(!found.changed.is_empty());
            }
            assert!(checked > least, "{api:?}: {checked}");
        }
    }

    #[test]
    fn a_fault_is_shown_by_the_tests_that_it_weakens() {
        let x86 = x86(Api::OpenCl);
        let shown = |id: &str| {
            let mut all = Fault::all(Api::OpenCl);
            x86.shown(&all.find(|fault| fault.id == id).expect("a fault"))
        };
        let relaxed = shown("seq-cst-to-relaxed").shown;
        assert!(relaxed.contains(&"SB+sc+dev".to_string()), "{relaxed:?}");
        assert!(
            !relaxed.contains(&"SB+sc".to_string()),
            "names no order: {relaxed:?}"
        );
        assert!(!relaxed.contains(&"IRIW+sc+dev".to_string()), "{relaxed:?}");
        let fences = shown("drop-fences");
        assert!(
            fences.shown.contains(&"SB+sc-fences".to_string()),
            "{fences:?}"
        );
        assert_eq!(shown("waits-ignored-kernel"), Shown::default());
    }

    #[test]
    fn names_are_few_in_a_sentence() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_string).into();
        assert_eq!(some(&names), "a, b, c and 2 more");
        assert_eq!(some(&names[..2]), "a, b");
    }
}
