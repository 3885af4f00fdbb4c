//! Freedoms of the specification that Touchstone takes on request, each in the worst legal way.

include!(concat!(env!("OUT_DIR"), "/latitudes.rs"));

/// A latitude: one row.
#[derive(Clone, Copy, Debug)]
pub struct LatitudeEntry {
    /// Its name, by which `TOUCHSTONE_LATITUDE` asks for it.
    pub id: &'static str,
    /// Its hook.
    pub latitude: Latitude,
    /// The crates of `runtime/` in which it acts.
    pub places: &'static [&'static str],
    /// Where its sentence stands.
    pub section: &'static str,
    /// The sentence of the specification that grants it.
    pub grants: &'static str,
    /// What Touchstone does.
    pub sentence: &'static str,
    /// Names of the faults just beyond the line.
    pub beyond: &'static [&'static str],
}

/// The latitude of this name.
pub fn find(id: &str) -> Option<&'static LatitudeEntry> {
    ROWS.iter().find(|row| row.id == id)
}
