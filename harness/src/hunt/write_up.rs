//! From a forbidden outcome in a search to its folder: the smallest test and environment that show it.

use super::journal::{Found, Record, Trial};
use super::reduce::{Seen, Small, reduce};
use super::search::{Over, Search, placed};
use super::violation::Violation;
use crate::Error;
use crate::environment::Environment;
use crate::plan::{self, seed};
use crate::worker::session::{Limits, Stop};
use classay_litmus::program::Program;
use classay_reports::record::{CaseId, CaseResult};
use rand_chacha::rand_core::Rng;
use std::time::{Duration, Instant};

/// Of the time of the hunt, what a violation may take to be reduced at most.
const REDUCING: f64 = 0.1;
/// And at least, in seconds.
const LEAST: f64 = 20.0;

impl Search<'_> {
    /// Reduces a forbidden outcome and writes it up; what was seen is unknown where a hunt goes on after
    /// it was interrupted here.
    pub(super) fn write_up(
        &mut self,
        trial: &Trial,
        seen: Option<(Seen, CaseResult)>,
    ) -> Result<(), Over> {
        let Some(one) = self
            .candidates
            .iter()
            .find(|q| q.name == trial.test)
            .cloned()
        else {
            return Ok(());
        };
        let environment = self.state.environment(trial.environment);
        let limits = Limits::once(self.hunt.deadline);
        let first = match &seen {
            Some((seen, _)) => *seen,
            None => Seen {
                forbidden: trial.forbidden,
                contested: trial.contested,
                instances: trial.instances,
                seconds: self.config.slice,
            },
        };
        self.notify(&format!(
            "{}: a forbidden outcome, {} times in {} instances; looking for the smallest test and \
             environment that show it",
            one.name, first.forbidden, first.instances
        ));
        let known = self
            .state
            .violations
            .iter()
            .any(|f| f.shape == one.shape && f.confirmed);
        let most = (self.hunt.hours * 3600.0 * REDUCING).max(LEAST);
        // What is like an earlier violation gets less.
        let most = if known { most / 4.0 } else { most };
        let until = Instant::now() + Duration::from_secs_f64(most);
        self.session.unload()?;
        let mut last: Option<(Program, Environment, CaseResult)> = None;
        let mut rng = seed::stream(
            self.config.seed,
            &CaseId::new("hunt", "again", &trial.seed.to_string()),
        );
        let session = &mut self.session;
        let model = self.model;
        let small: Small = {
            let mut play = |program: &Program, environment: &Environment, seconds: f64| {
                let case = plan::of_program(CaseId::new("hunt", "again", &one.name), program);
                let case = placed(&case, environment, rng.next_u64(), seconds);
                let result = session.run(&case, limits, model, &mut |_| {})?;
                let seen = Seen::of(program, &result, model);
                if seen.forbidden > 0 {
                    last = Some((program.clone(), environment.clone(), result));
                }
                Ok::<Seen, Stop>(seen)
            };
            reduce(&one.program, &environment, first, until, &mut play)?
        };
        let result = match (last, seen) {
            (Some((program, environment, result)), _)
                if program == small.program && environment == small.environment =>
            {
                result
            }
            (_, Some((_, result))) if !small.confirmed => result,
            // The last try of what is smallest saw nothing, or the first result is lost.
            _ => {
                let case =
                    plan::of_program(CaseId::new("hunt", "again", &one.name), &small.program);
                let case = placed(&case, &small.environment, rng.next_u64(), 2.0);
                self.session.run(&case, limits, self.model, &mut |_| {})?
            }
        };
        let number = self.state.violations.len() + 1;
        let name = format!("violation-{number:03}-{}", file_name(&one.name));
        let folder = self.hunt.folder.join(&name);
        let known = self.session.known().clone();
        let found: Found = Violation {
            original: &one.program,
            shape: &one.shape,
            small: &small,
            result: &result,
            model: self.model,
            device: &known.record,
            capabilities: &known.capabilities,
            selector: &self.config.selector,
            seed: trial.seed,
        }
        .write(&folder, &name)
        .map_err(Error::output(&folder))
        .map_err(Over::Error)?;
        self.notify(&format!(
            "{}: `{}`{}; written up in {}",
            one.name,
            found.outcome,
            if found.rules.is_empty() {
                String::new()
            } else {
                format!(" breaks {}", found.rules.join(", "))
            },
            folder.display()
        ));
        self.note(Record::Violation(found))
    }
}

/// A name of a test as part of the name of a file.
fn file_name(test: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "+-._".contains(c) {
            c
        } else {
            '_'
        }
    };
    test.chars().map(plain).take(60).collect()
}
