/* Behaviours that OpenCL programs rely on, checked on whatever implementation it is linked with:
   commands and events, profiling, shared virtual memory, buffers, queries. Each check runs in a
   process of its own with a time limit. Prints "pass|fail|skip NAME [why]" for each; exits with 1
   if one fails. With names as arguments only these run. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the check at once: what an implementation does at exit with work pending is not asked here. */
#define END(code) do { fflush(stdout); _exit(code); } while (0)
#define FAIL(...) do { printf(__VA_ARGS__); printf(" (line %d)\n", __LINE__); END(1); } while (0)
#define CHECK(condition) do { if (!(condition)) FAIL("not so: %s", #condition); } while (0)
#define IS(call, code) do { cl_int is_ = (call); if (is_ != (code)) FAIL("%s gives %d, not %s", #call, is_, #code); } while (0)
#define OK(call) IS(call, CL_SUCCESS)
#define SKIP(why) do { printf("%s\n", why); END(77); } while (0)

static cl_platform_id platform;
static cl_device_id device, devices[16];
static cl_uint device_count;
static cl_context context;
static cl_int code;

static cl_ulong device_number(cl_device_info name, size_t size) {
    cl_ulong value = 0;
    OK(clGetDeviceInfo(device, name, size, &value, NULL));
    return value;
}

static cl_command_queue new_queue(cl_command_queue_properties properties) {
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &code);
    OK(code);
    return queue;
}

static cl_mem new_buffer(size_t size) {
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
    OK(code);
    return buffer;
}

static cl_kernel new_kernel(const char *source, const char *name, const char *options) {
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    if (clBuildProgram(program, 0, NULL, options, NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        FAIL("the build fails: %s", log);
    }
    cl_kernel kernel = clCreateKernel(program, name, &code);
    OK(code);
    OK(clReleaseProgram(program));
    return kernel;
}

static cl_event new_user_event(void) {
    cl_event event = clCreateUserEvent(context, &code);
    OK(code);
    return event;
}

static cl_int status_of(cl_event event) {
    cl_int status = 99;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* The newest version of the language: OpenCL C 3.0 on devices of 3.0 and later, which need not have 2.0. */
static const char *newest(void) {
    char version[256] = "";
    OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    return atoi(version + strlen("OpenCL ")) >= 3 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
}

static int has_svm(cl_device_svm_capabilities kind) {
    return (device_number(CL_DEVICE_SVM_CAPABILITIES, sizeof(cl_device_svm_capabilities)) & kind) != 0;
}

static int out_of_order(void) {
    return (device_number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

/* ---- One command of each kind ------------------------------------------------------------- */

struct place {
    cl_command_queue queue;
    cl_mem a, b;
    cl_kernel kernel;
    unsigned char host[4096];
    void *map, *svm;
};

static void CL_CALLBACK native(void *args) { (void)args; }

static const size_t origin[3] = {0, 0, 0}, region[3] = {16, 4, 1};
static const char *const fill_source = "kernel void k(global int *p) { p[get_global_id(0)] = 3; }";

static struct place new_place(cl_command_queue queue) {
    struct place p = {.queue = queue, .a = new_buffer(4096), .b = new_buffer(4096)};
    p.kernel = new_kernel(fill_source, "k", "");
    OK(clSetKernelArg(p.kernel, 0, sizeof(cl_mem), &p.a));
    p.map = clEnqueueMapBuffer(queue, p.b, CL_TRUE, CL_MAP_READ, 0, 4096, 0, NULL, NULL, &code);
    OK(code);
    p.svm = has_svm(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) ? clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0) : NULL;
    return p;
}

#define KINDS 21
static const cl_command_type kind_types[KINDS] = {
    CL_COMMAND_READ_BUFFER, CL_COMMAND_WRITE_BUFFER, CL_COMMAND_COPY_BUFFER, CL_COMMAND_FILL_BUFFER,
    CL_COMMAND_READ_BUFFER_RECT, CL_COMMAND_WRITE_BUFFER_RECT, CL_COMMAND_COPY_BUFFER_RECT,
    CL_COMMAND_MAP_BUFFER, CL_COMMAND_UNMAP_MEM_OBJECT, CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_NATIVE_KERNEL,
    CL_COMMAND_MARKER, CL_COMMAND_BARRIER, CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_COMMAND_SVM_MEMCPY,
    CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MAP, CL_COMMAND_SVM_UNMAP, CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_FREE,
    CL_COMMAND_TASK,
};

/* Enqueues one; 0 if the implementation has not this kind. */
static int enqueue(struct place *p, int kind, cl_uint count, const cl_event *list, cl_event *event) {
    static const size_t one = 1;
    static const cl_int pattern = 5;
    char word[8] = "";
    void *svm = (char *)p->svm + 1024;
    if (kind >= 14 && kind <= 19 && !p->svm) return 0;
    switch (kind_types[kind]) {
    case CL_COMMAND_READ_BUFFER: OK(clEnqueueReadBuffer(p->queue, p->a, CL_FALSE, 0, 64, p->host, count, list, event)); break;
    case CL_COMMAND_WRITE_BUFFER: OK(clEnqueueWriteBuffer(p->queue, p->a, CL_FALSE, 0, 64, p->host, count, list, event)); break;
    case CL_COMMAND_COPY_BUFFER: OK(clEnqueueCopyBuffer(p->queue, p->a, p->a, 0, 2048, 64, count, list, event)); break;
    case CL_COMMAND_FILL_BUFFER: OK(clEnqueueFillBuffer(p->queue, p->a, &pattern, 4, 0, 64, count, list, event)); break;
    case CL_COMMAND_READ_BUFFER_RECT: OK(clEnqueueReadBufferRect(p->queue, p->a, CL_FALSE, origin, origin, region, 32, 0, 16, 0, p->host, count, list, event)); break;
    case CL_COMMAND_WRITE_BUFFER_RECT: OK(clEnqueueWriteBufferRect(p->queue, p->a, CL_FALSE, origin, origin, region, 32, 0, 16, 0, p->host, count, list, event)); break;
    case CL_COMMAND_COPY_BUFFER_RECT: { size_t to[3] = {0, 64, 0}; OK(clEnqueueCopyBufferRect(p->queue, p->a, p->a, origin, to, region, 32, 0, 32, 0, count, list, event)); break; }
    case CL_COMMAND_MAP_BUFFER: clEnqueueMapBuffer(p->queue, p->a, CL_FALSE, CL_MAP_READ, 0, 64, count, list, event, &code); OK(code); break;
    case CL_COMMAND_UNMAP_MEM_OBJECT: OK(clEnqueueUnmapMemObject(p->queue, p->b, p->map, count, list, event)); break;
    case CL_COMMAND_NDRANGE_KERNEL: OK(clEnqueueNDRangeKernel(p->queue, p->kernel, 1, NULL, &one, NULL, count, list, event)); break;
    case CL_COMMAND_NATIVE_KERNEL:
        if (!(device_number(CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(cl_device_exec_capabilities)) & CL_EXEC_NATIVE_KERNEL)) return 0;
        OK(clEnqueueNativeKernel(p->queue, native, word, sizeof word, 0, NULL, NULL, count, list, event)); break;
    case CL_COMMAND_MARKER: OK(clEnqueueMarkerWithWaitList(p->queue, count, list, event)); break;
    case CL_COMMAND_BARRIER: OK(clEnqueueBarrierWithWaitList(p->queue, count, list, event)); break;
    case CL_COMMAND_MIGRATE_MEM_OBJECTS: OK(clEnqueueMigrateMemObjects(p->queue, 1, &p->a, 0, count, list, event)); break;
    case CL_COMMAND_SVM_MEMCPY: OK(clEnqueueSVMMemcpy(p->queue, CL_FALSE, p->svm, p->host, 64, count, list, event)); break;
    case CL_COMMAND_SVM_MEMFILL: OK(clEnqueueSVMMemFill(p->queue, p->svm, &pattern, 4, 64, count, list, event)); break;
    case CL_COMMAND_SVM_MAP: OK(clEnqueueSVMMap(p->queue, CL_FALSE, CL_MAP_WRITE, p->svm, 4096, count, list, event)); break;
    case CL_COMMAND_SVM_UNMAP: OK(clEnqueueSVMUnmap(p->queue, p->svm, count, list, event)); break;
    case CL_COMMAND_SVM_MIGRATE_MEM: { const void *at = svm; OK(clEnqueueSVMMigrateMem(p->queue, 1, &at, NULL, 0, count, list, event)); break; }
    case CL_COMMAND_SVM_FREE: OK(clEnqueueSVMFree(p->queue, 1, &p->svm, NULL, NULL, count, list, event)); p->svm = NULL; break;
    case CL_COMMAND_TASK: OK(clEnqueueTask(p->queue, p->kernel, count, list, event)); break;
    default: return 0;
    }
    return 1;
}

/* ---- Events ------------------------------------------------------------------------------- */

/* A command waits for its list, whatever it is, and says what it is. */
static void waitlists(void) {
    for (int in_order = 0; in_order < 2; in_order++) {
        if (!in_order && !out_of_order()) continue;
        cl_command_queue queue = new_queue(in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        struct place p = new_place(queue);
        for (int kind = 0; kind < KINDS; kind++) {
            cl_event gates[2] = {new_user_event(), new_user_event()}, event = NULL;
            if (!enqueue(&p, kind, 2, gates, &event)) continue;
            OK(clFlush(queue));
            usleep(2000);
            if (status_of(event) < CL_SUBMITTED) FAIL("command %x runs before its list", kind_types[kind]);
            OK(clSetUserEventStatus(gates[1], CL_COMPLETE));
            usleep(1000);
            if (status_of(event) < CL_SUBMITTED) FAIL("command %x runs before the first of its list", kind_types[kind]);
            OK(clSetUserEventStatus(gates[0], CL_COMPLETE));
            OK(clWaitForEvents(1, &event));
            CHECK(status_of(event) == CL_COMPLETE);
            cl_command_type type = 0;
            cl_command_queue its = NULL;
            cl_context where = NULL;
            OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof its, &its, NULL));
            OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof where, &where, NULL));
            if (type != kind_types[kind]) FAIL("command %x says it is %x", kind_types[kind], type);
            CHECK(its == queue && where == context);
            OK(clReleaseEvent(event));
            OK(clReleaseEvent(gates[0]));
            OK(clReleaseEvent(gates[1]));
        }
        OK(clFinish(queue));
    }
}

/* Each command's times, in their order; none without profiling. */
static void profiling(void) {
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
    cl_command_queue queue = new_queue(CL_QUEUE_PROFILING_ENABLE), plain = new_queue(0);
    struct place p = new_place(queue);
    for (int kind = 0; kind < KINDS; kind++) {
        cl_event event = NULL;
        if (!enqueue(&p, kind, 0, NULL, &event)) continue;
        OK(clWaitForEvents(1, &event));
        cl_ulong last = 1;
        for (int i = 0; i < 5; i++) {
            cl_ulong time = 0;
            OK(clGetEventProfilingInfo(event, names[i], sizeof time, &time, NULL));
            if (time < last) FAIL("command %x: time %d is before the one before it", kind_types[kind], i);
            last = time;
        }
        OK(clReleaseEvent(event));
    }
    cl_ulong time;
    cl_event event;
    OK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    IS(clGetEventProfilingInfo(event, names[0], sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_event gate = new_user_event();
    IS(clGetEventProfilingInfo(gate, names[0], sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &event));
    IS(clGetEventProfilingInfo(event, names[3], sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
}

static void user_event_rules(void) {
    cl_event event = new_user_event();
    CHECK(status_of(event) == CL_SUBMITTED);
    IS(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    IS(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
    cl_command_queue none = (cl_command_queue)1;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof none, &none, NULL));
    CHECK(none == NULL);
    cl_command_type type;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK(type == CL_COMMAND_USER);
    cl_event marker;
    OK(clEnqueueMarkerWithWaitList(new_queue(0), 0, NULL, &marker));
    IS(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
}

/* "A negative integer value causes all enqueued commands that wait on this user event to be
   terminated", and what waits for those cannot run. Once a command has been terminated, what other
   calls on its context do is implementation-defined, so nothing else is asked. */
static void failures_propagate(void) {
    cl_command_queue first = new_queue(0), second = new_queue(0);
    cl_event gate = new_user_event(), a, b;
    OK(clEnqueueMarkerWithWaitList(first, 1, &gate, &a));
    OK(clEnqueueMarkerWithWaitList(second, 1, &a, &b));
    OK(clFlush(first));
    OK(clFlush(second));
    OK(clSetUserEventStatus(gate, -1234));
    IS(clWaitForEvents(1, &b), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(status_of(a) < 0 && status_of(b) < 0);
}

/* A blocking call tells that its list has failed; no command has been terminated before. */
static void blocking_on_failure(void) {
    cl_event gate = new_user_event();
    OK(clSetUserEventStatus(gate, -1234));
    cl_mem buffer = new_buffer(16);
    char to[16];
    IS(clEnqueueReadBuffer(new_queue(0), buffer, CL_TRUE, 0, 16, to, 1, &gate, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

static void *set_later(void *event) {
    usleep(20000);
    if (clSetUserEventStatus(event, CL_COMPLETE) != CL_SUCCESS) abort();
    return NULL;
}

static void user_events_of_threads(void) {
    cl_command_queue queue = new_queue(0);
    pthread_t threads[8];
    cl_event gates[8], all;
    for (int i = 0; i < 8; i++) gates[i] = new_user_event();
    OK(clEnqueueMarkerWithWaitList(queue, 8, gates, &all));
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, set_later, gates[i]);
    OK(clWaitForEvents(1, &all));
    for (int i = 0; i < 8; i++) CHECK(status_of(gates[i]) == CL_COMPLETE);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
}

static _Atomic int calls[3], wrong_status;
static void CL_CALLBACK on_status(cl_event event, cl_int status, void *which) {
    (void)event;
    int asked = (int)(size_t)which;
    if (status != asked) wrong_status = 1;
    calls[asked]++;
}

static void callbacks(void) {
    cl_command_queue queue = new_queue(0);
    struct place p = new_place(queue);
    int made = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        cl_event gate = new_user_event(), event;
        if (!enqueue(&p, kind, 1, &gate, &event)) continue;
        for (int twice = 0; twice < 2; twice++)
            for (cl_int status = CL_COMPLETE; status <= CL_SUBMITTED; status++)
                OK(clSetEventCallback(event, status, on_status, (void *)(size_t)status));
        made += 2;
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(event));
        OK(clReleaseEvent(gate));
    }
    OK(clFinish(queue));
    for (int wait = 0; wait < 5000 && calls[0] + calls[1] + calls[2] < 3 * made; wait++) usleep(1000);
    for (int i = 0; i < 3; i++)
        if (calls[i] != made) FAIL("%d callbacks for status %d, not %d", calls[i], i, made);
    CHECK(!wrong_status);
    cl_event late;
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &late));
    OK(clFinish(queue));
    IS(clSetEventCallback(late, CL_QUEUED, on_status, NULL), CL_INVALID_VALUE);
    IS(clSetEventCallback(late, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    OK(clSetEventCallback(late, CL_COMPLETE, on_status, NULL));
    for (int wait = 0; wait < 5000 && calls[0] <= made; wait++) usleep(1000);
    CHECK(calls[0] == made + 1);
}

static void flush_lets_go(void) {
    cl_command_queue queue = new_queue(0);
    cl_event event;
    struct place p = new_place(queue);
    enqueue(&p, 9, 0, NULL, &event);
    OK(clFlush(queue));
    for (int wait = 0; wait < 10000 && status_of(event) > CL_COMPLETE; wait++) usleep(1000);
    CHECK(status_of(event) == CL_COMPLETE);
}

static void released_before_done(void) {
    cl_command_queue queue = new_queue(0);
    struct place p = new_place(queue);
    cl_event gate = new_user_event();
    for (int i = 0; i < 1000; i++) {
        cl_event event;
        enqueue(&p, i % 4, 1, &gate, &event);
        OK(clReleaseEvent(event));
    }
    OK(clReleaseKernel(p.kernel));
    OK(clReleaseMemObject(p.a));
    cl_event last;
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last));
    OK(clReleaseCommandQueue(queue));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &last));
}

static void barriers_hold(void) {
    if (!out_of_order()) SKIP("no out-of-order queues");
    cl_command_queue queue = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = new_user_event(), held, barrier, after, marker, other = new_user_event();
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &held));
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier));
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    OK(clSetUserEventStatus(other, CL_COMPLETE));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &other, &after));
    OK(clFlush(queue));
    usleep(5000);
    if (status_of(barrier) <= CL_RUNNING) FAIL("the barrier is done before what it waits for");
    if (status_of(marker) <= CL_RUNNING) FAIL("a marker is done before the barrier before it");
    if (status_of(after) <= CL_RUNNING) FAIL("a marker with a list is done before the barrier before it");
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    CHECK(!status_of(held) && !status_of(barrier) && !status_of(after) && !status_of(marker));
}

static void across_queues(void) {
    enum { QUEUES = 8, LENGTH = 200 };
    cl_command_queue queues[QUEUES];
    cl_kernel kernel = new_kernel("kernel void k(global int *p, int from) { if (p[0] == from) p[0] = from + 1; }", "k", "");
    cl_mem buffer = new_buffer(4);
    cl_int zero = 0, result;
    size_t one = 1;
    for (int i = 0; i < QUEUES; i++) queues[i] = new_queue(i % 2 && out_of_order() ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_event last;
    OK(clEnqueueFillBuffer(queues[0], buffer, &zero, 4, 0, 4, 0, NULL, &last));
    for (cl_int i = 0; i < LENGTH; i++) {
        cl_event next;
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, 4, &i));
        OK(clEnqueueNDRangeKernel(queues[i % QUEUES], kernel, 1, NULL, &one, NULL, 1, &last, &next));
        OK(clReleaseEvent(last));
        last = next;
    }
    for (int i = 0; i < QUEUES; i++) OK(clFlush(queues[i]));
    OK(clEnqueueReadBuffer(queues[3], buffer, CL_TRUE, 0, 4, &result, 1, &last, NULL));
    CHECK(result == LENGTH);
}

/* ---- Shared virtual memory ---------------------------------------------------------------- */

static const char *const list_source =
    "typedef struct node { int value; global struct node *next; } node;"
    "kernel void make(global node *nodes, global int *taken, int length) {"
    "  size_t i = get_global_id(0); global node *n = &nodes[i]; n->value = (int)i * 100;"
    "  for (int k = 1; k < length; k++) { global node *m = &nodes[get_global_size(0) + atomic_inc(taken)];"
    "    m->value = n->value + 1; n->next = m; n = m; } n->next = 0; }"
    "kernel void check(global node *nodes, global int *wrong, int length) {"
    "  size_t i = get_global_id(0); int k = 0;"
    "  for (global node *n = &nodes[i]; n; n = n->next, k++) if (n->value != (int)i * 100 + k) atomic_inc(wrong);"
    "  if (k != length) atomic_inc(wrong); }";

struct node { cl_int value; struct node *next; };

static void svm_linked_lists(void) {
    if (!has_svm(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) SKIP("no shared virtual memory");
    enum { LISTS = 16, LENGTH = 32 };
    cl_command_queue queue = new_queue(0);
    cl_kernel make = new_kernel(list_source, "make", newest()), check = new_kernel(list_source, "check", newest());
    struct node *nodes = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(struct node) * LISTS * LENGTH, 0);
    cl_int *counter = clSVMAlloc(context, CL_MEM_READ_WRITE, 4, 0), zero = 0, length = LENGTH;
    size_t lists = LISTS;
    CHECK(nodes && counter);
    OK(clEnqueueSVMMemFill(queue, counter, &zero, 4, 4, 0, NULL, NULL));
    OK(clSetKernelArgSVMPointer(make, 0, nodes));
    OK(clSetKernelArgSVMPointer(make, 1, counter));
    OK(clSetKernelArg(make, 2, 4, &length));
    OK(clEnqueueNDRangeKernel(queue, make, 1, NULL, &lists, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, nodes, sizeof(struct node) * LISTS * LENGTH, 0, NULL, NULL));
    for (int i = 0; i < LISTS; i++) {
        int k = 0;
        for (struct node *n = &nodes[i]; n; n = n->next, k++) CHECK(n->value == i * 100 + k);
        CHECK(k == LENGTH);
    }
    OK(clEnqueueSVMUnmap(queue, nodes, 0, NULL, NULL));
    OK(clEnqueueSVMMemFill(queue, counter, &zero, 4, 4, 0, NULL, NULL));
    /* The same memory as a buffer: the pointers in it stay what they are. */
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof(struct node) * LISTS * LENGTH, nodes, &code);
    OK(code);
    cl_bool uses = CL_FALSE;
    OK(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    CHECK(uses == CL_TRUE);
    OK(clSetKernelArg(check, 0, sizeof buffer, &buffer));
    OK(clSetKernelArgSVMPointer(check, 1, counter));
    OK(clSetKernelArg(check, 2, 4, &length));
    OK(clEnqueueNDRangeKernel(queue, check, 1, NULL, &lists, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, counter, 4, 0, NULL, NULL));
    CHECK(*counter == 0);
    OK(clEnqueueSVMUnmap(queue, counter, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
    OK(clFinish(queue));
    clSVMFree(context, nodes);
    clSVMFree(context, counter);
    clSVMFree(context, NULL);
}

/* A kernel reaches memory that is no argument when it has been told of it. */
static void svm_pointers_inside(void) {
    if (!has_svm(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) SKIP("no shared virtual memory");
    cl_command_queue queue = new_queue(0);
    cl_kernel kernel = new_kernel(
        "typedef struct { global int *a; global int *b; } both;"
        "kernel void k(global both *p) { p->a[get_global_id(0)] = p->b[get_global_id(0)] + 1; }", "k", newest());
    cl_int **both = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * sizeof(void *), 0);
    cl_int *a = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 64), *b = clSVMAlloc(context, CL_MEM_READ_ONLY, 256, 128);
    CHECK(both && a && b && (size_t)a % 64 == 0 && (size_t)b % 128 == 0);
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, both, 16, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, b, 256, 0, NULL, NULL));
    both[0] = a, both[1] = b;
    for (int i = 0; i < 64; i++) b[i] = i;
    OK(clEnqueueSVMUnmap(queue, both, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    void *told[] = {a, b};
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof told, told));
    OK(clSetKernelArgSVMPointer(kernel, 0, both));
    size_t items = 64;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 256, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) CHECK(a[i] == i + 1);
    IS(clSetKernelExecInfo(kernel, 0x7777, sizeof told, told), CL_INVALID_VALUE);
    IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, told), CL_INVALID_VALUE);
    IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
}

static void svm_fine_grain_talk(void) {
    if (!has_svm(CL_DEVICE_SVM_ATOMICS)) SKIP("no atomics in fine-grained shared memory");
    cl_command_queue queue = new_queue(0);
    cl_kernel kernel = new_kernel(
        "kernel void k(global atomic_int *turn, global int *data, int rounds) {"
        "  for (int i = 0; i < rounds; i++) {"
        "    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + 1) ;"
        "    data[0] = data[0] * 2;"
        "    atomic_store_explicit(turn, 2 * i + 2, memory_order_release, memory_scope_all_svm_devices); } }", "k", newest());
    cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    cl_int *turn = clSVMAlloc(context, flags, 4, 0), *data = clSVMAlloc(context, flags, 4, 0), rounds = 20;
    *turn = 0, *data = 1;
    OK(clSetKernelArgSVMPointer(kernel, 0, turn));
    OK(clSetKernelArgSVMPointer(kernel, 1, data));
    OK(clSetKernelArg(kernel, 2, 4, &rounds));
    size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
    for (int i = 0; i < rounds; i++) {
        if (*data != 1 << i) FAIL("round %d: %d", i, *data);
        __atomic_store_n(turn, 2 * i + 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != 2 * i + 2) ;
    }
    OK(clFinish(queue));
}

static void svm_bytes_apart(void) {
    if (!has_svm(CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) SKIP("no fine-grained shared memory");
    cl_command_queue queue = new_queue(0);
    cl_kernel kernel = new_kernel("kernel void k(global char *p, int n, int which) { for (int i = which; i < n; i += 3) p[i] = (char)which; }", "k", newest());
    cl_command_queue second = new_queue(0);
    cl_int size = 3000;
    char *p = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    memset(p, 9, size);
    for (cl_int which = 0; which < 2; which++) {
        size_t one = 1;
        OK(clSetKernelArgSVMPointer(kernel, 0, p));
        OK(clSetKernelArg(kernel, 1, 4, &size));
        OK(clSetKernelArg(kernel, 2, 4, &which));
        OK(clEnqueueNDRangeKernel(which ? second : queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    }
    OK(clFlush(queue));
    OK(clFlush(second));
    for (int i = 2; i < size; i += 3) p[i] = 2;
    OK(clFinish(queue));
    OK(clFinish(second));
    for (int i = 0; i < size; i++) CHECK(p[i] == i % 3);
}

static _Atomic int freed;
static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *data) {
    (void)queue;
    for (cl_uint i = 0; i < count; i++) clSVMFree(*(cl_context *)data, pointers[i]);
    freed = (int)count;
}

static void svm_commands(void) {
    if (!has_svm(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) SKIP("no shared virtual memory");
    cl_command_queue queue = new_queue(0);
    char *a = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0), *b = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0), host[256];
    for (int size = 1; size <= 128; size *= 2) {
        unsigned char pattern[128];
        for (int i = 0; i < size; i++) pattern[i] = (unsigned char)(i + size);
        OK(clEnqueueSVMMemFill(queue, a, pattern, (size_t)size, 256, 0, NULL, NULL));
        OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, 256, 0, NULL, NULL));
        OK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, b, 256, 0, NULL, NULL));
        for (int i = 0; i < 256; i++) CHECK((unsigned char)host[i] == pattern[i % size]);
    }
    IS(clEnqueueSVMMemcpy(queue, CL_TRUE, a, a + 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    IS(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, a, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueSVMMemFill(queue, a, host, 3, 12, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 12, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    const void *part[] = {a + 16, b};
    size_t sizes[] = {16, 0};
    OK(clEnqueueSVMMigrateMem(queue, 2, part, sizes, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    IS(clEnqueueSVMMigrateMem(queue, 0, part, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    void *both[] = {a, b};
    cl_event event;
    OK(clEnqueueSVMFree(queue, 2, both, free_them, &context, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    CHECK(freed == 2);
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 3));
    CHECK(!clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0));
}

/* ---- Buffers ------------------------------------------------------------------------------ */

static void buffer_patterns(void) {
    cl_command_queue queue = new_queue(0);
    for (size_t size = 1; size <= 128; size *= 2)
        for (size_t offset = 0; offset < 3; offset++) {
            unsigned char pattern[128], got[1024];
            cl_mem buffer = new_buffer(1024);
            for (size_t i = 0; i < size; i++) pattern[i] = (unsigned char)(i * 7 + size);
            unsigned char zero = 0xee;
            OK(clEnqueueFillBuffer(queue, buffer, &zero, 1, 0, 1024, 0, NULL, NULL));
            OK(clEnqueueFillBuffer(queue, buffer, pattern, size, offset * size, 4 * size, 0, NULL, NULL));
            memset(pattern + size, 0, sizeof pattern - size);
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1024, got, 0, NULL, NULL));
            for (size_t i = 0; i < 1024; i++) {
                int inside = i >= offset * size && i < (offset + 4) * size;
                CHECK(got[i] == (inside ? pattern[i % size] : 0xee));
            }
            OK(clReleaseMemObject(buffer));
        }
    cl_mem buffer = new_buffer(64);
    char word[16] = "";
    IS(clEnqueueFillBuffer(queue, buffer, word, 0, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, word, 4, 2, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, word, 4, 0, 18, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueFillBuffer(queue, buffer, word, 4, 60, 8, 0, NULL, NULL), CL_INVALID_VALUE);
}

static int order[4], orders;
static void CL_CALLBACK gone(cl_mem buffer, void *which) {
    (void)buffer;
    order[orders++] = (int)(size_t)which;
}

static void destructors_run_backwards(void) {
    cl_mem buffer = new_buffer(16);
    for (size_t i = 0; i < 3; i++) OK(clSetMemObjectDestructorCallback(buffer, gone, (void *)i));
    IS(clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE);
    OK(clRetainMemObject(buffer));
    OK(clReleaseMemObject(buffer));
    CHECK(orders == 0);
    OK(clReleaseMemObject(buffer));
    for (int wait = 0; wait < 2000 && orders < 3; wait++) usleep(1000);
    CHECK(orders == 3 && order[0] == 2 && order[1] == 1 && order[2] == 0);
}

static void sub_buffers(void) {
    size_t align = device_number(CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint)) / 8;
    cl_command_queue queue = new_queue(0);
    cl_mem whole = new_buffer(4 * align);
    cl_buffer_region low = {0, 2 * align}, high = {align, 3 * align}, odd = {1, 1}, long_one = {align, 4 * align}, none = {0, 0};
    cl_mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &code);
    OK(code);
    cl_mem b = clCreateSubBuffer(whole, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &high, &code);
    OK(code);
    clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code);
    IS(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &long_one, &code);
    IS(code, CL_INVALID_VALUE);
    clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &code);
    IS(code, CL_INVALID_BUFFER_SIZE);
    clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &code);
    IS(code, CL_INVALID_MEM_OBJECT);
    clCreateSubBuffer(b, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &low, &code);
    CHECK(code == CL_INVALID_VALUE || code == CL_INVALID_MEM_OBJECT);
    unsigned char *bytes = malloc(4 * align), fill = 1, more = 2;
    OK(clEnqueueFillBuffer(queue, whole, &fill, 1, 0, 4 * align, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, a, &more, 1, align, align, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 3 * align, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < 3 * align; i++) CHECK(bytes[i] == (i < align ? 2 : 1));
    IS(clEnqueueCopyBuffer(queue, a, b, align, 0, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clEnqueueCopyBuffer(queue, a, b, 0, align, align, 0, NULL, NULL));
    size_t offset = 0;
    cl_mem parent = NULL;
    OK(clGetMemObjectInfo(b, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    OK(clGetMemObjectInfo(b, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK(offset == align && parent == whole);
    OK(clReleaseMemObject(whole));
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, align, bytes, 0, NULL, NULL));
    CHECK(bytes[0] == 1);
}

static void host_pointers(void) {
    cl_command_queue queue = new_queue(0);
    static const cl_mem_flags kinds[] = {0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (int i = 0; i < 5; i++) {
        unsigned char host[256] __attribute__((aligned(128))), got[256];
        for (int k = 0; k < 256; k++) host[k] = (unsigned char)k;
        int given = i >= 2;
        cl_mem buffer = clCreateBuffer(context, kinds[i], 256, given ? host : NULL, &code);
        OK(code);
        if (given) {
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 256, got, 0, NULL, NULL));
            CHECK(!memcmp(host, got, 256));
        }
        unsigned char *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &code);
        OK(code);
        if (kinds[i] == CL_MEM_USE_HOST_PTR) CHECK(map == host + 16);
        memset(map, 77, 32);
        cl_uint maps = 0;
        OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        CHECK(maps == 1);
        OK(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 16, 32, got, 0, NULL, NULL));
        for (int k = 0; k < 32; k++) CHECK(got[k] == 77);
        OK(clReleaseMemObject(buffer));
    }
    char host[16];
    clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, NULL, &code);
    IS(code, CL_INVALID_HOST_PTR);
    clCreateBuffer(context, 0, 16, host, &code);
    IS(code, CL_INVALID_HOST_PTR);
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, host, &code);
    IS(code, CL_INVALID_VALUE);
    clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &code);
    IS(code, CL_INVALID_VALUE);
    clCreateBuffer(context, 0, 0, NULL, &code);
    IS(code, CL_INVALID_BUFFER_SIZE);
}

static void host_access(void) {
    cl_command_queue queue = new_queue(0);
    char bytes[16] = "";
    cl_mem r = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 16, NULL, &code);
    cl_mem w = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 16, NULL, &code);
    cl_mem n = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 16, NULL, &code);
    IS(clEnqueueWriteBuffer(queue, r, CL_TRUE, 0, 16, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    IS(clEnqueueReadBuffer(queue, w, CL_TRUE, 0, 16, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    IS(clEnqueueReadBuffer(queue, n, CL_TRUE, 0, 16, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    clEnqueueMapBuffer(queue, r, CL_TRUE, CL_MAP_WRITE, 0, 16, 0, NULL, NULL, &code);
    IS(code, CL_INVALID_OPERATION);
    clEnqueueMapBuffer(queue, w, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
    IS(code, CL_INVALID_OPERATION);
    OK(clEnqueueReadBuffer(queue, r, CL_TRUE, 0, 16, bytes, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, r, n, 0, 0, 16, 0, NULL, NULL));
    OK(clFinish(queue));
}

static void typed_kernels(void) {
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"};
    static const int sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8}, widths[] = {1, 2, 4, 8, 16};
    cl_command_queue queue = new_queue(0);
    for (int t = 0; t < 10; t++)
        for (int w = 0; w < 5; w++) {
            char source[512], type[32];
            sprintf(type, widths[w] == 1 ? "%s" : "%s%d", types[t], widths[w]);
            sprintf(source, "kernel void k(global const %s *a, global %s *b) { size_t i = get_global_id(0); b[i] = a[i] + a[i]; }", type, type);
            cl_kernel kernel = new_kernel(source, "k", "");
            size_t bytes = (size_t)(sizes[t] * widths[w] * 16), items = 16;
            unsigned char *in = calloc(1, bytes), *out = malloc(bytes);
            for (size_t i = 0; i < bytes; i += (size_t)sizes[t]) in[i] = t < 8 ? 1 : 0;
            cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, in, &code), b = new_buffer(bytes);
            OK(clSetKernelArg(kernel, 0, sizeof a, &a));
            OK(clSetKernelArg(kernel, 1, sizeof b, &b));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
            for (size_t i = 0; i < bytes; i++)
                if (out[i] != 2 * in[i]) FAIL("%s: byte %zu is %d", type, i, out[i]);
            OK(clReleaseKernel(kernel));
            free(in), free(out);
        }
}

/* ---- Queries, programs, kernels ----------------------------------------------------------- */

static void query_sizes(void) {
    cl_command_queue queue = new_queue(0);
    cl_mem buffer = new_buffer(64);
    cl_event event = new_user_event();
    char room[4096];
    size_t size;
#define QUERY(function, object, name) do { \
        OK(function(object, name, 0, NULL, &size)); \
        if (size > 0) { OK(function(object, name, size, room, NULL)); \
            IS(function(object, name, size - 1, room, NULL), CL_INVALID_VALUE); } \
        IS(function(object, 0xfffff, sizeof room, room, NULL), CL_INVALID_VALUE); } while (0)
    QUERY(clGetMemObjectInfo, buffer, CL_MEM_SIZE);
    QUERY(clGetMemObjectInfo, buffer, CL_MEM_FLAGS);
    QUERY(clGetMemObjectInfo, buffer, CL_MEM_HOST_PTR);
    QUERY(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
    QUERY(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES);
    QUERY(clGetContextInfo, context, CL_CONTEXT_DEVICES);
    QUERY(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE);
    QUERY(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    for (cl_device_info name = CL_DEVICE_TYPE; name <= CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE; name++) {
        if (clGetDeviceInfo(device, name, 0, NULL, &size) == CL_SUCCESS && size > 0) QUERY(clGetDeviceInfo, device, name);
    }
    IS(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof room, room, NULL), CL_INVALID_DEVICE);
    IS(clGetContextInfo(NULL, CL_CONTEXT_DEVICES, sizeof room, room, NULL), CL_INVALID_CONTEXT);
    IS(clGetEventInfo(NULL, CL_EVENT_CONTEXT, sizeof room, room, NULL), CL_INVALID_EVENT);
    IS(clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof room, room, NULL), CL_INVALID_MEM_OBJECT);
    IS(clGetCommandQueueInfo(NULL, CL_QUEUE_DEVICE, sizeof room, room, NULL), CL_INVALID_COMMAND_QUEUE);
}

static void kernel_argument_info(void) {
    cl_kernel kernel = new_kernel(
        "kernel void k(global const volatile int *restrict a, constant float4 *b, local uchar *c, const uint d, global void *e) {}",
        "k", "-cl-kernel-arg-info");
    static const struct { const char *name, *type; cl_kernel_arg_address_qualifier space; cl_kernel_arg_type_qualifier quals; } expect[] = {
        {"a", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"b", "float4*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"c", "uchar*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
        {"d", "uint", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"e", "void*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
    };
    for (cl_uint i = 0; i < 5; i++) {
        char name[64], type[64];
        cl_kernel_arg_address_qualifier space;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_type_qualifier quals;
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof quals, &quals, NULL));
        if (strcmp(name, expect[i].name) || strcmp(type, expect[i].type) || space != expect[i].space || quals != expect[i].quals || access != CL_KERNEL_ARG_ACCESS_NONE)
            FAIL("argument %u: %s %s space %x qualifiers %lx", i, type, name, space, (long)quals);
    }
    IS(clGetKernelArgInfo(kernel, 5, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_ARG_INDEX);
}

static void kernel_arguments(void) {
    cl_command_queue queue = new_queue(0);
    cl_kernel kernel = new_kernel("kernel void k(global int *p, int v, local int *l, constant int *c) { l[0] = v; p[0] = l[0] + c[0]; }", "k", "");
    cl_mem p = new_buffer(4), c = new_buffer(4);
    cl_int v = 5, got;
    size_t one = 1;
    IS(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    IS(clSetKernelArg(kernel, 4, 4, &v), CL_INVALID_ARG_INDEX);
    IS(clSetKernelArg(kernel, 0, 4, &p), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(kernel, 1, 8, &v), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(kernel, 1, 4, NULL), CL_INVALID_ARG_VALUE);
    IS(clSetKernelArg(kernel, 2, 4, &v), CL_INVALID_ARG_VALUE);
    /* From OpenCL 3.1 on no local memory is a size like others. */
    cl_version version = 0;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, NULL));
    IS(clSetKernelArg(kernel, 2, 0, NULL), version < CL_MAKE_VERSION(3, 1, 0) ? CL_INVALID_ARG_SIZE : CL_SUCCESS);
    OK(clSetKernelArg(kernel, 0, sizeof p, &p));
    OK(clSetKernelArg(kernel, 1, 4, &v));
    OK(clSetKernelArg(kernel, 2, 16, NULL));
    OK(clSetKernelArg(kernel, 3, sizeof c, &c));
    cl_int ten = 10;
    OK(clEnqueueFillBuffer(queue, c, &ten, 4, 0, 4, 0, NULL, NULL));
    /* A later change of the argument does not touch what was enqueued. */
    cl_event gate = new_user_event();
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
    v = 6;
    OK(clSetKernelArg(kernel, 1, 4, &v));
    cl_kernel copy = clCloneKernel(kernel, &code);
    OK(code);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK(got == 15);
    v = 7;
    OK(clSetKernelArg(kernel, 1, 4, &v));
    OK(clEnqueueNDRangeKernel(queue, copy, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK(got == 16);
    IS(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    IS(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
}

static void binaries(void) {
    const char *source = "kernel void k(global int *p) { p[0] = 42; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code), again;
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    size_t count = device_count, sizes[16] = {0};
    unsigned char *bytes[16] = {0};
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof sizes[0], sizes, NULL));
    for (size_t i = 0; i < count; i++) bytes[i] = malloc(sizes[i] + 1);
    CHECK(sizes[0] > 0);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof bytes[0], bytes, NULL));
    cl_int loaded = 1;
    again = clCreateProgramWithBinary(context, 1, &device, sizes, (const unsigned char **)bytes, &loaded, &code);
    OK(code);
    OK(loaded);
    OK(clBuildProgram(again, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(again, "k", &code);
    OK(code);
    cl_command_queue queue = new_queue(0);
    cl_mem p = new_buffer(4);
    cl_int got;
    size_t one = 1, zero = 0;
    OK(clSetKernelArg(kernel, 0, sizeof p, &p));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK(got == 42);
    const unsigned char *junk = (const unsigned char *)"this is no binary of any implementation";
    size_t size = 40;
    clCreateProgramWithBinary(context, 1, &device, &size, &junk, &loaded, &code);
    IS(code, CL_INVALID_BINARY);
    IS(loaded, CL_INVALID_BINARY);
    clCreateProgramWithBinary(context, 1, &device, &zero, &junk, &loaded, &code);
    IS(code, CL_INVALID_VALUE);
}

static void several_contexts(void) {
    enum { CONTEXTS = 12 };
    cl_context contexts[CONTEXTS];
    cl_mem buffers[CONTEXTS];
    cl_command_queue queues[CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++) {
        contexts[i] = clCreateContextFromType((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, CL_DEVICE_TYPE_ALL, NULL, NULL, &code);
        OK(code);
        context = contexts[i];
        buffers[i] = new_buffer(64);
        queues[i] = new_queue(0);
        struct place p = new_place(queues[i]);
        enqueue(&p, 9, 0, NULL, NULL);
    }
    char to[64];
    IS(clEnqueueReadBuffer(queues[0], buffers[1], CL_TRUE, 0, 64, to, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_event event = clCreateUserEvent(contexts[2], &code), marker;
    IS(clEnqueueMarkerWithWaitList(queues[0], 1, &event, &marker), CL_INVALID_CONTEXT);
    for (int i = 0; i < CONTEXTS; i++) {
        OK(clReleaseContext(contexts[i]));
        OK(clFinish(queues[i]));
        OK(clReleaseCommandQueue(queues[i]));
        OK(clReleaseMemObject(buffers[i]));
    }
    clCreateContextFromType(NULL, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &code);
    IS(code, CL_DEVICE_NOT_FOUND);
}

/* A buffer goes from device to device; each adds its part. */
static void several_devices(void) {
    if (device_count < 2) SKIP("one device");
    const char *source = "kernel void k(global int *p, int v) { p[get_global_id(0)] += v; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    OK(code);
    cl_mem buffer = new_buffer(256);
    cl_int zero = 0, got[64], sum = 0;
    size_t items = 64;
    cl_event last = NULL;
    for (cl_uint i = 0; i < device_count; i++) {
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[i], NULL, &code);
        OK(code);
        cl_int v = (cl_int)(1 << i);
        sum += v;
        if (!last) OK(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 256, 0, NULL, &last));
        cl_event next;
        OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        OK(clSetKernelArg(kernel, 1, 4, &v));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &last, &next));
        OK(clFlush(queue));
        last = next;
        if (i + 1 == device_count) OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 256, got, 1, &last, NULL));
    }
    for (int i = 0; i < 64; i++) CHECK(got[i] == sum);
}

/* Objects do not pile up: a million enqueues leave no more memory than the first tenth did. */
static long resident(void) {
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) SKIP("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void million_enqueues(void) {
    enum { TOTAL = 1000000, BATCH = 500 };
    if (!getenv("BEHAVIOURS_LONG")) SKIP("set BEHAVIOURS_LONG to run it");
    cl_command_queue queue = new_queue(0);
    struct place p = new_place(queue);
    long early = 0;
    for (int done = 0; done < TOTAL; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            cl_event event;
            enqueue(&p, i % 4 == 0 ? 9 : i % 4, 0, NULL, &event);
            OK(clReleaseEvent(event));
        }
        OK(clFinish(queue));
        if (done == TOTAL / 10) early = resident();
    }
    long late = resident();
    if (late > early + (1 << 21)) FAIL("%ld bytes after a tenth, %ld at the end", early, late);
}

#define CHECKS(X) X(waitlists) X(profiling) X(user_event_rules) X(failures_propagate) X(blocking_on_failure) X(user_events_of_threads) \
    X(callbacks) X(flush_lets_go) X(released_before_done) X(barriers_hold) X(across_queues) X(svm_linked_lists) \
    X(svm_pointers_inside) X(svm_fine_grain_talk) X(svm_bytes_apart) X(svm_commands) X(buffer_patterns) \
    X(destructors_run_backwards) X(sub_buffers) X(host_pointers) X(host_access) X(typed_kernels) X(query_sizes) \
    X(kernel_argument_info) X(kernel_arguments) X(binaries) X(several_contexts) X(several_devices) X(million_enqueues)

static void set_up(void) {
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &device_count));
    device = devices[0];
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &code);
    OK(code);
}

int main(int count, char **names) {
    static const struct { const char *name; void (*run)(void); } checks[] = {
#define X(name) {#name, name},
        CHECKS(X)
#undef X
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        int chosen = count == 1;
        for (int k = 1; k < count; k++) chosen |= !strcmp(names[k], checks[i].name);
        if (!chosen) continue;
        int ends[2];
        char why[4096] = "";
        if (pipe(ends)) return 2;
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], 1);
            alarm(getenv("BEHAVIOURS_LONG") ? 600 : 60);
            set_up();
            checks[i].run();
            fflush(stdout);
            _exit(0);
        }
        close(ends[1]);
        size_t length = 0;
        for (ssize_t got; length < sizeof why - 1 && (got = read(ends[0], why + length, sizeof why - 1 - length)) > 0;) length += (size_t)got;
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        why[strcspn(why, "\n")] = 0;
        int skipped = WIFEXITED(status) && WEXITSTATUS(status) == 77;
        int passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (WIFSIGNALED(status)) sprintf(why, "signal %d%s", WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ", it hangs" : "");
        printf("%s %s%s%s\n", passed ? "pass" : skipped ? "skip" : "fail", checks[i].name, *why && !passed ? " " : "", passed ? "" : why);
        fflush(stdout);
        failed |= !passed && !skipped;
    }
    return failed;
}
