//! What the compiler of a device says that the device offers: the macros of its extensions and features.

use super::*;
use crate::host::answers::Described;

impl Lowering {
    /// A kernel that asks of each macro whether it is defined. An extension's "would be available in the language if and
    /// only if the extension is supported", and "a feature macro must not be defined if the feature is not supported".
    pub(super) fn offered(&mut self, said: &Described) {
        let macros = said.macros();
        if macros.is_empty() {
            return;
        }
        let place = self.place();
        let asked = macros.iter().enumerate().map(|(n, (name, _))| {
            format!("#ifdef {name}\n    to[{n}] = 1;\n#else\n    to[{n}] = 0;\n#endif\n")
        });
        let source = format!(
            "kernel void offered(global uint *to) {{\n{}}}\n",
            asked.collect::<String>()
        );
        let program = self.own_program(place, source);
        let (kernel, queue, to) = (
            self.own("kernel", SlotKind::Kernel),
            self.own("queue", SlotKind::Queue),
            self.own("offered", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        self.step(buffer_of(place.context, 4 * macros.len(), to));
        self.step(Call::kernel(program, "offered", kernel));
        self.step(Call::object_argument(kernel, 0, to));
        self.step(Call::launch(queue, kernel, 1, &[], None));
        for (n, (name, is_offered)) in macros.iter().enumerate() {
            let answer = self.builder.answer();
            let of = values![to, true, 4 * n, 4, Value::Answer(answer, 4)];
            self.step(Call::enqueue(
                Function::EnqueueReadBuffer,
                queue,
                of,
                &[],
                None,
            ));
            let says = match is_offered {
                true => format!("no macro {name} is defined, and the device lists that name"),
                false => {
                    format!("the macro {name} is defined, and the device does not list that name")
                }
            };
            self.is_number(answer, usize::from(*is_offered), &says);
        }
        self.release([kernel, program, to, queue]);
    }
}
