//! Jumps of the VULKAN dialect: whatever shape they have, a thread does what its lines say.

use classay_litmus::oracle::{Limits, Model, judge};
use classay_litmus::program::{Program, each_instr};
use classay_litmus::syntax::{read_litmus, write_litmus};

fn program(lines: &str) -> Program {
    let rows: String = lines
        .split(';')
        .map(|line| format!(" {} ;\n", line.trim()))
        .collect();
    let text = format!(
        "VULKAN t\n{{ x = 0; 0:r0 = 0; 0:r1 = 0; 0:r2 = 0; }}\n P0@sg 0, wg 0, qf 0 ;\n{rows}\
         exists (0:r0=0 /\\ 0:r1=0 /\\ 0:r2=0)"
    );
    read_litmus("test", &text).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

/// The registers that a thread ends with, as read and as written and read again.
fn ends(lines: &str) -> [i64; 3] {
    let program = program(lines);
    let again = read_litmus("test", &write_litmus(&program)).expect("what was written");
    assert_eq!(again, program, "{lines}");
    let model = Model::named("vulkan").expect("a model");
    let judgement = judge(&program, &model, &Limits::default()).expect("a small test");
    let states: Vec<_> = judgement.states.into_iter().collect();
    let [state] = states.as_slice() else {
        panic!("{lines}: {states:?}");
    };
    [state.0[0], state.0[1], state.0[2]]
}

/// Whether some register was made for the jumps.
fn dispatched(lines: &str) -> bool {
    program(lines).threads[0].registers.len() > 3
}

#[test]
fn branches() {
    assert_eq!(ends("mov r0, 1; bne r0, 1, A; mov r1, 2; A:"), [1, 2, 0]);
    assert_eq!(ends("mov r0, 1; beq r0, 1, A; mov r1, 2; A:"), [1, 0, 0]);
    let both = "beq r0, 1, A; mov r1, 2; goto B; A: mov r1, 3; B: mov r2, 4";
    assert_eq!(ends(both), [0, 2, 4]);
    assert_eq!(ends(&format!("mov r0, 1; {both}")), [1, 3, 4]);
    assert!(!dispatched(both));
    assert_eq!(
        ends("bz r0, A; mov r1, 1; A: bnz r0, B; mov r2, 1; B:"),
        [0, 0, 1]
    );
    assert_eq!(ends("mov r0, 1; ret; mov r1, 1"), [1, 0, 0]);
}

#[test]
fn loops() {
    let test_first = "A: bge r0, 3, B; add r0, r0, 1; goto A; B: mov r1, 1";
    let test_last = "A: add r0, r0, 1; blt r0, 3, A; mov r1, 1";
    let in_between = "A: add r0, r0, 1; bge r0, 3, B; add r2, r2, 1; goto A; B: mov r1, 1";
    assert_eq!(ends(test_first), [3, 1, 0]);
    assert_eq!(ends(test_last), [3, 1, 0]);
    assert_eq!(ends(in_between), [3, 1, 2]);
    let nested = "A: mov r1, 0; B: add r1, r1, 1; add r2, r2, 1; blt r1, 2, B; add r0, r0, 1; \
                  blt r0, 3, A";
    assert_eq!(ends(nested), [3, 2, 6]);
    for lines in [test_first, test_last, in_between, nested] {
        assert!(!dispatched(lines), "{lines}");
    }
}

#[test]
fn jumps_that_do_not_nest() {
    let into_a_loop = "goto B; A: add r0, r0, 1; B: add r1, r1, 1; blt r1, 3, A";
    assert_eq!(ends(into_a_loop), [2, 3, 0]);
    let two_exits = "A: add r0, r0, 1; beq r0, 5, B; beq r0, 3, C; goto A; B: mov r1, 1; goto D; \
                     C: mov r1, 2; D: mov r2, 7";
    assert_eq!(ends(two_exits), [3, 2, 7]);
    for lines in [into_a_loop, two_exits] {
        assert!(dispatched(lines), "{lines}");
    }
}

/// What is there twice after loops were peeled is bounded, and a thread's size with it.
#[test]
fn loops_in_loops_do_not_explode() {
    let labels: Vec<String> = (0..30).map(|n| format!("L{n}:")).collect();
    let back: Vec<String> = (0..30).rev().map(|n| format!("bnz r0, L{n}")).collect();
    let lines = format!("{}; nop; {}", labels.join(";"), back.join(";"));
    let program = program(&lines);
    let mut size = 0;
    each_instr(&program.threads[0].body, &mut |_| size += 1);
    assert!(size < 10_000, "{size}");
}

#[test]
fn comparisons_and_computations() {
    assert_eq!(
        ends("sub r0, 5, 2; mul r1, r0, -2; xor r2, r0, 1"),
        [3, -6, 2]
    );
    assert_eq!(
        ends("mov r0, (1 + 2 * 3); shl r1, r0, 2; rem r2, r1, 5"),
        [7, 28, 3]
    );
}
