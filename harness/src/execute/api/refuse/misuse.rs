//! Calls that must be refused, each for something of its own.

use super::super::stage::BYTES;
use super::{NO_TIMES, PART, Props, code, memory, part, plain};
use cl3::command_queue as queue;
use cl3::event as ev;
use cl3::kernel as ker;
use cl3::memory as mem;
use cl3::types::{cl_event, cl_int, cl_kernel, cl_mem};
use classay_suites::api::refusal::Misuse;
use std::ffi::c_void;
use std::ptr;

/// CL_INVALID_ARG_SIZE.
const INVALID_ARG_SIZE: i32 = -51;

extern "C" fn never(_: cl_event, _: cl_int, _: *mut c_void) {}

fn kernel(result: Result<cl_kernel, i32>) -> i32 {
    match result {
        Ok(made) => {
            // SAFETY: made just now, and nothing uses it.
            plain(unsafe { ker::release_kernel(made) })
        }
        Err(code) => code,
    }
}

impl Props<'_> {
    fn launch(&self, kernel: cl_kernel, dimensions: u32, offset: usize, local: usize) -> i32 {
        let offsets = [offset, 0, 0, 0];
        let global = [1 << 20, 1, 1, 1];
        let locals = [local, 1, 1, 1];
        let (local, offset) = (
            if local == 0 {
                ptr::null()
            } else {
                locals.as_ptr()
            },
            if offset == 0 {
                ptr::null()
            } else {
                offsets.as_ptr()
            },
        );
        let q = self.stage.queue;
        let global = global.as_ptr();
        // SAFETY: the lists have four sizes, as many as are ever asked for.
        code(unsafe {
            queue::enqueue_nd_range_kernel(
                q,
                kernel,
                dimensions,
                offset,
                global,
                local,
                0,
                ptr::null(),
            )
        })
    }

    fn make_buffer(&mut self, flags: u64, size: usize, host: bool) -> i32 {
        let pointer = if host {
            self.host.as_mut_ptr().cast()
        } else {
            ptr::null_mut()
        };
        // SAFETY: where there is a pointer, it is to as much memory as any of these calls names, and
        // the buffer is gone before it.
        memory(unsafe { mem::create_buffer(self.stage.context, flags, size, pointer) })
    }

    fn map(&self, of: cl_mem, flags: u64, offset: usize) -> i32 {
        let q = self.stage.queue;
        let mut pointer = ptr::null_mut();
        // SAFETY: no list; the pointer has room.
        code(unsafe {
            queue::enqueue_map_buffer(q, of, 1, flags, offset, 64, &mut pointer, 0, ptr::null())
        })
    }

    fn fill(&self, size_of_pattern: usize, offset: usize, size: usize) -> i32 {
        let q = self.stage.queue;
        let pattern = [0_u64; 2];
        let pattern = pattern.as_ptr().cast();
        // SAFETY: the pattern has as many bytes as any of these calls names.
        code(unsafe {
            queue::enqueue_fill_buffer(
                q,
                self.buffer,
                pattern,
                size_of_pattern,
                offset,
                size,
                0,
                ptr::null(),
            )
        })
    }

    fn svm_fill(&self, byte: usize, size_of_pattern: usize, size: usize) -> i32 {
        let q = self.stage.queue;
        let pattern = [0_u64; 2];
        let to = self.svm.cast::<u8>().wrapping_add(byte).cast();
        // SAFETY: as above.
        code(unsafe {
            let pattern = pattern.as_ptr().cast();
            queue::enqueue_svm_mem_fill(q, to, pattern, size_of_pattern, size, 0, ptr::null())
        })
    }

    /// Makes another call with something wrong.
    pub(super) fn misuse(&mut self, misuse: Misuse) -> i32 {
        let q = self.stage.queue;
        let null: *mut c_void = ptr::null_mut();
        let none: *const cl_event = ptr::null();
        let host: *mut c_void = self.host.as_mut_ptr().cast();
        let times = |event, what| ev::get_event_profiling_data(event, what).map(drop);
        let end = ev::CL_PROFILING_COMMAND_END;
        let b = self.buffer;
        let end_of_buffer = BYTES - 32;
        // SAFETY: but for what is wrong, and has to be found, the arguments are as the functions want
        // them; `host` has room for all that is ever transferred.
        unsafe {
            match misuse {
                Misuse::WaitForNone => plain(ev::wait_for_events(&[])),
                Misuse::WaitForNull => plain(ev::wait_for_events(&[self.set, null])),
                Misuse::WaitForTwoContexts => {
                    plain(ev::wait_for_events(&[self.set, self.stage.other.event]))
                }
                Misuse::SetTwice => plain(ev::set_user_event_status(self.set, 0)),
                Misuse::SetFailedTwice => plain(ev::set_user_event_status(self.failed, 0)),
                Misuse::SetPositive => plain(ev::set_user_event_status(self.open, ev::CL_RUNNING)),
                Misuse::SetOfCommand => plain(ev::set_user_event_status(self.untimed, 0)),
                Misuse::SetNull => plain(ev::set_user_event_status(null, 0)),
                Misuse::UserEventOfNull => code(ev::create_user_event(null)),
                Misuse::CallbackForQueued => {
                    plain(ev::set_event_callback(self.set, ev::CL_QUEUED, never, null))
                }
                Misuse::CallbackForError => {
                    plain(ev::set_event_callback(self.set, -1, never, null))
                }
                Misuse::CallbackOnNull => {
                    plain(ev::set_event_callback(null, ev::CL_COMPLETE, never, null))
                }
                Misuse::StatusOfNull => {
                    plain(ev::get_event_info(null, ev::CL_EVENT_COMMAND_EXECUTION_STATUS).map(drop))
                }
                Misuse::TimesOfUserEvent => plain(times(self.set, end)),
                Misuse::TimesUnasked => plain(times(self.untimed, end)),
                Misuse::TimesTooSoon => match self.held {
                    Some((event, _)) => plain(times(event, end)),
                    None => NO_TIMES,
                },
                Misuse::TimesOfNull => plain(times(null, end)),
                Misuse::TimesOfNoState => plain(times(self.untimed, 0x1000)),
                Misuse::FlushNull => plain(queue::flush(null)),
                Misuse::FinishNull => plain(queue::finish(null)),
                Misuse::ReleaseNullEvent => plain(ev::release_event(null)),
                Misuse::ReleaseNullQueue => plain(queue::release_command_queue(null)),
                Misuse::ReleaseNullMemory => plain(mem::release_mem_object(null)),
                Misuse::ReleaseNullKernel => plain(ker::release_kernel(null)),
                Misuse::ReleaseNullProgram => plain(cl3::program::release_program(null)),
                Misuse::ReleaseNullContext => plain(cl3::context::release_context(null)),
                Misuse::RetainNullEvent => plain(ev::retain_event(null)),
                Misuse::RetainNullMemory => plain(mem::retain_mem_object(null)),
                Misuse::BufferOfNoSize => self.make_buffer(mem::CL_MEM_READ_WRITE, 0, false),
                Misuse::BufferOfTwoUses => {
                    self.make_buffer(mem::CL_MEM_READ_ONLY | mem::CL_MEM_WRITE_ONLY, 64, false)
                }
                Misuse::BufferOverNull => self.make_buffer(mem::CL_MEM_USE_HOST_PTR, 64, false),
                Misuse::BufferCopiesNull => self.make_buffer(mem::CL_MEM_COPY_HOST_PTR, 64, false),
                Misuse::BufferOverUnasked => self.make_buffer(mem::CL_MEM_READ_WRITE, 64, true),
                Misuse::BufferUsesAndAllocates => {
                    let flags = mem::CL_MEM_USE_HOST_PTR | mem::CL_MEM_ALLOC_HOST_PTR;
                    self.make_buffer(flags, 64, true)
                }
                Misuse::PartMisaligned => memory(part(b, mem::CL_MEM_READ_WRITE, 1, 64)),
                Misuse::PartOutside => memory(part(b, mem::CL_MEM_READ_WRITE, BYTES, 64)),
                Misuse::PartTooLong => memory(part(b, mem::CL_MEM_READ_WRITE, PART, BYTES)),
                Misuse::PartOfNoSize => memory(part(b, mem::CL_MEM_READ_WRITE, 0, 0)),
                Misuse::PartOfPart => memory(part(self.parts[0], mem::CL_MEM_READ_WRITE, 0, 64)),
                Misuse::PartMayMore => memory(part(self.read_only, mem::CL_MEM_READ_WRITE, 0, 64)),
                Misuse::ReadBeyondEnd => code(queue::enqueue_read_buffer(
                    q,
                    b,
                    1,
                    end_of_buffer,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::WriteBeyondEnd => code(queue::enqueue_write_buffer(
                    q,
                    b,
                    1,
                    end_of_buffer,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::CopyBeyondEnd => code(queue::enqueue_copy_buffer(
                    q,
                    b,
                    b,
                    0,
                    end_of_buffer,
                    64,
                    0,
                    none,
                )),
                Misuse::FillBeyondEnd => self.fill(4, end_of_buffer, 64),
                Misuse::MapBeyondEnd => self.map(b, mem::CL_MAP_READ, end_of_buffer),
                Misuse::ReadBeyondPart => code(queue::enqueue_read_buffer(
                    q,
                    self.parts[0],
                    1,
                    2 * PART - 32,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::ReadToNull => {
                    code(queue::enqueue_read_buffer(q, b, 1, 0, 64, null, 0, none))
                }
                Misuse::WriteFromNull => {
                    code(queue::enqueue_write_buffer(q, b, 1, 0, 64, null, 0, none))
                }
                Misuse::CopyOverlaps => {
                    code(queue::enqueue_copy_buffer(q, b, b, 0, 32, 64, 0, none))
                }
                Misuse::CopyOverlapsInParts => {
                    let [one, two] = self.parts;
                    code(queue::enqueue_copy_buffer(
                        q, one, two, PART, 32, 64, 0, none,
                    ))
                }
                Misuse::CopyRectOverlaps => {
                    let (from, to, region) = ([0, 0, 0], [4, 1, 0], [8_usize, 4, 1]);
                    code(queue::enqueue_copy_buffer_rect(
                        q,
                        b,
                        b,
                        from.as_ptr(),
                        to.as_ptr(),
                        region.as_ptr(),
                        64,
                        0,
                        64,
                        0,
                        0,
                        none,
                    ))
                }
                Misuse::FillOfThree => self.fill(3, 0, 48),
                Misuse::FillOfNone => self.fill(0, 0, 48),
                Misuse::FillMisaligned => self.fill(4, 2, 48),
                Misuse::FillOfAPart => self.fill(4, 0, 50),
                Misuse::RectOfNothing => self.rect([4, 2, 0], 8, false),
                Misuse::RectPitchShort => self.rect([8, 2, 1], 4, false),
                Misuse::RectBeyondEnd => self.rect([8, BYTES / 8 + 1, 1], 8, true),
                Misuse::ReadNoAccess => code(queue::enqueue_read_buffer(
                    q,
                    self.no_access,
                    1,
                    0,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::ReadWriteOnly => code(queue::enqueue_read_buffer(
                    q,
                    self.host_writes,
                    1,
                    0,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::WriteReadOnly => code(queue::enqueue_write_buffer(
                    q,
                    self.host_reads,
                    1,
                    0,
                    64,
                    host,
                    0,
                    none,
                )),
                Misuse::MapWriteOnly => self.map(self.host_writes, mem::CL_MAP_READ, 0),
                Misuse::MapReadOnly => self.map(self.host_reads, mem::CL_MAP_WRITE, 0),
                Misuse::MapReadAndInvalidate => {
                    let flags = mem::CL_MAP_READ | mem::CL_MAP_WRITE_INVALIDATE_REGION;
                    self.map(b, flags, 0)
                }
                Misuse::UnmapStranger => code(queue::enqueue_unmap_mem_object(q, b, host, 0, none)),
                Misuse::MigrateNothing => code(queue::enqueue_migrate_mem_object(
                    q,
                    0,
                    ptr::null(),
                    0,
                    0,
                    none,
                )),
                Misuse::MigrateNowhere => code(queue::enqueue_migrate_mem_object(
                    q,
                    1,
                    &b,
                    1 << 40,
                    0,
                    none,
                )),
                Misuse::KernelUnknown => kernel(ker::create_kernel(self.stage.program, c"none")),
                Misuse::KernelUnbuilt => kernel(ker::create_kernel(self.unbuilt, c"k")),
                Misuse::BuildNonsense => self.build_nonsense(),
                Misuse::ArgBeyondLast => plain(ker::set_kernel_arg(self.kernel, 2, 4, host)),
                Misuse::ArgOfWrongSize => plain(ker::set_kernel_arg(self.kernel, 1, 2, host)),
                Misuse::ArgOfNoValue => plain(ker::set_kernel_arg(self.kernel, 1, 4, null)),
                Misuse::ArgLocalOfNoSize if self.stage.platform_version >= (3, 1) => {
                    // OpenCL 3.1 allows it.
                    INVALID_ARG_SIZE
                }
                Misuse::ArgLocalOfNoSize => plain(ker::set_kernel_arg(self.exchange, 1, 0, null)),
                Misuse::ArgsUnset => self.launch(self.unset, 1, 0, 0),
                Misuse::KernelNull => self.launch(null, 1, 0, 0),
                Misuse::KernelForeign => self.launch(self.stage.other.kernel, 1, 0, 0),
                Misuse::NoDimensions => self.launch(self.kernel, 0, 0, 0),
                Misuse::TooManyDimensions => self.launch(self.kernel, 4, 0, 0),
                Misuse::GroupTooLarge => self.launch(self.kernel, 1, 0, 1 << 20),
                Misuse::GroupNotRequired => {
                    let buffer: *const c_void = ptr::from_ref(&self.buffer).cast();
                    match ker::set_kernel_arg(self.four, 0, size_of::<cl_mem>(), buffer) {
                        Ok(()) => self.launch(self.four, 1, 0, 2),
                        Err(code) => code,
                    }
                }
                Misuse::OffsetTooLarge => self.launch(self.kernel, 1, usize::MAX - 8, 0),
                Misuse::NativeNull => code(queue::enqueue_native_kernel(
                    q,
                    None,
                    null,
                    0,
                    0,
                    ptr::null(),
                    ptr::null(),
                    0,
                    none,
                )),
                Misuse::SvmCopyFromNull => code(queue::enqueue_svm_mem_cpy(
                    q, 1, self.svm, null, 64, 0, none,
                )),
                Misuse::SvmCopyToNull => code(queue::enqueue_svm_mem_cpy(
                    q, 1, null, self.svm, 64, 0, none,
                )),
                Misuse::SvmCopyOverlaps => {
                    let to = self.svm.cast::<u8>().wrapping_add(32).cast();
                    code(queue::enqueue_svm_mem_cpy(q, 1, to, self.svm, 64, 0, none))
                }
                Misuse::SvmFillNull => {
                    let pattern = [0_u32];
                    let pattern = pattern.as_ptr().cast();
                    code(queue::enqueue_svm_mem_fill(
                        q, null, pattern, 4, 64, 0, none,
                    ))
                }
                Misuse::SvmFillOfThree => self.svm_fill(0, 3, 48),
                Misuse::SvmFillMisaligned => self.svm_fill(2, 4, 48),
                Misuse::SvmFillOfAPart => self.svm_fill(0, 4, 50),
                Misuse::SvmMapNull => code(queue::enqueue_svm_map(
                    q,
                    1,
                    mem::CL_MAP_READ,
                    null,
                    64,
                    0,
                    none,
                )),
                Misuse::SvmMapOfNoSize => code(queue::enqueue_svm_map(
                    q,
                    1,
                    mem::CL_MAP_READ,
                    self.svm,
                    0,
                    0,
                    none,
                )),
                Misuse::SvmUnmapNull => code(queue::enqueue_svm_unmap(q, null, 0, none)),
                Misuse::SvmFreeOfNoLength => {
                    let list = [self.svm.cast_const()];
                    code(queue::enqueue_svm_free(
                        q,
                        0,
                        list.as_ptr(),
                        None,
                        null,
                        0,
                        none,
                    ))
                }
                Misuse::SvmFreeOfNoList => code(queue::enqueue_svm_free(
                    q,
                    1,
                    ptr::null(),
                    None,
                    null,
                    0,
                    none,
                )),
                Misuse::SvmMigrateNothing => code(queue::enqueue_svm_migrate_mem(
                    q,
                    0,
                    ptr::null(),
                    ptr::null(),
                    0,
                    0,
                    none,
                )),
            }
        }
    }

    fn rect(&mut self, region: [usize; 3], pitch: usize, write: bool) -> i32 {
        let origin = [0_usize; 3];
        let (a, r) = (origin.as_ptr(), region.as_ptr());
        let (q, b) = (self.stage.queue, self.buffer);
        let host: *mut c_void = self.host.as_mut_ptr().cast();
        let none: *const cl_event = ptr::null();
        // SAFETY: each of these regions is refused; where it is not, the host's memory is as large as
        // the buffer, and the rows of both follow each other alike.
        code(unsafe {
            if write {
                queue::enqueue_write_buffer_rect(q, b, 1, a, a, r, pitch, 0, 0, 0, host, 0, none)
            } else {
                queue::enqueue_read_buffer_rect(q, b, 1, a, a, r, pitch, 0, 0, 0, host, 0, none)
            }
        })
    }

    fn build_nonsense(&self) -> i32 {
        let made =
            cl3::program::create_program_with_source(self.stage.context, &["kernel nonsense("]);
        let Ok(program) = made else { return 0 };
        let devices = [self.stage.device];
        let options = &self.stage.options;
        let code = plain(cl3::program::build_program(
            program,
            &devices,
            options,
            None,
            ptr::null_mut(),
        ));
        // SAFETY: made just now, and nothing uses it.
        let _ = unsafe { cl3::program::release_program(program) };
        code
    }
}
