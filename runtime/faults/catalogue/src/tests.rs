use super::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Every file of Rust in a folder, as one text.
fn sources_in(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            text += &sources_in(&path);
        } else if path.extension().is_some_and(|end| end == "rs") {
            text += &std::fs::read_to_string(path).expect("a text");
        }
    }
    text
}

fn has_word(text: &str, word: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        rest = &rest[at + word.len()..];
        if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return true;
        }
    }
    false
}

#[test]
fn ids_are_unique_and_texts_need_no_escapes() {
    let mut seen = BTreeSet::new();
    for entry in all() {
        assert!(seen.insert(entry.id), "{} is there twice", entry.id);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-=".contains(c);
        assert!(entry.id.chars().all(plain), "{}", entry.id);
        let clean = |c: char| c != '"' && c != '\\' && !c.is_control();
        assert!(entry.sentence.chars().all(clean), "{}", entry.id);
        assert!(!entry.places.is_empty(), "{}", entry.id);
        assert!(entry.class.is_none_or(|class| (1..=33).contains(&class)));
        assert!(
            entry.rules.iter().all(|rule| rule.contains('.')),
            "{}",
            entry.id
        );
        let may_break_none = matches!(entry.carrier, Carrier::Capability(_));
        assert!(may_break_none || !entry.rules.is_empty(), "{}", entry.id);
    }
    assert!(seen.len() > 300, "{}", seen.len());
}

#[test]
fn every_class_of_bugs_has_a_fault() {
    let classes: BTreeSet<u8> = all().filter_map(|entry| entry.class).collect();
    let missing: Vec<u8> = (1..=33).filter(|class| !classes.contains(class)).collect();
    assert_eq!(missing, Vec::<u8>::new());
}

/// A row without a hook would be a fault that nothing makes.
#[test]
fn every_row_has_its_hook_where_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let layer = sources_in(&root.join("harness/layer/src"));
    for entry in all() {
        let (text, hook) = match entry.carrier {
            Carrier::Call(hook) => (layer.clone(), format!("{hook:?}")),
            Carrier::Source(hook) => (layer.clone(), format!("{hook:?}")),
            Carrier::Capability(hook) => (layer.clone(), format!("{hook:?}")),
            Carrier::Touchstone(hook) => (runtime(entry.places()), format!("{hook:?}")),
        };
        assert!(has_word(&text, &hook), "{} has no hook {hook}", entry.id);
    }
    for row in latitudes::ROWS {
        let hook = format!("Latitude::{:?}", row.latitude);
        let text = runtime(row.places.iter().copied());
        assert!(has_word(&text, &hook), "{} has no hook {hook}", row.id);
    }
}

#[test]
fn every_fault_of_vulkan_has_a_name_of_its_own_and_its_hook() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let layer = sources_in(&root.join("harness/vulkan-layer/src"));
    let mut seen = BTreeSet::new();
    for row in vulkan::ROWS {
        assert!(seen.insert(row.id), "{} is there twice", row.id);
        assert!(find(row.id).is_none(), "{} is one of OpenCL, too", row.id);
        let plain = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(row.id.chars().all(plain), "{}", row.id);
        let clean = |c: char| c != '"' && c != '\\' && !c.is_control();
        assert!(row.sentence.chars().all(clean), "{}", row.id);
        assert!(row.rules.iter().all(|rule| rule.starts_with("vk.")));
        assert!(row.places.iter().all(|place| place.starts_with("vk")));
        assert!(!row.section.is_empty(), "{}", row.id);
        let hook = format!("{:?}", row.fault);
        assert!(has_word(&layer, &hook), "{} has no hook {hook}", row.id);
    }
}

/// The sources of crates of the runtime.
fn runtime(crates: impl Iterator<Item = &'static str>) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    crates
        .map(|folder| sources_in(&root.join(folder).join("src")))
        .collect()
}

#[test]
fn every_latitude_has_a_sentence_and_faults_beyond_it() {
    let mut seen = BTreeSet::new();
    for row in latitudes::ROWS {
        assert!(seen.insert(row.id), "{} is there twice", row.id);
        assert!(find(row.id).is_none(), "{} is a fault, too", row.id);
        for text in [row.section, row.grants, row.sentence] {
            assert!(!text.is_empty() && !text.contains('|'), "{}", row.id);
        }
        assert!(!row.beyond.is_empty(), "{} has no fault beyond it", row.id);
        for fault in row.beyond {
            assert!(find(fault).is_some(), "{fault} of {} is no fault", row.id);
        }
    }
    for entry in all() {
        if let Some(upon) = entry.upon {
            let row = latitudes::ROWS.iter().find(|row| row.latitude == upon);
            let beyond = row.is_some_and(|row| row.beyond.contains(&entry.id));
            assert!(beyond, "{} is not beyond {upon:?}", entry.id);
        }
    }
}

/// What the table of `runtime/README.md` has between its marks.
fn table() -> String {
    let mut text = String::from(
        "| latitude | what Touchstone does | what grants it | beyond the line |\n| --- | --- | --- | --- |\n",
    );
    for row in latitudes::ROWS {
        let beyond: Vec<_> = row.beyond.iter().map(|id| format!("`{id}`")).collect();
        text += &format!(
            "| `{}` | {} | {}: \"{}\" | {} |\n",
            row.id,
            row.sentence,
            row.section,
            row.grants,
            beyond.join(", ")
        );
    }
    text
}

/// `WRITE_TABLE=1 cargo test -p classay-faults` writes the table anew.
#[test]
fn the_table_of_latitudes_is_that_of_the_rows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(&path).expect("a text");
    let (before, rest) = text.split_once("<!-- latitudes -->\n").expect("a mark");
    let (_, after) = rest
        .split_once("<!-- end of latitudes -->")
        .expect("a mark");
    let wanted = format!(
        "{before}<!-- latitudes -->\n{}<!-- end of latitudes -->{after}",
        table()
    );
    if std::env::var_os("WRITE_TABLE").is_some() {
        std::fs::write(&path, wanted).expect("it can be written");
    } else {
        assert_eq!(
            text, wanted,
            "WRITE_TABLE=1 cargo test -p classay-faults writes it anew"
        );
    }
}

#[test]
fn the_json_has_a_line_for_every_fault() {
    let text = json();
    assert_eq!(text.lines().count(), all().count() + 2);
    assert!(text.contains(
        "\"id\":\"waits-ignored-read\",\"carrier\":\"call\",\"places\":[\"clEnqueueReadBuffer\","
    ));
}
