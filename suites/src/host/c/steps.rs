//! Operations in C: `make`, the host threads, `end`, and the callbacks.

use super::text::{Text, quoted};
use super::{Document, Writer, ask, call, data, exchange, fixtures};
use crate::host::function::Gives;
use crate::host::ids::CallbackId;
use crate::host::program::*;
use crate::host::value::{Place, Slot};
use std::collections::BTreeMap;

/// Where a step stands, which says what happens when a call fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `make`.
    Begin,
    /// A host thread.
    Thread,
    /// `end`.
    End,
    /// A callback.
    Callback,
}

/// Writes everything that a run does.
pub fn write(writer: &mut Writer<'_>, document: &Document<'_>, c: &mut Text) {
    let program = writer.program;
    c.line("/* ---- what the host does ------------------------------------------------------------------------ */");
    c.line("");
    let mut exchanges = Vec::new();
    program.steps(&mut |step| {
        if matches!(step.op, Op::Exchange { .. }) {
            exchanges.push(&step.op);
        }
    });
    for (n, exchange) in exchanges.iter().enumerate() {
        exchange::function(program, n, exchange, c);
    }
    for (n, callback) in program.callbacks.iter().enumerate() {
        c.line(&format!("static void CL_CALLBACK {};", head(n, callback)));
    }
    if !program.callbacks.is_empty() {
        c.line("");
    }
    let mut steps = Steps {
        writer,
        exchanges,
        part: Part::Begin,
        loops: 0,
        inside: 0,
    };
    c.line("/* Makes what a run begins with; says whether it goes on. */");
    c.function("static int make(void)");
    c.put("cl_int code = CL_SUCCESS;");
    for info in &program.slots {
        if let SlotKind::Host { bytes } = info.kind {
            c.put(format!("{} = room({bytes});", info.name));
        }
    }
    steps.all(&program.begin, c);
    c.put("(void)code;\nreturn 1;");
    c.close();
    let sure = steps.writer.sure.clone();
    for (n, callback) in program.callbacks.iter().enumerate() {
        steps.callback(n, callback, c);
        steps.writer.sure.clone_from(&sure);
    }
    let threads = program.threads.len().max(1);
    for n in 0..threads {
        let thread = program.threads.get(n).map(Vec::as_slice);
        steps.part = Part::Thread;
        c.line(&format!("/* Host thread {n}. */"));
        c.function(&format!("static void *thread_{n}(void *unused)"));
        c.put("cl_int code = CL_SUCCESS;\n(void)unused;");
        steps.all(thread.unwrap_or_default(), c);
        c.put("(void)code;\nreturn NULL;");
        c.close();
        if threads > 1 {
            steps.writer.sure.clone_from(&sure);
        }
    }
    // A thread may have ended before its last step.
    steps.writer.sure = sure;
    steps.part = Part::End;
    c.line("/* Finishes what is left of a run, and collects what is known only then. */");
    c.function("static void end(void)");
    c.put("cl_int code = CL_SUCCESS;");
    steps.all(&program.end, c);
    c.put("(void)code;\nfinished = finished ? finished : nanoseconds();");
    c.close();
    c.line("/* Whether a side of an exchange waited too long. */");
    c.function("static int timed_out(void)");
    let said = |id| format!(" || (answers[{id}].there && number({id}) != 0)");
    let said = document.quit.map_or(String::new(), said);
    c.put(format!("return exchange_timed_out{said};"));
    c.close();
}

/// The head of a callback's function.
fn head(n: usize, callback: &Callback) -> String {
    let parameters = match callback.of {
        CallbackOf::Event(_) => "cl_event of, cl_int status, void *data",
        CallbackOf::Memory => "cl_mem of, void *data",
        CallbackOf::Context => "cl_context of, void *data",
        CallbackOf::Program(_) => "cl_program of, void *data",
        CallbackOf::SvmFree { .. } => {
            "cl_command_queue of, cl_uint count, void *pointers[], void *data"
        }
        CallbackOf::Native { .. } => "void *data",
    };
    format!("callback_{n}({parameters})")
}

struct Steps<'s, 'w, 'p> {
    writer: &'s mut Writer<'w>,
    exchanges: Vec<&'p Op>,
    part: Part,
    /// Repetitions so far, for the names of their variables.
    loops: usize,
    /// Marked sequences that the text is in.
    inside: usize,
}

impl Steps<'_, '_, '_> {
    fn callback(&mut self, n: usize, callback: &Callback, c: &mut Text) {
        self.part = Part::Callback;
        c.function(&format!("static void CL_CALLBACK {}", head(n, callback)));
        c.put("in_callbacks++;\nunsigned long stamp = tick();\ncl_int code = CL_SUCCESS;");
        let mut data = "data";
        let mut other = "data != THIS_RUN".to_string();
        if let CallbackOf::Native { slots, numbers } = &callback.of {
            data = "block[0]";
            other = "block[0] != THIS_RUN".into();
            let before = slots.len() + 1;
            c.put(format!("void *block[{}];", before + numbers));
            c.put("memset(block, 0, sizeof block);");
            c.when("data", "memcpy(block, data, sizeof block);");
            if *numbers > 0 {
                let given = format!("({NUMBER_STEP} * n + {NUMBER_FIRST}) % {NUMBER_END}");
                c.put("size_t others = 0; /* numbers that are not as they were given */");
                c.put(format!("for (size_t n = 0; n < {numbers}; n++)"));
                c.put(format!(
                    "    others += (size_t)block[{before} + n] != {given};"
                ));
                other += " || others";
            }
        }
        c.open(format!("if ({other})"));
        c.put("in_callbacks--;\nreturn; /* of an earlier run, too late */");
        c.close();
        let (mut status, mut right) = ("0", "1".to_string());
        match &callback.of {
            CallbackOf::Native { slots, .. } => {
                for (n, slot) in slots.iter().enumerate() {
                    c.put(format!("{} = block[{}];", self.writer.name(*slot), n + 1));
                    self.writer.sure.insert(*slot);
                }
            }
            CallbackOf::Event(slot) => {
                status = "status";
                c.put(format!("cl_event own = {};", self.writer.name(*slot)));
                right = "!own || own == of".into();
            }
            CallbackOf::Program(slot) => {
                c.put(format!("cl_program own = {};", self.writer.name(*slot)));
                right = "!own || own == of".into();
            }
            CallbackOf::SvmFree { queue, pointers } => {
                let (queue, count) = (self.writer.name(*queue), pointers.len());
                right = format!("of == {queue} && count == {count}u");
                for (n, pointer) in pointers.iter().enumerate() {
                    let name = self.writer.name(*pointer);
                    right += &format!(" && pointers[{n}] == {name}");
                }
            }
            CallbackOf::Memory | CallbackOf::Context => c.put("(void)of;"),
        }
        if data == "data" {
            c.put(format!("int right = {right};"));
            right = "right".into();
        }
        self.all(&callback.steps, c);
        c.put("(void)code;");
        c.put(format!("fire({n}, {status}, {right}, stamp);"));
        c.put("in_callbacks--;");
        c.close();
    }

    fn all(&mut self, steps: &[Step], c: &mut Text) {
        for step in steps {
            self.step(step, c);
        }
    }

    fn step(&mut self, step: &Step, c: &mut Text) {
        if let Op::Call(call) = &step.op
            && let Some(sentence) = &call.expect.sentence
        {
            c.put(format!("/* {} */", sentence.replace("*/", "* /")));
        }
        if let Some(mark) = step.mark {
            let code = match &step.op {
                Op::Call(call) => match call.expect.ended {
                    Some(ended) => format!("code == {ended} ? CL_SUCCESS : code"),
                    None => "code".into(),
                },
                Op::Sequence(_) => "code".into(),
                _ => "CL_SUCCESS".to_string(),
            };
            c.put(format!("begins({mark});"));
            self.inside += 1;
            self.operation(&step.op, c);
            self.inside -= 1;
            c.put(format!("ends({mark}, {code});"));
        } else {
            self.operation(&step.op, c);
        }
        if let Op::Call(call) = &step.op {
            self.judge(call, step.mark.is_some() || self.inside > 0, c);
        }
    }

    /// What happens where a call's code is not the one that it should be.
    fn judge(&self, call: &Call, marked: bool, c: &mut Text) {
        let codes = &call.expect.codes;
        let row = call.function.signature();
        if codes.is_empty() || row.gives == Gives::Nothing {
            return;
        }
        let leave = self.leave();
        if call.expect.refused() {
            let through = "what was let through may have done anything";
            c.put(format!(
                "if (code == CL_SUCCESS) /* {through} */\n    {leave}"
            ));
            return;
        }
        if !marked && matches!(self.part, Part::Begin | Part::End) && codes == &[0] {
            c.put(format!("must(code, {});", quoted(row.name)));
            return;
        }
        let right: Vec<String> = codes.iter().map(|code| format!("code != {code}")).collect();
        let rules = super::rules(&call.expect.rules);
        let failed = format!("call_failed({rules}, {}, code);", quoted(row.name));
        c.open(format!("if (code != NOT_MADE && {})", right.join(" && ")));
        c.put(match self.part {
            Part::End => "left_pending = 1; /* it may still be used */",
            Part::Thread if !marked => failed.as_str(),
            Part::Begin | Part::Thread | Part::Callback => "stop();",
        });
        c.put(leave);
        c.close();
    }

    fn operation(&mut self, op: &Op, c: &mut Text) {
        match op {
            Op::Call(of) => call::write(self.writer, of, c),
            Op::Write { at, data } => {
                self.guarded(*at, c, |writer, c| data::write(writer, *at, data, c))
            }
            Op::Read {
                from,
                stretches: of,
                into,
            } => self.guarded(*from, c, |writer, c| {
                let (place, stretches) = (writer.place(*from), [of.count, of.bytes, of.pitch]);
                let [count, bytes, pitch] = stretches;
                c.put(format!(
                    "read_into({into}, {place}, {count}, {bytes}, {pitch});"
                ));
            }),
            Op::Signal(id) => c.put(format!("give({id});")),
            Op::Await(id) => c.when(format!("!await_signal({id})"), self.leave()),
            Op::Sleep(micros) => c.put(format!("pause_microseconds({micros});")),
            Op::Yield(times) => {
                c.put(format!(
                    "for (int n = 0; n < {times}; n++)\n    sched_yield();"
                ));
            }
            Op::Spin(0) => {}
            Op::Spin(turns) => {
                c.put(format!(
                    "for (volatile unsigned n = 0; n < {turns}u; n++)\n    ;"
                ));
            }
            Op::Repeat {
                times,
                within,
                body,
            } => self.repeat(*times, *within, body, c),
            Op::Exchange { .. } => {
                let n = self.exchanges.iter().position(|other| *other == op);
                c.put(format!("exchange_{}();", n.unwrap_or_default()));
            }
            Op::Settle { events, callbacks } => self.settle(events, callbacks, c),
            Op::Sequence(steps) => {
                c.open("do");
                c.put("code = CL_SUCCESS;");
                for (n, step) in steps.iter().enumerate() {
                    self.step(step, c);
                    if n + 1 < steps.len() && matches!(step.op, Op::Call(_) | Op::Sequence(_)) {
                        c.when("code != CL_SUCCESS", "break;");
                    }
                }
                c.close_once();
            }
            Op::Point { slot, at } => {
                let place = self.writer.place(*at);
                let (slot, from) = (self.writer.name(*slot), self.writer.name(at.object));
                c.put(format!("{slot} = {from} ? {place} : NULL;"));
            }
            Op::Settled(steps) => {
                c.open("if (!left_pending)");
                self.all(steps, c);
                c.close();
            }
            Op::Build {
                program,
                context,
                of,
                build,
            } => {
                let name = self.writer.name(*program);
                let made = fixtures::made(self.writer, (*context, of, build));
                c.put(format!("{name} = {made};"));
                self.writer.sure.insert(*program);
            }
            Op::Kernels { .. } => c.put("/* Its kernels are looked at in the end. */"),
            Op::Listen => c.put("listen_to_output();"),
            Op::Heard { into } => c.put(format!("heard({into});")),
            Op::Ask(id) => ask::write(self.writer, *id, c),
            Op::Resident { into, since } => {
                c.open("if (resident())");
                c.put("long long now = resident();");
                c.put(format!("memcpy(answer({into}, 8), &now, 8);"));
                c.put(format!("answered({into}, CL_SUCCESS);"));
                if let Some((before, bytes)) = since {
                    let there = format!("answers[{before}].there");
                    let grown = format!("{there} && now <= number({before}) + {bytes}");
                    c.when(grown, self.leave());
                }
                c.close();
            }
        }
    }

    /// Leaves out further steps.
    fn leave(&self) -> &'static str {
        match self.part {
            Part::Begin => "return 0;",
            Part::Thread => "return NULL;",
            Part::End => "return;",
            Part::Callback => "{ in_callbacks--; return; }",
        }
    }

    /// An access to memory, where its slot holds an address.
    fn guarded(&self, at: Place, c: &mut Text, then: impl FnOnce(&Writer<'_>, &mut Text)) {
        let sure = self.writer.sure.contains(&at.object);
        if !sure {
            c.open(format!("if ({})", self.writer.name(at.object)));
        }
        then(self.writer, c);
        if !sure {
            c.close();
        }
    }

    fn repeat(&mut self, times: u32, within: Option<u32>, body: &[Step], c: &mut Text) {
        let n = self.loops;
        self.loops += 1;
        c.open("");
        if within.is_some() {
            c.put("cl_ulong begun = nanoseconds();");
        }
        let i = format!("n_{n}");
        c.open(format!("for (unsigned {i} = 0; {i} < {times}u; {i}++)"));
        if let Some(within) = within {
            let spent = format!("nanoseconds() - begun > {within}u * 1000000ull");
            c.when(spent, self.leave());
        }
        self.all(body, c);
        c.close();
        c.close();
    }

    fn settle(&mut self, events: &[Slot], callbacks: &[Awaited], c: &mut Text) {
        c.open("");
        c.put("/* Ten seconds for what should be done by now; less when that was waited for in vain before. */");
        c.put("static int turns = 100000;\nint pending = 1, unfinished = 1;");
        c.open("for (int turn = 0; turn <= turns && pending; turn++)");
        c.put("pending = unfinished = 0;");
        for slot in events {
            let name = self.writer.name(*slot);
            c.put(format!(
                "unfinished |= {name} && status_of({name}) > CL_COMPLETE;"
            ));
        }
        c.put("pending = unfinished;");
        let mut due: BTreeMap<CallbackId, Vec<String>> = BTreeMap::new();
        for one in callbacks {
            let due = due.entry(one.callback).or_default();
            due.push(format!("succeeded({})", one.registered));
        }
        for (id, due) in due {
            let due = due.join(" + ");
            c.put(format!("pending |= times_fired({id}) < (unsigned)({due});"));
        }
        c.when("pending", "pause_microseconds(100);");
        c.close();
        c.when("pending", "turns = 3000;");
        c.put("left_pending |= unfinished;\nfinished = nanoseconds();");
        c.close();
    }
}
