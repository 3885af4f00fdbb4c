//! Objects that are made with lists of properties, shared virtual memory, and maps of buffers.

use super::images::Described;
use super::*;
use crate::api::listed::Flag;
use crate::api::made::{Addressing, Made, Properties, Property};
use crate::host::check::{Same, Want};
use crate::host::{Contents, Data, Stretches, Unit};

impl Addressing {
    fn constant(self) -> Constant {
        match self {
            Addressing::None => cl::CL_ADDRESS_NONE,
            Addressing::ClampToEdge => cl::CL_ADDRESS_CLAMP_TO_EDGE,
            Addressing::Clamp => cl::CL_ADDRESS_CLAMP,
            Addressing::Repeat => cl::CL_ADDRESS_REPEAT,
            Addressing::Mirrored => cl::CL_ADDRESS_MIRRORED_REPEAT,
        }
    }
}

fn filter(linear: bool) -> Constant {
    match linear {
        true => cl::CL_FILTER_LINEAR,
        false => cl::CL_FILTER_NEAREST,
    }
}

/// The flags of memory that has some of the host in this way.
pub(super) fn flags_of(memory: Option<Flag>) -> Value {
    let mut flags = vec![cl::CL_MEM_READ_WRITE];
    flags.extend(memory.map(Flag::constant));
    Value::Flags(flags)
}

/// Whether that needs memory of the host.
pub(super) fn from_host(memory: Option<Flag>) -> bool {
    matches!(memory, Some(Flag::Uses | Flag::Copies))
}

impl Lowering {
    /// Makes one, and does with it what shows that it is there.
    pub(super) fn made(&mut self, place: Place, platform: Slot, made: &Made) {
        match made {
            Made::Sampler {
                given,
                normalized,
                addressing,
                linear,
                early,
            } => {
                let all = [
                    Value::from(*normalized),
                    addressing.constant().into(),
                    filter(*linear).into(),
                ];
                self.sampler(place, (!early).then_some(given), all);
            }
            Made::Queue {
                properties,
                profiling,
                out_of_order,
            } => self.queue_of(place, *properties, [*profiling, *out_of_order]),
            Made::Context {
                platform: is_given,
                synchronized,
                first,
                times,
            } => {
                let mut pairs = Vec::new();
                pairs.extend(is_given.then(|| values![cl::CL_CONTEXT_PLATFORM, platform]));
                pairs.extend(synchronized.map(|is| values![cl::CL_CONTEXT_INTEROP_USER_SYNC, is]));
                if *first {
                    pairs.reverse();
                }
                self.context_of_list(place, pairs.concat(), usize::from((*times).max(1)));
            }
            Made::Image {
                shape,
                size,
                apart,
                memory,
                strays,
                maps,
            } => {
                let image = Described::of(*shape, size.map(|size| size.max(1)), *apart, *strays);
                self.image_of(place, &image, *memory, usize::from(*maps), false);
            }
            Made::Shared { alignments, bytes } => {
                self.shared_memory(place, alignments, usize::from((*bytes).max(1)));
            }
            Made::Ends {
                others,
                order,
                callbacks,
            } => self.ends(place, others, order, usize::from((*callbacks).max(1))),
            Made::Over {
                begin,
                width,
                rows,
                kernels,
                asks,
                by,
                of,
            } => {
                let through = match kernels {
                    true => over::Through::Kernels { asks: *asks },
                    false => over::Through::Host(*by),
                };
                let size = [*width, u16::from(*rows)].map(usize::from);
                self.image_over(place, *begin, size, (*of, through));
            }
            Made::Maps {
                memory,
                regions,
                order,
            } => self.maps(place, *memory, regions, order),
        }
    }

    /// A sampler with these properties of a list, or with all.
    fn sampler(&mut self, place: Place, given: Option<&Vec<Property>>, all: [Value; 3]) {
        let sampler = self.own("sampler", SlotKind::Sampler);
        let [normalized, addressing, filter] = all;
        let call = match given {
            None => Call::new(
                Function::CreateSampler,
                values![place.context, normalized, addressing, filter],
            ),
            Some(given) => {
                let mut list = Vec::new();
                for one in given {
                    list.extend(match one {
                        Property::Normalized => {
                            values![cl::CL_SAMPLER_NORMALIZED_COORDS, normalized.clone()]
                        }
                        Property::Addressing => {
                            values![cl::CL_SAMPLER_ADDRESSING_MODE, addressing.clone()]
                        }
                        Property::Filter => values![cl::CL_SAMPLER_FILTER_MODE, filter.clone()],
                    });
                }
                list.push(0.into());
                let list = Value::List(Class::Long, list);
                Call::new(
                    Function::CreateSamplerWithProperties,
                    values![place.context, list],
                )
            }
        };
        self.step(call.makes(sampler));
        self.release([sampler]);
    }

    /// A queue, and whether its commands have times.
    fn queue_of(&mut self, place: Place, properties: Properties, flags: [bool; 2]) {
        let queue = self.own("queue", SlotKind::Queue);
        let [profiling, out_of_order] = flags;
        let mut all = Vec::new();
        all.extend(profiling.then_some(cl::CL_QUEUE_PROFILING_ENABLE));
        all.extend(out_of_order.then_some(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
        let all = Value::Flags(all);
        let (call, has_times) = match properties {
            Properties::Null => (Call::queue(place.context, place.device, Value::Null), false),
            Properties::Empty => {
                let none = Value::List(Class::Long, values![0]);
                (Call::queue(place.context, place.device, none), false)
            }
            Properties::List => {
                let list = Value::List(Class::Long, values![cl::CL_QUEUE_PROPERTIES, all, 0]);
                (Call::queue(place.context, place.device, list), profiling)
            }
            Properties::Early => (
                Call::new(
                    Function::CreateCommandQueue,
                    values![place.context, place.device, all],
                ),
                profiling,
            ),
        };
        self.step(call.makes(queue));
        let event = self.own_event("marker");
        self.step(marker(queue, &[], event));
        self.step(Call::wait(&[event]));
        for time in [
            cl::CL_PROFILING_COMMAND_QUEUED,
            cl::CL_PROFILING_COMMAND_END,
        ] {
            let answer = self.builder.answer();
            let mut ask = Call::ask(
                Function::GetEventProfilingInfo,
                values![event, time],
                8,
                answer,
            );
            let code = match has_times {
                true => 0,
                false => cl::CL_PROFILING_INFO_NOT_AVAILABLE.value(),
            };
            if !has_times {
                let sentence = "if the CL_QUEUE_PROFILING_ENABLE flag is not set for the \
                                command-queue";
                ask = ask.refused(vec![code as i32], sentence);
            }
            let mark = self.marked(ask);
            let says = "clGetEventProfilingInfo of a marker returns {}";
            self.must(says, That::Code(mark, Right::Among(vec![code])));
        }
        self.release([event, queue]);
    }

    /// A context with a list of properties, and its device so often: "Duplicate devices specified in devices are ignored".
    fn context_of_list(&mut self, place: Place, mut list: Vec<Value>, times: usize) {
        let [notify, data] = [const { Value::Null }; 2];
        let properties = match list.is_empty() {
            true => Value::Null,
            false => {
                list.push(0.into());
                Value::List(Class::Long, list)
            }
        };
        let devices = Value::objects(vec![place.device; times]);
        let arguments = values![properties, times, devices, notify, data];
        let (context, queue, to) = (
            self.own("context", SlotKind::Context),
            self.own("queue", SlotKind::Queue),
            self.own("buffer", SlotKind::Memory),
        );
        self.step(Call::new(Function::CreateContext, arguments).makes(context));
        self.step(Call::queue(context, place.device, Value::Null).makes(queue));
        self.step(buffer(context, to));
        self.holds(
            queue,
            to,
            vec![0; BYTES / 4],
            "what is in a buffer of zeros",
        );
        self.release([to, queue, context]);
    }

    /// Allocations that are there at once, each with bytes of its own. Where they begin is looked at in all programs.
    fn shared_memory(&mut self, place: Place, alignments: &[Option<u8>], bytes: usize) {
        let queue = self.own("queue", SlotKind::Queue);
        self.step(super::queue(place, queue));
        let mut all = Vec::new();
        for (n, power) in alignments.iter().enumerate() {
            let memory = self.own("shared", SlotKind::Svm(place.context));
            let alignment = power.map_or(0, |power| 1_u32 << power.min(7));
            // What kernels may do with it does not matter to commands.
            let access = [
                Some(cl::CL_MEM_READ_WRITE),
                None,
                Some(cl::CL_MEM_READ_ONLY),
                Some(cl::CL_MEM_WRITE_ONLY),
            ];
            let flags = Value::Flags(access[n % access.len()].into_iter().collect());
            let arguments = values![place.context, flags, bytes + n, alignment];
            self.step(Call::new(Function::SVMAlloc, arguments).makes(memory));
            all.push((memory, bytes + n, (n * 3 + 1) as u8));
        }
        for (memory, bytes, byte) in &all {
            let of = values![*memory, Value::Bytes(vec![*byte]), 1, *bytes];
            let function = Function::EnqueueSVMMemFill;
            self.step(Call::enqueue(function, queue, of, &[], None));
        }
        for (memory, bytes, byte) in all {
            let of = values![true, cl::CL_MAP_READ, memory, bytes];
            self.step(Call::enqueue(Function::EnqueueSVMMap, queue, of, &[], None));
            let answer = self.builder.answer();
            self.step(Op::Read {
                from: memory.at(0),
                stretches: Stretches::whole(bytes),
                into: answer,
            });
            let of = values![memory];
            let function = Function::EnqueueSVMUnmap;
            self.step(Call::enqueue(function, queue, of, &[], None));
            let same = Same::new(Unit::Byte, Contents::Bytes(vec![byte; bytes]), false);
            let says = "what was filled in shared virtual memory";
            self.must(says, That::Bytes(answer, Want::Same(same)));
        }
        self.step(finish(queue));
        // "If a NULL pointer is passed in svm_pointer, no action occurs".
        let nothing = values![place.context, Value::Null];
        self.step(Call::new(Function::SVMFree, nothing));
        self.release([queue]);
    }

    /// How often memory is mapped, when nothing is pending.
    pub(super) fn is_mapped(&mut self, memory: Slot, times: usize) {
        let name = cl::CL_MEM_MAP_COUNT.into();
        let (step, answer) = self.ask(Function::GetMemObjectInfo, memory, name, 4);
        self.steps.push(step);
        let right = Right::Among(vec![times as i64]);
        let says = format!("CL_MEM_MAP_COUNT is {{}}, of memory that is mapped {times} times");
        self.must(&says, That::Number(answer, right));
    }

    /// What is seen through a map of these bytes.
    fn is_seen(&mut self, at: Slot, [first, bytes]: [usize; 2], wanted: &[u8]) {
        let answer = self.builder.answer();
        self.step(Op::Read {
            from: at.at(0),
            stretches: Stretches::whole(bytes),
            into: answer,
        });
        let wanted = wanted[first..first + bytes].to_vec();
        let same = Same::new(Unit::Byte, Contents::Bytes(wanted), false);
        let says = "what is seen through a map of a buffer";
        self.must(says, That::Bytes(answer, Want::Same(same)));
    }

    /// Maps for reading, which may lie upon each other and be the same, and unmaps in any order.
    fn maps(&mut self, place: Place, memory: Option<Flag>, regions: &[[u16; 2]], order: &[u8]) {
        let contents = Contents::Noise(regions.len() as u32);
        let wanted = contents.bytes(BYTES);
        let pointer = match from_host(memory) {
            true => {
                let host = self.own("memory", SlotKind::Host { bytes: BYTES });
                let bytes = BYTES;
                self.step(Op::Write {
                    at: host.at(0),
                    data: Data::Contents { contents, bytes },
                });
                Value::Slot(host)
            }
            false => Value::Null,
        };
        let (queue, whole) = (
            self.own("queue", SlotKind::Queue),
            self.own("mapped", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        let arguments = values![place.context, flags_of(memory), BYTES, pointer];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(whole));
        if !from_host(memory) {
            let of = values![whole, true, 0, BYTES, Value::Bytes(wanted.clone())];
            let function = Function::EnqueueWriteBuffer;
            self.step(Call::enqueue(function, queue, of, &[], None));
        }
        let mut maps = Vec::new();
        for [first, bytes] in regions.iter().map(|region| region.map(usize::from)) {
            let first = first.min(BYTES - 1);
            let bytes = bytes.clamp(1, BYTES - first);
            let at = self.own("map", SlotKind::Address);
            let of = values![whole, true, cl::CL_MAP_READ, first, bytes];
            let function = Function::EnqueueMapBuffer;
            self.step(Call::enqueue(function, queue, of, &[], None).makes(at));
            maps.push((at, [first, bytes]));
            self.is_mapped(whole, maps.len());
            for (at, region) in &maps {
                self.is_seen(*at, *region, &wanted);
            }
        }
        let mut left: Vec<usize> = (0..maps.len()).collect();
        let order = order.iter().map(|n| usize::from(*n)).chain(0..maps.len());
        for n in order {
            if !left.contains(&n) {
                continue;
            }
            left.retain(|other| *other != n);
            let of = values![whole, maps[n].0];
            let function = Function::EnqueueUnmapMemObject;
            self.step(Call::enqueue(function, queue, of, &[], None));
            self.step(finish(queue));
            self.is_mapped(whole, left.len());
            for n in &left {
                let (at, region) = maps[*n];
                self.is_seen(at, region, &wanted);
            }
        }
        let answer = self.builder.answer();
        self.step(Call::read(
            queue,
            whole,
            BYTES,
            Value::Answer(answer, BYTES),
            None,
        ));
        let same = Same::new(Unit::Byte, Contents::Bytes(wanted), false);
        let says = "what is in a buffer that was mapped for reading";
        self.must(says, That::Bytes(answer, Want::Same(same)));
        self.release([whole, queue]);
    }
}
