//! Calls that must be refused, one after the other, and what is in memory afterwards.

use super::*;
use crate::api::fixture::{self, Objects};
use crate::api::refused::Refused;
use crate::host::check::{Same, Want};
use crate::host::{Contents, Unit};

/// Buffers of zeros in which refused calls must leave them.
const UNCHANGED: [&str; 2] = ["buffer", "other"];

impl Lowering {
    /// These calls, while a command is held back or not.
    pub(super) fn refused(&mut self, held: bool, calls: &[Refused]) {
        let mut objects = Objects::of(&mut self.builder);
        // What a call names that there is not was refused when the case was read.
        if held {
            let _ = objects.make("held");
        }
        for refused in calls {
            let Ok(mut call) = objects.call(&refused.call) else {
                continue;
            };
            call.expect.codes = refused.numbers();
            call.expect.rules = refused.rules();
            call.expect.sentence = Some(refused.sentence.clone());
            let mark = objects.builder.mark();
            self.steps.push(Step::from(call).marked(mark));
            let numbers: Vec<String> = refused.numbers().iter().map(i32::to_string).collect();
            let says = format!("{refused} returned {{}}, not {}", numbers.join(" or "));
            let codes = refused.numbers().into_iter().map(i64::from).collect();
            let code = That::Code(mark, Right::Among(codes));
            self.checks.push(Check::new(refused.rules(), says, code));
        }
        let slots = objects.slots;
        self.end_thread();
        if calls.iter().any(Refused::fails) {
            // Whatever the context does now.
            return;
        }
        if let Some(gate) = slots.get("gate") {
            self.builder.end(Call::set(*gate, 0).whatever());
        }
        for queue in fixture::queues(&slots) {
            self.builder.end(finish(queue));
        }
        let Some(queue) = slots.get("queue") else {
            return;
        };
        for slot in UNCHANGED.iter().filter_map(|name| slots.get(*name)) {
            let answer = self.builder.answer();
            let to = Value::Answer(answer, fixture::BYTES);
            let read = Call::read(*queue, *slot, fixture::BYTES, to, None);
            self.builder.end(read);
            let zeros = Want::Same(Same {
                unit: Unit::Byte,
                contents: Contents::Zero,
                racy: true,
            });
            let says = "memory that calls changed which were refused";
            self.must(says, That::Bytes(answer, zeros));
        }
    }
}
