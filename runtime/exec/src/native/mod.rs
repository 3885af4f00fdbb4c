//! Kernels as machine code, made with Cranelift.
//!
//! A kernel's [bytecode](crate::interp::code) is translated to one function with the contract of
//! the [stepper](crate::interp::step), which it replaces where it can: on x86-64 under Linux, over the
//! machine's own memory. All else is the same for both: groups, turns, barriers, windows of the bounds
//! checker, traps and their places. Both count the same steps, so that a launch with a seed has the
//! same turns either way.
//!
//! An item may be handed over whenever it stops. Compiled code takes items up at its entries
//! (where a kernel and its loops begin, after barriers, and now and then on the way), and leaves
//! them to the stepper when the steps of a turn end before the next block does. The stepper
//! goes on from any place; to reach the next entry it runs the *bridge*, which is the
//! bytecode with an instruction at each entry that stops it.
//!
//! # Speed
//!
//! From one run of the example `speed` on an x86-64 machine that others used, too: millions of operations of the
//! IR in a second of processor time, and how much more of it the bounds checker takes, for accesses whose
//! object is known.
//!
//! | kernel | interpreter | checker | machine code | checker | ratio |
//! | --- | --- | --- | --- | --- | --- |
//! | arithmetic, 1 item | 388 | - | 10,235 | 0 % | 26.4 |
//! | load and store, 1 item | 1,171 | - | 9,469 | 67 % | 8.1 |
//! | sum of products, 1 item | 1,025 | - | 8,559 | 47 % | 8.3 |
//! | store buffering, 1 item | 948 | - | 7,302 | 77 % | 7.7 |
//! | atomic addition, 1 item | 772 | - | 1,907 | 0 % | 2.5 |
//! | load and store, 64 items interleaved finely | 1,018 | - | 4,844 | 22 % | 4.8 |
//! | barrier and nothing else, 64 items interleaved finely | 159 | - | 113 | 0 % | 0.7 |
//! | one addition an item | 130 | - | 2,303 | 27 % | 17.7 |
//!
//! Of the interpreter that run shows no cost of the checker, only noise.
//!
//! To compile takes 0.4 ms for 23 operations, 3.6 ms for 403, 47 ms for 4003. Where items are interleaved finely
//! and are short or meet at barriers often, what is left of the time is turns: each takes some 15 ns, and one whose
//! steps end within a loop goes through the stepper to the loop's next round. Where each runs up to the next
//! barrier, the code goes from one to the next in a few nanoseconds, or runs sixteen at once ([`vector`]). The table in
//! `runtime/README.md` says what that gives beside other implementations. A kernel is compiled with vectors only where a
//! launch can use them: to compile it takes three times as long then (1.5, 11 and 156 ms, against 0.4, 3.6 and 52 in the
//! run before).
//!
//! | module | subject |
//! | --- | --- |
//! | [`flow`] | blocks, steps, entries |
//! | [`operands`] | the slots that instructions read and write, and which are needed where |
//! | [`kinds`] | the types of slots |
//! | [`values`] | the values of slots while a block is translated |
//! | [`translate`], [`leave`] | blocks and entries, exits |
//! | [`items`] | from one item to the next |
//! | [`vector`] | several items at once |
//! | [`arith`], [`numbers`], [`access`] | instructions that compute, conversions and functions, those that touch memory |
//! | [`helpers`] | what compiled code calls |
//! | [`context`] | what it shares with the rest |
//! | [`machine`] | memory with code, how it is entered, refused accesses |
//! | [`runner`] | runs items of a thread's groups |

mod access;
mod arith;
mod context;
mod flow;
mod helpers;
mod items;
mod kinds;
mod leave;
pub(crate) mod machine;
mod numbers;
mod operands;
mod runner;
mod translate;
mod values;
mod vector;

pub(crate) use machine::Running;
pub(crate) use runner::{Rest, Run, Runner};

use crate::interp::code::{Ins, Kernel, Pc};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use flow::Flow;
use machine::Code;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use vector::{Exit, MASKED_PLACE, Refusal, Shapes, VECTOR_PLACE};

/// Instructions of a kernel's bytecode beyond which it is not compiled: the time that
/// takes grows faster than the code.
const LONGEST: usize = 1 << 16;

/// Slots that are loaded and stored at all entries and exits of a kernel, beyond which it is not
/// compiled, for the same reason.
const WIDEST: usize = 1 << 19;

/// Code that runs items at once would be longer than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A kernel as machine code.
#[derive(Debug)]
pub(crate) struct Native {
    code: Code,
    /// By instruction: the number of the entry, or 0.
    entries: Vec<u32>,
    /// By number of the entry from 1 on: the instruction.
    doors: Vec<Pc>,
    /// The bytecode with an instruction at each entry that stops the stepper.
    bridge: Vec<Ins>,
    /// Where the machine code of instructions begins, ascending.
    places: Vec<(u32, Pc)>,
    /// Where vector code is left, by number.
    exits: Vec<Exit>,
    /// How vectors are taken up at an entry, by its number from 1 on, where the kernel has vectors.
    vectors: Option<Vec<Exit>>,
    /// By place behind a collective function: the exit that says how what vectors wait with is stored.
    meets: BTreeMap<Pc, usize>,
    /// By instruction of vector code: for which lane an access of it is refused; where it is not named, for the
    /// first one.
    refusals: BTreeMap<Pc, Refusal>,
}

/// For how many items machine code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One.
    Scalar,
    /// All of a vector.
    Vector,
    /// Those of a vector that have come to a block of a region.
    Masked,
}

/// The processor, as Cranelift compiles for it; None if it cannot.
static TARGET: LazyLock<Option<OwnedTargetIsa>> = LazyLock::new(target);

fn target() -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        (
            "enable_verifier",
            if cfg!(debug_assertions) {
                "true"
            } else {
                "false"
            },
        ),
        ("preserve_frame_pointers", "true"),
        ("unwind_info", "false"),
        ("enable_probestack", "false"),
    ] {
        flags.set(name, value).ok()?;
    }
    let mut isa = isa::lookup_by_name("x86_64-unknown-linux-gnu").ok()?;
    macro_rules! features {
        ($($feature:tt $flag:literal,)*) => {$(
            if std::is_x86_feature_detected!($feature) {
                isa.enable($flag).ok()?;
            }
        )*};
    }
    features! {
        "sse3" "has_sse3", "ssse3" "has_ssse3", "sse4.1" "has_sse41", "sse4.2" "has_sse42",
        "popcnt" "has_popcnt", "avx" "has_avx", "avx2" "has_avx2", "fma" "has_fma",
        "bmi1" "has_bmi1", "bmi2" "has_bmi2", "lzcnt" "has_lzcnt",
    }
    isa.finish(settings::Flags::new(flags)).ok()
}

impl Native {
    /// Compiles a kernel, with the bounds checker or without; where `most` is given, as code that runs several items at
    /// once, of so many instructions of the compiler's at most. None where that is not possible.
    ///
    /// # Errors
    /// [`TooLong`] if there would be more.
    pub(crate) fn compile(
        kernel: &Kernel,
        checked: bool,
        most: Option<usize>,
    ) -> Result<Option<Native>, TooLong> {
        if kernel.code.is_empty() || kernel.code.len() > LONGEST {
            return Ok(None);
        }
        let Some(isa) = TARGET.as_ref() else {
            return Ok(None);
        };
        let mut flow = Flow::new(kernel);
        let shapes = match most {
            Some(_) if vector::can() => Shapes::of(kernel, &flow),
            _ => None,
        };
        if most.is_some() && shapes.is_none() {
            return Ok(None);
        }
        if let Some(shapes) = &shapes {
            shapes.mark_entries(kernel, &mut flow);
        }
        let needed = operands::needed(kernel, &flow);
        let exits = flow.blocks.iter().zip(&needed);
        if exits.map(|(_, slots)| slots.iter().count()).sum::<usize>() > WIDEST {
            return Ok(None);
        }
        let with = (checked, shapes.as_ref(), most.unwrap_or(usize::MAX));
        let Some(made) = translate::translate(kernel, &flow, &needed, with, isa.frontend_config())
        else {
            return Err(TooLong);
        };
        let mut context = Context::for_function(made.function);
        let compiled = match context.compile(&**isa, &mut ControlPlane::default()) {
            Ok(compiled) => compiled,
            Err(error) => {
                debug_assert!(false, "{}: {:?}", kernel.name, error.inner);
                return Ok(None);
            }
        };
        debug_assert!(
            compiled.buffer.relocs().is_empty(),
            "the code needs nothing of others"
        );
        if !compiled.buffer.relocs().is_empty() {
            return Ok(None);
        }
        let mut faults: Vec<u32> = compiled
            .buffer
            .traps()
            .iter()
            .map(|trap| trap.offset)
            .collect();
        faults.sort_unstable();
        faults.dedup();
        let places = compiled.buffer.get_srclocs_sorted().iter();
        let places = places.filter(|place| !place.loc.is_default());
        let places = places
            .map(|place| (place.start, place.loc.bits()))
            .collect();
        let mut entries = vec![0; kernel.code.len()];
        let mut doors = Vec::new();
        let mut bridge = kernel.code.clone();
        for (block, number) in flow.blocks.iter().filter(|block| block.entry).zip(1..) {
            entries[block.first as usize] = number;
            doors.push(block.first);
            bridge[block.first as usize] = Ins::Compiled;
        }
        let code = Code::new(compiled.code_buffer(), faults.into());
        Ok(code.map(|code| Native {
            code,
            entries,
            doors,
            bridge,
            places,
            exits: made.exits,
            vectors: shapes.is_some().then_some(made.entries),
            meets: made.meets,
            refusals: made.refusals,
        }))
    }

    /// Whether it runs several items at once.
    pub(crate) fn is_at_once(&self) -> bool {
        self.vectors.is_some()
    }

    /// How vectors are taken up at an entry that has a number.
    fn vector_entry(&self, number: u32) -> &Exit {
        match &self.vectors {
            Some(vectors) => &vectors[number as usize - 1],
            None => unreachable!("the kernel has vectors"),
        }
    }

    /// How the slots of vectors are stored that stopped before a place; whether they wait for what a
    /// collective function gives.
    fn vector_stop(&self, (stop, meets): (u64, bool)) -> &Exit {
        match self.meets.get(&(stop as Pc)) {
            Some(&exit) if meets => &self.exits[exit],
            _ => self.vector_entry(self.entries[stop as usize]),
        }
    }

    /// The instruction whose machine code is at an offset, and what kind of code that is.
    fn place(&self, offset: u64) -> (Pc, Kind) {
        let n = self
            .places
            .partition_point(|&(start, _)| u64::from(start) <= offset);
        let place = self.places[..n].last().map_or(0, |&(_, place)| place);
        let kind = match (place & VECTOR_PLACE != 0, place & MASKED_PLACE != 0) {
            (false, _) => Kind::Scalar,
            (true, false) => Kind::Vector,
            (true, true) => Kind::Masked,
        };
        (place & !(VECTOR_PLACE | MASKED_PLACE), kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Executable;
    use touchstone_ir::{
        AddressSpace, ArgPass, Const, FunctionBuilder, KernelArg, KernelInfo, MemScope, Module,
        Order, Query, Type, TypeQualifiers,
    };

    /// Nothing falls back to the stepper unseen: on this system a kernel is compiled. Each access is one
    /// instruction, in the order of the program, whose place is known.
    #[test]
    fn kernels_become_machine_code() {
        let mut b = FunctionBuilder::new("k", &[], None);
        b.function_mut().kernel = Some(KernelInfo::default());
        let null = b.bitcast(Const::i64(0), Type::Pointer(AddressSpace::Global));
        // What an optimizer would like to join or to drop.
        let x = b.load(Type::I32, null);
        b.load(Type::I32, null);
        b.store(null, x);
        b.store(null, Const::i32(1));
        b.store(null, Const::i32(1));
        let x = b.load(Type::I32, null);
        b.store(null, x);
        b.atomic_store(null, Const::i32(2), Order::Relaxed, MemScope::Device);
        b.atomic_load(Type::I32, null, Order::Relaxed, MemScope::Device);
        b.ret(None);
        let mut m = Module::new();
        m.add_function(b.finish());
        let exe = Executable::prepare(m).unwrap_or_else(|e| panic!("{e}"));
        let kernel = &exe.kernels_compiled()[0];
        for checked in [true, false] {
            let native = Native::compile(kernel, checked, None);
            let native = native.expect("it is short").expect("it can be had");
            assert_eq!(native.bridge.len(), kernel.code.len());
            let accesses: Vec<_> = native
                .code
                .faults()
                .iter()
                .map(|&at| native.place(at.into()))
                .filter(|&(_, kind)| kind == Kind::Scalar)
                .map(|(pc, _)| pc)
                .collect();
            let accesses: Vec<_> = accesses
                .iter()
                .map(|&pc| &kernel.code[pc as usize])
                .collect();
            assert!(
                matches!(
                    accesses[..],
                    [
                        Ins::Load32 { .. },
                        Ins::Load32 { .. },
                        Ins::Store32 { .. },
                        Ins::Store32 { .. },
                        Ins::Store32 { .. },
                        Ins::Load32 { .. },
                        Ins::Store32 { .. },
                        Ins::AtomicStore32 { .. },
                        Ins::AtomicLoad32 { .. },
                    ]
                ),
                "{accesses:?}"
            );
        }
    }
    /// Nothing is left to scalar code unseen, either: words that lie one behind the other are four accesses for sixteen items,
    /// of 64 bits eight, and what is the same for all is one.
    #[test]
    fn items_run_at_once() {
        let mut b = FunctionBuilder::new("k", &[Type::Pointer(AddressSpace::Global)], None);
        b.function_mut().kernel = Some(KernelInfo {
            args: vec![KernelArg {
                name: "p".into(),
                type_name: "int*".into(),
                qualifiers: TypeQualifiers::default(),
                pass: ArgPass::Pointer(AddressSpace::Global),
            }],
            ..KernelInfo::default()
        });
        let id = b.query(Query::GlobalId, Const::i32(0));
        let same = b.load(Type::I32, b.param(0));
        let p = b.ptr_add(b.param(0), id, 4, 8);
        b.store(p, same);
        let p = b.ptr_add(b.param(0), id, 8, 0);
        b.store(p, id);
        b.ret(None);
        let mut m = Module::new();
        m.add_function(b.finish());
        let exe = Executable::prepare(m).unwrap_or_else(|e| panic!("{e}"));
        for checked in [true, false] {
            let native = Native::compile(&exe.kernels_compiled()[0], checked, Some(usize::MAX));
            let native = native.expect("it is short").expect("it can be had");
            let faults = native.code.faults().iter();
            let places = faults.map(|&at| native.place(at.into()));
            let vector: Vec<Pc> = places
                .filter(|place| place.1 == Kind::Vector)
                .map(|place| place.0)
                .collect();
            let mut counts = std::collections::BTreeMap::new();
            for &pc in &vector {
                *counts.entry(pc).or_insert(0) += 1;
            }
            let counts: Vec<i32> = counts.into_values().collect();
            assert_eq!(counts, [1, 4, 8], "{vector:?}");
        }
    }
}
