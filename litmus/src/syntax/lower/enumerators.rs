//! The enumerators of OpenCL C among a call's arguments: orders, scopes, flags.

use crate::program::{Api, BinOp, FenceFlags, MemOrder, MemScope, flag_name};
use crate::syntax::error::{Outcome, nearest};
use crate::syntax::tree::{Node, NodeKind};

fn scope_named(text: &str) -> Option<MemScope> {
    match text {
        "memory_scope_all_devices" => Some(MemScope::AllSvmDevices),
        _ => MemScope::of(Api::OpenCl).find(|scope| scope.name() == text),
    }
}

pub(super) fn names_scope(node: &Node) -> bool {
    node.word()
        .is_some_and(|text| text.starts_with("memory_scope"))
}

pub(super) fn order(node: &Node) -> Outcome<MemOrder> {
    let names = MemOrder::ALL.map(MemOrder::name);
    enumerator(node, "a memory order", &names, MemOrder::named)
}

pub(super) fn scope(node: &Node) -> Outcome<MemScope> {
    let names: Vec<&str> = MemScope::of(Api::OpenCl).map(MemScope::name).collect();
    enumerator(node, "a memory scope", &names, scope_named)
}

fn enumerator<T>(
    node: &Node,
    what: &str,
    names: &[&'static str],
    named: fn(&str) -> Option<T>,
) -> Outcome<T> {
    let all = || format!("one of {}", names.join(", "));
    let Some(text) = node.word() else {
        let message = format!("expected {what}");
        return Err(node.problem(message, format!("not {what}")).help(all()));
    };
    named(text).ok_or_else(|| {
        let message = format!("{text} is not {what}");
        node.problem(message, format!("expected {what}"))
            .did_you_mean(nearest(text, names.iter().copied()), all)
    })
}

/// Flags of a fence: at least one.
pub(super) fn some_flags(node: &Node) -> Outcome<FenceFlags> {
    let found = flags(node)?;
    if found == FenceFlags::default() {
        return Err(node
            .problem("a fence needs at least one flag", "no flag")
            .help("CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE, or both joined by |"));
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
    let mut named = found
        .named()
        .into_iter()
        .filter(|(word, _)| *word != "output");
    match named.find(|(word, _)| node.word() == Some(flag_name(word).as_str())) {
        Some((_, flag)) => {
            *flag = true;
            Ok(())
        }
        None => Err(node.problem("expected the flags of a fence",
            "not a flag",
        )
        .help(
            "CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE, or several joined by |",
        )),
    }
}
