//! Every generated test can be written as a kernel.

use super::{DEFAULT, SMALL, VULKAN};
use crate::generate::context::{Layout, Reach, Spread};
use crate::kernel::{AtomicsDialect, Inexpressible, Needs, Shape, TestKernel};
use crate::program::MemScope;

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

#[test]
fn every_test_of_vulkan_that_is_one_dispatch_has_a_kernel() {
    let mut played = 0;
    for (number, found) in VULKAN.iter().enumerate() {
        let context = found.candidate.context;
        let apart = matches!(context.spread, Spread::Families | Spread::Devices)
            || context.layout == Layout::Image
            || context.reach == Reach::Same(MemScope::AllSvmDevices);
        let program = found.candidate.program();
        let shape = Shape::of(&program);
        let name = &program.name;
        if apart {
            // Whether such tests can be played is the kernel writer's affair.
            let beyond = matches!(shape, Ok(_) | Err(Inexpressible::BeyondDispatch(_)));
            assert!(beyond, "{name}: {shape:?}");
            continue;
        }
        let needs = shape.and_then(|shape| Needs::of(&program, &shape));
        assert!(needs.is_ok(), "{name}: {needs:?}");
        if number % 37 == 0 {
            let kernel = TestKernel::write(&program, AtomicsDialect::Vulkan);
            assert!(kernel.is_ok(), "{name}: {kernel:?}");
            played += 1;
        }
    }
    assert!(played > 100, "{played}");
}
