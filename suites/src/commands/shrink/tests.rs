use super::*;
use crate::commands::generate::{Profile, random};
use crate::commands::memory::Value;
use crate::commands::order::Moment;
use crate::commands::program::{CommandId, Event, Step, What, Writer};
use crate::rule;
use crate::shrink::Answer;

/// A judge: fails while a command that a wait list orders sees what a command wrote.
fn sees_through_a_wait_list(plan: &Plan) -> Answer {
    let order = &plan.order;
    for (read, cells) in plan.memory.reads() {
        let Some((start, _)) = crate::commands::memory::moments(&plan.program, *read) else {
            continue;
        };
        for (_, value) in cells {
            let Value::Of(Writer::Command(writer), _) = value else {
                continue;
            };
            let rules = order.rules_between(Moment::End(*writer), start);
            if rules.contains(&rule::SP_EVENT_WAIT) {
                return Answer::Fails;
            }
        }
    }
    Answer::Passes
}

/// A judge: fails while a callback is registered for a command's event.
fn has_a_callback(plan: &Plan) -> Answer {
    let of_command = |c: &crate::commands::program::Callback| matches!(c.event, Event::Command(_));
    match plan.program.callbacks.iter().any(of_command) {
        true => Answer::Fails,
        false => Answer::Passes,
    }
}

/// A judge: fails while something is read that the host looks at.
fn inspects(plan: &Plan) -> Answer {
    match plan
        .program
        .steps()
        .any(|(_, s)| matches!(s, Step::Inspect(_)))
    {
        true => Answer::Fails,
        false => Answer::Passes,
    }
}

type Judge = fn(&Plan) -> Answer;
const JUDGES: [Judge; 3] = [sees_through_a_wait_list, has_a_callback, inspects];

/// Checks all that holds of every result; says how many programs failed at first.
fn check(judge: Judge, seeds: std::ops::Range<u64>) -> usize {
    let mut failing = 0;
    // A program of hundreds of commands takes too many tries.
    let profiles = Profile::all().into_iter();
    for (family, name, profile) in profiles.filter(|(_, _, profile)| profile.hundreds == 0) {
        for seed in seeds.clone() {
            let plan = random(seed, &profile).expect("a program");
            if judge(&plan) != Answer::Fails {
                continue;
            }
            failing += 1;
            let case = format!("{family}/{name} of seed {seed}");
            let first = Size::of(&plan.program);
            let mut last = first;
            let one = shrink(plan.clone(), &mut |p| judge(p), &mut |p, _| {
                let size = Size::of(&p.program);
                assert!(
                    size < last,
                    "{case}: not smaller\n{}",
                    yaml::write(&p.program)
                );
                last = size;
            });
            let text = yaml::write(&one.found.program);
            assert!(one.minimal, "{case}");
            assert_eq!(judge(&one.found), Answer::Fails, "{case}: {text}");
            assert!(
                Plan::of(one.found.program.clone()).is_ok(),
                "{case}: {text}"
            );
            for smaller in candidates(&one.found.program) {
                if let Ok(smaller) = Plan::of(smaller) {
                    assert_eq!(
                        judge(&smaller),
                        Answer::Passes,
                        "{case} is not minimal:\n{text}\nbecause of\n{}",
                        yaml::write(&smaller.program)
                    );
                }
            }
            let two = shrink(plan, &mut |p| judge(p), &mut |_, _| {});
            assert_eq!(yaml::write(&two.found.program), text, "{case}");
        }
    }
    failing
}

#[test]
fn results_are_valid_minimal_and_the_same_again() {
    for judge in JUDGES {
        let failing = check(judge, 0..6);
        assert!(failing >= 3, "the judge hardly ever fails: {failing}");
    }
}

#[test]
fn a_read_through_a_wait_list_shrinks_to_two_commands() {
    let mut seen = 0;
    // Without waits in the midst of what a gate holds back, which no smaller program could do without.
    let profile = Profile {
        independent: 0,
        gathers: 0,
        ..Profile::queue()
    };
    for seed in 0..60 {
        let plan = random(seed, &profile).expect("a program");
        if sees_through_a_wait_list(&plan) != Answer::Fails {
            continue;
        }
        seen += 1;
        let judge = &mut |p: &Plan| sees_through_a_wait_list(p);
        let small = shrink(plan, judge, &mut |_, _| {}).found.program;
        let text = yaml::write(&small);
        assert_eq!(small.commands.len(), 2, "{text}");
        assert_eq!(small.queues.len(), 1, "{text}");
        assert_eq!(small.objects.len(), 1, "{text}");
        assert_eq!(small.threads.len(), 1, "{text}");
        assert_eq!(small.cell_words, 1, "{text}");
        assert!(
            small.users.is_empty() && small.callbacks.is_empty(),
            "{text}"
        );
        assert_eq!(
            small.commands[1].wait,
            [Event::Command(CommandId(0))],
            "{text}"
        );
        assert!(matches!(small.commands[0].what, What::Fill(_)), "{text}");
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn a_judge_that_stops_keeps_the_best() {
    let plan = (0..)
        .map(|seed| random(seed, &Profile::queue()).expect("a program"))
        .find(|plan| has_a_callback(plan) == Answer::Fails)
        .expect("one with a callback");
    let mut left = 5;
    let mut best = plan.clone();
    let shrunk = shrink(
        plan,
        &mut |p| {
            left -= 1;
            match left {
                0 => Answer::Stop,
                _ => has_a_callback(p),
            }
        },
        &mut |p, _| best = p.clone(),
    );
    assert!(!shrunk.minimal);
    assert_eq!(shrunk.progress.asked, 5);
    assert_eq!(shrunk.found.program, best.program);
}

#[test]
fn a_user_event_that_is_never_set_is_nothing_to_wait_for() {
    let plan = random(3, &Profile::queue()).expect("a program");
    let mut program = plan.program;
    for thread in &mut program.threads {
        thread.retain(|step| !matches!(step, Step::Set { .. }));
    }
    let waits = |e: &Event| matches!(e, Event::User(_));
    assert!(program.commands.iter().any(|c| c.wait.iter().any(waits)));
    assert!(Plan::of(program).is_err());
}
