//! Faults that have a name of their own: each breaks one promise, at every call that could keep it.
//!
//! | file | what it does |
//! | --- | --- |
//! | `table` | the faults of API calls, one row each |
//! | `sites` | which entry points a class of commands goes through |
//!
//! The faults of kernel sources are in [`source`](super::source). [`all`] has both: what
//! `classay faults` runs, and what the README's tables are made of.

mod sites;
mod table;

use super::act::Deed;
use super::source;
use std::ffi::CString;
use std::fmt::Write;
use std::sync::OnceLock;

/// How a call of the API can go wrong, besides not being made.
///
/// Several named faults can share one: it acts where their rows say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Breach {
    Corrupt,
    WaitsIgnored,
    WaitsFirstOnly,
    WaitsLastDropped,
    WaitsDuplicatesDropped,
    WaitsOtherQueueIgnored,
    WaitsUserEventsIgnored,
    WaitsMarkersIgnored,
    WaitsOutOfOrderIgnored,
    FinishFlushes,
    FinishLastOnly,
    WaitForFirst,
    WaitHidesFailure,
    WaitWrongError,
    BlockingEarly,
    NonBlockingBlocks,
    InOrderUnordered,
    InOrderSwapped,
    TransfersOvertake,
    BarrierIgnored,
    BarrierAsMarker,
    BarrierListAsMarker,
    MarkerEarly,
    MarkerLastOnly,
    ReleaseLosesQueue,
    ReleaseLosesEvent,
    FlushLost,
    WaitDoesNotFlush,
    CallbackTwice,
    CallbackEarly,
    CallbackWrongStatus,
    CallbackWrongEvent,
    CallbackFailureLost,
    CallbackLateLost,
    CallbackFirstOnly,
    StatusEarly,
    StatusBackwards,
    StatusStuck,
    FailureHidden,
    FailureNotPropagated,
    FailureCompletes,
    FailureWrongCode,
    WakesFirst,
    StartsComplete,
    SetTwice,
    TimesEqual,
    TimesSwapped,
    StartBeforeSubmit,
    SubmitBeforeQueued,
    EndAfterComplete,
    TimesZero,
    TimesBackwards,
    TimesAlways,
    ArgsLate,
    ArgsStale,
    ArgTruncated,
    MapStale,
    UnmapLoses,
    InvalidateClobbers,
    UseHostPtrCopied,
    CopyHostPtrIgnored,
    SubBufferOrigin,
    MigrateClobbers,
    SvmFreeEarly,
    SvmCallbackEarly,
    SvmCallbackLost,
    SvmKeepsArray,
    PointerToBase,
    SvmMisuse,
    Short,
    OffsetIgnored,
    TargetOffsetIgnored,
    FillPattern,
    FillTruncated,
    OriginIgnored,
    TargetOriginIgnored,
    RowPitchIgnored,
    SlicePitchIgnored,
    OverlapAccepted,
    OffsetDropped,
    OffsetFirstOnly,
    Offset32Bit,
    LocalSizeIgnored,
    LocalSizeHalved,
    LastGroupLost,
    RemainderLost,
    RunsTwice,
    GroupSizeAccepted,
    ForeignEvents,
    OverRelease,
    SubBufferDetached,
    OtherThreads,
    QueuesSerialized,
    CallbackStatesLost,
    SvmUnmapLoses,
    SvmMapStale,
    BuiltInsFirst,
    SubBufferMisaligned,
}

impl Breach {
    /// Whether it takes more than a call of an entry point: a failure, or several of something. What acts
    /// then says so itself ([`Call::does`](super::Call::does)).
    pub(crate) fn is_occasional(self) -> bool {
        matches!(
            self,
            Breach::CallbackFailureLost
                | Breach::WaitHidesFailure
                | Breach::WaitWrongError
                | Breach::FailureHidden
                | Breach::FailureNotPropagated
                | Breach::FailureCompletes
                | Breach::FailureWrongCode
                | Breach::BuiltInsFirst
        )
    }
}

/// A set of breaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Breaches(u128);

const _: () = assert!((Breach::SubBufferMisaligned as u32) < u128::BITS);

impl Breaches {
    /// Adds one.
    pub(crate) fn insert(&mut self, breach: Breach) {
        self.0 |= 1 << breach as u32;
    }

    /// Whether it is in the set.
    pub(crate) fn has(self, breach: Breach) -> bool {
        self.0 >> breach as u32 & 1 == 1
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Where a fault acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// On calls of the API.
    Api,
    /// On the source of kernels, before the compiler sees it.
    Source,
}

impl Kind {
    /// The word of the listing.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Api => "api",
            Kind::Source => "source",
        }
    }
}

/// What it takes to see a fault, given a test that uses what it breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// A wrong result or status, on every implementation that has the feature.
    Anywhere,
    /// A call that never returns, or a command that never completes.
    Hang,
    /// Only where an implementation runs several work-items of a work-group concurrently or one
    /// after the other without regard to the missing barrier.
    Group,
    /// On processors with store buffers, x86 too: a store passes a later load.
    StoreBuffer,
    /// Only on processors, or with compilers, that reorder other pairs of accesses than a store
    /// and a later load: x86 does not.
    WeakProcessor,
    /// Only where narrower scopes have caches of their own: GPUs.
    ScopedCaches,
    /// Only where a device has a cache of its own that the host and other devices do not see through:
    /// GPUs with memory of their own.
    DeviceCaches,
}

impl Shows {
    /// The word of the listing.
    pub fn word(self) -> &'static str {
        match self {
            Shows::Anywhere => "anywhere",
            Shows::Hang => "hang",
            Shows::Group => "group",
            Shows::StoreBuffer => "store-buffer",
            Shows::WeakProcessor => "weak-processor",
            Shows::ScopedCaches => "scoped-caches",
            Shows::DeviceCaches => "device-caches",
        }
    }
}

/// A fault that has a name of its own.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// Its name, which is also how it is asked for in `CLASSAY_LAYER_FAULTS`.
    pub id: &'static str,
    /// What it does at its places.
    pub(crate) deed: Deed,
    /// The entry points it acts at, in groups; none for sources.
    pub(crate) sites: &'static [&'static [&'static str]],
    /// The rules that it breaks, as `suites/rules` names them.
    pub rules: &'static [&'static str],
    /// The promise that it breaks, and how.
    pub breaks: &'static str,
    /// What it takes to see it.
    pub shows: Shows,
    /// Capabilities, as the suites name them, without all of which no program has what it breaks; none
    /// for what every device has.
    pub needs: &'static [&'static str],
}

impl Named {
    /// Where it acts.
    pub fn kind(&self) -> Kind {
        match self.deed {
            Deed::Weaken(_) => Kind::Source,
            Deed::Crash
            | Deed::Abort
            | Deed::Exit(_)
            | Deed::Hang
            | Deed::Stdout
            | Deed::Stderr
            | Deed::Answer(_)
            | Deed::Delay(_)
            | Deed::Break(_) => Kind::Api,
        }
    }

    /// The entry points that it acts at; none for a fault of sources.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.sites.iter().flat_map(|group| group.iter().copied())
    }
}

/// Every named fault, those of the API first.
pub fn all() -> impl Iterator<Item = &'static Named> {
    table::TABLE.into_iter().flatten().chain(source::TABLE)
}

/// The fault of this name.
pub fn find(id: &str) -> Option<&'static Named> {
    all().find(|named| named.id == id)
}

/// Every named fault as a JSON array of objects with the keys `id`, `kind` (`api` or `source`),
/// `rules` (an array of rule ids), `breaks`, `shows`, `needs` (an array of capabilities, one of which a device must
/// have) and `functions` (an array of entry points).
pub fn json() -> String {
    let mut text = String::from("[");
    for (index, named) in all().enumerate() {
        let rules = named.rules.join("\",\"");
        let needs: Vec<_> = named
            .needs
            .iter()
            .map(|need| format!("\"{need}\""))
            .collect();
        let functions = named.functions().collect::<Vec<_>>().join("\",\"");
        let functions = if functions.is_empty() {
            String::new()
        } else {
            format!("\"{functions}\"")
        };
        // Writing to a string does not fail; no text of the tables needs escapes (tested).
        let _ = write!(
            text,
            "{}\n{{\"id\":\"{}\",\"kind\":\"{}\",\"rules\":[\"{rules}\"],\"breaks\":\"{}\",\
             \"shows\":\"{}\",\"needs\":[{}],\"functions\":[{functions}]}}",
            if index == 0 { "" } else { "," },
            named.id,
            named.kind().word(),
            named.breaks,
            named.shows.word(),
            needs.join(","),
        );
    }
    text.push_str("\n]\n");
    text
}

/// [`json`] as a C string, for programs that open the shared library. It lives as long as the
/// library is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn classay_layer_named_faults() -> *const libc::c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    TEXT.get_or_init(|| CString::new(json()).unwrap_or_default())
        .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Entry;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_every_place_is_an_entry_point() {
        let mut seen = BTreeSet::new();
        for named in all() {
            assert!(seen.insert(named.id), "{}", named.id);
            assert!(!named.rules.is_empty(), "{}", named.id);
            for function in named.functions() {
                assert!(Entry::find(function).is_some(), "{}: {function}", named.id);
            }
            assert_eq!(
                named.kind() == Kind::Source,
                named.sites.is_empty(),
                "{}",
                named.id
            );
        }
        assert!(seen.len() > 150, "{}", seen.len());
    }

    #[test]
    fn texts_need_no_escapes() {
        for named in all() {
            let plain = |text: &str| {
                text.chars()
                    .all(|c| c != '"' && c != '\\' && !c.is_control())
            };
            assert!(plain(named.id) && plain(named.breaks), "{}", named.id);
        }
    }

    #[test]
    fn the_readme_lists_every_fault_with_its_rules() {
        let readme = include_str!("../../../README.md");
        for named in all() {
            let rules: Vec<_> = named.rules.iter().map(|rule| format!("`{rule}`")).collect();
            let row = format!(
                "| `{}` | {} | {} | {} |",
                named.id,
                named.breaks,
                rules.join(", "),
                named.shows.word()
            );
            assert!(readme.contains(&row), "README.md lacks:\n{row}");
        }
    }
}
