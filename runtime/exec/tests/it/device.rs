//! What kernels ask of device queues, and when.

use crate::support::*;
use std::sync::{Arc, Mutex};
use touchstone_exec::{
    Arg, BlockQuery, Child, ChildRange, ChildStart, DeviceQueues, EnqueueError, KernelId, Launch,
};
use touchstone_ir::{
    AddressSpace, ArgPass, Const, DeviceFunction, FuncId, FunctionBuilder, KernelInfo, Module, Op,
    Operand, Query, Reg, Type,
};

/// What is told to a queue, in its order.
#[derive(Clone, Debug, PartialEq)]
enum Told {
    Enqueued(u64, Child, Vec<u64>, bool),
    GroupEnded(u64),
}

/// Notes what it is told, and refuses what goes to queue zero.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<Told>>);

impl Notes {
    fn tell(&self, told: Told) {
        self.0.lock().expect("a thread panicked").push(told);
    }

    fn all(&self) -> Vec<Told> {
        self.0.lock().expect("a thread panicked").clone()
    }
}

impl DeviceQueues for Notes {
    fn default_queue(&self) -> u64 {
        7
    }

    fn enqueue(
        &self,
        queue: u64,
        child: Child,
        waits: &[u64],
        wants_event: bool,
    ) -> Result<Option<u64>, EnqueueError> {
        if queue == 0 {
            return Err(EnqueueError::InvalidQueue);
        }
        self.tell(Told::Enqueued(queue, child, waits.to_vec(), wants_event));
        Ok(wants_event.then_some(55))
    }

    fn mark(&self, _: u64, _: &[u64]) -> Result<u64, EnqueueError> {
        Err(EnqueueError::QueueFull)
    }

    fn create_user_event(&self) -> u64 {
        44
    }

    fn retain(&self, _: u64) {}

    fn release(&self, _: u64) {}

    fn is_valid(&self, event: u64) -> bool {
        event == 44
    }

    fn set_status(&self, _: u64, _: i32) {}

    fn capture(&self, _: u64, _: u64) {}

    fn query(&self, _: KernelId, query: BlockQuery) -> u32 {
        match query {
            BlockQuery::WorkGroupSize => 256,
            _ => 8,
        }
    }

    fn group_ended(&self, group: u64) {
        self.tell(Told::GroupEnded(group));
    }
}

/// A module with a block that captures eight bytes and has two arguments in local memory.
fn with_block() -> (Module, FuncId) {
    let local = ArgPass::LocalPointer { align: 4 };
    let captures = ArgPass::Aggregate { size: 8, align: 8 };
    let mut block = kernel(&[captures, local, local]);
    block.function_mut().name = "block".into();
    let info = block.function_mut().kernel.take().unwrap_or_default();
    block.function_mut().kernel = Some(KernelInfo {
        is_block: true,
        ..info
    });
    block.ret(None);
    let mut module = Module::new();
    let block = module.add_function(block.finish());
    (module, block)
}

/// A kernel with a buffer and a queue.
fn parent() -> FunctionBuilder {
    kernel(&[BUFFER, ArgPass::Queue])
}

const NULL: Const = Const::Null(AddressSpace::Private);

fn device(
    b: &mut FunctionBuilder,
    function: DeviceFunction,
    block: Option<FuncId>,
    args: Vec<Operand>,
) -> Option<Reg> {
    let op = Op::Device {
        function,
        block,
        args,
    };
    match function.result() {
        Some(result) => Some(b.emit(result, op)),
        None => {
            b.push(op);
            None
        }
    }
}

fn slot_of(b: &mut FunctionBuilder, words: &[Operand]) -> Reg {
    let slot = b.slot("words", 8 * words.len() as u32, 8);
    let address = b.slot_addr(slot);
    for (n, word) in words.iter().enumerate() {
        let place = b.ptr_offset(address, 8 * n as i64);
        b.store(place, *word);
    }
    address
}

fn launch(
    module: Module,
    queue: u64,
    global: u64,
    local: u64,
    served: bool,
) -> (Vec<u32>, Vec<Told>) {
    let (exe, words, notes) = (prepare(module), Words::new(8), Arc::new(Notes::default()));
    let mut launch = Launch::linear(
        exe.kernel("k").expect("kernel k").id,
        vec![
            Arg::Pointer(words.address()),
            Arg::Value(queue.to_ne_bytes().to_vec()),
        ],
        global,
        local,
        words.map(),
    );
    if served {
        launch.queues = Some(Arc::clone(&notes) as Arc<dyn DeviceQueues>);
    }
    pool(2).run(&exe, launch).expect("it runs");
    let told = notes.all();
    for told in &told {
        if let Told::Enqueued(_, child, ..) = told {
            let block = exe.kernel_or_block(child.block).expect("a block");
            assert_eq!(block.name, "block");
        }
    }
    (words.all(), told)
}

/// Every work-item enqueues the block, and stores the status and the event.
fn enqueueing(flags: i32) -> Module {
    let (mut module, block) = with_block();
    let mut b = parent();
    let me = b.query(Query::GlobalId, Const::i32(0));
    let number = |n: i64| Operand::from(Const::i64(n));
    let range: Vec<Operand> = [1, 0, 0, 0, 12, 1, 1, 4, 1, 1].map(number).to_vec();
    let range = slot_of(&mut b, &range);
    let captures = slot_of(&mut b, &[me.into()]);
    let waits = slot_of(&mut b, &[number(31), number(32)]);
    let event = slot_of(&mut b, &[number(0)]);
    let args = vec![
        b.param(1).into(),
        Const::i32(flags).into(),
        range.into(),
        Const::i32(2).into(),
        waits.into(),
        event.into(),
        captures.into(),
        Const::i32(16).into(),
        Const::i32(4).into(),
    ];
    let status = device(&mut b, DeviceFunction::EnqueueKernel, Some(block), args);
    let place = b.ptr_add(b.param(0), me, 8, 0);
    b.store(place, status.expect("a status"));
    let given = b.load(Type::I32, event);
    let place = b.ptr_offset(place, 4);
    b.store(place, given);
    b.ret(None);
    module.add_function(b.finish());
    module
}

#[test]
fn a_child_is_told_with_all_that_it_needs() {
    for (flags, start) in [
        (0, ChildStart::NoWait),
        (1, ChildStart::WaitKernel),
        (2, ChildStart::WaitWorkGroup),
    ] {
        let (words, told) = launch(enqueueing(flags), 9, 1, 1, true);
        assert_eq!(words[..2], [0, 55]);
        let Some(Told::Enqueued(_, enqueued, ..)) = told.first() else {
            panic!("{told:?}");
        };
        let child = Child {
            block: enqueued.block,
            captures: 0u64.to_ne_bytes().to_vec(),
            locals: vec![16, 4],
            range: ChildRange {
                dimensions: 1,
                offset: [0; 3],
                global: [12, 1, 1],
                local: [4, 1, 1],
            },
            start,
            group: 0,
        };
        let enqueued = Told::Enqueued(9, child, vec![31, 32], true);
        assert_eq!(told, [enqueued, Told::GroupEnded(0)]);
    }
}

#[test]
fn a_group_ends_after_what_its_work_items_enqueue() {
    let (words, told) = launch(enqueueing(2), 9, 4, 2, true);
    assert_eq!(words, [0, 55, 0, 55, 0, 55, 0, 55]);
    assert_eq!(told.len(), 6);
    for group in 0..2 {
        let of_group = told.iter().filter_map(|told| match told {
            Told::Enqueued(_, child, ..) if child.group == group => Some(child.captures[0]),
            Told::GroupEnded(ended) if *ended == group => Some(u8::MAX),
            _ => None,
        });
        let mut of_group: Vec<u8> = of_group.collect();
        assert_eq!(of_group.pop(), Some(u8::MAX), "it ends last, and once");
        of_group.sort_unstable();
        assert_eq!(of_group, [2 * group as u8, 2 * group as u8 + 1]);
    }
}

#[test]
fn without_a_queue_nothing_is_enqueued() {
    let code = EnqueueError::InvalidQueue.code() as u32;
    let (words, told) = launch(enqueueing(0), 0, 1, 1, true);
    assert_eq!(words[..2], [code, 0]);
    assert_eq!(told, [Told::GroupEnded(0)]);
    let (words, told) = launch(enqueueing(0), 9, 1, 1, false);
    assert_eq!((words[0], told), (code, Vec::new()));
}

#[test]
fn answers_reach_the_kernel() {
    let (mut module, block) = with_block();
    let mut b = parent();
    let at = |b: &mut FunctionBuilder, n: i64, value: Reg| {
        let place = b.ptr_offset(b.param(0), 4 * n);
        b.store(place, value);
    };
    let size = device(&mut b, DeviceFunction::WorkGroupSize, Some(block), vec![]);
    at(&mut b, 0, size.expect("a size"));
    let multiple = device(
        &mut b,
        DeviceFunction::PreferredMultiple,
        Some(block),
        vec![],
    );
    at(&mut b, 1, multiple.expect("a multiple"));
    let user = device(&mut b, DeviceFunction::CreateUserEvent, None, vec![]);
    let user = user.expect("an event");
    let valid = device(
        &mut b,
        DeviceFunction::IsValidEvent,
        None,
        vec![user.into()],
    );
    at(&mut b, 2, valid.expect("a truth"));
    let other = vec![Const::i64(45).into()];
    let valid = device(&mut b, DeviceFunction::IsValidEvent, None, other);
    at(&mut b, 3, valid.expect("a truth"));
    let waits = slot_of(&mut b, &[user.into()]);
    let event = slot_of(&mut b, &[Const::i64(0).into()]);
    let mark = |b: &mut FunctionBuilder, n, count: i32, list: Operand| {
        let queue = b.param(1).into();
        let args = vec![queue, Const::i32(count).into(), list, event.into()];
        let status = device(b, DeviceFunction::EnqueueMarker, None, args);
        at(b, n, status.expect("a status"));
    };
    mark(&mut b, 4, 1, waits.into());
    mark(&mut b, 5, 0, NULL.into());
    mark(&mut b, 6, 1, NULL.into());
    b.ret(None);
    module.add_function(b.finish());
    let (words, _) = launch(module, 9, 1, 1, true);
    let full = EnqueueError::QueueFull.code() as u32;
    let list = EnqueueError::InvalidWaitList.code() as u32;
    assert_eq!(words[..7], [256, 8, 1, 0, full, list, list]);
}
