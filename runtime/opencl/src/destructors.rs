//! The destructor callbacks of one object.

use std::ffi::c_void;

use parking_lot::Mutex;

use crate::callback::{self, UserData};

/// The destructor callback of a context or of a memory object.
pub type DestructorFn = unsafe extern "C" fn(object: *mut c_void, user_data: *mut c_void);

/// Callbacks for the deletion of an object.
#[derive(Default)]
pub struct Destructors(Mutex<Vec<(DestructorFn, UserData)>>);

impl Destructors {
    /// Registers one.
    pub fn add(&self, notify: DestructorFn, user_data: UserData) {
        self.0.lock().push((notify, user_data));
    }

    /// Calls them, the last registered first.
    pub fn run(&mut self, handle: *mut c_void) {
        for (notify, user_data) in self.0.get_mut().drain(..).rev() {
            callback::at_deletion(
                move |handle| {
                    // SAFETY: the application gave this function for this purpose.
                    unsafe { notify(handle.get().cast(), user_data.get()) };
                },
                handle,
            );
        }
    }
}
