//! SPIR-V modules: read again, and interpreted.

use super::{cases, first, launch, objects, wanted_words, words};
use crate::host::{Build, SpecializationValue};
use classay_vocabulary::Need;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Decoration, Op};
use std::collections::BTreeMap;

/// The numbers of specialization constants by their ids.
fn specialized(module: &Module) -> BTreeMap<u32, u32> {
    let number = |i: &Instruction| match i.operands[..] {
        [
            Operand::IdRef(id),
            Operand::Decoration(Decoration::SpecId),
            Operand::LiteralBit32(number),
        ] => Some((id, number)),
        _ => None,
    };
    module.annotations.iter().filter_map(number).collect()
}

/// The constants of a module, by their ids, when it is built so.
fn constants(module: &Module, build: &Build) -> BTreeMap<u32, u32> {
    let all = module.types_global_values.iter();
    let value = |i: &Instruction| {
        let value = match (i.class.opcode, i.operands.first()) {
            (Op::SpecConstantTrue, _) => 1,
            (Op::SpecConstantFalse, _) => 0,
            (Op::Constant, Some(Operand::LiteralBit32(value))) => *value,
            (Op::SpecConstant, Some(Operand::LiteralBit32(value))) => {
                whole(module, i, (*value).into())
            }
            (Op::SpecConstant, Some(Operand::LiteralBit64(value))) => whole(module, i, *value),
            (Op::Constant | Op::SpecConstant, other) => panic!("no 32 bits: {other:?}"),
            _ => return None,
        };
        Some((i.result_id.expect("an id"), value))
    };
    let mut values: BTreeMap<u32, u32> = all.filter_map(value).collect();
    let word = |(number, value): &(u32, SpecializationValue)| match *value {
        SpecializationValue::Flag(on) => (*number, on.into()),
        SpecializationValue::Word(word) => (*number, word.into()),
        SpecializationValue::True { byte } => (*number, (byte != 0).into()),
        SpecializationValue::Number { number: value, .. } => (*number, value),
    };
    let earlier = build.earlier.iter().flat_map(|one| &one.specialized);
    let set: BTreeMap<u32, u64> = earlier.chain(&build.specialized).map(word).collect();
    for (id, number) in specialized(module) {
        let mut all = module.types_global_values.iter();
        let constant = all.find(|i| i.result_id == Some(id)).expect("a constant");
        if let Some(value) = set.get(&number) {
            values.insert(id, whole(module, constant, *value));
        }
    }
    for i in &module.types_global_values {
        let of = |n: usize| values[&id(&i.operands[n])];
        let value = match i.class.opcode {
            Op::SpecConstantOp => of(1).wrapping_add(of(2)),
            // Its last lane is the one that is read.
            Op::SpecConstantComposite => of(1),
            _ => continue,
        };
        values.insert(i.result_id.expect("an id"), value);
    }
    values
}

/// The whole number that a constant of these bits is, of which the lower half is used.
fn whole(module: &Module, constant: &Instruction, bits: u64) -> u32 {
    let mut all = module.types_global_values.iter();
    let ty = all.find(|i| i.result_id == constant.result_type);
    let ty = ty.expect("a type");
    match (ty.class.opcode, ty.operands.first()) {
        (Op::TypeFloat, Some(Operand::LiteralBit32(64))) => f64::from_bits(bits) as u32,
        (Op::TypeFloat, Some(Operand::LiteralBit32(32))) => f32::from_bits(bits as u32) as u32,
        (Op::TypeFloat, _) if bits == 0 => 0,
        (Op::TypeFloat, _) => {
            let (exponent, fraction) = (bits >> 10 & 0x1f, bits & 0x3ff);
            ((1024 | fraction) as f32 * 2f32.powi(exponent as i32 - 25)) as u32
        }
        _ => bits as u32,
    }
}

fn id(operand: &Operand) -> u32 {
    match operand {
        Operand::IdRef(id) => *id,
        other => panic!("an id, not {other:?}"),
    }
}

/// What the kernel of a module writes for a work-item that read a word.
fn play(module: &Module, build: &Build, item: u32, read: u32) -> u32 {
    let known = constants(module, build);
    let mut values = known.clone();
    let blocks = &module.functions[0].blocks;
    assert_eq!(blocks.len(), 1, "no branches");
    for i in &blocks[0].instructions {
        let operand = |n: usize| values.get(&id(&i.operands[n])).copied();
        let both = || (operand(0).expect("a value"), operand(1).expect("a value"));
        let result = match i.class.opcode {
            // The work-item's number, or a constant of another size.
            Op::UConvert => operand(0).unwrap_or(item),
            Op::ConvertFToU => operand(0).expect("a constant"),
            // The ids are read first, then the word.
            Op::Load => read,
            Op::IAdd => both().0.wrapping_add(both().1),
            Op::ISub => both().0.wrapping_sub(both().1),
            Op::IMul => both().0.wrapping_mul(both().1),
            Op::BitwiseXor => both().0 ^ both().1,
            Op::BitwiseOr => both().0 | both().1,
            Op::BitwiseAnd => both().0 & both().1,
            Op::ShiftLeftLogical => both().0 << both().1,
            Op::ShiftRightLogical => both().0 >> both().1,
            Op::UDiv => both().0 / both().1,
            Op::UMod => both().0 % both().1,
            Op::Select if operand(0) == Some(0) => operand(2).expect("a value"),
            Op::Select => operand(1).expect("a value"),
            Op::Store => return operand(1).expect("a value"),
            // Of the ids one is taken as well.
            Op::CompositeExtract if known.contains_key(&id(&i.operands[0])) => {
                operand(0).expect("a lane")
            }
            Op::CompositeExtract | Op::InBoundsPtrAccessChain => continue,
            other => panic!("no instruction {other:?}"),
        };
        values.insert(i.result_id.expect("an id"), result);
    }
    panic!("nothing is stored")
}

#[test]
fn modules_compute_what_is_wanted() {
    let mut longest = 0;
    for (name, case) in cases("program/il", 60) {
        let module = load_words(&case.module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let [from, to] = objects(launch(&case))[..] else {
            panic!("{name}: two buffers")
        };
        let read = words(&first(&case, from));
        let each: Vec<u32> = read
            .iter()
            .enumerate()
            .map(|(item, word)| play(&module, &case.build, item as u32, *word))
            .collect();
        assert_eq!(wanted_words(&case, to), each, "{name}");
        longest = longest.max(module.functions[0].blocks[0].instructions.len());
    }
    assert!(longest >= 12, "{longest} instructions");
}

#[test]
fn specialization_constants_are_set_never_once_and_twice() {
    let (mut unset, mut once, mut twice, mut between, mut before) = (0, 0, 0, 0, 0);
    for (name, case) in cases("program/il", 60) {
        let module = load_words(&case.module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let numbers: Vec<u32> = specialized(&module).into_values().collect();
        let times = |set: &[(u32, SpecializationValue)], number: u32| {
            set.iter().filter(|(one, _)| *one == number).count()
        };
        for number in &numbers {
            let earlier = case.build.earlier.iter();
            let earlier: usize = earlier.map(|one| times(&one.specialized, *number)).sum();
            match (earlier, times(&case.build.specialized, *number)) {
                (0, 0) => unset += 1,
                (0, 1) => once += 1,
                (0, 2) => twice += 1,
                (1, 1) => between += 1,
                (1, 0) => before += 1,
                other => panic!("{name}: {other:?}"),
            }
        }
        let earlier = case.build.earlier.iter().flat_map(|one| &one.specialized);
        let set: Vec<_> = earlier.chain(&case.build.specialized).collect();
        assert!(
            set.iter().all(|(number, _)| numbers.contains(number)),
            "{name}"
        );
        assert_eq!(set.is_empty(), !case.needs.contains(&Need::Api22), "{name}");
    }
    assert!(unset.min(once).min(twice).min(between).min(before) > 5);
}

#[test]
fn modules_declare_what_they_use() {
    for (name, case) in cases("program/il", 10) {
        let module = load_words(&case.module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let entry = &module.entry_points[0];
        let kernel = Operand::LiteralString(launch(&case).kernel.clone());
        assert!(entry.operands.contains(&kernel), "{name}");
        let function = module.functions[0].def.as_ref().expect("a function");
        assert_eq!(
            id(&entry.operands[1]),
            function.result_id.expect("an id"),
            "{name}"
        );
        assert_eq!(
            module.functions[0].parameters.len(),
            launch(&case).args.len(),
            "{name}"
        );
        assert!(case.source.is_empty() && case.built_in.is_empty(), "{name}");
        let ids = module.header.as_ref().expect("a header").bound;
        let used = module.all_inst_iter().filter_map(|i| i.result_id).max();
        assert!(used < Some(ids), "{name}: {used:?} of {ids}");
    }
}

/// What a module of instructions says of itself: each stands once beside what reads operands and writes results.
#[test]
fn instructions_come_in_turn_with_what_they_need() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, case) in cases("program/instructions", 40) {
        let module = load_words(&case.module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let looks = case.steps.len() - 1;
        assert_eq!(module.functions[0].parameters.len(), looks + 1, "{name}");
        assert_eq!(launch(&case).args.len(), looks + 1, "{name}");
        let blocks = module.functions[0].blocks.iter();
        seen.extend(
            blocks
                .flat_map(|block| &block.instructions)
                .map(|i| i.class.opname),
        );
        let has = |capability| {
            let mut all = module.capabilities.iter();
            all.any(|i| i.operands == [Operand::Capability(capability)])
        };
        let double = rspirv::spirv::Capability::Float64;
        assert_eq!(has(double), case.needs.contains(&Need::Fp64), "{name}");
        let half = rspirv::spirv::Capability::Float16;
        assert_eq!(has(half), case.needs.contains(&Need::Fp16), "{name}");
    }
    for name in [
        "SMod",
        "FOrdNotEqual",
        "VectorInsertDynamic",
        "SatConvertSToU",
        "All",
        "Phi",
    ] {
        assert!(seen.contains(name), "{name} is in no module");
    }
}
