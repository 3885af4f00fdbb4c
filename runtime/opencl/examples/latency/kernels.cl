// What the measurements of kernels run.

kernel void add(global const float *x, global const float *y, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = x[i] + y[i];
}

// One tile of 16 by 16 a work-group.
kernel void multiply(global const float *a, global const float *b, global float *out)
{
    local float left[16][16], right[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1), n = get_global_size(0);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 16) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + column] = sum;
}

// A halving loop with barriers.
kernel void halve(global const float *x, global const float *y, global float *out)
{
    local float part[256];
    int l = get_local_id(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 128; n > 0; n /= 2) {
        if (l < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

#ifdef __opencl_c_work_group_collective_functions
kernel void reduce(global const float *x, global const float *y, global float *out)
{
    float sum = work_group_reduce_add(x[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}
#endif

kernel void histogram(global const uchar *x, global const float *y, global uint *out)
{
    local uint bins[256];
    bins[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++)
        atomic_inc(&bins[x[get_group_id(0) * 4096 + i * 256 + get_local_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[get_local_id(0)], bins[get_local_id(0)]);
}

kernel void bodies(global const float4 *x, global const float *y, global float4 *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    float4 me = x[i];
    float3 pull = 0.0f;
    for (int k = 0; k < n; k++) {
        float4 other = x[k];
        float3 d = other.xyz - me.xyz;
        float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        pull += d * (other.w * r * r * r);
    }
    out[i] = (float4)(me.xyz + pull * 1e-3f, me.w);
}

kernel void mandelbrot(global const float *x, global const float *y, global int *out)
{
    float cr = get_global_id(0) * 3.0f / get_global_size(0) - 2.0f;
    float ci = get_global_id(1) * 2.0f / get_global_size(1) - 1.0f;
    float zr = 0.0f, zi = 0.0f;
    int n = 0;
    while (n < 256 && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}

// The mean of each pixel and its four neighbours.
kernel void stencil(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = read_imagef(from, nearest, at);
    sum += read_imagef(from, nearest, at + (int2)(1, 0));
    sum += read_imagef(from, nearest, at - (int2)(1, 0));
    sum += read_imagef(from, nearest, at + (int2)(0, 1));
    sum += read_imagef(from, nearest, at - (int2)(0, 1));
    write_imagef(to, at, sum * 0.2f);
}
