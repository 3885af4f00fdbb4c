//! Each rule alone: what it orders, and what it does not.

use super::*;

type Place = (usize, usize);
type Calls = Vec<Step<Place, u32, u32>>;

/// Commands of one queue.
struct Queue {
    in_order: bool,
    commands: Vec<Command<Place, u32>>,
}

impl Queue {
    fn new(in_order: bool) -> Queue {
        Queue {
            in_order,
            commands: Vec::new(),
        }
    }

    fn command(mut self, role: CommandRole, waits: &[u32]) -> Queue {
        self.commands.push(Command {
            queue: 0,
            in_order: self.in_order,
            role,
            waits: waits.iter().map(|c| Event::Command(*c)).collect(),
            blocking: false,
        });
        self
    }

    fn kernel(self) -> Queue {
        self.command(CommandRole::Other, &[])
    }

    /// The order where one thread enqueues all, and then makes further calls.
    fn then(self, calls: Calls) -> Graph<Moment<Place, u32, u32>, Why> {
        let count = self.commands.len() as u32;
        let thread = (0..count).map(Step::Enqueue).chain(calls).collect();
        drawn(self.commands, vec![(None, thread)]).expect("an order")
    }
}

type Drawn = Graph<Moment<Place, u32, u32>, Why>;

fn drawn(
    commands: Vec<Command<Place, u32>>,
    sequences: Vec<(Option<u32>, Calls)>,
) -> Result<Drawn, Cycle<Moment<Place, u32, u32>>> {
    let sequence = |(n, (callback, calls)): (usize, (Option<u32>, Calls))| {
        let steps = calls.into_iter().enumerate();
        Sequence {
            callback,
            steps: steps.map(|(k, step)| ((n, k), step)).collect(),
        }
    };
    draw(&HostSide {
        commands: (0..).zip(commands).collect(),
        sequences: sequences.into_iter().enumerate().map(sequence).collect(),
    })
}

/// The rules on the shortest chain.
fn rules<M: Name>(order: &Graph<M, Why>, a: M, b: M) -> Vec<Rule> {
    let path = order.path(a, b, |why| why.rule().is_none());
    path.iter().filter_map(|edge| edge.why.rule()).collect()
}

#[test]
fn only_an_in_order_queue_orders_by_itself() {
    let order = Queue::new(true).kernel().kernel().then(vec![]);
    let (end, start) = (Moment::End(0), Moment::Start(1));
    assert_eq!(rules(&order, end, start), [Rule::InOrder]);
    assert!(!order.before(start, end));
    let order = Queue::new(false).kernel().kernel().then(vec![]);
    assert!(!order.before(end, start) && !order.before(Moment::End(1), Moment::Start(0)));
    assert_eq!(
        rules(&order, Moment::Call((0, 0)), start),
        [Rule::Enqueue],
        "a call is before what later calls enqueue"
    );
}

#[test]
fn barriers_hold_back_what_follows_and_markers_do_not() {
    let cases = [
        (CommandRole::Barrier, vec![], Some(Rule::Barrier), true),
        (CommandRole::Barrier, vec![1], None, true),
        (CommandRole::Marker, vec![], Some(Rule::Marker), false),
        (CommandRole::Marker, vec![1], None, false),
    ];
    for (role, waits, of_first, holds_back) in cases {
        let queue = Queue::new(false).kernel().kernel();
        let order = queue.command(role, &waits).kernel().then(vec![]);
        let found = rules(&order, Moment::End(0), Moment::Start(2));
        assert_eq!(found, Vec::from_iter(of_first), "{role:?} {waits:?}");
        assert!(order.before(Moment::End(1), Moment::Start(2)));
        let after = order.before(Moment::End(2), Moment::Start(3));
        assert_eq!(after, holds_back, "{role:?} {waits:?}");
    }
}

#[test]
fn calls_that_wait_return_after_what_they_wait_for() {
    let queue = || Queue::new(false).kernel().kernel();
    let back = Moment::Return((0, 2));
    let wait = queue().then(vec![Step::Wait(vec![Event::Command(1)])]);
    assert_eq!(rules(&wait, Moment::End(1), back), [Rule::HostWait]);
    assert!(!wait.before(Moment::End(0), back));
    let finish = queue().then(vec![Step::Finish(0)]);
    for command in 0..2 {
        assert_eq!(rules(&finish, Moment::End(command), back), [Rule::Finish]);
    }
    let other = queue().then(vec![Step::Finish(1)]);
    assert!(!other.before(Moment::End(0), back));
    let mut blocking = Queue::new(false).kernel();
    blocking.commands[0].blocking = true;
    let order = blocking.then(vec![]);
    let back = Moment::Return((0, 0));
    assert_eq!(rules(&order, Moment::End(0), back), [Rule::Blocking]);
}

/// The order of two threads' calls follows from a signal, and the order in their queue from that.
#[test]
fn a_signal_orders_what_two_threads_enqueue() {
    let commands = Queue::new(true).kernel().kernel().commands;
    let first = vec![Step::Enqueue(0), Step::Other];
    let threads = |wait| vec![(None, first.clone()), (None, vec![wait, Step::Enqueue(1)])];
    let order = drawn(commands.clone(), threads(Step::Await((0, 1)))).expect("an order");
    let (end, start) = (Moment::End(0), Moment::Start(1));
    assert_eq!(rules(&order, end, start), [Rule::InOrder]);
    let order = drawn(commands, threads(Step::Other)).expect("an order");
    assert!(!order.before(end, start));
}

#[test]
fn user_events_and_callbacks_pass_order_on() {
    let mut gated = Queue::new(false).kernel().kernel().commands;
    let callback = vec![Step::Other];
    let thread = vec![
        Step::Enqueue(0),
        Step::Register {
            callback: 7,
            after: Some(Event::Command(0)),
        },
        Step::Enqueue(1),
    ];
    let sequences = vec![(None, thread), (Some(7), callback)];
    let (end, start) = (Moment::End(0), Moment::Start(1));
    for (set, ordered) in [(None, false), (Some((1, 0)), true)] {
        gated[1].waits = vec![Event::User(set)];
        let order = drawn(gated.clone(), sequences.clone()).expect("an order");
        assert!(order.before(end, Moment::Run(7)));
        assert_eq!(order.before(end, start), ordered, "{set:?}");
        if ordered {
            assert_eq!(rules(&order, end, start), [Rule::Callback, Rule::UserEvent]);
        }
    }
}

#[test]
fn what_waits_for_itself_is_a_cycle_of_moments() {
    let commands = Queue::new(true).kernel().kernel().commands;
    let mut waits = commands;
    waits[0].waits = vec![Event::Command(1)];
    let thread = vec![Step::Enqueue(0), Step::Enqueue(1)];
    let Cycle(mut moments) = drawn(waits, vec![(None, thread)]).expect_err("a cycle");
    moments.sort();
    let expected = [
        Moment::Start(0),
        Moment::Start(1),
        Moment::End(0),
        Moment::End(1),
    ];
    assert_eq!(moments, expected);
}
