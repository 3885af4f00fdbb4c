//! Two that nothing orders use one memory object, or the same bytes of memory that is shared by byte.

use super::clause::Clause;
use super::order::{Moment, Order};
use super::uses::{self, Use};
use classay_suites::commands::program::*;

/// Tells of every such pair.
pub fn judge(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let commands = 0..program.commands.len();
    let runs: Vec<usize> = commands.filter(|n| !order.fails(*n)).collect();
    for (at, a) in runs.iter().enumerate() {
        alone(program, *a, tell);
        for b in &runs[at + 1..] {
            if order.overlap(*a, *b) {
                pair(program, *a, *b, tell);
            }
        }
        by_host(order, *a, tell);
    }
    variables(program, &runs, tell);
    hosts(order, tell);
}

/// A command by itself: a buffer and a part of it, parts that overlap, a copy onto itself.
fn alone(program: &Program, n: usize, tell: &mut dyn FnMut(Clause, String)) {
    let all = uses::of_command(program, n);
    if let What::Copy { .. } = program.commands[n].what
        && let [from, to] = all[..]
        && from.root == to.root
        && from.cells & to.cells != 0
    {
        let what = format!(
            "command {n} copies cells of object {} onto each other",
            from.root
        );
        return tell(Clause::CopyOverlap, what);
    }
    for (at, a) in all.iter().enumerate() {
        for b in &all[at + 1..] {
            let meet = a.object != b.object && uses::overlap(program, a.object, b.object);
            if meet && (a.write || b.write) {
                let what = format!(
                    "command {n} writes to an object and uses another with the same memory"
                );
                tell(of_two(a, b), what);
            }
        }
    }
}

/// The sentence about two objects that have memory in common.
fn of_two(a: &Use, b: &Use) -> Clause {
    if a.object == a.root || b.object == b.root {
        Clause::SubBuffer
    } else {
        Clause::OverlappingParts
    }
}

/// Two commands that may run at the same time.
fn pair(program: &Program, a: usize, b: usize, tell: &mut dyn FnMut(Clause, String)) {
    let what = |root: ObjectId, how: &str| {
        format!("nothing orders commands {a} and {b}, which {how} object {root}")
    };
    let [uses_a, uses_b] = [a, b].map(|n| uses::of_command(program, n));
    let kernel = |n: usize| matches!(program.commands[n].what, What::Kernel(_));
    let device = |n: usize| program.queues[program.commands[n].queue.index()].device;
    for x in &uses_a {
        for y in uses_b.iter().filter(|y| y.root == x.root) {
            let same = x.cells & y.cells != 0;
            let clause = match uses::kind(program, x.root) {
                _ if !x.write && !y.write => continue,
                Kind::Buffer(_) | Kind::SubBuffer { .. } if x.object == y.object => Clause::Object,
                Kind::Buffer(_) | Kind::SubBuffer { .. }
                    if uses::overlap(program, x.object, y.object) =>
                {
                    of_two(x, y)
                }
                // Parts of one buffer that do not overlap are one memory object all the same.
                Kind::Buffer(_) | Kind::SubBuffer { .. } => Clause::SubBuffer,
                // "concurrent access to the same memory allocation from multiple kernels on a single device"
                Kind::SvmCoarse if !(kernel(a) && kernel(b) && device(a) == device(b)) => {
                    Clause::Coarse
                }
                _ if same => Clause::Bytes,
                Kind::SvmCoarse | Kind::SvmFine | Kind::SvmSystem | Kind::Variable | Kind::Host => {
                    continue;
                }
            };
            tell(clause, what(x.root, "use, one of them for writing,"));
        }
    }
    for (migrates, other) in [(a, b), (b, a)] {
        let What::Migrate { objects, .. } = &program.commands[migrates].what else {
            continue;
        };
        for object in objects {
            let root = uses::root(program, *object).0;
            let all = uses::named(program, other);
            if all
                .iter()
                .any(|other| uses::root(program, *other).0 == root)
            {
                tell(Clause::Migrate, what(root, "migrate and use"));
            }
        }
    }
}

/// The root object and cells of a host access to memory that is shared by byte.
fn open(program: &Program, access: &Access) -> Option<Use> {
    let all = uses::of_range(program, access.range, access.write);
    uses::is_shared_by_byte(program, all.root).then_some(all)
}

/// A command and the accesses of host threads.
fn by_host(order: &Order<'_>, n: usize, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let commands = uses::of_command(program, n);
    for (place, step) in &order.steps {
        let Step::Access(id) = step else { continue };
        let access = &program.accesses[id.index()];
        let Some(x) = open(program, access) else {
            continue;
        };
        // A transfer has the memory that it is pointed to from its call on.
        let pointed = uses::kind(program, x.root) == Kind::Host;
        let begins = match order.enqueued(n).filter(|_| pointed) {
            Some(call) => Moment::Call(call),
            None => Moment::Start(n),
        };
        if order.is_before(Moment::Complete(n), Moment::Call(*place))
            || order.is_before(Moment::Return(*place), begins)
        {
            continue;
        }
        let what = || {
            format!(
                "nothing orders command {n} and {place}, which use object {}",
                x.root
            )
        };
        let meet = |y: &Use| y.root == x.root && y.cells & x.cells != 0 && (y.write || x.write);
        if commands.iter().any(meet) {
            let clause = match program.commands[n].what {
                What::Read(_) if pointed => Clause::NotRead,
                What::Write(_) if pointed => Clause::Reused,
                _ => Clause::Bytes,
            };
            tell(clause, what());
        }
        if let What::Migrate { objects, .. } = &program.commands[n].what
            && objects.contains(&x.root)
        {
            tell(Clause::Migrate, what());
        }
    }
}

/// Accesses of two host threads or callbacks.
fn hosts(order: &Order<'_>, tell: &mut dyn FnMut(Clause, String)) {
    let program = order.program;
    let accesses = order.steps.iter().filter_map(|(place, step)| match step {
        Step::Access(id) => {
            let access = &program.accesses[id.index()];
            Some((*place, uses::of_range(program, access.range, access.write)))
        }
        _ => None,
    });
    let accesses: Vec<(Place, Use)> = accesses.collect();
    for (n, (a, x)) in accesses.iter().enumerate() {
        for (b, y) in &accesses[n + 1..] {
            let ordered = order.is_before(Moment::Return(*a), Moment::Call(*b))
                || order.is_before(Moment::Return(*b), Moment::Call(*a));
            let meet = x.root == y.root && x.cells & y.cells != 0 && (x.write || y.write);
            if meet && !ordered {
                let what = format!("nothing orders {a} and {b}, which use object {}", x.root);
                tell(Clause::Bytes, what);
            }
        }
    }
}

/// Each device has a program-scope variable of its own; the first fills its one before the program begins.
fn variables(program: &Program, runs: &[usize], tell: &mut dyn FnMut(Clause, String)) {
    for n in runs {
        let device = program.queues[program.commands[*n].queue.index()].device;
        let all = uses::of_command(program, *n);
        let variable = |x: &Use| program.objects[x.root.index()].kind == Kind::Variable;
        if device != 0 && all.iter().any(variable) {
            let what =
                format!("command {n} uses the variable of device {device}, which nobody filled");
            tell(Clause::Variable, what);
        }
    }
}
