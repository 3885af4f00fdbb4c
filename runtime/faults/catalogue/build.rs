//! Makes Rust of the rows in `rows/`: for each carrier an enumeration of its hooks, and a table.
//!
//! A file has records of lines `key: value`, with empty lines between them; a line that begins with `#` is
//! a comment. `places.txt` names groups of entry points, for the rows to use in `at`.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// Row files, and the enumerations of their hooks, with what they say of them.
const CARRIERS: [(&str, &str, &str, &str); 4] = [
    (
        "calls",
        "Call",
        "ApiViolation",
        "How a call of the API goes wrong.",
    ),
    (
        "sources",
        "Source",
        "SourceMutation",
        "How a source is mutated.",
    ),
    (
        "touchstone",
        "Touchstone",
        "TouchstoneFault",
        "What Touchstone does wrong.",
    ),
    (
        "capabilities",
        "Capability",
        "SpoofedCapability",
        "A capability that can be claimed or denied.",
    ),
];

/// The keys of a row; those after `sentence` may be missing.
const KEYS: [&str; 8] = [
    "id", "hook", "at", "sentence", "breaks", "class", "shows", "needs",
];

fn main() {
    println!("cargo::rerun-if-changed=rows");
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let places: HashMap<String, String> = records("places").into_iter().flatten().collect();
    for (file, carrier, hooks, about) in CARRIERS {
        let rows = records(file);
        let mut text = format!(
            "/// {about}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr(u8)]\npub enum {hooks} {{\n"
        );
        let mut last = "";
        for row in &rows {
            // Rows of one hook follow each other, so that a second variant would not compile.
            if row["hook"] == last {
                continue;
            }
            last = &row["hook"];
            let of_hook = rows.iter().filter(|other| other["hook"] == last);
            for row in of_hook {
                let _ = writeln!(text, "/// `{}`: {}\n///", row["id"], row["sentence"]);
            }
            let _ = writeln!(text, "{last},");
        }
        let _ = writeln!(
            text,
            "}}\n\n/// The rows of `rows/{file}.txt`.\npub static ROWS: &[Entry] = &["
        );
        for row in &rows {
            let _ = writeln!(text, "{},", entry(row, carrier, hooks, &places));
        }
        text.push_str("];\n");
        fs::write(Path::new(&out).join(file).with_extension("rs"), text)
            .expect("a file of OUT_DIR");
    }
}

/// The records of a file.
fn records(file: &str) -> Vec<HashMap<String, String>> {
    let path = format!("rows/{file}.txt");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut records = vec![HashMap::new()];
    for (number, line) in text.lines().enumerate() {
        let record = records.last_mut().expect("there is always one");
        if line.is_empty() {
            records.push(HashMap::new());
        } else if !line.starts_with('#') {
            let pair = line
                .split_once(": ")
                .map(|(key, value)| (key.into(), value.into()));
            let (key, value) =
                pair.unwrap_or_else(|| panic!("{path}:{}: `key: value` is missing", number + 1));
            assert!(
                record.insert(key, value).is_none(),
                "{path}:{}: the key is there twice",
                number + 1
            );
        }
    }
    records.retain(|record| !record.is_empty());
    records
}

/// A row as an `Entry`.
fn entry(
    row: &HashMap<String, String>,
    carrier: &str,
    hooks: &str,
    places: &HashMap<String, String>,
) -> String {
    let strange = row.keys().find(|key| !KEYS.contains(&key.as_str()));
    assert!(strange.is_none(), "{row:?}: {strange:?} is no key of a row");
    let [id, hook, at, sentence] = [0, 1, 2, 3].map(|key| {
        let key = KEYS[key];
        row.get(key)
            .unwrap_or_else(|| panic!("{row:?}: {key} is missing"))
    });
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let at: Vec<String> = words(at)
        .iter()
        .flat_map(|place| words(places.get(place).unwrap_or(place)))
        .collect();
    let rules = row.get("breaks").map_or(Vec::new(), |rules| words(rules));
    let needs: Vec<&str> = row
        .get("needs")
        .map_or(Vec::new(), |needs| needs.split(", ").collect());
    let class = row
        .get("class")
        .map_or("None".into(), |class| format!("Some({class})"));
    let shows = row.get("shows").map_or("Anywhere", String::as_str);
    format!(
        "Entry {{ id: {id:?}, carrier: Carrier::{carrier}({hooks}::{hook}), places: &{at:?}, rules: &{rules:?}, \
         class: {class}, shows: Shows::{shows}, needs: &{needs:?}, sentence: {sentence:?} }}"
    )
}
