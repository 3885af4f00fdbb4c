//! Kernels whose arguments are set in every way, and heads of kernels.

use super::*;
use crate::api::arguments::{Arguments, Head, MORE, Parameter, Pointee, Then, room};
use crate::host::check::{Same, Want};
use crate::host::scalar::Scalar;
use crate::host::{Contents, Unit};
use std::fmt::Write;

/// Bytes that a kernel copies from where a pointer points to.
const COPIED: usize = 8;

/// Bytes of the memory that pointers are given, and where in a buffer the part begins that some are given: at a multiple of
/// every CL_DEVICE_MEM_BASE_ADDR_ALIGN that devices have (in bits: 4096 bytes are 32768).
const POINTED: usize = 64;
const PART: usize = 4096;

/// Where in shared virtual memory the place is that pointers are given.
const INSIDE: usize = 24;

/// Bytes of an image's element, and elements of the image in each dimension.
const ELEMENT: usize = 4;
const WIDTH: usize = 2;

/// What of a parameter a kernel writes down: bytes, each as it must be or free.
struct Seen {
    text: String,
    bytes: usize,
}

/// The number that tells values of a parameter from all others: `turn` is 0 where it is set first, 1 where it is set
/// again, 2 where it is set for nothing.
fn number(n: usize, turn: usize) -> u8 {
    (17 + 29 * n + 101 * turn) as u8
}

/// The bytes of a value.
fn value(parameter: Parameter, n: usize, turn: usize) -> Vec<u8> {
    let first = number(n, turn);
    match parameter {
        // Numbers that no copy of a float changes.
        Parameter::Value {
            of: Scalar::Float,
            width,
        } => (0..room(width))
            .flat_map(|at| (f32::from(first) + at as f32).to_ne_bytes())
            .collect(),
        _ => (0..parameter.bytes())
            .map(|at| first.wrapping_mul(3).wrapping_add((7 * at) as u8))
            .collect(),
    }
}

/// A type with its width.
fn vector(of: Scalar, width: u8) -> String {
    match width {
        1 => of.to_string(),
        width => format!("{of}{width}"),
    }
}

/// The first image that a kernel has for its samplers.
fn first_image(parameters: &[Parameter]) -> Option<usize> {
    parameters.iter().position(|one| *one == Parameter::Image)
}

/// The elements of the image that a parameter is given, row by row.
fn elements(n: usize, turn: usize) -> Vec<u8> {
    let first = number(n, turn);
    (0..WIDTH * WIDTH * ELEMENT)
        .map(|at| first.wrapping_mul(5).wrapping_add((3 * at) as u8))
        .collect()
}

/// The addressing mode of the sampler for a turn.
fn addressing(turn: usize) -> Constant {
    [
        cl::CL_ADDRESS_CLAMP,
        cl::CL_ADDRESS_CLAMP_TO_EDGE,
        cl::CL_ADDRESS_NONE,
    ][turn]
}

/// What the kernel does with a parameter of these, writing from a byte on.
fn seen(parameters: &[Parameter], n: usize, at: usize) -> Seen {
    let parameter = parameters[n];
    let mut text = String::new();
    let bytes = match parameter {
        Parameter::Value { of, width } => {
            // The fourth element of a vector of three is nobody's.
            let bytes = of.bytes() * usize::from(width);
            let name = vector(of, width);
            let _ = write!(
                text,
                "  {{ {name} v = a{n}; private const uchar *from = (private const uchar *)&v;\n    \
                 for (uint i = 0; i < {bytes}u; i++) to[{at}u + i] = from[i]; }}\n"
            );
            bytes
        }
        Parameter::Bytes(bytes) => {
            let _ = writeln!(
                text,
                "  for (uint i = 0; i < {bytes}u; i++) to[{at}u + i] = a{n}.c[i];"
            );
            usize::from(bytes)
        }
        Parameter::Pointer { .. } => {
            let _ = write!(
                text,
                "  to[{at}u] = a{n} != 0;\n  \
                 if (a{n} != 0) for (uint i = 0; i < {COPIED}u; i++) to[{at}u + 1u + i] = a{n}[i];\n"
            );
            1 + COPIED
        }
        Parameter::Local { of, width, count } => {
            let bytes = of.bytes() * room(width) * usize::from(count);
            let (mark, all) = (number(n, 0), of.bytes() * room(width));
            let _ = write!(
                text,
                "  {{ uint right = 0; for (uint i = 0; i < {bytes}u; i++) \
                 right += ((local uchar *)a{n})[i] == (uchar)({mark}u + i);\n    \
                 to[{at}u] = right == {bytes}u; to[{at}u + 1u] = ((size_t)a{n}) % {all}u == 0; }}\n"
            );
            2
        }
        Parameter::Image => {
            let _ = write!(
                text,
                "  {{ uint4 element = read_imageui(a{n}, (int2)(1, 0));\n    \
                 vstore4(convert_uchar4(element), 0, to + {at}u); }}\n"
            );
            ELEMENT
        }
        Parameter::Sampler => match first_image(parameters) {
            // Left of the image: its border, or its first element.
            Some(image) => {
                let _ = write!(
                    text,
                    "  {{ uint4 element = read_imageui(a{image}, a{n}, (float2)(-1.0f, 0.5f));\n    \
                     vstore4(convert_uchar4(element), 0, to + {at}u); }}\n"
                );
                ELEMENT
            }
            None => 0,
        },
    };
    Seen { text, bytes }
}

/// The kernel of these parameters.
fn source(parameters: &[Parameter]) -> String {
    let mut types = String::new();
    let mut head = "kernel void taken(global uchar *to".to_string();
    let (mut fill, mut look) = (String::new(), String::new());
    let mut at = 0;
    for (n, parameter) in parameters.iter().enumerate() {
        let _ = match parameter {
            Parameter::Value { of, width } => write!(head, ", {} a{n}", vector(*of, *width)),
            Parameter::Bytes(bytes) => {
                let _ = writeln!(types, "typedef struct {{ uchar c[{bytes}]; }} bytes_{n};");
                write!(head, ", bytes_{n} a{n}")
            }
            Parameter::Pointer { constant, .. } => {
                let space = if *constant { "constant" } else { "global" };
                write!(head, ", {space} const uchar *a{n}")
            }
            Parameter::Local { of, width, count } => {
                let bytes = of.bytes() * room(*width) * usize::from(*count);
                let mark = number(n, 0);
                let _ = writeln!(
                    fill,
                    "  for (uint i = 0; i < {bytes}u; i++) ((local uchar *)a{n})[i] = (uchar)({mark}u + i);"
                );
                write!(head, ", local {} *a{n}", vector(*of, *width))
            }
            Parameter::Image => write!(head, ", read_only image2d_t a{n}"),
            Parameter::Sampler => write!(head, ", sampler_t a{n}"),
        };
        let seen = seen(parameters, n, at);
        look += &seen.text;
        at += seen.bytes;
    }
    format!("{types}{head}) {{\n{fill}{look}}}\n")
}

/// What the kernel writes with arguments of these turns.
fn wanted(parameters: &[Parameter], turn: impl Fn(usize) -> usize) -> Vec<u8> {
    let mut all = Vec::new();
    for (n, parameter) in parameters.iter().enumerate() {
        match parameter {
            Parameter::Value { of, width } => {
                let bytes = of.bytes() * usize::from(*width);
                all.extend(&value(*parameter, n, turn(n))[..bytes]);
            }
            Parameter::Bytes(_) => all.extend(value(*parameter, n, turn(n))),
            Parameter::Pointer { first, second, .. } => {
                let pointee = [first, second][turn(n)];
                let (is, from) = match pointee {
                    Pointee::Null | Pointee::Nothing => (0, None),
                    Pointee::Buffer => (1, Some(0)),
                    Pointee::Part => (1, Some(PART)),
                    Pointee::Shared => (1, Some(INSIDE)),
                };
                all.push(is);
                all.extend((0..COPIED).map(|n| from.map_or(0, |from| pointed(from + n))));
            }
            Parameter::Local { .. } => all.extend([1, 1]),
            Parameter::Image => all.extend(&elements(n, turn(n))[ELEMENT..2 * ELEMENT]),
            Parameter::Sampler => {
                if let Some(image) = first_image(parameters) {
                    let edge = addressing(turn(n)) == cl::CL_ADDRESS_CLAMP_TO_EDGE;
                    match edge {
                        true => all.extend(&elements(image, turn(image))[..ELEMENT]),
                        // "If the image channel order is [...] CL_RGBA [...], the border color is (0.0f, 0.0f, 0.0f,
                        // 0.0f)."
                        false => all.extend([0; ELEMENT]),
                    }
                }
            }
        }
    }
    all
}

/// A byte of the buffer that pointers are given.
fn pointed(byte: usize) -> u8 {
    (byte * 5 + byte / 256 * 3 + 11) as u8
}

/// A kernel that is being given its arguments.
struct Given<'a> {
    arguments: &'a Arguments,
    buffer: Slot,
    part: Slot,
    /// Shared virtual memory, if a pointer is one to it.
    shared: Option<Slot>,
    /// For each parameter the images or samplers that it is given in turn; empty for others.
    others: Vec<Vec<Slot>>,
}

impl Given<'_> {
    /// Sets an argument for the turn.
    fn set(&self, kernel: Slot, n: usize, turn: usize) -> Call {
        let parameter = self.arguments.parameters[n];
        let index = n as u32 + 1;
        match parameter {
            Parameter::Value { .. } | Parameter::Bytes(_) => {
                Call::bytes_argument(kernel, index, value(parameter, n, turn))
            }
            Parameter::Pointer { first, second, .. } => {
                // "If the argument is a buffer object, the arg_value pointer can be NULL or point to a NULL value in
                // which case a NULL value will be used as the value for the argument declared as a pointer to global or
                // constant memory in the kernel."
                let pointee = [first, second, Pointee::Buffer][turn];
                if let (Pointee::Shared, Some(shared)) = (pointee, self.shared) {
                    let place = Value::At(shared.at(INSIDE));
                    let arguments = values![kernel, index, place];
                    return Call::new(Function::SetKernelArgSVMPointer, arguments);
                }
                let value = match pointee {
                    Pointee::Null | Pointee::Shared => Value::Null,
                    Pointee::Nothing => Value::List(Class::Object, vec![Value::Null]),
                    Pointee::Buffer => Value::objects([self.buffer]),
                    Pointee::Part => Value::objects([self.part]),
                };
                Call::new(Function::SetKernelArg, values![kernel, index, 8, value])
            }
            Parameter::Local { of, width, count } => {
                // One that is set for nothing is smaller, and one that is set again larger.
                let count = usize::from(count) + [0, MORE, 0][turn];
                let bytes = match turn {
                    2 => of.bytes() * room(width),
                    _ => of.bytes() * room(width) * count,
                };
                Call::new(
                    Function::SetKernelArg,
                    values![kernel, index, bytes, Value::Null],
                )
            }
            Parameter::Image | Parameter::Sampler => {
                Call::object_argument(kernel, index, self.others[n][turn])
            }
        }
    }
}

impl Lowering {
    /// A kernel is given its arguments and enqueued, and again after that.
    pub(super) fn arguments(&mut self, place: Place, arguments: &Arguments) {
        let count = arguments.parameters.len();
        let program = self.own("program", SlotKind::Program);
        self.step(Op::Build {
            program,
            context: place.context,
            of: ProgramOf::Source(source(&arguments.parameters)),
            build: Build {
                std: Some("CL1.2".into()),
                // What a driver knows of the parameters it may look at where arguments are set.
                options: match count.is_multiple_of(2) {
                    true => "-cl-kernel-arg-info".into(),
                    false => String::new(),
                },
                ..Build::default()
            },
        });
        let [buffer, whole, part] =
            ["pointed", "whole", "part"].map(|name| self.own(name, SlotKind::Memory));
        for (slot, bytes) in [(buffer, POINTED), (whole, PART + POINTED)] {
            let contents = Value::Bytes((0..bytes).map(pointed).collect());
            let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
            let made = values![place.context, flags, bytes, contents];
            self.step(Call::new(Function::CreateBuffer, made).makes(slot));
        }
        self.step(Call::sub_buffer(whole, 0.into(), PART, POINTED).makes(part));
        let (queue, kernel) = (
            self.own("queue", SlotKind::Queue),
            self.own("taken", SlotKind::Kernel),
        );
        self.step(super::queue(place, queue));
        self.step(Call::kernel(program, "taken", kernel));
        let others: Vec<Vec<Slot>> = (0..count)
            .map(|n| self.images_and_samplers(place, arguments.parameters[n], n))
            .collect();
        let shared = arguments
            .is_shared()
            .then(|| self.pointed_shared(place, queue));
        let given = Given {
            arguments,
            buffer,
            part,
            shared,
            others,
        };
        for n in arguments.order.iter().map(|n| usize::from(*n)) {
            if n < count {
                if arguments.twice.contains(&(n as u8)) {
                    self.step(given.set(kernel, n, 2));
                }
                self.step(given.set(kernel, n, 0));
            }
        }
        for n in arguments.misfits.iter().map(|n| usize::from(*n)) {
            if let Some(parameter) = arguments.parameters.get(n) {
                self.misfit(kernel, n, *parameter);
            }
        }
        let changed = |n: usize| usize::from(arguments.again.contains(&(n as u8)));
        let again = (0..count).filter(|n| changed(*n) == 1);
        // The first launch is held back until the arguments are set again: it has those of its enqueue.
        let gate = self.own_event("gate");
        self.step(user_event(place.context, gate));
        let mut left = vec![(self.launched(place, queue, kernel, &[gate]), false)];
        self.step(flush(queue));
        let copy = self.own("copy", SlotKind::Kernel);
        if arguments.then.copies() {
            let clone = Call::new(Function::CloneKernel, values![kernel]);
            self.step(clone.makes(copy));
        }
        let heir = self.own("heir", SlotKind::Kernel);
        if arguments.then == Then::Heir {
            let clone = Call::new(Function::CloneKernel, values![copy]);
            self.step(clone.makes(heir));
            // While a user event is awaited nothing is released.
            self.step(set(gate));
            self.release([kernel, copy, program]);
        }
        // The kernel whose arguments are set again, and the other one.
        let (first, other) = match arguments.then {
            Then::Again => (kernel, None),
            Then::Copy => (copy, Some(kernel)),
            Then::Original => (kernel, Some(copy)),
            Then::Heir => (heir, None),
        };
        for n in again {
            self.step(given.set(first, n, 1));
        }
        left.push((self.launched(place, queue, first, &[]), true));
        left.extend(other.map(|other| (self.launched(place, queue, other, &[]), false)));
        if arguments.then != Then::Heir {
            self.step(set(gate));
        }
        for (memory, is_changed) in left {
            let wanted = wanted(&arguments.parameters, |n| match is_changed {
                true => changed(n),
                false => 0,
            });
            let answer = self.builder.answer();
            let to = Value::Answer(answer, wanted.len());
            self.step(Call::read(queue, memory, wanted.len(), to, None));
            let same = Same::new(Unit::Byte, Contents::Bytes(wanted), false);
            let whose = match arguments.then.copies() {
                true => "a kernel that is copied, or its copy,",
                false => "a kernel",
            };
            let behind = if is_changed {
                ", of which some were set again"
            } else {
                ""
            };
            let says = format!("what {whose} got for its arguments{behind}");
            self.must(&says, That::Bytes(answer, Want::Same(same)));
            self.release([memory]);
        }
        match arguments.then {
            Then::Again => self.release([kernel, program]),
            Then::Copy | Then::Original => self.release([copy, kernel, program]),
            Then::Heir => self.release([heir]),
        }
        if let Some(shared) = given.shared {
            self.step(finish(queue));
            let free = values![place.context, Value::Take(shared)];
            self.step(Call::new(Function::SVMFree, free));
        }
        for slot in given.others.into_iter().flatten() {
            self.release([slot]);
        }
        self.release([part, whole, buffer, queue]);
    }

    /// A number or a vector is set with too few bytes: one of three components with the bytes of these alone, any other with
    /// half of its own. "The internal state of kernel may only be modified when that error code is" another.
    fn misfit(&mut self, kernel: Slot, n: usize, parameter: Parameter) {
        let Parameter::Value { of, width } = parameter else {
            return;
        };
        let mut bytes = value(parameter, n, 1);
        bytes.truncate(match width {
            3 => 3 * of.bytes(),
            _ => bytes.len() / 2,
        });
        if bytes.is_empty() {
            return;
        }
        let code = cl::CL_INVALID_ARG_SIZE.value();
        let sentence = "if arg_value points to the data to be used as the kernel argument value and \
                        arg_size does not match the size of the data type for the argument";
        let lanes = match width {
            1 => String::new(),
            n => n.to_string(),
        };
        let says = format!(
            "clSetKernelArg returns {{}} for {} bytes of {}{lanes}",
            bytes.len(),
            of
        );
        let set = Call::bytes_argument(kernel, n as u32 + 1, bytes);
        let mark = self.marked(set.refused(vec![code as i32], sentence));
        self.must(&says, That::Code(mark, Right::Among(vec![code])));
    }

    /// Shared virtual memory with the bytes that pointers point to.
    fn pointed_shared(&mut self, place: Place, queue: Slot) -> Slot {
        let shared = self.own("shared", SlotKind::Svm(place.context));
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE]);
        let arguments = values![place.context, flags, INSIDE + POINTED, 0];
        self.step(Call::new(Function::SVMAlloc, arguments).makes(shared));
        let bytes = Value::Bytes((0..INSIDE + POINTED).map(pointed).collect());
        let of = values![true, Value::At(shared.at(0)), bytes, INSIDE + POINTED];
        self.step(Call::enqueue(
            Function::EnqueueSVMMemcpy,
            queue,
            of,
            &[],
            None,
        ));
        shared
    }

    /// What a parameter is given for each turn, if it is an image or a sampler.
    fn images_and_samplers(&mut self, place: Place, parameter: Parameter, n: usize) -> Vec<Slot> {
        let kind = match parameter {
            Parameter::Image => SlotKind::Memory,
            Parameter::Sampler => SlotKind::Sampler,
            _ => return Vec::new(),
        };
        let mut all = Vec::new();
        for turn in 0..3 {
            let slot = self.own(&format!("given_{n}_{turn}"), kind);
            let call = match parameter {
                Parameter::Image => {
                    let shape = cl::CL_MEM_OBJECT_IMAGE2D;
                    let members = values![shape, WIDTH, WIDTH, 0, 0, 0, 0, 0, 0, Value::Null];
                    let flags = Value::Flags(vec![cl::CL_MEM_READ_ONLY, cl::CL_MEM_COPY_HOST_PTR]);
                    let contents = Value::Bytes(elements(n, turn));
                    super::image(place.context, flags, members, contents, slot)
                }
                _ => Call::new(
                    Function::CreateSampler,
                    values![
                        place.context,
                        false,
                        addressing(turn),
                        cl::CL_FILTER_NEAREST
                    ],
                )
                .makes(slot),
            };
            self.step(call);
            all.push(slot);
        }
        all
    }

    /// Enqueues a kernel that writes to a buffer of its own.
    fn launched(&mut self, place: Place, queue: Slot, kernel: Slot, wait: &[Slot]) -> Slot {
        let memory = self.own("written", SlotKind::Memory);
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let arguments = values![place.context, flags, 4096, Value::Bytes(vec![0; 4096])];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(memory));
        self.step(Call::object_argument(kernel, 0, memory));
        self.step(Call::launch(queue, kernel, 1, wait, None));
        memory
    }

    /// A kernel of these parameters, which does nothing, and its copy: what they answer is asked of all kernels.
    pub(super) fn head(&mut self, place: Place, head: &Head) {
        let attributes = match head.attributes.as_slice() {
            [] => String::new(),
            all => format!("__attribute__(({})) ", all.join(", ")),
        };
        let text = format!(
            "typedef struct {{ int first; int second; }} pair_t;\ntypedef uint4 four_t;\n\
             kernel {attributes}void none({}) {{}}\n",
            head.parameters.join(", ")
        );
        let options = "-cl-kernel-arg-info";
        let program = match head.through_binary {
            Some(_) => {
                let program = self.own("program", SlotKind::Program);
                self.step(Op::Build {
                    program,
                    context: place.context,
                    of: ProgramOf::Source(text),
                    build: Build {
                        options: options.into(),
                        through_binary: head.through_binary,
                        ..Build::default()
                    },
                });
                program
            }
            None => {
                let program = self.source(place.context, &text);
                let [devices, notify, data] = [const { Value::Null }; 3];
                let options = Value::Text(options.into());
                self.step(Call::new(
                    Function::BuildProgram,
                    values![program, 0, devices, options, notify, data],
                ));
                program
            }
        };
        let [kernel, copy] = ["none", "copy"].map(|name| self.own(name, SlotKind::Kernel));
        self.step(Call::kernel(program, "none", kernel));
        // Older implementations lack it, and the slot stays empty.
        let clone = Call::new(Function::CloneKernel, values![kernel]);
        self.step(clone.whatever().makes(copy));
        self.step(self.builder.release(copy).whatever());
        self.release([kernel, program]);
    }
}
