//! Instructions: a mapping each, told apart by their first key.

use super::fields::Fields;
use super::node::{Item, Value};
use crate::program::{
    Atomicity, Barrier, BarrierScope, CommandKind, Expr, FenceFlags, Instr, MapAccess, MemOrder,
    legacy_fence,
};
use crate::syntax::error::{Outcome, Problem, Span};
use crate::syntax::lower::command::CallTree;
use crate::syntax::lower::function::{LOAD_FORBIDS, STORE_FORBIDS};
use crate::syntax::lower::thread::ThreadLowering;
use crate::syntax::tree::{Name, Node};

/// Keys that say what an instruction is.
const KINDS: [&str; 16] = [
    "assign",
    "load",
    "store",
    "effect",
    "fence",
    "barrier",
    "sub_group_barrier",
    "if",
    "while",
    "enqueue",
    "marker",
    "queue_barrier",
    "map",
    "unmap",
    "wait",
    "finish",
];

/// Those of them that call the OpenCL API.
const CALLS: [&str; 7] = [
    "enqueue",
    "marker",
    "queue_barrier",
    "map",
    "unmap",
    "wait",
    "finish",
];

/// Every key of an instruction.
const KEYS: &[&str] = &[
    "assign",
    "load",
    "store",
    "effect",
    "fence",
    "barrier",
    "sub_group_barrier",
    "if",
    "while",
    "enqueue",
    "marker",
    "queue_barrier",
    "map",
    "unmap",
    "wait",
    "finish",
    "queue",
    "after",
    "event",
    "access",
    "blocking",
    "value",
    "into",
    "order",
    "scope",
    "atomic",
    "volatile",
    "legacy",
    "label",
    "then",
    "else",
    "do",
];

/// Reads the instructions of one thread.
pub(super) struct ThreadReader<'r, 'l> {
    pub lowering: &'r mut ThreadLowering<'l>,
    pub document: &'r str,
}

impl ThreadReader<'_, '_> {
    /// A list of instructions.
    pub fn block(&mut self, item: Item) -> Outcome<Vec<Instr>> {
        let mut out = Vec::new();
        for item in item.list("a body")? {
            self.instr(item, &mut out)?;
        }
        Ok(out)
    }

    fn instr(&mut self, item: Item, out: &mut Vec<Instr>) -> Outcome<()> {
        let span = item.span;
        if let Value::Scalar(word) = &item.value {
            if word == "return" {
                return self.lowering.push(Instr::Return, span, out);
            }
            return Err(Problem::new(
                span,
                "an instruction is a mapping, or return",
                "not an instruction",
            )
            .help("for example: {store: x, value: 1, order: release, scope: device}"));
        }
        let mut fields = Fields::of(item, "an instruction", KEYS)?;
        let Some(kind) = fields.first_of(&KINDS) else {
            return Err(Problem::new(
                fields.span(),
                "nothing says what this instruction does",
                "incomplete",
            )
            .help(format!("it needs one of the keys {}", KINDS.join(", "))));
        };
        let what = format!("the instruction {kind}");
        let head = fields.require(kind, &what)?;
        let span = head.span;
        let instr = match kind {
            "assign" => {
                let value = fields.require("value", &what)?;
                let value = self.value(&value)?;
                self.assign(&head, value)?
            }
            "load" => {
                let atomicity = atomicity(&mut fields, LOAD_FORBIDS)?;
                let value = self.lower(&head, |lowering, node| lowering.load(node, atomicity))?;
                match fields.take("into") {
                    Some(target) => self.assign(&target, value)?,
                    None => Instr::Effect(value),
                }
            }
            "store" => {
                let atomicity = atomicity(&mut fields, STORE_FORBIDS)?;
                let value = fields.require("value", &what)?;
                let access =
                    self.lower(&head, |lowering, node| lowering.access(node, atomicity))?;
                let value = self.value(&value)?;
                Instr::Store { access, value }
            }
            "effect" => match self.lower(&head, |lowering, node| lowering.effect(node, None))? {
                Instr::Host(_) => {
                    return Err(Problem::new(
                        span,
                        "a call of the OpenCL API is an instruction of its own",
                        "not an effect",
                    )
                    .help(format!("its keys are {}", CALLS.join(", "))));
                }
                instr => instr,
            },
            "fence" => {
                let flags = flags(head, true)?;
                let order = fields.require("order", &what)?.order()?;
                let scope = fields.require("scope", &what)?.scope()?;
                let legacy = match fields.take("legacy") {
                    Some(item) => item.boolean("legacy")?,
                    None => false,
                };
                if legacy && legacy_fence(order, scope).is_none() {
                    return Err(Problem::new(
                        span,
                        "no fence of OpenCL C 1.x has this order and scope",
                        "marked as legacy",
                    )
                    .help("they acquire, release or both, with the scope work_group"));
                }
                Instr::Fence {
                    flags,
                    order,
                    scope,
                    legacy,
                }
            }
            "if" => {
                let condition = self.value(&head)?;
                let mut before = self.lowering.take_before();
                let then = self.optional_block(&mut fields, "then")?;
                let otherwise = self.optional_block(&mut fields, "else")?;
                out.append(&mut before);
                Instr::If {
                    condition,
                    then,
                    otherwise,
                }
            }
            "while" => {
                let condition = self.value(&head)?;
                let before = self.lowering.take_before();
                let mut body = self.optional_block(&mut fields, "do")?;
                body.extend(before.iter().cloned());
                out.extend(before);
                Instr::While { condition, body }
            }
            "enqueue" | "marker" | "queue_barrier" | "map" | "unmap" | "wait" | "finish" => {
                let call = self.host_call(kind, head, &what, &mut fields)?;
                self.lowering.host(call)
            }
            _ => {
                let group = match kind {
                    "barrier" => BarrierScope::WorkGroup,
                    _ => BarrierScope::SubGroup,
                };
                Instr::Barrier(self.barrier(group, head, &mut fields)?)
            }
        };
        fields.finish(&what)?;
        self.lowering.push(instr, span, out)
    }

    fn host_call(
        &mut self,
        kind: &str,
        head: Item,
        what: &str,
        fields: &mut Fields,
    ) -> Outcome<CallTree> {
        let span = head.span;
        if kind == "wait" {
            let events = head.names("events")?;
            return Ok(CallTree::Wait { events, span });
        }
        if kind == "finish" {
            let queue = head.name("the queue")?;
            return Ok(CallTree::Finish { queue, span });
        }
        let queue = fields.require("queue", what)?.name("the queue")?;
        let waits = match fields.take("after") {
            Some(item) => item.names("events")?,
            None => Vec::new(),
        };
        let event = |fields: &mut Fields| match fields.take("event") {
            Some(item) => item.name("the event").map(Some),
            None => Ok(None),
        };
        let own = |head: &Item| match head.value {
            Value::Null => Ok(None),
            Value::Scalar(_) | Value::List(_) | Value::Map(_) => head.name("the event").map(Some),
        };
        let (name, kind) = match kind {
            "enqueue" => (Some(head.name("the kernel")?), CommandKind::Kernel),
            "marker" => (own(&head)?, CommandKind::Marker),
            "queue_barrier" => (own(&head)?, CommandKind::Barrier),
            "map" => {
                let location = self.lowering.mapped(&head.name("the location")?)?;
                let blocking = match fields.take("blocking") {
                    Some(item) => item.boolean("blocking")?,
                    None => false,
                };
                let access = fields.require("access", what)?.named(
                    "kind of access",
                    &["read", "write"],
                    |word| match word {
                        "read" => Some(MapAccess::Read),
                        "write" => Some(MapAccess::Write),
                        _ => None,
                    },
                )?;
                let kind = CommandKind::Map {
                    location,
                    access,
                    blocking,
                };
                (event(fields)?, kind)
            }
            _ => {
                let location = self.lowering.mapped(&head.name("the location")?)?;
                (event(fields)?, CommandKind::Unmap { location })
            }
        };
        Ok(CallTree::Enqueue {
            kind,
            name,
            queue,
            waits,
            span,
        })
    }

    fn barrier(
        &mut self,
        group: BarrierScope,
        head: Item,
        fields: &mut Fields,
    ) -> Outcome<Barrier> {
        let label = match fields.take("label") {
            Some(item) => Some(item.identifier("the label")?),
            None => None,
        };
        let scope = match fields.take("scope") {
            Some(item) => Some(item.scope()?),
            None => None,
        };
        Ok(Barrier {
            label,
            group,
            flags: flags(head, false)?,
            scope,
        })
    }

    fn optional_block(&mut self, fields: &mut Fields, key: &str) -> Outcome<Vec<Instr>> {
        match fields.take(key) {
            Some(item) => self.block(item),
            None => Ok(Vec::new()),
        }
    }

    fn assign(&mut self, target: &Item, value: Expr) -> Outcome<Instr> {
        let name = Name {
            text: target.identifier("the register")?,
            span: Span::default(),
        };
        let register = self
            .lowering
            .register_or_new(&name)
            .map_err(|problem| target.relocate(problem, &name.text, self.document))?;
        Ok(Instr::Assign { register, value })
    }

    fn value(&mut self, item: &Item) -> Outcome<Expr> {
        self.lower(item, |lowering, node| lowering.value(node))
    }

    /// Reads text as an expression and lowers it.
    fn lower<T>(
        &mut self,
        item: &Item,
        lower: impl FnOnce(&mut ThreadLowering<'_>, &Node) -> Outcome<T>,
    ) -> Outcome<T> {
        let node = item.as_c("the expression", self.document, |parser| {
            parser.expression()
        })?;
        let text = item.text("the expression")?;
        lower(self.lowering, &node).map_err(|problem| item.relocate(problem, text, self.document))
    }
}

/// How a load or store reaches memory: with an `order` atomically, with `atomic: true` alone in
/// the short form, plainly otherwise.
fn atomicity(fields: &mut Fields, forbidden: &[MemOrder]) -> Outcome<Atomicity> {
    let volatile = match fields.take("volatile") {
        Some(item) => item.boolean("volatile")?,
        None => false,
    };
    let atomic = match fields.take("atomic") {
        Some(item) => item.boolean("atomic")?,
        None => false,
    };
    let scope = match fields.take("scope") {
        Some(item) => Some((item.scope()?, item.span)),
        None => None,
    };
    match (fields.take("order"), scope) {
        (Some(item), scope) => {
            let order = item.order()?;
            if forbidden.contains(&order) {
                return Err(Problem::new(
                    item.span,
                    format!("this instruction cannot have the order {}", order.name()),
                    "not allowed here",
                ));
            }
            Ok(Atomicity::Atomic {
                order,
                scope: scope.map(|(scope, _)| scope),
                implicit: false,
            })
        }
        (None, Some((_, span))) => Err(Problem::new(
            span,
            "a scope without an order",
            "only atomic accesses have a scope",
        )
        .help("add an order: relaxed, acquire, release, acq_rel or seq_cst")),
        (None, None) if atomic => Ok(Atomicity::Atomic {
            order: MemOrder::SeqCst,
            scope: None,
            implicit: true,
        }),
        (None, None) if volatile => Ok(Atomicity::Volatile),
        (None, None) => Ok(Atomicity::Plain),
    }
}

/// A list of `global`, `local` and `image`, or one of them.
fn flags(item: Item, required: bool) -> Outcome<FenceFlags> {
    let span = item.span;
    let words = match item.value {
        Value::Scalar(_) => vec![item],
        Value::Null | Value::List(_) | Value::Map(_) => item.list("the flags")?,
    };
    let mut flags = FenceFlags::default();
    for word in &words {
        let slot = word.named("flag", &["global", "local", "image"], |w| {
            ["global", "local", "image"].iter().position(|f| *f == w)
        })?;
        match slot {
            0 => flags.global = true,
            1 => flags.local = true,
            _ => flags.image = true,
        }
    }
    if required && flags == FenceFlags::default() {
        return Err(
            Problem::new(span, "a fence needs at least one flag", "empty")
                .help("global, local, or both"),
        );
    }
    Ok(flags)
}
