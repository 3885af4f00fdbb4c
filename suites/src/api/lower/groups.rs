//! The largest work-group that a kernel may have, and the local memory that it says it uses.

use super::*;

impl Lowering {
    /// A kernel that declares so many words of local memory, launched with as many work-items in its one work-group as
    /// it may have: "CL_KERNEL_WORK_GROUP_SIZE will be less than or equal to CL_DEVICE_MAX_WORK_GROUP_SIZE for a given
    /// kernel object".
    pub(super) fn whole_group(&mut self, place: Place, words: u8) {
        let source = format!(
            "kernel void met(global ulong *to) {{
    local uint room[{words}];
    local uint count;
    uint n = get_local_id(0);
    if (n == 0) count = 0;
    for (uint i = n; i < {words}u; i += get_local_size(0)) room[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (room[n % {words}u] == n % {words}u) atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n == 0) {{ to[0] = count; to[1] = get_local_size(0); }}
}}
"
        );
        let program = self.own_program(place, source);
        let (kernel, queue, to) = (
            self.own("kernel", SlotKind::Kernel),
            self.own("queue", SlotKind::Queue),
            self.own("met", SlotKind::Memory),
        );
        self.step(super::queue(place, queue));
        self.step(buffer(place.context, to));
        self.step(Call::kernel(program, "met", kernel));
        self.step(Call::object_argument(kernel, 0, to));
        let [group, local] =
            [cl::CL_KERNEL_WORK_GROUP_SIZE, cl::CL_KERNEL_LOCAL_MEM_SIZE].map(|name| {
                let answer = self.builder.answer();
                let of = values![kernel, place.device, name];
                self.step(Call::ask(Function::GetKernelWorkGroupInfo, of, 8, answer));
                answer
            });
        let name = cl::CL_DEVICE_MAX_WORK_GROUP_SIZE.into();
        let (step, most) = self.ask(Function::GetDeviceInfo, place.device, name, 8);
        self.steps.push(step);
        let says = "CL_KERNEL_WORK_GROUP_SIZE is larger than CL_DEVICE_MAX_WORK_GROUP_SIZE";
        self.must(says, That::NotAfter(group, most));
        let least = 4 * (i64::from(words) + 1);
        let says = "CL_KERNEL_LOCAL_MEM_SIZE is {}, less than what the kernel declares";
        self.must(says, That::Number(local, Right::Between(least, i64::MAX)));
        let sizes = || Value::Answered(group);
        let of = values![kernel, 1, Value::Null, sizes(), sizes()];
        let launched = self.own_event("launched");
        let mut launch = Call::enqueue(
            Function::EnqueueNDRangeKernel,
            queue,
            of,
            &[],
            Some(launched),
        );
        // The first of CL_DEVICE_MAX_WORK_ITEM_SIZES may be less.
        let item_size = cl::CL_INVALID_WORK_ITEM_SIZE.value() as i32;
        launch.expect.codes.push(item_size);
        self.step(launch);
        for byte in [0, 8] {
            let answer = self.builder.answer();
            let read = values![to, true, byte, 8, Value::Answer(answer, 8)];
            // Of what was not launched nothing is read.
            let call = Call::enqueue(Function::EnqueueReadBuffer, queue, read, &[launched], None);
            self.step(call);
            let says = "the work-items of a work-group of CL_KERNEL_WORK_GROUP_SIZE are others than so many";
            self.must(says, That::NotAfter(answer, group));
            self.must(says, That::NotAfter(group, answer));
        }
        self.release([launched, kernel, program, to, queue]);
    }
}
