//! Tests of the cat language.

mod idioms;

use super::ast::Role;
use super::ir::Op;
use super::{Model, OrderDomain, Property};
use proptest::prelude::*;

fn good(text: &str) -> Model {
    Model::parse("test.cat", text).unwrap_or_else(|e| panic!("{text}\n{e}: {}", e.label))
}

/// The message for a bad file and the text its span covers.
fn bad(text: &str) -> (String, String) {
    let error = Model::parse("test.cat", text).expect_err("this file should not be accepted");
    let start = error.span.offset();
    let covered = text[start..start + error.span.len()].to_owned();
    (error.to_string(), covered)
}

/// Two models that should be the same computation.
fn same(a: &str, b: &str) {
    let (a, b) = (good(a), good(b));
    assert_eq!(a.ops, b.ops);
    let nodes = |m: &Model| m.checks.iter().map(|c| c.node).collect::<Vec<_>>();
    assert_eq!(nodes(&a), nodes(&b));
}

#[test]
fn every_model_that_comes_with_classay_is_read() {
    for name in Model::names() {
        let model = Model::named(name).unwrap();
        assert!(!model.checks.is_empty(), "{name}");
        let file = Model::named(&format!("{name}.cat")).unwrap();
        assert_eq!(model.ops, file.ops);
    }
}

#[test]
fn an_unknown_model_is_answered_with_the_known_ones() {
    let error = Model::named("opencl-4.0").unwrap_err();
    assert!(
        error
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("opencl-3.1")
    );
}

#[test]
fn operators_bind_as_in_herd() {
    same("acyclic po | rf; co", "acyclic po | (rf; co)");
    same("acyclic po; rf \\ co", "acyclic po; (rf \\ co)");
    same("acyclic po \\ rf & co", "acyclic po \\ (rf & co)");
    same("acyclic po & W * R", "acyclic po & (W * R)");
    same("acyclic po & rf+", "acyclic po & (rf+)");
    same("acyclic ~po & rf", "acyclic (~po) & rf");
    same("acyclic po \\ rf \\ co", "acyclic (po \\ rf) \\ co");
}

#[test]
fn a_star_is_a_product_before_an_operand_and_a_closure_elsewhere() {
    same("acyclic W * R", "acyclic (W) * (R)");
    same("acyclic po* ; rf", "acyclic (po+ | id); rf");
    same("acyclic po*", "acyclic po+ | id");
    same("let a = po* let b = a acyclic b", "acyclic po^*");
}

#[test]
fn identities_and_products_become_masks() {
    let model = good("acyclic [W]; po; [R]");
    let root = model.ops[model.checks[0].node.index()];
    assert!(matches!(root, Op::MaskRight(..)));
    same("acyclic po & (W * R)", "acyclic [W]; po; [R]");
    same("acyclic [W]; [A]; po", "acyclic [A & W]; po");
}

#[test]
fn comments_strings_and_names_with_dashes_and_dots() {
    let model = good(
        "\"A title\" (* outer (* inner *) outer *) // to the end of the line\n\
         let po-loc-2 = po & loc acyclic po-loc-2 as mm.coherence.ww",
    );
    assert_eq!(&*model.checks[0].name, "mm.coherence.ww");
    assert_eq!(model.checks[0].line, 2);
    let model = good("let rs' = rf acyclic rs'");
    assert_eq!(&*model.checks[0].name, "rs'");
}

#[test]
fn checks_carry_their_role_and_negation() {
    let model = good(
        "flag ~empty rf as racy undefined_unless empty co as safe ~acyclic po as odd show po, rf as x unshow po",
    );
    let seen: Vec<_> = model
        .checks
        .iter()
        .map(|c| (&*c.name, c.role, c.negated, c.property))
        .collect();
    assert_eq!(
        seen,
        [
            ("racy", Role::Flag, true, Property::Empty),
            ("safe", Role::UndefinedUnless, false, Property::Empty),
            ("odd", Role::Require, true, Property::Acyclic),
        ]
    );
}

#[test]
fn functions_and_procedures_are_inlined() {
    same(
        "let both(r, s) = r | s acyclic both(po, rf)",
        "acyclic po | rf",
    );
    same("let twice r = r; r acyclic twice(po)", "acyclic po; po");
    same("let f = fun r -> r+ acyclic f(po)", "acyclic po+");
    same(
        "procedure check(r) = acyclic r | co end call check(rf)",
        "acyclic rf | co",
    );
    same(
        "acyclic fencerel(F & SC)",
        "acyclic (po & (_ * (F & SC))); po",
    );
    same("acyclic (let x = po in x | rf)", "acyclic po | rf");
    same("acyclic if \"some-variant\" then rf else po", "acyclic po");
    same("acyclic try unheard-of with po", "acyclic po");
}

#[test]
fn a_definition_shadows_the_vocabulary() {
    same("let sb = rf acyclic sb", "acyclic rf");
    same("let po = rf let po = po | co acyclic po", "acyclic rf | co");
}

#[test]
fn enumerations_and_tags() {
    same(
        "enum scopes = 'wg || 'device \
         let of(s) = match s with || 'wg -> swg || _ -> sdv end \
         forall s in scopes do acyclic of(s) end",
        "acyclic swg acyclic sdv",
    );
    same("acyclic tag2scope('wg)", "acyclic swg");
    same("empty tag2events('rlx)", "empty RLX");
    good("enum mo = 'RLX || 'ACQ instructions R[{'RLX, 'ACQ}] acyclic po");
}

#[test]
fn orders_are_chosen() {
    let model = good("with S from linearisations(SC, po) acyclic S; rf");
    assert_eq!(model.orders.len(), 2);
    assert!(matches!(model.orders[1].domain, OrderDomain::Linear(_)));
    let model = good("include \"cos.cat\" acyclic co");
    assert_eq!(model.orders.len(), 1);
    let (message, _) = bad("with S from linearisations(range(rf), po) acyclic S");
    assert!(message.contains("differs between executions"), "{message}");
}

#[test]
fn recursive_definitions() {
    let model = good("let rec a = po | (b; rf) and b = rf | (a; a) acyclic a");
    assert_eq!(model.groups.len(), 1);
    let (message, covered) = bad("let rec a = po \\ a acyclic a");
    assert!(message.contains("recursive definition"), "{message}");
    assert_eq!(covered, "a");
    let (message, _) = bad("let rec f(x) = f(x) acyclic f(po)");
    assert!(message.contains("nest more than"), "{message}");
    let (message, covered) = bad("let rec f(x) = x and r = f(r) acyclic r");
    assert!(message.contains("`f` is a function"), "{message}");
    assert_eq!(covered, "f(x)");
    let (message, covered) = bad("let rec s = R | range([s]; po) empty s");
    assert_eq!(message, "a set is needed here, this is a relation");
    assert_eq!(covered, "s");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases = [
        ("acyclic pox", "nothing is named `pox`", "pox"),
        (
            "acyclic po & W",
            "`&` joins two sets or two relations",
            "po & W",
        ),
        (
            "acyclic W; po",
            "a relation is needed here, this is a set",
            "W",
        ),
        (
            "acyclic [po]",
            "a set is needed here, this is a relation",
            "po",
        ),
        (
            "acyclic W * po",
            "a set is needed here, this is a relation",
            "po",
        ),
        (
            "acyclic po(rf)",
            "a relation is applied like a function",
            "po(rf)",
        ),
        (
            "let f(a, b) = a acyclic f(po)",
            "2 values are expected, 1 are given",
            "(po)",
        ),
        (
            "acyclic po as",
            "expected the name of the check, found the end of the file",
            "",
        ),
        (
            "let = po",
            "expected the name that `let` defines, found `=`",
            "=",
        ),
        ("let x = in", "expected an expression, found `in`", "in"),
        ("(* never closed", "this comment is never closed", "(*"),
        ("\"never closed", "this string is never closed", "\""),
        (
            "acyclic po $",
            "the character '$' has no meaning in a cat file",
            "$",
        ),
        (
            "include \"no-such.cat\"",
            "the file \"no-such.cat\" cannot be found or read",
            "include \"no-such.cat\"",
        ),
        (
            "let p = po call p(rf)",
            "`p` is a relation, and only procedures are called",
            "call p(rf)",
        ),
        ("call q(rf)", "nothing is named `q`", "call q(rf)"),
        (
            "flag po",
            "expected `acyclic`, `irreflexive` or `empty`, found `po`",
            "po",
        ),
        (
            "with co from po;po acyclic W",
            "a relation is needed here, this is a set",
            "W",
        ),
        (
            "let a = po in acyclic a",
            "`let … in` is an expression and cannot stand as an instruction",
            "in",
        ),
    ];
    for (text, message, covered) in cases {
        let (said, at) = bad(text);
        assert_eq!(said, message, "{text}");
        assert_eq!(at, covered, "{text}");
    }
}

#[test]
fn near_names_are_suggested() {
    let error = Model::parse("test.cat", "acyclic po-lok").unwrap_err();
    assert!(error.help.as_deref().unwrap_or_default().contains("po-loc"));
    let error = Model::parse("test.cat", "empty GLOBL").unwrap_err();
    assert!(error.help.as_deref().unwrap_or_default().contains("GLOBAL"));
}

#[test]
fn depth_and_growth_are_bounded() {
    let deep = format!("acyclic {}po{}", "(".repeat(5000), ")".repeat(5000));
    assert!(bad(&deep).0.contains("nested more than"));
    let deep = format!("acyclic {}po", "~".repeat(5000));
    assert!(bad(&deep).0.contains("nested more than"));
    let long = format!("acyclic po{}", " | po".repeat(5000));
    assert!(bad(&long).0.contains("chains more than"));
    let long = format!("acyclic po{}", "?".repeat(5000));
    assert!(bad(&long).0.contains("chains more than"));
    // Each function calls the one before it twice.
    let mut text = "let f0(x) = x | co ".to_owned();
    for i in 1..38 {
        text += &format!("let f{i}(x) = f{}(f{}(x)) ", i - 1, i - 1);
    }
    text += "acyclic f37(po)";
    assert!(bad(&text).0.contains("grows too large"));
    let text = "procedure p(x) = call p(x) end call p(po)";
    assert!(bad(text).0.contains("nothing is named `p`"));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,200}") {
        let _ = Model::parse("test.cat", &text);
    }

    #[test]
    fn no_sequence_of_words_makes_the_reader_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "let", "rec", "and", "in", "with", "from", "fun", "procedure", "end", "call",
                "forall", "do", "as", "flag", "show", "include", "acyclic", "irreflexive", "empty",
                "if", "then", "else", "match", "try", "enum", "po", "rf", "co", "W", "R", "SC", "x",
                "f", "(", ")", "[", "]", "{", "}", "|", "&", ";", "\\", "~", "*", "+", "?", "^-1",
                ",", "=", "_", "0", "'tag", "\"text\"", "->", "||", "linearisations", "domain",
            ]),
            0..40,
        )
    ) {
        let _ = Model::parse("test.cat", &words.join(" "));
    }
}
