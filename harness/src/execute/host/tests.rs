//! Small host programs on Touchstone.

use super::api::Device;
use super::*;
use crate::device::bundled;
use classay_suites::host::constant::cl;
use classay_suites::host::exchange::{Base, Cell, Change, Num, Operation, Order, Reg};
use classay_suites::host::token::{CommandId, Token, Writer};
use classay_suites::host::*;
use classay_suites::rule;
use std::time::Duration;

fn fixtures() -> Fixtures {
    let library = bundled::touchstone().expect("Touchstone is built beside the tests");
    let api = Api::of(&library).expect("a library");
    let mut found = [0_usize; 2];
    let ask = |function, words: &mut [u64], to: &mut usize| {
        words[words.len() - 2] = (&raw mut *to).expose_provenance() as u64;
        // SAFETY: room for one object; the rest is what the function takes.
        let gave = unsafe { api.call(function, words) }.expect("the function");
        assert_eq!(gave.code, 0, "{function}");
    };
    let [platform, device] = &mut found;
    ask(Function::GetPlatformIDs, &mut [1, 0, 0], platform);
    let all = cl::CL_DEVICE_TYPE_ALL.value() as u64;
    let mut words = [*platform as u64, all, 1, 0, 0];
    ask(Function::GetDeviceIDs, &mut words, device);
    let device = Device {
        handles: vec![*device],
        version: (3, 0),
        std: "CL3.0".into(),
        ..Device::default()
    };
    let fixtures = Fixtures::on(api, device);
    fixtures.set_deadlines(5.0, 20.0);
    fixtures
}

fn play(program: Builder) -> Record {
    let mut fixtures = fixtures();
    let play = Play::of(&mut fixtures, program.finish()).expect("fixtures");
    let first = play.run(0);
    let second = play.run(1);
    assert_eq!(first.codes, second.codes);
    second
}

/// A program with a context and an in-order queue of its own.
fn begun() -> (Builder, Slot, Slot) {
    let mut builder = Builder::default();
    let devices = 1;
    let context = builder.fixture("context", Fixture::Context { devices, number: 0 });
    let device = builder.fixture("device", Fixture::Device(0));
    let queue = builder.slot("queue", SlotKind::Queue);
    let properties = Value::list(
        Class::Long,
        [
            Value::from(cl::CL_QUEUE_PROPERTIES),
            Value::from(cl::CL_QUEUE_PROFILING_ENABLE),
            Value::Number(0),
        ],
    );
    let arguments = [context.into(), device.into(), properties];
    builder.begin(Call::new(Function::CreateCommandQueueWithProperties, arguments).makes(queue));
    (builder, context, queue)
}

fn buffer(builder: &mut Builder, context: Slot, bytes: usize) -> Slot {
    let slot = builder.slot("buffer", SlotKind::Memory);
    let flags = cl::CL_MEM_READ_WRITE.into();
    let arguments = [context.into(), flags, bytes.into(), Value::Null];
    builder.begin(Call::new(Function::CreateBuffer, arguments).makes(slot));
    slot
}

fn read(queue: Slot, buffer: Slot, bytes: usize, answer: AnswerId) -> Call {
    Call::new(
        Function::EnqueueReadBuffer,
        [
            queue.into(),
            buffer.into(),
            true.into(),
            0_u32.into(),
            bytes.into(),
            Value::Answer(answer, bytes),
            0_u32.into(),
            Value::Null,
            Value::Null,
        ],
    )
}

const WRITER: Writer = Writer::Command(CommandId(0));

#[test]
fn a_gated_fill_is_seen_and_its_callback_called() {
    let (mut b, context, queue) = begun();
    let buffer = buffer(&mut b, context, 64);
    let [gate, filled] = ["gate", "filled"].map(|name| b.slot(name, SlotKind::Event));
    let create = Call::new(Function::CreateUserEvent, [context.into()]);
    b.begin(create.makes(gate));
    let (signal, told) = (b.signal(), b.answer());
    let callback = b.callback(
        CallbackOf::Event(filled),
        vec![Call::status(filled, told).into()],
    );
    let [fill, register, wait, set] = [(); 4].map(|()| b.mark());
    let (seen, status) = (b.answer(), b.answer());
    // The pattern is gone before the gate opens.
    let fill_call = Call::new(
        Function::EnqueueFillBuffer,
        [
            queue.into(),
            buffer.into(),
            Value::Token(WRITER, 127),
            4_u32.into(),
            0_u32.into(),
            64_u32.into(),
            1_u32.into(),
            Value::objects([gate]),
            Value::Into(filled),
        ],
    );
    let notify = Call::new(
        Function::SetEventCallback,
        [
            filled.into(),
            cl::CL_COMPLETE.into(),
            Value::Callback(callback),
            Value::Data(callback),
        ],
    );
    b.thread(vec![
        Step::from(fill_call).marked(fill),
        Step::from(notify).marked(register),
        Call::status(filled, status).into(),
        Op::Signal(signal).into(),
        Step::from(Call::wait(&[filled])).marked(wait),
        read(queue, buffer, 64, seen).into(),
    ]);
    b.thread(vec![
        Op::Await(signal).into(),
        Op::Sleep(100).into(),
        Step::from(Call::set(gate, 0)).marked(set),
    ]);
    b.end(Op::Settle {
        events: vec![filled],
        callbacks: vec![Awaited {
            callback,
            registered: register,
            sort: 0,
        }],
    });
    let record = play(b);
    assert_eq!(record.failed, None);
    let token = Token::of(1, WRITER, 127).0;
    assert_eq!(record.answers[&seen], token.to_ne_bytes().repeat(16));
    assert_ne!(record.answers[&status], 0_i32.to_ne_bytes());
    assert_eq!(record.answers[&told], 0_i32.to_ne_bytes());
    assert_eq!(record.codes.values().copied().collect::<Vec<_>>(), [0; 4]);
    let [fired] = record.fired[..] else {
        panic!("{:?}", record.fired);
    };
    assert_eq!(
        (fired.callback, fired.status, fired.right),
        (callback, 0, true)
    );
    let stamps = &record.stamps;
    assert!(stamps[&fill].1 < stamps[&set].0 && stamps[&set].0 < fired.stamp);
    assert!(stamps[&set].0 < stamps[&wait].1);
}

#[test]
fn a_call_that_must_be_refused_ends_nothing() {
    let (mut b, context, queue) = begun();
    let buffer = buffer(&mut b, context, 64);
    let (mark, after) = (b.mark(), b.mark());
    let (beyond, seen) = (b.answer(), b.answer());
    let refused = read(queue, buffer, 128, beyond)
        .refused(vec![-30], "the region being read is out of bounds");
    b.thread(vec![
        Step::from(refused).marked(mark),
        Step::from(read(queue, buffer, 64, seen)).marked(after),
    ]);
    let record = play(b);
    assert_eq!((record.codes[&mark], record.codes[&after]), (-30, 0));
    assert_eq!(record.failed, None);
    assert!(!record.answers.contains_key(&beyond) && record.answers.contains_key(&seen));
}

#[test]
fn a_call_that_fails_against_its_program_ends_the_run_for_all_threads() {
    let (mut b, context, queue) = begun();
    let buffer = buffer(&mut b, context, 64);
    let signal = b.signal();
    let [wrong, after, other, last, gone] = [(); 5].map(|()| b.mark());
    let (beyond, empty) = (b.answer(), b.slot("nothing", SlotKind::Event));
    let flush = || Step::from(Call::of(Function::Flush, queue));
    b.thread(vec![
        // What has nothing to be called with is no failure.
        Step::from(Call::wait(&[empty])).marked(gone),
        Step::from(read(queue, buffer, 128, beyond)).marked(wrong),
        Op::Signal(signal).into(),
        flush().marked(after),
    ]);
    b.thread(vec![Op::Await(signal).into(), flush().marked(other)]);
    b.end(Step::from(Call::of(Function::Finish, queue)).marked(last));
    let record = play(b);
    assert_eq!(record.failed, Some((Function::EnqueueReadBuffer, -30)));
    let codes: Vec<(Mark, i32)> = record.codes.into_iter().collect();
    assert_eq!(codes, [(wrong, -30), (last, 0), (gone, NOT_MADE)]);
}

#[test]
fn a_sequence_ends_with_the_first_call_that_fails() {
    let (mut b, context, queue) = begun();
    let buffer = buffer(&mut b, context, 64);
    let (mark, inner) = (b.mark(), b.mark());
    let beyond = b.answer();
    b.thread(vec![
        Step::from(Op::Sequence(vec![
            read(queue, buffer, 128, beyond).whatever().into(),
            Step::from(Call::of(Function::Flush, queue)).marked(inner),
        ]))
        .marked(mark),
    ]);
    let record = play(b);
    assert_eq!(record.codes.into_iter().collect::<Vec<_>>(), [(mark, -30)]);
}

#[test]
fn a_native_kernel_finds_its_buffers_in_its_block() {
    let (mut b, context, queue) = begun();
    let buffer = buffer(&mut b, context, 64);
    let inside = b.slot("inside", SlotKind::Address);
    let seen = b.answer();
    let tokens = Data::Tokens {
        writer: WRITER,
        first: 5,
        count: 4,
        stride: 2,
        words: 2,
    };
    let write = Op::Write {
        at: inside.at(0),
        data: tokens,
    };
    let native = CallbackOf::Native {
        slots: vec![inside],
        numbers: 2,
    };
    let callback = b.callback(native, vec![write.into()]);
    let numbers = [0, 1].map(|n| Value::from(number_in_block(n)));
    let [first, second] = numbers;
    let block = [Value::Data(callback), buffer.into(), first, second];
    b.thread(vec![
        Call::new(
            Function::EnqueueNativeKernel,
            [
                queue.into(),
                Value::Callback(callback),
                Value::list(Class::Pointer, block),
                32_u32.into(),
                1_u32.into(),
                Value::objects([buffer]),
                Value::list(
                    Class::Pointer,
                    [Value::Within {
                        argument: 2,
                        byte: 8,
                    }],
                ),
                0_u32.into(),
                Value::Null,
                Value::Null,
            ],
        )
        .into(),
        read(queue, buffer, 56, seen).into(),
    ]);
    let record = play(b);
    assert_eq!(record.failed, None);
    let words: Vec<u32> = record.answers[&seen]
        .chunks(4)
        .map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]]))
        .collect();
    let token = |cell| Token::of(1, WRITER, cell).0;
    assert_eq!(words[..2], [token(5); 2]);
    assert_eq!(words[4..6], [token(7); 2]);
    assert_eq!(words[12..14], [token(11); 2]);
    assert_eq!(record.fired.len(), 1);
}

#[test]
fn svm_is_freed_by_the_callback_of_its_command() {
    let (mut b, context, queue) = begun();
    let svm = b.slot("svm", SlotKind::Svm(context));
    let flags = cl::CL_MEM_READ_WRITE.into();
    let arguments = [context.into(), flags, 64_u32.into(), 0_u32.into()];
    b.begin(Call::new(Function::SVMAlloc, arguments).makes(svm));
    let freed = b.mark();
    let free = Call::new(Function::SVMFree, [context.into(), Value::Take(svm)]);
    let of = CallbackOf::SvmFree {
        queue,
        pointers: vec![svm],
    };
    let callback = b.callback(of, vec![Step::from(free).marked(freed)]);
    b.thread(vec![
        Call::new(
            Function::EnqueueSVMFree,
            [
                queue.into(),
                1_u32.into(),
                Value::list(Class::Pointer, [svm]),
                Value::Callback(callback),
                Value::Data(callback),
                0_u32.into(),
                Value::Null,
                Value::Null,
            ],
        )
        .into(),
    ]);
    b.end(Call::of(Function::Finish, queue));
    let record = play(b);
    assert_eq!(record.failed, None);
    assert_eq!(record.codes.get(&freed), Some(&0));
    assert!(record.fired[0].right && record.addresses.contains_key(&svm));
}

#[test]
fn kernels_are_fixtures_and_programs_that_do_not_build_say_why() {
    let source = "kernel void add(global uint *to, uint n) { to[get_global_id(0)] += n; }";
    let (mut b, context, queue) = begun();
    let program = |b: &mut Builder, source: &str| {
        b.fixture(
            "program",
            Fixture::Program {
                context,
                of: ProgramOf::Source(source.into()),
                build: Build {
                    through_binary: Some(OfBinary::SameOptions),
                    ..Build::default()
                },
            },
        )
    };
    let program_slot = program(&mut b, source);
    let kernel = Fixture::Kernel {
        program: program_slot,
        name: "add".into(),
        number: 1,
    };
    let kernel = b.fixture("kernel", kernel);
    let buffer = buffer(&mut b, context, 16);
    let seen = b.answer();
    let write = Call::new(
        Function::EnqueueWriteBuffer,
        [
            queue.into(),
            buffer.into(),
            true.into(),
            0_u32.into(),
            16_u32.into(),
            Value::words([1_u32, 2, 3, 4]),
            0_u32.into(),
            Value::Null,
            Value::Null,
        ],
    );
    let launch = Call::new(
        Function::EnqueueNDRangeKernel,
        [
            queue.into(),
            kernel.into(),
            1_u32.into(),
            Value::Null,
            Value::sizes([4_u32]),
            Value::Null,
            0_u32.into(),
            Value::Null,
            Value::Null,
        ],
    );
    b.thread(vec![
        write.into(),
        Call::object_argument(kernel, 0, buffer).into(),
        Call::bytes_argument(kernel, 1, vec![7, 0, 0, 0]).into(),
        launch.into(),
        read(queue, buffer, 16, seen).into(),
    ]);
    let record = play(b);
    assert_eq!(record.failed, None);
    let wanted: Vec<u8> = [8_u32, 9, 10, 11]
        .iter()
        .flat_map(|w| w.to_ne_bytes())
        .collect();
    assert_eq!(record.answers[&seen], wanted);

    let mut broken = Builder::default();
    let devices = 1;
    broken.fixture("context", Fixture::Context { devices, number: 0 });
    program(&mut broken, "kernel void add(");
    let failed = Play::of(&mut fixtures(), broken.finish()).err();
    let Some(NotRun::Failed {
        reason,
        rules,
        evidence,
    }) = failed
    else {
        panic!("it builds");
    };
    assert_eq!(rules, [rule::KIND_SOURCE, rule::API_VALID]);
    assert_eq!(
        reason,
        "clBuildProgram gives error -11 (CL_BUILD_PROGRAM_FAILURE)"
    );
    assert!(!evidence[0].text.is_empty() && evidence[1].text == "kernel void add(");
}

#[test]
fn an_exchange_keeps_to_memory_of_the_program() {
    let mut b = Builder::default();
    let host = b.slot("host", SlotKind::Host { bytes: 64 });
    let first = Data::Contents {
        contents: Contents::Every(5),
        bytes: 8,
    };
    let cell = |index| Cell {
        base: Base::At(host.at(4), index),
        unit: Unit::Word,
    };
    let change = Operation::Change {
        how: Change::Add,
        at: cell(Num::of(0)),
        by: Num::of(1).and(Reg(1), 10),
        order: Order::AcqRel,
        before: Reg(0),
    };
    let copy = Operation::Write(cell(Num::of(1)), Num::reg(Reg(0)));
    let good = vec![Operation::Repeat(Num::of(3), Reg(1), vec![change]), copy];
    let bad = vec![Operation::Read(Reg(2), cell(Num::of(15)))];
    let exchange = |operations| {
        Step::from(Op::Exchange {
            quit: Some(host.at(60)),
            operations,
        })
    };
    let (right, wrong, seen) = (b.mark(), b.mark(), b.answer());
    b.thread(vec![
        Op::Write {
            at: host.at(0),
            data: first,
        }
        .into(),
        exchange(good).marked(right),
        exchange(bad).marked(wrong),
        Op::Read {
            from: host.at(0),
            stretches: Stretches {
                count: 3,
                bytes: 4,
                pitch: 4,
            },
            into: seen,
        }
        .into(),
    ]);
    let record = play(b);
    let words = [5_u32, 5 + 1 + 11 + 21, 5 + 1 + 11];
    let wanted: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
    assert_eq!(record.answers[&seen], wanted);
    let astray: Vec<(&Mark, &str)> = record.astray.iter().map(|(m, a)| (m, &**a)).collect();
    assert_eq!(
        astray,
        [(&wrong, "a number leads the host outside of host")]
    );
    assert!(!record.timed_out && record.stamps.contains_key(&right));
}

#[test]
fn what_stays_pending_is_left_behind_after_the_deadline() {
    let (mut b, context, _) = begun();
    let gate = b.slot("gate", SlotKind::Event);
    let create = Call::new(Function::CreateUserEvent, [context.into()]);
    b.begin(create.makes(gate));
    b.end(Op::Settle {
        events: vec![gate],
        callbacks: Vec::new(),
    });
    let mut fixtures = fixtures();
    fixtures.set_deadlines(0.05, 0.2);
    let play = Play::of(&mut fixtures, b.finish()).expect("fixtures");
    let record = play.run(0);
    let waited = Duration::from_nanos(record.finished.expect("an end"));
    assert!(waited >= Duration::from_millis(50) && waited < Duration::from_secs(5));
}
