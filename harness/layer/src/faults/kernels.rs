//! Arguments that a kernel gets late, never or in part, and index spaces that are not the
//! program's.
//!
//! A launch that is to capture its arguments late is kept back until the next call of the layer
//! that sets no argument. Its event is a user event, which the layer completes when the launch
//! does. An error of a launch that is kept back comes too late for the call: its event has it.

use super::call::Call;
use super::svm;
use crate::library::Entry;
use crate::library::driver::{self, Event};
use classay_faults::ApiViolation;
use libc::{c_char, c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

type Range = unsafe extern "C" fn(
    cl_command_queue,
    cl_kernel,
    cl_uint,
    *const size_t,
    *const size_t,
    *const size_t,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// Around `clCreateProgramWithBuiltInKernels`.
pub(crate) unsafe fn built_in(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_context,
        cl_uint,
        *const cl_device_id,
        *const c_char,
        *mut cl_int,
    ) -> cl_program,
    context: cl_context,
    count: cl_uint,
    devices: *const cl_device_id,
    names: *const c_char,
    errcode: *mut cl_int,
) -> cl_program {
    let first = (call.has(ApiViolation::BuiltInsFirst) && !names.is_null()).then(|| {
        // SAFETY: the caller's names end with a NUL.
        let names = unsafe { CStr::from_ptr(names) }.to_bytes();
        if names.contains(&b';') {
            crate::effects::of_act(ApiViolation::BuiltInsFirst);
        }
        let mut first: Vec<u8> = names.iter().copied().take_while(|b| *b != b';').collect();
        first.push(0);
        first
    });
    let names = first.as_ref().map_or(names, |first| first.as_ptr().cast());
    // SAFETY: the caller's arguments, the names perhaps shortened.
    let program = unsafe { next(context, count, devices, names, errcode) };
    if call.has(ApiViolation::WaitsIgnoredBuiltIn) && !program.is_null() {
        let mut built_in = BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner);
        built_in.insert(program as usize);
    }
    program
}

/// Programs of built-in kernels. One that is gone stays in the set: its handle may come back for another
/// program, whose kernels then ignore their lists, too.
static BUILT_IN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Whether a kernel is of a program of built-in kernels.
fn is_built_in(kernel: cl_kernel) -> bool {
    let built_in = BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner);
    driver::program_of(kernel).is_some_and(|program| built_in.contains(&(program as usize)))
}

/// Around `clCloneKernel`.
pub(crate) unsafe fn clone(
    call: &Call,
    next: unsafe extern "C" fn(cl_kernel, *mut cl_int) -> cl_kernel,
    kernel: cl_kernel,
    errcode: *mut cl_int,
) -> cl_kernel {
    // SAFETY: the caller's arguments, unchanged.
    let cloned = unsafe { next(kernel, errcode) };
    if cloned.is_null() || !call.has(ApiViolation::CloneBare) {
        return cloned;
    }
    // The clone is never given up, so that its handle does not come back.
    driver::kernel_like(kernel).unwrap_or(cloned)
}

/// The sizes of an index space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Space {
    dimensions: usize,
    offset: Option<[size_t; 3]>,
    global: [size_t; 3],
    local: Option<[size_t; 3]>,
}

/// A launch that is kept back.
struct Late {
    next: Range,
    queue: cl_command_queue,
    kernel: cl_kernel,
    space: Space,
    before: Vec<Event>,
    /// The event that the program has for it.
    given: Option<Event>,
}

// SAFETY: OpenCL's objects may be used from any thread; a program keeps the kernel until the
// enqueue returns, and the layer is inside one of the program's calls when it uses it.
unsafe impl Send for Late {}

static LATE: Mutex<Vec<Late>> = Mutex::new(Vec::new());
/// How many there are, so that other calls pay one load.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Makes the launches that were kept back, if this call sets no argument.
pub(super) fn let_go(entry: Entry) {
    if COUNT.load(Ordering::Acquire) == 0
        || [
            const { Entry::named("clSetKernelArg") },
            const { Entry::named("clSetKernelArgSVMPointer") },
            const { Entry::named("clSetKernelExecInfo") },
        ]
        .contains(&entry)
    {
        return;
    }
    // Launched under the lock: whoever comes second finds them enqueued.
    let mut late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    COUNT.store(0, Ordering::Release);
    for late in late.drain(..) {
        late.launch();
    }
}

impl Late {
    fn launch(self) {
        let list: Vec<cl_event> = self.before.iter().map(Event::raw).collect();
        let Space {
            dimensions,
            offset,
            global,
            local,
        } = self.space;
        let place =
            |sizes: &Option<[size_t; 3]>| sizes.as_ref().map_or(ptr::null(), |s| s.as_ptr());
        let mut event = ptr::null_mut();
        // SAFETY: the program's objects and sizes; the list lives across the call.
        let status = unsafe {
            (self.next)(
                self.queue,
                self.kernel,
                dimensions as cl_uint,
                place(&offset),
                global.as_ptr(),
                place(&local),
                list.len() as cl_uint,
                if list.is_empty() {
                    ptr::null()
                } else {
                    list.as_ptr()
                },
                &mut event,
            )
        };
        if status == CL_SUCCESS {
            // SAFETY: the implementation gave the layer this reference.
            let event = unsafe { Event::adopt(event) };
            if let Some(given) = self.given {
                std::thread::spawn(move || {
                    let _ = driver::wait(&event);
                    given.set(
                        driver::status_of(event.raw())
                            .unwrap_or(CL_COMPLETE)
                            .min(CL_COMPLETE),
                    );
                });
            }
        } else if let Some(given) = self.given {
            given.set(status);
        }
    }
}

/// Kernels that were enqueued, and whose arguments a fault keeps as they were.
static LAUNCHED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The kernel is given up; its handle may come back for another one.
pub(super) fn forget(kernel: cl_kernel) {
    LAUNCHED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&(kernel as usize));
}

/// Whether the arguments of this kernel stay as they are.
fn keeps_arguments(call: &Call, kernel: cl_kernel) -> bool {
    call.has(ApiViolation::ArgsStale)
        && LAUNCHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&(kernel as usize))
}

/// Around `clSetKernelArg`.
pub(crate) unsafe fn set_argument(
    call: &Call,
    next: unsafe extern "C" fn(cl_kernel, cl_uint, size_t, *const c_void) -> cl_int,
    kernel: cl_kernel,
    index: cl_uint,
    size: size_t,
    value: *const c_void,
) -> cl_int {
    if keeps_arguments(call, kernel) {
        return CL_SUCCESS;
    }
    // A value of eight bytes may be the handle of an object.
    let truncated = call.has(ApiViolation::ArgTruncated)
        && !value.is_null()
        && (2..=128).contains(&size)
        && size != size_of::<cl_mem>();
    if truncated {
        // SAFETY: not NULL, and as long as it says.
        let mut bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec();
        if let Some(upper) = bytes.get_mut(size / 2..) {
            upper.fill(0);
        }
        // SAFETY: a value of the same size.
        return unsafe { next(kernel, index, size, bytes.as_ptr().cast()) };
    }
    // SAFETY: the caller's arguments, unchanged.
    unsafe { next(kernel, index, size, value) }
}

/// Around `clSetKernelArgSVMPointer`.
pub(crate) unsafe fn set_pointer(
    call: &Call,
    next: unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int,
    kernel: cl_kernel,
    index: cl_uint,
    value: *const c_void,
) -> cl_int {
    if keeps_arguments(call, kernel) {
        return CL_SUCCESS;
    }
    // SAFETY: the caller's arguments; the pointer is only compared.
    unsafe { next(kernel, index, svm::pointer(call, value)) }
}

/// The sizes that the program gave; none if they are wrong, which the implementation is to say.
///
/// # Safety
/// Each list is NULL or has `dimensions` words.
unsafe fn given(
    dimensions: cl_uint,
    offset: *const size_t,
    global: *const size_t,
    local: *const size_t,
) -> Option<Space> {
    let dimensions = dimensions as usize;
    let read = |list: *const size_t, rest: size_t| {
        (!list.is_null()).then(|| {
            let mut sizes = [rest; 3];
            for (index, size) in sizes.iter_mut().enumerate().take(dimensions) {
                // SAFETY: this function's own contract.
                *size = unsafe { *list.add(index) };
            }
            sizes
        })
    };
    if !(1..=3).contains(&dimensions) {
        return None;
    }
    Some(Space {
        dimensions,
        offset: read(offset, 0),
        global: read(global, 1)?,
        local: read(local, 1),
    })
}

/// The index space that the implementation is to see.
fn changed(call: &Call, space: Space) -> Space {
    let mut space = space;
    if call.has(ApiViolation::OffsetDropped) {
        space.offset = None;
    }
    if let Some(offset) = &mut space.offset {
        if call.has(ApiViolation::OffsetFirstOnly) {
            *offset = [offset[0], 0, 0];
        }
        if call.has(ApiViolation::Offset32Bit) {
            *offset = offset.map(|one| one & 0xFFFF_FFFF);
        }
    }
    if let Some(local) = &mut space.local {
        if call.has(ApiViolation::LocalSizeIgnored) {
            *local = [1; 3];
        }
        if call.has(ApiViolation::LocalSizeHalved) && local[0].is_multiple_of(2) && local[0] > 0 {
            local[0] /= 2;
        }
    }
    if call.has(ApiViolation::EmptyRangeRuns) {
        let sizes = space.global.iter_mut().take(space.dimensions);
        sizes.for_each(|size| *size = (*size).max(1));
    }
    if call.has(ApiViolation::LastGroupLost) {
        let [width, ..] = space.global;
        let group = space.local.map_or(1, |local| local[0]).max(1);
        if width > group {
            space.global[0] = (width - 1) / group * group;
        } else if width > 1 {
            // One group only: its last work-item is lost.
            space.global[0] = width - 1;
            if let Some(local) = &mut space.local {
                local[0] = width - 1;
            }
        }
    }
    if let (true, Some(local)) = (call.has(ApiViolation::RemainderLost), space.local) {
        for (global, local) in space.global.iter_mut().zip(local) {
            if local > 0 && *global > local {
                *global -= *global % local;
            }
        }
    }
    space
}

/// Around `clEnqueueNDRangeKernel`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn range(
    call: &Call,
    next: Range,
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: *const size_t,
    global: *const size_t,
    local: *const size_t,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let unchanged = || {
        // SAFETY: the caller's arguments, unchanged.
        unsafe {
            next(
                queue, kernel, dimensions, offset, global, local, count, list, event,
            )
        }
    };
    if call.is_clean() {
        return unchanged();
    }
    // SAFETY: the caller's lists.
    let Some(given) = (unsafe { given(dimensions, offset, global, local) }) else {
        return unchanged();
    };
    let space = changed(call, given);
    let (count, list) = if call.has(ApiViolation::WaitsIgnoredBuiltIn) && is_built_in(kernel) {
        (0, ptr::null())
    } else {
        (count, list)
    };
    if call.has(ApiViolation::ArgsLate) {
        // SAFETY: the caller's list.
        let kept = unsafe { keep_back(next, queue, kernel, space, (count, list), event) };
        return kept.err().unwrap_or(CL_SUCCESS);
    }
    let place = |sizes: Option<[size_t; 3]>| sizes.map_or(ptr::null(), |sizes| call.keep(sizes));
    let launch = |local: Option<[size_t; 3]>| {
        // SAFETY: the caller's arguments, and sizes that live as long as the call.
        unsafe {
            next(
                queue,
                kernel,
                dimensions,
                place(space.offset),
                call.keep(space.global),
                place(local),
                count,
                list,
                event,
            )
        }
    };
    let mut status = launch(space.local);
    if status == CL_INVALID_WORK_GROUP_SIZE && call.has(ApiViolation::GroupSizeAccepted) {
        status = launch(None);
    }
    if status == CL_SUCCESS && call.has(ApiViolation::ArgsStale) {
        LAUNCHED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(kernel as usize);
    }
    status
}

/// Keeps a launch back.
///
/// # Safety
/// The list is NULL or as long as it says; `event` is NULL or may be written.
unsafe fn keep_back(
    next: Range,
    queue: cl_command_queue,
    kernel: cl_kernel,
    space: Space,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<(), cl_int> {
    if (count == 0) != list.is_null() {
        return Err(CL_INVALID_EVENT_WAIT_LIST);
    }
    let mut before = Vec::new();
    for index in 0..count as usize {
        // SAFETY: the list has this many elements.
        let event = unsafe { *list.add(index) };
        if event.is_null() {
            return Err(CL_INVALID_EVENT_WAIT_LIST);
        }
        // SAFETY: a live event of the program.
        before.push(unsafe { Event::retain(event) });
    }
    let given = if event.is_null() {
        None
    } else {
        let given = Event::of_queue(queue)?;
        // SAFETY: the program's place for the event, which gets a reference of its own.
        unsafe { *event = given.again().into_raw() };
        Some(given)
    };
    let mut late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    late.push(Late {
        next,
        queue,
        kernel,
        space,
        before,
        given,
    });
    COUNT.store(late.len(), Ordering::Release);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: Space = Space {
        dimensions: 2,
        offset: Some([1 << 33, 5, 0]),
        global: [10, 7, 1],
        local: Some([4, 2, 1]),
    };

    #[test]
    fn each_fault_changes_its_part_of_the_index_space() {
        let see = |violation| changed(&Call::broken(violation), SPACE);
        assert_eq!(see(ApiViolation::Short), SPACE);
        assert_eq!(see(ApiViolation::OffsetDropped).offset, None);
        assert_eq!(
            see(ApiViolation::OffsetFirstOnly).offset,
            Some([1 << 33, 0, 0])
        );
        assert_eq!(see(ApiViolation::Offset32Bit).offset, Some([0, 5, 0]));
        assert_eq!(see(ApiViolation::LocalSizeIgnored).local, Some([1, 1, 1]));
        assert_eq!(see(ApiViolation::LocalSizeHalved).local, Some([2, 2, 1]));
        let empty = Space {
            global: [0, 7, 1],
            ..SPACE
        };
        let run = changed(&Call::broken(ApiViolation::EmptyRangeRuns), empty);
        assert_eq!(run.global, [1, 7, 1]);
        assert_eq!(see(ApiViolation::LastGroupLost).global, [8, 7, 1]);
        assert_eq!(see(ApiViolation::RemainderLost).global, [8, 6, 1]);
    }

    #[test]
    fn the_last_of_one_group_is_its_last_work_item() {
        let one = Space {
            global: [4, 2, 1],
            ..SPACE
        };
        let seen = changed(&Call::broken(ApiViolation::LastGroupLost), one);
        assert_eq!((seen.global, seen.local), ([3, 2, 1], Some([3, 2, 1])));
    }

    #[test]
    fn sizes_are_read_as_far_as_they_go() {
        let sizes = [3usize, 4];
        // SAFETY: two words.
        let seen = unsafe { given(2, ptr::null(), sizes.as_ptr(), sizes.as_ptr()) };
        let expected = Space {
            dimensions: 2,
            offset: None,
            global: [3, 4, 1],
            local: Some([3, 4, 1]),
        };
        assert_eq!(seen, Some(expected));
        // SAFETY: nothing is read.
        let none = unsafe { given(4, ptr::null(), sizes.as_ptr(), ptr::null()) };
        assert_eq!(none, None);
    }
}
