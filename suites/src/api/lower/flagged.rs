//! Buffers that say what may be done with them: all of that is done.

use super::*;
use crate::api::flagged::Flagged;
use crate::host::check::{Same, Want};
use crate::host::{Contents, Data, Stretches, Unit};

/// Words of such a buffer.
const WORDS: usize = 64;

/// Where a part begins: any device lets it begin there.
const ORIGIN: usize = 4096;

/// Kernels that read one, and write one.
const KERNELS: &str = "
kernel void seen(global const uint *from, global uint *to) {
    int n = get_global_id(0);
    to[n] = from[n] * 3 + 1;
}

kernel void put(global uint *to) {
    int n = get_global_id(0);
    to[n] = n * 7 + 3;
}
";

/// Words that kernels write, that the host writes, and that are filled.
const PUT: std::ops::Range<usize> = 0..16;
const WRITTEN: std::ops::Range<usize> = 16..24;
const MAPPED: std::ops::Range<usize> = 24..32;
const FILLED: std::ops::Range<usize> = 40..44;

/// The word that it has at first.
fn first(place: usize) -> u32 {
    (place as u32).wrapping_mul(0x0103_0709).wrapping_add(5)
}

/// Words as bytes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Where words begin, in bytes.
fn at(words: &std::ops::Range<usize>) -> usize {
    4 * words.start
}

/// How many bytes words have.
fn length(words: &std::ops::Range<usize>) -> usize {
    4 * words.len()
}

impl Lowering {
    /// The buffer, and every command that it allows.
    pub(super) fn flagged(&mut self, place: Place, flagged: &Flagged) {
        let [buffer, plain] = ["flagged", "plain"].map(|name| self.own(name, SlotKind::Memory));
        let queue = self.own("queue", SlotKind::Queue);
        self.step(super::queue(place, queue));
        let mut words: Vec<u32> = (0..WORDS).map(first).collect();
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let of = values![place.context, flags, 4 * WORDS, Value::Bytes(bytes(&words))];
        self.step(Call::new(Function::CreateBuffer, of).makes(plain));
        let whole = self.flagged_buffer(place, flagged, buffer);
        let whole_copied = |from: Slot, to: Slot| {
            let of = values![from, to, 0, 0, 4 * WORDS];
            Call::enqueue(Function::EnqueueCopyBuffer, queue, of, &[], None)
        };
        if !flagged.is_from_host() {
            self.step(whole_copied(plain, buffer));
        }
        self.by_kernels_of(place, queue, (flagged, buffer), &mut words);
        if flagged.host_writes() {
            self.host_writes(queue, buffer, &mut words);
        }
        let pattern = Value::Bytes(9u32.to_ne_bytes().to_vec());
        let of = values![buffer, pattern, 4, at(&FILLED), length(&FILLED)];
        let fill = Function::EnqueueFillBuffer;
        self.step(Call::enqueue(fill, queue, of, &[], None));
        words[FILLED].fill(9);
        let of = values![1, Value::objects([buffer]), cl::CL_MIGRATE_MEM_OBJECT_HOST];
        let migrate = Function::EnqueueMigrateMemObjects;
        self.step(Call::enqueue(migrate, queue, of, &[], None));
        if flagged.host_reads() {
            self.host_reads(queue, buffer, &words);
        }
        self.step(whole_copied(buffer, plain));
        let says = "what was copied from a buffer of some flags";
        self.holds(queue, plain, words, says);
        self.release([buffer, plain, queue]);
        if let Some(whole) = whole {
            self.release([whole]);
        }
    }

    /// Makes the buffer; gives the one that it is a part of.
    fn flagged_buffer(&mut self, place: Place, flagged: &Flagged, buffer: Slot) -> Option<Slot> {
        let whole = flagged.part.then(|| self.own("whole", SlotKind::Memory));
        let before = if flagged.part { ORIGIN } else { 0 };
        let size = before + 4 * WORDS;
        let host = match flagged.is_from_host() {
            true => {
                let memory = self.own("memory", SlotKind::Host { bytes: size });
                let words: Vec<u32> = (0..WORDS).map(first).collect();
                self.step(Op::Write {
                    at: memory.at(before),
                    data: Data::Contents {
                        contents: Contents::Bytes(bytes(&words)),
                        bytes: 4 * WORDS,
                    },
                });
                Value::Slot(memory)
            }
            false => Value::Null,
        };
        let flags = match flagged.flags.as_slice() {
            [] => Value::Number(0),
            flags => Value::Flags(flags.iter().map(|flag| flag.constant()).collect()),
        };
        let mut of = values![place.context, flags, size, host];
        let function = match flagged.list {
            Some(list) => {
                let list = match list {
                    true => Value::List(Class::Long, values![0]),
                    false => Value::Null,
                };
                of.insert(1, list);
                Function::CreateBufferWithProperties
            }
            None => Function::CreateBuffer,
        };
        let made = Call::new(function, of);
        let Some(whole) = whole else {
            self.step(made.makes(buffer));
            return None;
        };
        self.step(made.makes(whole));
        let part = Call::sub_buffer(whole, Value::Number(0), ORIGIN, 4 * WORDS);
        self.step(part.makes(buffer));
        Some(whole)
    }

    /// Kernels read and write it, as they may.
    fn by_kernels_of(
        &mut self,
        place: Place,
        queue: Slot,
        (flagged, buffer): (&Flagged, Slot),
        words: &mut [u32],
    ) {
        let program = self.own_program(place, KERNELS);
        if flagged.kernels_read() {
            let (seen, to) = (
                self.own("seen", SlotKind::Kernel),
                self.own("to", SlotKind::Memory),
            );
            self.step(super::buffer(place.context, to));
            self.step(Call::kernel(program, "seen", seen));
            self.step(Call::object_argument(seen, 0, buffer));
            self.step(Call::object_argument(seen, 1, to));
            self.step(Call::launch(queue, seen, WORDS, &[], None));
            let wanted = words
                .iter()
                .map(|word| word.wrapping_mul(3).wrapping_add(1));
            let says = "what a kernel read of a buffer of some flags";
            self.holds(queue, to, wanted.collect(), says);
            self.release([seen, to]);
        }
        if flagged.kernels_write() {
            let put = self.own("put", SlotKind::Kernel);
            self.step(Call::kernel(program, "put", put));
            self.step(Call::object_argument(put, 0, buffer));
            self.step(Call::launch(queue, put, PUT.len(), &[], None));
            words[PUT]
                .iter_mut()
                .enumerate()
                .for_each(|(n, word)| *word = n as u32 * 7 + 3);
            self.release([put]);
        }
        self.release([program]);
    }

    /// The host writes some words, and others through a map.
    fn host_writes(&mut self, queue: Slot, buffer: Slot, words: &mut [u32]) {
        for word in &mut words[WRITTEN.start..MAPPED.end] {
            *word = !*word;
        }
        let written = Value::Bytes(bytes(&words[WRITTEN]));
        let of = values![buffer, true, at(&WRITTEN), length(&WRITTEN), written];
        let write = Function::EnqueueWriteBuffer;
        self.step(Call::enqueue(write, queue, of, &[], None));
        let map = self.own("map", SlotKind::Address);
        let of = values![buffer, true, cl::CL_MAP_WRITE, at(&MAPPED), length(&MAPPED)];
        let function = Function::EnqueueMapBuffer;
        self.step(Call::enqueue(function, queue, of, &[], None).makes(map));
        self.step(Op::Write {
            at: map.at(0),
            data: Data::Contents {
                contents: Contents::Bytes(bytes(&words[MAPPED])),
                bytes: length(&MAPPED),
            },
        });
        let of = values![buffer, map];
        let unmap = Function::EnqueueUnmapMemObject;
        self.step(Call::enqueue(unmap, queue, of, &[], None));
    }

    /// The host reads it, and looks at some words through a map.
    fn host_reads(&mut self, queue: Slot, buffer: Slot, words: &[u32]) {
        let says = "what the host reads of a buffer of some flags";
        self.holds(queue, buffer, words.to_vec(), says);
        let map = self.own("map", SlotKind::Address);
        let of = values![buffer, true, cl::CL_MAP_READ, at(&MAPPED), length(&MAPPED)];
        let function = Function::EnqueueMapBuffer;
        self.step(Call::enqueue(function, queue, of, &[], None).makes(map));
        let answer = self.builder.answer();
        self.step(Op::Read {
            from: map.at(0),
            stretches: Stretches::whole(length(&MAPPED)),
            into: answer,
        });
        let of = values![buffer, map];
        let unmap = Function::EnqueueUnmapMemObject;
        self.step(Call::enqueue(unmap, queue, of, &[], None));
        let wanted = Contents::Words(words[MAPPED].to_vec());
        let same = Same::new(Unit::Word, wanted, false);
        let says = "what the host sees through a map of a buffer of some flags";
        self.must(says, That::Bytes(answer, Want::Same(same)));
    }

    /// clEnqueueTask: one work-item in one group of one dimension, behind what it waits for.
    pub(super) fn task(&mut self, place: Place) {
        let program = self.own_program(place, TASK);
        let (queue, kernel, to) = (
            self.own("queue", SlotKind::Queue),
            self.own("task", SlotKind::Kernel),
            self.own("to", SlotKind::Memory),
        );
        let [gate, filled, done] = ["gate", "filled", "done"].map(|name| self.own_event(name));
        self.step(super::queue(place, queue));
        self.step(super::buffer(place.context, to));
        self.step(Call::kernel(program, "task", kernel));
        self.step(Call::object_argument(kernel, 0, to));
        self.step(Call::bytes_argument(kernel, 1, 5u32.to_ne_bytes().to_vec()));
        self.step(user_event(place.context, gate));
        let pattern = Value::Bytes(100u32.to_ne_bytes().to_vec());
        let of = values![to, pattern, 4, 0, 4 * TOLD.len()];
        let fill = Function::EnqueueFillBuffer;
        self.step(Call::enqueue(fill, queue, of, &[gate], Some(filled)));
        let function = Function::EnqueueTask;
        let wait = [filled];
        self.step(Call::enqueue(
            function,
            queue,
            values![kernel],
            &wait,
            Some(done),
        ));
        // The command has the argument that it was enqueued with.
        self.step(Call::bytes_argument(kernel, 1, 6u32.to_ne_bytes().to_vec()));
        self.step(flush(queue));
        self.has_status(done, true);
        self.step(set(gate));
        let says = "what a task found: what was there, its argument, its sizes and its ids";
        self.holds(queue, to, TOLD.to_vec(), says);
        self.has_status(done, false);
        self.release([gate, filled, done]);
        self.release([kernel, program, to, queue]);
    }
}

/// A kernel that says in which range it runs.
const TASK: &str = "
kernel void task(global uint *to, uint given) {
    to[0] = to[0] + 1;
    to[1] = given;
    to[2] = get_work_dim();
    to[3] = get_global_size(0);
    to[4] = get_local_size(0);
    to[5] = get_num_groups(0);
    to[6] = get_global_id(0) + get_local_id(0) + get_group_id(0) + get_global_offset(0);
}
";

/// What it says of a range of one work-item, where there was 100 before.
const TOLD: [u32; 7] = [101, 5, 1, 1, 1, 1, 0];
