//! Makes Rust of the rows in `rows/`: for each carrier of faults, and for latitudes, an enumeration of their
//! hooks, and a table.
//!
//! A file has records of lines `key: value`, with empty lines between them; a line that begins with `#` is
//! a comment. The first record of a file says what its hooks are. `places.txt` names groups of entry
//! points, for the rows to use in `at`.

use std::collections::HashMap;
use std::fmt::Write;
use std::{env, fs};

type Record = HashMap<String, String>;

/// The keys of a fault's row.
const FAULT: [&str; 9] = [
    "id", "hook", "at", "class", "shows", "needs", "upon", "breaks", "sentence",
];

/// The keys of a latitude's row.
const LATITUDE: [&str; 7] = [
    "id", "hook", "at", "section", "grants", "sentence", "beyond",
];

/// The keys of the row of a fault of Vulkan.
const VULKAN: [&str; 7] = ["id", "hook", "at", "shows", "section", "breaks", "sentence"];

fn main() {
    println!("cargo::rerun-if-changed=rows");
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let places: Record = records("places").into_iter().flatten().collect();
    let latitudes = records("latitudes");
    for file in ["calls", "sources", "touchstone", "capabilities"] {
        let text = faults(&records(file), &places, &latitudes);
        let text = text.expect("a string can be written to");
        fs::write(format!("{out}/{file}.rs"), text).expect("OUT_DIR can be written to");
    }
    let text = of_latitudes(&latitudes).expect("a string can be written to");
    fs::write(format!("{out}/latitudes.rs"), text).expect("OUT_DIR can be written to");
    let text = of_vulkan(&records("vulkan"), &places).expect("a string can be written to");
    fs::write(format!("{out}/vulkan.rs"), text).expect("OUT_DIR can be written to");
}

/// The records of a file.
fn records(file: &str) -> Vec<Record> {
    let path = format!("rows/{file}.txt");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut records = vec![Record::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.is_empty() {
            records.push(Record::new());
            continue;
        }
        let pair = line.split_once(": ");
        let (key, value) = pair.unwrap_or_else(|| panic!("{path}: `{line}` is no `key: value`"));
        let record = records.last_mut().expect("there is always one");
        let twice = record.insert(key.into(), value.into());
        assert!(twice.is_none(), "{path}: `{line}` gives {key} twice");
    }
    records.retain(|record| !record.is_empty());
    records
}

/// The enumeration of the hooks of a file.
fn enumeration(about: &Record, rows: &[Record]) -> Result<String, std::fmt::Error> {
    let hooks = get(about, "hooks");
    let mut text = format!("/// {}\n", get(about, "about"));
    writeln!(text, "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]")?;
    writeln!(text, "#[repr(u8)]\npub enum {hooks} {{")?;
    // A hook whose rows did not stand together would be there twice, which does not compile.
    for of_hook in rows.chunk_by(|one, next| get(one, "hook") == get(next, "hook")) {
        for row in of_hook {
            writeln!(
                text,
                "/// `{}`: {}\n///",
                get(row, "id"),
                get(row, "sentence")
            )?;
        }
        writeln!(text, "{},", get(&of_hook[0], "hook"))?;
    }
    writeln!(text, "}}\n\n/// The rows, in the order of the hooks.")?;
    Ok(text)
}

/// The enumeration and the table of a carrier's rows.
fn faults(
    records: &[Record],
    places: &Record,
    latitudes: &[Record],
) -> Result<String, std::fmt::Error> {
    let (about, rows) = records.split_first().expect("a record about the rows");
    let mut text = enumeration(about, rows)?;
    writeln!(text, "pub static ROWS: &[Entry] = &[")?;
    for row in rows {
        check_keys(row, &FAULT);
        let at = at(row, places);
        let rules = row.get("breaks").map_or(Vec::new(), |rules| words(rules));
        let needs = row
            .get("needs")
            .map_or(Vec::new(), |needs| needs.split(", ").collect());
        let class: Option<u8> = row
            .get("class")
            .map(|class| class.parse().expect("a number"));
        let shows = row.get("shows").map_or("Anywhere", String::as_str);
        let upon = row.get("upon").map_or("None".into(), |upon| {
            let latitude = latitudes.iter().find(|row| row.get("id") == Some(upon));
            let latitude = latitude.unwrap_or_else(|| panic!("{row:?}: {upon} is no latitude"));
            format!("Some(Latitude::{})", get(latitude, "hook"))
        });
        let (hooks, hook) = (get(about, "hooks"), get(row, "hook"));
        let (carrier, id) = (get(about, "carrier"), get(row, "id"));
        let sentence = get(row, "sentence");
        writeln!(
            text,
            "Entry {{ id: {id:?}, carrier: Carrier::{carrier}({hooks}::{hook}), places: &{at:?}, rules: &{rules:?}, \
             class: {class:?}, shows: Shows::{shows}, needs: &{needs:?}, upon: {upon}, sentence: {sentence:?} }},"
        )?;
    }
    writeln!(text, "];")?;
    Ok(text)
}

/// The enumeration and the table of the latitudes.
fn of_latitudes(records: &[Record]) -> Result<String, std::fmt::Error> {
    let (about, rows) = records.split_first().expect("a record about the rows");
    let mut text = enumeration(about, rows)?;
    writeln!(text, "pub static ROWS: &[LatitudeEntry] = &[")?;
    for row in rows {
        check_keys(row, &LATITUDE);
        let (at, beyond) = (words(get(row, "at")), words(get(row, "beyond")));
        let [id, hook, section, grants, sentence] =
            ["id", "hook", "section", "grants", "sentence"].map(|key| get(row, key));
        writeln!(
            text,
            "LatitudeEntry {{ id: {id:?}, latitude: Latitude::{hook}, places: &{at:?}, section: {section:?}, \
             grants: {grants:?}, sentence: {sentence:?}, beyond: &{beyond:?} }},"
        )?;
    }
    writeln!(text, "];")?;
    Ok(text)
}

/// The enumeration and the table of the faults of Vulkan.
fn of_vulkan(records: &[Record], places: &Record) -> Result<String, std::fmt::Error> {
    let (about, rows) = records.split_first().expect("a record about the rows");
    let mut text = enumeration(about, rows)?;
    writeln!(text, "pub static ROWS: &[VulkanEntry] = &[")?;
    for row in rows {
        check_keys(row, &VULKAN);
        let (at, rules) = (at(row, places), words(get(row, "breaks")));
        let [id, hook, shows, section, sentence] =
            ["id", "hook", "shows", "section", "sentence"].map(|key| get(row, key));
        writeln!(
            text,
            "VulkanEntry {{ id: {id:?}, fault: VulkanFault::{hook}, places: &{at:?}, rules: &{rules:?}, \
             section: {section:?}, shows: Shows::{shows}, sentence: {sentence:?} }},"
        )?;
    }
    writeln!(text, "];")?;
    Ok(text)
}

/// Where a row acts, groups of functions as their functions.
fn at(row: &Record, places: &Record) -> Vec<String> {
    let at = words(get(row, "at")).into_iter();
    at.flat_map(|at| words(places.get(&at).unwrap_or(&at)))
        .collect()
}

/// Refuses a key that no row of this kind has.
fn check_keys(row: &Record, known: &[&str]) {
    let strange = row.keys().find(|key| !known.contains(&key.as_str()));
    assert!(strange.is_none(), "{row:?}: {strange:?} is no key of a row");
}

/// The words of a value.
fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// What a record must have.
fn get<'a>(record: &'a Record, key: &str) -> &'a str {
    let value = record.get(key);
    value.unwrap_or_else(|| panic!("{record:?}: {key} is missing"))
}
