//! A host program as one C program that needs a C compiler, threads and an OpenCL library, and nothing of
//! ours.
//!
//! [`to_c`] writes it: slots are variables of their names, calls are printed from the table of functions
//! ([`call`]), operations become statements ([`steps`], [`exchange`]), fixtures are made once
//! ([`fixtures`]), and [`checks`] compare what was observed with what had to be. The text is C11 with POSIX
//! threads, and asks of the OpenCL headers no later version than the functions need.

mod ask;
mod call;
mod checks;
mod data;
mod exchange;
mod extension;
mod fixtures;
mod steps;
#[cfg(test)]
mod tests;
pub mod text;

use super::answers::{Wanted, asking};
use super::check::{Check, That};
use super::ids::AnswerId;
use super::program::*;
use super::value::{Slot, Value};
use crate::catalogue;
use crate::rule::RuleId;
use classay_vocabulary::Need;
use std::collections::BTreeSet;
use text::Text;

/// How a C program reports what is wrong, and chooses its device.
pub const REPORT: &str = include_str!("tell.c");
/// How a C program is compiled and run, for its reader.
const HOW: &str = include_str!("how.txt");
/// What a run observes.
const RUN: &str = include_str!("run.c");
/// What the host writes and reads.
const MEMORY: &str = include_str!("memory.c");
/// How runs follow each other.
const MAIN: &str = include_str!("main.c");

/// What a C program is made of.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What it does, for its reader.
    pub about: &'a [String],
    /// What the device must offer.
    pub needs: &'a BTreeSet<Need>,
    /// What it does.
    pub program: &'a HostProgram,
    /// What must hold of each run.
    pub checks: &'a [Check],
    /// An answer that is not zero where a side of an exchange timed out.
    pub quit: Option<AnswerId>,
    /// Its objects are asked what they must answer, too.
    pub asks: bool,
}

/// The C program.
pub fn to_c(document: &Document<'_>) -> String {
    let asking = document.asks.then(|| asking(document.program));
    let program = asking.as_ref().unwrap_or(document.program);
    let document = &Document {
        program,
        ..*document
    };
    let uses = Uses::of(document);
    let mut c = Text::default();
    heading(document, &mut c);
    c.headers(uses.version, &uses.deprecated);
    for constant in &uses.newer {
        c.line(&format!("#ifndef {constant}"));
        match constant.value() {
            code if code < 0 => c.line(&format!("#define {constant} ({code})")),
            value => c.line(&format!("#define {constant} {value:#x}")),
        }
        c.line("#endif");
    }
    c.line("");
    let threads = program.threads.len().max(1);
    c.line(&format!("#define DEVICES {}u", fixtures::devices(program)));
    c.line(&format!("#define THREADS {threads}u"));
    c.line(&format!("#define MARKS {}u", uses.marks));
    c.line(&format!("#define ANSWERS {}u", uses.answers));
    c.line(&format!("#define SIGNALS {}u", program.signals));
    c.line("");
    c.line("static cl_device_id devices[64]; /* the one under test, then its neighbours */");
    c.line("");
    c.raw(REPORT);
    c.raw(RUN);
    extension::write(program, &mut c);
    c.raw(MEMORY);
    if uses.tokens {
        c.raw(include_str!("tokens.c"));
    }
    checks::functions(document.checks, &mut c);
    let mut writer = Writer::new(program, &uses);
    fixtures::write(&mut writer, document, &mut c);
    if uses.exchanges {
        exchange::open_memory(program, &mut c);
        c.raw(include_str!("exchange.c"));
    }
    if uses.kernels {
        c.raw(include_str!("kernels.c"));
    }
    if !program.questions.is_empty() {
        c.raw(ask::FUNCTIONS);
    }
    steps::write(&mut writer, document, &mut c);
    checks::write(document, &mut c);
    fixtures::take_down(&writer, &mut c);
    c.line("static void *(*const threads[THREADS])(void *) = {");
    for n in 0..threads {
        c.line(&format!("    thread_{n},"));
    }
    c.line("};");
    c.line("");
    c.raw(MAIN);
    c.done()
}

/// What the reader is told first.
fn heading(document: &Document<'_>, c: &mut Text) {
    let mut lines = document.about.to_vec();
    lines.extend(HOW.lines().map(String::from));
    if !document.needs.is_empty() {
        let needs: Vec<String> = document.needs.iter().map(ToString::to_string).collect();
        lines.push(format!("The device must offer: {}.", needs.join(", ")));
        lines.push(String::new());
    }
    let rules = document.checks.iter().flat_map(|check| &check.rules);
    lines.extend(named(&rules.copied().collect()));
    c.comment(&lines);
}

/// What rules say, for the reader of a C program.
pub fn named(rules: &BTreeSet<RuleId>) -> Vec<String> {
    let mut lines =
        vec!["What messages name, by the section of the specification that says it:".to_string()];
    for rule in rules.iter().filter_map(|id| catalogue::of(*id)) {
        lines.push(format!(
            "  {} ({}): {}",
            rule.id, rule.section, rule.statement
        ));
    }
    lines
}

/// Rules as a C string.
fn rules(rules: &[RuleId]) -> String {
    let names: Vec<&str> = rules.iter().take(4).map(|r| r.as_str()).collect();
    text::quoted(&names.join("|"))
}

/// What of the headers and of the C functions a program needs.
#[derive(Debug, Default)]
struct Uses {
    version: u16,
    deprecated: BTreeSet<&'static str>,
    newer: BTreeSet<super::Constant>,
    marks: u16,
    answers: u16,
    tokens: bool,
    exchanges: bool,
    kernels: bool,
    /// Slots that calls take the program's reference from.
    taken: BTreeSet<Slot>,
}

impl Uses {
    fn of(document: &Document<'_>) -> Uses {
        let cells = |check: &Check| matches!(check.that, That::Cells(..));
        let mut uses = Uses {
            version: 120,
            tokens: document.checks.iter().any(cells),
            ..Uses::default()
        };
        document.program.steps(&mut |step| uses.step(step));
        for question in &document.program.questions {
            question.of.iter().for_each(|value| uses.value(value));
            if let Wanted::Values(values) = &question.wanted {
                values.iter().for_each(|(_, value)| uses.value(value));
            }
            let since = question.function.signature().since;
            uses.version = uses.version.max(since);
        }
        for name in fixtures::questions(document.needs) {
            uses.newer.extend(super::Constant::find(name));
        }
        uses.version = uses.version.max(fixtures::version(document.program));
        for function in document.program.functions() {
            match function.signature().until {
                Some(110) => uses.deprecated.insert("1_1"),
                Some(120) if uses.version >= 200 => uses.deprecated.insert("1_2"),
                Some(_) | None => false,
            };
        }
        uses
    }

    fn step(&mut self, step: &Step) {
        if let Some(mark) = step.mark {
            self.marks = self.marks.max(mark.0 + 1);
        }
        if let Op::Call(call) = &step.op {
            call.each(&mut |value| self.value(value));
            if call::plain_queue(call).is_none() {
                self.version = self.version.max(call.function.signature().since);
            }
        } else if let Op::Read { into, .. } | Op::Resident { into, .. } | Op::Heard { into } =
            &step.op
        {
            self.answers = self.answers.max(into.0 + 1);
        }
        self.exchanges |= matches!(step.op, Op::Exchange { .. });
        self.kernels |= matches!(step.op, Op::Kernels { .. });
        if let Op::Write { data, .. } = &step.op {
            self.tokens |= matches!(data, Data::Tokens { .. });
        }
    }

    fn value(&mut self, value: &Value) {
        let constants = match value {
            Value::Constant(constant) => std::slice::from_ref(constant),
            Value::Flags(all) => all,
            _ => &[],
        };
        let newer = constants.iter().filter(|constant| constant.newer());
        self.newer.extend(newer);
        if let Value::Take(slot) = value {
            self.taken.insert(*slot);
        } else if let Value::Answer(id, _) = value {
            self.answers = self.answers.max(id.0 + 1);
        }
        self.tokens |= matches!(value, Value::Token(..));
    }
}

/// What is known while a program is written.
struct Writer<'a> {
    program: &'a HostProgram,
    uses: &'a Uses,
    /// Several threads or callbacks use slots at the same time.
    shared: bool,
    /// Slots that surely hold something where the text is now.
    sure: BTreeSet<Slot>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a HostProgram, uses: &'a Uses) -> Writer<'a> {
        let slots = program.slots.iter().enumerate();
        let host = slots.filter(|(_, info)| matches!(info.kind, SlotKind::Host { .. }));
        let mut sure: BTreeSet<Slot> = host.map(|(n, _)| Slot(n as u16)).collect();
        sure.extend(program.fixtures.iter().map(|(slot, _)| *slot));
        Writer {
            program,
            uses,
            shared: program.threads.len() > 1 || !program.callbacks.is_empty(),
            sure,
        }
    }

    /// A slot's variable.
    fn name(&self, slot: Slot) -> &'a str {
        let info = self.program.slots.get(slot.index());
        info.map_or("NULL", |info| info.name.as_str())
    }

    fn kind(&self, slot: Slot) -> SlotKind {
        let info = self.program.slots.get(slot.index());
        info.map_or(SlotKind::Address, |info| info.kind)
    }

    /// A place in memory.
    fn place(&self, at: super::Place) -> String {
        match at.byte {
            0 => self.name(at.object).to_string(),
            byte => format!("{} + {byte}", self.name(at.object)),
        }
    }
}
