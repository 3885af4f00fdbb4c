//! The ends of memory objects of every kind.

use super::operations::settle;
use super::*;
use crate::api::made::Ending;
use crate::host::CallbackOf;
use crate::host::check::Moment;

/// Bytes of the buffer and of each part of it.
const WHOLE: usize = 1024;
const PART: usize = 64;

/// Microseconds in which a callback may come that is one too many.
const LONGER: u32 = 500;

/// A memory object, and the callbacks for its end.
struct Ended {
    memory: Slot,
    /// What it is, in words.
    what: &'static str,
    callbacks: Vec<(CallbackId, Mark)>,
    released: Option<Mark>,
}

impl Lowering {
    /// A buffer and others with callbacks for their ends, released in this order. Parts keep the buffer: "If
    /// memobj is a buffer object, memobj cannot be deleted until all sub-buffer objects associated with memobj are deleted."
    pub(super) fn ends(&mut self, place: Place, others: &[Ending], order: &[u8], callbacks: usize) {
        let first = self.own("whole", SlotKind::Memory);
        let flags = cl::CL_MEM_READ_WRITE;
        let arguments = values![place.context, flags, WHOLE, Value::Null];
        self.step(Call::new(Function::CreateBuffer, arguments).makes(first));
        let mut all = vec![self.ending(first, "a buffer", callbacks)];
        for other in others {
            let memory = self.own("memory", SlotKind::Memory);
            let (what, call) = match other {
                Ending::Buffer => ("a buffer", buffer(place.context, memory)),
                Ending::Part => {
                    let part = Call::sub_buffer(first, flags.into(), 0, PART);
                    ("a part of a buffer", part.makes(memory))
                }
                Ending::Image => {
                    let shape = cl::CL_MEM_OBJECT_IMAGE2D;
                    ("an image", image(place, shape, None, memory))
                }
                Ending::Over => {
                    let shape = cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
                    (
                        "an image over a buffer",
                        image(place, shape, Some(first), memory),
                    )
                }
            };
            self.step(call);
            all.push(self.ending(memory, what, callbacks));
        }
        let order = order.iter().map(|n| usize::from(*n)).chain(0..all.len());
        let mut kept = None;
        for n in order {
            if all.get(n).is_none_or(|one| one.released.is_some()) {
                continue;
            }
            let mark = self.marked(self.builder.release(all[n].memory));
            all[n].released = Some(mark);
            if n == 0 || others.get(n - 1) == Some(&Ending::Part) {
                kept = Some(mark);
            }
        }
        let registered: Vec<_> = all.iter().flat_map(|one| one.callbacks.clone()).collect();
        self.step(settle(&registered));
        self.step(Op::Sleep(LONGER));
        for (n, one) in all.iter().enumerate() {
            let until = if n == 0 { kept } else { one.released };
            for (callback, mark) in &one.callbacks {
                if let Some(until) = until {
                    let early = That::Before(Moment::Began(until), Moment::Fired(*callback));
                    let says = "a memory object ended before its last reference was released";
                    self.must(says, early);
                }
                let says = format!(
                    "a callback for the end of {} was called {{}} times",
                    one.what
                );
                self.must_come(*callback, *mark, 1, &says);
            }
            let reverse = one.callbacks.iter().rev().map(|(callback, _)| *callback);
            let says =
                "callbacks for the end of a memory object were not called in the reverse order";
            self.must(says, That::FiredInOrder(reverse.collect()));
        }
    }

    /// A memory object is given callbacks for its end.
    fn ending(&mut self, memory: Slot, what: &'static str, count: usize) -> Ended {
        let callbacks = (0..count).map(|_| {
            let callback = self.builder.callback(CallbackOf::Memory, Vec::new());
            let function = Function::SetMemObjectDestructorCallback;
            let mark = self.marked(at_end(function, memory, callback));
            (callback, mark)
        });
        Ended {
            callbacks: callbacks.collect(),
            memory,
            what,
            released: None,
        }
    }
}

/// An image of four bytes an element, by itself or over a buffer.
fn image(place: Place, shape: Constant, over: Option<Slot>, slot: Slot) -> Call {
    let height = if over.is_some() { 0 } else { 3 };
    let members = values![shape, 8, height, 0, 0, 0, 0, 0, 0, over];
    let flags = Value::from(cl::CL_MEM_READ_WRITE);
    super::image(place.context, flags, members, Value::Null, slot)
}
