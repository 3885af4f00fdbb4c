//! The devices of a platform, counted and listed by their types in several ways, and contexts of them.

use super::*;
use crate::host::answers::{Question, Wanted};

/// Devices for which there is room.
const DEVICES: usize = 64;

/// Devices of each type that are asked for their types.
const ASKED: usize = 2;

/// What says that there is no device of a type, or none to be had.
const NONE: [Constant; 2] = [cl::CL_DEVICE_NOT_FOUND, cl::CL_DEVICE_NOT_AVAILABLE];

/// A call that finds devices of a type, or says that there are none.
fn may_find_none(mut call: Call) -> Call {
    let codes = NONE.map(|code| code.value() as i32);
    call.expect.codes = [0].into_iter().chain(codes).collect();
    call
}

impl Lowering {
    /// How many devices of a type there are, as clGetDeviceIDs says with so much room for them, and which.
    fn devices_of(&mut self, platform: Slot, of: Value, room: usize) -> [AnswerId; 2] {
        let [number, listed] = [self.builder.answer(), self.builder.answer()];
        let ids = match room {
            0 => Value::Null,
            room => Value::Answer(listed, 8 * room),
        };
        let arguments = values![platform, of, room, ids, Value::Answer(number, 4)];
        let call = Call::new(Function::GetDeviceIDs, arguments);
        self.step(may_find_none(call));
        [number, listed]
    }

    /// A list of devices has none twice, and none that another list lacks.
    fn contained(&mut self, one: AnswerId, other: AnswerId, says: &str) {
        self.must(says, That::Contained(one, other));
    }

    /// clGetDeviceIDs with room for all devices and for one, for those of each type, and clCreateContextFromType.
    pub(super) fn devices(&mut self, platform: Slot) {
        let all = cl::CL_DEVICE_TYPE_ALL;
        let numbers = [0, 1, DEVICES].map(|room| self.devices_of(platform, all.into(), room)[0]);
        let says = "clGetDeviceIDs says with other room that there are more devices";
        for (one, other) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
            self.must(says, That::NotAfter(numbers[one], numbers[other]));
        }
        let lists = [(); 2].map(|()| self.devices_of(platform, all.into(), DEVICES)[1]);
        for (one, other) in [(0, 1), (1, 0)] {
            let says = "clGetDeviceIDs lists a device twice, or other devices than before";
            self.contained(lists[one], lists[other], says);
        }
        let usual = cl::CL_DEVICE_TYPE_DEFAULT;
        let [number, default] = self.devices_of(platform, usual.into(), 1);
        self.is_number(number, 1, "there are {} devices that are the default one");
        let says = "the default device is none of the platform's";
        self.contained(default, lists[0], says);
        self.context_of_type(platform, all, lists[0], i64::MAX);
        self.context_of_type(platform, usual, default, 1);
        let types = [
            cl::CL_DEVICE_TYPE_CPU,
            cl::CL_DEVICE_TYPE_GPU,
            cl::CL_DEVICE_TYPE_ACCELERATOR,
        ];
        let both = Value::Flags(vec![types[0], types[1]]);
        let [_, both] = self.devices_of(platform, both, DEVICES);
        let says = "a device of two types is none of the platform's";
        self.contained(both, lists[0], says);
        for (n, of) in types.into_iter().enumerate() {
            let [number, listed] = self.devices_of(platform, of.into(), DEVICES);
            let says = format!("there are more devices of the type {of} than devices");
            self.must(&says, That::NotAfter(number, numbers[0]));
            let says = format!("a device of the type {of} is listed twice, or is none of all");
            self.contained(listed, lists[0], &says);
            if n < 2 {
                let says = format!("a device of the type {of} is none of those of two types");
                self.contained(listed, both, &says);
            }
            self.have_type(platform, of);
            self.context_of_type(platform, of, listed, i64::MAX);
        }
    }

    /// Devices that are found by their type have it.
    fn have_type(&mut self, platform: Slot, of: Constant) {
        let found = [(); ASKED].map(|()| self.own("of_type", SlotKind::Device));
        let into = Value::List(Class::Object, found.map(Value::Into).into());
        let arguments = values![platform, of, ASKED, into, Value::Null];
        self.step(may_find_none(Call::new(Function::GetDeviceIDs, arguments)));
        for device in found {
            let bit = Wanted::Bits(of.value() as u64, u64::MAX);
            for (name, wanted) in [
                (cl::CL_DEVICE_TYPE, bit),
                (cl::CL_DEVICE_PLATFORM, Wanted::object(platform)),
            ] {
                let question = Question::new(Function::GetDeviceInfo, device, name, wanted);
                let step = self.builder.question(question);
                self.step(step);
            }
        }
    }

    /// A context of the devices of a type, which are in a list.
    fn context_of_type(&mut self, platform: Slot, of: Constant, listed: AnswerId, most: i64) {
        let context = self.own("context_of_type", SlotKind::Context);
        let properties = values![cl::CL_CONTEXT_PLATFORM, platform, 0];
        let properties = Value::List(Class::Long, properties);
        let arguments = values![properties, of, Value::Null, Value::Null];
        let call = Call::new(Function::CreateContextFromType, arguments);
        self.step(may_find_none(call.makes(context)));
        let name = cl::CL_CONTEXT_NUM_DEVICES.into();
        let (step, devices) = self.ask(Function::GetContextInfo, context, name, 4);
        self.steps.push(step);
        let says = format!("a context of devices of the type {of} has {{}} of them");
        self.must(&says, That::Number(devices, Right::Between(1, most)));
        let name = cl::CL_CONTEXT_DEVICES.into();
        let (step, devices) = self.ask(Function::GetContextInfo, context, name, 8 * DEVICES);
        self.steps.push(step);
        let says = format!("a context of devices of the type {of} has another, or one twice");
        self.contained(devices, listed, &says);
        self.release([context]);
    }
}
