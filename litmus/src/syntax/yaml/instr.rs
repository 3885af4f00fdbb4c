//! Instructions: a mapping each, distinguished by one key.

use super::document::{Instruction, Making, Step};
use super::value::{At, Flags, Text, names};
use crate::program::{
    Address, Api, Atomic, Atomicity, Barrier, BarrierScope, Branch, Cas, CasStrength, CommandKind,
    Expected, Expr, Fence, FenceFlags, HostCall, Instr, LOAD_FORBIDS, Make, MemOrder, QueueId,
    RegId, Rmw, RmwOp, STORE_FORBIDS, legacy_fence,
};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::lower::command::CallTree;
use crate::syntax::lower::domain::{DomainWord, Misnamed};
use crate::syntax::lower::opcode::OPERATIONS;
use crate::syntax::lower::thread::ThreadLowering;
use crate::syntax::tree::{Name, Node};

/// Keys that say what an instruction is, each with the keys that may stand beside it.
const FORMS: [(&str, &[&str]); 22] = [
    ("assign", &["value"]),
    ("load", LOAD),
    ("store", STORE),
    ("rmw", RMW),
    ("compare_exchange", COMPARE),
    ("effect", &[]),
    ("fence", &["order", "scope", "legacy", "make"]),
    ("barrier", BARRIER),
    ("sub_group_barrier", BARRIER),
    ("queue_family_barrier", BARRIER),
    ("device_barrier", BARRIER),
    ("domain", &["location"]),
    ("if", &["then", "else"]),
    ("while", &["do"]),
    ("enqueue", &["queue", "after"]),
    ("marker", &["queue", "after"]),
    ("queue_barrier", &["queue", "after"]),
    ("map", &["event", "access", "blocking", "queue", "after"]),
    ("unmap", &["event", "queue", "after"]),
    ("wait", &[]),
    ("finish", &[]),
    ("flush", &[]),
];

const LOAD: &[&str] = &[
    "into",
    "order",
    "scope",
    "volatile",
    "atomic",
    "semantics",
    "make",
    "non_private",
    "coherent",
];
const STORE: &[&str] = &[
    "value",
    "order",
    "scope",
    "volatile",
    "atomic",
    "semantics",
    "make",
    "non_private",
    "coherent",
];
const RMW: &[&str] = &[
    "into",
    "operation",
    "value",
    "order",
    "scope",
    "semantics",
    "make",
];
const COMPARE: &[&str] = &[
    "expected",
    "value",
    "order",
    "failure",
    "scope",
    "semantics",
    "make",
];
const BARRIER: &[&str] = &["label", "scope", "order", "make", "quorum"];

/// The first of them that calls the OpenCL API.
const FIRST_CALL: usize = 14;

/// Names of forms, for messages.
fn form_names(forms: &[(&str, &[&str])]) -> String {
    let names: Vec<&str> = forms.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Reads the instructions of one thread.
pub(super) struct ThreadReader<'r, 'l> {
    pub api: Api,
    pub lowering: &'r mut ThreadLowering<'l>,
    pub document: &'r str,
}

impl ThreadReader<'_, '_> {
    /// A list of instructions.
    pub fn block(&mut self, steps: Vec<At<Step>>) -> Outcome<Vec<Instr>> {
        let mut out = Vec::new();
        for At { value, span } in steps {
            match value {
                Step::Return => self.lowering.push(Instr::Return, span, &mut out)?,
                Step::Instruction(keys) => {
                    let form = form(&keys, span)?;
                    let instr = self.instruction(*keys, form, &mut out)?;
                    self.lowering.push(instr, form.span, &mut out)?;
                }
            }
        }
        Ok(out)
    }

    fn block_of(&mut self, steps: Option<At<Vec<At<Step>>>>) -> Outcome<Vec<Instr>> {
        steps.map_or(Ok(Vec::new()), |steps| self.block(steps.value))
    }

    /// One instruction; what must run before it goes to `out`.
    fn instruction(
        &mut self,
        keys: Instruction,
        form: Form,
        out: &mut Vec<Instr>,
    ) -> Outcome<Instr> {
        if let Some(register) = &keys.assign {
            let value = self.value(form.needs("value", &keys.value)?)?;
            return self.assign(register, value);
        }
        if let Some(place) = &keys.load {
            let atomicity = atomicity(&keys, LOAD_FORBIDS)?;
            let value = self.lower(place, |lowering, node| lowering.load(node, atomicity))?;
            return match &keys.into {
                Some(register) => self.assign(register, value),
                None => Ok(Instr::Effect(value)),
            };
        }
        if let Some(place) = &keys.store {
            let atomicity = atomicity(&keys, STORE_FORBIDS)?;
            let value = form.needs("value", &keys.value)?;
            let access = self.lower(place, |lowering, node| lowering.access(node, atomicity))?;
            let value = self.value(value)?;
            return Ok(Instr::Store { access, value });
        }
        if let Some(place) = &keys.rmw {
            return self.read_modify_write(place, &keys, form);
        }
        if let Some(place) = &keys.compare_exchange {
            return self.compare_exchange(place, &keys, form);
        }
        if let Some(word) = &keys.domain {
            return self.domain(word, keys.location.as_ref());
        }
        if let Some(call) = &keys.effect {
            return self.effect(call);
        }
        if let Some(flags) = &keys.fence {
            return fence(self.api, flags, &keys, form);
        }
        let barriers = [
            (BarrierScope::WorkGroup, &keys.barrier),
            (BarrierScope::SubGroup, &keys.sub_group_barrier),
            (BarrierScope::QueueFamily, &keys.queue_family_barrier),
            (BarrierScope::Device, &keys.device_barrier),
        ];
        for (group, flags) in barriers {
            if let Some(flags) = flags {
                return self.barrier(group, FenceFlags::from(&flags.value), &keys);
            }
        }
        if let Some(condition) = &keys.condition {
            let condition = self.value(condition)?;
            let mut before = self.lowering.take_before();
            let then = self.block_of(keys.then)?;
            let otherwise = self.block_of(keys.otherwise)?;
            out.append(&mut before);
            return Ok(Instr::If(Branch {
                condition,
                then,
                otherwise,
            }));
        }
        if let Some(condition) = &keys.repeat {
            let condition = self.value(condition)?;
            let before = self.lowering.take_before();
            let mut body = self.block_of(keys.body)?;
            body.extend(before.iter().cloned());
            out.extend(before);
            return Ok(Instr::While { condition, body });
        }
        let call = self.call(&keys, form)?;
        Ok(self.lowering.host(call))
    }

    fn domain(&self, word: &At<DomainWord>, location: Option<&Text>) -> Outcome<Instr> {
        let name = location.map(Text::name).transpose()?;
        let location = name.map(|name| self.lowering.mapped(&name)).transpose()?;
        match word.value.operation(location) {
            Ok(operation) => Ok(Instr::Domain(operation)),
            Err(Misnamed::Missing) => Err(word
                .problem("the operation names no location", "of whose memory?")
                .help("add the key location")),
            Err(Misnamed::Superfluous) => Err(word.problem(
                "the operation is about all memory, and names a location",
                "about all memory",
            )),
        }
    }

    fn barrier(
        &self,
        group: BarrierScope,
        flags: FenceFlags,
        keys: &Instruction,
    ) -> Outcome<Instr> {
        let order = keys.order.as_ref().map(|order| order.value);
        let otherwise = match self.api {
            Api::OpenCl => MemOrder::AcqRel,
            Api::Vulkan => MemOrder::Relaxed,
        };
        if let Some(quorum) = keys.quorum.as_ref().filter(|quorum| quorum.value == 0) {
            return Err(quorum.problem("at a barrier meets at least one thread", "too few"));
        }
        if let (Some(quorum), None) = (&keys.quorum, &keys.label) {
            let message = "a barrier that says how many meet has a name: add `label`";
            return Err(quorum.problem(message, "a barrier without a name"));
        }
        Ok(Instr::Barrier(Barrier {
            label: (keys.label.as_ref())
                .map(|text| label(text, self.api))
                .transpose()?,
            scope: keys
                .scope
                .as_ref()
                .map(|scope| scope.value)
                .filter(|scope| self.api == Api::OpenCl || *scope != group.own()),
            order: order.unwrap_or(otherwise),
            make: make(keys),
            quorum: keys.quorum.as_ref().map(|quorum| quorum.value),
            ..Barrier::of(group, flags)
        }))
    }

    /// A read-modify-write of Vulkan; those of OpenCL are calls of functions.
    fn read_modify_write(
        &mut self,
        place: &Text,
        keys: &Instruction,
        form: Form,
    ) -> Outcome<Instr> {
        let atomic = atomic(keys, form)?;
        let op = match &keys.operation {
            None => RmwOp::Exchange,
            Some(name) => match OPERATIONS.iter().find(|(word, _)| *word == name.value) {
                Some((_, op)) => *op,
                None => {
                    let words: Vec<&str> = OPERATIONS.iter().map(|(word, _)| *word).collect();
                    return Err(name
                        .problem(format!("{} is no read-modify-write", name.value), "unknown")
                        .help(format!("one of {}", words.join(", "))));
                }
            },
        };
        let address = self.atomic_place(place, atomic)?;
        let value = Expr::Rmw(Rmw {
            op,
            address,
            operand: Box::new(self.value(form.needs("value", &keys.value)?)?),
            atomic,
        });
        match &keys.into {
            Some(register) => self.assign(register, value),
            None => Ok(Instr::Effect(value)),
        }
    }

    /// A compare-exchange of Vulkan, whose register holds the expected value before and the old one after.
    fn compare_exchange(&mut self, place: &Text, keys: &Instruction, form: Form) -> Outcome<Instr> {
        let atomic = atomic(keys, form)?;
        let failure = keys.failure.as_ref().map(|failure| failure.value);
        let address = self.atomic_place(place, atomic)?;
        let expected = form.needs("expected", &keys.expected)?;
        let expected = self.register(expected)?;
        Ok(Instr::Effect(Expr::Cas(Cas {
            strength: CasStrength::Strong,
            address,
            expected: Expected::Register(expected),
            desired: Box::new(self.value(form.needs("value", &keys.value)?)?),
            atomic,
            failure: failure.unwrap_or(atomic.order.of_load()),
        })))
    }

    fn atomic_place(&mut self, place: &Text, atomic: Atomic) -> Outcome<Address> {
        let atomicity = Atomicity::Atomic(atomic);
        let access = self.lower(place, |lowering, node| lowering.access(node, atomicity))?;
        Ok(access.address)
    }

    fn effect(&mut self, call: &Text) -> Outcome<Instr> {
        match self.lower(call, |lowering, node| lowering.effect(node, None))? {
            Instr::Host(_) => Err(call
                .span
                .problem(
                    "a call of the OpenCL API is an instruction of its own",
                    "not an effect",
                )
                .help(format!("its keys are {}", form_names(&FORMS[FIRST_CALL..])))),
            instr => Ok(instr),
        }
    }

    /// A call of the OpenCL API.
    fn call(&mut self, keys: &Instruction, form: Form) -> Outcome<CallTree> {
        let span = form.span;
        if let Some(events) = &keys.wait {
            let events = names(&events.value.0)?;
            return Ok(CallTree::Wait { events, span });
        }
        for (queue, call) in [
            (&keys.finish, HostCall::Finish as fn(QueueId) -> HostCall),
            (&keys.flush, HostCall::Flush),
        ] {
            if let Some(queue) = queue {
                let queue = queue.name()?;
                return Ok(CallTree::OfQueue { call, queue, span });
            }
        }
        let queue = form.needs("queue", &keys.queue)?.name()?;
        let waits = match &keys.after {
            Some(events) => names(&events.value.0)?,
            None => Vec::new(),
        };
        let event = keys.event.as_ref().map(Text::name).transpose()?;
        let (name, kind) = if let Some(kernel) = &keys.enqueue {
            (Some(kernel.name()?), CommandKind::Kernel)
        } else if let Some(location) = &keys.map {
            let location = self.lowering.mapped(&location.name()?)?;
            let kind = CommandKind::Map {
                location,
                access: form.needs("access", &keys.access)?.value,
                blocking: keys.blocking.as_ref().is_some_and(|b| b.value),
            };
            (event, kind)
        } else if let Some(location) = &keys.unmap {
            let location = self.lowering.mapped(&location.name()?)?;
            (event, CommandKind::Unmap { location })
        } else if let Some(marker) = &keys.marker {
            (own_event(marker)?, CommandKind::Marker)
        } else {
            let barrier = form.needs("queue_barrier", &keys.queue_barrier)?;
            (own_event(barrier)?, CommandKind::Barrier)
        };
        Ok(CallTree::Enqueue {
            kind,
            name,
            queue,
            waits,
            span,
        })
    }

    fn assign(&mut self, target: &Text, value: Expr) -> Outcome<Instr> {
        let register = self.register(target)?;
        Ok(Instr::Assign { register, value })
    }

    fn register(&mut self, target: &Text) -> Outcome<RegId> {
        let name = Name {
            text: target.identifier()?,
            span: Span::default(),
        };
        let register = self
            .lowering
            .register_or_new(&name)
            .map_err(|problem| target.relocate(problem, self.document))?;
        Ok(register)
    }

    fn value(&mut self, text: &Text) -> Outcome<Expr> {
        self.lower(text, |lowering, node| lowering.value(node))
    }

    /// Reads text as an expression and lowers it.
    fn lower<T>(
        &mut self,
        text: &Text,
        lower: impl FnOnce(&mut ThreadLowering<'_>, &Node) -> Outcome<T>,
    ) -> Outcome<T> {
        let node = text.as_c("the expression", self.document, |parser| {
            parser.expression()
        })?;
        lower(self.lowering, &node).map_err(|problem| text.relocate(problem, self.document))
    }
}

/// What an instruction is, and where the value of the key that says so stands.
#[derive(Clone, Copy)]
struct Form {
    name: &'static str,
    span: Span,
}

impl Form {
    /// The value of a key that this form cannot do without.
    fn needs<'k, T>(self, key: &str, value: &'k Option<T>) -> Outcome<&'k T> {
        value.as_ref().ok_or_else(|| {
            self.span.problem(
                format!("the instruction {} has no {key}", self.name),
                format!("the key {key} is missing"),
            )
        })
    }
}

/// Which form an instruction has; `span` is where it stands.
fn form(keys: &Instruction, span: Span) -> Outcome<Form> {
    let present: Vec<(&'static str, Span)> = keys.present().collect();
    let found = FORMS.iter().find_map(|(name, others)| {
        let head = present.iter().find(|(key, _)| key == name)?;
        Some((head, *others))
    });
    let Some((&(name, head), others)) = found else {
        return Err(present
            .first()
            .map_or(span, |(_, first)| *first)
            .problem("nothing says what this instruction does", "incomplete")
            .help(format!("it needs one of the keys {}", form_names(&FORMS))));
    };
    let odd = |(key, _): &&(&str, Span)| *key != name && !others.contains(key);
    match present.iter().find(odd) {
        None => Ok(Form { name, span: head }),
        Some((key, span)) => Err(span.problem(
            format!("the instruction {name} has no {key}"),
            "does not belong here",
        )),
    }
}

/// The event that a marker or a barrier names as its own.
fn own_event(event: &At<Option<String>>) -> Outcome<Option<Name>> {
    let span = event.span;
    let text = event.value.clone().map(|value| Text { value, span });
    text.as_ref().map(Text::name).transpose()
}

fn fence(api: Api, flags: &At<Flags>, keys: &Instruction, form: Form) -> Outcome<Instr> {
    let span = flags.span;
    let flags = FenceFlags::from(&flags.value);
    if flags == FenceFlags::NONE && api == Api::OpenCl {
        return Err(span
            .problem("a fence needs at least one flag", "empty")
            .help("global, local, or both"));
    }
    let order = form.needs("order", &keys.order)?.value;
    let scope = form.needs("scope", &keys.scope)?.value;
    let legacy = keys.legacy.as_ref().is_some_and(|l| l.value);
    if legacy && legacy_fence(order, scope).is_none() {
        return Err(span
            .problem(
                "no fence of OpenCL C 1.x has this order and scope",
                "marked as legacy",
            )
            .help("they acquire, release or both, with the scope work_group"));
    }
    Ok(Instr::Fence(Fence {
        flags,
        order,
        scope,
        legacy,
        make: make(keys),
    }))
}

/// What the semantics of an instruction make available and visible.
fn make(keys: &Instruction) -> Make {
    let has = |what| {
        let listed = keys.make.as_ref();
        listed.is_some_and(|listed| listed.value.0.contains(&what))
    };
    Make {
        available: has(Making::Available),
        visible: has(Making::Visible),
    }
}

/// What an atomic states, with the storage classes of its semantics.
fn with_semantics(atomic: Atomic, keys: &Instruction) -> Atomic {
    let flags = keys.semantics.as_ref();
    Atomic {
        flags: flags.map_or(FenceFlags::NONE, |flags| FenceFlags::from(&flags.value)),
        make: make(keys),
        ..atomic
    }
}

/// What a read-modify-write of Vulkan states.
fn atomic(keys: &Instruction, form: Form) -> Outcome<Atomic> {
    let order = form.needs("order", &keys.order)?.value;
    let scope = form.needs("scope", &keys.scope)?.value;
    Ok(with_semantics(Atomic::explicit(order, Some(scope)), keys))
}

/// The label of a barrier: a name, or on Vulkan a number.
fn label(text: &Text, api: Api) -> Outcome<String> {
    let digits = |b: u8| b.is_ascii_digit();
    if api == Api::OpenCl || text.value.is_empty() || !text.value.bytes().all(digits) {
        return text.identifier();
    }
    match text.value.parse::<i64>() {
        Ok(number) if number.to_string() == text.value => Ok(text.value.clone()),
        _ => Err(text.problem(
            "a number that names a barrier is written in its shortest form",
            "too large, or with zeros in front",
        )),
    }
}

/// How a load or store reaches memory: with an `order` atomically, with `atomic: true` alone in
/// the short form, plainly otherwise.
fn atomicity(keys: &Instruction, forbidden: &[MemOrder]) -> Outcome<Atomicity> {
    let is_set = |flag: &Option<At<bool>>| flag.as_ref().is_some_and(|f| f.value);
    match (&keys.order, &keys.scope) {
        (Some(order), _) if forbidden.contains(&order.value) => Err(order.problem(
            format!(
                "this instruction cannot have the order {}",
                order.value.name()
            ),
            "not allowed here",
        )),
        (Some(order), scope) => {
            let scope = scope.as_ref().map(|scope| scope.value);
            let atomic = Atomic::explicit(order.value, scope);
            Ok(Atomicity::Atomic(with_semantics(atomic, keys)))
        }
        (None, Some(scope)) => Err(scope
            .problem(
                "a scope without an order",
                "only atomic accesses have a scope",
            )
            .help("add an order: relaxed, acquire, release, acq_rel or seq_cst")),
        (None, None) if is_set(&keys.atomic) => Ok(Atomicity::Atomic(Atomic::SHORT)),
        (None, None) if keys.coherent.is_some() => {
            let scope = keys.coherent.as_ref().map(|scope| scope.value);
            Ok(Atomicity::NonPrivate(scope))
        }
        (None, None) if is_set(&keys.non_private) => Ok(Atomicity::NonPrivate(None)),
        (None, None) if is_set(&keys.volatile) => Ok(Atomicity::Volatile),
        (None, None) => Ok(Atomicity::Plain),
    }
}
