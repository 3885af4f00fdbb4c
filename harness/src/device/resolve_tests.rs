//! Devices that contradict themselves, made up.

use super::*;

/// A compiler that fails a program when a line of it contains one of the words, or when it asks
/// for a macro that is not defined.
struct MadeUp {
    refused_words: Vec<&'static str>,
    undefined: Vec<&'static str>,
    svm_fails: bool,
    queue_fails: bool,
    builds: usize,
}

impl MadeUp {
    fn honest() -> MadeUp {
        MadeUp {
            refused_words: Vec::new(),
            undefined: Vec::new(),
            svm_fails: false,
            queue_fails: false,
            builds: 0,
        }
    }
}

impl Probe for MadeUp {
    fn build(&mut self, source: &str, options: &str) -> Result<(), String> {
        self.builds += 1;
        for line in source.lines() {
            if let Some(name) = line.strip_prefix("#ifndef ")
                && self.undefined.contains(&name)
            {
                return Err(format!("error: {name} is not defined"));
            }
        }
        match self
            .refused_words
            .iter()
            .find(|w| source.contains(**w) || options.contains(**w))
        {
            Some(word) => Err(format!("<source>:1:1: error: unknown '{word}'\n")),
            None => Ok(()),
        }
    }

    fn svm(&mut self, _kind: SvmKind) -> Result<(), String> {
        if self.svm_fails {
            Err("clSVMAlloc returns no memory".into())
        } else {
            Ok(())
        }
    }

    fn out_of_order_queue(&mut self) -> Result<(), String> {
        if self.queue_fails {
            Err("error -35".into())
        } else {
            Ok(())
        }
    }
}

fn everything() -> Reported {
    Reported {
        claims: Capabilities {
            version: (3, 0),
            order_acq_rel: true,
            order_seq_cst: true,
            scope_device: true,
            scope_all_devices: true,
            int64_atomics: true,
            sub_groups: true,
            svm_coarse: true,
            svm_fine_buffer: true,
            svm_fine_system: true,
            svm_atomics: true,
            out_of_order_queue: true,
            device_enqueue: true,
            non_uniform_groups: true,
            pipes: true,
            generic_address_space: true,
            images: true,
            image_objects: true,
            read_write_images: true,
            full_profile: true,
            native_kernels: true,
            built_in_kernels: "one".into(),
            program_scope_variables: true,
            work_group_functions: true,
            sub_group_progress: true,
            rounded_division: true,
            fp64: true,
            mem_base_addr_align_bits: 1024,
            image_pitch_align: 1,
            address_bits: 64,
            il: "SPIR-V_1.2".into(),
            linker: true,
            cpu: true,
            compute_units: 4,
            max_work_group_size: 256,
            local_mem_size: 1 << 15,
            max_alloc: 1 << 30,
            global_mem: 1 << 32,
            ..Capabilities::default()
        },
        c_versions: vec![(3, 0), (2, 0), (1, 2)],
        unanswered: Vec::new(),
    }
}

fn flags(c: &Capabilities) -> Vec<(&'static str, bool)> {
    vec![
        ("c11", c.c11_atomics),
        ("acq_rel", c.order_acq_rel),
        ("seq_cst", c.order_seq_cst),
        ("sub_group scope", c.scope_sub_group),
        ("device scope", c.scope_device),
        ("all devices scope", c.scope_all_devices),
        ("int64", c.int64_atomics),
        ("generic", c.generic_address_space),
        ("sub-groups", c.sub_groups),
        ("coarse", c.svm_coarse),
        ("fine", c.svm_fine_buffer),
        ("system", c.svm_fine_system),
        ("svm atomics", c.svm_atomics),
        ("out of order", c.out_of_order_queue),
        ("enqueue", c.device_enqueue),
        ("pipes", c.pipes),
        ("images", c.images),
        ("image objects", c.image_objects),
        ("read-write images", c.read_write_images),
        ("full profile", c.full_profile),
        ("program-scope variables", c.program_scope_variables),
        ("work-group functions", c.work_group_functions),
        ("sub-group progress", c.sub_group_progress),
        ("fp64", c.fp64),
    ]
}

#[test]
fn an_honest_device_is_believed() {
    let (c, findings) = resolve(&everything(), &mut MadeUp::honest());
    assert_eq!(findings, Vec::<String>::new());
    assert_eq!(c.c_std, "CL3.0");
    for (name, on) in flags(&c) {
        assert!(on, "{name}");
    }
}

#[test]
fn a_device_that_claims_nothing_is_asked_nothing_more() {
    let mut probe = MadeUp::honest();
    let mut reported = Reported {
        c_versions: vec![(3, 0)],
        ..Reported::default()
    };
    reported.claims.version = (3, 0);
    let (c, findings) = resolve(&reported, &mut probe);
    assert_eq!(findings, Vec::<String>::new());
    for (name, on) in flags(&c) {
        assert_eq!(on, name == "c11", "{name}");
    }
    assert_eq!(probe.builds, 2, "the language version and C11 atomics");
}

#[test]
fn a_scope_without_macro_and_identifier_is_a_finding() {
    let mut probe = MadeUp {
        refused_words: vec!["memory_scope_all_svm_devices"],
        undefined: vec!["__opencl_c_atomic_scope_all_devices"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut probe);
    assert!(!c.scope_all_devices);
    assert!(c.scope_device);
    assert_eq!(findings.len(), 1, "{findings:?}");
    for part in [
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES",
        "leaves __opencl_c_atomic_scope_all_devices undefined",
        "does not build",
        "taken as absent",
    ] {
        assert!(findings[0].contains(part), "{}", findings[0]);
    }
}

#[test]
fn a_macro_alone_is_not_enough_and_neither_is_a_program_alone() {
    let mut no_program = MadeUp {
        refused_words: vec!["memory_order_seq_cst"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut no_program);
    assert!(!c.order_seq_cst && c.order_acq_rel);
    assert!(!findings[0].contains("undefined"), "{}", findings[0]);

    let mut no_macro = MadeUp {
        undefined: vec!["__opencl_c_atomic_order_seq_cst"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut no_macro);
    assert!(!c.order_seq_cst && c.order_acq_rel);
    assert!(!findings[0].contains("does not build"), "{}", findings[0]);
}

#[test]
fn hierarchies_are_kept() {
    let mut probe = MadeUp {
        refused_words: vec!["memory_order_acq_rel", "memory_scope_device"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut probe);
    assert!(!c.order_acq_rel && !c.order_seq_cst);
    assert!(!c.scope_device && !c.scope_all_devices);
    assert_eq!(findings.len(), 4, "{findings:?}");
}

#[test]
fn svm_that_cannot_be_allocated_is_off() {
    let mut probe = MadeUp {
        svm_fails: true,
        queue_fails: true,
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut probe);
    assert!(!c.svm_coarse && !c.svm_fine_buffer && !c.svm_fine_system && !c.svm_atomics);
    assert!(!c.out_of_order_queue);
    assert_eq!(findings.len(), 5, "{findings:?}");
}

#[test]
fn the_language_falls_back() {
    let mut probe = MadeUp {
        refused_words: vec!["CL3.0"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut probe);
    assert_eq!(c.c_std, "CL2.0");
    assert!(c.c11_atomics && c.scope_all_devices);
    assert_eq!(findings.len(), 1, "{findings:?}");

    let mut old = everything();
    old.claims.version = (1, 2);
    old.c_versions = vec![(1, 2)];
    let (c, _) = resolve(&old, &mut MadeUp::honest());
    assert_eq!(c.c_std, "CL1.2");
    assert!(!c.c11_atomics && !c.order_acq_rel && !c.generic_address_space && !c.pipes);
    assert!(c.int64_atomics && c.images);
}

#[test]
fn a_device_without_a_compiler_has_no_language() {
    let mut probe = MadeUp {
        refused_words: vec!["kernel"],
        ..MadeUp::honest()
    };
    let (c, findings) = resolve(&everything(), &mut probe);
    assert_eq!(c.c_std, "");
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(!c.c11_atomics && !c.images);
}
