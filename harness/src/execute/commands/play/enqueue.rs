//! Enqueues commands.

use super::super::host::put;
use super::super::world::{Arguments, Memory, Pointer, Under};
use super::{NOT_CALLED, Player};
use cl3::command_queue as queue;
use cl3::types::{cl_event, cl_mem};
use classay_suites::commands::memory::{Read, in_place};
use classay_suites::commands::program::{
    ANY_CELL, CommandId, Kernel, MapMode, ObjectId, Range, Transfer, What, Writer,
};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering;

impl Player<'_> {
    /// Enqueues a command; the code of the first call that failed, or of the last.
    pub(super) fn enqueue(&mut self, id: CommandId) -> i32 {
        let world = self.world;
        let command = &world.plan.program.commands[id.index()];
        let q = world.queues[command.queue.index()].0;
        let wait: Vec<cl_event> = command.wait.iter().map(|e| world.event(*e)).collect();
        if wait.iter().any(|e| e.is_null()) {
            return NOT_CALLED;
        }
        let n = wait.len() as u32;
        let list = if wait.is_empty() {
            ptr::null()
        } else {
            wait.as_ptr()
        };
        let blocking = u32::from(command.blocking);
        let made = match &command.what {
            What::Kernel(kernel) => self.kernel(id, kernel, n, list),
            What::Native(kernel) => self.native(id, kernel, n, list),
            What::Read(transfer) => {
                // What it does not write shows.
                if let Some(memory) = &world.staging[id.index()] {
                    (0..memory.len()).for_each(|at| memory.put(at, 0));
                }
                self.transfer(id, transfer, false, blocking, n, list)
            }
            What::Write(transfer) => {
                let first = world.plan.program.root(transfer.range.object).1;
                if let Some(memory) = &world.staging[id.index()] {
                    for (at, cell) in transfer.range.cells().enumerate() {
                        let token = world.token(Writer::Command(id), first + cell);
                        // SAFETY: the source has these cells, and the command is not enqueued yet.
                        unsafe { put(memory.pointer().cast(), at, world.words(), token) };
                    }
                }
                let made = self.transfer(id, transfer, true, blocking, n, list);
                // After a blocking write the application may use its memory again.
                if command.blocking
                    && let Some(memory) = &world.staging[id.index()]
                {
                    (0..memory.len()).for_each(|at| memory.put(at, 0));
                }
                made
            }
            What::Copy { from, to, rect } => self.copy(q, *from, *to, *rect, n, list),
            What::Fill(range) => {
                let token = world.token(Writer::Command(id), ANY_CELL);
                let pattern = ptr::from_ref(&token).cast();
                let size = world.bytes(range.count);
                match (world.buffer(range.object), world.cell_pointer(*range)) {
                    // SAFETY: the range is in the buffer; the pattern is copied by the call.
                    (Some(buffer), _) => unsafe {
                        let offset = world.bytes(range.first);
                        queue::enqueue_fill_buffer(q, buffer, pattern, 4, offset, size, n, list)
                    },
                    // SAFETY: the range is in the allocation; the pattern is copied by the call.
                    (None, Some(pointer)) => unsafe {
                        queue::enqueue_svm_mem_fill(q, pointer, pattern, 4, size, n, list)
                    },
                    (None, None) => Err(NOT_CALLED),
                }
            }
            What::Map { range, mode } => self.map(id, *range, *mode, blocking, n, list),
            What::Unmap(map) => self.unmap(q, *map, n, list),
            What::Migrate { objects, to_host } => self.migrate(q, objects, *to_host, n, list),
            What::Free(objects) => self.free(q, objects, n, list),
            // SAFETY: the list has n events.
            What::Marker => unsafe { queue::enqueue_marker_with_wait_list(q, n, list) },
            // SAFETY: the list has n events.
            What::Barrier => unsafe { queue::enqueue_barrier_with_wait_list(q, n, list) },
        };
        match made {
            Ok(event) => {
                world.events[id.index()].store(event, Ordering::Release);
                world.events_made[id.index()].store(true, Ordering::Release);
                0
            }
            Err(code) => code,
        }
    }

    fn argument(&self, range: &Range) -> (Pointer, bool) {
        match &self.world.objects[range.object.index()] {
            Memory::Buffer(buffer, _) => (Pointer::Buffer(buffer.0), false),
            // A pointer into the middle: to the range's first cell.
            Memory::Svm(_) | Memory::System(_) => match self.world.cell_pointer(*range) {
                Some(pointer) => (Pointer::Svm(pointer), false),
                None => (Pointer::None, false),
            },
            Memory::Variable => (Pointer::None, true),
        }
    }

    fn kernel(
        &self,
        id: CommandId,
        kernel: &Kernel,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let program = &world.plan.program;
        let q = program.commands[id.index()].queue;
        let context = program.queues[q.index()].context.index();
        let Some((object, variable)) = world.kernels[id.index()] else {
            return Err(NOT_CALLED);
        };
        let mut args = Arguments {
            pointers: [Pointer::None; 4],
            log: world.logs[context].map_or(ptr::null_mut(), |h| h.0),
            ranges: [[0; 4]; 4],
            words: u32::from(program.cell_words),
            token: world.token(Writer::Command(id), 0),
            spin: kernel.spin,
            which: None,
        };
        let mut which = 0;
        for (at, range) in kernel.reads.iter().enumerate() {
            let read = Read::Kernel {
                command: id,
                range: at as u8,
            };
            let place = world.logged.get(&read).copied().unwrap_or_default();
            let (pointer, is_variable) = self.argument(range);
            args.pointers[at] = pointer;
            let first = if let Pointer::Svm(_) = pointer {
                0
            } else {
                range.first
            };
            args.ranges[at] = [
                u32::from(first),
                u32::from(range.count),
                u32::from(range.stride),
                place as u32,
            ];
            which |= u32::from(is_variable) << at;
        }
        for (at, range) in kernel.writes.iter().enumerate() {
            let (pointer, is_variable) = self.argument(range);
            args.pointers[2 + at] = pointer;
            let root = program.root(range.object).1;
            let (first, before) = if let Pointer::Svm(_) = pointer {
                (0, range.first)
            } else {
                (range.first, root)
            };
            args.ranges[2 + at] = [
                u32::from(first),
                u32::from(range.count),
                u32::from(range.stride),
                u32::from(before),
            ];
            which |= u32::from(is_variable) << (2 + at);
        }
        args.which = variable.then_some(which);
        args.set(object.0).map_err(|e| e.code)?;
        let items = usize::from(kernel.items);
        // SAFETY: the arguments fit the kernel, and their memory lives until the run's end.
        let made = unsafe {
            queue::enqueue_nd_range_kernel(
                world.queues[q.index()].0,
                object.0,
                1,
                ptr::null(),
                &items,
                ptr::null(),
                n,
                list,
            )
        };
        if kernel.reuse && made.is_ok() {
            // Arguments are those at the enqueue: these must reach nothing.
            args.token = 0;
            args.spin = 0;
            args.ranges = [[0, 0, 1, 0]; 4];
            args.set(object.0).map_err(|e| e.code)?;
        }
        made
    }

    fn transfer(
        &self,
        id: CommandId,
        transfer: &Transfer,
        write: bool,
        blocking: u32,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let q = world.queues[world.plan.program.commands[id.index()].queue.index()].0;
        let Some(memory) = &world.staging[id.index()] else {
            return Err(NOT_CALLED);
        };
        let range = transfer.range;
        let size = world.bytes(range.count);
        let host = memory.pointer();
        let Some(buffer) = world.buffer(range.object) else {
            let Some(pointer) = world.cell_pointer(range) else {
                return Err(NOT_CALLED);
            };
            let (to, from) = if write {
                (pointer, host)
            } else {
                (host, pointer)
            };
            // SAFETY: both have this size, and live until the run's end.
            return unsafe { queue::enqueue_svm_mem_cpy(q, blocking, to, from, size, n, list) };
        };
        let offset = world.bytes(range.first);
        if !transfer.rect {
            // SAFETY: the range is in the buffer, and the host's memory lives until the run's end.
            return unsafe {
                if write {
                    queue::enqueue_write_buffer(q, buffer, blocking, offset, size, host, n, list)
                } else {
                    queue::enqueue_read_buffer(q, buffer, blocking, offset, size, host, n, list)
                }
            };
        }
        // A cell is a row; rows of the buffer are a stride apart, those of the host follow each other.
        let origin = [0, 0, 0];
        let cell = world.bytes(1);
        let pitch = world.bytes(range.stride);
        let rows = [cell, usize::from(range.count), 1];
        let first = [offset % pitch, offset / pitch, 0];
        // SAFETY: the rectangle is in the buffer, and the host's memory has its rows.
        unsafe {
            if write {
                queue::enqueue_write_buffer_rect(
                    q,
                    buffer,
                    blocking,
                    first.as_ptr(),
                    origin.as_ptr(),
                    rows.as_ptr(),
                    pitch,
                    0,
                    cell,
                    0,
                    host,
                    n,
                    list,
                )
            } else {
                queue::enqueue_read_buffer_rect(
                    q,
                    buffer,
                    blocking,
                    first.as_ptr(),
                    origin.as_ptr(),
                    rows.as_ptr(),
                    pitch,
                    0,
                    cell,
                    0,
                    host,
                    n,
                    list,
                )
            }
        }
    }

    fn copy(
        &self,
        q: cl3::types::cl_command_queue,
        from: Range,
        to: Range,
        rect: bool,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let size = world.bytes(from.count);
        let (Some(a), Some(b)) = (world.buffer(from.object), world.buffer(to.object)) else {
            let (Some(a), Some(b)) = (world.cell_pointer(from), world.cell_pointer(to)) else {
                return Err(NOT_CALLED);
            };
            // SAFETY: both ranges are in their allocations, and do not overlap.
            return unsafe { queue::enqueue_svm_mem_cpy(q, 0, b, a, size, n, list) };
        };
        let (first, second) = (world.bytes(from.first), world.bytes(to.first));
        if !rect {
            // SAFETY: both ranges are in their buffers, and do not overlap.
            return unsafe { queue::enqueue_copy_buffer(q, a, b, first, second, size, n, list) };
        }
        let pitches = [world.bytes(from.stride), world.bytes(to.stride)];
        let origins = [
            [first % pitches[0], first / pitches[0], 0],
            [second % pitches[1], second / pitches[1], 0],
        ];
        let rows = [world.bytes(1), usize::from(from.count), 1];
        // SAFETY: both rectangles are in their buffers, and do not overlap.
        unsafe {
            queue::enqueue_copy_buffer_rect(
                q,
                a,
                b,
                origins[0].as_ptr(),
                origins[1].as_ptr(),
                rows.as_ptr(),
                pitches[0],
                0,
                pitches[1],
                0,
                n,
                list,
            )
        }
    }

    fn map(
        &mut self,
        id: CommandId,
        range: Range,
        mode: MapMode,
        blocking: u32,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let q = world.queues[world.plan.program.commands[id.index()].queue.index()].0;
        let flags = match mode {
            MapMode::Read => cl3::memory::CL_MAP_READ,
            MapMode::Write => cl3::memory::CL_MAP_WRITE,
            MapMode::ReadWrite => cl3::memory::CL_MAP_READ | cl3::memory::CL_MAP_WRITE,
            MapMode::Invalidate => cl3::memory::CL_MAP_WRITE_INVALIDATE_REGION,
        };
        let size = world.bytes(range.count);
        let Some(buffer) = world.buffer(range.object) else {
            let Some(pointer) = world.cell_pointer(range) else {
                return Err(NOT_CALLED);
            };
            world.maps[id.index()].store(pointer, Ordering::Release);
            // SAFETY: the range is in the allocation.
            return unsafe { queue::enqueue_svm_map(q, blocking, flags, pointer, size, n, list) };
        };
        let mut pointer: cl_mem = ptr::null_mut();
        let offset = world.bytes(range.first);
        // SAFETY: the range is in the buffer.
        let made = unsafe {
            queue::enqueue_map_buffer(
                q,
                buffer,
                blocking,
                flags,
                offset,
                size,
                &mut pointer,
                n,
                list,
            )
        };
        world.maps[id.index()].store(pointer, Ordering::Release);
        let program = &world.plan.program;
        let (root, first) = program.root(range.object);
        if in_place(program.objects[root.index()].kind)
            && let Memory::Buffer(_, Some(under)) = &world.objects[root.index()]
            && made.is_ok()
        {
            let base = match under {
                Under::Host(words) => words.pointer(),
                Under::Svm(svm) => svm.0,
            };
            let there = base
                .cast::<u8>()
                .wrapping_add(world.bytes(first) + offset)
                .cast();
            if pointer != there {
                self.trace.elsewhere.push(id);
            }
        }
        made
    }

    fn unmap(
        &self,
        q: cl3::types::cl_command_queue,
        map: CommandId,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let What::Map { range, .. } = &world.plan.program.commands[map.index()].what else {
            return Err(NOT_CALLED);
        };
        let pointer = world.maps[map.index()].load(Ordering::Acquire);
        if pointer.is_null() {
            return Err(NOT_CALLED);
        }
        match world.buffer(range.object) {
            // SAFETY: the pointer is the map's, and a valid program does not use it afterwards.
            Some(buffer) => unsafe { queue::enqueue_unmap_mem_object(q, buffer, pointer, n, list) },
            // SAFETY: as above.
            None => unsafe { queue::enqueue_svm_unmap(q, pointer, n, list) },
        }
    }

    fn free(
        &self,
        q: cl3::types::cl_command_queue,
        objects: &[ObjectId],
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let mut pointers: Vec<*const c_void> = objects
            .iter()
            .filter_map(|o| self.world.pointer(*o).map(<*mut c_void>::cast_const))
            .collect();
        let count = pointers.len() as u32;
        // SAFETY: the list has this length; a valid program does not use the memory afterwards.
        let made = unsafe {
            queue::enqueue_svm_free(
                q,
                count,
                pointers.as_mut_ptr(),
                None,
                ptr::null_mut(),
                n,
                list,
            )
        };
        // The array is the caller's again.
        pointers.fill(ptr::null());
        std::hint::black_box(&pointers);
        made
    }

    fn migrate(
        &self,
        q: cl3::types::cl_command_queue,
        objects: &[ObjectId],
        to_host: bool,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let flags = u64::from(to_host);
        let buffers: Vec<cl_mem> = objects.iter().filter_map(|o| world.buffer(*o)).collect();
        let pointers: Vec<*const c_void> = objects
            .iter()
            .filter_map(|o| world.pointer(*o).map(<*mut c_void>::cast_const))
            .collect();
        // SAFETY: the lists have these lengths; null sizes mean whole allocations.
        unsafe {
            if pointers.is_empty() {
                let count = buffers.len() as u32;
                queue::enqueue_migrate_mem_object(q, count, buffers.as_ptr(), flags, n, list)
            } else {
                let count = pointers.len() as u32;
                queue::enqueue_svm_migrate_mem(
                    q,
                    count,
                    pointers.as_ptr(),
                    ptr::null(),
                    flags,
                    n,
                    list,
                )
            }
        }
    }
}
