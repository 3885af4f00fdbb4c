//! Small programs whose order is known.

mod refused;

use super::*;
use crate::commands::memory::{Memory, Read, Value};
use crate::commands::program::*;
use crate::rule;

fn kernel(queue: u16, reads: &[Range], writes: &[Range], wait: &[Event]) -> Command {
    Command {
        queue: QueueId(queue),
        what: What::Kernel(Kernel {
            reads: reads.to_vec(),
            writes: writes.to_vec(),
            spin: 0,
            items: 4,
            reuse: false,
        }),
        wait: wait.to_vec(),
        blocking: false,
        eventless: false,
    }
}

fn range(object: u16, first: u8, count: u8) -> Range {
    Range {
        object: ObjectId(object),
        first,
        count,
        stride: 1,
    }
}

fn done(command: u16) -> Event {
    Event::Command(CommandId(command))
}

/// A program of one context with a buffer of eight cells, queues as stated, and one thread that
/// enqueues all commands in order, flushes each at once, and finishes all queues.
fn program(out_of_order: &[bool], commands: Vec<Command>) -> Program {
    let mut steps = Vec::new();
    for (n, command) in commands.iter().enumerate() {
        steps.push(Step::Enqueue(CommandId::at(n)));
        steps.push(Step::Flush(command.queue));
    }
    steps.extend((0..out_of_order.len()).map(|q| Step::Finish(QueueId::at(q))));
    Program {
        kind: FileKind::Commands,
        devices: 1,
        contexts: 1,
        cell_words: 4,
        queues: out_of_order
            .iter()
            .map(|out_of_order| Queue {
                context: ContextId(0),
                device: 0,
                out_of_order: *out_of_order,
            })
            .collect(),
        objects: vec![Object {
            context: ContextId(0),
            cells: 8,
            kind: Kind::Buffer(HostPointer::Copy),
        }],
        users: Vec::new(),
        commands,
        callbacks: Vec::new(),
        accesses: Vec::new(),
        signals: 0,
        threads: vec![steps],
    }
}

fn start(command: u16) -> Moment {
    Moment::Start(CommandId(command))
}

fn end(command: u16) -> Moment {
    Moment::End(CommandId(command))
}

#[test]
fn an_in_order_queue_orders_and_an_out_of_order_one_does_not() {
    let commands = vec![kernel(0, &[], &[], &[]), kernel(0, &[], &[], &[])];
    let order = Order::of(&program(&[false], commands.clone())).expect("valid");
    assert!(order.before(end(0), start(1)));
    assert_eq!(order.rules_between(end(0), start(1))[0], rule::SP_IN_ORDER);
    let order = Order::of(&program(&[true], commands)).expect("valid");
    assert!(!order.before(end(0), start(1)) && !order.before(end(1), start(0)));
}

#[test]
fn a_wait_list_orders_across_queues() {
    let commands = vec![kernel(0, &[], &[], &[]), kernel(1, &[], &[], &[done(0)])];
    let order = Order::of(&program(&[true, true], commands)).expect("valid");
    assert_eq!(
        order.rules_between(end(0), start(1))[0],
        rule::SP_EVENT_WAIT
    );
}

#[test]
fn barriers_and_markers() {
    let with = |what: What, wait: &[Event]| Command {
        queue: QueueId(0),
        what,
        wait: wait.to_vec(),
        blocking: false,
        eventless: false,
    };
    for (what, wait, first, after) in [
        (What::Barrier, vec![], true, true),
        (What::Barrier, vec![done(1)], false, true),
        (What::Marker, vec![], true, false),
        (What::Marker, vec![done(1)], false, false),
    ] {
        let commands = vec![
            kernel(0, &[], &[], &[]),
            kernel(0, &[], &[], &[]),
            with(what.clone(), &wait),
            kernel(0, &[], &[], &[]),
        ];
        let order = Order::of(&program(&[true], commands)).expect("valid");
        assert_eq!(order.before(end(0), start(2)), first, "{what:?} {wait:?}");
        assert!(order.before(end(1), start(2)), "{what:?} {wait:?}");
        assert_eq!(order.before(end(2), start(3)), after, "{what:?} {wait:?}");
    }
}

#[test]
fn a_race_is_refused_and_an_order_gives_the_value() {
    let cells = range(0, 0, 2);
    let racy = vec![kernel(0, &[], &[cells], &[]), kernel(0, &[cells], &[], &[])];
    let program_of = |commands| program(&[true], commands);
    let bad = program_of(racy);
    let order = Order::of(&bad).expect("an order");
    assert!(matches!(
        Memory::of(&bad, &order),
        Err(Invalid::Race {
            shared: Shared::Object(ObjectId(0)),
            ..
        })
    ));
    let good = program_of(vec![
        kernel(0, &[], &[cells], &[]),
        kernel(0, &[cells], &[], &[done(0)]),
    ]);
    let order = Order::of(&good).expect("an order");
    let memory = Memory::of(&good, &order).expect("no race");
    let read = Read::Kernel {
        command: CommandId(1),
        range: 0,
    };
    let writer = Writer::Command(CommandId(0));
    assert_eq!(
        memory.reads()[&read],
        [
            ((ObjectId(0), 0), Value::Of(writer, 0)),
            ((ObjectId(0), 1), Value::Of(writer, 1))
        ]
    );
}

#[test]
fn what_can_hang_on_a_conforming_implementation_is_refused() {
    // The second command waits for the main thread, which waits for the third: in an out-of-order
    // queue that runs in order it never comes.
    let mut gated = program(
        &[true],
        vec![kernel(0, &[], &[], &[]), kernel(0, &[], &[], &[])],
    );
    gated.users = vec![ContextId(0)];
    gated.commands[0].wait = vec![Event::User(UserId(0))];
    gated.threads[0] = vec![
        Step::Enqueue(CommandId(0)),
        Step::Enqueue(CommandId(1)),
        Step::Flush(QueueId(0)),
        Step::Wait(vec![done(1)]),
        Step::Set {
            user: UserId(0),
            status: 0,
        },
        Step::Finish(QueueId(0)),
    ];
    assert!(matches!(
        Order::of(&gated),
        Err(Invalid::MayNeverEnd { .. })
    ));
    // In two queues it comes.
    gated.queues.push(gated.queues[0]);
    gated.commands[1].queue = QueueId(1);
    gated.threads[0].insert(3, Step::Flush(QueueId(1)));
    Order::of(&gated).expect("queues are independent");
}

#[test]
fn a_queue_that_others_wait_for_must_be_flushed() {
    let mut p = program(
        &[true, true],
        vec![kernel(0, &[], &[], &[]), kernel(1, &[], &[], &[done(0)])],
    );
    p.threads[0] = vec![
        Step::Enqueue(CommandId(0)),
        Step::Enqueue(CommandId(1)),
        Step::Finish(QueueId(1)),
    ];
    assert_eq!(
        Order::of(&p).err(),
        Some(Invalid::NotFlushed {
            command: CommandId(0)
        })
    );
    p.threads[0].insert(1, Step::Flush(QueueId(0)));
    Order::of(&p).expect("flushed");
}

#[test]
fn failures_reach_their_waiters() {
    let mut p = program(
        &[true],
        vec![
            kernel(0, &[], &[], &[Event::User(UserId(0))]),
            kernel(0, &[], &[], &[done(0)]),
            kernel(0, &[], &[], &[]),
        ],
    );
    p.users = vec![ContextId(0)];
    p.threads[0].insert(
        3,
        Step::Set {
            user: UserId(0),
            status: -5,
        },
    );
    let order = Order::of(&p).expect("valid");
    let fates: Vec<Fate> = (0..3).map(|n| order.fate(CommandId(n))).collect();
    assert_eq!(fates, [Fate::Fails, Fate::Fails, Fate::Completes]);
}

/// The engine names rules by the ids of the catalogue.
#[test]
fn rules_of_synchronization_points_are_in_the_catalogue() {
    for rule in Rule::ALL {
        assert!(crate::catalogue::of(rule.id()).is_some(), "{}", rule.id());
    }
}
