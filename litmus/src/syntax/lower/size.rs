//! Bounds on what the lowering makes, so that whoever walks a program may recurse.

use super::thread::ThreadLowering;
use crate::program::{Expr, Instr, Predicate};
use crate::syntax::error::{Outcome, Span};
use crate::syntax::limits::{MAX_BLOCKS, MAX_HEIGHT, MAX_INSTRUCTIONS};

impl ThreadLowering<'_> {
    /// [`Self::check_size`] of an instruction and of those in it.
    pub(super) fn check_whole(&mut self, instr: &Instr, span: Span) -> Outcome<()> {
        self.check_size(instr, span)?;
        if blocks(instr) > MAX_BLOCKS {
            return Ok(());
        }
        let mut inside = instr.blocks().flatten();
        inside.try_for_each(|inner| self.check_whole(inner, span))
    }

    /// Counts an instruction, and checks how deep it and its expressions are.
    pub(super) fn check_size(&mut self, instr: &Instr, span: Span) -> Outcome<()> {
        self.instructions += 1;
        if self.instructions > MAX_INSTRUCTIONS {
            return Err(span.problem(
                format!("a thread has more than {MAX_INSTRUCTIONS} instructions"),
                "one too many",
            ));
        }
        if blocks(instr) > MAX_BLOCKS {
            return Err(span.problem(
                format!("statements nest more than {MAX_BLOCKS} levels deep"),
                "too deep",
            ));
        }
        if own_expressions(instr) > MAX_HEIGHT {
            return Err(span
                .problem(
                    format!("an expression nests more than {MAX_HEIGHT} operators deep"),
                    "too deep",
                )
                .help("compute parts of it in registers first"));
        }
        Ok(())
    }
}

/// Fails where a predicate is too deep.
pub(super) fn check_predicate(predicate: &Predicate, span: Span) -> Outcome<()> {
    if predicate_height(predicate) > MAX_HEIGHT {
        return Err(span.problem(
            format!("a question nests more than {MAX_HEIGHT} levels deep"),
            "too deep",
        ));
    }
    Ok(())
}

fn predicate_height(predicate: &Predicate) -> u32 {
    1 + match predicate {
        Predicate::Bool(_) | Predicate::Compare(..) => 0,
        Predicate::Not(inner) => predicate_height(inner),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().map(predicate_height).max().unwrap_or(0)
        }
    }
}

/// Levels of statements, the instruction's own included.
fn blocks(instr: &Instr) -> u32 {
    let inside = instr.blocks().flatten();
    1 + inside.map(blocks).max().unwrap_or(0)
}

/// Height of the expressions of the instruction itself; those of nested instructions were checked
/// when they were made.
fn own_expressions(instr: &Instr) -> u32 {
    instr.expressions().map(height).max().unwrap_or(0)
}

fn height(expr: &Expr) -> u32 {
    1 + expr.parts().map(height).max().unwrap_or(0)
}
