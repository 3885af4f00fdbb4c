#define MORE @more@
typedef struct {
    uint x, y;
#if MORE
    uint more[MORE];
#endif
} packet;
packet packet_of(uint x, uint y) {
    packet v;
    v.x = x;
    v.y = y;
#if MORE
    for (uint i = 0; i < MORE; i++) v.more[i] = y * 31u + x + i;
#endif
    return v;
}
uint spoilt(packet v) {
    uint wrong = 0;
#if MORE
    for (uint i = 0; i < MORE; i++) wrong |= v.more[i] != v.y * 31u + v.x + i;
#endif
    return wrong;
}
kernel void put(write_only pipe packet p, global uint *told) {
    uint me = (uint)get_global_id(0), wrong = 0;
    uint number = @number@, count = @count@, first = @first@;
    reserve_id_t id = @w@reserve_write_pipe(p, count);
    if (is_valid_reserve_id(id)) {
        for (uint i = @each@u; i-- > 0;) {
            packet v = packet_of(number << 16 | (first + i), me * @each@u + i);
            wrong += write_pipe(p, id, first + i, &v) != 0;
        }
        @w@commit_write_pipe(p, id);
    } else
        wrong = 1000u;
    told[me] = wrong;
}
kernel void full(write_only pipe packet p, global uint *told) {
    *told = is_valid_reserve_id(reserve_write_pipe(p, @over@u));
}
// There are so many packets, and no one more.
kernel void few(read_only pipe packet p, global uint *told, uint packets) {
    *told = (uint)(get_pipe_num_packets(p) != packets) << 1 | is_valid_reserve_id(reserve_read_pipe(p, packets + 1u));
}
// Reservations begin at 0 and go on without a gap, none before the one before it ended, as far as what is read together
// tells.
kernel void look(global const packet *packets, global uint *out, global uint *told) {
    uint wrong = 0;
    for (uint i = 0; i < @packets@u; i++) {
        packet v = packets[i];
        wrong += spoilt(v);
        if (@ordered@ && (v.x & 0xffffu) != 0)
            wrong += i == 0 || packets[i - 1].x + 1u != v.x;
        out[i] = v.y;
    }
    *told = wrong;
}
kernel void take(read_only pipe packet p, global packet *packets, global uint *told) {
    uint me = (uint)get_local_id(0), wrong = 0, begin = (uint)get_group_id(0) * @share@u;
    for (uint at = begin; at < begin + @share@u; at += @chunk@u) {
        reserve_id_t id = @r@reserve_read_pipe(p, @taken@);
        if (is_valid_reserve_id(id)) {
            packet v = packet_of(7u, 7u);
            wrong += read_pipe(p, id, @index@, &v) != 0;
            packets[at + me] = v;
            @r@commit_read_pipe(p, id);
        } else
            wrong += 1000u;
    }
    told[get_global_id(0)] = wrong;
}
