/* ---- cl_khr_command_buffer, whose functions libraries need not export ---------------------------- */

/* A function of the extension. */
static inline void *extension(const char *name)
{
    cl_platform_id platform = NULL;
    must(clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
         "clGetDeviceInfo");
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    need(function == NULL, name);
    return function;
}

/* Whether all functions that record have properties, as they do since version 0.9.5. */
static inline int records_with_properties(void)
{
    enum { EXTENSIONS_WITH_VERSION = 0x1060, ENTRY = 68 };
    static int known = -1;
    size_t size = 0;
    unsigned char *list = NULL;
    if (known >= 0)
        return known;
    known = 1;
    if (clGetDeviceInfo(devices[0], EXTENSIONS_WITH_VERSION, 0, NULL, &size) == CL_SUCCESS)
        list = calloc(size + 1, 1);
    if (list && clGetDeviceInfo(devices[0], EXTENSIONS_WITH_VERSION, size, list, NULL) == CL_SUCCESS)
        for (size_t at = 0; at + ENTRY <= size; at += ENTRY) {
            cl_uint version;
            memcpy(&version, list + at, sizeof version);
            if (strcmp((char *)list + at + sizeof version, "cl_khr_command_buffer") == 0)
                known = version >= (9u << 12 | 5u);
        }
    free(list);
    return known;
}

