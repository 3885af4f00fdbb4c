//! Programs from text to results.

mod bits;
mod blocks;
mod chosen;
mod collective;
mod diagnostics;
mod dot;
mod first;
mod group;
mod half;
mod language;
mod names;
mod preprocessor;
mod present;
mod random;
mod shuffle;
mod spirv;
mod support;
mod vulkan;
mod widening;
