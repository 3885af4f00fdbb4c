//! Launches: a kernel with its arguments, enqueued.

use super::{Lower, program_of};
use crate::host::check::{Check, Right, That};
use crate::host::constant::cl;
use crate::host::*;
use crate::kernels::case::{Arg, Kind, Launch, ObjectId};
use crate::kernels::image::{Addressing, Sampler};

/// Launches of a kind that are written one after the other, and not as a loop.
const FEW: u32 = 4;

impl Lower<'_> {
    pub(super) fn launch(&mut self, n: usize, launch: &Launch) {
        let Some(mut program) = self.program else {
            return;
        };
        let rebuilt = launch.rebuilt.then(|| program_of(self.case)).flatten();
        if let Some(of) = rebuilt {
            // A program that is built for this launch alone; what is enqueued keeps it.
            program = self.b.slot(format!("program_{n}"), SlotKind::Program);
            self.add(Op::Build {
                program,
                context: self.context,
                of,
                build: self.case.build.clone(),
            });
        }
        let own_queue = launch.fails.then(|| self.own_queue(n));
        let kernel = self.b.slot(format!("kernel_{n}"), SlotKind::Kernel);
        let mut given_up = vec![kernel];
        let mut calls: Vec<Step> = Vec::new();
        calls.push(Call::kernel(program, &launch.kernel, kernel).into());
        for (place, arg) in launch.args.iter().enumerate() {
            if let Arg::Sampler(sampler) = arg {
                let name = format!("sampler_{n}_{place}");
                let slot = self.b.slot(name, SlotKind::Sampler);
                calls.push(self.sampler(slot, *sampler).into());
                given_up.push(slot);
                calls.push(Call::object_argument(kernel, place as u32, slot).into());
            } else {
                calls.push(self.argument(kernel, place as u32, arg).into());
            }
        }
        calls.extend(self.reached(kernel, launch).map(Step::from));
        let mut enqueued = kernel;
        if launch.cloned || launch.disturbed {
            let copy = self.b.slot(format!("copy_{n}"), SlotKind::Kernel);
            given_up.push(copy);
            let clone = Call::new(Function::CloneKernel, values![kernel]);
            calls.push(clone.makes(copy).into());
            // What is enqueued keeps its arguments, whatever the other of the two gets after the copy.
            let mut other = copy;
            if launch.cloned {
                std::mem::swap(&mut enqueued, &mut other);
            }
            calls.extend(self.others(other, launch).into_iter().map(Step::from));
        }
        let event = (launch.fails || self.case.waited_for().contains(&n))
            .then(|| self.b.slot(format!("event_{n}"), SlotKind::Event));
        let queue = own_queue.unwrap_or(self.queues[usize::from(launch.queue)]);
        // Of launches that are repeated, the last one's event stands for all of the queue's.
        let before = launch.times.max(1) - 1;
        let again = self.enqueue(launch, queue, enqueued, None);
        match before {
            0..FEW => calls.extend((0..before).map(|_| again.clone().into())),
            _ => calls.push(
                Op::Repeat {
                    times: before,
                    within: None,
                    body: vec![again.into()],
                }
                .into(),
            ),
        }
        calls.push(self.enqueue(launch, queue, enqueued, event).into());
        self.calls(calls, launch.code, &launch.rules);
        if let (Some(event), true) = (event, launch.fails) {
            self.ended(launch, event);
        } else if let Some(event) = event {
            self.events.insert(n, event);
        }
        if let Some(queue) = own_queue {
            self.add(Call::of(Function::Finish, queue).whatever());
            self.add(self.b.release(queue).whatever());
        }
        given_up.extend(launch.rebuilt.then_some(program));
        for slot in given_up {
            self.add(self.b.release(slot).whatever());
        }
    }

    /// What fails has a queue of its own, and does not keep others from theirs.
    fn own_queue(&mut self, n: usize) -> Slot {
        let queue = self.b.slot(format!("own_queue_{n}"), SlotKind::Queue);
        self.add(Call::queue(self.context, self.device, Value::Null).makes(queue));
        queue
    }

    /// Waits for a command that has to fail, and looks at its status.
    fn ended(&mut self, launch: &Launch, event: Slot) {
        self.add(Call::wait(&[event]).whatever());
        let status = self.b.answer();
        self.add(Call::status(event, status).whatever());
        self.add(self.b.release(event).whatever());
        let kernel = &launch.kernel;
        let says = format!("the kernel {kernel} ends with status {{}}, not an error");
        let failed = That::Number(status, Right::Between(i64::MIN, -1));
        let check = Check::new(launch.rules.clone(), says, failed);
        self.checks.push(check.even_so(true));
        let failing = launch.failing.map(|of| Choice::Status(status, of));
        self.choices.extend(failing);
    }

    fn enqueue(&self, launch: &Launch, queue: Slot, kernel: Slot, event: Option<Slot>) -> Call {
        let sizes = |list: &Option<Vec<u64>>| list.clone().map(Value::sizes);
        let event_of = |n: &u16| self.events.get(&usize::from(*n)).copied();
        let waits: Vec<Slot> = launch.after.iter().filter_map(event_of).collect();
        let range = &launch.range;
        let (global, local) = (Value::sizes(range.global.clone()), sizes(&range.local));
        let of = values![
            kernel,
            range.global.len(),
            sizes(&range.offset),
            global,
            local
        ];
        Call::enqueue(Function::EnqueueNDRangeKernel, queue, of, &waits, event)
    }

    fn argument(&self, kernel: Slot, n: u32, arg: &Arg) -> Call {
        let pointer =
            |at: Place| Call::new(Function::SetKernelArgSVMPointer, values![kernel, n, at]);
        match arg {
            Arg::Object(id) if self.case.objects[id.index()].kind.addressed() => pointer(id.at(0)),
            Arg::Object(id) => Call::object_argument(kernel, n, *id),
            Arg::Queue(queue) => {
                let queue = self.device_queues[usize::from(*queue)];
                Call::object_argument(kernel, n, queue)
            }
            Arg::Pointer(at) => pointer(*at),
            Arg::Local(bytes) => {
                let arguments = values![kernel, n, *bytes, Value::Null];
                Call::new(Function::SetKernelArg, arguments)
            }
            Arg::Bytes(bytes) => Call::bytes_argument(kernel, n, bytes.clone()),
            Arg::Uint(value) => Call::bytes_argument(kernel, n, value.to_ne_bytes().into()),
            Arg::Ulong(value) => Call::bytes_argument(kernel, n, value.to_ne_bytes().into()),
            // It is made before it is an argument.
            Arg::Sampler(_) => Call::bytes_argument(kernel, n, Vec::new()),
        }
    }

    pub(super) fn sampler(&self, slot: Slot, sampler: Sampler) -> Call {
        let addressing = match sampler.addressing {
            Addressing::None => cl::CL_ADDRESS_NONE,
            Addressing::ClampToEdge => cl::CL_ADDRESS_CLAMP_TO_EDGE,
            Addressing::Clamp => cl::CL_ADDRESS_CLAMP,
            Addressing::Repeat => cl::CL_ADDRESS_REPEAT,
            Addressing::MirroredRepeat => cl::CL_ADDRESS_MIRRORED_REPEAT,
        };
        let filter = match sampler.linear {
            true => cl::CL_FILTER_LINEAR,
            false => cl::CL_FILTER_NEAREST,
        };
        let mut list = [
            values![cl::CL_SAMPLER_NORMALIZED_COORDS, sampler.normalized],
            values![cl::CL_SAMPLER_ADDRESSING_MODE, addressing],
            values![cl::CL_SAMPLER_FILTER_MODE, filter],
        ];
        // Properties have no order.
        let first = slot.index() % list.len();
        list.rotate_left(first);
        let mut list = list.concat();
        list.extend(values![0]);
        let arguments = values![self.context, Value::list(Class::Long, list)];
        Call::new(Function::CreateSamplerWithProperties, arguments).makes(slot)
    }

    /// Gives a kernel other arguments than a launch has: every bit of values is another, buffers are others, pointers lead
    /// elsewhere in their allocations, local memory is larger, and fewer allocations are reached through pointers.
    fn others(&self, kernel: Slot, launch: &Launch) -> Vec<Call> {
        let args = launch.args.iter().enumerate();
        let mut calls: Vec<Call> = args
            .filter_map(|(n, arg)| {
                let other = self.other(arg)?;
                Some(self.argument(kernel, n as u32, &other))
            })
            .collect();
        let fewer = Launch {
            reaches: launch.reaches.iter().take(1).copied().collect(),
            ..launch.clone()
        };
        calls.extend(self.reached(kernel, &fewer));
        calls
    }

    /// Another argument of the same kind; none where there is no other.
    fn other(&self, arg: &Arg) -> Option<Arg> {
        let object = |id: &ObjectId| &self.case.objects[id.index()];
        Some(match arg {
            Arg::Bytes(bytes) => Arg::Bytes(bytes.iter().map(|byte| !byte).collect()),
            Arg::Uint(value) => Arg::Uint(!value),
            Arg::Ulong(value) => Arg::Ulong(!value),
            // Room that no device lacks, with what kernels have.
            Arg::Local(bytes) => Arg::Local(bytes + 16),
            Arg::Pointer(at) => Arg::Pointer(Place { byte: 0, ..*at }),
            Arg::Object(id) if object(id).kind.addressed() => {
                let byte = (object(id).bytes / 2) & !15;
                Arg::Pointer(Place { object: *id, byte })
            }
            Arg::Object(id) => {
                let buffer = |id: &ObjectId| object(id).kind == Kind::Buffer;
                let all = (0..self.case.objects.len()).map(|n| ObjectId(n as u16));
                // Where a kernel got it that should not have, no other memory is reached.
                let mut others = all.filter(|other| {
                    other != id && buffer(other) && object(other).bytes >= object(id).bytes
                });
                Arg::Object(others.next().filter(|_| buffer(id))?)
            }
            Arg::Queue(_) | Arg::Sampler(_) => return None,
        })
    }

    /// Tells of allocations that the kernel reaches through pointers.
    fn reached(&self, kernel: Slot, launch: &Launch) -> impl Iterator<Item = Call> + use<> {
        let host = |id: &ObjectId| self.case.objects[id.index()].kind == Kind::Host;
        let (system, svm): (Vec<ObjectId>, Vec<ObjectId>) =
            launch.reaches.iter().copied().partition(host);
        let info = move |name: Constant, bytes: usize, value: Value| {
            let arguments = values![kernel, name, bytes, value];
            Call::new(Function::SetKernelExecInfo, arguments)
        };
        let pointers = |ids: &[ObjectId]| {
            let places = ids.iter().map(|id| id.at(launch.reaches_at as usize));
            let list = Value::list(Class::Pointer, places);
            info(cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, 8 * ids.len(), list)
        };
        // Of several all but the first are named before: each list "replaces any previously specified set of pointers".
        let fewer = (svm.len() > 1).then(|| pointers(&svm[1..]));
        let svm = (!svm.is_empty()).then(|| pointers(&svm));
        let name = cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
        let system = (!system.is_empty()).then(|| info(name, 4, Value::words([1])));
        fewer.into_iter().chain(svm).chain(system)
    }
}
