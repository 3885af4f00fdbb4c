//! Calls that must be refused, one after the other, and what is in memory afterwards.

use super::Lowering;
use crate::api::fixture::{BYTES, Fixture};
use crate::api::refused::Refused;
use crate::host::check::{Check, Right, Same, That, Want};
use crate::host::{Call, Function, Step, Value};
use crate::host::{Contents, Unit};

/// Buffers of zeros in which refused calls must leave them.
const UNCHANGED: [&str; 2] = ["buffer", "other"];

pub(super) fn lower(lowering: &mut Lowering, held: bool, calls: &[Refused]) {
    let mut fixture = Fixture::default();
    let builder = &mut lowering.builder;
    let mut steps: Vec<Step> = Vec::new();
    // What a call names that there is not was refused when the case was read.
    if held {
        let _ = fixture.make("held", builder);
    }
    for refused in calls {
        let Ok(mut call) = fixture.call(&refused.call, builder) else {
            continue;
        };
        call.expect.codes = refused.numbers();
        call.expect.rules = refused.rules();
        call.expect.sentence = Some(refused.sentence.clone());
        let mark = builder.mark();
        steps.push(Step::from(call).marked(mark));
        let numbers: Vec<String> = refused.numbers().iter().map(i32::to_string).collect();
        let says = format!("{refused} returned {{}}, not {}", numbers.join(" or "));
        let codes = refused.numbers().into_iter().map(i64::from).collect();
        let code = That::Code(mark, Right::Among(codes));
        lowering
            .checks
            .push(Check::new(refused.rules(), says, code));
    }
    let gate = fixture.slot("gate");
    if calls.iter().any(Refused::fails) {
        // Whatever the context does now.
        builder.thread(steps);
        return;
    }
    builder.thread(steps);
    if let Some(gate) = gate {
        builder.end(Call::set(gate, 0).whatever());
    }
    for queue in fixture.queues() {
        builder.end(Call::of(Function::Finish, queue));
    }
    let Some(queue) = fixture.slot("queue") else {
        return;
    };
    for name in UNCHANGED {
        let Some(slot) = fixture.slot(name) else {
            continue;
        };
        let answer = lowering.builder.answer();
        let to = Value::Answer(answer, BYTES);
        lowering
            .builder
            .end(Call::read(queue, slot, BYTES, to, None));
        let zeros = Want::Same(Same {
            unit: Unit::Byte,
            contents: Contents::Zero,
            racy: true,
        });
        let says = "memory that calls changed which were refused";
        lowering.must(says, That::Bytes(answer, zeros));
    }
}
