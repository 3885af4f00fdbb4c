global atomic_uint turn_variable, quit_variable;
global uint data_variable[@words@];
kernel void set() { atomic_init(&turn_variable, 0u); atomic_init(&quit_variable, 0u); }
kernel void gave(global uint *quit) {
    *quit = atomic_load_explicit(&quit_variable, memory_order_relaxed, memory_scope_@scope@);
}
