//! The page as a whole, by the tests of the page of a run.

use super::history;
use crate::difference::Gate;
use crate::history::tests::{broken_and_mended, one, two_drivers};
use crate::html::page_tests::{is_well_formed, needs_no_network};

#[test]
fn pages_are_well_formed_and_need_no_network() {
    for of in [broken_and_mended(), two_drivers(), one()] {
        let page = history(&of, Gate::Failures).expect("a page");
        is_well_formed(&page);
        needs_no_network(&page);
        assert!(!page.contains("<tags>") && !page.contains("before</b>"));
    }
}

#[test]
fn the_headline_says_whether_the_last_version_is_worse() {
    let page = |of, gate| history(&of, gate).expect("a page");
    let worse = page(broken_and_mended(), Gate::Failures);
    assert!(worse.contains("2.0-rc1 is worse than 1.10: 1 new failure"));
    let not = page(two_drivers(), Gate::Failures);
    assert!(not.contains("No driver’s last version is worse than the one before"));
    let alone = page(one(), Gate::Failures);
    assert!(alone.contains("No driver has two versions to compare"));
}

#[test]
fn parts() {
    let page = history(&broken_and_mended(), Gate::Failures).expect("a page");
    let main = page.split_once("<header>").map_or("", |(_, rest)| rest);
    let main = main.split_once("<script>").map_or("", |(main, _)| main);
    insta::assert_snapshot!(main);
}
