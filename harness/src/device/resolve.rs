//! Which of a device's claims to believe.
//!
//! A claim counts when three things hold together: the query reports it, the compiler defines the
//! feature macro that OpenCL C 3.0 gives it (section 6.2.1 of the OpenCL C specification), and a
//! small program that uses it builds. Where they contradict each other, the capability is off and
//! the contradiction is a finding.

use super::Capabilities;
use super::probe::{Probe, first_error};
use super::reported::Reported;
use super::touch::SvmKind;

/// What a capability depends on.
type Condition = fn(&Capabilities) -> bool;

/// One claim about the compiler.
struct Claim {
    /// Which capability.
    capability: fn(&mut Capabilities) -> &mut bool,
    /// What is claimed, in words.
    what: &'static str,
    /// What reports it.
    query: &'static str,
    /// The macro that OpenCL C 3.0 defines for it.
    feature: Option<&'static str>,
    /// What there must be for it.
    within: Condition,
    /// What is weaker and may not be lacking, with its name.
    above: Option<(Condition, &'static str)>,
    /// A program that uses it.
    source: &'static str,
    /// Another one for compilers without C11 atomics, or none.
    before_c11: &'static [&'static str],
}

/// A list of claims in the order in which they are tried; the program that uses a capability is the
/// file of its name.
macro_rules! claims {
    ($(
        $name:ident: $what:literal, $query:literal, $feature:expr, $within:expr
        $(, above $below:ident: $weaker:literal)? $(, before_c11 $old:literal)?;
    )*) => {
        &[$(Claim {
            capability: |c| &mut c.$name,
            what: $what,
            query: $query,
            feature: $feature,
            within: $within,
            above: claims!(@above $($below $weaker)?),
            source: include_str!(concat!("probes/", stringify!($name), ".cl")),
            before_c11: &[$(include_str!($old))?],
        }),*]
    };
    (@above) => { None };
    (@above $below:ident $weaker:literal) => { Some((|c| c.$below, $weaker)) };
}

const CLAIMS: &[Claim] = claims! {
    c11_atomics: "C11 atomics", "the language version", None, since_2_0;
    order_acq_rel: "the orders acquire, release and acq_rel",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", Some("__opencl_c_atomic_order_acq_rel"), c11;
    order_seq_cst: "the order seq_cst",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", Some("__opencl_c_atomic_order_seq_cst"), c11,
        above order_acq_rel: "acq_rel";
    scope_device: "the scope device",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", Some("__opencl_c_atomic_scope_device"), c11;
    scope_all_devices: "the scope all_svm_devices",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", Some("__opencl_c_atomic_scope_all_devices"), c11,
        above scope_device: "device";
    sub_groups: "sub-groups",
        "CL_DEVICE_MAX_NUM_SUB_GROUPS", Some("__opencl_c_subgroups"), since_2_0;
    scope_sub_group: "the scope sub_group",
        "the presence of sub-groups", None, |c| c11(c) && c.sub_groups;
    int64_atomics: "64-bit atomics",
        "cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics", None, always,
        before_c11 "probes/int64_atomics_1_x.cl";
    generic_address_space: "the generic address space",
        "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", Some("__opencl_c_generic_address_space"), since_2_0;
    device_enqueue: "device-side enqueue",
        "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", Some("__opencl_c_device_enqueue"), since_2_0;
    pipes: "pipes",
        "CL_DEVICE_PIPE_SUPPORT", Some("__opencl_c_pipes"), since_2_0;
    program_scope_variables: "program-scope variables",
        "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", Some("__opencl_c_program_scope_global_variables"),
        since_2_0;
    work_group_functions: "work-group collective functions",
        "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
        Some("__opencl_c_work_group_collective_functions"), since_2_0;
    fp64: "double precision",
        "CL_DEVICE_DOUBLE_FP_CONFIG", Some("__opencl_c_fp64"), always;
    fp16: "half precision",
        "cl_khr_fp16", None, always;
    images: "images",
        "CL_DEVICE_IMAGE_SUPPORT", Some("__opencl_c_images"), always;
};

fn always(_: &Capabilities) -> bool {
    true
}

fn since_2_0(c: &Capabilities) -> bool {
    c.c_std != "CL1.2"
}

fn c11(c: &Capabilities) -> bool {
    c.c11_atomics
}

/// Decides every capability. Returns them with the findings.
pub fn resolve(reported: &Reported, probe: &mut dyn Probe) -> (Capabilities, Vec<String>) {
    let mut r = Resolver {
        probe,
        options: String::new(),
        features: false,
        findings: reported.unanswered.clone(),
    };
    let mut c = Capabilities {
        // Claimed with the language, and with sub-groups.
        c11_atomics: true,
        scope_sub_group: true,
        ..reported.claims.clone()
    };
    r.language(reported, &mut c);
    r.compiler(&mut c);
    r.memory(&mut c);
    let queues = &mut c.out_of_order_queue;
    r.tried(queues, "out-of-order queues", |probe| {
        let created = probe.out_of_order_queue();
        created.map_err(|why| format!("creating one fails ({why})"))
    });
    (c, r.findings)
}

struct Resolver<'p> {
    probe: &'p mut dyn Probe,
    /// Options of every build.
    options: String,
    /// The language version has feature macros.
    features: bool,
    findings: Vec<String>,
}

impl Resolver<'_> {
    /// Chooses the language version: the highest reported one that the compiler really takes.
    fn language(&mut self, reported: &Reported, c: &mut Capabilities) {
        const CHOICES: [((u32, u32), &str, &str); 3] = [
            ((3, 0), "CL3.0", PLAIN_3_0),
            ((2, 0), "CL2.0", PLAIN_2_0),
            ((1, 2), "CL1.2", PLAIN_1_2),
        ];
        c.c_version = reported.c_versions.first().copied().unwrap_or_default();
        for (version, std, source) in CHOICES {
            let claimed = if version == (1, 2) {
                c.c_version >= version
            } else {
                reported
                    .c_versions
                    .iter()
                    .any(|v| v.0 == version.0 && *v >= version)
            };
            if !claimed {
                continue;
            }
            let options = format!("-cl-std={std}");
            match self.probe.build(source, &options) {
                Ok(()) => {
                    c.c_std = std.to_string();
                    self.options = options;
                    self.features = version >= (3, 0);
                    return;
                }
                Err(log) => self.findings.push(format!(
                    "reports OpenCL C {}.{} but does not build a small program with {options} ({})",
                    version.0,
                    version.1,
                    first_error(&log)
                )),
            }
        }
    }

    /// What the compiler offers; nothing where there is none.
    fn compiler(&mut self, c: &mut Capabilities) {
        let there = !c.c_std.is_empty();
        for claim in CLAIMS {
            let mut holds = there && *(claim.capability)(c) && (claim.within)(c);
            if holds {
                let source = match claim.before_c11 {
                    [old] if !c.c11_atomics => old,
                    _ => claim.source,
                };
                holds = self.holds(claim, source);
            }
            if let Some((weaker, name)) = claim.above {
                let have = weaker(c);
                self.hierarchy(claim.what, &mut holds, name, have);
            }
            *(claim.capability)(c) = holds;
        }
        c.sub_group_progress &= c.sub_groups;
        c.image_objects &= there;
        c.read_write_images &= c.images;
        c.full_profile &= there;
    }

    fn memory(&mut self, c: &mut Capabilities) {
        for (claim, what, kind) in [
            (
                &mut c.svm_coarse,
                "coarse-grain SVM buffers",
                SvmKind::Coarse,
            ),
            (
                &mut c.svm_fine_buffer,
                "fine-grain SVM buffers",
                SvmKind::Fine,
            ),
            (&mut c.svm_atomics, "SVM atomics", SvmKind::FineAtomics),
        ] {
            self.tried(claim, what, |probe| probe.svm(kind));
        }
        let (coarse, fine) = (c.svm_coarse, &mut c.svm_fine_buffer);
        self.hierarchy("fine-grain SVM buffers", fine, "coarse-grain ones", coarse);
        let fine = c.svm_fine_buffer;
        let system = &mut c.svm_fine_system;
        self.hierarchy("fine-grain system SVM", system, "fine-grain buffers", fine);
        self.hierarchy("SVM atomics", &mut c.svm_atomics, "fine-grain SVM", fine);
    }

    /// Turns off a capability with which an experiment fails.
    fn tried(
        &mut self,
        capability: &mut bool,
        what: &str,
        experiment: impl FnOnce(&mut dyn Probe) -> Result<(), String>,
    ) {
        if !*capability {
            return;
        }
        if let Err(why) = experiment(self.probe) {
            *capability = false;
            let finding = format!("reports {what} but {why}; taken as absent");
            self.findings.push(finding);
        }
    }

    /// Turns off a capability that cannot be without another.
    fn hierarchy(&mut self, what: &str, capability: &mut bool, needs: &str, have: bool) {
        if *capability && !have {
            *capability = false;
            self.findings
                .push(format!("offers {what} without {needs}; taken as absent"));
        }
    }

    /// Whether a claim holds together; a contradiction becomes a finding.
    fn holds(&mut self, claim: &Claim, source: &str) -> bool {
        let feature = claim.feature.filter(|_| self.features);
        let with = |name: &str, source: &str| {
            format!("#ifndef {name}\n#error {name} is not defined\n#endif\n{source}")
        };
        let program = feature.map_or(source.to_string(), |name| with(name, source));
        let Err(log) = self.probe.build(&program, &self.options) else {
            return true;
        };
        let fails = |what: &str, log: &str| format!("{what} does not build ({})", first_error(log));
        let mut wrong = Vec::new();
        if let Some(name) = feature {
            let macro_only = with(name, PLAIN_1_2);
            if self.probe.build(&macro_only, &self.options).is_err() {
                wrong.push(format!("the compiler leaves {name} undefined"));
            }
            if let Err(log) = self.probe.build(source, &self.options) {
                wrong.push(fails("a program that uses it", &log));
            }
            if wrong.is_empty() {
                let both = format!("a program that asks for {name} and uses it");
                wrong.push(fails(&both, &log));
            }
        } else {
            wrong.push(fails("a program that uses it", &log));
        }
        self.findings.push(format!(
            "{} reports {}, but {}; taken as absent",
            claim.query,
            claim.what,
            wrong.join(" and ")
        ));
        false
    }
}

const PLAIN_1_2: &str = include_str!("probes/plain_1_2.cl");
const PLAIN_2_0: &str = include_str!("probes/plain_2_0.cl");
const PLAIN_3_0: &str = include_str!("probes/plain_3_0.cl");

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
