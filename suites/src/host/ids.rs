//! Numbers of things in lists, a type for each kind of thing.

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
