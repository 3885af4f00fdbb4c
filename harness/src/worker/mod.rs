//! The process that touches the driver, and everything that keeps the parent safe from it.
//!
//! A driver may crash, hang, print to standard output or corrupt memory. So the parent starts a child (`classay
//! worker`), which alone loads the library and calls OpenCL. [`protocol`] is what the two say to each other, `child`
//! the worker's side, `host` one worker seen from the parent (start, send, receive with a deadline, kill), `link` how a
//! library is reached by one, [`death`] the words for how it ended, [`whereabouts`] which calls it was in, [`vigil`]
//! how long it is waited for while it says nothing, [`turns`] how many compute at once, and [`session`] what the parent
//! does with workers: open a device, run a case, and when the worker dies record that, try again, and go on with a
//! fresh one.

mod child;
pub mod death;
mod host;
mod link;
pub mod protocol;
pub mod session;
pub mod triage;
pub mod turns;
pub mod vigil;
pub mod whereabouts;

/// Serves as a worker and does not return, where this program was started as one. A program that drives runs
/// calls this first: a run starts the program again for the process that loads the driver.
pub fn serve_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "worker") && arguments.next().is_none() {
        child::main();
    }
}

/// Names the pieces of the environment that the parent gives a worker.
pub mod variables {
    /// The library that the OpenCL bindings load; `;` between alternatives.
    pub const LIBRARY: &str = "OPENCL_DYLIB_PATH";
    /// The interface of the library, by its name.
    pub const API: &str = "CLASSAY_API";
    /// The library under the layer; `;` between alternatives.
    pub const UNDER_LAYER: &str = "CLASSAY_LAYER_LIBRARY";
    /// The layer's faults; where set, every library is opened through the layer.
    pub const LAYER_FAULTS: &str = "CLASSAY_LAYER_FAULTS";
    /// How many queues the Vulkan layer says that each family has; where set, every Vulkan library is opened through it.
    pub const LAYER_QUEUES: &str = "CLASSAY_LAYER_QUEUES";
    /// Where the layer counts calls and their time; where set, likewise.
    pub const LAYER_TIMES: &str = "CLASSAY_LAYER_TIMES";
    /// Where the layer says which of its faults could have made a difference; where set, likewise.
    pub const LAYER_EFFECTS: &str = classay_faults::effects::VARIABLE;
    /// The file in which the worker notes which calls it is in.
    pub const WHEREABOUTS: &str = "CLASSAY_WORKER_WHEREABOUTS";
    /// What Touchstone is to break.
    pub const TOUCHSTONE_FAULTS: &str = "TOUCHSTONE_FAULTS";
    /// Which freedoms Touchstone is to take.
    pub const TOUCHSTONE_LATITUDE: &str = "TOUCHSTONE_LATITUDE";
    /// What Touchstone is to check of kernels beyond what it always does: no kernel of a case divides by zero.
    pub const TOUCHSTONE_CHECK: (&str, &str) = ("TOUCHSTONE_ZERO_DIVISION", "error");
}
