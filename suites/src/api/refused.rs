//! Calls that the specification refuses, from `rules/refused/*.yaml`: one row a call, with the codes that it may return
//! and the sentence that refuses it.
//!
//! A row holds for every implementation that offers what it needs. Where the text gives several reasons to refuse a
//! call and does not order them, the row has the code of each. What one implementation promises beyond the text is the
//! business of its own tests.

use super::call::{Argument, CallText};
use super::fixture::{self, Objects};
use crate::host::constant::cl;
use crate::host::{Builder, Class, Constant, Function, SlotKind};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

/// A call that must be refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// The call.
    pub call: CallText,
    /// What it may return: mostly one code.
    pub codes: Vec<Code>,
    /// The sentence of the specification that refuses it.
    pub sentence: String,
    /// The rule that it is about, besides that of all errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleId>,
    /// What it needs besides what its function and its objects need.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub needs: BTreeSet<Need>,
}

/// An error code, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code(Constant);

impl Code {
    /// Its number.
    pub fn number(self) -> i32 {
        self.0.value() as i32
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Code> for String {
    fn from(code: Code) -> String {
        code.to_string()
    }
}

impl TryFrom<String> for Code {
    type Error = String;

    fn try_from(name: String) -> Result<Code, String> {
        let code = Constant::find(&name).filter(|code| code.value() < 0);
        code.map(Code)
            .ok_or_else(|| format!("\"{name}\" is no error code"))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
    }
}

impl Refused {
    /// The numbers of its codes.
    pub fn numbers(&self) -> Vec<i32> {
        self.codes.iter().map(|code| code.number()).collect()
    }

    /// The rules that say so, the main one first.
    pub fn rules(&self) -> Vec<RuleId> {
        let errors = Some(rule::API_ERRORS).filter(|all| self.rule != Some(*all));
        self.rule.into_iter().chain(errors).collect()
    }

    /// Whether there is all that the call names.
    ///
    /// # Errors
    /// One sentence that says what there is not.
    pub fn valid(&self) -> Result<(), String> {
        if self.codes.is_empty() {
            return Err(format!("{self} has no code to be refused with"));
        }
        let mut builder = Builder::default();
        let call = Objects::of(&mut builder).call(&self.call);
        call.map(drop)
    }

    /// Whether it may be refused with this code.
    fn says(&self, code: Constant) -> bool {
        self.codes.iter().any(|own| own.0 == code)
    }

    /// Whether it is about a failure, after which its context may do anything.
    pub fn fails(&self) -> bool {
        self.says(cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    }

    /// Whether it needs a command that is held back.
    pub fn holds(&self) -> bool {
        fixture::closure(self.call.objects()).contains(&"gate")
    }

    /// Whether its function releases something else than events, which must not even be tried while a command is held
    /// back by a user event (clSetUserEventStatus).
    pub fn releases(&self) -> bool {
        let function = self.call.function;
        function != Function::ReleaseEvent && function.signature().name.starts_with("clRelease")
    }

    /// Whether it is made with an event that has failed, which may take the context with it.
    pub fn has_failed(&self) -> bool {
        fixture::closure(self.call.objects()).contains(&"failed")
    }

    /// What it needs of the device.
    pub fn all_needs(&self) -> BTreeSet<Need> {
        let objects = fixture::closure(self.call.objects());
        let mut needs: BTreeSet<Need> = objects.into_iter().flat_map(fixture::needs).collect();
        needs.extend(self.needs.iter().copied());
        needs.extend(of_function(self.call.function));
        needs
    }

    /// Whether it passes NULL or an object of another type where an object belongs. The text says how such a call is
    /// refused, yet one that is not refused may end the process, so it shares a case with few others.
    pub fn is_strange(&self) -> bool {
        let function = self.call.function;
        let parameters = function.signature().parameters.iter();
        let mut all = parameters.zip(&self.call.arguments);
        // The value of an argument that is an object, and not the size of local memory.
        let is_argument = function == Function::SetKernelArg && !self.says(cl::CL_INVALID_ARG_SIZE);
        if function.updates() && self.says(cl::CL_INVALID_MUTABLE_COMMAND_KHR) {
            return true;
        }
        if is_argument && self.call.arguments.last() == Some(&Argument::Null) {
            return true;
        }
        all.any(|((name, class), argument)| {
            let none = *class == Class::Object && *argument == Argument::Null;
            SlotKind::of_parameter(function, name, *class)
                .is_some_and(|wanted| none || strange(argument, wanted))
        })
    }
}

/// Whether an argument names an object of another kind than belongs there.
fn strange(argument: &Argument, wanted: SlotKind) -> bool {
    if let Argument::Object(name, _) = argument {
        fixture::kind(name).is_some_and(|kind| kind.is_object() && kind != wanted)
    } else if let Argument::List(values) = argument {
        values.iter().any(|value| strange(value, wanted))
    } else {
        false
    }
}

/// What a device must offer before a function means anything on it.
fn of_function(function: Function) -> Vec<Need> {
    let signature = function.signature();
    let mut needs = Vec::new();
    match signature.since {
        0..=120 => {}
        121..=200 => needs.push(Need::Api20),
        201..=210 => needs.push(Need::Api21),
        211..=220 => needs.push(Need::Api22),
        221..=300 => needs.push(Need::Api30),
        _ => needs.push(Need::Api31),
    }
    let name = signature.name;
    if function.is_extension() {
        needs.push(Need::CommandBuffers(0));
    }
    if function.updates() {
        needs.push(Need::MutableDispatch(3));
    }
    if name.contains("SVM") || name == "clSetKernelExecInfo" {
        needs.push(Need::SvmCoarse);
    }
    if name.contains("Image") || name.contains("Sampler") {
        needs.push(Need::ImageObjects);
    }
    if name == "clEnqueueNativeKernel" {
        needs.push(Need::NativeKernels);
    }
    needs
}

const FILES: [(&str, &str); 19] = [
    ("devices", include_str!("../../rules/refused/devices.yaml")),
    (
        "contexts",
        include_str!("../../rules/refused/contexts.yaml"),
    ),
    ("memory", include_str!("../../rules/refused/memory.yaml")),
    (
        "transfers",
        include_str!("../../rules/refused/transfers.yaml"),
    ),
    ("objects", include_str!("../../rules/refused/objects.yaml")),
    ("bounds", include_str!("../../rules/refused/bounds.yaml")),
    ("rects", include_str!("../../rules/refused/rects.yaml")),
    ("images", include_str!("../../rules/refused/images.yaml")),
    (
        "image_shapes",
        include_str!("../../rules/refused/image_shapes.yaml"),
    ),
    (
        "image_moves",
        include_str!("../../rules/refused/image_moves.yaml"),
    ),
    (
        "image_copies",
        include_str!("../../rules/refused/image_copies.yaml"),
    ),
    ("svm", include_str!("../../rules/refused/svm.yaml")),
    (
        "programs",
        include_str!("../../rules/refused/programs.yaml"),
    ),
    ("kernels", include_str!("../../rules/refused/kernels.yaml")),
    ("ranges", include_str!("../../rules/refused/ranges.yaml")),
    ("events", include_str!("../../rules/refused/events.yaml")),
    (
        "command_buffers",
        include_str!("../../rules/refused/command_buffers.yaml"),
    ),
    ("updates", include_str!("../../rules/refused/updates.yaml")),
    ("lists", include_str!("../../rules/refused/lists.yaml")),
];

/// Every refused call, in the order of the files.
pub fn all() -> &'static [Refused] {
    static ALL: OnceLock<Vec<Refused>> = OnceLock::new();
    ALL.get_or_init(|| {
        // The files are part of the program, and a test reads each.
        let files = FILES.iter();
        files
            .flat_map(|(_, text)| read(text).unwrap_or_default())
            .collect()
    })
}

fn read(text: &str) -> Result<Vec<Refused>, String> {
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_refused_calls_can_be_read() {
        for (name, text) in FILES {
            let rows = read(text).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(!rows.is_empty(), "{name}");
        }
        assert!(all().len() > 700, "{}", all().len());
    }

    #[test]
    fn every_row_is_complete_and_no_call_comes_twice() {
        let mut calls = BTreeSet::new();
        for row in all() {
            assert!(calls.insert(row.call.to_string()), "{row} comes twice");
            assert!(!row.codes.is_empty() && row.sentence.len() > 10, "{row}");
            for name in row.call.objects() {
                assert!(fixture::kind(name).is_some(), "{row} uses {name}");
            }
        }
    }

    #[test]
    fn objects_of_another_type_are_found() {
        let strange = |text: &str| {
            let row = all().iter().find(|row| row.call.to_string() == text);
            row.unwrap_or_else(|| panic!("no row {text}")).is_strange()
        };
        assert!(strange("clFlush(context)"));
        assert!(strange("clSetKernelArg(kernel, 0, 8, {context})"));
        assert!(strange("clWaitForEvents(2, {done, queue})"));
        assert!(strange(
            "clCreateContext({CL_CONTEXT_PLATFORM, device, 0}, 1, {device}, NULL, NULL)"
        ));
        assert!(strange("clFlush(NULL)"));
        assert!(!strange("clSetKernelArg(kernel, 0, 8, {plane})"));
        assert!(!strange("clWaitForEvents(2, {done, foreign_passed})"));
        let many = all().iter().filter(|row| row.is_strange()).count();
        assert!((150..450).contains(&many), "{many}");
    }
}
