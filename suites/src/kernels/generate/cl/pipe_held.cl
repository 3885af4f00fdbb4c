// What is reserved is no room for others: of `tries` packets, `room` fit beside the reservation.
kernel void put(write_only pipe uint p, global uint *told, uint first, uint held, uint tries, uint room) {
    uint wrong = is_valid_reserve_id(@w@reserve_write_pipe(p, held + room + 1u)) ? 1u << 20 : 0u;
    reserve_id_t id = @w@reserve_write_pipe(p, held);
    if (is_valid_reserve_id(id)) {
        for (uint i = 0; i < tries; i++) {
            uint v = first + held + i;
            wrong += (write_pipe(p, &v) == 0) != (i < room);
        }
        for (uint i = held; i-- > 0;) {
            uint v = first + i;
            wrong += write_pipe(p, id, i, &v) != 0;
        }
        @w@commit_write_pipe(p, id);
    } else
        wrong += 1000u;
    *told = wrong;
}
// What is reserved is there for nobody else: of `tries` reads, `room` get a packet beside the reservation.
kernel void take(read_only pipe uint p, global uint *told, global uint *out, uint first, uint held, uint tries, uint room) {
    uint wrong = is_valid_reserve_id(@r@reserve_read_pipe(p, held + room + 1u)) ? 1u << 20 : 0u;
    reserve_id_t id = @r@reserve_read_pipe(p, held);
    if (is_valid_reserve_id(id)) {
        for (uint i = 0; i < tries; i++) {
            uint v = 7u;
            uint got = read_pipe(p, &v) == 0;
            wrong += got != (i < room);
            if (got && i < room) out[first + held + i] = v;
        }
        for (uint i = held; i-- > 0;) {
            uint v = 7u;
            wrong += read_pipe(p, id, i, &v) != 0;
            out[first + i] = v;
        }
        @r@commit_read_pipe(p, id);
    } else
        wrong += 1000u;
    *told = wrong;
}
