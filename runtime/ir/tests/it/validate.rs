//! Every rule has a module that breaks it alone.

use touchstone_ir::*;

/// What the validator says about a function without parameters or result.
fn error_of(write: impl FnOnce(&mut FunctionBuilder)) -> String {
    let mut b = FunctionBuilder::new("f", &[], None);
    b.set_loc(Loc::new(7, 8));
    write(&mut b);
    b.ret(None);
    let mut m = super::sample();
    m.add_function(b.finish());
    match validate(&m) {
        Ok(()) => "valid".into(),
        Err(e) => e.to_string(),
    }
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(validate(&super::sample()), Ok(()));
    assert_eq!(error_of(|_| {}), "valid");
}

#[test]
fn operands_must_have_the_type_of_the_result() {
    let e = error_of(|b| {
        b.emit(
            Type::I32,
            Op::Int(IntOp::Add, Const::i32(1).into(), Const::i64(1).into()),
        );
    });
    assert_eq!(e, "f at 7:8: the second operand is i64, not i32");
    let e = error_of(|b| {
        b.int(IntOp::Add, Const::f32(1.0), Const::f32(1.0));
    });
    assert_eq!(e, "f at 7:8: integer arithmetic on f32");
    let e = error_of(|b| {
        b.compare(Cmp::Eq, Const::f32(1.0), Const::f32(1.0));
    });
    assert_eq!(e, "f at 7:8: comparison Eq of f32");
}

#[test]
fn constant_memory_is_not_written() {
    let e = error_of(|b| b.store(Const::Null(AddressSpace::Constant), Const::i32(1)));
    assert_eq!(e, "f at 7:8: writes to constant memory");
}

#[test]
fn atomics_have_orders_and_types_that_exist() {
    let p = Const::Null(AddressSpace::Global);
    let e = error_of(|b| {
        b.atomic_load(Type::I32, p, Order::Release, MemScope::Device);
    });
    assert_eq!(e, "f at 7:8: an atomic load cannot have order release");
    let e = error_of(|b| {
        b.atomic_store(p, Const::i32(0), Order::Acquire, MemScope::Device);
    });
    assert_eq!(e, "f at 7:8: an atomic store cannot have order acquire");
    let e = error_of(|b| {
        b.atomic_load(Type::I16, p, Order::Relaxed, MemScope::Device);
    });
    assert_eq!(e, "f at 7:8: no atomic operation on i16");
    let e = error_of(|b| {
        b.atomic_rmw(
            RmwOp::FAdd,
            p,
            Const::i32(0),
            Order::Relaxed,
            MemScope::Device,
        );
    });
    assert_eq!(e, "f at 7:8: atomic fadd of i32");
}

#[test]
fn temporaries_are_written_on_every_path() {
    let e = error_of(|b| {
        let t = b.temp(Type::I32);
        let (yes, join) = (b.block(), b.block());
        b.branch(Const::bool(true), yes, join);
        b.switch_to(yes);
        b.assign(t, Const::i32(1));
        b.jump(join);
        b.switch_to(join);
        b.copy(t);
    });
    assert_eq!(e, "f at 7:8: temporary %0 may be read before it is written");
    // A variable may be read so; it is then in the list.
    let mut b = FunctionBuilder::new("g", &[Type::I32], None);
    let v = b.variable("v", Type::I32);
    let w = b.variable("w", Type::I32);
    b.assign(w, b.param(0));
    b.int(IntOp::Add, v, w);
    b.ret(None);
    let f = b.finish();
    assert_eq!(validate::read_before_written(&f), [v]);
}

#[test]
fn values_that_a_loop_carries_count_as_written() {
    let mut b = FunctionBuilder::new("g", &[], None);
    let t = b.temp(Type::I32);
    b.assign(t, Const::i32(0));
    let body = b.block();
    b.jump(body);
    b.switch_to(body);
    let u = b.int(IntOp::Add, t, Const::i32(1));
    b.assign(t, u);
    b.jump(body);
    let mut m = Module::new();
    m.add_function(b.finish());
    assert_eq!(validate(&m), Ok(()));
}

#[test]
fn recursion_is_named() {
    let mut m = Module::new();
    for callee in [1, 2, 1] {
        let mut b = FunctionBuilder::new(format!("f{}", m.functions.len()), &[], None);
        b.set_loc(Loc::new(m.functions.len() as u32 + 1, 1));
        b.call(FuncId(callee), vec![], None);
        b.ret(None);
        m.add_function(b.finish());
    }
    let e = validate(&m).expect_err("recursive");
    assert_eq!(e.to_string(), "f2 at 3:1: recursion: f1 calls f2 calls f1");
}

#[test]
fn calls_match_their_callee() {
    let e = error_of(|b| {
        b.call(FuncId(0), vec![], Some(Type::F32));
    });
    assert_eq!(e, "f at 7:8: 0 arguments for the 1 parameters of twice");
    let e = error_of(|b| {
        b.call(FuncId(0), vec![Const::f32(1.0).into()], Some(Type::F64));
    });
    assert_eq!(e, "f at 7:8: the result is f32, the destination f64");
    let e = error_of(|b| {
        b.call(FuncId(99), vec![], None);
    });
    assert_eq!(e, "f at 7:8: @f99 does not exist");
}

#[test]
fn variables_fit_their_initial_values() {
    let mut m = super::sample();
    m.globals[0].init = vec![0; 17];
    let e = validate(&m).expect_err("too long").to_string();
    assert_eq!(e, "variable table at ?: 17 bytes of initial value for 16");
    let mut m = super::sample();
    m.globals[1].relocs[0].offset = 1;
    let e = validate(&m).expect_err("past the end").to_string();
    assert_eq!(
        e,
        "variable pointer at ?: a pointer at 1 is past the end of 8 bytes"
    );
}

#[test]
fn kernels_describe_their_parameters() {
    let mut m = super::sample();
    if let Some(kernel) = &mut m.functions[1].kernel {
        kernel.args.pop();
    }
    let e = validate(&m).expect_err("arguments").to_string();
    assert_eq!(e, "sample at ?: 1 argument descriptions for 2 parameters");
}

#[test]
fn returns_match_the_function() {
    let mut b = FunctionBuilder::new("f", &[], Some(Type::I32));
    b.ret(None);
    let mut m = Module::new();
    m.add_function(b.finish());
    let e = validate(&m).expect_err("returns nothing").to_string();
    assert_eq!(e, "f at ?: returns nothing, the function has i32");
}

#[test]
fn ids_exist() {
    let e = error_of(|b| {
        b.copy(Operand::Const(Const::Scalar {
            ty: Scalar::I8,
            bits: 256,
        }));
    });
    assert_eq!(e, "f at 7:8: constant 0x100 has bits beyond i8");
    let e = error_of(|b| {
        b.slot_addr(SlotId(0));
    });
    assert_eq!(e, "f at 7:8: s0 does not exist");
    let e = error_of(|b| b.push_to(Reg(9), Op::Copy(Const::i32(0).into())));
    assert_eq!(e, "f at 7:8: %9 is not declared");
}

#[test]
fn generic_pointers_become_pointers_to_memory_that_is_written() {
    let generic: Operand = Const::Null(AddressSpace::Generic).into();
    let to = |space| {
        error_of(move |b| {
            b.emit(Type::Pointer(space), Op::ToSpace(generic));
        })
    };
    assert_eq!(to(AddressSpace::Local), "valid");
    assert!(to(AddressSpace::Constant).contains("does not become"));
    let global = Const::Null(AddressSpace::Global).into();
    let e = error_of(|b| {
        b.emit(Type::Pointer(AddressSpace::Local), Op::ToSpace(global));
    });
    assert!(e.contains("the pointer is"), "{e}");
}

#[test]
fn printf_has_a_format_and_gives_an_int() {
    let print = |format: Operand, ty| {
        error_of(move |b| {
            let args = vec![Const::f64(1.0).into()];
            b.emit(ty, Op::Printf { format, args });
        })
    };
    let format = Const::Null(AddressSpace::Constant).into();
    assert_eq!(print(format, Type::I32), "valid");
    assert!(print(format, Type::I64).contains("i64"));
    assert!(print(Const::i64(0).into(), Type::I32).contains("pointer"));
}
