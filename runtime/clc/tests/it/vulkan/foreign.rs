//! Functions of the text that stand for operations of Vulkan.

use super::{first_error, least, most, validate, write};
use touchstone_clc::vulkan::{Access, Foreign, MemorySemantics as Semantics, RmwOp, Scope, Target};

fn with(foreign: &[(&str, Foreign)], target: Target) -> Target {
    let foreign = foreign
        .iter()
        .map(|(name, f)| ((*name).to_owned(), f.clone()));
    Target {
        foreign: foreign.collect(),
        ..target
    }
}

/// Every operation, on both storage classes.
fn operations() -> Vec<(&'static str, Foreign)> {
    let release = Semantics::RELEASE | Semantics::UNIFORM_MEMORY | Semantics::MAKE_AVAILABLE;
    let acquire = Semantics::ACQUIRE | Semantics::UNIFORM_MEMORY | Semantics::MAKE_VISIBLE;
    let both = Semantics::ACQUIRE_RELEASE
        | Semantics::UNIFORM_MEMORY
        | Semantics::WORKGROUP_MEMORY
        | Semantics::MAKE_AVAILABLE
        | Semantics::MAKE_VISIBLE;
    let (queue, group) = (Scope::QueueFamily, Scope::Workgroup);
    let private = Access::default();
    let available = Access {
        non_private: true,
        available: Some(queue),
        ..private
    };
    let visible = Access {
        volatile: true,
        non_private: true,
        visible: Some(group),
        ..private
    };
    let rmw = |operation| Foreign::Rmw {
        operation,
        scope: queue,
        semantics: both,
    };
    vec![
        ("store", Foreign::Store(available)),
        ("store_private", Foreign::Store(private)),
        ("load", Foreign::Load(visible)),
        (
            "atomic_read",
            Foreign::AtomicLoad {
                scope: queue,
                semantics: acquire,
            },
        ),
        (
            "atomic_write",
            Foreign::AtomicStore {
                scope: Scope::Subgroup,
                semantics: release,
            },
        ),
        ("add", rmw(RmwOp::Add)),
        ("swap", rmw(RmwOp::Exchange)),
        ("smax", rmw(RmwOp::SMax)),
        (
            "exchange",
            Foreign::CompareExchange {
                scope: queue,
                equal: both,
                unequal: acquire,
            },
        ),
        (
            "fence",
            Foreign::Fence {
                scope: queue,
                semantics: both,
            },
        ),
        (
            "meet",
            Foreign::ControlBarrier {
                execution: group,
                memory: group,
                semantics: both,
            },
        ),
        (
            "wait",
            Foreign::ControlBarrier {
                execution: group,
                memory: group,
                semantics: Semantics::empty(),
            },
        ),
    ]
}

const TEXT: &str = "
void store(global uint *p, uint v); void store_private(local uint *p, uint v); uint load(global const uint *p);
uint atomic_read(volatile global uint *p); void atomic_write(global uint *p, uint v);
uint add(global uint *p, uint v); void swap(local uint *p, uint v); int smax(global int *p, int v);
uint exchange(global uint *p, uint expected, uint v); void fence(void); void meet(void); void wait(void);
kernel void k(global uint *a, global const uint *b, local uint *l) {
    store(a, 1); store_private(l + 1, load(b)); meet(); wait();
    a[1] = atomic_read(a + 2) + add(a + 3, 4); swap(l, 5); fence();
    a[2] = (uint)smax((global int *)(a + 6), -7) + exchange(a + 8, 9, 10); atomic_write(a, 11); a[3] = l[1];
}
";

#[test]
fn each_is_written_as_it_is_said() {
    let target = with(&operations(), least());
    let shader = write(TEXT, "CL3.0", &target).unwrap();
    validate(&shader, "foreign operations");
    let module = rspirv::dr::load_words(&shader.words).unwrap();
    let text = rspirv::binary::Disassemble::disassemble(&module);
    insta::assert_snapshot!(text);
}

#[test]
fn one_without_a_meaning() {
    let log = write(TEXT, "CL3.0", &least()).unwrap_err();
    assert_eq!(first_error(&log), "`store` is called and not defined");
}

#[test]
fn one_that_is_declared_otherwise() {
    let load = Foreign::Load(Access::default());
    for declaration in [
        "void f(global uint *p, uint v)",
        "ulong f(global uint *p)",
        "uint f(uint p)",
        "uint f(void)",
    ] {
        let arguments = match declaration.matches(',').count() {
            1 => "a, 1",
            _ if declaration.contains("void)") => "",
            _ if declaration.contains('*') => "a",
            _ => "1",
        };
        let text = format!("{declaration}; kernel void k(global uint *a) {{ f({arguments}); }}");
        let target = with(&[("f", load.clone())], most());
        let log = write(&text, "CL3.0", &target).unwrap_err();
        let expected = "`f` is not declared as the operation that it stands for";
        assert_eq!(first_error(&log), expected, "{declaration}");
    }
}

#[test]
fn what_the_device_or_the_model_lacks() {
    let fence = |scope, semantics| Foreign::Fence { scope, semantics };
    let plain = Semantics::ACQUIRE_RELEASE | Semantics::UNIFORM_MEMORY;
    let legacy = || Target {
        memory_model: false,
        ..least()
    };
    let cases = [
        (
            fence(Scope::Device, plain),
            least(),
            "the scope Device (of this device)",
        ),
        (
            fence(Scope::CrossDevice, plain),
            most(),
            "the scope CrossDevice",
        ),
        (
            fence(Scope::QueueFamily, plain),
            legacy(),
            "the scope QueueFamily without the Vulkan memory model",
        ),
        (
            fence(Scope::Workgroup, plain | Semantics::MAKE_VISIBLE),
            legacy(),
            "availability in memory semantics without the Vulkan memory model",
        ),
        (
            fence(Scope::Workgroup, Semantics::SEQUENTIALLY_CONSISTENT),
            most(),
            "`memory_order_seq_cst` (the Vulkan memory model has no such order)",
        ),
        (
            Foreign::ControlBarrier {
                execution: Scope::Device,
                memory: Scope::Device,
                semantics: plain,
            },
            most(),
            "a barrier of more than a work-group",
        ),
    ];
    let refuses = |text: &str, foreign, target, what| {
        let log = write(text, "CL3.0", &with(&[("f", foreign)], target)).unwrap_err();
        let expected = format!("{what} is not supported in Vulkan shaders");
        assert_eq!(first_error(&log), expected);
    };
    for (foreign, target, what) in cases {
        let text = "void f(void); kernel void k(void) { f(); }";
        refuses(text, foreign, target, what);
    }
    let load = |available, visible, non_private| {
        Foreign::Load(Access {
            volatile: false,
            non_private,
            available,
            visible,
        })
    };
    let group = Some(Scope::Workgroup);
    for (foreign, target, what) in [
        (
            load(group, None, true),
            most(),
            "a load that makes available, or a store that makes visible,",
        ),
        (
            load(None, group, false),
            most(),
            "availability or visibility of a private access",
        ),
        (
            load(None, Some(Scope::Device), true),
            least(),
            "the scope Device (of this device)",
        ),
        (
            load(None, None, true),
            legacy(),
            "this access without the Vulkan memory model",
        ),
    ] {
        let text = "uint f(global uint *p); kernel void k(global uint *a) { f(a); }";
        refuses(text, foreign, target, what);
    }
}
