//! The IR seen by its users: building, printing, validating.
mod print;
mod validate;

use touchstone_ir::*;

/// A kernel with one of most things, in a module with variables.
fn sample() -> Module {
    let mut m = Module::new();
    let table = m.add_global(Global {
        name: "table".into(),
        space: AddressSpace::Constant,
        size: 16,
        align: 8,
        init: vec![1, 2, 3],
        relocs: vec![],
    });
    m.add_global(Global {
        name: "pointer".into(),
        space: AddressSpace::Global,
        size: 8,
        align: 8,
        init: vec![],
        relocs: vec![Reloc {
            offset: 0,
            target: table,
            addend: 4,
        }],
    });
    let mut f = FunctionBuilder::new("twice", &[Type::F32], Some(Type::F32));
    f.set_loc(Loc::new(1, 30));
    let x = f.float(FloatOp::Add, f.param(0), f.param(0));
    f.ret(Some(x.into()));
    let twice = m.add_function(f.finish());

    let global = Type::Pointer(AddressSpace::Global);
    let mut b = FunctionBuilder::new("sample", &[global, Type::I32], None);
    b.function_mut().kernel = Some(KernelInfo {
        args: vec![
            KernelArg {
                name: "out".into(),
                type_name: "float*".into(),
                qualifiers: TypeQualifiers {
                    is_restrict: true,
                    ..TypeQualifiers::default()
                },
                pass: ArgPass::Pointer(AddressSpace::Global),
            },
            KernelArg {
                name: "n".into(),
                type_name: "int".into(),
                qualifiers: TypeQualifiers::default(),
                pass: ArgPass::Value(Type::I32),
            },
        ],
        reqd_work_group_size: Some([4, 1, 1]),
        ..KernelInfo::default()
    });
    let id = FuncId(1);
    let scratch = m.add_local(LocalVar {
        name: "scratch".into(),
        kernel: Some(id),
        size: 64,
        align: 16,
    });
    b.set_loc(Loc::new(4, 3));
    let gid = b.query(Query::GlobalId, Const::i32(0));
    let i = b.variable("i", Type::I32);
    b.assign(i, Const::i32(0));
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.jump(head);
    b.switch_to(head);
    let c = b.compare(Cmp::SLt, i, b.param(1));
    b.branch(c, body, exit);
    b.switch_to(body);
    b.set_loc(Loc::new(5, 5));
    let local = b.local_addr(scratch);
    let generic = b.ptr_cast(local, AddressSpace::Generic);
    b.atomic_rmw(
        RmwOp::Add,
        generic,
        Const::i32(1),
        Order::Relaxed,
        MemScope::WorkGroup,
    );
    b.barrier(Regions::LOCAL | Regions::GLOBAL, MemScope::WorkGroup);
    b.fence(Regions::GLOBAL, Order::SeqCst, MemScope::AllDevices);
    let constant = b.global_addr(table, AddressSpace::Constant);
    let byte = b.load(Type::I8, constant);
    let float = b.convert(byte, NumKind::Unsigned, Type::F32, NumKind::Float);
    let float = b.intrinsic(Intrinsic::Sqrt, vec![float.into()]);
    let float = b
        .call(twice, vec![float.into()], Some(Type::F32))
        .unwrap_or(float);
    let v = b.splat(float, Lanes::L4);
    let e = b.extract(v, Const::i32(3));
    let p = b.ptr_add(b.param(0), gid, 4, 0);
    b.store(p, e);
    let next = b.int(IntOp::Add, i, Const::i32(1));
    b.assign(i, next);
    b.jump(head);
    b.switch_to(exit);
    let old = b.atomic_cas(
        b.param(0),
        Const::i32(0),
        Const::i32(1),
        (Order::AcqRel, Order::Acquire),
        MemScope::Device,
    );
    b.terminate(Terminator::Switch {
        value: old.into(),
        cases: vec![(0, exit)],
        default: head,
    });
    m.add_function(b.finish());
    m
}
