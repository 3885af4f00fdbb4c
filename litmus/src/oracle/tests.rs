//! Tests of the oracle.

mod corpus;
mod naive;
