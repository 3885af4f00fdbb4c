//! Kernels whose answers are computed: what they are made of, and that none is left out.

use super::cases;
use crate::kernels::case::{KernelCase, Step, Want};
use crate::kernels::code::builtin::BUILTINS;
use std::collections::BTreeSet;

/// Seeds whose cases are looked at.
const SEEDS: u64 = 150;

fn text(case: &KernelCase) -> String {
    case.source.clone() + &case.units.concat()
}

/// What stands in some text of a kind, of this list.
fn missing(kind: &str, wanted: &[&str]) -> Vec<String> {
    let texts: String = cases(kind, SEEDS).map(|(_, case)| text(&case)).collect();
    let missing = wanted.iter().filter(|part| !texts.contains(**part));
    missing.map(|part| (*part).into()).collect()
}

#[test]
fn each_kernel_is_launched_because_it_is_well_defined() {
    let kinds = [
        "kernels/computed",
        "kernels/functions",
        "kernels/phases",
        "kernels/random",
    ];
    for kind in kinds {
        for (name, case) in cases(kind, SEEDS) {
            let launched: BTreeSet<_> = case.launches().map(|(_, l)| &l.kernel).collect();
            let kernels = text(&case).matches("kernel void").count();
            assert_eq!(launched.len(), kernels, "{name}");
            let looks = case
                .steps
                .iter()
                .filter(|step| matches!(step, Step::Look { .. }));
            assert_eq!(looks.count(), kernels, "{name}");
        }
    }
}

#[test]
fn a_kernel_of_functions_calls_each() {
    for (name, case) in cases("kernels/functions", 20) {
        for function in BUILTINS {
            let call = format!("{}(", function.name());
            assert!(case.source.contains(&call), "{name}: {call}");
        }
    }
}

#[test]
fn computed_kernels_have_all_of_the_language_that_they_are_about() {
    let wanted = [
        "abs(",
        "abs_diff(",
        "add_sat(",
        "sub_sat(",
        "hadd(",
        "rhadd(",
        "clamp(",
        "clz(",
        "popcount(",
        "rotate(",
        "mul_hi(",
        "mad_hi(",
        "mad_sat(",
        "max(",
        "min(",
        "mul24(",
        "mad24(",
        "upsample(",
        "bitselect(",
        "select(",
        "convert_char(",
        "convert_short_sat(",
        "4_sat(",
        "as_uint(",
        "as_ulong(",
        "(char)",
        "<<",
        ">>=",
        " ? ",
        " && ",
        " || ",
        "(!",
        "(~",
        "(-",
        "switch (",
        "default:",
        "while (",
        "do {",
        "continue;",
        "break;",
        "struct s0 {",
        "changed0(",
        "constant ",
        "private ",
        "get_global_id(2u)",
        "get_local_size(v",
        "get_work_dim()",
        "any(",
        "all(",
        "shuffle(",
        "shuffle2(",
        "16)(",
        "union {",
        "volatile ",
        ".even",
        ".odd ",
        ".hi",
        "++, ",
        "--)",
        // Numbers with a fraction as conditions.
        "(!!",
        "local struct ",
        "global struct ",
        "private *",
        "fresh",
        "[1].f0",
        "{ { ",
        "#pragma OPENCL FP_CONTRACT OFF",
        "fma(",
        "ldexp(",
        "fmod(",
        "nextafter(",
        "isunordered(",
        "_sat_rtp(",
        "convert_float",
        "_rtn(",
        "static ",
        "quotient_",
        "remainder_",
        "++;",
        "--;",
    ];
    assert_eq!(missing("kernels/computed", &wanted), [""; 0]);
    let linked = cases("kernels/computed", SEEDS).filter(|(_, case)| !case.units.is_empty());
    let alike = linked.filter(|(_, case)| {
        let names = ["helper0(", "helper1("];
        names
            .iter()
            .any(|name| case.source.contains(name) && case.units[0].contains(name))
    });
    assert!(alike.count() > 5, "units have internal names alike");
}

#[test]
fn phases_have_every_form_and_groups_of_every_size() {
    let wanted = [
        "local struct s0 boxes",
        "turn(cells",
        "turn_twice(",
        "barrier(CLK_LOCAL_MEM_FENCE)",
        "barrier(CLK_GLOBAL_MEM_FENCE)",
        "return;",
        "[-1]",
        "keep[",
        "<<= 1",
        "while (",
        "for (",
        "other",
    ];
    assert_eq!(missing("kernels/phases", &wanted), [""; 0]);
    let sizes = cases("kernels/phases", SEEDS).filter_map(|(_, case)| {
        let launch = case.launches().next()?.1.clone();
        Some(launch.range.group())
    });
    let sizes: BTreeSet<u64> = sizes.collect();
    assert!(sizes.contains(&1) && sizes.contains(&1024), "{sizes:?}");
    assert!(
        sizes.iter().any(|size| size % 2 == 1 && *size > 64),
        "{sizes:?}"
    );
}

#[test]
fn forms_of_a_kernel_must_leave_the_same() {
    let mut kernels = 0;
    for (name, case) in cases("kernels/random", SEEDS) {
        let mut first: Option<(&str, &Want)> = None;
        for step in &case.steps {
            let Step::Look {
                name: what, want, ..
            } = step
            else {
                continue;
            };
            match first {
                // `what compute0_1 computed` is of a form of `compute0`.
                Some((of, wanted)) if what.contains(&format!("{of}_")) => {
                    assert_eq!(format!("{wanted:?}"), format!("{want:?}"), "{name}: {what}");
                    kernels += 1;
                }
                _ => first = Some((what.split(' ').nth(1).expect("a name"), want)),
            }
        }
    }
    assert!(kernels > 200, "{kernels}");
}

#[test]
fn kernels_are_written_otherwise_in_every_way() {
    let wanted = [
        "if (zero) {",
        "if (one) {",
        "while (zero)",
        "switch (zero) {",
        "= zero; ",
        " < one; ",
        "+ zero",
        "* one",
        "zero == 0u",
        "zero < one",
        "zero >= one",
        "~zero",
        "(one == 0u) ? ",
    ];
    assert_eq!(missing("kernels/random", &wanted), [""; 0]);
}
