//! Cases from the shipped tests and from the suites' generators.

use super::{Body, Case, LitmusTest};
use classay_litmus::generate::{Class, Options, Selection, Test, generate, named};
use classay_litmus::oracle::Model;
use classay_litmus::program::{Api, Program};
use classay_litmus::syntax;
use classay_reports::record::CaseId;
use classay_suites::commands::generate::enumerate;
use classay_suites::kernels::generate::{cases_a_round, most_cases};

/// Most cases of each kind that a plan may have.
pub const MOST_OF_A_KIND: u32 = 10_000;

/// A case for every test of OpenCL that comes with the program, in the order of their names.
///
/// # Errors
///
/// A shipped test cannot be read, which is a bug.
pub fn shipped() -> Result<Vec<Case>, String> {
    shipped_of(Api::OpenCl)
}

/// A case for every test of an API that comes with the program, in the order of their names.
///
/// # Errors
///
/// A shipped test cannot be read, which is a bug.
pub fn shipped_of(api: Api) -> Result<Vec<Case>, String> {
    let tests = match api {
        Api::OpenCl => classay_litmus::shipped(),
        Api::Vulkan => classay_litmus::shipped_vulkan(),
    };
    tests
        .iter()
        .map(|(name, text)| {
            let program = syntax::read_litmus(name, text)
                .map_err(|e| format!("the shipped test {name} cannot be read: {e}"))?;
            Ok(case(
                CaseId::new("litmus", kind_of(api), name),
                &program,
                "",
            ))
        })
        .collect()
}

/// The case of the shipped test that the command line calls so; a name without an interface is of this one.
///
/// # Errors
///
/// A shipped test cannot be read, which is a bug.
pub fn shipped_called(called: &str, own: Api) -> Result<Option<Case>, String> {
    let vulkan = kind_of(Api::Vulkan);
    let of_vulkan = called.strip_prefix(vulkan);
    let (api, name) = match of_vulkan.and_then(|rest| rest.strip_prefix('/')) {
        Some(name) => (Api::Vulkan, name),
        None => (own, called),
    };
    let mut cases = shipped_of(api)?.into_iter();
    Ok(cases.find(|case| case.id.name() == name))
}

/// The kind in the ids of an API's shipped tests.
pub(super) fn kind_of(api: Api) -> &'static str {
    match api {
        Api::OpenCl => "classic",
        Api::Vulkan => "vulkan",
    }
}

/// The kind in the ids of an API's generated litmus tests.
pub const fn generated_kind_of(api: Api) -> &'static str {
    match api {
        Api::OpenCl => "generated",
        Api::Vulkan => "vulkan-generated",
    }
}

/// The API of the litmus tests that are generated, where an id begins like this.
fn generates(family: &str, kind: &str) -> Option<Api> {
    let mut apis = Api::ALL.into_iter();
    apis.find(|api| family == "litmus" && kind == generated_kind_of(*api))
}

/// Whether a case is a litmus test that was generated for a run.
pub fn is_generated_test(case: &Case) -> bool {
    let mut parts = case.id.as_str().split('/');
    let (family, kind) = (parts.next(), parts.next());
    (family.zip(kind)).is_some_and(|(family, kind)| generates(family, kind).is_some())
}

/// So many litmus tests of an API, drawn by a seed: of those that forbid their outcome, and of those that allow
/// one which no interleaving gives.
///
/// # Errors
///
/// The oracle cannot judge one, which is a bug.
pub fn generated_tests(api: Api, count: u32, seed: u64) -> Result<Vec<Case>, String> {
    let options = Options {
        classes: vec![Class::Conformance, Class::Contested, Class::Weak],
        selection: Selection::Drawn {
            count: count as usize,
            seed,
        },
        ..of_api(api)
    };
    let (model, sc) = models(api)?;
    let made = generate(&options, &model, &sc).map_err(|error| error.to_string())?;
    let case = |test: &Test| {
        let id = CaseId::new("litmus", generated_kind_of(api), &test.name);
        case(id, &test.program(), "")
    };
    Ok(made.tests.iter().map(case).collect())
}

/// The generated litmus test with a name, where the id begins like this.
pub(super) fn generated_test(profile: &str, name: &str) -> Result<Option<Program>, String> {
    let parts = profile.split_once('/');
    let Some(api) = parts.and_then(|(family, kind)| generates(family, kind)) else {
        return Ok(None);
    };
    let (model, sc) = models(api)?;
    match named(name, &of_api(api), &model, &sc).map_err(|error| error.to_string())? {
        Some(test) => Ok(Some(test.program())),
        None => Err(format!("{name} is no generated litmus test of {api}")),
    }
}

fn of_api(api: Api) -> Options {
    Options {
        api,
        ..Options::default()
    }
}

/// The model of an API, and the one of interleavings.
fn models(api: Api) -> Result<(Model, Model), String> {
    let named = |name| Model::named(name).map_err(|error| error.to_string());
    Ok((named(api.model())?, named("sc")?))
}

/// So many cases of every profile of programs of commands and of every family of kernel and API cases; each
/// draws what it runs from its seed.
pub fn drawn(each: u32) -> Vec<Case> {
    let all = Body::families().into_iter();
    let cases = all.flat_map(|(family, kind, body)| numbered_cases(family, kind, body, each));
    cases.collect()
}

/// The generated cases of a run of which each kind has so many, and those kinds more that
/// [`cases_a_round`] names, and no more than [`most_cases`] says.
pub fn drawn_for_a_run(each: u32) -> Vec<Case> {
    let all = Body::families().into_iter();
    let cases = all.flat_map(|(family, kind, body)| {
        let name = format!("{family}/{kind}");
        let count = each.saturating_mul(cases_a_round(&name));
        numbered_cases(family, kind, body, count.min(most_cases(&name)))
    });
    cases.collect()
}

/// So many cases of a kind.
fn numbered_cases(family: &str, kind: &str, body: Body, count: u32) -> Vec<Case> {
    let case = |n| {
        let id = CaseId::new(family, kind, &numbered(n));
        generated(id, body.clone())
    };
    (0..count).map(case).collect()
}

/// The name of a generated case with this number.
fn numbered(number: u32) -> String {
    format!("{number:05}")
}

/// The number of the generated case with this name.
///
/// # Errors
///
/// It is no such name; one sentence.
pub(super) fn number(name: &str) -> Result<u32, String> {
    match name.parse() {
        Ok(number) if numbered(number) == name => Ok(number),
        Ok(_) | Err(_) => Err(format!(
            "{name} is no number of a generated case: one has five digits, as 00017"
        )),
    }
}

/// A case that is named as its id is.
fn generated(id: CaseId, body: Body) -> Case {
    let test = id.as_str().to_string();
    Case::new(id, &test, "", body)
}

/// So many of the small programs of commands, spread over the list of all.
pub fn small(wanted: u32) -> Vec<Case> {
    let all = enumerate::shapes().len();
    let wanted = (wanted as usize).min(all);
    (0..wanted)
        .map(|n| {
            let number = n * all / wanted;
            let id = CaseId::new("queue", "small", &numbered(number as u32));
            let number = number as u32;
            generated(id, Body::Small { number })
        })
        .collect()
}

/// A case that runs a litmus test which comes from no file.
pub fn of_program(id: CaseId, program: &Program) -> Case {
    case(id, program, "")
}

pub(super) fn case(id: CaseId, program: &Program, file: &str) -> Case {
    let body = Body::Litmus(LitmusTest::new(program));
    Case::new(id, &program.name, file, body)
}
