use super::*;
use std::collections::BTreeMap;

/// Draws of every sort.
fn drawn(choices: &mut Choices) -> Vec<usize> {
    let mut all = Vec::new();
    for n in 1..20 {
        all.push(choices.below(n));
        all.push(choices.between(n, 2 * n));
        all.push(usize::from(choices.percent(50)));
        all.extend(choices.pick(&[3, 5, 8]));
        all.extend(choices.weighted(&[(1, 2), (2, 0), (3, 7)]));
    }
    all
}

#[test]
fn a_seed_gives_the_same_choices_and_another_seed_others() {
    let of = |seed| drawn(&mut Choices::new(seed));
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

#[test]
fn what_was_chosen_can_be_chosen_again() {
    let mut first = Choices::new(3);
    let drawn_first = drawn(&mut first);
    let list = first.choices();
    let mut again = Choices::again(list.clone());
    assert_eq!(drawn(&mut again), drawn_first);
    assert_eq!(again.choices(), list);
}

#[test]
fn after_a_list_come_the_smallest_choices_and_then_others() {
    let mut choices = Choices::again(vec![4]);
    assert_eq!(choices.below(10), 4);
    for _ in 0..ZEROS {
        assert_eq!(choices.between(5, 9), 5);
    }
    // A generator that waits for another number gets one.
    assert!((0..1000).any(|_| choices.below(10) != 0));
}

#[test]
fn a_choice_of_a_list_that_is_too_large_is_made_to_fit() {
    let mut choices = Choices::again(vec![u64::MAX, 17]);
    assert!(choices.below(3) < 3);
    assert_eq!(choices.below(5), 2);
}

#[test]
fn every_choice_is_within_its_bounds_and_each_can_come() {
    let mut choices = Choices::new(1);
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for _ in 0..6000 {
        *seen.entry(choices.between(2, 7)).or_default() += 1;
    }
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    // 1000 of each are expected; five standard deviations are less than 150.
    assert!(seen.values().all(|n| (850..1150).contains(n)), "{seen:?}");
    assert_eq!((choices.below(0), choices.below(1)), (0, 0));
    assert_eq!(choices.between(5, 2), 5);
}

#[test]
fn percents_and_weights_are_kept() {
    let mut choices = Choices::new(5);
    assert!((0..200).all(|_| !choices.percent(0) && choices.percent(100)));
    let often = (0..4000).filter(|_| choices.percent(25)).count();
    assert!((850..1150).contains(&often), "{often}");
    let weights = [('a', 1), ('b', 0), ('c', 3)];
    let drawn: Vec<char> = (0..4000)
        .filter_map(|_| choices.weighted(&weights))
        .collect();
    let count = |of| drawn.iter().filter(|c| **c == of).count();
    assert_eq!((drawn.len(), count('b')), (4000, 0));
    assert!((850..1150).contains(&count('a')), "{}", count('a'));
}

#[test]
fn of_nothing_nothing_is_chosen() {
    let mut choices = Choices::new(5);
    assert_eq!(choices.pick::<u8>(&[]), None);
    assert_eq!(choices.weighted::<u8>(&[]), None);
    assert_eq!(choices.weighted(&[(1, 0), (2, 0)]), None);
}

#[test]
fn what_stays_is_drawn_as_before_without_other_parts() {
    // Of each part some choices, and a result.
    let draw = |choices: &mut Choices| -> Vec<(Vec<usize>, bool)> {
        let first = choices.below(7);
        let parts = (0..5).filter_map(|n| {
            choices.part(|choices| {
                let own = (0..=n % 3).map(|_| first + choices.below(1000));
                (own.collect(), choices.result())
            })
        });
        parts.collect()
    };
    let mut whole = Choices::new(3);
    let all = draw(&mut whole);
    let divided = whole.divided().clone();
    let second = LeftOut {
        results: [2].into(),
        ..LeftOut::default()
    };
    let (left_out, choices) = second.without_parts(&[0, 3], &divided, &whole.choices());
    // What was the third result is the second one now.
    assert_eq!(left_out.results, [1].into());
    let mut less = Choices::again(choices).without(left_out);
    let some = draw(&mut less);
    assert_eq!(less.divided().results, 3);
    let numbers = |of: &[(Vec<usize>, bool)]| -> Vec<Vec<usize>> {
        of.iter().map(|(own, _)| own.clone()).collect()
    };
    let wanted = [1, 2, 4].map(|n| all[n].0.clone());
    assert_eq!(numbers(&some), wanted);
    assert_eq!([true, false, true], [some[0].1, some[1].1, some[2].1]);
}
