//! Builds a kernel case, a piece at a time: what the generators of all families share.

use crate::kernels::case::{
    Arg, Contents, KernelCase, Kind, Object, ObjectId, Place, Step, Unit, Want,
};
use crate::rule::RuleId;
use classay_vocabulary::Need;

/// A case that is being made.
pub(super) struct CaseBuilder {
    pub(super) case: KernelCase,
}

impl CaseBuilder {
    /// A case of which this can be said.
    pub(super) fn new(about: impl Into<String>) -> CaseBuilder {
        CaseBuilder {
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
    pub(super) fn need(&mut self, needs: &[Need]) {
        self.case.needs.extend(needs);
    }

    /// A further object.
    pub(super) fn object(&mut self, kind: Kind, bytes: usize, contents: Contents) -> ObjectId {
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
    pub(super) fn buffer(&mut self, bytes: usize) -> ObjectId {
        self.object(Kind::Buffer, bytes.max(1), Contents::Zero)
    }

    /// A further step.
    pub(super) fn step(&mut self, step: Step) {
        self.case.steps.push(step);
    }

    /// A look at an object.
    pub(super) fn look(&mut self, object: ObjectId, rules: &[RuleId], name: &str, want: Want) {
        self.step(Step::Look {
            object,
            rules: rules.to_vec(),
            name: name.into(),
            want,
            even_so: false,
        });
    }

    /// A look at an object that has to be so even where a side timed out.
    pub(super) fn look_even_so(
        &mut self,
        object: ObjectId,
        rules: &[RuleId],
        name: &str,
        want: Want,
    ) {
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
pub(super) fn at(object: ObjectId, byte: usize) -> Place {
    Place { object, byte }
}

/// A buffer as an argument.
pub(super) fn object(id: ObjectId) -> Arg {
    Arg::Object(id)
}

/// The same elements, each run.
pub(super) fn same(unit: Unit, contents: Contents) -> Want {
    Want::Same {
        unit,
        contents,
        racy: false,
    }
}
