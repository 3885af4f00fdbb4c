//! The functions of OpenCL C that a litmus test may call: atomics of every version, fences and
//! barriers.

use super::enumerators::{flags, names_scope, order, scope, some_flags};
use super::expression::{Called, Place};
use super::thread::ThreadLowering;
use crate::program::{
    Access, Atomic, Atomicity, Barrier, BarrierScope, Cas, CasStrength, Expected, Expr, Fence,
    FenceFlags, Instr, LOAD_FORBIDS, Make, MemOrder, MemScope, Rmw, RmwOp, STORE_FORBIDS,
    ScalarType,
};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::tree::{Name, Node, NodeKind};

/// What the atomic functions of OpenCL C 1.x do, which state nothing. They are atomic for the whole
/// device that runs the kernel.
const LEGACY: Atomic = Atomic {
    order: MemOrder::Relaxed,
    scope: Some(MemScope::Device),
    implicit: false,
    ..Atomic::SHORT
};

/// A function, without `_explicit`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    Init,
    Load,
    Store,
    Rmw(RmwOp),
    Cas(CasStrength),
    FlagClear,
    /// OpenCL C 1.x, with an operand.
    Legacy(RmwOp),
    /// OpenCL C 1.x `atomic_inc`, `atomic_dec`.
    LegacyStep(RmwOp),
    /// OpenCL C 1.x `atomic_cmpxchg`.
    LegacyCas,
    Fence,
    /// C11's fence, without flags or scope.
    ThreadFence,
    LegacyFence(MemOrder),
    Barrier(BarrierScope),
}

/// Every name but those of read-modify-writes and compare-exchanges, without `_explicit`.
const FUNCTIONS: &[(&str, Function)] = {
    use Function::{
        Barrier, Fence, FlagClear, Init, LegacyCas, LegacyFence, Load, Store, ThreadFence,
    };
    &[
        ("atomic_init", Init),
        ("atomic_load", Load),
        ("atomic_store", Store),
        ("atomic_flag_clear", FlagClear),
        ("atomic_work_item_fence", Fence),
        ("atomic_thread_fence", ThreadFence),
        ("mem_fence", LegacyFence(MemOrder::AcqRel)),
        ("read_mem_fence", LegacyFence(MemOrder::Acquire)),
        ("write_mem_fence", LegacyFence(MemOrder::Release)),
        ("barrier", Barrier(BarrierScope::WorkGroup)),
        ("work_group_barrier", Barrier(BarrierScope::WorkGroup)),
        ("sub_group_barrier", Barrier(BarrierScope::SubGroup)),
        ("atomic_cmpxchg", LegacyCas),
    ]
};

/// The function of a name without `_explicit`, but for the atomics of OpenCL C 1.x.
fn named(name: &str) -> Option<Function> {
    let listed = FUNCTIONS.iter().find(|(known, _)| *known == name);
    (listed.map(|(_, function)| *function))
        .or_else(|| RmwOp::named(name).map(Function::Rmw))
        .or_else(|| CasStrength::named(name).map(Function::Cas))
}

/// The function, and whether the `_explicit` form is meant.
fn find(name: &str) -> Option<(Function, bool)> {
    if let Some(function) = named(name) {
        return Some((function, false));
    }
    if let Some(
        function @ (Function::Load
        | Function::Store
        | Function::Rmw(_)
        | Function::Cas(_)
        | Function::FlagClear),
    ) = name.strip_suffix("_explicit").and_then(named)
    {
        return Some((function, true));
    }
    let legacy = name
        .strip_prefix("atomic_")
        .or(name.strip_prefix("atom_"))?;
    let function = match legacy {
        "inc" => Function::LegacyStep(RmwOp::Add),
        "dec" => Function::LegacyStep(RmwOp::Sub),
        "cmpxchg" => Function::LegacyCas,
        _ => Function::Legacy(RmwOp::of_legacy_name(legacy)?),
    };
    Some((function, false))
}

/// A call being lowered.
struct Call<'n> {
    name: &'n Name,
    arguments: &'n [Node],
    span: Span,
    explicit: bool,
}

impl<'n> Call<'n> {
    /// Checks the number of arguments: `operands`, then an order and perhaps a scope.
    fn arity(&self, operands: usize, orders: std::ops::RangeInclusive<usize>) -> Outcome<()> {
        let (least, most) = if self.explicit {
            (operands + orders.start(), operands + orders.end())
        } else {
            (operands, operands)
        };
        self.count(least, most)
    }

    fn count(&self, least: usize, most: usize) -> Outcome<()> {
        let given = self.arguments.len();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        let expected = if least == most {
            least.to_string()
        } else {
            format!("{least} to {most}")
        };
        let problem = self.span.problem(
            format!("{} takes {expected} arguments, not {given}", self.name.text),
            "wrong number of arguments",
        );
        let explicit = format!("{}_explicit", self.name.text);
        Err(
            if !self.explicit && given > most && find(&explicit).is_some() {
                problem.help(format!("{explicit} takes a memory order and a scope"))
            } else {
                problem
            },
        )
    }

    /// Order and scope from argument `at` on.
    fn atomic(&self, at: usize) -> Outcome<Atomic> {
        if !self.explicit {
            return Ok(Atomic::SHORT);
        }
        let order = order(&self.arguments[at])?;
        Ok(Atomic::explicit(order, self.optional_scope(at + 1)?))
    }

    fn optional_scope(&self, at: usize) -> Outcome<Option<MemScope>> {
        self.arguments.get(at).map(scope).transpose()
    }

    /// Refuses the orders that the specification forbids for this function.
    fn forbid(&self, orders: &[MemOrder]) -> Outcome<()> {
        if !self.explicit {
            return Ok(());
        }
        for argument in self.arguments {
            if let Some(order) = argument.word().and_then(MemOrder::named)
                && orders.contains(&order)
            {
                return Err(argument.problem(
                    format!("{} cannot have the order {}", self.name.text, order.name()),
                    "not allowed here",
                ));
            }
        }
        Ok(())
    }
}

impl ThreadLowering<'_> {
    /// A call; `label` is what stands before it as a statement.
    pub(super) fn call(
        &mut self,
        name: &Name,
        arguments: &[Node],
        span: Span,
        label: Option<&Name>,
    ) -> Outcome<Called> {
        if let Some(instr) = self.host_call(name, arguments, span, label)? {
            return Ok(Called::Instr(instr));
        }
        let Some((function, explicit)) = find(&name.text) else {
            return Err(unknown_function(name));
        };
        let call = Call {
            name,
            arguments,
            span,
            explicit,
        };
        match function {
            Function::Load => {
                call.arity(1, 1..=2)?;
                call.forbid(LOAD_FORBIDS)?;
                let access = self.atomic_access(&call, 1)?;
                Ok(Called::Value(Expr::Load(access)))
            }
            Function::Store => {
                call.arity(2, 1..=2)?;
                call.forbid(STORE_FORBIDS)?;
                let access = self.atomic_access(&call, 2)?;
                let value = self.value(&arguments[1])?;
                Ok(Called::Instr(Instr::Store { access, value }))
            }
            Function::FlagClear => {
                call.arity(1, 1..=2)?;
                call.forbid(STORE_FORBIDS)?;
                let address = self.flag(&arguments[0])?.address;
                let atomicity = Atomicity::Atomic(call.atomic(1)?);
                Ok(Called::Instr(Instr::Store {
                    access: Access { address, atomicity },
                    value: Expr::Const(0),
                }))
            }
            Function::Init => {
                call.count(2, 2)?;
                let address = self.object(&arguments[0])?.address;
                let atomicity = Atomicity::Plain;
                Ok(Called::Instr(Instr::Store {
                    access: Access { address, atomicity },
                    value: self.value(&arguments[1])?,
                }))
            }
            Function::Rmw(op) => self.read_modify_write(&call, op).map(Called::Value),
            Function::Cas(strength) => self.compare_exchange(&call, strength).map(Called::Value),
            Function::Legacy(op) => {
                call.count(2, 2)?;
                let place = self.object(&arguments[0])?;
                let operand = self.value(&arguments[1])?;
                Ok(Called::Value(legacy_rmw(op, place, operand)))
            }
            Function::LegacyStep(op) => {
                call.count(1, 1)?;
                let place = self.object(&arguments[0])?;
                Ok(Called::Value(legacy_rmw(op, place, Expr::Const(1))))
            }
            Function::LegacyCas => self.legacy_compare_exchange(&call).map(Called::Value),
            Function::Fence => {
                call.count(3, 3)?;
                let flags = some_flags(&arguments[0])?;
                let (order, scope) = (order(&arguments[1])?, scope(&arguments[2])?);
                Ok(fence(flags, order, scope, false))
            }
            Function::ThreadFence => {
                call.count(1, 1)?;
                let flags = FenceFlags {
                    global: true,
                    local: true,
                    ..FenceFlags::NONE
                };
                Ok(fence(flags, order(&arguments[0])?, MemScope::Device, false))
            }
            Function::LegacyFence(order) => {
                call.count(1, 1)?;
                let flags = some_flags(&arguments[0])?;
                Ok(fence(flags, order, MemScope::WorkGroup, true))
            }
            Function::Barrier(group) => {
                call.count(1, 2)?;
                Ok(Called::Instr(Instr::Barrier(Barrier {
                    label: label.map(|l| l.text.clone()),
                    scope: call.optional_scope(1)?,
                    ..Barrier::of(group, flags(&arguments[0])?)
                })))
            }
        }
    }

    /// The object of an atomic function, and its order and scope from argument `at` on.
    fn atomic_access(&mut self, call: &Call<'_>, at: usize) -> Outcome<Access> {
        let place = self.object(&call.arguments[0])?;
        Ok(Access {
            address: place.address,
            atomicity: Atomicity::Atomic(call.atomic(at)?),
        })
    }

    /// What an atomic function operates on: an integer of 32 or 64 bits.
    fn object(&mut self, node: &Node) -> Outcome<Place> {
        let place = self.address(node)?;
        let location = self.locations.get(place.address.location);
        if location.ty == ScalarType::Flag {
            return Err(node
                .problem(
                    format!("{} is an atomic_flag", location.name),
                    "expected an atomic integer",
                )
                .help("use atomic_flag_test_and_set and atomic_flag_clear"));
        }
        if location.ty.atomic_name().is_none() {
            return Err(node.problem(
                format!(
                    "{} is of type {}, which has no atomic operations",
                    location.name, location.ty
                ),
                "expected 32 or 64 bits",
            ));
        }
        Ok(place)
    }

    fn flag(&mut self, node: &Node) -> Outcome<Place> {
        let place = self.address(node)?;
        let location = self.locations.get(place.address.location);
        if location.ty != ScalarType::Flag {
            return Err(node
                .problem(
                    format!("{} is not an atomic_flag", location.name),
                    format!("of type {}", location.ty),
                )
                .help("declare the parameter as global atomic_flag*"));
        }
        Ok(place)
    }

    fn read_modify_write(&mut self, call: &Call<'_>, op: RmwOp) -> Outcome<Expr> {
        let flag = op == RmwOp::TestAndSet;
        let operands = if flag { 1 } else { 2 };
        call.arity(operands, 1..=2)?;
        let place = match flag {
            true => self.flag(&call.arguments[0])?,
            false => self.object(&call.arguments[0])?,
        };
        let operand = match flag {
            true => Expr::Const(1),
            false => self.value(&call.arguments[1])?,
        };
        Ok(Expr::Rmw(Rmw {
            op,
            address: place.address,
            operand: Box::new(operand),
            atomic: call.atomic(operands)?,
        }))
    }

    fn compare_exchange(&mut self, call: &Call<'_>, strength: CasStrength) -> Outcome<Expr> {
        call.arity(3, 1..=3)?;
        let place = self.object(&call.arguments[0])?;
        let expected = self.expected(&call.arguments[1])?;
        let desired = self.value(&call.arguments[2])?;
        let (atomic, failure) = if call.explicit {
            let success = order(&call.arguments[3])?;
            // with one order, failure gets what of it a load can have, as in C++
            let (failure, scope_at) = match call.arguments.get(4) {
                Some(node) if !names_scope(node) => (order(node)?, 5),
                Some(_) | None => (success.of_load(), 4),
            };
            if call.arguments.len() > scope_at + 1 {
                return Err(call.arguments[scope_at + 1].span.problem(
                    format!("{} has an argument too many", call.name.text),
                    "nothing may follow the scope",
                ));
            }
            let scope = call.optional_scope(scope_at)?;
            (Atomic::explicit(success, scope), failure)
        } else {
            (Atomic::SHORT, MemOrder::SeqCst)
        };
        Ok(Expr::Cas(Cas {
            strength,
            address: place.address,
            expected,
            desired: Box::new(desired),
            atomic,
            failure,
        }))
    }

    /// `&r0` is a register where there is one of that name; anything else is a location.
    fn expected(&mut self, node: &Node) -> Outcome<Expected> {
        if let NodeKind::AddressOf(inner) = &node.kind
            && let Some(name) = inner.name()
            && let Some(register) = self.register(&name)?
        {
            return Ok(Expected::Register(register));
        }
        let place = self.address(node)?;
        let access = self.plain_access(place, node.span)?;
        Ok(Expected::Location(access.address))
    }

    /// `atomic_cmpxchg(x, c, v)` returns the old value. A register holds `c` before and the old
    /// value after a compare-exchange, whether that succeeds or fails.
    fn legacy_compare_exchange(&mut self, call: &Call<'_>) -> Outcome<Expr> {
        call.count(3, 3)?;
        let place = self.object(&call.arguments[0])?;
        let ty = self.locations.get(place.address.location).ty;
        let compared = self.value(&call.arguments[1])?;
        if self.conditional > 0 && !matches!(compared, Expr::Const(_)) {
            return Err(call.arguments[1]
                .span
                .problem(
                    format!(
                        "{} inside &&, || or ?: can only compare with a constant",
                        call.name.text
                    ),
                    "not a constant",
                )
                .help("write it as a statement of its own"));
        }
        let register = self.fresh("compared", call.span)?;
        self.set_type(register, ty);
        self.before.push(Instr::Assign {
            register,
            value: compared,
        });
        let desired = self.value(&call.arguments[2])?;
        let exchange = Expr::Cas(Cas {
            strength: CasStrength::Strong,
            address: place.address,
            expected: Expected::Register(register),
            desired: Box::new(desired),
            atomic: LEGACY,
            failure: MemOrder::Relaxed,
        });
        Ok(Expr::Select(
            Box::new(exchange),
            Box::new(Expr::Reg(register)),
            Box::new(Expr::Reg(register)),
        ))
    }
}

fn legacy_rmw(op: RmwOp, place: Place, operand: Expr) -> Expr {
    Expr::Rmw(Rmw {
        op,
        address: place.address,
        operand: Box::new(operand),
        atomic: LEGACY,
    })
}

fn fence(flags: FenceFlags, order: MemOrder, scope: MemScope, legacy: bool) -> Called {
    Called::Instr(Instr::Fence(Fence {
        flags,
        order,
        scope,
        legacy,
        make: Make::NOTHING,
    }))
}

fn unknown_function(name: &Name) -> Problem {
    let problem = name.problem(
        format!("there is no function {}", name.text),
        "unknown function",
    );
    let bare = name.text.strip_suffix("_explicit");
    let known = (FUNCTIONS.iter().map(|(n, _)| *n))
        .chain(RmwOp::ALL.map(RmwOp::name))
        .chain(CasStrength::ALL.map(CasStrength::name))
        .chain(super::host::names());
    let near = nearest(bare.unwrap_or(&name.text), known);
    let near = near.map(|near| match bare {
        Some(_) => format!("{near}_explicit"),
        None => near.to_owned(),
    });
    problem.did_you_mean(near.as_deref(), || {
        "a test may call the atomic functions, fences and barriers of OpenCL C".to_owned()
    })
}
