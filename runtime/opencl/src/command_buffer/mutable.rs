//! Kernels of command-buffers that change between enqueues (`cl_khr_command_buffer_mutable_dispatch` 0.9.4;
//! `opencl_runtime_layer`, Mutable Commands).
//!
//! A handle names a command of its command-buffer by its place; it lives as long as the command-buffer. What can be
//! updated is a [`Dispatch`]: a kernel of the runtime's own with the argument values, and the index space. An update
//! changes copies, and the command-buffer takes all of them or none.

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::{CommandBuffer, Recipe, Recorded, State};
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::Kernel;
use crate::kernel::range::Range;
use crate::object::{self, Header, object};
use crate::platform::{Device, capabilities};

/// All asserts that there are.
pub(super) const ASSERTS: cl_mutable_dispatch_asserts_khr =
    CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

/// `CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR`: all that an update may change. Without SVM there is nothing that
/// could be set with `clSetKernelExecInfo`.
pub fn fields() -> cl_mutable_dispatch_fields_khr {
    let info = match capabilities::require_svm() {
        Ok(()) => CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
        Err(_) => 0,
    };
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
        | info
}

/// The properties that a kernel is recorded with.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// As given, the final zero included; `None` where none were.
    list: Option<Vec<cl_command_properties_khr>>,
    fields: Option<cl_mutable_dispatch_fields_khr>,
    asserts: cl_mutable_dispatch_asserts_khr,
}

impl Properties {
    /// Those of a list.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for what is no property or no value of one, or is given twice; `CL_INVALID_OPERATION` for
    /// fields that the device does not update.
    pub fn new(list: Option<Vec<cl_command_properties_khr>>) -> Result<Self> {
        let (mut fields, mut asserts) = (None, None);
        for (key, value) in raw::pairs(list.as_deref().unwrap_or_default()) {
            let place = match key {
                CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR => &mut fields,
                CL_MUTABLE_DISPATCH_ASSERTS_KHR => &mut asserts,
                _ => return Err(Error(CL_INVALID_VALUE)),
            };
            ensure!(place.replace(value).is_none(), CL_INVALID_VALUE);
        }
        let asserts = asserts.unwrap_or(0);
        ensure!(asserts & !ASSERTS == 0, CL_INVALID_VALUE);
        let unknown = fields.unwrap_or(0) & !self::fields();
        ensure!(unknown == 0, CL_INVALID_OPERATION);
        Ok(Self {
            list,
            fields,
            asserts,
        })
    }

    /// Whether they say themselves that arguments can be updated, so that they need not be set before.
    pub fn names_arguments(&self) -> bool {
        let named = self.fields.unwrap_or(0);
        named & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0
    }

    /// What the application asserts of updates.
    pub fn asserts(&self) -> cl_mutable_dispatch_asserts_khr {
        self.asserts
    }

    /// Whether some field may be updated; all that the device updates, where they do not say.
    fn updates(&self, field: cl_mutable_dispatch_fields_khr) -> bool {
        let fields = self.fields.unwrap_or_else(fields);
        fields & field != 0 || on(Fault::UpdateFieldsUnchecked)
    }
}

/// What makes the launches of a kernel with the argument values of this moment.
///
/// # Errors
/// As [`Kernel::prepare`].
pub fn recipe(device: &Arc<Device>, kernel: &Arc<Kernel>, range: &Range) -> Result<Recipe> {
    let target = kernel.on(device);
    let target = target.ok_or(Error(CL_INVALID_PROGRAM_EXECUTABLE))?;
    let prepared = kernel.prepare(device, target, range)?;
    if on(Fault::RecordedArgumentsLate) {
        let (kernel, range, device) = (Arc::clone(kernel), *range, Arc::clone(device));
        return Ok(Arc::new(move || {
            let target = kernel.on(&device);
            let late = target.map(|target| kernel.prepare(&device, target, &range));
            match late {
                Some(Ok(late)) => late.action(),
                Some(Err(_)) | None => prepared.clone().action(),
            }
        }));
    }
    Ok(Arc::new(move || prepared.clone().action()))
}

/// A kernel that is recorded, as updates have left it.
pub struct Dispatch {
    /// The kernel of the application.
    recorded: Arc<Kernel>,
    /// A copy of it with the values that later enqueues take.
    kernel: Arc<Kernel>,
    range: Range,
    /// The size of work-groups is the application's.
    sized: bool,
    properties: Properties,
    /// As it was recorded, for a fault; none before the first update.
    first: Option<Arc<Self>>,
}

impl Dispatch {
    /// A kernel with the argument values of this moment, over an index space.
    pub fn new(kernel: &Arc<Kernel>, range: Range, sized: bool, properties: Properties) -> Self {
        Self {
            recorded: Arc::clone(kernel),
            kernel: kernel.apart(),
            range,
            sized,
            properties,
            first: None,
        }
    }

    /// What an update makes of it.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` for another number of dimensions, for fields that were not to be updated, and where
    /// groups become of one size or cease to be; `CL_INVALID_VALUE` for a list without a length or a length without
    /// a list; those of the functions that set arguments and enqueue kernels.
    ///
    /// # Safety
    /// Each pointer is null or what the specification demands of it.
    unsafe fn updated(
        self: &Arc<Self>,
        config: &cl_mutable_dispatch_config_khr,
        device: &Arc<Device>,
    ) -> Result<Self> {
        let same = [0, self.range.dimensions].contains(&config.work_dim);
        ensure!(same, CL_INVALID_OPERATION);
        let arguments = config.num_args != 0 || config.num_svm_args != 0;
        let asked = [
            (
                !config.global_work_offset.is_null(),
                CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
            ),
            (
                !config.global_work_size.is_null(),
                CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
            ),
            (
                !config.local_work_size.is_null(),
                CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
            ),
            (arguments, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
            (
                config.num_exec_infos != 0,
                CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
            ),
        ];
        for (is_asked, field) in asked {
            ensure!(
                !is_asked || self.properties.updates(field),
                CL_INVALID_OPERATION
            );
        }
        let first = self.first.as_ref().unwrap_or(self);
        let base = match on(Fault::UpdateForgetsFields) {
            true => first,
            false => self,
        };
        let kernel = match on(Fault::UpdateReachesKernel) {
            true => Arc::clone(&self.recorded),
            false => base.kernel.apart(),
        };
        // SAFETY: the caller's promise.
        unsafe { set(&kernel, config)? };
        // SAFETY: the caller's promise.
        let (range, sized) = unsafe { base.ranged(config, device)? };
        Ok(Self {
            recorded: Arc::clone(&self.recorded),
            kernel: kernel.apart(),
            range,
            sized,
            properties: self.properties.clone(),
            first: Some(Arc::clone(first)),
        })
    }

    /// The index space with the sizes of an update, and whether the size of work-groups is the application's then.
    ///
    /// # Errors
    /// As [`Range::new`]; `CL_INVALID_OPERATION` where groups become of one size or cease to be.
    ///
    /// # Safety
    /// The sizes are null or as many as there are dimensions.
    unsafe fn ranged(
        &self,
        config: &cl_mutable_dispatch_config_khr,
        device: &Arc<Device>,
    ) -> Result<(Range, bool)> {
        let count = self.range.dimensions as usize;
        let read = |pointer: *const usize, lost: bool| {
            // SAFETY: not null where it is read, and the caller vouches for the length.
            (!pointer.is_null() && !lost).then(|| unsafe { raw::slice(pointer, count) })
        };
        let offset = read(config.global_work_offset, on(Fault::UpdatedOffsetLost));
        let global = read(config.global_work_size, on(Fault::UpdatedSizeLost));
        let local = read(config.local_work_size, on(Fault::UpdatedGroupLost));
        let own = &self.range;
        let kept = (!on(Fault::UpdateClearsOffset)).then_some(&own.offset[..count]);
        if [offset, global, local].iter().all(Option::is_none) {
            let offset = if kept.is_some() { own.offset } else { [0; 3] };
            return Ok((Range { offset, ..*own }, self.sized));
        }
        let sized = self.sized || local.is_some();
        let target = self.kernel.on(device);
        let target = target.ok_or(Error(CL_INVALID_PROGRAM_EXECUTABLE))?;
        let range = Range::new(
            own.dimensions,
            offset.or(kept),
            global.or(Some(&own.global[..count])),
            local.or(self.sized.then_some(&own.local[..count])),
            &Kernel::demands(target),
        )?;
        // Where the runtime chooses a size there is no saying whether it divides the range.
        let uniform = |range: &Range, sized: bool| !sized || range.is_uniform();
        let same = uniform(own, self.sized) == uniform(&range, sized);
        ensure!(
            same || on(Fault::UpdateUniformityUnchecked),
            CL_INVALID_OPERATION
        );
        Ok((range, sized))
    }

    fn sizes(&self, of: [usize; 3]) -> Answer {
        Answer::list(of.into_iter().take(self.range.dimensions as usize))
    }
}

/// Sets what an update says of arguments and besides them.
///
/// # Errors
/// `CL_INVALID_VALUE` for a list without a length or a length without a list; those of the functions that set them.
///
/// # Safety
/// Each pointer is null or what the specification demands of it.
unsafe fn set(kernel: &Arc<Kernel>, config: &cl_mutable_dispatch_config_khr) -> Result<()> {
    let lists = [
        (config.arg_list.is_null(), config.num_args),
        (config.arg_svm_list.is_null(), config.num_svm_args),
        (config.exec_info_list.is_null(), config.num_exec_infos),
    ];
    for (is_null, count) in lists {
        ensure!(is_null == (count == 0), CL_INVALID_VALUE);
    }
    // SAFETY: not null where they have a length, for which the caller vouches.
    let (arguments, pointers, infos) = unsafe {
        (
            raw::slice(config.arg_list, config.num_args as usize),
            raw::slice(config.arg_svm_list, config.num_svm_args as usize),
            raw::slice(config.exec_info_list, config.num_exec_infos as usize),
        )
    };
    for argument in arguments
        .iter()
        .skip(usize::from(on(Fault::UpdatedArgumentLost)))
    {
        // SAFETY: the caller vouches for the value.
        unsafe { kernel.set_argument(argument.arg_index, argument.arg_size, argument.arg_value)? };
    }
    for argument in pointers
        .iter()
        .skip(usize::from(on(Fault::UpdatedPointerLost)))
    {
        kernel.set_svm_argument(argument.arg_index, argument.arg_value)?;
    }
    for info in infos {
        // SAFETY: the caller vouches for the value.
        unsafe { kernel.set_exec_info(info.param_name, info.param_value_size, info.param_value)? };
    }
    Ok(())
}

/// The handle of a command that can be updated.
#[repr(C)]
pub struct MutableCommand {
    header: Header<Self>,
    buffer: Weak<CommandBuffer>,
    place: usize,
}
object!(MutableCommand, CL_INVALID_MUTABLE_COMMAND_KHR);

impl MutableCommand {
    pub(super) fn new(buffer: &Arc<CommandBuffer>, place: usize) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            buffer: Arc::downgrade(buffer),
            place,
        })
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_MUTABLE_COMMAND_KHR` where its command-buffer is no more; `CL_INVALID_VALUE` for an unknown name.
    pub fn info(&self, name: cl_mutable_command_info_khr) -> Result<Answer> {
        let invalid = Error(CL_INVALID_MUTABLE_COMMAND_KHR);
        let buffer = self.buffer.upgrade().ok_or(invalid)?;
        let state = buffer.state.lock();
        let command = state.commands().get(self.place).ok_or(invalid)?;
        let dispatch = command.dispatch.as_ref().ok_or(invalid)?;
        let sizes = match &dispatch.first {
            Some(first) if on(Fault::MutableInfoStale) => first,
            Some(_) | None => dispatch,
        };
        Ok(match name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => Answer::of(object::handle(&buffer.queue)),
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => Answer::of(object::handle(&buffer)),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => Answer::of(command.kind.code()),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => {
                Answer::list(dispatch.properties.list.iter().flatten().copied())
            }
            CL_MUTABLE_DISPATCH_KERNEL_KHR => Answer::of(object::handle(&dispatch.recorded)),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => Answer::of(dispatch.range.dimensions),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sizes.sizes(sizes.range.offset),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sizes.sizes(sizes.range.global),
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR if sizes.sized => {
                sizes.sizes(sizes.range.local)
            }
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sizes.sizes([0; 3]),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}

impl CommandBuffer {
    /// Checks that its commands can be updated.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has not been finalized, or was made without `CL_COMMAND_BUFFER_MUTABLE_KHR`.
    pub fn check_mutable(&self) -> Result<()> {
        let finalized = matches!(*self.state.lock(), State::Finalized(_));
        ensure!(finalized, CL_INVALID_OPERATION);
        ensure!(
            self.is_mutable || on(Fault::ImmutableUpdated),
            CL_INVALID_OPERATION
        );
        Ok(())
    }

    /// `clUpdateMutableCommandsKHR`: what later enqueues do.
    ///
    /// # Errors
    /// As [`CommandBuffer::check_mutable`]; `CL_INVALID_VALUE` for no config, `CL_INVALID_MUTABLE_COMMAND_KHR` for a
    /// handle that is none of this command-buffer; as the functions that set arguments and enqueue kernels. Nothing is
    /// updated then.
    ///
    /// # Safety
    /// Each config is null or valid, and its pointers are what the specification demands of them.
    pub unsafe fn update(&self, configs: &[*const c_void]) -> Result<()> {
        let mut state = self.state.lock();
        let State::Finalized(commands) = &mut *state else {
            return Err(Error(CL_INVALID_OPERATION));
        };
        let mut updated: Vec<Recorded> = commands.to_vec();
        for config in configs {
            // SAFETY: the caller's promise.
            if let Err(error) = unsafe { self.update_one(&mut updated, config.cast()) } {
                if on(Fault::UpdatePartlyKept) {
                    *commands = updated.into();
                }
                return Err(error);
            }
        }
        if !on(Fault::UpdateIgnored) {
            *commands = updated.into();
        }
        Ok(())
    }

    /// Updates one of copies of the commands.
    ///
    /// # Errors
    /// As [`CommandBuffer::update`].
    ///
    /// # Safety
    /// As [`CommandBuffer::update`].
    unsafe fn update_one(
        &self,
        commands: &mut [Recorded],
        config: *const cl_mutable_dispatch_config_khr,
    ) -> Result<()> {
        ensure!(!config.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the caller's promise.
        let config = unsafe { config.read() };
        let command = object::find::<MutableCommand>(config.command)?;
        let own = std::ptr::eq(command.buffer.as_ptr(), self);
        ensure!(own, CL_INVALID_MUTABLE_COMMAND_KHR);
        let invalid = Error(CL_INVALID_MUTABLE_COMMAND_KHR);
        let slot = commands.get_mut(command.place).ok_or(invalid)?;
        let device = &self.queue.device;
        let dispatch = slot.dispatch.as_ref().ok_or(invalid)?;
        // SAFETY: the caller's promise.
        let dispatch = unsafe { dispatch.updated(&config, device)? };
        slot.recipe = match recipe(device, &dispatch.kernel, &dispatch.range) {
            // One is not set yet, or is of a buffer that is no more.
            Err(Error(CL_INVALID_KERNEL_ARGS)) => None,
            made => Some(made?),
        };
        slot.dispatch = Some(Arc::new(dispatch));
        Ok(())
    }
}

impl Drop for CommandBuffer {
    /// "The lifetime of this handle is tied to the parent command-buffer".
    fn drop(&mut self) {
        for command in self.handles.get_mut().drain(..) {
            // It has the one reference that it was made with.
            let _ = object::release::<MutableCommand>(object::handle(&command));
        }
    }
}
