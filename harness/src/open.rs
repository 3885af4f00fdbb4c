//! Opens a device for an engine, with the memory model that judges what it does.

use crate::Error;
use crate::device::{Api, Selector};
use crate::interrupt::Interrupt;
use crate::judge::{ChosenModel, model};
use crate::plan::select::Selection;
use crate::plan::{self, Case};
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

/// The interface as sentences call it.
pub fn spoken(api: Api) -> &'static str {
    match api {
        Api::OpenCl => "OpenCL",
        Api::Vulkan => "Vulkan",
    }
}

/// Which device to name for tests of an interface, in a sentence.
pub fn to_name(api: Api) -> &'static str {
    match api {
        Api::OpenCl => "name an OpenCL device, as with --device touchstone or --device system",
        Api::Vulkan => "name a Vulkan device, as with --device vulkan or --device vulkan:DRIVER",
    }
}

/// Whether a device plays tests: whether they are of its interface.
///
/// # Errors
///
/// One is of the other interface; the sentence says which device to name.
pub fn are_played_by<'c>(
    selector: &Selector,
    tests: impl IntoIterator<Item = &'c Case>,
) -> Result<(), Error> {
    let own = selector.library.api();
    let others = tests.into_iter().find_map(|case| {
        let api = case.body.litmus()?.api;
        (api != own).then_some((&case.test, api))
    });
    match others {
        None => Ok(()),
        Some((test, api)) => Err(Error::Usage(format!(
            "{test} is a test of {}, and {selector} is reached by {}: {}",
            spoken(api),
            spoken(own),
            to_name(api)
        ))),
    }
}

/// What is to be said where a selection takes no test of a device's interface: which device to name where it takes
/// tests of the other one. It begins with a separator.
pub fn if_of_the_other(selection: &Selection, own: Api) -> String {
    let takes = |api: &Api| {
        let tests = plan::shipped_of(*api).unwrap_or_default();
        tests.iter().any(|case| selection.takes(case))
    };
    let other = Api::ALL.into_iter().find(|api| *api != own && takes(api));
    other.map_or_else(String::new, |api| {
        format!("; tests of {} do: {}", spoken(api), to_name(api))
    })
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

/// Opens a device that tests can run on, and takes the model of its version where none was chosen.
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
