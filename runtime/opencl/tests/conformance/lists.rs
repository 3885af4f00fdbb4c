//! What every command does with its wait list and its event, whatever it is.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::image_transfer::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::range::*;
use touchstone::api::rect::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use crate::table::to;
use crate::zoo::{Zoo, made, turn};

const O: [usize; 3] = [0; 3];
const R: [usize; 3] = [4, 4, 1];
const FAR: [usize; 3] = [0, 16, 0];

/// What every command takes last.
#[derive(Clone, Copy)]
struct Tail {
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
}

/// Enqueues a command with valid arguments but for its tail.
type Enqueue = fn(&Zoo, Tail) -> cl_int;

unsafe extern "C" fn native(_: *mut c_void) {}

/// A mapping to be taken off again.
fn mapping(zoo: &Zoo) -> *mut c_void {
    let (queue, buffer) = (zoo.queue, zoo.other);
    made!(clEnqueueMapBuffer(
        queue,
        buffer,
        CL_TRUE,
        CL_MAP_READ,
        0,
        8,
        0,
        null(),
        null_mut()
    ))
}

/// Every command that has a wait list, with its type.
fn commands() -> Vec<(cl_command_type, Enqueue)> {
    macro_rules! commands {
        ($zoo:ident: $($code:ident $function:ident($($arg:expr),* $(,)?);)*) => {
            vec![$((
                $code,
                |$zoo, tail| unsafe {
                    $function($($arg,)* tail.count, tail.list, tail.event)
                },
            )),*]
        };
    }
    let mut all: Vec<(cl_command_type, Enqueue)> = commands! { zoo:
        CL_COMMAND_READ_BUFFER clEnqueueReadBuffer(zoo.queue, zoo.buffer, CL_FALSE, 0, 8, zoo.shared(0));
        CL_COMMAND_WRITE_BUFFER clEnqueueWriteBuffer(zoo.queue, zoo.buffer, CL_FALSE, 0, 8, zoo.shared(0));
        CL_COMMAND_COPY_BUFFER clEnqueueCopyBuffer(zoo.queue, zoo.buffer, zoo.other, 0, 0, 8);
        CL_COMMAND_FILL_BUFFER clEnqueueFillBuffer(zoo.queue, zoo.buffer, to(&0u64), 8, 0, 64);
        CL_COMMAND_READ_BUFFER_RECT clEnqueueReadBufferRect(
            zoo.queue, zoo.buffer, CL_FALSE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0));
        CL_COMMAND_WRITE_BUFFER_RECT clEnqueueWriteBufferRect(
            zoo.queue, zoo.buffer, CL_FALSE, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, 0, 0, 0, zoo.shared(0));
        CL_COMMAND_COPY_BUFFER_RECT clEnqueueCopyBufferRect(
            zoo.queue, zoo.buffer, zoo.buffer, O.as_ptr(), FAR.as_ptr(), R.as_ptr(), 4, 0, 4, 0);
        CL_COMMAND_UNMAP_MEM_OBJECT clEnqueueUnmapMemObject(zoo.queue, zoo.other, mapping(zoo));
        CL_COMMAND_MIGRATE_MEM_OBJECTS clEnqueueMigrateMemObjects(zoo.queue, 1, &zoo.buffer, 0);
        CL_COMMAND_READ_IMAGE clEnqueueReadImage(
            zoo.queue, zoo.plane, CL_FALSE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0));
        CL_COMMAND_WRITE_IMAGE clEnqueueWriteImage(
            zoo.queue, zoo.plane, CL_FALSE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0));
        CL_COMMAND_FILL_IMAGE clEnqueueFillImage(
            zoo.queue, zoo.plane, to(&[0u32; 4]), O.as_ptr(), R.as_ptr());
        CL_COMMAND_COPY_IMAGE clEnqueueCopyImage(
            zoo.queue, zoo.plane, zoo.solid, O.as_ptr(), O.as_ptr(), R.as_ptr());
        CL_COMMAND_COPY_IMAGE_TO_BUFFER clEnqueueCopyImageToBuffer(
            zoo.queue, zoo.plane, zoo.buffer, O.as_ptr(), R.as_ptr(), 0);
        CL_COMMAND_COPY_BUFFER_TO_IMAGE clEnqueueCopyBufferToImage(
            zoo.queue, zoo.buffer, zoo.plane, 0, O.as_ptr(), R.as_ptr());
        CL_COMMAND_NDRANGE_KERNEL clEnqueueNDRangeKernel(zoo.queue, zoo.kernel, 1, null(), &8, null());
        CL_COMMAND_NDRANGE_KERNEL clEnqueueNDRangeKernel(zoo.queue, zoo.eight, 1, null(), &0, null());
        CL_COMMAND_TASK clEnqueueTask(zoo.queue, zoo.kernel);
        CL_COMMAND_NATIVE_KERNEL clEnqueueNativeKernel(
            zoo.queue, Some(native), null_mut(), 0, 0, null(), null_mut());
        CL_COMMAND_MARKER clEnqueueMarkerWithWaitList(zoo.queue);
        CL_COMMAND_BARRIER clEnqueueBarrierWithWaitList(zoo.queue);
        CL_COMMAND_SVM_FREE clEnqueueSVMFree(zoo.queue, 0, null_mut(), None, null_mut());
        CL_COMMAND_SVM_MEMCPY clEnqueueSVMMemcpy(zoo.queue, CL_FALSE, zoo.shared(0), zoo.shared(64), 8);
        CL_COMMAND_SVM_MEMFILL clEnqueueSVMMemFill(zoo.queue, zoo.shared(0), to(&0u64), 8, 64);
        CL_COMMAND_SVM_MAP clEnqueueSVMMap(zoo.queue, CL_FALSE, CL_MAP_READ, zoo.shared(0), 8);
        CL_COMMAND_SVM_UNMAP clEnqueueSVMUnmap(zoo.queue, zoo.shared(0));
        CL_COMMAND_SVM_MIGRATE_MEM clEnqueueSVMMigrateMem(
            zoo.queue, 1, &mut zoo.shared(0).cast_const(), null(), 0);
    };
    all.push((CL_COMMAND_MAP_BUFFER, |zoo, tail| unsafe {
        let mut code = 1;
        clEnqueueMapBuffer(
            zoo.queue,
            zoo.other,
            CL_FALSE,
            CL_MAP_READ,
            0,
            8,
            tail.count,
            tail.list,
            tail.event,
            &mut code,
        );
        code
    }));
    all.push((CL_COMMAND_MAP_IMAGE, |zoo, tail| unsafe {
        let mut code = 1;
        clEnqueueMapImage(
            zoo.queue,
            zoo.plane,
            CL_FALSE,
            CL_MAP_READ,
            O.as_ptr(),
            R.as_ptr(),
            &mut 0,
            null_mut(),
            tail.count,
            tail.list,
            tail.event,
            &mut code,
        );
        code
    }));
    all
}

fn info<T: Default>(event: cl_event, name: cl_event_info) -> T {
    let mut value = T::default();
    let at = (&raw mut value).cast();
    let code = unsafe { clGetEventInfo(event, name, size_of::<T>(), at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    value
}

fn status(event: cl_event) -> cl_int {
    info(event, CL_EVENT_COMMAND_EXECUTION_STATUS)
}

#[test]
fn a_wrong_list_is_refused_and_makes_no_event() {
    let _turn = turn();
    let zoo = Zoo::new();
    let good = zoo.done;
    let lists: [(cl_uint, &[cl_event], cl_int); 6] = [
        (1, &[], CL_INVALID_EVENT_WAIT_LIST),
        (0, &[good], CL_INVALID_EVENT_WAIT_LIST),
        (1, &[zoo.queue], CL_INVALID_EVENT_WAIT_LIST),
        (2, &[good, null_mut()], CL_INVALID_EVENT_WAIT_LIST),
        (1, &[zoo.foreign_gate], CL_INVALID_CONTEXT),
        (2, &[good, zoo.foreign_gate], CL_INVALID_CONTEXT),
    ];
    for (kind, enqueue) in commands() {
        for (count, events, expected) in lists {
            let list = if events.is_empty() {
                null()
            } else {
                events.as_ptr()
            };
            let mut event = zoo.nothing();
            let tail = Tail {
                count,
                list,
                event: &mut event,
            };
            assert_eq!(
                enqueue(&zoo, tail),
                expected,
                "{kind:#x} {count} {events:?}"
            );
            assert_eq!(event, zoo.nothing(), "{kind:#x} {count} {events:?}");
        }
    }
}

#[test]
fn a_command_waits_for_its_list_and_its_event_says_what_it_is() {
    let _turn = turn();
    let zoo = Zoo::new();
    for (kind, enqueue) in commands() {
        let gate = made!(clCreateUserEvent(zoo.context));
        let mut event = null_mut();
        let tail = Tail {
            count: 1,
            list: &gate,
            event: &mut event,
        };
        assert_eq!(enqueue(&zoo, tail), CL_SUCCESS, "{kind:#x}");
        assert!(
            [CL_QUEUED, CL_SUBMITTED].contains(&status(event)),
            "{kind:#x}"
        );
        assert_eq!(info::<cl_command_type>(event, CL_EVENT_COMMAND_TYPE), kind);
        assert_eq!(
            info::<usize>(event, CL_EVENT_COMMAND_QUEUE),
            zoo.queue as usize
        );
        assert_eq!(info::<usize>(event, CL_EVENT_CONTEXT), zoo.context as usize);
        assert_eq!(info::<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 1);
        unsafe {
            assert_eq!(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
            assert_eq!(clWaitForEvents(1, &event), CL_SUCCESS, "{kind:#x}");
            assert_eq!(status(event), CL_COMPLETE);
            let mut last = 0u64;
            for name in CL_PROFILING_COMMAND_QUEUED..=CL_PROFILING_COMMAND_COMPLETE {
                let mut time = 0u64;
                let at = (&raw mut time).cast();
                let code = clGetEventProfilingInfo(event, name, 8, at, null_mut());
                assert_eq!(code, CL_SUCCESS, "{kind:#x} {name:#x}");
                assert!(time >= last && time != 0, "{kind:#x} {name:#x}");
                last = time;
            }
            assert_eq!(clReleaseEvent(gate), CL_SUCCESS);
            assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        }
    }
}

#[test]
fn a_command_whose_list_fails_does_not_run_and_fails_too() {
    let _turn = turn();
    let zoo = Zoo::new();
    for (kind, enqueue) in commands() {
        let gate = made!(clCreateUserEvent(zoo.context));
        let mut event = null_mut();
        let tail = Tail {
            count: 1,
            list: &gate,
            event: &mut event,
        };
        assert_eq!(enqueue(&zoo, tail), CL_SUCCESS, "{kind:#x}");
        let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        unsafe {
            assert_eq!(clSetUserEventStatus(gate, -77), CL_SUCCESS);
            assert_eq!(clWaitForEvents(1, &event), failed, "{kind:#x}");
            assert_eq!(status(event), failed, "{kind:#x}");
            let name = CL_PROFILING_COMMAND_END;
            let code = clGetEventProfilingInfo(event, name, 0, null_mut(), null_mut());
            assert_eq!(code, CL_PROFILING_INFO_NOT_AVAILABLE);
            assert_eq!(clReleaseEvent(gate), CL_SUCCESS);
            assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        }
    }
}
