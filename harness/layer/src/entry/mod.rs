//! The exported functions: one table, one macro.
//!
//! A row of `entry_points!` is a function's signature and these facts: how its object, and with it
//! the function to call, is found (`by`), and whether the found one takes its place in the call
//! (`replaces`); through which parameter it reports its status, if not by
//! its value (`errcode`); for a command, where its queue, wait list and event are, and whether it
//! blocks (`command`); which fault can change some of its parameters (`alters`), and which can take
//! part in the call (`hook`). Everything else is the same for all of them:
//!
//! 1. the faults are told of the call; they may end it, or the process, here;
//! 2. the function of the implementation is found; where there is none, the call answers with the
//!    status that the specification names for the missing object, or `CL_INVALID_OPERATION` where
//!    the implementation left the entry out;
//! 3. it is called, through the hook if there is one;
//! 4. what faults have to do when a command completes is done, if it did.
//!
//! Nothing unwinds into the caller: a panic, which would be a bug of the layer, is reported and
//! answered as `CL_OUT_OF_HOST_MEMORY`.

mod commands;
mod find;
mod memory;
mod platforms;
mod programs;
mod queues;
mod sharing;
mod special;

pub(crate) use special::own_get_platform_ids;

use crate::library::Entry;
use libc::c_void;
use opencl_sys::{CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, cl_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What an entry point returns when it was not called.
pub(crate) trait Answer: Sized {
    /// The value that goes with this status.
    fn without_call(status: cl_int) -> Self;

    /// The status, where that is the answer.
    fn status(&self) -> Option<cl_int>;

    /// Whether the call did what it was called for.
    fn succeeded(&self) -> bool;
}

impl Answer for cl_int {
    fn without_call(status: cl_int) -> Self {
        status
    }

    fn status(&self) -> Option<cl_int> {
        Some(*self)
    }

    fn succeeded(&self) -> bool {
        *self == CL_SUCCESS
    }
}

impl Answer for *mut c_void {
    fn without_call(_status: cl_int) -> Self {
        std::ptr::null_mut()
    }

    fn status(&self) -> Option<cl_int> {
        None
    }

    fn succeeded(&self) -> bool {
        !self.is_null()
    }
}

impl Answer for () {
    fn without_call(_status: cl_int) -> Self {}

    fn status(&self) -> Option<cl_int> {
        None
    }

    fn succeeded(&self) -> bool {
        true
    }
}

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
    entry: Entry,
    /// Its address; whoever asked for it by name calls it with its own type.
    function: Address,
    /// Whether a fault can take its wait list away.
    waits: bool,
}

/// The layer's own function for an entry point, for programs that ask for its address by name.
pub(crate) fn own(entry: Entry) -> Option<Address> {
    exported(entry).map(|exported| exported.function)
}

/// Whether the entry point has a wait list that a fault can take away.
pub(crate) fn waits(entry: Entry) -> bool {
    exported(entry).is_some_and(|exported| exported.waits)
}

fn exported(entry: Entry) -> Option<&'static Exported> {
    [
        platforms::EXPORTED,
        queues::EXPORTED,
        memory::EXPORTED,
        programs::EXPORTED,
        commands::EXPORTED,
        sharing::EXPORTED,
        special::EXPORTED,
    ]
    .into_iter()
    .flatten()
    .find(|exported| exported.entry == entry)
}

/// Defines and exports the entry points of a table; see the module for what a row says.
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
                    let call = $crate::faults::Call::enter(ENTRY)?;
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
                    call.leave();
                    Ok(result)
                };
                // SAFETY: the caller passes NULL or a place for the status.
                unsafe { $crate::entry::guard(entry_points!(@errcode $($errcode)?), body) }
            }
        )*

        /// The functions above.
        pub(super) static EXPORTED: &[$crate::entry::Exported] = &[$($crate::entry::Exported {
            entry: $crate::library::Entry::named(stringify!($name)),
            // SAFETY: a function pointer kept as an address, not called with this type.
            function: unsafe {
                ::std::mem::transmute::<
                    unsafe extern "C" fn($($type),*) -> $result,
                    $crate::entry::Address,
                >($name)
            },
            waits: entry_points!(@waits $($count)?),
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
        $crate::faults::command::around($call, command, |command| {
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
    (@waits) => { false };
    (@waits $count:ident) => { true };
    (@errcode) => { ::std::ptr::null_mut() };
    (@errcode $errcode:ident) => { $errcode };
}
use entry_points;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_point_but_those_of_windows_is_exported() {
        let missing: Vec<_> = Entry::all()
            .filter(|entry| own(*entry).is_none())
            .map(Entry::name)
            .filter(|name| !name.contains("D3D1") && !name.contains("DX9"))
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn a_panic_stays_inside() {
        let mut status = 0;
        // SAFETY: the place for the status is a local.
        let object: *mut c_void = unsafe { guard(&mut status, || panic!("a bug")) };
        assert!(object.is_null());
        assert_eq!(status, CL_OUT_OF_HOST_MEMORY);
    }
}
