//! Questions to objects in C.

use super::text::{Text, quoted};
use super::{Writer, call, rules};
use crate::host::answers::{Question, QuestionId, TURNS, Wanted};
use crate::host::constant::cl;
use crate::host::function::Class;
use crate::host::value::Value;
use crate::rule;
use std::fmt::Display;

/// Words of a list that are written as an array.
const ARRAY: usize = 16;

/// The functions that questions call.
pub const FUNCTIONS: &str = include_str!("ask.c");

/// Writes a question, and what its answer must be.
pub fn write(writer: &Writer<'_>, id: QuestionId, c: &mut Text) {
    let Some(question) = writer.program.questions.get(id.index()) else {
        return;
    };
    // Here queues are made by whichever function the headers have, with a list or without.
    if question.name() == cl::CL_QUEUE_PROPERTIES_ARRAY.name() {
        return;
    }
    let conditions = conditions(writer, question);
    if !conditions.is_empty() {
        c.open(format!("if ({})", conditions.join(" && ")));
    }
    let arguments = call::values(writer, question.function, &question.of);
    let asked = match question.wanted {
        Wanted::Length(_) | Wanted::Refused(_) => "ASK_LENGTH",
        _ => "ASK",
    };
    c.put(format!(
        "{asked}({}, {});",
        question.function,
        arguments.join(", ")
    ));
    let refusals: Vec<String> = question
        .unless
        .iter()
        .map(|code| format!("said.sized != {code}"))
        .collect();
    if !refusals.is_empty() {
        c.open(format!("if ({})", refusals.join(" && ")));
    }
    expect(writer, question, c);
    if !refusals.is_empty() {
        c.close();
    }
    if !conditions.is_empty() {
        c.close();
    }
}

/// When it is asked.
fn conditions(writer: &Writer<'_>, question: &Question) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(
        question
            .turn
            .map(|turn| format!("run_number % {TURNS}u == {turn}u")),
    );
    if question.since > 100 {
        all.push(format!("version_of(devices[0]) >= {}u", question.since));
    }
    let mut needed = question.needed();
    needed.sort();
    needed.dedup();
    needed.retain(|slot| !writer.sure.contains(slot));
    all.extend(needed.iter().map(|slot| writer.name(*slot).to_string()));
    all
}

fn expect(writer: &Writer<'_>, question: &Question, c: &mut Text) {
    let (of, what) = (
        rules(&[rule::API_ANSWERS]),
        quoted(&question.words(writer.program)),
    );
    let list = |parts: &[String]| {
        let each: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
        format!(
            "(const char *const[]){{ {} }}, {}",
            [each.join(", "), "NULL".into()]
                .join(", ")
                .trim_start_matches(", "),
            parts.len()
        )
    };
    match &question.wanted {
        Wanted::Values(values) => {
            let words = values.iter().map(|(class, value)| match (class, value) {
                (Class::Word, Value::Number(word)) => Some(format!("{word:#x}u")),
                _ => None,
            });
            match words.collect::<Option<Vec<String>>>() {
                Some(words) if words.len() > ARRAY => {
                    c.put(format!(
                        "want((const cl_uint[]){{ {} }}, {});",
                        words.join(", "),
                        4 * words.len()
                    ));
                }
                _ => values
                    .iter()
                    .for_each(|(class, value)| want(writer, *class, value, c)),
            }
            c.call("expect_said", &[&of, &what]);
        }
        Wanted::Objects(slots) => {
            slots
                .iter()
                .for_each(|slot| want(writer, Class::Object, &Value::Slot(*slot), c));
            c.call("expect_objects", &[&of, &what]);
        }
        Wanted::Text(text) => {
            c.put(format!("want({}, {});", quoted(text), text.len() + 1));
            c.call("expect_said", &[&of, &what]);
        }
        Wanted::Begins(start) => c.call("expect_text", &[&of, &what, &quoted(start)]),
        Wanted::Named(names) => c.call("expect_named", &[&of, &what, &list(names)]),
        Wanted::Versions(versions) => {
            let names = versions.some.iter().map(|(name, _)| name.clone());
            let (names, alone) = (list(&names.collect::<Vec<_>>()), i32::from(versions.alone));
            let each = versions
                .some
                .iter()
                .map(|(_, version)| format!("{version:#x}u"));
            let each = array(each.collect());
            let begins = quoted(&versions.begins);
            let arguments: [&dyn Display; 6] = [&of, &what, &begins, &alone, &each, &names];
            c.call("expect_versions", &arguments);
        }
        Wanted::Drawn(all) => {
            let each = all.iter().map(|one| format!("{one:#x}u"));
            let each = array(each.collect());
            c.call("expect_drawn", &[&of, &what, &each, &all.len()]);
        }
        Wanted::Parts(parts) => {
            let mut parts: Vec<String> = parts.clone();
            parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
            c.call("expect_parts", &[&of, &what, &-1, &"' '", &list(&parts)]);
        }
        Wanted::Names(names) => {
            let bytes = question.wanted.length().unwrap_or_default();
            let mut names: Vec<String> = names.clone();
            names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            c.call("expect_parts", &[&of, &what, &bytes, &"';'", &list(&names)]);
        }
        Wanted::Number(bytes, least, most) => {
            let (least, most) = (format!("{least}u"), format!("{most}u"));
            c.call("expect_number", &[&of, &what, bytes, &least, &most]);
        }
        Wanted::Bits(must, may) => {
            let (must, may) = (format!("{must:#x}u"), format!("{may:#x}u"));
            c.call("expect_bits", &[&of, &what, &must, &may]);
        }
        Wanted::Length(bytes) => {
            c.put(format!("(void)is_said({of}, {what}, {bytes});"));
        }
        Wanted::Refused(code) => c.call("expect_no_answer", &[&of, &what, code]),
    }
}

/// An array of numbers.
fn array(mut each: Vec<String>) -> String {
    // None is no array.
    if each.is_empty() {
        each.push("0".into());
    }
    format!("(const cl_ulong[]){{ {} }}", each.join(", "))
}

/// One of the values of an answer.
fn want(writer: &Writer<'_>, class: Class, value: &Value, c: &mut Text) {
    let function = match class {
        Class::Word => "want_word",
        Class::Long => "want_long",
        Class::Object | Class::Pointer | Class::Callback => "want_object",
    };
    let value = call::value(writer, class, value);
    let cast = match class {
        Class::Word => "(cl_uint)",
        Class::Long => "(cl_ulong)",
        Class::Object | Class::Pointer | Class::Callback => "",
    };
    c.put(format!("{function}({cast}({value}));"));
}
