/* ---- runs -------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    /* Without a number of runs it ends within a minute, whatever the device does. */
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    unsigned patience = argc > 1 ? 60 : 35;
    time_t until = argc > 1 ? 0 : time(NULL) + 20;
    cl_uint count = choose(argc, argv, DEVICES, devices);
    begin(count);
    signal(SIGALRM, hung);
    unsigned long wrong = 0, incomplete = 0;
    for (unsigned long n = 0; n < runs; n++) {
        if (until && time(NULL) >= until) {
            runs = n;
            break;
        }
        alarm(patience);
        run_number = (cl_uint)n;
        /* One of an earlier run either began before this and is waited for, or sees that it comes too late. */
        while (in_callbacks)
            pause_microseconds(20);
        violations_of_run = 0;
        forget();
        if (make()) {
            pthread_t others[THREADS];
            for (unsigned t = 1; t < THREADS; t++)
                if (pthread_create(&others[t], NULL, threads[t], NULL) != 0)
                    abort();
            threads[0](NULL);
            for (unsigned t = 1; t < THREADS; t++)
                pthread_join(others[t], NULL);
        }
        end();
        check();
        incomplete += (unsigned long)timed_out();
        take_down();
        wrong += violations_of_run > 0;
    }
    if (incomplete)
        printf("%lu of %lu runs: a side timed out, which breaks no rule\n", incomplete, runs);
    sum_up(runs, wrong);
    return 0;
}
