//! Calls that must be refused, one after the other, and what is in memory afterwards.

use super::*;
use crate::api::fixture::{self, Objects};
use crate::api::refused::Refused;
use crate::host::check::{Same, Want};
use crate::host::{Contents, Unit};
use crate::rule;

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
        // "the internal state of _kernel_ may only be modified" by calls that lack resources.
        if let (Some(kernel), Some(written)) = (slots.get("kept_kernel"), slots.get("written")) {
            self.builder
                .end(Call::launch(*queue, *kernel, 1, &[], None));
            let words = [&[5][..], &[0; fixture::BYTES / 4 - 1]].concat();
            let wanted = Same::new(Unit::Word, Contents::Words(words), true);
            // It writes at its global id.
            let rules = vec![rule::ARGS_CAPTURED, rule::API_ERRORS, rule::ND_GLOBAL_ID];
            let says = "what a kernel wrote whose arguments were set by calls that were refused";
            self.left(*queue, *written, wanted, (rules, says));
        }
        for slot in UNCHANGED.iter().filter_map(|name| slots.get(*name)) {
            let zeros = Same::new(Unit::Byte, Contents::Zero, true);
            let says = "memory that calls changed which were refused";
            self.left(*queue, *slot, zeros, (self.rules.clone(), says));
        }
    }

    /// What must be in a buffer in the end.
    fn left(
        &mut self,
        queue: Slot,
        buffer: Slot,
        wanted: Same,
        (rules, says): (Vec<RuleId>, &str),
    ) {
        let answer = self.builder.answer();
        let to = Value::Answer(answer, fixture::BYTES);
        let read = Call::read(queue, buffer, fixture::BYTES, to, None);
        self.builder.end(read);
        let that = That::Bytes(answer, Want::Same(wanted));
        self.checks.push(Check::new(rules, says, that));
    }
}
