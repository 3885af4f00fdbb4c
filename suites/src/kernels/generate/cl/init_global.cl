kernel void begin(global uint *to, uint value) {
    size_t item = get_global_id(0);
    atomic_init((global atomic_uint *)&to[item], value + (uint)item);
}
