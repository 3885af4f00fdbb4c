//! Programs that are alike have one canonical form, programs that are not have two.

use super::{DEFAULT, VULKAN};
use crate::generate::canonical;
use crate::mutation::changes;
use crate::program::{
    Address, Api, Atom, Atomic, Cas, CasStrength, DomainOp, Expected, Expr, FenceFlags, Instr,
    LocId, Make, MemOrder, MemScope, Observable, Placement, Predicate, Program, RegId, ThreadId,
    WorkItem,
};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// A random order of so many things: where each goes.
fn order(rng: &mut TestRng, n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.next_u32() as usize % (i + 1));
    }
    order
}

/// Each thing where `order` says.
fn reordered<T: Clone>(items: &[T], order: &[u32]) -> Vec<T> {
    let mut out = items.to_vec();
    for (item, at) in items.iter().zip(order) {
        out[*at as usize] = item.clone();
    }
    out
}

struct Renaming {
    locations: Vec<u32>,
    registers: Vec<u32>,
}

impl Renaming {
    fn register(&self, register: &mut RegId) {
        register.0 = self.registers[register.0 as usize];
    }

    fn address(&self, address: &mut Address) {
        address.location = LocId(self.locations[address.location.index()]);
        if let Some(index) = &mut address.index {
            self.expr(index);
        }
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Const(_) => {}
            Expr::Reg(register) => self.register(register),
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Select(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Expr::Load(access) => self.address(&mut access.address),
            Expr::Rmw(rmw) => {
                self.address(&mut rmw.address);
                self.expr(&mut rmw.operand);
            }
            Expr::Cas(cas) => {
                self.address(&mut cas.address);
                match &mut cas.expected {
                    Expected::Location(at) => self.address(at),
                    Expected::Register(register) => self.register(register),
                }
                self.expr(&mut cas.desired);
            }
        }
    }

    fn block(&self, block: &mut [Instr]) {
        for instr in block {
            match instr {
                Instr::Assign { register, value } => {
                    self.register(register);
                    self.expr(value);
                }
                Instr::Effect(value) => self.expr(value),
                Instr::Store { access, value } => {
                    self.address(&mut access.address);
                    self.expr(value);
                }
                Instr::If(branch) => {
                    self.expr(&mut branch.condition);
                    self.block(&mut branch.then);
                    self.block(&mut branch.otherwise);
                }
                Instr::While { condition, body } => {
                    self.expr(condition);
                    self.block(body);
                }
                Instr::Domain(
                    DomainOp::Flush(location)
                    | DomainOp::Invalidate(location)
                    | DomainOp::Free(location),
                ) => *location = LocId(self.locations[location.index()]),
                Instr::Fence(_)
                | Instr::Barrier(_)
                | Instr::Domain(_)
                | Instr::Return
                | Instr::Host(_) => {}
            }
        }
    }
}

/// The program with everything that has a number or a name called otherwise.
fn shuffled(program: &Program, rng: &mut TestRng) -> Program {
    let mut out = program.clone();
    out.name = "another".into();
    let threads = order(rng, program.threads.len());
    let locations = order(rng, program.locations.len());
    let mut registers = Vec::new();
    let offset = rng.next_u32() % 5;
    for thread in &mut out.threads {
        let renaming = Renaming {
            locations: locations.clone(),
            registers: order(rng, thread.registers.len()),
        };
        renaming.block(&mut thread.body);
        thread.registers = reordered(&thread.registers, &renaming.registers);
        registers.push(renaming.registers);
        if let Placement::Device(item) = &mut thread.placement {
            item.device += offset;
            item.work_group = 7 - item.work_group;
            item.queue_family += offset;
            item.sub_group = item.sub_group.map(|s| (s + offset) % 9);
        }
    }
    out.threads = reordered(&out.threads, &threads);
    for (i, location) in out.locations.iter_mut().enumerate() {
        location.name = format!("v{i}");
    }
    out.locations = reordered(&out.locations, &locations);
    let parts = match &mut out.condition.predicate {
        Predicate::And(parts) => {
            let places = order(rng, parts.len());
            *parts = reordered(parts, &places);
            parts.as_mut_slice()
        }
        other => std::slice::from_mut(other),
    };
    for part in parts {
        if let Predicate::Compare(_, Atom::Observe(observable), _) = part {
            *observable = match *observable {
                Observable::Register(t, r) => Observable::Register(
                    ThreadId(threads[t.index()]),
                    RegId(registers[t.index()][r.0 as usize]),
                ),
                Observable::Memory(l, element) => {
                    Observable::Memory(LocId(locations[l.index()]), element)
                }
            };
        }
    }
    out
}

#[test]
fn shuffled_programs_are_alike() {
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    for found in DEFAULT.iter().step_by(29).chain(VULKAN.iter().step_by(31)) {
        let program = found.candidate.program();
        for _ in 0..3 {
            let other = shuffled(&program, &mut rng);
            assert_eq!(canonical(&other), found.form, "{}", program.name);
        }
    }
}

#[test]
fn changed_programs_are_not_alike() {
    for found in DEFAULT.iter().step_by(97).chain(VULKAN.iter().step_by(67)) {
        let program = found.candidate.program();
        for change in changes(&program) {
            let form = canonical(&change.apply(&program));
            assert_ne!(form, found.form, "{} {}", program.name, change.word);
        }
    }
}

/// A shipped test of Vulkan.
fn shipped(name: &str) -> Program {
    let all = crate::shipped_vulkan();
    let (_, text) = all
        .iter()
        .find(|(n, _)| *n == name)
        .expect("a shipped test");
    crate::syntax::read_litmus(name, text).expect("it can be read")
}

#[test]
fn what_vulkan_states_beside_orders_tells_programs_apart() {
    let of = |name: &str, change: &dyn Fn(&mut Program)| {
        let mut program = shipped(name);
        change(&mut program);
        canonical(&program)
    };
    let same = |_: &mut Program| ();
    let item = |program: &mut Program, t: usize, change: &dyn Fn(&mut WorkItem)| {
        if let Placement::Device(item) = &mut program.threads[t].placement {
            change(item);
        }
    };
    // In a family of its own a thread is in another work-group, but so it was before.
    let family = |p: &mut Program| item(p, 1, &|item| item.queue_family = 1);
    assert_ne!(of("MP+rel+acq", &family), of("MP+rel+acq", &same));
    // One family is like another.
    let both = |p: &mut Program| (0..2).for_each(|t| item(p, t, &|item| item.queue_family = 3));
    assert_eq!(of("MP+rel+acq", &both), of("MP+rel+acq", &same));
    let ordered = |p: &mut Program| p.synchronized.push((ThreadId(0), ThreadId(1)));
    let other = |p: &mut Program| p.synchronized.push((ThreadId(1), ThreadId(0)));
    assert_ne!(of("MP+rel+acq", &ordered), of("MP+rel+acq", &same));
    assert_ne!(of("MP+rel+acq", &ordered), of("MP+rel+acq", &other));
    let opencl = |p: &mut Program| p.api = Api::OpenCl;
    assert_ne!(of("MP+rel+acq", &opencl), of("MP+rel+acq", &same));
    let alias = |p: &mut Program| p.locations[1].alias = Some(LocId(0));
    assert_ne!(of("MP+rel+acq", &alias), of("MP+rel+acq", &same));
}

#[test]
fn semantics_of_compare_exchanges_tell_programs_apart() {
    let atomic = |flags: FenceFlags, make: Make| Atomic {
        flags,
        make,
        ..Atomic::explicit(MemOrder::AcqRel, Some(MemScope::Device))
    };
    let form = |atomic: Atomic| {
        let mut program = shipped("MP+rel+acq");
        program.threads[1].body.push(Instr::Effect(Expr::Cas(Cas {
            strength: CasStrength::Strong,
            address: Address {
                location: LocId(0),
                index: None,
            },
            expected: Expected::Register(RegId(0)),
            desired: Box::new(Expr::Const(1)),
            atomic,
            failure: MemOrder::Acquire,
        })));
        canonical(&program)
    };
    let global = FenceFlags {
        global: true,
        ..FenceFlags::NONE
    };
    let local = FenceFlags {
        local: true,
        ..FenceFlags::NONE
    };
    let visible = Make {
        visible: true,
        available: false,
    };
    let forms = [
        form(atomic(global, Make::NOTHING)),
        form(atomic(local, Make::NOTHING)),
        form(atomic(global, visible)),
    ];
    for (a, one) in forms.iter().enumerate() {
        for other in &forms[a + 1..] {
            assert_ne!(one, other);
        }
    }
}
