//! Draws kernel cases from a seed: one function for each family, and what they share.

mod atomics;
mod copies;
mod dialogue;
mod enqueue;
mod functions;
mod group;
mod images;
mod loops;
mod modules;
mod ndrange;
mod pipes;
mod regions;
mod source;
mod subgroups;
mod svm;
mod transfer;

use super::case::{
    Arg, Contents, Drawn, KernelCase, Kind, Object, ObjectId, Place, Step, Unit, Want,
};
use crate::commands::generate::Draw;
use crate::need::Need;
use crate::rule::RuleId;

/// A family of kernel cases: `family`, `kind`, and how one is drawn.
pub type Family = (&'static str, &'static str, fn(&mut Draw) -> KernelCase);

/// Every family.
pub const FAMILIES: &[Family] = &[
    ("ndrange", "ids", ndrange::ids),
    ("ndrange", "large", ndrange::large),
    ("ndrange", "errors", ndrange::errors),
    ("ndrange", "loops", loops::loops),
    ("group", "barrier", group::barrier),
    ("group", "local", group::local),
    ("group", "private", group::private),
    ("group", "functions", functions::work_group),
    ("group", "copies", copies::asynchronous),
    ("subgroup", "collective", subgroups::collective),
    ("subgroup", "map", subgroups::map),
    ("subgroup", "progress", subgroups::progress),
    ("atomics", "crowd", atomics::crowd),
    ("atomics", "store", atomics::store),
    ("atomics", "init", atomics::init),
    ("atomics", "values", atomics::values),
    ("memory", "disjoint", regions::disjoint),
    ("memory", "program-scope", regions::program_scope),
    ("memory", "generic", regions::generic),
    ("memory", "arguments", regions::arguments),
    ("memory", "vectors", copies::vectors),
    ("kernels", "source", source::again),
    ("svm", "structures", svm::structures),
    ("svm", "bytes", dialogue::beside::bytes),
    ("svm", "turns", dialogue::turns::turns),
    ("svm", "crowd", dialogue::crowd::crowd),
    ("svm", "lock", dialogue::lock::lock),
    ("svm", "stack", dialogue::stack::stack),
    ("svm", "seen", dialogue::seen::seen),
    ("svm", "pairs", dialogue::pairs::pairs),
    ("transfer", "buffer", transfer::buffer),
    ("transfer", "rect", transfer::rect),
    ("transfer", "map", transfer::map),
    ("transfer", "errors", transfer::errors),
    ("transfer", "svm", transfer::svm),
    ("image", "transfer", images::transfer),
    ("image", "read", images::read),
    ("image", "write", images::write),
    ("image", "fence", images::fence),
    ("pipe", "order", pipes::order),
    ("pipe", "again", pipes::again),
    ("pipe", "limits", pipes::limits),
    ("pipe", "crowd", pipes::crowd),
    ("pipe", "reserve", pipes::reserve),
    ("pipe", "reserve-again", pipes::reserve_again),
    ("pipe", "sub-group", pipes::sub_group_reserve),
    ("program", "il", modules::il),
    ("program", "built-in", modules::built_in),
    ("program", "again", modules::again),
    ("enqueue", "tree", enqueue::tree),
    ("enqueue", "talk", enqueue::talk),
    ("enqueue", "failure", enqueue::failure),
    ("enqueue", "ready", enqueue::ready),
];

/// The case that a family (`family/kind`) draws from a seed.
pub fn draw(family: &str, seed: u64) -> Option<KernelCase> {
    let mut case = function(family)?(&mut Draw::new(seed));
    case.drawn = Some(Drawn {
        family: family.into(),
        seed,
    });
    Some(case)
}

/// What draws the cases of a family (`family/kind`).
pub(super) fn function(family: &str) -> Option<fn(&mut Draw) -> KernelCase> {
    let mut all = FAMILIES.iter();
    let (_, _, draw) = all.find(|(name, kind, _)| family == format!("{name}/{kind}"))?;
    Some(*draw)
}

/// A case that is being made.
struct Making {
    case: KernelCase,
}

impl Making {
    /// A case of which this can be said.
    fn new(about: impl Into<String>) -> Making {
        Making {
            case: KernelCase {
                about: about.into(),
                needs: Default::default(),
                source: String::new(),
                module: Vec::new(),
                built_in: String::new(),
                device_queues: Vec::new(),
                build: Default::default(),
                queues: Vec::new(),
                objects: Vec::new(),
                quit: None,
                steps: Vec::new(),
                drawn: None,
            },
        }
    }

    /// Needs these.
    fn need(&mut self, needs: &[Need]) {
        self.case.needs.extend(needs);
    }

    /// A further object.
    fn object(&mut self, kind: Kind, bytes: usize, contents: Contents) -> ObjectId {
        let id = ObjectId(self.case.objects.len() as u16);
        self.case.objects.push(Object {
            kind,
            bytes,
            contents,
            alloc_host: false,
        });
        id
    }

    /// A buffer of zeros.
    fn buffer(&mut self, bytes: usize) -> ObjectId {
        self.object(Kind::Buffer, bytes.max(1), Contents::Zero)
    }

    /// A further step.
    fn step(&mut self, step: Step) {
        self.case.steps.push(step);
    }

    /// A look at an object.
    fn look(&mut self, object: ObjectId, rules: &[RuleId], name: &str, want: Want) {
        self.step(Step::Look {
            object,
            rules: rules.to_vec(),
            name: name.into(),
            want,
            even_so: false,
        });
    }

    /// A look at an object that has to be so even where a side gave up.
    fn look_even_so(&mut self, object: ObjectId, rules: &[RuleId], name: &str, want: Want) {
        self.step(Step::Look {
            object,
            rules: rules.to_vec(),
            name: name.into(),
            want,
            even_so: true,
        });
    }
}

/// A place.
fn at(object: ObjectId, byte: usize) -> Place {
    Place { object, byte }
}

/// A buffer as an argument.
fn object(id: ObjectId) -> Arg {
    Arg::Object(id)
}

/// The same elements, each run.
fn same(unit: Unit, contents: Contents) -> Want {
    Want::Same {
        unit,
        contents,
        racy: false,
    }
}
