//! What models by others write: forms of the language that the models here do not need.

use super::{bad, good, same};
use crate::cat::{Model, OrderDomain, Property};

/// The advice that comes with an error.
fn advice(text: &str) -> String {
    let error = Model::parse("test.cat", text).expect_err("this file should not be accepted");
    error.help.clone().unwrap_or_default()
}

#[test]
fn comments_of_three_kinds() {
    same(
        "# first\nacyclic po # ; rf\n// | co\n(* & (* rf *) *) | rf",
        "acyclic po | rf",
    );
}

#[test]
fn titles_are_a_string_or_bare_names() {
    same("\"a title\" acyclic po", "acyclic po");
    same("OPENCL acyclic po", "acyclic po");
    same("C11 RC11\nacyclic po", "acyclic po");
}

#[test]
fn a_closure_may_end_a_definition_before_a_negated_check() {
    same("let a = po* ~empty a", "let a = po^* ~empty a");
    same("let a = po*\n~acyclic a", "let a = po^* ~acyclic a");
    // Elsewhere a complement is an operand.
    same("empty (W * ~R)", "empty (W * (~R))");
    same("acyclic po* & loc", "acyclic (po^*) & loc");
    same("acyclic [W]; po*; [R]", "acyclic [W]; (po^*); [R]");
    same("acyclic (po*)", "acyclic po^*");
    same(
        "let f(r, s) = r | s acyclic f(po*, rf)",
        "acyclic po^* | rf",
    );
}

#[test]
fn postfix_operators_chain_and_bind_tightest() {
    same("acyclic rf^-1+?", "acyclic ((rf^-1)+)?");
    same("acyclic po; rf^-1", "acyclic po; (rf^-1)");
    same("acyclic po | rf?", "acyclic po | (rf?)");
    same("acyclic (po; rf)+", "let r = po; rf acyclic r+");
    same("empty ~po & rf", "empty rf \\ po");
    same("acyclic po^-1^-1", "acyclic po");
}

#[test]
fn composition_and_union_are_associative_and_difference_groups_left() {
    same("acyclic po | rf | co", "acyclic (po | rf) | co");
    same(
        "acyclic po \\ rf \\ co \\ id",
        "acyclic ((po \\ rf) \\ co) \\ id",
    );
    // Weakest to strongest: `|`, `;`, `\`, `&`, `*`.
    same(
        "acyclic po | rf; co \\ loc & W * R",
        "acyclic po | (rf; (co \\ (loc & (W * R))))",
    );
}

#[test]
fn zero_and_braces_are_empty_sets_and_relations() {
    same("acyclic po | 0", "acyclic po");
    same("empty W & {}", "empty {} & W");
    same(
        "let none = 0 acyclic po | none empty W & none",
        "acyclic po empty W & 0",
    );
    same("empty _ & W", "empty W");
    same("empty _ * _", "empty unv");
}

#[test]
fn tuples_go_in_and_out_of_functions() {
    same(
        "let both(r, s) = (r | s, r & s) let (all, some) = both(po, loc) acyclic all acyclic some",
        "acyclic po | loc acyclic po & loc",
    );
    same(
        "let f = fun (r, s) -> r; s acyclic f(po, rf)",
        "acyclic po; rf",
    );
    same("let f () = po acyclic f()", "acyclic po");
}

#[test]
fn functions_apply_to_names_brackets_and_tags() {
    same("acyclic tag2scope 'wg", "acyclic swg");
    same("let f r = r | po acyclic f 0", "acyclic po");
    same("let f s = [s]; po acyclic f _", "acyclic po");
    same(
        "let f = fun r -> fun s -> r; s acyclic f po rf",
        "acyclic po; rf",
    );
    same("acyclic toid(W); po", "acyclic [W]; po");
    same("acyclic WR(po)", "acyclic [W]; po; [R]");
}

#[test]
fn functions_on_tags_may_be_recursive() {
    same(
        "enum scopes = 'wg || 'dv || 'sg \
         let rec any(s) = match s with || {} -> 0 || t ++ rest -> tag2scope t | any(rest) end \
         acyclic any(scopes)",
        "acyclic swg | (sdv | ssg)",
    );
    same(
        "let rec even(s) = match s with || {} -> po || x ++ t -> odd(t) end \
         and odd(s) = match s with || {} -> rf || x ++ t -> even(t) end \
         acyclic even({'a, 'b}) acyclic even({'a, 'b, 'c})",
        "acyclic po acyclic rf",
    );
}

#[test]
fn instructions_may_list_several_annotations() {
    good(
        "enum orders = 'RLX || 'ACQ enum scopes = 'wg || 'dv \
         instructions R[{'RLX, 'ACQ}] instructions F[orders, scopes] instructions B[] \
         default R[{'RLX}] acyclic po",
    );
    assert!(bad("instructions R acyclic po").0.contains("expected `[`"));
}

#[test]
fn blocks_conditions_and_loops_of_checks() {
    same(
        "if \"odd\" then acyclic rf else acyclic po end",
        "acyclic po",
    );
    same("if not \"odd\" then acyclic rf end", "acyclic rf");
    same("if 'a = 'a then begin acyclic rf end", "acyclic rf");
    same(
        "procedure p() = let r = po | rf acyclic r as p end call p()",
        "acyclic po | rf",
    );
    same(
        "forall t in {'wg, 'dv} do acyclic tag2scope(t) end",
        "acyclic swg acyclic sdv",
    );
    assert!(
        bad("forall e in W do acyclic po end")
            .0
            .contains("a set of tags")
    );
}

#[test]
fn coherence_can_be_chosen_in_the_ways_of_the_libraries() {
    for text in [
        "with co from generate_cos(loc & (IW * (W \\ IW))) acyclic co",
        "include \"cos.cat\" acyclic co",
        "include \"cross.cat\" \
         let co0 = loc & (IW*(W\\IW)|(W\\FW)*FW) \
         let makeCo(s) = linearisations(s, co0) \
         let s = classes-loc(W) let allCo = map makeCo s \
         with co from cross(allCo) acyclic co",
        "with co from cross(map(fun s -> linearisations(s, 0), classes-loc(W))) acyclic co",
    ] {
        let model = good(text);
        assert_eq!(model.orders.len(), 1, "{text}");
        assert_eq!(model.orders[0].domain, OrderDomain::Coherence);
    }
    let (message, covered) = bad("with co from cross(linearisations(W, po)) acyclic co");
    assert!(message.contains("`cross` combines"), "{message}");
    assert_eq!(covered, "(linearisations(W, po))");
    let (message, _) = bad("let f(s) = s with co from cross(map f (classes-loc(W))) acyclic co");
    assert!(message.contains("only the total orders"), "{message}");
    let (message, _) = bad("let f(s) = s acyclic map f po");
    assert!(message.contains("`map` needs tags"), "{message}");
}

#[test]
fn the_library_has_the_common_part_of_c11_models() {
    let model = good(
        "include \"c11_base.cat\" \
         acyclic ((SC * SC) & (fsb?; (hb | mo | fr); sbf?)) \\ id as Simp",
    );
    let names: Vec<&str> = model.checks.iter().map(|c| &*c.name).collect();
    assert!(
        names.contains(&"Coh") && names.contains(&"Simp"),
        "{names:?}"
    );
    assert_eq!(
        model.checks.last().map(|c| c.property),
        Some(Property::Acyclic)
    );
}

#[test]
fn a_repeated_definition_or_name_of_a_check_is_no_mistake() {
    let model = good("let a = po let a = a | rf acyclic a as x acyclic a as x");
    assert_eq!(model.checks.len(), 2);
    same("let a = po let a = a | rf acyclic a", "acyclic po | rf");
    // A parameter hides a definition, and only inside.
    same(
        "let a = po let f(a) = a; a acyclic f(rf) acyclic a",
        "acyclic rf; rf acyclic po",
    );
}

#[test]
fn sets_of_events_cannot_be_taken_apart() {
    let text = "let f(s) = match s with || {} -> po || e ++ es -> rf end acyclic f(W)";
    let (message, covered) = bad(text);
    assert!(
        message.contains("not known before an execution"),
        "{message}"
    );
    assert_eq!(covered, "s");
    let (message, _) = bad("acyclic match 'x with || 'y -> po end");
    assert!(message.contains("no case of this `match`"), "{message}");
    assert!(advice("acyclic match 'x with || 'y -> po end").contains("|| _ ->"));
}

#[test]
fn names_of_other_models_are_placed() {
    for (name, home) in [
        ("vloc", "Vulkan"),
        ("DMB.SY", "Arm"),
        ("rcu-fence", "Linux"),
        ("MFENCE", "x86"),
    ] {
        let advice = advice(&format!("empty {name}"));
        assert!(advice.contains(home), "{name}: {advice}");
        assert!(
            advice.contains(&format!("let {name} = 0")),
            "{name}: {advice}"
        );
    }
    let nowhere = advice("empty quite-unheard-of");
    assert!(nowhere.contains("README"), "{nowhere}");
}

#[test]
fn files_that_are_missing_are_answered_with_those_there_are() {
    let advice = advice("include \"c12_base.cat\"");
    assert!(
        advice.contains("beside") && advice.contains("c11_base.cat"),
        "{advice}"
    );
}

#[test]
fn an_order_of_a_set_that_executions_change_is_refused_at_its_place() {
    let (message, covered) = bad("with S from linearisations(range(rf), 0) acyclic S");
    assert!(message.contains("differs between executions"), "{message}");
    assert_eq!(covered, "linearisations(range(rf), 0)");
}
