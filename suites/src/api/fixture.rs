//! The objects that refused calls are made with: `rules/fixture.yaml`, and what outlives a run.
//!
//! [`Objects`] makes those that calls name, and what these need, in a [`Builder`], and turns calls that are texts
//! into calls of the host program.

use super::call::{Argument, CallText};
use crate::host::{
    Build, Builder, Call, CallbackId, CallbackOf, Class, Constant, Fixture, Function, Layout,
    ProgramOf, Slot, SlotKind, Value,
};
use crate::kernels::generate::specializable;
use classay_vocabulary::Need;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Bytes of the buffers that calls are made with.
pub const BYTES: usize = 1024;

/// The kernels of every program of the fixture.
const SOURCE: &str = "
kernel void k(global int *p, int v, local int *l, constant int *c) {
    l[0] = v;
    p[get_global_id(0)] = l[0] + c[0];
}
kernel void other() {}
";

/// One more kernel, for a program of its own: a device whose groups are smaller need not build it.
const EIGHT: &str = "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight() {}\n";

/// A kernel of images and a sampler, for devices that have them.
const IMAGES: &str =
    "kernel void images(read_only image2d_t from, write_only image2d_t to, sampler_t how) {}\n";

/// Kernels of a device queue and of a pipe, which are no part of OpenCL C 1.2.
const QUEUED: &str = "kernel void queued(queue_t q) {}\n";
const PIPED: &str = "kernel void piped(read_only pipe int from) {}\n";

/// An object.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    name: String,
    kind: Kind,
    #[serde(default)]
    bytes: usize,
    make: Option<CallText>,
    #[serde(default)]
    then: Vec<CallText>,
    /// What is made along with it: the state in which calls find it.
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    needs: BTreeSet<Need>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Queue,
    Memory,
    Sampler,
    Program,
    Kernel,
    Event,
    CommandBuffer,
    MutableCommand,
    Svm,
    Address,
    Host,
}

/// What outlives a run.
#[derive(Debug, Clone, Copy)]
enum Lasting {
    Platform,
    Device(u8),
    /// A context of so many devices, and its number.
    Context(u8, u8),
    /// A program of a context, and how its source ends: two programs of one source are two fixtures. It is one of
    /// OpenCL C 1.2, in which all work-groups of an ND-range are of one size.
    Program(&'static str, &'static str),
    /// The same of the latest OpenCL C of the device.
    Late(&'static str, &'static str),
    /// A program of a module of a context that has one specialization constant, the number of which is 1.
    Specializable(&'static str),
}

const LASTING: [(&str, Lasting); 16] = [
    ("platform", Lasting::Platform),
    ("device", Lasting::Device(0)),
    ("other_device", Lasting::Device(1)),
    ("context", Lasting::Context(1, 0)),
    ("foreign_context", Lasting::Context(1, 1)),
    ("pair_context", Lasting::Context(2, 0)),
    ("program", Lasting::Program("context", "")),
    (
        "idle_program",
        Lasting::Program("context", "/* without a kernel object */\n"),
    ),
    ("sized_program", Lasting::Program("context", EIGHT)),
    ("image_program", Lasting::Program("context", IMAGES)),
    (
        "latest_program",
        Lasting::Late("context", "/* of the latest language */\n"),
    ),
    ("queue_program", Lasting::Late("context", QUEUED)),
    ("pipe_program", Lasting::Late("context", PIPED)),
    ("module_program", Lasting::Specializable("context")),
    ("foreign_program", Lasting::Program("foreign_context", "")),
    ("pair_program", Lasting::Program("pair_context", "")),
];

fn lasting(name: &str) -> Option<Lasting> {
    let found = LASTING.iter().find(|(known, _)| *known == name);
    found.map(|(_, lasting)| *lasting)
}

/// Functions of the program that calls are given.
const CALLBACKS: [&str; 3] = ["event_called", "object_called", "native"];

fn all() -> &'static [Object] {
    static ALL: OnceLock<Vec<Object>> = OnceLock::new();
    // The file is part of the program, and a test reads it.
    ALL.get_or_init(|| read().unwrap_or_default())
}

fn read() -> Result<Vec<Object>, String> {
    serde_saphyr::from_str(include_str!("../../rules/fixture.yaml")).map_err(|e| e.to_string())
}

/// The object of this name, where the file has it.
fn find(name: &str) -> Option<&'static Object> {
    all().iter().find(|object| object.name == name)
}

/// What an object needs of the device.
pub fn needs(name: &str) -> Vec<Need> {
    match name {
        "other_device" | "pair_context" | "pair_program" => vec![Need::Devices(2)],
        "sized_program" => vec![Need::WorkGroupSize(8)],
        "image_program" => vec![Need::ImageObjects, Need::Images],
        "queue_program" => vec![Need::DeviceEnqueue],
        "pipe_program" => vec![Need::Pipes],
        "module_program" => vec![Need::Il, Need::Bits64],
        _ => find(name).map_or(Vec::new(), |object| object.needs.iter().copied().collect()),
    }
}

/// What kind of thing a name of a call stands for; `None` where it stands for nothing.
pub fn kind(name: &str) -> Option<SlotKind> {
    if CALLBACKS.contains(&name) {
        return Some(SlotKind::Address);
    }
    match lasting(name) {
        Some(Lasting::Platform) => return Some(SlotKind::Platform),
        Some(Lasting::Device(_)) => return Some(SlotKind::Device),
        Some(Lasting::Context(..)) => return Some(SlotKind::Context),
        Some(Lasting::Program(..) | Lasting::Late(..) | Lasting::Specializable(_)) => {
            return Some(SlotKind::Program);
        }
        None => {}
    }
    let object = find(name)?;
    let bytes = object.bytes;
    Some(match object.kind {
        Kind::Queue => SlotKind::Queue,
        Kind::Memory => SlotKind::Memory,
        Kind::Sampler => SlotKind::Sampler,
        Kind::Program => SlotKind::Program,
        Kind::Kernel => SlotKind::Kernel,
        Kind::Event => SlotKind::Event,
        Kind::CommandBuffer => SlotKind::CommandBuffer,
        Kind::MutableCommand => SlotKind::MutableCommand,
        Kind::Svm | Kind::Address => SlotKind::Address,
        Kind::Host => SlotKind::Host { bytes },
    })
}

/// What is made along with an object: a program has a kernel, so that it cannot be built again.
fn along(name: &str) -> impl Iterator<Item = &'static str> {
    let of_program = (name == "program").then_some("bare");
    let object = find(name).into_iter();
    of_program
        .into_iter()
        .chain(object.flat_map(|object| object.with.iter().map(String::as_str)))
}

/// These objects and those that are made with them, in the order in which they are made.
pub fn closure(names: Vec<&str>) -> Vec<&str> {
    fn add<'n>(name: &'n str, all: &mut Vec<&'n str>) {
        if all.contains(&name) {
            return;
        }
        if let Some(object) = find(name) {
            object.needed().for_each(|other| add(other, all));
        }
        all.push(name);
        along(name).for_each(|other| add(other, all));
    }
    let mut all = Vec::new();
    names.into_iter().for_each(|name| add(name, &mut all));
    all
}

/// The programs among these objects and those that are made with them, by their names.
pub fn programs(names: Vec<&str>) -> Vec<String> {
    let all = closure(names).into_iter();
    let mut programs: Vec<String> = all
        .filter(|name| kind(name) == Some(SlotKind::Program))
        .map(String::from)
        .collect();
    programs.sort();
    programs
}

impl Object {
    /// The objects that it is made with.
    fn needed(&self) -> impl Iterator<Item = &str> {
        let calls = self.make.iter().chain(&self.then);
        let all = calls.flat_map(CallText::objects);
        all.filter(|other| *other != self.name)
    }
}

/// The queues of the host among slots of these names.
pub fn queues(slots: &BTreeMap<String, Slot>) -> impl Iterator<Item = Slot> {
    let queues = slots
        .iter()
        .filter(|(name, _)| kind(name) == Some(SlotKind::Queue) && *name != "device_queue");
    queues.map(|(_, slot)| *slot)
}

/// The objects of a host program that is being written, made as calls name them.
pub struct Objects<'b> {
    /// The program.
    pub builder: &'b mut Builder,
    /// The slots of what is made.
    pub slots: BTreeMap<String, Slot>,
    callbacks: BTreeMap<String, CallbackId>,
}

impl<'b> Objects<'b> {
    /// None yet.
    pub fn of(builder: &'b mut Builder) -> Objects<'b> {
        Objects {
            builder,
            slots: BTreeMap::new(),
            callbacks: BTreeMap::new(),
        }
    }

    /// Makes an object where it is not made yet, and what it needs.
    ///
    /// # Errors
    /// One sentence where there is no such object.
    pub fn make(&mut self, name: &str) -> Result<Slot, String> {
        if let Some(slot) = self.slots.get(name) {
            return Ok(*slot);
        }
        let slot = match lasting(name) {
            Some(lasting) => {
                let fixture = self.fixture(lasting)?;
                let slot = self.builder.fixture(name, fixture);
                self.slots.insert(name.to_string(), slot);
                slot
            }
            None => match self.object(name)? {
                (slot, true) => slot,
                (slot, false) => return Ok(slot),
            },
        };
        for other in along(name) {
            self.make(other)?;
        }
        Ok(slot)
    }

    /// Makes an object of a run, and says whether it was not made along with what it needs.
    fn object(&mut self, name: &str) -> Result<(Slot, bool), String> {
        let object = find(name).ok_or_else(|| format!("there is no object \"{name}\""))?;
        let kind = match (object.kind, kind(name)) {
            (Kind::Svm, _) => SlotKind::Svm(self.make("context")?),
            (_, Some(kind)) => kind,
            (_, None) => return Err(format!("there is no object \"{name}\"")),
        };
        for other in object.needed() {
            self.make(other)?;
        }
        if let Some(slot) = self.slots.get(name) {
            return Ok((*slot, false));
        }
        let slot = self.builder.slot(name, kind);
        self.slots.insert(name.to_string(), slot);
        if let Some(make) = &object.make {
            let mut call = self.call(make)?;
            let into = |argument: &Argument| matches!(argument, Argument::Into(_));
            if !make.arguments.iter().any(into) {
                call = call.makes(slot);
            }
            self.builder.begin(call);
        }
        for call in &object.then {
            let call = self.call(call)?;
            self.builder.begin(call);
        }
        Ok((slot, true))
    }

    fn fixture(&mut self, lasting: Lasting) -> Result<Fixture, String> {
        Ok(match lasting {
            Lasting::Platform => Fixture::Platform,
            Lasting::Device(n) => Fixture::Device(n),
            Lasting::Context(devices, number) => Fixture::Context { devices, number },
            Lasting::Program(context, end) => self.program(context, end, Some("CL1.2"))?,
            Lasting::Late(context, end) => self.program(context, end, None)?,
            Lasting::Specializable(context) => Fixture::Program {
                context: self.make(context)?,
                of: ProgramOf::Module(specializable()),
                build: Build::default(),
            },
        })
    }

    fn program(&mut self, context: &str, end: &str, std: Option<&str>) -> Result<Fixture, String> {
        Ok(Fixture::Program {
            context: self.make(context)?,
            of: ProgramOf::Source(format!("{SOURCE}{end}")),
            build: Build {
                std: std.map(String::from),
                ..Build::default()
            },
        })
    }

    /// The call of a text; its objects are made where they are not yet.
    ///
    /// # Errors
    /// One sentence where it names something that there is not.
    pub fn call(&mut self, text: &CallText) -> Result<Call, String> {
        let parameters = text.function.signature().parameters.iter();
        let all = parameters.zip(&text.arguments);
        let arguments: Result<Vec<Value>, String> = all
            .map(|((name, _), argument)| self.value(text.function, name, argument))
            .collect();
        Ok(Call::new(text.function, arguments?))
    }

    fn value(
        &mut self,
        function: Function,
        parameter: &str,
        argument: &Argument,
    ) -> Result<Value, String> {
        Ok(match argument {
            Argument::Null => Value::Null,
            Argument::Number(n) => Value::Number(*n),
            Argument::Constants(names) => {
                let all: Vec<Constant> = names.iter().filter_map(|n| Constant::find(n)).collect();
                match all.as_slice() {
                    [one] => Value::Constant(*one),
                    _ => Value::Flags(all),
                }
            }
            Argument::Object(name, _) if CALLBACKS.contains(&name.as_str()) => {
                Value::Callback(self.callback(name)?)
            }
            Argument::Object(name, 0) => Value::Slot(self.make(name)?),
            Argument::Object(name, byte) => Value::At(self.make(name)?.at(*byte)),
            Argument::Into(name) => Value::Into(self.make(name)?),
            Argument::List(values) => {
                let class = match parameter {
                    "types" => Class::Word,
                    _ => class(values),
                };
                let layout = layout(function, parameter);
                let members = layout.map_or(&[][..], Layout::members);
                let mut members = members.iter().map(|(name, _)| *name).cycle();
                let inside = match parameter {
                    "updates" => "update",
                    other => other,
                };
                let values: Result<Vec<Value>, String> = values
                    .iter()
                    .map(|value| self.value(function, members.next().unwrap_or(inside), value))
                    .collect();
                match layout {
                    Some(layout) => Value::Struct(layout, values?),
                    None => Value::List(class, values?),
                }
            }
            Argument::Text(text) => Value::Text(text.clone()),
            Argument::Room(bytes) => Value::Answer(self.builder.answer(), *bytes),
            Argument::Zeros(bytes) => Value::Bytes(vec![0; *bytes]),
        })
    }

    fn callback(&mut self, name: &str) -> Result<CallbackId, String> {
        if let Some(callback) = self.callbacks.get(name) {
            return Ok(*callback);
        }
        let of = match name {
            "event_called" => CallbackOf::Event(self.make("done")?),
            "native" => CallbackOf::Native {
                slots: Vec::new(),
                numbers: 0,
            },
            _ => CallbackOf::Context,
        };
        let callback = self.builder.callback(of, Vec::new());
        self.callbacks.insert(name.to_string(), callback);
        Ok(callback)
    }
}

/// The structure that a parameter points to.
fn layout(function: Function, parameter: &str) -> Option<Layout> {
    match parameter {
        "format" => Some(Layout::ImageFormat),
        "desc" => Some(Layout::ImageDesc),
        "info" if function == Function::CreateSubBuffer => Some(Layout::BufferRegion),
        "update" => Some(Layout::KernelUpdate),
        "arg_list" | "arg_svm_list" => Some(Layout::UpdatedArgument),
        "exec_info_list" => Some(Layout::UpdatedInfo),
        _ => None,
    }
}

/// How values of a list are passed: objects, addresses, or numbers of 64 bits, as sizes and properties are.
fn class(values: &[Argument]) -> Class {
    let is_pointer = |value: &Argument| match value {
        Argument::Object(name, byte) => *byte > 0 || !kind(name).is_some_and(SlotKind::is_object),
        Argument::Null | Argument::Text(_) | Argument::List(_) => true,
        _ => false,
    };
    let is_object = |value: &Argument| matches!(value, Argument::Object(..) | Argument::Null);
    if values.iter().all(is_pointer) {
        Class::Pointer
    } else if values.iter().all(is_object) {
        Class::Object
    } else {
        Class::Long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_of_the_file_is_made_once_with_what_it_needs() {
        let objects = read().expect("the file can be read");
        for object in &objects {
            let mut builder = Builder::default();
            let made = Objects::of(&mut builder).make(&object.name);
            made.expect("it is made");
            let program = builder.finish();
            let mut names: Vec<&str> = program.slots.iter().map(|s| s.name.as_str()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), program.slots.len(), "{}", object.name);
            assert!(
                object.kind == Kind::Host || !program.begin.is_empty(),
                "{}",
                object.name
            );
        }
        for (name, _) in LASTING {
            let mut builder = Builder::default();
            let made = Objects::of(&mut builder).make(name);
            made.expect("it is made");
            let calls = builder.finish().begin.len();
            assert_eq!(calls, along(name).count(), "{name}");
        }
        let mut builder = Builder::default();
        assert!(Objects::of(&mut builder).make("nothing").is_err());
    }

    #[test]
    fn lists_are_passed_as_what_they_hold() {
        let class_of = |text: &str| {
            let call: CallText = format!("clWaitForEvents(1, {text})")
                .parse()
                .expect("a call");
            match &call.arguments[1] {
                Argument::List(values) => class(values),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(class_of("{done, NULL}"), Class::Object);
        assert_eq!(class_of("{svm + 1}"), Class::Pointer);
        assert_eq!(class_of("{\"text\", NULL}"), Class::Pointer);
        assert_eq!(class_of("{CL_CONTEXT_PLATFORM, platform, 0}"), Class::Long);
        assert_eq!(class_of("{0, 61, 0}"), Class::Long);
    }
}
