"""Adds two vectors with pyopencl. Run by hand:

    OCL_ICD_VENDORS=<directory with touchstone.icd> python pyopencl_vector_add.py
"""

import numpy as np
import pyopencl as cl
import pyopencl.array as array

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
print(context.devices[0].platform.version, "|", context.devices[0].name)

a = np.random.default_rng(1).random(50_000, dtype=np.float32)
b = np.random.default_rng(2).random(50_000, dtype=np.float32)
flags = cl.mem_flags
da = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
db = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
dc = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)

program = cl.Program(
    context,
    """
    __kernel void add(__global const float *a, __global const float *b, __global float *c)
    {
        int i = get_global_id(0);
        c[i] = a[i] + b[i];
    }
    """,
).build()
event = program.add(queue, a.shape, None, da, db, dc)
c = np.empty_like(a)
cl.enqueue_copy(queue, c, dc)
assert np.array_equal(c, a + b)
assert event.profile.queued <= event.profile.submit <= event.profile.start <= event.profile.end
print("vector add: ok,", (event.profile.end - event.profile.start) / 1e6, "ms")

# The same through pyopencl's own kernels.
x = array.to_device(queue, a)
y = array.to_device(queue, b)
assert np.allclose((x + 2 * y).get(), a + 2 * b)
print("array arithmetic: ok")
