//! The order of blocks.

/// The blocks of a function, of which there are so many, that its entry, block 0, comes to, in reverse post-order: each
/// before those that only it leads to. `next` gives those that one leads to.
pub(crate) fn reverse_post_order(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    // Blocks on the way from the entry, with those after them that are left to go to.
    let mut path = vec![(0, next(0))];
    seen[0] = true;
    while let Some((block, left)) = path.last_mut() {
        match left.pop() {
            Some(to) if !std::mem::replace(&mut seen[to], true) => path.push((to, next(to))),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
