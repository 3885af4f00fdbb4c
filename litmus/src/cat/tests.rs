//! Tests of the cat language.
