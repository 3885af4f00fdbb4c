//! Checks in C: the function `check`, which compares a run with what had to be.

use super::data::{contents, token};
use super::text::{Text, quoted};
use super::{Document, rules};
use crate::host::check::{
    CLOCK_SLACK, Cell, Check, HELD_LONG, Ids, Moment, Permutation, Right, Same, That, Want,
};
use crate::host::ids::Mark;
use crate::host::program::{HostProgram, Op};
use crate::host::range::Range;
use crate::host::token::Writer as Who;
use crate::host::value::{Place, Value};

/// The functions that checks call.
pub fn functions(checks: &[Check], c: &mut Text) {
    let wants = |of: &dyn Fn(&Want) -> bool| {
        checks.iter().any(|check| match &check.that {
            That::Bytes(_, want) => of(want),
            _ => false,
        })
    };
    if wants(&|_| true) {
        c.raw(include_str!("bytes.c"));
    }
    if wants(&|want| matches!(want, Want::Ids(_))) {
        c.raw(include_str!("ids.c"));
    }
    if wants(&|want| matches!(want, Want::SubGroups { .. })) {
        c.raw(include_str!("sub_groups.c"));
    }
}

/// Whether some look at tokens.
pub fn tokens(checks: &[Check]) -> bool {
    let cells = |check: &Check| matches!(check.that, That::Cells(..));
    checks.iter().any(cells)
}

/// Writes the function `check`.
pub fn write(document: &Document<'_>, c: &mut Text) {
    c.line("/* ---- what must be, after each run -------------------------------------------------------------- */");
    c.line("");
    c.function("static void check(void)");
    let checks = Checks {
        program: document.program,
    };
    for check in document.checks.iter().filter(|check| check.even_so) {
        checks.one(check, c);
    }
    let others: Vec<&Check> = document.checks.iter().filter(|c| !c.even_so).collect();
    if !others.is_empty() {
        c.put("if (timed_out())");
        c.put("    return;");
    }
    for check in others {
        checks.one(check, c);
    }
    c.close();
}

struct Checks<'p> {
    program: &'p HostProgram,
}

impl Checks<'_> {
    fn one(&self, check: &Check, c: &mut Text) {
        let of = rules(&check.rules);
        // A sentence without what was seen.
        let plain = |condition: String, c: &mut Text| {
            c.put(format!("if ({condition})"));
            c.call(
                "    ",
                "violation",
                &[of.clone(), "\"%s\"".into(), quoted(&check.says)],
            );
        };
        match &check.that {
            That::Code(mark, right) => {
                let code = format!("marks[{}].code", mark.0);
                let there = format!("marks[{}].made && {code} != NOT_MADE", mark.0);
                self.judged(check, &there, &code, right, c);
            }
            That::Number(answer, right) => {
                let there = format!("answers[{}].there", answer.0);
                self.judged(check, &there, &format!("number({})", answer.0), right, c);
            }
            That::Bytes(answer, want) => {
                c.open(format!("if (answers[{}].there)", answer.0));
                self.bytes(check, answer.0, want, c);
                c.close();
            }
            That::Cells(answer, cells) => {
                c.open(format!("if (answers[{}].there)", answer.0));
                for (n, cell) in cells.iter().enumerate() {
                    expect_cell(answer.0, n, cells.len(), cell, c);
                }
                c.close();
            }
            That::Fired(callbacks, registered, right) => {
                let made = |mark: Mark| format!("succeeded({})", mark.0);
                let there = registered.map_or("1".to_string(), made);
                let times: Vec<String> = callbacks
                    .iter()
                    .map(|id| format!("(int)times_fired({})", id.0))
                    .collect();
                self.judged(check, &there, &times.join(" + "), right, c);
            }
            That::FiredWith(id, right) => {
                let there = format!("times_fired({}) > 0", id.0);
                let status = format!("first_fired({}).status", id.0);
                self.judged(check, &there, &status, right, c);
            }
            That::FiredRight(id) => plain(format!("wrongly_fired({})", id.0), c),
            That::FiredInOrder(callbacks) => {
                for pair in callbacks.windows(2) {
                    let [one, two] = [pair[0], pair[1]].map(|id| stamp(Moment::Fired(id)));
                    plain(format!("later({one}, {two})"), c);
                }
            }
            That::Before(first, then) => {
                plain(format!("later({}, {})", stamp(*first), stamp(*then)), c);
            }
            That::NotAfter(first, then) => plain(format!("larger({}, {})", first.0, then.0), c),
            That::Held {
                queued,
                start,
                since,
                until,
            } => {
                let (queued, start, since) = (queued.0, start.0, since.0);
                let until = numbers(until.iter().map(|mark| mark.0));
                plain(
                    format!("started_early({queued}, {start}, {since}, {HELD_LONG}u, {until})"),
                    c,
                );
            }
            That::Within { queued, end, since } => {
                let (queued, end, since) = (queued.0, end.0, since.0);
                plain(
                    format!("took_long({queued}, {end}, {since}, {CLOCK_SLACK}u)"),
                    c,
                );
            }
            That::Growth(answers, most) => {
                let all = numbers(answers.iter().map(|id| id.0));
                plain(format!("grew({most}, {all})"), c);
            }
            That::Kernels(mark) => self.kernels(&of, *mark, c),
            That::Astray(_) => {
                c.put("if (astray)");
                let format = quoted(&check.says.replacen("{}", "%s", 1));
                c.call("    ", "violation", &[of, format, "astray".into()]);
            }
        }
    }

    /// A number that is there is right.
    fn judged(&self, check: &Check, there: &str, seen: &str, right: &Right, c: &mut Text) {
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
        c.put(format!("if ({there} && {wrong})"));
        let percent = check.says.replace('%', "%%");
        let mut arguments = vec![rules(&check.rules)];
        if check.says.contains("{}") {
            arguments.push(quoted(&percent.replacen("{}", "%lld", 1)));
            arguments.push(format!("(long long)({seen})"));
        } else {
            arguments.push("\"%s\"".into());
            arguments.push(quoted(&check.says));
        }
        c.call("    ", "violation", &arguments);
    }

    fn kernels(&self, of: &str, mark: Mark, c: &mut Text) {
        let mut found = None;
        self.program.steps(&mut |step| {
            if let (Op::Kernels { program, asked }, Some(own)) = (&step.op, step.mark)
                && own == mark
            {
                found = Some((*program, asked));
            }
        });
        let Some((program, asked)) = found else {
            return;
        };
        let Some(program) = self.program.slots.get(program.index()) else {
            return;
        };
        c.put(format!("if (marks[{}].made)", mark.0));
        c.put(format!(
            "    expect_kernels({of}, {}, {});",
            program.name,
            quoted(asked)
        ));
    }

    fn bytes(&self, check: &Check, answer: u16, want: &Want, c: &mut Text) {
        let (of, name) = (rules(&check.rules), quoted(&check.says));
        let (seen, length) = (
            format!("answers[{answer}].bytes"),
            format!("answers[{answer}].length"),
        );
        match want {
            Want::Same(Same {
                unit,
                contents: wanted,
                racy,
            }) => {
                let bytes = self.length(answer);
                c.put(format!("unsigned char *wanted = room({length});"));
                contents("wanted", bytes, wanted, c);
                let unit = unit.bytes().to_string();
                let racy = u8::from(*racy).to_string();
                let arguments = [of, name, unit, "wanted".into(), seen, length, racy];
                c.call("", "expect_same", &arguments);
                c.put("free(wanted);");
            }
            Want::Permutation(Permutation {
                unit,
                count,
                first,
                step,
            }) => {
                let arguments = [
                    of,
                    name,
                    unit.bytes().to_string(),
                    seen,
                    count.to_string(),
                    format!("{first}u"),
                    format!("{step}u"),
                ];
                c.call("", "expect_permutation", &arguments);
            }
            Want::Ids(Ids {
                range,
                uniform,
                times,
            }) => {
                space(range, *uniform, *times, c);
                c.put(format!("expect_ids({seen}, {length}, space);"));
            }
            Want::Halves { unit } => {
                let unit = unit.bytes();
                c.put(format!("size_t half = {length} / 2 / {unit} * {unit};"));
                let arguments = [
                    of,
                    name,
                    unit.to_string(),
                    seen.clone(),
                    format!("{seen} + half"),
                    "half".into(),
                    "0".into(),
                ];
                c.call("", "expect_same", &arguments);
            }
            Want::Pointers(list) => {
                for (at, to) in list {
                    let (address, goal) = match to {
                        None => ("NULL".to_string(), "nowhere".to_string()),
                        Some(to) => (
                            self.place(*to),
                            format!("to byte {} of object {}", to.byte, to.object.0),
                        ),
                    };
                    let at = at.to_string();
                    let arguments = [
                        of.clone(),
                        name.clone(),
                        seen.clone(),
                        at,
                        address,
                        quoted(&goal),
                    ];
                    c.call("", "expect_pointer", &arguments);
                }
            }
            Want::SubGroups { answers, groups } => {
                let list: Vec<String> = groups.iter().map(|n| format!("{n}u")).collect();
                let asked = [
                    answers.size,
                    answers.count,
                    answers.local,
                    answers.length,
                    answers.again,
                ];
                let asked: Vec<String> = asked.iter().map(|id| id.0.to_string()).collect();
                let arguments = [
                    of,
                    name,
                    seen,
                    format!("(const cl_uint[]){{ {} }}", list.join(", ")),
                    groups.len().to_string(),
                    format!("sub_groups_of({})", asked.join(", ")),
                ];
                c.call("", "expect_sub_groups", &arguments);
            }
        }
    }

    fn place(&self, at: Place) -> String {
        let info = self.program.slots.get(at.object.index());
        let name = info.map_or("NULL", |info| info.name.as_str());
        format!("{name} + {}", at.byte)
    }

    /// The bytes of an answer.
    fn length(&self, answer: u16) -> usize {
        let mut length = 0;
        self.program.steps(&mut |step| match &step.op {
            Op::Read {
                stretches, into, ..
            } if into.0 == answer => length = stretches.count * stretches.bytes,
            Op::Call(call) => call.arguments.iter().for_each(|argument| {
                argument.each(&mut |value| match value {
                    Value::Answer(id, bytes) if id.0 == answer => length = *bytes,
                    _ => {}
                });
            }),
            _ => {}
        });
        length
    }
}

/// A list of numbers, and how many there are.
fn numbers(all: impl Iterator<Item = u16>) -> String {
    let all: Vec<String> = all.map(|n| n.to_string()).collect();
    format!("(const unsigned[]){{ {} }}, {}", all.join(", "), all.len())
}

fn expect_cell(answer: u16, n: usize, of: usize, cell: &Cell, c: &mut Text) {
    let known = |found: Option<(Who, u8)>| found.map_or("0".into(), |(who, n)| token(who, n));
    let wanted = match cell.wanted {
        Some((who, n)) => token(who, n),
        None => "ANYTHING".into(),
    };
    c.put(format!(
        "expect_cell({}, {answer}, {n}, {of}, {wanted},",
        quoted(&cell.reader)
    ));
    c.put("            (const struct instead[]){");
    for instead in &cell.instead {
        c.put(format!(
            "                {{ {}, {}, {} }},",
            known(instead.found),
            rules(&instead.rules),
            rules(&instead.torn)
        ));
    }
    let (whole, torn) = (rules(&cell.otherwise.0), rules(&cell.otherwise.1));
    c.put(format!("                {{ ANYTHING, {whole}, {torn} }},"));
    c.put("            });");
}

/// When something was, 0 where it was not.
fn stamp(moment: Moment) -> String {
    match moment {
        Moment::Began(mark) => format!("marks[{}].began", mark.0),
        Moment::Ended(mark) => format!("marks[{}].ended", mark.0),
        Moment::Fired(id) => format!("first_fired({}).stamp", id.0),
    }
}

fn space(range: &Range, uniform: bool, times: u32, c: &mut Text) {
    let three = |list: [u64; 3]| format!("{{ {}u, {}u, {}u }}", list[0], list[1], list[2]);
    let remainder = range
        .local
        .as_ref()
        .is_some_and(|local| range.global.iter().zip(local).any(|(g, s)| g % s != 0));
    let offset = range
        .offset
        .as_ref()
        .is_some_and(|o| o.iter().any(|f| *f != 0));
    let local = range.local.as_deref().unwrap_or_default();
    c.put("const struct space space = {");
    c.put(format!(
        "    {}, {}, {}, {}, {},",
        range.global.len(),
        u8::from(range.local.is_some()),
        u8::from(uniform),
        u8::from(remainder),
        u8::from(offset)
    ));
    c.put(format!(
        "    {}, {}, {}, {times}",
        three(Range::three(&range.global, 1)),
        three(Range::three(range.offset.as_deref().unwrap_or_default(), 0)),
        three(Range::three(local, 1))
    ));
    c.put("};");
}
