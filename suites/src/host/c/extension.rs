//! The functions of `cl_khr_command_buffer`, and of what builds on it, in C. Libraries need not export them, and older
//! headers declare others of these names or none, so each that a program calls is a function of the program, which asks
//! the platform for it.

use super::text::Text;
use crate::host::function::{Class, Function, Gives, PROPERTIES};
use crate::host::program::HostProgram;
use crate::host::value::Layout;
use std::collections::BTreeSet;

/// How the platform is asked.
const LOOKUP: &str = include_str!("extension.c");

/// The structures of updates.
const LAYOUTS: [Layout; 3] = [
    Layout::UpdatedArgument,
    Layout::UpdatedInfo,
    Layout::KernelUpdate,
];

/// The functions of the extension that a program calls, by itself and to ask and give up its objects.
fn used(program: &HostProgram) -> BTreeSet<Function> {
    let mut used = program.functions();
    used.extend(program.questions.iter().map(|question| question.function));
    let slots = program.slots.iter();
    used.extend(slots.filter_map(|info| info.kind.release()));
    used.retain(|function| function.is_extension());
    used
}

/// Writes the functions that a program calls.
pub fn write(program: &HostProgram, c: &mut Text) {
    let used = used(program);
    if used.is_empty() {
        return;
    }
    c.raw(LOOKUP);
    if used.contains(&Function::UpdateMutableCommandsKHR) {
        LAYOUTS.into_iter().for_each(|layout| structure(layout, c));
    }
    for function in used {
        one(function, c);
    }
}

/// Declares a structure.
fn structure(layout: Layout, c: &mut Text) {
    c.raw(&format!("\n{} {{\n", layout.name()));
    for (name, class) in layout.members() {
        let kind = match class {
            Class::Object | Class::Pointer | Class::Callback => "const void *",
            Class::Word | Class::Long => c_type(*class),
        };
        c.raw(&format!("    {kind}{name};\n"));
    }
    c.raw("};\n");
}

fn one(function: Function, c: &mut Text) {
    let signature = function.signature();
    let makes = match signature.gives {
        Gives::Made => true,
        Gives::Code | Gives::Address | Gives::Nothing => false,
    };
    let result = if makes { "void *" } else { "cl_int " };
    let mut parameters: Vec<(&str, &str)> = signature
        .parameters
        .iter()
        .map(|(name, class)| (*name, c_type(*class)))
        .collect();
    if makes {
        parameters.push(("code", "cl_int *"));
    }
    let list: Vec<String> = parameters
        .iter()
        .map(|(name, kind)| format!("{kind}{name}"))
        .collect();
    c.function(&format!(
        "static inline {result}{function}({})",
        list.join(", ")
    ));
    c.put(format!("void *function = extension(\"{function}\");"));
    let call = |parameters: &[(&str, &str)]| {
        let kinds: Vec<&str> = parameters.iter().map(|(_, kind)| kind.trim_end()).collect();
        let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
        let (kinds, names) = (kinds.join(", "), names.join(", "));
        format!("return (({result}(CL_API_CALL *)({kinds}))function)({names});")
    };
    if function.had_no_properties() {
        let mut without = parameters.clone();
        without.remove(PROPERTIES);
        c.when("!records_with_properties()", call(&without));
    }
    c.put(call(&parameters));
    c.close();
}

/// The type of a parameter, with a blank after it where it is no pointer.
fn c_type(class: Class) -> &'static str {
    match class {
        Class::Object | Class::Pointer | Class::Callback => "void *",
        Class::Word => "cl_uint ",
        Class::Long => "size_t ",
    }
}
