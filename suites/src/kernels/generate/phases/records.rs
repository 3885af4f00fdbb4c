//! Structures that work-items pass on in local memory.

use super::Phases;
use crate::kernels::code::number::*;
use crate::kernels::code::*;

impl Phases<'_, '_> {
    /// Each work-item fills a structure of its own, and copies that of another whole.
    pub(super) fn passed_on(&mut self, body: &mut Vec<Stmt>) {
        let Some((of, boxes)) = self.boxes else {
            return self.exchange(body);
        };
        let [own, other] = [(); 2].map(|()| self.author.variable(Shape::Struct(of)));
        body.push(Stmt::Declare(own, None));
        let value = self.value();
        self.author.fill(body, &Place::variable(own), Some(value));
        let me = self.me();
        body.push(Stmt::Copy(
            Place::variable(boxes).at(me),
            Place::variable(own),
        ));
        let barrier = Stmt::Barrier {
            local: true,
            global: false,
        };
        body.push(barrier.clone());
        let next = Place::variable(boxes).at(self.neighbour());
        if self.author.choices.percent(50) {
            body.push(Stmt::Declare(other, Some(Init::Whole(next))));
        } else {
            body.push(Stmt::Declare(other, None));
            body.push(Stmt::Copy(Place::variable(other), next));
        }
        let sum = self.author.sum(body);
        self.author.fold(body, sum, Place::variable(other));
        let sum = self.author.make.variable(sum, ULONG.scalar());
        let sum = self.author.make.cast(self.ty, sum);
        body.push(self.takes(Arithmetic::Xor, sum));
        body.push(barrier);
    }
}
