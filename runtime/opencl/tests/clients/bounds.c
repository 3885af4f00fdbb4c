/* Provokes what kernels may not do, one after another in one process, and checks after each that
   its command failed with a message and that the next kernel runs. Arguments: the library; `leave`
   to end the process while a kernel waits for ever instead. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define CHECK(condition) do { if (!(condition)) { fprintf(stderr, "failed: %s (%s)\n", #condition, current); return 1; } } while (0)
#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name); CHECK(p_##name)

static const char *current = "start";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static char message[1000];

static void CL_CALLBACK note(const char *text, const void *info, size_t size, void *data) {
    (void)info; (void)size; (void)data;
    pthread_mutex_lock(&mutex);
    strncpy(message, text, sizeof message - 1);
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&mutex);
}

static const char *source =
    "kernel void good(global int *p, ulong n) { p[n] += 1; }"
    "kernel void past_end(global int *p, ulong n) { p[n + 4] = 1; }"
    "kernel void far_away(global int *p, ulong n) { p[n + (1ul << 40)] = 1; }"
    "kernel void before(global int *p, ulong n) { p[n - 1] = 1; }"
    "kernel void null(global int *p, ulong n) { p = 0; p[n] = 1; }"
    "kernel void wild(global int *p, ulong n) { *(global int *)(0x123456789000ul + n) = 1; }"
    "kernel void misaligned(global int *p, ulong n) { atomic_inc((volatile global int *)((global char *)p + n + 1)); }"
    "kernel void constant_write(global int *p, ulong n) { constant int *c = (constant int *)0; p[n] = c[n]; }"
    "kernel void divide(global int *p, ulong n) { p[n] = 5 / (int)n; }"
    "kernel void modulo(global int *p, ulong n) { p[n] = 5u % (uint)n; }"
    "kernel void own_array(global int *p, ulong n) { int a[8]; a[n + 8] = 1; p[n] = a[0]; }"
    "kernel void endless(global int *p, ulong n) { while (1) p[n] = 1; }"
    "kernel void waits(volatile global int *p, ulong n) { while (p[n + 3] == 0); }"
    "kernel void counts(global int *p, ulong n) { ulong i = 1; while (i != n) i += 2; p[n] = (int)i; }";

static const char *faults[] = { "past_end", "far_away", "before", "null", "wild", "misaligned",
    "constant_write", "divide", "modulo", "own_array", "endless", "waits", "counts" };

static const char *waiting =
    "kernel void wait_for_ever(global atomic_int *flag) { while (atomic_load(flag) == 0); }";

int main(int argc, char **argv) {
    CHECK(argc >= 2);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    LOAD(clGetPlatformIDs); LOAD(clGetDeviceIDs); LOAD(clGetDeviceInfo); LOAD(clCreateContext);
    LOAD(clCreateCommandQueueWithProperties); LOAD(clCreateProgramWithSource); LOAD(clBuildProgram);
    LOAD(clCreateKernel); LOAD(clSetKernelArg); LOAD(clSetKernelArgSVMPointer); LOAD(clCreateBuffer);
    LOAD(clEnqueueNDRangeKernel); LOAD(clWaitForEvents); LOAD(clGetEventInfo); LOAD(clReleaseEvent);
    LOAD(clEnqueueReadBuffer); LOAD(clReleaseKernel); LOAD(clReleaseProgram); LOAD(clFlush);
    LOAD(clReleaseMemObject); LOAD(clReleaseCommandQueue); LOAD(clReleaseContext); LOAD(clSVMAlloc);
    cl_platform_id platform; cl_device_id device; cl_int code; cl_event event;
    CHECK(p_clGetPlatformIDs(1, &platform, NULL) == 0);
    CHECK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == 0);
    cl_context context = p_clCreateContext(NULL, 1, &device, note, NULL, &code); CHECK(code == 0);
    cl_command_queue queue = p_clCreateCommandQueueWithProperties(context, device, NULL, &code); CHECK(code == 0);
    const size_t one = 1;
    if (argc > 2) {
        cl_program program = p_clCreateProgramWithSource(context, 1, &waiting, NULL, &code); CHECK(code == 0);
        CHECK(p_clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL) == 0);
        cl_kernel kernel = p_clCreateKernel(program, "wait_for_ever", &code); CHECK(code == 0);
        cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        int *flag = p_clSVMAlloc(context, flags, sizeof *flag, 0); CHECK(flag);
        *flag = 0;
        CHECK(p_clSetKernelArgSVMPointer(kernel, 0, flag) == 0);
        CHECK(p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event) == 0);
        CHECK(p_clFlush(queue) == 0);
        cl_int status = CL_QUEUED;
        while (status > CL_RUNNING)
            CHECK(p_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == 0);
        CHECK(p_clReleaseEvent(event) == 0); CHECK(p_clReleaseKernel(kernel) == 0);
        CHECK(p_clReleaseProgram(program) == 0); CHECK(p_clReleaseCommandQueue(queue) == 0);
        CHECK(p_clReleaseContext(context) == 0);
        puts("left");
        return 0;
    }
    cl_program program = p_clCreateProgramWithSource(context, 1, &source, NULL, &code); CHECK(code == 0);
    CHECK(p_clBuildProgram(program, 1, &device, "", NULL, NULL) == 0);
    int start[4] = { 0 }, found[4], survived = 0;
    cl_mem buffer = p_clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof start, start, &code); CHECK(code == 0);
    cl_kernel good = p_clCreateKernel(program, "good", &code); CHECK(code == 0);
    cl_ulong n = 0;
    CHECK(p_clSetKernelArg(good, 0, sizeof buffer, &buffer) == 0);
    CHECK(p_clSetKernelArg(good, 1, sizeof n, &n) == 0);
    cl_device_svm_capabilities svm;
    CHECK(p_clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) == 0);
    int has_system = (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
    int count = sizeof faults / sizeof *faults;
    for (int i = 0; i <= count; i++) {
        /* The last is a page of the process that may not be written. */
        current = i < count ? faults[i] : "protected page";
        cl_kernel kernel = p_clCreateKernel(program, i < count ? faults[i] : "good", &code); CHECK(code == 0);
        void *page = NULL;
        if (i < count)
            CHECK(p_clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == 0);
        else if (has_system) {
            page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); CHECK(page != MAP_FAILED);
            CHECK(p_clSetKernelArgSVMPointer(kernel, 0, page) == 0);
        } else
            CHECK(p_clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL) == 0);
        CHECK(p_clSetKernelArg(kernel, 1, sizeof n, &n) == 0);
        message[0] = 0;
        CHECK(p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event) == 0);
        CHECK(p_clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_int status = 1;
        CHECK(p_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == 0);
        CHECK(status < 0);
        CHECK(p_clReleaseEvent(event) == 0);
        pthread_mutex_lock(&mutex);
        while (!message[0]) pthread_cond_wait(&told, &mutex);
        printf("%s: %d: %s\n", current, status, message);
        pthread_mutex_unlock(&mutex);
        CHECK(strstr(message, i < count ? faults[i] : "good"));
        CHECK(p_clReleaseKernel(kernel) == 0);
        if (page) munmap(page, 4096);
        CHECK(p_clEnqueueNDRangeKernel(queue, good, 1, NULL, &one, NULL, 0, NULL, NULL) == 0);
        CHECK(p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == 0);
        CHECK(found[3] == 0);
        survived++;
    }
    CHECK(p_clReleaseKernel(good) == 0); CHECK(p_clReleaseProgram(program) == 0);
    CHECK(p_clReleaseMemObject(buffer) == 0); CHECK(p_clReleaseCommandQueue(queue) == 0);
    CHECK(p_clReleaseContext(context) == 0);
    printf("survived %d faults\n", survived);
    return 0;
}
