use super::*;
use crate::device::Api;
use crate::device::vulkan::gpu::Features;
use crate::environment::Modules;
use crate::execute::bench::Foreigns;
use crate::execute::vulkan::{foreign, shader};
use crate::plan;
use classay_faults::vulkan::ROWS;
use classay_litmus::kernel::Shape;
use classay_litmus::kernel::operation::{Operation, Operations};
use classay_litmus::program::{Address, Location, Placement, Region, ScalarType, each_instr};
use rspirv::dr::{self, Operand};
use std::collections::{BTreeSet, HashMap};

/// The shipped tests of shaders alone whose locations are 32-bit numbers in buffers or workgroup memory.
fn tests() -> Vec<Program> {
    let cases = plan::shipped_of(Api::Vulkan).expect("tests");
    let programs = cases.iter().filter_map(|case| case.body.litmus());
    let programs = programs.filter(|program| {
        let plain = |l: &Location| {
            l.ty == ScalarType::Int
                && l.alias.is_none()
                && matches!(l.region, Region::Global | Region::Local)
        };
        let mut in_shaders = true;
        for thread in &program.threads {
            in_shaders &= thread.placement != Placement::Host;
            each_instr(&thread.body, &mut |instr| {
                in_shaders &= !matches!(instr, Instr::Domain(_));
            });
        }
        in_shaders && Shape::of(program).is_ok() && program.locations.iter().all(plain)
    });
    programs.map(|program| Program::clone(program)).collect()
}

/// The operations of a program, in the order of its text, with what each accesses.
fn operations(program: &Program) -> Vec<(Operation, Option<(ScalarType, Region)>)> {
    let at = |address: &Address| {
        let location = &program.locations[address.location.index()];
        Some((location.ty, location.region))
    };
    let mut all = Vec::new();
    for thread in &program.threads {
        each_instr(&thread.body, &mut |instr| {
            for expr in instr.expressions() {
                expr.each(&mut |expr| match expr {
                    Expr::Load(access) => {
                        all.push((Operation::of_load(access), at(&access.address)));
                    }
                    Expr::Rmw(rmw) => {
                        let on = at(&rmw.address);
                        let ty = on.map_or(ScalarType::Int, |(ty, _)| ty);
                        all.push((Operation::of_rmw(rmw, ty), on));
                    }
                    Expr::Cas(cas) => all.push((Operation::of_cas(cas), at(&cas.address))),
                    _ => {}
                });
            }
            match instr {
                Instr::Store { access, .. } => {
                    all.push((Operation::of_store(access), at(&access.address)));
                }
                Instr::Fence(fence) => all.push((Operation::of_fence(fence), None)),
                Instr::Barrier(barrier) => all.push((Operation::of_barrier(barrier), None)),
                _ => {}
            }
        });
    }
    all
}

/// A module that executes the operations of a program one after the other.
fn module(program: &Program) -> Vec<u32> {
    let mut text = Operations::of(program).declarations;
    text += "__kernel void test(__global int *shared, __local int *own)\n{\n";
    for (operation, on) in operations(program) {
        let pointer = match on {
            None => "",
            Some((_, Region::Local)) => "own",
            Some(_) => "shared",
        };
        let values = match operation {
            Operation::Store(_) | Operation::AtomicStore(_) | Operation::Rmw { .. } => ", 1",
            Operation::CompareExchange { .. } => ", 0, 1",
            _ => "",
        };
        text += &format!("    {}({pointer}{values});\n", operation.name(on));
    }
    text += "}\n";
    let all = Operations::of(program).all;
    let model = Modules::default().model;
    let foreigns = Foreigns {
        operations: (all.iter())
            .map(|(name, of)| (name.clone(), foreign(of, model)))
            .collect(),
        aliasing: BTreeSet::new(),
        modules: Modules::default(),
    };
    let has = Features {
        memory_model: true,
        device_scope: true,
        ..Features::default()
    };
    match shader(&text, &foreigns, has) {
        Ok(shader) => shader.words,
        Err(failure) => panic!("{}: {}\n{text}", program.name, failure.log),
    }
}

/// What a module does to memory: its instructions with scopes, semantics and memory operands, without ids.
fn listing(words: &[u32]) -> Vec<String> {
    let module = dr::load_words(words).expect("a module");
    let constants: HashMap<u32, u32> = module
        .types_global_values
        .iter()
        .filter_map(|i| match (i.result_id, i.operands.as_slice()) {
            (Some(id), [Operand::LiteralBit32(value)]) => Some((id, *value)),
            _ => None,
        })
        .collect();
    let blocks = module.functions.iter().flat_map(|f| &f.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let shown = |i: &dr::Instruction| {
        let operands = i.operands.iter().filter_map(|operand| match operand {
            Operand::IdScope(id) => Some(format!("scope {:?}", constants.get(id))),
            Operand::IdMemorySemantics(id) => Some(format!("semantics {:?}", constants.get(id))),
            Operand::MemoryAccess(mask) if mask.is_empty() => None,
            Operand::MemoryAccess(mask) => Some(format!("{mask:?}")),
            _ => None,
        });
        let operands: Vec<String> = operands.collect();
        format!("{:?} {}", i.class.opcode, operands.join(" "))
    };
    let of_memory = |line: &String| {
        ["Atomic", "Load", "Store", "MemoryBarrier", "ControlBarrier"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    instructions.map(shown).filter(of_memory).collect()
}

/// What a fault makes of a test is what the layer makes of the module that the test becomes.
#[test]
fn tests_are_weakened_as_the_layer_changes_modules() {
    let tests = tests();
    assert!(tests.len() > 100, "{}", tests.len());
    let modules: Vec<Vec<u32>> = tests.iter().map(module).collect();
    let mut changed = HashMap::new();
    for row in ROWS.iter().filter(|row| Edit::of(row.fault).is_some()) {
        for (test, words) in tests.iter().zip(&modules) {
            let weaker = weakened(test, row.fault);
            let mutated = classay_vulkan_layer::spirv::mutate(words, row.fault);
            let told = format!("{} of {}", row.id, test.name);
            assert_eq!(weaker.is_some(), mutated.is_some(), "{told}");
            if let (Some(weaker), Some(mutated)) = (weaker, mutated) {
                assert_eq!(listing(&module(&weaker)), listing(&mutated.words), "{told}");
                *changed.entry(row.id).or_insert(0) += 1;
            }
        }
    }
    let unseen = ROWS
        .iter()
        .filter(|row| Edit::of(row.fault).is_some() && !changed.contains_key(row.id));
    let unseen: Vec<&str> = unseen.map(|row| row.id).collect();
    assert_eq!(unseen, Vec::<&str>::new());
}
