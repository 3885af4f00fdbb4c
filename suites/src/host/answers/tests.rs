use super::*;
use crate::api;
use crate::commands::check::Plan;
use crate::family::{DeviceInfo, Family};
use crate::host::program::{Op, ProgramOf, Step};
use crate::host::{Build, Builder, Call, Fixture, SlotKind, values};
use crate::kernels::case::KernelCase;

/// The answer of this size and these bytes, as an implementation gives it that makes no mistake.
fn said(bytes: &[u8]) -> Said {
    Said {
        size: bytes.len() as u64,
        code: (!bytes.is_empty()).then_some(0),
        length: bytes.len() as u64,
        bytes: bytes.to_vec(),
        short: (!bytes.is_empty()).then_some(TOO_SHORT),
        roomy: (!bytes.is_empty()).then_some(0),
        roomy_length: bytes.len() as u64,
        ..Said::default()
    }
}

/// What is wrong with an answer of these bytes.
fn judged(wanted: Wanted, bytes: &[u8]) -> Option<String> {
    let question = Question::new(
        Function::GetMemObjectInfo,
        Slot(0),
        cl::CL_MEM_FLAGS,
        wanted,
    );
    question.wrong(&said(bytes))
}

#[test]
fn freedoms_pass_and_no_more_than_these() {
    let word = |word: u32| word.to_ne_bytes();
    let long = |long: u64| long.to_ne_bytes();
    // A reference count covers the program's own.
    assert_eq!(judged(Wanted::references(), &word(1)), None);
    assert_eq!(judged(Wanted::references(), &word(7)), None);
    assert!(judged(Wanted::references(), &word(0)).is_some());
    // No flags mean reading and writing.
    let usual = Wanted::Bits(0, 1);
    assert_eq!(judged(usual.clone(), &long(0)), None);
    assert_eq!(judged(usual.clone(), &long(1)), None);
    assert!(judged(usual, &long(4)).is_some());
    // Attributes in any order, with blanks.
    let parts = || {
        Wanted::Parts(vec![
            "reqd_work_group_size(8,1,1)".into(),
            "vec_type_hint(int4)".into(),
        ])
    };
    for right in [
        "reqd_work_group_size(8,1,1) vec_type_hint(int4)\0",
        "vec_type_hint(int4) reqd_work_group_size(8, 1, 1)\0",
    ] {
        assert_eq!(judged(parts(), right.as_bytes()), None, "{right}");
    }
    for wrong in [
        "vec_type_hint(int4)\0",
        "reqd_work_group_size(8,1,1) vec_type_hint(int4)",
        "\0",
    ] {
        assert!(judged(parts(), wrong.as_bytes()).is_some(), "{wrong}");
    }
    let names = || Wanted::Names(vec!["one".into(), "other".into()]);
    assert_eq!(judged(names(), b"other;one\0"), None);
    assert!(judged(names(), b"other;two\0").is_some());
    // A text that says something behind its beginning.
    let begins = || Wanted::Begins("OpenCL ".into());
    assert_eq!(judged(begins(), b"OpenCL 3.0 of some kind\0"), None);
    for wrong in [
        &b"OpenCL \0"[..],
        b"OpenGL 4.0\0",
        b"OpenCL 3\0 0\0",
        b"OpenCL 3",
    ] {
        assert!(judged(begins(), wrong).is_some(), "{wrong:?}");
    }
    // Names with versions in any order.
    let named = |names: &[&str]| -> Vec<u8> {
        let one = |name: &&str| {
            let mut bytes = [0; 68];
            bytes[4..][..name.len()].copy_from_slice(name.as_bytes());
            bytes
        };
        names.iter().flat_map(one).collect()
    };
    let wanted = || Wanted::Named(vec!["cl_khr_fp16".into(), "cl_khr_fp64".into()]);
    assert_eq!(
        judged(wanted(), &named(&["cl_khr_fp64", "cl_khr_fp16"])),
        None
    );
    for wrong in [
        &["cl_khr_fp64"][..],
        &["cl_khr_fp64", "cl_khr_fp64"],
        &["cl_khr_fp64", "cl_khr_fp1"],
    ] {
        assert!(judged(wanted(), &named(wrong)).is_some(), "{wrong:?}");
    }
    // Devices in any order.
    let objects = |bytes: &[u8]| {
        let question = Question::new(
            Function::GetContextInfo,
            Slot(0),
            cl::CL_CONTEXT_DEVICES,
            Wanted::Objects(vec![Slot(1), Slot(2)]),
        );
        let wanted = [long(16), long(32)].concat();
        question.wrong(&Said {
            wanted,
            ..said(bytes)
        })
    };
    assert_eq!(objects(&[long(32), long(16)].concat()), None);
    assert!(objects(&[long(32), long(32)].concat()).is_some());
    // What is not available may be refused, where nothing promises it.
    let mut question = Question::new(
        Function::GetKernelArgInfo,
        Slot(0),
        cl::CL_KERNEL_ARG_NAME,
        Wanted::Text("x".into()),
    );
    let refusal = cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE.value() as i32;
    let refused = Said {
        sized: refusal,
        ..Said::default()
    };
    assert!(question.wrong(&refused).is_some());
    question.unless.push(refusal);
    assert_eq!(question.wrong(&refused), None);
    assert!(question.wrong(&said(b"y\0")).is_some());
}

#[test]
fn sizes_codes_and_room_are_looked_at() {
    let question = Question::new(
        Function::GetMemObjectInfo,
        Slot(0),
        cl::CL_MEM_SIZE,
        Wanted::long(4),
    );
    let right = Said {
        wanted: 4_u64.to_ne_bytes().into(),
        ..said(&4_u64.to_ne_bytes())
    };
    assert_eq!(question.wrong(&right), None);
    let wrong = [
        Said {
            size: 4,
            ..right.clone()
        },
        Said {
            length: 4,
            ..right.clone()
        },
        Said {
            sized: -30,
            ..right.clone()
        },
        Said {
            code: Some(-30),
            ..right.clone()
        },
        Said {
            is_beyond: true,
            ..right.clone()
        },
        Said {
            short: Some(0),
            ..right.clone()
        },
        Said {
            roomy: Some(TOO_SHORT),
            ..right.clone()
        },
        Said {
            roomy_length: right.size + 8,
            ..right.clone()
        },
        Said {
            bytes: 5_u64.to_ne_bytes().into(),
            ..right.clone()
        },
    ];
    for one in wrong {
        assert!(question.wrong(&one).is_some(), "{one:?}");
    }
    let refused = Question::new(
        Function::GetProgramInfo,
        Slot(0),
        cl::CL_PROGRAM_NUM_KERNELS,
        Wanted::Refused(-45),
    );
    assert_eq!(
        refused.wrong(&Said {
            sized: -45,
            ..Said::default()
        }),
        None
    );
    assert!(refused.wrong(&Said::default()).is_some());
}

/// The program with the first questions alone: its own.
fn unasked(program: &HostProgram, own: usize) -> HostProgram {
    let steps = |steps: &[Step]| -> Vec<Step> {
        let more = |step: &Step| matches!(step.op, Op::Ask(id) if id.index() >= own);
        let asks = |step: &Step| match &step.op {
            Op::Settled(steps) => steps.iter().all(more),
            _ => more(step),
        };
        steps.iter().filter(|step| !asks(step)).cloned().collect()
    };
    HostProgram {
        begin: steps(&program.begin),
        threads: program.threads.iter().map(|thread| steps(thread)).collect(),
        end: steps(&program.end),
        questions: program.questions[..own].to_vec(),
        ..program.clone()
    }
}

/// The functions that a program's questions call.
fn asked(program: &HostProgram) -> Vec<Function> {
    let with = asking(program);
    assert_eq!(unasked(&with, program.questions.len()), *program);
    let mut ids = Vec::new();
    with.steps(&mut |step| {
        if let Op::Ask(id) = &step.op {
            ids.push(id.index());
        }
    });
    ids.sort_unstable();
    assert_eq!(
        ids,
        (0..with.questions.len()).collect::<Vec<_>>(),
        "each stands once"
    );
    let mut functions: Vec<Function> = with
        .questions
        .iter()
        .map(|question| question.function)
        .collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}

#[test]
fn every_family_asks_about_its_objects() {
    use Function::*;
    let device = DeviceInfo::unknown();
    let plan = Plan::generate("memory/random", 3).or_else(|| Plan::generate("queue/random", 3));
    let plan = plan.expect("a program");
    let of_commands = asked(plan.lower(&device).as_ref());
    for function in [
        GetContextInfo,
        GetCommandQueueInfo,
        GetMemObjectInfo,
        GetEventInfo,
    ] {
        assert!(of_commands.contains(&function), "{function}");
    }
    let case = KernelCase::generate("group/barrier", 1).expect("a case");
    let of_kernels = asked(case.lower(&device).as_ref());
    for function in [
        GetContextInfo,
        GetCommandQueueInfo,
        GetMemObjectInfo,
        GetProgramInfo,
        GetProgramBuildInfo,
        GetKernelInfo,
        GetKernelWorkGroupInfo,
        GetKernelArgInfo,
    ] {
        assert!(of_kernels.contains(&function), "{function}");
    }
    for (kind, function) in [
        ("image/read", GetImageInfo),
        ("image/read", GetSamplerInfo),
        ("pipe/order", GetPipeInfo),
    ] {
        let found = (0..20).any(|seed| {
            let case = KernelCase::generate(kind, seed).expect("a case");
            asked(case.lower(&device).as_ref()).contains(&function)
        });
        assert!(found, "{kind} {function}");
    }
    for (family, kind, _) in api::FAMILIES {
        let case = api::Case::generate(&format!("{family}/{kind}"), 1).expect("a case");
        asked(case.lower(&device).as_ref());
    }
}

/// What a question of an object wants, in a program that begins with these calls.
fn wanted(calls: impl FnOnce(&mut Builder, Slot) -> Slot, name: Constant) -> Option<Wanted> {
    let mut b = Builder::default();
    let context = b.fixture(
        "context",
        Fixture::Context {
            devices: 1,
            number: 0,
        },
    );
    let slot = calls(&mut b, context);
    let program = asking(&b.finish());
    let mut found = program.questions.iter().filter(|question| {
        question.of.first() == Some(&Value::Slot(slot)) && question.name() == name.name()
    });
    found.next().map(|question| question.wanted.clone())
}

/// A sub-buffer of 64 bytes from byte 128 on, of a buffer with these flags over memory of the host.
fn part(parent: Vec<Constant>, own: Vec<Constant>) -> impl FnOnce(&mut Builder, Slot) -> Slot {
    |b, context| {
        let host = b.slot("host", SlotKind::Host { bytes: 1024 });
        let [whole, part] = ["whole", "part"].map(|name| b.slot(name, SlotKind::Memory));
        let uses = parent.contains(&cl::CL_MEM_USE_HOST_PTR);
        let pointer = if uses {
            host.at(64).into()
        } else {
            Value::Null
        };
        let arguments = values![context, Value::Flags(parent), 512, pointer];
        b.begin(Call::new(Function::CreateBuffer, arguments).makes(whole));
        b.begin(Call::sub_buffer(whole, Value::Flags(own), 128, 64).makes(part));
        part
    }
}

#[test]
fn sub_buffers_answer_what_they_are_a_part_of() {
    let read_only = vec![cl::CL_MEM_READ_ONLY, cl::CL_MEM_USE_HOST_PTR];
    let of = |name| wanted(part(read_only.clone(), Vec::new()), name);
    let bit = |constant: Constant| constant.value() as u64;
    let [reads, uses] = [cl::CL_MEM_READ_ONLY, cl::CL_MEM_USE_HOST_PTR].map(bit);
    assert_eq!(of(cl::CL_MEM_FLAGS), Some(Wanted::Bits(reads | uses, 0)));
    assert_eq!(of(cl::CL_MEM_SIZE), Some(Wanted::Number(8, 64, 64)));
    assert_eq!(of(cl::CL_MEM_OFFSET), Some(Wanted::long(128)));
    let host = Wanted::object(Slot(1).at(64 + 128));
    assert_eq!(of(cl::CL_MEM_HOST_PTR), Some(host));
    assert_eq!(
        of(cl::CL_MEM_ASSOCIATED_MEMOBJECT),
        Some(Wanted::object(Slot(2)))
    );
    // Whether memory of the host is shared virtual memory depends on the device.
    assert_eq!(of(cl::CL_MEM_USES_SVM_POINTER), None);
    let plain = part(Vec::new(), vec![cl::CL_MEM_WRITE_ONLY]);
    assert_eq!(
        wanted(plain, cl::CL_MEM_HOST_PTR),
        Some(Wanted::object(Value::Null))
    );
}

/// A kernel whose arguments in local memory are given sizes, or a copy of it that gets another one.
fn local(copied: bool) -> impl FnOnce(&mut Builder, Slot) -> Slot {
    move |b, context| {
        b.fixture("device", Fixture::Device(0));
        let source = "kernel void k(local int *a, global int *b, local char *c) {}";
        let of = ProgramOf::Source(source.into());
        let build = Build::default();
        let program = b.fixture("program", Fixture::Program { context, of, build });
        let [kernel, copy] = ["kernel", "copy"].map(|name| b.slot(name, SlotKind::Kernel));
        let set = |kernel: Slot, n: u64, bytes: u64| {
            let arguments = values![kernel, n, bytes, Value::Null];
            Call::new(Function::SetKernelArg, arguments)
        };
        b.begin(Call::kernel(program, "k", kernel));
        for (n, bytes) in [(0, 16), (0, 64), (1, 8), (2, 100)] {
            b.begin(set(kernel, n, bytes));
        }
        if !copied {
            return kernel;
        }
        b.begin(Call::new(Function::CloneKernel, values![kernel]).makes(copy));
        for (kernel, bytes) in [(kernel, 7), (copy, 3)] {
            b.begin(set(kernel, 2, bytes));
        }
        copy
    }
}

#[test]
fn local_memory_of_arguments_is_part_of_what_a_kernel_uses() {
    let of = |copied| wanted(local(copied), cl::CL_KERNEL_LOCAL_MEM_SIZE);
    assert_eq!(of(false), Some(Wanted::Number(8, 64 + 100, u64::MAX)));
    assert_eq!(of(true), Some(Wanted::Number(8, 64 + 3, u64::MAX)));
}

#[test]
fn what_nobody_knows_is_not_asked() {
    // A slot that two different calls fill.
    let twice = |b: &mut Builder, context: Slot| {
        let buffer = b.slot("buffer", SlotKind::Memory);
        for bytes in [64, 128] {
            let arguments = values![context, cl::CL_MEM_READ_WRITE, bytes, Value::Null];
            b.begin(Call::new(Function::CreateBuffer, arguments).makes(buffer));
        }
        buffer
    };
    assert_eq!(wanted(twice, cl::CL_MEM_SIZE), None);
    // One that is made by a call that must be refused.
    let refused = |b: &mut Builder, context: Slot| {
        let buffer = b.slot("buffer", SlotKind::Memory);
        let arguments = values![context, cl::CL_MEM_READ_WRITE, 0, Value::Null];
        let call = Call::new(Function::CreateBuffer, arguments).makes(buffer);
        b.begin(call.refused(vec![-61], "if size is 0"));
        buffer
    };
    assert_eq!(wanted(refused, cl::CL_MEM_SIZE), None);
}
