//! Contexts: what devices, memory, programs and queues share.

use std::ffi::{CString, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_faults::{Latitude, takes};
use touchstone_queue::Lane;

use crate::callback::{self, UserData};
use crate::destructors::{DestructorFn, Destructors};
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::svm::SvmHeap;
use crate::object::{self, Header, object};
use crate::platform::{self, Device, limits};
use crate::queue::Queue;
use crate::queue::command::Failure;
use crate::report::Reports;

/// The error callback of a context.
pub type ErrorFn = unsafe extern "C" fn(
    errinfo: *const c_char,
    private_info: *const c_void,
    cb: usize,
    user_data: *mut c_void,
);

/// A context.
#[repr(C)]
pub struct Context {
    header: Header<Self>,
    /// Its devices, each once, in the order given.
    pub devices: Vec<Arc<Device>>,
    /// Its properties as given, the final zero included; empty when none were given.
    properties: Vec<cl_context_properties>,
    notify: Option<(ErrorFn, UserData)>,
    destructors: Destructors,
    /// Its shared virtual memory.
    pub svm: SvmHeap,
    /// Where its event and error callbacks run.
    lane: Arc<Lane>,
    /// What the user has been told of commands that ended abnormally.
    reports: Reports,
    /// Its device queues.
    device_queues: Mutex<DeviceQueues>,
    /// A command has ended abnormally, and the latitude to lose the queues then is taken.
    lost: AtomicBool,
}
object!(Context, CL_INVALID_CONTEXT);

impl Context {
    /// Makes a context. The properties have passed [`check_properties`].
    pub fn new(
        devices: Vec<Arc<Device>>,
        properties: Vec<cl_context_properties>,
        notify: Option<(ErrorFn, UserData)>,
    ) -> Arc<Self> {
        let mut distinct: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !distinct.iter().any(|known| Arc::ptr_eq(known, &device)) {
                distinct.push(device);
            }
        }
        Arc::new(Self {
            header: Header::default(),
            devices: distinct,
            properties,
            notify,
            destructors: Destructors::default(),
            svm: SvmHeap::default(),
            lane: callback::lane(),
            reports: Reports::default(),
            device_queues: Mutex::default(),
            lost: AtomicBool::new(false),
        })
    }

    /// Whether a device belongs to this context.
    pub fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// The default device queue of a device.
    pub fn default_queue(&self, device: &Arc<Device>) -> Option<Arc<Queue>> {
        self.device_queues.lock().default_of(device)
    }

    /// Makes a device queue the default one of its device.
    pub fn set_default_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.device_queues.lock();
        queues.defaults.retain(|known| {
            let known = known.upgrade();
            known.is_some_and(|known| !Arc::ptr_eq(&known.device, &queue.device))
        });
        queues.defaults.push(Arc::downgrade(queue));
    }

    /// A new device queue, of which the application gets a reference; if it is to be the default one of the device, the one that is so already, of which the
    /// application gets another reference then.
    ///
    /// # Errors
    /// Those of making it; `CL_OUT_OF_RESOURCES` for more than the device has.
    pub fn device_queue(
        &self,
        device: &Arc<Device>,
        is_default: bool,
        make: impl FnOnce() -> Result<Arc<Queue>>,
    ) -> Result<cl_command_queue> {
        // Deleting a queue takes no lock of its context.
        let mut queues = self.device_queues.lock();
        let known = queues.default_of(device).filter(|_| is_default);
        if let Some(known) = known {
            let handle = object::handle(&known);
            object::retain::<Queue>(handle)?;
            return Ok(handle);
        }
        queues.all.retain(|queue| queue.strong_count() > 0);
        let own = queues.all.iter().filter_map(Weak::upgrade);
        let own = own.filter(|queue| Arc::ptr_eq(&queue.device, device));
        ensure!(
            own.count() < limits::device_queues() as usize,
            CL_OUT_OF_RESOURCES
        );
        let queue = make()?;
        queues.all.push(Arc::downgrade(&queue));
        if is_default {
            queues.defaults.push(Arc::downgrade(&queue));
        }
        Ok(object::publish(&queue))
    }

    /// A command has ended abnormally.
    pub fn ended_abnormally(&self) {
        if takes(Latitude::QueuesLost) {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    /// Whether its queues are of no use any more. It orders nothing: whoever finds it false is as early as one
    /// who asked before.
    pub fn has_lost_queues(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Where its event and error callbacks run, one after another.
    pub fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    /// Reports the failure of a command to the application, through the callback given at creation, on
    /// the callback thread; and to the user on standard error.
    pub fn report(self: &Arc<Self>, failure: &Failure) {
        self.reports.tell(failure, self.notify.is_some());
        let Some((notify, user_data)) = self.notify else {
            return;
        };
        let text = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
        let context = Arc::clone(self);
        callback::post(&self.lane, move || {
            // SAFETY: the application gave this function for this purpose; the string
            // lives until it returns.
            unsafe { notify(text.as_ptr(), std::ptr::null(), 0, user_data.get()) };
            drop(context);
        });
    }

    /// Registers a callback for the deletion of the context.
    pub fn on_destruction(&self, notify: DestructorFn, user_data: UserData) {
        self.destructors.add(notify, user_data);
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_context_info) -> Result<Answer> {
        Ok(match name {
            CL_CONTEXT_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_CONTEXT_NUM_DEVICES => Answer::of(self.devices.len() as u32),
            CL_CONTEXT_DEVICES => Answer::list(self.devices.iter().map(object::handle)),
            CL_CONTEXT_PROPERTIES => Answer::list(self.properties.iter().copied()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}

/// The device queues of a context.
#[derive(Default)]
struct DeviceQueues {
    all: Vec<Weak<Queue>>,
    /// At most one for each device that is still there.
    defaults: Vec<Weak<Queue>>,
}

impl DeviceQueues {
    fn default_of(&self, device: &Arc<Device>) -> Option<Arc<Queue>> {
        let mut queues = self.defaults.iter().filter_map(Weak::upgrade);
        queues.find(|queue| Arc::ptr_eq(&queue.device, device))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.lane.close();
        let handle = std::ptr::from_mut(self).cast::<c_void>();
        self.destructors.run(handle);
    }
}

/// Checks a list of properties.
///
/// # Errors
/// `CL_INVALID_PLATFORM`, `CL_INVALID_PROPERTY`.
pub fn check_properties(properties: &[cl_context_properties]) -> Result<()> {
    let mut seen = Vec::new();
    for (key, value) in raw::pairs(properties) {
        ensure!(!seen.contains(&key), CL_INVALID_PROPERTY);
        seen.push(key);
        match key {
            CL_CONTEXT_PLATFORM => {
                ensure!(value != 0, CL_INVALID_PLATFORM);
                platform::find_platform(value as cl_platform_id)?;
            }
            CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure!(value == 0 || value == 1, CL_INVALID_PROPERTY);
            }
            _ => return Err(Error(CL_INVALID_PROPERTY)),
        }
    }
    Ok(())
}
