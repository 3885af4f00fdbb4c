//! What a case runs, and how it is read or drawn. Nothing here needs a device.

use super::cases::{generated_test, number};
use classay_litmus::program::Program;
use classay_litmus::syntax::{self, SyntaxError};
use classay_suites::api;
use classay_suites::commands::check::Plan;
use classay_suites::commands::generate::{Profile, random, small};
use classay_suites::family::Family;
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::{generate as kernels, yaml};
use classay_vocabulary::{Observable, Quantifier};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a case runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// A litmus test.
    Litmus(LitmusTest),
    /// A program of commands that a profile draws from the case's seed.
    Drawn {
        /// The profile, `family/kind`.
        profile: String,
    },
    /// A small program of commands, by its number in the list of all.
    Small {
        /// The number.
        number: u32,
    },
    /// A program of commands.
    Commands {
        /// The program, as YAML.
        program: String,
    },
    /// A kernel case that a family draws from the case's seed.
    DrawnKernel {
        /// The family, `family/kind`.
        family: String,
    },
    /// A kernel case.
    Kernel {
        /// The case, as YAML.
        kernel: String,
    },
    /// An API case that a family draws from the case's seed.
    DrawnApi {
        /// The family, `family/kind`.
        family: String,
    },
    /// An API case.
    Api {
        /// The case, as YAML.
        api: String,
    },
}

/// A litmus test and its text. The text is written once, for the store and for workers, and read once where
/// it arrives.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "LitmusText", into = "LitmusText")]
pub struct LitmusTest {
    program: Arc<Program>,
    source: Arc<str>,
}

/// A [`LitmusTest`] as the store and the worker protocol have it.
#[derive(Serialize, Deserialize)]
struct LitmusText {
    source: String,
    question: Quantifier,
}

impl LitmusTest {
    /// The test that is this program.
    pub fn new(program: &Program) -> LitmusTest {
        LitmusTest {
            source: syntax::write_litmus(program).into(),
            program: Arc::new(program.clone()),
        }
    }

    /// The test of a text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and where.
    pub fn read(source: &str) -> Result<LitmusTest, SyntaxError> {
        Ok(LitmusTest {
            program: Arc::new(syntax::read_litmus("the case", source)?),
            source: source.into(),
        })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }
}

/// Equal texts are equal tests.
impl PartialEq for LitmusTest {
    fn eq(&self, other: &LitmusTest) -> bool {
        self.source == other.source
    }
}

impl TryFrom<LitmusText> for LitmusTest {
    type Error = SyntaxError;

    fn try_from(text: LitmusText) -> Result<LitmusTest, SyntaxError> {
        LitmusTest::read(&text.source)
    }
}

impl From<LitmusTest> for LitmusText {
    fn from(test: LitmusTest) -> LitmusText {
        LitmusText {
            source: test.source.to_string(),
            question: test.program.condition.quantifier,
        }
    }
}

/// A body, read or drawn.
pub enum Work {
    /// A litmus test.
    Litmus(Arc<Program>),
    /// A program of commands with its plan.
    Commands(Box<Plan>),
    /// A kernel case.
    Kernel(Box<KernelCase>),
    /// An API case.
    Api(Box<api::Case>),
}

impl Body {
    /// What is generated of every family and kind: programs of commands, kernels, calls.
    pub fn families() -> Vec<(&'static str, &'static str, Body)> {
        let profiles = Profile::all().into_iter().map(|(family, kind, _)| {
            let profile = format!("{family}/{kind}");
            (family, kind, Body::Drawn { profile })
        });
        let kernels = kernels::FAMILIES.iter().map(|(name, kind, _)| {
            let family = format!("{name}/{kind}");
            (*name, *kind, Body::DrawnKernel { family })
        });
        let calls = api::FAMILIES.iter().map(|(name, kind, _)| {
            let family = format!("{name}/{kind}");
            (*name, *kind, Body::DrawnApi { family })
        });
        profiles.chain(kernels).chain(calls).collect()
    }

    /// The body of a generated case, by the family, the kind and the name in its id.
    ///
    /// # Errors
    ///
    /// There is no such kind of cases, or the name is no number of one; one sentence.
    pub fn named(profile: &str, name: &str) -> Result<Body, String> {
        if profile == SMALL {
            let number = number(name)?;
            return Ok(Body::Small { number });
        }
        if let Some(program) = generated_test(profile, name)? {
            return Ok(Body::Litmus(LitmusTest::new(&program)));
        }
        let mut all = Body::families().into_iter();
        if let Some((.., body)) =
            all.find(|(family, kind, _)| profile == format!("{family}/{kind}"))
        {
            number(name)?;
            return Ok(body);
        }
        Err(format!("there is no kind of generated cases {profile}"))
    }

    /// What it runs with this seed.
    ///
    /// # Errors
    ///
    /// A text cannot be read, or nothing can be generated under the name; one sentence.
    pub fn work(&self, seed: u64) -> Result<Work, String> {
        Ok(match self {
            Body::Litmus(test) => Work::Litmus(test.program.clone()),
            Body::Drawn { profile } => {
                let drawn = Profile::find(profile)
                    .ok_or_else(|| format!("there is no profile {profile}"))?;
                let plan = random(seed, &drawn).map_err(|e| e.to_string())?;
                Work::Commands(Box::new(plan))
            }
            Body::Small { number } => {
                let plan = small(*number as usize).map_err(|e| e.to_string())?;
                Work::Commands(Box::new(plan))
            }
            Body::Commands { program } => Work::Commands(Box::new(Plan::read(program)?)),
            Body::DrawnKernel { family } => {
                let case = kernels::draw(family, seed)
                    .ok_or_else(|| format!("there is no family {family}"))?;
                Work::Kernel(Box::new(case))
            }
            Body::Kernel { kernel } => {
                Work::Kernel(Box::new(yaml::read(kernel).map_err(|e| e.to_string())?))
            }
            Body::DrawnApi { family } => {
                let case = api::Case::generate(family, seed)
                    .ok_or_else(|| format!("there is no family {family}"))?;
                Work::Api(Box::new(case))
            }
            Body::Api { api } => Work::Api(Box::new(api::Case::read(api)?)),
        })
    }

    /// The litmus test, where it is one.
    pub fn litmus(&self) -> Option<&Arc<Program>> {
        match self {
            Body::Litmus(test) => Some(&test.program),
            Body::Drawn { .. }
            | Body::Small { .. }
            | Body::Commands { .. }
            | Body::DrawnKernel { .. }
            | Body::Kernel { .. }
            | Body::DrawnApi { .. }
            | Body::Api { .. } => None,
        }
    }

    /// What the states that a litmus test ends in have values of; nothing for other cases.
    pub fn observables(&self) -> Vec<Observable> {
        self.litmus().map_or_else(Vec::new, |test| test.recorded())
    }

    /// Whether it is a litmus test, which has thousands of instances in a launch.
    pub fn is_litmus(&self) -> bool {
        self.litmus().is_some()
    }
}

/// Where the small programs stand in ids.
pub const SMALL: &str = "queue/small";

impl Work {
    /// As text that reads as the same.
    pub fn to_text(&self) -> String {
        match self {
            Work::Litmus(program) => syntax::write_litmus(program),
            Work::Commands(plan) => plan.write(),
            Work::Kernel(case) => yaml::write(case),
            Work::Api(case) => case.write(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use classay_litmus::program::Api;

    #[test]
    fn generated_bodies_are_found_by_their_ids() {
        let all = plan::drawn(1).into_iter().chain(plan::small(3));
        for case in all {
            let (profile, name) = case.id.as_str().rsplit_once('/').expect("three parts");
            assert_eq!(Body::named(profile, name), Ok(case.body), "{}", case.id);
        }
        for api in Api::ALL {
            let tests = plan::generated_tests(api, 3, 7).expect("tests");
            assert_eq!(tests.len(), 3);
            for case in tests {
                let (profile, name) = case.id.as_str().rsplit_once('/').expect("three parts");
                assert_eq!(Body::named(profile, name), Ok(case.body), "{}", case.id);
                assert!(Body::named(profile, "00000").is_err());
            }
        }
        assert!(Body::named("no/such", "0").is_err());
        assert!(Body::named(SMALL, "x").is_err());
    }

    #[test]
    fn what_a_body_draws_is_the_same_every_time() {
        for case in plan::drawn(2) {
            let text = || case.body.work(7).map(|work| work.to_text());
            assert_eq!(text(), text(), "{}", case.id);
            assert!(text().is_ok(), "{}", case.id);
        }
    }
}
