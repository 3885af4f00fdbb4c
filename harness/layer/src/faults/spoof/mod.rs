//! Devices described as what they are not.
//!
//! | file | what it does |
//! | --- | --- |
//! | `claim` | what can be claimed, and how a claim is written |
//! | `query` | the queries of devices and platforms that a claim changes |
//!
//! Only what the queries say changes. The compiler keeps its features and macros, and calls keep
//! working: a claim is a contradiction between what a device says and what it does.

mod claim;
mod query;

pub(crate) use claim::{Claim, NoClaim, listing};
pub(crate) use query::{device_info, platform_info};
