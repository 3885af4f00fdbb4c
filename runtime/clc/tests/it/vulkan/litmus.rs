//! The texts of the shipped litmus tests.

use super::{first_error, targets, validate, write};
use classay_litmus::kernel::{AtomicsDialect, Needs, Shape, TestKernel};
use classay_litmus::program::Program;
use classay_litmus::syntax::read_litmus;
use std::collections::{BTreeMap, BTreeSet};

/// Why a text is refused, by the devices that refuse it: everywhere, or those without 64 bits.
const REASONS: [(&str, &[&str]); 3] = [
    (
        "`memory_order_seq_cst` (the Vulkan memory model has no such order) is not supported in Vulkan shaders",
        &["least", "most", "legacy"],
    ),
    (
        "`memory_scope_all_svm_devices` (there is no shared virtual memory) is not supported in Vulkan shaders",
        &["least", "most", "legacy"],
    ),
    (
        "an atomic operation on 64 bits (of this device) is not supported in Vulkan shaders",
        &["least"],
    ),
];

/// The texts of a test: with the functions of C11, and with those of OpenCL 1.x where they say it.
fn texts(program: &Program) -> Vec<(&'static str, String)> {
    let Ok(shape) = Shape::of(program) else {
        return Vec::new();
    };
    let fits_v1 = Needs::of(program, &shape).is_ok_and(|needs| needs.fits_v1);
    let dialects = [
        (AtomicsDialect::C11, "CL3.0", true),
        (AtomicsDialect::V1, "CL1.2", fits_v1),
    ];
    let mut texts = Vec::new();
    for (dialect, standard, _) in dialects.into_iter().filter(|(.., fits)| *fits) {
        let kernel = TestKernel::write(program, dialect).unwrap();
        texts.push((standard, kernel.source));
    }
    texts
}

#[test]
fn each_is_a_valid_module_or_refused_by_name() {
    let mut refused: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut modules = 0;
    for (name, text) in classay_litmus::shipped() {
        let program = read_litmus(name, text).unwrap();
        for (standard, text) in texts(&program) {
            for (device, target) in targets() {
                match write(&text, standard, &target) {
                    Ok(shader) => {
                        modules += 1;
                        validate(&shader, name);
                    }
                    Err(log) => {
                        let reason = first_error(&log).to_owned();
                        refused.entry(reason).or_default().insert(device);
                    }
                }
            }
        }
    }
    let reasons =
        REASONS.map(|(reason, devices)| (reason.to_owned(), devices.iter().copied().collect()));
    assert_eq!(refused, BTreeMap::from(reasons));
    assert!(modules > 400, "{modules}");
}
