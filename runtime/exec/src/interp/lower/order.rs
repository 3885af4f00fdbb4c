//! In which order the blocks of a function are, so that work-items which took different ways meet again.
//!
//! Where some items of a sub-group wait for a shuffle and others for one further on, the first ones must be let go
//! first: they may come to the other one, too. So blocks are in a weak topological order: a block stands
//! before those that can be reached from it, and where blocks reach each other, they are a loop, stand
//! together with its head first, and the rest is in such an order for itself.
//!
//! F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993, section 4.

use touchstone_ir::Function;

/// The successors of blocks, by number.
pub(crate) type Graph = Vec<Vec<usize>>;

/// By block: its number in the order.
pub(super) fn order(function: &Function) -> Vec<u32> {
    let graph: Graph = function
        .blocks
        .iter()
        .map(|block| {
            let mut next = Vec::new();
            block.term.for_each_target(|to| next.push(to.0 as usize));
            next
        })
        .collect();
    numbered(&graph)
}

/// The numbers of blocks, of which the first is where a function begins.
pub(crate) fn numbered(graph: &Graph) -> Vec<u32> {
    let mut numbers = vec![0; graph.len()];
    let mut next = 0;
    // Blocks that are still to be put in order, the first of them last; a set of one has its place.
    let mut left = vec![(0..graph.len()).collect::<Vec<_>>()];
    while let Some(blocks) = left.pop() {
        if let [only] = blocks[..] {
            numbers[only] = next;
            next += 1;
            continue;
        }
        // The loops of the set in reverse order, so that the first one is taken up first.
        for mut part in components(graph, &blocks) {
            if let [_] = part[..] {
                left.push(part);
                continue;
            }
            let head = head(graph, &part);
            part.retain(|&block| block != head);
            left.push(part);
            left.push(vec![head]);
        }
    }
    numbers
}

/// The block of a loop by which it is entered, the first one where there are several.
fn head(graph: &Graph, part: &[usize]) -> usize {
    let mut inside = vec![false; graph.len()];
    part.iter().for_each(|&block| inside[block] = true);
    let entered = (0..graph.len())
        .filter(|&from| !inside[from])
        .flat_map(|from| graph[from].iter().copied())
        .filter(|&to| inside[to]);
    // A function begins with its first block, which nothing need lead to.
    let start = part.iter().copied().find(|&block| block == 0);
    start
        .or(entered.min())
        .or(part.iter().copied().min())
        .unwrap_or(0)
}

/// The strongly connected components of some blocks, each after those that can be reached from it.
///
/// R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.
fn components(graph: &Graph, blocks: &[usize]) -> Vec<Vec<usize>> {
    const OUTSIDE: usize = usize::MAX;
    const NEW: usize = usize::MAX - 1;
    const DONE: usize = usize::MAX - 2;
    // By block: when it was met, or one of the above; and the earliest one that it leads back to.
    let mut met = vec![OUTSIDE; graph.len()];
    let mut low = vec![0; graph.len()];
    blocks.iter().for_each(|&block| met[block] = NEW);
    let mut clock = 0;
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for &root in blocks {
        // The way to where the search is: blocks, and how many of their successors were looked at.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if met[root] == NEW {
            way.push((root, 0));
        }
        while let Some(&mut (block, ref mut looked)) = way.last_mut() {
            if *looked == 0 {
                (met[block], low[block]) = (clock, clock);
                clock += 1;
                open.push(block);
            }
            let next = graph[block].get(*looked).copied();
            *looked += 1;
            match next {
                Some(to) if met[to] == NEW => way.push((to, 0)),
                Some(to) if met[to] < DONE => low[block] = low[block].min(met[to]),
                Some(_) => {}
                None => {
                    way.pop();
                    if let Some(&(before, _)) = way.last() {
                        low[before] = low[before].min(low[block]);
                    }
                    if low[block] == met[block] {
                        let from = open.iter().rposition(|&b| b == block).unwrap_or(0);
                        let mut part = open.split_off(from);
                        part.iter().for_each(|&b| met[b] = DONE);
                        part.sort_unstable();
                        found.push(part);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(graph: &[&[usize]]) -> Vec<usize> {
        let graph: Graph = graph.iter().map(|next| next.to_vec()).collect();
        let numbers = numbered(&graph);
        let mut blocks: Vec<usize> = (0..graph.len()).collect();
        blocks.sort_by_key(|&block| numbers[block]);
        blocks
    }

    #[test]
    fn what_joins_comes_after_both_ways_whatever_its_number() {
        // 0 branches to 2 and 3, which join in 1; the way over 3 has a branch of its own.
        let graph: &[&[usize]] = &[&[2, 3], &[], &[1], &[4, 1], &[1]];
        let found = ordered(graph);
        assert_eq!((found[0], found[4]), (0, 1));
        let at = |block| found.iter().position(|&b| b == block);
        assert!(at(3) < at(4));
    }

    #[test]
    fn a_loop_comes_before_what_is_behind_it() {
        // 0 → 1; 1 is the head of a loop over 3, which leaves to 2. Within it, 3 is the head of a loop over 4.
        let graph: &[&[usize]] = &[&[1], &[2, 3], &[], &[4, 5], &[3], &[1]];
        assert_eq!(ordered(graph), [0, 1, 3, 4, 5, 2]);
        // The same where the head of the outer one is met from within.
        let graph: &[&[usize]] = &[&[4], &[4], &[], &[1, 5], &[3, 2], &[3]];
        assert_eq!(ordered(graph), [0, 4, 3, 5, 1, 2]);
    }

    #[test]
    fn blocks_that_nothing_leads_to_and_loops_with_two_entries_have_places() {
        let graph: &[&[usize]] = &[&[1, 2], &[2], &[1, 3], &[], &[3]];
        let mut found = ordered(graph);
        let at = |block| found.iter().position(|&b| b == block);
        assert!(at(0) < at(1) && at(0) < at(2) && at(2) < at(3) && at(4) < at(3));
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4]);
    }

    /// Against the definition: of two blocks of which one reaches the other and not the reverse, that one is first.
    #[test]
    fn random_graphs_are_in_order() {
        let mut seed = 7_u64;
        let mut draw = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        for _ in 0..300 {
            let size = 2 + draw(9);
            let graph: Graph = (0..size)
                .map(|_| (0..draw(3)).map(|_| draw(size)).collect())
                .collect();
            let numbers = numbered(&graph);
            let mut reach = vec![vec![false; size]; size];
            for (from, next) in graph.iter().enumerate() {
                next.iter().for_each(|&to| reach[from][to] = true);
            }
            for middle in 0..size {
                for from in 0..size {
                    for to in 0..size {
                        reach[from][to] |= reach[from][middle] && reach[middle][to];
                    }
                }
            }
            for from in 0..size {
                for to in 0..size {
                    if from != to && reach[from][to] && !reach[to][from] {
                        assert!(numbers[from] < numbers[to], "{graph:?}: {from}, {to}");
                    }
                }
            }
            let mut all = numbers.clone();
            all.sort_unstable();
            assert_eq!(all, (0..size as u32).collect::<Vec<_>>());
        }
    }
}
