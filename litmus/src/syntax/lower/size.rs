//! Bounds on what the lowering makes, so that whoever walks a program may recurse.

use super::thread::ThreadLowering;
use crate::program::{Access, Address, Expected, Expr, Instr, Predicate};
use crate::syntax::error::{Outcome, Problem, Span};
use crate::syntax::limits::{MAX_BLOCKS, MAX_HEIGHT, MAX_INSTRUCTIONS};

impl ThreadLowering<'_> {
    /// Counts an instruction, and checks how deep it and its expressions are.
    pub(super) fn check_size(&mut self, instr: &Instr, span: Span) -> Outcome<()> {
        self.instructions += 1;
        if self.instructions > MAX_INSTRUCTIONS {
            return Err(Problem::new(
                span,
                format!("a thread has more than {MAX_INSTRUCTIONS} instructions"),
                "one too many",
            ));
        }
        if blocks(instr) > MAX_BLOCKS {
            return Err(Problem::new(
                span,
                format!("statements nest more than {MAX_BLOCKS} levels deep"),
                "too deep",
            ));
        }
        if own_expressions(instr) > MAX_HEIGHT {
            return Err(Problem::new(
                span,
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
        return Err(Problem::new(
            span,
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
    let deepest = |body: &[Instr]| body.iter().map(blocks).max().unwrap_or(0);
    1 + match instr {
        Instr::Assign { .. }
        | Instr::Effect(_)
        | Instr::Store { .. }
        | Instr::Fence { .. }
        | Instr::Barrier(_)
        | Instr::Return
        | Instr::Host(_) => 0,
        Instr::If {
            then, otherwise, ..
        } => deepest(then).max(deepest(otherwise)),
        Instr::While { body, .. } => deepest(body),
    }
}

/// Height of the expressions of the instruction itself; those of nested instructions were checked
/// when they were made.
fn own_expressions(instr: &Instr) -> u32 {
    match instr {
        Instr::Assign { value, .. } | Instr::Effect(value) => height(value),
        Instr::Store { access, value } => access_height(access).max(height(value)),
        Instr::If { condition, .. } | Instr::While { condition, .. } => height(condition),
        Instr::Fence { .. } | Instr::Barrier(_) | Instr::Return | Instr::Host(_) => 0,
    }
}

fn access_height(access: &Access) -> u32 {
    address_height(&access.address)
}

fn address_height(address: &Address) -> u32 {
    address.index.as_deref().map_or(0, height)
}

fn height(expr: &Expr) -> u32 {
    1 + match expr {
        Expr::Const(_) | Expr::Reg(_) => 0,
        Expr::Unary(_, operand) => height(operand),
        Expr::Binary(_, left, right) => height(left).max(height(right)),
        Expr::Select(condition, yes, no) => height(condition).max(height(yes)).max(height(no)),
        Expr::Load(access) => access_height(access),
        Expr::Rmw {
            address, operand, ..
        } => address_height(address).max(height(operand)),
        Expr::Cas {
            address,
            expected,
            desired,
            ..
        } => {
            let expected = match expected {
                Expected::Location(address) => address_height(address),
                Expected::Register(_) => 0,
            };
            address_height(address).max(expected).max(height(desired))
        }
    }
}
