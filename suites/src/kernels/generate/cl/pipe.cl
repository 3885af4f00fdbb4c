@name@ make(uint x) { return @make@; }
int equal(@name@ a, @name@ b) { return @equal@; }
kernel void put(write_only pipe @name@ p, global uint *told, uint first, uint tries, uint fit) {
    uint wrong = get_pipe_max_packets(p) != @room@u;
    for (uint i = 0; i < tries; i++) {
        @name@ v = make(first + i);
        int code = write_pipe(p, &v);
        wrong += i < fit ? code != 0 : code >= 0;
    }
    *told = wrong;
}
kernel void take(read_only pipe @name@ p, global uint *told, uint first, uint tries, uint come) {
    uint wrong = (get_pipe_num_packets(p) != come) + (get_pipe_max_packets(p) != @room@u);
    for (uint i = 0; i < tries; i++) {
        @name@ v;
        int code = read_pipe(p, &v);
        if (i < come) wrong += code != 0 || !equal(v, make(first + i));
        else wrong += code >= 0;
    }
    *told = wrong;
}
