//! The enumerators of OpenCL C among a call's arguments: orders, scopes, flags.

use crate::program::{BinOp, FenceFlags, MemOrder, MemScope};
use crate::syntax::error::{Outcome, Problem, nearest};
use crate::syntax::tree::{Node, NodeKind};

pub(super) fn order_named(text: &str) -> Option<MemOrder> {
    MemOrder::ALL.into_iter().find(|o| o.name() == text)
}

fn scope_named(text: &str) -> Option<MemScope> {
    if text == "memory_scope_all_devices" {
        return Some(MemScope::AllSvmDevices);
    }
    MemScope::ALL.into_iter().find(|s| s.name() == text)
}

pub(super) fn names_scope(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Name(text) if text.starts_with("memory_scope"))
}

pub(super) fn order(node: &Node) -> Outcome<MemOrder> {
    let names = MemOrder::ALL.map(MemOrder::name);
    enumerator(node, "a memory order", &names, order_named)
}

pub(super) fn scope(node: &Node) -> Outcome<MemScope> {
    let names = MemScope::ALL.map(MemScope::name);
    enumerator(node, "a memory scope", &names, scope_named)
}

fn enumerator<T>(
    node: &Node,
    what: &str,
    names: &[&'static str],
    named: fn(&str) -> Option<T>,
) -> Outcome<T> {
    if let NodeKind::Name(text) = &node.kind {
        if let Some(value) = named(text) {
            return Ok(value);
        }
        let problem = Problem::new(
            node.span,
            format!("{text} is not {what}"),
            format!("expected {what}"),
        );
        return Err(match nearest(text, names.iter().copied()) {
            Some(near) => problem.help(format!("did you mean {near}?")),
            None => problem.help(format!("one of {}", names.join(", "))),
        });
    }
    Err(
        Problem::new(node.span, format!("expected {what}"), format!("not {what}"))
            .help(format!("one of {}", names.join(", "))),
    )
}

/// Flags of a fence: at least one.
pub(super) fn some_flags(node: &Node) -> Outcome<FenceFlags> {
    let found = flags(node)?;
    if found == FenceFlags::default() {
        return Err(
            Problem::new(node.span, "a fence needs at least one flag", "no flag")
                .help("CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE, or both joined by |"),
        );
    }
    Ok(found)
}

/// Flags joined by `|`; `0` for none.
pub(super) fn flags(node: &Node) -> Outcome<FenceFlags> {
    let mut found = FenceFlags::default();
    add_flags(node, &mut found)?;
    Ok(found)
}

fn add_flags(node: &Node, found: &mut FenceFlags) -> Outcome<()> {
    if let NodeKind::Binary(BinOp::Or, left, right) = &node.kind {
        add_flags(left, found)?;
        return add_flags(right, found);
    }
    if let NodeKind::Int(0) = &node.kind {
        return Ok(());
    }
    let slot = match &node.kind {
        NodeKind::Name(text) if text == "CLK_GLOBAL_MEM_FENCE" => Some(&mut found.global),
        NodeKind::Name(text) if text == "CLK_LOCAL_MEM_FENCE" => Some(&mut found.local),
        NodeKind::Name(text) if text == "CLK_IMAGE_MEM_FENCE" => Some(&mut found.image),
        NodeKind::Int(_)
        | NodeKind::Name(_)
        | NodeKind::Unary(..)
        | NodeKind::Deref(_)
        | NodeKind::AddressOf(_)
        | NodeKind::Binary(..)
        | NodeKind::Select(..)
        | NodeKind::Index(..)
        | NodeKind::Call(..)
        | NodeKind::Cast(..) => None,
    };
    match slot {
        Some(flag) => {
            *flag = true;
            Ok(())
        }
        None => Err(Problem::new(
            node.span,
            "expected the flags of a fence",
            "not a flag",
        )
        .help(
            "CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE, or several joined by |",
        )),
    }
}
