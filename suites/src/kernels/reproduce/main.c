/* ---- runs ------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    cl_device_id sorted[64];
    choose(argc, argv, 1, sorted);
    device = sorted[0];
    begin();
    signal(SIGALRM, hung);
    unsigned long wrong = 0;
    for (unsigned long n = 0; n < runs; n++) {
        alarm(60);
        run_number = (cl_uint)n;
        violations_of_run = 0;
        make();
        play();
        must(clFinish(queue), "clFinish");
        take_down();
        wrong += violations_of_run > 0;
    }
    sum_up(runs, wrong);
    return 0;
}
