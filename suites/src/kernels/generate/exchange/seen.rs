//! Stores become visible in reasonable time (architecture, section "Atomic Operations").
//!
//! Time alone proves nothing, for a side may not be running. So each side has a heart that it beats while
//! it waits. Who has stored, watches the other's heart beat twenty thousand times, and has itself looked
//! as often in vain for what the other stores in answer, has proof that one of the two stores was not
//! seen in all those looks: if the other had seen the first it went on to store its own, or had done so
//! before. Beats order nothing, so that only looks can find what is stored; kernels beat and count by
//! read-modify-writes, which write to memory and read the last value even where stores and loads do not.

use super::sides::{GROUPS, TRIES, TRIES_WITH_HOST, quit, repeat, talk, when, with_host, word};
use crate::choices::Choices;
use crate::host::exchange::{Is, Num, Operation, Order, Reg};
use crate::kernels::case::{Contents, KernelCase, Kind, ObjectId, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, cl};
use crate::rule;
use classay_vocabulary::Need;

/// What is looked at.
const NAME: &str = "the round whose store was never seen";

/// Loads before a work-group gives up the other: some times the beats.
const LOADS: u32 = 1 << 21;

/// Beats and looks in which a store has to be seen.
const BEATS: u32 = 20_000;

const ROUND: Reg = Reg(0);
const TRY: Reg = Reg(1);
const SAID: Reg = Reg(2);
const BEAT: Reg = Reg(3);
const START: Reg = Reg(4);
const OTHER: Reg = Reg(5);
const IDLE: Reg = Reg(6);

/// A side: it tells the number of the round, and goes on when the other has told it, too.
fn side(scope: &str, tries: u32) -> String {
    let (relaxed, all) = ("memory_order_relaxed", format!("memory_scope_{scope}"));
    cl!("seen.cl", relaxed, all, tries, beats = BEATS)
}

/// The host and a kernel, or two work-groups.
pub fn seen(choices: &mut Choices) -> KernelCase {
    if choices.percent(60) {
        host(choices)
    } else {
        groups(choices)
    }
}

fn memory(case: &mut CaseBuilder, kind: Kind) -> [ObjectId; 5] {
    let cells = [(); 4].map(|()| case.object(kind, 4, Contents::Zero));
    let quit = quit(case, kind);
    [cells[0], cells[1], cells[2], cells[3], quit]
}

fn host(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("the host and a kernel see each other's stores in reasonable time");
    let kind = with_host(choices, &mut case);
    case.case.source = cl!(
        "watch_host.cl",
        side = side("all_svm_devices", TRIES_WITH_HOST)
    );
    let rounds = choices.one_of(&[3u32, 10, 30]);
    let [kernels, hosts, kernel_heart, host_heart, quit] = memory(&mut case, kind);
    let late = case.buffer(4);
    let own = case.object(Kind::Host, 4, Contents::Zero);
    let args = args![kernels, hosts, kernel_heart, host_heart, quit, late, rounds];
    case.launch("watch", args, Range::line(1, 1));
    let at = |object| word(object, 0u64);
    let relaxed = Order::Relaxed;
    let this = Num::reg(ROUND).more(1);
    let acts = vec![repeat(
        rounds,
        ROUND,
        vec![
            Operation::Store(at(hosts), this.clone(), relaxed),
            Operation::Load(START, at(kernel_heart), relaxed),
            Operation::Put(IDLE, Num::of(1)),
            repeat(
                u64::from(TRIES) / 8,
                TRY,
                vec![
                    Operation::Load(OTHER, at(kernel_heart), relaxed),
                    Operation::Load(SAID, at(kernels), relaxed),
                    when(
                        ROUND,
                        Is::Below,
                        SAID,
                        vec![Operation::Put(IDLE, Num::of(0)), Operation::Leave],
                    ),
                    Operation::Put(BEAT, Num::reg(BEAT).more(1)),
                    Operation::Store(at(host_heart), Num::reg(BEAT), relaxed),
                    when(
                        BEATS,
                        Is::Below,
                        Num::reg(OTHER).and(START, u64::MAX),
                        vec![when(
                            BEATS,
                            Is::Below,
                            TRY,
                            vec![Operation::Write(at(own), this.clone()), Operation::Leave],
                        )],
                    ),
                ],
            ),
            when(
                IDLE,
                Is::Equal,
                1u64,
                vec![
                    Operation::Store(at(quit), Num::of(1), relaxed),
                    Operation::Leave,
                ],
            ),
        ],
    )];
    let rules = [
        rule::MM_VISIBILITY_TIME,
        rule::HOST_PROGRESS,
        rule::SV_FINE_ATOMICS,
        rule::MM_HOST,
    ];
    talk(&mut case, acts, &rules);
    for object in [late, own] {
        case.look_even_so(object, &rules, NAME, Want::zeros().racy());
    }
    case.case
}

fn groups(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("two work-groups see each other's stores in reasonable time");
    case.need(&[Need::C20, Need::C11Atomics, Need::ScopeDevice]);
    case.case.source = cl!("watch_groups.cl", side = side("device", LOADS));
    let rounds = choices.one_of(&[3u32, 10, 30]);
    let [one, two, heart, other, quit] = memory(&mut case, Kind::Buffer);
    // Behind the two rounds work-groups are counted as they come.
    let late = case.buffer(12);
    let args = args![one, two, heart, other, quit, late, rounds];
    case.launch("watch", args, Range::line(GROUPS, 1));
    let rules = [rule::MM_VISIBILITY_TIME, rule::HOST_PROGRESS];
    let want = Want::words(vec![0, 0, GROUPS as u32]).racy();
    case.look_even_so(late, &rules, NAME, want);
    case.case
}
