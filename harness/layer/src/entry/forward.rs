//! What every exported function is made of: the macro that writes it from its row, and what guards it.

use crate::answer::Answer;
use crate::library::{Entry, Symbol};
use libc::c_void;
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

/// What an object calls with itself and the program's data.
pub(super) type Notify = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// An exported function.
pub(crate) struct Exported {
    /// The entry point that it serves.
    pub(super) entry: Entry,
    /// Its address; whoever asked for it by name calls it with its own type.
    pub(super) function: Symbol,
}

impl Exported {
    /// The function of this name.
    pub(super) const fn new(name: &str, function: *const c_void) -> Exported {
        let (entry, function) = (Entry::named(name), Symbol(function.cast_mut()));
        Exported { entry, function }
    }
}

/// Defines and exports the entry points of a table; see the folder for what a row says.
macro_rules! entry_points {
    ($($section:ident $of:tt { $(
        $name:ident $arguments:tt -> $result:ty $(, $fact:ident $named:tt $(=> $by:path)?)*;
    )* })*) => {
        $($(entry_points!(
            @$section $of $name $arguments -> $result { $(, $fact $named $(=> $by)?)* }
        );)*)*

        /// The functions above.
        pub(super) static EXPORTED: &[$crate::entry::forward::Exported] = &[$($(
            $crate::entry::forward::Exported::new(stringify!($name), $name as *const _)
        ),*),*];
    };

    // The sections: parameters that all functions of one have, and how the object is found.
    (
        @object ($object:ident: $kind:ty, $missing:expr)
        $name:ident ($($argument:ident: $type:ty),* $(,)?) $($rest:tt)*
    ) => {
        entry_points!(
            @define ($object, $crate::entry::find::object($object, $missing)) []
            $name ($object: $kind $(, $argument: $type)*) $($rest)*
        );
    };
    (@platform ($platform:ident) $name:ident ($($arguments:tt)*) $($rest:tt)*) => {
        entry_points!(
            @define ($platform, $crate::entry::find::platform_or_first($platform)) []
            $name ($platform: cl_platform_id, $($arguments)*) $($rest)*
        );
    };
    (
        @command ($queue:ident, $count:ident, $list:ident, $event:ident)
        $name:ident ($($argument:ident: $type:ty),* $(,)?) $($rest:tt)*
    ) => {
        entry_points!(
            @define ($queue, $crate::entry::find::object($queue, CL_INVALID_COMMAND_QUEUE))
            [$queue, $count, $list, $event]
            $name (
                $queue: cl_command_queue, $($argument: $type,)*
                $count: cl_uint, $list: *const cl_event, $event: *mut cl_event
            ) $($rest)*
        );
    };
    (
        @other () $name:ident $arguments:tt -> $result:ty
        { , by($($hint:expr),*) => $find:path $(, $fact:ident $named:tt $(=> $by:path)?)* }
    ) => {
        entry_points!(
            @define (_found, $find($($hint),*)) []
            $name $arguments -> $result { $(, $fact $named $(=> $by)?)* }
        );
    };

    // One function.
    (
        @define ($object:pat, $find:expr) $command:tt
        $name:ident ($($argument:ident: $type:ty),* $(,)?) -> $result:ty {
            $(, errcode($errcode:ident))?
            $(, blocks($blocking:ident))?
            $(, alters($($altered:ident),+) => $alter:path)*
            $(, hook($($seen:ident),* $(; $($changed:ident),+)?) => $hook:path)?
        }
    ) => {
        #[doc = concat!("Forwards `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// As OpenCL asks of this entry point's caller.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($argument: $type,)* $($errcode: *mut cl_int)?
        ) -> $result {
            const ENTRY: $crate::library::Entry =
                $crate::library::Entry::named(stringify!($name));
            type Next = unsafe extern "C" fn(
                $($type,)* $(entry_points!(@errcode_type $errcode))?
            ) -> $result;
            let body = || {
                let call = $crate::faults::enter(ENTRY)?;
                // SAFETY: the caller passes what OpenCL asks for: handles that are NULL or
                // valid, lists as long as they say.
                let object = unsafe { $find }.map_err(|status| call.missing(status))?;
                // SAFETY: the object was found among the caller's handles.
                let function = unsafe {
                    $crate::library::Library::get().function(ENTRY, object)
                }?;
                // SAFETY: the library offers this address as the entry point of this name,
                // whose type OpenCL fixes.
                let next = unsafe {
                    ::std::mem::transmute::<*mut ::libc::c_void, Next>(function)
                };
                let $object = object;
                $(
                    // SAFETY: the caller's arguments.
                    let changed = unsafe { $alter(&call, $($altered),+) };
                    #[allow(unused_parens, reason = "one parameter needs none")]
                    let ($($altered),+) = changed;
                )*
                // SAFETY: the caller's arguments, unchanged but for what a fault asks.
                let result = unsafe {
                    entry_points!(
                        @issue next call $command ENTRY [$($argument,)* $($errcode)?]
                        [$($blocking)?] $(($($seen),*) ($($($changed),+)?) $hook)?
                    )
                };
                $crate::faults::leave();
                Ok(result)
            };
            // SAFETY: the caller passes NULL or a place for the status.
            unsafe { $crate::entry::forward::guard(entry_points!(@errcode $($errcode)?), body) }
        }
    };
    (@errcode) => { ::std::ptr::null_mut() };
    (@errcode $errcode:ident) => { $errcode };
    (@errcode_type $errcode:ident) => { *mut cl_int };

    // The call, through the hook if there is one.
    (@issue $next:ident $call:ident [] $entry:ident [$($argument:ident),* $(,)?] []) => {
        $next($($argument),*)
    };
    (
        @issue $next:ident $call:ident [] $entry:ident [$($argument:ident),* $(,)?] []
        ($($seen:ident),*) ($($changed:ident),*) $hook:path
    ) => {
        $hook(&$call, |$($changed),*| $next($($argument),*), $($seen,)* $($changed),*)
    };
    (
        @issue $next:ident $call:ident
        [$queue:ident, $count:ident, $list:ident, $event:ident] $entry:ident
        [$($argument:ident),* $(,)?] [$($blocking:ident)?]
        $(($($seen:ident),*) ($($changed:ident),*) $hook:path)?
    ) => {{
        use $crate::faults::command::Command;
        let command = Command {
            entry: $entry,
            queue: $queue,
            blocking: entry_points!(@blocking $($blocking)?),
            count: $count,
            list: $list,
            event: $event,
        };
        let issue = |command: &Command $($(, $changed)*)?| {
            let ($count, $list, $event) = (command.count, command.list, command.event);
            $(let $blocking = command.blocking.unwrap_or($blocking);)?
            $next($($argument),*)
        };
        $(let issue = |command: &Command| {
            $hook(&$call, command, issue, $($seen,)* $($changed),*)
        };)?
        $crate::faults::enqueue::around(&$call, command, issue)
    }};
    (@blocking) => { None };
    (@blocking $blocking:ident) => { Some($blocking) };
}
pub(super) use entry_points;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_stays_inside() {
        let mut status = 0;
        // SAFETY: the place for the status is a local.
        let object: *mut c_void = unsafe { guard(&mut status, || panic!("a bug")) };
        assert!(object.is_null());
        assert_eq!(status, CL_OUT_OF_HOST_MEMORY);
    }
}
