//! The mnemonics of the VULKAN dialect and what their modifiers say.

use super::domain::{DOMAINS, DomainWord};
use crate::program::{BinOp, FenceFlags, Make, MemOrder, MemScope, Region, RmwOp};
use crate::syntax::error::{Outcome, Problem, nearest};
use crate::syntax::tree::{Instruction, Name, Node};

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mnemonic {
    Load,
    Store,
    /// A read-modify-write; which one its modifiers say.
    Rmw,
    MemoryBarrier,
    ControlBarrier,
    Domain(DomainWord),
    Goto,
    /// Jumps where two values compare so.
    BranchIf(BinOp),
    /// Jumps where a value is zero, or is not.
    BranchZero(bool),
    Move,
    Compute(BinOp),
    /// Does nothing; what is left of an instruction that is taken away.
    Nothing,
    Return,
}

/// Every mnemonic with its word.
pub(crate) const COMPUTE: [(&str, BinOp); 10] = [
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("mul", BinOp::Mul),
    ("div", BinOp::Div),
    ("rem", BinOp::Rem),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
    ("shl", BinOp::Shl),
    ("shr", BinOp::Shr),
];

/// Branches on a comparison.
pub(crate) const BRANCHES: [(&str, BinOp); 6] = [
    ("beq", BinOp::Eq),
    ("bne", BinOp::Ne),
    ("blt", BinOp::Lt),
    ("ble", BinOp::Le),
    ("bgt", BinOp::Gt),
    ("bge", BinOp::Ge),
];

/// Read-modify-writes by their modifier; an exchange has none.
pub(crate) const OPERATIONS: [(&str, RmwOp); 8] = [
    ("xchg", RmwOp::Exchange),
    ("add", RmwOp::Add),
    ("sub", RmwOp::Sub),
    ("or", RmwOp::Or),
    ("xor", RmwOp::Xor),
    ("and", RmwOp::And),
    ("min", RmwOp::Min),
    ("max", RmwOp::Max),
];

/// Scopes by their modifier.
pub(crate) const SCOPES: [(&str, MemScope); 6] = [
    ("inv", MemScope::WorkItem),
    ("sg", MemScope::SubGroup),
    ("wg", MemScope::WorkGroup),
    ("qf", MemScope::QueueFamily),
    ("dv", MemScope::Device),
    ("cd", MemScope::AllSvmDevices),
];

const OTHERS: [(&str, Mnemonic); 11] = [
    ("ld", Mnemonic::Load),
    ("st", Mnemonic::Store),
    ("rmw", Mnemonic::Rmw),
    ("membar", Mnemonic::MemoryBarrier),
    ("cbar", Mnemonic::ControlBarrier),
    ("goto", Mnemonic::Goto),
    ("bz", Mnemonic::BranchZero(true)),
    ("bnz", Mnemonic::BranchZero(false)),
    ("mov", Mnemonic::Move),
    ("nop", Mnemonic::Nothing),
    ("ret", Mnemonic::Return),
];

/// The modifiers of a line.
#[derive(Debug, Clone, Default)]
pub(super) struct Modifiers {
    pub atomic: bool,
    pub acquire: bool,
    pub release: bool,
    pub scope: Option<MemScope>,
    /// The execution scope of a control barrier, where it is not its memory scope.
    pub execution: Option<MemScope>,
    /// The storage class of what is accessed.
    pub class: Option<Region>,
    /// The storage class semantics.
    pub flags: FenceFlags,
    pub make: Make,
    pub available: bool,
    pub visible: bool,
    pub non_private: bool,
    pub operation: Option<RmwOp>,
    /// A compare-exchange.
    pub compare: bool,
    /// Its order on failure, where it is not what is left of its order.
    pub failure: Option<MemOrder>,
}

impl Modifiers {
    /// The order that they state.
    pub fn order(&self) -> MemOrder {
        match (self.acquire, self.release) {
            (false, false) => MemOrder::Relaxed,
            (true, false) => MemOrder::Acquire,
            (false, true) => MemOrder::Release,
            (true, true) => MemOrder::AcqRel,
        }
    }
}

/// A line taken apart.
pub(super) struct Opcode<'t> {
    pub mnemonic: Mnemonic,
    pub modifiers: Modifiers,
    pub line: &'t Instruction,
}

impl<'t> Opcode<'t> {
    /// Reads mnemonic and modifiers.
    pub fn of(line: &'t Instruction) -> Outcome<Opcode<'t>> {
        let mnemonic = mnemonic(&line.words[0])?;
        let mut modifiers = Modifiers::default();
        for (index, word) in line.words.iter().enumerate().skip(1) {
            let seen = &line.words[1..index];
            if let Some(first) = seen.iter().find(|w| w.text == word.text) {
                return Err(word
                    .span
                    .second(format!("the modifier {} is there twice", word.text))
                    .also(first.span, "the first one"));
            }
            modify(&mut modifiers, mnemonic, word)?;
        }
        if let Some(class) = modifiers.class
            && !mnemonic.accesses()
        {
            let message = format!("only an access has a storage class ({})", class.name());
            return Err(line.span.problem(message, "no access"));
        }
        Ok(Opcode {
            mnemonic,
            modifiers,
            line,
        })
    }

    /// The operand that is an address, where there is one.
    pub fn address(&self) -> Option<&'t Node> {
        let operands = &self.line.operands;
        let at = match self.mnemonic {
            Mnemonic::Load => usize::from(operands.len() > 1),
            Mnemonic::Store => 0,
            Mnemonic::Rmw => usize::from(operands.len() > 2),
            Mnemonic::MemoryBarrier
            | Mnemonic::ControlBarrier
            | Mnemonic::Domain(_)
            | Mnemonic::Goto
            | Mnemonic::BranchIf(_)
            | Mnemonic::BranchZero(_)
            | Mnemonic::Move
            | Mnemonic::Compute(_)
            | Mnemonic::Nothing
            | Mnemonic::Return => return None,
        };
        operands.get(at)
    }

    /// Fails unless it has so many operands.
    pub fn count(&self, counts: std::ops::RangeInclusive<usize>) -> Outcome<()> {
        if counts.contains(&self.line.operands.len()) {
            return Ok(());
        }
        let (least, most) = (counts.start(), counts.end());
        let wanted = match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        let found = self.line.operands.len();
        Err(self.line.span.problem(
            format!(
                "{} takes {wanted} operands, and has {found}",
                self.line.words[0].text
            ),
            "wrong number of operands",
        ))
    }

    /// A problem with the whole line.
    pub fn problem(&self, message: &str, label: &str) -> Problem {
        self.line.span.problem(message, label)
    }
}

impl Mnemonic {
    fn accesses(self) -> bool {
        matches!(self, Mnemonic::Load | Mnemonic::Store | Mnemonic::Rmw)
    }
}

fn mnemonic(word: &Name) -> Outcome<Mnemonic> {
    let text = word.text.as_str();
    let found = OTHERS
        .iter()
        .map(|(name, mnemonic)| (*name, *mnemonic))
        .chain(COMPUTE.map(|(name, op)| (name, Mnemonic::Compute(op))))
        .chain(BRANCHES.map(|(name, op)| (name, Mnemonic::BranchIf(op))))
        .chain(DOMAINS.map(|(name, word)| (name, Mnemonic::Domain(word))))
        .find(|(name, _)| *name == text);
    found.map(|(_, mnemonic)| mnemonic).ok_or_else(|| {
        let names = || {
            let tables = COMPUTE.iter().chain(&BRANCHES).map(|(name, _)| *name);
            let domains = DOMAINS.iter().map(|(name, _)| *name);
            OTHERS
                .iter()
                .map(|(name, _)| *name)
                .chain(domains)
                .chain(tables)
        };
        word.problem(format!("{text} is not an instruction"), "unknown")
            .did_you_mean(nearest(text, names()), || {
                format!("one of {}", names().collect::<Vec<_>>().join(", "))
            })
    })
}

/// Adds a modifier.
fn modify(modifiers: &mut Modifiers, mnemonic: Mnemonic, word: &Name) -> Outcome<()> {
    let text = word.text.as_str();
    if mnemonic == Mnemonic::Rmw {
        if let Some((_, operation)) = OPERATIONS.iter().find(|(name, _)| *name == text) {
            return set(&mut modifiers.operation, *operation, word);
        }
        match text {
            "cas" => {
                modifiers.compare = true;
                return Ok(());
            }
            "failacq" => return set(&mut modifiers.failure, MemOrder::Acquire, word),
            "failrlx" => return set(&mut modifiers.failure, MemOrder::Relaxed, word),
            _ => {}
        }
    }
    let scope = |name: &str| SCOPES.iter().find(|(n, _)| *n == name).map(|(_, s)| *s);
    if let Some(found) = scope(text.strip_prefix("scope").unwrap_or(text)) {
        return set(&mut modifiers.scope, found, word);
    }
    if let Some(found) = text.strip_prefix("exec").and_then(scope) {
        return set(&mut modifiers.execution, found, word);
    }
    let semantics = text.strip_prefix("semsc").and_then(class);
    if let Some(found) = semantics.filter(|class| *class != Region::Input) {
        for (name, flag) in modifiers.flags.named() {
            *flag |= name == found.name();
        }
        return Ok(());
    }
    if let Some(found) = text.strip_prefix("sc").and_then(class) {
        return set(&mut modifiers.class, found, word);
    }
    match text {
        "atom" => modifiers.atomic = true,
        "acq" => modifiers.acquire = true,
        "rel" => modifiers.release = true,
        "acq_rel" => {
            modifiers.acquire = true;
            modifiers.release = true;
        }
        "semav" => modifiers.make.available = true,
        "semvis" => modifiers.make.visible = true,
        "av" => modifiers.available = true,
        "vis" => modifiers.visible = true,
        "nonpriv" => modifiers.non_private = true,
        "rlx" => {}
        // Alloy tests call the widest scope of a shader so.
        "scopedev" | "dev" => return set(&mut modifiers.scope, MemScope::Device, word),
        _ => {
            return Err(word
                .problem(format!("{text} modifies no instruction"), "unknown")
                .help(
                    "modifiers are atom, acq, rel, acq_rel, av, vis, nonpriv, scopes (sg, wg, qf, \
                     dv), storage classes (sc0 to sc4) and semantics (semsc0 to semsc3, semav, semvis)",
                ));
        }
    }
    Ok(())
}

fn set<T>(slot: &mut Option<T>, value: T, word: &Name) -> Outcome<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(word.problem(
            format!("{} contradicts a modifier before it", word.text),
            "a second one of its kind",
        )),
    }
}

/// The storage class with a number.
fn class(number: &str) -> Option<Region> {
    let number: usize = number.parse().ok()?;
    Region::ALL.get(number).copied()
}
