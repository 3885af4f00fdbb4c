//! Every generated test can be written as a kernel.

use super::{DEFAULT, SMALL};
use crate::kernel::{AtomicsDialect, Needs, Shape, TestKernel};

#[test]
fn every_test_has_a_kernel() {
    for found in DEFAULT.iter() {
        let program = found.candidate.program();
        let shape = Shape::of(&program);
        let needs = shape.and_then(|shape| Needs::of(&program, &shape));
        assert!(needs.is_ok(), "{}: {needs:?}", program.name);
    }
    let some = DEFAULT.iter().step_by(41).map(|f| f.candidate.program());
    for program in some.chain(SMALL.iter().map(|test| test.program())) {
        let kernel = TestKernel::write(&program, AtomicsDialect::C11);
        assert!(kernel.is_ok(), "{}: {kernel:?}", program.name);
    }
}
