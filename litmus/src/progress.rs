//! Programs whose end depends on who is scheduled, with their threads placed as one asks.
//!
//! The shipped ones ([`crate::shipped_progress`]) tell the models of [`crate::oracle::Progress`] apart: which of
//! them end is the same whether their threads are work-groups, sub-groups or work-items, and in either API, since
//! they touch memory by relaxed atomics of device scope alone.

use crate::program::{Api, Placement, Program, WorkItem};

classay_vocabulary::words! {
    /// What the threads of a program are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Among {
        /// Work-groups of their own.
        WorkGroups = "work-groups",
        /// Sub-groups of one work-group.
        SubGroups = "sub-groups",
        /// Work-items of one work-group, next to each other.
        WorkItems = "work-items",
    }
}

impl Among {
    /// A program for an API with its threads placed so, in the order of their numbers.
    pub fn placed(self, program: &Program, api: Api) -> Program {
        let mut placed = program.clone();
        placed.api = api;
        // What accesses do says so there, not the types of locations.
        for location in &mut placed.locations {
            location.atomic &= api == Api::OpenCl;
        }
        for (number, thread) in (0..).zip(&mut placed.threads) {
            thread.placement = Placement::Device(WorkItem {
                device: 0,
                queue_family: 0,
                work_group: match self {
                    Among::WorkGroups => number,
                    Among::SubGroups | Among::WorkItems => 0,
                },
                sub_group: match self {
                    Among::SubGroups => Some(number),
                    Among::WorkGroups | Among::WorkItems => None,
                },
            });
        }
        placed
    }
}
