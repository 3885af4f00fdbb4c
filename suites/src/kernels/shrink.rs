//! Makes a kernel case that fails small.
//!
//! What a launch must leave behind follows from the choices by which its case was drawn, so no launch can
//! be taken out of a case. But the case can be drawn again by other choices: [`shrink`] leaves choices
//! out, many at once first, and makes others smaller, and whatever comes of it is a case with all that it
//! wants ([`Drawn`](super::case::Drawn), [`Choices::again`]). Before that it leaves out what stands beside each other:
//! functions that are called, lines that are printed ([`Choices::part`]), numbers that a kernel computes
//! ([`Choices::result`]). That takes few trials. After it, it
//! takes out what a case does without: looks, transfers of which nothing but transfers follows, and needless ends of
//! waiting.

use super::case::{KernelCase, Step, Want};
use super::generate::function;
use super::{valid, yaml};
use crate::choices::{Choices, Divided, LeftOut};
use crate::shrink::{Candidate, Judge, Progress, Search, Shrunk, Told};

/// The size of a case, what matters most first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    steps: usize,
    objects: usize,
    bytes: usize,
    length: usize,
    text: String,
}

impl Size {
    /// The size of a case.
    pub fn of(case: &KernelCase) -> Size {
        let text = yaml::write(case);
        Size {
            steps: case.steps.len(),
            objects: case.objects.len(),
            bytes: case.objects.iter().map(|o| o.bytes).sum(),
            length: text.len(),
            text,
        }
    }
}

impl Candidate for KernelCase {
    type Whole = KernelCase;
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self)
    }

    fn text(&self) -> String {
        yaml::write(self)
    }

    fn whole(self) -> Option<KernelCase> {
        valid::valid(&self).ok().map(|()| self)
    }
}

/// A case with the choices by which it was drawn, what can be left out of it, and what is.
struct Tape {
    choices: Vec<u64>,
    divided: Divided,
    left_out: LeftOut,
    case: KernelCase,
}

impl Tape {
    /// What is drawn by these choices.
    fn drawn(stream: Choices, left_out: LeftOut, draw: fn(&mut Choices) -> KernelCase) -> Tape {
        let mut stream = stream.without(left_out.clone());
        Tape {
            case: draw(&mut stream),
            divided: stream.divided().clone(),
            left_out,
            choices: stream.choices(),
        }
    }

    /// The same by other choices first, and by the smallest ones then.
    fn by(&self, choices: Vec<u64>, draw: fn(&mut Choices) -> KernelCase) -> Tape {
        Tape::drawn(Choices::again(choices), self.left_out.clone(), draw)
    }
}

impl Candidate for Tape {
    type Whole = Tape;
    /// Of equal cases the one that takes fewer choices is drawn sooner.
    type Size = (Size, usize);

    fn size(&self) -> (Size, usize) {
        (Size::of(&self.case), self.choices.len())
    }

    fn text(&self) -> String {
        yaml::write(&self.case)
    }

    fn whole(self) -> Option<Tape> {
        valid::valid(&self.case).ok().map(|()| self)
    }
}

/// Shrinks a valid case that fails. `told` hears of each case that is kept.
pub fn shrink(
    case: KernelCase,
    judge: Judge<'_, KernelCase>,
    told: Told<'_, KernelCase>,
) -> Shrunk<KernelCase> {
    let case = match draw_smaller(&case, judge, told) {
        Some(shrunk) if !shrunk.minimal => return shrunk,
        Some(shrunk) => shrunk,
        None => Shrunk {
            found: KernelCase {
                drawn: None,
                ..case
            },
            progress: Progress::default(),
            minimal: true,
        },
    };
    let size = Size::of(&case.found);
    let mut search: Search<'_, KernelCase> = Search::new(case.found, size, judge, told);
    search.go_on(case.progress);
    search.rounds(|search| search.take_out(spare, without));
    search.done()
}

/// Draws a case again by fewer and smaller choices; `None` where it was not drawn, or was changed since.
fn draw_smaller(
    case: &KernelCase,
    judge: Judge<'_, KernelCase>,
    told: Told<'_, KernelCase>,
) -> Option<Shrunk<KernelCase>> {
    let drawn = case.drawn.as_ref()?;
    let draw = function(&drawn.family)?;
    let first = Tape::drawn(Choices::new(drawn.seed), LeftOut::default(), draw);
    let same = KernelCase {
        drawn: Some(drawn.clone()),
        ..first.case.clone()
    };
    if same != *case {
        return None;
    }
    let size = first.size();
    let mut judge = |tape: &Tape| judge(&tape.case);
    let mut told = |tape: &Tape, progress: Progress| told(&tape.case, progress);
    let mut search: Search<'_, Tape> = Search::new(first, size, &mut judge, &mut told);
    search.rounds(|search| {
        search.take_out(
            |tape| {
                let all = 0..tape.divided.parts.len();
                let stay = all.filter(|part| !tape.left_out.parts.contains(part));
                stay.collect()
            },
            |tape, gone| {
                let left = &tape.left_out;
                let (left_out, choices) = left.without_parts(gone, &tape.divided, &tape.choices);
                Some(Tape::drawn(Choices::again(choices), left_out, draw))
            },
        );
        search.take_out(
            |tape| {
                let all = 0..tape.divided.results;
                let stay = all.filter(|result| !tape.left_out.results.contains(result));
                stay.collect()
            },
            |tape, gone| {
                let mut left_out = tape.left_out.clone();
                left_out.results.extend(gone);
                let stream = Choices::again(tape.choices.clone());
                Some(Tape::drawn(stream, left_out, draw))
            },
        );
        search.take_out(
            |tape| (0..tape.choices.len()).collect(),
            |tape, gone| {
                let (from, to) = (*gone.first()?, *gone.last()?);
                let mut choices = tape.choices.clone();
                choices.drain(from..=to);
                Some(tape.by(choices, draw))
            },
        );
        search.go_through(
            |tape| smaller_choices(&tape.choices),
            |tape, (at, choice)| {
                let mut choices = tape.choices.clone();
                *choices.get_mut(*at)? = *choice;
                Some(tape.by(choices, draw))
            },
        );
    });
    Some(search.done().map(|tape| tape.case))
}

/// Places and smaller choices for them: none, half, one less.
fn smaller_choices(choices: &[u64]) -> Vec<(usize, u64)> {
    let mut all = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        let mut smaller = vec![0, choice / 2, choice.saturating_sub(1)];
        smaller.dedup();
        all.extend(smaller.into_iter().filter(|n| n < choice).map(|n| (at, n)));
    }
    all
}

/// Steps that a case can do without, by their numbers. A look only looks; waiting for the end of all
/// commands is needless where the next step does so, or nothing comes; and a transfer can go where
/// nothing but transfers on one queue makes what is looked at, for that is computed from those there are.
fn spare(case: &KernelCase) -> Vec<usize> {
    let of_transfers = |step: &Step| match step {
        Step::Look { want, .. } => *want == Want::AsMoved,
        step => matches!(
            step,
            Step::Move(_)
                | Step::Finish
                | Step::Record(_)
                | Step::Play(_)
                | Step::Update(_)
                | Step::Again(_)
        ),
    };
    let transfers_alone = case.queues.is_empty() && case.steps.iter().all(of_transfers);
    let spare = (0..case.steps.len()).filter(|n| match &case.steps[*n] {
        Step::Look { .. } => true,
        Step::Finish => ends_all(case.steps.get(n + 1)),
        step => {
            let goes = matches!(
                step,
                Step::Move(_) | Step::Play(_) | Step::Update(_) | Step::Again(_)
            );
            transfers_alone && goes
        }
    });
    spare.collect()
}

/// Whether a step begins by waiting for the end of all commands, as the end of a case does.
fn ends_all(step: Option<&Step>) -> bool {
    matches!(step, None | Some(Step::Finish | Step::Look { .. }))
}

/// A case without these steps. In the place of a look there is the wait that it begins with, but where
/// the end of all commands is waited for anyhow.
fn without(case: &KernelCase, gone: &[usize]) -> Option<KernelCase> {
    let mut small = KernelCase {
        drawn: None,
        steps: Vec::new(),
        ..case.clone()
    };
    // Where each step is now; steps name only steps before them.
    let mut places = Vec::new();
    for (n, step) in case.steps.iter().enumerate() {
        places.push(small.steps.len());
        let mut step = step.clone();
        if gone.contains(&n) {
            let next = (n + 1..case.steps.len()).find(|next| !gone.contains(next));
            let waits = matches!(step, Step::Look { .. });
            let needless =
                ends_all(next.map(|next| &case.steps[next])) || ends_all(small.steps.last());
            if !waits || needless {
                continue;
            }
            step = Step::Finish;
        }
        if let Step::Launch(launch) = &mut step {
            for after in &mut launch.after {
                *after = u16::try_from(*places.get(usize::from(*after))?).ok()?;
            }
        } else if let Step::Play(play) = &mut step {
            play.record = u16::try_from(*places.get(usize::from(play.record))?).ok()?;
        } else if let Step::Update(update) = &mut step {
            update.record = u16::try_from(*places.get(usize::from(update.record))?).ok()?;
        } else if let Step::Again(again) = &mut step {
            again.record = u16::try_from(*places.get(usize::from(again.record))?).ok()?;
        } else if let Step::Look { want, .. } = &mut step
            && let Want::SubGroups { asked, .. } = want
        {
            *asked = *places.get(*asked)?;
        }
        small.steps.push(step);
    }
    Some(small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::generate::{FAMILIES, draw};
    use crate::shrink::Answer;

    /// A judge: fails while a launch has at least so many work-items.
    fn large(items: u64) -> impl Fn(&KernelCase) -> bool {
        move |case| {
            let mut launches = case.launches();
            launches.any(|(_, launch)| launch.range.global.iter().product::<u64>() >= items)
        }
    }

    fn shrunk(case: KernelCase, fails: &dyn Fn(&KernelCase) -> bool) -> Shrunk<KernelCase> {
        let mut last = Size::of(&case);
        shrink(
            case,
            &mut |case| match fails(case) {
                true => Answer::Fails,
                false => Answer::Passes,
            },
            &mut |case, _| {
                let size = Size::of(case);
                assert!(size < last, "not smaller: {}", size.text);
                last = size;
            },
        )
    }

    #[test]
    fn every_family_gives_valid_cases_by_the_smallest_choices() {
        for (family, kind, draw) in FAMILIES {
            for choices in [vec![], vec![1, 2, 3]] {
                let tape = Tape::drawn(Choices::again(choices), LeftOut::default(), *draw);
                let valid = valid::valid(&tape.case);
                assert_eq!(valid, Ok(()), "{family}/{kind}");
                let again = tape.by(tape.choices.clone(), *draw);
                assert_eq!(again.case, tape.case, "{family}/{kind}");
            }
        }
    }

    /// Shrinks the case of a family, if it fails; whether it is half as long then.
    fn shrinks(n: usize, name: &str) -> bool {
        let case = draw(name, 5).expect("a family");
        let fails = large(3);
        if !fails(&case) {
            return false;
        }
        let first = Size::of(&case);
        let one = shrunk(case.clone(), &fails);
        assert!(one.minimal && fails(&one.found), "{name}");
        assert_eq!(valid::valid(&one.found), Ok(()), "{name}");
        // No look is left where the launch alone makes it fail.
        let looks = |step: &Step| matches!(step, Step::Look { .. });
        assert!(!one.found.steps.iter().any(looks), "{name}");
        // Another search finds the same, of whatever kind; it takes as long.
        if n.is_multiple_of(5) {
            assert_eq!(shrunk(case, &fails).found, one.found, "{name}");
        }
        Size::of(&one.found).length * 2 < first.length
    }

    #[test]
    fn a_case_shrinks_to_a_smaller_one_that_fails() {
        // One thread would be at it long after all other tests.
        const THREADS: usize = 4;
        let of_thread = |thread: usize| {
            let all = FAMILIES.iter().enumerate().skip(thread).step_by(THREADS);
            all.filter(|(n, (family, kind, _))| shrinks(*n, &format!("{family}/{kind}")))
                .count()
        };
        let smaller: usize = std::thread::scope(|scope| {
            let all = (0..THREADS).map(|thread| scope.spawn(move || of_thread(thread)));
            let all: Vec<_> = all.collect();
            let each = all.into_iter().map(|one| one.join().expect("they shrink"));
            each.sum()
        });
        assert!(smaller > 5, "only {smaller} are half as long");
    }

    #[test]
    fn parts_beside_the_one_that_fails_take_few_trials() {
        for (kind, word) in [
            ("kernels/functions", "abs_diff("),
            ("kernels/conversions", "convert_char"),
            ("kernels/language", "sizeof"),
            ("kernels/printf", "~7:"),
            ("kernels/random", "compute0_1("),
        ] {
            let fails = |case: &KernelCase| case.source.contains(word);
            let mut cases = (0..).map(|seed| draw(kind, seed).expect("a family"));
            let case = cases.find(|case| fails(case)).expect("a case with it");
            let half = Size::of(&case).length / 2;
            let mut asked = 0;
            let small = shrink(
                case,
                &mut |case| {
                    asked += 1;
                    match (fails(case), asked > 60) {
                        (_, true) => Answer::Stop,
                        (true, _) => Answer::Fails,
                        (false, _) => Answer::Passes,
                    }
                },
                &mut |_, _| {},
            );
            assert!(Size::of(&small.found).length < half, "{kind}");
        }
    }

    #[test]
    fn transfers_go_that_have_nothing_to_do_with_it() {
        let fails = |case: &KernelCase| {
            let steps = case.steps.iter();
            let fills = steps.filter(|step| match step {
                Step::Move(moved) => {
                    matches!(moved.what, crate::kernels::transfer::Transfer::Fill(_))
                }
                Step::Launch(_)
                | Step::Record(_)
                | Step::Play(_)
                | Step::Update(_)
                | Step::Again(_)
                | Step::Finish
                | Step::Talk { .. }
                | Step::Host { .. }
                | Step::Point { .. }
                | Step::AskSubGroups { .. }
                | Step::AskKernels { .. }
                | Step::Listen
                | Step::Printed { .. }
                | Step::Look { .. } => false,
            });
            fills.count() > 0
        };
        for seed in 0..20 {
            let mut case = draw("transfer/buffer", seed).expect("the family");
            if !fails(&case) {
                continue;
            }
            // As read from a file that somebody wrote.
            case.drawn = None;
            assert_eq!(shrunk(case, &fails).found.steps.len(), 1);
        }
    }

    #[test]
    fn launches_keep_their_lists_when_steps_before_them_go() {
        let drawn = draw("ndrange/ids", 1).expect("the family");
        let launch = drawn.launches().next().expect("a launch").1.clone();
        let look = drawn.steps.iter().find(|s| matches!(s, Step::Look { .. }));
        let look = look.expect("a look");
        let launch_after = |after: &[u16]| {
            Step::Launch(super::super::case::Launch {
                after: after.to_vec(),
                ..launch.clone()
            })
        };
        let steps = [
            look.clone(),
            launch_after(&[]),
            look.clone(),
            Step::Finish,
            launch_after(&[1]),
            look.clone(),
            launch_after(&[1, 4]),
            look.clone(),
        ];
        let case = KernelCase {
            steps: steps.to_vec(),
            ..drawn
        };
        assert_eq!(valid::valid(&case), Ok(()));
        assert_eq!(spare(&case), [0, 2, 5, 7]);
        let small = without(&case, &spare(&case)).expect("a case");
        // Before the first launch there is nothing to wait for, and after the last one nothing waits.
        let left = [
            launch_after(&[]),
            Step::Finish,
            launch_after(&[0]),
            Step::Finish,
            launch_after(&[0, 2]),
        ];
        assert_eq!(small.steps, left);
        assert_eq!(valid::valid(&small), Ok(()));
    }
}
