/* ---- runs ------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, wrong = 0;
    cl_device_id sorted[64];
    choose(argc, argv, 1, sorted);
    device = sorted[0];
    begin();
    signal(SIGALRM, hung);
    for (unsigned long n = 0; n < runs; n++) {
        alarm(60);
        run_number = (cl_uint)n;
        violations_of_run = 0;
        play();
        wrong += violations_of_run > 0;
    }
    sum_up(runs, wrong);
    return 0;
}
