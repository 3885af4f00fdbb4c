typedef volatile global atomic_uint *cell;
uint look(cell at) { return atomic_load_explicit(at, @relaxed@, @all@); }
uint beats(cell at) { return atomic_fetch_add_explicit(at, 0u, @relaxed@, @all@); }
void tell(cell at, uint value) { atomic_store_explicit(at, value, @relaxed@, @all@); }
void side(cell mine, cell theirs, cell heart, cell other, cell quit, global uint *late, uint rounds) {
    for (uint k = 1; k <= rounds; k++) {
        tell(mine, k);
        uint start = beats(other);
        bool met = false;
        for (uint tries = 0; tries < @tries@u; tries++) {
            uint now = (tries & 15u) == 15u ? beats(other) : start;
            if (look(theirs) >= k) { met = true; break; }
            atomic_fetch_add_explicit(heart, 1u, @relaxed@, @all@);
            if (now - start > @beats@u && tries > @beats@u) { *late = k; break; }
            if ((tries & 63u) == 63u && look(quit)) return;
        }
        if (!met) { tell(quit, 1u); return; }
    }
}
