//! What readings of the specification say differently of a test, without a device.

use super::ChosenModel;
use super::verdict::{Test, lets};
use classay_litmus::oracle::{Judgement, Limits, Standing, State};
use classay_litmus::program::{Predicate, Program};

/// What some readings say of a test and others do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contested {
    /// The outcome that some forbid and others allow; none where some leave the behaviour undefined and others
    /// do not.
    pub state: Option<State>,
    /// Which readings say what.
    pub readings: String,
}

/// What is contested of a test; nothing where the readings were chosen. The oracle goes as far as `limits` for all
/// readings together.
///
/// # Errors
///
/// A reading of the test is beyond the oracle; one sentence.
pub fn contested(
    program: &Program,
    chosen: &ChosenModel,
    limits: Limits,
) -> Result<Vec<Contested>, String> {
    let Some(bounds) = &chosen.bounds else {
        return Ok(Vec::new());
    };
    let test = Test {
        within: Some(limits),
        ..Test::filtered(program.clone(), chosen)
    };
    let strictest = test.allowed_by(&bounds.strictest)?;
    if strictest.racy {
        return Ok(Vec::new());
    }
    let weakest = test.allowed_by(&bounds.weakest)?;
    if weakest.racy {
        let verbs = [
            ("defines the behaviour", "define the behaviour"),
            ("leaves it undefined", "leave it undefined"),
        ];
        let readings = test.compare(&|allowed| allowed.racy, verbs);
        return Ok(vec![Contested {
            state: None,
            readings,
        }]);
    }
    let beyond = weakest
        .states
        .iter()
        .filter(|state| !lets(&strictest, state));
    Ok(beyond
        .map(|state| Contested {
            state: Some(state.clone()),
            readings: test.readings(state),
        })
        .collect())
}

/// Which readings forbid an outcome of a test and which allow it; none where all say the same. The oracle goes as far
/// as `limits` for all readings together.
///
/// # Errors
///
/// A reading of the test is beyond the oracle; one sentence.
pub fn contested_outcome(
    program: &Program,
    outcome: &Predicate,
    chosen: &ChosenModel,
    limits: Limits,
) -> Result<Option<String>, String> {
    if chosen.bounds.is_none() {
        return Ok(None);
    }
    let mut only = program.clone();
    only.filter = Some(outcome.clone());
    let test = Test {
        within: Some(limits),
        ..Test::filtered(only, chosen)
    };
    let reached = |allowed: &Judgement| allowed.racy || !allowed.states.is_empty();
    let readings = chosen.readings();
    let said = readings.ask(reached, |model| test.allowed_by(model))?;
    let verbs = [("forbids", "forbid"), ("allows", "allow")];
    let contested = said.standing(reached) == Standing::Contested;
    Ok(contested.then(|| test.compare(&reached, verbs)))
}
