/* Adds two vectors with OpenCL, as a C program of thirty lines would. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#define CHECK(call) do { cl_int told = (call); if (told) { fprintf(stderr, "%s: %d\n", #call, told); return 1; } } while (0)
static const char *source =
    "kernel void add(global const float *a, global const float *b, global float *c) {"
    " size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";
int main(void) {
    enum { N = 1000 };
    float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) { a[i] = i; b[i] = 2 * i; c[i] = -1; }
    cl_platform_id platform; cl_device_id device; cl_int code;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code); CHECK(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code); CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code); CHECK(code);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &code); CHECK(code);
    cl_mem da = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &code); CHECK(code);
    cl_mem db = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof b, b, &code); CHECK(code);
    cl_mem dc = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &code); CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof da, &da));
    CHECK(clSetKernelArg(kernel, 1, sizeof db, &db));
    CHECK(clSetKernelArg(kernel, 2, sizeof dc, &dc));
    size_t global = N;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < N; i++) if (c[i] != 3 * i) { fprintf(stderr, "c[%d] = %f\n", i, c[i]); return 1; }
    CHECK(clReleaseMemObject(da)); CHECK(clReleaseMemObject(db)); CHECK(clReleaseMemObject(dc));
    CHECK(clReleaseKernel(kernel)); CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue)); CHECK(clReleaseContext(context));
    puts("vector add: ok");
    return 0;
}
