//! Events, threads and what commands order, in words.

use crate::mutation::{order_word, scope_word};
use crate::oracle::{EventKind, Shown};
use crate::program::{
    Api, CommandId, CommandKind, FenceFlags, Link, LocId, Observable, Placement, Program, QueueId,
    Region, Thread,
};
use crate::syntax::placement_text;

/// An event of the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// A short name: `a`, `b`, …; `init x` for initial values.
    pub id: String,
    /// What it does: `W x=1`.
    pub label: String,
    /// Order, scope and region; empty for initial values.
    pub detail: String,
    /// Index of its thread; none for initial values.
    pub thread: Option<usize>,
    /// The failing cycle goes through it.
    pub in_cycle: bool,
}

impl Node {
    /// What stands in its box: its letter and what it does, or that it is an initial value.
    pub fn title(&self) -> String {
        match self.thread {
            Some(_) => format!("{}: {}", self.id, self.label),
            None => format!("init {}", self.label),
        }
    }
}

/// An event; `letters` counts those that have been named.
pub(super) fn node(program: &Program, event: &Shown, letters: &mut usize) -> Node {
    let place = event.place.map(|(location, element)| {
        let observable = Observable::Memory(location, element);
        let ty = program.observable_type(observable);
        (program.observable_name(observable), ty)
    });
    let (name, ty) = match &place {
        Some((name, ty)) => (name.as_str(), *ty),
        None => ("", Default::default()),
    };
    let memory = || {
        let location = event.place.map(|(location, _)| location);
        location.map_or("", |of| program.locations[of.index()].name.as_str())
    };
    let value = |v: Option<i64>| v.map_or("?".to_owned(), |v| ty.show(v));
    let label = match event.kind {
        None => format!("{name}={}", value(event.written)),
        Some(EventKind::Read) => format!("R {name}={}", value(event.read)),
        Some(EventKind::Write) => format!("W {name}={}", value(event.written)),
        Some(EventKind::Rmw) => {
            format!("RMW {name}={}→{}", value(event.read), value(event.written))
        }
        Some(EventKind::Fence) => "F".to_owned(),
        Some(EventKind::Entry) => "barrier entry".to_owned(),
        Some(EventKind::Exit) => "barrier exit".to_owned(),
        Some(EventKind::Barrier) => "barrier".to_owned(),
        Some(EventKind::Available) => "AV".to_owned(),
        Some(EventKind::Visible) => "VIS".to_owned(),
        Some(EventKind::HostToDevice | EventKind::DeviceToHost) => "DOM".to_owned(),
        Some(EventKind::Flush) => format!("AV {}", memory()),
        Some(EventKind::Invalidate) => format!("VIS {}", memory()),
        Some(EventKind::Free) => format!("free {}", memory()),
    };
    let id = match event.kind {
        None => format!("init {name}"),
        Some(_) => {
            *letters += 1;
            letter(*letters - 1)
        }
    };
    let mut detail = Vec::new();
    match (event.kind, event.ordering) {
        (None, _) => {}
        (Some(EventKind::Available | EventKind::Visible), ordering) => {
            detail.push(ordering.map_or("device domain", |(_, scope)| scope_word(scope)));
        }
        (Some(EventKind::Flush | EventKind::Invalidate), _) => detail.push("host domain"),
        (Some(EventKind::HostToDevice), _) => detail.push("host to device domain"),
        (Some(EventKind::DeviceToHost), _) => detail.push("device to host domain"),
        (Some(EventKind::Free), _) => {}
        (Some(_), Some((order, scope))) => {
            detail.push(order_word(order));
            detail.push(scope_word(scope));
        }
        (Some(_), None) => match event.non_private {
            None => detail.push("plain"),
            Some(None) => detail.push("non-private"),
            Some(Some(_)) => {}
        },
    }
    let made = event.non_private.flatten().map(|scope| {
        let writes = event.kind.is_some_and(EventKind::writes);
        let made = if writes { "available" } else { "visible" };
        format!("{made} at {}", scope_word(scope))
    });
    detail.extend(made.as_deref());
    match event.region {
        Some(region @ (Region::Local | Region::Image | Region::Output | Region::Input)) => {
            detail.push(region.name());
        }
        Some(Region::Global) | None => {}
    }
    let flags = event.flags.map(flag_words);
    detail.extend(flags.as_deref());
    Node {
        id,
        label,
        detail: detail.join(", "),
        thread: event.thread.map(|t| t.index()),
        in_cycle: false,
    }
}

/// `a` to `z`, then `aa`, `ab`, ….
fn letter(mut index: usize) -> String {
    let mut out = String::new();
    loop {
        out.insert(0, char::from(b'a' + (index % 26) as u8));
        if index < 26 {
            return out;
        }
        index = index / 26 - 1;
    }
}

/// The regions that a fence orders, as flags: `global|local`.
fn flag_words(flags: FenceFlags) -> String {
    let set = flags.words();
    match set.is_empty() {
        true => "no flags".to_owned(),
        false => set.join("|"),
    }
}

/// Where a thread runs: `host`, `wg 0, dev 0`, `kernel A, wg 0, dev 0`.
pub(super) fn place(program: &Program, thread: &Thread) -> String {
    match thread.placement {
        Placement::Host => "host".to_owned(),
        Placement::Device(item) => match thread.kernel {
            Some(kernel) => format!("kernel {}, {item}", command_name(program, kernel)),
            None if program.api == Api::Vulkan => placement_text(thread.placement),
            None => item.to_string(),
        },
    }
}

fn command_name(program: &Program, command: CommandId) -> &str {
    program
        .commands
        .get(command.index())
        .map_or("", |c| c.name.as_str())
}

/// What orders two points by commands: `command: enqueue A, event A`.
pub(super) fn links(program: &Program, links: &[Link]) -> String {
    let queue = |queue: QueueId| {
        let queue = program.queues.get(queue.index());
        queue.map_or("", |q| q.name.as_str())
    };
    let command = |id: CommandId| {
        let name = command_name(program, id);
        let location = |location: LocId| program.locations[location.index()].name.as_str();
        match program.commands.get(id.index()).map(|c| c.kind) {
            Some(CommandKind::Map { location: at, .. }) => format!("map {}", location(at)),
            Some(CommandKind::Unmap { location: at }) => format!("unmap {}", location(at)),
            Some(CommandKind::Marker) => format!("marker {name}"),
            Some(CommandKind::Barrier) => format!("barrier {name}"),
            Some(CommandKind::Kernel) | None => name.to_owned(),
        }
    };
    let words: Vec<String> = links
        .iter()
        .map(|link| match link {
            Link::Enqueue(id) => format!("enqueue {}", command(*id)),
            Link::Event(id) => format!("event {}", command(*id)),
            Link::InOrder(id) => format!("in-order {}", queue(*id)),
            Link::Sync(id) => command(*id),
            Link::Wait(id) => format!("wait {}", command(*id)),
            Link::Finish(id) => format!("finish {}", queue(*id)),
            Link::Blocking(id) => format!("blocking {}", command(*id)),
        })
        .collect();
    match words.is_empty() {
        true => "command".to_owned(),
        false => format!("command: {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 27, 51, 52, 701, 702].map(letter).to_vec();
        assert_eq!(names, ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
    }
}
