//! Numbers of things in lists, a type for each kind of thing, and those of a host program.

/// Declares types of numbers, each the place of a thing in its list.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u16);

        impl $name {
            /// The place in its list.
            pub fn index(self) -> usize {
                usize::from(self.0)
            }

            /// The id of a place in a list.
            pub fn at(index: usize) -> $name {
                $name(index as u16)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

pub(crate) use ids;

ids! {
    /// A step of which the record says when it came and what it returned.
    Mark;
    /// Bytes that were observed: the answer to a question, or what the host read.
    AnswerId;
    /// A function of the program that the implementation calls.
    CallbackId;
    /// A signal from one host thread to others.
    SignalId;
}
