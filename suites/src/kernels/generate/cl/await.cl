bool await(volatile global atomic_@ty@ *cell, @ty@ value, volatile global atomic_uint *quit) {
    for (uint tries = 0; tries < @tries@u; tries++) {
        if (@hear@ == value) { @heard@ return true; }
        if ((tries & 63u) == 63u && atomic_load_explicit(quit, memory_order_relaxed, memory_scope_@scope@)) return false;
    }
    atomic_store_explicit(quit, 1u, memory_order_relaxed, memory_scope_@scope@);
    return false;
}
