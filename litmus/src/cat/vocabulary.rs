//! The names a model can use without defining them.
//!
//! Sets and relations of events carry the names that models of OpenCL and C11 in the cat language
//! use, with their common aliases. Names that can be derived are written in cat, in `prelude.cat`.

use crate::syntax::edit_distance;

/// A set of events that the program determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaseSet {
    /// Every event.
    All,
    /// Reads; a read-modify-write is one event, both read and write.
    Read,
    /// Writes, initial writes included.
    Write,
    /// Read-modify-writes.
    Rmw,
    /// Fences; the entry and exit fences of barriers are among them.
    Fence,
    /// Entry and exit fences of barriers.
    Barrier,
    /// Entry fences of barriers.
    Entry,
    /// Exit fences of barriers.
    Exit,
    /// Initial writes.
    Init,
    /// Atomic accesses.
    Atomic,
    /// Non-atomic accesses; initial writes are neither.
    NonAtomic,
    /// Accesses through volatile pointers.
    Volatile,
    /// Events of order relaxed.
    Relaxed,
    /// Events of order acquire.
    Acquire,
    /// Events of order release.
    Release,
    /// Events of order acq_rel.
    AcqRel,
    /// Events of order seq_cst.
    SeqCst,
    /// Events whose source states scope work_item.
    WorkItem,
    /// Events of scope sub_group.
    SubGroup,
    /// Events of scope work_group.
    WorkGroup,
    /// Events of scope device.
    Device,
    /// Events of scope all_svm_devices.
    AllDevices,
    /// Accesses to global memory, and fences with the global flag.
    Global,
    /// Accesses to local memory, and fences with the local flag.
    Local,
    /// Events of host threads.
    Host,
    /// Accesses to locations in fine-grained SVM with atomics: those that are stated to be, and of
    /// the locations that state nothing those that a host thread or more than one device touches.
    SvmAtomics,
    /// Accesses to locations that some thread reaches through a pointer without an address space.
    Generic,
    /// Accesses to locations that are stated not to be fine-grained SVM with atomics: buffers,
    /// coarse-grained SVM, fine-grained SVM without atomics.
    Coarse,
    /// Accesses to locations that are stated not to be SVM.
    Buffer,
    /// Accesses by host threads to buffers and coarse-grained SVM that are not mapped for them, and
    /// accesses by kernels to what may be mapped.
    Stray,
    /// No event: annotations of other languages that OpenCL C does not have.
    Never,
}

/// A relation between events that the program determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BaseRel {
    /// Each event with itself.
    Id,
    /// Same thread; initial writes belong to none.
    Int,
    /// Sequenced before.
    Po,
    /// Same location.
    Loc,
    /// Address dependency.
    Addr,
    /// Data dependency.
    Data,
    /// Control dependency.
    Ctrl,
    /// Same sub-group.
    SameSubGroup,
    /// Same work-group.
    SameWorkGroup,
    /// Same kernel-instance.
    SameKernel,
    /// Same device.
    SameDevice,
    /// Same object: a location, whichever element of it.
    SameObject,
    /// Fences of the same barrier instance, in whichever threads.
    SameBarrier,
    /// Edges that commands state between actions of host threads and kernels.
    Command,
}

/// What a name of the vocabulary stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// A set.
    Set(BaseSet),
    /// A relation.
    Rel(BaseRel),
    /// Reads-from.
    Rf,
    /// The coherence order.
    Co,
    /// A built-in function.
    Function(Function),
    /// The empty set or relation.
    Empty,
}

/// A function that cat files may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `domain(r)`
    Domain,
    /// `range(r)`
    Range,
    /// `linearisations(s, r)`
    Linearisations,
    /// `generate_cos(r)`
    GenerateCos,
    /// `tag2scope('t)`
    TagToScope,
    /// `tag2events('t)`
    TagToEvents,
    /// `classes-loc(s)`: the events of `s`, a set for each location
    ClassesLoc,
    /// `map f c`
    Map,
    /// `cross(c)`: one choice for each class
    Cross,
}

/// Every name with its meaning; the first name of a meaning is the one models here use.
pub const NAMES: &[(&str, Known)] = {
    use BaseRel as R;
    use BaseSet as S;
    use Known::{Rel, Set};
    &[
        ("R", Set(S::Read)),
        ("W", Set(S::Write)),
        ("RMW", Set(S::Rmw)),
        ("F", Set(S::Fence)),
        ("B", Set(S::Barrier)),
        ("CBAR", Set(S::Barrier)),
        ("EF", Set(S::Entry)),
        ("entry_fence", Set(S::Entry)),
        ("XF", Set(S::Exit)),
        ("exit_fence", Set(S::Exit)),
        ("IW", Set(S::Init)),
        ("I", Set(S::Init)),
        ("A", Set(S::Atomic)),
        ("NAL", Set(S::NonAtomic)),
        ("NA", Set(S::NonAtomic)),
        ("V", Set(S::Volatile)),
        ("VOLATILE", Set(S::Volatile)),
        ("RLX", Set(S::Relaxed)),
        ("ACQ", Set(S::Acquire)),
        ("REL", Set(S::Release)),
        ("ACQ_REL", Set(S::AcqRel)),
        ("AR", Set(S::AcqRel)),
        ("SC", Set(S::SeqCst)),
        ("WI", Set(S::WorkItem)),
        ("SG", Set(S::SubGroup)),
        ("WG", Set(S::WorkGroup)),
        ("DV", Set(S::Device)),
        ("DEV", Set(S::Device)),
        ("ALL", Set(S::AllDevices)),
        ("SYS", Set(S::AllDevices)),
        ("GLOBAL", Set(S::Global)),
        ("G", Set(S::Global)),
        ("LOCAL", Set(S::Local)),
        ("L", Set(S::Local)),
        ("HOST", Set(S::Host)),
        ("SVMA", Set(S::SvmAtomics)),
        ("GENERIC", Set(S::Generic)),
        ("GEN", Set(S::Generic)),
        ("COARSE", Set(S::Coarse)),
        ("BUFFER", Set(S::Buffer)),
        ("STRAY", Set(S::Stray)),
        ("CON", Set(S::Never)),
        ("LK", Set(S::Never)),
        ("LS", Set(S::Never)),
        ("UL", Set(S::Never)),
        ("emptyset", Known::Empty),
        ("id", Rel(R::Id)),
        ("int", Rel(R::Int)),
        ("thd", Rel(R::Int)),
        ("po", Rel(R::Po)),
        ("sb", Rel(R::Po)),
        ("loc", Rel(R::Loc)),
        ("addr", Rel(R::Addr)),
        ("data", Rel(R::Data)),
        ("dd", Rel(R::Data)),
        ("ctrl", Rel(R::Ctrl)),
        ("cd", Rel(R::Ctrl)),
        ("ssg", Rel(R::SameSubGroup)),
        ("same-sg", Rel(R::SameSubGroup)),
        ("same_sg", Rel(R::SameSubGroup)),
        ("swg", Rel(R::SameWorkGroup)),
        ("same-wg", Rel(R::SameWorkGroup)),
        ("same_wg", Rel(R::SameWorkGroup)),
        ("wg", Rel(R::SameWorkGroup)),
        ("ski", Rel(R::SameKernel)),
        ("obj", Rel(R::SameObject)),
        ("sdv", Rel(R::SameDevice)),
        ("same-dv", Rel(R::SameDevice)),
        ("same_dv", Rel(R::SameDevice)),
        ("dev", Rel(R::SameDevice)),
        ("syncbar", Rel(R::SameBarrier)),
        ("same_B", Rel(R::SameBarrier)),
        ("same-barrier", Rel(R::SameBarrier)),
        ("command", Rel(R::Command)),
        ("rf", Known::Rf),
        ("co", Known::Co),
        ("mo", Known::Co),
        ("domain", Known::Function(Function::Domain)),
        ("range", Known::Function(Function::Range)),
        ("linearisations", Known::Function(Function::Linearisations)),
        ("linearizations", Known::Function(Function::Linearisations)),
        ("generate_cos", Known::Function(Function::GenerateCos)),
        ("tag2scope", Known::Function(Function::TagToScope)),
        ("tag2events", Known::Function(Function::TagToEvents)),
        ("classes-loc", Known::Function(Function::ClassesLoc)),
        ("map", Known::Function(Function::Map)),
        ("cross", Known::Function(Function::Cross)),
    ]
};

/// What `name` stands for.
pub fn lookup(name: &str) -> Option<Known> {
    NAMES.iter().find(|(n, _)| *n == name).map(|(_, k)| *k)
}

/// The relation that a scope's tag stands for: its events are in the same instance of the scope.
pub fn scope_of_tag(tag: &str) -> Option<BaseRel> {
    match tag.to_ascii_lowercase().as_str() {
        "wi" | "work_item" | "work-item" | "thread" => Some(BaseRel::Int),
        "sg" | "sub_group" | "sub-group" => Some(BaseRel::SameSubGroup),
        "wg" | "work_group" | "work-group" => Some(BaseRel::SameWorkGroup),
        "dv" | "dev" | "device" => Some(BaseRel::SameDevice),
        _ => None,
    }
}

/// Names close to `name`, closest first.
pub fn near<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut scored: Vec<(usize, &str)> = candidates
        .map(|c| (edit_distance(&lower, &c.to_lowercase()), c))
        .filter(|(d, c)| *d <= 2 && *d < name.chars().count().max(c.chars().count()))
        .collect();
    scored.sort();
    scored.dedup();
    scored
        .into_iter()
        .take(4)
        .map(|(_, c)| format!("`{c}`"))
        .collect()
}
