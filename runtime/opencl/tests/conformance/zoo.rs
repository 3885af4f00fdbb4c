//! A live object of every kind, in every state that a call can be given.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::image::*;
use touchstone::api::kernel::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::sampler::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;
use touchstone::object::Object;

/// Bytes of every buffer.
pub const SIZE: usize = 1024;
/// Compute units of each of the two devices.
pub const UNITS: u32 = 4;

const SOURCE: &CStr = c"
kernel void k(global int *p, int v, local int *l, constant int *c) {
    l[0] = v;
    p[get_global_id(0)] = l[0] + c[0];
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight() {}
";

pub const RGBA8: cl_image_format = cl_image_format {
    image_channel_order: CL_RGBA,
    image_channel_data_type: CL_UNSIGNED_INT8,
};

/// The objects. They are alive until the process ends; only that the table of refusals changes
/// nothing depends on how many there are.
pub struct Zoo {
    pub platform: cl_platform_id,
    pub device: cl_device_id,
    /// Of the same platform, but not of the context.
    pub other_device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
    pub buffer: cl_mem,
    pub other: cl_mem,
    pub sub_buffer: cl_mem,
    pub plane: cl_mem,
    pub solid: cl_mem,
    pub sampler: cl_sampler,
    /// Built, with kernels.
    pub program: cl_program,
    pub source: cl_program,
    pub compiled: cl_program,
    pub built_in: cl_program,
    /// With all its arguments.
    pub kernel: cl_kernel,
    pub eight: cl_kernel,
    pub foreign_gate: cl_event,
    pub done: cl_event,
    pub svm: *mut u8,
}

/// Waits for the tests before this one: one of them counts the objects of the process.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes something with a call that reports through its last argument.
macro_rules! made {
    ($function:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 1;
        let made = unsafe { $function($($arg,)* &mut code) };
        assert_eq!(code, CL_SUCCESS, "{}", stringify!($function));
        made
    }};
}

pub(crate) use made;

pub fn devices() -> [cl_device_id; 2] {
    static SETTINGS: Once = Once::new();
    // Every test comes here before it calls anything else, and waits here.
    SETTINGS.call_once(|| unsafe {
        std::env::set_var("TOUCHSTONE_DEVICES", "2");
        std::env::set_var("TOUCHSTONE_THREADS", UNITS.to_string());
    });
    let mut devices = [null_mut(); 2];
    let kind = CL_DEVICE_TYPE_ALL;
    let code = unsafe { clGetDeviceIDs(null_mut(), kind, 2, devices.as_mut_ptr(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    devices
}

pub fn context_of(devices: &[cl_device_id]) -> cl_context {
    let count = devices.len() as cl_uint;
    made!(clCreateContext(
        null(),
        count,
        devices.as_ptr(),
        None,
        null_mut()
    ))
}

pub fn queue_of(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
) -> cl_command_queue {
    let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
    made!(clCreateCommandQueueWithProperties(
        context,
        device,
        list.as_ptr()
    ))
}

pub fn program_of(context: cl_context, source: &CStr) -> cl_program {
    made!(clCreateProgramWithSource(
        context,
        1,
        &mut source.as_ptr(),
        null()
    ))
}

pub fn built(context: cl_context, source: &CStr, options: &CStr) -> cl_program {
    let program = program_of(context, source);
    let code = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    program
}

pub fn kernel_of(program: cl_program, name: &CStr) -> cl_kernel {
    made!(clCreateKernel(program, name.as_ptr()))
}

pub fn buffer_of(context: cl_context, flags: cl_mem_flags) -> cl_mem {
    made!(clCreateBuffer(context, flags, SIZE, null_mut()))
}

pub fn desc(image_type: cl_mem_object_type, sides: [usize; 3]) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: sides[0],
        image_height: sides[1],
        image_depth: sides[2],
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

pub fn set<T>(kernel: cl_kernel, index: cl_uint, value: &T) {
    let at = std::ptr::from_ref(value).cast();
    assert_eq!(
        unsafe { clSetKernelArg(kernel, index, size_of::<T>(), at) },
        CL_SUCCESS
    );
}

impl Zoo {
    pub fn new() -> Self {
        let [device, other_device] = devices();
        let mut platform = null_mut();
        assert_eq!(
            unsafe { clGetPlatformIDs(1, &mut platform, null_mut()) },
            CL_SUCCESS
        );
        let context = context_of(&[device]);
        let foreign = context_of(&[device, other_device]);
        let queue = queue_of(context, device, CL_QUEUE_PROFILING_ENABLE);
        let buffer = buffer_of(context, 0);
        let region = cl_buffer_region {
            origin: 256,
            size: 512,
        };
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let sub_buffer = made!(clCreateSubBuffer(
            buffer,
            0,
            kind,
            (&raw const region).cast()
        ));
        let image = |context, flags, format, kind, sides| {
            made!(clCreateImage(
                context,
                flags,
                &format,
                &desc(kind, sides),
                null_mut()
            ))
        };
        let plane = CL_MEM_OBJECT_IMAGE2D;
        let program = built(context, SOURCE, c"");
        let compiled = program_of(context, SOURCE);
        let code = unsafe {
            clCompileProgram(
                compiled,
                0,
                null(),
                null(),
                0,
                null(),
                null_mut(),
                None,
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        let built_in = made!(clCreateProgramWithBuiltInKernels(
            context,
            1,
            &device,
            c"touchstone_nop".as_ptr()
        ));
        let kernel = kernel_of(program, c"k");
        set(kernel, 0, &buffer);
        set(kernel, 1, &7i32);
        assert_eq!(unsafe { clSetKernelArg(kernel, 2, 4, null()) }, CL_SUCCESS);
        set(kernel, 3, &buffer);
        let mut done = null_mut();
        let code = unsafe { clEnqueueMarkerWithWaitList(queue, 0, null(), &mut done) };
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(unsafe { clWaitForEvents(1, &done) }, CL_SUCCESS);
        Self {
            platform,
            device,
            other_device,
            context,
            queue,
            buffer,
            other: buffer_of(context, 0),
            sub_buffer,
            plane: image(context, 0, RGBA8, plane, [8, 8, 0]),
            solid: image(context, 0, RGBA8, CL_MEM_OBJECT_IMAGE3D, [8, 8, 2]),
            sampler: made!(clCreateSampler(
                context,
                1,
                CL_ADDRESS_CLAMP,
                CL_FILTER_NEAREST
            )),
            program,
            source: program_of(context, SOURCE),
            compiled,
            built_in,
            kernel,
            eight: kernel_of(program, c"eight"),
            foreign_gate: made!(clCreateUserEvent(foreign)),
            done,
            svm: unsafe { clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0) }.cast(),
        }
    }

    /// How many objects of each kind are alive in the process.
    pub fn live(&self) -> [usize; 8] {
        fn count<T: Object>() -> usize {
            T::registry().live()
        }
        [
            count::<touchstone::context::Context>(),
            count::<touchstone::queue::Queue>(),
            count::<touchstone::queue::event::Event>(),
            count::<touchstone::memory::Buffer>(),
            count::<touchstone::memory::Image>(),
            count::<touchstone::sampler::Sampler>(),
            count::<touchstone::program::Program>(),
            count::<touchstone::kernel::Kernel>(),
        ]
    }

    /// What is no object of any kind.
    pub fn nothing(&self) -> *mut c_void {
        self.context.wrapping_byte_add(8)
    }

    /// An address within the allocation of shared virtual memory.
    pub fn shared(&self, offset: usize) -> *mut c_void {
        self.svm.wrapping_add(offset).cast()
    }
}
