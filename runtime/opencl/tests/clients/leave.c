/* Leaves while a command waits and a queue's thread sleeps: neither unloading the library
   nor the end of the process may hang or crash. Argument: the library. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#define CHECK(condition) do { if (!(condition)) { fprintf(stderr, "failed: %s\n", #condition); return 1; } } while (0)
#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name); CHECK(p_##name)
int main(int argc, char **argv) {
    CHECK(argc == 2);
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        CHECK(library);
        LOAD(clGetPlatformIDs); LOAD(clGetDeviceIDs); LOAD(clCreateContext);
        LOAD(clCreateCommandQueueWithProperties); LOAD(clCreateUserEvent);
        LOAD(clEnqueueMarkerWithWaitList); LOAD(clFinish);
        cl_platform_id platform; cl_device_id device; cl_int code;
        CHECK(p_clGetPlatformIDs(1, &platform, NULL) == 0);
        CHECK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == 0);
        cl_context context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        cl_command_queue queue = p_clCreateCommandQueueWithProperties(context, device, NULL, &code);
        CHECK(p_clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL) == 0);
        CHECK(p_clFinish(queue) == 0);
        cl_event never = p_clCreateUserEvent(context, &code);
        CHECK(p_clEnqueueMarkerWithWaitList(queue, 1, &never, NULL) == 0);
        CHECK(dlclose(library) == 0);
    }
    puts("left");
    return 0;
}
