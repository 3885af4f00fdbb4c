//! The commands, callbacks and host threads of the C program.

use super::step_name;
use super::text::{self, Text, flags};
use super::world::kernel;
use crate::commands::check::Plan;
use crate::commands::memory::in_place;
use crate::commands::program::*;

/// Writes them.
pub fn write(plan: &Plan, c: &mut Text) {
    let play = Play { p: &plan.program };
    c.line("/* ---- what the program does ------------------------------------------------------------------- */");
    c.line("");
    for (n, command) in play.p.commands.iter().enumerate() {
        play.command(n, command, c);
    }
    for n in 0..play.p.callbacks.len() {
        c.line(&format!(
            "static void CL_CALLBACK callback_{n}(cl_event event, cl_int status, void *run);"
        ));
    }
    c.line("");
    for (n, callback) in play.p.callbacks.iter().enumerate() {
        play.callback(n, callback, c);
    }
    for (n, steps) in play.p.threads.iter().enumerate() {
        c.line(&format!("/* Host thread {n}. */"));
        c.line(&format!("static void *thread_{n}(void *unused)"));
        c.line("{");
        c.line("    (void)unused;");
        play.steps(Who::Thread(n as u16), steps, c);
        c.line("    return NULL;");
        c.line("}");
        c.line("");
    }
}

struct Play<'p> {
    p: &'p Program,
}

impl Play<'_> {
    fn object(&self, id: ObjectId) -> Object {
        self.p.objects[id.index()]
    }

    /// Whether commands reach an object by a handle.
    fn is_buffer(&self, id: ObjectId) -> bool {
        let kind = self.object(id).kind;
        !kind.is_svm() && kind != Kind::Variable
    }

    /// The number of an object's first cell in the object that holds the data.
    fn at(&self, id: ObjectId) -> u8 {
        self.p.root(id).1
    }

    /// Where a cell of SVM is.
    fn pointer(&self, range: Range) -> String {
        format!(
            "(cl_uint *)w.memory[{}] + {} * WORDS",
            range.object.0, range.first
        )
    }

    fn command(&self, n: usize, command: &Command, c: &mut Text) {
        if let What::Native(k) = &command.what {
            self.native(n, k, c);
        }
        c.comment(&[format!("Command {n}: {}.", text::command(self.p, command))]);
        c.line(&format!("static cl_int enqueue_{n}(void)"));
        c.line("{");
        let count = command.wait.len();
        let list = if count == 0 { "NULL" } else { "wait" };
        if count > 0 {
            let events: Vec<String> = command.wait.iter().map(|e| handle(*e)).collect();
            c.line(&format!(
                "    cl_event wait[] = {{ {} }};",
                events.join(", ")
            ));
            let missing: Vec<String> = (0..count).map(|i| format!("!wait[{i}]")).collect();
            c.line(&format!("    if ({})", missing.join(" || ")));
            c.line("        return NOT_CALLED;");
        }
        c.line(&format!(
            "    cl_command_queue queue = w.queue[{}];",
            command.queue.0
        ));
        c.line("    cl_event made = NULL;");
        c.line("    cl_int code;");
        let tail = format!("{count}, {list}, &made");
        let blocking = if command.blocking {
            "CL_TRUE"
        } else {
            "CL_FALSE"
        };
        match &command.what {
            What::Kernel(k) => self.kernel(n, command, k, &tail, c),
            What::Native(k) => self.enqueue_native(n, k, &tail, c),
            What::Read(t) => {
                c.line(&format!(
                    "    memset(w.brought[{n}], 0, {} * WORDS * 4);",
                    t.range.count
                ));
                self.transfer(n, *t, false, blocking, &tail, c);
            }
            What::Write(t) => {
                let r = t.range;
                for (i, cell) in r.cells().enumerate() {
                    c.line("    for (unsigned word = 0; word < WORDS; word++)");
                    c.line(&format!(
                        "        w.brought[{n}][{i} * WORDS + word] = token(COMMAND({n}u) | {}u);",
                        self.at(r.object) + cell
                    ));
                }
                self.transfer(n, *t, true, blocking, &tail, c);
                if command.blocking {
                    c.line("    /* After a blocking write the application may use its memory again. */");
                    c.line(&format!(
                        "    memset(w.brought[{n}], 0, {} * WORDS * 4);",
                        r.count
                    ));
                }
            }
            What::Copy { from, to, rect } => self.copy(*from, *to, *rect, &tail, c),
            What::Fill(r) => {
                c.line(&format!(
                    "    cl_uint pattern = token(COMMAND({n}u) | ANY_CELL);"
                ));
                if self.is_buffer(r.object) {
                    c.line(&format!("    code = clEnqueueFillBuffer(queue, w.buffer[{}], &pattern, 4, {} * WORDS * 4,", r.object.0, r.first));
                    c.line(&format!(
                        "                               {} * WORDS * 4, {tail});",
                        r.count
                    ));
                } else {
                    c.line(&format!(
                        "    code = clEnqueueSVMMemFill(queue, {}, &pattern, 4,",
                        self.pointer(*r)
                    ));
                    c.line(&format!(
                        "                               {} * WORDS * 4, {tail});",
                        r.count
                    ));
                }
            }
            What::Map { range, mode } => self.map(n, *range, *mode, blocking, &tail, c),
            What::Unmap(map) => {
                let of = match &self.p.commands[map.index()].what {
                    What::Map { range, .. } => range.object,
                    _ => ObjectId(0),
                };
                c.line(&format!("    void *pointer = w.mapped[{}];", map.0));
                c.line("    if (!pointer)");
                c.line("        return NOT_CALLED;");
                if self.is_buffer(of) {
                    c.line(&format!(
                        "    code = clEnqueueUnmapMemObject(queue, w.buffer[{}], pointer, {tail});",
                        of.0
                    ));
                } else {
                    c.line(&format!(
                        "    code = clEnqueueSVMUnmap(queue, pointer, {tail});"
                    ));
                }
            }
            What::Migrate { objects, to_host } => {
                let flag = if *to_host {
                    "CL_MIGRATE_MEM_OBJECT_HOST"
                } else {
                    "0"
                };
                let buffers = objects.iter().all(|o| self.is_buffer(*o));
                let list: Vec<String> = objects
                    .iter()
                    .map(|o| match buffers {
                        true => format!("w.buffer[{}]", o.0),
                        false => format!("w.memory[{}]", o.0),
                    })
                    .collect();
                let (len, list) = (objects.len(), list.join(", "));
                if buffers {
                    c.line(&format!("    cl_mem objects[] = {{ {list} }};"));
                    c.line(&format!("    code = clEnqueueMigrateMemObjects(queue, {len}, objects, {flag}, {tail});"));
                } else {
                    c.line(&format!("    const void *objects[] = {{ {list} }};"));
                    c.line(&format!("    code = clEnqueueSVMMigrateMem(queue, {len}, objects, NULL, {flag}, {tail});"));
                }
            }
            What::Free(objects) => {
                let list: Vec<String> = objects
                    .iter()
                    .map(|o| format!("w.memory[{}]", o.0))
                    .collect();
                c.line(&format!("    void *objects[] = {{ {} }};", list.join(", ")));
                c.line(&format!(
                    "    code = clEnqueueSVMFree(queue, {}, objects, NULL, NULL, {tail});",
                    objects.len()
                ));
                c.line(
                    "    memset(objects, 0, sizeof objects); /* the array is the caller's again */",
                );
            }
            What::Marker => {
                c.line(&format!(
                    "    code = clEnqueueMarkerWithWaitList(queue, {tail});"
                ));
            }
            What::Barrier => {
                c.line(&format!(
                    "    code = clEnqueueBarrierWithWaitList(queue, {tail});"
                ));
            }
        }
        c.line("    if (code == CL_SUCCESS)");
        c.line(&format!("        w.event[{n}] = made;"));
        c.line("    return code;");
        c.line("}");
        c.line("");
    }

    fn kernel(&self, n: usize, command: &Command, k: &Kernel, tail: &str, c: &mut Text) {
        let variable = kernel(self.p, command).unwrap_or_default();
        let mut rows = vec!["{ 0, 0, 0, 0 }".to_string(); 4];
        let mut pointers: Vec<Option<Range>> = vec![None; 4];
        let mut log = 0u32;
        // A pointer to SVM is to the range's first cell; a buffer, to its beginning.
        let first = |r: &Range| match self.object(r.object).kind.is_svm() {
            true => (0, r.first),
            false => (r.first, self.at(r.object)),
        };
        for (i, r) in k.reads.iter().enumerate() {
            rows[i] = format!("{{ {}, {}, {}, {log} }}", first(r).0, r.count, r.stride);
            log += u32::from(r.count);
            pointers[i] = Some(*r);
        }
        for (i, r) in k.writes.iter().enumerate() {
            let (from, before) = first(r);
            rows[2 + i] = format!("{{ {from}, {}, {}, {before} }}", r.count, r.stride);
            pointers[2 + i] = Some(*r);
        }
        c.line(&format!("    cl_kernel kernel = w.kernel[{n}];"));
        c.line("    /* For each range: first cell, count, stride, and its place in the log or the number of the");
        c.line("       object's first cell. Two that are read, two that are written. */");
        c.line(&format!(
            "    const cl_uint ranges[4][4] = {{ {} }};",
            rows.join(", ")
        ));
        let mut which = 0;
        for (i, range) in pointers.iter().enumerate() {
            let set = match range.map(|r| (r, r.object, self.object(r.object).kind)) {
                Some((r, _, kind)) if kind.is_svm() => {
                    format!("clSetKernelArgSVMPointer(kernel, {i}, {})", self.pointer(r))
                }
                Some((_, o, kind)) if kind != Kind::Variable => {
                    format!(
                        "clSetKernelArg(kernel, {i}, sizeof(cl_mem), &w.buffer[{}])",
                        o.0
                    )
                }
                other => {
                    which |= u32::from(other.is_some()) << i;
                    format!("clSetKernelArg(kernel, {i}, sizeof(cl_mem), &(cl_mem){{ NULL }})")
                }
            };
            c.line(&format!("    if ((code = {set}) != CL_SUCCESS)"));
            c.line("        return code;");
        }
        c.line(&format!(
            "    code = set_words(kernel, w.log[{n}], ranges, token(COMMAND({n}u)), {}u);",
            k.spin
        ));
        if variable {
            c.line("    if (code == CL_SUCCESS) /* which ranges are in the variable, as bits */");
            c.line(&format!(
                "        code = clSetKernelArg(kernel, 12, 4, &(cl_uint){{ {which} }});"
            ));
        }
        c.line("    if (code != CL_SUCCESS)");
        c.line("        return code;");
        c.line(&format!("    const size_t items = {};", k.items));
        c.line(&format!(
            "    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, {tail});"
        ));
        if k.reuse {
            c.line("    if (code == CL_SUCCESS) {");
            c.line("        /* Arguments are those at the enqueue: these must reach nothing. */");
            c.line("        const cl_uint none[4][4] = { { 0, 0, 1, 0 }, { 0, 0, 1, 0 }, { 0, 0, 1, 0 }, { 0, 0, 1, 0 } };");
            c.line(&format!(
                "        set_words(kernel, w.log[{n}], none, 0, 0);"
            ));
            c.line("    }");
        }
    }

    fn native(&self, n: usize, k: &Kernel, c: &mut Text) {
        c.comment(&[format!(
            "What native kernel {n} is given; the implementation puts pointers in the place of the buffers."
        )]);
        c.line(&format!("struct native_{n} {{"));
        c.line("    cl_uint run;");
        c.line("    void *memory[4];");
        c.line("};");
        c.line(&format!("static void CL_CALLBACK native_{n}(void *given)"));
        c.line("{");
        c.line(&format!("    struct native_{n} args;"));
        c.line("    memcpy(&args, given, sizeof args);");
        c.line("    if (args.run != run_number)");
        c.line("        return; /* of an earlier run, too late */");
        for (i, r) in k.reads.iter().enumerate() {
            c.line(&format!("    if (args.memory[{i}])"));
            c.line(&format!(
                "        look(w.kernel_saw[{n}][{i}], args.memory[{i}], {}, {}, {});",
                r.first, r.count, r.stride
            ));
        }
        if k.spin > 0 {
            c.line(&format!(
                "    for (volatile unsigned turn = 0; turn < {}; turn++)",
                k.spin
            ));
            c.line("        ;");
        }
        for (i, r) in k.writes.iter().enumerate() {
            c.line(&format!("    if (args.memory[{}])", 2 + i));
            c.line(&format!(
                "        put(args.memory[{}], {}, {}, {}, COMMAND({n}u), {});",
                2 + i,
                r.first,
                r.count,
                r.stride,
                self.at(r.object)
            ));
        }
        c.line("}");
        c.line("");
    }

    fn enqueue_native(&self, n: usize, k: &Kernel, tail: &str, c: &mut Text) {
        c.line(&format!(
            "    struct native_{n} args = {{ run_number, {{ NULL, NULL, NULL, NULL }} }};"
        ));
        let reads = k.reads.iter().enumerate();
        let writes = k.writes.iter().enumerate().map(|(i, r)| (2 + i, r));
        let all: Vec<(usize, &Range)> = reads.chain(writes).collect();
        let (mut objects, mut places) = (Vec::new(), Vec::new());
        for (i, r) in &all {
            c.line(&format!("    args.memory[{i}] = w.buffer[{}];", r.object.0));
            objects.push(format!("w.buffer[{}]", r.object.0));
            places.push(format!("&args.memory[{i}]"));
        }
        let count = all.len();
        let (mut one, mut two) = ("NULL", "NULL");
        if count > 0 {
            c.line(&format!(
                "    const cl_mem objects[] = {{ {} }};",
                objects.join(", ")
            ));
            c.line(&format!(
                "    const void *places[] = {{ {} }};",
                places.join(", ")
            ));
            (one, two) = ("objects", "places");
        }
        c.line(&format!("    code = clEnqueueNativeKernel(queue, native_{n}, &args, sizeof args, {count}, {one}, {two},"));
        c.line(&format!("                                 {tail});"));
    }

    fn transfer(
        &self,
        n: usize,
        t: Transfer,
        write: bool,
        blocking: &str,
        tail: &str,
        c: &mut Text,
    ) {
        let r = t.range;
        let (o, first, count) = (r.object.0, r.first, r.count);
        if !self.is_buffer(r.object) {
            let pointer = self.pointer(r);
            let host = format!("w.brought[{n}]");
            let (to, from) = if write {
                (pointer, host)
            } else {
                (host, pointer)
            };
            c.line(&format!(
                "    code = clEnqueueSVMMemcpy(queue, {blocking}, {to}, {from},"
            ));
            c.line(&format!(
                "                              {count} * WORDS * 4, {tail});"
            ));
            return;
        }
        let name = if write { "Write" } else { "Read" };
        if !t.rect {
            c.line(&format!("    code = clEnqueue{name}Buffer(queue, w.buffer[{o}], {blocking}, {first} * WORDS * 4,"));
            c.line(&format!(
                "                               {count} * WORDS * 4, w.brought[{n}], {tail});"
            ));
            return;
        }
        c.line("    /* A cell is a row: those of the buffer are a stride apart, those of the host are not. */");
        rect_origin("first", first, r.stride, c);
        c.line("    const size_t origin[3] = { 0, 0, 0 };");
        c.line(&format!(
            "    const size_t rows[3] = {{ WORDS * 4, {count}, 1 }};"
        ));
        c.line(&format!("    code = clEnqueue{name}BufferRect(queue, w.buffer[{o}], {blocking}, first, origin, rows,"));
        c.line(&format!("                                   {} * WORDS * 4, 0, WORDS * 4, 0, w.brought[{n}], {tail});", r.stride));
    }

    fn copy(&self, from: Range, to: Range, rect: bool, tail: &str, c: &mut Text) {
        let (a, b, count) = (from.object.0, to.object.0, from.count);
        if !self.is_buffer(from.object) {
            c.line(&format!(
                "    code = clEnqueueSVMMemcpy(queue, CL_FALSE, {}, {},",
                self.pointer(to),
                self.pointer(from)
            ));
            c.line(&format!(
                "                              {count} * WORDS * 4, {tail});"
            ));
        } else if !rect {
            c.line(&format!("    code = clEnqueueCopyBuffer(queue, w.buffer[{a}], w.buffer[{b}], {} * WORDS * 4, {} * WORDS * 4,", from.first, to.first));
            c.line(&format!(
                "                               {count} * WORDS * 4, {tail});"
            ));
        } else {
            rect_origin("from", from.first, from.stride, c);
            rect_origin("to", to.first, to.stride, c);
            c.line(&format!(
                "    const size_t rows[3] = {{ WORDS * 4, {count}, 1 }};"
            ));
            c.line(&format!("    code = clEnqueueCopyBufferRect(queue, w.buffer[{a}], w.buffer[{b}], from, to, rows,"));
            c.line(&format!(
                "                                   {} * WORDS * 4, 0, {} * WORDS * 4, 0, {tail});",
                from.stride, to.stride
            ));
        }
    }

    fn map(&self, n: usize, r: Range, mode: MapMode, blocking: &str, tail: &str, c: &mut Text) {
        let flags = flags(mode);
        let size = format!("{} * WORDS * 4", r.count);
        if !self.is_buffer(r.object) {
            c.line(&format!("    w.mapped[{n}] = {};", self.pointer(r)));
            c.line(&format!("    code = clEnqueueSVMMap(queue, {blocking}, {flags}, w.mapped[{n}], {size}, {tail});"));
            return;
        }
        c.line(&format!("    void *pointer = clEnqueueMapBuffer(queue, w.buffer[{}], {blocking}, {flags}, {} * WORDS * 4,", r.object.0, r.first));
        c.line(&format!(
            "                                       {size}, {tail}, &code);"
        ));
        c.line(&format!("    w.mapped[{n}] = pointer;"));
        let (root, first) = self.p.root(r.object);
        if in_place(self.object(root).kind) {
            let cell = u32::from(first) + u32::from(r.first);
            c.line("    /* The buffer is over the application's own memory: the map gives its address. */");
            c.line(&format!("    if (code == CL_SUCCESS && pointer != (void *)((cl_uint *)w.memory[{}] + {cell} * WORDS))", root.0));
            c.line(&format!("        violation(\"rg.host-ptr\", \"command {n} mapped the application's own memory to another address\");"));
        }
    }

    fn callback(&self, n: usize, callback: &Callback, c: &mut Text) {
        c.comment(&[format!(
            "Callback {n}, registered on {} for {}.",
            text::event(callback.event),
            reached(callback.at)
        )]);
        c.line(&format!(
            "static void CL_CALLBACK callback_{n}(cl_event event, cl_int status, void *run)"
        ));
        c.line("{");
        c.line("    if ((cl_uint)(uintptr_t)run != run_number)");
        c.line("        return; /* of an earlier run, too late */");
        c.line(&format!("    w.ran[{n}] = tick();"));
        c.line(&format!("    cl_event right = {};", handle(callback.event)));
        self.steps(Who::Callback(CallbackId::at(n)), &callback.steps, c);
        c.line(&format!("    w.fired_with[{n}] = status;"));
        c.line("    if (right && event != right)");
        c.line(&format!("        w.fired_wrong[{n}] = 1;"));
        c.line(&format!("    w.fired[{n}]++;"));
        c.line("}");
        c.line("");
    }

    fn steps(&self, who: Who, steps: &[Step], c: &mut Text) {
        for (n, step) in steps.iter().enumerate() {
            let place = Place {
                who,
                step: n as u16,
            };
            self.step(&step_name(place), step, c);
        }
    }

    fn step(&self, name: &str, step: &Step, c: &mut Text) {
        c.line("");
        c.line(&format!("    /* {name}: {}. */", text::step(step)));
        c.line(&format!("    begins({name});"));
        let call = |c: &mut Text, call: String| {
            c.line(&format!("    w.code[{name}] = {call};"));
        };
        match step {
            Step::Enqueue(id) => call(c, format!("enqueue_{}()", id.0)),
            Step::Flush(q) => call(c, format!("clFlush(w.queue[{}])", q.0)),
            Step::Finish(q) => call(c, format!("clFinish(w.queue[{}])", q.0)),
            Step::Wait(events) => {
                let list: Vec<String> = events.iter().map(|e| handle(*e)).collect();
                let there: Vec<String> = (0..list.len()).map(|i| format!("list[{i}]")).collect();
                c.line("    {");
                c.line(&format!(
                    "        cl_event list[] = {{ {} }};",
                    list.join(", ")
                ));
                c.line(&format!("        if ({})", there.join(" && ")));
                c.line(&format!(
                    "            w.code[{name}] = clWaitForEvents({}, list);",
                    list.len()
                ));
                c.line("    }");
            }
            Step::Set { user, status } => {
                call(
                    c,
                    format!("clSetUserEventStatus(w.user[{}], {status})", user.0),
                );
            }
            Step::Register(id) => {
                let callback = &self.p.callbacks[id.index()];
                let event = handle(callback.event);
                c.line(&format!("    if ({event})"));
                c.line(&format!(
                    "        w.code[{name}] = clSetEventCallback({event}, {}, callback_{},",
                    reached(callback.at),
                    id.0
                ));
                c.line(
                    "                                            (void *)(uintptr_t)run_number);",
                );
            }
            Step::Access(id) => self.access(*id, c),
            Step::Inspect(id) => {
                if let What::Read(t) = &self.p.commands[id.index()].what {
                    let n = id.0;
                    c.line(&format!("    if (w.event[{n}]) {{"));
                    c.line(&format!(
                        "        w.inspected[{n}] = cells({});",
                        t.range.count
                    ));
                    c.line(&format!(
                        "        look(w.inspected[{n}], w.brought[{n}], 0, {}, 1);",
                        t.range.count
                    ));
                    c.line("    }");
                }
            }
            Step::Status(event) => {
                let event = handle(*event);
                c.line(&format!("    if ({event}) {{"));
                c.line(&format!("        int status = status_of({event});"));
                c.line(&format!(
                    "        w.code[{name}] = status == NOT_CALLED ? NOT_CALLED : CL_SUCCESS;"
                ));
                c.line("        if (status != NOT_CALLED)");
                c.line(&format!("            w.status[{name}] = status;"));
                c.line("    }");
            }
            Step::Signal(id) => c.line(&format!("    give(&w.sign[{}]);", id.0)),
            Step::Await(id) => c.line(&format!("    await(&w.sign[{}]);", id.0)),
            Step::Sleep(micros) => c.line(&format!("    pause_microseconds({micros});")),
            Step::Yield(times) => {
                c.line(&format!("    for (int n = 0; n < {times}; n++)"));
                c.line("        sched_yield();");
            }
            Step::ReleaseEvent(event) => {
                let place = handle(*event);
                c.line("    {");
                c.line(&format!(
                    "        cl_event released = atomic_exchange(&{place}, NULL);"
                ));
                c.line("        if (released)");
                c.line(&format!(
                    "            w.code[{name}] = clReleaseEvent(released);"
                ));
                c.line("    }");
            }
            Step::ReleaseQueue(q) => call(c, format!("clReleaseCommandQueue(w.queue[{}])", q.0)),
            Step::ReleaseObject(id) => {
                let n = id.0;
                let object = self.object(*id);
                match object.kind {
                    Kind::Buffer(_) | Kind::SubBuffer { .. } => {
                        call(c, format!("clReleaseMemObject(w.buffer[{n}])"));
                    }
                    Kind::SvmCoarse | Kind::SvmFine => {
                        c.line(&format!(
                            "    clSVMFree(contexts[{}], w.memory[{n}]);",
                            object.context.0
                        ));
                    }
                    Kind::SvmSystem | Kind::Variable => {}
                }
            }
        }
        c.line(&format!("    ends({name});"));
    }

    fn access(&self, id: AccessId, c: &mut Text) {
        let access = &self.p.accesses[id.index()];
        let r = access.range;
        let n = id.0;
        c.line("    {");
        // The first cell that the pointer is at.
        let first = match access.map.map(|map| &self.p.commands[map.index()].what) {
            Some(What::Map { range, .. }) => range.first,
            Some(_) | None => 0,
        };
        match access.map {
            Some(map) => c.line(&format!(
                "        cl_uint *memory = w.mapped[{}]; /* from cell {first} on */",
                map.0
            )),
            None => c.line(&format!(
                "        cl_uint *memory = w.memory[{}];",
                r.object.0
            )),
        }
        let start = r.first - first;
        c.line("        if (memory) {");
        if access.write {
            let at = u16::from(self.at(r.object)) + u16::from(first);
            c.line(&format!(
                "            put(memory, {start}, {}, {}, {}, {at});",
                r.count,
                r.stride,
                writer_of(id)
            ));
        } else {
            c.line(&format!("            w.looked[{n}] = cells({});", r.count));
            c.line(&format!(
                "            look(w.looked[{n}], memory, {start}, {}, {});",
                r.count, r.stride
            ));
        }
        c.line("        }");
        c.line("    }");
    }
}

fn writer_of(id: AccessId) -> String {
    format!("ACCESS({}u)", id.0)
}

fn rect_origin(name: &str, first: u8, stride: u8, c: &mut Text) {
    let stride = stride.max(1);
    c.line(&format!(
        "    const size_t {name}[3] = {{ {} * WORDS * 4, {}, 0 }};",
        first % stride,
        first / stride
    ));
}

/// Where an event's handle is.
fn handle(event: Event) -> String {
    match event {
        Event::Command(c) => format!("w.event[{}]", c.0),
        Event::User(u) => format!("w.user[{}]", u.0),
    }
}

fn reached(at: Reached) -> &'static str {
    match at {
        Reached::Submitted => "CL_SUBMITTED",
        Reached::Running => "CL_RUNNING",
        Reached::Complete => "CL_COMPLETE",
    }
}
