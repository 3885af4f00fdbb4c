goto end;
astray:
astray = "a pointer or a number leads the host nowhere";
goto timed_out;
timed_out:
exchange_timed_out |= !astray;
if (quit)
    store(quit, 4, 1, memory_order_relaxed);
end:
(void)r;
(void)at;
if (0)
    goto astray;
