//! The memory and the program of a case in C.

use super::{models, talks};
use crate::commands::reproduce::text::{self, Text, quoted};
use crate::kernels::case::{Contents, KernelCase, Kind};
use crate::kernels::talk::open;

/// What the talks and the end of a run know of the objects: which the host may use while kernels run,
/// and whether a side gave up.
pub fn shared(case: &KernelCase, c: &mut Text) {
    if talks(case) {
        let bytes = case.objects.iter().map(|object| match open(object.kind) {
            true => object.bytes.to_string(),
            false => "0".into(),
        });
        let list: Vec<String> = bytes.collect();
        c.line("/* Bytes of the objects that the host may use while kernels run. */");
        c.line(&format!(
            "static const size_t open_bytes[OBJECTS] = {{ {} }};",
            list.join(", ")
        ));
        c.line("");
    }
    c.line("/* Whether a side has given up waiting; everything is finished. */");
    c.line("static int gave_up(void)");
    c.line("{");
    match case.quit {
        None => c.line("    return 0;"),
        Some(at) => {
            let (n, bytes) = (at.object.0, case.objects[at.object.index()].bytes);
            c.line(&format!(
                "    unsigned char *seen = look(&objects[{n}], {bytes});"
            ));
            c.line(&format!(
                "    int given = element(seen + {}, 4, 0) != 0;",
                at.byte
            ));
            c.line("    free(seen);");
            c.line("    return given;");
        }
    }
    c.line("}");
    c.line("");
}

/// `begin`: what outlives a run.
pub fn begin(case: &KernelCase, c: &mut Text) {
    if !case.source.is_empty() {
        c.line("static cl_program program;");
        for (n, other) in case.build.before.iter().enumerate() {
            c.line(&format!("static const char before_{n}[] ="));
            c.raw(&text::source(&other.source));
            c.line("    ;");
        }
        c.line("static const char source[] =");
        c.raw(&text::source(&case.source));
        c.line("    ;");
        c.line("");
    }
    c.line("static void begin(void)");
    c.line("{");
    c.line("    cl_int code;");
    c.line("    context = clCreateContext(NULL, DEVICES, devices, NULL, NULL, &code);");
    c.line("    must(code, \"clCreateContext\");");
    let places: Vec<String> = [0]
        .iter()
        .chain(&case.queues)
        .map(|n| n.to_string())
        .collect();
    c.line(&format!(
        "    static const unsigned places[QUEUES] = {{ {} }};",
        places.join(", ")
    ));
    c.line("    for (unsigned n = 0; n < QUEUES; n++) {");
    c.line("#ifdef CL_VERSION_2_0");
    c.line("        queues[n] = clCreateCommandQueueWithProperties(context, devices[places[n]], NULL, &code);");
    c.line("#else");
    c.line("        queues[n] = clCreateCommandQueue(context, devices[places[n]], 0, &code);");
    c.line("#endif");
    c.line("        must(code, \"clCreateCommandQueue\");");
    c.line("    }");
    c.line("    queue = queues[0];");
    if !case.source.is_empty() {
        // The device's latest, unless the case says which.
        let versions = match &case.build.std {
            Some(version) => vec![version.as_str()],
            None => vec!["CL3.0", "CL2.0", "CL1.2", "CL1.1"],
        };
        let list = |options: &str| {
            let all: Vec<String> = versions
                .iter()
                .map(|v| quoted(format!("-cl-std={v} {options}").trim_end()))
                .collect();
            all.join(", ")
        };
        let options = &versions;
        for (n, other) in case.build.before.iter().enumerate() {
            c.line(&format!(
                "    static const char *const options_{n}[] = {{ {} }};",
                list(&other.options)
            ));
        }
        c.line(&format!(
            "    static const char *const options[] = {{ {} }};",
            list(&case.build.options)
        ));
        c.line("    unsigned which = 0;");
        // Built first, and kept: they must not matter.
        for n in 0..case.build.before.len() {
            c.line(&format!(
                "    (void)from_source(before_{n}, options_{n}, {}, &which);",
                options.len()
            ));
        }
        c.line(&format!(
            "    program = from_source(source, options, {}, &which);",
            options.len()
        ));
        if case.build.through_binary {
            c.line("    program = through_binary(program, options[which]);");
        }
    }
    c.line("}");
    c.line("");
}

/// `make`: what a run begins with.
pub fn make(case: &KernelCase, c: &mut Text) {
    c.line("/* Makes what a run begins with. */");
    c.line("static void make(void)");
    c.line("{");
    c.line("    cl_int code = CL_SUCCESS;");
    for (n, object) in case.objects.iter().enumerate() {
        let bytes = object.bytes;
        c.line(&format!(
            "    /* Object {n}: {}, {bytes} bytes. */",
            told(object.kind)
        ));
        if let Kind::SubBuffer { of, origin } = object.kind {
            c.line("    {");
            c.line(&format!(
                "        cl_buffer_region region = {{ {origin}, {bytes} }};"
            ));
            c.line(&format!("        objects[{n}].buffer = clCreateSubBuffer(objects[{}].buffer, CL_MEM_READ_WRITE,", of.0));
            c.line("                                              CL_BUFFER_CREATE_TYPE_REGION, &region, &code);");
            c.line("        must(code, \"clCreateSubBuffer\");");
            c.line("    }");
            continue;
        }
        c.line(&format!("    objects[{n}].model = room({bytes});"));
        contents(&format!("objects[{n}].model"), bytes, &object.contents, c);
        let svm = |flags: &str, coarse: bool, c: &mut Text| {
            c.line(&format!("    objects[{n}].memory = clSVMAlloc(context, CL_MEM_READ_WRITE{flags}, {bytes}, 128);"));
            c.line(&format!(
                "    must(objects[{n}].memory ? CL_SUCCESS : CL_OUT_OF_RESOURCES, \"clSVMAlloc\");"
            ));
            c.line(&format!("    objects[{n}].coarse = {};", u8::from(coarse)));
        };
        match object.kind {
            Kind::Buffer => {
                c.line(&format!("    objects[{n}].buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, {bytes},"));
                c.line(&format!(
                    "                                       objects[{n}].model, &code);"
                ));
                c.line("    must(code, \"clCreateBuffer\");");
            }
            // Cases with images and pipes are refused.
            Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => {}
            Kind::SvmCoarse => svm("", true, c),
            Kind::SvmFine => svm(" | CL_MEM_SVM_FINE_GRAIN_BUFFER", false, c),
            Kind::SvmAtomics => svm(
                " | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS",
                false,
                c,
            ),
            Kind::Host => c.line(&format!("    objects[{n}].memory = room({bytes});")),
        }
        if object.kind.addressed() {
            c.line(&format!(
                "    by_host(&objects[{n}], objects[{n}].memory, objects[{n}].model, {bytes}, 1);"
            ));
        }
    }
    c.line("    must(code, \"making what a run begins with\");");
    c.line("}");
    c.line("");
}

fn told(kind: Kind) -> String {
    match kind {
        Kind::Buffer => "a buffer".into(),
        Kind::SubBuffer { of, origin } => {
            format!("a sub-buffer of object {} from byte {origin} on", of.0)
        }
        Kind::Image(_) => "an image".into(),
        Kind::Pipe { .. } => "a pipe".into(),
        Kind::SvmCoarse => "a coarse-grain SVM allocation".into(),
        Kind::SvmFine => "a fine-grain SVM allocation".into(),
        Kind::SvmAtomics => "a fine-grain SVM allocation for atomics".into(),
        Kind::Host => "memory of the host".into(),
    }
}

/// Puts contents into memory.
pub fn contents(to: &str, bytes: usize, contents: &Contents, c: &mut Text) {
    let mut list = |kind: &str, values: Vec<String>, each: usize| {
        if values.is_empty() {
            c.line(&format!("    memset({to}, 0, {bytes});"));
            return;
        }
        c.line("    {");
        c.line(&format!("        static const {kind} list[] = {{"));
        for line in values.chunks(8) {
            c.line(&format!("            {},", line.join(", ")));
        }
        c.line("        };");
        c.line(&format!(
            "        listed({to}, {bytes}, list, {});",
            values.len() * each
        ));
        c.line("    }");
    };
    match contents {
        Contents::Zero => list("cl_uchar", Vec::new(), 1),
        Contents::Words(words) => list(
            "cl_uint",
            words.iter().map(|w| format!("{w}u")).collect(),
            4,
        ),
        Contents::Longs(longs) => list(
            "cl_ulong",
            longs.iter().map(|w| format!("{w}u")).collect(),
            8,
        ),
        Contents::Bytes(all) => list("cl_uchar", all.iter().map(u8::to_string).collect(), 1),
        Contents::Every(word) => c.line(&format!("    words({to}, {bytes}, {word}u, 0);")),
        Contents::Noise(seed) => c.line(&format!("    noise({to}, {bytes}, {seed}u);")),
        Contents::Count(first) => c.line(&format!("    words({to}, {bytes}, {first}u, 1);")),
    }
}

/// `take_down`: the end of a run.
pub fn take_down(case: &KernelCase, c: &mut Text) {
    c.line("static void take_down(void)");
    c.line("{");
    for n in super::steps::waited_for(case) {
        c.line(&format!("    if (events[{n}])"));
        c.line(&format!("        clReleaseEvent(events[{n}]);"));
        c.line(&format!("    events[{n}] = NULL;"));
    }
    // Sub-buffers before their parents.
    for (n, object) in case.objects.iter().enumerate().rev() {
        match object.kind {
            Kind::Buffer | Kind::SubBuffer { .. } | Kind::Image(_) | Kind::Pipe { .. } => {
                c.line(&format!("    clReleaseMemObject(objects[{n}].buffer);"));
            }
            Kind::SvmCoarse | Kind::SvmFine | Kind::SvmAtomics => {
                c.line(&format!("    clSVMFree(context, objects[{n}].memory);"));
            }
            Kind::Host => c.line(&format!("    free(objects[{n}].memory);")),
        }
        match object.kind {
            Kind::SubBuffer { .. } => {}
            Kind::Buffer
            | Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmAtomics
            | Kind::Host
            | Kind::Image(_)
            | Kind::Pipe { .. } => {
                c.line(&format!("    free(objects[{n}].model);"));
            }
        }
    }
    c.line("    memset(objects, 0, sizeof objects);");
    c.line("}");
    c.line("");
}

/// Where the C program keeps what a byte of an object must hold, where it follows that at all.
pub fn model(case: &KernelCase, at: crate::kernels::case::Place) -> Option<String> {
    models(case).then(|| {
        let (object, byte) = match case.objects[at.object.index()].kind {
            Kind::SubBuffer { of, origin } => (of, origin + at.byte),
            Kind::Buffer
            | Kind::SvmCoarse
            | Kind::SvmFine
            | Kind::SvmAtomics
            | Kind::Host
            | Kind::Image(_)
            | Kind::Pipe { .. } => (at.object, at.byte),
        };
        format!("objects[{}].model + {byte}", object.0)
    })
}
