//! The catalogue as JSON.

use crate::{Entry, all};
use std::fmt::Write;

/// Every fault as a JSON array of objects with the keys `id`, `carrier` (`call`, `source`, `touchstone` or
/// `capability`), `places` (entry points of OpenCL, or crates of `runtime/`), `rules` (the main one first),
/// `class` (a class of bugs of real runtimes, or null), `shows` (what it takes to see it), `needs`
/// (capabilities, one of which a device must have) and `sentence`.
pub fn json() -> String {
    let rows: Vec<String> = all().map(row).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

fn row(entry: &Entry) -> String {
    let class = entry.class.map_or("null".into(), |class| class.to_string());
    let mut text = String::new();
    // Writing to a string does not fail; no text of the rows needs escapes (tested).
    let _ = write!(
        text,
        "{{\"id\":\"{}\",\"carrier\":\"{}\",\"places\":{},\"rules\":{},\"class\":{class},\
         \"shows\":\"{}\",\"needs\":{},\"sentence\":\"{}\"}}",
        entry.id,
        entry.carrier.word(),
        list(entry.places),
        list(entry.rules),
        entry.shows.word(),
        list(entry.needs),
        entry.sentence,
    );
    text
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("[{}]", quoted.join(","))
}
