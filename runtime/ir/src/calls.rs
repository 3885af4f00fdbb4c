//! Who calls whom. OpenCL C has no recursion (section 6.12): executors give every function one
//! place for its registers.

use crate::module::Module;
use crate::op::Op;
use crate::value::Loc;

/// For each function of a module, the functions it calls and where.
pub fn calls(module: &Module) -> Vec<Vec<(usize, Loc)>> {
    let of = |function: &crate::function::Function| {
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        let calls = insts.filter_map(|inst| match inst.op {
            Op::Call { callee, .. } => Some((callee.0 as usize, inst.loc)),
            _ => None,
        });
        calls.collect()
    };
    module.functions.iter().map(of).collect()
}

/// Whether a walk has come to a function.
#[derive(Clone, Copy)]
enum Visit {
    New,
    /// It is on the path from the root.
    Open,
    Done,
}

/// Calls `found` with each cycle of calls that a depth-first walk closes, from the function that
/// is called again to the one that calls it, and with the place of that call. `calls` has, for
/// each function, those it calls.
pub fn cycles<L: Copy>(calls: &[Vec<(usize, L)>], mut found: impl FnMut(&[usize], L)) {
    let mut visits = vec![Visit::New; calls.len()];
    for root in 0..calls.len() {
        if !matches!(visits[root], Visit::New) {
            continue;
        }
        // Functions on the path from the root, with the next call to look at.
        let mut path = vec![(root, 0)];
        visits[root] = Visit::Open;
        while let Some((function, next)) = path.last_mut() {
            let Some(&(callee, at)) = calls[*function].get(*next) else {
                visits[*function] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match visits.get(callee) {
                Some(Visit::New) => {
                    visits[callee] = Visit::Open;
                    path.push((callee, 0));
                }
                Some(Visit::Open) => {
                    let functions = path.iter().map(|&(function, _)| function);
                    let cycle: Vec<usize> = functions.skip_while(|&f| f != callee).collect();
                    found(&cycle, at);
                }
                Some(Visit::Done) | None => {}
            }
        }
    }
}
