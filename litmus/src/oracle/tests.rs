//! Tests of the oracle.

mod compare;
mod corpus;
mod naive;
mod random;
mod rules;
mod series;
