//! Lists of properties: "the implementation must return the values specified in the properties
//! argument in the same order and without including additional properties", and nothing where no
//! list was given.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::image::*;
use touchstone::api::memory::*;
use touchstone::api::platform::*;
use touchstone::api::queue::*;
use touchstone::api::sampler::*;

use crate::zoo::{RGBA8, SIZE, Zoo, desc, made, turn};

/// What a query gives back as words.
fn words(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Vec<u64> {
    let mut size = usize::MAX;
    assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS);
    let mut list = vec![0u64; size / 8];
    assert_eq!(list.len() * 8, size);
    if size > 0 {
        assert_eq!(call(size, list.as_mut_ptr().cast(), null_mut()), CL_SUCCESS);
    }
    list
}

/// Null for no list.
fn start<T>(list: &[u64]) -> *const T {
    if list.is_empty() {
        null()
    } else {
        list.as_ptr().cast()
    }
}

/// The words of a query of an object.
macro_rules! told {
    ($function:ident($object:expr, $name:ident)) => {{
        let object = $object;
        words(|size, value, ret| unsafe { $function(object, $name, size, value, ret) })
    }};
}

#[test]
fn lists_of_properties_are_given_back_as_they_were() {
    let _turn = turn();
    let zoo = Zoo::new();
    let platform = zoo.platform as u64;
    let (context, device) = (zoo.context, zoo.device);

    let sync = CL_CONTEXT_INTEROP_USER_SYNC as u64;
    let of_platform = CL_CONTEXT_PLATFORM as u64;
    let lists: [&[u64]; 4] = [
        &[],
        &[0],
        &[of_platform, platform, 0],
        &[sync, 1, of_platform, platform, 0],
    ];
    for list in lists {
        let by_list = made!(clCreateContext(start(list), 1, &device, None, null_mut()));
        let kind = CL_DEVICE_TYPE_ALL;
        let by_type = made!(clCreateContextFromType(start(list), kind, None, null_mut()));
        for made in [by_list, by_type] {
            assert_eq!(told!(clGetContextInfo(made, CL_CONTEXT_PROPERTIES)), list);
            assert_eq!(unsafe { clReleaseContext(made) }, CL_SUCCESS);
        }
    }

    let bits = u64::from(CL_QUEUE_PROPERTIES);
    let lists: [&[u64]; 4] = [
        &[],
        &[0],
        &[bits, 0, 0],
        &[bits, CL_QUEUE_PROFILING_ENABLE, 0],
    ];
    for list in lists {
        let queue = made!(clCreateCommandQueueWithProperties(
            context,
            device,
            start(list)
        ));
        assert_eq!(
            told!(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY)),
            list
        );
        assert_eq!(unsafe { clReleaseCommandQueue(queue) }, CL_SUCCESS);
    }
    let old = made!(clCreateCommandQueue(
        context,
        device,
        CL_QUEUE_PROFILING_ENABLE
    ));
    assert_eq!(
        told!(clGetCommandQueueInfo(old, CL_QUEUE_PROPERTIES_ARRAY)),
        []
    );
    assert_eq!(
        told!(clGetCommandQueueInfo(old, CL_QUEUE_PROPERTIES)),
        [CL_QUEUE_PROFILING_ENABLE]
    );

    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0]);
    for list in [&[][..], &[0]] {
        let buffer = made!(clCreateBufferWithProperties(
            context,
            start(list),
            0,
            SIZE,
            null_mut()
        ));
        let list_start = start(list);
        let image = made!(clCreateImageWithProperties(
            context,
            list_start,
            0,
            &RGBA8,
            &plane,
            null_mut()
        ));
        for object in [buffer, image] {
            assert_eq!(told!(clGetMemObjectInfo(object, CL_MEM_PROPERTIES)), list);
            assert_eq!(unsafe { clReleaseMemObject(object) }, CL_SUCCESS);
        }
    }
    for object in [zoo.buffer, zoo.sub_buffer, zoo.plane] {
        assert_eq!(told!(clGetMemObjectInfo(object, CL_MEM_PROPERTIES)), []);
    }

    let filter = u64::from(CL_SAMPLER_FILTER_MODE);
    let normalized = u64::from(CL_SAMPLER_NORMALIZED_COORDS);
    let lists: [&[u64]; 3] = [
        &[],
        &[0],
        &[filter, u64::from(CL_FILTER_LINEAR), normalized, 0, 0],
    ];
    for list in lists {
        let sampler = made!(clCreateSamplerWithProperties(context, start(list)));
        assert_eq!(
            told!(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES)),
            list
        );
        assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
    }
    assert_eq!(
        told!(clGetSamplerInfo(zoo.sampler, CL_SAMPLER_PROPERTIES)),
        []
    );
}

/// "Return the flags argument value specified when memobj is created"; a sub-buffer has those that
/// it takes over besides.
#[test]
fn flags_of_memory_objects_are_given_back_as_they_were() {
    let _turn = turn();
    let zoo = Zoo::new();
    let mut host = [0u8; SIZE];
    let device_access = [0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY];
    let host_access = [
        0,
        CL_MEM_HOST_READ_ONLY,
        CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_NO_ACCESS,
    ];
    let pointers = [
        0,
        CL_MEM_USE_HOST_PTR,
        CL_MEM_COPY_HOST_PTR,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    ];
    for device in device_access {
        for access in host_access {
            for pointer in pointers {
                let flags = device | access | pointer;
                let uses = pointer & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
                let at = if uses {
                    host.as_mut_ptr().cast()
                } else {
                    null_mut()
                };
                let buffer = made!(clCreateBuffer(zoo.context, flags, SIZE, at));
                let region = cl_buffer_region {
                    origin: 128,
                    size: 128,
                };
                let kind = CL_BUFFER_CREATE_TYPE_REGION;
                let region = (&raw const region).cast();
                let part = made!(clCreateSubBuffer(buffer, 0, kind, region));
                let plane = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0]);
                let image = made!(clCreateImage(zoo.context, flags, &RGBA8, &plane, at));
                for object in [buffer, part, image] {
                    assert_eq!(told!(clGetMemObjectInfo(object, CL_MEM_FLAGS)), [flags]);
                }
                let kept = pointer == CL_MEM_USE_HOST_PTR;
                let pointer_of = |object| told!(clGetMemObjectInfo(object, CL_MEM_HOST_PTR));
                let expected = if kept { at as u64 } else { 0 };
                assert_eq!(pointer_of(buffer), [expected]);
                assert_eq!(pointer_of(image), [expected]);
                assert_eq!(pointer_of(part), [if kept { expected + 128 } else { 0 }]);
                for object in [part, buffer, image] {
                    assert_eq!(unsafe { clReleaseMemObject(object) }, CL_SUCCESS);
                }
            }
        }
    }
}

/// Every extension of a device that all devices have is the platform's too.
#[test]
fn the_platform_names_what_all_its_devices_have() {
    let _turn = turn();
    let zoo = Zoo::new();
    let text = |call: &dyn Fn(usize, *mut c_void, *mut usize) -> cl_int| {
        let mut size = 0;
        assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS);
        let mut bytes = vec![0u8; size];
        assert_eq!(
            call(size, bytes.as_mut_ptr().cast(), null_mut()),
            CL_SUCCESS
        );
        let text = String::from_utf8(bytes).expect("no UTF-8");
        let mut names: Vec<_> = text
            .trim_end_matches('\0')
            .split(' ')
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    };
    let of_platform = text(&|size, value, ret| unsafe {
        clGetPlatformInfo(zoo.platform, CL_PLATFORM_EXTENSIONS, size, value, ret)
    });
    for device in [zoo.device, zoo.other_device] {
        let of_device = text(&|size, value, ret| unsafe {
            let name = CL_DEVICE_EXTENSIONS;
            touchstone::api::device::clGetDeviceInfo(device, name, size, value, ret)
        });
        assert_eq!(of_platform, of_device);
    }
}
