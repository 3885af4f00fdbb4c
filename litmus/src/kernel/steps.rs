//! When the threads of a test run: what is played one after the other.
//!
//! A test of Vulkan states which of its threads system-synchronize with which. No shader can do that: it is what
//! execution dependencies between dispatches do, and what host threads do that submit and wait. So the threads of a
//! launch fall into *steps*. All that a step does is ordered before the next one; within a step nothing is ordered
//! that the threads do not order themselves. Threads that only do operations on memory domains are no shaders: they
//! are the memory dependency between two steps ("Availability, Visibility, and Domain Operations").
//!
//! Where the stated order leaves a choice, a thread runs where the most threads may read what it writes and it may read
//! what the most write, with as many of them as it can and else as late as it can ([`choose`]). A launch orders more
//! than the test then, never less: [`played`] is the test with all that is ordered.

mod choose;

use super::operation::Operations;
use super::shape::{Inexpressible, Shape};
use crate::program::{
    Api, BarrierScope, DomainOp, Instr, Location, MemScope, Placement, Program, Region, Thread,
    ThreadId, each_instr,
};
use choose::Choice;

/// What a launch plays at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done to memory domains between the step before and this one, in order. Where it is nothing, the one
    /// runs after the other and sees no more of it than the threads provide for.
    pub before: Vec<DomainOp>,
    /// What runs on devices: indices into [`Shape::devices`].
    pub parts: Vec<usize>,
    /// The host threads.
    pub host: Vec<ThreadId>,
}

/// The order of a program's threads.
pub(super) struct Order {
    /// By thread; none for one that does nothing but operations on memory domains.
    steps: Vec<Option<usize>>,
    /// By step.
    before: Vec<Vec<DomainOp>>,
}

impl Order {
    /// The order that a program states.
    pub fn of(program: &Program) -> Result<Order, Inexpressible> {
        if program.api == Api::OpenCl {
            return Ok(Order {
                steps: vec![Some(0); program.threads.len()],
                before: vec![Vec::new()],
            });
        }
        check(program)?;
        let parts: Vec<Parts> = program
            .threads
            .iter()
            .map(Parts::of)
            .collect::<Result<_, _>>()?;
        let levels = levels(program, &parts)?;
        let mut order = Order {
            steps: vec![None; parts.len()],
            before: Vec::new(),
        };
        let mut pending = Vec::new();
        for level in 0..=levels.iter().copied().max().unwrap_or(0) {
            let here = || (0..parts.len()).filter(|&t| levels[t] == level);
            here().for_each(|t| pending.extend_from_slice(&parts[t].first));
            let acting: Vec<usize> = here().filter(|&t| parts[t].acts).collect();
            if !acting.is_empty() {
                let step = order.before.len();
                order.before.push(std::mem::take(&mut pending));
                acting.into_iter().for_each(|t| order.steps[t] = Some(step));
            }
            here().for_each(|t| pending.extend_from_slice(&parts[t].last));
        }
        Ok(order)
    }

    /// When a thread runs; none for one that no agent runs.
    pub fn step(&self, thread: ThreadId) -> Option<usize> {
        self.steps[thread.index()]
    }

    /// The steps of a shape whose threads are placed.
    pub fn steps(self, shape: &Shape) -> Vec<Step> {
        let host = |n| {
            let threads = shape.host.iter().copied();
            let at = &self.steps;
            threads.filter(move |thread| at[thread.index()] == Some(n))
        };
        let parts = |n| (0..shape.devices.len()).filter(move |&d| shape.devices[d].step == n);
        let each = self.before.iter().enumerate();
        each.map(|(n, before)| Step {
            before: before.clone(),
            parts: parts(n).collect(),
            host: host(n).collect(),
        })
        .collect()
    }
}

/// A thread's operations on memory domains, before and after what else it does.
struct Parts {
    first: Vec<DomainOp>,
    /// It has other instructions, or none at all.
    acts: bool,
    last: Vec<DomainOp>,
}

impl Parts {
    fn of(thread: &Thread) -> Result<Parts, Inexpressible> {
        let domain = |instr: &Instr| match instr {
            // What a host thread flushes and invalidates it does itself, wherever it stands.
            Instr::Domain(DomainOp::Flush(_) | DomainOp::Invalidate(_)) => None,
            Instr::Domain(operation) => Some(*operation),
            _ => None,
        };
        let all: Vec<Option<DomainOp>> = thread.body.iter().map(domain).collect();
        let first: Vec<DomainOp> = all.iter().map_while(|operation| *operation).collect();
        let acts = first.len() < all.len() || all.is_empty();
        let mut last = Vec::new();
        if acts {
            last.extend(all.iter().rev().map_while(|operation| *operation));
            last.reverse();
        }
        let mut count = 0;
        each_instr(&thread.body, &mut |instr| {
            count += usize::from(domain(instr).is_some());
        });
        if count > first.len() + last.len() {
            let what = "operations on memory domains among the instructions of a thread, which one dispatch has not";
            return Err(Inexpressible::BeyondDispatch(what));
        }
        Ok(Parts { first, acts, last })
    }
}

/// What must be played at once: the threads of a work-group, or one other thread.
fn units(program: &Program, parts: &[Parts]) -> Vec<usize> {
    let group = |t: usize| {
        let item = program.threads[t].placement.work_item()?;
        parts[t].acts.then_some(item.group())
    };
    let same = |t: usize| (0..t).find(|&other| group(t).is_some() && group(other) == group(t));
    (0..parts.len()).map(|t| same(t).unwrap_or(t)).collect()
}

/// For each thread the step, of all that any thread has, at which it runs or would.
fn levels(program: &Program, parts: &[Parts]) -> Result<Vec<usize>, Inexpressible> {
    let units = units(program, parts);
    let pairs = program.synchronized.iter();
    let edges: Vec<(usize, usize)> = pairs
        .map(|(before, after)| (units[before.index()], units[after.index()]))
        .collect();
    // The longest way to the end from each.
    let mut heights = vec![0; units.len()];
    for _ in 0..=units.len() {
        let mut settled = true;
        for &(before, after) in &edges {
            if heights[before] <= heights[after] {
                heights[before] = heights[after] + 1;
                settled = false;
            }
        }
        if settled {
            let most = heights.iter().copied().max().unwrap_or(0);
            let mut levels: Vec<usize> = heights.iter().map(|height| most - height).collect();
            Choice::new(program, &units, &edges).make(&mut levels, most);
            return Ok(units.iter().map(|&unit| levels[unit]).collect());
        }
    }
    Err(Inexpressible::BeyondDispatch(
        "threads of one workgroup that system-synchronize, and all of a workgroup are in one dispatch",
    ))
}

/// A test as launches play it: each thread of a step system-synchronizes with each of a later one. None where no launch
/// can.
pub fn played(program: &Program) -> Option<Program> {
    let order = Order::of(program).ok()?;
    let mut played = program.clone();
    let threads = || (0..program.threads.len() as u32).map(ThreadId);
    for (before, after) in threads().flat_map(|one| threads().map(move |other| (one, other))) {
        let follows = order
            .step(before)
            .zip(order.step(after))
            .is_some_and(|(b, a)| b < a);
        if follows && !played.synchronized.contains(&(before, after)) {
            played.synchronized.push((before, after));
        }
    }
    Some(played)
}

/// The location whose memory a location is.
fn behind<'p>(program: &'p Program, location: &'p Location) -> &'p Location {
    location
        .alias
        .map_or(location, |of| &program.locations[of.index()])
}

/// Whether compute shaders and host threads can play a test at all.
fn check(program: &Program) -> Result<(), Inexpressible> {
    let beyond = |what| Err(Inexpressible::BeyondDispatch(what));
    for location in &program.locations {
        let regions = [location.region, behind(program, location).region];
        if regions.contains(&Region::Output) || regions.contains(&Region::Input) {
            return beyond("inputs or outputs of shaders, and compute shaders have none");
        }
        if regions.contains(&Region::Local) && location.alias.is_some() {
            return beyond("two references to Workgroup memory");
        }
        if location.region == Region::Image && location.ty.bits() != 32 {
            return beyond("images whose texels are not of 32 bits");
        }
    }
    if Operations::of(program).names(MemScope::AllSvmDevices) {
        return beyond("operations of CrossDevice scope, which Vulkan's shaders do not have");
    }
    let mut what = None;
    for thread in &program.threads {
        let host = thread.placement == Placement::Host;
        if thread
            .placement
            .work_item()
            .is_some_and(|item| item.device > 0)
        {
            return beyond("several devices, and memory belongs to one");
        }
        each_instr(&thread.body, &mut |instr| match instr {
            Instr::Domain(DomainOp::Free(_)) => {
                what = Some("freed memory, and a launch's is kept for the next one");
            }
            Instr::Domain(operation) if host && !operation.is_call() => {
                what = Some("operations of the device domain on the host");
            }
            Instr::Barrier(barrier) => match barrier.group {
                BarrierScope::WorkGroup | BarrierScope::SubGroup => {}
                BarrierScope::QueueFamily | BarrierScope::Device => {
                    what = Some("barriers of more than a workgroup");
                }
            },
            _ => {}
        });
    }
    what.map_or(Ok(()), beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::read_litmus;

    fn shape(name: &str, edit: impl Fn(String) -> String) -> Result<Shape, Inexpressible> {
        let shipped = crate::shipped_vulkan();
        let (_, text) = shipped.iter().find(|(of, _)| *of == name).expect(name);
        let program = read_litmus(name, &edit((*text).to_owned())).expect("a test");
        Shape::of(&program)
    }

    fn threads(shape: &Shape) -> Vec<Vec<u32>> {
        let of = |step: &Step| {
            let parts = step
                .parts
                .iter()
                .flat_map(|&part| &shape.devices[part].groups);
            let threads = parts.flat_map(|group| group.threads());
            let mut all: Vec<u32> = threads
                .chain(step.host.iter().copied())
                .map(|t| t.0)
                .collect();
            all.sort_unstable();
            all
        };
        shape.steps.iter().map(of).collect()
    }

    #[test]
    fn threads_that_system_synchronize_are_steps() {
        use DomainOp::{Available, Visible};
        let before = |shape: &Shape| -> Vec<Vec<DomainOp>> {
            shape.steps.iter().map(|step| step.before.clone()).collect()
        };
        let same = |text: String| text;
        let plain = shape("MP+rel+acq", same).expect("a shape");
        assert_eq!(threads(&plain), [[0, 1]]);
        let bare = shape("SSW+MP", same).expect("a shape");
        assert_eq!(threads(&bare), [[0], [1]]);
        assert_eq!(before(&bare), [vec![], vec![]]);
        let whole = shape("SSW+device", same).expect("a shape");
        assert_eq!(threads(&whole), [[0], [2]]);
        assert_eq!(before(&whole), [vec![], vec![Available, Visible]]);
        let wrong = shape("SSW+device+order", same).expect("a shape");
        assert_eq!(before(&wrong), [vec![], vec![Visible, Available]]);
        let early = shape("SSW+device+before", same).expect("a shape");
        assert_eq!(threads(&early), [[0], [2]]);
        assert_eq!(before(&early), [vec![Available, Visible], vec![]]);
        let fence = shape("SSW+device+av-dv", same).expect("a shape");
        assert_eq!(threads(&fence), [[0], [1], [2]]);
        assert_eq!(before(&fence), [vec![], vec![], vec![Visible]]);
        let further = shape("SSW+MP+further", same).expect("a shape");
        assert_eq!(
            threads(&further),
            [vec![0], vec![1, 2]],
            "who is free runs where it may read the others"
        );
        for name in ["Hosts+MP+submit", "Hosts+MP+release-itself"] {
            let hosts = shape(name, same).expect("a shape");
            assert_eq!(
                threads(&hosts),
                [vec![0, 1], vec![2]],
                "{name}: who is read runs with its reader"
            );
        }
        let host = shape("SSW+device+host-read", same).expect("a shape");
        assert_eq!(threads(&host), [[0], [2]]);
        assert_eq!(host.steps[1].host, [ThreadId(2)]);
    }

    #[test]
    fn what_is_together_stays_together() {
        let one = |text: String| text.replace("wg 1", "wg 0");
        let refused = shape("SSW+MP", one).expect_err("both are in one workgroup");
        assert!(refused.to_string().contains("workgroup"), "{refused}");
        let round = |text: String| text.replace("ssw 0 1;", "ssw 0 1; ssw 1 0;");
        assert!(shape("SSW+MP", round).is_err());
    }
}
