//! What all readings of a model's text say of a question together, asked of as few of them as it takes.
//!
//! The strictest and the weakest reading bound the others ([`Bounds`]): what the strictest allows all allow, what the
//! weakest forbids all forbid. So the weakest is asked only about what the strictest forbids.

use super::{Judgement, Model};
use crate::cat::Bounds;

/// A model as questions are put to it.
#[derive(Debug, Clone, Copy)]
pub struct Readings<'m> {
    /// The model.
    pub model: &'m Model,
    /// What bounds all readings of its text; none where it is asked alone.
    pub bounds: Option<&'m Bounds>,
}

/// What readings allow.
#[derive(Debug, Clone)]
pub struct Said {
    /// What every reading allows.
    pub allowed: Judgement,
    /// What some reading allows; none where the question did not take it, or there is one reading.
    pub weakest: Option<Judgement>,
}

/// What the readings make of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Every reading leaves the behaviour of the program undefined.
    Undefined,
    /// Every reading allows it.
    Allowed,
    /// Some readings forbid it, others allow it.
    Contested,
    /// Every reading forbids it.
    Forbidden,
}

impl<'m> From<&'m Model> for Readings<'m> {
    /// The model alone.
    fn from(model: &'m Model) -> Readings<'m> {
        let bounds = None;
        Readings { model, bounds }
    }
}

impl Readings<'_> {
    /// Asks about what `allows` says whether a judgement allows; `judge` asks one model.
    ///
    /// # Errors
    /// Those of `judge`.
    pub fn ask<E>(
        self,
        allows: impl FnOnce(&Judgement) -> bool,
        mut judge: impl FnMut(&Model) -> Result<Judgement, E>,
    ) -> Result<Said, E> {
        let allowed = judge(self.bounds.map_or(self.model, |bounds| &bounds.strictest))?;
        let weakest = match self.bounds {
            Some(bounds) if !allowed.racy && !allows(&allowed) => Some(judge(&bounds.weakest)?),
            Some(_) | None => None,
        };
        Ok(Said { allowed, weakest })
    }
}

impl Said {
    /// What the readings make of what `allows` says whether a judgement allows.
    pub fn standing(&self, allows: impl Fn(&Judgement) -> bool) -> Standing {
        let mut weakest = self.weakest.iter();
        if self.allowed.racy {
            Standing::Undefined
        } else if allows(&self.allowed) {
            Standing::Allowed
        } else if weakest.any(|weakest| weakest.racy || allows(weakest)) {
            Standing::Contested
        } else {
            Standing::Forbidden
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Limits, judge};
    use crate::{shipped, syntax};

    /// What becomes of a shipped test's target, and how many models were asked.
    fn standing(name: &str, alone: bool) -> (Standing, u32) {
        let (_, text) = shipped().iter().find(|(n, _)| *n == name).expect("shipped");
        let mut program = syntax::read_litmus(name, text).expect("a shipped test");
        program.condition.quantifier = crate::program::Quantifier::Exists;
        let model = Model::named("opencl-3.0").expect("a model");
        let bounds = model.bounds().filter(|_| !alone);
        let readings = Readings {
            model: &model,
            bounds: bounds.as_ref(),
        };
        let mut asked = 0;
        let said = readings.ask(
            |allowed| allowed.holds,
            |model| {
                asked += 1;
                judge(&program, model, &Limits::default())
            },
        );
        let said = said.expect("it is small");
        (said.standing(|allowed| allowed.holds), asked)
    }

    #[test]
    fn the_weakest_is_asked_about_what_the_strictest_forbids() {
        let expected = [
            ("MP+rel+acq", Standing::Forbidden, 2),
            ("LB+rlx", Standing::Allowed, 1),
            ("MP+plain", Standing::Undefined, 1),
            ("MP+split+sc+sc", Standing::Contested, 2),
        ];
        for (name, said, asked) in expected {
            assert_eq!(standing(name, false), (said, asked), "{name}");
            // Alone, the model says what it reads.
            let alone = match said {
                Standing::Contested => Standing::Forbidden,
                Standing::Undefined | Standing::Allowed | Standing::Forbidden => said,
            };
            assert_eq!(standing(name, true), (alone, 1), "{name}");
        }
    }
}
