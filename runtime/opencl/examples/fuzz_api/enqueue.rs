//! Calls that enqueue commands or wait for them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::rect::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use super::model::*;

/// What every enqueue function takes besides its own arguments.
struct Tail {
    queue: cl_command_queue,
    blocking: cl_bool,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
}

/// An enqueue that is about to be made.
struct Enqueue {
    name: &'static str,
    queue: usize,
    /// The code that the damaged argument gives, if one is damaged.
    wrong: Option<cl_int>,
    can_block: bool,
}

extern "C" fn native(args: *mut c_void) {
    // SAFETY: the argument block is one word, as given to clEnqueueNativeKernel.
    unsafe { *args.cast::<u64>() += 1 };
}

impl World {
    /// One call that enqueues or waits.
    pub fn enqueue(&mut self) {
        match self.random.below(16) {
            0 | 1 => self.read_or_write(),
            2 => self.copy(),
            3 => self.fill(),
            4 => self.rectangle(),
            5 => self.map(),
            6 => self.unmap(),
            7 | 8 => self.kernel(),
            9 | 10 => self.marker_or_barrier(),
            11 => self.migrate(),
            12 => self.svm(),
            13 => self.native_kernel(),
            14 => self.wait(),
            _ => self.set_user_event(),
        }
    }

    /// Makes the call with a tail that fits the queue; checks its code; keeps its event.
    fn submit(&mut self, what: Enqueue, call: impl FnOnce(&Tail) -> cl_int) -> bool {
        let queue = &self.queues[what.queue];
        let (context, waits) = (queue.context, queue.waits.clone());
        let mut handle = queue.handle;
        let mut list = Vec::new();
        let mut flags = Vec::new();
        let candidates: Vec<usize> = (0..self.events.len())
            .filter(|&e| self.events[e].context == context)
            .collect();
        if !candidates.is_empty() && self.random.once_in(2) {
            for _ in 0..=self.random.below(3) {
                let chosen = self.random.of(&candidates);
                list.push(self.events[chosen].handle);
                flags.extend(self.events[chosen].waits.iter().cloned());
            }
        }
        let mut wrong = what.wrong;
        let mut count = list.len() as cl_uint;
        let mut pointer = if list.is_empty() {
            null()
        } else {
            list.as_ptr()
        };
        if wrong.is_none() {
            let strangers: Vec<cl_event> = self
                .events
                .iter()
                .filter(|e| e.context != context)
                .map(|e| e.handle)
                .collect();
            match self.random.below(24) {
                0 => (handle, wrong) = (self.foreign(self.device), Some(CL_INVALID_COMMAND_QUEUE)),
                1 if !list.is_empty() => (count, wrong) = (0, Some(CL_INVALID_EVENT_WAIT_LIST)),
                2 => (count, pointer, wrong) = (2, null(), Some(CL_INVALID_EVENT_WAIT_LIST)),
                3 => {
                    list = vec![self.foreign(self.device)];
                    (count, pointer, wrong) = (1, list.as_ptr(), Some(CL_INVALID_EVENT_WAIT_LIST));
                }
                4 if !strangers.is_empty() => {
                    list = vec![self.random.of(&strangers)];
                    (count, pointer, wrong) = (1, list.as_ptr(), Some(CL_INVALID_CONTEXT));
                }
                _ => {}
            }
        }
        let safe = set(&waits) && set(&flags);
        let blocking = what.can_block && self.random.once_in(3) && (safe || wrong.is_some());
        let mut event = null_mut();
        let wants_event = !self.random.once_in(3);
        let code = call(&Tail {
            queue: handle,
            blocking: if blocking { CL_TRUE } else { CL_FALSE },
            count,
            list: pointer,
            event: if wants_event { &mut event } else { null_mut() },
        });
        let expected: &[cl_int] = match &wrong {
            Some(code) => std::slice::from_ref(code),
            None if blocking && self.failures => {
                &[CL_SUCCESS, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST]
            }
            None => &[CL_SUCCESS],
        };
        let name = if blocking {
            format!("{} (blocking)", what.name)
        } else {
            what.name.to_owned()
        };
        self.expect(&name, code, expected);
        if code != CL_SUCCESS {
            if !event.is_null() {
                self.found("a failed call gave an event");
            }
            return false;
        }
        let mut all = waits;
        all.extend(flags);
        all.retain(|flag| !set(std::slice::from_ref(flag)));
        self.queues[what.queue].waits.clone_from(&all);
        if wants_event {
            if event.is_null() {
                self.found("a call gave no event");
            }
            self.events.push(EventModel {
                handle: event,
                references: 1,
                context,
                kind: EventKind::Command,
                waits: all,
            });
        }
        true
    }

    fn queue(&mut self) -> usize {
        self.random.below(self.queues.len())
    }

    /// A queue and a buffer of its context.
    fn queue_and_buffer(&mut self) -> Option<(usize, usize)> {
        let queue = self.queue();
        let buffer = self.buffer_in(self.queues[queue].context)?;
        Some((queue, buffer))
    }

    /// A buffer's handle, or one that is wrong with the code for it.
    fn damaged_buffer(&mut self, buffer: usize) -> (cl_mem, Option<cl_int>) {
        let (handle, context) = (self.buffers[buffer].handle, self.buffers[buffer].context);
        match self.random.below(16) {
            0 => (self.foreign(self.device), Some(CL_INVALID_MEM_OBJECT)),
            1 => match self.buffer_in(1 - context) {
                Some(other) => (self.buffers[other].handle, Some(CL_INVALID_CONTEXT)),
                None => (handle, None),
            },
            _ => (handle, None),
        }
    }

    /// Whether the host may read (or write) a buffer.
    fn host_may(&self, buffer: usize, write: bool) -> bool {
        let refuses = if write {
            CL_MEM_HOST_READ_ONLY
        } else {
            CL_MEM_HOST_WRITE_ONLY
        };
        self.buffers[buffer].flags & (refuses | CL_MEM_HOST_NO_ACCESS) == 0
    }

    fn read_or_write(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let write = self.random.once_in(2);
        let whole = self.buffers[buffer].size;
        let mut offset = self.random.below(whole);
        let size = self.random.below(whole - offset + 1);
        let (handle, mut wrong) = self.damaged_buffer(buffer);
        let mut place = self.host_place(whole);
        if wrong.is_none() {
            if !self.host_may(buffer, write) {
                wrong = Some(CL_INVALID_OPERATION);
            } else {
                match self.random.below(10) {
                    0 => (offset, wrong) = (whole + 1, Some(CL_INVALID_VALUE)),
                    1 => (offset, wrong) = (usize::MAX, Some(CL_INVALID_VALUE)),
                    2 => (place, wrong) = (null_mut(), Some(CL_INVALID_VALUE)),
                    _ => {}
                }
            }
        }
        let name = if write {
            "clEnqueueWriteBuffer"
        } else {
            "clEnqueueReadBuffer"
        };
        self.submit(
            Enqueue {
                name,
                queue,
                wrong,
                can_block: true,
            },
            |t| unsafe {
                if write {
                    clEnqueueWriteBuffer(
                        t.queue, handle, t.blocking, offset, size, place, t.count, t.list, t.event,
                    )
                } else {
                    clEnqueueReadBuffer(
                        t.queue, handle, t.blocking, offset, size, place, t.count, t.list, t.event,
                    )
                }
            },
        );
    }

    fn copy(&mut self) {
        let Some((queue, from)) = self.queue_and_buffer() else {
            return;
        };
        let Some(to) = self.buffer_in(self.buffers[from].context) else {
            return;
        };
        let related = self.buffers[from].handle == self.buffers[to].handle
            || self.buffers[from].parent.is_some()
            || self.buffers[to].parent.is_some();
        let limit = self.buffers[from].size.min(self.buffers[to].size);
        let size = self.random.below(limit + 1);
        let (source, mut wrong) = self.damaged_buffer(from);
        let target = self.buffers[to].handle;
        let mut offset = 0;
        if wrong.is_none() && source == target && size != 0 {
            wrong = Some(CL_MEM_COPY_OVERLAP);
        } else if wrong.is_none() && related {
            return;
        } else if wrong.is_none() && self.random.once_in(8) {
            (offset, wrong) = (self.buffers[from].size + 1, Some(CL_INVALID_VALUE));
        }
        let name = "clEnqueueCopyBuffer";
        self.submit(
            Enqueue {
                name,
                queue,
                wrong,
                can_block: false,
            },
            |t| unsafe {
                clEnqueueCopyBuffer(
                    t.queue, source, target, offset, 0, size, t.count, t.list, t.event,
                )
            },
        );
    }

    fn fill(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let mut width = self.random.of(&[1usize, 2, 4, 8, 16, 32, 64, 128]);
        let count = self.buffers[buffer].size / width;
        let mut offset = self.random.below(count + 1) * width;
        let size = self.random.below(count - offset / width + 1) * width;
        let (handle, mut wrong) = self.damaged_buffer(buffer);
        if wrong.is_none() {
            match self.random.below(10) {
                0 => (width, wrong) = (3, Some(CL_INVALID_VALUE)),
                1 => (width, wrong) = (0, Some(CL_INVALID_VALUE)),
                2 => (width, wrong) = (256, Some(CL_INVALID_VALUE)),
                3 if width > 1 && size > 0 => (offset, wrong) = (1, Some(CL_INVALID_VALUE)),
                _ => {}
            }
        }
        let pattern = [0x5a_u64; 32];
        let name = "clEnqueueFillBuffer";
        self.submit(
            Enqueue {
                name,
                queue,
                wrong,
                can_block: false,
            },
            |t| unsafe {
                let pattern = pattern.as_ptr().cast();
                clEnqueueFillBuffer(
                    t.queue, handle, pattern, width, offset, size, t.count, t.list, t.event,
                )
            },
        );
    }

    fn rectangle(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        // A buffer as rows of 16 bytes.
        let rows = self.buffers[buffer].size / 16;
        if rows == 0 {
            return;
        }
        let write = self.random.once_in(2);
        let y = self.random.below(rows);
        let mut origin = [self.random.below(8), y, 0];
        let mut region = [1 + self.random.below(8), 1 + self.random.below(rows - y), 1];
        let host_origin = [0, 0, 0];
        let mut pitch = 16;
        let (handle, mut wrong) = self.damaged_buffer(buffer);
        if wrong.is_none() {
            if !self.host_may(buffer, write) {
                wrong = Some(CL_INVALID_OPERATION);
            } else {
                match self.random.below(10) {
                    0 => (region[0], wrong) = (0, Some(CL_INVALID_VALUE)),
                    1 => (origin[1], wrong) = (rows + 1, Some(CL_INVALID_VALUE)),
                    2 if region[0] > 1 => (pitch, wrong) = (1, Some(CL_INVALID_VALUE)),
                    3 => (origin[2], wrong) = (usize::MAX, Some(CL_INVALID_VALUE)),
                    _ => {}
                }
            }
        }
        let place = self.host_place(16 * rows);
        let name = if write {
            "clEnqueueWriteBufferRect"
        } else {
            "clEnqueueReadBufferRect"
        };
        self.submit(
            Enqueue {
                name,
                queue,
                wrong,
                can_block: true,
            },
            |t| unsafe {
                let (o, h, r) = (origin.as_ptr(), host_origin.as_ptr(), region.as_ptr());
                if write {
                    clEnqueueWriteBufferRect(
                        t.queue, handle, t.blocking, o, h, r, pitch, 0, 16, 0, place, t.count,
                        t.list, t.event,
                    )
                } else {
                    clEnqueueReadBufferRect(
                        t.queue, handle, t.blocking, o, h, r, pitch, 0, 16, 0, place, t.count,
                        t.list, t.event,
                    )
                }
            },
        );
    }

    fn map(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let whole = self.buffers[buffer].size;
        let mut offset = self.random.below(whole);
        let mut size = 1 + self.random.below(whole - offset);
        let mut flags = CL_MAP_READ;
        let (handle, mut wrong) = self.damaged_buffer(buffer);
        if wrong.is_none() {
            if !self.host_may(buffer, false) {
                wrong = Some(CL_INVALID_OPERATION);
            } else {
                match self.random.below(10) {
                    0 => (flags, wrong) = (1 << 20, Some(CL_INVALID_VALUE)),
                    1 => {
                        let both = CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION;
                        (flags, wrong) = (both, Some(CL_INVALID_VALUE));
                    }
                    2 => (size, wrong) = (0, Some(CL_INVALID_VALUE)),
                    3 => (offset, wrong) = (whole, Some(CL_INVALID_VALUE)),
                    _ => {}
                }
            }
        }
        let mut address = null_mut();
        let what = Enqueue {
            name: "clEnqueueMapBuffer",
            queue,
            wrong,
            can_block: true,
        };
        let mapped = self.submit(what, |t| unsafe {
            let mut code = 1;
            address = clEnqueueMapBuffer(
                t.queue, handle, t.blocking, flags, offset, size, t.count, t.list, t.event,
                &mut code,
            );
            code
        });
        if mapped == address.is_null() {
            self.found(&format!("clEnqueueMapBuffer gave {address:?}"));
        }
        if mapped {
            self.buffers[buffer].mappings.push(address);
        }
    }

    fn unmap(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let handle = self.buffers[buffer].handle;
        let count = self.buffers[buffer].mappings.len();
        if count == 0 {
            // Mappings of the other parts of the same memory are not kept apart here.
            if self.buffers.iter().any(|other| !other.mappings.is_empty()) {
                return;
            }
            let place = self.host_place(8);
            let wrong = Some(CL_INVALID_VALUE);
            let what = Enqueue {
                name: "clEnqueueUnmapMemObject",
                queue,
                wrong,
                can_block: false,
            };
            self.submit(what, |t| unsafe {
                clEnqueueUnmapMemObject(t.queue, handle, place, t.count, t.list, t.event)
            });
            return;
        }
        let which = self.random.below(count);
        let address = self.buffers[buffer].mappings[which];
        let what = Enqueue {
            name: "clEnqueueUnmapMemObject",
            queue,
            wrong: None,
            can_block: false,
        };
        let unmapped = self.submit(what, |t| unsafe {
            clEnqueueUnmapMemObject(t.queue, handle, address, t.count, t.list, t.event)
        });
        if unmapped {
            self.buffers[buffer].mappings.swap_remove(which);
        }
    }

    fn kernel(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let context = self.queues[queue].context;
        let read_only = self.buffers[buffer].flags & CL_MEM_READ_ONLY != 0;
        if read_only {
            return;
        }
        let (mem, words) = (
            self.buffers[buffer].handle,
            (self.buffers[buffer].size / 4) as u32,
        );
        let mut code = 1;
        let program = self.contexts[context].program;
        let kernel = unsafe { clCreateKernel(program, c"fill".as_ptr(), &mut code) };
        self.expect("clCreateKernel", code, &[CL_SUCCESS]);
        let mut wrong = None;
        let missing = self.random.once_in(10);
        let value = 7u32;
        unsafe {
            let code = clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast());
            self.expect("clSetKernelArg", code, &[CL_SUCCESS]);
            let code = clSetKernelArg(kernel, 1, 4, (&raw const words).cast());
            self.expect("clSetKernelArg", code, &[CL_SUCCESS]);
            if missing {
                wrong = Some(CL_INVALID_KERNEL_ARGS);
            } else {
                let code = clSetKernelArg(kernel, 2, 4, (&raw const value).cast());
                self.expect("clSetKernelArg", code, &[CL_SUCCESS]);
            }
        }
        let mut handle = kernel;
        let (mut dimensions, mut global, mut local) = (1, [words as usize, 1, 1], [1usize; 3]);
        let mut give_local = false;
        if wrong.is_none() {
            match self.random.below(12) {
                0 => (dimensions, wrong) = (0, Some(CL_INVALID_WORK_DIMENSION)),
                1 => (dimensions, wrong) = (4, Some(CL_INVALID_WORK_DIMENSION)),
                2 => (handle, wrong) = (self.foreign(self.device), Some(CL_INVALID_KERNEL)),
                3 => {
                    local[0] = 1 << 40;
                    (give_local, wrong) = (true, Some(CL_INVALID_WORK_ITEM_SIZE));
                }
                4 => global[0] = 0,
                5 => (dimensions, global[0]) = (3, 16),
                _ => give_local = self.random.once_in(2),
            }
        }
        let what = Enqueue {
            name: "clEnqueueNDRangeKernel",
            queue,
            wrong,
            can_block: false,
        };
        self.submit(what, |t| unsafe {
            let local = if give_local { local.as_ptr() } else { null() };
            clEnqueueNDRangeKernel(
                t.queue,
                handle,
                dimensions,
                null(),
                global.as_ptr(),
                local,
                t.count,
                t.list,
                t.event,
            )
        });
        let code = unsafe { clReleaseKernel(kernel) };
        self.expect("clReleaseKernel", code, &[CL_SUCCESS]);
    }

    fn marker_or_barrier(&mut self) {
        let queue = self.queue();
        let marker = self.random.once_in(2);
        let name = if marker {
            "clEnqueueMarkerWithWaitList"
        } else {
            "clEnqueueBarrierWithWaitList"
        };
        self.submit(
            Enqueue {
                name,
                queue,
                wrong: None,
                can_block: false,
            },
            |t| unsafe {
                if marker {
                    clEnqueueMarkerWithWaitList(t.queue, t.count, t.list, t.event)
                } else {
                    clEnqueueBarrierWithWaitList(t.queue, t.count, t.list, t.event)
                }
            },
        );
    }

    fn migrate(&mut self) {
        let Some((queue, buffer)) = self.queue_and_buffer() else {
            return;
        };
        let (handle, mut wrong) = self.damaged_buffer(buffer);
        let (mut count, mut flags) = (1, self.random.of(&[0, CL_MIGRATE_MEM_OBJECT_HOST]));
        if wrong.is_none() {
            match self.random.below(10) {
                0 => (count, wrong) = (0, Some(CL_INVALID_VALUE)),
                1 => (flags, wrong) = (1 << 30, Some(CL_INVALID_VALUE)),
                _ => {}
            }
        }
        let name = "clEnqueueMigrateMemObjects";
        self.submit(
            Enqueue {
                name,
                queue,
                wrong,
                can_block: false,
            },
            |t| unsafe {
                clEnqueueMigrateMemObjects(t.queue, count, &handle, flags, t.count, t.list, t.event)
            },
        );
    }

    fn svm(&mut self) {
        let queue = self.queue();
        let context = self.queues[queue].context;
        let places: Vec<usize> = (0..self.svm.len())
            .filter(|&place| self.svm[place].context == context)
            .collect();
        if places.is_empty() {
            return;
        }
        let place = self.random.of(&places);
        let (start, size) = (self.svm[place].start, self.svm[place].size);
        let host = self.host_place(size);
        match self.random.below(3) {
            0 => {
                let (mut to, mut from, mut wrong) = (start, host, None);
                match self.random.below(8) {
                    0 => (to, wrong) = (null_mut(), Some(CL_INVALID_VALUE)),
                    1 => (from, wrong) = (start, Some(CL_MEM_COPY_OVERLAP)),
                    _ => {}
                }
                let name = "clEnqueueSVMMemcpy";
                self.submit(
                    Enqueue {
                        name,
                        queue,
                        wrong,
                        can_block: true,
                    },
                    |t| unsafe {
                        clEnqueueSVMMemcpy(
                            t.queue, t.blocking, to, from, size, t.count, t.list, t.event,
                        )
                    },
                );
            }
            1 => {
                let (mut width, mut wrong) = (4, None);
                if self.random.once_in(8) {
                    (width, wrong) = (5, Some(CL_INVALID_VALUE));
                }
                let pattern = 9u64;
                let name = "clEnqueueSVMMemFill";
                self.submit(
                    Enqueue {
                        name,
                        queue,
                        wrong,
                        can_block: false,
                    },
                    |t| unsafe {
                        let pattern = (&raw const pattern).cast();
                        clEnqueueSVMMemFill(
                            t.queue, start, pattern, width, size, t.count, t.list, t.event,
                        )
                    },
                );
            }
            _ => {
                // Freed in the order of the queue: nothing uses it afterwards, but what was
                // enqueued before must have ended, so every queue it may be in is finished.
                let mut list = [start];
                let (mut count, mut wrong) = (1, Some(CL_INVALID_VALUE));
                if self.random.once_in(2) {
                    count = 0;
                } else if self.all_set(context) {
                    self.finish_all(context);
                    wrong = None;
                } else {
                    return;
                }
                let what = Enqueue {
                    name: "clEnqueueSVMFree",
                    queue,
                    wrong,
                    can_block: false,
                };
                let freed = self.submit(what, |t| unsafe {
                    clEnqueueSVMFree(
                        t.queue,
                        count,
                        list.as_mut_ptr(),
                        None,
                        null_mut(),
                        t.count,
                        t.list,
                        t.event,
                    )
                });
                if freed {
                    self.svm.swap_remove(place);
                }
            }
        }
    }

    /// Whether nothing in the queues of a context waits for an event that is not set. Of released queues and the
    /// shared queues nobody knows.
    fn all_set(&self, context: usize) -> bool {
        context == OWN
            && !self.loose
            && self
                .queues
                .iter()
                .filter(|queue| queue.context == context)
                .all(|q| set(&q.waits))
    }

    fn finish_all(&mut self, context: usize) {
        for place in 0..self.queues.len() {
            if self.queues[place].context == context {
                let code = unsafe { clFinish(self.queues[place].handle) };
                self.expect("clFinish", code, &[CL_SUCCESS]);
            }
        }
    }

    fn native_kernel(&mut self) {
        let queue = self.queue();
        let mut word = 1u64;
        let (mut size, mut wrong) = (8, None);
        if self.random.once_in(8) {
            (size, wrong) = (0, Some(CL_INVALID_VALUE));
        }
        let what = Enqueue {
            name: "clEnqueueNativeKernel",
            queue,
            wrong,
            can_block: false,
        };
        self.submit(what, |t| unsafe {
            let args = (&raw mut word).cast();
            clEnqueueNativeKernel(
                t.queue,
                Some(native),
                args,
                size,
                0,
                null(),
                null_mut(),
                t.count,
                t.list,
                t.event,
            )
        });
    }

    /// Waits for events, finishes or flushes; never for what nobody may have set.
    fn wait(&mut self) {
        if self.random.once_in(8) {
            let code = unsafe { clWaitForEvents(0, null()) };
            self.expect("clWaitForEvents", code, &[CL_INVALID_VALUE]);
            let stranger = self.foreign(self.device);
            let code = unsafe { clWaitForEvents(1, &stranger) };
            self.expect("clWaitForEvents", code, &[CL_INVALID_EVENT]);
        }
        let queue = self.queue();
        let code = unsafe { clFlush(self.queues[queue].handle) };
        self.expect("clFlush", code, &[CL_SUCCESS]);
        if set(&self.queues[queue].waits) && self.queues[queue].context == OWN {
            let code = unsafe { clFinish(self.queues[queue].handle) };
            self.expect("clFinish", code, &[CL_SUCCESS]);
        }
        let context = self.random.of(&[SHARED, OWN]);
        let done: Vec<usize> = (0..self.events.len())
            .filter(|&e| self.events[e].context == context && set(&self.events[e].waits))
            .collect();
        if done.is_empty() {
            return;
        }
        let chosen: Vec<usize> = (0..=self.random.below(4))
            .map(|_| self.random.of(&done))
            .collect();
        let list: Vec<cl_event> = chosen.iter().map(|&e| self.events[e].handle).collect();
        let code = unsafe { clWaitForEvents(list.len() as cl_uint, list.as_ptr()) };
        let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        let expected: &[cl_int] = if self.failures {
            &[CL_SUCCESS, failed]
        } else {
            &[CL_SUCCESS]
        };
        self.expect("clWaitForEvents", code, expected);
        for event in list {
            let mut status: cl_int = 1;
            let room = (&raw mut status).cast();
            let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
            let code = unsafe { clGetEventInfo(event, name, 4, room, null_mut()) };
            self.expect("clGetEventInfo", code, &[CL_SUCCESS]);
            if status > CL_COMPLETE || (status < 0 && !self.failures) {
                self.found(&format!(
                    "an event that was waited for has the status {status}"
                ));
            }
        }
    }
}
