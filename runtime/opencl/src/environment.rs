//! What the user sets by variables of the environment.

use std::str::FromStr;

/// The value of a variable without white space around it; none if it is not set.
pub fn word(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?;
    Some(value.trim().to_owned())
}

/// The same as a number; none if it is not set or no such number.
pub fn number<T: FromStr>(name: &str) -> Option<T> {
    word(name)?.parse().ok()
}
