/* ---- runs ------------------------------------------------------------------------------------ */

static void hung(int signal)
{
    static const char text[] = "a run does not come to its end\n";
    (void)signal;
    if (write(1, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    unsigned long platform = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned long device = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    cl_platform_id platforms[64];
    cl_device_id devices[64], sorted[64];
    cl_uint count = 0;
    must(clGetPlatformIDs(64, platforms, &count), "clGetPlatformIDs");
    if (platform >= count || platform >= 64) {
        fprintf(stderr, "there is no platform %lu\n", platform);
        return 2;
    }
    must(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, &count),
         "clGetDeviceIDs");
    if (count > 64)
        count = 64;
    if (device >= count || count < DEVICES) {
        fprintf(stderr, "there is no device %lu, or there are fewer than %u\n", device, DEVICES);
        return 2;
    }
    /* The chosen device first, then the others of the platform. */
    for (cl_uint n = 0; n < count; n++)
        sorted[n] = devices[(n + device) % count];
    char name[200] = "", driver[200] = "";
    clGetDeviceInfo(sorted[0], CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(sorted[0], CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("%s, driver %s\n", name, driver);
    fflush(stdout);
    begin(sorted, count);
    signal(SIGALRM, hung);
    unsigned long wrong = 0;
    for (unsigned long n = 0; n < runs; n++) {
        alarm(60);
        run_number = (cl_uint)n;
        violations_of_run = 0;
        make();
        pthread_t others[THREADS];
        for (unsigned t = 1; t < THREADS; t++)
            if (pthread_create(&others[t], NULL, threads[t], NULL) != 0)
                abort();
        threads[0](NULL);
        for (unsigned t = 1; t < THREADS; t++)
            pthread_join(others[t], NULL);
        end();
        check();
        take_down();
        wrong += violations_of_run > 0;
    }
    for (unsigned n = 0; n < told_count; n++)
        printf("%lu of %lu runs: %s\n", told[n].runs, runs, told[n].text);
    printf("%lu of %lu runs had something wrong\n", wrong, runs);
    fflush(stdout);
    _exit(wrong > 0);
}
