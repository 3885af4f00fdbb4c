//! The memory of a case in C, and its queues on the device.

use super::{images, models, talks};
use crate::commands::reproduce::text::Text;
use crate::kernels::case::{Contents, DeviceQueue, KernelCase, Kind, Object, Place};
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
    if !case.device_queues.is_empty() {
        c.line(&format!(
            "static cl_command_queue device_queues[{}];",
            case.device_queues.len()
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
                c.line(&format!(
                    "    objects[{n}].buffer = clCreateBuffer(context, {}, {bytes},",
                    flags(object)
                ));
                c.line(&format!(
                    "                                       objects[{n}].model, &code);"
                ));
                c.line("    must(code, \"clCreateBuffer\");");
            }
            Kind::SubBuffer { .. } => {}
            Kind::Image(image) => images::make(n, image, flags(object), c),
            Kind::Pipe { packet, packets } => {
                c.line(&format!("    objects[{n}].buffer = clCreatePipe(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, {packet}, {packets},"));
                c.line("                                     NULL, &code);");
                c.line("    must(code, \"clCreatePipe\");");
            }
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
    for (n, queue) in case.device_queues.iter().enumerate() {
        device_queue(n, *queue, c);
    }
    c.line("    must(code, \"making what a run begins with\");");
    c.line("}");
    c.line("");
}

/// A queue on the device.
fn device_queue(n: usize, queue: DeviceQueue, c: &mut Text) {
    let mut flags = "CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE".to_string();
    if queue.default {
        flags += " | CL_QUEUE_ON_DEVICE_DEFAULT";
    }
    if queue.profiling {
        flags += " | CL_QUEUE_PROFILING_ENABLE";
    }
    let size = queue
        .bytes
        .map_or(String::new(), |bytes| format!("CL_QUEUE_SIZE, {bytes}, "));
    c.line(&format!(
        "    const cl_queue_properties properties_{n}[] = {{"
    ));
    c.line(&format!("        CL_QUEUE_PROPERTIES, {flags}, {size}0"));
    c.line("    };");
    c.line(&format!("    device_queues[{n}] = clCreateCommandQueueWithProperties(context, device, properties_{n}, &code);"));
    c.line("    must(code, \"clCreateCommandQueueWithProperties\");");
}

/// The flags of a buffer or an image.
fn flags(object: &Object) -> &'static str {
    if object.alloc_host {
        "CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR"
    } else {
        "CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR"
    }
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
    for n in case.waited_for() {
        c.line(&format!("    if (events[{n}])"));
        c.line(&format!("        clReleaseEvent(events[{n}]);"));
        c.line(&format!("    events[{n}] = NULL;"));
    }
    for n in 0..case.device_queues.len() {
        c.line(&format!("    clReleaseCommandQueue(device_queues[{n}]);"));
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
pub fn model(case: &KernelCase, at: Place) -> Option<String> {
    models(case).then(|| {
        let Place { object, byte } = case.root(at);
        format!("objects[{}].model + {byte}", object.0)
    })
}
