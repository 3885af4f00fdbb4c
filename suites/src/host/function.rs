//! The functions of the OpenCL API: one row each, from which the executor's dispatch, the C writer and
//! the checks of arguments follow.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// An OpenCL object.
    Object,
    /// 32 bits: `cl_uint`, `cl_int`, `cl_bool` and names of questions.
    Word,
    /// `size_t`, and the bitfields and properties of 64 bits.
    Long,
    /// Any pointer to memory.
    Pointer,
    /// A pointer to a function.
    Callback,
}

/// What a function gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gives {
    /// Its code.
    Code,
    /// An object or an address; its code comes through one more parameter, the last.
    Made,
    /// An address, null where it fails, and no code.
    Address,
    /// Nothing.
    Nothing,
}

/// Calls a macro with all rows: `Name(since; parameter: class, …) -> gives;`, where `since` is the version
/// of OpenCL that brought the function, as `CL_TARGET_OPENCL_VERSION` has it, classes are `object`, `word`,
/// `long`, `pointer`, `callback`, and `gives` is `code`, `made`, `address` or `nothing`. The error pointer of
/// what is `made` is not listed. Deprecated functions say the last version that has them: `100..110`. Names that end with
/// `KHR` are those of `cl_khr_command_buffer`, which needs the version that they say.
#[macro_export]
macro_rules! for_each_function {
    ($then:path) => {
        $then! {
            GetPlatformIDs(100; count: word, platforms: pointer, number: pointer) -> code;
            GetPlatformInfo(100; platform: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetExtensionFunctionAddressForPlatform(120; platform: object, name: pointer) -> address;
            GetDeviceIDs(100; platform: object, kind: long, count: word, devices: pointer, number: pointer) -> code;
            GetDeviceInfo(100; device: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            CreateSubDevices(120; device: object, properties: pointer, count: word, devices: pointer, number: pointer) -> code;
            RetainDevice(120; device: object) -> code;
            ReleaseDevice(120; device: object) -> code;
            SetDefaultDeviceCommandQueue(210; context: object, device: object, queue: object) -> code;
            GetDeviceAndHostTimer(210; device: object, device_time: pointer, host_time: pointer) -> code;
            GetHostTimer(210; device: object, host_time: pointer) -> code;
            CreateContext(100; properties: pointer, count: word, devices: pointer, notify: callback, data: pointer) -> made;
            CreateContextFromType(100; properties: pointer, kind: long, notify: callback, data: pointer) -> made;
            RetainContext(100; context: object) -> code;
            ReleaseContext(100; context: object) -> code;
            GetContextInfo(100; context: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            SetContextDestructorCallback(300; context: object, notify: callback, data: pointer) -> code;
            CreateCommandQueue(100..120; context: object, device: object, properties: long) -> made;
            CreateCommandQueueWithProperties(200; context: object, device: object, properties: pointer) -> made;
            RetainCommandQueue(100; queue: object) -> code;
            ReleaseCommandQueue(100; queue: object) -> code;
            GetCommandQueueInfo(100; queue: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            CreateBuffer(100; context: object, flags: long, size: long, host_ptr: pointer) -> made;
            CreateBufferWithProperties(300; context: object, properties: pointer, flags: long, size: long, host_ptr: pointer) -> made;
            CreateSubBuffer(110; buffer: object, flags: long, kind: word, info: pointer) -> made;
            CreateImage(120; context: object, flags: long, format: pointer, desc: pointer, host_ptr: pointer) -> made;
            CreateImageWithProperties(300; context: object, properties: pointer, flags: long, format: pointer, desc: pointer, host_ptr: pointer) -> made;
            CreateImage2D(100..110; context: object, flags: long, format: pointer, width: long, height: long, row_pitch: long, host_ptr: pointer) -> made;
            CreateImage3D(100..110; context: object, flags: long, format: pointer, width: long, height: long, depth: long, row_pitch: long, slice_pitch: long, host_ptr: pointer) -> made;
            CreatePipe(200; context: object, flags: long, packet_size: word, max_packets: word, properties: pointer) -> made;
            RetainMemObject(100; memory: object) -> code;
            ReleaseMemObject(100; memory: object) -> code;
            GetSupportedImageFormats(100; context: object, flags: long, kind: word, count: word, formats: pointer, number: pointer) -> code;
            GetMemObjectInfo(100; memory: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetImageInfo(100; image: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetPipeInfo(200; pipe: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            SetMemObjectDestructorCallback(110; memory: object, notify: callback, data: pointer) -> code;
            SVMAlloc(200; context: object, flags: long, size: long, alignment: word) -> address;
            SVMFree(200; context: object, pointer: pointer) -> nothing;
            CreateSampler(100..120; context: object, normalized: word, addressing: word, filter: word) -> made;
            CreateSamplerWithProperties(200; context: object, properties: pointer) -> made;
            RetainSampler(100; sampler: object) -> code;
            ReleaseSampler(100; sampler: object) -> code;
            GetSamplerInfo(100; sampler: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            CreateProgramWithSource(100; context: object, count: word, strings: pointer, lengths: pointer) -> made;
            CreateProgramWithIL(210; context: object, il: pointer, length: long) -> made;
            CreateProgramWithBinary(100; context: object, count: word, devices: pointer, lengths: pointer, binaries: pointer, status: pointer) -> made;
            CreateProgramWithBuiltInKernels(120; context: object, count: word, devices: pointer, names: pointer) -> made;
            RetainProgram(100; program: object) -> code;
            ReleaseProgram(100; program: object) -> code;
            SetProgramReleaseCallback(220; program: object, notify: callback, data: pointer) -> code;
            SetProgramSpecializationConstant(220; program: object, id: word, size: long, value: pointer) -> code;
            BuildProgram(100; program: object, count: word, devices: pointer, options: pointer, notify: callback, data: pointer) -> code;
            CompileProgram(120; program: object, count: word, devices: pointer, options: pointer, header_count: word, headers: pointer, header_names: pointer, notify: callback, data: pointer) -> code;
            LinkProgram(120; context: object, count: word, devices: pointer, options: pointer, program_count: word, programs: pointer, notify: callback, data: pointer) -> made;
            UnloadPlatformCompiler(120; platform: object) -> code;
            UnloadCompiler(100..110;) -> code;
            GetProgramInfo(100; program: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetProgramBuildInfo(100; program: object, device: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            CreateKernel(100; program: object, name: pointer) -> made;
            CreateKernelsInProgram(100; program: object, count: word, kernels: pointer, number: pointer) -> code;
            CloneKernel(210; kernel: object) -> made;
            RetainKernel(100; kernel: object) -> code;
            ReleaseKernel(100; kernel: object) -> code;
            SetKernelArg(100; kernel: object, index: word, size: long, value: pointer) -> code;
            SetKernelArgSVMPointer(200; kernel: object, index: word, pointer: pointer) -> code;
            SetKernelExecInfo(200; kernel: object, name: word, size: long, value: pointer) -> code;
            GetKernelInfo(100; kernel: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetKernelArgInfo(120; kernel: object, index: word, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetKernelWorkGroupInfo(100; kernel: object, device: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            GetKernelSuggestedLocalWorkSize(310; queue: object, kernel: object, dimensions: word, offset: pointer, global: pointer, local: pointer) -> code;
            GetKernelSubGroupInfo(210; kernel: object, device: object, name: word, input_size: long, input: pointer, size: long, value: pointer, size_ret: pointer) -> code;
            WaitForEvents(100; count: word, events: pointer) -> code;
            GetEventInfo(100; event: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            CreateUserEvent(110; context: object) -> made;
            RetainEvent(100; event: object) -> code;
            ReleaseEvent(100; event: object) -> code;
            SetUserEventStatus(110; event: object, status: word) -> code;
            SetEventCallback(110; event: object, status: word, notify: callback, data: pointer) -> code;
            GetEventProfilingInfo(100; event: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            Flush(100; queue: object) -> code;
            Finish(100; queue: object) -> code;
            EnqueueReadBuffer(100; queue: object, buffer: object, blocking: word, offset: long, size: long, to: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueReadBufferRect(110; queue: object, buffer: object, blocking: word, origin: pointer, host_origin: pointer, region: pointer, row: long, slice: long, host_row: long, host_slice: long, to: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueWriteBuffer(100; queue: object, buffer: object, blocking: word, offset: long, size: long, from: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueWriteBufferRect(110; queue: object, buffer: object, blocking: word, origin: pointer, host_origin: pointer, region: pointer, row: long, slice: long, host_row: long, host_slice: long, from: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueFillBuffer(120; queue: object, buffer: object, pattern: pointer, pattern_size: long, offset: long, size: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueCopyBuffer(100; queue: object, from: object, to: object, from_offset: long, to_offset: long, size: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueCopyBufferRect(110; queue: object, from: object, to: object, from_origin: pointer, to_origin: pointer, region: pointer, from_row: long, from_slice: long, to_row: long, to_slice: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueReadImage(100; queue: object, image: object, blocking: word, origin: pointer, region: pointer, row: long, slice: long, to: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueWriteImage(100; queue: object, image: object, blocking: word, origin: pointer, region: pointer, row: long, slice: long, from: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueFillImage(120; queue: object, image: object, colour: pointer, origin: pointer, region: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueCopyImage(100; queue: object, from: object, to: object, from_origin: pointer, to_origin: pointer, region: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueCopyImageToBuffer(100; queue: object, image: object, buffer: object, origin: pointer, region: pointer, offset: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueCopyBufferToImage(100; queue: object, buffer: object, image: object, offset: long, origin: pointer, region: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueMapBuffer(100; queue: object, buffer: object, blocking: word, flags: long, offset: long, size: long, count: word, list: pointer, event: pointer) -> made;
            EnqueueMapImage(100; queue: object, image: object, blocking: word, flags: long, origin: pointer, region: pointer, row: pointer, slice: pointer, count: word, list: pointer, event: pointer) -> made;
            EnqueueUnmapMemObject(100; queue: object, memory: object, mapped: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueMigrateMemObjects(120; queue: object, objects: word, memory: pointer, flags: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueNDRangeKernel(100; queue: object, kernel: object, dimensions: word, offset: pointer, global: pointer, local: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueTask(100..120; queue: object, kernel: object, count: word, list: pointer, event: pointer) -> code;
            EnqueueNativeKernel(100; queue: object, function: callback, args: pointer, size: long, objects: word, memory: pointer, places: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueMarkerWithWaitList(120; queue: object, count: word, list: pointer, event: pointer) -> code;
            EnqueueBarrierWithWaitList(120; queue: object, count: word, list: pointer, event: pointer) -> code;
            EnqueueMarker(100..110; queue: object, event: pointer) -> code;
            EnqueueBarrier(100..110; queue: object) -> code;
            EnqueueWaitForEvents(100..110; queue: object, count: word, list: pointer) -> code;
            EnqueueSVMFree(200; queue: object, pointers: word, list_of: pointer, notify: callback, data: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueSVMMemcpy(200; queue: object, blocking: word, to: pointer, from: pointer, size: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueSVMMemFill(200; queue: object, to: pointer, pattern: pointer, pattern_size: long, size: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueSVMMap(200; queue: object, blocking: word, flags: long, pointer: pointer, size: long, count: word, list: pointer, event: pointer) -> code;
            EnqueueSVMUnmap(200; queue: object, pointer: pointer, count: word, list: pointer, event: pointer) -> code;
            EnqueueSVMMigrateMem(210; queue: object, pointers: word, list_of: pointer, sizes: pointer, flags: long, count: word, list: pointer, event: pointer) -> code;
            CreateCommandBufferKHR(120; count: word, queues: pointer, properties: pointer) -> made;
            RetainCommandBufferKHR(120; command_buffer: object) -> code;
            ReleaseCommandBufferKHR(120; command_buffer: object) -> code;
            FinalizeCommandBufferKHR(120; command_buffer: object) -> code;
            GetCommandBufferInfoKHR(120; command_buffer: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            UpdateMutableCommandsKHR(120; command_buffer: object, number: word, types: pointer, updates: pointer) -> code;
            GetMutableCommandInfoKHR(120; command: object, name: word, size: long, value: pointer, size_ret: pointer) -> code;
            EnqueueCommandBufferKHR(120; number: word, queues: pointer, command_buffer: object, count: word, list: pointer, event: pointer) -> code;
            CommandBarrierWithWaitListKHR(120; command_buffer: object, queue: object, properties: pointer, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandCopyBufferKHR(120; command_buffer: object, queue: object, properties: pointer, from: object, to: object, from_offset: long, to_offset: long, size: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandCopyBufferRectKHR(120; command_buffer: object, queue: object, properties: pointer, from: object, to: object, from_origin: pointer, to_origin: pointer, region: pointer, from_row: long, from_slice: long, to_row: long, to_slice: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandCopyBufferToImageKHR(120; command_buffer: object, queue: object, properties: pointer, buffer: object, image: object, offset: long, origin: pointer, region: pointer, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandCopyImageKHR(120; command_buffer: object, queue: object, properties: pointer, from: object, to: object, from_origin: pointer, to_origin: pointer, region: pointer, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandCopyImageToBufferKHR(120; command_buffer: object, queue: object, properties: pointer, image: object, buffer: object, origin: pointer, region: pointer, offset: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandFillBufferKHR(120; command_buffer: object, queue: object, properties: pointer, buffer: object, pattern: pointer, pattern_size: long, offset: long, size: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandFillImageKHR(120; command_buffer: object, queue: object, properties: pointer, image: object, colour: pointer, origin: pointer, region: pointer, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandNDRangeKernelKHR(120; command_buffer: object, queue: object, properties: pointer, kernel: object, dimensions: word, offset: pointer, global: pointer, local: pointer, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandSVMMemcpyKHR(120; command_buffer: object, queue: object, properties: pointer, to: pointer, from: pointer, size: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
            CommandSVMMemFillKHR(120; command_buffer: object, queue: object, properties: pointer, to: pointer, pattern: pointer, pattern_size: long, size: long, points: word, wait_for: pointer, point: pointer, handle: pointer) -> code;
        }
    };
}

/// The place of the parameter `properties` among those of a function that records a command.
pub const PROPERTIES: usize = 2;

/// What a row says of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// `clFinish`.
    pub name: &'static str,
    /// The version that brought it, as `CL_TARGET_OPENCL_VERSION` has it.
    pub since: u16,
    /// Of a deprecated one, the last version that has it without being asked for it.
    pub until: Option<u16>,
    /// Its parameters with their names, in order; but for the error pointer of what is made.
    pub parameters: &'static [(&'static str, Class)],
    /// What it gives back.
    pub gives: Gives,
}

/// What rows say, in their words.
#[allow(non_upper_case_globals, reason = "as rows write them")]
mod row {
    use super::{Class, Gives};

    pub const object: Class = Class::Object;
    pub const word: Class = Class::Word;
    pub const long: Class = Class::Long;
    pub const pointer: Class = Class::Pointer;
    pub const callback: Class = Class::Callback;

    pub const code: Gives = Gives::Code;
    pub const made: Gives = Gives::Made;
    pub const address: Gives = Gives::Address;
    pub const nothing: Gives = Gives::Nothing;
}

macro_rules! until {
    () => {
        None
    };
    ($until:literal) => {
        Some($until)
    };
}

macro_rules! functions {
    ($($name:ident($since:literal $(.. $until:literal)?; $($parameter:ident: $class:ident),*) -> $gives:ident;)*) => {
        /// A function of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Function {
            $(#[doc = concat!("cl", stringify!($name))] $name,)*
        }

        impl Function {
            /// All.
            pub const ALL: &[Function] = &[$(Function::$name),*];

            /// Its row.
            pub const fn signature(self) -> &'static Signature {
                match self {
                    $(Function::$name => &Signature {
                        name: concat!("cl", stringify!($name)),
                        since: $since,
                        until: until!($($until)?),
                        parameters: &[$((stringify!($parameter), row::$class)),*],
                        gives: row::$gives,
                    },)*
                }
            }
        }
    };
}

for_each_function!(functions);

impl Function {
    /// `clFinish`.
    pub fn name(self) -> &'static str {
        self.signature().name
    }

    /// Whether it is one of an extension (`cl_khr_command_buffer` and what builds on it), which libraries need not export.
    pub fn is_extension(self) -> bool {
        self.name().ends_with("KHR")
    }

    /// Whether it is one of `cl_khr_command_buffer_mutable_dispatch`.
    pub fn updates(self) -> bool {
        self.name().contains("MutableCommand")
    }

    /// Whether it records a command.
    pub fn records(self) -> bool {
        self.is_extension() && self.name().starts_with("clCommand")
    }

    /// Whether it had no parameter [`PROPERTIES`] before version 0.9.5 of the extension, as of those that record only
    /// clCommandNDRangeKernelKHR had.
    pub fn had_no_properties(self) -> bool {
        self.records() && self != Function::CommandNDRangeKernelKHR
    }

    /// The function of this name.
    pub fn find(name: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|f| f.name() == name)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_name() {
        for function in Function::ALL {
            assert_eq!(Function::find(function.name()), Some(*function));
        }
        assert_eq!(Function::find("clNothing"), None);
    }

    #[test]
    fn what_records_has_its_properties_in_their_place() {
        let records = Function::ALL.iter().filter(|function| function.records());
        assert_eq!(records.clone().count(), 11);
        let later = records
            .clone()
            .filter(|function| function.had_no_properties());
        assert_eq!(later.count(), 10);
        for function in records {
            let parameters = function.signature().parameters;
            assert_eq!(parameters[PROPERTIES], ("properties", Class::Pointer));
        }
    }

    #[test]
    fn what_enqueues_ends_with_a_list_and_an_event() {
        let with =
            |f: &&Function| f.name().starts_with("clEnqueue") && f.signature().until.is_none();
        for function in Function::ALL.iter().filter(with) {
            let parameters = function.signature().parameters;
            let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
            assert_eq!(
                &names[names.len() - 3..],
                ["count", "list", "event"],
                "{function}"
            );
        }
    }
}
