//! Shapes: cycles of edges, and the accesses, values and final state that each cycle stands for.
//!
//! An outcome that closes the cycle cannot come from an interleaving, since each edge says that its
//! first access takes effect before its second. Whether a model allows it is then a matter of the
//! orders, scopes and fences that a [`Test`](super::Test) puts on the accesses.

/// A read or a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dir {
    /// A read.
    R,
    /// A write.
    W,
}

/// One edge of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Program order between different locations.
    Pod(Dir, Dir),
    /// Program order on one location.
    Pos(Dir, Dir),
    /// A read that another thread's write gives its value.
    Rfe,
    /// A read of a value that another thread's write replaces.
    Fre,
    /// A write that another thread's write replaces.
    Coe,
    /// As `Rfe`, within a thread.
    Rfi,
    /// As `Fre`, within a thread.
    Fri,
    /// As `Coe`, within a thread.
    Coi,
    /// The read and the write of one read-modify-write.
    Rmw,
}

use Dir::{R, W};
use Edge::{Coe, Coi, Fre, Fri, Pod, Pos, Rfe, Rfi, Rmw};

const ALL: [Edge; 15] = [
    Pod(R, R),
    Pod(R, W),
    Pod(W, R),
    Pod(W, W),
    Pos(R, R),
    Pos(R, W),
    Pos(W, R),
    Pos(W, W),
    Rfe,
    Fre,
    Coe,
    Rfi,
    Fri,
    Coi,
    Rmw,
];

/// The shapes that have a name of their own, each from the thread that it is usually listed from.
const NAMED: &[(&str, &[Edge])] = &[
    ("MP", &[Pod(W, W), Rfe, Pod(R, R), Fre]),
    ("SB", &[Pod(W, R), Fre, Pod(W, R), Fre]),
    ("LB", &[Pod(R, W), Rfe, Pod(R, W), Rfe]),
    ("S", &[Pod(W, W), Rfe, Pod(R, W), Coe]),
    ("R", &[Pod(W, W), Coe, Pod(W, R), Fre]),
    ("2+2W", &[Pod(W, W), Coe, Pod(W, W), Coe]),
    ("WRC", &[Rfe, Pod(R, W), Rfe, Pod(R, R), Fre]),
    ("WWC", &[Rfe, Pod(R, W), Rfe, Pod(R, W), Coe]),
    ("RWC", &[Rfe, Pod(R, R), Fre, Pod(W, R), Fre]),
    ("WRW+WR", &[Rfe, Pod(R, W), Coe, Pod(W, R), Fre]),
    ("WRR+2W", &[Rfe, Pod(R, R), Fre, Pod(W, W), Coe]),
    ("WRW+2W", &[Rfe, Pod(R, W), Coe, Pod(W, W), Coe]),
    ("IRIW", &[Rfe, Pod(R, R), Fre, Rfe, Pod(R, R), Fre]),
    ("IRRWIW", &[Rfe, Pod(R, R), Fre, Rfe, Pod(R, W), Coe]),
    ("IRWIW", &[Rfe, Pod(R, W), Coe, Rfe, Pod(R, W), Coe]),
    ("ISA2", &[Pod(W, W), Rfe, Pod(R, W), Rfe, Pod(R, R), Fre]),
    ("3.SB", &[Pod(W, R), Fre, Pod(W, R), Fre, Pod(W, R), Fre]),
    ("3.LB", &[Pod(R, W), Rfe, Pod(R, W), Rfe, Pod(R, W), Rfe]),
    ("3.2W", &[Pod(W, W), Coe, Pod(W, W), Coe, Pod(W, W), Coe]),
    ("W+RWC", &[Pod(W, W), Rfe, Pod(R, R), Fre, Pod(W, R), Fre]),
    ("Z6.0", &[Pod(W, W), Rfe, Pod(R, W), Coe, Pod(W, R), Fre]),
    ("Z6.1", &[Pod(W, W), Coe, Pod(W, W), Rfe, Pod(R, W), Coe]),
    ("Z6.2", &[Pod(W, W), Rfe, Pod(R, W), Rfe, Pod(R, W), Coe]),
    ("Z6.3", &[Pod(W, W), Coe, Pod(W, W), Rfe, Pod(R, R), Fre]),
    ("Z6.4", &[Pod(W, W), Coe, Pod(W, R), Fre, Pod(W, R), Fre]),
    ("Z6.5", &[Pod(W, W), Coe, Pod(W, W), Coe, Pod(W, R), Fre]),
    ("CoRR", &[Rfe, Pos(R, R), Fre]),
    ("CoRW", &[Rfe, Pos(R, W), Coe]),
    ("CoWR", &[Pos(W, R), Fre, Coe]),
    ("CoWW", &[Pos(W, W), Rfe, Fre]),
    (
        "MP-po-rfi-po",
        &[Pod(W, W), Rfe, Pod(R, W), Rfi, Pod(R, R), Fre],
    ),
    (
        "MP-po-fri-po",
        &[Pod(W, W), Rfe, Pod(R, R), Fri, Pod(W, R), Fre],
    ),
    (
        "S-po-rfi-po",
        &[Pod(W, W), Rfe, Pod(R, W), Rfi, Pod(R, W), Coe],
    ),
    (
        "LB-po-rfi-po",
        &[Pod(R, W), Rfe, Pod(R, W), Rfi, Pod(R, W), Rfe],
    ),
    ("SB-rfi-po", &[Rfi, Pod(R, R), Fre, Rfi, Pod(R, R), Fre]),
    ("MP-pos-po", &[Pod(W, W), Rfe, Pos(R, R), Pod(R, R), Fre]),
    ("MP-po-pos", &[Pod(W, W), Rfe, Pod(R, R), Pos(R, R), Fre]),
    ("LB-pos-po", &[Pod(R, W), Rfe, Pos(R, R), Pod(R, W), Rfe]),
    ("MP-rmw", &[Pod(W, W), Rfe, Rmw, Rfe, Pod(R, R), Fre]),
];

/// An access of a shape: the value that it must read, the value that it writes, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Number of the location.
    pub location: usize,
    /// What the outcome says that it reads.
    pub read: Option<i64>,
    /// What it writes.
    pub write: Option<i64>,
    /// It reads what another thread wrote.
    pub receives: bool,
}

/// A cycle with everything that follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Its name in the literature, or its edges.
    pub name: String,
    /// The cycle; its first edge starts at the first access of the first thread.
    pub edges: Vec<Edge>,
    /// The accesses of each thread.
    pub threads: Vec<Vec<Slot>>,
    /// The final value of each location, where more than one write makes it worth asking.
    pub finals: Vec<Option<i64>>,
}

impl Edge {
    fn from(self) -> Dir {
        match self {
            Pod(from, _) | Pos(from, _) => from,
            Rfe | Coe | Rfi | Coi => W,
            Fre | Fri | Rmw => R,
        }
    }

    fn to(self) -> Dir {
        match self {
            Pod(_, to) | Pos(_, to) => to,
            Rfe | Rfi => R,
            Fre | Coe | Fri | Coi | Rmw => W,
        }
    }

    /// It leads from one thread to another.
    fn external(self) -> bool {
        match self {
            Rfe | Fre | Coe => true,
            Pod(..) | Pos(..) | Rfi | Fri | Coi | Rmw => false,
        }
    }

    fn changes_location(self) -> bool {
        matches!(self, Pod(..))
    }

    /// Communication within a thread, which means something only beside program order.
    fn internal(self) -> bool {
        matches!(self, Rfi | Fri | Coi)
    }

    /// Whether a cycle with this edge and then `next` says more than one that is shorter.
    fn goes_before(self, next: Edge) -> bool {
        if self.to() != next.from() {
            return false;
        }
        match (self.external(), next.external()) {
            // the other pairs are a single communication together
            (true, true) => matches!((self, next), (Coe | Fre, Rfe)),
            (true, false) | (false, true) => true,
            // longer threads are those that program order and communication within them make
            (false, false) => {
                let links = |edge: Edge| edge.internal() || edge == Rmw || edge == Pos(R, R);
                self.changes_location() && links(next) || links(self) && next.changes_location()
            }
        }
    }
}

/// Edges as one word, `PodWW-Rfe-PodRR-Fre`.
pub fn spell(edges: &[Edge]) -> String {
    let words: Vec<String> = edges
        .iter()
        .map(|edge| match edge {
            Pod(a, b) => format!("Pod{a:?}{b:?}"),
            Pos(a, b) => format!("Pos{a:?}{b:?}"),
            Rfe | Fre | Coe | Rfi | Fri | Coi | Rmw => format!("{edge:?}"),
        })
        .collect();
    words.join("-")
}

/// The least rotation of a cycle that starts where a thread starts.
fn canonical(edges: &[Edge]) -> Vec<Edge> {
    let n = edges.len();
    (0..n)
        .filter(|start| edges[(start + n - 1) % n].external())
        .map(|start| (0..n).map(|i| edges[(start + i) % n]).collect::<Vec<_>>())
        .min()
        .unwrap_or_else(|| edges.to_vec())
}

/// Every shape with so many threads and edges: the named ones first, then by size and edges.
pub fn shapes(
    threads: std::ops::RangeInclusive<usize>,
    edges: std::ops::RangeInclusive<usize>,
) -> Vec<Shape> {
    let mut cycles: Vec<Vec<Edge>> = NAMED.iter().map(|(_, cycle)| cycle.to_vec()).collect();
    let known: Vec<Vec<Edge>> = cycles.iter().map(|cycle| canonical(cycle)).collect();
    for size in 3..=6 {
        let mut found = Vec::new();
        extend(&mut Vec::new(), size, &mut found);
        found.sort_unstable();
        found.retain(|cycle| !known.contains(cycle));
        cycles.append(&mut found);
    }
    cycles
        .into_iter()
        .filter(|cycle| edges.contains(&cycle.len()))
        .filter_map(|cycle| Shape::of(&cycle))
        .filter(|shape| threads.contains(&shape.threads.len()))
        .collect()
}

/// Every cycle of `size` edges that starts with `prefix`, in its least rotation.
fn extend(prefix: &mut Vec<Edge>, size: usize, found: &mut Vec<Vec<Edge>>) {
    if prefix.len() == size {
        if sensible(prefix) && canonical(prefix) == *prefix {
            found.push(prefix.clone());
        }
        return;
    }
    for edge in ALL {
        if prefix.last().is_none_or(|last| last.goes_before(edge)) {
            prefix.push(edge);
            extend(prefix, size, found);
            prefix.pop();
        }
    }
}

fn sensible(cycle: &[Edge]) -> bool {
    let n = cycle.len();
    let count = |wanted: fn(Edge) -> bool| cycle.iter().filter(|e| wanted(**e)).count();
    let (externals, pods) = (count(Edge::external), count(Edge::changes_location));
    let closes = cycle[n - 1].goes_before(cycle[0]);
    if !closes || !(2..=4).contains(&externals) || pods == 1 {
        return false;
    }
    let around = |i: usize| (cycle[(i + n - 1) % n], cycle[i], cycle[(i + 1) % n]);
    (0..n).all(|i| {
        let (before, edge, after) = around(i);
        let beside = before.changes_location() || after.changes_location();
        match edge {
            // program order on one location is what a cycle on one location is about; beside other
            // locations communication says which it is, but for two reads
            Pos(R, R) if pods > 0 => {
                before == Rfe && after.changes_location()
                    || before.changes_location() && after == Fre
            }
            Pos(..) => pods == 0,
            Rfi | Fri | Coi => beside,
            Rfe | Fre | Coe | Pod(..) | Rmw => true,
        }
    }) && (pods > 0 || cycle.iter().any(|e| matches!(e, Pos(..))))
        && (0..n).all(|i| {
            // a thread enters its cycle at one location and leaves it at another: at most two
            // edges of program order, and those within the locations around and between them
            (0..4).any(|k| cycle[(i + k) % n].external())
        })
}

impl Shape {
    /// Whether the literature has a name for it.
    pub fn named(&self) -> bool {
        NAMED.iter().any(|(_, cycle)| *cycle == self.edges)
    }

    /// Whether it consists of external communication and program order between locations.
    pub fn elementary(&self) -> bool {
        self.edges
            .iter()
            .all(|edge| edge.external() || edge.changes_location())
    }

    /// The shape of a cycle, or `None` where its edges contradict each other, or where more writes
    /// go to a location than its reads and its final value tell apart.
    fn of(cycle: &[Edge]) -> Option<Shape> {
        let n = cycle.len();
        let pods = cycle.iter().filter(|e| e.changes_location()).count();
        let mut location_of = Vec::with_capacity(n);
        let mut location = 0;
        for edge in cycle {
            location_of.push(location % pods.max(1));
            location += usize::from(edge.changes_location());
        }
        let received = |i: usize| matches!(cycle[(i + n - 1) % n], Rfe | Rfi);
        let next = |i: usize| (i + 1) % n;
        // who must come before whom in modification order
        let mut before: Vec<(usize, usize)> = Vec::new();
        for (i, edge) in cycle.iter().enumerate() {
            match edge {
                Coe | Coi => before.push((i, next(i))),
                Fre | Fri | Rmw if received(i) => before.push(((i + n - 1) % n, next(i))),
                Fre | Fri | Rmw | Rfe | Rfi | Pod(..) | Pos(..) => {}
            }
        }
        let locations = pods.max(1);
        let mut position = vec![0i64; n];
        let mut finals = vec![None; locations];
        let mut orders = vec![Vec::new(); locations];
        for at in 0..locations {
            let mut left: Vec<usize> = (0..n)
                .filter(|&i| location_of[i] == at && cycle[i].from() == W)
                .collect();
            let updates = left
                .iter()
                .filter(|&&w| cycle[(w + n - 1) % n] == Rmw)
                .count();
            if left.len() > 2 + updates {
                return None;
            }
            while !left.is_empty() {
                let free = left
                    .iter()
                    .position(|w| !before.iter().any(|(a, b)| b == w && left.contains(a)))?;
                let write = left.remove(free);
                orders[at].push(write);
                position[write] = orders[at].len() as i64;
            }
            if orders[at].len() > 1 {
                finals[at] = Some(orders[at].len() as i64);
            }
        }
        // a read gets the value it receives, or the one just before that which replaces it; of two
        // reads of one location beside others, both get what the one in the communication gets
        let reads = |i: usize| {
            let before = (i + n - 1) % n;
            let replaced = |i: usize| matches!(cycle[i], Fre | Fri | Rmw);
            if received(i) {
                position[before]
            } else if replaced(i) {
                position[next(i)] - 1
            } else if cycle[before] == Pos(R, R) && received(before) {
                position[(before + n - 1) % n]
            } else if cycle[i] == Pos(R, R) && replaced(next(i)) {
                position[next(next(i))] - 1
            } else {
                0
            }
        };
        let mut threads: Vec<Vec<Slot>> = vec![Vec::new()];
        let mut i = 0;
        while i < n {
            let mut last = i;
            let mut slot = Slot {
                location: location_of[i],
                read: None,
                write: None,
                receives: matches!(cycle[(i + n - 1) % n], Rfe),
            };
            match cycle[i].from() {
                R => slot.read = Some(reads(i)),
                W => slot.write = Some(position[i]),
            }
            if cycle[i] == Rmw {
                last = next(i);
                slot.write = Some(position[last]);
                i += 1;
            }
            threads.last_mut()?.push(slot);
            if cycle[last].external() && i + 1 < n {
                threads.push(Vec::new());
            }
            i += 1;
        }
        let name = NAMED
            .iter()
            .find(|(_, named)| *named == cycle)
            .map_or_else(|| spell(cycle), |(name, _)| (*name).to_string());
        Some(Shape {
            name,
            edges: cycle.to_vec(),
            threads,
            finals,
        })
    }
}
