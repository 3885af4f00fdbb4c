//! Tells a story and gives back what was observed.

use super::acts::{Common, marker};
use super::refuse::Props;
use super::stage::{BYTES, Stage, buffer, build, context};
use crate::execute::setup::Named;
use crate::execute::setup::SetupError;
use cl3::command_queue as queue;
use cl3::event as ev;
use cl3::memory as mem;
use cl3::types::{cl_command_queue, cl_context, cl_event, cl_kernel, cl_mem, cl_program, cl_uint};
use classay_suites::api::refusal::Refusal;
use classay_suites::api::{Act, Fact, LEAST_OBJECT, Legacy, Story, Trace};
use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Calls that a story counts as its own; what a device cannot do at all ends the case.
fn own(trace: &mut Trace, result: Result<(), SetupError>) {
    if let Err(error) = result {
        trace.failed.push((error.call, error.code));
    }
}

/// Plays a story once.
pub fn tell(stage: &Stage, story: &Story) -> Result<Trace, SetupError> {
    let mut trace = Trace::default();
    match story {
        Story::Refusals { held, calls } => refusals(stage, *held, calls, &mut trace)?,
        Story::Threads { threads, rounds } => {
            let told = play_threads(stage, threads, *rounds, &mut trace);
            own(&mut trace, told);
        }
        Story::Again { act, times } => {
            let told = again(stage, *act, *times, &mut trace);
            own(&mut trace, told);
        }
        Story::Destructors { callbacks, part } => {
            let told = destructors(stage, *callbacks, *part, &mut trace);
            own(&mut trace, told);
        }
        Story::Context { acts } => {
            let told = whole_context(stage, acts, &mut trace);
            own(&mut trace, told);
        }
        Story::SvmFree { allocations, times } => {
            for _ in 0..*times {
                let told = svm_free(stage, usize::from(*allocations), &mut trace);
                own(&mut trace, told);
            }
        }
        Story::FailedEvent { code } => {
            let told = failed_event(stage, *code, &mut trace);
            own(&mut trace, told);
        }
        Story::BuiltIn => {
            for name in &stage.built_in {
                let told = built_in(stage, name, &mut trace);
                own(&mut trace, told);
            }
            let told = built_in_together(stage, &stage.built_in);
            own(&mut trace, told);
        }
        Story::Legacy { call } => {
            let told = legacy(stage, *call, &mut trace);
            own(&mut trace, told);
        }
    }
    Ok(trace)
}

fn refusals(
    stage: &Stage,
    held: bool,
    calls: &[Refusal],
    trace: &mut Trace,
) -> Result<(), SetupError> {
    let mut props = Props::make(stage, held)?;
    for call in calls {
        let code = props.call(*call);
        trace.refused.push(code);
        if code == 0 {
            // What was let through may have done anything to what the others need.
            break;
        }
    }
    if calls.iter().any(|call| call.fails()) {
        // Whatever the context does now.
        return Ok(());
    }
    let ended = props.end().map(|bytes| {
        trace.facts.push((Fact::Changed, bytes as i64));
    });
    own(trace, ended);
    Ok(())
}

fn play_threads(
    stage: &Stage,
    threads: &[Vec<Act>],
    rounds: u16,
    trace: &mut Trace,
) -> Result<(), SetupError> {
    let common = Common::make(stage)?;
    let begin = Barrier::new(threads.len());
    let failed: Mutex<Vec<SetupError>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for acts in threads {
            let (common, begin, failed) = (&common, &begin, &failed);
            scope.spawn(move || {
                begin.wait();
                for _ in 0..rounds {
                    for act in acts {
                        if let Err(error) = common.act(stage, *act) {
                            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            failed.push(error);
                            return;
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    trace
        .failed
        .extend(failed.into_iter().map(|e| (e.call, e.code)));
    trace.facts.push((Fact::Uncounted, common.uncounted()?));
    let misread = common.misread.load(Ordering::Relaxed);
    trace.facts.push((Fact::Misread, misread as i64));
    Ok(())
}

/// Bytes of memory that this process has in use; `None` where the system does not tell.
fn resident() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: i64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Stretches in each of which memory has to grow before that counts. What is given back late, or to
/// another thread's store, lets some of them grow in a row, but not so many.
const STRETCHES: usize = 12;

/// A device on which the first stretch takes longer is not asked about its memory: the others would take
/// as long, and a run that gives no sign of life looks like one that hangs.
const LONGEST: Duration = Duration::from_secs(3);

fn again(stage: &Stage, act: Act, times: u32, trace: &mut Trace) -> Result<(), SetupError> {
    let common = Common::make(stage)?;
    let stretch = |longest: Option<Duration>| -> Result<(bool, Option<i64>), SetupError> {
        let begun = Instant::now();
        for _ in 0..times {
            if longest.is_some_and(|longest| begun.elapsed() > longest) {
                return Ok((false, None));
            }
            common.act(stage, act)?;
        }
        queue::finish(stage.queue).of("clFinish")?;
        Ok((true, resident()))
    };
    let (quick, mut last) = stretch(Some(LONGEST))?;
    let stretches = if quick { STRETCHES } else { 0 };
    let mut least = i64::MAX;
    for _ in 0..stretches {
        let (_, now) = stretch(None)?;
        if let (Some(before), Some(now)) = (last, now) {
            least = least.min((now - before) / i64::from(times.max(1)));
        }
        last = now;
        if least <= LEAST_OBJECT {
            break;
        }
    }
    if least < i64::MAX {
        trace.facts.push((Fact::Growth, least));
    }
    let misread = common.misread.load(Ordering::Relaxed);
    trace.facts.push((Fact::Misread, misread as i64));
    Ok(())
}

/// The calls of destructors, in order.
#[derive(Default)]
struct Ends(Mutex<Vec<u8>>);

impl Ends {
    fn all(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn come(&self, n: u8) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(n);
    }
}

/// One destructor: whom it tells, and its number. One that is called twice must find it twice, so it
/// is never freed.
struct End {
    ends: Arc<Ends>,
    number: u8,
}

fn end(ends: &Arc<Ends>, number: u8) -> *mut c_void {
    let end = Box::new(End {
        ends: ends.clone(),
        number,
    });
    Box::into_raw(end).cast()
}

extern "C" fn ended(_: cl_mem, data: *mut c_void) {
    // SAFETY: made by `end`, and never freed.
    let end = unsafe { &*data.cast::<End>() };
    end.ends.come(end.number);
}

unsafe extern "C" fn context_ended(_: cl_context, data: *mut c_void) {
    // SAFETY: as above.
    let end = unsafe { &*data.cast::<End>() };
    end.ends.come(end.number);
}

/// How long what has to come may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits until so many ends came, and a little longer for one too many.
fn wait_for(ends: &Ends, wanted: usize) -> Vec<u8> {
    let deadline = Instant::now() + PATIENCE;
    while ends.all().len() < wanted && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(200));
    }
    std::thread::sleep(Duration::from_millis(1));
    ends.all()
}

fn release_event(event: cl_event) {
    // SAFETY: the caller's own reference.
    let _ = unsafe { ev::release_event(event) };
}

fn release_memory(memory: cl_mem) -> Result<(), SetupError> {
    // SAFETY: the caller's own reference.
    unsafe { mem::release_mem_object(memory) }.of("clReleaseMemObject")
}

fn status(event: cl_event) -> Result<i64, SetupError> {
    ev::get_event_info(event, ev::CL_EVENT_COMMAND_EXECUTION_STATUS)
        .of("clGetEventInfo")
        .map(|info| i64::from(info.to_int()))
}

fn destructors(
    stage: &Stage,
    callbacks: u8,
    part: bool,
    trace: &mut Trace,
) -> Result<(), SetupError> {
    let whole = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
    let ends = Arc::new(Ends::default());
    for n in 0..callbacks {
        // SAFETY: the data is never freed.
        unsafe { mem::set_mem_object_destructor_callback(whole, ended, end(&ends, n)) }
            .of("clSetMemObjectDestructorCallback")?;
    }
    let gate = stage.user()?;
    let out = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
    // SAFETY: the range is in both buffers; the list has one event.
    let copied =
        unsafe { queue::enqueue_copy_buffer(stage.queue, whole, out, 0, 0, BYTES, 1, &gate) };
    release_event(copied.of("clEnqueueCopyBuffer")?);
    queue::flush(stage.queue).of("clFlush")?;
    let last = if part {
        let region = mem::cl_buffer_region {
            origin: 0,
            size: BYTES / 2,
        };
        let kind = mem::CL_BUFFER_CREATE_TYPE_REGION;
        let region = ptr::from_ref(&region).cast();
        // SAFETY: the region lives through the call.
        let made = unsafe { mem::create_sub_buffer(whole, mem::CL_MEM_READ_WRITE, kind, region) };
        Some(made.of("clCreateSubBuffer")?)
    } else {
        None
    };
    release_memory(whole)?;
    let early = ends.all().len();
    ev::set_user_event_status(gate, 0).of("clSetUserEventStatus")?;
    queue::finish(stage.queue).of("clFinish")?;
    release_event(gate);
    let mut early = early;
    if let Some(part) = last {
        // It keeps its parent.
        early += ends.all().len();
        release_memory(part)?;
    }
    release_memory(out)?;
    let seen = wait_for(&ends, usize::from(callbacks));
    let off = seen.len() as i64 - i64::from(callbacks);
    let misordered = seen.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    trace.facts.extend([
        (Fact::DestructorsEarly, early as i64),
        (Fact::DestructorsOff, off),
        (Fact::DestructorsMisordered, misordered as i64),
    ]);
    Ok(())
}

fn whole_context(stage: &Stage, acts: &[Act], trace: &mut Trace) -> Result<(), SetupError> {
    let own = context(stage.device)?;
    let ends = Arc::new(Ends::default());
    cl3::context::set_context_destructor_callback(own, Some(context_ended), end(&ends, 0))
        .of("clSetContextDestructorCallback")?;
    {
        let program = build(own, stage.device, &stage.options)?;
        let inner = stage.within(own, program)?;
        let common = Common::make(&inner)?;
        for act in acts {
            common.act(&inner, *act)?;
        }
        // A command with an event, and one without a wait.
        let event = marker(inner.queue, &[])?;
        queue::finish(inner.queue).of("clFinish")?;
        release_event(event);
    }
    let seen = wait_for(&ends, 1);
    trace.facts.push((Fact::ContextOff, seen.len() as i64 - 1));
    Ok(())
}

/// What the callback of clEnqueueSVMFree saw.
struct Freed {
    context: cl_context,
    queue: cl_command_queue,
    wanted: Vec<usize>,
    calls: AtomicI64,
    others: AtomicI64,
    finished: AtomicBool,
}

unsafe extern "C" fn free(
    q: cl_command_queue,
    count: cl_uint,
    pointers: *mut *mut c_void,
    data: *mut c_void,
) {
    // SAFETY: made by `svm_free`, and never freed.
    let freed = unsafe { &*data.cast::<Freed>() };
    let first = freed.calls.fetch_add(1, Ordering::SeqCst) == 0;
    let mut others = i64::from(q != freed.queue);
    others += i64::from(count as usize != freed.wanted.len());
    for (n, wanted) in freed.wanted.iter().enumerate().take(count as usize) {
        // SAFETY: the implementation's list has as many pointers as it says.
        let pointer = unsafe { *pointers.add(n) };
        others += i64::from(pointer as usize != *wanted);
        if first && pointer as usize == *wanted && !freed.finished.load(Ordering::SeqCst) {
            // SAFETY: the callback's own duty; only the first does it, and nothing uses the memory.
            let _ = unsafe { mem::svm_free(freed.context, pointer) };
        }
    }
    freed.others.fetch_add(others, Ordering::SeqCst);
}

fn svm_free(stage: &Stage, allocations: usize, trace: &mut Trace) -> Result<(), SetupError> {
    let mut pointers: Vec<*const c_void> = Vec::new();
    for _ in 0..allocations {
        // SAFETY: freed by the callback.
        let made = unsafe { mem::svm_alloc(stage.context, mem::CL_MEM_READ_WRITE, 64, 0) };
        pointers.push(made.of("clSVMAlloc")?.cast_const());
    }
    let freed: &Freed = Box::leak(Box::new(Freed {
        context: stage.context,
        queue: stage.queue,
        wanted: pointers.iter().map(|p| *p as usize).collect(),
        calls: AtomicI64::new(0),
        others: AtomicI64::new(0),
        finished: AtomicBool::new(false),
    }));
    let gate = stage.user()?;
    let data = ptr::from_ref(freed).cast_mut().cast();
    // SAFETY: the list has this length; the callback frees what is in it.
    let made = unsafe {
        queue::enqueue_svm_free(
            stage.queue,
            allocations as u32,
            pointers.as_ptr(),
            Some(free),
            data,
            1,
            &gate,
        )
    };
    // The list is the caller's again.
    pointers.fill(ptr::null());
    std::hint::black_box(&pointers);
    let event = made.of("clEnqueueSVMFree")?;
    queue::flush(stage.queue).of("clFlush")?;
    std::thread::sleep(Duration::from_micros(200));
    let early = freed.calls.load(Ordering::SeqCst);
    let held = status(event)?;
    ev::set_user_event_status(gate, 0).of("clSetUserEventStatus")?;
    queue::finish(stage.queue).of("clFinish")?;
    let after = status(event)?;
    release_event(event);
    release_event(gate);
    // What comes now comes too late to free anything.
    freed.finished.store(true, Ordering::SeqCst);
    trace.facts.extend([
        (Fact::StatusHeld, held),
        (Fact::StatusDone, after),
        (Fact::FreedEarly, early),
        (Fact::FreedOff, freed.calls.load(Ordering::SeqCst) - 1),
        (Fact::FreedOthers, freed.others.load(Ordering::SeqCst)),
    ]);
    Ok(())
}

/// A user event that fails, by itself.
fn failed_event(stage: &Stage, code: i32, trace: &mut Trace) -> Result<(), SetupError> {
    let event = stage.user()?;
    ev::set_user_event_status(event, code).of("clSetUserEventStatus")?;
    trace
        .facts
        .push((Fact::StatusOff, status(event)? - i64::from(code)));
    let waited = ev::wait_for_events(&[event]).err().unwrap_or(0);
    trace.facts.push((Fact::WaitFailed, i64::from(waited)));
    release_event(event);
    Ok(())
}

/// One program of several built-in kernels has each of them.
fn built_in_together(stage: &Stage, names: &[String]) -> Result<(), SetupError> {
    if names.len() < 2 {
        return Ok(());
    }
    let all = CString::new(names.join(";")).unwrap_or_default();
    // SAFETY: the device is one of the context.
    let program = unsafe {
        cl3::program::create_program_with_builtin_kernels(stage.context, &[stage.device], &all)
    }
    .of("clCreateProgramWithBuiltInKernels")?;
    for name in names {
        let name = CString::new(name.as_str()).unwrap_or_default();
        let kernel = built_in_kernel(stage, program, &name)?;
        // SAFETY: the story's own, which no command uses.
        let _ = unsafe { cl3::kernel::release_kernel(kernel) };
    }
    // SAFETY: the story's own.
    let _ = unsafe { cl3::program::release_program(program) };
    Ok(())
}

/// A kernel of a program of built-in kernels. Some want the program built, others refuse to build what
/// has no source.
fn built_in_kernel(
    stage: &Stage,
    program: cl_program,
    name: &CStr,
) -> Result<cl_kernel, SetupError> {
    cl3::kernel::create_kernel(program, name)
        .or_else(|_| {
            let devices = [stage.device];
            cl3::program::build_program(program, &devices, c"", None, ptr::null_mut())?;
            cl3::kernel::create_kernel(program, name)
        })
        .of("clCreateKernel")
}

/// A built-in kernel over buffers, wherever it takes one, and small numbers elsewhere.
fn built_in(stage: &Stage, name: &str, trace: &mut Trace) -> Result<(), SetupError> {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the device is one of the context.
    let program = unsafe {
        cl3::program::create_program_with_builtin_kernels(stage.context, &[stage.device], &name)
    }
    .of("clCreateProgramWithBuiltInKernels")?;
    let kernel = built_in_kernel(stage, program, &name)?;
    let count = cl3::kernel::get_kernel_info(kernel, cl3::kernel::CL_KERNEL_NUM_ARGS)
        .of("clGetKernelInfo")?
        .to_uint();
    let mut buffers = Vec::new();
    let mut fits = true;
    for n in 0..count {
        let own = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
        buffers.push(own);
        let number = 1_u64;
        let number: *const c_void = ptr::from_ref(&number).cast();
        let memory: *const c_void = ptr::from_ref(&own).cast();
        let choices = [(size_of::<cl_mem>(), memory), (4, number), (8, number)];
        fits &= choices.into_iter().any(|(size, value)| {
            // SAFETY: the value has this size; one that does not fit is refused.
            unsafe { cl3::kernel::set_kernel_arg(kernel, n, size, value) }.is_ok()
        });
    }
    let gate = stage.user()?;
    let items = 4_usize;
    if fits {
        // SAFETY: the arguments are set, and the list has one event.
        let made = unsafe {
            queue::enqueue_nd_range_kernel(
                stage.queue,
                kernel,
                1,
                ptr::null(),
                &items,
                ptr::null(),
                1,
                &gate,
            )
        };
        let event = made.of("clEnqueueNDRangeKernel")?;
        queue::flush(stage.queue).of("clFlush")?;
        std::thread::sleep(Duration::from_millis(1));
        trace.facts.push((Fact::StatusHeld, status(event)?));
        ev::set_user_event_status(gate, 0).of("clSetUserEventStatus")?;
        queue::finish(stage.queue).of("clFinish")?;
        trace.facts.push((Fact::StatusDone, status(event)?));
        release_event(event);
    }
    release_event(gate);
    // SAFETY: the story's own, and all commands are done.
    unsafe {
        let _ = cl3::kernel::release_kernel(kernel);
        let _ = cl3::program::release_program(program);
    }
    for own in buffers {
        release_memory(own)?;
    }
    Ok(())
}

/// A queue that is out of order: a held marker, the old function, and a fill behind it.
fn legacy(stage: &Stage, call: Legacy, trace: &mut Trace) -> Result<(), SetupError> {
    let order = queue::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let q = stage.queue_in(stage.context, order)?;
    let gate = stage.user()?;
    let mut first = marker(q, &[gate])?;
    let mut between: cl_event = ptr::null_mut();
    let code = match call {
        Legacy::Marker => super::old::marker(q, &mut between),
        Legacy::Barrier => super::old::barrier(q),
        Legacy::WaitForEvents => super::old::wait_for_events(q, &mut first),
    };
    let called: Result<(), SetupError> = match code {
        Some(code) if code != 0 => Err(code).of("a function of OpenCL 1.1"),
        Some(_) | None => Ok(()),
    };
    let own = buffer(stage.context, BYTES, mem::CL_MEM_READ_WRITE)?;
    let pattern = 0_u32;
    let word = ptr::from_ref(&pattern).cast();
    // SAFETY: the range is in the buffer, and the pattern is copied by the call.
    let made = unsafe { queue::enqueue_fill_buffer(q, own, word, 4, 0, 64, 0, ptr::null()) };
    let behind = made.of("clEnqueueFillBuffer")?;
    queue::flush(q).of("clFlush")?;
    std::thread::sleep(Duration::from_millis(1));
    let held = if between.is_null() { behind } else { between };
    if code.is_some() && called.is_ok() {
        trace.facts.push((Fact::StatusHeld, status(held)?));
    }
    ev::set_user_event_status(gate, 0).of("clSetUserEventStatus")?;
    queue::finish(q).of("clFinish")?;
    trace.facts.push((Fact::StatusDone, status(held)?));
    for event in [first, behind, gate] {
        release_event(event);
    }
    release_memory(own)?;
    if !between.is_null() {
        release_event(between);
    }
    // SAFETY: the story's own queue, and all commands are done.
    let _ = unsafe { queue::release_command_queue(q) };
    called
}
