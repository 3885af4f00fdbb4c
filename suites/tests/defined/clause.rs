//! The sentences of the specification by which behaviour is undefined, or left to implementations.

use std::fmt;

macro_rules! clauses {
    ($($(#[$doc:meta])* $name:ident = $section:literal: $sentence:literal;)*) => {
        /// What the specification says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
        pub enum Clause {
            $($(#[$doc])* $name,)*
        }

        impl Clause {
            /// All of them.
            pub const ALL: &'static [Clause] = &[$(Clause::$name),*];

            /// The section, and the sentence word for word.
            pub fn sentence(self) -> (&'static str, &'static str) {
                match self {
                    $(Clause::$name => ($section, $sentence),)*
                }
            }
        }
    };
}

clauses! {
    /// Commands that nothing orders use one memory object, and one writes.
    Object = "Memory Objects": "The basic principle is that multiple read operations on memory objects from multiple kernel-instances that overlap in time are allowed, but mixing overlapping reads and writes into the same memory objects from different kernel-instances is only allowed when fine grained synchronization is used with Shared Virtual Memory.";
    /// The same of a buffer and its sub-buffers, also in one kernel.
    SubBuffer = "clCreateSubBuffer": "Concurrent reading from, writing to and copying between both a buffer object and its sub-buffer object(s) is undefined.";
    /// The same of sub-buffers that overlap.
    OverlappingParts = "clCreateSubBuffer": "Concurrent reading from, writing to and copying between overlapping sub-buffer objects created with the same buffer object is undefined.";
    /// The same of a coarse-grain allocation.
    Coarse = "Host-Side and Device-Side Commands": "Access to non-SVM cl_mem buffers and coarse-grained SVM allocations is ordered at synchronization points between host commands.";
    /// The same bytes of memory that kernels or the host share by byte.
    Bytes = "Host-Side and Device-Side Commands": "attempts to update the same memory locations are undefined";
    /// A program-scope variable is used on another device than the one whose kernel filled it.
    Variable = "Shared Virtual Memory": "Program scope global variables are treated as per-device coarse-grained SVM for addressing and sharing purposes.";
    /// A migration overlaps another use.
    Migrate = "clEnqueueMigrateMemObjects": "The user is responsible for managing the event dependencies, associated with this command, in order to avoid overlapping access to memory objects. Improperly specified event dependencies passed to clEnqueueMigrateMemObjects could result in undefined results.";
    /// Something else than an allocation is migrated.
    MigrateWhat = "clEnqueueSVMMigrateMem": "Each pointer in this array must be within an allocation produced by a call to clSVMAlloc.";
    /// A command uses what is mapped for writing.
    MappedForWriting = "Accessing Mapped Regions of a Memory Object": "If a memory object is currently mapped for writing, the application must ensure that the memory object is unmapped before any enqueued kernels or commands that read from or write to this memory object or any of its associated memory objects (sub-buffer or 1D image buffer objects) or its parent object (if the memory object is a sub-buffer or 1D image buffer object) begin execution; otherwise the behavior is undefined.";
    /// A command writes to what is mapped for reading.
    MappedForReading = "Accessing Mapped Regions of a Memory Object": "If a memory object is currently mapped for reading, the application must ensure that the memory object is unmapped before any enqueued kernels or commands that write to this memory object or any of its associated memory objects (sub-buffer or 1D image buffer objects) or its parent object (if the memory object is a sub-buffer or 1D image buffer object) begin execution; otherwise the behavior is undefined.";
    /// Two maps overlap, and one is for writing.
    MappedTwice = "Accessing Mapped Regions of a Memory Object": "Mapping (and unmapping) overlapped regions in a memory object and/or associated memory objects (sub-buffer objects or 1D image buffer objects that overlap this region) for writing is an error";
    /// The host uses a map before it is made.
    MapNotReady = "clEnqueueMapBuffer": "the pointer to the mapped region returned by clEnqueueMapBuffer cannot be used until the map command has completed";
    /// The host uses a map that it gave up.
    Unmapped = "Accessing Mapped Regions of a Memory Object": "Accessing the contents of the memory region referred to by the mapped pointer that has been unmapped is undefined.";
    /// The host reaches out of a map.
    OutsideMap = "clEnqueueMapBuffer": "The result of a memory access outside this region is undefined.";
    /// The host writes where it said that it would read.
    MapMode = "Memory map flags": "This flag specifies that the region being mapped in the memory object is being mapped for reading.";
    /// The host uses memory that only maps lead to, without one.
    NoMap = "Shared Virtual Memory": "Consistency is enforced at synchronization points and with map/unmap commands to drive updates between the host and the device.";
    /// What a map discarded is read.
    Discarded = "Memory map flags": "The contents of the region being mapped are to be discarded.";
    /// What a command brought is looked at before it is there.
    NotRead = "clEnqueueReadBuffer": "The contents of the buffer that ptr points to cannot be used until the read command has completed.";
    /// The host uses what a write may still take.
    Reused = "clEnqueueWriteBuffer": "The memory pointed to by _ptr_ cannot be reused by the application after the call returns.";
    /// A copy overlaps itself.
    CopyOverlap = "clEnqueueCopyBuffer": "if src_buffer and dst_buffer are the same buffer or sub-buffer object and the source and destination regions overlap";
    /// A command reaches out of an object.
    OutOfBounds = "clEnqueueReadBuffer": "if the region being read or written specified by offset and size is out of bounds";
    /// Memory is used that is not there any more.
    Freed = "Shared Virtual Memory": "It is the programmer's responsibility to ensure that no host code or executing kernels attempt to access a shared memory region after that memory is freed.";
    /// Memory of the host is given to the implementation to free.
    FreeWhat = "clEnqueueSVMFree": "If pfn_free_func is NULL, all pointers specified in svm_pointers must be allocated using clSVMAlloc";
    /// An object is used without a reference.
    Released = "clReleaseEvent, clReleaseCommandQueue, clReleaseMemObject": "Using this function to release a reference that was not obtained by creating the object or by calling clRetainEvent causes undefined behavior.";
    /// An object is released while user events are awaited that nobody has set.
    ReleasedBeforeSet = "clSetUserEventStatus": "If there are enqueued commands with user events in the event_wait_list argument of clEnqueue* commands, the user must ensure that the status of these user events being waited on are set using clSetUserEventStatus before any OpenCL APIs that release OpenCL objects except for event objects are called; otherwise the behavior is undefined.";
    /// Two threads change a kernel's state, or one while another enqueues it.
    KernelState = "Multiple Host Threads": "The state of a cl_kernel object is undefined if clSetKernelArg, clSetKernelArgSVMPointer, clSetKernelExecInfo or clCloneKernel are called from multiple host threads on the same cl_kernel object at the same time";
    /// A user event is set twice.
    SetTwice = "clSetUserEventStatus": "clSetUserEventStatus can only be called once to change the execution status of event.";
    /// An event is used that is not there yet.
    NoEvent = "clWaitForEvents": "if event objects specified in event_list are not valid event objects";
    /// Objects of two contexts meet.
    Context = "clWaitForEvents, clEnqueue*": "The context associated with events in event_wait_list and command_queue must be the same.";
    /// A callback blocks.
    CallbackBlocks = "clSetEventCallback": "Behavior is undefined when calling expensive system routines, OpenCL APIs to create contexts or command-queues, or blocking OpenCL APIs in an event callback.";
    /// Nobody has to get on.
    NeverEnds = "clFlush": "To use event objects that refer to commands enqueued in a command-queue as event objects to wait on by commands enqueued in a different command-queue, the application must call a clFlush or any blocking commands that perform an implicit flush of the command-queue where the commands that refer to these event objects are enqueued.";
    /// The program names what is not there, or a thing twice.
    Malformed = "Valid Usage and Undefined Behavior": "For other conditions, behavior is undefined, and may include program termination.";
}

/// What is undefined in a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    /// The sentence.
    pub clause: Clause,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (section, sentence) = self.clause.sentence();
        write!(f, "{}: {section}: \"{sentence}\"", self.what)
    }
}
