//! The rules that code names: a rule is a normative statement of the specification, with an entry in
//! `rules/*.yaml`, and a test looks each of the constants below up in the catalogue.

pub use classay_vocabulary::RuleId;

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $($(#[$doc])* pub const $constant: RuleId = RuleId::named($name);)*

        /// Every rule that code names.
        pub const NAMED: &[RuleId] = &[$($constant),*];
    };
}

rules! {
    /// A valid call succeeds.
    API_VALID = "ex.api.valid";
    /// A recorded command waits for sync points.
    CB_SYNC_POINT = "cb.sync-point";
    /// A recorded barrier.
    CB_BARRIER = "cb.barrier";
    /// What is recorded to an in-order queue.
    CB_IN_ORDER = "cb.in-order";
    /// Recorded kernels keep their arguments.
    CB_ARGUMENTS = "cb.arguments";
    /// Recorded commands do what enqueued ones do.
    CB_COMMANDS = "cb.commands";
    /// The event of an enqueued command-buffer.
    CB_EVENT = "cb.event";
    /// The wait list of an enqueued command-buffer.
    CB_WAIT_LIST = "cb.wait-list";
    /// A command-buffer is enqueued again.
    CB_AGAIN = "cb.again";
    /// The states of command-buffers.
    CB_LIFECYCLE = "cb.lifecycle";
    /// The queue on which a command-buffer is executed.
    CB_QUEUE = "cb.queue";
    /// Recording does nothing yet.
    CB_NO_EFFECT = "cb.no-effect";
    /// Updates of recorded kernels.
    CB_UPDATE = "cb.update";
    /// An update and what is pending.
    CB_UPDATE_LATER = "cb.update-later";
    /// What an update does not mention.
    CB_UPDATE_KEEPS = "cb.update-keeps";
    /// An update that is refused.
    CB_UPDATE_ALL = "cb.update-all";
    /// An update and the kernel of the application.
    CB_UPDATE_KERNEL = "cb.update-kernel";
    /// What a recorded kernel answers.
    CB_UPDATE_INFO = "cb.update-info";
    /// Arguments that are set after the recording.
    CB_LATE_ARGUMENTS = "cb.late-arguments";
    /// A command is complete when its children are.
    COMPLETE_CHILDREN = "ex.state.complete-children";
    /// A queue on the device is out of order.
    DEV_OUT_OF_ORDER = "ex.dev.out-of-order";
    /// A child that waits for nothing runs.
    DEV_NO_WAIT = "ex.dev.no-wait";
    /// A child begins after its parent ended.
    DEV_WAIT_KERNEL = "ex.dev.wait-kernel";
    /// A child begins after the work-group that enqueued it ended.
    DEV_WAIT_WORK_GROUP = "ex.dev.wait-work-group";
    /// A parent is complete after all its descendants.
    DEV_PARENT_COMPLETE = "ex.dev.parent-complete";
    /// A child's failure is its parent's.
    DEV_CHILD_FAILURE = "ex.dev.child-failure";
    /// Events of the device.
    DEV_EVENTS = "ex.dev.events";
    /// Children with local memory as an argument.
    DEV_LOCAL_ARGS = "ex.dev.local-args";
    /// A parent's end synchronizes with its child.
    SP_DEVICE_WAIT_KERNEL = "sp.device-wait-kernel";
    /// A work-group's end synchronizes with its child.
    SP_DEVICE_WAIT_WORK_GROUP = "sp.device-wait-work-group";
    /// Atomics between a parent and its children.
    SP_PARENT_CHILD_ATOMICS = "sp.parent-child-atomics";
    /// Sub-groups that make progress by themselves.
    PROGRESS_SUBGROUP = "ex.progress.subgroup";
    /// Kernels from SPIR-V.
    KIND_IL = "ex.kind.il";
    /// Images.
    RG_IMAGE = "rg.image";
    /// Pipes.
    RG_PIPE = "rg.pipe";
    /// Fences of images.
    MM_IMAGE_FENCE = "mm.image-fence";
    /// A command passes its states in order.
    STATE_ORDER = "ex.state.order";
    /// What a kernel wrote is visible when it ends.
    ENDED_VISIBLE = "ex.state.ended-visible";
    /// Profiled times are in order.
    STATE_PROFILING = "ex.state.profiling";
    /// A status only moves forward.
    STATE_QUERY = "ex.state.status-query";
    /// Callbacks fire once each.
    STATE_CALLBACKS = "ex.state.callbacks";
    /// User events pass CL_RUNNING on their way.
    STATE_CALLBACKS_USER = "ex.state.callbacks-user";
    /// Flushed work makes progress.
    STATE_FLUSH = "ex.state.flush";
    /// No effect before all prerequisites are complete.
    NOT_BEFORE_READY = "ex.state.not-before-ready";
    /// A command without side effects may end at once.
    EMPTY_COMMAND = "ex.state.empty-command";
    /// A failed command has a negative status, and so has the wait on it.
    FAIL_NEGATIVE = "ex.fail.negative";
    /// What waits on a failed event does not run.
    FAIL_PROPAGATE = "ex.fail.propagate";
    /// What an abnormal end may take along.
    FAIL_CONTEXT_QUEUES = "ex.fail.context-queues";
    /// Which of several failing children decides.
    FAIL_CHILDREN = "ex.fail.children";
    /// Work-groups run in any order.
    KI_GROUPS_ANY_ORDER = "ex.ki.groups-any-order";
    /// Which work-groups make progress together.
    PROGRESS_GROUP = "ex.progress.group";
    /// A negative user event ends its waiters.
    FAIL_USER_EVENT = "ex.fail.user-event";
    /// In-order queues run in order.
    QUEUE_IN_ORDER = "ex.queue.in-order";
    /// Out-of-order queues may run out of order.
    QUEUE_OUT_OF_ORDER = "ex.queue.out-of-order";
    /// Explicit dependencies hold in an out-of-order queue.
    QUEUE_OUT_OF_ORDER_DEPS = "ex.queue.out-of-order-deps";
    /// Queues make progress independently.
    QUEUE_INDEPENDENT = "ex.queue.independent";
    /// An event orders commands of other queues.
    QUEUE_CROSS_EVENT = "ex.queue.cross-event";
    /// Blocking calls return when the command is complete.
    QUEUE_BLOCKING = "ex.queue.blocking";
    /// Non-blocking enqueues return without waiting.
    QUEUE_NON_BLOCKING = "ex.queue.non-blocking";
    /// Several host threads enqueue safely.
    QUEUE_THREADS = "ex.queue.threads";
    /// Releases lose no pending work.
    QUEUE_RELEASE = "ex.queue.release";
    /// Nothing passes a barrier.
    PREREQ_BARRIER = "ex.prereq.barrier";
    /// A marker waits.
    PREREQ_MARKER = "ex.prereq.marker";
    /// A command waits for its whole list.
    PREREQ_WAIT_LIST = "ex.prereq.wait-list";
    /// Arguments are those at the enqueue.
    ARGS_CAPTURED = "ex.ki.args-captured";
    /// A kernel is complete when all its work-groups are.
    KI_COMPLETION = "ex.ki.completion";
    /// Native kernels obey the queue's rules.
    KIND_NATIVE = "ex.kind.native";
    /// Built-in kernels obey the queue's rules.
    KIND_BUILTIN = "ex.kind.builtin";
    /// Objects live as long as they are needed, and no longer.
    API_LIFETIME = "ex.api.lifetime";
    /// An enqueue synchronizes with its command.
    SP_ENQUEUE = "sp.enqueue";
    /// An awaited event synchronizes with the command.
    SP_EVENT_WAIT = "sp.event-wait";
    /// A command synchronizes with its event.
    SP_COMPLETION_EVENT = "sp.completion-event";
    /// An event synchronizes with the host's wait.
    SP_HOST_WAIT = "sp.host-wait";
    /// Commands of an in-order queue synchronize in sequence.
    SP_IN_ORDER = "sp.in-order";
    /// Everything before a marker synchronizes with it.
    SP_MARKER = "sp.marker";
    /// A marker's listed events synchronize with it.
    SP_MARKER_LIST = "sp.marker-list";
    /// Everything before a barrier synchronizes with it, and it with everything after.
    SP_BARRIER = "sp.barrier";
    /// A barrier's listed events synchronize with it, and it with everything after.
    SP_BARRIER_LIST = "sp.barrier-list";
    /// Everything before clFinish synchronizes with it.
    SP_FINISH = "sp.finish";
    /// A kernel's start synchronizes with its work-items.
    SP_KERNEL_START = "sp.kernel-start";
    /// A kernel's work-items synchronize with its completion.
    SP_KERNEL_END = "sp.kernel-end";
    /// An event synchronizes with its callback.
    SP_CALLBACK = "sp.callback";
    /// clSetUserEventStatus synchronizes with what waits.
    SP_USER_EVENT = "sp.user-event";
    /// A blocking command synchronizes with the call's return.
    SP_BLOCKING = "sp.blocking";
    /// Chains compose.
    SP_TRANSITIVE = "sp.transitive";
    /// Maps and unmaps exchange data with the host.
    SP_MAP_UNMAP = "sp.map-unmap";
    /// An invalidating map leaves the rest alone.
    SP_MAP_INVALIDATE = "sp.map-invalidate";
    /// Overlapping reads are allowed.
    SP_CONCURRENT_READS = "sp.concurrent-reads";
    /// Host-pointer flags keep their promises.
    RG_HOST_PTR = "rg.host-ptr";
    /// Sub-buffers share their parent's data.
    RG_SUB_BUFFER = "rg.sub-buffer";
    /// Transfers move what they say.
    RG_TRANSFER = "rg.transfer";
    /// Program-scope variables keep their value.
    RG_PROGRAM_SCOPE = "rg.program-scope";
    /// Coarse-grain SVM is exchanged by map and unmap.
    SV_COARSE_MAP = "sv.coarse.map";
    /// Coarse-grain SVM is ordered between devices by sync points.
    SV_COARSE_DEVICES = "sv.coarse.devices";
    /// Fine-grain SVM is ordered by sync points alone.
    SV_FINE_SYNC_POINT = "sv.fine.sync-point";
    /// Any host address is shared in fine-grain system SVM.
    SV_SYSTEM_ANY = "sv.system.any";
    /// The commands on SVM.
    SV_API = "sv.api";
    /// A wrong call gets its error.
    API_ERRORS = "ex.api.errors";
    /// An object answers what it was made with.
    API_ANSWERS = "ex.api.answers";
    /// Lists and parts are what was asked for.
    API_LISTED = "ex.api.lists";
    /// What a device says of itself.
    API_DEVICE = "ex.api.device";
    /// The formats that images must have.
    RG_FORMATS = "rg.image-formats";
    /// Program-scope initializers run first, once.
    PREREQ_PROGRAM_INIT = "ex.prereq.program-init";
    /// Global ids cover the range once.
    ND_GLOBAL_ID = "ex.nd.global-id";
    /// Local, group and global ids agree.
    ND_LOCAL_ID = "ex.nd.local-id";
    /// The sizes and counts agree.
    ND_GROUP_COUNT = "ex.nd.group-count";
    /// Only remainder groups are smaller.
    ND_NON_UNIFORM = "ex.nd.non-uniform";
    /// A range that the local size does not divide is refused where groups must be uniform.
    ND_UNIFORM_REQUIRED = "ex.nd.uniform-required";
    /// The offset shifts global ids only.
    ND_OFFSET = "ex.nd.offset";
    /// A NULL local size covers the range.
    ND_NULL_LOCAL = "ex.nd.null-local";
    /// The map of sub-groups.
    ND_SUBGROUP_MAP = "ex.nd.subgroup-map";
    /// A work-group has a sub-group at least.
    ND_SUBGROUP_DEGENERATE = "ex.nd.subgroup-degenerate";
    /// The map of sub-groups is that of every work-group of the size.
    ND_SUBGROUP_MAP_GROUPS = "ex.nd.subgroup-map-groups";
    /// The functions of a lone sub-group are those of its work-group.
    ND_SUBGROUP_ONE = "ex.nd.subgroup-one";
    /// Work-group barriers.
    WG_BARRIER = "ex.wg.barrier";
    /// Collective functions of work-groups.
    WG_FUNCTIONS = "ex.wg.functions";
    /// Asynchronous copies of work-groups.
    WG_ASYNC_COPY = "ex.wg.async-copy";
    /// Sub-group barriers.
    SG_BARRIER = "ex.sg.barrier";
    /// Ordinary loads read the visible side effect.
    MM_VISIBLE = "mm.visible";
    /// Collective functions of sub-groups.
    SG_FUNCTIONS = "ex.sg.functions";
    /// Kernels from source.
    KIND_SOURCE = "ex.kind.source";
    /// What operators give.
    C_OPERATORS = "ex.c.operators";
    /// What conversions give.
    C_CONVERSIONS = "ex.c.conversions";
    /// What integer functions give.
    C_FUNCTIONS = "ex.c.functions";
    /// Where statements and calls lead.
    C_STATEMENTS = "ex.c.statements";
    /// Constants, and the sizes of types and expressions.
    C_CONSTANTS = "ex.c.constants";
    /// Objects, and pointers to them.
    C_OBJECTS = "ex.c.objects";
    /// Numbers with a fraction of which every bit is known.
    C_REALS = "ex.c.reals";
    /// Functions of numbers with a fraction come as near as they must.
    C_MATH = "ex.c.math";
    /// What printf prints.
    C_PRINTF = "ex.c.printf";
    /// When what is printed comes out.
    C_PRINTF_FLUSHED = "ex.c.printf-flushed";
    /// What becomes of a text before it is compiled.
    C_PREPROCESSOR = "ex.c.preprocessor";
    /// Translation units, and what is internal to one.
    C_UNITS = "ex.c.units";
    /// Kernels from a binary.
    KIND_BINARY = "ex.kind.binary";
    /// Regions never alias.
    RG_DISJOINT = "rg.disjoint";
    /// Generic pointers.
    RG_GENERIC = "rg.generic";
    /// Local memory is a work-group's own.
    RG_LOCAL = "rg.local-per-group";
    /// Private memory is a work-item's own.
    RG_PRIVATE = "rg.private-per-item";
    /// Constants stay unchanged.
    RG_CONSTANT = "rg.constant";
    /// Arguments arrive as they were set.
    RG_ARGS = "rg.args";
    /// A pointer means the same everywhere.
    SV_ADDRESS = "sv.address";
    /// Bytes of fine-grain SVM do not disturb each other.
    SV_FINE_BYTES = "sv.fine.bytes";
    /// Atomics of the host and of devices.
    SV_FINE_ATOMICS = "sv.fine.atomics";
    /// Every atomic type, between the host and devices.
    SV_FINE_ATOMICS_TYPES = "sv.fine.atomics-types";
    /// Scope all_svm_devices is the device's where memory reaches no further.
    SV_SCOPE_DOWN = "sv.scope-down";
    /// Kernels that run together exchange through SVM.
    SP_CROSS_KERNEL_SVM = "sp.cross-kernel-atomics-svm";
    /// Atomics of the host take part.
    MM_HOST = "mm.host";
    /// Stores become visible.
    MM_VISIBILITY_TIME = "mm.visibility-time";
    /// A spinning load sees a store.
    HOST_PROGRESS = "ex.host.progress";
    /// Release and acquire.
    MM_SW_ATOMIC = "mm.sw.atomic";
    /// Fences that synchronize.
    MM_SW_FENCE_FENCE = "mm.sw.fence-fence";
    /// Each scope reaches as far as it says.
    MM_SCOPE_EACH = "mm.scope.each";
    /// Allocations reached through pointers.
    SV_EXEC_INFO = "sv.exec-info";
    /// Atomic accesses are indivisible.
    MM_ATOMICITY = "mm.atomicity";
    /// A read-modify-write reads the last value.
    MM_RMW_LAST = "mm.rmw.last";
    /// Initialization and defaults of atomics.
    MM_INIT = "mm.init";
    /// Barriers order memory.
    MM_BARRIER_WG = "mm.barrier.wg";
    /// Sub-group barriers order memory.
    MM_BARRIER_SG = "mm.barrier.sg";
}
