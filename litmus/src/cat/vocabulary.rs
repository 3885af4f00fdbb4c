//! The names a model can use without defining them.
//!
//! Sets and relations of events carry the names that models of OpenCL and C11 in the cat language
//! use, with their common aliases. Names that can be derived are written in cat, in `prelude.cat`.

use crate::syntax::edit_distance;

/// Declares things with the names that models can use for them; the first name of a thing is the one that
/// models here use.
macro_rules! named {
    ($(#[$of:meta])* pub enum $kind:ident {
        $($(#[$doc:meta])* $thing:ident = [$($name:literal),*],)+
    }) => {
        $(#[$of])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $kind {
            $($(#[$doc])* $thing,)+
        }

        impl $kind {
            /// Every one with its names.
            pub const NAMES: &[($kind, &[&str])] = &[$(($kind::$thing, &[$($name),*])),+];
        }
    };
}

named! {
    /// A set of events that the program determines.
    pub enum BaseSet {
        /// Every event.
        All = [],
        /// Reads; a read-modify-write is one event, both read and write.
        Read = ["R"],
        /// Writes, initial writes included.
        Write = ["W"],
        /// Read-modify-writes.
        Rmw = ["RMW"],
        /// Fences; the entry and exit fences of barriers are among them.
        Fence = ["F"],
        /// Entry and exit fences of barriers.
        Barrier = ["B", "CBAR"],
        /// Entry fences of barriers.
        Entry = ["EF", "entry_fence"],
        /// Exit fences of barriers.
        Exit = ["XF", "exit_fence"],
        /// Initial writes.
        Init = ["IW", "I"],
        /// Atomic accesses.
        Atomic = ["A"],
        /// Non-atomic accesses; initial writes are neither.
        NonAtomic = ["NAL", "NA"],
        /// Accesses through volatile pointers.
        Volatile = ["V", "VOLATILE"],
        /// Events of order relaxed.
        Relaxed = ["RLX"],
        /// Events of order acquire.
        Acquire = ["ACQ"],
        /// Events of order release.
        Release = ["REL"],
        /// Events of order acq_rel.
        AcqRel = ["ACQ_REL", "AR"],
        /// Events of order seq_cst.
        SeqCst = ["SC"],
        /// Events whose source states scope work_item.
        WorkItem = ["WI"],
        /// Events of scope sub_group.
        SubGroup = ["SG"],
        /// Events of scope work_group.
        WorkGroup = ["WG"],
        /// Events of scope queue family, in Vulkan.
        QueueFamily = ["QF"],
        /// Events of scope device.
        Device = ["DV", "DEV"],
        /// Events of scope all_svm_devices.
        AllDevices = ["ALL", "SYS"],
        /// Accesses to global memory, and fences with the global flag.
        Global = ["GLOBAL", "G"],
        /// Accesses to local memory, and fences with the local flag.
        Local = ["LOCAL", "L"],
        /// Accesses to images, and what orders or covers them, in Vulkan.
        Image = ["IMAGE"],
        /// The same for outputs.
        Output = ["OUTPUT"],
        /// Reads of inputs, in Vulkan.
        Input = ["INPUT"],
        /// Availability operations to the host domain of Vulkan: of the memory of a location, as are the next.
        Flush = ["FLUSH"],
        /// Visibility operations from the host domain.
        Invalidate = ["INVALIDATE"],
        /// Memory domain operations of Vulkan from the host domain to the device domain.
        HostToDevice = ["TODEVICE"],
        /// Those from the device domain to the host domain.
        DeviceToHost = ["TOHOST"],
        /// Ends of allocations, in Vulkan.
        Free = ["FREE"],
        /// Accesses to memory that is coherent for the host, in Vulkan.
        HostCoherent = ["HOSTCOHERENT"],
        /// Barriers and atomics whose storage class semantics have UniformMemory, in Vulkan.
        OrdersGlobal = ["ORDERS_GLOBAL", "SEMSC0"],
        /// Likewise WorkgroupMemory.
        OrdersLocal = ["ORDERS_LOCAL", "SEMSC1"],
        /// Likewise ImageMemory.
        OrdersImage = ["ORDERS_IMAGE", "SEMSC2"],
        /// Likewise OutputMemory.
        OrdersOutput = ["ORDERS_OUTPUT", "SEMSC3"],
        /// Availability operations of Vulkan; those of the device domain have no scope.
        Available = ["AV"],
        /// Visibility operations of Vulkan; those of the device domain have no scope.
        Visible = ["VIS"],
        /// Non-private accesses of Vulkan; atomics are among them.
        NonPrivate = ["NONPRIV"],
        /// Events of host threads.
        Host = ["HOST"],
        /// Accesses to locations in fine-grained SVM with atomics.
        SvmAtomics = ["SVMA"],
        /// Accesses to locations that some thread reaches through a pointer without an address space.
        Generic = ["GENERIC", "GEN"],
        /// Accesses to global locations that are not fine-grained SVM with atomics: buffers,
        /// coarse-grained SVM, fine-grained SVM without atomics.
        Coarse = ["COARSE"],
        /// Accesses to buffers that are not SVM.
        Buffer = ["BUFFER"],
        /// Accesses to memory that is shared as whole objects: buffers and coarse-grained SVM.
        Whole = ["WHOLE"],
        /// Entry fences of barriers that some work-item of the group does not reach.
        Alone = ["ALONE"],
        /// Accesses by host threads to buffers and coarse-grained SVM that are not mapped for them, and
        /// accesses by kernels to what may be mapped.
        Stray = ["STRAY"],
        /// No event: annotations of other languages that OpenCL C does not have.
        Never = ["CON", "LK", "LS", "UL"],
    }
}

named! {
    /// A relation between events that the program determines.
    pub enum BaseRel {
        /// Each event with itself.
        Id = ["id"],
        /// Same thread; initial writes belong to none.
        Int = ["int", "thd"],
        /// Sequenced before.
        Po = ["po", "sb"],
        /// Same location.
        Loc = ["loc"],
        /// Address dependency.
        Addr = ["addr"],
        /// Data dependency.
        Data = ["data", "dd"],
        /// Control dependency.
        Ctrl = ["ctrl", "cd"],
        /// Same sub-group.
        SameSubGroup = ["ssg", "same-sg", "same_sg"],
        /// Same work-group; accesses to one local location are in the work-group that has it.
        SameWorkGroup = ["swg", "same-wg", "same_wg", "wg"],
        /// Same kernel-instance.
        SameKernel = ["ski"],
        /// Same queue family, in Vulkan.
        SameQueueFamily = ["sqf"],
        /// Same reference, in Vulkan: the same location by name, which may be an alias of another.
        SameReference = ["ref"],
        /// What the program says system-synchronizes, in Vulkan.
        SystemSynchronizes = ["ssw"],
        /// From what a shader invocation does to what one does that it contributes to, in Vulkan.
        Contributes = ["contributes"],
        /// Same device.
        SameDevice = ["sdv", "same-dv", "same_dv", "dev"],
        /// Same object: a location, whichever element of it.
        SameObject = ["obj"],
        /// Fences of the same barrier instance, in whichever threads.
        SameBarrier = ["syncbar", "same_B", "same-barrier"],
        /// Edges that commands state between actions of host threads and kernels.
        Command = ["command"],
    }
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

named! {
    /// A function that cat files may call.
    pub enum Function {
        /// `domain(r)`
        Domain = ["domain"],
        /// `range(r)`
        Range = ["range"],
        /// `linearisations(s, r)`
        Linearisations = ["linearisations", "linearizations"],
        /// `generate_cos(r)`
        GenerateCos = ["generate_cos"],
        /// `tag2scope('t)`
        TagToScope = ["tag2scope"],
        /// `tag2events('t)`
        TagToEvents = ["tag2events"],
        /// `classes-loc(s)`: the events of `s`, a set for each location
        ClassesLoc = ["classes-loc"],
        /// `map f c`
        Map = ["map"],
        /// `cross(c)`: one choice for each class
        Cross = ["cross"],
    }
}

/// Every name with its meaning.
pub fn names() -> impl Iterator<Item = (&'static str, Known)> {
    fn all<T: Copy>(
        things: &'static [(T, &[&str])],
        known: fn(T) -> Known,
    ) -> impl Iterator<Item = (&'static str, Known)> {
        let named = move |(thing, names): &'static (T, &[&str])| {
            names.iter().map(move |name| (*name, known(*thing)))
        };
        things.iter().flat_map(named)
    }
    let others = [
        ("emptyset", Known::Empty),
        ("rf", Known::Rf),
        ("co", Known::Co),
        ("mo", Known::Co),
    ];
    all(BaseSet::NAMES, Known::Set)
        .chain(all(BaseRel::NAMES, Known::Rel))
        .chain(all(Function::NAMES, Known::Function))
        .chain(others)
}

/// What `name` stands for.
pub fn lookup(name: &str) -> Option<Known> {
    names().find(|(n, _)| *n == name).map(|(_, known)| known)
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
