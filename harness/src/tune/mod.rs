//! Which environment makes weak outcomes frequent on this device.
//!
//! What is measured are mutants: conformance tests of the generator, weakened until their outcome is
//! allowed, so that seeing it is no failure but a sign that the surroundings bring out weak behaviour (R.
//! Levine et al., "MC Mutants", ASPLOS 2023). [`made`] has tests with their mutants, [`mutants`] chooses of them, [`search`] looks for environments
//! that show them often, at random first and then around the best, [`tuned`] is what comes of it: the
//! environment that is best for each mutant, and one for all. The search knows nothing of devices;
//! `measure` gives it one that plays, and tests give it one that is made up.

pub mod made;
mod measure;
pub mod mutants;
pub mod search;
pub mod tuned;

pub use measure::{Found, Tune};
