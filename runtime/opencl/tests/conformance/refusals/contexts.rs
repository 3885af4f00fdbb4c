//! Contexts and command queues.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::queue::*;

use crate::table::{Refusal, refused, room};

const PLATFORM: cl_context_properties = CL_CONTEXT_PLATFORM as cl_context_properties;
const SYNC: cl_context_properties = CL_CONTEXT_INTEROP_USER_SYNC as cl_context_properties;
const BITS: cl_queue_properties = CL_QUEUE_PROPERTIES as cl_queue_properties;
const ON_DEVICE: cl_queue_properties = CL_QUEUE_ON_DEVICE | OUT_OF_ORDER;
const OUT_OF_ORDER: cl_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

pub fn cases() -> Vec<Refusal> {
    let mut all = making();
    all.extend(asking());
    all
}

fn making() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateContext {
            ([PLATFORM, 0, 0].as_ptr(), 1, &zoo.device, None, null_mut()) CL_INVALID_PLATFORM
                "if the platform specified in _properties_ is not a valid platform";
            ([PLATFORM, zoo.device as isize, 0].as_ptr(), 1, &zoo.device, None, null_mut())
                CL_INVALID_PLATFORM
                "if the platform specified in _properties_ is not a valid platform";
            ([0x7777, 0, 0].as_ptr(), 1, &zoo.device, None, null_mut()) CL_INVALID_PROPERTY
                "if a context property name in _properties_ is not a supported property name";
            ([SYNC, 7, 0].as_ptr(), 1, &zoo.device, None, null_mut()) CL_INVALID_PROPERTY
                "if the value specified for a supported property name is not valid";
            ([SYNC, 0, SYNC, 0, 0].as_ptr(), 1, &zoo.device, None, null_mut())
                CL_INVALID_PROPERTY "if the same property name is specified more than once";
            ([PLATFORM, zoo.platform as isize, PLATFORM, zoo.platform as isize, 0].as_ptr(),
                1, &zoo.device, None, null_mut())
                CL_INVALID_PROPERTY "if the same property name is specified more than once";
            (null(), 1, null(), None, null_mut()) CL_INVALID_VALUE "if _devices_ is `NULL`";
            (null(), 0, &zoo.device, None, null_mut()) CL_INVALID_VALUE
                "if _num_devices_ is equal to zero";
            (null(), 1, &zoo.device, None, zoo.mapping) CL_INVALID_VALUE
                "if _pfn_notify_ is `NULL` and _user_data_ is not `NULL`";
            (null(), 2, [zoo.device, null_mut()].as_ptr(), None, null_mut()) CL_INVALID_DEVICE
                "if any device in _devices_ is not a valid device";
            (null(), 1, &zoo.platform, None, null_mut()) CL_INVALID_DEVICE
                "if any device in _devices_ is not a valid device";
        }
        create clCreateContextFromType {
            ([PLATFORM, zoo.context as isize, 0].as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut())
                CL_INVALID_PLATFORM
                "if the platform specified in _properties_ is not a valid platform";
            ([PLATFORM + 99, 0, 0].as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut())
                CL_INVALID_PROPERTY
                "if a context property name in _properties_ is not a supported property name";
            ([SYNC, 1, SYNC, 1, 0].as_ptr(), CL_DEVICE_TYPE_ALL, None, null_mut())
                CL_INVALID_PROPERTY "if the same property name is specified more than once";
            (null(), CL_DEVICE_TYPE_ALL, None, zoo.mapping) CL_INVALID_VALUE
                "if _pfn_notify_ is `NULL` and _user_data_ is not `NULL`";
            (null(), 0, None, null_mut()) CL_INVALID_DEVICE_TYPE
                "if _device_type_ is not a valid value";
            (null(), CL_DEVICE_TYPE_GPU, None, null_mut()) CL_DEVICE_NOT_FOUND
                "if no devices that match _device_type_ and property values specified in _properties_ were found";
            (null(), CL_DEVICE_TYPE_ACCELERATOR, None, null_mut()) CL_DEVICE_NOT_FOUND
                "if no devices that match _device_type_ and property values specified in _properties_ were found";
        }
        create clCreateCommandQueueWithProperties {
            (null_mut(), zoo.device, null()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, zoo.context, null()) CL_INVALID_DEVICE
                "if _device_ is not a valid device";
            (zoo.context, zoo.other_device, null()) CL_INVALID_DEVICE
                "if _device_ is not associated with _context_";
            (zoo.context, zoo.device, [BITS, 1 << 20, 0].as_ptr()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
            (zoo.context, zoo.device, [BITS, 0, BITS, 0, 0].as_ptr()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
            (zoo.context, zoo.device, [0x7777, 0, 0].as_ptr()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
            (zoo.context, zoo.device, [CL_QUEUE_SIZE as u64, 1024, 0].as_ptr()) CL_INVALID_VALUE
                "This can only be specified if {CL_QUEUE_ON_DEVICE} is set in {CL_QUEUE_PROPERTIES}.";
            (zoo.context, zoo.device, [BITS, CL_QUEUE_ON_DEVICE, 0].as_ptr()) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
            (zoo.context, zoo.device, [BITS, ON_DEVICE, 0].as_ptr()) CL_INVALID_QUEUE_PROPERTIES
                "if values specified in _properties_ are valid but are not supported by _device_";
            (zoo.context, zoo.device, [BITS, ON_DEVICE, CL_QUEUE_SIZE as u64, 64, 0].as_ptr())
                CL_INVALID_QUEUE_PROPERTIES
                "if values specified in _properties_ are valid but are not supported by _device_";
        }
        create clCreateCommandQueue {
            (zoo.device, zoo.device, 0) CL_INVALID_CONTEXT "if _context_ is not a valid context";
            (zoo.context, null_mut(), 0) CL_INVALID_DEVICE "if _device_ is not a valid device";
            (zoo.context, zoo.other_device, 0) CL_INVALID_DEVICE
                "if _device_ is not associated with _context_";
            (zoo.context, zoo.device, 1 << 20) CL_INVALID_VALUE
                "if values specified in _properties_ are not valid";
        }
    }
}

fn asking() -> Vec<Refusal> {
    refused! { zoo:
        status clRetainContext {
            (null_mut()) CL_INVALID_CONTEXT "if _context_ is not a valid OpenCL context";
            (zoo.queue) CL_INVALID_CONTEXT "if _context_ is not a valid OpenCL context";
        }
        status clReleaseContext {
            (null_mut()) CL_INVALID_CONTEXT "if _context_ is not a valid OpenCL context";
            (zoo.nothing()) CL_INVALID_CONTEXT "if _context_ is not a valid OpenCL context";
        }
        status clGetContextInfo {
            (zoo.device, CL_CONTEXT_DEVICES, 0, null_mut(), &mut 0) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.context, CL_CONTEXT_NUM_DEVICES, 3, room(&mut 0u32), &mut 0)
                CL_INVALID_VALUE "if the size in bytes specified by _param_value_size_ is less than the size of the return type";
        }
        status clSetContextDestructorCallback {
            (zoo.device, None, null_mut()) CL_INVALID_CONTEXT "if _context_ is not a valid context";
            (zoo.context, None, null_mut()) CL_INVALID_VALUE "if _pfn_notify_ is `NULL`";
        }
        status clSetDefaultDeviceCommandQueue {
            (zoo.device, zoo.device, zoo.queue) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, zoo.context, zoo.queue) CL_INVALID_DEVICE
                "if _device_ is not a valid device";
            (zoo.context, zoo.other_device, zoo.queue) CL_INVALID_DEVICE
                "if _device_ is not associated with _context_";
            (zoo.context, zoo.device, zoo.queue) CL_INVALID_OPERATION
                "if _device_ does not support a replaceable default on-device queue";
            (zoo.context, zoo.device, null_mut()) CL_INVALID_OPERATION
                "if _device_ does not support a replaceable default on-device queue";
        }
        status clRetainCommandQueue {
            (zoo.context) CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid command-queue";
        }
        status clReleaseCommandQueue {
            (null_mut()) CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid command-queue";
        }
        status clGetCommandQueueInfo {
            (zoo.context, CL_QUEUE_CONTEXT, 0, null_mut(), &mut 0) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue";
            (zoo.queue, CL_QUEUE_SIZE, 0, null_mut(), &mut 0) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue for _param_name_";
            (zoo.queue, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.queue, CL_QUEUE_CONTEXT, 7, room(&mut 0u64), &mut 0)
                CL_INVALID_VALUE "if the size in bytes specified by _param_value_size_ is less than the size of the return type";
        }
        status clSetCommandQueueProperty {
            (zoo.context, OUT_OF_ORDER, CL_TRUE, null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid command-queue";
            (zoo.queue, OUT_OF_ORDER, CL_TRUE, null_mut()) CL_INVALID_OPERATION
                "if no devices in the context associated with _command_queue_ support modifying the properties of a command-queue";
        }
        status clFlush {
            (zoo.context) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue";
        }
        status clFinish {
            (null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue";
        }
    }
}
