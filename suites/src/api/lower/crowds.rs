//! Kernels with as many arguments of a sort as every device takes.

use super::*;
use crate::api::listed::Sort;

impl Sort {
    /// The parameter with this number, and what a work-item does about it.
    fn parameter(self, n: usize) -> [String; 2] {
        match self {
            Sort::Constants => [format!("constant uint *a{n}"), format!("out[{n}] = *a{n};")],
            Sort::Samplers => {
                let read = format!("read_imageui(image, a{n}, (int2)(-1, 0))");
                [format!("sampler_t a{n}"), format!("out[{n}] = {read}.x;")]
            }
            Sort::ReadImages => {
                let read = format!("read_imageui(a{n}, (int2)(0, 0))");
                let parameter = format!("read_only image2d_t a{n}");
                [parameter, format!("out[{n}] = {read}.x;")]
            }
            Sort::WrittenImages => {
                let parameter = format!("write_only image2d_t a{n}");
                let value = value(n);
                let write =
                    format!("write_imageui(a{n}, (int2)(0, 0), (uint4)({value}, 0, 0, 1));");
                [parameter, write]
            }
        }
    }
}

/// What the argument with this number is about.
fn value(n: usize) -> usize {
    n * 3 + 1
}

/// The value of the one element of the image that all samplers are for.
const ELEMENT: u32 = 77;

/// Whether a sampler clamps to the edge, and so sees that element beside the image.
fn to_edge(n: usize) -> bool {
    n % 3 == 1
}

impl Lowering {
    /// A kernel with so many arguments of a sort, and what it makes of each.
    pub(super) fn crowd(&mut self, place: Place, sort: Sort) {
        let most = sort.most();
        let parts: Vec<_> = (0..most).map(|n| sort.parameter(n)).collect();
        let list: Vec<&str> = parts
            .iter()
            .map(|[parameter, _]| parameter.as_str())
            .collect();
        let body: Vec<&str> = parts.iter().map(|[_, work]| work.as_str()).collect();
        // Samplers are for an image of their own.
        let has_image = sort == Sort::Samplers;
        let image = if has_image {
            "read_only image2d_t image, "
        } else {
            ""
        };
        let source = format!(
            "kernel void crowd(global uint *out, {image}{}) {{\n    {}\n}}\n",
            list.join(", "),
            body.join("\n    ")
        );
        let (queue, kernel, out) = (
            self.own("queue", SlotKind::Queue),
            self.own("kernel", SlotKind::Kernel),
            self.own("out", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        self.step(buffer(place.context, out));
        let program = self.own_program(place, source);
        self.step(Call::kernel(program, "crowd", kernel));
        self.step(Call::object_argument(kernel, 0, out));
        let image = has_image.then(|| self.element(place, ELEMENT));
        if let Some(image) = image {
            self.step(Call::object_argument(kernel, 1, image));
        }
        let first = 1 + u32::from(has_image);
        let own: Vec<Slot> = (0..most).map(|n| self.member(place, sort, n)).collect();
        // The last ones first, for nothing says in which order they are set.
        for n in (0..most).rev() {
            self.step(Call::object_argument(kernel, first + n as u32, own[n]));
        }
        self.step(Call::launch(queue, kernel, 1, &[], None));
        let wanted = |n: usize| match sort {
            Sort::Samplers if to_edge(n) => ELEMENT,
            Sort::Samplers | Sort::WrittenImages => 0,
            Sort::Constants | Sort::ReadImages => value(n) as u32,
        };
        let says = "what a kernel makes of as many arguments of a sort as a device takes";
        let words = (0..most).map(wanted).collect();
        self.holds(queue, out, words, says);
        if sort == Sort::WrittenImages {
            for (n, image) in own.iter().enumerate() {
                self.is_element(queue, *image, value(n) as u32);
            }
        }
        for object in own.into_iter().chain(image) {
            self.release([object]);
        }
        self.release([kernel, program, out, queue]);
    }

    /// An argument of a sort.
    fn member(&mut self, place: Place, sort: Sort, n: usize) -> Slot {
        match sort {
            Sort::Constants => {
                let memory = self.own("constant", SlotKind::Memory);
                let flags = Value::Flags(vec![cl::CL_MEM_READ_ONLY, cl::CL_MEM_COPY_HOST_PTR]);
                let bytes = Value::Bytes((value(n) as u32).to_ne_bytes().to_vec());
                let arguments = values![place.context, flags, 4, bytes];
                self.step(Call::new(Function::CreateBuffer, arguments).makes(memory));
                memory
            }
            Sort::Samplers => {
                let sampler = self.own("sampler", SlotKind::Sampler);
                let addressing = match to_edge(n) {
                    true => cl::CL_ADDRESS_CLAMP_TO_EDGE,
                    false => cl::CL_ADDRESS_CLAMP,
                };
                let (normalized, filter) = (Constant::FALSE, cl::CL_FILTER_NEAREST);
                let arguments = values![place.context, normalized, addressing, filter];
                self.step(Call::new(Function::CreateSampler, arguments).makes(sampler));
                sampler
            }
            Sort::ReadImages | Sort::WrittenImages => self.element(place, value(n) as u32),
        }
    }

    /// An image of one element, of which red has this value.
    fn element(&mut self, place: Place, red: u32) -> Slot {
        let image = self.own("element", SlotKind::Memory);
        let flags = Value::Flags(vec![cl::CL_MEM_READ_WRITE, cl::CL_MEM_COPY_HOST_PTR]);
        let shape = cl::CL_MEM_OBJECT_IMAGE2D;
        let members = values![shape, 1, 1, 0, 0, 0, 0, 0, 0, Value::Null];
        let host = Value::Bytes(vec![red as u8, 0, 0, 0]);
        self.step(super::image(place.context, flags, members, host, image));
        image
    }

    /// What is in an image of one element that a kernel wrote.
    fn is_element(&mut self, queue: Slot, image: Slot, red: u32) {
        let answer = self.builder.answer();
        let (origin, region) = (Value::sizes([0; 3]), Value::sizes([1; 3]));
        let read = values![image, true, origin, region, 0, 0, Value::Answer(answer, 4)];
        let function = Function::EnqueueReadImage;
        self.step(Call::enqueue(function, queue, read, &[], None));
        let right = Right::Among(vec![i64::from(
            u32::from_ne_bytes([red as u8, 0, 0, 1]) as i32
        )]);
        let says = "one of as many images as a kernel may write holds {}";
        self.must(says, That::Number(answer, right));
    }
}
