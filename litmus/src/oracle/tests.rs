//! Tests of the oracle.

mod compare;
mod corpus;
mod loops;
mod naive;
mod random;
mod rules;
mod series;
