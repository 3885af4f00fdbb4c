//! Arguments that a kernel gets late, never or in part, and index spaces that are not the
//! program's.
//!
//! A launch that is to capture its arguments late is kept back until the next call of the layer
//! that sets no argument. Its event is a user event, which the layer completes when the launch
//! does. An error of a launch that is kept back comes too late for the call: its event has it.

use super::call::Call;
use super::command::Command;
use super::parents;
use crate::library::Entry;
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_char, c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Around `clCreateProgramWithBuiltInKernels`.
pub(crate) unsafe fn built_in(
    call: &Call,
    create: impl Fn(*const c_char) -> cl_program,
    names: *const c_char,
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
    let program = create(first.as_ref().map_or(names, |first| first.as_ptr().cast()));
    if call.has(ApiViolation::WaitsIgnoredBuiltIn) && !program.is_null() {
        lock(&BUILT_IN).insert(program as usize);
    }
    program
}

/// Programs of built-in kernels. One that is gone stays in the set: its handle may come back for another
/// program, whose kernels then ignore their lists, too.
static BUILT_IN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Whether a kernel is of a program of built-in kernels.
fn is_built_in(kernel: cl_kernel) -> bool {
    driver::program_of(kernel).is_some_and(|program| lock(&BUILT_IN).contains(&(program as usize)))
}

/// Around `clCloneKernel`.
pub(crate) unsafe fn clone(
    call: &Call,
    clone: impl Fn() -> cl_kernel,
    kernel: cl_kernel,
) -> cl_kernel {
    let cloned = clone();
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
    let mut late = lock(&LATE);
    COUNT.store(0, Ordering::Release);
    for late in late.drain(..) {
        late.launch();
    }
}

impl Late {
    fn launch(self) {
        let list: Vec<cl_event> = self.before.iter().map(Event::raw).collect();
        let launched = self.space.launch(self.queue, self.kernel, &list);
        let Some(given) = self.given else { return };
        match launched {
            Ok(event) => {
                std::thread::spawn(move || {
                    let _ = driver::wait(&event);
                    let status = driver::status_of(event.raw()).unwrap_or(CL_COMPLETE);
                    given.set(status.min(CL_COMPLETE));
                });
            }
            Err(status) => given.set(status),
        }
    }
}

impl Space {
    /// Enqueues a kernel behind these events.
    fn launch(
        &self,
        queue: cl_command_queue,
        kernel: cl_kernel,
        list: &[cl_event],
    ) -> Result<Event, cl_int> {
        let place =
            |sizes: &Option<[size_t; 3]>| sizes.as_ref().map_or(ptr::null(), |s| s.as_ptr());
        let sizes = [
            place(&self.offset),
            self.global.as_ptr(),
            place(&self.local),
        ];
        driver::range(queue, kernel, self.dimensions as cl_uint, sizes, list)
    }
}

/// Kernels that were enqueued, and whose arguments a fault keeps as they were.
static LAUNCHED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// The kernel is given up; its handle may come back for another one.
pub(super) fn forget(kernel: cl_kernel) {
    lock(&LAUNCHED).remove(&(kernel as usize));
}

/// Around the functions that set an argument: those of a kernel that was launched may stay.
pub(crate) unsafe fn set_argument(
    call: &Call,
    set: impl Fn() -> cl_int,
    kernel: cl_kernel,
) -> cl_int {
    let stays = call.has(ApiViolation::ArgsStale) && lock(&LAUNCHED).contains(&(kernel as usize));
    if stays { CL_SUCCESS } else { set() }
}

/// The size and the value of an argument, perhaps without the upper half of its bytes.
pub(crate) unsafe fn argument(
    call: &Call,
    size: size_t,
    value: *const c_void,
) -> (size_t, *const c_void) {
    // A value of eight bytes may be the handle of an object.
    let truncated = call.has(ApiViolation::ArgTruncated)
        && !value.is_null()
        && (2..=128).contains(&size)
        && size != size_of::<cl_mem>();
    if !truncated {
        return (size, value);
    }
    // SAFETY: not NULL, and as long as it says.
    let mut bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec();
    if let Some(upper) = bytes.get_mut(size / 2..) {
        upper.fill(0);
    }
    (size, call.keep_pattern(&bytes).unwrap_or(value))
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
        if space.local.is_none()
            && offset[1..] != [0, 0]
            && call.does(ApiViolation::OffsetWithoutLocal)
        {
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
    command: &Command,
    issue: impl Fn(&Command, *const size_t, *const size_t, *const size_t) -> cl_int,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: *const size_t,
    global: *const size_t,
    local: *const size_t,
) -> cl_int {
    if call.is_clean() {
        return issue(command, offset, global, local);
    }
    // SAFETY: the caller's lists.
    let Some(given) = (unsafe { given(dimensions, offset, global, local) }) else {
        return issue(command, offset, global, local);
    };
    let space = changed(call, given);
    let command = if call.has(ApiViolation::WaitsIgnoredBuiltIn) && is_built_in(kernel) {
        &command.with_list(&[])
    } else {
        command
    };
    if call.has(ApiViolation::ArgsLate) {
        // SAFETY: the caller's list.
        let kept = unsafe { keep_back(command, kernel, space) };
        return kept.err().unwrap_or(CL_SUCCESS);
    }
    if call.has(ApiViolation::ParentEarly) && parents::enqueues(kernel) {
        crate::effects::of_act(ApiViolation::ParentEarly);
        let run = |queue, list: &[cl_event]| space.launch(queue, kernel, list);
        // SAFETY: the caller's list, and its place for the event.
        let launched = unsafe { parents::launch(command, run) };
        return launched.err().unwrap_or(CL_SUCCESS);
    }
    // Sizes that live as long as the call.
    let place = |sizes: Option<[size_t; 3]>| sizes.map_or(ptr::null(), |sizes| call.keep(sizes));
    let launch = |local| {
        issue(
            command,
            place(space.offset),
            call.keep(space.global),
            place(local),
        )
    };
    let mut status = launch(space.local);
    let is_impossible = matches!(
        status,
        CL_INVALID_WORK_GROUP_SIZE | CL_INVALID_WORK_ITEM_SIZE
    );
    if is_impossible && call.has(ApiViolation::GroupSizeAccepted) {
        status = launch(None);
    }
    if status == CL_SUCCESS && call.has(ApiViolation::ArgsStale) {
        lock(&LAUNCHED).insert(kernel as usize);
    }
    status
}

/// Keeps a launch back.
///
/// # Safety
/// The list is NULL or as long as it says; the place for the event is NULL or may be written.
unsafe fn keep_back(command: &Command, kernel: cl_kernel, space: Space) -> Result<(), cl_int> {
    // SAFETY: this function's own contract.
    let list = unsafe { command.waits() };
    if (command.count == 0) != command.list.is_null() || list.iter().any(|event| event.is_null()) {
        return Err(CL_INVALID_EVENT_WAIT_LIST);
    }
    // SAFETY: live events of the program.
    let retain = |event: &cl_event| unsafe { Event::retain(*event) };
    let before = list.iter().map(retain).collect();
    let given = if command.event.is_null() {
        None
    } else {
        let given = Event::of_queue(command.queue)?;
        // SAFETY: the program's place for the event, which gets a reference of its own.
        unsafe { *command.event = given.again().into_raw() };
        Some(given)
    };
    let mut late = lock(&LATE);
    late.push(Late {
        queue: command.queue,
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
        let unlike = ApiViolation::OffsetWithoutLocal;
        assert_eq!(see(unlike), SPACE);
        let chosen = Space {
            local: None,
            ..SPACE
        };
        let run = changed(&Call::broken(unlike), chosen);
        assert_eq!(run.offset, Some([1 << 33, 0, 0]));
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
