//! Kernel cases: one host thread, in-order queues, and kernels of which the source says what they may write.

use super::clause::{Clause, Complaint};
use super::{recorded, source};
use classay_suites::host::Place;
use classay_suites::host::exchange::{self, Operation};
use classay_suites::kernels::case::{Arg, KernelCase, Kind, Launch, ObjectId, Step};
use classay_suites::kernels::transfer::Transfer;
use std::collections::BTreeSet;

/// A use of a whole object, by a command that runs.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    pub object: ObjectId,
    pub writes: bool,
}

/// A command that may still run.
#[derive(Debug, Clone)]
struct Command {
    step: usize,
    queue: usize,
    kernel: bool,
    uses: Vec<Use>,
    /// Commands that are complete before it starts.
    after: BTreeSet<usize>,
}

/// Everything that is undefined between the commands of a case, and between them and the host.
pub fn complaints(case: &KernelCase) -> BTreeSet<Complaint> {
    let mut judge = Judge {
        case,
        running: Vec::new(),
        found: BTreeSet::new(),
    };
    for (n, step) in case.steps.iter().enumerate() {
        judge.step(n, step);
    }
    judge.found
}

struct Judge<'c> {
    case: &'c KernelCase,
    running: Vec<Command>,
    found: BTreeSet<Complaint>,
}

impl Judge<'_> {
    fn tell(&mut self, clause: Clause, what: String) {
        self.found.insert(Complaint { clause, what });
    }

    fn root(&self, object: ObjectId) -> ObjectId {
        match self.case.objects[object.index()].kind {
            Kind::SubBuffer { of, .. } => of,
            _ => object,
        }
    }

    fn device(&self, queue: usize) -> u8 {
        match queue.checked_sub(1) {
            Some(n) => self.case.queues.get(n).copied().unwrap_or(0),
            None => 0,
        }
    }

    fn step(&mut self, n: usize, step: &Step) {
        match step {
            Step::Launch(launch) if launch.fails || launch.code != 0 => {}
            Step::Launch(launch) => {
                let after = launch.after.iter().map(|n| usize::from(*n)).collect();
                let uses = self.uses(launch);
                self.enqueue(n, usize::from(launch.queue), true, uses, after);
            }
            Step::Move(moved) if moved.code != 0 => {}
            Step::Move(moved) => {
                let uses = self::moved(&moved.what);
                let hosts: Vec<Use> = uses
                    .iter()
                    .copied()
                    .filter(|one| self.open(one.object))
                    .collect();
                self.enqueue(n, 0, false, uses, BTreeSet::new());
                let maps = matches!(
                    moved.what,
                    Transfer::MapRead(_)
                        | Transfer::MapReadBeside { .. }
                        | Transfer::MapWrite { .. }
                        | Transfer::MapReadImage(_)
                        | Transfer::MapWriteImage { .. }
                );
                if maps {
                    // Of a blocking map the other side is the host's.
                    self.by_host(n, &hosts, true);
                }
                if maps || moved.blocking {
                    self.complete(0);
                }
            }
            Step::Record(record) => self.found.extend(recorded::complaints(record)),
            Step::Play(play) if play.fails.is_some() => {}
            Step::Play(play) => {
                // It comes after what is on the first queue, and what comes there later after it.
                let uses = self.recorded(play.record, n);
                self.enqueue(n, 0, false, uses, BTreeSet::new());
                if play.awaited {
                    self.complete(0);
                }
                self.updated(play.record, n);
            }
            Step::Update(update) => self.updated(update.record, n),
            Step::Again(again) => {
                // The kernel has the arguments that it was recorded with, whatever updates there were.
                let command = self
                    .case
                    .record(again.record)
                    .and_then(|record| record.commands.get(usize::from(again.command)));
                let uses = command.map_or_else(Vec::new, |one| recorded::uses(&one.what));
                self.enqueue(n, 0, true, uses, BTreeSet::new());
            }
            Step::Finish | Step::Printed { .. } | Step::Look { .. } => self.running.clear(),
            Step::Host { at, .. } | Step::Point { at, .. } => {
                let one = Use {
                    object: at.object,
                    writes: true,
                };
                if self.case.objects[at.object.index()].kind == Kind::SvmCoarse {
                    // It is mapped by the first queue, blocking.
                    self.enqueue(n, 0, false, vec![one], BTreeSet::new());
                    self.complete(0);
                } else {
                    self.by_host(n, &[one], false);
                }
            }
            Step::Talk { acts, .. } => self.talk(n, acts),
            Step::AskSubGroups { .. } | Step::AskKernels { .. } | Step::Listen => {}
        }
    }

    /// What is undefined within a command-buffer as a step leaves it, which may update it.
    fn updated(&mut self, record: u16, n: usize) {
        let made = self.case.record_at(record, n + 1);
        self.found
            .extend(made.iter().flat_map(recorded::complaints));
    }

    /// What the commands of a command-buffer use, as updates before a step have left it.
    fn recorded(&self, record: u16, step: usize) -> Vec<Use> {
        let Some(record) = self.case.record_at(record, step) else {
            return Vec::new();
        };
        let commands = record.commands.iter();
        commands
            .flat_map(|command| recorded::uses(&command.what))
            .collect()
    }

    /// Whether the host uses memory without a map.
    fn open(&self, object: ObjectId) -> bool {
        matches!(
            self.case.objects[object.index()].kind,
            Kind::SvmFine | Kind::SvmAtomics | Kind::Host
        )
    }

    /// What a launch may use.
    fn uses(&self, launch: &Launch) -> Vec<Use> {
        let parameters = source::parameters(&self.case.source, &launch.kernel);
        let any = source::Parameter { writes: true };
        let of = |n: usize| {
            parameters
                .as_ref()
                .and_then(|all| all.get(n))
                .unwrap_or(&any)
                .clone()
        };
        let args = launch.args.iter().enumerate().filter_map(|(n, arg)| {
            let object = match arg {
                Arg::Object(object) => *object,
                Arg::Pointer(at) => at.object,
                _ => return None,
            };
            let writes = of(n).writes;
            Some(Use { object, writes })
        });
        let reached = launch.reaches.iter().map(|object| Use {
            object: *object,
            writes: true,
        });
        args.chain(reached).collect()
    }

    fn enqueue(
        &mut self,
        step: usize,
        queue: usize,
        kernel: bool,
        uses: Vec<Use>,
        waits: BTreeSet<usize>,
    ) {
        // All that is complete before it: what it waits for, what its queue had before, and so on.
        let mut after = BTreeSet::new();
        for command in &self.running {
            if command.queue == queue || waits.contains(&command.step) {
                after.insert(command.step);
                after.extend(&command.after);
            }
        }
        let command = Command {
            step,
            queue,
            kernel,
            uses,
            after,
        };
        for other in self.running.clone() {
            if !command.after.contains(&other.step) {
                self.pair(&other, &command);
            }
        }
        self.alone(&command);
        self.running.push(command);
    }

    /// All commands of a queue are complete, and what they waited for.
    fn complete(&mut self, queue: usize) {
        take_away(&mut self.running, queue);
    }

    /// One kernel with a buffer and a part of it.
    fn alone(&mut self, command: &Command) {
        for a in &command.uses {
            for b in &command.uses {
                let kind = |one: &Use| self.case.objects[one.object.index()].kind;
                let whole = [a, b]
                    .into_iter()
                    .any(|one| matches!(kind(one), Kind::Buffer));
                let same = self.root(a.object) == self.root(b.object) && a.object != b.object;
                if command.kernel && same && whole && a.writes {
                    let what = format!(
                        "step {} gets a buffer and a part of it, and may write",
                        command.step
                    );
                    self.tell(Clause::SubBuffer, what);
                }
            }
        }
    }

    fn pair(&mut self, a: &Command, b: &Command) {
        for x in &a.uses {
            for y in &b.uses {
                let root = self.root(x.object);
                if root != self.root(y.object) || !(x.writes || y.writes) {
                    continue;
                }
                let one_device = self.device(a.queue) == self.device(b.queue);
                let clause = match self.case.objects[root.index()].kind {
                    // One kernel may write a pipe while another reads it.
                    Kind::Pipe { .. } if x.writes != y.writes => continue,
                    Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => {
                        Clause::Object
                    }
                    Kind::SvmCoarse if a.kernel && b.kernel && one_device => continue,
                    Kind::SvmCoarse => Clause::Coarse,
                    Kind::SvmFine | Kind::SvmAtomics | Kind::Host if a.kernel && b.kernel => {
                        continue;
                    }
                    Kind::SvmFine | Kind::SvmAtomics | Kind::Host => Clause::Bytes,
                };
                let what = format!(
                    "nothing orders steps {} and {}, which may use object {}, one for writing",
                    a.step, b.step, root.0
                );
                self.tell(clause, what);
            }
        }
    }

    /// The host uses memory while commands run.
    fn by_host(&mut self, step: usize, uses: &[Use], own: bool) {
        for command in self.running.clone() {
            for x in command.uses.iter().filter(|_| !own || command.step != step) {
                if uses
                    .iter()
                    .any(|y| x.object == y.object && (x.writes || y.writes))
                {
                    let what = format!(
                        "nothing orders step {} and the host in step {step}",
                        command.step
                    );
                    self.tell(Clause::Bytes, what);
                }
            }
        }
    }

    /// The host takes part in what kernels do: only in memory that is shared by byte.
    fn talk(&mut self, step: usize, acts: &[Operation]) {
        let open = |at: Place| self.open(at.object);
        if !exchange::fits(acts, &open) || !self.case.quit.is_none_or(open) {
            self.tell(
                Clause::NoMap,
                format!("step {step} uses memory without a map"),
            );
        }
    }
}

/// What a transfer uses.
pub fn moved(what: &Transfer) -> Vec<Use> {
    let (from, to) = match what {
        Transfer::Read(bytes)
        | Transfer::Write(bytes)
        | Transfer::Copy(bytes)
        | Transfer::MapRead(bytes)
        | Transfer::MapReadBeside { of: bytes, .. }
        | Transfer::SvmCopy(bytes) => (Some(bytes.from.object), bytes.to.object),
        Transfer::Fill(pattern) | Transfer::SvmFill(pattern) => (None, pattern.to.object),
        Transfer::ReadRect(region) | Transfer::WriteRect(region) | Transfer::CopyRect(region) => {
            (Some(region.from.object), region.to.object)
        }
        Transfer::MapWrite { from, to, .. } => (Some(from.object), to.object),
        Transfer::Renew { to, .. } => (None, to.object),
        Transfer::ReadImage(region) => (Some(region.from.object), region.to.object),
        Transfer::WriteImage(region) => (Some(region.from.object), region.to.object),
        Transfer::CopyImage(region) => (Some(region.from.object), region.to.object),
        Transfer::CopyImageToBuffer(region) => (Some(region.from.object), region.to.object),
        Transfer::CopyBufferToImage(region) => (Some(region.from.object), region.to.object),
        Transfer::FillImage { to, .. } => (None, to.object),
        Transfer::MapReadImage(region) => (Some(region.from.object), region.to.object),
        Transfer::MapWriteImage { from, to, .. } => (Some(from.object), to.object),
        // What overlaps a migration is undefined, as what overlaps a write is.
        Transfer::Migrate { objects, .. } => {
            let one = |object: &ObjectId| Use {
                object: *object,
                writes: true,
            };
            return objects.iter().map(one).collect();
        }
        Transfer::SvmMigrate { of, .. } => (None, of.object),
    };
    let from = from.map(|object| Use {
        object,
        writes: false,
    });
    let to = Use {
        object: to,
        writes: true,
    };
    from.into_iter().chain([to]).collect()
}

/// Takes a queue's commands away, and those that were complete before one of them.
fn take_away(running: &mut Vec<Command>, queue: usize) {
    let mut gone = BTreeSet::new();
    for command in running.iter().filter(|command| command.queue == queue) {
        gone.insert(command.step);
        gone.extend(&command.after);
    }
    running.retain(|command| !gone.contains(&command.step));
}

#[test]
fn launches_that_nothing_orders_write_no_object_of_both() {
    use classay_suites::family::Family;
    let case = |kind: &str, second: &str, steps: &str| {
        let text = format!(
            "kind: kernel
about: two launches
source: |
  kernel void writes(global uint *out) {{ out[get_global_id(0)] = 1; }}
  kernel void reads(global const uint *in) {{ }}
queues: [{second}]
objects: [{{kind: {kind}, bytes: 64}}, {{kind: {kind}, bytes: 64}}]
steps:
- {{launch: {{kernel: writes, args: [{{object: 0}}], range: {{global: [4]}}, times: 1}}}}
{steps}
"
        );
        let case = KernelCase::read(&text).expect("a case");
        let clauses = complaints(&case).into_iter().map(|one| one.clause);
        clauses.collect::<Vec<Clause>>()
    };
    let launch = |kernel: &str, object: u8, more: &str| {
        format!(
            "- {{launch: {{kernel: {kernel}, args: [{{object: {object}}}], range: {{global: [4]}}, times: 1, queue: 1{more}}}}}"
        )
    };
    let writes = launch("writes", 0, "");
    assert_eq!(case("buffer", "0", &writes), [Clause::Object]);
    assert_eq!(
        case("buffer", "0", &launch("reads", 0, "")),
        [Clause::Object]
    );
    assert_eq!(case("buffer", "0", &launch("writes", 1, "")), []);
    assert_eq!(
        case("buffer", "0", &launch("writes", 0, ", after: [0]")),
        []
    );
    assert_eq!(case("buffer", "0", &format!("- finish\n{writes}")), []);
    assert_eq!(case("svm-coarse", "1", &writes), [Clause::Coarse]);
    // Whose bytes they share by, the kernels know.
    assert_eq!(case("svm-coarse", "0", &writes), []);
    assert_eq!(case("svm-fine", "1", &writes), []);
    // The host beside a kernel.
    let host = "- {host: {at: {object: 0, byte: 0}, bytes: 4, contents: zero}}";
    assert_eq!(case("svm-fine", "0", host), [Clause::Bytes]);
    assert_eq!(case("svm-fine", "0", &format!("- finish\n{host}")), []);
    let moved = "- {move: {what: {svm-fill: {pattern: [1], to: {object: 0, byte: 0}, bytes: 4}}}}";
    assert_eq!(case("svm-fine", "0", moved), [], "the queue is in order");
    let other = format!("{}\n{moved}", launch("writes", 0, ", after: [0]"));
    assert_eq!(case("svm-fine", "0", &other), [Clause::Bytes]);
}
