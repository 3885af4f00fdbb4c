/* ---- programs ---------------------------------------------------------------------------------- */

/* Builds it for the first devices; says why where it cannot be built by the last version of the language. */
static inline cl_program built(cl_program made, unsigned count, const char *options, int last)
{
    cl_int code = clBuildProgram(made, count, devices, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return made;
    if (last) {
        static char log[100000];
        clGetProgramBuildInfo(made, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        must(code, "clBuildProgram");
    }
    clReleaseProgram(made);
    return NULL;
}

/* From source, in the latest of these versions that the device builds. */
static inline cl_program from_source(cl_context in, unsigned count, const char *text,
                                     const char *const *options, unsigned versions, unsigned *which)
{
    for (unsigned n = 0; n < versions; n++) {
        cl_int code;
        cl_program made = clCreateProgramWithSource(in, 1, &text, NULL, &code);
        must(code, "clCreateProgramWithSource");
        made = built(made, count, options[n], n + 1 == versions);
        *which = n;
        if (made)
            return made;
    }
    return NULL;
}

/* The same from its own binary, for one device. */
static inline cl_program through_binary(cl_context in, cl_program source, const char *options)
{
    size_t size = 0;
    must(clGetProgramInfo(source, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
         "clGetProgramInfo");
    unsigned char *binary = room(size);
    must(clGetProgramInfo(source, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
         "clGetProgramInfo");
    cl_int code;
    cl_program made = clCreateProgramWithBinary(in, 1, devices, &size,
                                                (const unsigned char **)&binary, NULL, &code);
    must(code, "clCreateProgramWithBinary");
    free(binary);
    clReleaseProgram(source);
    return built(made, 1, options, 1);
}

