//! Numbers that name the parts of a module and of a function.

use std::fmt;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A function; an index into `Module::functions`.
    FuncId "@f";
    /// A program-scope variable; an index into `Module::globals`.
    GlobalId "@g";
    /// A static local variable; an index into `Module::locals`.
    LocalId "@l";
    /// A block; an index into `Function::blocks`. Block 0 is the entry.
    BlockId "b";
    /// A private variable; an index into `Function::slots`.
    SlotId "s";
    /// A virtual register of one function; an index into `Function::regs`.
    Reg "%";
}
