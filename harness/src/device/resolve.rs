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

/// Bits of `cl_device_atomic_capabilities`.
mod atomic {
    pub const ORDER_ACQ_REL: u64 = 1 << 1;
    pub const ORDER_SEQ_CST: u64 = 1 << 2;
    pub const SCOPE_DEVICE: u64 = 1 << 5;
    pub const SCOPE_ALL_DEVICES: u64 = 1 << 6;
}

/// Bits of `cl_device_svm_capabilities`.
mod svm {
    pub const COARSE: u64 = 1;
    pub const FINE_BUFFER: u64 = 1 << 1;
    pub const FINE_SYSTEM: u64 = 1 << 2;
    pub const ATOMICS: u64 = 1 << 3;
}

/// One claim about the compiler.
struct Claim {
    /// What is claimed, in words.
    what: &'static str,
    /// What reports it.
    query: &'static str,
    /// Whether it is reported.
    reported: bool,
    /// The macro that OpenCL C 3.0 defines for it.
    feature: Option<&'static str>,
    /// A program that uses it.
    source: &'static str,
}

impl Claim {
    /// One for which there is no feature macro.
    fn unguarded(
        what: &'static str,
        query: &'static str,
        reported: bool,
        source: &'static str,
    ) -> Claim {
        Claim {
            what,
            query,
            reported,
            feature: None,
            source,
        }
    }
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
        version: reported.version,
        il: reported.il.clone(),
        cpu: reported.cpu,
        compute_units: reported.compute_units,
        max_work_group_size: reported.max_work_group_size,
        local_mem_size: reported.local_mem_size,
        max_alloc: reported.max_alloc,
        global_mem: reported.global_mem,
        non_uniform_groups: reported.non_uniform_groups,
        native_kernels: reported.native_kernels,
        built_in_kernels: reported.built_in_kernels.clone(),
        mem_base_addr_align_bits: reported.mem_base_addr_align_bits,
        address_bits: reported.address_bits,
        ..Capabilities::default()
    };
    r.language(reported, &mut c);
    if !c.c_std.is_empty() {
        r.atomics(reported, &mut c);
        r.optional_features(reported, &mut c);
    }
    r.memory(reported, &mut c);
    c.out_of_order_queue = reported.out_of_order_queue && {
        let created = r.probe.out_of_order_queue();
        if let Err(why) = &created {
            r.findings.push(format!(
                "reports out-of-order queues but creating one fails ({why}); taken as absent"
            ));
        }
        created.is_ok()
    };
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

    /// The atomics that the compiler decides on.
    fn atomics(&mut self, reported: &Reported, c: &mut Capabilities) {
        let c11 = c.c_std != "CL1.2";
        let atomics = |bit: u64| c11 && reported.atomics & bit != 0;
        let memory_query = "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES";
        c.c11_atomics = self.holds(&Claim::unguarded(
            "C11 atomics",
            "the language version",
            c11,
            C11,
        ));
        let c11 = c.c11_atomics;
        c.order_acq_rel = self.holds(&Claim {
            what: "the orders acquire, release and acq_rel",
            query: memory_query,
            reported: c11 && atomics(atomic::ORDER_ACQ_REL),
            feature: Some("__opencl_c_atomic_order_acq_rel"),
            source: ACQ_REL,
        });
        c.order_seq_cst = self.holds(&Claim {
            what: "the order seq_cst",
            query: memory_query,
            reported: c11 && atomics(atomic::ORDER_SEQ_CST),
            feature: Some("__opencl_c_atomic_order_seq_cst"),
            source: SEQ_CST,
        });
        self.hierarchy(
            "the order seq_cst",
            &mut c.order_seq_cst,
            "acq_rel",
            c.order_acq_rel,
        );
        c.scope_device = self.holds(&Claim {
            what: "the scope device",
            query: memory_query,
            reported: c11 && atomics(atomic::SCOPE_DEVICE),
            feature: Some("__opencl_c_atomic_scope_device"),
            source: SCOPE_DEVICE,
        });
        c.scope_all_devices = self.holds(&Claim {
            what: "the scope all_svm_devices",
            query: memory_query,
            reported: c11 && atomics(atomic::SCOPE_ALL_DEVICES),
            feature: Some("__opencl_c_atomic_scope_all_devices"),
            source: SCOPE_ALL_DEVICES,
        });
        self.hierarchy(
            "the scope all_svm_devices",
            &mut c.scope_all_devices,
            "device",
            c.scope_device,
        );
        c.sub_groups = self.holds(&Claim {
            what: "sub-groups",
            query: "CL_DEVICE_MAX_NUM_SUB_GROUPS",
            reported: reported.sub_groups && c.c_std != "CL1.2",
            feature: Some("__opencl_c_subgroups"),
            source: SUB_GROUPS,
        });
        c.scope_sub_group = self.holds(&Claim::unguarded(
            "the scope sub_group",
            "the presence of sub-groups",
            c11 && c.sub_groups,
            SCOPE_SUB_GROUP,
        ));
        let wide = reported.extension("cl_khr_int64_base_atomics")
            && reported.extension("cl_khr_int64_extended_atomics");
        c.int64_atomics = self.holds(&Claim::unguarded(
            "64-bit atomics",
            "cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics",
            wide,
            if c11 { INT64_C11 } else { INT64_1_X },
        ));
    }

    /// What else the language has, by building small programs.
    fn optional_features(&mut self, reported: &Reported, c: &mut Capabilities) {
        let two = c.c_std != "CL1.2";
        c.generic_address_space = self.holds(&Claim {
            what: "the generic address space",
            query: "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT",
            reported: two && reported.generic_address_space,
            feature: Some("__opencl_c_generic_address_space"),
            source: GENERIC,
        });
        c.device_enqueue = self.holds(&Claim {
            what: "device-side enqueue",
            query: "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES",
            reported: two && reported.device_enqueue,
            feature: Some("__opencl_c_device_enqueue"),
            source: ENQUEUE,
        });
        c.pipes = self.holds(&Claim {
            what: "pipes",
            query: "CL_DEVICE_PIPE_SUPPORT",
            reported: two && reported.pipes,
            feature: Some("__opencl_c_pipes"),
            source: PIPES,
        });
        c.program_scope_variables = self.holds(&Claim {
            what: "program-scope variables",
            query: "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE",
            reported: two && reported.program_scope_variables,
            feature: Some("__opencl_c_program_scope_global_variables"),
            source: PROGRAM_SCOPE,
        });
        c.work_group_functions = self.holds(&Claim {
            what: "work-group collective functions",
            query: "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
            reported: two && reported.work_group_functions,
            feature: Some("__opencl_c_work_group_collective_functions"),
            source: WORK_GROUP_FUNCTIONS,
        });
        c.sub_group_progress = c.sub_groups && reported.sub_group_progress;
        c.fp64 = self.holds(&Claim {
            what: "double precision",
            query: "CL_DEVICE_DOUBLE_FP_CONFIG",
            reported: reported.fp64,
            feature: Some("__opencl_c_fp64"),
            source: FP64,
        });
        c.fp16 = self.holds(&Claim::unguarded(
            "half precision",
            "cl_khr_fp16",
            reported.extension("cl_khr_fp16"),
            FP16,
        ));
        c.images = self.holds(&Claim {
            what: "images",
            query: "CL_DEVICE_IMAGE_SUPPORT",
            reported: reported.images,
            feature: Some("__opencl_c_images"),
            source: IMAGES,
        });
        c.image_objects = reported.images;
        c.read_write_images = c.images && reported.read_write_images;
        c.full_profile = reported.full_profile;
    }

    /// Shared virtual memory, by allocating it.
    fn memory(&mut self, reported: &Reported, c: &mut Capabilities) {
        let has = |bit: u64| reported.svm & bit != 0;
        c.svm_coarse = self.svm(
            "coarse-grain SVM buffers",
            has(svm::COARSE),
            SvmKind::Coarse,
        );
        c.svm_fine_buffer = self.svm(
            "fine-grain SVM buffers",
            has(svm::FINE_BUFFER),
            SvmKind::Fine,
        );
        c.svm_fine_system = has(svm::FINE_SYSTEM);
        c.svm_atomics = self.svm("SVM atomics", has(svm::ATOMICS), SvmKind::FineAtomics);
        self.hierarchy(
            "fine-grain SVM buffers",
            &mut c.svm_fine_buffer,
            "coarse-grain ones",
            c.svm_coarse,
        );
        self.hierarchy(
            "fine-grain system SVM",
            &mut c.svm_fine_system,
            "fine-grain buffers",
            c.svm_fine_buffer,
        );
        self.hierarchy(
            "SVM atomics",
            &mut c.svm_atomics,
            "fine-grain SVM",
            c.svm_fine_buffer,
        );
    }

    fn svm(&mut self, what: &str, reported: bool, kind: SvmKind) -> bool {
        if !reported {
            return false;
        }
        match self.probe.svm(kind) {
            Ok(()) => true,
            Err(why) => {
                self.findings
                    .push(format!("reports {what} but {why}; taken as absent"));
                false
            }
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
    fn holds(&mut self, claim: &Claim) -> bool {
        let feature = claim.feature.filter(|_| self.features);
        if !claim.reported {
            return false;
        }
        let program = match feature {
            Some(name) => format!(
                "#ifndef {name}\n#error {name} is not defined\n#endif\n{}",
                claim.source
            ),
            None => claim.source.to_string(),
        };
        let Err(log) = self.probe.build(&program, &self.options) else {
            return true;
        };
        let mut wrong = Vec::new();
        match feature {
            None => wrong.push(format!(
                "a program that uses it does not build ({})",
                first_error(&log)
            )),
            Some(name) => {
                let macro_only =
                    format!("#ifndef {name}\n#error {name} is not defined\n#endif\n{PLAIN_1_2}");
                if self.probe.build(&macro_only, &self.options).is_err() {
                    wrong.push(format!("the compiler leaves {name} undefined"));
                }
                if let Err(log) = self.probe.build(claim.source, &self.options) {
                    wrong.push(format!(
                        "a program that uses it does not build ({})",
                        first_error(&log)
                    ));
                }
                if wrong.is_empty() {
                    wrong.push(format!(
                        "a program that asks for {name} and uses it does not build ({})",
                        first_error(&log)
                    ));
                }
            }
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

const PLAIN_1_2: &str = "kernel void k(global int *o) { o[0] = 1; }\n";

const PLAIN_2_0: &str = "\
#if __OPENCL_C_VERSION__ < 200
#error an older language version
#endif
kernel void k(global int *o) { o[0] = 1; }
";

const PLAIN_3_0: &str = "\
#if __OPENCL_C_VERSION__ < 300
#error an older language version
#endif
kernel void k(global int *o) { o[0] = 1; }
";

const C11: &str = "\
kernel void k(global atomic_int *a, local atomic_uint *b, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group)
       + (int)atomic_fetch_add_explicit(b, 1u, memory_order_relaxed, memory_scope_work_group);
}
";

const ACQ_REL: &str = "\
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_release, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group)
       + atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, memory_scope_work_group);
}
";

const SEQ_CST: &str = "\
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_seq_cst, memory_scope_work_group);
  o[0] = atomic_load_explicit(a, memory_order_seq_cst, memory_scope_work_group);
}
";

const SCOPE_DEVICE: &str = "\
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_device);
}
";

const SCOPE_ALL_DEVICES: &str = "\
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_all_svm_devices);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_all_svm_devices);
}
";

const SCOPE_SUB_GROUP: &str = "\
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void k(global atomic_int *a, global int *o) {
  atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_sub_group);
  o[0] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_sub_group);
}
";

const SUB_GROUPS: &str = "\
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void k(global uint *o) {
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  o[get_global_id(0)] = get_sub_group_id() + get_sub_group_local_id();
}
";

const INT64_C11: &str = "\
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global atomic_long *a, global long *o) {
  atomic_store_explicit(a, 1L, memory_order_relaxed, memory_scope_work_group);
  o[0] = atomic_fetch_add_explicit(a, 1L, memory_order_relaxed, memory_scope_work_group);
}
";

const INT64_1_X: &str = "\
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(volatile global long *a, global long *o) { o[0] = atom_add(a, 1L) + atom_or(a, 2L); }
";

const GENERIC: &str = "\
int get(int *p) { return *p; }
kernel void k(global int *g, local int *l, global int *o) {
  int *p = g[0] != 0 ? (int *)g : (int *)l;
  o[0] = get(p);
}
";

const ENQUEUE: &str = "\
kernel void k(global int *o) {
  queue_t q = get_default_queue();
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ o[0] = 1; });
}
";

const PIPES: &str = "\
kernel void k(read_only pipe int p, global int *o) {
  int v;
  if (read_pipe(p, &v) == 0) o[0] = v;
}
";

const PROGRAM_SCOPE: &str = "\
global int kept = 7;
kernel void k(global int *o) { o[0] = kept; kept = 8; }
";

const WORK_GROUP_FUNCTIONS: &str = "\
kernel void k(global int *o) { o[get_global_id(0)] = work_group_reduce_add(1); }
";

const FP64: &str = "\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double *o) { o[0] = o[1] * 2.0; }
";

const FP16: &str = "\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *o) { o[0] = o[1] * (half)2.0f; }
";

const IMAGES: &str = "\
kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) {
  o[0] = read_imagef(i, s, (int2)(0, 0));
}
";

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
