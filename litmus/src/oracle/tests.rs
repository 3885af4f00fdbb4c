//! Tests of the oracle.

mod commands;
mod compare;
mod corpus;
mod families;
mod loops;
pub(crate) mod naive;
mod objects;
mod progress;
mod queues;
mod random;
mod random_vulkan;
mod readings;
mod rules;
mod series;
mod vulkan;
mod with_commands;

use super::{Judgement, Limits, Model, judge};
use crate::syntax::read_litmus;

/// What a model says of a test in the `.litmus` dialect.
fn under(model: &str, text: &str) -> Judgement {
    let program = read_litmus("test", text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    judge(&program, &Model::named(model).unwrap(), &Limits::default()).unwrap()
}
