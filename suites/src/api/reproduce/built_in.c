/* A kernel of a program of built-in kernels. Some want it built, others refuse to build what has no source. */
static inline cl_kernel built_in_kernel(cl_program own, const char *name, cl_int *code)
{
    cl_kernel kernel = clCreateKernel(own, name, code);
    if (*code != CL_SUCCESS) {
        *code = clBuildProgram(own, 1, &device, "", NULL, NULL);
        if (*code == CL_SUCCESS)
            kernel = clCreateKernel(own, name, code);
    }
    return kernel;
}

/* One program of several built-in kernels has each of them. */
static inline int built_in_together(const char *names)
{
    if (!strchr(names, ';'))
        return 1;
    cl_int code;
    cl_program own = clCreateProgramWithBuiltInKernels(context, 1, &device, names, &code);
    TRY("clCreateProgramWithBuiltInKernels", code);
    char each[10000], *rest = each;
    snprintf(each, sizeof each, "%s", names);
    for (char *name = strtok_r(rest, ";", &rest); name; name = strtok_r(NULL, ";", &rest)) {
        cl_kernel kernel = built_in_kernel(own, name, &code);
        TRY("clCreateKernel", code);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(own);
    return 1;
}

/* A built-in kernel over buffers, wherever it takes one, and small numbers elsewhere. */
static inline int built_in(const char *name)
{
    cl_int code;
    cl_program own = clCreateProgramWithBuiltInKernels(context, 1, &device, name, &code);
    TRY("clCreateProgramWithBuiltInKernels", code);
    cl_kernel kernel = built_in_kernel(own, name, &code);
    TRY("clCreateKernel", code);
    cl_uint count = 0;
    TRY("clGetKernelInfo", clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    cl_mem buffers[64];
    const cl_ulong number = 1;
    const size_t items = 4;
    int fits = count <= 64;
    for (cl_uint n = 0; n < count && fits; n++) {
        buffers[n] = new_buffer(context, BYTES, CL_MEM_READ_WRITE);
        fits = clSetKernelArg(kernel, n, sizeof(cl_mem), &buffers[n]) == CL_SUCCESS ||
               clSetKernelArg(kernel, n, 4, &number) == CL_SUCCESS ||
               clSetKernelArg(kernel, n, 8, &number) == CL_SUCCESS;
        count = fits ? count : n + 1;
    }
    int done = 1;
    if (fits) {
        cl_event gate = new_user_event(context), event;
        TRY("clEnqueueNDRangeKernel",
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &gate, &event));
        done = held_then_done(queue, gate, event);
        clReleaseEvent(event);
        clReleaseEvent(gate);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(own);
    for (cl_uint n = 0; n < count && n < 64; n++)
        clReleaseMemObject(buffers[n]);
    return done;
}

