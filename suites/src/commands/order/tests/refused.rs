//! What is no program is refused with the sentence that says why, and what only looks odd is not.

use super::super::Order;
use crate::commands::memory::Memory;
use crate::commands::program::Program;
use crate::commands::yaml;

/// A program of two contexts with memory of every kind, in which everything is right.
const GOOD: &str = "
devices: 2
contexts: 2
cell_words: 4
queues:
- {context: 0, device: 0, out_of_order: false}
- {context: 0, device: 1, out_of_order: true}
- {context: 1, device: 0, out_of_order: false}
objects:
- {context: 0, cells: 8, kind: {buffer: copy}}
- {context: 0, cells: 4, kind: {sub-buffer: {of: 0, first: 4}}}
- {context: 0, cells: 8, kind: svm-coarse}
- {context: 0, cells: 8, kind: svm-fine}
- {context: 0, cells: 8, kind: variable}
- {context: 1, cells: 8, kind: {buffer: use}}
- {context: 0, cells: 8, kind: svm-system}
users: [0, 1]
commands:
- {queue: 0, what: {kernel: {reads: [{object: 0, first: 0, count: 2}], writes: [{object: 4, first: 0, count: 2}], items: 4}}}
- {queue: 0, what: {read: {range: {object: 1, first: 0, count: 2, stride: 2}, rect: true}}, blocking: true}
- {queue: 0, what: {copy: {from: {object: 2, first: 0, count: 2}, to: {object: 3, first: 0, count: 2}}}}
- {queue: 0, what: {map: {range: {object: 0, first: 0, count: 4}, mode: read-write}}, blocking: true}
- {queue: 0, what: {unmap: 3}}
- {queue: 0, what: {fill: {object: 0, first: 0, count: 1}}, wait: [{user: 0}]}
- {queue: 0, what: {migrate: {objects: [2, 3], to_host: true}}}
- {queue: 2, what: {write: {range: {object: 5, first: 0, count: 8}}}}
- {queue: 0, what: {native: {writes: [{object: 0, first: 1, count: 1}], items: 1}}}
- {queue: 0, what: {free: [2]}}
callbacks:
- {event: {command: 5}, at: complete, steps: [status: {command: 5}]}
accesses:
- {range: {object: 0, first: 1, count: 1}, write: true, map: 3}
- {range: {object: 3, first: 7, count: 1}, write: false}
signals: 1
threads:
- - enqueue: 0
  - enqueue: 1
  - inspect: 1
  - enqueue: 2
  - enqueue: 3
  - access: 0
  - enqueue: 4
  - access: 1
  - enqueue: 5
  - register: 0
  - signal: 0
  - enqueue: 6
  - enqueue: 7
  - enqueue: 8
  - enqueue: 9
  - flush: 0
  - finish: 2
  - wait: [{command: 6}, {command: 8}]
  - finish: 0
- - await: 0
  - sleep: 10
  - set: {user: 0, status: 0}
";

fn program(text: &str) -> Program {
    yaml::read(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Why the good program is refused where one thing in it is another.
fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let program = program(&GOOD.replacen(from, to, 1));
    match Order::of(&program).and_then(|order| Memory::of(&program, &order)) {
        Ok(_) => panic!("{to} is let through"),
        Err(why) => why.to_string(),
    }
}

#[test]
fn the_good_program_is_let_through() {
    let good = program(GOOD);
    let order = Order::of(&good).expect("an order");
    Memory::of(&good, &order).expect("no race");
}

#[test]
fn what_is_not_there_is_named() {
    for (from, to, why) in [
        ("queue: 2, what", "queue: 3, what", "there is no queue 3"),
        (
            "{context: 1, device: 0",
            "{context: 2, device: 0",
            "there is no context 2",
        ),
        ("users: [0, 1]", "users: [0, 9]", "there is no context 9"),
        ("of: 0, first: 4", "of: 7, first: 4", "there is no object 7"),
        (
            "wait: [{user: 0}]",
            "wait: [{user: 2}]",
            "there is no user event 2",
        ),
        ("unmap: 3", "unmap: 30", "there is no command 30"),
        ("map: 3}", "map: 31}", "there is no command 31"),
        ("register: 0", "register: 1", "there is no callback 1"),
        ("access: 1", "access: 2", "there is no access 2"),
        ("await: 0", "await: 4", "there is no signal 4"),
        ("finish: 2", "finish: 8", "there is no queue 8"),
        (
            "event: {command: 5}",
            "event: {command: 55}",
            "there is no command 55",
        ),
        (
            "device: 1, out",
            "device: 2, out",
            "queue 1 is on device 2, which is not there",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
}

#[test]
fn sizes_are_held_to_their_bounds() {
    let least = "a program has at least a device, a context, a word in a cell and a thread";
    for (from, to, why) in [
        ("cell_words: 4", "cell_words: 0", least),
        (
            "cell_words: 4",
            "cell_words: 32769",
            "a cell has at most 32768 words",
        ),
        (
            "signals: 1",
            "signals: 1001",
            "1001 signals: a program has at most 1000",
        ),
        (
            "cells: 8, kind: svm-fine",
            "cells: 0, kind: svm-fine",
            "object 3 has 0 cells; 1 to 64 are possible",
        ),
        (
            "cells: 8, kind: svm-fine",
            "cells: 65, kind: svm-fine",
            "object 3 has 65 cells; 1 to 64 are possible",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
    let many = format!("- - await: 0\n{}", "  - yield: 1\n".repeat(1000));
    let why = refused("- - await: 0\n", &many);
    assert_eq!(why, "a thread or callback has at most 1000 steps");
}

#[test]
fn memory_is_made_of_what_it_can_be() {
    for (from, to, why) in [
        (
            "of: 0, first: 4",
            "of: 0, first: 5",
            "object 1 is no part of object 0",
        ),
        (
            "of: 0, first: 4",
            "of: 2, first: 0",
            "object 1 is made before object 2, of which it is a part",
        ),
        (
            "kind: svm-system",
            "kind: variable",
            "context 0 has more than one variable",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
}

#[test]
fn commands_do_what_they_can() {
    for (from, to, why) in [
        (
            "first: 0, count: 2}], writes",
            "first: 7, count: 2}], writes",
            "a range leaves object 0",
        ),
        (
            "{object: 5, first: 0, count: 8}",
            "{object: 0, first: 0, count: 8}",
            "object 0 is of another context",
        ),
        (
            "wait: [{user: 0}]",
            "wait: [{user: 1}]",
            "command 5 waits for an event of another context",
        ),
        (
            "{queue: 0, what: {kernel",
            "{queue: 1, what: {kernel",
            "command 0 uses a variable of another device",
        ),
        (
            "stride: 2}, rect: true",
            "stride: 2}",
            "command 1 takes cells apart without the rectangular form",
        ),
        (
            "object: 1, first: 0, count: 2, stride: 2",
            "object: 4, first: 0, count: 2",
            "command 1 transfers what it cannot",
        ),
        (
            "object: 1, first: 0, count: 2, stride: 2",
            "object: 2, first: 0, count: 2",
            "command 1 transfers what it cannot",
        ),
        (
            "to: {object: 3",
            "to: {object: 0",
            "command 2 copies what it cannot",
        ),
        (
            "to: {object: 3, first: 0, count: 2",
            "to: {object: 3, first: 0, count: 1",
            "command 2 copies as many cells as it reads, and none onto itself",
        ),
        (
            "to: {object: 3, first: 0",
            "to: {object: 2, first: 1",
            "command 2 copies as many cells as it reads, and none onto itself",
        ),
        (
            "fill: {object: 0",
            "fill: {object: 4",
            "command 5 fills what it cannot",
        ),
        (
            "map: {range: {object: 0",
            "map: {range: {object: 4",
            "command 3 maps what it cannot",
        ),
        (
            "map: {range: {object: 0",
            "map: {range: {object: 6",
            "command 3 maps what it cannot",
        ),
        ("unmap: 3", "unmap: 5", "command 4 unmaps what is no map"),
        (
            "objects: [2, 3]",
            "objects: [2, 0]",
            "command 6 migrates either SVM or other memory",
        ),
        (
            "objects: [2, 3]",
            "objects: [4]",
            "command 6 migrates what it cannot",
        ),
        (
            "objects: [2, 3]",
            "objects: [5]",
            "command 6 migrates what it cannot",
        ),
        ("free: [2]", "free: [0]", "command 9 frees what it cannot"),
        ("free: [2]", "free: []", "command 9 frees nothing"),
        (
            "{unmap: 3}}",
            "{unmap: 3}, blocking: true}",
            "command 4 cannot block",
        ),
        (
            "writes: [{object: 0, first: 1",
            "writes: [{object: 3, first: 1",
            "a kernel is given no memory of the host alone, a native one buffers",
        ),
        (
            "items: 4",
            "items: 0",
            "an empty index space reads and writes nothing",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
    let twice = "writes: [{object: 0, first: 1, count: 1}, {object: 0, first: 1, count: 2}]";
    let why = refused("writes: [{object: 0, first: 1, count: 1}]", twice);
    assert_eq!(
        why,
        "a kernel writes no cell twice, and a native one has no arguments"
    );
}

#[test]
fn the_host_uses_what_it_may() {
    for (from, to, why) in [
        (
            "mode: read-write",
            "mode: read",
            "the host uses more than command 3 maps",
        ),
        (
            "first: 1, count: 1}, write: true, map",
            "first: 4, count: 1}, write: true, map",
            "the host uses more than command 3 maps",
        ),
        (
            "write: true, map: 3",
            "write: true, map: 5",
            "the host goes through command 5, which is no map",
        ),
        (
            "{object: 3, first: 7",
            "{object: 2, first: 7",
            "the host uses object 2 without a map",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
}

#[test]
fn everything_is_done_once() {
    for (from, to, why) in [
        (
            "  - enqueue: 6\n",
            "",
            "command 6 is enqueued by 0 steps, and must be by one",
        ),
        (
            "enqueue: 6",
            "enqueue: 5",
            "command 5 is enqueued by 2 steps, and must be by one",
        ),
        (
            "  - register: 0\n",
            "",
            "callback 0 is registered by 0 steps, and must be by one",
        ),
        (
            "  - access: 1\n",
            "",
            "access 1 is made by 0 steps, and must be by one",
        ),
        (
            "  - signal: 0\n",
            "",
            "signal 0 is given by 0 steps, and must be by one",
        ),
        (
            "  - sleep: 10\n",
            "  - set: {user: 0, status: 0}\n",
            "user event 0 is set by 2 steps, and must be by one",
        ),
        (
            "  - set: {user: 0, status: 0}\n",
            "",
            "something waits for user event 0, and no step sets it",
        ),
        (
            "status: 0}",
            "status: 1}",
            "step 2 of thread 1 sets a status of 1: it is 0 or negative",
        ),
        (
            "inspect: 1",
            "inspect: 0",
            "step 2 of thread 0 inspects command 0, which reads to no memory of its own",
        ),
        (
            "wait: [{command: 6}, {command: 8}]",
            "wait: [{command: 6}, {command: 7}]",
            "step 17 of thread 0 waits for events of one context",
        ),
        (
            "steps: [status: {command: 5}]",
            "steps: [finish: 0]",
            "step 0 of callback 0 blocks, which a callback may not",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
}

#[test]
fn things_are_used_while_they_are_there() {
    for (from, to, why) in [
        (
            "  - enqueue: 1\n  - inspect: 1\n",
            "  - inspect: 1\n  - enqueue: 1\n",
            "step 1 of thread 0 uses what command 1 brings before it is there",
        ),
        (
            "  - enqueue: 3\n  - access: 0\n",
            "  - access: 0\n  - enqueue: 3\n",
            "step 4 of thread 0 uses the pointer of command 3 before it is there",
        ),
        (
            "  - access: 0\n  - enqueue: 4\n",
            "  - enqueue: 4\n  - access: 0\n",
            "step 6 of thread 0 uses the pointer of command 3 after its unmap",
        ),
        (
            "  - finish: 0\n",
            "  - finish: 0\n  - release-queue: 0\n  - flush: 0\n",
            "step 20 of thread 0 uses queue 0 after its release",
        ),
        (
            "  - finish: 0\n",
            "  - finish: 0\n  - release-event: {command: 0}\n  - status: {command: 0}\n",
            "step 20 of thread 0 uses the event of command 0 after its release",
        ),
        (
            "  - finish: 0\n",
            "  - finish: 0\n  - release-object: 0\n",
            "step 19 of thread 0 uses object 0 in a release while it is needed",
        ),
        (
            "  - flush: 0\n",
            "  - release-object: 3\n  - flush: 0\n",
            "step 15 of thread 0 uses object 3 in a release while it is needed",
        ),
        // What waits for a user event holds up every release but those of events.
        (
            "  - flush: 0\n",
            "  - flush: 0\n  - release-object: 1\n",
            "step 16 of thread 0 uses object 1 in a release while a user event that commands wait for may not be set",
        ),
        (
            "{unmap: 3}",
            "marker",
            "the map of command 3 is ended by 0 steps, and must be by one",
        ),
    ] {
        assert_eq!(refused(from, to), why, "{to}");
    }
}

#[test]
fn freedoms_are_let_through() {
    for (from, to) in [
        // A wait list may name an event again and again.
        (
            "wait: [{user: 0}]",
            "wait: [{user: 0}, {user: 0}, {command: 0}, {user: 0}]",
        ),
        // Queues, events and memory are released as soon as nothing uses them.
        ("  - finish: 0\n", "  - finish: 0\n  - release-queue: 0\n"),
        (
            "  - flush: 0\n",
            "  - flush: 0\n  - release-event: {command: 7}\n",
        ),
        ("{command: 8}]\n", "{command: 8}]\n  - release-object: 1\n"),
        // A kernel may do nothing.
        (
            "{queue: 0, what: {kernel: {reads: [{object: 0, first: 0, count: 2}], writes: [{object: 4, first: 0, count: 2}], items: 4}}}",
            "{queue: 0, what: {kernel: {items: 0}}}",
        ),
        // What is read may be read by others.
        (
            "{object: 0, first: 1, count: 1}, write: true, map: 3",
            "{object: 0, first: 0, count: 2}, write: false, map: 3",
        ),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let program = program(&GOOD.replacen(from, to, 1));
        let order = Order::of(&program).unwrap_or_else(|why| panic!("{to}: {why}"));
        let memory = Memory::of(&program, &order);
        memory.unwrap_or_else(|why| panic!("{to}: {why}"));
    }
}
