//! Calls that the specification refuses, each with the error that it names.

use crate::rule::{self, RuleId};
use classay_vocabulary::Need;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Error codes of the specification's header.
pub(super) mod code {
    pub const PROFILING_INFO_NOT_AVAILABLE: i32 = -7;
    pub const MEM_COPY_OVERLAP: i32 = -8;
    pub const BUILD_PROGRAM_FAILURE: i32 = -11;
    pub const MISALIGNED_SUB_BUFFER_OFFSET: i32 = -13;
    pub const ERROR_IN_WAIT_LIST: i32 = -14;
    pub const INVALID_VALUE: i32 = -30;
    pub const INVALID_CONTEXT: i32 = -34;
    pub const INVALID_COMMAND_QUEUE: i32 = -36;
    pub const INVALID_HOST_PTR: i32 = -37;
    pub const INVALID_MEM_OBJECT: i32 = -38;
    pub const INVALID_PROGRAM: i32 = -44;
    pub const INVALID_PROGRAM_EXECUTABLE: i32 = -45;
    pub const INVALID_KERNEL_NAME: i32 = -46;
    pub const INVALID_KERNEL: i32 = -48;
    pub const INVALID_ARG_INDEX: i32 = -49;
    pub const INVALID_ARG_VALUE: i32 = -50;
    pub const INVALID_ARG_SIZE: i32 = -51;
    pub const INVALID_KERNEL_ARGS: i32 = -52;
    pub const INVALID_WORK_DIMENSION: i32 = -53;
    pub const INVALID_WORK_GROUP_SIZE: i32 = -54;
    pub const INVALID_WORK_ITEM_SIZE: i32 = -55;
    pub const INVALID_GLOBAL_OFFSET: i32 = -56;
    pub const INVALID_EVENT_WAIT_LIST: i32 = -57;
    pub const INVALID_EVENT: i32 = -58;
    pub const INVALID_OPERATION: i32 = -59;
    pub const INVALID_BUFFER_SIZE: i32 = -61;
}

/// A function that enqueues a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enqueue {
    /// clEnqueueMarkerWithWaitList.
    Marker,
    /// clEnqueueBarrierWithWaitList.
    Barrier,
    /// clEnqueueNDRangeKernel.
    Kernel,
    /// clEnqueueNativeKernel.
    Native,
    /// clEnqueueReadBuffer, blocking.
    ReadBlocking,
    /// clEnqueueReadBuffer.
    Read,
    /// clEnqueueWriteBuffer.
    Write,
    /// clEnqueueCopyBuffer.
    Copy,
    /// clEnqueueFillBuffer.
    Fill,
    /// clEnqueueReadBufferRect.
    ReadRect,
    /// clEnqueueWriteBufferRect.
    WriteRect,
    /// clEnqueueCopyBufferRect.
    CopyRect,
    /// clEnqueueMapBuffer.
    Map,
    /// clEnqueueMigrateMemObjects.
    Migrate,
    /// clEnqueueSVMMemcpy.
    SvmCopy,
    /// clEnqueueSVMMemFill.
    SvmFill,
    /// clEnqueueSVMMap.
    SvmMap,
    /// clEnqueueSVMFree.
    SvmFree,
    /// clEnqueueSVMMigrateMem.
    SvmMigrate,
}

impl Enqueue {
    /// All.
    pub const ALL: [Enqueue; 19] = [
        Enqueue::Marker,
        Enqueue::Barrier,
        Enqueue::Kernel,
        Enqueue::Native,
        Enqueue::ReadBlocking,
        Enqueue::Read,
        Enqueue::Write,
        Enqueue::Copy,
        Enqueue::Fill,
        Enqueue::ReadRect,
        Enqueue::WriteRect,
        Enqueue::CopyRect,
        Enqueue::Map,
        Enqueue::Migrate,
        Enqueue::SvmCopy,
        Enqueue::SvmFill,
        Enqueue::SvmMap,
        Enqueue::SvmFree,
        Enqueue::SvmMigrate,
    ];

    /// Whether it is given a buffer.
    pub fn takes_buffer(self) -> bool {
        match self {
            Enqueue::ReadBlocking
            | Enqueue::Read
            | Enqueue::Write
            | Enqueue::Copy
            | Enqueue::Fill
            | Enqueue::ReadRect
            | Enqueue::WriteRect
            | Enqueue::CopyRect
            | Enqueue::Map
            | Enqueue::Migrate => true,
            Enqueue::Marker
            | Enqueue::Barrier
            | Enqueue::Kernel
            | Enqueue::Native
            | Enqueue::SvmCopy
            | Enqueue::SvmFill
            | Enqueue::SvmMap
            | Enqueue::SvmFree
            | Enqueue::SvmMigrate => false,
        }
    }

    fn need(self) -> Option<Need> {
        match self {
            Enqueue::Native => Some(Need::NativeKernels),
            Enqueue::SvmCopy | Enqueue::SvmFill | Enqueue::SvmMap | Enqueue::SvmFree => {
                Some(Need::SvmCoarse)
            }
            Enqueue::SvmMigrate => Some(Need::Api21),
            Enqueue::Marker
            | Enqueue::Barrier
            | Enqueue::Kernel
            | Enqueue::ReadBlocking
            | Enqueue::Read
            | Enqueue::Write
            | Enqueue::Copy
            | Enqueue::Fill
            | Enqueue::ReadRect
            | Enqueue::WriteRect
            | Enqueue::CopyRect
            | Enqueue::Map
            | Enqueue::Migrate => None,
        }
    }
}

/// What is wrong with an enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wrong {
    /// The event in the list is of another context.
    ForeignEvent,
    /// The last event of several is of another context.
    ForeignLast,
    /// An event of the list is NULL.
    NullEvent,
    /// The list is NULL and has a length.
    NullList,
    /// There is a list of no length.
    NoLength,
    /// The event in the list has failed; a call that blocks tells it.
    FailedEvent,
    /// The queue is NULL.
    NullQueue,
    /// The buffer is of another context.
    ForeignBuffer,
    /// The buffer is NULL.
    NullBuffer,
}

impl Wrong {
    /// All.
    pub const ALL: [Wrong; 9] = [
        Wrong::ForeignEvent,
        Wrong::ForeignLast,
        Wrong::NullEvent,
        Wrong::NullList,
        Wrong::NoLength,
        Wrong::FailedEvent,
        Wrong::NullQueue,
        Wrong::ForeignBuffer,
        Wrong::NullBuffer,
    ];
}

macro_rules! misuses {
    ($($(#[$need:ident])? $name:ident $says:literal [$($code:ident),+] $rule:ident;)*) => {
        /// Another call that is refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Misuse {
            $(#[doc = $says] $name,)*
        }

        impl Misuse {
            /// All.
            pub const ALL: &[Misuse] = &[$(Misuse::$name),*];

            fn codes(self) -> &'static [i32] {
                match self {
                    $(Misuse::$name => &[$(code::$code),+],)*
                }
            }

            fn rule(self) -> RuleId {
                match self {
                    $(Misuse::$name => rule::$rule,)*
                }
            }

            fn need(self) -> Option<Need> {
                match self {
                    $(Misuse::$name => misuses!(@need $($need)?),)*
                }
            }

            fn says(self) -> &'static str {
                match self {
                    $(Misuse::$name => $says,)*
                }
            }
        }
    };
    (@need) => { None };
    (@need $need:ident) => { Some(Need::$need) };
}

misuses! {
    WaitForNone "clWaitForEvents for no event" [INVALID_VALUE] SP_HOST_WAIT;
    WaitForNull "clWaitForEvents for NULL" [INVALID_EVENT] SP_HOST_WAIT;
    WaitForTwoContexts "clWaitForEvents for events of two contexts" [INVALID_CONTEXT] SP_HOST_WAIT;
    SetTwice "clSetUserEventStatus for the second time" [INVALID_OPERATION] SP_USER_EVENT;
    SetFailedTwice "clSetUserEventStatus after a negative status" [INVALID_OPERATION] SP_USER_EVENT;
    SetPositive "clSetUserEventStatus to CL_RUNNING" [INVALID_VALUE] SP_USER_EVENT;
    SetOfCommand "clSetUserEventStatus of a command's event" [INVALID_EVENT] SP_USER_EVENT;
    SetNull "clSetUserEventStatus of NULL" [INVALID_EVENT] SP_USER_EVENT;
    UserEventOfNull "clCreateUserEvent in no context" [INVALID_CONTEXT] SP_USER_EVENT;
    CallbackForQueued "clSetEventCallback for CL_QUEUED" [INVALID_VALUE] STATE_CALLBACKS;
    CallbackForError "clSetEventCallback for a negative status" [INVALID_VALUE] STATE_CALLBACKS;
    CallbackOnNull "clSetEventCallback of NULL" [INVALID_EVENT] STATE_CALLBACKS;
    StatusOfNull "clGetEventInfo of NULL" [INVALID_EVENT] STATE_QUERY;
    TimesOfUserEvent "clGetEventProfilingInfo of a user event" [PROFILING_INFO_NOT_AVAILABLE] STATE_PROFILING;
    TimesUnasked "clGetEventProfilingInfo where the queue does not profile" [PROFILING_INFO_NOT_AVAILABLE] STATE_PROFILING;
    TimesTooSoon "clGetEventProfilingInfo of a command that is held back" [PROFILING_INFO_NOT_AVAILABLE] STATE_PROFILING;
    TimesOfNull "clGetEventProfilingInfo of NULL" [INVALID_EVENT] STATE_PROFILING;
    // Its command has no times, which is a reason to refuse, too, and neither comes first.
    TimesOfNoState "clGetEventProfilingInfo for no state" [INVALID_VALUE, PROFILING_INFO_NOT_AVAILABLE] STATE_PROFILING;
    FlushNull "clFlush of NULL" [INVALID_COMMAND_QUEUE] STATE_FLUSH;
    FinishNull "clFinish of NULL" [INVALID_COMMAND_QUEUE] SP_FINISH;
    ReleaseNullEvent "clReleaseEvent of NULL" [INVALID_EVENT] QUEUE_RELEASE;
    ReleaseNullQueue "clReleaseCommandQueue of NULL" [INVALID_COMMAND_QUEUE] QUEUE_RELEASE;
    ReleaseNullMemory "clReleaseMemObject of NULL" [INVALID_MEM_OBJECT] QUEUE_RELEASE;
    ReleaseNullKernel "clReleaseKernel of NULL" [INVALID_KERNEL] QUEUE_RELEASE;
    ReleaseNullProgram "clReleaseProgram of NULL" [INVALID_PROGRAM] QUEUE_RELEASE;
    ReleaseNullContext "clReleaseContext of NULL" [INVALID_CONTEXT] QUEUE_RELEASE;
    RetainNullEvent "clRetainEvent of NULL" [INVALID_EVENT] QUEUE_RELEASE;
    RetainNullMemory "clRetainMemObject of NULL" [INVALID_MEM_OBJECT] QUEUE_RELEASE;
    BufferOfNoSize "clCreateBuffer of no size" [INVALID_BUFFER_SIZE] API_ERRORS;
    BufferOfTwoUses "clCreateBuffer with CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY" [INVALID_VALUE] API_ERRORS;
    BufferOverNull "clCreateBuffer with CL_MEM_USE_HOST_PTR and NULL" [INVALID_HOST_PTR] RG_HOST_PTR;
    BufferCopiesNull "clCreateBuffer with CL_MEM_COPY_HOST_PTR and NULL" [INVALID_HOST_PTR] RG_HOST_PTR;
    BufferOverUnasked "clCreateBuffer with a pointer and no flag for it" [INVALID_HOST_PTR] RG_HOST_PTR;
    BufferUsesAndAllocates "clCreateBuffer with CL_MEM_USE_HOST_PTR and CL_MEM_ALLOC_HOST_PTR" [INVALID_VALUE] RG_HOST_PTR;
    PartMisaligned "clCreateSubBuffer at the second byte" [MISALIGNED_SUB_BUFFER_OFFSET] RG_SUB_BUFFER;
    PartOutside "clCreateSubBuffer behind the end" [INVALID_VALUE] RG_SUB_BUFFER;
    PartTooLong "clCreateSubBuffer beyond the end" [INVALID_VALUE] RG_SUB_BUFFER;
    PartOfNoSize "clCreateSubBuffer of no size" [INVALID_BUFFER_SIZE, INVALID_VALUE] RG_SUB_BUFFER;
    PartOfPart "clCreateSubBuffer of a sub-buffer" [INVALID_MEM_OBJECT] RG_SUB_BUFFER;
    PartMayMore "clCreateSubBuffer that is written of a buffer that is read" [INVALID_VALUE] RG_SUB_BUFFER;
    ReadBeyondEnd "clEnqueueReadBuffer beyond the end" [INVALID_VALUE] RG_TRANSFER;
    WriteBeyondEnd "clEnqueueWriteBuffer beyond the end" [INVALID_VALUE] RG_TRANSFER;
    CopyBeyondEnd "clEnqueueCopyBuffer beyond the end" [INVALID_VALUE] RG_TRANSFER;
    FillBeyondEnd "clEnqueueFillBuffer beyond the end" [INVALID_VALUE] RG_TRANSFER;
    MapBeyondEnd "clEnqueueMapBuffer beyond the end" [INVALID_VALUE] SP_MAP_UNMAP;
    ReadBeyondPart "clEnqueueReadBuffer beyond the end of a sub-buffer" [INVALID_VALUE] RG_SUB_BUFFER;
    ReadToNull "clEnqueueReadBuffer to NULL" [INVALID_VALUE] RG_TRANSFER;
    WriteFromNull "clEnqueueWriteBuffer from NULL" [INVALID_VALUE] RG_TRANSFER;
    CopyOverlaps "clEnqueueCopyBuffer onto a part of itself" [MEM_COPY_OVERLAP] RG_TRANSFER;
    CopyOverlapsInParts "clEnqueueCopyBuffer between two sub-buffers that overlap" [MEM_COPY_OVERLAP] RG_TRANSFER;
    CopyRectOverlaps "clEnqueueCopyBufferRect onto a part of itself" [MEM_COPY_OVERLAP] RG_TRANSFER;
    FillOfThree "clEnqueueFillBuffer with a pattern of three bytes" [INVALID_VALUE] RG_TRANSFER;
    FillOfNone "clEnqueueFillBuffer with a pattern of no bytes" [INVALID_VALUE] RG_TRANSFER;
    FillMisaligned "clEnqueueFillBuffer at no multiple of the pattern" [INVALID_VALUE] RG_TRANSFER;
    FillOfAPart "clEnqueueFillBuffer of no multiple of the pattern" [INVALID_VALUE] RG_TRANSFER;
    RectOfNothing "clEnqueueReadBufferRect without slices" [INVALID_VALUE] RG_TRANSFER;
    RectPitchShort "clEnqueueReadBufferRect with a pitch below its rows" [INVALID_VALUE] RG_TRANSFER;
    RectBeyondEnd "clEnqueueWriteBufferRect beyond the end" [INVALID_VALUE] RG_TRANSFER;
    ReadNoAccess "clEnqueueReadBuffer of what the host has no access to" [INVALID_OPERATION] RG_TRANSFER;
    ReadWriteOnly "clEnqueueReadBuffer of what the host only writes" [INVALID_OPERATION] RG_TRANSFER;
    WriteReadOnly "clEnqueueWriteBuffer of what the host only reads" [INVALID_OPERATION] RG_TRANSFER;
    MapWriteOnly "clEnqueueMapBuffer for reading of what the host only writes" [INVALID_OPERATION] SP_MAP_UNMAP;
    MapReadOnly "clEnqueueMapBuffer for writing of what the host only reads" [INVALID_OPERATION] SP_MAP_UNMAP;
    MapReadAndInvalidate "clEnqueueMapBuffer that reads and invalidates" [INVALID_VALUE] SP_MAP_INVALIDATE;
    UnmapStranger "clEnqueueUnmapMemObject of a pointer that no map gave" [INVALID_VALUE] SP_MAP_UNMAP;
    MigrateNothing "clEnqueueMigrateMemObjects of nothing" [INVALID_VALUE] RG_TRANSFER;
    MigrateNowhere "clEnqueueMigrateMemObjects with an unknown flag" [INVALID_VALUE] RG_TRANSFER;
    KernelUnknown "clCreateKernel by a name that is none" [INVALID_KERNEL_NAME] API_ERRORS;
    KernelUnbuilt "clCreateKernel of a program that is not built" [INVALID_PROGRAM_EXECUTABLE] API_ERRORS;
    BuildNonsense "clBuildProgram of what is no program" [BUILD_PROGRAM_FAILURE] API_ERRORS;
    ArgBeyondLast "clSetKernelArg beyond the last" [INVALID_ARG_INDEX] ARGS_CAPTURED;
    ArgOfWrongSize "clSetKernelArg of another size" [INVALID_ARG_SIZE] ARGS_CAPTURED;
    ArgOfNoValue "clSetKernelArg of a value by NULL" [INVALID_ARG_VALUE] ARGS_CAPTURED;
    ArgLocalOfNoSize "clSetKernelArg of local memory of no size" [INVALID_ARG_SIZE] ARGS_CAPTURED;
    ArgsUnset "clEnqueueNDRangeKernel before an argument is set" [INVALID_KERNEL_ARGS] ARGS_CAPTURED;
    KernelNull "clEnqueueNDRangeKernel of NULL" [INVALID_KERNEL] API_ERRORS;
    KernelForeign "clEnqueueNDRangeKernel of another context's kernel" [INVALID_CONTEXT, INVALID_KERNEL_ARGS] API_ERRORS;
    NoDimensions "clEnqueueNDRangeKernel in no dimension" [INVALID_WORK_DIMENSION] ND_GLOBAL_ID;
    TooManyDimensions "clEnqueueNDRangeKernel in more dimensions than there are" [INVALID_WORK_DIMENSION] ND_GLOBAL_ID;
    GroupTooLarge "clEnqueueNDRangeKernel in work-groups that are too large" [INVALID_WORK_GROUP_SIZE, INVALID_WORK_ITEM_SIZE] ND_UNIFORM_REQUIRED;
    GroupNotRequired "clEnqueueNDRangeKernel in other work-groups than the kernel requires" [INVALID_WORK_GROUP_SIZE] ND_UNIFORM_REQUIRED;
    OffsetTooLarge "clEnqueueNDRangeKernel whose last id no size_t holds" [INVALID_GLOBAL_OFFSET] ND_OFFSET;
    #[NativeKernels] NativeNull "clEnqueueNativeKernel of NULL" [INVALID_VALUE] KIND_NATIVE;
    #[SvmCoarse] SvmCopyFromNull "clEnqueueSVMMemcpy from NULL" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmCopyToNull "clEnqueueSVMMemcpy to NULL" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmCopyOverlaps "clEnqueueSVMMemcpy onto a part of itself" [MEM_COPY_OVERLAP] SV_API;
    #[SvmCoarse] SvmFillNull "clEnqueueSVMMemFill of NULL" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmFillOfThree "clEnqueueSVMMemFill with a pattern of three bytes" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmFillMisaligned "clEnqueueSVMMemFill at no multiple of the pattern" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmFillOfAPart "clEnqueueSVMMemFill of no multiple of the pattern" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmMapNull "clEnqueueSVMMap of NULL" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmMapOfNoSize "clEnqueueSVMMap of no size" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmUnmapNull "clEnqueueSVMUnmap of NULL" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmFreeOfNoLength "clEnqueueSVMFree of a list of no length" [INVALID_VALUE] SV_API;
    #[SvmCoarse] SvmFreeOfNoList "clEnqueueSVMFree of no list with a length" [INVALID_VALUE] SV_API;
    #[Api21] SvmMigrateNothing "clEnqueueSVMMigrateMem of nothing" [INVALID_VALUE] SV_API;
}

/// A call that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// An enqueue with something wrong that many enqueues can have.
    Enqueue(Enqueue, Wrong),
    /// Another.
    Misuse(Misuse),
}

impl Refusal {
    /// All.
    pub fn all() -> Vec<Refusal> {
        let pairs = Enqueue::ALL.into_iter().flat_map(|call| {
            let fits = move |wrong: &Wrong| match wrong {
                Wrong::ForeignBuffer | Wrong::NullBuffer => call.takes_buffer(),
                Wrong::FailedEvent => call == Enqueue::ReadBlocking,
                Wrong::ForeignEvent
                | Wrong::ForeignLast
                | Wrong::NullEvent
                | Wrong::NullList
                | Wrong::NoLength
                | Wrong::NullQueue => true,
            };
            let wrongs = Wrong::ALL.into_iter().filter(fits);
            wrongs.map(move |wrong| Refusal::Enqueue(call, wrong))
        });
        pairs
            .chain(Misuse::ALL.iter().copied().map(Refusal::Misuse))
            .collect()
    }

    /// Whether it is about a failure, after which its context may do anything.
    pub fn fails(self) -> bool {
        matches!(self, Refusal::Enqueue(_, Wrong::FailedEvent))
    }

    /// The codes that the specification names for it: mostly one.
    pub fn codes(self) -> &'static [i32] {
        match self {
            Refusal::Misuse(misuse) => misuse.codes(),
            Refusal::Enqueue(_, wrong) => match wrong {
                Wrong::ForeignEvent | Wrong::ForeignLast | Wrong::ForeignBuffer => {
                    &[code::INVALID_CONTEXT]
                }
                Wrong::NullEvent | Wrong::NullList | Wrong::NoLength => {
                    &[code::INVALID_EVENT_WAIT_LIST]
                }
                Wrong::FailedEvent => &[code::ERROR_IN_WAIT_LIST],
                Wrong::NullQueue => &[code::INVALID_COMMAND_QUEUE],
                Wrong::NullBuffer => &[code::INVALID_MEM_OBJECT],
            },
        }
    }

    /// The rules that say so, the main one first.
    pub fn rules(self) -> Vec<RuleId> {
        let first = match self {
            Refusal::Misuse(misuse) => misuse.rule(),
            Refusal::Enqueue(_, Wrong::NullQueue) => rule::API_ERRORS,
            Refusal::Enqueue(_, Wrong::FailedEvent) => rule::FAIL_NEGATIVE,
            Refusal::Enqueue(_, Wrong::ForeignBuffer | Wrong::NullBuffer) => rule::RG_TRANSFER,
            Refusal::Enqueue(..) => rule::PREREQ_WAIT_LIST,
        };
        let mut rules = vec![first];
        if first != rule::API_ERRORS {
            rules.push(rule::API_ERRORS);
        }
        rules
    }

    /// What it needs of the device.
    pub fn need(self) -> Option<Need> {
        match self {
            Refusal::Misuse(misuse) => misuse.need(),
            Refusal::Enqueue(call, _) => call.need(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Misuse(misuse) => f.write_str(misuse.says()),
            Refusal::Enqueue(call, wrong) => write!(f, "{call:?} with {wrong:?}"),
        }
    }
}
