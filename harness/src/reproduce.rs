//! A case as one C program that needs nothing but an OpenCL library.

use crate::device::Capabilities;
use crate::environment::Environment;
use crate::execute::host::as_module;
use crate::execute::litmus::Standalone;
use crate::judge::{ChosenModel, allowed_values};
use crate::plan::Work;
use classay_litmus::program::Program;
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::kernels;

/// How a litmus test is written for a device.
pub struct Litmus<'a> {
    /// What the device can do.
    pub capabilities: &'a Capabilities,
    /// The device's name, for the comment at the head.
    pub device: &'a str,
    /// How it is placed and stressed.
    pub environment: &'a Environment,
    /// Seed of what its launches draw.
    pub seed: u64,
    /// The model that says which outcomes are wrong.
    pub model: &'a ChosenModel,
}

impl Litmus<'_> {
    /// The test as a C program.
    ///
    /// # Errors
    ///
    /// The device cannot run the test, or no launch can express it; one sentence.
    pub fn to_c(&self, program: &Program) -> Result<String, String> {
        let (allowed, judged) = match allowed_values(program.clone(), self.model) {
            Ok(values) => (Some(values), format!("Judged by {}.", self.model.name())),
            Err(why) => (None, format!("Not judged: {why}.")),
        };
        Standalone {
            program,
            capabilities: self.capabilities,
            environment: self.environment,
            seed: self.seed,
            allowed,
            about: vec![format!(
                "Litmus test {}, for {}. {judged}",
                program.name, self.device
            )],
        }
        .to_c()
    }
}

/// A generated case as a C program, for any device, which `asks` its objects what they must answer or does not; `None`
/// for a litmus test, which [`Litmus`] writes.
pub fn to_c(work: &Work, asks: bool) -> Option<String> {
    let device = DeviceInfo::unknown();
    match work {
        Work::Commands(plan) => Some(plan.to_c(&device, asks)),
        Work::Kernel(case) => Some(kernels::to_c(&as_module(case), asks)),
        Work::Api(case) => Some(case.to_c(&device, asks)),
        Work::Litmus(_) => None,
    }
}
