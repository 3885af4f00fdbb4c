//! What the sides of an exchange share: memory, bounds, idioms, and how a case gives them their parts.

use crate::choices::Choices;
use crate::host::exchange::{Base, Cell, Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Contents, Kind, ObjectId, Step, Unit};
use crate::kernels::generate::builder::{CaseBuilder, at, cl};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Loads of a kernel before it gives up waiting for another kernel, which may need to be given a
/// processor first.
pub(super) const TRIES: u32 = 1 << 24;

/// The same where it waits for the host, which knows the time and says when it gives up itself.
pub(super) const TRIES_WITH_HOST: u32 = 1 << 26;

/// Work-groups that are launched where two have to run together: an implementation may give many of
/// them to one processor, one after the other. The first two that come take part.
pub(super) const GROUPS: u64 = 64;

/// The rules of a exchange of the host and a kernel.
pub(super) const WITH_HOST: [RuleId; 2] = [rule::SV_FINE_ATOMICS, rule::MM_HOST];

/// Memory that host and kernels use together, with atomics.
pub(super) fn with_host(choices: &mut Choices, case: &mut CaseBuilder) -> Kind {
    case.need(&[
        Need::SvmAtomics,
        Need::C20,
        Need::C11Atomics,
        Need::ScopeAllDevices,
    ]);
    if choices.percent(25) {
        case.need(&[Need::SvmSystem]);
        Kind::Host
    } else {
        case.need(&[Need::SvmFine]);
        Kind::SvmAtomics
    }
}

/// How a message is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idiom {
    /// Release and acquire operations.
    RelAcq,
    /// Relaxed operations between fences.
    Fences,
    /// Operations that order sequentially.
    SeqCst,
    /// Operations without an order or a scope, which order sequentially and reach the device; with the
    /// host they reach too short, so only kernels speak so.
    Plain,
}

impl Idiom {
    pub(super) fn of(choices: &mut Choices, case: &mut CaseBuilder, plain: bool) -> Idiom {
        let all = [
            Idiom::RelAcq,
            Idiom::RelAcq,
            Idiom::Fences,
            Idiom::SeqCst,
            Idiom::Plain,
        ];
        let most = if plain { 5 } else { 4 };
        let idiom = choices.pick(&all[..most]).unwrap_or(Idiom::RelAcq);
        match idiom {
            Idiom::RelAcq | Idiom::Fences => case.need(&[Need::OrderAcqRel]),
            Idiom::SeqCst => case.need(&[Need::OrderSeqCst]),
            Idiom::Plain => case.need(&[Need::OrderSeqCst, Need::ScopeDevice]),
        }
        idiom
    }

    /// The host's order for an operation that passes a message.
    pub(super) fn order(self) -> Order {
        match self {
            Idiom::RelAcq => Order::AcqRel,
            Idiom::Fences => Order::Relaxed,
            Idiom::SeqCst | Idiom::Plain => Order::SeqCst,
        }
    }

    /// The host's fence, where there is one.
    pub(super) fn fence(self) -> Vec<Operation> {
        match self {
            Idiom::Fences => vec![Operation::Fence(Order::AcqRel)],
            Idiom::RelAcq | Idiom::SeqCst | Idiom::Plain => Vec::new(),
        }
    }

    /// In a kernel: the call `name(args)` that writes a message, after its fence.
    pub(super) fn say(self, name: &str, args: &str, scope: &str) -> String {
        let explicit = |order: &str| {
            format!("{name}_explicit({args}, memory_order_{order}, memory_scope_{scope})")
        };
        match self {
            Idiom::RelAcq => explicit("release"),
            Idiom::Fences => format!(
                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_{scope}); {}",
                explicit("relaxed")
            ),
            Idiom::SeqCst => explicit("seq_cst"),
            Idiom::Plain => format!("{name}({args})"),
        }
    }

    /// In a kernel: a load of a message.
    pub(super) fn hear(self, cell: &str, scope: &str) -> String {
        let explicit = |order: &str| {
            format!("atomic_load_explicit({cell}, memory_order_{order}, memory_scope_{scope})")
        };
        match self {
            Idiom::RelAcq => explicit("acquire"),
            Idiom::Fences => explicit("relaxed"),
            Idiom::SeqCst => explicit("seq_cst"),
            Idiom::Plain => format!("atomic_load({cell})"),
        }
    }

    /// In a kernel: what follows a load that found its message.
    pub(super) fn heard(self, scope: &str) -> String {
        match self {
            Idiom::Fences => format!(
                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_{scope});"
            ),
            Idiom::RelAcq | Idiom::SeqCst | Idiom::Plain => String::new(),
        }
    }
}

/// The kernel's bounded wait until `cell` holds a value: true where it came. `quit` is read and written
/// relaxed.
pub(super) fn await_function(ty: &str, idiom: Idiom, scope: &str, tries: u32) -> String {
    let (hear, heard) = (idiom.hear("cell", scope), idiom.heard(scope));
    cl!("await.cl", ty, tries, hear, heard, scope)
}

/// So many elements after the beginning of an object.
pub(super) fn cell(object: ObjectId, unit: Unit, index: impl Into<Num>) -> Cell {
    Cell {
        base: Base::At(at(object, 0), index.into()),
        unit,
    }
}

/// A word.
pub(super) fn word(object: ObjectId, index: impl Into<Num>) -> Cell {
    cell(object, Unit::Word, index)
}

/// The word of those who give up.
pub(super) fn quit(case: &mut CaseBuilder, kind: Kind) -> ObjectId {
    let quit = case.object(kind, 4, Contents::Zero);
    case.case.quit = Some(at(quit, 0));
    quit
}

/// The host's part.
pub(super) fn talk(case: &mut CaseBuilder, acts: Vec<Operation>, rules: &[RuleId]) {
    case.step(Step::Talk {
        acts,
        rules: rules.to_vec(),
    });
}

/// Counts in a word of the host's own memory.
pub(super) fn count(own: ObjectId, index: u64, by: u64) -> Vec<Operation> {
    const SCRATCH: Reg = Reg(15);
    let at = word(own, index);
    vec![
        Operation::Read(SCRATCH, at.clone()),
        Operation::Write(at, Num::reg(SCRATCH).more(by)),
    ]
}

/// What is added where two numbers differ: one to a word of the host's own.
pub(super) fn differ(left: impl Into<Num>, right: impl Into<Num>, own: ObjectId) -> Operation {
    when(left, Is::Unequal, right, count(own, 0, 1))
}

/// Something that is done where numbers compare so.
pub(super) fn when(
    left: impl Into<Num>,
    is: Is,
    right: impl Into<Num>,
    then: Vec<Operation>,
) -> Operation {
    Operation::When(left.into(), is, right.into(), then)
}

/// Leaves the innermost repetition where a register has a value.
pub(super) fn leave_when(reg: Reg, value: u64) -> Operation {
    when(reg, Is::Equal, value, vec![Operation::Leave])
}

/// Something that is done so often; the register counts.
pub(super) fn repeat(times: impl Into<Num>, reg: Reg, body: Vec<Operation>) -> Operation {
    Operation::Repeat(times.into(), reg, body)
}

/// Waits until the kernel has said that it is here. It is better to begin together, but nothing depends
/// on it.
pub(super) fn meet(here: ObjectId) -> Operation {
    Operation::Await {
        at: word(here, 0u64),
        value: Num::of(1),
        order: Order::Relaxed,
        must: false,
    }
}
