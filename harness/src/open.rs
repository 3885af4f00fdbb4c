//! Opens a device for an engine, with the memory model that judges what it does.

use crate::Error;
use crate::device::{Api, Selector};
use crate::interrupt::Interrupt;
use crate::judge::{ChosenModel, model};
use crate::worker::session::{Breakage, Session};

/// The model that a user chose, which is read before a device is opened.
///
/// # Errors
///
/// There is no such model, or its file cannot be used.
pub fn chosen(model: Option<&str>) -> Result<Option<ChosenModel>, Error> {
    model
        .map(ChosenModel::load)
        .transpose()
        .map_err(Error::Usage)
}

/// Opens a device that tests can run on.
///
/// # Errors
///
/// The device does not open, its compiler builds nothing, or the user interrupted.
pub fn device(selector: &Selector, interrupt: &Interrupt) -> Result<Session, Error> {
    broken(selector, &Breakage::default(), interrupt)
}

/// Opens a device that tests can run on, with something broken or taken.
fn broken(
    selector: &Selector,
    breakage: &Breakage,
    interrupt: &Interrupt,
) -> Result<Session, Error> {
    let session = Session::open_broken(selector, breakage, None, interrupt)?;
    let known = session.known();
    if known.capabilities.api == Api::OpenCl && known.capabilities.c_std.is_empty() {
        let why = match known.record.findings.as_slice() {
            [] => "it claims no version of OpenCL C".into(),
            findings => findings.join("; "),
        };
        return Err(Error::NoDevice(format!(
            "no test can run on {selector} ({}), since it builds no OpenCL C: {why}.",
            known.record.name
        )));
    }
    Ok(session)
}

/// Opens a device that tests can run on, and takes the model of its OpenCL version where none was chosen.
///
/// # Errors
///
/// As [`device`].
pub fn judged(
    selector: &Selector,
    chosen: Option<ChosenModel>,
    interrupt: &Interrupt,
) -> Result<(Session, ChosenModel), Error> {
    judged_broken(selector, &Breakage::default(), chosen, interrupt)
}

/// As [`judged`], with something broken or taken.
///
/// # Errors
///
/// As [`device`].
pub fn judged_broken(
    selector: &Selector,
    breakage: &Breakage,
    chosen: Option<ChosenModel>,
    interrupt: &Interrupt,
) -> Result<(Session, ChosenModel), Error> {
    let session = broken(selector, breakage, interrupt)?;
    let model = match chosen {
        Some(model) => model,
        None => {
            let capabilities = &session.known().capabilities;
            let name = match capabilities.api {
                Api::OpenCl => model::of_version(capabilities.version),
                Api::Vulkan if !capabilities.chains => "vulkan-no-chains",
                Api::Vulkan => Api::Vulkan.model(),
            };
            ChosenModel::load(name).map_err(Error::Bug)?
        }
    };
    Ok((session, model))
}
