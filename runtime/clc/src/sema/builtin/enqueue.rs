//! Functions of device-side enqueue (OpenCL C, Enqueuing Kernels): which there are, and what calls of them are.

use super::Call;
use crate::device::{Language, Version};
use crate::hir::{Builtin, Expr, ExprKind};
use crate::sema::{Checked, Sema};
use crate::types::{Field, Qual, Record, Scalar, Space, Type};
use touchstone_ir::DeviceFunction;

/// The feature of OpenCL C 3.0 that device-side enqueue is.
const FEATURE: &str = "__opencl_c_device_enqueue";

/// The name of the type of ranges.
pub(in crate::sema) const RANGE: &str = "ndrange_t";

/// A function of device-side enqueue.
#[derive(Clone, Copy, Debug)]
pub(super) enum EnqueueFunction {
    /// One that asks the device.
    Device(DeviceFunction),
    /// `ndrange_1D` and its like, by their dimensions.
    Range(usize),
    /// What `CLK_NULL_QUEUE` stands for.
    NullQueue,
    /// What `CLK_NULL_EVENT` stands for.
    NullEvent,
}

/// The function of a name, whether the language has it or not.
fn named(name: &str) -> Option<EnqueueFunction> {
    use DeviceFunction as D;
    use EnqueueFunction::{Device, NullEvent, NullQueue, Range};
    Some(match name {
        "enqueue_kernel" => Device(D::EnqueueKernel),
        "enqueue_marker" => Device(D::EnqueueMarker),
        "get_default_queue" => Device(D::DefaultQueue),
        "create_user_event" => Device(D::CreateUserEvent),
        "retain_event" => Device(D::RetainEvent),
        "release_event" => Device(D::ReleaseEvent),
        "is_valid_event" => Device(D::IsValidEvent),
        "set_user_event_status" => Device(D::SetUserEventStatus),
        "capture_event_profiling_info" => Device(D::CaptureProfiling),
        "get_kernel_work_group_size" => Device(D::WorkGroupSize),
        "get_kernel_preferred_work_group_size_multiple" => Device(D::PreferredMultiple),
        "get_kernel_max_sub_group_size_for_ndrange" => Device(D::MaxSubGroupSize),
        "get_kernel_sub_group_count_for_ndrange" => Device(D::SubGroupCount),
        "ndrange_1D" => Range(1),
        "ndrange_2D" => Range(2),
        "ndrange_3D" => Range(3),
        "__null_queue" => NullQueue,
        "__null_event" => NullEvent,
        _ => return None,
    })
}

/// Whether the language lacks what a function needs besides device-side enqueue: sub-groups.
fn lacks_groups(function: EnqueueFunction, language: &Language) -> bool {
    matches!(
        function,
        EnqueueFunction::Device(DeviceFunction::MaxSubGroupSize | DeviceFunction::SubGroupCount)
    ) && !language.sub_groups
}

/// The function of a name that the language has.
pub(super) fn enqueue(name: &str, language: &Language) -> Option<EnqueueFunction> {
    let has =
        |function: &EnqueueFunction| language.device_enqueue && !lacks_groups(*function, language);
    named(name).filter(has)
}

/// The optional feature that a function needs and the language lacks, where the version knows it.
pub(super) fn lacking_for_enqueue(name: &str, language: &Language) -> Option<&'static str> {
    let function = named(name).filter(|_| language.version >= Version::V3_0)?;
    match language.device_enqueue {
        false => Some(FEATURE),
        true => lacks_groups(function, language).then_some("__opencl_c_subgroups"),
    }
}

impl Sema<'_> {
    pub(super) fn enqueue(&mut self, function: EnqueueFunction, call: Call<'_>) -> Checked<Expr> {
        match function {
            EnqueueFunction::Device(function) => self.device_function(function, call),
            EnqueueFunction::Range(dimensions) => self.range(dimensions, call),
            EnqueueFunction::NullQueue => self.null_handle(Type::Queue, call),
            EnqueueFunction::NullEvent => self.null_handle(Type::DeviceEvent, call),
        }
    }

    fn null_handle(&mut self, of: Type, call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 0)?;
        let qual = self.types.plain(of);
        Ok(self.value(ExprKind::Const(0), qual, call.at))
    }

    fn device_function(&mut self, function: DeviceFunction, mut call: Call<'_>) -> Checked<Expr> {
        let event = self.types.plain(Type::DeviceEvent);
        let int = self.types.scalar(Scalar::Int);
        let uint = self.types.scalar(Scalar::UInt);
        let void = self.types.void();
        match function {
            DeviceFunction::EnqueueKernel => self.enqueue_kernel(call),
            DeviceFunction::EnqueueMarker => {
                self.arity(&call, 4)?;
                self.is_argument(&call, 0, Type::Queue)?;
                self.event_arguments(&mut call, 1)?;
                Ok(self.asks(function, call, int))
            }
            DeviceFunction::DefaultQueue => {
                self.arity(&call, 0)?;
                let queue = self.types.plain(Type::Queue);
                Ok(self.asks(function, call, queue))
            }
            DeviceFunction::CreateUserEvent => {
                self.arity(&call, 0)?;
                Ok(self.asks(function, call, event))
            }
            DeviceFunction::RetainEvent | DeviceFunction::ReleaseEvent => {
                self.arity(&call, 1)?;
                self.is_argument(&call, 0, Type::DeviceEvent)?;
                Ok(self.asks(function, call, void))
            }
            DeviceFunction::IsValidEvent => {
                self.arity(&call, 1)?;
                self.is_argument(&call, 0, Type::DeviceEvent)?;
                let truth = self.types.scalar(Scalar::Bool);
                Ok(self.asks(function, call, truth))
            }
            DeviceFunction::SetUserEventStatus => {
                self.arity(&call, 2)?;
                self.is_argument(&call, 0, Type::DeviceEvent)?;
                self.convert_argument(&mut call, 1, int, "the status")?;
                Ok(self.asks(function, call, void))
            }
            DeviceFunction::CaptureProfiling => {
                self.arity(&call, 3)?;
                self.is_argument(&call, 0, Type::DeviceEvent)?;
                self.convert_argument(&mut call, 1, int, "the name of what is captured")?;
                let place = self.types.pointer(void.in_space(Space::Global));
                self.convert_argument(&mut call, 2, place, "the place of the times")?;
                Ok(self.asks(function, call, void))
            }
            DeviceFunction::WorkGroupSize | DeviceFunction::PreferredMultiple => {
                self.arity(&call, 1)?;
                self.about_block(function, call, 0, uint)
            }
            DeviceFunction::MaxSubGroupSize | DeviceFunction::SubGroupCount => {
                self.arity(&call, 2)?;
                self.range_argument(&call, 0)?;
                self.about_block(function, call, 1, uint)
            }
        }
    }

    /// Checks that an argument is of a type.
    fn is_argument(&mut self, call: &Call<'_>, index: usize, of: Type) -> Checked<()> {
        let arg = call.args.get(index);
        if arg.is_none_or(|arg| self.types.of(arg.qual) != of) {
            return self.no_overload(call);
        }
        Ok(())
    }

    fn range_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<()> {
        let range = self.range_type();
        let of = self.types.of(range);
        self.is_argument(call, index, of)
    }

    /// Checks a number of events, the events, and the place of an event, which begin at an argument.
    fn event_arguments(&mut self, call: &mut Call<'_>, first: usize) -> Checked<()> {
        let count = self.types.scalar(Scalar::UInt);
        self.convert_argument(call, first, count, "the number of events")?;
        let event = self.types.plain(Type::DeviceEvent).in_space(Space::Generic);
        let list = Qual {
            constant: true,
            ..event
        };
        let (list, place) = (self.types.pointer(list), self.types.pointer(event));
        self.convert_argument(call, first + 1, list, "the list of events")?;
        self.convert_argument(call, first + 2, place, "the place of the event")
    }

    /// A call that is about no block.
    fn asks(&mut self, function: DeviceFunction, call: Call<'_>, result: Qual) -> Expr {
        let builtin = Builtin::Device {
            function,
            block: None,
            explains: self.language.explains_enqueues,
        };
        self.builtin(builtin, call.args, result, call.at)
    }

    /// A query about the block that is an argument, as it would be enqueued.
    fn about_block(
        &mut self,
        function: DeviceFunction,
        mut call: Call<'_>,
        index: usize,
        result: Qual,
    ) -> Checked<Expr> {
        if !self.types.is_block(call.args[index].qual) {
            return self.no_overload(&call);
        }
        let block = call.args.remove(index);
        let qual = block.qual;
        self.local_parameters(qual, block.loc)?;
        let (block, _) = self.block_of(block, qual, "the block")?;
        self.make_child(block);
        let builtin = Builtin::Device {
            function,
            block: Some(block),
            explains: false,
        };
        Ok(self.builtin(builtin, call.args, result, call.at))
    }

    /// `enqueue_kernel`, with and without events, with and without local memory.
    fn enqueue_kernel(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        let is_block = |index: &usize| {
            let arg = call.args.get(*index);
            arg.is_some_and(|arg| self.types.is_block(arg.qual))
        };
        let Some(at) = [3, 6].into_iter().find(is_block) else {
            return self.no_overload(&call);
        };
        self.is_argument(&call, 0, Type::Queue)?;
        let int = self.types.scalar(Scalar::Int);
        self.convert_argument(&mut call, 1, int, "the flags")?;
        self.range_argument(&call, 2)?;
        if at > 3 {
            self.event_arguments(&mut call, 3)?;
        }
        let sizes = call.args.split_off(at + 1);
        let Some(block) = call.args.pop() else {
            return self.no_overload(&call);
        };
        let qual = block.qual;
        let wanted = self.local_parameters(qual, block.loc)?;
        if sizes.len() != wanted {
            let (wanted, given) = (crate::diag::count(wanted, "size"), sizes.len());
            let message =
                format!("this block needs {wanted} of local memory, and is given {given}");
            return self.error(call.at, message);
        }
        let (block, captured) = self.block_of(block, qual, "the block")?;
        self.make_child(block);
        if at == 3 {
            let none = self.types.scalar(Scalar::UInt);
            let pointer = self.captured_pointer();
            let count = self.value(ExprKind::Const(0), none, call.at);
            let (list, event) = (self.null(pointer, call.at), self.null(pointer, call.at));
            call.args.extend([count, list, event]);
        }
        let pointer = self.captured_pointer();
        let captured = captured.map_or_else(|| self.null(pointer, call.at), |captured| *captured);
        call.args.push(captured);
        let size = self.types.scalar(Scalar::UInt);
        for given in sizes {
            let given = self.implicit(given, size, "a size of local memory")?;
            call.args.push(given);
        }
        let builtin = Builtin::Device {
            function: DeviceFunction::EnqueueKernel,
            block: Some(block),
            explains: self.language.explains_enqueues,
        };
        Ok(self.builtin(builtin, call.args, int, call.at))
    }

    /// `ndrange_1D` takes numbers, the others arrays of as many as they have dimensions.
    fn range(&mut self, dimensions: usize, mut call: Call<'_>) -> Checked<Expr> {
        self.arity_between(&call, 1, 3)?;
        let number = self.types.scalar(Scalar::SIZE);
        let to = if dimensions == 1 {
            number
        } else {
            let element = Qual {
                constant: true,
                ..number.in_space(Space::Generic)
            };
            self.types.pointer(element)
        };
        let given = call.args.len();
        for index in 0..given {
            self.convert_argument(&mut call, index, to, "a size")?;
        }
        let name = format!("__enqueue_range_{dimensions}_{given}");
        let range = self.range_type();
        let params = vec![to; given];
        let function = self.library_function(&name, params, range, call.at);
        Ok(self.value(ExprKind::Call(function, call.args), range, call.at))
    }

    /// `ndrange_t`: what `struct range` of the library is.
    pub(in crate::sema) fn range_type(&mut self) -> Qual {
        if let Some(known) = self.range {
            return known;
        }
        let word = self.types.scalar(Scalar::ULong);
        let words = Type::Array(word, Some(touchstone_ir::device::RANGE_WORDS.into()));
        let field = Field {
            name: None,
            qual: self.types.plain(words),
            offset: 0,
            align: 1,
            packed: false,
        };
        let record = Record {
            tag: Some(self.names.intern(RANGE)),
            fields: vec![field],
            opaque: true,
            not_for_kernels: Some(RANGE),
            ..Record::default()
        };
        let id = self.types.add_record(record);
        // Ten words have a size.
        let _ = self.types.lay_out(id, false, None);
        let range = self.types.plain(Type::Record(id));
        self.range = Some(range);
        range
    }
}
