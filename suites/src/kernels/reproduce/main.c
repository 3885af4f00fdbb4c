/* ---- runs ------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    cl_device_id sorted[64];
    choose(argc, argv, DEVICES, sorted);
    device = sorted[0];
    memcpy(devices, sorted, sizeof devices);
    begin();
    signal(SIGALRM, hung);
    unsigned long wrong = 0, given_up = 0;
    for (unsigned long n = 0; n < runs; n++) {
        alarm(60);
        run_number = (cl_uint)n;
        violations_of_run = 0;
        make();
        play();
        must(finish_all(), "clFinish");
        given_up += (unsigned long)gave_up();
        take_down();
        wrong += violations_of_run > 0;
    }
    if (given_up)
        printf("%lu of %lu runs: a side gave up waiting, which breaks no rule\n", given_up, runs);
    sum_up(runs, wrong);
    return 0;
}
