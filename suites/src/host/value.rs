//! What calls are given: objects in slots, places in memory, numbers, and memory that lives for one call.

use super::constant::Constant;
use super::function::Class;
use super::ids::{AnswerId, CallbackId};
use crate::host::token::Writer;
use serde::{Deserialize, Serialize};

/// Where a program keeps an object of the API, or the address of memory: a variable of the C program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slot(pub u16);

impl Slot {
    /// Its place in [`HostProgram::slots`](super::program::HostProgram::slots).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// What holds the memory's address.
    pub object: Slot,
    /// The byte from there on.
    pub byte: usize,
}

/// An argument of a call. What it says about memory that lives for one call is gone, and overwritten, when
/// the call has returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A null pointer, or no object.
    Null,
    /// A number; a negative one as its 64 bits.
    Number(u64),
    /// A number that the headers name.
    Constant(Constant),
    /// Flags together.
    Flags(Vec<Constant>),
    /// What a slot holds. A call with a slot that is still empty is not made.
    Slot(Slot),
    /// What a slot holds; the call takes the program's reference, and the slot is empty afterwards, unless
    /// the call fails.
    Take(Slot),
    /// Where the call leaves an object that it makes: the address of a slot. In a list, that place of the
    /// list.
    Into(Slot),
    /// An address.
    At(Place),
    /// The address of these, one after the other, each as its class is passed.
    List(Class, Vec<Value>),
    /// The address of a structure of the headers with these members, in their order; with several times as many, of as
    /// many structures one after the other.
    Struct(Layout, Vec<Value>),
    /// The address of these bytes.
    Bytes(Vec<u8>),
    /// The address of a text with a zero byte after it.
    Text(String),
    /// The 32-bit token of a writer for a cell, in this run ([`Token`](crate::host::token::Token)).
    Token(Writer, u8),
    /// The address of room for so many bytes, which are kept as an answer after the call.
    Answer(AnswerId, usize),
    /// The address of a byte of the memory that was made for an argument before this one.
    Within {
        /// The argument.
        argument: u8,
        /// The byte.
        byte: usize,
    },
    /// The address of the bytes of an answer that this run has got. A call with one that is still missing is
    /// not made.
    Answered(AnswerId),
    /// The number of 32 bits that an answer of this run is: a sync point. A call with one that is still missing is not
    /// made.
    Number32(AnswerId),
    /// A function of the program for the implementation to call.
    Callback(CallbackId),
    /// What that function is given to know who it is.
    Data(CallbackId),
}

/// A structure of the headers that calls are given the address of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `cl_buffer_region`.
    BufferRegion,
    /// `cl_image_format`.
    ImageFormat,
    /// `cl_image_desc`.
    ImageDesc,
    /// `cl_mutable_dispatch_config_khr`.
    KernelUpdate,
    /// `cl_mutable_dispatch_arg_khr`.
    UpdatedArgument,
    /// `cl_mutable_dispatch_exec_info_khr`.
    UpdatedInfo,
}

impl Layout {
    /// Its name in the headers. Older ones lack those of updates, or have others of their names, so they are types of the
    /// program.
    pub fn name(self) -> &'static str {
        match self {
            Layout::KernelUpdate => "struct kernel_update",
            Layout::UpdatedArgument => "struct updated_argument",
            Layout::UpdatedInfo => "struct updated_info",
            Layout::BufferRegion => "cl_buffer_region",
            Layout::ImageFormat => "cl_image_format",
            Layout::ImageDesc => "cl_image_desc",
        }
    }

    /// Its members with their names, in their order: each begins at a multiple of its own size.
    pub fn members(self) -> &'static [(&'static str, Class)] {
        use Class::{Long, Object, Pointer, Word};
        match self {
            Layout::KernelUpdate => &[
                ("command", Object),
                ("num_args", Word),
                ("num_svm_args", Word),
                ("num_exec_infos", Word),
                ("work_dim", Word),
                ("arg_list", Pointer),
                ("arg_svm_list", Pointer),
                ("exec_info_list", Pointer),
                ("global_work_offset", Pointer),
                ("global_work_size", Pointer),
                ("local_work_size", Pointer),
            ],
            Layout::UpdatedArgument => &[
                ("arg_index", Word),
                ("arg_size", Long),
                ("arg_value", Pointer),
            ],
            Layout::UpdatedInfo => &[
                ("param_name", Word),
                ("param_value_size", Long),
                ("param_value", Pointer),
            ],
            Layout::BufferRegion => &[("origin", Long), ("size", Long)],
            Layout::ImageFormat => &[
                ("image_channel_order", Word),
                ("image_channel_data_type", Word),
            ],
            Layout::ImageDesc => &[
                ("image_type", Word),
                ("image_width", Long),
                ("image_height", Long),
                ("image_depth", Long),
                ("image_array_size", Long),
                ("image_row_pitch", Long),
                ("image_slice_pitch", Long),
                ("num_mip_levels", Word),
                ("num_samples", Word),
                ("buffer", Object),
            ],
        }
    }
}

/// The arguments of a call, each as the value that it stands for.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::host::Value::from($value)),*] };
}
pub(crate) use values;

macro_rules! numbers {
    ($($from:ty),*) => {$(
        impl From<$from> for Value {
            fn from(number: $from) -> Value {
                Value::Number(number as u64)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i32, i64);

impl From<bool> for Value {
    fn from(is: bool) -> Value {
        Value::Constant(if is { Constant::TRUE } else { Constant::FALSE })
    }
}

impl From<Slot> for Value {
    fn from(slot: Slot) -> Value {
        Value::Slot(slot)
    }
}

impl From<Place> for Value {
    fn from(place: Place) -> Value {
        Value::At(place)
    }
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        Value::Constant(constant)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl Value {
    /// The address of objects, one after the other; null where there are none.
    pub fn objects(slots: impl IntoIterator<Item = Slot>) -> Value {
        Value::list(Class::Object, slots)
    }

    /// The address of numbers of 64 bits, as sizes are; null where there are none.
    pub fn sizes<T: Into<Value>>(numbers: impl IntoIterator<Item = T>) -> Value {
        Value::list(Class::Long, numbers)
    }

    /// The address of numbers of 32 bits; null where there are none.
    pub fn words<T: Into<Value>>(numbers: impl IntoIterator<Item = T>) -> Value {
        Value::list(Class::Word, numbers)
    }

    /// The address of values of a class; null where there are none.
    pub fn list<T: Into<Value>>(class: Class, values: impl IntoIterator<Item = T>) -> Value {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        if values.is_empty() {
            return Value::Null;
        }
        Value::List(class, values)
    }

    /// Gives itself and every value inside of it to a function.
    pub fn each<'v>(&'v self, then: &mut dyn FnMut(&'v Value)) {
        then(self);
        if let Value::List(_, values) | Value::Struct(_, values) = self {
            values.iter().for_each(|value| value.each(then));
        }
    }

    /// The slots that have to hold something before the call is made.
    pub fn needed(&self, slots: &mut Vec<Slot>) {
        self.each(&mut |value| {
            if let Value::Slot(slot) | Value::Take(slot) = value {
                slots.push(*slot);
            } else if let Value::At(place) = value {
                slots.push(place.object);
            }
        });
    }
}
