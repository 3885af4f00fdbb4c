//! The textual form.

#[test]
fn a_module_prints() {
    insta::assert_snapshot!(super::sample());
}
