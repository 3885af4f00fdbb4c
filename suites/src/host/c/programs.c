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

#ifdef CL_VERSION_2_2
/* Sets a specialization constant of four bytes, or a boolean one of one. */
static inline void specialize(cl_program made, cl_uint constant, size_t size, const void *value)
{
    must(clSetProgramSpecializationConstant(made, constant, size, value),
         "clSetProgramSpecializationConstant");
}
#endif

/* Whether options ask for a version of the language that is later than the first device's OpenCL: an implementation may
   accept it and lack what it stands for. */
static inline int too_new(const char *options)
{
    unsigned asked = 0, has = 0;
    char text[256] = "";
    clGetDeviceInfo(devices[0], CL_DEVICE_VERSION, sizeof text - 1, text, NULL);
    return sscanf(options, "-cl-std=CL%u", &asked) == 1 && sscanf(text, "OpenCL %u", &has) == 1 &&
           asked > has;
}

/* From source, in the latest of these versions that the device builds. */
static inline cl_program from_source(cl_context in, unsigned count, const char *text,
                                     const char *const *options, unsigned versions, unsigned *which)
{
    for (unsigned n = 0; n < versions; n++) {
        if (n + 1 < versions && too_new(options[n]))
            continue;
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

/* A program of a program's binary, for one device; the other one is given up. */
static inline cl_program of_binary(cl_context in, cl_program from)
{
    size_t size = 0;
    must(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
         "clGetProgramInfo");
    unsigned char *binary = room(size);
    must(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
         "clGetProgramInfo");
    cl_int code;
    cl_program made = clCreateProgramWithBinary(in, 1, devices, &size,
                                                (const unsigned char **)&binary, NULL, &code);
    must(code, "clCreateProgramWithBinary");
    free(binary);
    clReleaseProgram(from);
    return made;
}

/* What programs are linked to; they are given up. */
static inline cl_program linked(cl_context in, unsigned count, const char *options, unsigned many,
                                const cl_program *parts)
{
    cl_int code;
    cl_program made = clLinkProgram(in, count, devices, options, many, parts, NULL, NULL, &code);
    must(code, "clLinkProgram");
    for (unsigned part = 0; part < many; part++)
        clReleaseProgram(parts[part]);
    return made;
}

/* From translation units, each compiled in the latest of these versions that the device compiles, and linked: as they
   are or as programs of their binaries, all at once or the first with a library of the others. */
static inline cl_program from_units(cl_context in, unsigned count, const char *const *units, unsigned many,
                                    const char *const *options, unsigned versions, const char *library,
                                    int binaries)
{
    cl_program *compiled = (cl_program *)(void *)room(many * sizeof *compiled);
    cl_int code;
    for (unsigned unit = 0; unit < many; unit++) {
        compiled[unit] = clCreateProgramWithSource(in, 1, (const char **)&units[unit], NULL, &code);
        must(code, "clCreateProgramWithSource");
        for (unsigned n = 0; n < versions; n++) {
            if (n + 1 < versions && too_new(options[n]))
                continue;
            code = clCompileProgram(compiled[unit], count, devices, options[n], 0, NULL, NULL, NULL, NULL);
            if (code == CL_SUCCESS)
                break;
        }
        must(code, "clCompileProgram");
        if (binaries)
            compiled[unit] = of_binary(in, compiled[unit]);
    }
    if (library && many > 1) {
        compiled[1] = linked(in, count, library, many - 1, compiled + 1);
        if (binaries)
            compiled[1] = of_binary(in, compiled[1]);
        many = 2;
    }
    cl_program made = linked(in, count, NULL, many, compiled);
    free(compiled);
    return made;
}

/* The same from its own binary, for one device. */
static inline cl_program through_binary(cl_context in, cl_program source, const char *options)
{
    return built(of_binary(in, source), 1, options, 1);
}

