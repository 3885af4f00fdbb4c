//! The host and a kernel in turns: each writes data, passes the turn, and checks what the other wrote.

use super::sides::{
    Idiom, TRIES_WITH_HOST, WITH_HOST, await_function, cell, differ, quit, repeat, talk, with_host,
    word,
};
use crate::choices::Choices;
use crate::host::exchange::{Change, Num, Operation, Reg};
use crate::kernels::case::{Arg, Contents, KernelCase, Kind, Range, Unit, Want};
use crate::kernels::generate::builder::{CaseBuilder, INT64, args, at, cl};
use classay_vocabulary::Need;

const ROUND: Reg = Reg(0);
const INDEX: Reg = Reg(1);
const SEEN: Reg = Reg(2);
const BEFORE: Reg = Reg(3);

/// How the turn is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Store,
    Exchange,
    Add,
}

/// The host writes first; the data is plain, and only the turn is atomic.
pub fn turns(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("the host and a kernel exchange data in turns while the kernel runs");
    let kind = with_host(choices, &mut case);
    let idiom = Idiom::of(choices, &mut case, false);
    let (ty, unit) = choices.one_of(&[
        ("uint", Unit::Word),
        ("int", Unit::Word),
        ("ulong", Unit::Long),
        ("long", Unit::Long),
    ]);
    case.need_if(unit == Unit::Long, &[Need::Int64Atomics]);
    let pass = choices.one_of(&[Pass::Store, Pass::Store, Pass::Exchange, Pass::Add]);
    let rounds = choices.one_of(&[3u32, 10, 30]);
    let words = choices.one_of(&[1u32, 5, 32]);
    let (asked, answered) = (choices.below(1 << 20) as u32, choices.below(1 << 20) as u32);
    let scope = "all_svm_devices";
    let next = match pass {
        Pass::Store => idiom.say("atomic_store", &format!("turn, ({ty})(2 * k + 2)"), scope),
        Pass::Exchange => idiom.say(
            "atomic_exchange",
            &format!("turn, ({ty})(2 * k + 2)"),
            scope,
        ),
        Pass::Add => idiom.say("atomic_fetch_add", &format!("turn, ({ty})1"), scope),
    };
    case.case.source = cl!(
        "answer.cl",
        int64 = INT64,
        wait = await_function(ty, idiom, scope, TRIES_WITH_HOST),
        ty,
        asked,
        answered,
        next
    );
    // Data in an allocation of its own, or right behind the turn.
    let turn = case.object(kind, unit.bytes() + 4 * words as usize, Contents::Zero);
    let close = choices.percent(40);
    let (data, first) = if close {
        (turn, unit.bytes() as u64 / 4)
    } else {
        (case.object(kind, 4 * words as usize, Contents::Zero), 0)
    };
    let quit = quit(&mut case, kind);
    let bad = case.buffer(4);
    let own = case.object(Kind::Host, 4, Contents::Zero);
    let args = args![
        turn,
        Arg::Pointer(at(data, 4 * first as usize)),
        quit,
        bad,
        rounds,
        words
    ];
    case.launch("answer", args, Range::line(1, 1));
    let datum = word(data, Num::reg(INDEX).more(first));
    let says = |k: u64, i: u64, plus: u32| Num::of(u64::from(plus)).and(ROUND, k).and(INDEX, i);
    let turn_cell = cell(turn, unit, 0u64);
    let turn_is = |plus: u64| Num::of(plus).and(ROUND, 2);
    let mut round = vec![repeat(
        words,
        INDEX,
        vec![Operation::Write(datum.clone(), says(7919, 31, asked))],
    )];
    round.extend(idiom.fence());
    let change = |how: Change, by: Num| Operation::Change {
        how,
        at: turn_cell.clone(),
        by,
        order: idiom.order(),
        before: BEFORE,
    };
    round.push(match pass {
        Pass::Store => Operation::Store(turn_cell.clone(), turn_is(1), idiom.order()),
        Pass::Exchange => change(Change::Exchange, turn_is(1)),
        Pass::Add => change(Change::Add, Num::of(1)),
    });
    round.push(Operation::Await {
        at: turn_cell.clone(),
        value: turn_is(2),
        order: idiom.order(),
        must: true,
    });
    round.extend(idiom.fence());
    round.push(repeat(
        words,
        INDEX,
        vec![
            Operation::Read(SEEN, datum),
            // Below 2^32: words and numbers are the same.
            differ(SEEN, says(104_729, 17, answered), own),
        ],
    ));
    talk(&mut case, vec![repeat(rounds, ROUND, round)], &WITH_HOST);
    let name = "words that the kernel found otherwise";
    case.look_even_so(bad, &WITH_HOST, name, Want::zeros().racy());
    let want = Want::zeros().racy();
    case.look_even_so(own, &WITH_HOST, "words that the host found otherwise", want);
    case.case
}
