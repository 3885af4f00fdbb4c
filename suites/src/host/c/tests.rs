//! What small programs look like in C.

use super::{Document, to_c};
use crate::host::check::That;
use crate::host::constant::cl;
use crate::host::*;
use crate::rule;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

fn written(program: &HostProgram, checks: &[Check]) -> String {
    let text = to_c(&Document {
        about: &["A small program.".into()],
        needs: &BTreeSet::new(),
        program,
        checks,
        quit: None,
        asks: false,
    });
    compile(&text);
    text
}

/// Without a C compiler or OpenCL headers there is nothing to compile with.
fn compile(text: &str) {
    let check = |text: &str| {
        let mut cc = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
            .args(["-x", "c", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        cc.stdin.take()?.write_all(text.as_bytes()).ok()?;
        cc.wait_with_output().ok()
    };
    let nothing = "#define CL_TARGET_OPENCL_VERSION 210\n#include <CL/cl.h>\n";
    match check(nothing) {
        Some(done) if done.status.success() => {
            let done = check(text).expect("it ran before");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{said}\n{text}");
        }
        _ => eprintln!("skipped: there is no C compiler with OpenCL headers"),
    }
}

/// The body of a function.
fn body<'c>(text: &'c str, head: &str) -> &'c str {
    let begin = text.find(head).unwrap_or_else(|| panic!("no {head}"));
    let rest = &text[begin + head.len()..];
    let end = rest.find("\n}\n").expect("an end");
    rest[..end].trim_start_matches("\n{\n")
}

fn with_context() -> (Builder, Slot, Slot) {
    let mut b = Builder::default();
    let context = b.fixture(
        "context",
        Fixture::Context {
            devices: 1,
            number: 0,
        },
    );
    let queue = b.fixture(
        "queue",
        Fixture::Queue {
            context,
            device: 0,
            profiling: false,
            number: 0,
        },
    );
    (b, context, queue)
}

#[test]
fn one_thread_is_written_as_a_person_would() {
    let (mut b, context, queue) = with_context();
    let buffer = b.slot("buffer", SlotKind::Memory);
    b.begin(
        Call::new(
            Function::CreateBuffer,
            [
                context.into(),
                Value::Flags(vec![cl::CL_MEM_READ_WRITE]),
                64_u32.into(),
                Value::Null,
            ],
        )
        .makes(buffer),
    );
    let (filled, refused, seen) = (b.mark(), b.mark(), b.answer());
    let fill = |bytes: u32| {
        Call::new(
            Function::EnqueueFillBuffer,
            [
                queue.into(),
                buffer.into(),
                Value::Bytes(vec![7, 0, 0, 0]),
                4_u32.into(),
                0_u32.into(),
                bytes.into(),
                0_u32.into(),
                Value::Null,
                Value::Null,
            ],
        )
    };
    let wrong = fill(63).refused(vec![-30], "CL_INVALID_VALUE if size is not a multiple.");
    let read = Call::new(
        Function::EnqueueReadBuffer,
        [
            queue.into(),
            buffer.into(),
            true.into(),
            0_u32.into(),
            64_u32.into(),
            Value::Answer(seen, 64),
            0_u32.into(),
            Value::Null,
            Value::Null,
        ],
    );
    b.thread(vec![
        Step::from(fill(64)).marked(filled),
        Step::from(wrong).marked(refused),
        read.into(),
    ]);
    let program = b.finish();
    let codes = That::Code(refused, check::Right::Among(vec![-30]));
    let checks = [Check::new(
        vec![rule::API_ERRORS],
        "it returned {}, not -30",
        codes,
    )];
    let text = written(&program, &checks);
    assert_eq!(
        body(&text, "static void *thread_0(void *unused)"),
        "    cl_int code = CL_SUCCESS;
    (void)unused;
    begins(0);
    code = clEnqueueFillBuffer(queue, buffer, &(cl_uint){ 7u }, 4, 0, 64, 0, NULL, NULL);
    ends(0, code);
    if (code != NOT_MADE && code != 0) {
        stop();
        return NULL;
    }
    /* CL_INVALID_VALUE if size is not a multiple. */
    begins(1);
    code = clEnqueueFillBuffer(queue, buffer, &(cl_uint){ 7u }, 4, 0, 63, 0, NULL, NULL);
    ends(1, code);
    if (code == CL_SUCCESS) /* what was let through may have done anything */
        return NULL;
    code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, answer(0, 64), 0, NULL, NULL);
    answered(0, code);
    if (code != NOT_MADE && code != 0) {
        call_failed(\"ex.api.valid\", \"clEnqueueReadBuffer\", code);
        return NULL;
    }
    (void)code;
    return NULL;"
    );
    assert_eq!(
        body(&text, "static void check(void)"),
        "    if (timed_out())
        return;
    if (marks[1].made && marks[1].code != NOT_MADE && marks[1].code != -30)
        violation(\"ex.api.errors\", \"it returned %lld, not -30\", (long long)(marks[1].code));"
    );
    assert!(text.contains("#define CL_TARGET_OPENCL_VERSION 120\n"));
}

#[test]
fn slots_that_may_be_empty_are_looked_at_first() {
    let (mut b, context, queue) = with_context();
    let events = b.slots("event", SlotKind::Event, 2);
    let marker = |event: Slot| {
        let list = [queue.into(), 0_u32.into(), Value::Null, Value::Into(event)];
        Call::new(Function::EnqueueMarkerWithWaitList, list).whatever()
    };
    let user = Call::new(Function::CreateUserEvent, [context.into()]).makes(events[0]);
    b.begin(user);
    b.thread(vec![
        marker(events[1]).into(),
        Call::wait(&events).whatever().into(),
    ]);
    b.thread(vec![
        Call::take(Function::ReleaseEvent, events[0])
            .whatever()
            .into(),
    ]);
    let text = written(&b.finish(), &[]);
    assert!(text.contains("static _Atomic(cl_event) event_0;"), "{text}");
    assert_eq!(
        body(&text, "static void *thread_0(void *unused)"),
        "    cl_int code = CL_SUCCESS;
    (void)unused;
    {
        cl_event its_event_3 = NULL;
        code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &its_event_3);
        if (code == CL_SUCCESS)
            event_1 = its_event_3;
    }
    code = NOT_MADE;
    if (event_0 && event_1) {
        code = clWaitForEvents(2, (cl_event[]){ event_0, event_1 });
    }
    (void)code;
    return NULL;"
    );
    let release = body(&text, "static void *thread_1(void *unused)");
    assert!(
        release.contains("atomic_exchange(&event_0, NULL)"),
        "{release}"
    );
}

#[test]
fn newer_functions_ask_for_newer_headers() {
    let (mut b, context, _) = with_context();
    let svm = b.slot("memory", SlotKind::Svm(context));
    let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE]);
    let list = [context.into(), flags, 64_u32.into(), 0_u32.into()];
    b.begin(Call::new(Function::SVMAlloc, list).makes(svm));
    let text = written(&b.finish(), &[]);
    assert!(text.contains("#define CL_TARGET_OPENCL_VERSION 200\n"));
    let (mut b, _, queue) = with_context();
    b.end(Call::of(Function::EnqueueBarrier, queue));
    let text = written(&b.finish(), &[]);
    assert!(text.contains("#define CL_USE_DEPRECATED_OPENCL_1_1_APIS\n"));
}

/// A native kernel that finds a buffer in its block of arguments.
fn native_call(queue: Slot, buffer: Slot, native: CallbackId, event: Slot) -> Call {
    let block = Value::list(
        Class::Pointer,
        values![Value::Data(native), buffer, number_in_block(0)],
    );
    let byte = Value::Within {
        argument: 2,
        byte: 8,
    };
    let (objects, places) = (
        Value::objects([buffer]),
        Value::list(Class::Pointer, [byte]),
    );
    let of = values![Value::Callback(native), block, 24, 1, objects, places];
    Call::enqueue(Function::EnqueueNativeKernel, queue, of, &[], Some(event))
}

/// The host loads a word, and waits for one.
fn load_and_wait(host: Slot) -> Vec<exchange::Operation> {
    let cell = exchange::Cell {
        base: exchange::Base::At(host.at(8), exchange::Num::of(1)),
        unit: Unit::Word,
    };
    vec![
        exchange::Operation::Load(exchange::Reg(1), cell.clone(), exchange::Order::AcqRel),
        exchange::Operation::Await {
            at: cell,
            value: exchange::Num::of(7),
            order: exchange::Order::SeqCst,
            must: true,
        },
    ]
}

/// A cell that holds a writer's token.
fn cell_of(writer: Writer, n: u8) -> check::Cell {
    check::Cell {
        reader: "a \"reader\"".into(),
        wanted: Some((writer, n)),
        instead: vec![],
        otherwise: (vec![rule::API_VALID], vec![rule::API_VALID]),
    }
}

#[test]
fn operations_of_every_kind_compile() {
    let (mut b, context, queue) = with_context();
    let [event, other] = ["event", "other"].map(|name| b.slot(name, SlotKind::Event));
    let buffer = b.slot("buffer", SlotKind::Memory);
    let [inside, mapped] = ["inside", "mapped"].map(|name| b.slot(name, SlotKind::Address));
    let host = b.slot("host", SlotKind::Host { bytes: 64 });
    let signal = b.signal();
    let [done, registered, exchanged] = [(); 3].map(|()| b.mark());
    let [seen, grown, pitch] = [(); 3].map(|()| b.answer());
    let writer = Writer::Command(crate::host::token::CommandId(3));
    let tokens = Op::Write {
        at: inside.at(0),
        data: Data::Tokens {
            writer,
            first: 1,
            count: 2,
            stride: 2,
            words: 4,
        },
    };
    let native = b.callback(
        CallbackOf::Native {
            slots: vec![inside],
            numbers: 1,
        },
        vec![tokens.into()],
    );
    let release = Call::take(Function::ReleaseEvent, other).whatever();
    let ended = b.callback(CallbackOf::Event(event), vec![release.into()]);
    let call = native_call(queue, buffer, native, event);
    let notify = Call::register(event, cl::CL_COMPLETE, ended);
    let operations = load_and_wait(host);
    let copy = Data::Copy {
        from: mapped.at(4),
        region: [8, 2, 1],
        apart: Pitches::Answered(pitch, pitch),
        to_apart: Pitches::Close,
    };
    let fixture = Fixture::Program {
        context,
        of: ProgramOf::Source("kernel void one(void) {}\n".into()),
        build: Default::default(),
    };
    let program = b.fixture("program", fixture);
    let again = b.slot("again", SlotKind::Program);
    b.thread(vec![
        Step::from(Op::Sequence(vec![
            call.whatever().into(),
            notify.whatever().into(),
        ]))
        .marked(done),
        Op::Signal(signal).into(),
        Op::Repeat {
            times: 3,
            within: Some(10),
            body: vec![Op::Spin(5).into(), Op::Yield(1).into()],
        }
        .into(),
        Step::from(Op::Exchange {
            quit: Some(host.at(60)),
            operations,
        })
        .marked(exchanged),
        Op::Build {
            program: again,
            context,
            of: ProgramOf::Module(vec![1, 2]),
            build: Default::default(),
        }
        .into(),
    ]);
    b.thread(vec![
        Op::Await(signal).into(),
        Op::Sleep(10).into(),
        Op::Point {
            slot: mapped,
            at: host.at(0),
        }
        .into(),
        Op::Write {
            at: host.at(0),
            data: copy,
        }
        .into(),
        Op::Read {
            from: host.at(0),
            stretches: Stretches::whole(32),
            into: seen,
        }
        .into(),
    ]);
    let since = Some((grown, 48));
    b.end(Op::Settle {
        events: vec![event],
        callbacks: vec![Awaited {
            callback: ended,
            registered,
            sort: 0,
        }],
    });
    b.end(Op::Settled(vec![
        Op::Resident { into: grown, since }.into(),
    ]));
    let kernels = b.mark();
    let asked = "*".to_string();
    b.end(Step::from(Op::Kernels { program, asked }).marked(kernels));
    let places = vec![(0, Some(host.at(8))), (8, None)];
    let moments = (check::Moment::Began(done), check::Moment::Fired(ended));
    let wants = [
        That::Cells(seen, vec![cell_of(writer, 1), cell_of(writer, 127)]),
        That::Bytes(seen, check::Want::Pointers(places)),
        That::Fired(vec![ended], Some(registered), check::Right::Between(1, 1)),
        That::FiredWith(ended, check::Right::AmongOrNegative(vec![0])),
        That::FiredRight(ended),
        That::FiredInOrder(vec![native, ended]),
        That::Before(moments.0, moments.1),
        That::Growth(vec![grown, grown], 48),
        That::Kernels(kernels),
        That::Astray(exchanged),
    ];
    let checks = wants.map(|that| Check::new(vec![rule::API_VALID], "100% {} wrong", that));
    written(&b.finish(), &checks);
}

#[test]
fn what_is_made_silently_has_no_place_for_its_code() {
    let (mut b, context, _) = with_context();
    let event = b.slot("event", SlotKind::Event);
    let made = Call::of(Function::CreateUserEvent, context).makes(event);
    b.thread(vec![made.silently().into()]);
    let text = written(&b.finish(), &[]);
    let made = "event = clCreateUserEvent(context, NULL);
    code = event ? CL_SUCCESS : CL_INVALID_VALUE;";
    assert!(text.contains(made), "{text}");
    // What gives its code alone has no place for it, and what may fail needs one.
    assert!(!Call::of(Function::Flush, context).silently().silent);
    let refused = Call::of(Function::CreateUserEvent, context).makes(event);
    assert!(!refused.refused(vec![-30], "").silently().silent);
}
