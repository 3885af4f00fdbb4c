// A kernel's printf and the program's own come in order, and all of it is there when the command
// is complete.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cl_int told = (call);                                                                      \
        if (told != CL_SUCCESS) {                                                                  \
            fprintf(stderr, "%s: %d\n", #call, told);                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const char *SOURCE =
    "kernel void k(int launch) { printf(\"launch %d item %d\\n\", launch, (int)get_global_id(0)); }"
    "kernel void leaves(global int *a) { printf(\"before\\n\"); a[100] = 1; }";

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    CHECK(code);
    size_t one = 1;
    for (int i = 0; i < 3; i++) {
        printf("host %d\n", i);
        CHECK(clSetKernelArg(kernel, 0, sizeof i, &i));
        cl_event event;
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
        CHECK(clWaitForEvents(1, &event));
        CHECK(clReleaseEvent(event));
    }
    // What was printed before a kernel is stopped is not lost.
    cl_kernel leaves = clCreateKernel(program, "leaves", &code);
    CHECK(code);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, &code);
    CHECK(code);
    CHECK(clSetKernelArg(leaves, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(queue, leaves, 1, NULL, &one, NULL, 0, NULL, NULL));
    clFinish(queue);
    // All of it has left the stream: what ends the process now flushes nothing.
    _Exit(0);
}
