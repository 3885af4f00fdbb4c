#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TWICE(x) ((x) + (x))
#define JOINED(a, b) a##b
#define TEXT(x) #x
#define ALL(first, ...) first(__VA_ARGS__)
#if defined(__OPENCL_VERSION__) && __OPENCL_VERSION__ >= 120 && !defined(ABSENT)
#define HERE 1
#elif 0
#error never
#else
#define HERE 0
#endif

typedef struct pair { int first; float second[3]; char rest; } pair_t;
typedef union { uint bits; float number; uchar4 bytes; } word_t;
enum colour { red, green = 5, blue };
struct __attribute__((packed)) small { char tag; long value; };
constant int table[4] = { 1, -2, 3, 0x7fffffff };
constant float4 lights = (float4)(1.0f, 2.0e3f, .5f, 0x1p-3f);
global int counter = 7;

int gcd_of(int a, int b);
int gcd(int a, int b) { return b == 0 ? a : gcd_of(b, a); }
int gcd_of(int a, int b) { while (a % b != 0) { int rest = a % b; a = b; b = rest; } return b; }
float norm(const pair_t *p) { return sqrt(p->second[0] * p->second[0] + fabs(p->second[1])); }
static inline uint mixed(uint seed) { seed ^= seed << 13; seed ^= seed >> 17; return seed ^ (seed << 5); }

kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void sums(global const int *in, global int *out, local int *scratch, const int count) {
    size_t id = get_global_id(0), me = get_local_id(0);
    scratch[me] = id < (size_t)count ? in[id] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t by = get_local_size(0) / 2; by > 0; by >>= 1) {
        if (me < by) scratch[me] += scratch[me + by];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0) atomic_add(&out[get_group_id(0)], scratch[0]);
}

kernel void vectors(global float4 *a, global const uchar16 *b, double factor) {
    int4 t = (int4)(1, 2, 3, TWICE(4));
    float4 v = a[get_global_id(0)].wzyx;
    v.xy = v.hi * (float2)(factor) + convert_float2_rte(t.even);
    v.s3 = dot(v, lights) < 1 ? NAN : half_exp(v.x);
    uchar16 low = b[0];
    ushort8 wide = convert_ushort8_sat(as_short8(low));
    a[get_global_id(0)] = select(v, (float4)(wide.s0, wide.s7, 1, 2), isless(v, (float4)(0.5f)));
    vstore4(v, 1, (global float *)a);
    vstore_half(v.x, 0, (global half *)a);
}

kernel void control(global long *out, word_t given, struct small other) {
    private pair_t pairs[2] = { { .first = 3, .second = { 1, 2 } }, { 4 } };
    enum colour chosen = given.bits & 1 ? red : blue;
    int sum = 0;
    do { sum += table[sum & 3] * (HERE ? 2 : 3); if (sum > 40) break; else if (sum < -40) continue; } while (++sum < 30);
    switch (sum % 7) {
    case 0: case 1: out[0] = sizeof(pair_t); break;
    case green: out[1] = chosen; /* falls on */
    default: for (int i = 0, j = 9; i < j; i++, --j) out[i] ^= (long)mixed(i) << j;
    }
    global long *end = out + 4;
    *--end = norm(&pairs[1]) + other.value + JOINED(sum, ) - gcd_of(12, 18);
    out[3] = atomic_fetch_add_explicit((volatile global atomic_int *)&counter, 1, memory_order_acq_rel, memory_scope_device);
    printf("%d %s %v4hlf\n", sum, TEXT(sum), lights);
}

kernel void images(read_only image2d_t from, write_only image2d_t to, sampler_t given) {
    const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = read_imagef(from, own, at) + read_imagef(from, given, convert_float2(at));
    write_imagef(to, at, min(pixel, (float4)(1)));
}

kernel void groups(global uint *out) {
    uint me = get_sub_group_local_id();
    out[get_global_id(0)] = sub_group_reduce_add(me) + work_group_scan_inclusive_max(me);
    event_t copied = async_work_group_copy((local uint *)0, out, 0, 0);
    wait_group_events(1, &copied);
    void (^block)(int) = ^(int n) { out[n] = n; };
    block(3);
}
