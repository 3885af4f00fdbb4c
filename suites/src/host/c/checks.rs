//! Checks in C: the function `check`, which compares a run with what had to be.

use super::data::{contents, token, unsigned};
use super::text::{Text, quoted};
use super::{Document, rules};
use crate::host::check::{
    Bounds, CLOCK_SLACK, Cell, Check, Contains, HELD_LONG, Ids, Moment, Permutation, Printed,
    Right, Same, SubGroupAnswers, That, Want, Wanted, Within, right_numbers,
};
use crate::host::ids::{AnswerId, Mark};
use crate::host::program::{HostProgram, Op};
use crate::host::range::Range;
use crate::host::token::Writer as Who;
use crate::host::value::{Place, Value};
use crate::rule::RuleId;

/// The functions that checks call.
pub fn functions(checks: &[Check], c: &mut Text) {
    let wants = |of: &dyn Fn(&Want) -> bool| {
        let mut all = checks.iter();
        all.any(|check| matches!(&check.that, That::Bytes(_, want) if of(want)))
    };
    if wants(&|_| true) {
        c.raw(include_str!("bytes.c"));
    }
    if wants(&|want| matches!(want, Want::Ids(_))) {
        c.raw(include_str!("ids.c"));
    }
    if wants(&|want| matches!(want, Want::Printed(_))) {
        c.raw(include_str!("printed.c"));
    }
    if wants(&|want| matches!(want, Want::SubGroups { .. })) {
        c.raw(include_str!("sub_groups.c"));
    }
}

/// Writes the function `check`.
pub fn write(document: &Document<'_>, c: &mut Text) {
    c.line("/* ---- what must be, after each run -------------------------------------------------------------- */");
    c.line("");
    c.function("static void check(void)");
    let (always, others): (Vec<_>, Vec<_>) =
        document.checks.iter().partition(|check| check.even_so);
    for check in always {
        one(document.program, check, c);
    }
    if !others.is_empty() {
        c.when("timed_out()", "return;");
    }
    for check in others {
        one(document.program, check, c);
    }
    c.close();
}

/// A check, where the commands that it is about are complete.
fn one(program: &HostProgram, check: &Check, c: &mut Text) {
    let complete = |status: &AnswerId| format!("answers[{status}].there && number({status}) == 0");
    let complete: Vec<String> = check.complete.iter().map(complete).collect();
    if complete.is_empty() {
        return unconditional(program, check, c);
    }
    c.open(format!("if ({})", complete.join(" && ")));
    unconditional(program, check, c);
    c.close();
}

fn unconditional(program: &HostProgram, check: &Check, c: &mut Text) {
    let plain = |condition: String, c: &mut Text| violation(check, &condition, None, c);
    match &check.that {
        That::Code(mark, right) => {
            let code = format!("marks[{mark}].code");
            let there = format!("marks[{mark}].made && {code} != NOT_MADE");
            judged(check, &there, &code, right, c);
        }
        That::Number(answer, right) => {
            let there = format!("answers[{answer}].there");
            judged(check, &there, &format!("number({answer})"), right, c);
        }
        That::Bytes(answer, want) => {
            c.open(format!("if (answers[{answer}].there)"));
            bytes(program, check, *answer, want, c);
            c.close();
        }
        That::Cells(answer, cells) => {
            c.open(format!("if (answers[{answer}].there)"));
            for (n, cell) in cells.iter().enumerate() {
                expect_cell(*answer, n, cells.len(), cell, c);
            }
            c.close();
        }
        That::Fired(callbacks, registered, right) => {
            let made = |mark: Mark| format!("succeeded({mark})");
            let there = registered.map_or("1".to_string(), made);
            let times = callbacks.iter().map(|id| format!("(int)times_fired({id})"));
            let times: Vec<String> = times.collect();
            judged(check, &there, &times.join(" + "), right, c);
        }
        That::FiredWith(id, right) => {
            let there = format!("times_fired({id}) > 0");
            judged(
                check,
                &there,
                &format!("first_fired({id}).status"),
                right,
                c,
            );
        }
        That::FiredRight(id) => plain(format!("wrongly_fired({id})"), c),
        That::FiredInOrder(callbacks) => {
            for pair in callbacks.windows(2) {
                let [one, two] = [pair[0], pair[1]].map(|id| stamp(Moment::Fired(id)));
                plain(format!("later({one}, {two})"), c);
            }
        }
        That::Before(first, then) => {
            let later = format!("later({}, {})", stamp(*first), stamp(*then));
            // What is not made after a failure follows from it.
            plain(
                match program.may_lose_contexts() {
                    true => format!("!left_undone() && {later}"),
                    false => later,
                },
                c,
            );
        }
        That::NotAfter(first, then) => plain(format!("larger({first}, {then})"), c),
        That::Contained(one, other) => plain(format!("strays({one}, {other})"), c),
        That::Held {
            queued,
            start,
            since,
            until,
            resolution,
        } => {
            let until = numbers(until);
            let arguments =
                format!("{queued}, {start}, {since}, {HELD_LONG}u, {resolution}, {until}");
            plain(format!("started_early({arguments})"), c);
        }
        That::Within { queued, end, since } => {
            let arguments = format!("{queued}, {end}, {since}, {CLOCK_SLACK}u");
            plain(format!("took_long({arguments})"), c);
        }
        That::Growth(answers, most) => plain(format!("grew({most}, {})", numbers(answers)), c),
        That::Kernels(mark) => kernels(program, check, *mark, c),
        That::Astray(_) => violation(check, "astray", Some(["%s", "astray"]), c),
    }
}

/// A violation where a condition holds, in the check's sentence: with what was seen, which is printed so, or without.
fn violation(check: &Check, condition: &str, seen: Option<[&str; 2]>, c: &mut Text) {
    c.put(format!("if ({condition})"));
    let of = rules(&check.rules);
    match seen.filter(|_| check.says.contains("{}")) {
        Some([kind, seen]) => {
            let format = check.says.replace('%', "%%").replacen("{}", kind, 1);
            c.call("    violation", &[&of, &quoted(&format), &seen]);
        }
        None => c.call("    violation", &[&of, &"\"%s\"", &quoted(&check.says)]),
    }
}

/// A number that is there is right.
fn judged(check: &Check, there: &str, seen: &str, right: &Right, c: &mut Text) {
    let differs = |all: &[i64]| {
        let each: Vec<String> = all.iter().map(|n| format!("{seen} != {n}")).collect();
        each.join(" && ")
    };
    let wrong = match right {
        Right::Among(all) if all.is_empty() => "1".into(),
        Right::Among(all) => differs(all),
        Right::AmongOrNegative(all) if all.is_empty() => format!("{seen} >= 0"),
        Right::AmongOrNegative(all) => format!("{seen} >= 0 && {}", differs(all)),
        Right::Not(n) => format!("{seen} == {n}"),
        Right::Between(i64::MIN, most) => format!("{seen} > {most}"),
        Right::Between(least, i64::MAX) => format!("{seen} < {least}"),
        Right::Between(least, most) if least == most => format!("{seen} != {least}"),
        Right::Between(least, most) => format!("({seen} < {least} || {seen} > {most})"),
    };
    let printed = format!("(long long)({seen})");
    violation(
        check,
        &format!("{there} && {wrong}"),
        Some(["%lld", &printed]),
        c,
    );
}

fn kernels(program: &HostProgram, check: &Check, mark: Mark, c: &mut Text) {
    program.steps(&mut |step| {
        if let (Op::Kernels { program: of, asked }, Some(own)) = (&step.op, step.mark)
            && own == mark
        {
            let name = program
                .slots
                .get(of.index())
                .map_or("NULL", |info| &info.name);
            c.put(format!("if (marks[{mark}].made)"));
            let (of, asked) = (rules(&check.rules), quoted(asked));
            c.put(format!("    expect_kernels({of}, {name}, {asked});"));
        }
    });
}

/// The bytes of an answer that is there.
fn bytes(program: &HostProgram, check: &Check, answer: AnswerId, want: &Want, c: &mut Text) {
    let (of, name) = (&rules(&check.rules), &quoted(&check.says));
    let seen = &format!("answers[{answer}].bytes");
    let length = &format!("answers[{answer}].length");
    match want {
        Want::Same(Same {
            unit,
            contents: wanted,
            racy,
            columns,
        }) => {
            let quoted: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
            let (columns, count) = match quoted.is_empty() {
                true => ("NULL", 0),
                false => {
                    c.put("static const char *const columns[] = {");
                    quoted
                        .iter()
                        .for_each(|column| c.put(format!("    {column},")));
                    c.put("};");
                    ("columns", quoted.len())
                }
            };
            c.put(format!("unsigned char *wanted = room({length});"));
            contents("wanted", room_for(program, answer), wanted, c);
            let (unit, racy) = (&unit.bytes(), &u8::from(*racy));
            c.call(
                "expect_same",
                &[
                    of, name, unit, &"wanted", seen, length, racy, &columns, &count,
                ],
            );
            c.put("free(wanted);");
        }
        Want::Permutation(Permutation {
            unit,
            count,
            first,
            step,
        }) => {
            let [first, step] = [first, step].map(|n| format!("{n}u"));
            let unit = &unit.bytes();
            c.call(
                "expect_permutation",
                &[of, name, unit, seen, count, &first, &step],
            );
        }
        Want::Ids(ids) => {
            space(ids, c);
            c.put(format!("expect_ids({seen}, {length}, space);"));
        }
        Want::Halves { unit } => {
            let unit = unit.bytes();
            c.put(format!("size_t half = {length} / 2 / {unit} * {unit};"));
            let second = &format!("{seen} + half");
            c.call(
                "expect_same",
                &[of, name, &unit, seen, second, &"half", &"0", &"NULL", &"0"],
            );
        }
        Want::Pointers(list) => {
            for (at, to) in list {
                let (address, goal) = match to {
                    None => ("NULL".to_string(), "nowhere".to_string()),
                    Some(Place { object, byte }) => {
                        let info = program.slots.get(object.index());
                        let name = info.map_or("NULL", |info| info.name.as_str());
                        let goal = format!("to byte {byte} of object {}", object.0);
                        (format!("{name} + {byte}"), goal)
                    }
                };
                c.call(
                    "expect_pointer",
                    &[of, name, seen, at, &address, &quoted(&goal)],
                );
            }
        }
        Want::Contains(Contains { unit, values }) => {
            let bytes = unit.bytes();
            for value in values {
                let arguments = format!("{of}, {name}, {bytes}, {seen}, {length}, {value}u");
                c.put(format!("expect_contained({arguments});"));
            }
        }
        Want::Within(Within { bytes, numbers }) => {
            c.put("static const struct bounds wanted[] = {");
            for Wanted { of, right } in numbers {
                let said = quoted(&right_numbers(*bytes, *right));
                let Bounds {
                    low,
                    high,
                    zero,
                    nan,
                } = *right;
                let [zero, nan] = [zero, nan].map(u8::from);
                // The least of all has no literal.
                let low = low.max(i64::MIN + 1);
                let row = format!("{}, {said}, {low}ll, {high}ll, {zero}, {nan}", quoted(of));
                c.put(format!("    {{ {row} }},"));
            }
            c.put("};");
            let count = &numbers.len();
            c.call("expect_within", &[of, name, bytes, seen, &"wanted", count]);
        }
        Want::Printed(Printed { lines, in_order }) => {
            c.put("static const char *const lines[] = {");
            let each = lines.iter().map(|line| format!("    {},", quoted(line)));
            each.for_each(|line| c.put(line));
            c.put("};");
            c.call(
                "expect_printed",
                &[
                    of,
                    name,
                    seen,
                    length,
                    &"lines",
                    &lines.len(),
                    &u8::from(*in_order),
                ],
            );
        }
        Want::SubGroups { answers, groups } => {
            let list = unsigned(groups).join(", ");
            let list = format!("(const cl_uint[]){{ {list} }}");
            let SubGroupAnswers {
                size,
                count,
                local,
                length,
                again,
            } = answers;
            let asked = format!("sub_groups_of({size}, {count}, {local}, {length}, {again})");
            c.call(
                "expect_sub_groups",
                &[of, name, seen, &list, &groups.len(), &asked],
            );
        }
    }
}

/// The bytes of an answer.
fn room_for(program: &HostProgram, answer: AnswerId) -> usize {
    let mut length = 0;
    program.steps(&mut |step| match &step.op {
        Op::Read {
            stretches, into, ..
        } if *into == answer => length = stretches.count * stretches.bytes,
        Op::Call(call) => call.each(&mut |value| match value {
            Value::Answer(id, bytes) if *id == answer => length = *bytes,
            _ => {}
        }),
        _ => {}
    });
    length
}

/// A list of numbers, and how many there are.
fn numbers(all: &[impl ToString]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    format!("(const unsigned[]){{ {} }}, {}", all.join(", "), all.len())
}

fn expect_cell(answer: AnswerId, n: usize, of: usize, cell: &Cell, c: &mut Text) {
    let known = |found: Option<(Who, u8)>| found.map_or("0".into(), |(who, n)| token(who, n));
    let wanted = cell
        .wanted
        .map_or("ANYTHING".into(), |(who, n)| token(who, n));
    let reader = quoted(&cell.reader);
    c.put(format!(
        "expect_cell({reader}, {answer}, {n}, {of}, {wanted},"
    ));
    c.put("            (const struct instead[]){");
    let mut instead = |found: String, whole: &[RuleId], torn: &[RuleId]| {
        let (whole, torn) = (rules(whole), rules(torn));
        c.put(format!("                {{ {found}, {whole}, {torn} }},"));
    };
    for one in &cell.instead {
        instead(known(one.found), &one.rules, &one.torn);
    }
    instead("ANYTHING".into(), &cell.otherwise.0, &cell.otherwise.1);
    c.put("            });");
}

/// When something was, 0 where it was not.
fn stamp(moment: Moment) -> String {
    match moment {
        Moment::Began(mark) => format!("marks[{mark}].began"),
        Moment::Ended(mark) => format!("marks[{mark}].ended"),
        Moment::Fired(id) => format!("first_fired({id}).stamp"),
    }
}

/// The index space whose ids are expected.
fn space(ids: &Ids, c: &mut Text) {
    let three = |list: &[u64], missing: u64| {
        let [x, y, z] = Range::three(list, missing);
        format!("{{ {x}u, {y}u, {z}u }}")
    };
    let (range, times) = (&ids.range, ids.times);
    let offset = range.offset.as_deref().unwrap_or_default();
    let local = range.local.as_deref().unwrap_or_default();
    let remainder = range.global.iter().zip(local).any(|(g, s)| g % s != 0);
    let moved = offset.iter().any(|first| *first != 0);
    let flags = [range.local.is_some(), ids.uniform, remainder, moved];
    let [given, uniform, remainder, moved] = flags.map(u8::from);
    let dimensions = range.global.len();
    c.put("const struct space space = {");
    c.put(format!(
        "    {dimensions}, {given}, {uniform}, {remainder}, {moved},"
    ));
    let (global, offset, local) = (three(&range.global, 1), three(offset, 0), three(local, 1));
    c.put(format!("    {global}, {offset}, {local}, {times}"));
    c.put("};");
}
