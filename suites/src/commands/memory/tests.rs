//! What reads must see, and which accesses race.

use super::*;
use crate::commands::program::ObjectId;
use crate::commands::yaml;

/// A program of two queues, in order and out of order, over a buffer of eight cells with a part, with these commands,
/// all enqueued by one thread that finishes both queues.
fn program(commands: &[&str]) -> Program {
    with_access(commands, "", "")
}

/// The same with an access of the host, made after the first command is enqueued.
fn with_access(commands: &[&str], access: &str, step: &str) -> Program {
    let mut text = String::from(
        "devices: 1
contexts: 1
cell_words: 1
queues:
- {context: 0, device: 0, out_of_order: false}
- {context: 0, device: 0, out_of_order: true}
objects:
- {context: 0, cells: 8, kind: {buffer: copy}}
- {context: 0, cells: 4, kind: {sub-buffer: {of: 0, first: 4}}}
- {context: 0, cells: 8, kind: svm-fine}
- {context: 0, cells: 8, kind: host}
- {context: 0, cells: 4, kind: {sub-buffer: {of: 0, first: 2}}}
commands:
",
    );
    for command in commands {
        text += &format!("- {command}\n");
    }
    text += access;
    text += "signals: 0\nthreads:\n-\n";
    for n in 0..commands.len() {
        text += &format!("  - enqueue: {n}\n  - flush: 0\n");
        text += if n == 0 { step } else { "" };
    }
    text += "  - finish: 0\n  - finish: 1\n";
    yaml::read(&text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn memory(program: &Program) -> Result<Memory, Invalid> {
    Memory::of(program, &Order::of(program).expect("an order"))
}

const FILL: &str = "{queue: 0, what: {fill: {object: 0, first: 0, count: 4}}}";
const WRITE_PART: &str = "{queue: 0, what: {write: {range: {object: 1, first: 0, count: 2}}}}";
const COPY: &str = "{queue: 0, what: {copy: {from: {object: 0, first: 3, count: 2}, to: {object: 0, first: 6, count: 2}}}}";
const READ: &str = "{queue: 0, what: {read: {range: {object: 0, first: 0, count: 8}}}}";

/// Who wrote what each cell of the first read holds, and for which cell.
fn seen(program: &Program) -> Vec<Option<(Writer, u8)>> {
    let memory = memory(program).expect("no race");
    let (_, cells) = memory.reads().iter().next().expect("a read");
    let writer = |(_, value): &(Cell, Value)| match value {
        Value::Of(writer, cell) => Some((*writer, *cell)),
        Value::Anything => None,
    };
    cells.iter().map(writer).collect()
}

#[test]
fn a_read_sees_who_wrote_last() {
    let first = |cell| Some((Writer::Creation(ObjectId(0)), cell));
    let filled = Some((Writer::Command(CommandId(0)), ANY_CELL));
    let written = |cell| Some((Writer::Command(CommandId(1)), cell));
    // A part's cells are its buffer's, and a copy brings the tokens of others.
    assert_eq!(
        seen(&program(&[FILL, WRITE_PART, COPY, READ])),
        [
            filled,
            filled,
            filled,
            filled,
            written(4),
            written(5),
            filled,
            written(4)
        ]
    );
    let all: Vec<_> = (0..8).map(first).collect();
    assert_eq!(seen(&program(&[READ])), all);
}

#[test]
fn what_an_invalidating_map_held_is_anything() {
    let map = "{queue: 0, what: {map: {range: {object: 0, first: 2, count: 3}, mode: invalidate}}, blocking: true}";
    let commands = [map, "{queue: 0, what: {unmap: 0}}", READ];
    let open: Vec<bool> = seen(&program(&commands))
        .iter()
        .map(Option::is_none)
        .collect();
    let wanted = [false, false, true, true, true, false, false, false];
    assert_eq!(open, wanted);
    let kept = commands.map(|command| command.replace("invalidate", "read-write"));
    let kept = kept.each_ref().map(String::as_str);
    assert!(seen(&program(&kept)).iter().all(Option::is_some));
}

/// The same commands in the queue that is out of order.
fn apart(command: &str) -> String {
    command.replacen("queue: 0", "queue: 1", 1)
}

#[test]
fn a_write_races_with_what_nothing_orders() {
    let other_read = apart(READ);
    let races = |commands: &[&str]| match memory(&program(commands)) {
        Ok(_) => None,
        Err(why) => Some(why.to_string()),
    };
    let why = "command 0 and command 1 use object 0, and nothing orders them";
    assert_eq!(races(&[FILL, &other_read]).as_deref(), Some(why));
    let part = apart(WRITE_PART);
    let why = "command 0 and command 1 use object 0, and nothing orders them";
    assert_eq!(races(&[READ, &part]).as_deref(), Some(why));
    let migrate = "{queue: 1, what: {migrate: {objects: [0], to_host: true}}}";
    assert!(races(&[READ, migrate]).is_some());
    // Other cells of one buffer are no help.
    let why = "command 0 and command 1 use object 0, and nothing orders them";
    assert_eq!(races(&[FILL, &part]).as_deref(), Some(why));
    // Nor may one command name a buffer and its part.
    let both = "{queue: 0, what: {copy: {from: {object: 1, first: 0, count: 1}, to: {object: 0, first: 7, count: 1}}}}";
    let why = "command 0 uses object 0 twice at once, and writes it";
    assert_eq!(races(&[both]).as_deref(), Some(why));
    // Reads disturb nobody, nor does what a wait list orders.
    assert_eq!(races(&[READ, &other_read]), None);
    let behind = other_read.replacen("}}}}", "}}}, wait: [{command: 0}]}", 1);
    assert_eq!(races(&[FILL, &behind]), None);
}

#[test]
fn writes_to_a_cell_are_told_in_their_order() {
    let program = program(&[FILL, WRITE_PART, COPY, READ]);
    let memory = memory(&program).expect("no race");
    let writers = |cell| {
        let writes = memory.writes((ObjectId(0), cell)).iter();
        writes.map(|write| write.writer).collect::<Vec<_>>()
    };
    let command = |n| Writer::Command(CommandId(n));
    assert_eq!(writers(0), [command(0)]);
    assert_eq!(writers(4), [command(1)]);
    assert_eq!(writers(7), [command(2)]);
    assert_eq!(writers(3), [command(0)]);
    assert_eq!(memory.writes((ObjectId(2), 0)), []);
}

#[test]
fn the_host_sees_what_it_wrote() {
    let access = "accesses:\n- {range: {object: 2, first: 0, count: 2}, write: true}\n";
    let copy = "{queue: 0, what: {read: {range: {object: 2, first: 1, count: 2}}}}";
    let program = with_access(&[FILL, copy], access, "  - access: 0\n");
    let host = Some((Writer::Access(AccessId(0)), 1));
    let first = Some((Writer::Creation(ObjectId(2)), 2));
    assert_eq!(seen(&program), [host, first]);
}

/// Cells 4 and 5 of the buffer to cells 6 and 7 of the host's memory, and these to cells 0 and 1 of the buffer.
const TO_HOST: &str = "{queue: 0, what: {read: {range: {object: 0, first: 4, count: 2}, host: {object: 3, first: 6, count: 2}}}}";
const FROM_HOST: &str = "{queue: 0, what: {write: {range: {object: 0, first: 0, count: 2}, host: {object: 3, first: 6, count: 2}}}}";

#[test]
fn what_a_read_brings_to_the_host_a_write_takes_from_there() {
    let written = |cell| Some((Writer::Command(CommandId(0)), cell));
    let seen = seen(&program(&[WRITE_PART, TO_HOST, FROM_HOST, READ]));
    assert_eq!(seen[..2], [written(4), written(5)]);
}

#[test]
fn memory_that_a_transfer_points_to_is_its_own_from_the_call_on() {
    let access = |write: bool| {
        format!("accesses:\n- {{range: {{object: 3, first: 6, count: 1}}, write: {write}}}\n")
    };
    let races = |first: &str, write| {
        let program = with_access(&[first, READ], &access(write), "  - access: 0\n");
        memory(&program).is_err()
    };
    // Whether or not the command can have begun.
    assert!(races(TO_HOST, true) && races(FROM_HOST, true) && races(TO_HOST, false));
    assert!(!races(FROM_HOST, false));
    let blocking = TO_HOST.replacen("}}}}", "}}}, blocking: true}", 1);
    assert!(!races(&blocking, true));
}

#[test]
fn parts_that_overlap_are_one_memory_whatever_cells_they_use() {
    // Cell 7 of the buffer, and its cell 2.
    let last = "{queue: 0, what: {fill: {object: 1, first: 3, count: 1}}}";
    let other = "{queue: 1, what: {read: {range: {object: 4, first: 0, count: 1}}}}";
    assert!(memory(&program(&[last, other])).is_err());
    let behind = other.replacen("}}}}", "}}}, wait: [{command: 0}]}", 1);
    assert!(memory(&program(&[last, &behind])).is_ok());
    let both = "{queue: 0, what: {copy: {from: {object: 4, first: 0, count: 1}, to: {object: 1, first: 3, count: 1}}}}";
    assert!(memory(&program(&[both])).is_err());
}
