//! Program-scope variables of several translation units: constant and global ones of every shape, some shared, some of the
//! same name in each unit, some that point into others.
//!
//! Kernels of each unit read every number of all variables that they can name, change those of global memory, and change
//! them back. Which numbers those are is counted here, by their declarations.

mod shape;

use super::builder::{CaseBuilder, args, linking};
use crate::choices::Choices;
use crate::host::OfBinary;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, Unit as Width, Want};
use crate::rule;
use classay_vocabulary::Need;
use shape::{Drawn, Element, Number, THING};
use std::fmt::Write as _;

/// A variable.
struct Variable {
    unit: usize,
    /// The address space.
    space: &'static str,
    drawn: Drawn,
    /// It is its unit's alone: others have one of its name.
    internal: bool,
    /// The unit that changes it, of global memory.
    changed_in: usize,
}

impl Variable {
    /// Whether a unit can name it.
    fn seen_in(&self, unit: usize) -> bool {
        self.unit == unit || !self.internal
    }
}

/// What an element of a variable is at the moment.
fn seen(variables: &[Variable], element: &Element, changed: bool) -> u64 {
    match element.number {
        Number::Of(ty, bits) if changed && element.may_change => ty.told(ty.changed(bits)),
        Number::Of(ty, bits) => ty.told(bits),
        Number::At(variable, n) => {
            let target = &variables[variable];
            seen(
                variables,
                &target.drawn.elements[n],
                changed && target.space == "global",
            )
        }
        Number::Is(number) => number,
    }
}

/// Units of a program, each with variables of its own.
pub(super) fn units(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("program-scope variables of each unit begin with their initializers");
    let count = choices.one_of(&[1, 2, 2, 3]);
    let global = count == 1 || choices.percent(60);
    case.need_if(global, &[Need::ProgramScopeVariables, Need::C20]);
    case.need_if(count > 1, &[Need::Linker]);
    case.case.build.through_binary = match count {
        1 => OfBinary::drawn(choices, 40),
        _ => None,
    };
    let variables = draw(choices, count, global);
    let inside: Vec<[u32; 3]> = (0..count)
        .map(|_| [(); 3].map(|()| choices.below(1 << 32) as u32))
        .collect();
    // Of each unit: what variables of functions begin with, of which each call leaves what it changed; atomic objects.
    let atomics = global && choices.percent(40);
    case.need_if(atomics, &[Need::C11Atomics]);
    let kept: Vec<[u32; 3]> = (0..count)
        .map(|_| [(); 3].map(|()| choices.below(1 << 31) as u32))
        .collect();
    let mut texts = (0..count).map(|unit| {
        let mut own = text(&variables, unit, &inside[unit]);
        if global {
            own += &inside_functions(unit, kept[unit], atomics);
            own += &changes(&variables, unit);
        }
        own
    });
    case.case.source = texts.next().unwrap_or_default();
    case.case.units = texts.collect();
    if count > 1 {
        case.case.build.linking = linking(choices);
    }
    let rules = match global {
        true => [rule::PREREQ_PROGRAM_INIT, rule::RG_PROGRAM_SCOPE],
        false => [rule::RG_CONSTANT, rule::C_UNITS],
    };
    let mut order: Vec<usize> = (0..count).collect();
    if choices.percent(50) {
        order.reverse();
    }
    let read = |case: &mut CaseBuilder, changed: bool| {
        for &unit in &order {
            let own = variables.iter().filter(|v| v.seen_in(unit));
            let mut wanted: Vec<u64> = own
                .flat_map(|v| {
                    let changed = changed && v.space == "global";
                    let elements = v.drawn.elements.iter();
                    elements.map(move |element| (element, changed))
                })
                .map(|(element, now)| match element.number {
                    // What it points to may have changed where it itself has not.
                    Number::At(..) => seen(&variables, element, changed),
                    _ => seen(&variables, element, now),
                })
                .collect();
            wanted.extend(inside[unit].map(u64::from));
            let [first, second, atomic] = kept[unit].map(u64::from);
            let out = case.object(Kind::Buffer, 8 * wanted.len(), Contents::Every(u32::MAX));
            case.launch(format!("read{unit}"), args![out], Range::line(1, 1));
            let when = if changed {
                "after kernels changed them"
            } else {
                "at the beginning"
            };
            let name = format!("variables in unit {unit} {when}");
            let want = Want::same(Width::Long, Contents::Longs(wanted));
            case.look(out, &rules, &name, want);
            if !global {
                continue;
            }
            let mut wanted = vec![first, first + CALLED, second, first + CALLED];
            wanted.extend(atomics.then_some([atomic, 0, 1]).into_iter().flatten());
            let out = case.object(Kind::Buffer, 8 * wanted.len(), Contents::Every(u32::MAX));
            case.launch(format!("inside{unit}"), args![out], Range::line(1, 1));
            let name = format!("variables of functions of unit {unit} {when}");
            let want = Want::same(Width::Long, Contents::Longs(wanted));
            case.look(out, &rules, &name, want);
        }
    };
    read(&mut case, false);
    if global {
        for &unit in &order {
            let told = case.unwritten(1);
            case.launch(format!("change{unit}"), args![told], Range::line(1, 1));
        }
        read(&mut case, true);
        // As they were, for the next run.
        for &unit in &order {
            let told = case.unwritten(1);
            case.launch(format!("restore{unit}"), args![told], Range::line(1, 1));
        }
    }
    case.case
}

/// The variables of so many units.
fn draw(choices: &mut Choices, units: usize, global: bool) -> Vec<Variable> {
    let mut all: Vec<Variable> = Vec::new();
    for unit in 0..units {
        for n in 0..choices.between(2, 5) {
            let space = match global && choices.percent(60) {
                true => "global",
                false => "constant",
            };
            let internal = choices.percent(35);
            let name = match internal {
                true => format!("own{n}"),
                false => format!("shared{unit}_{n}"),
            };
            // The elements to which it can point: single numbers of its address space that its unit can name.
            let places: Vec<(usize, usize)> = all
                .iter()
                .enumerate()
                .filter(|(_, v)| v.space == space && v.seen_in(unit))
                .flat_map(|(at, v)| {
                    let elements = v.drawn.elements.iter().enumerate();
                    elements
                        .filter(|(_, e)| e.addressed)
                        .map(move |(n, _)| (at, n))
                })
                .collect();
            let pointed = choices.percent(40).then(|| choices.pick(&places)).flatten();
            let drawn = match pointed {
                Some((variable, element)) => {
                    let target = &all[variable].drawn.elements[element];
                    shape::pointer(space, &name, (variable, element), target)
                }
                None => shape::draw(choices, space, &name),
            };
            all.push(Variable {
                unit,
                space,
                drawn,
                internal,
                changed_in: unit,
            });
        }
    }
    for variable in &mut all {
        if !variable.internal {
            variable.changed_in = choices.below(units);
        }
    }
    all
}

/// The text of a unit.
fn text(variables: &[Variable], unit: usize, inside: &[u32; 3]) -> String {
    let mut text = THING.to_owned();
    for variable in variables.iter().filter(|v| v.seen_in(unit)) {
        let (space, drawn) = (variable.space, &variable.drawn);
        let storage = match (variable.unit == unit, variable.internal) {
            (false, _) => "extern ",
            (true, true) => "static ",
            (true, false) => "",
        };
        let begin = match variable.unit == unit {
            true => drawn.begins.as_str(),
            false => "",
        };
        let _ = writeln!(text, "{storage}{space} {}{begin};", drawn.declares);
    }
    let _ = writeln!(text, "kernel void read{unit}(global ulong *out) {{");
    let [a, b, c] = inside;
    let _ = writeln!(
        text,
        "    constant uint inside[3] = {{ {a}u, {b}u, {c}u }};"
    );
    let mut n = 0;
    for variable in variables.iter().filter(|v| v.seen_in(unit)) {
        for element in &variable.drawn.elements {
            let told = match element.number {
                Number::Of(ty, _) => ty.text(&element.path),
                Number::At(at, of) => match variables[at].drawn.elements[of].number {
                    Number::Of(ty, _) => ty.text(&element.path),
                    Number::At(..) | Number::Is(_) => element.path.clone(),
                },
                Number::Is(_) => match element.target {
                    // A place that this unit cannot name is not compared.
                    Some(at) if !variables[at].seen_in(unit) => "1ul".into(),
                    _ => element.path.clone(),
                },
            };
            let _ = writeln!(text, "    out[{n}] = {told};");
            n += 1;
        }
    }
    let _ = writeln!(
        text,
        "    for (uint i = 0; i < 3u; i++) out[{n} + i] = inside[i];\n}}"
    );
    text
}

/// What a call adds to a variable of its function.
const CALLED: u64 = 5;

/// Functions with variables that are there as long as the program, one name in each, and atomic objects with their
/// initializers: a kernel reads them, and leaves them as they were.
fn inside_functions(unit: usize, [first, second, atomic]: [u32; 3], atomics: bool) -> String {
    let mut text = String::new();
    for (name, space, start) in [("first", "", first), ("second", "global ", second)] {
        let _ = writeln!(
            text,
            "static uint {name}_call{unit}(uint by) {{ static {space}uint calls = {start}u; uint before = calls; calls += by; return before; }}"
        );
    }
    if atomics {
        let _ = writeln!(
            text,
            "static global atomic_int begun{unit} = ATOMIC_VAR_INIT({atomic});\nstatic global atomic_flag flag{unit} = ATOMIC_FLAG_INIT;"
        );
    }
    let _ = writeln!(
        text,
        "kernel void inside{unit}(global ulong *out) {{\n    out[0] = first_call{unit}({CALLED});\n    out[1] = first_call{unit}(0u);\n    out[2] = second_call{unit}(1u);\n    out[3] = first_call{unit}(0u - {CALLED}u);\n    second_call{unit}(0u - 1u);"
    );
    if atomics {
        let how = "memory_order_relaxed, memory_scope_work_group";
        let _ = writeln!(
            text,
            "    out[4] = atomic_load_explicit(&begun{unit}, {how});\n    out[5] = atomic_flag_test_and_set_explicit(&flag{unit}, {how});\n    out[6] = atomic_flag_test_and_set_explicit(&flag{unit}, {how});\n    atomic_flag_clear_explicit(&flag{unit}, {how});"
        );
    }
    text += "}\n";
    text
}

/// The kernels that change the variables of global memory, and change them back.
fn changes(variables: &[Variable], unit: usize) -> String {
    let mut text = String::new();
    for (kernel, by) in [("change", "+"), ("restore", "-")] {
        let _ = writeln!(text, "kernel void {kernel}{unit}(global uint *told) {{");
        let own = variables
            .iter()
            .filter(|v| v.space == "global" && v.changed_in == unit);
        for element in own.flat_map(|v| &v.drawn.elements).filter(|e| e.may_change) {
            let _ = writeln!(text, "    {} {by}= {};", element.path, shape::CHANGE);
        }
        text += "    *told = 0;\n}\n";
    }
    text
}
