//! The rules by which data comes, whatever its order.

use crate::commands::program::{
    AccessId, CommandId, HostPointer, Kind, MapMode, ObjectId, Program, What, Writer,
};
use crate::rule::{self, RuleId};

/// The rules by which data comes to who reads it, or from who wrote it.
pub(super) fn of(program: &Program, who: Writer) -> Vec<RuleId> {
    match who {
        Writer::Command(command) => carried_by(program, command),
        Writer::Access(access) => by_host(program, access),
        Writer::Creation(_) => Vec::new(),
    }
}

/// The rules by which a command carries data.
fn carried_by(program: &Program, command: CommandId) -> Vec<RuleId> {
    let mut rules = Vec::new();
    let mut object = |id: ObjectId, transfer: bool| {
        let kind = program.objects[id.index()].kind;
        rules.extend(of_kind(kind));
        if transfer {
            rules.push(if kind.is_svm() {
                rule::SV_API
            } else {
                rule::RG_TRANSFER
            });
        }
    };
    let what = program.what(command);
    let (reads, writes) = what.data();
    for range in reads.iter().chain(writes) {
        object(range.object, what.kernel().is_none());
    }
    what.objects().iter().for_each(|o| object(*o, true));
    if let Some(kernel) = what.kernel() {
        let captured = kernel.reuse.then_some(rule::ARGS_CAPTURED);
        rules.extend(captured);
        rules.push(rule::KI_COMPLETION);
    }
    if let What::Map { .. } | What::Unmap(_) = what {
        rules.push(rule::SP_MAP_UNMAP);
    }
    rules
}

/// The rules by which a host thread and the device share data.
fn by_host(program: &Program, access: AccessId) -> Vec<RuleId> {
    let access = &program.accesses[access.index()];
    let kind = program.objects[access.range.object.index()].kind;
    let mut rules = Vec::new();
    if let Some(map) = access.map {
        rules.push(rule::SP_MAP_UNMAP);
        if invalidates(program.what(map)) {
            rules.push(rule::SP_MAP_INVALIDATE);
        }
    }
    rules.extend(of_kind(kind));
    // What is wrong there, transfers did.
    rules.extend((kind == Kind::Host).then_some(rule::RG_TRANSFER));
    rules
}

/// Whether it makes what it maps anything, until the host writes it.
pub(super) fn invalidates(what: &What) -> bool {
    matches!(what, What::Map { mode, .. } if *mode == MapMode::Invalidate)
}

/// The rules of a kind of memory.
fn of_kind(kind: Kind) -> Option<RuleId> {
    match kind {
        Kind::Buffer(HostPointer::Copy) | Kind::Host => None,
        Kind::Buffer(HostPointer::Use | HostPointer::Alloc | HostPointer::UseSvm) => {
            Some(rule::RG_HOST_PTR)
        }
        Kind::SubBuffer { .. } => Some(rule::RG_SUB_BUFFER),
        Kind::SvmCoarse => Some(rule::SV_COARSE_MAP),
        Kind::SvmFine => Some(rule::SV_FINE_SYNC_POINT),
        Kind::SvmSystem => Some(rule::SV_SYSTEM_ANY),
        Kind::Variable => Some(rule::RG_PROGRAM_SCOPE),
    }
}
