//! Statements and calls (C99 6.8, 6.5.2.2).

use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};

/// A loop of labels and jumps, and a jump over statements.
pub(super) fn labels(choices: &mut Choices, n: usize) -> Piece {
    let (turns, step) = (choices.between(1, 9) as i32, choices.between(2, 30) as i32);
    let (turns0, step0) = (given(n, 0), given(n, 1));
    Piece::about("labels and goto")
        .given(n, &[turns, step])
        .inside(format!("int i{n} = 0, sum{n} = 0, over{n} = 1;"))
        .inside(format!("again{n}: sum{n} += i{n} * {step0};"))
        .inside(format!("if (++i{n} < {turns0}) goto again{n};"))
        .inside(format!("if ({step0} > 0) goto past{n};"))
        .inside(format!("over{n} = 2;"))
        .inside(format!("past{n}: ;"))
        .gives(
            format!("sum{n}"),
            i64::from(step) * i64::from(turns * (turns - 1) / 2),
        )
        .gives(format!("i{n} * 10 + over{n}"), i64::from(turns) * 10 + 1)
}

/// A jump out of several loops at once.
pub(super) fn out_of_loops(choices: &mut Choices, n: usize) -> Piece {
    let (rows, columns) = (choices.between(2, 5) as i32, choices.between(2, 5) as i32);
    let (x, y) = (
        choices.between(0, rows as usize - 1) as i32,
        choices.between(0, columns as usize - 1) as i32,
    );
    Piece::about("a jump out of loops")
        .given(n, &[rows, columns, x, y])
        .inside(format!("int seen{n} = 0, place{n} = -1;"))
        .inside(format!("for (int i = 0; i < {}; ++i)", given(n, 0)))
        .inside(format!("for (int j = 0; j < {}; ++j) {{", given(n, 1)))
        .inside(format!(
            "++seen{n}; if (i == {} && j == {}) {{ place{n} = i * 10 + j; goto found{n}; }} }}",
            given(n, 2),
            given(n, 3)
        ))
        .inside(format!("seen{n} = -1;"))
        .inside(format!("found{n}: seen{n} *= 2;"))
        .gives(format!("place{n}"), (x * 10 + y).into())
        .gives(format!("seen{n}"), (2 * (x * columns + y + 1)).into())
}

/// A default label between others: what has no label of its own begins there, and goes on with what follows.
pub(super) fn default_between(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.one_of(&[-5, -1, 0, 1, 2, 3, 4, 1000]);
    let right = match number {
        -5 => 1,
        0 => 2 + 4 + 8,
        1 => 16,
        3 => 8,
        _ => 4 + 8,
    };
    Piece::about("default between labels")
        .given(n, &[number])
        .inside(format!("int bits{n} = 0;"))
        .inside(format!("switch ({}) {{", given(n, 0)))
        .inside(format!("case -5: bits{n} |= 1; break;"))
        .inside(format!("case 0: bits{n} |= 2;"))
        .inside(format!("default: bits{n} |= 4;"))
        .inside(format!("case 3: bits{n} |= 8; break;"))
        .inside(format!("case 1: bits{n} |= 16; }}"))
        .inside(format!(
            "switch ({}) {{ default: bits{n} += 100; }}",
            given(n, 0)
        ))
        .inside(format!(
            "switch ({}) {{ case 1000: bits{n} += 1000; }}",
            given(n, 0)
        ))
        .gives(
            format!("bits{n}"),
            right + 100 + if number == 1000 { 1000 } else { 0 },
        )
}

/// A switch of many labels that follow each other, with holes, and one of labels far apart.
pub(super) fn dense(choices: &mut Choices, n: usize) -> Piece {
    let first = choices.one_of(&[-7, 0, 1, 100]);
    let hole = choices.between(1, 38) as i32;
    let number = first + choices.between(0, 44) as i32 - 2;
    let has = |number: i32| (first..first + 40).contains(&number) && number != first + hole;
    let right = match has(number) {
        true => i64::from((number - first) * 17 % 101),
        false => -1,
    };
    let labels: Vec<String> = (0..40)
        .filter(|k| *k != hole)
        .map(|k| format!("case {}: dense{n} = {}; break;", first + k, k * 17 % 101))
        .collect();
    let far = choices.below(5);
    let places = [-2_000_000_000, -3, 65_536, 1_000_000, 2_000_000_000];
    let sparse: Vec<String> = (1..)
        .zip(places)
        .map(|(k, place)| format!("case {place}: sparse{n} = {k}; break;"))
        .collect();
    Piece::about("many labels")
        .given(n, &[number, places[far]])
        .inside(format!("int dense{n} = -1, sparse{n} = 0;"))
        .inside(format!(
            "switch ({}) {{ {} }}",
            given(n, 0),
            labels.join(" ")
        ))
        .inside(format!(
            "switch ({}) {{ {} }}",
            given(n, 1),
            sparse.join(" ")
        ))
        .gives(format!("dense{n}"), right)
        .gives(format!("sparse{n}"), far as i64 + 1)
}

/// A switch in a loop: break is about the switch, continue about the loop.
pub(super) fn inside_a_loop(choices: &mut Choices, n: usize) -> Piece {
    let count = choices.between(5, 30) as i32;
    let right: i64 = (0..i64::from(count))
        .map(|k| match k % 5 {
            0 => 0,
            1 => 10 + 1,
            2 if k > 10 => 0,
            2 => 100 + 1,
            3 => 1000 + 100 + 1,
            _ => 1,
        })
        .sum();
    Piece::about("a switch in a loop")
        .given(n, &[count])
        .inside(format!("long sum{n} = 0;"))
        .inside(format!("for (int k = 0; k < {}; ++k) {{", given(n, 0)))
        .inside("switch (k % 5) {")
        .inside("case 0: continue;")
        .inside(format!("case 1: sum{n} += 10; break;"))
        .inside(format!("case 3: sum{n} += 1000;"))
        .inside(format!(
            "case 2: if (k > 10 && k % 5 == 2) continue; else {{ sum{n} += 100; break; }}"
        ))
        .inside(format!("}} sum{n} += 1; }}"))
        .gives(format!("sum{n}"), right)
}

/// Loops of each form, left and gone on with.
pub(super) fn turns(choices: &mut Choices, n: usize) -> Piece {
    let (count, skip) = (choices.between(3, 12) as i32, choices.between(2, 4) as i32);
    let (count0, skip0) = (given(n, 0), given(n, 1));
    let (mut all, mut i) = (0, 0);
    loop {
        if i % skip != 0 {
            all += i;
        }
        i += 1;
        if i >= count {
            break;
        }
    }
    let down: i32 = (0..count).filter(|k| k % 2 == 0).sum();
    let triangle: i32 = (0..count).map(|k| k * (k + 1) / 2).sum();
    Piece::about("loops")
        .given(n, &[count, skip])
        .inside(format!("int all{n} = 0, i{n} = 0, down{n} = 0, triangle{n} = 0, none{n} = 0;"))
        .inside(format!("do {{ if (i{n} % {skip0} == 0) continue; all{n} += i{n}; }} while (++i{n} < {count0});"))
        .inside(format!("for (uint k = (uint){count0}; k-- > 0; ) {{ if (k & 1) continue; down{n} += k; }}"))
        .inside(format!("for (int j = 0, k = 0; ; ++j, k += j) {{ if (j == {count0}) break; triangle{n} += k; }}"))
        .inside(format!("while (none{n}) ++none{n}; for (; none{n} != 0; ) none{n} = 5; do --none{n}; while (0);"))
        .gives(format!("all{n}"), all.into())
        .gives(format!("down{n}"), down.into())
        .gives(format!("triangle{n}"), triangle.into())
        .gives(format!("none{n}"), -1)
}

/// Parts with an effect take effect once.
pub(super) fn once(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (choices.between(1, 99) as i32, choices.between(1, 99) as i32);
    let [a0, b0] = [0, 1].map(|which| given(n, which));
    Piece::about("effects")
        .given(n, &[a, b])
        .before(format!("static int step{n}(int *at) {{ return ++*at; }}"))
        .inside(format!("int i{n} = 0, calls{n} = 0, some{n}[4] = {{ {a0}, {b0}, 3, 4 }};"))
        .inside(format!("some{n}[i{n}++] += 5; some{n}[++i{n}] -= 1; some{n}[step{n}(&calls{n})] <<= 1;"))
        .inside(format!("int *at{n} = some{n}; *at{n}++ *= 2; int first{n} = *at{n}--;"))
        .inside(format!("int x{n}, y{n}, z{n}; x{n} = y{n} = z{n} = {a0}; x{n} += y{n} -= {b0};"))
        .inside(format!("int last{n} = (step{n}(&calls{n}), step{n}(&calls{n}), {b0});"))
        .inside(format!("(void)(0 && step{n}(&calls{n})); (void)(1 || step{n}(&calls{n})); {b0} ? step{n}(&z{n}) : step{n}(&calls{n});"))
        .gives(format!("i{n}"), 2)
        .gives(format!("some{n}[0]"), (2 * (a + 5)).into())
        .gives(format!("some{n}[2]"), 2)
        .gives(format!("first{n}"), (2 * b).into())
        .gives(format!("*at{n}"), (2 * (a + 5)).into())
        .gives(format!("x{n} * 100 + y{n}"), (100 * (2 * a - b) + a - b).into())
        .gives(format!("z{n} - {a0}"), 1)
        .gives(format!("calls{n} * 100 + last{n}"), (300 + b).into())
}

/// A kernel that a kernel calls is a function.
pub(super) fn kernel_called(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.between(1, 999) as i32;
    Piece::about("a kernel that is called")
        .given(n, &[number])
        .before(format!(
            "kernel void called{n}(global long *to, int number) {{ *to = number * 3L + 1; }}"
        ))
        // What it leaves is in the place of the first result for a while.
        .inside(format!(
            "long kept{n} = *out; called{n}(out, {}); long left{n} = *out; *out = kept{n};",
            given(n, 0)
        ))
        .gives(format!("left{n}"), i64::from(number) * 3 + 1)
}

/// Many parameters of several types.
pub(super) fn parameters(choices: &mut Choices, n: usize) -> Piece {
    const TYPES: [&str; 6] = ["char", "ulong", "short", "float", "int", "uchar"];
    let count = choices.between(9, 24);
    let number = choices.between(1, 99) as i32;
    let terms = (0..count).map(|k| (TYPES[k % TYPES.len()], k));
    let list: Vec<String> = terms.clone().map(|(ty, k)| format!("{ty} p{k}")).collect();
    let sum: Vec<String> = terms
        .clone()
        .map(|(_, k)| format!("(long)p{k} * {}", k + 1))
        .collect();
    let given: Vec<String> = terms
        .map(|(ty, k)| format!("({ty})({} + {k})", given(n, 0)))
        .collect();
    let right: i64 = (0..count as i64)
        .map(|k| (i64::from(number) + k) * (k + 1))
        .sum();
    Piece::about("many parameters")
        .given(n, &[number])
        .before(format!(
            "static long many{n}({}) {{ return {}; }}",
            list.join(", "),
            sum.join(" + ")
        ))
        .gives(format!("many{n}({})", given.join(", ")), right)
}

/// Blocks and parentheses within each other, and a chain of else.
pub(super) fn deep(choices: &mut Choices, n: usize) -> Piece {
    let depth = choices.between(8, 24);
    let number = choices.between(1, 20) as i32;
    let number0 = given(n, 0);
    let opened: String = (0..depth).map(|k| format!("({k} + ")).collect();
    let sum = (0..depth as i64).sum::<i64>();
    let blocks: String = (0..depth)
        .map(|k| format!("if ({number0} > {k}) {{ ++deep{n}; "))
        .collect();
    let chain: Vec<String> = (0..depth)
        .map(|k| format!("if ({number0} == {k}) chain{n} = {}; ", k * k))
        .collect();
    let chained = match (number as usize) < depth {
        true => i64::from(number * number),
        false => -1,
    };
    Piece::about("depth")
        .given(n, &[number])
        .inside(format!("int deep{n} = 0, chain{n} = 0;"))
        .inside(format!("{blocks}{}", "} ".repeat(depth)))
        .inside(format!(
            "{}else chain{n} = -1;",
            chain
                .iter()
                .map(|link| format!("{link}else "))
                .collect::<String>()
                .trim_end_matches("else ")
        ))
        .gives(
            format!("{opened}{number0}{}", ")".repeat(depth)),
            sum + i64::from(number),
        )
        .gives(format!("deep{n}"), i64::from(number).min(depth as i64))
        .gives(format!("chain{n}"), chained)
}

/// Arguments and results become the types of their parameters and functions.
pub(super) fn converted(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.between(129, 20_000) as i32;
    let narrow = i64::from(number as i8);
    let number0 = given(n, 0);
    Piece::about("conversions of arguments and results")
        .given(n, &[number])
        .before(format!("static long widen{n}(char of) {{ return of; }}"))
        .before(format!("static uchar cut{n}(int of) {{ return of; }}"))
        .before(format!("static float real{n}(int of) {{ return of; }}"))
        .before(format!(
            "static int whole{n}(float of) {{ return of / 2; }}"
        ))
        .before(format!("static bool truth{n}(long of) {{ return of; }}"))
        .gives(format!("widen{n}({number0})"), narrow)
        .gives(
            format!("cut{n}({number0} + 1)"),
            i64::from((number + 1) as u8),
        )
        .gives(format!("real{n}({number0}) * 0.5f"), i64::from(number / 2))
        .gives(format!("whole{n}({number0})"), i64::from(number / 2))
        .gives(format!("truth{n}({number0} * 256L) + truth{n}(0)"), 1)
        .gives(format!("sizeof(cut{n}(1)) + sizeof(widen{n}(1))"), 9)
}
