//! Modules that OpenCL C becomes. That they do what their programs do, all tests that launch a kernel see; here is what
//! they say, and what does not become one.

use crate::support::{Given, assert_valid, build, launch_in_sub_groups, launch_printing};
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Capability, Decoration, MemorySemantics, Op};
use std::collections::BTreeSet;
use touchstone_clc::{
    BuildOptions, CompileOptions, Source, compile_for_opencl, compile_spirv, link,
};
use touchstone_ir::{ArgPass, Type};

const VERSION: (u8, u8) = (1, 2);

fn words_of(units: &[&str], version: (u8, u8)) -> Result<Vec<u32>, String> {
    let options = CompileOptions {
        build: BuildOptions::parse("-cl-std=CL3.0").unwrap(),
        ..CompileOptions::default()
    };
    let units = units.iter().map(|text| Source::new("t.cl", *text));
    let units: Vec<Source> = units.collect();
    compile_for_opencl(&units, &options, version).map_err(|failure| failure.log)
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn module(text: &str) -> Module {
    let words = words_of(&[text], VERSION).unwrap_or_else(|log| panic!("{log}\n{text}"));
    assert_valid(&bytes(&words));
    load_words(&words).unwrap()
}

fn capabilities(module: &Module) -> BTreeSet<Capability> {
    let all = module
        .capabilities
        .iter()
        .map(|inst| match inst.operands[0] {
            Operand::Capability(capability) => capability,
            _ => panic!("{inst:?}"),
        });
    all.collect()
}

/// Instructions of functions.
fn all(module: &Module, op: Op) -> Vec<&Instruction> {
    let insts = module.functions.iter().flat_map(|f| &f.blocks);
    let insts = insts.flat_map(|block| &block.instructions);
    insts.filter(|inst| inst.class.opcode == op).collect()
}

/// The number that an operand of an instruction is.
fn number(module: &Module, inst: &Instruction, n: usize) -> u32 {
    let id = match inst.operands[n] {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => id,
        _ => panic!("{inst:?}"),
    };
    let mut globals = module.types_global_values.iter();
    let constant = globals.find(|inst| inst.result_id == Some(id)).unwrap();
    match constant.operands[0] {
        Operand::LiteralBit32(bits) => bits,
        _ => panic!("{constant:?}"),
    }
}

#[test]
fn no_capability_is_declared_that_is_not_used() {
    use Capability::{
        Addresses, AtomicFloat32AddEXT, AtomicFloat64MinMaxEXT, Float16, Float64, GenericPointer,
        Groups, Int8, Int16, Int64, Int64Atomics, Kernel, Vector16,
    };
    let cases: [(&str, &[Capability]); 11] = [
        ("kernel void k(void) {}", &[]),
        ("kernel void k(global int *a) { *a = 1; }", &[Int8]),
        (
            "kernel void k(global int *a) { a[get_global_id(0)] = 1; }",
            &[Int8, Int64],
        ),
        ("kernel void k(global short *a) { *a = 1; }", &[Int8, Int16]),
        (
            "kernel void k(global half *a) { *a *= 2; }",
            &[Int8, Float16],
        ),
        (
            "kernel void k(global double *a) { *a *= 2; }",
            &[Int8, Float64],
        ),
        (
            "kernel void k(global int8 *a) { *a += 1; }",
            &[Int8, Vector16],
        ),
        (
            "kernel void k(global int *a) { int *p = a; *p = work_group_reduce_add(*a); }",
            &[Int8, GenericPointer, Groups],
        ),
        (
            "kernel void k(global atomic_long *a) { atomic_fetch_add(a, 1); }",
            &[Int8, Int64, Int64Atomics],
        ),
        (
            "kernel void k(global atomic_float *a) { atomic_fetch_sub(a, 1); }",
            &[Int8, AtomicFloat32AddEXT],
        ),
        (
            "kernel void k(global atomic_double *a) { atomic_fetch_min(a, 1); }",
            &[Int8, Float64, AtomicFloat64MinMaxEXT],
        ),
    ];
    for (text, more) in cases {
        let text = format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{text}");
        let wanted: BTreeSet<Capability> =
            [Addresses, Kernel].iter().chain(more).copied().collect();
        assert_eq!(capabilities(&module(&text)), wanted, "{text}");
    }
}

#[test]
fn the_version_is_the_given_one_or_that_which_has_what_is_used() {
    let plain = "kernel void k(global int *a) { *a = 1; }";
    let shuffles = "kernel void k(global int *a) { *a = sub_group_shuffle(*a, 0); }";
    for (text, asked, given) in [
        (plain, (1, 0), 0x0001_0000),
        (plain, (1, 2), 0x0001_0200),
        (plain, (1, 4), 0x0001_0400),
        (shuffles, (1, 0), 0x0001_0300),
        (shuffles, (1, 4), 0x0001_0400),
    ] {
        let words = words_of(&[text], asked).unwrap();
        assert_valid(&bytes(&words));
        assert_eq!(words[1], given, "{text}");
    }
}

#[test]
fn kernels_keep_their_names_arguments_and_sizes() {
    let text = "typedef struct { char tag; long4 rows[2]; } t;
        kernel __attribute__((reqd_work_group_size(4, 2, 1)))
        void second(global const volatile float *restrict from, constant uchar *table, local double2 *room, t value, uint3 n) {}
        kernel __attribute__((work_group_size_hint(8, 1, 1))) __attribute__((vec_type_hint(float4)))
        void first(global int *out) {}";
    let words = words_of(&[text], VERSION).unwrap();
    assert_valid(&bytes(&words));
    let unit = compile_spirv(&bytes(&words), &[], &CompileOptions::default());
    let read = link(&[&unit.unwrap()]).unwrap();
    let own = build(text).unwrap().module;
    let names = |module: &touchstone_ir::Module| -> Vec<String> {
        module.kernels().map(|(_, f)| f.name.clone()).collect()
    };
    assert_eq!(names(&read), names(&own));
    for ((_, read), (_, own)) in read.kernels().zip(own.kernels()) {
        let (read, own) = (read.kernel.as_ref().unwrap(), own.kernel.as_ref().unwrap());
        assert_eq!(read.args, own.args);
        assert_eq!(read.reqd_work_group_size, own.reqd_work_group_size);
        assert_eq!(read.work_group_size_hint, own.work_group_size_hint);
        assert_eq!(read.vec_type_hint, own.vec_type_hint);
    }
    let (_, second) = read.kernels().next().unwrap();
    let passes: Vec<ArgPass> = second
        .kernel
        .iter()
        .flat_map(|info| &info.args)
        .map(|a| a.pass)
        .collect();
    assert_eq!(passes[2], ArgPass::LocalPointer { align: 16 });
    assert_eq!(
        passes[3],
        ArgPass::Aggregate {
            size: 96,
            align: 32
        }
    );
    assert!(matches!(passes[4], ArgPass::Value(Type::Vector(..))));
}

#[test]
fn units_become_one_module() {
    let one = "int twice(int x); kernel void k(global int *a) { *a = twice(*a); }";
    let words = words_of(&[one, "int twice(int x) { return 2 * x; }"], VERSION).unwrap();
    assert_valid(&bytes(&words));
    let unit = compile_spirv(&bytes(&words), &[], &CompileOptions::default()).unwrap();
    let module = link(&[&unit]).unwrap();
    let log = String::new();
    let mut buffer = 21i32.to_le_bytes();
    let compiled = touchstone_clc::Compiled { module, log };
    let printed = launch_printing(compiled, "k", vec![Given::Buffer(&mut buffer)], 1, 1);
    assert_eq!((i32::from_le_bytes(buffer), printed.as_str()), (42, ""));
    assert!(words_of(&[one], VERSION).unwrap_err().contains("twice"));
}

#[test]
fn orders_scopes_and_memories_are_said() {
    let text = "kernel void k(global atomic_int *g, local atomic_int *l, global int *out) {
            atomic_store_explicit(g, 1, memory_order_release, memory_scope_device);
            *out = atomic_load_explicit(l, memory_order_acquire, memory_scope_work_group);
            *out += atomic_load_explicit(g, memory_order_relaxed, memory_scope_all_svm_devices);
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_sub_group);
            work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        }";
    let module = module(text);
    let said = |op: Op, scope: usize| -> Vec<(u32, u32)> {
        let number = |inst, n| number(&module, inst, n);
        let insts = all(&module, op).into_iter();
        insts
            .map(|inst| (number(inst, scope), number(inst, scope + 1)))
            .collect()
    };
    let bits = |parts: &[MemorySemantics]| parts.iter().map(|part| part.bits()).sum::<u32>();
    use MemorySemantics as S;
    let (local, global) = (S::WORKGROUP_MEMORY, S::CROSS_WORKGROUP_MEMORY);
    assert_eq!(said(Op::AtomicStore, 1), [(1, bits(&[S::RELEASE, global]))]);
    let loads = [(2, bits(&[S::ACQUIRE, local])), (0, 0)];
    assert_eq!(said(Op::AtomicLoad, 1), loads);
    let fence = bits(&[S::SEQUENTIALLY_CONSISTENT, local, global]);
    assert_eq!(said(Op::MemoryBarrier, 0), [(3, fence)]);
    let barrier = all(&module, Op::ControlBarrier);
    assert_eq!(number(&module, barrier[0], 0), 2);
    assert_eq!(
        said(Op::ControlBarrier, 1),
        [(2, bits(&[S::ACQUIRE_RELEASE, local]))]
    );
}

#[test]
fn functions_of_those_that_are_present_are_instructions() {
    let text = "kernel void k(global uint4 *out, global float *f) {
            uint id = get_sub_group_local_id();
            out[id] = sub_group_ballot(id & 1);
            out[id].x += sub_group_ballot_bit_count(out[id]) + sub_group_ballot_find_msb(out[id]);
            out[id].y += sub_group_non_uniform_all(id < 9) + sub_group_elect();
            out[id].z = sub_group_broadcast_first(id);
            out[id] ^= get_sub_group_lt_mask();
            f[id] = sub_group_non_uniform_scan_inclusive_max(f[id]) + sub_group_clustered_reduce_add(f[id], 4);
        }";
    let module = module(text);
    for op in [
        Op::GroupNonUniformBallot,
        Op::GroupNonUniformBallotBitCount,
        Op::GroupNonUniformBallotFindMSB,
        Op::GroupNonUniformAll,
        Op::GroupNonUniformElect,
        Op::GroupNonUniformShuffle,
        Op::GroupNonUniformFMax,
        Op::GroupNonUniformFAdd,
    ] {
        assert!(!all(&module, op).is_empty(), "{op:?}");
    }
    // What they are made of here is in no function of the module.
    assert_eq!(module.functions.len(), 1);
    let mut bytes = vec![0; 8 * 16];
    let mut floats: Vec<u8> = (0..8u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let given = vec![Given::Buffer(&mut bytes), Given::Buffer(&mut floats)];
    launch_in_sub_groups(build(text).unwrap(), "k", given, (8, 8), 8);
    assert_eq!(
        f32::from_le_bytes(floats[28..].try_into().unwrap()),
        7.0 + 22.0
    );
}

#[test]
fn conversions_say_how_they_round_and_saturate() {
    let text = "kernel void k(global float *f, global int *i) {
            *i = convert_int_sat_rtp(*f);
            *f = convert_float_rtn(*i);
            *i += convert_uchar_sat(*i);
        }";
    let module = module(text);
    let decorated = |wanted: Decoration| -> usize {
        let is = |inst: &&Instruction| inst.operands[1] == Operand::Decoration(wanted);
        module.annotations.iter().filter(is).count()
    };
    assert_eq!(decorated(Decoration::FPRoundingMode), 2);
    assert_eq!(decorated(Decoration::SaturatedConversion), 1);
    assert_eq!(all(&module, Op::SatConvertSToU).len(), 1);
}

#[test]
fn what_is_not_expressed_is_named() {
    for (text, what) in [
        (
            "kernel void k(read_only image2d_t i) {}",
            "an image as the argument i",
        ),
        (
            "kernel void k(sampler_t s) {}",
            "a sampler as the argument s",
        ),
        (
            "kernel void k(read_only pipe int p) {}",
            "a pipe as the argument p",
        ),
        (
            "kernel void k(queue_t q) {}",
            "a device queue as the argument q",
        ),
        (
            "kernel void k(void) { enqueue_marker(get_default_queue(), 0, 0, 0); }",
            "device-side enqueue",
        ),
        ("kernel void k(void) { __builtin_trap(); }", "a trap"),
        (
            "constant int a = 1; constant int *constant b = &a;
             kernel void k(global int *out) { *out = *b; }",
            "an address in the initial value of b",
        ),
        ("int f(void) { return 1; }", "a program without kernels"),
    ] {
        let log = words_of(&[text], VERSION).expect_err(text);
        assert!(log.contains(what), "{log}");
    }
}
