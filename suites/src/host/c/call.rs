//! Calls of the API in C.

use super::text::{Text, quoted};
use super::{Writer, data};
use crate::host::constant::cl;
use crate::host::function::{Class, Function, Gives};
use crate::host::lowered::{MISALIGNED, misaligned};
use crate::host::program::{Call, SlotKind};
use crate::host::value::{Layout, Slot, Value};
use std::fmt::Display;

/// What stands before and after a call.
#[derive(Default)]
struct Around {
    before: Vec<String>,
    condition: Option<String>,
    after: Vec<String>,
}

/// Writes a call; `code` is what it returns, or `NOT_MADE`.
pub fn write(writer: &mut Writer<'_>, call: &Call, c: &mut Text) {
    let mut missing = Vec::new();
    for value in &call.arguments {
        needed(writer, value, &mut missing);
    }
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        c.put("code = NOT_MADE;");
        c.open(format!("if ({})", missing.join(" && ")));
    }
    made(writer, call, c);
    if !missing.is_empty() {
        c.close();
    }
    let mut filled: Vec<Slot> = call.made.into_iter().collect();
    call.each(&mut |value| {
        if let Value::Into(slot) = value {
            filled.push(*slot);
        }
    });
    filled.retain(|slot| !writer.shared || !writer.uses.taken.contains(slot));
    if call.expect.codes == [0] {
        writer.sure.extend(filled);
    }
    if let Some(slot) = taken(call) {
        writer.sure.remove(&slot);
    }
}

/// The slot of which it takes the program's reference.
fn taken(call: &Call) -> Option<Slot> {
    call.arguments.iter().find_map(|value| match value {
        Value::Take(slot) => Some(*slot),
        _ => None,
    })
}

/// What must be there before the call is made, as conditions.
fn needed(writer: &Writer<'_>, value: &Value, missing: &mut Vec<String>) {
    let mut slots = Vec::new();
    // What is taken in a program of several threads is looked at where it is taken.
    if !(writer.shared && matches!(value, Value::Take(_))) {
        value.needed(&mut slots);
    }
    slots.retain(|slot| !writer.sure.contains(slot));
    missing.extend(slots.iter().map(|slot| writer.name(*slot).to_string()));
    value.each(&mut |value| {
        if let Value::Answered(id) | Value::Number32(id) = value {
            missing.push(format!("answers[{id}].there"));
        }
    });
}

/// The call itself, with what stands around it.
fn made(writer: &Writer<'_>, call: &Call, c: &mut Text) {
    let row = call.function.signature();
    let mut around = Around::default();
    let plain = plain_queue(call);
    let mut arguments: Vec<String> = Vec::new();
    for (n, (value, (name, class))) in call.arguments.iter().zip(row.parameters).enumerate() {
        let context = Parameter {
            writer,
            function: call.function,
            name,
            class: *class,
            n,
        };
        arguments.push(match plain {
            Some(Value::Null) if n == 2 => "0".into(),
            Some(flags) if n == 2 => context.expression(flags),
            _ => context.argument(value, &mut around),
        });
    }
    if row.gives == Gives::Made {
        arguments.push(if call.silent { "NULL" } else { "&code" }.into());
    }
    let function = plain.map_or(row.name, |_| "new_queue");
    let block = !around.before.is_empty();
    if block {
        c.open("");
        around.before.iter().for_each(|line| c.put(line));
    }
    if let Some(condition) = &around.condition {
        c.put("code = NOT_MADE;");
        c.open(format!("if ({condition})"));
    }
    let slot = call.made.map(|slot| writer.name(slot));
    let result = match (row.gives, slot) {
        (Gives::Code, _) => "code = ".into(),
        (Gives::Nothing, _) => String::new(),
        (Gives::Made | Gives::Address, Some(name)) => format!("{name} = "),
        (Gives::Made | Gives::Address, None) => "(void)".into(),
    };
    let arguments: Vec<&dyn Display> = arguments.iter().map(|a| a as &dyn Display).collect();
    c.call(&format!("{result}{function}"), &arguments);
    if let (Some(items), [queue, kernel, ..]) = (call.launched_group(), &arguments[..])
        && items > 1
    {
        c.put(format!("need_group(code, {queue}, {kernel}, {items});"));
    }
    match (row.gives, slot) {
        (Gives::Made, Some(name)) if call.silent => {
            c.put(format!("code = {name} ? CL_SUCCESS : CL_INVALID_VALUE;"));
        }
        (Gives::Code | Gives::Made, _) => {}
        (Gives::Address, Some(name)) => {
            c.put(format!("code = {name} ? CL_SUCCESS : CL_INVALID_VALUE;"));
            if let Some((_, alignment)) = call.alignment() {
                c.put(format!("if ((uintptr_t){name} % {alignment}u != 0)"));
                let rules = super::rules(&MISALIGNED);
                let what = quoted(&misaligned(name, alignment));
                c.call("    violation", &[&rules, &"\"%s\"", &what]);
            }
        }
        (Gives::Address | Gives::Nothing, _) => c.put("code = CL_SUCCESS;"),
    }
    around.after.iter().for_each(|line| c.put(line));
    if let Some(slot) = taken(call).filter(|_| !writer.shared) {
        let name = writer.name(slot);
        c.when("code == CL_SUCCESS", format!("{name} = NULL;"));
    }
    if around.condition.is_some() {
        c.close();
    }
    if block {
        c.close();
    }
    for value in &call.arguments {
        if let Value::Answer(id, _) = value {
            c.put(format!("answered({id}, code);"));
        }
    }
}

/// Values as the first arguments of a function.
pub fn values(writer: &Writer<'_>, function: Function, values: &[Value]) -> Vec<String> {
    let parameters = function.signature().parameters;
    let argument = |(n, (value, (name, class))): (usize, (&Value, &(&'static str, Class)))| {
        let parameter = Parameter {
            writer,
            function,
            name,
            class: *class,
            n,
        };
        parameter.expression(value)
    };
    values
        .iter()
        .zip(parameters)
        .enumerate()
        .map(argument)
        .collect()
}

/// A value of a class, by itself.
pub fn value(writer: &Writer<'_>, class: Class, value: &Value) -> String {
    let parameter = Parameter {
        writer,
        function: Function::GetPlatformIDs,
        name: "",
        class,
        n: 0,
    };
    parameter.element_of(class, value)
}

/// The flags of a queue that can be made before OpenCL 2.0, too, by another function.
pub fn plain_queue(call: &Call) -> Option<&Value> {
    if call.function != Function::CreateCommandQueueWithProperties || call.expect.refused() {
        return None;
    }
    let properties = call.arguments.get(2)?;
    match properties {
        Value::Null => Some(properties),
        Value::List(Class::Long, list) => match list.as_slice() {
            [Value::Constant(name), flags, Value::Number(0)] => {
                let on_device =
                    matches!(flags, Value::Flags(all) if all.contains(&cl::CL_QUEUE_ON_DEVICE));
                (*name == cl::CL_QUEUE_PROPERTIES && !on_device).then_some(flags)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A parameter that gets an argument.
struct Parameter<'w> {
    writer: &'w Writer<'w>,
    function: Function,
    name: &'static str,
    class: Class,
    n: usize,
}

impl Around {
    /// What a slot gets where the call succeeds, or else.
    fn then(&mut self, when: &str, name: &str, value: &str) {
        self.after.push(format!(
            "if (code {when} CL_SUCCESS)\n    {name} = {value};"
        ));
    }
}

impl Parameter<'_> {
    /// The argument, with variables of its own where it needs some.
    fn argument(&self, value: &Value, around: &mut Around) -> String {
        let own = format!("its_{}_{}", self.name, self.n);
        let variable = |slot: &Slot| (self.writer.kind(*slot).c_type(), self.writer.name(*slot));
        match value {
            Value::Into(slot) if self.writer.shared => {
                let (kind, name) = variable(slot);
                around.before.push(format!("{kind} {own} = NULL;"));
                around.then("==", name, &own);
                format!("&{own}")
            }
            Value::Take(slot) if self.writer.shared => {
                let (kind, name) = variable(slot);
                let line = match kind {
                    "cl_event" => format!("{kind} {own} = atomic_exchange(&{name}, NULL);"),
                    _ => format!("{kind} {own} = {name};\n{name} = NULL;"),
                };
                around.before.push(line);
                around.condition = Some(own.clone());
                around.then("!=", name, &own);
                own
            }
            Value::List(class, all) if self.kept(*class, all) => {
                let (kind, list) = (self.element(*class, all), self.elements(*class, all));
                around.before.push(format!("{kind}{own}[] = {{ {list} }};"));
                for (n, value) in all.iter().enumerate() {
                    if let Value::Into(slot) = value {
                        let (_, name) = variable(slot);
                        around.then("==", name, &format!("{own}[{n}]"));
                    }
                }
                if *class == Class::Pointer {
                    let zero = format!("memset({own}, 0, sizeof {own});");
                    let after = format!("{zero} /* it is the caller's again */");
                    around.after.push(after);
                    return format!("(void *){own}");
                }
                own
            }
            value => self.expression(value),
        }
    }

    /// Whether a list has a variable of its own: what is left in it is looked at, or it is overwritten when
    /// the call has returned.
    fn kept(&self, class: Class, all: &[Value]) -> bool {
        let enqueues = self.function.name().starts_with("clEnqueue");
        let fills = all.iter().any(|v| matches!(v, Value::Into(_)));
        fills || (enqueues && class == Class::Pointer)
    }

    /// An argument that is an expression.
    fn expression(&self, value: &Value) -> String {
        let writer = self.writer;
        match value {
            Value::Null if matches!(self.class, Class::Word | Class::Long) => "0".into(),
            Value::Null => "NULL".into(),
            Value::Number(n) => number(*n),
            Value::Constant(constant) => constant.name().to_string(),
            Value::Flags(all) if all.is_empty() => "0".into(),
            Value::Flags(all) => {
                let names: Vec<&str> = all.iter().map(|constant| constant.name()).collect();
                names.join(" | ")
            }
            Value::Slot(slot) | Value::Take(slot) => self.object(*slot),
            Value::Into(slot) => format!("&{}", writer.name(*slot)),
            Value::At(place) => writer.place(*place),
            Value::List(class, all) => {
                let (kind, list) = (self.element(*class, all), self.elements(*class, all));
                let cast = if kind == "void *" || self.name == "binaries" {
                    "(void *)"
                } else {
                    ""
                };
                format!("{cast}({}[]){{ {list} }}", kind.trim_end())
            }
            Value::Struct(layout, all) => {
                let each = all.chunks(layout.members().len());
                let each: Vec<String> = each.map(|all| self.structure(*layout, all)).collect();
                match each.as_slice() {
                    [one] => format!("&({}){one}", layout.name()),
                    each => format!("({}[]){{ {} }}", layout.name(), each.join(", ")),
                }
            }
            Value::Bytes(bytes) => of_bytes(bytes),
            Value::Text(text) => quoted(text),
            Value::Token(by, cell) => {
                format!("pattern_of(token({}))", data::token(*by, *cell))
            }
            Value::Answer(id, bytes) => format!("answer({id}, {bytes})"),
            Value::Answered(id) => format!("answers[{id}].bytes"),
            Value::Number32(id) => format!("(cl_uint)number({id})"),
            Value::Within { argument: of, byte } => {
                let parameters = self.function.signature().parameters;
                let name = parameters
                    .get(usize::from(*of))
                    .map_or("", |(name, _)| name);
                format!("(unsigned char *)its_{name}_{of} + {byte}")
            }
            Value::Callback(id) => format!("callback_{id}"),
            Value::Data(_) => "THIS_RUN".into(),
        }
    }

    /// The initializer of a structure.
    fn structure(&self, layout: Layout, all: &[Value]) -> String {
        let mut list = Vec::new();
        for ((name, class), value) in layout.members().iter().zip(all) {
            if !matches!(value, Value::Null | Value::Number(0)) {
                list.push(format!(".{name} = {}", self.element_of(*class, value)));
            }
        }
        if list.is_empty() {
            list.push("0".into());
        }
        format!("{{ {} }}", list.join(", "))
    }

    /// An object; of another kind than the function takes, it is cast.
    fn object(&self, slot: Slot) -> String {
        let kind = self.writer.kind(slot);
        let name = self.writer.name(slot);
        let wanted = SlotKind::of_parameter(self.function, self.name, self.class);
        match self.class {
            Class::Object if wanted != Some(kind) => format!("(void *){name}"),
            _ => name.to_string(),
        }
    }

    /// The type of a list's elements; one that is no pointer to others ends with a blank.
    fn element(&self, class: Class, all: &[Value]) -> String {
        let properties = self.name == "properties";
        let kind = match class {
            Class::Object => {
                let object = |value: &Value| match value {
                    Value::Slot(slot) | Value::Take(slot) | Value::Into(slot) => {
                        Some(self.writer.kind(*slot)).filter(|kind| kind.is_object())
                    }
                    _ => None,
                };
                all.iter()
                    .find_map(object)
                    .map_or("void *", SlotKind::c_type)
            }
            Class::Word => "cl_uint",
            Class::Long if !properties => "size_t",
            Class::Long => match self.function {
                Function::CreateCommandQueueWithProperties => "cl_queue_properties",
                Function::CreateSamplerWithProperties => "cl_sampler_properties",
                Function::CreatePipe => "cl_pipe_properties",
                Function::CreateSubDevices => "cl_device_partition_property",
                Function::CreateBufferWithProperties | Function::CreateImageWithProperties => {
                    "cl_mem_properties"
                }
                Function::CreateCommandBufferKHR | Function::CommandNDRangeKernelKHR => "cl_ulong",
                _ => "cl_context_properties",
            },
            Class::Pointer | Class::Callback => match all.first() {
                Some(Value::Text(_)) => "const char *",
                _ => "void *",
            },
        };
        let blank = if kind.ends_with('*') { "" } else { " " };
        format!("{kind}{blank}")
    }

    /// The elements of a list; an object of another kind than its element type is cast.
    fn elements(&self, class: Class, all: &[Value]) -> String {
        let kind = self.element(class, all);
        let element = |value: &Value| match (class, value) {
            (Class::Object, Value::Slot(slot) | Value::Take(slot))
                if self.writer.kind(*slot).c_type() != kind.trim_end() =>
            {
                format!("(void *){}", self.writer.name(*slot))
            }
            _ => self.element_of(class, value),
        };
        let all: Vec<String> = all.iter().map(element).collect();
        all.join(", ")
    }

    fn element_of(&self, class: Class, value: &Value) -> String {
        let own = Parameter {
            writer: self.writer,
            function: self.function,
            name: "",
            class,
            n: self.n,
        };
        match (class, value) {
            (Class::Object | Class::Pointer, Value::Slot(slot) | Value::Take(slot)) => {
                self.writer.name(*slot).to_string()
            }
            (Class::Long, Value::Slot(slot)) => {
                format!("(cl_context_properties){}", self.writer.name(*slot))
            }
            (_, Value::Into(_)) => "NULL".into(),
            (Class::Pointer, Value::Number(n)) => format!("(void *){}", number(*n)),
            (Class::Word, Value::Token(by, cell)) => {
                format!("token({})", data::token(*by, *cell))
            }
            (_, value) => own.expression(value),
        }
    }
}

/// A number; the negative ones are those that a signed parameter has.
fn number(n: u64) -> String {
    match n as i64 {
        n if n > i64::from(i32::MAX) => format!("{n}u"),
        n => n.to_string(),
    }
}

/// The address of bytes.
fn of_bytes(bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    match *bytes {
        [] => "NULL".into(),
        [a, b, c, d] => format!("&(cl_uint){{ {}u }}", u32::from_ne_bytes([a, b, c, d])),
        _ => format!("(cl_uchar[]){{ {} }}", list.join(", ")),
    }
}
