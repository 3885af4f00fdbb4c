//! Atomic functions: indivisible, on every type and region, at every order and scope.
//!
//! | file | what it draws |
//! | --- | --- |
//! | `form` | types, regions, orders and scopes, and how functions are written |
//! | `crowd` | work-items that all change one object |
//! | `source` | the kernels of crowds |
//! | `alone` | stores and loads, and first values |
//! | `values` | what each function gives and leaves, of every type |

mod alone;
mod crowd;
mod form;
mod source;
mod values;

pub use alone::{init, store};
pub use crowd::crowd;
pub use values::values;
