typedef struct { uint head; uchar bytes[3]; ulong tail; } thing;
global uint counter = @start@u;
global uint list[@count@] = { @start@u + 1u };
global ulong wide = @wide@UL;
global uint zero;
global thing made = { 3, { 4, 5, 6 }, 7 };
global uint *global pointer = &list[1];
kernel void first(global uint *out) {
    out[0] = counter - @start@u;
    out[1] = list[0] - @start@u;
    out[2] = list[@count@ - 1] != (@count@ == 1 ? @start@u + 1u : 0u);
    out[3] = wide != @wide@UL;
    out[4] = zero;
    out[5] = made.head * 1000u + made.bytes[0] * 100u + made.bytes[2] * 10u + (uint)made.tail;
    out[6] = pointer == &list[1];
    counter += 5u; list[0] += 6u; zero += 7u; made.bytes[1] = 99; wide += 1; *pointer = 42u;
}
kernel void second(global uint *out) {
    out[0] = counter - @start@u;
    out[1] = list[0] - @start@u;
    out[2] = zero;
    out[3] = made.bytes[1];
    out[4] = (uint)(wide - @wide@UL);
    out[5] = list[1];
    // As they were, for the next run.
    counter -= 5u; list[0] -= 6u; zero -= 7u; made.bytes[1] = 5; wide -= 1; list[1] = 0;
}
