//! Native kernels: the workload on the host.

use super::super::host::put;
use super::super::worlds::find;
use super::Player;
use cl3::command_queue as queue;
use cl3::types::{cl_event, cl_mem};
use classay_suites::commands::memory::Read;
use classay_suites::commands::program::{CommandId, Kernel, What, Writer};
use std::ffi::c_void;
use std::ptr;

impl Player<'_> {
    pub(super) fn native(
        &self,
        id: CommandId,
        kernel: &Kernel,
        n: u32,
        list: *const cl_event,
    ) -> Result<cl_event, i32> {
        let world = self.world;
        let mut args = NativeArguments {
            world: world.number,
            command: id.0,
            memory: [ptr::null_mut(); 4],
        };
        let mut objects: Vec<cl_mem> = Vec::new();
        let mut places: Vec<*const c_void> = Vec::new();
        let ranges = kernel
            .reads
            .iter()
            .enumerate()
            .chain(kernel.writes.iter().enumerate().map(|(n, r)| (n + 2, r)));
        for (at, range) in ranges {
            if let Some(buffer) = world.buffer(range.object) {
                args.memory[at] = buffer;
                objects.push(buffer);
                places.push(ptr::from_ref(&args.memory[at]).cast());
            }
        }
        let q = world.plan.program.commands[id.index()].queue;
        let (list_of_objects, list_of_places) = if objects.is_empty() {
            (ptr::null(), ptr::null())
        } else {
            (objects.as_ptr(), places.as_ptr())
        };
        // SAFETY: the function takes what is copied from `args`, in which the places are; they hold
        // the buffers that are listed.
        unsafe {
            queue::enqueue_native_kernel(
                world.queues[q.index()].0,
                Some(native_kernel),
                ptr::from_mut(&mut args).cast(),
                size_of::<NativeArguments>(),
                objects.len() as u32,
                list_of_objects,
                list_of_places,
                n,
                list,
            )
        }
    }
}

/// What a native kernel is given: numbers by which it finds its world, and memory that the
/// implementation puts in the place of the buffers.
#[repr(C)]
struct NativeArguments {
    world: u64,
    command: u16,
    memory: [*mut c_void; 4],
}

/// A native kernel: the workload on the host.
unsafe extern "C" fn native_kernel(args: *mut c_void) {
    if args.is_null() {
        return;
    }
    // SAFETY: a copy of the arguments of the enqueue, of which the alignment is not promised.
    let args = unsafe { args.cast::<NativeArguments>().read_unaligned() };
    let Some(world) = find(args.world) else {
        return;
    };
    let id = CommandId(args.command);
    let Some(What::Native(kernel)) = world
        .plan
        .program
        .commands
        .get(id.index())
        .map(|command| &command.what)
    else {
        return;
    };
    let words = world.words();
    for (n, range) in kernel.reads.iter().enumerate() {
        let read = Read::Kernel {
            command: id,
            range: n as u8,
        };
        let at = world.logged.get(&read).copied().unwrap_or_default();
        let from = args.memory[n].cast::<u32>();
        if from.is_null() {
            continue;
        }
        for (place, cell) in range.cells().enumerate() {
            for w in 0..words {
                // SAFETY: the buffer has the cell, and the order keeps writers from it.
                let word = unsafe { from.add(usize::from(cell) * words + w).read_volatile() };
                world.native_log.put((at + place) * words + w, word);
            }
        }
    }
    let mut x = std::hint::black_box(1u32);
    for _ in 0..kernel.spin {
        x = std::hint::black_box(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    }
    for (n, range) in kernel.writes.iter().enumerate() {
        let to = args.memory[2 + n].cast::<u32>();
        if to.is_null() {
            continue;
        }
        let first = world.plan.program.root(range.object).1;
        for cell in range.cells() {
            let token = world.token(Writer::Command(id), first + cell);
            // SAFETY: as above.
            unsafe { put(to, usize::from(cell), words, token) };
        }
    }
}
