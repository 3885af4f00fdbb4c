//! Platforms and devices.

use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::platform::*;
use touchstone::api::program::clUnloadPlatformCompiler;

use crate::table::{Refusal, refused, room};
use crate::zoo::UNITS;

const EQUALLY: isize = CL_DEVICE_PARTITION_EQUALLY;
const COUNTS: isize = CL_DEVICE_PARTITION_BY_COUNTS;

pub fn cases() -> Vec<Refusal> {
    assert_eq!(UNITS, 4, "the lists below are for four compute units");
    refused! { zoo:
        status clGetPlatformIDs {
            (0, &mut null_mut(), null_mut()) CL_INVALID_VALUE
                "if _num_entries_ is equal to zero and _platforms_ is not `NULL`";
            (1, null_mut(), null_mut()) CL_INVALID_VALUE
                "if both _num_platforms_ and _platforms_ are `NULL`";
        }
        status clGetPlatformInfo {
            (zoo.device, CL_PLATFORM_NAME, 0, null_mut(), &mut 0) CL_INVALID_PLATFORM
                "if _platform_ is not a valid platform";
            (zoo.platform, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.platform, CL_PLATFORM_NAME, 1, room(&mut [0u8; 64]), &mut 0)
                CL_INVALID_VALUE "if the size in bytes specified by _param_value_size_ is less than the size of the return type";
        }
        status clGetDeviceIDs {
            (zoo.context, CL_DEVICE_TYPE_ALL, 1, &mut null_mut(), null_mut()) CL_INVALID_PLATFORM
                "if _platform_ is not a valid platform";
            (zoo.platform, 0, 1, &mut null_mut(), null_mut()) CL_INVALID_DEVICE_TYPE
                "if _device_type_ is not a valid value";
            (zoo.platform, 1 << 40, 1, &mut null_mut(), null_mut()) CL_INVALID_DEVICE_TYPE
                "if _device_type_ is not a valid value";
            (zoo.platform, CL_DEVICE_TYPE_ALL, 0, &mut null_mut(), &mut 0) CL_INVALID_VALUE
                "if _num_entries_ is equal to zero and _devices_ is not `NULL`";
            (zoo.platform, CL_DEVICE_TYPE_ALL, 1, null_mut(), null_mut()) CL_INVALID_VALUE
                "if both _num_devices_ and _devices_ are `NULL`";
            (zoo.platform, CL_DEVICE_TYPE_GPU, 1, &mut null_mut(), &mut 0) CL_DEVICE_NOT_FOUND
                "if no OpenCL devices that matched _device_type_ were found";
            (zoo.platform, CL_DEVICE_TYPE_CUSTOM, 1, &mut null_mut(), &mut 0) CL_DEVICE_NOT_FOUND
                "if no OpenCL devices that matched _device_type_ were found";
        }
        status clGetDeviceInfo {
            (null_mut(), CL_DEVICE_TYPE, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not a valid device";
            (zoo.platform, CL_DEVICE_TYPE, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not a valid device";
            (zoo.device, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.device, CL_DEVICE_TYPE, 7, room(&mut [0u8; 8]), &mut 0)
                CL_INVALID_VALUE "if the size in bytes specified by _param_value_size_ is less than the size of the return type";
        }
        status clGetDeviceAndHostTimer {
            (zoo.platform, &mut 0, &mut 0) CL_INVALID_DEVICE "if _device_ is not a valid device";
            (zoo.device, &mut 0, null_mut()) CL_INVALID_VALUE "if _host_timestamp_ is `NULL`";
            (zoo.device, null_mut(), &mut 0) CL_INVALID_VALUE "if _device_timestamp_ is `NULL`";
        }
        status clGetHostTimer {
            (null_mut(), &mut 0) CL_INVALID_DEVICE "if _device_ is not a valid device";
            (zoo.device, null_mut()) CL_INVALID_VALUE "if _host_timestamp_ is `NULL`";
        }
        status clCreateSubDevices {
            (zoo.queue, [EQUALLY, 2, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_DEVICE "if _in_device_ is not a valid device";
            (zoo.device, std::ptr::null(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if values specified in _properties_ are not valid";
            (zoo.device, [0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if values specified in _properties_ are not valid";
            (zoo.device, [EQUALLY, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if values specified in _properties_ are not valid";
            (zoo.device, [EQUALLY, 2, COUNTS, 1, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if values specified in _properties_ are not valid";
            (zoo.device, [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                CL_DEVICE_AFFINITY_DOMAIN_NUMA as isize, 0].as_ptr(), 2,
                [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if values specified in _properties_ are valid but not are supported by _in_device_";
            (zoo.device, [EQUALLY, 1, 0].as_ptr(), 3, [null_mut(); 4].as_mut_ptr(), null_mut())
                CL_INVALID_VALUE "if _out_devices_ is not `NULL` and _num_devices_ is less than the number of sub-devices created by the partition scheme";
            (zoo.device, [EQUALLY, 5, 0].as_ptr(), 1, [null_mut(); 1].as_mut_ptr(), null_mut())
                CL_DEVICE_PARTITION_FAILED "if the partition name is supported by the implementation but in_device could not be further partitioned";
            (zoo.device, [COUNTS, 1, 1, 1, 1, 1, 0, 0].as_ptr(), 5, [null_mut(); 5].as_mut_ptr(), null_mut())
                CL_INVALID_DEVICE_PARTITION_COUNT "the number of sub-devices requested exceeds {CL_DEVICE_PARTITION_MAX_SUB_DEVICES}";
            (zoo.device, [COUNTS, 3, 2, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_DEVICE_PARTITION_COUNT "if the total number of compute units requested exceeds {CL_DEVICE_MAX_COMPUTE_UNITS} for _in_device_";
            (zoo.device, [COUNTS, -1, 2, 0, 0].as_ptr(), 2, [null_mut(); 2].as_mut_ptr(), null_mut())
                CL_INVALID_DEVICE_PARTITION_COUNT "if the number of compute units requested for one or more sub-devices is less than zero";
        }
        status clRetainDevice {
            (null_mut()) CL_INVALID_DEVICE "if _device_ is not a valid device";
            (zoo.context) CL_INVALID_DEVICE "if _device_ is not a valid device";
        }
        status clReleaseDevice {
            (null_mut()) CL_INVALID_DEVICE "if _device_ is not a valid device";
            (zoo.nothing()) CL_INVALID_DEVICE "if _device_ is not a valid device";
        }
        status clUnloadPlatformCompiler {
            (null_mut()) CL_INVALID_PLATFORM "if _platform_ is not a valid platform";
            (zoo.device) CL_INVALID_PLATFORM "if _platform_ is not a valid platform";
        }
    }
}
