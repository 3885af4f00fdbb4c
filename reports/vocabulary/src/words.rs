//! Enums of plain words.

/// Declares an enum whose variants have a word each: all of them in order, the word, the way back from it,
/// and the word as text.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            /// Every one, in order.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];

            /// The word for it, as stored and printed.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }

            /// The one that a word stands for.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|known| known.name() == word)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
