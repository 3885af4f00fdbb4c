//! The runs of a driver's versions side by side, from the command line.

use crate::common::{Done, classay, device, run, write};
use classay_reports::store::Store;
use std::path::Path;

/// A run of a few cases, as a version of the driver with these faults does them.
fn version(store: &str, seed: &str, faults: &str) {
    let mut command = classay();
    if !faults.is_empty() {
        command.env("TOUCHSTONE_FAULTS", faults);
    }
    let done = run(command
        .args(["run", "--device", &device(), "--seed", seed])
        .args(["--select", "ndrange/ids/*"])
        .args(["--programs", "2", "--instances", "20", "--store", store]));
    done.expect(i32::from(!faults.is_empty()));
}

fn history(arguments: &[&str]) -> Done {
    run(classay().arg("history").args(arguments))
}

#[test]
fn what_breaks_and_what_is_mended_stands_where_it_happens() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (a, b, c) = (path("a.db"), path("b.db"), path("c.db"));
    version(&a, "1", "");
    version(&b, "1", "last-item-missing");
    version(&c, "1", "");
    let named = [format!("1.0={a}"), format!("1.1={b}"), format!("1.2={c}")];
    let [first, second, third] = named.each_ref().map(String::as_str);

    let mended = history(&[first, second, third]).expect(0);
    let flat = mended
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for words in [
        "ex.nd.global-id · F ·",
        "2 1.1, after 1.0 broke: ",
        "broke: ex.nd.global-id: 0 work-items ran",
        "3 1.2, after 1.1 mended: ",
        "mended: ex.nd.global-id: 0 work-items ran",
        "1.2 is not worse than 1.1",
        "are runs of one driver version",
    ] {
        assert!(
            flat.contains(words),
            "{words:?} is missing\n{}",
            mended.told()
        );
    }
    assert!(
        mended.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        mended.told()
    );

    let (page, data) = (path("page.html"), path("data.json"));
    let worse = history(&[first, second, "--html", &page, "--json", &data]).expect(1);
    let flat = worse
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(flat.contains("1.1 is worse than 1.0: "), "{}", worse.told());
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1.1 is worse than 1.0"));
    let data = std::fs::read_to_string(data).expect("data");
    let data: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    assert_eq!(
        (&data["schema"], &data["worse"]),
        (&"classay-history".into(), &true.into())
    );
    assert_eq!(data["drivers"][0]["versions"][1]["name"], "1.1");
    assert_eq!(data["drivers"][0]["steps"][0]["rules"][0]["turn"], "broke");
    // On standard output there is the object and nothing else.
    let told = history(&[first, second, "--json", "-"]).expect(1);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).expect("JSON alone");
    assert_eq!(told, data);
    // A driver that mends is not worse.
    history(&[second, third]).expect(0);
}

#[test]
fn runs_of_one_store_are_named_by_their_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("all.db").to_string_lossy().into_owned();
    version(&store, "1", "");
    version(&store, "1", "last-item-missing");
    let (first, second) = (format!("{store}#1"), format!("{store}#2"));
    history(&[&first, &second]).expect(1);
    // The order is that of the runs, unless it is asked for as given; the last run needs no number.
    history(&[&second, &first]).expect(1);
    history(&[&second, &first, "--as-given"]).expect(0);
    history(&[&first, &store]).expect(1);
    history(&[&second, &store])
        .expect(2)
        .says(&["run 2 of", "is named twice"]);
    history(&[&first, &format!("{store}#7")])
        .expect(6)
        .says(&["7"]);
}

#[test]
fn what_another_seed_generates_is_not_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (a, b) = (path("a.db"), path("b.db"));
    version(&a, "1", "");
    version(&b, "2", "last-item-missing");
    let done = history(&[&a, &b]).expect(0);
    let flat = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "The seeds differ (1, 2)",
        "4 cases are other programs in each",
        "broken, and not tested before: ex.nd.global-id",
    ] {
        assert!(
            flat.contains(words),
            "{words:?} is missing\n{}",
            done.told()
        );
    }
}

#[test]
fn what_cannot_be_put_side_by_side_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (store, none, empty) = (path("a.db"), path("none.db"), path("empty.db"));
    version(&store, "1", "");
    write(
        folder.path(),
        "text.db",
        "this is no database, however long it may be",
    );
    write(folder.path(), "nothing.db", "");
    drop(Store::open(Path::new(&empty)).expect("a store"));
    history(&[]).expect(2).says(&["[NAME=]STORE[#RUN]"]);
    history(&[&store])
        .expect(4)
        .says(&["a history takes two runs or more", "classay report"]);
    history(&[&store, &none])
        .expect(2)
        .says(&["there is no store", "none.db"]);
    history(&[&store, &path("text.db")])
        .expect(6)
        .says(&["text.db"]);
    history(&[&store, &path("nothing.db")])
        .expect(6)
        .says(&["nothing.db"]);
    history(&[&store, &empty])
        .expect(4)
        .says(&["empty.db holds no run"]);
    history(&[&store, &store])
        .expect(2)
        .says(&["is named twice"]);
    history(&[&store, &store, "--rate", "2"])
        .expect(2)
        .says(&["between 0 and 1"]);
    let second = path("b.db");
    version(&second, "1", "");
    history(&[&store, &second, "--html", &path("no/such/folder.html")])
        .expect(6)
        .says(&["cannot write"]);
}
