//! That Touchstone takes the latitudes: each scenario passes with its latitude, and panics without it.

use touchstone_faults::Latitude;

use crate::{Scenario, litmus};

pub const SHOWN: &[(Latitude, Scenario)] = &[(
    Latitude::WeakMemory,
    ("weak_outcomes", litmus::weak_outcomes),
)];
