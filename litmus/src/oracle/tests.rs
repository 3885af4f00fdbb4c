//! Tests of the oracle.

mod commands;
mod compare;
mod corpus;
mod loops;
mod naive;
mod queues;
mod random;
mod rules;
mod series;
mod with_commands;
