//! The shape of a launch: how many teams, lanes and iterations, and where instances lie.

use crate::device::Capabilities;
use classay_litmus::kernel::{GroupShape, TestKernel};
use serde::Serialize;

/// How a test is placed and stressed. Everything here is an argument of the kernels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Environment {
    /// Instances of a full launch.
    pub instances: u32,
    /// Teams: sets of work-groups that play instances together.
    pub teams: u32,
    /// Copies of a test's threads in each work-group.
    pub lanes: u32,
    /// Work-items of a work-group, one entry a device of the test.
    pub local_sizes: Vec<usize>,
    /// Words between neighbouring instances of one location.
    pub instance_pitch: u32,
    /// Iterations between two meetings of a team; 0 for none.
    pub sync_every: u32,
    /// Polls before a work-item goes on alone.
    pub sync_bound: u32,
    /// Polls at the first meeting of a launch, when a partner may not run yet.
    pub first_bound: u32,
    /// Passes after which a loop of the test gives up.
    pub loop_bound: u32,
    /// Iterations between two clearings of local memory.
    pub batch: u32,
    /// Work-items that collect.
    pub collectors: u32,
    /// Neighbouring instances that one collector takes at a time.
    pub collect_chunk: u32,
}

/// What is known of a device's sub-groups for a kernel, where the test names sub-groups.
#[derive(Debug, Clone, Copy)]
pub struct SubGroupShape {
    /// Work-items of a work-group.
    pub local: usize,
    /// Work-items of a sub-group.
    pub width: usize,
}

/// Instances of a full launch on a CPU: a launch lasts some milliseconds, and its memory stays in
/// the caches.
const CPU_INSTANCES: u32 = 1 << 16;
/// Instances of a full launch elsewhere.
const GPU_INSTANCES: u32 = 1 << 20;

/// Bytes of the instances' memory.
const MOST_MEMORY: u64 = 64 << 20;

impl Environment {
    /// The default environment for a test on a device. `largest_group` is the most work-items that
    /// the kernels allow.
    pub fn for_test(
        capabilities: &Capabilities,
        test: &TestKernel,
        largest_group: usize,
        sub_groups: &[Option<SubGroupShape>],
    ) -> Environment {
        let groups: usize = test
            .shape
            .devices
            .iter()
            .map(|d| d.groups.len())
            .max()
            .unwrap_or(1);
        let widest: usize = test
            .shape
            .devices
            .iter()
            .flat_map(|d| &d.groups)
            .map(GroupShape::thread_count)
            .max()
            .unwrap_or(1);
        let units = capabilities.compute_units.max(1);
        let crosses = test.shape.crosses_devices();
        let persistent = capabilities.cpu || crosses;
        let mut lanes = if persistent {
            1
        } else {
            (256.min(largest_group) / widest).max(1) as u32
        };
        // Lanes that the sub-groups leave room for, over all groups of the test.
        for (device, shape) in test.shape.devices.iter().zip(sub_groups) {
            let Some(shape) = shape else { continue };
            for group in &device.groups {
                let full = shape.local / shape.width;
                let sets = full / group.sub_groups.len().max(1);
                let each = shape.width / group.widest_sub_group().max(1);
                lanes = lanes.min((sets * each).max(1) as u32);
            }
        }
        let instance_pitch = test.layout.slot_words.next_multiple_of(2).max(4);
        let instances = if capabilities.cpu {
            CPU_INSTANCES
        } else {
            GPU_INSTANCES
        };
        // Wide locations make instances fewer, not allocations larger.
        let bytes = u64::from(instance_pitch) * 4 * u64::from(test.layout.global_slots.max(1));
        let room = match capabilities.max_alloc {
            0 => MOST_MEMORY,
            most => MOST_MEMORY.min(most / 2),
        };
        let instances = instances.min((room / bytes).max(1) as u32);
        let teams = if crosses {
            1
        } else if persistent && groups as u32 > units {
            // A team does not run together, so many short ones: then at least its neighbours do.
            64
        } else if persistent {
            // As many as run together.
            units / groups as u32
        } else {
            (units * 8 / groups as u32).max(2)
        };
        let local_sizes = test
            .shape
            .devices
            .iter()
            .zip(sub_groups)
            .map(|(d, shape)| match shape {
                Some(shape) => shape.local,
                None => {
                    let members = d
                        .groups
                        .iter()
                        .map(GroupShape::thread_count)
                        .max()
                        .unwrap_or(1);
                    members * lanes as usize
                }
            })
            .collect();
        let together = groups as u32 <= units;
        // Each instance's words in local memory, as many as fit in half of it.
        let instance_bytes = u64::from(test.layout.local_words.max(1)) * 4 * u64::from(lanes);
        let batch = (capabilities.local_mem_size / 2 / instance_bytes).clamp(1, 64) as u32;
        Environment {
            instances,
            teams,
            lanes,
            local_sizes,
            instance_pitch,
            sync_every: match (together || crosses, persistent) {
                (false, _) => 0,
                (true, true) => 64,
                (true, false) => 1,
            },
            sync_bound: if persistent { 2000 } else { 64 },
            first_bound: if persistent { 200_000 } else { 64 },
            loop_bound: 10_000,
            batch,
            collectors: if capabilities.cpu { units * 4 } else { 16_384 },
            collect_chunk: if capabilities.cpu { 1024 } else { 1 },
        }
    }

    /// Iterations that `count` instances need.
    pub fn iterations(&self, count: u32) -> u32 {
        count.div_ceil(self.teams * self.lanes).max(1)
    }
}
