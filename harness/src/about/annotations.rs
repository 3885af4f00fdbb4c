//! Where a litmus test stands in the heat map: its shape, and the scopes and orders of its accesses.
//!
//! Both are read off the program, so that a test's name plays no part. The shape is which thread reads and
//! writes which location in which order; it has a name where the generator knows one
//! ([`classay_litmus::generate::shapes`]), else it is spelt: `Wx Wy | Ry Rx`.

use classay_litmus::generate::shapes;
use classay_litmus::program::{
    Access, Address, Atomic, Atomicity, Expr, Instr, MemOrder, MemScope, Program,
};
use classay_reports::report::Annotation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// An access as a shape sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Way {
    Read,
    Write,
    Update,
}

/// The accesses of each thread: the way, and the number of the location.
type Skeleton = Vec<Vec<(Way, usize)>>;

/// Most threads whose orders are all tried for the canonical one.
const THREADS: usize = 5;

/// The annotations of a program; `None` where no thread accesses anything.
pub fn of(program: &Program) -> Option<Annotation> {
    let mut worn = Worn::default();
    for thread in &program.threads {
        worn.threads.push(Vec::new());
        worn.instrs(&thread.body);
    }
    worn.threads.retain(|thread| !thread.is_empty());
    if worn.threads.is_empty() {
        return None;
    }
    let skeleton = canonical(&worn.threads);
    let (rank, shape) = match named().get(&skeleton) {
        Some((rank, name)) => (*rank, name.clone()),
        None => (u32::MAX - 1, spelt(&skeleton)),
    };
    Some(Annotation {
        shape,
        rank,
        scopes: worn.scopes(),
        orders: worn.orders(),
        strength: worn.strength(),
    })
}

/// What a program's accesses, fences and barriers say.
#[derive(Default)]
struct Worn {
    threads: Skeleton,
    plain: bool,
    accesses: BTreeSet<MemOrder>,
    fences: BTreeSet<MemOrder>,
    barriers: bool,
    scopes: BTreeSet<MemScope>,
}

impl Worn {
    fn access(&mut self, way: Way, address: &Address) {
        if let Some(thread) = self.threads.last_mut() {
            thread.push((way, address.location.index()));
        }
    }

    fn annotate(&mut self, atomicity: &Atomicity) {
        match atomicity {
            Atomicity::Plain | Atomicity::Volatile | Atomicity::NonPrivate(_) => self.plain = true,
            Atomicity::Atomic(atomic) => self.atomic(atomic),
        }
    }

    fn atomic(&mut self, atomic: &Atomic) {
        self.accesses.insert(atomic.order);
        self.scopes.insert(atomic.reach());
    }

    fn instrs(&mut self, body: &[Instr]) {
        for instr in body {
            instr.expressions().for_each(|value| self.expr(value));
            match instr {
                Instr::Store { access, .. } => {
                    self.annotate(&access.atomicity);
                    self.access(Way::Write, &access.address);
                }
                Instr::Fence(fence) => {
                    self.fences.insert(fence.order);
                    self.scopes.insert(fence.scope);
                }
                Instr::Barrier(barrier) => {
                    self.barriers = true;
                    self.scopes.insert(barrier.reach());
                }
                Instr::Assign { .. }
                | Instr::Effect(_)
                | Instr::If(_)
                | Instr::While { .. }
                | Instr::Domain(_)
                | Instr::Return
                | Instr::Host(_) => {}
            }
            for block in instr.blocks() {
                self.instrs(block);
            }
        }
    }

    fn expr(&mut self, value: &Expr) {
        value.parts().for_each(|part| self.expr(part));
        match value {
            Expr::Const(_)
            | Expr::Reg(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..) => {}
            Expr::Load(Access { address, atomicity }) => {
                self.annotate(atomicity);
                self.access(Way::Read, address);
            }
            Expr::Rmw(rmw) => {
                self.atomic(&rmw.atomic);
                self.access(Way::Update, &rmw.address);
            }
            Expr::Cas(cas) => {
                if let Some(at) = cas.expected.location() {
                    self.plain = true;
                    self.access(Way::Read, at);
                }
                self.atomic(&cas.atomic);
                self.accesses.insert(cas.failure);
                self.access(Way::Update, &cas.address);
            }
        }
    }

    fn scopes(&self) -> String {
        let names: Vec<&str> = self.scopes.iter().map(|s| scope(*s)).collect();
        match names.as_slice() {
            [] => "no scope".into(),
            names => names.join(", "),
        }
    }

    fn orders(&self) -> String {
        let mut words: Vec<&str> = self.accesses.iter().map(|o| order(*o)).collect();
        if words.is_empty() && self.plain {
            words.push("plain");
        }
        let mut text = words.join(" ");
        if !self.fences.is_empty() {
            let fences: Vec<&str> = self.fences.iter().map(|o| order(*o)).collect();
            text = format!("{text} + fence {}", fences.join(" "));
        }
        if self.barriers {
            text += " + barrier";
        }
        text
    }

    /// Weakest first: by the strongest order of the accesses, then fences, then barriers.
    fn strength(&self) -> u32 {
        let strongest = |orders: &BTreeSet<MemOrder>| {
            let last = orders.last();
            last.and_then(|last| MemOrder::ALL.iter().position(|o| o == last))
                .map_or(0, |place| place as u32 + 1)
        };
        let number = self.accesses.len() as u32;
        let (accesses, fences) = (strongest(&self.accesses), strongest(&self.fences));
        ((u32::from(self.barriers) * 8 + fences) * 8 + accesses) * 8 + number
    }
}

fn scope(scope: MemScope) -> &'static str {
    match scope {
        MemScope::WorkItem => "work-item",
        MemScope::SubGroup => "sub-group",
        MemScope::WorkGroup => "work-group",
        MemScope::QueueFamily => "queue family",
        MemScope::Device => "device",
        MemScope::AllSvmDevices => "all devices",
    }
}

fn order(order: MemOrder) -> &'static str {
    match order {
        MemOrder::Relaxed => "rlx",
        MemOrder::Acquire => "acq",
        MemOrder::Release => "rel",
        MemOrder::AcqRel => "acq_rel",
        MemOrder::SeqCst => "sc",
    }
}

/// The least of all orders of its threads, with locations numbered as they appear.
fn canonical(threads: &Skeleton) -> Skeleton {
    let mut best: Option<Skeleton> = None;
    let mut order: Vec<usize> = (0..threads.len()).collect();
    let mut consider = |order: &[usize]| {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let tried: Skeleton = order
            .iter()
            .map(|thread| {
                let accesses = threads[*thread].iter();
                accesses
                    .map(|(way, location)| {
                        let next = numbers.len();
                        (*way, *numbers.entry(*location).or_insert(next))
                    })
                    .collect()
            })
            .collect();
        if best.as_ref().is_none_or(|best| tried < *best) {
            best = Some(tried);
        }
    };
    if order.len() > THREADS {
        consider(&order);
    } else {
        permutations(&mut order, 0, &mut consider);
    }
    best.unwrap_or_default()
}

fn permutations(order: &mut Vec<usize>, from: usize, each: &mut dyn FnMut(&[usize])) {
    if from == order.len() {
        each(order);
        return;
    }
    for i in from..order.len() {
        order.swap(from, i);
        permutations(order, from + 1, each);
        order.swap(from, i);
    }
}

/// The shapes that have a name in the literature, with their places; of two with the same accesses the
/// first.
fn named() -> &'static BTreeMap<Skeleton, (u32, String)> {
    static NAMED: OnceLock<BTreeMap<Skeleton, (u32, String)>> = OnceLock::new();
    NAMED.get_or_init(|| {
        let mut names = BTreeMap::new();
        let all = shapes(2..=4, 3..=6);
        for (rank, shape) in all.iter().filter(|shape| shape.named()).enumerate() {
            let threads: Skeleton = shape
                .threads
                .iter()
                .map(|slots| {
                    slots
                        .iter()
                        .map(|slot| {
                            let way = match (slot.read, slot.write) {
                                (Some(_), Some(_)) => Way::Update,
                                (None, Some(_)) => Way::Write,
                                (Some(_), None) | (None, None) => Way::Read,
                            };
                            (way, slot.location)
                        })
                        .collect()
                })
                .collect();
            names
                .entry(canonical(&threads))
                .or_insert_with(|| (rank as u32, shape.name.clone()));
        }
        names
    })
}

fn spelt(skeleton: &Skeleton) -> String {
    let thread = |accesses: &Vec<(Way, usize)>| {
        let words: Vec<String> = accesses
            .iter()
            .map(|(way, location)| {
                let way = match way {
                    Way::Read => 'R',
                    Way::Write => 'W',
                    Way::Update => 'U',
                };
                match b"xyzabcdefgh".get(*location) {
                    Some(name) => format!("{way}{}", char::from(*name)),
                    None => format!("{way}{location}"),
                }
            })
            .collect();
        words.join(" ")
    };
    skeleton.iter().map(thread).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::syntax;

    fn annotations(name: &str) -> Annotation {
        let (_, text) = classay_litmus::shipped()
            .iter()
            .find(|(shipped, _)| shipped.trim_end_matches(".litmus") == name)
            .expect("a shipped test");
        let program = syntax::read_litmus(name, text).expect("a program");
        of(&program).expect("accesses")
    }

    #[test]
    fn shipped_tests_have_the_shapes_that_they_are_named_for() {
        for (name, shape) in [
            ("MP+rel+acq", "MP"),
            ("SB+rlx", "SB"),
            ("2+2W+sc", "2+2W"),
            ("IRIW+sc", "IRIW"),
            ("R+sc", "R"),
            ("3.2W+rel", "3.2W"),
            ("ISA2+rel+acq", "ISA2"),
            ("CoRR", "CoRR"),
        ] {
            assert_eq!(annotations(name).shape, shape, "{name}");
        }
        assert!(annotations("MP+rel+acq").rank < annotations("IRIW+sc").rank);
    }

    #[test]
    fn annotations_are_distinguished_and_ordered() {
        let (weak, strong) = (annotations("SB+rlx"), annotations("SB+sc"));
        assert_eq!(
            (weak.orders.as_str(), strong.orders.as_str()),
            ("rlx", "sc")
        );
        assert!(weak.strength < strong.strength);
        assert_eq!(annotations("MP+rel+acq").scopes, "device");
        assert_eq!(annotations("MP+rel+acq+wg").scopes, "work-group");
        assert!(annotations("MP+fence+fence").orders.contains("fence"));
        assert!(annotations("MP+barrier+both").orders.ends_with("barrier"));
    }

    #[test]
    fn a_shape_does_not_depend_on_the_order_of_threads_or_locations() {
        use Way::{Read, Write};
        let one = vec![vec![(Write, 0), (Write, 1)], vec![(Read, 1), (Read, 0)]];
        let other = vec![vec![(Read, 0), (Read, 7)], vec![(Write, 7), (Write, 0)]];
        assert_eq!(canonical(&one), canonical(&other));
        let different = vec![vec![(Read, 7), (Read, 0)], vec![(Write, 7), (Write, 0)]];
        assert_ne!(canonical(&one), canonical(&different));
        assert_eq!(spelt(&canonical(&different)), "Rx Ry | Wx Wy");
    }
}
