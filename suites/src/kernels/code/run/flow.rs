//! Loops and switches: who goes where.

use super::super::number::LANES;
use super::super::*;
use super::memory::Cell;
use super::{Frame, Items, Left, Machine, Stop};

impl<'p> Machine<'p> {
    pub(super) fn counted(
        &mut self,
        of: &'p For,
        frame: Frame<'p>,
        on: Items,
    ) -> Result<Items, Stop> {
        let (mut on, mut out) = (on, Vec::new());
        let at = frame.base + self.layouts[frame.number].0[of.variable];
        let Shape::Number(ty) = frame.function.variables[of.variable].shape else {
            return Err("a loop counts what is no number".into());
        };
        for &item in &on {
            let first = self.eval(&of.first, frame, item)?;
            self.group.items[item as usize].cells[at] = Cell::Number(first);
        }
        while !on.is_empty() {
            let (yes, no) = self.divide(&of.goes_on, frame, on)?;
            out.extend(no);
            let turn = self.block(&of.body, frame, yes)?;
            out.extend(turn.broke);
            on = turn.on;
            on.extend(turn.continued);
            for &item in &on {
                let by = self.eval(&of.next.1, frame, item)?;
                let Cell::Number(now) = self.group.items[item as usize].cells[at] else {
                    return Err("a loop has lost its variable".into());
                };
                let (next, defined) =
                    of.next
                        .0
                        .of(ty.of, ty.number(&now), of.next.1.ty.number(&by));
                if !defined {
                    return Err("the variable of a loop overflows".into());
                }
                let mut value = [0; LANES];
                value[0] = next;
                self.group.items[item as usize].cells[at] = Cell::Number(value);
            }
        }
        Ok(out)
    }

    pub(super) fn switch(
        &mut self,
        value: &'p Expr,
        arms: &'p [Arm],
        frame: Frame<'p>,
        on: Items,
        left: &mut Left,
    ) -> Result<Items, Stop> {
        let mut to: Vec<Items> = vec![Vec::new(); arms.len()];
        let mut out = Vec::new();
        for &item in &on {
            let seen = self.eval(value, frame, item)?[0];
            let labelled = arms
                .iter()
                .position(|arm| arm.labels.iter().any(|label| label[0] == seen));
            match labelled.or_else(|| arms.iter().position(|arm| arm.default)) {
                Some(arm) => to[arm].push(item),
                None => out.push(item),
            }
        }
        let mut through = Vec::new();
        for (arm, mut on) in arms.iter().zip(to) {
            on.append(&mut through);
            let turn = self.block(&arm.body, frame, on)?;
            out.extend(turn.broke);
            left.continued.extend(turn.continued);
            if arm.ends {
                out.extend(turn.on);
            } else {
                through = turn.on;
            }
        }
        out.append(&mut through);
        Ok(out)
    }

    /// Those for whom a condition holds, and the others.
    pub(super) fn divide(
        &mut self,
        condition: &'p Expr,
        frame: Frame<'p>,
        on: Items,
    ) -> Result<(Items, Items), Stop> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for item in on {
            match self.eval(condition, frame, item)?[0] {
                0 => no.push(item),
                _ => yes.push(item),
            }
        }
        Ok((yes, no))
    }
}
