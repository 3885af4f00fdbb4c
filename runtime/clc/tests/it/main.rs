//! Programs from text to results.

mod blocks;
mod chosen;
mod collective;
mod diagnostics;
mod first;
mod group;
mod half;
mod language;
mod names;
mod preprocessor;
mod random;
mod spirv;
mod support;
mod vulkan;
mod widening;
