//! How a library is reached: found, opened in a worker directly or through the layer, and the sentence for
//! one that does not open.

use super::death::How;
use super::host::{Breakage, NoReply, Start, Worker};
use super::protocol::{Known, PROTOCOL, Refusal, Reply, Request};
use super::variables;
use crate::device::{Api, At, Library, Selector, bundled};
use crate::interrupt::Interrupt;
use std::time::{Duration, Instant};

/// How long a worker may take to load a library or to open a device.
const OPEN_LIMIT: Duration = Duration::from_secs(120);

/// Why nothing more can run.
#[derive(Debug)]
pub enum Stop {
    /// The user interrupted.
    Interrupted,
    /// The device cannot be opened, or not any more; one or more sentences.
    NoDevice(String),
    /// What was to run had to be over by now.
    TimeIsUp,
}

/// How a library is reached.
#[derive(Clone)]
pub struct Link {
    pub selector: Selector,
    pub start: Start,
    pub interrupt: Interrupt,
}

impl Link {
    /// Finds the library and starts a first worker over it: directly, or through the layer where
    /// it has only ICD entry points or where the layer's faults are wanted.
    pub fn make(
        selector: &Selector,
        breakage: &Breakage,
        interrupt: &Interrupt,
    ) -> Result<(Link, Worker), Stop> {
        let names = selector.library.names().map_err(Stop::NoDevice)?;
        let program = std::env::current_exe().map_err(|e| {
            Stop::NoDevice(format!(
                "this program's own file, which a worker runs, is unknown: {e}"
            ))
        })?;
        let mut link = Link {
            selector: selector.clone(),
            start: Start {
                program,
                library: names.join(";"),
                api: selector.library.api(),
                under_layer: None,
                breakage: breakage.clone(),
            },
            interrupt: interrupt.clone(),
        };
        let told = std::env::var(variables::LAYER_FAULTS).unwrap_or_default();
        let files = [&breakage.times, &breakage.effects];
        let queues = selector.library.api() == Api::Vulkan
            && std::env::var_os(variables::LAYER_QUEUES).is_some();
        let asked = breakage.layer.is_some() || files.iter().any(|file| file.is_some()) || queues;
        if !told.is_empty() || asked {
            link.through_layer(&names, &told)?;
        }
        let mut started = link.start();
        if let (Err(NoReply::Refused(Refusal::OnlyIcd)), None) = (&started, &link.start.under_layer)
        {
            link.through_layer(&names, &told)?;
            started = link.start();
        }
        let worker = started.map_err(|error| link.stop(error))?;
        Ok((link, worker))
    }

    /// Puts the layer between the worker and the library, one of these. `told` are the faults that the environment
    /// of this process names.
    fn through_layer(&mut self, names: &[String], told: &str) -> Result<(), Stop> {
        let api = self.start.api;
        let layer = bundled::layer(api).map_err(|why| {
            Stop::NoDevice(format!(
                "{} has to be opened through the layer, which is missing: {why}",
                self.selector.library
            ))
        })?;
        self.start.under_layer = Some(match api {
            // The layer opens it itself.
            Api::OpenCl => names[0].clone(),
            Api::Vulkan => {
                faults_of_vulkan(told).map_err(Stop::NoDevice)?;
                names.join(";")
            }
        });
        self.start.library = layer;
        Ok(())
    }

    /// A worker that has loaded the library.
    pub fn start(&self) -> Result<Worker, NoReply> {
        let mut worker = Worker::start(&self.start)?;
        tracing::debug!(
            pid = worker.id(),
            library = self.start.library,
            "worker started"
        );
        match self.receive(&mut worker)? {
            Reply::Hello { protocol } if protocol == PROTOCOL => Ok(worker),
            Reply::Hello { protocol } => {
                let how = How::Rubbish(format!(
                    "it speaks version {protocol} of the protocol, not {PROTOCOL}: this program \
                     was replaced while it ran"
                ));
                Err(worker.condemn(how))
            }
            other => Err(worker.out_of_turn(&other)),
        }
    }

    /// Opens the device in a worker.
    pub fn open(
        &self,
        worker: &mut Worker,
        at: Option<At>,
        known: Option<Box<Known>>,
    ) -> Result<(At, Known), NoReply> {
        worker.send(&Request::Open { at, known });
        match self.receive(worker)? {
            Reply::Opened { at, known } => Ok((at, *known)),
            other => Err(worker.out_of_turn(&other)),
        }
    }

    /// The reply of a worker that does not refuse.
    pub fn receive(&self, worker: &mut Worker) -> Result<Reply, NoReply> {
        let late = How::Silent(OPEN_LIMIT);
        match worker.receive(Instant::now() + OPEN_LIMIT, late, &self.interrupt)? {
            Reply::Refused { refusal } => Err(NoReply::Refused(refusal)),
            reply => Ok(reply),
        }
    }

    /// The sentence for a device that did not open.
    pub fn stop(&self, error: NoReply) -> Stop {
        let library = &self.selector.library;
        let refusal = match error {
            NoReply::Interrupted => return Stop::Interrupted,
            NoReply::Died(death) => {
                return Stop::NoDevice(format!(
                    "{} could not be opened: {}.{}",
                    self.selector,
                    death.how,
                    death.last_words()
                ));
            }
            NoReply::Refused(refusal) => refusal,
        };
        let list = match library {
            Library::Touchstone | Library::System => "classay devices".to_string(),
            Library::Path(_) | Library::Vulkan | Library::VulkanDriver(_) => {
                format!("classay devices --device {library}")
            }
        };
        let interface = match library.api() {
            Api::OpenCl => "OpenCL",
            Api::Vulkan => "Vulkan",
        };
        Stop::NoDevice(match refusal {
            Refusal::NotLoaded { message } => match library {
                Library::System => format!(
                    "no OpenCL loader is installed: {message}.\nInstall one (on Debian and Ubuntu \
                     the package ocl-icd-libopencl1), or name a driver's own library with \
                     --device PATH."
                ),
                Library::Vulkan => format!(
                    "no Vulkan loader is installed: {message}.\nInstall one and a driver (on Debian and Ubuntu the \
                     packages libvulkan1 and mesa-vulkan-drivers), or name a driver with --device vulkan:PATH."
                ),
                Library::Touchstone | Library::Path(_) | Library::VulkanDriver(_) => {
                    format!("the library {library} cannot be loaded: {message}.")
                }
            },
            Refusal::NoInterface => {
                let lacks = match library.api() {
                    Api::OpenCl => "clGetPlatformIDs nor the entry points for an ICD loader",
                    Api::Vulkan => "vkGetInstanceProcAddr nor vk_icdGetInstanceProcAddr",
                };
                format!("{library} is a library without {interface}: it has neither {lacks}.")
            }
            Refusal::OnlyIcd => format!(
                "{library} is reached through the layer, and the layer itself has only ICD entry \
                 points; this is a mistake of the installation."
            ),
            Refusal::NoPlatform { message } => match library {
                Library::System => format!(
                    "the system's OpenCL loader has no platform: {message}.\nInstall a driver, or \
                     name a driver's own library with --device PATH."
                ),
                Library::Touchstone | Library::Path(_) => {
                    format!("{library} has no platform: {message}.")
                }
                Library::Vulkan | Library::VulkanDriver(_) => {
                    format!("{library} makes no Vulkan instance: {message}.")
                }
            },
            Refusal::NoSuchPlatform { asked, have } => format!(
                "{library} has no platform {asked}: it has {}. `{list}` lists them.",
                counted(have, "platform")
            ),
            Refusal::NoSuchDevice { platform: None, .. } => {
                format!("{library} has no device on any of its platforms.")
            }
            Refusal::NoSuchDevice { asked, have, .. } if library.api() == Api::Vulkan => format!(
                "{library} has no device {asked}: it has {}. `{list}` lists them.",
                counted(have, "device")
            ),
            Refusal::NoSuchDevice {
                platform: Some(platform),
                asked,
                have,
            } => format!(
                "platform {platform} of {library} has no device {asked}: it has {}. `{list}` \
                 lists them.",
                counted(have, "device")
            ),
            Refusal::Unusable { message } => {
                format!("the device {} cannot be used: {message}.", self.selector)
            }
        })
    }
}

/// Whether a list of faults, as the layer takes it, names faults of Vulkan alone; the error is a sentence.
fn faults_of_vulkan(list: &str) -> Result<(), String> {
    let mut names = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    match names.find(|id| classay_faults::vulkan::find(id).is_none()) {
        None => Ok(()),
        Some(id) => Err(format!(
            "{} names '{id}', which is no fault of Vulkan: `classay faults --list --device vulkan` prints them.",
            variables::LAYER_FAULTS
        )),
    }
}

fn counted(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}"),
        1 => format!("1 {what}, numbered 0"),
        n => format!("{n} {what}s, numbered from 0"),
    }
}
