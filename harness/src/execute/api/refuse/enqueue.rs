//! Enqueues that must be refused for what many of them can have wrong: the queue, the wait list, a buffer.

use super::super::stage::BYTES;
use super::{Props, code, done};
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::cl_event;
use classay_suites::api::refusal::{Enqueue, Wrong};
use std::ffi::c_void;
use std::ptr;

unsafe extern "C" fn native(_: *mut c_void) {}

impl Props<'_> {
    /// Enqueues a command with something wrong that many can have.
    pub(super) fn enqueue(&mut self, call: Enqueue, wrong: Wrong) -> i32 {
        let foreign = self.stage.other.event;
        let list: Vec<cl_event> = match wrong {
            Wrong::ForeignEvent => vec![foreign],
            Wrong::ForeignLast => vec![self.set, self.set, foreign],
            Wrong::NullEvent => vec![self.set, ptr::null_mut()],
            Wrong::NoLength => vec![self.set],
            Wrong::FailedEvent => vec![self.failed],
            Wrong::NullList | Wrong::NullQueue | Wrong::ForeignBuffer | Wrong::NullBuffer => {
                Vec::new()
            }
        };
        let (mut q, mut b) = (self.stage.queue, self.buffer);
        let (n, list) = match wrong {
            Wrong::NullList => (1, ptr::null()),
            Wrong::NoLength => (0, list.as_ptr()),
            Wrong::ForeignEvent | Wrong::ForeignLast | Wrong::NullEvent | Wrong::FailedEvent => {
                (list.len() as u32, list.as_ptr())
            }
            Wrong::NullQueue | Wrong::ForeignBuffer | Wrong::NullBuffer => (0, ptr::null()),
        };
        match wrong {
            Wrong::NullQueue => q = ptr::null_mut(),
            Wrong::ForeignBuffer => b = self.stage.other.buffer,
            Wrong::NullBuffer => b = ptr::null_mut(),
            Wrong::ForeignEvent
            | Wrong::ForeignLast
            | Wrong::NullEvent
            | Wrong::NullList
            | Wrong::NoLength
            | Wrong::FailedEvent => {}
        }
        let host: *mut c_void = self.host.as_mut_ptr().cast();
        let (from, rows, items) = ([0_usize; 3], [4_usize, 2, 1], [4_usize]);
        let word = 7_u32;
        let pattern: *const c_void = ptr::from_ref(&word).cast();
        let half = self.svm.cast::<u8>().wrapping_add(BYTES / 2).cast();
        let svm = [self.svm.cast_const()];
        // SAFETY: but for what is wrong, and has to be found, the arguments are as the functions want
        // them: ranges within the memory, lists of their lengths. `host` lives as long as the props,
        // at whose end the queue is finished.
        let made = unsafe {
            match call {
                Enqueue::Marker => queue::enqueue_marker_with_wait_list(q, n, list),
                Enqueue::Barrier => queue::enqueue_barrier_with_wait_list(q, n, list),
                Enqueue::Kernel => queue::enqueue_nd_range_kernel(
                    q,
                    self.kernel,
                    1,
                    ptr::null(),
                    items.as_ptr(),
                    ptr::null(),
                    n,
                    list,
                ),
                Enqueue::Native => queue::enqueue_native_kernel(
                    q,
                    Some(native),
                    ptr::null_mut(),
                    0,
                    0,
                    ptr::null(),
                    ptr::null(),
                    n,
                    list,
                ),
                Enqueue::ReadBlocking => queue::enqueue_read_buffer(q, b, 1, 0, 64, host, n, list),
                Enqueue::Read => queue::enqueue_read_buffer(q, b, 0, 0, 64, host, n, list),
                Enqueue::Write => queue::enqueue_write_buffer(q, b, 0, 0, 64, host, n, list),
                Enqueue::Copy => {
                    queue::enqueue_copy_buffer(q, b, self.buffer, 0, BYTES / 2, 64, n, list)
                }
                Enqueue::Fill => queue::enqueue_fill_buffer(q, b, pattern, 4, 0, 64, n, list),
                Enqueue::ReadRect => {
                    let (a, r) = (from.as_ptr(), rows.as_ptr());
                    queue::enqueue_read_buffer_rect(q, b, 0, a, a, r, 8, 0, 8, 0, host, n, list)
                }
                Enqueue::WriteRect => {
                    let (a, r) = (from.as_ptr(), rows.as_ptr());
                    queue::enqueue_write_buffer_rect(q, b, 0, a, a, r, 8, 0, 8, 0, host, n, list)
                }
                Enqueue::CopyRect => {
                    let to = [BYTES / 2, 0, 0];
                    let (a, r) = (from.as_ptr(), rows.as_ptr());
                    let this = self.buffer;
                    queue::enqueue_copy_buffer_rect(
                        q,
                        b,
                        this,
                        a,
                        to.as_ptr(),
                        r,
                        8,
                        0,
                        8,
                        0,
                        n,
                        list,
                    )
                }
                Enqueue::Map => {
                    let mut pointer = ptr::null_mut();
                    let flags = mem::CL_MAP_READ;
                    queue::enqueue_map_buffer(q, b, 0, flags, 0, 64, &mut pointer, n, list)
                }
                Enqueue::Migrate => queue::enqueue_migrate_mem_object(q, 1, &b, 0, n, list),
                Enqueue::SvmCopy => queue::enqueue_svm_mem_cpy(q, 0, self.svm, half, 64, n, list),
                Enqueue::SvmFill => {
                    queue::enqueue_svm_mem_fill(q, self.svm, pattern, 4, 64, n, list)
                }
                Enqueue::SvmMap => {
                    let made =
                        queue::enqueue_svm_map(q, 0, mem::CL_MAP_READ, self.svm, 64, n, list);
                    if made.is_ok() {
                        let _ = queue::enqueue_svm_unmap(q, self.svm, 0, ptr::null()).map(done);
                    }
                    made
                }
                Enqueue::SvmFree => {
                    let made =
                        queue::enqueue_svm_free(q, 1, svm.as_ptr(), None, ptr::null_mut(), n, list);
                    if made.is_ok() {
                        // It is gone.
                        self.svm = ptr::null_mut();
                    }
                    made
                }
                Enqueue::SvmMigrate => {
                    queue::enqueue_svm_migrate_mem(q, 1, svm.as_ptr(), ptr::null(), 0, n, list)
                }
            }
        };
        code(made)
    }
}
