/* What a kernel of a program of commands does: it reads cells and logs what it saw, takes its time,
   and writes its token into cells. A range is (first, count, stride, where): where its cells go in
   the log, or for a write the number of its object's first cell in the object that holds the data. */

#define SEE(from, r)                                                                     \
    for (uint n = 0; n < r.y; n++)                                                       \
        for (uint w = item; w < words; w += items)                                       \
            log[(r.w + n) * words + w] = from[(r.x + n * r.z) * words + w];

#define PUT(to, r)                                                                       \
    for (uint n = 0; n < r.y; n++)                                                       \
        for (uint w = item; w < words; w += items)                                       \
            to[(r.x + n * r.z) * words + w] = token | (r.w + r.x + n * r.z);

#define SPIN                                                                             \
    uint x = token + item;                                                               \
    for (uint n = 0; n < spin; n++)                                                      \
        x = x * 1664525u + 1013904223u;                                                  \
    if (spin && x == 0u)                                                                 \
        log[0] = x;

kernel void work(global const uint *r0, global const uint *r1, global uint *w0, global uint *w1,
                 global uint *log, uint4 a, uint4 b, uint4 c, uint4 d, uint words, uint token,
                 uint spin)
{
    const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    SEE(r0, a)
    SEE(r1, b)
    SPIN
    PUT(w0, c)
    PUT(w1, d)
}

#if defined(__opencl_c_program_scope_global_variables) || \
    (__OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300)
global uint variable[64 * 256];

/* The same where some of the ranges, those of which the bit in which is set, are in the variable. */
kernel void work_variable(global uint *r0, global uint *r1, global uint *w0, global uint *w1,
                          global uint *log, uint4 a, uint4 b, uint4 c, uint4 d, uint words,
                          uint token, uint spin, uint which)
{
    const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
    global uint *p0 = which & 1 ? variable : r0;
    global uint *p1 = which & 2 ? variable : r1;
    global uint *q0 = which & 4 ? variable : w0;
    global uint *q1 = which & 8 ? variable : w1;
    SEE(p0, a)
    SEE(p1, b)
    SPIN
    PUT(q0, c)
    PUT(q1, d)
}
#endif
