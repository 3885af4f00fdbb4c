//! The search, over lists of numbers.

use super::*;

/// Valid where no number is 13.
#[derive(Debug, Clone, PartialEq)]
struct List(Vec<u32>);

impl Candidate for List {
    type Whole = List;
    type Size = (usize, u32);

    fn size(&self) -> (usize, u32) {
        (self.0.len(), self.0.iter().sum())
    }

    fn text(&self) -> String {
        format!("{:?}", self.0)
    }

    fn whole(self) -> Option<List> {
        (!self.0.contains(&13)).then_some(self)
    }
}

/// Searches for a smaller list, and says which lists were asked about.
fn search(
    first: &[u32],
    answer: &mut dyn FnMut(&[u32]) -> Answer,
) -> (Shrunk<List>, Vec<List>, Vec<Progress>) {
    let mut asked = Vec::new();
    let mut kept = Vec::new();
    let first = List(first.to_vec());
    let size = first.size();
    let mut judge = |list: &List| {
        asked.push(list.clone());
        answer(&list.0)
    };
    let mut told = |_: &List, progress| kept.push(progress);
    let mut search: Search<'_, List> = Search::new(first, size, &mut judge, &mut told);
    search.rounds(|search| {
        search.take_out(
            |list| (0..list.0.len()).collect(),
            |list, gone: &[usize]| {
                let left = list.0.iter().enumerate().filter(|(n, _)| !gone.contains(n));
                Some(List(left.map(|(_, one)| *one).collect()))
            },
        );
        search.go_through(
            |list| (0..list.0.len()).collect(),
            |list, at: &usize| {
                let mut less = list.clone();
                less.0[*at] = less.0[*at].checked_sub(1)?;
                Some(less)
            },
        );
    });
    (search.done(), asked, kept)
}

fn fails_if(fails: bool) -> Answer {
    match fails {
        true => Answer::Fails,
        false => Answer::Passes,
    }
}

#[test]
fn what_does_not_matter_is_taken_out_and_the_rest_made_smaller() {
    let first: Vec<u32> = (20..60).collect();
    let needs = |list: &[u32]| list.iter().filter(|n| **n >= 15).count() >= 2;
    let (done, asked, kept) = search(&first, &mut |list| fails_if(needs(list)));
    assert_eq!(done.found, List(vec![15, 15]));
    assert!(done.minimal);
    assert_eq!(done.progress.asked, asked.len());
    assert_eq!(done.progress.kept, kept.len());
    // Halves go first: that is much less than one question a number.
    let taken = asked.iter().filter(|list| list.0.len() > 2).count();
    assert!(taken < 20, "{taken}");
}

#[test]
fn what_is_not_valid_is_never_asked_about() {
    let (done, asked, _) = search(&[14, 14], &mut |list| fails_if(!list.is_empty()));
    assert!(asked.iter().all(|list| !list.0.contains(&13)));
    // 13 is no step on the way, so it ends before it.
    assert_eq!(done.found, List(vec![14]));
}

#[test]
fn nothing_is_asked_about_twice() {
    let first: Vec<u32> = (0..12).collect();
    let (_, asked, _) = search(&first, &mut |list| fails_if(list.contains(&7)));
    for (n, list) in asked.iter().enumerate() {
        assert!(!asked[..n].contains(list), "{list:?}");
    }
}

#[test]
fn sizes_only_go_down() {
    let first: Vec<u32> = (0..12).rev().collect();
    let mut last = List(first.clone()).size();
    let (done, ..) = search(&first, &mut |list| {
        let size = List(list.to_vec()).size();
        assert!(size < last, "{list:?}");
        let fails = list.iter().any(|n| *n > 4);
        if fails {
            last = size;
        }
        fails_if(fails)
    });
    assert_eq!(done.found, List(vec![5]));
}

#[test]
fn where_nothing_smaller_fails_the_first_is_found() {
    let (done, _, kept) = search(&[3, 1], &mut |_| Answer::Passes);
    assert_eq!(done.found, List(vec![3, 1]));
    assert!(done.minimal && kept.is_empty());
}

#[test]
fn a_judge_that_stops_ends_the_search_with_the_best() {
    let mut left = 3;
    let (done, asked, _) = search(&[9, 9, 9, 9], &mut |list| {
        left -= 1;
        match left {
            0 => Answer::Stop,
            _ => fails_if(!list.is_empty()),
        }
    });
    assert!(!done.minimal);
    assert_eq!(asked.len(), 3);
    let failing = asked[..2].iter().rev().find(|list| !list.0.is_empty());
    assert_eq!(Some(&done.found), failing.or(Some(&List(vec![9; 4]))));
}

#[test]
fn progress_counts_on() {
    let mut judge = |_: &List| Answer::Passes;
    let mut told = |_: &List, _| {};
    let mut search: Search<'_, List> = Search::new(List(vec![1]), (1, 1), &mut judge, &mut told);
    search.go_on(Progress { asked: 5, kept: 2 });
    search.rounds(|search| {
        search.go_through(|_| vec![()], |_, ()| Some(List(Vec::new())));
    });
    assert_eq!(search.done().progress, Progress { asked: 6, kept: 2 });
}
