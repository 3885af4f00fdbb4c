//! Calls that Touchstone refuses for what it is or by its own choice, where the specification leaves one: its devices
//! are CPUs of four compute units here, without an intermediate language or queues on the device, and
//! it knows objects from addresses that are none. What every implementation must refuse is data of the suites.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::sampler::*;

use crate::table::{Refusal, refused, to};
use crate::zoo::UNITS;

const EQUALLY: isize = CL_DEVICE_PARTITION_EQUALLY;
const COUNTS: isize = CL_DEVICE_PARTITION_BY_COUNTS;
const BITS: cl_queue_properties = CL_QUEUE_PROPERTIES as cl_queue_properties;
const OUT_OF_ORDER: cl_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const ON_DEVICE: cl_queue_properties = CL_QUEUE_ON_DEVICE | OUT_OF_ORDER;

unsafe extern "C" fn never(_: cl_program, _: *mut std::ffi::c_void) {
    unreachable!("a call that is refused calls nothing");
}

/// Every such call.
pub fn all() -> Vec<Refusal> {
    let mut all = devices();
    all.extend(programs());
    all
}

fn devices() -> Vec<Refusal> {
    assert_eq!(UNITS, 4, "the lists below are for four compute units");
    refused! { zoo:
        status clGetDeviceIDs {
            (zoo.platform, CL_DEVICE_TYPE_GPU, 1, &mut null_mut(), &mut 0) CL_DEVICE_NOT_FOUND
                "if no OpenCL devices that matched _device_type_ were found";
            (zoo.platform, CL_DEVICE_TYPE_CUSTOM, 1, &mut null_mut(), &mut 0) CL_DEVICE_NOT_FOUND
                "if no OpenCL devices that matched _device_type_ were found";
        }
        status clCreateSubDevices {
            (zoo.device, [EQUALLY, 2, COUNTS, 1, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
            (zoo.device, [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA as isize, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut()) CL_INVALID_VALUE
                "if values specified in _properties_ are valid but not are supported by _in_device_";
            (zoo.device, [EQUALLY, 1, 0].as_ptr(), 3, [null_mut(); 4].as_mut_ptr(), null_mut()) CL_INVALID_VALUE
                "if _out_devices_ is not `NULL` and _num_devices_ is less than the number of sub-devices created by the partition scheme";
            (zoo.device, [EQUALLY, 4, 0].as_ptr(), 1, [null_mut(); 1].as_mut_ptr(), null_mut()) CL_DEVICE_PARTITION_FAILED
                "if the partition name is supported by the implementation but in_device could not be further partitioned";
            (zoo.device, [COUNTS, 1, 1, 1, 1, 1, 0, 0].as_ptr(), 5, [null_mut(); 5].as_mut_ptr(), null_mut()) CL_INVALID_DEVICE_PARTITION_COUNT
                "the number of sub-devices requested exceeds {CL_DEVICE_PARTITION_MAX_SUB_DEVICES}";
            (zoo.device, [COUNTS, 3, 2, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut()) CL_INVALID_DEVICE_PARTITION_COUNT
                "if the total number of compute units requested exceeds {CL_DEVICE_MAX_COMPUTE_UNITS} for _in_device_";
        }
        status clReleaseDevice {
            (zoo.nothing()) CL_INVALID_DEVICE
                "if _device_ is not a valid device";
        }
        create clCreateContextFromType {
            (null(), CL_DEVICE_TYPE_GPU, None, null_mut()) CL_DEVICE_NOT_FOUND
                "if no devices that match _device_type_ and property values specified in _properties_ were found";
            (null(), CL_DEVICE_TYPE_ACCELERATOR, None, null_mut()) CL_DEVICE_NOT_FOUND
                "if no devices that match _device_type_ and property values specified in _properties_ were found";
        }
        create clCreateCommandQueueWithProperties {
            (zoo.context, zoo.device, [BITS, ON_DEVICE, CL_QUEUE_SIZE as u64, 1 << 40, 0].as_ptr()) CL_INVALID_QUEUE_PROPERTIES
                "if values specified in _properties_ are valid but are not supported by _device_";
            (zoo.context, zoo.device, [BITS, ON_DEVICE, CL_QUEUE_SIZE as u64, 0, 0].as_ptr()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
        }
        status clReleaseContext {
            (zoo.nothing()) CL_INVALID_CONTEXT
                "if _context_ is not a valid OpenCL context";
        }
        status clSetDefaultDeviceCommandQueue {
            (zoo.context, zoo.device, zoo.queue) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue for _device_";
            (zoo.context, zoo.device, null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue for _device_";
        }
        status clSetCommandQueueProperty {
            (zoo.context, OUT_OF_ORDER, CL_TRUE, null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue";
            (zoo.queue, OUT_OF_ORDER, CL_TRUE, null_mut()) CL_INVALID_OPERATION
                "if no devices in the context associated with _command_queue_ support modifying the properties of a command-queue";
        }
        create clCreateSampler {
            (zoo.context, 2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST) CL_INVALID_VALUE
                "if _addressing_mode_, _filter_mode_, _normalized_coords_ or a combination of these arguments are not valid.";
        }
    }
}

fn programs() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateProgramWithIL {
            (zoo.context, to(&0u32), 4) CL_INVALID_VALUE
                "does not contain well-formed intermediate language input that can be consumed by the OpenCL runtime.";
        }
        status clBuildProgram {
            (zoo.source, 0, null(), c"-create-library".as_ptr(), None, null_mut()) CL_INVALID_BUILD_OPTIONS
                "if the build options specified by _options_ are invalid.";
            (zoo.built_in, 0, null(), null(), None, null_mut()) CL_INVALID_OPERATION
                "if _program_ was not created with {clCreateProgramWithSource}, {clCreateProgramWithIL} or {clCreateProgramWithBinary}.";
        }
        status clCompileProgram {
            (zoo.source, 0, null(), c"-create-library".as_ptr(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_COMPILER_OPTIONS
                "if the compiler options specified by _options_ are invalid.";
            (zoo.built_in, 0, null(), null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_OPERATION
                "if _program_ has no source or IL available";
        }
        create clLinkProgram {
            (zoo.context, 0, null(), c"-cl-std=CL1.2".as_ptr(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_LINKER_OPTIONS
                "if the linker options specified by _options_ are invalid.";
        }
        status clSetProgramReleaseCallback {
            (zoo.program, Some(never), null_mut()) CL_INVALID_OPERATION
                "if no devices in the context associated with _program_ support destructors for program scope global variables.";
        }
        status clSetProgramSpecializationConstant {
            (zoo.program, 0, 4, to(&0u32)) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object created from an intermediate language";
        }
        status clGetKernelArgInfo {
            (zoo.kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0) CL_KERNEL_ARG_INFO_NOT_AVAILABLE
                "if the argument information is not available for kernel.";
        }
        status clGetKernelSubGroupInfo {
            (zoo.kernel, zoo.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, null(), 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if the size in bytes specified by _input_value_size_ is not valid or if _input_value_ is `NULL`.";
        }
        status clGetKernelSubGroupInfoKHR {
            (zoo.kernel, zoo.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, null(), 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if the size in bytes specified by _input_value_size_ is not valid or if _input_value_ is `NULL`.";
        }
        status clGetKernelSuggestedLocalWorkSizeKHR {
            (zoo.queue, zoo.kernel, 1, null(), &8, null_mut()) CL_INVALID_VALUE
                "if _suggested_local_work_size_ is `NULL`";
        }
    }
}
