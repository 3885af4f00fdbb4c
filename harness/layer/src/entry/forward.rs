//! What every exported function is made of: the macro that writes it from its row, and what guards it.

use crate::answer::Answer;
use crate::library::Entry;
use opencl_sys::{CL_OUT_OF_HOST_MEMORY, cl_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an entry point; turns a status that came instead of a call into the answer.
///
/// # Safety
/// `errcode` is NULL or may be written.
pub(crate) unsafe fn guard<R: Answer>(
    errcode: *mut cl_int,
    body: impl FnOnce() -> Result<R, cl_int>,
) -> R {
    let timer = crate::times::begin();
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        crate::say::line("internal error in a forwarded call; this is a bug in the layer");
        Err(CL_OUT_OF_HOST_MEMORY)
    });
    drop(timer);
    outcome.unwrap_or_else(|status| {
        if !errcode.is_null() {
            // SAFETY: not NULL, and the caller vouches for it.
            unsafe { *errcode = status };
        }
        R::without_call(status)
    })
}

/// A function whose type is left open.
pub(crate) type Address = unsafe extern "C" fn();

/// An exported function.
pub(crate) struct Exported {
    /// The entry point that it serves.
    pub(super) entry: Entry,
    /// Its address; whoever asked for it by name calls it with its own type.
    pub(super) function: Address,
}

/// Defines and exports the entry points of a table; see the folder for what a row says.
macro_rules! entry_points {
    ($(
        $name:ident ( $($argument:ident : $type:ty),* $(,)? ) -> $result:ty,
        by $find:ident ( $($hint:expr),* )
        $(, replaces $replaced:ident)?
        $(, errcode $errcode:ident)?
        $(, command($queue:ident, $count:ident, $list:ident, $event:ident $(, $blocking:ident)?))?
        $(, alters ($($altered:ident),+) $alter:path)*
        $(, hook $hook:path)?;
    )*) => {
        $(
            #[doc = concat!("Forwards `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// As OpenCL asks of this entry point's caller.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                const ENTRY: $crate::library::Entry =
                    $crate::library::Entry::named(stringify!($name));
                type Next = unsafe extern "C" fn($($type),*) -> $result;
                let body = || {
                    let call = $crate::faults::enter(ENTRY)?;
                    // SAFETY: the caller passes what OpenCL asks for: handles that are NULL or
                    // valid, lists as long as they say.
                    let object = unsafe { find::$find($($hint),*) }
                        .map_err(|status| call.missing(status))?;
                    // SAFETY: the object was found among the caller's handles.
                    let function = unsafe {
                        $crate::library::Library::get().function(ENTRY, object)
                    }?;
                    // SAFETY: the library offers this address as the entry point of this name,
                    // whose type OpenCL fixes.
                    let next = unsafe {
                        ::std::mem::transmute::<*mut ::libc::c_void, Next>(function)
                    };
                    $(let $replaced = object;)?
                    $(
                        // SAFETY: the caller's arguments.
                        let changed = unsafe { $alter(&call, $($altered),+) };
                        #[allow(unused_parens, reason = "one parameter needs none")]
                        let ($($altered),+) = changed;
                    )*
                    // SAFETY: the caller's arguments, unchanged but for what a fault asks.
                    let result = unsafe {
                        entry_points!(
                            @issue next, &call, ENTRY, ($($argument),*),
                            ($($queue, $count, $list, $event $(, $blocking)?)?) $(, $hook)?
                        )
                    };
                    $crate::faults::leave();
                    Ok(result)
                };
                // SAFETY: the caller passes NULL or a place for the status.
                unsafe { $crate::entry::forward::guard(entry_points!(@errcode $($errcode)?), body) }
            }
        )*

        /// The functions above.
        pub(super) static EXPORTED: &[$crate::entry::forward::Exported] = &[$($crate::entry::forward::Exported {
            entry: $crate::library::Entry::named(stringify!($name)),
            // SAFETY: a function pointer kept as an address, not called with this type.
            function: unsafe {
                ::std::mem::transmute::<
                    unsafe extern "C" fn($($type),*) -> $result,
                    $crate::entry::forward::Address,
                >($name)
            },
        }),*];
    };
    (@issue $next:ident, $call:expr, $entry:expr, $arguments:tt, () $(, $hook:path)?) => {
        entry_points!(@call $next, $call, $arguments $(, $hook)?)
    };
    (
        @issue $next:ident, $call:expr, $entry:expr, $arguments:tt,
        ($queue:ident, $count:ident, $list:ident, $event:ident $(, $blocking:ident)?)
        $(, $hook:path)?
    ) => {{
        let command = $crate::faults::command::Command {
            entry: $entry,
            queue: $queue,
            blocking: entry_points!(@blocking $($blocking)?),
            count: $count,
            list: $list,
            event: $event,
        };
        $crate::faults::enqueue::around($call, command, |command| {
            let ($count, $list, $event) = (command.count, command.list, command.event);
            $(let $blocking = command.blocking.unwrap_or($blocking);)?
            entry_points!(@call $next, $call, $arguments $(, $hook)?)
        })
    }};
    (@blocking) => { None };
    (@blocking $blocking:ident) => { Some($blocking) };
    (@call $next:ident, $call:expr, ($($argument:ident),*)) => { $next($($argument),*) };
    (@call $next:ident, $call:expr, ($($argument:ident),*), $hook:path) => {
        $hook($call, $next, $($argument),*)
    };
    (@errcode) => { ::std::ptr::null_mut() };
    (@errcode $errcode:ident) => { $errcode };
}
pub(super) use entry_points;

#[cfg(test)]
mod tests {
    use super::*;
    use libc::c_void;

    #[test]
    fn a_panic_stays_inside() {
        let mut status = 0;
        // SAFETY: the place for the status is a local.
        let object: *mut c_void = unsafe { guard(&mut status, || panic!("a bug")) };
        assert!(object.is_null());
        assert_eq!(status, CL_OUT_OF_HOST_MEMORY);
    }
}
