//! A case as one C program that needs nothing but an OpenCL library.

use crate::device::Capabilities;
use crate::environment::Environment;
use crate::execute::litmus::Standalone;
use crate::judge::{ChosenModel, allowed_values};
use crate::plan::Work;
use classay_litmus::program::Program;
use classay_suites::family::{DeviceInfo, Family};
use classay_suites::host::{self, c::Document};
use classay_suites::{api, commands, kernels};
use classay_vocabulary::BuiltInKernel;

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

/// A generated case as a C program; `None` for a litmus test, which [`Litmus`] writes.
pub fn to_c(work: &Work) -> Option<String> {
    match work {
        Work::Commands(plan) => Some(commands::reproduce::to_c(plan)),
        Work::Kernel(case) => Some(kernels::to_c(case)),
        Work::Api(case) => Some(api_to_c(case)),
        Work::Litmus(_) => None,
    }
}

/// An API case as a C program. Where it takes the names of built-in kernels from the device, those that are known.
fn api_to_c(case: &api::Case) -> String {
    let lowered = case.lower(&DeviceInfo {
        built_in_kernels: BuiltInKernel::ALL.map(|kernel| kernel.name().into()).into(),
    });
    host::c::to_c(&Document {
        about: &["What calls of the host do by themselves.".into()],
        needs: &case.needs,
        program: &lowered.program,
        checks: &lowered.checks,
        quit: None,
    })
}
