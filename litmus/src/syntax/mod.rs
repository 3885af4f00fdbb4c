//! Readers and writers of litmus tests.
