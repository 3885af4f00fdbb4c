//! What the C program makes before its threads start and takes down after they ended.

use super::step_name;
use super::text::{self, Text};
use crate::commands::check::Plan;
use crate::commands::program::*;

/// Writes the things of a run, and `begin`, `make`, `end` and `take_down`.
pub fn write(plan: &Plan, workload: &str, version: u32, c: &mut Text) {
    let p = &plan.program;
    let world = World {
        p,
        plan,
        svm: version >= 200,
    };
    world.declare(c);
    world.begin(workload, c);
    world.make(c);
    world.end(c);
    world.take_down(c);
}

/// The kernel of a command with whether it is the one with the variable.
pub fn kernel(p: &Program, command: &Command) -> Option<bool> {
    let What::Kernel(k) = &command.what else {
        return None;
    };
    let variable = |r: &Range| p.objects[r.object.index()].kind == Kind::Variable;
    Some(k.reads.iter().chain(&k.writes).any(variable))
}

struct World<'p> {
    p: &'p Program,
    plan: &'p Plan,
    svm: bool,
}

impl World<'_> {
    fn variable(&self) -> Option<(usize, Object)> {
        let variable = |o: &(usize, &Object)| o.1.kind == Kind::Variable;
        let found = self.p.objects.iter().enumerate().find(variable);
        found.map(|(n, object)| (n, *object))
    }

    fn kernels(&self) -> bool {
        self.variable().is_some()
            || self
                .p
                .commands
                .iter()
                .any(|c| matches!(c.what, What::Kernel(_)))
    }

    fn declare(&self, c: &mut Text) {
        let p = self.p;
        c.line("/* ---- the things of a run --------------------------------------------------------------------- */");
        c.line("");
        c.line("/* The steps of host threads (T) and callbacks (C), by their places. */");
        c.line("enum {");
        for (place, step) in p.steps() {
            c.line(&format!(
                "    {}, /* {} */",
                step_name(place),
                text::step(step)
            ));
        }
        c.line("    STEPS");
        c.line("};");
        c.line("");
        c.line("#define NOT_ASKED (-300000)");
        let of = |n: usize| n.max(1);
        let commands = of(p.commands.len());
        c.line("static cl_context contexts[8];");
        c.line("static cl_command_queue services[8]; /* for transfers of the test itself */");
        c.line("static cl_device_id device_of[64];");
        c.line("");
        c.line("static struct {");
        for line in [
            format!("cl_kernel kernel[{commands}];       /* each command's own */"),
            format!("cl_mem log[{commands}];             /* what a kernel saw, on the device */"),
            format!("cl_uint *kernel_saw[{commands}][2]; /* the same on the host, by range */"),
            format!(
                "cl_uint *brought[{commands}];       /* memory of reads and writes on the host */"
            ),
            format!(
                "cl_uint *inspected[{commands}];     /* what the host saw there; NULL if it did not look */"
            ),
            format!("_Atomic(cl_event) event[{commands}];"),
            format!("_Atomic(void *) mapped[{commands}];"),
            format!(
                "int last[{commands}];               /* status after everything was finished */"
            ),
            format!("struct times times[{commands}];"),
            format!("cl_command_queue queue[{}];", of(p.queues.len())),
            format!("cl_mem buffer[{}];", of(p.objects.len())),
            format!(
                "void *memory[{}];             /* of SVM, and of the host under a buffer */",
                of(p.objects.len())
            ),
            format!("_Atomic(cl_event) user[{}];", of(p.users.len())),
            format!(
                "cl_uint *looked[{}];          /* what host accesses saw */",
                of(p.accesses.len())
            ),
            format!("struct sign sign[{}];", of(p.signals.into())),
            "int code[STEPS + 1];          /* what calls returned */".into(),
            "int status[STEPS + 1];        /* what events said */".into(),
            "unsigned long began[STEPS + 1], ended[STEPS + 1];".into(),
            "cl_ulong clock_began[STEPS + 1], clock_ended[STEPS + 1]; /* by the host's clock */"
                .into(),
            "cl_ulong finished;            /* when everything was, by that clock */".into(),
            format!(
                "unsigned long ran[{}];        /* when callbacks began */",
                of(p.callbacks.len())
            ),
            format!(
                "atomic_uint fired[{}];        /* how often */",
                of(p.callbacks.len())
            ),
            format!(
                "int fired_with[{0}], fired_wrong[{0}];",
                of(p.callbacks.len())
            ),
        ] {
            c.line(&format!("    {line}"));
        }
        c.line("} w;");
        c.line("");
        c.line("static void begins(int step)");
        c.line("{");
        c.line("    w.clock_began[step] = nanoseconds();");
        c.line("    w.began[step] = tick();");
        c.line("}");
        c.line("static void ends(int step)");
        c.line("{");
        c.line("    w.ended[step] = tick();");
        c.line("    w.clock_ended[step] = nanoseconds();");
        c.line("}");
        c.line("");
    }

    fn begin(&self, workload: &str, c: &mut Text) {
        let p = self.p;
        if self.kernels() {
            c.line("/* The kernels of all commands: what they do is in their arguments. */");
            c.line("static const char *const source =");
            c.raw(&text::source(workload));
            c.line("    ;");
            c.line("");
        }
        if self.variable().is_some() {
            c.line("static cl_kernel first_tokens; /* writes the variable's first tokens */");
            c.line("");
        }
        c.line("/* Makes what outlives a run. */");
        c.line("static void begin(cl_device_id *devices, cl_uint count)");
        c.line("{");
        c.line("    cl_int code;");
        c.line("    memcpy(device_of, devices, count * sizeof *devices);");
        for n in 0..p.contexts {
            c.line(&format!(
                "    contexts[{n}] = clCreateContext(NULL, count, devices, NULL, NULL, &code);"
            ));
            c.line("    must(code, \"clCreateContext\");");
            self.queue(&format!("services[{n}]"), n.into(), 0, false, c);
            if self.kernels() {
                c.line("    {");
                c.line("        cl_program program = clCreateProgramWithSource(");
                c.line(&format!(
                    "            contexts[{n}], 1, (const char *[]){{ source }}, NULL, &code);"
                ));
                c.line("        must(code, \"clCreateProgramWithSource\");");
                if self.variable().is_some() {
                    c.line("        /* Program-scope variables came with OpenCL C 2.0. */");
                    c.line("        code = clBuildProgram(program, count, devices, \"-cl-std=CL3.0\", NULL, NULL);");
                    c.line("        if (code != CL_SUCCESS)");
                    c.line("            code = clBuildProgram(program, count, devices, \"-cl-std=CL2.0\", NULL, NULL);");
                } else {
                    c.line(
                        "        code = clBuildProgram(program, count, devices, \"\", NULL, NULL);",
                    );
                }
                c.line("        must(code, \"clBuildProgram\");");
                for (m, command) in p.commands.iter().enumerate() {
                    let here = p.queues[command.queue.index()].context.0 == u16::from(n);
                    if let (Some(variable), true) = (kernel(p, command), here) {
                        let name = if variable { "work_variable" } else { "work" };
                        c.line(&format!(
                            "        w.kernel[{m}] = clCreateKernel(program, \"{name}\", &code);"
                        ));
                        c.line("        must(code, \"clCreateKernel\");");
                    }
                }
                if let Some((_, object)) = self.variable()
                    && object.context.0 == u16::from(n)
                {
                    c.line(
                        "        first_tokens = clCreateKernel(program, \"work_variable\", &code);",
                    );
                    c.line("        must(code, \"clCreateKernel\");");
                }
                c.line("    }");
            }
        }
        c.line("}");
        c.line("");
    }

    fn queue(&self, name: &str, context: u16, device: u8, out_of_order: bool, c: &mut Text) {
        let mut flags = "CL_QUEUE_PROFILING_ENABLE".to_string();
        if out_of_order {
            flags += " | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE";
        }
        if self.svm {
            c.line(&format!("    {name} = clCreateCommandQueueWithProperties("));
            c.line(&format!(
                "        contexts[{context}], device_of[{device}],"
            ));
            c.line(&format!("        (const cl_queue_properties[]){{ CL_QUEUE_PROPERTIES, {flags}, 0 }}, &code);"));
        } else {
            c.line(&format!("    {name} = clCreateCommandQueue("));
            c.line(&format!(
                "        contexts[{context}], device_of[{device}], {flags}, &code);"
            ));
        }
        c.line("    must(code, \"clCreateCommandQueue\");");
    }

    fn make(&self, c: &mut Text) {
        let p = self.p;
        c.line("/* Makes what a run begins with. */");
        c.line("static void make(void)");
        c.line("{");
        c.line("    cl_int code = CL_SUCCESS;");
        c.line("    for (int n = 0; n <= STEPS; n++) {");
        c.line("        w.code[n] = w.status[n] = NOT_ASKED;");
        c.line("        w.began[n] = w.ended[n] = 0;");
        c.line("        w.clock_began[n] = w.clock_ended[n] = 0;");
        c.line("    }");
        for (n, q) in p.queues.iter().enumerate() {
            self.queue(
                &format!("w.queue[{n}]"),
                q.context.0,
                q.device,
                q.out_of_order,
                c,
            );
        }
        for (n, context) in p.users.iter().enumerate() {
            c.line(&format!(
                "    w.user[{n}] = clCreateUserEvent(contexts[{}], &code);",
                context.0
            ));
            c.line("    must(code, \"clCreateUserEvent\");");
        }
        for n in 0..p.signals {
            c.line(&format!("    pthread_mutex_init(&w.sign[{n}].lock, NULL);"));
            c.line(&format!(
                "    pthread_cond_init(&w.sign[{n}].changed, NULL);"
            ));
            c.line(&format!("    w.sign[{n}].given = 0;"));
        }
        for n in 0..p.callbacks.len() {
            c.line(&format!("    w.ran[{n}] = w.fired[{n}] = 0;"));
            c.line(&format!("    w.fired_with[{n}] = w.fired_wrong[{n}] = 0;"));
        }
        for (n, access) in p.accesses.iter().enumerate() {
            if !access.write {
                c.line(&format!("    w.looked[{n}] = NULL;"));
            }
        }
        for (n, command) in p.commands.iter().enumerate() {
            c.line(&format!("    w.event[{n}] = NULL;"));
            c.line(&format!("    w.last[{n}] = NOT_ASKED;"));
            c.line(&format!("    w.times[{n}].known = 0;"));
            match &command.what {
                What::Kernel(k) => {
                    let cells: usize = k.reads.iter().map(|r| usize::from(r.count)).sum();
                    let context = p.queues[command.queue.index()].context.0;
                    c.line("    {");
                    c.line(&format!("        void *zeros = cells({});", cells.max(1)));
                    c.line(&format!("        w.log[{n}] = clCreateBuffer("));
                    c.line(&format!("            contexts[{context}], CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, {} * WORDS * 4,", cells.max(1)));
                    c.line("            zeros, &code);");
                    c.line("        must(code, \"clCreateBuffer\");");
                    c.line("        free(zeros);");
                    c.line("    }");
                    for at in 0..k.reads.len() {
                        c.line(&format!("    w.kernel_saw[{n}][{at}] = NULL;"));
                    }
                }
                What::Native(k) => {
                    for (at, range) in k.reads.iter().enumerate() {
                        c.line(&format!(
                            "    w.kernel_saw[{n}][{at}] = cells({});",
                            range.count
                        ));
                    }
                }
                What::Read(t) | What::Write(t) => {
                    c.line(&format!("    w.brought[{n}] = cells({});", t.range.count));
                    c.line(&format!("    w.inspected[{n}] = NULL;"));
                }
                What::Map { .. } => c.line(&format!("    w.mapped[{n}] = NULL;")),
                What::Copy { .. }
                | What::Fill(_)
                | What::Unmap(_)
                | What::Migrate { .. }
                | What::Free(_)
                | What::Marker
                | What::Barrier => {}
            }
        }
        for (n, object) in p.objects.iter().enumerate() {
            self.object(n, object, c);
        }
        c.line("    must(code, \"making what a run begins with\");");
        c.line("}");
        c.line("");
    }

    fn object(&self, n: usize, object: &Object, c: &mut Text) {
        let (cells, context) = (object.cells, object.context.0);
        let size = format!("{cells} * WORDS * 4");
        let first = format!("CREATION({n}u)");
        c.line("");
        c.line(&format!(
            "    /* Object {n}: {}; each cell has the token of its creation. */",
            text::kind(object.kind)
        ));
        let buffer = |flags: &str, pointer: &str, c: &mut Text| {
            c.line(&format!("    w.buffer[{n}] = clCreateBuffer(contexts[{context}], CL_MEM_READ_WRITE | {flags},"));
            c.line(&format!(
                "                                {size}, {pointer}, &code);"
            ));
            c.line("    must(code, \"clCreateBuffer\");");
        };
        match object.kind {
            Kind::Buffer(HostPointer::Copy | HostPointer::Alloc | HostPointer::Use)
            | Kind::SvmSystem => {
                c.line(&format!("    w.memory[{n}] = cells({cells});"));
                c.line(&format!(
                    "    put(w.memory[{n}], 0, {cells}, 1, {first}, 0);"
                ));
            }
            Kind::Buffer(HostPointer::UseSvm) | Kind::SvmCoarse => {
                c.line(&format!("    w.memory[{n}] = clSVMAlloc(contexts[{context}], CL_MEM_READ_WRITE, {size}, 0);"));
                c.line(&format!(
                    "    must(w.memory[{n}] ? CL_SUCCESS : CL_OUT_OF_RESOURCES, \"clSVMAlloc\");"
                ));
                c.line(&format!("    must(clEnqueueSVMMap(services[{context}], CL_TRUE, CL_MAP_WRITE, w.memory[{n}], {size}, 0, NULL,"));
                c.line("                         NULL), \"clEnqueueSVMMap\");");
                c.line(&format!(
                    "    put(w.memory[{n}], 0, {cells}, 1, {first}, 0);"
                ));
                c.line(&format!("    must(clEnqueueSVMUnmap(services[{context}], w.memory[{n}], 0, NULL, NULL), \"clEnqueueSVMUnmap\");"));
                c.line(&format!(
                    "    must(clFinish(services[{context}]), \"clFinish\");"
                ));
            }
            Kind::SvmFine => {
                c.line(&format!(
                    "    w.memory[{n}] = clSVMAlloc(contexts[{context}],"
                ));
                c.line(&format!("                             CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, {size}, 0);"));
                c.line(&format!(
                    "    must(w.memory[{n}] ? CL_SUCCESS : CL_OUT_OF_RESOURCES, \"clSVMAlloc\");"
                ));
                c.line(&format!(
                    "    put(w.memory[{n}], 0, {cells}, 1, {first}, 0);"
                ));
            }
            Kind::SubBuffer { of, first } => {
                c.line("    {");
                c.line(&format!(
                    "        cl_buffer_region region = {{ {first} * WORDS * 4, {size} }};"
                ));
                c.line(&format!(
                    "        w.buffer[{n}] = clCreateSubBuffer(w.buffer[{}], CL_MEM_READ_WRITE,",
                    of.0
                ));
                c.line("                                        CL_BUFFER_CREATE_TYPE_REGION, &region, &code);");
                c.line("        must(code, \"clCreateSubBuffer\");");
                c.line("    }");
            }
            Kind::Variable => {
                c.line("    {");
                c.line("        const cl_uint ranges[4][4] = {");
                c.line(&format!("            {{ 0, 0, 1, 0 }}, {{ 0, 0, 1, 0 }}, {{ 0, {cells}, 1, 0 }}, {{ 0, 0, 1, 0 }}"));
                c.line("        };");
                c.line("        const size_t items = 16;");
                c.line(&format!("        cl_mem log = clCreateBuffer(contexts[{context}], CL_MEM_READ_WRITE, 64, NULL, &code);"));
                c.line("        must(code, \"clCreateBuffer\");");
                c.line("        for (cl_uint n = 0; n < 4; n++)");
                c.line("            must(clSetKernelArg(first_tokens, n, sizeof(cl_mem), &(cl_mem){ NULL }), \"clSetKernelArg\");");
                c.line(&format!(
                    "        must(set_words(first_tokens, log, ranges, token({first}), 0),"
                ));
                c.line("             \"clSetKernelArg\");");
                c.line("        must(clSetKernelArg(first_tokens, 12, 4, &(cl_uint){ 4 }), \"clSetKernelArg\");");
                c.line(&format!("        must(clEnqueueNDRangeKernel(services[{context}], first_tokens, 1, NULL, &items, NULL, 0, NULL,"));
                c.line("                                    NULL), \"clEnqueueNDRangeKernel\");");
                c.line(&format!(
                    "        must(clFinish(services[{context}]), \"clFinish\");"
                ));
                c.line("        clReleaseMemObject(log);");
                c.line("    }");
            }
        }
        match object.kind {
            Kind::Buffer(HostPointer::Copy) => {
                buffer("CL_MEM_COPY_HOST_PTR", &format!("w.memory[{n}]"), c);
            }
            Kind::Buffer(HostPointer::Alloc) => buffer(
                "CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR",
                &format!("w.memory[{n}]"),
                c,
            ),
            Kind::Buffer(HostPointer::Use | HostPointer::UseSvm) => {
                buffer("CL_MEM_USE_HOST_PTR", &format!("w.memory[{n}]"), c);
            }
            Kind::SubBuffer { .. }
            | Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmSystem
            | Kind::Variable => {}
        }
    }

    fn released(&self, wanted: &Step) -> bool {
        self.p.steps().any(|(_, step)| step == wanted)
    }

    fn end(&self, c: &mut Text) {
        let p = self.p;
        c.line("/* Finishes what is left of a run, and collects what is known only then. */");
        c.line("static void end(void)");
        c.line("{");
        for n in 0..p.queues.len() {
            if !self.released(&Step::ReleaseQueue(QueueId::at(n))) {
                c.line(&format!("    clFinish(w.queue[{n}]);"));
            }
        }
        c.line("    /* Ten seconds for what should be done by now; less when that was waited for in vain before. */");
        c.line("    static int turns = 100000;");
        c.line("    for (int turn = 0; turn <= turns; turn++) {");
        c.line("        int pending = 0;");
        for n in 0..p.commands.len() {
            c.line(&format!(
                "        pending |= w.event[{n}] && status_of(w.event[{n}]) > CL_COMPLETE;"
            ));
        }
        for n in 0..p.callbacks.len() {
            let id = CallbackId::at(n);
            if self.plan.must_call(id) {
                let name = step_name(self.plan.order.registered(id));
                c.line(&format!(
                    "        pending |= w.code[{name}] == CL_SUCCESS && w.fired[{n}] == 0;"
                ));
            }
        }
        c.line("        if (!pending)");
        c.line("            break;");
        c.line("        if (turn == turns)");
        c.line("            turns = 3000;");
        c.line("        pause_microseconds(100);");
        c.line("    }");
        c.line("    w.finished = nanoseconds();");
        for n in 0..p.commands.len() {
            c.line(&format!("    if (w.event[{n}]) {{"));
            c.line(&format!("        w.last[{n}] = status_of(w.event[{n}]);"));
            c.line(&format!("        if (w.last[{n}] == CL_COMPLETE)"));
            c.line(&format!(
                "            w.times[{n}] = times_of(w.event[{n}]);"
            ));
            c.line("    }");
        }
        for (n, command) in p.commands.iter().enumerate() {
            let What::Kernel(k) = &command.what else {
                continue;
            };
            let context = p.queues[command.queue.index()].context.0;
            let mut at = 0;
            for (r, range) in k.reads.iter().enumerate() {
                let count = range.count;
                c.line(&format!("    w.kernel_saw[{n}][{r}] = cells({count});"));
                c.line(&format!("    if (clEnqueueReadBuffer(services[{context}], w.log[{n}], CL_TRUE, {at} * WORDS * 4, {count} * WORDS * 4,"));
                c.line(&format!("                            w.kernel_saw[{n}][{r}], 0, NULL, NULL) != CL_SUCCESS) {{"));
                if self.plan.order.has_failures() {
                    c.line("        /* After a failure the context may be gone. */");
                    c.line(&format!("        free(w.kernel_saw[{n}][{r}]);"));
                    c.line(&format!("        w.kernel_saw[{n}][{r}] = NULL;"));
                } else {
                    c.line("        must(-1, \"clEnqueueReadBuffer\");");
                }
                c.line("    }");
                at += u32::from(count);
            }
        }
        c.line("}");
        c.line("");
    }

    fn take_down(&self, c: &mut Text) {
        let p = self.p;
        c.line("static void take_down(void)");
        c.line("{");
        for n in 0..p.commands.len() {
            c.line(&format!("    if (w.event[{n}])"));
            c.line(&format!("        clReleaseEvent(w.event[{n}]);"));
            c.line(&format!("    w.event[{n}] = NULL;"));
        }
        for n in 0..p.users.len() {
            c.line(&format!("    if (w.user[{n}])"));
            c.line(&format!("        clReleaseEvent(w.user[{n}]);"));
        }
        for (n, object) in p.objects.iter().enumerate().rev() {
            let freed =
                |c: &Command| matches!(&c.what, What::Free(all) if all.contains(&ObjectId::at(n)));
            let gone = p.commands.iter().any(freed)
                || self.released(&Step::ReleaseObject(ObjectId::at(n)));
            let context = object.context.0;
            let buffer = matches!(object.kind, Kind::Buffer(_) | Kind::SubBuffer { .. });
            if buffer && !gone {
                c.line(&format!("    clReleaseMemObject(w.buffer[{n}]);"));
            }
            match object.kind {
                Kind::Buffer(HostPointer::UseSvm) => {
                    c.line(&format!(
                        "    clSVMFree(contexts[{context}], w.memory[{n}]);"
                    ));
                }
                Kind::SvmCoarse | Kind::SvmFine if !gone => {
                    c.line(&format!(
                        "    clSVMFree(contexts[{context}], w.memory[{n}]);"
                    ));
                }
                Kind::Buffer(HostPointer::Copy | HostPointer::Alloc | HostPointer::Use)
                | Kind::SvmSystem => c.line(&format!("    free(w.memory[{n}]);")),
                Kind::SvmCoarse | Kind::SvmFine | Kind::SubBuffer { .. } | Kind::Variable => {}
            }
        }
        for (n, access) in p.accesses.iter().enumerate() {
            if !access.write {
                c.line(&format!("    free(w.looked[{n}]);"));
            }
        }
        for (n, command) in p.commands.iter().enumerate() {
            match &command.what {
                What::Kernel(k) => {
                    c.line(&format!("    clReleaseMemObject(w.log[{n}]);"));
                    for at in 0..k.reads.len() {
                        c.line(&format!("    free(w.kernel_saw[{n}][{at}]);"));
                    }
                }
                What::Native(k) => {
                    for at in 0..k.reads.len() {
                        c.line(&format!("    free(w.kernel_saw[{n}][{at}]);"));
                    }
                }
                What::Read(_) | What::Write(_) => {
                    c.line(&format!("    free(w.brought[{n}]);"));
                    c.line(&format!("    free(w.inspected[{n}]);"));
                }
                What::Copy { .. }
                | What::Fill(_)
                | What::Map { .. }
                | What::Unmap(_)
                | What::Migrate { .. }
                | What::Free(_)
                | What::Marker
                | What::Barrier => {}
            }
        }
        for n in 0..p.queues.len() {
            if !self.released(&Step::ReleaseQueue(QueueId::at(n))) {
                c.line(&format!("    clReleaseCommandQueue(w.queue[{n}]);"));
            }
        }
        c.line("}");
        c.line("");
    }
}
