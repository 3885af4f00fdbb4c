//! Each edit on modules of the Vulkan and the GLSL450 memory model: what it changes, that it changes nothing else,
//! and that the module stays valid by spirv-val, where that program exists.

mod modules;

pub(crate) use modules::vulkan;

use super::*;
use classay_faults::vulkan::{ROWS, find};
use modules::{addressed, glsl, plain, scopes};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{MemorySemantics, Op, Scope, Word};
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

fn load(words: &[u32]) -> Module {
    load_words(words).expect("a module")
}

/// The names of set flags.
fn flags(debug: String) -> String {
    let inside = debug
        .split_once('(')
        .and_then(|(_, flags)| flags.strip_suffix(')'));
    match inside.unwrap_or(&debug) {
        "0x0" => "NONE".into(),
        flags => flags.replace(' ', ""),
    }
}

/// An instruction in which scopes and semantics are spelt out, and other ids are left out.
fn spelt(instruction: &Instruction, constants: &HashMap<Word, u32>) -> String {
    let mut text = format!("{:?}", instruction.class.opcode);
    for operand in &instruction.operands {
        let value = operand
            .id_ref_any()
            .and_then(|id| constants.get(&id).copied());
        let word = match operand {
            Operand::IdScope(_) => {
                format!("{:?}", value.and_then(Scope::from_u32).expect("a scope"))
            }
            Operand::IdMemorySemantics(_) => {
                let semantics = value.and_then(MemorySemantics::from_bits);
                flags(format!("{:?}", semantics.expect("semantics")))
            }
            Operand::MemoryAccess(mask) => flags(format!("{mask:?}")),
            Operand::ImageOperands(mask) => flags(format!("{mask:?}")),
            Operand::LiteralBit32(number) => number.to_string(),
            _ => continue,
        };
        text += " ";
        text += &word;
    }
    text
}

/// The parts of the function, each instruction as its words and as a text.
fn parts(words: &[u32]) -> Vec<Vec<(Vec<u32>, String)>> {
    let module = load(words);
    let constants = module.types_global_values.iter().filter_map(|i| {
        match (i.class.opcode, i.operands.as_slice()) {
            (Op::Constant, [Operand::LiteralBit32(value)]) => Some((i.result_id?, *value)),
            _ => None,
        }
    });
    let constants = constants.collect();
    let block = &module.functions[0].blocks[0].instructions;
    let parts = block.split(|i| i.class.opcode == Op::Nop);
    parts
        .map(|part| {
            part.iter()
                .map(|i| (i.assemble(), spelt(i, &constants)))
                .collect()
        })
        .collect()
}

/// What a fault changes in the parts of a module: a line for each that differs.
///
/// Everything else has to stay: the parts that do not differ by their words, and all in front of the function but
/// for new constants and types behind it.
fn difference(before: &[u32], fault: &str) -> String {
    let row = find(fault).expect("a fault");
    let mutated = mutate(before, row.fault).expect("a change");
    let (old, new) = (load(before), load(&mutated.words));
    let globals = |module: &Module| -> Vec<Vec<u32>> {
        module.global_inst_iter().map(Assemble::assemble).collect()
    };
    let (old_globals, new_globals) = (globals(&old), globals(&new));
    assert!(new_globals.starts_with(&old_globals), "{fault}");
    let (old_parts, new_parts) = (parts(before), parts(&mutated.words));
    assert_eq!(old_parts.len(), new_parts.len(), "{fault}");
    let mut text = String::new();
    let mut changed = 0;
    let both = old_parts.iter().zip(&new_parts);
    for (old, new) in both.filter(|(old, new)| old != new) {
        let [(_, old)] = old.as_slice() else {
            panic!("{fault}: more than a part's instruction is changed");
        };
        let mut new: Vec<_> = new.iter().map(|(_, text)| text.as_str()).collect();
        if new.is_empty() {
            new.push("nothing");
        }
        writeln!(text, "{old} -> {}", new.join("; ")).expect("written");
        changed += 1;
    }
    assert_eq!(changed, mutated.changed, "{fault}");
    text
}

/// Whether spirv-val finds the module valid; yes, with a line, where there is no such program.
fn is_valid(words: &[u32]) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("module.spv");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("written");
    let checked = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3"])
        .arg(&path)
        .output();
    match checked {
        Err(_) => {
            println!("spirv-val is not installed, so modules are not validated");
            Ok(())
        }
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn every_edit_keeps_modules_valid() {
    for module in [vulkan(), glsl(), plain(), addressed()] {
        assert_eq!(is_valid(&module), Ok(()));
        for row in ROWS {
            if let Some(mutated) = mutate(&module, row.fault) {
                assert_eq!(is_valid(&mutated.words), Ok(()), "{}", row.id);
            }
        }
    }
}

#[test]
fn edits_stay_valid_one_upon_the_other() {
    for module in [vulkan(), glsl(), addressed()] {
        for first in ROWS {
            let Some(once) = mutate(&module, first.fault) else {
                continue;
            };
            // An edit leaves nothing for itself.
            assert!(mutate(&once.words, first.fault).is_none(), "{}", first.id);
        }
        let all = ROWS.iter().fold(module, |module, row| {
            mutate(&module, row.fault).map_or(module, |mutated| mutated.words)
        });
        assert_eq!(is_valid(&all), Ok(()));
    }
}

#[test]
fn modules_without_what_a_fault_breaks_stay() {
    for row in ROWS {
        assert!(mutate(&plain(), row.fault).is_none(), "{}", row.id);
        assert!(mutate(&[], row.fault).is_none());
        assert!(mutate(&[1, 2, 3, 4, 5, 6], row.fault).is_none());
        let swapped: Vec<u32> = vulkan().iter().map(|word| word.swap_bytes()).collect();
        assert!(mutate(&swapped, row.fault).is_none());
        let mut cut = vulkan();
        cut.pop();
        cut.push(7 << 16 | Op::IAdd as u32);
        assert!(mutate(&cut, row.fault).is_none());
    }
}

/// `expected.txt` has, of the module of the Vulkan memory model, what each fault changes: records of the fault's name
/// and a line for each instruction, with what takes its place.
#[test]
fn every_fault_changes_the_instructions_that_it_names_and_no_others() {
    let module = vulkan();
    // The Vulkan memory model has no Coherent.
    let others = ROWS
        .iter()
        .filter(|row| row.fault != VulkanFault::DropCoherent);
    let of_modules = others.filter(|row| Edit::of(row.fault).is_some());
    let found = of_modules.map(|row| format!("{}\n{}", row.id, difference(&module, row.id)));
    let found = found.collect::<Vec<_>>().join("\n");
    let wanted = include_str!("expected.txt");
    for (found, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(found, wanted);
    }
    assert_eq!(found.lines().count(), wanted.lines().count());
}

#[test]
fn queue_families_are_no_scope_of_the_old_model() {
    let module = glsl();
    assert!(mutate(&module, VulkanFault::DeviceScopeToQueueFamily).is_none());
    assert_eq!(
        difference(&module, "device-scope-to-workgroup"),
        "AtomicIAdd Device NONE -> AtomicIAdd Workgroup NONE\n\
         MemoryBarrier Device ACQUIRE_RELEASE|UNIFORM_MEMORY -> \
         MemoryBarrier Workgroup ACQUIRE_RELEASE|UNIFORM_MEMORY\n"
    );
}

#[test]
fn variables_of_the_old_model_are_not_coherent() {
    assert!(mutate(&vulkan(), VulkanFault::DropCoherent).is_none());
    let module = glsl();
    let mutated = mutate(&module, VulkanFault::DropCoherent).expect("a change");
    let decorations = |words: &[u32]| load(words).annotations.len();
    assert_eq!(decorations(&mutated.words) + 1, decorations(&module));
    let decoration = 3;
    assert_eq!(
        (mutated.words.len() + decoration, mutated.changed),
        (module.len(), 1)
    );
}

#[test]
fn ordinary_accesses_by_addresses_are_aligned() {
    let module = addressed();
    assert_eq!(
        difference(&module, "ordinary-atomic-load"),
        "AtomicLoad Device ACQUIRE|UNIFORM_MEMORY -> Load ALIGNED 4\n\
         AtomicLoad Device NONE -> Load ALIGNED 8\n"
    );
    assert_eq!(
        difference(&module, "ordinary-atomic-store"),
        "AtomicStore Device NONE -> Store ALIGNED 4\n\
         AtomicStore Device NONE -> Store ALIGNED 8\n"
    );
}

#[test]
fn numbers_of_other_types_are_read_and_written_in_halves() {
    let halves = |operation: &str, between: &str| {
        format!("{operation} -> AtomicLoad Device NONE; {between}AtomicStore Device NONE\n")
    };
    assert_eq!(
        difference(&addressed(), "halve-read-modify-write"),
        [
            halves("AtomicIIncrement Device NONE", "IAdd; "),
            halves("AtomicIDecrement Device NONE", "ISub; "),
            halves("AtomicSMax Device NONE", "SGreaterThan; Select; "),
            halves("AtomicExchange Device NONE", ""),
            halves("AtomicCompareExchange Device NONE NONE", "IEqual; Select; "),
            halves("AtomicExchange Device NONE", ""),
            halves("AtomicFAddEXT Device NONE", "FAdd; "),
            halves("AtomicFMinEXT Device NONE", "FOrdLessThan; Select; "),
        ]
        .concat()
    );
}

#[test]
fn constants_are_shared_where_the_module_has_them() {
    let module = scopes();
    let narrowed = mutate(&module, VulkanFault::DeviceScopeToWorkgroup).expect("a change");
    // No constant is new, and the shared one of the other scope stays.
    let (length, bound) = (module.len(), module[3]);
    assert_eq!((narrowed.words.len(), narrowed.words[3]), (length, bound));
    let narrowed = mutate(&module, VulkanFault::DeviceScopeToQueueFamily).expect("a change");
    let constant = 4;
    assert_eq!(
        (narrowed.words.len(), narrowed.words[3]),
        (length + constant, bound + 1)
    );
}

/// A program may give what is no valid module; the device is to say so.
#[test]
fn no_words_are_too_odd() {
    let module = vulkan();
    for at in 0..module.len() {
        let word = module[at];
        for odd in [0, u32::MAX, word ^ 1 << 16, word.wrapping_add(1)] {
            let mut module = module.clone();
            module[at] = odd;
            for row in ROWS {
                let _ = mutate(&module, row.fault);
            }
        }
    }
}
