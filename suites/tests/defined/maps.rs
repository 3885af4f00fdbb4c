//! Mapped memory: what commands and host threads do with it from its map to its unmap.

use super::clause::Clause;
use super::order::{Moment, Order};
use super::uses;
use classay_suites::commands::program::*;

/// Tells of every wrong use.
pub fn judge(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    for map in 0..program.commands.len() {
        let Some((range, mode)) = uses::mapped(program, map) else {
            continue;
        };
        let unmap = unmap(order, map);
        if let Some(unmap) = unmap {
            let enqueued = order.enqueued(unmap).map(Moment::Call);
            let known = order.enqueued(map).map(Moment::Return);
            let follows = known
                .zip(enqueued)
                .is_some_and(|(a, b)| order.is_before(a, b));
            if order.fails(map) || !order.is_after(unmap, map) || !follows {
                let what =
                    format!("command {unmap} unmaps what command {map} may not have mapped yet");
                tell(Clause::MapNotReady, what);
            }
        }
        // "The above note does not apply to fine-grained SVM buffers".
        if !order.fails(map) && !uses::is_shared_by_byte(program, range.object) {
            let unmap = unmap.filter(|unmap| !order.fails(*unmap));
            held(order, (map, range, mode), unmap, tell);
        }
    }
    for (place, step) in &order.steps {
        if let Step::Access(id) = step {
            access(order, *place, &program.accesses[id.index()], tell);
        }
    }
}

/// The command that ends a map.
fn unmap(order: &Order<'_>, map: usize) -> Option<usize> {
    let commands = order.program.commands.iter();
    let ends = |what: &What| matches!(what, What::Unmap(of) if of.index() == map);
    commands.into_iter().position(|command| ends(&command.what))
}

/// Commands that may run while an object is mapped, which is held whole: "A memory object is considered as
/// mapped if there are one or more active mappings for the memory object irrespective of whether the mapped
/// regions span the entire memory object."
fn held(
    order: &Order<'_>,
    (map, range, mode): (usize, Range, MapMode),
    unmap: Option<usize>,
    tell: &mut dyn FnMut(Clause, String),
) {
    let program = order.program;
    let here = uses::of_range(program, range, mode.writes());
    let others = (0..program.commands.len()).filter(|n| *n != map && Some(*n) != unmap);
    for n in others.filter(|n| !order.fails(*n)) {
        if order.is_after(map, n) || unmap.is_some_and(|unmap| order.is_after(n, unmap)) {
            continue;
        }
        let mut found = |clause| {
            let what = format!(
                "command {n} may run while object {} is mapped by command {map}",
                here.root
            );
            tell(clause, what);
        };
        for other in uses::of_command(program, n) {
            if other.root == here.root && mode.writes() {
                found(Clause::MappedForWriting);
            } else if other.root == here.root && other.write {
                found(Clause::MappedForReading);
            }
        }
        let same = |object: &ObjectId| uses::root(program, *object).0 == here.root;
        match &program.commands[n].what {
            What::Migrate { objects, .. } if objects.iter().any(same) => found(Clause::Migrate),
            What::Free(objects) if objects.iter().any(same) => found(Clause::Freed),
            What::Map { range, mode: other } if same(&range.object) => {
                let there = uses::of_range(program, *range, other.writes());
                if mode.writes() || other.writes() {
                    found(if here.cells & there.cells != 0 {
                        Clause::MappedTwice
                    } else {
                        Clause::MappedForWriting
                    });
                }
            }
            _ => {}
        }
    }
}

/// An access of the host.
fn access(order: &Order<'_>, place: Place, access: &Access, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let here = uses::of_range(program, access.range, access.write);
    if uses::is_shared_by_byte(program, here.root) {
        return;
    }
    let mapped = access.map.map(CommandId::index);
    let mapped = mapped.and_then(|map| Some((map, uses::mapped(program, map)?)));
    let Some((map, (range, mode))) = mapped.filter(|(map, _)| !order.fails(*map)) else {
        let what = format!("{place} uses object {} without a map", here.root);
        return tell(Clause::NoMap, what);
    };
    let there = uses::of_range(program, range, false);
    if there.root != here.root || here.cells & !there.cells != 0 {
        tell(
            Clause::OutsideMap,
            format!("{place} leaves what command {map} maps"),
        );
    }
    if access.write && !mode.writes() {
        tell(
            Clause::MapMode,
            format!("{place} writes to what command {map} maps for reading"),
        );
    }
    if !order.is_before(Moment::Complete(map), Moment::Call(place)) {
        tell(
            Clause::MapNotReady,
            format!("{place} does not wait for command {map}, the map"),
        );
    }
    if let Some(unmap) = unmap(order, map)
        && let Some(enqueued) = order.enqueued(unmap)
        && !order.is_before(Moment::Return(place), Moment::Call(enqueued))
    {
        tell(
            Clause::Unmapped,
            format!("{place} may come when command {unmap} was enqueued, the unmap"),
        );
    }
}
