//! An in-order queue: commands are recorded one after the other, each after all that the ones before it did, and
//! submitted in batches.
//!
//! What orders them is a barrier between two that makes all that was written available and visible to all that
//! follows, unless it is said what is to be between them ([`Stream::order`]), and a timeline semaphore that counts the
//! batches: a batch waits for the one before. The host knows a batch to be complete when the semaphore has its number;
//! a wait for that makes what the batch made available to the host visible to it ("Host Write Ordering Guarantees" and
//! "Semaphores" of the Vulkan specification).

#![allow(unsafe_code)]

use super::memory::Buffer;
use crate::device::vulkan::gpu::{Gpu, Unusable, says};
use ash::vk;
use classay_litmus::program::DomainOp;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Launches in a batch, at most; more make another batch.
pub const MOST_LAUNCHES: u32 = 16;

/// Storage buffers of a launch, at most.
pub const MOST_BUFFERS: u32 = 16;

/// The seconds of a launch by the device's clock, once they are known.
pub type Seconds = Rc<Cell<Option<f64>>>;

/// Commands that are submitted together.
struct Batch {
    number: u64,
    commands: vk::CommandBuffer,
    sets: vk::DescriptorPool,
    times: vk::QueryPool,
    launches: Vec<Seconds>,
    /// What the commands use, and nobody else needs any more.
    kept: Vec<Rc<Buffer>>,
    empty: bool,
}

/// An in-order queue.
pub struct Stream {
    gpu: Rc<Gpu>,
    queue: vk::Queue,
    pool: vk::CommandPool,
    done: vk::Semaphore,
    /// Nanoseconds of a tick, and the ticks' bits; none where the queue has no clock.
    clock: Option<(f64, u32)>,
    open: Option<Batch>,
    submitted: VecDeque<Batch>,
    free: Vec<Batch>,
    /// What is to be between the last command and the next; none for all that there is.
    between: Option<Vec<Dependency>>,
    /// Batches begun.
    begun: u64,
    /// What the next batch waits for beside the one before.
    after: Vec<Point>,
}

/// All that a queue has up to some time: a semaphore that has this value then.
pub type Point = (vk::Semaphore, u64);

/// An execution dependency between the dispatches before and those after, with what it does to memory, in the order
/// of its fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dependency {
    /// What is available to the host domain is made so to the device domain.
    pub from_host: bool,
    /// What was written is made available to the device domain.
    pub available: bool,
    /// What is available there is made visible to all that comes after.
    pub visible: bool,
    /// What is available to the device domain is made so to the host domain.
    pub to_host: bool,
}

/// Operations on memory domains, in order, as dependencies. What a host thread does itself is none.
pub fn dependencies(operations: &[DomainOp]) -> Vec<Dependency> {
    let (mut all, mut last) = (Vec::new(), [false; 4]);
    for operation in operations {
        let parts: &[usize] = match operation {
            DomainOp::HostToDevice => &[0],
            DomainOp::Available => &[1],
            DomainOp::Visible => &[2],
            DomainOp::DeviceToHost => &[3],
            DomainOp::Submit => &[0, 2],
            DomainOp::Flush(_) | DomainOp::Invalidate(_) | DomainOp::Free(_) => &[],
        };
        for &part in parts {
            if last[part + 1..].contains(&true) {
                all.push(std::mem::take(&mut last));
            }
            last[part] = true;
        }
    }
    all.push(last);
    let dependency = |[from_host, available, visible, to_host]: [bool; 4]| Dependency {
        from_host,
        available,
        visible,
        to_host,
    };
    all.into_iter().map(dependency).collect()
}

impl Stream {
    /// Over a queue of a family.
    ///
    /// # Errors
    ///
    /// The device makes no more of something.
    pub fn new(gpu: &Rc<Gpu>, family: u32, queue: u32) -> Result<Stream, Unusable> {
        let pool = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(0);
        let semaphore = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let bits = gpu.families[family as usize].timestamp_bits;
        let clock = (bits > 0).then(|| (f64::from(gpu.limits.timestamp_period), bits));
        // SAFETY: descriptions that live through the calls; the queue is one that the device was made with.
        unsafe {
            let pool = gpu.device.create_command_pool(&pool, None);
            let pool = pool.map_err(says("vkCreateCommandPool"))?;
            let done = match gpu.device.create_semaphore(&semaphore, None) {
                Ok(done) => done,
                Err(error) => {
                    gpu.device.destroy_command_pool(pool, None);
                    return Err(says("vkCreateSemaphore")(error));
                }
            };
            Ok(Stream {
                queue: gpu.device.get_device_queue(family, queue),
                gpu: Rc::clone(gpu),
                pool,
                done,
                clock,
                open: None,
                submitted: VecDeque::new(),
                free: Vec::new(),
                between: None,
                begun: 0,
                after: Vec::new(),
            })
        }
    }

    /// The batch that is being recorded.
    fn batch(&mut self) -> Result<&mut Batch, Unusable> {
        let batch = match self.open.take() {
            Some(batch) => batch,
            None => self.begin()?,
        };
        Ok(self.open.insert(batch))
    }

    fn begin(&mut self) -> Result<Batch, Unusable> {
        self.retire()?;
        let mut batch = match self.free.pop() {
            Some(batch) => batch,
            None => self.make()?,
        };
        self.begun += 1;
        batch.number = self.begun;
        batch.empty = true;
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let device = &self.gpu.device;
        // SAFETY: the batch is complete or new, so nothing uses what is reset.
        unsafe {
            let flags = vk::DescriptorPoolResetFlags::empty();
            let reset = device.reset_descriptor_pool(batch.sets, flags);
            reset.map_err(says("vkResetDescriptorPool"))?;
            let begun = device.begin_command_buffer(batch.commands, &begin);
            begun.map_err(says("vkBeginCommandBuffer"))?;
            device.cmd_reset_query_pool(batch.commands, batch.times, 0, 2 * MOST_LAUNCHES);
        }
        Ok(batch)
    }

    fn make(&self) -> Result<Batch, Unusable> {
        let device = &self.gpu.device;
        let commands = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let kinds = [
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            vk::DescriptorType::STORAGE_IMAGE,
        ];
        let sizes = kinds.map(|kind| {
            let size = vk::DescriptorPoolSize::default().ty(kind);
            size.descriptor_count(MOST_LAUNCHES * MOST_BUFFERS)
        });
        let sets = vk::DescriptorPoolCreateInfo::default()
            .max_sets(MOST_LAUNCHES)
            .pool_sizes(&sizes);
        let times = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2 * MOST_LAUNCHES);
        let mut batch = Batch {
            number: 0,
            commands: vk::CommandBuffer::null(),
            sets: vk::DescriptorPool::null(),
            times: vk::QueryPool::null(),
            launches: Vec::new(),
            kept: Vec::new(),
            empty: true,
        };
        // SAFETY: descriptions that live through the calls. What was made before one fails goes with the device.
        unsafe {
            let made = device.allocate_command_buffers(&commands);
            batch.commands = made.map_err(says("vkAllocateCommandBuffers"))?[0];
            let made = device.create_descriptor_pool(&sets, None);
            batch.sets = made.map_err(says("vkCreateDescriptorPool"))?;
            let made = device.create_query_pool(&times, None);
            batch.times = made.map_err(says("vkCreateQueryPool"))?;
        }
        Ok(batch)
    }

    /// Says what is to be between the last command and the next, instead of all that there is: these operations on
    /// memory domains, in order, or where there are none an order of execution alone. A submission between the two
    /// is all that there is.
    pub fn order(&mut self, operations: &[DomainOp]) {
        self.between = Some(dependencies(operations));
    }

    /// Records a command that uses these buffers, after all that came before it; gives the number of its batch.
    pub fn record(
        &mut self,
        uses: &[&Rc<Buffer>],
        command: impl FnOnce(
            &ash::Device,
            vk::CommandBuffer,
            vk::DescriptorPool,
        ) -> Result<(), Unusable>,
    ) -> Result<u64, Unusable> {
        let gpu = Rc::clone(&self.gpu);
        let between = self.between.take();
        let batch = self.batch()?;
        match between {
            _ if batch.empty => {}
            None => after_everything(&gpu.device, batch.commands),
            Some(dependencies) => depend(&gpu.device, batch.commands, &dependencies),
        }
        command(&gpu.device, batch.commands, batch.sets)?;
        batch
            .kept
            .extend(uses.iter().map(|&buffer| Rc::clone(buffer)));
        batch.empty = false;
        Ok(batch.number)
    }

    /// Records a launch; its seconds are known when its batch is complete.
    pub fn launch(
        &mut self,
        uses: &[&Rc<Buffer>],
        command: impl FnOnce(
            &ash::Device,
            vk::CommandBuffer,
            vk::DescriptorPool,
        ) -> Result<(), Unusable>,
    ) -> Result<(u64, Seconds), Unusable> {
        let (clock, seconds) = (self.clock.is_some(), Seconds::default());
        let full = |batch: &Batch| batch.launches.len() as u32 == MOST_LAUNCHES;
        if self.open.as_ref().is_some_and(full) {
            self.flush()?;
        }
        let batch = self.batch()?;
        let (times, at) = (batch.times, 2 * batch.launches.len() as u32);
        batch.launches.push(Rc::clone(&seconds));
        let number = self.record(uses, |device, commands, sets| {
            let stamp = |query| {
                // SAFETY: the queries were reset when the batch began, and each is written once.
                unsafe {
                    let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
                    device.cmd_write_timestamp(commands, stage, times, query);
                }
            };
            if clock {
                stamp(at);
            }
            command(device, commands, sets)?;
            if clock {
                stamp(at + 1);
            }
            Ok(())
        })?;
        Ok((number, seconds))
    }

    /// Submits what was recorded.
    pub fn flush(&mut self) -> Result<(), Unusable> {
        let Some(batch) = self.open.take() else {
            return Ok(());
        };
        let device = &self.gpu.device;
        after_everything(device, batch.commands);
        let mut after = std::mem::take(&mut self.after);
        after.push((self.done, batch.number - 1));
        let (waits, values): (Vec<_>, Vec<_>) = after.into_iter().unzip();
        let numbers = [batch.number];
        let mut order = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&numbers);
        let (done, commands) = ([self.done], [batch.commands]);
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&commands)
            .signal_semaphores(&done)
            .push_next(&mut order);
        // SAFETY: recorded completely; everything that it uses is kept with the batch.
        unsafe {
            let ended = device.end_command_buffer(batch.commands);
            ended.map_err(says("vkEndCommandBuffer"))?;
            let submitted = device.queue_submit(self.queue, &[submit], vk::Fence::null());
            submitted.map_err(says("vkQueueSubmit"))?;
        }
        self.submitted.push_back(batch);
        Ok(())
    }

    /// All that the queue has, which is submitted.
    pub fn point(&mut self) -> Result<Point, Unusable> {
        self.flush()?;
        Ok((self.done, self.begun))
    }

    /// Lets what comes from now on wait for another queue, whose semaphore lives as long as this one.
    pub fn follow(&mut self, point: Point) -> Result<(), Unusable> {
        self.flush()?;
        self.after.push(point);
        Ok(())
    }

    /// Waits for a batch.
    pub fn wait(&mut self, number: u64) -> Result<(), Unusable> {
        if self
            .open
            .as_ref()
            .is_some_and(|batch| batch.number <= number)
        {
            self.flush()?;
        }
        let (done, numbers) = ([self.done], [number]);
        let wait = vk::SemaphoreWaitInfo::default()
            .semaphores(&done)
            .values(&numbers);
        // SAFETY: the semaphore lives. That it takes for ever is for the parent to see.
        let waited = unsafe { self.gpu.device.wait_semaphores(&wait, u64::MAX) };
        waited.map_err(says("vkWaitSemaphores"))?;
        self.retire()
    }

    /// Waits for all that was recorded.
    pub fn finish(&mut self) -> Result<(), Unusable> {
        self.flush()?;
        self.wait(self.begun)
    }

    /// Takes back what complete batches have.
    fn retire(&mut self) -> Result<(), Unusable> {
        // SAFETY: the semaphore lives.
        let complete = unsafe { self.gpu.device.get_semaphore_counter_value(self.done) };
        let complete = complete.map_err(says("vkGetSemaphoreCounterValue"))?;
        while self
            .submitted
            .front()
            .is_some_and(|batch| batch.number <= complete)
        {
            let Some(mut batch) = self.submitted.pop_front() else {
                break;
            };
            self.read_clock(&mut batch)?;
            batch.kept.clear();
            self.free.push(batch);
        }
        Ok(())
    }

    fn read_clock(&self, batch: &mut Batch) -> Result<(), Unusable> {
        let launches = std::mem::take(&mut batch.launches);
        let Some((tick, bits)) = self.clock.filter(|_| !launches.is_empty()) else {
            return Ok(());
        };
        let mut stamps = vec![0_u64; 2 * launches.len()];
        let flags = vk::QueryResultFlags::TYPE_64;
        // SAFETY: the queries of the launches are written: the batch is complete.
        let read = unsafe {
            self.gpu
                .device
                .get_query_pool_results(batch.times, 0, &mut stamps, flags)
        };
        read.map_err(says("vkGetQueryPoolResults"))?;
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        for (seconds, stamps) in launches.iter().zip(stamps.chunks(2)) {
            let ticks = stamps[1].wrapping_sub(stamps[0]) & mask;
            seconds.set(Some(ticks as f64 * tick * 1e-9));
        }
        Ok(())
    }
}

/// Dispatches that follow come after those before.
fn depend(device: &ash::Device, commands: vk::CommandBuffer, dependencies: &[Dependency]) {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let used = Access::SHADER_READ | Access::SHADER_WRITE;
    let host = Access::HOST_READ | Access::HOST_WRITE;
    for dependency in dependencies {
        let (mut from, mut to) = (Access::empty(), Access::empty());
        let (mut before, mut after) = (Stage::COMPUTE_SHADER, Stage::COMPUTE_SHADER);
        if dependency.from_host {
            (from, before) = (from | Access::HOST_WRITE, before | Stage::HOST);
        }
        if dependency.available {
            from |= Access::SHADER_WRITE;
        }
        if dependency.visible {
            to |= used;
        }
        if dependency.to_host {
            (to, after) = (to | host, after | Stage::HOST);
        }
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(from)
            .dst_access_mask(to)];
        let barriers = match *dependency == Dependency::default() {
            true => &[],
            false => &barrier[..],
        };
        let flags = vk::DependencyFlags::empty();
        // SAFETY: recorded between commands, outside of any pass.
        unsafe {
            device.cmd_pipeline_barrier(commands, before, after, flags, barriers, &[], &[]);
        }
    }
}

/// All that follows comes after all before it, and sees all that it did; so does the host, once it knows.
fn after_everything(device: &ash::Device, commands: vk::CommandBuffer) {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
    let used =
        Access::SHADER_READ | Access::SHADER_WRITE | Access::TRANSFER_READ | Access::TRANSFER_WRITE;
    let barrier = vk::MemoryBarrier::default()
        .src_access_mask(written)
        .dst_access_mask(used | Access::HOST_READ);
    let from = Stage::COMPUTE_SHADER | Stage::TRANSFER;
    // SAFETY: recorded between commands, outside of any pass.
    unsafe {
        let flags = vk::DependencyFlags::empty();
        device.cmd_pipeline_barrier(
            commands,
            from,
            from | Stage::HOST,
            flags,
            &[barrier],
            &[],
            &[],
        );
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A queue that is lost answers at once.
        let _ = self.finish();
        let device = &self.gpu.device;
        let batches = self.open.take().into_iter().chain(self.submitted.drain(..));
        // SAFETY: complete, or the device is lost.
        unsafe {
            for batch in batches.chain(self.free.drain(..)) {
                device.destroy_descriptor_pool(batch.sets, None);
                device.destroy_query_pool(batch.times, None);
            }
            device.destroy_semaphore(self.done, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, dependencies};
    use classay_litmus::program::DomainOp::{
        Available, DeviceToHost, HostToDevice, Submit, Visible,
    };

    #[test]
    fn what_is_made_available_first_may_be_made_visible_at_once() {
        let as_said = |operations: &[_]| -> Vec<(bool, bool)> {
            let all = dependencies(operations).into_iter();
            all.map(|of| (of.available, of.visible)).collect()
        };
        assert_eq!(as_said(&[]), [(false, false)]);
        assert_eq!(as_said(&[Available, Visible]), [(true, true)]);
        assert_eq!(
            as_said(&[Visible, Available]),
            [(false, true), (true, false)],
            "what is made available after that is not visible"
        );
        assert_eq!(as_said(&[Available, Available]), [(true, false)]);
    }

    #[test]
    fn the_host_domain_comes_first_and_last() {
        let whole = Dependency {
            from_host: true,
            available: true,
            visible: true,
            to_host: true,
        };
        let in_order = [HostToDevice, Available, Visible, DeviceToHost];
        assert_eq!(dependencies(&in_order), [whole]);
        assert_eq!(dependencies(&[DeviceToHost, HostToDevice]).len(), 2);
        let submitted = Dependency {
            available: false,
            to_host: false,
            ..whole
        };
        assert_eq!(dependencies(&[Submit]), [submitted]);
    }
}
