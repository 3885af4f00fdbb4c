//! What a program of one API cannot have, and what the memory semantics of Vulkan may say together.

use crate::program::{
    Api, Atomicity, Barrier, BarrierScope, Expected, Expr, Fence, FenceFlags, Instr, LocId, Make,
    MemOrder, MemScope, Memory, Placement, Program, Region, RmwOp, ScalarType, each_expr,
    each_instr,
};
use crate::syntax::error::{Outcome, Span};

/// Fails where a program has something that its API does not; `places` are those of its threads.
pub(crate) fn check(program: &Program, places: &[Span]) -> Outcome<()> {
    let place = |t: usize| places.get(t).copied().unwrap_or_default();
    let wrong = match program.api {
        Api::OpenCl => open_cl(program),
        Api::Vulkan => vulkan(program),
    };
    match wrong {
        None => Ok(()),
        Some((thread, what)) => {
            let span = thread.map_or(Span::default(), place);
            let of = thread.map_or(String::new(), |t| format!("P{t}: "));
            Err(span.problem(format!("{of}{what}"), "not possible here"))
        }
    }
}

/// A thread, where one is concerned, and what is wrong.
type Wrong = (Option<usize>, &'static str);

fn open_cl(program: &Program) -> Option<Wrong> {
    let location = program
        .locations
        .iter()
        .find_map(|location| match location.region {
            Region::Image | Region::Output | Region::Input => Some("OpenCL has no such region"),
            Region::Global | Region::Local if location.memory == Memory::HostCoherent => {
                Some("OpenCL has no such memory")
            }
            Region::Global | Region::Local if location.alias.is_some() => {
                Some("a location of OpenCL has one name")
            }
            Region::Global | Region::Local => None,
        });
    if let Some(what) = location {
        return Some((None, what));
    }
    let family = |p: Placement| p.work_item().is_some_and(|item| item.queue_family != 0);
    let placed = program.threads.iter().position(|t| family(t.placement));
    if placed.is_some() {
        return Some((placed, "OpenCL has no queue families"));
    }
    if !(program.synchronized.is_empty() && program.contributes.is_empty()) {
        return Some((
            None,
            "what a test of OpenCL synchronizes beside its threads are commands",
        ));
    }
    each_thread(
        program,
        |instr, wrong| match instr {
            Instr::Fence(fence) => {
                let odd = fence.make != Make::NOTHING
                    || fence.flags.output
                    || fence.scope == MemScope::QueueFamily;
                if odd {
                    wrong("the fence is one of Vulkan");
                }
            }
            Instr::Barrier(barrier) => {
                let group = match barrier.group {
                    BarrierScope::WorkGroup | BarrierScope::SubGroup => true,
                    BarrierScope::QueueFamily | BarrierScope::Device => false,
                };
                let same = Barrier {
                    label: barrier.label.clone(),
                    scope: barrier.scope,
                    ..Barrier::of(barrier.group, barrier.flags)
                } == *barrier;
                if !group || !same || barrier.flags.output {
                    wrong("the barrier is one of Vulkan");
                }
            }
            Instr::Domain(_) => wrong("OpenCL has no operations on memory domains"),
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::Store { .. }
            | Instr::If(_)
            | Instr::While { .. }
            | Instr::Return
            | Instr::Host(_) => {}
        },
        |atomicity, wrong| match atomicity {
            Atomicity::Plain | Atomicity::Volatile => {}
            Atomicity::NonPrivate(_) => wrong("only Vulkan has non-private accesses"),
            Atomicity::Atomic(atomic) => {
                let semantics = atomic.flags != FenceFlags::NONE || atomic.make != Make::NOTHING;
                if semantics || atomic.scope == Some(MemScope::QueueFamily) {
                    wrong("an atomic of OpenCL has neither such semantics nor such a scope");
                }
            }
        },
    )
}

fn vulkan(program: &Program) -> Option<Wrong> {
    if !program.queues.is_empty() {
        return Some((None, "a test of Vulkan has no command-queues"));
    }
    let odd = |ty: ScalarType| ty == ScalarType::Flag;
    if program
        .locations
        .iter()
        .any(|l| l.generic || l.atomic || odd(l.ty))
    {
        return Some((
            None,
            "a location of Vulkan has neither a generic nor an atomic type",
        ));
    }
    let allocated = |memory| match memory {
        Memory::Unstated | Memory::HostCoherent => true,
        Memory::Buffer
        | Memory::CoarseSvm
        | Memory::FineSvm
        | Memory::FineSvmAtomics
        | Memory::SystemSvm => false,
    };
    if program.locations.iter().any(|l| !allocated(l.memory)) {
        return Some((None, "memory of Vulkan is host_coherent, or says nothing"));
    }
    if let Some(wrong) = misplaced(program) {
        return Some(wrong);
    }
    let barred = program.threads.iter().position(|thread| {
        let mut meets = false;
        each_instr(&thread.body, &mut |instr| {
            meets |= matches!(instr, Instr::Barrier(_))
        });
        meets && thread.placement == Placement::Host
    });
    if barred.is_some() {
        return Some((barred, "a host thread cannot wait at a barrier"));
    }
    each_thread(
        program,
        |instr, wrong| match instr {
            Instr::Assign { value, .. } => computed(value, false, wrong),
            Instr::Effect(value) => computed(value, true, wrong),
            Instr::Store { .. } | Instr::If(_) | Instr::While { .. } => {
                if instr.expressions().any(Expr::touches_memory) {
                    wrong(APART);
                }
            }
            Instr::Fence(Fence { legacy: true, .. }) => wrong("Vulkan has no such fence"),
            Instr::Fence(fence) => semantics(fence.order, fence.make, wrong),
            Instr::Barrier(barrier) => semantics(barrier.order, barrier.make, wrong),
            Instr::Domain(_) | Instr::Return => {}
            Instr::Host(_) => wrong("a test of Vulkan calls no OpenCL"),
        },
        |atomicity, wrong| match atomicity {
            Atomicity::Plain | Atomicity::NonPrivate(_) => {}
            Atomicity::Volatile => wrong("a volatile access of Vulkan is stated by its semantics"),
            Atomicity::Atomic(atomic) => {
                if atomic.implicit || atomic.scope.is_none() {
                    wrong("an atomic of Vulkan states its scope and its semantics");
                }
                semantics(atomic.order, atomic.make, wrong);
            }
        },
    )
}

/// Calls on the device, shader inputs that are written, and invocations that contribute and are none.
fn misplaced(program: &Program) -> Option<Wrong> {
    let on_host = |t: usize| program.threads[t].placement == Placement::Host;
    for (t, thread) in program.threads.iter().enumerate() {
        let mut found = None;
        each_instr(&thread.body, &mut |instr| match instr {
            Instr::Domain(operation) if operation.is_call() && !on_host(t) => {
                found = Some("only a host thread submits, flushes, invalidates and frees");
            }
            Instr::Store { access, .. } if is_input(program, access.address.location) => {
                found = Some("an input is only read");
            }
            _ => {}
        });
        each_expr(&thread.body, &mut |expr| {
            let written = match expr {
                Expr::Rmw(rmw) => Some(rmw.address.location),
                Expr::Cas(cas) => Some(cas.address.location),
                _ => None,
            };
            if written.is_some_and(|location| is_input(program, location)) {
                found = Some("an input is only read");
            }
        });
        if let Some(what) = found {
            return Some((Some(t), what));
        }
    }
    let pairs = program.contributes.iter();
    let mut threads = pairs.flat_map(|(from, to)| [from.index(), to.index()]);
    let host = threads.find(|t| on_host(*t))?;
    Some((
        Some(host),
        "a host thread is no shader invocation, and contributes to none",
    ))
}

fn is_input(program: &Program, location: LocId) -> bool {
    program.locations[location.index()].region == Region::Input
}

const APART: &str = "a memory access of Vulkan is an instruction of its own";

/// What an instruction assigns or evaluates: one access, or none.
fn computed(value: &Expr, alone: bool, wrong: &mut dyn FnMut(&'static str)) {
    if value.parts().any(Expr::touches_memory) {
        wrong(APART);
    }
    match value {
        Expr::Load(_) => {}
        Expr::Rmw(rmw) if rmw.op == RmwOp::TestAndSet => wrong("Vulkan has no atomic flags here"),
        Expr::Rmw(_) => {}
        Expr::Cas(cas) => {
            if !alone || matches!(cas.expected, Expected::Location(_)) {
                wrong("a compare-exchange of Vulkan leaves the old value in its register");
            }
            let weaker = [MemOrder::Relaxed, MemOrder::Acquire].contains(&cas.failure);
            if !weaker {
                wrong("a compare-exchange that fails is relaxed or acquires");
            }
        }
        Expr::Const(0) => {}
        Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) => {
            if alone {
                wrong("the instruction has no effect");
            }
        }
    }
}

/// "MakeAvailable: Semantics must: be Release or AcquireRelease. … MakeVisible: Semantics must: be
/// Acquire or AcquireRelease." Sequential consistency is no order of Vulkan. [vk.validity]
fn semantics(order: MemOrder, make: Make, wrong: &mut dyn FnMut(&'static str)) {
    let (acquires, releases) = match order {
        MemOrder::Relaxed => (false, false),
        MemOrder::Acquire => (true, false),
        MemOrder::Release => (false, true),
        MemOrder::AcqRel => (true, true),
        MemOrder::SeqCst => return wrong("Vulkan has no seq_cst"),
    };
    if make.available && !releases {
        wrong("MakeAvailable needs a release");
    }
    if make.visible && !acquires {
        wrong("MakeVisible needs an acquire");
    }
}

/// Looks at every instruction and every access; the first thing that is wrong.
fn each_thread(
    program: &Program,
    mut of_instr: impl FnMut(&Instr, &mut dyn FnMut(&'static str)),
    mut of_access: impl FnMut(Atomicity, &mut dyn FnMut(&'static str)),
) -> Option<Wrong> {
    for (t, thread) in program.threads.iter().enumerate() {
        let mut found = None;
        let mut wrong = |what| {
            found.get_or_insert(what);
        };
        each_instr(&thread.body, &mut |instr| {
            of_instr(instr, &mut wrong);
            if let Instr::Store { access, .. } = instr {
                of_access(access.atomicity, &mut wrong);
            }
        });
        each_expr(&thread.body, &mut |expr| match expr {
            Expr::Load(access) => of_access(access.atomicity, &mut wrong),
            Expr::Rmw(rmw) => of_access(Atomicity::Atomic(rmw.atomic), &mut wrong),
            Expr::Cas(cas) => of_access(Atomicity::Atomic(cas.atomic), &mut wrong),
            Expr::Const(_)
            | Expr::Reg(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..) => {}
        });
        if let Some(what) = found {
            return Some((Some(t), what));
        }
    }
    None
}
