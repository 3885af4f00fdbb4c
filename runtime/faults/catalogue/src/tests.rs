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
        let breaks_none = matches!(
            entry.carrier,
            Carrier::Capability(_) | Carrier::Touchstone(TouchstoneFault::Weak)
        );
        assert_eq!(entry.rules.is_empty(), breaks_none, "{}", entry.id);
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
            // Weakness is asked for by `is_weak`.
            Carrier::Touchstone(TouchstoneFault::Weak) => continue,
            Carrier::Touchstone(hook) => {
                let folders = entry
                    .places()
                    .map(|folder| root.join("runtime").join(folder).join("src"));
                (
                    folders.map(|folder| sources_in(&folder)).collect(),
                    format!("{hook:?}"),
                )
            }
        };
        assert!(has_word(&text, &hook), "{} has no hook {hook}", entry.id);
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
